"""Facts about an event or a section beside a question, and which of them others changed meanwhile."""

from __future__ import annotations

import json
from collections.abc import Sequence

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from players.drawing.particulars_in_words import FORMATS
from tournaments.events.models import Event, Section

SEEN = "seen"
"""The hidden field in which a page brings back what it told."""
Fact = tuple[str, str]


def facts_of(thing: Event | Section) -> list[Fact]:
    """Tell an event or a section from others, and how far it has come."""
    first, last = (date_format(day, "SHORT_DATE_FORMAT") for day in (thing.starts, thing.ends))
    days = (_("Days"), f"{first} – {last}")
    if isinstance(thing, Section):
        return [
            (_("Section"), thing.name),
            days,
            (_("Format"), str(FORMATS.get(thing.format, thing.format))),
            (_("Stage"), thing.get_stage_display()),
        ]
    sections = [f"{each.name} ({each.get_stage_display()})" for each in thing.sections.order_by("code")]
    return [
        (_("Event"), thing.name),
        days,
        (pgettext("where it is played", "Place"), thing.place),
        (_("Region"), str(thing.region)),
        (_("Sections"), ", ".join(sections)),
    ]


def as_seen(facts: Sequence[Fact]) -> str:
    return json.dumps(facts)


def beside_seen(facts: Sequence[Fact], seen: str) -> list[Fact]:
    """Facts as they are now, each with what an older page told where that was another."""
    try:
        told = dict(json.loads(seen))
    except (ValueError, TypeError):
        return list(facts)
    return [(label, _beside(value, told.get(label, value))) for label, value in facts]


def _beside(value: str, before: object) -> str:
    if value == before:
        return value
    return _("%(now)s; before: %(before)s") % {"now": value or _("nothing"), "before": before or _("nothing")}
