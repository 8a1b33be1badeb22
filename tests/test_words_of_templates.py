"""Every word of every template is marked for translation, in whatever state its page shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.template.base import Lexer, Token, TokenType

from tests.page_texts import CLOSE_BRACKET, OPEN_BRACKET, unmarked_texts

WORD = re.compile(r"[^\W\d_]{2}")
ADDRESS = re.compile(r"(/+[a-z]+)+/?")
ROOT = Path(__file__).resolve().parents[1]
TEMPLATES = sorted(path for kind in ("html", "txt") for path in (ROOT / "templates").rglob(f"*.{kind}"))
ENGLISH = {"operations.html"}
"""Pages for those who run the site, which stay English."""
MARKED = re.compile(r"""_\((["']).*?\1\)|\|\w+:(["']).*?\2|\bcss=(["']).*?\3""")
"""A marked text in a tag, what a filter is given, which says how to write something, and classes of CSS."""
TEXT = re.compile(r"""(["'])(.*?)\1""")
SENTENCE = re.compile(r"^[A-Z][a-z’]+(?: .*)?$|[a-z] [a-z]")
SILENT = ("comment", "block page_class", "verbatim")
"""Blocks whose text no reader reads."""
FACTS = {"player", "section", "opening", "rated", "unrated", "revised", "list", "merged", "parted"}
SAME = {
    *(
        "SHA-256",
        "ZIP",
        "CSV",
        "XLSX",
        "JSON",
        "(Atom)",
        "(iCalendar)",
        "Federation Ratings",
        "(D-CSA-5)",
        "dump.zip",
    ),
    "certutil -hashfile list.txt SHA256",
    *FACTS,
}
"""Names and commands that are the same in every language, and the journal's words for facts."""


def words_of(source: str) -> Iterator[str]:
    """The words of a template outside all marks."""
    page, within = "", ""
    for token in Lexer(source).tokenize():
        name = token.contents.split()[0] if token.token_type is TokenType.BLOCK else ""
        if within:
            if name == f"end{within}":
                within, page = "", page + CLOSE_BRACKET
            elif token.token_type is TokenType.TEXT:
                page += token.contents
        elif name == "blocktranslate" or token.contents.startswith(SILENT):
            within, page = name, page + OPEN_BRACKET
        elif token.token_type is TokenType.TEXT:
            page += token.contents
        else:
            yield from said_in(token, name)
    yield from (
        line.strip()
        for text in unmarked_texts(page)
        for line in text.split("\n")
        if WORD.search(line) and not ADDRESS.fullmatch(line.strip())
    )


def said_in(token: Token, name: str) -> Iterator[str]:
    """Texts in a tag's arguments that are words or sentences, and are not marked."""
    if name not in ("translate", "if", "elif", "url", "static", "load", "extends"):
        for _quote, text in TEXT.findall(MARKED.sub("", token.contents)):
            if SENTENCE.search(text):
                yield text


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT / "templates")))
def test_every_word_of_a_template_is_marked(path: Path) -> None:
    if path.name not in ENGLISH:
        assert [words for words in words_of(path.read_text(encoding="utf-8")) if words not in SAME] == []


def test_a_word_that_is_not_marked_is_found() -> None:
    marked = '{% translate "A" %}{% blocktranslate %}In it{% endblocktranslate %}'
    source = f'{marked} of {{{{ x }}}}<p title="Unmarked"></p>{{{{ api }}}}/lists<p>win/draw'
    assert list(words_of(source)) == ["of", "win/draw", "Unmarked"]
    assert list(words_of('{% breadcrumb "Some desk" url _("Here") %}{{ day|date:"j M Y" }}')) == ["Some desk"]
