"""Players with formulas for names: whatever is downloaded as a table, anywhere, holds none.

The addresses are those of the matrix of permissions, which names them all: a new download is tried unasked.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any
from zipfile import ZipFile

import pytest
from django.urls import reverse
from openpyxl import load_workbook

from players.models import Federation, Player
from ratings.models import RatingList
from ratings.rulesets import rulesets
from ratings.rulesets.downloads import DownloadHead, DownloadRow
from ratings.rulesets.profile import equipment_of
from ratings.tests import office
from tests import access_world
from tests.access_world import World
from tests.built_once import built_once
from tests.test_access_matrix import MATRIX, whole_world

NAMES = (
    '=HYPERLINK("http://example.org/";"a")',
    "+1+a",
    "-1+a",
    "@SUM(a)",
    "\uff1da",
    # a formula only where a spreadsheet parts cells otherwise, or passes over what stands before
    "x;=1+a",
    "x,=1+a",
    'x;"=1+a;"',
    " =1+a",
    "|a",
    "%a",
)
FORMULA = ("=", "+", "-", "@", "|", "%", "\uff1d", "\uff0b", "\uff0d", "\uff20")
SEPARATORS = ",;\t"
CONTROLS = ("\t=a", "\r=a", "\n=a")  # no name in a journal begins so; a layout still does its own part
TABLES = ("text/csv", "application/zip", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")


@pytest.fixture(autouse=True)
def named_for_mischief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody whom the world of the matrix enters in a register."""

    def register(federation: Federation, count: int) -> list[Player]:
        players = office.register(federation, count)
        for number, player in enumerate(players):
            player.surname = player.first_name = NAMES[number % len(NAMES)]
        Player.objects.bulk_update(players, ["surname", "first_name"])
        return players

    monkeypatch.setattr(access_world, "register", register)


@pytest.fixture
def world(db: None) -> World:
    return whole_world()


@pytest.fixture
@built_once
def csa(world: World) -> Federation:
    return Federation.objects.get(code="csa")


def cells_of(data: bytes) -> Iterator[str]:
    """Every cell of a CSV by each separator that a spreadsheet may have, every formula of a workbook (where a
    text is one by its type), either in a ZIP.
    """
    if not data.startswith(b"PK\x03\x04"):
        for mark in SEPARATORS:
            text = io.StringIO(data.decode("utf-8-sig"), newline="")
            yield from (cell for row in csv.reader(text, delimiter=mark) for cell in row)
        return
    with ZipFile(io.BytesIO(data)) as archive:
        if "xl/workbook.xml" not in archive.namelist():
            for name in archive.namelist():
                yield from cells_of(archive.read(name))
            return
    for page in load_workbook(io.BytesIO(data)):
        for row in page.iter_rows():
            yield from (str(cell.value) for cell in row if cell.data_type == "f")


def formulas_in(data: bytes) -> list[str]:
    return [
        cell for cell in cells_of(data) if cell.lstrip(' "\t').startswith(FORMULA) and not is_number(cell)
    ]


def is_number(cell: str) -> bool:
    return cell.lstrip("+-").replace(".", "", 1).replace(",", "", 1).isdecimal()


def content_of(answer: Any) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else bytes(answer.content)


@pytest.mark.long
def test_no_address_gives_out_a_formula(world: World) -> None:
    browser, tables = world.browser("nomsa"), {}
    for name in MATRIX:
        answer = browser.get(world.address(name, "gauteng"))
        content = content_of(answer)  # a file is open until it is read
        if answer.headers.get("Content-Type", "").split(";")[0] in TABLES:
            tables[name] = content
    assert {"ratings:list_download", "ratings:table_csv", "tournaments:table"} <= set(tables)
    assert {name: found for name, data in tables.items() if (found := formulas_in(data))} == {}


def test_no_layout_of_a_published_list_gives_out_a_formula(world: World, csa: Federation) -> None:
    browser, tried = world.browser("anonymous"), []
    stands = world.things["gauteng"]["revision"]
    assert RatingList.objects.get(federation=csa, track=stands[2], revision=stands[3]).rows.count() == 8
    for layout in csa.publication.downloads:
        if layout.suffix not in ("csv", "xlsx", "zip"):
            continue
        answer = browser.get(reverse("ratings:list_download", args=(*stands, layout.code, layout.suffix)))
        assert answer.status_code == 200
        data = content_of(answer)
        assert formulas_in(data) == [], layout.code
        assert layout.suffix == "xlsx" or any("HYPERLINK" in cell for cell in cells_of(data)), layout.code
        tried.append(layout.suffix)
    assert set(tried) == {"csv", "xlsx", "zip"}


def lines() -> Iterator[DownloadRow]:
    for rank, name in enumerate(NAMES + CONTROLS, 1):
        yield DownloadRow(
            rank, f"10100000{rank}", name, name, 1984, "m", name, name, Decimal("-12.5"), 3, None, name, name
        )


@pytest.mark.parametrize("slug", sorted(rulesets()))
def test_no_layout_of_any_federation_writes_a_formula(slug: str) -> None:
    ruleset = rulesets()[slug]
    track = next(iter(ruleset.tracks))
    head = DownloadHead(slug, getattr(track, "slug", str(track)), date(2026, 5, 1), 1, "Rules", "ab" * 32)
    for layout in equipment_of(ruleset).publication.downloads:
        if layout.suffix in ("csv", "xlsx", "zip"):
            file = io.BytesIO()
            layout.write(head, lines(), file)
            assert formulas_in(file.getvalue()) == [], layout.code
