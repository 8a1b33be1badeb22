"""A decimal field that keeps 16 places exactly on both databases.

SQLite's decimal column holds 15 significant digits and alters a rating in silence. There the number is kept
as text of fixed width, moved up by an offset, so that text sorts as numbers do, negative ones too.
"""

from __future__ import annotations

from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

if TYPE_CHECKING:
    Base = models.Field[Any, Any]
else:
    Base = models.Field

_OFFSET = Decimal(10_000_000)
_PLACES = Decimal(1).scaleb(-16)
_EXACT = Context(prec=60)
_LOOKUPS = frozenset({"exact", "in", "lt", "lte", "gt", "gte", "range", "isnull"})


def encode(value: Decimal, vendor: str) -> Decimal | str:
    """The value that the database stores for a rating: a decimal, on SQLite text; ValueError where it does
    not fit exactly. `vendor`: the database's, as Django names it.
    """
    if not value.is_finite() or abs(value) >= _OFFSET:
        raise ValueError(f"{value} does not fit a rating column")
    exact = _EXACT.quantize(value, _PLACES)
    if exact != value:
        raise ValueError(f"{value} has more than 16 decimal places; the rules round, the database never")
    if vendor == "sqlite":
        return f"{_EXACT.add(exact, _OFFSET):025.16f}"
    return exact


def decode(value: Any, vendor: str) -> Decimal:
    """The rating that `encode` made a database value of."""
    return _EXACT.subtract(Decimal(value), _OFFSET) if vendor == "sqlite" else Decimal(value)


class ExactDecimalField(Base):
    """A model field for ratings: `numeric(24,16)`, on SQLite text of 25 characters. Sorts and compares; any
    other look-up raises TypeError.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "varchar(25)" if connection.vendor == "sqlite" else "numeric(24, 16)"

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Decimal | None:
        return None if value is None else decode(value, connection.vendor)

    def to_python(self, value: Any) -> Decimal | None:
        return None if value is None else Decimal(value)

    def get_db_prep_value(self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False) -> Any:
        if value is None or not isinstance(value, (Decimal, int, str)):
            return value
        return encode(Decimal(value), connection.vendor)

    def get_lookup(self, lookup_name: str) -> Any:
        if lookup_name not in _LOOKUPS:
            raise TypeError(f"a rating is not looked up by {lookup_name}")
        return super().get_lookup(lookup_name)

    def get_transform(self, lookup_name: str) -> Any:
        raise TypeError(f"a rating is not looked up by {lookup_name}")
