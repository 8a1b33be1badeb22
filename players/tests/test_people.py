"""Appointments, regions, settings and the record: what administrators do, and what the record keeps of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client

from conftest import appointed
from players.access import ROLES, Permission, RoleTerms, get_rights
from players.appointments import add_region, appoint, change_settings, end_appointment, rename_region
from players.models import Appointment, Decision, Federation, Ledger, Region, Role, User
from players.record import Refused, decide
from players.settings import Settings, get_settings, today
from tests.built_once import built_once

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db


def appointment_of(user: User) -> Appointment:
    return user.appointments.get()


def newest(office: Federation) -> Decision:
    return Decision.objects.filter(federation=office)[0]


# ---------------------------------------------------------------- appointing


def test_an_appointment_makes_an_account_that_cannot_sign_in_yet(csa: Federation, thandi: User) -> None:
    day = today(csa)
    given = appoint(
        federation=csa,
        email="Sipho@Example.org",
        name="Sipho",
        role=Role.OFFICIAL,
        starts=day,
        by=thandi,
        on=day,
    )
    assert given.user.email == "sipho@example.org"
    assert not given.user.has_usable_password()
    assert Permission.SECTIONS_APPROVE in get_rights(given.user, csa, day)


def test_the_record_names_a_person_by_appointment_and_never_by_address(csa: Federation, thandi: User) -> None:
    given = appoint(
        federation=csa,
        email="sipho@example.org",
        role=Role.OFFICIAL,
        starts=today(csa),
        by=thandi,
        on=today(csa),
    )
    decision = newest(csa)
    assert (decision.kind, decision.about, decision.by) == ("appoint", f"appointment {given.pk}", thandi)
    assert "sipho" not in str(decision.details)


def test_an_appointment_begins_on_its_first_day_and_ends_with_its_last(csa: Federation, thandi: User) -> None:
    first, last = date(2026, 3, 1), date(2026, 3, 31)
    given = appoint(
        federation=csa,
        email="s@example.org",
        role=Role.OFFICIAL,
        starts=first,
        ends=last,
        by=thandi,
        on=first,
    )
    held = {
        day: bool(get_rights(given.user, csa, day).everywhere) for day in (first - timedelta(1), first, last)
    }
    assert list(held.values()) == [False, True, True]
    assert not get_rights(given.user, csa, last + timedelta(days=1)).everywhere


@pytest.mark.parametrize(
    ("role", "with_region"), [(Role.REGIONAL, False), (Role.OFFICIAL, True), (Role.ADMINISTRATOR, True)]
)
def test_a_regional_administrator_has_a_region_and_nobody_else_has(
    csa: Federation, gauteng: Region, thandi: User, role: Role, with_region: bool
) -> None:
    with pytest.raises(Refused):
        appoint(
            federation=csa,
            email="s@example.org",
            role=role,
            region=gauteng if with_region else None,
            starts=today(csa),
            by=thandi,
            on=today(csa),
        )
    assert not User.objects.filter(email="s@example.org").exists()


def test_a_region_of_another_office_is_refused(csa: Federation, thandi: User) -> None:
    other = Federation.objects.create(code="other", name="Other", ruleset_slug="csa")
    region = Region.objects.create(federation=other, code="X", name="Elsewhere")
    with pytest.raises(Refused, match="not one of this office"):
        appoint(
            federation=csa,
            email="s@example.org",
            role=Role.REGIONAL,
            region=region,
            starts=today(csa),
            by=thandi,
            on=today(csa),
        )


def test_the_same_appointment_is_not_given_twice(csa: Federation, nomsa: User, thandi: User) -> None:
    with pytest.raises(Refused, match="already"):
        appoint(
            federation=csa, email=nomsa.email, role=Role.OFFICIAL, starts=today(csa), by=thandi, on=today(csa)
        )


def test_the_form_appoints_and_writes_a_letter_with_a_link(
    csa: Federation, gauteng: Region, thandi: User, client_of: ClientOf
) -> None:
    answer = client_of(thandi).post(
        "/csa/people/appoint/",
        {
            "email": "sipho@example.org",
            "name": "Sipho",
            "role": "regional",
            "region": gauteng.pk,
            "starts": "2026-01-01",
        },
    )
    assert answer.status_code == 302
    [letter] = mail.outbox
    assert letter.to == ["sipho@example.org"]
    assert "/accounts/password/reset/key/" in str(letter.body)
    assert "Gauteng" in letter.body


def test_a_colleague_whose_address_is_given_keeps_the_name_and_the_page_says_so(
    csa: Federation, nomsa: User, thandi: User, client_of: ClientOf
) -> None:
    had = nomsa.appointments.filter(federation=csa).exclude(name="").order_by("-pk").first()
    assert had is not None
    sent = {"email": nomsa.email.upper(), "role": "administrator", "starts": "2026-01-01"}
    page = client_of(thandi).post("/csa/people/appoint/", sent | {"name": "Sipho"}, follow=True)
    assert f"The address is that of {had.name}, who has an account here" in page.content.decode()
    assert {each.known_as for each in nomsa.appointments.filter(federation=csa)} == {had.name}


def test_the_same_name_typed_again_is_not_remarked_upon(
    csa: Federation, nomsa: User, thandi: User, client_of: ClientOf
) -> None:
    name = nomsa.appointments.filter(federation=csa).exclude(name="")[0].name
    sent = {"email": nomsa.email, "name": name, "role": "administrator", "starts": "2026-01-01"}
    page = client_of(thandi).post("/csa/people/appoint/", sent, follow=True)
    assert "the name stays" not in page.content.decode()


def test_the_letters_link_sets_a_password_and_leads_to_the_desk(
    csa: Federation, thandi: User, client_of: ClientOf
) -> None:
    client_of(thandi).post(
        "/csa/people/appoint/",
        {"email": "sipho@example.org", "name": "Sipho", "role": "official", "starts": "2026-01-01"},
    )
    link = next(line for line in str(mail.outbox[0].body).splitlines() if "/key/" in line)
    browser = Client()
    form = browser.get(link.removeprefix("http://testserver"), follow=True)
    answer = browser.post(
        form.redirect_chain[-1][0], {"password1": "sorghum lantern 41", "password2": "sorghum lantern 41"}
    )
    assert (answer.status_code, answer.headers["Location"]) == (302, "/csa/desk/")
    assert browser.get("/csa/desk/").status_code == 200


def test_who_has_a_password_gets_a_letter_without_a_link(
    csa: Federation, nomsa: User, thandi: User, client_of: ClientOf
) -> None:
    client_of(thandi).post(
        "/csa/people/appoint/",
        {"email": nomsa.email, "name": "Nomsa", "role": "administrator", "starts": "2026-01-01"},
    )
    assert "/key/" not in mail.outbox[0].body


def test_a_form_with_a_region_for_an_official_says_so(
    csa: Federation, gauteng: Region, thandi: User, client_of: ClientOf
) -> None:
    answer = client_of(thandi).post(
        "/csa/people/appoint/",
        {
            "email": "s@example.org",
            "name": "S",
            "role": "official",
            "region": gauteng.pk,
            "starts": "2026-01-01",
        },
    )
    assert answer.status_code == 400
    assert "for the whole federation" in answer.content.decode()


@pytest.fixture
def steward(monkeypatch: pytest.MonkeyPatch) -> str:
    """An invented role in one region, which stands in the table of roles alone."""
    terms = RoleTerms("region’s steward", "A steward corrects players.", frozenset(), in_region=True)
    monkeypatch.setitem(ROLES, "steward", terms)
    return "steward"


def test_a_role_of_the_table_is_described_and_chosen_on_the_page_and_asks_for_its_region(
    csa: Federation, thandi: User, client_of: ClientOf, steward: str
) -> None:
    browser = client_of(thandi)
    page = browser.get("/csa/people/appoint/").content.decode()
    assert "A steward corrects players." in page
    assert "region’s steward" in page
    given = {"email": "s@example.org", "name": "S", "role": steward, "starts": "2026-01-01"}
    answer = browser.post("/csa/people/appoint/", given)
    assert answer.status_code == 400
    assert "for one region: choose it" in answer.content.decode()


def test_a_role_of_the_table_is_an_option_of_the_command_and_asks_for_its_region(
    csa: Federation, steward: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        call_command("appoint", "--help")
    assert "A steward corrects players." in capsys.readouterr().out
    with pytest.raises(CommandError, match="for one region: choose it"):
        call_command("appoint", "csa", "--steward", "s@example.org")


def test_every_role_that_the_database_names_has_its_terms() -> None:
    assert list(ROLES) == list(Role)


# ---------------------------------------------------------------- ending


def test_a_role_ends_at_the_next_request_with_all_sessions(
    csa: Federation, pieter: User, thandi: User, client_of: ClientOf
) -> None:
    browsers = [client_of(pieter) for _session in range(3)]
    assert [browser.get("/csa/desk/").status_code for browser in browsers] == [200] * 3
    appointment = appointment_of(pieter)
    answer = client_of(thandi).post(f"/csa/people/{appointment.pk}/end/")
    assert answer.status_code == 302
    answers = [browser.get("/csa/desk/") for browser in browsers]
    assert [each.headers.get("Location", "").split("?")[0] for each in answers] == ["/accounts/login/"] * 3
    fresh = client_of(User.objects.get(pk=pieter.pk))
    assert fresh.get("/csa/desk/").status_code == 403


def test_the_way_to_the_desk_is_shown_to_the_appointed_alone(
    csa: Federation, pieter: User, client_of: ClientOf
) -> None:
    stranger = client_of(User.objects.create_user("someone@else.example", "a long pass phrase"))
    assert 'href="/csa/desk/"' in client_of(pieter).get("/csa/").content.decode()
    assert 'href="/csa/desk/"' not in stranger.get("/csa/").content.decode()


def test_ending_is_asked_first_and_names_whose_and_which(
    csa: Federation, pieter: User, thandi: User, client_of: ClientOf
) -> None:
    page = client_of(thandi).get(f"/csa/people/{appointment_of(pieter).pk}/end/").content.decode()
    assert "pieter@csa.example" in page
    assert "Western Cape" in page
    assert appointment_of(pieter).ends is None


def test_sessions_end_with_the_last_appointment_though_the_other_office_has_tomorrow_already(
    csa: Federation, thandi: User
) -> None:
    eastern = Federation.objects.create(code="ssdc", name="Dots", ruleset_slug="ssdc")
    Ledger.objects.create(federation=eastern)
    both = appointed("Both", csa, Role.OFFICIAL)
    there = Appointment.objects.create(
        user=both, role=Role.OFFICIAL, federation=eastern, starts=date(2020, 1, 1), name="Both"
    )
    with time_machine.travel(datetime(2026, 11, 30, 21, 30, tzinfo=UTC)):  # after midnight in Moscow alone
        end_appointment(appointment=there, by=thandi, on=today(eastern))
        assert User.objects.get(pk=both.pk).session_number == both.session_number
        end_appointment(appointment=both.appointments.get(federation=csa), by=thandi, on=today(csa))
    assert User.objects.get(pk=both.pk).session_number == both.session_number + 1


def test_other_peoples_sessions_go_on(
    csa: Federation, pieter: User, nomsa: User, thandi: User, client_of: ClientOf
) -> None:
    browser = client_of(nomsa)
    end_appointment(appointment=appointment_of(pieter), by=thandi, on=today(csa))
    assert browser.get("/csa/desk/").status_code == 200


def test_an_appointment_that_has_ended_is_not_ended_again(
    csa: Federation, pieter: User, thandi: User
) -> None:
    end_appointment(appointment=appointment_of(pieter), by=thandi, on=today(csa))
    with pytest.raises(Refused, match="ended already"):
        end_appointment(appointment=appointment_of(pieter), by=thandi, on=today(csa))
    assert Decision.objects.filter(kind="end").count() == 1


def test_an_office_keeps_an_administrator(csa: Federation, thandi: User, client_of: ClientOf) -> None:
    answer = client_of(thandi).post(f"/csa/people/{appointment_of(thandi).pk}/end/")
    assert answer.status_code == 409
    assert "Appoint another first" in answer.content.decode()


def test_a_regions_last_administrator_may_go_unless_the_office_wants_a_successor_first(
    csa: Federation, amahle: User, pieter: User, thandi: User
) -> None:
    end_appointment(appointment=appointment_of(amahle), by=thandi, on=today(csa))
    change_settings(federation=csa, settings=Settings(successor_first=True), by=thandi, on=today(csa))
    with pytest.raises(Refused, match="Western Cape"):
        end_appointment(appointment=Appointment.objects.get(user=pieter), by=thandi, on=today(csa))


def test_another_offices_appointment_cannot_be_ended_from_here(
    csa: Federation, thandi: User, client_of: ClientOf
) -> None:
    other = Federation.objects.create(code="other", name="Other", ruleset_slug="csa")
    theirs = Appointment.objects.create(
        user=thandi, role=Role.OFFICIAL, federation=other, starts=date(2026, 1, 1)
    )
    assert client_of(thandi).post(f"/csa/people/{theirs.pk}/end/").status_code == 404
    theirs.refresh_from_db()
    assert theirs.ends is None


# ---------------------------------------------------------------- another office's people


@pytest.fixture
@built_once
def gleb(csa: Federation) -> User:
    """Official of another office."""
    other = Federation.objects.create(code="other", name="Other", ruleset_slug="csa")
    Ledger.objects.create(federation=other)
    return appointed("Gleb", other, Role.OFFICIAL)


def appointing(browser: Client, email: str) -> str:
    """The whole of what an administrator sees of appointing, without what they typed themselves."""
    form = {"email": email, "name": "x", "role": "official", "starts": "2026-01-01"}
    pages = [browser.post("/csa/people/appoint/", form, follow=True), browser.get("/csa/record/")]
    text = "".join(page.content.decode() for page in pages).replace(email, "ADDRESS")
    return re.sub(r'value="[^"]{64}"|value="\d+"|\d+/(?:end|last-day|invitation)/|\d\d:\d\d', "", text)


def test_appointing_shows_the_same_of_somebody_known_elsewhere_as_of_a_stranger(
    csa: Federation, gleb: User, thandi: User, client_of: ClientOf
) -> None:
    browser = client_of(thandi)
    known = appointing(browser, gleb.email)
    assert "Gleb" not in known
    Appointment.objects.filter(federation=csa, user=gleb).delete()
    unknown = appointing(browser, "nobody@els.example")
    told, untold = (
        re.sub(r"people/\d+/|\d+/handover", "", page.split("</main>")[0]) for page in (known, unknown)
    )
    assert told == untold  # but for the appointment's own number


def test_a_name_that_another_office_wrote_stays_there(
    csa: Federation, gleb: User, thandi: User, client_of: ClientOf
) -> None:
    browser = client_of(thandi)
    appointing(browser, gleb.email)
    assert gleb.appointments.get(federation=csa).known_as == "x"
    assert gleb.appointments.exclude(federation=csa).get().known_as == "Gleb"
    assert User.objects.get(pk=gleb.pk).name == "Gleb"


def test_appointing_and_ending_somebody_ends_no_session_at_another_office(
    csa: Federation, gleb: User, thandi: User, client_of: ClientOf
) -> None:
    theirs = client_of(gleb)
    appointing(client_of(thandi), gleb.email)
    given = gleb.appointments.get(federation=csa)
    assert client_of(thandi).post(f"/csa/people/{given.pk}/end/").status_code == 302
    assert theirs.get("/other/desk/").status_code == 200
    assert theirs.get("/csa/desk/").status_code == 403


# ---------------------------------------------------------------- regions and settings


def test_a_new_region_files_and_its_code_is_written_large(csa: Federation, thandi: User) -> None:
    region = add_region(federation=csa, code="lim", name="Limpopo", by=thandi, on=today(csa))
    assert region.code == "LIM"
    assert newest(csa).about == "region LIM"


@pytest.mark.parametrize(("code", "name"), [("gau", "Somewhere"), ("NEW", "gauteng")])
def test_a_region_of_the_same_code_or_name_is_refused(
    csa: Federation, thandi: User, code: str, name: str
) -> None:
    with pytest.raises(Refused):
        add_region(federation=csa, code=code, name=name, by=thandi, on=today(csa))


def test_a_region_is_renamed_and_keeps_its_code(
    csa: Federation, gauteng: Region, thandi: User, client_of: ClientOf
) -> None:
    answer = client_of(thandi).post("/csa/settings/regions/GAU/", {"name": "Gauteng North", "code": "XXX"})
    assert answer.status_code == 302
    gauteng.refresh_from_db()
    assert (gauteng.code, gauteng.name) == ("GAU", "Gauteng North")
    assert newest(csa).details == {"before": "Gauteng", "after": "Gauteng North"}


def test_a_region_is_not_renamed_to_another(csa: Federation, gauteng: Region, thandi: User) -> None:
    with pytest.raises(Refused):
        rename_region(region=gauteng, name="western cape", by=thandi, on=today(csa))


def test_settings_keep_what_changed_in_the_record(csa: Federation, thandi: User, client_of: ClientOf) -> None:
    answer = client_of(thandi).post("/csa/settings/", {"four_eyes": "on", "births": "none"})
    assert answer.status_code == 302
    csa.refresh_from_db()
    assert get_settings(csa) == Settings(four_eyes=True, births="none")
    assert newest(csa).details == {"changed": {"four_eyes": [False, True], "births": ["year", "none"]}}


@pytest.mark.parametrize("guard", ["four_eyes", "second_factor"])
def test_an_official_who_administers_too_cannot_switch_off_what_guards_officials(
    csa: Federation, nomsa: User, thandi: User, client_of: ClientOf, guard: str
) -> None:
    both = appointed("Lerato", csa, Role.OFFICIAL)
    both.appointments.create(role=Role.ADMINISTRATOR, federation=csa, starts=date(2026, 1, 1))
    csa.settings = {guard: True}
    csa.save()
    kept = get_settings(csa)
    with pytest.raises(Refused, match="you are one"):
        change_settings(federation=csa, settings=Settings(), by=both, on=today(csa))
    change_settings(federation=csa, settings=Settings(), by=thandi, on=today(csa))
    change_settings(federation=csa, settings=kept, by=both, on=today(csa))
    csa.refresh_from_db()
    assert csa.settings[guard] is True


def test_the_page_says_why_a_guard_stays(csa: Federation, client_of: ClientOf) -> None:
    both = appointed("Lerato", csa, Role.OFFICIAL)
    both.appointments.create(role=Role.ADMINISTRATOR, federation=csa, starts=date(2026, 1, 1))
    csa.settings = {"four_eyes": True}
    csa.save()
    answer = client_of(both).post("/csa/settings/", {"births": "year"})
    assert answer.status_code == 409
    assert "an administrator who is not" in answer.content.decode()


def test_settings_of_a_page_that_was_opened_before_a_change_do_not_take_the_change_back(
    csa: Federation, thandi: User, client_of: ClientOf
) -> None:
    page = client_of(thandi).get("/csa/settings/")
    older = {"seen": page.context["form"].initial["seen"], "births": "none"}
    assert f'value="{older["seen"]}"' in page.content.decode()
    change_settings(federation=csa, settings=Settings(four_eyes=True), by=thandi, on=today(csa))
    answer = client_of(thandi).post("/csa/settings/", older)
    assert answer.status_code == 409
    assert "Somebody else changed the settings" in answer.content.decode()
    csa.refresh_from_db()
    assert get_settings(csa) == Settings(four_eyes=True)


def test_settings_that_stay_are_no_decision(csa: Federation, thandi: User) -> None:
    change_settings(federation=csa, settings=Settings(), by=thandi, on=today(csa))
    assert not Decision.objects.exists()


def test_a_setting_that_nobody_knows_is_left_alone(csa: Federation, thandi: User) -> None:
    csa.settings = {"of_tomorrow": 1}
    csa.save()
    change_settings(federation=csa, settings=Settings(four_eyes=True), by=thandi, on=today(csa))
    csa.refresh_from_db()
    assert csa.settings["of_tomorrow"] == 1


# ---------------------------------------------------------------- the record


def test_the_record_shows_who_did_what_and_can_be_cut(
    csa: Federation, nomsa: User, thandi: User, client_of: ClientOf
) -> None:
    add_region(federation=csa, code="LIM", name="Limpopo", by=thandi, on=date(2026, 5, 1))
    change_settings(federation=csa, settings=Settings(four_eyes=True), by=thandi, on=date(2026, 6, 1))
    page = client_of(nomsa).get("/csa/record/").content.decode()
    assert "region LIM" in page
    assert "changed the settings" in page
    assert "Thandi" in page
    cut = client_of(nomsa).get("/csa/record/?kind=set").content.decode()
    assert "region LIM" not in cut
    assert "Four eyes" in cut
    earlier = client_of(nomsa).get("/csa/record/?until=2026-05-31").content.decode()
    assert "region LIM" in earlier
    assert "four_eyes" not in earlier


def test_the_record_names_people_and_not_their_keys(
    csa: Federation, pieter: User, thandi: User, client_of: ClientOf
) -> None:
    end_appointment(appointment=appointment_of(pieter), by=thandi, on=today(csa))
    page = client_of(thandi).get("/csa/record/").content.decode()
    assert "Pieter" in page
    assert f"appointment {appointment_of(pieter).pk}" not in page


def test_the_record_of_an_earlier_version_names_people_too(
    csa: Federation, pieter: User, thandi: User, client_of: ClientOf
) -> None:
    about = f"person {pieter.pk}"
    decide(csa, kind="appoint", by=thandi, on=today(csa), about=about)
    page = client_of(thandi).get("/csa/record/").content.decode()
    assert "Pieter" in page
    assert about not in page


def test_no_page_shows_an_accounts_own_key_which_would_tell_its_age(
    csa: Federation, thandi: User, client_of: ClientOf
) -> None:
    old = User.objects.create(pk=987654, email="lerato@csa.example")
    Appointment.objects.filter(federation=csa).update(user=old)
    browser = client_of(old)
    appointing(browser, "gleb@els.example")
    pages = [browser.get(f"/csa/{page}/").content.decode() for page in ("record", "people", "people/appoint")]
    assert "987654" not in "".join(pages)


def test_the_record_is_cut_by_who_did_it(
    csa: Federation, nomsa: User, thandi: User, client_of: ClientOf
) -> None:
    add_region(federation=csa, code="LIM", name="Limpopo", by=thandi, on=date(2026, 5, 1))
    add_region(federation=csa, code="MPU", name="Mpumalanga", by=nomsa, on=date(2026, 5, 1))
    cut = client_of(nomsa).get(f"/csa/record/?by={appointment_of(thandi).pk}").content.decode()
    assert "region LIM" in cut
    assert "region MPU" not in cut


def test_the_record_shows_the_offices_own_time_and_says_so(
    csa: Federation, thandi: User, client_of: ClientOf
) -> None:
    Decision.objects.create(
        federation=csa, number=1, kind="set", at="2026-01-01T22:30Z", on=date(2026, 1, 2), about="settings"
    )
    page = client_of(thandi).get("/csa/record/").content.decode()
    assert "2 Jan 2026, 00:30" in page
    assert "Times are in the time zone Africa/Johannesburg." in page
    assert "UTC" not in page


def test_the_record_of_another_office_stays_there(csa: Federation, thandi: User, client_of: ClientOf) -> None:
    other = Federation.objects.create(code="other", name="Other", ruleset_slug="csa")
    Decision.objects.create(
        federation=other, number=1, kind="set", at="2026-01-01T00:00Z", on=date(2026, 1, 1), about="a secret"
    )
    assert "a secret" not in client_of(thandi).get("/csa/record/").content.decode()
    assert client_of(thandi).get("/other/record/").status_code == 403
