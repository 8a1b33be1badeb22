"""Moments near midnight are told by the day and the hour of the office's own time zone, never by UTC's."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from players.models import Federation, User
from ratings import publication
from ratings.tests.office import approved, recompute_all, register, submitted
from tests.pages import unbroken
from tournaments.models import SectionTaking

ClientOf = Callable[[User], Client]
LATE = datetime(2026, 3, 1, 22, 30, tzinfo=UTC)
"""Half past midnight of 2 March in Johannesburg."""
pytestmark = pytest.mark.django_db


def told(answer: Any) -> str:
    return unbroken(answer.content.decode())


def test_since_when_somebody_is_on_a_section(
    csa: Federation, nomsa: User, amahle: User, client_of: ClientOf
) -> None:
    section = submitted(csa, register(csa, 8), rounds=10)
    SectionTaking.objects.create(section=section, official=nomsa, since=LATE)
    page = told(client_of(nomsa).get(f"{section.get_absolute_url()}review/"))
    assert "since 2 March 2026" in page


def test_when_a_list_was_published(
    csa: Federation, nomsa: User, client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = approved(submitted(csa, register(csa, 8), rounds=10)).on
    assert day is not None
    clock = SimpleNamespace(now=lambda: LATE)
    monkeypatch.setattr("players.record.timezone", clock)
    publication.publish_list(federation=csa, by=nomsa, on=day)
    recompute_all(csa)
    page = told(client_of(nomsa).get("/csa/lists/calendar/"))
    assert "2 Mar 2026, 00:30" in page
    assert "UTC" not in page
    for address in ("", "r1/print/"):
        page = told(client_of(nomsa).get(f"{csa.lists.get(track='otb-main').get_absolute_url()}{address}"))
        assert "2 Mar 2026, 00:30 SAST" in page
        assert "UTC" not in page
