"""Who waits for a file never waits for what the public asks for: in `up`, and by units and compose."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from federation_site.management.commands import up
from tests.image_files import read_compose, words_of
from tests.lanes import unit_of_files
from tests.stack import SETTINGS

ROOT = Path(__file__).resolve().parent.parent


def lanes(how: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.lanes", how]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900, check=False
    )


def seen(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stdout + done.stderr
    assert "a file was read in" in done.stdout
    assert "the second dump followed" in done.stdout


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what processes have open")


@LINUX
@pytest.mark.long
@pytest.mark.any_database
def test_in_up_a_region_s_file_is_read_while_a_dump_is_drawn_up_that_never_ends() -> None:
    own = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    seen(lanes("up", own))


@LINUX
@pytest.mark.nightly
@pytest.mark.skipif(not shutil.which("redis-server"), reason="there is no Redis on this machine")
def test_on_servers_a_region_s_file_is_read_while_dumps_are_asked_for_one_of_which_never_ends() -> None:
    seen(lanes("servers", dict(os.environ)))


def command_lines() -> dict[str, list[str]]:
    compose = read_compose(SETTINGS)["services"]
    own = {f"compose {name}": words_of(told.get("command", "")) for name, told in compose.items()}
    return {**up.program_commands("127.0.0.1", 8000), "unit": unit_of_files(), **own}


def test_every_worker_that_reads_files_has_a_process_left_beside_a_dump() -> None:
    readers = {
        name: int(words[words.index("--concurrency") + 1])
        for name, words in command_lines().items()
        if "--queues" in words and "files" in words[words.index("--queues") + 1].split(",")
    }
    assert {"worker of files", "unit", "compose files"} <= readers.keys()
    assert min(readers.values()) >= 2, readers
