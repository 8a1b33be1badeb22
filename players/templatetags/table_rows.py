"""The rows of a django-tables2 table as HTML, written in Python, as a template takes many times as long.

What a table class says holds as in django-tables2: accessors, `render_…` methods, `empty_values`, defaults,
words of choices, attributes of cells and rows.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Any

import django_tables2 as tables
from django import template
from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.utils.formats import localize
from django.utils.safestring import SafeString
from django.utils.timezone import template_localtime  # type: ignore[attr-defined]
from django_tables2.columns import BoundColumn
from django_tables2.rows import BoundRow

from players.templatetags.safe_text import filled, joined

Given = dict[str, Any]
RowAttribute = tuple[str, Any, tuple[str, ...] | None]
"""The name of a row's attribute, its value or function, and the arguments that the function takes."""
HEADER_ENDS, CELL_ENDS = filled("</th>"), filled("</td>")


register = template.Library()


@register.simple_tag
def table_rows(table: tables.Table) -> SafeString:
    """The table's rows, of the page that it shows; the cell of `row_header` names its row."""
    columns = [Cell(table, column) for column in table.columns]
    row_attributes = [(name, value, _wanted(value)) for name, value in (table.row_attrs or {}).items()]
    line = f"<tr {{}}>{''.join(column.line for column in columns)}</tr>"
    rows = (
        filled(
            line,
            _attributes_of(row, row_attributes, table),
            *chain.from_iterable(column.parts(row) for column in columns),
        )
        for row in table.paginated_rows
    )
    return joined(rows, "\n")


def _attributes_of(row: BoundRow, attributes: list[RowAttribute], table: tables.Table) -> SafeString:
    """The attributes of a row, as django-tables2 works them out, which looks each function's arguments up for
    each row.
    """
    given = {"record": row.record, "table": table}
    found: Given = {}
    for name, value, wanted in attributes:
        found[name] = value if wanted is None else value(**{each: given[each] for each in wanted})
    named = f"{found['class']} " if found.get("class") else ""
    found["class"] = named + row.get_even_odd_css_class()
    told = {name: value for name, value in found.items() if value is not None}
    return filled(" ".join(f'{name}="{{}}"' for name in told), *told.values())


def _wanted(value: Any) -> tuple[str, ...] | None:
    """The names of the arguments that the function of an attribute takes; None for a plain value."""
    if not callable(value):
        return None
    return _parameters(value) or ("record", "table")


class Cell:
    """The cells of one column: how their values are found, put into words and framed, worked out once."""

    def __init__(self, table: tables.Table, column: BoundColumn) -> None:
        self.table, self.column = table, column
        self.accessor = tables.A(column.accessor)
        way, _, self.name = self.accessor.rpartition(tables.A.SEPARATOR)
        self.way = tables.A(way) if way else None
        self.render, self.empty_values = column.render, column.column.empty_values
        self.wanted = _parameters(_function(column.render))
        self.row_header = column.name == getattr(table, "row_header", "")
        self.changing = any(callable(value) for value in _attributes(column))
        self.line = "{}{}{}" if self.changing else "{}".join(map(_literal, self._frame()))
        """The cell in the format of a row, with places for what `parts` gives."""

    def parts(self, row: BoundRow) -> tuple[Any, ...]:
        """The cell of a row: its content, or opening tag, content and closing tag where these change."""
        content = self._content(row)
        if not self.changing:
            return (_written(content),)
        self.column.current_value, self.column.current_record = content, row.record
        opening, closing = self._frame()
        return opening, _written(content), closing

    def _frame(self) -> tuple[SafeString, SafeString]:
        """The tags around a cell's content."""
        attributes = self.column.attrs["td"].as_html()
        if self.row_header:
            return filled('<th scope="row" {}>', attributes), HEADER_ENDS
        return filled('<td data-label="{}" {}>', self.column.header, attributes), CELL_ENDS

    def _content(self, row: BoundRow) -> Any:
        value = self._value(row.record)
        if value in self.empty_values:
            return self.column.default
        if self.wanted == ("value",) and not self.column.link:  # as most columns have it
            return self.render(value)
        given: Given = {
            "value": value,
            "record": row.record,
            "column": self.column.column,
            "bound_column": self.column,
            "bound_row": row,
            "table": self.table,
        }
        wanted = given if self.wanted is None else {name: given[name] for name in self.wanted}
        content = self.render(**wanted)
        return self.column.link(content, **given) if self.column.link else content

    def _value(self, record: Any) -> Any:
        """The value of a record: a choice in its words; None where there is none on the way to it."""
        holder = self.way.resolve(record, quiet=True) if self.way else record
        if isinstance(holder, models.Model):
            if _has_choices(type(holder), self.name):
                return getattr(holder, f"get_{self.name}_display")()
            if not callable(value := getattr(holder, self.name, None)):
                return value
        try:
            return self.accessor.resolve(record)
        except (ValueError, LookupError, TypeError, AttributeError):
            return None


def _written(content: Any) -> Any:
    """The content of a cell as its reader writes numbers and days."""
    if isinstance(content, str):
        return content
    if type(content) is int and -1000 < content < 1000:
        return str(content)  # the same in every language
    return localize(template_localtime(content))


def _literal(text: str) -> str:
    """A text as it stands in a format."""
    return text.replace("{", "{{").replace("}", "}}")


def _attributes(column: BoundColumn) -> Iterator[Any]:
    for part in ("td", "cell"):
        yield from column.column.attrs.get(part, {}).values()


def _function(render: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a bound method: one for all tables of a class."""
    found: Callable[..., Any] = getattr(render, "__func__", render)
    return found


@lru_cache(maxsize=1024)
def _parameters(render: Callable[..., Any]) -> tuple[str, ...] | None:
    """The names of the arguments that a column's function takes; None if it takes whatever there is."""
    parameters = inspect.signature(render).parameters
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return None
    return tuple(name for name in parameters if name != "self")


@lru_cache(maxsize=4096)
def _has_choices(model: type[models.Model], name: str) -> bool:
    try:
        field = model._meta.get_field(name)
    except FieldDoesNotExist:
        return False
    return bool(getattr(field, "choices", None))
