"""One line of a journal: from text to a fact, strictly by the form that its ruleset declares."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache, partial
from typing import Any

from ratings.rulesets.facts import (
    Federation,
    JournalFact,
    ListClosing,
    Merged,
    Opening,
    Player,
    Playoff,
    Rank,
    Rated,
    Unrated,
)
from ratings.rulesets.journal_section import PLAYER_ID, SEASON, section_of
from ratings.rulesets.journal_values import (
    READ_BY_SOME,
    Faults,
    JournalError,
    Key,
    Wrong,
    code,
    country,
    day,
    decimal_text,
    flag,
    one_of,
    section_id,
    shown,
    take,
    text,
    whole,
)
from ratings.rulesets.ruleset import Ruleset
from ratings.rulesets.words import gettext_noop as _

Make = Callable[[dict[str, Any], Faults], JournalFact | None]

FEDERATION = {"code": Key(code), "ruleset": Key(code), "name": Key(text(100))}
PLAYER = {
    "id": Key(PLAYER_ID),
    "name": Key(text(201)),
    "sex": Key(one_of(("m", "f")), None),
    "born": Key(whole(1800, 2799), None),
    "nation": Key(country, None),
    "resident": Key(flag, True),
    "region": Key(text(10), None),
    "included_by": Key(text(100), None),
}
RATED = {"section": Key(section_id), "on": Key(day)}
UNRATED = {**RATED, "reason": Key(text(200))}
PLAYOFF = {"season": SEASON, "winner": Key(PLAYER_ID), "on": Key(day)}
MERGED = {"player": Key(PLAYER_ID), "into": Key(PLAYER_ID), "on": Key(day)}


def parse_line(line: str | bytes, ruleset: Ruleset | None, number: int = 1) -> JournalFact:
    """The fact of one line by itself; JournalError with all that is wrong with it.

    `ruleset` is that of the federation line; that line itself is parsed with None. What only the lines above
    can tell (players known, versions, the order of days) is checked by `read_journal`.
    """
    faults = Faults(number)
    raw = decoded(line, faults)
    fact = None if faults.found else fact_of(raw, ruleset, faults)
    if fact is None:
        raise JournalError(faults.found)
    return fact


def fact_of(raw: object, ruleset: Ruleset | None, faults: Faults) -> JournalFact | None:
    """The fact that a line's JSON says; None, and the faults, where it does not follow the form."""
    if not isinstance(raw, dict):
        faults.add("", _("write one JSON object a line, not {value}"), value=shown(raw))
        return None
    makers = makers_of(ruleset) if ruleset else HEAD
    kind = raw.get("fact")
    if not isinstance(kind, str) or kind not in makers:
        faults.add(
            "fact",
            _("{value} is no fact that may stand here; write one of: {kinds}"),
            value=shown(kind) if "fact" in raw else "—",
            kinds=", ".join(makers),
        )
        return None
    fact = makers[kind]({key: value for key, value in raw.items() if key != "fact"}, faults)
    return None if faults.found else fact


def plainly(
    cls: Callable[..., JournalFact], keys: Mapping[str, Key], raw: dict[str, Any], faults: Faults
) -> JournalFact | None:
    """A fact whose keys are the class's own fields."""
    values = take(raw, keys, faults)
    return None if faults.found else cls(**values)


HEAD: Mapping[str, Make] = {"federation": partial(plainly, Federation, FEDERATION)}


@cache
def makers_of(ruleset: Ruleset) -> Mapping[str, Make]:
    """What makes a fact of each kind of line. Those not for all stand where the ruleset folds them."""
    player = {key: check for key, check in PLAYER.items() if key not in READ_BY_SOME - ruleset.reads}
    makers: dict[str, Make] = {
        "player": partial(plainly, Player, player),
        "section": partial(section_of, ruleset),
        "rated": partial(plainly, Rated, RATED),
        "unrated": partial(plainly, Unrated, UNRATED),
        "list": partial(plainly, ListClosing, {"on": Key(day)}),
        "rank": partial(plainly, Rank, _rank(ruleset)),
        "playoff": partial(plainly, Playoff, PLAYOFF),
        "opening": partial(plainly, Opening, _opening(ruleset)),
        "merged": partial(plainly, Merged, MERGED),
    }
    left_out = {"rank", "playoff", "opening"} - ruleset.folds
    return {kind: make for kind, make in makers.items() if kind not in left_out}


def _rank(ruleset: Ruleset) -> dict[str, Key]:
    rank = one_of(ruleset.ranks) if ruleset.ranks else text(20)
    return {"player": Key(PLAYER_ID), "rank": Key(rank), "on": Key(day), "ground": Key(text(100))}


def _opening(ruleset: Ruleset) -> dict[str, Key]:
    return {
        "player": Key(PLAYER_ID),
        "track": Key(one_of([track.code for track in ruleset.tracks])),
        "rating": Key(decimal_text),
        "games": Key(whole(0, 999_999)),
        "on": Key(day),
        "source": Key(text(100)),
    }


# ---------------------------------------------------------------- JSON, and no more of it than the page allow


def decoded(line: str | bytes, faults: Faults) -> Any:
    """The JSON value of a line without its line end; None and a fault where it is not JSON of ours."""
    try:
        written = line.decode() if isinstance(line, bytes) else line
        if not written or written.isspace():
            raise Wrong(_("the line is empty; take it out"))
        if written[0] == "\ufeff":
            raise Wrong(_("the line begins with a byte order mark; save the file as UTF-8 without one"))
        if "\r" in written:
            raise Wrong(_("the line has a carriage return; end lines with a line feed alone"))
        return DECODER.decode(written)
    except Wrong as wrong:
        faults.add("", wrong.words, **wrong.params)
    except UnicodeDecodeError as error:
        faults.add("", _("byte {place} is not UTF-8; save the file as UTF-8"), place=error.start + 1)
    except json.JSONDecodeError as error:
        faults.add("", _("is not JSON at character {place} ({why})"), place=error.pos + 1, why=error.msg)
    except RecursionError:
        faults.add("", _("is nested too deeply"))
    except ValueError:
        faults.add("", _("has a number of thousands of digits"))
    return None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        keys = [key for key, _value in pairs]
        twice = next(key for key in values if keys.count(key) > 1)
        raise Wrong(_("the key {key} stands twice in one object; keep one"), key=shown(twice))
    return values


def _number(written: str) -> Decimal:
    if "e" in written or "E" in written or len(written) > 40:
        raise Wrong(_("write the number {value} plainly, without an exponent"), value=shown(written))
    return Decimal(written)


def _constant(written: str) -> Any:
    raise Wrong(_("{value} is no number of a journal; write a plain number"), value=shown(written))


DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_float=_number, parse_constant=_constant)
