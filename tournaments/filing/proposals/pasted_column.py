"""A column of new players' particulars, filled in at once: pasted from a table, or one value for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from django.http import QueryDict
from django.utils.translation import gettext as now

from players.register.name_folding import fold
from tournaments.events.models import Entry

SEXES = {"m": "m", "male": "m", "f": "f", "w": "f", "k": "f", "female": "f", "м": "m", "ж": "f"}
"""Spellings of the sex in tables of several languages."""
SHOWN = 3  # lines that an error quotes


class PastedValue(NamedTuple):
    """One line of what was pasted: who is meant, by starting number or name, and the value."""

    who: str
    """Empty: the next player in the page's order."""
    value: str


def filled(
    data: QueryDict, column: str, entries: Sequence[Entry], pasted: str, default: str
) -> tuple[QueryDict, list[str]]:
    """Return what was typed with a column of these entries filled in, and complaints: with any, nothing is.
    An answer that was typed by hand stays.
    """
    lines = [line for text in pasted.splitlines() if (line := _line(text, entries))]
    values, errors = _by_number(lines, entries)
    if errors:
        return data, errors
    told = data.copy()
    for entry in entries:
        name = f"new-{entry.number}-{column}"
        value = values.get(entry.number, "") or default
        if value and not told.get(name, "").strip():
            told[name] = SEXES.get(value.casefold(), value) if column == "sex" else value
    return told, []


def _line(text: str, entries: Iterable[Entry]) -> PastedValue | None:
    """A pasted line; None for a blank one without a second column. A comma may divide who is named so."""
    for mark in ("\t", ";"):
        if mark in text:
            who, _mark, value = text.partition(mark)
            return PastedValue(who.strip(), value.strip())
    who, mark, value = text.rpartition(",")
    if mark and (who.strip().isdecimal() or any(fold(who) == fold(entry.name) for entry in entries)):
        return PastedValue(who.strip(), value.strip())
    return PastedValue("", text.strip()) if text.strip() else None


def _by_number(lines: Sequence[PastedValue], entries: Sequence[Entry]) -> tuple[Mapping[int, str], list[str]]:
    """The pasted values by starting number, and what is wrong with them."""
    if not any(line.who for line in lines):
        if lines and len(lines) != len(entries):
            words = now(
                "%(lines)s lines were pasted for %(players)s players. Paste one for each, in the order of "
                "their starting numbers, or put the number or the name before each value."
            )
            return {}, [words % {"lines": len(lines), "players": len(entries)}]
        return {entry.number: line.value for entry, line in zip(entries, lines, strict=False)}, []
    known = {str(entry.number): entry.number for entry in entries}
    known |= {fold(entry.name): entry.number for entry in entries}
    strangers = [line.who or line.value for line in lines if _key(line.who) not in known]
    if len(strangers) == len(lines):
        words = now("No player below is meant by what was pasted: %(names)s.")
        return {}, [words % {"names": "; ".join(strangers[:SHOWN])}]
    return {known[_key(line.who)]: line.value for line in lines if _key(line.who) in known}, []


def _key(who: str) -> str:
    return who if who.isdecimal() else fold(who)
