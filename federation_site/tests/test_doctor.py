"""The doctor tries what an installation must be able to do: each fault is named with what to do, and told."""

from __future__ import annotations

import os
import shutil
import ssl
import subprocess
import threading
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from smtplib import SMTPRecipientsRefused
from socket import create_server
from typing import Any

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from federation_site import backup, doctor, watch
from federation_site.doctor import (
    CERTIFICATE_DAYS,
    backup_figure,
    certificate_figures,
    count_wrong,
    data_figures,
    examine,
    get_certificate_end,
    letter_figure,
    page_figures,
    program_figure,
)
from federation_site.models import SignOfLife
from federation_site.operations import WatchedFigure, tried_by_doctor
from federation_site.tasks import examine_site, give_sign, give_sign_of_files, look_at_the_clock
from players.models import Federation
from ratings.tests.office import register

pytestmark = [pytest.mark.django_db]


@pytest.fixture(autouse=True)
def installation(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation whose data are its own, with an operator."""
    for name in ("VAR", "KEYS_DIR", "DUMPS_DIR", "BACKUP_DIR"):
        folder = tmp_path / name
        folder.mkdir(mode=0o700)
        setattr(settings, name, folder)
    settings.ADMINS = [("operator", "ops@example.org")]
    monkeypatch.setattr(watch, "has_pages", lambda: True)
    return tmp_path


def test_the_command_says_all_that_is_in_order_and_fails_for_what_is_not(csa: Federation) -> None:
    give_sign()
    give_sign_of_files()
    look_at_the_clock()  # which has begun to run: what each night does need not have been done
    backup.note_backup(backup.make_backup(settings_backup(), secrets=False, now=timezone.now()))
    said = StringIO()
    call_command("doctor", stdout=said)
    assert "All is in order." in said.getvalue()
    SignOfLife.objects.filter(name=watch.WORKER).delete()
    with pytest.raises(CommandError, match="Not in order: 1"):
        call_command("doctor", stdout=(said := StringIO()))
    assert "✗ Last sweep: ratings: never\n      Start the worker" in said.getvalue()


def settings_backup() -> Path:
    from django.conf import settings

    assert settings.BACKUP_DIR is not None
    return settings.BACKUP_DIR


def test_a_page_of_each_office_opens_in_each_language(csa: Federation) -> None:
    [figure] = page_figures()
    assert (figure.value, figure.mend) == ("open in 4 languages", "")


def test_a_language_whose_words_cannot_be_read_is_named(
    csa: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    get = Client.get

    def fail_in_polish(self: Client, path: str, **options: Any) -> Any:
        answer = get(self, path, **options)
        if path.startswith("/pl/"):
            answer.status_code = 500
        return answer

    monkeypatch.setattr(Client, "get", fail_in_polish)
    [figure] = page_figures()
    assert figure.value == "/pl/csa/: 500"
    assert figure.mend


def test_folders_that_others_may_look_into_are_named(installation: Path) -> None:
    assert count_wrong([("", list(data_figures()))]) == 0
    (installation / "KEYS_DIR").chmod(0o750)
    [wrong] = [each for each in data_figures() if each.mend]
    assert wrong.label.endswith("KEYS_DIR")
    assert wrong.value == "0750"


def test_a_file_of_the_program_that_cannot_be_read_is_named(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ROOT = tmp_path / "program"
    (settings.ROOT / "locale").mkdir(parents=True)
    closed = settings.ROOT / "locale" / "django.mo"
    closed.touch()
    assert program_figure().value == "2 files, all can be read"
    access = os.access  # root may read everything
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != str(closed) and access(path, mode))
    figure = program_figure()
    assert str(closed) in figure.value
    assert figure.mend == f"As root: chmod -R a+rX {settings.ROOT}"


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_a_backup_is_made_restored_beside_and_deleted(csa: Federation) -> None:
    register(csa, 3)
    figure = backup_figure(timezone.now())
    assert (figure.value, figure.mend) == ("the same offices, line for line", "")
    assert list(settings_backup().iterdir()) == []


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite restores into a file")
def test_nothing_stays_of_a_rehearsal_that_was_killed_and_one_at_work_is_left_alone(
    csa: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = backup.run_postgresql_program

    def fail(program: str, *arguments: str, **options: Any) -> Any:
        if program == "psql":
            raise backup.CannotCopy("killed")
        return run(program, *arguments, **options)

    def rehearsals() -> list[str]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [name])
            return [name for (name,) in cursor.fetchall()]

    name = str(connection.settings_dict["NAME"])[:40] + "_rehearsal_"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}killed TEMPLATE template0")
        cursor.execute(f"CREATE DATABASE {name}at_work TEMPLATE template0")
    at_work = connection.copy("at work")
    at_work.settings_dict["NAME"] = f"{name}at_work"
    at_work.ensure_connection()
    try:
        with monkeypatch.context() as broken:
            broken.setattr(backup, "run_postgresql_program", fail)
            assert "killed" in backup_figure(timezone.now()).value
        assert rehearsals() == [f"{name}at_work"]
    finally:
        at_work.close()
    assert backup_figure(timezone.now()).mend == ""
    assert rehearsals() == []


def test_a_backup_that_cannot_be_made_is_no_surprise_on_the_day_of_need(
    csa: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: Any, **_options: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backup, "copy_database", full)
    figure = backup_figure(timezone.now())
    assert "No space left on device" in figure.value
    assert figure.mend
    assert list(settings_backup().iterdir()) == []


@pytest.mark.parametrize(("days", "late"), [(CERTIFICATE_DAYS + 1, False), (CERTIFICATE_DAYS - 1, True)])
def test_a_certificate_is_told_of_from_21_days_before_its_end(
    days: int, late: bool, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list(certificate_figures(timezone.now())) == []  # a laptop has none
    settings.PRODUCTION = True
    now = datetime(2026, 11, 30, tzinfo=UTC)
    monkeypatch.setattr(doctor, "get_certificate_end", lambda *_where: now + timedelta(days=days))
    [figure] = certificate_figures(now)
    assert bool(figure.mend) is late


def test_the_end_of_a_certificate_is_read_from_the_server_and_one_that_nobody_trusts_is_no_certificate(
    tmp_path: Path,
) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl")
    key, certificate = tmp_path / "key", tmp_path / "certificate"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "30",
        "-subj",
        "/CN=localhost",
    ]
    command += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    server = create_server(("localhost", 0))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)

    def answer() -> None:
        for _turn in range(2):
            plain, _peer = server.accept()
            try:
                context.wrap_socket(plain, server_side=True).close()
            except OSError:
                plain.close()

    threading.Thread(target=answer, daemon=True).start()
    port = server.getsockname()[1]
    ends = get_certificate_end("localhost", port, ssl.create_default_context(cafile=certificate))
    assert timedelta(days=29) < ends - timezone.now() < timedelta(days=31)
    with pytest.raises(OSError, match="certificate verify failed"):
        get_certificate_end("localhost", port, ssl.create_default_context())
    server.close()


def test_the_operators_letter_says_in_its_subject_whether_anything_is_to_do(csa: Federation) -> None:
    examine(timezone.now())
    [letter] = mail.outbox
    assert letter.to == ["ops@example.org"]
    assert "not in order" in letter.subject  # no worker runs here
    assert "Start the worker" in letter.body


def test_a_mail_server_that_takes_no_letter_is_told(settings: Any) -> None:
    def refuse(*_letter: str) -> None:
        raise SMTPRecipientsRefused({"ops@example.org": (550, b"no such user")})

    figure = letter_figure([("", [WatchedFigure("Disk", "full", "Make room.")])], refuse)
    assert "no such user" in figure.value
    assert figure.mend
    settings.ADMINS = []
    assert letter_figure([], refuse).mend.startswith("Set OPERATORS")


def test_what_was_found_is_kept_with_its_hour_and_asking_for_it_tries_nothing(csa: Federation) -> None:
    now = timezone.now()
    assert tried_by_doctor(now) == []
    examine(now)
    sent = len(mail.outbox)
    [(title, figures)] = tried_by_doctor(now + timedelta(hours=2, minutes=1))
    assert title == "Tried by the doctor, 2 hours ago"
    assert "A backup made and restored beside" in [each.label for each in figures]
    assert len(mail.outbox) == sent


def test_it_runs_each_week(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(examine_site, "delay", lambda: asked.append(True))
    begun = SignOfLife.objects.filter(name=f"{watch.BEGUN_PREFIX}examine_site")
    look_at_the_clock()  # the clock begins
    begun.update(at=timezone.now() - timedelta(days=6, hours=23))
    look_at_the_clock()
    assert asked == []
    begun.update(at=timezone.now() - timedelta(days=7, minutes=1))
    look_at_the_clock()
    look_at_the_clock()
    assert asked == [True]
