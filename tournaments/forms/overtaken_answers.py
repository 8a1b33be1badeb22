"""Answers typed into an older page: shown again as a page of now, with what others saved meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _

from tournaments.events.models import Event, Section
from tournaments.forms.registration_steps import in_words

NOT_ASKED = ("version", "event_version", "reason", "answer", "granted", "region")
"""Fields that are no answers about the section as it is."""
FormT = TypeVar("FormT", bound=forms.Form)


def is_older(data: QueryDict, section: Section) -> bool:
    """Whether a page showed the section, or its event, as it is not any more."""
    shown = (data.get("version", ""), data.get("event_version") or str(section.event.version))
    return shown != (str(section.version), str(section.event.version))


def brought_up(data: QueryDict, section: Section) -> QueryDict:
    """The same answers as of a page that shows the section and its event as they are now."""
    now = data.copy()
    now["version"], now["event_version"] = str(section.version), str(section.event.version)
    return now


def come_back(
    make: Callable[[QueryDict], FormT], data: QueryDict, thing: Event | Section, refused: Exception
) -> FormT:
    """A form of one event or section with what was typed and why it was refused. Where that changed since the
    page was opened, the form can be sent again, and each field tells what is saved by now.

    `thing`: as it is now; `make`: the form of it, given what was sent.
    """
    older = data.get("version") != str(thing.version)
    if older:
        data = data.copy()
        data["version"] = str(thing.version)
    form = make(data)
    form.add_error(None, str(refused))
    if older:
        _tell_saved(form)
    return form


def _tell_saved(form: forms.Form) -> None:
    """Say beside each field of a form what is saved by now, where something else was typed."""
    for name, saved in _saved_by_now(form).items():
        told = _("Saved by now: %(saved)s.") % {"saved": saved}
        form[name].help_text = f"{form[name].help_text} {told}".strip()


def differing(forms_of_page: Iterable[forms.Form]) -> list[tuple[str, str]]:
    """The label of each answer that differs from what is saved by now, with what that is."""
    return [
        (str(form[name].label), saved)
        for form in forms_of_page
        for name, saved in _saved_by_now(form).items()
    ]


def _saved_by_now(form: forms.Form) -> dict[str, str]:
    """The words of what is saved by now, by the name of each field in which something else was typed."""
    names = [name for name in form.changed_data if name not in NOT_ASKED and name in form.fields]
    return {name: _words(form, name) for name in names}


def _words(form: forms.Form, name: str) -> str:
    saved: Any = form.get_initial_for_field(form.fields[name], name)
    nothing = _("no") if isinstance(form.fields[name], forms.BooleanField) else _("nothing")
    return in_words(form[name], saved) or nothing
