"""How much memory an office takes: `python -m benchmarks.memory`, on Linux.

`up` with the demo, asked for some pages and left alone; then each process and all together, with pages
that they share counted once (PSS). `--games` puts an office of so many games, ten for each player, beside
the demo;
`--folder` keeps both for the next time.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from benchmarks import load_office
from tests.ports import free_port
from tests.rooms import below, use_of

ROOT = Path(__file__).resolve().parent.parent
SETTLED = 40.0
"""Seconds, of more than one sweep, after which the memory is looked at."""


def measure(folder: Path, games: int, pages: int, processes: str) -> None:
    os.environ |= {"VAR_DIR": str(folder), "LOG_LEVEL": "ERROR", "NO_BOOTSTRAP": "1"}
    os.environ["DJANGO_SETTINGS_MODULE"] = "federation_site.settings"
    load_office.set_up([], 1.0, games)
    addresses = load_office.pages(pages, random.Random(1)).fixed
    port = free_port()
    command = [sys.executable, "manage.py", "up", "--port", str(port)]
    told = {**os.environ, "WEB_PROCESSES": processes} if processes else dict(os.environ)
    begun = time.monotonic()
    up = subprocess.Popen(command, cwd=ROOT, env=told, stdout=subprocess.PIPE, text=True)
    try:
        assert up.stdout
        for line in up.stdout:
            if line.startswith("The office is open"):
                break
        print(f"open after {time.monotonic() - begun:.1f} s")
        for address in addresses:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{address}", timeout=60) as answer:
                answer.read()
        time.sleep(SETTLED)
        for pid in below(up.pid):
            name = Path(f"/proc/{pid}/comm").read_text().strip()
            print(f"{use_of(pid, alone=True).megabytes:6} MB  {name}")
        count = len(below(up.pid))
        print(f"{use_of(up.pid).megabytes:6} MB  in {count} processes, {len(addresses)} pages asked for")
    finally:
        up.send_signal(signal.SIGINT)
        up.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=0, help="of an office beside the demo (default: none)")
    parser.add_argument("--pages", type=int, default=100, help="how many are asked for (default: 100)")
    parser.add_argument("--processes", default="", help="WEB_PROCESSES (default: the office's own)")
    parser.add_argument("--folder", type=Path, help="where the offices are kept (default: nowhere)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        measure(options.folder or Path(scratch), options.games, options.pages, options.processes)


if __name__ == "__main__":
    main()
