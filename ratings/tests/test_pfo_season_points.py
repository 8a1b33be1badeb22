"""Polish Othello: the Grand Prix of a season, and who goes to the World Championship (PFO 15–17)."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from ratings.rulesets.demo import Person
from ratings.rulesets.facts import Entry, Playoff, Section
from ratings.rulesets.pfo.demo import players_to_tie
from ratings.rulesets.pfo.standing import Season
from ratings.tests.pfo_record import DAY, SEASON, Office

WEEK = timedelta(7)


@pytest.fixture
def office() -> Office:
    return Office()


def points(office: Office) -> dict[str, int]:
    return {name: total for name, total, _best in office.season()}


@pytest.mark.parametrize("status", ["gpp", "mp"])
def test_16_places_of_grand_prix_and_championship_score_as_they_are(office: Office, status: str) -> None:
    office.player("Kenji", nation="JPN")
    office.rate("1 Kenji 1/2 Adam", places="Kenji Adam =Basia Celina", status=status)
    assert points(office) == {"Kenji": 100, "Adam": 80, "Basia": 80, "Celina": 50}


def test_17_a_european_grand_prix_in_poland_scores_among_the_polish_players(office: Office) -> None:
    """The text's own example: the Pole who comes second behind a foreigner scores as the first."""
    office.player("Kenji", nation="JPN")
    office.player("Pierre", nation="FRA")
    office.rate(places="Kenji Adam Pierre Basia =Celina Darek", status="egp")
    assert points(office) == {"Adam": 100, "Basia": 80, "Celina": 80, "Darek": 50}
    assert office.standing("Adam").season(SEASON).won == 1


def test_17_a_foreigner_with_a_rating_has_no_season_result_from_it(office: Office) -> None:
    office.player("Kenji", nation="JPN")
    office.rate("1 Adam 1/2 Kenji", places="Adam Kenji", season="2008/2009")
    office.rate(places="Kenji Adam", status="egp")
    assert points(office) == {"Adam": 100}


@pytest.mark.parametrize(("status", "country"), [("egp", "CZE"), ("woc", None), ("woc", "JPN")])
def test_17_elsewhere_nothing_is_scored(office: Office, status: str, country: str | None) -> None:
    office.rate(places="Adam Basia", status=status, country=country)
    assert office.season() == []


def test_16_winning_every_game_adds_ten(office: Office) -> None:
    office.rate("1 Adam 1-0 Basia\n2 Basia 0-1 Adam", places="Adam Basia Celina")
    assert points(office) == {"Adam": 110, "Basia": 80, "Celina": 60}  # a player without a game won none


@pytest.mark.parametrize(
    ("last", "maks"),
    [
        ("Adam 1-0 Celina", True),
        ("Adam +:- Celina", True),
        ("Adam annulled Celina", True),
        ("Adam 1/2 Celina", False),
        ("Adam 0-0 Celina", False),
        ("Adam 0-1 Celina", False),
        ("Celina +:- Adam", False),
        ("Celina -:- Adam", False),
    ],
)
def test_d_pfo_7_what_counts_as_winning_everything(office: Office, last: str, maks: bool) -> None:
    office.rate(f"1 Adam 1-0 Basia\n2 {last}", places="Adam Basia Celina")
    assert points(office)["Adam"] == (110 if maks else 100)


def test_d_pfo_7_forfeits_alone_win_nothing(office: Office) -> None:
    office.rate("1 Adam +:- Basia", places="Adam Basia")
    assert points(office)["Adam"] == 100


def test_17_the_best_four_count(office: Office) -> None:
    for week, places in enumerate(("A B", "A B", "B A", "C D A", "A B", "C D E F A")):
        office.rate(places=places, ends=DAY + week * WEEK)
    table = {name: best for name, _points, best in office.season()}
    assert table["A"] == (100, 100, 100, 80)
    assert points(office)["A"] == 380
    assert table["E"] == (60,)


def test_d_pfo_7_who_scored_nothing_stands_in_it(office: Office) -> None:
    office.rate(places=" ".join(f"P{number:02}" for number in range(1, 17)))
    assert office.season()[-1] == ("P16", 0, (0,))


def test_17_the_order_of_a_season_is_by_points_tournaments_won_games_won(office: Office) -> None:
    office.rate(places="Adam X1 X2 Basia")
    office.rate("1 Celina 1-0 X1\n2 Celina 1/2 X2", places="Celina X1 X2 Basia", ends=DAY + WEEK)
    rows = {name: office.standing(name).season(SEASON) for name in ("Adam", "Basia", "Celina")}
    assert [(row.points, row.won, row.games_won) for row in rows.values()] == [
        (100, 1, 0),
        (100, 0, 0),
        (100, 1, 1),
    ]
    names = [name for name, _points, _best in office.season() if name in rows]
    assert names == ["Celina", "Adam", "Basia"]


def test_d_pfo_7_games_won_count_in_grand_prix_tournaments_alone(office: Office) -> None:
    office.rate("1 Adam 1-0 Basia\n2 Adam +:- Basia", places="Adam Basia")
    office.rate("1 Adam 1-0 Basia", places="Adam Basia", status="mp", ends=DAY + WEEK)
    office.rate("1 Adam 1-0 Basia", places="Adam Basia", status="egp", ends=DAY + 2 * WEEK)
    assert office.standing("Adam").season(SEASON) == Season(SEASON, (110, 110, 110), 3, 1, 1, 3)


def tied(office: Office) -> None:
    """Basia and Celina in a full tie for first, Adam below."""
    office.rate(places="Basia =Celina Adam")


def test_17_a_play_off_decides_a_full_tie_for_first(office: Office) -> None:
    tied(office)
    assert [name for name, *_rest in office.season()] == ["Basia", "Celina", "Adam"]
    office.place(Playoff(SEASON, "Celina", date(2010, 9, 5)))
    assert [name for name, *_rest in office.season()] == ["Celina", "Basia", "Adam"]


def test_d_pfo_7_a_play_off_of_somebody_outside_the_tie_counts_for_nothing(office: Office) -> None:
    tied(office)
    office.place(Playoff(SEASON, "Adam", date(2010, 9, 5)))
    assert [name for name, *_rest in office.season()] == ["Basia", "Celina", "Adam"]


def test_d_pfo_7_of_several_play_offs_the_last_stands(office: Office) -> None:
    tied(office)
    office.place(Playoff(SEASON, "Celina", date(2010, 9, 5)))
    office.place(Playoff("2010/2011", "Adam", date(2010, 9, 5)))
    office.place(Playoff(SEASON, "Basia", date(2010, 9, 6)))
    assert [name for name, *_rest in office.season()] == ["Basia", "Celina", "Adam"]


def test_seasons_stand_by_label(office: Office) -> None:
    office.rate(places="Adam Basia", season="2010/2011")
    office.rate(places="Adam Basia", season="2009/2010", ends=DAY + WEEK)
    assert [row[0] for row in office.table("seasons")] == ["2009/2010"] * 2 + ["2010/2011"] * 2


# ------------------------------------------------------------------------------- the World Championship


def championship(office: Office, places: str, status: str = "mp") -> None:
    office.rate(places=places, status=status)


def test_preamble_champion_then_grand_prix_then_ranking(office: Office) -> None:
    office.open(Darek=1700, Celina=1600, Adam=1500)
    championship(office, "Adam Celina Basia Darek")
    office.rate(places="Celina Darek Basia Adam", ends=DAY + WEEK)
    assert office.qualified() == [
        ("champion", "Adam"),
        ("women-champion", "Celina"),
        ("grand-prix", "Darek"),
        ("ranking", "Basia"),
    ]


def test_preamble_who_holds_several_takes_the_first_and_the_next_move_up(office: Office) -> None:
    office.open(Adam=1700, Basia=1600, Darek=1500)
    championship(office, "Adam Basia Darek Felek")
    office.rate(places="Adam Basia Darek Felek", ends=DAY + WEEK)
    assert office.qualified() == [
        ("champion", "Adam"),
        ("women-champion", "Basia"),
        ("grand-prix", "Darek"),
        ("ranking", "Felek"),
    ]


def test_14_foreigners_are_passed_over_everywhere(office: Office) -> None:
    office.player("Kenji", nation="JPN")
    office.open(Kenji=2000)
    championship(office, "Kenji Adam Basia Darek")
    office.rate("1 Kenji 1-0 Adam", places="Kenji Darek Felek Adam", ends=DAY + WEEK)
    ways = office.qualified()
    assert ("champion", "Adam") in ways
    assert "Kenji" not in [name for _way, name in ways]


def test_d_pfo_11_women_may_have_a_section_of_their_own(office: Office) -> None:
    championship(office, "Adam Celina Basia")
    office.rate(places="Basia Gosia", status="mp", ends=DAY + WEEK)
    assert office.qualified()[:2] == [("champion", "Adam"), ("women-champion", "Basia")]


def test_d_pfo_11_who_shares_the_place_shares_the_title_and_takes_nobody_out(office: Office) -> None:
    championship(office, "Adam =Darek Felek")
    assert office.qualified() == [
        ("champion", "Adam"),
        ("champion", "Darek"),
        ("grand-prix", "Adam"),
        ("grand-prix", "Darek"),
        ("ranking", "Adam"),
        ("ranking", "Darek"),
        ("ranking", "Felek"),
    ]


def test_d_pfo_11_who_is_not_entered_for_the_womens_title_plays_for_the_other(office: Office) -> None:
    office.rate(
        entries=(Entry("Gosia", 1), Entry("Adam", 2), Entry("Basia", 3, women=True)), status="mp", ends=DAY
    )
    assert office.qualified()[:2] == [("champion", "Gosia"), ("women-champion", "Basia")]


def test_13_who_played_for_the_womens_title_has_not_missed_the_championship(office: Office) -> None:
    office.open(Basia=1500, Celina=1500)
    championship(office, "Adam Basia")
    assert (office.ratings()["Basia"], office.ratings()["Celina"]) == (1500, 1350)


def test_the_newest_season_is_the_one_that_qualifies(office: Office) -> None:
    championship(office, "Adam Basia")
    office.rate(places="Basia Adam", season="2010/2011", ends=DAY + 52 * WEEK)
    (table,) = [each for each in office.tables() if each.name == "qualification"]
    assert table.part == "2010/2011"
    assert office.qualified()[-1] == ("ranking", "Adam")


def test_without_a_season_nobody_qualifies(office: Office) -> None:
    assert office.qualified() == []


def test_in_the_demo_those_tie_a_season_who_won_most_and_thirds_count_less() -> None:
    people = {
        name: Person(name, name, name, "m", DAY, nation, "PL", DAY, 1200, 0, 1)
        for name, nation in (("adam", "POL"), ("basia", "POL"), ("celina", "POL"), ("kenji", "JPN"))
    }
    sections = [
        Section(f"2026-00{number}/A", f"2026-00{number}", "A", DAY, DAY, "swiss", 5, entries)
        for number, entries in enumerate(
            (
                (Entry("kenji", 1), Entry("adam", 2), Entry("basia", 3), Entry("celina", 4)),
                (Entry("kenji", 1), Entry("adam", 2), Entry("basia", 3), Entry("celina", 4)),
                (Entry("celina", 1), Entry("adam", 2), Entry("kenji", 3), Entry("basia", 4)),
            )
        )
    ]
    assert players_to_tie(sections, people) == ("celina", "adam")
