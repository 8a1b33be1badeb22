"""Pagination of tables by the address."""

from __future__ import annotations

import django_tables2 as tables
from django.core.paginator import EmptyPage, PageNotAnInteger, Paginator
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
    """The table, cut to the page that `?page=` asks for."""
    table.paginate(page=request.GET.get("page", 1), per_page=rows, paginator_class=LastPagePaginator)
    return table
