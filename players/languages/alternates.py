"""A public page's addresses for search engines: its own, and those of the same page in other languages."""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.utils import translation

from players.languages.addresses import language_of_addresses, path_in
from players.languages.choice import Speaking


class Alternate(NamedTuple):
    code: str
    """The language, or `x-default` for readers of any other."""
    path: str


def canonical_path(path: str, office: Speaking | None) -> str:
    """The address of a page in the language in which it is read: without one where it is the office's own."""
    code = translation.get_language() or ""
    if office is None:
        return path_in(language_of_addresses(), path)
    return path_in("" if code == office.language else code, path)


def alternates(path: str, office: Speaking | None) -> list[Alternate]:
    """The addresses of the same page in each language; of one language, none."""
    if len(settings.LANGUAGES) < 2:
        return []
    own = office.language if office else None
    each = [Alternate(code, path_in("" if code == own else code, path)) for code, _name in settings.LANGUAGES]
    return [*each, Alternate("x-default", path_in("", path))]
