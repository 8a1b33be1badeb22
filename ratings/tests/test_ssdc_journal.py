"""Sports Dots and piškvorky: what their journals may say, and what is refused with its line."""

from __future__ import annotations

from datetime import date
from typing import Any

from ratings.replay import replay
from ratings.tests.journal_lines import game, line, player, problems, rated

HEADS = {
    "ssdc": line("federation", form=3, code="ssdc", ruleset="ssdc", name="Dots"),
    "piskvorky": line("federation", form=3, code="piskvorky", ruleset="piskvorky", name="Piškvorky"),
}


def section(ruleset: str = "ssdc", **keys: Any) -> str:
    own = {"time_class": "classic", "category": "fourth"} if ruleset == "ssdc" else {}
    said: dict[str, Any] = {
        "id": "E/A",
        "event": "Open",
        "name": "A",
        "starts": "2024-03-01",
        "ends": "2024-03-02",
        "format": "swiss",
        "rounds": 2,
        **own,
        "entries": [{"player": "a", "place": 1}, {"player": "b", "place": 2}],
        "games": [game("a", "b")],
        **keys,
    }
    return line("section", **{key: value for key, value in said.items() if value is not None})


def office(*lines: str, ruleset: str = "ssdc") -> list[str]:
    return [HEADS[ruleset], player("a"), player("b"), *lines]


def test_3_5_a_friendly_section_has_no_rated_line() -> None:
    assert problems(*office(section(category="friendly"))) == []
    (told,) = problems(*office(section(category="friendly"), rated()))
    assert told.startswith("line 5: section: this section cannot be rated (3.5: A friendly tournament")


def test_1_5_3_2_time_class_and_category_are_needed_and_belong_to_dots_alone() -> None:
    assert problems(*office(section(time_class=None, category=None))) == [
        "line 4: time_class: is missing, but required",
        "line 4: category: is missing, but required",
    ]
    (told,) = problems(*office(section("piskvorky", time_class="blitz"), ruleset="piskvorky"))
    assert told.startswith("line 4: 'time_class': unknown key")


def test_2_4_2_every_entry_has_a_place_in_dots_and_need_not_elsewhere() -> None:
    entries = [{"player": "a"}, {"player": "b", "place": 2}]
    assert problems(*office(section(entries=entries))) == [
        "line 4: entries[0].place: is missing, but required"
    ]
    assert problems(*office(section("piskvorky", entries=entries), ruleset="piskvorky")) == []


def test_1_7_1_two_may_play_again_in_a_round() -> None:
    games = [game("a", "b", "1/2"), game("b", "a", "annulled"), game("b", "a")]
    for ruleset in HEADS:
        assert problems(*office(section(ruleset, games=games), rated(), ruleset=ruleset)) == []


def test_5_2_a_section_before_the_regulations_is_refused_in_dots_alone() -> None:
    (told,) = problems(*office(section(starts="2017-01-26")))
    assert told.startswith("line 4: starts: 2017-01-26 is before the first regulations")
    early = section("piskvorky", starts="1999-01-01", ends="1999-01-02")
    assert problems(*office(early, ruleset="piskvorky")) == []


def test_2_3_1_a_rank_is_confirmed_by_its_short_name_and_in_dots_alone() -> None:
    keys = {"player": "a", "on": "2024-05-01", "ground": "SSDC 2.4.1"}
    assert problems(*office(line("rank", rank="M", **keys))) == []
    (told,) = problems(*office(line("rank", rank="N", **keys)))
    assert "write one of: 3, 2, 1, C, M, H, G" in told
    (told,) = problems(*office(line("rank", rank="M", **keys), ruleset="piskvorky"))
    assert told.startswith("line 4: fact: 'rank' is not a fact that can be here")


def test_a_replay_for_an_earlier_day_knows_no_later_approval() -> None:
    later = section(id="E/B", starts="2024-02-01", ends="2024-02-01")
    text = "\n".join(office(section(), rated(), later, rated("E/B", "2024-04-01"))).encode()

    def ratings(as_of: date) -> list[str]:
        return [row["rating"] for row in replay(text, as_of)["ratings"]]

    assert ratings(date(2024, 3, 31)) == ["1220", "1180"]
    assert ratings(date(2024, 4, 1)) == ["1237.707535", "1162.292465"]


def test_a_merged_player_has_one_rating_and_the_ranks_of_both() -> None:
    lines = office(
        player("c"),
        section(category="third"),
        rated(),
        section(id="E/B", entries=[{"player": "c", "place": 1}, {"player": "b", "place": 2}], games=[]),
        rated("E/B"),
        line("rank", player="c", rank="2", on="2024-05-01", ground="SSDC 2.4.2"),
        line("merged", player="c", into="a", on="2024-06-01"),
    )
    answered = replay("\n".join(lines).encode())
    assert [(row["player"], row["games"]) for row in answered["ratings"]] == [("a", 1), ("b", 1)]
    assert answered["ranks"][0] == {"player": "a", "rank": "2", "ground": "SSDC 2.4.2"}
