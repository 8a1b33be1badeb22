"""Reads an office's public pages, downloads and API as a visitor does, and adds up their numbers.

It knows nothing of the database: it follows links from lists and players, parses what is printed, and names
each row and each run of rows whose numbers do not add up. `Visitor.rows` counts the rows that it added up.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

from django.test import Client

NOTHING = Decimal(0)
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "use", "wbr"}


# ---- Pages as trees of elements
@dataclass(eq=False)
class Element:
    tag: str
    attributes: dict[str, str]
    children: list[Element | str] = field(default_factory=list)

    @property
    def classes(self) -> list[str]:
        return self.attributes.get("class", "").split()

    def all(self, tag: str = "", of_class: str = "") -> Iterator[Element]:
        for child in self.children:
            if isinstance(child, Element):
                if (not tag or child.tag == tag) and (not of_class or of_class in child.classes):
                    yield child
                yield from child.all(tag, of_class)

    def find(self, id: str) -> Element | None:
        return next((each for each in self.all() if each.attributes.get("id") == id), None)

    def seen(self) -> str:
        """The text that is seen: without what is for readers by ear alone, and what stands below in small."""
        if {"visually-hidden", "sub"} & set(self.classes):
            return ""
        return "".join(each if isinstance(each, str) else each.seen() for each in self.children)


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        if any(each.tag == tag for each in self.open[1:]):
            while self.open.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read_html(text: str) -> Element:
    reader = Reader()
    reader.feed(text)
    reader.close()
    return reader.root


NO_TABLE = Element("table", {})
NUMBER = re.compile(r"[+−±-]?\d+(?:[.,]\d+)?")


def numbers_in(text: str) -> list[Decimal]:
    """The numbers in a text, in any of the languages."""
    bare = re.sub(r"[\s\xa0\u202f]", "", text)
    return [
        Decimal(each.replace("−", "-").replace("±", "").replace(",", ".")) for each in NUMBER.findall(bare)
    ]


def number_in(cell: Element) -> Decimal:
    """The number in a cell; nothing where it has none."""
    return next(iter(numbers_in(cell.seen())), NOTHING)


def movement_in(cell: Element) -> tuple[Decimal, Decimal]:
    """What a cell says that came at once, and that waits."""
    waiting = [each for part in cell.all(of_class="waits") for each in part.all(of_class="delta")]
    deltas = [each for each in cell.all(of_class="delta") if each not in waiting]
    waits = sum((number_in(each) for each in waiting), NOTHING)
    return sum((number_in(each) for each in deltas[:1]), NOTHING), waits


def cells_of(row: Element) -> list[Element]:
    return [each for each in row.children if isinstance(each, Element) and each.tag in ("td", "th")]


def headings_of(table: Element) -> list[str]:
    for head in table.all("thead"):
        return [" ".join(each.seen().split()) for each in head.all() if each.tag in ("th", "td")]
    return []


# ---- The visit
@dataclass
class Visitor:
    client: Client
    office: str
    language: str = ""
    """With which addresses begin; empty: with none."""
    wrong: list[str] = field(default_factory=list)
    rows: Counter[str] = field(default_factory=Counter)
    """The number of rows and runs that were added up, by the kind of place."""
    most_workings: int | None = None
    """The most workings of one player; None: all."""

    def get(self, address: str) -> bytes | None:
        answer = self.client.get(address, headers={"accept-language": self.language or "en"})
        return answer.getvalue() if answer.status_code == 200 else None

    def page(self, address: str) -> Element:
        path = f"/{self.language}{address}" if self.language else address
        content = self.get(path)
        assert content is not None, path
        return read_html(content.decode())

    def add(
        self, where: str, before: Decimal | None, at_once: Decimal, after: Decimal | None, kind: str
    ) -> None:
        self.rows[kind] += 1
        if (before or NOTHING) + at_once != (after or NOTHING):
            self.wrong.append(f"{where}: {before} and {at_once} are not {after}")

    def same(self, where: str, one: object, other: object, kind: str) -> None:
        self.rows[kind] += 1
        if one != other:
            self.wrong.append(f"{where}: {one} is not {other}")

    # ---- a player
    def player(self, number: str, track: str) -> None:
        """A player's page in one track with all of its history, and the workings behind it."""
        address = f"/{self.office}/players/{number}/?track={track}"
        page = self.page(address)
        history: list[tuple[Decimal, Decimal, Decimal]] = []
        workings: list[str] = []
        tiles = next(page.all("dl", "figures"), None)
        while True:
            events = page.find("changes")
            assert events is not None, address
            for body in next(events.all("table"), NO_TABLE).children:
                if isinstance(body, Element) and body.tag == "tbody":
                    month = self._month(address, body)
                    history += month[::-1]
                    workings += [
                        each.attributes["data-hx-get"]
                        for each in body.all()
                        if "data-hx-get" in each.attributes
                    ]
            older = [
                link.attributes["href"] for link in events.all("a") if link.attributes.get("rel") == "next"
            ]
            if not older:
                break
            page = self.page(f"/{self.office}/players/{number}/{older[0].partition('#')[0]}")
        before = NOTHING
        for at_once, _waits, after in reversed(history):
            self.add(address, before, at_once, after, "player's row")
            before = after
        self.same(address, sum((each[0] for each in history), NOTHING), before, "player's time")
        waiting = sum((each[1] for each in history), NOTHING)
        rating = next(tiles.all("div"), NO_TABLE) if tiles else NO_TABLE
        said = [number_in(each) for each in rating.all(of_class="delta")]
        self.same(f"{address}: what waits", waiting, said[0] if said else NOTHING, "player's time")
        for each in workings[: self.most_workings]:
            self.working(each)

    def _month(self, where: str, body: Element) -> list[tuple[Decimal, Decimal, Decimal]]:
        """The rows of a month, oldest first, with what its opening and its closing say of them."""
        history: list[tuple[Decimal, Decimal, Decimal]] = []
        for row in body.children:
            if not isinstance(row, Element) or row.tag != "tr":
                continue
            if "folded" in row.classes:
                self._folded(where, history, row)
                continue
            *_more, change, rating = cells_of(row)
            numbers = (*movement_in(change), number_in(rating))
            if "opening" in row.classes:
                head, opens = numbers, not any(change.all(of_class="delta"))
            elif "closing" in row.classes:
                self.add(where, head[2], numbers[0], numbers[2], "month")
                head, opens = numbers, False
            else:
                history.append(numbers)
        assert not opens, where
        sums = tuple(sum((each[at] for each in history), NOTHING) for at in (0, 1))
        self.same(f"{where}: a month", (*sums, history[-1][2]), head, "month")
        return history

    def _folded(self, where: str, history: list[tuple[Decimal, Decimal, Decimal]], row: Element) -> None:
        """Days that a line sums up; a section's own row opens into its games, which have no points."""
        days = [each for each in row.all("li") if any(each.all("time"))]
        if days:
            total = sum((movement_in(each)[0] for each in days), NOTHING)
            self.same(f"{where}: days", total, history[-1][0], "days of a player")

    def working(self, address: str) -> None:
        path = urlsplit(address).path
        page = self.page(path.removeprefix(f"/{self.language}") if self.language else path)
        values = [
            number_in(next(each for each in tile.children if isinstance(each, Element) and each.tag == "dd"))
            for tile in next(page.all("dl", "tiles")).children
            if isinstance(tile, Element)
        ]
        # before, at once, what waits if anything does, after, and the number of games
        self.add(address, values[0], values[1], values[-2], "working")

    def days(self, number: str) -> None:
        """What changed for a player between two days."""
        address = f"/{self.office}/players/{number}/changes/"
        first = next(each for each in self.page(address).all("input") if each.attributes["id"] == "from")
        page = self.page(f"{address}?from={first.attributes['min']}")
        for id in ("both-days", "moves"):
            for row in (page.find(id) or Element("", {})).all("tr"):
                if not any(row.all("td")):
                    continue
                *_more, one, two, three = cells_of(row)
                if id == "moves":
                    self.add(address, number_in(one), movement_in(two)[0], number_in(three), "day's row")
                else:
                    self.add(address, number_in(one), movement_in(three)[0], number_in(two), "two days")

    # ---- sections and lists
    def section(self, address: str, tracks: Iterable[str]) -> None:
        """A rated section: each view in each track, and its file of standings."""
        for track in tracks:
            for view in ("", "&view=standings"):
                content = self.get(
                    f"/{self.language}{address}?track={track}{view}"
                    if self.language
                    else f"{address}?track={track}{view}"
                )
                if content is not None:
                    self._section_tables(f"{address}?track={track}{view}", read_html(content.decode()))
            file = self.get(f"{address}standings.csv?track={track}")
            for row in csv.DictReader(io.StringIO(file.decode("utf-8-sig"))) if file else ():
                before, at_once, after = (Decimal(row[name] or 0) for name in ("before", "at_once", "after"))
                self.add(f"{address}standings.csv", before, at_once, after, "file's row")

    def _section_tables(self, where: str, page: Element) -> None:
        for table in page.all("table", "cross"):
            nums = [
                [cell for cell in cells_of(row) if "num" in cell.classes]
                for row in table.all("tr")
                if any(row.all("td", "place"))
            ]
            for change, new, before, *_performance in (each for each in nums if len(each) >= 3):
                self.add(where, number_in(before), movement_in(change)[0], number_in(new), "section's row")
        for table in page.all("table"):
            for row in table.all("tr"):
                cells = cells_of(row)
                if "cross" not in table.classes and len(cells) == 4 and any(cells[2].all(of_class="delta")):
                    before, change, after = cells[1:]
                    self.add(where, number_in(before), movement_in(change)[0], number_in(after), "absent")

    def list(self, label: str, track: str) -> None:
        """A published list: its rows gained what lies between the list before and this one."""
        address: str | None = f"lists/{label}/{track}/rows"
        known: dict[str, dict[str, Any]] = {}
        while address:
            part = self.json(address)
            known |= {row["player"]: row for row in part["items"]}
            address = self._following(part)
        where = f"/{self.office}/lists/{label}/{track}/"
        for row in self.page(where).all("tr"):
            number, gains = row.attributes.get("id", "")[1:], list(row.all(of_class="delta"))
            if number in known and known[number]["previous"] is not None:
                gain = number_in(gains[0])
                before, rating = (
                    Decimal(known[number][name]).quantize(gain, ROUND_HALF_UP)
                    for name in ("previous", "rating")
                )
                self.add(f"{where} {number}", before, gain, rating, "list's row")

    # ---- programs
    def json(self, address: str) -> Any:
        answer = self.client.get(f"/api/v1/offices/{self.office}/{address}")
        assert answer.status_code == 200, address
        return answer.json()

    def _following(self, part: Any) -> str | None:
        """The address of the next part of an answer."""
        following: str | None = part["next"]
        return following and following.partition(f"/offices/{self.office}/")[2]

    def statement(self, number: str, track: str) -> None:
        """A player's statement by the API: each row, the chain of all, and what they sum up to."""
        address: str | None = f"players/{number}/changes/{track}"
        rows: list[dict[str, Any]] = []
        while address:
            part = self.json(address)
            rows += part["items"]
            address = self._following(part)
        self._chain(f"API, {number}, {track}", rows[::-1], "API's row")

    def _chain(self, where: str, rows: Iterable[dict[str, Any]], kind: str) -> None:
        earlier: str | None = None
        total = waiting = NOTHING
        for row in rows:
            before, after = row["before"] or None, row["after"] or None
            self.same(f"{where}: before", before, earlier, kind)
            self._exact(where, row, kind)
            total, waiting, earlier = total + Decimal(row["at_once"]), waiting + Decimal(row["waits"]), after
        self.same(f"{where}: in all", total, Decimal(earlier or 0), kind)
        if earlier is None:
            self.same(f"{where}: waits without a rating", waiting, NOTHING, kind)

    def _exact(self, where: str, row: dict[str, Any], kind: str) -> None:
        at_once, waits, points = (Decimal(row[name]) for name in ("at_once", "waits", "points"))
        self.add(where, Decimal(row["before"] or 0), at_once, Decimal(row["after"] or 0), kind)
        self.same(f"{where}: points", points, at_once + waits, kind)

    def section_by_program(self, event: str, code: str) -> None:
        """A section by the API; the statement of each player whom it moved has the same row."""
        answer = self.json(f"events/{event}/sections/{code}")
        for row in answer["changes"]:
            self._exact(f"API, {event}/{code}", row, "API's section")
        for row in answer["changes"][:3]:
            items = self.json(f"players/{row['player']}/changes/{row['track']}")["items"]
            own = [each for each in items if each["line"] == answer["line"]]
            numbers = ("before", "at_once", "waits", "points", "after")
            for each in own:
                one, other = ([found[name] for name in numbers] for found in (each, row))
                self.same(f"API, {event}/{code}, {row['player']}", one, other, "API's section")

    def dump(self, address: str) -> None:
        """The statements in a dump."""
        content = self.get(address)
        assert content is not None
        archive = zipfile.ZipFile(io.BytesIO(content))
        with archive.open("ratings.csv") as file:
            rows: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
            for row in csv.DictReader(io.TextIOWrapper(file, "utf-8")):
                rows[row["player"], row["track"]].append(row)
        for (player, track), own in rows.items():
            self._chain(f"dump, {player}, {track}", own, "dump's row")
