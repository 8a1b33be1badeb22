"""Finds the texts in programs and pages that are marked for translation."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from babel.messages.extract import extract
from django.utils.translation import templatize

from federation_site.languages.compile import RULESETS
from ratings.law.ruleset_helpers import example_files

FOLDERS = ("federation_site", "players", "ratings", "templates", "tournaments")
_TEMPLATES = (".html", ".txt")
_MARKS = {
    **dict.fromkeys(("_", "_lazy", "now", "later", "gettext", "gettext_lazy", "gettext_noop"), None),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}
"""The functions that mark a text, and which of their arguments are singular, plural and context."""
_EXAMPLES = ".expected"
"""The ending of the files that hold what a worked example shows, in words, and its results."""
_TRANSLATORS = ["Translators:"]
"""The beginning of a comment that is meant for translators."""


@dataclass(frozen=True, slots=True, order=True)
class TextKey:
    """The key of a marked text: its English words, and the context that parts equal words."""

    text: str
    context: str = ""


@dataclass(slots=True)
class MarkedText:
    """A text to be translated, with all places where it stands."""

    key: TextKey
    plural: str = ""
    files: set[str] = field(default_factory=set)
    """Paths from the project's root; without lines, so that catalogues change with texts alone."""
    comments: set[str] = field(default_factory=set)


def messages_in(root: Path, files: Iterable[Path]) -> dict[TextKey, MarkedText]:
    """Collect the messages of `files`, which lie below `root`, by key."""
    found: dict[TextKey, MarkedText] = {}
    for path in files:
        for text, plural, context, comments in _marked_in(path):
            key = TextKey(text, context)
            message = found.setdefault(key, MarkedText(key))
            message.plural = message.plural or plural
            message.files.add(path.relative_to(root).as_posix())
            message.comments.update(comments)
    return found


def sources_of_house(root: Path) -> list[Path]:
    """List the sources whose texts stand in the house's own catalogue: all but tests and rulesets."""
    everywhere = (path for folder in FOLDERS for path in _sources_below(root / folder))
    return sorted(path for path in everywhere if not path.is_relative_to(root / RULESETS))


def sources_of_ruleset(folder: Path) -> list[Path]:
    """List the sources whose texts stand in the catalogue that a ruleset's folder carries."""
    return sorted(_sources_below(folder))


def _sources_below(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.suffix in (".py", _EXAMPLES, *_TEMPLATES) and not {"tests", "migrations"} & set(path.parts):
            yield path


def _marked_in(path: Path) -> Iterator[tuple[str, str, str, list[str]]]:
    """Give text, plural, context and comments of each marked text of a file."""
    if path.suffix == _EXAMPLES:
        yield from _marked_in_example(path)
        return
    source = path.read_text(encoding="utf-8")
    if path.suffix in _TEMPLATES:
        # What Django makes of a template is calls between blanked words, which are no Python where indented.
        source = re.sub(r"(?m)^[ \t]+", "", templatize(source, origin=str(path)))
    lines = io.BytesIO(source.encode())
    for _line, texts, comments, context in extract(
        "python", lines, _MARKS, _TRANSLATORS, strip_comment_tags=True
    ):
        text, plural = texts if isinstance(texts, (tuple, list)) else (texts, "")
        if text:
            yield text, plural, context or "", list(comments)


def _marked_in_example(path: Path) -> Iterator[tuple[str, str, str, list[str]]]:
    """Give title and words of a worked example. A title is one or two words, so it has a context."""
    example = example_files.read(path)
    yield example.title, "", example_files.TITLE, ["title of a worked example"]
    yield example.words, "", "", ["words of a worked example"]
