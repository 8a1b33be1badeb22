"""What only the lines above can tell: each line of a journal against the record so far."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from ratings.rulesets import rulesets
from ratings.rulesets.journal import read_journal
from ratings.rulesets.journal_lines import JournalError
from ratings.tests.ended import with_end
from ratings.tests.journal_lines import (
    a_and_b,
    closing,
    game,
    head,
    invented_federations,
    line,
    merged,
    opening,
    parted,
    player,
    problems,
    rated,
    revised,
    section,
    unrated,
)


@pytest.fixture(autouse=True)
def _invented_federations() -> Iterator[None]:
    with invented_federations():
        yield


def told(*after: str) -> list[str]:
    """What is said against csa's journal of two players and these lines, the first of them being line 4."""
    return problems(*a_and_b(), *after)


def test_a_journal_knows_its_federation_its_ruleset_and_its_lines_by_number() -> None:
    journal = read_journal(each.encode() + b"\n" for each in [*a_and_b(), section(), rated()])
    assert journal.federation.code == "csa"
    assert journal.ruleset is rulesets()["csa"]
    assert [number for number, _fact in journal.lines] == [1, 2, 3, 4, 5]


def test_a_journal_of_a_federation_alone_is_one() -> None:
    assert problems(head()) == []


def ended(*lines: str) -> list[str]:
    return b"".join(with_end(lines)).decode().splitlines()


def test_a_journal_says_by_its_end_line_that_it_is_whole() -> None:
    lines = [*a_and_b(), section(), rated()]
    assert read_journal(lines).ended is False
    whole = read_journal(ended(*lines))
    assert whole.ended is True
    assert whole.lines == read_journal(lines).lines
    assert read_journal(each.encode() + b"\n" for each in ended(*lines)).ended is True


def test_an_end_line_that_does_not_fit_the_lines_above_it_is_an_error() -> None:
    *lines, end = ended(*a_and_b(), section(), rated())
    words = "line {}: the end line is not that of the {} lines above it: some were cut, added or altered"
    assert problems(*lines[:-1], end) == [words.format(5, 4)]
    assert problems(*lines, unrated(), end) == [words.format(7, 6)]
    assert problems(*lines, end.replace('"lines":5', '"lines":6')) == [words.format(6, 5)]
    assert problems(*lines, end + " ") == [words.format(6, 5)]


def test_nothing_stands_below_the_end_line() -> None:
    lines = ended(*a_and_b(), section())
    words = "stands below the end line; the last line of a journal says where it ends"
    assert problems(*lines, rated()) == [f"line 6: {words}"]
    assert problems(*lines, lines[-1]) == [f"line 6: {words}"]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "line 1: the journal is empty; the first line must name the federation"),
        (["x"], "line 1: is not JSON at character 1"),
        ([player("a")], "line 1: fact: 'player' is not a fact that can be here; write one of: federation"),
        ([head("chess")], "line 1: ruleset: 'chess' is not a known ruleset; there are: "),
        ([head("csa").replace("csa", "c s a")], "line 1: code: 'c s a' is not a code"),
        ([head(), head()], "line 2: fact: 'federation' is not a fact that can be here"),
    ],
)
def test_the_first_line_and_it_alone_says_whose_journal_it_is(lines: list[str], words: str) -> None:
    assert problems(*lines)[0].startswith(words)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([section(players="ac")], "line 4: entries[1].player: c has no player line above"),
        ([opening("c")], "line 4: player: c has no player line above"),
        ([merged("c", "a")], "line 4: player: c has no player line above"),
        ([merged("a", "c")], "line 4: into: c has no player line above"),
        ([section(players="ac"), player("c")], "line 4: entries[1].player: c has no player line above"),
    ],
)
def test_whoever_is_named_has_a_player_line_above(lines: list[str], words: str) -> None:
    assert told(*lines)[0].startswith(words)


def test_whoever_gets_a_rank_or_wins_a_playoff_has_a_player_line_above() -> None:
    rank = line("rank", player="c", rank="2", on="2024-05-02", ground="2.4.1")
    playoff = line("playoff", season="2024", winner="c", on="2024-05-02")
    assert problems(head("dots"), rank)[0].startswith("line 2: player: c has no player line above")
    assert problems(head("discs"), playoff)[0].startswith("line 2: winner: c has no player line above")


def test_days_never_go_backwards() -> None:
    lines = [opening("a"), section(), rated(on="2024-03-09"), line("list", on="2024-03-08")]
    assert told(*lines) == [
        "line 7: on: 2024-03-08 is before 2024-03-09 of line 6; days never go backwards in a journal"
    ]
    assert told(*lines[:3], line("list", on="2024-03-09")) == []


def test_a_section_is_first_rated_on_its_last_day_at_the_earliest() -> None:
    lines = section(starts="2024-03-02", ends="2024-03-09"), rated(on="2024-03-09")
    assert told(*lines) == []
    assert told(lines[0], rated(on="2024-03-08")) == [
        "line 5: on: 2024-03-08 is before 2024-03-09, when the section ends; it is rated when it is over"
    ]
    moved = section(starts="2024-03-02", ends="2024-03-20")
    assert told(*lines, unrated(on="2024-03-10"), moved, rated(on="2024-03-10")) == []


def test_a_section_is_rated_once() -> None:
    assert told(section(), rated(), rated()) == [
        "line 6: section: the section is rated in line 5 already; un-rate it first"
    ]
    assert told(section(), rated(), unrated(), rated(on="2024-03-13")) == []


def test_only_a_section_that_stands_above_is_rated() -> None:
    words = "line 4: section: there is no section E/A above; write the section's line before its rating"
    assert told(rated(), section()) == [words]


def test_a_section_is_replaced_while_it_is_not_rated() -> None:
    assert told(section(), section(), rated(), unrated(), section(), rated(on="2024-03-13")) == []
    assert told(section(), rated(), section()) == [
        "line 6: id: the section is rated in line 5; un-rate it before it is replaced"
    ]


def test_only_a_rated_section_is_unrated() -> None:
    words = "the section E/A is not rated here; there is nothing to un-rate"
    assert told(section(), unrated()) == [f"line 5: section: {words}"]
    assert told(section(), rated(), unrated(), unrated()) == [f"line 7: section: {words}"]


def test_a_section_that_cannot_be_rated_at_all_has_no_rated_line() -> None:
    friendly = section(ruleset="dots", category="friendly")
    assert problems(*a_and_b("dots"), friendly) == []
    assert problems(*a_and_b("dots"), friendly, rated()) == [
        "line 5: section: this section cannot be rated (3.5: a friendly section is for fun); "
        "leave the rated line out"
    ]


@pytest.mark.parametrize(("minutes", "refused"), [(5, False), (4.5, True)])
def test_csa_23_a_section_faster_than_five_minutes_has_no_rated_line(minutes: float, refused: bool) -> None:
    fast = section(time_control={"minutes": [minutes]})
    assert bool(told(fast, rated())) is refused
    assert told(fast) == []


def test_openings_stand_before_the_first_section() -> None:
    assert told(opening("a"), opening("b"), section(), rated()) == []
    assert told(section(), opening("a")) == [
        "line 5: fact: openings stand before the first section and the first list; move this line up"
    ]


def test_a_player_has_one_opening_a_track() -> None:
    assert told(opening("a"), opening("a", track="otb-blitz")) == []
    assert told(opening("a"), opening("a", rating="1600")) == [
        "line 5: track: the player's opening in otb-main is in line 4 already; keep one of them"
    ]


def test_two_who_stand_in_one_section_are_not_merged() -> None:
    assert told(section(), merged("a", "b")) == [
        "line 5: into: both are entered in section E/A: they are two people, or an entry is wrong"
    ]


def test_the_newest_version_of_a_section_says_who_stands_in_it() -> None:
    apart = section(players="a")
    assert told(section(), apart, merged("a", "b")) == []
    assert told(apart, section(), merged("a", "b"))[0].startswith(
        "line 6: into: both are entered in section E/A"
    )


def test_an_older_version_that_named_both_does_not_keep_two_apart() -> None:
    assert told(section(), section(players="a"), rated(), merged("a", "b")) == []
    assert told(section(), rated(), unrated(), merged("a", "b"))[0].startswith(
        "line 7: into: both are entered in"
    )


@pytest.mark.parametrize(
    ("after", "words"),
    [
        ([section("E/B", players="ac")], "line 6: entries[0].player: a was merged into b in line 5; name b"),
        ([player("a")], "line 6: id: a was merged into b in line 5"),
        ([merged("a", "c")], "line 6: player: a was merged into b in line 5"),
        ([merged("c", "a")], "line 6: into: a was merged into b in line 5"),
    ],
)
def test_below_a_merged_line_nothing_names_the_merged(after: list[str], words: str) -> None:
    assert told(player("c"), merged("a", "b"), *after)[0].startswith(words)


def test_below_a_merged_line_neither_openings_nor_ranks_nor_playoffs_name_the_merged() -> None:
    early = merged("a", "b", on="2020-01-01")
    assert "a was merged into b in line 4" in told(early, opening("a"))[0]
    rank = line("rank", player="a", rank="2", on="2024-05-02", ground="2.4.1")
    playoff = line("playoff", season="2024", winner="a", on="2024-05-02")
    assert "a was merged into b" in problems(*a_and_b("dots"), early, rank)[0]
    assert "a was merged into b" in problems(*a_and_b("discs"), early, playoff)[0]


def test_into_may_be_merged_later_and_takes_along_whom_it_has() -> None:
    c = [player("c"), section(players="ac")]
    chain = [merged("a", "b", on="2024-01-01"), merged("b", "c", on="2024-01-02")]
    assert told(player("c"), *chain) == []
    assert told(*c, *chain)[0].startswith("line 7: into: both are entered in section E/A")


def test_nobody_is_merged_into_themselves() -> None:
    assert told(merged("a", "a"))[0].endswith("into: the two are one player already; leave the line out")


def test_below_a_parted_line_both_are_named_and_merged_again() -> None:
    apart = [merged("a", "b"), parted("a")]
    later = "2024-08-01"
    assert told(*apart, player("a"), section(), rated(on=later)) == []
    assert told(*apart, merged("a", "b", on=later), parted("a", on=later), merged("b", "a", on=later)) == []
    assert told(*apart, section(players="ab"), merged("a", "b", on=later))[0].startswith("line 7: into: both")


def test_only_a_merge_that_stands_is_parted() -> None:
    words = "a is not merged into another entry here; there is nothing to separate"
    assert told(parted("a")) == [f"line 4: player: {words}"]
    assert told(merged("a", "b"), parted("b"))[0].startswith("line 5: player: b is not merged into another")
    assert told(merged("a", "b"), parted("a"), parted("a")) == [f"line 6: player: {words}"]


def test_a_day_has_one_list() -> None:
    assert told(closing("2024-04-01"), closing("2024-04-02")) == []
    assert told(closing(), closing()) == [
        "line 5: on: the list of 2024-04-01 is in line 4 already; there can be only one list a day"
    ]


def test_a_list_that_was_published_is_revised_and_no_other() -> None:
    assert told(closing(), revised(), revised(on="2024-06-01")) == []
    assert told(revised(), closing(on="2024-06-01"))[0].startswith(
        "line 4: list: there is no list of 2024-04-01 above"
    )


def test_taking_a_history_over_is_said_on_its_day() -> None:
    over = line("taken_over", on="2024-02-01", source="an archive")
    assert told(over, section(), rated()) == []
    assert told(section(), rated(), over)[0].startswith("line 6: on: 2024-02-01 is before 2024-03-09")


def test_openings_stand_before_the_first_list_too() -> None:
    assert told(line("list", on="2020-06-01"), opening("a"))[0].startswith(
        "line 5: fact: openings stand before"
    )


def test_openings_are_of_a_day_before_the_first_sections_first() -> None:
    assert told(opening("a", on="2024-02-29"), section()) == []
    assert told(opening("a", on="2024-03-01"), section())[0].startswith(
        "line 5: starts: 2024-03-01 is not after"
    )
    assert told(opening("a", on="2024-02-29"), section(), section("E/B", starts="2024-02-01")) == []


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (2, "form 2, which Federation Ratings 0.1.0rc1 reads; this program reads form 3"),
        (4, "form 4, which a newer program reads; this one reads form 3"),
        (1, "form 1, which no program reads; this one reads form 3"),
        ("3", "form '3', which no program reads; this one reads form 3"),
        (True, "form true, which no program reads; this one reads form 3"),
        (None, "form null, which no program reads; this one reads form 3"),
        ([2], "form […], which no program reads; this one reads form 3"),
    ],
)
def test_a_journal_of_another_form_is_refused_in_one_sentence_that_names_the_program_that_reads_it(
    form: object, said: str
) -> None:
    first = line("federation", form=form, code="csa", owner="somebody")
    assert problems(first, player("a", sex="f")) == [f"line 1: form: this journal is in {said}"]


def test_a_journal_that_does_not_say_its_form_is_of_the_first() -> None:
    first = line("federation", code="csa", ruleset="csa", name="A federation")
    assert problems(first) == [
        "line 1: form: this journal is in form 1, which no program reads; this one reads form 3"
    ]


def test_lines_of_form_2_are_read_as_those_of_form_3_where_that_is_asked() -> None:
    lines = [*a_and_b(), section(), rated()]
    former = [lines[0].replace('"form":3', '"form":2'), *lines[1:]]
    assert read_journal(ended(*former), reads_former_form=True) == read_journal(ended(*lines))


@pytest.mark.parametrize("form", [1, 2.0, 4, "2", [2], True])
def test_no_other_form_is_read_as_form_3(form: object) -> None:
    first, *others = a_and_b()
    other = json.dumps(json.loads(first) | {"form": form}, separators=(",", ":"))
    with pytest.raises(JournalError, match="line 1: form: this journal is in form"):
        read_journal([other, *others], reads_former_form=True)


def test_a_line_of_form_2_that_form_3_refuses_is_named_by_its_number() -> None:
    first, *others = a_and_b()
    lines = [first.replace('"form":3', '"form":2'), *others, rated("X/Y"), line("list")]
    with pytest.raises(JournalError) as refused:
        read_journal(lines, reads_former_form=True)
    assert [problem.line for problem in refused.value.problems] == [4, 5]


def test_every_problem_is_told_with_its_line() -> None:
    lines = [
        player("c", nation="x"),
        "",
        section(players="abc", platform="phone"),
        rated(),
        line("list"),
        unrated("X/Y"),
    ]
    assert [each.split(": ")[0] for each in told(*lines)] == [
        "line 4",
        "line 5",
        "line 6",
        "line 8",
        "line 9",
    ]


def test_of_countless_problems_a_hundred_are_told() -> None:
    assert len(told(*[line("list")] * 101)) == 100


def test_what_rests_on_a_wrong_line_is_not_told_as_well() -> None:
    lines = [section(games=[game("a", "c")]), rated(), unrated()]
    assert len(told(*lines)) == 1
