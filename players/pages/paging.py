"""Pagination of tables by the address."""

from __future__ import annotations

from typing import Any

import django_tables2 as tables
from django.core.paginator import EmptyPage, PageNotAnInteger, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest

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
