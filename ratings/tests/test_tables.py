"""What else the rules yield: ranks and season standings on a page, and the rank that an official confirms."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from conftest import appointed
from players.models import Federation, Ledger, Role
from players.record import Refused
from ratings import services
from ratings.models import Fact
from ratings.rulesets import journal, rulesets
from ratings.rulesets.facts import State
from ratings.states import AFTER_EVERYTHING, state_before
from ratings.tests.office import recompute_all, stored
from ratings.transfer import import_journal
from ratings.verify import verify

pytestmark = pytest.mark.django_db
EXAMPLES = Path(__file__).parent.parent / "rulesets"


def office_of(example: str) -> Federation:
    """An office from one of a ruleset's own examples."""
    record = journal.read_journal((EXAMPLES / example).read_bytes().splitlines())
    federation = import_journal(record, on=date(2026, 1, 1))
    recompute_all(federation)
    return federation


@pytest.fixture
def ssdc(db: None) -> Federation:
    return office_of("ssdc/examples/3-ranks-and-a-late-approval.ndjson")


def test_every_office_shows_the_tables_that_its_rules_yield_and_only_those(client: Client) -> None:
    for slug, ruleset in rulesets().items():
        for example in sorted((EXAMPLES / slug / "examples").glob("*.ndjson"))[:1]:
            federation = office_of(f"{slug}/examples/{example.name}")
            found = ruleset.editions[-1].rules.tables(replayed(federation), date(2026, 1, 1))
            page = client.get(f"/{federation.code}/tables/").content.decode()
            assert ("Ratings alone" in page) is not bool(found), slug
            assert (f'href="/{federation.code}/tables/"' in page) is bool(found), slug
            for table in found:
                assert f'id="{table.name}"' in page


def replayed(federation: Federation) -> State[Any]:
    return state_before(federation, AFTER_EVERYTHING)


def test_an_official_confirms_a_proposed_rank(ssdc: Federation, client_of: Callable[..., Client]) -> None:
    proposal = proposals(ssdc)[0]
    nomsa = client_of(appointed("Nomsa", ssdc, Role.OFFICIAL))
    assert "/tables/confirm/" in nomsa.get("/ssdc/tables/").content.decode()
    nomsa.post("/ssdc/tables/confirm/", proposal)
    fact = Fact.objects.filter(kind="rank").latest("number")
    assert fact.subject == proposal["player"]
    assert f'"ground":"SSDC {proposal["clause"]}"' in fact.line
    recompute_all(ssdc)
    assert proposal not in proposals(ssdc)
    assert verify(ssdc).differences == []


def test_a_recompute_with_nothing_to_fold_touches_nothing(ssdc: Federation) -> None:
    before = stored(ssdc)
    Ledger.objects.filter(federation=ssdc).update(wanted=F("wanted") + 1)
    recompute_all(ssdc)
    assert stored(ssdc) == before != ([], [])
    assert verify(ssdc).differences == []


def test_the_public_and_a_region_are_offered_no_confirmation(ssdc: Federation, client: Client) -> None:
    assert "/tables/confirm/" not in client.get("/ssdc/tables/").content.decode()


def test_a_rank_that_the_rules_do_not_know_is_refused(ssdc: Federation) -> None:
    proposal = proposals(ssdc)[0]
    player = ssdc.players.get(number=proposal["player"])
    with pytest.raises(Refused, match="no rank"):
        services.confirm_rank(
            federation=ssdc, player=player, rank="Emperor", clause="2.4.1", by=None, on=date(2026, 1, 1)
        )


def proposals(federation: Federation) -> list[dict[str, str]]:
    """What waits for an official: player, rank and clause of each."""
    rules = federation.ruleset.editions[-1].rules
    found = {
        table.name: table
        for table in rules.tables(state_before(federation, AFTER_EVERYTHING), date(2026, 1, 1))
    }
    table = found["proposals"]
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return [{name: str(row[name]) for name in ("player", "rank", "clause")} for row in rows]
