"""The list in force on a day, and a list beside the ratings of its day as known now."""

from __future__ import annotations

import re
from datetime import date

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from players.office.models import Federation
from players.register.models import Player
from ratings import decisions
from ratings.law import journal
from ratings.law.ruleset import Ruleset
from ratings.lists.models import ListRow, RatingList
from ratings.public.days import list_as_known_now
from ratings.recompute.revised_lists import list_line
from ratings.rulesets import rulesets
from ratings.tests.eventful import eventful
from ratings.tests.office import approved, published, recompute_all, register, submitted
from ratings.tests.test_asof import office_of

pytestmark = pytest.mark.django_db
in_order_of_play = pytest.mark.parametrize("code", ["ssdc", "pfo", "piskvorky"])
IN_FORCE = "/csa/lists/in-force/"
MOST_QUERIES = 16


@pytest.fixture
def lists(csa: Federation) -> list[Player]:
    """Lists on 1 April and 1 May; a section on the first was taken back on 20 April."""
    players = register(csa, 10)
    approved(submitted(csa, players, ends=date(2024, 3, 1)), date(2024, 3, 4))
    second = submitted(csa, players, number="2024-002", ends=date(2024, 3, 8), seed=2)
    approved(second, date(2024, 3, 10))
    published(csa, date(2024, 4, 1))
    second.refresh_from_db()
    decisions.unrate(
        section=second,
        by=None,
        on=date(2024, 4, 20),
        version=second.version,
        reason="result",
        words="A result was wrong.",
        after_list=True,
    )
    recompute_all(csa)
    third = submitted(csa, players, number="2024-003", ends=date(2024, 4, 22), seed=3)
    approved(third, date(2024, 4, 25))
    published(csa, date(2024, 5, 1))
    return players


@pytest.mark.parametrize(
    ("day", "label"),
    [("2024-04-01", "2024-04"), ("2024-04-30", "2024-04"), ("2024-05-01", "2024-05"), ("", "2024-05")],
)
def test_the_list_in_force_is_the_newest_published_by_the_end_of_the_day(
    client: Client, lists: list[Player], day: str, label: str
) -> None:
    answer = client.get(f"{IN_FORCE}?track=otb-main&on={day}")
    assert answer["Location"] == f"/csa/lists/{label}/otb-main/r1/"
    assert client.get(answer["Location"]).status_code == 200
    assert client.get(f"{IN_FORCE}?on={day}")["Location"] == f"/csa/lists/{label}/"


def test_before_the_first_list_and_outside_the_record_none_was_in_force(
    client: Client, lists: list[Player]
) -> None:
    assert client.get(f"{IN_FORCE}?track=otb-main&on=2024-03-31").status_code == 404
    assert client.get(f"{IN_FORCE}?track=otb-main&on=1999-01-01").status_code == 404
    assert client.get(f"{IN_FORCE}?track=none-such&on=2024-04-01").status_code == 404


def test_a_revision_is_in_force_from_its_own_day_and_not_the_day_before(
    client: Client, csa: Federation, lists: list[Player]
) -> None:
    rated = csa.facts.get(kind="rated", on=date(2024, 4, 25))
    revised = RatingList.objects.get(federation=csa, on=date(2024, 4, 1), track="otb-main")
    revised.pk, revised.revision, revised.fact = None, 2, rated
    revised.save(force_insert=True)
    for day, revision in (("2024-04-24", 1), ("2024-04-25", 2)):
        answer = client.get(f"{IN_FORCE}?track=otb-main&on={day}")
        assert answer["Location"] == f"/csa/lists/2024-04/otb-main/r{revision}/"


def test_the_page_marks_the_rows_of_which_something_else_is_known_now(
    client: Client, lists: list[Player]
) -> None:
    html = client.get("/csa/lists/2024-04/otb-main/r1/known-now/").getvalue().decode()
    assert (
        html.count('<tr class="highlight">')
        == ListRow.objects.filter(rating_list__track="otb-main", rating_list__on=date(2024, 4, 1)).count()
    )
    html = client.get("/csa/lists/2024-05/otb-main/r1/known-now/").getvalue().decode()
    assert '<tr class="highlight">' not in html
    assert '<meta name="robots" content="noindex">' in html


@in_order_of_play
def test_the_rows_of_a_list_are_as_the_journal_revises_it_for_whoever_stands_on_both(code: str) -> None:
    ruleset: Ruleset = rulesets()[code]
    lines = eventful(ruleset, 3)
    office = office_of(lines)
    compared = 0
    for shown in RatingList.objects.filter(federation=office, revision=1):
        line = list_line(office, shown.on)
        assert line is not None
        rows = ListRow.objects.filter(rating_list=shown).select_related("player").after(0, 50)
        found = list_as_known_now.known_now(office, shown, line, rows)
        again = journal.read_journal([*lines, f'{{"fact":"revised","list":"{shown.on}","on":"2029-12-31"}}'])
        revised = {
            row.player: row.rating for row in journal.list_of_line(again, len(lines) + 1).get(shown.track, [])
        }
        for each in found:
            number = each.into or each.row.player.number
            if number in revised and not rated_later(office, line.number):
                compared += 1
                assert each.now == revised[number], (shown, number)
    assert compared or all(rated_later(office, list_.fact.number) for list_ in RatingList.objects.all())


def rated_later(office: Federation, line: int) -> bool:
    """Whether a section was rated after a list that ended by its day: known now, and on no revision."""
    listed = office.facts.get(number=line)
    later = office.facts.in_force().filter(kind="rated", number__gt=line)
    return bool(listed.on) and later.filter(section__ends__lte=listed.on).exists()


def test_a_page_asks_no_more_with_more_rows(
    client: Client, csa: Federation, lists: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []
    for rows in (2, 8):
        monkeypatch.setattr(list_as_known_now, "ROWS", rows)
        with CaptureQueriesContext(connection) as queries:
            html = client.get("/csa/lists/2024-04/otb-main/r1/known-now/?after=0").getvalue().decode()
        assert len(re.findall(r'<th scope="row">', html)) == rows
        assert f'href="?after={rows}"' in html
        counts.append(len(queries))
    assert counts[0] == counts[1] <= MOST_QUERIES
