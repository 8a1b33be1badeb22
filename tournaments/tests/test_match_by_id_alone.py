"""In a file without names an exact id that the register knows is that player; in others it is not enough."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client

from players.models import Identifier, Player
from tournaments.models import Entry, Section
from tournaments.tests.conftest import Send, fresh
from tournaments.tests.elo_files import ELO
from tournaments.tests.test_filing_families import decide, matched, othello
from tournaments.tests.test_table_filing import opened, vera

__all__ = ["opened", "othello", "vera"]
Vera = Callable[[Section], Client]
UNNAMED = re.sub(r"%_%.*\n", "", ELO).replace("170121", "   555")


def states(section: Section) -> dict[str, str]:
    return dict(section.entries.values_list("filed_id", "match"))


@pytest.fixture
def unnamed(othello: Section, vera: Vera, upload: Send) -> Section:
    upload(vera(othello), othello, UNNAMED.encode())
    return fresh(othello)


def test_in_a_file_without_names_an_exact_number_is_that_player(unnamed: Section) -> None:
    certain, none = Entry.Match.CERTAIN, Entry.Match.NONE
    assert states(unnamed) == {"700": certain, "707": certain, "1025": certain, "555": none}
    assert sorted(filter(None, matched(unnamed))) == ["21", "22", "24"]


def test_where_others_have_names_a_number_alone_is_left_to_a_person(
    othello: Section, vera: Vera, upload: Send
) -> None:
    text = re.sub(r"%_% +700,.*\n", "", ELO)
    upload(vera(othello), othello, text.encode())
    assert states(fresh(othello))["700"] == Entry.Match.DOUBTFUL


def test_a_number_of_somebody_who_died_or_is_another_entry_is_left_to_a_person(
    othello: Section, vera: Vera, upload: Send
) -> None:
    Player.objects.filter(number="21").update(deceased=True)
    same = Player.objects.get(number="22")
    Identifier.objects.create(federation=same.federation, kind="wof", value="555", player=same)
    upload(vera(othello), othello, UNNAMED.encode())
    doubtful = Entry.Match.DOUBTFUL
    assert states(fresh(othello)) == {
        "700": doubtful,
        "707": doubtful,
        "555": doubtful,
        "1025": Entry.Match.CERTAIN,
    }


def test_a_person_s_word_stays_with_the_next_file_without_names(
    unnamed: Section, vera: Vera, upload: Send, send: Send
) -> None:
    number = unnamed.entries.get(filed_id="555").number
    decide(vera(unnamed), unnamed, send, {number: "23"})
    upload(vera(unnamed), unnamed, UNNAMED.replace("(44)>(20)", "(43)>(21)").encode())
    assert sorted(filter(None, matched(fresh(unnamed)))) == ["21", "22", "23", "24"]
