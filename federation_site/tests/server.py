"""A real web server on a folder of its own, for tests that open sockets to it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from federation_site.management.commands.up import is_listening, web_server_command
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
MAKE = """
from django.contrib.auth import BACKEND_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
session = SessionStore()
session[SESSION_KEY] = "1"
session.save()
print("session", session.session_key)
"""
LARGE = 3_000_000


@dataclass(frozen=True, slots=True)
class Server:
    port: int
    session: str
    """The key of a session of somebody signed in."""
    process: subprocess.Popen[bytes]

    def kill(self) -> None:
        os.killpg(self.process.pid, 9)
        self.process.wait()

    def connect(self, *, receive: int | None = None, address: str = "127.0.0.1") -> socket.socket:
        """A connection of its own, from `address`; `receive`: the size of its receive buffer."""
        made = socket.socket()
        made.settimeout(15)
        made.bind((address, 0))
        if receive:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        made.connect(("127.0.0.1", self.port))
        return made

    def ask(self, head: str, body: bytes = b"", *, address: str = "127.0.0.1") -> str:
        """Send a request and read the answer until the server ends it."""
        with self.connect(address=address) as made:
            made.sendall(f"{head}\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode() + body)
            parts = []
            while part := made.recv(65536):
                parts.append(part)
        return b"".join(parts).decode("latin1")


@contextmanager
def serving(folder: Path, *, port: int = 0, **settings: str) -> Iterator[Server]:
    """A server as `up` starts it, over the office in a folder, at first an empty one; there is a static
    file of LARGE bytes.
    """
    environment = {**os.environ, "VAR_DIR": str(folder), "NO_BOOTSTRAP": "1", **settings}
    environment |= {"DATABASE_URL": f"sqlite:///{folder / 'office.sqlite3'}", "DJANGO_SETTINGS_MODULE": ""}
    environment.pop("DJANGO_SETTINGS_MODULE")
    manage = [sys.executable, str(ROOT / "manage.py")]

    def run(*words: str) -> str:
        done = subprocess.run([*manage, *words], env=environment, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("migrate", "--verbosity", "0")
    run("createcachetable")
    run("collectstatic", "--noinput", "--verbosity", "0")
    (folder / "static" / "large.txt").write_bytes(b"x" * LARGE)
    session = run("shell", "--no-imports", "-c", MAKE).rpartition(" ")[2].strip()
    port = port or free_port()
    started = subprocess.Popen(
        [sys.executable, "-m", *web_server_command("127.0.0.1", port)],
        env=environment,
        cwd=ROOT,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 60
        while not is_listening("127.0.0.1", port):
            assert started.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        yield Server(port, session, started)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(started.pid, 9)
        started.wait()
