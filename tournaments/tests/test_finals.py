"""Finals and play-offs: told apart from scheduled rounds in Details and in the journal."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client

from ratings.rulesets.journal_lines import write_line
from tournaments.details import name_finals
from tournaments.models import Section
from tournaments.sections import section_fact
from tournaments.tests.conftest import Send, address, fresh
from tournaments.tests.test_filing_families import NUMBERS, OTHELLO, othello
from tournaments.tests.test_table_filing import Opened, keep_details, keys, opened, vera

__all__ = ["NUMBERS", "OTHELLO", "Opened", "opened", "othello", "vera"]
Vera = Callable[[Section], Client]
FINALS = """\
%%Tournament: Wiosna Open
%%Date: 07/03/2026 - 08/03/2026
%_% 700, NOWAK, Anna, POL
%_% 707, KOWALSKI, Jan, POL
%_% 120, WOJCIK, Ewa, POL
%_% 1025, LIS, Ola, POL
%Round: 1
700 (40)>(24) 707 B
120 (32)=(32) 1025 B
%Round: 2
700 (40)>(24) 1025 B
707 (44)>(20) 120 B
%Round: 3-4
707 (44)>(20) 120 B
%Round: F
700 (40)>(24) 1025 B
"""


def rounds_of(section: Section) -> list[int]:
    return list(section.games.order_by("order").values_list("round", flat=True))


@pytest.fixture
def filed(othello: Section, vera: Vera, upload: Send) -> Section:
    upload(vera(othello), othello, FINALS.encode())
    return fresh(othello)


def test_finals_of_a_file_are_no_scheduled_rounds(filed: Section, vera: Vera) -> None:
    assert (filed.finals, rounds_of(filed)) == (["3-4", "F"], [1, 1, 2, 2, 3, 4])
    form = vera(filed).get(address(filed, "details")).context["forms"].details
    assert (form["finals"].value(), form.round_names) == (2, ["round-1", "round-2"])


@pytest.mark.parametrize(("rounds", "expected"), [("2", [1, 1, 2, 2, 3, 4]), ("5", [1, 1, 2, 2, 6, 7])])
def test_finals_are_numbered_behind_as_many_rounds_as_were_scheduled(
    filed: Section, vera: Vera, send: Send, rounds: str, expected: list[int]
) -> None:
    keep_details(vera(filed), filed, send, rounds=rounds)
    assert rounds_of(fresh(filed)) == expected
    assert [fresh(filed).name_of_round(number) for number in expected[-3:]] == ["2", "3-4", "F"]


def test_a_person_tells_finals_apart_that_the_file_numbers_like_rounds(
    othello: Section, vera: Vera, upload: Send, send: Send
) -> None:
    text = FINALS.replace("3-4", "3").replace("Round: F", "Round: 4")
    upload(vera(othello), othello, text.encode())
    client = vera(othello)
    refused = keep_details(client, othello, send, rounds="2")
    assert "The file holds 4 rounds already." in refused.content.decode()
    assert "rounds-too-few" in keys(fresh(othello), "asks")
    shown = client.get(address(othello, "details")).context["forms"].details.main_fields()
    assert {"rounds", "finals"} <= {field.name for field in shown}
    keep_details(client, othello, send, rounds="2", finals="2")
    section = fresh(othello)
    assert (section.rounds, section.finals) == (2, ["F1", "F2"])
    assert not {"rounds-needed", "rounds-too-few"} & keys(section, "asks")
    assert "only 4 rounds" in keep_details(client, othello, send, rounds="2", finals="5").content.decode()


def test_finals_that_a_person_told_apart_stay_with_a_corrected_file_of_as_many_rounds(
    othello: Section, vera: Vera, upload: Send, send: Send
) -> None:
    text = FINALS.replace("3-4", "3").replace("Round: F", "Round: 4")
    upload(vera(othello), othello, text.encode())
    keep_details(vera(othello), othello, send, rounds="2", finals="2")
    upload(vera(othello), othello, text.replace("(44)", "(43)").encode())
    assert fresh(othello).finals == ["F1", "F2"]
    upload(vera(othello), othello, text.replace("%Round: 4\n", "").replace("(44)", "(42)").encode())
    assert fresh(othello).finals == []


def test_the_journal_has_finals_behind_the_scheduled_rounds_without_names_and_no_bye_of_them(
    filed: Section,
) -> None:
    filed.rounds = 2
    filed.byes.create(round=2, entry=filed.entries.all()[3], kind="half")
    filed.byes.create(round=4, entry=filed.entries.all()[2], kind="zero")
    fact = section_fact(filed, draft=True)
    assert (fact.rounds, [game.round for game in fact.games]) == (2, [1, 1, 2, 2, 3, 4])
    line = write_line(fact, filed.event.federation.ruleset)
    assert not {"finals", "3-4", "F"} & set(re.findall(r'"([^"]*)"', line))
    assert [bye.round for bye in fact.byes] == [2]


@pytest.mark.parametrize(
    ("known", "count", "names"),
    [
        (["3-4", "F"], 2, ["3-4", "F"]),
        (["3-4", "F"], 1, ["F"]),
        (["3-4", "F"], 3, ["F1", "3-4", "F"]),
        (["F"], 0, []),
        ([], 2, ["F1", "F2"]),
    ],
)
def test_finals_keep_the_names_of_their_last_rounds(known: list[str], count: int, names: list[str]) -> None:
    assert name_finals(known, count) == names
