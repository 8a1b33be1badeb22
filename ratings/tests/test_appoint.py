"""People are let in from the command line: into an imported office, and wherever nobody gets in any more."""

from __future__ import annotations

import re
from datetime import date
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from players.appointments import end_appointment
from players.models import Appointment, Decision, Federation, Region, Role, User
from players.settings import today
from ratings.intake import import_journal
from ratings.journal import journal_lines
from ratings.recompute import recompute
from ratings.rulesets.journal import read_journal
from ratings.tests.office import approved, register, submitted
from ratings.verify import verify
from tests.built_once import built_once

pytestmark = pytest.mark.django_db


@pytest.fixture
@built_once
def imported(csa: Federation) -> Federation:
    """An office made of a journal: it holds facts, and nobody is appointed."""
    approved(submitted(csa, register(csa, 10)))
    lines = [line.replace('"code":"csa"', '"code":"twin"') for line in journal_lines(csa)]
    office = import_journal(read_journal(lines), on=date(2024, 5, 1))
    recompute(office)
    assert not office.appointments.exists()
    return office


def appoint(*arguments: str) -> str:
    out = StringIO()
    call_command("appoint", *arguments, "--site", "http://testserver/", stdout=out)
    return out.getvalue()


def open_link(said: str) -> Client:
    """A browser in which the printed link was opened and a password chosen."""
    match = re.search(r"http://testserver(/accounts/password\S+)", said)
    assert match
    browser = Client()
    form = browser.get(match[1], follow=True)
    words = {"password1": "sorghum lantern 41", "password2": "sorghum lantern 41"}
    assert browser.post(form.redirect_chain[-1][0], words).status_code == 302
    return browser


@pytest.mark.parametrize(("role", "page"), [("official", "/twin/desk/"), ("administrator", "/twin/people/")])
def test_somebody_is_appointed_in_an_imported_office_and_gets_in(
    role: str, page: str, imported: Federation
) -> None:
    browser = open_link(appoint("twin", f"--{role}", "nomsa@example.org"))
    assert browser.get(page).status_code == 200
    assert [(each.role, each.user.email) for each in imported.appointments.all()] == [
        (role, "nomsa@example.org")
    ]


def test_it_stands_in_the_record_and_the_office_verifies(imported: Federation) -> None:
    appoint("twin", "--official", "nomsa@example.org")
    told = Decision.objects.filter(federation=imported).latest("number")
    assert (told.kind, told.about, told.by) == (
        "appoint",
        f"appointment {Appointment.objects.get().pk}",
        None,
    )
    assert verify(imported).differences == []


def test_a_regional_administrator_is_appointed_to_a_region(csa: Federation, gauteng: Region) -> None:
    appoint("csa", "--regional", "Amahle@example.org", "--region", "gau")
    made = csa.appointments.get()
    assert (made.role, made.region, made.user.email) == (Role.REGIONAL, gauteng, "amahle@example.org")
    assert made.starts == today(csa)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--regional", "a@example.org"), "This role is for one region: choose it"),
        (("--regional", "a@example.org", "--region", "XYZ"), "no region “XYZ”.*There are: GAU, WCA"),
        (("--official", "a@example.org", "--region", "GAU"), "for the whole federation: choose no region"),
        (("--official", "nobody"), "not an e-mail address"),
    ],
)
def test_what_does_not_fit_is_refused_and_nobody_is_made(
    arguments: tuple[str, ...], words: str, csa: Federation, gauteng: Region, western_cape: Region
) -> None:
    with pytest.raises(CommandError, match=words):
        appoint("csa", *arguments)
    assert not User.objects.exists()
    assert not Appointment.objects.exists()


def test_whoever_lost_access_gets_another_link_and_the_record_says_so(csa: Federation, thandi: User) -> None:
    said = appoint("csa", "--administrator", thandi.email.upper())
    assert "holds this appointment already" in said
    assert open_link(said).get("/csa/people/").status_code == 200
    assert thandi.appointments.count() == 1
    told = Decision.objects.latest("number")
    assert (told.kind, told.about) == ("let-in", f"appointment {thandi.appointments.get().pk}")
    assert told.details["role"] == Role.ADMINISTRATOR


def test_whoever_was_appointed_once_is_appointed_anew(csa: Federation, nomsa: User) -> None:
    end_appointment(appointment=nomsa.appointments.get(), by=None, on=today(csa))
    appoint("csa", "--official", nomsa.email)
    assert nomsa.appointments.on(today(csa)).count() == 1
    assert Decision.objects.latest("number").kind == "appoint"
