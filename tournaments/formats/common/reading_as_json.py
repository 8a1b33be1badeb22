"""A `Reading` as JSON and back: the form in which it leaves the box. The dataclasses are the whole schema."""

import dataclasses
import json
import types
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from tournaments.formats.common.reading_result import Reading

Record = TypeVar("Record")


def dump(record: Any) -> str:
    """Write a `Reading`, or any frozen dataclass of its types, as JSON."""
    return json.dumps(dataclasses.asdict(record), default=str, separators=(",", ":"))


def load(text: str) -> Reading:
    return load_as(Reading, text)


def load_as(kind: type[Record], text: str) -> Record:
    """Read back what `dump` wrote; other text raises ValueError, TypeError or KeyError."""
    record: Record = _load(kind, json.loads(text))
    return record


@cache
def _fields(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _load(kind: Any, value: Any) -> Any:
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return kind(**{name: _load(hint, value[name]) for name, hint in _fields(kind).items()})
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is tuple:
        return tuple(_load(arguments[0], item) for item in value)
    if origin in (Union, types.UnionType):
        return _load_union(arguments, value)
    if origin is Literal:
        return _one_of(arguments, value)
    if kind is date:
        return date.fromisoformat(value)
    if kind is Decimal:
        return Decimal(value)
    return _plain(kind if origin is None else origin, value)


def _load_union(arguments: tuple[Any, ...], value: Any) -> Any:
    if value is None:
        return None
    kinds = [kind for kind in arguments if kind is not type(None)]
    return _load(kinds[0], value) if len(kinds) == 1 else value


def _one_of(allowed: tuple[Any, ...], value: Any) -> Any:
    if value not in allowed:
        raise ValueError(f"{value!r} is none of {allowed}")
    return value


def _plain(kind: type, value: Any) -> Any:
    if not isinstance(value, kind) or not isinstance(value, (str, int, bool, Mapping)):
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value
