"""What a line may not say by itself: each refused with its line, its key and what to do."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from ratings.rulesets import rulesets
from ratings.rulesets.facts import UNRATING_REASONS
from ratings.rulesets.journal_lines import JournalError, parse_line
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.journal_lines import DISCS, DOTS, TILES, game, line, opening, player, section

CSA = rulesets()["csa"]


def refusal(written: str | bytes, ruleset: Ruleset = CSA) -> str:
    """What is said against the line; nothing where it is read."""
    try:
        parse_line(written, ruleset, 7)
    except JournalError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("", "line 7: the line is empty"),
        ("   ", "line 7: the line is empty"),
        ("{", "line 7: is not JSON at character 2"),
        ('{"fact":"list","on":"2024-04-01"} x', "is not JSON at character 35"),
        ("[1]", "write one JSON object a line"),
        ('"list"', "write one JSON object a line"),
        ('\ufeff{"fact":"list","on":"2024-04-01"}', "byte order mark"),
        ('{"fact":"list","on":"2024-04-01"}\r', "carriage return"),
        (b'{"fact":"player","id":"a","name":"Zo\xeb"}', "byte 37 is not UTF-8"),
        (
            line("unrated", section="E/A", on="2024-03-09", reason="wrong board"),
            "reason: 'wrong board'",
        ),
        ('{"fact":"list","on":"2024-04-01","on":"2024-04-01"}', "'on' is there twice"),
        ('{"fact":"list","on":NaN}', "'NaN' is not a number"),
        ('{"fact":"list","on":-Infinity}', "'-Infinity' is not a number"),
        ('{"fact":"list","on":1e3}', "'1e3' plainly, without an exponent"),
        ('{"fact":"list","on":' + "9" * 5000 + "}", "thousands of digits"),
        ("[" * 100_000, "nested too deeply"),
        ('{"on":"2024-04-01"}', "line 7: fact: — is not a fact"),
        ('{"fact":"lists","on":"2024-04-01"}', "fact: 'lists' is not a fact that can be here"),
        ('{"fact":["list"]}', "fact: […] is not a fact"),
        ('{"fact":"federation","code":"csa","ruleset":"csa","name":"Once more"}', "fact: 'federation'"),
        ('{"fact":"list","on":"2024-04-01","month":4}', "'month': unknown key"),
        ('{"fact":"list"}', "on: is missing, but required"),
    ],
)
def test_what_is_no_line_of_a_journal_is_refused(written: str | bytes, words: str) -> None:
    assert words in refusal(written)


@pytest.mark.parametrize(
    "day",
    ["2024-02-30", "20240301", "2024-3-1", "2024-W09-5", " 2024-03-01", "1799-12-31", "2800-01-01", 20240301],
)
def test_a_day_that_is_no_day_is_refused(day: object) -> None:
    assert "is not a day: write YYYY-MM-DD" in refusal(line("list", on=day))


@pytest.mark.parametrize("day", ["2024-02-29", "1800-01-01", "2799-12-31"])
def test_days_that_exist_are_read(day: str) -> None:
    assert not refusal(line("list", on=day))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "is empty or begins or ends with a space"),
        (" A", "is empty or begins or ends with a space"),
        ("A" * 202, "is longer than 201 characters"),
        ("A\x00", "has the character U+0000"),
        ("A\ud800", "has the character U+D800"),
        ("A\u2028B", "has the character U+2028"),
        ("A\x85B", "has the character U+0085"),
        ("Zoe\u0308", "is not in Unicode's form NFC"),
        (7, "write text in quotes, not 7"),
        (None, "write text in quotes, not null"),
    ],
)
def test_a_name_that_cannot_be_kept_is_refused(name: object, words: str) -> None:
    assert words in refusal(json.dumps({"fact": "player", "id": "a", "name": name, "salt": "0f" * 16}))


@pytest.mark.parametrize("name", ["A" * 201, "Zoë", "Dlamini, Thabo", "Сидоров", "a\u200db"])
def test_names_of_all_people_are_read(name: str) -> None:
    assert not refusal(player("a", name=name))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"sex": "f"}, "'sex': unknown key"),
        ({"born": 2008}, "'born': unknown key"),
        ({"salt": "9F" * 16}, "is not a salt: write 16 bytes as 32 lower-case hexadecimal digits"),
        ({"salt": "9f" * 15}, "is not a salt"),
        ({"name_seal": "9f" * 31}, "is not a seal: write 64 lower-case hexadecimal digits"),
        ({"name_seal": "9f" * 32, "name": "A"}, "name_seal: replaces name and salt"),
        ({"id": "a b"}, "id: 'a b' is not a player's id: write up to 30 letters, digits, -, . or _"),
        ({"id": "é"}, "id: 'é' is not a player's id"),
        ({"id": ""}, "id: '' is not a player's id"),
        ({"nation": "rsa"}, "nation: 'rsa' is not a country"),
        ({"resident": 1}, "resident: write true or false, not 1"),
        ({"included_by": "x"}, "'included_by': unknown key"),
        ({"region": None}, "region: write text in quotes, not null"),
        ({"email": "a@b.example"}, "'email': unknown key"),
        ({"id": "a" * 31}, "is not a player's id"),
    ],
)
def test_particulars_that_are_none_are_refused(keys: dict[str, Any], words: str) -> None:
    assert words in refusal(player(**{"id": "a", **keys}))


@pytest.mark.parametrize(
    ("ruleset", "keys"),
    [(DOTS, {"included_by": "x"}), (DISCS, {"born": 2008}), (TILES, {"sex": "f"})],
)
def test_what_a_ruleset_does_not_read_of_a_person_is_refused(ruleset: Ruleset, keys: dict[str, Any]) -> None:
    assert "unknown key" in refusal(player("a", **keys), ruleset)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"id": "A"}, "is not a section id: write EVENT/SECTION"),
        ({"id": "/A"}, "is not a section id"),
        ({"id": "E/"}, "is not a section id"),
        ({"id": "E" * 21 + "/A"}, "is not a section id"),
        (
            {"starts": "2020-06-30"},
            "starts: 2020-06-30 is before the first regulations, in force from 2020-07-01",
        ),
        ({"ends": "2024-02-29"}, "ends: 2024-02-29 is before the section starts on 2024-03-01"),
        ({"starts": "2024-03-01", "ends": "2035-05-19"}, "ends: the section is longer than 4095 days"),
        ({"country": "South Africa"}, "country: 'South Africa' is not a country"),
        ({"format": "arena"}, "format: 'arena' cannot be here; write one of: swiss"),
        ({"format": "placement"}, "format: 'placement' cannot be here"),
        ({"team": "yes"}, "team: write true or false"),
        ({"rounds": 0}, "rounds: 0 cannot be here; write a whole number from 1 to 999"),
        ({"rounds": 1000}, "rounds: 1000 cannot be here"),
        ({"finals": ["3-4", "F"]}, "'finals': unknown key"),
        ({"rounds": 10**30}, "rounds: 1000000000000000000000000000000 cannot be here"),
        ({"platform": None}, "platform: is missing, but required"),
        ({"platform": "phone"}, "platform: 'phone' cannot be here; write one of: otb, online, mixed"),
        ({"time_control": None}, "time_control: is missing, but required"),
        ({"time_control": []}, "time_control: the list is empty"),
        ({"time_control": {"increment": 5}}, "time_control.minutes: is missing, but required"),
        ({"time_control": {"minutes": []}}, "time_control.minutes: the list is empty"),
        ({"time_control": {"minutes": 90}}, "time_control.minutes: write a list in [ ] here"),
        ({"time_control": {"minutes": [-1]}}, "time_control.minutes[0]: -1 is not a time"),
        ({"time_control": {"minutes": ["90"]}}, "time_control.minutes[0]: '90' is not a time"),
        ({"time_control": {"minutes": [0.12345]}}, "time_control.minutes[0]: 0.12345 is not a time"),
        (
            {"time_control": [{"minutes": [9]}, {"minutes": [9], "delay": 3}]},
            "time_control[1].'delay': unknown key",
        ),
        ({"disabled": "no"}, "disabled: write true or false"),
        ({"category": "first"}, "'category': unknown key"),
        ({"entries": {}}, "entries: write a list in [ ] here"),
        ({"entries": []}, "entries: the section has no players; write them"),
        ({"entries": ["a"]}, "entries[0]: write an object with keys here, not 'a'"),
        ({"entries": [{"place": 1}]}, "entries[0].player: is missing, but required"),
        ({"entries": [{"player": "a"}, {"player": "a"}]}, "entries[1].player: a is entered twice"),
        ({"entries": [{"player": "a", "place": 0}]}, "entries[0].place: 0 cannot be here"),
        ({"entries": [{"player": "a", "place": None}]}, "entries[0].place: null cannot be here"),
        ({"entries": [{"player": "a", "rating": -1}]}, "entries[0].rating: -1 cannot be here"),
        ({"entries": [{"player": "a", "pre": 100}]}, "entries[0].pre: 100 cannot be here; write one of"),
        ({"entries": [{"player": "a", "pre": 1300}]}, "entries[0].pre: 1300 cannot be here"),
        ({"entries": [{"player": "a", "pre": 450}]}, "entries[0].pre: 450 cannot be here"),
        ({"entries": [{"player": "a", "women": True}]}, "entries[0].'women': unknown key"),
        ({"entries": [{"player": "#1"}]}, "entries[0].player: '#1' is not a player's id"),
        (
            {"entries": [{"player": "a", "team": "X"}]},
            "entries[0].team: can be there only in a section whose team is true",
        ),
        ({"entries": [{"player": "a", "left": 2}]}, "entries[0].left: write an object"),
        ({"entries": [{"player": "a", "left": {"round": 2}}]}, "entries[0].left.notified: is missing"),
        (
            {"entries": [{"player": "a", "left": {"round": 3, "notified": True}}]},
            "entries[0].left.round: 3 cannot be here; write a whole number from 1 to 2",
        ),
        ({"games": {}}, "games: write a list in [ ] here"),
        ({"games": [[]]}, "games[0]: write an object"),
        ({"games": [game("a", "b", round=0)]}, "games[0].round: 0 cannot be here"),
        (
            {"games": [game("a", "b", round=1000)]},
            "games[0].round: 1000 cannot be here; write a whole number from 1 to 999",
        ),
        ({"games": [game("a", "b", round=True)]}, "games[0].round: true cannot be here"),
        ({"games": [game("a", "c")]}, "games[0].second: c is not among the section's entries"),
        ({"games": [game("a", "a")]}, "games[0]: a cannot play themselves"),
        ({"games": [game("a", "b", "2-0")]}, "games[0].result: '2-0' cannot be here; write one of: 1-0"),
        (
            {"games": [{"round": 1, "first": ["a"], "second": "b", "result": "1-0"}]},
            "games[0].first: […] is not a player's id",
        ),
        ({"games": [{**game("a", "b"), "board": 1}]}, "games[0].'board': unknown key"),
        ({"games": [game("a", "b", excused="first")]}, "games[0].excused: first did not lose by forfeit"),
        (
            {"games": [game("a", "b", "+:-", excused="first")]},
            "games[0].excused: first did not lose by forfeit",
        ),
        ({"games": [game("a", "b", "+:-", excused="none")]}, "games[0].excused: 'none' cannot be here"),
        (
            {"games": [game("a", "b"), game("b", "a")]},
            "games: a has 2 games or byes in round 1; only one is allowed",
        ),
        (
            {"games": [game("a", "b")], "byes": [{"round": 1, "player": "b", "kind": "half"}]},
            "games: b has 2 games",
        ),
        ({"byes": [{"round": 1, "player": "c", "kind": "half"}]}, "byes[0].player: c is not among"),
        ({"byes": [{"round": 1, "player": "b", "kind": "lazy"}]}, "byes[0].kind: 'lazy' cannot be here"),
        ({"byes": [{"round": 1000, "player": "b", "kind": "zero"}]}, "byes[0].round: 1000 cannot be here"),
    ],
)
def test_a_section_that_is_no_record_is_refused(keys: dict[str, Any], words: str) -> None:
    assert words in refusal(section(**keys))


@pytest.mark.parametrize(
    "keys",
    [
        {"id": "2024/017/A"},
        {"starts": "2020-07-01", "ends": "2020-07-01"},
        {"starts": "2024-03-01", "ends": "2035-05-18"},
        {"format": "knockout"},
        {"rounds": 1},
        {"rounds": 999},
        {"entries": [{"player": "a", "pre": 200}, {"player": "b", "pre": 1200}]},
        {"entries": [{"player": "a", "left": {"round": 2, "notified": True}}]},
        {"time_control": {"minutes": [0], "increment": 10}},
        {"games": [game("a", "b", round=2)]},
        {"rounds": 2, "games": [game("a", "b", round=3), game("a", "b", round=4)]},
        {"rounds": 2, "byes": [{"round": 3, "player": "b", "kind": "pairing"}]},
        {"rounds": 2, "games": [game("a", "b", round=999)]},
        {"games": [game("a", "b", "annulled"), game("a", "b")]},
        {"games": [game("a", "b", "+:-", excused="second")]},
        {"games": [game("a", "b")], "byes": [{"round": 2, "player": "b", "kind": "half"}]},
    ],
)
def test_just_inside_what_is_allowed_a_section_is_read(keys: dict[str, Any]) -> None:
    assert not refusal(section(**keys))


@pytest.mark.parametrize(
    ("ruleset", "keys", "words"),
    [
        (DOTS, {"platform": "otb"}, "'platform': unknown key"),
        (DOTS, {"category": None}, "category: is missing, but required"),
        (DOTS, {"entries": [{"player": "a"}]}, "entries[0].place: is missing, but required"),
        (
            DOTS,
            {"entries": [{"player": "a", "place": 1, "rating": 1200}]},
            "entries[0].'rating': unknown key",
        ),
        (DOTS, {"games": [game("a", "b", "+:-", excused="second")]}, "games[0].'excused': unknown key"),
        (DISCS, {"season": None}, "season: is missing, but required"),
        (TILES, {"status": "special"}, "coefficient: is missing, but required where status is special"),
        (TILES, {"coefficient": 1}, "coefficient: can be there only where status is special"),
        (
            TILES,
            {"status": "special", "coefficient": 3},
            "coefficient: 3 cannot be here; write one of: 1, 2",
        ),
        (TILES, {"status": "special", "coefficient": "1"}, "coefficient: '1' cannot be here"),
        (TILES, {"status": "special", "coefficient": True}, "coefficient: true cannot be here"),
        (TILES, {"games": [game("a", "b")]}, "games: a section of the format placement has places only"),
    ],
)
def test_a_ruleset_decides_which_keys_its_sections_have(
    ruleset: Ruleset, keys: dict[str, Any], words: str
) -> None:
    assert words in refusal(section(ruleset=ruleset.slug, **keys), ruleset)
    assert not refusal(section(ruleset=ruleset.slug), ruleset)


def test_replays_are_further_games_of_a_round_where_the_ruleset_knows_them() -> None:
    replays = [game("a", "b", "1/2"), game("b", "a")]
    assert not refusal(section(ruleset="dots", games=replays), DOTS)
    assert refusal(section(ruleset="discs", games=replays), DISCS)


@pytest.mark.parametrize(
    ("written", "rulesets_with"),
    [
        (line("rank", player="a", rank="2", on="2024-05-02", ground="2.4.1"), {"dots"}),
        (line("playoff", season="2024", winner="a", on="2024-05-02"), {"discs"}),
        (opening("a", track="points"), {"dots", "discs"}),
        (line("list", on="2024-05-02"), {"dots", "discs", "tiles"}),
    ],
)
def test_facts_that_are_not_for_all_stand_where_they_are_folded(
    written: str, rulesets_with: set[str]
) -> None:
    assert {each.slug for each in (DOTS, DISCS, TILES) if not refusal(written, each)} == rulesets_with


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"track": "points"}, "track: 'points' cannot be here; write one of: otb-main"),
        ({"rating": 1712.5}, "rating: 1712.5 is not a rating: write a plain decimal in quotes"),
        ({"rating": "1.7e3"}, "rating: '1.7e3' is not a rating"),
        ({"rating": "NaN"}, "rating: 'NaN' is not a rating"),
        ({"rating": "٣"}, "is not a rating"),
        ({"rating": "1." + "0" * 17}, "is not a rating"),
        ({"rating": "123456789"}, "is not a rating"),
        ({"games": -1}, "games: -1 cannot be here"),
        ({"source": ""}, "source: '' is empty"),
    ],
)
def test_an_opening_that_is_no_rating_is_refused(keys: dict[str, Any], words: str) -> None:
    assert words in refusal(opening("a", **keys))


def test_an_official_confirms_only_ranks_that_there_are() -> None:
    written = line("rank", player="a", rank="GM", on="2024-05-02", ground="2.4.1")
    assert "rank: 'GM' cannot be here; write one of: 3, 2, 1" in refusal(written, DOTS)


def test_all_that_is_wrong_with_a_line_is_told_at_once() -> None:
    told = refusal(section(platform="phone", rounds=2, games=[game("a", "c", "2-0")], arbiter="me"))
    assert [each.split(": ")[1] for each in told.split("\n")] == [
        "'arbiter'",
        "platform",
        "games[0].result",
        "games[0].second",
    ]


def test_of_a_line_with_countless_problems_a_hundred_are_told() -> None:
    assert refusal(section(games=[game("a", "c")] * 500)).count("\n") == 99


def test_who_plays_for_the_womens_title_is_said_in_championships_alone() -> None:
    entries = [{"player": "a", "place": 1, "women": True}]
    assert not refusal(section(ruleset="discs", status="mp", entries=entries), DISCS)
    told = refusal(section(ruleset="discs", status="gpp", entries=entries), DISCS)
    assert "entries[0].women: cannot be in a section of this status" in told


@pytest.mark.parametrize(
    ("rating", "places", "refused"),
    [
        ("1500", 0, False),
        ("1500.0", 0, False),
        ("1500.5", 0, True),
        ("0.123456", 6, False),
        ("0.1234567", 6, True),
    ],
)
def test_d4_an_opening_has_no_more_decimals_than_the_ruleset_keeps(
    rating: str, places: int, refused: bool
) -> None:
    kept = replace(DOTS, storage=replace(DOTS.storage, kept_decimals=places))
    told = refusal(opening("a", track="points", rating=rating), kept)
    assert bool(told) is refused
    assert not refused or f"has more decimals than the {places} that a rating is kept with" in told


def test_each_federation_keeps_the_decimals_of_d4() -> None:
    kept = {slug: ruleset.storage.kept_decimals for slug, ruleset in rulesets().items()}
    assert kept.items() >= {"csa": 16, "mahjong": 16, "pfo": 0, "piskvorky": 0, "ssdc": 6}.items()


@pytest.mark.parametrize("reason", UNRATING_REASONS)
def test_a_rating_is_taken_back_for_a_reason_that_says_something(reason: str) -> None:
    assert not refusal(line("unrated", section="E/A", on="2024-03-09", reason=reason))
