"""Russian mahjong in the office: a rating that moves with the calendar, on lists and pages."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal

import pytest
import time_machine
from django.test import Client

from players.models import Federation, Player
from ratings import people, publication
from ratings.intake import import_journal
from ratings.journal import journal_lines
from ratings.models import Change, RatingList, Standing
from ratings.pages.players import set_shown_ratings
from ratings.replay import replay
from ratings.rulesets import journal
from ratings.tests.journals import journal_of
from ratings.tests.mahjong_record import DAY, Office
from ratings.tests.office import recompute_all
from ratings.verify import verify
from tests.pages import unbroken

pytestmark = pytest.mark.django_db

WEEK = timedelta(7)
LATER = date(2021, 3, 2)
"""The first competition has lost a quarter of its weight, the second not yet."""


@pytest.fixture
def office() -> Federation:
    record = Office()
    record.admit("Anna Boris Vera")
    record.admit("Boris Anna Galina", ends=DAY + WEEK)
    written = journal_of(record.ruleset, record.facts)
    federation = import_journal(journal.read_journal(written.splitlines()), on=DAY + WEEK)
    recompute_all(federation)
    return federation


def replayed(office: Federation, on: date) -> dict[str, Decimal]:
    written = "".join(f"{line}\n" for line in journal_lines(office)).encode()
    return {row["player"]: Decimal(row["rating"]) for row in replay(written, on)["ratings"]}


def test_a_list_is_of_the_day_of_its_publication(office: Federation) -> None:
    publication.publish_list(federation=office, by=None, on=LATER)
    recompute_all(office)
    published = RatingList.objects.get(federation=office, on=LATER)
    rows = dict(published.rows.values_list("player__number", "rating"))
    assert rows == {name: replayed(office, LATER)[name] for name in ("Anna", "Boris")}
    assert rows != {name: replayed(office, DAY + WEEK)[name] for name in ("Anna", "Boris")}
    assert verify(office).differences == []


def test_the_only_list_of_a_day_leads_to_no_others(office: Federation, client: Client) -> None:
    publication.publish_list(federation=office, by=None, on=LATER)
    recompute_all(office)
    page = unbroken(client.get("/mahjong/lists/2021-03-02/rating/").content.decode())
    assert "List of 2 March 2021, 2 players" in page
    assert re.search(r"<th[^>]*>\s*(<a [^>]*>)?\s*Competitions\b", page)
    assert "Games" not in page
    assert 'class="track-nav"' not in page
    assert '<span class="sub">2 players</span>' in unbroken(client.get("/mahjong/lists/").content.decode())


def test_an_admission_is_stored_for_those_who_played(office: Federation) -> None:
    assert Change.objects.filter(player__number="Vera").count() == 1
    vera = Standing.objects.get(player__number="Vera")
    assert vera.rating == 0


@time_machine.travel(LATER)
def test_pages_show_the_rating_of_today(office: Federation, client: Client) -> None:
    anna = replayed(office, LATER)["Anna"]
    stored = Standing.objects.get(player__number="Anna").rating
    assert anna != stored
    people = list(Player.objects.of(office).filter(number="Anna"))
    set_shown_ratings(office, people, LATER)
    ((_track, rating),) = people[0].shown_ratings  # type: ignore[attr-defined]
    assert rating == anna
    page = client.get("/mahjong/players/Anna/").content.decode()
    assert "Competitions: 2" in page
    change = Change.objects.filter(player__number="Anna").latest("order")
    opened = client.get(f"/mahjong/players/Anna/rating/{change.fact.number}/").content.decode()
    assert "Its effect on the rating of Anna" in opened
    assert format(anna.quantize(Decimal("0.0001")), "f") in page


@pytest.mark.parametrize(("played", "folded"), [(5, False), (6, True)])
def test_more_than_five_results_that_count_are_folded(client: Client, played: int, folded: bool) -> None:
    record = Office()
    for week in range(played):
        record.admit("Anna Boris Vera", ends=DAY + week * WEEK)
    written = journal_of(record.ruleset, record.facts)
    recompute_all(import_journal(journal.read_journal(written.splitlines()), on=LATER))
    with time_machine.travel(DAY + 8 * WEEK):
        page = client.get("/mahjong/players/Anna/").content.decode()
    assert page.count("Moscow Open") >= played
    assert (f"All {played}</summary>" in page) is folded


def test_a_curve_ends_at_the_rating_of_today_which_time_may_have_moved(
    office: Federation, client: Client
) -> None:
    with time_machine.travel(LATER):
        points = client.get("/mahjong/players/Anna/").context["curve"]
    assert points[-1][:2] == (LATER, replayed(office, LATER)["Anna"])
    with time_machine.travel(DAY + WEEK):
        points = client.get("/mahjong/players/Anna/").context["curve"]
    assert points[-1][:2] == (DAY + WEEK, Standing.objects.get(player__number="Anna").rating)


def test_the_register_changes_who_stands(office: Federation) -> None:
    anna = Player.objects.of(office).get(number="Anna")
    people.correct_player(player=anna, by=None, on=LATER, resident=False)
    recompute_all(office)
    assert Standing.objects.get(player=anna).rating is None
    assert "Anna" not in replayed(office, LATER)
    assert verify(office).differences == []
    change = Change.objects.filter(player=anna).latest("order")
    page = Client().get(f"/mahjong/players/Anna/rating/{change.fact.number}/")
    assert page.status_code == 200
    assert "no place in the rating" in page.content.decode()


def test_a_lists_page_shows_ratings_with_the_offices_decimals(office: Federation, client: Client) -> None:
    publication.publish_list(federation=office, by=None, on=LATER)
    recompute_all(office)
    first = RatingList.objects.get(federation=office, on=LATER).rows.order_by("rank")[0]
    assert f">{first.rating:.4f}<" in client.get("/mahjong/lists/2021-03-02/rating/").content.decode()
