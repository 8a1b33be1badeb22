"""The first decision, before play, can also be a refusal, be put off, or be a question to the region."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.test import Client

from conftest import appointed
from players.models import Decision, Federation, Role, User
from players.record import Refused
from ratings.pages.decisions import sections_to_decide_before_play
from ratings.tests.test_waivers import admit, declared, mahjong, official
from tournaments.before_play import (
    answer_before_play,
    ask_before_play,
    defer_decision,
    describe_state_before_play,
    refuse_before_play,
)
from tournaments.models import Section, Stage
from tournaments.tests.conftest import section as registered

__all__ = ("mahjong", "official", "registered")
pytestmark = pytest.mark.django_db
TODAY = date(2026, 6, 1)


def test_an_answer_brings_a_section_back_that_a_question_took_off_the_desk(
    mahjong: Federation, official: User
) -> None:
    section = declared(mahjong, official)
    seen: dict[str, Any] = {"section": section, "by": official, "on": TODAY}
    asked = ask_before_play(**seen, version=section.version, reason="Who is the referee?")
    assert sections_to_decide_before_play(mahjong, TODAY) == []
    with pytest.raises(Refused):
        defer_decision(**seen, version=section.version, reason="Too late.", until=date(2026, 6, 3))
    answer_before_play(**seen, version=asked.version, answer="Olga.")
    assert [each.pk for each in sections_to_decide_before_play(mahjong, TODAY)] == [section.pk]


def test_from_the_offices_question_one_goes_back_to_the_event(
    mahjong: Federation, official: User, client_of: Callable[[User], Client]
) -> None:
    section = declared(mahjong, official)
    asked: dict[str, Any] = {"section": section, "by": official, "on": TODAY, "version": section.version}
    ask_before_play(**asked, reason="Who is the referee?")
    page = client_of(official).get(f"/mahjong/events/{section.key}/before-play/answer/").content.decode()
    back = f'<a href="/mahjong/events/{section.event.number}/sections/">Go back</a>'
    assert back in " ".join(page.split()).replace('" >', '">')


def test_a_decision_that_was_put_off_comes_back_on_its_day(mahjong: Federation, official: User) -> None:
    section = declared(mahjong, official)
    seen: dict[str, Any] = {"section": section, "by": official, "on": TODAY, "version": section.version}
    with pytest.raises(Refused, match="later day than today"):
        defer_decision(**seen, reason="The board meets.", until=TODAY)
    defer_decision(**seen, reason="The board meets.", until=date(2026, 6, 3))
    assert sections_to_decide_before_play(mahjong, date(2026, 6, 2)) == []
    assert len(sections_to_decide_before_play(mahjong, date(2026, 6, 3))) == 1


def test_a_refusal_is_public_with_its_reason_and_a_new_decision_replaces_it(
    mahjong: Federation, official: User, client_of: Callable[[User], Client], client: Client
) -> None:
    section = declared(mahjong, official)
    place = f"/mahjong/events/{section.key}/before-play/"
    given = {"decision": "refuse", "version": section.version, "reason": "Not open to all."}
    assert client_of(official).post(place, given).status_code == 302
    section.refresh_from_db()
    assert section.stage == "refused"
    assert "Not open to all." in client.get(section.get_absolute_url()).content.decode()
    assert admit(section, official).stage == "registered"
    assert set(Decision.objects.values_list("kind", flat=True)) >= {"refuse-before-play", "admit"}


def test_refusing_in_place_of_a_newer_decision_is_told(mahjong: Federation, official: User) -> None:
    section = declared(mahjong, official)
    seen: dict[str, Any] = {"section": section, "by": official, "on": TODAY, "version": section.version}
    refuse_before_play(**seen, reason="First.")
    with pytest.raises(Refused, match="changed while your page was open"):
        ask_before_play(**seen, reason="Second?")


# ---------------------------------------------------------------- on the region's desk


def test_the_regions_desk_tells_what_the_office_decided_before_play_and_what_it_waits_for(
    mahjong: Federation, official: User, client_of: Callable[[User], Client]
) -> None:
    section = declared(mahjong, official)
    vera = appointed("Vera", mahjong, Role.REGIONAL, mahjong.regions.get())

    def desk() -> str:
        return " ".join(client_of(vera).get("/mahjong/desk/").content.decode().split())

    def seen() -> dict[str, Any]:
        section.refresh_from_db()
        return {"section": section, "by": official, "on": TODAY, "version": section.version}

    assert "The office has not decided on it yet." in desk()
    defer_decision(**seen(), reason="The board meets.", until=date(2026, 6, 3))
    assert "The office put its decision off until 3 June 2026: The board meets." in desk()
    ask_before_play(**seen(), reason="Who is the referee?")
    assert "The office asked on 1 June 2026: Who is the referee?" in desk()
    answer_before_play(**seen(), answer="Olga.")
    assert "You answered the office’s question on 1 June 2026; it decides now." in desk()
    section.refresh_from_db()
    admit(section, official)
    assert "Admitted on" in desk()
    Section.objects.filter(pk=section.pk).update(rounds=(section.rounds or 0) + 1)
    assert "and changed since: the office looks at it again." in desk()


def test_once_something_was_filed_the_decision_before_play_is_told_no_more(
    mahjong: Federation, official: User
) -> None:
    section = declared(mahjong, official)
    assert describe_state_before_play(section)
    section.stage = Stage.FILED
    assert describe_state_before_play(section) == ""


def test_where_no_section_waits_for_a_decision_the_desk_tells_only_what_was_decided(
    registered: Section, nomsa: User
) -> None:
    assert describe_state_before_play(registered) == ""
    seen: dict[str, Any] = {"section": registered, "by": nomsa, "on": TODAY}
    refuse_before_play(**seen, version=registered.version, reason="Two events of one name.")
    registered.refresh_from_db()
    assert describe_state_before_play(registered) == ""  # it is refused: the desk says so by its stage
    admit(registered, nomsa)
    registered.refresh_from_db()
    assert describe_state_before_play(registered).startswith("Nothing stands in its way, since ")
