"""The standing of a player, and its text for storage."""

from decimal import Decimal
from typing import NamedTuple

from ratings.rulesets.ruleset import CONTEXT


def round_to_whole(value: Decimal) -> Decimal:
    """D-PIS-2: a rating rounded half up to a whole number, as it is kept."""
    return CONTEXT.quantize(value, Decimal(1))


class PiskvorkyStanding(NamedTuple):
    """All that the rules keep of a player.

    The counts of a novice, or a player of founding tournaments alone, serve to compute the rating again with
    further games.
    """

    rating: Decimal | None = None
    """The rating; None: a novice who has met nobody with an established rating (D-PIS-5)."""
    games: int = 0
    """The number of games that entered the rating (D-PIS-6)."""
    established: bool = False
    wins: int = 0
    losses: int = 0
    opposition: Decimal = Decimal(0)
    """The sum of a novice's opponents' ratings (D-PIS-1); else 0."""

    @property
    def due(self) -> bool:
        """Always False: nothing waits for a list here."""
        return False

    @property
    def status(self) -> str:
        if self.established:
            return "established"
        return "unrated" if self.rating is None else "novice"


def dump(standing: PiskvorkyStanding) -> str:
    """The text of a standing for storage: `rating;games;established;wins;losses;opposition`."""
    rating, games, established, wins, losses, opposition = standing
    shown = "" if rating is None else f"{rating:f}"
    return f"{shown};{games};{established:d};{wins};{losses};{opposition:f}"


def load(track: str, text: str) -> PiskvorkyStanding:
    """The standing of a text that `dump` wrote; ValueError for any other."""
    rating, games, established, wins, losses, opposition = text.split(";")
    return PiskvorkyStanding(
        rating=Decimal(rating) if rating else None,
        games=int(games),
        established=established == "1",
        wins=int(wins),
        losses=int(losses),
        opposition=Decimal(opposition),
    )
