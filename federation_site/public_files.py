"""Files that are the same for every visitor: static files, the icon, robots.txt and security.txt."""

from collections.abc import Iterator
from datetime import datetime, time, timedelta
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from whitenoise.storage import CompressedManifestStaticFilesStorage

from players.access import PUBLIC, OfficeRequest, page
from players.templatetags.ui import ALL_STYLES, STYLES


@page(PUBLIC, caching=None)
def favicon(request: OfficeRequest) -> HttpResponseBase:
    response = redirect(static("favicon.ico"))
    patch_cache_control(response, public=True, max_age=86400)
    return response


ROBOTS_RULES = (
    "Disallow: /accounts/",
    "Disallow: /api/",
    # Lists by sex or age, and searches by name; the pages that they link to are allowed.
    "Disallow: /*?*sex=",
    "Disallow: /*?*age=",
    "Disallow: /*?*q=",
    "Disallow: /*?*find=",
    "Disallow: /*?*player=",
    # The same lists in other orders and views.
    "Disallow: /*?*sort=",
    "Disallow: /*?*only=",
    # Whole lists and the record as files, because they name children too.
    "Disallow: /*/lists/*/r*/*.",
    "Disallow: /*/dump/",
    "Disallow: /*.csv",
    "Disallow: /*.trf",
    "Disallow: /*.elo",
    "Disallow: /*.ndjson",
)


@page(PUBLIC, caching=None)
def robots(request: OfficeRequest) -> HttpResponse:
    sitemap = request.build_absolute_uri(reverse("ratings:sitemaps"))
    return _plain_text("\n".join(("User-agent: *", *ROBOTS_RULES, "", f"Sitemap: {sitemap}", "")))


def _plain_text(text: str) -> HttpResponse:
    response = HttpResponse(text, content_type="text/plain; charset=utf-8")
    response["Cache-Control"] = "max-age=86400"
    return response


SECURITY_TXT_LIFETIME = timedelta(days=180)
"""The validity of security.txt: less than a year, as RFC 9116 §2.5.5 recommends."""


@page(PUBLIC, caching=None)
def security_txt(request: OfficeRequest) -> HttpResponse:
    """security.txt (RFC 9116) with SECURITY_CONTACT; 404 if that is not set."""
    contact = settings.SECURITY_CONTACT
    if not contact:
        raise Http404
    day = timezone.now().date() + SECURITY_TXT_LIFETIME
    fields = {
        "Contact": (contact if ":" in contact else f"mailto:{contact}"),
        "Expires": timezone.make_aware(datetime.combine(day, time())).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "Preferred-Languages": "en",
        "Canonical": request.build_absolute_uri(request.path),
    }
    return _plain_text("".join(f"{name}: {value}\n" for name, value in fields.items()))


class StaticFiles(CompressedManifestStaticFilesStorage):
    """Compressed files named by their content; a file that was not collected is no error."""

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Join the style sheets of all pages before files are renamed, if all were collected."""
        if not dry_run and set(STYLES) <= paths.keys():
            self.delete(ALL_STYLES)
            self._save(ALL_STYLES, ContentFile(b"".join(_read(*paths[sheet]) for sheet in STYLES)))
            paths = {**paths, ALL_STYLES: (self, ALL_STYLES)}
        yield from super().post_process(paths, dry_run, **options)

    def stored_name(self, name: str) -> str:
        try:
            stored: str = super().stored_name(name)
        except ValueError:  # it was not collected
            return name
        return stored


def _read(storage: Any, path: str) -> bytes:
    with storage.open(path) as file:
        return bytes(file.read())
