"""Writes the rows of an archive into an empty installation: other database keys, the same stable keys."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import DatabaseError, connection, models

from players.office.models import Federation, User
from ratings.journal.models import Fact
from ratings.moving.archive_file import ArchiveReader, CannotTakeIn
from ratings.moving.tables import AFTER_THE_LINES, ALL, RECORD_NUMBER, TABLES, MovingTable
from ratings.moving.values import from_json, key_of
from ratings.moving.write_rows import OF_OFFICE, OFFICE, PEOPLE, inner

_AT_ONCE, _WITH_BYTES = 1_000, 20
"""Rows of one statement; fewer where they hold files."""
NOBODY = "person-{number}@{code}.invalid"
"""The address of a person who came with an archive: no letter can go there, and nobody signs in with it."""


class _ReadRow(NamedTuple):
    """A row that is read but not written: its key, its links, and its own row that it names below it."""

    row: models.Model
    key: Any
    links: dict[str, list[Any]]
    later: dict[str, Any]


class RowReader:
    """Writes one office's tables from an archive."""

    def __init__(self, archive: ArchiveReader) -> None:
        self.archive = archive
        self.keys: dict[type[models.Model], dict[Any, int]] = {}
        """For each table that was read, the rows' database keys by stable key."""
        self.office = self._read_office()
        self._read_people()
        for table in TABLES:
            self._read(table)

    def read_after_the_lines(self) -> None:
        """Write the tables whose rows name lines of the journal, which are there by now."""
        lines = Fact.objects.filter(federation=self.office)
        self.keys[Fact] = dict(lines.values_list("number", "pk"))
        for table in AFTER_THE_LINES:
            self._read(table)
        count_on(*(table.model for table in ALL if table.record_number), User)

    def _read_office(self) -> Federation:
        [told] = self._rows(OFFICE)
        office = Federation(**{name: told[name] for name in OF_OFFICE})
        office.save(force_insert=True)
        return office

    def _read_people(self) -> None:
        """Make a person without account of each whom rows name: no password, no address, not active."""
        people = []
        for told in self._rows(PEOPLE):
            number = told[RECORD_NUMBER]
            address = NOBODY.format(number=number, code=self.office.code)
            person = User(pk=number, name=told["name"], email=address, is_active=False)
            person.set_unusable_password()
            people.append(person)
        refuse_taken(User, [person.pk for person in people])
        User.objects.bulk_create(people, batch_size=_AT_ONCE)
        self.keys[User] = {person.pk: person.pk for person in people}

    def _rows(self, member: str) -> Iterator[dict[str, Any]]:
        with self.archive.opened(member) as lines:
            for number, line in enumerate(lines, start=1):
                with named(member, number):
                    told = json.loads(line)
                yield told

    # ---------------------------------------------------------------- a table

    def _read(self, table: MovingTable) -> None:
        self.keys[table.model] = {}
        has_bytes = any(isinstance(each, models.BinaryField) for each in table.columns)
        waiting: dict[Any, _ReadRow] = {}
        later: list[tuple[int, dict[str, Any]]] = []
        for place, told in enumerate(self._rows(table.member), start=1):
            with named(table.member, place):
                read = self._read_row(table, told, place, waiting)
            waiting[read.key] = read
            if len(waiting) >= (_WITH_BYTES if has_bytes else _AT_ONCE):
                later += self._write(table, waiting)
        later += self._write(table, waiting)
        for pk, columns in later:
            found = {name: self.keys[table.model][key] for name, key in columns.items()}
            table.model._default_manager.filter(pk=pk).update(**found)

    def _read_row(
        self, table: MovingTable, told: dict[str, Any], place: int, waiting: dict[Any, _ReadRow]
    ) -> _ReadRow:
        row, later = table.model(), {}
        if table.record_number:
            row.pk = told[RECORD_NUMBER]
        for column in table.columns:
            value = told[column.name]
            if column.related_model is table.model and value is not None:
                if value in waiting:
                    self._write(table, waiting)
                if value not in self.keys[table.model]:
                    later[f"{column.name}_id"], value = value, None
            setattr(row, column.attname, self._value(table, column, value))
        if table.owner == "federation":
            row.federation_id = self.office.pk  # type: ignore[attr-defined]
        key = key_of([told[name] for name in table.key]) if table.key else row.pk or place
        links = {many.name: told[many.name] for many in table.model._meta.many_to_many}
        return _ReadRow(row, key, links, later)

    def _value(self, table: MovingTable, column: Any, value: Any) -> Any:
        if value is not None and column.related_model is not None:
            return self.keys[column.related_model][value]
        if value is not None and isinstance(column, models.BinaryField):
            return self.archive.content(value)
        if table.inside and isinstance(column, models.JSONField):
            return inner(value, lambda name, key: self.keys[table.inside[name]].get(key), table)
        return from_json(column, value)

    def _write(self, table: MovingTable, waiting: dict[Any, _ReadRow]) -> list[tuple[int, dict[str, Any]]]:
        """Write the rows that wait; return what is to be filled in once all are there, by database key."""
        some = list(waiting.values())
        waiting.clear()
        if table.record_number:
            refuse_taken(table.model, [each.row.pk for each in some])
        try:
            table.model._default_manager.bulk_create([each.row for each in some])
        except (DatabaseError, ValueError) as error:
            raise CannotTakeIn(f"{table.member}: {error}") from None
        self.keys[table.model] |= {each.key: each.row.pk for each in some}
        for many in table.model._meta.many_to_many:
            self._link(many, some)
        return [(each.row.pk, each.later) for each in some if each.later]

    def _link(self, many: Any, rows: Iterable[_ReadRow]) -> None:
        through, others = many.remote_field.through, self.keys[many.related_model]
        here, there = f"{many.m2m_field_name()}_id", f"{many.m2m_reverse_field_name()}_id"
        through._default_manager.bulk_create(
            through(**{here: each.row.pk, there: others[key]})
            for each in rows
            for key in each.links[many.name]
        )


@contextmanager
def named(member: str, line: int) -> Iterator[None]:
    """Tell of what cannot be read in which line of which member it stands."""
    try:
        yield
    except KeyError as missing:
        raise CannotTakeIn(f"{member}, line {line}: {missing} is missing") from None
    except (ValueError, TypeError, ValidationError) as error:
        raise CannotTakeIn(f"{member}, line {line}: {error}") from None


def refuse_taken(model: type[models.Model], numbers: list[int]) -> None:
    """Raise `CannotTakeIn` where a number that the record names is given out here already."""
    taken = model._default_manager.filter(pk__in=numbers).order_by("pk").values_list("pk", flat=True).first()
    if taken is not None:
        raise CannotTakeIn(
            f"The archive's record of decisions names {model._meta.verbose_name} {taken}, and another has "
            "that number here. Take the archive into an empty installation."
        )


def count_on(*tables: type[models.Model]) -> None:
    """Let the database give out numbers above those that came with rows."""
    statements = connection.ops.sequence_reset_sql(no_style(), list(tables))
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
