"""The columns of the table beside a history's files, and the values that their cells may have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from players.register.name_folding import fold
from ratings.law.fields import Field
from ratings.law.journal.values import COUNTRY
from ratings.law.ruleset import Ruleset
from tournaments.events.parse_time_control import read_time_control
from tournaments.events.ruleset_fields import read_control

EVERY_FILE = "*"
"""The value of `file` in the row whose cells hold for every file that has none of its own."""
COMMON = (
    "file",
    "leave_out",
    "event",
    "section",
    "starts",
    "ends",
    "rated",
    "list",
    "region",
    "country",
    "format",
    "rounds",
    "places",
    "ids",
    "nation",
    "strike",
)
"""Columns under any ruleset, in the order of the downloaded table; the ruleset's own fields follow."""
ALIASES = {"timecontrol": "time_controls", "timecontrols": "time_controls", "filename": "file"}
BY_POINTS = "points"
"""The value of `places` by which places follow from points, then discs."""
MOST_ROUNDS = 999
_DAY = re.compile(r"(\d{4})-(\d\d?)-(\d\d?)(?: 00:00(?::00)?)?|(\d\d?)[./](\d\d?)[./](\d{4})")
_BARE_CONTROL = re.compile(r"(\d[\d.]*(?:\s*\+\s*\d[\d.]*)?)")
YES, NO = frozenset({"yes", "y", "x", "1", "true"}), frozenset({"no", "n", "0", "false", ""})


class CellProblem(ValueError):
    """A cell that cannot be read, with words for a person."""


def columns_of(ruleset: Ruleset) -> list[str]:
    """The columns of a federation's table, in order."""
    return [*COMMON, *(field.name for field in ruleset.sections.fields)]


def column_of(heading: str, ruleset: Ruleset) -> str:
    """The column that a heading names, in whatever case; empty if none."""
    key = fold(heading)
    named = {fold(name): name for name in columns_of(ruleset)}
    named |= {fold(field.label): field.name for field in ruleset.sections.fields}
    known = named.get(key) or ALIASES.get(key, "")
    return known if known in columns_of(ruleset) else ""


def day_in(text: str) -> date | None:
    """A cell's day, as `2019-05-31` or `31.05.2019`; None for an empty one. Raises `CellProblem`."""
    if not text:
        return None
    if found := _DAY.fullmatch(text):
        year, month, day, day_first, month_then, year_last = found.groups()
        try:
            return date(int(year or year_last), int(month or month_then), int(day or day_first))
        except ValueError:
            pass
    raise CellProblem(_("“%(text)s” is no day. Write it as 2019-05-31.") % {"text": text})


def number_in(text: str) -> int | None:
    """A cell's whole number; None for an empty one. Raises `CellProblem`."""
    if not text:
        return None
    if text.isascii() and text.removesuffix(".0").isdigit():
        return int(text.removesuffix(".0"))
    raise CellProblem(_("“%(text)s” is no whole number.") % {"text": text})


def rounds_in(text: str) -> int | None:
    """A cell's number of rounds; None for an empty one. Raises `CellProblem`."""
    number = number_in(text)
    if number is not None and number > MOST_ROUNDS:
        words = _("“%(text)s” rounds are too many: a section may have %(most)s.")
        raise CellProblem(words % {"text": text, "most": MOST_ROUNDS})
    return number


def country_in(text: str) -> str:
    """A cell's country in three capital letters; empty for an empty one. Raises `CellProblem`."""
    if text and not COUNTRY.fullmatch(text.upper()):
        words = _("“%(text)s” is no country. Write its three letters, such as RSA.")
        raise CellProblem(words % {"text": text})
    return text.upper()


def flag_in(text: str) -> bool:
    """Whether a cell says yes. Raises `CellProblem` where it says neither yes nor no."""
    if text.casefold() in YES:
        return True
    if text.casefold() in NO:
        return False
    raise CellProblem(_("“%(text)s” is neither yes nor no.") % {"text": text})


def value_in(field: Field, text: str) -> Any:
    """The value of one of a ruleset's own fields in a cell, as the section's particulars keep it; None where
    the cell is empty. Raises `CellProblem`.
    """
    if not text:
        return None
    if field.kind == "flag":
        return flag_in(text)
    if field.kind == "time_controls":
        return controls_in(text)
    if field.choices:
        value = choice_in(field, text)
        return int(value) if field.kind == "whole" else value
    return number_in(text) if field.kind == "whole" else text[:20]


def choice_in(field: Field, text: str) -> str:
    """The value of a choice, by its code or its label. Raises `CellProblem` with all that there are."""
    named = {fold(choice.label): choice.value for choice in field.choices}
    named |= {fold(choice.value): choice.value for choice in field.choices}
    if (value := named.get(fold(text))) is not None:
        return value
    offered = ", ".join(choice.value for choice in field.choices)
    raise CellProblem(_("“%(text)s” is none of: %(offered)s.") % {"text": text, "offered": offered})


def controls_in(text: str) -> list[dict[str, Any]]:
    """Time controls as `90+30` (minutes, seconds a move), several with a semicolon. Raises `CellProblem`."""
    found = []
    for part in filter(None, map(str.strip, text.split(";"))):
        read = read_time_control(part)
        if read is None and _BARE_CONTROL.fullmatch(part):
            minutes, _plus, increment = part.partition("+")
            try:
                read = read_control(minutes.strip(), int(Decimal(increment.strip() or 0)))
            except (ValidationError, ArithmeticError):
                read = None
        if read is None:
            words = _("“%(text)s” is no time control. Write minutes and seconds a move as 90+30.")
            raise CellProblem(words % {"text": part})
        found.append(read)
    return found


def one_of(text: str, values: Sequence[str]) -> str:
    """A cell's value, one of some; empty for an empty one. Raises `CellProblem` with those that there are."""
    named = {fold(each): each for each in values}
    if not text or fold(text) in named:
        return named.get(fold(text), "")
    offered = ", ".join(values)
    raise CellProblem(_("“%(text)s” is none of: %(offered)s.") % {"text": text, "offered": offered})
