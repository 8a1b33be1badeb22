"""Resolves who is who in all files of a history, once for every spelling.

The register grows as it goes: whoever was found or is new in one file is known in the next. An id that name
or birth bears out, or the very name with nothing against it, is enough; what stays doubtful is asked once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, cast

from players.office.models import Federation
from players.register.models import Identifier, Player
from ratings.storage.bulk_writing import batches
from tournaments.events.models import Entry
from tournaments.history.people.filed_people import (
    FiledPerson,
    Spelling,
    Use,
    in_brackets,
    is_bare,
    of_register,
)
from tournaments.history.people.known_people import KnownPeople
from tournaments.history.questions import Answers, Question
from tournaments.identity.evidence import (
    AGAINST,
    ID_OF_ANOTHER,
    IDS,
    Candidate,
)
from tournaments.identity.id_kinds import Id, is_nameless
from tournaments.identity.matching import candidates_of, sure_of

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
        self.ids: dict[int, list[Id]] = {}
        """The register's ids of players who were candidates so far, by key."""
        self.people: dict[int, FiledPerson] = {}
        """Everybody once, in the order in which they first stand in a file."""
        self.doubles: dict[tuple[str, str], Double] = {}
        """Pairs of new people whom a later spelling shows to be alike, by their marks."""

    def resolve(self, everything: Iterable[Spelling]) -> dict[str, FiledPerson]:
        """The person whom each spelling means, by its mark."""
        ordered = sorted(everything, key=lambda each: (is_nameless(each.entry), is_bare(each.entry)))
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

    def _in_register(self, some: Sequence[Spelling]) -> dict[str, list[Candidate]]:
        """The register's candidates for spellings, by their marks."""
        if not Player.objects.of(self.federation).exists():
            return {}
        places = dict(enumerate(some, 1))
        entries = [_numbered(each.entry, number) for number, each in places.items()]
        found = candidates_of(self.federation, entries)
        self._look_up_ids({each.player.pk for candidates in found.values() for each in candidates})
        return {places[number].mark: candidates for number, candidates in found.items()}

    def _look_up_ids(self, keys: set[int]) -> None:
        """Keep the ids of these players, asked for together: one by one they cost more than all else."""
        keys -= self.ids.keys()
        self.ids |= {key: [] for key in keys}
        for some in batches(sorted(keys), AT_ONCE):
            rows = Identifier.objects.filter(player__in=some).values_list("player_id", "kind", "value")
            for key, kind, value in rows:
                self.ids[key].append(Id(kind, value))

    def _settle(self, spelling: Spelling, register: Sequence[Candidate]) -> None:
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

    def _note_double(self, person: FiledPerson, candidate: Candidate) -> None:
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
            apart = younger.files & older.files or not _births_agree(younger, older)
            if apart or not (self._is_there(younger) and self._is_there(older)):
                continue
            said = self.answers.of("person", younger.mark)
            if not said:
                self._tell("asks", "person", younger.spellings[0], [Candidate(cast(Player, older), evidence)])
            elif said == BEST:
                del self.people[id(younger)]
                self.known.join(younger, older)

    def _is_there(self, person: FiledPerson) -> bool:
        return id(person) in self.people

    # ---------------------------------------------------------------- one spelling

    def _taken(self, candidate: Candidate, spelling: Spelling) -> bool:
        """Whether a player of the register is another entry of one of the spelling's files."""
        known = self.known.by_player.get(candidate.player.pk)
        return known is not None and bool(known.files & spelling.files)

    def _found(self, spelling: Spelling, candidates: Sequence[Candidate]) -> FiledPerson | None:
        """The person who is meant beyond doubt; None, with a question where there is somebody like that."""
        if (sure := sure_of(candidates)) is not None:
            return self._person(sure)
        if is_nameless(spelling.entry):
            by_id = [each for each in candidates if IDS & set(each.evidence)]
            return self._person(by_id[0]) if len(by_id) == 1 and not _against(by_id[0]) else None
        named = [each for each in candidates if each.has_the_name]
        plainly = [each for each in named if not _against(each)]
        if len(named) == len(plainly) == 1 and not any(_ids_of_others(candidates, plainly[0])):
            self._tell("notice", "taken-by-name", spelling, plainly)
            return self._person(plainly[0])
        return self._doubtful(spelling, candidates)

    def _doubtful(self, spelling: Spelling, candidates: Sequence[Candidate]) -> FiledPerson | None:
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

    def _tell(self, level: str, key: str, spelling: Spelling, candidates: Sequence[Candidate]) -> None:
        offered = BETWEEN_OFFERS.join(_offer(each) for each in candidates[:OFFERED])
        self.questions.append(Question(level, key, spelling.mark, spelling.where, proposed=offered))
        self.how[spelling.mark] = key

    def _answered(self, spelling: Spelling, said: str, candidates: Sequence[Candidate]) -> FiledPerson | None:
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

    def _person(self, candidate: Candidate) -> FiledPerson:
        return _in_files(candidate) or self._of_player(candidate.player)

    def _of_player(self, player: Player) -> FiledPerson:
        if (known := self.known.by_player.get(player.pk)) is not None:
            return known
        self._look_up_ids({player.pk})
        return of_register(player, self.ids[player.pk])

    def _new(self, spelling: Spelling) -> FiledPerson:
        entry = spelling.entry
        person = FiledPerson(spelling.mark)
        if is_nameless(entry):
            surname, _comma, first_name = self.answers.own("name", spelling.mark).partition(",")
            if surname.strip():
                person.surname, person.first_name = surname.strip()[:100], first_name.strip()[:100]
            else:
                where = f"{entry.surname}, {spelling.file_name}"
                self.questions.append(Question("asks", "name", spelling.mark, where))
        return person


def _likeliest(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Candidates by score; whom the register and the history both name once, with what says more."""
    best: dict[object, Candidate] = {}
    for each in sorted(candidates, key=lambda each: -each.score):
        best.setdefault(each.player.pk, each)
    return list(best.values())


def _is_double(candidate: Candidate) -> bool:
    """Whether evidence so strong is for somebody beside the person whom a spelling means."""
    found = set(candidate.evidence)
    born = "birth-date" in found or {"surname", "born"} <= found
    return born and "first-name" in found and not _is_another(candidate)


def _births_agree(one: FiledPerson, other: FiledPerson) -> bool:
    return one.birth.startswith(other.birth) or other.birth.startswith(one.birth)


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


def _in_files(candidate: Candidate) -> FiledPerson | None:
    """The person of the history who is a candidate; None: it is a player of the register."""
    who: object = candidate.player
    return who if isinstance(who, FiledPerson) else None


def _in_doubt(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates whom a person may mean, the likeliest first: not those who are somebody else."""
    return [each for each in candidates if not _is_another(each)]


def _offer(candidate: Candidate) -> str:
    """A candidate as an answer may name them."""
    person, player = _in_files(candidate), candidate.player
    return person.offer if person else f"{player.number} {player.name}{in_brackets(player.born)}"


def _against(candidate: Candidate) -> bool:
    return bool(AGAINST & set(candidate.evidence))


def _ids_of_others(candidates: Iterable[Candidate], own: Candidate) -> Iterator[bool]:
    """Yield, for each other candidate, whether the filed id is theirs."""
    return (bool(IDS & set(each.evidence)) for each in candidates if each is not own)


def _is_another(candidate: Candidate) -> bool:
    """Whether the evidence says of itself that this is somebody else: other ids, or another birth, and
    nothing that only one person has.
    """
    found = set(candidate.evidence)
    if found & {*IDS, "birth-date"}:
        return False
    return bool(found & {"id-differs", ID_OF_ANOTHER, "born-differs", "day-differs"})
