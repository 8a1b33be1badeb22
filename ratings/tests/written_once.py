"""An office with a row in every table that is written once, and a connection that knows nothing of Django."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import psycopg
from django.apps import apps
from django.db import connection, transaction
from django.db.models import Model
from django.utils import timezone

from players.models import Federation, Ledger, ProofFile
from players.record import WRITE_ONCE
from ratings import approval
from ratings.journal import JournalWriter
from ratings.models import Checkpoint, Cosignature, HintAnswer, PastWide, StatedPre
from ratings.signing import sign_due_checkpoints
from ratings.tests.office import FIRST, approved, published, recompute_all, register, strangers, submitted
from tournaments.models import Correction


def office_with_everything(office: Federation) -> Federation:
    """Two events, the first un-rated with words, a list, more than a tile of lines, signed."""
    players = register(office, 12)
    for week in range(2):
        ends = FIRST + timedelta(weeks=week)
        section = submitted(office, players, number=f"2024-00{week}", ends=ends, rounds=11, seed=week)
        approved(section)
    section.refresh_from_db()
    day = section.ends + timedelta(days=3)
    approval.unrate(section=section, by=None, on=day, version=section.version, reason="result", words="slip")
    recompute_all(office)
    published(office, day)
    with transaction.atomic():
        writer = JournalWriter(office, Ledger.objects.select_for_update().get(federation=office))
        writer.write_players(strangers(range(260)))
    sign_due_checkpoints(office, at=timezone.now())
    Cosignature.objects.create(
        checkpoint=Checkpoint.objects.all()[0], vkey="w+1", line="— w 1\n", at=timezone.now()
    )
    HintAnswer.objects.create(
        section=section, kind="two-places", key="x", version=0, outcome="right", evidence={},
        decision=section.event.federation.decisions.all()[0],
    )  # fmt: skip
    decision = section.event.federation.decisions.all()[0]
    Correction.objects.create(section=section, what="struck", decision=decision)
    ProofFile.objects.create(
        federation=office,
        player=players[0],
        decision=decision.number,
        on=day,
        name="a.pdf",
        kind="pdf",
        size=1,
    )
    StatedPre.objects.create(federation=office, player="9", line=3, pre=1500)
    PastWide.objects.create(federation=office, order=1, state="{}", since=1, until=2)
    return office


def model_of(table: str) -> type[Model]:
    return next(model for model in apps.get_models() if model._meta.db_table == table)


def columns_of(table: str) -> list[str]:
    return [str(field.column) for field in model_of(table)._meta.local_concrete_fields]


def rows_of(table: str) -> list[tuple[Any, ...]]:
    """All rows of a table, as they are stored, in the order of `columns_of`."""
    columns = ", ".join(f'"{each}"' for each in columns_of(table))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns} FROM {table} ORDER BY id")
        return [tuple(bytes(v) if isinstance(v, memoryview) else v for v in row) for row in cursor.fetchall()]


def everything_written_once() -> dict[str, list[tuple[Any, ...]]]:
    return {table: rows_of(table) for table in WRITE_ONCE}


@contextmanager
def stranger(**others: Any) -> Iterator[Any]:
    """A connection of its own to this test's database, each statement by itself; `others`: another user."""
    told = connection.settings_dict
    if connection.vendor == "sqlite":
        opened: Any = sqlite3.connect(told["NAME"], isolation_level=None, timeout=20)
    else:
        opened = psycopg.connect(
            autocommit=True,
            **({"host": told["HOST"], "port": told["PORT"], "dbname": told["NAME"], "user": told["USER"],
                "password": told["PASSWORD"]} | others),
        )  # fmt: skip
    try:
        yield opened
    finally:
        opened.close()
