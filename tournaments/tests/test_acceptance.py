"""Acceptance on the way of a section: with deadlines held and without, and the form."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.test import Client

from players.models import BirthDate, Decision, Federation, Identifier, Player, Region, User
from tests.built_once import built_once
from tournaments.acceptance import build_filing, recheck
from tournaments.formats.sheet import Official
from tournaments.models import Event, Section, Stage
from tournaments.registration import SectionParticulars, add_sections
from tournaments.tests.conftest import Send, address, fresh
from tournaments.tests.event_files import open_file
from tournaments.tests.test_filing import details_of

pytestmark = [pytest.mark.boxed, pytest.mark.long]

ClientOf = Callable[[User], Client]
IN_TIME = datetime(2026, 3, 9, 8, 0, tzinfo=UTC)


@pytest.fixture
@built_once
def strict(csa: Federation) -> Federation:
    csa.settings = {"deadlines": True, "particulars": True}
    csa.save(update_fields=["settings"])
    return csa


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[datetime], None]:
    """`at(moment)`: what every clock says from here on."""
    return lambda moment: monkeypatch.setattr("django.utils.timezone.now", lambda: moment)


@pytest.fixture
@built_once
def whole(section: Section, register_of_six: list[Player]) -> Section:
    """With an organizer, and players whose births are known to the day."""
    Event.objects.update(organizer="Lindiwe Mabaso, 101000777")
    for player in register_of_six:
        BirthDate.objects.create(player=player, day=date(player.born or 2000, 5, 3))
    return fresh(section)


def found(section: Section, *levels: str) -> list[tuple[str, str]]:
    rows = fresh(section).findings.filter(level__in=levels).order_by("clause")
    return list(rows.values_list("clause", "key"))


# ---------------------------------------------------------------- the whole way


def test_csa_what_is_missing_is_asked_in_the_form_and_what_is_late_wants_a_reason(
    strict: Federation,
    amahle: User,
    nomsa: User,
    client_of: ClientOf,
    whole: Section,
    upload: Send,
    send: Send,
    at: Callable[[datetime], None],
) -> None:
    Event.objects.update(organizer="")
    Section.objects.update(registered_on=date(2026, 3, 4))
    at(IN_TIME)
    client = client_of(amahle)
    upload(client, whole, open_file(arbiters=()))
    assert found(whole, "blocks") == []
    assert found(whole, "asks") == [("13.5", "no-organizer"), ("6", "no-arbiter")]
    assert found(whole, "waivable") == [("61.1", "registered-late")]
    page = client.get(address(whole, "findings")).content.decode()
    assert address(whole, "details") + "#officials" in page

    data = details_of(client, whole)
    assert data["organizer"] == "Gauteng, Amahle, amahle@csa.example"
    data |= {"arbiters-0-name": "Gugu Radebe", "arbiters-0-title": "FA", "arbiters-0-id": "14399001"}
    response = send(client, address(whole, "details"), data)
    assert response["Location"] == address(whole, "submit")
    assert found(whole, "asks") == []

    page = client.get(address(whole, "submit")).content.decode()
    assert "Registered on 4 March 2026; the last day for it was 3 March 2026" in page
    assert "A qualified arbiter was there for the whole of every round." in page
    assert send(client, address(whole, "submit"), {"version": fresh(whole).version}).status_code == 409
    [late] = fresh(whole).findings.filter(level="waivable")
    reason = {f"reason-{late.pk}": "The hall was confirmed only then."}
    send(client, address(whole, "submit"), {"version": fresh(whole).version} | reason)
    assert fresh(whole).stage == Stage.SUBMITTED
    assert Decision.objects.get(kind="submit").details["confirmed"] == ["6", "7", "21"]
    review = client_of(nomsa).get(address(whole, "review")).content.decode()
    assert "The hall was confirmed only then." in review


def test_an_office_that_holds_nobody_to_deadlines_tells_them_and_takes_the_section(
    csa: Federation, amahle: User, client_of: ClientOf, whole: Section, upload: Send, send: Send
) -> None:
    Event.objects.update(organizer="")
    Section.objects.update(registered_on=date(2026, 3, 4))
    client = client_of(amahle)
    upload(client, whole, open_file(arbiters=()))
    assert found(whole, "blocks", "asks", "waivable") == []
    assert found(whole, "notice") == [
        ("13.5", "no-organizer"),
        ("6", "no-arbiter"),
        ("61.1", "registered-late"),
        ("62", "filed-late"),
    ]
    page = client.get(address(whole, "details")).content.decode()
    assert "No arbiter is named" in page
    shown = client.get(address(whole, "findings")).content.decode()
    assert "None of this prevents submission." in shown
    assert "the last day for it was 3 March 2026" in shown
    assert "Say why" not in shown  # a notice has no field for a reason
    send(client, address(whole, "submit"), {"version": fresh(whole).version})
    assert fresh(whole).stage == Stage.SUBMITTED


def test_csa_a_fide_rated_section_is_asked_for_in_the_form_and_kept_out_of_the_journal(
    strict: Federation,
    amahle: User,
    client_of: ClientOf,
    whole: Section,
    upload: Send,
    send: Send,
    at: Callable[[datetime], None],
) -> None:
    from tournaments.sections import section_fact

    Section.objects.update(registered_on=date(2026, 2, 28))
    at(IN_TIME)
    client = client_of(amahle)
    upload(client, whole, open_file())
    assert found(whole, "waivable") == []
    before = section_fact(fresh(whole))
    send(client, address(whole, "details"), details_of(client, whole, **{"own-fide_rated": "non-norm"}))
    assert found(whole, "waivable") == [("14.1.4", "fide-ids-missing"), ("61.2", "registered-late")]
    assert section_fact(fresh(whole)) == before


# ---------------------------------------------------------------- days


@pytest.mark.parametrize(
    ("moment", "late"),
    [
        (datetime(2026, 3, 22, 21, 59, tzinfo=UTC), False),
        (datetime(2026, 3, 22, 22, 0, tzinfo=UTC), True),
    ],
)
def test_csa_62_the_fourteenth_day_ends_at_midnight_in_johannesburg(
    strict: Federation,
    amahle: User,
    client_of: ClientOf,
    whole: Section,
    upload: Send,
    at: Callable[[datetime], None],
    moment: datetime,
    late: bool,
) -> None:
    at(moment)
    upload(client_of(amahle), whole, open_file())
    assert found(whole, "waivable") == ([("62", "filed-late")] if late else [])


def test_csa_62_the_submission_that_holds_counts_also_where_the_office_returned_one_in_time(
    strict: Federation,
    amahle: User,
    client_of: ClientOf,
    whole: Section,
    upload: Send,
    send: Send,
    at: Callable[[datetime], None],
) -> None:
    client = client_of(amahle)
    at(IN_TIME)
    upload(client, whole, open_file())
    Section.objects.update(stage=Stage.RETURNED)
    at(datetime(2026, 4, 20, tzinfo=UTC))
    send(client, address(whole, "file/discard"), {"version": fresh(whole).version})
    upload(client, whole, open_file(city="Soweto"))
    assert fresh(whole).filed_on == date(2026, 3, 9)
    assert found(whole, "waivable") == [("62", "filed-late")]
    Section.objects.update(first_rated_submission=date(2026, 3, 9))
    recheck(fresh(whole))
    assert found(whole, "waivable") == []  # a correction of what was rated once


def test_csa_61_a_section_that_is_added_later_has_a_day_of_its_own(amahle: User, whole: Section) -> None:
    on = date(2026, 3, 4)
    [added] = add_sections(event=whole.event, by=amahle, on=on, sections=[SectionParticulars("B", "swiss")])
    assert build_filing(whole).registered == date(2026, 1, 5)
    assert build_filing(added).registered == on
    whole.registered_on = None
    assert build_filing(whole).registered == whole.event.registered_on


# ---------------------------------------------------------------- people


def test_csa_60_a_file_that_an_official_uploads_is_not_the_regions(
    amahle: User, nomsa: User, client_of: ClientOf, whole: Section, upload: Send
) -> None:
    upload(client_of(nomsa), whole, open_file())
    assert ("60", "not-by-the-region") in found(whole, "notice")
    upload(client_of(amahle), whole, open_file(city="Soweto"))
    assert ("60", "not-by-the-region") not in found(whole, "notice")


def test_csa_8_an_arbiter_who_plays_in_another_section_of_the_event_is_found(
    amahle: User, client_of: ClientOf, whole: Section, upload: Send
) -> None:
    client = client_of(amahle)
    [other] = add_sections(
        event=whole.event,
        by=amahle,
        on=date(2026, 1, 5),
        sections=[SectionParticulars("B", "swiss", particulars=whole.particulars)],
    )
    upload(client, whole, open_file())
    assert found(whole, "waivable") == []
    Event.objects.update(arbiters=[{"name": "Thabo Dlamini", "title": "FA", "id": "101000001"}])
    recheck(fresh(other))
    upload(client, other, open_file(name="Soweto Open B", city="Soweto"))
    assert set(found(other, "waivable")) == {("8", "arbiter-plays")}
    assert fresh(other).findings.filter(key="arbiter-plays").count() == 2


def test_an_arbiter_of_the_register_is_told_from_one_with_a_fide_id(whole: Section) -> None:
    whole.event.arbiters = [
        {"name": "Thabo Dlamini", "title": "FA", "id": "101000001"},
        {"name": "Gugu Radebe", "title": "IA", "id": "14399001"},
    ]
    assert [arbiter.in_register for arbiter in build_filing(whole).arbiters] == [True, False]


def test_of_a_player_the_register_and_the_file_together_say_what_is_known(
    csa: Federation, amahle: User, client_of: ClientOf, whole: Section, upload: Send
) -> None:
    upload(client_of(amahle), whole, open_file())
    thabo = Player.objects.get(number="101000001")
    Identifier.objects.create(federation=csa, player=thabo, kind="fide", value="14300001")
    Identifier.objects.create(federation=csa, player=thabo, kind="lichess", value="thabo91")
    known = build_filing(fresh(whole)).entrants[0]
    assert (known.player, known.birth, known.sex) == ("101000001", "1991-05-03", "m")
    assert (known.fide_id, known.handle, known.new, known.decided) == ("14300001", "thabo91", False, True)


def test_of_a_new_player_the_file_alone_says_what_is_known(
    amahle: User, gauteng: Region, client_of: ClientOf, section: Section, upload: Send, send: Send
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    assert not any(entrant.decided for entrant in build_filing(fresh(section)).entrants)
    version = fresh(section).version
    send(client, address(section, "players/decide"), {"version": version, "entry": [1, 2, 3, 4, 5, 6]})
    first = build_filing(fresh(section)).entrants[0]
    assert (first.player, first.name, first.new, first.decided) == ("#1", "Dlamini, Thabo", True, True)
    assert ("14.1.5", "host-region") in found(section, "notice")


def test_arbiters_of_the_file_stand_in_the_form(
    amahle: User, client_of: ClientOf, whole: Section, upload: Send
) -> None:
    client = client_of(amahle)
    upload(client, whole, open_file(arbiters=(Official("Gugu Radebe", "IA", "14399001"),)))
    page: Any = client.get(address(whole, "details"))
    assert [form.initial.get("name") for form in page.context["forms"].arbiters] == ["Gugu Radebe", None]
