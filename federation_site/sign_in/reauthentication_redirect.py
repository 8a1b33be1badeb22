"""Leads whoever must prove again who they are to the page for that, and back; drops the form they sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.core.exceptions import ReauthenticationRequired
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode

from players.office.reauthentication import page_of

GetResponse = Callable[[HttpRequest], HttpResponse]


def ask_who_it_is(get_response: GetResponse) -> GetResponse:
    """Make a middleware that leads a person who must prove again who they are to the page for that, and back.

    django-allauth would keep a form and send it once its page was proved: so whoever has stolen a session
    could leave a form of theirs for the owner to prove. It is dropped here instead.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        return get_response(request)

    def process_exception(request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, ReauthenticationRequired):
            return None
        ways = get_adapter().get_reauthentication_methods(request.user)
        way = ways[0]["url"] if ways else reverse("account_login")
        page = page_of(request)
        return redirect(f"{way}?{urlencode({'next': page})}" if page else way)

    marked: Any = middleware
    marked.process_exception = process_exception
    return middleware
