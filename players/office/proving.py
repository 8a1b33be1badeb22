"""Proving who one is: the way to a second factor where an office asks for one, and being asked again."""

from __future__ import annotations

from allauth.account.internal.flows.reauthentication import did_recently_reauthenticate
from allauth.core.exceptions import ReauthenticationRequired
from allauth.mfa.utils import is_mfa_enabled
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from players.office.models import Federation
from players.office.office_settings import settings_of


def lead_to_second_factor(request: HttpRequest, office: Federation) -> HttpResponseBase | None:
    """The way to adding a second factor, for who has none in an office that asks for one; else None."""
    if not settings_of(office).second_factor or is_mfa_enabled(request.user):
        return None
    if "HX-Request" in request.headers:
        return whole_page()
    messages.warning(request, _("%(office)s asks for a second factor: add one here.") % {"office": office})
    return redirect("mfa_index")


def ask_again(request: HttpRequest) -> HttpResponseBase | None:
    """None if the person has proved who they are within `ACCOUNT_REAUTHENTICATION_TIMEOUT`, by the second
    factor where they have one. Else they are asked, and then go on where they were: a form is kept.
    """
    if did_recently_reauthenticate(request):
        return None
    if "HX-Request" in request.headers:
        return whole_page()
    raise ReauthenticationRequired


def whole_page() -> HttpResponse:
    """For a part of a page: load the whole of it, which then asks."""
    return HttpResponse(headers={"HX-Refresh": "true"})
