"""Maps columns of a table to particulars of a player, by django-import-export's fields.

Its own import is not used: it would write row by row, and take some faults for values. `row_effects` reads by
these fields and `writing` sets them, in bulk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from types import SimpleNamespace
from typing import Any

from import_export.fields import Field
from import_export.resources import Resource
from import_export.widgets import Widget

from players.importing.columns import FIDE, identifier, kind_of
from players.office.models import Federation, Region
from players.register.models import BirthDate, Identifier, Player

EARLIEST = 1850
"""The earliest year of birth that a register takes."""
YES, NO = "yes", "no"
_NUMBER = re.compile(r"[-.\w]{1,30}", re.ASCII)
_NATION = re.compile(r"[A-Z]{3}")
_BIRTHS = (
    re.compile(r"(?P<year>[0-9]{4})([-/.](?P<month>[0-9]{1,2})[-/.](?P<day>[0-9]{1,2}))?"),
    re.compile(r"(?P<day>[0-9]{1,2})[-.](?P<month>[0-9]{1,2})[-.](?P<year>[0-9]{4})"),
    re.compile(r"(?P<day>1[3-9]|2[0-9]|3[01])/(?P<month>[0-9]{1,2})/(?P<year>[0-9]{4})"),
)
_YEAR_ALONE = re.compile(r"([0-9]{4})/(0?1/0?1|00/00)")
"""The spelling in which rating lists write a year of which they know no day."""
_UNKNOWN = re.compile(r"0+([-/.]0+)*|1900/01/01|0?1[-/.]0?1[-/.]1900")
"""The spellings in which rating lists and pairing programs write that a birth is not known."""


class CellUnreadable(ValueError):
    """A cell that does not fit its column: a key of `problem_messages`, and the values for its words."""

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


class IdOfElsewhere(TextWidget):
    """A cell of an id that others gave. `digits`: as many as each of its kind has; a zero that a spreadsheet
    took away comes back.
    """

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
    SPELLINGS = {"": "", "m": "m", "male": "m", "f": "f", "w": "f", "female": "f"}

    def clean(self, value: str, row: Any = None, **kwargs: Any) -> str:
        if value.casefold() not in self.SPELLINGS:
            raise CellUnreadable("sex-not-read", text=value[:40])
        return self.SPELLINGS[value.casefold()]


class Nation(TextWidget):
    def __init__(self, example: str) -> None:
        super().__init__(3)
        self.example = example

    def clean(self, value: str, row: Any = None, **kwargs: Any) -> str:
        if value and not _NATION.fullmatch(value.upper()):
            raise CellUnreadable("nation-not-read", text=value[:40], example=self.example)
        return value.upper()


class YesNo(Widget):
    SPELLINGS = {"yes": True, "y": True, "1": True, "true": True}
    SPELLINGS |= {"no": False, "n": False, "0": False, "false": False}

    def clean(self, value: str, row: Any = None, **kwargs: Any) -> bool:
        if value.casefold() not in self.SPELLINGS:
            raise CellUnreadable("resident-not-read", text=value[:40])
        return self.SPELLINGS[value.casefold()]

    def render(self, value: bool, obj: Any = None, **kwargs: Any) -> str:
        return YES if value else NO


class Birth(TextWidget):
    """A cell of a birth, as precise as known: `2010-05-03` or `2010`."""

    def __init__(self, latest: int) -> None:
        super().__init__(10)
        self.latest = latest

    def clean(self, value: str, row: Any = None, **kwargs: Any) -> str:
        if not value:
            return ""
        birth = read_birth(value)
        if birth is None:
            raise CellUnreadable("birth-not-read", text=value[:40])
        if not EARLIEST <= int(birth[:4]) <= self.latest:
            raise CellUnreadable("birth-not-likely", text=birth)
        return birth


def is_unknown_birth(text: str) -> bool:
    """Whether a cell of a birth says that it is not known: `0000`, `1900/01/01`."""
    return _UNKNOWN.fullmatch(text) is not None


def read_birth(text: str) -> str | None:
    """Read a birth into `2010-05-03` or `2010`, which `2010/00/00` and `2010/01/01` in lists are too. None:
    neither.
    """
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


def may_be_one(birth: str, other: str) -> bool:
    """Whether two births (`2010-05-03`, `2010` or empty) can be of one person."""
    return not birth or not other or birth.startswith(other) or other.startswith(birth)


class RegionCode(Widget):
    """A cell of a region: its code or its name, whatever the case."""

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
    """The columns of the register as a table, and the form of their cells. `latest`: last year of birth."""

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

    def __init__(self, federation: Federation, *, latest: int) -> None:
        super().__init__()
        ruleset = federation.ruleset
        self.fields["birth"].widget = Birth(latest)
        self.fields["nation"].widget = Nation(ruleset.country)
        self.fields["region"].widget = RegionCode(list(federation.regions.all()))
        if "included_by" not in ruleset.journal.reads:
            del self.fields["included_by"]
        self.digits = {kind.code: kind.digits for kind in federation.equipment.office.id_kinds}
        self.kinds = with_office_kinds(federation)
        self.learn(map(identifier, self.kinds))

    def learn(self, columns: Iterable[str]) -> None:
        """Give each of these columns that holds ids of a kind not known so far a field."""
        for name in columns:
            if name not in self.fields and (kind := kind_of(name)):
                self.fields[name] = Field(f"ids__{kind}", name, IdOfElsewhere(self.digits.get(kind, 0)))

    def read(self, column: str, text: str) -> str:
        """Read a cell's text into the form in which a column is exported, or raise `CellUnreadable`."""
        widget = self.fields[column].widget
        return str(widget.render(widget.clean(text)))

    def of(self, player: Player, column: str) -> str:
        """A player's value for a column, as it is exported. Call `with_particulars` on the player before."""
        return str(self.fields[column].export(player))


def kinds_of(federation: Federation) -> list[str]:
    """The kinds of ids, given by others, that players of an office have; always including FIDE's."""
    known = Identifier.objects.filter(federation=federation).order_by().values_list("kind", flat=True)
    return sorted({FIDE, *known.distinct()})


def with_office_kinds(federation: Federation) -> list[str]:
    """The same, and the kinds that the files of this federation have."""
    offered = (kind.code for kind in federation.equipment.office.id_kinds)
    return sorted({*kinds_of(federation), *offered})


def with_particulars(players: Sequence[Player]) -> None:
    """Give each player the attributes that columns read: `birth`, as precise as known, and `ids` by kind."""
    by_key = {player.pk: player for player in players}
    births = dict(BirthDate.objects.filter(player__in=list(by_key)).values_list("player_id", "day"))
    for key, player in by_key.items():
        without_particulars(player)
        player.birth = births[key].isoformat() if key in births else str(player.born or "")  # type: ignore[attr-defined]
    held = Identifier.objects.filter(player__in=list(by_key)).order_by("-pk")  # the first of several is kept
    for key, kind, value in held.values_list("player_id", "kind", "value"):
        setattr(by_key[key].ids, kind, value)  # type: ignore[attr-defined]


def without_particulars(player: Player) -> None:
    """Give a player the attributes of `with_particulars` without values, as a new player's are."""
    player.birth, player.ids = "", SimpleNamespace()  # type: ignore[attr-defined]
