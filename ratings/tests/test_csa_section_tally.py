"""Chess South Africa: enough games, forfeits, withdrawals, first place (CSA 47–53, 68–69)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from ratings.rulesets.csa.edition_2020.rating import (
    SHARE_IN_TEAM_EVENT,
    SHARE_TO_GAIN,
    Tally,
    games_needed,
    survey_section,
)
from ratings.rulesets.facts import Bye, Departure, Entry, Player, RatedSection, Section
from ratings.tests.csa_record import DAY, OTB, Record, card, section_of

SIX_DRAWS = card("Amahle", "======")


def tallies(section: Section) -> dict[str, Tally]:
    people = {entry.player: Player(entry.player, entry.player, nation="RSA") for entry in section.entries}
    return {tally.player: tally for tally in survey_section(RatedSection(2, DAY, section, people)).tallies}


def charged(games: str, *, left: Departure | None = None, rounds: int = 6) -> list[tuple[int, str]]:
    """The rounds for which Amahle is charged, with the clause."""
    section = section_of(games, entries=[Entry("Amahle", left=left)], rounds=rounds)
    return list(tallies(section)["Amahle"].penalties)


# ------------------------------------------------------------------------------- enough games


@pytest.mark.parametrize(("rounds", "needed"), [(5, 4), (6, 5), (7, 6), (9, 8), (10, 8), (11, 9)])
def test_47_four_fifths_of_the_rounds_are_rounded_up(rounds: int, needed: int) -> None:
    assert games_needed(SHARE_TO_GAIN, rounds) == needed


@pytest.mark.parametrize(("rounds", "needed"), [(5, 3), (6, 3), (7, 4)])
def test_49_half_of_the_rounds_are_rounded_up(rounds: int, needed: int) -> None:
    assert games_needed(SHARE_IN_TEAM_EVENT, rounds) == needed


@pytest.mark.parametrize(("results", "gains"), [("++++", True), ("+++", False)])
def test_47_a_gain_needs_games_in_four_fifths_of_the_rounds(results: str, gains: bool) -> None:
    record = Record()
    record.open("Amahle", 1500)
    change = record.rate(card("Amahle", results), rounds=5)["Amahle", "otb-main"]
    assert change.points is not None
    assert (change.points > 0) == gains
    assert (change.points == 0) != gains
    assert len(change.after.performances) == (1 if gains else 0)
    assert change.after.games == 30 + len(results)


def test_48_a_loss_counts_whatever_the_number_of_games() -> None:
    record = Record()
    record.open("Amahle", 1500)
    points = record.rate(card("Amahle", "-"), rounds=5)["Amahle", "otb-main"].points
    assert points is not None
    assert points < 0


@pytest.mark.parametrize(("results", "qualifies"), [("+++", True), ("++", False)])
def test_49_in_a_team_section_every_gain_counts_and_half_the_rounds_qualify(
    results: str, qualifies: bool
) -> None:
    record = Record()
    record.open("Amahle", 1500)
    change = record.rate(card("Amahle", results), rounds=6, team=True)["Amahle", "otb-main"]
    assert change.points is not None
    assert change.points > 0
    assert len(change.after.performances) == (1 if qualifies else 0)


def test_47_forfeits_and_byes_are_no_games_for_the_four_fifths() -> None:
    games = card("Amahle", "+++") + "\n4 Amahle +:- Pieter"
    record = Record()
    record.open("Amahle", 1500)
    assert record.rate(games, rounds=5, byes=(Bye(5, "Amahle", "pairing"),))["Amahle", "otb-main"].points == 0


# ------------------------------------------------------------------------------- activity


def test_53_games_allocated_byes_and_forfeit_wins_are_activity() -> None:
    section = section_of(
        """
        1 Amahle 1-0 Pieter
        2 Amahle +:- Pieter
        3 Pieter -:+ Amahle
        4 Amahle -:- Pieter
        5 Amahle annulled Pieter
        6 Amahle 0-0 Pieter
        """,
        byes=(
            Bye(7, "Amahle", "pairing"),
            Bye(8, "Amahle", "full"),
            Bye(9, "Amahle", "half"),
            Bye(10, "Amahle", "zero"),
        ),
        rounds=10,
    )
    amahle, pieter = tallies(section)["Amahle"], tallies(section)["Pieter"]
    assert (amahle.games, amahle.score, amahle.activity) == (2, Decimal(1), 5)
    assert (pieter.games, pieter.score, pieter.activity) == (2, Decimal(0), 2)


# ------------------------------------------------------------------------------- penalties


@pytest.mark.parametrize(
    ("games", "rounds"),
    [
        ("1 Amahle -:+ Pieter", []),
        ("2 Amahle -:+ Pieter", [(2, "51")]),
        ("2 Pieter +:- Amahle", [(2, "51")]),
        ("2 Amahle +:- Pieter", []),
        ("2 Amahle -:- Pieter", [(2, "51")]),
        ("2 Amahle -:- Pieter excused=first", []),
        ("2 Amahle -:- Pieter excused=second", [(2, "51")]),
        ("2 Amahle -:- Pieter excused=both", []),
        ("2 Pieter +:- Amahle excused=second", []),
        ("2 Amahle -:+ Pieter\n4 Amahle -:+ Pieter", [(2, "51"), (4, "51")]),
    ],
)
def test_51_a_forfeit_after_round_1_is_charged_unless_excused(
    games: str, rounds: list[tuple[int, str]]
) -> None:
    assert charged(games) == rounds


def test_52_leaving_without_notice_is_charged_from_that_round_to_the_last_scheduled() -> None:
    assert charged(card("Amahle", "==="), left=Departure(4, notified=False)) == [
        (4, "52"),
        (5, "52"),
        (6, "52"),
    ]


def test_52_leaving_without_notice_is_charged_from_round_1_too() -> None:
    assert charged("1 Amahle -:+ Pieter", left=Departure(1, notified=False), rounds=2) == [
        (1, "52"),
        (2, "52"),
    ]


def test_52_a_round_is_not_charged_twice() -> None:
    games = "3 Amahle -:+ Pieter\n5 Amahle -:+ Pieter"
    assert charged(games, left=Departure(5, notified=False)) == [(3, "51"), (5, "52"), (6, "52")]


def test_52_leaving_with_notice_costs_nothing_from_that_round_on() -> None:
    games = "3 Amahle -:+ Pieter\n4 Amahle -:+ Pieter\n5 Amahle -:+ Pieter"
    assert charged(games, left=Departure(4, notified=True)) == [(3, "51")]


def test_52_an_excused_forfeit_is_never_charged_not_even_after_leaving() -> None:
    games = "5 Amahle -:+ Pieter excused=first"
    assert charged(games, left=Departure(5, notified=False)) == [(6, "52")]


def test_52_leaving_after_the_last_round_costs_nothing() -> None:
    assert charged(SIX_DRAWS, left=Departure(7, notified=False)) == []


def test_51_the_penalty_comes_off_every_rating_that_the_section_moves_and_no_other() -> None:
    record = Record()
    record.open("Amahle", 1500, tracks=(*OTB, "ol-main", "otb-rapid"))
    games = card("Amahle", "=") + "\n2 Amahle -:+ Pieter"
    changes = record.rate(games, entries=[Entry("1", rating=1500)])
    clean = Record()
    clean.open("Amahle", 1500)
    unpunished = clean.rate(games + " excused=first")
    for track in OTB:
        gap = changes["Amahle", track].after.pending - unpunished["Amahle", track].after.pending
        assert gap == -20
    assert ("Amahle", "ol-main") not in changes
    assert ("Amahle", "otb-rapid") not in changes


def test_51_an_unrated_player_owes_nothing() -> None:
    record = Record()
    change = record.rate("1 Amahle 1-0 Pieter\n2 Amahle -:+ Pieter")["Amahle", "otb-main"]
    assert change.after.pending == 0
    assert change.points is None


def test_51_penalties_stand_outside_the_four_fifths_rule() -> None:
    record = Record()
    record.open("Amahle", 1500)
    games = card("Amahle", "+++") + "\n4 Amahle -:+ Pieter\n5 Amahle -:+ Pieter"
    assert record.rate(games)["Amahle", "otb-main"].points == -40


def test_51_a_player_without_a_game_pays_too() -> None:
    record = Record()
    record.open("Amahle", 1500)
    change = record.rate("2 Amahle -:+ Pieter")["Amahle", "otb-main"]
    assert (change.points, change.after.games) == (Decimal(-20), 30)


# ------------------------------------------------------------------------------- first place


STRONG_AMAHLE = """
    1 Amahle 1/2 Pieter
    2 Pieter 1/2 Amahle
    3 Amahle 1/2 Pieter
"""


def losing_winner(games: str, **fields: Any) -> Decimal | None:
    """What Amahle, far above the rest, gets in otb-main."""
    record = Record()
    record.open("Amahle", 2200)
    record.open("Pieter", 1500)
    record.open("Lwazi", 1500)
    return record.rate(games, **fields)["Amahle", "otb-main"].points


def test_68_whoever_comes_first_with_every_round_played_loses_nothing() -> None:
    assert losing_winner(STRONG_AMAHLE) == 0


def test_68_a_shared_first_place_protects_and_a_second_place_does_not() -> None:
    ahead = STRONG_AMAHLE + "\n 1 Lwazi 1-0 Thabo\n 2 Lwazi {} Thabo"
    assert losing_winner(ahead.format("1/2")) == 0
    beaten = losing_winner(ahead.format("1-0"))
    assert beaten is not None
    assert beaten < 0


@pytest.mark.parametrize("missing", ["3 Amahle +:- Pieter", "3 Amahle annulled Pieter", ""])
def test_68_a_forfeit_win_or_a_round_missed_takes_the_protection(missing: str) -> None:
    points = losing_winner("1 Amahle 1/2 Pieter\n2 Amahle 1-0 Pieter\n" + missing, rounds=3)
    assert points is not None
    assert points < 0


@pytest.mark.parametrize("kind", ["pairing", "full"])
def test_68_a_bye_takes_the_protection(kind: str) -> None:
    points = losing_winner(
        "1 Amahle 1/2 Pieter\n2 Amahle 1/2 Pieter", rounds=3, byes=(Bye(3, "Amahle", kind),)
    )
    assert points is not None
    assert points < 0


@pytest.mark.parametrize(
    ("byes", "protected"),
    [
        ((Bye(3, "Lwazi", "pairing"),), False),
        ((Bye(3, "Lwazi", "full"),), False),
        ((Bye(3, "Lwazi", "half"),), True),
        ((Bye(3, "Lwazi", "zero"),), True),
    ],
)
def test_68_places_count_forfeit_wins_and_byes_as_points(byes: tuple[Bye, ...], protected: bool) -> None:
    lwazi = "\n 1 Lwazi +:- Thabo"  # 1 point, with a half-point bye 1½ as Amahle
    points = losing_winner(STRONG_AMAHLE + lwazi, byes=byes)
    assert points is not None
    assert (points == 0) == protected


def test_68_penalties_are_charged_to_the_winner_too() -> None:
    games = STRONG_AMAHLE
    assert losing_winner(games, entries=[Entry("Amahle", left=Departure(3, notified=False))]) == -20


def test_69_in_a_team_section_a_winner_loses_as_anybody() -> None:
    points = losing_winner(STRONG_AMAHLE, team=True)
    assert points is not None
    assert points < 0
