"""Fixtures whose rows are built once in each worker, and given to each test fresh.

An office of a few sections takes a second to file, approve and publish; the statements that this comes to,
some milliseconds: so they are kept, with what the fixture returned, and run again for the next test.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.core import mail
from django.db import connection
from django.db.models import Model

Fixture = TypeVar("Fixture", bound=Callable[..., Any])
Statement = tuple[str, Any, bool]
"""SQL, its parameters, and whether it runs once for each of several sets of them."""
READS = ("SELECT", "PRAGMA", "EXPLAIN")


@dataclass(frozen=True)
class Build:
    """What one run of a fixture left: statements, letters, files by setting and name, and what it returned;
    `given` are the fixtures that it was given.
    """

    statements: list[Statement]
    letters: list[Any]
    files: dict[tuple[str, str], bytes]
    given: dict[str, Any]
    returned: Any


_builds: dict[tuple[Any, ...], Build] = {}


class _Ground:
    """What the database of this test holds: what the last tests left, and the fixtures built so far.

    `written` is SQLite's count of rows when the last of them was done: at another, somebody else wrote.
    """

    left: Any = None
    fixtures: tuple[Any, ...] = ()
    written: int = 0


def begin_test() -> None:
    """Nothing is built yet in this test."""
    _Ground.fixtures, _Ground.written = (), _rows_written()


def built_once(fixture: Fixture) -> Fixture:
    """Mark a fixture of one test that writes into the database and returns rows, plain values, or nothing.

    It leaves nothing but rows, letters and the files of the folders below, and reads no clock that its tests
    set in different ways. Each test has rows with the same numbers and objects of its own. Where something
    else than such fixtures wrote before it in a test, and on PostgreSQL, it is built as if it was not marked.
    """

    @functools.wraps(fixture)
    def give(**given: Any) -> Any:
        if not _is_known_ground():
            return fixture(**given)
        own = (fixture.__module__, fixture.__qualname__)
        key = (_Ground.left, *_Ground.fixtures, own)
        build = _builds.get(key)
        if build is None:
            _builds[key], returned = _build(fixture, given)
        else:
            returned = _again(build, given)
        _Ground.fixtures, _Ground.written = (*_Ground.fixtures, own), _rows_written()
        return returned

    return give  # type: ignore[return-value]


def _is_known_ground() -> bool:
    if connection.vendor != "sqlite" or not connection.in_atomic_block:
        return False
    if _rows_written() != _Ground.written:
        return False
    if not _Ground.fixtures:
        with connection.cursor() as cursor:
            # Numbers go on from the last row that is there, not from the last one of an earlier test.
            cursor.execute("DELETE FROM sqlite_sequence")
            _Ground.left = cursor.execute("SELECT MAX(id) FROM players_federation").fetchone()
    return True


def _rows_written() -> int:
    return (
        connection.connection.total_changes if connection.connection and connection.vendor == "sqlite" else 0
    )


def _build(fixture: Callable[..., Any], given: dict[str, Any]) -> tuple[Build, Any]:
    letters = len(_outbox())
    rows = {name: value for name, value in given.items() if isinstance(value, Model | list | dict)}
    with _writes() as statements:
        returned = fixture(**given)
    kept_given, kept = copy.deepcopy((rows, returned))
    return Build(statements, copy.deepcopy(_outbox()[letters:]), _files(), kept_given, kept), returned


def _again(build: Build, given: dict[str, Any]) -> Any:
    with connection.cursor() as cursor:
        for sql, parameters, many in build.statements:
            (cursor.executemany if many else cursor.execute)(sql, parameters)
    _outbox().extend(copy.deepcopy(build.letters))
    for (folder, name), content in build.files.items():
        path = Path(getattr(settings, folder)) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    pairs = [pair for name, kept in build.given.items() for pair in _pairs(kept, given[name])]
    shared = {id(kept): now for kept, now in pairs}
    for kept, now in pairs:
        if isinstance(now, Model):  # the fixture may have changed what it was given
            vars(now).update(copy.deepcopy(vars(kept), shared))
    return copy.deepcopy(build.returned, shared)


@contextmanager
def _writes() -> Iterator[list[Statement]]:
    """What is written meanwhile, as it is written."""
    written: list[Statement] = []

    def note(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        if many:
            parameters = list(parameters)
        if not sql.lstrip().upper().startswith(READS):
            written.append((sql, parameters, many))
        return execute(sql, parameters, many, context)

    with connection.execute_wrapper(note):
        yield written


def _outbox() -> list[Any]:
    return getattr(mail, "outbox", [])


def _files() -> dict[tuple[str, str], bytes]:
    return {
        (folder, str(path.relative_to(getattr(settings, folder)))): path.read_bytes()
        for folder in ("KEYS_DIR", "JOURNALS_DIR", "DUMPS_DIR")
        for path in Path(getattr(settings, folder)).rglob("*")
        if path.is_file()
    }


def _pairs(kept: Any, now: Any) -> Iterator[tuple[Any, Any]]:
    """Each object of what a fixture was given when it was built, with the one in its place in this test."""
    yield kept, now
    if isinstance(kept, list):
        for each, other in zip(kept, now, strict=True):
            yield from _pairs(each, other)
    elif isinstance(kept, dict):
        for name, each in kept.items():
            yield from _pairs(each, now[name])
