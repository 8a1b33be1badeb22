"""The register's pages: who takes out what, and a table from its upload to its writing, hostile ones too."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from openpyxl import load_workbook

from players import jobs
from players.models import Decision, Federation, Player, RegisterImport, State, User
from players.settings import today
from ratings.tests.register_tables import LWAZI, THABO, csv_table, enter, some_players, xlsx_table
from tests.pages import unbroken
from tournaments.tests.table_files import changed_part

pytestmark = [pytest.mark.django_db, pytest.mark.servers]
SHEET = "xl/worksheets/sheet1.xml"
ClientOf = Callable[[User], Client]


@pytest.fixture
def office(csa: Federation, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Federation:
    """With the worker at once, as soon as it is woken."""

    monkeypatch.setattr(
        "players.jobs._send", lambda task, *args, **_: jobs.run(*args) if task == jobs.WORK_TASK else None
    )
    some_players(csa)
    return csa


def rows_of(answer: Any) -> list[dict[str, str]]:
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def uploaded(client: Client, data: bytes, callbacks: Any, **form: Any) -> RegisterImport:
    with callbacks(execute=True):
        answer = client.post("/csa/register/imports/", {"file": SimpleUploadedFile("p.csv", data), **form})
    assert answer.status_code == 302, answer.content.decode()
    return RegisterImport.objects.latest("pk")


# ---------------------------------------------------------------- out


def test_an_official_takes_out_full_births_and_the_record_says_so(
    office: Federation, nomsa: User, client_of: ClientOf
) -> None:
    thabo, lwazi = rows_of(client_of(nomsa).post("/csa/register/players.csv"))
    assert (thabo["number"], thabo["birth"], thabo["region"], thabo["fide_id"]) == (
        THABO,
        "2008-05-03",
        "GAU",
        "14300001",
    )
    assert (lwazi["birth"], lwazi["resident"]) == ("", "yes")
    decided = Decision.objects.get(kind="export-register")
    assert (decided.by, decided.details["births"], decided.details["players"]) == (nomsa, "day", 2)


def test_an_administrator_takes_out_years_alone(
    office: Federation, thandi: User, client_of: ClientOf
) -> None:
    assert [row["birth"] for row in rows_of(client_of(thandi).post("/csa/register/players.csv"))] == [
        "2008",
        "",
    ]


def test_a_regional_administrator_takes_out_the_own_regions_players(
    office: Federation, amahle: User, pieter: User, client_of: ClientOf
) -> None:
    assert [
        (row["number"], row["birth"]) for row in rows_of(client_of(amahle).post("/csa/register/players.csv"))
    ] == [(THABO, "2008")]
    assert rows_of(client_of(pieter).post("/csa/register/players.csv")) == []
    assert Decision.objects.filter(kind="export-register").first().details["region"] == ["WCA"]  # type: ignore[union-attr]


def test_the_workbook_holds_what_the_csv_holds(office: Federation, nomsa: User, client_of: ClientOf) -> None:
    client = client_of(nomsa)
    book = load_workbook(io.BytesIO(b"".join(client.post("/csa/register/players.xlsx").streaming_content)))  # type: ignore[attr-defined]
    head, *rows = book.worksheets[0].iter_rows(values_only=True)
    plain = [dict(zip(head, ["" if cell is None else cell for cell in row], strict=True)) for row in rows]
    assert plain == rows_of(client.post("/csa/register/players.csv"))


def test_formulas_are_disarmed_on_the_way_out_and_the_same_on_the_way_in(
    office: Federation, nomsa: User, client_of: ClientOf, django_capture_on_commit_callbacks: Any
) -> None:
    enter(office, "101000003", "=cmd|'/c calc'!A1, @Sum", "1990")
    client = client_of(nomsa)
    for suffix in ("csv", "xlsx"):
        data = b"".join(client.post(f"/csa/register/players.{suffix}").streaming_content)  # type: ignore[attr-defined]
        job = uploaded(client, data, django_capture_on_commit_callbacks)
        assert job.counts == {"new": 0, "changed": 0, "unchanged": 3, "problem": 0}
    assert b"'=cmd" in b"".join(client.post("/csa/register/players.csv").streaming_content)  # type: ignore[attr-defined]


def test_another_layout_is_not_there(office: Federation, nomsa: User, client_of: ClientOf) -> None:
    assert client_of(nomsa).post("/csa/register/players.ods").status_code == 404
    assert client_of(nomsa).get("/csa/register/players.csv").status_code == 405


# ---------------------------------------------------------------- in


def test_a_table_goes_from_upload_through_its_rows_to_the_register(
    office: Federation, nomsa: User, client_of: ClientOf, django_capture_on_commit_callbacks: Any
) -> None:
    client = client_of(nomsa)
    data = csv_table("number,surname,sex,title", f"{LWAZI},Naidoo,m,FM", "9,Botha,f,", ",<b>Bold</b>,f,")
    job = uploaded(client, data, django_capture_on_commit_callbacks)
    here = f"/csa/register/imports/{job.pk}/"
    page = client.get(here).content.decode()
    assert "Continue without the rows" in page
    assert "<ins>" not in page  # there was neither sex nor title
    assert "Nobody in the register has the number 9." in page
    assert page.count("&lt;b&gt;Bold") == 1, (
        "rows with problems come first; the columns' first values show it"
    )
    assert "&lt;b&gt;Bold" in client.get(f"{here}?kind=all").content.decode()
    only = client.get(f"{here}?kind=new").content.decode()
    assert "Bold" in only
    assert "Lwazi" not in only
    assert client.post(f"{here}confirm/", {"digest": job.digest}).status_code == 409
    with django_capture_on_commit_callbacks(execute=True):
        client.post(f"{here}confirm/", {"digest": job.digest, "leave_out": "on"})
    assert "Written as Nomsa confirmed" in client.get(here).content.decode()
    assert Player.objects.get(number=LWAZI).title == "FM"
    assert Decision.objects.get(kind="import-register").by == nomsa
    assert "wrote a table into the register" in client.get("/csa/record/").content.decode()


def test_many_rows_are_shown_page_by_page(
    office: Federation, nomsa: User, client_of: ClientOf, django_capture_on_commit_callbacks: Any
) -> None:
    client = client_of(nomsa)
    data = csv_table("surname", *(f"Invented{n}" for n in range(51)))
    job = uploaded(client, data, django_capture_on_commit_callbacks)
    page = client.get(f"/csa/register/imports/{job.pk}/?page=2").content.decode()
    assert "51 to 51 of 51" in page
    assert client.get(f"/csa/register/imports/{job.pk}/?page=x&kind=%3C").status_code == 200


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ((f"{LWAZI},FM", f"{THABO},", "9,"), "problem"),
        ((f"{LWAZI},FM", f"{THABO},"), "changed"),
        ((f"{THABO},",), "all"),
    ],
)
def test_a_table_opens_at_what_wants_a_look(
    office: Federation,
    nomsa: User,
    client_of: ClientOf,
    django_capture_on_commit_callbacks: Any,
    rows: tuple[str, ...],
    kind: str,
) -> None:
    client = client_of(nomsa)
    job = uploaded(client, csv_table("number,title", *rows), django_capture_on_commit_callbacks)
    page = unbroken(client.get(f"/csa/register/imports/{job.pk}/").content.decode())
    assert f'<a href="?kind={kind}" aria-current="page">' in page


def test_what_was_written_names_the_new_players_numbers_and_says_what_is_not_listed(
    office: Federation, nomsa: User, client_of: ClientOf, django_capture_on_commit_callbacks: Any
) -> None:
    client = client_of(nomsa)
    data = csv_table("number,surname,title", f"{LWAZI},,FM", f"{THABO},,", ",Botha,")
    job = uploaded(client, data, django_capture_on_commit_callbacks)
    here = f"/csa/register/imports/{job.pk}/"
    assert "All rows" in client.get(here).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        client.post(f"{here}confirm/", {"digest": job.digest})
    page = client.get(here).content.decode()
    assert '<a href="/csa/players/101000003/">Botha</a>' in page
    assert "a new number" not in page
    assert "1 row that changed nothing is no longer listed." in page
    assert "All rows" not in page
    assert "All but the unchanged" in page


def test_who_waits_is_shown_how_far_it_is(
    office: Federation, nomsa: User, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("players.jobs._send", lambda task, key: None)
    client = client_of(nomsa)
    client.post("/csa/register/imports/", {"file": SimpleUploadedFile("p.csv", b"number\n1")})
    job = RegisterImport.objects.get()
    assert "Waiting for the worker" in client.get(f"/csa/register/imports/{job.pk}/").content.decode()
    assert client.get(f"/csa/register/imports/{job.pk}/progress/").status_code == 200
    client.post(f"/csa/register/imports/{job.pk}/discard/")
    assert client.get(f"/csa/register/imports/{job.pk}/progress/").status_code == 286
    assert client.get(f"/csa/register/imports/{job.pk}/").status_code == 200


def test_a_file_beyond_the_limit_is_refused_before_it_is_kept(
    office: Federation, nomsa: User, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ratings.pages.register_import.MOST_BYTES", 10)
    client = client_of(nomsa)
    over = client.post("/csa/register/imports/", {"file": SimpleUploadedFile("p.csv", b"x" * 11)})
    assert (over.status_code, RegisterImport.objects.count()) == (400, 0)
    assert client.post("/csa/register/imports/").status_code == 400
    monkeypatch.setattr("ratings.register_import.MOST_BYTES", 9)
    assert (
        client.post("/csa/register/imports/", {"file": SimpleUploadedFile("p.csv", b"x" * 10)}).status_code
        == 409
    )


GOOD = xlsx_table([["number", "sex"], [LWAZI, "f"]])
FAR = changed_part(
    GOOD, SHEET, {"</sheetData>": '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'}
)
LAUGHS = changed_part(
    GOOD,
    SHEET,
    {"<worksheet": '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><worksheet'},
)


@pytest.mark.long
@pytest.mark.parametrize(
    ("data", "key"),
    [
        (FAR, "xlsx-far-row"),
        (LAUGHS, "xlsx-entities"),
        (b"number,surname\n1,Bo\0tha", "is-binary"),
        (b"number," + b"x," * 10_000 + b"\n", "line-too-long"),
        (b"number," + b"," * 100 + b"\n", "too-wide"),
        (b"number,surname\n1," + b"x" * 1_000_000, "line-too-long"),
        (b"\n" * 151_001, "empty"),
        (b"number\n" + b"1\n" * 150_001, "too-many-rows"),
        (GOOD[:200] + GOOD[300:], "xlsx-broken"),
        (b"%PDF-1.7", "is-pdf"),
        (b"number,surname\n1,\xed\xa0\x80", "rows"),
    ],
)
def test_hostile_tables_are_refused_by_their_name(
    office: Federation,
    nomsa: User,
    client_of: ClientOf,
    django_capture_on_commit_callbacks: Any,
    data: bytes,
    key: str,
) -> None:
    client = client_of(nomsa)
    job = uploaded(client, data, django_capture_on_commit_callbacks)
    page = client.get(f"/csa/register/imports/{job.pk}/")
    assert page.status_code == 200
    if key == "rows":  # a half letter spoils its row alone
        assert job.lines.get().problems[0]["key"] == "odd-character"
    else:
        assert (job.state, job.reason.get("key")) == ("refused", key)
    assert Player.objects.count() == 2


def test_the_way_to_the_register_is_on_the_desk(
    office: Federation, nomsa: User, thandi: User, amahle: User, client_of: ClientOf
) -> None:
    for person in (nomsa, thandi, amahle):
        assert 'href="/csa/register/"' in client_of(person).get("/csa/desk/").content.decode()
    assert 'type="file"' not in client_of(amahle).get("/csa/register/").content.decode()
    assert 'type="file"' in client_of(nomsa).get("/csa/register/").content.decode()


# ---------------------------------------------------------------- every state


def table_in(office: Federation, state: str) -> RegisterImport:
    """A table of that state; who has no dry run has counted nothing."""
    planned = state in (State.PLANNED, State.CONFIRMED, State.WRITING, State.WRITTEN)
    counts = {"new": 1, "changed": 2, "unchanged": 0, "problem": 0}
    return RegisterImport.objects.create(
        federation=office,
        at=timezone.now(),
        on=today(office),
        name="joueurs.txt",
        size=9,
        sha256="0" * 64,
        content=b"foo,bar",
        state=state,
        reason={"key": "box-crash", "params": {}, "line": None} if state == State.REFUSED else {},
        counts=counts if planned else {},
    )


@pytest.mark.parametrize("state", State.values)
def test_the_registers_page_and_a_tables_own_open_in_every_state_of_the_table(
    office: Federation, nomsa: User, client_of: ClientOf, state: str
) -> None:
    job = table_in(office, state)
    page = client_of(nomsa).get("/csa/register/")
    assert page.status_code == 200
    assert ("1, 2" in page.content.decode()) == bool(job.counts)
    assert client_of(nomsa).get(f"/csa/register/imports/{job.pk}/").status_code == 200
    assert client_of(nomsa).get(f"/csa/register/imports/{job.pk}/?page=9999&kind=all").status_code == 200


def test_a_refused_table_leaves_the_registers_page_open(
    office: Federation, nomsa: User, client_of: ClientOf, django_capture_on_commit_callbacks: Any
) -> None:
    job = uploaded(client_of(nomsa), b"%PDF-1.7", django_capture_on_commit_callbacks)
    assert RegisterImport.objects.get(pk=job.pk).state == State.REFUSED
    assert client_of(nomsa).get("/csa/register/").status_code == 200


def test_a_table_without_known_headings_is_named_on_its_page_and_compared(
    office: Federation, nomsa: User, client_of: ClientOf, django_capture_on_commit_callbacks: Any
) -> None:
    client = client_of(nomsa)
    job = uploaded(client, f"kod,kto\n{THABO},Dlamini\n,Botha\n".encode(), django_capture_on_commit_callbacks)
    here = f"/csa/register/imports/{job.pk}/"
    page = client.get(here).content.decode()
    for words in ("columns to be named", "The first row does not name", "kod", f"{THABO}", "Dlamini · Botha"):
        assert words in page
    assert client.get("/csa/register/").status_code == 200
    said = {"digest": "", "column_0": "number", "column_1": "surname", "default_nation": "ZAM"}
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(f"{here}columns/", said).status_code == 302
    job.refresh_from_db()
    assert (job.state, job.counts["new"], job.counts["changed"]) == ("planned", 1, 0)
    form = client.get(here).content.decode()
    assert 'value="ZAM"' in form
    assert '<option value="number" selected>' in form


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"column_0": "surname", "column_1": "surname"}, "Another column holds this already."),
        ({"column_0": "name", "column_1": "surname"}, "Leave one of them out."),
        ({"column_0": "sex"}, "No column says which player"),
        ({}, "does not name the columns of a register"),
        ({"column_0": "surname", "default_nation": "Atlantis"}, "is not a country"),
        ({"column_0": "surname", "default_region": "XXX"}, "There is no region"),
        ({"column_0": "surname", "nations": "RSA, Zambia"}, "“Zambia” is not a country"),
        ({"column_0": "surname", "paste_into": "sex"}, "Choose a column, and paste its values."),
        ({"column_0": "surname", "pasted": "f"}, "Choose a column, and paste its values."),
        ({"column_0": "surname", "paste_into": "sex", "pasted": "f\nx"}, "Line 2: “x” cannot be read."),
        ({"column_0": "surname", "paste_into": "sex", "pasted": "f\nf\nf"}, "These are 3 values"),
    ],
)
def test_what_cannot_be_said_of_columns_is_told_beside_the_question_and_nothing_is_compared(
    office: Federation,
    nomsa: User,
    client_of: ClientOf,
    django_capture_on_commit_callbacks: Any,
    said: dict[str, str],
    words: str,
) -> None:
    client = client_of(nomsa)
    job = uploaded(client, b"kod,kto\na,b\nc,d\n", django_capture_on_commit_callbacks)
    answer = client.post(f"/csa/register/imports/{job.pk}/columns/", {"digest": "", **said})
    assert answer.status_code == 400
    assert words in html.unescape(answer.content.decode())
    job.refresh_from_db()
    assert (job.state, job.naming) == ("unnamed", {})


def test_columns_that_somebody_else_named_meanwhile_are_not_named_again(
    office: Federation, nomsa: User, client_of: ClientOf, django_capture_on_commit_callbacks: Any
) -> None:
    client = client_of(nomsa)
    job = uploaded(client, f"number\n{THABO}\n".encode(), django_capture_on_commit_callbacks)
    said = {"digest": "0" * 64, "column_0": "number"}
    answer = client.post(f"/csa/register/imports/{job.pk}/columns/", said)
    assert answer.status_code == 409
    assert "Somebody else acted first" in answer.content.decode()


@pytest.mark.parametrize("state", State.values)
def test_a_table_that_waits_or_was_refused_can_be_discarded_and_no_other(
    office: Federation, nomsa: User, client_of: ClientOf, state: str
) -> None:
    job = table_in(office, state)
    here = f"/csa/register/imports/{job.pk}/"
    can = state in (State.WAITING, State.UNNAMED, State.PLANNED, State.REFUSED)
    assert ("Discard the table" in client_of(nomsa).get(here).content.decode()) == can
    client_of(nomsa).post(f"{here}discard/")
    job.refresh_from_db()
    assert job.state == (State.DISCARDED if can else state)
