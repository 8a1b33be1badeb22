"""Polish Othello: what is looked at before a section is rated (PFO 8, 12–17)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from ratings.rulesets.facts import Entrant, Entry, Filing, Finding, Level, Section
from ratings.rulesets.pfo import RULESET
from ratings.tests.pfo_record import player, section_of

SOUND = section_of("1 Adam 1-0 Basia\n2 Basia 0-1 Adam")


def check(filed: Section, filing: Filing | None = None) -> list[tuple[str, str, Level, str]]:
    rules: Any = RULESET.edition_on(filed.starts).rules
    found: list[Finding] = rules.check(filed, filing or Filing())
    assert all(one.clause in RULESET.words.clauses for one in found)
    assert all(RULESET.words.messages[one.key].format(**one.params) for one in found)
    return [(one.clause, one.key, one.level, one.where) for one in found]


def test_a_sound_section_has_no_finding() -> None:
    people = {name: player(name) for name in ("Adam", "Basia")}
    assert check(SOUND, Filing(particulars=people)) == []


def test_8_it_has_to_be_said_what_it_is() -> None:
    assert check(replace(SOUND, status=None)) == [("8", "no-status", Level.BLOCKS, "status")]


def test_17_the_season_has_to_be_named() -> None:
    assert check(replace(SOUND, season=None)) == [("17", "no-season", Level.BLOCKS, "season")]


@pytest.mark.parametrize("season", ["2009", "2009/10", "2009/2011", "2009-2010"])
def test_d_pfo_9_a_season_written_otherwise_wants_a_look(season: str) -> None:
    assert check(replace(SOUND, season=season)) == [("D-PFO-9", "season-form", Level.WAIVABLE, "season")]


@pytest.mark.parametrize(
    ("ends", "keys"),
    [
        (date(2009, 12, 31), []),
        (date(2010, 12, 31), []),
        (date(2011, 1, 1), ["season-days"]),
    ],
)
def test_d_pfo_9_the_last_day_lies_in_the_years_of_the_season(ends: date, keys: list[str]) -> None:
    assert [key for _clause, key, *_rest in check(replace(SOUND, ends=ends))] == keys


@pytest.mark.parametrize("status", ["gpp", "mp"])
def test_8_grand_prix_and_championship_are_held_at_home(status: str) -> None:
    abroad = replace(SOUND, status=status, country="CZE")
    assert check(abroad) == [("8", "held-abroad", Level.WAIVABLE, "country")]
    assert check(replace(SOUND, status=status, country="POL")) == []


def test_12_others_are_held_anywhere() -> None:
    places = section_of(places="Adam Basia", status="egp", country="CZE")
    assert check(places) == []
    assert check(replace(places, status="woc", country="JPN")) == []


def test_16_every_place_is_needed() -> None:
    lacking = replace(SOUND, entries=(Entry("Adam", 1), Entry("Basia")))
    assert check(lacking) == [("16", "no-place", Level.BLOCKS, "places")]


@pytest.mark.parametrize(
    ("places", "where"),
    [
        ((1, 2, 3), []),
        ((1, 1, 3), []),
        ((1, 2, 2), []),
        ((1, 1, 2), ["place 2"]),
        ((2, 3, 4), ["place 2", "place 3", "place 4"]),
        ((1, 2, 4), ["place 4"]),
    ],
)
def test_16_places_count_those_before(places: tuple[int, ...], where: list[str]) -> None:
    entries = tuple(
        Entry(name, place) for name, place in zip(("Adam", "Basia", "Celina"), places, strict=True)
    )
    found = check(replace(SOUND, entries=entries))
    assert [place for *_rest, place in found] == where
    assert {key for _clause, key, *_rest in found} <= {"place-out-of-line"}
    european = replace(SOUND, entries=entries, status="egp", games=())
    assert check(european) == []  # a part of a foreign field may be filed


def test_12_games_of_european_and_world_championship_tournaments_are_not_rated() -> None:
    assert check(replace(SOUND, status="egp")) == [("12", "games-not-rated", Level.NOTICE, "games")]
    assert check(replace(SOUND, status="woc")) == [("12", "games-not-rated", Level.NOTICE, "games")]


def test_9_without_a_game_nothing_moves() -> None:
    forfeited = section_of("1 Adam +:- Basia")
    assert check(forfeited) == [("9", "no-games", Level.WAIVABLE, "games")]


def test_14_unknown_nations_and_sexes_are_told() -> None:
    people = {"Adam": player("Adam", nation=None), "Basia": player("Basia")}
    entrants = (Entrant("Adam", "Adam", sex="m"), Entrant("Basia", "Basia"))
    filing = Filing(particulars=people, entrants=entrants)
    assert check(SOUND, filing) == [("14", "nation-unknown", Level.NOTICE, "players")]
    assert check(replace(SOUND, status="mp"), filing) == [
        ("14", "nation-unknown", Level.NOTICE, "players"),
        ("preamble", "sex-unknown", Level.NOTICE, "players"),
    ]
