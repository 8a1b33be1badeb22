"""A number of which the regulation lists the values is chosen, wherever a form asks for it (mahjong §4)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django import forms
from django.test import Client

from ratings.rulesets import rulesets
from ratings.rulesets.profile import form_fields
from tests.pages import unbroken
from tournaments.models import Section
from tournaments.sections import build_own_fields, particulars_in_words
from tournaments.tests.conftest import fresh
from tournaments.tests.test_table_filing import Opened, opened, vera

__all__ = ["opened", "vera"]
pytestmark = pytest.mark.django_db
Vera = Callable[[Section], Client]
SPECIAL = {
    "version": "0",
    "name": "A",
    "code": "A",
    "format": "placement",
    "rounds": "2",
    "own-status": "special",
    "own-entry": "closed",
    "reason": "As decided.",
}
EDIT = "/mahjong/events/2026-001/A/edit/"


@pytest.mark.parametrize("slug", sorted(rulesets()))
def test_a_field_with_values_is_a_choice_of_exactly_these(slug: str) -> None:
    ruleset = rulesets()[slug]
    made = build_own_fields(ruleset)
    for field in form_fields(ruleset):
        if field.choices:
            shown = made[f"own-{field.name}"]
            assert isinstance(shown.widget, forms.Select), field.name
            values = [value for value, _label in shown.widget.choices if value]
            assert values == [choice.value for choice in field.choices]


def test_the_coefficient_is_chosen_with_its_meaning_kept_as_a_number_and_told_with_its_meaning(
    opened: Opened, vera: Vera
) -> None:
    section = opened("mahjong", "placement", status="city")
    browser = vera(section)
    page = unbroken(browser.get(EDIT).content.decode())
    assert '<option value="1">1, as a championship of a city</option>' in page
    assert browser.post(EDIT, SPECIAL | {"own-coefficient": "2"}).status_code == 302
    assert fresh(section).particulars["coefficient"] == 2
    assert ("Coefficient", "2, as a championship of a region") in particulars_in_words(fresh(section))
    assert '<option value="2" selected>' in unbroken(browser.get(EDIT).content.decode())


@pytest.mark.parametrize("value", ["", "0", "3", "1.5", "a"])
def test_no_other_coefficient_is_taken(opened: Opened, vera: Vera, value: str) -> None:
    section = opened("mahjong", "placement", status="city")
    assert vera(section).post(EDIT, SPECIAL | {"own-coefficient": value}).status_code == 400
    assert "coefficient" not in fresh(section).particulars


def test_an_unchanged_coefficient_is_no_change(opened: Opened, vera: Vera) -> None:
    section = opened("mahjong", "placement", status="special", coefficient=2)
    again = SPECIAL | {"own-coefficient": "2", "own-entry": "", "reason": ""}
    assert vera(section).post(EDIT, again).status_code == 302
