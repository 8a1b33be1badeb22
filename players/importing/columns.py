"""Reads the headings of a table: which column holds which of a player's particulars."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from players.importing.problem_messages import RowProblem

WHOLE_NAME = "name"
"""`Surname, First name` in one column."""
SPELLINGS: dict[str, tuple[str, ...]] = {
    "number": (
        *("number", "no", "id", "id no", "id number", "unique no", "national id", "player", "identnr"),
        *("ident", "csa id", "relatienummer", "national no", "nat id", "licence"),
    ),
    "surname": ("surname", "last name", "lastname", "family name", "nachname"),
    "first_name": ("first name", "firstname", "given name", "forename", "vorname"),
    WHOLE_NAME: ("name", "full name", "naam"),
    "sex": ("sex", "gender", "geschlecht"),
    "birth": (
        *("birth", "birth date", "birthdate", "date of birth", "dob", "bdate", "birthday", "b day", "born"),
        *("year of birth", "birth year", "yob", "geburt", "geboren"),
    ),
    "nation": ("nation", "country", "nationality"),
    "resident": ("resident",),
    "included_by": ("included by",),
    "region": ("region", "province", "region code"),
    "title": ("title", "tit", "titl", "titel"),
}
NATION_OR_REGION = ("fed", "federation", "land")
"""Headings under which most lists have a nation, and a federation's own list a region."""
_CLUBS = ("club", "clubname", "club name", "clubno", "clubnumber", "club number")
PERHAPS_REGION = (*_CLUBS, "group", "typ", "type")
"""Headings of programs that know no regions: a federation may write its own there."""
_RATINGS = ("rating", "ratings", "rtg", "rtg nat", "rtg int", "rapid", "blitz", "standard", "elo", "elonat")
_RATINGS_OF_LISTS = ("eloint", "srtng", "rrtng", "brtng", "rapid rating", "blitz rating", "icu rating")
_GAMES = ("games", "gms", "sgm", "rgm", "bgm", "rapid games", "blitz games", "sk", "rk", "bk", "k")
NOT_TAKEN = (*_RATINGS, *_RATINGS_OF_LISTS, *_GAMES, "withheld")
"""Columns that are known and never taken in: a rating follows from the journal alone."""
IDENTIFIER = "_id"
FIDE = "fide"
_FIDE = ("fide id", "fide", "fide no", "fideid", "fide number", "fideident", "fide ident")
FIDE_LIST = frozenset({"id number", "flag"})
"""Headings by which a list is one of FIDE's, whose numbers are FIDE's."""
_BY_HEADING = {spelling: name for name, spellings in SPELLINGS.items() for spelling in spellings}


@dataclass(frozen=True, slots=True)
class ReadColumns:
    """The columns that are read of a table, by position (`places`), and remarks on the others."""

    places: dict[int, str]
    notices: tuple[RowProblem, ...] = ()


def identifier(kind: str) -> str:
    """The column for a kind of ids that others gave the players: `fide` → `fide_id`."""
    return f"{kind}{IDENTIFIER}"


def kind_of(column: str) -> str:
    """The kind of ids, given by others, that a column holds: `fide_id` → `fide`; empty for other columns."""
    return column.removesuffix(IDENTIFIER) if column.endswith(IDENTIFIER) else ""


@dataclass(frozen=True, slots=True)
class HeadingReader:
    """Tells what a table's columns hold by their headings, and where those leave it open by what stands in
    them.
    """

    kinds: Collection[str]
    """The kinds of ids given by others, each of which has a column."""
    regions: Collection[str] = ()
    """The codes and names of the office's regions, in small letters."""
    taken: Mapping[str, str] = field(default_factory=dict)
    """Further columns that this table may have, by heading."""

    def read(
        self, head: Sequence[str], samples: Sequence[Sequence[str]] = (), *, own_numbers: bool = False
    ) -> ReadColumns | RowProblem:
        """Find the column of each heading; a problem where the headings cannot be used. `samples`: a few
        rows; `own_numbers`: their first cells are numbers of this office, even in FIDE's layout.
        """
        names = [self._name(text, _held(samples, at)) for at, text in enumerate(head)]
        if {heading(text) for text in head} >= FIDE_LIST and not own_numbers:
            names = [identifier(FIDE) if name == "number" else name for name in names]
        if "surname" in names:
            names = ["" if name == WHOLE_NAME else name for name in names]
        places: dict[int, str] = {}
        for at, (text, name) in enumerate(zip(head, names, strict=True)):
            if name and name in places.values():
                return RowProblem("column-twice", params={"column": text[:40]})
            if name:
                places[at] = name
        problem = missing(places.values())
        return problem or ReadColumns(
            places, _notices(text for at, text in enumerate(head) if at not in places)
        )

    def _name(self, text: str, held: Collection[str]) -> str:
        said = heading(text)
        if said in self.taken:
            return self.taken[said]
        if said in (*NATION_OR_REGION, *PERHAPS_REGION):
            if held and {value.casefold() for value in held} <= set(self.regions):
                return "region"
            return "nation" if said in NATION_OR_REGION else ""
        return self._ids().get(said) or _BY_HEADING.get(said, "")

    def _ids(self) -> dict[str, str]:
        known = dict.fromkeys(_FIDE, identifier(FIDE))
        for kind in self.kinds:
            said = heading(kind)
            known |= dict.fromkeys((f"{said} id", f"{said} number", f"{said} no"), identifier(kind))
        return known


def _held(samples: Sequence[Sequence[str]], at: int) -> set[str]:
    return {row[at] for row in samples if at < len(row) and row[at]}


def _notices(left_out: Iterable[str]) -> tuple[RowProblem, ...]:
    """One remark for each reason for which columns are left out, with their headings."""
    told: dict[str, list[str]] = defaultdict(list)
    for text in filter(None, left_out):
        said = heading(text)
        key = "column-not-taken" if said in NOT_TAKEN else "column-unknown"
        told["column-doubled" if said in SPELLINGS[WHOLE_NAME] else key].append(f"“{text[:40]}”")
    return tuple(RowProblem(key, params={"column": ", ".join(texts)}) for key, texts in told.items())


def missing(names: Collection[str]) -> RowProblem | None:
    """Tell why columns of these names cannot be a register's; None: they can."""
    if not names:
        return RowProblem("no-header")
    if {WHOLE_NAME, "surname"} <= set(names):
        return RowProblem("name-twice")
    named = {"number", "surname", WHOLE_NAME}.intersection(names) or any(map(kind_of, names))
    return None if named else RowProblem("nobody-named")


def heading(text: str) -> str:
    """Bring a heading into the form in which headings are compared: `First_Name` is `first name`."""
    return " ".join(re.sub(r"[_.\-]+", " ", text).split()).casefold()
