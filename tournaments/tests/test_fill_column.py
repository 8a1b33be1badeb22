"""A column of new players' particulars, pasted or given for all: filled in to be looked at, then saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from tournaments.entries import fill_column
from tournaments.models import Entry, Section
from tournaments.tests.conftest import Send, address, fresh
from tournaments.tests.elo_files import ELO
from tournaments.tests.test_table_filing import Opened, opened, vera

__all__ = ["opened", "vera"]
Vera = Callable[[Section], Client]
THREE = [
    Entry(number=2, surname="Nowak", first_name="Anna"),
    Entry(number=5, surname="Wójcik", first_name="Ewa"),
    Entry(number=9, surname="Lis", first_name="Jan"),
]


def fill(pasted: str, default: str = "", column: str = "sex", typed: str = "") -> tuple[list[str], list[str]]:
    data, errors = fill_column(QueryDict(typed), column, THREE, pasted, default)
    return [data.get(f"new-{entry.number}-{column}", "") for entry in THREE], errors


@pytest.mark.parametrize(
    ("pasted", "expected"),
    [
        ("f\nf\nm", ["f", "f", "m"]),
        ("F\nk\nM\n", ["f", "f", "m"]),
        ("9\tm\n2\tf", ["f", "", "m"]),
        ("Lis, Jan;m\nWójcik, Ewa;f", ["", "f", "m"]),
        ("WOJCIK, EWA\tж", ["", "f", ""]),
        ("5,f", ["", "f", ""]),
        ("Nowak, Anna, f\n77\tm", ["f", "", ""]),
    ],
)
def test_a_pasted_column_goes_by_order_number_or_name(pasted: str, expected: list[str]) -> None:
    assert fill(pasted) == (expected, [])


def test_one_value_fills_all_others_and_what_was_typed_stays() -> None:
    assert fill("2\tf", "m", typed="new-9-sex=f") == (["f", "m", "f"], [])
    assert fill("", "POL", column="federation") == (["POL"] * 3, [])


@pytest.mark.parametrize(
    ("pasted", "words"),
    [("f\nm", "2 lines were pasted for 3 players"), ("f\nm\nf\nm", "4 lines"), ("Kos, Jan\tm", "Kos, Jan")],
)
def test_lines_that_do_not_fit_fill_nothing_and_say_why(pasted: str, words: str) -> None:
    values, errors = fill(pasted, "m")
    assert values == ["", "", ""]
    assert words in errors[0]


# ---------------------------------------------------------------- on the page


@pytest.fixture
def filed(opened: Opened, vera: Vera, upload: Send) -> Section:
    """Four players whom nobody knows, without nations."""
    section = opened("pfo", "swiss", status="gpp", season="2025/2026")
    upload(vera(section), section, ELO.replace(", POL", ", ?").encode())
    return fresh(section)


def values(page: Any, name: str) -> list[str]:
    return [str(card["newcomer"][name].value() or "") for card in page.context["cards"]]


def test_a_column_is_filled_in_on_the_page_and_holds_once_it_is_saved(
    filed: Section, vera: Vera, send: Send
) -> None:
    client, version = vera(filed), filed.version
    given = {"version": version, "entry": ["1", "2", "3", "4"], "fill-in": "1"}
    page = client.post(
        address(filed, "players/decide"), given | {"fill-column": "sex", "fill-values": "f\nm\nf\nf"}
    )
    assert (page.status_code, values(page, "sex")) == (200, ["f", "m", "f", "f"])
    assert set(filed.entries.values_list("match", flat=True)) == {"none"}
    typed = {f"new-{n}-sex": sex for n, sex in enumerate("fmff", 1)}
    page = client.post(
        address(filed, "players/decide"),
        given | typed | {"fill-column": "federation", "fill-default": "POL", "new-2-federation": "CZE"},
    )
    assert values(page, "federation") == ["POL", "CZE", "POL", "POL"]
    assert values(page, "sex") == ["f", "m", "f", "f"]
    nations = {f"new-{n}-federation": nation for n, nation in enumerate(("POL", "cze", "POL", ""), 1)}
    send(
        client,
        address(filed, "players/decide"),
        {"version": version, "entry": ["1", "2", "3", "4"]} | typed | nations,
    )
    entries = fresh(filed).entries.all()
    assert [(entry.sex, entry.federation, entry.match) for entry in entries] == [
        ("f", "POL", "new"),
        ("m", "CZE", "new"),
        ("f", "POL", "new"),
        ("f", "", "new"),
    ]


def test_a_nation_is_three_letters(filed: Section, vera: Vera, send: Send) -> None:
    answers = {"version": filed.version, "entry": ["1"], "new-1-sex": "f", "new-1-federation": "Poland"[:2]}
    page = send(vera(filed), address(filed, "players/decide"), answers)
    assert "Write the nation as three letters" in page.content.decode()


def test_a_nation_that_the_file_gives_is_not_asked(opened: Opened, vera: Vera, upload: Send) -> None:
    section = opened("pfo", "swiss", status="gpp", season="2025/2026")
    upload(vera(section), section, ELO.encode())
    page = vera(section).get(address(section, "players"))
    assert all("federation" not in card["newcomer"].fields for card in page.context["cards"])


def test_the_page_offers_the_columns_that_are_asked(filed: Section, vera: Vera) -> None:
    page = vera(filed).get(address(filed, "players"))
    assert [name for name, _label in page.context["fill"].fields["column"].choices] == ["sex", "federation"]
    assert "Fill in a column for many new players at once" in page.content.decode()
