"""Uploads of event files, and of ZIP archives with files of several sections, from receipt to reading.

Receiving and discarding are one transaction and one decision each. The worker leases a row, since the row is
the job, and reads its file in a box; regions take turns, so that one with two hundred files does not delay
the others.
"""

import hashlib
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial
from typing import Any, ClassVar, TypeVar

import structlog
from django.db import transaction
from django.db.models import Count, Min, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from players import jobs
from players.display import day_in_words
from players.files import NoRoom, clean_file_name, deletion_message, refuse_beyond_room
from players.models import User
from players.record import Refused, lock_ledger
from players.seals import SealedWords
from tournaments.box import BoxDied, read_boxed, unpack_boxed
from tournaments.entries import delete_unnamed_players, players_gone
from tournaments.filing import (
    ReadingSuperseded,
    block_unaccepted_kind,
    empty_section,
    encode_reason,
    outline_sheet,
    store_reading,
)
from tournaments.formats.archive import MOST_PACKED, ListedFile, Listing
from tournaments.formats.file_check import list_unused_lines
from tournaments.formats.sheet import FileAdjustment, FileFinding, Reading, dump
from tournaments.models import (
    CANCELLED_OR_WITHDRAWN,
    Archive,
    ArchivedFile,
    Event,
    FileJob,
    Section,
    Stage,
    Upload,
    UploadQuerySet,
)
from tournaments.registration import SectionParticulars, add_sections
from tournaments.sections import lock_section, record, was_rated

# ---- Turns of regions. One event file and one archive of each region are announced at a time. The worker
# that read it announces the region's next one, whose message queues up behind those of all others.
Job = TypeVar("Job", bound=FileJob)


def wake_worker_on_commit(job: FileJob, kind: str) -> None:
    """Wake the worker for a file on commit, unless an older one of its region waits, which announces it."""
    transaction.on_commit(lambda: _announce(job, kind))


def _announce(job: FileJob, kind: str) -> None:
    model = type(job)
    region = model._default_manager.filter(pk=job.pk).values(model.to_region)
    waiting = model._default_manager.filter(state=FileJob.State.WAITING, pk__lt=job.pk)
    if not waiting.filter(**{f"{model.to_region}__in": region}).exists():
        jobs.wake_for(kind, job.pk)


def jobs_of_same_region(rows: QuerySet[Job], key: int) -> QuerySet[Job]:
    """Those of the jobs that come from the region of the job with this key, the oldest first."""
    path = rows.model.to_region
    region = rows.model._default_manager.filter(pk=key).values_list(path, flat=True).first()
    return rows.filter(**{path: region}).order_by("pk") if region else rows.none()


def oldest_job_of_each_region(rows: QuerySet[Job]) -> list[int]:
    """The key of each region's oldest job that no worker has, the region with the fewest jobs first."""
    regions = jobs.free(rows).order_by().values(rows.model.to_region)
    oldest = regions.annotate(count=Count("pk"), oldest=Min("pk")).order_by("count", "oldest")
    return list(oldest.values_list("oldest", flat=True))


# ---- A section's file
MOST_BYTES = 2 * 1024 * 1024
TOO_BIG = gettext_lazy(
    "The file is larger than 2 MB. Event files are smaller: check that you chose the right file."
)


FILES_FLOOD = gettext_lazy(
    "You sent %(most)s files within an hour, which is the most that one person may send. Try again in an"
    " hour."
)


class KnownAsArchive(Refused):
    """Raised for a section's file whose bytes were uploaded before as an archive of several sections."""

    def __init__(self, archive: Archive) -> None:
        super().__init__(describe_known_archive(archive))
        self.archive = archive


class FiledElsewhere(Refused):
    """Raised for a file that another section has now, or one of another region can go back to."""

    def __init__(self, upload: Upload) -> None:
        super().__init__(describe_known_upload(upload))
        self.upload = upload


@transaction.atomic
def receive_file(
    *,
    section: Section,
    by: User | None,
    at: datetime,
    on: date,
    name: str,
    data: bytes,
    from_archive: bool = False,
    move: bool = False,
    key: str = "",
) -> tuple[Upload, bool]:
    """Save an event file for the worker to read; return its upload, and whether the same bytes were uploaded
    before, whose first upload it then is.

    `from_archive`: the bytes move here from an archive's file, and need no further room; `move`: a section
    of the region that has the file now, and can be filed, gives it up; `key`: the name of
    that with which a program sent it. Raises `FiledElsewhere`.
    """
    locked = lock_section(section)
    refuse_upload_before_play(locked.starts, on)
    if not data.strip():
        raise Refused(_("The file is empty. Export the tournament again and upload the new file."))
    if len(data) > MOST_BYTES:
        raise Refused(str(TOO_BIG))
    if locked.uploads.waiting().exists():
        raise Refused(_("The office is still reading the previous file. Wait until that is finished."))
    sha256 = hashlib.sha256(data).hexdigest()
    federation = locked.event.federation
    same = Archive.objects.filter(federation=federation, sha256=sha256)
    if archive := same.exclude(state=State.UNREADABLE).first():
        raise KnownAsArchive(archive)
    uploads = Upload.objects.filter(federation=federation, sha256=sha256)
    known = uploads.select_related("section__event__region").first()
    also: list[str] = []
    if known and known.section_id != locked.pk:
        elsewhere = known.section.event.region_id != locked.event.region_id
        anothers = elsewhere and known.state == State.READ and known.section.stage != Stage.WITHDRAWN
        if (anothers or stands(known)) and not (move and is_movable(known, locked)):
            raise FiledElsewhere(known)
        if known.waits or known == known.section.uploads.held():
            _take_out(lock_section(known.section, stages=tuple(Stage)), [known], by, on)
        also = [known.section.named_on_record, f"entries {known.section.key}"]
    elif (
        known
        and known.state != State.UNREADABLE
        and known.content is not None
        and known == locked.uploads.newest()
    ):
        return known, True
    if (known is None or known.content is None) and not from_archive:
        refuse_beyond_room(len(data), federation, locked.event.region)
    upload = known or Upload(federation=federation, sha256=sha256, size=len(data))
    upload.content, upload.let_go_on, upload.let_go_because = data, None, ""
    upload.section, upload.name = locked, clean_file_name(name)
    upload.by, upload.at, upload.on = by, at, on
    upload.state, upload.attempts, upload.progress, upload.reason = Upload.State.WAITING, 0, 0, ""
    upload.holder = upload.heartbeat = None  # who reads it for another section stores nothing
    upload.save()
    sent_by = {"key": SealedWords(key)} if key else {}
    record(locked, "file", by, on, also=also, sha256=sha256, **sent_by)
    wake_worker_on_commit(upload, "uploads")
    return upload, known is not None


def stands(upload: Upload) -> bool:
    """Whether the upload's section has that file now: not one that could not be read, that a later one
    replaced, or of a section that is refused or not played.
    """
    section = upload.section
    if section.stage in (Stage.REFUSED, *CANCELLED_OR_WITHDRAWN):
        return False
    return upload.waits or upload == section.uploads.held()


def is_movable(upload: Upload, section: Section) -> bool:
    """Whether the file can move to this section: its own is of the same region, and open to filing."""
    same_region = upload.section.event.region_id == section.event.region_id
    return same_region and upload.section.open_to_filing and upload.content is not None


@transaction.atomic
def move_file(*, upload: Upload, section: Section, by: User, on: date) -> None:
    """Give the file of one section to another of the region; the first goes back to its file before."""
    terms: dict[str, Any] = {"name": upload.name, "data": bytes(upload.content or b""), "move": True}
    receive_file(section=section, by=by, at=timezone.now(), on=on, **terms)


@transaction.atomic
def discard_unreviewed_files(*, section: Section, by: User | None, on: date, version: int) -> None:
    """Remove the files that came since the office last reviewed the section, and read the reviewed one again.

    Raises `Refused` if the section was ever rated or has no such file.
    """
    stages = (Stage.REGISTERED, Stage.FILED, Stage.RETURNED)
    locked = lock_section(section, version=version, stages=stages)
    if was_rated(locked):
        raise Refused(
            _(
                "This section was rated before, so its files cannot be removed. Upload the "
                "corrected file instead."
            )
        )
    gone = list(removable_files(locked).defer("content"))
    if not locked.uploads.exists():
        raise Refused(_("This section has no file: there is nothing to remove."))
    if not gone:
        raise Refused(_("The office has reviewed this file, so it stays. Upload the corrected file instead."))
    # Give files of a section back to their archives, which can give them to another section.
    for file in ArchivedFile.objects.filter(upload__in=gone).select_related("upload"):
        if upload := file.upload:
            file.content, file.upload = upload.content, None
            file.let_go_on, file.let_go_because = upload.let_go_on, upload.let_go_because
            file.save(update_fields=["content", "upload", "let_go_on", "let_go_because"])
    locked.uploads.filter(pk__in=[each.pk for each in gone]).delete()
    _take_out(locked, gone, by, on)


def _take_out(locked: Section, gone: Sequence[Upload], by: User | None, on: date) -> None:
    """Empty a section whose files are gone, and have its last other file read again as if it came now. One
    that is cancelled or refused stays so.
    """
    empty_section(locked)
    stage = Stage(locked.stage if locked.open_to_filing else locked.stage_before or Stage.REGISTERED)
    stage = Stage.UNRATED if was_rated(locked) else Stage.REGISTERED if stage == Stage.FILED else stage
    filed_on = None if stage == Stage.REGISTERED else locked.filed_on
    if not locked.open_to_filing:
        locked.stage_before, stage = stage, Stage(locked.stage)
    locked.id_kind, locked.filed_on = "", filed_on
    locked.stage, locked.version = stage, locked.version + 1
    locked.save()
    no_more = players_gone(delete_unnamed_players(locked))
    record(locked, "discard", by, on, sha256=[each.sha256 for each in gone], **no_more)
    others = locked.uploads.exclude(pk__in=[each.pk for each in gone]).filter(content__isnull=False)
    if stayed := others.defer("content").held():
        stayed.state, stayed.attempts, stayed.progress = Upload.State.WAITING, 0, 0
        stayed.save(update_fields=["state", "attempts", "progress"])
        wake_worker_on_commit(stayed, "uploads")


def removable_files(section: Section) -> UploadQuerySet:
    """The section's files that its region may remove: those that came since the office last returned it."""
    decisions = section.event.federation.decisions.filter(kind="return", about=f"section {section.key}")
    returned = decisions.order_by("-number").first()
    return section.uploads.filter(at__gt=returned.at) if returned else section.uploads.all()


def find_reviewed_file(section: Section) -> Upload | None:
    """The file that counts again once the newer ones are removed, if any."""
    stay = section.uploads.exclude(pk__in=removable_files(section)).filter(content__isnull=False)
    return stay.filter(state=Upload.State.READ).defer("content").newest()


def refuse_upload_before_play(starts: date, on: date) -> None:
    """Raise `Refused` if a file is uploaded before the first day of play."""
    if on < starts:
        raise Refused(
            _(
                "Files can be uploaded from %(day)s on, the first day of play. If play began earlier, correct"
                " the days first."
            )
            % {"day": day_in_words(starts)}
        )


def describe_known_upload(upload: Upload) -> str:
    words = _(
        "The same file was filed on %(day)s for %(event)s, section %(section)s (%(number)s). Choose the "
        "file of this section. %(otherwise)s"
    )
    return words % {
        "day": day_in_words(upload.on),
        "otherwise": _removal_advice(upload.section),
        "event": upload.section.event.name,
        "section": upload.section.name,
        "number": upload.section.key,
    }


def _removal_advice(section: Section) -> str:
    if section.stage == Stage.SUBMITTED:
        return _("If it was filed there by mistake, withdraw that submission first.")
    if section.stage == Stage.RATED:
        return _("An official approved that section; if this is wrong, tell the office.")
    return _(
        "If it was filed there by mistake, it can be moved here; for another region, the office does so."
    )


def describe_known_archive(archive: Archive) -> str:
    words = _(
        "The same ZIP archive was uploaded on %(day)s for %(event)s (%(number)s). Choose the archive of "
        "this event."
    )
    event = archive.event
    return words % {"day": day_in_words(archive.on), "event": event.name, "number": event.number}


# ---- A ZIP with files of several sections
ARCHIVE_TOO_BIG = gettext_lazy(
    "The archive is larger than 5 MB. Pack only the event files, or upload each file on the page of its "
    "section."
)


@dataclass(frozen=True, slots=True)
class FileDestination:
    """The destination of one file of an archive: a section, by its code, a new section, or neither."""

    file: int
    """The file's number in the archive."""
    section: str = ""
    new: SectionParticulars | None = None


DistributionOutcome = tuple[str, Section | None, str]
"""A file's name, the section that now has it, and why it was refused; with neither, it was left out."""


@transaction.atomic
def receive_archive(
    *, event: Event, by: User | None, at: datetime, on: date, name: str, data: bytes
) -> tuple[Archive, bool]:
    """Save a ZIP for the worker to unpack; return it, and whether the same bytes were uploaded before."""
    lock_ledger(event.federation)
    refuse_upload_before_play(event.starts, on)
    if not data:
        raise Refused(_("The file is empty. Pack the event files into a ZIP archive and upload that."))
    if len(data) > MOST_PACKED:
        raise Refused(str(ARCHIVE_TOO_BIG))
    sha256 = hashlib.sha256(data).hexdigest()
    filed = Upload.objects.filter(federation=event.federation, sha256=sha256).first()
    if filed and stands(filed):
        raise Refused(describe_known_upload(filed))
    known = Archive.objects.filter(federation=event.federation, sha256=sha256).first()
    if known and known.state != Archive.State.UNREADABLE:
        if known.event_id != event.pk:
            raise Refused(describe_known_archive(known))
        if known.content is not None or known.files.filter(upload__isnull=False).exists():
            return known, True
    if known is None or known.content is None:
        refuse_beyond_room(len(data), event.federation, event.region)
    archive = known or Archive(federation=event.federation, sha256=sha256, size=len(data))
    also = [known.event.named_on_record] if known else []
    archive.event, archive.section, archive.content = event, None, data
    archive.name, archive.by, archive.at, archive.on = clean_file_name(name), by, at, on
    _save_waiting(archive, also)
    return archive, known is not None


def _save_waiting(archive: Archive, also: Collection[str]) -> None:
    """Save an archive as new, with its decision; `also`: other parts that changed."""
    archive.state, archive.attempts, archive.progress, archive.reason = Archive.State.WAITING, 0, 0, ""
    archive.let_go_on, archive.let_go_because = None, ""
    archive.save()
    archive.files.all().delete()
    record(archive.event, "file", archive.by, archive.on, also=also, sha256=archive.sha256)
    wake_worker_on_commit(archive, "archives")


@transaction.atomic
def convert_to_archive(upload: Upload) -> bool:
    """Turn an upload of several files into an archive of the event; return False if these bytes are one.

    Raises `ReadingSuperseded` if the upload is no longer being read.
    """
    section = lock_section(upload.section, stages=tuple(Stage))
    if not section.open_to_filing or not jobs.lock_claimed(upload):
        raise ReadingSuperseded
    same = Archive.objects.filter(federation=upload.federation, sha256=upload.sha256)
    if same.exclude(state=Archive.State.UNREADABLE).exists():
        return False
    known = same.first()
    archive = known or Archive(federation=upload.federation, sha256=upload.sha256)
    also = [known.event.named_on_record] if known else []
    archive.event, archive.section = section.event, section
    for field in ("by", "at", "on", "name", "size", "content"):
        setattr(archive, field, getattr(upload, field))
    jobs.claimed_rows(upload).delete()
    _save_waiting(archive, also)
    return True


@transaction.atomic
def discard_archive(*, archive: Archive, by: User | None, on: date) -> None:
    """Delete an archive; raises `Refused` if a section has a file of it."""
    lock_ledger(archive.federation)
    if archive.files.filter(upload__isnull=False).exists():
        raise Refused(
            _(
                "Sections use files of this archive, so you cannot discard it. "
                "Remove a file on its section's page."
            )
        )
    archive.delete()
    record(archive.event, "discard", by, on, sha256=[archive.sha256])


@transaction.atomic
def keep_files(archive: Archive, listing: Listing, contents: Sequence[bytes]) -> None:
    """Save an archive's files as rows; none, and the reason in the archive, if there is no room for them.

    Raises `ReadingSuperseded` if the archive is no longer being read.
    """
    lock_ledger(archive.federation)
    if not jobs.lock_claimed(archive):
        raise ReadingSuperseded
    try:
        refuse_beyond_room(sum(map(len, contents)), archive.federation, archive.event.region)
    except NoRoom as refused:
        archive.reason = encode_reason([FileFinding("blocks", "no-room", params=refused.params)])
        return
    follow = iter(contents)
    ArchivedFile.objects.bulk_create(
        _refused_file(archive, number, listed)
        if listed.reason
        else _waiting_file(archive, number, listed, next(follow))
        for number, listed in enumerate(listing.files, 1)
    )
    if listing.findings:
        archive.reason = encode_reason(listing.findings)


def _refused_file(archive: Archive, number: int, listed: ListedFile) -> ArchivedFile:
    reason = encode_reason([FileFinding("blocks", listed.reason)])
    return ArchivedFile(archive=archive, number=number, name=listed.name, size=0, seen=True, reason=reason)


def _waiting_file(archive: Archive, number: int, listed: ListedFile, content: bytes) -> ArchivedFile:
    return ArchivedFile(
        archive=archive,
        number=number,
        name=listed.name,
        size=listed.size,
        sha256=hashlib.sha256(content).hexdigest(),
        content=content,
    )


def look_at(file: ArchivedFile, reading: Reading) -> None:
    """Save the tournament, players, days … of an archive's file, with what the reader found and adjusted; or
    why it is no event file.
    """
    summary: dict[str, Any]
    if reading.sheet:
        adjusted = (*reading.adjustments, *list_unused_lines(reading.sheet))
        summary = outline_sheet(reading.sheet) | {"said": dump(Reading(None, reading.findings, adjusted))}
    else:
        summary = {"content": None, "reason": encode_reason(reading.findings)}
    ArchivedFile.objects.filter(pk=file.pk).update(seen=True, blocked=reading.blocked, **summary)


@transaction.atomic
def distribute_files(
    *, archive: Archive, by: User | None, at: datetime, on: date, destinations: Sequence[FileDestination]
) -> list[DistributionOutcome]:
    """Make each file of an archive an upload of the section that its share names. A refused file stays in
    the archive, and its outcome says why.
    """
    lock_ledger(archive.federation)
    locked = Archive.objects.select_for_update(of=("self",)).select_related("event__federation")
    archive = locked.get(pk=archive.pk)
    if archive.state != Archive.State.READ:
        raise Refused(_("The archive is still being read. Wait until that is done."))
    outcomes = [_share(archive, share, by=by, at=at, on=on) for share in destinations]
    given = {section.code: name for name, section, _refused in outcomes if section}
    left_out = [name for name, section, refused in outcomes if not section and not refused]
    if given or left_out:
        words = SealedWords(left_out)
        record(archive.event, "share", by, on, sha256=archive.sha256, files=given, left_out=words)
    return outcomes


def _share(
    archive: Archive, share: FileDestination, *, by: User | None, at: datetime, on: date
) -> DistributionOutcome:
    file = archive.files.filter(number=share.file).select_related("upload__section").first()
    if file is None:
        return str(share.file), None, _("The archive has no such file.")
    if not share.section and not share.new:
        archive.files.filter(pk=file.pk).update(left_out=True)
        return file.name, None, ""
    try:
        with transaction.atomic():
            if file.upload:
                raise Refused(describe_known_upload(file.upload))
            if file.let_go_on:
                raise Refused(f"{deletion_message(file)} {_('Upload it again on the page of its section.')}")
            if file.content is None:
                raise Refused(_("This is not an event file. Leave it out."))
            section = _section(archive.event, share, by=by, on=on)
            upload, _known = receive_file(
                section=section,
                by=by,
                at=at,
                on=on,
                name=file.name,
                data=bytes(file.content),
                from_archive=True,
                move=True,
            )
            file.upload, file.content, file.left_out = upload, None, False
            file.save(update_fields=["upload", "content", "left_out"])
            return file.name, section, ""
    except Refused as refused:
        return file.name, None, str(refused)


def _section(event: Event, share: FileDestination, *, by: User | None, on: date) -> Section:
    if share.new:
        [section] = add_sections(event=event, by=by, on=on, sections=[share.new])
        return section
    found = event.sections.filter(code=share.section).first()
    if found is None:
        raise Refused(_("The event no longer has this section. Check the event as it is now, and try again."))
    return found


def _add_origin(upload: Upload, reading: Reading) -> Reading:
    """The reading with the archive that held the file, if any, as its first adjustment."""
    file = upload.archived.select_related("archive").first()
    if file is None:
        return reading
    archive = f"{file.archive.name[:100]}, SHA-256 {file.archive.sha256}"
    return replace(
        reading, adjustments=(FileAdjustment("unpacked", None, archive, file.name), *reading.adjustments)
    )


def get_filed_uploads(archive: Archive) -> dict[str, Upload]:
    """The uploads, by checksum, of an archive's files that are filed already, from it or otherwise."""
    hashes = archive.files.exclude(sha256="").values_list("sha256", flat=True)
    filed = Upload.objects.filter(federation=archive.federation, sha256__in=list(hashes))
    related = filed.select_related("section__event__federation").defer("content")
    return {upload.sha256: upload for upload in related if stands(upload)}


# ---- The worker's part: reading in a box
log = structlog.get_logger("tournaments.uploads")
MOST_LOOKING = 120.0
"""Seconds for all files of an archive together; files read by then are not read again."""
State = FileJob.State


def _read_upload(upload: Upload) -> None:
    data = bytes(upload.content or b"")
    country = _country(upload.section.event)
    reading = read_boxed(data, upload.name, country=country, on_progress=partial(_beat_in_box, upload))
    jobs.beat(upload, progress=60)
    several = reading.sheet is None and any(each.key == "zip-of-several" for each in reading.findings)
    if not (several and convert_to_archive(upload)):
        store_reading(upload, _add_origin(upload, reading))


def _read_archive(archive: Archive) -> None:
    if not archive.files.exists():
        data = bytes(archive.content or b"")
        keep_files(
            archive, *unpack_boxed(data, on_progress=lambda seconds: _beat_in_box(archive, seconds / 9))
        )
    # Each file is read in a box of its own, so that a bad one does not affect the others.
    files = list(archive.files.filter(seen=False))
    started = time.monotonic()
    for number, file in enumerate(files):
        if time.monotonic() - started > MOST_LOOKING:
            raise BoxDied("box-time")
        jobs.beat(archive, progress=15 + 80 * number // len(files))
        look_at(file, block_unaccepted_kind(_read_file(archive, file), archive.federation.ruleset))
    close_archive(archive)


def close_archive(archive: Archive) -> None:
    """End the job of reading an archive: as unreadable if `archive.reason` says why, else as read."""
    state = State.UNREADABLE if archive.reason else State.READ
    jobs.release(archive, state=state, reason=archive.reason, progress=100)


def _country(event: Event) -> str:
    """The country of the office that gets a file, whose language the file is likely to be in."""
    return event.federation.ruleset.country


def _beat_in_box(job: FileJob, seconds: float) -> None:
    """Give a sign of life while the box reads; progress goes from 10 towards 55 per cent."""
    jobs.beat(job, progress=10 + int(45 * seconds / (seconds + 5)))


def _read_file(archive: Archive, file: ArchivedFile) -> Reading:
    data, country = bytes(file.content or b""), _country(archive.event)
    return read_alone(data, file.name, country=country, on_progress=lambda _: jobs.beat(archive))


def read_alone(data: bytes, name: str, **how: Any) -> Reading:
    """Read a file as `read_boxed`; if the box died, the reading says so."""
    try:
        return read_boxed(data, name, **how)
    except BoxDied as died:
        log.warning("the box died", reason=died.reason)
        return Reading(None, (FileFinding("blocks", died.reason),))


class FileJobs(jobs.JobKind[Job]):
    """Files that wait to be read, those of each region in turn."""

    claimed: ClassVar[Mapping[str, Any]] = {"progress": 10, "reason": ""}
    returned: ClassVar[Mapping[str, Any]] = {"progress": 0}

    def refusal(self, job: Job, failure: Exception) -> Mapping[str, Any] | None:
        if not isinstance(failure, ReadingSuperseded):
            return None
        return {"state": State.UNREADABLE, **self.given_up(job, "section-closed")}

    def given_up(self, job: Job, reason: str) -> Mapping[str, Any]:
        return {"reason": encode_reason([FileFinding("blocks", reason)]), "progress": 100}

    def next_keys(self, rows: QuerySet[Job]) -> list[int]:
        return oldest_job_of_each_region(rows)

    def group_of(self, key: int) -> QuerySet[Job]:
        return jobs_of_same_region(self.rows, key)


class UploadJobs(FileJobs[Upload]):
    name = "uploads"
    rows = (
        Upload.objects.waiting()
        .exclude(section__in=Section.objects.filter(event__federation__in=jobs.HELD_OFFICES))
        .select_related("section__event__federation")
    )
    steps = (jobs.Step(State.WAITING, State.READING, State.UNREADABLE, _read_upload, "box-crash"),)


class ArchiveJobs(FileJobs[Archive]):
    name = "archives"
    rows = (
        Archive.objects.filter(state__in=(State.WAITING, State.READING))
        .exclude(event__in=Event.objects.filter(federation__in=jobs.HELD_OFFICES))
        .select_related("event__federation")
    )
    steps = (jobs.Step(State.WAITING, State.READING, State.UNREADABLE, _read_archive, "box-crash"),)
