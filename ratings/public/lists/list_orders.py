"""The orders in which a reader may have a published list, and the page of one that an address asks for."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from django.db.models import F, Q
from django.http import QueryDict

from ratings.lists.models import Gained, ListRow, ListRowQuerySet

PAGE = 50
PLACE = ("after", "before", "player")
"""The words of an address that say which page of an order is wanted."""


class Places(NamedTuple):
    """The rows of a list in one order, eight bytes each."""

    positions: Sequence[int]
    """The rows' positions in the list, in the order."""
    numbers: Sequence[int]
    """The rows' numbers in the order, by position; 0: no such row is in it."""

    def has(self, position: int | None) -> bool:
        return position is not None and position < len(self.numbers) and self.numbers[position] > 0

    def beside(self, position: int | None, backwards: bool, size: int) -> Sequence[int]:
        """The positions behind a row, or before it and then the nearest first: one more than a page. From
        the beginning without a row.
        """
        number = self.numbers[position] if position is not None else 0
        if backwards:
            return self.positions[max(0, number - size - 2) : max(0, number - 1)][::-1]
        return self.positions[number : number + size + 1]


@dataclass(frozen=True, slots=True)
class ListOrder:
    """One order of a list's rows. Rows that tie stand as the list has them, and newcomers, who gained
    nothing yet, last.
    """

    name: str
    """As addresses write it; `-` stands before it where the largest comes first."""
    keys: tuple[str, ...]
    """The fields of a row to order by, the same `-` before them; the last is always the position."""

    @property
    def by_position(self) -> bool:
        return self.keys == ("position",)

    @property
    def by_name(self) -> bool:
        """Whether no index of the list's rows has this order."""
        return any(key.lstrip("-").startswith("player__") for key in self.keys)

    def places(self, rows: ListRowQuerySet) -> Places:
        """The places of all rows in this order."""
        positions = array("I", self.sort(rows).values_list("position", flat=True))
        numbers = array("I", bytes(4 * (max(positions, default=0) + 1)))
        for number, position in enumerate(positions, start=1):
            numbers[position] = number
        return Places(positions, numbers)

    def sort(self, rows: ListRowQuerySet, *, backwards: bool = False) -> ListRowQuerySet:
        """The rows in this order, or the other way round."""
        return self.reckon(rows).order_by(*(_direction(key, backwards) for key in self.keys))

    def reckon(self, rows: ListRowQuerySet) -> ListRowQuerySet:
        """The rows with what was gained, where the order wants it."""
        return rows.alias(gained=GAINED) if "gained" in self.keys[0] else rows

    def beyond(self, rows: ListRowQuerySet, row: Sequence[Any], *, backwards: bool = False) -> Q:
        """The condition that rows stand after one with these values of the keys, or before it."""
        found, tied = Q(), Q()
        for key, value in zip(self.keys, row, strict=True):
            found |= tied & _past(key, value, backwards)
            tied &= Q(**{f"{_field(key)}__isnull": True}) if value is None else Q(**{_field(key): value})
        return found


GAINED = Gained("rating", "previous")
BY_RANK = ListOrder("rank", ("position",))
ORDERS: Mapping[str, ListOrder] = MappingProxyType(
    {
        order.name: order
        for order in (
            BY_RANK,
            ListOrder("-rank", ("-position",)),
            ListOrder("-rating", ("position",)),
            ListOrder("rating", ("-position",)),
            # A place among the names would tell of somebody withheld what theirs begins with.
            ListOrder("player", ("player__withheld", "player__sort_key", "position")),
            ListOrder("-player", ("player__withheld", "-player__sort_key", "position")),
            ListOrder("moved", ("gained", "position")),
            ListOrder("-moved", ("-gained", "position")),
            ListOrder("games", ("games", "position")),
            ListOrder("-games", ("-games", "position")),
        )
    }
)


@dataclass(frozen=True, slots=True)
class Cut:
    """One page of a published list, and the query strings that lead to the pages above and below it."""

    rows: Sequence[ListRow]
    earlier: str = ""
    """The query of the page above; empty if there is none."""
    later: str = ""


def cut(
    rows: ListRowQuerySet,
    asked: QueryDict,
    order: ListOrder = BY_RANK,
    size: int = PAGE,
    places: Places | None = None,
) -> Cut:
    """Take from a list the page that `?after=50` or `?before=101` asks for: the rows after, or before, the
    one at that position of the list. The first page where neither is such a number. No page counts or skips
    the rows before it. `places`: those of all these rows in the order, where they are known.
    """
    before, after = number_in(asked.get("before")), number_in(asked.get("after"))
    backwards = before is not None
    at = before if backwards else after
    if places is not None:
        there = places.has(at)
        backwards = backwards and there
        found = _rows_at(rows, places.beside(at if there else None, backwards, size))
    else:
        anchor = _keys_of(rows, order, at)
        there = anchor is not None
        backwards = backwards and there
        if anchor is not None:
            rows = order.reckon(rows).filter(order.beyond(rows, anchor, backwards=backwards))
        found = list(order.sort(rows, backwards=backwards)[: size + 1])
    more, found = len(found) > size, found[:size]
    above, below = (more, True) if backwards else (there, more)
    if backwards:
        found.reverse()
    if not found:
        return Cut(found, earlier=_query(asked) if there else "")
    return Cut(
        found,
        earlier=_query(asked, before=found[0].position) if above else "",
        later=_query(asked, after=found[-1].position) if below else "",
    )


def _rows_at(rows: ListRowQuerySet, places: Sequence[int]) -> list[ListRow]:
    found = {row.position: row for row in rows.filter(position__in=list(places))}
    return [found[place] for place in places]


def number_in(text: str | None) -> int | None:
    """The number that a text of an address is; None where it is none, or one that no list reaches."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None


def _keys_of(rows: ListRowQuerySet, order: ListOrder, position: int | None) -> Sequence[Any] | None:
    """The values of an order's keys in the row at a position; None: there is none to look for."""
    if not position:
        return None
    if set(order.keys) <= {"position", "-position"}:
        return (position,)
    fields = [_field(key) for key in order.keys]
    there = rows.alias(gained=GAINED).filter(position=position)
    return there.annotate(**({"gained": GAINED} if "gained" in fields else {})).values_list(*fields).first()


def _field(key: str) -> str:
    return key.removeprefix("-")


def _direction(key: str, backwards: bool) -> Any:
    """A field in its direction; newcomers, who have gained nothing, last, so first the other way round."""
    field, down = F(_field(key)), key.startswith("-") is not backwards
    if _field(key) != "gained":
        return field.desc() if down else field.asc()
    ends = {"nulls_first": True} if backwards else {"nulls_last": True}
    return field.desc(**ends) if down else field.asc(**ends)


def _past(key: str, value: Any, backwards: bool) -> Q:
    """The condition that a row's field comes after a value in the key's direction."""
    field, down = _field(key), key.startswith("-") is not backwards
    if value is None:
        return Q(**{f"{field}__isnull": False}) if backwards else Q(pk__in=[])
    past = Q(**{f"{field}__{'lt' if down else 'gt'}": value})
    return past | Q(**{f"{field}__isnull": True}) if field == "gained" and not backwards else past


def _query(asked: QueryDict, **key: int) -> str:
    query = asked.copy()
    for name in PLACE:
        query.pop(name, None)
    for name, value in key.items():
        query[name] = str(value)
    return f"?{query.urlencode()}"
