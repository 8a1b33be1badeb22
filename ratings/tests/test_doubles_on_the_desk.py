"""The number of likely doubles on the desk: counted by the worker, anew when the register has changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from players.identity import record_two_persons
from players.models import Federation, Player, User
from ratings.figures import DOUBLES_INTERVAL, recount_doubles_if_changed
from ratings.models import DoublesCount
from ratings.people import correct_player
from ratings.tests.office import register
from tests.built_once import built_once

pytestmark = pytest.mark.django_db
NOW = timezone.now()
DAY = date(2026, 5, 3)


@pytest.fixture
@built_once
def pair(csa: Federation) -> list[Player]:
    """Two entries that may be one person: the same names, and no birth that contradicts it."""
    people = register(csa, 2)
    for each in people:
        correct_player(player=each, by=None, on=DAY, surname="Ndlovu", first_name="Ayanda", birth="", sex="")
    return people


def test_the_desk_of_an_official_says_how_many_pairs_wait(
    client_of: Callable[[User], Client], csa: Federation, pair: list[Player], nomsa: User, amahle: User
) -> None:
    desk = "/csa/desk/"
    assert "/csa/players/doubles/" not in client_of(nomsa).get(desk).content.decode()
    assert recount_doubles_if_changed(csa, NOW)
    assert "1 pair may be one person." in client_of(nomsa).get(desk).content.decode()
    assert "may be one person" not in client_of(amahle).get(desk).content.decode()


@pytest.mark.parametrize(
    ("after", "counted"), [(DOUBLES_INTERVAL - timedelta(seconds=1), False), (DOUBLES_INTERVAL, True)]
)
def test_a_changed_register_is_counted_again_after_a_rest(
    csa: Federation, pair: list[Player], after: timedelta, counted: bool
) -> None:
    recount_doubles_if_changed(csa, NOW)
    record_two_persons(player=pair[0], other=pair[1], by=None, on=DAY, reason="seen both")
    assert recount_doubles_if_changed(csa, NOW + after) == counted
    assert DoublesCount.objects.get().pairs == (0 if counted else 1)


def test_an_unchanged_register_is_not_counted_again(csa: Federation, pair: list[Player]) -> None:
    recount_doubles_if_changed(csa, NOW)
    assert not recount_doubles_if_changed(csa, NOW + 10 * DOUBLES_INTERVAL)
