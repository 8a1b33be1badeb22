"""An office that has only been founded, the past that its official takes in, and what the past must give."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import django

from ratings.replay import replay
from tests.pasts import files
from tests.pasts.hand_journal import journal, number_of
from tests.pasts.play import REGIONS, Past, play

CODE, OFFICIAL = "csa", "nomsa@moving.example"
SEED = 14
KEPT_BACK = ("platform", "nation")
"""Columns that the table beside the files lacks, so that the workbench asks for them."""


def found_office() -> None:
    """Found the office, with its regions, and one official."""
    from players.appointments import create_office
    from players.models import Region, User
    from tests.browser_office import LONG_AGO, PASSWORD

    office = create_office(ruleset_slug="csa", code=CODE, official_email=OFFICIAL, on=LONG_AGO)
    office.demo = True
    office.save(update_fields=["demo"])
    for code in REGIONS:
        Region.objects.get_or_create(federation=office, code=code, defaults={"name": code})
    user = User.objects.get(email=OFFICIAL)
    user.set_password(PASSWORD)
    user.save()


def made_up(count: int, folder: Path) -> tuple[Past, Path, Path]:
    """A past of so many files, with misspelt, married and doubled people; its ZIP, and its table."""
    past = play(count, files.DIALECTS, SEED, doubts=True)
    archive, table = folder / "past.zip", folder / "table.csv"
    with ZipFile(archive, "w", ZIP_DEFLATED) as packed:
        for name, data in files.all_files(past).items():
            packed.writestr(name, data)
    table.write_bytes(_without(files.table(past, lists=True), KEPT_BACK))
    return past, archive, table


def _without(table: bytes, columns: tuple[str, ...]) -> bytes:
    rows = list(csv.DictReader(io.StringIO(table.decode())))
    out = io.StringIO()
    left = csv.DictWriter(out, [name for name in rows[0] if name not in columns], extrasaction="ignore")
    left.writeheader()
    left.writerows(rows)
    return out.getvalue().encode()


def assert_as_by_hand(past: Past, exported: bytes) -> None:
    """The office's journal gives the ratings of the one that somebody who was there would write."""
    names = _numbers(past, exported)
    assert _ratings(exported, past, names) == _ratings(journal(past), past, {})


def _numbers(past: Past, exported: bytes) -> dict[str, str]:
    """The office's number of each person, and that of the journal by hand: one for one."""
    by_event = {section.event: section for section in past.sections}
    pairs = set()
    for line in map(json.loads, exported.splitlines()):
        if line["fact"] == "section":
            seats = by_event[line["event"]].seats
            entries = zip(line["entries"], seats, strict=True)
            pairs |= {(entry["player"], number_of(who)) for entry, who in entries}
    found = dict(pairs)
    assert len(found) == len(pairs) == len(set(found.values())), "people are mixed"
    return found


def _ratings(lines: bytes, past: Past, names: dict[str, str]) -> list[Any]:
    rows = replay(lines, past.lists()[-1])["ratings"]
    rows = [{**row, "player": names.get(row["player"], row["player"]), "name": ""} for row in rows]
    return sorted(rows, key=lambda row: (row["player"], row["track"]))


if __name__ == "__main__":
    django.setup()
    found_office()
