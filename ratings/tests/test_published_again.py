"""A list published again after a correction, in offices as they are: who stands otherwise, and who not."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from players.models import Federation, Player
from ratings import publication
from ratings.corrections import correct_rated_section
from ratings.demo.story import invent_story
from ratings.lists import preview_revision
from ratings.models import Change, ListRow, RatingList, Standing
from ratings.pages.events import find_first_list
from ratings.results import find_rated_fact
from ratings.rulesets import rulesets
from ratings.rulesets.facts import ListClosing, Revised
from ratings.rulesets.journal import JournalLists, list_content, read_journal
from ratings.rulesets.journal_lines import write_line
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.office import approved, published, recompute_all, register, submitted
from ratings.tests.test_every_office import stands_as_replayed
from ratings.tests.test_pres import rated_anew, unrate
from ratings.verify import verify
from tournaments.models import Game, Section, Stage

MOVED = {"otb-main", "otb-standard", "hyb-main", "hyb-standard"}
FIRST = date(2024, 1, 5)
APRIL = date(2024, 4, 14)
SHARES = {"csa": 0.15}
"""The share of a large demo that is enough."""
Rows = dict[tuple[str, str], tuple[object, object]]
"""Rating and games of each row of a day's lists, by track and player."""


def rows_of(office: Federation, day: date, revision: int) -> Rows:
    lists = RatingList.objects.filter(federation=office, on=day, revision__lte=revision)
    newest = {each.track: each.pk for each in lists.order_by("revision")}
    found = ListRow.objects.filter(rating_list__in=newest.values())
    told = found.values_list("rating_list__track", "player__number", "rating", "games")
    return {(track, number): (rating, games) for track, number, rating, games in told}


@pytest.fixture
def season(csa: Federation) -> tuple[list[Player], dict[str, Section]]:
    """Seven months of two circles, each month closed by a list: so there are weight performances (§39). A
    section of February was un-rated in April, and rated again as it was after April's list.
    """
    players = register(csa, 16)
    circles = {"A": players[:8], "B": players[8:]}
    found: dict[str, Section] = {}
    for month in range(7):
        for at, (name, circle) in enumerate(circles.items()):
            ends = FIRST + timedelta(30 * month + 7 * at)
            seed = 10 * month + at
            section = submitted(csa, circle, number=f"{name}{month}", ends=ends, rounds=6, seed=seed)
            approved(section)
            found[section.event.number] = section
        if month == 3:
            unrate(found["A1"], on=ends + timedelta(2))
            published(csa, ends + timedelta(3))
            again(found["A1"], on=ends + timedelta(4))
        else:
            published(csa, ends + timedelta(3))
    return players, found


def again(section: Section, on: date) -> None:
    """File a section again as it was, and rate it."""
    section.refresh_from_db()
    Section.objects.filter(pk=section.pk).update(stage=Stage.SUBMITTED)
    approved(section, on)


def a_game_that_decides_nothing(section: Section) -> Game:
    """A won game whose winner may as well have drawn: neither of the two is first, however it ended (§68)."""
    scores: dict[int, float] = {}
    for game in section.games.all():
        first, second = {"1-0": (1, 0), "0-1": (0, 1), "1/2": (0.5, 0.5)}[game.result]
        scores[game.first_id] = scores.get(game.first_id, 0) + first
        scores[game.second_id] = scores.get(game.second_id, 0) + second
    most = max(scores.values())
    return next(
        game
        for game in section.games.all()
        if game.result == "1-0" and max(scores[game.first_id], scores[game.second_id] + 0.5) < most
    )


@pytest.mark.django_db
def test_d2_of_a_list_published_again_after_one_corrected_game_two_players_differ_and_nobody_else(
    csa: Federation, season: tuple[list[Player], dict[str, Section]]
) -> None:
    _players, sections = season
    day = max(RatingList.objects.values_list("on", flat=True))
    days = set(RatingList.objects.values_list("on", flat=True))
    assert {on for on in days if preview_revision(csa, on, day)} == {APRIL}, (
        "that had to do without a section"
    )
    section = sections["A6"]
    section.refresh_from_db()
    game = a_game_that_decides_nothing(section)
    two = {game.first.player.number, game.second.player.number}  # type: ignore[union-attr]
    before = standings()
    correct_rated_section(
        section=section,
        by=None,
        on=day + timedelta(1),
        version=section.version,
        changes=[{"what": "result", "game": game.order, "to": "1/2"}],
        reason="result",
        words="The slip says a draw.",
        after_list=True,
    )
    recompute_all(csa)
    moved = {(number, track) for number, track, _text in before ^ standings()}
    assert {number for number, _track in moved} == two
    publication.revise_list(federation=csa, list_day=day, by=None, on=day + timedelta(2), note="One game.")
    recompute_all(csa)
    first, second = rows_of(csa, day, 1), rows_of(csa, day, 2)
    otherwise = {key for key in {**first, **second} if first.get(key) != second.get(key)}
    assert otherwise == {(track, number) for track in MOVED for number in two}
    assert not set(RatingList.objects.filter(on=day, revision=2).values_list("track", flat=True)) - MOVED
    stands_as_replayed(csa)
    assert verify(csa).differences == []


def standings() -> set[tuple[str, str, str]]:
    return set(Standing.objects.values_list("player__number", "track", "state"))


@pytest.mark.long
@pytest.mark.django_db
def test_d2_unrated_and_rated_anew_as_it_was_the_office_stores_what_it_stored(
    csa: Federation, season: tuple[list[Player], dict[str, Section]]
) -> None:
    _players, sections = season
    stored, told, counted = changes(), standings(), counts_first_on(sections["B2"])
    rated_anew(sections["B2"])
    assert (changes(), standings()) == (stored, told)
    assert counts_first_on(sections["B2"]) == counted == FIRST + timedelta(30 * 2 + 7 + 3)
    stands_as_replayed(csa)
    assert verify(csa).differences == []


def counts_first_on(section: Section) -> date:
    rated = find_rated_fact(section)
    assert rated
    found = find_first_list(section, rated)
    assert found
    return found.on


def changes() -> set[tuple[object, ...]]:
    columns = ("player__number", "track", "order", "before", "after", "points", "games", "state")
    return set(Change.objects.values_list(*columns))


@pytest.mark.long
@pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
def test_every_list_of_a_demo_published_again_at_once_is_itself(ruleset: Ruleset) -> None:
    today = date(2026, 8, 14)
    story = invent_story(ruleset, today=today, scale=SHARES.get(ruleset.slug, 1))
    lines: list[str] = []
    lists: list[int] = []
    for fact in story.lines:
        lines.append(write_line(fact, ruleset))
        if isinstance(fact, ListClosing):
            lists.append(len(lines))
            lines.append(write_line(Revised(fact.on, fact.on), ruleset))
    drawn = JournalLists(read_journal(lines))
    for number in lists:
        first, second = (
            {track: list_content(rows) for track, rows in drawn.list_of_line(line).items()}
            for line in (number, number + 1)
        )
        assert first == second
    assert len(lists) > 2
