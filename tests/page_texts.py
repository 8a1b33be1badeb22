"""The texts of a page, as a reader of one language sees them, and those of them that nobody marked."""

from collections.abc import Iterator
from html.parser import HTMLParser

MARKED_LANGUAGE = "io"
"""A code that no office has: the language of pages whose marked texts stand in brackets."""
OPEN_BRACKET, CLOSE_BRACKET = "⟦", "⟧"
READ_ATTRIBUTES = ("alt", "aria-label", "placeholder", "title", "data-label")
SHARED_PROPERTIES = ("og:title", "og:description", "og:image:alt")
"""Properties of a page that are shown where it is shared."""
_NOT_TEXT = {"script", "style", "code", "pre", "kbd", "samp", "title"}
"""Elements whose content is code, an id, or repeats a heading."""
_VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


def unmarked_texts(html: str) -> list[str]:
    """The texts of a page outside the brackets."""
    return [words for each in texts_of(html, MARKED_LANGUAGE) for words in _outside_brackets(each)]


def texts_of(html: str, language: str) -> list[str]:
    """The texts of a page in its language: that of its elements, then those of attributes."""
    reader = _Reader(language)
    reader.feed(html)
    reader.close()
    return reader.texts()


def _outside_brackets(text: str) -> Iterator[str]:
    """Yield each part of a text outside the brackets, which may be nested."""
    depth, run = 0, ""
    for letter in text:
        depth += (letter == OPEN_BRACKET) - (letter == CLOSE_BRACKET)
        if depth > 0 or letter in (OPEN_BRACKET, CLOSE_BRACKET):
            if run:
                yield run
            run = ""
        else:
            run += letter
    if run:
        yield run


class _Reader(HTMLParser):
    """Collects the texts of a page; brackets may enclose several elements."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self.language = language
        self.open: list[str] = []
        self.text: list[str] = []
        self.attributes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.attributes += [value for name in READ_ATTRIBUTES if (value := values.get(name))]
        if values.get("property") in SHARED_PROPERTIES:
            self.attributes.append(values.get("content") or "")
        if tag not in _VOID:
            foreign = "translate" in values or values.get("lang", self.language) != self.language
            self.open.append(f"-{tag}" if foreign and tag != "html" else tag)
        self.text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop().removeprefix("-") != tag:
            pass
        self.text.append("\n")

    def handle_data(self, data: str) -> None:
        marks = "".join(letter for letter in data if letter in (OPEN_BRACKET, CLOSE_BRACKET))
        hidden = any(each.startswith("-") or each in _NOT_TEXT for each in self.open)
        self.text.append(marks if hidden else data)

    def texts(self) -> list[str]:
        return ["".join(self.text), *self.attributes]
