"""What CI leaves for the next day is run on the next day; what everyday tests leave out, by some target."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conftest import in_share

pytestmark = pytest.mark.no_database
NAMES = [f"tests/test_browser.py::test_something[{number}]" for number in range(200)]


@pytest.mark.parametrize("of", [1, 2, 3])
def test_each_test_is_in_one_of_the_shares_and_no_share_is_nearly_empty(of: int) -> None:
    shares = [[name for name in NAMES if in_share(name, f"{which}/{of}")] for which in range(1, of + 1)]
    assert sorted(name for share in shares for name in share) == sorted(NAMES)
    assert all(len(share) > 150 // of for share in shares)


def test_no_target_that_names_a_file_leaves_out_tests_there_that_take_long() -> None:
    """Where a command says nothing of kinds, pytest looks for everyday tests alone."""
    root = Path(__file__).resolve().parent.parent
    commands = re.findall(
        r"^\t.*bin/pytest (.*)$", (root / "Makefile").read_text().replace("$(BIN)", "bin"), re.M
    )
    assert len(commands) > 10
    for command in commands:
        for named in re.findall(r"\S+\.py", command):
            assert "-m " in command or "mark.long" not in (root / named).read_text(), command


def test_each_kind_of_tests_that_is_left_out_of_everyday_has_a_target() -> None:
    root = Path(__file__).resolve().parent.parent
    [left_out] = re.findall(r"-m '(not .*?)'\"", (root / "pyproject.toml").read_text())
    kinds = set(re.findall(r"not (\w+)", left_out))
    assert len(kinds) == 8
    assert kinds <= set(re.findall(r"-m '?(\w+)", (root / "Makefile").read_text()))
