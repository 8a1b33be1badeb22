"""Each number of a regulation stands once: in the module that uses it. Parameters and words only name it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ratings import rulesets as ratings
from ratings.rulesets import rulesets
from ratings.rulesets.facts import Parameter
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.numbers import (
    clauses_beside,
    figures_repeated,
    is_cited,
    numbers_named,
    strange_figures,
    values_of,
)

pytestmark = pytest.mark.servers

ROOMS = (Path(ratings.__path__[0]), Path(__file__).parent / "amended")
EDITIONS = sorted(path for room in ROOMS for path in room.glob("*/edition_*") if path.name != "__pycache__")
FILES = sorted(
    path
    for edition in EDITIONS
    for path in ([edition] if edition.suffix else edition.rglob("*.py"))
    if "PARAMETERS" in path.read_text("utf-8")
)
every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())


def name_of_edition(path: Path) -> str:
    """`csa-edition_2020`, of the edition's module, its package or a module in it."""
    at = next(at for at, part in enumerate(path.parts) if part.startswith("edition_"))
    return f"{path.parts[at - 1]}-{path.parts[at].removesuffix('.py')}"


@pytest.mark.parametrize("path", FILES, ids=name_of_edition)
def test_a_parameter_s_value_is_a_named_constant_and_never_a_figure_of_its_own(path: Path) -> None:
    assert list(figures_repeated(path.read_text("utf-8"))) == []


@pytest.mark.parametrize("path", FILES, ids=name_of_edition)
def test_a_number_stands_in_a_dated_edition_and_not_in_what_editions_share(path: Path) -> None:
    assert [named for named in numbers_named(path) if ".edition_" not in named[1]] == []


@pytest.mark.parametrize("path", FILES, ids=name_of_edition)
def test_a_number_stands_with_its_clause(path: Path) -> None:
    """One that an amendment left alone stands with the clause of the edition before it."""
    own = f".{name_of_edition(path).replace('-', '.')}."
    of_this = [named for named in numbers_named(path) if own in f"{named[1]}."]
    assert [named for named in of_this if not is_cited(named[0], clauses_beside(*named[1:]))] == []


def test_the_numbers_that_an_edition_names_are_found_where_they_stand() -> None:
    [path] = [path for path in FILES if "csa" in path.parts]
    found = set(numbers_named(path))
    formulas = "ratings.rulesets.csa.edition_2020.formulas"
    assert {("30.2", formulas, "K_OF_KIND"), ("45", formulas, "FLOOR")} <= found
    assert clauses_beside(formulas, "K_OF_KIND") == {"30.1", "30.2", "30.3"}
    assert clauses_beside(formulas, "FLOOR") == {"45", "46"}
    assert clauses_beside(formulas, "NO_SUCH_NAME") == set()


@pytest.mark.parametrize(("clause", "cited"), [("59", {"59.1"}), ("59", {"59"}), ("D-X-1", {"3", "D-X-1"})])
def test_a_clause_is_cited_by_itself_or_by_a_part_of_it(clause: str, cited: set[str]) -> None:
    assert is_cited(clause, cited)


@pytest.mark.parametrize(("clause", "cited"), [("59", {"591", "5"}), ("59.1", {"59"}), ("59", set())])
def test_a_clause_is_not_cited_by_another_of_like_number_nor_by_the_whole(
    clause: str, cited: set[str]
) -> None:
    assert not is_cited(clause, cited)


def test_every_edition_says_its_numbers_in_a_parameter_table() -> None:
    assert {name_of_edition(path) for path in FILES} == {name_of_edition(path) for path in EDITIONS}
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
    for key in ruleset.words.messages:
        assert any(not strange_figures(ruleset, edition, key) for edition in ruleset.editions), key


def test_32_a_message_that_tells_the_span_of_before_an_amendment_is_found() -> None:
    csa = rulesets()["csa"]
    [span] = [each for each in csa.newest.parameters if isinstance(each, Parameter) and each.clause == "32"]
    others = tuple(each for each in csa.newest.parameters if each is not span)
    amended = replace(csa.newest, parameters=(*others, replace(span, value=800)))
    assert values_of(csa.newest) - values_of(amended) == {850}
    assert strange_figures(csa, amended, "performance") == {850}
