"""Writes an office's tables into a folder, each row by stable keys, and the bytes that rows hold beside."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from django.db import models

from players.office.models import Appointment, Federation, User
from ratings.journal.models import Fact
from ratings.moving.tables import ALL, BY_MODEL, PRIVATE, RECORD_NUMBER, MovingTable
from ratings.moving.values import as_json, key_of, line_of

_AT_ONCE = 2_000
OFFICE = f"{PRIVATE}office.json"
PEOPLE = f"{PRIVATE}tables/people.ndjson"
OF_OFFICE = ("code", "name", "ruleset_slug", "accent", "settings", "next_player_number", "demo")
"""The federation's own columns that move."""


def new_member(folder: Path, name: str) -> BinaryIO:
    """Open a new file of an archive that is being written."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path.open("wb")


class RowWriter:
    """Writes the rows of one office's tables, and names each by its stable key."""

    def __init__(self, office: Federation, folder: Path) -> None:
        self.office, self.folder = office, folder
        self.keys: dict[type[models.Model], dict[int, Any]] = {
            Fact: dict(Fact.objects.filter(federation=office).values_list("pk", "number"))
        }
        """For each table that rows name, the rows' keys by database key."""

    def write(self) -> None:
        named = {column.related_model for table in ALL for column in table.columns if column.is_relation}
        named |= {model for table in ALL for model in table.inside.values()}
        named |= {many.related_model for table in ALL for many in table.model._meta.many_to_many}
        for table in ALL:
            if table.model in named and not table.record_number:
                self.keys[table.model] = self._keys_of(table)
        self._write_office()
        self._write_people()
        for table in ALL:
            self._write_table(table)

    def _keys_of(self, table: MovingTable) -> dict[int, Any]:
        columns: list[Any] = [table.model._meta.get_field(name) for name in table.key]
        rows = table.rows(self.office).values_list("pk", *(each.attname for each in columns))
        found = {}
        for place, (pk, *values) in enumerate(rows.iterator(_AT_ONCE), start=1):
            told = [self._named(each, value) for each, value in zip(columns, values, strict=True)]
            found[pk] = key_of(told) if told else place
        return found

    def _named(self, column: Any, value: Any) -> Any:
        """A column's value for JSON; of one that names another row, that row's key."""
        model = column.related_model
        if value is None or model is None:
            return as_json(value)
        if model is User or (model in BY_MODEL and BY_MODEL[model].record_number):
            return value
        return self.keys[model].get(value)

    def _write_office(self) -> None:
        with new_member(self.folder, OFFICE) as file:
            file.write(line_of({name: as_json(getattr(self.office, name)) for name in OF_OFFICE}))

    def _write_people(self) -> None:
        """Write the numbers of all whom rows name, with the name by which the office appointed them last."""
        numbers: set[int] = set()
        for table in ALL:
            for name in table.people:
                held = table.rows(self.office).order_by().exclude(**{name: None})
                numbers.update(held.values_list(f"{name}_id", flat=True).distinct())
        appointed = Appointment.objects.filter(federation=self.office).exclude(name="").order_by("pk")
        names = dict(appointed.values_list("user_id", "name"))
        with new_member(self.folder, PEOPLE) as file:
            for number in sorted(numbers):
                file.write(line_of({RECORD_NUMBER: number, "name": names.get(number, "")}))

    # ---------------------------------------------------------------- rows

    def _write_table(self, table: MovingTable) -> None:
        many = {field.name: self._linked(table, field) for field in table.model._meta.many_to_many}
        blobs = [each for each in table.columns if isinstance(each, models.BinaryField)]
        rows = table.rows(self.office).defer(*(each.name for each in blobs))
        with new_member(self.folder, table.member) as file:
            for row in rows.iterator(_AT_ONCE):
                told = {RECORD_NUMBER: row.pk} if table.record_number else {}
                for column in table.columns:
                    told[column.name] = (
                        self._bytes_of(table, row, column.name)
                        if column in blobs
                        else self._value(table, column, row)
                    )
                told |= {name: links.get(row.pk, []) for name, links in many.items()}
                file.write(line_of(told))

    def _value(self, table: MovingTable, column: Any, row: models.Model) -> Any:
        value = getattr(row, column.attname)
        if table.inside and isinstance(column, models.JSONField):
            return as_json(inner(value, lambda name, pk: self.keys[table.inside[name]].get(pk), table))
        return self._named(column, value)

    def _linked(self, table: MovingTable, field: Any) -> dict[int, list[Any]]:
        """The keys of the rows to which each row is linked, sorted."""
        here, there = field.m2m_column_name(), field.m2m_reverse_name()
        links = field.remote_field.through._default_manager.filter(
            **{f"{field.m2m_field_name()}__in": table.rows(self.office).values("pk")}
        )
        found = defaultdict(list)
        for pk, other in links.values_list(here, there).iterator(_AT_ONCE):
            found[pk].append(self.keys[field.related_model][other])
        return {pk: sorted(others) for pk, others in found.items()}

    def _bytes_of(self, table: MovingTable, row: Any, name: str) -> str | None:
        """Write a row's bytes as a member of their own and return its name; None where there are none."""
        content = table.model._default_manager.filter(pk=row.pk).values_list(name, flat=True).get()
        if content is None:
            return None
        content = bytes(content)
        told = {each.name: as_json(getattr(row, each.attname)) for each in table.columns if each.name != name}
        member = table.bytes_at.format(**{**told, "sha256": hashlib.sha256(content).hexdigest()})
        if not (self.folder / member).exists():
            with new_member(self.folder, member) as file:
                file.write(content)
        return member


def inner(value: Any, translated: Any, table: MovingTable) -> Any:
    """A JSON column's value with its database keys, or the keys in their places, translated to the other."""
    if isinstance(value, list):
        return [inner(each, translated, table) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: translated(name, each) if name in table.inside else each for name, each in value.items()}


def members_in(folder: Path) -> Iterator[str]:
    """The members that were written into a folder, sorted."""
    yield from sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
