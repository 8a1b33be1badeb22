"""What changed of a player between two days: every move by the decision that made it, and nothing else."""

from __future__ import annotations

import re
from datetime import date, timedelta
from itertools import pairwise

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from players.models import Federation, Player
from ratings import approval
from ratings.corrections import correct_rated_section
from ratings.models import Change, Erratum, Fact, RatingList
from ratings.pages import days
from ratings.pages.days import list_change_versions, list_changing_lines, moves_by_lines
from ratings.pages.errata import read_acts, read_corrected
from ratings.results import get_last_known_line
from ratings.rulesets import rulesets
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.eventful import eventful
from ratings.tests.office import approved, published, recompute_all, register, submitted
from ratings.tests.test_asof import office_of
from tests.built_once import built_once

pytestmark = [pytest.mark.django_db, pytest.mark.long]
every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
ADDRESS = "/csa/players/101000001/changes/"
MOST_QUERIES = 25


def rating_at(player: Player, track: str, line: int) -> object:
    versions = list_change_versions(player, line, read_acts(player.federation))
    known = [each for each in versions if each.track == track and each.known_at(line)]
    return max(known, key=lambda each: each.order).after if known else None


@pytest.mark.long
@every_ruleset
def test_the_moves_of_any_span_lead_from_what_was_known_before_it_to_what_was_known_at_its_end(
    ruleset: Ruleset,
) -> None:
    office = office_of(eventful(ruleset, 3))
    days = Fact.objects.filter(federation=office, on__isnull=False).values_list("on", flat=True)
    spans = sorted({get_last_known_line(office, day) for day in days if day})[::4]
    kinds = dict(Fact.objects.filter(federation=office).values_list("number", "kind"))
    acts = read_acts(office)
    errata = set(Erratum.objects.filter(fact__federation=office).values_list("fact__number", flat=True))
    for player in Player.objects.filter(federation=office, changes__isnull=False).distinct():
        for first, last in pairwise(spans):
            found = list_change_versions(player, last, acts)
            lines = list_changing_lines(player, found, first, last, acts)
            assert lines == sorted(lines, reverse=True)
            moves = moves_by_lines(player, found, lines, kinds, acts)
            for track in {each.track for each in found}:
                here = [each for each in moves if each.track == track]
                before, after = (rating_at(player, track, line) for line in (first, last))
                if not here:
                    assert before == after
                elif not {here[0].line, here[-1].line} & errata:
                    assert (here[-1].before, here[0].after) == (before, after)


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return re.sub(r"\s+", " ", response.getvalue().decode())


def moves_told(html: str) -> str:
    part = re.search(r'<section id="moves">(.*?)</section>', html)
    assert part is not None
    return part[1]


@pytest.fixture
@built_once
def taken_back(csa: Federation) -> int:
    """Two sections, a list on 1 April, and the second section taken back on 20 April: that line's number."""
    players = register(csa, 10)
    approved(submitted(csa, players, ends=date(2024, 3, 1)), date(2024, 3, 4))
    second = submitted(csa, players, number="2024-002", ends=date(2024, 3, 8), seed=2)
    approved(second, date(2024, 3, 10))
    published(csa, date(2024, 4, 1))
    second.refresh_from_db()
    line = approval.unrate(
        section=second,
        by=None,
        on=date(2024, 4, 20),
        version=second.version,
        reason="result",
        words="A result was wrong.",
        after_list=True,
    )
    recompute_all(csa)
    return line.number


def test_a_correction_stands_with_its_erratum_its_reason_and_its_clause(
    client: Client, taken_back: int
) -> None:
    html = moves_told(page(client, f"{ADDRESS}?from=2024-04-19&to=2024-04-20"))
    assert f'href="/csa/errata/{taken_back}/"' in html
    assert "A game was entered wrongly" in html
    assert f"line {taken_back} of the journal" in html
    assert "Rated: " not in html


def test_the_later_day_counts_and_the_earlier_does_not(client: Client, taken_back: int) -> None:
    assert f"errata/{taken_back}/" not in page(client, f"{ADDRESS}?from=2024-04-20&to=2024-04-21")
    assert f"errata/{taken_back}/" not in page(client, f"{ADDRESS}?from=2024-04-01&to=2024-04-19")
    assert f"errata/{taken_back}/" in page(client, f"{ADDRESS}?from=2024-04-20&to=2024-04-19")


def test_a_rated_section_stands_with_its_page_and_its_working_also_when_it_was_taken_back_since(
    client: Client, taken_back: int
) -> None:
    html = moves_told(page(client, f"{ADDRESS}?from=2024-03-04&to=2024-03-10"))
    assert 'href="/csa/events/2024-002/A/"' in html
    workings = re.findall(r'href="(/csa/players/101000001/[a-z-]+/\d+/\?on=2024-03-10)"', html)
    assert workings
    for address in workings:
        assert client.get(address).status_code == 200
    assert "2024-001" not in html


def test_a_list_that_took_points_in_stands_with_its_page(client: Client) -> None:
    office = office_of(eventful(rulesets()["csa"], 3))
    change = Change.objects.filter(fact__kind="list").select_related("player", "fact").earliest("pk")
    [day] = set(RatingList.objects.filter(fact=change.fact).values_list("on", flat=True))
    address = (
        f"/{office.code}/players/{change.player.number}/changes/?from={day - timedelta(days=1)}&to={day}"
    )
    label = RatingList(on=day).label
    assert f'href="/{office.code}/lists/{label}/"' in moves_told(page(client, address))


def test_a_further_page_goes_on_below_the_last_line(
    client: Client, taken_back: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(days, "LINES", 1)
    span = "from=2024-03-09&to=2024-04-20"
    first = page(client, f"{ADDRESS}?{span}")
    older = re.search(r'rel="next" href="([^"]+)"', first)
    assert older is not None
    second = page(client, ADDRESS + older[1].replace("&amp;", "&"))
    assert f'href="/csa/errata/{taken_back}/"' in moves_told(first)
    assert 'href="/csa/events/2024-002/A/"' in moves_told(second)
    assert "errata" not in moves_told(second)
    assert 'rel="next"' not in second
    newest = f'href="?{span}"'.replace("&", "&amp;")
    assert (newest in first, newest in second) == (False, True)


def test_days_outside_the_record_are_no_page_and_search_engines_keep_none(
    client: Client, taken_back: int
) -> None:
    assert client.get(f"{ADDRESS}?from=1999-01-01").status_code == 404
    assert client.get(f"{ADDRESS}?to=tomorrow").status_code == 404
    assert '<meta name="robots" content="noindex">' in page(client, ADDRESS)


def test_who_asked_not_to_be_named_is_not_named(client: Client, taken_back: int) -> None:
    Player.objects.filter(number="101000001").update(withheld=True)
    assert "Invented00" not in page(client, f"{ADDRESS}?from=2024-03-06&to=2024-04-30")


@every_ruleset
def test_a_page_of_changes_takes_a_bounded_number_of_queries(ruleset: Ruleset, client: Client) -> None:
    office = office_of(eventful(ruleset, 3))
    days = sorted({on for on in Fact.objects.filter(on__isnull=False).values_list("on", flat=True) if on})
    span = f"?from={days[0]}&to={days[-1] + timedelta(days=1)}"
    asked = 0
    for player in Player.objects.filter(federation=office, changes__isnull=False).distinct()[:4]:
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(f"/{office.code}/players/{player.number}/changes/{span}")
        if answer.status_code == 200:
            asked += 1
            assert len(queries) <= MOST_QUERIES, "\n".join(each["sql"][:150] for each in queries)
    assert asked


def test_a_section_corrected_in_one_step_is_one_move_with_its_erratum(
    client: Client, csa: Federation
) -> None:
    section = submitted(csa, register(csa, 8), rounds=10)
    approved(section)
    published(csa, date(2024, 4, 1))
    section.refresh_from_db()
    game = section.games.select_related("first__player").get(order=1)
    line = correct_rated_section(
        section=section,
        by=None,
        on=date(2024, 4, 20),
        version=section.version,
        changes=[{"what": "result", "game": 1, "to": "0-1" if game.result != "0-1" else "1-0"}],
        reason="result",
        words="The slip says otherwise.",
        after_list=True,
    )
    recompute_all(csa)
    assert game.first.player is not None
    address = f"/csa/players/{game.first.player.number}/changes/?from=2024-04-19&to=2024-04-20"
    moves = client.get(address).context["moves"]
    assert {move["cause"].words for move in moves} == {"Corrected: Open 2024-001, A"}
    moved = read_corrected(csa, [line.number], read_acts(csa), player=game.first.player)
    assert moved == {
        (line.number, game.first.player.pk, move["move"].track): (move["move"].before, move["move"].after)
        for move in moves
    }
    assert len(moves) == len(moved)  # one a track
