"""Mutation testing: small faults are put into the sources, and the tests have to see them (docs/faults.md).

    python -m tests.mutants [--rules 600] [--rest 200] [--seed 7]

mutmut makes the faults and runs the tests. This chooses the mutants, prints the seed, and gives each only the
tests that reach its function, those that reach few other functions first, so that a mutant costs seconds.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.mutation_stats import FAILED

ROOT = Path(__file__).resolve().parent.parent
MUTANTS = ROOT / "mutants"
STATS = MUTANTS / "mutmut-stats.json"
WHOLE_MAP = MUTANTS / "all-tests.json"
RULES = ("ratings.rulesets.",)
FIRST = "ratings.rulesets.facts.*"
"""A few mutants with which the sources are mutated and every test is seen once."""
QUICK, LONG = 15.0, 90.0
"""Seconds of tests that a mutant is tried with: at first, and again where it survived."""
KILLED = {"killed", "timeout", "segfault", "suspicious"}

Names = list[str]


def main(arguments: list[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    seed = random.randrange(10**6) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    if not STATS.exists():
        mutmut("run", "--max-children", str(given.jobs), FIRST)
        WHOLE_MAP.write_bytes(STATS.read_bytes())
    rules, rest = chosen(sorted(statuses()), seed, given.rules, given.rest)
    attempt([*rules, *rest], QUICK, given.jobs)
    found = statuses()
    if survivors := [name for name in (*rules, *rest) if found[name] == "survived"]:
        attempt(survivors, LONG, given.jobs)
    found = statuses()
    for title, names, target in (("rules", rules, 0.85), ("rest", rest, 0.75)):
        report(title, {name: found[name] for name in names}, target)
    return 0


def statuses() -> dict[str, str]:
    """What became of each mutant, by its name; `not checked` where it was not tried."""
    from mutmut.stats import status_by_exit_code

    found: dict[str, str] = {}
    for path in MUTANTS.rglob("*.py.meta"):
        codes: Mapping[str, int | None] = json.loads(path.read_text())["exit_code_by_key"]
        found |= {name: status_by_exit_code[code] for name, code in codes.items()}
    return found


def chosen(names: Names, seed: int, rules: int, rest: int) -> tuple[Names, Names]:
    """So many at random of the rules, and of everything else; 0 takes all."""
    drawn = random.Random(seed)
    of_rules = [name for name in names if name.startswith(RULES)]
    others = [name for name in names if not name.startswith(RULES)]
    return _some(drawn, of_rules, rules), _some(drawn, others, rest)


def _some(drawn: random.Random, names: Names, count: int) -> Names:
    return sorted(drawn.sample(names, min(count or len(names), len(names))))


def attempt(names: Names, seconds: float, jobs: int) -> None:
    """Try mutants with so many seconds of tests each."""
    stats = json.loads(WHOLE_MAP.read_text())
    failed = set((MUTANTS / FAILED).read_text().splitlines())
    reached_by = stats["tests_by_mangled_function_name"]
    tests = {function: sorted({*found} - failed) for function, found in reached_by.items()}
    stats["tests_by_mangled_function_name"] = tests
    reach = Counter(test for reached in tests.values() for test in set(reached))
    for function in {name.rpartition("__mutmut_")[0] for name in names}:
        tests[function] = nearest(tests.get(function, []), reach, stats["duration_by_test"], seconds)
    STATS.write_text(json.dumps(stats))
    mutmut("run", "--max-children", str(jobs), *names)


def nearest(
    tests: Iterable[str], reach: Mapping[str, int], durations: Mapping[str, float], seconds: float
) -> Names:
    """Of the tests that reach a function those that reach the fewest others, as many as fit into the time."""
    taken: Names = []
    for test in sorted(tests, key=lambda test: (reach[test], test)):
        if taken and durations[test] > seconds:
            continue
        taken.append(test)
        seconds -= durations[test]
    return taken


def mutmut(*arguments: str) -> None:
    command = [str(Path(sys.executable).with_name("mutmut")), *arguments]
    with (ROOT / "mutants.log").open("ab") as log:
        done = subprocess.run(command, cwd=ROOT, stdout=log, stderr=log)
    if done.returncode:
        raise SystemExit(f"mutmut ended with {done.returncode}: see mutants.log")


def report(title: str, found: Mapping[str, str], target: float) -> None:
    """How many were killed, and each that was not, for `mutmut show`."""
    killed = sum(status in KILLED for status in found.values())
    share = killed / max(len(found), 1)
    print(f"{title}: {killed} of {len(found)} killed, {share:.1%} (wanted: {target:.0%})")
    print(f"  {dict(Counter(found.values()))}")
    for name, status in sorted(found.items()):
        if status not in KILLED:
            print(f"  {status}: {name}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--rules", type=int, default=600, help="mutants of the law; 0: all of them")
    parser.add_argument("--rest", type=int, default=200, help="mutants of everything else; 0: all of them")
    parser.add_argument("--seed", type=int, help="which are drawn (default: drawn, and printed)")
    parser.add_argument("--jobs", type=int, default=2, help="how many are tried at a time")
    return parser


if __name__ == "__main__":
    sys.exit(main())
