"""Compares the register with FIDE's list: what is taken over, and what a person has to look at."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from players.fide.read_fide_list import FidePerson
from players.importing.columns import FIDE, identifier
from players.importing.writing import RegisterChange
from players.office.models import Federation
from players.register.models import Identifier, Player
from players.register.name_folding import fold

EVERY = 100_000
"""The number of people on the list between two reports of progress."""


class FideDifference(NamedTuple):
    """One difference in one player between the register and FIDE's list."""

    number: str
    what: str
    """`title`, `sex`, `born`, `name`, `link`."""
    before: str
    after: str
    taken: bool
    """Whether it is taken over when written; if not, it is only reported."""


@dataclass(slots=True)
class Comparison:
    people: int = 0
    """The number of people on the list."""
    known: int = 0
    """The number of the register's players with a FIDE id who are on the list."""
    missing: int = 0
    """The number of those players who are not on the list."""
    counts: Counter[tuple[str, bool]] = field(default_factory=Counter)
    differences: list[FideDifference] = field(default_factory=list)
    taken: dict[int, dict[str, tuple[str, str]]] = field(default_factory=lambda: defaultdict(dict))
    """By the player's key and by column, before and after of each particular taken over."""

    @property
    def changes(self) -> list[RegisterChange]:
        return [RegisterChange(columns, key) for key, columns in self.taken.items()]


class _Kept(NamedTuple):
    key: int
    number: str
    surname: str
    first_name: str
    sex: str
    born: int | None
    title: str


_FIELDS = ("pk", "number", "name_key", "first_name", "sex", "born", "title")


def compare(
    federation: Federation,
    people: Iterable[FidePerson],
    *,
    link: bool = False,
    told: Callable[[int], None] = lambda people: None,
) -> Comparison:
    """Compare an office's register with FIDE's list, read once. `told` gets the number of people read so far.

    `link`: a player without a FIDE id gets that of the one person of the country with the same name and year
    of birth.
    """
    found = Comparison()
    register = _with_ids(federation)
    unlinked = _without_ids(federation, set(register.values()))
    matches: dict[int, list[FidePerson]] = defaultdict(list)
    kept = {player.key: player for players in unlinked.values() for player in players}
    seen = 0
    for person in people:
        found.people += 1
        if found.people % EVERY == 0:
            told(found.people)
        if player := register.get(person.fide_id):
            seen += 1
            _compare(found, player, person)
        elif person.country == federation.ruleset.country and person.born:
            for other in unlinked.get(_who(person.surname, person.first_name, person.born), ()):
                matches[other.key].append(person)
    found.known, found.missing = seen, len(register) - seen
    _link(found, matches, kept, taken=link)
    return found


def _with_ids(federation: Federation) -> dict[str, _Kept]:
    """The players of an office's register who have a FIDE id, by that id."""
    fields = [f"player__{name}" for name in _FIELDS]
    held = Identifier.objects.filter(federation=federation, kind=FIDE).values_list("value", *fields)
    return {value: _Kept(*player) for value, *player in held}


def _without_ids(federation: Federation, linked: set[_Kept]) -> dict[tuple[str, str, int], list[_Kept]]:
    keys = {player.key for player in linked}
    found: dict[tuple[str, str, int], list[_Kept]] = defaultdict(list)
    current = Player.objects.of(federation).current().filter(withheld=False, born__isnull=False).order_by()
    for row in current.values_list(*_FIELDS).iterator(chunk_size=2_000):
        player = _Kept(*row)
        if player.key not in keys and player.born:
            found[player.surname, fold(player.first_name), player.born].append(player)
    return found


def _who(surname: str, first_name: str, born: int) -> tuple[str, str, int]:
    return fold(surname), fold(first_name), born


def _compare(found: Comparison, player: _Kept, person: FidePerson) -> None:
    """Compare one player with FIDE's particulars: take over the title, which is FIDE's to give, fill in an
    unknown sex and birth, report other differences.
    """
    if person.title and person.title != player.title:
        _note_difference(found, player, "title", player.title, person.title, taken=True)
        found.taken[player.key]["title"] = (player.title, person.title)
    if person.sex and person.sex != player.sex:
        _note_difference(found, player, "sex", player.sex, person.sex, taken=not player.sex)
        if not player.sex:
            found.taken[player.key]["sex"] = ("", person.sex)
    if person.born and person.born != player.born:
        _note_difference(
            found, player, "born", str(player.born or ""), str(person.born), taken=not player.born
        )
        if not player.born:
            found.taken[player.key]["birth"] = ("", str(person.born))
    if fold(person.surname) != player.surname or fold(person.first_name) != fold(player.first_name):
        _note_difference(found, player, "name", "", f"{person.surname}, {person.first_name}", taken=False)


def _link(
    found: Comparison, matches: dict[int, list[FidePerson]], kept: dict[int, _Kept], *, taken: bool
) -> None:
    """Report players without FIDE id beside the people of their name and year (`matches`, by player's key);
    where `taken`, take over the id if nobody else, on either side, has that name and year.
    """
    claims = Counter(person.fide_id for people in matches.values() for person in people)
    for key, people in matches.items():
        alone = len(people) == 1 and claims[people[0].fide_id] == 1
        told = ", ".join(person.fide_id for person in people)
        _note_difference(found, kept[key], "link", "", told, taken=taken and alone)
        if taken and alone:
            found.taken[key][identifier(FIDE)] = ("", people[0].fide_id)


def _note_difference(
    found: Comparison, player: _Kept, what: str, before: str, after: str, *, taken: bool
) -> None:
    found.counts[what, taken] += 1
    found.differences.append(FideDifference(player.number, what, before, after, taken))
