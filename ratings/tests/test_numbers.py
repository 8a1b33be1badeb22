"""Each number of a regulation stands once: in the module that uses it. Parameters and words only name it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import ratings.rulesets
from ratings.law.parameters import Parameter
from ratings.law.ruleset import Ruleset
from ratings.rulesets import rulesets
from ratings.tests.numbers import figures_repeated, strange_figures, values_of

ROOMS = (Path(ratings.rulesets.__path__[0]), Path(__file__).parent / "amended")
FILES = sorted(path for room in ROOMS for path in room.glob("*/edition_*/parameters.py"))
every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parts[-3]}-{path.parts[-2]}")
def test_a_parameter_s_value_is_a_named_constant_and_never_a_figure_of_its_own(path: Path) -> None:
    assert list(figures_repeated(path.read_text("utf-8"))) == []


def test_every_edition_says_its_numbers_in_a_parameters_module() -> None:
    folders = {folder for room in ROOMS for folder in room.glob("*/edition_*") if folder.is_dir()}
    assert {path.parent for path in FILES} == folders
    for ruleset in rulesets().values():
        assert all(edition.parameters for edition in ruleset.editions)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('Parameter("32", "Points", formulas.SPAN)', []),
        ('Parameter("61", "Days", days.DAYS[""][1])', []),
        ('Parameter("32", "Points", 850)', ["line 1: 850"]),
        ('Parameter("32", "Points", Decimal("0.5"))', ["line 1: Decimal('0.5')"]),
        ('Parameter("32", "Points", formulas.SPAN + 1)', ["line 1: formulas.SPAN + 1"]),
        ('Grid("59", "Ages", ("Age",), tuple(enumerate(ages.POINTS, start=1)))', []),
        ('Grid("59", "Ages", ("Age",), ((ages.FIRST, 1400),))', ["line 1: 1400"]),
    ],
)
def test_a_figure_that_is_written_again_is_found(source: str, found: list[str]) -> None:
    assert list(figures_repeated(source)) == found


@every_ruleset
def test_a_figure_in_the_words_is_a_number_of_an_edition(ruleset: Ruleset) -> None:
    """That a working tells the numbers of its own edition, `test_every_ruleset` asks of each step."""
    for key in ruleset.messages:
        assert any(not strange_figures(ruleset, edition, key) for edition in ruleset.editions), key


def test_32_a_message_that_tells_the_span_of_before_an_amendment_is_found() -> None:
    csa = rulesets()["csa"]
    [span] = [each for each in csa.newest.parameters if isinstance(each, Parameter) and each.clause == "32"]
    others = tuple(each for each in csa.newest.parameters if each is not span)
    amended = replace(csa.newest, parameters=(*others, replace(span, value=800)))
    assert values_of(csa.newest) - values_of(amended) == {850}
    assert strange_figures(csa, amended, "performance") == {850}
