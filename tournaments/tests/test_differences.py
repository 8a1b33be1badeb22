"""Two files of a section are compared: games, players, particulars; and bytes let go are said to be gone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from players.models import Federation, User
from tests.built_once import built_once
from tournaments.filing import compare_sheet_summaries
from tournaments.formats.sheet import Sheet, SheetPlayer
from tournaments.models import Event, FiledSheet, Section, Upload

ClientOf = Callable[[User], Client]
DAY = date(2024, 3, 2)


def sheet(**changed: Any) -> dict[str, Any]:
    """A sheet in short of three invented players."""
    names = {"1": "Acacia, Ann", "2": "Baobab, Ben", "3": "Cycad, Cem"}
    players = {
        number: {
            "name": name,
            "id": f"10{number}",
            "birth": "2001",
            "title": "",
            "points": "1",
            "place": number,
        }
        for number, name in names.items()
    }
    particulars = dict.fromkeys(("starts", "ends", "rounds", "place", "time", "arbiters"), "")
    return {
        "players": players,
        "games": [[1, 1, 2, "1-0"], [2, 3, 1, "1/2"]],
        "byes": [[1, 3, "full"]],
        "particulars": particulars,
        **changed,
    }


def told(rows: Any) -> list[tuple[str, str, str]]:
    return list(rows)


def test_the_same_content_has_no_difference() -> None:
    assert compare_sheet_summaries(sheet(), sheet(), show_births=True) == {}


def test_a_game_turned_round_is_told_with_both_results() -> None:
    new = sheet(games=[[1, 1, 2, "0-1"], [2, 3, 1, "1/2"]])
    assert told(compare_sheet_summaries(sheet(), new, show_births=True)["games"]) == [
        ("Round 1: Acacia, Ann – Baobab, Ben", "1-0", "0-1")
    ]


def test_a_game_more_or_less_and_a_bye_are_told() -> None:
    new = sheet(games=[[1, 1, 2, "1-0"], [2, 3, 1, "1/2"], [3, 2, 3, "1-0"]], byes=[])
    assert told(compare_sheet_summaries(sheet(), new, show_births=True)["games"]) == [
        ("Round 1: Cycad, Cem", "full-point bye", "–"),
        ("Round 3: Baobab, Ben – Cycad, Cem", "–", "1-0"),
    ]


def test_a_file_that_numbers_its_players_anew_says_the_same() -> None:
    old = sheet()
    players = {"7": old["players"]["1"], "8": old["players"]["2"], "9": old["players"]["3"]}
    new = sheet(players=players, games=[[1, 7, 8, "1-0"], [2, 9, 7, "1/2"]], byes=[[1, 9, "full"]])
    assert compare_sheet_summaries(old, new, show_births=True) == {}


def test_a_players_fields_are_told_and_births_only_to_who_may_see_them() -> None:
    new = sheet()
    new["players"]["2"] = {**new["players"]["2"], "birth": "2002", "points": "0", "name": "Baobab, Bene"}
    seen = told(compare_sheet_summaries(sheet(), new, show_births=True)["players"])
    assert ("2 Baobab, Ben: Birth", "2001", "2002") in seen
    assert ("2 Baobab, Ben: Points", "1", "0") in seen
    assert ("2 Baobab, Ben: Name", "Baobab, Ben", "Baobab, Bene") in seen
    assert not any(
        "Birth" in what
        for what, *_ in told(compare_sheet_summaries(sheet(), new, show_births=False)["players"])
    )


def test_a_player_more_or_less_is_told() -> None:
    new = sheet()
    del new["players"]["3"]
    new["players"]["4"] = {**new["players"]["1"], "id": "104", "name": "Date, Dan"}
    assert told(compare_sheet_summaries(sheet(), new, show_births=True)["players"]) == [
        ("3 Cycad, Cem", "in the file", "not in the file"),
        ("4 Date, Dan", "not in the file", "in the file"),
    ]


def test_whoever_took_over_the_number_of_one_who_left_is_not_taken_for_them() -> None:
    new = sheet()
    new["players"]["3"] = {**new["players"]["3"], "id": "104", "name": "Date, Dan"}
    old = sheet()
    compared = compare_sheet_summaries(old, new, show_births=True)
    assert told(compared["players"]) == [
        ("3 Cycad, Cem", "in the file", "not in the file"),
        ("3 Date, Dan", "not in the file", "in the file"),
    ]
    assert ("Round 2: Cycad, Cem – Acacia, Ann", "½-½", "–") in told(compared["games"])
    assert ("Round 2: Date, Dan – Acacia, Ann", "–", "½-½") in told(compared["games"])


def test_a_name_corrected_under_the_same_number_without_ids_stays_one_player() -> None:
    old, new = sheet(), sheet()
    for one in (old, new):
        for number, row in one["players"].items():
            one["players"][number] = {**row, "id": ""}
    new["players"]["3"]["name"] = "Cycad, Cemal"
    assert told(compare_sheet_summaries(old, new, show_births=True)["players"]) == [
        ("3 Cycad, Cem: Name", "Cycad, Cem", "Cycad, Cemal")
    ]


def test_particulars_are_told() -> None:
    new = sheet(particulars={**sheet()["particulars"], "rounds": "9"})
    assert told(compare_sheet_summaries(sheet(), new, show_births=True)["particulars"]) == [
        ("Rounds", "–", "9")
    ]


@pytest.mark.parametrize(("points", "shown"), [("10.0", "10"), ("2.5", "2.5"), ("0", "0")])
def test_points_are_kept_as_people_write_them(points: str, shown: str) -> None:
    row = SheetPlayer(1, "Acacia, Ann", points=Decimal(points))
    assert Sheet(rows=(row,)).summarize()["players"]["1"]["points"] == shown


# ---------------------------------------------------------------- the page


@pytest.fixture
@built_once
def section(csa: Federation) -> Section:
    event = Event.objects.create(
        federation=csa,
        number="2024-001",
        name="Open",
        region=csa.regions.get(code="GAU"),
        starts=DAY,
        ends=DAY,
        registered_on=DAY,
    )
    return Section.objects.create(event=event, code="A", name="A", starts=DAY, ends=DAY, format="swiss")


def upload(section: Section, number: int, content: dict[str, Any] | None) -> Upload:
    made = Upload.objects.create(
        federation=section.event.federation,
        section=section,
        at=timezone.now(),
        on=DAY,
        name=f"{number}.trf",
        size=3,
        sha256=f"{number:064}",
        content=b"012",
        state=Upload.State.READ,
    )
    if content:
        FiledSheet.objects.create(upload=made, content=content)
    return made


def page(client: Client, section: Section, query: str = "") -> str:
    answer = client.get(f"{section.get_absolute_url()}differences/{query}")
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


@pytest.mark.django_db
def test_region_and_official_see_the_newest_against_the_one_before_or_any_two(
    section: Section, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    turned = sheet(games=[[1, 1, 2, "0-1"], [2, 3, 1, "1/2"]])
    first, second, third = (upload(section, n, one) for n, one in enumerate((sheet(), turned, turned)))
    for person in (amahle, nomsa):
        assert "The two files say the same." in page(client_of(person), section)
        both = page(client_of(person), section, f"?old={first.pk}&new={third.pk}")
        assert "Round 1: Acacia, Ann – Baobab, Ben" in both
    assert second.pk


@pytest.mark.django_db
def test_one_file_alone_has_nothing_to_be_compared_with(
    section: Section, amahle: User, client_of: ClientOf
) -> None:
    upload(section, 1, sheet())
    assert "There is one file only" in page(client_of(amahle), section)


@pytest.mark.django_db
def test_bytes_that_were_let_go_are_said_to_be_gone(
    section: Section, amahle: User, client_of: ClientOf
) -> None:
    gone = upload(section, 1, None)
    Upload.objects.filter(pk=gone.pk).update(content=None, let_go_on=DAY, let_go_because="decided")
    upload(section, 2, sheet())
    assert "The file itself was deleted on 2 March 2024" in page(client_of(amahle), section)
