"""Cross tables: places, marks, scores and whom a cell speaks of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from django.test import Client

from players.models import Federation, User
from ratings.cross_tables import CrossTable, RoundCell, game_mark_and_style, join_cells
from ratings.models import Fact
from ratings.rulesets.facts import Scoring
from ratings.rulesets.profile import Notation, score_in_halves
from ratings.tests.office import approved, register, submitted
from tests.built_once import built_once
from tournaments.models import Bye, Entry, Game, Section, Stage

pytestmark = pytest.mark.servers


@pytest.mark.parametrize(
    ("result", "first", "second"),
    [
        ("1-0", ("1", "won"), ("0", "lost")),
        ("0-1", ("0", "lost"), ("1", "won")),
        ("1/2", ("½", "drawn"), ("½", "drawn")),
        ("0-0", ("0", "lost"), ("0", "lost")),
        ("+:-", ("+", "unplayed"), ("−", "unplayed")),
        ("-:-", ("−", "unplayed"), ("−", "unplayed")),
        ("annulled", ("×", "unplayed"), ("×", "unplayed")),
    ],
)
def test_a_result_is_marked_from_each_side(
    result: str, first: tuple[str, str], second: tuple[str, str]
) -> None:
    assert tuple(game_mark_and_style(result, side, Notation()) for side in (0, 1)) == (first, second)


@pytest.mark.parametrize(
    ("result", "points"),
    [
        ("1-0", ("1", "0")),
        ("1/2", ("0.5", "0.5")),
        ("0-0", ("0", "0")),
        ("-:+", ("0", "1")),
        ("-:-", ("0", "0")),
        ("annulled", ("0", "0")),
    ],
)
def test_forfeit_wins_are_points_and_annulled_games_are_not(result: str, points: tuple[str, str]) -> None:
    assert Scoring().points_of_game(result) == tuple(map(Decimal, points))


@pytest.mark.parametrize(
    ("points", "text"), [("0", "0"), ("0.5", "½"), ("1", "1"), ("4.5", "4½"), ("10", "10"), ("1.25", "1.25")]
)
def test_a_score_is_written_with_a_half_sign(points: str, text: str) -> None:
    assert score_in_halves(Decimal(points)) == text


@pytest.mark.parametrize(
    ("kind", "points"), [("pairing", "1"), ("full", "1"), ("half", "0.5"), ("zero", "0"), ("unheard-of", "0")]
)
def test_a_bye_is_worth_what_its_kind_says(kind: str, points: str) -> None:
    assert Scoring().points_of_bye(kind) == Decimal(points)


def test_two_games_of_a_round_stand_in_one_cell() -> None:
    assert (
        join_cells([RoundCell("1", side="w", against="2"), RoundCell("0", side="b", against="2")]).text
        == "2w1, 2b0"
    )
    assert join_cells([]).text == "–"


@pytest.fixture
@built_once
def trio(csa: Federation) -> Section:
    """Three entrants without places: 2 beat 1, 3 had the bye; then 3 won by forfeit against 2."""
    section = submitted(csa, register(csa, 4))
    section.games.all().delete()
    section.entries.filter(number=4).delete()
    one, two, three = section.entries.all()
    Game.objects.create(section=section, order=1, round=1, first=one, second=two, result="0-1")
    Game.objects.create(section=section, order=2, round=2, first=three, second=two, result="+:-")
    Bye.objects.create(section=section, round=1, entry=three, kind="pairing")
    section.rounds = 2
    return section


@pytest.mark.django_db
def test_without_places_whoever_scored_more_stands_higher_and_cells_speak_of_the_rows(trio: Section) -> None:
    rows = CrossTable(trio, None).rows
    assert [(row.place, row.score) for row in rows] == [(1, "2"), (2, "1"), (3, "0")]
    assert [[cell.text for cell in row.cells] for row in rows] == [
        ["bye", "2w+"],
        ["3b1", "1b−"],
        ["2w0", "–"],
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("stage", Stage)
def test_results_lead_to_the_form_that_reports_a_mistake_only_once_the_section_is_rated(
    trio: Section, stage: Stage
) -> None:
    trio.stage = stage
    cells = [cell for row in CrossTable(trio, None).rows for cell in row.cells if cell.kind != "unplayed"]
    assert cells
    for cell in cells:
        assert bool(cell.url) is (stage == Stage.RATED)
        assert ("report a mistake" in cell.words) is (stage == Stage.RATED)
        assert cell.words.startswith("round 1 against Invented")


@pytest.mark.django_db
def test_places_as_filed_come_first(trio: Section) -> None:
    trio.entries.filter(number=1).update(place=1)
    first, *_others = CrossTable(trio, None).rows
    assert first.name == "Invented00, Person"


@pytest.mark.django_db
def test_a_rated_sections_rows_hold_the_ratings_before_it_and_the_performances(csa: Federation) -> None:
    players = register(csa, 10)
    approved(submitted(csa, players, number="2024-001"))
    approved(submitted(csa, players, number="2024-002", seed=2))
    section = submitted(csa, players, number="2024-003", seed=3)
    fact = approved(section)
    Section.objects.filter(pk=section.pk).update(stage=Stage.RATED)
    table = CrossTable(section, Fact.objects.get(pk=fact.pk), "otb-standard")
    assert [track.code for track in table.tracks] == ["otb-main", "otb-standard", "hyb-main", "hyb-standard"]
    assert all(row.rating is not None and row.performance is not None for row in table.rows)
    assert table.rows[0].working_url.endswith(f"/otb-standard/{fact.number}/")


@pytest.mark.django_db
def test_an_entrant_whose_register_entry_was_merged_is_shown_as_the_one_that_stands(csa: Federation) -> None:
    players = register(csa, 8)
    section = submitted(csa, players)
    kept = players[0]
    gone = Entry.objects.get(section=section, number=1)
    other = register(csa, 1, first=999)[0]
    other.merged_into = kept
    other.save()
    gone.player = other
    gone.save()
    assert f"/csa/players/{kept.number}/" in {row.url for row in CrossTable(section, None).rows}


def test_replays_and_annulled_games_stand_in_one_cell_in_the_order_of_play(trio: Section) -> None:
    one, two, _three = trio.entries.all()
    trio.games.all().delete()
    for order, result in enumerate(("annulled", "1/2", "1-0"), 1):
        Game.objects.create(section=trio, order=order, round=1, first=one, second=two, result=result)
    rows = {row.name: row for row in CrossTable(trio, None).rows}
    number = rows[two.name].place
    assert rows[one.name].cells[0].text == f"{number}w×, {number}w½, {number}w1"
    assert rows[one.name].score == "1½"


def test_a_section_of_places_has_no_rounds_and_shows_places_and_points(trio: Section) -> None:
    trio.games.all().delete()
    trio.byes.all().delete()
    for entry, place, points in zip(trio.entries.all(), (1, 2, 2), ("12.50", "11", "0"), strict=True):
        entry.place, entry.points = place, Decimal(points)
        entry.save()
    table = CrossTable(trio, None)
    assert list(table.rounds) == []
    assert [(row.place, row.score, row.cells) for row in table.rows] == [
        (1, "12.5", []),
        (2, "11", []),
        (2, "", []),
    ]


def test_tie_breaks_stand_below_the_score_where_the_federation_lists_them(
    trio: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    trio.entries.filter(number=1).update(discs=92)
    assert {words for row in CrossTable(trio, None).rows for words in row.tie_breaks} == set()
    own = trio.event.federation.equipment
    othello = replace(own, publication=replace(own.publication, tie_breaks=("discs",)))
    monkeypatch.setattr(Federation, "equipment", othello)
    assert [words for row in CrossTable(trio, None).rows for words in row.tie_breaks] == ["92 discs"]


@pytest.mark.django_db
def test_the_review_of_a_rated_section_whose_players_had_ratings_opens(
    csa: Federation, nomsa: User, client_of: Callable[[User], Client]
) -> None:
    players = register(csa, 12)
    for week in (1, 2, 3):
        days = date(2024, 3, 7 * week)
        section = submitted(csa, players, number=f"2024-00{week}", ends=days, seed=week, rounds=11)
        approved(section)
    answer = client_of(nomsa).get(f"{section.get_absolute_url()}review/filed/")
    assert answer.status_code == 200
    assert any(row.performance is not None for row in answer.context["table"].rows)
    assert "Rating before" in answer.content.decode()
    assert "· Performance" not in answer.content.decode()
