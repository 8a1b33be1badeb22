"""Says whether a program that runs alone in its container or unit still does anything, and ends it if not:

    python -m federation_site.liveness [--ask URL] --silent 90 --end 300

The program's main process notes every few seconds that its loop goes round: in LIVENESS_FILE, with its
number, and to systemd's watchdog where that listens. A web server is asked instead, and each answer is noted.
Standard library only: it is started anew every half minute.
"""

import argparse
import os
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

NOTE_INTERVAL_SECONDS = 5.0
"""How often programs note that they are alive."""


def is_watched() -> bool:
    """Whether the liveness of this process is monitored."""
    return bool(os.environ.get("LIVENESS_FILE") or os.environ.get("WATCHDOG_USEC"))


def note_alive() -> None:
    """Note that this process is alive, in LIVENESS_FILE and to systemd's watchdog."""
    if path := os.environ.get("LIVENESS_FILE"):
        Path(path).write_text(f"{os.getpid()}\n")
    if "WATCHDOG_USEC" in os.environ and (address := os.environ.get("NOTIFY_SOCKET")):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd, suppress(OSError):
            systemd.sendto(b"WATCHDOG=1", address.replace("@", "\0", 1))


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def check_or_kill(file: Path, *, ask: str, silent: float, end: float) -> str:
    """A message if a program was silent for more than `silent` seconds, else empty; kill it after `end`.

    `file`: the program's LIVENESS_FILE; `ask`: a URL whose answer counts as a note.
    """
    if not file.exists():
        return f"{file} is not there: the program has not begun."
    if ask and answers(ask):
        os.utime(file)
    seconds = time.time() - file.stat().st_mtime
    if seconds > end:
        with suppress(OSError, ValueError):
            os.kill(int(file.read_text()), signal.SIGKILL)
        return f"Nothing was noted for {seconds:.0f} s: killed, to be started again."
    return f"Nothing was noted for {seconds:.0f} s." if seconds > silent else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ask", default="", metavar="URL")
    parser.add_argument("--silent", type=float, required=True, metavar="SECONDS")
    parser.add_argument("--end", type=float, required=True, metavar="SECONDS")
    options = vars(parser.parse_args())
    sys.exit(check_or_kill(Path(os.environ["LIVENESS_FILE"]), **options) or 0)


if __name__ == "__main__":
    main()
