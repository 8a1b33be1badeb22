"""Handovers: one deed gives a last day, a successor and what is open; §60 holds on each side of the day."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from conftest import appointed
from players.access import Permission, get_rights
from players.appointments import appoint, end_appointment
from players.mail import send_due_letters
from players.models import Appointment, Federation, Handover, Letter, Player, Region, Role, Transfer, User
from players.record import Refused
from players.settings import today
from ratings import handovers
from ratings.handovers import Successor, carry_out_handovers, list_open_things, plan_handover
from ratings.letters import order_due_letters, skip_past_decisions
from ratings.people import ask_transfer
from ratings.tests.office import register, submitted
from tests.built_once import built_once
from tournaments.models import Case, Event, MendingProposal, PermissionRequest, Section, SectionTaking, Stage
from tournaments.review import ask

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
DAY = date(2026, 6, 1)
LAST = date(2026, 6, 30)
NEXT = date(2026, 7, 1)


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


def handed(
    holder: User, successor: Successor, ends: date | None = LAST, on: date = DAY, by: User | None = None
) -> Handover:
    appointment = held_by(holder)
    return plan_handover(
        appointment=appointment, successor=successor, ends=ends, seen=appointment.ends, by=by, on=on
    )


NEW = Successor(email="new@example.org", name="Naledi")


def in_charge(region: Region, day: date) -> list[str]:
    held = Appointment.objects.filter(role=Role.REGIONAL, region=region).on(day)
    return [each.known_as for each in held]


# ---------------------------------------------------------------- the day between two


def test_on_each_side_of_the_day_one_person_administers_the_region_and_no_other(
    csa: Federation, amahle: User, gauteng: Region
) -> None:
    handed(amahle, NEW)
    new = User.objects.get(email="new@example.org")
    assert in_charge(gauteng, LAST) == ["Amahle"]
    assert in_charge(gauteng, NEXT) == ["Naledi"]
    for user, day, may in (
        (amahle, LAST, True),
        (amahle, NEXT, False),
        (new, LAST, False),
        (new, NEXT, True),
    ):
        assert (Permission.SECTIONS_FILE in get_rights(user, csa, day)) == may, (user, day)


def test_what_is_open_goes_over_on_the_successors_first_day_and_not_on_the_last_of_the_other(
    csa: Federation, amahle: User, section: Section, permission: PermissionRequest, transfer: Transfer
) -> None:
    handed(amahle, NEW)
    new = User.objects.get(email="new@example.org")
    assert carry_out_handovers(csa, LAST) == 0
    assert Event.objects.get().registered_by == amahle
    assert carry_out_handovers(csa, NEXT) == 1
    for row, column in (
        (Event.objects.get(), "registered_by"),
        (PermissionRequest.objects.get(), "asked_by"),
        (Transfer.objects.get(), "asked_by"),
    ):
        assert getattr(row, column) == new, row
    assert carry_out_handovers(csa, NEXT) == 0
    told = csa.decisions.get(kind="carry-out-handover").details
    assert (told["events"], told["permissions"]) == ([section.event.number], [section.key])
    assert told["transfers"] == [transfer.player.number]


def test_what_became_open_until_the_day_goes_over_too(
    csa: Federation, amahle: User, section: Section
) -> None:
    Event.objects.update(registered_by=None)
    handed(amahle, NEW)
    Event.objects.update(registered_by=amahle)
    carry_out_handovers(csa, NEXT)
    assert Event.objects.get().registered_by == User.objects.get(email="new@example.org")


def test_a_last_day_that_stood_already_can_be_moved_either_way_by_the_handover(
    amahle: User, gauteng: Region
) -> None:
    Appointment.objects.filter(user=amahle).update(ends=LAST)
    later = LAST + timedelta(days=10)
    handed(amahle, NEW, ends=later)
    assert in_charge(gauteng, later) == ["Amahle"]
    assert in_charge(gauteng, later + timedelta(days=1)) == ["Naledi"]


@pytest.mark.parametrize(("ago", "taken"), [(1, True), (2, False)])
def test_yesterday_ends_it_at_once_and_what_is_open_goes_over_the_same_moment(
    csa: Federation, amahle: User, section: Section, ago: int, taken: bool
) -> None:
    if not taken:
        with pytest.raises(Refused, match="yesterday at the earliest"):
            handed(amahle, NEW, ends=DAY - timedelta(days=ago))
        return
    assert carry_out_handovers(csa, DAY) == 0
    handed(amahle, NEW, ends=DAY - timedelta(days=ago))
    assert Handover.objects.get().done_on == DAY
    assert Event.objects.get().registered_by == User.objects.get(email="new@example.org")
    assert Permission.SECTIONS_FILE not in get_rights(amahle, csa, DAY)


def test_a_second_administrator_beside_the_first_is_refused_and_nothing_is_kept(
    csa: Federation, amahle: User, gauteng: Region
) -> None:
    """Somebody is appointed from August on: who follows in July would be a second one then."""
    appoint(
        federation=csa,
        email="august@example.org",
        role=Role.REGIONAL,
        region=gauteng,
        starts=date(2026, 8, 1),
        by=None,
        on=DAY,
        instead=True,
    )
    before = csa.decisions.count()
    with pytest.raises(Refused, match="begins on that day or later"):
        handed(amahle, NEW)
    assert not Handover.objects.exists()
    assert csa.decisions.count() == before
    assert held_by(amahle).ends == date(2026, 7, 31)


# ---------------------------------------------------------------- what goes over, and what does not


@pytest.fixture
@built_once
def zodwa(csa: Federation) -> User:
    """A second official, in office."""
    return appointed("Zodwa", csa, Role.OFFICIAL)


def test_a_colleague_in_office_takes_over_at_once_what_an_official_has_taken(
    csa: Federation, nomsa: User, zodwa: User, section: Section
) -> None:
    SectionTaking.objects.create(section=section, official=nomsa, since=timezone.now())
    handed(nomsa, Successor(held_by(zodwa)), ends=LAST)
    assert SectionTaking.objects.get().official == zodwa
    assert held_by(nomsa).ends == LAST
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
    handed(nomsa, Successor(held_by(zodwa)))
    section.refresh_from_db()
    assert section.submitted_by == nomsa
    assert MendingProposal.objects.get().by == nomsa


def test_what_is_finished_or_of_another_region_does_not_go_over(
    csa: Federation, amahle: User, section: Section, western_cape: Region
) -> None:
    Section.objects.update(stage=Stage.RATED)
    elsewhere = submitted(csa, list(Player.objects.all()), number="2026-002", rounds=10, region=western_cape)
    Event.objects.update(registered_by=amahle)
    assert elsewhere.event.region == western_cape
    handed(amahle, NEW)
    carry_out_handovers(csa, NEXT)
    assert set(Event.objects.values_list("registered_by", flat=True)) == {amahle.pk}


def test_an_official_who_administers_a_region_too_hands_over_the_offices_things_alone(
    csa: Federation, nomsa: User, zodwa: User, section: Section, western_cape: Region
) -> None:
    theirs = submitted(csa, list(Player.objects.all()), number="2026-002", rounds=10, region=western_cape)
    official = held_by(nomsa)
    Appointment.objects.create(
        user=nomsa, federation=csa, role=Role.REGIONAL, region=western_cape, starts=date(2026, 1, 1)
    )
    Event.objects.update(registered_by=nomsa)
    plan_handover(
        appointment=official, successor=Successor(held_by(zodwa)), ends=None, seen=None, by=None, on=DAY
    )
    assert Event.objects.get(pk=theirs.event_id).registered_by == nomsa
    assert Event.objects.get(pk=section.event_id).registered_by == zodwa


def test_a_handover_that_fails_in_the_middle_moves_nothing(
    csa: Federation,
    amahle: User,
    section: Section,
    permission: PermissionRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    handed(amahle, NEW)
    things = handovers._by_name

    def broken(*given: Any) -> Any:
        yield next(things(*given))
        raise RuntimeError("in the middle")

    monkeypatch.setattr(handovers, "_by_name", broken)
    with pytest.raises(RuntimeError, match="in the middle"):
        carry_out_handovers(csa, NEXT)
    assert Event.objects.get().registered_by == amahle
    assert Handover.objects.get().done_on is None


def test_a_handover_to_somebody_who_left_before_waits_until_another_is_chosen(
    csa: Federation, nomsa: User, zodwa: User, section: Section
) -> None:
    Event.objects.update(registered_by=nomsa)
    to_come = held_by(zodwa)
    Appointment.objects.filter(pk=to_come.pk).update(starts=NEXT)
    handed(nomsa, Successor(held_by(zodwa)), ends=None)
    end_appointment(appointment=to_come, by=None, on=DAY)
    assert carry_out_handovers(csa, NEXT) == 0
    palesa = appointed("Palesa", csa, Role.OFFICIAL)
    handed(nomsa, Successor(held_by(palesa)), ends=None)
    assert Event.objects.get().registered_by == palesa
    assert Handover.objects.count() == 1


@pytest.mark.parametrize("other", ["same person", "official", "other region"])
def test_who_follows_holds_the_same_appointment_and_is_another_person(
    amahle: User, nomsa: User, pieter: User, other: str
) -> None:
    to = held_by({"same person": amahle, "official": nomsa, "other region": pieter}[other])
    with pytest.raises(Refused, match="somebody else who holds the same"):
        handed(amahle, Successor(to))


def test_of_two_who_hand_over_what_they_saw_the_second_is_refused(amahle: User) -> None:
    seen = held_by(amahle)
    handed(amahle, NEW)
    with pytest.raises(Refused, match="Somebody else changed this appointment"):
        plan_handover(
            appointment=seen,
            successor=Successor(email="x@example.org"),
            ends=LAST,
            seen=None,
            by=None,
            on=DAY,
        )


# ---------------------------------------------------------------- the page, the record, the letters


def test_an_administrator_sees_what_is_open_and_hands_it_to_somebody_new(
    client_of: ClientOf, csa: Federation, thandi: User, amahle: User, nomsa: User, section: Section
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
    page = f"/csa/people/{held_by(amahle).pk}/handover/"
    seen = client_of(thandi).get(page).content.decode()
    assert not re.search(r'name="successor"[^>]*checked', seen)
    for words in ("Events registered", "Sections to be filed again", "Remarks to be", "Mistakes reported"):
        assert words in seen, words
    last = today(csa) + timedelta(days=10)
    form = {"successor": "new", "email": "new@example.org", "name": "Naledi", "ends": last.isoformat()}
    done = client_of(thandi).post(page, form, follow=True)
    assert "goes over to Naledi on" in done.content.decode()
    assert Handover.objects.get().to.starts == last + timedelta(days=1)
    assert Handover.objects.get().to.invited_at is not None
    assert "Naledi" in client_of(thandi).get(page).content.decode()
    record = client_of(thandi).get("/csa/record/").content.decode()
    assert "arranged that what is open with" in record


def test_somebody_new_who_is_a_colleague_keeps_the_name_and_is_told(
    client_of: ClientOf, csa: Federation, thandi: User, amahle: User, nomsa: User
) -> None:
    page = f"/csa/people/{held_by(amahle).pk}/handover/"
    last = today(csa) + timedelta(days=10)
    form = {"successor": "new", "email": nomsa.email.upper(), "name": "Somebody", "ends": last.isoformat()}
    done = client_of(thandi).post(page, form, follow=True).content.decode()
    assert "The address is that of Nomsa, who has an account here: the name stays." in done
    assert "goes over to Nomsa on" in done
    assert set(nomsa.appointments.values_list("name", flat=True)) == {"Nomsa"}
    assert csa.appointments.names()[nomsa.pk] == "Nomsa"


def test_somebody_new_whom_the_office_does_not_know_has_the_name_that_was_typed(
    client_of: ClientOf, csa: Federation, thandi: User, amahle: User
) -> None:
    page = f"/csa/people/{held_by(amahle).pk}/handover/"
    last = today(csa) + timedelta(days=10)
    form = {"successor": "new", "email": "new@example.org", "name": "Naledi", "ends": last.isoformat()}
    done = client_of(thandi).post(page, form, follow=True).content.decode()
    assert "has an account here" not in done
    assert Handover.objects.get().to.known_as == "Naledi"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "required"),
        ({"successor": "new"}, "Give the address"),
        ({"successor": "new", "email": "new@example.org"}, "Give the last day"),
    ],
)
def test_a_form_without_successor_address_or_last_day_is_told_so(
    client_of: ClientOf, thandi: User, amahle: User, given: dict[str, str], words: str
) -> None:
    answer = client_of(thandi).post(f"/csa/people/{held_by(amahle).pk}/handover/", given)
    assert answer.status_code in (400, 409)
    assert words in answer.content.decode()
    assert not Handover.objects.exists()


def test_the_person_hands_over_to_who_is_appointed_already_and_appoints_nobody(
    client_of: ClientOf, csa: Federation, nomsa: User, zodwa: User, section: Section
) -> None:
    Event.objects.update(registered_by=nomsa)
    browser, page = client_of(nomsa), f"/csa/people/{held_by(nomsa).pk}/handover/"
    assert page in browser.get("/accounts/me/").content.decode()
    assert 'name="email"' not in browser.get(page).content.decode()
    assert browser.post(page, {"successor": "new", "email": "x@example.org"}).status_code == 400
    form = {"successor": held_by(zodwa).pk, "ends": today(csa).isoformat()}
    assert browser.post(page, form).headers["Location"] == "/accounts/me/"
    assert Event.objects.get().registered_by == zodwa
    assert held_by(nomsa).ends is None


def test_nobody_hands_over_what_is_anothers(
    client_of: ClientOf, amahle: User, nomsa: User, pieter: User
) -> None:
    page = f"/csa/people/{held_by(amahle).pk}/handover/"
    assert client_of(nomsa).get(page).status_code == 403
    assert client_of(pieter).post(page, {"successor": held_by(pieter).pk}).status_code == 403


@pytest.mark.usefixtures("letters_wait")
def test_both_are_told_by_letter_who_follows_and_from_when(csa: Federation, amahle: User) -> None:
    skip_past_decisions(csa)
    handed(amahle, NEW)
    order_due_letters(timezone.now())
    letters = Letter.objects.filter(particulars__about="handover")
    assert set(letters.values_list("email", flat=True)) == {amahle.email, "new@example.org"}
    send_due_letters(timezone.now())
    told = next(each for each in mail.outbox if "Handover from Amahle to Naledi" in each.subject)
    assert "1 July 2026" in str(told.body)
    assert "30 June 2026" in str(told.body)
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
