"""The category calculator: anybody's answers, the category that follows, and each step's clause (SSDC 3)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from conftest import appointed
from players.models import Federation, Ledger, Region, Role
from players.writing import page_cache
from ratings.rulesets import rulesets
from ratings.rulesets.profile import Calculator, equipment_of, form_fields
from ratings.tests.office import register, submitted
from tests.built_once import built_once
from tournaments.findings import filing_url
from tournaments.models import Section, Stage

PAGE = "/ssdc/tables/category/"


@pytest.fixture
@built_once
def ssdc(db: None) -> Federation:
    page_cache.clear()
    office = Federation.objects.create(code="ssdc", name="Dots", ruleset_slug="ssdc")
    Region.objects.create(federation=office, code="SSDC", name="The Club")
    Ledger.objects.create(federation=office)
    return office


def worked_out(client: Client, query: str) -> str:
    answer = client.get(f"{PAGE}?worked=1&{query}")
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize(
    ("query", "category", "clauses"),
    [
        ("", "Highest category", ["3.3"]),
        ("fast=on", "First category", ["3.3", "3.4.1"]),
        ("fast=on&not_all_meet=on", "Second category", ["3.3", "3.4.1", "3.4.1"]),
        ("division=1", "Highest category", ["3.3"]),
        ("division=2", "First category", ["3.3", "3.4.2"]),
        ("highest_rating=2199", "Second category", ["3.3", "3.4.4"]),
        ("highest_rating=2200", "First category", ["3.3", "3.4.1"]),
        ("highest_rank=1", "Second category", ["3.3", "3.4.4"]),
        ("highest_rank=C", "First category", ["3.3", "3.4.1"]),
        ("guaranteed_places=on", "Second category", ["3.3", "3.4.3"]),
        ("match_of_two=on", "Fourth category", ["3.3", "3.4.6"]),
        ("match_of_two=on&for_a_title=on", "Highest category", ["3.3", "3.4.6"]),
        ("assigned=third", "Third category", ["3.3", "3.4.7"]),
        ("division=6", "Friendly: below the fourth category, not rated", ["3.3", "3.4.2", "3.5"]),
    ],
)
def test_the_category_follows_step_by_step(
    ssdc: Federation, client: Client, query: str, category: str, clauses: list[str]
) -> None:
    page = worked_out(client, query)
    assert f"<dd>{category}</dd>" in page
    found = [part.split('"')[0] for part in page.split('href="/ssdc/regulations/#clause-')[1:]]
    assert found == clauses


def test_before_anything_is_asked_there_is_no_answer(ssdc: Federation, client: Client) -> None:
    page = client.get(PAGE).content.decode()
    assert "Compute" in page
    assert 'id="result"' not in page


def test_what_was_answered_stays_in_the_form(ssdc: Federation, client: Client) -> None:
    page = worked_out(client, "fast=on&highest_rating=2300")
    assert 'value="2300"' in page
    assert 'id="id_fast" checked' in page
    assert 'id="id_ages" checked' not in page


@pytest.mark.parametrize(
    "query", ["division=0x", "highest_rating=-1", "highest_rank=Emperor", "assigned=tenth"]
)
def test_what_is_no_answer_is_said_beside_its_field(ssdc: Federation, client: Client, query: str) -> None:
    answer = client.get(f"{PAGE}?worked=1&{query}")
    assert answer.status_code == 400
    page = answer.content.decode()
    assert "Some fields need a correction" in page
    assert 'id="result"' not in page


def test_it_is_linked_from_where_the_category_is_chosen(
    ssdc: Federation, client_of: Callable[..., Client]
) -> None:
    region = ssdc.regions.all()[0]
    amahle = client_of(appointed("Amahle", ssdc, Role.REGIONAL, region))
    section = submitted(ssdc, register(ssdc, 4), rounds=2)
    Section.objects.filter(pk=section.pk).update(stage=Stage.FILED, particulars={})
    page = amahle.get(filing_url("details", section)).content.decode()
    assert f'href="{PAGE}"' in page


def test_every_calculator_answers_in_words_and_clauses_that_its_ruleset_has() -> None:
    found = [
        (r, p.calculator)
        for r in rulesets().values()
        for p in equipment_of(r).publication.pages
        if p.calculator
    ]
    assert found
    for ruleset, calculator in found:
        assert isinstance(calculator, Calculator)
        result = calculator.work_out(ruleset.newest.rules, {field.name: None for field in calculator.fields})
        assert result.key in ruleset.words.messages
        assert {step.clause for step in result.steps} <= ruleset.words.clauses.keys()
        assert {step.key for step in result.steps} <= ruleset.words.messages.keys()
        assert {field.clause for field in calculator.fields} <= ruleset.words.clauses.keys()
        assert {field.kind for field in calculator.fields} <= {"choice", "flag", "whole", "day"}
        assert not calculator.field or calculator.field in {field.name for field in form_fields(ruleset)}
