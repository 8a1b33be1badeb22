"""Ids that a file gives players: their kinds, how they are compared, and which the register keeps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import gettext as _
from rapidfuzz.distance import OSA

from ratings.equipment.find_equipment import equipment_of
from ratings.law.ruleset import Ruleset
from ratings.rulesets import rulesets
from tournaments.events.models import Entry
from tournaments.formats.common.reading_result import PROVISIONAL

NUMBER = "number"
"""The kind of the ids that are numbers of this register."""
SEVERAL = "several"
"""The kind of a column with ids of several kinds: each id has the kind under which the register knows it."""
CLUB = "club"
"""The kind of a club's own ids: evidence for nobody, and not kept."""
FIDE = "fide"
LEAST_DIGITS = 4
"""Shorter ids are so close together that a near match means nothing."""


class Id(NamedTuple):
    kind: str
    """`NUMBER`, a kind of the register's identifiers; empty: not known."""
    value: str


def choices_of(ruleset: Ruleset) -> list[tuple[str, str]]:
    """The answers to what the id column of a file holds: the code and the label of each kind."""
    return [
        (NUMBER, _("Numbers of this register")),
        *((kind.code, _(kind.label)) for kind in equipment_of(ruleset).office.id_kinds),
        (SEVERAL, _("Several kinds that the register has")),
        (CLUB, _("Ids of a club or of the program: do not look them up")),
    ]


def label_of(ruleset: Ruleset, kind: str) -> str:
    """The label of a kind of id: this federation's, else another's; one that none has keeps its name."""
    if is_provisional(kind):
        return _("%(kind)s, provisional") % {"kind": label_of(ruleset, register_of(kind))}
    offices = (equipment_of(each).office for each in (ruleset, *rulesets().values()))
    return next(
        (_(known.label) for office in offices for known in office.id_kinds if known.code == kind), kind
    )


def is_provisional(kind: str) -> bool:
    """Whether a pairing program gave ids of this kind: the same one is evidence, another none."""
    return kind.endswith(PROVISIONAL)


def is_of_kind(known: str, filed: str) -> bool:
    """Whether an id that is known can be the one that was filed; `filed` empty: of any kind."""
    return not filed or register_of(known) == register_of(filed)


def register_of(kind: str) -> str:
    """The kind of the register for which a provisional id stands; any other kind is its own."""
    return kind.removesuffix(PROVISIONAL)


def platforms_of(ruleset: Ruleset) -> frozenset[str]:
    return frozenset(kind.code for kind in equipment_of(ruleset).office.id_kinds if kind.platform)


def ids_of(entry: Entry) -> list[Id]:
    """The ids of an entry that can be evidence of who it is: not a club's own."""
    column: list[Id] = []
    if entry.filed_id and entry.id_kind != CLUB:
        column = [Id("" if entry.id_kind == SEVERAL else entry.id_kind, entry.filed_id)]
    return [*column, *(Id(kind, value) for kind, value in entry.other_ids)]


def kept_ids(entry: Entry) -> list[Id]:
    """The ids that the register keeps for a player: of a known kind, and not its own numbers."""
    return [id_ for id_ in ids_of(entry) if id_.kind not in ("", NUMBER)]


def is_nameless(entry: Entry) -> bool:
    """Whether the surname is an id, such as a name on a platform, and no other name is known."""
    ids = [entry.filed_id, *(value for _kind, value in entry.other_ids)]
    return not entry.first_name and entry.surname in ids


def file_without_names(entries: Iterable[Entry]) -> bool:
    """Whether a file gives ids in place of names; whom a person entered as new may have a name since."""
    return all(is_nameless(entry) for entry in entries if entry.match != Entry.Match.NEW)


def spellings(value: str) -> list[str]:
    """The spellings under which an id is looked up: as it is, without leading zeros, and in small letters."""
    return list(dict.fromkeys(filter(None, (value, value.lstrip("0"), value.lower()))))


def nearly(one: str, other: str) -> bool:
    """Whether two ids differ by a slip: a character wrong, missing or too many, or two neighbours swapped."""
    if min(len(one), len(other)) < LEAST_DIGITS or one == other:
        return False
    return OSA.distance(one, other, score_cutoff=1) == 1
