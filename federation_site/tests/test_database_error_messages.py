"""What the operator is told of the database's faults."""

import pytest
from django.db import DatabaseError

from federation_site.command_errors import database_error_advice

pytestmark = pytest.mark.servers


@pytest.mark.parametrize(
    ("said", "mend"),
    [
        ("unable to open database file", "rights"),
        ("attempt to write a readonly database", "rights"),
        ("no such table: players_federation", "manage.py migrate"),
        ('relation "players_federation" does not exist', "manage.py migrate"),
        ("database disk image is malformed", "last backup"),
        ("file is not a database", "last backup"),
        ("database or disk is full", "Make room"),
        ("database is locked", "in a moment"),
        ('connection failed: FATAL: database "office" does not exist', "DATABASE_URL"),
    ],
)
def test_a_fault_that_an_operator_can_mend_is_told_with_what_to_do(said: str, mend: str) -> None:
    words = database_error_advice(DatabaseError(said))
    assert said in words
    assert mend in words


def test_any_other_fault_keeps_its_traceback() -> None:
    assert database_error_advice(DatabaseError("UNIQUE constraint failed: ratings_change.id")) == ""
