"""Forms that create something only once, even if a double click or a reload sends them twice."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from uuid import uuid4

from django import forms
from django.http import HttpRequest

from players.access import OfficeRequest


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


def error_status(request: HttpRequest, status: int) -> int:
    """The status of an error page: 200 for htmx, which shows no page with another one."""
    return 200 if request.headers.get("HX-Request") else status
