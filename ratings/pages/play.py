"""The context of a player's page: the history of a rating, the games of each section, and their results."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal, localcontext
from itertools import zip_longest
from typing import Any, NamedTuple
from urllib.parse import quote

from django.db.models import Exists, OuterRef, QuerySet, Value
from django.urls import reverse
from django.utils.translation import gettext as _

from players.access import OfficeRequest
from players.models import Federation, Player
from ratings import player_ratings
from ratings.cross_tables import GAME_KINDS, format_points, game_mark_and_style
from ratings.journal import aliases_at
from ratings.models import Change, CorrectedRating, Fact
from ratings.pages.errata import TitledErratum
from ratings.pages.rule_tables import worded_steps, worded_tables
from ratings.results import AsOf, ChangeOfFact, ChangeWithDrifts, Drift
from ratings.rulesets.facts import PLAYED, State
from ratings.rulesets.journal import root
from ratings.rulesets.ruleset import CONTEXT
from tournaments.models import IN_RATED_SECTION, Bye, Entry, Game


# ---- The history of a rating, line by line
@dataclass(frozen=True, slots=True)
class HistoryLine:
    on: date | None
    words: str
    url: str
    """The URL of the section's page; empty if there is none."""
    working_url: str
    before: Decimal | None
    points: Decimal | None
    after: Decimal | None
    waits: bool = False
    """Whether the points change the rating in force only with the next list."""
    others: bool = False
    """Whether the rating changed without a game of the player's, by others' results or by time."""
    folded: Sequence[HistoryLine] = ()
    """The lines that this one sums up, newest first."""
    erratum: bool = False
    """Whether it reports a correction; all other lines already show the corrected figures."""
    section: str = ""
    """The id of the rated section; empty for lines about anything else."""
    order: int = 0
    """The order of its fact in the journal."""

    @property
    def step(self) -> Decimal | None:
        """The points by which this line changes the rating in force; a column of these adds up."""
        return _difference(self.before, self.after) if self.waits else self.points

    @property
    def kept(self) -> Decimal | None:
        """The points that wait for the next list, whose own line adds them; None where none wait."""
        if not self.waits or self.points is None or self.step is None:
            return None
        return self.points - self.step


MOST_UNFOLDED_LINES = 2
"""The most lines of others' play and time that are shown singly; more are folded into one."""


@dataclass(frozen=True, slots=True)
class HistoryWriter:
    """Write the history of one player's rating in one track, as known on a day."""

    player: Player
    track: str
    asked: AsOf

    def lines(self, legs: Sequence[ChangeWithDrifts], *, newest: bool) -> Iterator[HistoryLine]:
        """Yield the lines of these changes and of the drifts after each, all newest first.

        A drift is a change by others' results or by time. The drifts after the first change are included
        only if it is the player's newest (`newest`).
        """
        day: date | None = None
        for at, (leg, earlier) in enumerate(zip_longest(legs, legs[1:])):
            if at or newest:
                yield from fold_lines([self.drift_line(drift) for drift in reversed(leg.drifts)])
            shown_day = player_ratings.get_shown_move_day(leg.move, day)
            yield replace(self.line(leg.move, earlier), on=shown_day)
            day = shown_day or day

    def line(self, move: ChangeOfFact, earlier: ChangeWithDrifts | None) -> HistoryLine:
        """The line of one change; its rating before takes in the drifts since the earlier change."""
        worded = player_ratings.describe_move(move, self.office)
        drifts = earlier.drifts if earlier else ()
        before = earlier.after if earlier and drifts else move.before
        return HistoryLine(
            on=move.on,
            words=player_ratings.opening_html(move, self.office) if move.kind == "opening" else worded.words,
            url=f"{worded.url}?track={self.track}" if worded.url else "",
            working_url=self.working_url(move),
            before=before,
            points=_difference(before, move.after) if drifts else worded.gained,
            after=move.after,
            waits=worded.waits and not drifts,
            section=move.section,
            order=move.order,
        )

    @property
    def office(self) -> Federation:
        return self.asked.federation

    def drift_line(self, drift: Drift) -> HistoryLine:
        """The line of a change without a game of the player's."""
        words, url = _("Time: older results weigh less"), ""
        if drift.cause is not None:
            names = {"event": drift.cause.event_name, "section": drift.cause.name}
            words = _("Others: %(event)s, %(section)s") % names
            url = player_ratings.section_url(self.office, drift.cause.event, drift.cause.code)
        working = f"{self.player.get_absolute_url()}?track={self.track}&on={drift.on:%Y-%m-%d}#counts"
        return HistoryLine(
            drift.on, words, url, working, drift.before, drift.points, drift.after, others=True
        )

    def working_url(self, move: ChangeOfFact) -> str:
        address = reverse(
            "ratings:working", args=[self.office.code, self.player.number, self.track, move.line]
        )
        return address if self.asked.line is None else f"{address}?on={self.asked.day:%Y-%m-%d}"


def merge_errata(
    lines: Sequence[HistoryLine],
    errata: Iterable[tuple[TitledErratum, CorrectedRating]],
    newest: date | None = None,
    oldest: date | None = None,
) -> list[HistoryLine]:
    """Merge a player's corrections into the lines of the history by their day, both newest first.

    Only corrections after `oldest` and up to `newest` are merged; the others belong to other pages.
    """
    first, last = oldest or date.min, newest or date.max
    waiting = [
        HistoryLine(each.on, each.title, each.url, "", rating.before, None, rating.after, erratum=True)
        for each, rating in errata
        if each.on and first < each.on <= last
    ]
    merged: list[HistoryLine] = []
    for line in lines:
        while waiting and (waiting[0].on or date.max) >= (line.on or date.min):
            merged.append(waiting.pop(0))
        merged.append(line)
    return [*merged, *waiting]


def fold_lines(lines: Sequence[HistoryLine]) -> Sequence[HistoryLine]:
    """Fold lines of others' play and time, newest first, into one if there are many."""
    if len(lines) <= MOST_UNFOLDED_LINES:
        return lines
    newest, oldest = lines[0], lines[-1]
    moved = newest.after is not None and oldest.before is not None
    return [
        replace(
            newest,
            words=_("Other players’ results, and time"),
            url="",
            before=oldest.before,
            points=newest.after - oldest.before if moved else None,  # type: ignore[operator]
            folded=lines,
        )
    ]


def _difference(before: Decimal | None, after: Decimal | None) -> Decimal | None:
    return None if before is None or after is None else after - before


# ---- A player's games in rated sections
@dataclass(frozen=True, slots=True)
class OwnGame:
    """A game from the player's own side."""

    round: int
    order: int
    side: int
    """0: the player moved first; 1: second."""
    result: str
    """As the journal writes it, the first mover's side first."""
    opponent: Player | None
    """The opponent as the register has them today; None if the entry has no player."""
    mark: str
    kind: str
    """`won`, `drawn` or `lost`; `unplayed` where it was decided without play."""

    @property
    def played(self) -> bool:
        return self.result in PLAYED

    @property
    def score(self) -> Decimal:
        return PLAYED[self.result][self.side]


@dataclass(frozen=True, slots=True)
class PlayInSection:
    """A player's place, score and games in one rated section, as its cross table shows them."""

    key: str
    """The section's id in the journal."""
    event_name: str
    name: str
    url: str
    ends: date
    place: int | None
    score: str
    rounds: int
    """The number of the player's games and byes."""
    games: tuple[OwnGame, ...]


class SideResults(NamedTuple):
    """Games won, drawn and lost."""

    words: str
    won: int
    drawn: int
    lost: int

    @property
    def games(self) -> int:
        return self.won + self.drawn + self.lost


@dataclass(slots=True)
class Meetings:
    """The games against one opponent, with the player's score in them."""

    opponent: Player
    won: int = 0
    drawn: int = 0
    lost: int = 0
    points: Decimal = Decimal(0)
    last: date = date.min
    games: list[tuple[PlayInSection, OwnGame]] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.games)


ENTRY_FIELDS = (
    *("pk", "section_id"),
    *("section__event__number", "section__event__name"),
    *("section__code", "section__name", "section__starts", "section__ends", "section__format"),
    *("place", "points"),
)
PLAYER_FIELDS = ("id", "number", "surname", "first_name", "withheld")


def get_play_by_section(player: Player, asked: AsOf) -> dict[str, PlayInSection]:
    """A player's play in the sections rated by a day, by the section's id, newest first.

    For a past day, sections corrected since are left out, as their games are no longer as known then.
    """
    office = player.federation
    if asked.line is None:
        theirs = Entry.objects.filter(IN_RATED_SECTION, player__in=Player.objects.keys_with_merged(player))
    else:
        # By section alone: given the federation too, SQLite would walk through all rated lines for each.
        here = Fact.objects.filter(section=OuterRef("section"), kind="rated").in_force(asked.line)
        merged = list(player.merged.all())
        if merged:
            names = aliases_at(asked.federation, asked.line)
            merged = [each for each in merged if root(names, each.number) == player.number]
        theirs = Entry.objects.filter(player__in=[player, *merged])
        theirs = theirs.filter(Exists(here) & ~Exists(here.exclude(taken_back=None)))
    entries = list(theirs.order_by("-section__ends", "-pk").values_list(*ENTRY_FIELDS))
    with_games = [row[0] for row in entries if row[8] != "placement"]
    people: dict[int, Player] = {}
    games: dict[int, list[OwnGame]] = defaultdict(list)
    for section, *row in _games(with_games) if with_games else ():
        games[section].append(_game(office, row, people))
    byes: dict[int, list[tuple[int, str]]] = defaultdict(list)
    found = Bye.objects.filter(entry__in=with_games).order_by()
    for section, entry, kind in found.values_list("section_id", "entry_id", "kind") if with_games else ():
        byes[section].append((entry, kind))
    return {play.key: play for row in entries for play in [_play(office, row, games[row[1]], byes[row[1]])]}


def _games(entries: Sequence[int]) -> QuerySet[Any, tuple[Any, ...]]:
    """The games of these entries: section, round, order, result, the opponent, the player into whom the
    opponent was merged, and the side of the entry.
    """

    def side(own: str, other: str, number: int) -> QuerySet[Any, tuple[Any, ...]]:
        opponent = [f"{other}__player__{name}" for name in PLAYER_FIELDS]
        merged_into = [f"{other}__player__merged_into__{name}" for name in PLAYER_FIELDS]
        games = Game.objects.filter(**{f"{own}__in": entries}).order_by().annotate(side=Value(number))
        return games.values_list("section_id", "round", "order", "result", *opponent, *merged_into, "side")

    return side("first", "second", 0).union(side("second", "first", 1), all=True)


def _game(office: Federation, row: Sequence[Any], people: dict[int, Player]) -> OwnGame:
    number, order, result, *fields, side = row
    opponent, merged_into = fields[: len(PLAYER_FIELDS)], fields[len(PLAYER_FIELDS) :]
    if merged_into[0] is not None:
        opponent = merged_into
    key = opponent[0]
    if key is not None and key not in people:
        people[key] = Player(federation=office, **dict(zip(PLAYER_FIELDS, opponent, strict=True)))
    mark, kind = game_mark_and_style(result, side, office.publication.notation)
    return OwnGame(number, order, side, result, people[key] if key is not None else None, mark, kind)


def _play(
    office: Federation, row: tuple[Any, ...], games: Iterable[OwnGame], byes: Sequence[tuple[int, str]]
) -> PlayInSection:
    entry, _section, number, event_name, code, name, starts, ends, form, place, points = row
    ordered = tuple(sorted(games, key=lambda game: (game.round, game.order)))
    if form == "placement":
        score = format_points(points)
    else:
        pairs = ((entry, 0, each.result) if not each.side else (0, entry, each.result) for each in ordered)
        totals = office.ruleset.edition_on_or_first(starts).scoring.totals(pairs, byes)  # D-9
        score = office.publication.notation.score(totals[entry]) if ordered or byes else format_points(points)
    return PlayInSection(
        key=f"{number}/{code}",
        event_name=event_name,
        name=name,
        url=f"{office.get_absolute_url()}events/{quote(number, safe='')}/{quote(code, safe='')}/",
        ends=ends,
        place=place,
        score=score,
        rounds=len(ordered) + len(byes),
        games=ordered,
    )


def count_by_side_and_in_all(games: Iterable[OwnGame], sides: tuple[str, str]) -> list[SideResults]:
    """Count the games won, drawn and lost with each side, and all together; empty without games."""
    counts = Counter((game.side, GAME_KINDS[game.score]) for game in games if game.played)
    if not counts:
        return []
    rows = [
        SideResults(_(words), *(counts[side, kind] for kind in GAME_KINDS.values()))
        for side, words in enumerate(sides)
    ]
    return [
        *rows,
        SideResults(_("all games"), *(counts[0, kind] + counts[1, kind] for kind in GAME_KINDS.values())),
    ]


def meetings(plays: Iterable[PlayInSection]) -> list[Meetings]:
    """The opponents in some sections, the most frequent first, then the one met last.

    They are never sorted by name, because the place of a withheld player would give away the name.
    """
    found: dict[int, Meetings] = {}
    for play in plays:
        for game in play.games:
            if not game.played or game.opponent is None:
                continue
            each = found.setdefault(game.opponent.pk, Meetings(game.opponent))
            kind = GAME_KINDS[game.score]
            setattr(each, kind, getattr(each, kind) + 1)
            each.points += game.score
            each.last = max(each.last, play.ends)
            each.games.append((play, game))
    return sorted(
        found.values(), key=lambda each: (-each.count, -each.last.toordinal(), each.opponent.number)
    )


# ---- The history as one row for each event
@dataclass(frozen=True, slots=True)
class ListedOn:
    """The list that took in a section's points, with the rating on it."""

    words: str
    rating: Decimal | None
    working_url: str


@dataclass(frozen=True, slots=True)
class MeasuredGame:
    """A game with the opponent's rating before the section, and the expected score."""

    game: OwnGame
    rating: Decimal | None
    """None if the opponent was unrated, or had no one rating for the whole section."""
    expected: Decimal | None


@dataclass(frozen=True, slots=True)
class EventRow:
    """A line of the history; the line of a section has the player's games in it."""

    line: HistoryLine
    play: PlayInSection | None = None
    games: Sequence[MeasuredGame] = ()
    listed: ListedOn | None = None
    """None if no list has taken in the section's points yet, or they changed the rating at once."""

    @property
    def average(self) -> Decimal | None:
        """The average rating of the rated opponents."""
        ratings = [each.rating for each in self.games if each.rating is not None]
        return sum(ratings, Decimal(0)) / len(ratings) if ratings else None

    @property
    def expected(self) -> Decimal | None:
        """The expected score; None where that of a played game is not known."""
        known = [each.expected for each in self.games if each.expected is not None and each.game.played]
        played = sum(each.game.played for each in self.games)
        return sum(known, Decimal(0)) if known and len(known) == played else None

    @property
    def after(self) -> Decimal | None:
        return self.listed.rating if self.listed else self.line.after


def lists_by_section_order(legs: Sequence[ChangeWithDrifts]) -> dict[int, ChangeOfFact]:
    """The list that took in the points of each section whose points waited, by the section's order.

    `legs` are newest first.
    """
    found: dict[int, ChangeOfFact] = {}
    list_after: ChangeOfFact | None = None
    for leg in legs:
        if leg.move.kind == "list":
            list_after = leg.move
        elif list_after is not None and _waits(leg.move):
            found[leg.move.order] = list_after
    return found


def _waits(move: ChangeOfFact) -> bool:
    effect = _difference(move.before, move.after)
    return move.points is not None and effect is not None and move.points != effect


def rows_of(
    lines: Sequence[HistoryLine],
    plays: Mapping[str, PlayInSection],
    lists: Mapping[int, ChangeOfFact],
    writer: HistoryWriter,
) -> list[EventRow]:
    """One row for each line of a history, with the play in its section."""
    ratings = _ratings_before(lines, plays, writer)
    return [
        EventRow(
            line,
            play=(play := plays.get(line.section)),
            games=_event_games(line, play, ratings, writer.office) if play else (),
            listed=_listed_on(lists.get(line.order), writer) if line.section else None,
        )
        for line in lines
    ]


def _listed_on(move: ChangeOfFact | None, writer: HistoryWriter) -> ListedOn | None:
    if move is None or move.on is None:
        return None
    label = f"{move.on:%Y-%m}" if move.on.day == 1 else move.on.isoformat()
    return ListedOn(_("list %(label)s") % {"label": label}, move.after, writer.working_url(move))


def _ratings_before(
    lines: Sequence[HistoryLine], plays: Mapping[str, PlayInSection], writer: HistoryWriter
) -> Mapping[tuple[int, int], Decimal]:
    """The opponents' ratings before these lines' sections, by the line's order and the opponent's key.

    Empty for a past day, and where ratings change between sections: the stored rating is not that of the day.
    """
    orders = {line.order: plays[line.section] for line in lines if line.section in plays}
    people = {game.opponent.pk for play in orders.values() for game in play.games if game.opponent}
    moving = writer.office.ruleset.calendar.days_of_change is not None
    if not people or moving or writer.asked.line is not None:
        return {}
    changes = Change.objects.filter(player__in=people, track=writer.track, order__in=list(orders))
    known = changes.values_list("order", "player_id", "before")
    return {(order, player): before for order, player, before in known if before is not None}


def _event_games(
    line: HistoryLine,
    play: PlayInSection,
    ratings: Mapping[tuple[int, int], Decimal],
    office: Federation,
) -> list[MeasuredGame]:
    expected = office.ruleset.figures.expected
    rows = []
    for game in play.games:
        rating = ratings.get((line.order, game.opponent.pk)) if game.opponent else None
        known = expected is not None and game.played and rating is not None and line.before is not None
        score = expected(line.before, rating, game.side == 0) if known else None  # type: ignore[misc, arg-type]
        rows.append(MeasuredGame(game, rating, score))
    return rows


def holdings_context(
    request: OfficeRequest, player: Player, track: str, state: State[Any], on: date
) -> dict[str, Any]:
    """The context of a player's page with the ranks held, what keeps the player listed, and the results that
    count in a track on a day; the state must hold the player.
    """
    office, number = request.office, player.number
    edition = office.ruleset.edition_on_or_first(on)
    with localcontext(CONTEXT):
        held = office.ruleset.figures.held(state, number, on)
        listed = office.ruleset.figures.listed(state, number, track, on)
        counts = office.ruleset.figures.counts(state, number, track, on)
    found: dict[str, Any] = {
        "held": worded_steps(held, request, edition),
        "listed": worded_steps(listed, request, edition),
    }
    if counts and (counts.table.rows or counts.steps):
        found["counts"], *found["counts_missed"] = worded_tables(
            office, [counts.table, *([counts.missed] if counts.missed else [])], edition
        )
        found["counts_steps"] = worded_steps(counts.steps, request, edition)
    return found
