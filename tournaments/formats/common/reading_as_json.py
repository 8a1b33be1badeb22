"""A `Reading` as JSON and back: the form in which it leaves the box. The dataclasses are the whole schema."""

import dataclasses
import json
import types
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from functools import cache, partial
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
    whole: Any = kind
    record: Record = _loader(whole)(json.loads(text))
    return record


@cache
def _loader(kind: Any) -> Callable[[Any], Any]:
    """A function that reads a value of a type back: made once for each type, not for each value."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _record_loader(kind)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is tuple:
        load_item = _loader(arguments[0])
        return lambda value: tuple(map(load_item, value))
    if origin in (Union, types.UnionType):
        return _union_loader(arguments)
    if origin is Literal:
        return partial(_one_of, arguments)
    if kind is date:
        return date.fromisoformat
    return Decimal if kind is Decimal else partial(_plain, kind if origin is None else origin)


def _record_loader(kind: type) -> Callable[[Any], Any]:
    loaders = [(name, _loader(hint)) for name, hint in get_type_hints(kind).items()]

    def load(value: Any) -> Any:
        # What was stored before a field existed has none: a field without a default makes it a TypeError.
        return kind(**{name: load_field(value[name]) for name, load_field in loaders if name in value})

    return load


def _union_loader(arguments: tuple[Any, ...]) -> Callable[[Any], Any]:
    kinds = [kind for kind in arguments if kind is not type(None)]
    if len(kinds) > 1:
        return lambda value: value
    load_known = _loader(kinds[0])
    return lambda value: None if value is None else load_known(value)


def _one_of(allowed: tuple[Any, ...], value: Any) -> Any:
    if value not in allowed:
        raise ValueError(f"{value!r} is none of {allowed}")
    return allowed[allowed.index(value)]  # one text for the results of all games


def _plain(kind: type, value: Any) -> Any:
    if not isinstance(value, kind) or not isinstance(value, (str, int, bool, Mapping)):
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value
