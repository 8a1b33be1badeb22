"""The draft of a long registration: kept with the sign-in of whoever types it, not in the office's data."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from uuid import UUID

from players.office.access import OfficeRequest, Permission
from tournaments.events.models import Event
from tournaments.forms.registration_steps import Typed

KEPT = "registrations"
MOST_DRAFTS = 3
"""Registrations that one person can have begun and not sent; the oldest makes room."""
MADE = "registrations_made"
MOST_MADE = 10
"""The finished registrations of one sign-in of which it is kept what they made."""


@dataclass(slots=True)
class Draft:
    """Answers so far, and the steps through which the person has gone."""

    key: str
    typed: Typed = field(default_factory=dict)
    passed: list[str] = field(default_factory=list)
    """Keys of the steps that were sent to go on: what is wrong in them is told."""
    reviewed: bool = False
    """Whether the review was reached, to which a corrected step then leads back."""

    def digest(self) -> str:
        """A digest of the answers, which the review sends along, so that no others are registered."""
        return hashlib.sha256(json.dumps(self.typed, sort_keys=True).encode()).hexdigest()

    def pass_step(self, key: str) -> None:
        self.passed = [*(each for each in self.passed if each != key), key]

    def reopen_step(self, key: str) -> None:
        self.passed = [each for each in self.passed if each != key]


def key_in(request: OfficeRequest) -> str:
    """The draft that the address names, if it names one at all."""
    try:
        return str(UUID(request.GET.get("draft", "")[:36]))
    except ValueError:
        return ""


def find_draft(request: OfficeRequest, key: str) -> Draft | None:
    kept = request.session.get(KEPT, {}).get(key)
    if not kept or kept["office"] != request.office.code:
        return None
    return Draft(key, kept["typed"], kept["passed"], kept["reviewed"])


def drafts_of(request: OfficeRequest) -> list[Draft]:
    """The registrations in this office that the person has begun and not sent, the newest first."""
    found = (find_draft(request, key) for key in request.session.get(KEPT, {}))
    return [draft for draft in found if draft is not None][::-1]


def keep_draft(request: OfficeRequest, draft: Draft) -> None:
    kept = {key: each for key, each in request.session.get(KEPT, {}).items() if key != draft.key}
    newest = dict(list(kept.items())[-(MOST_DRAFTS - 1) :])
    said = {"typed": draft.typed, "passed": draft.passed, "reviewed": draft.reviewed}
    request.session[KEPT] = newest | {draft.key: {"office": request.office.code, **said}}


def forget_draft(request: OfficeRequest, draft: Draft) -> None:
    kept = {key: each for key, each in request.session.get(KEPT, {}).items() if key != draft.key}
    request.session[KEPT] = kept


def note_made(request: OfficeRequest, draft: Draft, event: Event) -> None:
    """Forget a draft, and keep which event it became: whoever goes back in the browser is told."""
    forget_draft(request, draft)
    made = {**request.session.get(MADE, {}), draft.key: [request.office.code, event.number]}
    request.session[MADE] = dict(list(made.items())[-MOST_MADE:])


def made_of(request: OfficeRequest, key: str) -> Event | None:
    """The event that a draft of this sign-in became, where the person may still open it."""
    office, number = request.session.get(MADE, {}).get(key, ("", ""))
    if office != request.office.code:
        return None
    events = Event.objects.within(request.rights, Permission.SECTIONS_FILE).select_related("federation")
    found: Event | None = events.filter(number=number).first()
    return found
