"""Parses one line of a journal into a fact, strictly by the form that its ruleset declares."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache, partial
from typing import Any

from ratings.law.facts import (
    FORM,
    FORMER_FORMS,
    REASONS,
    Federation,
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
    TakenOver,
    Unrated,
)
from ratings.law.journal.section_line import SEASON, section_of
from ratings.law.journal.values import (
    READ_BY_SOME,
    Faults,
    JournalError,
    JournalKey,
    WrongValue,
    code,
    country,
    day,
    decimal_text,
    flag,
    one_of,
    player_id,
    quoted,
    salt,
    seal,
    section_id,
    take,
    text,
    whole,
)
from ratings.law.ruleset import Ruleset
from ratings.law.translation_marks import gettext_noop as _

Make = Callable[[dict[str, Any], Faults], JournalFact | None]

FEDERATION = {
    "form": JournalKey(whole(FORM, FORM)),
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
    "resident": JournalKey(flag, True),
    "included_by": JournalKey(text(100), None),
}
RATED = {"section": JournalKey(section_id), "on": JournalKey(day)}
UNRATED = {**RATED, "reason": JournalKey(one_of(REASONS))}
LIST = {"on": JournalKey(day)}
REVISED = {"list": JournalKey(day), "on": JournalKey(day)}
TAKEN_OVER = {"on": JournalKey(day), "source": JournalKey(text(100))}
PLAYOFF = {"season": SEASON, "winner": JournalKey(player_id), "on": JournalKey(day)}
MERGED = {"player": JournalKey(player_id), "into": JournalKey(player_id), "on": JournalKey(day)}
PARTED = {"player": JournalKey(player_id), "on": JournalKey(day)}


def parse_line(line: str | bytes, ruleset: Ruleset | None, number: int = 1) -> JournalFact:
    """Parse one line by itself into its fact; raises JournalError with every problem.

    `ruleset` is the one that the federation line names; for that line itself it is None. Whatever depends on
    the lines above (players known, versions, the order of days) is checked by `read_journal`.
    """
    faults = Faults(number)
    raw = decoded(line, faults)
    fact = None if faults.found else fact_of(raw, ruleset, faults)
    if fact is None:
        raise JournalError(faults.found)
    return fact


def fact_of(raw: object, ruleset: Ruleset | None, faults: Faults) -> JournalFact | None:
    """Make a fact of a line's JSON; None, with the problems added to `faults`, where it does not follow the
    form.
    """
    if not isinstance(raw, dict):
        faults.add("", _("write one JSON object a line, not {value}"), value=quoted(raw))
        return None
    makers = makers_of(ruleset) if ruleset else HEAD
    kind = raw.get("fact")
    if not isinstance(kind, str) or kind not in makers:
        faults.add(
            "fact",
            _("{value} is not a fact that can be here; write one of: {kinds}"),
            value=quoted(kind) if "fact" in raw else "—",
            kinds=", ".join(makers),
        )
        return None
    fact = makers[kind]({key: value for key, value in raw.items() if key != "fact"}, faults)
    return None if faults.found else fact


def plainly(
    cls: Callable[..., JournalFact], keys: Mapping[str, JournalKey], raw: dict[str, Any], faults: Faults
) -> JournalFact | None:
    """Make a fact of class `cls`, whose fields have the names of the line's keys; None where there are
    problems.
    """
    values = take(raw, keys, faults)
    return None if faults.found else cls(**values)


def reader_of(form: object) -> str:
    """The program that reads journals of a former form; empty for every other value of `form`."""
    return FORMER_FORMS.get(form, "") if type(form) is int else ""


def _federation(raw: dict[str, Any], faults: Faults) -> JournalFact | None:
    """Make the fact of the first line. A journal in another form gets one problem only, which names the
    program that reads it: all the rest may differ.
    """
    form = raw.get("form", 1)
    number = form if type(form) is int else 0
    if number == FORM:
        return plainly(Federation, FEDERATION, raw, faults)
    if program := reader_of(form):
        words = _("this journal is in form {form}, which {program} reads; this program reads form {known}")
    elif number > FORM:
        words = _("this journal is in form {form}, which a newer program reads; this one reads form {known}")
    else:
        words = _("this journal is in form {form}, which no program reads; this one reads form {known}")
    faults.add("form", words, form=quoted(form), program=program, known=FORM)
    return None


def _player(keys: Mapping[str, JournalKey], raw: dict[str, Any], faults: Faults) -> JournalFact | None:
    """Make the fact of a player line, which has a name with its salt, or a seal alone."""
    values = take(raw, keys, faults)
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


HEAD: Mapping[str, Make] = {"federation": _federation}


@cache
def makers_of(ruleset: Ruleset) -> Mapping[str, Make]:
    """The functions that make facts in this ruleset's journals, by kind of line (`rated`); kinds that the
    ruleset does not fold are left out.
    """
    player = {key: check for key, check in PLAYER.items() if key not in READ_BY_SOME - ruleset.journal.reads}
    makers: dict[str, Make] = {
        "player": partial(_player, player),
        "section": partial(section_of, ruleset),
        "rated": partial(plainly, Rated, RATED),
        "unrated": partial(plainly, Unrated, UNRATED),
        "list": partial(plainly, ListClosing, LIST),
        "revised": partial(plainly, Revised, REVISED),
        "taken_over": partial(plainly, TakenOver, TAKEN_OVER),
        "rank": partial(plainly, Rank, _rank(ruleset)),
        "playoff": partial(plainly, Playoff, PLAYOFF),
        "opening": partial(plainly, Opening, _opening(ruleset)),
        "merged": partial(plainly, Merged, MERGED),
        "parted": partial(plainly, Parted, PARTED),
    }
    left_out = {"rank", "playoff", "opening"} - ruleset.journal.folds
    return {kind: make for kind, make in makers.items() if kind not in left_out}


def _rank(ruleset: Ruleset) -> dict[str, JournalKey]:
    rank = one_of(ruleset.journal.ranks) if ruleset.journal.ranks else text(20)
    return {
        "player": JournalKey(player_id),
        "rank": JournalKey(rank),
        "on": JournalKey(day),
        "ground": JournalKey(text(100)),
    }


def _opening(ruleset: Ruleset) -> dict[str, JournalKey]:
    return {
        "player": JournalKey(player_id),
        "track": JournalKey(one_of([track.code for track in ruleset.tracks])),
        "rating": JournalKey(partial(_kept, ruleset.storage.kept_decimals)),
        "games": JournalKey(whole(0, 999_999)),
        "on": JournalKey(day),
        "source": JournalKey(text(100)),
    }


def _kept(places: int, value: object) -> Decimal:
    """Parse an opening's rating; refuse more decimals than `places`, as many as the ruleset keeps."""
    rating = decimal_text(value)
    if -int(rating.as_tuple().exponent) > places:
        raise WrongValue(
            _("{value} has more decimals than the {places} that a rating is kept with; round it"),
            value=quoted(value),
            places=places,
        )
    return rating


# ---------------------------------------------------------------- JSON, and no more of it than the page allow


def decoded(line: str | bytes, faults: Faults) -> Any:
    """Decode the JSON of a line without its line end; None, with a problem added to `faults`, where it is
    none or not such as a journal may have.
    """
    try:
        written = line.decode() if isinstance(line, bytes) else line
        if not written or written.isspace():
            raise WrongValue(_("the line is empty; remove it"))
        if written[0] == "\ufeff":
            raise WrongValue(_("the line begins with a byte order mark; save the file as UTF-8 without one"))
        if "\r" in written:
            raise WrongValue(_("the line has a carriage return; end lines with a line feed alone"))
        return DECODER.decode(written)
    except WrongValue as wrong:
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
        raise WrongValue(_("the key {key} is there twice in one object; keep one"), key=quoted(twice))
    return values


def _number(written: str) -> Decimal:
    if "e" in written or "E" in written or len(written) > 40:
        raise WrongValue(_("write the number {value} plainly, without an exponent"), value=quoted(written))
    return Decimal(written)


def _constant(written: str) -> Any:
    raise WrongValue(
        _("{value} is not a number that a journal can have; write a plain number"), value=quoted(written)
    )


DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_float=_number, parse_constant=_constant)
