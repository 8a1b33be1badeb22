"""The supervisor run for real, in a process of its own, over children that sleep."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = """
import sys
from federation_site.processes.supervisor import supervise
child = [sys.executable, "-c", sys.argv[1]]
supervise({"sleeper": child}, on_change=lambda words: print(words, flush=True))
"""
NOTES_ITS_LIFE = """
import os, pathlib, signal, sys, time
folder = pathlib.Path({folder!r})
(folder / f"born-{{os.getpid()}}").touch()
def stop(*_):
    (folder / f"stopped-{{os.getpid()}}").touch()
    sys.exit()
signal.signal(signal.SIGTERM, stop)
time.sleep(60)
"""


def wait_for(folder: Path, pattern: str, count: int) -> list[int]:
    for _ in range(100):
        found = sorted(int(path.name.split("-")[1]) for path in folder.glob(pattern))
        if len(found) >= count:
            return found
        time.sleep(0.1)
    raise AssertionError(f"{pattern}: {len(found)} of {count} after ten seconds")


@pytest.fixture
def supervisor(tmp_path: Path) -> "subprocess.Popen[str]":
    child = NOTES_ITS_LIFE.format(folder=str(tmp_path))
    return subprocess.Popen([sys.executable, "-c", PROGRAM, child], stdout=subprocess.PIPE, text=True)


def test_a_child_that_was_killed_is_started_again_and_stopped_in_good_order(
    supervisor: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    (first,) = wait_for(tmp_path, "born-*", 1)
    os.kill(first, signal.SIGKILL)
    second = next(pid for pid in wait_for(tmp_path, "born-*", 2) if pid != first)
    supervisor.send_signal(signal.SIGTERM)
    words, _ = supervisor.communicate(timeout=20)
    assert "The sleeper ended with -9; starting it again." in words
    assert wait_for(tmp_path, "stopped-*", 1) == [second]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's death")
def test_children_do_not_outlive_a_supervisor_that_was_killed(
    supervisor: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    born = wait_for(tmp_path, "born-*", 1)
    supervisor.kill()
    supervisor.communicate(timeout=20)
    assert wait_for(tmp_path, "stopped-*", 1) == born
