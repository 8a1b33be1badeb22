"""Few lines and few people are found without a walk through journal or register: they may have a million."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test import Client
from django.test.utils import CaptureQueriesContext

from players.models import Federation, Player
from ratings import approval
from ratings.journal import aliases, aliases_at, get_unfolded_line_numbers, newest_player_lines
from ratings.models import DaysTakenOver
from ratings.pages.errata import _first_rated as first_rated, compute_all_reaches, errata_of
from ratings.pages.events import get_shared_section_context
from ratings.pages.merging import _openings as openings_of, compare_entries
from ratings.pages.play import get_play_by_section
from ratings.pages.players import list_rated_entries
from ratings.recompute import get_first_unratings, recompute
from ratings.results import as_of, last_changes_before
from ratings.signing import sign_due_checkpoints
from ratings.tests.office import approved, register, submitted
from tournaments.models import Section

TODAY = date(2026, 8, 14)
NOW = datetime(2026, 8, 14, 12, tzinfo=UTC)
WALK = re.compile(
    r"^SCAN ratings_fact|ratings_fact .*\((federation_id=\?( AND (number<|order>)\?)?|kind=\?)\)$"
)
ENDS_SOON = re.compile(r'^SELECT MAX|"order" >= [1-9]| DESC LIMIT 1$')
"""From the end of the order, or of the journal to the newest line with a day, which is never far."""
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL plans by what a table holds"),
]


@pytest.mark.parametrize(
    "look",
    [aliases, lambda office: aliases_at(office, 1), DaysTakenOver, get_first_unratings],
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


@pytest.mark.parametrize(
    "look",
    [
        lambda section: Client().get(section.get_absolute_url()),
        lambda section: newest_player_lines(section.event.federation, ["1", "2"]),
        lambda section: get_unfolded_line_numbers(section.event.federation, {"1": "2"}, 9),
        lambda section: openings_of(section.entries.first().player),
        lambda section: first_rated(section.event.federation, {section.key}),
    ],
    ids=["page of a section", "newest lines", "put away", "openings", "errata"],
)
def test_sqlite_finds_lines_of_a_section_and_of_people_by_their_subject(
    csa: Federation, look: Callable[[Section], object]
) -> None:
    """By their place in the journal, SQLite would read the whole of it to spare itself the sorting."""
    approved(section := submitted(csa, register(csa, 4)))
    with CaptureQueriesContext(connection) as asked:
        look(section)
    told = [each["sql"] for each in asked if '"ratings_fact"."subject" ' in each["sql"].partition("WHERE")[2]]
    [[step]] = [[step for step in plan_of(query) if "ratings_fact " in step] for query in told]
    assert "facts_by_subject (federation_id=? AND kind=? AND subject=?" in step


@pytest.mark.parametrize(
    "look", [compute_all_reaches, get_shared_section_context, errata_of], ids=["lists", "sections", "errata"]
)
def test_sqlite_finds_what_lists_and_sections_tell_of_errata_by_the_errata(
    csa: Federation, look: Callable[[Federation], object]
) -> None:
    with CaptureQueriesContext(connection) as asked:
        told = look(csa)
        list(told) if isinstance(told, QuerySet) else told
    steps = [step for each in asked for step in plan_of(each["sql"])]
    assert any("ratings_erratum" in step for step in steps)
    assert [step for step in steps if step.startswith("SCAN ratings_fact")] == []


def test_neither_a_decision_nor_its_recompute_walks_through_the_journal(csa: Federation) -> None:
    """But from its end to the newest line with a day, which is never far."""
    section = submitted(csa, register(csa, 4))
    with CaptureQueriesContext(connection) as asked:
        approved(section)
        section.refresh_from_db()
        approval.unrate(
            section=section, by=None, on=TODAY, version=section.version, reason="result", words="wrong"
        )
        recompute(csa)
        sign_due_checkpoints(csa, at=NOW)
    told = [each["sql"] for each in asked if 'FROM "ratings_fact"' in each["sql"]]
    assert len(told) > 20
    walks = [query for query in told if any(map(WALK.search, plan_of(query)))]
    assert [query for query in walks if not ENDS_SOON.search(query)] == []


def test_sqlite_finds_the_entries_of_one_person_by_their_keys(csa: Federation) -> None:
    one, two, other = register(csa, 3)
    two.merged_into = one
    two.save()
    with CaptureQueriesContext(connection) as asked:
        assert {row["pk"] for row in Player.objects.keys_with_merged(one)} == {one.pk, two.pk}
        assert {row["pk"] for row in Player.objects.keys_with_merged(other)} == {other.pk}
    assert not [step for each in asked for step in plan_of(each["sql"]) if step.startswith("SCAN")]


def test_sqlite_finds_errata_by_themselves_and_not_by_all_lines_of_the_office(csa: Federation) -> None:
    with CaptureQueriesContext(connection) as asked:
        assert list(errata_of(csa)) == []
    steps = [step for each in asked for step in plan_of(each["sql"])]
    assert [
        step for step in steps if "ratings_fact " in f"{step} " and "INTEGER PRIMARY KEY" not in step
    ] == []


def plan_of(query: str) -> list[str]:
    """The steps in which SQLite answers a query."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {query}")
        return [row[3] for row in cursor.fetchall()]


def test_sqlite_finds_the_play_of_one_player_by_the_player(csa: Federation) -> None:
    """SQLite keeps no statistics in an office, so it does not know how many sections are rated."""
    one, other, *_more, merged = players = register(csa, 5)
    approved(submitted(csa, players[:4]))
    merged.merged_into = one
    merged.save()
    for look in (
        lambda: get_play_by_section(one, as_of(csa, TODAY, TODAY)),
        lambda: compare_entries(one, other),
        lambda: list_rated_entries(one)[:5],
    ):
        with CaptureQueriesContext(connection) as asked:
            assert list(look())
        steps = [step for each in asked for step in plan_of(each["sql"])]
        assert any("tournaments_entry_player_id" in step for step in steps)
        assert [step for step in steps if step.endswith("(stage=?)")] == []


def test_sqlite_reads_one_state_of_each_player_however_long_the_history(csa: Federation) -> None:
    """What stood before a section: the index tells which change was the last."""
    people = register(csa, 4)
    approved(submitted(csa, people))
    recompute(csa)
    with CaptureQueriesContext(connection) as asked:
        found = list(last_changes_before(csa, 10**15, [each.pk for each in people]))
    assert {row.player for row in found} == {each.pk for each in people}
    [plan] = [plan_of(each["sql"]) for each in asked if "MAX" in each["sql"]]
    assert [step for step in plan if "changes_in_order" in step] == [
        "SEARCH change USING COVERING INDEX changes_in_order (player_id=?)",
        "SEARCH change USING INDEX changes_in_order (player_id=? AND track=? AND order=?)",
    ]
