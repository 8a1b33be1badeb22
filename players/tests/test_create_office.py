"""A new office from a ruleset's name."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from players.appointments import create_office
from players.models import Decision, Federation, Ledger, Role, User
from players.record import Refused
from players.settings import get_settings
from ratings.rulesets import rulesets

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


def create(*arguments: str) -> str:
    out = StringIO()
    call_command("create_office", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize("slug", rulesets())
def test_every_ruleset_opens_an_office_with_its_regions_and_an_empty_ledger(slug: str) -> None:
    create(slug, "--official", "nomsa@example.org")
    office = Federation.objects.get(code=slug)
    assert office.ruleset is rulesets()[slug]
    assert office.regions.count() == max(1, len(office.equipment.office.regions))
    assert not Ledger.objects.get(federation=office).pending


def test_without_an_administrator_the_official_administers_too() -> None:
    create("csa", "--official", "nomsa@example.org")
    roles = User.objects.get().appointments.values_list("role", flat=True)
    assert set(roles) == {Role.OFFICIAL, Role.ADMINISTRATOR}


def test_a_real_office_begins_with_four_eyes_and_a_recorded_opening() -> None:
    create("csa", "--official", "n@example.org", "--administrator", "t@example.org", "--name", "Chess SA")
    office = Federation.objects.get()
    assert (office.name, get_settings(office).four_eyes) == ("Chess SA", True)
    assert list(Decision.objects.order_by("number").values_list("kind", flat=True)) == [
        "create",
        "appoint",
        "appoint",
    ]


@pytest.mark.parametrize(
    ("slug", "name"),
    [
        ("piskvorky", "České piškvorky"),
        ("mahjong", "Федерация маджонга России"),
        ("ssdc", "Севастопольский клуб спортивных точек"),
        ("pfo", "Polska Federacja Othello"),
        ("csa", "Chess South Africa"),
    ],
)
def test_an_office_is_named_in_the_federation_s_language(slug: str, name: str, settings: Settings) -> None:
    settings.OFFICE_LANGUAGE = ""
    create(slug, "--official", "nomsa@example.org")
    assert Federation.objects.get().name == name


def test_where_all_offices_speak_one_language_their_names_are_in_it_too() -> None:
    create("piskvorky", "--official", "nomsa@example.org")  # OFFICE_LANGUAGE is en
    assert Federation.objects.get().name == "Czech piškvorky"


def test_the_printed_link_lets_the_official_in_once() -> None:
    said = create("csa", "--official", "nomsa@example.org", "--site", "http://testserver")
    match = re.search(r"http://testserver(/accounts/password\S+)", said)
    assert match
    browser = Client()
    form = browser.get(match[1], follow=True)
    words = {"password1": "sorghum lantern 41", "password2": "sorghum lantern 41"}
    assert browser.post(form.redirect_chain[-1][0], words).headers["Location"] == "/csa/desk/"
    again = Client().get(match[1], follow=True)
    assert "no longer works" in again.content.decode()


def test_an_office_that_exists_is_left_as_it_is() -> None:
    create("csa", "--official", "nomsa@example.org")
    with pytest.raises(CommandError, match="exists already"):
        create("csa", "--official", "somebody@example.org")
    assert list(User.objects.values_list("email", flat=True)) == ["nomsa@example.org"]


def test_a_ruleset_that_is_not_here_is_named_with_those_that_are() -> None:
    with pytest.raises(CommandError, match="csa"):
        create("tiddlywinks", "--official", "nomsa@example.org")


def test_an_address_that_is_none_makes_nothing() -> None:
    with pytest.raises(CommandError, match="not an e-mail"):
        create("csa", "--official", "nomsa")
    assert not Federation.objects.exists()


def test_the_first_appointments_begin_on_the_day_that_it_is_at_the_office(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    late = datetime(2026, 11, 20, 22, 30, tzinfo=UTC)  # the 21st in Johannesburg
    monkeypatch.setattr("django.utils.timezone.now", lambda: late)
    create("csa", "--official", "nomsa@example.org")
    starts = User.objects.get().appointments.values_list("starts", flat=True)
    assert set(starts) == {date(2026, 11, 21)}


@pytest.mark.parametrize("code", ["operations", "accounts", "programs", "static"])
def test_an_office_has_no_code_that_is_an_address_of_the_site(code: str) -> None:
    with pytest.raises(Refused, match=f"cannot have the code “{code}”"):
        create_office(ruleset_slug="csa", official_email="nomsa@example.org", on=date(2026, 1, 1), code=code)
    assert not Federation.objects.exists()
