"""Turns the values of columns into JSON and back, the same on every database."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from django.db import models

from ratings.law.journal import plain


def as_json(value: Any) -> Any:
    """A column's value as JSON has it: days and moments in ISO form (UTC), numbers with all their digits."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    if isinstance(value, date):
        return value.isoformat()
    return plain(value) if isinstance(value, Decimal) else _in_order(value)


def _in_order(value: Any) -> Any:
    """A JSON column's value with its keys sorted: PostgreSQL keeps them in an order of its own."""
    if isinstance(value, dict):
        return {key: _in_order(value[key]) for key in sorted(value)}
    return [_in_order(each) for each in value] if isinstance(value, list) else value


def from_json(column: models.Field[Any, Any], value: Any) -> Any:
    """A column's value from what `as_json` wrote. Raises ValueError, or Django's ValidationError, for what
    the column cannot hold.
    """
    if value is None or isinstance(column, models.JSONField):
        return value
    if isinstance(column, models.DateTimeField):
        return datetime.fromisoformat(value)
    return column.to_python(value)


def line_of(row: dict[str, Any]) -> bytes:
    """A row's line in its file: keys in the order of the columns, UTF-8, and a line end."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def key_of(values: list[Any]) -> Any:
    """The key by which other rows name a row: its one value, or several as one text."""
    return values[0] if len(values) == 1 else "/".join(map(str, values))
