"""A person gets all that an office holds about them, on request, and nothing about anybody else."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from players import jobs
from players.models import BirthDate, Decision, Federation, Identifier, Player, User
from ratings.merging import merge_players
from ratings.models import Hint, HintAnswer
from ratings.people import correct_player
from ratings.personal_data import DERIVED_TABLES, get_player_data, get_related_rows, get_staff_data
from ratings.register_import import receive_register
from ratings.tests.office import approved, published, recompute_all, register, submitted
from tests.built_once import built_once
from tournaments.models import Entry, Remark, Section, Upload

pytestmark = [pytest.mark.django_db, pytest.mark.servers]
ClientOf = Callable[[User], Client]
TODAY = date(2024, 4, 1)


@pytest.fixture
@built_once
def people(csa: Federation) -> list[Player]:
    """Six rated players; of the first the office holds one of each kind of thing."""
    people = register(csa, 7)
    section = submitted(csa, people[:6])
    section.event.arbiters = [{"name": "Mokoena, Ann", "title": "", "id": people[0].number}]
    section.event.save()
    Upload.objects.create(
        federation=csa,
        section=section,
        at=timezone.now(),
        on=TODAY,
        name="a.trf",
        size=3,
        sha256="ab" * 32,
        content=b"xyz",
        state=Upload.State.READ,
    )
    approved(section)
    published(csa, date(2024, 3, 20))
    first = people[0]
    BirthDate.objects.create(player=first, day=date(1980, 5, 3))
    Identifier.objects.create(federation=csa, player=first, kind="fide", value="14300001")
    correct_player(player=first, by=None, on=TODAY, surname="Renamed")
    merge_players(player=people[6], into=first, by=None, on=TODAY, reason="one person")
    recompute_all(csa)
    return people


def told_of(player: Player) -> dict[str, Any]:
    player.refresh_from_db()
    return get_player_data(player, TODAY)


def test_a_player_gets_each_kind_of_thing_that_is_held(csa: Federation, people: list[Player]) -> None:
    table = receive_register(
        federation=csa,
        by=None,
        at=timezone.now(),
        on=TODAY,
        name="register.csv",
        data=f"number,title\n{people[0].number},FM\n".encode(),
    )
    jobs.run("tables", table.pk)
    told = told_of(people[0])
    assert told["register"][0]["surname"] == "Renamed"
    assert told["former names"] == ["Invented00, Person"]
    [entry] = told["entries"]
    assert (entry["event"], entry["surname"], len(entry["games"])) == ("Open 2024-001", "Invented00", 6)
    [file] = told["files with an entry of the player"]
    assert (file["name"], file["sha256"], file["bytes are kept"]) == ("a.trf", "ab" * 32, True)
    assert told["events as arbiter"][0]["name"] == "Open 2024-001"
    text = json.dumps(told)
    for held in ("1980-05-03", "14300001", "one person", "FM"):
        assert held in text
    assert {line["kind"] for line in told["decisions"]} >= {"correct", "merge"}


def test_every_table_that_points_to_a_player_is_there_and_none_of_them_empty_by_mistake(
    people: list[Player],
) -> None:
    told = told_of(people[0])
    found = get_related_rows(people[0], people[6])
    tables = {f"{plural} ({field})": rows for plural, field, rows in found}
    assert len(tables) >= 10
    remarks = "remarks about games and entries"
    elsewhere = {
        Entry: "entries",
        Player: "register",
        Remark: remarks,
        Remark.players.through: remarks,
        Hint: "hints at review",
        Hint.players.through: "hints at review",
        HintAnswer: "answers to hints",
        HintAnswer.players.through: "answers to hints",
    }
    for name, rows in tables.items():
        if rows.model in DERIVED_TABLES:
            assert name not in told
            continue
        held = told[elsewhere.get(rows.model, name)]
        assert len(held) == rows.count() + (rows.model is Player), name
    filled = {name for name, rows in tables.items() if rows.exists()}
    assert {
        "changes (player)",
        "standings (player)",
        "birth dates (player)",
        "identifiers (player)",
    } <= filled


def test_every_line_of_the_journal_with_the_number_is_there(csa: Federation, people: list[Player]) -> None:
    lines = told_of(people[0])["lines of the journal"]
    numbers = people[0].number, people[6].number
    assert all(any(f'"{number}"' in line for number in numbers) for line in lines)
    kinds = {json.loads(line)["fact"] for line in lines}
    assert kinds >= {"player", "section", "merged"}
    number = people[0].number
    stored = list(csa.facts.values_list("line", flat=True))
    assert sum(f'"{number}"' in line for line in lines) == sum(f'"{number}"' in line for line in stored)


def test_nobody_else_is_named_and_no_secret_is_told(people: list[Player], csa: Federation) -> None:
    text = json.dumps(told_of(people[0]), ensure_ascii=False)
    assert people[1].number in text
    for other in people[1:6]:
        assert other.surname not in text
    for player in Player.objects.of(csa):
        assert player.salt not in text
    assert "xyz" not in text


def test_a_file_that_was_let_go_is_named_without_its_bytes(people: list[Player]) -> None:
    Upload.objects.update(content=None, let_go_on=TODAY, let_go_because="decided")
    [file] = told_of(people[0])["files with an entry of the player"]
    assert (file["bytes are kept"], file["let_go_on"]) == (False, "2024-04-01")


def test_the_command_writes_a_file_for_its_owner_alone_and_the_record_says_so(
    people: list[Player], tmp_path: Path
) -> None:
    file = tmp_path / "data.json"
    call_command("person_data", "csa", people[0].number, "-o", str(file))
    assert json.loads(file.read_text())["register"][0]["number"] == people[0].number
    assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0
    decision = Decision.objects.get(kind="give-data")
    assert (decision.about, decision.by) == (f"player {people[0].number}", None)


@pytest.mark.parametrize(
    ("office", "person", "words"),
    [
        ("nowhere", "1", "There is no office “nowhere” here."),
        ("csa", "999", "holds nothing about “999”"),
        ("csa", "nobody@example.org", "holds nothing about “nobody@example.org”"),
    ],
)
def test_the_command_says_what_there_is_not(csa: Federation, office: str, person: str, words: str) -> None:
    with pytest.raises(CommandError, match=words):
        call_command("person_data", office, person)
    assert not Decision.objects.exists()


def test_an_official_downloads_it_from_the_player_s_page_and_the_record_keeps_who(
    people: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    browser, address = client_of(nomsa), f"/csa/players/{people[0].number}/"
    assert f'action="{address}data/"' in browser.get(address).content.decode()
    answer = browser.post(f"{address}data/")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert "no-store" in answer.headers["Cache-Control"]
    assert json.loads(answer.content)["register"][0]["surname"] == "Renamed"
    assert Decision.objects.get(kind="give-data").by == nomsa
    assert "data/" not in Client().get(address).content.decode()


# ---------------------------------------------------------------- of who works here


@pytest.fixture
@built_once
def busy(csa: Federation, people: list[Player], amahle: User) -> User:
    """Amahle signed in, registered an event, filed and decided something."""
    UserSession.objects.create(
        user=amahle, ip="192.0.2.7", user_agent="Browser of Amahle", session_key="very-secret-key"
    )
    Section.objects.update(submitted_by=amahle)
    Upload.objects.update(by=amahle)
    return amahle


def test_staff_get_account_sign_ins_appointments_and_what_they_did(csa: Federation, busy: User) -> None:
    told = get_staff_data(csa, busy, TODAY)
    assert told["account"]["email"] == busy.email
    assert {f"{plural} ({field})" for plural, field, _rows in get_related_rows(busy)} <= told.keys()
    text = json.dumps(told)
    for held in ("192.0.2.7", "Browser of Amahle", "regional", "a.trf", "2024-001/A"):
        assert held in text
    assert "very-secret-key" not in text
    assert busy.password not in text


def test_staff_s_data_of_another_office_stay_there(busy: User) -> None:
    other = Federation.objects.create(code="pfo", name="Othello", ruleset_slug="pfo")
    told = get_staff_data(other, busy, TODAY)
    assert told["appointments (user)"] == told["uploads (by)"] == told["sections (submitted_by)"] == []


def test_the_command_takes_an_address_of_somebody_appointed_here(
    busy: User, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("person_data", "csa", busy.email)
    assert json.loads(capsys.readouterr().out)["account"]["email"] == busy.email
    [appointment] = busy.appointments.all()
    assert Decision.objects.get(kind="give-data").about == f"appointment {appointment.pk}"
