"""An event of the wrong region moves to another, by whoever acts in both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from conftest import appointed
from players.access import get_rights
from players.mail import send_due_letters
from players.models import Decision, Federation, Player, Region, Role, Transfer, User
from players.record import Refused
from players.writing import page_cache
from ratings.letters import order_due_letters
from ratings.merging import merge_players
from ratings.models import Fact
from tests.built_once import built_once
from tests.pages import unbroken
from tournaments.announcements import move_to_region
from tournaments.models import Case, Entry, Event, Section, Stage
from tournaments.tests.conftest import TODAY, fresh
from tournaments.tests.test_changes import WHY, as_seen, at, second

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
PAGE = "/csa/events/2026-001/sections/region/"


@pytest.fixture(autouse=True)
def no_page_is_kept() -> None:
    page_cache.clear()


@pytest.fixture
@built_once
def cape(csa: Federation) -> Region:
    return csa.regions.get(code="WCA")


def move(section: Section, by: User, region: Region, **more: Any) -> Event:
    rights = get_rights(by, section.event.federation, TODAY)
    seen = as_seen(section.event, by)
    said = {"reason": WHY, "in_journal": Fact.objects.filter(kind="player").values("subject"), **seen, **more}
    return move_to_region(rights=rights, event=section.event, region=region, **said)


def test_a_moved_event_is_filed_by_the_other_region_alone(
    client_of: ClientOf, section: Section, cape: Region, amahle: User, pieter: User, nomsa: User
) -> None:
    move(section, nomsa, cape)
    assert fresh(section).event.region == cape
    assert (fresh(section).key, fresh(section).version) == ("2026-001/A", 1)
    for address in ("/csa/events/2026-001/sections/", "/csa/events/2026-001/A/file/"):
        assert client_of(amahle).get(address).status_code == 404
        assert client_of(pieter).get(address).status_code == 200


def test_everybody_reads_that_an_event_moved_and_why(
    client: Client, section: Section, cape: Region, nomsa: User
) -> None:
    move(section, nomsa, cape)
    page = unbroken(client.get("/csa/events/2026-001/").content.decode())
    assert "Moved to another region." in page
    assert "region: Gauteng → Western Cape" in page
    assert WHY in page


def test_administrators_of_both_regions_get_a_letter_and_nobody_else(
    section: Section, cape: Region, amahle: User, pieter: User, nomsa: User, csa: Federation
) -> None:
    appointed("Zodwa", csa, Role.REGIONAL, Region.objects.create(federation=csa, code="LIM", name="Limpopo"))
    move(section, nomsa, cape)
    mail.outbox.clear()
    order_due_letters(timezone.now())
    send_due_letters(timezone.now())
    moved = [letter for letter in mail.outbox if "moved to Western Cape" in letter.subject]
    assert sorted(letter.to[0] for letter in moved) == sorted([amahle.email, pieter.email])
    assert all(WHY in str(letter.body) for letter in moved)
    assert all("/csa/events/2026-001/" in str(letter.body) for letter in moved)


def test_both_regions_read_on_record_that_an_event_moved_and_the_giving_one_nothing_else_of_it(
    client_of: ClientOf, section: Section, cape: Region, amahle: User, pieter: User, nomsa: User
) -> None:
    move(section, nomsa, cape)
    words = "Nomsa moved event 2026-001 from the region GAU to the region WCA."
    given, taken = (client_of(who).get("/csa/record/record.csv").content.decode() for who in (amahle, pieter))
    assert words in given
    assert words in taken
    assert "registered event 2026-001" in taken
    assert "registered event 2026-001" not in given


def test_nobody_moves_an_event_to_or_from_a_region_in_which_they_do_not_act(
    client_of: ClientOf, section: Section, cape: Region, amahle: User, pieter: User
) -> None:
    with pytest.raises(Refused, match="You do not act for Western Cape"):
        move(section, amahle, cape)
    with pytest.raises(Refused, match="You do not act for Gauteng"):
        move(section, pieter, cape)
    for who in (amahle, pieter):
        assert client_of(who).get(PAGE).status_code == 404
        assert client_of(who).post(PAGE, {"version": 0, "region": cape.pk, "reason": WHY}).status_code == 404
    assert PAGE not in client_of(amahle).get("/csa/events/2026-001/sections/").content.decode()


def test_an_administrator_of_both_regions_moves_an_event_on_its_page(
    client_of: ClientOf, section: Section, cape: Region, csa: Federation, gauteng: Region
) -> None:
    both = appointed("Zodwa", csa, Role.REGIONAL, gauteng)
    held = both.appointments.get()
    held.pk, held.region = None, cape
    held.save()
    client = client_of(both)
    assert PAGE in client.get("/csa/events/2026-001/sections/").content.decode()
    said = {"version": 0, "region": cape.pk}
    assert client.post(PAGE, said).status_code == 400
    other = Region.objects.create(federation=csa, code="LIM", name="Limpopo")
    assert client.post(PAGE, said | {"region": other.pk, "reason": WHY}).status_code == 400
    assert client.post(PAGE, said | {"reason": WHY}).status_code == 302
    assert Event.objects.get().region == cape
    late = client.post(PAGE, said | {"region": gauteng.pk, "reason": WHY})
    assert late.status_code == 409
    assert "This event changed while your page was open" in unbroken(late.content.decode())


@pytest.mark.parametrize("stage", [Stage.SUBMITTED, Stage.RATED])
def test_no_event_moves_of_which_a_section_is_submitted_or_rated(
    section: Section, cape: Region, nomsa: User, stage: Stage
) -> None:
    at(section, stage=stage)
    with pytest.raises(Refused, match="Section A stands in the way"):
        move(section, nomsa, cape)
    assert not Decision.objects.filter(kind="move-event").exists()


@pytest.mark.parametrize("stage", [Stage.FILED, Stage.RETURNED, Stage.UNRATED, Stage.CANCELLED])
def test_an_event_moves_while_its_sections_are_with_the_region(
    section: Section, cape: Region, nomsa: User, stage: Stage
) -> None:
    at(section, stage=stage)
    assert move(section, nomsa, cape).region == cape


def test_an_event_moves_with_a_reason_and_to_another_region_than_it_has(
    section: Section, gauteng: Region, cape: Region, nomsa: User
) -> None:
    with pytest.raises(Refused, match="belongs to Gauteng already"):
        move(section, nomsa, gauteng)
    with pytest.raises(Refused, match="Say why"):
        move(section, nomsa, cape, reason=" ")
    with pytest.raises(Refused, match="This event changed while your page was open"):
        move(section, nomsa, cape, version=7)


def test_whoever_submitted_for_the_giving_region_is_forgotten_and_its_reports_that_are_not_closed_go_along(
    section: Section, cape: Region, gauteng: Region, amahle: User, nomsa: User, csa: Federation
) -> None:
    Section.objects.update(stage=Stage.RETURNED, submitted_by=amahle)
    told = {"federation": csa, "region": gauteng, "section": section, "reported_at": timezone.now()}
    opened = Case.objects.create(email="one@example.org", state=Case.State.OPEN, **told)
    closed = Case.objects.create(email="two@example.org", state=Case.State.CLOSED, **told)
    waits = Case.objects.create(email="three@example.org", state=Case.State.UNCONFIRMED, **told)
    answered = Case.objects.create(email="four@example.org", state=Case.State.ANSWERED, **told)
    move(section, nomsa, cape)
    assert fresh(section).submitted_by is None
    for case, region in ((opened, cape), (waits, cape), (answered, cape), (closed, gauteng)):
        case.refresh_from_db()
        assert case.region == region, case.state


def newcomer(section: Section, number: int) -> Player:
    event = section.event
    player = Player.objects.create(
        federation=event.federation, number=f"10100{number}", surname=f"New{number}", region=event.region
    )
    Entry.objects.create(
        section=section, number=number, surname=player.surname, player=player, match=Entry.Match.NEW
    )
    return player


def test_csa_14_1_5_players_new_with_an_event_move_with_it_unless_they_play_elsewhere_or_were_rated(
    section: Section, cape: Region, gauteng: Region, amahle: User, nomsa: User
) -> None:
    rated = second(section, amahle)
    Decision.objects.create(
        federation=section.event.federation,
        number=90,
        kind="approve",
        at=timezone.now(),
        on=TODAY,
        about=f"section {rated.key}",
    )
    alone, of_rated, known = newcomer(section, 1), newcomer(rated, 2), newcomer(section, 3)
    Entry.objects.filter(player=known).update(match=Entry.Match.CERTAIN)
    event = move(section, nomsa, cape)
    for player, region in ((alone, cape), (of_rated, gauteng), (known, gauteng)):
        player.refresh_from_db()
        assert player.region == region
    decision = Decision.objects.get(kind="move-event")
    assert (decision.about, decision.details["players"]) == (event.named_on_record, [alone.number])


def test_players_whom_a_merger_brought_into_the_journal_or_who_have_an_open_transfer_do_not_move_along(
    section: Section, cape: Region, gauteng: Region, nomsa: User, csa: Federation
) -> None:
    merged, asked, refused = (newcomer(section, number) for number in (1, 2, 3))
    double = Player.objects.create(federation=csa, number="101009", surname="Double", region=gauteng)
    merge_players(player=double, into=merged, by=nomsa, on=TODAY, reason="The same card.")
    for player, state in ((asked, Transfer.State.ASKED), (refused, Transfer.State.REFUSED)):
        to = {"giving": gauteng, "taking": cape, "asked_on": TODAY, "state": state}
        Transfer.objects.create(federation=csa, player=player, **to)
    move(section, nomsa, cape)
    for player, region in ((merged, gauteng), (asked, gauteng), (refused, cape)):
        player.refresh_from_db()
        assert player.region == region


def test_an_office_of_one_region_has_no_page_to_move_events(
    client_of: ClientOf, section: Section, csa: Federation, nomsa: User, gauteng: Region
) -> None:
    assert client_of(nomsa).get(PAGE).status_code == 200
    csa.regions.exclude(pk=gauteng.pk).delete()
    assert client_of(nomsa).get(PAGE).status_code == 404
    assert PAGE not in client_of(nomsa).get("/csa/events/2026-001/sections/").content.decode()
