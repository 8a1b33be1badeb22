"""A form that makes something makes it once, however often it is sent."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.test import Client
from django.utils import timezone

from federation_site import tasks
from players.models import Decision, Federation, Region, RegisterImport, SentForm, User
from tournaments.models import Event, Section

ClientOf = Callable[[User], Client]
ONCE = re.compile(r'name="once" value="([0-9a-f-]{36})"')
pytestmark = [pytest.mark.django_db, pytest.mark.servers]


def opened(browser: Client, address: str) -> str:
    """The number that a page draws when it is opened."""
    [once] = ONCE.findall(browser.get(address).content.decode())
    return str(once)


def event_form(region: Region, **more: Any) -> dict[str, Any]:
    return {
        "name": "Soweto Open",
        "region": region.pk,
        "starts": "2026-03-06",
        "ends": "2026-03-08",
        **section_form("A"),
        **more,
    }


def section_form(name: str) -> dict[str, Any]:
    return {
        "sections-TOTAL_FORMS": "1",
        "sections-INITIAL_FORMS": "0",
        "sections-0-name": name,
        "sections-0-format": "swiss",
        "sections-0-own-platform": "otb",
        "sections-0-own-time_controls_0": "90",
        "sections-0-own-time_controls_1": "30",
    }


def test_each_opened_page_has_a_number_of_its_own(csa: Federation, amahle: User, client_of: ClientOf) -> None:
    browser = client_of(amahle)
    assert opened(browser, "/csa/events/register/") != opened(browser, "/csa/events/register/")


def test_a_form_that_is_sent_again_leads_to_the_event_that_it_made(
    csa: Federation, gauteng: Region, amahle: User, client_of: ClientOf
) -> None:
    browser = client_of(amahle)
    sent = event_form(gauteng, once=opened(browser, "/csa/events/register/"))
    first, second = (browser.post("/csa/events/register/", sent) for _n in range(2))
    assert (first.status_code, second.status_code) == (302, 302)
    assert first.headers["Location"] == second.headers["Location"]
    assert Event.objects.count() == Section.objects.count() == Decision.objects.count() == 1


def test_the_same_event_from_a_page_opened_anew_is_another_event_if_the_person_says_so(
    csa: Federation, gauteng: Region, amahle: User, client_of: ClientOf
) -> None:
    browser = client_of(amahle)
    for _n in range(2):
        sent = event_form(gauteng, once=opened(browser, "/csa/events/register/"), another="on")
        assert browser.post("/csa/events/register/", sent).status_code == 302
    assert Event.objects.count() == 2


def test_who_goes_back_and_sends_other_words_registers_another_event(
    csa: Federation, gauteng: Region, amahle: User, client_of: ClientOf
) -> None:
    browser = client_of(amahle)
    sent = event_form(gauteng, once=opened(browser, "/csa/events/register/"))
    browser.post("/csa/events/register/", sent)
    browser.post("/csa/events/register/", {**sent, "name": "Soweto Rapid"})
    assert set(Event.objects.values_list("name", flat=True)) == {"Soweto Open", "Soweto Rapid"}


def test_a_form_that_was_refused_can_be_corrected_and_sent(
    csa: Federation, gauteng: Region, amahle: User, client_of: ClientOf
) -> None:
    browser = client_of(amahle)
    once = opened(browser, "/csa/events/register/")
    wrong = browser.post("/csa/events/register/", event_form(gauteng, once=once, ends="2026-03-01"))
    assert (wrong.status_code, ONCE.findall(wrong.content.decode())) == (400, [once])
    assert browser.post("/csa/events/register/", event_form(gauteng, once=once)).status_code == 302
    assert Event.objects.count() == 1


def test_a_form_without_a_number_is_taken_as_it_comes(
    csa: Federation, gauteng: Region, amahle: User, client_of: ClientOf
) -> None:
    browser = client_of(amahle)
    assert browser.post("/csa/events/register/", event_form(gauteng)).status_code == 302
    assert not SentForm.objects.exists()


def test_somebody_else_s_number_makes_an_event_of_their_own(
    csa: Federation,
    gauteng: Region,
    western_cape: Region,
    amahle: User,
    nomsa: User,
    client_of: ClientOf,
) -> None:
    once = opened(client_of(amahle), "/csa/events/register/")
    for person in (amahle, nomsa):
        sent = event_form(gauteng, once=once, another="on")
        assert client_of(person).post("/csa/events/register/", sent).status_code == 302
    assert Event.objects.count() == 2


def test_sections_are_added_once(
    csa: Federation, section: Section, amahle: User, client_of: ClientOf
) -> None:
    browser, page = client_of(amahle), f"{section.event.get_absolute_url()}sections/"
    sent = section_form("B") | {"once": opened(browser, page)}
    for _n in range(2):
        assert browser.post(page, sent).status_code == 302
    assert list(section.event.sections.values_list("name", flat=True)) == ["A", "B"]


def test_a_table_of_the_register_is_taken_in_once(csa: Federation, nomsa: User, client_of: ClientOf) -> None:
    browser = client_of(nomsa)
    once = opened(browser, "/csa/register/")

    def send(data: bytes) -> Any:
        sent = {"file": SimpleUploadedFile("register.csv", data), "once": once}
        return browser.post("/csa/register/imports/", sent)

    first, second = send(b"surname\nInvented\n"), send(b"surname\nInvented\n")
    assert (first.status_code, second.status_code) == (302, 302)
    assert first.headers["Location"] == second.headers["Location"]
    assert RegisterImport.objects.count() == 1
    assert bytes(RegisterImport.objects.get().content or b"") == b"surname\nInvented\n"
    assert send(b"surname\nAnother\n").status_code == 409  # another file: the first is being worked on


@pytest.mark.django_db(transaction=True)
def test_four_posts_at_once_make_one_event(
    csa: Federation, gauteng: Region, amahle: User, client_of: ClientOf
) -> None:
    once = opened(client_of(amahle), "/csa/events/register/")
    browsers = [client_of(amahle) for _n in range(4)]
    together, answers = threading.Barrier(4), list[tuple[int, str]]()

    def send(browser: Client) -> None:
        try:
            together.wait()
            answer = browser.post("/csa/events/register/", event_form(gauteng, once=once))
            answers.append((answer.status_code, answer.headers.get("Location", "")))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=send, args=(browser,)) for browser in browsers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    [event] = Event.objects.all()
    assert set(answers) == {(302, f"{event.get_absolute_url()}A/file/")}
    assert len(answers) == 4


@pytest.mark.parametrize(("days", "known"), [(29.9, True), (30.1, False)])
def test_a_mark_is_kept_for_thirty_days(csa: Federation, days: float, known: bool) -> None:
    SentForm.objects.create(federation=csa, mark="x", made="2026-001")
    with time_machine.travel(timezone.now() + timedelta(days=days)):
        tasks.forget_sessions()
    assert SentForm.objects.exists() == known


@pytest.mark.parametrize(
    ("done", "minutes_ago", "refused"), [(199, 59, False), (200, 59, True), (200, 61, False)]
)
def test_one_person_registers_events_or_sections_at_most_200_times_within_an_hour(
    section: Section,
    gauteng: Region,
    amahle: User,
    client_of: ClientOf,
    done: int,
    minutes_ago: int,
    refused: bool,
) -> None:
    at, office = timezone.now() - timedelta(minutes=minutes_ago), section.event.federation
    before = Decision.objects.filter(kind="register", by=amahle).count()
    Decision.objects.bulk_create(
        Decision(federation=office, number=1_000 + n, kind="register", by=amahle, at=at, on=at.date())
        for n in range(done - before if minutes_ago < 60 else done)
    )
    answer = client_of(amahle).post("/csa/events/register/", event_form(gauteng, another="on"))
    assert answer.status_code == (409 if refused else 302)
    page = f"{section.event.get_absolute_url()}sections/"
    said = client_of(amahle).post(page, section_form("B"), follow=True).content.decode()
    assert ("You registered events or sections 200 times" in said) is (refused or done == 199)
    assert section.event.sections.count() == (1 if refused or done == 199 else 2)
