"""Events and sections can be changed until they are rated: edited, postponed, cancelled, withdrawn."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.test import Client

from players.access import get_rights
from players.models import Decision, Federation, Region, Role, User
from players.record import Refused
from players.writing import page_cache
from tests.pages import unbroken
from tournaments.announcements import (
    cancel_event,
    cancel_section,
    postpone_event,
    postpone_section,
    reinstate_event,
    reinstate_section,
)
from tournaments.models import Event, Section, Stage
from tournaments.registration import (
    AlreadyRegistered,
    EventParticulars,
    SectionParticulars,
    add_sections,
    edit_event,
    edit_section,
    get_next_weekday_anniversary,
    register_event,
    shift_years,
    withdraw_event,
    withdraw_section,
)
from tournaments.tests.conftest import OTB, TODAY, fresh

pytestmark = [pytest.mark.django_db, pytest.mark.servers]
ClientOf = Callable[[User], Client]
WHY = "The hall is flooded."
NEW_DAYS: dict[str, Any] = {"starts": date(2026, 4, 10), "ends": date(2026, 4, 12)}


@pytest.fixture(autouse=True)
def no_page_is_kept() -> None:
    page_cache.clear()


def named(event: Event, **changed: Any) -> EventParticulars:
    said: dict[str, Any] = {
        "name": event.name,
        "starts": event.starts,
        "ends": event.ends,
        "place": event.place,
    }
    return EventParticulars(**(said | changed))


def like(section: Section, **changed: Any) -> SectionParticulars:
    names = ("name", "code", "format", "rounds", "particulars")
    return SectionParticulars(**({name: getattr(section, name) for name in names} | changed))


def at(section: Section, *, stage: Stage) -> Section:
    Section.objects.filter(pk=section.pk).update(stage=stage)
    return fresh(section)


def second(section: Section, by: User, **more: Any) -> Section:
    new = SectionParticulars(name="B", format="swiss", particulars=OTB, **more)
    return add_sections(event=section.event, by=by, on=TODAY, sections=[new])[0]


def as_seen(thing: Event | Section, by: User) -> dict[str, Any]:
    thing.refresh_from_db()
    return {"by": by, "on": TODAY, "version": thing.version}


# ---------------------------------------------------------------- edit


def test_an_event_is_edited_with_its_sections_days_and_the_record_says_what_changed(
    section: Section, amahle: User
) -> None:
    said = named(section.event, name="Soweto Autumn Open", place="Orlando", reason=WHY, **NEW_DAYS)
    edit_event(event=section.event, said=said, **as_seen(section.event, amahle))
    changed = fresh(section)
    assert (changed.event.name, changed.event.place) == ("Soweto Autumn Open", "Orlando")
    assert (changed.starts, changed.ends, changed.version) == (date(2026, 4, 10), date(2026, 4, 12), 1)
    decision = Decision.objects.get(kind="edit")
    assert decision.about == "event 2026-001"
    assert decision.details["edited"] == {
        "name": ["Soweto Open", "Soweto Autumn Open"],
        "place": ["", "Orlando"],
    }
    assert decision.details["reason"] == WHY


def announced(thing: Event | Section) -> list[Any]:
    names = ("starts", "ends", "first_starts", "first_ends", "notice", "notice_on")
    thing.refresh_from_db()
    return [getattr(thing, name) for name in names]


def moves() -> list[Any]:
    decisions = Decision.objects.exclude(kind="register").order_by("number")
    return [(d.kind, d.about, d.details["days_before"], d.details["reason"]) for d in decisions]


def test_an_edit_that_moves_an_events_days_announces_and_records_what_postponing_does(
    section: Section, amahle: User, csa: Federation, gauteng: Region
) -> None:
    other = registered(amahle, csa, gauteng, "Benoni Open")
    edit_event(
        event=section.event,
        said=named(section.event, reason=WHY, **NEW_DAYS),
        **as_seen(section.event, amahle),
    )
    postpone_event(event=other, reason=WHY, **NEW_DAYS, **as_seen(other, amahle))
    assert announced(section.event) == announced(other)
    assert announced(section) == announced(other.sections.get())
    [edited, postponed] = moves()
    assert (edited[0], *edited[2:]) == (postponed[0], *postponed[2:])


def test_an_edit_that_moves_a_sections_days_announces_and_records_what_postponing_does(
    section: Section, amahle: User, csa: Federation, gauteng: Region
) -> None:
    other = registered(amahle, csa, gauteng, "Benoni Open").sections.get()
    edit_section(section=section, said=like(section, reason=WHY, **NEW_DAYS), **as_seen(section, amahle))
    postpone_section(section=other, reason=WHY, **NEW_DAYS, **as_seen(other, amahle))
    assert announced(section) == announced(other)
    assert announced(section.event) == announced(other.event)
    [edited, postponed] = moves()
    assert (edited[0], *edited[2:]) == (postponed[0], *postponed[2:])


@pytest.mark.parametrize("days", [{"starts": date(2026, 3, 7)}, {"ends": date(2026, 3, 9)}])
def test_no_edit_moves_a_day_without_a_reason_and_none_is_asked_for_where_the_days_stay(
    section: Section, amahle: User, days: dict[str, date]
) -> None:
    event = section.event
    with pytest.raises(Refused, match="Say why"):
        edit_event(event=event, said=named(event, **days), **as_seen(event, amahle))
    whole = {"starts": section.starts, "ends": section.ends} | days
    with pytest.raises(Refused, match="Say why"):
        edit_section(section=section, said=like(section, **whole), **as_seen(section, amahle))
    edit_event(event=event, said=named(event, organizer="Else"), **as_seen(event, amahle))
    edit_section(section=section, said=like(section, format="knockout"), **as_seen(section, amahle))
    assert (
        announced(event) == announced(section) == [date(2026, 3, 6), date(2026, 3, 8), None, None, "", None]
    )


def test_an_event_whose_days_change_with_its_section_says_why(
    client: Client, section: Section, amahle: User
) -> None:
    postpone_section(section=section, reason=WHY, **NEW_DAYS, **as_seen(section, amahle))
    page = unbroken(client.get("/csa/events/").content.decode())
    assert WHY in page
    assert "announced at first for 6 Mar 2026" in page


def test_an_event_whose_days_stay_says_nothing_of_a_section_that_moves_within_them(
    section: Section, amahle: User
) -> None:
    other = second(section, amahle)
    days: dict[str, Any] = {"starts": date(2026, 3, 7), "ends": date(2026, 3, 7)}
    postpone_section(section=other, reason=WHY, **days, **as_seen(other, amahle))
    assert not Event.objects.get().postponed


@pytest.mark.parametrize(("stage", "way"), [(Stage.SUBMITTED, "return it"), (Stage.RATED, "un-rates it")])
def test_an_event_of_which_the_office_has_a_section_is_not_changed_and_the_words_name_the_section(
    section: Section, amahle: User, stage: Stage, way: str
) -> None:
    held = at(section, stage=stage)
    seen = as_seen(held.event, amahle)
    with pytest.raises(Refused, match=f"Section A stands in the way.*{way}"):
        edit_event(event=held.event, said=named(held.event, organizer="Else"), **seen)
    with pytest.raises(Refused, match="Section A stands in the way"):
        postpone_event(event=held.event, reason=WHY, **NEW_DAYS, **seen)
    with pytest.raises(Refused, match=r"Section A stands in the way.*cancelled one by one"):
        cancel_event(event=held.event, reason=WHY, **seen)
    with pytest.raises(Refused, match=r"Section A stands in the way.*withdrawn one by one"):
        withdraw_event(event=held.event, reason=WHY, **seen)
    with pytest.raises(Refused, match=f"This section is {stage}"):
        edit_section(section=held, said=like(held, name="X"), **as_seen(held, amahle))
    assert not Decision.objects.exclude(kind="register").exists()


@pytest.mark.parametrize(
    ("stage", "offered"),
    [("filed", {"edit", "postpone", "cancel", "withdraw"}), ("submitted", {"edit"}), ("rated", set())],
)
def test_the_page_offers_changes_of_an_event_or_says_what_stands_in_the_way(
    client_of: ClientOf, section: Section, amahle: User, stage: str, offered: set[str]
) -> None:
    Section.objects.filter(pk=section.pk).update(stage=stage)
    page = client_of(amahle).get("/csa/events/2026-001/sections/").content.decode()
    deeds = ("edit", "postpone", "cancel", "withdraw")
    assert {deed for deed in deeds if f"/csa/events/2026-001/sections/{deed}/" in page} == offered
    assert ("stands in the way" in page) is (stage != "filed")


@pytest.mark.parametrize("stage", [Stage.REGISTERED, Stage.FILED, Stage.RETURNED, Stage.UNRATED])
def test_whatever_waits_for_the_region_can_still_be_changed(
    section: Section, amahle: User, stage: Stage
) -> None:
    open_one = at(section, stage=stage)
    edit_section(
        section=open_one, said=like(open_one, name="Premier", reason=WHY), **as_seen(open_one, amahle)
    )
    assert (fresh(section).name, fresh(section).stage) == ("Premier", stage)


def test_of_two_who_edit_the_same_event_the_second_is_told(section: Section, amahle: User) -> None:
    seen = as_seen(section.event, amahle)
    edit_event(event=section.event, said=named(section.event, name="First", reason=WHY), **seen)
    with pytest.raises(Refused, match="This event changed while your page was open"):
        edit_event(event=section.event, said=named(section.event, name="Second", reason=WHY), **seen)
    with pytest.raises(Refused, match="This event changed while your page was open"):
        withdraw_event(event=section.event, reason=WHY, **seen)
    assert Event.objects.get().name == "First"


def test_a_code_changes_until_something_is_filed_and_not_to_one_that_is_taken(
    section: Section, amahle: User
) -> None:
    other = second(section, amahle)
    with pytest.raises(Refused, match="Another section of this event has the code B"):
        edit_section(section=section, said=like(section, code="B"), **as_seen(section, amahle))
    with pytest.raises(Refused, match="letters of A to Z"):
        edit_section(section=section, said=like(section, code="sections"), **as_seen(section, amahle))
    edit_section(section=section, said=like(section, code="U16"), **as_seen(section, amahle))
    assert fresh(section).key == "2026-001/U16"
    Section.objects.filter(pk=other.pk).update(filed_on=TODAY)
    with pytest.raises(Refused, match="the code stays"):
        edit_section(section=fresh(other), said=like(other, code="C"), **as_seen(other, amahle))


def test_the_event_lasts_as_long_as_its_sections(section: Section, amahle: User) -> None:
    days: dict[str, Any] = {"starts": date(2026, 3, 5), "ends": date(2026, 3, 8)}
    edit_section(section=section, said=like(section, reason=WHY, **days), **as_seen(section, amahle))
    event = Event.objects.get()
    assert (event.starts, event.ends, event.version) == (*days.values(), 1)


# ---------------------------------------------------------------- postpone


def test_a_postponed_event_keeps_the_days_announced_at_first(section: Section, amahle: User) -> None:
    event = section.event
    postpone_event(event=event, reason=WHY, **NEW_DAYS, **as_seen(event, amahle))
    again: dict[str, Any] = {"starts": date(2026, 5, 1), "ends": date(2026, 5, 3)}
    postpone_event(event=event, reason="Again.", **again, **as_seen(event, amahle))
    event.refresh_from_db()
    assert (event.starts, event.first_starts, event.first_ends) == (
        date(2026, 5, 1),
        date(2026, 3, 6),
        date(2026, 3, 8),
    )
    assert (fresh(section).starts, fresh(section).first_starts) == (date(2026, 5, 1), date(2026, 3, 6))
    first, _second = Decision.objects.filter(kind="postpone").order_by("number")
    assert first.details["days_before"] == ["2026-03-06", "2026-03-08"]
    assert first.details["days_now"] == ["2026-04-10", "2026-04-12"]


def test_round_dates_move_with_a_postponed_section(section: Section, amahle: User) -> None:
    Section.objects.filter(pk=section.pk).update(round_dates=["2026-03-06", None, "2026-03-08"])
    postpone_section(section=section, reason=WHY, **NEW_DAYS, **as_seen(section, amahle))
    assert fresh(section).round_dates == ["2026-04-10", None, "2026-04-12"]


def test_postponing_wants_other_days_and_a_reason(section: Section, amahle: User) -> None:
    event = section.event
    same: dict[str, Any] = {"starts": event.starts, "ends": event.ends}
    with pytest.raises(Refused, match="These are the days it has already"):
        postpone_event(event=event, reason=WHY, **same, **as_seen(event, amahle))
    with pytest.raises(Refused, match="Say why"):
        postpone_event(event=event, reason="  ", **NEW_DAYS, **as_seen(event, amahle))
    with pytest.raises(Refused, match="Shorten the reason"):
        cancel_event(event=event, reason="x" * 1001, **as_seen(event, amahle))


# ---------------------------------------------------------------- cancel and take up again


def test_a_cancelled_event_comes_back_as_it_was_but_for_what_was_cancelled_before(
    section: Section, amahle: User
) -> None:
    event, other = section.event, second(section, amahle)
    cancel_section(section=other, reason="Two entries only.", **as_seen(other, amahle))
    at(section, stage=Stage.RETURNED)
    cancel_event(event=event, reason=WHY, **as_seen(event, amahle))
    assert {s.stage for s in Section.objects.all()} == {"cancelled"}
    with pytest.raises(Refused, match="The whole event was cancelled"):
        reinstate_section(section=other, **as_seen(other, amahle))
    with pytest.raises(Refused, match="This event is cancelled: no section can be added"):
        second(section, amahle)
    reinstate_event(event=event, **as_seen(event, amahle))
    assert (fresh(section).stage, fresh(other).stage) == ("returned", "cancelled")
    assert (fresh(section).event.state, fresh(section).event.notice) == ("planned", "")
    reinstate_section(section=other, **as_seen(other, amahle))
    assert fresh(other).stage == "registered"


def test_a_cancelled_section_takes_no_file_and_says_what_to_do(
    client_of: ClientOf, section: Section, amahle: User
) -> None:
    cancel_section(section=section, reason=WHY, **as_seen(section, amahle))
    answer = client_of(amahle).get("/csa/events/2026-001/A/file/", follow=True)
    assert "This section was cancelled." in unbroken(answer.content.decode())
    assert WHY in answer.content.decode()


# ---------------------------------------------------------------- withdraw


def test_a_withdrawn_section_leaves_its_event_and_its_code_stays_taken(
    client: Client, section: Section, amahle: User
) -> None:
    second(section, amahle, starts=date(2026, 3, 6), ends=date(2026, 3, 6))
    withdraw_section(section=section, reason="One too many.", **as_seen(section, amahle))
    assert Event.objects.get().ends == date(2026, 3, 6)
    page = client.get("/csa/events/2026-001/").content.decode()
    assert "/csa/events/2026-001/B/" in page
    assert "/csa/events/2026-001/A/" not in page
    gone = client.get("/csa/events/2026-001/A/")
    assert gone.status_code == 410
    assert "One too many." in gone.content.decode()
    assert second(section, amahle).code == "C"


def test_a_withdrawn_event_is_gone_from_the_calendar_and_kept_with_its_reason(
    client: Client, section: Section, amahle: User
) -> None:
    event = section.event
    assert "Soweto Open" in client.get("/csa/events/").content.decode()
    withdraw_event(event=event, reason="Registered twice.", **as_seen(event, amahle))
    page_cache.clear()
    assert "Soweto Open" not in client.get("/csa/events/").content.decode()
    gone = client.get("/csa/events/2026-001/")
    assert (gone.status_code, "Registered twice." in gone.content.decode()) == (410, True)
    assert Decision.objects.get(kind="withdraw-event").details["reason"] == "Registered twice."
    assert Event.objects.get().sections.get().stage == Stage.WITHDRAWN
    with pytest.raises(Refused, match="This event is withdrawn"):
        reinstate_event(event=event, **as_seen(event, amahle))


# ---------------------------------------------------------------- the pages


def test_the_public_calendar_tells_of_cancelled_and_postponed_events_with_reason_and_old_days(
    client: Client, section: Section, amahle: User
) -> None:
    event = section.event
    postpone_event(event=event, reason=WHY, **NEW_DAYS, **as_seen(event, amahle))
    for address in ("/csa/events/", "/csa/events/2026-001/", "/csa/events/2026-001/A/"):
        page = unbroken(client.get(address).content.decode())
        assert WHY in page, address
        assert "6 Mar" in page, address
    cancel_event(event=event, reason="No arbiter.", **as_seen(event, amahle))
    page_cache.clear()
    for address in ("/csa/events/", "/csa/events/2026-001/", "/csa/events/2026-001/A/"):
        page = unbroken(client.get(address).content.decode())
        assert "No arbiter." in page, address
        assert "ancelled" in page, address


def test_a_region_changes_its_event_on_pages_from_start_to_end(
    client_of: ClientOf, section: Section, amahle: User
) -> None:
    client, event = client_of(amahle), "/csa/events/2026-001/sections/"
    assert f"{event}edit/" in client.get(event).content.decode()
    rows = {"arbiters-TOTAL_FORMS": 0, "arbiters-INITIAL_FORMS": 0}
    said = {"version": 0, "name": "Soweto Cup", "starts": "2026-03-06", "ends": "2026-03-08", **rows}
    unsaid = client.post(f"{event}edit/", said)
    assert (unsaid.status_code, Event.objects.get().name) == (400, "Soweto Open")
    assert "Say why it changes, since everybody could read it" in unbroken(unsaid.content.decode())
    assert client.post(f"{event}edit/", said | {"reason": WHY}).status_code == 302
    other_days = {"version": 1, "starts": "2026-03-07"}
    unsaid = client.post(f"{event}edit/", said | other_days)
    assert unsaid.status_code == 400
    assert "Say why the days change" in unbroken(unsaid.content.decode())
    assert client.post(f"{event}edit/", said | other_days | {"reason": WHY}).status_code == 302
    assert WHY in client.get("/csa/events/2026-001/").content.decode()
    late = client.post(f"{event}edit/", said | {"name": "Late"})
    assert late.status_code == 409
    assert "This event changed while your page was open" in unbroken(late.content.decode())
    days = {"starts": "2026-04-10", "ends": "2026-04-12"}
    steps = [("postpone", days | {"reason": WHY}), ("cancel", {"reason": WHY}), ("reinstate", {})]
    for deed, given in [*steps, ("withdraw", {"reason": WHY})]:
        version = Event.objects.get().version
        assert client.get(f"{event}{deed}/").status_code == 200
        assert client.post(f"{event}{deed}/", {"version": version, **given}).status_code == 302, deed
    assert (Event.objects.get().name, Event.objects.get().state) == ("Soweto Cup", "withdrawn")
    assert set(Decision.objects.values_list("kind", flat=True)) == {
        *("register", "edit", "postpone", "cancel", "reinstate", "withdraw-event")
    }


def test_a_section_is_changed_on_its_pages(client_of: ClientOf, section: Section, amahle: User) -> None:
    client, address = client_of(amahle), "/csa/events/2026-001/A/"
    time = {"own-platform": "online", "own-time_controls_0": "15", "own-time_controls_1": "10"}
    said = {"version": 0, "name": "Open", "code": "A", "format": "swiss", "rounds": 7, **time}
    unsaid = client.post(f"{address}edit/", said)
    assert (unsaid.status_code, fresh(section).name) == (400, "A")
    assert "Say why it changes, since everybody could read it" in unbroken(unsaid.content.decode())
    answer = client.post(f"{address}edit/", said | {"reason": WHY})
    assert answer.status_code == 302, answer.content.decode()
    changed = fresh(section)
    assert (changed.name, changed.rounds, changed.particulars["platform"]) == ("Open", 7, "online")
    moved = said | {"version": 1, "starts": "2026-03-06", "ends": "2026-03-07"}
    unsaid = client.post(f"{address}edit/", moved)
    assert (unsaid.status_code, fresh(section).ends) == (400, date(2026, 3, 8))
    assert "Say why the days change" in unbroken(unsaid.content.decode())
    assert client.post(f"{address}edit/", moved | {"reason": WHY}).status_code == 302
    assert (fresh(section).ends, fresh(section).notice) == (date(2026, 3, 7), WHY)
    for deed, given in [("cancel", {"reason": WHY}), ("reinstate", {}), ("withdraw", {"reason": WHY})]:
        version = fresh(section).version
        assert client.post(f"{address}{deed}/", {"version": version, **given}).status_code == 302, deed
    assert fresh(section).stage == "withdrawn"


def test_another_regions_administrator_finds_no_page_to_change_it(
    client_of: ClientOf, section: Section, pieter: User
) -> None:
    for deed in ("edit", "postpone", "cancel", "reinstate", "withdraw"):
        assert client_of(pieter).get(f"/csa/events/2026-001/sections/{deed}/").status_code == 404
        assert client_of(pieter).post(f"/csa/events/2026-001/A/{deed}/", {"version": 0}).status_code == 404
    assert client_of(pieter).get("/csa/events/register/?like=2026-001").status_code == 404


# ---------------------------------------------------------------- registering with less typing


def registered(rights_by: User, csa: Federation, region: Region, name: str, **more: Any) -> Event:
    return register_event(
        rights=get_rights(rights_by, csa, TODAY),
        by=rights_by,
        on=TODAY,
        name=name,
        region=region,
        starts=more.pop("starts", date(2026, 3, 6)),
        ends=date(2026, 3, 8),
        sections=[SectionParticulars(name="A", format="swiss")],
        **more,
    )


def field(page: str, name: str) -> str:
    """The value of an input on a page."""
    [tag] = re.findall(rf'<input[^>]*name="{name}"[^>]*>', page)
    value = re.search(r'value="([^"]*)"', tag)
    return value[1] if value else ""


def test_a_second_registration_of_an_event_is_told_before_it_is_made(
    section: Section, amahle: User, csa: Federation, gauteng: Region
) -> None:
    with pytest.raises(AlreadyRegistered, match=r"Soweto Open is registered already.*2026-001"):
        registered(amahle, csa, gauteng, "soweto open")
    assert registered(amahle, csa, gauteng, "Soweto Open", starts=date(2026, 3, 7)).number == "2026-002"
    assert registered(amahle, csa, gauteng, "Soweto Open", another=True).number == "2026-003"


def test_a_withdrawn_event_is_no_registration(
    section: Section, amahle: User, csa: Federation, gauteng: Region
) -> None:
    withdraw_event(event=section.event, reason=WHY, **as_seen(section.event, amahle))
    assert registered(amahle, csa, gauteng, "Soweto Open").number == "2026-002"


def form(region: Region, **more: Any) -> dict[str, Any]:
    event = {"name": "Soweto Open", "region": region.pk, "starts": "2026-03-06", "ends": "2026-03-08"}
    rows = {"sections-TOTAL_FORMS": 1, "sections-INITIAL_FORMS": 0}
    first = {"sections-0-name": "A", "sections-0-format": "swiss", "sections-0-own-platform": "otb"}
    time = {"sections-0-own-time_controls_0": "90", "sections-0-own-time_controls_1": "30"}
    return event | rows | first | time | more


def test_the_page_tells_of_the_first_registration_and_takes_the_second_with_a_tick(
    client_of: ClientOf, section: Section, amahle: User, gauteng: Region
) -> None:
    client = client_of(amahle)
    told = client.post("/csa/events/register/", form(gauteng))
    assert told.status_code == 409
    page = unbroken(told.content.decode())
    assert "Soweto Open is registered already for these days, as 2026-001." in page
    assert "/csa/events/2026-001/sections/" in page
    assert Event.objects.count() == 1
    assert client.post("/csa/events/register/", form(gauteng, another="on")).status_code == 302
    assert Event.objects.count() == 2


def test_without_script_a_button_adds_a_row_like_the_last_one(
    client_of: ClientOf, amahle: User, gauteng: Region
) -> None:
    page = client_of(amahle).post("/csa/events/register/", form(gauteng, more="1"))
    text = page.content.decode()
    assert page.status_code == 200
    assert field(text, "sections-1-own-time_controls_0") == "90"
    assert (field(text, "sections-0-name"), field(text, "sections-1-name")) == ("A", "")
    assert "sections-2-" not in text
    assert not Event.objects.exists()


def test_a_further_section_begins_as_the_section_before_it(
    client_of: ClientOf, section: Section, amahle: User
) -> None:
    text = client_of(amahle).get("/csa/events/2026-001/sections/").content.decode()
    assert field(text, "sections-0-own-time_controls_0") == "90"
    assert '<option value="otb" selected>' in text


def test_an_event_is_registered_again_a_year_later_on_the_same_weekdays_with_its_sections(
    client_of: ClientOf, section: Section, amahle: User
) -> None:
    Event.objects.update(place="Orlando")
    text = client_of(amahle).get("/csa/events/register/?like=2026-001").content.decode()
    for shown in ('value="Soweto Open"', 'value="Orlando"', 'value="2027-03-05"', 'value="2027-03-07"'):
        assert shown in text, shown
    assert field(text, "sections-0-own-time_controls_0") == "90"


@pytest.mark.parametrize("sections", [1, 3])
def test_an_event_that_is_registered_again_has_no_empty_section_more_than_it_had(
    client_of: ClientOf, section: Section, amahle: User, sections: int
) -> None:
    for name in ("B", "C")[: sections - 1]:
        add_sections(
            event=section.event,
            by=amahle,
            on=TODAY,
            sections=[SectionParticulars(name=name, format="swiss", particulars=OTB)],
        )
    text = client_of(amahle).get("/csa/events/register/?like=2026-001").content.decode()
    assert field(text, "sections-TOTAL_FORMS") == str(sections)
    assert f'name="sections-{sections}-name"' not in text


def test_where_a_region_is_to_be_chosen_words_ask_for_it(
    client_of: ClientOf, amahle: User, csa: Federation, western_cape: Region
) -> None:
    csa.appointments.create(user=amahle, role=Role.REGIONAL, region=western_cape, starts=date(2024, 1, 1))
    text = client_of(amahle).get("/csa/events/register/").content.decode()
    assert '<option value="" selected>choose a region</option>' in text
    assert "---------" not in text


def test_an_event_that_is_registered_again_has_the_new_year_in_its_name_and_its_sections(
    client_of: ClientOf, section: Section, amahle: User
) -> None:
    Event.objects.update(name="Soweto Open 2026")
    Section.objects.update(name="Premier 2026")
    text = client_of(amahle).get("/csa/events/register/?like=2026-001").content.decode()
    assert 'value="Soweto Open 2027"' in text
    assert field(text, "sections-0-name") == "Premier 2027"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Soweto Open", "Soweto Open"),
        ("2026 Open", "2027 Open"),
        ("Open ’26", "Open ’27"),
        ("League 2025/26", "League 2026/27"),
        ("League 2026/27", "League 2027/28"),
        ("League 2025–2026", "League 2026–2027"),
        ("Open 2026-1", "Open 2027-1"),
        ("Memorial 1926", "Memorial 1926"),
        ("Since 2010 the Open of 2026", "Since 2010 the Open of 2027"),
        ("League 2023/24", "League 2023/24"),
        ("Number 12026", "Number 12026"),
    ],
)
def test_a_name_is_moved_by_its_own_years_alone(name: str, expected: str) -> None:
    assert shift_years(name, {2026}, 1) == expected


@pytest.mark.parametrize(
    ("day", "on", "expected"),
    [
        (date(2026, 3, 6), date(2026, 3, 10), date(2027, 3, 5)),
        (date(2024, 2, 29), date(2024, 3, 10), date(2025, 2, 27)),
        (date(2022, 3, 4), date(2026, 3, 10), date(2027, 3, 5)),
        (date(2022, 3, 4), date(2026, 3, 5), date(2026, 3, 6)),
    ],
)
def test_the_day_of_next_year_is_of_the_same_weekday_and_still_to_come(
    day: date, on: date, expected: date
) -> None:
    assert get_next_weekday_anniversary(day, on) == expected
    assert expected.weekday() == day.weekday()
