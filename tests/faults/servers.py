"""Servers that can be hurt: a Redis of our own, the PostgreSQL that is given, and the wire to it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import redis

from tests.ports import free_port

OFFICE = "office"
"""The name that the office's connections to PostgreSQL have; those of its visitors here have none."""


class Redis:
    """A redis-server that keeps nothing on disk."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        options = ("--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self.folder), "--save", "")
        self.process = subprocess.Popen(
            ["redis-server", *options, "--maxmemory-policy", "noeviction"], stdout=subprocess.DEVNULL
        )
        for _ in range(100):
            with contextlib.suppress(redis.ConnectionError):
                redis.Redis(port=self.port).ping()
                return
            time.sleep(0.05)
        raise SystemExit("redis-server did not start")

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()

    def flush(self) -> None:
        redis.Redis(port=self.port).flushall()

    @contextmanager
    def stalled(self) -> Iterator[None]:
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)


class Postgres:
    """The server of DATABASE_URL, asked past the wire that the office uses."""

    def __init__(self) -> None:
        self.url = os.environ["DATABASE_URL"]

    def ask(self, query: str, *values: object) -> list[Any]:
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            asked = connection.execute(query, values or None)
            return asked.fetchall() if asked.description else []

    def end_connections(self) -> int:
        """End all connections to the office's database; return how many there were."""
        return len(
            self.ask(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND application_name = %s",
                OFFICE,
            )
        )

    @contextmanager
    def stalled(self) -> Iterator[Callable[[], None]]:
        """Stop the server with all its processes: connections stand, and nobody answers. Yields what lets it
        go on before the block's end.
        """
        stopped = self._processes()

        def signal_all(number: int) -> None:
            for pid in stopped:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)

        signal_all(signal.SIGSTOP)
        try:
            yield partial(signal_all, signal.SIGCONT)
        finally:
            signal_all(signal.SIGCONT)

    def _processes(self) -> list[int]:
        """The server's main process and all that it forked."""
        [[folder]] = self.ask("SHOW data_directory")
        main = int((Path(folder) / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        return [main, *map(int, children)]

    def move_to(self, folder: Path) -> None:
        """Have the tables of the office's database, to which nobody is connected, kept in a folder."""
        outside, name = Postgres(), f"room_{os.getpid()}"
        outside.url, _, database = self.url.rpartition("/")
        outside.url += "/postgres"
        outside.ask(f"CREATE TABLESPACE {name} LOCATION '{folder}'")
        outside.ask(f"ALTER DATABASE {database} SET TABLESPACE {name}")

    def owner(self) -> int:
        """The system's account that the server runs under."""
        return os.stat(f"/proc/{self._processes()[0]}").st_uid


class Wire:
    """A TCP proxy to PostgreSQL, which can be made slow."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.target = (parts.hostname or "127.0.0.1", parts.port or 5432)
        self.delay = 0.0
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        place = f"{parts.username}@127.0.0.1:{self._listening.getsockname()[1]}"
        self.url = parts._replace(netloc=place).geturl()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            office, _ = self._listening.accept()
            try:
                server = socket.create_connection(self.target)
            except OSError:
                office.close()
                continue
            for one, other in ((office, server), (server, office)):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while some := one.recv(65536):
                if self.delay:
                    time.sleep(self.delay)
                other.sendall(some)
        for each in (one, other):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
                each.close()
