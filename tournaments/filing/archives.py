"""A ZIP with files of several sections: kept, unpacked, and shared out as a person says."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.office import job_lease
from players.office.decision_record import Refused, decide, lock_ledger
from players.office.models import User
from players.office.record_chain_and_sealed_words import SealedWords
from players.office.stored_bytes import NoRoom, let_go_words, refuse_beyond_room
from tournaments.box.displayed_file_name import plain_name
from tournaments.events.file_models import Archive, ArchivedFile, Upload
from tournaments.events.file_turns import announce
from tournaments.events.lock_section import lock_section
from tournaments.events.models import Event, Section, Stage
from tournaments.events.parse_time_control import read_time_control
from tournaments.filing.receive_file import (
    already_filed,
    receive_file,
    refuse_before_play,
    sent_elsewhere,
)
from tournaments.filing.register_event import NewSection, add_sections
from tournaments.filing.store_reading import ReadingSuperseded, as_reason
from tournaments.formats.common.reading_result import FileAdjustment, FileFinding, Reading, Sheet
from tournaments.formats.zip.unpack import MOST_PACKED, Listed, Listing

ARCHIVE_TOO_BIG = gettext_lazy(
    "The archive is larger than 5 MB. Pack only the event files, or upload each file on the page of its "
    "section."
)
READ_ARCHIVE = "tournaments.tasks.read_archive"


class ReceivedArchive(NamedTuple):
    archive: Archive
    known: bool
    """The same bytes were uploaded before."""


@dataclass(frozen=True, slots=True)
class Share:
    """The destination of one file of an archive: a section, a new section, or none."""

    file: int
    """The file's number in the archive."""
    section: str = ""
    """The code of a section of the event."""
    new: NewSection | None = None
    """A section to be added for the file."""


@dataclass(frozen=True, slots=True)
class ShareOutcome:
    """The result of a share: the section that now has the file, or why none has; neither: left out."""

    name: str
    section: Section | None = None
    refused: str = ""


# ---------------------------------------------------------------- keep


@transaction.atomic
def receive_archive(
    *, event: Event, by: User | None, at: datetime, on: date, name: str, data: bytes
) -> ReceivedArchive:
    """Keep a ZIP for the worker to unpack. The same bytes again return the known archive."""
    lock_ledger(event.federation)
    refuse_before_play(event.starts, on)
    if not data:
        raise Refused(_("The file is empty. Pack the event files into a ZIP archive and upload that."))
    if len(data) > MOST_PACKED:
        raise Refused(str(ARCHIVE_TOO_BIG))
    sha256 = hashlib.sha256(data).hexdigest()
    filed = Upload.objects.filter(federation=event.federation, sha256=sha256).first()
    if filed and filed.state != Upload.State.UNREADABLE:
        raise Refused(already_filed(filed))
    known = Archive.objects.filter(federation=event.federation, sha256=sha256).first()
    if known and known.state != Archive.State.UNREADABLE:
        if known.event_id != event.pk:
            raise Refused(sent_elsewhere(known))
        if known.content is not None or known.files.filter(upload__isnull=False).exists():
            return ReceivedArchive(known, known=True)
    if known is None or known.content is None:
        refuse_beyond_room(len(data), event.federation, event.region)
    archive = known or Archive(federation=event.federation, sha256=sha256, size=len(data))
    archive.event, archive.section, archive.content = event, None, data
    archive.name, archive.by, archive.at, archive.on = plain_name(name), by, at, on
    _begin(archive)
    return ReceivedArchive(archive, known=known is not None)


def _begin(archive: Archive) -> None:
    archive.state, archive.attempts, archive.progress, archive.reason = Archive.State.WAITING, 0, 0, ""
    archive.let_go_on, archive.let_go_because = None, ""
    archive.save()
    archive.files.all().delete()
    about = f"event {archive.event.number}"
    decide(archive.federation, kind="file", by=archive.by, on=archive.on, about=about, sha256=archive.sha256)
    announce(archive, READ_ARCHIVE)


def of_several(reading: Reading) -> bool:
    return reading.sheet is None and any(finding.key == "zip-of-several" for finding in reading.findings)


@transaction.atomic
def become_archive(upload: Upload) -> bool:
    """Turn an upload of several files into an archive of the event. Return False if these bytes are an
    archive already; raise `ReadingSuperseded` if somebody was faster.
    """
    section = lock_section(upload.section, stages=tuple(Stage))
    if not section.open_to_filing or not job_lease.hold(upload):
        raise ReadingSuperseded
    same = Archive.objects.filter(federation=upload.federation, sha256=upload.sha256)
    if same.exclude(state=Archive.State.UNREADABLE).exists():
        return False
    archive = same.first() or Archive(federation=upload.federation, sha256=upload.sha256)
    archive.event, archive.section = section.event, section
    for field in ("by", "at", "on", "name", "size", "content"):
        setattr(archive, field, getattr(upload, field))
    _begin(archive)
    job_lease.mine(upload).delete()
    return True


@transaction.atomic
def discard_archive(*, archive: Archive, by: User | None, on: date) -> None:
    """Take back a ZIP, if no section has a file of it."""
    lock_ledger(archive.federation)
    if archive.files.filter(upload__isnull=False).exists():
        raise Refused(
            _(
                "Sections use files of this archive, so you cannot discard it. "
                "Remove a file on its section's page."
            )
        )
    about, sha256 = f"event {archive.event.number}", archive.sha256
    archive.delete()
    decide(archive.federation, kind="discard", by=by, on=on, about=about, sha256=[sha256])


# ---------------------------------------------------------------- look at


@transaction.atomic
def keep_files(archive: Archive, listing: Listing, contents: Sequence[bytes]) -> None:
    """Save an archive's files as rows; none, and the reason why, if there is no room for them together.

    Raise `ReadingSuperseded` if the archive is no longer being read.
    """
    lock_ledger(archive.federation)
    if not job_lease.hold(archive):
        raise ReadingSuperseded
    try:
        refuse_beyond_room(sum(map(len, contents)), archive.federation, archive.event.region)
    except NoRoom as refused:
        archive.reason = as_reason([FileFinding("blocks", "no-room", params=refused.params)])
        return
    follow = iter(contents)
    ArchivedFile.objects.bulk_create(
        _refused_file(archive, number, listed)
        if listed.reason
        else _waiting_file(archive, number, listed, next(follow))
        for number, listed in enumerate(listing.files, 1)
    )
    if listing.findings:
        archive.reason = as_reason(listing.findings)


def _refused_file(archive: Archive, number: int, listed: Listed) -> ArchivedFile:
    reason = as_reason([FileFinding("blocks", listed.reason)])
    return ArchivedFile(archive=archive, number=number, name=listed.name, size=0, seen=True, reason=reason)


def _waiting_file(archive: Archive, number: int, listed: Listed, content: bytes) -> ArchivedFile:
    return ArchivedFile(
        archive=archive,
        number=number,
        name=listed.name,
        size=listed.size,
        sha256=hashlib.sha256(content).hexdigest(),
        content=content,
    )


def look_at(file: ArchivedFile, reading: Reading) -> None:
    """Save the tournament, players, days … that an archive's file tells, or why it is no event file."""
    said = (
        _sayings(reading.sheet) if reading.sheet else {"content": None, "reason": as_reason(reading.findings)}
    )
    ArchivedFile.objects.filter(pk=file.pk).update(seen=True, blocked=reading.blocked, **said)


def _sayings(sheet: Sheet) -> dict[str, Any]:
    return {
        "tournament": sheet.name[:100],
        "dialect": sheet.dialect[:40],
        "kind": sheet.kind[:100],
        "players": len(sheet.rows),
        "rounds": sheet.rounds or sheet.rounds_played or None,
        "starts": sheet.starts,
        "ends": sheet.ends,
        "team": bool(sheet.teams),
        "time_control": read_time_control(sheet.time_code or sheet.time_text),
    }


def close_archive(archive: Archive) -> None:
    """End the job of reading an archive: as unreadable if `archive.reason` says why, else as read."""
    state = Archive.State.UNREADABLE if archive.reason else Archive.State.READ
    job_lease.release(archive, state=state, reason=archive.reason, progress=100)


# ---------------------------------------------------------------- share out


@transaction.atomic
def share_out(
    *, archive: Archive, by: User | None, at: datetime, on: date, shares: Sequence[Share]
) -> list[ShareOutcome]:
    """Make each file of an archive an ordinary upload of the section that its share names. A file that is
    refused stays in the archive, its outcome says why, and the other files go on.
    """
    lock_ledger(archive.federation)
    locked = Archive.objects.select_for_update(of=("self",)).select_related("event__federation")
    archive = locked.get(pk=archive.pk)
    if archive.state != Archive.State.READ:
        raise Refused(_("The archive is still being read. Wait until that is done."))
    outcomes = [_share(archive, share, by=by, at=at, on=on) for share in shares]
    given = {outcome.section.code: outcome.name for outcome in outcomes if outcome.section}
    left_out = [outcome.name for outcome in outcomes if not outcome.section and not outcome.refused]
    if given or left_out:
        decide(
            archive.federation,
            kind="share",
            by=by,
            on=on,
            about=f"event {archive.event.number}",
            sha256=archive.sha256,
            files=given,
            left_out=SealedWords(left_out),
        )
    return outcomes


def _share(archive: Archive, share: Share, *, by: User | None, at: datetime, on: date) -> ShareOutcome:
    file = archive.files.filter(number=share.file).select_related("upload__section").first()
    if file is None:
        return ShareOutcome(str(share.file), refused=_("The archive has no such file."))
    if not share.section and not share.new:
        archive.files.filter(pk=file.pk).update(left_out=True)
        return ShareOutcome(file.name)
    try:
        with transaction.atomic():
            return ShareOutcome(file.name, _file(archive, file, share, by=by, at=at, on=on))
    except Refused as refused:
        return ShareOutcome(file.name, refused=str(refused))


def _file(
    archive: Archive, file: ArchivedFile, share: Share, *, by: User | None, at: datetime, on: date
) -> Section:
    if file.upload:
        raise Refused(already_filed(file.upload))
    if file.let_go_on:
        raise Refused(f"{let_go_words(file)} {_('Upload it again on the page of its section.')}")
    if file.content is None:
        raise Refused(_("This is not an event file. Leave it out."))
    section = _section(archive.event, share, by=by, on=on)
    received = receive_file(
        section=section,
        by=by,
        at=at,
        on=on,
        name=file.name,
        data=bytes(file.content),
        of_archive=True,
    )
    file.upload, file.content, file.left_out = received.upload, None, False
    file.save(update_fields=["upload", "content", "left_out"])
    return section


def _section(event: Event, share: Share, *, by: User | None, on: date) -> Section:
    if share.new:
        [section] = add_sections(event=event, by=by, on=on, sections=[share.new])
        return section
    found = event.sections.filter(code=share.section).first()
    if found is None:
        raise Refused(_("The event no longer has this section. Check the event as it is now, and try again."))
    return found


def with_origin(upload: Upload, reading: Reading) -> Reading:
    """Add to a reading, as its first adjustment, the archive that held the file; unchanged if none did."""
    file = upload.archived.select_related("archive").first()
    if file is None:
        return reading
    archive = f"{file.archive.name[:100]}, SHA-256 {file.archive.sha256}"
    return replace(
        reading, adjustments=(FileAdjustment("unpacked", None, archive, file.name), *reading.adjustments)
    )


def uploads_of(archive: Archive) -> dict[str, Upload]:
    """Uploads, by checksum, of an archive's files that are filed already, whether from it or not."""
    hashes = archive.files.exclude(sha256="").values_list("sha256", flat=True)
    filed = Upload.objects.filter(federation=archive.federation, sha256__in=list(hashes))
    related = filed.exclude(state=Upload.State.UNREADABLE).select_related("section__event__federation")
    return {upload.sha256: upload for upload in related.defer("content")}
