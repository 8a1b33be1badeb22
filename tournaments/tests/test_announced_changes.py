"""What was announced changes with a reason, on record with what was before and after, and with a history."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.test import Client

from players.models import Decision, User
from players.record import Refused, withdraw_words
from players.writing import page_cache
from ratings.approval import return_section
from tests.pages import unbroken
from tournaments.announcements import (
    cancel_event,
    cancel_section,
    get_postponement_notice,
    move_event,
    postpone_event,
    postpone_section,
    reinstate_event,
    reinstate_section,
)
from tournaments.details import Details, save_details
from tournaments.models import Entry, Event, Section, Stage
from tournaments.registration import edit_event, edit_section
from tournaments.tests.conftest import TODAY, fresh
from tournaments.tests.test_changes import NEW_DAYS, WHY, as_seen, at, like, named, second

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]


@pytest.fixture(autouse=True)
def no_page_is_kept() -> None:
    page_cache.clear()


def page(client: Client, address: str = "/csa/events/2026-001/") -> str:
    page_cache.clear()
    return unbroken(client.get(address).content.decode())


# ---------------------------------------------------------------- the record


def test_the_record_of_an_edit_tells_each_changed_field_before_and_after_to_office_and_region(
    client_of: ClientOf, section: Section, amahle: User, nomsa: User
) -> None:
    people = {"organizer": "Sipho Nkosi", "arbiters": [{"name": "Lindiwe Zulu", "title": "IA", "id": ""}]}
    said = named(section.event, name="Soweto Cup", place="Orlando", reason=WHY, **people)
    edit_event(event=section.event, said=said, **as_seen(section.event, amahle))
    sentence = (
        "Amahle changed the registration of event 2026-001. "
        "Before and after: arbiters: – → IA Lindiwe Zulu, name: Soweto Open → Soweto Cup, "
        "chief organiser: – → Sipho Nkosi, place: – → Orlando. "
        f"The reason: {WHY}"
    )
    for reader in (amahle, nomsa):
        assert sentence in client_of(reader).get("/csa/record/record.csv").content.decode()
        assert "Soweto Open → Soweto Cup" in page(client_of(reader), "/csa/record/")


def test_the_record_of_an_edit_of_a_section_tells_its_own_fields_by_their_labels(
    client_of: ClientOf, section: Section, nomsa: User, amahle: User
) -> None:
    time = {"platform": "otb", "time_controls": [{"minutes": [60], "increment": 0}]}
    said = like(section, code="U16", format="knockout", rounds=7, particulars=time, reason=WHY)
    edit_section(section=section, said=said, **as_seen(section, amahle))
    told = client_of(nomsa).get("/csa/record/record.csv").content.decode()
    for pair in (
        "code: A → U16",
        "format: Swiss system → Knockout",
        "Rounds: – → 7",
        "90 min, 30 s a move → 60 min",
    ):
        assert pair in told, pair


def test_an_edit_that_changes_nothing_tells_no_field(section: Section, amahle: User) -> None:
    edit_event(event=section.event, said=named(section.event), **as_seen(section.event, amahle))
    assert Decision.objects.get(kind="edit").details == {}


# ---------------------------------------------------------------- the reason


@pytest.mark.parametrize("field", ["name", "place", "country"])
def test_no_field_of_an_event_that_everybody_could_read_changes_without_a_reason(
    section: Section, amahle: User, field: str
) -> None:
    Event.objects.update(place="Soweto", country="NAM")
    section.event.refresh_from_db()
    with pytest.raises(Refused, match="Say why"):
        edit_event(
            event=section.event, said=named(section.event, **{field: "BOT"}), **as_seen(section.event, amahle)
        )
    said = named(section.event, **{field: "BOT"}, reason=WHY)
    edit_event(event=section.event, said=said, **as_seen(section.event, amahle))
    assert getattr(fresh(section).event, field) == "BOT"


@pytest.mark.parametrize("changed", [{"place": "Orlando"}, {"organizer": "Sipho Nkosi"}, {"arbiters": []}])
def test_no_reason_is_asked_for_what_nobody_has_seen(
    client: Client, section: Section, amahle: User, changed: dict[str, Any]
) -> None:
    Event.objects.update(arbiters=[{"name": "Lindiwe Zulu", "title": "", "id": ""}])
    section.event.refresh_from_db()
    edit_event(event=section.event, said=named(section.event, **changed), **as_seen(section.event, amahle))
    assert "has changed" not in page(client)


@pytest.mark.parametrize(
    ("changed", "asked"),
    [
        ({"name": "Premier"}, True),
        ({"rounds": 9}, True),
        ({"particulars": {"platform": "online"}}, True),
        ({"format": "knockout"}, False),
        ({"code": "U16"}, False),
    ],
)
def test_a_section_changes_with_a_reason_where_its_public_page_showed_what_changes(
    section: Section, amahle: User, changed: dict[str, Any], asked: bool
) -> None:
    Section.objects.update(rounds=7)
    section = fresh(section)
    if asked:
        with pytest.raises(Refused, match="Say why"):
            edit_section(section=section, said=like(section, **changed), **as_seen(section, amahle))
        changed |= {"reason": WHY}
    edit_section(section=section, said=like(section, **changed), **as_seen(section, amahle))
    assert Decision.objects.get(kind="edit").details.get("reason") == (WHY if asked else None)


def test_a_number_of_rounds_that_was_not_announced_is_given_without_a_reason(
    section: Section, amahle: User
) -> None:
    edit_section(section=section, said=like(section, rounds=7), **as_seen(section, amahle))
    assert fresh(section).rounds == 7


def test_everybody_reads_what_an_announced_event_and_its_section_were_called_before_and_why(
    client: Client, section: Section, amahle: User
) -> None:
    said = named(section.event, name="Soweto Cup", organizer="Sipho Nkosi", reason=WHY)
    edit_event(event=section.event, said=said, **as_seen(section.event, amahle))
    for address in ("/csa/events/2026-001/", "/csa/events/2026-001/A/"):
        told = page(client, address)
        assert "name: Soweto Open → Soweto Cup" in told
        assert WHY in told
        assert "Sipho Nkosi" not in told
    of_section = like(section, name="Premier", reason="One group.")
    edit_section(section=section, said=of_section, **as_seen(section, amahle))
    told = page(client, "/csa/events/2026-001/A/")
    assert "name: A → Premier" in told
    assert "One group." in told
    assert "One group." not in page(client)


# ---------------------------------------------------------------- while a section is reviewed


@pytest.mark.parametrize("changed", [{"name": "Soweto Cup"}, {"place": "Orlando"}])
def test_name_and_place_change_while_a_section_is_submitted_and_its_review_is_looked_at_again(
    section: Section, amahle: User, nomsa: User, changed: dict[str, Any]
) -> None:
    held = at(section, stage=Stage.SUBMITTED)
    said = named(held.event, reason=WHY, **changed)
    edit_event(event=held.event, said=said, **as_seen(held.event, amahle))
    assert fresh(section).event.version == 1
    with pytest.raises(Refused, match=r"this section was changed, and still waits\. Look at it again"):
        return_section(section=held, by=nomsa, on=TODAY, version=held.version, reason=WHY)


@pytest.mark.parametrize(
    "changed", [{"organizer": "Sipho Nkosi"}, {"country": "NAM"}, {"ends": date(2026, 3, 9)}]
)
def test_what_the_office_reviews_a_submitted_section_by_stays_and_the_words_name_it_and_a_way(
    section: Section, amahle: User, changed: dict[str, Any]
) -> None:
    held = at(section, stage=Stage.SUBMITTED)
    way = r"Section A stands in the way: it is submitted\. Withdraw its submission.* can be changed now"
    with pytest.raises(Refused, match=way):
        said = named(held.event, name="Soweto Cup", reason=WHY, **changed)
        edit_event(event=held.event, said=said, **as_seen(held.event, amahle))
    assert (fresh(section).event.name, fresh(section).version) == ("Soweto Open", held.version)


def test_the_page_that_edits_says_what_can_change_while_a_section_is_submitted(
    client_of: ClientOf, section: Section, amahle: User
) -> None:
    words = "The name and the place of the event can be changed now."
    address = "/csa/events/2026-001/sections/edit/"
    assert words not in page(client_of(amahle), address)
    at(section, stage=Stage.SUBMITTED)
    assert words in page(client_of(amahle), address)


# ---------------------------------------------------------------- the history of notices


def test_a_cancellation_keeps_the_words_of_the_postponement_before_it_in_public(
    client: Client, section: Section, amahle: User
) -> None:
    event = section.event
    postpone_event(event=event, reason=WHY, **NEW_DAYS, **as_seen(event, amahle))
    cancel_event(event=event, reason="No arbiter.", **as_seen(event, amahle))
    for address in ("/csa/events/2026-001/", "/csa/events/2026-001/A/"):
        told = page(client, address)
        assert "This event was cancelled." in told
        assert told.index("No arbiter.") < told.index(WHY)
        assert "days: 6 March 2026 – 8 March 2026 → 10 April 2026 – 12 April 2026" in told


def test_an_event_taken_up_again_is_postponed_with_the_words_that_it_had(
    client: Client, section: Section, amahle: User
) -> None:
    event = section.event
    postpone_event(event=event, reason=WHY, **NEW_DAYS, **as_seen(event, amahle))
    cancel_event(event=event, reason="No arbiter.", **as_seen(event, amahle))
    reinstate_event(event=event, **as_seen(event, amahle))
    event.refresh_from_db()
    assert (event.notice, event.notice_on, fresh(section).notice) == (WHY, TODAY, WHY)
    assert "Taken up again." in page(client)
    assert WHY in page(client, "/csa/events/")


def test_a_section_cancelled_and_taken_up_again_keeps_the_words_of_its_postponement(
    client: Client, section: Section, amahle: User
) -> None:
    other = second(section, amahle)
    days: dict[str, Any] = {"starts": date(2026, 3, 7), "ends": date(2026, 3, 7)}
    postpone_section(section=other, reason=WHY, **days, **as_seen(other, amahle))
    cancel_section(section=other, reason="No arbiter.", **as_seen(other, amahle))
    told = page(client, "/csa/events/2026-001/B/")
    assert "This section was cancelled." in told
    assert WHY in told
    reinstate_section(section=other, **as_seen(other, amahle))
    assert fresh(other).notice == WHY
    never = section
    cancel_section(section=never, reason="No arbiter.", **as_seen(never, amahle))
    reinstate_section(section=never, **as_seen(never, amahle))
    assert fresh(never).notice == ""


def silent_move(*moved: Any) -> None:
    move_event(*moved)


@pytest.mark.parametrize("recorded", [True, False])
def test_a_section_that_stayed_does_not_take_over_the_reason_of_a_later_postponement_of_its_event(
    section: Section, amahle: User, recorded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not recorded:  # as an older version kept it
        monkeypatch.setattr("tournaments.announcements.move_event", silent_move)
    other = second(section, amahle)
    days: dict[str, Any] = {"starts": date(2026, 3, 7), "ends": date(2026, 3, 7)}
    postpone_section(section=other, reason="Its hall is small.", **days, **as_seen(other, amahle))
    longer: dict[str, Any] = {"starts": date(2026, 3, 6), "ends": date(2026, 3, 9)}
    postpone_event(event=section.event, reason=WHY, **longer, **as_seen(section.event, amahle))
    decision = Decision.objects.filter(kind="postpone").latest("number")
    assert decision.details.get("sections_moved") == (["A"] if recorded else None)
    assert get_postponement_notice(fresh(other)) == ("Its hall is small.", TODAY)
    assert get_postponement_notice(fresh(section)) == (WHY, TODAY)
    cancel_section(section=other, reason="No arbiter.", **as_seen(other, amahle))
    reinstate_section(section=other, **as_seen(other, amahle))
    assert fresh(other).notice == "Its hall is small."


def test_an_event_tells_the_days_that_it_got_by_its_sections(
    client: Client, section: Section, amahle: User
) -> None:
    postpone_section(section=section, reason=WHY, **NEW_DAYS, **as_seen(section, amahle))
    cancel_event(event=section.event, reason="No arbiter.", **as_seen(section.event, amahle))
    told = page(client)
    assert WHY in told
    assert "days: 6 March 2026 – 8 March 2026 → 10 April 2026 – 12 April 2026" in told


def test_words_withdrawn_from_the_record_are_gone_from_the_history(
    client: Client, section: Section, amahle: User
) -> None:
    event = section.event
    postpone_event(event=event, reason=WHY, **NEW_DAYS, **as_seen(event, amahle))
    cancel_event(event=event, reason="No arbiter.", **as_seen(event, amahle))
    assert WHY in page(client)
    withdraw_words(decision=Decision.objects.get(kind="postpone"), by=None, on=TODAY)
    assert WHY not in page(client)


# ---------------------------------------------------------------- the filing step


def details(section: Section, **changed: Any) -> Details:
    said: dict[str, Any] = {
        **{name: getattr(section, name) for name in ("name", "starts", "ends", "format", "particulars")},
        **{"rounds": 5, "organizer": "Sipho Nkosi", "round_dates": [date(2026, 3, 6)] * 5},
    }
    return Details(**(said | changed))


def saved(section: Section, by: User, **changed: Any) -> Section:
    Entry.objects.get_or_create(section=section, number=1, surname="Dlamini")
    section = fresh(section)
    said = details(section, **changed)
    return save_details(section=section, by=by, on=TODAY, version=section.version, details=said)


def test_the_details_move_no_announced_day_without_a_reason(section: Section, amahle: User) -> None:
    with pytest.raises(Refused, match="Say why"):
        saved(section, amahle, ends=date(2026, 3, 9))
    assert (fresh(section).ends, fresh(section).event.organizer) == (date(2026, 3, 8), "")


def test_other_days_in_the_details_announce_and_record_what_postponing_does(
    client: Client, section: Section, amahle: User
) -> None:
    saved(section, amahle, ends=date(2026, 3, 9), reason=WHY)
    moved = fresh(section)
    assert (moved.ends, moved.first_ends, moved.notice) == (date(2026, 3, 9), date(2026, 3, 8), WHY)
    assert (moved.event.ends, moved.event.first_ends) == (date(2026, 3, 9), date(2026, 3, 8))
    assert moved.round_dates == ["2026-03-06"] * 5
    decision = Decision.objects.get(kind="postpone")
    assert decision.details["days_now"] == ["2026-03-06", "2026-03-09"]
    assert decision.details["event_days_now"] == ["2026-03-06", "2026-03-09"]
    assert WHY in page(client)


def test_details_that_leave_what_was_announced_ask_for_no_reason_and_say_on_record_what_they_gave(
    client: Client, section: Section, amahle: User
) -> None:
    saved(section, amahle, place="Orlando")
    assert not fresh(section).postponed
    given = Decision.objects.get(kind="complete").details["edited"]
    assert given == {"Rounds": ["", "5"], "place": ["", "Orlando"], "organizer": ["", "Sipho Nkosi"]}
    assert "has changed" not in page(client)


@pytest.mark.parametrize("changed", [{"name": "Premier"}, {"place": "Orlando"}])
def test_an_announced_name_or_place_changes_in_the_details_with_a_reason_that_everybody_reads(
    client: Client, section: Section, amahle: User, changed: dict[str, Any]
) -> None:
    Event.objects.update(place="Soweto")
    with pytest.raises(Refused, match="Say why"):
        saved(section, amahle, **changed)
    saved(section, amahle, reason=WHY, **changed)
    assert WHY in page(client, "/csa/events/2026-001/A/")
    assert "edited" in Decision.objects.get(kind="edit").details
