"""Few lines and few people are found without a walk through journal or register: they may have a million."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from players.office.models import Federation
from players.register.models import Player
from ratings.journal.days_taken_over import DaysTakenOver
from ratings.journal.read_facts import aliases, aliases_at
from ratings.public.common.worded_errata import errata_of
from ratings.recompute.steps import first_unrated
from ratings.tests.office import register

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL plans by what a table holds"),
]


@pytest.mark.parametrize(
    "look",
    [aliases, lambda office: aliases_at(office, 1), DaysTakenOver, first_unrated],
    ids=["merges", "then", "pasts", "un-rated"],
)
def test_sqlite_finds_seldom_lines_by_their_kind(
    csa: Federation, look: Callable[[Federation], object]
) -> None:
    with CaptureQueriesContext(connection) as asked:
        look(csa)
    [query] = [each["sql"] for each in asked if "ratings_fact" in each["sql"]]
    [step] = plan_of(query)
    assert step.endswith("facts_by_subject (federation_id=? AND kind=?)")


def test_sqlite_finds_the_entries_of_one_person_by_their_keys(csa: Federation) -> None:
    one, two, other = register(csa, 3)
    two.merged_into = one
    two.save()
    with CaptureQueriesContext(connection) as asked:
        assert {row["pk"] for row in Player.objects.of_one_person(one)} == {one.pk, two.pk}
        assert {row["pk"] for row in Player.objects.of_one_person(other)} == {other.pk}
    assert not [step for each in asked for step in plan_of(each["sql"]) if step.startswith("SCAN")]


def test_sqlite_finds_errata_by_themselves_and_not_by_all_lines_of_the_office(csa: Federation) -> None:
    with CaptureQueriesContext(connection) as asked:
        assert list(errata_of(csa)) == []
    [steps] = [plan_of(each["sql"]) for each in asked]
    assert [
        step for step in steps if "ratings_fact " in f"{step} " and "INTEGER PRIMARY KEY" not in step
    ] == []


def plan_of(query: str) -> list[str]:
    """The steps in which SQLite answers a query."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {query}")
        return [row[3] for row in cursor.fetchall()]
