"""Whoever has a pocket calculator and one page of a working comes to the same numbers.

Each sum is worked out again from the digits that are printed, to the last digit of its result; and what a sum
takes up stands on the page before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal, localcontext
from typing import Any

import pytest
from django.utils.html import strip_tags

from players.models import Federation
from ratings.rulesets import rulesets
from ratings.rulesets.facts import Departure, Entry, RatedSection, RuleTable, State, Working, WorkingStep
from ratings.rulesets.ruleset import CONTEXT, Ruleset
from ratings.tests import csa_record, mahjong_record, pfo_record, piskvorky_record, ssdc_record
from ratings.tests.strategies import record
from ratings.workings import StepRow, game_rows, step_rows, summary_rows
from tests.pocket_calculator import comes_out

pytestmark = pytest.mark.long

every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
SEEDS = (1, 2, 3, 5)


# ---------------------------------------------------------------- arithmetic with what is printed


def agrees(row: StepRow) -> bool:
    """The sum of a step, by its printed digits, gives its printed result."""
    assert printed(row.formula).rpartition(" = ")[2] == printed(row.total), row
    return comes_out(printed(row.formula))


def printed(text: object) -> str:
    """As a reader sees it."""
    return strip_tags(str(text))


# ---------------------------------------------------------------- every change of invented records


@dataclass
class Told:
    """A working with the printed rows of its steps."""

    working: Working
    rows: list[StepRow]
    earlier: RuleTable | None

    def steps(self, *keys: str) -> Iterator[WorkingStep]:
        return (step for step in self.working.steps if step.key in keys)

    def results(self, *keys: str) -> Decimal:
        return sum((Decimal(step.result) for step in self.steps(*keys)), Decimal(0))  # type: ignore[arg-type]


def workings_of(ruleset: Ruleset, seeds: Sequence[int]) -> Iterator[Told]:
    for seed in seeds:
        state: State[Any] = State()
        history: dict[tuple[str, str], list[tuple[int, Any]]] = {}
        for fact in record(ruleset, seed, sections=12):
            outcome = ruleset.apply(state, fact)
            for change in outcome.changes:
                key = change.player, change.track
                with localcontext(CONTEXT):
                    working = ruleset.rules_for(fact).explain(state, fact, *key)
                before = history.setdefault(key, [])
                collected = ruleset.figures.collected if isinstance(fact, RatedSection) else None
                earlier = collected(working, reversed(before)) if collected else None
                yield told_of(ruleset, working, earlier)
                before.append((fact.number, change.after))
            state.absorb(outcome)


def told_of(ruleset: Ruleset, working: Working, earlier: RuleTable | None = None) -> Told:
    office = Federation(code=ruleset.slug, ruleset_slug=ruleset.slug)
    return Told(working, step_rows(working, office, office.ruleset.newest), earlier)


@every_ruleset
def test_each_printed_sum_gives_its_printed_result(ruleset: Ruleset) -> None:
    seen: set[str] = set()
    for told in workings_of(ruleset, SEEDS):
        for step, row in zip(told.working.steps, told.rows, strict=True):
            if row.formula:
                seen.add(step.key)
                assert agrees(row), (row.words, row.formula)
    least = {"csa": 15, "ssdc": 2, "pfo": 2, "piskvorky": 7, "mahjong": 4}
    assert len(seen) >= least.get(ruleset.slug, 0)


@every_ruleset
def test_each_working_opens_with_a_sentence_whose_last_number_is_where_it_led(ruleset: Ruleset) -> None:
    office = Federation(code=ruleset.slug, ruleset_slug=ruleset.slug)
    for told in workings_of(ruleset, SEEDS[:2]):
        if told.working.steps:
            assert told.working.summary
        for step, row in zip(
            told.working.summary, summary_rows(told.working, office, office.ruleset.newest), strict=True
        ):
            assert step.clause in ruleset.words.clauses
            assert "{" not in row.words
            assert row.words != step.key


@pytest.mark.parametrize("slug", ["csa", "ssdc", "pfo", "piskvorky", "mahjong"])
def test_what_a_sum_takes_up_stands_on_the_page(slug: str) -> None:
    found = list(workings_of(rulesets()[slug], SEEDS))
    with localcontext(CONTEXT):
        compared = sum(map(TAKEN_UP[slug], found))
    assert compared > 20


def csa_takes_up(told: Told) -> int:
    """The games' sums, what was collected before, and the weighed performances."""
    games, compared = [game for game in told.working.games if game.score is not None], 0
    met = sum((game.opponent_rating or 0 for game in games), Decimal(0))
    scored = sum((game.score or 0 for game in games), Decimal(0))
    for step in told.steps("opponents"):
        assert step.inputs["ratings"] == tuple(game.opponent_rating for game in games)
        assert step.result == met
    for step in told.steps("score-less-expected"):
        assert step.inputs["expected"] == tuple(game.expected for game in games)
        assert step.inputs["score"] == scored
        compared += 1
    for key, column in (("collected", 1), ("collected-score", 2), ("collected-opposition", 3)):
        for step in told.steps(key):
            assert step.inputs["before"] == column_sum(told.earlier, column)
            compared += 1
    for step in told.steps("collected-opposition"):
        assert step.inputs["opposition"] == met
    for step in told.steps("weight-performance"):
        terms = told.steps("weight-term", "weight-term-one-kind")
        assert step.inputs["weighed"] == tuple(term.result for term in terms)
        compared += 1
    for step in told.steps("change"):
        kept = ("gain-counts", "gain-cut", "loss-counts", "team-counts")
        spared = list(told.steps("winner-protected"))
        assert step.inputs["counted"] == (0 if spared else told.results(*kept))
        assert step.inputs["penalties"] == -told.results("penalty-forfeit", "penalty-withdrawal")
    return compared


def ssdc_takes_up(told: Told) -> int:
    """Each game starts where the one before it ended."""
    rating, games = None, list(told.steps("initial", "came-with", "after-game"))
    for step in games:
        if step.key == "after-game":
            assert step.inputs["own"] == rating
        rating = step.result
    for step in told.steps("rated-after"):
        assert step.result == rating
    return len(games)


def pfo_takes_up(told: Told) -> int:
    """All points are those of the games and the awards."""
    single = re.compile(r"(won|lost)-against|draw|both-lost|took-|award|no-award")
    for step in told.steps("all-points"):
        single_points = [each.result for each in told.working.steps if single.match(each.key)]
        assert step.result == sum(single_points) == sum(step.inputs["points"])  # type: ignore[arg-type]
    return len(list(told.steps("all-points")))


def piskvorky_takes_up(told: Told) -> int:
    """All gains are those of the games; what a novice brings along is in the table of earlier tournaments."""
    rows = ("higher-won", "lower-won", "drawn", "both-lost")
    for step in told.steps("all-gains"):
        assert step.inputs["points"] == tuple(each.result for each in told.steps(*rows))
    for step in told.steps("novice-opposition"):
        games = told.working.games
        assert step.inputs["met"] == tuple(each.opponent_rating for each in games if each.opponent_rating)
        assert step.inputs["before"] == column_sum(told.earlier, 4)
        for at, key in enumerate(("added-games", "added-wins", "added-losses"), start=1):
            for added in told.steps(key):
                assert added.inputs["before"] == column_sum(told.earlier, at)
    return len(told.working.steps)


def mahjong_takes_up(told: Told) -> int:
    """Above and below the line stand the sums of the steps; a year's weight is that of the table's rows."""
    for step in told.steps("above"):
        assert step.inputs["terms"] == tuple(each.result for each in told.steps("term"))
    for step in told.steps("below"):
        weights = [each.inputs["weight"] for each in told.steps("term")]
        assert step.inputs["weights"] == (*weights, *(each.result for each in told.steps("absent")))
    (missed,) = told.working.tables or (None,)
    for step in told.steps("absent"):
        assert missed is not None
        rows = [row for row in missed.rows if row[2] == step.inputs["year"]]
        assert (step.inputs["missed"], step.inputs["weight"]) == (len(rows), sum(row[5] for row in rows))  # type: ignore[misc]
    return len(list(told.steps("term", "absent")))


def column_sum(table: RuleTable | None, column: int) -> Decimal:
    """What a column adds up to, which its last row says."""
    if table is None:
        return Decimal(0)
    *rows, together = (Decimal(row[column]) for row in table.rows)  # type: ignore[arg-type]
    assert sum(rows) == together
    return together


TAKEN_UP = {
    "csa": csa_takes_up,
    "ssdc": ssdc_takes_up,
    "pfo": pfo_takes_up,
    "piskvorky": piskvorky_takes_up,
    "mahjong": mahjong_takes_up,
}


# ---------------------------------------------------------------- special clauses, both sides


def summary_of(working: Working) -> list[str]:
    """The keys of the opening sentence."""
    return [step.key.removeprefix("in-short-") for step in working.summary]


def checked(ruleset: Ruleset, working: Working) -> list[str]:
    """The keys of the opening sentence, once each sum of the working is worked out again."""
    told = told_of(ruleset, working)
    formulas = [row for row in told.rows if row.formula]
    assert formulas
    assert all(agrees(row) for row in formulas)
    return summary_of(working)


WON_EASILY = "1 Amahle 1-0 Pieter\n2 Pieter 0-1 Amahle\n3 Amahle 1-0 Pieter\n4 Pieter 0-1 Amahle"


def csa(games: str, rating: int = 1500, **fields: Any) -> Working:
    """Amahle's working in otb-main against 1500."""
    record = csa_record.Record()
    record.open("Amahle", rating)
    record.open("Pieter", 1500)
    record.open("Lwazi", 1500)
    record.rate(games, **fields)
    return record.explain("Amahle")


@pytest.mark.parametrize(
    ("games", "fields", "sentence"),
    [
        (WON_EASILY, {"rounds": 5}, ["rated"]),  # four of five rounds are four fifths
        (WON_EASILY, {"rounds": 6}, ["rated", "gain-cut", "change"]),
        (WON_EASILY, {"rounds": 6, "team": True}, ["rated"]),
        ("1 Amahle 0-1 Pieter", {"rounds": 6}, ["rated"]),  # a loss counts whatever the number of games
    ],
)
def test_csa_47_the_sentence_says_whether_a_gain_counts(
    games: str, fields: dict[str, Any], sentence: list[str]
) -> None:
    assert checked(rulesets()["csa"], csa(games, **fields)) == sentence


@pytest.mark.parametrize(
    ("games", "fields", "sentence"),
    [
        ("1 Amahle 1/2 Pieter\n2 Pieter 1/2 Amahle", {}, ["rated", "protected", "change"]),
        ("1 Amahle 1/2 Pieter\n2 Pieter 1/2 Amahle", {"rounds": 3}, ["rated"]),
        ("1 Amahle 1/2 Pieter\n2 Pieter 1/2 Amahle", {"team": True}, ["rated"]),
        ("1 Amahle 1/2 Pieter\n2 Pieter 1-0 Amahle", {}, ["rated"]),
    ],
)
def test_csa_68_the_sentence_says_whether_a_winner_is_spared(
    games: str, fields: dict[str, Any], sentence: list[str]
) -> None:
    assert checked(rulesets()["csa"], csa(games, 2200, **fields)) == sentence


@pytest.mark.parametrize(
    ("games", "sentence"),
    [
        ("1 Amahle -:+ Pieter\n2 Amahle 0-1 Pieter", ["rated"]),  # round 1 is free
        ("1 Amahle 0-1 Pieter\n2 Amahle -:+ Pieter", ["rated", "penalties-51", "change"]),
        ("1 Amahle 0-1 Pieter\n2 Amahle -:+ Pieter excused=first", ["rated"]),
        ("2 Amahle -:+ Pieter", ["no-games", "penalties-51", "change"]),
    ],
)
def test_csa_51_the_sentence_says_which_penalties_there_are(games: str, sentence: list[str]) -> None:
    assert checked(rulesets()["csa"], csa(games)) == sentence


@pytest.mark.parametrize("notified", [True, False])
def test_csa_52_the_sentence_says_what_leaving_cost(notified: bool) -> None:
    entries = [Entry("Amahle", left=Departure(2, notified=notified))]
    sentence = checked(rulesets()["csa"], csa("1 Amahle 0-1 Pieter", rounds=3, entries=entries))
    assert sentence == ["rated"] + ([] if notified else ["penalties-52", "change"])


@pytest.mark.parametrize(
    ("games", "sentence", "left"),
    [("=" * 9, ["collecting"], 1), ("=" * 10, ["first"], None), ("-" * 10, ["first"], None)],
)
def test_csa_54_the_sentence_says_how_far_a_first_rating_is(
    games: str, sentence: list[str], left: int | None
) -> None:
    record = csa_record.Record()
    record.rate(csa_record.card("Thandi", games), time_controls=(csa_record.HOUR,))
    working = record.explain("Thandi")
    assert checked(rulesets()["csa"], working) == sentence
    assert left is None or working.summary[0].result == left


def test_csa_54_the_table_has_each_earlier_section_s_part() -> None:
    record, history = csa_record.Record(), []
    for results in ("=====", "", "++", "---"):
        record.rate(csa_record.card("Thandi", results) or "1 Pieter 1-0 Lwazi")
        if results:
            history.append((record.number, record.standing("Thandi")))
    collected = rulesets()["csa"].figures.collected
    assert collected is not None
    table = collected(record.explain("Thandi"), reversed(history[:-1]))
    assert table is not None
    assert [row[1:] for row in table.rows] == [
        (5, Decimal("2.5"), Decimal(6000)),
        (2, Decimal(2), Decimal(2400)),
        (7, Decimal("4.5"), Decimal(8400)),
    ]
    assert [row[0] for row in table.rows] == [*(number for number, _ in history[:-1]), "together"]
    # what a first rating took up is done with
    assert collected(record.explain("Thandi"), reversed(history)) is None


@pytest.mark.parametrize(
    ("rating", "sentence"),
    [(1375, []), (1374, ["lift"]), (875, ["lift"]), (874, ["lift-held"])],
)
def test_csa_44_the_sentence_says_how_far_the_weight_performance_lifts(
    rating: int, sentence: list[str]
) -> None:
    record = csa_record.Record()
    record.open("Amahle", rating)
    for number in range(1, 6):
        record.open(str(number), 1500)
    for number in range(5):
        ends = csa_record.DAY - timedelta(146 * (5 - number))
        control = csa_record.RAPID if number == 4 else csa_record.HOUR
        games = csa_record.card("Amahle", "=====")
        record.rate(games, starts=ends, ends=ends, on=ends, time_controls=(control,))
    assert [key for key in checked(rulesets()["csa"], record.explain("Amahle")) if "lift" in key] == sentence


@pytest.mark.parametrize(("rating", "sentence"), [(120, ["list"]), (119, ["list", "list-floor"])])
def test_csa_45_the_sentence_says_where_a_list_meets_the_floor(rating: int, sentence: list[str]) -> None:
    record = csa_record.Record()
    record.open("Amahle", rating)
    record.rate("2 Amahle -:+ Pieter")
    record.close()
    assert checked(rulesets()["csa"], record.explain("Amahle")) == sentence


def test_csa_58_a_pre_rating_is_a_number_under_its_clauses_and_tells_nothing_else() -> None:
    record = csa_record.Record()
    record.open("Amahle", 1500)
    record.rate("1 Amahle 1-0 Thandi")
    (game,) = record.explain("Amahle").games
    office = Federation(code="csa", ruleset_slug="csa")
    (row,) = game_rows(record.explain("Amahle"), office, office.ruleset.newest, {"Thandi": "Thandi"})
    assert game.clauses == ("58", "59", "16", "36")
    assert not re.search(r"\bage\b|adult|under \d|U\d|male|girl|boy|sex", row.note)
    assert "clause 58" in row.note


@pytest.mark.parametrize(
    ("rating", "games", "k"), [(2399, 30, 20), (2400, 30, 10), (2400, 29, 40), (2399, 29, 40)]
)
def test_ssdc_1_4_2_the_sentence_names_k_on_both_sides_of_its_bounds(rating: int, games: int, k: int) -> None:
    record = ssdc_record.Record()
    record.open("Ada", rating, games=games)
    record.rate("1 Ada 0-1 Boris")
    working = record.explain("Ada")
    assert checked(rulesets()["ssdc"], working) == ["in-short", "ground"]
    assert working.summary[0].inputs["k"] == k


def test_ssdc_1_4_2_the_sentence_names_both_ks_where_a_section_crosses_a_bound() -> None:
    record = ssdc_record.Record()
    record.open("Ada", 1500, games=29)
    record.rate("1 Ada 0-1 Boris\n2 Ada 1-0 Boris")
    (step,) = record.explain("Ada").summary
    assert (step.key, step.inputs["k"], step.inputs["later"]) == ("in-short-several-ks", 40, 20)


@pytest.mark.parametrize(
    ("gap", "row", "points"),
    [(60, "0–60", 10), (61, "61–120", 12), (300, "201–300", 20), (301, "301–", 25)],
)
def test_pfo_10_each_game_names_its_row_on_both_sides_of_a_bound(gap: int, row: str, points: int) -> None:
    office = pfo_record.Office()
    office.open(Adam=1500, Basia=1500 + gap)
    working = office.explain(office.rate("1 Adam 1-0 Basia"), "Adam")
    (step,) = (each for each in working.steps if each.key == "won-against-higher")
    assert (step.inputs["row"], step.result) == (row, points)
    assert checked(rulesets()["pfo"], working) == ["games", "took-part", "after"]


@pytest.mark.parametrize(
    ("status", "place", "sentence"),
    [
        ("woc", 20, ["not-rated", "award", "after"]),
        ("woc", 21, ["not-rated", "after"]),
        ("egp", 5, ["not-rated", "award", "after"]),
        ("egp", 6, ["not-rated", "award", "after"]),
        ("mp", 2, ["no-games", "after"]),
    ],
)
def test_pfo_12_the_sentence_says_what_a_place_brings(status: str, place: int, sentence: list[str]) -> None:
    office = pfo_record.Office()
    office.open(Adam=1500)
    others = [f"P{number}" for number in range(1, place)]
    fact = office.rate(places=" ".join([*others, "Adam"]), status=status)
    assert checked(rulesets()["pfo"], office.explain(fact, "Adam")) == sentence


def test_pfo_13_the_sentence_says_what_missing_the_championship_costs() -> None:
    office = pfo_record.Office()
    office.open(Adam=1505, Basia=1500)
    fact = office.rate("1 Basia 1-0 Celina", status="mp")
    (step,) = office.explain(fact, "Adam").summary
    assert (step.inputs["before"], step.inputs["points"], step.result) == (1505, -151, 1354)


@pytest.mark.parametrize(
    ("games", "sentence"),
    [
        ("1 Nina 1-0 Adam\n2 Nina 1/2 Adam\n3 Nina 0-1 Adam\n4 Nina 0-1 Adam\n5 Nina 0-1 Adam", True),
        ("1 Nina 1-0 Adam\n2 Nina 0-1 Adam\n3 Nina 0-1 Adam\n4 Nina 0-1 Adam\n5 Nina 0-1 Adam", False),
        ("1 Nina 1-0 Adam\n2 Nina 1-0 Adam\n3 Nina 1-0 Adam\n4 Nina 1-0 Adam", False),
    ],
)
def test_piskvorky_2_the_sentence_says_whether_a_novice_is_established(games: str, sentence: bool) -> None:
    record = piskvorky_record.Record()
    record.open("Adam", 1601)
    record.rate(games)
    found = checked(rulesets()["piskvorky"], record.explain("Nina"))
    assert found == ["novice", *(["establishes"] if sentence else [])]


def test_piskvorky_6_the_second_founding_tournament_takes_up_the_first() -> None:
    record = piskvorky_record.Record()
    record.rate("1 Adam 1-0 Cyril")
    record.rate("1 Adam 0-1 Cyril\n2 Adam 1/2 Cyril")
    working = record.explain("Adam")
    assert checked(rulesets()["piskvorky"], working) == ["founding"]
    added = [(step.inputs["before"], step.inputs["now"], step.result) for step in working.steps[1:4]]
    assert added == [(1, 2, 3), (1, 0, 1), (0, 1, 1)]


@pytest.mark.parametrize(("days", "kb"), [(0, "1"), (366, "1"), (367, "0.75"), (1461, "0.25"), (1462, "0")])
def test_mahjong_5_a_missed_competition_has_its_own_line_until_it_weighs_nothing(days: int, kb: str) -> None:
    office = mahjong_record.Office()
    office.admit("Vera Boris Galina", ends=date(2019, 3, 1), status="national", id="C/1")
    fact = office.admit("Boris Anna Vera", ends=date(2019, 3, 1) + timedelta(days), id="C/2")
    working = office.explain(fact, "Anna")
    rows = [row for table in working.tables for row in table.rows]
    assert checked(rulesets()["mahjong"], working)[:2] == ["result", "rating"]
    expected = [("C/1", date(2019, 3, 1), 2019, 3, Decimal(kb), 3 * Decimal(kb))]
    assert rows == (expected if Decimal(kb) else [])
