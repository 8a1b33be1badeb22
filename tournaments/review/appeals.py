"""Appeals: a region asks the office to think again about a refusal, and officials decide on it (csa §11)."""

from __future__ import annotations

from datetime import date, timedelta

from django.db import transaction
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide
from players.office.models import Decision, User
from players.office.settings_schema import settings_of
from tournaments.events.lock_section import lock_section
from tournaments.events.models import Section, Stage
from tournaments.events.section_days import refused_before_play
from tournaments.review.appeal_models import Appeal
from tournaments.review.entries_of_merged import name_who_stays
from tournaments.review.take_back import was_taken_back

REFUSALS = ("refuse", "refuse-before-play")


def refusal_of(section: Section) -> Decision | None:
    """The newest decision by which a section was refused, before play or after."""
    decisions = Decision.objects.filter(federation=section.event.federation, kind__in=REFUSALS)
    newest = decisions.filter(about=f"section {section.key}").order_by("-number")
    return next((each for each in newest[:5] if not was_taken_back(each)), None)


def last_day_to_appeal(refusal: Decision) -> date | None:
    """The last day for an appeal, counted from the day of the notice; None: neither the office's settings nor
    the regulations name any.
    """
    office = refusal.federation
    days = settings_of(office).appeal_days or office.equipment.office.powers.appeal_days
    return refusal.on + timedelta(days) if days else None


def may_appeal(section: Section, on: date) -> bool:
    """Whether the region can appeal on a day: the section is refused, in time, and no appeal was made yet."""
    refusal = refusal_of(section) if section.stage == Stage.REFUSED else None
    if refusal is None or Appeal.objects.filter(refusal=refusal).exists():
        return False
    last = last_day_to_appeal(refusal)
    return last is None or on <= last


@transaction.atomic
def appeal(*, section: Section, by: User | None, on: date, version: int, reason: str) -> Appeal:
    """Appeal against the refusal of a section.

    Raises `Refused` where it is not refused any more, the days are over (csa §11: 21 from the notice), an
    appeal was made already, or the reason is missing.
    """
    locked = lock_section(section, version=version, stages=(Stage.REFUSED,))
    refusal = refusal_of(locked)
    if refusal is None:
        raise Refused(_("The record has no refusal of this section, so there is nothing to appeal against."))
    if not reason.strip():
        raise Refused(_("Say why the office should decide otherwise."))
    if Appeal.objects.filter(refusal=refusal).exists():
        raise Refused(_("An appeal against this refusal was made already."))
    last = last_day_to_appeal(refusal)
    if last and on > last:
        raise Refused(
            _("The time for appeals was over on %(day)s.") % {"day": date_format(last, "DATE_FORMAT")}
        )
    made = Appeal.objects.create(section=locked, refusal=refusal, reason=reason.strip(), by=by, on=on)
    _record(locked, "appeal", by, on, refusal=refusal.number, reason=reason.strip())
    return made


@transaction.atomic
def decide_appeal(
    *, appeal: Appeal, by: User | None, on: date, version: int, upheld: bool, reason: str
) -> Appeal:
    """Decide an appeal: one that is upheld puts the section back before the officials, for the review or the
    decision before play; one that is dismissed leaves it refused. The region reads the reason.

    Raises `Refused` where somebody decided already, the reason is missing, four eyes are wanted and the same
    person refused the section, or two of its players were merged since and it was to come back.
    """
    lock_section(appeal.section, stages=tuple(Stage))
    appeal = Appeal.objects.select_related("refusal", "section__event__federation").get(pk=appeal.pk)
    if appeal.state != Appeal.State.OPEN:
        raise Refused(_("Somebody decided this appeal already. Look at it again."))
    section = lock_section(appeal.section, version=version, stages=(Stage.REFUSED,))
    if not reason.strip():
        raise Refused(_("Say why you decide so: the region reads it."))
    same = by is not None and appeal.refusal.by_id == by.pk
    if same and settings_of(section.event.federation).four_eyes:
        raise Refused(_("You refused this section. In this office, another official decides on the appeal."))
    appeal.state = Appeal.State.UPHELD if upheld else Appeal.State.DISMISSED
    appeal.decided_by, appeal.decided_on, appeal.answer = by, on, reason.strip()
    appeal.save(update_fields=["state", "decided_by", "decided_on", "answer"])
    section.version += 1
    if upheld and refused_before_play(section):
        section.stage, section.remarks, section.before_play = Stage.REGISTERED, "", {}
        section.notice, section.notice_on = "", None
    elif upheld:
        name_who_stays(section)
        section.stage, section.remarks = Stage.SUBMITTED, ""
    section.save(update_fields=["version", "stage", "remarks", "before_play", "notice", "notice_on"])
    kind = "uphold-appeal" if upheld else "dismiss-appeal"
    _record(section, kind, by, on, refusal=appeal.refusal.number, reason=reason.strip())
    return appeal


def _record(section: Section, kind: str, by: User | None, on: date, **details: object) -> None:
    decide(section.event.federation, kind=kind, by=by, on=on, about=f"section {section.key}", **details)
