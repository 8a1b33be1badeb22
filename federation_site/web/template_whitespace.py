"""Templates as they are sent: their source is indented, their pages are not."""

from __future__ import annotations

import re

from django.template import Origin
from django.template.loaders import filesystem

INDENTATION = re.compile(r"\n\s+")
"""The start of a line: no page shows it. In a `<pre>` lines begin at the margin (tests/test_layout.py)."""


class Loader(filesystem.Loader):
    """Reads a page's template without its indentation and its empty lines, a letter's as it stands."""

    def get_contents(self, origin: Origin) -> str:
        source: str = super().get_contents(origin)
        return INDENTATION.sub("\n", source) if str(origin.name).endswith(".html") else source
