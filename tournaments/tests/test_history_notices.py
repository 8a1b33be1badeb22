"""What readers say of the files of a past: told by cause before it is written, kept with each section."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management.base import CommandError
from django.test import Client

from players.models import Federation
from tournaments.history import Question, group_questions
from tournaments.models import Adjustment, Finding, History, Section
from tournaments.tests.histories import table
from tournaments.tests.own_sm_files import GAMES, own_file
from tournaments.tests.test_histories import COLUMNS, DEFAULTS, JUNE, Take, othello, past, pfo, take

__all__ = ["pfo", "take"]


def signs_turned(data: bytes, games: int) -> bytes:
    """An `.ELO` file in which the signs of so many games contradict the discs."""
    lines, left = data.decode().splitlines(), games
    for at, line in enumerate(lines):
        if left and (")>(" in line or ")<(" in line):
            lines[at] = line.replace(")>(", ")*(").replace(")<(", ")>(").replace(")*(", ")<(")
            left -= 1
    return "\n".join(lines).encode()


def spoilt() -> dict[str, bytes]:
    files = othello()
    files["wiosna.elo"] = signs_turned(files["wiosna.elo"], 2)
    files["lato.elo"] = signs_turned(files["lato.elo"], 1) + b"% Somebody was ill\n"
    return files


def test_what_readers_repaired_or_left_out_is_told_by_cause_before_anything_is_written(
    pfo: Federation,
    take: Take,
) -> None:
    said = take("pfo", spoilt(), "--dry-run")
    assert "notice      3 × elo-sign-counts: The sign and the discs did not agree; the sign was used." in said
    assert "lato.elo, line 1" in said
    assert not Adjustment.objects.exists()


def test_it_stays_with_the_section_as_in_an_ordinary_filing_and_its_page_tells_it(
    pfo: Federation,
    take: Take,
    client: Client,
) -> None:
    take("pfo", spoilt())
    kept = {
        section.event.name: section.adjustments.filter(key="elo-sign-counts").count()
        for section in Section.objects.filter(event__federation=pfo)
    }
    assert kept == {"Wiosna Open": 2, "Lato Open": 1}
    assert not Finding.objects.exclude(level="notice").exists()
    page = client.get(Section.objects.get(event__name="Wiosna Open").get_absolute_url()).content.decode()
    assert "the sign was used" in page


def test_a_history_without_anything_to_tell_tells_nothing(
    pfo: Federation,
    take: Take,
) -> None:
    take("pfo", othello(), "--dry-run")
    causes: Any = History.objects.get().outcome["causes"]
    assert [cause["key"] for cause in causes if cause["key"].startswith("elo-sign")] == []


def test_questions_that_differ_in_what_they_quote_alone_are_one_cause() -> None:
    questions = [
        Question("blocks", "elo-several-unknown", name, f"{name}, line 9", {"game": game})
        for name, game in (("a.elo", "1 (33)-(31) ?"), ("b.elo", "? (40)-(24) 7"))
    ]
    [cause] = group_questions(questions, ["a.elo", "b.elo"])
    assert cause["words"].startswith("In “…” a question mark stands")
    assert cause["count"] == 2
    assert cause["files"] == ["a.elo", "b.elo"]
    assert cause["examples"] == ["a.elo, line 9: 1 (33)-(31) ?", "b.elo, line 9: ? (40)-(24) 7"]


@pytest.mark.parametrize(("code", "asked"), [(10, True), (6, False)])
def test_what_a_reader_asks_about_a_file_is_asked_of_a_past_and_answered_for_all(
    csa: Federation, take: Take, code: int, asked: bool
) -> None:
    files = {
        "one.TUNX": own_file(games=[(1, 2, code), *GAMES[1:]]),
        "two.TUNX": own_file(games=[(1, 2, code), *GAMES[1:]], selected=1),
        "table.csv": table(COLUMNS, DEFAULTS),
    }
    take("csa", files, "--dry-run")
    assert (("asks", "tunx-both-nought", 2) in causes()) == asked
    take("csa", files, "--dry-run", "--answer", "tunx-both-nought=right")
    assert "tunx-both-nought" not in {key for _level, key, _count in causes()}


def causes() -> list[tuple[str, str, int]]:
    found: Any = History.objects.get().outcome["causes"]
    return [(each["level"], each["key"], each["count"]) for each in found]


@pytest.mark.parametrize(("other", "causes"), [(5, 1), (6, 2)])
def test_questions_are_two_causes_where_one_answer_could_not_hold_for_both(other: int, causes: int) -> None:
    questions = [
        Question("blocks", "more-rounds", name, name, {"scheduled": scheduled, "played": 7})
        for name, scheduled in (("a.trf", 5), ("b.trf", other))
    ]
    assert len(group_questions(questions, ["a.trf", "b.trf"])) == causes


def test_a_day_of_the_end_that_cannot_be_read_blocks_until_the_table_gives_it(
    csa: Federation,
    take: Take,
) -> None:
    files = past()
    files["cape.trf"] = files["cape.trf"].replace(b"052 2021/06/05", b"052 soon")
    assert b"052 soon" in files["cape.trf"]
    with pytest.raises(CommandError, match="questions above are open"):
        take("csa", files)
    files["table.csv"] = table(
        (*COLUMNS, "ends"), DEFAULTS, {"file": "cape.trf", "region": "WCA", "ends": "2021-06-05"}
    )
    take("csa", files)
    assert Section.objects.get(event__name="Cape Open").ends == JUNE
