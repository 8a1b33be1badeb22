"""A federation written by `new_federation` passes the tests of all, and rates its first section at once."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from conftest import LONG_AGO
from players.appointments import create_office
from players.models import Player
from ratings import new_federation, rulesets as ratings, tests
from ratings.models import Change, Standing
from ratings.new_federation import NewFederation, NotWritten, write_federation
from ratings.rulesets import facts, rulesets
from ratings.rulesets.examples import examples_of
from ratings.rulesets.facts import PLAYED
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import Ruleset
from ratings.tests import (
    reached,
    test_every_clause,
    test_every_finding,
    test_every_office,
    test_explanations,
    test_pocket_calculator,
)
from ratings.tests.findings import cases_of
from ratings.tests.office import approved, published, register, submitted
from ratings.tests.test_every_ruleset import PROPERTIES
from ratings.verify import verify
from tournaments.models import Section

pytestmark = pytest.mark.any_database

HERE = Path(__file__).parents[2]
OURS = ("--config", 'lint.isort.known-first-party = ["ratings"]')
DRAUGHTS = NewFederation("draughts", "Society of Draughts", 2021, "IRL")


@pytest.fixture
def sources(tmp_path: Path, settings: Any) -> Path:
    """Where the command finds the folders that it writes into."""
    settings.ROOT = tmp_path
    for folder in ("rulesets", "tests"):
        (tmp_path / "ratings" / folder).mkdir(parents=True)
    return tmp_path


@pytest.fixture
def draughts(sources: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ruleset]:
    """What the command wrote, laid beside the others."""
    call_command(
        "new_federation", "draughts", name=DRAUGHTS.name, country="IRL", since=2021, time_zone="Europe/Dublin"
    )
    written = sources / "ratings"
    for package, folder in ((ratings, "rulesets"), (tests, "tests")):
        monkeypatch.setattr(package, "__path__", [str(written / folder), *package.__path__])
    monkeypatch.setattr(reached, "PACKAGE", written / "rulesets")
    rulesets.cache_clear()
    yield rulesets()["draughts"]
    monkeypatch.undo()
    rulesets.cache_clear()
    for module in [name for name in sys.modules if "draughts" in name]:
        sys.modules.pop(module)


def files_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


# ---------------------------------------------------------------- what is written


def test_there_is_a_file_of_each_template_and_nothing_beside_them(sources: Path) -> None:
    written = write_federation(DRAUGHTS, sources)
    assert [path.relative_to(sources).as_posix() for path in written] == [
        "ratings/rulesets/draughts",
        "ratings/tests/test_draughts_examples.py",
        "ratings/tests/draughts_cases.py",
    ]
    there = files_in(sources)
    assert len(there) == len(list(new_federation.templates()))
    assert "ratings/rulesets/draughts/edition_2021.py" in there
    assert not [name for name in there if "SLUG" in name or "YEAR" in name or name.endswith(".tmpl")]
    assert not [name for name in there if "$" in (sources / name).read_text("utf-8")]


@pytest.mark.parametrize(
    "wanted",
    [
        NewFederation("go", "Go", 2021),
        NewFederation(
            "abcdefghijklmnopqrst", "A name of as many characters as a name here may ever have 60", 1999
        ),
    ],
    ids=["shortest", "longest"],
)
def test_it_is_laid_out_as_everything_here(sources: Path, wanted: NewFederation) -> None:
    write_federation(wanted, sources)
    shutil.copy(HERE / "pyproject.toml", sources)
    for asked in (("format", "--check"), ("check", *OURS)):
        command = [sys.executable, "-m", "ruff", *asked, "--no-cache", "."]
        done = subprocess.run(command, cwd=sources, capture_output=True, text=True)
        if "No module named ruff" in done.stderr:
            pytest.skip("the formatter is not installed")
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("number", ["1500", "400", "20"])
def test_each_number_stands_once(sources: Path, number: str) -> None:
    folder = write_federation(DRAUGHTS, sources)[0]
    lines = [line for path in folder.rglob("*.py") for line in path.read_text("utf-8").splitlines()]
    words = [line for line in lines if number in re.split(r"[(), ]", line)]
    assert len(words) == 1
    assert "parameter(" in words[0]


# ---------------------------------------------------------------- what holds for it


@pytest.mark.parametrize("holds", PROPERTIES, ids=lambda holds: holds.__name__)
def test_what_holds_for_every_ruleset_holds_for_it(holds: Any, draughts: Ruleset) -> None:
    for seed in range(8):
        holds.hypothesis.inner_test(ruleset=draughts, seed=seed)


@pytest.mark.parametrize(
    "holds",
    [
        test_every_clause.test_the_index_holds_each_clause_of_the_text_and_no_other,
        test_every_clause.test_each_clause_is_carried_out_by_what_is_reached_or_said_not_to_be_with_a_reason,
        test_every_clause.test_what_is_told_beside_a_clause_is_told_beside_one_of_the_index,
        test_every_clause.test_each_citation_is_of_a_clause_or_of_a_whole_part_of_the_text,
        test_every_finding.test_no_finding_lacks_a_case_and_no_case_is_of_a_finding_that_is_no_more,
        test_every_finding.test_each_finding_that_the_code_names_has_words_and_all_words_are_named,
        test_explanations.test_each_reading_answers_a_question_and_each_question_has_its_reading,
        test_explanations.test_each_edition_has_its_numbers_under_clauses_that_there_are,
        test_pocket_calculator.test_each_printed_sum_gives_its_printed_result,
        test_pocket_calculator.test_each_working_opens_with_a_sentence_whose_last_number_is_where_it_led,
    ],
    ids=lambda holds: holds.__name__.removeprefix("test_"),
)
def test_its_clauses_findings_and_workings_are_whole(holds: Any, draughts: Ruleset) -> None:
    holds(draughts)


def test_its_finding_is_provoked_and_its_neighbour_is_without_it(draughts: Ruleset) -> None:
    [(key, case)] = cases_of(draughts).items()
    test_every_finding.test_each_finding_is_provoked_and_its_nearest_neighbour_is_without_it(
        draughts, key, case
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    "holds",
    [
        test_every_office.test_an_imported_journal_is_exported_byte_for_byte_and_stands_as_replayed,
        test_every_office.test_un_rating_and_rating_again_are_replays,
        test_every_office.test_a_published_list_is_the_ruleset_s_own_of_that_day,
        test_every_office.test_the_replay_of_an_office_is_json_of_the_page_s_keys,
    ],
    ids=lambda holds: holds.__name__.removeprefix("test_"),
)
def test_what_holds_for_every_office_holds_for_its_own(holds: Any, draughts: Ruleset) -> None:
    holds(draughts)


# ---------------------------------------------------------------- its first section


@pytest.mark.django_db
def test_its_office_rates_a_first_section_that_everybody_can_follow(
    draughts: Ruleset, client: Client
) -> None:
    office = create_office(ruleset_slug="draughts", official_email="decides@draughts.example", on=LONG_AGO)
    people = register(office, 4)
    section = submitted(office, people, rounds=3)
    approved(section)
    scores = points_of(section)
    rated = dict(Standing.objects.values_list("player__number", "rating"))
    assert rated == {number: 1500 + 20 * (score - Decimal("1.5")) for number, score in scores.items()}  # §4
    [drawn_up] = published(office, section.ends + timedelta(days=9))
    assert verify(office).differences == []
    page = client.get(drawn_up.get_absolute_url()).content.decode()
    assert all(person.surname in page for person in people)
    change = Change.objects.filter(player=Player.objects.get(pk=people[0].pk)).get()
    working = client.get(f"{people[0].get_absolute_url()}rating/{change.fact.number}/").content.decode()
    assert "1 ÷ (1 + 10^((1500 − 1500) ÷ 400)) = " in working
    assert "A game moves a rating by the factor times the score less the score expected." in working


def points_of(section: Section) -> dict[str, Decimal]:
    found: dict[str, Decimal] = {}
    for game in section.games.select_related("first__player", "second__player"):
        for entry, score in zip((game.first, game.second), PLAYED[game.result], strict=True):
            assert entry is not None
            assert entry.player is not None
            number = entry.player.number
            found[number] = found.get(number, Decimal(0)) + score
    return found


@pytest.mark.django_db
def test_its_worked_example_agrees_by_test_and_before_the_reader_s_eyes(
    draughts: Ruleset, client: Client
) -> None:
    from ratings.tests import test_draughts_examples as own  # type: ignore[attr-defined]

    [journal] = own.JOURNALS
    own.test_an_example_comes_out_as_expected(journal)
    own.test_each_example_has_its_other_half()
    create_office(ruleset_slug="draughts", official_email="decides@draughts.example", on=LONG_AGO)
    [example] = examples_of(draughts)
    page = client.get(f"/draughts/regulations/{example.name}/").content.decode()
    assert page.count("as expected: ") == 5
    assert "expected was" not in page


@pytest.mark.django_db
def test_its_regulations_show_the_numbers_and_say_that_no_text_is_enacted_yet(
    draughts: Ruleset, client: Client
) -> None:
    create_office(ruleset_slug="draughts", official_email="decides@draughts.example", on=LONG_AGO)
    page = client.get("/draughts/regulations/").content.decode()
    for words in ("First rating", "1500", "Scale", "400", "Factor", "no enacted text yet", DRAUGHTS.name):
        assert words in page


def test_the_guide_s_first_section_comes_out_as_the_guide_says(draughts: Ruleset) -> None:
    guide = (HERE / "docs/new-federation.md").read_text("utf-8")
    table = re.findall(r"^    (\d);(\d);(\d);(1-0|0-1)$", guide, re.M)
    section = facts.Section(
        id="2021-001/A",
        event="Spring Open",
        name="A",
        starts=date(2021, 5, 5),
        ends=date(2021, 5, 5),
        format="round-robin",
        rounds=3,
        entries=tuple(facts.Entry(number) for number in "123"),
        games=tuple(facts.Game(int(round), *game) for round, *game in table),
    )
    people = {number: facts.Player(number, f"Player {number}") for number in "123"}
    outcome = draughts.apply(facts.State(), facts.RatedSection(1, section.ends, section, people))
    assert {str(change.after.rating) for change in outcome.changes} == {"1520", "1500", "1480"}
    assert "says 1520, 1500 and 1480" in guide


def test_its_days_are_those_of_its_zone_and_without_one_of_utc(draughts: Ruleset, sources: Path) -> None:
    assert equipment_of(draughts).office.time_zone == "Europe/Dublin"
    [folder, *_tests] = write_federation(NewFederation("checkers", "C", 2021), sources)
    assert 'Office(time_zone="UTC")' in (folder / "profile.py").read_text("utf-8")


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        (
            NewFederation("Draughts", "D", 2021),
            "“Draughts” cannot be a federation's slug. Take two to twenty letters",
        ),
        (NewFederation("d", "D", 2021), "cannot be a federation's slug"),
        (NewFederation("a" * 21, "D", 2021), "cannot be a federation's slug"),
        (NewFederation("irish-draughts", "D", 2021), "cannot be a federation's slug"),
        (NewFederation("../draughts", "D", 2021), "cannot be a federation's slug"),
        (NewFederation("class", "D", 2021), "no word of Python"),
        (NewFederation("draughts", " ", 2021), "A federation's name has one to 60 characters"),
        (NewFederation("draughts", "D" * 61, 2021), "A federation's name has one to 60 characters"),
        (NewFederation("draughts", 'The "Draughts"', 2021), "no straight double quote"),
        (NewFederation("draughts", "D\nimport os", 2021), "no line break"),
        (NewFederation("draughts", "D", 2021, "Ireland"), "“Ireland” is no country here"),
        (NewFederation("draughts", "D", 2021, time_zone="Dublin"), "“Dublin” is no time zone"),
        (NewFederation("draughts", "D", 21), "21 is no year for rules to begin"),
    ],
)
def test_words_that_do_not_fit_are_refused_and_nothing_is_written(
    sources: Path, wanted: NewFederation, told: str
) -> None:
    with pytest.raises(NotWritten, match=".*".join(told.split("."))):
        write_federation(wanted, sources)
    assert files_in(sources) == []


@pytest.mark.parametrize(
    "there",
    [
        "rulesets/draughts/x",
        "rulesets/draughts.py",
        "tests/draughts_cases.py",
        "tests/test_draughts_examples.py",
    ],
)
def test_what_is_there_already_is_left_alone(sources: Path, there: str) -> None:
    place = sources / "ratings" / there
    place.parent.mkdir(exist_ok=True)
    place.write_text("mine", "utf-8")
    with pytest.raises(CommandError, match=r"“draughts” is taken: there is .* already\. Take another slug"):
        call_command("new_federation", "draughts", name="Draughts")
    assert files_in(sources) == [f"ratings/{there}"]


@pytest.mark.parametrize("slug", ["accounts", "healthz", "static"])
def test_an_address_of_the_site_is_no_slug(sources: Path, slug: str) -> None:
    with pytest.raises(CommandError, match=f"“{slug}” is an address of the site itself"):
        call_command("new_federation", slug, name="Draughts")
    assert files_in(sources) == []


@pytest.mark.parametrize("folder", ["rulesets", "tests"])
def test_a_folder_that_is_missing_is_named(sources: Path, folder: str) -> None:
    (sources / "ratings" / folder).rmdir()
    with pytest.raises(CommandError, match=f"There is no folder .*ratings/{folder}. Run this in the program"):
        call_command("new_federation", "draughts", name="Draughts")
    assert files_in(sources) == []


@pytest.mark.parametrize("fails_at", range(3))
def test_what_breaks_off_leaves_nothing_half_written(
    sources: Path, fails_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename, renamed = Path.rename, list[Path]()

    def breaking(self: Path, target: Path) -> Path:
        if len(renamed) == fails_at:
            raise OSError("no space left on device")
        renamed.append(target)
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", breaking)
    with pytest.raises(NotWritten, match="Nothing was written: no space left on device"):
        write_federation(DRAUGHTS, sources)
    assert files_in(sources) == []
    assert [each.name for each in (sources / "ratings/rulesets").iterdir()] == []


def test_rules_hold_from_five_years_back_unless_somebody_says_otherwise(sources: Path) -> None:
    call_command("new_federation", "draughts", name="Draughts")
    assert (sources / f"ratings/rulesets/draughts/edition_{date.today().year - 5}.py").is_file()
