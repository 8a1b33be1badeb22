"""The progress of an office's recompute, and its trouble, in words for pages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from players.office.models import Federation, Ledger
from ratings.recompute.models import RulesVersion
from ratings.recompute.office_rules import own_rules

_SECTION = re.compile(r"\(\w+ ([^ ()]+/[^ ()]+)\)")


@dataclass(frozen=True, slots=True)
class Trouble:
    """The failure that stopped the recompute: its message, and the section at which the rules failed."""

    words: str
    section: str
    url: str


def state_of(federation: Federation, ledger: Ledger) -> dict[str, Any]:
    """The template context of the progress bar (`components/progress.html`) while a recompute is pending."""
    waits = RulesVersion.objects.waiting_in(federation, own_rules(federation)) is not None
    idle = _("Waiting for the office’s word on new rules") if waits else _("Waiting for the worker")
    return {
        "words": _("Working out the ratings") if ledger.folded > 0 else idle,
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
