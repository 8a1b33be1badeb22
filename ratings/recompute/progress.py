"""The progress of an office's ledger, and its trouble, for pages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from players.office.models import Federation, Ledger

_SECTION = re.compile(r"\(\w+ ([^ ()]+/[^ ()]+)\)")


@dataclass(frozen=True, slots=True)
class Trouble:
    """A fold that stopped: its message, and the section that it names."""

    words: str
    section: str
    url: str


def state_of(federation: Federation, ledger: Ledger) -> dict[str, Any]:
    """The context of `components/progress.html` for the pending work."""
    working = ledger.folded > 0
    return {
        "words": _("Working out the ratings") if working else _("Waiting for the worker"),
        "done": ledger.folded,
        "total": ledger.to_fold or None,
        "url": reverse("ratings:progress", args=[federation.code]),
    }


def trouble_of(federation: Federation, ledger: Ledger) -> Trouble | None:
    """The trouble that keeps the ratings from moving, or None."""
    if not ledger.last_error:
        return None
    named = _SECTION.search(ledger.last_error)
    key = named[1] if named else ""
    return Trouble(
        ledger.last_error, key, f"{federation.get_absolute_url()}events/{key}/review/" if key else ""
    )
