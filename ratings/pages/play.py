"""The context of a player's page: the history of a rating, the games of each section, and their results."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal, localcontext
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import quote

from django.db.models import Exists, OuterRef, QuerySet, Value
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from players.access import OfficeRequest
from players.display import Mark
from players.models import Federation, Player
from players.settings import edition_in_force
from ratings import player_ratings
from ratings.cross_tables import GAME_KINDS, format_points, game_mark_and_style
from ratings.disclosure import tell_apart
from ratings.journal import aliases_at
from ratings.models import Change, Fact
from ratings.pages.errata import TitledErratum
from ratings.pages.rule_tables import worded_steps, worded_tables
from ratings.results import AsOf, ChangeOfFact, Drift
from ratings.rulesets import journal_lines
from ratings.rulesets.facts import PLAYED, Opening, State
from ratings.rulesets.journal import root
from ratings.rulesets.ruleset import CONTEXT, Ruleset
from ratings.statement import FLOOR, Balance, Moved, Movement, StatementRow
from tournaments.models import IN_RATED_SECTION, Bye, Entry, Game


# ---- The history of a rating, line by line
@dataclass(frozen=True, slots=True)
class PublishedOtherwise:
    """What a published list said of a rating, where today's knowledge says another."""

    published: Decimal
    known: Decimal | None
    url: str
    """The page of the erratum, or of the list where none names the player."""


@dataclass(frozen=True, slots=True)
class HistoryLine(Moved):
    """A row of a statement in words."""

    on: date | None
    """Its day: of a section, the last day of play."""
    words: str
    url: str
    """The URL of the section's page; empty if there is none."""
    working_url: str
    movement: Movement
    counts_on: date | None = None
    """The day from which it counts (D-1)."""
    rated_on: date | None = None
    """The day on which a section was rated, if it counts from then."""
    began_from: Decimal | None = None
    """The initial rating with which a newcomer was rated."""
    others: bool = False
    """Whether the rating changed without a game of the player's, by others' results or by time."""
    folded: Sequence[HistoryLine] = ()
    """The lines that this one sums up, newest first."""
    published: PublishedOtherwise | None = None
    """Of a list: what it said otherwise."""
    closes: bool = False
    """Whether it is a list's."""
    section: str = ""
    """The id of the rated section; empty for lines about anything else."""
    order: int = 0
    """The order of its fact in the journal."""


MOST_UNFOLDED_LINES = 2
"""The most lines of others' play and time that are shown singly; more are folded into one."""


@dataclass(frozen=True, slots=True)
class HistoryWriter:
    """Write the statement of one player's rating in one track, as known on a day, in words."""

    player: Player
    track: str
    asked: AsOf

    def lines(self, rows: Iterable[StatementRow]) -> Iterator[HistoryLine]:
        """Yield the lines of these rows, newest first, with many drifts of a month folded into one."""
        moving = (row for row in rows if row.drift is None or row.movement.moves)
        dated = player_ratings.iterate_dated(moving, self.office.ruleset)
        for (drifted, _month), some in groupby(
            dated, key=lambda each: (each[1].drift is not None, each[0] and each[0].replace(day=1))
        ):
            lines = [self.line(row) for _day, row in some]
            yield from fold_lines(lines) if drifted else lines

    def line(self, row: StatementRow) -> HistoryLine:
        if row.drift is not None:
            return self._drift_line(row, row.drift)
        move, ruleset = row.move, self.office.ruleset
        words, url = player_ratings.describe_move(move, self.office)
        ends = move.ends if move.section else None
        own = f"track={self.track}" if move.section else f"player={self.player.number}"
        by_play = ruleset.in_order_of_play and ends is not None
        return HistoryLine(
            on=ends or move.on,
            words=player_ratings.opening_html(move, self.office) if move.kind == "opening" else words,
            url=f"{url}?{own}#p{self.player.number}" if url else "",
            working_url=self.working_url(move),
            movement=row.movement,
            counts_on=player_ratings.get_counting_day(move, ruleset),
            rated_on=None if by_play or ends in (None, move.on) else move.on,
            began_from=ruleset.figures.initial if ends and row.before is None and row.after else None,
            closes=move.kind in ("list", FLOOR),
            section=move.section,
            order=move.order,
        )

    @property
    def office(self) -> Federation:
        return self.asked.federation

    def _drift_line(self, row: StatementRow, drift: Drift) -> HistoryLine:
        """The line of a change without a game of the player's."""
        words, url = _("Time: older results weigh less"), ""
        if drift.cause is not None:
            names = {"event": drift.cause.event_name, "section": drift.cause.name}
            words = _("Others: %(event)s, %(section)s") % names
            url = player_ratings.section_url(self.office, drift.cause.event, drift.cause.code)
        working = f"{self.player.get_absolute_url()}?track={self.track}&on={drift.on:%Y-%m-%d}#counts"
        return HistoryLine(drift.on, words, url, working, row.movement, drift.on, others=True)

    def working_url(self, move: ChangeOfFact) -> str:
        address = reverse(
            "ratings:working", args=[self.office.code, self.player.number, self.track, move.line]
        )
        return address if self.asked.line is None else f"{address}?on={self.asked.day:%Y-%m-%d}"


def add_published(
    lines: Sequence[HistoryLine],
    marks: Iterable[Mark],
    errata: Sequence[TitledErratum],
    newest: date | None = None,
    oldest: date | None = None,
) -> list[HistoryLine]:
    """The lines of the history, newest first, with what published lists said otherwise: in the list's own
    line, or in one that moves nothing. `errata`: those that moved the player, newest first. Only lists after
    `oldest` and up to `newest` are told; the others belong to other pages.
    """
    first, last = oldest or date.min, newest or date.max
    found = list(lines)
    for mark in marks:
        if not mark.differs or not first < mark.on <= last:
            continue
        later = [each.url for each in errata if each.on and each.on >= mark.on]
        said = PublishedOtherwise(mark.rating, mark.known, later[-1] if later else mark.url)
        own = [at for at, line in enumerate(found) if line.closes and line.counts_on == mark.on]
        if own:
            found[own[0]] = replace(found[own[0]], published=said)
            continue
        days = [line.counts_on or date.min for line in found]
        at = next((at for at, day in enumerate(days) if day <= mark.on), len(found))
        if at < len(found):
            balance = found[at].movement.after
        else:
            balance = found[-1].movement.before if found else Balance()
        words = _("List of %(day)s") % {"day": date_format(mark.on, "DATE_FORMAT")}
        unmoved = Movement(balance, balance)
        found.insert(
            at,
            HistoryLine(mark.on, words, mark.url, "", unmoved, mark.on, published=said, closes=True),
        )
    return found


def fold_lines(lines: Sequence[HistoryLine]) -> Sequence[HistoryLine]:
    """Fold lines of others' play and time, newest first, into one if there are many."""
    if len(lines) <= MOST_UNFOLDED_LINES:
        return lines
    newest, oldest = lines[0], lines[-1]
    return [
        replace(
            newest,
            words=_("Other players’ results, and time"),
            url="",
            movement=Movement(oldest.movement.before, newest.movement.after),
            folded=lines,
        )
    ]


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
    tell_apart(office, people.values())
    byes: dict[int, list[tuple[int, str]]] = defaultdict(list)
    found = Bye.objects.filter(entry__in=with_games).order_by()
    for section, entry, kind in found.values_list("section_id", "entry_id", "kind") if with_games else ():
        byes[section].append((entry, kind))
    return {
        play.key: play
        for row in entries
        for play in [_play(office, player.number, row, games[row[1]], byes[row[1]])]
    }


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
    office: Federation,
    player: str,
    row: tuple[Any, ...],
    games: Iterable[OwnGame],
    byes: Sequence[tuple[int, str]],
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
        url=f"{office.get_absolute_url()}events/{quote(number, safe='')}/{quote(code, safe='')}/#p{player}",
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


def explain_games_counted(
    request: OfficeRequest, tallies: Sequence[SideResults], moves: Sequence[ChangeOfFact]
) -> dict[str, Any] | None:
    """Compare the games played with those that the rating counts; None if they are as many, or none was
    played. `moves`: newest first.

    `earlier`: games that came with a rating taken over; `uncounted`: those played that do not count, with
    the `reason` in words.
    """
    if not tallies or tallies[-1].games == moves[0].games:
        return None
    ruleset, played, counted = request.office.ruleset, tallies[-1].games, moves[0].games
    lines = (journal_lines.parse_line(move.text, ruleset) for move in moves if move.kind == "opening")
    earlier = next((line.games for line in lines if isinstance(line, Opening)), 0)
    uncounted, step = max(0, played + earlier - counted), ruleset.figures.uncounted
    reasons = (
        worded_steps((step,), request, edition_in_force(request.office)) if step and uncounted else [None]
    )
    return {"counted": counted, "earlier": earlier, "uncounted": uncounted, "reason": reasons[0]}


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


def rows_of(
    lines: Sequence[HistoryLine],
    plays: Mapping[str, PlayInSection],
    writer: HistoryWriter,
) -> list[EventRow]:
    """One row for each line of a history, with the play in its section."""
    ratings = _ratings_before(lines, plays, writer)
    return [
        EventRow(
            line,
            play=(play := plays.get(line.section)),
            games=_event_games(line, play, ratings, writer.office) if play else (),
        )
        for line in lines
    ]


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
    expected, own = office.ruleset.figures.expected, line.movement.before.rating
    rows = []
    for game in play.games:
        rating = ratings.get((line.order, game.opponent.pk)) if game.opponent else None
        known = expected is not None and game.played and rating is not None and own is not None
        score = expected(own, rating, game.side == 0) if known else None  # type: ignore[misc, arg-type]
        rows.append(MeasuredGame(game, rating, score))
    return rows


# ---- A statement by months
@dataclass(frozen=True, slots=True)
class StatementMonth:
    """What one month did to a rating."""

    first: date | None
    """Its first day; None for openings without one."""
    movement: Movement
    """From its opening to its closing."""
    rows: Sequence[EventRow] = ()
    """Its rows, oldest first."""


def sort_into_months(
    rows: Iterable[StatementRow], ruleset: Ruleset
) -> list[tuple[date | None, list[StatementRow]]]:
    """The rows of a statement by the first day of the month from which they count (D-1); all newest first."""
    dated = player_ratings.iterate_dated(rows, ruleset)
    months = groupby(dated, key=lambda each: each[0] and each[0].replace(day=1))
    return [(month, [row for _day, row in some]) for month, some in months]


def statement_months(rows: Sequence[EventRow], newest: date | None) -> list[StatementMonth]:
    """Rows of a history, newest first, as a statement by months, the newest first. `newest`: the day of the
    first row's month, if later ones stand elsewhere.
    """
    dated: list[tuple[date | None, EventRow]] = []
    following = newest
    for row in rows:
        day = row.line.counts_on
        following = day if day and (following is None or day < following) else following
        dated.append((following and following.replace(day=1), row))
    found = []
    for month, some in groupby(dated, key=lambda each: each[0]):
        own = [row for _month, row in some]
        movement = Movement(own[-1].line.movement.before, own[0].line.movement.after)
        found.append(StatementMonth(month, movement, own[::-1]))
    return found


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
        activity = office.ruleset.figures.activity(state, number, track)
        counts = office.ruleset.figures.counts(state, number, track, on)
    found: dict[str, Any] = {
        "held": worded_steps(held, request, edition),
        "listed": worded_steps((*listed, *([activity] if activity else [])), request, edition),
    }
    if counts and (counts.table.rows or counts.steps):
        found["counts"], *found["counts_missed"] = worded_tables(
            office, [counts.table, *([counts.missed] if counts.missed else [])], edition
        )
        found["counts_steps"] = worded_steps(counts.steps, request, edition)
    return found


def get_ratings_before(player: Player, others: Collection[int]) -> dict[tuple[str, str], dict[int, Decimal]]:
    """The ratings of a player and of others, by key, before each rated section of the player's, by the id of
    the section and the track; empty where ratings change between sections.
    """
    if player.federation.ruleset.calendar.days_of_change is not None:
        return {}
    entries = Entry.objects.filter(IN_RATED_SECTION, player__in=Player.objects.keys_with_merged(player))
    changes = Change.objects.filter(fact__section__in=entries.values("section"), fact__kind="rated")
    rows = changes.filter(player__in=[player.pk, *others]).exclude(before=None).order_by()
    columns = ("fact__section__event__number", "fact__section__code", "track", "player_id", "before")
    found: dict[tuple[str, str], dict[int, Decimal]] = defaultdict(dict)
    for number, code, track, who, before in rows.values_list(*columns):
        if before is not None:
            found[f"{number}/{code}", track][who] = before
    return found
