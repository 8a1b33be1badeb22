"""Fixtures for every app's tests: an office, its people, and a database that may be emptied between tests.

People have jobs: Amahle files for Gauteng, Pieter for the Western Cape, Nomsa approves, Thandi administers.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from datetime import date
from functools import partial
from io import BytesIO, TextIOWrapper
from pathlib import Path
from threading import Lock
from typing import IO, Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.db.backends.postgresql.operations import DatabaseOperations as PostgresqlOperations
from django.db.backends.sqlite3.base import DatabaseWrapper
from django.db.models.signals import post_save
from django.test import Client
from django.utils import timezone
from hypothesis import settings as of_properties

from players import (
    appointments as invitation_letter,  # noqa: F401  its composer, as the worker has it
    record,
)
from players.mail import send_due_letters
from players.models import Appointment, Federation, Ledger, Letter, Region, Role, User
from tests.built_once import begin_test, built_once
from tournaments import box
from tournaments.box import inside

os.environ.setdefault("OFFICE_LANGUAGE", "en")  # offices that tests start as programs speak English too
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
    """A test with its own transactions empties all tables, which triggers refuse. PostgreSQL lets its
    superuser pass by them; on SQLite they are taken off and put on again.
    """
    on_sqlite: Any = DatabaseWrapper.ops_class
    on_postgresql: Any = PostgresqlOperations
    flush, truncate = on_sqlite.sql_flush, on_postgresql.sql_flush

    def thawed(self: Any, style: Any, tables: Any, **options: Any) -> list[str]:
        frozen = [table for table in record.WRITE_ONCE if table in tables]
        thaw = [line for table in frozen for line in record.drop_trigger_statements("sqlite", table)]
        freeze = [line for table in frozen for line in record.create_trigger_statements("sqlite", table)]
        return [*thaw, *flush(self, style, tables, **options), *freeze]

    def passed_by(self: Any, style: Any, tables: Any, **options: Any) -> list[str]:
        lines: list[str] = truncate(self, style, tables, **options)
        return ["SET LOCAL session_replication_role = replica", *lines] if lines else []

    on_sqlite.sql_flush, on_postgresql.sql_flush = thawed, passed_by


@pytest.fixture(autouse=True)
def nothing_is_built_yet() -> None:
    begin_test()


@pytest.fixture(autouse=True)
def keys_of_this_test(settings: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test finds keys, newest checkpoint, journal, dump or kept pages of another: each has own folders."""
    folder = tmp_path_factory.getbasetemp() / f"keys-{uuid4().hex}"  # made by whoever writes the first key
    settings.KEYS_DIR = folder
    settings.JOURNALS_DIR = folder.with_name(f"journals-{uuid4().hex}")
    settings.DUMPS_DIR = folder.with_name(f"dumps-{uuid4().hex}")
    pages = dict(settings.CACHES["pages"])
    if "LOCATION" in pages and pages["BACKEND"].endswith("PageFiles"):
        pages["LOCATION"] = str(folder.with_name(f"pages-{uuid4().hex}"))
        settings.CACHES = {**settings.CACHES, "pages": pages}


@pytest.fixture(autouse=True)
def files_are_read_in_this_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A child of Python's own for each file costs more than all the rest of such a test: those that are about
    the box are marked `boxed`.
    """
    if not request.node.get_closest_marker("boxed"):
        monkeypatch.setattr(box, "_boxed", _read_here)


ONE_READER = Lock()
"""Files of a past are read by several threads, and the output of a process is one."""


@contextmanager
def _read_here(
    arguments: list[str], data: bytes, _wall: float, _beat: object, *, even_if_dead: bool = False
) -> Iterator[IO[bytes]]:
    """As `run_box` has files read, in this process: yields what the reader wrote, or raises BoxDied."""
    module, *rest = [each for each in arguments if not each.startswith("--")]
    main = importlib.import_module(module).main
    if inside.MANY_FLAG in arguments:
        main = partial(inside.read_many, importlib.import_module(module))
    output = BytesIO()
    writing = TextIOWrapper(output, "utf-8", newline="", write_through=True)
    with ONE_READER, redirect_stdout(writing) as written:
        try:
            main(data, *rest)
        except Exception as fault:
            if not even_if_dead:
                raise box.BoxDied("box-crash", type(fault).__name__) from None
        finally:
            written.detach()
    output.seek(0)
    yield output


@pytest.fixture(autouse=True)
def probes_look_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test changes is told by the next probe, and not a second later."""
    monkeypatch.setattr("federation_site.watch.FRESH", 0.0)


@pytest.fixture(autouse=True)
def letters_at_once() -> Iterator[None]:
    """The worker's part of a letter, done in the same breath."""

    def send(**_: Any) -> None:
        send_due_letters(timezone.now())

    post_save.connect(send, sender=Letter, dispatch_uid="letters at once", weak=False)
    yield
    post_save.disconnect(sender=Letter, dispatch_uid="letters at once")


@pytest.fixture
def letters_wait(letters_at_once: None) -> None:
    """Letters lie until somebody sends them."""
    post_save.disconnect(sender=Letter, dispatch_uid="letters at once")


@pytest.fixture
@built_once
def csa(db: None) -> Federation:
    """An office with two regions and nothing filed."""
    office = Federation.objects.create(code="csa", name="Chess South Africa", ruleset_slug="csa")
    Region.objects.create(federation=office, code="GAU", name="Gauteng")
    Region.objects.create(federation=office, code="WCA", name="Western Cape")
    Ledger.objects.create(federation=office)
    return office


@pytest.fixture
@built_once
def gauteng(csa: Federation) -> Region:
    return csa.regions.get(code="GAU")


@pytest.fixture
@built_once
def western_cape(csa: Federation) -> Region:
    return csa.regions.get(code="WCA")


@pytest.fixture
@built_once
def amahle(csa: Federation, gauteng: Region) -> User:
    """Regional administrator of Gauteng."""
    return appointed("Amahle", csa, Role.REGIONAL, gauteng)


@pytest.fixture
@built_once
def pieter(csa: Federation, western_cape: Region) -> User:
    """Regional administrator of the Western Cape."""
    return appointed("Pieter", csa, Role.REGIONAL, western_cape)


@pytest.fixture
@built_once
def nomsa(csa: Federation) -> User:
    """Official."""
    return appointed("Nomsa", csa, Role.OFFICIAL)


@pytest.fixture
@built_once
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
