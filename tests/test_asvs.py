"""The answers to ASVS 5.0.0 (docs/asvs.md): each point of levels 1 and 2 once, each with tests that exist.

`asvs_5_0_0_levels.txt` holds the levels of each section's points, in their order.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STATES = ("met", "not applicable", "open")
ENTRY = re.compile(r"- \*\*(?P<numbers>[\d., ]+)\*\* [^*]+: \*\*(?P<state>[a-z, ]+)\*\*\.?(?P<why>.*)")
TEST = re.compile(r"    - `(?P<path>[\w/]+\.py)::(?P<name>\w+)`")


@dataclass(frozen=True, slots=True)
class Answered:
    """One entry of the page: the points that it answers, and the tests that hold the answer."""

    numbers: tuple[str, ...]
    state: str
    why: str
    tests: tuple[tuple[str, str], ...]


def levels() -> dict[str, int]:
    """The level of each point, by its number."""
    lines = (ROOT / "tests/asvs_5_0_0_levels.txt").read_text().splitlines()
    sections = dict(line.split(":") for line in lines)
    return {
        f"{section}.{place}": int(level)
        for section, points in sections.items()
        for place, level in enumerate(points.split(), start=1)
    }


@cache
def answered() -> tuple[Answered, ...]:
    page = re.sub(r"\n  (?! )", " ", (ROOT / "docs/asvs.md").read_text().split("\n## ", 1)[1])
    found: list[Answered] = []
    for line in page.splitlines():
        if match := ENTRY.fullmatch(line):
            numbers = tuple(match["numbers"].split(", "))
            found.append(Answered(numbers, match["state"], match["why"].strip(), ()))
        elif match := TEST.fullmatch(line):
            last = found.pop()
            tests = (*last.tests, (match["path"], match["name"]))
            found.append(Answered(last.numbers, last.state, last.why, tests))
        else:
            assert not line.strip() or re.match(r"(## )?V\d+ ", line), f"neither an answer nor a test: {line}"
    return tuple(found)


@cache
def functions_of(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}


def test_the_standard_has_the_points_that_it_is_known_to_have() -> None:
    assert Counter(levels().values()) == {1: 70, 2: 183, 3: 92}


def test_each_point_of_levels_1_and_2_is_answered_once_and_no_other() -> None:
    numbers = Counter(number for each in answered() for number in each.numbers)
    assert numbers == Counter(number for number, level in levels().items() if level < 3)


def test_an_answer_has_a_known_state_and_says_what_that_state_needs() -> None:
    for each in answered():
        assert each.state in STATES, each
        assert bool(each.tests) or each.state != "met", f"met by no test: {each}"
        assert not each.tests or each.state in ("met", "open"), f"tested and yet not met: {each}"
        assert each.why or each.state == "met", f"without a reason: {each}"


def test_each_test_that_an_answer_names_exists() -> None:
    named = {test for each in answered() for test in each.tests}
    assert {(path, name) for path, name in named if name not in functions_of(path)} == set()


def test_the_page_on_security_counts_the_answers_and_names_each_open_point() -> None:
    page = (ROOT / "docs/security.md").read_text()
    counts = Counter((each.state, levels()[number]) for each in answered() for number in each.numbers)
    for state in STATES:
        assert f"| {state} | {counts[state, 1]} | {counts[state, 2]} |" in page
    named = re.findall(r"^- \*\*([\d., ]+)\*\*", page, re.MULTILINE)
    told = [number for numbers in named for number in numbers.split(", ")]
    assert told == [number for each in answered() if each.state == "open" for number in each.numbers]


def test_whoever_found_a_hole_reads_where_to_tell_it() -> None:
    assert "(../SECURITY.md)" in (ROOT / "docs/security.md").read_text()
    assert "report" in (ROOT / "SECURITY.md").read_text()
