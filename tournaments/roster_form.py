"""What is asked of a new player, where the file did not say it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from ratings.rulesets.ruleset import Ruleset
from tournaments.checking import lacks, read_of_players, wanting
from tournaments.models import Entry, Section
from tournaments.particulars import PlainField
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
    """Only what the rules read and the entry lacks, and what the regulations want beside it."""

    # Asked only of whoever is said to be new: a browser must not ask it of a player who was found.
    use_required_attribute = False

    surname = PlainField(label=_("Surname"), max_length=100)
    first_name = PlainField(label=_("First name"), max_length=100, required=False)
    sex = forms.ChoiceField(label=_("Sex"), choices=[("", "—"), ("m", _("male")), ("f", _("female"))])
    birth = BirthField(
        label=_("Birth"), max_length=10, widget=forms.TextInput(attrs={"placeholder": "2010-05-03"})
    )

    def __init__(self, data: Any = None, *, entry: Entry, ruleset: Ruleset, belongs_to: str = "") -> None:
        """`belongs_to`: the id of a form elsewhere on the page that sends these fields."""
        birth = entry.birth or None
        super().__init__(data, prefix=f"new-{entry.number}", initial={"birth": birth})
        needed = {FIELDS[name] for name in lacks(entry, read_of_players(ruleset))}
        for name in set(self.fields) - needed - {FIELDS[name] for name in wanting(entry, ruleset)}:
            del self.fields[name]
        for name, field in self.fields.items():
            field.required = name in needed
            if belongs_to:
                field.widget.attrs["form"] = belongs_to
        if entry.birth and "birth" in self.fields:
            self.fields["birth"].help_text = now("The whole date is wanted.")

    @property
    def lacks_something(self) -> bool:
        """Whether the section cannot be submitted without it."""
        return any(field.required for field in self.fields.values())


FIELDS = {
    "surname": "surname",
    "first-name": "first_name",
    "sex": "sex",
    "born": "birth",
    "birth-date": "birth",
}
"""The field that answers each want."""


def newcomers_of(
    section: Section, numbers: Iterable[int], data: Any
) -> tuple[dict[int, Newcomer], list[str]]:
    """What a page said of entries that are new players, and what is wrong with it."""
    ruleset = section.event.federation.ruleset
    newcomers: dict[int, Newcomer] = {}
    errors: list[str] = []
    wanted = set(numbers)
    for entry in section.entries.all():
        if entry.number not in wanted:
            continue
        form = NewcomerForm(data, entry=entry, ruleset=ruleset)
        if form.is_valid():
            newcomers[entry.number] = Newcomer(**form.cleaned_data)
        else:
            labels = ", ".join(str(form.fields[name].label) for name in form.errors)
            words = now("%(name)s: give %(fields)s first.")
            errors.append(words % {"name": entry.name, "fields": labels.lower()})
    return newcomers, errors
