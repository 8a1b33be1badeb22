"""What is asked of a new player, where the file did not say it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from tournaments.checking import lacks, needed_of_players
from tournaments.models import Entry, Section
from tournaments.roster import Newcomer

OLDEST = 1900


class BirthField(forms.CharField):
    """A day (`2010-05-03`) or a year."""

    def to_python(self, value: Any) -> str:
        text = (super().to_python(value) or "").replace("/", "-")
        if not text:
            return ""
        try:
            year = date.fromisoformat(text).year if len(text) == 10 else int(text)
        except ValueError:
            year = 0
        if not OLDEST <= year <= date.max.year or len(text) not in (4, 10):
            raise ValidationError(_("Write the birth as 2010-05-03, or as a year."))
        return text


class NewcomerForm(forms.Form):
    """Only the fields that the rules read and the entry lacks."""

    # Asked only of whoever is said to be new: a browser must not ask it of a player who was found.
    use_required_attribute = False

    sex = forms.ChoiceField(label=_("Sex"), choices=[("", "—"), ("m", _("male")), ("f", _("female"))])
    birth = BirthField(
        label=_("Birth"), max_length=10, widget=forms.TextInput(attrs={"placeholder": "2010-05-03"})
    )

    def __init__(self, data: Any = None, *, entry: Entry, needed: Iterable[str]) -> None:
        super().__init__(data, prefix=f"new-{entry.number}")
        asked = {"sex": "sex", "born": "birth"}
        missing = {asked[name] for name in lacks(entry, needed)}
        for name in set(self.fields) - missing:
            del self.fields[name]


def newcomers_of(
    section: Section, numbers: Iterable[int], data: Any
) -> tuple[dict[int, Newcomer], list[str]]:
    """What a page said of entries that are new players, and what is wrong with it."""
    needed = needed_of_players(section.event.federation)
    newcomers: dict[int, Newcomer] = {}
    errors: list[str] = []
    wanted = set(numbers)
    for entry in section.entries.all():
        if entry.number not in wanted:
            continue
        form = NewcomerForm(data, entry=entry, needed=needed)
        if form.is_valid():
            newcomers[entry.number] = Newcomer(**form.cleaned_data)
        else:
            labels = ", ".join(str(form.fields[name].label) for name in form.errors)
            words = now("%(name)s: give %(fields)s first.")
            errors.append(words % {"name": entry.name, "fields": labels.lower()})
    return newcomers, errors
