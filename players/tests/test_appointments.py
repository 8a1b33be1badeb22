"""Appointments that stand: another last day, invitations again and void, one administrator a region."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

import pytest
from django.core import mail
from django.http import HttpResponseBase
from django.test import Client
from django.utils import timezone

from players.office.administration import appoint, end_appointment
from players.office.appointments import invite_again, invited_until, set_last_day, void_invitation
from players.office.decision_record import Refused
from players.office.mail.invitation_letter import compose, invite
from players.office.models import Appointment, Federation, Letter, Region, Role, User
from players.office.settings_schema import today

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
DAY = date(2026, 6, 1)


def held_by(user: User) -> Appointment:
    return Appointment.objects.get(user=user)


def last_day(appointment: Appointment, ends: date | None, by: User, on: date = DAY) -> None:
    set_last_day(appointment=appointment, ends=ends, seen=appointment.ends, by=by, on=on)


# ---------------------------------------------------------------- the last day


def test_an_appointment_in_force_gets_a_last_day_a_later_one_and_none_each_on_record(
    csa: Federation, nomsa: User, thandi: User
) -> None:
    appointment = held_by(nomsa)
    for ends in (DAY, DAY + timedelta(days=30), None):
        last_day(appointment, ends, thandi)
        appointment.refresh_from_db()
        assert appointment.ends == ends
    told = [each.details["ends"] for each in csa.decisions.filter(kind="set-last-day").order_by("number")]
    assert told == ["2026-06-01", "2026-07-01", "open"]


def test_a_last_day_before_today_or_the_first_is_refused_and_today_is_not(
    csa: Federation, nomsa: User, thandi: User
) -> None:
    with pytest.raises(Refused, match="To end it at once"):
        last_day(held_by(nomsa), DAY - timedelta(days=1), thandi)
    last_day(held_by(nomsa), DAY, thandi)


def test_an_appointment_that_has_ended_is_given_no_other_last_day(
    csa: Federation, nomsa: User, thandi: User
) -> None:
    Appointment.objects.filter(user=nomsa).update(ends=DAY - timedelta(days=1))
    with pytest.raises(Refused, match="has ended already"):
        last_day(held_by(nomsa), DAY + timedelta(days=1), thandi)


def test_of_two_who_change_a_last_day_the_second_is_refused(
    csa: Federation, nomsa: User, thandi: User
) -> None:
    seen = held_by(nomsa)
    last_day(held_by(nomsa), DAY + timedelta(days=1), thandi)
    with pytest.raises(Refused, match="Somebody else changed this appointment"):
        set_last_day(appointment=seen, ends=DAY + timedelta(days=9), seen=None, by=thandi, on=DAY)


def test_the_last_administrator_gets_a_last_day_only_with_a_successor(csa: Federation, thandi: User) -> None:
    with pytest.raises(Refused, match="An office needs an administrator"):
        last_day(held_by(thandi), DAY, thandi)
    appoint(
        federation=csa,
        email="new@example.org",
        role=Role.ADMINISTRATOR,
        starts=DAY + timedelta(days=1),
        by=thandi,
        on=DAY,
    )
    last_day(held_by(thandi), DAY, thandi)


def test_nobody_ends_an_appointment_that_lasts_longer_than_all_others_of_administrators(
    csa: Federation, thandi: User
) -> None:
    given = {"federation": csa, "role": Role.ADMINISTRATOR, "starts": DAY, "by": thandi, "on": DAY}
    appoint(email="new@example.org", **given)  # type: ignore[arg-type]
    last_day(held_by(thandi), DAY + timedelta(days=10), thandi)
    new = User.objects.get(email="new@example.org")
    with pytest.raises(Refused, match="An office needs an administrator"):
        end_appointment(appointment=held_by(new), by=thandi, on=DAY)
    with pytest.raises(Refused, match="An office needs an administrator"):
        last_day(held_by(new), DAY + timedelta(days=5), thandi)
    end_appointment(appointment=held_by(thandi), by=new, on=DAY)


@pytest.mark.usefixtures("letters_wait")
def test_an_invitation_that_was_made_void_before_its_letter_was_ordered_brings_none(
    csa: Federation, nomsa: User, thandi: User
) -> None:
    invite(held_by(nomsa), "http://office.example")
    Appointment.objects.filter(user=nomsa).update(invited_at=None)
    [letter] = Letter.objects.filter(kind="invitation")
    assert compose(letter) is None
    Appointment.objects.filter(user=nomsa).update(invited_at=timezone.now())
    assert compose(letter) is not None


def test_nothing_is_recorded_where_nothing_changes(csa: Federation, nomsa: User, thandi: User) -> None:
    last_day(held_by(nomsa), None, thandi)
    assert not csa.decisions.exists()


def test_the_page_of_the_last_day_tells_a_clash_and_saves(
    csa: Federation, nomsa: User, thandi: User, client_of: ClientOf
) -> None:
    browser, address = client_of(thandi), f"/csa/people/{held_by(nomsa).pk}/last-day/"
    assert "Save the last day" in browser.get(address).content.decode()
    later = today(csa) + timedelta(days=40)
    assert browser.post(address, {"ends": later.isoformat(), "seen": ""}).status_code == 302
    assert held_by(nomsa).ends == later
    assert browser.post(address, {"ends": "", "seen": ""}).status_code == 409
    assert browser.post(address, {"ends": "soon", "seen": ""}).status_code == 400


# ---------------------------------------------------------------- one administrator a region


def successor(csa: Federation, gauteng: Region, by: User, **given: object) -> Appointment:
    return appoint(
        federation=csa,
        email="new@example.org",
        role=Role.REGIONAL,
        region=gauteng,
        by=by,
        on=DAY,
        **{"starts": DAY, **given},  # type: ignore[arg-type]
    )


def test_where_the_regulations_want_one_a_second_administrator_of_a_region_is_told_and_refused(
    csa: Federation, gauteng: Region, amahle: User, thandi: User
) -> None:
    with pytest.raises(Refused, match=r"Gauteng has an administrator: Amahle.*§60"):
        successor(csa, gauteng, thandi)
    assert not User.objects.filter(email="new@example.org").exists()


def test_a_successor_ends_the_appointment_before_the_day_before(
    csa: Federation, gauteng: Region, amahle: User, thandi: User
) -> None:
    successor(csa, gauteng, thandi, instead=True)
    assert held_by(amahle).ends == DAY - timedelta(days=1)
    kinds = csa.decisions.order_by("number").values_list("kind", flat=True)
    assert list(kinds) == ["set-last-day", "appoint"]


def test_a_successor_from_the_day_after_the_last_is_no_second(
    csa: Federation, gauteng: Region, amahle: User, thandi: User
) -> None:
    Appointment.objects.filter(user=amahle).update(ends=DAY)
    with pytest.raises(Refused, match="§60"):
        successor(csa, gauteng, thandi, starts=DAY)
    successor(csa, gauteng, thandi, starts=DAY + timedelta(days=1))
    with pytest.raises(Refused, match="§60"):
        last_day(held_by(amahle), DAY + timedelta(days=1), thandi)


def test_an_office_whose_regulations_do_not_say_so_has_several_administrators_in_a_region(
    csa: Federation, gauteng: Region, amahle: User, thandi: User
) -> None:
    Federation.objects.update(ruleset_slug="pfo")
    office = Federation.objects.get()
    successor(office, gauteng, thandi)
    assert held_by(amahle).ends is None


def test_the_form_appoints_a_successor_where_the_box_is_ticked(
    csa: Federation, gauteng: Region, amahle: User, thandi: User, client_of: ClientOf
) -> None:
    form = {
        "email": "new@example.org",
        "name": "New",
        "role": "regional",
        "region": gauteng.pk,
        "starts": today(csa).isoformat(),
    }
    refused = client_of(thandi).post("/csa/people/appoint/", form)
    assert refused.status_code == 409
    assert "Gauteng has an administrator: Amahle." in refused.content.decode()
    assert client_of(thandi).post("/csa/people/appoint/", {**form, "instead": "on"}).status_code == 302
    assert held_by(amahle).ends == today(csa) - timedelta(days=1)


# ---------------------------------------------------------------- invitations


@pytest.fixture
def invited(csa: Federation, thandi: User) -> Appointment:
    made = appoint(
        federation=csa,
        email="new@example.org",
        role=Role.OFFICIAL,
        starts=date(2026, 1, 1),
        by=thandi,
        on=DAY,
    )
    invite(made, "http://testserver")
    made.refresh_from_db()
    return made


def link_of(letter: int) -> str:
    [link] = [line for line in str(mail.outbox[letter].body).split() if "/key/" in line]
    return link.removeprefix("http://testserver")


def main_of(page: HttpResponseBase) -> str:
    """What a page itself says, without the tokens of its forms."""
    said = page.content.decode().split("<main")[1].split("</main>")[0]  # type: ignore[attr-defined]
    return re.sub(r'value="\w{64}"', "", said)


def opens(link: str) -> bool:
    return 'name="password1"' in Client().get(link, follow=True).content.decode()


def test_an_invitation_shows_its_end_and_goes_again(
    invited: Appointment, thandi: User, client_of: ClientOf
) -> None:
    assert invited_until(invited) is not None
    address = f"/csa/people/{invited.pk}/invitation/"
    assert "It works once, until" in client_of(thandi).get(address).content.decode()
    assert client_of(thandi).post(address, {"again": "1"}).status_code == 302
    assert len(mail.outbox) == 2
    assert opens(link_of(1))
    assert list(invited.federation.decisions.values_list("kind", flat=True)) == ["invite", "appoint"]


def test_an_invitation_made_void_opens_nothing_and_another_opens_again(
    invited: Appointment, thandi: User, client_of: ClientOf
) -> None:
    assert opens(link_of(0))
    address = f"/csa/people/{invited.pk}/invitation/"
    assert client_of(thandi).post(address, {"void": "1"}).status_code == 302
    assert not opens(link_of(0))
    assert "No invitation is open" in client_of(thandi).get(address).content.decode()
    assert client_of(thandi).post(address, {"void": "1"}).status_code == 409
    client_of(thandi).post(address, {"again": "1"})
    assert opens(link_of(1))
    assert not opens(link_of(0))


@pytest.mark.usefixtures("letters_wait")
def test_a_void_invitation_that_is_still_to_go_does_not_go(invited: Appointment, thandi: User) -> None:
    invite(invited, "http://testserver")
    void_invitation(appointment=invited, by=thandi, on=DAY)
    assert not Letter.objects.exists()


def test_a_void_invitation_shuts_nobody_out_who_has_a_password_and_no_page_tells_that(
    invited: Appointment, thandi: User, client_of: ClientOf
) -> None:
    browser, address = client_of(thandi), f"/csa/people/{invited.pk}/invitation/"
    before = main_of(browser.get(address))
    invited.user.set_password("a long pass phrase of hers")
    invited.user.save()
    assert main_of(browser.get(address)) == before
    void_invitation(appointment=invited, by=thandi, on=DAY)
    invited.user.refresh_from_db()
    assert invited.user.check_password("a long pass phrase of hers")


def test_nobody_is_invited_to_an_appointment_that_has_ended(invited: Appointment, thandi: User) -> None:
    Appointment.objects.filter(pk=invited.pk).update(ends=DAY - timedelta(days=1))
    with pytest.raises(Refused, match="has ended already"):
        invite_again(appointment=invited, by=thandi, on=DAY, at=timezone.now())
