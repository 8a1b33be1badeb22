"""Answers stand in the form again for the next file of the same region and program; saved, they hold."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from itertools import cycle
from typing import Any

import pytest
from django.test import Client

from players.models import Federation, Player, Region, User
from tests.built_once import built_once
from tournaments.models import Entry, Event, Section, Stage
from tournaments.tests.conftest import OTB, Send, address, enter, fresh
from tournaments.tests.event_files import NAMES, open_file, open_sheet
from tournaments.tests.test_filing import details_of

GONE = {5, 6}


@pytest.fixture
def client(amahle: User, client_of: Callable[[User], Client]) -> Client:
    return client_of(amahle)


@pytest.fixture
@built_once
def next_section(section: Section) -> Section:
    return another(section.event)


def another(event: Event, *, region: Region | None = None, ends: date = date(2026, 3, 8)) -> Section:
    """The section of another event, of the same days and region."""
    number = f"2026-{Event.objects.count() + 1:03}"
    other = Event.objects.create(
        federation=event.federation,
        number=number,
        name="Tembisa Open",
        registered_on=event.registered_on,
        region=region or event.region,
        starts=event.starts,
        ends=ends,
    )
    return Section.objects.create(
        event=other, code="A", name="A", starts=other.starts, ends=ends, format="swiss", particulars=OTB
    )


def with_wins_over_nobody(**about: Any) -> bytes:
    games = tuple(g for g in open_sheet().games if not (g.round == 5 and {g.first, g.second} & GONE))
    return open_file(games=games, **about).decode().replace("  0000 - Z", "  0000 - +").encode()


def byes(client: Client, section: Section) -> set[str]:
    fields = client.get(address(section, "details")).context["forms"].absences.bye_fields()
    assert len(fields) > 1
    return {field.value() for field in fields}


def saved(client: Client, section: Section, send: Send, kinds: list[str]) -> None:
    """Save the details with these kinds of byes, in turn."""
    fields = client.get(address(section, "details")).context["forms"].absences.bye_fields()
    said = {field.html_name: kind for field, kind in zip(fields, cycle(kinds), strict=False)}
    answer = send(client, address(section, "details"), details_of(client, section) | said)
    assert answer.status_code == 302
    assert not fresh(section).findings.filter(key="win-without-opponent", level="asks").exists()


# ---------------------------------------------------------------- byes


def test_what_all_unclear_byes_were_is_proposed_for_the_next_file_and_holds_once_it_is_saved(
    client: Client, section: Section, next_section: Section, upload: Send, send: Send
) -> None:
    upload(client, section, with_wins_over_nobody())
    assert byes(client, section) == {"pairing"}
    saved(client, section, send, ["half"])
    upload(client, next_section, with_wins_over_nobody(name="Tembisa Open"))
    assert byes(client, next_section) == {"half"}
    assert set(fresh(next_section).byes.values_list("kind", flat=True)) == {"pairing"}
    assert fresh(next_section).findings.filter(key="win-without-opponent", level="asks").exists()
    send(client, address(next_section, "details"), details_of(client, next_section))
    assert set(fresh(next_section).byes.values_list("kind", flat=True)) == {"half"}


def test_a_later_answer_of_the_section_itself_goes_before_what_is_remembered(
    client: Client, section: Section, next_section: Section, upload: Send, send: Send
) -> None:
    upload(client, section, with_wins_over_nobody())
    saved(client, section, send, ["half"])
    upload(client, next_section, with_wins_over_nobody(name="Tembisa Open"))
    saved(client, next_section, send, ["pairing"])
    upload(client, next_section, with_wins_over_nobody(name="Tembisa Open again"))
    assert byes(client, next_section) == {"pairing"}


@pytest.mark.parametrize("kinds", [["half", "full"], []])
def test_byes_of_several_kinds_or_of_none_said_are_not_remembered(
    client: Client, section: Section, next_section: Section, upload: Send, send: Send, kinds: list[str]
) -> None:
    upload(client, section, with_wins_over_nobody())
    if kinds:
        saved(client, section, send, kinds)
    upload(client, next_section, with_wins_over_nobody(name="Tembisa Open"))
    assert byes(client, next_section) == {"pairing"}


def test_nothing_is_remembered_of_another_region(
    client: Client,
    section: Section,
    western_cape: Region,
    pieter: User,
    upload: Send,
    send: Send,
    client_of: Any,
) -> None:
    upload(client, section, with_wins_over_nobody())
    saved(client, section, send, ["half"])
    elsewhere = another(section.event, region=western_cape)
    upload(client_of(pieter), elsewhere, with_wins_over_nobody(name="Tembisa Open"))
    assert byes(client_of(pieter), elsewhere) == {"pairing"}


# ---------------------------------------------------------------- days of rounds


def undated(**about: Any) -> bytes:
    return open_file(round_dates=(), **about)


def days(client: Client, section: Section) -> list[str]:
    form = client.get(address(section, "details")).context["forms"].details
    return [str(form[name].value() or "") for name in form.round_names]


@pytest.mark.parametrize(
    ("given", "proposed"),
    [
        (["06", "06", "06", "06", "06"], ["2026-03-06"] * 5),
        (["06", "06", "07", "07", "08"], ["2026-03-06"] * 3 + ["2026-03-07"] * 2),
        (["06", "07", "07", "08", "08"], [""] * 5),
    ],
)
def test_rounds_are_dated_as_the_last_file_of_the_program_was_where_that_was_one_of_the_two_buttons(
    client: Client, section: Section, upload: Send, send: Send, given: list[str], proposed: list[str]
) -> None:
    upload(client, section, undated())
    assert days(client, section) == [""] * 5
    said = {f"round-{at}": f"2026-03-{day}" for at, day in enumerate(given, 1)}
    assert send(client, address(section, "details"), details_of(client, section) | said).status_code == 302
    later = another(section.event, ends=date(2026, 3, 7))
    upload(client, later, undated(name="Tembisa Open", ends=date(2026, 3, 7)))
    assert days(client, later) == proposed
    assert not any(fresh(later).round_dates)
    assert fresh(later).findings.filter(key="round-dates-needed").exists()


# ---------------------------------------------------------------- who is who


@pytest.fixture
@built_once
def two_alike(csa: Federation) -> list[Player]:
    """The players of `open_file`, and a twin by name of the first one: a person says who it is."""
    there = [enter(csa, *name, number=f"10100000{place}") for place, name in enumerate(NAMES, 1)]
    surname, first_name, born, sex = NAMES[0]
    return [*there, enter(csa, surname, first_name, born, sex, number="101000009")]


def chosen(client: Client, section: Section) -> list[str]:
    page = client.get(address(section, "players"))
    cards = page.context["cards"]
    return [offer["player"].number for card in cards for offer in card["offers"] if offer["chosen"]]


def choose(client: Client, section: Section, send: Send, player: Player) -> None:
    answer = {"version": str(fresh(section).version), "player-1": str(player.pk)}
    send(client, address(section, "players/decide"), answer)
    assert fresh(section).entries.get(number=1).player == player


def with_the_office(section: Section) -> None:
    Section.objects.filter(pk=section.pk).update(stage=Stage.SUBMITTED)


def test_whom_a_person_chose_for_a_name_is_chosen_already_in_the_next_file_and_holds_once_it_is_saved(
    client: Client, section: Section, next_section: Section, two_alike: list[Player], upload: Send, send: Send
) -> None:
    upload(client, section, open_file())
    assert chosen(client, section) == []
    choose(client, section, send, two_alike[-1])
    upload(client, next_section, open_file(name="Tembisa Open"))
    assert chosen(client, next_section) == []  # the office has not seen it yet
    with_the_office(section)
    assert chosen(client, next_section) == ["101000009"]
    assert "chosen for an earlier file" in client.get(address(next_section, "players")).content.decode()
    assert fresh(next_section).entries.get(number=1).match == Entry.Match.DOUBTFUL
    choose(client, next_section, send, two_alike[-1])
    with_the_office(next_section)
    third = another(section.event)
    upload(client, third, open_file(name="Third Open"))
    assert chosen(client, third) == ["101000009"]


def test_nobody_is_chosen_where_a_name_meant_two_players_or_is_searched_for(
    client: Client, section: Section, next_section: Section, two_alike: list[Player], upload: Send, send: Send
) -> None:
    third = another(section.event)
    for each, name in ((section, "Soweto Open A"), (next_section, "Tembisa Open"), (third, "Third Open")):
        upload(client, each, open_file(name=name))
    choose(client, section, send, two_alike[-1])
    with_the_office(section)
    searched = client.get(address(third, "players"), {"entry": "1", "q": NAMES[0][0]}).context["cards"]
    assert not [offer for card in searched for offer in card["offers"] if offer["chosen"]]
    assert chosen(client, third) == ["101000009"]
    choose(client, next_section, send, two_alike[0])
    with_the_office(next_section)
    assert chosen(client, third) == []


def test_whoever_is_another_entry_already_is_not_chosen(
    client: Client, section: Section, next_section: Section, two_alike: list[Player], upload: Send, send: Send
) -> None:
    upload(client, section, open_file())
    choose(client, section, send, two_alike[-1])
    with_the_office(section)
    upload(client, next_section, open_file(name="Tembisa Open"))
    Entry.objects.filter(section=next_section, number=2).update(player=two_alike[-1], match="decided")
    assert chosen(client, next_section) == []
