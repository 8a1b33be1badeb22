"""SwissPerfect's three files for the tests, made byte by byte, and its text with tabs."""

import io
from collections.abc import Iterable, Sequence
from zipfile import ZipFile

INI = (
    "[Tournament Info]\r\nName=Soweto Club Cup\r\nArbiter=Nomsa Zulu\r\nRounds=3\r\n"
    "[Standings]\r\nTie Breaks=1217\r\n"
)
TRN = (
    ("ID", 4), ("START_NO", 4), ("SURNAME", 20), ("FIRSTNAME", 20), ("SEX", 1), ("TITLE", 1), ("FEDER", 3),
    ("BIRTH_DATE", 8), ("LOC_ID", 9), ("INTL_ID", 9), ("INTL_RTG", 4), ("ORDER", 4), ("BONUS", 4),
)  # fmt: skip
SCO = (("ROUND", 3), ("WHITE", 4), ("BLACK", 4), ("W_SCORE", 2), ("B_SCORE", 2), ("W_TYPE", 2), ("B_TYPE", 2))
PLAYERS = (
    (11, 1, "Dlamini", "Thabo", 1, 0, "RSA", "19910402", 12345, 14300001, 1874, 1, ""),
    (12, 2, "Naidoo", "Priya", 2, 6, "RSA", "20081130", 12346, 0, 0, 2, ""),
    (13, 3, "Botha", "Piët", 1, 0, "", "", 0, 0, 0, 3, "0.5"),
)
SCORES = (
    (1, 11, 12, 2, 0, 1, 1),
    (1, 13, 0, 2, 0, 3, 0),
    (2, 12, 13, 1, 1, 1, 1),
    (2, 11, 0, 1, 0, 3, 0),
    (3, 13, 11, 0, 2, 2, 2),
)
TEXT = (
    "No\tName          \tLoc Id\tTotal\t 1  \t 2  \t 3  \r\n\r\n"
    "1 \tDlamini, Thabo\t12345 \t2.5  \t 2:W\t 0:=\t 3:+\r\n"
    "2 \tNaidoo, Priya \t12346 \t0.5  \t 1:L\t 3:D\t  : \r\n"
    "3 \tBotha, Pieter \t      \t1.5  \t 0:+\t 2:D\t 1:-\r\n"
)


def table(fields: Sequence[tuple[str, int]], rows: Iterable[Sequence[object]]) -> bytes:
    """A table of dBase III."""
    widths = [width for _name, width in fields]
    records = [b" " + b"".join(map(_cell, row, widths)) for row in rows]
    head, width = 32 + 32 * len(fields) + 1, 1 + sum(width for _name, width in fields)
    sizes = len(records).to_bytes(4, "little") + head.to_bytes(2, "little") + width.to_bytes(2, "little")
    described = b"".join(
        name.encode().ljust(11, b"\0") + b"C" + b"\0" * 4 + bytes([size]) + b"\0" * 15
        for name, size in fields
    )
    return (b"\x03\x6e\x05\x09" + sizes).ljust(32, b"\0") + described + b"\r" + b"".join(records) + b"\x1a"


def _cell(value: object, width: int) -> bytes:
    return str(value).encode("cp1252").ljust(width)[:width]


def three_files(
    players: Iterable[Sequence[object]] = PLAYERS, scores: Iterable[Sequence[object]] = SCORES
) -> dict[str, bytes]:
    return {
        "CLUB.INI": INI.encode("cp1252"),
        "club.trn": table(TRN, players),
        "club.sco": table(SCO, scores),
    }


def packed(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with ZipFile(made, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()
