"""Every point explained, in every ruleset: on players' and events' pages, in the regulations, in examples."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client

from players.models import Federation, Ledger, Player
from ratings.cross_tables import CrossTable
from ratings.intake import import_journal
from ratings.models import Change, Fact
from ratings.pages.play import HistoryLine, HistoryWriter, fold_lines
from ratings.pages.regulations import ExamplePart, agrees, is_introduction
from ratings.player_ratings import get_curve
from ratings.results import AsOf, ChangeOfFact
from ratings.rulesets import journal, rulesets
from ratings.rulesets.examples import examples_of
from ratings.rulesets.parameters import Parameter
from ratings.rulesets.ruleset import Ruleset
from ratings.statement import Balance, Movement, StatementRow, read_statement
from ratings.tests.journals import journal_of
from ratings.tests.office import recompute_all
from ratings.tests.pfo_record import DAY, Office
from ratings.tests.test_every_office import imported

every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
each_example = pytest.mark.parametrize(
    ("ruleset", "name"),
    [(ruleset, each.name) for ruleset in rulesets().values() for each in examples_of(ruleset)],
    ids=lambda value: value if isinstance(value, str) else value.slug,
)
NOW = date(2030, 1, 1)


def result_of(expected: str) -> dict[str, Any]:
    return {"expected": expected}


@pytest.fixture
def empty_office(db: None, request: pytest.FixtureRequest) -> Federation:
    ruleset: Ruleset = request.getfixturevalue("ruleset")
    office = Federation.objects.create(code=ruleset.slug, name=ruleset.name, ruleset_slug=ruleset.slug)
    Ledger.objects.create(federation=office)
    return office


# ---------------------------------------------------------------- the regulations


@every_ruleset
def test_each_reading_answers_a_question_and_each_question_has_its_reading(ruleset: Ruleset) -> None:
    readings = {number for number in ruleset.words.clauses if number.startswith("D-")}
    assert readings == ruleset.words.questions.keys() != set()
    assert all(question.endswith("?") for question in ruleset.words.questions.values())


@every_ruleset
def test_each_edition_has_its_numbers_under_clauses_that_there_are(ruleset: Ruleset) -> None:
    for edition in ruleset.editions:
        assert edition.parameters
        for each in edition.parameters:
            assert each.clause in ruleset.words.clauses
            if not isinstance(each, Parameter):
                assert {len(row) for row in each.shown_rows} == {len(each.columns)}


@every_ruleset
def test_the_page_of_the_regulations_has_an_anchor_for_each_clause_and_leads_to_each_example(
    ruleset: Ruleset, empty_office: Federation, client: Client
) -> None:
    page = client.get(f"/{empty_office.code}/regulations/").content.decode()
    ids = re.findall(r'id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert {f"clause-{number}" for number in ruleset.words.clauses} <= set(ids)
    for each in examples_of(ruleset):
        assert f"/regulations/{each.name}/" in page


# ---------------------------------------------------------------- examples


@pytest.mark.django_db
def test_what_stands_before_an_example_s_play_is_folded_and_its_play_is_not(client: Client) -> None:
    Federation.objects.create(code="csa", name="CSA", ruleset_slug="csa")
    Ledger.objects.create(federation=Federation.objects.get())
    page = client.get("/csa/regulations/1-change-of-a-rated-player/").content.decode()
    given, _end, play = page.partition("</details>")
    assert "Before it: " in given
    assert given.count("Taken over when the record began") > 1
    assert "Taken over when the record began" not in play
    assert "as expected: " in play


@pytest.mark.parametrize(
    ("part", "given"),
    [
        (ExamplePart("a line of the register"), True),
        (ExamplePart("an opening", results=[result_of("")]), True),
        (ExamplePart("an opening that is expected", results=[result_of("1500")]), False),
        (ExamplePart("a section", section=object()), False),
    ],
)
def test_what_is_played_or_expected_is_never_folded(part: ExamplePart, given: bool) -> None:
    assert is_introduction(part) is given


@each_example
def test_an_example_comes_out_as_expected_before_the_reader_s_eyes(
    ruleset: Ruleset, name: str, empty_office: Federation, client: Client
) -> None:
    page = client.get(f"/{empty_office.code}/regulations/{name}/").content.decode()
    assert "as expected:" in page
    assert "expected was" not in page
    assert 'class="steps"' in page


@pytest.mark.parametrize("ruleset", [rulesets()["csa"]], ids=["csa"])
def test_there_is_no_example_of_another_name(
    ruleset: Ruleset, empty_office: Federation, client: Client
) -> None:
    assert client.get("/csa/regulations/9-nothing/").status_code == 404


def test_an_expectation_agrees_with_its_very_number_and_with_no_other() -> None:
    assert agrees("1500", Decimal("1500.0000"))
    assert not agrees("1500", Decimal("1500.0001"))
    assert agrees("unrated", None)
    assert not agrees("unrated", Decimal(1))
    assert not agrees("1500", None)


# ---------------------------------------------------------------- what moved a rating


@every_ruleset
@pytest.mark.django_db
def test_from_line_to_line_of_a_history_nothing_moves_unexplained(ruleset: Ruleset) -> None:
    office, _written = imported(ruleset)
    for player in Player.objects.filter(federation=office):
        for track in ruleset.tracks:
            lines = lines_of_history(player, track.code)[::-1]
            for earlier, later in pairwise(lines):
                assert later.before == earlier.after, (player.number, track.code, later.words)
            for line in lines:
                assert (line.before or 0) + line.at_once == (line.after or 0)
                assert not line.others or line.at_once


def statement_of(player: Player, track: str, until: date = NOW) -> list[StatementRow]:
    return read_statement(player, track, AsOf(player.federation, until, None))


def lines_of_history(player: Player, track: str) -> list[HistoryLine]:
    teller = HistoryWriter(player, track, AsOf(player.federation, NOW, None))
    return list(teller.lines(statement_of(player, track)))


def lines_of_others(count: int) -> list[HistoryLine]:
    """Each a day after the one behind it, and each a point up."""
    return [
        HistoryLine(
            NOW - timedelta(n),
            f"No. {n}",
            "",
            "/w/",
            Movement(Balance(Decimal(9 - n)), Balance(Decimal(10 - n))),
            others=True,
        )
        for n in range(count)
    ]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_few_lines_of_others_and_of_time_stand_by_themselves(count: int) -> None:
    lines = lines_of_others(count)
    assert list(fold_lines(lines)) == lines


def test_from_three_on_lines_of_others_and_of_time_fold_into_their_sum() -> None:
    lines = lines_of_others(3)
    (line,) = fold_lines(lines)
    assert (line.before, line.at_once, line.after) == (Decimal(7), Decimal(3), Decimal(10))
    assert line.on == NOW
    assert line.folded == lines


def test_where_there_was_no_rating_the_whole_of_it_comes_at_once() -> None:
    lines = lines_of_others(3)
    first = Movement(Balance(), lines[-1].movement.after)
    (line,) = fold_lines([*lines[:-1], replace(lines[-1], movement=first)])
    assert (line.before, line.at_once, line.after) == (None, Decimal(10), Decimal(10))


@every_ruleset
@pytest.mark.django_db
def test_only_where_the_calendar_moves_ratings_do_they_move_without_a_fact_of_one_s_own(
    ruleset: Ruleset,
) -> None:
    office, _written = imported(ruleset)
    found = [
        row
        for player in Player.objects.filter(federation=office)
        for track in ruleset.tracks
        for row in statement_of(player, track.code)
        if row.drift is not None
    ]
    assert bool(found) is (ruleset.slug == "mahjong")


@pytest.mark.django_db
def test_a_day_on_which_others_or_time_moved_it_opens_into_what_counted_then(client: Client) -> None:
    office, _written = imported(rulesets()["mahjong"])
    change = Change.objects.filter(fact__federation=office, after__isnull=False).told().last()
    assert change is not None
    page = client.get(change.player.get_absolute_url()).content.decode()
    assert "Time: older results weigh less" in page
    assert "Others: " in page
    assert "Other players’ results, and time" in page
    assert 'class="folded"' in page
    (_one, *_more) = days = re.findall(r'href="([^"]+on=[^"]+)#counts"', page)
    answer = client.get(days[-1].replace("&amp;", "&")).content.decode()
    assert 'id="counts"' in answer
    assert 'class="steps"' in answer


@every_ruleset
@pytest.mark.django_db
def test_a_section_s_table_has_the_ratings_of_that_day_as_each_history_has_them(ruleset: Ruleset) -> None:
    office, _written = imported(ruleset)
    compared = 0
    for rated in Fact.objects.filter(federation=office, kind="rated").in_force().order_by("order"):
        assert rated.section is not None
        table = CrossTable(rated.section, rated)
        moved = {row.working_url: row.movement for row in table.rows if row.working_url}
        for change in Change.objects.filter(fact=rated, track=table.track.code if table.track else "").told():
            found = [row for row in statement_of(change.player, change.track) if row.drift is None]
            teller = HistoryWriter(change.player, change.track, AsOf(office, NOW, None))
            line = teller.line(next(row for row in found if row.move.order == change.order))
            if line.working_url in moved:
                compared += 1
                assert moved[line.working_url] == line.movement
    assert compared


@every_ruleset
@pytest.mark.django_db
def test_a_curve_runs_from_day_to_day_and_ends_at_the_last_rating(ruleset: Ruleset) -> None:
    office, _written = imported(ruleset)
    drawn = 0
    for player in Player.objects.filter(federation=office):
        for track in ruleset.tracks:
            found = statement_of(player, track.code)
            points = get_curve(found, ruleset)
            days = [day for day, _after, _words in points]
            assert days == sorted(days)
            last = next((row.after for row in found if row.after is not None), None)
            assert (points[-1][1] if points else None) == last
            drawn += len(points) > 1
    assert drawn


@every_ruleset
def test_a_curve_has_a_section_on_the_day_from_which_it_counts(ruleset: Ruleset) -> None:
    taken_in, ends = date(2026, 10, 14), date(2026, 9, 24)
    move = ChangeOfFact(9, None, None, None, 0, 9, "rated", taken_in, "A", "A", ends, "2026-001", "Open")
    row = StatementRow(Movement(Balance(), Balance(Decimal(1500))), move)
    ((day, *_others),) = get_curve([row], ruleset)
    assert day == (ends if ruleset.slug in ("ssdc", "pfo", "piskvorky") else taken_in)


@every_ruleset
@pytest.mark.django_db
def test_each_step_of_a_working_opens_into_what_its_clause_says(ruleset: Ruleset, client: Client) -> None:
    office, _written = imported(ruleset)
    change = Change.objects.filter(fact__federation=office, fact__kind="rated").told().first()
    assert change is not None
    address = f"{change.player.get_absolute_url()}{change.track}/{change.fact.number}/"
    page = client.get(address).content.decode()
    steps = page.count('<div class="step-clause">')
    assert steps == page.count('class="clause-says"') > 0


@pytest.mark.django_db
def test_who_lost_points_by_staying_away_stands_on_the_event_s_page(client: Client) -> None:
    record = Office()
    record.rate("1 Adam 1-0 Basia\n1 Celina 1-0 Darek")
    record.rate("1 Adam 1/2 Basia", status="mp", id="2010-001/A", ends=DAY + timedelta(7))
    written = journal_of(record.ruleset, record.facts)
    office = import_journal(journal.read_journal(written.splitlines()), on=NOW)
    recompute_all(office)
    page = client.get("/pfo/events/2010-001/A/").content.decode()
    assert "Changed without playing here" in page
    (missed,) = Change.objects.filter(fact__subject="2010-001/A", player__number="Celina").told()
    address = f"{missed.player.get_absolute_url()}ranking/{missed.fact.number}/"
    assert address in page
    assert "#clause-13" in client.get(address).content.decode()
