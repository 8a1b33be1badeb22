"""The outlook on a merge is the worker’s: how far it is, drawn anew when overtaken, never shown when old."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from players.office import job_lease
from players.office.models import Federation, Ledger, User
from players.office.settings_schema import today
from players.people.correct_and_forget import correct_player
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.office.merging import draw_outlook
from ratings.office.merging.draw_outlook import ask_for_outlook, is_current, mark_of, outlook_of
from ratings.office.merging.models import MergeOutlook
from ratings.preview.merging import preview_merge
from ratings.tests.office import FIRST, approved, recompute_all, register, submitted

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
MERGE = "/csa/players/101000009/merge/"
OUTLOOK = f"{MERGE}outlook/?into=101000001"
HTMX = {"HX-Request": "true"}
State = MergeOutlook.State


@pytest.fixture
def two(csa: Federation) -> tuple[Player, Player]:
    """Nine play in one section; in another the ninth takes the place of the first."""
    people = register(csa, 9)
    approved(submitted(csa, people[:8], number="2024-001"))
    approved(submitted(csa, [people[8], *people[1:8]], number="2024-002", ends=FIRST + timedelta(7), seed=2))
    recompute_all(csa)
    return people[8], people[0]


def mark(two: tuple[Player, Player]) -> str:
    return mark_of(*two, today(two[0].federation))


def asked(two: tuple[Player, Player]) -> MergeOutlook:
    return ask_for_outlook(player=two[0], into=two[1], at=timezone.now(), mark=mark(two))


def drawn(two: tuple[Player, Player]) -> MergeOutlook:
    draw_outlook.draw(asked(two).pk)
    return MergeOutlook.objects.get()


def test_the_page_asks_the_worker_tells_how_far_it_is_and_then_what_would_move(
    client_of: ClientOf, two: tuple[Player, Player], nomsa: User
) -> None:
    browser = client_of(nomsa)
    page = browser.get(f"{MERGE}?into=101000001").content.decode()
    assert f'hx-post="{OUTLOOK}"' in page
    assert not MergeOutlook.objects.exists()
    waiting = browser.post(OUTLOOK, headers=HTMX).content.decode()
    assert "Waiting for the worker" in waiting
    assert "<html" not in waiting
    MergeOutlook.objects.update(state=State.DRAWING, done=30, total=120)
    assert "30 of 120" in browser.get(OUTLOOK, headers=HTMX).content.decode()
    assert "30 of 120" in browser.get(OUTLOOK).content.decode()
    MergeOutlook.objects.update(state=State.WAITING)
    draw_outlook.sweep()
    part = browser.get(OUTLOOK, headers=HTMX).content.decode()
    assert "2024-002, A" in part
    assert f'name="seen" id="id_seen" value="{mark(two)}" hx-swap-oob="true"' in part
    assert "2024-002, A" in browser.get(f"{MERGE}?into=101000001").content.decode()


def test_without_script_a_button_asks_and_a_link_looks_again(
    client_of: ClientOf, two: tuple[Player, Player], nomsa: User
) -> None:
    browser = client_of(nomsa)
    page = " ".join(browser.get(OUTLOOK).content.decode().split())
    assert f'method="post" action="{OUTLOOK}"' in page
    assert browser.post(OUTLOOK).headers["Location"] == OUTLOOK
    assert f'href="{OUTLOOK}"' in browser.get(OUTLOOK).content.decode()


def test_looking_asks_for_nothing(client_of: ClientOf, two: tuple[Player, Player], nomsa: User) -> None:
    for address in (OUTLOOK, f"{MERGE}?into=101000001"):
        assert client_of(nomsa).get(address).status_code == 200
    assert not MergeOutlook.objects.exists()


@pytest.mark.parametrize("change", ["journal", "particulars", "day", "other entry"])
def test_an_outlook_that_was_overtaken_is_not_shown_and_is_drawn_anew(
    csa: Federation, two: tuple[Player, Player], change: str
) -> None:
    outlook, before = drawn(two), mark(two)
    assert is_current(outlook, before)
    day = today(csa)
    if change == "journal":
        Ledger.objects.update(facts=Ledger.objects.get().facts + 1)
    elif change == "day":
        day += timedelta(days=1)
    else:
        player = two[0] if change == "particulars" else two[1]
        correct_player(player=player, by=None, on=day, club="Rooks")
    now = mark_of(*two, day)
    assert not is_current(outlook, now)
    ask_for_outlook(player=two[0], into=two[1], at=timezone.now(), mark=now)
    assert MergeOutlook.objects.get().state == State.WAITING
    assert MergeOutlook.objects.get().content == {}


def test_an_outlook_that_holds_is_not_drawn_twice(two: tuple[Player, Player]) -> None:
    drawn(two)
    assert asked(two).state == State.DRAWN


def test_an_outlook_overtaken_while_it_was_drawn_is_not_kept(
    two: tuple[Player, Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = preview_merge

    def slow(*given: Any, **more: Any) -> Any:
        found = whole(*given, **more)
        correct_player(player=two[1], by=None, on=date(2026, 1, 1), club="Rooks")
        return found

    monkeypatch.setattr(draw_outlook, "preview_merge", slow)
    job = drawn(two)
    assert (job.state, job.content) == (State.WAITING, {})
    monkeypatch.setattr(draw_outlook, "preview_merge", whole)
    draw_outlook.sweep()
    assert MergeOutlook.objects.get().state == State.DRAWN


def test_whoever_merges_on_what_their_page_does_not_show_any_more_is_told(
    client_of: ClientOf, two: tuple[Player, Player], nomsa: User
) -> None:
    drawn(two)
    browser, page = client_of(nomsa), f"{MERGE}?into=101000001"
    seen = mark(two)
    assert f'value="{seen}"' in browser.get(page).content.decode()
    correct_player(player=two[1], by=None, on=date(2026, 1, 1), club="Rooks")
    lines = Fact.objects.filter(kind="merged").count()
    answer = browser.post(page, {"reason": "one birth certificate", "seen": seen})
    assert answer.status_code == 409
    assert "not what your page showed any more" in answer.content.decode()
    assert Fact.objects.filter(kind="merged").count() == lines
    two[1].refresh_from_db()
    assert browser.post(page, {"reason": "one birth certificate", "seen": mark(two)}).status_code == 302


def test_nothing_is_drawn_while_a_recompute_is_pending(two: tuple[Player, Player]) -> None:
    Ledger.objects.update(wanted=Ledger.objects.get().done + 1)
    draw_outlook.draw(asked(two).pk)
    assert MergeOutlook.objects.get().state == State.WAITING
    Ledger.objects.update(done=Ledger.objects.get().wanted)
    draw_outlook.sweep()
    assert MergeOutlook.objects.get().state == State.DRAWN


def test_a_preview_at_which_two_workers_died_is_given_up_and_the_page_offers_another_try(
    client_of: ClientOf, two: tuple[Player, Player], nomsa: User
) -> None:
    asked(two)
    MergeOutlook.objects.update(attempts=job_lease.MOST_ATTEMPTS)
    draw_outlook.sweep()
    assert MergeOutlook.objects.get().state == State.FAILED
    page = client_of(nomsa).get(OUTLOOK).content.decode()
    assert "could not be worked out" in page
    assert 'hx-trigger="submit"' in page, "or the page would ask again and again by itself"
    assert asked(two).state == State.WAITING


@pytest.mark.parametrize(("age", "kept"), [(timedelta(hours=23), True), (timedelta(hours=25), False)])
def test_what_nobody_asks_for_any_more_is_deleted_after_a_day(
    two: tuple[Player, Player], age: timedelta, kept: bool
) -> None:
    drawn(two)
    MergeOutlook.objects.update(asked_at=timezone.now() - age)
    draw_outlook.sweep()
    assert MergeOutlook.objects.exists() == kept


def test_no_name_stands_in_what_is_kept(two: tuple[Player, Player]) -> None:
    assert "Invented" not in str(drawn(two).content)
    assert outlook_of(*two) is not None
