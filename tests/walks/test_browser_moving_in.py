"""An official of a new office takes a made-up past in by the page, step by step.

`MOVING_IN_FILES=200` walks with as many files as docs/moving-in.md counts; `pytest -s` shows what hands did.
`WALK_PICTURES=folder` keeps a picture of each page.
"""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser import ROOT, Office, Visitors, open_office
from tests.browser_office import PASSWORD
from tests.pasts.answers import WhoKnows
from tests.walks import moving_in
from tests.walks.seasons import SEASONS
from tests.walks.worker import TASKS, Effort, Sight, Worker, pictures_folder

pytestmark = pytest.mark.browser
FILES = int(os.environ.get("MOVING_IN_FILES", "28"))
LONG = 1_800_000
"""Milliseconds that the worker may take for a past: a busy machine is no fault of the page."""
SEASON = replace(next(each for each in SEASONS if each.walk.slug == "csa"), purpose="past")


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    with open_office(tmp_path / "var", "--no-demo", filled_by="tests.walks.moving_in") as opened:
        yield opened


@pytest.fixture
def nomsa(chromium: Browser, office: Office) -> Iterator[Worker]:
    there = Visitors(chromium, office)
    page = there.sign_in(moving_in.OFFICIAL, PASSWORD)
    yield Worker(page, SEASON, Sight(there, pictures_folder()))
    there.leave()
    assert there.faults() == []


def waits_for(worker: Worker, words: str) -> None:
    expect(worker.main.get_by_text(words).first).to_be_visible(timeout=LONG)
    worker.look()


@pytest.mark.nightly
def test_an_official_takes_a_past_in_by_the_page(nomsa: Worker, tmp_path: Path) -> None:
    past, archive, table = moving_in.made_up(FILES, tmp_path)
    known = WhoKnows(past)
    with nomsa.task(0):
        upload(nomsa, archive, table)
        one_answer_for_all(nomsa)
        decide(nomsa, known)
        put_right(nomsa, known, tmp_path)
        write(nomsa)
    print(TASKS.pop())
    moving_in.assert_as_by_hand(past, exported(tmp_path))


def upload(nomsa: Worker, archive: Path, table: Path) -> None:
    nomsa.follow("The register")
    nomsa.follow("Take the past in: event files of many years")
    choose(nomsa, "ZIP of event files", archive)
    choose(nomsa, "Table beside them", table)
    nomsa.fill("Whose past this is, of which years", "archive of the federation, 2020 to 2024")
    nomsa.press("Upload and read")
    waits_for(nomsa, "What was found")


def choose(worker: Worker, label: str, path: Path) -> None:
    """Choose a file: a click for the field and one in the folder."""
    worker.field(label).set_input_files(path)
    worker.click(worker.main.get_by_role("heading", level=1))
    worker.click(worker.main.get_by_role("heading", level=1))


def one_answer_for_all(nomsa: Worker) -> None:
    """What every file lacks, given once."""
    nomsa.reads(f"{FILES} ×")
    cause = nomsa.main.locator(".message").filter(has_text="“platform”").first
    nomsa.fill("Played", "otb", cause)
    nomsa.press("For all these files", cause)
    waits_for(nomsa, "Who is this?")
    cause = nomsa.main.locator(".message").filter(has_text="The nation of these players").first
    nomsa.fill("The nation of all these", "RSA", cause)
    nomsa.press("Give it to all", cause)
    waits_for(nomsa, "Who is this?")


def decide(nomsa: Worker, known: WhoKnows) -> None:
    """One click for each whose likeliest is not the right one."""
    while nomsa.main.get_by_role("link", name="Decide one by one").count():
        nomsa.follow("Decide one by one")
        for who in nomsa.main.locator("article.who").all():
            right = known.answer(where_of(who), offers_of(who))
            box = who.locator(f"input[value='{right}']").first
            if not box.is_checked():
                nomsa.check(box)
        nomsa.press("Save these answers")
        waits_for(nomsa, "Table and questions")


def where_of(who: Locator) -> str:
    name, file = who.get_by_role("heading").inner_text(), who.locator(".sub").first.inner_text()
    return f"m0 {name}, {file}"


def offers_of(who: Locator) -> str:
    labels = [label for label in who.locator("label").all() if label.locator("strong").count()]
    pairs = [(label.locator("input").get_attribute("value"), label.inner_text().strip()) for label in labels]
    return " | ".join(f"{value} {name}" for value, name in pairs)


def put_right(nomsa: Worker, known: WhoKnows, there: Path) -> None:
    """Nobody's files tell who married before them: who is who goes out, and comes back put right."""
    while True:
        link = nomsa.main.get_by_role("link", name="Download who is who")
        told = nomsa.page.request.get(link.get_attribute("href") or "").body()
        nomsa.click(nomsa.main.get_by_role("heading", level=1))
        filled, count = known.put_right(told)
        if not count:
            return
        (there / "who-is-who.csv").write_bytes(filled)
        for row in csv.DictReader(io.StringIO(filled.decode())):
            nomsa.effort += Effort(fields=1, keys=len(row["answer"]))
        choose(nomsa, "Questions with their answers", there / "who-is-who.csv")
        nomsa.press("Take these answers")
        waits_for(nomsa, "Table and questions")
        decide(nomsa, known)


def write(nomsa: Worker) -> None:
    waits_for(nomsa, "The ratings that would come out")
    nomsa.press("Write it")
    expect(nomsa.page.get_by_text("written", exact=False).first).to_be_visible(timeout=LONG)
    expect(nomsa.main.get_by_role("button", name="Write it")).to_have_count(0, timeout=LONG)
    expect(nomsa.main.get_by_role("progressbar")).to_have_count(0, timeout=LONG)


def exported(there: Path) -> bytes:
    """The journal as a dump gives it out."""
    environment = {**os.environ, "VAR_DIR": str(there / "var"), "NO_BOOTSTRAP": "1"}
    environment["DJANGO_SETTINGS_MODULE"] = "federation_site.settings"
    command = [sys.executable, "manage.py", "export_journal", moving_in.CODE, "-o", str(there / "journal")]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    return (there / "journal").read_bytes()
