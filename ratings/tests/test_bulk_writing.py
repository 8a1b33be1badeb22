"""Rows that are written many at once: what the database says of them comes as Django's errors."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction

from federation_site.tasks import forget_sessions
from players import writing
from players.jobs import DATABASE_TROUBLE
from players.models import Federation, Player, Region
from players.writing import (
    SQLITE_STATISTICS_TABLES,
    Spool,
    enlarged_sqlite_cache,
    insert_instances,
    insert_rows,
    spool_rating_formatter,
    take_stock,
)
from ratings.models import Fact, ListRow
from ratings.tests.office import register
from tournaments.models import Entry, Event, Section

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


def spool_of(*rows: tuple[str, ...]) -> Spool:
    found = Spool(Region, ("federation_id", "code", "name"))
    for row in rows:
        found.add(*row)
    return found


def test_rows_that_break_a_rule_of_the_database_are_refused_by_djangos_error() -> None:
    spool = spool_of(("999999", "A", "Alpha"))
    with pytest.raises(IntegrityError), transaction.atomic():
        spool.write()
        connection.check_constraints()
    spool.close()


def test_a_database_that_ends_the_writing_is_trouble_of_the_database_and_no_fault_of_the_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A full disk and an ended connection end it the same way; a time-out leaves this test its connection."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite takes rows by Django's own cursor")
    spool = spool_of(("999999", "A", "Alpha"))
    read: Any = spool._file.read

    def slowly(size: int) -> str:
        time.sleep(0.3)
        return str(read(size))

    monkeypatch.setattr(spool._file, "read", slowly)
    with pytest.raises(OperationalError) as raised, transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = '50ms'")
        spool.write()
    assert isinstance(raised.value, DATABASE_TROUBLE)
    spool.close()


def test_whole_rows_come_back_as_the_orm_would_have_written_them(csa: Federation) -> None:
    """Every kind of column: text that COPY reads otherwise, nothing, numbers, days, truth, JSON, links."""
    region = csa.regions.get(code="GAU")
    about = {"federation": csa, "region": region, "starts": date(2026, 3, 6), "ends": date(2026, 3, 8)}
    event = Event.objects.create(number="2026-001", name="Open", registered_on=date(2026, 1, 5), **about)
    days = {"starts": event.starts, "ends": event.ends}
    section = Section.objects.create(event=event, code="A", name="A", format="swiss", **days)
    odd = "a\tb\\N\\t\nc\rd “é”"
    told: list[dict[str, Any]] = [
        {"surname": odd, "other_ids": [["fide", odd]], "points": Decimal("2.5"), "left_notified": False},
        {"surname": "", "women": True, "rating": 0, "place": 3, "match": Entry.Match.DECIDED},
        {
            "surname": "\\N",
            "candidates": [{"player": 1, "evidence": []}],
            "points": Decimal(3),
            "region": region,
        },
    ]
    for number, each in enumerate(told, 1):
        Entry.objects.create(section=section, number=number, **each)
    insert_instances(
        Entry, [Entry(section=section, number=10 + number, **each) for number, each in enumerate(told, 1)]
    )
    columns = [each.attname for each in Entry._meta.concrete_fields if each.name not in ("id", "number")]
    entries = section.entries.order_by("number")
    assert list(entries.filter(number__gt=10).values(*columns)) == list(
        entries.filter(number__lt=10).values(*columns)
    )
    insert_instances(Fact, [])
    line = {"federation": csa, "kind": "list", "on": date(2026, 4, 1), "line": odd}
    insert_instances(Fact, [Fact(number=7, pres={"1": 5}, order=2**60, **line)])
    fact = Fact.objects.get()
    assert (fact.on, fact.line, fact.pres, fact.order, fact.takes) == (
        date(2026, 4, 1),
        odd,
        {"1": 5},
        2**60,
        None,
    )


def test_rows_at_hand_are_inserted_as_they_are(db: None) -> None:
    rating, columns = Decimal("-1712.0625"), ("rank", "position", "rating", "previous", "games", "status")
    text = spool_rating_formatter()(rating)
    rows = [(1, 1, text, None, 30, "rated"), (1, 2, text, text, 0, "a\tb\\N\n")]
    insert_rows(ListRow, ("rating_list_id", "player_id", *columns), ((7, 8, *row) for row in rows))
    insert_rows(ListRow, ("rating_list_id", "player_id", *columns), [])
    written = ListRow.objects.filter(rating_list=7, player=8).order_by("position").values_list(*columns)
    assert list(written) == [(1, 1, rating, None, 30, "rated"), (1, 2, rating, rating, 0, "a\tb\\N\n")]


def test_many_rows_of_which_one_takes_anothers_place_are_refused_whole(csa: Federation) -> None:
    rows = ((csa.pk, code, code) for code in ("ONE", "TWO", "ONE"))
    before = set(csa.regions.values_list("code", flat=True))
    with pytest.raises(IntegrityError), transaction.atomic():
        insert_rows(Region, ("federation_id", "code", "name"), rows)
    assert set(csa.regions.values_list("code", flat=True)) == before


def test_while_many_rows_are_written_the_database_has_room_and_no_longer() -> None:
    if connection.vendor != "sqlite":
        with enlarged_sqlite_cache():
            pass
        return
    with connection.cursor() as cursor:
        usual = cursor.execute("PRAGMA cache_size").fetchone()
        with pytest.raises(ZeroDivisionError), enlarged_sqlite_cache():
            assert cursor.execute("PRAGMA cache_size").fetchone() != usual
            raise ZeroDivisionError
        assert cursor.execute("PRAGMA cache_size").fetchone() == usual


@pytest.fixture
def counted(csa: Federation, monkeypatch: pytest.MonkeyPatch) -> Callable[[], set[str]]:
    """Five players, of whom the fourth is one too many for a small table; which tables have statistics."""
    register(csa, 5)
    highest = Player.objects.latest("pk").pk
    monkeypatch.setattr(writing, "LARGE", highest)

    def tables() -> set[str]:
        with connection.cursor() as cursor:
            there = cursor.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat1'").fetchone()
            rows = cursor.execute("SELECT DISTINCT tbl FROM sqlite_stat1").fetchall() if there else []
        return {row[0] for row in rows}

    return tables


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL counts its tables by itself")
def test_the_night_has_sqlite_count_large_tables(
    counted: Callable[[], set[str]],
) -> None:
    assert "players_player" not in counted()
    forget_sessions()
    assert "players_player" in counted() <= set(SQLITE_STATISTICS_TABLES)


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL counts its tables by itself")
def test_of_many_rows_that_are_written_sqlite_counts_no_small_table_and_none_of_the_journal(
    counted: Callable[[], set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    take_stock(Fact, Section, Entry)
    assert counted() == set()
    monkeypatch.setattr(writing, "LARGE", writing.LARGE + 1)
    take_stock(Player)
    assert counted() == set()
    monkeypatch.setattr(writing, "LARGE", writing.LARGE - 1)
    take_stock(Player, Fact)
    assert counted() == {"players_player"}


def test_every_table_that_sqlite_counts_is_there() -> None:
    assert set(SQLITE_STATISTICS_TABLES) <= set(connection.introspection.table_names())
