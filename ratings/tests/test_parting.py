"""Parting a wrong merge: what was filed or rated since is listed, each section is given to one of the two."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from django.test import Client

from players.office.decision_record import Refused
from players.office.models import Decision, Federation, User
from players.register.models import Player
from ratings.decisions.merging import merge_players, part_players
from ratings.decisions.sections_since_merge import entries_since_merge
from ratings.tests.office import FIRST, approved, published, recompute_all, register, submitted
from ratings.verify import verify
from tournaments.events.models import Section, Stage

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db
DAY = date(2026, 5, 3)


@pytest.fixture
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
    sent = {"reason": "two documents", f"section-{rated.pk}": "player"}
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


def test_the_effects_are_worked_out_beside_the_page(
    client_of: ClientOf, nomsa: User, merged: tuple[Player, Player, Section, Section]
) -> None:
    player = merged[0]
    browser, page = client_of(nomsa), f"/csa/players/{player.number}/part/"
    assert f'hx-get="{page}outlook/"' in browser.get(page).content.decode()
    assert "Rated already, and rated again" in browser.get(f"{page}outlook/").content.decode()
    part = browser.get(f"{page}outlook/", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
