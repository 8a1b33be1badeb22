"""One answer for all absences of a kind: a button fills them in what was typed, and saving keeps them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from players.models import User
from tournaments.formats.sheet import SheetGame
from tournaments.models import Section
from tournaments.tests.conftest import Send, address, fresh
from tournaments.tests.event_files import open_file, open_sheet
from tournaments.tests.test_filing import details_of

GONE = {5, 6}


def with_absences() -> bytes:
    """Two players forfeit in round 2, leave, and stand with a win over nobody in the last round."""
    games = []
    for game in open_sheet().games:
        gone = {game.first, game.second} & GONE
        if not gone or game.round == 1:
            games.append(game)
        elif game.round == 2:
            result = "-:-" if len(gone) == 2 else "-:+" if game.first in GONE else "+:-"
            games.append(SheetGame(2, game.first, game.second, result))  # type: ignore[arg-type]
    return open_file(games=tuple(games))


@pytest.fixture
def client(amahle: User, client_of: Callable[[User], Client]) -> Client:
    return client_of(amahle)


def test_one_answer_says_of_all_whether_notice_was_given(
    client: Client, section: Section, upload: Send, send: Send
) -> None:
    upload(client, section, with_absences())
    here, version = address(section, "details"), fresh(section).version
    shown = client.get(here).content.decode()
    assert "Nobody gave notice" in shown
    assert "Notice was given for all" in shown
    typed = details_of(client, section, name="Typed by hand")
    page = client.post(here, typed | {"fill-all": "notified-no"}).context["forms"]
    assert [form["notified"].value() for form in page.left.initial_forms] == ["no", "no"]
    assert page.details["name"].value() == "Typed by hand"
    absences = client.post(here, typed | {"fill-all": "excused-yes"}).context["forms"].absences
    assert all(row["field"].value() for row in absences.forfeit_rows())
    names = {row["field"].html_name: "on" for row in absences.forfeit_rows()}
    absences = client.post(here, typed | names | {"fill-all": "excused-no"}).context["forms"].absences
    assert not any(row["field"].value() for row in absences.forfeit_rows())
    assert fresh(section).version == version
    typed = details_of(client, section)
    send(client, here, typed | names | {"left-0-notified": "no", "left-1-notified": "no"})
    gone = fresh(section).entries.filter(number__in=GONE)
    assert list(gone.values_list("left_notified", flat=True)) == [False, False]


def test_one_answer_says_of_all_unclear_byes_what_they_were(
    client: Client, section: Section, upload: Send
) -> None:
    games = tuple(g for g in open_sheet().games if not (g.round == 5 and {g.first, g.second} & GONE))
    upload(client, section, open_file(games=games).decode().replace("  0000 - Z", "  0000 - +").encode())
    here = address(section, "details")
    assert "One answer for all" in client.get(here).content.decode()
    typed = details_of(client, section)
    byes = client.post(here, typed | {"fill-all": "bye-half"}).context["forms"].absences.bye_fields()
    assert len(byes) > 1
    assert {field.value() for field in byes} == {"half"}
    assert not fresh(section).byes.filter(kind="half").exists()


@pytest.mark.parametrize("pressed", ["bye-lazy", "excused", "notified-", "nothing", ""])
def test_a_button_that_is_none_fills_nothing(
    client: Client, section: Section, upload: Send, pressed: str
) -> None:
    upload(client, section, with_absences())
    typed = details_of(client, section)
    page = client.post(address(section, "details"), typed | {"fill-all": pressed})
    assert page.status_code == 200
    assert not any(row["field"].value() for row in page.context["forms"].absences.forfeit_rows())
