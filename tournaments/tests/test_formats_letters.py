"""Every kind of text is read in UTF-16 and in DOS's letters, not one reader's alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tournaments.formats import read_any
from tournaments.formats.player_lists import read_table
from tournaments.formats.sheet import Sheet
from tournaments.tests.abroad_files import ABROAD
from tournaments.tests.cross_files import CROSS
from tournaments.tests.elo_files import ELO
from tournaments.tests.event_files import HEAD
from tournaments.tests.ftd_files import ftd
from tournaments.tests.placement_files import EMA, PORTAL
from tournaments.tests.sm_files import BOTH as EXPORTS
from tournaments.tests.sp_files import PLAYERS, TEXT as SP_TEXT, packed, three_files
from tournaments.tests.table_files import BOTH
from tournaments.tests.test_formats_player_lists import COMBINED, OLD, OTHELLO, SINGLE
from tournaments.tests.trf_files import BY_DIALECT

TEXTS = {
    **{f"trf {dialect}": text for dialect, text in BY_DIALECT.items()},
    "elo": ELO,
    "ema": EMA,
    "portal": PORTAL,
    "swiss-manager": EXPORTS,
    "cross-table": CROSS,
    "swiss-perfect": SP_TEXT,
    "games-abroad": ABROAD,
    "table": BOTH,
    "flip-the-disc": ftd().decode(),
}
OF_DOS = {"é": b"\x82", "ü": b"\x81"}


def said(sheet: Sheet | None) -> Sheet:
    assert sheet
    return replace(sheet, encoding="", hand=None)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_in_utf_16_says_what_it_says_in_utf_8_and_that_is_told(kind: str, encoding: str) -> None:
    reading = read_any(TEXTS[kind].encode(encoding))
    assert said(reading.sheet) == said(read_any(TEXTS[kind].encode()).sheet)
    assert "encoding-wide" in [each.key for each in reading.adjustments]


def named_in_dos() -> Iterator[tuple[str, bytes]]:
    """Yield a file of each kind with names in DOS's letters, as old programs wrote them."""
    yield "elo", ELO.replace("KOWALSKI, Jan", "M~LLER, Jos#").encode()
    yield "portal", b"place,name,scores,games\r\n1,M~ller Jos#,20,8\r\n2,P#rez Ren#,10,8\r\n"
    yield "ema", EMA.replace("ORLOV", "M~LLER").replace("Ivan", "Jos#").encode()
    yield "games-abroad", ABROAD.replace("Novák,Jan", "M~ller,Jos#").encode()
    yield "table", b"surname,first name,place\r\nM~ller,Jos#,1\r\nP#rez,Ren#,2\r\n"
    name = "M~ller, Jos#"
    yield "trf", (HEAD + f"001    1 m    {name:<33} 1500 RSA{'':13}{'':10} {0.0:>4} {1:>4}\n").encode()


@pytest.mark.parametrize("data", [pytest.param(data, id=kind) for kind, data in named_in_dos()])
def test_a_text_in_the_letters_of_dos_is_read_and_told(data: bytes) -> None:
    dos = data.replace(b"#", OF_DOS["é"]).replace(b"~", OF_DOS["ü"])
    sheet = read_any(dos).sheet
    assert sheet
    assert sheet.encoding == "cp850"
    names = " ".join(row.name for row in sheet.rows)
    assert "Müller" in names or "MüLLER" in names
    assert "José" in names


def test_swiss_perfects_three_files_in_the_letters_of_dos_are_read() -> None:
    people = [(*PLAYERS[0][:2], "M~ller", "Jos#", *PLAYERS[0][4:]), *PLAYERS[1:2]]
    parts = three_files(people, [(1, 11, 12, 2, 0, 1, 1)])
    dos = {
        name: data.replace(b"M~ller", b"M\x81ller").replace(b"Jos#", b"Jos\x82")
        for name, data in parts.items()
    }
    sheet = read_any(packed(dos)).sheet
    assert sheet
    assert (sheet.encoding, sheet.rows[0].name) == ("cp850", "Müller, José")


@pytest.mark.parametrize(
    "data", [COMBINED, SINGLE, OLD, OTHELLO], ids=["combined", "single", "old", "othello"]
)
def test_lists_of_players_in_utf_16_are_named_for_what_they_are_and_read_by_the_register(data: bytes) -> None:
    for encoding in ("utf-16", "utf-16-be"):
        wide = data.decode().encode(encoding)
        assert [finding.key for finding in read_any(wide).findings] == ["is-player-list"]
        assert list(read_table(wide, "list.txt"))[1:-1] == list(read_table(data, "list.txt"))[1:-1]
