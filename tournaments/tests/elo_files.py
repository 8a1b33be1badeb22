"""An `.ELO` file for the tests, as PAPP writes it: four invented people, two rounds, and a final."""

from tournaments.formats import read_any
from tournaments.formats.sheet import Reading, Sheet

ELO = """\
%%Tournament: Wiosna Open
%%Country: Poland
%%Date: 07/03/2026 - 08/03/2026
%%Sender: Ola Lis

%%Creator: PAPP 1.37
%%CreationDate: 2026/03/08 17:00

%        ID, NAME, Firstname, COUNTRY, score, disc-count, rating
%_%     700, NOWAK, Anna, POL,  2, 80, 1500
%_%     707, KOWALSKI, Jan, POL,  1, 68, 1400
%_% +170121, WOJCIK, Ewa, POL,  0.5, 52, 0
%_%    1025, LIS, Ola, POL,  0.5, 56, 0


%Round: 1

   700 (40)>(24)    707 B
170121 (32)=(32)   1025 W

%Round: 2

   700 (40)>(24)   1025 B
   707 (44)>(20) 170121 B


%%Added results
   700 (30)<(34)    707 B
"""
PLACES = """\
%1 707 Jan Kowalski 1/2
%2 700 Anna Nowak 2/2
%3 170121 Ewa Wojcik 0.5/2
%3 1025 Ola Lis ½/2
"""
LEGACY = """\
%%Tournement: Memorial
%%Contry: Poland
%Round1
130007 > 5739
  5725 = 5707
%Round2
  5739 < 5725    130007 > 5707
"""


def read(text: str) -> Reading:
    return read_any(text.encode())


def sheet_of(text: str) -> Sheet:
    sheet = read(text).sheet
    assert sheet
    return sheet


def changed(before: str, after: str, text: str = ELO) -> Reading:
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
