"""The ways out of the box, each tried in a real child on this machine: what a reader of files must not do.

The box runs this module in place of a reader; it prints the ways that are open, as a list in JSON.
"""

import errno
import json
import os
import socket
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress


def open_file() -> None:
    os.close(os.open(__file__, os.O_RDONLY))


def write_file() -> None:
    path = os.path.join(tempfile.gettempdir(), f"box-{os.getpid()}")
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    os.unlink(path)


def use_network() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        datagrams.connect(("127.0.0.1", 9))  # sends nothing


def start_process() -> None:
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)


def run_program() -> None:
    """Run a program with an argument longer than any may be: who is not kept from it, is told that."""
    try:
        os.execv(sys.executable, [sys.executable, "x" * (1 << 20)])
    except OSError as error:
        if error.errno != errno.E2BIG:
            raise


def signal_parent() -> None:
    os.kill(os.getppid(), 0)


WAYS: dict[str, Callable[[], None]] = {
    "open a file": open_file,
    "write a file": write_file,
    "use the network": use_network,
    "start a process": start_process,
    "run a program": run_program,
    "signal another process": signal_parent,
}


def main(_data: bytes) -> None:
    ways = []
    for name, way in WAYS.items():
        with suppress(OSError, AttributeError):  # refused; or a call that this system does not have
            way()
            ways.append(name)
    print(json.dumps(ways))
