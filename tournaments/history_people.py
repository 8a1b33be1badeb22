"""The people of a history: who is who in all of its files, resolved once for every spelling.

The register grows as it goes: whoever was found or is new in one file is known in the next. An id that name
or birth bears out, or the very name with nothing against it, is enough; what stays doubtful is asked once.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple, cast

from players.models import Federation, Identifier, Player, Region
from players.names import fold, sound, words
from players.storage import batches
from tournaments import matching
from tournaments.history import Answers, Question
from tournaments.matching import spellings
from tournaments.models import Entry


# ---- The spellings of a history's files, and whoever is meant by one, in the register or new.
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
    ids: set[matching.Id] = field(default_factory=set)
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
        self.ids |= {id_ for id_ in matching.ids_of(entry) if id_.kind}
        longer = self.player is None and len(entry.first_name) > len(self.first_name)
        if not self.surname or longer:
            self.surname, self.first_name = entry.surname, entry.first_name
        self.birth = max(self.birth, entry.birth, key=len)
        self.sex = self.sex or entry.sex

    def settle_name(self) -> None:
        """Give a new person the newest surname that two entries have, else the newest: people marry. Of its
        spellings it is the most frequent, with its longest first name.
        """
        named = [each.entry for each in self.spellings if not matching.is_nameless(each.entry)]
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

    def new_ids(self) -> list[matching.Id]:
        """The ids that the register keeps: of each kind, the one that most entries have."""
        counted: Counter[matching.Id] = Counter()
        for spelling in self.spellings:
            for id_ in matching.kept_ids(spelling.entry):
                counted[id_] += len(spelling.uses)
        found: dict[str, matching.Id] = {}
        for id_, _count in sorted(counted.items(), key=lambda each: (-each[1], each[0])):
            found.setdefault(id_.kind, id_)
        return list(found.values())


def is_spelling(one: str, other: str) -> bool:
    """Whether two surnames are spellings of one."""
    one, other = fold(one), fold(other)
    return matching.alike(one, other) or matching.differs_by_a_slip(one, other)


def is_bare(entry: Entry) -> bool:
    """Whether an entry has a name alone: no birth, and no id that can be evidence."""
    return not entry.birth and not matching.ids_of(entry)


def mark_of(entry: Entry, again: int = 0, file_name: str = "") -> str:
    """The mark of an entry's spelling; `again`: for the second who is written so in one file; `file_name`:
    for whom this file alone means so.

    A club's own id is evidence for nobody; but namesakes of whom a file has nothing else are two by it. The
    mark begins with a letter, so that no spreadsheet takes it for a number or a formula.
    """
    ids = sorted((id_.kind, id_.value) for id_ in matching.ids_of(entry))
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


WHOLE_DAY = len("2001-02-03")
SLIP_FROM = 4
"""The letters of a surname from which one of them may be amiss."""


class KnownPeople:
    """The people of a history so far, found again by ids and names."""

    def __init__(self, federation: Federation) -> None:
        self.platforms = matching.platforms_of(federation.ruleset)
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

    def candidates(self, spelling: Spelling) -> list[matching.Candidate]:
        """People who may be meant by a spelling, the likeliest first: never one who has another entry in a
        file of its own.
        """
        entry = spelling.entry
        found = {id(each): each for id_ in matching.ids_of(entry) for each in self._having(id_)}
        for key, rest in matching.keys_of(entry).items():
            for other in _beside(key):
                for each in self.by_key.get(other, ()):
                    if matching.first_name_fits(tuple(rest), each.first_name):
                        found[id(each)] = each
        same_day = self.by_day.get(entry.birth, ()) if not matching.is_nameless(entry) else ()
        found |= {
            id(each): each for each in same_day if matching.shares_first_name(entry, words(each.first_name))
        }
        free = [each for each in found.values() if not each.files & spelling.files]
        judged = [self._judge(entry, each) for each in free]
        return sorted((each for each in judged if each.is_likely), key=lambda each: -each.score)

    def _having(self, filed: matching.Id) -> list[FiledPerson]:
        known = (each for value in spellings(filed.value) for each in self.by_value.get(value, ()))
        return [person for kind, person in known if filed.kind in ("", kind)]

    def _judge(self, entry: Entry, person: FiledPerson) -> matching.Candidate:
        player = cast(Player, person)
        owners = [self._having(id_) for id_ in matching.ids_of(entry)]
        birth = matching.birth_evidence(entry, player)
        evidence = (
            *matching.id_evidence(entry, person.ids, self.platforms),
            *([matching.ID_OF_ANOTHER] if any(having and person not in having for having in owners) else []),
            *_best_name(entry, person, same_birth="birth-date" in birth),
            *birth,
            *matching.plain_evidence(entry, player, self.country, self.regions),
        )
        return matching.Candidate(player, evidence)


def _best_name(entry: Entry, person: FiledPerson, *, same_birth: bool) -> list[str]:
    """The evidence of that one of a person's names which says most for them."""
    told = (matching.name_evidence(entry, cast(Player, name), same_birth=same_birth) for name in person.names)
    return max(told, key=lambda each: sum(matching.WEIGHTS[key] for key in each))


def _beside(key: str) -> set[str]:
    """The keys under which a surname is kept and looked up: itself, its sound, itself with a letter less."""
    if not key:
        return set()
    less = {f"-{key[:at]}{key[at + 1 :]}" for at in range(len(key))} if len(key) > SLIP_FROM else set()
    return {key, f"~{sound(key)}", f"-{key}", *less}


# ---- Resolve who each spelling is.
AT_ONCE = 400
"""The number of spellings whose candidates in the register are looked up together."""
OFFERED = 5
BEST, NEW, SAME, APART = "best", "new", "=", "apart"
"""Answers beside the number or mark of somebody; `APART`: each file may mean another by that name."""
CERTAIN, ANSWERED = "certain", "answered"
BETWEEN_OFFERS = " | "


class Double(NamedTuple):
    """Two people of a history whom a later spelling shows to be alike."""

    younger: FiledPerson
    older: FiledPerson
    evidence: tuple[str, ...]


class Resolution:
    """Takes the spellings of a history one by one, the named before the nameless, and says who each is."""

    def __init__(self, federation: Federation, answers: Answers) -> None:
        self.federation, self.answers = federation, answers
        self.known = KnownPeople(federation)
        self.questions: list[Question] = []
        self.how: dict[str, str] = {}
        """The way in which each spelling was settled, by its mark: a question's key, or another word."""
        self.ids: dict[int, list[matching.Id]] = {}
        """The register's ids of players who were candidates so far, by key."""
        self.people: dict[int, FiledPerson] = {}
        """Everybody once, in the order in which they first stand in a file."""
        self.doubles: dict[tuple[str, str], Double] = {}
        """Pairs of new people whom a later spelling shows to be alike, by their marks."""

    def resolve(self, everything: Iterable[Spelling]) -> dict[str, FiledPerson]:
        """The person whom each spelling means, by its mark."""
        ordered = sorted(everything, key=lambda each: (matching.is_nameless(each.entry), is_bare(each.entry)))
        for some in batches(self._named_first(ordered), AT_ONCE):
            register = self._in_register(some)
            for spelling in some:
                self._settle(spelling, register.get(spelling.mark, []))
        self._settle_doubles()
        for person in self.people.values():
            person.settle_name()
        self.people = dict(sorted(self.people.items(), key=lambda each: _first_use(each[1])))
        return self.known.by_mark

    def _named_first(self, ordered: Iterable[Spelling]) -> list[Spelling]:
        """The spellings in order, but before each one the spelling whose person an answer says it is."""
        ordered = list(ordered)
        by_mark = {each.mark: each for each in ordered}
        placed: dict[str, Spelling] = {}
        for spelling in ordered:
            chain: list[Spelling] = []
            following: Spelling | None = spelling
            while following and following.mark not in placed and following not in chain:
                chain.append(following)
                following = by_mark.get(self.answers.own("person", following.mark).removeprefix(SAME))
            placed |= {each.mark: each for each in reversed(chain)}
        return list(placed.values())

    def _in_register(self, some: Sequence[Spelling]) -> dict[str, list[matching.Candidate]]:
        """The register's candidates for spellings, by their marks."""
        if not Player.objects.of(self.federation).exists():
            return {}
        places = dict(enumerate(some, 1))
        entries = [_numbered(each.entry, number) for number, each in places.items()]
        found = matching.candidates_of(self.federation, entries)
        self._look_up_ids({each.player.pk for candidates in found.values() for each in candidates})
        return {places[number].mark: candidates for number, candidates in found.items()}

    def _look_up_ids(self, keys: set[int]) -> None:
        """Keep the ids of these players, asked for together: one by one they cost more than all else."""
        keys -= self.ids.keys()
        self.ids |= {key: [] for key in keys}
        for some in batches(sorted(keys), AT_ONCE):
            rows = Identifier.objects.filter(player__in=some).values_list("player_id", "kind", "value")
            for key, kind, value in rows:
                self.ids[key].append(matching.Id(kind, value))

    def _settle(self, spelling: Spelling, register: Sequence[matching.Candidate]) -> None:
        register = [each for each in register if not self._taken(each, spelling)]
        candidates = _likeliest([*register, *self.known.candidates(spelling)])
        said = self.answers.own("person-twice", spelling.mark) or self.answers.own("person", spelling.mark)
        self.how[spelling.mark] = ANSWERED if said else CERTAIN
        person = self._answered(spelling, said, candidates) if said else self._found(spelling, candidates)
        if person is not None and self._is_twin(person, spelling):
            said, person = NEW, None
        if person is None:
            self.how[spelling.mark] = ANSWERED if said else NEW
            person = self._new(spelling)
        self.people.setdefault(id(person), person)
        self.known.add(person, spelling)
        for candidate in candidates:
            self._note_double(person, candidate)

    # ---------------------------------------------------------------- two who may be one after all

    def _is_twin(self, person: FiledPerson, spelling: Spelling) -> bool:
        """Whether the answer for all who stand twice in a file makes the spelling somebody else."""
        return self.answers.of_all("person-twice") == NEW and bool(person.files & spelling.files)

    def _note_double(self, person: FiledPerson, candidate: matching.Candidate) -> None:
        """Note somebody beside the person meant whom the same spelling shows to be much alike."""
        other = _in_files(candidate)
        if other is None or other is person or not _is_double(candidate):
            return
        older, younger = sorted((person, other), key=_age)
        if younger.player is None:
            self.doubles.setdefault((younger.mark, older.mark), Double(younger, older, candidate.evidence))

    def _settle_doubles(self) -> None:
        """Ask about each such pair, unless an answer tells of the younger, or of all who are in doubt."""
        for younger, older, evidence in self.doubles.values():
            apart = younger.files & older.files or not (
                younger.birth.startswith(older.birth) or older.birth.startswith(younger.birth)
            )
            if apart or not (self._is_there(younger) and self._is_there(older)):
                continue
            said = self.answers.of("person", younger.mark)
            if not said:
                self._tell(
                    "asks",
                    "person",
                    younger.spellings[0],
                    [matching.Candidate(cast(Player, older), evidence)],
                )
            elif said == BEST:
                del self.people[id(younger)]
                self.known.join(younger, older)

    def _is_there(self, person: FiledPerson) -> bool:
        return id(person) in self.people

    # ---------------------------------------------------------------- one spelling

    def _taken(self, candidate: matching.Candidate, spelling: Spelling) -> bool:
        """Whether a player of the register is another entry of one of the spelling's files."""
        known = self.known.by_player.get(candidate.player.pk)
        return known is not None and bool(known.files & spelling.files)

    def _found(self, spelling: Spelling, candidates: Sequence[matching.Candidate]) -> FiledPerson | None:
        """The person who is meant beyond doubt; None, with a question where there is somebody like that."""
        if (sure := matching.sure_of(candidates)) is not None:
            return self._person(sure)
        if matching.is_nameless(spelling.entry):
            by_id = [each for each in candidates if matching.IDS & set(each.evidence)]
            return self._person(by_id[0]) if len(by_id) == 1 and not _against(by_id[0]) else None
        named = [each for each in candidates if each.has_the_name]
        plainly = [each for each in named if not _against(each)]
        if len(named) == len(plainly) == 1 and not any(_ids_of_others(candidates, plainly[0])):
            self._tell("notice", "taken-by-name", spelling, plainly)
            return self._person(plainly[0])
        return self._doubtful(spelling, candidates)

    def _doubtful(self, spelling: Spelling, candidates: Sequence[matching.Candidate]) -> FiledPerson | None:
        """Find who is meant by the answer for all doubts. Without one it is asked; meanwhile the likeliest
        is taken: a new person would be a doubt for every further spelling.
        """
        doubtful = _in_doubt(candidates)
        if not doubtful:
            return None
        if said := self.answers.of("person", spelling.mark):
            self.how[spelling.mark] = ANSWERED
            return self._answered(spelling, said, candidates)
        self._tell("asks", "person", spelling, doubtful)
        return self._person(doubtful[0])

    def _tell(
        self, level: str, key: str, spelling: Spelling, candidates: Sequence[matching.Candidate]
    ) -> None:
        offered = BETWEEN_OFFERS.join(_offer(each) for each in candidates[:OFFERED])
        self.questions.append(Question(level, key, spelling.mark, spelling.where, proposed=offered))
        self.how[spelling.mark] = key

    def _answered(
        self, spelling: Spelling, said: str, candidates: Sequence[matching.Candidate]
    ) -> FiledPerson | None:
        """The person whom an answer names; None: a new one, or (with a question) nobody who is there."""
        value, doubtful = said.split()[0], _in_doubt(candidates)
        if value in (NEW, APART) or (value == BEST and not doubtful):
            return None
        if value == BEST:
            return self._person(doubtful[0])
        if person := self.known.by_mark.get(value.removeprefix(SAME)):
            return person
        player = Player.objects.of(self.federation).current().filter(number=value).first()
        if player is not None:
            return self._of_player(player)
        told = {"value": said, "text": ""}
        self.questions.append(Question("asks", "person-not-there", spelling.mark, spelling.where, told))
        return None

    def _person(self, candidate: matching.Candidate) -> FiledPerson:
        return _in_files(candidate) or self._of_player(candidate.player)

    def _of_player(self, player: Player) -> FiledPerson:
        if (known := self.known.by_player.get(player.pk)) is not None:
            return known
        self._look_up_ids({player.pk})
        # A player of the register as a person of a history.
        ids = self.ids[player.pk]
        day = getattr(player, "birth_date", None)
        return FiledPerson(
            mark=player.number,
            player=player,
            ids={matching.Id(matching.NUMBER, player.number), *ids},
            names={BorneName(player.surname, player.first_name, player.name_key): None},
            number=player.number,
            surname=player.surname,
            first_name=player.first_name,
            birth=day.day.isoformat() if day else str(player.born or ""),
            sex=player.sex,
            nation=player.nation,
        )

    def _new(self, spelling: Spelling) -> FiledPerson:
        entry = spelling.entry
        person = FiledPerson(spelling.mark)
        if matching.is_nameless(entry):
            surname, _comma, first_name = self.answers.own("name", spelling.mark).partition(",")
            if surname.strip():
                person.surname, person.first_name = surname.strip()[:100], first_name.strip()[:100]
            else:
                where = f"{entry.surname}, {spelling.file_name}"
                self.questions.append(Question("asks", "name", spelling.mark, where))
        return person


def _likeliest(candidates: Iterable[matching.Candidate]) -> list[matching.Candidate]:
    """Candidates by score; whom the register and the history both name once, with what says more."""
    best: dict[object, matching.Candidate] = {}
    for each in sorted(candidates, key=lambda each: -each.score):
        best.setdefault(each.player.pk, each)
    return list(best.values())


def _is_double(candidate: matching.Candidate) -> bool:
    """Whether evidence so strong is for somebody beside the person whom a spelling means."""
    found = set(candidate.evidence)
    born = "birth-date" in found or {"surname", "born"} <= found
    return born and "first-name" in found and not _is_another(candidate)


def _first_use(person: FiledPerson) -> Use:
    return min(use for spelling in person.spellings for use in spelling.uses)


def _age(person: FiledPerson) -> tuple[bool, Use]:
    """The order of people: of the register first, then as they first stand in a file."""
    return person.player is None, _first_use(person)


def _numbered(entry: Entry, number: int) -> Entry:
    """A copy of an entry under another starting number, to be looked up among those of many files."""
    copy = Entry(number=number)
    for name in ("surname", "first_name", "sex", "birth", "filed_id", "id_kind", "other_ids", "federation"):
        setattr(copy, name, getattr(entry, name))
    return copy


def _in_files(candidate: matching.Candidate) -> FiledPerson | None:
    """The person of the history who is a candidate; None: it is a player of the register."""
    who: object = candidate.player
    return who if isinstance(who, FiledPerson) else None


def _in_doubt(candidates: Iterable[matching.Candidate]) -> list[matching.Candidate]:
    """The candidates whom a person may mean, the likeliest first: not those who are somebody else."""
    return [each for each in candidates if not _is_another(each)]


def _offer(candidate: matching.Candidate) -> str:
    """A candidate as an answer may name them."""
    person, player = _in_files(candidate), candidate.player
    return person.offer if person else f"{player.number} {player.name}{in_brackets(player.born)}"


def _against(candidate: matching.Candidate) -> bool:
    return bool(matching.AGAINST & set(candidate.evidence))


def _ids_of_others(candidates: Iterable[matching.Candidate], own: matching.Candidate) -> Iterator[bool]:
    """Yield, for each other candidate, whether the filed id is theirs."""
    return (bool(matching.IDS & set(each.evidence)) for each in candidates if each is not own)


def _is_another(candidate: matching.Candidate) -> bool:
    """Whether the evidence says of itself that this is somebody else: other ids, or another birth, and
    nothing that only one person has.
    """
    found = set(candidate.evidence)
    if found & {*matching.IDS, "birth-date"}:
        return False
    return bool(found & {"id-differs", matching.ID_OF_ANOTHER, "born-differs", "day-differs"})
