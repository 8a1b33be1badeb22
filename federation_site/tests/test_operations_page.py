"""The page of operations: for operators alone, each figure on both sides of its limit, with what to do."""

from __future__ import annotations

import shutil
from collections import namedtuple
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import time_machine
from allauth.mfa.totp.internal.auth import TOTP
from django.core.files.storage import FileSystemStorage
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone
from kombu import Connection

from federation_site import operations, watch
from federation_site.backup import Backup, note_backup
from federation_site.celery import app
from federation_site.models import Message, SignOfLife
from federation_site.operations import (
    DAILY_TASK_LATE,
    LONG_QUEUE,
    WatchedFigure,
    figures_by_office,
    figures_by_topic,
    format_duration,
    queue_figure,
    queue_figures,
    queue_lengths,
)
from federation_site.tasks import give_sign, give_sign_of_files, note_start
from federation_site.watch import (
    BACKUP,
    FILES,
    LET_GO,
    LETTER_LATE,
    START_PREFIX,
    VERIFY,
    WORK_LATE,
    WORKER,
    WORKER_SILENT,
    give,
    note_web_start,
)
from players.mail import order_letter
from players.models import Federation, Ledger, Letter, User
from players.record import decide
from ratings.models import RulesVersion
from ratings.recompute import get_own_rules_hash
from ratings.tests.office import register, submitted
from tests.built_once import built_once
from tournaments.models import Upload

pytestmark = [pytest.mark.django_db, pytest.mark.servers]

ClientOf = Callable[[User], Client]
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
Usage = namedtuple("Usage", ["total", "used", "free"])


@pytest.fixture(autouse=True)
def clock(db: None) -> Iterator[time_machine.Traveller]:
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture(autouse=True)
def a_healthy_site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Any) -> None:
    """Pages are collected, the disk is roomy, and all that is done by the clock was done."""
    monkeypatch.setattr(watch, "staticfiles_storage", FileSystemStorage(tmp_path))
    (tmp_path / "staticfiles.json").write_text("{}")
    roomy(monkeypatch, 500 * operations.LEAST_FREE_BYTES)
    settings.BACKUP_DIR = tmp_path
    settings.ADMINS = [("operator", "Ops@Example.org")]
    give_sign()
    give_sign_of_files()
    give(VERIFY)
    give(LET_GO)
    give(BACKUP, file="office-2026-11-22T001000Z.backup.zip", size=3_000_000)


def roomy(monkeypatch: pytest.MonkeyPatch, free: int) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1000 * operations.LEAST_FREE_BYTES, 0, free))


@pytest.fixture
@built_once
def operator(db: None) -> User:
    user = User.objects.create_user("ops@example.org", "a long pass phrase", name="Olga")
    TOTP.activate(user, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    return user


def figures() -> dict[str, WatchedFigure]:
    return {each.label: each for _title, found in figures_by_topic(timezone.now()) for each in found}


def of_office(office: Federation) -> dict[str, WatchedFigure]:
    return {each.label: each for each in dict(figures_by_office(timezone.now()))[office.name]}


def done_ago(name: str, **time: float) -> None:
    SignOfLife.objects.filter(name=name).update(at=NOW - timedelta(**time))


# ---------------------------------------------------------------- who sees it


def test_an_operator_with_a_second_factor_reads_the_page_and_nobody_keeps_it(
    client_of: ClientOf, operator: User, csa: Federation
) -> None:
    answer = client_of(operator).get("/operations/")
    assert answer.status_code == 200
    assert "Chess South Africa" in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]


def test_an_operator_without_a_second_factor_is_led_to_adding_one(client_of: ClientOf) -> None:
    answer = client_of(User.objects.create_user("ops@example.org", "a long pass phrase")).get("/operations/")
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/2fa/")


@pytest.mark.parametrize("person", ["amahle", "nomsa", "thandi"])
def test_for_everybody_else_who_is_signed_in_there_is_no_such_page(
    request: pytest.FixtureRequest, client_of: ClientOf, person: str
) -> None:
    user = request.getfixturevalue(person)
    TOTP.activate(user, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    assert client_of(user).get("/operations/").status_code == 404


def test_a_stranger_signs_in_first_and_reads_nothing(client: Client, csa: Federation) -> None:
    answer = client.get("/operations/")
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/login/?next=/operations/")
    assert answer.content == b""


def test_where_no_operators_are_named_nobody_is_one(
    client_of: ClientOf, operator: User, settings: Any
) -> None:
    settings.ADMINS = []
    assert client_of(operator).get("/operations/").status_code == 404


def test_the_page_is_read_and_never_written_to(client_of: ClientOf, operator: User) -> None:
    assert client_of(operator).post("/operations/").status_code == 405


def test_the_account_s_menu_leads_operators_there_and_nobody_else(
    client_of: ClientOf, operator: User, nomsa: User
) -> None:
    assert 'href="/operations/"' in client_of(operator).get("/csa/").content.decode()
    assert 'href="/operations/"' not in client_of(nomsa).get("/csa/").content.decode()


def test_an_operator_gets_an_account_by_a_link_and_no_rights_in_any_office(
    client: Client, csa: Federation
) -> None:
    said = StringIO()
    call_command("invite_operator", "OPS@example.org", stdout=said)
    [link] = [word for word in said.getvalue().split() if word.startswith("http://127.0.0.1:8000/accounts/")]
    page = client.get(link.removeprefix("http://127.0.0.1:8000"), follow=True)
    assert page.status_code == 200
    assert "new_password" in page.content.decode() or "password1" in page.content.decode()
    assert User.objects.get(email="ops@example.org").appointments.count() == 0


@pytest.mark.parametrize("command", ["invite_operator", "appoint", "create_office"])
def test_a_link_that_a_command_prints_leads_to_the_site_that_is_set(command: str, settings: Any) -> None:
    settings.SITE_ADDRESS = "https://ratings.example.org"
    app = get_commands()[command]
    parser = load_command_class(str(app), command).create_parser("manage.py", command)
    assert parser.get_default("site") == "https://ratings.example.org"


def test_no_account_is_made_for_an_address_that_is_not_among_the_operators() -> None:
    with pytest.raises(CommandError, match=r"lerato@example\.org is not in OPERATORS"):
        call_command("invite_operator", "lerato@example.org")
    assert not User.objects.filter(email="lerato@example.org").exists()


# ---------------------------------------------------------------- the site as a whole


@pytest.mark.usefixtures("letters_wait")
@pytest.mark.parametrize(("seconds", "in_order"), [(LETTER_LATE, True), (LETTER_LATE + 1, False)])
def test_letters_that_wait_are_counted_and_late_after_a_quarter_of_an_hour(
    seconds: int, in_order: bool
) -> None:
    assert figures()["Letters that wait"].value == "none waits"
    order_letter("thandi@example.org", subject="A", text="B")
    Letter.objects.update(at=timezone.now() - timedelta(seconds=seconds))
    found = figures()["Letters that wait"]
    assert found.value == "1, the oldest for 15 minutes"
    assert (not found.mend) is in_order


def test_of_a_healthy_site_everything_is_in_order(client_of: ClientOf, operator: User) -> None:
    assert [each for each in figures().values() if each.mend] == []
    assert "All is in order." in client_of(operator).get("/operations/").content.decode()


@pytest.mark.parametrize(
    ("sign", "label"), [(WORKER, "Last sweep: ratings"), (FILES, "Last sweep: files and tables")]
)
def test_a_sweep_is_late_after_three_that_did_not_come(sign: str, label: str) -> None:
    done_ago(sign, seconds=WORKER_SILENT)
    assert (figures()[label].value, figures()[label].mend) == ("1 minute ago", "")
    done_ago(sign, seconds=WORKER_SILENT + 1)
    assert "Start the worker" in figures()[label].mend
    SignOfLife.objects.filter(name=sign).delete()
    assert figures()[label].value == "never"
    assert figures()[label].mend


@pytest.mark.parametrize(
    ("sign", "label"),
    [
        (VERIFY, "Last verification"),
        (BACKUP, "Last backup"),
        (LET_GO, "Last letting go of filed bytes"),
    ],
)
def test_what_is_done_each_day_is_late_after_a_day_and_two_hours(sign: str, label: str) -> None:
    done_ago(sign, seconds=DAILY_TASK_LATE.total_seconds())
    assert figures()[label].mend == ""
    done_ago(sign, seconds=DAILY_TASK_LATE.total_seconds() + 1)
    assert figures()[label].mend
    SignOfLife.objects.filter(name=sign).delete()
    assert figures()[label].mend


def test_the_last_backup_is_told_with_its_file_and_size() -> None:
    done_ago(BACKUP, hours=5)
    said = figures()["Last backup"].value
    assert said == "5 hours ago: office-2026-11-22T001000Z.backup.zip, 2.9\xa0MB, read back whole"


def test_where_no_backups_are_made_the_page_says_which_setting_makes_them(settings: Any) -> None:
    settings.BACKUP_DIR = None
    SignOfLife.objects.filter(name=BACKUP).delete()
    assert "BACKUP_DIR" in figures()["Last backup"].mend


def test_a_disk_is_full_where_neither_a_gigabyte_nor_twice_the_database_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for database, needed in (
        (0, operations.LEAST_FREE_BYTES),
        (operations.LEAST_FREE_BYTES, 2 * operations.LEAST_FREE_BYTES),
    ):
        monkeypatch.setattr(operations, "database_bytes", lambda database=database: database)
        roomy(monkeypatch, needed)
        assert figures()["Disk of backups"].mend == ""
        roomy(monkeypatch, needed - 1)
        assert "Make room" in figures()["Disk of backups"].mend
        if connection.vendor == "sqlite":
            assert "Make room" in figures()["Disk of the database"].mend
        else:
            assert "Disk of the database" not in figures()


def test_a_disk_that_another_machine_has_is_no_fault(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.undo()
    settings.BACKUP_DIR = Path("/nowhere/at/all")
    assert (
        operations.disk_figure("Disk of backups", settings.BACKUP_DIR, 0).value
        == "not seen from this machine"
    )


def test_of_a_disk_that_another_machine_has_the_page_tells_what_its_backup_found(settings: Any) -> None:
    settings.BACKUP_DIR, folder = Path("/nowhere/at/all"), settings.BACKUP_DIR
    note_backup(Backup(folder / "staticfiles.json", None))  # type: ignore[arg-type]
    told = SignOfLife.objects.get(name=BACKUP)
    assert (told.details["free"], told.details["total"]) == (
        500 * operations.LEAST_FREE_BYTES,
        1000 * operations.LEAST_FREE_BYTES,
    )


def test_a_disk_seen_by_others_is_late_below_the_same_limit(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.undo()
    for free, late in ((operations.LEAST_FREE_BYTES, False), (operations.LEAST_FREE_BYTES - 1, True)):
        give(BACKUP, file="a", size=1, free=free, total=2 * operations.LEAST_FREE_BYTES)
        told = SignOfLife.objects.get(name=BACKUP)
        assert bool(operations.disk_figure("Disk", Path("/nowhere/at/all"), 0, told).mend) is late


def test_the_database_has_a_size_and_a_larger_one_with_more_in_it(csa: Federation) -> None:
    before = operations.database_bytes()
    assert before > 100_000
    decide(csa, kind="approve", by=None, on=date(2026, 1, 1), about="x" * 100)
    assert operations.database_bytes() >= before


def test_a_clock_behind_the_record_is_told(csa: Federation, clock: time_machine.Traveller) -> None:
    decide(csa, kind="approve", by=None, on=date(2026, 1, 1), about="section 2026-001/A")
    assert figures()["This machine's clock"].mend == ""
    clock.shift(timedelta(minutes=-2))
    assert "Set the clock" in figures()["This machine's clock"].mend


def test_a_queue_is_long_beyond_a_hundred_wakes() -> None:
    assert queue_figure("ratings", LONG_QUEUE).mend == ""
    assert "worker" in queue_figure("ratings", LONG_QUEUE + 1).mend


def test_the_wakes_in_each_queue_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    Message.objects.bulk_create([Message(queue="files", payload="{}")] * 3)
    with Connection("djangodb://localhost") as connection:
        assert queue_lengths(connection) == {"ratings": 0, "files": 3}


def test_a_broker_that_does_not_answer_is_told_and_breaks_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    away = Connection("redis://127.0.0.1:1/0", transport_options={"socket_connect_timeout": 1.0})
    monkeypatch.setattr(app, "connection_for_read", lambda: away)
    [figure] = queue_figures()
    assert "no answer" in figure.value
    assert "No work is lost" in figure.mend


def test_a_database_of_another_version_is_told() -> None:
    assert figures()["Form of the database"].mend == ""
    MigrationRecorder.Migration.objects.create(app="players", name="9999_from_the_future")
    assert "docs/operating.md" in figures()["Form of the database"].mend
    assert figures()["This web process"].value == "not ready: schema, writes"


def test_versions_and_starts_are_told(settings: Any, clock: time_machine.Traveller) -> None:
    note_start("worker of ratings")
    note_start("worker of files")
    clock.shift(timedelta(hours=3))
    found = figures()
    assert found["Release"].value == settings.VERSION
    assert found["Last start: worker of ratings"].value == "3 hours ago"
    assert found["Last start: worker of files"].value == "3 hours ago"
    assert "Python 3" in found["Runs on"].value


@pytest.mark.django_db(transaction=True)
def test_a_web_process_notes_its_start() -> None:
    note_web_start()
    assert SignOfLife.objects.filter(name=f"{START_PREFIX}web server").exists()


# ---------------------------------------------------------------- each office


def test_an_office_that_was_verified_and_has_no_work_is_in_order(csa: Federation) -> None:
    give(VERIFY, csa=0)
    found = of_office(csa)
    assert [each for each in found.values() if each.mend] == []
    assert found["Verification"].value == "no differences"
    assert found["Ratings"].value == "up to date"
    assert found["Rules"].value.startswith("csa: ")


def test_a_difference_is_told_with_its_office(csa: Federation, client_of: ClientOf, operator: User) -> None:
    give(VERIFY, csa=2)
    assert of_office(csa)["Verification"].value == "2 differences"
    assert "manage.py verify csa" in of_office(csa)["Verification"].mend
    said = client_of(operator).get("/operations/").content.decode()
    assert "1 thing is not in order" in said
    assert "Chess South Africa: Verification, 2 differences" in said


def test_an_office_s_work_is_late_after_two_minutes(csa: Federation, clock: time_machine.Traveller) -> None:
    decide(csa, kind="approve", by=None, on=date(2026, 1, 1), about="section 2026-001/A")
    Ledger.objects.filter(federation=csa).update(wanted=1, done=0)
    clock.shift(timedelta(seconds=WORK_LATE))
    assert of_office(csa)["Ratings"] == WatchedFigure(
        "Ratings", "decided, not computed yet, waiting for 2 minutes"
    )
    clock.shift(timedelta(seconds=1))
    assert of_office(csa)["Ratings"].mend
    assert figures()["Oldest work that waits"].mend


def test_a_recompute_that_fails_is_told_with_its_words(csa: Federation) -> None:
    Ledger.objects.filter(federation=csa).update(wanted=1, attempts=3, last_error="line 7: no such player")
    found = of_office(csa)["Ratings"]
    assert found.value == "3 attempts failed"
    assert found.mend.startswith("line 7: no such player")


def test_files_that_wait_are_counted_and_late_after_two_minutes(
    csa: Federation, nomsa: User, clock: time_machine.Traveller
) -> None:
    Upload.objects.create(
        federation=csa,
        section=submitted(csa, register(csa, 4)),
        by=nomsa,
        at=NOW,
        on=NOW.date(),
        name="open.trf",
        size=3,
        content=b"012",
    )
    assert of_office(csa)["Files and tables"].value == "1 file, waiting for 0 seconds"
    clock.shift(timedelta(seconds=WORK_LATE))
    assert of_office(csa)["Files and tables"].mend == ""
    clock.shift(timedelta(seconds=1))
    assert of_office(csa)["Files and tables"].mend


def test_an_office_that_was_restored_waits_for_a_word(csa: Federation) -> None:
    assert of_office(csa)["Ratings"].value == "up to date"
    Ledger.objects.filter(federation=csa).update(held=True)
    assert "One history" in of_office(csa)["Ratings"].mend


def test_an_office_whose_word_on_new_rules_is_waited_for_is_told(csa: Federation) -> None:
    assert of_office(csa)["Rules"].mend == ""
    RulesVersion.objects.create(
        federation=csa, rules="0" * 64, moves=True
    )  # of a program that was taken back
    assert of_office(csa)["Rules"].mend == ""
    version = RulesVersion.objects.create(federation=csa, rules=get_own_rules_hash(csa), moves=True)
    assert "New rules wait" in of_office(csa)["Rules"].mend
    version.delete()
    assert of_office(csa)["Rules"].mend == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "0 seconds"),
        (0, "0 seconds"),
        (1, "1 second"),
        (59, "59 seconds"),
        (60, "1 minute"),
        (3599, "59 minutes"),
        (3600, "1 hour"),
        (86399, "23 hours"),
        (86400, "1 day"),
        (172800, "2 days"),
    ],
)
def test_a_time_is_told_in_its_largest_whole_unit(seconds: float, words: str) -> None:
    assert format_duration(seconds) == words
