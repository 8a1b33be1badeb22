"""Fixtures for every app's tests: an office, its people, and a database that may be emptied between tests.

People have jobs: Amahle files for Gauteng, Pieter for the Western Cape, Nomsa approves, Thandi administers.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.db.backends.sqlite3.base import DatabaseWrapper
from django.test import Client
from hypothesis import settings as of_properties

from federation_site.sign_in import password_letter
from players.office import write_once_triggers
from players.office.models import Appointment, Federation, Ledger, Region, Role, User

LONG_AGO = date(2020, 7, 1)
# No case is judged by the clock: a busy machine is no fault of the code. A change is judged by the same cases
# on every run; a seed asks for others.
of_properties.register_profile("office", deadline=None, derandomize="SEED" not in os.environ)
of_properties.load_profile("office")


def pytest_configure() -> None:
    """Make the folder of collected pages: WhiteNoise warns where there is none."""
    Path(settings.STATIC_ROOT).mkdir(parents=True, exist_ok=True)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Give this run a SQLite file of its own: threads and processes then wait for locks as they do live."""
    database = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        database["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")


@pytest.fixture(scope="session", autouse=True)
def frozen_tables_may_be_emptied() -> None:
    """A test with its own transactions empties all tables; on SQLite by DELETE, which triggers refuse."""
    operations: Any = DatabaseWrapper.ops_class
    flush = operations.sql_flush

    def unfrozen(self: Any, style: Any, tables: Any, **options: Any) -> list[str]:
        frozen = [(table, columns) for table, columns in write_once_triggers.FROZEN if table in tables]
        thaw = [line for table, _ in frozen for line in write_once_triggers.drop("sqlite", table)]
        again = (write_once_triggers.create("sqlite", table, columns) for table, columns in frozen)
        freeze = [line for lines in again for line in lines]
        return [*thaw, *flush(self, style, tables, **options), *freeze]

    operations.sql_flush = unfrozen


@pytest.fixture(autouse=True)
def keys_of_this_test(settings: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test finds the keys, newest checkpoint or journal file of another: each has its own folders."""
    folder = tmp_path_factory.getbasetemp() / f"keys-{uuid4().hex}"  # made by whoever writes the first key
    settings.KEYS_DIR = folder
    settings.JOURNALS_DIR = folder.with_name(f"journals-{uuid4().hex}")


@pytest.fixture
def letters_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker's part of a letter, done in the same breath."""
    monkeypatch.setattr(password_letter, "order", password_letter.write_password_letter)


@pytest.fixture
def csa(db: None) -> Federation:
    """An office with two regions and nothing filed."""
    office = Federation.objects.create(code="csa", name="Chess South Africa", ruleset_slug="csa")
    Region.objects.create(federation=office, code="GAU", name="Gauteng")
    Region.objects.create(federation=office, code="WCA", name="Western Cape")
    Ledger.objects.create(federation=office)
    return office


@pytest.fixture
def gauteng(csa: Federation) -> Region:
    return csa.regions.get(code="GAU")


@pytest.fixture
def western_cape(csa: Federation) -> Region:
    return csa.regions.get(code="WCA")


@pytest.fixture
def amahle(csa: Federation, gauteng: Region) -> User:
    """Regional administrator of Gauteng."""
    return appointed("Amahle", csa, Role.REGIONAL, gauteng)


@pytest.fixture
def pieter(csa: Federation, western_cape: Region) -> User:
    """Regional administrator of the Western Cape."""
    return appointed("Pieter", csa, Role.REGIONAL, western_cape)


@pytest.fixture
def nomsa(csa: Federation) -> User:
    """Official."""
    return appointed("Nomsa", csa, Role.OFFICIAL)


@pytest.fixture
def thandi(csa: Federation) -> User:
    """Federation administrator."""
    return appointed("Thandi", csa, Role.ADMINISTRATOR)


def appointed(name: str, office: Federation, role: Role, region: Region | None = None) -> User:
    user = User.objects.create_user(f"{name.lower()}@{office.code}.example", "a long pass phrase", name=name)
    Appointment.objects.create(
        user=user, role=role, federation=office, region=region, starts=LONG_AGO, name=name
    )
    return user


@pytest.fixture
def client_of() -> Callable[[User], Client]:
    """`client_of(nomsa)`: a browser in which that person is signed in."""

    def signed_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return signed_in
