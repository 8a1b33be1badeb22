"""How many processes a machine is given."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from federation_site import environment
from federation_site.management.commands import up


@pytest.mark.parametrize(
    ("cores", "megabytes", "processes"),
    [
        (1, 24_000, 1),
        (2, 24_000, 2),
        (4, 24_000, 4),
        (64, 24_000, 4),
        (4, 512, 1),
        (4, environment.OTHERS_MEGABYTES + 2 * environment.WEB_MEGABYTES - 1, 1),
        (4, environment.OTHERS_MEGABYTES + 2 * environment.WEB_MEGABYTES, 2),
    ],
)
def test_there_is_a_web_process_for_each_core_as_far_as_memory_goes(
    monkeypatch: pytest.MonkeyPatch, cores: int, megabytes: int, processes: int
) -> None:
    monkeypatch.setattr(environment, "cores", lambda: cores)
    monkeypatch.setattr(environment, "memory_megabytes", lambda: megabytes)
    assert environment.web_processes() == processes


@pytest.mark.parametrize(("megabytes", "processes"), [(1499, 1), (1500, 2)])
def test_a_small_machine_recomputes_one_office_at_a_time(
    monkeypatch: pytest.MonkeyPatch, megabytes: int, processes: int
) -> None:
    monkeypatch.setattr(environment, "memory_megabytes", lambda: megabytes)
    assert environment.rating_processes() == processes


@pytest.mark.parametrize(("told", "processes"), [(1, 1), (2, 2), (4, 4), (16, 4)])
def test_one_setting_makes_the_whole_office_larger_or_smaller(
    monkeypatch: pytest.MonkeyPatch, settings: Any, told: int, processes: int
) -> None:
    monkeypatch.setattr(environment, "memory_megabytes", lambda: 24_000)
    settings.WEB_PROCESSES = told
    assert environment.web_processes() == told
    assert environment.rating_processes() == processes


def test_the_memory_of_a_container_counts_and_not_its_machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(environment, "CONTAINER_LIMIT", limit)
    machine = environment.memory_megabytes()
    assert machine > 256
    limit.write_text(f"{256 * 2**20}\n")
    assert environment.memory_megabytes() == 256
    limit.write_text("max\n")
    assert environment.memory_megabytes() == machine


@pytest.mark.parametrize(
    ("told", "number"),
    [({"GRANIAN_WORKERS": "3"}, "3"), ({"GRANIAN_WORKERS": "3", "WEB_PROCESSES": "2"}, "2"), ({}, "0")],
)
def test_the_office_knows_the_number_that_its_web_server_was_told(told: dict[str, str], number: str) -> None:
    environment = {"PATH": os.environ["PATH"], **told}
    words = "from federation_site import settings; print(settings.WEB_PROCESSES)"
    done = subprocess.run(
        [sys.executable, "-c", words], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == number


def test_whoever_runs_the_office_may_set_the_number(settings: Any) -> None:
    settings.WEB_PROCESSES = 3
    command = up.web_server_command("127.0.0.1", 8000)
    assert command[command.index("--workers") + 1] == "3"
