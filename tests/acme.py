"""An authority that certifies names on a test's own network: Pebble, and Debian's certbot, which asks it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.rooms import below

ADDRESS = "https://localhost:14000/dir"
ROOT = "https://localhost:15000/roots/0"
Inside = Callable[[Sequence[str]], list[str]]
"""Makes a command line run where the site's name leads to the site."""


def certbot(place: str, python: str, *options: str) -> str:
    """A script that is certbot, told of the authority whose files lie in `place`."""
    own = f"env -u PYTHONPATH -u LD_LIBRARY_PATH REQUESTS_CA_BUNDLE={place}/own.pem {python} /usr/bin/certbot"
    return f'#!/bin/sh\nexec {own} --server {ADDRESS} {" ".join(options)} "$@"\n'


@contextmanager
def authority(
    folder: Path, inside: Inside, *, place: str = "", port: int = 80, seconds: int = 90 * 86400
) -> Iterator[None]:
    """Run it while it is needed. `folder`, named `place` inside, gets `root.pem`, which certificates hang on.

    It looks at `port` of a name for what proves that the name is the asker's, and certifies it for `seconds`.
    """
    folder.mkdir()
    place = place or str(folder)
    made = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 9 -subj /CN=localhost -keyout own.key -out own.pem"
    )
    named = ["-addext", "subjectAltName=DNS:localhost"]
    subprocess.run([*made.split(), *named], cwd=folder, check=True, capture_output=True)
    told = {
        "listenAddress": "127.0.0.1:14000",
        "managementListenAddress": "127.0.0.1:15000",
        "certificate": f"{place}/own.pem",
        "privateKey": f"{place}/own.key",
        "httpPort": port,
        "tlsPort": 5001,
        "certificateValidityPeriod": seconds,
    }
    (folder / "told").write_text(json.dumps({"pebble": told}))
    run = f"env PEBBLE_VA_NOSLEEP=1 PEBBLE_WFE_NONCEREJECT=0 pebble -config {place}/told"
    with (folder / "log").open("wb") as log:
        running = subprocess.Popen(inside(run.split()), stdout=log, stderr=log)
    ask = inside(["curl", "--silent", "--fail", "--cacert", f"{place}/own.pem", ROOT])
    try:
        deadline = time.monotonic() + 30
        while (root := subprocess.run(ask, capture_output=True)).returncode:
            assert time.monotonic() < deadline, (folder / "log").read_text()
            time.sleep(0.3)
        (folder / "root.pem").write_bytes(root.stdout)
        yield
    finally:
        end_all_below(running)


def end_all_below(running: subprocess.Popen[bytes]) -> None:
    """End a process with all that it started, in whatever room."""
    for pid in below(running.pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    running.wait()
