"""FIDE's lists of players, and lists written in their layouts: TXT by the places of its headings, and XML.

Each becomes a table: headings, then a row a player. The title of women is told where there is no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.parsers import expat

from tournaments.formats.tables.xlsx import WorkbookRefused

_HEADINGS = re.compile(r"ID [Nn]umber|Titl(?=Fed)|Games(?=Born)|\S+")
_TITLE, _TITLE_OF_WOMEN = ("Tit", "Titl"), "WTit"
OLD_TITLES = {"g": "GM", "m": "IM", "f": "FM", "c": "CM", "wg": "WGM", "wm": "WIM", "wf": "WFM", "wc": "WCM"}
"""The short titles of the layout that Swiss-Manager and SwissPerfect once wanted."""
_NOT_TOLD = ("OTit", "FOA")
"""Titles of arbiters and of online play, which no register here has."""

HEADINGS = (
    *("fideid", "name", "country", "sex", "title", "birthday"),
    *("rating", "games", "rapid_rating", "rapid_games", "blitz_rating", "blitz_games"),
)
"""The elements of a player in the XML that become columns of the table."""
_PART = 1 << 16
_XML = re.compile(rb"\s*(<\?xml[^>]*>\s*)?<playerslist[\s>]")


# ---------------------------------------------------------------- TXT


def is_text_list(head: str) -> bool:
    """Whether a file's first line has the headings of FIDE's TXT."""
    return head.startswith("ID") and "Name" in head and ("B-day" in head or "TitlFed" in head)


def rows_of_text(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
    """Cut each line where the headings of the first one stand; yield the headings, then the players."""
    numbered = iter(lines)
    number, head = next(numbered)
    found = [(place.group(), place.start()) for place in _HEADINGS.finditer(head)]
    ends = [start for _name, start in found[1:]] + [None]
    columns = [
        (name, slice(start, end))
        for (name, start), end in zip(found, ends, strict=True)
        if name not in _NOT_TOLD
    ]
    names = [name for name, _place in columns]
    yield number, [name for name in names if name != _TITLE_OF_WOMEN]
    for line, text in numbered:
        if text.strip():
            yield line, _player(names, [text[place].strip() for _name, place in columns])


def _player(names: list[str], cells: list[str]) -> list[str]:
    told = dict(zip(names, cells, strict=True))
    womens = told.pop(_TITLE_OF_WOMEN, "")
    for name in _TITLE:
        if name in told:
            title = told[name] or womens
            told[name] = OLD_TITLES.get(title, title)
    return list(told.values())


# ---------------------------------------------------------------- XML


def is_xml_list(data: bytes) -> bool:
    return _XML.match(data[:1_000].removeprefix(b"\xef\xbb\xbf")) is not None


def rows_of_xml(data: bytes) -> Iterator[tuple[int, list[str]]]:
    """Read FIDE's XML, its elements or, as others write it, attributes; entities are refused.

    Rows are counted as if headings stood in the first: all players may stand in one line.
    """
    yield 1, list(HEADINGS)
    reader = _PlayersOfXml()
    parts = (data[start : start + _PART] for start in range(0, len(data), _PART))
    players = (told for part in parts for told in reader.take(part))
    yield from enumerate(map(_row, players), 2)
    reader.end()


def _row(told: dict[str, str]) -> list[str]:
    told["title"] = told.get("title", "") or told.get("w_title", "")
    return [told.get(name, "").strip() for name in HEADINGS]


class _PlayersOfXml:
    """Reads the players of a list in XML part by part, in the memory of one part."""

    def __init__(self) -> None:
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._begin
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.done: list[dict[str, str]] = []
        self.player: dict[str, str] | None = None
        self.within = ""

    def take(self, part: bytes) -> list[dict[str, str]]:
        """Parse a part, and give the players that it completes."""
        self.done = []
        self._parse(part, last=False)
        return self.done

    def end(self) -> None:
        self._parse(b"", last=True)

    def _parse(self, part: bytes, *, last: bool) -> None:
        try:
            self.parser.Parse(part, last)
        except expat.ExpatError as error:
            raise WorkbookRefused("xml-broken", line=error.lineno) from None

    def _doctype(self, *_declaration: object) -> None:
        raise WorkbookRefused("xml-entities", line=self.parser.CurrentLineNumber)

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        if name == "player":
            self.player = {key.lower(): value for key, value in attributes.items()}
        self.within = name

    def _text(self, text: str) -> None:
        if self.player is not None and self.within != "player":
            self.player[self.within] = self.player.get(self.within, "") + text

    def _end(self, name: str) -> None:
        if name == "player" and self.player is not None:
            self.done.append(self.player)
            self.player = None
        self.within = "player" if self.player is not None else ""
