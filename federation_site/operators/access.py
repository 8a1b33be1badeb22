"""Access for those who run the site: addresses of OPERATORS that have an account and a second factor."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from players.office.access import sign_in_first

Page = Callable[[HttpRequest], HttpResponse]


def operator_addresses() -> frozenset[str]:
    """The addresses of OPERATORS, in lower case, as accounts have theirs."""
    return frozenset(address.strip().lower() for _name, address in settings.ADMINS)


def is_operator(user: Any) -> bool:
    return bool(user.is_authenticated and user.email in operator_addresses())


def operators_only(page: Page) -> Callable[[HttpRequest], HttpResponseBase]:
    """Mark a page for operators. Whoever is signed out signs in first, an operator without second factor adds
    one first; for everybody else there is no such page.
    """

    @wraps(page)
    def inner(request: HttpRequest) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return sign_in_first(request)
        if not is_operator(request.user):
            raise Http404
        if not is_mfa_enabled(request.user):
            messages.warning(request, _("The page of operations asks for a second factor: add one here."))
            return redirect("mfa_index")
        return page(request)

    inner.permission = "operators"  # type: ignore[attr-defined]
    return inner


def operator_context(request: HttpRequest) -> dict[str, bool]:
    """Template context: `operator`, whether the account's menu leads to the page of operations."""
    return {"operator": hasattr(request, "user") and is_operator(request.user)}
