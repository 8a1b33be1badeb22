"""Cuts long lists into pages that begin after the last row seen: no page costs more than the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict

from ratings.lists.models import ListRow, ListRowQuerySet

PAGE = 50


@dataclass(frozen=True, slots=True)
class Cut:
    """One page of a published list, and the query strings that lead to the pages above and below it."""

    rows: Sequence[ListRow]
    earlier: str = ""
    """The query of the page above; empty if there is none."""
    later: str = ""


def cut(rows: ListRowQuerySet, asked: QueryDict, size: int = PAGE) -> Cut:
    """Take from a list the page that `?after=50` or `?before=101` asks for, by position; the first page where
    neither is a number.
    """
    before, after = _number(asked.get("before")), _number(asked.get("after"))
    if before is not None:
        found = rows.until(before, size + 1)
        more, found = len(found) > size, found[-size:]
        return Cut(
            found, _query(asked, before=found[0].position) if more else "", _query(asked, after=before - 1)
        )
    after = after or 0
    found = rows.after(after, size + 1)
    more, found = len(found) > size, found[:size]
    earlier = _query(asked, before=after + 1) if after else ""
    return Cut(found, earlier, _query(asked, after=found[-1].position) if more else "")


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None


def _query(asked: QueryDict, **key: int) -> str:
    query = asked.copy()
    for name in ("before", "after", "player"):
        query.pop(name, None)
    for name, value in key.items():
        query[name] = str(value)
    return f"?{query.urlencode()}"
