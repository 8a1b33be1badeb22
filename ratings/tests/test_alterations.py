"""An office in which anything was altered by SQL: the triggers refuse it, and where they are off `verify`
names the row, also where every hash in the database was worked out again.

A slice on every run; more, others with each seed: `make night-alterations` (SEED=… repeats them).
"""

from __future__ import annotations

import json
import os
import random
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.db import DatabaseError, models, transaction
from django.utils import timezone

from players.models import Decision, Federation, Ledger
from players.record import decide
from ratings import approval, check
from ratings.journal import JournalWriter, journal_lines
from ratings.models import Checkpoint, LogKey, RatingList
from ratings.pages.proof import checkpoint_of, list_file_content
from ratings.recompute import checksum
from ratings.signing import sign_due_checkpoints
from ratings.tests.alterations import (
    ALTERATIONS,
    PUBLISHED,
    Alteration,
    a_decisions_words,
    a_deleted_name,
    a_lines_columns,
    a_name_as_it_is_shown,
    a_section_as_it_is_shown,
    a_standing,
    a_stated_pre,
    triggers_off,
)
from ratings.tests.alterations_hashed_anew import (
    HASHED_ANEW,
    a_counter,
    a_deleted_file,
    a_file_with_its_checksum,
    a_forged_line_far_away,
)
from ratings.tests.lived_in import lived_in
from ratings.tests.office import FIRST, approved, published, recompute_all, register, strangers, submitted
from ratings.tests.values_altered import Column, alter, columns_with_a_source, draw_row, part_of
from ratings.verify import Report, verify
from tests.built_once import built_once
from tournaments.models import Remark, Section, Upload

pytestmark = pytest.mark.django_db
EVERY = (*ALTERATIONS, *HASHED_ANEW)
COUNT = int(os.environ.get("ALTERATIONS", len(EVERY)))
SEED = int(os.environ.get("SEED", "6"))
NOT_WRITTEN_ONCE: tuple[Alteration, ...] = (
    a_lines_columns, a_stated_pre, a_decisions_words, a_deleted_name, a_section_as_it_is_shown,
    a_name_as_it_is_shown, a_standing, a_forged_line_far_away, a_file_with_its_checksum, a_counter,
    a_deleted_file,
)  # fmt: skip
"""Alterations of what may change or be deleted, or that add a row."""


@pytest.fixture
@built_once
def invented_office(csa: Federation) -> Federation:
    """Three events, one un-rated with words, two lists, more than a tile of lines, signed to the end."""
    players = register(csa, 12)
    for week in range(3):
        days = FIRST + timedelta(weeks=week)
        section = submitted(csa, players, number=f"2024-00{week}", ends=days, rounds=11, seed=week)
        approved(section)
        if week == 1:
            section.refresh_from_db()
            approval.unrate(
                section=section, by=None, on=days, version=section.version, reason="result", words="slip"
            )
        recompute_all(csa)
        if week < 2:
            published(csa, days + timedelta(days=5))
    with transaction.atomic():
        writer = JournalWriter(csa, Ledger.objects.select_for_update().get(federation=csa))
        writer.write_players(strangers(range(260)))
    file_with_bytes(section)
    sign_due_checkpoints(csa, at=timezone.now())
    return csa


def file_with_bytes(section: Section) -> None:
    """A file as it was filed, with its decision."""
    office, at = section.event.federation, timezone.now()
    told: dict[str, Any] = {
        "name": "a.trf",
        "size": 1,
        "sha256": checksum(b"x"),
        "content": b"x",
        "state": Upload.State.READ,
    }
    Upload.objects.create(federation=office, section=section, at=at, on=at.date(), **told)
    decide(office, kind="file", by=None, on=at.date(), about=f"section {section.key}", sha256=told["sha256"])


def found(report: Report) -> str:
    return "\n".join(report.differences)


def test_an_office_that_nobody_altered_has_no_difference(invented_office: Federation) -> None:
    assert found(verify(invented_office)) == ""


@pytest.mark.long
def test_every_alteration_is_named(invented_office: Federation) -> None:
    print(f"SEED={SEED} ALTERATIONS={COUNT}")
    unseen = []
    for number in range(COUNT):
        alter, rng = EVERY[number % len(EVERY)], random.Random(SEED + number)
        held = transaction.savepoint()
        with triggers_off():
            words = alter(invented_office, rng)
            told = found(verify(invented_office))
        transaction.savepoint_rollback(held)
        if words not in told:
            unseen.append(f"{alter.__name__} ({SEED + number}): “{words}” is not in:\n{told}")
    assert not unseen, "\n\n".join(unseen)
    assert verify(invented_office).differences == []


def test_no_alteration_of_what_is_written_once_passes_the_triggers(invented_office: Federation) -> None:
    for number in range(COUNT):
        alter = EVERY[number % len(EVERY)]
        if alter in NOT_WRITTEN_ONCE:
            continue
        with pytest.raises(DatabaseError, match="is written once and never changed"), transaction.atomic():
            alter(invented_office, random.Random(SEED + number))
            pytest.fail(f"not refused: {alter.__name__}")
    assert verify(invented_office).differences == []


# ---------------------------------------------------------------- any value with a source


REFUSED: list[Column] = [
    ("tournaments.Correction", "before"), ("tournaments.Correction", "after"),
    ("ratings.PastChange", "after"),
]  # fmt: skip
SHOWN_BESIDE_RATINGS: list[Column] = [
    ("tournaments.Event", "name"), ("tournaments.Event", "place"), ("tournaments.Event", "organizer"),
    ("tournaments.Event", "arbiters"), ("tournaments.Section", "registered_on"),
    ("tournaments.Section", "filed_on"), ("tournaments.Section", "submitted_on"),
    ("tournaments.Section", "particulars"), ("tournaments.Section", "round_dates"),
    ("players.Player", "nation"), ("players.Player", "title"), ("players.Player", "club"),
    ("players.Player", "deceased"), ("players.Player", "born"), ("players.BirthDate", "day"),
    ("tournaments.Entry", "surname"), ("tournaments.Finding", "waived_because"),
    ("tournaments.FiledSheet", "content"), ("players.Federation", "settings"), *REFUSED,
]  # fmt: skip


@pytest.fixture
@built_once
def lived_in_office(db: None) -> Federation:
    return lived_in("csa")


class Named(BaseException):
    """`verify` named a difference; it catches errors itself."""


def names_something(office: Federation) -> bool:
    """Whether `verify` names a difference; it ends with the first, so that a thousand take minutes."""

    def add(report: Report, words: str) -> None:
        raise Named

    try:
        with patch.object(Report, "add", add):
            return bool(verify(office).differences)
    except Named:
        return True


def passes(office: Federation, column: Column, rng: random.Random) -> bool | None:
    """Whether an altered value is neither refused nor named; None if there was none to alter."""
    row, held = draw_row(column, rng), transaction.savepoint()
    try:
        with transaction.atomic():
            if row is None or not alter(row, column[1], rng):
                return None
        return not names_something(Federation.objects.get(pk=office.pk))
    except DatabaseError as refused:
        return None if "is written once and never changed" not in str(refused) else False
    finally:
        transaction.savepoint_rollback(held)


def test_what_pages_show_beside_the_ratings_is_refused_or_named(lived_in_office: Federation) -> None:
    """A value of each kind, all at once; each row is named, or the database refuses."""
    rng = random.Random(SEED)
    named: list[tuple[models.Model, str]] = []
    refused: list[tuple[Column, str]] = []
    for column in SHOWN_BESIDE_RATINGS:
        row = draw_row(column, rng, but=[row for row, _words in named])
        assert row is not None, column
        words = part_of(row) if column[0] != "tournaments.Finding" else "has the words of a waiver"
        try:
            with transaction.atomic():
                assert alter(row, column[1], rng), column
        except DatabaseError as error:
            refused.append((column, str(error)))
        else:
            named.append((row, words))
    said = Decision.objects.filter(kind="note").first()
    assert said is not None
    Remark.objects.filter(decision=said)._raw_delete("default")
    named.append((said, f"decision {said.number} (note section"))
    told = found(verify(Federation.objects.get(code="csa")))
    assert [words for _row, words in named if words not in told] == []
    assert [column for column, _words in refused] == REFUSED


@pytest.mark.parametrize(
    "column",
    [
        ("ratings.Change", "since"), ("players.ProofFile", "let_go_because"),
        ("tournaments.Upload", "let_go_because"), ("players.HeldPart", "salt"),
        ("tournaments.Remark", "answers_to"), ("ratings.Fact", "fingerprint"),
    ],
)  # fmt: skip
def test_no_value_of_a_column_that_once_passed_passes(lived_in_office: Federation, column: Column) -> None:
    """Any of a few rows: a salt of old, an answer to another question, a file that is half let go."""
    rng = random.Random(SEED)
    assert not any(passes(lived_in_office, column, rng) for _each in range(8))


def test_any_value_with_a_source_that_is_altered_is_refused_or_named(lived_in_office: Federation) -> None:
    columns, rng = columns_with_a_source(), random.Random(SEED)
    count = int(os.environ.get("ALTERATIONS", 6))
    print(f"SEED={SEED} ALTERATIONS={count}")
    passed, done = [], 0
    while done < count:
        column = rng.choice(columns)
        if (outcome := passes(lived_in_office, column, rng)) is not None:
            done += 1
            passed += [".".join(column)] if outcome else []
    assert not passed
    assert verify(lived_in_office).differences == []


# ---------------------------------------------------------------- seen from outside


def kept_files(office: Federation, folder: Path) -> list[str]:
    """Each list's file as the site serves it now."""
    folder.mkdir(exist_ok=True)
    files = []
    for rating_list in RatingList.objects.filter(federation=office).select_related("fact", "federation"):
        file = folder / f"{rating_list.on}-{rating_list.track}.json"
        file.write_text(json.dumps(list_file_content(rating_list, checkpoint_of(rating_list))))
        files.append(str(file))
    return files


def agrees(office: Federation, folder: Path, kept: list[str], vkey: str) -> bool:
    """Whether `ratings.check` finds the journal of now, and the lists of now, to be those that were kept."""
    journal = folder / "journal.ndjson"
    journal.write_text("".join(f"{line}\n" for line in journal_lines(office)))
    now = kept_files(office, folder / "now")
    served = LogKey.objects.get(federation=office).vkey
    runs = ((kept, vkey), (kept, served), (now, vkey))
    since = ["--since", str(folder / "checkpoint")]
    return all(check.main([str(journal), *files, *since, "--key", key]) == 0 for files, key in runs)


def test_an_alteration_of_what_is_published_is_shown_by_the_check_program_alone(
    invented_office: Federation, tmp_path: Path
) -> None:
    print(f"SEED={SEED} ALTERATIONS={COUNT}")
    vkey = LogKey.objects.get().vkey
    kept = kept_files(invented_office, tmp_path / "kept")
    newest = Checkpoint.objects.newest_first()[0]
    (tmp_path / "checkpoint").write_text(newest.note)
    assert agrees(invented_office, tmp_path, kept, vkey)
    for number in range(min(COUNT, 20 * len(PUBLISHED)) if len(EVERY) < COUNT else len(PUBLISHED)):
        alter, rng = PUBLISHED[number % len(PUBLISHED)], random.Random(SEED + number)
        held = transaction.savepoint()
        with triggers_off():
            alter(invented_office, rng)
            assert not agrees(invented_office, tmp_path, kept, vkey), f"{alter.__name__} ({SEED + number})"
        transaction.savepoint_rollback(held)
