"""Piškvorky: workings, findings, citations."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter
from typing import Any

from ratings.rulesets import piskvorky
from ratings.rulesets.facts import Bye, Filing, Finding, Level
from ratings.rulesets.piskvorky import RULESET, messages
from ratings.rulesets.piskvorky.clauses import CLAUSES
from ratings.tests.piskvorky_record import DAY, Record, section_of

CITATION = re.compile(r"§(\d+)(?:–§?(\d+))?|\b(?<!\")(D-PIS-\d+)")


def test_a_founding_tournament_is_told() -> None:
    record = Record()
    record.rate("1 Adam 1-0 Bára", others="Cyril")
    assert record.told("Cyril") == [
        "6 Founding tournament 1 of 2: 0 games, 0 won and 0 lost",
        "D-PIS-3 Without a game in a founding tournament the rating is 1600",
        "1 After the tournament: established with 1600, 0 games",
    ]
    record.rate("1 Adam 0-1 Cyril\n2 Adam 1/2 Cyril")
    assert record.told("Adam") == [
        "6 Founding tournament 2 of 2: 2 games, 0 won and 1 lost",
        "D-PIS-1 Games, before and now: 1 + 2 = 3",
        "D-PIS-1 Won, before and now: 1 + 0 = 1",
        "D-PIS-1 Lost, before and now: 0 + 1 = 1",
        "6 Over the founding tournaments so far: 1600 + 400 × (1 − 1) ÷ 3 = 1600",
        "D-PIS-2 1600 as a whole number, half up: 1600",
        "1 After the tournament: established with 1600, 3 games",
    ]


def test_a_novices_tournament_is_told() -> None:
    record = Record()
    record.open("Adam", 1601)
    record.rate("1 Nina 1-0 Adam\n2 Nina 1-0 Adam\n3 Nina 1/2 Adam")
    record.rate("1 Nina 1-0 Adam\n2 Nina 1-0 Olga\n3 Nina 0-1 Adam")
    assert record.told("Nina") == [
        "3 Games against established players: 2, 1 won and 1 lost",
        "D-PIS-1 Games, before and now: 3 + 2 = 5",
        "D-PIS-1 Won, before and now: 2 + 1 = 3",
        "D-PIS-1 Lost, before and now: 0 + 1 = 1",
        "5 The ratings of the established players met, added up, before and now: 4803 + 1601 + 1601 = 8005",
        "5 The mean rating of the established players met: 8005 ÷ 5 = 1601",
        "5 Rating of a novice: 1601 + 250 × (3 − 1) ÷ 5 = 1701",
        "D-PIS-2 1701 as a whole number, half up: 1701",
        "2 With 5 games and 3.5 points the rating is established (5 and 1.5 are needed)",
        "1 After the tournament: established with 1701, 5 games",
    ]
    assert record.told("Olga") == [
        "3 Games against established players: 0, 0 won and 0 lost",
        "D-PIS-5 No established player met yet, so no rating",
        "1 After the tournament: novice without a rating",
    ]
    record.rate("1 Olga 0-1 Adam")
    assert record.told("Olga")[-2:] == [
        "2 With 1 games and 0 points the rating stays a novice's (5 and 1.5 are needed)",
        "1 After the tournament: novice with 1351, 1 games",
    ]


def test_an_established_players_tournament_is_told_row_by_row() -> None:
    record = Record()
    for name, rating in (("Adam", 1600), ("Bára", 1700), ("Cyril", 1500)):
        record.open(name, rating)
    record.rate("1 Adam 1-0 Bára\n2 Cyril 0-1 Adam\n3 Adam 1/2 Bára\n4 Adam 0-0 Bára\n5 Adam 0-1 Nina")
    assert record.told("Adam") == [
        "4 Established rating before the tournament: 1600",
        "7 Round 1, 1600 against 1700, 100 apart, row 77–100 of the table: the lower-rated player won, 20",
        "7 Round 2, 1600 against 1500, 100 apart, row 77–100 of the table: the higher-rated player won, 12",
        "7 Round 3, 1600 against 1700, 100 apart, row 77–100 of the table: a draw, 4",
        "7 Round 4, 1600 against 1700: both lost, so nothing moves, 0",
        "7 All of these together: 20 + 12 + 4 + 0 = 36",
        "7 All games together: 1600 + (36) = 1636",
        "1 After the tournament: established with 1636, 34 games",
    ]


def test_an_opening_is_told_and_whom_a_fact_does_not_move_has_no_working() -> None:
    record = Record()
    record.open("Adam", 1600)
    assert record.told("Adam") == ["1 Taken over from old list, 2011-12-31, established with 30 games: 1600"]
    assert record.told("Bára") == []
    record.rate("1 Adam 1-0 Nina")
    assert record.told("Bára") == []
    record.close(DAY)
    assert record.told("Adam") == []


def test_each_line_of_the_record_is_shown_from_the_players_own_side() -> None:
    record = Record()
    record.open("Adam", 1600)
    record.open("Bára", 1700)
    record.rate(
        "1 Adam 1-0 Bára\n1 Bára 1-0 Adam\n2 Nina 1-0 Adam\n3 Adam annulled Bára\n5 Bára -:+ Adam",
        byes=[Bye(4, "Adam", "pairing")],
    )
    lines = record.explain("Adam").games
    assert [(line.round, line.opponent, line.note, line.opponent_rating) for line in lines] == [
        (1, "Bára", "", 1700),
        (1, "Bára", "", 1700),
        (2, "Nina", "against-novice", None),
        (3, "Bára", "annulled", None),
        (4, "", "bye", None),
        (5, "Bára", "without-play", None),
    ]
    assert [line.score for line in lines] == [1, 0, None, None, None, None]
    (line,) = record.explain("Nina").games
    assert [line.opponent_rating, line.score] == [1600, 1]


# ------------------------------------------------------------------------------- acceptance


def check(games: str) -> list[Finding]:
    rules: Any = RULESET.editions[0].rules
    found: list[Finding] = rules.check(section_of(games, others="Adam Bára"), Filing())
    assert all(one.clause in RULESET.words.clauses for one in found)
    assert all(RULESET.words.messages[one.key].format(**one.params) for one in found)
    return found


def test_6_a_tournament_without_a_game_is_asked_about() -> None:
    assert [(one.key, one.level) for one in check("1 Adam +:- Bára")] == [("no-games", Level.WAIVABLE)]
    assert check("1 Adam 1-0 Bára") == []


def test_5_a_game_that_both_lost_is_asked_about() -> None:
    found = check("1 Adam 1-0 Bára\n2 Adam 0-0 Bára")
    assert [(one.key, one.level, one.where) for one in found] == [
        ("both-lost-filed", Level.NOTICE, "round 2")
    ]


# ------------------------------------------------------------------------------- citations and messages


def cited() -> set[str]:
    found: set[str] = set()
    for path in Path(piskvorky.__path__[0]).rglob("*.py"):
        if path.name != "clauses.py":
            for first, last, decision in CITATION.findall(path.read_text("utf-8")):
                found |= {first, last, decision} - {""}
    return found


def test_each_citation_in_the_code_stands_in_the_index() -> None:
    assert cited() <= CLAUSES.keys()


def test_the_index_has_each_clause_of_the_text_and_each_decision() -> None:
    numbers = range(1, 8)
    assert CLAUSES.keys() == {*map(str, numbers), *(f"D-PIS-{number}" for number in numbers)}


def test_no_key_of_a_message_stands_twice_and_their_places_have_names() -> None:
    parts = (
        messages.STATUSES,
        messages.STEPS,
        messages.LISTED,
        messages.BARS,
        messages.SUMMARIES,
        messages.TABLES,
        messages.NOTES,
        messages.FINDINGS,
    )
    assert sum(map(len, parts)) == len(messages.MESSAGES)
    for key, template in messages.MESSAGES.items():
        for _text, name, spec, conversion in Formatter().parse(template):
            assert name is None or (name.isidentifier() and not spec and not conversion), key
