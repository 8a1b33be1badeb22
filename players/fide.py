"""Reader of FIDE's lists of players, as a stream."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple
from zipfile import BadZipFile, ZipFile

from defusedxml.ElementTree import iterparse


class NotAList(ValueError):
    """A file is none of FIDE's lists; the message says why."""


class FidePerson(NamedTuple):
    """A player on one of FIDE's lists."""

    fide_id: str
    surname: str
    first_name: str
    country: str
    sex: str
    """`m`, `f`, or empty."""
    title: str
    """The highest title: `GM` before `WGM`."""
    born: int | None


class FideColumns(NamedTuple):
    """The columns of a FIDE list in TXT, counted from 0."""

    fide_id: slice
    name: slice
    country: slice
    sex: slice
    title: slice
    woman_title: slice
    born: slice


COMBINED = FideColumns(
    slice(0, 15), slice(15, 76), slice(76, 79), slice(80, 81), slice(84, 87), slice(89, 92), slice(152, 156)
)
"""Standard, rapid and blitz together (`players_list_foa.txt`)."""
SINGLE = COMBINED._replace(born=slice(126, 130))
"""Standard, rapid or blitz alone."""
OLD = FideColumns(
    slice(0, 8), slice(10, 44), slice(48, 51), slice(70, 74), slice(44, 46), slice(0, 0), slice(64, 68)
)
"""The former format for Swiss-Manager and SwissPerfect: women have a flag, titles are abbreviated."""
OLD_TITLES = {"G": "GM", "M": "IM", "F": "FM", "C": "CM", "WG": "WGM", "WM": "WIM", "WF": "WFM", "WC": "WCM"}
_YEAR = re.compile(r"(1[89]|20)[0-9]{2}")
_LONGEST_LINE = 4_000
"""The most bytes that are read as a line; FIDE's are shorter."""


def read_list(path: Path) -> Iterator[FidePerson]:
    """Yield the players of a FIDE list, which may be zipped. Raises `NotAList`, or OSError."""
    with _open_list(path) as file:
        start = file.peek(200).lstrip()  # type: ignore[attr-defined]
        if start.startswith((b"<", b"\xef\xbb\xbf<")):
            yield from _people_of_xml(file)
        else:
            columns = _columns(file.readline(_LONGEST_LINE).decode("latin-1"))
            for line in iter(lambda: file.readline(_LONGEST_LINE), b""):
                text = line.decode("utf-8", "replace")
                if text[columns.fide_id].strip().isdecimal():
                    yield _person(*(text[part] for part in columns))


@contextmanager
def _open_list(path: Path) -> Iterator[IO[bytes]]:
    with path.open("rb") as file:
        if file.peek(4)[:4] != b"PK\x03\x04":
            yield file
            return
        try:
            with ZipFile(file) as archive:
                names = [name for name in archive.namelist() if not name.endswith("/")]
                if len(names) != 1:
                    raise NotAList(f"the archive holds {len(names)} files; a FIDE list is alone in its own")
                with archive.open(names[0]) as member:
                    yield member
        except BadZipFile as error:
            raise NotAList("the archive is damaged; download it again") from error


def _columns(head: str) -> FideColumns:
    if head.startswith("ID") and "TitlFed" in head:
        return OLD
    if not head.startswith("ID") or "Name" not in head or "B-day" not in head:
        raise NotAList("its first line is not that of FIDE's TXT: ID Number, Name, Fed, …, B-day")
    return COMBINED if "RRtng" in head else SINGLE


def _people_of_xml(file: IO[bytes]) -> Iterator[FidePerson]:
    """Yield the players of an XML list. Each element is freed once read; DTDs and entities are refused."""
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException

    root = None
    try:
        for event, element in iterparse(file, events=("start", "end"), forbid_dtd=True):
            if root is None:
                root = element
                if root.tag != "playerslist":
                    raise NotAList(f"its XML begins with <{root.tag}>, not with <playerslist>")
            if event == "end" and element.tag == "player":
                given = {child.tag: child.text or "" for child in element} | element.attrib
                values = {name.lower(): value for name, value in given.items()}
                keys = ("fideid", "name", "country", "sex", "title", "w_title", "birthday")
                yield _person(*(values.get(key, "") for key in keys))
                root.clear()
    except (ParseError, DefusedXmlException) as error:
        raise NotAList(f"its XML is damaged: {type(error).__name__}") from error


def _person(
    fide_id: str, name: str, country: str, sex: str, title: str, woman_title: str, birthday: str
) -> FidePerson:
    surname, _comma, first_name = name.partition(",")
    sex = sex.strip().upper()
    title = (title.strip() or woman_title.strip()).upper()
    year = _YEAR.match(birthday.strip())
    return FidePerson(
        fide_id=fide_id.strip(),
        surname=surname.strip(),
        first_name=first_name.strip(),
        country=country.strip(),
        sex="m" if sex == "M" else "f" if sex[:1] in ("F", "W") else "",
        title=OLD_TITLES.get(title, title)[:5],
        born=int(year[0]) if year else None,
    )
