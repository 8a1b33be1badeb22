"""What becomes of former releases' offices: upgraded with all that they have, and back; or, where the journal
has another form, refused with the way on, and moved by their journals.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.conf.global_settings import PASSWORD_HASHERS
from django.core.management import call_command
from django.db import connection
from django.test import Client

from players import jobs
from players.models import Federation
from ratings import publication
from ratings.journal import journal_lines
from ratings.verify import verify
from tests.released_office import OF_FORM_2, UPGRADED, ReleasedOffice, working_on
from tests.releases.make_office import numbers_on
from tournaments.models import Section, Stage

pytestmark = pytest.mark.faults
THE_WAY = "let Federation Ratings 0.1.0rc1, which made it, write each office’s journal"


@pytest.fixture(scope="module", params=UPGRADED)
def migrated(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReleasedOffice]:
    """A copy of a release's office, brought to this version."""
    office = ReleasedOffice(request.param, tmp_path_factory.mktemp("upgraded"))
    try:
        office.lay_out()
        office.command("migrate", "--noinput")
        yield office
    finally:
        office.database.drop()


@pytest.fixture
def upgraded(migrated: ReleasedOffice, django_db_blocker: Any, settings: Any) -> Iterator[ReleasedOffice]:
    """The same, and this process works on it."""
    settings.ALLOWED_HOSTS, settings.OFFICE_LANGUAGE = ["localhost"], ""
    settings.KEYS_DIR = migrated.var / "keys"
    with django_db_blocker.unblock(), working_on(migrated.database.name):
        yield migrated


def test_its_pages_show_every_number_that_they_showed_before(
    upgraded: ReleasedOffice,
) -> None:
    # Before the others, which let what waited be done: that moves ratings.
    reader = Client(SERVER_NAME="localhost")
    with time_machine.travel(upgraded.at):
        missing = {
            address: sorted(set(numbers) - set(numbers_on(reader.get(address))))
            for address, numbers in upgraded.shown.items()
        }
    assert len(missing) > 15
    assert {address: numbers for address, numbers in missing.items() if numbers} == {}


def test_an_office_that_is_upgraded_is_verified_and_serves_the_same_bytes(upgraded: ReleasedOffice) -> None:
    assert {each: read(each) for each in upgraded.served} == upgraded.served
    upgraded.command("recompute", "--pending")
    assert [verify(each).differences for each in Federation.objects.all()] == [[]] * 6


def test_its_people_sign_in_with_what_they_had_and_what_waited_is_done(
    upgraded: ReleasedOffice, settings: Any
) -> None:
    settings.PASSWORD_HASHERS = PASSWORD_HASHERS
    browser = Client(SERVER_NAME="localhost")
    signed_in = {"login": upgraded.people["regional"], "password": upgraded.people["password"]}
    browser.post("/accounts/login/", signed_in)
    assert browser.get("/csa/desk/").status_code == 200
    for queue in ("ratings", "files"):
        jobs.sweep(queue)
    number, code = upgraded.waiting.split("/")[3:5]
    section = Section.objects.get(event__number=number, event__federation__code="csa", code=code)
    assert section.stage == Stage.FILED


def test_the_way_back_keeps_what_was_decided_since(upgraded: ReleasedOffice, tmp_path: Path) -> None:
    """By the steps of docs/operating.md, the last of them by the release's own program."""
    former = upgraded.lay_out_program()
    codes = list(Federation.objects.values_list("code", flat=True))
    publication.publish_list(federation=Federation.objects.get(code="ssdc"), by=None, on=date(2026, 11, 25))
    for code in codes:
        upgraded.command("log", code, "sign", "--all")
        upgraded.command("export_journal", code, "-o", tmp_path / code)
    connection.close()
    upgraded.command("restore", upgraded.backup, "--replace", of=former)
    for code in codes:
        newest = upgraded.var / f"keys/{code}.checkpoint"
        if code == "ssdc":
            upgraded.command("take_lines", code, tmp_path / code, "--checkpoint", newest, of=former)
        else:
            upgraded.command("log", code, "resume", newest, of=former)
    upgraded.command("verify", of=former)
    for code in codes:
        upgraded.command("export_journal", code, "-o", tmp_path / "again", of=former)
        assert (tmp_path / "again").read_bytes() == (tmp_path / code).read_bytes()


@pytest.fixture(scope="module", params=OF_FORM_2)
def office(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReleasedOffice]:
    office = ReleasedOffice(request.param, tmp_path_factory.mktemp("released"))
    try:
        office.lay_out()
        yield office
    finally:
        office.database.drop()


@pytest.fixture(scope="module")
def journals(office: ReleasedOffice, django_db_blocker: Any) -> dict[str, list[str]]:
    """The lines that the release exported, by office."""
    with django_db_blocker.unblock(), working_on(office.database.name):
        rows = Federation.objects.values_list("pk", "code")
        found = {code: list(journal_lines(Federation(pk=pk, code=code))) for pk, code in rows}
    digests = {
        f"/{code}/journal.ndjson": sha256(as_bytes(lines)).hexdigest() for code, lines in found.items()
    }
    assert digests.items() <= office.served.items()
    return found


def as_bytes(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


@pytest.mark.parametrize(
    "program",
    [
        ("manage.py", "up", "--no-demo", "--port", "0"),
        ("manage.py", "migrate"),
        ("manage.py", "restore", "its backup", "--replace"),
        ("-m", "celery", "--app", "federation_site", "worker", "--pool", "solo"),
        ("-c", "import federation_site.asgi"),
    ],
    ids=["up", "migrate", "restore", "worker", "web"],
)
def test_no_program_works_on_its_database_each_says_the_way_in_one_sentence_and_nothing_is_altered(
    program: tuple[str, ...], office: ReleasedOffice
) -> None:
    before = office.database.content()
    done = office.run(*(office.backup if each == "its backup" else each for each in program))
    said = done.stdout + done.stderr
    assert done.returncode != 0, said
    assert said.count(THE_WAY) == 1, said
    assert "import_journal FILE" in said
    assert "Traceback" not in said
    assert office.database.content() == before


def test_its_operator_can_still_back_it_up_and_read_a_backup(office: ReleasedOffice, tmp_path: Path) -> None:
    for command in (("check",), ("backup", tmp_path), ("restore", office.backup, "--check")):
        done = office.run("manage.py", *command)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.django_db
def test_its_journals_move_into_new_offices_with_the_lists_of_all_in_which_nothing_was_rated_anew(
    office: ReleasedOffice, journals: dict[str, list[str]], tmp_path: Path, settings: Any
) -> None:
    settings.ALLOWED_HOSTS = ["localhost"]
    same = []
    for code, lines in journals.items():
        file, again = tmp_path / code, tmp_path / f"{code}.again"
        file.write_bytes(as_bytes(lines))
        call_command("import_journal", file)
        call_command("export_journal", code, output=again)
        first, *others = lines
        assert again.read_bytes() == as_bytes([first.replace('"form":2', '"form":3'), *others])
        assert verify(Federation.objects.get(code=code)).differences == []
        if not rated_anew(lines):
            same += [each for each in office.served if each.startswith(f"/{code}/lists/")]
    contents = [each for each in same if each.endswith("/content")]
    assert len(contents) > 10
    assert {each: read(each) for each in contents} == {each: office.served[each] for each in contents}


def rated_anew(lines: list[str]) -> bool:
    facts = map(json.loads, lines)
    counted = Counter(fact["section"] for fact in facts if fact["fact"] == "rated")
    return any(times > 1 for times in counted.values())


def read(address: str) -> str:
    """The SHA-256 of what the public reads at an address."""
    answer: Any = Client(SERVER_NAME="localhost").get(address)
    assert answer.status_code == 200, address
    return sha256(b"".join(answer.streaming_content) if answer.streaming else answer.content).hexdigest()
