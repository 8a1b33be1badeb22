"""The mailbox of a demo: letters as they would have been sent, where no mail server is set.

They hold links that open accounts. So it is open only where every office is an invented one, and never in
production.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes, policy
from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from players.office.access import OfficeRequest, signed_in
from players.office.models import Federation

MOST = 100
"""The number of letters that the page lists, the newest first."""
BETWEEN = b"-" * 79 + b"\n"
"""The line that Django's backend writes after each letter of a file."""


@dataclass(frozen=True, slots=True)
class KeptLetter:
    """A letter that lies as a file."""

    name: str
    to: str
    subject: str
    at: datetime | None
    text: str
    html: str


def mailbox_is_open() -> bool:
    """Whether letters lie as files, of a demo alone."""
    to_files = settings.EMAIL_BACKEND.endswith("filebased.EmailBackend")
    if settings.PRODUCTION or not to_files:
        return False
    demos = set(Federation.objects.values_list("demo", flat=True))
    return demos == {True}


@signed_in
@never_cache
@require_safe
def mailbox(request: OfficeRequest) -> HttpResponse:
    _refuse_closed()
    return render(request, "own_page/mailbox.html", {"letters": list(letters())[:MOST]})


@signed_in
@never_cache
@require_safe
def mailbox_letter(request: OfficeRequest, name: str) -> HttpResponse:
    """A letter's HTML by itself, as a mail program shows it, with styles of its own."""
    _refuse_closed()
    found = next((each for each in letters() if each.name == name and each.html), None)
    if found is None:
        raise Http404
    answer = HttpResponse(found.html)
    answer._csp_replace = {"style-src": ["'unsafe-inline'"]}  # type: ignore[attr-defined]
    return answer


def letters() -> Iterator[KeptLetter]:
    """Yield the letters that lie as files, the newest first."""
    folder = Path(getattr(settings, "EMAIL_FILE_PATH", "") or "")
    for path in sorted(folder.glob("*.log"), reverse=True):
        parts = [part for part in path.read_bytes().split(BETWEEN) if part.strip()]
        for number, part in reversed(list(enumerate(parts, start=1))):
            yield _read(f"{path.stem}.{number}", part)


def _read(name: str, data: bytes) -> KeptLetter:
    message = message_from_bytes(data, policy=policy.default)
    text, html = (message.get_body(preferencelist=(kind,)) for kind in ("plain", "html"))
    return KeptLetter(
        name,
        str(message["To"]),
        str(message["Subject"]),
        getattr(message["Date"], "datetime", None),
        text.get_content() if text else "",
        html.get_content() if html else "",
    )


def _refuse_closed() -> None:
    if not mailbox_is_open():
        raise Http404
