"""Tables of players as other programs write them, taken in as they are once it is said what they hold."""

from __future__ import annotations

import io
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from players import jobs
from players.appointments import create_office
from players.models import Federation, Identifier, Player, RegisterImport
from players.record import Refused
from players.register_table import Naming
from ratings import register_import
from ratings.rulesets.csa.profile import chess_sa_zip, standard_rapid_blitz_tracks
from ratings.rulesets.downloads import DownloadHead, DownloadRow, fide_combined, swiss_manager_csv
from ratings.tests.register_tables import (
    LWAZI,
    THABO,
    confirmed,
    csv_table,
    enter,
    found,
    planned,
    received,
    some_players,
)
from tests.built_once import built_once
from tournaments.tests.test_formats_player_lists import OTHELLO, XML

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nobody_is_woken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("players.jobs._send", lambda task, key: None)


@pytest.fixture
@built_once
def office(csa: Federation) -> Federation:
    some_players(csa)
    return csa


@pytest.fixture
@built_once
def pfo(db: None) -> Federation:
    return opened("pfo")


def opened(slug: str) -> Federation:
    return create_office(ruleset_slug=slug, official_email=f"official@{slug}.example", on=date(2026, 1, 1))


def compared(office: Federation, data: bytes) -> RegisterImport:
    job = received(office, data)
    jobs.run("tables", job.pk)
    job.refresh_from_db()
    return job


def named(job: RegisterImport, **said: Any) -> RegisterImport:
    before = Naming.of(job.naming or job.head["used"]) if job.naming or job.head["used"] else Naming()
    naming = Naming.of({**before.as_dict(), **said})
    register_import.name_columns(register_import=job, naming=naming, seen_digest=job.digest)
    jobs.run("tables", job.pk)
    job.refresh_from_db()
    return job


def rows_of(job: RegisterImport) -> list[dict[str, Any]]:
    return [{column: after for column, (_b, after) in line.changes.items()} for line in job.lines.all()]


HEAD = DownloadHead("csa", "otb-main", date(2026, 3, 1), 1, "2020", "0" * 64)


def download_row(**said: Any) -> DownloadRow:
    told = {"rank": 1, "number": THABO, "surname": "Dlamini", "first_name": "Thabo", "title": "FM"}
    told |= {"region": "WCA", "rating": Decimal(1700), "games": 30, "previous": None, "born": 2008}
    return DownloadRow(**{**told, "nation": "RSA", "sex": "m", "fide": "14300001", **said})


# ---------------------------------------------------------------- layouts


def test_the_federation_s_own_list_has_regions_under_fed_and_a_year_for_a_birth(office: Federation) -> None:
    file = io.BytesIO()
    rows = [download_row(), download_row(number="", surname="Botha", born=None)]
    chess_sa_zip(HEAD, rows, file)
    job = compared(office, file.getvalue())
    assert rows_of(job) == [
        {"region": "WCA", "title": "FM"},
        {"surname": "Botha", "first_name": "Thabo", "sex": "m", "title": "FM", "region": "WCA"},
    ]


def test_swiss_manager_s_national_list_is_read_by_its_headings(office: Federation) -> None:
    file = io.BytesIO()
    swiss_manager_csv(HEAD, [download_row(title="IM")], file)
    job = compared(office, file.getvalue())
    assert rows_of(job) == [{"region": "WCA", "title": "IM"}]
    assert job.notices[0]["params"] == {"column": "“Rtg_Nat”"}


def test_swiss_manager_s_list_of_players_has_both_spellings_of_the_name(office: Federation) -> None:
    job = planned(
        office,
        "Nr;Name;Titel;Identnr;EloNat;EloInt;Geburt;Fed;Sex;FideIdent;Nachname;Vorname",
        f"1;Dlamini,Thabo;;{THABO};1700;0;03.05.2008;RSA;;14300001;Dlamini;Thabo John",
    )
    assert rows_of(job) == [{"first_name": "Thabo John"}]
    assert [told["key"] for told in job.notices] == ["column-unknown", "column-doubled", "column-not-taken"]


def test_fide_s_xml_finds_players_by_fide_s_id_and_brings_others(office: Federation) -> None:
    job = compared(office, XML)
    assert rows_of(job) == [{"title": "WFM", "sex": "f"}]
    other = compared(office, XML.replace(b"14300001", b"14300009"))
    assert found(other) == [(2, "number", "alike")]  # the same name and birth: a person says who it is


def test_a_list_in_fide_s_layout_with_the_office_s_own_numbers_is_known_by_them(office: Federation) -> None:
    file = io.BytesIO()
    layout = fide_combined(standard_rapid_blitz_tracks)
    layout.write(HEAD, [download_row()], file)
    assert rows_of(compared(office, file.getvalue())) == [{"title": "FM"}]


def test_mahjong_s_numbers_at_the_european_association_are_keys() -> None:
    office = opened("mahjong")
    enter(office, "1", "Orlova, Anna", ids={"ema": "04010001"})
    job = planned(
        office,
        "EMA_NUMBER,LAST_NAME,FIRST_NAME,COUNTRY",
        "04010001,Orlova,Anna,RUS",
        "04010002,Belov,Ivan,RUS",
    )
    assert rows_of(job) == [
        {"nation": "RUS"},
        {"ema_id": "04010002", "surname": "Belov", "first_name": "Ivan", "nation": "RUS"},
    ]


def test_a_number_of_the_european_association_that_lost_its_zero_to_a_spreadsheet_gets_it_back() -> None:
    office = opened("mahjong")
    enter(office, "1", "Orlova, Anna", ids={"ema": "04010001"})
    job = planned(
        office, "EMA_NUMBER,LAST_NAME,FIRST_NAME,COUNTRY", "4010001,,,RUS", "4010002,Belov,Ivan,RUS"
    )
    assert rows_of(job) == [
        {"nation": "RUS"},
        {"ema_id": "04010002", "surname": "Belov", "first_name": "Ivan", "nation": "RUS"},
    ]
    assert (
        planned(office, "EMA_NUMBER,COUNTRY", "401001,RUS").lines.get().kind == "problem"
    )  # two are no slip


def test_ids_of_other_kinds_keep_the_digits_that_they_have(office: Federation) -> None:
    job = planned(office, "surname,first_name,fide_id", "Botha,Anna,4300001")
    assert rows_of(job)[0]["fide_id"] == "4300001"


def test_swiss_manager_s_german_list_has_nations_under_land(office: Federation) -> None:
    job = planned(office, "Nachname;Vorname;Identnr;Land", f"Dlamini;Thabo;{THABO};BOT")
    assert rows_of(job) == [{"nation": "BOT"}]
    assert job.notices == []


def test_ids_of_a_kind_of_their_own_are_kept_under_their_heading(office: Federation) -> None:
    job = planned(
        office,
        "ICU_CODE,FIRST_NAME,LAST_NAME,ICU_RATING,SEX,CLUB,DOB",
        "1234,Nomsa,Botha,1500,F,Rivers,03-05-1990",
    )
    assert [told["key"] for told in job.notices] == ["column-unknown", "column-not-taken"]
    job = named(job, places={**job.head["used"]["places"], "0": "icu-code_id"})
    assert rows_of(job)[0]["icu-code_id"] == "1234"
    assert rows_of(job)[0]["birth"] == "1990-05-03"
    jobs.run("tables", confirmed(job).pk)
    assert Identifier.objects.get(kind="icu-code").player.surname == "Botha"
    again = planned(office, "ICU_CODE,title", "1234,FM")
    assert again.state == "unnamed"
    again = named(again, places={"0": "icu-code_id", "1": "title"})
    assert rows_of(again) == [{"title": "FM"}]


# ---------------------------------------------------------------- the world's list in a small office


def test_of_the_world_s_list_those_of_one_nation_are_taken(pfo: Federation) -> None:
    job = compared(pfo, OTHELLO)
    assert (job.counts["new"], job.counts["problem"]) == (3, 1)
    job = named(job, nations=["POL"])
    assert (job.counts["new"], rows_of(job)) == (
        1,
        [{"wof_id": "5700", "surname": "Nowak", "first_name": "Jan", "nation": "POL"}],
    )
    assert job.notices[-1]["params"]["count"] == 3


def test_those_of_one_nation_are_taken_in_whatever_code_it_is_written(pfo: Federation) -> None:
    rows = ["Nowak,Jan,POL", "Lis,Ola,PL", "Zima,Ewa,Poland", "Novak,Jan,CZE", "Kral,Eva,"]
    job = named(compared(pfo, csv_table("surname,first name,nation", *rows)), nations=["POL"])
    assert [row["nation"] for row in rows_of(job)] == ["POL"] * 3


def test_of_the_world_s_list_ids_alone_find_those_whom_the_register_has(pfo: Federation) -> None:
    enter(pfo, "1", "Nowak, Jan", ids={"wof": "5700"})
    job = named(compared(pfo, OTHELLO), known_only=True)
    assert rows_of(job) == [{"nation": "POL"}]
    assert job.notices[-1] == {
        "column": "",
        "key": "not-in-register",
        "params": {"count": 3, "nations": ""},
    }


# ---------------------------------------------------------------- columns named once


def test_a_table_whose_headings_say_nothing_waits_until_somebody_names_them(office: Federation) -> None:
    job = planned(office, "kod,kto", f"{THABO},Dlamini", f"{LWAZI},Naidoo")
    assert (job.state, job.reason["key"], job.head["rows"]) == ("unnamed", "no-header", 2)
    assert job.head["samples"] == [[THABO, LWAZI], ["Dlamini", "Naidoo"]]
    job = named(job, places={"0": "number", "1": "surname"})
    assert (job.state, job.counts["unchanged"]) == ("planned", 2)


def test_a_naming_is_remembered_for_the_next_table_with_these_headings(office: Federation) -> None:
    named(planned(office, "kod,kto", f"{THABO},x"), places={"0": "number"}, defaults={"sex": "f"})
    job = planned(office, "KOD,Kto", f"{LWAZI},y")
    assert (job.state, rows_of(job)) == ("planned", [{"sex": "f"}])
    assert planned(office, "kod,ktokto", f"{LWAZI},y").state == "unnamed"


def test_a_naming_of_another_office_is_not_remembered_here(office: Federation, pfo: Federation) -> None:
    named(planned(office, "kod,kto", f"{THABO},x"), places={"0": "number"})
    assert planned(pfo, "kod,kto", "1,x").state == "unnamed"


def test_what_somebody_else_saw_is_not_named(office: Federation) -> None:
    job = planned(office, "number,surname", f"{THABO},Dlamini")
    seen = job.digest
    named(job, filled=["nation"])
    RegisterImport.objects.filter(pk=job.pk).update(digest="0" * 64)
    with pytest.raises(Refused):
        register_import.name_columns(register_import=job, naming=Naming({0: "number"}), seen_digest=seen)


# ---------------------------------------------------------------- many players at once


def test_a_default_fills_what_neither_table_nor_register_has(office: Federation) -> None:
    job = planned(office, "number,surname,nation,sex", f"{THABO},,,", f"{LWAZI},,,", ",Botha,NAM,")
    job = named(job, defaults={"nation": "ZIM", "sex": "f"})
    assert rows_of(job) == [
        {},
        {"nation": "ZIM", "sex": "f"},
        {"surname": "Botha", "nation": "NAM", "sex": "f"},
    ]


def test_an_empty_cell_can_mean_the_one_above_it(office: Federation) -> None:
    rows = ("surname,nation", "Botha,NAM", "Pillay,", "Jacobs,ZIM", "Sithole,")
    job = named(planned(office, *rows), filled=["nation"])
    assert [row["nation"] for row in rows_of(job)] == ["NAM", "NAM", "ZIM", "ZIM"]


def test_a_pasted_column_goes_to_the_rows_in_their_order(office: Federation) -> None:
    rows = ("surname,birth", "Botha,1990", "Pillay,", "Jacobs,1985")
    job = named(planned(office, *rows), pasted={"birth": ["", "1991", "1986"], "sex": ["f"]})
    assert [row["birth"] for row in rows_of(job)] == ["1990", "1991", "1986"]
    assert [row.get("sex") for row in rows_of(job)] == ["f", None, None]
    jobs.run("tables", confirmed(job).pk)
    assert Player.objects.get(surname="Jacobs").born == 1986


def test_what_was_pasted_is_not_remembered(office: Federation) -> None:
    rows = ("surname,shoe", "Botha,40")
    named(planned(office, *rows), pasted={"sex": ["f"]})
    assert rows_of(planned(office, *rows)) == [{"surname": "Botha"}]


@pytest.mark.parametrize(
    ("birth", "read"),
    [
        ("2008/01/01", "2008"),
        ("2008-01-01", "2008-01-01"),
        ("1900/01/01", None),
        ("0000", None),
        ("0000/00/00", None),
        ("03-05-2008", "2008-05-03"),
        ("13/05/2008", "2008-05-13"),
    ],
)
def test_a_birth_is_read_as_lists_write_it(office: Federation, birth: str, read: str | None) -> None:
    [row] = rows_of(planned(office, "surname,birth", f"Botha,{birth}"))
    assert row.get("birth") == read


def test_a_birth_with_slashes_that_could_be_two_days_is_asked_for(office: Federation) -> None:
    assert found(planned(office, "surname,birth", "Botha,12/05/2008")) == [(2, "birth", "birth-not-read")]


def test_an_id_of_zeros_is_none(office: Federation) -> None:
    job = compared(office, csv_table("surname,fide_id", "Botha,0", "Pillay,00000000"))
    assert rows_of(job) == [{"surname": "Botha"}, {"surname": "Pillay"}]
