"""The journal's file: one for each state of the record, never of another's, and not needed."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from players.models import Federation
from players.record import decide
from ratings.pages import proof
from ratings.pages.proof import journal_bytes, open_or_write_journal_file

pytestmark = pytest.mark.django_db


def text_of(office: Federation) -> bytes:
    with open_or_write_journal_file(office) as file:
        return file.read()


def fresh(office: Federation) -> Federation:
    return Federation.objects.get(pk=office.pk)


def test_the_file_is_the_journal_as_it_stands(csa: Federation) -> None:
    assert text_of(csa) == b"".join(journal_bytes(csa))


def test_a_state_is_written_once(csa: Federation, monkeypatch: pytest.MonkeyPatch) -> None:
    first = text_of(csa)
    monkeypatch.setattr(proof, "journal_bytes", lambda office: pytest.fail("written again"))
    assert text_of(csa) == first


def test_after_a_decision_it_is_written_anew_and_the_older_files_go(csa: Federation, settings: Any) -> None:
    text_of(csa)
    before, packed = sorted(Path(settings.JOURNALS_DIR).iterdir())
    (other := before.with_name("csa-2-" + before.name)).write_bytes(b"of another office")
    decide(csa, kind="correct", by=None, on=date(2026, 1, 1), about="player 1")
    text_of(fresh(csa))
    names = {each.name for each in Path(settings.JOURNALS_DIR).iterdir()}
    assert names.isdisjoint({before.name, packed.name})
    assert other.name in names
    assert len(names) == 3


def test_a_record_of_the_same_length_and_another_chain_is_another_state(csa: Federation) -> None:
    """As after a restore: the counts are the same, what was decided is not."""
    states = set()
    for about in ("player 1", "player 2"):
        with pytest.raises(InterruptedError), transaction.atomic():
            decide(csa, kind="correct", by=None, on=date(2026, 1, 1), about=about)
            states.add(proof._state(fresh(csa)))
            raise InterruptedError
    assert len(states) == 2


def test_a_disk_without_room_costs_nobody_the_journal(
    csa: Federation, client: Client, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    def full(federation: Federation, path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(proof, "_write", full)
    answer = client.get(f"/{csa.code}/journal.ndjson")
    assert answer.getvalue() == b"".join(journal_bytes(csa))
    assert answer["Content-Disposition"] == f'attachment; filename="{csa.code}-journal.ndjson"'


def test_a_writing_that_fails_leaves_nothing_behind(
    csa: Federation, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    def cut(office: Federation) -> Any:
        yield b"half"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(proof, "journal_bytes", cut)
    with pytest.raises(OSError, match="No space"):
        open_or_write_journal_file(csa)
    assert list(Path(settings.JOURNALS_DIR).iterdir()) == []
