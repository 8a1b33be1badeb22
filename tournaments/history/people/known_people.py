"""The people of a history as far as they are known, found again by ids and by any of their names."""

from __future__ import annotations

from collections import defaultdict
from typing import cast

from players.office.models import Federation
from players.register.models import Player
from players.register.name_folding import fold, sound, words
from tournaments.events.models import Entry
from tournaments.history.people.filed_people import FiledPerson, Spelling
from tournaments.identity.evidence import (
    ID_OF_ANOTHER,
    WEIGHTS,
    Candidate,
    birth_evidence,
    id_evidence,
    keys_of,
    name_evidence,
    plain_evidence,
)
from tournaments.identity.id_kinds import Id, ids_of, is_nameless, platforms_of, spellings
from tournaments.identity.matching import shares_first_name
from tournaments.identity.surname_search import first_name_fits

WHOLE_DAY = len("2001-02-03")
SLIP_FROM = 4
"""The letters of a surname from which one of them may be amiss."""


class KnownPeople:
    """The people of a history so far, found again by ids and names."""

    def __init__(self, federation: Federation) -> None:
        self.platforms = platforms_of(federation.ruleset)
        self.country = federation.ruleset.country
        self.regions = {code for code, _name in federation.region_names}
        self.by_value: dict[str, list[tuple[str, FiledPerson]]] = defaultdict(list)
        self.by_key: dict[str, list[FiledPerson]] = defaultdict(list)
        self.by_day: dict[str, list[FiledPerson]] = defaultdict(list)
        """People by their whole date of birth: somebody may have married."""
        self.by_player: dict[int, FiledPerson] = {}
        self.by_mark: dict[str, FiledPerson] = {}
        """People by the mark of any of their spellings."""

    def add(self, person: FiledPerson, spelling: Spelling) -> None:
        """Take a spelling for a person, by which they are found from now on."""
        known, name = set(person.ids), person.name
        person.take(spelling)
        if len(person.birth) == WHOLE_DAY and person not in self.by_day[person.birth]:
            self.by_day[person.birth].append(person)
        self.by_mark[spelling.mark] = person
        if person.player is not None and person.player.pk not in self.by_player:
            self.by_player[person.player.pk] = person
            known, name = set(), ""
        for id_ in person.ids - known:
            self.by_value[id_.value].append((id_.kind, person))
        for key in {fold(person.surname) if person.name != name else "", fold(spelling.entry.surname)}:
            for other in _beside(key):
                if person not in self.by_key[other]:
                    self.by_key[other].append(person)

    def join(self, younger: FiledPerson, older: FiledPerson) -> None:
        """Make two people one after all."""
        for spelling in younger.spellings:
            self.add(older, spelling)

    def candidates(self, spelling: Spelling) -> list[Candidate]:
        """People who may be meant by a spelling, the likeliest first: never one who has another entry in a
        file of its own.
        """
        entry = spelling.entry
        found = {id(each): each for id_ in ids_of(entry) for each in self._having(id_)}
        for key, rest in keys_of(entry).items():
            for other in _beside(key):
                for each in self.by_key.get(other, ()):
                    if first_name_fits(tuple(rest), each.first_name):
                        found[id(each)] = each
        same_day = self.by_day.get(entry.birth, ()) if not is_nameless(entry) else ()
        found |= {id(each): each for each in same_day if shares_first_name(entry, words(each.first_name))}
        free = [each for each in found.values() if not each.files & spelling.files]
        judged = [self._judge(entry, each) for each in free]
        return sorted((each for each in judged if each.is_likely), key=lambda each: -each.score)

    def _having(self, filed: Id) -> list[FiledPerson]:
        known = (each for value in spellings(filed.value) for each in self.by_value.get(value, ()))
        return [person for kind, person in known if filed.kind in ("", kind)]

    def _judge(self, entry: Entry, person: FiledPerson) -> Candidate:
        player = cast(Player, person)
        owners = [self._having(id_) for id_ in ids_of(entry)]
        birth = birth_evidence(entry, player)
        evidence = (
            *id_evidence(entry, person.ids, self.platforms),
            *([ID_OF_ANOTHER] if any(having and person not in having for having in owners) else []),
            *_best_name(entry, person, same_birth="birth-date" in birth),
            *birth,
            *plain_evidence(entry, player, self.country, self.regions),
        )
        return Candidate(player, evidence)


def _best_name(entry: Entry, person: FiledPerson, *, same_birth: bool) -> list[str]:
    """The evidence of that one of a person's names which says most for them."""
    told = (name_evidence(entry, cast(Player, name), same_birth=same_birth) for name in person.names)
    return max(told, key=lambda each: sum(WEIGHTS[key] for key in each))


def _beside(key: str) -> set[str]:
    """The keys under which a surname is kept and looked up: itself, its sound, itself with a letter less."""
    if not key:
        return set()
    less = {f"-{key[:at]}{key[at + 1 :]}" for at in range(len(key))} if len(key) > SLIP_FROM else set()
    return {key, f"~{sound(key)}", f"-{key}", *less}
