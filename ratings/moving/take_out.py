"""Writes an office's archive: as of one moment, whole or not at all."""

from __future__ import annotations

from pathlib import Path

from django.utils import translation

from players.office.decision_record import Refused
from players.office.models import Federation, Ledger
from ratings.moving.archive_file import OfficeManifest, write_zip
from ratings.moving.open_files import write_open_files
from ratings.moving.write_rows import RowWriter, members_in
from ratings.proof.program.build import current
from ratings.public.dumps.draw_dump import one_moment
from ratings.storage.atomic_file import whole_file
from ratings.storage.unfinished import unfinished_folder


def export_office(office: Federation, path: Path) -> OfficeManifest:
    """Write everything that an office holds into one archive, readable by its owner only.

    Raises `Refused` while ratings are computed, OSError where there is no room; then nothing is left.
    """
    with unfinished_folder(path.parent) as folder:
        with one_moment():
            manifest = write_members(office, folder)
        with whole_file(path) as file:
            return write_zip(file, folder, members_in(folder), manifest)


def write_members(office: Federation, folder: Path) -> OfficeManifest:
    """Write the members of an office's archive into a folder; return its manifest, still without them."""
    ledger = Ledger.objects.get(federation=office)
    if ledger.pending:
        raise Refused(
            f"The ratings of {office.code} are still to be computed, and an archive would be of neither "
            f"state: manage.py recompute {office.code}, then this again."
        )
    with translation.override("en"):
        write_open_files(office, folder)
    RowWriter(office, folder).write()
    return OfficeManifest(
        code=office.code,
        name=office.name,
        ruleset=office.ruleset_slug,
        editions=tuple(edition.name for edition in office.ruleset.editions),
        program=current().version,
        lines=ledger.facts,
        decisions=ledger.decisions,
    )
