"""A list proves itself: the commands that its page prints, typed in an empty folder, give what it says."""

from __future__ import annotations

import html
import os
import random
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.db import transaction
from django.template.defaultfilters import filesizeformat
from django.test import Client, override_settings

from players.models import Federation
from ratings.demo import office
from ratings.models import Checkpoint, Fact, RatingList
from ratings.program import get_current_program
from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of
from ratings.signing import begin_origin, change_key, sign_due_checkpoints
from ratings.tests.office import approved, published, register, submitted
from tests.built_once import built_once

pytestmark = [pytest.mark.any_database, pytest.mark.long]

TODAY = date(2026, 8, 14)
SMALL, WHOLE = {"csa": 0.05}, 1.0
SLICE = 2
"""Lists of each office on every run, beside the hardest one."""
SAVED = re.compile(r'<a\s+href="([^"]+)"\s+download(?:="([^"]*)")?\s*>\s*([^<]+?)\s*</a>')
TYPED = re.compile(r'<pre\s+class="command"[^>]*><code>(.*?)</code></pre>', re.DOTALL)
EXPECTED = re.compile(r'<code\s+class="checksum"\s*>([0-9a-f]{64})</code>')


class Printed(NamedTuple):
    """What a page asks its reader to do."""

    files: dict[str, str]
    """Addresses by the names under which a browser saves them."""
    check: str
    replay: str
    checksum: str


def printed(client: Client, address: str) -> Printed:
    page = client.get(address).content.decode()
    section = page[page.index('<ol class="prove">') : page.index("</ol>", page.index('<ol class="prove">'))]
    files = {name or text: html.unescape(url) for url, name, text in SAVED.findall(section)}
    check, replay = (html.unescape(command) for command in TYPED.findall(section))
    [checksum] = EXPECTED.findall(section)
    return Printed(files, check, replay, checksum)


def save(client: Client, files: dict[str, str], folder: Path) -> None:
    for name, address in files.items():
        if not (folder / name).exists():
            answer: Any = client.get(address)
            assert answer.status_code == 200, address
            (folder / name).write_bytes(answer.content if not answer.streaming else b"".join(answer))


def plain_python(folder: Path) -> Path:
    """A folder with a Python that has no packages; made before any thread starts programs, since one that is
    still open to be written in another thread's child cannot be run.
    """
    tools = folder.parent / "tools"
    if not tools.exists():
        tools.mkdir()
        plain: str = getattr(sys, "_base_executable", sys.executable)
        (tools / "python").write_text(f'#!/bin/sh\nexec "{plain}" -I "$@"\n')
        (tools / "python").chmod(0o755)
    return tools


def type_in(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A shell in the folder, on a machine whose Python has no packages."""
    env = {"PATH": f"{plain_python(folder)}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=folder, env=env, capture_output=True, text=True
    )


def prove(client: Client, lists: Iterable[RatingList], folder: Path) -> None:
    """Everything that a reader who distrusts the office does, by what each list's page says."""
    everything = list(lists)
    told = [printed(client, f"{each.get_absolute_url()}r{each.revision}/") for each in everything]
    for each in told:
        save(client, each.files, folder)
    plain_python(folder)
    with ThreadPoolExecutor(os.cpu_count()) as readers:
        list(readers.map(_prove, everything, told, repeat(folder)))


def _prove(rating_list: RatingList, told: Printed, folder: Path) -> None:
    replayed = type_in(told.replay, folder)
    assert (replayed.returncode, replayed.stderr) == (0, ""), rating_list
    assert replayed.stdout.split() == [told.checksum, "-"], rating_list
    assert told.checksum == rating_list.sha256
    checked = type_in(told.check, folder)
    assert (checked.returncode, checked.stdout.splitlines()[-1:]) == (0, ["OK"]), checked.stderr
    assert "Signatures were checked" in checked.stdout


# ---------------------------------------------------------------- every demo office


def made(slug: str, scale: float, tmp: Path) -> Federation:
    (tmp / "var").mkdir()
    with override_settings(VAR=tmp / "var", KEYS_DIR=tmp / "keys"):
        federation = office.make_office(
            rulesets()[slug], today=TODAY, seed=1, scale=scale, say=lambda words: None
        )
        sign_due_checkpoints(federation, at=datetime(2026, 8, 14, 12, tzinfo=UTC))
    return federation


DEMOS = sorted(slug for slug, ruleset in rulesets().items() if equipment_of(ruleset).demo)


@pytest.fixture(scope="module", params=DEMOS)
def demo(
    request: pytest.FixtureRequest,
    django_db_setup: None,
    django_db_blocker: Any,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Federation]:
    """Each made once for the tests of a slice, and taken back."""
    with django_db_blocker.unblock(), transaction.atomic():
        slug: str = request.param
        yield made(slug, SMALL.get(slug, 0.4), tmp_path_factory.mktemp("demo"))
        transaction.set_rollback(True)


def hardest(federation: Federation) -> list[RatingList]:
    """A list on whose own day something was rated after it: by its day alone it comes out otherwise."""
    lists = RatingList.objects.of(federation).select_related("fact", "federation").order_by("-on")
    later = Fact.objects.filter(federation=federation, kind__in=("rated", "unrated"))
    return [each for each in lists if later.filter(on=each.on, number__gt=each.fact.number).exists()][:1]


def slice_of(federation: Federation) -> list[RatingList]:
    seed = int(os.environ.get("SEED", "8"))
    lists = list(RatingList.objects.of(federation).select_related("fact", "federation").order_by("pk"))
    return [*hardest(federation), *random.Random(seed).sample(lists, min(SLICE, len(lists)))]


@pytest.mark.django_db
def test_the_printed_commands_prove_a_slice_of_every_offices_lists(
    demo: Federation, client: Client, tmp_path: Path
) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    prove(client, slice_of(demo), folder)


@pytest.mark.nightly
@pytest.mark.django_db
@pytest.mark.parametrize("slug", DEMOS)
def test_the_printed_commands_prove_every_list_of_every_whole_demo_office(
    slug: str, client: Client, tmp_path: Path
) -> None:
    federation, folder = made(slug, WHOLE, tmp_path), tmp_path / "empty"
    folder.mkdir()
    prove(client, RatingList.objects.of(federation).select_related("fact", "federation"), folder)


@pytest.mark.django_db
def test_the_check_page_proves_the_newest_list_of_the_track_that_the_federation_names_first(
    demo: Federation, client: Client, tmp_path: Path
) -> None:
    told = printed(client, f"/{demo.code}/check/")
    newest = RatingList.objects.of(demo).on_newest_day().get(track=demo.ruleset.tracks[0].code)
    assert told == printed(client, newest.get_absolute_url())


# ---------------------------------------------------------------- what the pages say


@pytest.fixture
@built_once
def a_list(csa: Federation) -> RatingList:
    players = register(csa, 10)
    for number, seed in (("2024-001", 1), ("2024-002", 2)):
        approved(submitted(csa, players, number=number, seed=seed))
    return next(each for each in published(csa, date(2024, 5, 1)) if each.track == "otb-main")


def test_an_altered_journal_is_shown_by_the_printed_command(
    a_list: RatingList, client: Client, tmp_path: Path
) -> None:
    told = printed(client, a_list.get_absolute_url())
    folder = tmp_path / "empty"
    folder.mkdir()
    save(client, told.files, folder)
    journal = folder / "csa-journal.ndjson"
    altered = journal.read_text().replace('"result":"1-0"', '"result":"0-1"', 1)
    journal.write_text(altered)
    assert told.checksum not in type_in(told.replay, folder).stdout
    checked = type_in(told.check, folder)
    assert checked.returncode == 1
    assert re.search(r"row \d+ of otb-main of 2024-05-01 stands as", checked.stderr)


def test_a_list_page_names_line_checksum_program_and_checkpoint_for_screen_and_paper(
    a_list: RatingList, client: Client
) -> None:
    sign_due_checkpoints(a_list.federation, at=datetime(2024, 5, 1, 12, tzinfo=UTC))
    signed = Checkpoint.objects.get(size=a_list.fact.number)
    page = client.get(a_list.get_absolute_url()).content.decode()
    for words in (
        html.escape(signed.served),
        a_list.sha256,
        a_list.program_sha256,
        f"--through {a_list.fact.number} --list otb-main",
        "http://testserver/csa/lists/2024-05/otb-main/r1/",
    ):
        assert words in page, words


def test_the_check_page_links_program_description_and_every_program_that_drew_a_list(
    a_list: RatingList, client: Client
) -> None:
    page = client.get("/csa/check/").content.decode()
    program = f"ratings-{a_list.program_version}-{a_list.program_sha256[:8]}.pyz"
    for address in (f"/programs/{program}", "/csa/journal/description.txt", "/csa/journal.ndjson"):
        assert f'href="{address}"' in page
        assert client.get(address).getvalue()
    assert page.count(a_list.program_sha256) == 1
    size = filesizeformat(len(get_current_program().content))
    assert f"One file of {size} that needs only Python" in html.unescape(page)
    for words in ("What that proves, and what it does not", "It does not prove that the games were played"):
        assert words in page


def test_the_printed_command_takes_what_any_key_of_the_office_signed(
    a_list: RatingList, client: Client, tmp_path: Path
) -> None:
    office, at = a_list.federation, datetime(2024, 5, 1, 12, tzinfo=UTC)
    [old] = sign_due_checkpoints(office, at=at)
    new = change_key(federation=office, by=None, on=date(2024, 5, 2), at=at)
    office.players.filter(number="101000001").update(withheld=True)
    begin_origin(federation=office, reason="Invented00 lost the key.", by=None, on=date(2024, 5, 3), at=at)
    page = client.get("/csa/check/").content.decode()
    assert "Invented00" not in page
    [command] = [html.unescape(each) for each in TYPED.findall(page) if "--since" in each]
    save(client, printed(client, "/csa/check/").files, tmp_path)
    (tmp_path / "kept.txt").write_text(old.note)
    (tmp_path / "new.txt").write_text(new.note)
    for kept in ("kept.txt", "new.txt"):
        typed = shlex.split(command.replace("OLD-CHECKPOINT.txt", kept))
        done = subprocess.run([sys.executable, *typed[1:]], cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["OK"]), done.stderr
        assert "Signatures were not checked" not in done.stdout
    assert command.index(str(new.key)) < command.index(str(old.key))


def test_an_office_without_lists_says_so_and_offers_the_program(csa: Federation, client: Client) -> None:
    page = client.get("/csa/check/").content.decode()
    assert "No list has been published yet" in page
    assert 'href="/programs/ratings-' in page
