"""The people of a history: who is who in all of its files, resolved once for every spelling.

A person found or new in one file is known in the next. An id that name or birth confirms, or the same name
with nothing against it, is enough; about doubtful ones a question is asked once.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import cast

from players.evidence import (
    AGAINST,
    ID_OF_ANOTHER,
    IDS,
    Candidate,
    Described,
    FoldedName,
    fold_name,
)
from players.models import Federation, Identifier, Player, Region
from players.names import SLIP_FROM, compare, fold, fold_and_join_words, fold_words, get_sounds
from players.writing import batches
from ratings.rulesets.particulars import births_agree, is_provisional
from tournaments import matching
from tournaments.history import Answers, Question
from tournaments.matching import Id
from tournaments.models import Entry

# ---- Spellings and people
Use = tuple[int, int]
"""An entry of a file: the file's number, and the starting number."""


@dataclass(slots=True)
class Spelling:
    """One way in which files write a person: names, birth, sex and ids; and where."""

    mark: str
    """A short digest by which answers name the spelling."""
    entry: Entry
    uses: list[Use] = field(default_factory=list)
    file_name: str = ""
    """The first file with it, for questions."""
    region: Region | None = None
    """The region of that file's event."""
    newest: int = 0
    """The position of its last entry among all entries."""

    @property
    def files(self) -> set[int]:
        return {file for file, _start in self.uses}

    @property
    def where(self) -> str:
        """The mark, the name with birth and ids, and the first file, for questions."""
        said = name_with_particulars(self.entry.name, self.entry.birth, matching.get_ids(self.entry))
        return f"{self.mark} {said}, {self.file_name}"


def name_with_particulars(name: str, birth: object, ids: Iterable[Id]) -> str:
    """A name with what tells its bearer from others: `Botha, Jan (1990, fide 14300441)`."""
    numbers = (each for each in sorted(ids) if each.kind != matching.NUMBER)
    known = [str(birth or ""), *(f"{each.kind} {each.value}".strip() for each in numbers)]
    said = ", ".join(filter(None, known))
    return f"{name} ({said})" if said else name


@dataclass(slots=True, eq=False)
class FiledPerson:
    """A person in a history, in the register or new, with the attributes of a player that evidence reads."""

    mark: str
    player: Player | None = None
    spellings: list[Spelling] = field(default_factory=list)
    files: set[int] = field(default_factory=set)
    ids: set[Id] = field(default_factory=set)
    names: dict[FoldedName, None] = field(default_factory=dict)
    """All names in the files, so that a person misspelt first is found by the right name too."""
    number: str = ""
    """The number in the register; a new player gets it when the lines are made."""
    surname: str = ""
    first_name: str = ""
    birth: str = ""
    sex: str = ""
    nation: str = ""

    @property
    def pk(self) -> object:
        """The key of this person in evidence."""
        return self.player.pk if self.player else self.mark

    @property
    def name(self) -> str:
        return ", ".join(filter(None, (self.surname, self.first_name)))

    @property
    def born(self) -> int | None:
        return int(self.birth[:4]) if self.birth else None

    @property
    def birth_date(self) -> date | None:
        return date.fromisoformat(self.birth) if len(self.birth) == len("2010-05-03") else None

    @property
    def offer(self) -> str:
        """The person as an answer may name them; the answer itself is first."""
        key = self.mark if self.player is None else self.number
        return f"{key} {name_with_particulars(self.name, self.birth, self.ids)}"

    def has_another_id(self, ids: Iterable[Id]) -> bool:
        """Whether a register of the world, which gives each person one number, gave this person others."""
        kinds = {id_.kind for id_ in ids} & {id_.kind for id_ in self.ids}
        return any(
            not is_provisional(kind) and not {each for each in ids if each.kind == kind} & self.ids
            for kind in kinds - {"", matching.NUMBER}
        )

    def describe(self, name: FoldedName) -> Described:
        """What is known of the person, by one of the names."""
        died = self.player is not None and self.player.deceased
        return Described([name], self.birth, self.sex, self.nation, deceased=died)

    @property
    def region(self) -> Region | None:
        """The region of a new player: that of the first event."""
        return next((spelling.region for spelling in self.spellings if spelling.region), None)

    @property
    def title(self) -> str:
        return next((each.entry.title for each in reversed(self.spellings) if each.entry.title), "")

    def take(self, spelling: Spelling) -> None:
        """Add a spelling and what it says of the person."""
        entry = spelling.entry
        self.spellings.append(spelling)
        self.names[fold_name(entry.surname, entry.first_name)] = None
        self.files |= spelling.files
        self.ids |= {id_ for id_ in matching.get_ids(entry) if id_.kind}
        longer = self.player is None and len(entry.first_name) > len(self.first_name)
        if not self.surname or longer:
            self.surname, self.first_name = entry.surname, entry.first_name
        self.birth = max(self.birth, entry.birth, key=len)
        self.sex = self.sex or entry.sex

    def settle_name(self) -> None:
        """Give a new person the newest surname that two entries have, else the newest, because people marry:
        in its most frequent spelling, with the longest first name.
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

    def new_ids(self) -> list[Id]:
        """The ids that the register will keep: the most frequent of each kind."""
        counted: Counter[Id] = Counter()
        for spelling in self.spellings:
            for id_ in matching.storable_ids(spelling.entry):
                counted[id_] += len(spelling.uses)
        found: dict[str, Id] = {}
        for id_, _count in sorted(counted.items(), key=lambda each: (-each[1], each[0])):
            found.setdefault(id_.kind, id_)
        return list(found.values())


def is_spelling(one: str, other: str) -> bool:
    """Whether two surnames are spellings of the same one."""
    return bool(compare(fold(one), fold(other)))


def has_only_name(entry: Entry) -> bool:
    """Whether an entry has only a name: no birth, and no id that can be evidence."""
    return not entry.birth and not matching.get_ids(entry)


def spelling_mark(entry: Entry, namesake_index: int = 0, file_name: str = "") -> str:
    """The mark of an entry's spelling; `namesake_index`: for the second person written so in one file;
    `file_name`: if it means a person of this file alone.

    A club's own id is no evidence, but it tells namesakes apart of whom a file has nothing else. The mark
    begins with a letter, so that no spreadsheet takes it for a number or a formula.
    """
    ids = sorted((id_.kind, id_.value) for id_ in matching.get_ids(entry))
    parts: list[object] = [entry.surname, entry.first_name, entry.birth, entry.sex, ids]
    parts += [
        each for each in (entry.filed_id if has_only_name(entry) else "", namesake_index, file_name) if each
    ]
    return f"m{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]}"


class Spellings:
    """Collects the entries of all files by spelling. `apart`: the marks of spellings that may mean another
    person in each file.
    """

    def __init__(self, apart: Collection[str] = ()) -> None:
        self.by_mark: dict[str, Spelling] = {}
        self.apart = apart
        self.entries = 0

    def add(self, file: int, file_name: str, region: Region | None, entry: Entry) -> str:
        """Add an entry; return the mark of its spelling."""
        again = 0
        self.entries += 1
        while True:
            mark = spelling_mark(entry, again)
            if mark in self.apart:
                mark = spelling_mark(entry, again, file_name)
            spelling = self.by_mark.get(mark)
            if spelling is None or file not in spelling.files:
                break
            again += 1
        if spelling is None:
            spelling = self.by_mark[mark] = Spelling(mark, entry, [], file_name, region)
        spelling.uses.append((file, entry.number))
        spelling.newest = self.entries
        return mark


WHOLE_BIRTH_LENGTH = len("2001-02-03")


class KnownPeople(matching.KnownIds[FiledPerson]):
    """The people of a history so far, by ids and names."""

    def __init__(self, federation: Federation) -> None:
        super().__init__(federation)
        self.by_key: dict[str, list[FiledPerson]] = defaultdict(list)
        self.by_day: dict[str, list[FiledPerson]] = defaultdict(list)
        """People by whole date of birth, to find those who have married."""
        self.by_player: dict[int, FiledPerson] = {}
        self.by_mark: dict[str, FiledPerson] = {}
        """People by the marks of all their spellings."""

    def add(self, person: FiledPerson, spelling: Spelling) -> None:
        """Add a spelling to a person, by which they are found from now on."""
        known, name = set(person.ids), person.name
        person.take(spelling)
        if len(person.birth) == WHOLE_BIRTH_LENGTH and person not in self.by_day[person.birth]:
            self.by_day[person.birth].append(person)
        self.by_mark[spelling.mark] = person
        if person.player is not None and person.player.pk not in self.by_player:
            self.by_player[person.player.pk] = person
            known, name = set(), ""
        for id_ in person.ids - known:
            self.by_value[id_.value].append((id_.kind, person))
        for key in {fold(person.surname) if person.name != name else "", fold(spelling.entry.surname)}:
            for other in _index_keys(key):
                if person not in self.by_key[other]:
                    self.by_key[other].append(person)

    def join(self, younger: FiledPerson, older: FiledPerson) -> None:
        """Make two people one."""
        for spelling in younger.spellings:
            self.add(older, spelling)

    def candidates(self, spelling: Spelling) -> list[Candidate]:
        """People whom a spelling may mean, the likeliest first; without those who have another entry in one
        of its files.
        """
        entry = spelling.entry
        found = {id(each): each for id_ in matching.get_ids(entry) for each in self.find_by_id(id_)}
        for key, rest in matching.surname_keys(entry).items():
            alike = {id(each): each for other in _index_keys(key) for each in self.by_key.get(other, ())}
            first_names = {each.first_name for each in alike.values()}
            fits = {name for name in first_names if matching.first_name_fits(rest, fold_and_join_words(name))}
            found |= {mark: each for mark, each in alike.items() if each.first_name in fits}
        same_day = self.by_day.get(entry.birth, ()) if not matching.is_nameless(entry) else ()
        found |= {
            id(each): each
            for each in same_day
            if matching.shares_first_name(entry, fold_words(each.first_name))
        }
        free = [each for each in found.values() if not each.files & spelling.files]
        judged = [self._judge(entry, each) for each in free]
        return sorted((each for each in judged if each.is_likely), key=lambda each: -each.score)

    def _judge(self, entry: Entry, person: FiledPerson) -> Candidate:
        return self.judge_by(entry, person, person.ids, map(person.describe, person.names))


def _index_keys(key: str) -> set[str]:
    """The keys of a surname in the index: itself, its sounds, and each of these without each letter."""
    found = {key} if key else set()
    for form in {key, *get_sounds(key)} if key else ():
        less = (f"{form[:at]}{form[at + 1 :]}" for at in range(len(form))) if len(form) > SLIP_FROM else ()
        found |= {f"~{form}", f"-{form}", *(f"-{each}" for each in less)}
    return found


# ---- Resolution
BATCH_SIZE = 400
"""The number of spellings that are looked up together in the register."""
MOST_OFFERED = 5
BEST, NEW, SAME_PREFIX, APART = "best", "new", "=", "apart"
"""Answers other than a number or mark; `APART`: each file may mean another person."""
CERTAIN, ANSWERED = "certain", "answered"
OFFER_SEPARATOR = " | "


Double = tuple[FiledPerson, FiledPerson, tuple[str, ...]]
"""The younger and the older of two people who are alike by a later spelling, and the evidence."""


class Resolution:
    """Finds the person of each spelling of a history, those with names first."""

    def __init__(self, federation: Federation, answers: Answers) -> None:
        self.federation, self.answers = federation, answers
        self.known = KnownPeople(federation)
        self.questions: list[Question] = []
        self.how: dict[str, str] = {}
        """How each spelling was settled, by its mark: a question's key, or another word."""
        self.ids: dict[int, list[Id]] = {}
        """The ids of players who were candidates so far, by key."""
        self.people: dict[int, FiledPerson] = {}
        """Each person once, in the order of their first entries."""
        self.doubles: dict[tuple[str, str], Double] = {}
        """Pairs of new people who are alike by a later spelling, by their marks."""

    def resolve(self, everything: Iterable[Spelling]) -> dict[str, FiledPerson]:
        """The person of each spelling, by its mark."""
        ordered = sorted(
            everything, key=lambda each: (matching.is_nameless(each.entry), has_only_name(each.entry))
        )
        for some in batches(self._named_first(ordered), BATCH_SIZE):
            register = self._register_candidates(some)
            for spelling in some:
                self._settle(spelling, register.get(spelling.mark, []))
        self._settle_doubles()
        for person in self.people.values():
            person.settle_name()
        self.people = dict(sorted(self.people.items(), key=lambda each: _first_use(each[1])))
        return self.known.by_mark

    def _named_first(self, ordered: Iterable[Spelling]) -> list[Spelling]:
        """The spellings in order, but each after the one whose person an answer says it is."""
        ordered = list(ordered)
        by_mark = {each.mark: each for each in ordered}
        placed: dict[str, Spelling] = {}
        for spelling in ordered:
            chain: list[Spelling] = []
            following: Spelling | None = spelling
            while following and following.mark not in placed and following not in chain:
                chain.append(following)
                following = by_mark.get(self.answers.own("person", following.mark).removeprefix(SAME_PREFIX))
            placed |= {each.mark: each for each in reversed(chain)}
        return list(placed.values())

    def _register_candidates(self, some: Sequence[Spelling]) -> dict[str, list[Candidate]]:
        """The register's candidates for spellings, by mark."""
        if not Player.objects.of(self.federation).exists():
            return {}
        places = dict(enumerate(some, 1))
        entries = [_numbered(each.entry, number) for number, each in places.items()]
        found = matching.find_candidates(self.federation, entries)
        self._look_up_ids({each.player.pk for candidates in found.values() for each in candidates})
        return {places[number].mark: candidates for number, candidates in found.items()}

    def _look_up_ids(self, keys: set[int]) -> None:
        """Load the ids of these players together, as single queries would cost more than all else."""
        keys -= self.ids.keys()
        self.ids |= {key: [] for key in keys}
        for some in batches(sorted(keys), BATCH_SIZE):
            rows = Identifier.objects.filter(player__in=some).values_list("player_id", "kind", "value")
            for key, kind, value in rows:
                self.ids[key].append(Id(kind, value))

    def _settle(self, spelling: Spelling, register: Sequence[Candidate]) -> None:
        register = [each for each in register if not self._is_other_entry(each, spelling)]
        candidates = _likeliest([*register, *self.known.candidates(spelling)])
        answer = self.answers.own("person-twice", spelling.mark) or self.answers.own("person", spelling.mark)
        self.how[spelling.mark] = ANSWERED if answer else CERTAIN
        person = self._answered(spelling, answer, candidates) if answer else self._found(spelling, candidates)
        apart = self.answers.of_all("person-twice") == NEW
        if person is not None and apart and person.files & spelling.files:
            answer, person = NEW, None
        if person is None:
            self.how[spelling.mark] = ANSWERED if answer else NEW
            person = self._new(spelling)
        self.people.setdefault(id(person), person)
        self.known.add(person, spelling)
        for candidate in candidates:
            self._note_double(person, candidate)

    def _note_double(self, person: FiledPerson, candidate: Candidate) -> None:
        """Note another person who is much alike by the same spelling."""
        other = _filed_person(candidate)
        if other is None or other is person or not _is_double(candidate):
            return
        older, younger = sorted((person, other), key=_age)
        if younger.player is None:
            self.doubles.setdefault((younger.mark, older.mark), (younger, older, candidate.evidence))

    def _settle_doubles(self) -> None:
        """Ask about each such pair, unless an answer covers it."""
        for younger, older, evidence in self.doubles.values():
            apart = younger.files & older.files or not births_agree(younger.birth, older.birth)
            apart = apart or older.has_another_id(younger.ids)
            if apart or not (id(younger) in self.people and id(older) in self.people):
                continue
            answer = self.answers.of("person", younger.mark)
            if not answer:
                candidate = Candidate(cast(Player, older), evidence)
                self._ask("asks", "person", younger.spellings[0], [candidate])
            elif answer == BEST:
                del self.people[id(younger)]
                self.known.join(younger, older)

    def _is_other_entry(self, candidate: Candidate, spelling: Spelling) -> bool:
        """Whether a player of the register is another entry of one of the spelling's files."""
        known = self.known.by_player.get(candidate.player.pk)
        return known is not None and bool(known.files & spelling.files)

    def _found(self, spelling: Spelling, candidates: Sequence[Candidate]) -> FiledPerson | None:
        """The person who is meant beyond doubt, else the doubtful one; None for a new person."""
        if (sure := matching.find_certain_candidate(candidates)) is not None:
            return self._person(sure)
        if matching.is_nameless(spelling.entry):
            by_id = [each for each in candidates if IDS & set(each.evidence)]
            clear = len(by_id) == 1 and not AGAINST & set(by_id[0].evidence)
            return self._person(by_id[0]) if clear else None
        named = [each for each in candidates if each.has_the_name]
        if len(named) == 1 and not {*AGAINST, "id-nearly"} & set(named[0].evidence):
            others = (each for each in candidates if each is not named[0])
            if not any(IDS & set(each.evidence) for each in others):
                self._ask("notice", "taken-by-name", spelling, named)
                return self._person(named[0])
        return self._doubtful(spelling, candidates)

    def _doubtful(self, spelling: Spelling, candidates: Sequence[Candidate]) -> FiledPerson | None:
        """The person by the answer for all doubts. Without one it asks and takes the likeliest, because a new
        person would be a doubt for all further spellings.
        """
        doubtful = _possible(candidates)
        if not doubtful:
            return None
        if answer := self.answers.of("person", spelling.mark):
            self.how[spelling.mark] = ANSWERED
            return self._answered(spelling, answer, candidates)
        ids = matching.get_ids(spelling.entry)
        doubtful.sort(key=lambda each: self._person(each).has_another_id(ids))
        self._ask("asks", "person", spelling, doubtful)
        return self._best(spelling, doubtful)

    def _ask(self, level: str, key: str, spelling: Spelling, candidates: Sequence[Candidate]) -> None:
        offered = OFFER_SEPARATOR.join(self._person(each).offer for each in candidates[:MOST_OFFERED])
        self.questions.append(Question(level, key, spelling.mark, spelling.where, proposed=offered))
        self.how[spelling.mark] = key

    def _answered(
        self, spelling: Spelling, answer: str, candidates: Sequence[Candidate]
    ) -> FiledPerson | None:
        """The person whom an answer names; None for a new one, or, with a question, for an unknown one."""
        value, doubtful = answer.split()[0], _possible(candidates)
        if value in (NEW, APART) or (value == BEST and not doubtful):
            return None
        if value == BEST:
            return self._best(spelling, doubtful)
        if person := self.known.by_mark.get(value.removeprefix(SAME_PREFIX)):
            return person
        player = Player.objects.of(self.federation).current().filter(number=value).first()
        if player is not None:
            return self._registered_person(player)
        params = {"value": answer, "text": ""}
        self.questions.append(Question("asks", "person-not-there", spelling.mark, spelling.where, params))
        return None

    def _best(self, spelling: Spelling, candidates: Iterable[Candidate]) -> FiledPerson | None:
        """The likeliest person whom no number of one register tells from the spelling; None: a new one."""
        ids = matching.get_ids(spelling.entry)
        people = map(self._person, candidates)
        return next((person for person in people if not person.has_another_id(ids)), None)

    def _person(self, candidate: Candidate) -> FiledPerson:
        return _filed_person(candidate) or self._registered_person(candidate.player)

    def _registered_person(self, player: Player) -> FiledPerson:
        if (known := self.known.by_player.get(player.pk)) is not None:
            return known
        self._look_up_ids({player.pk})
        ids = self.ids[player.pk]
        day = getattr(player, "birth_date", None)
        return FiledPerson(
            mark=player.number,
            player=player,
            ids={Id(matching.NUMBER, player.number), *ids},
            names={fold_name(player.surname, player.first_name): None},
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


def _likeliest(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Candidates by score; each person once, with the stronger evidence."""
    best: dict[object, Candidate] = {}
    for each in sorted(candidates, key=lambda each: -each.score):
        best.setdefault(each.player.pk, each)
    return list(best.values())


def _is_double(candidate: Candidate) -> bool:
    """Whether the evidence is strong enough for a person beside the one whom a spelling means."""
    found = set(candidate.evidence)
    born = "birth-date" in found or {"surname", "born"} <= found
    return born and "first-name" in found and not _is_another(candidate)


def _first_use(person: FiledPerson) -> Use:
    return min(use for spelling in person.spellings for use in spelling.uses)


def _age(person: FiledPerson) -> tuple[bool, Use]:
    """The order of people: those of the register first, then by first entry."""
    return person.player is None, _first_use(person)


def _numbered(entry: Entry, number: int) -> Entry:
    """A copy of an entry with another starting number, for a look-up with entries of other files."""
    copy = Entry(number=number)
    for name in ("surname", "first_name", "sex", "birth", "filed_id", "id_kind", "other_ids", "federation"):
        setattr(copy, name, getattr(entry, name))
    return copy


def _filed_person(candidate: Candidate) -> FiledPerson | None:
    """The candidate as a person of the history; None for a player of the register."""
    who: object = candidate.player
    return who if isinstance(who, FiledPerson) else None


def _possible(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates who are not certainly another person, the likeliest first."""
    return [each for each in candidates if not _is_another(each)]


def _is_another(candidate: Candidate) -> bool:
    """Whether the evidence says that this is another person: other ids or another birth, and no same id or
    date of birth.
    """
    found = set(candidate.evidence)
    if found & {*IDS, "birth-date"}:
        return False
    return bool(found & {"id-differs", ID_OF_ANOTHER, "born-differs", "day-differs"})
