"""Event files for the tests of the readers: one small section of invented people, in two dialects."""

# ruff: noqa: E501 - the lines keep to the columns of the format

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

from tournaments.formats import read_any, trf_writer
from tournaments.formats.messages import ADJUSTMENTS, MESSAGES
from tournaments.formats.sheet import (
    FileAdjustment,
    FileFinding,
    Official,
    Reading,
    Sheet,
    SheetGame,
    SheetPlayer,
)

SWISS_MANAGER = """\
012 Soweto Open A
022 Johannesburg
032 RSA
042 2026/03/06
052 2026/03/08
062 5 (3)
072 3
082 0
092 Individual: Swiss-System
102 IA Nomsa Zulu (14399001)
112 FA Pieter Venter, Amahle Ndlovu (14399003)
122 90 minutes + 30 seconds per move
142 3
132                                                                                        26/03/06  26/03/07  26/03/08

         1         2         3         4         5         6         7         8         9         0         1
12345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789
DDD SSSS sTTT NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN RRRR FFF IIIIIIIIIII BBBB/BB/BB PPPP RRRR  1111 1 1  2222 2 2  3333 3 3
001    1 m    Dlamini,Thabo                     1874 RSA    14300001 1991/04/02  2.5    1     3 w 1     2 b =     5 w 1
001    2 fWCM Naidoo,Priya                      1792 RSA    14300002 2008/11/30  2.0    2     4 b 1     1 w =     3 b =
001    3 m    Botha,Pieter                      1650 RSA           0 1975/01/19  1.0    4     1 b 0  0000 - H     2 w =
001    4 f    Mokoena,Lerato                       0 RSA           0 2012/06/07  1.5    3     2 w 0     5 b +  0000 - H
001    5 m    Khumalo,Sipho                        0 RSA    14300005 2010/00/00  1.0    5  0000 - U     4 w -     1 b 0
"""

# Vega counts bytes: the ü on line 18 takes two of the name's 33.
VEGA = """\
012 Soweto Open A
022 Johannesburg
032 RSA
042 06/03/2026
052 08/03/2026
062 5
072 3
082 0
142 3
092 Individual: Swiss-System
102 IA Nomsa Zulu (14399001)
112 FA Pieter Venter
112 Amahle Ndlovu (14399003)
122 90 minutes + 30 seconds per move
132                                                                                        26/03/06  26/03/07  26/03/08
001    1 m    Dlamini, Thabo                    1874 RSA    14300001 1991/04/02  2.5    1     3 w 1     2 b =     5 w 1
001    2 wWCM Naidoo, Priya                     1792 RSA    14300002 2008/11/30  2.0    2     4 b 1     1 w =     3 b =
001    3 m    Müller, Pieter                   1650 RSA           0 1975/01/19  1.0    4     1 b 0  0000 - H     2 w =
001    4 w    Mokoena, Lerato                      0 RSA           0 2012/06/07  1.5    3     2 w 0     5 b +  0000 - H
001    5 m    Khumalo, Sipho                       0 RSA    14300005 2010/00/00  1.0    5  0000 - U     4 w -     1 b 0
"""

HEAD = """\
012 Tembisa Rapid
042 2026/05/09
052 2026/05/10
142 2
132                                                                                        26/05/09  26/05/10
"""
#   1         2         3         4         5         6         7         8         9         0         1
#   0         0         0         0         0         0         0         0         0         0         0
FOUR = """\
001    1 m    Dlamini, Thabo                    1874 RSA    14300001 1991/04/02  2.0    1     2 w 1     3 b 1
001    2 f    Naidoo, Priya                     1792 RSA    14300002 2008/11/30  0.5    3     1 b 0     4 w =
001    3 m    Botha, Pieter                     1650 RSA    14300003 1975/01/19  1.0    2     4 b 1     1 w 0
001    4 f    Mokoena, Lerato                      0 RSA    14300004 2012/06/07  0.5    3     3 w 0     2 b =
"""
# 3456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901
FIRST_PLAYER = 6  # the line of the file on which the first of FOUR stands


def read(text: str) -> Reading:
    return read_any(text.encode())


def changed(*replacements: tuple[str, str], text: str = HEAD + FOUR) -> Reading:
    """The reading of a file in which each of these stood once and was put otherwise."""
    for before, after in replacements:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return read(text)


def keys(reading: Reading, level: str | None = None) -> list[str]:
    return [finding.key for finding in reading.findings if level in (None, finding.level)]


def adjustments(reading: Reading) -> list[tuple[str, int | None, str, str]]:
    return [
        (adjustment.key, adjustment.line, adjustment.before, adjustment.after)
        for adjustment in reading.adjustments
    ]


# A whole section: six players, everybody against everybody in five rounds.
NAMES = (
    ("Dlamini", "Thabo", 1991, "m"),
    ("Naidoo", "Priya", 2008, "f"),
    ("Botha", "Pieter", 1975, "m"),
    ("Mokoena", "Lerato", 2012, "f"),
    ("Khumalo", "Sipho", 2010, "m"),
    ("van der Merwe", "Anneke", 1999, "f"),
)
ROUNDS = (
    ((1, 6), (2, 5), (3, 4)),
    ((6, 4), (5, 3), (1, 2)),
    ((2, 6), (3, 1), (4, 5)),
    ((6, 5), (1, 4), (2, 3)),
    ((3, 6), (4, 2), (5, 1)),
)
DAYS = (date(2026, 3, 6), date(2026, 3, 7), date(2026, 3, 7), date(2026, 3, 8), date(2026, 3, 8))


def open_sheet(**changes: Any) -> Sheet:
    """The lower number wins, the even sums are drawn."""
    rows = tuple(
        SheetPlayer(number, f"{surname}, {first}", surname, first, sex=sex, born=born)  # type: ignore[arg-type]
        for number, (surname, first, born, sex) in enumerate(NAMES, 1)
    )
    games = tuple(
        SheetGame(
            number, first, second, "1/2" if (first + second) % 2 == 0 else "1-0" if first < second else "0-1"
        )
        for number, pairs in enumerate(ROUNDS, 1)
        for first, second in pairs
    )
    sheet = Sheet(
        dialect="Swiss-Manager",
        name="Soweto Open A",
        starts=DAYS[0],
        ends=DAYS[-1],
        kind="Individual: Round-Robin",
        arbiters=(Official("Nomsa Zulu", "IA", "14399001"),),
        time_text="90 minutes + 30 seconds per move",
        rounds=5,
        rounds_played=5,
        round_dates=DAYS,
        rows=rows,
        games=games,
    )
    return with_points(replace(sheet, **changes))


def with_points(sheet: Sheet) -> Sheet:
    """The same with everybody's points as the results give them."""
    worth = {
        "1-0": (2, 0),
        "0-1": (0, 2),
        "1/2": (1, 1),
        "+:-": (2, 0),
        "-:+": (0, 2),
        "0-0": (0, 0),
        "-:-": (0, 0),
    }
    halves = {row.start_number: 0 for row in sheet.rows}
    for game in sheet.games:
        for player, points in zip((game.first, game.second), worth[game.result], strict=True):
            halves[player] = halves.get(player, 0) + points
    for bye in sheet.byes:
        halves[bye.player] += {"pairing": 2, "full": 2, "half": 1, "zero": 0}[bye.kind]
    return replace(
        sheet, rows=tuple(replace(row, points=Decimal(halves[row.start_number]) / 2) for row in sheet.rows)
    )


def open_file(style: str = "Swiss-Manager", **changes: Any) -> bytes:
    """The section as a pairing program writes it."""
    return trf_writer.write(open_sheet(**changes), style)


def describe_in_english(item: FileFinding | FileAdjustment) -> str:
    """An item in English, with its place."""
    if isinstance(item, FileAdjustment):
        words = f"{ADJUSTMENTS[item.key]} {item.before!r} → {item.after!r}"
        return f"line {item.line}: {words}" if item.line else words
    words = MESSAGES[item.key] % item.params
    if item.where:
        return f"{item.where}: {words}"
    place = [f"line {item.line}"] if item.line else []
    place += [f"column {item.column}"] if item.column else []
    return f"{', '.join(place)}: {words}" if place else words
