"""§47–§53, §68–§69: the tally of a section for each entrant, whatever the track."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import ceil
from typing import NamedTuple

from ratings.law.facts import FORFEITS, HALVES, Bye, Entry, Game, PlayerId, RatedSection, Section
from ratings.law.scoring import Scoring
from ratings.rulesets.csa.edition_2020.pre_ratings import stand_in
from ratings.rulesets.csa.edition_2020.tracks import is_rated, kind_of, time_of

SHARE_TO_GAIN = Decimal("0.8")  # §47
SHARE_OF_A_TEAM = Decimal("0.5")  # §49
PENALTY = 20  # §51 §52
PENALTY_FREE_ROUND = 1  # §51

SCORING = Scoring(  # D-CSA-13
    byes={"pairing": Decimal(1), "full": Decimal(1), "half": Decimal("0.5"), "zero": Decimal(0)}
)
"""The points of games and byes by which places go; the pages of sections show the same."""
BYE_HALVES = {kind: int(2 * points) for kind, points in SCORING.byes.items()}
HALF = Decimal("0.5")


class Penalty(NamedTuple):
    """A penalty of 20 points for one round (D-CSA-10)."""

    round: int
    clause: str
    """`51`: lost by forfeit; `52`: withdrew without notice."""


class Tally(NamedTuple):
    """One entrant's part in a section, counted once for all tracks."""

    player: PlayerId
    rated: bool
    """Whether the section moves this entrant's ratings (D-CSA-18)."""
    stand_in: Decimal
    """The rating at which the entrant is taken in a track without a rating."""
    games: int
    """§50: the number of played games, without forfeits and byes."""
    score: Decimal
    """§32: the points from the played games."""
    activity: int
    """§53: the played games, allocated byes and forfeit wins."""
    penalties: tuple[Penalty, ...]
    first: bool
    """§68: whether the entrant came first, alone or shared."""
    every_round: bool
    """§68: whether the entrant came first with a played game in every scheduled round; False for
    all others.
    """


class Survey(NamedTuple):
    """A rated section, counted out once for all its tracks."""

    fact: RatedSection
    ends: int
    """The section's last day, as `date.toordinal` counts."""
    minutes: Decimal
    kind: str
    tallies: tuple[Tally, ...]
    """A tally for each entrant, in the order of the entries."""
    pairings: tuple[tuple[int, int], ...]
    """White and black of each played game, by their index among the entries."""
    to_gain: int
    """§47: the number of games without which no rating is gained; 0 in a team section (§49)."""
    to_qualify: int
    """§47 §49: the number of games without which a performance does not qualify."""


class SectionScores(NamedTuple):
    """The counts of a section's games and byes; each list has a number for each entrant, in the order of the
    entries.
    """

    pairings: tuple[tuple[int, int], ...]
    """White and black of each played game, by their index among the entries."""
    games: list[int]
    """The number of played games."""
    halves: list[int]
    """The score in half points from played games."""
    activity: list[int]
    """§53: played games, allocated byes and forfeit wins."""
    total: list[int]
    """The score in half points from everything, by which places go (D-CSA-13)."""
    unplayed: list[Game]
    """The games without play: forfeits and annulled ones."""


def games_needed(share: Decimal, rounds: int) -> int:
    """§47 §49: the number of games that makes a share of the scheduled rounds, rounded up (D-CSA-9)."""
    return ceil(share * rounds)


def count_games(section: Section, place: Mapping[PlayerId, int]) -> SectionScores:
    """§50 §53.1 §53.3: count every entrant's games, half points and activity (D-CSA-15). `place`: each
    entrant's index among the entries.
    """
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
    """§53.2: whether a bye counts as activity: only one that the pairing allocated does."""
    return bye.kind == "pairing"


def played_every_round(section: Section, player: PlayerId) -> bool:
    """§68: whether a player has a played game in each scheduled round."""
    rounds = {
        game.round for game in section.games if player in (game.first, game.second) and game.result in HALVES
    }
    return rounds.issuperset(range(1, section.rounds + 1))


def forfeits(games: Sequence[Game]) -> tuple[dict[PlayerId, list[int]], dict[PlayerId, set[int]]]:
    """§51: the rounds that each player lost by forfeit without an excuse, and those with one."""
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
    """§51 §52: an entrant's penalties: one for each forfeit after round 1, and for each round since an
    unexcused withdrawal, none twice (D-CSA-10).

    `lost`, `excused`: the rounds of the entrant's forfeits. Whoever left with notice owes nothing from there
    on; a round whose forfeit was excused is never charged.
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
    """Count a rated section out, as far as that depends on no rating."""
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
