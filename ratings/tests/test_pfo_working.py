"""Polish Othello: workings, and what is written down of a standing."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal

import pytest

from ratings.rulesets.facts import Bye, Fact, GameLine, Playoff
from ratings.rulesets.pfo import RULESET
from ratings.rulesets.pfo.standing import PfoStanding, Season, Seasons, dump, dump_wide, load, load_wide
from ratings.tests.pfo_record import DAY, SEASON, Office

WEEK = timedelta(7)


@pytest.fixture
def office() -> Office:
    return Office()


def told(office: Office, fact: Fact, name: str) -> list[str]:
    """The steps in words."""
    working = office.explain(fact, name)
    numbers = RULESET.numbers_of(RULESET.newest)

    def added(value: object) -> object:
        return " + ".join(map(str, value)) if isinstance(value, tuple) else value

    return [
        RULESET.words.messages[step.key].format(
            **numbers, **{name: added(value) for name, value in step.inputs.items()}, result=step.result
        )
        for step in working.steps
    ]


def test_a_tournament_is_told_game_by_game(office: Office) -> None:
    office.open(Adam=1461)
    fact = office.rate(
        "1 Adam 0-1 Basia\n2 Celina 1/2 Adam\n3 Adam 1-0 Darek", places="Basia Adam Celina Darek"
    )
    row = "row 61–120 of the table"
    assert told(office, fact, "Adam") == [
        "Rating before the section: 1461",
        f"Round 1: lost against a lower rating, 1400 against 1461, difference 61, {row}: -12",
        "Round 2: drawn, 1449 against 1400, difference 49, row 0–60 of the table: 2",
        "Round 3: won against a lower rating, 1400 against 1451, difference 51, row 0–60 of the table: 10",
        "Took part in a Grand Prix tournament: 1",
        "All of these points together: -12 + 2 + 10 + 1 = 1",
        "Rating after the section: 1461 + 1 = 1462",
        "Season 2009/2010, place 2: 80 points towards it",
        "Season 2009/2010, the best 1 of at most four: 80",
    ]
    assert told(office, fact, "Basia")[:2] == [
        "First entry: the rating starts at 1400",
        "Round 1: won against a higher rating, 1461 against 1400, difference 61, row 61–120 of the table: 12",
    ]


def test_equals_are_told_as_equals(office: Office) -> None:
    fact = office.rate("1 Adam 1-0 Basia\n1 Celina 1/2 Darek\n1 Edyta 0-0 Felek", status="mp")
    assert told(office, fact, "Adam")[1] == "Round 1: won against the same rating, 1400: 10"
    assert told(office, fact, "Basia")[1] == "Round 1: lost against the same rating, 1400: -10"
    assert told(office, fact, "Celina")[1] == "Round 1: drawn against the same rating, 1400: 2"
    assert told(office, fact, "Edyta")[1] == "Round 1: both lost, no points move: 0"


def test_a_missed_championship_is_told(office: Office) -> None:
    office.open(Adam=1405)
    fact = office.rate("1 Basia 1-0 Celina", status="mp")
    assert told(office, fact, "Adam") == [
        "Rating before the section: 1405",
        "Missed the Polish Championship 2009/2010, a tenth of 1405: -141",
        "Rating after the section: 1405 + -141 = 1264",
    ]


def test_awards_are_told(office: Office) -> None:
    office.player("Kenji", nation="JPN")
    european = office.rate(places="Kenji Adam", status="egp")
    assert told(office, european, "Adam")[1:5] == [
        "Place 2 of a European Grand Prix tournament: 40",
        "All of these points together: 40 = 40",
        "Rating after the section: 1400 + 40 = 1440",
        "Season 2009/2010, place 1 among the Polish players: 100 points towards it",
    ]
    assert [step.key for step in office.explain(european, "Kenji").steps] == ["foreigner-without-rating"]
    world = office.rate(places="Adam Kenji", status="woc", country="JPN", ends=DAY + WEEK)
    assert told(office, world, "Adam")[1] == "Place 1 at the World Championship: 210 − 10 × 1 = 200"


def test_an_opening_is_told(office: Office) -> None:
    office.open(Adam=1500)
    assert told(office, office.facts[0], "Adam") == [
        "Taken over from ranking of 2009, 2009-12-11, with 20 games: 1500"
    ]


def test_nothing_is_told_of_who_has_no_part(office: Office) -> None:
    office.open(Adam=1500)
    fact = office.rate("1 Basia 1-0 Celina")
    playoff = office.place(Playoff(SEASON, "Adam", DAY))
    assert office.explain(fact, "Adam").steps == ()
    assert office.explain(playoff, "Adam").steps == ()
    assert office.explain(office.facts[0], "Basia").steps == ()
    rules = RULESET.rules_for(fact)
    assert rules.explain(office.fold(), fact, "Basia", "another").steps == ()


def test_each_round_has_its_line(office: Office) -> None:
    fact = office.rate(
        "1 Adam 1-0 Basia\n2 Celina +:- Adam\n3 Adam annulled Basia\n3 Adam +:- Basia",
        byes=(Bye(4, "Adam", "pairing"),),
    )
    assert office.explain(fact, "Adam").games == (
        GameLine(1, "Basia", True, "1-0", Decimal(1400), None, Decimal(1), ""),
        GameLine(2, "Celina", False, "+:-", None, None, None, "forfeit-lost"),
        GameLine(3, "Basia", True, "annulled", None, None, None, "annulled"),
        GameLine(3, "Basia", True, "+:-", None, None, None, "forfeit-won"),
        GameLine(4, "", False, "pairing", None, None, None, "bye"),
    )
    european = office.rate("1 Adam 1-0 Basia", status="egp", ends=DAY + WEEK)
    assert office.explain(european, "Adam").games[0].note == "not-rated"


# ------------------------------------------------------------------------------- what is written down


def test_a_standing_and_the_wide_part_survive_their_text() -> None:
    full = PfoStanding(
        Decimal(1511),
        12,
        False,
        ("2008/2009",),
        (Season("2008/2009", (110, 80), 1, 7, 2, 1, 3), Season("2009/2010", (0,))),
    )
    for standing in (full, PfoStanding(Decimal(1400))):
        assert load("ranking", dump(standing)) == standing
        json.loads(dump(standing))
    wide = Seasons(("2009/2010",), (("2008/2009", "Basia"),))
    assert load_wide(dump_wide(wide)) == wide
