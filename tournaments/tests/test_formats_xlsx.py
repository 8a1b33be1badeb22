"""Workbooks: read cell by cell with its address; and the hostile ones refused in the box, within seconds."""

import io
import time
from collections.abc import Callable
from datetime import date, datetime
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

import pytest
from openpyxl import Workbook

from tournaments.box import read_boxed
from tournaments.formats import read_any
from tournaments.formats.table_rows import MOST_CELLS
from tournaments.formats.tables import MOST_TEXT, cell_text, column_letters, column_number
from tournaments.tests.event_files import describe_in_english
from tournaments.tests.table_files import BOTH, GAMES, PLAYERS, cells_of, changed_part, read, saved, workbook

pytestmark = pytest.mark.boxed

SECONDS = 10
"""Within which even the worst file has its answer, child process and all, on a busy machine."""
SHEET = "xl/worksheets/sheet1.xml"
GOOD = workbook(Players=cells_of(PLAYERS), Games=cells_of(GAMES))
ONE = workbook(P=[["surname", "place"], ["Nowak", 1]])


def keys(data: bytes) -> list[str]:
    return [finding.key for finding in read_any(data).findings]


# ---------------------------------------------------------------- what is read


def test_a_workbook_with_two_sheets_is_the_same_event_as_the_csv() -> None:
    assert read_any(GOOD).sheet == read(BOTH).sheet


def test_one_sheet_with_an_empty_row_between_is_the_same() -> None:
    assert read_any(workbook(All=[*cells_of(PLAYERS), [], *cells_of(GAMES)])).sheet == read(BOTH).sheet


def test_numbers_and_dates_are_read_as_somebody_would_type_them() -> None:
    rows = [
        ["number", "surname", "birth", "place", "points", "id"],
        [1.0, "Nowak", datetime(1990, 4, 12), 1, 0.1 + 0.2, 4001],
        [2, "Lis", 1985, 2.0, 1.5, None],
    ]
    sheet = read_any(workbook(Players=rows)).sheet
    assert sheet
    nowak, lis = sheet.rows
    assert (nowak.start_number, nowak.birth, nowak.identifier) == (1, date(1990, 4, 12), "4001")
    assert (str(nowak.points), lis.born, lis.place, str(lis.points)) == ("0.3", 1985, 2, "1.5")
    assert cell_text(datetime(2026, 3, 1, 9, 30)) == "2026-03-01T09:30:00"


@pytest.mark.parametrize("day", [datetime(2026, 2, 1), datetime(2026, 1, 2)])
def test_a_draw_that_became_a_day_is_a_draw_again_and_told(day: datetime) -> None:
    games = [["round", "first", "second", "result"], [1, 1, 2, day]]
    reading = read_any(workbook(Players=cells_of(PLAYERS), Games=games))
    assert reading.sheet
    assert reading.sheet.games[0].result == "1/2"
    assert [(adjustment.key, adjustment.after) for adjustment in reading.adjustments] == [
        ("table-half-as-date", "1/2")
    ]


def test_another_day_is_no_result() -> None:
    games = [["round", "first", "second", "result"], [1, 1, 2, datetime(2026, 3, 1)]]
    assert "table-result-not-read" in keys(workbook(Players=cells_of(PLAYERS), Games=games))


def test_what_is_wrong_is_told_with_the_cells_address() -> None:
    games = [["round", "first", "second", "result"], [1, 1, 9, "1-0"]]
    [finding] = [
        r for r in read_any(workbook(Players=cells_of(PLAYERS), Games=games)).findings if r.level == "blocks"
    ]
    assert (finding.key, finding.line, finding.column, finding.where) == (
        "table-player-not-listed",
        2,
        3,
        "Games!C2",
    )
    assert describe_in_english(finding).startswith("Games!C2: Start number 9 is not in the table")


def test_a_hidden_sheet_is_not_read_and_told() -> None:
    book = Workbook()
    book.worksheets[0].append(["surname", "place"])
    book.worksheets[0].append(["Nowak", 1])
    hidden = book.create_sheet("Old")
    hidden.append(["surname", "place"])
    hidden.sheet_state = "hidden"
    reading = read_any(saved(book))
    assert [finding.key for finding in reading.findings] == ["xlsx-hidden-sheet"]
    assert not reading.blocked


def test_a_formula_is_read_by_its_kept_value_and_refused_without_one() -> None:
    formula = workbook(P=[["surname", "place"], ["Nowak", "=1+1"]])
    assert keys(formula) == ["xlsx-formula-without-value"]
    empty = next(form for form in ("<v />", "<v></v>", "<v/>") if form.encode() in part(formula))
    kept = changed_part(formula, SHEET, {empty: "<v>2</v>"})
    sheet = read_any(kept).sheet
    assert sheet
    assert sheet.rows[0].place == 2


def test_an_error_in_a_cell_is_no_empty_cell_and_is_told_with_its_address() -> None:
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.append(["surname", "place"])
    sheet.append(["Nowak", "#N/A"])
    sheet["B2"].data_type = "e"
    [finding] = read_any(saved(book)).findings
    assert (finding.key, finding.where) == ("table-place-not-read", "Sheet!B2")
    assert "#N/A" in describe_in_english(finding)


def part(data: bytes, name: str = SHEET) -> bytes:
    with ZipFile(io.BytesIO(data)) as archive:
        return archive.read(name)


@pytest.mark.parametrize(
    ("letters", "number"), [("A", 1), ("Z", 26), ("AA", 27), ("GR", 200), ("XFD", 16384)]
)
def test_columns_go_by_letters_and_numbers(letters: str, number: int) -> None:
    assert (column_number(letters), column_letters(number)) == (number, letters)


# ---------------------------------------------------------------- hostile ones


def zipped(parts: dict[str, bytes], method: int = ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with ZipFile(file, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def with_part(name: str, content: bytes) -> bytes:
    with ZipFile(io.BytesIO(ONE)) as archive:
        parts = {each.filename: archive.read(each) for each in archive.infolist()}
    return zipped(parts | {name: content})


def far_cell() -> bytes:
    book = Workbook()
    book.worksheets[0]["A1"], book.worksheets[0]["XFD1048576"] = "surname", "x"
    return saved(book)


def wide_row() -> bytes:
    return workbook(P=[["surname", "place", *(f"c{n}" for n in range(9_998))], ["Nowak", 1]])


@pytest.mark.parametrize("encoding", ["UTF-88", "UTF-7"])
def test_a_part_in_an_encoding_that_nobody_knows_is_broken(encoding: str) -> None:
    declared = f'<?xml version="1.0" encoding="{encoding}"?><worksheet'
    assert keys(changed_part(ONE, SHEET, {"<worksheet": declared})) == ["xlsx-broken"]


def far_row() -> bytes:
    return changed_part(ONE, SHEET, {'<row r="2"': '<row r="1048576"'})


def unnumbered_rows() -> bytes:
    rows = b"<row><c t='inlineStr'><is><t>a</t></is></c></row>" * 25_000
    return with_part(
        SHEET, part(ONE).partition(b"<sheetData>")[0] + b"<sheetData>" + rows + b"</sheetData></worksheet>"
    )


def many_cells() -> bytes:
    rows = b"<row>" + b"<c/>" * 150 + b"</row>"
    return with_part(
        SHEET, b"<worksheet><sheetData>" + rows * (MOST_CELLS // 150 + 1) + b"</sheetData></worksheet>"
    )


def many_elements() -> bytes:
    return with_part("xl/styles.xml", b"<styleSheet>" + b"<x/>" * 1_000_001 + b"</styleSheet>")


def zip_bomb() -> bytes:
    return with_part("xl/media/zeros.xml", b"\0" * (200 * 1024 * 1024))


def many_parts() -> bytes:
    with ZipFile(io.BytesIO(ONE)) as archive:
        parts = {each.filename: archive.read(each) for each in archive.infolist()}
    return zipped(parts | {f"xl/media/{n}.xml": b"" for n in range(200)})


LAUGHS = """<?xml version="1.0"?><!DOCTYPE sst [<!ENTITY a "{a}">{more}]><sst><si><t>&h;</t></si></sst>"""


def billion_laughs() -> bytes:
    more = "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefg", "bcdefgh", strict=True))
    return with_part("xl/sharedStrings.xml", LAUGHS.format(a="ha" * 10, more=more).encode())


def laughs_in_utf16() -> bytes:
    return with_part(
        "xl/sharedStrings.xml", LAUGHS.format(a="ha", more="").replace("h;", "a;").encode("utf-16")
    )


def stranger_outside() -> bytes:
    text = '<!DOCTYPE sst [<!ENTITY x SYSTEM "file:///etc/hostname">]><sst><si><t>&x;</t></si></sst>'
    return with_part("xl/sharedStrings.xml", text.encode())


def truncated() -> bytes:
    return GOOD[: len(GOOD) // 2]


def damaged() -> bytes:
    at = GOOD.index(b"xl/worksheets/sheet1.xml") + 60
    return GOOD[:at] + bytes(64) + GOOD[at + 64 :]


def twice_the_same_part() -> bytes:
    file = io.BytesIO(ONE)
    with pytest.warns(UserWarning, match="Duplicate"), ZipFile(file, "a") as archive:
        archive.writestr(SHEET, b"<worksheet/>")
    return file.getvalue()


def other_compression() -> bytes:
    return zipped({"xl/workbook.xml": b"<workbook/>"}, ZIP_BZIP2)


def locked() -> bytes:
    data = bytearray(ONE)
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.index(mark)
        data[at + flags] |= 1
    return bytes(data)


def no_workbook() -> bytes:
    return zipped({"xl/workbook.xml": b"not XML", "[Content_Types].xml": b"<Types/>"})


def lone_surrogate() -> bytes:
    return changed_part(ONE, SHEET, {"Nowak": "&#xD800;"})


def too_large() -> bytes:
    return ONE + bytes(2 * 1024 * 1024)


HOSTILE: dict[Callable[[], bytes], str] = {
    far_cell: "xlsx-far-row",
    wide_row: "xlsx-far-cell",
    far_row: "xlsx-far-row",
    unnumbered_rows: "xlsx-far-row",
    many_cells: "xlsx-too-many-cells",
    many_elements: "xlsx-too-many-cells",
    zip_bomb: "xlsx-unpacks-too-big",
    many_parts: "xlsx-unpacks-too-big",
    billion_laughs: "xlsx-entities",
    laughs_in_utf16: "xlsx-entities",
    stranger_outside: "xlsx-entities",
    truncated: "xlsx-broken",
    damaged: "xlsx-broken",
    twice_the_same_part: "xlsx-broken",
    other_compression: "xlsx-broken",
    locked: "xlsx-locked",
    no_workbook: "xlsx-broken",
    lone_surrogate: "xlsx-broken",
    too_large: "too-big",
}


@pytest.mark.nightly
@pytest.mark.parametrize("make", HOSTILE, ids=lambda make: make.__name__)
def test_a_hostile_workbook_is_refused_by_its_name_in_the_box_within_seconds(
    make: Callable[[], bytes],
) -> None:
    data = make()
    began = time.monotonic()
    reading = read_boxed(data, "event.xlsx")
    assert time.monotonic() - began < SECONDS
    assert reading.sheet is None
    assert [finding.key for finding in reading.findings] == [HOSTILE[make]]
    assert describe_in_english(reading.findings[0])


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("data", "key"),
    [
        (b"surname,place\nNow\0ak,1\n", "is-binary"),
        (b"surname,place\nNow\xed\xa0\x80ak,1\n", "odd-character"),
        (b"surname,place\n" + b"N" * 1024 * 1024 + b",1\n", "line-too-long"),
        (b"surname,place" + b",c" * 9_998 + b"\nNowak,1\n", "line-too-long"),
        (b"surname,place\n" + b"N,1\n" * 20_000, "too-many-lines"),
        (b"surname,place\n" + b'"' * 1_901 + b"\n", "table-quote-open"),
        ("surname,place\nNo\u202ewak,1\n".encode(), "odd-character"),
    ],
)
def test_a_hostile_csv_is_refused_by_its_name_in_the_box_within_seconds(data: bytes, key: str) -> None:
    began = time.monotonic()
    reading = read_boxed(data, "event.csv")
    assert time.monotonic() - began < SECONDS
    assert reading.blocked
    assert key in [finding.key for finding in reading.findings if finding.level == "blocks"]


@pytest.mark.parametrize("length", [MOST_TEXT, MOST_TEXT + 1])
def test_a_cell_has_a_thousand_letters_at_most(length: int) -> None:
    data = workbook(P=[["surname", "place", "note"], ["Nowak", 1, "x" * length]])
    assert ("table-cell-too-long" in keys(data)) == (length > MOST_TEXT)


def test_a_character_of_control_is_refused_with_its_cell() -> None:
    [finding] = read_any(workbook(P=[["surname", "place"], ["No\u200bwak", 1]])).findings
    assert (finding.key, finding.where, finding.params["code"]) == ("odd-character", "P!A2", "U+200B")


@pytest.mark.long
def test_a_size_that_a_sheet_only_claims_costs_nothing() -> None:
    data = changed_part(ONE, SHEET, {'<dimension ref="A1:B2"': '<dimension ref="A1:XFD1048576"'})
    began = time.monotonic()
    reading = read_boxed(data)
    assert time.monotonic() - began < SECONDS
    assert reading.sheet
    assert [row.surname for row in reading.sheet.rows] == ["Nowak"]


def test_a_workbook_without_a_table_has_no_rows_above_one() -> None:
    assert keys(workbook(P=[["My shopping"], ["Bread", 2], ["Milk", 1]])) == ["table-no-players"]
    assert "table-above-header" in keys(workbook(P=[["My tournament"], ["surname", "place"], ["Nowak", 1]]))
