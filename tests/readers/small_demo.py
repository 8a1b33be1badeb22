"""`python -m tests.readers.small_demo`: small demos of all offices, in the database that `up` made."""

from __future__ import annotations

import subprocess
import sys

from tests.browser import ROOT

SMALL = (("0.1", ("csa",)), ("0.5", ("mahjong", "pfo", "piskvorky", "ssdc")))
"""Shares of whole offices' players and events, and whose they are."""


def fill() -> None:
    for scale, offices in SMALL:
        command = [sys.executable, "manage.py", "demo", "--scale", scale, *offices]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    fill()
