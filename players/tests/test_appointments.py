"""Appointments that stand: another last day, invitations again and void, one administrator a region."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

import pytest
from allauth.account.utils import user_pk_to_url_str
from django.core import mail
from django.http import HttpResponseBase
from django.test import Client
from django.utils import timezone

from players.appointments import (
    Invitation,
    appoint,
    compose_invitation,
    end_appointment,
    invitation_expires_at,
    invite_again,
    order_invitation_letter,
    set_last_day,
    void_invitation,
)
from players.models import Appointment, Federation, Ledger, Letter, Region, Role, User
from players.record import Refused
from players.settings import today
from tests.built_once import built_once

pytestmark = [pytest.mark.django_db, pytest.mark.servers]
ClientOf = Callable[[User], Client]
DAY = date(2026, 6, 1)


def an_invitation() -> Invitation:
    return Invitation("http://testserver", timezone.now())


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
    order_invitation_letter(held_by(nomsa), an_invitation())
    Appointment.objects.filter(user=nomsa).update(invited_at=None)
    [letter] = Letter.objects.filter(kind="invitation")
    assert compose_invitation(letter) is None
    Appointment.objects.filter(user=nomsa).update(invited_at=timezone.now())
    assert compose_invitation(letter) is not None


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


@pytest.mark.parametrize(("ended_before_it_began", "stands_in_the_way"), [(True, False), (False, True)])
def test_a_successor_who_was_ended_before_beginning_stands_in_nobodys_way(
    csa: Federation,
    gauteng: Region,
    amahle: User,
    thandi: User,
    *,
    ended_before_it_began: bool,
    stands_in_the_way: bool,
) -> None:
    begins = DAY + timedelta(days=30)
    new = successor(csa, gauteng, thandi, starts=begins, instead=True)
    if ended_before_it_began:
        end_appointment(appointment=new, by=thandi, on=DAY)
    held = held_by(amahle)
    told = {"appointment": held, "ends": None, "seen": held.ends, "by": thandi, "on": DAY}
    if stands_in_the_way:
        with pytest.raises(Refused, match="Gauteng has an administrator"):
            set_last_day(**told)  # type: ignore[arg-type]
    else:
        set_last_day(**told)  # type: ignore[arg-type]
        assert held_by(amahle).ends is None


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
@built_once
def invited(csa: Federation, thandi: User) -> Appointment:
    made = appoint(
        federation=csa,
        email="new@example.org",
        role=Role.OFFICIAL,
        starts=date(2026, 1, 1),
        by=thandi,
        on=DAY,
        invitation=an_invitation(),
    )
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
    assert invitation_expires_at(invited) is not None
    address = f"/csa/people/{invited.pk}/invitation/"
    assert "It works once, until" in client_of(thandi).get(address).content.decode()
    assert client_of(thandi).post(address, {"again": "1"}).status_code == 302
    assert len(mail.outbox) == 2
    assert opens(link_of(1))
    assert list(invited.federation.decisions.values_list("kind", flat=True)) == ["invite", "appoint"]


def test_an_invitation_names_the_link_for_a_new_one_as_the_sign_in_page_does(
    invited: Appointment, client: Client
) -> None:
    [named] = re.findall(r"“(Forg[^”]+)”", str(mail.outbox[0].body))
    page = client.get("/accounts/login/").content.decode()
    assert re.search(rf'href="/accounts/password/reset/"[^>]*>\s*{re.escape(named)}', page)
    assert f"<h1>{named}</h1>" in client.get("/accounts/password/reset/").content.decode()


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
    order_invitation_letter(invited, an_invitation())
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
        invite_again(appointment=invited, by=thandi, on=DAY, invitation=an_invitation())


@pytest.mark.parametrize("first", ["void", "again"])
@pytest.mark.usefixtures("letters_wait")
def test_of_an_invitation_again_and_void_the_later_holds_and_nothing_is_left_of_the_other(
    invited: Appointment, thandi: User, first: str
) -> None:
    def void() -> None:
        void_invitation(appointment=invited, by=thandi, on=DAY)

    def again() -> None:
        invite_again(appointment=invited, by=thandi, on=DAY, invitation=an_invitation())

    for deed in (void, again) if first == "void" else (again, void):
        deed()
    invited.refresh_from_db()
    assert (invited.invited_at is not None, Letter.objects.count()) == ((first == "void"), first == "void")


def test_the_link_of_another_invitation_takes_the_place_of_the_one_before(
    invited: Appointment, thandi: User
) -> None:
    invite_again(appointment=invited, by=thandi, on=DAY, invitation=an_invitation())
    assert (opens(link_of(0)), opens(link_of(1))) == (False, True)


def test_what_one_office_makes_void_leaves_the_link_that_another_sent_to_the_same_person(
    invited: Appointment, thandi: User
) -> None:
    other = Federation.objects.create(code="ssdc", name="Draughts", ruleset_slug="ssdc")
    Ledger.objects.create(federation=other)
    appoint(
        federation=other,
        email="new@example.org",
        role=Role.OFFICIAL,
        starts=date(2026, 1, 1),
        by=None,
        on=DAY,
        invitation=an_invitation(),
    )
    void_invitation(appointment=invited, by=thandi, on=DAY)
    assert (opens(link_of(0)), opens(link_of(1))) == (False, True)


def test_the_link_of_an_appointment_that_has_ended_opens_nothing_and_its_letter_does_not_go(
    invited: Appointment, csa: Federation
) -> None:
    Appointment.objects.filter(pk=invited.pk).update(ends=today(csa))
    assert opens(link_of(0))
    Appointment.objects.filter(pk=invited.pk).update(ends=today(csa) - timedelta(days=1))
    assert not opens(link_of(0))
    letter = Letter(kind="invitation", email="new@example.org")
    letter.particulars = {"appointment": invited.pk, "site": "http://testserver"}
    assert compose_invitation(letter) is None


def test_whoever_chose_a_password_by_an_invitation_finds_its_link_used(invited: Appointment) -> None:
    browser, page = Client(), link_of(0)
    form = browser.get(page, follow=True).redirect_chain[-1][0]
    words = "marula under a wide sky"
    assert browser.post(form, {"password1": words, "password2": words}).status_code == 302
    invited.user.refresh_from_db()
    assert invited.user.check_password(words)
    assert not opens(page)


@pytest.mark.parametrize("number", ["0", "x", "", "9" * 18, "9" * 400, "²"])
def test_a_key_that_names_no_open_invitation_of_the_person_opens_nothing(
    invited: Appointment, number: str
) -> None:
    link = link_of(0)
    assert not opens(link.replace(f"invited-{invited.pk}-", f"invited-{number}-"))


def test_another_persons_invitation_opens_no_account_but_theirs(invited: Appointment, nomsa: User) -> None:
    before, _key, after = link_of(0).partition("/key/")
    key = after.partition("-")[2]
    assert not opens(f"{before}/key/{user_pk_to_url_str(nomsa)}-{key}")


def test_the_letter_of_an_appointment_names_role_days_and_for_how_many_days_its_link_is_good(
    csa: Federation, gauteng: Region, thandi: User
) -> None:
    for email, ends in (("one@example.org", None), ("two@example.org", date(2026, 12, 31))):
        starts = DAY if ends is None else DAY + timedelta(days=1)
        appoint(
            federation=csa,
            email=email,
            role=Role.REGIONAL,
            region=gauteng,
            starts=starts,
            ends=ends,
            by=thandi,
            on=DAY,
            instead=True,
            invitation=an_invitation(),
        )
    one, two = (str(letter.body) for letter in mail.outbox)
    for words in ("regional administrator", "You file for Gauteng.", "works once, within 3 days"):
        assert words in one
    assert "The first day is 1 June 2026; no last day is set." in one
    assert "The first day is 2 June 2026, the last is 31 December 2026." in two


# ---------------------------------------------------------------- deed and letter in one transaction


def appointing(browser: Client, _held: Appointment) -> None:
    form = {"email": "late@example.org", "name": "L", "role": "official", "starts": "2026-06-01"}
    browser.post("/csa/people/appoint/", form)


def inviting_again(browser: Client, held: Appointment) -> None:
    browser.post(f"/csa/people/{held.pk}/invitation/", {"again": "1"})


@pytest.mark.parametrize("deed", [appointing, inviting_again])
@pytest.mark.usefixtures("letters_wait")
def test_whoever_is_killed_before_the_letter_is_ordered_has_made_no_appointment_either(
    invited: Appointment,
    thandi: User,
    client_of: ClientOf,
    monkeypatch: pytest.MonkeyPatch,
    deed: Callable[[Client, Appointment], None],
) -> None:
    browser, ordered = client_of(thandi), Letter.objects.count()
    with monkeypatch.context() as killed:
        killed.setattr(Letter, "save", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            deed(browser, invited)
    assert list(invited.federation.decisions.values_list("kind", flat=True)) == ["appoint"]
    assert not User.objects.filter(email="late@example.org").exists()
    assert Appointment.objects.get(pk=invited.pk).invited_at == invited.invited_at
    deed(browser, invited)
    assert Letter.objects.filter(kind="invitation").count() == ordered + 1
