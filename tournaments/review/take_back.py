"""A slip of the office is taken back: a return or a refusal, before the region has heard of it."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide
from players.office.models import Decision, Federation, User
from tournaments.events.lock_section import lock_section
from tournaments.events.models import Section, Stage
from tournaments.review.appeal_models import Appeal
from tournaments.review.entries_of_merged import name_who_stays
from tournaments.review.models import Remark

GRACE = timedelta(minutes=10)
"""The time within which a return or a refusal can be taken back."""
LETTER_AFTER = GRACE + timedelta(minutes=1)
"""The time for which its letter waits: whoever takes it back in the last second may wait for others, on
either database for half a minute at most, and no letter is to go out meanwhile.
"""
EARLY = "refuse-before-play"
SLIPS = {Stage.RETURNED: ("return",), Stage.REFUSED: ("refuse", EARLY)}
"""The kinds of decisions that can be slips, by the stage in which each leaves a section."""
REPLACED = "replaced"
"""Key in `Section.before_play`: the state of the section that a refusal before play replaced."""


def slip_of(section: Section, at: datetime) -> Decision | None:
    """The return or refusal of a section that can be taken back at a moment: the region neither read it nor
    appealed against it, nor is its letter out.
    """
    kinds = SLIPS.get(Stage(section.stage), ())
    if not kinds or section.notice_read_at is not None:
        return None
    decisions = Decision.objects.filter(federation=section.event.federation, kind__in=kinds)
    newest = decisions.filter(about=f"section {section.key}").order_by("-number").first()
    if newest is None or newest.at <= at - GRACE or was_taken_back(newest):
        return None
    if Appeal.objects.filter(refusal=newest).exists():
        return None
    if newest.kind == EARLY and REPLACED not in section.before_play:
        return None  # of a release that kept nothing of how it stood
    return newest


def can_be_taken_back_until(slip: Decision) -> str:
    """The last moment in which a decision can be taken back, in words, by the office's clock."""
    zone = ZoneInfo(slip.federation.equipment.office.time_zone)
    last = timezone.localtime(slip.at + GRACE, zone)
    return _("%(time)s (%(zone)s)") % {"time": date_format(last, "H:i"), "zone": zone.key}


@transaction.atomic
def take_back(*, section: Section, by: User | None, at: datetime, on: date, version: int) -> Section:
    """Take a return or refusal back: the section is submitted again, and what was said with it leaves the
    thread. After a refusal nobody is on the section, until somebody takes it. After one before play it stands
    as it did before that.

    Raises `Refused` once the region has read it, appealed or gone on, its letter is out, or two of its
    players were merged since.
    """
    locked = lock_section(section, version=version, stages=tuple(SLIPS))
    slip = slip_of(locked, at)
    if slip is None:
        raise Refused(
            _(
                "This cannot be taken back any more: the region has read it or appealed, or its letter is on "
                "the way."
            )
        )
    if slip.kind == EARLY:
        _restore(locked)
    else:
        name_who_stays(locked)
        locked.stage, locked.remarks = Stage.SUBMITTED, ""
    locked.version += 1
    locked.save(update_fields=["stage", "remarks", "version", *RESTORED])
    Remark.objects.filter(decision=slip).delete()
    decide(
        locked.event.federation,
        kind="take-back",
        by=by,
        on=on,
        about=f"section {locked.key}",
        decision=slip.number,
    )
    return locked


RESTORED = ("notice", "notice_on", "notice_read_at", "permissions", "before_play")


def _restore(section: Section) -> None:
    """Put a section back to how it stood before it was refused before play."""
    stood = section.before_play[REPLACED]
    section.stage, section.remarks, section.notice = stood["stage"], stood["remarks"], stood["notice"]
    section.notice_on = date.fromisoformat(stood["notice_on"]) if stood["notice_on"] else None
    section.notice_read_at = datetime.fromisoformat(read) if (read := stood["notice_read_at"]) else None
    section.permissions, section.before_play = stood["permissions"], stood["before_play"]


def was_taken_back(decision: Decision) -> bool:
    """Whether a return or refusal was taken back: then no letter tells of it."""
    later = Decision.objects.filter(federation=decision.federation_id, kind="take-back", about=decision.about)
    return any(each.details.get("decision") == decision.number for each in later.order_by("-number")[:5])


def is_overtaken(slip: Decision) -> bool:
    """Whether the section has left the stage in which this return or refusal put it: filed or submitted anew,
    or let in on appeal. Whoever is told now to do what is done would only be puzzled.
    """
    return not _of_slip(slip).exists()


def slips_untold(federation: Federation, at: datetime) -> list[int]:
    """The numbers of the returns and refusals of which regions read nothing at a moment: those that were
    taken back, and those that may be still. These wait as their letter does, or until the region opens the
    section.
    """
    decisions = Decision.objects.filter(federation=federation)
    named = decisions.filter(kind="take-back", sealed_details__has_key="decision")
    taken_back = list(named.values_list("sealed_details__decision", flat=True))
    fresh = decisions.filter(kind__in=sum(SLIPS.values(), ()), at__gt=at - LETTER_AFTER).order_by("number")
    newest = {each.about: each for each in fresh}  # one that came before it was read, or taken back
    waiting = [slip.number for slip in newest.values() if _is_unread(slip)]
    return taken_back + waiting


def _is_unread(slip: Decision) -> bool:
    """Whether the section stands as this return or refusal left it, and the region has not opened it."""
    return _of_slip(slip).filter(notice_read_at=None).exists()


def _of_slip(slip: Decision) -> QuerySet[Section]:
    """The section of a return or refusal, if it still stands in the stage in which that put it."""
    number, _slash, code = slip.about.removeprefix("section ").partition("/")
    stages = [stage for stage, kinds in SLIPS.items() if slip.kind in kinds]
    sections = Section.objects.filter(event__federation=slip.federation_id, event__number=number, code=code)
    return sections.filter(stage__in=stages)


def note_read(section: Section, at: datetime) -> None:
    """Note that the region has read what the office decided; the first time counts."""
    if section.stage in SLIPS and section.notice_read_at is None:
        Section.objects.filter(pk=section.pk, version=section.version, notice_read_at=None).update(
            notice_read_at=at
        )


def until_when(section: Section) -> str:
    """Say until when what was just decided can be taken back, and where; empty where it cannot."""
    slip = slip_of(section, timezone.now())
    if slip is None:
        return ""
    until = {"until": can_be_taken_back_until(slip)}
    return _("Until %(until)s you can take that back on the section's page here.") % until
