"""When a list was published, and by what name whoever stands in it is known."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from players.models import Federation, Player
from players.offices import today
from ratings.models import RatingList
from ratings.tests.files import fetched
from ratings.tests.office import approved, published, register, submitted
from ratings.transfer import journal_lines

pytestmark = pytest.mark.django_db


@pytest.fixture
def played(csa: Federation) -> list[Player]:
    players = register(csa, 10)
    approved(submitted(csa, players))
    approved(submitted(csa, players, number="2024-002", ends=date(2024, 3, 8), seed=2))
    return players


def test_a_list_of_an_earlier_day_is_published_when_it_is_published(
    csa: Federation, played: list[Player]
) -> None:
    began = timezone.now()
    lists = published(csa, today(csa) - timedelta(days=20))
    assert lists != []
    assert all(began <= each.published_at <= timezone.now() for each in lists)


def test_a_list_without_a_decision_came_with_a_journal_and_was_published_on_its_day(
    csa: Federation, played: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ratings.services.decide", lambda *_, **__: None)
    [rating_list, *_rest] = published(csa, date(2024, 4, 1))
    assert isinstance(rating_list, RatingList)
    assert rating_list.published_at.date() == date(2024, 4, 1)


def test_a_name_withheld_is_withheld_under_the_numbers_that_were_merged_into_it_too(
    csa: Federation, played: list[Player]
) -> None:
    kept, merged = played[0], played[1]
    Player.objects.filter(pk=kept.pk).update(withheld=True)
    Player.objects.filter(pk=merged.pk).update(merged_into=kept)
    told = "\n".join(journal_lines(csa))
    assert "Invented00" not in told
    assert "Invented01" not in told
    assert "Invented02" in told


def test_a_file_of_a_list_says_no_more_of_who_asked_not_to_be_named_than_the_page(
    client: Client, csa: Federation, played: list[Player]
) -> None:
    rating_list = next(each for each in published(csa, date(2024, 4, 1)) if each.track == "otb-main")
    player = rating_list.rows.order_by("position")[0].player
    Player.objects.filter(pk=player.pk).update(withheld=True, title="WGM")
    rows = fetched(client, "/csa/lists/2024-04/otb-main/r1/list.csv").decode().splitlines()
    row = next(row for row in rows if player.number in row).split(",")
    assert row[2:6] == ["withheld", "", "", ""]
