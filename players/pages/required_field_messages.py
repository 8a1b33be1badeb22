"""Messages of every form for a field left empty, in the office's words and not in Django's."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


def set_messages() -> None:
    """Give Django's form fields these messages, once, at the program's start; a field's own come first."""
    forms.Field.default_error_messages["required"] = _("Fill this in.")
    forms.ChoiceField.default_error_messages["required"] = _("Choose one.")
    forms.FileField.default_error_messages["required"] = _("Choose a file.")
    forms.BooleanField.default_error_messages = {"required": _("Tick this to go on.")}
