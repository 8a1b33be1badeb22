"""Files that are the same for every visitor: static files, the icon, robots.txt and security.txt.

Static files are collected, named by their content, and compressed, as web servers hand them out.
"""

from __future__ import annotations

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

from players.access import OfficeRequest, public
from players.templatetags.ui import ALL_STYLES, STYLES


@public
def favicon(request: OfficeRequest) -> HttpResponseBase:
    """Lead to the icon among the static files, whose address is another with each version."""
    response = redirect(static("favicon.ico"))
    patch_cache_control(response, public=True, max_age=86400)
    return response


RULES = (
    "Disallow: /accounts/",
    "Disallow: /api/",
    # Lists of women or of an age, and searches by name: the pages that they lead to are open.
    "Disallow: /*?*sex=",
    "Disallow: /*?*age=",
    "Disallow: /*?*q=",
    "Disallow: /*?*find=",
    "Disallow: /*?*player=",
    # The same lists in other orders and views.
    "Disallow: /*?*sort=",
    "Disallow: /*?*only=",
    # Whole lists and the record as files: they name children too.
    "Disallow: /*/lists/*/r*/*.",
    "Disallow: /*/dump/",
    "Disallow: /*.csv",
    "Disallow: /*.trf",
    "Disallow: /*.elo",
    "Disallow: /*.ndjson",
)


@public
def robots(request: OfficeRequest) -> HttpResponse:
    """robots.txt, the same for every robot and every office on this site."""
    sitemap = request.build_absolute_uri(reverse("ratings:sitemaps"))
    text = "\n".join(("User-agent: *", *RULES, "", f"Sitemap: {sitemap}", ""))
    return HttpResponse(
        text, content_type="text/plain; charset=utf-8", headers={"Cache-Control": "max-age=86400"}
    )


# ---- security.txt (RFC 9116): whom to tell of a hole in this office.
GOOD_FOR = timedelta(days=180)
"""RFC 9116 §2.5.5: less than a year; made anew with each answer, it runs out with the office alone."""


@public
def security_txt(request: OfficeRequest) -> HttpResponse:
    """security.txt with the contact of SECURITY_CONTACT; 404 where none is set."""
    if not settings.SECURITY_CONTACT:
        raise Http404
    day = timezone.now().date() + GOOD_FOR
    contact = settings.SECURITY_CONTACT
    fields = {
        "Contact": (contact if ":" in contact else f"mailto:{contact}"),
        "Expires": timezone.make_aware(datetime.combine(day, time())).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "Preferred-Languages": "en",
        "Canonical": request.build_absolute_uri(request.path),
    }
    text = "".join(f"{name}: {value}\n" for name, value in fields.items())
    return HttpResponse(
        text, content_type="text/plain; charset=utf-8", headers={"Cache-Control": "max-age=86400"}
    )


class StaticFiles(CompressedManifestStaticFilesStorage):
    """Names static files by their content; a page is shown even if a file of it was not collected."""

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Write the style sheets of every page in one before files are named, where all were collected."""
        if not dry_run and set(STYLES) <= paths.keys():
            self.delete(ALL_STYLES)
            self._save(ALL_STYLES, ContentFile(b"".join(self._bytes(*paths[sheet]) for sheet in STYLES)))
            paths = {**paths, ALL_STYLES: (self, ALL_STYLES)}
        yield from super().post_process(paths, dry_run, **options)

    def _bytes(self, storage: Any, path: str) -> bytes:
        with storage.open(path) as sheet:
            found: bytes = sheet.read()
            return found

    def stored_name(self, name: str) -> str:
        """A static file's name with the digest of its content; the plain one if it was not collected."""
        try:
            stored: str = super().stored_name(name)
        except ValueError:
            return name
        return stored
