"""Forms for a new player's particulars that the file did not give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from ratings.law.ruleset import Ruleset
from tournaments.events.models import Entry, Section
from tournaments.events.ruleset_fields import PlainField
from tournaments.filing.acceptance_facts import NATION
from tournaments.filing.decide_entries import Newcomer
from tournaments.filing.open_questions import lacks, read_of_players, wanting
from tournaments.formats.common.dates import read_birth


class BirthField(forms.CharField):
    """A form field for a birth: a day or a year, in any spelling that can be read in one way only."""

    def to_python(self, value: Any) -> str:
        text = super().to_python(value) or ""
        if not text:
            return ""
        year, day = read_birth(text) or (None, None)
        if not year:
            words = _("Write the birth as 2010-05-03 or 3.5.2010, or only the year, with four digits: 2010.")
            raise ValidationError(words)
        return day.isoformat() if day else str(year)


class NationField(forms.CharField):
    """A form field for a nation, by the three letters that sport has for it."""

    def to_python(self, value: Any) -> str:
        text = (super().to_python(value) or "").upper()
        if text and not NATION.fullmatch(text):
            raise ValidationError(_("Write the nation as three letters, such as POL or RSA."))
        return text


class NewcomerForm(forms.Form):
    """The form for a new player: the particulars that the office needs or wants, and the entry lacks."""

    # Asked only for players said to be new: a browser must not ask it for a player who was found.
    use_required_attribute = False

    surname = PlainField(label=_("Surname"), max_length=100)
    first_name = PlainField(label=_("First name"), max_length=100, required=False)
    sex = forms.ChoiceField(label=_("Sex"), choices=[("", "—"), ("m", _("male")), ("f", _("female"))])
    federation = NationField(label=_("Nation"), max_length=3, required=False)
    birth = BirthField(
        label=_("Birth"), max_length=20, widget=forms.TextInput(attrs={"placeholder": "2010-05-03"})
    )

    def __init__(
        self,
        data: Any = None,
        *,
        entry: Entry,
        ruleset: Ruleset,
        belongs_to: str = "",
        typed: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Make the form with the fields that a new player's entry lacks.

        `belongs_to`: the id of a form elsewhere on the page that sends these fields.

        `typed`: what was posted, shown again unchecked if the entry was not said to be new.
        """
        prefix = f"new-{entry.number}"
        before = {name: typed.get(f"{prefix}-{name}") for name in self.base_fields}
        if before["birth"] is None:
            before["birth"] = entry.birth or None
        super().__init__(data, prefix=prefix, initial=before)
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
        """Whether the entry lacks a particular without which the section cannot be submitted."""
        return any(field.required for field in self.fields.values())


FIELDS = {
    "surname": "surname",
    "first-name": "first_name",
    "sex": "sex",
    "born": "birth",
    "birth-date": "birth",
    "nation": "federation",
}
"""The form's field for each particular that `lacks` and `wanting` name."""


FILL = "fill-in"
"""The name of the button that fills a column in."""
COLUMNS = {"sex": _("Sex"), "birth": _("Birth"), "federation": _("Nation"), "first_name": _("First name")}
MOST_PASTED = 20_000  # characters


class FillForm(forms.Form):
    """The form that fills a column of the players' page: which one, its values line by line, one for all."""

    column = forms.ChoiceField(label=_("Column"))
    values = forms.CharField(
        label=_("Values"),
        required=False,
        max_length=MOST_PASTED,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_(
            "Paste a column from a table: one line for each player who lacks it, in the order of their "
            "starting numbers; or two columns, the starting number or the name first."
        ),
    )
    default = PlainField(label=_("For all others"), max_length=20, required=False)

    def __init__(self, data: QueryDict | None = None, *, columns: Iterable[str], belongs_to: str) -> None:
        super().__init__(data, prefix="fill")
        field = self.fields["column"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(name, COLUMNS[name]) for name in COLUMNS if name in set(columns)]
        for each in self.fields.values():
            each.widget.attrs["form"] = belongs_to


def columns_of(asked: Iterable[NewcomerForm]) -> list[str]:
    """The columns that the forms of new players ask, in the order of a table."""
    names = {name for form in asked for name in form.fields}
    return [name for name in COLUMNS if name in names]


def newcomers_of(
    section: Section, numbers: Iterable[int], data: Any
) -> tuple[dict[int, Newcomer], list[str]]:
    """Read a page's answers about the new players of these starting numbers; return them, and what is wrong
    with others, in sentences.
    """
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
            errors += _errors_of(form, entry)
    return newcomers, errors


def _errors_of(form: NewcomerForm, entry: Entry) -> list[str]:
    """One sentence for everything missing, and one on how to write each answer that cannot be read."""
    wrong = [(name, error) for name, found in form.errors.as_data().items() for error in found]
    missing = [str(form.fields[name].label).lower() for name, error in wrong if error.code == "required"]
    told = [str(text) for _name, error in wrong if error.code != "required" for text in error.messages]
    if missing:
        told.insert(0, now("give %(fields)s first.") % {"fields": ", ".join(missing)})
    return [now("%(name)s: %(words)s") % {"name": entry.name, "words": words} for words in told]
