"""Makes an office of an archive, in one transaction, and holds all that it gives against the archive."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction

from players.office import job_lease
from players.office.models import Federation, Ledger
from ratings.intake.fact_rows_from_lines import Intake
from ratings.intake.write_office import write_facts
from ratings.law import journal
from ratings.law.interpreter_costs import uncollected
from ratings.letters.order_from_record import order_none_until_now
from ratings.moving.archive_file import (
    ArchiveReader,
    CannotTakeIn,
    OfficeManifest,
    first_difference,
    opened_archive,
    refuse_other_rules,
)
from ratings.moving.open_files import EVENTS, JOURNAL
from ratings.moving.read_rows import RowReader
from ratings.moving.take_out import write_members
from ratings.moving.write_rows import members_in
from ratings.proof.program.build import Program, current
from ratings.proof.program.models import ProgramFile
from ratings.recompute.rules_change.refold import refold
from ratings.signing.journal_tree import grow
from ratings.signing.models import Checkpoint, LogKey
from ratings.storage.unfinished import unfinished_folder
from ratings.verify import Report, verify
from tournaments.events.models import Section


def import_office(path: Path, *, at: datetime) -> tuple[Federation, OfficeManifest, Report]:
    """Make an office of an archive: every row, every line, every file, and the ratings by a replay.

    Before it is committed, everything stored is held against a replay and the chain of decisions
    (`ratings.verify`), and an archive written of it against the one that was read. Raises `CannotTakeIn`,
    with nothing written, where the archive is altered or fits not here; OSError where it cannot be read.
    """
    with opened_archive(path) as archive:
        refuse_other_rules(archive.manifest)
        _refuse_office(archive.manifest)
        with transaction.atomic(), uncollected():
            office = _write(archive)
            _fold(office)
            _hold(office, at)
            report = _checked(office)
            _refuse_another_archive(office, archive)
        return office, archive.manifest, report


def _refuse_office(manifest: OfficeManifest) -> None:
    if Federation.objects.filter(code=manifest.code).exists():
        raise CannotTakeIn(
            f"There is an office “{manifest.code}” here already. Take the archive into an installation "
            "without one."
        )


# ---------------------------------------------------------------- written


def _write(archive: ArchiveReader) -> Federation:
    _write_programs(archive)
    rows = RowReader(archive)
    office = rows.office
    record = _journal(archive)
    if record.federation.code != office.code or len(record.lines) != archive.manifest.lines:
        raise CannotTakeIn(f"{JOURNAL} is not the journal of {archive.manifest.lines} lines of {office.code}")
    _write_lines(office, record)
    decisions = office.decisions.count()
    Ledger.objects.create(federation=office, facts=len(record.lines), wanted=1, decisions=decisions)
    rows.read_after_the_lines()
    order_none_until_now(office)  # the old office has ordered them
    return office


def _journal(archive: ArchiveReader) -> journal.Journal:
    try:
        with archive.opened(JOURNAL) as lines:
            return journal.read_journal(lines)
    except journal.JournalError as error:
        raise CannotTakeIn(f"{JOURNAL}: {error.problems[0]}") from None


def _write_lines(office: Federation, record: journal.Journal) -> None:
    intake = Intake(office, record.lines)
    rows = Section.objects.filter(event__federation=office).select_related("event")
    sections = {section.key: section for section in rows}
    if missing := sorted(intake.sections.keys() - sections.keys()):
        raise CannotTakeIn(f"{JOURNAL} names section {missing[0]}, which no table has")
    write_facts(intake.rows, intake.pres, sections)


def _write_programs(archive: ArchiveReader) -> None:
    for member in _below("programs/", archive):
        program = Program(member.removesuffix(".pyz").split("-")[1], archive.content(member))
        ProgramFile.objects.get_or_create(
            sha256=program.sha256, defaults={"version": program.version, "content": program.content}
        )


def _below(folder: str, archive: ArchiveReader) -> Iterator[str]:
    return (name for name in archive.manifest.members if name.startswith(folder))


# ---------------------------------------------------------------- computed


def _fold(office: Federation) -> None:
    """Compute all ratings from the lines; lists and errata stand already, as they were published."""
    ledgers = Ledger.objects.filter(federation=office)
    ledger: Any = job_lease.claim(ledgers, ledgers.get().pk, queue=True)
    ledger.line = ledger.facts
    refold(office, ledger)


def _hold(office: Federation, at: datetime) -> None:
    """Hold an office that has signed its journal, until its operator says what was signed last: the key that
    signs is in no archive, and of two installations one alone may go on with the log.
    """
    if newest := Checkpoint.objects.of(office).order_by("-size").first():
        grow(office, newest.size)
    if LogKey.objects.filter(federation=office).exists():
        Ledger.objects.filter(federation=office).update(held=True, restored_at=at)


# ---------------------------------------------------------------- held against the archive


def _checked(office: Federation) -> Report:
    report = verify(office)
    if report.differences:
        raise CannotTakeIn(f"What the archive holds is not what a replay gives: {report.differences[0]}")
    return report


def _refuse_another_archive(office: Federation, archive: ArchiveReader) -> None:
    """Raise `CannotTakeIn` where the office's own archive would be another. Sections as TRF or table were
    written anew: by another version of the program, they may be in other words.
    """
    same_program = archive.manifest.program == current().version
    with unfinished_folder() as folder:
        write_members(office, folder)
        names = [name for name in members_in(folder) if same_program or not _rewritten(name)]
        there = [name for name in archive.manifest.members if same_program or not _rewritten(name)]
        if words := first_difference(archive, folder, names, there):
            raise CannotTakeIn(f"The archive was altered, or is not of one office: {words}")


def _rewritten(name: str) -> bool:
    return name.startswith((EVENTS, "README", "private/register.csv"))
