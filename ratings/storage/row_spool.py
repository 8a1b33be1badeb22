"""Writes whole rows of a model by the million, past the ORM's statements, which cost most of an import."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from django.db import connection, models

from ratings.storage.bulk_writing import NULL, Spool, escaped


class RowSpool(Spool):
    """Collects new rows of a model and writes them at once. Their keys are given out by the database, and the
    rows do not learn them.
    """

    def __init__(self, model: type[models.Model]) -> None:
        columns = [each for each in model._meta.local_concrete_fields if not each.primary_key]
        super().__init__(model, [str(each.column) for each in columns])
        self.texts = [(each, _text_of(each)) for each in columns]

    def add_row(self, row: models.Model) -> None:
        self.add(*(text(column.pre_save(row, True)) for column, text in self.texts))


def write_rows(model: type[models.Model], rows: Iterable[models.Model]) -> None:
    """Write new rows of a model, without learning their keys."""
    spool = RowSpool(model)
    try:
        for row in rows:
            spool.add_row(row)
        spool.write()
    finally:
        spool.close()


def _text_of(column: models.Field[Any, Any]) -> Callable[[Any], str]:
    """A function that writes a column's values as a spool takes them."""
    text = _of_kind(column)
    return lambda value: NULL if value is None else text(value)


def _of_kind(column: models.Field[Any, Any]) -> Callable[[Any], str]:
    if isinstance(column, models.BooleanField):
        return lambda value: "1" if value else "0"
    if isinstance(column, models.JSONField):
        return lambda value: escaped(json.dumps(value, cls=column.encoder))
    if isinstance(column, models.CharField | models.TextField):
        return escaped
    if isinstance(column, models.IntegerField | models.ForeignKey):
        return str
    return lambda value: escaped(str(column.get_db_prep_save(value, connection)))
