"""`python -m ratings.lab`: a draft beside the law, and how it refuses."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from ratings import lab
from ratings.replay import replay
from ratings.rulesets import rulesets
from ratings.rulesets.drafts import Draft, apply_draft, read_draft
from ratings.rulesets.facts import ListClosing, Opening, Placed, Player, RatedSection
from ratings.rulesets.journal_lines import plain
from ratings.rulesets.ruleset import Ruleset
from ratings.tests import csa_record, piskvorky_record, ssdc_record
from ratings.tests.journals import journal_of
from ratings.tests.strategies import record, seeds

every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
CSA, SSDC, PISKVORKY = (rulesets()[slug] for slug in ("csa", "ssdc", "piskvorky"))


def run(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    journal: bytes,
    draft: str,
    *arguments: str,
) -> tuple[int, str, str]:
    """The lab's exit status, and what it says."""
    (folder / "journal.ndjson").write_bytes(journal)
    (folder / "draft.toml").write_text(draft, encoding="utf-8")
    status = lab.main([str(folder / "journal.ndjson"), str(folder / "draft.toml"), *arguments])
    return status, *capsys.readouterr()


def draft_of(ruleset: Ruleset, **parameters: str) -> str:
    lines = [f'"{key}" = "{value}"' for key, value in parameters.items()]
    return "\n".join([f'ruleset = "{ruleset.slug}"', 'name = "a draft"', "[parameters]", *lines])


def compared(ruleset: Ruleset, journal: bytes, **parameters: Any) -> dict[str, Any]:
    """The comparison of a draft with the law over a journal."""
    case = lab.read_case(journal.splitlines(keepends=True))
    other = apply_draft(Draft(ruleset.slug, "a draft", parameters=parameters))
    law, draft = (lab.measure(each, case.facts, case.day) for each in (ruleset, other))
    return lab.compare(law, draft, case.names, 10)


def sides(found: Any) -> Iterator[tuple[Any, Any]]:
    """Each measure of the law with that of the draft."""
    if isinstance(found, dict):
        if {"law", "draft"} <= found.keys():
            yield found["law"], found["draft"]
        for each in found.values():
            yield from sides(each)
    elif isinstance(found, list):
        for each in found:
            yield from sides(each)


# ---------------------------------------------------------------- nothing changed, and one number


@every_ruleset
def test_under_a_draft_equal_to_the_law_nobody_moves_and_every_measure_is_equal(ruleset: Ruleset) -> None:
    found = compared(ruleset, journal_of(ruleset, record(ruleset, 1, sections=14)))
    assert found["tracks"]
    for track in found["tracks"].values():
        assert (track["moved"], track["first_ratings"]["otherwise"]) == (0, 0)
        assert (track["up"], track["down"], track["list"]["gained"]) == ([], [], 0)
        assert set(track["changes"].values()) <= {"0"}
        more = [row["difference"] for row in track["prediction"]["rows"] if row["difference"]]
        assert {each for interval in more for each in interval} <= {0, None}
    assert all(law == draft for law, draft in sides(found))
    assert all(table["otherwise"] == {"law": 0, "draft": 0} for table in found["tables"])


@pytest.mark.parametrize(
    ("slug", "key", "value"),
    [
        ("csa", "30.1.standard", Decimal(20)),
        ("ssdc", "1.4.2.new", Decimal(32)),
        ("pfo", "13.share", Decimal(0)),
        ("piskvorky", "5.span", 300),
        ("mahjong", "5.absence", Decimal("0.2")),
    ],
)
def test_a_draft_gives_digit_for_digit_what_the_law_gives_with_its_number(
    slug: str, key: str, value: Any
) -> None:
    ruleset = rulesets()[slug]
    journal = journal_of(ruleset, record(ruleset, 5, sections=14))
    case = lab.read_case(journal.splitlines(keepends=True))
    amended = apply_draft(Draft(slug, "a draft", parameters={key: value}))
    *_, state = (state for _fact, _changes, state in amended.fold(case.facts))
    rules = amended.newest.rules
    expected = {
        (row.player, row.track): row.rating
        for row in rules.answers(state, case.day)
        if row.rating is not None
    }
    tracks = lab.measure(amended, case.facts, case.day).tracks
    assert {
        (player, code): rating for code, track in tracks.items() for player, rating in track.ratings.items()
    } == expected
    law = {
        (row["player"], row["track"]): row["rating"] for row in replay(journal)["ratings"] if row["rating"]
    }
    moved = sum(law.get(key) != plain(rating) for key, rating in expected.items())
    found = compared(ruleset, journal, **{key: value})
    assert sum(track["moved"] for track in found["tracks"].values()) == moved > 0


# ---------------------------------------------------------------- by hand, from the page's own words

CSA_CASES = (  # 29, 35, 37: 20 x (score - expected); expected is 0.541767 and 0.001164 a point
    ("1500", "1500", "1-0", "1509.16466", "1490.83534"),
    ("1500", "1500", "0-1", "1489.16466", "1510.83534"),
    ("1500", "1500", "1/2", "1499.16466", "1500.83534"),
    ("1600", "1500", "1-0", "1606.83666", "1493.16334"),
    ("1600", "1500", "0-1", "1586.83666", "1513.16334"),
    ("1500", "1600", "1-0", "1511.49266", "1588.50734"),
    ("1890", "1500", "0-1", "1870.08546", "1519.91454"),  # 38: 390 is the most
    ("1900", "1500", "0-1", "1880.08546", "1519.91454"),
    ("1500", "1960", "1-0", "1519.87346", "1940.12654"),  # 38: -460 is the least
    ("1500", "1970", "1-0", "1519.87346", "1950.12654"),
)
SSDC_CASES = (  # 1.4.2: 24 x (score - expected) for whom neither 40 nor 10 holds
    ("1200", "1200", "1-0", "1212", "1188"),
    ("1200", "1200", "0-1", "1188", "1212"),
    ("1200", "1200", "1/2", "1200", "1200"),
    ("1600", "1200", "1-0", "1602.181818", "1197.818182"),  # 24 / 11
    ("1600", "1200", "0-1", "1578.181818", "1221.818182"),
    ("1600", "1200", "1/2", "1590.181818", "1209.818182"),
    ("2000", "1200", "1-0", "2000.237624", "1199.762376"),  # 24 / 101
    ("1200", "2000", "1-0", "1223.762376", "1976.237624"),
    ("2399", "2399", "1-0", "2411", "2387"),
    ("2400", "2400", "1-0", "2405", "2395"),  # from 2400 on K is 10
)
PISKVORKY_CASES = (  # 7: the higher rated, or an equal, wins 20 up to a difference of 10
    ("1600", "1600", "1-0", "1620", "1580"),
    ("1600", "1600", "0-1", "1580", "1620"),
    ("1600", "1600", "1/2", "1600", "1600"),
    ("1610", "1600", "1-0", "1630", "1580"),
    ("1600", "1610", "0-1", "1580", "1630"),
    ("1600", "1610", "1-0", "1616", "1594"),  # the lower rated wins 16
    ("1610", "1600", "1/2", "1610", "1600"),
    ("1611", "1600", "1-0", "1626", "1585"),  # the next row: 15
    ("1600", "1611", "1-0", "1617", "1594"),  # and 17
    ("1611", "1600", "1/2", "1610", "1601"),  # a draw moves 1 there
)


@pytest.mark.parametrize(
    ("ruleset", "kit", "track", "key", "value", "cases"),
    [
        (CSA, csa_record, "otb-standard", "30.1.standard", Decimal(20), CSA_CASES),
        (SSDC, ssdc_record, "classic", "1.4.2.usual", Decimal(24), SSDC_CASES),
        (PISKVORKY, piskvorky_record, "rating", "7.points.1.2", 20, PISKVORKY_CASES),
    ],
    ids=["csa", "ssdc", "piskvorky"],
)
def test_one_number_changed_gives_what_a_pencil_gives(
    ruleset: Ruleset, kit: Any, track: str, key: str, value: Any, cases: tuple[tuple[str, ...], ...]
) -> None:
    found = compared(ruleset, pairs_journal(ruleset, kit, track, cases), **{key: value})
    ratings = found["tracks"][track]["ratings"]
    for number, (_first, _second, _result, *expected) in enumerate(cases):
        assert [ratings[f"{side}{number}"]["draft"] for side in "AB"] == expected


def pairs_journal(ruleset: Ruleset, kit: Any, track: str, cases: tuple[tuple[str, ...], ...]) -> bytes:
    """A section in which A0 plays B0, A1 plays B1 and so on, each with a rating from before, and a list."""
    before = date(2010, 1, 1) if ruleset is PISKVORKY else date(2020, 6, 30)
    ratings = [(f"{side}{at}", case[side == "B"]) for at, case in enumerate(cases) for side in "AB"]
    section = kit.section_of("\n".join(f"1 A{at} {case[2]} B{at}" for at, case in enumerate(cases)))
    people = {name: Player(name, name, nation="RSA") for name, _rating in ratings}
    openings = [Opening(name, track, Decimal(rating), 30, before, "a list") for name, rating in ratings]
    facts: list[Any] = [Placed(number, opening) for number, opening in enumerate(openings, start=1)]
    facts.append(RatedSection(90, section.ends, section, people))
    facts.append(Placed(91, ListClosing(section.ends)))
    return journal_of(ruleset, facts)


# ---------------------------------------------------------------- points, predictions, health


@pytest.mark.parametrize("slug", ["csa", "ssdc", "pfo", "piskvorky"])
@given(seed=seeds)
@settings(max_examples=5)
def test_the_points_of_all_clauses_are_what_all_ratings_have_together(slug: str, seed: int) -> None:
    ruleset = rulesets()[slug]
    found = replay(journal := journal_of(ruleset, record(ruleset, seed)))
    together: dict[str, float] = defaultdict(float)
    for row in found["ratings"]:
        if row["rating"] is not None:
            together[row["track"]] += float(row["rating"]) + float(row.get("pending", 0))
    case = lab.read_case(journal.splitlines(keepends=True))
    for code, track in lab.measure(ruleset, case.facts, case.day).tracks.items():
        points = sum(sum(years.values()) for years in track.points.values())
        assert points == pytest.approx(together[code], abs=0.001)


def prediction(found: dict[str, Any], track: str, by: str = "all") -> dict[str, Any]:
    rows = found["tracks"][track]["prediction"]["rows"]
    return {row["group"]: row["law"] for row in rows if row["by"] == by}


def test_the_error_is_the_mean_of_squared_differences_of_score_and_expected_score() -> None:
    cases = (("1200", "1200", "1-0"), ("1600", "1200", "0-1"), ("2000", "1200", "1/2"))
    found = prediction(compared(SSDC, pairs_journal(SSDC, ssdc_record, "classic", cases)), "classic")
    expected = [0.5, 10 / 11, 100 / 101]
    squares = [(score - each) ** 2 for score, each in zip((1, 0, 0.5), expected, strict=True)]
    row = found[""]
    assert (row["games"], row["scored"]) == (3, 0.5)
    assert row["expected"] == pytest.approx(sum(expected) / 3, abs=1e-6)
    assert row["error"][0] == pytest.approx(sum(squares) / 3, abs=1e-6)


def test_a_game_is_told_by_difference_and_each_side_by_class() -> None:
    cases = (("1250", "1200", "1-0"), ("1200", "1250", "1-0"), ("2000", "1000", "1-0"))
    found = compared(SSDC, pairs_journal(SSDC, ssdc_record, "classic", cases))
    assert {group: row["games"] for group, row in prediction(found, "classic", "difference").items()} == {
        "-100..0": 1,
        "0..100": 1,
        "500..": 1,
    }
    classes = prediction(found, "classic", "class")
    assert {group: row["games"] for group, row in classes.items()} == {
        "1000..1200": 1,
        "1200..1400": 4,
        "2000..2200": 1,
    }
    assert prediction(found, "classic", "games")["regulars"]["games"] == 6


def test_the_tables_of_pfo_and_piskvorky_imply_the_score_at_which_a_game_moves_nothing() -> None:
    pfo, piskvorky = (rulesets()[slug].newest.rules for slug in ("pfo", "piskvorky"))
    assert pfo.expected_score(1400, 1400) == pfo.expected_score(1460, 1400) == 0.5
    assert pfo.expected_score(1461, 1400) == pytest.approx(12 / 21)
    assert pfo.expected_score(1400, 1461) == pytest.approx(9 / 21)
    assert pfo.expected_score(1701, 1400) == pytest.approx(25 / 32)
    assert piskvorky.expected_score(Decimal(1610), Decimal(1600)) == 0.5
    assert piskvorky.expected_score(Decimal(1611), Decimal(1600)) == pytest.approx(17 / 32)
    assert piskvorky.expected_score(Decimal(1600), Decimal(1611)) == pytest.approx(15 / 32)
    assert piskvorky.expected_score(Decimal(3000), Decimal(1600)) == 1


def test_mahjong_counts_the_pairs_whose_order_the_ratings_had_wrong() -> None:
    mahjong = rulesets()["mahjong"]
    facts = record(mahjong, 3, sections=12)
    rows = compared(mahjong, journal_of(mahjong, facts))["tracks"]["rating"]["prediction"]["rows"]
    row = next(row["law"] for row in rows if row["by"] == "all")
    assert row["games"]
    assert 0 <= row["error"][0] <= 1
    assert {each["group"].count("..") for each in rows if each["by"] == "difference"} <= {1}


def test_inflation_is_of_those_who_played_in_both_years() -> None:
    games = {2021: "1 Ada 1-0 Boris", 2022: "1 Ada 1-0 Boris\n2 Clara 1-0 Boris"}
    facts = []
    for year, played in games.items():
        section = ssdc_record.section_of(
            played, id=f"{year}/A", starts=date(year, 5, 1), ends=date(year, 5, 1)
        )
        people = {entry.player: Player(entry.player, entry.player) for entry in section.entries}
        facts.append(RatedSection(year, section.ends, section, people))
    track = compared(SSDC, journal_of(SSDC, facts))["tracks"]["classic"]
    (row,) = track["inflation"]
    ratings = {each: float(row["law"]) for each, row in track["ratings"].items()}
    change = (ratings["Ada"] + ratings["Boris"] - 1220 - 1180) / 2
    assert (row["year"], row["law"]["players"]) == (2022, 2)
    assert row["law"]["change"] == row["law"]["total"] == pytest.approx(change, abs=1e-6)
    health = {(each["year"], each["group"]): each["law"] for each in track["health"]}
    assert health[2021, "all"] == {"players": 2, "mean": 1200.0, "spread": 20.0}
    assert health[2022, "newcomers"]["players"] == 3


def test_an_interval_holds_its_value_and_is_the_same_every_time() -> None:
    lots = {lot: [10.0, 1.0 + lot % 5, 5.0, 5.0] for lot in range(lab.LOTS)}
    found = lab.mean_errors(lots)
    assert found
    value, low, high = found.interval
    assert low < value < high
    assert found == lab.mean_errors(lots)
    assert found.less(found).interval == (0, 0, 0)


def test_csa_47_the_season_has_the_performances_of_the_last_year_that_count() -> None:
    facts: list[Any] = []
    for year, rounds in ((2023, 1), (2024, 1), (2024, 2)):
        section = csa_record.section_of("1 Ada 1-0 Boris", id=f"{year}-{rounds}/A", rounds=rounds)
        section = replace(section, starts=date(year, rounds, 1), ends=date(year, rounds, 1))
        people = {entry.player: Player(entry.player, entry.player, nation="RSA") for entry in section.entries}
        facts.append(RatedSection(10 * year + rounds, section.ends, section, people))
    season = compared(CSA, journal_of(CSA, facts))["tracks"]
    assert season == {}  # nobody has a rating yet
    case = lab.read_case(journal_of(CSA, facts).splitlines(keepends=True))
    found = lab.measure(CSA, case.facts, case.day).tracks["otb-main"].season
    assert found == {"Ada": [1, 1625.0], "Boris": [1, 775.0]}  # 32: 1200 and 425, 1200 less 425


def test_changes_are_counted_in_round_steps_and_who_stays_is_in_none() -> None:
    changes = [Decimal(each) for each in ("-3", "-0.5", "0.5", "19.9", "20")]
    rows = [(row["from"], row["to"], row["players"]) for row in lab.distribution(changes)]
    assert rows[:3] == [("-4", "-2", 1), ("-2", "0", 1), ("0", "2", 1)]
    assert rows[-2:] == [("18", "20", 1), ("20", "22", 1)]
    assert lab.distribution([]) == []


# ---------------------------------------------------------------- the command

JOURNAL = pairs_journal(SSDC, ssdc_record, "classic", SSDC_CASES)
USUAL = {"1.4.2.usual": "24"}


def test_json_has_players_and_moved_of_each_track(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, said, complaint = run(tmp_path, capsys, JOURNAL, draft_of(SSDC, **USUAL), "--json")
    assert (status, complaint) == (0, "")
    found = json.loads(said)
    assert (found["tracks"]["classic"]["players"], found["tracks"]["classic"]["moved"]) == (20, 16)
    assert found["draft"]["parameters"] == {"1.4.2.usual": "24"}
    assert found["definitions"].keys() >= {"moved", "error", "interval", "inflation"}


def test_as_text_names_stand_as_published(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, said, _complaint = run(tmp_path, capsys, JOURNAL, draft_of(SSDC, **USUAL), "--top", "1")
    assert status == 0
    assert "classic: 16 of 20 players moved" in said
    assert "A8" in said


def test_one_player_is_shown_by_both_laws_with_both_workings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    terms = (tmp_path, capsys, JOURNAL, draft_of(SSDC, **USUAL), "--player", "A0")
    _status, said, _complaint = run(*terms)
    assert "K is 20" in said
    assert "K is 24" in said
    track = json.loads(run(*terms, "--json")[1])["tracks"]["classic"]
    assert (track["law"], track["draft"]) == ("1210", "1212")
    assert [event["law"]["rating"] for event in track["events"]] == ["1200", "1210"]


def test_a_draft_from_a_day_leaves_what_began_before_it_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for day, moved in (("2024-03-01", 16), ("2024-03-02", 0)):
        draft = f"from = {day}\n{draft_of(SSDC, **USUAL)}"
        found = json.loads(run(tmp_path, capsys, JOURNAL, draft, "--json")[1])
        assert found["tracks"]["classic"]["moved"] == moved


@pytest.mark.parametrize(
    ("journal", "draft", "arguments", "status", "words"),
    [
        (b"{}\n", draft_of(SSDC), (), 1, "line 1"),
        (JOURNAL, draft_of(CSA), (), 2, "the draft is of csa, and the journal's ruleset is ssdc"),
        (JOURNAL, "ruleset =", (), 2, "draft.toml: "),
        (JOURNAL, draft_of(SSDC, **{"30.1": "24"}), (), 2, "30.1"),
        (JOURNAL, draft_of(SSDC, **{"1.4.1.scale": "0"}), (), 2, "the rules fail at line"),
        (JOURNAL, draft_of(SSDC), ("--player", "Zoe"), 2, "there is no player Zoe"),
        (JOURNAL, draft_of(SSDC), ("--sweep", "1.4.2.usual=16"), 2, "write KEY=FROM..TO/STEP"),
        (JOURNAL, draft_of(SSDC), ("--sweep", "1.4.2.usual=1..2/0"), 2, "write KEY=FROM..TO/STEP"),
        (JOURNAL, draft_of(SSDC), ("--sweep", "99.k=16..20"), 2, "99.k"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_words(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    journal: bytes,
    draft: str,
    arguments: tuple[str, ...],
    status: int,
    words: str,
) -> None:
    found, said, complaint = run(tmp_path, capsys, journal, draft, *arguments)
    assert (found, said) == (status, "")
    assert words in complaint


def test_a_draft_s_own_code_runs_only_with_trust(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = "open('ran', 'w').close()\nK['usual'] = Decimal(24)\n"
    (tmp_path / "k.py").write_text(code.replace("ran", str(tmp_path / "ran")))
    draft = 'ruleset = "ssdc"\nname = "K"\nrules = "k.py"'
    status, said, complaint = run(tmp_path, capsys, JOURNAL, draft)
    assert (status, said) == (2, "")
    assert "only where you say that you trust them" in complaint
    assert not (tmp_path / "ran").exists()
    status, said, _complaint = run(tmp_path, capsys, JOURNAL, draft, "--trust", "--json")
    assert (status, json.loads(said)["tracks"]["classic"]["moved"]) == (0, 16)
    assert (tmp_path / "ran").exists()


def test_a_missing_file_and_a_journal_of_a_former_form_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    former = JOURNAL.replace(b'"form":3', b'"form":2')
    status, _said, complaint = run(tmp_path, capsys, former, draft_of(SSDC))
    assert (status, "0.1.0rc1" in complaint) == (1, True)
    assert lab.main([str(tmp_path / "journal.ndjson"), str(tmp_path / "none.toml")]) == 2
    assert f"{tmp_path / 'none.toml'}: No such file" in capsys.readouterr().err


def test_an_edition_is_lines_of_data_and_has_a_day(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draft = tmp_path / "draft.toml"
    numbers = {"30.1.standard": "20", "59.pre-ratings.3.2": "650"}
    draft.write_text(draft_of(CSA, **numbers), encoding="utf-8")
    assert lab.main(["--edition", str(draft)]) == 2
    assert "from" in capsys.readouterr().err
    draft.write_text(f"from = 2027-01-01\n{draft.read_text('utf-8')}", encoding="utf-8")
    assert lab.main(["--edition", str(draft)]) == 0
    said = capsys.readouterr().out
    assert '30.1.standard: (date(2027, 1, 1), Decimal("20"), "a draft"),' in said
    assert '59.pre-ratings: amended={"3.2": (Dated(date(2027, 1, 1), 650, "a draft"),)},' in said
    assert 'Amendment(date(2027, 1, 1), _("a draft"), {"30.1": _(""), "59": _("")}),' in said


@pytest.mark.parametrize(
    ("text", "values"),
    [("k=16..40/2", 13), ("k=1..3", 3), ("k=0.5..1/0.25", 3), ("k=5..5/1", 1), ("k=1..1000", 1000)],
)
def test_a_sweep_has_both_ends(text: str, values: int) -> None:
    assert len(lab.parse_sweep(text).values) == values


@pytest.mark.long
def test_a_sweep_tries_each_value_and_that_of_the_law_moves_nobody(tmp_path: Path) -> None:
    (tmp_path / "journal.ndjson").write_bytes(JOURNAL)
    command = [sys.executable, "-m", "ratings.lab", str(tmp_path / "journal.ndjson"), "--json"]
    done = subprocess.run([*command, "--sweep", "1.4.2.usual=18..22/2"], capture_output=True, check=True)
    rows = [row for row in json.loads(done.stdout)["sweep"] if row["track"] == "classic"]
    assert [(row["value"], row["moved"]) for row in rows] == [("18", 16), ("20", 0), ("22", 16)]
    assert b"3 of 3: 1.4.2.usual = 22" in done.stderr


def test_the_drafts_of_the_guide_are_drafts() -> None:
    text = (Path(lab.__file__).parents[1] / "docs/lab.md").read_text(encoding="utf-8")
    drafts = [read_draft(each) for each in re.findall(r"```toml\n(.*?)```", text, re.DOTALL)]
    assert {draft.ruleset for draft in drafts} == {"csa", "pfo", "ssdc"}
    assert all(draft.parameters for draft in drafts)


@pytest.mark.long
@pytest.mark.parametrize(
    ("journal", "sweep", "status", "words"),
    [
        (JOURNAL + b"{}\n", "1.4.2.usual=18..20/2", 1, "line 65"),
        (JOURNAL, "1.4.1.scale=0..1", 2, "the rules fail at line"),
    ],
)
def test_a_sweep_that_cannot_be_made_ends_in_words(
    tmp_path: Path, journal: bytes, sweep: str, status: int, words: str
) -> None:
    (tmp_path / "journal.ndjson").write_bytes(journal)
    command = [sys.executable, "-m", "ratings.lab", str(tmp_path / "journal.ndjson"), "--sweep", sweep]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (status, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr
