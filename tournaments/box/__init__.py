"""The box: users' files are read in a child process with little memory, little time and nothing else.

The child is this Python in isolated mode with an empty environment, in a session of its own. It limits its
memory and time, imports its reader, takes in the file and then locks itself (`inside.py`): before it looks at
the first byte it can no longer open files or sockets, or start, signal or inspect processes. The parent
watches the clock and ends the whole session. `open_ways` says which of these locks this system lacks; on
Windows only the clock works.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, TypeVar

from tournaments.box import inside

# The child that tries to get out imports this package, which must need nothing but Python itself.
if TYPE_CHECKING:
    from tournaments.formats.archive import Listing
    from tournaments.formats.sheet import Reading

WALL = 30.0  # seconds
READER = "tournaments.formats.__main__"
UNPACKER = "tournaments.formats.archive"
LONG_READER = "tournaments.formats.player_lists"
ESCAPE_TEST = "tournaments.box"
LONG_WALL, LONG_CPU = 180.0, 120  # seconds, for a table of a whole register
_BEAT = 0.5  # seconds between two calls of on_progress

Progress = Callable[[float], None]
Loaded = TypeVar("Loaded")


class BoxDied(Exception):
    """Raised if the child ends without a reading of the file; `reason` is a key of `messages.MESSAGES`."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


def read_boxed(
    data: bytes,
    name: str = "",
    *,
    country: str = "",
    wall: float | None = None,
    on_progress: Progress | None = None,
) -> Reading:
    """Read an event file of an office of this country in the box, within `wall` seconds, or `WALL`. Raises
    BoxDied if it ran out of time or memory, or crashed.

    `on_progress` is called about twice a second with the seconds that have passed, as a sign of life.
    """
    from tournaments.formats import sheet

    with _boxed([READER, f"file{_suffix(name)}", country], data, wall or WALL, on_progress) as output:
        return _load(output, lambda written: sheet.load(written.decode()))


def read_many_boxed(files: Sequence[tuple[str, bytes]], *, country: str = "") -> list[Reading | BoxDied]:
    """Read event files that one person gave, by name and content, one after the other in few children.

    A child has the bounds of a single file for all that it reads. The file at which it dies is read once more
    by `read_boxed` and settles for itself alone whether it can be read; a new child goes on behind it.
    """
    found: list[Reading | BoxDied] = []
    while rest := files[len(found) :]:
        head = json.dumps([[f"file{_suffix(name)}", len(data)] for name, data in rest]).encode()
        packed = b"".join((head, b"\n", *(data for _name, data in rest)))
        with _boxed([inside.MANY_FLAG, READER, country], packed, WALL, None, even_if_dead=True) as output:
            found += _whole_readings(output)
        if len(found) < len(files):
            name, data = files[len(found)]
            try:
                found.append(read_boxed(data, name, country=country))
            except BoxDied as died:
                found.append(died)
    return found


def _whole_readings(output: IO[bytes]) -> Iterator[Reading]:
    """Yield the readings of a child that may have died at one of them."""
    from tournaments.formats import sheet

    for line in output:
        try:
            yield sheet.load(line.decode())
        except (ValueError, TypeError, KeyError):
            return


def unpack_boxed(
    data: bytes, *, history: bool = False, on_progress: Progress | None = None
) -> tuple[Listing, list[bytes]]:
    """Unpack a ZIP in the box into its listing and the bytes of its files. `history`: it may hold the files
    of many years. Raises BoxDied like `read_boxed`.
    """
    from tournaments.formats import archive

    arguments = [UNPACKER, archive.HISTORY_ARGUMENT] if history else [UNPACKER]
    with _boxed(arguments, data, WALL, on_progress) as output:
        return _load(output, archive.load)


@contextmanager
def table_boxed(data: bytes, name: str = "", *, on_progress: Progress | None = None) -> Iterator[IO[bytes]]:
    """Read a long table in the box, with more time; yields a file with the lines of `player_lists`."""
    arguments = [f"{inside.CPU_FLAG}{LONG_CPU}", LONG_READER, f"file{_suffix(name)}"]
    with _boxed(arguments, data, LONG_WALL, on_progress) as output:
        yield output


def open_ways() -> list[str]:
    """The keys of `WAYS_OUT` that a reader taken over by a file could still use on this machine, found by
    trying.

    Raises BoxDied like `read_boxed`.
    """
    with _boxed([ESCAPE_TEST], b"", WALL, None) as output:
        ways: list[str] = _load(output, json.loads)
        return ways


@contextmanager
def _boxed(
    arguments: list[str],
    data: bytes,
    wall: float,
    beat: Progress | None,
    *,
    even_if_dead: bool = False,
) -> Iterator[IO[bytes]]:
    """Run the child on `data` for at most `wall` seconds; yield a file with its output, at its start.

    Raises BoxDied if the child fails; `even_if_dead` yields what it wrote until then.
    """
    # Files, not pipes: neither side must read while the other writes, and the system itself limits what a
    # child may write.
    with (
        tempfile.TemporaryFile() as source,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
    ):
        source.write(data)
        source.seek(0)
        try:
            if code := _run(arguments, source, output, errors, wall, beat):
                raise BoxDied(_reason(code), _exception_name(errors))
            if output.seek(0, os.SEEK_END) > inside.OUTPUT:
                raise BoxDied("box-output")
        except BoxDied:
            if not even_if_dead:
                raise
        output.seek(0)
        yield output


def _run(
    arguments: list[str],
    source: IO[bytes],
    output: IO[bytes],
    errors: IO[bytes],
    wall: float,
    beat: Progress | None,
) -> int:
    script = str(Path(inside.__file__).resolve())
    command = [sys.executable, "-I", "-B", "-X", "utf8", script, *arguments]
    child = subprocess.Popen(
        command,
        stdin=source,
        stdout=output,
        stderr=errors,
        env={key: os.environ[key] for key in ("SYSTEMROOT",) if key in os.environ},
        cwd=os.sep,
        start_new_session=True,
    )
    try:
        start = time.monotonic()
        while (passed := time.monotonic() - start) < wall:
            try:
                return child.wait(min(_BEAT, wall - passed))
            except subprocess.TimeoutExpired:
                if beat:
                    beat(time.monotonic() - start)
        raise BoxDied("box-time")
    finally:
        _end(child)


def _end(child: subprocess.Popen[bytes]) -> None:
    """Kill a child that still runs, and every process that it may have started."""
    if child.poll() is not None:
        return
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)  # it leads its session: its group has the same number
    child.kill()
    child.wait()


def _reason(code: int) -> str:
    if code == inside.OUT_OF_MEMORY:
        return "box-memory"
    if code == inside.OUTPUT_TOO_LONG:
        return "box-output"
    return "box-time" if code == -getattr(signal, "SIGXCPU", 0) else "box-crash"


def _load(output: IO[bytes], load: Callable[[bytes], Loaded]) -> Loaded:
    try:
        return load(output.read())
    except (ValueError, TypeError, KeyError) as error:
        raise BoxDied("box-crash", type(error).__name__) from error


def _exception_name(errors: IO[bytes]) -> str:
    """The name of the exception on stderr, without its words, which may quote names from the file."""
    errors.seek(max(0, errors.seek(0, os.SEEK_END) - 2000))
    lines = errors.read().decode(errors="replace").strip().splitlines()
    return lines[-1].partition(":")[0][:80] if lines else ""


def _suffix(name: str) -> str:
    """The suffix of a user's file name, the only part that reaches a command line; empty if it is odd."""
    suffix = PurePath(name).suffix
    return suffix if suffix.isascii() and suffix[1:].isalnum() and len(suffix) <= 10 else ""


# ---- Ways out of the box, which a reader must not be able to use. The box runs this module in place of a
# reader; it prints the ways that are open as a list in JSON.
def try_opening_file() -> None:
    os.close(os.open(__file__, os.O_RDONLY))


def try_writing_file() -> None:
    path = os.path.join(tempfile.gettempdir(), f"box-{os.getpid()}")
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    os.unlink(path)


def try_network() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        datagrams.connect(("127.0.0.1", 9))  # sends nothing


def try_starting_process() -> None:
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)


def try_running_program() -> None:
    """Run a program with an argument that is too long: the system says so only if it is allowed at all."""
    try:
        os.execv(sys.executable, [sys.executable, "x" * (1 << 20)])
    except OSError as error:
        if error.errno != errno.E2BIG:
            raise


def try_signalling_parent() -> None:
    os.kill(os.getppid(), 0)


WAYS_OUT: dict[str, Callable[[], None]] = {
    "open a file": try_opening_file,
    "write a file": try_writing_file,
    "use the network": try_network,
    "start a process": try_starting_process,
    "run a program": try_running_program,
    "signal another process": try_signalling_parent,
}


def main(_data: bytes) -> None:
    ways = []
    for name, way in WAYS_OUT.items():
        with suppress(OSError, AttributeError):  # refused; or a call that this system does not have
            way()
            ways.append(name)
    print(json.dumps(ways))
