"""Two programs of other rules on one database, for real: each in a folder and processes of its own."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.conf import settings

from ratings.rulesets import rulesets
from ratings.tests.eventful import eventful

pytestmark = [pytest.mark.any_database, pytest.mark.nightly]
APPS = ("federation_site", "players", "ratings", "tournaments", "templates", "static")
SWEEP_OFTEN = """
import sys
from celery.__main__ import main
from django.conf import settings
settings.SWEEP_SECONDS = 1
main()
"""

BEGIN = """
import json
from datetime import timedelta
from players.models import Federation
from players.settings import today
from ratings.approval import publish_list, revise_list
from ratings.journal import day_of
from ratings.lists import list_as_json
from ratings.models import RatingList
from ratings.recompute import recompute

office = Federation.objects.get()
day = day_of(office, today(office))
"""
PUBLISH = (
    BEGIN
    + """
publish_list(federation=office, by=None, on=day + timedelta(1))
recompute(office)
"""
)
REVISE = (
    BEGIN
    + """
revise_list(federation=office, day=day, by=None, on=day, note="Other rules.")
recompute(office)
revised = RatingList.objects.filter(on=day, revision=2, track__endswith="-standard")
print(json.dumps(list_as_json(revised[0])))
"""
)


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """A copy of this program in which K of standard games is twice what it was."""
    folder = tmp_path / "newer"
    without = shutil.ignore_patterns("tests", "__pycache__", "examples")
    for app in APPS:
        shutil.copytree(settings.ROOT / app, folder / app, ignore=without)
    for file in ("manage.py", "pyproject.toml"):
        shutil.copy(settings.ROOT / file, folder / file)
    formulas = folder / "ratings/rulesets/csa/edition_2020/formulas.py"
    text = formulas.read_text()
    assert '"standard": Decimal(24),' in text
    formulas.write_text(text.replace('"standard": Decimal(24),', '"standard": Decimal(48),', 1))
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    inherited = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
    return {
        **inherited,
        "DATABASE_URL": f"sqlite:///{tmp_path / 'office.sqlite3'}",
        "CELERY_BROKER_URL": "djangodb://localhost",
        "VAR_DIR": str(tmp_path / "var"),
        "DJANGO_SETTINGS_MODULE": "federation_site.settings",
    }


def test_the_older_program_writes_nothing_after_the_newer_and_each_list_is_proved_by_the_one_that_drew_it(
    newer: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    older = Path(settings.ROOT)

    def run(folder: Path, *command: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-P", "manage.py", *command],
            cwd=folder,
            env={**environment, "PYTHONPATH": str(folder)},
            capture_output=True,
            text=True,
            timeout=180,
        )
        return done.returncode, done.stdout + done.stderr

    def asked(query: str) -> list[tuple[object, ...]]:
        with sqlite3.connect(tmp_path / "office.sqlite3") as database:
            return database.execute(query).fetchall()

    changes = 'SELECT fact_id, player_id, track, "after", state FROM ratings_change ORDER BY 1, 2, 3'
    lists = "SELECT id, sha256, content, program_sha256 FROM ratings_ratinglist ORDER BY id"
    assert run(older, "migrate", "--verbosity", "0")[0] == 0
    journal = tmp_path / "csa.ndjson"
    journal.write_text("".join(f"{line}\n" for line in eventful(rulesets()["csa"], 3, sections=30)))
    code, said = run(older, "import_journal", str(journal))
    assert code == 0, said
    code, said = run(older, "shell", "-c", PUBLISH)
    assert code == 0, said
    by_the_older, published = asked(changes), asked(lists)
    assert by_the_older
    assert published

    code, said = run(newer, "recompute", "csa")  # the newer asks
    assert (code, "wait for the office's word" in said) == (1, True), said
    assert asked(changes) == by_the_older
    code, said = run(newer, "recompute", "csa", "--all", "--preview")
    assert (code, "otherwise would be" in said) == (0, True), said
    assert asked(changes) == by_the_older
    code, said = run(newer, "recompute", "csa", "--all")
    assert code == 0, said
    by_the_newer = asked(changes)
    assert by_the_newer != by_the_older
    assert asked(lists) == published
    code, said = run(newer, "verify", "csa")
    assert (code, "by the rules of then: ratings-" in said) == (0, True), said

    code, said = run(newer, "shell", "-c", REVISE)  # and publishes a list of before anew
    assert code == 0, said
    (tmp_path / "list.json").write_text(said[said.index("{") :].splitlines()[0])
    assert run(newer, "export_journal", "csa", "-o", str(tmp_path / "now.ndjson"))[0] == 0
    checked = subprocess.run(
        [sys.executable, "-m", "ratings.check", tmp_path / "now.ndjson", tmp_path / "list.json"],
        cwd=newer,
        capture_output=True,
        text=True,
    )
    assert (checked.returncode, "drawn up by another program" in checked.stdout) == (0, True), checked
    assert run(newer, "verify", "csa")[0] == 0

    code, said = run(older, "recompute", "csa")  # the older refuses
    assert (code, "is this an older program" in said) == (1, True), said
    with sqlite3.connect(tmp_path / "office.sqlite3") as database:
        database.execute("UPDATE players_ledger SET wanted = wanted + 1")
    options = "--app federation_site worker --pool solo --without-gossip --without-mingle --queues ratings"
    log = tmp_path / "worker.log"
    with log.open("wb") as output:
        worker = subprocess.Popen(
            [sys.executable, "-c", SWEEP_OFTEN, *options.split()],
            cwd=older,
            env={**environment, "LOG_LEVEL": "INFO"},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    until = time.monotonic() + 60
    while "were left for others" not in log.read_text() and time.monotonic() < until:
        time.sleep(0.5)
    time.sleep(2)  # and whatever it does after that
    worker.kill()
    worker.wait(timeout=60)
    assert "were left for others" in log.read_text()
    assert asked("SELECT wanted - done FROM players_ledger") == [(1,)]
    assert asked(changes) == by_the_newer
    assert run(newer, "recompute", "csa")[0] == 0
    assert asked("SELECT wanted - done FROM players_ledger") == [(0,)]
    assert asked(changes) == by_the_newer
