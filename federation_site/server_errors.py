"""The page for a server error: a bug, or a database that is away, busy or full.

It uses neither session nor database, which may have failed.
"""

import sys

from django.db import InterfaceError, InternalError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template import loader

FaultPage = tuple[int, str, int]
"""The status, the template, and the seconds after which to try again, if any."""
BUG_PAGE: FaultPage = (500, "500.html", 0)
DATABASE_AWAY_PAGE: FaultPage = (503, "database_away.html", 30)
DATABASE_BUSY_PAGE: FaultPage = (503, "database_busy.html", 10)
DATABASE_FULL_PAGE: FaultPage = (507, "database_full.html", 60)
_MARKS = {
    "database is locked": DATABASE_BUSY_PAGE,
    "lock timeout": DATABASE_BUSY_PAGE,
    "statement timeout": DATABASE_BUSY_PAGE,
    "deadlock": DATABASE_BUSY_PAGE,
    "disk is full": DATABASE_FULL_PAGE,
    "no space left": DATABASE_FULL_PAGE,
    "disk i/o error": DATABASE_FULL_PAGE,
    "readonly": DATABASE_FULL_PAGE,
    "read-only": DATABASE_FULL_PAGE,
}
"""Pages by words in the error messages of SQLite and PostgreSQL."""


def answer_fault(request: HttpRequest) -> HttpResponse:
    """Answer a request that raised an error: 500, or 503 or 507 where the database is away, busy or full."""
    status, template, retry_after = fault_page(sys.exc_info()[1])
    page = loader.get_template(template).render({"request_id": request.META.get("REQUEST_ID", "")})
    response = HttpResponse(page, status=status)
    if retry_after:
        response["Retry-After"] = str(retry_after)
    return response


def fault_page(error: BaseException | None) -> FaultPage:
    """The page for an error by its causes."""
    while error is not None:
        if isinstance(error, (OperationalError, InterfaceError, InternalError)):
            words = str(error).lower()
            marked = next((page for mark, page in _MARKS.items() if mark in words), None)
            return marked or (BUG_PAGE if isinstance(error, InternalError) else DATABASE_AWAY_PAGE)
        error = error.__cause__ or error.__context__
    return BUG_PAGE
