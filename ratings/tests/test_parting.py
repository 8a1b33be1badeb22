"""Parting a wrong merge: what was filed or rated since is listed, each section is given to one of the two."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.test import Client
from django.utils import timezone

from players import jobs
from players.display import round_rating
from players.models import Decision, Federation, Player, User
from players.record import Refused
from players.settings import today
from ratings.as_if import preview_parting, rating_with_points
from ratings.merging import (
    ask_for_outlook,
    compute_mark,
    entries_since_merge,
    is_current,
    merge_players,
    part_players,
)
from ratings.models import Change, Fact, MergeOutlook
from ratings.people import correct_player
from ratings.tests.office import FIRST, approved, published, recompute_all, register, submitted
from ratings.verify import verify
from tests.built_once import built_once
from tournaments.models import Section, Stage

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db
DAY = date(2026, 5, 3)
HTMX = {"HX-Request": "true"}


@pytest.fixture
@built_once
def merged(csa: Federation) -> tuple[Player, Player, Section, Section]:
    """Two entries merged; since then one section was rated and one waits, both with the one that stays."""
    people = register(csa, 9)
    approved(submitted(csa, people[:8], number="2024-001"))
    approved(submitted(csa, [people[8], *people[1:8]], number="2024-002", ends=FIRST + timedelta(7), seed=2))
    merge_players(player=people[8], into=people[0], by=None, on=DAY, reason="one certificate")
    recompute_all(csa)
    rated = submitted(csa, people[:8], number="2024-003", ends=FIRST + timedelta(14), seed=3)
    approved(rated)
    waiting = submitted(csa, people[:8], number="2024-004", ends=FIRST + timedelta(21), seed=4)
    recompute_all(csa)
    return Player.objects.get(pk=people[8].pk), Player.objects.get(pk=people[0].pk), rated, waiting


def test_sections_since_the_merge_are_listed_and_earlier_ones_are_not(
    merged: tuple[Player, Player, Section, Section],
) -> None:
    player, _into, rated, waiting = merged
    assert [entry.section for entry in entries_since_merge(player)] == [rated, waiting]


def test_each_section_is_given_to_one_and_a_rated_one_is_rated_anew(
    client_of: ClientOf, csa: Federation, nomsa: User, merged: tuple[Player, Player, Section, Section]
) -> None:
    player, into, rated, waiting = merged
    browser, page = client_of(nomsa), f"/csa/players/{player.number}/part/"
    shown = browser.get(page).content.decode()
    assert "Open 2024-003" in shown
    assert "Open 2024-004" in shown
    assert "Open 2024-001" not in shown
    seen = compute_mark(player, into, today(csa))
    sent = {"reason": "two documents", f"section-{rated.pk}": "player", "seen": seen}
    assert browser.post(page, sent).status_code == 400, "the other one is given to nobody yet"
    sent[f"section-{waiting.pk}"] = "stays"
    assert browser.post(page, sent).status_code == 302
    recompute_all(csa)
    rated.refresh_from_db()
    assert rated.stage == Stage.UNRATED
    assert rated.entries.filter(player=player).exists()
    assert not rated.entries.filter(player=into).exists()
    assert waiting.entries.filter(player=into).exists()
    assert Decision.objects.get(kind="part").details["given"] == [rated.key]
    assert verify(csa).differences == []
    Section.objects.filter(pk=rated.pk).update(stage=Stage.SUBMITTED)
    rated.refresh_from_db()
    approved(rated)
    recompute_all(csa)
    assert verify(csa).differences == []


def test_a_section_in_a_published_list_is_given_away_by_the_offices_own_decision_alone(
    csa: Federation, merged: tuple[Player, Player, Section, Section]
) -> None:
    player, _into, rated, _waiting = merged
    published(csa, DAY)
    terms = {"player": player, "by": None, "on": DAY, "reason": "two documents", "given": {rated.pk}}
    with pytest.raises(Refused, match="64"):
        part_players(**terms)  # type: ignore[arg-type]
    part_players(**terms, after_list=True)  # type: ignore[arg-type]
    recompute_all(csa)
    assert verify(csa).differences == []


def test_the_effects_are_worked_out_by_the_worker_and_told_when_they_are_there(
    client_of: ClientOf, nomsa: User, merged: tuple[Player, Player, Section, Section]
) -> None:
    player, into, _rated, _waiting = merged
    browser, page = client_of(nomsa), f"/csa/players/{player.number}/part/"
    outlook = f"{page}outlook/"
    assert f'hx-post="{outlook}"' in browser.get(page).content.decode()
    assert not MergeOutlook.objects.exists(), "looking asks for nothing"
    part = browser.post(outlook, headers=HTMX).content.decode()
    assert "Waiting for the worker" in part
    assert "<html" not in part
    assert browser.post(outlook).headers["Location"] == page
    jobs.sweep("ratings")
    told = "Rated already, and rated again"
    assert told in browser.get(outlook, headers=HTMX).content.decode()
    assert told in browser.get(page).content.decode()
    correct_player(player=into, by=None, on=DAY, club="Rooks")
    assert told not in browser.get(page).content.decode(), "it is drawn anew after any change"


def test_nobody_parts_before_the_effects_were_shown_nor_upon_others_than_there_are(
    client_of: ClientOf, csa: Federation, nomsa: User, merged: tuple[Player, Player, Section, Section]
) -> None:
    player, into, rated, waiting = merged
    browser, page = client_of(nomsa), f"/csa/players/{player.number}/part/"
    sent = {"reason": "two documents", f"section-{rated.pk}": "stays", f"section-{waiting.pk}": "stays"}
    unseen = browser.post(page, sent)
    assert unseen.status_code == 409
    assert "Work them out above, read them, then confirm." in unseen.content.decode()
    assert ">Separate the two entries</button>" not in unseen.content.decode()
    seen = compute_mark(player, into, today(csa))
    correct_player(player=into, by=None, on=DAY, club="Rooks")
    overtaken = browser.post(page, {**sent, "seen": seen})
    assert overtaken.status_code == 409
    assert "not what your page showed any more" in overtaken.content.decode()
    player.refresh_from_db()
    assert player.merged_into == into
    browser.post(f"{page}outlook/", headers=HTMX)
    jobs.sweep("ratings")
    part = browser.get(f"{page}outlook/", headers=HTMX).content.decode()
    assert "Separate the two entries" in part
    into.refresh_from_db()
    seen = compute_mark(player, into, today(csa))
    assert f'value="{seen}" hx-swap-oob="true"' in part
    assert browser.post(page, {**sent, "seen": seen}).status_code == 302


def test_the_preview_of_a_parting_shows_everybody_who_moves_when_one_player_becomes_two(
    csa: Federation,
) -> None:
    people = register(csa, 9)
    approved(submitted(csa, people[:8], number="2024-001", rounds=10))
    others = [people[8], *people[1:8]]
    approved(submitted(csa, others, number="2024-002", ends=FIRST + timedelta(7), rounds=10, seed=2))
    merge_players(player=people[8], into=people[0], by=None, on=DAY, reason="one certificate")
    recompute_all(csa)
    player, into = (Player.objects.get(pk=people[place].pk) for place in (8, 0))
    before = ratings_by_line(csa)
    found = preview_parting(player, DAY)
    assert ratings_by_line(csa) == before, "a preview writes nothing"
    part_players(player=player, by=None, on=DAY, reason="two documents")
    recompute_all(csa)
    after = ratings_by_line(csa)
    moved: dict[int, set[str]] = {}
    for line, number, track in {**before, **after}:
        if before.get((line, number, track)) != after.get((line, number, track)):
            moved.setdefault(line, set()).add(number)
    assert {each.line: each.players for each in found.rerated} == {
        line: len(numbers) for line, numbers in moved.items()
    }
    second = Fact.objects.get(section__event__number="2024-002", kind="rated").number
    assert {player.number, into.number} <= moved[second], "the one gets what the other loses"
    assert verify(csa).differences == []


def ratings_by_line(office: Federation) -> dict[tuple[int, str, str], Decimal | None]:
    """The ratings after each line with its points, as they are shown, by line, player and track."""
    rows = Change.objects.filter(fact__federation=office)
    values = rows.values_list("fact__number", "player__number", "track", "before", "points", "after")
    places = office.publication.decimals
    return {
        (line, number, track): round_rating(rating_with_points(*ratings), places)
        for line, number, track, *ratings in values
    }


def test_an_outlook_on_a_merge_is_never_told_as_one_on_the_parting(
    csa: Federation, client_of: ClientOf, nomsa: User
) -> None:
    people = register(csa, 9)
    approved(submitted(csa, people[:8], number="2024-001"))
    recompute_all(csa)
    player, into = people[8], people[0]
    day = today(csa)
    jobs.run(
        "outlooks",
        ask_for_outlook(player=player, into=into, at=timezone.now(), mark=compute_mark(player, into, day)).pk,
    )
    outlook = MergeOutlook.objects.get()
    assert is_current(outlook, compute_mark(player, into, day))
    merge_players(player=player, into=into, by=None, on=DAY, reason="one certificate")
    recompute_all(csa)
    player.refresh_from_db()
    assert not is_current(outlook, compute_mark(player, into, day))
    page = client_of(nomsa).get(f"/csa/players/{player.number}/part/").content.decode()
    assert "Work out the effects on ratings" in page


def test_an_outlook_on_a_parting_fails_where_the_entry_was_merged_elsewhere_meanwhile(
    merged: tuple[Player, Player, Section, Section],
) -> None:
    player, into, _rated, _waiting = merged
    asked = ask_for_outlook(
        player=player, into=into, at=timezone.now(), mark=compute_mark(player, into, today(player.federation))
    )
    third = Player.objects.exclude(pk__in=(player.pk, into.pk)).first()
    Player.objects.filter(pk=player.pk).update(merged_into=third)
    jobs.run("outlooks", asked.pk)
    assert MergeOutlook.objects.get().state == MergeOutlook.State.FAILED
