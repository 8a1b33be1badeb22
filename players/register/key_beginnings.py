"""A database field with keys that are looked up by how they begin, by an index on every database."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models.lookups import StartsWith

LAST = chr(0x10FFFF)
"""The character behind all others: what begins with a word stands before the word and this."""


class KeyField(models.CharField):  # type: ignore[type-arg]
    """A column of keys, with the lookup `begins`."""


@KeyField.register_lookup
class Begins(StartsWith):
    """`key__begins="abc"`: PostgreSQL looks a LIKE up in its index, SQLite only a range."""

    lookup_name = "begins"

    def get_rhs_op(self, connection: Any, rhs: str) -> str:
        return str(connection.operators["startswith"] % rhs)

    def as_sqlite(self, compiler: Any, connection: Any) -> tuple[str, list[str]]:
        column, params = self.process_lhs(compiler, connection)
        return f"({column} >= %s AND {column} < %s)", [*params, self.rhs, *params, self.rhs + LAST]
