"""Checks of single values of a journal: each takes a JSON value and returns the value of a fact."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple
from unicodedata import is_normalized

from ratings.law.translation_marks import gettext_noop as _

Check = Callable[[Any], Any]
NEEDED: Any = object()
MOST_PROBLEMS = 100
READ_BY_SOME = frozenset({"included_by"})
"""Keys of a player's line that are allowed only where the ruleset reads them."""
FIRST_DAY, LAST_DAY = date(1800, 1, 1), date(2799, 12, 31)  # what an order key of 63 bits can hold

DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
CODE = re.compile(r"[-\w]{1,20}", re.ASCII)
ID = re.compile(r"[-.\w]{1,30}", re.ASCII)
SALT, SEAL = re.compile("[0-9a-f]{32}"), re.compile("[0-9a-f]{64}")
COUNTRY = re.compile(r"[A-Z]{3}")
DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,7})(\.[0-9]{1,16})?")
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class WrongValue(Exception):
    """Raised by a check for a value that breaks the journal's form (`docs/journal.md`): what is wrong, in
    words with named places.
    """

    def __init__(self, words: str, **params: object) -> None:
        self.words, self.params = words, params


class WrongValues(Exception):
    """Raised by the check of an object or a list inside a line, with the problem of each of its values."""

    def __init__(self, found: list[LineProblem]) -> None:
        self.found = found


@dataclass(frozen=True, slots=True)
class LineProblem:
    """A problem of one line: where in it, and what to do."""

    line: int
    where: str
    """The key, as a path: `games[3].result`; empty for the whole line."""
    words: str
    """The words with named places, so that they can be translated before the places are filled."""
    params: Mapping[str, object] = field(default_factory=dict)

    @property
    def message(self) -> str:
        words = self.words.format(**self.params)
        return f"{self.where}: {words}" if self.where else words

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


class JournalError(ValueError):
    """A malformed journal or line, with every problem found, up to a hundred."""

    def __init__(self, problems: list[LineProblem]) -> None:
        self.problems = problems
        super().__init__("\n".join(map(str, problems)))


class Faults:
    """Collects the problems found in one line."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.found: list[LineProblem] = []

    def add(self, where: str, words: str, **params: object) -> None:
        if len(self.found) < MOST_PROBLEMS:
            self.found.append(LineProblem(self.line, where, words, params))

    def value(self, where: str, check: Check, value: object) -> Any:
        """Check a value and return what the check makes of it; None, with a problem noted, where the check
        refuses.
        """
        try:
            return check(value)
        except (WrongValue, WrongValues) as wrong:
            self.refused(where, wrong)
        return None

    def refused(self, where: str, wrong: WrongValue | WrongValues) -> None:
        """Problems for which a check refused a value, added to those found."""
        if isinstance(wrong, WrongValue):
            self.add(where, wrong.words, **wrong.params)
            return
        for problem in wrong.found:
            self.add(joined_path(where, problem.where), problem.words, **problem.params)


def joined_path(where: str, part: str) -> str:
    """Join two parts of a path: `games` and `[3]`, `left` and `round`."""
    return f"{where}.{part}" if where and part and part[0] != "[" else where + part


class JournalKey(NamedTuple):
    """A key that a line may have: the check of its value, and the value that a left-out key stands for
    (`NEEDED`: none).
    """

    check: Check
    default: Any = NEEDED


def take(raw: object, keys: Mapping[str, JournalKey], faults: Faults, where: str = "") -> dict[str, Any]:
    """Check the keys of an object and return a value for each, None where something is wrong. Problems are
    added to `faults`, at a path that begins with `where`.
    """
    values = dict.fromkeys(keys)
    if not isinstance(raw, dict):
        faults.add(where, _("write an object with keys here, not {value}"), value=quoted(raw))
        return values
    for name in raw:
        if name not in keys:
            faults.add(joined_path(where, quoted(name)), _("unknown key; leave it out"))
    for name, (check, default) in keys.items():
        if name in raw:
            try:
                values[name] = check(raw[name])
            except (WrongValue, WrongValues) as wrong:  # seldom: only then it needs its path
                faults.refused(joined_path(where, name), wrong)
        elif default is NEEDED:
            faults.add(joined_path(where, name), _("is missing, but required"))
        else:
            values[name] = default
    return values


def take_inner(raw: object, keys: Mapping[str, JournalKey]) -> dict[str, Any]:
    """Check the keys of an object inside a line, as `take` does, and return the values; raises
    WrongValues.
    """
    faults = Faults(0)
    values = take(raw, keys, faults)
    if faults.found:
        raise WrongValues(faults.found)
    return values


def quoted(value: object) -> str:
    """A value as a message quotes it: shortened to forty characters, and safe to print."""
    if isinstance(value, dict | list):
        return "{…}" if isinstance(value, dict) else "[…]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = str(value) if isinstance(value, Decimal) else ascii(value) if not _plain(value) else repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _plain(value: object) -> bool:
    return not isinstance(value, str) or value.isprintable()


def text(limit: int) -> Check:
    """A check for text of 1 to `limit` characters, in NFC and without control characters."""

    def check(value: object) -> str:
        if not isinstance(value, str):
            raise WrongValue(_("write text in quotes, not {value}"), value=quoted(value))
        if not value or value != value.strip():
            raise WrongValue(_("{value} is empty or begins or ends with a space"), value=quoted(value))
        if len(value) > limit:
            raise WrongValue(_("is longer than {limit} characters"), limit=limit)
        if not value.isprintable() and (found := CONTROLS.search(value)):
            raise WrongValue(
                _("{value} has the character U+{code}, which text cannot have; remove it"),
                value=quoted(value),
                code=f"{ord(found[0]):04X}",
            )
        if not is_normalized("NFC", value):
            raise WrongValue(_("{value} is not in Unicode's form NFC; write it in NFC"), value=quoted(value))
        return value

    return check


def section_id(value: object) -> str:
    """Check a section's id, `EVENT/SECTION`, which is parted at its last stroke."""
    checked: str = text(41)(value)
    event, _stroke, section = checked.rpartition("/")
    if not (0 < len(event) <= 20 and 0 < len(section) <= 20):
        raise WrongValue(
            _("{value} is not a section id: write EVENT/SECTION, each of up to 20 characters"),
            value=quoted(value),
        )
    return checked


def matching(pattern: re.Pattern[str], words: str) -> Check:
    def check(value: object) -> str:
        if isinstance(value, str) and pattern.fullmatch(value):
            return value
        raise WrongValue(words, value=quoted(value))

    return check


code = matching(CODE, _("{value} is not a code: write up to 20 letters, digits, - or _"))
player_id = matching(ID, _("{value} is not a player's id: write up to 30 letters, digits, -, . or _"))
salt = matching(SALT, _("{value} is not a salt: write 16 bytes as 32 lower-case hexadecimal digits"))
seal = matching(SEAL, _("{value} is not a seal: write 64 lower-case hexadecimal digits"))
country = matching(COUNTRY, _("{value} is not a country: write its three capital letters, such as RSA"))


def one_of(choices: Collection[str] | Collection[int]) -> Check:
    def check(value: object) -> object:
        if any(type(value) is type(choice) and value == choice for choice in choices):
            return value
        raise WrongValue(
            _("{value} cannot be here; write one of: {choices}"),
            value=quoted(value),
            choices=", ".join(map(str, choices)),
        )

    return check


def whole(low: int, high: int) -> Check:
    def check(value: object) -> int:
        if type(value) is int and low <= value <= high:
            return value
        raise WrongValue(
            _("{value} cannot be here; write a whole number from {low} to {high}"),
            value=quoted(value),
            low=low,
            high=high,
        )

    return check


def flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise WrongValue(_("write true or false, not {value}"), value=quoted(value))


def day(value: object) -> date:
    try:
        if isinstance(value, str) and DAY.fullmatch(value):
            found = date.fromisoformat(value)
            if FIRST_DAY <= found <= LAST_DAY:
                return found
    except ValueError:
        pass
    raise WrongValue(
        _("{value} is not a day: write YYYY-MM-DD, a day that exists, from {first} to {last}"),
        value=quoted(value),
        first=FIRST_DAY,
        last=LAST_DAY,
    )


def decimal_text(value: object) -> Decimal:
    """Parse a rating: a decimal in quotes, so that no reader makes a binary float of it."""
    if isinstance(value, str) and DECIMAL.fullmatch(value):
        return trimmed(Decimal(value))
    raise WrongValue(
        _('{value} is not a rating: write a plain decimal in quotes, such as "1712.5", of up to 16 places'),
        value=quoted(value),
    )


def amount(value: object) -> Decimal:
    """Parse minutes or seconds of a time control: a plain number, not negative."""
    if type(value) in (int, Decimal):
        number = Decimal(value)  # type: ignore[arg-type]
        exponent = number.as_tuple().exponent
        if 0 <= number <= 99_999 and isinstance(exponent, int) and exponent >= -4:
            return trimmed(number)
    raise WrongValue(
        _("{value} is not a time: write a number from 0 to 99999, of up to 4 places"), value=quoted(value)
    )


def trimmed(number: Decimal) -> Decimal:
    """The number without trailing zeros, exponent or negative zero."""
    return Decimal(plain(number))


def plain(number: Decimal) -> str:
    """A decimal as the journal writes it: no exponent, no trailing zeros."""
    written = format(number, "f")
    if "." in written:
        written = written.rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


def array(value: object) -> list[Any]:
    if isinstance(value, list):
        return value
    raise WrongValue(_("write a list in [ ] here, not {value}"), value=quoted(value))


def list_of(check: Check) -> Check:
    """A check for a list of at least one value, each of which `check` checks; it returns a tuple."""

    def check_all(value: object) -> tuple[Any, ...]:
        faults = Faults(0)
        found = tuple(faults.value(f"[{at}]", check, each) for at, each in enumerate(array(value)))
        if faults.found:
            raise WrongValues(faults.found)
        if not found:
            raise WrongValue(_("the list is empty; write at least one value"))
        return found

    return check_all
