"""An office of openings and a past goes out as an archive, and comes into an empty installation the same."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import override_settings

from players.appointments import create_office
from players.models import Appointment, BirthDate, Decision, Federation, Identifier
from ratings.models import Fact, RatingList
from ratings.people import correct_player
from tests.pasts import files
from tests.pasts.answers import WhoKnows
from tests.pasts.play import FIRST, Past, play
from tournaments.models import History, HistoryState, Upload

pytestmark = [pytest.mark.django_db, pytest.mark.long]
SEED = 14
BEFORE = FIRST - timedelta(days=1)
"""The day of the old system's last list."""


@dataclass(frozen=True, slots=True)
class OldOffice:
    """What an installation gave away of its office before it went."""

    waiting: Path
    """The archive of when its past was answered but not written."""
    written: Path
    files: Path
    """The folder of the past's files and table."""
    sections: list[str]
    """The journal's lines of sections after it was written."""


@pytest.fixture(scope="module")
def past() -> Past:
    return play(7, files.DIALECTS, SEED, doubts=True)


@pytest.fixture(scope="module")
def old(
    past: Past, django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> OldOffice:
    """The archives of an office, made once. The office itself is nowhere."""
    folder = tmp_path_factory.mktemp("old")
    with django_db_blocker.unblock(), an_installation(folder / "keys"):
        open_office(past, folder)
        there = the_files(past, folder / "past")
        answer_all(past, there, folder / "questions.csv")
        waiting = out(folder / "waiting.zip")
        take_past(there)
        return OldOffice(waiting, out(folder / "written.zip"), there, sections())


@pytest.fixture
def new(tmp_path: Path) -> Iterator[None]:
    """Another installation, which is empty at first."""
    with an_installation(tmp_path / "keys"):
        yield


@contextmanager
def an_installation(folder: Path) -> Iterator[None]:
    """An installation that is empty at first, with keys in a folder of its own, and gone afterwards."""
    with override_settings(KEYS_DIR=folder), transaction.atomic():
        assert not Federation.objects.exists()
        yield
        transaction.set_rollback(True)


def open_office(past: Past, folder: Path) -> Federation:
    """An office of a past: an official, the last list of the old system, and who asked not to be named."""
    office = create_office(ruleset_slug="csa", official_email="nomsa@example.org", on=date(2026, 1, 1))
    (folder / "list.csv").write_text(last_list(past))
    call_command(
        "take_openings",
        "csa",
        str(folder / "list.csv"),
        "--track=otb-main",
        f"--on={BEFORE}",
        "--source=list of 2020",
        "--write",
        stdout=io.StringIO(),
    )
    first = office.players.order_by("pk")[0]
    correct_player(player=first, by=None, on=date(2026, 1, 1), reason="as asked for", withheld=True)
    return office


def last_list(past: Past) -> str:
    """Ratings of some whom the first file names as they are called."""
    told = io.StringIO()
    rows = csv.writer(told)
    rows.writerow(("surname", "first_name", "sex", "birth", "fide_id", "rating", "games"))
    section = past.sections[0]
    known = [who for who, written in zip(section.seats, section.written, strict=True) if who.fide]
    for at, who in enumerate(known[:4]):
        about = (who.surname, who.first_name, who.sex, who.birth.isoformat(), who.fide)
        rows.writerow((*about, f"{1500 + at}.25", 40 + at))
    return told.getvalue()


def the_files(past: Past, folder: Path) -> Path:
    for name, content in {**files.all_files(past), "table.csv": files.table(past, lists=False)}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def take_past(there: Path, *options: str) -> None:
    call_command("take_history", "csa", str(there), *options, stdout=io.StringIO())


def answer_all(past: Past, there: Path, table: Path) -> None:
    known, options = WhoKnows(past), list[str]()
    while True:
        take_past(there, "--dry-run", "--questions", str(table), *options)
        filled, count = known.fill_in(table.read_bytes())
        if not count:
            return
        table.write_bytes(filled)
        options = ["--answers", str(table)]


def out(path: Path) -> Path:
    call_command("export_office", "csa", output=path, stdout=io.StringIO())
    return path


def sections() -> list[str]:
    return list(Fact.objects.filter(kind="section").order_by("number").values_list("line", flat=True))


def come_in(archive: Path) -> Federation:
    call_command("import_office", str(archive), stdout=io.StringIO())
    return Federation.objects.get()


def parts(archive: Path) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The members for everybody, and the private ones, which their owner alone may read once unpacked."""
    with zipfile.ZipFile(archive) as packed:
        told: tuple[dict[str, bytes], dict[str, bytes]] = ({}, {})
        for member in packed.infolist():
            private = member.filename.startswith("private/")
            assert (member.external_attr >> 16) & 0o777 == (0o600 if private else 0o644)
            told[private][member.filename] = packed.read(member)
    return told


def rows(private: dict[str, bytes], name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in private[f"private/tables/{name}.ndjson"].splitlines()]


def test_openings_and_a_past_go_out_and_come_in_as_the_same_bytes(
    past: Past, old: OldOffice, new: None, tmp_path: Path
) -> None:
    office = come_in(old.written)
    assert out(tmp_path / "again.zip").read_bytes() == old.written.read_bytes()
    call_command("verify", "csa", stdout=io.StringIO())
    assert sections() == old.sections
    assert Fact.objects.filter(kind="opening").count() == 4
    assert Fact.objects.filter(kind="taken_over").count() == 1
    assert {"import-register", "take-history"} <= set(Decision.objects.values_list("kind", flat=True))
    assert {each.name for each in Appointment.objects.filter(federation=office)} == {""}
    assert RatingList.objects.of(office).count() >= 7
    filed = {bytes(content or b"") for content in Upload.objects.values_list("content", flat=True)}
    assert filed == set(files.all_files(past).values())


def test_names_salts_births_ids_and_who_is_withheld_come_along_in_the_private_part_alone(
    old: OldOffice, new: None
) -> None:
    office = come_in(old.written)
    everybody, private = parts(old.written)
    players = {each["number"]: each for each in rows(private, "players")}
    assert players.keys() == set(office.players.values_list("number", flat=True))
    assert {each["salt"] for each in players.values()} == set(office.players.values_list("salt", flat=True))
    assert len(rows(private, "births")) == BirthDate.objects.count() > 4
    assert len(rows(private, "identifiers")) == Identifier.objects.count() > 4
    [withheld] = office.players.filter(withheld=True)
    assert [number for number, each in players.items() if each["withheld"]] == [withheld.number]
    texts = [content for name, content in everybody.items() if not name.startswith("programs/")]
    assert not [text for text in texts if withheld.name.encode() in text or withheld.salt.encode() in text]
    days = {day.isoformat().encode() for day in BirthDate.objects.values_list("day", flat=True)}
    assert not [text for text in texts for day in days if day in text]


def test_a_past_that_waits_comes_along_with_its_answers_and_is_written_where_it_arrives(
    old: OldOffice, new: None, tmp_path: Path
) -> None:
    come_in(old.waiting)
    assert out(tmp_path / "again.zip").read_bytes() == old.waiting.read_bytes()
    [history] = History.objects.all()
    assert (history.state, history.answers.count() > 0) == (HistoryState.CHECKED, True)
    take_past(old.files)
    assert sections() == old.sections
