"""Names that look like another's: players of a section whom the register has, perhaps, a second time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from players.people.find_doubles import LikelyDouble
from ratings.hints.hint import HintFound, HintKind

BY_ID = frozenset({"number", "identifier", "handle"})
"""Evidence by an id: the file itself says which of two look-alikes it means."""


@dataclass(frozen=True, slots=True)
class NamedInSection:
    """A player of a section, as far as it tells whether somebody else may be meant."""

    number: str
    entry: int
    new: bool
    """Whether the section brought the player into the register."""
    evidence: frozenset[str]
    """The evidence for the player when the entry was matched (keys of `EVIDENCE`)."""


def look_alikes(
    people: Mapping[int, NamedInSection], doubles: Iterable[LikelyDouble], numbers: Mapping[int, str]
) -> Iterator[HintFound]:
    """Yield a hint for each player of the section who is new or was found without an id, and looks like
    another of the register. Two who both play in the section are two persons.

    `people`: by the player's key; `numbers`: the numbers of all players of `doubles`.
    """
    for pair in doubles:
        here = [people[key] for key in (pair.one, pair.other) if key in people]
        if len(here) != 1 or (not here[0].new and here[0].evidence & BY_ID):
            continue
        [player] = here
        other = numbers[pair.other if pair.one in people else pair.one]
        evidence = {
            "player": player.number,
            "entry": player.entry,
            "new": player.new,
            "other": other,
            "evidence": list(pair.evidence),
        }
        identity = (player.number, other, pair.evidence)
        yield HintFound(HintKind.LOOK_ALIKE, identity, evidence, (player.number, other))
