"""What belongs to an event stays while the office has a section of it, by whichever page it would change."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.test import Client

from players.models import Decision, User
from players.record import Refused
from tests.built_once import built_once
from tests.pages import unbroken
from tournaments.announcements import postpone_section
from tournaments.details import Details, save_details
from tournaments.models import Entry, Event, Section, Stage
from tournaments.pages.details import DetailsForms
from tournaments.registration import edit_event, edit_section, withdraw_event, withdraw_section
from tournaments.tests.conftest import TODAY, fresh
from tournaments.tests.test_changes import WHY, as_seen, at, like, named, second

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
HELD = pytest.mark.parametrize("stage", [Stage.SUBMITTED, Stage.RATED])
SIPHO = {"name": "Sipho Nkosi", "title": "IA", "id": "1"}


@pytest.fixture
@built_once
def other(section: Section, amahle: User) -> Section:
    """A second section of the event, from 7 to 7 March; the event lasts from 6 to 8 March."""
    day = date(2026, 3, 7)
    Event.objects.update(place="Soweto", organizer="Lindiwe Zulu", arbiters=[SIPHO])
    return second(section, amahle, starts=day, ends=day)


def saved(section: Section, by: User, *, event_version: int | None = None, **changed: Any) -> Section:
    Entry.objects.get_or_create(section=section, number=1, surname="Dlamini")
    section = fresh(section)
    event = section.event
    said: dict[str, Any] = {
        **{name: getattr(section, name) for name in ("name", "starts", "ends", "format", "particulars")},
        **{"rounds": 5, "organizer": event.organizer, "arbiters": event.arbiters, "place": event.place},
    }
    seen: dict[str, Any] = {"by": by, "on": TODAY, "version": section.version, "event_version": event_version}
    return save_details(section=section, details=Details(**(said | changed)), **seen)


# ---------------------------------------------------------------- the details of a sibling


@HELD
@pytest.mark.parametrize(
    "changed",
    [
        {"organizer": "Thandi Mokoena"},
        {"arbiters": []},
        {"arbiters": [SIPHO | {"id": "2"}]},
        {"organizer": "Thandi Mokoena", "place": "Orlando", "reason": WHY},
    ],
)
def test_details_change_nobody_of_an_event_of_which_the_office_has_another_section(
    section: Section, other: Section, amahle: User, stage: Stage, changed: dict[str, Any]
) -> None:
    at(section, stage=stage)
    with pytest.raises(Refused, match=rf"Section A stands in the way: it is {stage}\. W.*"):
        saved(other, amahle, **changed)
    event = fresh(section).event
    assert (event.organizer, event.arbiters, event.version) == ("Lindiwe Zulu", [SIPHO], 0)
    assert not Decision.objects.filter(kind="complete").exists()


def test_details_change_the_place_beside_a_submitted_section_and_not_beside_a_rated_one(
    section: Section, other: Section, amahle: User
) -> None:
    held = at(section, stage=Stage.SUBMITTED)
    saved(other, amahle, place="Orlando", reason=WHY)
    assert fresh(section).event.place == "Orlando"
    assert fresh(section).version == held.version + 1
    at(section, stage=Stage.RATED)
    with pytest.raises(Refused, match="the office un-rates it first"):
        saved(other, amahle, place="Soweto", reason=WHY)


@HELD
def test_details_of_the_section_alone_are_saved_beside_one_that_the_office_has(
    section: Section, other: Section, amahle: User, stage: Stage
) -> None:
    held = at(section, stage=stage)
    saved(other, amahle, name="Premier", ends=date(2026, 3, 8), reason=WHY)
    assert (fresh(other).name, fresh(other).ends, fresh(other).rounds) == ("Premier", date(2026, 3, 8), 5)
    assert (fresh(section).version, fresh(section).event.version) == (held.version, 0)


@HELD
def test_the_page_of_details_suggests_nobody_for_the_event_and_says_why_beside_such_a_section(
    client_of: ClientOf, section: Section, other: Section, amahle: User, stage: Stage
) -> None:
    Event.objects.update(organizer="")
    assert DetailsForms(fresh(other)).details.initial["organizer"]
    at(section, stage=stage)
    assert DetailsForms(fresh(other)).details.initial["organizer"] == ""
    Section.objects.filter(pk=other.pk).update(stage=Stage.FILED)
    Entry.objects.create(section=other, number=1, surname="Dlamini")
    page = client_of(amahle).get("/csa/events/2026-001/B/details/?all").content.decode()
    assert f"Section A stands in the way: it is {stage}." in unbroken(page)


# ---------------------------------------------------------------- the days of a sibling


def by_details(section: Section, by: User, last: date) -> None:
    saved(section, by, ends=last, reason=WHY)


def by_edit(section: Section, by: User, last: date) -> None:
    edit_section(section=section, said=like(section, ends=last, reason=WHY), **as_seen(section, by))


def by_postponing(section: Section, by: User, last: date) -> None:
    postpone_section(section=section, starts=section.starts, ends=last, reason=WHY, **as_seen(section, by))


@HELD
@pytest.mark.parametrize("move", [by_details, by_edit, by_postponing])
def test_a_section_moves_within_its_events_days_alone_while_the_office_has_another(
    section: Section, other: Section, amahle: User, stage: Stage, move: Callable[..., None]
) -> None:
    at(section, stage=stage)
    with pytest.raises(Refused, match=rf"Section A stands in the way: it is {stage}\..* 6 March 2026 – 8"):
        move(other, amahle, date(2026, 3, 9))
    assert (fresh(other).ends, fresh(other).postponed) == (date(2026, 3, 7), False)
    move(fresh(other), amahle, date(2026, 3, 8))
    assert fresh(other).ends == fresh(section).event.ends == date(2026, 3, 8)


@HELD
def test_an_event_keeps_its_days_when_a_section_is_withdrawn_while_the_office_has_another(
    section: Section, other: Section, amahle: User, stage: Stage
) -> None:
    at(other, stage=stage)
    withdraw_section(section=section, reason=WHY, **as_seen(section, amahle))
    event = Event.objects.get()
    assert (event.starts, event.ends, event.version) == (date(2026, 3, 6), date(2026, 3, 8), 0)


# ---------------------------------------------------------------- two people


def test_of_two_who_change_an_event_the_one_with_the_older_page_of_details_is_told(
    section: Section, amahle: User, nomsa: User
) -> None:
    said = named(section.event, organizer="Lindiwe Zulu")
    edit_event(event=section.event, said=said, **as_seen(section.event, nomsa))
    with pytest.raises(Refused, match="This event changed while your page was open"):
        saved(section, amahle, event_version=0, organizer="Sipho Nkosi")
    assert fresh(section).event.organizer == "Lindiwe Zulu"
    saved(section, amahle, event_version=1, organizer="Sipho Nkosi")
    assert fresh(section).event.organizer == "Sipho Nkosi"


def test_details_of_two_sections_are_saved_after_each_other_where_neither_changes_the_event(
    section: Section, other: Section, amahle: User
) -> None:
    saved(other, amahle, event_version=0)
    saved(section, amahle, event_version=0)
    assert fresh(section).event.version == 0


def test_a_page_of_details_that_comes_back_with_complaints_keeps_the_versions_that_it_showed(
    section: Section, amahle: User
) -> None:
    shown = DetailsForms(section)
    assert (shown.version, shown.details["event_version"].value()) == ("0", 0)
    Section.objects.update(version=4)
    Event.objects.update(version=3)
    again = DetailsForms(fresh(section), {"version": "0", "event_version": "0"})
    assert (again.version, again.details["event_version"].value()) == ("0", "0")


# ---------------------------------------------------------------- the page that edits the event


@pytest.mark.parametrize(
    ("stage", "state", "words", "form"),
    [
        (Stage.SUBMITTED, "planned", "The name and the place of the event can be changed now.", True),
        (Stage.RATED, "planned", "What is rated changes only if the office un-rates it first.", False),
        (Stage.RATED, "cancelled", "This event is cancelled, so this cannot be done now.", False),
        (Stage.SUBMITTED, "cancelled", "This event is cancelled, so this cannot be done now.", False),
    ],
)
def test_the_page_that_edits_an_event_says_what_stands_in_the_way_and_has_a_form_where_something_changes(
    client_of: ClientOf, section: Section, amahle: User, stage: Stage, state: str, words: str, form: bool
) -> None:
    at(section, stage=stage)
    Event.objects.update(state=state)
    page = unbroken(client_of(amahle).get("/csa/events/2026-001/sections/edit/").content.decode())
    assert words in page
    assert ("The name and the place" in page) == form
    assert ('name="reason"' in page) == form


def test_whoever_edits_an_event_that_was_withdrawn_meanwhile_reads_that_nothing_was_saved(
    client_of: ClientOf, section: Section, amahle: User
) -> None:
    sent = {
        "version": section.event.version,
        "name": "Soweto Cup",
        "starts": "2026-03-06",
        "ends": "2026-03-08",
        "reason": WHY,
        "arbiters-TOTAL_FORMS": 0,
        "arbiters-INITIAL_FORMS": 0,
    }
    withdraw_event(event=section.event, reason=WHY, **as_seen(section.event, amahle))
    answer = client_of(amahle).post("/csa/events/2026-001/sections/edit/", sent)
    assert answer.status_code == 409
    page = unbroken(answer.content.decode())
    assert "This event is withdrawn, so this cannot be done now." in page
    assert "Nothing was saved. What you typed stands below, to copy." in page
    assert "Soweto Cup" in page
    assert fresh(section).event.name == "Soweto Open"
