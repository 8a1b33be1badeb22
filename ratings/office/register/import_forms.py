"""Forms to take a table into the register."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from players.importing.services import MOST_BYTES, TOO_BIG
from players.pages.sent_once import OnceField


class TableForm(forms.Form):
    file = forms.FileField(
        label=_("Table of players"),
        widget=forms.FileInput(attrs={"accept": ".csv,.xlsx,.txt,.xml,.zip,text/csv"}),
    )
    takes_numbers = forms.BooleanField(
        label=_("Players with unknown numbers are new"),
        required=False,
        help_text=_(
            "For a federation that already has its own numbers. Without this, such a row is a problem."
        ),
    )

    once = OnceField()

    def clean_file(self) -> Any:
        given = self.cleaned_data["file"]
        if given.size > MOST_BYTES:
            raise forms.ValidationError(TOO_BIG)
        return given


class ConfirmForm(forms.Form):
    digest = forms.CharField(widget=forms.HiddenInput, max_length=64)
    leave_out = forms.BooleanField(
        label=_("Continue without the rows that have problems"),
        required=False,
        help_text=_("These rows change nothing. Correct them later, and upload them again."),
    )

    def __init__(self, *args: Any, problems: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not problems:
            del self.fields["leave_out"]
