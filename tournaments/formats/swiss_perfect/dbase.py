"""Tables of dBase III, as SwissPerfect keeps players and scores: fields by their names, records in order."""

from collections.abc import Iterator
from dataclasses import dataclass

_HEAD, _FIELD, _END_OF_FIELDS = 32, 32, 0x0D
_DELETED = ord("*")
MOST_RECORDS = 20_000
DBaseRecord = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    start: int
    length: int


class NoTable(Exception):
    """Bytes that are no table of dBase III, or a table that is cut off."""


def records_of(data: bytes) -> list[DBaseRecord]:
    """The records of a table: for each the bytes of its fields, by the field's name. Raises `NoTable`."""
    if len(data) < _HEAD:
        raise NoTable
    count, head, width = (int.from_bytes(data[a:b], "little") for a, b in ((4, 8), (8, 10), (10, 12)))
    fields = list(_fields(data[:head]))
    if not fields or count > MOST_RECORDS or fields[-1].start + fields[-1].length > width:
        raise NoTable
    rows = [data[head + at * width : head + (at + 1) * width] for at in range(count)]
    if any(len(row) < width for row in rows):
        raise NoTable
    return [
        {field.name: row[field.start : field.start + field.length].strip(b" \0") for field in fields}
        for row in rows
        if row[0] != _DELETED
    ]


def _fields(head: bytes) -> Iterator[_Field]:
    start = 1  # behind the mark of a deleted record
    for at in range(_HEAD, len(head), _FIELD):
        field = head[at : at + _FIELD]
        if field[0] == _END_OF_FIELDS or len(field) < _FIELD:
            return
        name = field[:11].split(b"\0")[0].decode("ascii", "replace").strip().upper()
        yield _Field(name, start, field[16])
        start += field[16]
