"""Matching: which players of the register a section's entries are, and which section a file is of.

What an id, name and birth are worth is weighed by `players.evidence`. What is not certain is left to a
person, with candidates and the evidence for each. The register is read with one query for each kind of
evidence.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import accumulate, islice
from pathlib import PurePosixPath
from typing import Any, Generic, NamedTuple, TypeVar, cast

from django.db.models import CharField, Q, QuerySet
from django.db.models.functions import Cast, Concat, Substr
from django.utils.translation import gettext as _
from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from players.evidence import (
    AGAINST,
    ID_OF_ANOTHER,
    IDS,
    Candidate,
    Described,
    can_be_suggested,
    first_name_evidence,
    fold_name,
    has_the_name,
    total,
    weigh,
)
from players.models import Federation, FormerName, Identifier, Player, PlayerQuerySet
from players.names import (
    CLOSE_RATIO,
    SIMILAR_RATIO,
    compare,
    first_letters_in_all_spellings,
    fold,
    fold_words,
    get_sounds,
)
from players.register import find_by_former_surname, get_former_names
from ratings.rulesets import rulesets
from ratings.rulesets.particulars import PROVISIONAL_SUFFIX, is_provisional, nation_code
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import Ruleset
from tournaments.formats.trf import SHORTEST_FIDE_ID
from tournaments.models import ArchivedFile, Entry, Section

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


Who = TypeVar("Who")


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


Pair = tuple[int, str]
"""A file's number and a section's code."""
SectionProposal = tuple[str, tuple[str, ...]]
"""A section's code, and the evidence for it."""


def propose_sections(
    files: Sequence[ArchivedFile], sections: Sequence[Section], *, event: str, free_codes: Collection[str]
) -> dict[int, SectionProposal]:
    """Propose a section for each file, by its number; none if two are equally likely.

    `free_codes`: the sections that may take a file, for the case that one file and one section are left.
    """
    evidence = {(f.number, s.code): section_evidence(f, s, event) for f in files for s in sections}
    scores = {
        pair: sum(FILE_WEIGHTS[key] for key in found)
        for pair, found in evidence.items()
        if NAMES & set(found)
    }
    found: dict[int, SectionProposal] = {
        file: (section, evidence[file, section])
        for file, section in _best_pairs(scores)
        if scores[file, section] > 0
    }
    left = [file.number for file in files if file.number not in found]
    taken = {code for code, _evidence in found.values()}
    open_ones = [each.code for each in sections if each.code in free_codes and each.code not in taken]
    if len(left) == len(open_ones) == 1:
        rest = evidence[left[0], open_ones[0]]
        if not AGAINST_FILE & set(rest):
            found[left[0]] = (open_ones[0], ("only-one-left", *rest))
    return found


def _best_pairs(scores: Mapping[Pair, int]) -> Iterator[Pair]:
    """Yield the pairs of file and section that score higher than all other pairs with either of them."""
    by_file, by_section = defaultdict[int, list[int]](list), defaultdict[str, list[int]](list)
    for (file, section), points in scores.items():
        by_file[file].append(points)
        by_section[section].append(points)
    for ranked in (*by_file.values(), *by_section.values()):
        ranked.sort(reverse=True)
    for (file, section), points in scores.items():
        if all(
            (points == ranked[0] and (len(ranked) == 1 or points > ranked[1]))
            for ranked in (by_file[file], by_section[section])
        ):
            yield file, section


def section_evidence(file: ArchivedFile, section: Section, event: str) -> tuple[str, ...]:
    """The keys of the best evidence of names, if any, and of that of rounds and days."""
    names = {"tournament": file.tournament, "file-name": bare_name(file.name)}
    found = [
        key
        for evidence, text in names.items()
        for name in (section.name, section.code)
        if (key := _likeness(evidence, distinctive_words(text, event), distinctive_words(name, "")))
    ]
    found = sorted(found, key=lambda key: -FILE_WEIGHTS[key])[:1]
    if file.rounds and section.rounds:
        found.append("rounds" if file.rounds == section.rounds else "rounds-differ")
    if file.starts and file.ends:
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
    alike = len(name) > 3 and fuzz.ratio(name, "".join(file_words)) >= SIMILAR_RATIO
    return f"{evidence}-alike" if alike else ""


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


RESULTS = "results"
"""The evidence that a section has half of a file's results from its file before."""
EVENT = "event"
"""The evidence that another section's event is more like the one in the file."""
CLEARLY_MORE = 25
"""How much more likely another section must be to be told."""
EVENT_WEIGHT = 40
"""How much more a file is of the event whose name is more like the one in the file."""


def find_likelier_section(
    file: ArchivedFile, here: Section, others: Iterable[Section], results: Mapping[int, Collection[str]]
) -> tuple[Section, str] | None:
    """The one section to which a file clearly belongs rather than `here`, with the evidence that decides: the
    key of a name, `RESULTS`, `days` or `EVENT`; None if there is none. `results`: the file's own by the key
    0, and those of each section's file before, by its key.

    The name of the file counts only if what it says of itself names no section.
    """
    sections, inside = (here, *others), copy(file)
    inside.name = ""
    weighed = {each: _weigh(inside, each, here, results) for each in sections}
    if not any(NAMES & found for _points, found in weighed.values()):
        weighed = {each: _weigh(file, each, here, results) for each in sections}
    own, against = weighed.pop(here)
    most = max((points for points, _evidence in weighed.values()), default=0)
    likeliest = [each for each, (points, _evidence) in weighed.items() if points == most]
    if most < own + CLEARLY_MORE or len(likeliest) != 1:
        return None
    found = weighed[likeliest[0]][1]
    for key in (RESULTS, *sorted(NAMES & found, key=lambda name: -FILE_WEIGHTS[name]), "days", EVENT):
        weaker = FILE_WEIGHTS.get(key, 0) > max([FILE_WEIGHTS[name] for name in NAMES & against], default=0)
        if key in found - against and (key not in NAMES or weaker):
            return likeliest[0], key
    return None


def _weigh(
    file: ArchivedFile, section: Section, here: Section, results: Mapping[int, Collection[str]]
) -> tuple[int, set[str]]:
    """How likely a file is a section's, and the evidence."""
    found = set(section_evidence(file, section, section.event.name))
    points = 0
    if section.event_id != here.event_id:
        own = own_event_words(file.tournament)
        like, here_like = (
            len(own.intersection(fold_words(f"{each.event.name} {each.event.place}")))
            for each in (section, here)
        )
        points += EVENT_WEIGHT * ((like > here_like) - (like < here_like))
        found -= set() if like else NAMES
        found |= {EVENT} if like > here_like else set()
    shared = len(set(results[0]) & set(results.get(section.pk, ())))
    if shared * 2 >= len(results[0]) > 0:
        points += FILE_WEIGHTS["tournament"]
        found.add(RESULTS)
    return points + sum(FILE_WEIGHTS[key] for key in found - {RESULTS, EVENT}), found


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
def id_evidence(
    filed: Iterable[Id], own: Collection[Id], platforms: Collection[str], *, of_another: bool
) -> list[str]:
    """Evidence by an entry's ids. `own`: the player's number and ids, with merged entries'; `of_another`:
    whether one of the entry's is somebody else's.
    """
    found = [*(_id_evidence(each, own, platforms) for each in filed), ID_OF_ANOTHER if of_another else ""]
    return list(dict.fromkeys(filter(None, found)))


def _id_evidence(filed: Id, own: Collection[Id], platforms: Collection[str]) -> str:
    comparable = [known for known in own if is_same_id_kind(known.kind, filed.kind)]
    spelt = id_spellings(filed.value)
    if same := [known.kind for known in comparable if known.value in spelt]:
        if filed.kind and all(is_provisional(kind) != is_provisional(filed.kind) for kind in same):
            return "id-provisional"
        return NUMBER if NUMBER in same else "handle" if set(same) & set(platforms) else "identifier"
    comparable = [known for known in comparable if not is_provisional(known.kind)]
    if is_provisional(filed.kind):
        return ""
    if any(is_near_id(known.value, filed.value) for known in comparable):
        return "id-nearly"
    if not filed.kind:  # it may be of any kind
        comparable = [known for known in own if known.kind != NUMBER and known.kind not in platforms]
    return "id-differs" if comparable else ""


class KnownIds(Generic[Who]):
    """Who has which ids, in a register or a past, and what speaks for an entry being one of them."""

    def __init__(self, federation: Federation) -> None:
        self.platforms = get_platform_id_kinds(federation.ruleset)
        self.country = federation.ruleset.country
        self.regions = {code for code, _name in federation.region_names}
        self.by_value: dict[str, list[tuple[str, Who]]] = defaultdict(list)
        """Those who have an id, by its value, each with the id's kind."""

    def find_by_id(self, filed: Id) -> list[Who]:
        """Those with a filed id; one of unknown kind may be of any."""
        known = (each for value in id_spellings(filed.value) for each in self.by_value.get(value, ()))
        return [who for kind, who in known if is_same_id_kind(kind, filed.kind)]

    def judge_by(self, entry: Entry, who: Who, own: Collection[Id], known: Iterable[Described]) -> Candidate:
        """All evidence on whether an entry is somebody with these ids, by what fits best of what is known."""
        filed = get_ids(entry)
        owners = [self.find_by_id(each) for each in filed]
        of_another = any(having and who not in having for having in owners)
        ids = id_evidence(filed, own, self.platforms, of_another=of_another)
        described = describe(entry, self.country, self.regions)
        evidence = max((weigh(described, each, ids=ids) for each in known), key=total)
        return Candidate(cast(Player, who), evidence)


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


def describe(entry: Entry, country: str, regions: Collection[str]) -> Described:
    """What a file says of a person. Of nations only foreign ones count, because programs write the host's, or
    one of its regions, for others.
    """
    nation = nation_code(entry.federation, country)
    if nation == country or entry.federation.upper() in regions:
        nation = ""
    if is_nameless(entry):
        return Described((), entry.birth, entry.sex, nation)
    name = fold_name(entry.surname, entry.first_name)
    return Described((name,), entry.birth, entry.sex, nation, entry.team, entry.rating)


def birth_year(entry: Entry) -> int | None:
    """The year of birth that the file gives an entry."""
    return int(entry.birth[:4]) if entry.birth else None


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
        confirmed[kind] += any(compare(key, surname) for key in surname_keys(named[spelt[value]]))
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
MOST_SPELLINGS = 40  # the maximum number of misspellings of one filed surname
ENOUGH_LETTERS = 12  # from so many first letters on, surnames are not filtered by them
BATCH_SIZE = 10_000  # surnames in one query: databases limit their number
SLIM_COLUMNS = ("pk", "name_key", "first_name_key", "born")
SlimPlayer = tuple[int, str, str, int | None]
"""The columns read of each player, few because there may be thousands."""


def find_similar_surnames(federation: Federation, keys: Collection[str]) -> dict[str, set[str]]:
    """The register's surnames, of today and before, that could be spellings of each folded one, with itself.

    Only an index of surnames is read, of the first letters that may stand for the filed ones.
    """
    letters = {letter for key in keys for letter in (*first_letters_in_all_spellings(key), *key[1:2])}
    known = _surnames(federation, letters)
    by_sound: dict[str, list[str]] = defaultdict(list)
    for surname in known:
        for sound in get_sounds(surname):
            by_sound[sound].append(surname)
    return {key: {key, *_spellings(key, known, by_sound)} for key in keys}


def _surnames(federation: Federation, letters: Collection[str]) -> list[str]:
    """The folded surnames in the register, with former ones and those of merged entries."""
    known: set[str] = set()
    former = FormerName.objects.filter(player__federation=federation)
    rows: QuerySet[Any]
    for rows in (Player.objects.of(federation), former):
        if len(letters) < ENOUGH_LETTERS:
            rows = rows.alias(letter=Substr("name_key", 1, 1)).filter(letter__in=letters)
        keys = rows.order_by().values_list("name_key", flat=True).distinct()
        known.update(keys.iterator(chunk_size=5_000))
    return sorted(known)


def _spellings(key: str, known: Sequence[str], by_sound: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The known surnames that sound like this one, and those that differ by slips."""
    sounds = get_sounds(key)
    for text, texts in ((key, known), *((sound, by_sound.keys()) for sound in sounds)):
        close = process.extract(
            text, texts, scorer=fuzz.ratio, score_cutoff=CLOSE_RATIO, limit=MOST_SPELLINGS
        )
        for other, _score, _at in close:
            yield from (each for each in by_sound.get(other, (other,)) if compare(key, each))
    for sound in sounds:
        yield from by_sound.get(sound, ())


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
            for letter in _initials(first_name.split()[:1]):
                self.by_initial[key, letter].append(row)

    def likely(self, entry: Entry, rest: Sequence[str], key: str) -> list[int]:
        """Keys of players of a surname with the entry's year (or none), or a similar first letter: all that
        are likely.
        """
        rows = [row for year in {birth_year(entry), None} for row in self.by_year.get((key, year), ())]
        rows += [row for letter in {"", *_initials(rest)} for row in self.by_initial.get((key, letter), ())]
        fitting = (row[0] for row in rows if not entry.first_name or first_name_fits(rest, row[2]))
        return list(dict.fromkeys(fitting))


def first_name_fits(filed: Sequence[str], first_name_key: str) -> bool:
    return first_name_evidence(filed, first_name_key.split()) != "first-name-differs"


def _initials(words: Sequence[str]) -> set[str]:
    """The letters with which these words begin as they sound; the empty text if there are none."""
    return {sound[:1] for word in words for sound in get_sounds(word)} or {""}


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


def suggest_players(entries: Iterable[Entry], taken: Collection[int]) -> dict[int, int]:
    """The keys of players to be taken together, by starting number of entries that wait for a person: the
    only candidate whose name fits, if nothing is against it. `taken`: keys of players who are other entries.
    """
    found: dict[int, int] = {}
    for entry in entries:
        offered = {each["player"]: set(each["evidence"]) for each in entry.candidates}
        fitting = [key for key, each in offered.items() if can_be_suggested(each) or has_the_name(each)]
        if len(fitting) == 1 and can_be_suggested(offered[fitting[0]]):
            found[entry.number] = fitting[0]
    claims = Counter(found.values())
    return {number: key for number, key in found.items() if claims[key] == 1 and key not in taken}


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


class RegisterPart(KnownIds[Player]):
    """The part of a register that some entries could mean."""

    def __init__(self, federation: Federation, entries: Iterable[Entry]) -> None:
        super().__init__(federation)
        self.federation = federation
        self.entries = list(entries)
        self.players: PlayerQuerySet = Player.objects.of(federation).current().select_related("birth_date")
        self.own: dict[int, set[Id]] = defaultdict(set)
        """The register's ids by a player's key: number, others, those of merged entries."""
        self.namesakes: dict[int, list[Player]] = {}
        """Players of such a name, by starting number; filled by `look_up_names`."""
        self.former: dict[int, list[tuple[str, str]]] = {}
        """Former names of players looked at, by key."""
        self.ratings: dict[int, list[int]] = defaultdict(list)
        """Their ratings by key, where a file gives some."""
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
        if any(entry.rating for entry in self.entries):
            rated = Player.objects.filter(pk__in=list(new), standings__rating__isnull=False).order_by()
            for pk, rating in rated.values_list("pk", "standings__rating"):
                self.ratings[pk].append(round(rating or 0))

    def candidates(self, entry: Entry) -> list[Candidate]:
        """The likely players for an entry, five at most, the best first."""
        found = {player.pk: player for filed in get_ids(entry) for player in self.find_by_id(filed)}
        found |= {player.pk: player for player in self.namesakes.get(entry.number, ())}
        judged = [self.judge(entry, player) for player in found.values()]
        likely = [candidate for candidate in judged if candidate.is_likely]
        return sorted(likely, key=lambda c: (-c.score, c.player.number))[:MOST_CANDIDATES]

    def judge(self, entry: Entry, player: Player) -> Candidate:
        """Collect all evidence on whether an entry is this player."""
        known = self._describe(player, entry.rating)
        return self.judge_by(entry, player, self.own[player.pk], [known])

    def _describe(self, player: Player, filed_rating: int | None) -> Described:
        """What the register says of a player; of their ratings the nearest to the filed one."""
        day = getattr(player, "birth_date", None)
        names = [(player.surname, player.first_name), *self.former.get(player.pk, ())]
        ratings = self.ratings.get(player.pk, ()) if filed_rating else ()
        return Described(
            [fold_name(*name) for name in names],
            birth=day.day.isoformat() if day else str(player.born or ""),
            sex=player.sex,
            nation=player.nation,
            club=player.club,
            rating=min(ratings, key=lambda rating: abs(rating - (filed_rating or 0)), default=None),
            deceased=player.deceased,
        )

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
        once = find_by_former_surname(self.federation, set().union(*near.values()))
        same_day = self._same_birth_and_first_name(entries) if whole else {}
        for entry in entries:
            named = {pk for key in filed[entry.number] for other in near[key] for pk in once.get(other, ())}
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
        born: dict[str, list[tuple[int, list[str]]]] = defaultdict(list)
        for pk, day, first_name in rows.values_list("pk", "birth_date__day", "first_name_key"):
            born[day.isoformat()].append((pk, first_name.split()))
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
        return first_name_evidence(filed, known) in ("first-name", "first-name-alike")
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
    players = register.players.select_related("birth_date", "region")
    exact = Q(number=q.strip()) | Q(identifiers__value__in=id_spellings(q.strip()))
    found = {player.pk: player for player in players.filter(exact).distinct()[:MOST_ROWS_READ]}
    if not any(part.isdecimal() for part in parts):
        named = players.named(q, inside_too=True).likeliest_first(q)[:MOST_ROWS_READ]
        found |= {player.pk: player for player in named}
        if len(found) < MOST_RESULTS:
            found |= {player.pk: player for player in _find_similar(register, parts)}
    fitting = list(found.values())
    register.learn(fitting)
    judged = [register.judge(entry, player) for player in fitting]
    return sorted(judged, key=lambda c: (-c.score, c.player.sort_key, c.player.number))[:MOST_RESULTS]


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
    return any(one == other or fuzz.ratio(one, other) >= SIMILAR_RATIO for one in own for other in known)


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
