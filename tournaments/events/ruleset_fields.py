"""A ruleset's own fields of a section as form fields, and their values back in the journal's form."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from players.drawing.particulars_in_words import fields_in_words
from ratings.equipment.find_equipment import equipment_of, form_fields
from ratings.law.fields import Field
from ratings.law.ruleset import Ruleset
from tournaments.events.models import Section
from tournaments.events.parse_time_control import LONGEST_INCREMENT, control

PREFIX = "own-"
CONTROLS = 3
"""The number of time controls in one section's form."""
_PERIOD = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,4})?")


class PlainField(forms.CharField):
    """A text field as the journal takes it: one line, in NFC, without invisible characters."""

    def to_python(self, value: Any) -> str:
        text = unicodedata.normalize("NFC", super().to_python(value) or "")
        if not text.isprintable():
            raise ValidationError(
                _("There is an invisible character in this text. Type the text again."), code="odd"
            )
        return text


CONTACT = re.compile(
    r"[^\s@]+@[^\s@]+\.\w"
    r"|\b(?:tel(?:ephone)?|phone|cell|mobile|whats ?app)\b[\s.:]*[+(]*\d"
    r"|(?:\+|(?<!\d)\(?0)\(?\d(?:[ ()]*\d){7,}"
    r"|(?<!\d)0\d\d-\d{3}-\d{4}",
    re.IGNORECASE,
)
"""A mail address or a telephone number, and neither dates nor the years of a season."""


class NameInPublic(PlainField):
    """A name that pages and the journal give to everybody, for good: without telephone or mail address."""

    def to_python(self, value: Any) -> str:
        text = super().to_python(value)
        if found := CONTACT.search(text):
            words = _(
                "Everybody can read this, and the journal keeps it. Leave out “%(found)s”: no telephone "
                "number and no e-mail address."
            )
            raise ValidationError(words, code="contact", params={"found": found[0]})
        return text


class TimeControlsWidget(forms.MultiWidget):
    """Inputs for minutes and increment of each time control, folded after the first until needed."""

    use_fieldset = True

    def __init__(self) -> None:
        minutes = {"inputmode": "decimal", "autocomplete": "off"}
        seconds = {"min": "0", "max": str(LONGEST_INCREMENT)}
        pair = (lambda: forms.TextInput(minutes), lambda: forms.NumberInput(seconds))
        super().__init__([widget() for _n in range(CONTROLS) for widget in pair])

    def decompress(self, value: Any) -> list[Any]:
        controls = value if isinstance(value, list) else [value] if value else []
        rows = [[" + ".join(map(str, c["minutes"])), c.get("increment", 0)] for c in controls[:CONTROLS]]
        return [cell for row in rows for cell in row] + [None, None] * (CONTROLS - len(rows))

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        # Django takes any list for what was typed into the parts; these are whole controls.
        whole = isinstance(value, list) and any(isinstance(part, dict) for part in value)
        return super().get_context(name, self.decompress(value) if whole else value, attrs)

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        context = self.get_context(name, value, attrs)
        parts = context["widget"]["subwidgets"]
        pairs = [parts[at : at + 2] for at in range(0, len(parts), 2)]
        more = any(part["value"] not in (None, "") for pair in pairs[1:] for part in pair)
        return render_to_string(
            "tournaments/time_controls.html", {"first": pairs[0], "others": pairs[1:], "open": more}
        )


class TimeControlsField(forms.MultiValueField):
    """A form field for time controls, in the journal's form: `[{"minutes": [90], "increment": 30}, …]`."""

    widget = TimeControlsWidget

    def __init__(self, **kwargs: Any) -> None:
        parts: list[forms.Field] = []
        for _n in range(CONTROLS):
            parts += [
                forms.CharField(max_length=40),
                forms.IntegerField(min_value=0, max_value=LONGEST_INCREMENT),
            ]
        super().__init__(fields=parts, require_all_fields=False, **kwargs)
        for part in parts:
            part.required = False

    def compress(self, data_list: Sequence[Any]) -> list[dict[str, Any]]:
        pairs = [tuple(data_list[at : at + 2]) for at in range(0, len(data_list), 2)]
        return [read_control(minutes, increment) for minutes, increment in pairs if minutes or increment]


def read_control(minutes: str, increment: int | None) -> dict[str, Any]:
    """Read a time control into the journal's form, or raise ValidationError.

    `minutes`: `90`, or `90 + 15` for two periods; `increment`: in seconds.
    """
    parts = [part.strip() for part in str(minutes or "").replace(",", ".").split("+")]
    if not all(_PERIOD.fullmatch(part) for part in parts):
        raise ValidationError(_("Write the minutes as a number, or two periods as 90 + 15."), code="minutes")
    read = control([Decimal(part) for part in parts], increment or 0)
    if read is None:
        raise ValidationError(_("A period has between 0 and 999 minutes."), code="minutes")
    return read


def fields_of(ruleset: Ruleset) -> dict[str, forms.Field]:
    """The form fields for a ruleset's own particulars of a section, by `own-` and the particular's name."""
    return {PREFIX + field.name: form_field(field) for field in form_fields(ruleset)}


def form_field(field: Field) -> forms.Field:
    """Make the form field for one of the ruleset's own particulars of a section."""
    common: dict[str, Any] = {
        "label": now(field.label),
        "help_text": now(field.help) if field.help else "",
        "required": field.required and field.kind != "flag" and field.only_with is None,
        "initial": field.default or None,
    }
    if field.choices:
        empty = [] if field.default else [("", "—")]
        choices = [*empty, *((choice.value, now(choice.label)) for choice in field.choices)]
        if field.kind == "whole":
            return forms.TypedChoiceField(choices=choices, coerce=int, empty_value=None, **common)
        return forms.ChoiceField(choices=choices, **common)
    if field.kind == "time_controls":
        return TimeControlsField(**common)
    if field.kind == "flag":
        return forms.BooleanField(**common)
    if field.kind == "whole":
        return forms.IntegerField(min_value=0, max_value=99_999, **common)
    if field.kind == "day":
        return forms.DateField(widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"), **common)
    return PlainField(max_length=20, **common)


def in_steps(ruleset: Ruleset, form: forms.Form) -> list[tuple[str, list[forms.BoundField]]]:
    """A form's own fields of the ruleset by the steps of a long form: each step's heading and fields."""
    steps = equipment_of(ruleset).office.registration.steps
    return [(now(step.heading), [form[PREFIX + name] for name in step.fields]) for step in steps]


def bound(form: forms.Form, *, flags: bool, in_steps: bool = True) -> list[forms.BoundField]:
    """The ruleset's own fields of a form, to be shown together: its tick boxes (`flags`), or all others.

    `in_steps`: also those that stand in a step of a long form; such a form has a `ruleset`.
    """
    own = [name for name in form.fields if name.startswith(PREFIX)]
    if not in_steps:
        ruleset: Ruleset = form.ruleset  # type: ignore[attr-defined]
        steps = equipment_of(ruleset).office.registration.steps
        elsewhere = {PREFIX + name for step in steps for name in step.fields}
        own = [name for name in own if name not in elsewhere]
    return [form[name] for name in own if isinstance(form.fields[name], forms.BooleanField) == flags]


def initial_of(particulars: Mapping[str, Any]) -> dict[str, Any]:
    return {PREFIX + name: value for name, value in particulars.items()}


def particulars_of(ruleset: Ruleset, form: forms.Form) -> dict[str, Any]:
    """A form's answers as `Section.particulars` keeps them; without fields that go with another field's
    value, where that value was not given.
    """
    said = {field.name: form.cleaned_data.get(PREFIX + field.name) for field in form_fields(ruleset)}
    return {
        field.name: _written(said[field.name])
        for field in form_fields(ruleset)
        if said[field.name] not in (None, "", [], False) and _applies(field, said)
    }


def _written(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def particulars_in_words(section: Section) -> list[tuple[str, str]]:
    """The particulars of a section, as label and value in words, in the order of its ruleset's fields."""
    return [(label, value) for label, value, _clause in particulars_with_clauses(section)]


def particulars_with_clauses(section: Section) -> list[tuple[str, str, str]]:
    """The particulars of a section in words, each with the clause that asks for it; empty: none does."""
    own = fields_in_words(section.particulars, section.event.federation.ruleset)
    return [
        (now("Rounds"), str(section.rounds or ""), ""),
        *((label, words, field.clause) for field, label, words in own),
    ]


def time_in_words(section: Section) -> str:
    """The time controls of a section in words; empty where its ruleset asks for none."""
    own = fields_in_words(section.particulars, section.event.federation.ruleset)
    return "; ".join(words for field, _label, words in own if field.kind == "time_controls")


def said_of(ruleset: Ruleset, particulars: Mapping[str, Any]) -> dict[str, Any]:
    """The answers, as in `Filing.said`, to the fields that acceptance reads and the journal does not hold."""
    answers = {
        field.name: (field.kind, particulars.get(field.name))
        for field in equipment_of(ruleset).office.filing_fields
    }
    return {
        name: date.fromisoformat(value) if kind == "day" and value else value
        for name, (kind, value) in answers.items()
    }


def check_companions(ruleset: Ruleset, form: forms.Form) -> None:
    """Add an error to each field left empty that another field's value makes necessary."""
    said = {field.name: form.cleaned_data.get(PREFIX + field.name) for field in form_fields(ruleset)}
    for field in form_fields(ruleset):
        if field.only_with and field.required and _applies(field, said) and said[field.name] in (None, ""):
            form.add_error(PREFIX + field.name, _("This is needed here."))


def _applies(field: Field, said: Mapping[str, Any]) -> bool:
    return field.only_with is None or said.get(field.only_with[0]) == field.only_with[1]
