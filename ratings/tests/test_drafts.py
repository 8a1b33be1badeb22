"""A draft changes numbers of a regulation, and its law is what an edition with these numbers would be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from ratings.rulesets import rulesets
from ratings.rulesets.drafts import Draft, DraftError, apply_draft, read_draft
from ratings.rulesets.facts import Fact, RatedSection, State
from ratings.rulesets.parameters import Dated, Grid, Parameters
from ratings.rulesets.readings import Amendment
from ratings.rulesets.ruleset import Edition, Ruleset, enact
from ratings.tests.strategies import record

every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
MOVING = {
    "csa": ("37.per-point", "0.0015"),
    "ssdc": ("1.4.1.scale", "500"),
    "pfo": ("8.newcomer", "1500"),
    "piskvorky": ("5.span", "300"),
    "mahjong": ("5.years", "3"),
}
"""A number of each federation that moves ratings, and another value."""


def folded(ruleset: Ruleset, facts: Sequence[Fact]) -> list[Any]:
    """Every change of a record, and everybody's rating at its end, to the last digit."""
    state: State[Any] = State()
    changes = [made for _fact, made, _state in ruleset.fold(facts, state)]
    last = max((fact.on for fact in facts if isinstance(fact, RatedSection)), default=date.max)
    answers = sorted(map(str, ruleset.rules_on_or_first(last).answers(state, last)))
    return [changes, answers]


def in_the_middle(facts: Sequence[Fact]) -> date:
    days = sorted({fact.section.starts for fact in facts if isinstance(fact, RatedSection)})
    return days[len(days) // 2]


def as_enacted(ruleset: Ruleset, draft: Draft) -> Ruleset:
    """The regulations with a line of data for each number of a draft, and an amendment on its day."""
    assert draft.since
    table: Parameters = ruleset.editions[0].parameters
    for key, value in draft.parameters.items():
        table = tuple(each.with_value(key, Dated(draft.since, value, draft.name)) for each in table)
    editions = (replace(ruleset.editions[0], parameters=table),)
    amendments = (Amendment(draft.since, "As amended", {}),)
    return ruleset.with_editions(enact(editions, ruleset.words.clauses, amendments))


@every_ruleset
def test_a_draft_equal_to_the_law_moves_nobody(ruleset: Ruleset) -> None:
    facts = record(ruleset, 5, sections=4)
    key, _value = MOVING[ruleset.slug]
    same = next(number for number in cells_of(ruleset.newest) if number[0] == key)
    expected = folded(ruleset, facts)
    for parameters in ({}, dict([same])):
        for since in (None, in_the_middle(facts)):
            draft = Draft(ruleset.slug, "The law", since=since, parameters=parameters)
            assert folded(apply_draft(draft), facts) == expected


def cells_of(edition: Edition) -> Iterator[tuple[str, Any]]:
    for each in edition.parameters:
        for number in each.cells() if isinstance(each, Grid) else (each,):
            yield number.key, number.value


@every_ruleset
def test_a_draft_gives_to_the_last_digit_what_its_edition_gives_when_it_is_in_force(ruleset: Ruleset) -> None:
    moved = []
    for seed in (5, 7):
        facts = record(ruleset, seed, sections=6)
        key, value = MOVING[ruleset.slug]
        text = f'ruleset = "{ruleset.slug}"\nname = "Draft"\nfrom = {in_the_middle(facts)}\n'
        draft = read_draft(f'{text}[parameters]\n"{key}" = "{value}"\n')
        under_draft = folded(apply_draft(draft), facts)
        assert under_draft == folded(as_enacted(ruleset, draft), facts)
        moved.append(under_draft != folded(ruleset, facts))
    assert any(moved)


@pytest.mark.long
@every_ruleset
def test_so_does_a_draft_of_any_number(ruleset: Ruleset) -> None:
    facts = record(ruleset, 5, sections=6)
    for key, value in cells_of(ruleset.newest):
        if isinstance(value, str) or value is None:
            continue
        draft = Draft(ruleset.slug, "More", since=in_the_middle(facts), parameters={key: value + 1})
        assert folded(apply_draft(draft), facts) == folded(as_enacted(ruleset, draft), facts), key


@every_ruleset
def test_a_draft_moves_what_begins_on_its_day_and_nothing_that_began_the_day_before(ruleset: Ruleset) -> None:
    key, value = MOVING[ruleset.slug]
    day = max(date(2031, 1, 1), ruleset.newest.in_force + timedelta(1))
    law = apply_draft(
        read_draft(f'ruleset="{ruleset.slug}"\nname="x"\nfrom={day}\nparameters."{key}"={value}')
    )
    before, after = law.edition_on(day - timedelta(1)), law.edition_on(day)
    assert before is ruleset.newest
    assert dict(cells_of(after))[key] == Decimal(value)
    assert after.rules is not before.rules


def test_a_draft_without_a_day_holds_over_the_whole_history() -> None:
    law = apply_draft(read_draft('ruleset="csa"\nname="K"\n[parameters]\n30.1.standard = 20'))
    assert {edition.rules.formulas.K_OF_KIND["standard"] for edition in law.editions} == {20}
    assert law.figures.expected is not rulesets()["csa"].figures.expected
    assert rulesets()["csa"].editions[0].rules.formulas.K_OF_KIND["standard"] == 24


@pytest.mark.parametrize("written", ["20", '"20"', "20.0", '"2E1"'])
def test_a_value_is_a_number_or_its_text(written: str) -> None:
    draft = read_draft(
        f'ruleset="csa"\nname="K"\n[parameters]\n"30.1.standard" = {written}\n"54.games" = {written}'
    )
    assert {key: str(value) for key, value in draft.parameters.items()} == {
        "30.1.standard": "20",
        "54.games": "20",
    }


K_IN_PYTHON = """
def k_factor(track, minutes):
    if track.endswith("-standard"):
        return Decimal(20)
    return K_ONLINE_MAIN if track == "ol-main" else k_main(minutes)
"""


def test_a_rule_in_python_gives_to_the_last_digit_what_the_number_gives() -> None:
    csa = rulesets()["csa"]
    facts = [fact for fact in record(csa, 5, sections=6) if is_slow(fact)]
    text = f'ruleset="csa"\nname="K"\nfrom={in_the_middle(facts)}\n'
    by_rule = apply_draft(read_draft(f'{text}[rules]\nformulas="k.py"', {"k.py": K_IN_PYTHON}.__getitem__))
    by_number = apply_draft(read_draft(f'{text}[parameters]\n"30.1.standard" = 20'))
    assert folded(by_rule, facts) == folded(by_number, facts) != folded(csa, facts)
    assert csa.newest.rules.rating.k_factor is csa.newest.rules.formulas.k_factor


def is_slow(fact: Fact) -> bool:
    """Whether no Rapid or Blitz rating moves by the fact."""
    tracks = rulesets()["csa"].sections.tracks_of
    return isinstance(fact, RatedSection) and any("standard" in track for track in tracks(fact.section))


def test_an_edition_of_one_module_takes_one_file() -> None:
    text = 'ruleset="ssdc"\nname="K"\nrules="new.py"'
    law = apply_draft(read_draft(text, {"new.py": "def is_new(games): return games < 40"}.__getitem__))
    rules, old = law.newest.rules, rulesets()["ssdc"].newest.rules
    assert (rules.is_new(39), rules.is_new(40), old.is_new(39)) == (True, False, False)
    assert rules.k_factor.__globals__["is_new"] is rules.is_new


@pytest.mark.parametrize(
    ("rules", "trusted", "said"),
    [
        ('"k.py"', False, "only where you say that you trust them"),
        ('"../k.py"', True, "names files of Python beside the draft"),
        ("3", True, "names files of Python beside the draft"),
        ('{elsewhere = "k.py"}', True, "“csa” has no rules “elsewhere”"),
        ('{formulas = "k.py"}', True, "k.py: "),
    ],
)
def test_rules_in_python_are_files_beside_the_draft_and_run_only_where_they_are_trusted(
    rules: str, trusted: bool, said: str
) -> None:
    read = {"k.py": "def k_factor(:"}.__getitem__ if trusted else None
    with pytest.raises(DraftError) as refused:
        read_draft(f"{HEAD}rules = {rules}", read)
    assert said in str(refused.value)


HEAD = 'ruleset = "csa"\nname = "K"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ruleset = ", "no TOML file"),
        ('name = "K"', "says its “ruleset”"),
        ('ruleset = "csa"', "says its “name”"),
        ('ruleset = "cas"\nname = "K"', "There are: csa, mahjong, pfo, piskvorky, ssdc"),
        (f"{HEAD}day = 3", "no “day”"),
        (f'{HEAD}from = "1.1.2027"', "2027-01-01, not “1.1.2027”"),
        (f"{HEAD}from = 2027-01-01T10:00:00", "is a day"),
        (f"{HEAD}parameters = 3", "a table of keys and numbers"),
        (f'{HEAD}[parameters]\n"30.1.standart" = 20', "Near it are: 30.1.standard"),
        (f'{HEAD}[parameters]\n"30.1.standard" = "many"', "not “many”"),
        (f'{HEAD}[parameters]\n"30.1.standard" = true', "not “True”"),
        (f'{HEAD}[parameters]\n"30.1.standard" = nan', "not “NaN”"),
        (f'{HEAD}[parameters]\n"30.1.standard" = [20]', "not “[20]”"),
        (f'{HEAD}[parameters]\n"54.games" = "10.5"', "a whole number, not 10.5"),
        (f'{HEAD}[parameters]\n"39.performances" = 1000001', "at most 1000000"),
        (f'{HEAD}[parameters]\n"30.1.standard" = "1E-17"', "at most 16 decimals"),
    ],
)
def test_what_cannot_be_a_draft_is_refused_with_what_to_do(text: str, said: str) -> None:
    with pytest.raises(DraftError, match=None) as refused:
        read_draft(text)
    assert said in str(refused.value)


def test_a_number_that_changes_on_a_day_without_an_edition_is_refused() -> None:
    csa = rulesets()["csa"].editions[0]
    further = Dated(date(2027, 1, 1), Decimal(20), "General meeting")
    table = tuple(each.with_value("30.1.standard", further) for each in csa.parameters)
    with pytest.raises(ValueError, match="2027-01-01"):
        enact([replace(csa, parameters=table)], {}, ())
