"""Why a rating moved: the sentence, the picture of what it compares, and the words for who did not play."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
import time_machine
from django.template.loader import render_to_string
from django.test import Client
from django.utils.translation import gettext, override

from players.display import BARS_LEFT, BARS_RIGHT, LEAST_BAR_WIDTH, draw_bars
from players.models import Federation
from ratings import workings
from ratings.intake import import_journal
from ratings.models import Change
from ratings.rulesets import journal, rulesets
from ratings.tests.journals import journal_of
from ratings.tests.mahjong_record import DAY, Office
from ratings.tests.office import approved, published, recompute_all, register, submitted

WEEK = timedelta(7)


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return re.sub(r"\s+", " ", response.getvalue().decode())


def test_the_sentence_of_a_working_begins_with_a_capital_and_none_of_its_parts_does() -> None:
    parts = [SimpleNamespace(words=words, clause="") for words in ("games are not rated", "from 1 to 2")]
    said = " ".join(
        re.sub("<.*?>", " ", render_to_string("ratings/_in_short.html", {"summary": parts})).split()
    )
    assert said.startswith("Games are not rated")
    assert "; from 1 to 2" in said


@pytest.mark.parametrize("language", ["cs", "pl", "ru"])
def test_each_part_of_that_sentence_begins_in_every_language_as_it_does_in_english(language: str) -> None:
    for ruleset in rulesets().values():
        for key, text in ruleset.words.messages.items():
            if key.startswith("in-short") and text[0].islower():
                with override(language):
                    said = gettext(text)
                assert not said[0].isupper(), (ruleset.slug, key, said)


def drawn(*values: int) -> dict[str, Any]:
    return draw_bars([("", "", Decimal(value)) for value in values])


def test_bars_begin_at_nought_and_the_longest_fills_the_width() -> None:
    longer, shorter = drawn(4, 2)["bars"]
    assert (longer["x"], longer["width"]) == (f"{BARS_LEFT:.1f}", f"{BARS_RIGHT - BARS_LEFT:.1f}")
    assert float(shorter["width"]) * 2 == float(longer["width"])


def test_bars_below_nought_go_to_the_left_of_its_line() -> None:
    picture = drawn(30, -10, 0)
    gained, lost, nothing = picture["bars"]
    assert gained["x"] == picture["zero_x"]
    assert float(lost["x"]) + float(lost["width"]) == pytest.approx(float(picture["zero_x"]), abs=0.11)
    assert lost["negative"]
    assert not gained["negative"]
    assert nothing["width"] == f"{LEAST_BAR_WIDTH:.1f}"


@pytest.mark.django_db
def test_csa_29_a_working_says_what_was_scored_and_expected_and_draws_it(
    client: Client, csa: Federation
) -> None:
    players = register(csa, 10)
    for number, day in (("2024-001", 1), ("2024-002", 10)):
        approved(submitted(csa, players, number=number, ends=date(2024, 4, day), seed=day))
    published(csa, date(2024, 5, 1))
    section = approved(submitted(csa, players, number="2024-003", ends=date(2024, 5, 9), seed=3))
    change = Change.objects.get(fact=section, player=players[0], track="otb-main")
    scored, expected = workings.explain_change(change).bars
    shown = page(client, f"/csa/players/{players[0].number}/otb-main/{section.number}/")
    places = workings.SUMMARY_PLACES
    told = [workings.value_in_words(bar.value, places) for bar in (scored, expected)]
    assert f'aria-label="Scored: {told[0]}, Expected: {told[1]}"' in shown
    assert f"Scored {told[0]} in 6 games where" in shown
    first = Change.objects.filter(player=players[0], track="otb-main").earliest("order")
    assert workings.explain_change(first).bars == (), "without a rating no score is expected"


@pytest.mark.django_db
def test_mahjong_5_a_working_draws_the_result_beside_the_rating_without_it_and_with_it(
    client: Client,
) -> None:
    record = Office()
    record.admit("Anna Boris Vera")
    record.admit("Boris Anna Galina", ends=DAY + WEEK)
    written = journal_of(record.ruleset, record.facts)
    recompute_all(import_journal(journal.read_journal(written.splitlines()), on=DAY + WEEK))
    change = Change.objects.filter(player__number="Anna").latest("order")
    result, before, after = workings.explain_change(change).bars
    assert (result.value, before.value, after.value) == (Decimal("0.5"), Decimal(1), change.after)
    first = Change.objects.filter(player__number="Anna").earliest("order")
    assert [bar.key for bar in workings.explain_change(first).bars] == ["bar-result", "bar-after"]


@pytest.mark.django_db
def test_who_moved_without_a_game_reads_from_what_to_what_and_why(client: Client) -> None:
    record = Office()
    record.admit("Anna Boris Vera")
    record.admit("Boris Vera Galina", ends=DAY + WEEK)
    written = journal_of(record.ruleset, record.facts)
    office = import_journal(journal.read_journal(written.splitlines()), on=DAY + WEEK)
    recompute_all(office)
    with time_machine.travel(DAY + 3 * WEEK):
        rows = client.get("/mahjong/players/Anna/").context["changes"]
        drift = next(row.line for row in rows if row.line.others)
        shown = page(client, drift.working_url.partition("#")[0])
        assert "without a game of this player" in shown
        assert f"from {drift.before:.4f} to {drift.after:.4f}" in shown
        assert "The section that moved it" in shown
        quiet = page(client, f"/mahjong/players/Anna/?on={DAY + 2 * WEEK:%Y-%m-%d}")
        assert "without a game of this player" not in quiet
