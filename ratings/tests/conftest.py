"""The section that several modules correct: eight players' round-robin of March, filed, rated and listed."""

from __future__ import annotations

from datetime import date

import pytest

from conftest import appointed
from players.models import Federation, Player, Role, User
from ratings.tests.office import approved, published, register, submitted
from tests.built_once import built_once
from tournaments.models import Section


@pytest.fixture
@built_once
def players(csa: Federation) -> list[Player]:
    return register(csa, 8)


@pytest.fixture
@built_once
def waiting(csa: Federation, players: list[Player]) -> Section:
    return submitted(csa, players, rounds=10)


@pytest.fixture
@built_once
def rated(waiting: Section) -> Section:
    approved(waiting)
    waiting.refresh_from_db()
    return waiting


@pytest.fixture
@built_once
def section(csa: Federation, rated: Section) -> Section:
    """Rated, and in the list of April."""
    published(csa, date(2024, 4, 1))
    rated.refresh_from_db()
    return rated


@pytest.fixture
@built_once
def sipho(csa: Federation) -> User:
    return appointed("Sipho", csa, Role.OFFICIAL)
