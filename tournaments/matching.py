"""Matching: which players of the register a section's entries are, and which section a file is of.

An id must agree with name or birth, except in a file without names. A name alone is not enough either. What
is not certain is left to a person, with candidates and the evidence for each. The register is read with one
query for each kind of evidence.
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
from players.names import beginnings_in_all_spellings, compute_sound, fold, fold_words
from players.register import find_by_former_surname, get_former_names
from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import Ruleset
from tournaments.formats.sheet import PROVISIONAL_SUFFIX
from tournaments.formats.trf import SHORTEST_FIDE_ID
from tournaments.models import Entry

# ---- Ids of players in a file
NUMBER = "number"
"""The kind of ids that are numbers of this register."""
SEVERAL = "several"
"""The kind of a column with ids of several kinds: each is of the kind that the register knows."""
CLUB = "club"
"""The kind of a club's own ids, which are no evidence and are not stored."""
FIDE = "fide"
LEAST_DIGITS = 4
"""The minimum length of ids that are compared for near matches."""


class Id(NamedTuple):
    kind: str
    """`NUMBER` or a kind of the register's identifiers; empty if unknown."""
    value: str


def id_kind_choices(ruleset: Ruleset) -> list[tuple[str, str]]:
    """The kinds that a file's id column can have: code and label."""
    return [
        (NUMBER, _("Numbers of this register")),
        *((kind.code, _(kind.label)) for kind in equipment_of(ruleset).office.id_kinds),
        (SEVERAL, _("Several kinds that the register has")),
        (CLUB, _("Ids of a club or of the program: do not look them up")),
    ]


def id_kind_label(ruleset: Ruleset, kind: str) -> str:
    """The label of a kind of ids: this federation's, else another's, else the kind itself."""
    if is_provisional(kind):
        return _("%(kind)s, provisional") % {"kind": id_kind_label(ruleset, base_id_kind(kind))}
    offices = (equipment_of(each).office for each in (ruleset, *rulesets().values()))
    return next(
        (_(known.label) for office in offices for known in office.id_kinds if known.code == kind), kind
    )


def is_provisional(kind: str) -> bool:
    """Whether pairing programs give ids of this kind: the same id is evidence, another one is not."""
    return kind.endswith(PROVISIONAL_SUFFIX)


def is_same_id_kind(known: str, filed: str) -> bool:
    """Whether a known id can be of a filed kind; an empty one is any kind."""
    return not filed or base_id_kind(known) == base_id_kind(filed)


def base_id_kind(kind: str) -> str:
    """The kind for which a provisional kind stands; otherwise the kind itself."""
    return kind.removesuffix(PROVISIONAL_SUFFIX)


def get_platform_id_kinds(ruleset: Ruleset) -> frozenset[str]:
    return frozenset(kind.code for kind in equipment_of(ruleset).office.id_kinds if kind.platform)


def get_ids(entry: Entry) -> list[Id]:
    """The ids of an entry that can be evidence: not a club's own."""
    column: list[Id] = []
    if entry.filed_id and entry.id_kind != CLUB:
        column = [Id("" if entry.id_kind == SEVERAL else entry.id_kind, entry.filed_id)]
    return [*column, *(Id(kind, value) for kind, value in entry.other_ids)]


def storable_ids(entry: Entry) -> list[Id]:
    """The ids of an entry that the register stores: of known kinds, without its own numbers."""
    return [id_ for id_ in get_ids(entry) if id_.kind not in ("", NUMBER)]


def is_nameless(entry: Entry) -> bool:
    """Whether the surname is an id, such as a name on a platform, and there is no first name."""
    ids = [entry.filed_id, *(value for _kind, value in entry.other_ids)]
    return not entry.first_name and entry.surname in ids


def is_nameless_file(entries: Iterable[Entry]) -> bool:
    """Whether a file gives ids for names; entries of new players may have been named since."""
    return all(is_nameless(entry) for entry in entries if entry.match != Entry.Match.NEW)


def id_spellings(value: str) -> list[str]:
    """The spellings to look an id up: as it is, without leading zeros, and in lower case."""
    return list(dict.fromkeys(filter(None, (value, value.lstrip("0"), value.lower()))))


def is_near_id(one: str, other: str) -> bool:
    """Whether two ids differ by one character wrong, missing, added, or swapped with its neighbour."""
    if min(len(one), len(other)) < LEAST_DIGITS or one == other:
        return False
    return OSA.distance(one, other, score_cutoff=1) == 1


# ---- Evidence that a file is of a section
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
"""The formats of play by words in files, the more specific words first."""
_COMMON = frozenset(fold_words("section group division tournament"))


@dataclass(frozen=True, slots=True)
class FileOrSection:
    """A section, or a file by its own content; `names`: by the key of the evidence that each gives."""

    key: object
    names: Mapping[str, str]
    rounds: int | None = None
    starts: date | None = None
    ends: date | None = None


@dataclass(frozen=True, slots=True)
class SectionProposal:
    section: object
    evidence: tuple[str, ...]


def propose_sections(
    files: Sequence[FileOrSection],
    sections: Sequence[FileOrSection],
    *,
    event: str,
    free_keys: Collection[object],
) -> dict[object, SectionProposal]:
    """Propose a section for each file, by key; none if two are equally likely.

    `free_keys`: the sections that may take a file, for the case that one file and one section are left.
    """
    evidence = {(f.key, s.key): section_evidence(f, s, event) for f in files for s in sections}
    scores = {pair: score_file_evidence(found) for pair, found in evidence.items() if NAMES & set(found)}
    found = {
        file: SectionProposal(section, evidence[file, section])
        for file, section in _best_pairs(scores)
        if scores[file, section] > 0
    }
    left = [file.key for file in files if file.key not in found]
    taken = {proposal.section for proposal in found.values()}
    open_ones = [section.key for section in sections if section.key in free_keys and section.key not in taken]
    if len(left) == len(open_ones) == 1:
        rest = evidence[left[0], open_ones[0]]
        if not AGAINST_FILE & set(rest):
            found[left[0]] = SectionProposal(open_ones[0], ("only-one-left", *rest))
    return found


def score_file_evidence(evidence: Iterable[str]) -> int:
    return sum(FILE_WEIGHTS[key] for key in evidence)


Pair = tuple[object, object]


def _best_pairs(scores: Mapping[Pair, int]) -> Iterator[Pair]:
    """Yield the pairs of file and section that score higher than all other pairs with either of them."""
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


def section_evidence(file: FileOrSection, section: FileOrSection, event: str) -> tuple[str, ...]:
    """The keys of the best evidence of names, if any, and of that of rounds and days."""
    found = [
        key
        for evidence, text in file.names.items()
        for name in section.names.values()
        if (key := _likeness(evidence, distinctive_words(text, event), distinctive_words(name, "")))
    ]
    found = sorted(found, key=lambda key: -FILE_WEIGHTS[key])[:1]
    if file.rounds and section.rounds:
        found.append("rounds" if file.rounds == section.rounds else "rounds-differ")
    if file.starts and file.ends and section.starts and section.ends:
        within = section.starts <= file.starts and file.ends <= section.ends
        found.append("days" if within else "days-differ")
    return tuple(found)


def _likeness(evidence: str, file_words: Sequence[str], wanted: Sequence[str]) -> str:
    """`evidence` if the file's words contain the section's name, `…-alike` if similar; else empty."""
    name = "".join(wanted)
    if not name:
        return ""
    if any(name in accumulate(file_words[start:]) for start in range(len(file_words))):
        return evidence
    return f"{evidence}-alike" if len(name) > 3 and fuzz.ratio(name, "".join(file_words)) >= ALIKE else ""


def distinctive_words(text: str, event: str) -> list[str]:
    """The words of a name that are neither the event's nor common to sections; all if none is left."""
    all_words = fold_words(text)
    event_words = Counter(fold_words(event))
    kept = []
    for word in all_words:
        if event_words[word]:
            event_words[word] -= 1
        elif word not in _COMMON:
            kept.append(word)
    return kept or list(all_words)


def bare_name(path: str) -> str:
    """A file's name without folders and suffix: `Soweto/Section A.trf` → `Section A`."""
    return PurePosixPath(path.replace("\\", "/")).stem


def name_for_section(tournament: str, event: str) -> str:
    """The name for a new section: the tournament's name without a leading event's name."""
    if fold_words(tournament)[: len(fold_words(event))] != fold_words(event):
        return tournament.strip()
    return tournament[len(event) :].strip(" -–—,.:;/|") or tournament.strip()


def parse_format(kind: str) -> str:
    """The format of play that a file's words name; empty if none."""
    return next((code for word, code in _FORMAT_WORDS if word in kind.casefold()), "")


# ---- Evidence that an entry is a player of the register
SIMILAR_SCORE = 70
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
"""The weights of evidence for ranking candidates; certainty is not a sum (`Candidate.is_certain`)."""
AGAINST = frozenset(key for key, weight in WEIGHTS.items() if weight < 0)
IDS = {"number", "identifier", "handle"}
SURNAME_SLIP = "surname-nearly"
FORMER = "former-surname"
"""A former surname of the player: certain only with an id, because another person may have it today."""
DIFFERENT_BIRTHS = {"born-differs", "day-differs"}
SURNAMES = {"surname", "surname-alike", "names-swapped"}
FIRST_NAMES = {"first-name", "initials", "first-name-alike", "names-swapped"}
BIRTHS = {"born", "birth-date"}
DOUBTFUL_EVIDENCE = {
    "sex-differs",
    "id-differs",
    ID_OF_ANOTHER,
    "id-nearly",
    "first-name-differs",
    "deceased",
}
DOUBTFUL_EVIDENCE |= DIFFERENT_BIRTHS
"""Evidence with which a person always decides: a twin has the same surname and birth."""


@dataclass(frozen=True, slots=True)
class Candidate:
    player: Player
    evidence: tuple[str, ...]

    @property
    def score(self) -> int:
        return max(0, min(100, sum(WEIGHTS[key] for key in self.evidence)))

    @property
    def is_certain(self) -> bool:
        """Whether no person has to decide: an id with name or birth, or the same surname, first name and
        birth; and nothing against it.
        """
        found = set(self.evidence)
        if found & DOUBTFUL_EVIDENCE:
            return False
        surname, first_name = bool(found & SURNAMES), bool(found & FIRST_NAMES)
        if found & IDS:
            surname = surname or FORMER in found
            if found & {"surname-differs", SURNAME_SLIP}:
                # Consecutive numbers are often those of one school class, with one year and equal names.
                return {"first-name", "birth-date"} <= found
            # The name on a platform may be all that the file gives.
            return "handle" in found or (surname and (first_name or bool(found & BIRTHS)))
        if "nation-differs" in found:
            return False
        whole_birth = "birth-date" in found
        full = {"surname", "first-name"} <= found and bool(found & BIRTHS)
        return full or (whole_birth and ("names-swapped" in found or {"surname", "initials"} <= found))

    @property
    def has_the_name(self) -> bool:
        """Whether surname and first name are exactly as filed, and the birth does not differ."""
        found = set(self.evidence)
        return {"surname", "first-name"} <= found and not found & DIFFERENT_BIRTHS

    @property
    def had_the_name(self) -> bool:
        """Whether a former name is exactly as filed, and the birth does not differ."""
        found = set(self.evidence)
        return {FORMER, "first-name"} <= found and not found & DIFFERENT_BIRTHS

    @property
    def is_likely(self) -> bool:
        """Whether to offer the candidate to a person. With a misspelt surname, initials count little."""
        found = set(self.evidence)
        if found & IDS or {"surname", "first-name"} <= found:
            return True
        if not found & FIRST_NAMES:
            return False
        if "initials" in found and found & {"surname-alike", SURNAME_SLIP}:
            return not found & DIFFERENT_BIRTHS and (SURNAME_SLIP not in found or bool(found & BIRTHS))
        return True


def id_evidence(entry: Entry, own: Collection[Id], platforms: Collection[str]) -> list[str]:
    """Evidence (keys of `WEIGHTS`) by an entry's ids. `own`: the player's number and ids, with merged
    entries'.
    """
    found = (_id_evidence(filed, own, platforms) for filed in get_ids(entry))
    return list(dict.fromkeys(filter(None, found)))


def _id_evidence(filed: Id, own: Collection[Id], platforms: Collection[str]) -> str:
    comparable = [known for known in own if is_same_id_kind(known.kind, filed.kind)]
    spelt = id_spellings(filed.value)
    same = next((known.kind for known in comparable if known.value in spelt), "")
    if same:
        return same if same == NUMBER else "handle" if same in platforms else "identifier"
    comparable = [known for known in comparable if not is_provisional(known.kind)]
    if is_provisional(filed.kind):
        return ""
    if any(is_near_id(known.value, filed.value) for known in comparable):
        return "id-nearly"
    if not filed.kind:  # it may be of any kind
        comparable = [known for known in own if known.kind != NUMBER and known.kind not in platforms]
    return "id-differs" if comparable else ""


def names_alike(one: str, other: str) -> bool:
    """Whether two folded names are spellings of one: misspelt or transliterated."""
    return fuzz.ratio(one, other) >= ALIKE or compute_sound(one) == compute_sound(other)


def differs_by_a_slip(one: str, other: str) -> bool:
    """Whether two folded names differ by a letter added, missing, changed or swapped; long names by two."""
    shorter = min(len(one), len(other))
    slips = 0 if shorter < SLIP_FROM else 1 if shorter < TWO_SLIPS_FROM else 2
    return OSA.distance(one, other, score_cutoff=slips) <= slips


def surname_keys(entry: Entry) -> dict[str, tuple[str, ...]]:
    """Folded surnames by which to look an entry up, each with the words that would be the first name.

    The two may be swapped; and if the file does not divide the name, any word could be the surname.
    """
    if is_nameless(entry):
        return {}
    if entry.first_name:
        parted = ((entry.surname, entry.first_name), (entry.first_name, entry.surname))
        return {key: fold_words(rest) for name, rest in reversed(parted) if (key := fold(name))}
    parts = fold_words(entry.surname)
    tails = ("".join(parts[start:]) for start in range(len(parts)))
    heads = ("".join(parts[:end]) for end in range(1, len(parts)))
    return dict.fromkeys(filter(None, (*tails, *heads)), parts)


def name_evidence(
    entry: Entry, player: Player, former: Iterable[tuple[str, str]] = (), *, same_birth: bool = False
) -> list[str]:
    """Evidence (keys of `WEIGHTS`) by names. `former`: the player's former names, used if today's says less;
    `same_birth`: the whole date is the same, so that a first name counts with any surname.
    """
    today = _name_evidence(entry, player)
    if not today or {"surname", "names-swapped"} & set(today):
        return today
    for surname, first_name in former:
        once = _name_evidence(entry, _FormerName(surname, first_name))
        if {"surname", "names-swapped"} & set(once):
            return [FORMER, *(key for key in once if key != "surname")]
    if same_birth and not entry.first_name and today == ["surname-differs"]:
        own = set(fold_words(player.first_name))
        return [*today, *(["first-name"] if own and own <= set(fold_words(entry.surname)) else [])]
    return today


class _FormerName:
    def __init__(self, surname: str, first_name: str) -> None:
        self.surname, self.first_name, self.name_key = surname, first_name, fold(surname)
        self.name = ", ".join(filter(None, (surname, first_name)))


def _name_evidence(entry: Entry, player: Player | _FormerName) -> list[str]:
    """Evidence by one name: by its parts if the file divides them, else as a whole."""
    if is_nameless(entry):
        return []
    if not entry.first_name:
        filed, known = fold_words(entry.surname), fold_words(player.name)
        if sorted(filed) == sorted(known):
            return ["surname", "first-name"]
        rest = list(filed)
        for word in fold_words(player.surname):
            if word not in rest:
                break
            rest.remove(word)
        else:
            return [*filter(None, ("surname", first_name_evidence(rest, fold_words(player.first_name))))]
        whole = names_alike("".join(sorted(filed)), "".join(sorted(known)))
        first_names = fold_words(player.first_name)
        if first_names and set(first_names) < set(filed):
            surname = "".join(word for word in filed if word not in first_names)
            surname_key = "surname-alike" if whole else _surname_evidence(surname, player.name_key)
            return [surname_key, *(["first-name"] if surname_key != "surname-differs" else [])]
        return ["surname-alike", "first-name-alike"] if whole else ["surname-differs"]
    key, first_name = fold(entry.surname), fold(entry.first_name)
    if key != player.name_key and first_name == player.name_key and key == fold(player.first_name):
        return ["names-swapped"]
    first = first_name_evidence(fold_words(entry.first_name), fold_words(player.first_name))
    return [_surname_evidence(key, player.name_key), *([first] if first else [])]


def _surname_evidence(key: str, known: str) -> str:
    if key == known:
        return "surname"
    if names_alike(key, known):
        return "surname-alike"
    return SURNAME_SLIP if differs_by_a_slip(key, known) else "surname-differs"


def first_name_evidence(filed: Sequence[str], known: Sequence[str]) -> str:
    """Evidence (a key of `WEIGHTS`) by the words of first names: same, initials (`TJ` of `Thabo John`),
    alike, or different; empty if one is missing.
    """
    if not filed or not known:
        return "initials" if not filed and not known else ""
    if tuple(filed) == tuple(known):
        return "first-name"
    if len(filed[0]) > 1 and filed[0] == known[0]:
        return "first-name" if _prefixes_agree(filed[1:], known[1:]) else "first-name-alike"
    if _initials(filed, known) or _initials(known, filed):
        return "initials"
    whole = names_alike(" ".join(filed), " ".join(known))
    near = (
        whole
        or fuzz.ratio(filed[0], known[0]) >= SIMILAR_SCORE
        or compute_sound(filed[0]) == compute_sound(known[0])
    )
    return "first-name-alike" if near else "first-name-differs"


def _prefixes_agree(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether second names agree as far as both are given: `Jan` and `Jan Petrus`, but not `Jan H.`."""
    return all(a.startswith(b) or b.startswith(a) for a, b in zip(one, other, strict=False))


def _initials(short: Sequence[str], full: Sequence[str]) -> bool:
    letters = "".join(short) if len(short[0]) <= 3 else ""
    first_letters = "".join(word[0] for word in full)
    return bool(letters) and (first_letters.startswith(letters) or letters.startswith(first_letters))


def birth_evidence(entry: Entry, player: Player) -> list[str]:
    year = birth_year(entry)
    if not year or not player.born:
        return []
    if year != player.born:
        return ["born-differs"]
    known = getattr(player, "birth_date", None)
    if known and len(entry.birth) == 10:
        return ["birth-date"] if date.fromisoformat(entry.birth) == known.day else ["day-differs"]
    return ["born"]


def birth_year(entry: Entry) -> int | None:
    """The year of birth that the file gives an entry."""
    return int(entry.birth[:4]) if entry.birth else None


def sex_nation_death_evidence(
    entry: Entry, player: Player, country: str, regions: Collection[str]
) -> list[str]:
    """Evidence of another sex or nation, or of a death; of nations only foreign ones count, because programs
    write the host's for others.
    """
    found = ["deceased"] if player.deceased else []
    if entry.sex and player.sex and entry.sex != player.sex:
        found.append("sex-differs")
    filed = entry.federation.upper()
    foreign = len(filed) == 3 and filed != country and filed not in regions
    if foreign and player.nation and filed != player.nation:
        found.append("nation-differs")
    return found


# ---- The kind of a file's id column
STANDARD_DIALECTS = ("TRF16", "TRF26", "Swiss-Manager", "Vega", "Sharly-Chess", "Tornelo", "bbpPairings")
FORMAT_ID_KINDS = {"ELO": "wof"}
STANDARD_ID_KINDS = {**dict.fromkeys(STANDARD_DIALECTS, FIDE), **FORMAT_ID_KINDS}
"""The kind of ids in the column, by dialect. In the older TRF they are often a club's own."""
EXAMPLES = 3


def detect_id_kind(federation: Federation, entries: Sequence[Entry], dialect: str = "") -> str:
    """The kind of the column's ids, by the players with these ids and names; without names, the kind of the
    format. Empty if the ids find nobody, or mostly other names.
    """
    if is_nameless_file(entries):
        return _stored_kind(federation.ruleset, FORMAT_ID_KINDS.get(dialect, ""))
    named = {entry.filed_id: entry for entry in entries if entry.filed_id}
    found: Counter[str] = Counter()
    confirmed: Counter[str] = Counter()
    spelt = {spelling: value for value in named for spelling in id_spellings(value)}
    players = Player.objects.of(federation).filter(number__in=spelt).order_by()  # no order: another index
    numbers = players.values_list("number", "name_key")
    others = Identifier.objects.filter(federation=federation, value__in=spelt, player__merged_into=None)
    rows = [(NUMBER, *row) for row in numbers]
    rows += others.values_list("kind", "value", "player__name_key")
    for kind, value, surname in rows:
        found[kind] += 1
        confirmed[kind] += any(names_alike(key, surname) for key in surname_keys(named[spelt[value]]))
    kinds = [kind for kind in found if 2 * confirmed[kind] >= found[kind]]
    return "" if not kinds else kinds[0] if len(kinds) == 1 else SEVERAL


def needs_id_kind(ruleset: Ruleset, entries: Sequence[Entry]) -> bool:
    """Whether to ask for the kind of the id column: if ids of other registers could be stored."""
    return bool(equipment_of(ruleset).office.id_kinds) and bool(list_unknown_kind_ids(entries))


def list_unknown_kind_ids(entries: Iterable[Entry]) -> list[str]:
    """The ids in the column whose kind is unknown."""
    return [entry.filed_id for entry in entries if entry.filed_id and not entry.id_kind]


def example_ids(entries: Iterable[Entry]) -> str:
    """The first unknown ids, as examples in a question."""
    ids = list_unknown_kind_ids(entries)
    return ", ".join(ids[:EXAMPLES] + ["…"] * (len(ids) > EXAMPLES))


def suggest_id_kind(ruleset: Ruleset, dialect: str, entries: Iterable[Entry]) -> str:
    """The kind of ids that this dialect has by its standard; empty if there is none, or the ids are too short
    for FIDE's.
    """
    kind = STANDARD_ID_KINDS.get(dialect, "")
    ids = [entry.filed_id.lstrip("0") for entry in entries if entry.filed_id]
    if kind == FIDE and any(len(id_) < SHORTEST_FIDE_ID for id_ in ids):
        return ""
    return _stored_kind(ruleset, kind)


def _stored_kind(ruleset: Ruleset, kind: str) -> str:
    """The kind, if offices of this ruleset store ids of it; else empty."""
    return kind if kind in {offered.code for offered in equipment_of(ruleset).office.id_kinds} else ""


# ---- Players with similar surnames
PREFIX = 2  # letters that a surname shares with its transliteration
MISSPELT_SCORE = 75  # of 100: the likeness of a name of four letters with one wrong
MOST_SPELLINGS = 40  # the maximum number of spellings of one filed surname
ENOUGH_LETTERS = 12  # from so many first letters on, surnames are not filtered by them
BATCH_SIZE = 10_000  # surnames in one query: databases limit their number
SLIM_COLUMNS = ("pk", "name_key", "first_name", "born")
SlimPlayer = tuple[int, str, str, int | None]
"""The columns read of each player, few because there may be thousands."""


def find_similar_surnames(federation: Federation, keys: Collection[str]) -> dict[str, set[str]]:
    """The register's surnames that could be spellings of each folded one, with itself.

    Only an index of surnames is read; those of other first letters are compared only if the letter may stand
    for the filed one.
    """
    letters = {letter for key in keys for letter in (*beginnings_in_all_spellings(key, 1), *key[1:2])}
    known = _surnames(federation, letters)
    starts = {start for key in keys for start in beginnings_in_all_spellings(key, PREFIX)}
    by_sound: dict[str, set[str]] = defaultdict(set)
    for others in known.values():
        for other in others:
            if other[:PREFIX] in starts:
                by_sound[compute_sound(other)].add(other)
    return {key: {*by_sound.get(compute_sound(key), ()), *_misspelt(key, known)} for key in keys}


def _surnames(federation: Federation, letters: Collection[str]) -> dict[str, list[str]]:
    """The folded surnames in the register, also of merged entries, by first letter."""
    rows = Player.objects.of(federation).order_by()
    if len(letters) < ENOUGH_LETTERS:
        rows = rows.alias(letter=Substr("name_key", 1, 1)).filter(letter__in=letters)
    known: dict[str, list[str]] = defaultdict(list)
    for key in rows.values_list("name_key", flat=True).distinct().iterator(chunk_size=5_000):
        known[key[:1]].append(key)
    return known


def _misspelt(key: str, known: dict[str, list[str]]) -> list[str]:
    others = [other for letter in beginnings_in_all_spellings(key, 1) for other in known.get(letter, ())]
    swapped = key[1::-1]  # the first two letters may be swapped
    if len(swapped) == PREFIX and swapped[0] not in beginnings_in_all_spellings(key, 1):
        others += [other for other in known.get(swapped[0], ()) if other.startswith(swapped)]
    close = process.extract(key, others, scorer=fuzz.ratio, score_cutoff=MISSPELT_SCORE, limit=MOST_SPELLINGS)
    return [other for other, _score, _at in close if names_alike(key, other) or differs_by_a_slip(key, other)]


def iter_slim_players(rows: QuerySet[Player], keys: Iterable[str]) -> Iterator[SlimPlayer]:
    """Rows of players with these surnames; unordered, because an order would use another index."""
    left = iter(sorted(keys))
    while some := list(islice(left, BATCH_SIZE)):
        found = rows.filter(name_key__in=some).order_by().select_related(None)
        yield from found.values_list(*SLIM_COLUMNS).iterator(chunk_size=5_000)


class Namesakes:
    """Players by surname and year or initial, because a common surname has thousands."""

    def __init__(self, rows: Iterable[SlimPlayer]) -> None:
        self.by_year: dict[tuple[str, int | None], list[SlimPlayer]] = defaultdict(list)
        self.by_initial: dict[tuple[str, str], list[SlimPlayer]] = defaultdict(list)
        for row in rows:
            _pk, key, first_name, born = row
            self.by_year[key, born].append(row)
            self.by_initial[key, _initial(first_name)].append(row)

    def likely(self, entry: Entry, rest: Sequence[str], key: str) -> list[int]:
        """Keys of players of a surname with the entry's year (or none), or a similar first letter: all that
        are likely.
        """
        rows = [row for year in {birth_year(entry), None} for row in self.by_year.get((key, year), ())]
        rows += [row for letter in _surname_initials(rest) for row in self.by_initial.get((key, letter), ())]
        fitting = (row[0] for row in rows if not entry.first_name or first_name_fits(rest, row[2]))
        return list(dict.fromkeys(fitting))


@lru_cache(maxsize=8192)
def first_name_fits(filed: Sequence[str], first_name: str) -> bool:
    return first_name_evidence(filed, fold_words(first_name)) != "first-name-differs"


@lru_cache(maxsize=8192)
def _initial(first_name: str) -> str:
    return next((word[0] for word in fold_words(first_name)), "")


@lru_cache(maxsize=8192)
def _surname_initials(parts: Sequence[str]) -> set[str]:
    """The letters with which these words may begin in other spellings, and the empty text."""
    return {"", *(start for word in parts for start in beginnings_in_all_spellings(word, 1))}


# ---- Matching a section's entries
MOST_CANDIDATES = 5


def match(
    federation: Federation, entries: Sequence[Entry], taken: Iterable[int] = (), *, nameless: bool = False
) -> None:
    """Set `player`, `match` and `candidates` of entries, unsaved, except where a person decided.

    `taken`: keys of players who are other entries already; `nameless`: whether the file has no names.
    """
    settled = (Entry.Match.DECIDED, Entry.Match.NEW)
    decided = {entry.player_id for entry in entries if entry.match in settled and entry.player_id}
    taken = decided | set(taken)
    open_entries = [entry for entry in entries if entry.match not in settled]
    found = find_candidates(federation, open_entries, taken)
    certain = {number: sure for number, cs in found.items() if (sure := find_certain_candidate(cs, taken))}
    if nameless:
        by_id = {
            entry.number: find_candidate_by_id(entry, found[entry.number], taken) for entry in open_entries
        }
        certain = {number: sure for number, sure in by_id.items() if sure} | certain
    claims = Counter(candidate.player.pk for candidate in certain.values())
    for entry in open_entries:
        sure = certain.get(entry.number)
        # Two entries are never one player: if both claim the same, a person decides.
        mine = sure if sure and claims[sure.player.pk] == 1 else None
        free = [c for c in found[entry.number] if c.player.pk not in taken]
        entry.player = mine.player if mine else None
        entry.match = Entry.Match.CERTAIN if mine else Entry.Match.DOUBTFUL if free else Entry.Match.NONE
        entry.candidates = [candidate_as_dict(c) for c in ([mine] if mine else free)]


def find_candidates(
    federation: Federation, entries: Sequence[Entry], taken: Collection[int] = ()
) -> dict[int, list[Candidate]]:
    """The register's candidates for entries by starting number, the best first."""
    register = RegisterPart(federation, entries)
    found = {entry.number: register.candidates(entry) for entry in entries}
    # Entries found by exactly their names are not looked up among all namesakes, who may be thousands.
    for whole in (False, True):
        sure = {entry.number: find_certain_candidate(found[entry.number], taken) for entry in entries}
        unsure = [each for each in entries if not (one := sure[each.number]) or not one.has_the_name]
        register.look_up_names(unsure, whole=whole)
        found |= {entry.number: register.candidates(entry) for entry in unsure}
    return found


def find_registered_since(
    federation: Federation, entries: Sequence[Entry], taken: Collection[int]
) -> list[tuple[Entry, Player]]:
    """The entries of new players whom the register has by now, each with that player, if no candidate before.
    `taken`: keys of players who are other entries.
    """
    register = RegisterPart(federation, entries)
    register.look_up_names(entries, whole=False)
    found = []
    for entry in entries:
        seen = {*taken, *(offered["player"] for offered in entry.candidates)}
        sure = (c.player for c in register.candidates(entry) if c.is_certain and c.player.pk not in seen)
        found += [(entry, player) for player in sure][:1]
    return found


def find_certain_candidate(candidates: Sequence[Candidate], taken: Collection[int] = ()) -> Candidate | None:
    """The only certain candidate, if there is exactly one."""
    # If the filed id is somebody's, nobody else is certain.
    by_id = [c for c in candidates if IDS & set(c.evidence)]
    sure = [c for c in by_id or candidates if c.is_certain and c.player.pk not in taken]
    if len(sure) != 1:
        return None
    # An id with a similar name may be mixed up with another candidate's who has exactly the filed name.
    others = [c for c in candidates if c is not sure[0]]
    if any(c.has_the_name for c in others) and not sure[0].has_the_name:
        return None
    # A candidate who formerly had the name may still use it: without an id the two cannot be told apart.
    return None if not by_id and any(c.had_the_name for c in others) else sure[0]


def find_candidate_by_id(
    entry: Entry, candidates: Sequence[Candidate], taken: Collection[int]
) -> Candidate | None:
    """The only player with an id of a known kind, if nothing speaks against it."""
    if not is_nameless(entry) or any(not each.kind or is_provisional(each.kind) for each in get_ids(entry)):
        return None
    same = [each for each in candidates if IDS & set(each.evidence)]
    free = [each for each in same if not AGAINST & set(each.evidence) and each.player.pk not in taken]
    return free[0] if len(same) == len(free) == 1 else None


def candidate_as_dict(candidate: Candidate) -> dict[str, object]:
    evidence = list(candidate.evidence)
    return {"player": candidate.player.pk, "score": candidate.score, "evidence": evidence}


class RegisterPart:
    """The part of a register that some entries could mean."""

    def __init__(self, federation: Federation, entries: Iterable[Entry]) -> None:
        self.federation = federation
        self.entries = list(entries)
        self.platforms = get_platform_id_kinds(federation.ruleset)
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
        """Load all ids and former names of these players, for evidence against them too."""
        new = {player.pk: player for player in players}
        self.former |= get_former_names(list(new))
        for pk, player in new.items():
            self.own[pk].add(Id(NUMBER, player.number))
        known = Identifier.objects.filter(federation=self.federation, player__in=list(new))
        for pk, kind, value in known.values_list("player_id", "kind", "value"):
            self.own[pk].add(Id(kind, value))

    def candidates(self, entry: Entry) -> list[Candidate]:
        """The likely players for an entry, five at most, the best first."""
        found = {player.pk: player for filed in get_ids(entry) for player in self.find_by_id(filed)}
        found |= {player.pk: player for player in self.namesakes.get(entry.number, ())}
        judged = [self.judge(entry, player) for player in found.values()]
        likely = [candidate for candidate in judged if candidate.is_likely]
        return sorted(likely, key=lambda c: (-c.score, c.player.number))[:MOST_CANDIDATES]

    def judge(self, entry: Entry, player: Player) -> Candidate:
        """Collect all evidence on whether an entry is this player."""
        owners = [self.find_by_id(filed) for filed in get_ids(entry)]
        birth = birth_evidence(entry, player)
        evidence = [
            *id_evidence(entry, self.own[player.pk], self.platforms),
            *([ID_OF_ANOTHER] if any(having and player not in having for having in owners) else []),
            *name_evidence(entry, player, self.former.get(player.pk, ()), same_birth="birth-date" in birth),
            *birth,
            *sex_nation_death_evidence(entry, player, self.federation.ruleset.country, self.regions),
        ]
        return Candidate(player, tuple(evidence))

    def find_by_id(self, filed: Id) -> list[Player]:
        """The players of the register with a filed id; one of unknown kind may be of any."""
        known = (each for value in id_spellings(filed.value) for each in self.by_value.get(value, ()))
        return [player for kind, player in known if is_same_id_kind(kind, filed.kind)]

    def _by_value(self) -> dict[str, list[tuple[str, Player]]]:
        """The players of the register by filed ids, with the id's kind in the register."""
        ids = {value for entry in self.entries for id_ in get_ids(entry) for value in id_spellings(id_.value)}
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
        """Load namesakes of the same year, and players with such a former name; if `whole`, namesakes of any
        year, with similar surnames, or with the same first name and date of birth.
        """
        filed = {entry.number: surname_keys(entry) for entry in entries}
        years: dict[str, set[int | None]] = defaultdict(set)
        for entry in entries:
            for key in filed[entry.number]:
                years[key].add(birth_year(entry))
        near = find_similar_surnames(self.federation, years) if whole else {key: {key} for key in years}
        known = Namesakes(
            iter_slim_players(self.players, set().union(*near.values())) if whole else self._born_in(years)
        )
        picked = {
            entry.number: [
                pk
                for key, rest in filed[entry.number].items()
                for other in near[key]
                for pk in known.likely(entry, rest, other)
            ]
            for entry in entries
        }
        once = find_by_former_surname(self.federation, years)
        same_day = self._same_birth_and_first_name(entries) if whole else {}
        for entry in entries:
            named = {pk for key in filed[entry.number] for pk in once.get(key, ())}
            picked[entry.number] += [*named, *same_day.get(entry.number, ())]
        players = self.players.in_bulk({pk for pks in picked.values() for pk in pks})
        self.learn(players.values())
        self.namesakes |= {
            number: [players[pk] for pk in dict.fromkeys(pks) if pk in players]
            for number, pks in picked.items()
        }

    def _same_birth_and_first_name(self, entries: Sequence[Entry]) -> dict[int, list[int]]:
        """The keys of players with an entry's date of birth and first name, by the entry's number, because
        people marry.
        """
        days = {entry.birth for entry in entries if len(entry.birth) == 10 and not is_nameless(entry)}
        rows = self.players.filter(birth_date__day__in=days).order_by().select_related(None)
        born: dict[str, list[tuple[int, tuple[str, ...]]]] = defaultdict(list)
        for pk, day, first_name in rows.values_list("pk", "birth_date__day", "first_name"):
            born[day.isoformat()].append((pk, fold_words(first_name)))
        return {
            entry.number: [pk for pk, known in born[entry.birth] if shares_first_name(entry, known)]
            for entry in entries
            if entry.birth in born
        }

    def _born_in(self, years: Mapping[str, set[int | None]]) -> Iterable[SlimPlayer]:
        births = {f"{year}{key}" for key, known in years.items() for year in known if year}
        year_and_key = Concat(Cast("born", CharField()), "name_key")
        return iter_slim_players(
            self.players.alias(year_and_key=year_and_key).filter(year_and_key__in=births), years
        )


def shares_first_name(entry: Entry, known: Sequence[str]) -> bool:
    """Whether an entry has the first name with the folded words `known`."""
    filed = fold_words(entry.first_name or entry.surname)
    if entry.first_name:
        return first_name_evidence(filed, known) == "first-name"
    return bool(known) and set(known) <= set(filed)


# ---- Search of the register
MOST_RESULTS = 12
MOST_ROWS_READ = 300


def search(federation: Federation, entry: Entry, q: str) -> list[Candidate]:
    """Search the register for an entry by number, id or name (`q`), the likeliest first. Parts of names and
    former names are enough; similar spellings follow if few are found.
    """
    parts = fold_words(q)
    if not parts:
        return []
    register = RegisterPart(federation, [entry])
    fitting = _find_by_beginnings(register, parts, q.strip())
    if len(fitting) < MOST_RESULTS and not any(part.isdecimal() for part in parts):
        known = {player.pk for player in fitting}
        fitting += [player for player in _find_similar(register, parts) if player.pk not in known]
    register.learn(fitting)
    judged = [register.judge(entry, player) for player in fitting]
    return sorted(judged, key=lambda c: (-c.score, c.player.sort_key, c.player.number))[:MOST_RESULTS]


def _find_by_beginnings(register: RegisterPart, parts: Sequence[str], q: str) -> list[Player]:
    named = Q(name_key__startswith="".join(parts))
    for part in parts:
        named |= Q(name_key__startswith=part)
    exact = Q(number=q) | Q(identifiers__value__in=id_spellings(q))
    found = register.players.filter(named | exact).select_related("birth_date", "region").distinct()
    rows = found.prefetch_related("identifiers")[:MOST_ROWS_READ]
    fitting = [player for player in rows if _fits(player, parts, q)]
    if any(part.isdecimal() for part in parts) or len(fitting) >= MOST_RESULTS:
        return fitting
    known = {player.pk for player in fitting}
    everywhere = (
        register.players.named(q, inside_too=True)
        .exclude(pk__in=known)
        .likeliest_first(q)
        .select_related("birth_date", "region")
    )
    return [*fitting, *everywhere[:MOST_ROWS_READ]]


def _find_similar(register: RegisterPart, parts: Sequence[str]) -> list[Player]:
    """Players with a surname like one of the words, or like all joined, if the other words fit."""
    rests: dict[str, Sequence[str]] = {part: (*parts[:at], *parts[at + 1 :]) for at, part in enumerate(parts)}
    rests["".join(parts)] = ()
    near = find_similar_surnames(register.federation, rests)
    rows = [
        row
        for key, others in near.items()
        for row in iter_slim_players(register.players, others)
        if not rests[key] or first_name_fits(rests[key], row[2])
    ]
    first_name = fold_words(register.entries[0].first_name)
    rows.sort(key=lambda row: not first_name_fits(first_name, row[2]))  # a common surname has thousands
    players = register.players.select_related("birth_date", "region")
    return list(players.in_bulk([row[0] for row in rows[:MOST_ROWS_READ]]).values())


def _fits(player: Player, parts: Sequence[str], q: str) -> bool:
    """Whether each word of the search begins a word of the name, all joined the surname, or it is an id."""
    if any(part.isdecimal() for part in parts) or q == player.number:
        return True
    if any(id_.value in id_spellings(q) for id_ in player.identifiers.all()):
        return True
    known = (*fold_words(player.name), player.name_key)
    return player.name_key.startswith("".join(parts)) or all(
        any(word.startswith(part) for word in known) for part in parts
    )


# ---- Names of other events
_COMMON_WORDS = frozenset(
    fold_words(
        "a the of and in de section group division tournament event open cup championship championships "
        "festival league rapid blitz standard classic chess online round swiss final"
    )
)


def own_event_words(*names: str) -> frozenset[str]:
    """The words of names that tell events apart: without numbers and common words."""
    return frozenset(
        word
        for word in fold_words(" ".join(names))
        if word not in _COMMON_WORDS and not _is_uninformative(word)
    )


def shares_a_word(own: Iterable[str], known: Iterable[str]) -> bool:
    """Whether one of the words is among the known, or similar to one."""
    known = list(known)
    return any(one == other or fuzz.ratio(one, other) >= ALIKE for one in own for other in known)


def names_another_event(name: str, *registered: str) -> bool:
    """Whether a file's name of its event shares nothing with these names; False if it cannot be told."""
    own, known = own_event_words(name), own_event_words(*registered)
    return bool(own and known) and not shares_a_word(own, known)


def find_more_similar_event(name: str, registered: Iterable[str], others: Mapping[str, Iterable[str]]) -> str:
    """The key of the only other event whose names share the most words with the file's, more than the
    registered ones; else empty. `others`: names by key.
    """
    own = frozenset(word for word in fold_words(name) if not _is_uninformative(word))
    here = len(own.intersection(fold_words(" ".join(registered))))
    shared = {
        key: len(own.intersection(fold_words(" ".join(names))))
        for key, names in others.items()
        if own_event_words(name) & own_event_words(*names)
    }
    most = max(shared.values(), default=0)
    best = [key for key, count in shared.items() if count == most]
    return best[0] if most > here and len(best) == 1 else ""


def _is_uninformative(word: str) -> bool:
    return len(word) == 1 or word.isdigit()


EVIDENCE_LABELS: Mapping[str, Promise] = {
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
