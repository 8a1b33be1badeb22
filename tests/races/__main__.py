"""Sends two people's forms about one thing in the same moment, over and over: `python -m tests.races`.

    python -m tests.races --pairs 100                     every race of docs/faults.md, on SQLite
    .ci/with-servers python -m tests.races --pairs 100    the same on PostgreSQL
    python -m tests.races correct/approve --seed 7        one race
    python -m tests.races --off saw-section               with a guard off: the races that it is there for

Real web server, real sign-ins, two processes. The last byte of both forms is sent together. Of two deeds that
shut each other out one is done, and whoever was too late reads so; the record, what is stored and `verify`
are looked at. The exit code tells whether all was so.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from tests.kill import office_of_its_own
from tests.kill_up import House
from tests.races.every_race import RACES, SHOWN_BY, SHOWN_ON_SERVERS_BY
from tests.races.run import Figures, at_the_end, run

SHOWN = SHOWN_BY | SHOWN_ON_SERVERS_BY
NO_MAIL_SERVER = "smtp://127.0.0.1:9"


def main(options: argparse.Namespace) -> int:
    names = options.race or list(SHOWN[options.off] if options.off else RACES)
    database = "PostgreSQL" if os.environ["DATABASE_URL"].startswith("postgres") else "SQLite"
    from tests.races.scene import make

    print(f"seed {options.seed}", flush=True)
    house = House(Path(os.environ["VAR_DIR"]), without=options.off, within=90.0)
    house.settings = {"EMAIL_URL": NO_MAIL_SERVER}  # letters stay where they can be counted
    scene = make(house, options.seed)
    well = True
    try:
        house.start()
        begun = time.monotonic()
        for name in names:
            if time.monotonic() - begun > options.limit:
                print(f"left out, the time is over: {name}")
                continue
            figures = Figures(name, database, options.seed, options.off)
            run(RACES[name], scene, figures, options.pairs)
            tell(figures, options)
            well = well and figures.well
        differences = at_the_end(scene)
    finally:
        house.end()
    for difference in differences[:20]:
        print(f"verify: {difference}")
    if not differences:
        print("verify finds no difference")
    return 0 if well and not differences else 1


def tell(figures: Figures, options: argparse.Namespace) -> None:
    print(figures.line(), flush=True)
    for words, count in figures.refusals.most_common():
        print(f"{count:>5} × {words[:400]}")
    for fault in figures.faults[:5]:
        print(f"  WRONG {fault}")
    sys.stdout.flush()
    if options.log:
        with options.log.open("a") as log:
            log.write(figures.line() + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("race", nargs="*", help="these races alone")
    parser.add_argument("--pairs", type=int, default=100, help="of each race")
    parser.add_argument("--limit", type=float, default=7200.0, help="seconds after which no race begins")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--off", choices=sorted(SHOWN), default="", help="switch one guard off")
    parser.add_argument("--log", type=Path, help="a file for the figures")
    given = parser.parse_args()
    with office_of_its_own():
        sys.exit(main(given))
