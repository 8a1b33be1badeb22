"""The supervisor run for real, in a process of its own, over programs that sleep, hang or fail."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest
from django.conf import settings

from federation_site.processes import pause_before_start

pytestmark = [pytest.mark.any_database, pytest.mark.long]
PROGRAM = """
import sys
from federation_site.processes import supervise
supervise({"sleeper": sys.argv[1:]}, on_change=lambda words: print(words, flush=True))
"""
SLEEPER = """
import os, pathlib, signal, sys, time
folder = pathlib.Path(__file__).parent
(folder / f"born-{os.getpid()}").touch()
def stop(*_):
    (folder / f"stopped-{os.getpid()}").touch()
    sys.exit()
signal.signal(signal.SIGTERM, stop)
time.sleep(60)
"""
FORKING = """
import os, pathlib, time
forked = os.fork() == 0
(pathlib.Path(__file__).parent / f"{'forked' if forked else 'born'}-{os.getpid()}").touch()
time.sleep(60)
"""
HANGING = (
    """
import signal
from federation_site import processes
processes.end_at_once = lambda: None
signal.signal(signal.SIGHUP, signal.SIG_IGN)
"""
    + FORKING
)
"""What it forked neither ends itself nor is ended by the kernel."""
BEHIND_A_TERMINAL = (
    """
import os, pathlib, signal, sys
told = f"{sys.stdin.read()!r} {signal.getsignal(signal.SIGTTOU).name}"
(pathlib.Path(__file__).parent / "told").write_text(told)
"""
    + SLEEPER
)
LAUNCHER = """
import sys
from federation_site.processes import run_program
run_program(sys.argv[2:], int(sys.argv[1]))
"""
DEAF = """
import os, pathlib, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
(pathlib.Path(__file__).parent / f"born-{os.getpid()}").touch()
time.sleep(60)
"""
Supervisor = subprocess.Popen[str]


def wait_for(folder: Path, pattern: str, count: int) -> list[int]:
    for _ in range(200):
        found = sorted(int(path.name.split("-")[1]) for path in folder.glob(pattern))
        if len(found) >= count:
            return found
        time.sleep(0.1)
    raise AssertionError(f"{pattern}: {len(found)} of {count} after twenty seconds")


def wait_until_gone(pid: int) -> None:
    for _ in range(100):
        if not runs(pid):
            return
        time.sleep(0.1)
    raise AssertionError(f"process {pid} is still there after ten seconds")


def runs(pid: int) -> bool:
    """Whether it is there and not merely unburied."""
    done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return done.stdout.strip()[:1] not in ("", "Z")


@pytest.fixture
def supervise(tmp_path: Path) -> Iterator[Callable[[str], Supervisor]]:
    """`supervise(source)`: a supervisor of a program with that source, which notes its life in `tmp_path`."""
    started = []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(settings.ROOT)])}

    def start(source: str, words: IO[str] | int = subprocess.PIPE, program: str = PROGRAM) -> Supervisor:
        (tmp_path / "program.py").write_text(source)
        command = [sys.executable, "-c", program, "program"]
        pipe = subprocess.PIPE  # who reads it waits for ever, as at a terminal where nobody writes
        started.append(subprocess.Popen(command, env=environment, stdin=pipe, stdout=words, text=True))
        return started[-1]

    yield start
    for supervisor in started:
        supervisor.kill()
        supervisor.communicate()


def test_a_program_that_was_killed_is_started_again_and_stopped_in_good_order(
    supervise: Callable[[str], Supervisor], tmp_path: Path
) -> None:
    supervisor = supervise(SLEEPER)
    (first,) = wait_for(tmp_path, "born-*", 1)
    os.kill(first, signal.SIGKILL)
    second = next(pid for pid in wait_for(tmp_path, "born-*", 2) if pid != first)
    supervisor.send_signal(signal.SIGTERM)
    words, _ = supervisor.communicate(timeout=20)
    assert "The sleeper ended with -9; starting it again." in words
    assert wait_for(tmp_path, "stopped-*", 1) == [second]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_a_full_disk_that_takes_no_words_ends_no_supervisor(
    supervise: Callable[..., Supervisor], tmp_path: Path
) -> None:
    with open("/dev/full", "w") as full:
        supervisor = supervise(SLEEPER, full)
    (first,) = wait_for(tmp_path, "born-*", 1)
    os.kill(first, signal.SIGKILL)
    second = next(pid for pid in wait_for(tmp_path, "born-*", 2) if pid != first)
    supervisor.send_signal(signal.SIGTERM)
    supervisor.wait(timeout=20)
    assert wait_for(tmp_path, "stopped-*", 1) == [second]


@pytest.mark.parametrize(("fault", "goes_on"), [("BrokenPipeError", True), ("RuntimeError", False)])
def test_nothing_that_fails_in_a_supervisor_leaves_its_programs_without_one(
    supervise: Callable[..., Supervisor], tmp_path: Path, fault: str, goes_on: bool
) -> None:
    """A closed pipe takes no announcement. Of other faults it ends, and its programs first."""
    program = PROGRAM.replace("on_change=", "look=fail, on_change=").replace(
        "supervise(", f"import time\ndef fail():\n    time.sleep(2)\n    raise {fault}\nsupervise(", 1
    )
    supervisor = supervise(SLEEPER, program=program)
    born = wait_for(tmp_path, "born-*", 1)
    if goes_on:
        time.sleep(3)
        assert supervisor.poll() is None
        supervisor.send_signal(signal.SIGTERM)
    assert (supervisor.wait(timeout=20) == 0) == goes_on
    assert not runs(born[0])


def test_programs_do_not_outlive_a_supervisor_that_was_killed(
    supervise: Callable[[str], Supervisor], tmp_path: Path
) -> None:
    supervisor = supervise(SLEEPER)
    born = wait_for(tmp_path, "born-*", 1)
    supervisor.kill()
    assert wait_for(tmp_path, "stopped-*", 1) == born


def test_programs_share_a_session_so_that_the_priority_of_long_work_counts_between_them(
    supervise: Callable[[str], Supervisor], tmp_path: Path
) -> None:
    supervisor = supervise(SLEEPER)
    (program,) = wait_for(tmp_path, "born-*", 1)
    assert os.getsid(program) == os.getsid(supervisor.pid)
    assert os.getpgid(program) == program  # a group of its own, which is killed with it


def test_a_program_reads_nothing_from_the_terminal_and_may_always_write_to_it(
    supervise: Callable[[str], Supervisor], tmp_path: Path
) -> None:
    """A terminal stops programs of its session that do so from behind."""
    supervise(BEHIND_A_TERMINAL)
    wait_for(tmp_path, "born-*", 1)
    assert (tmp_path / "told").read_text() == "'' SIG_IGN"


def test_what_a_killed_program_had_forked_is_ended_though_it_hangs(
    supervise: Callable[[str], Supervisor], tmp_path: Path
) -> None:
    supervise(HANGING)
    (main,), (forked,) = wait_for(tmp_path, "born-*", 1), wait_for(tmp_path, "forked-*", 1)
    os.kill(main, signal.SIGKILL)
    wait_until_gone(forked)


def test_what_a_program_forked_ends_with_it_when_nobody_supervises(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(FORKING)
    launcher = [sys.executable, "-c", LAUNCHER, str(os.getpid()), "program"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(settings.ROOT)])}
    program = subprocess.Popen(launcher, env=environment)
    (forked,) = wait_for(tmp_path, "forked-*", 1)
    program.kill()
    program.wait()
    wait_until_gone(forked)


def test_what_a_program_spawned_ends_with_it_too(tmp_path: Path) -> None:
    source = """
import multiprocessing, os, pathlib, time
def sleep():
    (pathlib.Path(__file__).parent / f"spawned-{os.getpid()}").touch()
    time.sleep(60)
"""
    (tmp_path / "asleep.py").write_text(source)
    program = """
import asleep, multiprocessing
multiprocessing.get_context("spawn").Process(target=asleep.sleep).start()
"""
    (tmp_path / "program.py").write_text(program)
    launcher = [sys.executable, "-c", LAUNCHER, str(os.getpid()), "program"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(settings.ROOT)])}
    main = subprocess.Popen(launcher, env=environment)
    (spawned,) = wait_for(tmp_path, "spawned-*", 1)
    main.kill()
    main.wait()
    wait_until_gone(spawned)


def test_a_program_that_fails_at_its_start_is_tried_ever_more_seldom_and_that_is_said(
    supervise: Callable[[str], Supervisor], tmp_path: Path
) -> None:
    supervisor = supervise("raise SystemExit(3)")
    time.sleep(8)
    supervisor.send_signal(signal.SIGTERM)
    words, _ = supervisor.communicate(timeout=20)
    lines = words.splitlines()
    assert lines[0] == "The sleeper ended with 3; starting it again."
    assert "ended with 3 soon after its start, 2 times in a row" in lines[1]
    assert lines[1].endswith("It is started again in 2 s.")
    assert len(lines) <= 5, "in eight seconds: after 1, 2 and 4 seconds, and the closing"


def test_asked_twice_it_waits_for_nobody(supervise: Callable[[str], Supervisor], tmp_path: Path) -> None:
    supervisor = supervise(DEAF)
    (deaf,) = wait_for(tmp_path, "born-*", 1)
    supervisor.send_signal(signal.SIGINT)
    time.sleep(1)
    assert supervisor.poll() is None, "it has patience"
    supervisor.send_signal(signal.SIGINT)
    supervisor.communicate(timeout=10)
    assert not runs(deaf)


PAUSES = [(0, 0), (1, 1), (2, 2), (3, 4), (4, 8), (5, 10), (50, 10)]


@pytest.mark.parametrize(("early_deaths", "seconds"), PAUSES)
def test_a_program_that_ends_at_its_start_is_tried_ever_more_seldom_up_to_ten_seconds_apart(
    early_deaths: int, seconds: float
) -> None:
    assert pause_before_start(early_deaths) == seconds
