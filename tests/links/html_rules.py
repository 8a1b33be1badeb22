"""What makes a page invalid HTML, of what our templates can do wrong: tags, nesting, tables, ids, attributes.

The Nu checker knows all rules, and `KEEP_PAGES=folder make night-sqlite` keeps the pages for it; these hold
on every run, without Java.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser

Attributes = list[tuple[str, str | None]]

BLOCKS = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "details",
        "div",
        "dl",
        "fieldset",
        "figure",
        "footer",
        "form",
    }
    | {
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "search",
        "section",
    }
    | {"table", "ul"}
)
VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
WORDS_ALONE = frozenset(
    {
        "abbr",
        "b",
        "button",
        "cite",
        "code",
        "dfn",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "i",
        "kbd",
        "label",
    }
    | {"legend", "mark", "p", "pre", "q", "s", "small", "span", "strong", "sub", "summary", "sup", "time"}
    | {"title", "u"}
)
"""Elements in which no block may stand."""
TRANSPARENT = frozenset({"a", "ins", "del", "noscript"})
"""Elements in which may stand what may stand around them."""
ACTED_ON = frozenset({"a", "button", "details", "input", "select", "textarea"})
"""Elements that somebody acts on: none in a link or a button."""
CHILDREN = {
    "ul": {"li", "script", "template"},
    "ol": {"li", "script", "template"},
    "dl": {"dt", "dd", "div", "script", "template"},
    "table": {"caption", "colgroup", "thead", "tbody", "tfoot"},
    "thead": {"tr"},
    "tbody": {"tr"},
    "tfoot": {"tr"},
    "tr": {"th", "td"},
    "select": {"option", "optgroup"},
}
PARENTS = {
    "li": {"ul", "ol", "template"},
    "dt": {"dl", "div"},
    "dd": {"dl", "div"},
    "tr": {"thead", "tbody", "tfoot"},
    "td": {"tr"},
    "th": {"tr"},
    "summary": {"details"},
    "legend": {"fieldset"},
}
NAMING = ("for", "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "list")
"""Attributes that name ids of the same page."""
NEVER_EMPTY = ("action", "id", "href", "src", "for", "name")


@dataclass
class Table:
    """How the cells of a table lie."""

    begun: set[int] = field(default_factory=set)
    """Columns in which a cell begins."""
    width: int = 0
    column: int = 0
    """The column in which the next cell of the row begins."""
    taken: Counter[int] = field(default_factory=Counter)
    """Of each column, how many rows from here on a cell from above still takes."""

    def open_row(self) -> None:
        self.column = 0
        self.taken = Counter({column: rows - 1 for column, rows in self.taken.items() if rows > 1})

    def lay(self, said: dict[str, str]) -> None:
        while self.taken[self.column]:
            self.column += 1
        self.begun.add(self.column)
        columns, rows = int(said.get("colspan") or 1), int(said.get("rowspan") or 1)
        for column in range(self.column, self.column + columns):
            if rows > 1:
                self.taken[column] = rows
        self.column += columns
        self.width = max(self.width, self.column)


class Rules(HTMLParser):
    """A page read tag by tag; `faults` is complete after `finish`."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.open: list[str] = []
        self.tables: list[Table] = []
        self.ids: Counter[str] = Counter()
        self.named: list[tuple[str, str]] = []
        self.headings = 0

    # ------------------------------------------------------------ tags

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        if "svg" not in self.open:
            self._nest(tag)
        self._attributes(tag, attrs)
        said = {name: value or "" for name, value in attrs}
        self._tables(tag, said)
        self.headings += tag == "h1"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            if "svg" not in self.open:
                self._fault(f"<{tag}/> is no void element")
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID or not self.open or self.open[-1] != tag:
            self._fault(f"</{tag}> closes nothing here: open is {' > '.join(self.open[-3:])}")
            if tag not in self.open:
                return
        while self.open and self.open.pop() != tag:
            pass
        if tag == "table":
            self._close_table()

    def finish(self) -> list[str]:
        self.close()
        self.faults += [
            f"id {name!r} stands there {times} times" for name, times in self.ids.items() if times > 1
        ]
        self.faults += [f"{what}={name!r} names no id" for what, name in self.named if name not in self.ids]
        if self.headings != 1:
            self._fault(f"{self.headings} h1")
        return self.faults

    # ------------------------------------------------------------ what may stand where

    def _nest(self, tag: str) -> None:
        around = [each for each in self.open if each not in TRANSPARENT]
        parent, direct = around[-1] if around else "", self.open[-1] if self.open else ""
        if tag in BLOCKS and parent in WORDS_ALONE and not _may(tag, parent):
            self._fault(f"<{tag}> in <{parent}>")
        if direct in CHILDREN and tag not in CHILDREN[direct]:
            self._fault(f"<{tag}> in <{direct}>")
        if tag in PARENTS and direct not in PARENTS[tag]:
            self._fault(f"<{tag}> in <{direct}>")
        if tag in ACTED_ON and {"a", "button"}.intersection(self.open):
            self._fault(f"<{tag}> in a link or button")

    def _tables(self, tag: str, said: dict[str, str]) -> None:
        if tag == "table":
            self.tables.append(Table())
        elif tag == "tr" and self.tables:
            self.tables[-1].open_row()
        elif tag in ("td", "th") and self.tables:
            self.tables[-1].lay(said)

    def _close_table(self) -> None:
        table = self.tables.pop()
        if empty := sorted(set(range(table.width)) - table.begun):
            self._fault(f"no cell of the table begins in its column {empty[0] + 1}")

    # ------------------------------------------------------------ attributes

    def _attributes(self, tag: str, attrs: Attributes) -> None:
        names = [name for name, _value in attrs]
        self.faults += [
            f"{name} stands twice in <{tag}>" for name, times in Counter(names).items() if times > 1
        ]
        for name, value in attrs:
            if name in NEVER_EMPTY and not value and not (name == "for" and tag == "output"):
                self._fault(f"{name} of <{tag}> is empty")
            if name.startswith("hx-"):
                self._fault(f"{name} of <{tag}> is no attribute of HTML; data-{name} is")
            if name == "id" and value:
                self.ids[value] += 1
            if name in NAMING:
                self.named += [(name, each) for each in (value or "").split()]
        if tag == "img" and "alt" not in names:
            self._fault("an <img> without alt")
        if tag == "html" and "lang" not in names:
            self._fault("no language")

    def _fault(self, words: str) -> None:
        self.faults.append(f"{words} (line {self.getpos()[0]})")


def _may(tag: str, parent: str) -> bool:
    """Headings may stand in what is folded and in what names a group."""
    return parent in ("summary", "legend") and tag[0] == "h" and tag[1:].isdigit()


def faults_of(page: str) -> list[str]:
    rules = Rules()
    rules.feed(page)
    return rules.finish()
