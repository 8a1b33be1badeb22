"""The page of the regulations tells what no program carries out, each reading, and the settings."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from players.office.models import Federation, Ledger
from ratings.equipment.find_equipment import equipment_of
from ratings.law.ruleset import Ruleset
from ratings.law.ruleset_helpers.common_readings import COMMON
from ratings.rulesets import rulesets

pytestmark = pytest.mark.django_db
every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())


def page_of(client: Client, ruleset: Ruleset, **settings: object) -> str:
    office = Federation.objects.create(
        code=ruleset.slug, name=ruleset.name, ruleset_slug=ruleset.slug, settings=settings
    )
    Ledger.objects.create(federation=office)
    return unescape(client.get(f"/{ruleset.slug}/regulations/").content.decode())


def at(page: str, clause: str) -> str:
    """What stands at a clause."""
    found = re.search(rf'<li id="clause-{re.escape(clause)}">.*?</li>', page, re.DOTALL)
    assert found, clause
    return found[0]


@every_ruleset
def test_what_is_not_carried_out_stands_at_its_clause_with_the_reason(
    ruleset: Ruleset, client: Client
) -> None:
    page, enacted = page_of(client, ruleset), equipment_of(ruleset).publication.enacted
    assert enacted is not None
    for clause, why in enacted.not_computed.items():
        assert f"Not computed by the program:</b> {why}" in at(page, clause)
    for clause, why in enacted.partly_computed.items():
        assert f"In part:</b> {why}" in at(page, clause)
    silent = set(ruleset.words.clauses) - set(enacted.not_computed) - set(enacted.partly_computed)
    for clause in silent:
        assert "Not computed" not in at(page, clause)
        assert "In part:" not in at(page, clause)


@every_ruleset
def test_every_reading_stands_there_the_small_and_the_common_ones_too(
    ruleset: Ruleset, client: Client
) -> None:
    page, enacted = page_of(client, ruleset), equipment_of(ruleset).publication.enacted
    assert enacted is not None
    for clause, reading in enacted.smaller_readings:
        assert reading in at(page, clause)
    for number, (question, answer) in COMMON.items():
        assert question in at(page, number)
        assert answer in at(page, number)


@every_ruleset
def test_the_page_says_where_the_enacted_text_is_from(ruleset: Ruleset, client: Client) -> None:
    page, enacted = page_of(client, ruleset), equipment_of(ruleset).publication.enacted
    assert enacted is not None
    assert enacted.source.title in page
    assert enacted.source.issued_by in page
    assert (enacted.source.url in page) or not enacted.source.url


@every_ruleset
@pytest.mark.parametrize("held", [True, False])
def test_a_setting_that_turns_clauses_into_notices_is_told_at_each_of_them(
    ruleset: Ruleset, client: Client, held: bool
) -> None:
    page = page_of(client, ruleset, deadlines=held, particulars=held)
    enacted = equipment_of(ruleset).publication.enacted
    assert enacted is not None
    words = {
        "deadlines": ("enforces deadlines", "does not enforce deadlines"),
        "particulars": ("requires full particulars", "does not require full particulars"),
    }
    for name, (strict, lenient) in words.items():
        for clause in ruleset.words.clauses:
            told = at(page, clause)
            named = clause in enacted.settings.get(name, ())
            assert (strict in told) is (named and held), clause
            assert (lenient in told) is (named and not held), clause


def test_the_day_of_membership_stands_at_the_clause_that_waits_for_it(client: Client) -> None:
    mahjong = rulesets()["mahjong"]
    assert "has not introduced membership" in at(page_of(client, mahjong), "1.3")
    office = Federation.objects.get()
    office.settings = {"membership": "2026-01-05"}
    office.save()
    Ledger.objects.update(decisions=1)
    page = client.get("/mahjong/regulations/").content.decode()
    assert "introduced membership on 5 January 2026" in at(page, "1.3")
