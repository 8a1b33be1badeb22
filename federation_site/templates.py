"""Texts of Django's forms, the cache of pages in files, and the loader of templates.

Django's texts are repeated here so that our catalogues translate them, which have precedence over Django's.
"""

from __future__ import annotations

import pickle
import re
import zlib
from contextlib import suppress
from typing import Any

from django import forms
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.filebased import FileBasedCache
from django.http import HttpRequest
from django.template import Origin, TemplateDoesNotExist
from django.template.backends.django import DjangoTemplates, Template, reraise
from django.template.context import make_context
from django.template.loaders import filesystem
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _, ngettext_lazy

FORM_MESSAGES = (
    _("Enter a valid value."),
    _("Enter a valid URL."),
    _("Enter a valid integer."),
    _("Enter a valid email address."),
    _("Enter a number."),
    _("Enter a whole number."),
    _("Enter a valid date."),
    _("Enter a valid time."),
    _("Ensure this value is less than or equal to %(limit_value)s."),
    _("Ensure this value is greater than or equal to %(limit_value)s."),
    _("Select a valid choice. That choice is not one of the available choices."),
    _("Select a valid choice. %(value)s is not one of the available choices."),
    _("Enter a list of values."),
    _("No file was submitted. Check the encoding type on the form."),
    _("“%(pk)s” is not a valid value."),
)
COUNTED_FORM_MESSAGES = (
    ngettext_lazy(
        "Ensure this value has at most %(limit_value)d character (it has %(show_value)d).",
        "Ensure this value has at most %(limit_value)d characters (it has %(show_value)d).",
        "limit_value",
    ),
    ngettext_lazy(
        "Ensure this value has at least %(limit_value)d character (it has %(show_value)d).",
        "Ensure this value has at least %(limit_value)d characters (it has %(show_value)d).",
        "limit_value",
    ),
    ngettext_lazy(
        "Ensure this filename has at most %(max)d character (it has %(length)d).",
        "Ensure this filename has at most %(max)d characters (it has %(length)d).",
        "max",
    ),
)


CACHE_ERRORS = (OSError, EOFError, zlib.error, pickle.UnpicklingError)
"""Errors after a full disk or a power failure: the page is then rendered again."""


class PageFiles(FileBasedCache):
    """Django's cache in files, but errors of the disk are ignored."""

    _used = False

    def _createdir(self) -> None:
        """Make the folder only for the first page, not when the settings are read."""
        if self._used:
            super()._createdir()  # type: ignore[misc]  # the stubs leave it out

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        with suppress(*CACHE_ERRORS):
            return super().get(key, default, version)
        return default

    def set(
        self, key: str, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None
    ) -> None:
        self._used = True
        with suppress(*CACHE_ERRORS):
            super().set(key, value, timeout, version)


# ---- Templates
INDENTATION = re.compile(r"\n\s+")
"""The start of a line, which no page shows: lines in a `<pre>` have none (tests/test_layout.py)."""


class Loader(filesystem.Loader):
    """Removes indentation and empty lines of HTML."""

    def get_contents(self, origin: Origin) -> str:
        source: str = super().get_contents(origin)
        return INDENTATION.sub("\n", source) if str(origin.name).endswith(".html") else source


class PageTemplates(DjangoTemplates):
    def get_template(self, template_name: str) -> PageTemplate:
        return PageTemplate(super().get_template(template_name).template, self)


class PageTemplate(Template):
    """A template that clears its context after rendering.

    Django's context has a reference to itself: the thousands of rows of a large page would be left to
    Python's garbage collector, which stops the process.
    """

    def render(self, context: dict[str, Any] | None = None, request: HttpRequest | None = None) -> SafeString:
        own_context = make_context(context, request, autoescape=self.backend.engine.autoescape)
        try:
            text: SafeString = self.template.render(own_context)
        except TemplateDoesNotExist as missing:
            reraise(missing, self.backend)
        own_context.dicts.clear()
        return text


def set_form_error_messages() -> None:
    """Set default error messages of Django's form fields."""
    forms.Field.default_error_messages["required"] = _("Fill this in.")
    forms.ChoiceField.default_error_messages["required"] = _("Choose one.")
    forms.FileField.default_error_messages["required"] = _("Choose a file.")
    forms.BooleanField.default_error_messages = {"required": _("Tick this to go on.")}
