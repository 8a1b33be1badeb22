"""People of a history: the spellings of its files, and whoever is meant by one, in the register or new."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from players.office.models import Region
from players.register.models import Player
from players.register.name_folding import fold
from tournaments.events.models import Entry
from tournaments.identity.evidence import alike, differs_by_a_slip
from tournaments.identity.id_kinds import NUMBER, Id, ids_of, is_nameless, kept_ids


class Use(NamedTuple):
    """An entry of a file: the file's number, and the starting number."""

    file: int
    start: int


class BorneName(NamedTuple):
    """A name by which a file knows somebody, as the evidence reads it."""

    surname: str
    first_name: str
    name_key: str

    @property
    def name(self) -> str:
        return ", ".join(filter(None, (self.surname, self.first_name)))


class WholeBirth(NamedTuple):
    """A whole date of birth, as the evidence reads it."""

    day: date


@dataclass(slots=True)
class Spelling:
    """One way in which files write somebody: names, birth, sex and ids; and where they do."""

    mark: str
    """A short digest by which answers name it."""
    entry: Entry
    uses: list[Use] = field(default_factory=list)
    file_name: str = ""
    """The first file with it, to be named in questions."""
    region: Region | None = None
    """The region of that file's event."""
    newest: int = 0
    """The place of its last entry among all."""

    @property
    def files(self) -> set[int]:
        return {use.file for use in self.uses}

    @property
    def where(self) -> str:
        """The mark, the name with its birth, and the first file, as questions name the spelling."""
        return f"{self.mark} {self.entry.name}{in_brackets(self.entry.birth)}, {self.file_name}"


def in_brackets(birth: object) -> str:
    return f" ({birth})" if birth else ""


@dataclass(slots=True, eq=False)
class FiledPerson:
    """A person in a history: a player of the register, or a new one; the evidence reads it as a player."""

    mark: str
    player: Player | None = None
    spellings: list[Spelling] = field(default_factory=list)
    files: set[int] = field(default_factory=set)
    ids: set[Id] = field(default_factory=set)
    names: dict[BorneName, None] = field(default_factory=dict)
    """All names that files write: whoever was misspelt first is found by the right name too."""
    number: str = ""
    """The number in the register; of a new player, once the lines are drawn up."""
    surname: str = ""
    first_name: str = ""
    birth: str = ""
    sex: str = ""
    nation: str = ""

    @property
    def pk(self) -> object:
        """The key that tells this person from others in the evidence."""
        return self.player.pk if self.player else self.mark

    @property
    def name(self) -> str:
        return ", ".join(filter(None, (self.surname, self.first_name)))

    @property
    def offer(self) -> str:
        """The person as an answer may name them: what is to be said stands first."""
        key = self.mark if self.player is None else self.number
        return f"{key} {self.name}{in_brackets(self.birth)}"

    @property
    def name_key(self) -> str:
        return fold(self.surname)

    @property
    def born(self) -> int | None:
        return int(self.birth[:4]) if self.birth else None

    @property
    def birth_date(self) -> WholeBirth | None:
        return WholeBirth(date.fromisoformat(self.birth)) if len(self.birth) == 10 else None

    @property
    def deceased(self) -> bool:
        return self.player is not None and self.player.deceased

    @property
    def region(self) -> Region | None:
        """The region of a new player: that of the first event."""
        return next((spelling.region for spelling in self.spellings if spelling.region), None)

    @property
    def title(self) -> str:
        return next((each.entry.title for each in reversed(self.spellings) if each.entry.title), "")

    def take(self, spelling: Spelling) -> None:
        """Take a spelling for this person: what it tells beside the name is known from now on."""
        entry = spelling.entry
        self.spellings.append(spelling)
        self.names[BorneName(entry.surname, entry.first_name, fold(entry.surname))] = None
        self.files |= spelling.files
        self.ids |= {id_ for id_ in ids_of(entry) if id_.kind}
        longer = self.player is None and len(entry.first_name) > len(self.first_name)
        if not self.surname or longer:
            self.surname, self.first_name = entry.surname, entry.first_name
        self.birth = max(self.birth, entry.birth, key=len)
        self.sex = self.sex or entry.sex

    def settle_name(self) -> None:
        """Give a new person the newest surname that two entries have, else the newest: people marry. Of its
        spellings it is the most frequent, with its longest first name.
        """
        named = [each.entry for each in self.spellings if not is_nameless(each.entry)]
        if self.player is not None or not named:
            return
        entries: Counter[str] = Counter()
        newest: dict[str, int] = {}
        for each in self.spellings:
            entries[each.entry.surname] += len(each.uses)
            newest[each.entry.surname] = max(newest.get(each.entry.surname, 0), each.newest)
        surnames = list(dict.fromkeys(entry.surname for entry in named))
        borne = [each for each in surnames if entries[each] > 1] or surnames
        last = max(borne, key=newest.__getitem__)
        self.surname = max((each for each in surnames if is_spelling(each, last)), key=entries.__getitem__)
        first_names = [entry.first_name for entry in named if entry.surname == self.surname]
        self.first_name = max(first_names, key=len)

    def new_ids(self) -> list[Id]:
        """The ids that the register keeps: of each kind, the one that most entries have."""
        counted: Counter[Id] = Counter()
        for spelling in self.spellings:
            for id_ in kept_ids(spelling.entry):
                counted[id_] += len(spelling.uses)
        found: dict[str, Id] = {}
        for id_, _count in sorted(counted.items(), key=lambda each: (-each[1], each[0])):
            found.setdefault(id_.kind, id_)
        return list(found.values())


def is_spelling(one: str, other: str) -> bool:
    """Whether two surnames are spellings of one."""
    one, other = fold(one), fold(other)
    return alike(one, other) or differs_by_a_slip(one, other)


def of_register(player: Player, ids: Iterable[Id]) -> FiledPerson:
    """A player of the register as a person of a history."""
    day = getattr(player, "birth_date", None)
    return FiledPerson(
        mark=player.number,
        player=player,
        ids={Id(NUMBER, player.number), *ids},
        names={BorneName(player.surname, player.first_name, player.name_key): None},
        number=player.number,
        surname=player.surname,
        first_name=player.first_name,
        birth=day.day.isoformat() if day else str(player.born or ""),
        sex=player.sex,
        nation=player.nation,
    )


def is_bare(entry: Entry) -> bool:
    """Whether an entry has a name alone: no birth, and no id that can be evidence."""
    return not entry.birth and not ids_of(entry)


def mark_of(entry: Entry, again: int = 0, file_name: str = "") -> str:
    """The mark of an entry's spelling; `again`: for the second who is written so in one file; `file_name`:
    for whom this file alone means so.

    A club's own id is evidence for nobody; but namesakes of whom a file has nothing else are two by it. The
    mark begins with a letter, so that no spreadsheet takes it for a number or a formula.
    """
    ids = sorted((id_.kind, id_.value) for id_ in ids_of(entry))
    told: list[object] = [entry.surname, entry.first_name, entry.birth, entry.sex, ids]
    told += [each for each in (entry.filed_id if is_bare(entry) else "", again, file_name) if each]
    return f"m{hashlib.sha256(json.dumps(told).encode()).hexdigest()[:12]}"


class Spellings:
    """Collects the entries of all files by their spelling, in the order of the files.

    `apart`: the marks of spellings of which each file may mean somebody else.
    """

    def __init__(self, apart: Collection[str] = ()) -> None:
        self.by_mark: dict[str, Spelling] = {}
        self.apart = apart
        self.entries = 0

    def add(self, file: int, file_name: str, region: Region | None, entry: Entry) -> str:
        """Note an entry; return the mark of its spelling."""
        again = 0
        self.entries += 1
        while True:
            mark = mark_of(entry, again)
            if mark in self.apart:
                mark = mark_of(entry, again, file_name)
            spelling = self.by_mark.get(mark)
            if spelling is None or file not in spelling.files:
                break
            again += 1
        if spelling is None:
            spelling = self.by_mark[mark] = Spelling(mark, entry, [], file_name, region)
        spelling.uses.append(Use(file, entry.number))
        spelling.newest = self.entries
        return mark
