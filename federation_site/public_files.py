"""Files that are the same for every visitor: static files, the icon, robots.txt and security.txt."""

import fcntl
import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import brotli
import structlog
from django.conf import settings
from django.core.files.base import ContentFile
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template import loader
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.cache import patch_cache_control
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

from players import kept_pages
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


log = structlog.get_logger("federation_site.public_files")


UNPACK: dict[str, Callable[[bytes], bytes]] = {".br": brotli.decompress, ".gz": gzip.decompress}


class LazyCompressor(Compressor):
    """Compresses what was not compressed before: that takes seconds at each start of an office."""

    def compress(self, path: str) -> list[str]:
        kept = [f"{path}{suffix}" for suffix in UNPACK if has_content_of(path, suffix)]
        return kept if len(kept) == len(UNPACK) else list(super().compress(path))


def has_content_of(path: str, suffix: str) -> bool:
    """Whether the compressed file beside a file has its content: a process that ended may have left less."""
    try:
        return UNPACK[suffix](Path(path + suffix).read_bytes()) == Path(path).read_bytes()
    except (OSError, EOFError, zlib.error, brotli.error):
        return False


class StaticFiles(CompressedManifestStaticFilesStorage):
    """Compressed files named by their content; a file that was not collected is no error."""

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Join the style sheets of all pages before files are renamed, if all were collected."""
        if not dry_run and set(STYLES) <= paths.keys():
            self.delete(ALL_STYLES)
            self._save(ALL_STYLES, ContentFile(b"".join(_read(*paths[sheet]) for sheet in STYLES)))
            paths = {**paths, ALL_STYLES: (self, ALL_STYLES)}
        yield from super().post_process(paths, dry_run, **options)

    def create_compressor(self, **options: Any) -> Compressor:
        return LazyCompressor(**options)

    def stored_name(self, name: str) -> str:
        try:
            stored: str = super().stored_name(name)
        except ValueError:  # it was not collected
            return name
        return stored


def _read(storage: Any, path: str) -> bytes:
    with storage.open(path) as file:
        return bytes(file.read())


# ---- What the proxy answers by itself
PROXY_PAGES = {
    400: "400.html",
    408: "408.html",
    413: "413.html",
    414: "414.html",
    429: "429.html",
    503: "office_away.html",
}
"""The templates of pages for what `deploy/nginx/office.conf` refuses before the office sees it, by status."""
LOCK_FILE = ".being-laid-out"


def lay_out_for_proxy() -> None:
    """Write the proxy's error pages in each language and the collected style into `KEPT_DIR`, if the operator
    named one. Kept pages that need an earlier style go with it.
    """
    if not settings.KEPT_FOR_PROXY:
        return
    folder = Path(settings.KEPT_DIR)
    try:
        kept_pages.make_folder(folder)
        with (folder / LOCK_FILE).open("a") as lock:
            fcntl.flock(
                lock, fcntl.LOCK_EX
            )  # web processes start together, and would delete what others write
            _lay_out(folder, settings.STATIC_ROOT)
    except OSError:
        log.exception("the proxy's pages could not be written")


def _lay_out(folder: Path, collected: Path) -> None:
    for name, content in _proxy_pages():
        _write_if_other(folder / "errors" / name, content)
    style = {path.relative_to(collected) for path in collected.rglob("*") if path.is_file()}
    for path in style:
        _write_if_other(folder / "static" / path, (collected / path).read_bytes())
    there = {path for path in (folder / "static").rglob("*") if path.is_file()}
    if old := {path for path in there if path.relative_to(folder / "static") not in style}:
        kept_pages.forget()
        for path in old:
            path.unlink(missing_ok=True)


def _proxy_pages() -> Iterator[tuple[str, bytes]]:
    """The names and contents of the error pages."""
    for status, template in PROXY_PAGES.items():
        for code, _name in settings.LANGUAGES:
            with translation.override(code):
                yield f"{status}.{code}.html", loader.get_template(template).render().encode()


def _write_if_other(path: Path, content: bytes) -> None:
    with suppress(OSError):
        if path.read_bytes() == content:
            return
    kept_pages.make_folder(path.parent)
    unfinished = path.with_name(f".{uuid4().hex}")
    unfinished.write_bytes(content)
    unfinished.chmod(0o644)
    unfinished.replace(path)
