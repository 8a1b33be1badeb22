"""Every address of the access matrix, sent a form by everybody: it does what it should for whom it should."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.db import transaction

from players.models import Federation
from tests.access_world import FORM, World, asked, asks_to_sign_in, digest
from tests.test_access_matrix import (
    ACCOUNTS,
    ASKING_AGAIN,
    MATRIX,
    NOBODY,
    PEOPLE,
    PLACES,
    PUBLIC,
    REPORTING,
    as_it_should,
    cases,
    is_let_in,
    short_refusals,
    standing,
    world,
)
from tournaments.models import Case

__all__ = ["short_refusals", "standing", "world"]  # the fixtures

pytestmark = [pytest.mark.django_db, pytest.mark.any_database, pytest.mark.nightly]


@pytest.mark.usefixtures("short_refusals")
def test_nobody_does_what_is_not_theirs_to_do(world: World) -> None:
    browsers = {person: world.browser(person) for person in PEOPLE}
    before, wrong = digest(), []
    for name, person, place in cases():
        if is_let_in(person, name, place) and MATRIX[name][0] is not PUBLIC:
            continue
        answer = asked(browsers[person], "POST", world.address(name, place))
        if MATRIX[name][0] is not PUBLIC and not as_it_should(person, name, place, answer):
            wrong.append((name, person, place, answer.status_code))
    assert wrong == []
    assert digest() == before


HEARD = {"ratings:confirm_rank": {404}}
"""Other answers to a form that is no page's own: it names no rank that waits."""


@pytest.mark.usefixtures("short_refusals")
def test_whose_it_is_to_do_is_heard(world: World) -> None:
    """Each page answers the form as theirs: done, or told what is wrong with it; 405 where there is nothing
    to be done. What was done is taken back. Of public pages, those of reports are everybody's to fill in.
    """
    browsers = {person: world.browser(person) for person in PEOPLE}
    wrong = []
    for name, person, place in cases():
        if is_let_in(person, name, place) and (MATRIX[name][0] is not PUBLIC or name in REPORTING):
            with transaction.atomic():
                answer = asked(browsers[person], "POST", world.address(name, place))
                transaction.set_rollback(True)
            heard = answer.status_code in HEARD.get(name, {200, 302, 400, 405, 409})
            if not heard or asks_to_sign_in(answer):
                wrong.append((name, person, place, answer.status_code))
    assert wrong == []


@pytest.mark.parametrize("place", PLACES)
def test_everybody_reports_a_mistake_and_nothing_is_known_before_the_address_is_confirmed(
    world: World, place: str
) -> None:
    number, code = world.things[place]["rated"][1:]
    address = f"{world.address('ratings:report', place)}?section={number}/{code}"
    told = {"words": "Board 2 was a draw.", "email": "reader@example.org", "name": "", "website": ""}
    for person in PEOPLE:
        cache.clear()  # all come from one network, of which so many reports a day are taken
        with transaction.atomic():
            before = set(Case.objects.values_list("pk", flat=True))
            answer = world.browser(person).post(address, told)
            [new] = Case.objects.exclude(pk__in=before)
            assert (answer.status_code, new.state) == (200, Case.State.UNCONFIRMED), person
            assert new.section_id is not None
            transaction.set_rollback(True)


def test_a_form_of_another_site_does_nothing(world: World) -> None:
    browsers = {person: world.browser(person, enforce_csrf_checks=True) for person in PEOPLE}
    before = digest()
    for name, (allowed, _thing) in MATRIX.items():
        if allowed is not PUBLIC:
            for person in allowed["gauteng"]:
                answer = browsers[person].post(world.address(name, "gauteng"), FORM)
                answer.getvalue()  # a file is open until it is read
                assert answer.status_code in (403, 405), (name, person)
    assert digest() == before


def asks_again(answer: Any) -> bool:
    return bool(answer.headers.get("Location", "").startswith("/accounts/reauthenticate/"))


def test_a_session_of_an_hour_asks_again_where_something_cannot_be_taken_back_and_nowhere_else(
    world: World,
) -> None:
    people = {person: world.browser(person) for person in PEOPLE}
    asked = set()
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=1), tick=False):
        for name, (allowed, _thing) in MATRIX.items():
            if allowed not in (PUBLIC, NOBODY):
                person = min(allowed["gauteng"])
                answer = people[person].get(world.address(name, "gauteng"))
                answer.getvalue()  # a file is open until it is read
                asked |= {name} if asks_again(answer) else set()
        sent = {name: people[min(MATRIX[name][0]["gauteng"])] for name in ASKING_AGAIN}
        for name, browser in sent.items():
            assert asks_again(browser.post(world.address(name, "gauteng"), FORM)), name
    assert asked == ASKING_AGAIN


def test_an_office_that_asks_for_a_second_factor_opens_no_page_of_its_own_without(world: World) -> None:
    Federation.objects.update(settings={"second_factor": True})
    people = {person: world.browser(person) for person in PEOPLE}
    for name, (allowed, _thing) in MATRIX.items():
        if allowed not in (PUBLIC, ACCOUNTS, NOBODY):
            person = min(allowed["gauteng"])
            answer = people[person].post(world.address(name, "gauteng"), FORM)
            answer.getvalue()  # a file is open until it is read
            assert answer.headers.get("Location") == "/accounts/2fa/", name
