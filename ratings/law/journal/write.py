"""Writes facts as a journal's lines, in the one form in which the same record gives the same bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from datetime import date
from decimal import Decimal
from json.encoder import encode_basestring
from operator import itemgetter
from typing import Any
from unicodedata import normalize

from ratings.law.facts import (
    Bye,
    Entry,
    Federation,
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
)
from ratings.law.journal.values import READ_BY_SOME, plain
from ratings.law.ruleset import Ruleset

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
"""The kind of line of each class of fact: the value of `fact` in the line. In all but sections, keys stand in
the order of the class's fields.
"""


NAMES = {cls: tuple(each.name for each in fields(cls)) for cls in KINDS}
KEYS = {"seal": "name_seal"}
"""The journal's key of a field, where it is not the field's name."""


class Raw(str):
    """Text that is JSON already and is written as it is."""

    __slots__ = ()


class Quotes(dict[str, str]):
    """A cache of texts as JSON writes them, so that each is escaped once: player ids stand in many games."""

    def __missing__(self, text: str) -> str:
        self[text] = found = encode_basestring(text if text.isascii() else normalize("NFC", text))
        return found


def write_line(fact: JournalFact, ruleset: Ruleset) -> str:
    """Write a fact's canonical line, without its line end and without keys that the ruleset does not read."""
    if isinstance(fact, Section):
        return _section(fact, ruleset)
    pairs = [(name, getattr(fact, name)) for name in NAMES[type(fact)]]
    if isinstance(fact, Player):
        unread = READ_BY_SOME - ruleset.journal.reads
        pairs = [
            (KEYS.get(name, name), None if name in unread or value is True else value)
            for name, value in pairs
        ]
    if isinstance(fact, Opening):
        pairs = [(name, plain(value) if name == "rating" else value) for name, value in pairs]
    return _object([("fact", KINDS[type(fact)]), *pairs])


def _section(section: Section, ruleset: Ruleset) -> str:
    quotes = Quotes()
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
            ("games", _games(section.games, quotes)),
            ("byes", _byes(section.byes, quotes)),
        ]
    )


def _object(pairs: Iterable[tuple[str, Any]]) -> Raw:
    """Write a JSON object of keys and values; keys whose value is None are left out."""
    return Raw(
        "{" + ",".join([f'"{key}":{_value(value)}' for key, value in pairs if value is not None]) + "}"
    )


def _list(written: list[Any]) -> Raw:
    return Raw("[" + ",".join(written) + "]")


def _value(value: Any) -> str:
    if isinstance(value, Raw):
        return value
    if isinstance(value, str):
        return Quotes()[value]
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return f'"{value.isoformat()}"'
    return plain(value) if isinstance(value, Decimal) else str(int(value))


def _time_controls(controls: tuple[TimeControl, ...]) -> Raw | None:
    written = [
        _object(
            [
                ("minutes", _list([plain(period) for period in control.minutes])),
                ("increment", control.increment or None),
            ]
        )
        for control in controls
    ]
    return written[0] if len(written) == 1 else _list(written) if written else None


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


def _games(games: tuple[Game, ...], quotes: Quotes) -> Raw | None:
    """Write a section's games, sorted by round and within a round in their given order; None where there are
    none.
    """
    written = [
        f'{{"round":{round_},"first":{quotes[first]},"second":{quotes[second]},"result":"{result}"'
        + (f',"excused":"{excused}"}}' if excused else "}")
        for round_, first, second, result, excused in sorted(games, key=itemgetter(0))
    ]
    return _list(written) if written else None


def _byes(byes: tuple[Bye, ...], quotes: Quotes) -> Raw | None:
    written = [f'{{"round":{bye.round},"player":{quotes[bye.player]},"kind":"{bye.kind}"}}' for bye in byes]
    return _list(written) if written else None
