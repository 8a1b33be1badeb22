"""Alterations of stored values by SQL, drawn from the table of their sources, as anybody can make who may
write to the database.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.apps import apps
from django.db import models

from ratings.sources import SOURCES

Column = tuple[str, str]
"""The label of a model, and the name of a field."""


def columns_with_a_source() -> list[Column]:
    return [
        (label, name)
        for label, sources in SOURCES.items()
        for name in sorted(sources.held_columns | {each for some in sources.checked for each in some.split()})
    ]


def draw_row(column: Column, rng: random.Random, but: Collection[models.Model] = ()) -> models.Model | None:
    """Any row of a column's table, but none of some; None if there is none."""
    rows: models.QuerySet[models.Model] = models.QuerySet(apps.get_model(column[0])).order_by("pk")
    rows = rows.exclude(pk__in=[row.pk for row in but if row._meta.label == column[0]])
    if column == ("tournaments.Finding", "waived_because"):
        rows = rows.exclude(waived_because="")
    if column == ("ratings.Fact", "fingerprint"):
        rows = rows.filter(taken_back=None)  # nobody reads it of a line that was un-rated
    count = rows.count()
    return rows[rng.randrange(count)] if count else None


def part_of(row: models.Model) -> str:
    """The name of the part to which a row belongs; empty if decisions hold none of its table."""
    held = SOURCES[row._meta.label].held
    if held is None:
        return ""
    keys = models.QuerySet(type(row)).filter(pk=row.pk).values_list(*held.key).get() if held.key else ()
    return f"{held.part} {'/'.join(map(str, keys))}".strip()


def alter(row: models.Model, name: str, rng: random.Random) -> bool:
    """Give a row another value in one column, past the model; return whether there is another."""
    field = row._meta.get_field(name)
    assert isinstance(field, models.Field)
    before = getattr(row, field.attname)
    for value in _others(field, before, rng):
        if value != before:
            models.QuerySet(type(row)).filter(pk=row.pk).update(**{field.attname: value})
            return True
    return False


def _others(field: Any, before: Any, rng: random.Random) -> Iterator[Any]:
    """Values that a column can hold, the first to be taken that is another."""
    if field.null and rng.random() < 0.25:
        yield None
    if isinstance(field, models.ForeignKey):
        keys = list(field.related_model._base_manager.order_by("pk").values_list("pk", flat=True)[:500])
        yield from rng.sample(keys, len(keys))
        return
    if field.choices:
        values = [value for value, _label in field.flatchoices]
        yield from rng.sample(values, len(values))
        return
    if isinstance(field, models.BooleanField):
        yield not before
    elif isinstance(field, models.DateTimeField):
        yield (before or datetime.fromisoformat("2020-01-01T00:00Z")) + timedelta(days=rng.choice((-9, 1, 9)))
    elif isinstance(field, models.DateField):
        yield (before or date(2020, 1, 1)) + timedelta(days=rng.choice((-9, 1, 9)))
    elif field.name == "since":
        yield before + 1_000_000  # beyond all lines: within a day no page depends on it
    elif isinstance(field, models.IntegerField):
        yield (before or 0) + rng.choice((1, 10))
    elif isinstance(field, models.JSONField):
        yield _other_json(before, rng)
    elif isinstance(field, models.BinaryField):
        yield bytes(before or b"") + b"."
    elif isinstance(field, models.CharField | models.TextField):
        most = field.max_length or 10_000
        yield "Forged"[:most]
        yield f"{before or ''}x"[-most:]
        yield "y" * min(most, len(before or "") or 1)
    else:
        yield (before or Decimal(0)) + rng.choice((1, 10))


def _other_json(before: Any, rng: random.Random) -> Any:
    match before:
        case dict() if before and rng.random() < 0.5:
            name = rng.choice(sorted(before))
            return {**before, name: _other_json(before[name], rng)}
        case dict():
            return {**before, "forged": 1}
        case list() if before and rng.random() < 0.5:
            return before[:-1]
        case list():
            return [*before, "forged"]
        case bool() | None:
            return not before
        case int() | float():
            return before + 1
    return f"{before}x"
