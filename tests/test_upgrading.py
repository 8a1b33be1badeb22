"""A release whose journal has another form is refused with the way on; its journals move into new offices."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from players.models import Federation
from ratings.journal import journal_lines
from ratings.verify import verify
from tests.released_office import VERSIONS, ReleasedOffice, working_on

pytestmark = pytest.mark.faults
THE_WAY = "let Federation Ratings 0.1.0rc1, which made it, write each office’s journal"


@pytest.fixture(scope="module", params=VERSIONS)
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
