"""What pages, downloads and the API show of ratings adds up: before and at once are after in each row and
over each run of rows, to the last digit and as shown. A visitor who knows nothing of the database reads them.

On every day a few players, sections and lists of each office after a season of late approvals, sections that
are taken back and rated anew, merges and partings, and a list published again; with `make long` all of it in
every language, and with `make nightly` the whole demos.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from random import Random
from typing import Any

import pytest
import time_machine
from django.test import Client

from conftest import appointed
from players.models import Federation, Player, Role, User
from ratings.corrections import correct_rated_section
from ratings.demo.office import make_office
from ratings.dumps import build_dump
from ratings.models import Change, Fact, RatingList, Standing
from ratings.publication import revise_list
from ratings.results import AsOf
from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import Ruleset
from ratings.statement import Balance, read_statement
from ratings.tests.eventful import eventful
from ratings.tests.journal_lines import a_and_b, closing, game, opening, rated, section
from ratings.tests.office import not_known, recompute_all
from ratings.tests.test_asof import office_of
from ratings.tests.visitor import Visitor
from tournaments.models import Section

pytestmark = pytest.mark.django_db
LANGUAGES = ("en", "pl", "cs", "ru")
TODAY = date(2026, 8, 14)
every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
every_demo = pytest.mark.parametrize(
    "ruleset",
    [each for each in rulesets().values() if equipment_of(each).demo],
    ids=lambda ruleset: ruleset.slug,
)


def some(found: Sequence[str], most: int | None, dice: Random) -> list[str]:
    """So many of them by lot; None: all."""
    return list(found) if most is None or len(found) <= most else dice.sample(list(found), most)


def visit(office: Federation, languages: Sequence[str], *, most: int | None, seed: int = 0) -> Visitor:
    """Look at as many players, sections and lists of each track, in each language."""
    dice, client = Random(seed), Client()
    tracks = some([track.code for track in office.ruleset.tracks], most, dice)
    seen = Visitor(client, office.code)
    for track in tracks:
        moved = Change.objects.filter(fact__federation=office, track=track)
        people = sorted(set(moved.values_list("player__number", flat=True)))
        for language in languages:
            visitor = Visitor(client, office.code, language, seen.wrong, seen.rows, most)
            for number in some(people, most, dice):
                visitor.player(number, track)
                visitor.days(number)
            for label in some(lists_of(office, track), most, dice):
                visitor.list(label, track)
        for number in some(people, most, dice):
            seen.statement(number, track)
    rated = Fact.objects.filter(federation=office, kind="rated").in_force()
    sections = sorted(set(rated.values_list("section__event__number", "section__code")))
    keys = some([f"{event}/{code}" for event, code in sections], most, dice)
    for key in keys:
        event, _slash, code = key.rpartition("/")
        seen.section_by_program(event, code)
        for language in languages:
            visitor = Visitor(client, office.code, language, seen.wrong, seen.rows)
            visitor.section(f"/{office.code}/events/{event}/{code}/", tracks)
    assert build_dump(office, datetime(2026, 8, 14, tzinfo=UTC)) is not None
    seen.dump(f"/{office.code}/dump/dump.zip")
    return seen


def lists_of(office: Federation, track: str) -> list[str]:
    lists = RatingList.objects.of(office).current().without_content().filter(track=track)
    return sorted(each.label for each in lists)


def season(ruleset: Ruleset, seed: int) -> Federation:
    """An office to which much happened, and which then published its newest list again."""
    office = office_of(eventful(ruleset, seed))
    newest = RatingList.objects.of(office).on_newest_day().first()
    if newest is not None:
        note = "By what is known now."
        revise_list(federation=office, list_day=newest.on, by=None, on=TODAY, note=note)
        recompute_all(office)
    return office


def adds_up(seen: Visitor, *kinds: str) -> None:
    assert seen.wrong == [], "\n".join(seen.wrong[:20])
    assert all(seen.rows[kind] for kind in kinds), seen.rows


ALL_KINDS = ("player's row", "working", "section's row", "API's row", "API's section", "dump's row")


@every_ruleset
def test_after_an_eventful_season_every_shown_row_and_run_of_rows_adds_up(ruleset: Ruleset) -> None:
    office = season(ruleset, 3)
    language = LANGUAGES[len(ruleset.slug) % len(LANGUAGES)]
    adds_up(visit(office, [language], most=3), *ALL_KINDS)


SMALL = [
    *a_and_b(),
    opening("a", rating="105"),
    opening("b", rating="105"),
    section(games=[game("a", "b", "0-1", round=number) for number in (1, 2)]),
    rated(),
]


@pytest.mark.parametrize("rating", ["105", "500"])
def test_csa_45_what_the_floor_adds_to_a_list_is_a_row_of_its_own(rating: str) -> None:
    lines = [line.replace('"105"', f'"{rating}"') for line in SMALL]
    office = office_of([*lines, closing()])
    player, raised = Player.objects.get(federation=office, number="a"), rating == "105"
    rows = read_statement(player, "otb-main", AsOf(office, TODAY, None))
    kinds = ["floor", "list", "rated", "opening"] if raised else ["list", "rated", "opening"]
    assert [row.kind for row in rows] == kinds
    own = {row.kind: row for row in rows}
    assert own["list"].at_once == -own["list"].waits == own["rated"].waits
    assert own["list"].points == 0
    if raised:
        assert own["floor"].after == 100
        assert own["floor"].waits == 0
        assert own["floor"].at_once == 100 - (own["list"].after or 0) > 0
    page = Client().get("/csa/players/a/?track=otb-main").content.decode()
    assert ("Raised to the least rating" in page) is raised
    answer = Client().get(f"/api/v1/offices/csa/players/a/workings/otb-main/{own['list'].line}").json()
    assert Decimal(answer["change"]["after"]) == rows[0].after
    assert ("45" in [step["clause"] for step in answer["steps"]]) is raised
    adds_up(visit(office, ["en"], most=None), *ALL_KINDS)


@pytest.mark.parametrize("listed", [True, False])
def test_the_preview_of_a_correction_shows_before_at_once_waits_and_after_as_they_come(
    client_of: Callable[[User], Client], listed: bool
) -> None:
    office = office_of(
        [*(each.replace('"105"', '"500"') for each in SMALL), *([closing()] if listed else [])]
    )
    section = Section.objects.select_related("event__federation").get()
    official = client_of(appointed("Nomsa", office, Role.OFFICIAL))
    address = f"{section.get_absolute_url()}mend/"
    page = official.post(address, {"version": section.version, "changes": "[]", "game": "1", "result": "1-0"})
    rows = [each for track in page.context["tracks"] for each in track["table"].data.data]
    told = {(each.player, each.track): each.movement for each in rows}

    def balances() -> dict[tuple[str, str], Balance]:
        people = Player.objects.filter(federation=office, number__in=[number for number, _track in told])
        statements = {
            (each.number, track): read_statement(each, track, AsOf(office, TODAY, None))
            for each in people
            for track in {track for number, track in told if number == each.number}
        }
        return {key: rows[0].movement.after if rows else Balance() for key, rows in statements.items()}

    before = balances()
    assert told
    assert {key: movement.before for key, movement in told.items()} == before
    game = {"what": "result", "game": 1, "to": "1-0"}
    terms: dict[str, Any] = {"by": None, "on": date(2024, 4, 2), "version": section.version}
    terms |= {"reason": "result", "words": "The slip.", "after_list": True, "births": not_known(section)}
    line = correct_rated_section(section=section, changes=[game], **terms)
    recompute_all(office)
    assert {key: movement.after for key, movement in told.items()} == balances()
    erratum = Client().get(f"/csa/errata/{line.number}/").context["table"]
    assert {(each.player.number, each.track): each.movement for each in erratum.data.data} == told
    main = told["a", "otb-main"]
    assert (bool(main.at_once), bool(main.waits)) == (listed, not listed)


@pytest.mark.parametrize("ends", [True, False])
def test_where_a_rating_ends_while_points_wait_they_end_with_it_in_every_output(ends: bool) -> None:
    second = [line.replace("E/A", "E/B").replace("2024-03", "2024-05") for line in SMALL[-2:]]
    office = office_of([*SMALL, *second])
    change = Change.objects.get(fact__subject="E/B", track="otb-main", player__number="a")
    if ends:  # as another law may have it
        _rating, _pending, *kept = change.state.split(";")
        change.after, change.points, change.state = None, None, ";".join(["", "0", *kept])
        change.save()
        Standing.objects.filter(player=change.player, track="otb-main").update(state=change.state)
    [newest, *_older] = read_statement(change.player, "otb-main", AsOf(office, TODAY, None))
    assert newest.movement.before.waiting != 0
    assert (newest.movement.after == Balance()) is ends
    adds_up(visit(office, ["en"], most=None), "API's row", "API's section", "dump's row")
    moves = Client().get("/csa/players/a/changes/?from=2024-05-01&to=2024-05-31").context["moves"]
    assert newest.movement in [each["move"].movement for each in moves if each["move"].track == "otb-main"]


@pytest.mark.long
@every_ruleset
@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(4, 8))]
)
def test_every_page_of_an_eventful_season_adds_up_in_every_language(ruleset: Ruleset, seed: int) -> None:
    office = season(ruleset, seed)
    adds_up(visit(office, LANGUAGES, most=None, seed=seed), *ALL_KINDS)


@pytest.mark.nightly
@every_demo
@time_machine.travel(TODAY, tick=False)
def test_everything_that_a_whole_demo_shows_adds_up(ruleset: Ruleset) -> None:
    office = make_office(ruleset, today=TODAY, seed=1, scale=1, say=lambda words: None)
    adds_up(visit(office, LANGUAGES, most=None), *ALL_KINDS, "list's row")
