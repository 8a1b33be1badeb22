"""The outlook on a merge is the worker’s: how far it is, drawn anew when overtaken, never shown when old."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from players import jobs, record
from players.models import Federation, Ledger, Player, User
from players.settings import today
from ratings import merging
from ratings.as_if import preview_merge
from ratings.merging import ask_for_outlook, compute_mark, find_outlook, is_current, merge_players
from ratings.models import Fact, MergeOutlook
from ratings.people import correct_player
from ratings.tests.office import FIRST, approved, recompute_all, register, submitted
from tests.built_once import built_once

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
MERGE = "/csa/players/101000009/merge/"
OUTLOOK = f"{MERGE}outlook/?into=101000001"
HTMX = {"HX-Request": "true"}
State = MergeOutlook.State


@pytest.fixture
@built_once
def two(csa: Federation) -> tuple[Player, Player]:
    """Nine play in one section; in another the ninth takes the place of the first."""
    people = register(csa, 9)
    approved(submitted(csa, people[:8], number="2024-001"))
    approved(submitted(csa, [people[8], *people[1:8]], number="2024-002", ends=FIRST + timedelta(7), seed=2))
    recompute_all(csa)
    return people[8], people[0]


def mark(two: tuple[Player, Player]) -> str:
    return compute_mark(*two, today(two[0].federation))


def asked(two: tuple[Player, Player]) -> MergeOutlook:
    return ask_for_outlook(player=two[0], into=two[1], at=timezone.now(), mark=mark(two))


def drawn(two: tuple[Player, Player]) -> MergeOutlook:
    jobs.run("outlooks", asked(two).pk)
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
    assert "30 of 120" in browser.get(OUTLOOK, follow=True).content.decode()
    MergeOutlook.objects.update(state=State.WAITING)
    jobs.sweep("ratings")
    part = browser.get(OUTLOOK, headers=HTMX).content.decode()
    assert "2024-002, A" in part
    assert f'name="seen" id="id_seen" value="{mark(two)}" hx-swap-oob="true"' in part
    assert "2024-002, A" in browser.get(f"{MERGE}?into=101000001").content.decode()


def test_without_script_a_button_asks_and_a_link_looks_again(
    client_of: ClientOf, two: tuple[Player, Player], nomsa: User
) -> None:
    browser = client_of(nomsa)
    address = f"{MERGE}?into=101000001"
    page = " ".join(browser.get(address).content.decode().split())
    assert f'method="post" action="{OUTLOOK}"' in page
    assert browser.post(OUTLOOK).headers["Location"] == address
    assert f'href="{address}"' in browser.get(address).content.decode()


def test_looking_asks_for_nothing(client_of: ClientOf, two: tuple[Player, Player], nomsa: User) -> None:
    for address in (OUTLOOK, f"{MERGE}?into=101000001"):
        assert client_of(nomsa).get(address, headers=HTMX).status_code == 200
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
    now = compute_mark(*two, day)
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
    whole, looked = preview_merge, list[tuple[Player, Player]]()

    def slow(*given: Any, **more: Any) -> Any:
        found = whole(*given, **more)
        looked.append(given)
        correct_player(player=two[1], by=None, on=date(2026, 1, 1), club="Rooks")
        return found

    monkeypatch.setattr(merging, "preview_merge", slow)
    job = drawn(two)
    assert len(looked) == 2
    assert (job.state, job.mark) == (State.DRAWN, compute_mark(*two, today(two[1].federation)))


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


@pytest.mark.parametrize("parting", [False, True])
def test_a_change_between_the_look_at_the_form_and_the_ledgers_lock_is_noticed(
    client_of: ClientOf,
    two: tuple[Player, Player],
    nomsa: User,
    monkeypatch: pytest.MonkeyPatch,
    parting: bool,
) -> None:
    if parting:
        merge_players(player=two[0], into=two[1], by=None, on=date(2026, 1, 1), reason="one certificate")
        recompute_all(two[1].federation)
    page = MERGE.replace("/merge/", "/part/") if parting else f"{MERGE}?into=101000001"
    lock, kinds = record.lock_ledger, ("merged", "parted")
    locking = "players.pages.forms.lock_ledger"
    before = Fact.objects.filter(kind__in=kinds).count()
    for each in two:
        each.refresh_from_db()

    def late(federation: Federation) -> Any:
        monkeypatch.setattr(locking, lock)
        correct_player(player=two[1], by=None, on=date(2026, 1, 1), club="Rooks")
        return lock(federation)

    monkeypatch.setattr(locking, late)
    answer = client_of(nomsa).post(page, {"reason": "one birth certificate", "seen": mark(two)})
    assert answer.status_code == 409
    assert "not what your page showed any more" in answer.content.decode()
    assert Fact.objects.filter(kind__in=kinds).count() == before


@pytest.mark.parametrize("seen", [{}, {"seen": ""}])
def test_nobody_merges_before_the_effects_were_shown_and_is_told_what_to_do(
    client_of: ClientOf, two: tuple[Player, Player], nomsa: User, seen: dict[str, str]
) -> None:
    browser, page = client_of(nomsa), f"{MERGE}?into=101000001"
    answer = browser.post(page, {"reason": "one birth certificate", **seen})
    assert answer.status_code == 409
    assert "Work them out above, read them, then confirm." in answer.content.decode()
    assert "one birth certificate" in answer.content.decode(), "the words are kept"
    assert not Fact.objects.filter(kind="merged").exists()
    drawn(two)
    assert browser.post(page, {"reason": "one birth certificate", **seen}).status_code == 409
    assert not Fact.objects.filter(kind="merged").exists(), "drawn, but not on this person’s page"


def test_the_button_to_merge_comes_with_the_effects(
    client_of: ClientOf, two: tuple[Player, Player], nomsa: User
) -> None:
    browser, page = client_of(nomsa), f"{MERGE}?into=101000001"
    button, waits = ">Merge the two entries</button>", "The button to confirm comes with the effects"
    for before in (browser.get(page), browser.post(OUTLOOK, headers=HTMX)):
        assert button not in squeezed(before)
    assert waits in squeezed(browser.get(page))
    drawn(two)
    part = squeezed(browser.get(OUTLOOK, headers=HTMX))
    assert button in part
    assert '<div class="actions" id="confirm-actions" hx-swap-oob="true">' in part
    assert button in squeezed(browser.get(page)), "without script it is there once the page is opened again"
    assert waits not in squeezed(browser.get(page))


def test_a_page_that_was_refused_confirms_what_it_shows_now(
    client_of: ClientOf, two: tuple[Player, Player], nomsa: User
) -> None:
    browser, page = client_of(nomsa), f"{MERGE}?into=101000001"
    drawn(two)
    again = browser.post(page, {"reason": "one birth certificate", "seen": "0" * 64})
    assert again.status_code == 409
    assert f'value="{mark(two)}"' in again.content.decode()
    assert browser.post(page, {"reason": "", "seen": mark(two)}).status_code == 400


def squeezed(answer: Any) -> str:
    return " ".join(answer.content.decode().split()).replace("> ", ">").replace(" <", "<").replace(" >", ">")


def test_nothing_is_drawn_while_a_recompute_is_pending(two: tuple[Player, Player]) -> None:
    Ledger.objects.update(wanted=Ledger.objects.get().done + 1)
    jobs.run("outlooks", asked(two).pk)
    assert MergeOutlook.objects.get().state == State.WAITING
    Ledger.objects.update(done=Ledger.objects.get().wanted)
    jobs.sweep("ratings")
    assert MergeOutlook.objects.get().state == State.DRAWN


def test_a_preview_at_which_two_workers_died_is_given_up_and_the_page_offers_another_try(
    client_of: ClientOf, two: tuple[Player, Player], nomsa: User
) -> None:
    asked(two)
    MergeOutlook.objects.update(attempts=jobs.MOST_ATTEMPTS)
    jobs.sweep("ratings")
    assert MergeOutlook.objects.get().state == State.FAILED
    page = client_of(nomsa).get(OUTLOOK, headers=HTMX).content.decode()
    assert "could not be worked out" in page
    assert 'hx-trigger="submit"' in page, "or the page would ask again and again by itself"
    assert asked(two).state == State.WAITING


@pytest.mark.parametrize(("age", "kept"), [(timedelta(hours=23), True), (timedelta(hours=25), False)])
def test_what_nobody_asks_for_any_more_is_deleted_after_a_day(
    two: tuple[Player, Player], age: timedelta, kept: bool
) -> None:
    drawn(two)
    MergeOutlook.objects.update(asked_at=timezone.now() - age)
    merging.delete_unwanted_outlooks(timezone.now())
    assert MergeOutlook.objects.exists() == kept


def test_no_name_stands_in_what_is_kept(two: tuple[Player, Player]) -> None:
    assert "Invented" not in str(drawn(two).content)
    assert find_outlook(*two) is not None
