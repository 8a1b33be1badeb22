"""The numbers of a regulation as dated data, and an edition's rules loaded with the numbers of a day."""

import builtins
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from importlib import import_module
from importlib.util import find_spec, resolve_name
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

from ratings.rulesets.facts import Value


# ---- Parameters
class Dated(NamedTuple):
    """A value from a day on."""

    since: date | None
    """None: from the beginning."""
    value: Value
    source: str = ""
    """Who decided it, and when; empty for the first value, whose source is the edition."""


def in_force_on(values: tuple[Dated, ...], day: date | None) -> tuple[Dated, ...]:
    """The values up to a day; for None, or a day before all of them, the first alone."""
    known = tuple(each for each in values if each.since is None or (day is not None and each.since <= day))
    return known or values[:1]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number of a regulation with its values over time, oldest first."""

    key: str
    """The clause and what it is: `30.1.standard`."""
    clause: str
    label: str
    values: tuple[Dated, ...]
    name: str = ""
    """The name of its place in messages (`{span}`), if they have one."""

    @property
    def value(self) -> Value:
        """The newest value."""
        return self.values[-1].value

    @property
    def days(self) -> Iterator[date]:
        """The days from which a value holds."""
        return (each.since for each in self.values if each.since)

    def in_force(self, day: date | None) -> "Parameter":
        """The parameter without the values that come after a day."""
        return replace(self, values=in_force_on(self.values, day))

    def with_value(self, key: str, further: Dated) -> "Parameter":
        """The parameter with a further value, if the key is its own."""
        return replace(self, values=(*self.values, further)) if key == self.key else self


def parameter(
    key: str, label: str, value: Value, *amended: tuple[date, Value, str], name: str = ""
) -> Parameter:
    """A line of a regulation's table; the clause is the key without its last part.

    `amended`: the day, the value and the source of each amendment.
    """
    values = (Dated(None, value), *(Dated(*each) for each in amended))
    return Parameter(key, key.rpartition(".")[0], label, values, name)


Rows = tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of numbers in a regulation; text in its cells is to be translated."""

    key: str
    clause: str
    label: str
    columns: tuple[str, ...]
    first_rows: Rows
    """The rows before any amendment."""
    amended: Mapping[str, tuple[Dated, ...]] = field(default_factory=dict)
    """The further values of cells, by row and column from 1: `{"3.2": (Dated(date(2027, 1, 1), 650),)}`."""
    show: Callable[[Rows], Rows] = lambda rows: rows
    """Returns the rows as readers see them, for `shown_rows`."""

    @property
    def rows(self) -> Rows:
        """The rows with the newest value of each cell."""
        return tuple(
            tuple(
                self.amended[place][-1].value if (place := f"{row}.{column}") in self.amended else value
                for column, value in enumerate(cells, start=1)
            )
            for row, cells in enumerate(self.first_rows, start=1)
        )

    @property
    def shown_rows(self) -> Rows:
        return self.show(self.rows)

    @property
    def days(self) -> Iterator[date]:
        """The days from which a value of a cell holds."""
        return (each.since for values in self.amended.values() for each in values if each.since)

    def cells(self) -> Iterator[Parameter]:
        """Yield each number of the table as a parameter: `59.pre-ratings.3.2`."""
        for row, cells in enumerate(self.first_rows, start=1):
            for column, value in enumerate(cells, start=1):
                if isinstance(value, int | Decimal):
                    values = (Dated(None, value), *self.amended.get(f"{row}.{column}", ()))
                    yield Parameter(f"{self.key}.{row}.{column}", self.clause, self.label, values)

    def in_force(self, day: date | None) -> "Grid":
        """The table without the values that come after a day."""
        kept = {
            place: tuple(each for each in values if each.since is None or (day and each.since <= day))
            for place, values in self.amended.items()
        }
        return replace(self, amended={place: values for place, values in kept.items() if values})

    def with_value(self, key: str, further: Dated) -> "Grid":
        """The table with a further value, if the key is that of one of its cells."""
        place = key.removeprefix(f"{self.key}.")
        if place == key:
            return self
        return replace(self, amended={**self.amended, place: (*self.amended.get(place, ()), further)})


def grid(
    key: str, label: str, columns: tuple[str, ...], rows: Sequence[Sequence[Value]], **more: Any
) -> Grid:
    """A table of a regulation; the clause is the key without its last part. `more`: `amended`, `show`."""
    return Grid(key, key.rpartition(".")[0], label, columns, tuple(map(tuple, rows)), **more)


Parameters = tuple[Parameter | Grid, ...]


def in_force(parameters: Parameters, day: date | None = None) -> Parameters:
    """Parameters with the values up to a day; for None, with their first ones."""
    return tuple(each.in_force(day) for each in parameters)


def numbers_by_key(parameters: Parameters) -> dict[str, Parameter]:
    """Each number, the cells of tables too, by its key; texts are left out."""
    singles = (
        single for each in parameters for single in (each.cells() if isinstance(each, Grid) else (each,))
    )
    return {each.key: each for each in singles if isinstance(each.value, int | Decimal)}


class Numbers:
    """The numbers that rules read, by key. Each raises LookupError for a key that the table does not have."""

    def __init__(self, parameters: Parameters) -> None:
        self._values = {each.key: each.value for each in parameters if isinstance(each, Parameter)}
        self._rows = {each.key: each.rows for each in parameters if isinstance(each, Grid)}

    def decimal(self, key: str) -> Decimal:
        value = self._values[key]
        assert isinstance(value, int | Decimal)
        return Decimal(value)

    def whole(self, key: str) -> int:
        value = self._values[key]
        assert isinstance(value, int)
        return value

    def text(self, key: str) -> str:
        return str(self._values[key])

    def rows(self, key: str) -> tuple[tuple[Any, ...], ...]:
        return self._rows[key]


# ---- Rules loaded with numbers
def load_rules(
    rules: ModuleType, parameters: Parameters, replaced: Mapping[str, str] | None = None
) -> ModuleType:
    """An edition's rules with other numbers: its own source, in which `NUMBERS` has those of `parameters`.

    The modules of the folder's editions are executed again, so that what they make of numbers when they are
    imported (tables, sums) is made of these; all else that they import is what it was. `replaced`: sources
    with functions that replace those of the same name, by the name of a module of the edition's package, or
    an empty name for the edition itself.
    """
    sources = {f"{rules.__name__}.{name}".rstrip("."): text for name, text in (replaced or {}).items()}
    loaded: ModuleType = _Loader(rules.__name__, Numbers(parameters), sources).load(rules.__name__)
    return loaded


class _Loader:
    """Executes the modules of a law's editions again; `parameters` among them has the numbers given."""

    def __init__(self, name: str, numbers: Numbers, replaced: Mapping[str, str]) -> None:
        self.replaced = replaced
        parts = name.split(".")
        at = next(at for at, part in enumerate(parts) if part.startswith("edition_"))
        self.law = ".".join(parts[:at])
        table = import_module(f"{self.law}.parameters")
        self.loaded: dict[str, Any] = {table.__name__: SimpleNamespace(**{**vars(table), "NUMBERS": numbers})}
        self.builtins = {**vars(builtins), "__import__": self.import_name}

    def load(self, name: str) -> Any:
        """The module of that name, executed once for these numbers."""
        parent = name.rpartition(".")[0]
        if self.is_own(parent):
            self.load(parent)
        if name not in self.loaded:
            original = import_module(name)
            spec = original.__spec__
            assert spec
            copied: Any = ModuleType(name)
            for each in ("__file__", "__package__", "__path__", "__spec__"):
                if hasattr(original, each):
                    setattr(copied, each, getattr(original, each))
            copied.__builtins__ = self.builtins
            self.loaded[name] = copied
            assert spec.loader
            exec(spec.loader.get_code(name), copied.__dict__)  # type: ignore[attr-defined]
            if name in self.replaced:
                exec(compile(self.replaced[name], f"<replaces {name}>", "exec"), copied.__dict__)
            if parent in self.loaded:
                setattr(self.loaded[parent], name.rpartition(".")[2], copied)
        return self.loaded[name]

    def is_own(self, name: str) -> bool:
        return name in self.loaded or name.startswith(f"{self.law}.edition_")

    def import_name(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        """What Python's `import` calls in the modules that are executed again."""
        wanted = resolve_name("." * level + name, globals["__package__"]) if level and globals else name
        names = fromlist or ()
        if wanted == self.law and any(self.is_own(f"{wanted}.{each}") for each in names):
            return SimpleNamespace(**{each: self._attribute(wanted, each) for each in names})
        if not self.is_own(wanted):
            return builtins.__import__(name, globals, locals, names, level)
        module = self.load(wanted)
        for each in names if hasattr(module, "__path__") else ():
            inner = f"{wanted}.{each}"
            if each != "*" and not hasattr(module, each) and find_spec(inner):
                setattr(module, each, self.load(inner))
        return module

    def _attribute(self, package: str, name: str) -> Any:
        inner = f"{package}.{name}"
        return self.load(inner) if self.is_own(inner) else getattr(import_module(package), name)
