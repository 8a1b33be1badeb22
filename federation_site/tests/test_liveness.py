"""A program that hangs is called silent, and killed in the end; one that goes on is left alone."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from federation_site import liveness


@pytest.fixture
def program() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])


def noted(folder: Path, pid: int, seconds_ago: float) -> Path:
    file = folder / "liveness"
    file.write_text(f"{pid}\n")
    os.utime(file, (time.time() - seconds_ago,) * 2)
    return file


@pytest.mark.parametrize(
    ("seconds_ago", "words", "killed"),
    [(85, "", False), (95, "Nothing was noted for 95 s.", False), (305, "killed, to be started again", True)],
)
def test_silence_is_said_first_and_ended_later(
    tmp_path: Path, program: subprocess.Popen[bytes], seconds_ago: float, words: str, killed: bool
) -> None:
    said = liveness.check_or_kill(noted(tmp_path, program.pid, seconds_ago), ask="", silent=90, end=300)
    assert words in said
    assert bool(said) is bool(words)
    try:
        assert (program.wait(0.3 if not killed else 10) == -9) is killed
    except subprocess.TimeoutExpired:
        assert not killed
    program.kill()
    program.wait()


def test_a_web_server_that_answers_counts_as_going_on_and_one_that_does_not_as_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(liveness, "answers", lambda url: url.endswith("/healthz"))
    file = noted(tmp_path, 0, 200)
    assert "200 s" in liveness.check_or_kill(file, ask="http://127.0.0.1/other", silent=90, end=300)
    assert liveness.check_or_kill(file, ask="http://127.0.0.1/healthz", silent=90, end=300) == ""
    assert liveness.check_or_kill(file, ask="", silent=90, end=300) == ""


def test_a_program_that_has_not_begun_is_called_so(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "federation_site.liveness", "--silent", "9", "--end", "99"]
    told = {**os.environ, "LIVENESS_FILE": str(tmp_path / "none")}
    done = subprocess.run(command, env=told, capture_output=True, text=True)
    assert done.returncode == 1
    assert "has not begun" in done.stderr
    noted(tmp_path, os.getpid(), 0).rename(tmp_path / "none")
    assert subprocess.run(command, env=told).returncode == 0


def test_a_process_that_nobody_watches_notes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIVENESS_FILE", raising=False)
    monkeypatch.delenv("WATCHDOG_USEC", raising=False)
    assert not liveness.is_watched()
    liveness.note_alive()


def test_systemd_is_told_where_its_watchdog_listens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(5)
        monkeypatch.setenv("WATCHDOG_USEC", "90000000")
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        assert liveness.is_watched()
        liveness.note_alive()
        assert listening.recv(100) == b"WATCHDOG=1"
