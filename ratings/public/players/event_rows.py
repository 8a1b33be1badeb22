"""A player's history as one row an event: score, opponents, expected score, change and the new rating."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext as _

from players.office.models import Federation
from ratings.public.players.history import HistoryLine, HistoryWriter
from ratings.public.players.play import OwnGame, PlayInSection
from ratings.results.changes_between_facts import ChangeWithDrifts
from ratings.results.models import Change
from ratings.results.rating_changes import ChangeOfFact


@dataclass(frozen=True, slots=True)
class ListedOn:
    """The list that took a section's points in, with the rating on it."""

    words: str
    rating: Decimal | None
    working_url: str


@dataclass(frozen=True, slots=True)
class MeasuredGame:
    """A game with the opponent's rating before the section, and the score that the rules expected."""

    game: OwnGame
    rating: Decimal | None
    """None: not rated then, or the rating then is not one number of the section."""
    expected: Decimal | None


@dataclass(frozen=True, slots=True)
class EventRow:
    """A line of the history; that of a section with what the player did in it."""

    line: HistoryLine
    play: PlayInSection | None = None
    games: Sequence[MeasuredGame] = ()
    listed: ListedOn | None = None
    """None: no list has taken its points in, or they moved the rating at once."""

    @property
    def average(self) -> Decimal | None:
        """The average of the opponents who had a rating."""
        ratings = [each.rating for each in self.games if each.rating is not None]
        return sum(ratings, Decimal(0)) / len(ratings) if ratings else None

    @property
    def expected(self) -> Decimal | None:
        """The expected score; None where that of a single game is not known."""
        known = [each.expected for each in self.games if each.expected is not None and each.game.played]
        played = sum(each.game.played for each in self.games)
        return sum(known, Decimal(0)) if known and len(known) == played else None

    @property
    def after(self) -> Decimal | None:
        return self.listed.rating if self.listed else self.line.after


def lists_of_sections(legs: Sequence[ChangeWithDrifts]) -> dict[int, ChangeOfFact]:
    """For each section of these whose points waited, by its order: the list that took them in. `legs`: newest
    first.
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
    if move.points is None or move.before is None or move.after is None:
        return False
    return move.points != move.after - move.before


def rows_of(
    lines: Iterable[HistoryLine],
    plays: Mapping[str, PlayInSection],
    lists: Mapping[int, ChangeOfFact],
    writer: HistoryWriter,
) -> list[EventRow]:
    """One row for each line of a history, with the play in its section."""
    told = list(lines)
    ratings = _ratings_before(told, plays, writer)
    return [
        EventRow(
            line,
            play=(play := plays.get(line.section)),
            games=_games(line, play, ratings, writer.office) if play else (),
            listed=_listed(lists.get(line.order), writer) if line.section else None,
        )
        for line in told
    ]


def _listed(move: ChangeOfFact | None, writer: HistoryWriter) -> ListedOn | None:
    if move is None or move.on is None:
        return None
    label = f"{move.on:%Y-%m}" if move.on.day == 1 else move.on.isoformat()
    return ListedOn(_("list %(label)s") % {"label": label}, move.after, writer.working_url(move))


def _ratings_before(
    lines: Sequence[HistoryLine], plays: Mapping[str, PlayInSection], writer: HistoryWriter
) -> Mapping[tuple[int, int], Decimal]:
    """The opponents' ratings before these lines' sections, by the order of the line and the opponent's key.
    Empty of a past day, and where ratings move between sections: there the stored one is not that of the day.
    """
    orders = {line.order: plays[line.section] for line in lines if line.section in plays}
    people = {game.opponent.pk for play in orders.values() for game in play.games if game.opponent}
    moving = writer.office.ruleset.calendar.days_of_change is not None
    if not people or moving or writer.asked.line is not None:
        return {}
    changes = Change.objects.filter(player__in=people, track=writer.track, order__in=list(orders))
    known = changes.values_list("order", "player_id", "before")
    return {(order, player): before for order, player, before in known if before is not None}


def _games(
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
