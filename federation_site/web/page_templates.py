"""Templates of pages: sent without the indentation of their source, let go as soon as they are rendered."""

from __future__ import annotations

import re
from typing import Any

from django.http import HttpRequest
from django.template import Origin, TemplateDoesNotExist
from django.template.backends.django import DjangoTemplates, Template, reraise
from django.template.context import make_context
from django.template.loaders import filesystem
from django.utils.safestring import SafeString

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
