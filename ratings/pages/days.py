"""Pages about past days: what an office decided, and what became known of a player, between two of them.

Another page sets a published list beside the same list as it would be by what is known now. The helpers at
the top put lines of the journal into words and find the moves of ratings between two lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, Max, OuterRef, Q
from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.access import OfficeRequest, public
from players.models import Federation, Player
from players.pages.tables import ROWS, LastPagePaginator
from players.settings import today
from ratings import player_ratings
from ratings.disclosure import limits_of
from ratings.journal import AFTER_EVERYTHING, named
from ratings.lists import KnownRow, drawn_at_once, kept, list_line
from ratings.models import Change, CorrectedRating, Fact, FactQuerySet, PastChange, RatingList
from ratings.pages.errata import WordedErratum, errata_of, worded_errata
from ratings.pages.filters import day_asked
from ratings.pages.lists import lists_of
from ratings.pages.play import HistoryLine, HistoryWriter
from ratings.pages.players import dating_of
from ratings.pages.responses import cached_page
from ratings.pages.tables import track_of
from ratings.player_ratings import kind_words, section_url
from ratings.recompute import CORRECTING
from ratings.results import AsOf, as_of, first_day, legs, moves_of
from ratings.workings import clause_url


# ---- Put the lines of the journal that moved ratings into words: what was decided, and by which clause.
@dataclass(frozen=True, slots=True)
class WordedCause:
    """One decision that moved ratings, as the journal's line has it, in words for a page."""

    line: int
    """The number of the line."""
    kind: str
    on: date | None
    words: str
    url: str
    """The page of what was decided; empty if there is none."""
    why: str = ""
    """The reason of a correction, in general words; empty where there is none."""
    clause: str = ""
    """The clause on it: the one from which day a section counts, or the one on corrections; empty: none."""
    clause_url: str = ""


def causes_of(office: Federation, lines: Sequence[Fact]) -> dict[int, WordedCause]:
    """Lines of the journal in words, by number; what they name is looked up together. The lines have their
    sections' events loaded.
    """
    told = _errata(office, lines)
    people = named(office, {line.subject for line in lines if line.kind in ("rank", "opening")})
    keys = [line.pk for line in lines if line.kind == "list"]
    lists = RatingList.objects.of(office).filter(fact__in=keys) if keys else RatingList.objects.none()
    listed = set(lists.order_by().values_list("fact_id", flat=True).distinct())
    return {line.number: _cause(office, line, told, people, listed) for line in lines}


def _errata(office: Federation, lines: Iterable[Fact]) -> dict[int, WordedErratum]:
    found = errata_of(office).filter(fact__in=[line.pk for line in lines])
    return {each.line.number: each for each in worded_errata(office, found)}


def _cause(
    office: Federation,
    line: Fact,
    told: Mapping[int, WordedErratum],
    people: Mapping[str, Player],
    listed: set[int],
) -> WordedCause:
    erratum = told.get(line.number)
    clause = _clause(office, line, corrects=erratum is not None)
    edition = office.ruleset.edition_of_day(line.on)
    words, url = (erratum.title, erratum.url) if erratum else _worded(office, line, people, listed)
    return WordedCause(
        line=line.number,
        kind=line.kind,
        on=line.on,
        words=words,
        url=url,
        why=erratum.wrong if erratum else "",
        clause=clause,
        clause_url=clause_url(office, clause, edition) if clause else "",
    )


def _clause(office: Federation, line: Fact, *, corrects: bool) -> str:
    if line.section_id is None:
        return ""
    if corrects:
        return office.equipment.office.powers.unrating.clause
    return office.ruleset.journal.counts_from


def _worded(
    office: Federation, line: Fact, people: Mapping[str, Player], listed: set[int]
) -> tuple[str, str]:
    """The words and the address of a line that corrects nothing."""
    if line.section is not None:
        event = line.section.event
        words = _("Rated: %(section)s") % {"section": f"{event.name}, {line.section.name}"}
        return words, section_url(office, event.number, line.section.code)
    if line.kind == "list" and line.on is not None:
        address = reverse("ratings:list_day", args=[office.code, RatingList(on=line.on).label])
        words = _("List of %(day)s") % {"day": date_format(line.on, "DATE_FORMAT")}
        return words, address if line.pk in listed else ""
    if line.kind == "taken_over":
        return _("A history was taken over from before this office"), ""
    if (player := people.get(line.subject)) is not None:
        told = {"what": kind_words(line.kind), "player": player.shown_name}
        return _("%(what)s: %(player)s") % told, player.get_absolute_url()
    return kind_words(line.kind), ""


# ---- Find what became known of a player's ratings between two lines of the journal, and by which line.
COLUMNS = ("track", "order", "fact__number", "before", "after", "points", "since")


class KnownChange(NamedTuple):
    """A change of a rating as it was known from one line of the journal to another."""

    track: str
    order: int
    fact: int
    """The number of the line that changed the rating."""
    before: Decimal | None
    after: Decimal | None
    points: Decimal | None
    since: int
    """The line from which it was known so."""
    until: int | None = None
    """The line by which it was known so no longer; None: it is known so now."""

    def known_at(self, line: int) -> bool:
        return self.since <= line and (self.until is None or line < self.until)


@dataclass(frozen=True, slots=True)
class KnownMove:
    """A move of a player's rating in one track by one line of the journal."""

    line: int
    track: str
    before: Decimal | None
    after: Decimal | None
    own: tuple[KnownChange, ...] = ()
    """The changes that came new with the line."""
    again: int = 0
    """The number of earlier changes that the line had worked out anew, or taken away."""

    @property
    def points(self) -> Decimal | None:
        """The points gained or lost by one new change, some of which may wait for the next list."""
        return self.own[0].points if len(self.own) == 1 and not self.again else None

    @property
    def by(self) -> Decimal | None:
        return None if self.before is None or self.after is None else self.after - self.before


def known_changes(player: Player, last: int) -> list[KnownChange]:
    """Every version of the player's changes that was known by a line, past ones too."""
    now = Change.objects.filter(player=player, since__lte=last).values_list(*COLUMNS)
    past = PastChange.objects.filter(player=player, since__lte=last).values_list(*COLUMNS, "until")
    return [KnownChange(*row) for row in now] + [KnownChange(*row) for row in past]


def lines_between(player: Player, found: Iterable[KnownChange], first: int, last: int) -> list[int]:
    """The lines after `first` up to `last` by which something of the player's was known otherwise, newest
    first. Where others' results move ratings a correction is one that changed no result of the player's own.
    """
    lines = {line for each in found for line in (each.since, each.until) if line is not None}
    corrected = CorrectedRating.objects.filter(player=player, erratum__fact__number__gt=first)
    lines |= set(corrected.values_list("erratum__fact__number", flat=True))
    return sorted((line for line in lines if first < line <= last), reverse=True)


def moves_by(
    player: Player, found: Sequence[KnownChange], lines: Collection[int], kinds: dict[int, str]
) -> list[KnownMove]:
    """The moves of the player's ratings by these lines, newest first. `kinds`: the kind of each line."""
    corrected = {
        (line, track): (before, after)
        for line, track, before, after in CorrectedRating.objects.filter(
            player=player, erratum__fact__number__in=lines
        ).values_list("erratum__fact__number", "track", "before", "after")
    }
    moves: list[KnownMove] = []
    for line in lines:
        touched = [each for each in found if line in (each.since, each.until)]
        tracks = {each.track for each in touched} | {track for at, track in corrected if at == line}
        for track in sorted(tracks):
            here = [each for each in found if each.track == track]
            moves += _moves_between(line, track, here, corrects=kinds.get(line) in CORRECTING, told=corrected)
    return moves


def _moves_between(
    line: int,
    track: str,
    found: Sequence[KnownChange],
    *,
    corrects: bool,
    told: dict[tuple[int, str], tuple[Decimal | None, Decimal | None]],
) -> list[KnownMove]:
    """The moves in one track by one line: one for each new change, or one for all where earlier changes were
    worked out anew.
    """
    gone = {each.fact for each in found if each.until == line}
    came = sorted((each for each in found if each.since == line), key=lambda each: each.order)
    own = [] if corrects else [each for each in came if each.fact not in gone]
    again = len(gone | {each.fact for each in came} - {each.fact for each in own})
    if own and not again:
        return [KnownMove(line, track, each.before, each.after, (each,)) for each in reversed(own)]
    before, after = told.get((line, track)) or (_rating(found, line - 1), _rating(found, line))
    return [KnownMove(line, track, before, after, tuple(own), again)]


def _rating(found: Iterable[KnownChange], line: int) -> Decimal | None:
    """The rating after the last change that was known at a line; None without any."""
    newest = max((each for each in found if each.known_at(line)), key=lambda each: each.order, default=None)
    return newest.after if newest else None


# ---- The page of a published list beside the whole list of its day as known now.
KINDS = {
    "": gettext_lazy("Everybody"),
    "moved": gettext_lazy("Another rank or rating"),
    "new": gettext_lazy("New on the list"),
    "gone": gettext_lazy("Gone from the list"),
}
"""The kinds of rows that a reader may have shown alone, by the word of the address (`?only=`)."""


@dataclass(frozen=True, slots=True)
class KindLink:
    """A link to the rows of one kind, with their number."""

    name: str | Promise
    url: str
    count: int
    current: bool


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row of the page: the two places, and the player whom it links."""

    row: KnownRow
    player: Player


@public
def list_as_known_now(request: OfficeRequest, label: str, track: str, revision: int) -> HttpResponseBase:
    """Page of the whole list; while the worker draws it up, a page that says so and is kept by nobody."""
    track_of(request.office.ruleset, track)
    shown = lists_of(request, label).filter(track=track, revision=revision).first()
    if shown is None or list_line(request.office, shown.on) is None:
        raise Http404(_("No list was published then."))
    if (kept(shown) or drawn_at_once(shown)) is None:
        response = render(request, "ratings/list_as_known_now.html", {"list": shown, "rows": None})
        patch_cache_control(response, no_store=True)
        return response
    return _page(request, shown=shown)


@cached_page
def _page(request: OfficeRequest, *, shown: RatingList) -> HttpResponseBase:
    rows = kept(shown) or ()
    only = request.GET.get("only", "")
    chosen = [row for row in rows if row.kind == only] if only in KINDS and only else rows
    page = LastPagePaginator(chosen, ROWS).page(request.GET.get("page", 1))
    context = {
        "list": shown,
        "page": page,
        "rows": _with_players(request, list(page.object_list)),
        "kinds": _links(request, rows, only),
    }
    return render(request, "ratings/list_as_known_now.html", context)


def _with_players(request: OfficeRequest, rows: Sequence[KnownRow]) -> list[ShownRow]:
    people = named(request.office, {row.number for row in rows})
    return [ShownRow(row, people[row.number]) for row in rows if row.number in people]


def _links(request: OfficeRequest, rows: Sequence[KnownRow], only: str) -> list[KindLink]:
    counts = Counter(row.kind for row in rows)
    counts[""] = len(rows)
    current = only if only in KINDS else ""
    return [
        KindLink(name, f"?only={kind}" if kind else request.path, counts[kind], kind == current)
        for kind, name in KINDS.items()
    ]


# ---- Read the two days between which an address asks for changes, and the journal's lines between them.
LONGEST_NUMBER = 18
"""The most digits of a line's number in an address."""


@dataclass(frozen=True)
class TwoDays:
    """Two days, the later not before the earlier; what changed is what the later knew and the earlier not."""

    office: Federation
    first: date
    last: date
    today: date
    began: date
    """The first day of the record."""

    @cached_property
    def then(self) -> AsOf:
        """The knowledge at the end of the earlier day."""
        return as_of(self.office, self.first, self.today)

    @cached_property
    def lines(self) -> tuple[int, int]:
        """The last line known on the earlier day, and the last known on the later."""
        known = (AFTER_EVERYTHING if each.line is None else each.line for each in (self.then, self.since))
        first, last = known
        return first, last

    @cached_property
    def since(self) -> AsOf:
        """The knowledge at the end of the later day."""
        return as_of(self.office, self.last, self.today)


def days_between(request: OfficeRequest, usual: timedelta) -> TwoDays:
    """The days that `from` and `to` ask for, in either order. Where none is named: today, and `usual` before,
    but no day before the record. 404 where one is no day of the record.
    """
    office, now = request.office, today(request.office)
    began = first_day(office) or now
    last = day_asked(office, request.GET.get("to"), now, began) or now
    first = day_asked(office, request.GET.get("from"), now, began) or max(began, last - usual)
    return TwoDays(office, min(first, last), max(first, last), now, began)


def line_before(request: OfficeRequest) -> int | None:
    """The line below which a further page begins (`?before=`); None: the page is the first."""
    text = request.GET.get("before", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER else None


# ---- The page of what an office decided between two days, with how many ratings each decision moved.
A_MONTH = timedelta(days=30)
LINES = 30
"""The decisions told on one page."""
TOLD = ("rated", "unrated", "list", "revised", "merged", "parted", "rank", "playoff", "taken_over")
"""The kinds of lines that are told: particulars and openings are not, nor a section before it is rated."""
COUNTED = frozenset({"rated", "unrated", "merged", "parted"})
MOVED = (
    Q(before__lt=F("after"))
    | Q(before__gt=F("after"))
    | Q(before=None, after__isnull=False)
    | Q(before__isnull=False, after=None)
    | Q(points__gt=0)
    | Q(points__lt=0)
)
"""A change that moves a rating, at once or with the next list."""


@dataclass(frozen=True, slots=True)
class DecisionTold:
    """A decision of the office with its reach, for a page."""

    cause: WordedCause
    moved: int
    """The ratings moved by a section, or corrected; of a list none are counted."""
    lists: int = 0
    """The lists that were published, one for each track."""
    players: int = 0
    """The players on the longest of these lists."""

    @property
    def counted(self) -> bool:
        """Whether the ratings that it moved are counted."""
        return self.cause.kind in COUNTED


@public
@cached_page
def changes_of_office(request: OfficeRequest) -> HttpResponseBase:
    asked = days_between(request, A_MONTH)
    found = _lines(asked)
    below = line_before(request)
    shown = found if below is None else found.filter(number__lt=below)
    lines = list(
        shown.select_related("section__event").defer("particulars", "pres").order_by("-number")[: LINES + 1]
    )
    older = ""
    if len(lines) > LINES:
        days = {"from": f"{asked.first:%Y-%m-%d}", "to": f"{asked.last:%Y-%m-%d}"}
        older = f"?{urlencode({**days, 'before': str(lines[LINES - 1].number)})}"
    context: dict[str, Any] = {
        "asked": asked,
        "counts": dict(found.order_by().values_list("kind").annotate(Count("pk"))),
        "decisions": _told(request.office, lines[:LINES]),
        "older": older,
        "later": "before" in request.GET,
        "dating": dating_of(request.office, asked.last),
    }
    return render(request, "ratings/office_changes.html", context)


def _lines(asked: TwoDays) -> FactQuerySet:
    """The decisions of the days after the earlier one, up to the later."""
    lines = Fact.objects.filter(federation=asked.office, kind__in=TOLD)
    return lines.filter(on__gt=asked.first, on__lte=asked.last)


def _told(office: Federation, lines: Sequence[Fact]) -> list[DecisionTold]:
    # The ratings that each line moved, by its key: of a correction those of its erratum; of a section those
    # of its entrants, as known first or since.
    rated = [line.pk for line in lines if line.kind == "rated"]
    found: Counter[int] = Counter()
    now = Change.objects.filter(MOVED, fact__in=rated).order_by()
    found.update(dict(now.values_list("fact_id").annotate(Count("pk"))))
    same = Change.objects.filter(fact=OuterRef("fact"), player=OuterRef("player"), track=OuterRef("track"))
    past = PastChange.objects.filter(MOVED, ~Exists(same), fact__in=rated).order_by()
    found.update(fact for fact, *_key in past.values_list("fact_id", "player_id", "track").distinct())
    corrected = CorrectedRating.objects.filter(erratum__fact__in=[line.pk for line in lines]).order_by()
    corrections = dict(corrected.values_list("erratum__fact_id").annotate(Count("pk")))
    causes, moved, lists = causes_of(office, lines), Counter({**found, **corrections}), _lists(office, lines)
    return [DecisionTold(causes[line.number], moved[line.pk], *lists.get(line.pk, (0, 0))) for line in lines]


def _lists(office: Federation, lines: Sequence[Fact]) -> dict[int, tuple[int, int]]:
    """The lists that each line published, by its key: how many, and the players on the longest."""
    keys = [line.pk for line in lines if line.kind in ("list", "revised")]
    lists = RatingList.objects.of(office).filter(fact__in=keys).order_by().values("fact_id")
    found = lists.annotate(lists=Count("pk"), longest=Max("players")) if keys else ()
    return {each["fact_id"]: (each["lists"], each["longest"]) for each in found}


# ---- The page of what changed of a player between two days, and by which decision.
A_YEAR = timedelta(days=365)
"""The lines of the journal told on one page."""
DRIFTS = 60
"""The most moves without a game of the player's that one page tells, the newest."""


@dataclass(frozen=True, slots=True)
class TrackOnTwoDays:
    """A player's rating in one track as known on two days."""

    track: str
    before: Decimal | None
    after: Decimal | None


@dataclass(frozen=True, slots=True)
class CausedMove:
    """A move of a rating with what was decided, and the workings of the changes that came with it."""

    move: KnownMove
    cause: WordedCause | None
    """None: of several lines that were taken in together."""
    workings: Sequence[tuple[str, str]]
    """The words and the address of each new change's working."""


@public
@cached_page
def changes_of_player(request: OfficeRequest, number: str) -> HttpResponseBase:
    people = Player.objects.of(request.office).select_related("federation", "merged_into__federation")
    player = get_object_or_404(people, number=number)
    asked = days_between(request, A_YEAR)
    if player.merged_into and asked.since.reads_as_another(number):
        address = reverse("ratings:player_changes", args=[request.office.code, player.merged_into.number])
        return redirect(f"{address}?{request.GET.urlencode()}" if request.GET else address)
    moves, older = _moves(request, player, asked)
    drifts = _drifts(player, asked)
    context: dict[str, Any] = {
        "player": player,
        "title": limits_of(request.office).title(player),
        "asked": asked,
        "tracks": _on_both_days(player, asked),
        "moves": moves,
        "older": older,
        "later": "before" in request.GET,
        "drifts": drifts[:DRIFTS],
        "drifts_left": max(0, len(drifts) - DRIFTS),
        "dating": dating_of(request.office, asked.last),
    }
    return render(request, "ratings/player_changes.html", context)


def _on_both_days(player: Player, asked: TwoDays) -> list[TrackOnTwoDays]:
    """The player's ratings as known on the two days, in the order of the tracks, without those of neither."""
    office, number = player.federation, player.number
    before, after = (
        player_ratings.ratings_in(office, known.state_of(player), number, known.day)
        for known in (asked.then, asked.since)
    )
    codes = [each.code for each in office.ruleset.tracks]
    rows = (TrackOnTwoDays(code, before.get(code), after.get(code)) for code in codes)
    return [row for row in rows if row.before is not None or row.after is not None]


def _moves(request: OfficeRequest, player: Player, asked: TwoDays) -> tuple[list[CausedMove], str]:
    """One page of moves between the two days, newest first, and the query of the next older page."""
    first, last = asked.lines
    found = known_changes(player, last)
    below = line_before(request)
    lines = [each for each in lines_between(player, found, first, last) if below is None or each < below]
    here = lines[:LINES]
    told = set(here)
    came = [each for each in found if each.since in told]
    numbers = {*told, *(each.fact for each in came), *(each.until for each in came if each.until)}
    facts = {each.number: each for each in _facts(player.federation, numbers)}
    moves = moves_by(player, found, here, {number: fact.kind for number, fact in facts.items()})
    causes = causes_of(player.federation, list(facts.values()))
    writer = _WorkingLinks(player, {number: fact.on for number, fact in facts.items()}, causes)
    caused = [CausedMove(each, writer.cause(each), writer.workings(each)) for each in moves]
    if len(lines) <= LINES:
        return caused, ""
    days = {"from": f"{asked.first:%Y-%m-%d}", "to": f"{asked.last:%Y-%m-%d}"}
    return caused, f"?{urlencode({**days, 'before': str(here[-1])})}"


def _facts(office: Federation, numbers: set[int]) -> Sequence[Fact]:
    lines = Fact.objects.filter(federation=office, number__in=numbers)
    return list(lines.select_related("section__event").defer("particulars", "pres"))


@dataclass(frozen=True, slots=True)
class _WorkingLinks:
    """Leads from a player's moves to what was decided, and to the workings."""

    player: Player
    days: Mapping[int, date | None]
    causes: Mapping[int, WordedCause]

    def cause(self, move: KnownMove) -> WordedCause | None:
        """The decision behind a move: that of its line, or of the one change that came new with it."""
        line = move.own[0].fact if len(move.own) == 1 else move.line
        cause = self.causes.get(line)
        return cause if cause is not None and cause.kind != "section" else None

    def workings(self, move: KnownMove) -> list[tuple[str, str]]:
        told = ((each, self._working(each)) for each in move.own)
        named = len(move.own) > 1
        return [
            (self.causes[each.fact].words if named else _("why"), address)
            for each, address in told
            if address
        ]

    def _working(self, change: KnownChange) -> str:
        """The address of a change's working; of one overturned since, as known on its own day. Empty where it
        was overturned on that very day.
        """
        place = [self.player.federation.code, self.player.number, change.track, change.fact]
        address = reverse("ratings:working", args=place)
        if change.until is None:
            return address
        day, ended = self.days.get(change.since), self.days.get(change.until)
        return f"{address}?on={day:%Y-%m-%d}" if day and ended and day < ended else ""


def _drifts(player: Player, asked: TwoDays) -> list[HistoryLine]:
    """The moves by others' results and by time between the two days, newest first; none where ratings do not
    move so.
    """
    if player.federation.ruleset.calendar.days_of_change is None:
        return []
    since, found = asked.since, list[HistoryLine]()
    for track in player.federation.ruleset.tracks:
        writer = HistoryWriter(player, track.code, since)
        moves = moves_of(player, track.code, since.line, states=True)
        drifts = (drift for leg in legs((player.number, track.code), moves, since) for drift in leg.drifts)
        found += [writer.drifted(drift) for drift in drifts if asked.first < drift.on <= asked.last]
    return sorted(found, key=lambda line: line.on or date.min, reverse=True)
