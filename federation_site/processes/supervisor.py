"""Child processes: started together, started again when they die, stopped in good order."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent.parent
LOOK_SECONDS = 0.3
STEADY_SECONDS = 15.0
"""A child that lived for so long did not die at its start."""
LONGEST_PAUSE = 10.0
"""Programs that are killed over and over are back within it: work waits for at most a minute."""
PATIENCE_SECONDS = 30.0
"""The time that children have to end in good order."""
GONE_SECONDS = 2.0
"""The time to wait for processes that were killed."""

Say = Callable[[str], None]


def supervise(commands: Mapping[str, Sequence[str]], *, on_change: Say, inherit: Sequence[int] = ()) -> None:
    """Run each named program until this process is asked to stop (SIGINT or SIGTERM), then stop them all.

    `commands`: a module and its arguments for each name. `on_change` gets a sentence when a program ended,
    and when the end begins. `inherit`: descriptors that every program keeps open.
    """
    stops, on_change = _stop_requests(), _where_it_can_be_said(on_change)
    children = [Child(name, command, on_change, inherit) for name, command in commands.items()]
    while not stops:
        for child in children:
            child.look()
        time.sleep(LOOK_SECONDS)
    on_change("Closing. What is being done is finished first; Ctrl-C again ends it at once.")
    _stop(children, stops)


class Child:
    """A supervised program and all that it starts; it is started again when it ends, ever later if early."""

    def __init__(self, name: str, command: Sequence[str], say: Say, inherit: Sequence[int]) -> None:
        self.name, self._command, self._say, self._inherit = name, command, say, inherit
        self._early_deaths = 0
        self._due = self._born = 0.0
        self._process: subprocess.Popen[bytes] | None = None
        self._start()

    def look(self) -> None:
        """Look, now and then, whether the program ended; plan its next start, and start it when due."""
        if self._process is None:
            if time.monotonic() >= self._due:
                self._start()
        elif (code := self._process.poll()) is not None:
            end_group(self._process.pid)
            self._process = None
            self._plan_next_start(code)

    def ask_to_end(self) -> None:
        """Ask the program's main process to end, but no child of it: a worker's would drop their work."""
        if self._process:
            self._process.terminate()

    def ended(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def kill(self) -> None:
        """Kill the program and whatever it started."""
        if self._process:
            end_group(self._process.pid)
            self._process.wait()

    def _start(self) -> None:
        launcher = [sys.executable, "-m", "federation_site.processes.child_main", str(os.getpid())]
        self._born = time.monotonic()
        # A group of its own, to be killed as one; no session of its own: between sessions Linux shares the
        # processors alike, whatever priority a worker's long fold has given itself.
        self._process = subprocess.Popen(
            [*launcher, *self._command],
            cwd=ROOT,
            pass_fds=self._inherit,
            process_group=0,
            stdin=subprocess.DEVNULL,
        )

    def _plan_next_start(self, code: int) -> None:
        early = time.monotonic() - self._born < STEADY_SECONDS
        self._early_deaths = self._early_deaths + 1 if early else 0
        pause = pause_before_start(self._early_deaths)
        self._due = time.monotonic() + pause
        if self._early_deaths < 2:
            self._say(f"The {self.name} ended with {code}; starting it again.")
        else:
            self._say(
                f"The {self.name} ended with {code} soon after its start,"
                f" {self._early_deaths} times in a row. What it wrote above may say why."
                f" It is started again in {pause:.0f} s."
            )


def pause_before_start(early_deaths: int) -> float:
    """The seconds before a program starts again that ended soon after its start so many times in a row."""
    return min(LONGEST_PAUSE, 2.0 ** (early_deaths - 1)) if early_deaths else 0.0


def end_group(leader: int) -> None:
    """Kill whatever is left of the group that a process led: its children may have outlived it."""
    deadline = time.monotonic() + GONE_SECONDS
    with suppress(ProcessLookupError, PermissionError):  # nobody is left; on macOS, nobody but the dead
        while time.monotonic() < deadline:
            os.killpg(leader, signal.SIGKILL)
            time.sleep(0.02)


def _where_it_can_be_said(say: Say) -> Say:
    """Let words be lost where nothing can be written, on a full disk or a terminal that is gone: no reason to
    end.
    """

    def quietly(words: str) -> None:
        with suppress(OSError, ValueError):
            say(words)

    return quietly


def _stop_requests() -> list[int]:
    """A list that gets an entry each time somebody asks this process to stop."""
    requests: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        requests.append(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, note)
    return requests


def _stop(children: Sequence[Child], stops: Sequence[int]) -> None:
    """Ask each child to end and wait; kill what is left when patience runs out, or is asked for once more."""
    asked, deadline = len(stops), time.monotonic() + PATIENCE_SECONDS
    for child in children:
        child.ask_to_end()
    while not all(child.ended() for child in children):
        if time.monotonic() > deadline or len(stops) > asked:
            break
        time.sleep(0.05)
    for child in children:
        child.kill()
