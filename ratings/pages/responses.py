"""Responses: cached pages and parts of pages, files, and Atom feeds.

Public pages change only by a decision, a fold or a new day. The ledger counts the first two, so a page stays
cached while the office's record is unchanged, and looking that up costs one small query. Each web process
keeps the pages of anonymous visitors for the next one. Pages for signed-in users are never shared.
"""

import gzip
import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time
from functools import cache, wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeGuard, TypeVar

import brotli
from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.http.request import split_domain_port
from django.urls import get_script_prefix
from django.utils import translation
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.feedgenerator import Atom1Feed
from django.utils.http import quote_etag
from django.utils.translation import get_language

from players import kept_pages
from players.access import OfficeRequest
from players.languages import path_in_language, split_language
from players.models import Federation, Ledger
from players.pages.encodings import accepted_encoding, can_compress, compress_content, set_encoding_headers
from players.settings import today, today_for_ruleset

P = ParamSpec("P")
T = TypeVar("T")
View = Callable[Concatenate[OfficeRequest, P], HttpResponseBase]

PROGRAM_FOLDERS = ("templates", "static", "locale", "federation_site", "ratings", "tournaments", "players")
"""Folders with all files from which pages are made."""
FRESH_SECONDS = 60
"""Seconds for which browsers and proxies may reuse a page without asking."""
KEPT_SECONDS = 600
"""Seconds for which a web process keeps a response; its etag says whether it is still current."""
UNPACK: Mapping[str, Callable[[bytes], bytes]] = {"br": brotli.decompress, "gzip": gzip.decompress, "": bytes}
"""Functions to decompress a kept response, by encoding."""
IMPERSONAL_COOKIES = {settings.LANGUAGE_COOKIE_NAME}
"""Cookies that do not identify a visitor."""
LEDGER_STATE_FIELDS = ("decisions", "facts", "done", "wanted", "signed", "restored_at")
"""The ledger's fields, of which at least one changes with anything that the public sees of an office."""


class KeptUnder(NamedTuple):
    """The state of the record in which a response was kept, and its key in the cache."""

    office: Federation | None
    records: object
    etag: str
    encoding: str


def cached_page(view: View[P]) -> View[P]:
    """Decorate a public view: readers who have the current page get 304. For `caching` of `@page(PUBLIC)`."""

    @wraps(view)
    def inner(request: OfficeRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if request.user.is_authenticated:
            # Read before the page is made: a kept part may be newer than its state, never older.
            _state(request)
            response = view(request, *args, **kwargs)
            patch_cache_control(response, private=True, no_cache=True)
            return response
        with kept_pages.open_folder() as folder:
            etag = f"W/{quote_etag(etag_of(request))}"  # weak: the same page travels in several encodings
            response = get_conditional_response(request, etag=etag)
            response = response or _page(view, etag, folder, request, *args, **kwargs)
        response.headers.setdefault("ETag", etag)
        if response.status_code in (200, 304):
            patch_cache_control(response, public=True, max_age=FRESH_SECONDS)
            patch_vary_headers(response, ("Cookie", "Accept-Language"))
        return response

    return inner


def _page(
    view: View[P],
    etag: str,
    folder: kept_pages.Folder | None,
    request: OfficeRequest,
    /,
    *args: P.args,
    **kwargs: P.kwargs,
) -> HttpResponseBase:
    """The response kept by this process under the same etag, or a new one from the view.

    Only addresses without a query are kept, which nobody can invent, and only for and from visitors with no
    cookie but that of their language, which is part of the etag. `folder`: gets a copy of a new one.
    """
    impersonal = request.method == "GET" and request.COOKIES.keys() <= IMPERSONAL_COOKIES
    if not impersonal or request.GET or "HX-Request" in request.headers:
        response = view(request, *args, **kwargs)
        if impersonal:
            _keep_copy(folder, request, response)
        return response
    encoding = accepted_encoding(request)
    if (kept := find_cached_response(etag, encoding)) is not None:
        return _mark_kept(kept, etag, request)
    response = view(request, *args, **kwargs)
    if _is_shareable(response, request):
        _keep_copy(folder, request, response)
        _keep(etag, encoding, response)
        return _mark_kept(response, etag, request)
    return response


def _mark_kept(response: HttpResponse, etag: str, request: OfficeRequest) -> HttpResponse:
    """Set on a kept response what `answer_kept_pages` needs to send it again without the view."""
    office: Federation | None = getattr(request, "office", None)
    bare_office = office and Federation(pk=office.pk, ruleset_slug=office.ruleset_slug)
    record: object = request.public_records  # type: ignore[attr-defined]
    response.kept_under = KeptUnder(bare_office, record, etag, accepted_encoding(request))  # type: ignore[attr-defined]
    return response


def find_cached_response(etag: str, encoding: str) -> HttpResponse | None:
    """The response kept under an etag, decompressed and compressed again if it was kept in another encoding;
    None if none is kept.
    """
    found = caches["answers"].get_many([f"{each}{etag}" for each in (encoding, *UNPACK)])
    if (own := found.get(f"{encoding}{etag}")) is not None:
        content, headers = own
        return HttpResponse(content, headers=headers)
    for each, unpack in UNPACK.items():
        if (other := found.get(f"{each}{etag}")) is not None:
            content, headers = other
            response = HttpResponse(unpack(content), headers=headers)
            response.headers.pop("Content-Encoding", None)
            _keep(etag, encoding, response)
            return response
    return None


def _keep(etag: str, encoding: str, response: HttpResponse) -> None:
    """Compress a response if it is text, and keep it for the next reader who accepts this encoding."""
    if encoding and can_compress(response):
        response.content = compress_content(response.content, encoding)
        set_encoding_headers(response, encoding)
    kept = response.content, dict(response.items())
    caches["answers"].set(f"{encoding}{etag}", kept, KEPT_SECONDS)


def _keep_copy(folder: kept_pages.Folder | None, request: OfficeRequest, response: HttpResponseBase) -> None:
    """Lay down a copy of a whole page for when the office is away, unless the reader has a cookie or ratings
    are being computed: then parts of the page may be older than the record.
    """
    if folder is None or request.COOKIES or "HX-Request" in request.headers:
        return
    if not _is_shareable(response, request) or not response["Content-Type"].startswith("text/html"):
        return
    office: Federation | None = getattr(request, "office", None)
    if office and is_computing(request):
        return
    if not office and any(_is_pending(figures) for _slug, *figures, _day in request.public_records):  # type: ignore[attr-defined]
        return
    path = request.path
    if office is None and not split_language(path)[0]:  # its language is that of the reader's browser
        path = path_in_language(translation.get_language() or "", path)
    host, _port = split_domain_port(request.get_host())
    folder.keep(kept_pages.copy_name(host, path, request.META.get("QUERY_STRING", "")), response.content)


def _is_shareable(response: HttpResponseBase, request: OfficeRequest) -> TypeGuard[HttpResponse]:
    """Whether the next visitor may get this response: it is complete, and has no cookie or CSRF token."""
    whole = isinstance(response, HttpResponse) and response.status_code == 200
    return whole and not response.cookies and "CSRF_COOKIE" not in request.META


def cached_part(
    request: OfficeRequest,
    name: str,
    make: Callable[[], T],
    cache_alias: str = "answers",
    *,
    ignores_record: bool = False,
) -> T:
    """A part of a page, made by `make` once for each state of the record.

    `name`: identifies the part, and must not depend on who asks. `cache_alias`: the cache that keeps it.
    `ignores_record`: whether it depends on its name alone, not on the record.
    None is not kept: made-up addresses, of which there is no end, would push the others out.
    """
    state = _build() if ignores_record else _state(request)
    office: Federation | None = getattr(request, "office", None)
    office_key = office.pk if office else ""  # two young offices may have the very same figures
    key = hashlib.sha256(f"{state} {office_key} {request.get_host()} {name}".encode()).hexdigest()
    part: T | None = caches[cache_alias].get(key)
    if part is None:
        part = make()
        if part is not None:
            caches[cache_alias].set(key, part, KEPT_SECONDS)
    return part


def use_cached_regions(request: OfficeRequest) -> None:
    """Set the kept regions and their names on the office of a request, as its cached properties."""
    office = request.office
    office.regions_by_key, office.region_names = cached_part(
        request, "regions", lambda: (office.regions_by_key, office.region_names)
    )


def cache_forever(response: HttpResponseBase) -> HttpResponseBase:
    """Mark a response as never changing, so that browsers keep it for a year.

    It must not name players, since a name may be withheld later.
    """
    patch_cache_control(response, public=True, max_age=365 * 24 * 3600, immutable=True)
    return response


def etag_of(request: OfficeRequest) -> str:
    content = f"{_state(request)} {request.build_absolute_uri()}"
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def _state(request: OfficeRequest) -> str:
    """All that a public page depends on beside its address: program, record, day, language, and URL prefix.

    It is looked up once for a request. A page of no office depends on the records of all.
    """
    known: str | None = getattr(request, "public_state", None)
    if known is None:
        record = get_record_state(getattr(request, "office", None))
        known = f"{_build()} {record} {translation.get_language()} {get_script_prefix()}"
        request.public_records = record  # type: ignore[attr-defined]
        request.public_state = known  # type: ignore[attr-defined]
    return known


def is_computing(request: OfficeRequest) -> bool:
    """Whether the office's ratings are being computed, by the ledger as read once for this request."""
    _state(request)
    figures, _day = request.public_records  # type: ignore[attr-defined]
    return _is_pending(figures)


def _is_pending(figures: Sequence[Any]) -> bool:
    ledger = dict(zip(LEDGER_STATE_FIELDS, figures, strict=True))
    return bool(ledger["done"] < ledger["wanted"])


def get_record_state(office: Federation | None) -> object:
    """The state of the record of an office, or of each office, with its present day."""
    if office is not None:
        ledger = Ledger.objects.filter(federation=office)
        return ledger.values_list(*LEDGER_STATE_FIELDS).first(), today(office)
    ledgers = Ledger.objects.order_by("federation_id").values_list(
        "federation__ruleset_slug", *LEDGER_STATE_FIELDS
    )
    return [(*row, today_for_ruleset(row[0])) for row in ledgers]


@cache
def _build() -> int:
    """The time of the newest change to a file of the program, for etags: a new version shows at once."""
    files = (
        path
        for folder in PROGRAM_FOLDERS
        for path in (settings.ROOT / folder).rglob("*")
        if path.suffix in (".html", ".py", ".po", ".css", ".js")
    )
    return max(path.stat().st_mtime_ns for path in files)


# ---- Files for download
UNINDEXED = {"X-Robots-Tag": "noindex"}
"""Keeps files out of search engines, since they name children."""


def unindexed_file_response(content: bytes, media_type: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', **UNINDEXED}
    return HttpResponse(content, content_type=media_type, headers=headers)


# ---- Atom feeds
NEVER = datetime.fromtimestamp(0, UTC)
MOST_FEED_ENTRIES = 30
"""The most entries of a feed."""


class AtomFeed(Atom1Feed):
    """A feed of an office. An empty one has a fixed date, so that its bytes are always the same."""

    def __init__(self, request: HttpRequest, *, title: str, description: str, page: str) -> None:
        """Begin the feed of the request's address; `page`: the path of the page with the same content."""
        self.address = request.build_absolute_uri
        super().__init__(
            title=title,
            link=self.address(page),
            feed_url=self.address(request.path),
            description=description,
            language=get_language() or "en",
        )

    def entry(self, *, title: str, url: str, words: str, at: datetime, mark: str = "") -> None:
        """Add an entry; `mark` distinguishes entries with the same URL."""
        link = self.address(url)
        self.add_item(
            title=title,
            link=link,
            description=words,
            unique_id=f"{link}{mark}",
            pubdate=at,
            updateddate=at,
        )

    def latest_post_date(self) -> datetime:
        return max((item["updateddate"] for item in self.items), default=NEVER)

    def answer(self) -> HttpResponse:
        return HttpResponse(self.writeString("utf-8"), content_type="application/atom+xml; charset=utf-8")


def noon_of(day: date | None) -> datetime:
    """The time in a feed for a day whose time the record does not have."""
    return datetime.combine(day, time(12), UTC) if day else NEVER


# ---- The middleware that sends kept pages ahead of sessions and views
GetResponse = Callable[[HttpRequest], HttpResponseBase]
MOST_LANGUAGE_CHARACTERS = 100
"""The longest `Accept-Language` by which pages are kept apart; a longer one is left to the view."""


class KeptPage(NamedTuple):
    """The response kept for an address."""

    under: KeptUnder
    headers: Mapping[str, str]
    """All headers of the response, with those of the middleware below this one."""
    language: str
    """The language of the page, which the middleware above puts in a header."""


def answer_kept_pages(get_response: GetResponse) -> GetResponse:
    """Make a middleware that sends kept pages to visitors without a cookie.

    `cached_page` keeps the response; the middleware keeps its address and the state of the record. One query
    tells whether the record is still in that state, so that a change is shown at once.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        key = _key(request)
        if not key:
            return get_response(request)
        found: KeptPage | None = caches["doors"].get(key)
        if found and (answer := _kept_response(found, request)) is not None:
            return answer
        response = get_response(request)
        if (under := getattr(response, "kept_under", None)) is not None:
            page = KeptPage(under, dict(response.items()), translation.get_language() or "")
            caches["doors"].set(key, page, KEPT_SECONDS)
        return response

    return middleware


def _key(request: HttpRequest) -> str:
    """The key of an anonymous visitor's request: address, languages and encoding; empty where the visitor may
    not be anonymous or the address has a query.
    """
    meta, languages = request.META, request.META.get("HTTP_ACCEPT_LANGUAGE", "")
    plain = request.method == "GET" and not meta.get("QUERY_STRING") and not meta.get("HTTP_COOKIE")
    if not plain or "HTTP_HX_REQUEST" in meta or len(languages) > MOST_LANGUAGE_CHARACTERS:
        return ""
    asked = f"{accepted_encoding(request)} {request.scheme}://{request.get_host()}{request.path} {languages}"
    return hashlib.sha256(asked.encode()).hexdigest()


def _kept_response(page: KeptPage, request: HttpRequest) -> HttpResponseBase | None:
    """The kept response, or 304 for readers who have it; None if the record or the day has changed."""
    office, known, etag, encoding = page.under
    if get_record_state(office) != known or (response := find_cached_response(etag, encoding)) is None:
        return None
    translation.activate(page.language)
    for name, value in page.headers.items():
        response.headers[name] = value
    return get_conditional_response(request, etag=etag, response=response)
