"""Bad readers for the tests of the box: each does what the bytes of the file say; others read it."""

import os
import subprocess
import sys
import time
from collections.abc import Callable

from tournaments.formats import __main__ as reader


def spin() -> None:
    while True:
        pass


def sleep() -> None:
    time.sleep(60)


def allocate() -> None:
    heap = [bytearray(64 * 1024 * 1024) for _ in range(64)]
    print(len(heap))


def flood() -> None:
    while True:
        sys.stdout.write("x" * 1024 * 1024)


def fork() -> None:
    """A grandchild that outlives its parent, unless it is refused or the whole session is ended."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    print(child.pid, flush=True)
    time.sleep(60)


def die() -> None:
    os.abort()


def stumble() -> None:
    raise LookupError("Dlamini, Thabo")


def babble() -> None:
    print("no JSON")


FOLDER = os.getcwd()  # asked before the box is closed


def tell_environment() -> None:
    sys.exit(f"{sorted(os.environ)} {sys.flags.isolated} {FOLDER}: ")


HOGS: dict[str, Callable[[], None]] = {
    "spin": spin,
    "sleep": sleep,
    "allocate": allocate,
    "flood": flood,
    "fork": fork,
    "die": die,
    "stumble": stumble,
    "babble": babble,
    "tell": tell_environment,
}


def main(data: bytes, name: str, country: str = "") -> None:
    if hog := HOGS.get(data[:20].decode("latin-1")):
        hog()
    else:
        reader.main(data, name, country)
