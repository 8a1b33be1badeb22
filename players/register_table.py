"""Tables of players: reading them, comparing them with the register, and writing the register as one.

A table's headings are mapped to the particulars of a player by guesses or by a person, and `Planner` plans
the effect of each row without writing anything. A table may also bring opening ratings.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from decimal import Decimal
from itertools import chain, islice, repeat
from types import MappingProxyType, SimpleNamespace
from typing import Any, BinaryIO, NamedTuple

from django.db.models import QuerySet
from django.utils.translation import gettext as _, gettext_lazy, gettext_noop
from import_export.fields import Field
from import_export.resources import Resource
from import_export.widgets import Widget

from players.evidence import Described, fold_name, has_the_name, may_be_one, sounds_of_names, total, weigh
from players.models import (
    BirthDate,
    Federation,
    Identifier,
    NamedColumns,
    NameWord,
    Player,
    Region,
    RegisterImport,
    RegisterLine,
)
from players.names import LONGEST_SEARCH, fold, sound_search_keys
from players.register import get_former_names
from players.writing import batches
from ratings.rulesets import facts
from ratings.rulesets.downloads import (
    BYTE_ORDER_MARK,
    disarm_cell,
    english_heading,
    single_line,
    write_csv,
    write_workbook,
)
from ratings.rulesets.facts import Opening
from ratings.rulesets.journal_lines import plain
from ratings.rulesets.particulars import (
    SEXES,
    can_be_registered,
    is_birth_given,
    is_same_nation,
    nation_code,
)
from tournaments.box import BoxDied


# ---- Problems of a table and its rows
@dataclass(frozen=True, slots=True)
class RowProblem:
    """A problem of a cell, row or table, or a notice: its key in `MESSAGES`, and the values for its words."""

    key: str
    column: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {"column": self.column, "key": self.key, "params": dict(self.params)}


MESSAGES: Mapping[str, str] = {
    # Of rows and cells.
    "number-unknown": gettext_noop(
        "Nobody in the register has the number %(number)s. Correct it, or leave it empty for a new player."
    ),
    "number-merged": gettext_noop("%(number)s was merged into %(other)s. Write that number instead."),
    "number-odd": gettext_noop("A number has up to 30 letters of the English alphabet, digits, -, . or _."),
    "somebody-else": gettext_noop(
        "%(number)s is %(name)s, born %(birth)s: neither this surname nor this birth. Correct the number."
    ),
    "surname-missing": gettext_noop("A new player needs a surname."),
    "twice": gettext_noop("Row %(first)s is the same player already. Remove one of the two rows."),
    "id-twice": gettext_noop("Row %(first)s has the same id already. Remove it from one of the two rows."),
    "id-of-another": gettext_noop(
        "“%(value)s” belongs to %(other)s in the register. Correct the id, or merge the two entries first."
    ),
    "alike": gettext_noop(
        "%(other)s in the register may be this player, by name and birth. Write that number, or “new” for "
        "somebody else."
    ),
    "birth-not-read": gettext_noop("“%(text)s” is not a date of birth. Write 2010-05-03, or the year only."),
    "birth-not-likely": gettext_noop("Nobody born %(text)s can be in a register. Check the year."),
    "sex-not-read": gettext_noop("“%(text)s” cannot be read. Write m or f."),
    "nation-not-read": gettext_noop(
        "“%(text)s” is not a country's code. Write three letters, such as %(example)s."
    ),
    "resident-not-read": gettext_noop("“%(text)s” cannot be read. Write yes or no."),
    "region-unknown": gettext_noop(
        "There is no region “%(text)s”. Write the code of a region of this office."
    ),
    "too-long": gettext_noop("This is longer than %(most)s characters."),
    "cell-too-long": gettext_noop("This cell is longer than %(most)s characters."),
    "name-too-long": gettext_noop("Surname and first name together are longer than %(most)s characters."),
    "cannot-be-emptied": gettext_noop(
        "This value cannot be removed. Leave the cell empty to keep the value in the register."
    ),
    "odd-character": gettext_noop("There is an invisible character here (%(code)s). Type the text again."),
    "rating-not-read": gettext_noop("“%(text)s” is not a rating. Write digits, such as 1712.5."),
    "rating-decimals": gettext_noop(
        "%(text)s has more decimals than the %(most)s with which a rating is kept. Round it."
    ),
    "opening-twice": gettext_noop(
        "This player has an opening rating already, in line %(line)s of the journal. There is one at most."
    ),
    "games-not-read": gettext_noop("“%(text)s” is not a number of games."),
    "games-missing": gettext_noop(
        "How many games were counted before? Add a column, or give a number for all of them below."
    ),
    "several-alike": gettext_noop(
        "Several players in the register have this name: %(others)s. Write the number, or “new”."
    ),
    "row-too-long": gettext_noop("The row has more cells than there are headings (%(width)s)."),
    "line-not-read": gettext_noop("This line names neither a country nor a player: no number and name."),
    "quote-open": gettext_noop(
        "A quotation mark opens in this row and does not close. A cell must end on its own line."
    ),
    # Of tables that are refused.
    "empty": gettext_noop("The file is empty."),
    "too-big": gettext_noop("The file is larger than 30 MB."),
    "is-pdf": gettext_noop("This is a PDF. Save the table as CSV or XLSX."),
    "is-zip": gettext_noop(
        "This ZIP archive does not hold one table alone, or it is damaged. Unpack it, and upload the table "
        "that is in it."
    ),
    "xml-broken": gettext_noop("This list in XML is damaged. Download or export it again."),
    "xml-entities": gettext_noop(
        "This list in XML contains a document type or entities, which no list of players has."
    ),
    "is-archive": gettext_noop(
        "This is a compressed archive. Unpack it, and upload the table that is in it."
    ),
    "is-old-office": gettext_noop(
        "This is an old Excel file, or one that a password locks. Save it as XLSX without a password."
    ),
    "is-picture": gettext_noop("This is a picture. Save the table as CSV or XLSX."),
    "is-swiss-manager": gettext_noop("This is Swiss-Manager's own file, not a table of players."),
    "is-utf16": gettext_noop("This text is saved as UTF-16. Save it as UTF-8."),
    "is-binary": gettext_noop("This is neither a text file nor a workbook. Save the table as CSV or XLSX."),
    "is-web-page": gettext_noop("This is a web page. Save the table as CSV or XLSX."),
    "is-markup": gettext_noop(
        "This is an XML or JSON file, and not a list of FIDE’s. Save the table as CSV or XLSX."
    ),
    "cut-in-character": gettext_noop("The file ends in the middle of a letter: it was cut off."),
    "line-too-long": gettext_noop("This line is longer than %(most)s characters."),
    "too-many-rows": gettext_noop("The table has more than %(most)s rows. Upload it in parts."),
    "too-wide": gettext_noop(
        "The table has more than %(most)s columns. Remove the columns that the register does not have."
    ),
    "no-header": gettext_noop(
        "The first row does not name the columns of a register in words that are known here."
    ),
    "no-ratings": gettext_noop("No column holds ratings. Say which does."),
    "openings-refused": gettext_noop("%(why)s"),
    "nobody-named": gettext_noop(
        "No column says which player a row is about: a number, a surname, or another id."
    ),
    "name-twice": gettext_noop("There is a column “name” and a column “surname”. Leave one of them out."),
    "column-twice": gettext_noop(
        "The column “%(column)s” holds the same as another one. Leave one of them out."
    ),
    "xlsx-broken": gettext_noop("The workbook is damaged. Save it again."),
    "xlsx-locked": gettext_noop("A password locks the workbook. Save it without one."),
    "xlsx-entities": gettext_noop(
        "The workbook contains entity definitions, which no spreadsheet program writes."
    ),
    "xlsx-unpacks-too-big": gettext_noop("The workbook unpacks to more than %(most)s MB."),
    "xlsx-too-many-cells": gettext_noop("The workbook has more than %(most)s cells."),
    "xlsx-far-cell": gettext_noop(
        "Cell %(cell)s is not empty, and it is beyond row %(rows)s or column %(columns)s. Delete its content."
    ),
    "xlsx-far-row": gettext_noop("The worksheet has %(row)s rows; at most %(most)s are allowed."),
    "xlsx-formula-without-value": gettext_noop(
        "Cell %(cell)s holds a formula without its value. Paste the values over the formulas, and save."
    ),
    "box-time": gettext_noop("The file took too long to read. Upload it in parts, or as CSV."),
    "box-memory": gettext_noop("The file needs more memory than a table of 150,000 rows. Upload it as CSV."),
    "box-output": gettext_noop("The file holds more text than a register does. Upload it in parts."),
    "box-crash": gettext_noop("The file could not be read. Save it again, or upload it as CSV."),
    "no-room": gettext_noop(
        "There is no room for what was read of the table (%(more)s): of the %(most)s of files that this "
        "office may keep, %(used)s are in use. Ask an administrator of the office to raise the limit in the "
        "settings."
    ),
    "not-written": gettext_noop(
        "The table could not be written, and nothing was changed. Confirm it again; if that fails, tell the "
        "operator."
    ),
    # Notices.
    "column-unknown": gettext_noop("Left out, since they are not known here: %(column)s."),
    "column-not-taken": gettext_noop(
        "Left out, since a table cannot set ratings, or hide players from the public: %(column)s."
    ),
    "column-doubled": gettext_noop(
        "Left out, since surname and first name have columns of their own: %(column)s."
    ),
    "other-nations": gettext_noop(
        "Rows of players of other nations than %(nations)s are left out: %(count)s."
    ),
    "not-in-register": gettext_noop(
        "Rows of players whom the register does not have are left out: %(count)s."
    ),
    "sheet-left-out": gettext_noop("The worksheet “%(sheet)s” is left out: only the first is read."),
    "xlsx-hidden-sheet": gettext_noop("The hidden worksheet “%(sheet)s” is left out."),
    "encoding-guessed": gettext_noop(
        "The file is not UTF-8, so it was read as %(encoding)s. Check the names, such as “%(sample)s”."
    ),
}

LABELS: Mapping[str, Any] = {
    "rating": gettext_lazy("rating"),
    "games": gettext_lazy("games"),
    "number": gettext_lazy("number"),
    "surname": gettext_lazy("surname"),
    "first_name": gettext_lazy("first name"),
    "name": gettext_lazy("name"),
    "sex": gettext_lazy("sex"),
    "birth": gettext_lazy("birth"),
    "nation": gettext_lazy("nation"),
    "resident": gettext_lazy("resident"),
    "included_by": gettext_lazy("included by"),
    "region": gettext_lazy("region"),
    "title": gettext_lazy("title"),
}


def label(column: str) -> str:
    """The name of a column for people, such as `surname` or `FIDE id`."""
    if column in LABELS:
        return str(LABELS[column])
    kind = column.removesuffix("_id")
    return _("%(kind)s id") % {"kind": "FIDE" if kind == "fide" else kind} if kind else ""


def describe_problem(problem: Mapping[str, Any]) -> str:
    """The sentence of a stored problem, reason or notice, with its line if it has one."""
    words, line = _(MESSAGES[problem["key"]]) % problem.get("params", {}), problem.get("line")
    return _("Row %(line)s: %(words)s") % {"line": line, "words": words} if line else words


def describe_unlikely_birth(birth: str) -> str:
    """The sentence on a birth that nobody in a register can have."""
    return describe_problem({"key": "birth-not-likely", "params": {"text": birth}})


# ---- Headings of a table
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
"""Headings of a nation in most lists, and of a region in a federation's own list."""
_CLUBS = ("club", "clubname", "club name", "clubno", "clubnumber", "club number")
POSSIBLE_REGION_HEADINGS = (*_CLUBS, "group", "typ", "type")
"""Headings of programs without regions, under which a federation may write its regions."""
_RATINGS = ("rating", "ratings", "rtg", "rtg nat", "rtg int", "rapid", "blitz", "standard", "elo", "elonat")
_RATINGS_OF_LISTS = ("eloint", "srtng", "rrtng", "brtng", "rapid rating", "blitz rating", "icu rating")
_GAME_COLUMNS = ("games", "gms", "sgm", "rgm", "bgm", "rapid games", "blitz games", "sk", "rk", "bk", "k")
IGNORED_HEADINGS = (*_RATINGS, *_RATINGS_OF_LISTS, *_GAME_COLUMNS, "withheld")
"""Columns that are never imported: a rating follows from the journal alone."""
ID_SUFFIX = "_id"
FIDE = "fide"
_FIDE = ("fide id", "fide", "fide no", "fideid", "fide number", "fideident", "fide ident")
FIDE_LIST_HEADINGS = frozenset({"id number", "flag"})
"""Headings that only FIDE's lists have: their numbers are FIDE ids."""
_COLUMN_BY_HEADING = {spelling: name for name, spellings in SPELLINGS.items() for spelling in spellings}


ReadColumns = tuple[dict[int, str], tuple[RowProblem, ...]]
"""The columns of a table by position, and remarks on those left out."""


def id_column(kind: str) -> str:
    """The column of a kind of ids given by others: `fide` → `fide_id`."""
    return f"{kind}{ID_SUFFIX}"


def column_id_kind(column: str) -> str:
    """The kind of ids in a column: `fide_id` → `fide`; empty for other columns."""
    return column.removesuffix(ID_SUFFIX) if column.endswith(ID_SUFFIX) else ""


def read_headings(
    head: Sequence[str],
    samples: Sequence[Sequence[str]] = (),
    *,
    kinds: Collection[str],
    regions: Collection[str] = (),
    taken: Mapping[str, str] | None = None,
    own_numbers: bool = False,
) -> ReadColumns | RowProblem:
    """Find the column of each heading, or a problem. `samples`: a few rows, for headings that are ambiguous;
    `kinds`: of ids given by others; `regions`: the case-folded codes and names of the office's regions;
    `taken`: further columns of this table, by heading; `own_numbers`: whether the first cells are numbers of
    this office, even in FIDE's layout.
    """
    known = _COLUMN_BY_HEADING | dict.fromkeys(_FIDE, id_column(FIDE))
    for kind in kinds:
        name = normalize_heading(kind)
        known |= dict.fromkeys((f"{name} id", f"{name} number", f"{name} no"), id_column(kind))
    known |= taken or {}
    names = []
    for at, text in enumerate(head):
        normal = normalize_heading(text)
        name = known.get(normal, "")
        nation_or_region = normal in NATION_OR_REGION or english_heading(text) == "nation"
        if (nation_or_region or normal in POSSIBLE_REGION_HEADINGS) and normal not in (taken or {}):
            values = {row[at].casefold() for row in samples if at < len(row) and row[at]}
            name = "nation" if nation_or_region else ""
            name = "region" if values and values <= set(regions) else name
        names.append(name)
    if {normalize_heading(text) for text in head} >= FIDE_LIST_HEADINGS and not own_numbers:
        names = [id_column(FIDE) if name == "number" else name for name in names]
    if "surname" in names:
        names = ["" if name == WHOLE_NAME else name for name in names]
    places: dict[int, str] = {}
    for at, (text, name) in enumerate(zip(head, names, strict=True)):
        if name and name in places.values():
            return RowProblem("column-twice", params={"column": text[:40]})
        if name:
            places[at] = name
    problem = find_columns_problem(places.values())
    return problem or (places, _notices(text for at, text in enumerate(head) if at not in places))


def _notices(left_out: Iterable[str]) -> tuple[RowProblem, ...]:
    """One remark for each reason for which columns are left out, with their headings."""
    texts_by_key: dict[str, list[str]] = defaultdict(list)
    for text in filter(None, left_out):
        normal = normalize_heading(text)
        key = "column-not-taken" if normal in IGNORED_HEADINGS else "column-unknown"
        texts_by_key["column-doubled" if normal in SPELLINGS[WHOLE_NAME] else key].append(f"“{text[:40]}”")
    return tuple(RowProblem(key, params={"column": ", ".join(texts)}) for key, texts in texts_by_key.items())


def find_columns_problem(names: Collection[str]) -> RowProblem | None:
    """Why a table with these columns cannot be used; None if it can."""
    if not names:
        return RowProblem("no-header")
    if {WHOLE_NAME, "surname"} <= set(names):
        return RowProblem("name-twice")
    named = {"number", "surname", WHOLE_NAME}.intersection(names) or any(map(column_id_kind, names))
    return None if named else RowProblem("nobody-named")


def normalize_heading(text: str) -> str:
    """Normalize a heading for comparison: `First_Name` and `Jméno` → `first name`. One of numbers stays
    as it is: they may be the rows'.
    """
    english = english_heading(text)
    return english if english not in ("", "number") else _plain(text)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[_.\-]+", " ", text).split()).casefold()


# ---- Columns as fields of django-import-export
#
# Its own import is not used: it would write row by row, and take some faults for values.
_NUMBER = re.compile(r"[-.\w]{1,30}", re.ASCII)
_BIRTHS = (
    re.compile(r"(?P<year>[0-9]{4})([-/.](?P<month>[0-9]{1,2})[-/.](?P<day>[0-9]{1,2}))?"),
    re.compile(r"(?P<day>[0-9]{1,2})[-.](?P<month>[0-9]{1,2})[-.](?P<year>[0-9]{4})"),
    re.compile(r"(?P<day>1[3-9]|2[0-9]|3[01])/(?P<month>[0-9]{1,2})/(?P<year>[0-9]{4})"),
)
_YEAR_ALONE = re.compile(r"([0-9]{4})/(0?1/0?1|00/00)")
"""How rating lists write a year without a day."""
_NO_DATE = re.compile(r"0+([-/.]0+)*")
"""How rating lists and pairing programs write no date."""


class CellUnreadable(ValueError):
    """A cell that does not fit its column: a key of `MESSAGES`, and the values for its words."""

    def __init__(self, key: str, **params: Any) -> None:
        super().__init__(key)
        self.key, self.params = key, params


class TextWidget(Widget):
    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def clean(self, value: str, row: Any = None, **kwargs: Any) -> str:
        if len(value) > self.most:
            raise CellUnreadable("too-long", most=self.most)
        return value

    def render(self, value: Any, obj: Any = None, **kwargs: Any) -> str:
        return "" if value is None else str(value)


class Number(TextWidget):
    def clean(self, value: str, row: Any = None, **kwargs: Any) -> str:
        if not _NUMBER.fullmatch(value):
            raise CellUnreadable("number-odd")
        return value


class ExternalIdWidget(TextWidget):
    """An id given by others, of `digits` digits; a zero that a spreadsheet removed is restored."""

    def __init__(self, digits: int) -> None:
        super().__init__(60)
        self.digits = digits

    def clean(self, value: str, row: Any = None, **kwargs: Any) -> str:
        lost = value.isdecimal() and len(value) == self.digits - 1
        return super().clean(f"0{value}" if lost else value)


class Capitals(TextWidget):
    def clean(self, value: str, row: Any = None, **kwargs: Any) -> str:
        return super().clean(value.upper())


class Sex(TextWidget):
    def clean(self, value: str, row: Any = None, **kwargs: Any) -> str:
        if value and value.casefold() not in SEXES:
            raise CellUnreadable("sex-not-read", text=value[:40])
        return SEXES[value.casefold()] if value else ""


class Nation(TextWidget):
    """A nation in any spelling; the office's own in its own code."""

    def __init__(self, country: str) -> None:
        super().__init__(3)
        self.country = country

    def clean(self, value: str, row: Any = None, **kwargs: Any) -> str:
        nation = nation_code(value, self.country)
        if value and not nation:
            raise CellUnreadable("nation-not-read", text=value[:40], example=self.country)
        return nation


class YesNo(Widget):
    SPELLINGS = {"yes": True, "y": True, "1": True, "true": True}
    SPELLINGS |= {"no": False, "n": False, "0": False, "false": False}

    def clean(self, value: str, row: Any = None, **kwargs: Any) -> bool:
        if value.casefold() not in self.SPELLINGS:
            raise CellUnreadable("resident-not-read", text=value[:40])
        return self.SPELLINGS[value.casefold()]

    def render(self, value: bool, obj: Any = None, **kwargs: Any) -> str:
        return "yes" if value else "no"


class Birth(TextWidget):
    """A birth as precise as known: `2010-05-03` or `2010`."""

    def __init__(self, on: date) -> None:
        super().__init__(10)
        self.on = on

    def clean(self, value: str, row: Any = None, **kwargs: Any) -> str:
        if not value:
            return ""
        birth = parse_birth(value)
        if birth is None:
            raise CellUnreadable("birth-not-read", text=value[:40])
        if not can_be_registered(birth, self.on):
            raise CellUnreadable("birth-not-likely", text=birth)
        return birth


def parse_birth(text: str) -> str | None:
    """Parse a birth into `2010-05-03` or `2010` (`2010/00/00`, `2010/01/01` in lists); None if invalid."""
    text = _YEAR_ALONE.sub(r"\1", text)
    found = next(filter(None, (pattern.fullmatch(text) for pattern in _BIRTHS)), None)
    if found is None:
        return None
    year, month, day = (int(found[part] or 0) for part in ("year", "month", "day"))
    if not month and not day:
        return f"{year:04}"
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


class RegionCode(Widget):
    """A region by its code or name, in any case."""

    def __init__(self, regions: Iterable[Region]) -> None:
        super().__init__()
        self.codes = {region.pk: region.code for region in regions}
        self.keys = {region.name.casefold(): region.pk for region in regions}
        self.keys |= {region.code.casefold(): region.pk for region in regions}

    def clean(self, value: str, row: Any = None, **kwargs: Any) -> int | None:
        if value and value.casefold() not in self.keys:
            raise CellUnreadable("region-unknown", text=value[:40])
        return self.keys[value.casefold()] if value else None

    def render(self, value: int | None, obj: Any = None, **kwargs: Any) -> str:
        return self.codes[value] if value else ""


class RegisterResource(Resource):
    """The columns of the register as a table. `on`: the day on which births have to be possible."""

    number = Field("number", "number", Number(30))
    surname = Field("surname", "surname", TextWidget(100))
    first_name = Field("first_name", "first_name", TextWidget(100))
    sex = Field("sex", "sex", Sex(1))
    birth = Field("birth", "birth")
    nation = Field("nation", "nation")
    resident = Field("resident", "resident", YesNo())
    included_by = Field("included_by", "included_by", TextWidget(100))
    region = Field("region_id", "region")
    title = Field("title", "title", Capitals(5))

    def __init__(self, federation: Federation, *, on: date) -> None:
        super().__init__()
        ruleset = federation.ruleset
        self.fields["birth"].widget = Birth(on)
        self.fields["nation"].widget = Nation(ruleset.country)
        self.fields["region"].widget = RegionCode(list(federation.regions.all()))
        if "included_by" not in ruleset.journal.reads:
            del self.fields["included_by"]
        self.digits = {kind.code: kind.digits for kind in federation.equipment.office.id_kinds}
        self.kinds = get_all_id_kinds(federation)
        self.learn(map(id_column, self.kinds))

    def learn(self, columns: Iterable[str]) -> None:
        """Add a field for each of these columns that holds ids of a new kind."""
        for name in columns:
            if name not in self.fields and (kind := column_id_kind(name)):
                self.fields[name] = Field(f"ids__{kind}", name, ExternalIdWidget(self.digits.get(kind, 0)))

    def read(self, column: str, text: str) -> str:
        """Bring a cell's text into the form in which the column is exported, or raise `CellUnreadable`."""
        widget = self.fields[column].widget
        return str(widget.render(widget.clean(text)))

    def of(self, player: Player, column: str) -> str:
        """A player's value for a column, as it is exported. The player needs `attach_particulars`."""
        return str(self.fields[column].export(player))


def get_used_id_kinds(federation: Federation) -> list[str]:
    """The kinds of ids that an office's players have from others; always including FIDE's."""
    known = Identifier.objects.filter(federation=federation).order_by().values_list("kind", flat=True)
    return sorted({FIDE, *known.distinct()})


def get_all_id_kinds(federation: Federation) -> list[str]:
    """The kinds of ids of an office's players and of its federation's files."""
    offered = (kind.code for kind in federation.equipment.office.id_kinds)
    return sorted({*get_used_id_kinds(federation), *offered})


def attach_particulars(players: Sequence[Player]) -> None:
    """Set the attributes that columns read: `birth`, as precise as known, and `ids` by kind."""
    by_key = {player.pk: player for player in players}
    births = dict(BirthDate.objects.filter(player__in=list(by_key)).values_list("player_id", "day"))
    for key, player in by_key.items():
        attach_empty_particulars(player)
        player.birth = births[key].isoformat() if key in births else str(player.born or "")  # type: ignore[attr-defined]
    held = Identifier.objects.filter(player__in=list(by_key)).order_by("-pk")  # the first of several is kept
    for key, kind, value in held.values_list("player_id", "kind", "value"):
        setattr(by_key[key].ids, kind, value)  # type: ignore[attr-defined]


def attach_empty_particulars(player: Player) -> None:
    """Set the attributes of `attach_particulars` to empty values, for a new player."""
    player.birth, player.ids = "", SimpleNamespace()  # type: ignore[attr-defined]


# ---- Opening ratings
RATING, GAMES = "rating", "games"
"""The columns of opening ratings."""
LISTED_ROWS = 200
"""The number of rows of the resulting list that a person sees."""
_RATING = re.compile(r"[0-9]{1,6}(?:[.,][0-9]+)?")
_GAMES = re.compile(r"[0-9]{1,6}")
_OPENING_COLUMNS = {
    **dict.fromkeys(("rating", "rtg", "rtg nat", "elo", "elonat", "points"), RATING),
    **dict.fromkeys(("games", "gms", "games played", "number of games"), GAMES),
}
"""The columns of opening ratings by heading."""


@dataclass(frozen=True, slots=True)
class OpeningTerms:
    """The list from which opening ratings are taken: its track, day and name."""

    track: str
    on: str
    """The list's day, `2020-06-30`."""
    source: str

    @property
    def day(self) -> date:
        return date.fromisoformat(self.on)

    def as_dict(self) -> dict[str, str]:
        return asdict(self)


class TakenOpening(NamedTuple):
    """A player's rating on the list, and the games counted before."""

    rating: str
    games: int


class OpeningReader:
    """Reads the opening rating of each row, and computes the resulting list."""

    def __init__(
        self,
        federation: Federation,
        terms: OpeningTerms,
        before: Sequence[tuple[int, facts.Opening]],
        games: str = "",
    ) -> None:
        """`before`: the track's openings in the journal with their line numbers. `games`: the default."""
        self.federation, self.terms, self.games = federation, terms, games
        self.kept = federation.ruleset.storage.kept_decimals
        self.before = before
        self.taken = {opening.player: line for line, opening in self.before}
        self.openings: list[tuple[str, str, str, TakenOpening]] = []
        """Of each opening so far: an id for the fold, the player's number and name, rating and games."""

    def read(self, cells: Mapping[str, str], number: str) -> TakenOpening | RowProblem | None:
        """The opening of a row; None if it has no rating. `number`: the player's, empty for a new one."""
        text = cells.get(RATING, "").replace(" ", "")
        if text in ("", "-") or not text.strip("0.,"):
            return None
        if not _RATING.fullmatch(text):
            return RowProblem("rating-not-read", RATING, {"text": text[:40]})
        rating = text.replace(",", ".")
        if len(rating.partition(".")[2]) > self.kept:
            return RowProblem("rating-decimals", RATING, {"text": text[:40], "most": self.kept})
        if number in self.taken:
            return RowProblem("opening-twice", RATING, {"line": self.taken[number]})
        games = cells.get(GAMES, "") or self.games
        if not _GAMES.fullmatch(games):
            return RowProblem("games-not-read" if games else "games-missing", GAMES, {"text": games[:40]})
        return TakenOpening(rating, int(games))

    def add(self, line: int, number: str, name: str, opening: TakenOpening) -> None:
        self.openings.append((number or f"~{line}", number, name, opening))

    def listed(self) -> list[list[Any]]:
        """The resulting list by the rules: rank, number, name, rating and games of the first rows."""
        ruleset, start = self.federation.ruleset, len(self.before) + 1
        numbers = [opening.player for _line, opening in self.before]
        players = Player.objects.of(self.federation).filter(number__in=numbers)
        names = {player.number: (player.number, player.name) for player in players}
        names |= {key: (number, name) for key, number, name, _opening in self.openings}
        folded = [facts.Placed(at, opening) for at, (_line, opening) in enumerate(self.before, 1)]
        folded += [
            facts.Placed(at, opening_fact(self.terms, key, opening))
            for at, (key, *_who, opening) in enumerate(self.openings, start)
        ]
        state: facts.State[Any] = facts.State()
        for _step in ruleset.fold(folded, state):
            pass
        rows = ruleset.rules_on_or_first(self.terms.day).rating_list(state, self.terms.track, self.terms.day)
        return [
            [row.rank, *names.get(row.player, (row.player, "")), plain(row.rating), row.games]
            for row in rows[:LISTED_ROWS]
        ]


def opening_fact(terms: OpeningTerms, player: str, opening: TakenOpening) -> facts.Opening:
    rating = Decimal(opening.rating)
    return facts.Opening(player, terms.track, rating, opening.games, terms.day, terms.source.strip())


# ---- The plan of each row's effect on the register, a page of rows at a time
PAGE_ROWS = 1_000
"""The number of rows that are looked up together."""
REMOVE = "-"
"""A cell that removes a value from the register; an empty cell leaves it."""
NEW = "new"
"""The value of the column `number` for a new player, even if another player has the name."""
LONGEST_NAME = 201
"""The maximum length of surname and first name together in the journal."""
REQUIRED_COLUMNS = frozenset({"number", "surname", "resident", WHOLE_NAME})
"""Columns that cannot be emptied."""
Kind = RegisterLine.Kind


class TableRow(NamedTuple):
    """A line of the file: its cells by column, and problems that the reader found."""

    line: int
    cells: Mapping[str, str]
    problems: tuple[RowProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """The planned effect of one row, as the fields of a `RegisterLine`."""

    line: int
    kind: str
    player: Player | None = None
    number: str = ""
    name: str = ""
    changes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    problems: Sequence[RowProblem] = ()
    opening: Mapping[str, Any] = field(default_factory=dict)

    @property
    def changes_json(self) -> str:
        return json.dumps(self.changes, ensure_ascii=False, separators=(",", ":"))

    @property
    def problems_json(self) -> str:
        problems = [problem.as_dict() for problem in self.problems]
        return json.dumps(problems, ensure_ascii=False, separators=(",", ":"))


class PlanDigest:
    """The digest of all planned rows, which is the same for the same table and register."""

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()

    def add(self, planned: PlannedRow) -> None:
        row = (planned.line, planned.kind, planned.number, planned.changes_json, planned.problems_json)
        opening = (dict(planned.opening),) if planned.opening else ()
        self._sha256.update(repr((*row, *opening)).encode())

    def __str__(self) -> str:
        return self._sha256.hexdigest()


@dataclass(slots=True)
class _Parsed:
    line: int
    values: dict[str, str] = field(default_factory=dict)
    problems: list[RowProblem] = field(default_factory=list)
    insists: bool = False
    """Whether the row says “new”."""
    opening: dict[str, Any] = field(default_factory=dict)

    def fault(self, key: str, column: str = "", **params: Any) -> None:
        self.problems.append(RowProblem(key, column, params))

    @property
    def number(self) -> str:
        return self.values.get("number", "")

    @property
    def ids(self) -> dict[tuple[str, str], str]:
        """The columns of the row's ids, by (kind, value)."""
        pairs = ((column_id_kind(column), column, value) for column, value in self.values.items())
        return {(kind, value): column for kind, column, value in pairs if kind and value}

    @property
    def name(self) -> str:
        return ", ".join(filter(None, (self.values.get("surname", ""), self.values.get("first_name", ""))))

    @property
    def name_key(self) -> tuple[str, str]:
        return fold(self.values.get("surname", "")), fold(self.values.get("first_name", ""))

    @property
    def described(self) -> Described:
        name = fold_name(self.values.get("surname", ""), self.values.get("first_name", ""))
        return Described([name], self.values.get("birth", ""), self.values.get("sex", ""))


@dataclass(frozen=True, slots=True)
class _Known:
    """The players of the register whom a page of rows may mean."""

    by_number: Mapping[str, Player]
    by_id: Mapping[tuple[str, str], Player]
    alike: Mapping[int, Mapping[str, tuple[str, ...]]]
    """Of each row that names somebody without number or known id, by its line: the players who may be meant,
    by number, with the evidence.
    """


def _weigh(filed: Described, known: Described) -> tuple[str, ...]:
    """The evidence; of two names that are one word alone (`Zorro`), as of whole names."""
    evidence = weigh(filed, known)
    alone = not filed.names[0].first and not known.names[0].first
    return (*evidence, "first-name") if alone and "surname" in evidence else evidence


class Planner:
    """Plans the effect of each row of a table on a register, in one pass.

    `on`: the day of the import; `defaults`: values by column for players without one in row and
    register; `known_only`: leave out rows of players who are not in the register; `openings`: reads opening
    ratings, and lets players be found by name alone.
    """

    def __init__(
        self,
        federation: Federation,
        *,
        takes_numbers: bool,
        on: date,
        defaults: Mapping[str, str] = MappingProxyType({}),
        known_only: bool = False,
        openings: OpeningReader | None = None,
    ) -> None:
        self.openings = openings
        self.federation, self.takes_numbers, self.known_only = federation, takes_numbers, known_only
        self.left_out = 0
        """The number of rows left out so far because the register does not have the player."""
        self.resource = RegisterResource(federation, on=on)
        self.defaults = {name: self.resource.read(name, text) for name, text in defaults.items()}
        # The line that was the first to name each player, new player and id:
        self._players: dict[int, int] = {}
        self._newcomers: dict[tuple[str, ...], int] = {}
        self._ids: dict[tuple[str, str], int] = {}

    def plan(self, rows: Iterable[TableRow]) -> Iterator[PlannedRow]:
        for page in batches(rows, PAGE_ROWS):
            parsed = [self._parse(row) for row in page]
            known = self._look_up(parsed)
            for each in parsed:
                player = self._by_number(each, known) if each.number else self._by_id(each, known)
                if player is None and self.openings and not each.number:
                    player = self._by_name(each, known)
                if player is None and self.known_only:
                    self.left_out += 1
                else:
                    yield self._settle(each, player, known)

    def _parse(self, row: TableRow) -> _Parsed:
        self.resource.learn(row.cells)
        parsed = _Parsed(row.line, problems=list(row.problems))
        spoilt = {problem.column for problem in row.problems}
        for column, text in row.cells.items():
            if self.openings and column in (RATING, GAMES):
                parsed.opening[column] = text
            elif text and column not in spoilt:
                self._take(parsed, column, text)
        return parsed

    def _take(self, parsed: _Parsed, column: str, text: str) -> None:
        if text == REMOVE:
            if column in REQUIRED_COLUMNS:
                parsed.fault("cannot-be-emptied", column)
            else:
                parsed.values[column] = ""
        elif column == "number" and text.casefold() == NEW:
            parsed.insists = True
        elif column == WHOLE_NAME:
            surname, _comma, first_name = text.partition(",")
            for part, words in (("surname", surname.strip()), ("first_name", first_name.strip())):
                if words:
                    self._take(parsed, part, words)
        elif not _is_placeholder(column, text):
            try:
                parsed.values[column] = self.resource.read(column, text)
            except CellUnreadable as unreadable:
                parsed.fault(unreadable.key, column, **unreadable.params)

    def _look_up(self, parsed: Sequence[_Parsed]) -> _Known:
        register = Player.objects.of(self.federation).select_related("merged_into").order_by()
        numbers = {each.number for each in parsed if each.number}
        by_number = {player.number: player for player in register.filter(number__in=numbers)}
        by_key = {player.pk: player for player in by_number.values()}
        owners = self._owners(parsed)
        others = set(owners.values()) - set(by_key)
        by_key |= {player.pk: player for player in register.filter(pk__in=others)}
        named = [each for each in parsed if each.name and not each.number and not each.insists]
        alike = self._alike([each for each in named if not owners.keys() & each.ids.keys()])
        if self.openings:
            meant = [number for several in alike.values() for number in several]
            namesakes = register.filter(number__in=meant)
            by_number |= {player.number: player for player in namesakes}
            by_key |= {player.pk: player for player in namesakes}
        attach_particulars(list(by_key.values()))
        return _Known(by_number, {key: by_key[owner] for key, owner in owners.items()}, alike)

    def _owners(self, parsed: Sequence[_Parsed]) -> dict[tuple[str, str], int]:
        """The keys of the register's players who have these rows' ids, by (kind, value)."""
        values: dict[str, set[str]] = defaultdict(set)
        for each in parsed:
            for kind, value in each.ids:
                values[kind].add(value)
        found: dict[tuple[str, str], int] = {}
        for kind, wanted in values.items():
            held = Identifier.objects.filter(federation=self.federation, kind=kind, value__in=wanted)
            found |= {(kind, value): owner for value, owner in held.values_list("value", "player_id")}
        return found

    def _alike(self, parsed: Sequence[_Parsed]) -> dict[int, dict[str, tuple[str, ...]]]:
        """The players whom these rows may mean by name, birth and sex, by line and number."""
        surnames = {each.name_key[0] for each in parsed}
        keys = {key[:LONGEST_SEARCH] for surname in surnames for key in sound_search_keys(surname)}
        if not keys:
            return {}
        having = NameWord.objects.filter(key__in=keys).values("player")
        columns = ("pk", "number", "surname", "first_name", "born", "birth_date__day", "sex")
        players = Player.objects.of(self.federation).current().filter(pk__in=having).order_by()
        rows = list(players.values_list(*columns))
        former = get_former_names([row[0] for row in rows])
        known: dict[tuple[str, ...], dict[str, Described]] = defaultdict(dict)
        for pk, number, surname, first_name, born, day, sex in rows:
            names = [fold_name(*name) for name in ((surname, first_name), *former.get(pk, ()))]
            described = Described(names, day.isoformat() if day else str(born or ""), sex)
            for sounds in sounds_of_names(names):
                known[sounds][number] = described
        return {each.line: self._weighed(each.described, known) for each in parsed}

    def _weighed(
        self, filed: Described, known: Mapping[tuple[str, ...], Mapping[str, Described]]
    ) -> dict[str, tuple[str, ...]]:
        near: dict[str, Described] = {}
        for sounds in sounds_of_names(filed.names):
            near |= known.get(sounds, {})
        weighed = {number: _weigh(filed, each) for number, each in near.items()}
        return {number: each for number, each in weighed.items() if has_the_name(each) or may_be_one(each)}

    def _settle(self, parsed: _Parsed, player: Player | None, known: _Known) -> PlannedRow:
        self._default(parsed, player)
        self._check_ids(parsed, player, known)
        surname = parsed.values.get("surname") or (player.surname if player else "")
        first_name = parsed.values.get("first_name", player.first_name if player else "")
        if len(surname) + len(", ") + len(first_name) > LONGEST_NAME:
            parsed.fault("name-too-long", "first_name", most=LONGEST_NAME)
        if player:
            self._check_player(parsed, player)
        elif not parsed.problems:
            self._check_newcomer(parsed, known)
        opening = self._opening(parsed, player)
        number = player.number if player else parsed.number
        name = player.name if player else parsed.name
        if parsed.problems:
            return PlannedRow(
                parsed.line, Kind.PROBLEM, player, number[:30], name[:201], problems=parsed.problems
            )
        self._note(parsed, player)
        if player is None:
            values = parsed.values.items()
            new = {column: ("", after) for column, after in values if after and column != "number"}
            return PlannedRow(parsed.line, Kind.NEW, None, number, name, new, opening=opening)
        changes = self._changes(parsed, player, known)
        kind = Kind.CHANGED if changes or opening else Kind.UNCHANGED
        return PlannedRow(parsed.line, kind, player, number, name, changes, opening=opening)

    def _opening(self, parsed: _Parsed, player: Player | None) -> dict[str, Any]:
        """The row's opening, for its `RegisterLine`; empty if there is none or the row has a problem."""
        if self.openings is None:
            return {}
        number = player.number if player else parsed.number
        taken = self.openings.read(parsed.opening, number)
        if isinstance(taken, RowProblem):
            parsed.problems.append(taken)
        if parsed.problems or not isinstance(taken, TakenOpening):
            return {}
        self.openings.add(parsed.line, number, player.name if player else parsed.name, taken)
        by = {"by": "name"} if player and not parsed.number and not parsed.ids else {}
        return {**taken._asdict(), **by}

    def _default(self, parsed: _Parsed, player: Player | None) -> None:
        """Set the defaults where neither the row nor the register has a value."""
        for column, value in self.defaults.items():
            if column not in parsed.values and not (player and self.resource.of(player, column)):
                parsed.values[column] = value

    def _by_number(self, parsed: _Parsed, known: _Known) -> Player | None:
        player = known.by_number.get(parsed.number)
        if player is None and not self.takes_numbers:
            parsed.fault("number-unknown", "number", number=parsed.number)
        if player and player.merged_into:
            other = player.merged_into.number
            parsed.fault("number-merged", "number", number=player.number, other=other)
        return player

    def _by_id(self, parsed: _Parsed, known: _Known) -> Player | None:
        if parsed.insists:
            return None
        return next((known.by_id[key] for key in parsed.ids if key in known.by_id), None)

    def _by_name(self, parsed: _Parsed, known: _Known) -> Player | None:
        """The only player with this name and a compatible birth; several are a problem."""
        alike = known.alike.get(parsed.line, {})
        same = [number for number, evidence in alike.items() if has_the_name(evidence)]
        players = [known.by_number[number] for number in same]
        # `Jan` may mean `Jan Karel`, unless there is a `Jan`.
        named = ((fold(player.surname), fold(player.first_name)) for player in players)
        same = [
            player.number for player, name in zip(players, named, strict=True) if name == parsed.name_key
        ] or same
        if len(same) > 1:
            parsed.fault("several-alike", "number", others=", ".join(sorted(same)[:5]))
        return known.by_number.get(same[0]) if len(same) == 1 else None

    def _check_ids(self, parsed: _Parsed, player: Player | None, known: _Known) -> None:
        for key, column in parsed.ids.items():
            owner = known.by_id.get(key)
            if owner and (player is None or owner.pk != player.pk):
                parsed.fault("id-of-another", column, value=key[1], other=owner.number)
            elif key in self._ids:
                parsed.fault("id-twice", column, first=self._ids[key])

    def _check_player(self, parsed: _Parsed, player: Player) -> None:
        if player.pk in self._players:
            parsed.fault("twice", first=self._players[player.pk])
        surname, birth = parsed.values.get("surname"), parsed.values.get("birth")
        known = self.resource.of(player, "birth")
        if surname and birth and known and fold(surname) != player.name_key and birth[:4] != known[:4]:
            parsed.fault("somebody-else", "number", number=player.number, name=player.name, birth=known[:4])

    def _check_newcomer(self, parsed: _Parsed, known: _Known) -> None:
        if not parsed.values.get("surname"):
            parsed.fault("surname-missing", "surname")
        elif parsed.insists:
            return
        elif (key := _newcomer_key(parsed)) in self._newcomers:
            parsed.fault("twice", first=self._newcomers[key])
        elif alike := known.alike.get(parsed.line):
            parsed.fault("alike", "number", other=max(alike, key=lambda number: total(alike[number])))

    def _note(self, parsed: _Parsed, player: Player | None) -> None:
        """Remember the row's player and ids: a later row with the same ones has a problem."""
        self._ids |= dict.fromkeys(parsed.ids, parsed.line)
        if player:
            self._players[player.pk] = parsed.line
        else:
            self._newcomers[_newcomer_key(parsed)] = parsed.line

    def _changes(self, parsed: _Parsed, player: Player, known: _Known) -> dict[str, tuple[str, str]]:
        changes = {}
        held = {column for key, column in parsed.ids.items() if key in known.by_id}
        for column, after in parsed.values.items():
            before = self.resource.of(player, column)
            year_known = column == "birth" and after and before.startswith(after)
            if before != after and column not in held and not year_known:  # `held`: one of several ids
                changes[column] = (before, after)
        return changes


def _is_placeholder(column: str, text: str) -> bool:
    """Whether a cell has what programs write for unknown values: `0000` for a birth, `0` for an id."""
    if column == "birth":
        return _NO_DATE.fullmatch(text) is not None or not is_birth_given(parse_birth(text) or text)
    return bool(column_id_kind(column)) and not text.strip("0")


def _newcomer_key(parsed: _Parsed) -> tuple[str, ...]:
    return (parsed.number,) if parsed.number else (*parsed.name_key, parsed.values.get("birth", ""))


# ---- The register written as a table
DAY, YEAR = "day", "year"
"""The values of `births`: write whole dates of birth, or years alone."""
LAYOUTS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def write_register(
    file: BinaryIO,
    federation: Federation,
    players: QuerySet[Player],
    *,
    layout: str,
    birth_precision: str,
    on: date,
) -> None:
    """Write the register to a file for the office's work, with the names of withheld players too."""
    resource = RegisterResource(federation, on=on)
    header = list(resource.get_export_headers())
    if layout == "csv":
        file.write(BYTE_ORDER_MARK)
        write_csv(file, header, _rows(resource, players, birth_precision))
    else:
        write_workbook(file, federation.code, on, header, _rows(resource, players, birth_precision))


def _rows(resource: RegisterResource, players: QuerySet[Player], births: str) -> Iterator[list[str]]:
    """The rows of the exported register, all cells as text: an id as a number would lose its zeros."""
    for page in batches(players.iterator(chunk_size=PAGE_ROWS), PAGE_ROWS):
        attach_particulars(page)
        for player in page:
            if births == YEAR:
                player.birth = player.birth[:4]
            yield [disarm_cell(single_line(text)) for text in resource.export_resource(player)]


# ---- What a person says of a table
#
# It is stored by the table's headings, so that the next table of the same program asks no questions.
BULK_COLUMNS = ("nation", "sex", "birth", "region")
"""Columns that can be filled for many players at once."""
SAMPLES = 100
"""The number of rows by which columns are guessed."""
SHOWN_SAMPLES = 3
"""The number of sample values beside a heading."""


@dataclass(frozen=True, slots=True)
class Naming:
    """What a person says of a table: the meaning of its columns and empty cells, and which rows to take."""

    places: Mapping[int, str] = field(default_factory=dict)
    """The columns by position."""
    defaults: Mapping[str, str] = field(default_factory=dict)
    """By column, the value for players without one in table and register."""
    filled: Sequence[str] = ()
    """Columns in which an empty cell repeats the one above it."""
    pasted: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By column, a value for each row in order; an empty one leaves the row's own."""
    nations: Sequence[str] = ()
    """The nations whose players are taken; empty for all."""
    known_only: bool = False
    """Whether to leave out players who are not in the register."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "places": {str(at): name for at, name in self.places.items()},
            "defaults": dict(self.defaults),
            "filled": list(self.filled),
            "pasted": {name: list(values) for name, values in self.pasted.items()},
            "nations": list(self.nations),
            "known_only": self.known_only,
        }

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Naming:
        places = {int(at): name for at, name in stored.get("places", {}).items()}
        return cls(**{**stored, "places": places})

    def rows(self, rows: Iterable[TableRow]) -> Iterator[TableRow]:
        """Complete each row by pasted values and by those of the row above; leave out other nations."""
        above: dict[str, str] = {}
        pasted = [chain(values, repeat("")) for values in self.pasted.values()]
        for row in rows:
            cells = dict(row.cells)
            for name, values in zip(self.pasted, pasted, strict=True):
                cells[name] = next(values) or cells.get(name, "")
            for name in self.filled:
                cells[name] = above[name] = cells.get(name, "") or above.get(name, "")
            nation = cells.get("nation", "") or self.defaults.get("nation", "")
            if not self.nations or any(is_same_nation(nation, taken) for taken in self.nations):
                yield TableRow(row.line, cells, row.problems)


def table_key(head: Sequence[str], purpose: str) -> str:
    """The key of a table's stored naming: a digest of its normalized headings."""
    return hashlib.sha256("\n".join([purpose, *map(_plain, head)]).encode()).hexdigest()


def find_remembered_naming(federation: Federation, head: Sequence[str], purpose: str) -> Naming | None:
    """The naming that this office gave a table with these headings before, if any."""
    row = NamedColumns.objects.filter(federation=federation, key=table_key(head, purpose)).first()
    return Naming.of(row.naming) if row else None


def remember_naming(federation: Federation, head: Sequence[str], purpose: str, naming: Naming) -> None:
    """Store a naming for the next table with these headings, without the values pasted into this one."""
    kept = {**naming.as_dict(), "pasted": {}}
    NamedColumns.objects.update_or_create(
        federation=federation, key=table_key(head, purpose), defaults={"naming": kept}
    )


def guess_columns(
    federation: Federation,
    head: Sequence[str],
    samples: Sequence[Sequence[str]],
    extra_columns: Mapping[str, str],
) -> ReadColumns | RowProblem:
    """Guess the columns of a table by its headings and first rows."""
    names = federation.region_names if federation.regional else []
    regions = {word.casefold() for region in names for word in region}
    first_cells = [row[0] for row in samples if row and row[0]]
    own_numbers = Player.objects.of(federation).filter(number__in=first_cells).exists()
    kinds = get_all_id_kinds(federation)
    return read_headings(
        head, samples, kinds=kinds, regions=regions, taken=extra_columns, own_numbers=own_numbers
    )


def find_value_problem(resource: RegisterResource, column: str, text: str) -> RowProblem | None:
    """The problem of a value that a person gave for a column; None if it is valid."""
    try:
        resource.read(column, text)
    except CellUnreadable as unreadable:
        return RowProblem(unreadable.key, column, unreadable.params)
    return None


# ---- Comparison of a table with the register
_WHOLE_ROW = -1
CHUNK_SIZE = 1 << 16

OnProgress = Callable[[float], None]
"""Called from time to time with the share of the work that is done."""
GetOpenings = Callable[[Federation, str], Iterable[tuple[int, Opening]]]
"""The openings of a track in an office's journal, each with its line number."""
REGISTER, OPENINGS = "register", "openings"
"""The purposes for which namings of tables are stored."""


class TableRefused(Exception):
    """A table that is refused as a whole: its problem, with its words in `MESSAGES`, and the line."""

    def __init__(self, problem: RowProblem, line: int | None = None) -> None:
        super().__init__(problem.key)
        self.problem, self.line = problem, line

    @property
    def words(self) -> str:
        return describe_problem({**self.problem.as_dict(), "line": self.line})


class BoxedTable:
    """A table of any kind as the box read it: its headings, then its rows, by the lines of
    `tournaments.formats.player_lists`. Raises `TableRefused`, or `BoxDied` if it is cut.
    """

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._values = map(json.loads, lines)
        self.headings: list[str] = self._unless_refused(next(self._values, {}))["head"]
        self.notices: list[dict[str, Any]] = []
        """Remarks on the table as a whole; complete once all rows are read."""
        self.count = 0
        """The number of rows so far."""

    def rows(self) -> Iterator[list[Any]]:
        """Yield each row's line and cells, and the faults of its cells if there are any."""
        for value in self._values:
            if isinstance(value, dict):
                self.notices += self._unless_refused(value)["notices"]
                return
            self.count += 1
            yield value
        raise BoxDied("box-crash", "cut")

    def _unless_refused(self, value: dict[str, Any]) -> dict[str, Any]:
        if "refused" in value:
            raise TableRefused(RowProblem(value["refused"], params=value["params"]), value["line"])
        if not value:
            raise BoxDied("box-crash", "cut")
        return value


class ColumnsUnnamed(Exception):
    """The columns of a table cannot be guessed, so that a person has to name them."""

    def __init__(self, problem: RowProblem, head: dict[str, Any]) -> None:
        super().__init__(problem.key)
        self.problem, self.head = problem, head


class TableComparison:
    """Compares a table, as the box read it, row by row with the register."""

    def __init__(self, job: RegisterImport, reading: bytes, openings_of: GetOpenings) -> None:
        self.job, self.reading, self.openings_of = job, reading, openings_of
        self.notices: list[dict[str, Any]] = []
        """Remarks on the table as a whole; complete once all rows are read, as are the next two."""
        self.terms = OpeningTerms(**job.opening) if job.opening else None
        self.openings: OpeningReader | None = None
        self.coming_list: list[list[Any]] = []
        """The first rows of the list that results from opening ratings."""
        self.head: dict[str, Any] = {}
        """The table's head, as `RegisterImport.head` stores it."""

    def planned(self, beat: OnProgress) -> Iterator[PlannedRow]:
        """Plan the effect of each row. Raises `ColumnsUnnamed`, `TableRefused`, or `BoxDied` if it is cut."""
        size = len(self.reading)
        table = BoxedTable(decompress_lines(self.reading, lambda done: beat(done / size)))
        values = table.rows()
        first = list(islice(values, SAMPLES))
        self.head = {
            "headings": [text[:60] for text in table.headings],
            "samples": [row[1] for row in first],
            "used": {},
            "rows": 0,
        }
        values = chain(first, values)
        naming = self._naming(table, values)
        if self.terms:
            games = naming.defaults.get(GAMES, "")
            before = list(self.openings_of(self.job.federation, self.terms.track))
            self.openings = OpeningReader(self.job.federation, self.terms, before, games)
        planner = Planner(
            self.job.federation,
            takes_numbers=self.job.takes_numbers,
            on=self.job.on,
            defaults={name: text for name, text in naming.defaults.items() if name != GAMES},
            known_only=naming.known_only,
            openings=self.openings,
        )
        taken = 0
        for page in batches(naming.rows(_row(value, naming.places) for value in values), PAGE_ROWS):
            taken += len(page)
            yield from planner.plan(page)
        self.head["rows"] = table.count
        self.notices += table.notices
        if self.openings:
            self.coming_list = self.openings.listed()
        self._note_left_out(naming, table.count - taken, planner.left_out)

    def _naming(self, table: BoxedTable, values: Iterator[Any]) -> Naming:
        """The naming of this table, else the stored one of a table like it, else a guess."""
        head = table.headings
        naming = Naming.of(self.job.naming) if self.job.naming else None
        naming = naming or find_remembered_naming(self.job.federation, head, naming_purpose(self.job))
        if naming is None:
            taken = _OPENING_COLUMNS if self.terms else {}
            read = guess_columns(self.job.federation, head, self.head["samples"], taken)
            if isinstance(read, RowProblem):
                raise self._unnamed(read, table, values)
            places, notices = read
            self.notices += [notice.as_dict() for notice in notices]
            naming = Naming(places)
        elif problem := find_columns_problem([*naming.places.values(), *naming.pasted]):
            raise self._unnamed(problem, table, values)
        if self.terms and RATING not in (*naming.places.values(), *naming.pasted):
            raise self._unnamed(RowProblem("no-ratings"), table, values)
        self.head["used"] = {**naming.as_dict(), "pasted": {}}
        return naming

    def _unnamed(self, problem: RowProblem, table: BoxedTable, values: Iterator[Any]) -> ColumnsUnnamed:
        for _row in values:
            pass  # counts the rows, and refuses the table if they cannot all be read
        self.head["rows"] = table.count
        return ColumnsUnnamed(problem, head_for_storage(self.head))

    def _note_left_out(self, naming: Naming, of_others: int, unknown: int) -> None:
        for key, count in (("other-nations", of_others), ("not-in-register", unknown)):
            if count:
                params = {"count": count, "nations": ", ".join(naming.nations)}
                self.notices.append(RowProblem(key, params=params).as_dict())


def naming_purpose(job: RegisterImport) -> str:
    """The purpose for which the table's naming is stored."""
    return OPENINGS if job.opening else REGISTER


def head_for_storage(head: Mapping[str, Any]) -> dict[str, Any]:
    """The head as it is stored, with sample values of each column in place of whole rows."""
    columns = [
        list(islice((row[at][:30] for row in head["samples"] if at < len(row) and row[at]), SHOWN_SAMPLES))
        for at in range(len(head["headings"]))
    ]
    return {**head, "samples": columns}


def _row(value: Sequence[Any], places: Mapping[int, str]) -> TableRow:
    line, cells, *faults = value
    found = tuple(
        RowProblem(key, "" if at == _WHOLE_ROW else places[at], params)
        for at, key, params in (faults[0] if faults else ())
        if at == _WHOLE_ROW or at in places
    )
    return TableRow(line, {name: cells[at] for at, name in places.items() if at < len(cells)}, found)


def decompress_lines(reading: bytes, on_bytes_read: OnProgress) -> Iterator[bytes]:
    """The lines of a compressed reading, decompressed in parts; `beat` gets the number of bytes so far."""
    unpacker, rest = zlib.decompressobj(), b""
    for at in range(0, len(reading), CHUNK_SIZE):
        on_bytes_read(at)
        *lines, rest = (rest + unpacker.decompress(reading[at : at + CHUNK_SIZE])).split(b"\n")
        yield from lines
