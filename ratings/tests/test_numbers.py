"""Each number of a regulation stands once: in the module that uses it. Parameters and words only name it."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from string import Formatter

import pytest

from ratings import rulesets as ratings
from ratings.rulesets import rulesets
from ratings.rulesets.facts import Parameter
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.numbers import (
    WITHOUT_PLACES,
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
def test_a_message_has_a_place_for_each_number_of_the_rules(ruleset: Ruleset) -> None:
    for key, message in ruleset.words.messages.items():
        strange = strange_figures(ruleset.slug, key, message)
        if (ruleset.slug, key) in WITHOUT_PLACES:
            assert strange
            assert all(strange <= values_of(edition) for edition in ruleset.editions), key
        else:
            assert not strange, key


@every_ruleset
def test_each_named_number_of_an_edition_has_a_place_in_a_message(ruleset: Ruleset) -> None:
    places = {
        name
        for message in ruleset.words.messages.values()
        for _text, name, *_rest in Formatter().parse(message)
    }
    for edition in ruleset.editions:
        named = [each.name for each in edition.parameters if isinstance(each, Parameter) and each.name]
        assert set(named) <= places
        assert len(named) == len(set(named))


@pytest.mark.parametrize(
    ("slug", "key", "words", "clause", "value"),
    [
        ("csa", "performances-about", "four fifths", "47", Decimal("0.8")),
        ("csa", "performances-about", "half", "49", Decimal("0.5")),
        ("ssdc", "category-strong-shut-out", "candidate masters", "3.4.4", "C"),
        ("pfo", "no-award-world", "below the twentieth", "12", 20),
        ("pfo", "missed", "a tenth of", "13", Decimal("0.1")),
        ("pfo", "in-short-missed", "a tenth of", "13", Decimal("0.1")),
        ("pfo", "stays-listed", "a tenth", "13", Decimal("0.1")),
        ("pfo", "season-total", "at most four", "17", 4),
        ("pfo", "standing-about", "best four", "17", 4),
        ("mahjong", "days-about", "a quarter of its weight", "5", 4),
    ],
)
def test_a_number_in_words_is_the_one_of_the_rules(
    slug: str, key: str, words: str, clause: str, value: object
) -> None:
    ruleset = rulesets()[slug]
    assert words in ruleset.words.messages[key]
    for edition in ruleset.editions:
        singles = [each for each in edition.parameters if isinstance(each, Parameter)]
        assert value in [each.value for each in singles if each.clause == clause]


@pytest.mark.parametrize("message", ["Performance: {average} + 850 × {score}", "at most 850 points", "−850"])
def test_a_figure_in_a_message_is_found(message: str) -> None:
    assert strange_figures("csa", "performance", message) == {850}
