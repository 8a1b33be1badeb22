"""Clause by clause, both ways: each of the text stands in the index, and each of the index in the code."""

from __future__ import annotations

import re
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest

from ratings import rulesets as ratings
from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of, form_fields
from ratings.rulesets.readings import Enacted
from ratings.rulesets.ruleset import Ruleset
from ratings.tests import reached
from ratings.tests.reached import CITATION, carried_out, used_in

every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())


def under(clause: str, *parts: int) -> list[str]:
    """The clause and those right under it: `under("3.4", 7)` is 3.4, 3.4.1 … 3.4.7."""
    return [clause, *(f"{clause}.{number}" for last in parts for number in range(1, last + 1))]


SUBCLAUSES = {
    "csa": {
        "4": 4, "5": 7, "13": 5, "14": 2, "14.1": 5, "14.2": 2, "15": 4, "17": 4, "20": 3, "24": 3, "25": 4,
        "26": 3, "30": 3, "41": 3, "53": 3, "59": 9, "61": 2,
    },
    "ssdc": {
        "1.4": 2, "1.5": 2, "1.6": 1, "1.7": 3, "1.8": 1, "2.3": 2, "2.4": 2, "2.5": 2, "3.4": 7, "4.1": 1,
        "4.2": 2, "4.3": 1, "4.5": 1,
    },
    "mahjong": {"1": 6},
}  # fmt: skip
ARTICLES = {
    "csa": [str(number) for number in range(1, 70)],
    "ssdc": [
        f"{part}.{number}"
        for part, last in enumerate((8, 5, 5, 6, 2), start=1)
        for number in range(1, last + 1)
    ],
    "pfo": ["preamble", *(str(number) for number in range(1, 18))],
    "piskvorky": [str(number) for number in range(1, 8)],
    "mahjong": [str(number) for number in range(1, 7)],
}
"""The numbers of each text, counted in the text itself; further federations' stand in `<slug>_cases.py`."""
DECISIONS = {"csa": 21, "ssdc": 10, "pfo": 9, "piskvorky": 7, "mahjong": 8}
"""How many questions each text leaves open; further readings of this house's own come after them."""


def text_of(slug: str) -> set[str]:
    articles = set(ARTICLES.get(slug) or import_module(f"ratings.tests.{slug}_cases").ARTICLES)
    for clause, last in SUBCLAUSES.get(slug, {}).items():
        articles.update(under(clause, last))
    return articles


def newest_of(ruleset: Ruleset) -> set[str]:
    return set(ruleset.clauses_of(ruleset.newest))


def of_all_editions(ruleset: Ruleset) -> set[str]:
    return {clause for edition in ruleset.editions for clause in ruleset.clauses_of(edition)}


def cited_in(ruleset: Ruleset) -> set[str]:
    found: set[str] = set()
    for path in (Path(ratings.__path__[0]) / ruleset.slug).rglob("*.py"):
        if path.name != "clauses.py":
            found.update(a or b for a, b in CITATION.findall(path.read_text("utf-8")))
    return found


def enacted_of(ruleset: Ruleset) -> Enacted:
    enacted = equipment_of(ruleset).publication.enacted
    assert enacted is not None
    return enacted


@every_ruleset
def test_the_index_holds_each_clause_of_the_text_and_no_other(ruleset: Ruleset) -> None:
    decisions = {clause for clause in newest_of(ruleset) if clause.startswith("D-")}
    assert newest_of(ruleset) - decisions == text_of(ruleset.slug)
    numbers = sorted(int(decision.rpartition("-")[2]) for decision in decisions)
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= DECISIONS.get(ruleset.slug, 0)


@every_ruleset
def test_each_clause_is_carried_out_by_what_is_reached_or_said_not_to_be_with_a_reason(
    ruleset: Ruleset,
) -> None:
    enacted = enacted_of(ruleset)
    assert newest_of(ruleset) - carried_out(ruleset.slug) == set(enacted.not_computed)
    assert set(enacted.partly_computed) <= carried_out(ruleset.slug)
    for why in (*enacted.not_computed.values(), *enacted.partly_computed.values()):
        assert len(why.split()) > 4
        assert why.endswith(".")


@every_ruleset
def test_what_is_told_beside_a_clause_is_told_beside_one_of_the_index(ruleset: Ruleset) -> None:
    enacted = enacted_of(ruleset)
    beside = {number for number, _words in enacted.smaller_readings}
    assert beside.union(*enacted.settings.values()) <= newest_of(ruleset)
    assert enacted.source.title
    assert enacted.source.issued_by


def test_what_nobody_calls_is_not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    extract = ("ratings.rulesets.ssdc.edition_2017", "extract")
    assert extract in reached.reached("ssdc")
    monkeypatch.setattr(reached, "used_in", lambda node: set(used_in(node)) - {"edition_2017.extract"})
    reached.module_of.cache_clear()
    assert extract not in reached.reached("ssdc")
    reached.module_of.cache_clear()


def hooks() -> list[str]:
    """What a ruleset hands over to be called, beside what every edition has."""
    own = [each.name for each in fields(Ruleset) if "Callable" in str(each.type)]
    return [*own, *reached.OF_EVERY_EDITION]


@pytest.mark.parametrize("hook", hooks())
def test_what_a_ruleset_hands_over_is_called_by_the_office(hook: str) -> None:
    root = Path(ratings.__path__[0]).parents[1]
    own = [root / "ratings/rulesets/ruleset.py", *(root / "ratings/rulesets").glob("journal*.py")]
    apps = (path for app in ("players", "tournaments", "ratings") for path in (root / app).rglob("*.py"))
    office = [path for path in apps if "tests" not in path.parts and "rulesets" not in path.parts]
    assert any(re.search(rf"\.{hook}\b", path.read_text("utf-8")) for path in (*office, *own))


@every_ruleset
def test_each_citation_is_of_a_clause_or_of_a_whole_part_of_the_text(ruleset: Ruleset) -> None:
    clauses = of_all_editions(ruleset)
    parts = {clause.partition(".")[0] for clause in clauses}
    assert cited_in(ruleset) <= clauses | parts


@every_ruleset
def test_what_is_asked_or_confirmed_names_a_clause_of_the_index(ruleset: Ruleset) -> None:
    asked = {field.clause for field in form_fields(ruleset) if field.clause}
    confirmed = {said.clause for said in equipment_of(ruleset).office.confirmations}
    assert asked | confirmed <= newest_of(ruleset)
