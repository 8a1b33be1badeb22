"""Pages of published rating lists: days, one list with its orders and views, downloads, print, comparison.

A published list never changes: its rows are kept as published, while personal data shown beside them are
what the public may know today.
"""

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from tempfile import SpooledTemporaryFile
from types import MappingProxyType
from typing import Any, BinaryIO, NamedTuple, cast
from urllib.parse import urlencode as url_query

from django.db.models import Count, Exists, F, Max, OuterRef, Q
from django.http import Http404, HttpResponseBase, QueryDict, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.functional import Promise
from django.utils.http import http_date, quote_etag, urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_lazy, pgettext_lazy

from players.access import PUBLIC, OfficeRequest, page
from players.models import Federation, Player
from players.names import parse_query
from players.pages.forms import parse_number
from players.pages.tables import ROWS as ROWS_A_PAGE, LastPagePaginator
from players.settings import today
from players.templatetags.ui import grouped
from players.writing import batches
from ratings.disclosure import limits_of, redact_withheld_names
from ratings.lists import ListComparison, compare_places, find_next_list_day, get_places
from ratings.models import DaysTakenOver, Gained, ListRow, ListRowQuerySet, RatingList, RatingListQuerySet
from ratings.pages.errata import (
    CorrectionReach,
    compute_all_reaches,
    count_differing_rows,
    errata_taken_in,
    get_later_corrections,
)
from ratings.pages.filters import ListFilter, parse_day
from ratings.pages.proof import checkpoint_of, proof_of
from ratings.pages.responses import (
    FRESH_SECONDS,
    UNINDEXED,
    cache_forever,
    cached_page,
    cached_part,
    unindexed_file_response,
    use_cached_regions,
)
from ratings.pages.rule_tables import label_of
from ratings.pages.tables import FurtherColumn, ListTable, get_track_or_404, sort_into_groups
from ratings.program import get_program_version_and_hash, program_file_name
from ratings.public_tables import download_rows, with_days_taken_over
from ratings.rulesets.downloads import COMMON_DOWNLOADS, FURTHER, Column, Download, DownloadHead, DownloadRow
from ratings.rulesets.profile import equipment_of

# ---- Downloads of a published list
AT_ONCE = 500
"""The number of rows whose particulars are looked up together."""
MAX_IN_MEMORY = 1_000_000
"""The most bytes of a file in memory; a longer one is written to disk."""
CHUNK_SIZE = 65_536


def downloads_of(federation: Federation, rating_list: RatingList, query: str = "") -> list[dict[str, str]]:
    """Return the links to a published list's files, the federation's own layouts first. `query`: of which
    rows of it.
    """
    asked = f"?{query}" if query else ""
    here = (federation.code, rating_list.label, rating_list.track, rating_list.revision)
    return [
        {
            "label": _(layout.label),
            "help": _(layout.help),
            "url": reverse("ratings:list_download", args=[*here, layout.code, layout.suffix]) + asked,
        }
        for layout in layouts_of(federation)
    ]


def layouts_of(federation: Federation) -> tuple[Download, ...]:
    return (*federation.publication.downloads, *COMMON_DOWNLOADS)


@page(PUBLIC, caching=cached_page)
def download(
    request: OfficeRequest, label: str, track: str, revision: int, code: str, suffix: str
) -> HttpResponseBase:
    """Download of a list; with the query of its page, of the rows that the page shows, in their order."""
    rating_list = _get_list(request, label, track, revision)
    chosen = Selection(request, rating_list)
    if not chosen.form.is_valid():
        raise Http404(_("There is no such choice."))
    for layout in layouts_of(request.office):
        if (layout.code, layout.suffix) == (code, suffix):
            head = replace(_download_head(rating_list), selection=chosen.query)
            name = f"{head.stem}{layout.mark}.{layout.suffix}"
            headers = {"Content-Disposition": f'attachment; filename="{name}"', **UNINDEXED}
            content = _stream(layout, head, rating_list, chosen.sorted_rows)
            return StreamingHttpResponse(content, content_type=layout.media_type, headers=headers)
    raise Http404(_("Lists are not offered in this layout."))


@page(PUBLIC, caching=None)
def content(request: OfficeRequest, label: str, track: str, revision: int) -> HttpResponseBase:
    """Download of a list's canonical bytes, whose checksum is public; they hold no names."""
    rating_list = _get_list(request, label, track, revision)
    etag, published = quote_etag(rating_list.sha256), int(rating_list.published_at.timestamp())
    unchanged = get_conditional_response(request, etag=etag, last_modified=published)
    name = f"{_download_head(rating_list).stem}.txt"
    response = unchanged or unindexed_file_response(
        bytes(rating_list.content), "text/plain; charset=utf-8", name
    )
    response["ETag"], response["Last-Modified"] = etag, http_date(published)
    return cache_forever(response)


def _stream(
    layout: Download, head: DownloadHead, rating_list: RatingList, rows: ListRowQuerySet
) -> Iterator[bytes]:
    """Yield the bytes of a list in a layout; the whole is written first, and a long one waits on disk."""
    with SpooledTemporaryFile(max_size=MAX_IN_MEMORY) as file:
        found = iter_download_rows(rating_list, layout.beside(rating_list.track), rows)
        layout.write(head, found, cast(BinaryIO, file))
        file.seek(0)
        while chunk := file.read(CHUNK_SIZE):
            yield chunk


def iter_download_rows(
    rating_list: RatingList, beside: Collection[str] = (), rows: ListRowQuerySet | None = None
) -> Iterator[DownloadRow]:
    """Yield the rows of a list for a download, in order, with what the public may know of players today.

    `beside`: other tracks whose ratings, from lists of the same day, are added to each row. `rows`: some of
    its rows, in their own order.
    """
    limits = limits_of(rating_list.federation)
    same_day = RatingList.objects.of(rating_list.federation).filter(on=rating_list.on, track__in=beside)
    others = dict(same_day.exclude(pk=rating_list.pk).current().values_list("pk", "track"))
    if rows is None:
        rows = ListRow.objects.filter(rating_list=rating_list).order_by("position")
    for some in batches(rows.select_related("player__region").iterator(AT_ONCE), AT_ONCE):
        ratings = _ratings_by_player(others, [row.player_id for row in some])
        for row, line in zip(some, download_rows(some, limits), strict=True):
            yield line._replace(beside=ratings[row.player_id])


def _ratings_by_player(tracks: dict[int, str], players: list[int]) -> dict[int, dict[str, Decimal]]:
    """The ratings of players, by track; `tracks`: those of the lists to read, by the lists' keys."""
    ratings: dict[int, dict[str, Decimal]] = defaultdict(dict)
    if tracks:
        rows = ListRow.objects.filter(rating_list__in=list(tracks), player_id__in=players)
        for rating_list, player, rating in rows.values_list("rating_list_id", "player_id", "rating"):
            ratings[player][tracks[rating_list]] = rating
    return ratings


def _get_list(request: OfficeRequest, label: str, track: str, revision: int) -> RatingList:
    lists = RatingList.objects.of(request.office).with_label(label).select_related("federation", "fact")
    return get_object_or_404(lists, track=track, revision=revision)


def _download_head(rating_list: RatingList) -> DownloadHead:
    ruleset = rating_list.federation.ruleset
    files_whole = equipment_of(ruleset).publication.whole_files
    return DownloadHead(
        federation=rating_list.federation.code,
        track=rating_list.track,
        on=rating_list.on,
        revision=rating_list.revision,
        edition=rating_list.edition,
        sha256=rating_list.sha256,
        line=rating_list.fact.number,
        program=program_file_name(*get_program_version_and_hash(rating_list)),
        checkpoint=signed.served if (signed := checkpoint_of(rating_list)) else "",
        note=redact_withheld_names(rating_list.federation, rating_list.note),
        decimals=0 if files_whole else equipment_of(ruleset).publication.decimals,
        every_digit=not files_whole,
    )


# ---- Orders of a published list, and its pages
LIST_ROWS_A_PAGE = 50
MOST_PLACE_DIGITS = 9
"""The digits of the last place that a list may have."""
PAGE_PARAMS = ("after", "before", "player")
"""The parameters of an address that choose the page of an order."""


class Places(NamedTuple):
    """The places of a list's rows in one order, in eight bytes each."""

    positions: Sequence[int]
    """The rows' positions in the list, in the order."""
    numbers: Sequence[int]
    """The rows' numbers in the order, by position; 0: the order has no such row."""

    def has(self, position: int | None) -> bool:
        return position is not None and position < len(self.numbers) and self.numbers[position] > 0

    def positions_after(self, position: int | None, backwards: bool, size: int) -> Sequence[int]:
        """Return `size` + 1 positions after a row, or before it with the nearest first.

        `position` None: from the beginning.
        """
        number = self.numbers[position] if position is not None else 0
        if backwards:
            return self.positions[max(0, number - size - 2) : max(0, number - 1)][::-1]
        return self.positions[number : number + size + 1]


@dataclass(frozen=True, slots=True)
class ListOrder:
    """An order of a list's rows. Ties stand in the list's order, and newcomers, who gained nothing, last."""

    name: str
    """The order in addresses; with `-` before it where the largest comes first."""
    keys: tuple[str, ...]
    """The fields of a row to order by, descending with `-`; the last is always the position."""

    @property
    def is_of_list(self) -> bool:
        """Whether it is the order of the list itself."""
        return self.keys == ("position",)

    @property
    def uses_names(self) -> bool:
        """Whether it orders by fields of players, which no index of the list's rows has and which change."""
        return any(key.lstrip("-").startswith("player__") for key in self.keys)

    def places(self, rows: ListRowQuerySet) -> Places:
        positions = array("I", self.sort(rows).values_list("position", flat=True))
        numbers = array("I", bytes(4 * (max(positions, default=0) + 1)))
        for number, position in enumerate(positions, start=1):
            numbers[position] = number
        return Places(positions, numbers)

    def sort(self, rows: ListRowQuerySet, *, backwards: bool = False) -> ListRowQuerySet:
        return self.with_gained(rows).order_by(*(_direction(key, backwards) for key in self.keys))

    def with_gained(self, rows: ListRowQuerySet) -> ListRowQuerySet:
        """Return the rows with the alias `gained`, if the order uses it."""
        return rows.alias(gained=GAINED) if "gained" in self.keys[0] else rows

    def after(self, row: Sequence[Any], *, backwards: bool = False) -> Q:
        """Return the condition to stand after a row with these values of the keys, or before it."""
        found, tied = Q(), Q()
        for key, value in zip(self.keys, row, strict=True):
            found |= tied & _past(key, value, backwards)
            tied &= Q(**{f"{_field(key)}__isnull": True}) if value is None else Q(**{_field(key): value})
        return found


GAINED = Gained("rating", "previous")
BY_RANK = ListOrder("rank", ("position",))
ORDERS: Mapping[str, ListOrder] = MappingProxyType(
    {
        order.name: order
        for order in (
            BY_RANK,
            ListOrder("-rank", ("-position",)),
            ListOrder("-rating", ("position",)),
            ListOrder("rating", ("-position",)),
            # A place among the names would disclose what a withheld name begins with.
            ListOrder("player", ("player__withheld", "player__sort_key", "position")),
            ListOrder("-player", ("player__withheld", "-player__sort_key", "position")),
            ListOrder("moved", ("gained", "position")),
            ListOrder("-moved", ("-gained", "position")),
            ListOrder("games", ("games", "position")),
            ListOrder("-games", ("-games", "position")),
        )
    }
)


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of a published list, with the query strings of its neighbours; empty where there is none."""

    rows: Sequence[ListRow]
    earlier: str = ""
    later: str = ""


def paginate_rows(
    rows: ListRowQuerySet,
    query: QueryDict,
    order: ListOrder = BY_RANK,
    places: Places | None = None,
) -> ListPage:
    """Return the page of a list that `?after=50` or `?before=101` asks for: the rows after, or before, the
    one at that position of the list. The first page where neither is such a number.

    No page counts or skips the rows before it. `places`: those of all these rows in the order, if known.
    """
    before, after = (parse_number(query.get(name), MOST_PLACE_DIGITS) for name in ("before", "after"))
    backwards = before is not None
    position = before if backwards else after
    if places is not None:
        exists = places.has(position)
        backwards = backwards and exists
        positions = places.positions_after(position if exists else None, backwards, LIST_ROWS_A_PAGE)
        by_position = {row.position: row for row in rows.filter(position__in=list(positions))}
        found = [by_position[each] for each in positions]
    else:
        anchor = _key_values(rows, order, position)
        exists = anchor is not None
        backwards = backwards and exists
        if anchor is not None:
            rows = order.with_gained(rows).filter(order.after(anchor, backwards=backwards))
        found = list(order.sort(rows, backwards=backwards)[: LIST_ROWS_A_PAGE + 1])
    more, found = len(found) > LIST_ROWS_A_PAGE, found[:LIST_ROWS_A_PAGE]
    above, below = (more, True) if backwards else (exists, more)
    if backwards:
        found.reverse()
    if not found:
        return ListPage(found, earlier=_query(query) if exists else "")
    return ListPage(
        found,
        earlier=_query(query, before=found[0].position) if above else "",
        later=_query(query, after=found[-1].position) if below else "",
    )


def _key_values(rows: ListRowQuerySet, order: ListOrder, position: int | None) -> Sequence[Any] | None:
    """The values of an order's keys in the row at a position; None if there is no such row."""
    if not position:
        return None
    if set(order.keys) <= {"position", "-position"}:
        return (position,)
    fields = [_field(key) for key in order.keys]
    there = rows.alias(gained=GAINED).filter(position=position)
    return there.annotate(**({"gained": GAINED} if "gained" in fields else {})).values_list(*fields).first()


def _field(key: str) -> str:
    return key.removeprefix("-")


def _direction(key: str, backwards: bool) -> Any:
    """A field in its direction; newcomers, who gained nothing, stand last, and first if backwards."""
    field, down = F(_field(key)), key.startswith("-") is not backwards
    if _field(key) != "gained":
        return field.desc() if down else field.asc()
    ends = {"nulls_first": True} if backwards else {"nulls_last": True}
    return field.desc(**ends) if down else field.asc(**ends)


def _past(key: str, value: Any, backwards: bool) -> Q:
    """The condition that a row's field comes after a value in the key's direction."""
    field, down = _field(key), key.startswith("-") is not backwards
    if value is None:
        return Q(**{f"{field}__isnull": False}) if backwards else Q(pk__in=[])
    past = Q(**{f"{field}__{'lt' if down else 'gt'}": value})
    return past | Q(**{f"{field}__isnull": True}) if field == "gained" and not backwards else past


def _query(asked: QueryDict, **key: int) -> str:
    query = asked.copy()
    for name in PAGE_PARAMS:
        query.pop(name, None)
    for name, value in key.items():
        query[name] = str(value)
    return f"?{query.urlencode()}"


# ---- Finding the row of a rank, a name or a number
LONGEST_SEARCH = 60
"""The number of characters of a search that are read."""


def _row_by_rank(shown: RatingList, rank: int | None) -> ListRow | None:
    """The first row of a rank, or of the one above it where equals share one; None if the list is shorter."""
    if rank is None or not 1 <= rank <= shown.players:
        return None
    rows = ListRow.objects.filter(rating_list=shown).select_related("player")
    last = rows.filter(position__lte=rank).order_by("-position").first()
    return rows.filter(rank=last.rank, position__lte=rank).order_by("position").first() if last else None


def _row_by_player(request: OfficeRequest, shown: RatingList, text: str) -> ListRow | None:
    """The row of the number in a text, or the only one that a search by name or number finds."""
    rows = ListRow.objects.filter(rating_list=shown).select_related("player")
    numbers, _names = parse_query(text)
    if row := rows.filter(player__federation=request.office, player__number__in=numbers).first():
        return row
    found = list(rows.named(Player.objects.of(request.office).matching(text))[:2])
    return found[0] if len(found) == 1 else None


# ---- Named views of a list, each with ranks of its own
COUNTED = 10_000
"""The most rows that are counted; beyond, the page says that there are more."""


@dataclass(frozen=True, slots=True)
class EarlierLists:
    """The earlier lists of a track to which one is compared: the one before, and one of a year before."""

    there: bool = False
    """Whether there is a list before."""
    year: int | None = None
    """The key of the newest list that is at least a year older."""
    year_on: date | None = None


def lists_before(shown: RatingList) -> EarlierLists:
    older = RatingList.objects.of(shown.federation).current().filter(track=shown.track, on__lt=shown.on)
    found = list(older.order_by("-on").values_list("pk", "on"))
    day = shown.on
    then = day.replace(year=day.year - 1, day=28 if (day.month, day.day) == (2, 29) else day.day)
    return EarlierLists(bool(found), *next((each for each in found if each[1] <= then), (None, None)))


@dataclass(frozen=True, slots=True)
class ListView:
    code: str
    name: str | Promise
    narrow: Callable[[ListRowQuerySet, EarlierLists], ListRowQuerySet]
    order: ListOrder = BY_RANK
    """The order in which it is shown by default, and in which its own ranks are counted."""
    needs_year: bool = False
    """Whether it compares with a list of a year before."""


def _not_played(before: EarlierLists) -> Exists:
    """The condition that a row has as many games as the same player's on the list of a year before."""
    then = ListRow.objects.filter(rating_list=before.year, player=OuterRef("player"))
    return Exists(then.filter(games=OuterRef("games")))


VIEWS = (
    ListView("new", gettext_lazy("New on the list"), lambda rows, before: rows.filter(previous=None)),
    ListView(
        "up",
        gettext_lazy("Gained"),
        lambda rows, before: rows.filter(rating__gt=F("previous")),
        ORDERS["-moved"],
    ),
    ListView(
        "down",
        pgettext_lazy("points of a rating", "Lost"),
        lambda rows, before: rows.filter(rating__lt=F("previous")),
        ORDERS["moved"],
    ),
    ListView(
        "active",
        gettext_lazy("Played within a year"),
        lambda rows, before: rows.filter(~_not_played(before)),
        needs_year=True,
    ),
    ListView(
        "inactive",
        gettext_lazy("Not played for a year"),
        lambda rows, before: rows.filter(_not_played(before)),
        needs_year=True,
    ),
)


def views_of(before: EarlierLists) -> Mapping[str, ListView]:
    """Return the views that are possible with these earlier lists, by code."""
    return {
        view.code: view for view in VIEWS if (before.year is not None if view.needs_year else before.there)
    }


def view_links(form: ListFilter, path: str) -> list[dict[str, Any]]:
    """Return links to the views of a list which keep the region: everybody, women, the oldest group of
    juniors, and those by play; empty if there is no choice.
    """
    options: list[tuple[Any, dict[str, str]]] = [(gettext_lazy("Everybody"), {})]
    options += [(label, {"sex": code}) for code, label in form.choices_but_everybody("sex")]
    juniors = [group for group in form.limits.age_groups if group.most is not None]
    if juniors:
        options.append(
            (gettext_lazy("Juniors"), {"age": max(juniors, key=lambda group: group.most or 0).code})
        )
    options += [(label, {"only": code}) for code, label in form.choices_but_everybody("only")]
    chosen = {name: form.chosen[name] for name in ("sex", "age", "only") if name in form.chosen}
    region = {"region": form.chosen["region"]} if "region" in form.chosen else {}
    links = [
        {
            "name": name,
            "url": f"{path}?{url_query(region | asks)}" if region | asks else path,
            "current": asks == chosen,
        }
        for name, asks in options
    ]
    return links if len(links) > 1 else []


@dataclass(frozen=True, slots=True)
class FilteredRanks:
    """The ranks of rows among those that a filter leaves, of the first `COUNTED` of them."""

    count: int
    """The number of rows that the filter leaves; `COUNTED` + 1: more."""
    positions: Sequence[int]
    """The positions of the ranked rows in the list, ascending, four bytes each."""
    ranks: Sequence[int]

    def of(self, rows: Iterable[ListRow]) -> Mapping[int, int]:
        found = ((row.position, bisect_left(self.positions, row.position)) for row in rows)
        known = self.positions
        return {each: self.ranks[at] for each, at in found if at < len(known) and known[at] == each}


def compute_filtered_ranks(chosen: ListRowQuerySet, order: ListOrder) -> FilteredRanks:
    """Compute ranks among the chosen rows in a view's own order: by the list's rank, or by the gain."""
    key = "rank" if order.is_of_list else "gained"
    rows = order.sort(chosen)
    if key == "gained":
        rows = rows.annotate(gained=GAINED)
    found = list(rows.values_list("position", key)[: COUNTED + 1])
    places: list[tuple[int, int]] = []
    rank, known = 0, None
    for counted, (position, value) in enumerate(found, start=1):
        if value != known:
            rank, known = counted, value
        places.append((position, rank))
    places.sort()
    positions, ranks = (array("I", (each[part] for each in places)) for part in (0, 1))
    return FilteredRanks(len(found), positions, ranks)


# ---- Pages of days and lists
ROWS_ABOVE = 20
"""The number of rows shown above the player whom an address names."""


@page(PUBLIC, caching=cached_page)
def days(request: OfficeRequest) -> HttpResponseBase:
    published = RatingList.objects.of(request.office).current().values("on").order_by("-on")
    found = published.annotate(
        lists=Count("pk"), players=Max("players"), revision=Max("revision"), line=Max("fact__number")
    )
    over = DaysTakenOver(request.office)
    days = [RatingList(federation=request.office, on=day["on"], track="") for day in found]
    listed = set(RatingList.objects.of(request.office).order_by().values_list("track", flat=True).distinct())
    now = today(request.office)
    context = {
        "days": [
            (day, {**counts, "taken_over": over.day_for_line(counts["line"])})
            for day, counts in zip(days, found, strict=True)
        ],
        "tracks": [track for track in request.office.ruleset.tracks if track.code in listed],
        "first": days[-1].on if days else None,
        "next": find_next_list_day(request.office, now),
        "today": now,
    }
    return render(request, "ratings/list_days.html", context)


@page(PUBLIC, caching=cached_page)
def day(request: OfficeRequest, label: str) -> HttpResponseBase:
    lists = list(lists_with_label(request, label).current())
    if not lists:
        return _redirect_to_month(request, label)
    for rating_list in lists:
        rating_list.federation = request.office
    context = {
        "groups": sort_into_groups(request.office.ruleset, lists),
        "day": lists[0],
        "corrected": get_later_corrections(request.office, lists, _reaches(request)),
    }
    return render(request, "ratings/list_day.html", context)


@page(PUBLIC, caching=cached_page)
def rating_list(
    request: OfficeRequest, label: str, track: str, revision: int | None = None
) -> HttpResponseBase:
    get_track_or_404(request.office.ruleset, track)
    of_day = cached_part(request, f"lists of {label}", lambda: _lists_of_day(request, label)) or []
    for each in of_day:
        each.federation = request.office
    use_cached_regions(request)
    here = [each for each in of_day if each.track == track and revision in (None, each.revision)]
    if not here:
        return _redirect_to_month(request, label, track)
    shown = here[-1]
    if asked := request.GET.get("find"):
        # A name of several people, or of none, leads to the list of those who bear it.
        text = asked.strip()[:LONGEST_SEARCH]
        row = _row_by_rank(shown, parse_number(text)) or _row_by_player(request, shown, text)
        if row is not None:
            query = f"{url_query({'player': row.player.number})}#p{row.player.number}"
        else:
            query = url_query({"q": text})
        response = redirect(f"{request.path}?{query}" if text else request.path)
        response.headers["X-Robots-Tag"] = "noindex"
        return response
    chosen = Selection(request, shown)
    form, rows, order, own = chosen.form, chosen.rows, chosen.order, chosen.own_order
    page = _page(request, shown, form, rows, order)
    ranks = _ranks(request, shown, form, rows, own)
    context = {
        "list": shown,
        "found": _count_text(ranks) if ranks else "",
        "newest": newest_revision(of_day, track),
        "around": cached_part(
            request, f"around list {shown.pk}", lambda: render_surroundings(request, shown, of_day)
        ),
        "form": form,
        "bar": _bar(request, form),
        "sorted": order is not own,
        "files": downloads_of(request.office, shown, chosen.query) if chosen.query else [],
        "page": page,
        "table": list_table(request, page.rows, order, ranks.of(page.rows) if ranks else None),
    }
    return render(request, "ratings/list.html", context)


class Selection:
    """The rows of a list that an address asks for, and their order."""

    def __init__(self, request: OfficeRequest, shown: RatingList) -> None:
        before = cached_part(request, f"before list {shown.pk}", lambda: lists_before(shown))
        views = views_of(before)
        self.form = ListFilter(
            request.GET, request.office, [(code, each.name) for code, each in views.items()]
        )
        chosen = dict(self.form.chosen)
        view = views.get(chosen.get("only", ""))
        rows = self.form.narrow(ListRow.objects.filter(rating_list=shown), shown.on)
        self.rows = view.narrow(rows, before) if view else rows
        self.own_order = view.order if view else BY_RANK
        self.order = ORDERS.get(request.GET.get("sort", ""), self.own_order)
        if self.order is not self.own_order:
            chosen["sort"] = self.order.name
        self.query = url_query(chosen)
        """What is chosen, as in an address; empty: the whole list in its own order."""

    @property
    def sorted_rows(self) -> ListRowQuerySet:
        return self.order.sort(self.rows)


def _lists_of_day(request: OfficeRequest, label: str) -> list[RatingList] | None:
    """The lists of a day in all versions, each with the day on which it was taken over; None for none.

    They go to the cache without their office.
    """
    lists = lists_with_label(request, label).order_by("revision")
    found = list(with_days_taken_over(request.office, lists))
    for each in found:
        RatingList._meta.get_field("federation").delete_cached_value(each)
    return found or None


def _bar(request: OfficeRequest, form: ListFilter) -> SafeString:
    """The bar above a list: search, views, filters. Cached for each choice, but not for a name, which
    nobody else asks for.
    """
    chosen = form.chosen

    def render_bar() -> SafeString:
        context = {
            "form": form,
            "views": view_links(form, request.path),
            "narrowed": any(chosen.get(name) for name in ("region", "sex", "age", "only")),
        }
        return render_to_string("ratings/_list_bar.html", context, request)

    if not form.is_valid() or "q" in chosen:
        return render_bar()
    return cached_part(request, f"bar of {request.path} {urlencode(sorted(chosen.items()))}", render_bar)


def _page(
    request: OfficeRequest, shown: RatingList, form: ListFilter, rows: ListRowQuerySet, order: ListOrder
) -> ListPage:
    """The page of a list that an address asks for. A list in another order than its own is sorted once for
    all its pages: ties among half of its rows leave an index little to skip.
    """
    asked, places = _query_near_player(request, shown, order), None
    if form.is_valid() and "q" not in form.chosen and not order.is_of_list:
        name = f"list {shown.pk} {shown.sha256} by {order.name}: {urlencode(sorted(form.chosen.items()))}"
        # The whole list never changes, but for people's names.
        frozen = not form.chosen and not order.uses_names
        places = cached_part(request, name, lambda: order.places(rows), "ranks", ignores_record=frozen)
    page = paginate_rows(rows.select_related("player"), asked, order, places=places)
    regions = request.office.regions_by_key
    for row in page.rows:
        row.player.federation = request.office
        row.player.region = regions.get(row.player.region_id) if row.player.region_id else None
    return page


def _ranks(
    request: OfficeRequest, shown: RatingList, form: ListFilter, rows: ListRowQuerySet, order: ListOrder
) -> FilteredRanks | None:
    """The ranks among the rows that a filter leaves, cached for all its pages; None for the whole list.
    Not cached for a name: its rows are few, and nobody else asks for them.
    """
    if not form.chosen and form.is_valid():
        return None
    if not form.is_valid() or "q" in form.chosen:
        return compute_filtered_ranks(rows, order)
    name = f"ranks of list {shown.pk} by {order.name}: {urlencode(sorted(form.chosen.items()))}"
    return cached_part(request, name, lambda: compute_filtered_ranks(rows, order), "ranks")


def list_table(
    request: OfficeRequest, rows: Sequence[ListRow], order: ListOrder, ranks: Mapping[int, int] | None
) -> ListTable:
    ruleset = request.office.ruleset
    return ListTable(
        rows,
        places=equipment_of(ruleset).publication.decimals,
        counted=label_of("games", ruleset),
        highlight=request.GET.get("player", ""),
        further=build_further_columns(request.office, rows),
        ranks=ranks,
        order_by=order.name,
    )


def render_surroundings(
    request: OfficeRequest, shown: RatingList, lists_of_day: Sequence[RatingList]
) -> dict[str, SafeString]:
    """Render the parts of a list's page around its table, which are the same for each filter."""
    office, known = request.office, _reaches(request)
    context = {
        "office": office,
        "list": shown,
        "newest": newest_revision(lists_of_day, shown.track),
        "proof": proof_of(shown),
        "groups": sort_into_groups(office.ruleset, {each.track: each for each in lists_of_day}.values()),
        "several": any(each.track != shown.track for each in lists_of_day),
        "downloads": downloads_of(office, shown),
        "whole_files": equipment_of(office.ruleset).publication.whole_files,
        "corrected": get_later_corrections(office, [shown], known),
        "taken_in": errata_taken_in(office, shown, known),
        "differing": count_differing_rows(shown) if shown.supersedes_id else None,
        **neighbours(shown),
    }
    parts = ("notes", "tracks", "proof", "sidebar")
    return {part: render_to_string(f"ratings/_list_{part}.html", context, request) for part in parts}


def _reaches(request: OfficeRequest) -> list[CorrectionReach]:
    """The reaches of the office's errata, cached for the pages of all its lists."""
    return cached_part(request, "reaches of errata", lambda: compute_all_reaches(request.office))


def neighbours(shown: RatingList) -> dict[str, RatingList | None]:
    lists = RatingList.objects.of(shown.federation).current().without_content().filter(track=shown.track)
    found = {
        "before": lists.filter(on__lt=shown.on).order_by("-on").first(),
        "after": lists.filter(on__gt=shown.on).order_by("on").first(),
    }
    for each in found.values():
        if each:
            each.federation = shown.federation
    return found


def newest_revision(lists_of_day: Sequence[RatingList], track: str) -> RatingList:
    return max((each for each in lists_of_day if each.track == track), key=lambda each: each.revision)


def get_further_columns(office: Federation) -> list[Column]:
    """The further columns of every list that pages show, then the federation's own."""
    return [*(column for column in FURTHER if column.heading), *office.publication.list_columns]


def build_further_columns(office: Federation, rows: Sequence[ListRow]) -> list[FurtherColumn]:
    columns = get_further_columns(office)
    if not columns:
        return []
    by_key = dict(zip((row.pk for row in rows), download_rows(rows, limits_of(office)), strict=True))
    return [FurtherColumn(column, by_key) for column in columns]


@page(PUBLIC, caching=cached_page)
def differences(request: OfficeRequest, label: str, track: str, revision: int) -> HttpResponseBase:
    """Page of what a version of a list changed from the one before, row by row."""
    get_track_or_404(request.office.ruleset, track)
    shown = (
        lists_with_label(request, label)
        .filter(track=track, revision=revision)
        .exclude(supersedes=None)
        .first()
    )
    if shown is None:
        raise Http404(_("No list was published then."))
    before, after = get_places(shown.supersedes), get_places(shown)
    rows = compare_places(request.office, shown.track, before, after).rows
    page = LastPagePaginator(rows, ROWS_A_PAGE).page(request.GET.get("page", 1))
    return render(request, "ratings/list_differences.html", {"list": shown, "page": page})


def lists_with_label(request: OfficeRequest, label: str) -> RatingListQuerySet:
    """Return the published lists of the day in an address, without their bytes."""
    lists = RatingList.objects.of(request.office).with_label(label).without_content()
    return lists.select_related("fact", "supersedes", "federation")


def _count_text(ranks: FilteredRanks) -> str:
    return f"{grouped(COUNTED)}+" if ranks.count > COUNTED else grouped(ranks.count)


def _query_near_player(request: OfficeRequest, shown: RatingList, order: ListOrder) -> QueryDict:
    """The query of a list's page, changed to begin near the row of the player whom it names, if the list
    stands in its own order.
    """
    number = request.GET.get("player")
    if not number or not order.is_of_list or "after" in request.GET or "before" in request.GET:
        return request.GET
    row = ListRow.objects.filter(rating_list=shown, player__number=number, player__federation=request.office)
    asked = request.GET.copy()
    if position := row.values_list("position", flat=True).first():
        asked["after"] = str(max(0, position - ROWS_ABOVE))
    return asked


def _redirect_to_month(request: OfficeRequest, label: str, track: str = "") -> HttpResponseBase:
    """Redirect `…/2026-11` to the earliest list of that month, if none is of its first day."""
    found = RatingList.objects.of(request.office).in_month(label).without_content()
    earliest = (found.filter(track=track) if track else found).first()
    if len(label) != 7 or earliest is None or earliest.label == label:
        raise Http404(_("No list was published then."))
    if track:
        return redirect("ratings:list", request.office.code, earliest.label, track)
    return redirect("ratings:list_day", request.office.code, earliest.label)


# ---- Comparison of any two published lists of a track
FIRST_ROWS = 10
"""The number of rows of each part that are shown at first."""
COMPARISON_PARTS: dict[str, str | Promise] = {
    "up": gettext_lazy("Gained most"),
    "down": gettext_lazy("Lost most"),
    "new": gettext_lazy("New on the list"),
    "gone": gettext_lazy("Not on the list any more"),
}
"""The parts of a comparison by their names in addresses, in the order of the page."""


@page(PUBLIC, caching=cached_page)
def compare_lists(request: OfficeRequest, track: str) -> HttpResponseBase:
    """Page that compares two lists of a track, `from` one day `to` another; by default the newest two."""
    get_track_or_404(request.office.ruleset, track)
    lists = RatingList.objects.of(request.office).current().without_content().filter(track=track)
    days = list(lists.order_by("-on"))
    if not days:
        raise Http404(_("No list has been published yet."))
    newer = _list_in_query(request, days, "to") or days[0]
    before = next((each for each in days if each.on < newer.on), None)
    older = _list_in_query(request, days, "from") or before
    if older and older.on > newer.on:
        older, newer = newer, older
    context: dict[str, Any] = {"days": days, "track": track, "older": older, "newer": newer}
    for each in filter(None, (older, newer)):
        each.federation = request.office
    if older is not None and older != newer:
        context |= _comparison_context(request, ListComparison(request.office, older, newer))
    return render(request, "ratings/compare_lists.html", context)


def _comparison_context(request: OfficeRequest, comparison: ListComparison) -> dict[str, Any]:
    part, counts = request.GET.get("show", ""), comparison.counts
    if part in COMPARISON_PARTS:
        page = LastPagePaginator(comparison.part(part), ROWS_A_PAGE).page(request.GET.get("page", 1))
        rows = comparison.told(part, page.object_list)
        return {"counts": counts, "part": COMPARISON_PARTS[part], "page": page, "rows": rows}
    parts = [
        {
            "name": name,
            "title": title,
            "count": counts[name],
            "rows": comparison.told(name, comparison.part(name)[:FIRST_ROWS]),
        }
        for name, title in COMPARISON_PARTS.items()
        if counts[name]
    ]
    return {"counts": counts, "parts": parts, "first": FIRST_ROWS}


def _list_in_query(request: OfficeRequest, days: Sequence[RatingList], name: str) -> RatingList | None:
    """The list of the day that a parameter of the address names; None without it. Raises Http404 if there is
    no such list.
    """
    label = request.GET.get(name)
    if not label:
        return None
    for each in days:
        if label in (each.label, each.on.isoformat()):
            return each
    raise Http404(_("No list was published then."))


# ---- Lasting addresses of the newest lists, and of those in force on a day
@page(PUBLIC, caching=None)
def latest(request: OfficeRequest) -> HttpResponseBase:
    """Redirect to the newest list of the first track that the newest day has, or to the page of all days."""
    newest = RatingList.objects.of(request.office).on_newest_day().current().without_content()
    known = {each.track: each for each in newest}
    for track in request.office.ruleset.tracks:
        if found := known.get(track.code):
            found.federation = request.office
            return _redirect(request, found.get_absolute_url())
    return _redirect(request, reverse("ratings:lists", args=[request.office.code]))


@page(PUBLIC, caching=None)
def latest_list(request: OfficeRequest, track: str) -> HttpResponseBase:
    """Redirect to the newest list of a track, with the filters of the address."""
    return _redirect(request, _newest(request, track).get_absolute_url())


@page(PUBLIC, caching=None)
def latest_file(request: OfficeRequest, track: str, code: str, suffix: str) -> HttpResponseBase:
    """Redirect to a file of the newest list of a track, in its newest version."""
    newest = _newest(request, track)
    place = [request.office.code, newest.label, track, newest.revision]
    return _redirect(request, f"{reverse('ratings:list_revision', args=place)}{code}.{suffix}")


@page(PUBLIC, caching=None)
def list_in_force(request: OfficeRequest) -> HttpResponseBase:
    """Redirect to the list of a track in force on a day (`?track=&on=`), in the version of that day; without
    a track to the lists of its day. 404 if none was published by then.
    """
    office, track = request.office, request.GET.get("track", "")
    now = today(office)
    lists = RatingList.objects.of(office).published_by(parse_day(office, request.GET.get("on"), now) or now)
    if track:
        lists = lists.filter(track=get_track_or_404(office.ruleset, track).code)
    found = lists.without_content().order_by("-on", "-revision").first()
    if found is None:
        raise Http404(_("No list had been published by that day."))
    place = [office.code, found.label]
    address = (
        reverse("ratings:list_revision", args=[*place, track, found.revision])
        if track
        else reverse("ratings:list_day", args=place)
    )
    response = redirect(address)
    patch_cache_control(response, public=True, max_age=FRESH_SECONDS)
    return response


def _newest(request: OfficeRequest, track: str) -> RatingList:
    lists = RatingList.objects.of(request.office).current().without_content().filter(track=track)
    newest = lists.order_by("-on", "-revision").first()
    if newest is None:
        raise Http404(_("No list has been published yet."))
    newest.federation = request.office
    return newest


def _redirect(request: OfficeRequest, address: str) -> HttpResponseBase:
    """Redirect with the query, cached for a minute only: the next publication leads elsewhere."""
    query = request.GET.urlencode()
    response = redirect(f"{address}?{query}" if query else address)
    patch_cache_control(response, public=True, max_age=FRESH_SECONDS)
    return response


# ---- Sheets to print
ROWS = 5000
"""The rows of one sheet; a longer list has several."""


@page(PUBLIC, caching=cached_page)
def printed_list(request: OfficeRequest, label: str, track: str, revision: int) -> HttpResponseBase:
    """Sheet of a version of a list; `?part=2` is the second of a long one."""
    get_track_or_404(request.office.ruleset, track)
    lists = RatingList.objects.of(request.office).with_label(label).without_content()
    shown = lists.filter(track=track, revision=revision).select_related("fact").first()
    parts = -(-shown.players // ROWS) if shown else 0
    part = parse_number(request.GET.get("part", "1"), MOST_PLACE_DIGITS)
    if shown is None or part is None or not 1 <= part <= max(1, parts):
        raise Http404(_("No list was published then."))
    shown.federation = request.office
    rows = ListRow.objects.filter(rating_list=shown).select_related("player__region")
    printed = rows.after((part - 1) * ROWS, ROWS)
    public_rows = download_rows(printed, limits_of(request.office))
    further = get_further_columns(request.office)
    context: dict[str, Any] = {
        "list": shown,
        "rows": [
            (row, shown_row, [column.value(shown_row) for column in further])
            for row, shown_row in zip(printed, public_rows, strict=True)
        ],
        "further": [_(column.heading) for column in further],
        "parts": [(each, each == part) for each in range(1, parts + 1)],
        "places": equipment_of(request.office.ruleset).publication.decimals,
        "counted": label_of("games", request.office.ruleset),
        "regional": request.office.regional,
    }
    return render(request, "ratings/list_print.html", context)
