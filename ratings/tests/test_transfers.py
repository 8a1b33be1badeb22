"""Transfers between regions: who asks, who decides, from which day, and what the record keeps."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from conftest import appointed
from players.mail import send_due_letters
from players.models import Decision, Federation, Ledger, Letter, Player, Region, Role, Transfer, User
from players.record import Refused
from players.settings import today
from ratings.letters import order_due_letters
from ratings.models import Fact
from ratings.people import ask_transfer, carry_out_due_transfers, grant_transfer, refuse_transfer
from ratings.tests.office import approved, recompute_all, register, submitted
from tests.built_once import built_once

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db
DAY = date(2026, 5, 3)


@pytest.fixture
@built_once
def player(csa: Federation, gauteng: Region) -> Player:
    """A rated player of Gauteng."""
    people = register(csa, 8)
    Player.objects.update(region=gauteng)
    approved(submitted(csa, people, rounds=10))
    recompute_all(csa)
    return Player.objects.get(pk=people[0].pk)


def asked(player: Player, taking: Region, by: User | None = None) -> Transfer:
    return ask_transfer(player=player, taking=taking, by=by, on=DAY, reason="moved house")


def test_a_region_asks_an_official_grants_and_the_journal_hears_of_it(
    client_of: ClientOf, csa: Federation, amahle: User, nomsa: User, player: Player, western_cape: Region
) -> None:
    region, office = client_of(amahle), client_of(nomsa)
    page = f"/csa/players/{player.number}/transfer/"
    assert page in region.get(player.get_absolute_url()).content.decode()
    sent = region.post(page, {"taking": western_cape.pk, "reason": "moved house"})
    assert sent.headers["Location"] == "/csa/transfers/"
    transfer = Transfer.objects.get()
    assert "moved house" in office.get("/csa/transfers/").content.decode()
    here = f"/csa/transfers/{transfer.pk}/"
    assert region.get(here).status_code == 403
    lines = Fact.objects.count()
    done = office.post(here, {"answer": "grant", "starts": today(csa).isoformat(), "words": ""})
    assert done.status_code == 302
    player.refresh_from_db()
    assert player.region == western_cape
    assert Fact.objects.count() == lines + 1
    kinds = ["ask-transfer", "grant-transfer", "correct"]
    assert (
        list(Decision.objects.filter(kind__in=kinds).order_by("number").values_list("kind", flat=True))
        == kinds
    )


@pytest.mark.parametrize(("days", "granted"), [(-365, False), (-1, False), (0, True)])
def test_no_transfer_begins_before_it_was_asked_for(
    player: Player, western_cape: Region, days: int, *, granted: bool
) -> None:
    transfer, on = asked(player, western_cape), DAY + timedelta(days=9)
    told = {"transfer": transfer, "by": None, "on": on, "starts": transfer.asked_on + timedelta(days=days)}
    if granted:
        grant_transfer(**told)  # type: ignore[arg-type]
    else:
        with pytest.raises(Refused, match="cannot begin before"):
            grant_transfer(**told)  # type: ignore[arg-type]
    player.refresh_from_db()
    assert (player.region == western_cape) is granted


@pytest.mark.parametrize(("days", "granted"), [(366, True), (367, False)])
def test_a_transfer_begins_within_a_year(
    player: Player, western_cape: Region, days: int, *, granted: bool
) -> None:
    transfer = asked(player, western_cape)
    told = {"transfer": transfer, "by": None, "on": DAY, "starts": DAY + timedelta(days=days)}
    if granted:
        grant_transfer(**told)  # type: ignore[arg-type]
    else:
        with pytest.raises(Refused, match="within a year"):
            grant_transfer(**told)  # type: ignore[arg-type]
    transfer.refresh_from_db()
    assert (transfer.starts is not None) is granted


@pytest.mark.parametrize(("days", "moved"), [(-1, False), (0, True), (1, True)])
def test_a_day_to_come_is_kept_and_the_region_changes_then(
    csa: Federation, player: Player, western_cape: Region, days: int, moved: bool
) -> None:
    starts = DAY + timedelta(days=30)
    grant_transfer(transfer=asked(player, western_cape), by=None, on=DAY, starts=starts)
    player.refresh_from_db()
    assert player.region != western_cape
    assert carry_out_due_transfers(csa, starts + timedelta(days=days)) == moved
    player.refresh_from_db()
    assert (player.region == western_cape) == moved
    assert carry_out_due_transfers(csa, starts + timedelta(days=days)) == 0


def test_a_refusal_has_words_and_moves_nobody(player: Player, western_cape: Region) -> None:
    transfer = asked(player, western_cape)
    with pytest.raises(Refused, match="Say why"):
        refuse_transfer(transfer=transfer, by=None, on=DAY, words=" ")
    refuse_transfer(transfer=transfer, by=None, on=DAY, words="no proof of address")
    player.refresh_from_db()
    assert player.region != western_cape
    asked(player, western_cape)


def test_of_two_answers_one_wins(player: Player, western_cape: Region) -> None:
    transfer = asked(player, western_cape)
    grant_transfer(transfer=transfer, by=None, on=DAY, starts=DAY)
    with pytest.raises(Refused, match="Somebody else decided first"):
        refuse_transfer(transfer=transfer, by=None, on=DAY, words="no")
    with pytest.raises(Refused, match="Somebody else decided first"):
        grant_transfer(transfer=transfer, by=None, on=DAY, starts=DAY)


def test_one_transfer_of_a_player_is_open_at_a_time(
    player: Player, gauteng: Region, western_cape: Region
) -> None:
    asked(player, western_cape)
    with pytest.raises(Refused, match="open already"):
        asked(player, western_cape)
    with pytest.raises(Refused, match="belongs to"):
        asked(player, gauteng)


def test_a_region_takes_for_itself_and_gives_away_its_own_alone(
    client_of: ClientOf, pieter: User, player: Player, gauteng: Region, western_cape: Region
) -> None:
    limpopo = Region.objects.create(federation=player.federation, code="LIX", name="Limpopo here")
    page, form = f"/csa/players/{player.number}/transfer/", {"reason": "moved house"}
    browser = client_of(pieter)
    assert browser.post(page, {**form, "taking": limpopo.pk}).status_code == 400
    assert browser.post(page, {**form, "taking": western_cape.pk}).status_code == 302


def test_a_third_region_sees_nothing_of_it(
    client_of: ClientOf, pieter: User, player: Player, gauteng: Region
) -> None:
    limpopo = Region.objects.create(federation=player.federation, code="LIX", name="Limpopo here")
    asked(player, limpopo)
    assert "moved house" not in client_of(pieter).get("/csa/transfers/").content.decode()


def test_an_office_without_regions_has_no_transfers(client_of: ClientOf) -> None:
    office = Federation.objects.create(code="alone", name="Alone", ruleset_slug="csa")
    Ledger.objects.create(federation=office)
    Region.objects.create(federation=office, code="ALL", name="Alone")
    official = appointed("Zanele", office, Role.OFFICIAL)
    assert client_of(official).get("/alone/transfers/").status_code == 404


# ---------------------------------------------------------------- letters and the desk


def letters(kind: str) -> set[str]:
    """Order the letters of what was decided; the addresses to which those of a kind go."""
    order_due_letters(timezone.now())
    found = Letter.objects.filter(particulars__about=kind)
    return set(found.values_list("email", flat=True))


@pytest.mark.usefixtures("letters_wait")
def test_officials_are_told_that_a_transfer_is_asked_for_and_no_region_is(
    player: Player, amahle: User, nomsa: User, pieter: User, western_cape: Region
) -> None:
    asked(player, western_cape, by=amahle)
    assert letters("transfer_asked") == {nomsa.email}


@pytest.mark.usefixtures("letters_wait")
@pytest.mark.parametrize("granted", [True, False])
def test_whoever_asked_and_the_other_region_are_told_the_answer_but_not_who_gave_it(
    player: Player, amahle: User, nomsa: User, pieter: User, western_cape: Region, granted: bool
) -> None:
    """Amahle files for the region that the player leaves, Pieter for the one that takes the player."""
    transfer = asked(player, western_cape, by=amahle)
    if granted:
        grant_transfer(transfer=transfer, by=nomsa, on=DAY, starts=DAY)
    else:
        refuse_transfer(transfer=transfer, by=nomsa, on=DAY, words="no proof of address")
    assert letters("transfer_granted" if granted else "transfer_refused") == {amahle.email, pieter.email}
    assert letters("transfer_refused" if granted else "transfer_granted") == set()


@pytest.mark.usefixtures("letters_wait")
def test_a_region_that_a_transfer_does_not_concern_is_told_nothing(
    player: Player, pieter: User, gauteng: Region, csa: Federation
) -> None:
    limpopo = Region.objects.create(federation=csa, code="LIX", name="Limpopo here")
    refuse_transfer(transfer=asked(player, limpopo), by=None, on=DAY, words="no")
    assert pieter.email not in letters("transfer_refused")


@pytest.mark.usefixtures("letters_wait")
def test_a_letter_about_a_transfer_names_the_player_by_number_alone(
    player: Player, nomsa: User, western_cape: Region
) -> None:
    asked(player, western_cape)
    letters("transfer_asked")
    send_due_letters(timezone.now())
    [letter] = mail.outbox
    words = f"{letter.subject} {letter.body}"
    assert player.number in words
    assert player.surname not in words
    assert "Western Cape" in words


def test_the_desk_of_who_decides_shows_what_is_asked_for_until_it_is_decided(
    client_of: ClientOf, player: Player, nomsa: User, amahle: User, western_cape: Region
) -> None:
    transfer = asked(player, western_cape)
    page = f"/csa/transfers/{transfer.pk}/"
    assert page in client_of(nomsa).get("/csa/desk/").content.decode()
    assert page not in client_of(amahle).get("/csa/desk/").content.decode()
    refuse_transfer(transfer=transfer, by=None, on=DAY, words="no")
    assert page not in client_of(nomsa).get("/csa/desk/").content.decode()
