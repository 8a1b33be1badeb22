"""Receives a section's file, and discards it, each as one transaction and one decision."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.office.decision_record import Refused, decide
from players.office.models import User
from players.office.stored_bytes import refuse_beyond_room
from tournaments.box.displayed_file_name import plain_name
from tournaments.events.file_models import Archive, ArchivedFile, Upload, UploadQuerySet
from tournaments.events.file_turns import announce
from tournaments.events.finding_words import day_in_words
from tournaments.events.lock_section import lock_section
from tournaments.events.models import OPEN_TO_FILING, Section, Stage
from tournaments.filing.change_stage import change_stage, was_rated
from tournaments.filing.store_reading import empty_section

MOST_BYTES = 2 * 1024 * 1024
TOO_BIG = gettext_lazy(
    "The file is larger than 2 MB. Event files are smaller: check that you chose the right file."
)
READ_UPLOAD = "tournaments.tasks.read_upload"


class Received(NamedTuple):
    upload: Upload
    known: bool
    """The same bytes were uploaded before."""


class HeldAsArchive(Refused):
    """A refusal of a section's file whose bytes came before and held several files: they are an archive."""

    def __init__(self, archive: Archive) -> None:
        super().__init__(sent_elsewhere(archive))
        self.archive = archive


@transaction.atomic
def receive_file(
    *,
    section: Section,
    by: User | None,
    at: datetime,
    on: date,
    name: str,
    data: bytes,
    of_archive: bool = False,
) -> Received:
    """Keep an event file for the worker to read. The same bytes again return their first upload.

    `of_archive`: the bytes move here from an archive's file, and need no further room.
    """
    locked = lock_section(section)
    refuse_before_play(locked.starts, on)
    _refuse_size(data)
    if locked.uploads.waiting().exists():
        raise Refused(_("The office is still reading the previous file. Wait until that is finished."))
    sha256 = hashlib.sha256(data).hexdigest()
    federation = locked.event.federation
    same = Archive.objects.filter(federation=federation, sha256=sha256)
    if archive := same.exclude(state=Archive.State.UNREADABLE).first():
        raise HeldAsArchive(archive)
    known = Upload.objects.filter(federation=federation, sha256=sha256).first()
    if known and known.state != Upload.State.UNREADABLE:
        if known.section_id != locked.pk:
            raise Refused(already_filed(known))
        if known == locked.uploads.newest() and known.content is not None:
            return Received(known, known=True)
    if (known is None or known.content is None) and not of_archive:
        refuse_beyond_room(len(data), federation, locked.event.region)
    upload = known or Upload(federation=federation, sha256=sha256, size=len(data))
    upload.content, upload.let_go_on, upload.let_go_because = data, None, ""
    upload.section, upload.name = locked, plain_name(name)
    upload.by, upload.at, upload.on = by, at, on
    upload.state, upload.attempts, upload.progress, upload.reason = Upload.State.WAITING, 0, 0, ""
    upload.save()
    decide(federation, kind="file", by=by, on=on, about=f"section {locked.key}", sha256=sha256)
    announce(upload, READ_UPLOAD)
    return Received(upload, known=known is not None)


@transaction.atomic
def discard_file(*, section: Section, by: User | None, on: date, version: int) -> None:
    """Take back what was filed, so that the file can go elsewhere. What the office has reviewed stays: the
    section goes back to it. Nothing goes once the section was rated.
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
    empty_section(locked)
    _give_back_to_archives(gone)
    locked.uploads.filter(pk__in=[each.pk for each in gone]).delete()
    returned = locked.stage == Stage.RETURNED
    filed_on = locked.filed_on if returned else None
    stage = Stage.RETURNED if returned else Stage.REGISTERED
    change_stage(locked, stage, filed_on=filed_on, hints={}, id_kind="")
    decide(
        locked.event.federation,
        kind="discard",
        by=by,
        on=on,
        about=f"section {locked.key}",
        sha256=[each.sha256 for each in gone],
    )
    _read_again(locked)


def removable_files(section: Section) -> UploadQuerySet:
    """The section's files that its region may remove: those that came since the office last returned it."""
    decisions = section.event.federation.decisions.filter(kind="return", about=f"section {section.key}")
    returned = decisions.order_by("-number").first()
    return section.uploads.filter(at__gt=returned.at) if returned else section.uploads.all()


def reviewed_file(section: Section) -> Upload | None:
    """The file to which the section goes back when the newer ones are removed; None if there is none."""
    stay = section.uploads.exclude(pk__in=removable_files(section)).filter(content__isnull=False)
    return stay.filter(state=Upload.State.READ).defer("content").newest()


def _read_again(section: Section) -> None:
    """Have the file that the office reviewed read again, as if it came just now."""
    if stayed := reviewed_file(section):
        stayed.state, stayed.attempts, stayed.progress = Upload.State.WAITING, 0, 0
        stayed.save(update_fields=["state", "attempts", "progress"])
        announce(stayed, READ_UPLOAD)


# ---------------------------------------------------------------- helpers


def refuse_before_play(starts: date, on: date) -> None:
    """Raise `Refused`, with the first day for it, if a file comes before what it tells of has begun."""
    if on < starts:
        raise Refused(
            _(
                "Files can be uploaded from %(day)s on, the first day of play. If play began earlier, correct"
                " the days first."
            )
            % {"day": day_in_words(starts)}
        )


def _refuse_size(data: bytes) -> None:
    if not data.strip():
        raise Refused(_("The file is empty. Export the tournament again and upload the new file."))
    if len(data) > MOST_BYTES:
        raise Refused(str(TOO_BIG))


def already_filed(upload: Upload) -> str:
    words = _(
        "The same file was filed on %(day)s for %(event)s, section %(section)s (%(number)s). Choose the "
        "file of this section. %(otherwise)s"
    )
    return words % {
        "day": day_in_words(upload.on),
        "otherwise": _way_out(upload.section),
        "event": upload.section.event.name,
        "section": upload.section.name,
        "number": upload.section.key,
    }


def _way_out(section: Section) -> str:
    """Advice on a file that is filed for `section` already: how to remove it there, or why it stays."""
    if section.stage == Stage.SUBMITTED:
        return _(
            "If it was filed there by mistake, withdraw that submission first, and then remove the file "
            "there."
        )
    if section.stage not in OPEN_TO_FILING or was_rated(section):
        return _(
            "An official decided on that section, so its files cannot be removed; if this is wrong, "
            "tell the office."
        )
    return _("If it was filed there by mistake, remove it there first.")


def sent_elsewhere(archive: Archive) -> str:
    words = _(
        "The same ZIP archive was uploaded on %(day)s for %(event)s (%(number)s). Choose the archive of "
        "this event."
    )
    event = archive.event
    return words % {"day": day_in_words(archive.on), "event": event.name, "number": event.number}


def _give_back_to_archives(uploads: Sequence[Upload]) -> None:
    """Give files of a section back to their archives, which can give them to another section."""
    for file in ArchivedFile.objects.filter(upload__in=uploads).select_related("upload"):
        if upload := file.upload:
            file.content, file.upload = upload.content, None
            file.let_go_on, file.let_go_because = upload.let_go_on, upload.let_go_because
            file.save(update_fields=["content", "upload", "let_go_on", "let_go_because"])
