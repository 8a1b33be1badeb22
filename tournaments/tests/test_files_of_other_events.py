"""A file that names another event than it is uploaded to is taken, and region and reviewer read so."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from django.test import Client

from players.access import get_rights
from players.models import Federation, Player, Region, User
from tournaments.matching import find_more_similar_event, names_another_event
from tournaments.models import Finding, Section, Stage
from tournaments.registration import SectionParticulars, register_event
from tournaments.tests.conftest import OTB, TODAY, Send, address, fresh
from tournaments.tests.event_files import open_file

ClientOf = Callable[[User], Client]


@pytest.mark.parametrize(
    ("said", "registered"),
    [
        ("Soweto Open A", ["Soweto Open", "A", ""]),
        ("SOWETO OPEN 2026", ["Soweto Open", "A", ""]),
        ("Sowetto Open", ["Soweto Open", "A", ""]),  # one letter too many
        ("Open 2026, Section B", ["Soweto Open", "B", ""]),  # no word of its own
        ("", ["Soweto Open", "A", ""]),
        ("Tembisa", ["Open", "A", ""]),  # the event has no word of its own
        ("Tembisa Rapid", ["Summer Cup", "A", "Tembisa"]),  # called by its place
    ],
)
def test_a_name_that_may_be_the_events_is_not_told(said: str, registered: list[str]) -> None:
    assert not names_another_event(said, *registered)


def test_a_name_with_nothing_of_the_registered_one_is_told() -> None:
    assert names_another_event("Tembisa Rapid", "Soweto Open", "A", "")


def test_the_event_of_the_same_days_that_is_more_like_the_name_is_found() -> None:
    others = {"2": ["Soweto Juniors"], "3": ["Tembisa Rapid"]}
    assert find_more_similar_event("Soweto Juniors U12", ["Soweto Open", "A"], others) == "2"
    assert find_more_similar_event("Soweto Open A", ["Soweto Open", "A"], others) == ""
    assert find_more_similar_event("Soweto", ["Soweto Open", "A"], others) == ""
    assert find_more_similar_event("Tembisa", ["Soweto Open"], {"2": ["Tembisa A"], "3": ["Tembisa B"]}) == ""


@pytest.mark.django_db
def test_region_and_reviewer_read_what_the_file_says_and_what_is_registered(
    section: Section,
    register_of_six: list[Player],
    amahle: User,
    nomsa: User,
    client_of: ClientOf,
    upload: Send,
) -> None:
    upload(client_of(amahle), section, open_file(name="Tembisa Rapid"))
    told = "The file says that it is of “Tembisa Rapid”; it was uploaded to “Soweto Open, A”."
    assert fresh(section).stage == Stage.FILED  # it is not refused
    assert told in client_of(amahle).get(address(section, "findings")).content.decode()
    Section.objects.filter(pk=section.pk).update(stage=Stage.SUBMITTED)
    assert told in client_of(nomsa).get(address(section, "review")).content.decode()


@pytest.mark.django_db
def test_another_event_of_the_same_days_is_named(
    csa: Federation,
    gauteng: Region,
    section: Section,
    register_of_six: list[Player],
    amahle: User,
    client_of: ClientOf,
    upload: Send,
) -> None:
    other = register_event(
        rights=get_rights(amahle, csa, TODAY),
        by=amahle,
        on=date(2026, 1, 5),
        name="Soweto Juniors",
        region=gauteng,
        starts=date(2026, 3, 8),
        ends=date(2026, 3, 8),
        sections=[SectionParticulars(name="A", format="swiss", particulars=OTB)],
    )
    upload(client_of(amahle), section, open_file(name="Soweto Juniors A"))
    found = Finding.objects.get(section=section, key="file-of-another-event")
    assert found.level == "notice"
    assert f"Soweto Juniors ({other.number})" in str(found.params)


@pytest.mark.django_db
def test_the_events_own_file_is_told_nothing(
    section: Section, register_of_six: list[Player], amahle: User, client_of: ClientOf, upload: Send
) -> None:
    upload(client_of(amahle), section, open_file())
    keys = ("file-of-another-event", "event-name-differs")
    assert not Finding.objects.filter(section=section, key__in=keys).exists()
