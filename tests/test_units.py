"""The units for systemd: read by its own programs, and each a program that the office has."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

from federation_site.management.commands.up import web_server_command

ROOT = Path(__file__).resolve().parent.parent
UNITS = sorted((ROOT / "deploy/systemd").glob("office-*.service"))
READER = shutil.which("systemd-analyze")
needs_reader = pytest.mark.skipif(not READER, reason="systemd-analyze is not here")


def analyze(*words: str) -> subprocess.CompletedProcess[str]:
    told = {**os.environ, "SYSTEMD_UNIT_PATH": f"{ROOT / 'deploy/systemd'}:"}
    return subprocess.run([str(READER), *words], env=told, capture_output=True, text=True)


def command_of(unit: str) -> str:
    text = (ROOT / f"deploy/systemd/{unit}.service").read_text().replace("\\\n", "")
    return " ".join(re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE)[-1].split())


def test_there_is_a_unit_for_each_program() -> None:
    names = {path.stem.removeprefix("office-") for path in UNITS}
    assert names == {"up", "migrate", "web", "worker", "files"}


@needs_reader
@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_systemd_understands_every_line_of_a_unit_and_calls_it_confined(unit: Path) -> None:
    said = analyze("verify", "--man=no", "--recursive-errors=no", str(unit)).stderr
    complaints = [line for line in said.splitlines() if "deploy/systemd" in line or unit.name in line]
    assert [line for line in complaints if "is not executable" not in line] == []  # not installed here
    rated = analyze("security", "--offline=yes", "--threshold=20", str(unit))
    assert rated.returncode == 0, rated.stdout[-200:]  # 2.0 of 10, where 10 is no confinement at all


def test_the_web_servers_unit_is_what_up_starts() -> None:
    own = web_server_command("127.0.0.1", 8000)
    own[own.index("--workers") + 1] = "2"
    assert sorted(command_of("office-web").split()[2:]) == sorted(own)


def test_each_queue_has_a_unit() -> None:
    queues = [command_of(f"office-{name}").split("--queues ")[1].split()[0] for name in ("worker", "files")]
    assert sorted(queues) == sorted(queue.name for queue in settings.CELERY_TASK_QUEUES)


def test_only_what_migrates_gets_the_owners_password() -> None:
    assert [unit.stem for unit in UNITS if "/etc/office/owner" in unit.read_text()] == ["office-migrate"]


def test_no_unit_says_what_the_common_part_would_override() -> None:
    def told(path: Path) -> set[str]:
        return set(re.findall(r"^(\w+)=", path.read_text(), re.MULTILINE))

    common = told(ROOT / "deploy/systemd/office-.service.d/confine.conf")
    for unit in UNITS:
        assert told(unit) & common <= {"Environment", "EnvironmentFile"}, unit
        assert {"MemoryMax", "ExecStart"} <= told(unit)
        assert "Restart" in told(unit)


def test_a_database_that_is_away_at_the_start_keeps_no_program_closed_for_good() -> None:
    """systemd never starts again what failed because a unit that it requires did."""
    for unit in UNITS:
        assert not re.search(r"^(Requires|BindsTo|Requisite)=", unit.read_text(), re.MULTILINE), unit
    assert "\nRestart=on-failure\n" in (ROOT / "deploy/systemd/office-migrate.service").read_text()
