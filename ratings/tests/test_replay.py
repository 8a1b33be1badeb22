"""`python -m ratings.replay`: what it answers, and how it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from hashlib import sha256
from pathlib import Path

import pytest

from ratings.replay import get_list_bytes, main, replay
from ratings.rulesets import rulesets
from ratings.rulesets.journal_lines import JournalError
from ratings.tests.ended import with_end
from ratings.tests.journal_lines import (
    a_and_b,
    game,
    head,
    invented_federations,
    line,
    opening,
    player,
    rated,
    section,
    unrated,
)

OFFICE = [
    head(),
    player("101"),
    player("9"),
    opening("101", rating="1712.50", games=48),
    opening("9", rating="1500", games=20),
    section(
        entries=[{"player": "101"}, {"player": "9"}],
        games=[game("101", "9", "0-1"), game("9", "101", "1-0", 2)],
    ),
    rated(),
    line("list", on="2024-04-01"),
]
JOURNAL = "".join(f"{each}\n" for each in OFFICE).encode()
WHOLE = b"".join(with_end(OFFICE))


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "office.ndjson"
    path.write_bytes(WHOLE)
    return path


@pytest.fixture
def _invented() -> Iterator[None]:
    with invented_federations():
        yield


def command(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "ratings.replay", *arguments], input=given, capture_output=True, check=False
    )


def test_the_answer_says_whose_it_is_of_which_day_and_of_which_bytes() -> None:
    found = replay(JOURNAL)
    assert list(found) == ["federation", "as_of", "journal_sha256", "ratings"]
    assert found["federation"] == "csa"
    assert found["as_of"] == "2024-04-01"
    assert found["journal_sha256"] == sha256(JOURNAL).hexdigest()


def test_ratings_stand_by_player_in_code_points_then_by_track() -> None:
    rows = [(row["player"], row["track"]) for row in replay(JOURNAL)["ratings"]]
    assert rows == sorted(rows)
    assert rows[0][0] == "101"
    assert len(rows) == len(set(rows)) == 8


def test_a_row_is_as_the_page_says() -> None:
    row = replay(JOURNAL, date(2020, 6, 30))["ratings"][0]
    assert json.dumps(row, separators=(",", ":")) == (
        '{"player":"101","track":"otb-main","status":"rated","rating":"1712.5","pending":"0","games":48,"listed":true}'
    )


def test_csa_67_changes_are_pending_until_the_list() -> None:
    def row(as_of: date) -> dict[str, str]:
        found = replay(JOURNAL, as_of)["ratings"]
        return next(row for row in found if (row["player"], row["track"]) == ("9", "otb-main"))

    assert row(date(2024, 3, 9))["rating"] == "1500"
    assert row(date(2024, 3, 9))["pending"] != "0"
    assert row(date(2024, 4, 1))["rating"] != "1500"
    assert row(date(2024, 4, 1))["pending"] == "0"


def test_the_day_asked_for_is_the_day_answered_and_the_bytes_are_all_of_them() -> None:
    found = replay(JOURNAL, date(2024, 3, 20))
    assert found["as_of"] == "2024-03-20"
    assert found["journal_sha256"] == sha256(JOURNAL).hexdigest()


def test_before_the_first_fact_nobody_is_rated() -> None:
    assert replay(JOURNAL, date(2020, 6, 29))["ratings"] == []


def test_a_journal_without_days_is_answered_for_no_day() -> None:
    found = replay("\n".join(a_and_b()).encode())
    assert (found["as_of"], found["ratings"]) == (None, [])


def test_d2_unrated_is_as_if_never_rated() -> None:
    before, after = OFFICE[:5], OFFICE[7:]
    cancelled = [*OFFICE[:7], unrated(on="2024-03-12"), *after]
    never = [*before, *after]
    assert replay("\n".join(cancelled).encode())["ratings"] == replay("\n".join(never).encode())["ratings"]


@pytest.mark.usefixtures("_invented")
def test_a_rulesets_tables_stand_beside_the_ratings() -> None:
    lines = [*a_and_b("dots"), section(ruleset="dots", games=[game("a", "b")] * 2), rated()]
    found = replay("\n".join(lines).encode(), date(2024, 5, 1))
    assert found["best"] == [{"on": "2024-05-01", "points": ["2.5", "2.5"]}]
    assert found["ratings"][0] == {
        "player": "a",
        "track": "points",
        "status": "rated",
        "rating": "2.5",
        "games": 2,
        "listed": True,
    }


def test_a_path_and_its_bytes_give_the_same(journal: Path) -> None:
    assert replay(journal) == replay(str(journal)) == replay(WHOLE)


def test_a_carriage_return_ends_no_line() -> None:
    with pytest.raises(JournalError, match="line 1: the line has a carriage return"):
        replay(JOURNAL.replace(b"\n", b"\r\n"))


def test_the_command_prints_the_answer_in_one_line(journal: Path) -> None:
    done = command(str(journal), "--as-of", "2024-03-09")
    assert (done.returncode, done.stderr) == (0, b"")
    expected = json.dumps(replay(WHOLE, date(2024, 3, 9)), ensure_ascii=False, separators=(",", ":"))
    assert done.stdout == expected.encode() + b"\n"


def test_the_command_reads_standard_input() -> None:
    done = command("-", given=JOURNAL)
    assert json.loads(done.stdout) == replay(JOURNAL)


def test_an_end_line_changes_no_answer(journal: Path) -> None:
    without, below = command("-", given=JOURNAL), command("-", given=WHOLE)
    assert without.stdout == below.stdout
    assert (without.stderr, below.stderr) == (b"", b"")


def test_the_command_reads_the_end_line_beside_a_file_and_refuses_a_file_that_was_cut(tmp_path: Path) -> None:
    file = tmp_path / "journal.ndjson"
    *lines, end = WHOLE.splitlines(keepends=True)
    file.with_name("journal.ndjson.end").write_bytes(end)
    file.write_bytes(b"".join(lines))
    assert command(str(file)).returncode == 0
    file.write_bytes(b"".join(lines[:-1]))
    cut = command(str(file))
    assert (cut.returncode, cut.stdout) == (1, b"")
    assert b"the end line is not that of the" in cut.stderr


@pytest.mark.parametrize("line", range(1, 8))
def test_a_whole_journal_with_a_line_taken_out_is_malformed(line: int) -> None:
    lines = WHOLE.splitlines(keepends=True)
    with pytest.raises(JournalError, match="the end line is not that of the 7 lines above it"):
        replay(b"".join(lines[:line] + lines[line + 1 :]))


def test_the_command_tells_what_is_malformed_by_line_and_answers_1() -> None:
    done = command("-", given=JOURNAL + b'{"fact":"list","on":"1999-01-01"}\n\n')
    assert done.returncode == 1
    assert done.stdout == b""
    assert [told.split(b": ")[0] for told in done.stderr.splitlines()] == [b"line 9", b"line 10"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-", "--as-of", "yesterday"], "'yesterday' is not a day: write YYYY-MM-DD"),
        (["-", "--as-of", "20240401"], "'20240401' is not a day"),
        (["-", "--as-of", "2024-02-30"], "'2024-02-30' is not a day"),
        ([], "JOURNAL"),
    ],
)
def test_the_command_answers_2_to_what_it_does_not_understand(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert words in capsys.readouterr().err


def test_the_command_answers_2_where_there_is_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "nothing")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_the_core_runs_without_django() -> None:
    program = (
        "import sys; sys.modules['django'] = None\n"
        "from ratings.replay import replay\n"
        "replay(sys.stdin.buffer.read())\n"
        "print(sorted(name for name in sys.modules if name.split('.')[0] in {'django', 'celery', 'players'}))"
    )
    done = subprocess.run([sys.executable, "-c", program], input=JOURNAL, capture_output=True, check=True)
    assert done.stdout.strip() == b"['django']"


# ------------------------------------------------------------------------------- by lines


def test_through_reads_the_first_lines_whatever_their_days() -> None:
    found = replay(JOURNAL, through=7)
    assert found["as_of"] == "2024-03-09"
    assert found["ratings"] == replay("\n".join(OFFICE[:7]).encode())["ratings"]
    assert found["journal_sha256"] == sha256(JOURNAL).hexdigest()
    same_day = [*OFFICE, section("E/B", players="9", entries=[{"player": "9"}]), rated("E/B", "2024-04-01")]
    written = "\n".join(same_day).encode()
    assert len(replay(written, through=8)["ratings"]) == len(replay(written)["ratings"])


def test_through_a_line_above_every_day_answers_for_no_day() -> None:
    assert (replay(JOURNAL, through=3)["as_of"], replay(JOURNAL, through=3)["ratings"]) == (None, [])


def test_a_lists_bytes_are_its_rows_each_with_its_line_feed() -> None:
    bytes_ = get_list_bytes(JOURNAL, "otb-main", 8)
    rows = [row for row in replay(JOURNAL)["ratings"] if row["track"] == "otb-main" and row["listed"]]
    rows.sort(key=lambda row: -Decimal(row["rating"]))
    assert bytes_.decode() == "".join(f"{row['player']},{row['rating']},{row['games']}\n" for row in rows)


def test_a_track_in_which_nobody_stands_gives_no_bytes() -> None:
    assert get_list_bytes(JOURNAL, "ol-blitz", 8) == b""


def test_the_command_prints_a_lists_bytes_and_nothing_else(journal: Path) -> None:
    done = command(str(journal), "--through", "8", "--list", "otb-main")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == get_list_bytes(JOURNAL, "otb-main", 8)
    assert command(str(journal), "--list", "otb-main").stdout == done.stdout
    assert command("-", "--list", "ol-blitz", given=JOURNAL).stdout == b""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--through", "0"], "there is no line 0: the journal has 8"),
        (["--through", "9"], "there is no line 9: the journal has 8"),
        (["--through", "-1"], "there is no line -1"),
        (["--through", "9", "--list", "otb-main"], "there is no line 9"),
        (["--through", "7", "--list", "otb-main"], "line 7 publishes no list"),
        (["--through", "8", "--list", "otb"], "'otb' is no track of this journal; there are: otb-main"),
    ],
)
def test_the_command_answers_2_to_what_the_journal_does_not_have(
    journal: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(journal), *arguments]) == 2
    told = capsys.readouterr()
    assert (words in told.err, told.out) == (True, "")


@pytest.mark.parametrize("by_lines", [["--through", "8"], ["--list", "otb-main"], ["--through", "0"]])
def test_the_command_goes_by_days_or_by_lines(
    by_lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["-", "--as-of", "2024-04-01", *by_lines])
    assert stopped.value.code == 2
    assert "--as-of goes by days" in capsys.readouterr().err


ANSWERED = {"ssdc": {"ranks"}, "pfo": {"seasons"}}
"""What a replay answers beside ratings, by the ruleset (docs/journal.md)."""


@pytest.mark.parametrize("slug", sorted(rulesets()))
def test_a_replay_answers_what_the_contract_names_and_nothing_else(slug: str) -> None:
    folder = Path(__file__).parents[1] / "rulesets" / slug / "examples"
    for example in sorted(folder.glob("*.ndjson")):
        answered = {"federation", "as_of", "journal_sha256", "ratings", *ANSWERED.get(slug, ())}
        assert set(replay(example)) <= answered, example
