"""Forms that make something new: sent twice, by a double click or a reload, they make it only once."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from uuid import uuid4

from django import forms
from django.http import HttpRequest

from players.access import OfficeRequest


class OnceField(forms.UUIDField):
    """A hidden number that the page draws anew each time it is opened, and its form brings along."""

    def __init__(self) -> None:
        super().__init__(required=False, initial=uuid4, widget=forms.HiddenInput)


class OnceForm(forms.Form):
    """The number alone, for pages whose other fields stand in a formset."""

    once = OnceField()


def mark_of(request: OfficeRequest) -> str:
    """A digest of what a person sent with one opened page; empty if the page drew no number.

    Whoever goes back and sends the page with other words, or another file, means something else by it.
    """
    if not request.POST.get("once"):
        return ""
    sent = {name: values for name, values in request.POST.lists() if name != "csrfmiddlewaretoken"}
    files = {name: [_digest_of(file) for file in given] for name, given in request.FILES.lists()}
    told = json.dumps([request.user.pk, request.path, sent, files], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()


def _digest_of(file: Any) -> str:
    digest = hashlib.sha256()
    for part in file.chunks():
        digest.update(part)
    file.seek(0)
    return digest.hexdigest()


def error_status(request: HttpRequest, status: int) -> int:
    """The status of a page that tells of an error: 200 to htmx, which shows no page with any other."""
    return 200 if request.headers.get("HX-Request") else status
