"""Parses a section's line: its own keys, those that the ruleset declares, and entries, games and byes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import cache
from operator import itemgetter
from sys import intern
from typing import Any

from ratings.law.facts import (
    ANNULLED,
    BYES,
    FORFEITS,
    FORMATS,
    PLAYED,
    Bye,
    Entry,
    Game,
    Left,
    Section,
    TimeControl,
)
from ratings.law.fields import Field
from ratings.law.fold_order import MOST_DAYS_OF_A_SECTION
from ratings.law.journal.values import (
    Check,
    Faults,
    JournalKey,
    WrongValue,
    amount,
    array,
    country,
    day,
    flag,
    list_of,
    one_of,
    player_id,
    section_id,
    take,
    take_inner,
    text,
    whole,
)
from ratings.law.ruleset import Ruleset
from ratings.law.translation_marks import gettext_noop as _

SEVERAL_A_ROUND = frozenset({"double-round-robin", "knockout", "match"})
"""Formats in which two players may meet twice in what the file calls one round."""
SEASON = JournalKey(text(20))
ENTRIES_OF_SOME = frozenset({"rating", "pre", "women"})
"""Keys of an entry that are allowed only where the ruleset reads them."""
MOST = 99_999
MOST_ROUNDS = 999  # scheduled, or in all with finals behind them
TIME_CONTROL = {"minutes": JournalKey(list_of(amount)), "increment": JournalKey(amount, Decimal(0))}
OTHER_KEYS = {"time_controls": "time_control"}
"""The journal's key of a field, where it is not the field's name."""

RESULT = {result: result for result in (*PLAYED, *FORFEITS, ANNULLED)}
SIDES = {"+:-": ("second",), "-:+": ("first",), "-:-": ("first", "second", "both")}
"""The sides whose forfeit can be excused, by result."""


def section_of(ruleset: Ruleset, raw: dict[str, Any], faults: Faults) -> Section | None:
    """Make a section of its line's JSON; None, with the problems added to `faults`, where it breaks this
    ruleset's form.
    """
    values = take(raw, section_keys(ruleset), faults)
    _check_days(ruleset, values, faults)
    _check_companions(ruleset, raw, values, faults)
    if values.get("country") == ruleset.country:
        values["country"] = None
    _fill_lists(ruleset, values, faults)
    if faults.found:
        return None
    values["time_controls"] = values.pop("time_control", ())
    return Section(**values)


@cache
def section_keys(ruleset: Ruleset) -> Mapping[str, JournalKey]:
    """The keys that a section's line may have in this ruleset's journals: the common ones, and its declared
    fields.
    """
    placement = "placement" in ruleset.sections.formats
    keys = {
        "id": JournalKey(section_id),
        "event": JournalKey(text(100)),
        "name": JournalKey(text(100)),
        "starts": JournalKey(day),
        "ends": JournalKey(day),
        "country": JournalKey(country, None),
        "format": JournalKey(one_of([name for name in FORMATS if placement or name != "placement"])),
        "team": JournalKey(flag, False),
        "rounds": JournalKey(whole(1, MOST_ROUNDS)),
        "entries": JournalKey(array),
        "games": JournalKey(array, ()),
        "byes": JournalKey(array, ()),
    }
    for field in ruleset.sections.fields:
        key = OTHER_KEYS.get(field.name, field.name)
        keys[key] = (
            JournalKey(check_of(field)) if needed(field) else JournalKey(check_of(field), absent(field))
        )
    return keys


def needed(field: Field) -> bool:
    return field.required and field.kind != "flag" and field.only_with is None


def absent(field: Field) -> Any:
    """The value of a ruleset's field in a section whose line leaves it out."""
    return {"flag": False, "time_controls": ()}.get(field.kind)


def check_of(field: Field) -> Check:
    values = [choice.value for choice in field.choices]
    if field.kind == "whole":
        return one_of([int(value) for value in values]) if values else whole(0, MOST)
    return {"choice": one_of(values), "flag": flag, "time_controls": time_controls}.get(field.kind, text(20))


def time_controls(value: object) -> tuple[TimeControl, ...]:
    """Parse one time control, or a list of several in one section."""
    controls: tuple[TimeControl, ...]
    controls = several_controls(value) if isinstance(value, list) else (time_control(value),)
    return controls


def time_control(value: object) -> TimeControl:
    return TimeControl(**take_inner(value, TIME_CONTROL))


several_controls = list_of(time_control)


def _check_days(ruleset: Ruleset, values: dict[str, Any], faults: Faults) -> None:
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


def _check_companions(ruleset: Ruleset, raw: dict[str, Any], values: dict[str, Any], faults: Faults) -> None:
    """Note problems of fields that are allowed, or needed, only beside a certain value of another
    (`only_with`).
    """
    for field in ruleset.sections.fields:
        if field.only_with is None or values.get(field.only_with[0]) is None:
            continue
        other, value = field.only_with
        key, beside = OTHER_KEYS.get(field.name, field.name), values.get(other) == value
        if beside and field.required and key not in raw:
            faults.add(key, _("is missing, but required where {other} is {value}"), other=other, value=value)
        if not beside and key in raw:
            faults.add(key, _("can be there only where {other} is {value}"), other=other, value=value)


# ---------------------------------------------------------------- entries, games, byes


def _fill_lists(ruleset: Ruleset, values: dict[str, Any], faults: Faults) -> None:
    """Replace the JSON of entries, games and byes in `values` by entries, games and byes, and note their
    problems.
    """
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
        entry = _simple_entry(row, ruleset) or Entry(**take(row, keys, faults, where))
        if entry.team is not None and not team:
            faults.add(f"{where}.team", _("can be there only in a section whose team is true"))
        if entry.player in entries and entry.player is not None:
            faults.add(f"{where}.player", _("{player} is entered twice"), player=entry.player)
        entries[entry.player] = entry
    return tuple(entries.values())


def _simple_entry(row: Any, ruleset: Ruleset) -> Entry | None:
    """Parse an entry of a player alone or with place and pre-rating, quickly, as most are; None: the entry
    has more, or a problem, and needs the full check.

    Ids are interned: a fold looks standings up by them, and one player is one object in all sections.
    """
    try:
        player, place, pre = row["player"], row.get("place"), row.get("pre")
        needless = not ruleset.sections.places_needed
        placed = needless if place is None else type(place) is int and 1 <= place <= MOST
        stated = pre is None or (type(pre) is int and pre in _pre_values(ruleset))
        if placed and stated and len(row) == 1 + (place is not None) + (pre is not None):
            return Entry(intern(player_id(player)), place, None, pre)
    except (KeyError, TypeError, AttributeError, WrongValue):
        pass
    return None


@cache
def _entry_keys(ruleset: Ruleset, rounds: int, women: bool) -> Mapping[str, JournalKey]:
    """The keys that an entry may have. `rounds`: those of the section; `women`: whether people play for the
    women's title in it.
    """
    left = {"round": JournalKey(whole(1, rounds)), "notified": JournalKey(flag)}
    place = whole(1, MOST)
    keys = {
        "player": JournalKey(player_id),
        "place": JournalKey(place) if ruleset.sections.places_needed else JournalKey(place, None),
        "rating": JournalKey(whole(0, 9_999), None),
        "pre": JournalKey(one_of(_pre_values(ruleset)), None),
        "women": JournalKey(flag if women else _no_women, False),
        "team": JournalKey(text(60), None),
        "left": JournalKey(lambda value: Left(**take_inner(value, left)), None),
    }
    return {key: check for key, check in keys.items() if key not in ENTRIES_OF_SOME - ruleset.journal.reads}


def _pre_values(ruleset: Ruleset) -> tuple[int, ...]:
    return ruleset.pre_ratings.values if ruleset.pre_ratings else ()


def _no_women(value: object) -> bool:
    raise WrongValue(_("cannot be in a section of this status; leave it out"))


def _games(ruleset: Ruleset, rows: list[Any], ids: Mapping[str, str], faults: Faults) -> tuple[Game, ...]:
    """Parse games, those of finals behind the scheduled rounds included, and sort them by round. Correct ones
    take a short path: there are millions.

    `ids`: each entrant's id by itself, so that games name a player by one object.
    """
    games: list[Game] = []
    for at, row in enumerate(rows):
        try:
            round_, result = row["round"], RESULT[row["result"]]
            first, second = ids[row["first"]], ids[row["second"]]
            right = (
                len(row) == 4 and type(round_) is int and 1 <= round_ <= MOST_ROUNDS and first is not second
            )
        except (KeyError, TypeError):
            right = False
        if right:
            games.append(Game(round_, first, second, result))
        else:
            games.append(_game(ruleset, row, ids, faults, f"games[{at}]"))
    return tuple(games) if faults.found else tuple(sorted(games, key=itemgetter(0)))


def _game(ruleset: Ruleset, row: Any, ids: Mapping[str, str], faults: Faults, where: str) -> Game:
    game = Game(**take(row, _game_keys(ruleset), faults, where))
    _check_entered(ids, {"first": game.first, "second": game.second}, faults, where)
    if game.first == game.second and game.first is not None:
        faults.add(where, _("{player} cannot play themselves"), player=game.first)
    if game.excused and game.excused not in SIDES.get(game.result, ()):
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
        "kind": JournalKey(one_of(BYES)),
    }
    for at, row in enumerate(rows):
        bye = Bye(**take(row, keys, faults, f"byes[{at}]"))
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
    """Note a problem for each player with two games, or a game and a bye, in one round; an annulled game does
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
