"""Forms to take a past in: its files, its table, answers to its questions, and the word to write it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.history.receive import LONGEST_SOURCE

ZIP = {"accept": ".zip,application/zip"}
SHEET = {"accept": ".csv,.xlsx,text/csv"}


class HistoryForm(forms.Form):
    file = forms.FileField(label=_("ZIP of event files"), widget=forms.FileInput(attrs=ZIP))
    table = forms.FileField(
        label=_("Table beside them"),
        required=False,
        widget=forms.FileInput(attrs=SHEET),
        help_text=_(
            "CSV or XLSX. You can also download it here afterwards, filled in as far as the files go."
        ),
    )
    source = forms.CharField(
        label=_("Whose past this is, of which years"),
        max_length=LONGEST_SOURCE,
        help_text=_("Everybody can read this in the journal: “archive of the federation, 2009 to 2025”."),
    )


class HistoryTableForm(forms.Form):
    file = forms.FileField(label=_("The table, filled in"), widget=forms.FileInput(attrs=SHEET))


class AnswersForm(forms.Form):
    """An answer for all questions of one kind, or a table of answers."""

    kind = forms.CharField(max_length=40, required=False, widget=forms.HiddenInput)
    value = forms.CharField(label=_("One answer for all of these"), max_length=200, required=False)
    file = forms.FileField(
        label=_("Questions with their answers"), required=False, widget=forms.FileInput(attrs=SHEET)
    )

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        if not said.get("file") and not (said.get("kind") and said.get("value")):
            raise forms.ValidationError(_("Write an answer, or choose a table with answers."))
        return said
