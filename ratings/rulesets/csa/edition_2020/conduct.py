"""§47–§53, §68–§69: the tally of a section for each entrant, whatever the track."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import ceil
from typing import NamedTuple

from ratings.law.facts import FORFEITS, HALVES, Bye, Entry, Game, PlayerId, RatedSection, Section
from ratings.law.scoring import Scoring
from ratings.rulesets.csa.edition_2020.play import is_rated, kind_of, stand_in, time_of

SHARE_TO_GAIN = Decimal("0.8")  # §47
SHARE_OF_A_TEAM = Decimal("0.5")  # §49
PENALTY = 20  # §51 §52
PENALTY_FREE_ROUND = 1  # §51

SCORING = Scoring(  # D-CSA-13
    byes={"pairing": Decimal(1), "full": Decimal(1), "half": Decimal("0.5"), "zero": Decimal(0)}
)
"""The points by which places are; the pages of sections show the same."""
BYE_HALVES = {kind: int(2 * points) for kind, points in SCORING.byes.items()}
HALF = Decimal("0.5")


class Penalty(NamedTuple):
    """20 points for one round (D-CSA-10)."""

    round: int
    clause: str
    """`51`: a forfeit; `52`: gone without a word."""


class Tally(NamedTuple):
    """One entrant's section."""

    player: PlayerId
    rated: bool
    """Whether the section counts for this entrant (D-CSA-18)."""
    stand_in: Decimal
    """The rating taken where the track has none."""
    games: int
    """§50: with a colour; no forfeits, no byes."""
    score: Decimal
    """§32: from those games."""
    activity: int
    penalties: tuple[Penalty, ...]
    first: bool
    """§68: first, alone or shared."""
    every_round: bool
    """§68: a played game in every scheduled round. Looked at for whoever came first; False for others."""


class Survey(NamedTuple):
    """A section as the tracks need it: worked out once for all of them."""

    fact: RatedSection
    ends: int
    """The last day, as `date.toordinal` counts."""
    minutes: Decimal
    kind: str
    tallies: tuple[Tally, ...]
    """In the order of the entries."""
    pairings: tuple[tuple[int, int], ...]
    """White and black of each played game, by their place among the entries."""
    to_gain: int
    """§47: games without which nothing is gained; 0 in a team section (§49)."""
    to_qualify: int
    """§47 §49: games without which a performance does not qualify."""


class SectionScores(NamedTuple):
    """The scores that games and byes give, by the entrants' places."""

    pairings: tuple[tuple[int, int], ...]
    games: list[int]
    halves: list[int]
    """Half points from played games."""
    activity: list[int]
    total: list[int]
    """Halves from everything: what places are by (D-CSA-13)."""
    unplayed: list[Game]
    """Forfeits and annulled games."""


def games_needed(share: Decimal, rounds: int) -> int:
    """§47 §49: a share of the scheduled rounds, rounded up (D-CSA-9)."""
    return ceil(share * rounds)


def count_games(section: Section, place: Mapping[PlayerId, int]) -> SectionScores:
    """§50 §53.1 §53.3: games, half points and activity of every entrant (D-CSA-15)."""
    pairings, unplayed = [], []
    games, halves = [0] * len(place), [0] * len(place)
    for game in section.games:
        _round, first, second, result, _excused = game
        points = HALVES.get(result)
        if points is None:
            unplayed.append(game)
        else:
            white, black = place[first], place[second]
            pairings.append((white, black))
            games[white] += 1
            games[black] += 1
            halves[white] += points[0]
            halves[black] += points[1]
    played = SectionScores(tuple(pairings), games, halves, games.copy(), halves.copy(), unplayed)
    for game in unplayed:
        for player, won in zip((game.first, game.second), FORFEITS.get(game.result, ()), strict=False):
            count_unplayed(played, place[player], 2 if won else 0, active=won)
    for bye in section.byes:
        count_unplayed(played, place[bye.player], BYE_HALVES[bye.kind], active=counts_as_activity(bye))
    return played


def count_unplayed(played: SectionScores, place: int, halves: int, *, active: bool) -> None:
    played.total[place] += halves
    played.activity[place] += active


def counts_as_activity(bye: Bye) -> bool:
    """§53.2: only a bye that the pairing allocated."""
    return bye.kind == "pairing"


def played_every_round(section: Section, player: PlayerId) -> bool:
    """§68: with the pieces in each scheduled round."""
    rounds = {
        game.round for game in section.games if player in (game.first, game.second) and game.result in HALVES
    }
    return rounds.issuperset(range(1, section.rounds + 1))


def forfeits(games: Sequence[Game]) -> tuple[dict[PlayerId, list[int]], dict[PlayerId, set[int]]]:
    """§51: the rounds that each player lost by forfeit, and those where the forfeit was excused."""
    lost: dict[PlayerId, list[int]] = defaultdict(list)
    excused: dict[PlayerId, set[int]] = defaultdict(set)
    for game in games:
        if game.result not in FORFEITS:
            continue
        for side, player, won in zip(("first", "second"), game[1:3], FORFEITS[game.result], strict=True):
            if won:
                continue
            if game.excused in (side, "both"):
                excused[player].add(game.round)
            else:
                lost[player].append(game.round)
    return lost, excused


def penalties(entry: Entry, lost: Sequence[int], excused: set[int], rounds: int) -> tuple[Penalty, ...]:
    """§51 §52: 20 a forfeit after round 1, and a round since an unexcused withdrawal, none twice (D-CSA-10).

    Whoever left with notice owes nothing from there on; a round whose forfeit was excused is never charged.
    """
    left = entry.left
    if left is None and not lost:
        return ()
    notified = left is not None and left.notified
    gone = set(range(left.round, rounds + 1)) if left else set()
    withdrawn = set() if notified else gone - excused
    settled = gone if notified else withdrawn
    charged = [Penalty(number, "52") for number in withdrawn]
    charged += [
        Penalty(number, "51") for number in lost if number > PENALTY_FREE_ROUND and number not in settled
    ]
    return tuple(sorted(charged))


def survey(fact: RatedSection) -> Survey:
    """Everything that a rated section says, before any rating is looked at."""
    section, players = fact.section, fact.players
    place = {entry.player: number for number, entry in enumerate(section.entries)}
    played = count_games(section, place)
    best = max(played.total, default=0)
    lost, excused = forfeits(played.unplayed)
    tallies = []
    for entry, games, halves, activity, total in zip(
        section.entries, played.games, played.halves, played.activity, played.total, strict=True
    ):
        player = entry.player
        particulars = players[player]
        charged: tuple[Penalty, ...] = ()
        if entry.left or player in lost:
            charged = penalties(entry, lost.get(player, ()), excused.get(player, set()), section.rounds)
        everything = total == best and played_every_round(section, player)
        tallies.append(
            Tally(
                player,
                is_rated(particulars, section),
                stand_in(fact, entry),
                games,
                HALF * halves,
                activity,
                charged,
                total == best,
                everything,
            )
        )
    minutes = time_of(section)
    return Survey(
        fact=fact,
        ends=section.ends.toordinal(),
        minutes=minutes,
        kind=kind_of(minutes),
        tallies=tuple(tallies),
        pairings=played.pairings,
        to_gain=0 if section.team else games_needed(SHARE_TO_GAIN, section.rounds),
        to_qualify=games_needed(SHARE_OF_A_TEAM if section.team else SHARE_TO_GAIN, section.rounds),
    )
