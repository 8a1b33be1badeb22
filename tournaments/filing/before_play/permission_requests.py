"""Permissions that the regulations let the office give: asked for by the region, answered by an official."""

from __future__ import annotations

from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide
from players.office.models import User
from tournaments.events.lock_section import lock_section
from tournaments.events.models import OPEN_TO_FILING, Section, Stage
from tournaments.events.permission_models import PermissionRequest
from tournaments.filing.open_questions import recheck

ANSWERABLE = (*OPEN_TO_FILING, Stage.SUBMITTED)
"""The stages of a section for which a permission can still make a difference."""


@transaction.atomic
def ask_permission(
    *, section: Section, by: User | None, on: date, version: int, clause: str, reason: str
) -> PermissionRequest:
    """Ask the office to permit what a clause lets it permit, before play or after (csa: §18, D-CSA-16).

    Raises `Refused` where the regulations know no such permission, it is asked for or granted already, or
    the reason is missing.
    """
    locked = lock_section(section, version=version, stages=ANSWERABLE)
    if clause not in {permit.clause for permit in locked.event.federation.equipment.office.powers.permits}:
        raise Refused(_("The office gives no permission under clause %(clause)s.") % {"clause": clause})
    if not reason.strip():
        raise Refused(_("Say why the office should permit it: an official decides on your words."))
    standing = locked.permission_requests.filter(clause=clause)
    if standing.open().exists():
        raise Refused(_("This permission was asked for already, and the office has not answered yet."))
    if standing.filter(state=PermissionRequest.State.GRANTED).exists():
        raise Refused(_("This permission was granted already."))
    request = locked.permission_requests.create(
        clause=clause, reason=reason.strip(), asked_by=by, asked_on=on
    )
    _next_version(locked)
    decide(
        locked.event.federation,
        kind="ask-permission",
        by=by,
        on=on,
        about=f"section {locked.key}",
        clause=clause,
        reason=reason.strip(),
    )
    return request


@transaction.atomic
def answer_permission(
    *, request: PermissionRequest, by: User | None, on: date, version: int, granted: bool, reason: str
) -> PermissionRequest:
    """Grant what a region asked for, or refuse it with a reason; what is granted is waived from then on.

    `version`: of the section, as the official saw it. Raises `Refused` where somebody answered already, or
    a refusal has no reason.
    """
    lock_section(request.section, stages=tuple(Stage))
    request = PermissionRequest.objects.select_related("section__event__federation").get(pk=request.pk)
    if request.state != PermissionRequest.State.ASKED:
        raise Refused(_("Somebody answered this request already. Look at it again."))
    section = lock_section(request.section, version=version, stages=ANSWERABLE)
    if not granted and not reason.strip():
        raise Refused(_("Say why you refuse: the region reads it."))
    states = PermissionRequest.State
    request.state = states.GRANTED if granted else states.REFUSED
    request.answered_by, request.answered_on, request.answer = by, on, reason.strip()
    request.save(update_fields=["state", "answered_by", "answered_on", "answer"])
    if granted:
        section.permissions = [
            *section.permissions,
            {"clause": request.clause, "reason": reason.strip() or request.reason},
        ]
    _next_version(section)
    recheck(section)
    decide(
        section.event.federation,
        kind="grant-permission" if granted else "refuse-permission",
        by=by,
        on=on,
        about=f"section {section.key}",
        clause=request.clause,
        reason=reason.strip(),
    )
    return request


def _next_version(section: Section) -> None:
    section.version += 1
    section.save(update_fields=["version", "permissions"])
