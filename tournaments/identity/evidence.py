"""Evidence for and against that an entry is a player of the register."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from players.register.models import Player
from players.register.name_folding import fold, sound, words
from tournaments.events.models import Entry
from tournaments.identity.id_kinds import (
    NUMBER,
    Id,
    ids_of,
    is_nameless,
    is_of_kind,
    is_provisional,
    nearly,
    spellings,
)

ALIKE = 85  # of 100: two spellings of one name
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
        return _whole_name_evidence(entry, player)
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


def _whole_name_evidence(entry: Entry, player: Player | _BorneName) -> list[str]:
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
    first_name = words(player.first_name)
    if first_name and set(first_name) < set(filed):
        surname = "".join(word for word in filed if word not in first_name)
        told = "surname-alike" if whole else _surname_evidence(surname, player.name_key)
        return [told, *(["first-name"] if told != "surname-differs" else [])]
    return ["surname-alike", "first-name-alike"] if whole else ["surname-differs"]


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
