"""A day is a day: what was known at a line of a journal stays to be had, whatever came to be known since."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from players.models import Federation, Ledger, Player
from ratings.intake import import_journal
from ratings.journal import AFTER_EVERYTHING
from ratings.models import Fact, PastChange
from ratings.recompute import recompute
from ratings.results import get_last_known_line, state_before
from ratings.rulesets import journal, rulesets
from ratings.rulesets.facts import State
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.alterations import triggers_off
from ratings.tests.eventful import eventful
from ratings.tests.office import recompute_all
from ratings.tests.test_every_office import TODAY
from ratings.verify import verify

pytestmark = [pytest.mark.django_db, pytest.mark.long]
every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
Known = tuple[dict[tuple[str, str], str], str]


def office_of(lines: list[str], *, steps: list[int] | None = None) -> Federation:
    """An office whose journal came in whole, or so many lines at a time."""
    office = import_journal(journal.read_journal(lines), on=TODAY)
    for facts in steps or [len(lines)]:
        Ledger.objects.filter(federation=office).update(facts=facts, wanted=facts)
        recompute_all(office)
    return office


def known_at(office: Federation, line: int) -> Known:
    return told(office.ruleset, state_before(office, AFTER_EVERYTHING, line=line))


def replayed(ruleset: Ruleset, lines: list[str]) -> Known:
    state: State[Any] = State()
    for _step in ruleset.fold(journal.resolve(journal.read_journal(lines)), state):
        pass
    return told(ruleset, state)


def told(ruleset: Ruleset, state: State[Any]) -> Known:
    standings = {key: ruleset.storage.dump(standing) for key, standing in state.standings.items()}
    return standings, "" if state.wide is None else ruleset.storage.dump_wide(state.wide)


def ends_of_days(office: Federation) -> list[int]:
    days = Fact.objects.filter(federation=office, on__isnull=False).values_list("on", flat=True).distinct()
    newest = Ledger.objects.get(federation=office).facts
    return sorted({min(get_last_known_line(office, day), newest) for day in days if day})


@pytest.mark.long
@every_ruleset
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(1, 4))]
)
def test_what_was_known_at_the_end_of_each_day_is_what_a_replay_up_to_it_gives(
    ruleset: Ruleset, seed: int
) -> None:
    lines = eventful(ruleset, seed)
    office = office_of(lines)
    for line in ends_of_days(office):
        assert known_at(office, line) == replayed(ruleset, lines[:line]), line
    assert verify(office).differences == []


@pytest.mark.nightly
@every_ruleset
@pytest.mark.parametrize("seed", range(4, 6))
def test_it_is_the_same_where_the_lines_came_one_by_one(ruleset: Ruleset, seed: int) -> None:
    lines, dice = eventful(ruleset, seed), Random(seed)
    office = office_of(lines, steps=sorted({*dice.sample(range(2, len(lines)), 12), len(lines)}))
    for line in ends_of_days(office):
        assert known_at(office, line) == replayed(ruleset, lines[:line]), line
    assert verify(office).differences == []
    assert not recompute(office)


def test_verify_names_the_past_days_of_which_something_else_is_kept() -> None:
    office = office_of(eventful(rulesets()["piskvorky"], 3))
    assert verify(office).differences == []
    with triggers_off():
        for row in PastChange.objects.all():
            row.state = row.state.replace(";", "1;", 1)
            row.save(update_fields=["state"])
    assert any(
        "what is kept of that day is not the replay's" in words for words in verify(office).differences
    )


@every_ruleset
def test_a_player_s_page_of_a_past_day_takes_twenty_six_queries_at_most(
    ruleset: Ruleset, client: Client
) -> None:
    office = office_of(eventful(ruleset, 3))
    days = sorted({on for on in Fact.objects.filter(on__isnull=False).values_list("on", flat=True) if on})
    asked = 0
    for player in Player.objects.filter(federation=office, changes__isnull=False).distinct():
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(f"/{office.code}/players/{player.number}/?on={days[-2]}")
        if answer.status_code == 200:
            asked += 1
            assert len(queries) <= 26, "\n".join(each["sql"][:200] for each in queries.captured_queries)
    assert asked


def test_past_days_that_are_asked_for_leave_nothing_behind(client: Client) -> None:
    office = office_of(eventful(rulesets()["mahjong"], 2))
    number = Player.objects.filter(federation=office, changes__isnull=False).first()
    assert number is not None
    before = rows_in_all_tables()
    for day in {on for on in Fact.objects.filter(on__isnull=False).values_list("on", flat=True) if on}:
        for page in (f"players/{number.number}/", "tables/rating/", "tables/rating/rating.csv"):
            client.get(f"/mahjong/{page}?on={day}")
    assert rows_in_all_tables() == before


def rows_in_all_tables() -> dict[str, int]:
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f"SELECT COUNT(*) FROM {connection.ops.quote_name(table)}")
            found[table] = cursor.fetchone()[0]
    return found
