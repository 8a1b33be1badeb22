"""When a list was published, and by what name whoever stands in it is known."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from players.models import Federation, Player
from players.settings import today
from ratings import approval, recompute
from ratings.intake import import_journal
from ratings.journal import journal_lines
from ratings.merging import merge_players
from ratings.models import RatingList
from ratings.replay import replay
from ratings.rulesets import journal, rulesets
from ratings.rulesets.journal_lines import plain
from ratings.tests.eventful import eventful
from ratings.tests.files import fetched, table_of
from ratings.tests.office import approved, published, recompute_all, register, submitted
from tests.built_once import built_once

pytestmark = pytest.mark.django_db


@pytest.fixture
@built_once
def played(csa: Federation) -> list[Player]:
    players = register(csa, 10)
    approved(submitted(csa, players))
    approved(submitted(csa, players, number="2024-002", ends=date(2024, 3, 8), seed=2))
    return players


def test_a_list_of_an_earlier_day_is_published_when_it_is_published(
    csa: Federation, played: list[Player]
) -> None:
    began = timezone.now()
    lists = published(csa, today(csa) - timedelta(days=20))
    assert lists != []
    assert all(began <= each.published_at <= timezone.now() for each in lists)


def test_a_list_without_a_decision_came_with_a_journal_and_was_published_on_its_day(
    csa: Federation, played: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ratings.publication.decide", lambda *_, **__: None)
    [rating_list, *_rest] = published(csa, date(2024, 4, 1))
    assert isinstance(rating_list, RatingList)
    assert rating_list.published_at.date() == date(2024, 4, 1)


def test_a_name_withheld_is_withheld_under_the_numbers_that_were_merged_into_it_too(
    csa: Federation, played: list[Player]
) -> None:
    kept, merged = played[0], played[1]
    Player.objects.filter(pk=kept.pk).update(withheld=True)
    Player.objects.filter(pk=merged.pk).update(merged_into=kept)
    told = "\n".join(journal_lines(csa))
    assert "Invented00" not in told
    assert "Invented01" not in told
    assert "Invented02" in told


def test_a_file_of_a_list_says_no_more_of_who_asked_not_to_be_named_than_the_page(
    client: Client, csa: Federation, played: list[Player]
) -> None:
    rating_list = next(each for each in published(csa, date(2024, 4, 1)) if each.track == "otb-main")
    player = rating_list.rows.order_by("position")[0].player
    Player.objects.filter(pk=player.pk).update(withheld=True, title="WGM")
    rows = table_of(fetched(client, "/csa/lists/2024-04/otb-main/r1/list.csv"))
    row = next(row for row in rows if player.number in row)
    assert row[2:6] == ["withheld", "", "", ""]


# ---------------------------------------------------------------- as the office knew it that day


def told_of(client: Client, office: Federation, number: str, day: date) -> dict[str, tuple[str | None, int]]:
    """What a player's page says of a day, track by track."""
    groups = client.get(f"/{office.code}/players/{number}/?on={day}").context["groups"]
    rows = (row for _name, of_group in groups for row in of_group)
    return {row.track: (None if row.rating is None else plain(row.rating), row.games) for row in rows}


def replayed_of(lines: list[str], number: str, day: date) -> dict[str, tuple[str | None, int]]:
    answer = replay("".join(f"{line}\n" for line in lines).encode(), day)
    return {
        row["track"]: (row["rating"], row["games"]) for row in answer["ratings"] if row["player"] == number
    }


def out_of_order(lines: list[str]) -> Iterator[tuple[date, set[str]]]:
    """Days before something is approved that was played before what is known then, and who played in it."""
    sections: dict[str, dict[str, Any]] = {}
    newest, day = date.min, date.min
    for line in map(json.loads, lines):
        if line["fact"] == "section":
            sections[line["id"]] = line
        if line["fact"] == "rated":
            section, on = sections[line["section"]], date.fromisoformat(line["on"])
            ends = date.fromisoformat(section["ends"])
            if ends < newest and date.min < day < on:
                yield day, {entry["player"] for entry in section["entries"]}
            newest = max(newest, ends)
        day = date.fromisoformat(line["on"]) if "on" in line else day


@pytest.mark.long
@pytest.mark.parametrize("slug", ["ssdc", "pfo", "piskvorky"])
def test_what_was_played_early_and_approved_late_is_known_only_from_its_approval_on(
    client: Client, slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recompute, "_READ_AHEAD", 2)
    lines = eventful(rulesets()[slug], 2, sections=20)
    late = list(out_of_order(lines))
    assert late
    office = import_journal(journal.read_journal(lines), on=today_of(lines))
    recompute_all(office)
    with time_machine.travel(datetime.combine(today_of(lines), time(12), UTC), tick=False):
        for day, players in late:
            for number in players:
                answer = client.get(f"/{office.code}/players/{number}/?on={day}")
                if answer.status_code == 200:
                    assert told_of(client, office, number, day) == replayed_of(lines, number, day)


def today_of(lines: list[str]) -> date:
    days = [date.fromisoformat(fact["on"]) for fact in map(json.loads, lines) if "on" in fact]
    return days[-1] + timedelta(30)


def test_a_section_taken_back_since_still_counts_on_the_days_on_which_it_did(
    client: Client, csa: Federation
) -> None:
    players = register(csa, 8)
    first, second = (
        submitted(csa, players, number=f"2024-00{n}", ends=date(2024, 3, n), seed=n) for n in (3, 5)
    )
    approved(first, on=date(2024, 3, 10))
    approved(second, on=date(2024, 3, 12))
    number = players[0].number
    before = told_of(client, csa, number, date(2024, 3, 12))
    second.refresh_from_db()
    approval.unrate(
        section=second, by=None, on=date(2024, 3, 20), version=second.version, reason="result", words="slip"
    )
    recompute_all(csa)
    lines = list(journal_lines(csa))
    assert (
        told_of(client, csa, number, date(2024, 3, 19))
        == before
        == replayed_of(lines, number, date(2024, 3, 19))
    )
    assert told_of(client, csa, number, date(2024, 3, 20)) == replayed_of(lines, number, date(2024, 3, 20))
    assert told_of(client, csa, number, date(2024, 3, 20)) != before
    page = client.get(f"/csa/players/{number}/?on=2024-03-19").content.decode()
    assert "Open 2024-005, A" in page, "among the events played"
    *_earlier, link = re.findall(rf'href="(/csa/players/{number}/otb-main/[0-9]+/[?]on=2024-03-19)"', page)
    assert client.get(link).status_code == 200
    assert client.get(link.partition("?")[0]).status_code == 404, "nothing of it is known now"


def test_two_who_were_merged_since_have_their_own_pages_on_the_days_before(
    client: Client, csa: Federation
) -> None:
    players = register(csa, 9)
    approved(submitted(csa, players[:8]), on=date(2024, 3, 10))
    merge_players(player=players[0], into=players[8], by=None, on=date(2024, 3, 20), reason="one person")
    recompute_all(csa)
    lines = list(journal_lines(csa))
    for player in (players[0], players[8]):
        told = told_of(client, csa, player.number, date(2024, 3, 19))
        assert told == replayed_of(lines, player.number, date(2024, 3, 19))
    moved = client.get(f"/csa/players/{players[0].number}/?on=2024-03-20")
    assert moved.status_code == 302
    assert moved["Location"] == f"/csa/players/{players[8].number}/?on=2024-03-20"


def test_a_player_s_page_knows_the_days_of_the_record_and_no_others(client: Client, csa: Federation) -> None:
    players = register(csa, 8)
    approved(submitted(csa, players), on=date(2024, 3, 10))
    page = f"/csa/players/{players[0].number}/"
    now = today(csa)
    for day in ("2024-03-10", str(now)):
        assert client.get(f"{page}?on={day}").status_code == 200
    for odd in ("2024-03-09", str(now + timedelta(days=1)), "9999-12-31", "soon", "2024-3-10", "2024-W11-1"):
        assert client.get(f"{page}?on={odd}").status_code == 404, odd
