"""Polish Othello in the office: what a championship would cost, before it is decided."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest

from players.models import Federation
from ratings import approval
from ratings.as_if import compute_effects, explain_previewed_change, plan_rating, preview_rating
from ratings.intake import import_journal
from ratings.models import Change
from ratings.rulesets import journal
from ratings.tests.journals import journal_of
from ratings.tests.office import recompute_all
from ratings.tests.pfo_record import DAY, Office
from ratings.verify import verify
from tournaments.acceptance import build_filing
from tournaments.models import Section, Stage
from tournaments.sections import record as record_decision

pytestmark = pytest.mark.django_db

TODAY = date(2010, 3, 1)
WEEK = timedelta(7)


@pytest.fixture
def office() -> Federation:
    """Four players; two of them at one section of the championship, two at another; neither is rated yet."""
    record = Office()
    record.rate("1 Adam 1-0 Basia\n1 Celina 1-0 Darek")
    record.rate("1 Adam 1/2 Basia", status="mp", id="2010-001/A", ends=DAY + WEEK)
    record.rate("1 Celina 1/2 Darek", status="mp", id="2010-002/A", ends=DAY + 2 * WEEK)
    written = journal_of(record.ruleset, record.facts)
    federation = import_journal(journal.read_journal(written.splitlines()), on=TODAY)
    for section in Section.objects.filter(event__number__startswith="2010"):
        approval.unrate(
            section=section, by=None, on=TODAY, version=section.version, reason="result", words="test"
        )
        Section.objects.filter(pk=section.pk).update(stage=Stage.SUBMITTED)
        section.refresh_from_db()
        record_decision(section, "submit", None, TODAY)
    recompute_all(federation)
    return federation


@pytest.fixture
def championship(office: Federation) -> Section:
    return Section.objects.get(event__number="2010-001")


def test_the_preview_of_a_championship_shows_what_the_absent_would_lose(championship: Section) -> None:
    moves = {row.player: row.points for row in preview_rating(championship, TODAY).own}
    assert moves == {"Adam": 2, "Basia": 2, "Celina": Decimal(-141), "Darek": Decimal(-139)}
    working = explain_previewed_change(plan_rating(championship, TODAY), "Celina", "ranking")
    assert [step.key for step in working.steps] == ["rating-before", "missed", "rating-after"]


def test_approving_it_does_what_the_preview_said(office: Federation, championship: Section) -> None:
    fact = approval.approve(section=championship, by=None, on=TODAY, version=championship.version)
    recompute_all(office)
    changes = Change.objects.filter(fact=fact).values_list("player__number", "points")
    assert dict(changes) == {"Adam": 2, "Basia": 2, "Celina": -141, "Darek": -139}
    assert verify(office).differences == []


def test_a_second_championship_section_takes_the_loss_back(office: Federation, championship: Section) -> None:
    first = approval.approve(section=championship, by=None, on=TODAY, version=championship.version)
    recompute_all(office)
    second = Section.objects.get(event__number="2010-002")
    (again,) = compute_effects(plan_rating(second, TODAY)).rerated
    assert again.line == first.number
    assert {move.player: (move.before, move.after) for move in again.largest} == {
        "Celina": (Decimal(1270), None),
        "Darek": (Decimal(1252), None),
    }
    approval.approve(section=second, by=None, on=TODAY, version=second.version)
    recompute_all(office)
    changes = Change.objects.filter(fact=first).values_list("player__number", "points")
    assert dict(changes) == {"Adam": 2, "Basia": 2}
    assert verify(office).differences == []


def test_acceptance_reads_the_register_s_particulars(championship: Section) -> None:
    particulars = build_filing(championship).particulars
    assert {name: person.nation for name, person in particulars.items()} == {"Adam": "POL", "Basia": "POL"}
