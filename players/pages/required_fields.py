"""Messages of every form for a field left empty, in the office's words and not in Django's."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


def speak() -> None:
    """Set the messages, once, as the program starts. A field's own `error_messages` come before these."""
    forms.Field.default_error_messages["required"] = _("Fill this in.")
    forms.ChoiceField.default_error_messages["required"] = _("Choose one.")
    forms.FileField.default_error_messages["required"] = _("Choose a file.")
    forms.BooleanField.default_error_messages = {"required": _("Tick this to go on.")}
