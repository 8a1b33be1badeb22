"""§2: sports ranks: the grounds that play gives, and those that an official confirmed."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from ratings.law.facts import PlayerId, Rank, Section, State
from ratings.law.ruleset import CONTEXT
from ratings.rulesets.ssdc.edition_2017.rate_games import CLASSIC, RAPID
from ratings.rulesets.ssdc.law.standing import Award, Confirmed, SsdcStanding

RANKS = ("3", "2", "1", "C", "M", "H", "G")
"""§2.3 §2.3.1: the sports ranks, lowest first."""
NO_RANK = "N"  # §2.3.2

BY_RATING = (
    (2500, "G"),
    (2400, "H"),
    (2300, "M"),
    (2200, "C"),
    (2000, "1"),
    (1800, "2"),
    (1600, "3"),
)
"""§2.4.1: the classic ratings from which on there is a ground for each rank, highest first."""

BY_PLACE = {
    "highest": ("G", "G", "G", "H"),
    "first": ("H", "M", "M", "C"),
    "second": ("C", "1", "1", "2"),
    "third": ("2", "3", "3", "3"),
    "fourth": (),
}
"""§2.4.2: the ranks for places 1 to 4, by the tournament's category; shared places are equal."""
PRIZE_PLACES = max(len(prizes) for prizes in BY_PLACE.values())  # §2.4.2


def height(rank: str) -> int:
    """§2.3: the step of a rank in the hierarchy, from 0; to be of no rank (§2.3.2) is −1."""
    return RANKS.index(rank) if rank in RANKS else -1


def whole(rating: Decimal) -> int:
    """A rating as a whole number, half up (D-SSDC-6)."""
    return int(CONTEXT.quantize(rating, Decimal(1)))


def rank_by_rating(rating: int) -> str | None:
    """§2.4.1: the rank for which a classic rating, rounded already, gives a ground; None: for none."""
    return next((rank for least, rank in BY_RATING if rating >= least), None)


def rank_by_place(category: str | None, place: int | None) -> str | None:
    """§2.4.2: the rank for which a place in a tournament of that category gives a ground; None: for none."""
    prizes = BY_PLACE.get(category or "", ())
    return prizes[place - 1] if place is not None and place <= len(prizes) else None


def grounds(section: Section, track: str, rating: Decimal, place: int | None) -> Iterator[Award]:
    """§2.4: the awards for which a tournament gives an entrant a ground, once it is over (D-SSDC-6).

    Ratings count after a classic tournament alone (D-SSDC-13), places whatever the time and format. §2.4.1
    stands first (D-SSDC-7).
    """
    figure = whole(rating)
    by_rating = rank_by_rating(figure) if track == CLASSIC else None
    if by_rating:
        yield Award(by_rating, "2.4.1", figure, section.id)
    by_place = rank_by_place(section.category, place)
    if by_place and place:
        yield Award(by_place, "2.4.2", place, section.id)


def higher(found: Iterator[Award], held: Award | None) -> Award | None:
    """§2.5.1: the highest of the awards found and the one held; of equals the earlier stays."""
    best = held
    for award in found:
        if best is None or height(award.rank) > height(best.rank):
            best = award
    return best


def standings_of(state: State[SsdcStanding], player: PlayerId) -> list[SsdcStanding]:
    both = (state.get(player, CLASSIC), state.get(player, RAPID))
    return [standing for standing in both if standing is not None]


def players_of(state: State[SsdcStanding]) -> list[PlayerId]:
    return sorted({player for player, _track in state.standings})


def award_of(state: State[SsdcStanding], player: PlayerId) -> Award | None:
    """D-SSDC-7: the highest award for which play gave a player a ground, in whichever track; None: there is
    none.
    """
    found = [standing.award for standing in standings_of(state, player) if standing.award]
    return max(found, key=lambda award: height(award.rank), default=None)


def confirmed_of(state: State[SsdcStanding], player: PlayerId) -> Confirmed | None:
    """§2.5: the rank of a player that an official confirmed, the highest of several; None: there is none."""
    found = [standing.confirmed for standing in standings_of(state, player) if standing.confirmed]
    return max(found, key=lambda confirmed: height(confirmed.rank), default=None)


def rank_of(state: State[SsdcStanding], player: PlayerId) -> str:
    """§2.3.2: the rank that a player holds, which is the confirmed one, or none."""
    confirmed = confirmed_of(state, player)
    return confirmed.rank if confirmed else NO_RANK


def confirm(state: State[SsdcStanding], rank: Rank) -> tuple[str, SsdcStanding] | None:
    """§2.5 §2.5.1: the track and the new standing in which a confirmed rank is kept; None where that rank or
    a higher one is held.

    It is kept with the classic rating if there is one, else with the rapid one. Whether play gives a ground
    is told by `holders`: the tournaments behind it may be un-rated later (D-SSDC-14).
    """
    if height(rank.rank) <= height(rank_of(state, rank.player)):
        return None
    track = next((track for track in (CLASSIC, RAPID) if state.get(rank.player, track)), CLASSIC)
    before = state.get(rank.player, track) or SsdcStanding()
    return track, before._replace(confirmed=Confirmed(rank.rank, rank.on, rank.ground))


class RankProposal(NamedTuple):
    """A rank for which a player has a ground, and which waits for an official to confirm it (D-SSDC-7)."""

    player: PlayerId
    held: str
    """The rank that the player holds now."""
    award: Award


def proposals(state: State[SsdcStanding]) -> list[RankProposal]:
    """§2.4 §2.5: the ranks that wait for an official, higher than those their players hold; by
    player's id.
    """
    found = []
    for player in players_of(state):
        award, held = award_of(state, player), rank_of(state, player)
        if award and height(award.rank) > height(held):
            found.append(RankProposal(player, held, award))
    return found


class Holder(NamedTuple):
    """A player with a confirmed rank, and what play gives a ground for."""

    player: PlayerId
    confirmed: Confirmed
    by_play: str
    """The highest rank that play gives a ground for."""

    @property
    def unfounded(self) -> bool:
        """Whether no play gives a ground for that rank, as the record now stands (D-SSDC-14)."""
        return height(self.by_play) < height(self.confirmed.rank)


def holders(state: State[SsdcStanding]) -> list[Holder]:
    """§2.5 §2.5.2: the players with a confirmed rank, by id."""
    found = []
    for player in players_of(state):
        confirmed, award = confirmed_of(state, player), award_of(state, player)
        if confirmed:
            found.append(Holder(player, confirmed, award.rank if award else NO_RANK))
    return found
