"""Parts that lists share: columns of numbers, ratings, points and stages, and pagination by the address."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import django_tables2 as tables
from django.core.paginator import EmptyPage, PageNotAnInteger, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from players.templatetags.ui import delta, difference, rating, stage_badge

WIDE = {"th": {"class": "num wide"}, "td": {"class": "num wide"}}
"""For a column of numbers hidden on a phone, where the cell that names the row shows the number."""


class NumberColumn(tables.Column):
    """A column of numbers, digits under digits."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("attrs", {"th": {"class": "num"}, "td": {"class": "num"}})
        super().__init__(*args, **kwargs)


class RatingColumn(NumberColumn):
    """A column of ratings with the office's decimals."""

    def __init__(self, *args: Any, places: int = 1, **kwargs: Any) -> None:
        self.places = places
        super().__init__(*args, **kwargs)

    def render(self, value: Decimal) -> str:
        return rating(value, self.places)


class DeltaColumn(RatingColumn):
    """A column of points gained or lost, each with an arrow and words."""

    def render(self, value: Decimal) -> str:
        shown: SafeString = delta(value, self.places)
        return shown


class DifferenceColumn(DeltaColumn):
    """A column of the points between two ratings of the row, as the columns of these show them."""

    def __init__(self, before: str, after: str, **kwargs: Any) -> None:
        """Make the column; `before` and `after`: the names of the two on the record."""
        super().__init__(**kwargs)
        self.names = before, after

    def render(self, value: Decimal, record: Any) -> str:  # type: ignore[override]
        before, after = (getattr(record, name) for name in self.names)
        shown: SafeString = difference(before, after, self.places)
        return shown


class StageColumn(tables.Column):
    """A column with the stage of each section as a badge."""

    def render(self, value: Any, record: Any) -> str:
        stage = self.accessor.resolve(record) if self.accessor else value  # `value` may be the choice's words
        return render_to_string("components/stage.html", stage_badge(stage))


# ---- Pagination of tables by the address.
ROWS = 50


class LastPagePaginator(Paginator):  # type: ignore[type-arg]
    """A paginator that gives the last page past the end, and the first for what is no number."""

    def validate_number(self, number: float | str) -> int:
        try:
            return super().validate_number(number)
        except PageNotAnInteger:
            return 1
        except EmptyPage:
            return self.num_pages


def paged(table: tables.Table, request: HttpRequest, rows: int = ROWS) -> tables.Table:
    """The table, cut to the page that `?page=` asks for, or `?PREFIXpage=` where the table has a prefix.

    Rows that tie are ordered by their keys: each page is a query of its own, and a database may answer
    two of them with ties in another order, one row on both pages and one on none.
    """
    if isinstance(table.data.data, QuerySet):
        table.data.data = _without_ties(table.data.data)
    page = request.GET.get(table.prefixed_page_field, 1)
    table.paginate(page=page, per_page=rows, paginator_class=LastPagePaginator)
    return table


def _without_ties(rows: QuerySet[Any]) -> QuerySet[Any]:
    order = rows.query.order_by or tuple(rows.model._meta.ordering or ())
    return rows if {"pk", "-pk"} & {*order} else rows.order_by(*order, "pk")
