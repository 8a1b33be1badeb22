"""Two lines of one file with the same id are told, line by line, before anything else is asked of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.test import Client

from players.models import Player, User
from tournaments.formats.sheet import National, OtherId, SheetPlayer
from tournaments.models import Finding, Section
from tournaments.tests.conftest import Send, address
from tournaments.tests.event_files import open_file, open_sheet

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db


def rows(**given: dict[int, object]) -> tuple[SheetPlayer, ...]:
    """The players of `open_file`; `given`: by field, its value of each start number."""
    return tuple(
        replace(row, **{name: of[row.start_number] for name, of in given.items() if row.start_number in of})  # type: ignore[arg-type]
        for row in open_sheet().rows
    )


@pytest.fixture
def told(
    section: Section, register_of_six: list[Player], amahle: User, client_of: ClientOf, upload: Send
) -> Callable[..., list[tuple[int | None, str, str]]]:
    """`told(style, FIELD={…})`: the ids that are told as filed twice, with level and line."""

    def file(style: str, **given: dict[int, object]) -> list[tuple[int | None, str, str]]:
        upload(client_of(amahle), section, open_file(style, rows=rows(**given)))
        found = Finding.objects.filter(section=section, key="identifier-twice")
        return [(each.line, each.level, each.params["id"]) for each in found]

    return file


def test_the_same_id_in_two_players_lines_is_told_once_for_each_line_after_the_first(
    told: Callable[..., list[tuple[int | None, str, str]]],
    section: Section,
    amahle: User,
    client_of: ClientOf,
) -> None:
    found = told("Swiss-Manager", identifier={1: "101000001", 2: "101000001", 4: "101000001"})
    assert [each[1:] for each in found] == [("blocks", "101000001")] * 2
    page = client_of(amahle).get(address(section, "findings")).content.decode()
    assert "has the same id, 101000001" in page


@pytest.mark.parametrize("code", ["RSA", "ZAF"])
def test_the_same_number_in_two_lines_of_the_federation_in_any_code_of_its_nation_is_told(
    told: Callable[..., list[tuple[int | None, str, str]]], code: str
) -> None:
    twice = {number: (National(code, "101000001"),) for number in (1, 3)}
    assert [each[1:] for each in told("TRF26", national=twice)] == [("blocks", "101000001")]


def test_different_ids_are_not_told(told: Callable[..., list[tuple[int | None, str, str]]]) -> None:
    own = {number: (National("RSA", f"10100000{number}"),) for number in (1, 3)}
    assert told("TRF26", national=own) == []
    others = {1: (OtherId("USCF", "7"),), 2: (OtherId("FRBE", "7"),)}  # one value, two registers
    assert told("TRF26", other_ids=others) == []
