"""A setting stands once, in `Settings`: form, command and page of the regulations show it from there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace

import pytest
from django.core.management import call_command
from django.test import Client

from players import settings
from players.models import Federation, User
from players.pages.administration import SettingsForm
from players.settings import Settings, SettingTerms, initial_settings
from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of
from ratings.tests.office import register, submitted
from tournaments.acceptance import build_filing

pytestmark = pytest.mark.django_db
TERMS = SettingTerms(
    "Quiet halls",
    "Phones stay outside.",
    on_in_real_office=True,
    at_clauses=("Quiet halls", "This office keeps quiet.", "This office lets phones ring."),
)


@dataclass(frozen=True)
class WithQuietHalls(Settings):
    """The settings with an invented one beside them."""

    quiet_halls: bool = field(default=False, metadata={"terms": TERMS})


@pytest.fixture(autouse=True)
def quiet_halls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have an invented setting in the table, and csa's clause 6 depend on it."""
    monkeypatch.setattr(settings, "Settings", WithQuietHalls)
    publication = equipment_of(rulesets()["csa"]).publication
    assert publication.enacted is not None
    depends = {**publication.enacted.settings, "quiet_halls": frozenset({"6"})}
    changed = replace(publication, enacted=replace(publication.enacted, settings=depends))
    monkeypatch.setattr(Federation, "publication", property(lambda office: changed))


def test_the_form_asks_for_the_setting_and_keeps_it(
    csa: Federation, thandi: User, client_of: Callable[[User], Client]
) -> None:
    browser = client_of(thandi)
    page = browser.get("/csa/settings/").content.decode()
    assert "Quiet halls" in page
    assert "Phones stay outside." in page
    assert browser.post("/csa/settings/", {"births": "year", "quiet_halls": "on"}).status_code == 302
    csa.refresh_from_db()
    assert csa.settings["quiet_halls"] is True
    assert browser.post("/csa/settings/", {"births": "year"}).status_code == 302
    csa.refresh_from_db()
    assert csa.settings["quiet_halls"] is False


def test_an_office_made_by_the_command_begins_with_the_setting_on() -> None:
    call_command("create_office", "csa", "--official", "nomsa@example.org")
    assert Federation.objects.get().settings["quiet_halls"] is True


@pytest.mark.parametrize(
    ("on", "words"), [(True, "This office keeps quiet."), (False, "This office lets phones ring.")]
)
def test_the_page_of_the_regulations_says_at_the_clause_how_the_setting_stands(
    csa: Federation, client: Client, on: bool, words: str
) -> None:
    Federation.objects.update(settings={"quiet_halls": on})
    clause = client.get("/csa/regulations/").content.decode().split('<li id="clause-6">')[1].split("</li>")[0]
    assert words in clause


def test_acceptance_reads_the_setting_with_all_others(csa: Federation) -> None:
    Federation.objects.update(settings={"quiet_halls": True})
    section = submitted(csa, register(csa, 4))
    section.refresh_from_db()
    assert build_filing(section).settings["quiet_halls"] is True
    assert set(build_filing(section).settings) == {each.name for each in fields(WithQuietHalls)}


@pytest.mark.parametrize("production", [True, False])
def test_a_real_office_asks_for_a_second_factor_only_in_production(production: bool) -> None:
    begun = initial_settings(production=production)
    strict = {"four_eyes", "successor_first", "deadlines", "particulars", "quiet_halls"}
    on = {each.name for each in fields(begun) if getattr(begun, each.name) is True}
    assert on == strict | ({"second_factor"} if production else set())


def test_a_number_left_to_its_default_is_shown_as_an_empty_field(csa: Federation) -> None:
    form = SettingsForm(initial={"appeal_days": 0, "draft_days": 90}, ruleset=csa.ruleset)
    assert 'name="appeal_days" min="1"' in str(form["appeal_days"])
    assert "value" not in str(form["appeal_days"])
    assert 'value="90"' in str(form["draft_days"])
