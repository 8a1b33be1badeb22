"""Forms with which a region asks for a permission, and an official answers."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ratings.equipment.office_profile import Permit
from tournaments.forms.event_forms import VersionForm

MOST_LETTERS = 1000


class AppealForm(VersionForm):
    """The reason of an appeal."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"), max_length=MOST_LETTERS, widget=forms.Textarea(attrs={"rows": 4})
    )


class AskForm(VersionForm):
    """A region's request: the thing to be permitted, and the reason."""

    clause = forms.ChoiceField(label=gettext_lazy("What the office should permit"))
    reason = forms.CharField(
        label=gettext_lazy("Reason"), max_length=MOST_LETTERS, widget=forms.Textarea(attrs={"rows": 3})
    )

    def __init__(self, *args: Any, permits: list[Permit], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(permit.clause, f"§{permit.clause} {_(permit.words)}") for permit in permits]
        self.fields["clause"] = forms.ChoiceField(label=self.fields["clause"].label, choices=choices)
        self.order_fields(["version", "clause", "reason"])


class AnswerForm(VersionForm):
    """An official's answer; the button says whether it grants."""

    reason = forms.CharField(
        label=gettext_lazy("Your words"),
        help_text=gettext_lazy("Wanted for a refusal; the region reads them."),
        max_length=MOST_LETTERS,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    granted = forms.ChoiceField(choices=(("yes", "yes"), ("no", "no")), widget=forms.HiddenInput)
