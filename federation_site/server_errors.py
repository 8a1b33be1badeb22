"""The page for a server error: a bug, or a database that is away, busy or full.

It uses neither session nor database, which may have failed.
"""

import sys

from django.db import InterfaceError, InternalError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.utils.translation import gettext as _

from players.jobs import BUSY_WORDS

FaultPage = tuple[int, str, int]
"""The status, the template, and the seconds after which to try again, if any."""
BUG_PAGE: FaultPage = (500, "500.html", 0)
DATABASE_AWAY_PAGE: FaultPage = (503, "database_away.html", 30)
DATABASE_BUSY_PAGE: FaultPage = (503, "database_busy.html", 10)
DATABASE_FULL_PAGE: FaultPage = (507, "database_full.html", 60)
_MARKS = {
    **dict.fromkeys(BUSY_WORDS, DATABASE_BUSY_PAGE),
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


def fault_advice(error: BaseException | None) -> tuple[str, str]:
    """What is wrong with the database by an error, empty if nothing is, and what its operator can do."""
    page = fault_page(error)
    if page == DATABASE_AWAY_PAGE:
        return _("The database does not answer"), _(
            "See that its server runs and answers, and that DATABASE_URL is right. All goes on by itself when"
            " it does."
        )
    if page == DATABASE_BUSY_PAGE:
        return _("The database is busy"), _(
            "Something held it for longer than others wait. If it comes again, look for what writes for so"
            " long."
        )
    if page == DATABASE_FULL_PAGE:
        return _("Nothing can be stored"), _(
            "Make room on the disk of the database, or look at the rights of its folder. Nothing that was"
            " acknowledged is lost."
        )
    return "", _(
        "It is a mistake of the program, and nothing of what failed was stored. Send this letter to the"
        " maintainers."
    )


def fault_page(error: BaseException | None) -> FaultPage:
    """The page for an error by its causes."""
    while error is not None:
        if isinstance(error, (OperationalError, InterfaceError, InternalError)):
            words = str(error).lower()
            marked = next((page for mark, page in _MARKS.items() if mark in words), None)
            return marked or (BUG_PAGE if isinstance(error, InternalError) else DATABASE_AWAY_PAGE)
        error = error.__cause__ or error.__context__
    return BUG_PAGE
