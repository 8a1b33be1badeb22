"""The field by which a form takes a file that proves something."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from players.office.decision_record import Refused
from players.people.proof_files import MOST_BYTES, ProofBytes, proof_of


class ProofField(forms.FileField):
    """A field for a PDF, JPEG or PNG; its value is a `ProofBytes`, or None where no file was chosen."""

    widget = forms.FileInput

    def __init__(self) -> None:
        super().__init__(
            label=_("A file that proves it, if there is one"),
            required=False,
            help_text=_(
                "PDF, JPEG or PNG, up to 5 MB. Officials alone open it, and whoever attached it; it is never "
                "public."
            ),
            allow_empty_file=True,
        )
        self.widget.attrs["accept"] = ".pdf,.jpg,.jpeg,.png,application/pdf,image/jpeg,image/png"

    def clean(self, data: Any, initial: Any = None) -> ProofBytes | None:
        given = super().clean(data, initial)
        if not given:
            return None
        try:
            return proof_of(given.read(MOST_BYTES + 1))
        except Refused as refused:
            raise forms.ValidationError(str(refused)) from refused
