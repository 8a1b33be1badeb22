"""Answers to requests: cached pages and parts of pages, files, and Atom feeds.

What the public sees changes only by a decision, a fold or a new day: the ledger counts the first two, and
some ratings move with the calendar. So a page is cached as long as the office's record is unchanged, and a
second look costs one small query. People who are signed in get pages of their own, which nobody else may
keep. What strangers ask for, each web process keeps for the next stranger, as long as it is fresh.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time
from functools import cache, wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeGuard, TypeVar

import brotli
from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import get_script_prefix
from django.utils import translation
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.feedgenerator import Atom1Feed
from django.utils.http import quote_etag
from django.utils.translation import get_language

from players.access import OfficeRequest
from players.models import Federation, Ledger
from players.pages.encodings import accepted_encoding, encode, mark_encoded, may_be_encoded
from players.settings import today, today_under

P = ParamSpec("P")
T = TypeVar("T")
View = Callable[Concatenate[OfficeRequest, P], HttpResponseBase]

BUILD = ("templates", "static", "locale", "federation_site", "ratings", "tournaments", "players")
"""Folders with all that a page is made of."""
FRESH = 60
"""Seconds during which a reader need not ask again."""
KEPT_SECONDS = 600
"""Seconds for which a web process keeps an answer: its etag alone says whether it still holds."""
UNPACK: Mapping[str, Callable[[bytes], bytes]] = {"br": brotli.decompress, "gzip": gzip.decompress, "": bytes}
"""The way from a kept answer to what it says, by encoding."""
FOR_EVER = 365 * 24 * 3600
NAMES_NOBODY = {settings.LANGUAGE_COOKIE_NAME}
"""Cookies with which a visitor is still anybody."""
COUNTED = ("decisions", "facts", "done", "wanted", "signed", "restored_at")
"""The ledger's figures, of which one moves with whatever the public sees of an office."""


class KeptUnder(NamedTuple):
    """The state of the record in which an answer was kept, and what it is called in the cache."""

    office: Federation | None
    records: object
    etag: str
    encoding: str


def cached_page(view: View[P]) -> View[P]:
    """Decorate a public view, of an office or of all: readers who hold the current page get 304. Stands below
    `@public`.
    """

    @wraps(view)
    def inner(request: OfficeRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if request.user.is_authenticated:
            _state(
                request
            )  # before the page is made: a part that is kept may be newer than it says, not older
            response = view(request, *args, **kwargs)
            patch_cache_control(response, private=True, no_cache=True)
            return response
        etag = f"W/{quote_etag(etag_of(request))}"  # weak: the same page travels in several encodings
        response = get_conditional_response(request, etag=etag) or _page(view, etag, request, *args, **kwargs)
        response.headers.setdefault("ETag", etag)
        if response.status_code in (200, 304):
            patch_cache_control(response, public=True, max_age=FRESH)
            patch_vary_headers(response, ("Cookie", "Accept-Language"))
        return response

    return inner


def _page(
    view: View[P], etag: str, request: OfficeRequest, /, *args: P.args, **kwargs: P.kwargs
) -> HttpResponseBase:
    """The answer of a public view: the one that this process gave a stranger shortly before under the same
    etag, or a new one.

    Only plain addresses are kept, which nobody can invent, and only for and from visitors with no cookie but
    that of their language: the etag names it.
    """
    plain = request.method == "GET" and not request.GET and request.COOKIES.keys() <= NAMES_NOBODY
    if not plain or "HX-Request" in request.headers:
        return view(request, *args, **kwargs)
    encoding = accepted_encoding(request)
    if (found := kept_answer(etag, encoding)) is not None:
        return _signed(found, etag, request)
    response = view(request, *args, **kwargs)
    if _for_everybody(response, request):
        _keep(etag, encoding, response)
        return _signed(response, etag, request)
    return response


def _signed(response: HttpResponse, etag: str, request: OfficeRequest) -> HttpResponse:
    """Note on a kept answer what `answer_kept_pages` needs to give it again without the view."""
    office: Federation | None = getattr(request, "office", None)
    alone = office and Federation(pk=office.pk, ruleset_slug=office.ruleset_slug)
    record: object = request.public_records  # type: ignore[attr-defined]
    response.kept_under = KeptUnder(alone, record, etag, accepted_encoding(request))  # type: ignore[attr-defined]
    return response


def kept_answer(etag: str, encoding: str) -> HttpResponse | None:
    """The answer kept under an etag as it lies there, compressed; or unpacked, where it was kept for others
    who take another encoding; None where none is kept.
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
    """Compress an answer as its reader wants it, if it is text, and keep it for the next reader of that
    encoding. Whatever travels as it is, is kept for them alone.
    """
    if encoding and may_be_encoded(response):
        response.content = encode(response.content, encoding)
        mark_encoded(response, encoding)
    kept = response.content, dict(response.items())
    caches["answers"].set(f"{encoding}{etag}", kept, KEPT_SECONDS)


def _for_everybody(response: HttpResponseBase, request: OfficeRequest) -> TypeGuard[HttpResponse]:
    """Whether the next stranger may get this very answer: it is whole, and has nobody's cookie or token."""
    whole = isinstance(response, HttpResponse) and response.status_code == 200
    return whole and not response.cookies and "CSRF_COOKIE" not in request.META


def kept_part(
    request: OfficeRequest, name: str, make: Callable[[], T], place: str = "answers", *, frozen: bool = False
) -> T:
    """Parts that a page shows beside its main matter, made once for each state of the record.

    `name`: says what it is, and of what. It must not depend on who asks. `place`: the cache that it lies in.
    `frozen`: whether it follows from its name alone, whatever the record says later.
    None is not kept: addresses of nothing, which anybody can invent, would push the others out.
    """
    state = _build() if frozen else _state(request)
    office: Federation | None = getattr(request, "office", None)
    of = office.pk if office else ""  # two young offices may have the very same figures
    key = hashlib.sha256(f"{state} {of} {request.get_host()} {name}".encode()).hexdigest()
    found: T | None = caches[place].get(key)
    if found is None:
        found = make()
        if found is not None:
            caches[place].set(key, found, KEPT_SECONDS)
    return found


def keep_regions(request: OfficeRequest) -> None:
    """Give the office of a request its regions and their names as they are kept for all pages."""
    office = request.office
    kept = kept_part(request, "regions", lambda: (office.regions_by_key, office.region_names))
    vars(office)["regions_by_key"], vars(office)["region_names"] = kept


def for_ever(response: HttpResponseBase) -> HttpResponseBase:
    """Mark a response as never changing, so that browsers keep it without asking again. It may name nobody: a
    name may be withheld later.
    """
    patch_cache_control(response, public=True, max_age=FOR_EVER, immutable=True)
    return response


def etag_of(request: OfficeRequest, **_place: object) -> str:
    said = f"{_state(request)} {request.build_absolute_uri()}"
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def _state(request: OfficeRequest) -> str:
    """All that a public page follows from beside its address: program, record, day, language, and what its
    links begin with. Looked up once for a request. A page of no office follows from the records of all.
    """
    known: str | None = getattr(request, "public_state", None)
    if known is None:
        record = records(getattr(request, "office", None))
        known = f"{_build()} {record} {translation.get_language()} {get_script_prefix()}"
        request.public_records = record  # type: ignore[attr-defined]
        request.public_state = known  # type: ignore[attr-defined]
    return known


def is_computing(request: OfficeRequest) -> bool:
    """Whether the office's ratings are being computed, by the ledger as it was looked up for this request."""
    _state(request)
    figures, _day = request.public_records  # type: ignore[attr-defined]
    ledger = dict(zip(COUNTED, figures, strict=True))
    return bool(ledger["done"] < ledger["wanted"])


def records(office: Federation | None) -> object:
    """The state of the record of an office, or of each office, and the day that it is there."""
    if office is not None:
        ledger = Ledger.objects.filter(federation=office)
        return ledger.values_list(*COUNTED).first(), today(office)
    ledgers = Ledger.objects.order_by("federation_id").values_list("federation__ruleset_slug", *COUNTED)
    return [(*row, today_under(row[0])) for row in ledgers]


@cache
def _build() -> int:
    """The time of the newest change to a file of templates, words, static files or code: part of every page's
    etag, so that a new version of the program shows at once.
    """
    places = [settings.ROOT / each for each in BUILD]
    files = (
        path
        for place in places
        for path in place.rglob("*")
        if path.suffix in (".html", ".py", ".po", ".css", ".js")
    )
    return max(path.stat().st_mtime_ns for path in files)


# ---- Files for download.
UNINDEXED = {"X-Robots-Tag": "noindex"}
"""Files name children: search engines are to leave them out."""


def file_response(content: bytes, media_type: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', **UNINDEXED}
    return HttpResponse(content, content_type=media_type, headers=headers)


# ---- Atom feeds: what is new, for programs that ask again and again.
NEVER = datetime.fromtimestamp(0, UTC)
NEWEST = 30
"""The most entries of a feed."""


class AtomFeed(Atom1Feed):
    """A feed of an office. An empty one has a fixed date, so that its bytes are always the same."""

    def __init__(self, request: HttpRequest, *, title: str, description: str, page: str) -> None:
        """Begin the feed of the address asked for; `page` has the same for people."""
        self.address = request.build_absolute_uri
        super().__init__(
            title=title,
            link=self.address(page),
            feed_url=self.address(request.path),
            description=description,
            language=get_language() or "en",
        )

    def entry(self, *, title: str, url: str, words: str, at: datetime, mark: str = "") -> None:
        """Add an entry. `mark`: tells it from others of the same address."""
        link = self.address(url)
        told: dict[str, Any] = {"description": words, "pubdate": at, "updateddate": at}
        self.add_item(title=title, link=link, unique_id=f"{link}{mark}", **told)

    def latest_post_date(self) -> datetime:
        return max((item["updateddate"] for item in self.items), default=NEVER)

    def answer(self) -> HttpResponse:
        return HttpResponse(self.writeString("utf-8"), content_type="application/atom+xml; charset=utf-8")


def noon_of(day: date | None) -> datetime:
    """The time that a feed tells of something of which the record knows the day alone."""
    return datetime.combine(day, time(12), UTC) if day else NEVER


# ---- Give strangers the page that another one was given shortly before, ahead of sessions and views.
# `cached_page` keeps the answer; this part notes its address and the state of the record. One query tells
# whether the record is still in that state, so that a change is shown at once.
GetResponse = Callable[[HttpRequest], HttpResponseBase]
LONGEST_WISH = 100
"""Characters of a reader's languages, which tell addresses apart; who names more waits for the view."""


class KeptPage(NamedTuple):
    """An address at which a page was given to a stranger."""

    under: KeptUnder
    headers: Mapping[str, str]
    """All headers of that answer, those of the middleware below this one too."""
    language: str
    """The language in which it speaks, the reader's or the office's, as the middleware above says it."""


def answer_kept_pages(get_response: GetResponse) -> GetResponse:
    """Make a middleware that gives kept pages to visitors without a cookie, and notes those that are kept."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        key = _key(request)
        if not key:
            return get_response(request)
        found: KeptPage | None = caches["doors"].get(key)
        if found and (answer := _given_again(found, request)) is not None:
            return answer
        response = get_response(request)
        if (under := getattr(response, "kept_under", None)) is not None:
            page = KeptPage(under, dict(response.items()), translation.get_language() or "")
            caches["doors"].set(key, page, KEPT_SECONDS)
        return response

    return middleware


def _key(request: HttpRequest) -> str:
    """The address as a stranger asks for it: where, in which languages and which encoding; empty where this
    may be no stranger, or is no plain address.
    """
    meta, languages = request.META, request.META.get("HTTP_ACCEPT_LANGUAGE", "")
    plain = request.method == "GET" and not meta.get("QUERY_STRING") and not meta.get("HTTP_COOKIE")
    if not plain or "HTTP_HX_REQUEST" in meta or len(languages) > LONGEST_WISH:
        return ""
    asked = f"{accepted_encoding(request)} {request.scheme}://{request.get_host()}{request.path} {languages}"
    return hashlib.sha256(asked.encode()).hexdigest()


def _given_again(page: KeptPage, request: HttpRequest) -> HttpResponseBase | None:
    """The page as it was given before, or 304 for who has it; None if the record moved on or a day ended."""
    office, known, etag, encoding = page.under
    if records(office) != known or (response := kept_answer(etag, encoding)) is None:
        return None
    translation.activate(page.language)
    for name, value in page.headers.items():
        response.headers[name] = value
    return get_conditional_response(request, etag=etag, response=response)
