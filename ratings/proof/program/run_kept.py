"""Runs a kept build of `ratings.pyz` on a journal and lists, as a reader outside would."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from ratings.proof.program.build import Program
from ratings.storage.unfinished import unfinished_folder

SECONDS = 900
"""The most that one check of an office's old lists may take."""


def check_with(program: Program, journal: Sequence[str], lists: Sequence[bytes]) -> str:
    """Check lists' JSON files against a journal's lines with a kept program; return its first complaint, or
    nothing.

    The program runs in an empty folder, without environment, as the record vouches for it; nothing is sent to
    it but these files.
    """
    with unfinished_folder() as place:
        (place / program.name).write_bytes(program.content)
        (place / "journal.ndjson").write_text("".join(f"{line}\n" for line in journal), encoding="utf-8")
        names = [f"{number}.json" for number in range(len(lists))]
        for name, content in zip(names, lists, strict=True):
            (place / name).write_bytes(content)
        command = [sys.executable, "-I", "-B", "-X", "utf8", program.name, "check", "journal.ndjson", *names]
        try:
            ran = subprocess.run(
                command, cwd=place, env={}, capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return f"it was not done after {SECONDS} seconds"
        return "" if ran.returncode == 0 else (ran.stderr.strip() or ran.stdout.strip() or "it failed")[:500]
