"""`ratings.lab` on a generated csa journal, with a draft, beside one replay of it.

    python -m benchmarks.lab [GAMES …]        default: 100000

Both are run as a user runs them, journal in, JSON out; seconds are of the processor, and peaks of memory are
of the whole process. The aim: at most four times the replay, and 1 GB, for 1,000,000 games.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.generate import journal_lines

DRAFT = """\
ruleset = "csa"
name = "K of 20"
[parameters]
"30.1.standard" = "20"
"31.share" = "0.2"
"""


def measure(games: int) -> None:
    with TemporaryDirectory() as folder:
        journal, draft = Path(folder, "journal.ndjson"), Path(folder, "draft.toml")
        with journal.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(journal_lines(games))
        draft.write_text(DRAFT, encoding="utf-8")
        replay, _peak = run("ratings.replay", str(journal))
        lab, peak = run("ratings.lab", str(journal), str(draft), "--json")
    print(
        f"{games:>9,} games: replay {replay:6.2f} s, lab {lab:6.2f} s, ratio {lab / replay:.2f}; "
        f"the lab's peak is {peak:.0f} MB",
        flush=True,
    )


def run(module: str, *arguments: str) -> tuple[float, float]:
    """The processor's seconds and the peak megabytes of a program of this project."""
    with subprocess.Popen([sys.executable, "-m", module, *arguments], stdout=subprocess.DEVNULL) as process:
        _pid, status, used = os.wait4(process.pid, 0)
        process.returncode = status
    if status:
        raise SystemExit(f"{module} ended with {status}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", type=int, nargs="*", default=[100_000])
    for size in parser.parse_args().games:
        measure(size)
