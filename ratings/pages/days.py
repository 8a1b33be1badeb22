"""The page of what became known of a player between two days, each move with the decision behind it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from players.access import PUBLIC, OfficeRequest, page
from players.models import Federation, Player
from players.pages.forms import parse_number
from players.settings import today
from ratings.disclosure import get_named_players, limits_of
from ratings.journal import AFTER_EVERYTHING
from ratings.models import Change, CorrectedRating, Fact, PastChange, RatingList
from ratings.pages.errata import Acts, WordedErratum, errata_of, read_acts, read_corrected, worded_errata
from ratings.pages.filters import parse_day
from ratings.pages.play import HistoryLine, HistoryWriter
from ratings.pages.players import get_counting_day_rule
from ratings.pages.responses import cached_page
from ratings.player_ratings import describe_kind, section_url
from ratings.recompute import CORRECTING_JOURNAL_KINDS
from ratings.results import AsOf, as_of, find_first_journal_day
from ratings.statement import (
    Balance,
    Moved,
    Movement,
    compute_movement,
    compute_waiting,
    read_balances,
    read_statement,
)
from ratings.workings import clause_url


# ---- Lines of the journal in words
@dataclass(frozen=True, slots=True)
class WordedCause:
    """A decision that moved ratings, by its line of the journal, in words for a page."""

    line: int
    kind: str
    on: date | None
    words: str
    url: str
    """The page of what was decided; empty if there is none."""
    why: str = ""
    """The reason of a correction, in general words."""
    clause: str = ""
    """The clause on the day from which a section counts, or the one on corrections."""
    clause_url: str = ""


def causes_of(office: Federation, lines: Sequence[Fact], acts: Acts) -> dict[int, WordedCause]:
    """Return lines of the journal in words, by number. The lines have their sections' events loaded."""
    leads = {line.number: acts.leading.get(line.number, line.number) for line in lines}
    found = errata_of(office, acts).filter(fact__number__in=leads.values())
    worded = {each.line.number: each for each in worded_errata(office, found, acts, in_full=False)}
    errata = {number: worded.get(leading) for number, leading in leads.items()}
    people = get_named_players(office, {line.subject for line in lines if line.kind in ("rank", "opening")})
    keys = [line.pk for line in lines if line.kind == "list"]
    lists = RatingList.objects.of(office).filter(fact__in=keys) if keys else RatingList.objects.none()
    listed = set(lists.order_by().values_list("fact_id", flat=True).distinct())
    return {line.number: _cause(office, line, errata.get(line.number), people, listed) for line in lines}


def _cause(
    office: Federation,
    line: Fact,
    erratum: WordedErratum | None,
    people: Mapping[str, Player],
    listed: set[int],
) -> WordedCause:
    clause = _clause(office, line, corrects=erratum is not None)
    edition = office.ruleset.edition_on_or_first(line.on)
    words, url = (erratum.title, erratum.url) if erratum else _words_and_url(office, line, people, listed)
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
        return office.equipment.office.powers.unrating_clause
    return office.ruleset.journal.counts_from


def _words_and_url(
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
        names = {"what": describe_kind(line.kind), "player": player.shown_name}
        return _("%(what)s: %(player)s") % names, player.get_absolute_url()
    return describe_kind(line.kind), ""


# ---- Changes of knowledge between two lines of the journal
KNOWN_CHANGE_COLUMNS = ("track", "order", "fact__number", "before", "after", "points", "state", "since")


class KnownChange(NamedTuple):
    """A change of a rating, as known from one line of the journal to another; for all lines of an act of
    correction stands the one that leads it.
    """

    track: str
    order: int
    fact: int
    """The number of the line that changed the rating."""
    before: Decimal | None
    after: Decimal | None
    points: Decimal | None
    state: str
    """The standing after it, as stored."""
    since: int
    """The line from which it was known."""
    until: int | None = None
    """The line that replaced it; None: it is known now."""

    def known_at(self, line: int) -> bool:
        return self.since <= line and (self.until is None or line < self.until)


@dataclass(frozen=True, slots=True)
class KnownMove(Moved):
    line: int
    track: str
    movement: Movement
    own: tuple[KnownChange, ...] = ()
    """The new changes that the line brought."""
    again: int = 0
    """The number of earlier changes that the line had recomputed or removed."""


def list_change_versions(player: Player, last_line: int, acts: Acts) -> list[KnownChange]:
    """Return every version of the player's changes that was known, up to the line `last_line`, but those
    from within an act of correction.
    """
    now = Change.objects.filter(player=player, since__lte=last_line).values_list(*KNOWN_CHANGE_COLUMNS)
    past = PastChange.objects.filter(player=player, since__lte=last_line).values_list(
        *KNOWN_CHANGE_COLUMNS, "until"
    )
    leading = acts.leading
    found = [
        each._replace(
            since=leading.get(each.since, each.since),
            until=each.until and leading.get(each.until, each.until),
        )
        for each in (KnownChange(*row) for row in [*now, *past])
    ]
    return [each for each in found if each.since != each.until]


def list_changing_lines(
    player: Player, versions: Iterable[KnownChange], after_line: int, last_line: int, acts: Acts
) -> list[int]:
    """Return the lines after `after_line` up to `last_line` that changed what is known of the player, newest
    first; of an act of correction, the one that leads it.

    A correction counts, too, if it changed no result of the player's own but moved their rating.
    """
    lines = {line for each in versions for line in (each.since, each.until) if line is not None}
    corrected = CorrectedRating.objects.filter(player=player, erratum__fact__number__gt=after_line)
    numbers = corrected.values_list("erratum__fact__number", flat=True)
    lines |= {acts.leading.get(line, line) for line in numbers}
    return sorted((line for line in lines if after_line < line <= last_line), reverse=True)


def moves_by_lines(
    player: Player,
    versions: Sequence[KnownChange],
    lines: Collection[int],
    kinds_by_line: dict[int, str],
    acts: Acts,
) -> list[KnownMove]:
    """Return the moves of the player's ratings by these lines, newest first; `kinds_by_line`: by line."""
    joined = read_corrected(player.federation, lines, acts, player=player)
    corrected = {(line, track): pair for (line, _player, track), pair in joined.items()}
    moves: list[KnownMove] = []
    for line in lines:
        touched = [each for each in versions if line in (each.since, each.until)]
        tracks = {each.track for each in touched} | {track for at, track in corrected if at == line}
        for track in sorted(tracks):
            here = [each for each in versions if each.track == track]
            corrects = kinds_by_line.get(line) in CORRECTING_JOURNAL_KINDS
            moves += _moves_by_line(player, line, track, here, corrects=corrects, corrected=corrected)
    return moves


def _moves_by_line(
    player: Player,
    line: int,
    track: str,
    found: Sequence[KnownChange],
    *,
    corrects: bool,
    corrected: dict[tuple[int, str], tuple[Decimal | None, Decimal | None]],
) -> list[KnownMove]:
    """The moves in one track by one line: one for each new change, or one for all if earlier changes were
    recomputed.
    """
    removed = {each.fact for each in found if each.until == line}
    added = sorted((each for each in found if each.since == line), key=lambda each: each.order)
    own = [] if corrects else [each for each in added if each.fact not in removed]
    again = len(removed | {each.fact for each in added} - {each.fact for each in own})
    if own and not again:
        return [KnownMove(line, track, _movement_of(player, each, found), (each,)) for each in reversed(own)]
    if not removed and not added and (line, track) in corrected:
        before, after = corrected[line, track]  # it moved by others' results alone
        if before == after:  # of an act whose lines moved it and back again
            return []
        movement = Movement(Balance(before), Balance(after))
    else:
        movement = Movement(*(_balance_at(player, found, at) for at in (line - 1, line)))
    return [KnownMove(line, track, movement, tuple(own), again)]


def _balance_at(player: Player, found: Iterable[KnownChange], line: int) -> Balance:
    newest = max((each for each in found if each.known_at(line)), key=lambda each: each.order, default=None)
    return Balance(newest.after, _waiting_after(player, newest)) if newest else Balance()


def _waiting_after(player: Player, change: KnownChange) -> Decimal:
    key = player.number, change.track
    return compute_waiting(player.federation, {key: change.state}).get(key, Decimal(0))


def _movement_of(player: Player, change: KnownChange, found: Iterable[KnownChange]) -> Movement:
    waiting, waited = _waiting_after(player, change), Decimal(0)
    if change.after is None:
        earlier = (each for each in found if each.order < change.order)
        waited = _balance_at(player, earlier, change.since).waiting
    return compute_movement(change.before, change.points, change.after, waiting, waited)


# ---- Changes of a player between two days
A_YEAR = timedelta(days=365)
LINES = 30
"""The most lines of the journal on one page."""
MOST_DRIFTS = 60
"""The most moves without a game of the player's on one page, the newest."""


@dataclass(frozen=True, slots=True)
class TwoDays:
    """What was known at the end of two days, the first not after the last, between which a page shows what
    changed.
    """

    first: AsOf
    last: AsOf
    today: date
    began: date
    """The first day of the record."""


def parse_two_days(request: OfficeRequest) -> TwoDays:
    """Parse the days `from` and `to` of an address, in either order; by default today, and a year before
    that, but no day before the record. Raises Http404 if one is no day of the record.
    """
    office, now = request.office, today(request.office)
    began = find_first_journal_day(office) or now
    last = parse_day(office, request.GET.get("to"), now, began) or now
    first = parse_day(office, request.GET.get("from"), now, began) or max(began, last - A_YEAR)
    first, last = min(first, last), max(first, last)
    return TwoDays(as_of(office, first, now), as_of(office, last, now), now, began)


@page(PUBLIC, caching=cached_page)
def changes_of_player(request: OfficeRequest, number: str) -> HttpResponseBase:
    people = Player.objects.of(request.office).select_related("federation", "merged_into__federation")
    player = get_object_or_404(people, number=number)
    asked = parse_two_days(request)
    if player.merged_into and asked.last.was_merged(number):
        address = reverse("ratings:player_changes", args=[request.office.code, player.merged_into.number])
        return redirect(f"{address}?{request.GET.urlencode()}" if request.GET else address)
    days = {"from": f"{asked.first.day:%Y-%m-%d}", "to": f"{asked.last.day:%Y-%m-%d}"}
    moves, last = _moves(request, player, asked)
    drifts = _drifts(player, asked)
    context: dict[str, Any] = {
        "player": player,
        "title": limits_of(request.office).title(player),
        "asked": asked,
        "tracks": _ratings_on_days(player, asked),
        "moves": moves,
        "older": f"?{urlencode({**days, 'before': str(last)})}" if last else "",
        "newest": f"?{urlencode(days)}" if "before" in request.GET else "",
        "drifts": drifts[:MOST_DRIFTS],
        "drifts_left": max(0, len(drifts) - MOST_DRIFTS),
        "dating": get_counting_day_rule(request.office, asked.last.day),
    }
    return render(request, "ratings/player_changes.html", context)


def _ratings_on_days(player: Player, asked: TwoDays) -> list[dict[str, Any]]:
    """The player's ratings as known on the two days, in the order of tracks, if there are any."""
    before, after = (
        read_balances(player.federation.ruleset, known.player_state(player), known.day)
        for known in (asked.first, asked.last)
    )
    return [
        {"track": track.code, "movement": Movement(before.get(key, Balance()), after.get(key, Balance()))}
        for track in player.federation.ruleset.tracks
        if (key := (player.number, track.code)) in before or key in after
    ]


def _moves(request: OfficeRequest, player: Player, asked: TwoDays) -> tuple[list[dict[str, Any]], int | None]:
    """One page of moves between the two days, newest first, and the line below which older ones are.

    Each move has its cause, None where several lines were taken in together, and for each new change the
    words and the address of its working.
    """
    first, last = (AFTER_EVERYTHING if each.line is None else each.line for each in (asked.first, asked.last))
    acts = read_acts(player.federation)
    found = list_change_versions(player, last, acts)
    below = parse_number(request.GET.get("before"))
    lines = [
        each
        for each in list_changing_lines(player, found, first, last, acts)
        if below is None or each < below
    ]
    here = lines[:LINES]
    shown = set(here)
    added = [each for each in found if each.since in shown]
    numbers = {*shown, *(each.fact for each in added), *(each.until for each in added if each.until)}
    rows = Fact.objects.filter(federation=player.federation, number__in=numbers)
    rows = rows.select_related("section__event").defer("particulars", "pres")
    facts = {each.number: each for each in rows}
    moves = moves_by_lines(player, found, here, {number: fact.kind for number, fact in facts.items()}, acts)
    causes = causes_of(player.federation, list(facts.values()), acts)
    writer = _WorkingLinks(player, {number: fact.on for number, fact in facts.items()}, causes)
    caused = [
        {"move": each, "cause": writer.cause(each), "workings": writer.workings(each)} for each in moves
    ]
    return caused, here[-1] if len(lines) > LINES else None


@dataclass(frozen=True, slots=True)
class _WorkingLinks:
    player: Player
    days: Mapping[int, date | None]
    causes: Mapping[int, WordedCause]

    def cause(self, move: KnownMove) -> WordedCause | None:
        """The decision that caused a move: that of its line, or of its single new change."""
        line = move.own[0].fact if len(move.own) == 1 else move.line
        cause = self.causes.get(line)
        return cause if cause is not None and cause.kind != "section" else None

    def workings(self, move: KnownMove) -> list[tuple[str, str]]:
        several = len(move.own) > 1
        return [
            (self.causes[each.fact].words if several else _("why"), address)
            for each in move.own
            if (address := self._working(each))
        ]

    def _working(self, change: KnownChange) -> str:
        """The address of a change's working; of one that was replaced, as known on its own day. Empty if it
        was replaced on that very day.
        """
        place = [self.player.federation.code, self.player.number, change.track, change.fact]
        address = reverse("ratings:working", args=place)
        if change.until is None:
            return address
        day, ended = self.days.get(change.since), self.days.get(change.until)
        return f"{address}?on={day:%Y-%m-%d}" if day and ended and day < ended else ""


def _drifts(player: Player, asked: TwoDays) -> list[HistoryLine]:
    """The moves by others' results and by time between the two days, newest first."""
    if player.federation.ruleset.calendar.days_of_change is None:
        return []
    found = list[HistoryLine]()
    for track in player.federation.ruleset.tracks:
        writer = HistoryWriter(player, track.code, asked.last)
        found += [
            writer.line(row)
            for row in read_statement(player, track.code, asked.last)
            if row.drift is not None and asked.first.day < row.drift.on <= asked.last.day
        ]
    return sorted(found, key=lambda line: line.on or date.min, reverse=True)
