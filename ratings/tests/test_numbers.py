"""Each number of a regulation stands once, in its table of parameters; rules read it there."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from string import Formatter
from typing import Any

import pytest

from ratings.rulesets import rulesets
from ratings.rulesets.parameters import Numbers, Parameter, load_rules, numbers_by_key
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.numbers import WITHOUT_PLACES, strange_figures, values_of

pytestmark = pytest.mark.servers

every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())


@every_ruleset
def test_the_rules_read_each_number_of_the_table(ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    read: set[str] = set()

    def reading(method: Callable[[Numbers, str], Any]) -> Callable[[Numbers, str], Any]:
        def read_key(self: Numbers, key: str) -> Any:
            read.add(key)
            return method(self, key)

        return read_key

    for name in ("decimal", "whole", "text", "rows"):
        monkeypatch.setattr(Numbers, name, reading(getattr(Numbers, name)))
    for edition in ruleset.editions:
        load_rules(edition.rules, edition.parameters)
    assert read == {each.key for edition in ruleset.editions for each in edition.parameters}


@every_ruleset
def test_a_number_s_key_begins_with_its_clause_and_is_its_own(ruleset: Ruleset) -> None:
    for edition in ruleset.editions:
        numbers = numbers_by_key(edition.parameters)
        assert all(key.startswith(f"{each.clause}.") for key, each in numbers.items())
        keys = [each.key for each in edition.parameters]
        assert len(keys) == len(set(keys))


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
