"""Lists of players as FIDE and the World Othello Federation give them out, read as tables."""

from __future__ import annotations

import io
from typing import Any
from zipfile import ZipFile

import pytest

from ratings.rulesets.downloads import FIDE_HEADER
from tournaments.formats.player_lists import read_table

WHO = f"{'14300001':15}{'Dlamini, Thabo':61}RSA M   FM   {'':5}{'FST':15}{'':4}"
COMBINED = f"{FIDE_HEADER}\r\n{WHO}2000  0   20 1900  0   20 1800  0   20 2008  i\r\n".encode()
SINGLE_HEAD = f"{FIDE_HEADER[:113]}MAY26 Gms K  B-day Flag"
SINGLE = f"{SINGLE_HEAD}\r\n{WHO}2000  12  20 2008  i\r\n".encode()
OLD = (
    "ID number Name                              TitlFed  Mmmyy GamesBorn  Flag\r\n"
    + "{:8}  {:32}  {:2}  {:3}  {:4}  {:>3}  {:4}  {}\r\n".format(
        "14300001", "Dlamini, Thabo", "wf", "RSA", "2000", 12, "2008", "w"
    )
).encode()
XML = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<playerslist><player><fideid>14300001</fideid>'
    b"<name>Dlamini, Thabo</name><country>RSA</country><sex>F</sex><title></title><w_title>WFM</w_title>"
    b"<rating>2000</rating><games>3</games><birthday>2008</birthday></player></playerslist>"
)
OTHELLO = (
    b"% list of players\npays = ARG\n280016 ACUNA, Ricardo   %_<1714>\n"
    b"   +280017 DE LA CRUZ, Ana %_<1500.5>\npays = POL\n\n5700 Nowak, Jan\nnobody at all\n"
)


def told(data: bytes, name: str = "list.txt") -> tuple[list[str], list[Any], dict[str, Any]]:
    head, *rows, end = read_table(data, name)
    return head["head"], rows, end


def by_heading(data: bytes) -> dict[str, str]:
    head, [row], _end = told(data)
    return dict(zip(head, row[1], strict=True))


def test_fide_s_combined_list_is_cut_where_its_headings_stand() -> None:
    row = by_heading(COMBINED)
    assert (row["ID Number"], row["Name"], row["Fed"], row["Sex"]) == (
        "14300001",
        "Dlamini, Thabo",
        "RSA",
        "M",
    )
    assert (row["Tit"], row["SRtng"], row["RRtng"], row["BRtng"], row["B-day"]) == (
        "FM",
        "2000",
        "1900",
        "1800",
        "2008",
    )


def test_fide_s_list_of_one_rating_is_cut_by_its_own_headings() -> None:
    row = by_heading(SINGLE)
    assert (row["MAY26"], row["Gms"], row["B-day"], row["Flag"]) == ("2000", "12", "2008", "i")


def test_the_old_layout_s_short_titles_are_told_in_full() -> None:
    row = by_heading(OLD)
    assert (row["ID number"], row["Titl"], row["Fed"], row["Mmmyy"]) == ("14300001", "WFM", "RSA", "2000")
    assert (row["Games"], row["Born"]) == ("12", "2008")


def test_the_old_layout_s_flag_of_women_is_their_sex() -> None:
    assert by_heading(OLD)["Sex"] == "f"


def test_fide_s_xml_becomes_a_row_a_player_with_the_title_of_women_where_there_is_no_other() -> None:
    row = by_heading(XML)
    assert (row["fideid"], row["name"], row["country"], row["title"]) == (
        "14300001",
        "Dlamini, Thabo",
        "RSA",
        "WFM",
    )
    assert (row["rating"], row["games"], row["birthday"], row["rapid_rating"]) == ("2000", "3", "2008", "")


def test_a_short_title_in_fide_s_xml_is_the_title_that_it_stands_for() -> None:
    assert by_heading(XML.replace(b">WFM<", b">wf<"))["title"] == "WFM"


def test_fide_s_xml_with_attributes_is_read_too() -> None:
    data = b'<playerslist><player FIDEID="7"><name>Naidoo, Lwazi</name></player></playerslist>'
    assert by_heading(data)["fideid"] == "7"


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (XML[:-20], "xml-broken"),
        (XML.replace(b"UTF-8", b"UTF-88"), "xml-broken"),
        (XML.replace(b"UTF-8", b"UTF-7"), "xml-broken"),
        (XML.replace(b"<playerslist>", b'<!DOCTYPE p [<!ENTITY a "b">]><playerslist>'), "is-markup"),
        (b"<playerslist ><!DOCTYPE p><player/></playerslist>", "xml-broken"),
    ],
)
def test_xml_that_is_cut_or_defines_entities_is_refused(data: bytes, key: str) -> None:
    assert list(read_table(data))[-1]["refused"] == key


def test_the_world_s_othello_list_gives_each_player_the_country_above() -> None:
    head, rows, end = told(OTHELLO, "joueurs.txt")
    assert head == ["wof_id", "surname", "first_name", "nation", "rating"]
    assert [row[1] for row in rows[:3]] == [
        ["280016", "Acuna", "Ricardo", "ARG", "1714"],
        ["280017", "De La Cruz", "Ana", "ARG", "1500.5"],
        ["5700", "Nowak", "Jan", "POL", ""],
    ]
    assert [row[0] for row in rows] == [3, 4, 7, 8]
    assert rows[3][2] == [(-1, "line-not-read", {})]
    assert end["rows"] == 4


def packed(**files: bytes) -> bytes:
    file = io.BytesIO()
    with ZipFile(file, "w") as archive:
        for name, data in files.items():
            archive.writestr(f"{name}.csv", data)
    return file.getvalue()


def test_one_table_alone_in_a_zip_is_read_and_two_are_not() -> None:
    assert told(packed(main=b"number,surname\n1,Botha"))[1] == [[2, ["1", "Botha"]]]
    for data in (packed(), packed(a=b"x", b=b"y"), packed(a=packed(a=b"number\n1"))):
        assert next(read_table(data))["refused"] == "is-zip"
