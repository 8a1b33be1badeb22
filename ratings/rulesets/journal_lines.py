"""Parse the lines of a journal into facts, strictly by the form that the ruleset declares, and write them.

Every value is checked, and every problem is reported with its place. The same fact always gives the same
line.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from decimal import Decimal
from functools import cache, partial
from json.encoder import encode_basestring
from operator import itemgetter
from pathlib import Path
from sys import intern
from typing import Any, NamedTuple
from unicodedata import is_normalized, normalize

from ratings.rulesets.facts import (
    ANNULLED,
    BYE_KINDS,
    FORFEITS,
    FORMATS,
    FORMER_FORMS,
    JOURNAL_FORM,
    MOST_DAYS_OF_A_SECTION,
    PLAYED,
    UNRATING_REASONS,
    Bye,
    Departure,
    Entry,
    Federation,
    Field,
    Game,
    JournalFact,
    ListClosing,
    Merged,
    Opening,
    Parted,
    Player,
    Playoff,
    Rank,
    Rated,
    Revised,
    Section,
    TakenOver,
    TimeControl,
    Unrated,
    gettext_noop as _,
)
from ratings.rulesets.ruleset import Ruleset

# ---- The end line of a journal: the number of the lines above it, and their SHA-256
#
# It keeps readers from taking a part for the whole. It is no fact, has no number and is never stored: an
# export writes it into a file beside the journal's. It is also read below the last line.
END_LINE_BEGINNING = '{"fact":"end",'


class LinesAbove:
    """Count and digest a journal's lines, each with its line end, for the end line."""

    def __init__(self) -> None:
        self.count = 0
        self._digest = hashlib.sha256()

    def add(self, line: str | bytes) -> None:
        """Take in a line without its line end."""
        self.count += 1
        self._digest.update((line if isinstance(line, bytes) else line.encode()) + b"\n")

    @property
    def end(self) -> str:
        """The end line for the lines added so far, without its line end."""
        return f'{END_LINE_BEGINNING}"lines":{self.count},"sha256":"{self._digest.hexdigest()}"}}'


def is_end_line(line: str | bytes) -> bool:
    return as_text(line).startswith(END_LINE_BEGINNING)


def as_text(line: str | bytes) -> str:
    return line.decode(errors="replace") if isinstance(line, bytes) else line


def file_and_end_lines(path: Path) -> Iterator[bytes]:
    """The lines of a journal's file, with their line ends, then the end line beside it, if there is one."""
    line = b""
    with path.open("rb") as file:
        for line in file:
            yield line
    beside = end_line_path(path)
    if not is_end_line(line) and beside.exists():
        yield beside.read_bytes()


def end_line_path(path: Path) -> Path:
    """The path of the file with the end line of a journal's file."""
    return path.with_name(f"{path.name}.end")


# ---- Checks of single values
Check = Callable[[Any], Any]
"""A function that takes a JSON value and returns the value of a fact, or raises `WrongValue`."""
NEEDED: Any = object()
MOST_PROBLEMS = 100
OPTIONAL_PLAYER_KEYS = frozenset({"included_by"})
"""Keys of a player's line that are allowed only where the ruleset reads them."""
FIRST_DAY, LAST_DAY = date(1800, 1, 1), date(2799, 12, 31)  # what an order key of 63 bits can hold

DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
CODE = re.compile(r"[-\w]{1,20}", re.ASCII)
ID = re.compile(r"[-.\w]{1,30}", re.ASCII)
SALT, SEAL = re.compile("[0-9a-f]{32}"), re.compile("[0-9a-f]{64}")
COUNTRY = re.compile(r"[A-Z]{3}")
DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,7})(\.[0-9]{1,16})?")
CONTROL_CHARACTERS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class WrongValue(Exception):
    """A value breaks the journal's form (`docs/journal.md`); `words` has named placeholders for `params`."""

    def __init__(self, words: str, **params: object) -> None:
        self.words, self.params = words, params


class WrongValues(Exception):
    """Several values of an object or a list inside a line break the form."""

    def __init__(self, found: list[LineProblem]) -> None:
        self.found = found


@dataclass(frozen=True, slots=True)
class LineProblem:
    """A problem of one line: where in it, and what to do."""

    line: int
    where: str
    """The key, as a path: `games[3].result`; empty for the whole line."""
    words: str
    """The words with named placeholders, so that they can be translated before these are filled."""
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
    """The problems found in one line."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.found: list[LineProblem] = []

    def add(self, where: str, words: str, **params: object) -> None:
        if len(self.found) < MOST_PROBLEMS:
            self.found.append(LineProblem(self.line, where, words, params))

    def value(self, where: str, check: Check, value: object) -> Any:
        """Check a value and return the result; None, with a problem added, if the check refuses it."""
        try:
            return check(value)
        except (WrongValue, WrongValues) as error:
            self.add_error(where, error)
        return None

    def add_error(self, where: str, error: WrongValue | WrongValues) -> None:
        """Add the problems for which a check refused a value."""
        if isinstance(error, WrongValue):
            self.add(where, error.words, **error.params)
            return
        for problem in error.found:
            self.add(joined_path(where, problem.where), problem.words, **problem.params)


def joined_path(where: str, part: str) -> str:
    """Join two parts of a path: `games` and `[3]`, `left` and `round`."""
    return f"{where}.{part}" if where and part and part[0] != "[" else where + part


class JournalKey(NamedTuple):
    """A key that a line may have: the check of its value, and the default (`NEEDED` if it must be there)."""

    check: Check
    default: Any = NEEDED


def parse_keys(
    raw: object, keys: Mapping[str, JournalKey], faults: Faults, where: str = ""
) -> dict[str, Any]:
    """Check the keys of an object and return a value for each, None where something is wrong.

    Problems are added to `faults`, at a path that begins with `where`.
    """
    values = dict.fromkeys(keys)
    if not isinstance(raw, dict):
        faults.add(where, _("write an object with keys here, not {value}"), value=quote_value(raw))
        return values
    for name in raw:
        if name not in keys:
            faults.add(joined_path(where, quote_value(name)), _("unknown key; leave it out"))
    for name, (check, default) in keys.items():
        if name in raw:
            try:
                values[name] = check(raw[name])
            except (WrongValue, WrongValues) as error:  # rare: only then the path is joined
                faults.add_error(joined_path(where, name), error)
        elif default is NEEDED:
            faults.add(joined_path(where, name), _("is missing, but required"))
        else:
            values[name] = default
    return values


def parse_inner_keys(raw: object, keys: Mapping[str, JournalKey]) -> dict[str, Any]:
    """Check the keys of an object inside a line, as `parse_keys` does, but raise WrongValues."""
    faults = Faults(0)
    values = parse_keys(raw, keys, faults)
    if faults.found:
        raise WrongValues(faults.found)
    return values


def quote_value(value: object) -> str:
    """The value as text for a message: at most forty characters, and safe to print."""
    if isinstance(value, dict | list):
        return "{…}" if isinstance(value, dict) else "[…]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, Decimal):
        text = str(value)
    else:
        text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def text(limit: int) -> Check:
    """A check for text of 1 to `limit` characters, in NFC and without control characters."""

    def check(value: object) -> str:
        if not isinstance(value, str):
            raise WrongValue(_("write text in quotes, not {value}"), value=quote_value(value))
        if not value or value != value.strip():
            raise WrongValue(_("{value} is empty or begins or ends with a space"), value=quote_value(value))
        if len(value) > limit:
            raise WrongValue(_("is longer than {limit} characters"), limit=limit)
        if not value.isprintable() and (found := CONTROL_CHARACTERS.search(value)):
            raise WrongValue(
                _("{value} has the character U+{code}, which text cannot have; remove it"),
                value=quote_value(value),
                code=f"{ord(found[0]):04X}",
            )
        if not is_normalized("NFC", value):
            raise WrongValue(
                _("{value} is not in Unicode's form NFC; write it in NFC"), value=quote_value(value)
            )
        return value

    return check


def parse_section_id(value: object) -> str:
    """Check a section's id, `EVENT/SECTION`, which is split at its last slash."""
    checked: str = text(41)(value)
    event, _slash, section = checked.rpartition("/")
    if not (0 < len(event) <= 20 and 0 < len(section) <= 20):
        raise WrongValue(
            _("{value} is not a section id: write EVENT/SECTION, each of up to 20 characters"),
            value=quote_value(value),
        )
    return checked


def matching(pattern: re.Pattern[str], words: str) -> Check:
    def check(value: object) -> str:
        if isinstance(value, str) and pattern.fullmatch(value):
            return value
        raise WrongValue(words, value=quote_value(value))

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
            value=quote_value(value),
            choices=", ".join(map(str, choices)),
        )

    return check


def whole(low: int, high: int) -> Check:
    def check(value: object) -> int:
        if type(value) is int and low <= value <= high:
            return value
        raise WrongValue(
            _("{value} cannot be here; write a whole number from {low} to {high}"),
            value=quote_value(value),
            low=low,
            high=high,
        )

    return check


def parse_flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise WrongValue(_("write true or false, not {value}"), value=quote_value(value))


def parse_day(value: object) -> date:
    try:
        if isinstance(value, str) and DAY.fullmatch(value):
            found = date.fromisoformat(value)
            if FIRST_DAY <= found <= LAST_DAY:
                return found
    except ValueError:
        pass
    raise WrongValue(
        _("{value} is not a day: write YYYY-MM-DD, a day that exists, from {first} to {last}"),
        value=quote_value(value),
        first=FIRST_DAY,
        last=LAST_DAY,
    )


def parse_rating(value: object) -> Decimal:
    """Parse a rating: a decimal in quotes, so that no reader makes a binary float of it."""
    if isinstance(value, str) and DECIMAL.fullmatch(value):
        return normalized(Decimal(value))
    raise WrongValue(
        _('{value} is not a rating: write a plain decimal in quotes, such as "1712.5", of up to 16 places'),
        value=quote_value(value),
    )


def parse_time_amount(value: object) -> Decimal:
    """Parse minutes or seconds of a time control: a plain number, not negative."""
    if type(value) in (int, Decimal):
        number = Decimal(value)  # type: ignore[arg-type]
        exponent = number.as_tuple().exponent
        if 0 <= number <= 99_999 and isinstance(exponent, int) and exponent >= -4:
            return normalized(number)
    raise WrongValue(
        _("{value} is not a time: write a number from 0 to 99999, of up to 4 places"),
        value=quote_value(value),
    )


def normalized(number: Decimal) -> Decimal:
    """The number without trailing zeros, exponent or negative zero."""
    return Decimal(plain(number))


def plain(number: Decimal) -> str:
    """The decimal as the journal writes it: no exponent, no trailing zeros."""
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def parse_array(value: object) -> list[Any]:
    if isinstance(value, list):
        return value
    raise WrongValue(_("write a list in [ ] here, not {value}"), value=quote_value(value))


def list_of(check: Check) -> Check:
    """A check for a list of at least one value, each checked by `check`; it returns a tuple."""

    def check_all(value: object) -> tuple[Any, ...]:
        faults = Faults(0)
        found = tuple(faults.value(f"[{at}]", check, each) for at, each in enumerate(parse_array(value)))
        if faults.found:
            raise WrongValues(faults.found)
        if not found:
            raise WrongValue(_("the list is empty; write at least one value"))
        return found

    return check_all


# ---- A section's line
SEVERAL_A_ROUND = frozenset({"double-round-robin", "knockout", "match"})
"""Formats in which two players may meet twice in one round of the file."""
SEASON = JournalKey(text(20))
OPTIONAL_ENTRY_KEYS = frozenset({"rating", "pre", "women"})
"""Keys of an entry that are allowed only where the ruleset reads them."""
GREATEST_NUMBER = 99_999
MOST_ROUNDS = 999  # scheduled, or in all with finals behind them
TIME_CONTROL = {
    "minutes": JournalKey(list_of(parse_time_amount)),
    "increment": JournalKey(parse_time_amount, Decimal(0)),
}
SECTION_KEY_NAMES = {"time_controls": "time_control"}
"""The journal's key of a field, where it is not the field's name."""

RESULT = {result: result for result in (*PLAYED, *FORFEITS, ANNULLED)}
EXCUSABLE_SIDES = {"+:-": ("second",), "-:+": ("first",), "-:-": ("first", "second", "both")}
"""The sides whose forfeit can be excused, by result."""


def parse_section(ruleset: Ruleset, raw: dict[str, Any], faults: Faults) -> Section | None:
    """Make a section from its line's JSON; None, with problems added to `faults`, if it breaks the form."""
    values = parse_keys(raw, section_keys(ruleset), faults)
    starts, ends = values.get("starts"), values.get("ends")
    first = ruleset.editions[0].in_force
    if starts and starts < first:
        faults.add(
            "starts",
            _("{day} is before the first regulations, in force from {first}"),
            day=starts,
            first=first,
        )
    if starts and ends and ends < starts:
        faults.add("ends", _("{ends} is before the section starts on {starts}"), ends=ends, starts=starts)
    if starts and ends and (ends - starts).days > MOST_DAYS_OF_A_SECTION:
        words = _("the section is longer than {days} days; check both days")
        faults.add("ends", words, days=MOST_DAYS_OF_A_SECTION)
    for particular in ruleset.sections.fields:
        if particular.only_with is None or values.get(particular.only_with[0]) is None:
            continue
        other, value = particular.only_with
        key, allowed = SECTION_KEY_NAMES.get(particular.name, particular.name), values.get(other) == value
        if allowed and particular.required and key not in raw:
            faults.add(key, _("is missing, but required where {other} is {value}"), other=other, value=value)
        if not allowed and key in raw:
            faults.add(key, _("can be there only where {other} is {value}"), other=other, value=value)
    if values.get("country") == ruleset.country:
        values["country"] = None
    _fill_lists(ruleset, values, faults)
    if faults.found:
        return None
    values["time_controls"] = values.pop("time_control", ())
    return Section(**values)


@cache
def section_keys(ruleset: Ruleset) -> Mapping[str, JournalKey]:
    """The keys that a section's line may have: the common ones, and the ruleset's fields."""
    placement = "placement" in ruleset.sections.formats
    keys = {
        "id": JournalKey(parse_section_id),
        "event": JournalKey(text(100)),
        "name": JournalKey(text(100)),
        "starts": JournalKey(parse_day),
        "ends": JournalKey(parse_day),
        "country": JournalKey(country, None),
        "format": JournalKey(one_of([name for name in FORMATS if placement or name != "placement"])),
        "team": JournalKey(parse_flag, False),
        "rounds": JournalKey(whole(1, MOST_ROUNDS)),
        "entries": JournalKey(parse_array),
        "games": JournalKey(parse_array, ()),
        "byes": JournalKey(parse_array, ()),
    }
    for particular in ruleset.sections.fields:
        required = particular.required and particular.kind != "flag" and particular.only_with is None
        default = {"flag": False, "time_controls": ()}.get(particular.kind)
        key = SECTION_KEY_NAMES.get(particular.name, particular.name)
        keys[key] = JournalKey(check_of(particular), NEEDED if required else default)
    return keys


def check_of(field: Field) -> Check:
    values = [choice.value for choice in field.choices]
    if field.kind == "whole":
        return one_of([int(value) for value in values]) if values else whole(0, GREATEST_NUMBER)
    return {"choice": one_of(values), "flag": parse_flag, "time_controls": parse_time_controls}.get(
        field.kind, text(20)
    )


def parse_time_controls(value: object) -> tuple[TimeControl, ...]:
    """Parse one time control, or a list of several in one section."""
    if not isinstance(value, list):
        return (parse_time_control(value),)
    controls: tuple[TimeControl, ...] = parse_control_list(value)
    return controls


def parse_time_control(value: object) -> TimeControl:
    return TimeControl(**parse_inner_keys(value, TIME_CONTROL))


parse_control_list = list_of(parse_time_control)


# ---- Entries, games and byes of a section
def _fill_lists(ruleset: Ruleset, values: dict[str, Any], faults: Faults) -> None:
    """Replace the JSON of entries, games and byes in `values` by their objects, and add their problems."""
    rounds, rows = values["rounds"], values["entries"]
    if rounds is None or rows is None:
        return
    if not rows:
        faults.add("entries", _("the section has no players; write them"))
    women = values.get("status") in ruleset.sections.women_play_in
    keys = _entry_keys(ruleset, rounds, women)
    entries = values["entries"] = _entries(ruleset, rows, keys, bool(values["team"]), faults)
    ids = {entry.player: entry.player for entry in entries}
    if None in ids:
        return
    games = values["games"] = _games(ruleset, values["games"] or [], ids, faults)
    byes = values["byes"] = _byes(values["byes"] or [], ids, faults)
    if values["format"] == "placement" and (games or byes):
        faults.add("games", _("a section of the format placement has places only: no games, no byes"))
    if not ruleset.sections.many_games_a_round and values["format"] not in SEVERAL_A_ROUND:
        _check_seats(games, byes, faults)


def _entries(
    ruleset: Ruleset, rows: list[Any], keys: Mapping[str, JournalKey], team: bool, faults: Faults
) -> tuple[Entry, ...]:
    entries: dict[str | None, Entry] = {}
    for at, row in enumerate(rows):
        where = f"entries[{at}]"
        entry = _simple_entry(row, ruleset) or Entry(**parse_keys(row, keys, faults, where))
        if entry.team is not None and not team:
            faults.add(f"{where}.team", _("can be there only in a section whose team is true"))
        if entry.player in entries and entry.player is not None:
            faults.add(f"{where}.player", _("{player} is entered twice"), player=entry.player)
        entries[entry.player] = entry
    return tuple(entries.values())


def _simple_entry(row: Any, ruleset: Ruleset) -> Entry | None:
    """Parse quickly an entry that has a player, and perhaps place and pre-rating, as most do; None if the
    entry has more, or a problem, and needs the full check.

    Ids are interned: a fold looks standings up by them, and one player is one object in all sections.
    """
    try:
        player, place, pre = row["player"], row.get("place"), row.get("pre")
        optional = not ruleset.sections.places_needed
        valid_place = optional if place is None else type(place) is int and 1 <= place <= GREATEST_NUMBER
        valid_pre = pre is None or (type(pre) is int and pre in _pre_values(ruleset))
        if valid_place and valid_pre and len(row) == 1 + (place is not None) + (pre is not None):
            return Entry(intern(player_id(player)), place, None, pre)
    except (KeyError, TypeError, AttributeError, WrongValue):
        pass
    return None


@cache
def _entry_keys(ruleset: Ruleset, rounds: int, women: bool) -> Mapping[str, JournalKey]:
    """The keys that an entry may have; `women`: whether players compete for the women's title."""
    left = {"round": JournalKey(whole(1, rounds)), "notified": JournalKey(parse_flag)}
    place = whole(1, GREATEST_NUMBER)
    keys = {
        "player": JournalKey(player_id),
        "place": JournalKey(place) if ruleset.sections.places_needed else JournalKey(place, None),
        "rating": JournalKey(whole(0, 9_999), None),
        "pre": JournalKey(one_of(_pre_values(ruleset)), None),
        "women": JournalKey(parse_flag if women else _refuse_women, False),
        "team": JournalKey(text(60), None),
        "left": JournalKey(lambda value: Departure(**parse_inner_keys(value, left)), None),
    }
    return {
        key: check for key, check in keys.items() if key not in OPTIONAL_ENTRY_KEYS - ruleset.journal.reads
    }


def _pre_values(ruleset: Ruleset) -> tuple[int, ...]:
    return ruleset.pre_ratings.values if ruleset.pre_ratings else ()


def _refuse_women(value: object) -> bool:
    raise WrongValue(_("cannot be in a section of this status; leave it out"))


def _games(ruleset: Ruleset, rows: list[Any], ids: Mapping[str, str], faults: Faults) -> tuple[Game, ...]:
    """Parse games, with those of finals after the scheduled rounds, and sort them by round. Correct ones take
    a short path, as there are millions.

    `ids`: each entrant's id by itself, so that all games refer to a player by one object.
    """
    games: list[Game] = []
    for at, row in enumerate(rows):
        try:
            round_, result = row["round"], RESULT[row["result"]]
            first, second = ids[row["first"]], ids[row["second"]]
            valid = (
                len(row) == 4 and type(round_) is int and 1 <= round_ <= MOST_ROUNDS and first is not second
            )
        except (KeyError, TypeError):
            valid = False
        if valid:
            games.append(Game(round_, first, second, result))
        else:
            games.append(_game(ruleset, row, ids, faults, f"games[{at}]"))
    return tuple(games) if faults.found else tuple(sorted(games, key=itemgetter(0)))


def _game(ruleset: Ruleset, row: Any, ids: Mapping[str, str], faults: Faults, where: str) -> Game:
    game = Game(**parse_keys(row, _game_keys(ruleset), faults, where))
    _check_entered(ids, {"first": game.first, "second": game.second}, faults, where)
    if game.first == game.second and game.first is not None:
        faults.add(where, _("{player} cannot play themselves"), player=game.first)
    if game.excused and game.excused not in EXCUSABLE_SIDES.get(game.result, ()):
        faults.add(f"{where}.excused", _("{side} did not lose by forfeit in this game"), side=game.excused)
    return game


@cache
def _game_keys(ruleset: Ruleset) -> Mapping[str, JournalKey]:
    keys = {
        "round": JournalKey(whole(1, MOST_ROUNDS)),
        "first": JournalKey(player_id),
        "second": JournalKey(player_id),
        "result": JournalKey(one_of(tuple(RESULT))),
        "excused": JournalKey(one_of(("first", "second", "both")), None),
    }
    return {key: check for key, check in keys.items() if key != "excused" or key in ruleset.journal.reads}


def _byes(rows: list[Any], ids: Mapping[str, str], faults: Faults) -> tuple[Bye, ...]:
    byes = []
    keys = {
        "round": JournalKey(whole(1, MOST_ROUNDS)),
        "player": JournalKey(player_id),
        "kind": JournalKey(one_of(BYE_KINDS)),
    }
    for at, row in enumerate(rows):
        bye = Bye(**parse_keys(row, keys, faults, f"byes[{at}]"))
        _check_entered(ids, {"player": bye.player}, faults, f"byes[{at}]")
        byes.append(bye)
    return tuple(byes)


def _check_entered(
    ids: Mapping[str, str], players: dict[str, str | None], faults: Faults, where: str
) -> None:
    for key, player in players.items():
        if player is not None and player not in ids:
            words = _("{player} is not among the section's entries; enter the player or correct the id")
            faults.add(f"{where}.{key}", words, player=player)


def _check_seats(games: Iterable[Game], byes: Iterable[Bye], faults: Faults) -> None:
    """Add a problem for each player with two games, or a game and a bye, in one round; an annulled game does
    not count (D-7).
    """
    seats = [(game.round, player) for game in games if game.result != ANNULLED for player in game[1:3]]
    seats += [(bye.round, bye.player) for bye in byes]
    if faults.found or len(set(seats)) == len(seats):
        return
    for (round_, player), times in Counter(seats).items():
        if times > 1:
            words = _("{player} has {times} games or byes in round {round}; only one is allowed")
            faults.add("games", words, player=player, times=times, round=round_)


# ---- Parsing one line
Make = Callable[[dict[str, Any], Faults], JournalFact | None]

FEDERATION = {
    "form": JournalKey(whole(JOURNAL_FORM, JOURNAL_FORM)),
    "code": JournalKey(code),
    "ruleset": JournalKey(code),
    "name": JournalKey(text(100)),
}
PLAYER = {
    "id": JournalKey(player_id),
    "name": JournalKey(text(201), None),
    "salt": JournalKey(salt, None),
    "name_seal": JournalKey(seal, None),
    "nation": JournalKey(country, None),
    "region": JournalKey(text(10), None),
    "resident": JournalKey(parse_flag, True),
    "included_by": JournalKey(text(100), None),
}
RATED = {"section": JournalKey(parse_section_id), "on": JournalKey(parse_day)}
UNRATED = {**RATED, "reason": JournalKey(one_of(UNRATING_REASONS))}
LIST = {"on": JournalKey(parse_day)}
REVISED = {"list": JournalKey(parse_day), "on": JournalKey(parse_day)}
TAKEN_OVER = {"on": JournalKey(parse_day), "source": JournalKey(text(100))}
PLAYOFF = {"season": SEASON, "winner": JournalKey(player_id), "on": JournalKey(parse_day)}
MERGED = {"player": JournalKey(player_id), "into": JournalKey(player_id), "on": JournalKey(parse_day)}
PARTED = {"player": JournalKey(player_id), "on": JournalKey(parse_day)}


def parse_line(line: str | bytes, ruleset: Ruleset | None, number: int = 1) -> JournalFact:
    """Parse one line by itself. Raises JournalError with every problem.

    `ruleset`: None for the federation line, which names it. What depends on the lines above (known players,
    versions, the order of days) is checked by `read_journal`.
    """
    faults = Faults(number)
    raw = decode_line(line, faults)
    fact = None if faults.found else parse_fact(raw, ruleset, faults)
    if fact is None:
        raise JournalError(faults.found)
    return fact


def parse_fact(raw: object, ruleset: Ruleset | None, faults: Faults) -> JournalFact | None:
    """Make a fact from a line's JSON; None, with problems added to `faults`, if it breaks the form."""
    if not isinstance(raw, dict):
        faults.add("", _("write one JSON object a line, not {value}"), value=quote_value(raw))
        return None
    makers = makers_of(ruleset) if ruleset else FIRST_LINE_MAKERS
    kind = raw.get("fact")
    if not isinstance(kind, str) or kind not in makers:
        faults.add(
            "fact",
            _("{value} is not a fact that can be here; write one of: {kinds}"),
            value=quote_value(kind) if "fact" in raw else "—",
            kinds=", ".join(makers),
        )
        return None
    fact = makers[kind]({key: value for key, value in raw.items() if key != "fact"}, faults)
    return None if faults.found else fact


def make_fact(
    cls: Callable[..., JournalFact], keys: Mapping[str, JournalKey], raw: dict[str, Any], faults: Faults
) -> JournalFact | None:
    """Make a fact of a class whose fields have the names of the line's keys; None if there are problems."""
    values = parse_keys(raw, keys, faults)
    return None if faults.found else cls(**values)


def former_form_program(form: object) -> str:
    """The program that reads journals of a former form; empty for every other value of `form`."""
    return FORMER_FORMS.get(form, "") if type(form) is int else ""


def _federation(raw: dict[str, Any], faults: Faults) -> JournalFact | None:
    """Make the fact of the first line. A journal in another form gets one problem only, which names the
    program that reads it, as everything else may differ.
    """
    form = raw.get("form", 1)
    number = form if type(form) is int else 0
    if number == JOURNAL_FORM:
        return make_fact(Federation, FEDERATION, raw, faults)
    if program := former_form_program(form):
        words = _("this journal is in form {form}, which {program} reads; this program reads form {known}")
    elif number > JOURNAL_FORM:
        words = _("this journal is in form {form}, which a newer program reads; this one reads form {known}")
    else:
        words = _("this journal is in form {form}, which no program reads; this one reads form {known}")
    faults.add("form", words, form=quote_value(form), program=program, known=JOURNAL_FORM)
    return None


def _player(keys: Mapping[str, JournalKey], raw: dict[str, Any], faults: Faults) -> JournalFact | None:
    """Make the fact of a player line, which has a name with its salt, or a seal alone."""
    values = parse_keys(raw, keys, faults)
    named = "name" in raw or "salt" in raw
    if named and "name_seal" in raw:
        faults.add("name_seal", _("replaces name and salt; leave out either it or them"))
    elif "name_seal" not in raw:
        for key in ("name", "salt"):
            if key not in raw:
                faults.add(key, _("is missing: write name and salt, or name_seal in their place"))
    if faults.found:
        return None
    values["seal"] = values.pop("name_seal")
    return Player(**values)


FIRST_LINE_MAKERS: Mapping[str, Make] = {"federation": _federation}


@cache
def makers_of(ruleset: Ruleset) -> Mapping[str, Make]:
    """The functions that make facts in this ruleset's journals, by kind of line (`rated`), without optional
    kinds that the ruleset does not fold.
    """
    player = {
        key: check for key, check in PLAYER.items() if key not in OPTIONAL_PLAYER_KEYS - ruleset.journal.reads
    }
    makers: dict[str, Make] = {
        "player": partial(_player, player),
        "section": partial(parse_section, ruleset),
        "rated": partial(make_fact, Rated, RATED),
        "unrated": partial(make_fact, Unrated, UNRATED),
        "list": partial(make_fact, ListClosing, LIST),
        "revised": partial(make_fact, Revised, REVISED),
        "taken_over": partial(make_fact, TakenOver, TAKEN_OVER),
        "rank": partial(make_fact, Rank, _rank_keys(ruleset)),
        "playoff": partial(make_fact, Playoff, PLAYOFF),
        "opening": partial(make_fact, Opening, _opening_keys(ruleset)),
        "merged": partial(make_fact, Merged, MERGED),
        "parted": partial(make_fact, Parted, PARTED),
    }
    left_out = {"rank", "playoff", "opening"} - ruleset.journal.folds
    return {kind: make for kind, make in makers.items() if kind not in left_out}


def _rank_keys(ruleset: Ruleset) -> dict[str, JournalKey]:
    rank = one_of(ruleset.journal.ranks) if ruleset.journal.ranks else text(20)
    return {
        "player": JournalKey(player_id),
        "rank": JournalKey(rank),
        "on": JournalKey(parse_day),
        "ground": JournalKey(text(100)),
    }


def _opening_keys(ruleset: Ruleset) -> dict[str, JournalKey]:
    return {
        "player": JournalKey(player_id),
        "track": JournalKey(one_of([track.code for track in ruleset.tracks])),
        "rating": JournalKey(partial(_opening_rating, ruleset.storage.kept_decimals)),
        "games": JournalKey(whole(0, 999_999)),
        "on": JournalKey(parse_day),
        "source": JournalKey(text(100)),
    }


def _opening_rating(places: int, value: object) -> Decimal:
    """Parse an opening's rating of at most `places` decimals, as many as the ruleset keeps."""
    rating = parse_rating(value)
    if -int(rating.as_tuple().exponent) > places:
        raise WrongValue(
            _("{value} has more decimals than the {places} that a rating is kept with; round it"),
            value=quote_value(value),
            places=places,
        )
    return rating


# ---- The JSON that a journal may have
def decode_line(line: str | bytes, faults: Faults) -> Any:
    """Decode the JSON of a line without its line end; None, with a problem added to `faults`, if it is not
    JSON as a journal may have it.
    """
    try:
        text = line.decode() if isinstance(line, bytes) else line
        if not text or text.isspace():
            raise WrongValue(_("the line is empty; remove it"))
        if text[0] == "\ufeff":
            raise WrongValue(_("the line begins with a byte order mark; save the file as UTF-8 without one"))
        if "\r" in text:
            raise WrongValue(_("the line has a carriage return; end lines with a line feed alone"))
        return DECODER.decode(text)
    except WrongValue as error:
        faults.add("", error.words, **error.params)
    except UnicodeDecodeError as error:
        faults.add("", _("byte {place} is not UTF-8; save the file as UTF-8"), place=error.start + 1)
    except json.JSONDecodeError as error:
        faults.add("", _("is not JSON at character {place} ({why})"), place=error.pos + 1, why=error.msg)
    except RecursionError:
        faults.add("", _("is nested too deeply"))
    except ValueError:
        faults.add("", _("has a number of thousands of digits"))
    return None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        keys = [key for key, _value in pairs]
        twice = next(key for key in values if keys.count(key) > 1)
        raise WrongValue(_("the key {key} is there twice in one object; keep one"), key=quote_value(twice))
    return values


def _number(text: str) -> Decimal:
    if "e" in text or "E" in text or len(text) > 40:
        raise WrongValue(_("write the number {value} plainly, without an exponent"), value=quote_value(text))
    return Decimal(text)


def _constant(text: str) -> Any:
    raise WrongValue(
        _("{value} is not a number that a journal can have; write a plain number"), value=quote_value(text)
    )


DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_float=_number, parse_constant=_constant)


# ---- Writing lines, in the one form in which the same record gives the same bytes
KINDS: dict[type[JournalFact], str] = {
    Federation: "federation",
    Player: "player",
    Section: "section",
    Rated: "rated",
    Unrated: "unrated",
    ListClosing: "list",
    Revised: "revised",
    TakenOver: "taken_over",
    Rank: "rank",
    Playoff: "playoff",
    Opening: "opening",
    Merged: "merged",
    Parted: "parted",
}
"""The kind of line of each class of fact: the value of `fact` in the line. In all but sections, keys come in
the order of the class's fields.
"""
FIELD_NAMES = {cls: tuple(each.name for each in fields(cls)) for cls in KINDS}
PLAYER_KEY_NAMES = {"seal": "name_seal"}
"""The journal's key of a field, where it is not the field's name."""


class RawJson(str):
    """Text that is JSON already."""

    __slots__ = ()


class Quotes(dict[str, str]):
    """A cache of texts as JSON, so that each is escaped once: player ids are in many games."""

    def __missing__(self, text: str) -> str:
        self[text] = quoted = encode_basestring(text if text.isascii() else normalize("NFC", text))
        return quoted


def write_line(fact: JournalFact, ruleset: Ruleset) -> str:
    """A fact's canonical line, without its line end and without keys that the ruleset does not read."""
    if isinstance(fact, Section):
        return _section(fact, ruleset)
    pairs = [(name, getattr(fact, name)) for name in FIELD_NAMES[type(fact)]]
    if isinstance(fact, Player):
        unread = OPTIONAL_PLAYER_KEYS - ruleset.journal.reads
        pairs = [
            (PLAYER_KEY_NAMES.get(name, name), None if name in unread or value is True else value)
            for name, value in pairs
        ]
    if isinstance(fact, Opening):
        pairs = [(name, plain(value) if name == "rating" else value) for name, value in pairs]
    return _object([("fact", KINDS[type(fact)]), *pairs])


def _section(section: Section, ruleset: Ruleset) -> str:
    quotes = Quotes()
    games = [  # sorted by round, within a round in their given order
        f'{{"round":{round_},"first":{quotes[first]},"second":{quotes[second]},"result":"{result}"'
        + (f',"excused":"{excused}"}}' if excused else "}")
        for round_, first, second, result, excused in sorted(section.games, key=itemgetter(0))
    ]
    byes = [
        f'{{"round":{bye.round},"player":{quotes[bye.player]},"kind":"{bye.kind}"}}' for bye in section.byes
    ]
    return _object(
        [
            ("fact", "section"),
            ("id", section.id),
            ("event", section.event),
            ("name", section.name),
            ("starts", section.starts),
            ("ends", section.ends),
            ("country", section.country if section.country != ruleset.country else None),
            ("format", section.format),
            ("team", section.team or None),
            ("rounds", section.rounds),
            ("time_control", _time_controls(section.time_controls)),
            ("time_class", section.time_class),
            ("platform", section.platform),
            ("disabled", section.disabled or None),
            ("category", section.category),
            ("status", section.status),
            ("season", section.season),
            ("coefficient", section.coefficient),
            ("entries", _list([_entry(entry, quotes, ruleset) for entry in section.entries])),
            ("games", _list(games) if games else None),
            ("byes", _list(byes) if byes else None),
        ]
    )


def _object(pairs: Iterable[tuple[str, Any]]) -> RawJson:
    """A JSON object of keys and values; keys whose value is None are left out."""
    return RawJson(
        "{" + ",".join([f'"{key}":{_value(value)}' for key, value in pairs if value is not None]) + "}"
    )


def _list(values: list[Any]) -> RawJson:
    return RawJson("[" + ",".join(values) + "]")


def _value(value: Any) -> str:
    if isinstance(value, RawJson):
        return value
    if isinstance(value, str):
        return Quotes()[value]
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return f'"{value.isoformat()}"'
    return plain(value) if isinstance(value, Decimal) else str(int(value))


def _time_controls(controls: tuple[TimeControl, ...]) -> RawJson | None:
    objects = [
        _object(
            [
                ("minutes", _list([plain(period) for period in control.minutes])),
                ("increment", control.increment or None),
            ]
        )
        for control in controls
    ]
    return objects[0] if len(objects) == 1 else _list(objects) if objects else None


PLAIN_ENTRY = (None, None, False, None, None)


def _entry(entry: Entry, quotes: Quotes, ruleset: Ruleset) -> str:
    if (entry.rating, entry.pre, entry.women, entry.team, entry.left) == PLAIN_ENTRY:
        place = "" if entry.place is None else f',"place":{entry.place}'
        return f'{{"player":{quotes[entry.player]}{place}}}'
    left = entry.left and _object([("round", entry.left.round), ("notified", entry.left.notified)])
    return _object(
        [
            ("player", entry.player),
            ("place", entry.place),
            ("rating", entry.rating if "rating" in ruleset.journal.reads else None),
            ("pre", entry.pre if "pre" in ruleset.journal.reads else None),
            ("women", (entry.women or None) if "women" in ruleset.journal.reads else None),
            ("team", entry.team),
            ("left", left),
        ]
    )
