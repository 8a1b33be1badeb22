"""A `Reading` as JSON and back: the form in which it leaves the box. The dataclasses are the whole schema."""

import dataclasses
import json
from typing import Any, TypeVar

from tournaments.formats.common.sheet import Reading

Record = TypeVar("Record")


def dump(record: Any) -> bytes:
    """Write a `Reading`, or any frozen dataclass of its types, as one line of JSON."""
    return json.dumps(dataclasses.asdict(record), default=str, separators=(",", ":")).encode()


def load(output: bytes) -> Reading:
    return load_as(Reading, output)


def load_as(kind: type[Record], output: bytes) -> Record:
    """Read back what `dump` wrote; other bytes raise ValueError."""
    import msgspec  # a tenth of the child's time, which only writes

    try:
        return msgspec.json.decode(output, type=kind)
    except RecursionError as error:
        raise ValueError("It is nested more deeply than any record") from error
