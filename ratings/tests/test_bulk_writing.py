"""Rows that are written many at once: what the database says of them comes as Django's errors."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction

from players.office.job_lease import DATABASE_TROUBLE
from players.office.models import Region
from ratings.storage.bulk_writing import Spool

pytestmark = pytest.mark.django_db


def spool_of(*rows: tuple[str, ...]) -> Spool:
    found = Spool(Region, ("federation_id", "code", "name"))
    for row in rows:
        found.add(*row)
    return found


def test_rows_that_break_a_rule_of_the_database_are_refused_by_djangos_error() -> None:
    spool = spool_of(("999999", "A", "Alpha"))
    with pytest.raises(IntegrityError), transaction.atomic():
        spool.write()
        connection.check_constraints()
    spool.close()


def test_a_database_that_ends_the_writing_is_trouble_of_the_database_and_no_fault_of_the_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A full disk and an ended connection end it the same way; a time-out leaves this test its connection."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite takes rows by Django's own cursor")
    spool = spool_of(("999999", "A", "Alpha"))
    read: Any = spool._file.read

    def slowly(size: int) -> str:
        time.sleep(0.3)
        return str(read(size))

    monkeypatch.setattr(spool._file, "read", slowly)
    with pytest.raises(OperationalError) as raised, transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = '50ms'")
        spool.write()
    assert isinstance(raised.value, DATABASE_TROUBLE)
    spool.close()
