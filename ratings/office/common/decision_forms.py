"""Forms that officials fill in."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from ratings.journal.unrating_reasons import REASONS


def words_field(label: Any, help_text: Any, *, required: bool = True) -> forms.CharField:
    """Make a field for a few sentences of an official's own."""
    return forms.CharField(
        label=label,
        max_length=2000,
        required=required,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=help_text,
    )


def typed_day_field() -> forms.CharField:
    """Make the field in which a list's day is typed once more, so that nobody publishes by a slip."""
    return forms.CharField(
        label=_("Type the day of the list"),
        max_length=10,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class DecisionForm(forms.Form):
    """The base of forms that decide on a section; `version` is the one that the official saw."""

    version = forms.IntegerField(min_value=0, widget=forms.HiddenInput)


class ReasonForm(DecisionForm):
    reason = words_field(_("Reason"), _("The region reads this: say what is wrong and what to do."))


class UnrateForm(DecisionForm):
    """The form to un-rate a section: a reason's code, which the journal tells, and words for the public."""

    reason = forms.ChoiceField(label=_("What was wrong"), choices=[("", _("Choose …")), *REASONS.items()])
    words = words_field(
        _("In the office’s own words"),
        _(
            "Everybody can read this in the erratum, and the region corrects the section by it: say which "
            "game, player or detail was wrong, and what is right. Write nothing private, and nobody’s age."
        ),
    )
    after_list = forms.BooleanField(required=False)

    def __init__(self, *args: Any, confirm: str = "", **kwargs: Any) -> None:
        """Make the form to un-rate; `confirm`: a sentence to tick if the section is in a list, or empty."""
        super().__init__(*args, **kwargs)
        if confirm:
            self.fields["after_list"].label = confirm
            self.fields["after_list"].required = True
        else:
            del self.fields["after_list"]


class AdmissionForm(DecisionForm):
    reason = words_field(
        _("Reason"),
        _("Required where something is late or missing: say why the office still admits the competition."),
        required=False,
    )


class DayForm(forms.Form):
    """The form that asks for the day of the list to publish; none later than today."""

    on = forms.DateField(
        label=_("Day of the list"), widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )

    def __init__(self, *args: Any, today: date, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.today = today

    def clean_on(self) -> date:
        on: date = self.cleaned_data["on"]
        if on > self.today:
            raise forms.ValidationError(
                now("That day is still to come: what is approved before it would stand under it.")
            )
        return on


class ReviseForm(forms.Form):
    """The form to publish a list anew: a note for everybody, and the list's day typed again against slips."""

    note = words_field(
        _("Note to the list"),
        _("Everybody can read this on the list: say what was wrong, and since when this is known."),
    )
    typed = typed_day_field()

    def __init__(self, *args: Any, day: date, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.day = day
        self.fields["typed"].help_text = now("As year, month and day: %(day)s.") % {"day": day.isoformat()}

    def clean_typed(self) -> str:
        typed = str(self.cleaned_data["typed"]).strip()
        if typed != self.day.isoformat():
            raise forms.ValidationError(now("That is not the day above. Nothing was published."))
        return typed


class PublishForm(DayForm):
    """The form to publish a list: its day, typed again, since a published list is never altered."""

    on = forms.DateField(widget=forms.HiddenInput)
    typed = typed_day_field()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        day = self["on"].value()
        self.fields["typed"].help_text = now("As year, month and day: %(day)s.") % {"day": day}

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        on, typed = given.get("on"), str(given.get("typed", "")).strip()
        if on and typed and typed != on.isoformat():
            self.add_error("typed", now("That is not the day above. Nothing was published."))
        return given
