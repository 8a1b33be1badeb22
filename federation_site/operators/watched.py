"""The lines of the page of operations, and how long and how much they say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


@dataclass(frozen=True, slots=True)
class WatchedFigure:
    """One thing that is watched: how it stands, and what to do where it is not in order."""

    label: str
    value: str
    mend: str = ""
    """Words on what to do; empty: it is in order."""


@dataclass(frozen=True, slots=True)
class WatchedTopic:
    """Figures of one kind, under their heading."""

    title: str
    figures: list[WatchedFigure]


def ago(at: datetime, now: datetime) -> str:
    """The time since a moment, in words: “3 minutes ago”; a moment ahead of the clock is just now."""
    return _("%(time)s ago") % {"time": lasting((now - at).total_seconds())}


def lasting(seconds: float) -> str:
    """A duration in its largest whole unit: “3 minutes”, “2 days”."""
    whole = max(0, round(seconds))
    size, unit = next((each for each in _UNITS if whole >= each[0]), _UNITS[-1])
    count = whole // size
    words = {
        "day": ngettext("%d day", "%d days", count),
        "hour": ngettext("%d hour", "%d hours", count),
        "minute": ngettext("%d minute", "%d minutes", count),
        "second": ngettext("%d second", "%d seconds", count),
    }
    return words[unit] % count
