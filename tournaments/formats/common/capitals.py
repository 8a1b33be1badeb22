"""Surnames in capitals, as in othello's and mahjong's files, put into the letters of a register."""

import re
from collections.abc import Sequence
from dataclasses import replace

from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import SheetPlayer

_WORD = re.compile(r"[^\W\d_]+")


def in_small_letters(rows: Sequence[SheetPlayer], notes: Notes) -> list[SheetPlayer]:
    """Turn `VAN DEN BERG` into `Van Den Berg`, name by name: programs write whom they know in capitals, and
    others as they were typed. Noted once. A name of capitals throughout stays where others are not so.
    """
    parted = [row for row in rows if row.first_name]
    all_of_them = all(row.surname.isupper() for row in parted)
    shouted = [row for row in parted if row.surname.isupper() and (all_of_them or _is_plain(row))]
    if not shouted:
        return list(rows)
    first = shouted[0]
    notes.adjusts("surnames-in-capitals", first.line, first.surname, _quiet(first.surname))
    lines = {id(row) for row in shouted}
    return [_with_surname(row, _quiet(row.surname)) if id(row) in lines else row for row in rows]


def _is_plain(row: SheetPlayer) -> bool:
    """Whether the capitals of a surname are a program's: the first name has others, and it is no initial."""
    return len(row.surname) > 1 and not row.first_name.isupper()


def _quiet(surname: str) -> str:
    return _WORD.sub(lambda found: found[0][0] + found[0][1:].lower(), surname)


def _with_surname(row: SheetPlayer, surname: str) -> SheetPlayer:
    return replace(row, surname=surname, name=f"{surname}, {row.first_name}")
