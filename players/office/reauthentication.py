"""Proving who one is: the way to a second factor where an office asks for one, and being asked again."""

from __future__ import annotations

import time
from urllib.parse import urlsplit

from allauth.account.authentication import get_authentication_records
from allauth.core.exceptions import ReauthenticationRequired
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from players.office.models import Federation
from players.office.settings_schema import settings_of

READS = ("GET", "HEAD")
TO_FILL_IN = 10 * 60
"""The seconds for which a form may still be sent after the last proof has run out."""


def lead_to_second_factor(request: HttpRequest, office: Federation) -> HttpResponseBase | None:
    """Redirect a person without second factor to the page that adds one, if the office asks for one."""
    if not settings_of(office).second_factor or is_mfa_enabled(request.user):
        return None
    if "HX-Request" in request.headers:
        return whole_page()
    messages.warning(request, _("%(office)s asks for a second factor: add one here.") % {"office": office})
    return redirect("mfa_index")


def ask_again(request: HttpRequest) -> HttpResponseBase | None:
    """Ask the person who they are, by the second factor where they have one, and lead back to the page; None
    if they have proved it within `ACCOUNT_REAUTHENTICATION_TIMEOUT`.

    A form may be sent for `TO_FILL_IN` longer, so that what a page let somebody begin can be ended.
    """
    allowed = settings.ACCOUNT_REAUTHENTICATION_TIMEOUT + (0 if request.method in READS else TO_FILL_IN)
    if time.time() - proved_at(request) < allowed:
        return None
    if "HX-Request" in request.headers:
        return whole_page()
    raise ReauthenticationRequired


def proved_at(request: HttpRequest) -> float:
    """The time of this session's last proof of who it is, in seconds since 1970; 0 if there is none."""
    records = get_authentication_records(request, request.user)
    return max((float(each["at"]) for each in records if each.get("reauthenticated")), default=0.0)


def page_of(request: HttpRequest) -> str:
    """The page to come back to after a proof: this, or a form's; empty if the form stood on another site."""
    if request.method in READS:
        return request.get_full_path()
    page = urlsplit(request.headers.get("Referer", ""))
    return page.path if page.netloc == request.get_host() else ""


def whole_page() -> HttpResponse:
    """The answer to htmx, which wants a part of a page: load the whole page, which then asks who it is."""
    return HttpResponse(headers={"HX-Refresh": "true"})
