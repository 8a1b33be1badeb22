"""Words of Django's own forms, the cache in files, and the loader that reads templates of pages.

Django's messages are said politely and with our quotes. Its catalogues give way to ours, so it is enough to
name a text here as Django writes it; a test makes sure that Django still does.
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
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

SAID_BY_FORMS = (
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
COUNTED_BY_FORMS = (
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


LOST = (OSError, EOFError, zlib.error, pickle.UnpicklingError)
"""Faults of a disk that is full or was torn from its power: the page is then worked out once more."""


class PageFiles(FileBasedCache):
    """Django's cache in files, which all web processes and workers of a folder share; its faults cost nobody
    a page.
    """

    _kept_any = False

    def _createdir(self) -> None:
        """Make the folder with the first page: a command that only looks at the settings makes none."""
        if self._kept_any:
            super()._createdir()  # type: ignore[misc]  # the stubs leave it out

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        with suppress(*LOST):
            return super().get(key, default, version)
        return default

    def set(
        self, key: str, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None
    ) -> None:
        self._kept_any = True
        with suppress(*LOST):
            super().set(key, value, timeout, version)


# ---- Templates of pages: sent without the indentation of their source, let go as soon as they are rendered.
INDENTATION = re.compile(r"\n\s+")
"""The start of a line: no page shows it. In a `<pre>` lines begin at the margin (tests/test_layout.py)."""


class Loader(filesystem.Loader):
    """Reads a page's template without its indentation and its empty lines, a letter's as it stands."""

    def get_contents(self, origin: Origin) -> str:
        source: str = super().get_contents(origin)
        return INDENTATION.sub("\n", source) if str(origin.name).endswith(".html") else source


class PageTemplates(DjangoTemplates):
    """Django's templates, each file a `PageTemplate`."""

    def get_template(self, template_name: str) -> PageTemplate:
        return PageTemplate(super().get_template(template_name).template, self)


class PageTemplate(Template):
    """A template that lets go of what it showed. Django's context holds itself: the thousands of rows of a
    large page stay until Python's garbage collector finds them, which stops the process while it looks.
    """

    def render(self, context: dict[str, Any] | None = None, request: HttpRequest | None = None) -> SafeString:
        made = make_context(context, request, autoescape=self.backend.engine.autoescape)
        try:
            written: SafeString = self.template.render(made)
        except TemplateDoesNotExist as missing:
            reraise(missing, self.backend)
        made.dicts.clear()
        return written


def set_messages() -> None:
    """Give Django's form fields these messages, once, at the program's start; a field's own come first."""
    forms.Field.default_error_messages["required"] = _("Fill this in.")
    forms.ChoiceField.default_error_messages["required"] = _("Choose one.")
    forms.FileField.default_error_messages["required"] = _("Choose a file.")
    forms.BooleanField.default_error_messages = {"required": _("Tick this to go on.")}
