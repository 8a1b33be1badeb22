"""Every page of the access matrix, looked at by everybody: who is let in, and that looking writes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from players.models import Federation
from tests.access_world import World, asked, digest
from tests.test_access_matrix import (
    MATRIX,
    NOBODY,
    PEOPLE,
    PUBLIC,
    as_it_should,
    cases,
    is_let_in,
    short_refusals,
    standing,
    world,
)

__all__ = ["short_refusals", "standing", "world"]  # the fixtures

pytestmark = [pytest.mark.django_db, pytest.mark.any_database, pytest.mark.nightly]


@pytest.mark.usefixtures("short_refusals")
def test_each_address_lets_in_whom_it_should_and_looking_writes_nothing(world: World) -> None:
    """And what is private is kept by no browser: pages are made for each person once, as they are costly."""
    browsers = {person: world.browser(person) for person in PEOPLE}
    before, wrong, kept, seen = digest(), [], set(), set()
    for name, person, place in cases():
        answer = asked(browsers[person], "GET", world.address(name, place))
        fits, let_in = as_it_should(person, name, place, answer), is_let_in(person, name, place)
        if (name, place) not in seen or not let_in:  # the page itself is made once more
            head = asked(browsers[person], "HEAD", world.address(name, place))
            fits = fits and head.status_code == answer.status_code
            seen |= {(name, place)} if let_in else set()
        if not fits:
            wrong.append((name, person, place, answer.status_code))
        if let_in and is_kept(name, answer):
            kept.add((name, person))
    assert wrong == []
    assert kept == set()
    assert digest() == before


def is_kept(name: str, answer: Any) -> bool:
    """Whether a browser may keep an answer that is not for everybody."""
    private = MATRIX[name][0] not in (PUBLIC, NOBODY) and answer.status_code not in (404, 405)
    return private and "no-store" not in answer.headers.get("Cache-Control", "")


@pytest.mark.usefixtures("short_refusals")
def test_a_method_that_no_page_has_is_refused_to_everybody_and_does_nothing(world: World) -> None:
    browsers = {person: world.browser(person) for person in PEOPLE}
    before, wrong = digest(), []
    for name, person, place in cases():
        for method in ("PUT", "PATCH", "DELETE", "OPTIONS"):
            answer = asked(browsers[person], method, world.address(name, place))
            if answer.status_code != 405:
                wrong.append((method, name, person, place, answer.status_code))
    assert wrong == []
    assert digest() == before


def test_the_mailbox_of_a_demo_opens_to_whoever_is_signed_in(
    world: World, settings: Any, tmp_path: Path
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path)
    Federation.objects.update(demo=True)
    found = {person: world.browser(person).get("/accounts/mailbox/").status_code for person in PEOPLE}
    assert found == {person: 302 if person == "anonymous" else 200 for person in PEOPLE}
