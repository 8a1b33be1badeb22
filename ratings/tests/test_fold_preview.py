"""What the review promises is what approving brings: in every ruleset, for late approvals too."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from players.display import round_rating
from players.models import Federation
from ratings import approval, as_if, publication
from ratings.as_if import (
    compare_next_lists,
    compute_effects,
    explain_previewed_change,
    plan_rating,
    plan_ratings,
    preview_rating,
    preview_unrating,
    ranks_gained,
)
from ratings.journal import AFTER_EVERYTHING, get_new_line_day
from ratings.models import Change, Fact as Row, ListRow
from ratings.results import state_before
from ratings.rulesets import rulesets
from ratings.rulesets.ruleset import Ruleset
from ratings.statement import Balance, read_balances
from ratings.tests.office import not_known, recompute_all
from ratings.tests.test_every_office import imported, rated_sections
from ratings.workings import explain_change
from tournaments.models import Section, Stage

pytestmark = [pytest.mark.django_db, pytest.mark.long]

every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
each_place = pytest.mark.parametrize("number", [0, 3, -1], ids=["the first", "one between", "the last"])


@pytest.fixture(autouse=True)
def everybody_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(as_if, "MOVES_SHOWN", 10**6)
    monkeypatch.setattr(as_if, "PLAYERS_SHOWN", 10**6)


def awaiting(ruleset: Ruleset, number: int) -> tuple[Federation, Section, date]:
    """An office with ten sections, one of which is un-rated and awaits review again; and a day soon after, as
    the lists of years later would be empty.
    """
    office, _written = imported(ruleset)
    section = rated_sections(office)[number]
    return office, section, await_again(section)


def await_again(section: Section) -> date:
    office = section.event.federation
    section.refresh_from_db()
    newest = get_new_line_day(office, date.min)
    approval.unrate(
        section=section,
        by=None,
        on=newest,
        version=section.version,
        reason="result",
        words="to try it",
        after_list=True,
    )
    recompute_all(office)
    Section.objects.filter(pk=section.pk).update(stage=Stage.SUBMITTED)
    section.refresh_from_db()
    return newest + timedelta(1)


def approval_of(section: Section, day: date) -> Row:
    section.refresh_from_db()
    births = not_known(section)
    return approval.approve(section=section, by=None, on=day, version=section.version, births=births)


def approve(section: Section, day: date) -> Row:
    fact = approval_of(section, day)
    recompute_all(section.event.federation)
    return fact


def written(office: Federation, **which: Any) -> dict[Any, Any]:
    """Changes that are stored, by fact, player and track."""
    rows = Change.objects.filter(fact__federation=office, **which)
    values = rows.values_list("fact__number", "player__number", "track", "before", "after", "points", "games")
    return {row[:3]: row[3:] for row in values}


def shown(change: Any) -> Decimal | None:
    """What is told of a change: its rating with its points in it."""
    before, after, points, _games = change or (None, None, None, None)
    return after if before is None or points is None else before + points


def differ(office: Federation, one: Decimal | None, other: Decimal | None) -> bool:
    places = office.publication.decimals
    return round_rating(one, places) != round_rating(other, places)


@every_ruleset
@each_place
def test_what_the_preview_shows_is_what_approving_gives(ruleset: Ruleset, number: int) -> None:
    office, section, day = awaiting(ruleset, number)
    rows = preview_rating(section, day).own
    fact = approve(section, day)
    assert fact.order is not None
    before, after = (
        read_balances(ruleset, state_before(office, place), day) for place in (fact.order, fact.order + 1)
    )
    assert {(row.player, row.track): (*row.movement, row.games) for row in rows} == {
        key: (before.get(key, Balance()), after.get(key, Balance()), games)
        for (_number, *place), (*_ratings, games) in written(office, fact=fact).items()
        for key in (tuple(place),)
    }
    assert rows


@every_ruleset
def test_what_several_sections_show_together_is_what_approving_them_one_after_another_gives(
    ruleset: Ruleset,
) -> None:
    office, _written = imported(ruleset)
    sections = [rated_sections(office)[number] for number in (0, 3, -1)]
    day = [await_again(section) for section in sections][-1]
    seen = compute_effects(plan_ratings(sections, day, most_sections=0)).sections_moved
    by_key = {section.key: section for section in sections}
    facts = [approval_of(by_key[rated.section.id], day) for rated, _moves in seen]
    recompute_all(office)
    for (_rated, moves), fact in zip(seen, facts, strict=True):
        fact.refresh_from_db()
        assert fact.order is not None
        before, after = (
            read_balances(ruleset, state_before(office, place), day) for place in (fact.order, fact.order + 1)
        )
        assert moves
        for each in moves:
            key = each.player, each.track
            assert each.movement == (before.get(key, Balance()), after.get(key, Balance()))


@every_ruleset
def test_un_rating_the_newest_section_takes_back_what_its_review_showed(ruleset: Ruleset) -> None:
    office, section, day = awaiting(ruleset, -1)
    rows = preview_rating(section, day).own
    approve(section, day)
    back = {(each.player, each.track): each for each in preview_unrating(section, day).ratings}
    totals = {(row.player, row.track): (row.movement.after.total, row.movement.before.total) for row in rows}
    moved = {key: both for key, both in totals.items() if differ(office, *both)}
    assert moved
    for key, both in moved.items():
        assert both == back[key][2:4]


@every_ruleset
@each_place
def test_the_working_ahead_is_the_working_afterwards(ruleset: Ruleset, number: int) -> None:
    office, section, day = awaiting(ruleset, number)
    plan = plan_rating(section, day)
    keys = [(row.player, row.track) for row in preview_rating(section, day).own]
    ahead = {key: explain_previewed_change(plan, *key) for key in keys}
    fact = approve(section, day)
    for change in Change.objects.filter(fact=fact).select_related("fact__takes", "player"):
        change.fact.federation = office
        told = explain_change(change)
        beside = tuple(table for table in told.tables if table.name != "earlier")  # of what is stored alone
        assert replace(told, tables=beside) == ahead[change.player.number, change.track]


@every_ruleset
@each_place
def test_the_sections_that_would_be_rated_again_are_those_that_come_out_otherwise(
    ruleset: Ruleset, number: int
) -> None:
    office, section, day = awaiting(ruleset, number)
    before = written(office)
    seen = compute_effects(plan_rating(section, day))
    own = approve(section, day)
    after = written(office)
    found = {
        (each.line, move.player, move.track): (move.before, move.after)
        for each in seen.rerated
        for move in each.largest
    }
    both = {key: (shown(before.get(key)), shown(after.get(key))) for key in {**before, **after}}
    told = {key: each for key, each in both.items() if key[0] < own.number and differ(office, *each)}
    assert found == told
    assert {each.line: each.players for each in seen.rerated} == {
        fact: len({player for number_, player, _track in told if number_ == fact})
        for fact in {key[0] for key in told}
    }


@every_ruleset
def test_d2_a_section_rated_again_moves_what_stands_behind_its_place_in_every_order(ruleset: Ruleset) -> None:
    _office, section, day = awaiting(ruleset, 0)
    plan = plan_rating(section, day)
    assert compute_effects(plan).rerated
    assert plan.sections


@every_ruleset
def test_d1_a_late_section_moves_what_was_played_after_it_in_the_order_of_play_alone(
    ruleset: Ruleset,
) -> None:
    office, section, day = awaiting(ruleset, 0)
    section.code = "LATE"  # as one that was never rated
    section.save()
    assert bool(compute_effects(plan_rating(section, day)).rerated) is ruleset.in_order_of_play
    assert (plan_rating(section, day).sections > 0) is ruleset.in_order_of_play
    assert not Row.objects.filter(federation=office, subject=section.key).exists()


@pytest.mark.parametrize("slug", ["ssdc", "pfo"])
def test_what_was_not_worked_out_is_told(slug: str) -> None:
    _office, section, day = awaiting(rulesets()[slug], 0)
    seen = compute_effects(plan_rating(section, day, most_sections=2))
    whole = plan_rating(section, day)
    assert seen.unseen == plan_rating(section, day, most_sections=2).unread > 0
    assert sum(each.section is not None for each in seen.rerated) <= 2
    assert 0 < plan_rating(section, day, most_sections=0).sections == whole.sections <= seen.unseen + 2
    assert compute_effects(whole).unseen == 0


@every_ruleset
@each_place
def test_the_places_on_the_next_list_are_those_of_the_list_published_then(
    ruleset: Ruleset, number: int
) -> None:
    office, section, day = awaiting(ruleset, number)
    plan = plan_rating(section, day)
    lists = compare_next_lists(plan, compute_effects(plan), day)
    approve(section, day)
    publication.publish_list(federation=office, by=None, on=day)
    recompute_all(office)
    for each in lists:
        rows = ListRow.objects.filter(rating_list__federation=office, rating_list__on=day)
        listed = rows.filter(rating_list__track=each.track).values_list("player__number", "rank", "rating")
        published = {player: (rank, rating) for player, rank, rating in listed}
        assert each.count == len(each.rows)
        for row in each.rows:
            assert published.get(row.player.number) == (row.after and row.after[:2])


@every_ruleset
def test_the_places_without_the_section_are_those_of_a_list_published_instead(ruleset: Ruleset) -> None:
    office, section, day = awaiting(ruleset, -1)
    plan = plan_rating(section, day)
    lists = compare_next_lists(plan, compute_effects(plan), day)
    publication.publish_list(federation=office, by=None, on=day)
    recompute_all(office)
    for each in lists:
        rows = ListRow.objects.filter(rating_list__federation=office, rating_list__on=day)
        listed = rows.filter(rating_list__track=each.track).values_list("player__number", "rank", "rating")
        published = {player: (rank, rating) for player, rank, rating in listed}
        for row in each.rows:
            assert published.get(row.player.number) == (row.before and row.before[:2])


@every_ruleset
@each_place
def test_ranks_gained_are_those_that_wait_for_an_official_afterwards(ruleset: Ruleset, number: int) -> None:
    office, section, day = awaiting(ruleset, number)
    ahead = waiting(office, day)
    gained = ranks_gained(office, compute_effects(plan_rating(section, day)), day)
    approve(section, day)
    assert {(player.number, rank, clause) for player, rank, clause in gained} == waiting(office, day) - ahead
    if not ruleset.journal.ranks:
        assert gained == []


def waiting(office: Federation, day: date) -> set[tuple[str, str, str]]:
    tables = office.ruleset.edition_on(day).rules.tables(state_before(office, AFTER_EVERYTHING), day)
    return {
        (str(row[0]), str(row[2]), str(row[3])) for table in tables if table.confirms for row in table.rows
    }


def test_a_prize_place_is_a_ground_for_a_rank_gained() -> None:
    office, _written = imported(rulesets()["ssdc"])
    clauses = set()
    for section in rated_sections(office):
        day = await_again(section)
        gained = ranks_gained(office, compute_effects(plan_rating(section, day)), day)
        clauses |= {clause for _player, _rank, clause in gained}
        approve(section, day)
    assert clauses == {"2.4.2"}


@every_ruleset
def test_of_the_last_section_somebody_has_another_place_on_the_next_list(ruleset: Ruleset) -> None:
    _office, section, day = awaiting(ruleset, -1)
    plan = plan_rating(section, day)
    assert any(each.rows for each in compare_next_lists(plan, compute_effects(plan), day))


@every_ruleset
def test_whoever_has_the_same_rating_as_it_is_shown_is_not_told_to_have_another(ruleset: Ruleset) -> None:
    office, _written = imported(ruleset)
    section = rated_sections(office)[0]
    for each in preview_unrating(section, get_new_line_day(office, date.min)).ratings:
        assert differ(office, each.before, each.after)
    day = await_again(section)
    plan = plan_rating(section, day)
    seen = compute_effects(plan)
    moves = [move for each in seen.rerated for move in each.largest]
    assert moves
    assert all(differ(office, move.before, move.after) for move in moves)


@every_ruleset
def test_looking_ahead_writes_nothing(ruleset: Ruleset) -> None:
    office, section, day = awaiting(ruleset, 3)
    before = written(office), Row.objects.filter(federation=office).count()
    plan = plan_rating(section, day)
    compare_next_lists(plan, compute_effects(plan), day)
    assert (written(office), Row.objects.filter(federation=office).count()) == before


def test_a_day_before_the_newest_decision_is_that_of_the_decision_as_it_will_be_written() -> None:
    _office, section, day = awaiting(rulesets()["csa"], -1)
    early = plan_rating(section, day - timedelta(9)).section.on
    assert early == day - timedelta(1) == approve(section, day - timedelta(9)).on
