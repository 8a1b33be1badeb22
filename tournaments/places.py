"""Final places of a section: proposed from points, discs and finals, and held against the points."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from math import inf
from operator import attrgetter

from players.models import Federation
from ratings.rulesets.facts import shared_places
from tournaments.formats.sheet import SheetGame
from tournaments.models import Bye, Entry, Finding, Game, Section

# ---- Points
Points = Mapping[int, Decimal]
"""The points of entries, by starting number."""
FiledBye = tuple[int, int, str]
"""A bye's round, starting number and kind."""


def score_by_entry(
    office: Federation, section: Section, games: Iterable[Game], byes: Iterable[Bye]
) -> dict[int, Decimal]:
    """The score of each entry by its key, as in the edition in force on the section's first day."""
    edition = office.ruleset.edition_on_or_first(section.starts)  # D-9
    return edition.scoring.totals(
        ((game.first_id, game.second_id, game.result) for game in games),
        ((bye.entry_id, bye.kind) for bye in byes),
    )


def list_play(section: Section) -> tuple[list[SheetGame], list[FiledBye]]:
    """A section's games and byes by starting number. Rows that are corrected in memory (`rows_in_memory`)
    are as they stand there.
    """
    number = {entry.pk: entry.number for entry in section.entries.all()}
    return [
        SheetGame(
            game.round,
            number[game.first_id],
            number[game.second_id],
            game.result,  # type: ignore[arg-type]
            line=game.line or 0,
        )
        for game in section.games.all()
    ], [(bye.round, number[bye.entry_id], bye.kind) for bye in section.byes.all()]


def get_points(section: Section) -> Points:
    """The points of each of a section's entries (`compute_points`)."""
    return compute_points(section, section.entries.all(), *list_play(section))


def compute_points(
    section: Section, entries: Iterable[Entry], games: Sequence[SheetGame], byes: Sequence[FiledBye]
) -> Points:
    """The points of each entry in the scheduled rounds; where none was played, those of the file. Entries,
    games and byes may be unsaved.
    """
    if not games and not byes:
        return {entry.number: entry.points for entry in entries if entry.points is not None}
    last = section.rounds if section.rounds and section.finals else inf
    edition = section.event.federation.ruleset.edition_on_or_first(section.starts)  # D-9
    scores = edition.scoring.totals(
        ((game.first, game.second, game.result) for game in games if game.round <= last),
        ((number, kind) for round_, number, kind in byes if round_ <= last),
    )
    return {entry.number: scores[entry.number] for entry in entries}


# ---- Places proposed
_PLACES = re.compile(r"(?P<first>[0-9]{1,3})\s?[-–/]\s?(?P<second>[0-9]{1,3})")
_FINAL = re.compile(r"f(?:inals?)?|finał|finale", re.IGNORECASE)
_WON: Mapping[str, tuple[int, int]] = {"1-0": (1, 0), "0-1": (0, 1), "+:-": (1, 0), "-:+": (0, 1)}


def propose_places(section: Section, entries: Sequence[Entry]) -> dict[int, int]:
    """Propose places by starting number; none if the file gives one already, or lacks somebody's points."""
    if any(entry.place is not None or entry.points is None for entry in entries):
        return {}
    points = {entry.number: entry.points or Decimal(0) for entry in entries}
    return compute_places(section, entries, points, list_play(section)[0])


def compute_places(
    section: Section, entries: Sequence[Entry], points: Points, games: Iterable[SheetGame]
) -> dict[int, int]:
    """The place of each entry by starting number: by points, then by discs if all have them; equal ones share
    the place. Finals decide their places. Empty if somebody has no points.
    """
    if not entries or any(entry.number not in points for entry in entries):
        return {}
    discs = all(entry.discs is not None for entry in entries)
    worth = {entry.number: (points[entry.number], (entry.discs or 0) if discs else 0) for entry in entries}
    best_first = sorted(worth, key=lambda number: worth[number], reverse=True)
    places = dict(zip(best_first, shared_places(worth[number] for number in best_first), strict=True))
    if section.finals:
        _play_off(places, section, games)
    return places


def _play_off(places: dict[int, int], section: Section, games: Iterable[SheetGame]) -> None:
    """Give the places of finals to their players, the better one to who won more games."""
    won: dict[tuple[int, int], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for game in games:
        if pair := _played_places(section.name_of_round(game.round)):
            for player, point in zip((game.first, game.second), _WON.get(game.result, (0, 0)), strict=True):
                won[pair][player] += point
    for (better, worse), points in sorted(won.items()):
        if len(points) == 2 and len(set(points.values())) == 2:
            loser, winner = sorted(points, key=lambda number: points[number])
            places |= {winner: better, loser: worse}


def _played_places(name: str) -> tuple[int, int] | None:
    """The two places for which a round of this name is played, if any."""
    if found := _PLACES.fullmatch(name):
        first, second = int(found["first"]), int(found["second"])
        return (first, second) if second == first + 1 else None
    return (1, 2) if _FINAL.fullmatch(name) else None


# ---- Places held against the points
MOST_CONTRADICTIONS = 3
"""The most contradictions of a section that are told."""


def find_places_against_points(
    section: Section,
    entries: Iterable[Entry],
    points: Points,
    name: Callable[[Entry], str] = attrgetter("name"),
) -> list[Finding]:
    """A notice for each entry that is placed behind another with fewer points, the best of them first.

    Finals decide places beside the points, and in team play a place may be the team's: there none is found.
    `name`: of an entry, in the words of the notice.
    """
    if section.finals or section.team:
        return []
    placed = [entry for entry in entries if entry.place is not None and entry.number in points]
    found: list[tuple[Entry, Entry]] = []
    weakest: list[Entry] = []
    """Of all with a better place than the present one, who has the fewest points; empty: nobody is before."""
    by_place = groupby(sorted(placed, key=lambda each: (each.place or 0, each.number)), attrgetter("place"))
    for _place, sharing in by_place:
        here = list(sharing)
        found += [
            (least, one) for least in weakest for one in here if points[one.number] > points[least.number]
        ]
        weakest = [min([*weakest, *here], key=lambda each: points[each.number])]
    return [
        Finding(
            section=section,
            source="details",
            level="notice",
            key="place-against-points",
            params={
                "better": name(better),
                "place": better.place,
                "points": f"{points[better.number].normalize():f}",
                "worse": name(worse),
                "lower_place": worse.place,
                "more_points": f"{points[worse.number].normalize():f}",
            },
        )
        for better, worse in found[:MOST_CONTRADICTIONS]
    ]
