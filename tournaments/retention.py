"""Retention of filed bytes: until when each file is kept, and their nightly deletion.

Bytes on which a decision rests are kept for the time in which one may appeal, and for the whole season after
it. Their rows stay, and a decision on record names the deleted files.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from itertools import islice

from django.db import transaction
from django.db.models import Max, QuerySet

from players.decision_kinds import KINDS
from players.models import Decision, Federation, LetGoReason, ProofFile, RegisterImport, Transfer
from players.record import decide, lock_ledger
from players.settings import get_settings
from tournaments.history import PREPARING_DECISION_KINDS, delete_history_content
from tournaments.models import (
    CANCELLED_OR_WITHDRAWN,
    Archive,
    ArchivedFile,
    FiledSheet,
    History,
    Section,
    Stage,
    Upload,
)

# ---- The last day of each file
DEFAULT_APPEAL_DAYS = 30
"""Days to appeal where neither regulations nor settings name any."""
PASSIVE_KINDS = [name for name, kind in KINDS.items() if not kind.decides]
CHUNK_SIZE = 500
DONE_STATES = (Upload.State.READ, Upload.State.UNREADABLE)
SETTLED_STATES = (RegisterImport.State.PLANNED, RegisterImport.State.WRITTEN, RegisterImport.State.REFUSED)
UNWRITTEN_STATES = (History.State.CHECKED, History.State.REFUSED)
FileRow = Upload | Archive | ArchivedFile | RegisterImport | ProofFile | History


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A row with bytes, the last day on which it keeps them, and the reason of their deletion after it."""

    row: FileRow
    until: date
    reason: LetGoReason


def last_day_kept(decided_on: date, *, appeal_days: int, first_month_of_season: int) -> date:
    """The last day of the season that follows the one in which the time for appeals ends.

    `first_month_of_season`: the month, 1 to 12, on whose first day each season begins.
    """
    appeals_end = decided_on + timedelta(days=appeal_days)
    season = date(appeals_end.year, first_month_of_season, 1)
    following = season.replace(year=season.year + (season <= appeals_end))
    return following.replace(year=following.year + 1) - timedelta(days=1)


def appeal_days(federation: Federation) -> int:
    """Days in which one may appeal: of the settings, else of the regulations, else thirty."""
    regulated = federation.equipment.office.powers.appeal_days
    return get_settings(federation).appeal_days or regulated or DEFAULT_APPEAL_DAYS


class Retention:
    """Computes until when each file of an office is kept; with `section`, for this section's files alone."""

    def __init__(self, federation: Federation, section: Section | None = None) -> None:
        self.federation, self.section = federation, section
        self.appeal_days = appeal_days(federation)
        self.unused = timedelta(days=get_settings(federation).draft_days)

    def files(self) -> Iterator[KeptFile]:
        """Yield all files with bytes that will be deleted, as things stand: not those under review."""
        uploads = Upload.objects.filter(
            federation=self.federation, content__isnull=False, state__in=DONE_STATES
        )
        uploads = uploads.order_by("pk").defer("content").select_related("section__event")
        for upload in uploads.iterator(CHUNK_SIZE):  # the oldest first, and no more than are asked for
            if kept := self.find_kept_upload(upload):
                yield kept
        archives = Archive.objects.filter(
            federation=self.federation, content__isnull=False, state__in=DONE_STATES
        )
        for archive in archives.order_by("pk").defer("content").iterator(CHUNK_SIZE):
            yield KeptFile(archive, archive.on + self.unused, LetGoReason.ARCHIVE)
        inside = ArchivedFile.objects.filter(
            archive__federation=self.federation, archive__state__in=DONE_STATES, content__isnull=False
        )
        for file in inside.order_by("pk").defer("content").select_related("archive").iterator(CHUNK_SIZE):
            yield KeptFile(file, file.archive.on + self.unused, LetGoReason.ARCHIVE)
        tables = RegisterImport.objects.filter(federation=self.federation, state__in=SETTLED_STATES)
        for table in tables.filter(content__isnull=False).defer("content", "reading"):
            yield KeptFile(table, (table.confirmed_on or table.on) + self.unused, LetGoReason.TABLE)
        yield from self._unwritten_histories()
        proofs = ProofFile.objects.filter(federation=self.federation, content__isnull=False)
        for proof in proofs.defer("content").select_related("transfer").iterator(CHUNK_SIZE):
            if kept := self.find_kept_proof(proof):
                yield kept

    def _unwritten_histories(self) -> Iterator[KeptFile]:
        """Yield the histories that were never written, counted from the newest decision about any of them."""
        touched = Decision.objects.filter(federation=self.federation, kind__in=PREPARING_DECISION_KINDS)
        newest = touched.aggregate(Max("on"))["on__max"]
        histories = History.objects.filter(federation=self.federation, state__in=UNWRITTEN_STATES).order_by(
            "pk"
        )
        for history in histories.defer(*History.byte_columns, "rows", "outcome"):
            last = max(day for day in (history.on, history.confirmed_on, newest) if day)
            yield KeptFile(history, last + self.unused, LetGoReason.ARCHIVE)

    def find_kept_upload(self, upload: Upload) -> KeptFile | None:
        """An upload with its last day; None while its section waits for the office's decision."""
        section = upload.section
        if upload.state == Upload.State.UNREADABLE and not upload.dialect:  # nor was it ever read before
            return KeptFile(upload, upload.on + self.unused, LetGoReason.UNREADABLE)
        if section.stage == Stage.SUBMITTED:
            return None
        last = max(upload.on, self._last_decided.get(section.key, upload.on))
        if section.stage in (Stage.RATED, Stage.REFUSED, Stage.UNRATED) or section.key in self._rated:
            return KeptFile(upload, self._season_after(last), LetGoReason.DECIDED)
        last = max(last, self._event_decided.get(section.event.number, last))
        reason = LetGoReason.CALLED_OFF if section.stage in CANCELLED_OR_WITHDRAWN else LetGoReason.DRAFT
        return KeptFile(upload, last + self.unused, reason)

    def find_kept_proof(self, proof: ProofFile) -> KeptFile | None:
        """A proof with its last day; None while its transfer is open."""
        transfer, last = proof.transfer, proof.on
        if transfer is not None:
            if transfer.state in Transfer.OPEN:
                return None
            last = max(day for day in (last, transfer.decided_on, transfer.starts) if day)
        return KeptFile(proof, self._season_after(last), LetGoReason.DECIDED)

    def _season_after(self, decided: date) -> date:
        begins = self.federation.equipment.office.season_begins
        return last_day_kept(decided, appeal_days=self.appeal_days, first_month_of_season=begins)

    @cached_property
    def _last_decided(self) -> dict[str, date]:
        """The day of the newest decision about each section, by the section's key."""
        found = self._section_decisions.exclude(kind__in=PASSIVE_KINDS).values_list("about")
        return {about.removeprefix("section "): on for about, on in found.annotate(Max("on"))}

    @cached_property
    def _event_decided(self) -> dict[str, date]:
        """The day of the newest decision about each event, by its number."""
        decisions = Decision.objects.filter(federation=self.federation, about__startswith="event ")
        if self.section:
            decisions = decisions.filter(about=f"event {self.section.event.number}")
        found = decisions.order_by().values_list("about").annotate(Max("on"))
        return {about.removeprefix("event "): on for about, on in found}

    @cached_property
    def _rated(self) -> frozenset[str]:
        """The keys of sections that were ever approved."""
        abouts = self._section_decisions.filter(kind="approve").values_list("about", flat=True)
        return frozenset(about.removeprefix("section ") for about in abouts)

    @property
    def _section_decisions(self) -> QuerySet[Decision]:
        decisions = Decision.objects.filter(federation=self.federation).order_by()
        if self.section:
            return decisions.filter(about=f"section {self.section.key}")
        return decisions.filter(about__startswith="section ")


def find_last_day_of_bytes(upload: Upload) -> date | None:
    """The last day on which an upload's bytes are kept; None while nobody has decided, or once deleted."""
    if upload.content is None:
        return None
    kept = Retention(upload.section.event.federation, upload.section).find_kept_upload(upload)
    return kept.until if kept else None


# ---- Deletion
LET_GO_KIND, ABOUT = "let-go", "files"
AT_ONCE = 100
"""The number of files that one transaction deletes and one decision names."""


def iter_due_files(federation: Federation, on: date) -> Iterator[KeptFile]:
    """Yield the files whose bytes are to be deleted on that day or before."""
    return (file for file in Retention(federation).files() if file.until < on)


def let_go(federation: Federation, on: date) -> list[KeptFile]:
    """Delete the bytes of all files that are due, and record their checksums by reason; return the files.

    Deletes `AT_ONCE` at a time, so that nobody waits long for the database. Raises `Refused` in an office
    that was restored from a backup and may record nothing yet.
    """
    gone: list[KeptFile] = []
    while some := _let_some_go(federation, on):
        gone += some
    return gone


@transaction.atomic
def _let_some_go(federation: Federation, on: date) -> list[KeptFile]:
    lock_ledger(federation)
    files, also = list(islice(iter_due_files(federation, on), AT_ONCE)), set[str]()
    for file in files:
        row = file.row
        gone: dict[str, object] = dict.fromkeys(row.byte_columns)
        if isinstance(row, RegisterImport):
            row.lines.all().delete()
            if row.state == RegisterImport.State.PLANNED:
                gone["state"] = RegisterImport.State.DISCARDED
        if isinstance(row, History):
            gone |= delete_history_content(row)
        if isinstance(row, Upload):
            also.add(f"entries {row.section.key}")
            FiledSheet.objects.filter(upload=row).delete()
            row.archived.update(said="")
        if isinstance(row, ArchivedFile):
            gone["said"] = ""
        stored = type(row)._default_manager.filter(pk=row.pk)
        stored.update(**gone, let_go_on=on, let_go_because=file.reason)
    if files:
        _record(federation, on, files, also)
    return files


def _record(federation: Federation, on: date, files: Sequence[KeptFile], also: Collection[str]) -> None:
    hashes: defaultdict[str, list[str]] = defaultdict(list)
    for file in files:
        hashes[file.reason].append(file.row.sha256)
    decide(
        federation,
        kind=LET_GO_KIND,
        by=None,
        on=on,
        about=ABOUT,
        also=also,
        number=len(files),
        sha256={reason: sorted(each) for reason, each in hashes.items()},
    )
