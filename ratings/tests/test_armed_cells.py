"""Whatever people typed, no table that anybody downloads makes a formula of it in a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import date
from urllib.parse import urljoin

import pytest
from django.test import Client
from openpyxl import load_workbook

from players.models import Federation, Player, Region, User
from ratings.tests.office import approved, published, register, submitted
from tests.built_once import built_once
from tournaments.models import Event, Section

pytestmark = pytest.mark.django_db
ARMS = "=+-@"
NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?%?")


@pytest.fixture
@built_once
def armed(csa: Federation) -> Federation:
    """An office in which names, clubs, titles, regions and events begin as formulas do."""
    Region.objects.filter(code="GAU").update(name="=Gauteng")
    players = register(csa, 10)
    for n, player in enumerate(players):
        arm = ARMS[n % len(ARMS)]
        player.surname, player.first_name = f"{arm}cmd|' /C calc'!A{n}", f"{arm}SUM(A1:A9)"
        player.club, player.title = f'{arm}HYPERLINK("x")', f"{arm}T"
        player.save()
    for number, seed in (("2024-001", 1), ("2024-002", 2)):
        approved(submitted(csa, players, number=number, seed=seed))
    Event.objects.update(name="@SUM(1)", place="-2+3", organizer="+1")
    published(csa, date(2024, 4, 1))
    return csa


def tables_of(name: str, content: bytes) -> Iterator[list[str]]:
    """The cells of text of each row of a file: a CSV by either separator, a workbook, those in a ZIP."""
    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for each in archive.namelist():
                yield from tables_of(each, archive.read(each))
    elif name.endswith(".xlsx"):
        for sheet in load_workbook(io.BytesIO(content)):
            for row in sheet.iter_rows():
                assert not [cell.coordinate for cell in row if cell.data_type == "f"], name
    elif name.endswith(".csv"):
        for delimiter in ",;\t":
            yield from csv.reader(io.StringIO(content.decode("utf-8-sig", "replace")), delimiter=delimiter)


def linked_tables(client: Client, pages: list[str]) -> set[str]:
    """The addresses of tables to which pages link."""
    found = {page: client.get(page).content.decode() for page in pages}
    return {
        urljoin(page, link)
        for page, content in found.items()
        for link in re.findall(r'href="([^"?]+\.(?:csv|xlsx|zip))["?]', content)
    }


def test_no_cell_of_any_table_to_download_is_a_formula(
    armed: Federation, nomsa: User, client_of: Callable[[User], Client]
) -> None:
    browser = client_of(nomsa)
    number = Player.objects.values_list("number", flat=True)[0]
    pages = [f"/csa/{each}" for each in ("", "lists/2024-04/otb-main/", "tables/", "desk/")]
    pages += [each.get_absolute_url() for each in Section.objects.select_related("event__federation")]
    pages += [f"/csa/players/{number}/", "/csa/players/", "/csa/lists/", "/csa/events/"]
    tables = linked_tables(browser, pages) | {f"/csa/register/players.{kind}" for kind in ("csv", "xlsx")}
    read = {}
    for address in sorted(tables):
        answer = browser.post(address) if "/register/" in address else browser.get(address)
        if answer.status_code == 200:
            read[address] = sum(1 for _row in armed_rows(address, answer.getvalue()))
    for kind in ("list.csv", "list.xlsx", "players.csv", "players.xlsx", "/events/", ".zip"):
        assert [address for address in read if kind in address], (kind, tables, read)
    assert not {address: count for address, count in read.items() if count}


def armed_rows(name: str, content: bytes) -> Iterator[list[str]]:
    for row in tables_of(name, content):
        if any(cell[:1] in (*ARMS, "\t", "\r") and cell and not NUMBER.fullmatch(cell) for cell in row):
            yield row
