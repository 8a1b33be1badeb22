"""What a player's page of a past day costs the database: it grows with the player's play alone."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.db.models import Count
from django.test import Client

from benchmarks.generate import journal_facts
from players.models import Federation
from players.writing import page_cache
from ratings import approval
from ratings.intake import import_journal
from ratings.models import Change, Fact
from ratings.rulesets import journal, journal_lines, rulesets
from ratings.tests.office import recompute_all

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite counts the steps of its own machine"),
]
DAY = date(2024, 1, 20)


def office_of(games: int) -> Federation:
    """An office in which one section was taken back, so that there is a past to keep."""
    facts = journal_facts(games, players=500, seed=3)
    ruleset = rulesets()["csa"]
    record = journal.read_journal(f"{journal_lines.write_line(fact, ruleset)}\n" for fact in facts)
    office = import_journal(record, on=date(2028, 9, 1))
    recompute_all(office)
    last = Fact.objects.filter(federation=office, kind="rated").order_by("-number")[3]
    assert last.section is not None
    approval.unrate(
        section=last.section,
        by=None,
        on=date(2028, 9, 1),
        version=last.section.version,
        reason="result",
        words="slip",
        after_list=True,
    )
    recompute_all(office)
    return office


def steps(office: Federation) -> int:
    """Tens of steps of SQLite's machine behind one page of somebody who had played little by the day."""
    played = Change.objects.filter(fact__federation=office, fact__on__lt=DAY).values("player__number")
    [number, *_others] = (
        played.annotate(times=Count("pk")).filter(times__lte=4).order_by("-times", "player__number")
    ).values_list("player__number", flat=True)
    counted = [0]

    def count() -> int:
        counted[0] += 1
        return 0

    raw: Any = connection.connection
    with time_machine.travel(date(2028, 9, 2)):
        address = f"/csa/players/{number}/?on={DAY}"
        Client().get(address)
        page_cache.clear()
        raw.set_progress_handler(count, 10)
        try:
            assert Client().get(address).status_code == 200
        finally:
            raw.set_progress_handler(None, 0)
    return counted[0]


@pytest.mark.long
def test_a_page_of_a_past_day_does_not_walk_through_what_others_played() -> None:
    """By the office's rated lines it would take some 25,000 steps here, and a second in a large office."""
    assert steps(office_of(12_000)) < 2_000
