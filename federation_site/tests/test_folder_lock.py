"""Two offices on one folder are told apart, and the next one ends what is left of the last."""

import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from federation_site.processes import OpenAlready, end_orphans, lock_folder, pids_with_lock_open

SLEEPS = [sys.executable, "-c", "import time; time.sleep(60)"]
FORKING = multiprocessing.get_context("fork")
HOLDS = """
import sys, time
from pathlib import Path
from federation_site.processes import lock_folder
with lock_folder(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what processes hold")


@pytest.fixture
def holder(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that holds the folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    process.stdout.readline()
    yield process
    process.kill()
    process.communicate()


def test_a_folder_that_is_held_is_refused_with_the_process_that_holds_it(
    holder: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    with pytest.raises(OpenAlready) as refused, lock_folder(tmp_path):
        pass
    assert refused.value.pid == str(holder.pid)


def test_up_says_which_process_has_the_office_open(
    holder: "subprocess.Popen[str]", tmp_path: Path, settings: Any
) -> None:
    settings.VAR = tmp_path
    with pytest.raises(CommandError, match=rf"is open already \(process {holder.pid}\).*VAR_DIR"):
        call_command("up")


def test_a_holder_that_was_killed_leaves_the_folder_free(
    holder: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    holder.kill()
    holder.wait()
    with lock_folder(tmp_path):
        assert (tmp_path / "up.lock").read_text() == f"{os.getpid()}\n"


@on_linux
def test_what_the_office_forked_is_found_and_ended_and_nobody_else(tmp_path: Path) -> None:
    with lock_folder(tmp_path):
        ours = FORKING.Process(target=time.sleep, args=(60,))
        ours.start()
        stranger = subprocess.Popen(SLEEPS)
    with lock_folder(tmp_path):
        assert pids_with_lock_open(tmp_path) == [ours.pid]
        begun = time.monotonic()
        assert end_orphans(tmp_path) == 1
        ours.join(5)
        assert ours.exitcode == -9
        assert time.monotonic() - begun < 5
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


@on_linux
def test_a_process_that_closes_another_file_meanwhile_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed = os.readlink

    def closed_or_followed(link: str) -> str:
        if link.endswith("/0"):
            raise FileNotFoundError(link)
        return followed(link)

    with lock_folder(tmp_path):
        ours = FORKING.Process(target=time.sleep, args=(60,))
        ours.start()
    monkeypatch.setattr(os, "readlink", closed_or_followed)
    assert pids_with_lock_open(tmp_path) == [ours.pid]
    ours.kill()
    ours.join()


@on_linux
def test_an_orphan_does_not_hold_the_folder(tmp_path: Path) -> None:
    with lock_folder(tmp_path):
        orphan = FORKING.Process(target=time.sleep, args=(60,))
        orphan.start()
    with lock_folder(tmp_path):
        assert orphan.is_alive()
    orphan.kill()
    orphan.join()
