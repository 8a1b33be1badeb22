"""A preview reads: it writes nothing and opens no transaction, for which all who write on SQLite wait."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from conftest import appointed
from players.models import Federation, Player, Role, User
from ratings import approval, recompute
from ratings.as_if import preview_section_correction, preview_unrating
from ratings.corrections import propose_correction
from ratings.merging import merge_players
from ratings.recompute import FoldStep, Work
from ratings.results import RatingDifference
from ratings.rulesets import facts
from ratings.tests.office import approved, recompute_all, register, submitted
from tests.built_once import built_once
from tournaments.corrections import preview_changes
from tournaments.models import Section

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db
DAY = date(2024, 3, 20)


@pytest.fixture
@built_once
def players(csa: Federation) -> list[Player]:
    return register(csa, 10)


@pytest.fixture
@built_once
def rated(csa: Federation, players: list[Player]) -> Section:
    section = submitted(csa, players[:8], rounds=10)
    approved(section)
    section.refresh_from_db()
    return section


@contextmanager
def read_only() -> Iterator[None]:
    """A block in which no statement writes or opens a transaction; what a test's own transaction would hide
    shows as a savepoint.
    """
    with CaptureQueriesContext(connection) as asked:
        yield
    assert asked.captured_queries
    first = {query["sql"].split()[0].upper() for query in asked.captured_queries}
    assert first <= {"SELECT", "WITH", "DECLARE"}  # PostgreSQL declares the cursor of a long SELECT


def changes_of(section: Section) -> list[dict[str, Any]]:
    """One correction of each kind."""
    one, other = section.games.filter(round=1).order_by("order")[:2]
    return [
        {"what": "result", "game": one.order, "to": "1-0" if one.result != "1-0" else "0-1"},
        {"what": "struck", "game": other.order},
        {"what": "pairing", "game": one.order, "first": one.second.number, "second": one.first.number},
        {"what": "place", "entry": 3, "to": 2},
        {"what": "date", "round": 2, "to": "2024-03-01"},
        {"what": "date", "day": "ends", "to": "2024-03-02"},
    ]


def test_the_preview_of_a_correction_reads_only(rated: Section) -> None:
    with read_only():
        found = preview_section_correction(rated, changes_of(rated), DAY)
    assert len(found.applied.corrected) == 6
    assert found.effects.ratings


def test_the_preview_of_a_correction_with_a_merged_player_reads_only(
    rated: Section, players: list[Player]
) -> None:
    merge_players(player=players[0], into=players[9], by=None, on=DAY, reason="One person.")
    recompute_all(rated.event.federation)
    with read_only():
        found = preview_section_correction(rated, changes_of(rated)[:1], DAY).effects
    assert players[9].number in {each.player for each in found.ratings}
    assert players[0].number not in {each.player for each in found.ratings}


def test_corrections_of_a_section_that_waits_are_tried_by_reading(
    csa: Federation, players: list[Player]
) -> None:
    section = submitted(csa, players[:8], rounds=10)
    with read_only():
        applied = preview_changes(section, changes_of(section))
    assert [each.what for each in applied.corrected] == [each["what"] for each in changes_of(section)]


def test_the_preview_of_unrating_reads_only(rated: Section) -> None:
    with read_only():
        assert preview_unrating(rated, DAY).ratings


def test_the_pages_that_show_effects_before_a_decision_read_only(
    rated: Section, players: list[Player], nomsa: User, client_of: ClientOf
) -> None:
    client, page = client_of(nomsa), rated.get_absolute_url()
    client.get("/csa/desk/")
    person = f"/csa/players/{players[0].number}"
    addresses = (
        f"{page}mend/",
        f"{page}unrate/",
        f"{person}/merge/?into={players[9].number}",
        f"{person}/correct/",
        "/csa/lists/next/",
    )
    for address in addresses:
        with read_only():
            assert client.get(address).status_code == 200, address
    game = rated.games.order_by("order")[0]
    chosen = {"game": game.order, "result": "1-0" if game.result != "1-0" else "0-1"}
    with read_only():
        shown = client.post(f"{page}mend/", {"version": rated.version, **chosen})
    assert shown.status_code == 200


def test_the_page_of_a_proposed_correction_reads_only(
    csa: Federation, rated: Section, nomsa: User, client_of: ClientOf
) -> None:
    csa.settings["four_eyes"] = True
    csa.save(update_fields=["settings"])
    propose_correction(
        section=rated,
        by=nomsa,
        on=DAY,
        version=rated.version,
        changes=json.loads(json.dumps(changes_of(rated)[:1])),
        reason=next(iter(facts.UNRATING_REASONS)),
        words="The slip says otherwise.",
    )
    client = client_of(appointed("Sipho", csa, Role.OFFICIAL))
    client.get("/csa/desk/")
    with read_only():
        assert client.get(f"{rated.get_absolute_url()}mend/proposal/").status_code == 200


def test_what_a_correction_changed_is_worked_out_before_its_results_are_written(
    rated: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever writes waits for the transaction in which results are written."""
    depths: list[int] = []
    usual = recompute.differences_made

    def noted(work: Work, step: FoldStep, line: Any) -> list[RatingDifference]:
        depths.append(len(connection.savepoint_ids))
        return usual(work, step, line)

    monkeypatch.setattr(recompute, "differences_made", noted)
    outside = len(connection.savepoint_ids)
    approval.unrate(section=rated, by=None, on=DAY, version=rated.version, reason="result", words="Wrong.")
    recompute_all(rated.event.federation)
    assert depths == [outside]
