"""Compares filed bytes with their checksums, and files with the record: what was filed, what was let go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from players.importing.models import RegisterImport
from players.office.models import Decision, Federation
from players.people.proof_files import ProofFile
from ratings.recompute.fold import checksum
from ratings.verify.report import Report
from tournaments.events.file_models import Archive, ArchivedFile, Upload
from tournaments.history.models import History, digest_of_files
from tournaments.retention.services import KIND

ABOUT = {Upload: "section", Archive: "event"}
"""The first word of what a decision that files such a row is about: there is one row for each checksum."""


@dataclass
class FilesOnRecord:
    """The files that the record speaks of, by checksum; each decision by its number."""

    named: set[str] = field(default_factory=set)
    """Files that any decision but a letting go names."""
    filed: dict[tuple[str, str], int] = field(default_factory=dict)
    """The newest filing, by checksum and the first word of what it is about."""
    kept: dict[str, int] = field(default_factory=dict)
    """The newest filing of each file, of a table, or of a proof, that nobody has taken back since."""
    written: Counter[str] = field(default_factory=Counter)
    """The number of times that a table was written to the register."""
    let_go: dict[tuple[str, date, str], int] = field(default_factory=dict)
    """The newest letting go, by checksum, day and reason."""

    def read(self, decision: Decision) -> None:
        told = decision.sealed_details["sha256"]
        if decision.kind == KIND:
            for reason, hashes in told.items():
                for sha256 in hashes:
                    self.let_go[sha256, decision.on, reason] = decision.number
            return
        for sha256 in told if isinstance(told, list) else [str(told)]:
            self._read(decision, sha256)

    def _read(self, decision: Decision, sha256: str) -> None:
        self.named.add(sha256)
        of = decision.about.partition(" ")[0]
        if decision.kind == "file":
            self.filed[sha256, of] = self.kept[sha256] = decision.number
        elif decision.kind in ("receive-register", "correct", "ask-transfer"):
            self.kept[sha256] = decision.number
        elif decision.kind == "discard" and of in ABOUT.values():  # a table's row stays
            self.kept.pop(sha256, None)
        elif decision.kind == "import-register":
            self.written[sha256] += 1


def compare(report: Report, federation: Federation) -> None:
    """Report bytes that are not those of their checksum, files that nobody filed, and bytes or files that are
    gone without a word on record.
    """
    record = _on_record(federation)
    for words in _of_histories(federation, record):
        report.differs(words)
    for rows in _files(federation):
        for row in rows.filter(content__isnull=False).iterator(20):
            report.files += 1
            if checksum(bytes(row.content or b"")) != row.sha256:
                report.differs(f"file {row.name}: its bytes are not those of its checksum")
            if row.let_go_on is not None:
                report.differs(f"file {row.name}: it is marked as let go, and its bytes are here")
        for row in rows.filter(content=None).defer("content").iterator(200):
            if words := _gone(row, record):
                report.differs(words)
        if rows.model is not ArchivedFile:  # its archive was filed
            for name, sha256 in rows.values_list("name", "sha256").iterator(2_000):
                if sha256 not in record.named:
                    report.differs(f"file {name}: no decision on record filed it")
    for history in History.objects.filter(federation=federation, let_go_on__isnull=False):
        if words := _gone(history, record):
            report.differs(words)
    for words in _missing(federation, record):
        report.differs(words)


def _of_histories(federation: Federation, record: FilesOnRecord) -> Iterator[str]:
    """Count the files of written histories as filed by the decision that wrote each; name a history whose
    files are not those of the record.
    """
    taken = Decision.objects.filter(federation=federation, kind="take-history").order_by("number")
    for decision in taken:
        told = decision.sealed_details
        history = History.objects.filter(federation=federation, sha256=told["sha256"]).first()
        if history is None or digest_of_files(history) != told["files_sha256"]:
            yield f"decision {decision.number}: the files of the history are not those that it wrote"
            continue
        for sha256 in history.files.exclude(section=None).values_list("sha256", flat=True):
            record.named.add(sha256)
            record.filed[sha256, "section"] = record.kept[sha256] = decision.number


def _files(federation: Federation) -> Iterator[Any]:
    """The rows that have bytes, or had some that nobody but the retention may take."""
    yield Upload.objects.filter(federation=federation)
    yield Archive.objects.filter(federation=federation)
    tables = RegisterImport.objects.filter(federation=federation)
    yield ProofFile.objects.filter(federation=federation)
    yield tables.exclude(state=RegisterImport.State.DISCARDED, let_go_on=None).defer("reading")
    # Others have become an upload, which has the bytes, or are no event files.
    yield ArchivedFile.objects.filter(archive__federation=federation, upload=None, reason="")


def _gone(row: Any, record: FilesOnRecord) -> str:
    """Say what is wrong with a row without bytes; nothing where the record let them go."""
    if row.let_go_on is None:
        return f"file {row.name}: its bytes are gone, and nobody let it go"
    number = record.let_go.get((row.sha256, row.let_go_on, row.let_go_because))
    if number is None:
        return f"file {row.name}: it is marked as let go on {row.let_go_on}, but not on record"
    if number < record.filed.get((row.sha256, ABOUT.get(type(row), "")), 0):
        return f"file {row.name}: it was let go on {row.let_go_on}, filed again, and its bytes are gone"
    return ""


def _missing(federation: Federation, record: FilesOnRecord) -> Iterator[str]:
    """Name each filing whose file has no row any more, and each table that the record says was written and
    that is not here as written.
    """
    tables = RegisterImport.objects.filter(federation=federation)
    here: set[str] = set()
    for rows in (Upload.objects.filter(federation=federation), Archive.objects.filter(federation=federation)):
        here.update(rows.values_list("sha256", flat=True))
    here.update(ProofFile.objects.filter(federation=federation).values_list("sha256", flat=True))
    here.update(tables.values_list("sha256", flat=True))
    for sha256, number in record.kept.items():
        if sha256 not in here:
            yield f"decision {number} filed {_short(sha256)}, which is not here, and nobody took it back"
    stored = tables.filter(state=RegisterImport.State.WRITTEN).values_list("sha256", flat=True)
    for sha256 in record.written - Counter(stored):
        yield f"table {_short(sha256)}: it was written, says the record, and is not here as it was"


def _short(sha256: str) -> str:
    return f"{sha256[:12]}…"


def _on_record(federation: Federation) -> FilesOnRecord:
    found = FilesOnRecord()
    decisions = Decision.objects.filter(federation=federation, sealed_details__has_key="sha256")
    rows = decisions.order_by("number").only("number", "kind", "on", "about", "sealed_details")
    for decision in rows.iterator(2_000):
        found.read(decision)
    return found
