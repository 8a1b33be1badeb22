"""The questions by which a reader imagines a section, and the section that the answers make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from ratings.law.facts import Bye, Entry, PlayerId, State
from ratings.law.fields import Field

Answers = Mapping[str, Any]
"""The reader's answers by the fields' names; an empty one is None or False."""

SCORES = {"win": "1-0", "draw": "1/2", "loss": "0-1"}
"""The results of a played game from the player's own side, as the journal writes them for the first mover."""
RESULTS = {**SCORES, "forfeit-won": "+:-", "forfeit-lost": "-:+"}
TURNED = {"1-0": "0-1", "0-1": "1-0", "1/2": "1/2", "+:-": "-:+", "-:+": "+:-"}


class Further(NamedTuple):
    """The entries and byes of an imagined section beside the player and the opponents."""

    entries: tuple[Entry, ...] = ()
    byes: tuple[Bye, ...] = ()
    foreign: frozenset[PlayerId] = frozenset()
    """The ids of those of the entries who are of no country that the rules know."""


class Threshold(NamedTuple):
    """A rating from which on something else holds."""

    rating: Decimal
    key: str
    """A key of the ruleset's messages: what is reached."""
    clause: str = ""


def nothing_further(answers: Answers, rounds: int) -> Further:
    """Add nobody beside the player and the opponents."""
    return Further()


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The imagined section of one federation: the reader's questions, and the section that answers make."""

    particulars: Callable[[Answers], Mapping[str, Any]]
    """A function from the answers to the section's particulars, by the attributes of `facts.Section`."""
    fields: tuple[Field, ...] = ()
    """The questions on the section beside its last day."""
    results: tuple[str, ...] = tuple(RESULTS)
    """The results that a game may have, out of `RESULTS`; none: the reader states no games, but a place."""
    further: Callable[[Answers, int], Further] = nothing_further
    """A function from the answers and the number of rounds to the further entries and byes."""
    games_behind: int = 0
    """The number of rated games that an opponent known by rating alone is taken to have."""
    step: Decimal = Decimal(100)
    """The distance of the round ratings that a player looks forward to."""
    thresholds: Callable[[State[Any], PlayerId, str], tuple[Threshold, ...]] = lambda state, player, track: ()
    """A function from a player's state and a track to the ratings that bring more by the regulations than the
    player has, lowest first.
    """
    by_side: bool = False
    """Whether a game counts otherwise for the one who moves first."""
    usual: Callable[[date], Mapping[str, str]] = lambda today: {}
    """A function from a day to the answers with which the form opens then, beside the fields' defaults."""
    not_looked_at: tuple[str, ...] = ()
    """Sentences on what an imagined section leaves out."""

    @property
    def by_games(self) -> bool:
        return bool(self.results)
