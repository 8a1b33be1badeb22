"""A language of no country: every marked text as it is, between ⟦ and ⟧, and longer by a third.

Whatever a page shows outside these marks was not marked for translation, or is made of pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path

import polib

from federation_site.languages.catalogues import messages_of
from federation_site.languages.source_messages import TextKey

CODE = "io"
"""The code under which Django takes it: one that it knows, and no office speaks."""
OPEN, CLOSE = "⟦", "⟧"
PACKAGES = ("django", "allauth", "django.contrib.auth", "django.contrib.humanize", "django_tables2")
"""Packages whose words stand on our pages, with catalogues of their own."""
READ_ALOUD = ("alt", "aria-label", "placeholder", "title", "data-label")
SHARED = ("og:title", "og:description", "og:image:alt")
"""Particulars of a page that are shown where it is shared."""
_NO_WORDS = {"script", "style", "code", "pre", "kbd", "samp", "title"}
"""Elements whose content is a program's, an id, or, of a page's title, its heading again."""
_VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


def write_pseudo_catalogue(root: Path, folder: Path) -> None:
    """Write the catalogue of this language, in its form for programs, below a folder of catalogues."""
    catalogue = polib.POFile()
    catalogue.metadata = {
        "Content-Type": "text/plain; charset=UTF-8",
        "Plural-Forms": "nplurals=2; plural=(n != 1);",
    }
    for key, plural in _texts(root).items():
        entry = polib.POEntry(msgid=key.text, msgctxt=key.context or None)
        if plural:
            entry.msgid_plural = plural
            entry.msgstr_plural = {0: pseudo(key.text), 1: pseudo(plural)}
        else:
            entry.msgstr = pseudo(key.text)
        catalogue.append(entry)
    place = folder / CODE / "LC_MESSAGES"
    place.mkdir(parents=True)
    catalogue.save_as_mofile(str(place / "django.mo"))


def pseudo(text: str) -> str:
    """A text in this language: its spaces at both ends stay outside, as a translation keeps them."""
    inner = text.strip()
    start = text.index(inner)
    longer = "~" * (len(re.sub(r"%\(\w+\)s|\{\w*\}|<[^>]*>", "", inner)) // 3)
    return f"{text[:start]}{OPEN}{inner}{longer}{CLOSE}{text[start + len(inner) :]}"


def outside(html: str) -> list[str]:
    """The words of a page that stand outside the marks: of its text and of what is read aloud."""
    return [words for each in texts_of(html, CODE) for words in _unmarked(each)]


def texts_of(html: str, language: str) -> list[str]:
    """The words of a page in its language: of its elements, a line for each, and of what is read aloud."""
    reader = _Reader(language)
    reader.feed(html)
    reader.close()
    return reader.texts()


def _unmarked(text: str) -> Iterator[str]:
    """Give each run of words of a text outside the marks; one text may stand within another."""
    depth, run = 0, ""
    for letter in text:
        depth += (letter == OPEN) - (letter == CLOSE)
        if depth > 0 or letter in (OPEN, CLOSE):
            if run:
                yield run
            run = ""
        else:
            run += letter
    if run:
        yield run


class _Reader(HTMLParser):
    """Collects what a page says: text of its elements, with marks that may reach over several of them."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self.language = language
        self.open: list[str] = []
        self.text: list[str] = []
        self.attributes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        self.attributes += [value for name in READ_ALOUD if (value := said.get(name))]
        if said.get("property") in SHARED:
            self.attributes.append(said.get("content") or "")
        if tag not in _VOID:
            foreign = "translate" in said or said.get("lang", self.language) != self.language
            self.open.append(f"-{tag}" if foreign and tag != "html" else tag)
        self.text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop().removeprefix("-") != tag:
            pass
        self.text.append("\n")

    def handle_data(self, data: str) -> None:
        marks = "".join(letter for letter in data if letter in (OPEN, CLOSE))
        hidden = any(each.startswith("-") or each in _NO_WORDS for each in self.open)
        self.text.append(marks if hidden else data)

    def texts(self) -> list[str]:
        return ["".join(self.text), *self.attributes]


def _texts(root: Path) -> dict[TextKey, str]:
    """All texts, ours and those of packages, each with its plural, or none."""
    found = {
        key: message.plural for _folder, messages in messages_of(root) for key, message in messages.items()
    }
    for name in PACKAGES:
        module = import_module(name)
        for base in ("conf/locale", "locale"):
            for path in (Path(str(module.__file__)).parent / base).glob("en/LC_MESSAGES/*.po"):
                for entry in polib.pofile(str(path)):
                    found.setdefault(TextKey(entry.msgid, entry.msgctxt or ""), entry.msgid_plural)
    return {key: plural for key, plural in found.items() if key.text}
