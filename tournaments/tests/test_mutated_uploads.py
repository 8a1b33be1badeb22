"""A hundred files changed at random, through the real page and the real box: each is kept whole or refused
whole, just as it is read in this process, whatever the database.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from structlog.testing import capture_logs

from players.models import Player, User
from tournaments.filing import block_unaccepted_kind
from tournaments.formats import read_any
from tournaments.formats.file_check import ANSWERED_ELSEWHERE, list_unused_lines
from tournaments.formats.sheet import Reading
from tournaments.models import Adjustment, Bye, Entry, Event, Finding, Game, Section, Upload
from tournaments.tests.conftest import Send, address, fresh
from tournaments.tests.test_formats_mutated import SEEDS, by_bytes, by_structure

pytestmark = pytest.mark.boxed

A_BATCH = 10  # files of one test: half of them by bytes
BATCHES = 10
NAME = "section-a.txt"


def rows() -> list[list[tuple[Any, ...]]]:
    """All that a file may change, to the last field."""
    models = (Event, Section, Entry, Game, Bye, Finding, Adjustment)
    return [list(model._default_manager.order_by("pk").values_list()) for model in models]


def changed_files(seed: int) -> list[bytes]:
    chance = random.Random(f"upload {seed}")
    return [(by_bytes, by_structure)[n % 2](chance.choice(SEEDS), chance) for n in range(A_BATCH)]


@pytest.mark.long
@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(2, BATCHES))]
)
def test_a_file_changed_at_random_is_kept_whole_or_refused_whole_as_it_is_read_here(
    seed: int,
    amahle: User,
    client_of: Callable[[User], Client],
    section: Section,
    register_of_six: list[Player],
    upload: Send,
    caplog: pytest.LogCaptureFixture,
) -> None:
    client = client_of(amahle)
    with capture_logs() as logs:
        for data in changed_files(seed):
            before = rows()
            expected = block_unaccepted_kind(read_any(data, NAME), section.event.federation.ruleset)
            response = upload(client, section, data, NAME)
            assert response.status_code in (302, 400, 409)
            must_stand_as_read(section, data, expected, before)
            step = "findings" if expected.sheet else "file"
            assert client.get(address(section, step)).status_code == 200
        must_be_shown(client, section)
    assert [entry for entry in logs if entry["log_level"] in ("error", "critical", "exception")] == []
    assert [entry for entry in logs if entry["event"] == "the box died"] == []
    assert [record for record in caplog.records if record.exc_info] == []


def must_stand_as_read(
    section: Section, data: bytes, expected: Reading, before: list[list[tuple[Any, ...]]]
) -> None:
    upload = section.uploads.newest()
    if not data.strip() or upload is None:
        assert rows() == before
        return
    assert bytes(upload.content or b"") == data
    if expected.sheet is None:
        assert upload.state == Upload.State.UNREADABLE
        told = [(reason["key"], reason["line"], reason["params"]) for reason in json.loads(upload.reason)]
        assert told == [(r.key, r.line, dict(r.params)) for r in expected.findings]
        assert rows() == before
        return
    assert upload.state == Upload.State.READ, upload.reason
    sheet = expected.sheet
    entries = section.entries.order_by("pk").values_list("number", "points", "place")
    assert list(entries) == [
        # A place that this file lacks may stay from the one before.
        (row.start_number, row.points, row.place or place)
        for row, (_number, _points, place) in zip(sheet.rows, entries, strict=True)
    ]
    games = section.games.order_by("order").values_list("round", "first__number", "second__number", "result")
    assert list(games) == [(game.round, game.first, game.second, game.result) for game in sheet.games]
    assert section.byes.count() == len(sheet.byes)
    assert list(section.adjustments.order_by("pk").values_list("key", "line")) == [
        (adjustment.key, adjustment.line) for adjustment in (*expected.adjustments, *list_unused_lines(sheet))
    ]
    found = section.findings.filter(source="file", line__isnull=False).order_by("pk")
    assert list(found.values_list("level", "key", "line", "column")) == [
        (r.level, r.key, r.line, r.column)
        for r in expected.findings
        if r.line is not None and r.key not in ANSWERED_ELSEWHERE
    ]


def must_be_shown(client: Client, section: Section) -> None:
    for step in ("details", "players", "submit"):
        assert client.get(address(fresh(section), step)).status_code in (200, 302)
