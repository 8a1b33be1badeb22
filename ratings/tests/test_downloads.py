"""The layouts of a list: what exactly stands in each file."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from dataclasses import replace
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, strategies as st
from openpyxl import load_workbook

from ratings.rulesets.csa.profile import chess_sa_zip, standard_rapid_blitz_tracks
from ratings.rulesets.downloads import (
    DownloadHead,
    DownloadRow,
    disarm_cell,
    exact_json,
    fide_combined,
    plain_csv,
    plain_xlsx,
    rearm_cell,
    round_text,
    semicolon_csv,
    swiss_manager_csv,
    swiss_manager_xlsx,
    whole,
)
from ratings.rulesets.journal_lines import plain
from ratings.rulesets.pfo.profile import write_joueurs
from ratings.tests.files import filled, table_of, unzipped

CHECKPOINT = (
    "ratings.example/csa/journal\n118\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
    "— ratings.example/csa/journal AbCd\n"
)
HEAD = DownloadHead(
    "csa",
    "otb-main",
    date(2024, 5, 1),
    1,
    "Rules of 2020",
    "ab" * 32,
    line=118,
    program="ratings-1.0.0-12345678.pyz",
    checkpoint=CHECKPOINT,
)
PROOF = (
    "journal line 118",
    f"sha256 {'ab' * 32}",
    "program ratings-1.0.0-12345678.pyz",
    "checkpoint ratings.example/csa/journal",
    "checkpoint 118",
    "checkpoint CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=",
    "checkpoint — ratings.example/csa/journal AbCd",
)
DLAMINI = DownloadRow(
    1, "101000234", "Dlamini", "Thabo", 1984, "m", "IM", "GAU", Decimal("1416.5"), 30, None, "RSA", "14300123"
)
FIDE = fide_combined(standard_rapid_blitz_tracks)


@pytest.mark.parametrize(
    ("rating", "text"), [("1416.4999999999999999", "1416"), ("1416.5", "1417"), ("100", "100")]
)
def test_28_ratings_are_downloaded_as_whole_numbers_half_up(rating: str, text: str) -> None:
    assert whole(Decimal(rating)) == text


@pytest.mark.parametrize(("rating", "text"), [("1416.66665", "1416.6667"), ("1E+3", "1000.0000")])
def test_other_federations_tables_have_the_places_that_are_shown(rating: str, text: str) -> None:
    assert round_text(Decimal(rating), 4) == text


@pytest.mark.parametrize(
    ("rating", "text"), [("1416.5000000000000000", "1416.5"), ("100", "100"), ("1E+3", "1000")]
)
def test_an_exact_rating_is_plain_text_without_trailing_zeros(rating: str, text: str) -> None:
    assert plain(Decimal(rating)) == text


# ---------------------------------------------------------------- formulas

FORMULAS = ["=1+1", "+27", "-5", "@SUM(A1)", "\tx", "\rx", "\nx", "\uff1d1", "\uff0b1", "\uff0d1", "\uff20A"]
FORMULAS += [" =1", '"=1', "|a", "%a"]


@pytest.mark.parametrize("cell", FORMULAS)
def test_text_that_a_spreadsheet_takes_for_a_formula_is_disarmed(cell: str) -> None:
    assert disarm_cell(cell) == f"'{cell}"


@pytest.mark.parametrize("name", ["Smith-Jones", "Dlamini, Thabo", "O'Brien", "A; B", "100 %", "a|b", "1/2"])
def test_what_only_looks_a_little_like_a_formula_stays_as_it_is(name: str) -> None:
    assert disarm_cell(name) == name


@pytest.mark.parametrize(
    ("cell", "safe"), [("x;=1+1", "x;'=1+1"), ("x, -1", "x,' -1"), ("=1;@2", "'=1;'@2"), ("x\n=1", "x\n'=1")]
)
def test_a_formula_behind_another_spreadsheets_separator_is_disarmed_too(cell: str, safe: str) -> None:
    assert disarm_cell(cell) == safe


TEXTS = st.text(st.sampled_from("=+-@|%;,\t\n\r\" 'a1\uff1d"), max_size=8)


@given(TEXTS)
def test_a_disarmed_text_is_safe_to_disarm_again_and_comes_back_as_it_was(text: str) -> None:
    assert disarm_cell(disarm_cell(text)) == disarm_cell(text)
    if rearm_cell(text) == text:  # and no text of ours ever had such an apostrophe
        assert rearm_cell(disarm_cell(text)) == text


def numeric(cell: str) -> bool:
    return re.fullmatch(r"-?\d+([.,]\d+)?", cell) is not None


@given(st.lists(st.tuples(TEXTS, TEXTS, st.integers(-99, 99)), min_size=1, max_size=3))
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_no_cell_is_a_formula_by_whatever_separator_a_spreadsheet_parts_them_and_numbers_stay(
    delimiter: str, texts: list[tuple[str, str, int]]
) -> None:
    rows = [
        DLAMINI._replace(surname=surname, title=title, rating=Decimal(number))
        for surname, title, number in texts
    ]
    write = {",": plain_csv, ";": semicolon_csv}[delimiter]
    content = filled(write, HEAD, *rows).decode("utf-8-sig")
    for separator in ",;\t":
        for row in csv.reader(io.StringIO(content, newline=""), delimiter=separator):
            bare = [cell.lstrip(' "\t') for cell in row]
            assert not [cell for cell in bare if re.match("[=+@|%\uff1d-]", cell) and not numeric(cell)]
    read = list(csv.reader(io.StringIO(content, newline=""), delimiter=delimiter))[1:]
    assert [int(row[6]) for row in read] == [number for _surname, _title, number in texts]
    assert [rearm_cell(row[2]) for row in read] == [rearm_cell(surname) for surname, _title, _number in texts]


def test_formulas_are_disarmed_in_every_text_of_every_table() -> None:
    evil = DLAMINI._replace(
        number="=1", surname="=2", first_name="=3", title="=4", region="=5", nation="=6", fide="=7"
    )
    for content in (
        filled(plain_csv, HEAD, evil),
        filled(swiss_manager_csv, HEAD, evil),
        unzipped(filled(chess_sa_zip, HEAD, evil)),
    ):
        assert not [cell for cell in table_of(content)[1] if cell.startswith("=")]
    assert not re.search('[;"]=', filled(semicolon_csv, HEAD, evil).decode())
    assert " '=2,' =3   %_<" in filled(write_joueurs, HEAD, evil).decode()
    assert filled(FIDE.write, HEAD, evil).decode().split("\r\n")[1][15:23] == "'=2,' =3"


@pytest.mark.parametrize("write", [plain_xlsx, swiss_manager_xlsx])
def test_a_formula_in_a_workbook_is_text(write: object) -> None:
    evil = DLAMINI._replace(number="=1", surname='=HYPERLINK("x")', first_name="=3\x0b<&>", title="=4")
    page = load_workbook(io.BytesIO(filled(write, HEAD, evil))).active  # type: ignore[arg-type]
    assert page is not None
    cells = [cell for row in page.iter_rows(min_row=2) for cell in row if isinstance(cell.value, str)]
    assert {cell.data_type for cell in cells} == {"s"}
    assert any("<&>" in str(cell.value) for cell in cells)


@pytest.mark.parametrize(("write", "names"), [(plain_xlsx, "C"), (swiss_manager_xlsx, "B")])
def test_the_columns_of_a_workbook_are_as_wide_as_names_are(write: object, names: str) -> None:
    page = load_workbook(io.BytesIO(filled(write, HEAD, DLAMINI))).active  # type: ignore[arg-type]
    assert page is not None
    assert page.column_dimensions[names].width >= 24
    assert all(column.width >= 9 for column in page.column_dimensions.values())


@pytest.mark.parametrize("write", [write_joueurs, FIDE.write])
def test_a_name_with_a_line_end_in_it_makes_no_line_of_its_own(write: object) -> None:
    evil = DLAMINI._replace(surname="Dlamini\r\n999 Ghost", first_name="T\x00\u007f")
    content = filled(write, HEAD, evil).decode()  # type: ignore[arg-type]
    assert len([row for row in content.splitlines() if not row.startswith("% ")]) == 2
    assert "\x00" not in content


# ---------------------------------------------------------------- Chess SA


def test_the_zip_holds_one_file_in_the_layout_that_pairing_programs_read() -> None:
    content = filled(chess_sa_zip, HEAD, DLAMINI)
    assert zipfile.ZipFile(io.BytesIO(content)).namelist() == [
        "csa-otb-main-2024-05-01-rules-of-2020-line118-abababab.csv"
    ]
    assert unzipped(content).decode() == (
        "UNIQUE_NO,SURNAME,FIRSTNAME,BDATE,SEX,TITLE,RATING,FED\r\n"
        "101000234,Dlamini,Thabo,1984/01/01,M,IM,1417,GAU\r\n"
    )


def test_a_birth_that_is_not_for_the_public_is_written_as_the_layouts_unknown() -> None:
    content = filled(chess_sa_zip, HEAD, DLAMINI._replace(born=None, sex=""))
    assert table_of(unzipped(content))[1][3:5] == ["1900/01/01", ""]


@pytest.mark.parametrize("write", [chess_sa_zip, plain_xlsx, swiss_manager_xlsx])
def test_the_same_list_gives_the_same_bytes(write: object) -> None:
    assert filled(write, HEAD, DLAMINI) == filled(write, HEAD, DLAMINI)  # type: ignore[arg-type]


# ---------------------------------------------------------------- Swiss-Manager


def test_swiss_manager_finds_its_columns_by_name() -> None:
    nobody = DownloadRow(2, "7", "Mokoena", "", None, "f", "", "", Decimal(1200), 9, None)
    assert filled(swiss_manager_csv, HEAD, DLAMINI, nobody).decode() == (
        "\ufeffID_No,Name,Sex,Fed,ClubName,Birthday,Rtg_Nat,Fide_No,Title\r\n"
        '101000234,"Dlamini, Thabo",,RSA,GAU,1984,1417,14300123,IM\r\n'
        "7,Mokoena,f,,,,1200,,\r\n"
    )


def test_swiss_managers_workbook_has_numbers_as_numbers_and_ids_as_text() -> None:
    page = load_workbook(io.BytesIO(filled(swiss_manager_xlsx, HEAD, DLAMINI))).active
    assert page is not None
    header, row = page.iter_rows(values_only=True)
    assert header == ("ID_No", "Name", "Sex", "Fed", "ClubName", "Birthday", "Rtg_Nat", "Fide_No", "Title")
    assert row == ("101000234", "Dlamini, Thabo", None, "RSA", "GAU", 1984, 1417, "14300123", "IM")
    assert page.title == "otb-main"


# ---------------------------------------------------------------- FIDE


def test_fides_combined_layout_stands_in_its_columns() -> None:
    beside = MappingProxyType({"otb-blitz": Decimal("1500.5")})
    woman = DownloadRow(
        1, "101000235", "Łuć", "Zoë", 1990, "f", "WGM", "GAU", Decimal(1416), 30, None, "RSA", "", beside
    )
    header, line, end = filled(FIDE.write, HEAD, woman).decode("ascii").split("\r\n")
    assert header == (
        "ID Number      Name                                                         Fed Sex Tit  WTit OTit"
        "           FOA SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag"
    ).ljust(162)
    assert (len(header), len(line), end) == (162, 162, "")
    columns = {  # by the first and the last place of each, counted from 1
        (1, 15): "101000235",
        (16, 76): "Luc, Zoe",
        (77, 79): "RSA",
        (81, 83): "F",
        (85, 88): "WGM",
        (90, 93): "WGM",
        (95, 109): "",
        (110, 112): "",
        (114, 118): "1416",
        (120, 122): "0",
        (124, 125): "0",
        (127, 131): "",
        (133, 135): "",
        (137, 138): "",
        (140, 144): "1501",
        (146, 148): "0",
        (150, 151): "0",
        (153, 156): "1990",
        (159, 160): "w",
    }
    assert {place: line[place[0] - 1 : place[1]].rstrip() for place in columns} == columns
    inside = {at for first, last in columns for at in range(first - 1, last)}
    assert {letter for at, letter in enumerate(line) if at not in inside} == {" "}


def test_fides_layout_takes_the_ratings_of_the_lists_own_platform() -> None:
    assert FIDE.beside("ol-main") == ("ol-main", "ol-rapid", "ol-blitz")
    assert FIDE.beside("ol-rapid") == ("ol-standard", "ol-rapid", "ol-blitz")


def test_fides_layout_has_no_year_and_no_sex_of_whom_the_public_may_not_know() -> None:
    line = filled(FIDE.write, HEAD, DLAMINI._replace(born=None, sex="")).decode().split("\r\n")[1]
    assert (line[80], line[152:156], line[158:].strip()) == (" ", "0000", "")


@pytest.mark.parametrize(("number", "shown"), [("1" * 14, "1" * 14), ("1" * 15, "")])
def test_a_number_too_long_for_fides_layout_is_left_out_and_never_cut(number: str, shown: str) -> None:
    line = filled(FIDE.write, HEAD, DLAMINI._replace(number=number)).decode().split("\r\n")[1]
    assert line[:15].rstrip() == shown
    assert line[15:22] == "Dlamini"


def test_a_long_name_ends_within_its_column_of_fides_layout() -> None:
    line = filled(FIDE.write, HEAD, DLAMINI._replace(surname="N" * 100)).decode().split("\r\n")[1]
    assert line[15:80] == "N" * 60 + " RSA "


# ---------------------------------------------------------------- PAPP


def test_papp_reads_the_ranking_by_country() -> None:
    lines = [
        DownloadRow(1, "5725", "Żak", "Basia", None, "f", "", "", Decimal(1511), 12, None, "POL"),
        DownloadRow(2, "5700", "100%er", "", None, "m", "", "", Decimal(1400), 0, None),
        DownloadRow(3, "280016", "Acuña", "Rita", None, "f", "", "", Decimal("1299.5"), 0, None, "ARG"),
    ]
    content = filled(write_joueurs, HEAD, *lines).decode()
    assert content.splitlines()[: len(PROOF)] == [f"% {line}" for line in PROOF]
    assert "".join(content.splitlines(keepends=True)[len(PROOF) :]) == (
        "pays = ARG\n280016 ACUÑA, Rita   %_<1300>\n"
        "pays = POL\n5700 100ER   %_<1400>\n5725 ŻAK, Basia   %_<1511>\n"
    )


# ---------------------------------------------------------------- plain tables


def test_the_plain_table_is_the_same_in_csv_and_in_a_workbook() -> None:
    line = DLAMINI._replace(previous=Decimal("1400.4"))
    content = filled(plain_csv, HEAD, line).decode()
    assert content == (
        "rank,number,surname,first_name,title,region,rating,games,previous,born\r\n"
        '"1","101000234","Dlamini","Thabo","IM","GAU","1417","30","1400","1984"\r\n'
    )
    page = load_workbook(io.BytesIO(filled(plain_xlsx, HEAD, line))).active
    assert page is not None
    _header, row = page.iter_rows(values_only=True)
    assert row == (1, "101000234", "Dlamini", "Thabo", "IM", "GAU", 1417, 30, 1400, 1984)


def test_a_workbook_of_four_places_has_numbers_of_four_places() -> None:
    head = DownloadHead("mahjong", "rating", date(2024, 5, 1), 1, "Rules", "", decimals=4)
    line = DLAMINI._replace(rating=Decimal("812.34565"))
    assert table_of(filled(plain_csv, head, line))[1][6] == "812.3457"
    page = load_workbook(io.BytesIO(filled(plain_xlsx, head, line))).active
    assert page is not None
    assert page["G2"].value == 812.3457


def test_json_gives_every_digit_as_text_where_the_federation_keeps_to_no_whole_numbers() -> None:
    line = DLAMINI._replace(rating=Decimal("1416.6666666666666667"), previous=Decimal("1400.5"))
    written = json.loads(filled(exact_json, HEAD, line, line))
    assert [each["rating"] for each in written["players"]] == ["1416.6666666666666667"] * 2
    assert written["content_sha256"] == HEAD.sha256
    whole_head = DownloadHead("csa", "otb-main", date(2024, 5, 1), 1, "Rules", "", every_digit=False)
    assert json.loads(filled(exact_json, whole_head, line))["players"][0]["previous"] == "1401"


def test_json_of_an_empty_list_is_json() -> None:
    assert json.loads(filled(exact_json, HEAD))["players"] == []


def test_a_revisions_file_says_so_in_its_name() -> None:
    second = DownloadHead("csa", "otb-main", date(2024, 5, 1), 2, "Rules of 2020", "ab" * 32, line=120)
    assert second.stem == "csa-otb-main-2024-05-01-rules-of-2020-r2-line120-abababab"


# ---------------------------------------------------------------- what a copy proves later


@pytest.mark.parametrize("write", [plain_xlsx, swiss_manager_xlsx])
def test_a_workbook_says_in_its_properties_and_under_each_printed_page_how_to_prove_the_list(
    write: object,
) -> None:
    book = load_workbook(io.BytesIO(filled(write, HEAD, DLAMINI)))  # type: ignore[arg-type]
    assert book.properties.description.splitlines() == list(PROOF)
    assert book.properties.title == "otb-main"
    sheet: Any = book.active
    footer = sheet.oddFooter.center.text
    assert footer == (
        f"Journal line 118; SHA-256 {'ab' * 32}; checkpoint 118 CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="
    )
    assert len(footer) <= 240


def test_a_zip_says_so_in_its_comment() -> None:
    comment = zipfile.ZipFile(io.BytesIO(filled(chess_sa_zip, HEAD, DLAMINI))).comment
    assert comment.decode().splitlines() == list(PROOF)


def test_json_has_line_program_and_checkpoint() -> None:
    written = json.loads(filled(exact_json, HEAD, DLAMINI))
    assert (written["line"], written["program"], written["checkpoint"]) == (
        118,
        "ratings-1.0.0-12345678.pyz",
        CHECKPOINT,
    )
    assert json.loads(filled(exact_json, replace(HEAD, checkpoint="")))["checkpoint"] is None


def test_before_a_checkpoint_is_signed_a_file_says_line_checksum_and_program_alone() -> None:
    unsigned = replace(HEAD, checkpoint="")
    assert unsigned.proof == PROOF[:3]
    assert unsigned.footing == f"Journal line 118; SHA-256 {'ab' * 32}"


def test_json_has_these_keys_and_no_others() -> None:
    written = json.loads(filled(exact_json, HEAD, DLAMINI))
    assert list(written) == [
        "federation",
        "track",
        "on",
        "revision",
        "edition",
        "content_sha256",
        "line",
        "program",
        "checkpoint",
        "players",
    ]
    assert list(written["players"][0]) == [
        "rank",
        "number",
        "name",
        "title",
        "region",
        "rating",
        "previous",
        "games",
    ]
