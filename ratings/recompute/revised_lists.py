"""Draws a published list up anew by what is known now, and compares it with the published version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import islice
from typing import NamedTuple

from players.office.models import Federation
from players.register.models import Player
from ratings.journal.append import day_of
from ratings.journal.export import sealed_lines
from ratings.journal.models import Fact
from ratings.journal.players_by_number import named
from ratings.law import facts, journal
from ratings.law.facts import ListClosing, PlayerId
from ratings.law.journal import list_content
from ratings.law.rule_outputs import ListedPlayer
from ratings.lists.contents import DrawnRows
from ratings.lists.models import ListRow, RatingList
from ratings.recompute.fold import DrawnList


class RevisedPlace(NamedTuple):
    """A player's place on one version of a list."""

    rank: int
    rating: Decimal
    games: int


@dataclass(frozen=True, slots=True)
class RowDifference:
    """One player who stands differently on two versions of a list; None: not on that version."""

    player: Player
    before: RevisedPlace | None
    after: RevisedPlace | None

    @property
    def by(self) -> Decimal | None:
        return self.after.rating - self.before.rating if self.before and self.after else None


@dataclass(frozen=True, slots=True)
class TrackRevision:
    """The changes that a revision would make in one track."""

    track: str
    standing: RatingList | None
    """The newest published version; None: nobody stood on it."""
    rows: Sequence[ListedPlayer]
    differences: list[RowDifference]


def drawn_anew(federation: Federation, line: Fact) -> dict[str, list[ListedPlayer]]:
    """The rows that a `revised` line publishes, by track, worked out from the journal alone."""
    record = journal.read_journal(list(islice(sealed_lines(federation), line.number)))
    return journal.list_of_line(record, line.number)


def preview_revision(federation: Federation, day: date, on: date) -> list[TrackRevision]:
    """The tracks that revising the list of a day would change, if decided on the day `on`."""
    return compared(federation, day, drawn_as_known_now(federation, day, on))


def drawn_as_known_now(federation: Federation, day: date, on: date) -> dict[str, list[ListedPlayer]]:
    """The rows that publishing the list of a day anew would give, by track, if decided on the day `on`."""
    lines = list(sealed_lines(federation))
    line = facts.Revised(day, day_of(federation, on))
    record = journal.read_journal([*lines, journal.write_line(line, federation.ruleset)])
    return journal.list_of_line(record, len(lines) + 1)


def compared(
    federation: Federation, day: date, drawn: Mapping[str, Sequence[ListedPlayer]]
) -> list[TrackRevision]:
    """The tracks in which a list drawn up anew (`drawn`: rows by track) differs from its newest version."""
    found = []
    for track in federation.ruleset.tracks:
        standing, rows = newest_version(federation, day, track.code), drawn.get(track.code, [])
        if list_content(rows) == (bytes(standing.content) if standing else b""):
            continue
        places = {row.player: RevisedPlace(row.rank, row.rating, row.games) for row in rows}
        differences = differing(federation, places_of(standing), places)
        found.append(TrackRevision(track.code, standing, rows, differences))
    return found


def newest_version(federation: Federation, day: date, track: str) -> RatingList | None:
    lists = RatingList.objects.filter(federation=federation, on=day, track=track)
    return lists.order_by("-revision").first()


def places_of(rating_list: RatingList | None) -> dict[PlayerId, RevisedPlace]:
    """The place of everybody on a published list, by number; empty without a list."""
    rows = ListRow.objects.filter(rating_list=rating_list) if rating_list else ListRow.objects.none()
    found = rows.values_list("player__number", "rank", "rating", "games")
    return {number: RevisedPlace(rank, rating, games) for number, rank, rating, games in found}


def differing(
    federation: Federation, before: Mapping[PlayerId, RevisedPlace], after: Mapping[PlayerId, RevisedPlace]
) -> list[RowDifference]:
    """Players who stand differently on two versions of a list: those who come or go, then by difference."""
    numbers = [number for number in {**before, **after} if before.get(number) != after.get(number)]
    people = named(federation, numbers)
    found = [RowDifference(people[n], before.get(n), after.get(n)) for n in numbers if n in people]
    return sorted(
        found, key=lambda each: (each.by is not None, -abs(each.by or Decimal(0)), each.player.number)
    )


def drawn_lists(
    federation: Federation, line: Fact, drawn: Mapping[str, Sequence[ListedPlayer]]
) -> list[tuple[DrawnList, RatingList | None]]:
    """The lists that a `revised` line is to freeze: the tracks that differ, each with the version it
    supersedes (None if that day had no list of the track).
    """
    spoken = journal.parse_line(line.line, federation.ruleset)
    assert isinstance(spoken, facts.Revised)
    closing = ListClosing(spoken.list)
    edition = federation.ruleset.edition_for(facts.Placed(line.number, closing)).name
    return [
        (DrawnList(line.pk, each.track, closing, edition, DrawnRows(each.rows)), each.standing)
        for each in compared(federation, spoken.list, drawn)
    ]


def list_line(federation: Federation, day: date) -> Fact | None:
    """The line that published the list of a day, or None."""
    return Fact.objects.filter(federation=federation, kind="list", on=day).first()
