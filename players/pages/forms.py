"""How a view decides by a form; and forms that create something only once, even if a double click or a reload
sends them twice.

The forms themselves are in `tournaments.pages.forms` (regions) and `ratings.pages.forms` (the office).
"""

import hashlib
import json
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.core.exceptions import NON_FIELD_ERRORS
from django.db import transaction
from django.http import HttpRequest

from players.access import OfficeRequest
from players.record import Refused, lock_ledger
from players.settings import today


class OnceField(forms.UUIDField):
    """A hidden random number, new each time the page is opened, that the form sends along."""

    def __init__(self) -> None:
        super().__init__(required=False, initial=uuid4, widget=forms.HiddenInput)


class OnceForm(forms.Form):
    """The number alone, for pages with a formset."""

    once = OnceField()


def posted_form_digest(request: OfficeRequest) -> str:
    """A digest of all that a form sent, with its files; empty if the page has no `OnceField`.

    It covers everything because the same page may be sent again with other values on purpose.
    """
    if not request.POST.get("once"):
        return ""
    sent = {name: values for name, values in request.POST.lists() if name != "csrfmiddlewaretoken"}
    files = {name: [_file_digest(file) for file in files] for name, files in request.FILES.lists()}
    data = json.dumps([request.user.pk, request.path, sent, files], sort_keys=True)
    return hashlib.sha256(data.encode()).hexdigest()


def _file_digest(file: Any) -> str:
    digest = hashlib.sha256()
    for part in file.chunks():
        digest.update(part)
    file.seek(0)
    return digest.hexdigest()


def parse_number(text: str | None, most_digits: int = 18) -> int | None:
    """The number in an address or a form; None if it is none, or longer. No row's key has 19 digits."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) <= most_digits else None


MESSAGE = "message"
OUTDATED = 205


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of a form by which a person decides something."""

    status: int
    """200 if nothing was sent, 400 if the form has errors, 409 if the service refused; 303 if it is done;
    `OUTDATED` if the page has to be shown again.
    """
    refused: str = ""
    """The service's words, if it refused."""
    result: Any = None
    """What the service returned."""

    @property
    def done(self) -> bool:
        return self.status == 303


def attempt(
    request: OfficeRequest,
    form: forms.BaseForm | None,
    service: Callable[..., Any],
    message: object = "",
    *,
    answers: Callable[[dict[str, Any]], dict[str, Any]] = dict,
    refusal_to: str = NON_FIELD_ERRORS,
    unchanged: Callable[[], bool] | None = None,
    **terms: Any,
) -> Attempt:
    """Have a service decide what a posted form says, and show `message` on the next page if it did.

    The service gets `by`, `on`, `terms` and the form's cleaned data, or what `answers` makes of that; `form`
    is None for a button alone. A refusal becomes an error of the form at `refusal_to`, or with `MESSAGE` a
    message on the next page; the form keeps what was typed. `unchanged` says, in the transaction, whether
    what the page showed still holds; else nothing is decided, and the page is to be shown again.
    """
    if request.method != "POST":
        return Attempt(200)
    if form is not None and not form.is_valid():
        return Attempt(error_status(request, 400))
    typed = form.cleaned_data if form is not None else {}
    try:
        with transaction.atomic() if unchanged else nullcontext():
            if unchanged:
                lock_ledger(request.office)
                if not unchanged():
                    return Attempt(OUTDATED)
            result = service(by=request.user, on=today(request.office), **terms, **answers(typed))
    except Refused as refused:
        if refusal_to == MESSAGE:
            messages.error(request, str(refused))
        elif form is not None and refusal_to:
            form.add_error(refusal_to, str(refused))
        return Attempt(error_status(request, 409), str(refused))
    if message:
        messages.success(request, str(message))
    return Attempt(303, result=result)


def error_status(request: HttpRequest, status: int) -> int:
    """The status of an error page: 200 for htmx, which shows no page with another one."""
    return 200 if request.headers.get("HX-Request") else status
