"""A made-up past of files in several dialects moves in, and gives the ratings of a journal by hand."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from benchmarks.world_past import make_files
from players.models import Federation, Ledger, Region
from ratings.replay import replay
from tests.built_once import built_once
from tests.pasts import files, othello
from tests.pasts.answers import WhoKnows
from tests.pasts.hand_journal import journal, number_of
from tests.pasts.othello import OthelloPast
from tests.pasts.play import REGIONS, Past, play
from tournaments.formats import read_any
from tournaments.models import Entry

pytestmark = pytest.mark.long
SEED = 14
Take = Callable[..., str]


@pytest.fixture
@built_once
def office(db: None) -> Federation:
    federation = Federation.objects.create(code="csa", name="Chess South Africa", ruleset_slug="csa")
    for code in REGIONS:
        Region.objects.create(federation=federation, code=code, name=code)
    Ledger.objects.create(federation=federation)
    return federation


@pytest.fixture
def take(capsys: pytest.CaptureFixture[str]) -> Take:
    def command(there: Path, *options: str, code: str = "csa") -> str:
        call_command("take_history", code, str(there), *options)
        return capsys.readouterr().out

    return command


def in_folder(past: Past, there: Path, *, lists: bool) -> Path:
    return written_out({**files.all_files(past), "table.csv": files.table(past, lists=lists)}, there)


def written_out(written: dict[str, bytes], there: Path) -> Path:
    for name, data in written.items():
        (there / name).parent.mkdir(parents=True, exist_ok=True)
        (there / name).write_bytes(data)
    return there


def numbers_by_hand(past: Past | OthelloPast) -> dict[str, str]:
    """Numbers of the register, and those of the journal by hand for the same people: one for one."""
    pairs = set()
    for section in past.sections:
        entries = Entry.objects.filter(section__event__name=section.event).select_related("player")
        for entry in entries:
            assert entry.player is not None
            pairs.add((entry.player.number, number_of(section.seats[entry.number - 1])))
    found = dict(pairs)
    mixed = [
        pair for pair in sorted(pairs) if sum(each[0] == pair[0] or each[1] == pair[1] for each in pairs) > 1
    ]
    people = {number_of(who): who for who in past.people}
    assert not mixed, [(number, people[key]) for number, key in mixed]
    return found


def ratings(journal: bytes, past: Past | OthelloPast, names: dict[str, str] | None = None) -> list[Any]:
    answer = replay(journal, past.lists()[-1])
    rows = [
        {**row, "of": kind, "player": names[row["player"]] if names else row["player"], "name": ""}
        for kind in ("ratings", "seasons")
        for row in answer.get(kind, [])
    ]
    return sorted(rows, key=lambda row: json.dumps(row, default=str))


def assert_as_by_hand(past: Past | OthelloPast, there: Path, by_hand: bytes, code: str = "csa") -> None:
    call_command("export_journal", code, "-o", str(there))
    ours = ratings(there.read_bytes(), past, numbers_by_hand(past))
    theirs = ratings(by_hand, past)
    assert ours == theirs
    assert sum(row.get("rating") is not None for row in ours) > 10
    call_command("verify", code)


def test_a_past_whose_files_and_table_say_everything_moves_in_with_no_hand(
    office: Federation, take: Take, tmp_path: Path
) -> None:
    past = play(14, files.DIALECTS, SEED, doubts=False)
    said = take(in_folder(past, tmp_path / "past", lists=False))
    assert "14 files, 14 sections" in said
    assert_as_by_hand(past, tmp_path / "journal", journal(past))


def answered(past: Past | OthelloPast, there: Path, take: Take, tmp_path: Path, code: str = "csa") -> int:
    """Answer the questions of a past by table, then put right who is who, until nothing is left to be said;
    return how many answers there were.
    """
    known, questions, everybody = WhoKnows(past), tmp_path / "questions.csv", tmp_path / "who.csv"
    options: list[str] = ["--questions", str(questions), "--who-is-who", str(everybody)]
    asked = 0
    while True:
        take(there, "--dry-run", *options, code=code)
        filled, count = known.fill_in(questions.read_bytes())
        if not count:
            filled, count = known.put_right(everybody.read_bytes())
        if not count:
            return asked
        asked += count
        questions.write_bytes(filled)
        options = [*options[:4], "--answers", str(questions)]


@pytest.mark.parametrize("count", [14, pytest.param(200, marks=pytest.mark.nightly)])
def test_misspelt_married_and_doubled_players_are_who_the_answers_say(
    office: Federation, take: Take, tmp_path: Path, count: int
) -> None:
    past = play(count, files.DIALECTS, SEED, doubts=True)
    there = in_folder(past, tmp_path / "past", lists=True)
    with pytest.raises(CommandError, match="Nothing was written"):
        take(there)
    assert answered(past, there, take, tmp_path) > count // 10
    take(there)
    assert_as_by_hand(past, tmp_path / "journal", journal(past))


def test_a_past_of_othello_in_three_forms_gives_the_ratings_and_seasons_of_a_journal_by_hand(
    take: Take, tmp_path: Path, db: None
) -> None:
    office = Federation.objects.create(code="pfo", name="Polska Federacja Othello", ruleset_slug="pfo")
    Region.objects.create(federation=office, code="POL", name="Polska")
    Ledger.objects.create(federation=office)
    past = othello.play(12, SEED)
    there = written_out(othello.all_files(past), tmp_path / "past")
    assert answered(past, there, take, tmp_path, "pfo") > 1
    take(there, code="pfo")
    assert_as_by_hand(past, tmp_path / "journal", othello.journal(past), "pfo")


def test_every_game_of_a_past_like_the_worlds_is_read_as_it_was_played() -> None:
    past = list(make_files(250))
    readings = [(each, read_any(each.content, each.name, "POL")) for each in past]
    for played, reading in readings:
        assert reading.blocked is not played.readable, played.name
        if reading.sheet is not None and not reading.blocked:
            number = {row.start_number: int(row.identifier or 0) for row in reading.sheet.rows}
            games = [(number[game.first], number[game.second], game.result) for game in reading.sheet.games]
            assert Counter(games) == Counter(played.games), played.name
    told = {said.key for _played, reading in readings for said in reading.findings}
    told |= {said.key for _played, reading in readings for said in reading.adjustments}
    assert {"elo-sign-counts", "elo-rounds-by-order", "elo-points-differ", "elo-plays-self"} <= told
