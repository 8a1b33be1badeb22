"""Handovers: one deed puts the successor's name on what is open with a person."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.test import Client
from django.utils import timezone

from conftest import appointed
from players.appointments import appoint
from players.mail import send_due_letters
from players.models import Appointment, Federation, Letter, Player, Region, Role, Transfer, User
from players.record import Refused
from ratings import handovers
from ratings.handovers import carry_out_handover, list_open_things
from ratings.letters import order_due_letters, skip_past_decisions
from ratings.people import ask_transfer
from ratings.tests.office import register, submitted
from tests.built_once import built_once
from tournaments.models import Case, Event, MendingProposal, PermissionRequest, Section, SectionTaking, Stage
from tournaments.review import ask

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
DAY = date(2026, 6, 1)


@pytest.fixture
def on_the_day() -> Iterator[None]:
    with time_machine.travel(datetime(2026, 6, 1, 9, tzinfo=UTC), tick=False):
        yield


def held_by(user: User) -> Appointment:
    return Appointment.objects.select_related("user", "region", "federation").get(user=user)


@pytest.fixture
@built_once
def section(csa: Federation, gauteng: Region, amahle: User) -> Section:
    """A section of Gauteng that was returned, of an event that Amahle registered."""
    made = submitted(csa, register(csa, 8), rounds=10, region=gauteng)
    Event.objects.update(registered_by=amahle)
    Section.objects.update(stage=Stage.RETURNED, submitted_by=amahle)
    made.refresh_from_db()
    return made


@pytest.fixture
@built_once
def transfer(
    csa: Federation, section: Section, gauteng: Region, western_cape: Region, amahle: User
) -> Transfer:
    Player.objects.update(region=gauteng)
    player = Player.objects.earliest("pk")
    return ask_transfer(player=player, taking=western_cape, by=amahle, on=DAY, reason="moved house")


@pytest.fixture
@built_once
def permission(section: Section, amahle: User) -> PermissionRequest:
    return PermissionRequest.objects.create(
        section=section, clause="18", reason="A small hall.", asked_by=amahle, asked_on=DAY
    )


def handed(holder: User, to: User, by: User | None = None) -> None:
    carry_out_handover(appointment=held_by(holder), to=held_by(to), by=by, on=DAY)


@pytest.fixture
@built_once
def naledi(csa: Federation, amahle: User, gauteng: Region) -> User:
    """Who administers Gauteng from today on; Amahle did until yesterday, as §60 wants one of them."""
    terms: dict[str, Any] = {"role": Role.REGIONAL, "region": gauteng, "starts": DAY, "instead": True}
    appoint(federation=csa, email="naledi@example.org", name="Naledi", by=None, on=DAY, **terms)
    return User.objects.get(email="naledi@example.org")


# ---------------------------------------------------------------- what goes over, and what does not


@pytest.fixture
@built_once
def zodwa(csa: Federation) -> User:
    """A second official, in office."""
    return appointed("Zodwa", csa, Role.OFFICIAL)


def test_what_is_open_with_a_former_administrator_goes_over_at_once(
    csa: Federation,
    amahle: User,
    naledi: User,
    section: Section,
    permission: PermissionRequest,
    transfer: Transfer,
) -> None:
    handed(amahle, naledi)
    for row, column in (
        (Event.objects.get(), "registered_by"),
        (PermissionRequest.objects.get(), "asked_by"),
        (Transfer.objects.get(), "asked_by"),
    ):
        assert getattr(row, column) == naledi, row
    told = csa.decisions.get(kind="carry-out-handover").details
    assert (told["events"], told["permissions"]) == ([section.event.number], [section.key])
    assert told["transfers"] == [transfer.player.number]
    assert list_open_things(held_by(amahle), DAY)[0].key == "returned"


def test_a_colleague_in_office_takes_over_at_once_what_an_official_has_taken(
    csa: Federation, nomsa: User, zodwa: User, section: Section
) -> None:
    SectionTaking.objects.create(section=section, official=nomsa, since=timezone.now())
    handed(nomsa, zodwa)
    assert SectionTaking.objects.get().official == zodwa
    assert csa.decisions.get(kind="carry-out-handover").details["taken"] == [section.key]


def test_what_somebody_submitted_or_proposed_stays_theirs_as_four_eyes_want_it(
    csa: Federation, nomsa: User, zodwa: User, section: Section
) -> None:
    Section.objects.update(stage=Stage.RATED, submitted_by=nomsa)
    section.refresh_from_db()
    MendingProposal.objects.create(
        section=section, version=section.version, changes=[], code="result", words="A slip.", by=nomsa, on=DAY
    )
    listed = {each.key: each.moves for each in list_open_things(held_by(nomsa), DAY)}
    assert listed == {"proposals": False}
    SectionTaking.objects.create(section=section, official=nomsa, since=timezone.now())
    handed(nomsa, zodwa)
    section.refresh_from_db()
    assert section.submitted_by == nomsa
    assert MendingProposal.objects.get().by == nomsa


def test_what_is_finished_or_of_another_region_does_not_go_over(
    csa: Federation, amahle: User, naledi: User, section: Section, western_cape: Region
) -> None:
    Section.objects.update(stage=Stage.RATED)
    elsewhere = submitted(csa, list(Player.objects.all()), number="2026-002", rounds=10, region=western_cape)
    Event.objects.update(registered_by=amahle)
    assert elsewhere.event.region == western_cape
    with pytest.raises(Refused, match="Nothing open bears"):
        handed(amahle, naledi)
    assert set(Event.objects.values_list("registered_by", flat=True)) == {amahle.pk}
    assert not csa.decisions.filter(kind="carry-out-handover").exists()


def test_an_official_who_administers_a_region_too_hands_over_the_offices_things_alone(
    csa: Federation, nomsa: User, zodwa: User, section: Section, western_cape: Region
) -> None:
    theirs = submitted(csa, list(Player.objects.all()), number="2026-002", rounds=10, region=western_cape)
    official = held_by(nomsa)
    Appointment.objects.create(
        user=nomsa, federation=csa, role=Role.REGIONAL, region=western_cape, starts=date(2026, 1, 1)
    )
    Event.objects.update(registered_by=nomsa)
    carry_out_handover(appointment=official, to=held_by(zodwa), by=None, on=DAY)
    assert Event.objects.get(pk=theirs.event_id).registered_by == nomsa
    assert Event.objects.get(pk=section.event_id).registered_by == zodwa


def test_a_handover_that_fails_in_the_middle_moves_nothing(
    csa: Federation,
    amahle: User,
    naledi: User,
    section: Section,
    permission: PermissionRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_given: Any, **_details: Any) -> None:
        assert Event.objects.get().registered_by == naledi
        raise RuntimeError("in the middle")

    monkeypatch.setattr(handovers, "record_appointment_decision", broken)
    with pytest.raises(RuntimeError, match="in the middle"):
        handed(amahle, naledi)
    assert Event.objects.get().registered_by == amahle


@pytest.mark.parametrize("other", ["same person", "official", "other region"])
def test_who_follows_holds_the_same_appointment_and_is_another_person(
    amahle: User, nomsa: User, pieter: User, section: Section, other: str
) -> None:
    with pytest.raises(Refused, match="somebody else who holds the same"):
        handed(amahle, {"same person": amahle, "official": nomsa, "other region": pieter}[other])


@pytest.mark.parametrize(
    ("starts", "ends", "takes"),
    [
        (DAY, DAY, True),
        (DAY + timedelta(days=1), None, False),
        (DAY - timedelta(days=9), DAY - timedelta(days=1), False),
    ],
)
def test_who_follows_is_in_office_on_the_day_neither_before_nor_after(
    nomsa: User, zodwa: User, section: Section, starts: date, ends: date | None, takes: bool
) -> None:
    Event.objects.update(registered_by=nomsa)
    Appointment.objects.filter(user=zodwa).update(starts=starts, ends=ends)
    if takes:
        handed(nomsa, zodwa)
    else:
        with pytest.raises(Refused, match="somebody else who holds the same"):
            handed(nomsa, zodwa)
    assert Event.objects.get().registered_by == (zodwa if takes else nomsa)


def test_of_two_who_hand_over_the_same_the_second_is_refused(
    csa: Federation, nomsa: User, zodwa: User, section: Section
) -> None:
    Event.objects.update(registered_by=nomsa)
    handed(nomsa, zodwa)
    with pytest.raises(Refused, match="Nothing open bears"):
        handed(nomsa, appointed("Palesa", csa, Role.OFFICIAL))
    assert Event.objects.get().registered_by == zodwa


# ---------------------------------------------------------------- the page, the record, the letters


@pytest.mark.usefixtures("on_the_day")
def test_an_administrator_sees_what_is_open_with_a_former_one_and_hands_it_over(
    client_of: ClientOf,
    csa: Federation,
    thandi: User,
    amahle: User,
    naledi: User,
    nomsa: User,
    section: Section,
) -> None:
    ask(section=section, by=nomsa, on=DAY, words="Who played in round 3?")
    Case.objects.create(
        federation=csa,
        region=section.event.region,
        section=section,
        email="parent@example.org",
        state=Case.State.OPEN,
        reported_at=timezone.now(),
    )
    browser, page = client_of(thandi), f"/csa/people/{held_by(amahle).pk}/handover/"
    assert "Hand over what is open with Amahle" in browser.get("/csa/people/").content.decode()
    seen = browser.get(page).content.decode()
    assert not re.search(r'name="successor"[^>]*checked', seen)
    for words in ("Events registered", "Sections to be filed again", "Remarks to be", "Mistakes reported"):
        assert words in seen, words
    done = browser.post(page, {"successor": held_by(naledi).pk}, follow=True)
    assert "What was open is with Naledi now." in done.content.decode()
    assert Event.objects.get().registered_by == naledi
    assert "Hand it over" not in browser.get(page).content.decode()
    record = browser.get("/csa/record/").content.decode()
    assert "Thandi handed what was open with Amahle over to Naledi." in record


@pytest.mark.usefixtures("on_the_day")
def test_a_form_without_successor_is_told_so(
    client_of: ClientOf, thandi: User, amahle: User, naledi: User, section: Section
) -> None:
    answer = client_of(thandi).post(f"/csa/people/{held_by(amahle).pk}/handover/", {})
    assert answer.status_code == 400
    assert "required" in answer.content.decode()
    assert Event.objects.get().registered_by == amahle


@pytest.mark.usefixtures("on_the_day")
def test_while_nobody_else_holds_the_appointment_the_page_says_so(
    client_of: ClientOf, thandi: User, amahle: User, section: Section
) -> None:
    page = client_of(thandi).get(f"/csa/people/{held_by(amahle).pk}/handover/").content.decode()
    assert "Nobody else holds this appointment today." in page
    assert 'name="successor"' not in page


def test_the_person_hands_over_to_a_colleague_in_office(
    client_of: ClientOf, csa: Federation, nomsa: User, zodwa: User, section: Section
) -> None:
    Event.objects.update(registered_by=nomsa)
    browser, page = client_of(nomsa), f"/csa/people/{held_by(nomsa).pk}/handover/"
    assert page in browser.get("/accounts/me/").content.decode()
    assert browser.post(page, {"successor": held_by(zodwa).pk}).headers["Location"] == "/accounts/me/"
    assert Event.objects.get().registered_by == zodwa


def test_nobody_hands_over_what_is_anothers(
    client_of: ClientOf, amahle: User, nomsa: User, pieter: User
) -> None:
    page = f"/csa/people/{held_by(amahle).pk}/handover/"
    assert client_of(nomsa).get(page).status_code == 403
    assert client_of(pieter).post(page, {"successor": held_by(pieter).pk}).status_code == 403


@pytest.mark.usefixtures("letters_wait")
def test_both_are_told_by_letter_who_has_what_was_open(
    csa: Federation, amahle: User, naledi: User, section: Section
) -> None:
    skip_past_decisions(csa)
    handed(amahle, naledi)
    order_due_letters(timezone.now())
    letters = Letter.objects.filter(particulars__about="handover")
    assert set(letters.values_list("email", flat=True)) == {amahle.email, naledi.email}
    send_due_letters(timezone.now())
    told = next(each for each in mail.outbox if "Handover from Amahle to Naledi" in each.subject)
    assert "What was open with Amahle (regional administrator) is with Naledi now." in str(told.body)
    assert "Gauteng" in str(told.body)


def test_an_administrators_open_invitations_are_listed_and_stay_with_the_office(
    csa: Federation, thandi: User, amahle: User
) -> None:
    Appointment.objects.filter(user=amahle).update(invited_at=timezone.now())
    [found] = list_open_things(held_by(thandi), DAY)
    assert (found.key, found.moves, [words for words, _path in found.shown]) == (
        "invitations",
        False,
        ["Amahle"],
    )
