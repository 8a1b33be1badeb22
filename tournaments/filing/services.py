"""Services of a region for its events and sections. Each is one transaction and one decision."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import count, product
from string import ascii_uppercase
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import IntegerField, Max
from django.db.models.functions import Cast, Substr
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from players.office.access import Permission, Rights
from players.office.models import Federation, Region, User
from players.office.record import Refused, decide, lock_ledger
from players.office.wake_worker import wake
from tournaments.box.file_names import plain_name
from tournaments.events.file_models import Archive, ArchivedFile, Upload
from tournaments.events.finding_words import day_in_words, words_of
from tournaments.events.lock_section import lock_section
from tournaments.events.models import OPEN_TO_FILING, Event, Section, Stage
from tournaments.filing.open_questions import recheck
from tournaments.filing.roster import keep_ids, register_new_players
from tournaments.filing.store_reading import empty_section
from tournaments.filing.submission_summary import adjusted

MOST_BYTES = 2 * 1024 * 1024
TOO_BIG = gettext_lazy(
    "The file is larger than 2 MB. Event files are smaller: check that you chose the right file."
)
READ_UPLOAD = "tournaments.tasks.read_upload"


@dataclass(frozen=True, slots=True)
class NewSection:
    """A section to be registered; days left out are the event's."""

    name: str
    format: str
    code: str = ""
    """Empty: the next free letter."""
    rounds: int | None = None
    team: bool = False
    particulars: Mapping[str, Any] = field(default_factory=dict)


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
def register_event(
    *,
    rights: Rights,
    by: User | None,
    on: date,
    name: str,
    region: Region,
    starts: date,
    ends: date,
    sections: Sequence[NewSection],
    place: str = "",
    country: str = "",
) -> Event:
    """Register an event with its sections; its number is `YYYY-NNN`, by the year of its first day."""
    federation = rights.federation
    if not rights.regions(Permission.EVENTS_REGISTER).filter(pk=region.pk).exists():
        raise Refused(_("You do not file for %(region)s. Choose one of your regions.") % {"region": region})
    lock_ledger(federation)
    event = Event.objects.create(
        federation=federation,
        number=_next_number(federation, starts.year),
        name=name,
        place=place,
        region=region,
        country="" if country == federation.ruleset.country else country,
        starts=starts,
        ends=ends,
        registered_on=on,
        registered_by=by,
    )
    _create_sections(event, sections, on)
    decide(federation, kind="register", by=by, on=on, about=f"event {event.number}")
    return event


@transaction.atomic
def add_sections(*, event: Event, by: User | None, on: date, sections: Sequence[NewSection]) -> list[Section]:
    """Add sections to a registered event."""
    lock_ledger(event.federation)
    created = _create_sections(event, sections, on)
    codes = [section.code for section in created]
    decide(event.federation, kind="register", by=by, on=on, about=f"event {event.number}", sections=codes)
    return created


@transaction.atomic
def receive_file(
    *, section: Section, by: User | None, at: datetime, on: date, name: str, data: bytes
) -> Received:
    """Keep an event file for the worker to read. The same bytes again return their first upload."""
    locked = lock_section(section)
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
        if known == locked.uploads.newest():
            return Received(known, known=True)
    upload = known or Upload(federation=federation, sha256=sha256, content=data, size=len(data))
    upload.section, upload.name = locked, plain_name(name)
    upload.by, upload.at, upload.on = by, at, on
    upload.state, upload.attempts, upload.progress, upload.reason = Upload.State.WAITING, 0, 0, ""
    upload.save()
    decide(federation, kind="file", by=by, on=on, about=f"section {locked.key}", sha256=sha256)
    wake(READ_UPLOAD, upload.pk)
    return Received(upload, known=known is not None)


@transaction.atomic
def discard_file(*, section: Section, by: User | None, on: date, version: int) -> None:
    """Take back what was filed, so that the file can go elsewhere; not once the section was rated."""
    stages = (Stage.REGISTERED, Stage.FILED, Stage.RETURNED)
    locked = lock_section(section, version=version, stages=stages)
    if was_rated(locked):
        raise Refused(
            _(
                "This section was rated before, so its files cannot be removed. Upload the "
                "corrected file instead."
            )
        )
    hashes = list(locked.uploads.values_list("sha256", flat=True))
    empty_section(locked)
    _give_back_to_archives(locked)
    locked.uploads.all().delete()
    returned = locked.stage == Stage.RETURNED
    filed_on = locked.filed_on if returned else None
    stage = Stage.RETURNED if returned else Stage.REGISTERED
    _move(locked, stage, filed_on=filed_on, hints={}, id_kind="")
    decide(
        locked.event.federation,
        kind="discard",
        by=by,
        on=on,
        about=f"section {locked.key}",
        sha256=hashes,
    )


@transaction.atomic
def submit(
    *, section: Section, by: User | None, on: date, version: int, reasons: Mapping[int, str] | None = None
) -> Section:
    """Submit a section: the region says that all is correct. `reasons`: for waivers, by a finding's key.

    New players get their numbers here. Raises `Refused` with all that still stands in the way; nothing is
    written then.
    """
    stages = (Stage.FILED, Stage.RETURNED, Stage.UNRATED)
    locked = lock_section(section, version=version, stages=stages)
    if not locked.entries.exists() or locked.uploads.waiting().exists():
        raise Refused(_("The section has no readable file. Upload the section's file first."))
    for key, reason in (reasons or {}).items():
        locked.findings.filter(pk=key, level="waivable").update(waived_because=reason.strip())
    recheck(locked)
    _refuse_blocked(locked)
    new = register_new_players(locked, on=on)
    with_ids = keep_ids(locked)
    _move(locked, Stage.SUBMITTED, submitted_by=by, submitted_on=on, remarks="")
    waived = list(locked.findings.exclude(waived_because="").values("clause", "key", "waived_because"))
    decide(
        locked.event.federation,
        kind="submit",
        by=by,
        on=on,
        about=f"section {locked.key}",
        new_players=[player.number for player in new],
        ids_kept=with_ids,
        adjustments=len(adjusted(locked)),
        waived=waived,
        confirmed=[said.clause for said in locked.event.federation.equipment.office.confirmations],
    )
    return locked


@transaction.atomic
def withdraw_submission(*, section: Section, by: User | None, on: date, version: int) -> Section:
    """Take a submission back while nobody has decided on it."""
    locked = lock_section(section, version=version, stages=(Stage.SUBMITTED,))
    _move(locked, Stage.FILED, submitted_by=None, submitted_on=None)
    decide(locked.event.federation, kind="withdraw", by=by, on=on, about=f"section {locked.key}")
    return locked


# ---------------------------------------------------------------- helpers


def was_rated(section: Section) -> bool:
    """Whether the section was ever approved, whatever happened to it since."""
    decisions = section.event.federation.decisions
    return decisions.filter(kind="approve", about=f"section {section.key}").exists()


def _next_number(federation: Federation, year: int) -> str:
    of_year = Event.objects.filter(federation=federation, number__startswith=f"{year}-")
    found = of_year.aggregate(last=Max(Cast(Substr("number", 6), IntegerField())))
    return f"{year}-{(found['last'] or 0) + 1:03}"


def _create_sections(event: Event, sections: Sequence[NewSection], on: date) -> list[Section]:
    taken = set(event.sections.values_list("code", flat=True)) | {s.code for s in sections if s.code}
    free = (code for code in _letters() if code not in taken)
    return [
        Section.objects.create(
            event=event,
            code=new.code or next(free),
            name=new.name,
            format=new.format,
            rounds=new.rounds,
            team=new.team,
            particulars=dict(new.particulars),
            starts=event.starts,
            ends=event.ends,
            registered_on=on,
        )
        for new in sections
    ]


def _letters() -> Iterator[str]:
    """Yield the codes for an event's sections: A to Z, AA to ZZ, AAA and on, without end."""
    for length in count(1):
        yield from map("".join, product(ascii_uppercase, repeat=length))


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


def _give_back_to_archives(section: Section) -> None:
    """Give the section's files back to their archives, which can give them to another section."""
    for file in ArchivedFile.objects.filter(upload__section=section).select_related("upload"):
        file.content, file.upload = file.upload.content if file.upload else None, None
        file.save(update_fields=["content", "upload"])


def _refuse_blocked(section: Section) -> None:
    blocking = list(section.findings.blocking())
    if not blocking:
        return
    ruleset = section.event.federation.ruleset
    head = ngettext(
        "One problem prevents submission:",
        "%(count)s problems prevent submission:",
        len(blocking),
    ) % {"count": len(blocking)}
    raise Refused("\n".join([head, *(words_of(finding, ruleset) for finding in blocking)]))


def _move(section: Section, stage: Stage, **fields: Any) -> None:
    section.stage, section.version = stage, section.version + 1
    for name, value in fields.items():
        setattr(section, name, value)
    section.save(update_fields=["stage", "version", *fields])
