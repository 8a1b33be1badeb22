"""Matching: which players of the register a section's entries are, and which section a file is of.

An id alone is not enough, it must agree with the name or the birth; but where a file has no names at all, the
id is all that it says of anybody. A name alone is not enough either. What is not certain is left to a person,
with candidates and the evidence for each. The register is read with one query for each kind of evidence.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import accumulate, islice
from pathlib import PurePosixPath
from typing import NamedTuple

from django.db.models import CharField, Q, QuerySet
from django.db.models.functions import Cast, Concat, Substr
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from players.models import Federation, Identifier, Player, PlayerQuerySet
from players.names import beginnings, fold, sound, words
from players.register import former_names_of, once_called
from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import Ruleset
from tournaments.formats.sheet import PROVISIONAL
from tournaments.formats.trf import LEAST_OF_FIDE
from tournaments.models import Entry

# ---- Ids that a file gives players: their kinds, how they are compared, and which the register keeps.
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


# ---- Evidence that a file is of a section, from names, rounds and days. A person decides.
ALIKE = 85  # of 100: two spellings of one name
FILE_WEIGHTS: Mapping[str, int] = {
    "tournament": 60,
    "file-name": 50,
    "tournament-alike": 30,
    "file-name-alike": 25,
    "rounds": 10,
    "days": 5,
    "rounds-differ": -20,
    "days-differ": -20,
}
NAMES = {"tournament", "file-name", "tournament-alike", "file-name-alike"}
AGAINST_FILE = {"rounds-differ", "days-differ"}
_FORMAT_WORDS = (
    ("double", "double-round-robin"),
    ("robin", "round-robin"),
    ("berger", "round-robin"),
    ("knock", "knockout"),
    ("scheveningen", "scheveningen"),
    ("swiss", "swiss"),
)
"""The format of play that a word of the file means, the more special words first."""
_COMMON = frozenset(words("section group division tournament"))


@dataclass(frozen=True, slots=True)
class Side:
    """A section, or what a file says of itself; `names`: each by the key of the evidence that it is."""

    key: object
    names: Mapping[str, str]
    rounds: int | None = None
    starts: date | None = None
    ends: date | None = None


@dataclass(frozen=True, slots=True)
class SectionProposal:
    section: object
    evidence: tuple[str, ...]


def propose(
    files: Sequence[Side], sections: Sequence[Side], *, event: str, free: Collection[object]
) -> dict[object, SectionProposal]:
    """Propose a section for each file, by key. If two are as likely, none: nothing is guessed.

    `free`: the sections that may take a file, which counts when one file and one section are left.
    """
    evidence = {(f.key, s.key): evidence_of(f, s, event) for f in files for s in sections}
    scores = {pair: score(found) for pair, found in evidence.items() if NAMES & set(found)}
    found = {
        file: SectionProposal(section, evidence[file, section])
        for file, section in _bests(scores)
        if scores[file, section] > 0
    }
    left = [file.key for file in files if file.key not in found]
    taken = {proposal.section for proposal in found.values()}
    open_ones = [section.key for section in sections if section.key in free and section.key not in taken]
    if len(left) == len(open_ones) == 1:
        told = evidence[left[0], open_ones[0]]
        if not AGAINST_FILE & set(told):
            found[left[0]] = SectionProposal(open_ones[0], ("only-one-left", *told))
    return found


def score(evidence: Iterable[str]) -> int:
    return sum(FILE_WEIGHTS[key] for key in evidence)


Pair = tuple[object, object]


def _bests(scores: Mapping[Pair, int]) -> Iterator[Pair]:
    """Yield the pairs of file and section that score higher than the file with any other section, and than
    the section with any other file.
    """
    by_file, by_section = defaultdict[object, list[int]](list), defaultdict[object, list[int]](list)
    for (file, section), points in scores.items():
        by_file[file].append(points)
        by_section[section].append(points)
    for points_of in (by_file, by_section):
        for ranked in points_of.values():
            ranked.sort(reverse=True)
    for (file, section), points in scores.items():
        if all(
            (points == ranked[0] and (len(ranked) == 1 or points > ranked[1]))
            for ranked in (by_file[file], by_section[section])
        ):
            yield file, section


def evidence_of(file: Side, section: Side, event: str) -> tuple[str, ...]:
    # The best evidence that a name of the file is one of the section's names: one key, or none.
    found = [
        key
        for evidence, text in file.names.items()
        for name in section.names.values()
        if (key := _likeness(evidence, own_words(text, event), own_words(name, "")))
    ]
    return (
        *sorted(found, key=lambda key: -FILE_WEIGHTS[key])[:1],
        *_rounds(file, section),
        *_days(file, section),
    )


def _likeness(evidence: str, said: Sequence[str], wanted: Sequence[str]) -> str:
    """The key `evidence` if the file's words (`said`) hold the section's name (`wanted`), with `-alike`
    behind it if they are all much like it; else empty.
    """
    name = "".join(wanted)
    if not name:
        return ""
    if any(name in accumulate(said[start:]) for start in range(len(said))):
        return evidence
    return f"{evidence}-alike" if len(name) > 3 and fuzz.ratio(name, "".join(said)) >= ALIKE else ""


def own_words(text: str, event: str) -> list[str]:
    """The words of a name that are neither the event's nor common to sections; all if none is left."""
    everything = words(text)
    passed_over = Counter(words(event))
    kept = []
    for word in everything:
        if passed_over[word]:
            passed_over[word] -= 1
        elif word not in _COMMON:
            kept.append(word)
    return kept or list(everything)


def _rounds(file: Side, section: Side) -> Iterable[str]:
    if file.rounds and section.rounds:
        yield "rounds" if file.rounds == section.rounds else "rounds-differ"


def _days(file: Side, section: Side) -> Iterable[str]:
    if file.starts and file.ends and section.starts and section.ends:
        within = section.starts <= file.starts and file.ends <= section.ends
        yield "days" if within else "days-differ"


def bare_name(path: str) -> str:
    """The file's name without folders and suffix: `Soweto/Section A.trf` → `Section A`."""
    return PurePosixPath(path.replace("\\", "/")).stem


def name_for_section(tournament: str, event: str) -> str:
    """The name of a new section: the tournament's name without the event's at its beginning."""
    if words(tournament)[: len(words(event))] != words(event):
        return tournament.strip()
    return tournament[len(event) :].strip(" -–—,.:;/|") or tournament.strip()


def format_in(kind: str) -> str:
    """The format of play that a file's words name; empty if they name none."""
    return next((code for word, code in _FORMAT_WORDS if word in kind.casefold()), "")


# ---- Evidence for and against that an entry is a player of the register.
NEARLY = 70
SLIP_FROM, TWO_SLIPS_FROM = 4, 8  # letters of the shorter name
ID_OF_ANOTHER = "id-of-another"
WEIGHTS: Mapping[str, int] = {
    "number": 60,
    "identifier": 60,
    "handle": 60,
    "id-nearly": 15,
    "birth-date": 35,
    "born": 20,
    "surname": 20,
    "surname-alike": 10,
    "surname-nearly": 8,
    "former-surname": 12,
    "first-name": 20,
    "initials": 10,
    "first-name-alike": 8,
    "names-swapped": 30,
    "sex-differs": -15,
    "born-differs": -25,
    "day-differs": -10,
    "nation-differs": -10,
    "first-name-differs": -15,
    "surname-differs": -15,
    "id-differs": -20,
    "deceased": -10,
    ID_OF_ANOTHER: -30,
}
"""The weight of each piece of evidence in ranking candidates; certainty is not a sum (`is_certain`)."""
AGAINST = frozenset(key for key, weight in WEIGHTS.items() if weight < 0)
IDS = {"number", "identifier", "handle"}
BY_A_SLIP = "surname-nearly"
FORMER = "former-surname"
"""A surname that the player once had: for certain with an id alone, since somebody else may bear it today."""
DIFFERENT_BIRTHS = {"born-differs", "day-differs"}
SURNAMES = {"surname", "surname-alike", "names-swapped"}
FIRST_NAMES = {"first-name", "initials", "first-name-alike", "names-swapped"}
BIRTHS = {"born", "birth-date"}
LEAVE_A_DOUBT = {
    "sex-differs",
    *DIFFERENT_BIRTHS,
    "id-differs",
    ID_OF_ANOTHER,
    "id-nearly",
    "first-name-differs",
    "deceased",
}
"""Evidence with which a person always decides: a twin has the surname and the birth."""


@dataclass(frozen=True, slots=True)
class Candidate:
    player: Player
    evidence: tuple[str, ...]

    @property
    def score(self) -> int:
        return max(0, min(100, sum(WEIGHTS[key] for key in self.evidence)))

    @property
    def is_certain(self) -> bool:
        """Whether no person has to decide: an id that name or birth bears out, or the same surname, first
        name and birth; nothing against.
        """
        found = set(self.evidence)
        if found & LEAVE_A_DOUBT:
            return False
        surname, first_name = bool(found & SURNAMES), bool(found & FIRST_NAMES)
        if found & IDS:
            surname = surname or FORMER in found
            if found & {"surname-differs", BY_A_SLIP}:
                # Numbers given in a row are often those of one class: of one year, and two of one name.
                return {"first-name", "birth-date"} <= found
            # If a file gives only the name on a platform, that name is all there is.
            return "handle" in found or (surname and (first_name or bool(found & BIRTHS)))
        if "nation-differs" in found:
            return False
        whole_birth = "birth-date" in found
        full = {"surname", "first-name"} <= found and bool(found & BIRTHS)
        return full or (whole_birth and ("names-swapped" in found or {"surname", "initials"} <= found))

    @property
    def has_the_name(self) -> bool:
        """Whether the candidate's surname and first name are just as filed, and the birth does not differ."""
        found = set(self.evidence)
        return {"surname", "first-name"} <= found and not found & DIFFERENT_BIRTHS

    @property
    def had_the_name(self) -> bool:
        """Whether the candidate once had the name just as filed, and the birth does not differ."""
        found = set(self.evidence)
        return {FORMER, "first-name"} <= found and not found & DIFFERENT_BIRTHS

    @property
    def is_likely(self) -> bool:
        """Whether to offer the candidate to a person: an id, or a name with nothing plain against it.

        With a misspelt surname initials mean little.
        """
        found = set(self.evidence)
        if found & IDS or {"surname", "first-name"} <= found:
            return True
        if not found & FIRST_NAMES:
            return False
        if "initials" in found and found & {"surname-alike", BY_A_SLIP}:
            return not found & DIFFERENT_BIRTHS and (BY_A_SLIP not in found or bool(found & BIRTHS))
        return True


# ---------------------------------------------------------------- ids
def id_evidence(entry: Entry, own: Collection[Id], platforms: Collection[str]) -> list[str]:
    """Evidence (keys of `WEIGHTS`) that an entry's ids give about a player. `own`: the player's number and
    other ids, with those of merged entries.
    """
    told = (_of_id(filed, own, platforms) for filed in ids_of(entry))
    return list(dict.fromkeys(filter(None, told)))


def _of_id(filed: Id, own: Collection[Id], platforms: Collection[str]) -> str:
    comparable = [known for known in own if is_of_kind(known.kind, filed.kind)]
    spelt = spellings(filed.value)
    same = next((known.kind for known in comparable if known.value in spelt), "")
    if same:
        return same if same == NUMBER else "handle" if same in platforms else "identifier"
    comparable = [known for known in comparable if not is_provisional(known.kind)]
    if is_provisional(filed.kind):
        return ""
    if any(nearly(known.value, filed.value) for known in comparable):
        return "id-nearly"
    if not filed.kind:  # of no known kind: it may be the one that everybody has, or another
        comparable = [known for known in own if known.kind != NUMBER and known.kind not in platforms]
    return "id-differs" if comparable else ""


# ---------------------------------------------------------------- names
def alike(one: str, other: str) -> bool:
    """Whether two folded names are spellings of one: misspelt, or transliterated from another alphabet."""
    return fuzz.ratio(one, other) >= ALIKE or sound(one) == sound(other)


def differs_by_a_slip(one: str, other: str) -> bool:
    """Whether two folded names differ by one letter added, missing or changed, or two swapped; in long names
    by two such slips.
    """
    shorter = min(len(one), len(other))
    slips = 0 if shorter < SLIP_FROM else 1 if shorter < TWO_SLIPS_FROM else 2
    return OSA.distance(one, other, score_cutoff=slips) <= slips


def keys_of(entry: Entry) -> dict[str, tuple[str, ...]]:
    """Keys to look a surname up by, each with the words that would then be the first name.

    The two may have been swapped; and if the file does not divide the name, any word could be the surname.
    """
    if is_nameless(entry):
        return {}
    if entry.first_name:
        parted = ((entry.surname, entry.first_name), (entry.first_name, entry.surname))
        return {key: words(rest) for name, rest in reversed(parted) if (key := fold(name))}
    parts = words(entry.surname)
    tails = ("".join(parts[start:]) for start in range(len(parts)))
    heads = ("".join(parts[:end]) for end in range(1, len(parts)))
    return dict.fromkeys(filter(None, (*tails, *heads)), parts)


def name_evidence(
    entry: Entry, player: Player, former: Iterable[tuple[str, str]] = (), *, same_birth: bool = False
) -> list[str]:
    """Evidence (keys of `WEIGHTS`) that the names of an entry and a player give; `former`: surnames and first
    names that the player had, told where the name of today says less; `same_birth`: the whole date is known
    to be the same, and so a first name counts beside any surname.
    """
    today = _name_evidence(entry, player)
    if not today or {"surname", "names-swapped"} & set(today):
        return today
    for surname, first_name in former:
        once = _name_evidence(entry, _BorneName(surname, first_name))
        if {"surname", "names-swapped"} & set(once):
            return [FORMER, *(told for told in once if told != "surname")]
    if same_birth and not entry.first_name and today == ["surname-differs"]:
        own = set(words(player.first_name))
        return [*today, *(["first-name"] if own and own <= set(words(entry.surname)) else [])]
    return today


class _BorneName:
    """A name as a player of the register has it, or had it."""

    def __init__(self, surname: str, first_name: str) -> None:
        self.surname, self.first_name, self.name_key = surname, first_name, fold(surname)
        self.name = ", ".join(filter(None, (surname, first_name)))


def _name_evidence(entry: Entry, player: Player | _BorneName) -> list[str]:
    """Evidence of one name: surname and first name apart if the file divides them, together if not."""
    if is_nameless(entry):
        return []
    if not entry.first_name:
        filed, known = words(entry.surname), words(player.name)
        if sorted(filed) == sorted(known):
            return ["surname", "first-name"]
        rest = list(filed)
        for word in words(player.surname):
            if word not in rest:
                break
            rest.remove(word)
        else:
            return [*filter(None, ("surname", first_name_evidence(rest, words(player.first_name))))]
        whole = alike("".join(sorted(filed)), "".join(sorted(known)))
        first_names = words(player.first_name)
        if first_names and set(first_names) < set(filed):
            surname = "".join(word for word in filed if word not in first_names)
            told = "surname-alike" if whole else _surname_evidence(surname, player.name_key)
            return [told, *(["first-name"] if told != "surname-differs" else [])]
        return ["surname-alike", "first-name-alike"] if whole else ["surname-differs"]
    key, first_name = fold(entry.surname), fold(entry.first_name)
    if key != player.name_key and first_name == player.name_key and key == fold(player.first_name):
        return ["names-swapped"]
    told = _surname_evidence(key, player.name_key)
    first = first_name_evidence(words(entry.first_name), words(player.first_name))
    return [told, *([first] if first else [])]


def _surname_evidence(key: str, known: str) -> str:
    if key == known:
        return "surname"
    if alike(key, known):
        return "surname-alike"
    return BY_A_SLIP if differs_by_a_slip(key, known) else "surname-differs"


def first_name_evidence(filed: Sequence[str], known: Sequence[str]) -> str:
    """Evidence (a key of `WEIGHTS`) that the words of two first names give: the same, initials (`TJ` of
    `Thabo John`), alike, other; empty if one is missing.
    """
    if not filed or not known:
        return "initials" if not filed and not known else ""
    if tuple(filed) == tuple(known):
        return "first-name"
    if len(filed[0]) > 1 and filed[0] == known[0]:
        return "first-name" if _one_goes_on(filed[1:], known[1:]) else "first-name-alike"
    if _initials(filed, known) or _initials(known, filed):
        return "initials"
    whole = alike(" ".join(filed), " ".join(known))
    near = whole or fuzz.ratio(filed[0], known[0]) >= NEARLY or sound(filed[0]) == sound(known[0])
    return "first-name-alike" if near else "first-name-differs"


def _one_goes_on(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether second names agree as far as both give them: `Jan` with `Jan Petrus`, `Jan H.` not."""
    return all(a.startswith(b) or b.startswith(a) for a, b in zip(one, other, strict=False))


def _initials(short: Sequence[str], full: Sequence[str]) -> bool:
    letters = "".join(short) if len(short[0]) <= 3 else ""
    first_letters = "".join(word[0] for word in full)
    return bool(letters) and (first_letters.startswith(letters) or letters.startswith(first_letters))


# ---------------------------------------------------------------- birth, sex, nation
def birth_evidence(entry: Entry, player: Player) -> list[str]:
    year = born_of(entry)
    if not year or not player.born:
        return []
    if year != player.born:
        return ["born-differs"]
    known = getattr(player, "birth_date", None)
    if known and len(entry.birth) == 10:
        return ["birth-date"] if date.fromisoformat(entry.birth) == known.day else ["day-differs"]
    return ["born"]


def born_of(entry: Entry) -> int | None:
    """The year of birth that the file gives an entry; None if it gives none."""
    return int(entry.birth[:4]) if entry.birth else None


def plain_evidence(entry: Entry, player: Player, country: str, regions: Collection[str]) -> list[str]:
    """Evidence that sex or nation differs, or that the player died; the nation only of foreigners: else
    programs write the host's.
    """
    found = ["deceased"] if player.deceased else []
    if entry.sex and player.sex and entry.sex != player.sex:
        found.append("sex-differs")
    filed = entry.federation.upper()
    foreign = len(filed) == 3 and filed != country and filed not in regions
    if foreign and player.nation and filed != player.nation:
        found.append("nation-differs")
    return found


# ---- The kind of a file's id column: told by the players whom the ids find, else asked once.
STANDARD = ("TRF16", "TRF26", "Swiss-Manager", "Vega", "Sharly-Chess", "Tornelo", "bbpPairings")
OF_THE_FORMAT = {"ELO": "wof"}
BY_THE_BOOK = {**dict.fromkeys(STANDARD, FIDE), **OF_THE_FORMAT}
"""The register to which the column belongs, by dialect. In the older TRF it is often a club's own."""
EXAMPLES = 3


def kind_in(federation: Federation, entries: Sequence[Entry], dialect: str = "") -> str:
    """The kind of the column's ids, by the players whom they find under the name in the file; where it has no
    names, the kind of all ids of its format.

    Empty if they find nobody, or mostly other names, by chance.
    """
    if file_without_names(entries):
        return _kept_here(federation.ruleset, OF_THE_FORMAT.get(dialect, ""))
    named = {entry.filed_id: entry for entry in entries if entry.filed_id}
    found: Counter[str] = Counter()
    borne_out: Counter[str] = Counter()
    # Look filed ids up in the register: the kind, the id as filed, and the folded surname of its player.
    spelt = {spelling: value for value in named for spelling in spellings(value)}
    players = Player.objects.of(federation).filter(number__in=spelt).order_by()  # no order: another index
    numbers = players.values_list("number", "name_key")
    others = Identifier.objects.filter(federation=federation, value__in=spelt, player__merged_into=None)
    rows = [(NUMBER, *row) for row in numbers]
    rows += others.values_list("kind", "value", "player__name_key")
    for kind, value, key in [(kind, spelt[value], key) for kind, value, key in rows]:
        found[kind] += 1
        borne_out[kind] += any(alike(own, key) for own in keys_of(named[value]))
    kinds = [kind for kind in found if 2 * borne_out[kind] >= found[kind]]
    return "" if not kinds else kinds[0] if len(kinds) == 1 else SEVERAL


def is_asked(ruleset: Ruleset, entries: Sequence[Entry]) -> bool:
    """Whether to ask for the kind of the id column: it matters where other registers' ids could be kept."""
    return bool(equipment_of(ruleset).office.id_kinds) and bool(unknown_ids(entries))


def unknown_ids(entries: Iterable[Entry]) -> list[str]:
    """The ids in the file's id column, of entries for which the column's kind is not known."""
    return [entry.filed_id for entry in entries if entry.filed_id and not entry.id_kind]


def some_ids(entries: Iterable[Entry]) -> str:
    """The first few ids of the file's id column whose kind is not known, as examples in a question."""
    ids = unknown_ids(entries)
    return ", ".join(ids[:EXAMPLES] + ["…"] * (len(ids) > EXAMPLES))


def suggested(ruleset: Ruleset, dialect: str, entries: Iterable[Entry]) -> str:
    """The kind of ids that this dialect has in its id column by the standard; empty if there is none, or if
    the ids cannot be of that kind: FIDE gave nobody one of fewer digits than six.
    """
    kind = BY_THE_BOOK.get(dialect, "")
    ids = [entry.filed_id.lstrip("0") for entry in entries if entry.filed_id]
    if kind == FIDE and any(len(id_) < LEAST_OF_FIDE for id_ in ids):
        return ""
    return _kept_here(ruleset, kind)


def _kept_here(ruleset: Ruleset, kind: str) -> str:
    """The kind, if offices of this ruleset keep ids of it; else nothing."""
    return kind if kind in {offered.code for offered in equipment_of(ruleset).office.id_kinds} else ""


# ---- Find, for filed names, the register's players worth a closer look: those of a like surname.
PREFIX = 2  # letters of the surname that one brought over from another alphabet still shares
ROUGHLY = 75  # of 100: what one letter amiss leaves of a name of four
NEAR_MOST = 40  # spellings of one filed surname; the closest
ENOUGH_LETTERS = 12  # with which a section asks for most of the register anyway
AT_ONCE = 10_000  # surnames in one query: a database takes so many and not any number
SLIM = ("pk", "name_key", "first_name", "born")
Slim = tuple[int, str, str, int | None]
"""The few columns of each player that are read, so that thousands cost little."""


def spellings_near(federation: Federation, keys: Collection[str]) -> dict[str, set[str]]:
    """The register's surnames that could be spellings of each filed one (folded), itself among them.

    Only an index of surnames is read, no players; only those of the same first letter, or of one that may
    stand for it, are compared.
    """
    letters = {letter for key in keys for letter in (*beginnings(key, 1), *key[1:2])}
    known = _surnames(federation, letters)
    starts = {start for key in keys for start in beginnings(key, PREFIX)}
    by_sound: dict[str, set[str]] = defaultdict(set)
    for others in known.values():
        for other in others:
            if other[:PREFIX] in starts:
                by_sound[sound(other)].add(other)
    return {key: {*by_sound.get(sound(key), ()), *_misspelt(key, known)} for key in keys}


def _surnames(federation: Federation, letters: Collection[str]) -> dict[str, list[str]]:
    """The folded surnames in the register, by first letter; of merged entries too, which are few."""
    rows = Player.objects.of(federation).order_by()
    if len(letters) < ENOUGH_LETTERS:
        rows = rows.alias(letter=Substr("name_key", 1, 1)).filter(letter__in=letters)
    known: dict[str, list[str]] = defaultdict(list)
    for key in rows.values_list("name_key", flat=True).distinct().iterator(chunk_size=5_000):
        known[key[:1]].append(key)
    return known


def _misspelt(key: str, known: dict[str, list[str]]) -> list[str]:
    others = [other for letter in beginnings(key, 1) for other in known.get(letter, ())]
    swapped = key[1::-1]  # the first two letters may have changed places
    if len(swapped) == PREFIX and swapped[0] not in beginnings(key, 1):
        others += [other for other in known.get(swapped[0], ()) if other.startswith(swapped)]
    close = process.extract(key, others, scorer=fuzz.ratio, score_cutoff=ROUGHLY, limit=NEAR_MOST)
    return [other for other, _score, _at in close if alike(key, other) or differs_by_a_slip(key, other)]


def slim(rows: QuerySet[Player], keys: Iterable[str]) -> Iterator[Slim]:
    """Rows of players with one of these surnames; unordered, since an order would take another index."""
    left = iter(sorted(keys))
    while some := list(islice(left, AT_ONCE)):
        found = rows.filter(name_key__in=some).order_by().select_related(None)
        yield from found.values_list(*SLIM).iterator(chunk_size=5_000)


class Namesakes:
    """Rows of the register by surname; a common one has thousands, of which few share first name or year."""

    def __init__(self, rows: Iterable[Slim]) -> None:
        self.by_year: dict[tuple[str, int | None], list[Slim]] = defaultdict(list)
        self.by_initial: dict[tuple[str, str], list[Slim]] = defaultdict(list)
        for row in rows:
            _pk, key, first_name, born = row
            self.by_year[key, born].append(row)
            self.by_initial[key, _initial(first_name)].append(row)

    def likely(self, entry: Entry, rest: Sequence[str], key: str) -> list[int]:
        """Keys of players of a surname who are worth a closer look: of the year, or of the first letter.

        Nobody likely is left out.
        """
        rows = [row for year in {born_of(entry), None} for row in self.by_year.get((key, year), ())]
        rows += [row for letter in _surname_initials(rest) for row in self.by_initial.get((key, letter), ())]
        fitting = (row[0] for row in rows if not entry.first_name or first_name_fits(rest, row[2]))
        return list(dict.fromkeys(fitting))


@lru_cache(maxsize=8192)
def first_name_fits(filed: Sequence[str], first_name: str) -> bool:
    return first_name_evidence(filed, words(first_name)) != "first-name-differs"


@lru_cache(maxsize=8192)
def _initial(first_name: str) -> str:
    """The first letter of a first name; empty if there is none."""
    return next((word[0] for word in words(first_name)), "")


@lru_cache(maxsize=8192)
def _surname_initials(parts: Sequence[str]) -> set[str]:
    """The letters with which one of these words may begin in another spelling; and the empty text."""
    return {"", *(start for word in parts for start in beginnings(word, 1))}


# ---- Match a section's entries against the register, and search it for one of them.
CANDIDATES = 5


def match(
    federation: Federation, entries: Sequence[Entry], taken: Iterable[int] = (), *, nameless: bool = False
) -> None:
    """Set `player`, `match` and `candidates` of entries, unsaved. A person's decisions stay.

    `taken`: keys of players who are other entries already, and so match nobody here. `nameless`: whether they
    are of a file without names.
    """
    settled = (Entry.Match.DECIDED, Entry.Match.NEW)
    decided = {entry.player_id for entry in entries if entry.match in settled and entry.player_id}
    taken = decided | set(taken)
    open_entries = [entry for entry in entries if entry.match not in settled]
    found = candidates_of(federation, open_entries, taken)
    certain = {number: sure for number, cs in found.items() if (sure := sure_of(cs, taken))}
    if nameless:
        by_id = {entry.number: by_id_alone(entry, found[entry.number], taken) for entry in open_entries}
        certain = {number: sure for number, sure in by_id.items() if sure} | certain
    claims = Counter(candidate.player.pk for candidate in certain.values())
    for entry in open_entries:
        sure = certain.get(entry.number)
        # Two entries are never one player: if both claim the same, a person says which.
        mine = sure if sure and claims[sure.player.pk] == 1 else None
        free = [c for c in found[entry.number] if c.player.pk not in taken]
        _write(entry, mine, free)


def candidates_of(
    federation: Federation, entries: Sequence[Entry], taken: Collection[int] = ()
) -> dict[int, list[Candidate]]:
    """The register's candidates for entries that nobody decided about, by starting number, best first."""
    register = RegisterPart(federation, entries)
    found = {entry.number: register.candidates(entry) for entry in entries}
    # Entries found by the very name are not looked for among all namesakes, who may be thousands.
    for whole in (False, True):
        unsure = [
            entry
            for entry in entries
            if not (sure := sure_of(found[entry.number], taken)) or not sure.has_the_name
        ]
        register.look_up_names(unsure, whole=whole)
        found |= {entry.number: register.candidates(entry) for entry in unsure}
    return found


def known_since(
    federation: Federation, entries: Sequence[Entry], taken: Collection[int]
) -> list[tuple[Entry, Player]]:
    """The entries taken for new players whom the register has by now, each with that player, who was no
    candidate before.

    `taken`: the keys of players who are other entries of the section.
    """
    register = RegisterPart(federation, entries)
    register.look_up_names(entries, whole=False)
    found = []
    for entry in entries:
        seen = {*taken, *(offered["player"] for offered in entry.candidates)}
        sure = (c.player for c in register.candidates(entry) if c.is_certain and c.player.pk not in seen)
        found += [(entry, player) for player in sure][:1]
    return found


def sure_of(candidates: Sequence[Candidate], taken: Collection[int] = ()) -> Candidate | None:
    """The candidate about whom no person has to decide; None where there is none, or more than one."""
    # If the filed id is somebody's, nobody else is certain.
    by_id = [c for c in candidates if IDS & set(c.evidence)]
    sure = [c for c in by_id or candidates if c.is_certain and c.player.pk not in taken]
    if len(sure) != 1:
        return None
    # Two of nearly the same name may have had their ids mixed up: the very name speaks against it.
    others = [c for c in candidates if c is not sure[0]]
    if any(c.has_the_name for c in others) and not sure[0].has_the_name:
        return None
    # Somebody who had the very name may still use it: without an id, nobody tells the two apart.
    return None if not by_id and any(c.had_the_name for c in others) else sure[0]


def by_id_alone(entry: Entry, candidates: Sequence[Candidate], taken: Collection[int]) -> Candidate | None:
    """The player whom an id of a known kind names exactly, with nothing against; None where there is none."""
    if not is_nameless(entry) or any(not each.kind or is_provisional(each.kind) for each in ids_of(entry)):
        return None
    same = [each for each in candidates if IDS & set(each.evidence)]
    free = [each for each in same if not AGAINST & set(each.evidence) and each.player.pk not in taken]
    return free[0] if len(same) == len(free) == 1 else None


def _write(entry: Entry, sure: Candidate | None, candidates: Sequence[Candidate]) -> None:
    entry.player = sure.player if sure else None
    entry.match = Entry.Match.CERTAIN if sure else Entry.Match.DOUBTFUL if candidates else Entry.Match.NONE
    entry.candidates = [as_json(c) for c in ([sure] if sure else candidates)]


def as_json(candidate: Candidate) -> dict[str, object]:
    return {
        "player": candidate.player.pk,
        "score": candidate.score,
        "evidence": list(candidate.evidence),
    }


class RegisterPart:
    """The part of a federation's register that some entries could mean."""

    def __init__(self, federation: Federation, entries: Iterable[Entry]) -> None:
        self.federation = federation
        self.entries = list(entries)
        self.platforms = platforms_of(federation.ruleset)
        self.regions = {code for code, _name in federation.region_names}
        self.players: PlayerQuerySet = Player.objects.of(federation).current().select_related("birth_date")
        self.own: dict[int, set[Id]] = defaultdict(set)
        """The register's ids by a player's key: number, others, those of merged entries."""
        self.namesakes: dict[int, list[Player]] = {}
        """Players of such a name, by starting number; filled by `look_up_names`."""
        self.former: dict[int, list[tuple[str, str]]] = {}
        """Former names of players looked at, by key."""
        self.by_value = self._by_value()

    def learn(self, players: Iterable[Player]) -> None:
        """Look up all ids of these players too, so that ids of the file that contradict them are seen, and
        their former names.
        """
        new = {player.pk: player for player in players}
        self.former |= former_names_of(list(new))
        for pk, player in new.items():
            self.own[pk].add(Id(NUMBER, player.number))
        known = Identifier.objects.filter(federation=self.federation, player__in=list(new))
        for pk, kind, value in known.values_list("player_id", "kind", "value"):
            self.own[pk].add(Id(kind, value))

    def candidates(self, entry: Entry) -> list[Candidate]:
        """The likeliest players for an entry, five at most, best first; only those with evidence for them."""
        found = {player.pk: player for filed in ids_of(entry) for player in self.having(filed)}
        found |= {player.pk: player for player in self.namesakes.get(entry.number, ())}
        judged = [self.judge(entry, player) for player in found.values()]
        likely = [candidate for candidate in judged if candidate.is_likely]
        return sorted(likely, key=lambda c: (-c.score, c.player.number))[:CANDIDATES]

    def judge(self, entry: Entry, player: Player) -> Candidate:
        """Gather all evidence for and against that an entry is this player."""
        owners = [self.having(filed) for filed in ids_of(entry)]
        birth = birth_evidence(entry, player)
        evidence = [
            *id_evidence(entry, self.own[player.pk], self.platforms),
            *([ID_OF_ANOTHER] if any(having and player not in having for having in owners) else []),
            *name_evidence(entry, player, self.former.get(player.pk, ()), same_birth="birth-date" in birth),
            *birth,
            *plain_evidence(entry, player, self.federation.ruleset.country, self.regions),
        ]
        return Candidate(player, tuple(evidence))

    def having(self, filed: Id) -> list[Player]:
        """The players of the register who have a filed id; one of unknown kind may be of any kind."""
        known = (each for value in spellings(filed.value) for each in self.by_value.get(value, ()))
        return [player for kind, player in known if is_of_kind(kind, filed.kind)]

    def _by_value(self) -> dict[str, list[tuple[str, Player]]]:
        """The players of the register by each filed id that they have, with the id's kind in the register."""
        ids = {value for entry in self.entries for id_ in ids_of(entry) for value in spellings(id_.value)}
        found: dict[str, list[tuple[str, Player]]] = defaultdict(list)
        rows = Player.objects.of(self.federation).filter(number__in=ids).order_by()
        for row in rows.select_related("birth_date", "merged_into__birth_date"):
            player = row.merged_into or row
            found[row.number].append((NUMBER, player))
            self.own[player.pk].add(Id(NUMBER, row.number))
        others = Identifier.objects.filter(
            federation=self.federation, value__in=ids, player__merged_into=None
        )
        known = list(others.values_list("player_id", "kind", "value"))
        players = self.players.in_bulk([pk for pk, _kind, _value in known])
        for pk, kind, value in known:
            found[value].append((kind, players[pk]))
        self.learn([player for each in found.values() for _kind, player in each])
        return found

    def look_up_names(self, entries: Sequence[Entry], *, whole: bool) -> None:
        """Look up namesakes born in the same year, and who had such a name; if `whole`, namesakes of any
        year, with similar surnames, and of the same first name with the same date of birth.
        """
        filed = {entry.number: keys_of(entry) for entry in entries}
        years: dict[str, set[int | None]] = defaultdict(set)
        for entry in entries:
            for key in filed[entry.number]:
                years[key].add(born_of(entry))
        near = spellings_near(self.federation, years) if whole else {key: {key} for key in years}
        known = Namesakes(slim(self.players, set().union(*near.values())) if whole else self._of_year(years))
        picked = {
            entry.number: [
                pk
                for key, rest in filed[entry.number].items()
                for other in near[key]
                for pk in known.likely(entry, rest, other)
            ]
            for entry in entries
        }
        once = once_called(self.federation, years)
        same_day = self._born_and_called_so(entries) if whole else {}
        for entry in entries:
            named = {pk for key in filed[entry.number] for pk in once.get(key, ())}
            picked[entry.number] += [*named, *same_day.get(entry.number, ())]
        players = self.players.in_bulk({pk for pks in picked.values() for pk in pks})
        self.learn(players.values())
        self.namesakes |= {
            number: [players[pk] for pk in dict.fromkeys(pks) if pk in players]
            for number, pks in picked.items()
        }

    def _born_and_called_so(self, entries: Sequence[Entry]) -> dict[int, list[int]]:
        """The keys of players with an entry's whole date of birth and its first name, whatever the surname,
        by the entry's number: somebody may have married.
        """
        days = {entry.birth for entry in entries if len(entry.birth) == 10 and not is_nameless(entry)}
        rows = self.players.filter(birth_date__day__in=days).order_by().select_related(None)
        born: dict[str, list[tuple[int, tuple[str, ...]]]] = defaultdict(list)
        for pk, day, first_name in rows.values_list("pk", "birth_date__day", "first_name"):
            born[day.isoformat()].append((pk, words(first_name)))
        return {
            entry.number: [pk for pk, known in born[entry.birth] if shares_first_name(entry, known)]
            for entry in entries
            if entry.birth in born
        }

    def _of_year(self, years: Mapping[str, set[int | None]]) -> Iterable[Slim]:
        births = {f"{year}{key}" for key, known in years.items() for year in known if year}
        year_and_key = Concat(Cast("born", CharField()), "name_key")
        return slim(self.players.alias(year_and_key=year_and_key).filter(year_and_key__in=births), years)


def shares_first_name(entry: Entry, known: Sequence[str]) -> bool:
    """Whether an entry has the first name whose folded words are `known`, whatever its surname."""
    filed = words(entry.first_name or entry.surname)
    if entry.first_name:
        return first_name_evidence(filed, known) == "first-name"
    return bool(known) and set(known) <= set(filed)


# ---------------------------------------------------------------- a person searches the register
FOUND_MOST = 12
LOOKED_AT = 300


def search(federation: Federation, entry: Entry, q: str) -> list[Candidate]:
    """Search the register for who an entry is, by number, id or name (`q`); the likeliest come first.

    Parts of names are enough, former names among them; if few players have them, similar spellings follow.
    """
    parts = words(q)
    if not parts:
        return []
    register = RegisterPart(federation, [entry])
    fitting = _beginning_so(register, parts, q.strip())
    if len(fitting) < FOUND_MOST and not any(part.isdecimal() for part in parts):
        known = {player.pk for player in fitting}
        fitting += [player for player in _spelt_nearly_so(register, parts) if player.pk not in known]
    register.learn(fitting)
    judged = [register.judge(entry, player) for player in fitting]
    return sorted(judged, key=lambda c: (-c.score, c.player.sort_key, c.player.number))[:FOUND_MOST]


def _beginning_so(register: RegisterPart, parts: Sequence[str], q: str) -> list[Player]:
    named = Q(name_key__startswith="".join(parts))
    for part in parts:
        named |= Q(name_key__startswith=part)
    exact = Q(number=q) | Q(identifiers__value__in=spellings(q))
    found = register.players.filter(named | exact).select_related("birth_date", "region").distinct()
    rows = found.prefetch_related("identifiers")[:LOOKED_AT]
    fitting = [player for player in rows if _fits(player, parts, q)]
    if any(part.isdecimal() for part in parts) or len(fitting) >= FOUND_MOST:
        return fitting
    known = {player.pk for player in fitting}
    everywhere = (
        register.players.named(q, inside_too=True)
        .exclude(pk__in=known)
        .likeliest_first(q)
        .select_related("birth_date", "region")
    )
    return [*fitting, *everywhere[:LOOKED_AT]]


def _spelt_nearly_so(register: RegisterPart, parts: Sequence[str]) -> list[Player]:
    """Players with a surname like one of the words, or like all in one piece, if the other words fit."""
    rests: dict[str, Sequence[str]] = {part: (*parts[:at], *parts[at + 1 :]) for at, part in enumerate(parts)}
    rests["".join(parts)] = ()
    near = spellings_near(register.federation, rests)
    rows = [
        row
        for key, others in near.items()
        for row in slim(register.players, others)
        if not rests[key] or first_name_fits(rests[key], row[2])
    ]
    first_name = words(register.entries[0].first_name)
    rows.sort(key=lambda row: not first_name_fits(first_name, row[2]))  # a common surname has thousands
    players = register.players.select_related("birth_date", "region")
    return list(players.in_bulk([row[0] for row in rows[:LOOKED_AT]]).values())


def _fits(player: Player, parts: Sequence[str], q: str) -> bool:
    """Whether each word of the search begins a word of the name, or all of it the surname; or it is an id."""
    if any(part.isdecimal() for part in parts) or q == player.number:
        return True
    if any(id_.value in spellings(q) for id_ in player.identifiers.all()):
        return True
    known = (*words(player.name), player.name_key)
    return player.name_key.startswith("".join(parts)) or all(
        any(word.startswith(part) for word in known) for part in parts
    )


# ---- Recognise by names that a file may be another event's. Pure; a person decides.
_COMMON_WORDS = frozenset(
    words(
        "a the of and in de section group division tournament event open cup championship championships "
        "festival league rapid blitz standard classic chess online round swiss final"
    )
)


def own_event_words(*names: str) -> frozenset[str]:
    """The words of names by which one event is told from another: no numbers, and none that many share."""
    return frozenset(
        word for word in words(" ".join(names)) if word not in _COMMON_WORDS and not _says_little(word)
    )


def shares_a_word(said: Iterable[str], known: Iterable[str]) -> bool:
    """Whether one of the words is among the known, or spelt much like one of them."""
    known = list(known)
    return any(one == other or fuzz.ratio(one, other) >= ALIKE for one in said for other in known)


def says_another(said: str, *registered: str) -> bool:
    """Whether a file's name of its event has nothing of these registered names. False where either has no
    words of its own: then nobody can tell.
    """
    own, known = own_event_words(said), own_event_words(*registered)
    return bool(own and known) and not shares_a_word(own, known)


def more_like(said: str, registered: Iterable[str], others: Mapping[str, Iterable[str]]) -> str:
    """The key of the other event whose names share more words with the file's than the registered ones do;
    empty if none does, or several do so equally. `others`: by key, the names of each.
    """
    own = frozenset(word for word in words(said) if not _says_little(word))
    here = len(own.intersection(words(" ".join(registered))))
    shared = {
        key: len(own.intersection(words(" ".join(names))))
        for key, names in others.items()
        if own_event_words(said) & own_event_words(*names)
    }
    most = max(shared.values(), default=0)
    best = [key for key, count in shared.items() if count == most]
    return best[0] if most > here and len(best) == 1 else ""


def _says_little(word: str) -> bool:
    return len(word) == 1 or word.isdigit()


EVIDENCE: Mapping[str, Promise] = {
    "number": gettext_lazy("this register's number"),
    "identifier": gettext_lazy("same id of another register"),
    "handle": gettext_lazy("same name on the platform"),
    "id-nearly": gettext_lazy("id nearly the same"),
    "birth-date": gettext_lazy("same date of birth"),
    "born": gettext_lazy("same year of birth"),
    "surname": gettext_lazy("same surname"),
    "surname-alike": gettext_lazy("similar surname"),
    "surname-nearly": gettext_lazy("surname nearly the same"),
    "first-name": gettext_lazy("same first name"),
    "initials": gettext_lazy("initials fit"),
    "first-name-alike": gettext_lazy("similar first name"),
    "former-surname": gettext_lazy("the surname was this before"),
    "names-swapped": gettext_lazy("surname and first name swapped"),
    "sex-differs": gettext_lazy("other sex"),
    "born-differs": gettext_lazy("other birth"),
    "day-differs": gettext_lazy("same year of birth, another day"),
    "nation-differs": gettext_lazy("other nation"),
    "first-name-differs": gettext_lazy("other first name"),
    "surname-differs": gettext_lazy("other surname"),
    "id-differs": gettext_lazy("other id"),
    "deceased": gettext_lazy("died, as the register says"),
    "id-of-another": gettext_lazy("the id is another player’s"),
}
