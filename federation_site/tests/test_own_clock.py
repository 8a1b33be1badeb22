"""Pages and letters of an account tell times by the clock of the person's office, and name its zone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.core import mail
from django.test import Client

from federation_site.models import PastSignIn
from players.models import Federation, Role, User
from players.settings import get_office_time_zone

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db
LATE = datetime(2026, 3, 6, 22, 30, tzinfo=UTC)
"""Half past ten in the evening by UTC: the next day in Johannesburg."""
THERE = "7 Mar 2026, 00:30 SAST"


def words(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def test_who_works_for_no_office_reads_utc(db: None) -> None:
    assert get_office_time_zone(User.objects.create_user("nobody@example.org")).key == "UTC"


def test_of_several_offices_the_one_that_appointed_last_gives_the_clock(csa: Federation, nomsa: User) -> None:
    assert get_office_time_zone(nomsa).key == "Africa/Johannesburg"
    ssdc = Federation.objects.create(code="ssdc", name="Dots", ruleset_slug="ssdc")
    nomsa.appointments.create(federation=ssdc, role=Role.OFFICIAL, starts=date(2026, 1, 1), name="Nomsa")
    assert get_office_time_zone(nomsa).key == ssdc.equipment.office.time_zone != "Africa/Johannesburg"


def test_ones_own_page_and_sessions_tell_the_offices_time(nomsa: User) -> None:
    browser = Client()
    browser.post("/accounts/login/", {"login": nomsa.email, "password": "a long pass phrase"})
    PastSignIn.objects.update(at=LATE)
    User.objects.filter(pk=nomsa.pk).update(last_login=LATE)
    page = words(browser.get("/accounts/me/"))
    assert THERE in page
    assert "Last sign-in: 7 March 2026, 00:30 SAST" in page
    assert "UTC" not in page
    UserSession.objects.update(created_at=LATE)
    assert THERE in words(browser.get("/accounts/sessions/"))


def test_the_mailbox_of_a_demo_tells_the_readers_offices_time(
    csa: Federation, nomsa: User, client_of: ClientOf, settings: Any, tmp_path: Path
) -> None:
    Federation.objects.update(demo=True)
    settings.PRODUCTION = False
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path)
    letter = b"Subject: Hello\nTo: nomsa@example.org\nDate: Fri, 06 Mar 2026 22:30:00 -0000\n\nWords\n"
    (tmp_path / "20260306-1.log").write_bytes(letter)
    assert THERE in words(client_of(nomsa).get("/accounts/mailbox/"))


def test_letters_about_the_account_do_too(nomsa: User, time_machine: Any) -> None:
    time_machine.move_to(LATE)
    Client().post("/accounts/login/", {"login": nomsa.email, "password": "a long pass phrase"})
    [letter] = mail.outbox
    assert "When: 7 March 2026, 00:30 SAST" in letter.body
