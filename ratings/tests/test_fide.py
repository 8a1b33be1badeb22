"""FIDE's list beside the register: read as a stream in each layout, told first, written when asked."""

from __future__ import annotations

import io
import tracemalloc
from datetime import date
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command

from players.fide_list import FidePerson, NotAList, compare_with_fide_list, read_list
from players.models import Decision, Federation, Player
from ratings.tests.register_tables import LWAZI, THABO, enter, some_players

THABO_THERE = FidePerson("14300001", "Dlamini", "Thabo", "RSA", "m", "FM", 2008)
LWAZI_THERE = FidePerson("14300002", "Naidoo", "Lwazi", "RSA", "f", "WGM", 1999)


HEAD = f"{'ID Number':15}{'Name':61}{'Fed':4}{'Sex':4}{'Tit':5}{'WTit':5}{'OTit':15}{'FOA':4}"


def titles(person: FidePerson) -> tuple[str, str]:
    """The open one, the women's one."""
    return ("", person.title) if person.title.startswith("W") else (person.title, "")


def combined(*people: FidePerson) -> bytes:
    lines = [f"{HEAD}SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag"]
    for p in people:
        title, woman_title = titles(p)
        line = f"{p.fide_id:15}{f'{p.surname}, {p.first_name}':61}{p.country:4}{p.sex.upper():4}"
        lines.append(f"{line}{title:5}{woman_title:63}{p.born or '0000'}  i ")
    return "\r\n".join([*lines, ""]).encode()


def xml(*people: FidePerson) -> bytes:
    parts = [
        f"<player><fideid>{p.fide_id}</fideid><name>{p.surname}, {p.first_name}</name>"
        f"<country>{p.country}</country><sex>{p.sex.upper()}</sex><title>{titles(p)[0]}</title>"
        f"<w_title>{titles(p)[1]}</w_title><birthday>{p.born or ''}</birthday></player>"
        for p in people
    ]
    return f"<?xml version='1.0'?><playerslist>{''.join(parts)}</playerslist>".encode()


def zipped(data: bytes, *names: str) -> bytes:
    file = io.BytesIO()
    with ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, data)
    return file.getvalue()


@pytest.fixture
def there(tmp_path: Path) -> Path:
    path = tmp_path / "list"
    path.write_bytes(combined(THABO_THERE, LWAZI_THERE))
    return path


def said(*arguments: object) -> str:
    out = io.StringIO()
    call_command("take_fide_list", "csa", *map(str, arguments), stdout=out)
    return out.getvalue()


# ---------------------------------------------------------------- reading


@pytest.mark.parametrize("data", [combined(THABO_THERE, LWAZI_THERE), xml(THABO_THERE, LWAZI_THERE)])
@pytest.mark.parametrize("packed", [False, True])
def test_each_layout_gives_the_same_people_plain_and_zipped(
    tmp_path: Path, data: bytes, packed: bool
) -> None:
    path = tmp_path / "list"
    path.write_bytes(zipped(data, "list.txt") if packed else data)
    assert list(read_list(path)) == [THABO_THERE, LWAZI_THERE]


def test_the_list_of_one_rating_and_the_old_layout_are_read(tmp_path: Path) -> None:
    single = tmp_path / "single"
    head = f"{HEAD}JAN26 Gms K  B-day Flag"
    single.write_text(f"{head}\n{'14300001':15}{'Dlamini, Thabo':61}RSA M   FM{'':40}2008\n")
    assert list(read_list(single)) == [THABO_THERE]
    old = tmp_path / "old"
    head = f"{'ID number':10}{'Name':34}TitlFed  Jan26 GamesBorn  Flag"
    old.write_text(f"{head}\n{'14300002':10}{'Naidoo, Lwazi':34}wg  RSA{'':13}1999  wi\n")
    assert list(read_list(old)) == [LWAZI_THERE]


@pytest.mark.parametrize(
    ("ratings", "before"),
    [
        ("SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag", 39),
        ("APR13 Gms K  B-day Flag", 13),
        ("FOA SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag", 43),
    ],
)
def test_the_headings_say_where_the_columns_are_in_lists_of_any_year(
    tmp_path: Path, ratings: str, before: int
) -> None:
    """The lists of 2012 to 2015 have no column for the titles of FIDE's online arena."""
    path = tmp_path / "list"
    line = f"{'14300002':15}{'Naidoo, Lwazi':61}RSA F        WGM  {'':15}{'2100':{before}}1999  w"
    path.write_text(f"{HEAD.removesuffix('FOA ')}{ratings}\n{line}\n")
    assert list(read_list(path)) == [LWAZI_THERE]


@pytest.mark.parametrize(
    "data",
    [
        b"number,surname\n1,X\n",
        b"",
        b"<html></html>",
        xml(THABO_THERE)[:-20],
        xml(THABO_THERE).replace(b"?>", b" encoding='UTF-88'?>"),
        xml(THABO_THERE).replace(b"?>", b" encoding='UTF-7'?>"),
        b"<!DOCTYPE l [<!ENTITY a 'ha'><!ENTITY b '&a;&a;'>]><playerslist>&b;</playerslist>",
        zipped(b"x", "a.txt", "b.txt"),
        b"PK\x03\x04 no archive",
    ],
)
def test_what_is_no_list_is_refused_with_what_it_is(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "list"
    path.write_bytes(data)
    with pytest.raises(NotAList):
        list(read_list(path))


@pytest.mark.long
def test_a_long_list_takes_the_memory_of_a_short_one(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(xml(*[THABO_THERE] * 20_000))
    tracemalloc.start()
    assert sum(1 for _person in read_list(path)) == 20_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000


# ---------------------------------------------------------------- comparing and taking over


def test_nothing_is_written_without_being_asked(csa: Federation, there: Path) -> None:
    some_players(csa)
    words = said(there)
    assert "1  another title: taken over" in words
    assert "Nothing was written" in words
    assert Player.objects.get(number=THABO).title == ""


def test_titles_are_taken_over_and_gaps_filled_and_the_rest_is_told(csa: Federation, there: Path) -> None:
    some_players(csa)
    enter(csa, "101000003", "Naidu, Lwazi", "2001", sex="f", ids={"fide": "14300002"})
    enter(csa, "101000004", "Pillay, Zanele", ids={"fide": "14399999"})
    Player.objects.filter(number=THABO).update(sex="", born=None)
    words = said(there, "--write")
    thabo, other = Player.objects.get(number=THABO), Player.objects.get(number="101000003")
    assert (thabo.title, thabo.sex, thabo.born) == ("FM", "m", 2008)
    assert (other.title, other.surname, other.born) == ("WGM", "Naidu", 2001)
    assert "1  another year of birth: reported only" in words
    assert "? 101000003  name: – → Naidoo, Lwazi" in words
    assert "2 are on it, 1 are not" in words
    decided = Decision.objects.get(kind="take-fide")
    assert (decided.by, decided.details["changed"]) == (None, 2)


def test_an_id_is_given_by_name_and_year_where_one_alone_fits(csa: Federation, there: Path) -> None:
    enter(csa, LWAZI, "Naidoo, Lwazi", "1999-02-03")
    assert "reported only" in said(there, "--write")
    said(there, "--write", "--link")
    assert Player.objects.get(number=LWAZI).identifiers.get().value == "14300002"


@pytest.mark.parametrize("birth", ["", "1998"])
def test_no_id_is_given_by_the_name_alone(csa: Federation, there: Path, birth: str) -> None:
    enter(csa, LWAZI, "Naidoo, Lwazi", birth)
    said(there, "--write", "--link")
    assert not Player.objects.get(number=LWAZI).identifiers.exists()


def test_namesakes_get_no_id_on_either_side(csa: Federation) -> None:
    for number in (LWAZI, "101000003"):
        enter(csa, number, "Naidoo, Lwazi", "1999")
    assert compare_with_fide_list(csa, [LWAZI_THERE], on=date(2026, 8, 5), link_by_name=True).taken == {}
    Player.objects.get(number="101000003").delete()
    twins = [LWAZI_THERE, LWAZI_THERE._replace(fide_id="14300009")]
    assert compare_with_fide_list(csa, twins, on=date(2026, 8, 5), link_by_name=True).taken == {}
    abroad = LWAZI_THERE._replace(country="NED")
    assert compare_with_fide_list(csa, [abroad], on=date(2026, 8, 5), link_by_name=True).differences == []
    assert len(compare_with_fide_list(csa, [LWAZI_THERE], on=date(2026, 8, 5), link_by_name=True).taken) == 1


@pytest.mark.django_db
def test_what_cannot_be_read_is_said_in_one_line(csa: Federation, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        said(tmp_path / "none")
    with pytest.raises(CommandError, match="no list of FIDE's"):
        (tmp_path / "x").write_text("x")
        said(tmp_path / "x")
