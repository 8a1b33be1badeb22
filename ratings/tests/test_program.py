"""`ratings.pyz`: one file that needs Python alone, the same from the same sources, kept for every list."""

from __future__ import annotations

import hashlib
import json
import os
import runpy
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from datetime import date
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.test import Client

from players.models import Federation
from ratings import program as build
from ratings.check import CheckedJournal
from ratings.models import ProgramFile, RatingList
from ratings.program import Program, get_current_program
from ratings.replay import main
from ratings.rulesets import rulesets
from ratings.rulesets.journal import read_journal
from ratings.tests.ended import with_end
from ratings.tests.office import approved, published, register, submitted
from ratings.transparency_log import Checkpoint, SignedNote, Signer
from tests.built_once import built_once
from tournaments.tests.event_files import open_file

pytestmark = pytest.mark.long

EXAMPLES = {
    slug: sorted((build.ROOT / "ratings/rulesets" / slug / "examples").glob("*.ndjson"))[0]
    for slug in rulesets()
}
OFFICE_ONLY = {
    "equipment",
    "demo",
    "demo_tools",
    "files",
    "forms",
    "pages",
    "workbook",
    "examples",
}


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A folder that holds the program and nothing else."""
    folder = tmp_path / "empty"
    folder.mkdir()
    (folder / "ratings.pyz").write_bytes(get_current_program().content)
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """As a reader runs it: with nothing installed, and nothing of this machine's environment."""
    command = [sys.executable, "-I", "-S", "ratings.pyz", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, env={})


# ---------------------------------------------------------------- the file


def test_the_same_sources_give_the_same_bytes_wherever_and_whenever_they_lie(tmp_path: Path) -> None:
    copied = tmp_path / "elsewhere"
    for app in ("ratings", "tournaments"):
        shutil.copytree(build.ROOT / app, copied / app, ignore=shutil.ignore_patterns("__pycache__"))
    for path in sorted(copied.rglob("*.py"), reverse=True):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        os.utime(path, (0, 1_000_000_000))
        path.chmod(0o777)
    assert (
        build.build_program_bytes(build.read_sources(copied), get_current_program().version)
        == get_current_program().content
    )
    with zipfile.ZipFile(BytesIO(get_current_program().content)) as archive:
        members = archive.infolist()
    assert {(each.date_time, each.compress_type, each.create_system) for each in members} == {
        ((1980, 1, 1, 0, 0, 0), zipfile.ZIP_STORED, 3)
    }
    assert [each.filename for each in members] == sorted(each.filename for each in members)


def test_another_line_of_the_law_is_another_program() -> None:
    formulas = "ratings/rulesets/csa/edition_2020/formulas.py"
    amended = {**build.SOURCES_AT_START, formulas: build.SOURCES_AT_START[formulas] + b"# amended\n"}
    version = get_current_program().version
    assert build.build_program_bytes(build.SOURCES_AT_START, version) == get_current_program().content
    assert (
        Program(version, build.build_program_bytes(amended, version)).sha256 != get_current_program().sha256
    )


def test_sources_that_are_exchanged_under_a_running_process_are_not_its_program(tmp_path: Path) -> None:
    """A worker goes on with what it has loaded; so does the program that its lists name."""
    code = (
        "import django; django.setup()\n"
        "from ratings import program as build\n"
        "formulas = build.ROOT / 'ratings/rulesets/csa/edition_2020/formulas.py'\n"
        "formulas.write_bytes(b'# a later version\\n')\n"
        "print(build.get_current_program().sha256)"
    )
    for name in ("federation_site", "players", "tournaments", "ratings", "locale", "pyproject.toml"):
        source, copied = build.ROOT / name, tmp_path / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, copied)
    settings = {"DJANGO_SETTINGS_MODULE": "federation_site.settings", "VAR_DIR": str(tmp_path / "var")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | settings,
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == get_current_program().sha256, done.stderr


def test_it_holds_every_federations_law_and_nothing_that_only_an_office_needs() -> None:
    with zipfile.ZipFile(BytesIO(get_current_program().content)) as archive:
        names = archive.namelist()
    parts = {part.removesuffix(".py") for name in names for part in name.split("/")}
    assert parts & OFFICE_ONLY == set()
    assert {f"ratings/rulesets/{slug}/__init__.py" for slug in rulesets()} <= set(names)
    readers = {"tournaments/__init__.py", "tournaments/formats/__init__.py", "tournaments/formats/trf.py"}
    assert readers <= set(names)
    apart = {name for name in names if not name.startswith(("ratings/rulesets/", "tournaments/"))}
    commands = {"__main__.py", *(f"ratings/{name}.py" for name in ("check", "lab", "replay", "witness"))}
    log = {"ratings/transparency_log.py", "ratings/ed25519.py"}
    assert apart == {"ratings/VERSION", "ratings/__init__.py"} | commands | log


def test_its_name_says_version_and_checksum() -> None:
    program = Program("1.2.3", b"bytes")
    assert program.name == f"ratings-1.2.3-{hashlib.sha256(b'bytes').hexdigest()[:8]}.pyz"
    assert f'version = "{get_current_program().version}"' in (build.ROOT / "pyproject.toml").read_text()


def test_one_command_makes_it_and_names_its_checksum(tmp_path: Path) -> None:
    call_command("build_program", output=tmp_path / "ratings.pyz", stdout=(said := StringIO()))
    made = (tmp_path / "ratings.pyz").read_bytes()
    assert made == get_current_program().content
    assert said.getvalue() == f"{hashlib.sha256(made).hexdigest()}  {tmp_path / 'ratings.pyz'}\n"


# ---------------------------------------------------------------- in an empty folder


@pytest.mark.parametrize("slug", sorted(EXAMPLES))
def test_in_an_empty_folder_it_answers_what_the_office_answers(
    slug: str, empty: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    journal = empty / "journal.ndjson"
    journal.write_bytes(b"".join(with_end(EXAMPLES[slug].read_text().splitlines())))
    done = run(empty, "replay", "journal.ndjson")
    assert (done.returncode, done.stderr) == (0, b"")
    assert main([str(journal)]) == 0
    assert done.stdout == capfdbinary.readouterr().out
    assert sorted(path.name for path in empty.iterdir()) == ["journal.ndjson", "ratings.pyz"]


@pytest.mark.parametrize("slug", sorted(EXAMPLES))
def test_in_an_empty_folder_it_holds_a_journal_against_what_was_kept(slug: str, empty: Path) -> None:
    shutil.copy(EXAMPLES[slug], empty / "journal.ndjson")
    done = run(empty, "check", "journal.ndjson")
    assert (done.returncode, done.stderr, done.stdout.splitlines()[-1]) == (0, b"", b"OK")


def test_without_any_package_it_takes_the_right_key_and_refuses_a_wrong_one(empty: Path) -> None:
    lines = EXAMPLES["csa"].read_text().splitlines()
    (empty / "journal.ndjson").write_text("".join(f"{line}\n" for line in lines))
    sealed = CheckedJournal([line.encode() for line in lines], read_journal(lines), [])
    signer, other = (Signer("ratings.example.org/csa/journal", bytes([number]) * 32) for number in (1, 2))
    kept = Checkpoint(signer.name, 5, sealed.tree.root(5)).signed(signer)
    (empty / "kept.txt").write_text(str(kept))
    command = ("check", "journal.ndjson", "--since", "kept.txt", "--key")
    done = run(empty, *command, str(signer.key))
    assert (done.returncode, done.stderr, done.stdout.splitlines()[-1]) == (0, b"", b"OK")
    done = run(empty, *command, str(other.key))
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"no known key signed the note" in done.stderr
    forged = SignedNote(kept.text, (replace(kept.signatures[0], key_id=other.key.id),))
    (empty / "kept.txt").write_text(str(forged))
    assert b"is not by its key" in run(empty, *command, str(other.key)).stderr


def test_without_any_package_it_holds_a_draft_against_the_law(empty: Path) -> None:
    shutil.copy(EXAMPLES["csa"], empty / "journal.ndjson")
    draft = 'ruleset = "csa"\nname = "K of 20"\nparameters = {"30.1.standard" = "20"}\n'
    (empty / "draft.toml").write_text(draft, encoding="utf-8")
    done = run(empty, "lab", "journal.ndjson", "draft.toml", "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["tracks"]["otb-standard"]["moved"]
    (empty / "draft.toml").write_text('ruleset = "csa"\nname = "the law"\n', encoding="utf-8")
    done = run(empty, "lab", "journal.ndjson", "draft.toml", "--json")
    assert {track["moved"] for track in json.loads(done.stdout)["tracks"].values()} == {0}


@pytest.mark.long
def test_without_any_package_it_sweeps_in_all_processors(empty: Path) -> None:
    shutil.copy(EXAMPLES["csa"], empty / "journal.ndjson")
    done = run(empty, "lab", "journal.ndjson", "--json", "--sweep", "30.1.standard=22..24/2")
    assert done.returncode == 0
    assert {row["value"] for row in json.loads(done.stdout)["sweep"]} == {"22", "24"}


def test_without_any_package_it_reads_an_event_file(empty: Path) -> None:
    (empty / "event.trf").write_bytes(open_file())
    done = run(empty, "read", "event.trf")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"5 rounds, 6 players, 15 games" in done.stdout


def test_it_says_what_it_can_do_and_which_version_it_is(empty: Path) -> None:
    told = run(empty, "--help")
    assert (told.returncode, told.stderr) == (0, b"")
    assert b"replay JOURNAL" in told.stdout
    for misused in ((), ("rate",)):
        done = run(empty, *misused)
        assert (done.returncode, done.stdout, done.stderr) == (2, b"", told.stdout)
    said = run(empty, "--version").stdout.decode()
    assert said == f"ratings {get_current_program().version}\nSHA-256 {get_current_program().sha256}\n"


def test_an_older_python_is_told_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 4))
    with pytest.raises(SystemExit, match="2"):
        runpy.run_path(str(build.ROOT / build.ENTRY), run_name="__main__")
    assert "needs Python 3.11 or newer; this is 3.10." in capsys.readouterr().err


# ---------------------------------------------------------------- kept for every list


@pytest.fixture
@built_once
def a_list(csa: Federation) -> RatingList:
    players = register(csa, 10)
    for number, seed in (("2024-001", 1), ("2024-002", 2)):
        approved(submitted(csa, players, number=number, seed=seed))
    return next(each for each in published(csa, date(2024, 5, 1)) if each.track == "otb-main")


def test_a_list_names_the_program_that_drew_it_and_that_is_kept(a_list: RatingList) -> None:
    program = get_current_program()
    assert (a_list.program_version, a_list.program_sha256) == (program.version, program.sha256)
    kept = ProgramFile.objects.get()
    assert (kept.version, kept.sha256, bytes(kept.content)) == (
        program.version,
        program.sha256,
        program.content,
    )


def test_a_program_that_was_kept_is_given_out_for_ever(
    client: Client, a_list: RatingList, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, content = get_current_program().name, get_current_program().content
    monkeypatch.setattr("ratings.program.get_current_program", lambda: Program("9.9.9", b"a later program"))
    for address, expected in (
        (f"/programs/{name}", content),
        (f"/programs/{name}.sha256", f"{a_list.program_sha256}  {name}\n".encode()),
        (f"/programs/{Program('9.9.9', b'a later program').name}", b"a later program"),
    ):
        answer = client.get(address)
        assert (answer.status_code, answer.content) == (200, expected)
        assert "immutable" in answer.headers["Cache-Control"]


def test_a_program_that_drew_nothing_here_is_not_found(client: Client, a_list: RatingList) -> None:
    short = a_list.program_sha256[:8]
    for name in (
        f"ratings-9.9.9-{short}.pyz",
        "ratings.pyz",
        f"ratings-{get_current_program().version}-{short[:-1]}.pyz",
        short,
        "-.pyz",
    ):
        assert client.get(f"/programs/{name}").status_code == 404, name
        assert client.get(f"/programs/{name}.sha256").status_code == 404, name


@pytest.mark.parametrize(
    "deed", ["UPDATE ratings_programfile SET version = '2'", "DELETE FROM ratings_programfile"]
)
def test_no_kept_program_is_ever_changed(a_list: RatingList, deed: str) -> None:
    with pytest.raises(DatabaseError, match="written once"), transaction.atomic():
        connection.cursor().execute(deed)
