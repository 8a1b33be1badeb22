"""`manage.py` ends with a sentence where a traceback would help nobody."""

import os
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError

from federation_site.management.commands import up

pytestmark = pytest.mark.any_database


def environment(folder: Path, **more: str) -> dict[str, str]:
    """An office in `folder` with no server."""
    inherited = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
    database = {"DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}"}
    return {**inherited, **database, "VAR_DIR": str(folder), "NO_BOOTSTRAP": "1", **more}


def manage(folder: Path, *command: str, **more: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=settings.ROOT,
        env=environment(folder, **more),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.long
def test_an_office_needs_a_database_and_the_command_says_how_to_make_one(tmp_path: Path) -> None:
    done = manage(tmp_path, "create_office", "csa", "--official", "nomsa@example.org")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "no such table" in done.stderr
    assert "python3 manage.py migrate" in done.stderr


@pytest.mark.long
def test_whoever_wants_the_traceback_gets_it(tmp_path: Path) -> None:
    assert "Traceback" in manage(tmp_path, "verify", "--traceback").stderr


@pytest.mark.long
def test_verify_says_that_a_file_is_damaged_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "db.sqlite3").write_bytes(b"not a database, whatever its name says. " * 200)
    done = manage(tmp_path, "verify")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "Its file is damaged" in done.stderr


@pytest.mark.long
@pytest.mark.parametrize("command", [["up"], ["migrate"]])
def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "file").touch()
    done = manage(tmp_path / "file" / "var", *command)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert str(tmp_path / "file" / "var") in done.stderr
    assert "VAR_DIR" in done.stderr


@pytest.mark.long
def test_check_needs_no_folder_and_makes_none(tmp_path: Path) -> None:
    done = manage(tmp_path / "nowhere", "check")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.long
def test_migrate_makes_the_folder(tmp_path: Path) -> None:
    done = manage(tmp_path / "var", "migrate", "--verbosity", "0")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "var" / "db.sqlite3").exists()


@pytest.mark.long
def test_ctrl_c_in_the_first_start_ends_it_with_a_sentence(tmp_path: Path) -> None:
    # A shell lets its background jobs ignore Ctrl-C, and they pass that on.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    log = tmp_path / "log"
    with log.open("wb") as output:
        started = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--port", "0"],
            cwd=settings.ROOT,
            env=environment(tmp_path),
            stdout=output,
            stderr=output,
        )
    for _ in range(600):
        if "Making database" in log.read_text():
            break
        time.sleep(0.1)
    started.send_signal(signal.SIGINT)
    assert started.wait(60) == 130, log.read_text()
    assert "Traceback" not in log.read_text()
    assert "Stopped before the office was open. The same command goes on from here." in log.read_text()


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (OperationalError("database is locked"), "Somebody else writes"),
        (ImproperlyConfigured("EMAIL_URL names no server."), "EMAIL_URL names no server."),
    ],
)
def test_up_says_in_a_sentence_what_fails_in_the_process_that_makes_ready(
    fault: Exception, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = StringIO()
    command = up.Command(stderr=said)
    monkeypatch.setattr(command, "make_ready", Mock(side_effect=fault))
    with pytest.raises(SystemExit) as ended:
        command.make_ready_or_stop("127.0.0.1", no_demo=True)
    assert ended.value.code == 1
    assert words in said.getvalue()
