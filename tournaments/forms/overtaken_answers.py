"""Answers typed into an older page: shown again as a page of now, with what others saved meanwhile."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _

from tournaments.events.models import Section
from tournaments.forms.registration_steps import in_words

NOT_ASKED = ("version", "event_version", "reason")
"""Fields that are no answers about the section as it is."""


def is_older(data: QueryDict, section: Section) -> bool:
    """Whether a page showed the section, or its event, as it is not any more."""
    shown = (data.get("version", ""), data.get("event_version") or str(section.event.version))
    return shown != (str(section.version), str(section.event.version))


def brought_up(data: QueryDict, section: Section) -> QueryDict:
    """The same answers as of a page that shows the section and its event as they are now."""
    now = data.copy()
    now["version"], now["event_version"] = str(section.version), str(section.event.version)
    return now


def differing(forms_of_page: Iterable[forms.Form]) -> list[tuple[str, str]]:
    """The label of each answer that differs from what is saved by now, with what that is."""
    found: list[tuple[str, str]] = []
    for form in forms_of_page:
        for name in form.changed_data:
            if name not in NOT_ASKED and name in form.fields:
                saved: Any = form.get_initial_for_field(form.fields[name], name)
                found.append((str(form[name].label), in_words(form[name], saved) or _("nothing")))
    return found
