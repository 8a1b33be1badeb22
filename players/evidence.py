"""The weighing of evidence that two notes of a person, a file's or a register's, are of one.

Matching, moving in, searches of staff and likely doubles weigh by `weigh`; each names what counts as a key of
`WEIGHTS`, for and against, and decides by the properties of `Candidate`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from rapidfuzz import fuzz

from players.names import Likeness, compare, fold, fold_words, get_sounds
from ratings.rulesets.particulars import is_same_nation

if TYPE_CHECKING:
    from players.models import Player

# ---- Weights
ID_OF_ANOTHER = "id-of-another"
WEIGHTS: Mapping[str, int] = {
    "number": 60,
    "identifier": 60,
    "handle": 60,
    "id-nearly": 15,
    "id-provisional": 30,
    "birth-date": 35,
    "born": 20,
    "surname": 20,
    "surname-spelt": 15,
    "surname-alike": 10,
    "surname-nearly": 8,
    "former-surname": 12,
    "first-name": 20,
    "initials": 10,
    "first-name-alike": 8,
    "first-name-nearly": 6,
    "names-swapped": 30,
    "nation": 5,
    "club": 10,
    "rating": 5,
    "sex-differs": -15,
    "born-differs": -25,
    "day-differs": -10,
    "nation-differs": -10,
    "first-name-differs": -15,
    "surname-differs": -15,
    "id-differs": -20,
    "deceased": -10,
    "rating-differs": -5,
    ID_OF_ANOTHER: -30,
}
"""The weights of evidence for ranking candidates; certainty is not a sum (`Candidate.is_certain`)."""
AGAINST = frozenset(key for key, weight in WEIGHTS.items() if weight < 0)
IDS = {"number", "identifier", "handle", "id-provisional"}
SURNAME_SLIP = "surname-nearly"
FORMER = "former-surname"
"""A former surname of the player: certain only with an id, because another person may have it today."""
DIFFERENT_BIRTHS = {"born-differs", "day-differs"}
SURNAMES = {"surname", "surname-spelt", "surname-alike", "names-swapped"}
SAME_SURNAME = {"surname", "surname-spelt", "names-swapped"}
FIRST_NAMES = {"first-name", "initials", "first-name-alike", "first-name-nearly", "names-swapped"}
BIRTHS = {"born", "birth-date"}
DOUBTFUL_EVIDENCE = {
    *("sex-differs", "id-differs", ID_OF_ANOTHER, "id-nearly", "id-provisional"),
    *("first-name-differs", "deceased"),
    *DIFFERENT_BIRTHS,
}
"""Evidence with which a person always decides: a twin has the same surname and birth."""
EVIDENCE_LABELS: Mapping[str, Promise] = {
    "number": gettext_lazy("this register's number"),
    "identifier": gettext_lazy("same id of another register"),
    "handle": gettext_lazy("same name on the platform"),
    "id-nearly": gettext_lazy("id nearly the same"),
    "id-provisional": gettext_lazy("same id, once a provisional one"),
    "birth-date": gettext_lazy("same date of birth"),
    "born": gettext_lazy("same year of birth"),
    "surname": gettext_lazy("same surname"),
    "surname-spelt": gettext_lazy("same surname, spelt otherwise"),
    "surname-alike": gettext_lazy("similar surname"),
    "surname-nearly": gettext_lazy("surname nearly the same"),
    "first-name": gettext_lazy("same first name"),
    "initials": gettext_lazy("initials fit"),
    "first-name-alike": gettext_lazy("similar first name"),
    "first-name-nearly": gettext_lazy("first name nearly the same"),
    "former-surname": gettext_lazy("the surname was this before"),
    "names-swapped": gettext_lazy("surname and first name swapped"),
    "nation": gettext_lazy("same nation"),
    "club": gettext_lazy("same club"),
    "rating": gettext_lazy("rating nearly the same"),
    "sex-differs": gettext_lazy("other sex"),
    "born-differs": gettext_lazy("other birth"),
    "day-differs": gettext_lazy("same year of birth, another day"),
    "nation-differs": gettext_lazy("other nation"),
    "first-name-differs": gettext_lazy("other first name"),
    "surname-differs": gettext_lazy("other surname"),
    "id-differs": gettext_lazy("other id"),
    "deceased": gettext_lazy("died, as the register says"),
    "rating-differs": gettext_lazy("quite another rating"),
    "id-of-another": gettext_lazy("the id is another player’s"),
}


def total(evidence: Iterable[str]) -> int:
    return sum(WEIGHTS[key] for key in evidence)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A player of the register whom a note of a person may mean, with the evidence."""

    player: Player
    evidence: tuple[str, ...]

    @property
    def score(self) -> int:
        return max(0, min(100, total(self.evidence)))

    @property
    def is_certain(self) -> bool:
        """Whether no person has to decide: an id with name or birth, or the same surname, first name and
        birth; and nothing against it.
        """
        found = set(self.evidence)
        named = {"id-provisional"} if self.has_the_name else set()
        if found & DOUBTFUL_EVIDENCE - named:
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
        return has_the_name(self.evidence)

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
        if "initials" in found and found & {"surname-spelt", "surname-alike", SURNAME_SLIP}:
            return not found & DIFFERENT_BIRTHS and (SURNAME_SLIP not in found or bool(found & BIRTHS))
        return True


def has_the_name(evidence: Iterable[str]) -> bool:
    """Whether surname and first name are exactly as filed, and the birth does not differ."""
    found = set(evidence)
    return {"surname", "first-name"} <= found and not found & DIFFERENT_BIRTHS


def can_be_suggested(evidence: Iterable[str]) -> bool:
    """Whether the name fits in some spelling, order or time, and nothing is against it."""
    found = set(evidence)
    first_name = found & {"first-name", "first-name-alike", "names-swapped"}
    named = first_name and found & {*SAME_SURNAME, FORMER}
    return bool(found & IDS or named) and not found & {*AGAINST, "id-nearly"}


def may_be_one(evidence: Collection[str]) -> bool:
    """Whether two entries of a register with this evidence are likely doubles."""
    found = set(evidence)
    if found & {*DIFFERENT_BIRTHS, "sex-differs", "id-differs"}:
        return False
    if "names-swapped" in found:
        return True
    if found & {"first-name", "first-name-alike"}:
        return bool(found & {*SURNAMES, SURNAME_SLIP, FORMER, "birth-date"})
    return {"surname", "birth-date"} <= found and "first-name-differs" not in found


# ---- What is weighed
class FoldedName(NamedTuple):
    """A name for comparison."""

    key: str
    """The folded surname; the whole name if it is not divided."""
    words: tuple[str, ...]
    """The words of the surname."""
    first: tuple[str, ...]
    """The words of the first name."""


@lru_cache(maxsize=8192)
def fold_name(surname: str, first_name: str) -> FoldedName:
    return FoldedName(fold(surname), fold_words(surname), fold_words(first_name))


class Described(NamedTuple):
    """What a file or a register says of a person; empty values are unknown."""

    names: Sequence[FoldedName]
    """The name, and former ones after it; none if an id stands for the name."""
    birth: str = ""
    """`2010-05-03` or `2010`."""
    sex: str = ""
    nation: str = ""
    club: str = ""
    rating: int | None = None
    deceased: bool = False


def weigh(filed: Described, known: Described, *, ids: Iterable[str] = ()) -> tuple[str, ...]:
    """All evidence on whether two notes are of one person; `ids`: the evidence by ids."""
    birth = _birth_evidence(filed.birth, known.birth)
    name = name_evidence(filed.names, known.names, same_birth="birth-date" in birth)
    return (*ids, *name, *birth, *_further_evidence(filed, known))


def _birth_evidence(filed: str, known: str) -> list[str]:
    if not filed or not known:
        return []
    if filed[:4] != known[:4]:
        return ["born-differs"]
    if len(filed) == len(known) == len("2010-05-03"):
        return ["birth-date" if filed == known else "day-differs"]
    return ["born"]


FAR_RATING, NEAR_RATING = 400, 50
"""The points by which the ratings of one person may differ, and those up to which they speak for one."""


def _further_evidence(filed: Described, known: Described) -> Iterator[str]:
    """Evidence of sex, nation, club, rating and death."""
    if known.deceased:
        yield "deceased"
    if filed.sex and known.sex and filed.sex != known.sex:
        yield "sex-differs"
    if filed.nation and known.nation:
        yield "nation" if is_same_nation(filed.nation, known.nation) else "nation-differs"
    if filed.club and known.club and fold(filed.club) == fold(known.club):
        yield "club"
    if filed.rating and known.rating:
        apart = abs(filed.rating - known.rating)
        if apart <= NEAR_RATING or apart > FAR_RATING:
            yield "rating" if apart <= NEAR_RATING else "rating-differs"


# ---- Names
def sounds_of_names(names: Iterable[FoldedName]) -> set[tuple[str, ...]]:
    """Surname and first name of each name as they sound, in every reading, whichever stands first: names that
    are spellings of one another have one in common.
    """
    pairs = (product(get_sounds(each.key), get_sounds("".join(each.first[:1]))) for each in names)
    return {tuple(sorted(pair)) for each in pairs for pair in each}


SIMILAR_FIRST_NAME = 70  # of 100


def name_evidence(
    filed: Sequence[FoldedName], known: Sequence[FoldedName], *, same_birth: bool = False
) -> list[str]:
    """Evidence by names. Former ones are used if today's say less; `same_birth`: the whole date is the same,
    so that a first name counts with any surname.
    """
    if not filed or not known:
        return []
    today = _compare_names(filed[0], known[0])
    if SAME_SURNAME & set(today):
        return today
    for one, other in list(product(filed, known))[1:]:
        once = _compare_names(one, other)
        if SAME_SURNAME & set(once):
            return [FORMER, *(key for key in once if key not in ("surname", "surname-spelt"))]
    if same_birth and not filed[0].first and today == ["surname-differs"]:
        own = set(known[0].first)
        return [*today, *(["first-name"] if own and own <= set(filed[0].words) else [])]
    return today


def _compare_names(filed: FoldedName, known: FoldedName) -> list[str]:
    """Evidence by one name each: by their parts if both are divided, else by each way to divide them."""
    if not filed.first and known.first:
        return _compare_undivided(filed.words, known)
    if not known.first and filed.first and len(known.words) > 1:
        return _compare_undivided(known.words, filed)
    return _compare_divided(filed, known)


def _compare_undivided(words: tuple[str, ...], known: FoldedName) -> list[str]:
    if sorted(words) == sorted((*known.words, *known.first)):
        return ["surname", "first-name"]
    rest = list(words)
    for word in known.words:
        if word not in rest:
            break
        rest.remove(word)
    else:
        return [*filter(None, ("surname", first_name_evidence(rest, known.first)))]
    parted = [(words[:at], words[at:]) for at in range(1, len(words))]
    ways = [(words, ()), *parted, *((last, first) for first, last in parted)]
    found = (_compare_divided(FoldedName("".join(own), own, first), known) for own, first in ways)
    return max(found, key=total)


def _compare_divided(filed: FoldedName, known: FoldedName) -> list[str]:
    surname = compare(filed.key, known.key)
    if surname < Likeness.SAME and filed.first and known.first:
        crossed = compare("".join(filed.first), known.key), compare(filed.key, "".join(known.first))
        if min(crossed) >= Likeness.SPELLING:
            return ["names-swapped"]
        if sorted((*filed.words, *filed.first)) == sorted((*known.words, *known.first)):
            return ["surname-spelt", "first-name-alike"]  # divided elsewhere
    first = first_name_evidence(filed.first, known.first)
    return [SURNAME_EVIDENCE[surname], *([first] if first else [])]


SURNAME_EVIDENCE = {
    Likeness.SAME: "surname",
    Likeness.SPELLING: "surname-spelt",
    Likeness.SIMILAR: "surname-alike",
    Likeness.SLIPS: SURNAME_SLIP,
    Likeness.NONE: "surname-differs",
}


def first_name_evidence(filed: Sequence[str], known: Sequence[str]) -> str:
    """Evidence by the words of first names: same, initials (`TJ` of `Thabo John`), alike, nearly the same, or
    different; empty if one is missing.
    """
    if not filed or not known:
        return "initials" if not filed and not known else ""
    if tuple(filed) == tuple(known):
        return "first-name"
    if len(filed[0]) > 1 and filed[0] == known[0]:
        return "first-name" if _prefixes_agree(filed[1:], known[1:]) else "first-name-alike"
    if _initials(filed, known) or _initials(known, filed):
        return "initials"
    if compare(filed[0], known[0]) == Likeness.SPELLING:
        return "first-name-alike"
    near = compare("".join(filed), "".join(known)) or fuzz.ratio(filed[0], known[0]) >= SIMILAR_FIRST_NAME
    return "first-name-nearly" if near else "first-name-differs"


def _prefixes_agree(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether second names agree as far as both are given: `Jan` and `Jan Petrus`, but not `Jan H.`."""
    return all(a.startswith(b) or b.startswith(a) for a, b in zip(one, other, strict=False))


def _initials(short: Sequence[str], full: Sequence[str]) -> bool:
    letters = "".join(short) if len(short[0]) <= 3 else ""
    first_letters = "".join(word[0] for word in full)
    return bool(letters) and (first_letters.startswith(letters) or letters.startswith(first_letters))
