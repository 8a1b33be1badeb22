"""Mahjong's tables of places for the tests: the portal's and the EMA's, with invented people."""

from tournaments.formats import read_any
from tournaments.formats.sheet import Reading, Sheet

PORTAL = """\
place,name,scores,games,ema,load_player
1,Орлов Иван,120.5,8,04180001,true
2,Белова Ольга,99,8,04180002,true
2,Зайцев Пётр,99,8,,true
4,"Лисина, Вера",130,7,,true
"""
EMA = """\
Tournament name,Number of participants,Place,Player's first name,Player's last name,EMA number,Table points,\
Score,EMA member,Country,Date,Countrycourt,city,mers,shortname,rules,period,NbDays,Extra
Spring Cup,3,1,Ivan,ORLOV,04180001,24,1200,YES,RUS,07.03.2026,RUS,Moscow,,,MCR,,1,
Spring Cup,3,2,Olga,BELOVA,04180002,20,900,YES,RUS,07.03.2026,RUS,Moscow,,,MCR,,1,
Spring Cup,3,3,Petr,ZAITSEV,,12,-300,,RUS,07.03.2026,RUS,Moscow,,,MCR,,1,
"""


def read(text: str, encoding: str = "utf-8") -> Reading:
    return read_any(text.encode(encoding))


def sheet_of(text: str) -> Sheet:
    sheet = read(text).sheet
    assert sheet
    return sheet


def changed(before: str, after: str, text: str = PORTAL) -> Reading:
    """The reading of the file in which this stood once and was put otherwise."""
    assert text.count(before) == 1, before
    return read(text.replace(before, after))


def found(reading: Reading, level: str | None = None) -> list[tuple[str, int | None, int | None]]:
    """The findings, each with its line and column."""
    return [(r.key, r.line, r.column) for r in reading.findings if level in (None, r.level)]


def adjustments(reading: Reading) -> list[tuple[str, int | None, str, str]]:
    return [
        (adjustment.key, adjustment.line, adjustment.before, adjustment.after)
        for adjustment in reading.adjustments
    ]
