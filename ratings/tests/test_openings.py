"""An office that begins with a list: who is who, opening ratings as facts, the list that comes of them."""

from __future__ import annotations

import html
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from players import jobs
from players.appointments import create_office
from players.models import Decision, Federation, Player, RegisterImport, User
from players.record import Refused
from players.register_table import MESSAGES, Naming, OpeningTerms, describe_problem
from ratings import publication, register_import
from ratings.intake import import_journal
from ratings.journal import journal_lines
from ratings.models import Fact, Standing
from ratings.recompute import recompute
from ratings.replay import replay
from ratings.rulesets import journal, journal_lines as journal_form
from ratings.tests.office import approved, register, submitted
from ratings.tests.register_tables import (
    LWAZI,
    THABO,
    TODAY,
    confirmed,
    csv_table,
    enter,
    found,
    some_players,
)
from tests.built_once import built_once

pytestmark = [pytest.mark.django_db, pytest.mark.servers]
ClientOf = Callable[[User], Client]
HEAD = "number,surname,first_name,rating,games"
EARLIER = "2025-12-31"


@pytest.fixture(autouse=True)
def nobody_is_woken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "players.jobs._send", lambda task, *args, **_: jobs.run(*args) if task == jobs.WORK_TASK else None
    )


@pytest.fixture
@built_once
def office(csa: Federation) -> Federation:
    some_players(csa)
    return csa


def opened(slug: str) -> Federation:
    return create_office(ruleset_slug=slug, official_email=f"official@{slug}.example", on=date(2026, 1, 1))


def compared(
    office: Federation, *rows: str, track: str = "otb-main", on: str = EARLIER, source: str = "list of 2025"
) -> RegisterImport:
    job = register_import.receive_register(
        federation=office,
        by=None,
        at=timezone.now(),
        on=TODAY,
        name="list.csv",
        data=csv_table(*rows),
        takes_numbers=True,
        opening=OpeningTerms(track, on, source),
    )
    jobs.run("tables", job.pk)
    job.refresh_from_db()
    return job


def written(office: Federation, *rows: str, **terms: str) -> RegisterImport:
    job = confirmed(compared(office, *rows, **terms))
    jobs.run("tables", job.pk)
    job.refresh_from_db()
    recompute(office)
    return job


def exported(office: Federation) -> bytes:
    return "".join(f"{line}\n" for line in journal_lines(office)).encode()


def openings_of(office: Federation) -> list[dict[str, Any]]:
    ruleset = office.ruleset
    rows = Fact.objects.filter(federation=office, kind="opening").order_by("number")
    return [journal_form.parse_line(row.line, ruleset) for row in rows]  # type: ignore[misc]


# ---------------------------------------------------------------- from the list to the ratings


def test_the_list_is_shown_as_the_rules_would_draw_it_and_nothing_is_written(office: Federation) -> None:
    job = compared(
        office,
        HEAD,
        f"{THABO},Dlamini,Thabo,1712.5,48",
        f"{LWAZI},Naidoo,Lwazi,90,5",
        ',Botha,Nomsa,"1900,25",30',
    )
    assert (job.state, job.counts["openings"], job.counts["new"]) == ("planned", 3, 1)
    assert job.coming_list == [
        [1, "", "Botha, Nomsa", "1900.25", 30],
        [2, THABO, "Dlamini, Thabo", "1712.5", 48],
        [3, LWAZI, "Naidoo, Lwazi", "100", 5],  # 45: lifted to the floor
    ]
    assert not Fact.objects.filter(kind="opening").exists()
    assert Player.objects.count() == 2


@pytest.mark.parametrize(
    ("slug", "track", "rating"),
    [
        ("csa", "otb-main", "1712.5"),
        ("ssdc", "classic", "1500"),
        ("pfo", "ranking", "1234"),
        ("piskvorky", "rating", "1100"),
    ],
)
def test_ratings_after_openings_are_those_of_a_replay_and_the_journal_goes_out_and_in_the_same(
    db: None, slug: str, track: str, rating: str
) -> None:
    office = opened(slug)
    enter(office, "7", "Orlova, Anna")
    written(office, HEAD, f"7,Orlova,Anna,{rating},40", f"9,Belov,Ivan,{rating},0", track=track)
    bytes_of = exported(office)
    told = replay(bytes_of)["ratings"]
    standings = {each.player.number: each.rating for each in Standing.objects.select_related("player")}
    assert {each["player"]: Decimal(each["rating"]) for each in told} == standings
    assert sorted(standings) == ["7", "9"]
    twin = bytes_of.replace(f'"code":"{slug}"'.encode(), b'"code":"twin"')
    again = import_journal(journal.read_journal(BytesIO(twin)), on=TODAY)
    assert exported(again) == twin


def test_openings_stand_above_all_with_day_source_and_games_and_one_decision_tells_of_them(
    office: Federation,
) -> None:
    written(office, HEAD, f"{THABO},Dlamini,Thabo,1712.5,48")
    [opening] = openings_of(office)
    assert (opening.player, opening.track, str(opening.rating), opening.games) == (  # type: ignore[attr-defined]
        THABO,
        "otb-main",
        "1712.5",
        48,
    )
    assert (str(opening.on), opening.source) == (EARLIER, "list of 2025")  # type: ignore[attr-defined]
    details = Decision.objects.get(kind="import-register").details
    assert (details["openings"], details["track"], details["source"]) == (1, "otb-main", "list of 2025")


def test_a_second_list_adds_another_rating(office: Federation) -> None:
    written(office, HEAD, f"{THABO},Dlamini,Thabo,1712.5,48")
    written(office, HEAD, f"{THABO},Dlamini,Thabo,1650,12", track="otb-blitz")
    assert [each.track for each in openings_of(office)] == ["otb-main", "otb-blitz"]  # type: ignore[attr-defined]


# ---------------------------------------------------------------- who is who


def test_a_name_alone_finds_the_one_player_who_has_it_and_says_so(office: Federation) -> None:
    job = compared(office, "surname,first_name,rating,games", "Naidoo,Lwazi,1500,10", "Dlamini,Thabo,1400,3")
    assert [(line.number, line.opening.get("by")) for line in job.lines.all()] == [
        (LWAZI, "name"),
        (THABO, "name"),
    ]


def test_a_name_that_two_players_have_is_asked_about(office: Federation) -> None:
    enter(office, "101000003", "Naidoo, Lwazi")
    job = compared(office, "surname,first_name,rating,games", "Naidoo,Lwazi,1500,10")
    assert found(job)[0] == (2, "number", "several-alike")


@pytest.mark.parametrize(("row", "number"), [("Botha,Jan", "101"), ("Botha,Jan Karel", "102")])
def test_of_players_with_and_without_a_second_first_name_the_one_named_is_meant(
    office: Federation, row: str, number: str
) -> None:
    enter(office, "101", "Botha, Jan")
    enter(office, "102", "Botha, Jan Karel")
    job = compared(office, HEAD, f",{row},1700,30")
    assert found(job) == []
    assert [each.number for each in job.lines.all()] == [number]


def test_an_id_of_elsewhere_finds_a_player_under_any_name(office: Federation) -> None:
    job = compared(office, "fide_id,rating,games", "14300001,1500,10")
    assert [line.number for line in job.lines.all()] == [THABO]


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (f"{THABO},Dlamini,Thabo,17x,1", ("rating", "rating-not-read")),
        (f"{THABO},Dlamini,Thabo,1700.12345678901234567,1", ("rating", "rating-decimals")),
        (f"{THABO},Dlamini,Thabo,1700,", ("games", "games-missing")),
        (f"{THABO},Dlamini,Thabo,1700,-3", ("games", "games-not-read")),
    ],
)
def test_what_a_row_has_wrong_is_told_with_its_column(
    office: Federation, row: str, problem: tuple[str, str]
) -> None:
    job = compared(office, HEAD, row)
    assert found(job) == [(2, *problem)]
    assert all(describe_problem(each) for line in job.lines.all() for each in line.problems)


def test_a_rating_with_as_many_decimals_as_are_kept_is_taken(office: Federation) -> None:
    kept = office.ruleset.storage.kept_decimals
    assert compared(office, HEAD, f"{THABO},,,1700.{'1' * kept},1").counts["openings"] == 1
    assert found(compared(office, HEAD, f"{THABO},,,1700.{'1' * (kept + 1)},1"))


def test_a_player_has_one_opening_a_track(office: Federation) -> None:
    twice = compared(office, HEAD, f"{THABO},,,1700,1", f"{THABO},,,1800,1")
    assert found(twice) == [(3, "", "twice")]
    written(office, HEAD, f"{THABO},,,1700,1")
    assert found(compared(office, HEAD, f"{THABO},,,1700,1")) == [(2, "rating", "opening-twice")]


def test_a_row_without_a_rating_brings_the_player_alone(office: Federation) -> None:
    job = compared(office, HEAD, ",Botha,Nomsa,,", ",Pillay,Anna,0,")
    assert (job.counts["new"], job.counts.get("openings")) == (2, None)


def test_a_number_of_games_is_given_for_all_who_have_none(office: Federation) -> None:
    job = compared(office, "number,rating", f"{THABO},1700")
    assert found(job) == [(2, "games", "games-missing")]
    naming = Naming.of({**job.head["used"], "defaults": {"games": "0"}})
    register_import.name_columns(register_import=job, naming=naming, seen_digest=job.digest)
    jobs.run("tables", job.pk)
    assert job.lines.get().opening == {"rating": "1700", "games": 0}


def test_a_table_without_ratings_waits_until_somebody_says_where_they_are(office: Federation) -> None:
    job = compared(office, "number,kategorie", f"{THABO},1700")
    assert (job.state, job.reason["key"]) == ("unnamed", "no-ratings")
    assert describe_problem(job.reason)


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        ({"track": "chess960"}, "There is no rating “chess960” here. There are: otb-main"),
        ({"on": "2026-03-10"}, "still to come"),
        ({"source": " "}, "Say which list it is"),
        ({"source": "x" * 101}, "up to 100 characters"),
    ],
)
def test_a_list_that_cannot_be_one_is_refused(office: Federation, terms: dict[str, str], words: str) -> None:
    with pytest.raises(Refused, match=words):
        compared(office, HEAD, f"{THABO},,,1700,1", **terms)
    assert not RegisterImport.objects.exists()


def test_the_day_of_upload_is_no_day_to_come(office: Federation) -> None:
    assert compared(office, HEAD, f"{THABO},,,1700,1", on=TODAY.isoformat()).state == "planned"


def test_mahjong_knows_no_openings(db: None) -> None:
    with pytest.raises(Refused, match="computed from competitions"):
        compared(opened("mahjong"), HEAD, "1,Orlova,Anna,700,3", track="rating")


def test_an_office_that_has_begun_takes_none(csa: Federation) -> None:
    approved(submitted(csa, register(csa, 6), ends=date(2026, 3, 1)))
    with pytest.raises(Refused, match="has begun: line"):
        compared(csa, HEAD, ",Botha,Nomsa,1700,1")


def test_an_office_that_begins_between_preview_and_writing_takes_none(office: Federation) -> None:
    job = compared(office, HEAD, f"{THABO},,,1700,1")
    publication.publish_list(federation=office, by=None, on=TODAY)
    before = exported(office)
    confirmed(job)
    jobs.run("tables", job.pk)
    job.refresh_from_db()
    assert (job.state, job.reason["key"]) == ("refused", "openings-refused")
    assert "has begun" in describe_problem(job.reason)
    assert exported(office) == before


def test_a_list_of_an_earlier_day_than_the_journal_s_newest_is_refused(office: Federation) -> None:
    written(office, HEAD, f"{THABO},,,1700,1")
    with pytest.raises(Refused, match="never go backwards"):
        compared(office, HEAD, f"{LWAZI},,,1700,1", on="2025-12-30")
    assert compared(office, HEAD, f"{LWAZI},,,1700,1", on=EARLIER).state == "planned"


def test_the_first_section_begins_after_the_openings_day(office: Federation) -> None:
    written(office, HEAD, f"{THABO},,,1700,1")
    players = register(office, 6, first=101000100)
    on_the_day = submitted(office, players, number="2025-001", ends=date(2026, 1, 1))
    assert str(on_the_day.starts) == EARLIER
    with pytest.raises(Refused, match="must begin after that day"):
        approved(on_the_day)
    approved(submitted(office, players, number="2026-001", ends=date(2026, 1, 2)))
    approved(on_the_day)  # the journal asks it of its first section alone
    journal.read_journal(BytesIO(exported(office)))


# ---------------------------------------------------------------- page and command


def test_an_official_begins_with_a_list_on_the_page(
    office: Federation, nomsa: User, client_of: ClientOf, django_capture_on_commit_callbacks: Any
) -> None:
    client = client_of(nomsa)
    assert "/csa/register/openings/" in client.get("/csa/register/").content.decode()
    said = {"track": "otb-main", "on": "2025-12-31", "source": "list of 2025", "takes_numbers": "on"}
    file = SimpleUploadedFile("list.csv", csv_table(HEAD, f"{THABO},Dlamini,Thabo,1712.5,48"))
    with django_capture_on_commit_callbacks(execute=True):
        sent = client.post("/csa/register/openings/", {**said, "file": file})
    job = RegisterImport.objects.get()
    assert sent.headers["Location"] == f"/csa/register/imports/{job.pk}/"
    page = html.unescape(client.get(sent.headers["Location"]).content.decode())
    for words in ("The list that would come out", "1712.5", "1 opening rating from list of 2025"):
        assert words in page
    with django_capture_on_commit_callbacks(execute=True):
        client.post(f"/csa/register/imports/{job.pk}/confirm/", {"digest": job.digest})
    recompute(office)
    player = html.unescape(Client().get(f"/csa/players/{THABO}/").content.decode())
    assert "Taken over when the record began: list of 2025, 31 December 2025" in player
    record = html.unescape(client.get("/csa/record/").content.decode())
    assert "Opening ratings: 1, from list of 2025 of 31 December 2025, in otb-main." in record


def test_the_page_says_why_an_office_that_has_begun_takes_no_list(
    csa: Federation, nomsa: User, client_of: ClientOf
) -> None:
    approved(submitted(csa, register(csa, 6), ends=date(2026, 3, 1)))
    page = client_of(nomsa).get("/csa/register/openings/").content.decode()
    assert "This office has begun" in page
    assert 'type="file"' not in page
    assert "/csa/register/openings/" not in client_of(nomsa).get("/csa/register/").content.decode()


def test_the_command_shows_first_and_writes_when_told(
    office: Federation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "list.csv"
    table.write_bytes(csv_table("cislo,elo,kdo", f"{THABO},1712.5,x"))
    said = [
        "csa",
        str(table),
        "--track",
        "otb-main",
        "--on",
        EARLIER,
        "--games",
        "30",
        "--column",
        "cislo=number",
        "--column",
        "elo=rating",
    ]
    call_command("take_openings", *said)
    assert "1 opening ratings, 0 new players, 0 rows with problems" in capsys.readouterr().out
    assert not Fact.objects.filter(kind="opening").exists()
    call_command("take_openings", *said, "--write")
    [opening] = openings_of(office)
    assert (opening.games, opening.source) == (30, f"list of {EARLIER}")  # type: ignore[attr-defined]
    assert Standing.objects.get().rating == Decimal("1712.5")
    with pytest.raises(CommandError, match="no column “nic”"):
        call_command("take_openings", *said, "--column", "nic=number")


@pytest.mark.parametrize("words", MESSAGES.values())
def test_every_word_has_an_end(words: str) -> None:
    assert words.rstrip()[-1] in ".?)s"
