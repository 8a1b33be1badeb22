"""What a `list` or `revised` line published: by the lines above it, and by what is known now."""

from __future__ import annotations

from typing import Any

import pytest

from ratings.replay import replay
from ratings.rulesets.journal import list_content, list_of_line, read_journal
from ratings.tests.journal_lines import (
    closing,
    head,
    line,
    merged,
    opening,
    player,
    rated,
    revised,
    section as csa_section,
    unrated,
)

OWN: dict[str, dict[str, Any]] = {
    "ssdc": {"time_class": "classic", "category": "fourth"},
    "pfo": {"status": "gpp", "season": "2023/2024"},
    "piskvorky": {},
    "mahjong": {"status": "city", "format": "placement"},
}
TRACKS = {"csa": "otb-main", "ssdc": "classic", "pfo": "ranking", "piskvorky": "rating", "mahjong": "rating"}
BY_PLAY = ("ssdc", "pfo", "piskvorky")
NATIONS = {"csa": "RSA", "ssdc": "RUS", "pfo": "POL", "piskvorky": "CZE", "mahjong": "RUS"}


def played(ruleset: str, id: str, ends: str = "2024-03-02", winner: str = "a", **keys: Any) -> str:
    """Six rounds between a and b, all won by one of them."""
    loser = "b" if winner == "a" else "a"
    entries = [{"player": winner, "place": 1}, {"player": loser, "place": 2}]
    games = [{"round": n, "first": winner, "second": loser, "result": "1-0"} for n in range(1, 7)]
    said: dict[str, Any] = {"starts": ends, "ends": ends, "rounds": 6, "entries": entries}
    if ruleset != "mahjong":
        said["games"] = games
    if ruleset == "csa":
        return csa_section(id, **said | keys)
    own = {"id": id, "event": "Open", "name": "A", "starts": ends, "ends": ends, "format": "swiss"}
    rest = {key: value for key, value in (said | keys).items() if key not in own}
    return line("section", **own | {"starts": said["starts"]} | OWN[ruleset] | rest | keys)


def office(ruleset: str, *lines: str) -> list[str]:
    """A federation and two citizens: line 4 is next."""
    return [head(ruleset), *(player(name, nation=NATIONS[ruleset]) for name in "ab"), *lines]


def published(lines: list[str], number: int) -> dict[str, tuple[str, int]]:
    """Rating and games of whoever stands on the list of a line."""
    rows = list_of_line(read_journal(lines), number).get(TRACKS[read_journal(lines).ruleset.slug], [])
    return {row.player: (f"{row.rating:f}", row.games) for row in rows}


each_ruleset = pytest.mark.parametrize("ruleset", TRACKS)
TWICE = [("E/A", "2024-03-02", "2024-03-09"), ("E/B", "2024-03-03", "2024-03-10")]


def two_rated(ruleset: str) -> list[str]:
    return [each for id, ends, on in TWICE for each in (played(ruleset, id, ends), rated(id, on))]


@each_ruleset
def test_a_list_says_what_a_replay_of_the_lines_up_to_it_lists(ruleset: str) -> None:
    lines = office(
        ruleset, *two_rated(ruleset), closing(), played(ruleset, "E/C"), rated("E/C", "2024-04-02")
    )
    answered = replay("\n".join(lines).encode(), through=8)["ratings"]
    track = TRACKS[ruleset]
    ought = {row["player"]: row["games"] for row in answered if row["track"] == track and row["listed"]}
    assert {name: games for name, (_rating, games) in published(lines, 8).items()} == ought


@each_ruleset
def test_revised_without_a_correction_a_list_says_the_same(ruleset: str) -> None:
    later = [played(ruleset, "E/C", "2024-04-01"), rated("E/C", "2024-04-02")]
    lines = office(ruleset, *two_rated(ruleset), closing(), *later, revised())
    assert published(lines, 11) == published(lines, 8) != {}


@each_ruleset
def test_revised_a_list_has_the_version_that_stands_now(ruleset: str) -> None:
    anew = [unrated("E/A", "2024-04-02"), played(ruleset, "E/A", winner="b"), rated("E/A", "2024-04-03")]
    lines = office(ruleset, *two_rated(ruleset), closing(), *anew, revised())
    right = office(ruleset, played(ruleset, "E/A", winner="b"), *two_rated(ruleset)[1:], closing())
    assert published(lines, 12) == published(right, 8) != published(lines, 8)


@each_ruleset
def test_revised_a_list_leaves_out_what_was_taken_back_and_not_rated_anew(ruleset: str) -> None:
    lines = office(ruleset, *two_rated(ruleset), closing(), unrated("E/A", "2024-04-02"), revised())
    right = office(ruleset, *two_rated(ruleset)[2:], closing())
    assert published(lines, 10) == published(right, 6) != published(lines, 8)


@each_ruleset
def test_revised_a_list_knows_nothing_that_was_first_rated_later(ruleset: str) -> None:
    late = [played(ruleset, "E/0", "2024-03-01"), rated("E/0", "2024-04-02")]
    lines = office(ruleset, *two_rated(ruleset), closing(), *late, revised())
    assert published(lines, 11) == published(lines, 8)


@each_ruleset
def test_revised_a_list_is_of_what_its_own_line_knows(ruleset: str) -> None:
    after = [unrated("E/A", "2024-05-03")]
    lines = office(ruleset, *two_rated(ruleset), closing(), revised(), *after, revised(on="2024-05-04"))
    assert published(lines, 9) == published(lines, 8) != published(lines, 11)


@pytest.mark.parametrize(("ends", "in_it"), [("2024-04-01", True), ("2024-04-02", False)])
@pytest.mark.parametrize("ruleset", BY_PLAY)
def test_d1_by_play_a_list_knows_no_section_that_ended_after_its_day(
    ruleset: str, ends: str, in_it: bool
) -> None:
    first = [played(ruleset, "E/C", "2024-03-10"), rated("E/C", "2024-03-11"), unrated("E/C", "2024-03-12")]
    moved = [played(ruleset, "E/C", ends), rated("E/C", "2024-03-12")]
    lines = office(ruleset, *two_rated(ruleset), *first, *moved, closing(), revised())
    without = office(ruleset, *two_rated(ruleset), closing())
    assert (published(lines, 13) != published(without, 8)) is in_it
    assert published(lines, 14) == published(lines, 13)


def test_13_the_last_championship_section_of_a_list_is_the_last_above_it() -> None:
    first = played("pfo", "E/A", status="mp")
    second = played("pfo", "E/B", "2024-04-02", status="mp")
    lines = office("pfo", player("c", nation="POL"), opening("c", track="ranking", on="2024-01-01"))
    lines += [
        first,
        rated("E/A", "2024-03-09"),
        closing(),
        second,
        rated("E/B", "2024-04-03"),
        closing("2024-05-01"),
    ]
    assert published(lines, 8)["c"] == ("1350", 20)
    assert published(lines, 11)["c"] == ("1350", 20)
    entered = second.replace('{"player":"b","place":2}', '{"player":"b","place":2},{"player":"c","place":3}')
    lines[8] = entered
    assert (published(lines, 8)["c"], published(lines, 11)["c"]) == (("1350", 20), ("1500", 20))


def test_67_a_csa_section_rated_anew_stays_in_its_month() -> None:
    month = closing("2024-03-31")
    opened = [opening(name, rating=rating) for name, rating in (("a", "1700"), ("b", "1500"))]
    anew = [unrated("E/A", "2024-04-02"), played("csa", "E/A", winner="b"), rated("E/A", "2024-04-03")]
    lines = office("csa", *opened, played("csa", "E/A"), rated("E/A"), month, *anew)
    lines += [revised("2024-03-31", "2024-04-04")]
    right = office("csa", *opened, played("csa", "E/A", winner="b"), rated("E/A"), month)
    assert published(lines, 12) == published(right, 8)
    assert published(lines, 12)["a"][0] < "1700" < published(lines, 8)["a"][0]


def test_revised_mahjong_weighs_by_the_lists_day_however_late_it_was_corrected() -> None:
    years = [unrated("E/A", "2030-01-01"), played("mahjong", "E/A", winner="b"), rated("E/A", "2030-01-02")]
    lines = office("mahjong", *two_rated("mahjong"), closing(), *years, revised(on="2030-01-03"))
    assert published(lines, 12)["a"] == ("0.5000000000000000", 2)


def test_revised_who_is_merged_since_is_one_and_particulars_are_those_of_the_lists_day() -> None:
    c = player("c", nation="RUS")
    lines = office("mahjong", c, *two_rated("mahjong"), closing(), player("b", nation="KAZ"), revised())
    assert published(lines, 11) == published(lines, 9)
    apart = two_rated("mahjong")[2].replace('"player":"b"', '"player":"c"')
    lines = office("mahjong", c, *two_rated("mahjong")[:2], apart, rated("E/B", "2024-03-10"), closing())
    assert "b" not in published(lines, 9)
    assert published([*lines, merged("c", "b", "2024-05-01"), revised()], 11)["b"] == (
        "0.0000000000000000",
        2,
    )


def test_a_lists_bytes_have_all_digits() -> None:
    lines = office("ssdc", *two_rated("ssdc"), closing())
    (rows,) = list_of_line(read_journal(lines), 8).values()
    assert list_content(rows).startswith(b"a,1")
    assert list_content([]) == b""


@pytest.mark.parametrize(
    ("number", "words"), [(5, "line 5 publishes no list"), (0, "no line 0"), (9, "no line 9")]
)
def test_a_line_that_publishes_no_list_is_told(number: int, words: str) -> None:
    lines = office("csa", *two_rated("csa"), closing())
    with pytest.raises(LookupError, match=words):
        list_of_line(read_journal(lines), number)
