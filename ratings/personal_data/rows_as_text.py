"""Rows of the database as a person can read them: names of fields with plain values, and no secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import Any

from django.db import models
from django.db.models import QuerySet

SECRETS = frozenset(
    {"password", "session_key", "data", "salt", "holder", "heartbeat", "attempts", "session_number"}
)
"""Columns that open something, or tell of the machinery alone."""

Told = dict[str, Any]


def rows_that_point_to(*people: models.Model) -> Iterator[tuple[str, str, QuerySet[Any]]]:
    """Yield each table that points to a person's rows, whichever there are: its plural, the pointing field,
    and the rows, without the bytes in them.
    """
    for relation in type(people[0])._meta.get_fields(include_hidden=True):
        if relation.auto_created and not relation.concrete:
            model: Any = relation.related_model
            field: str = relation.field.name  # type: ignore[union-attr]
            binary = [each.name for each in model._meta.fields if isinstance(each, models.BinaryField)]
            rows = model._default_manager.filter(**{f"{field}__in": people}).order_by("pk").defer(*binary)
            yield str(model._meta.verbose_name_plural), field, rows


def told_of(row: models.Model, without: Iterable[str] = ()) -> Told:
    """Map the names of a row's fields to their values; not its own key, bytes, secrets and `without`."""
    hidden = {*SECRETS, *without}
    return {
        field.name: _plain(getattr(row, field.name))
        for field in row._meta.concrete_fields
        if not field.primary_key and field.name not in hidden and not isinstance(field, models.BinaryField)
    }


def _plain(value: Any) -> Any:
    if isinstance(value, models.Model):
        return getattr(value, "key", None) or str(value)
    if isinstance(value, date | datetime):
        return value.isoformat()
    return value if value is None or isinstance(value, bool | int | str | list | dict) else str(value)
