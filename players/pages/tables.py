"""Shared parts of tables: columns of numbers, ratings, points and stages, and pagination."""

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
"""For a column of numbers that is hidden on a phone, where the cell that names the row shows the number."""


class NumberColumn(tables.Column):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("attrs", {"th": {"class": "num"}, "td": {"class": "num"}})
        super().__init__(*args, **kwargs)


class RatingColumn(NumberColumn):
    """A column of ratings; a table sets the office's decimals."""

    places = 1

    def render(self, value: Decimal) -> str:
        return rating(value, self.places)


class DeltaColumn(RatingColumn):
    """A column of points gained or lost, with arrows and words."""

    def render(self, value: Decimal) -> str:
        shown: SafeString = delta(value, self.places)
        return shown


class DifferenceColumn(DeltaColumn):
    """The difference of two shown ratings; `before` and `after`: the record's attributes with them."""

    def __init__(self, before: str, after: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.names = before, after

    def render(self, value: Decimal, record: Any) -> str:  # type: ignore[override]
        before, after = (getattr(record, name) for name in self.names)
        shown: SafeString = difference(before, after, self.places)
        return shown


class StageColumn(tables.Column):
    def render(self, value: Any, record: Any) -> str:
        stage = self.accessor.resolve(record) if self.accessor else value  # `value` may be the choice's words
        return render_to_string("components/stage.html", stage_badge(stage))


# ---- Pagination
ROWS = 50


class LastPagePaginator(Paginator):  # type: ignore[type-arg]
    """A paginator that shows the last page for numbers past the end, and the first for invalid ones."""

    def validate_number(self, number: float | str) -> int:
        try:
            return super().validate_number(number)
        except PageNotAnInteger:
            return 1
        except EmptyPage:
            return self.num_pages


def paged(table: tables.Table, request: HttpRequest) -> tables.Table:
    """Paginate a table by `?page=`, or `?PREFIXpage=` if it has a prefix, and return it.

    Ties are ordered by primary key: each page is a query of its own, and a database may answer two of them
    with ties in another order, so that one row is on both pages and one on none.
    """
    data = table.data.data
    if isinstance(data, QuerySet):
        order = data.query.order_by or tuple(data.model._meta.ordering or ())
        table.data.data = data if {"pk", "-pk"} & {*order} else data.order_by(*order, "pk")
    page = request.GET.get(table.prefixed_page_field, 1)
    table.paginate(page=page, per_page=ROWS, paginator_class=LastPagePaginator)
    return table
