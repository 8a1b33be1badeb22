"""Surnames in capitals, as in othello's and mahjong's files, put into the letters of a register."""

import re
from collections.abc import Sequence
from dataclasses import replace

from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import SheetPlayer

_WORD = re.compile(r"[^\W\d_]+")


def in_small_letters(rows: Sequence[SheetPlayer], notes: Notes) -> list[SheetPlayer]:
    """Turn `VAN DEN BERG` into `Van Den Berg` if all surnames of a file are in capitals; noted once."""
    shouted = [row for row in rows if row.first_name]
    if not shouted or not all(row.surname.isupper() for row in shouted):
        return list(rows)
    first = shouted[0]
    notes.adjusts("surnames-in-capitals", first.line, first.surname, _quiet(first.surname))
    return [_with_surname(row, _quiet(row.surname)) if row.first_name else row for row in rows]


def _quiet(surname: str) -> str:
    return _WORD.sub(lambda found: found[0][0] + found[0][1:].lower(), surname)


def _with_surname(row: SheetPlayer, surname: str) -> SheetPlayer:
    return replace(row, surname=surname, name=f"{surname}, {row.first_name}")
