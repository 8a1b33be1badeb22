"""The page that registers an event in steps, where much is asked; nothing is written before the end."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, Permission
from players.office.decision_record import Refused
from players.office.settings_schema import today
from players.pages.sent_once import mark_of
from tournaments.events.lock_section import refuse_flood
from tournaments.events.models import Event
from tournaments.filing.register_event import RegisteredBefore, event_made_by, register_event
from tournaments.forms.prefilled import event_like
from tournaments.forms.registration_steps import (
    EVENT,
    REVIEW,
    SECTIONS,
    LongRegistration,
    Step,
    on_their_rows,
    one_less,
    one_more,
    rows_in,
    typed_like,
    with_step,
)
from tournaments.views.filing_steps import is_number, own_event
from tournaments.views.registering.draft import (
    Draft,
    find_draft,
    forget_draft,
    keep_draft,
    key_in,
    made_of,
    note_made,
)
from tournaments.views.registering.registered import to_registered

DROP = "drop-"
"""The button that leaves a section out again: `drop-1`."""
DISCARD = "discard"
"""The button that throws a draft away."""


def register_in_steps(request: OfficeRequest) -> HttpResponse:
    """Show a step of a registration, or take in what was sent of it and lead on, or back."""
    if not (key := key_in(request)):
        return redirect(_address(request, str(uuid4()), EVENT))
    draft = find_draft(request, key)
    if request.method == "POST" and request.POST.get("go") == DISCARD:
        return _discard(request, draft)
    if draft is None and (made := made_of(request, key) or _made_already(request)):
        return to_registered(request, made) if request.method == "POST" else _registered(request, made)
    if draft is None and request.GET.get("step", EVENT) != EVENT:
        messages.error(request, _("What was typed here is not kept any more. Begin this registration anew."))
        return redirect(reverse("tournaments:register", args=[request.office.code]))
    draft = draft or Draft(key, _like(request))
    registration = LongRegistration(request.rights, draft.typed)
    step = _step_of(request, draft, registration)
    if step.key != request.GET.get("step"):
        if request.method == "POST":
            messages.error(request, _set_aside(request, draft, registration, step))
        return redirect(_address(request, key, step.key))
    if request.method != "POST":
        return _show(request, draft, registration, step)
    return _take_in(request, draft, registration, step)


def _discard(request: OfficeRequest, draft: Draft | None) -> HttpResponse:
    """Throw a draft away, and lead to the desk."""
    if draft is not None:
        forget_draft(request, draft)
    messages.success(request, _("Thrown away: nothing of it is kept, and nothing was registered."))
    return redirect(f"{request.office.get_absolute_url()}desk/")


def _registered(request: OfficeRequest, event: Event) -> HttpResponse:
    """Say to whoever goes back in the browser that this registration is finished."""
    return render(request, "tournaments/registered.html", {"event": event})


def _address(request: OfficeRequest, key: str, step: str) -> str:
    """The address of a step. `like` stays with it while nothing was sent yet."""
    query = {"draft": key, "step": step}
    if step == EVENT and (like := request.GET.get("like", "")):
        query["like"] = like
    return f"{reverse('tournaments:register', args=[request.office.code])}?{urlencode(query)}"


def _like(request: OfficeRequest) -> dict[str, list[str]]:
    if not (number := request.GET.get("like", "")):
        return {}
    earlier = own_event(request, number[:20], Permission.EVENTS_REGISTER)
    return typed_like(request.rights, *event_like(earlier, today(request.office)))


def _made_already(request: OfficeRequest) -> Event | None:
    """The event that this very form has made, where it was sent again."""
    return event_made_by(request.office, mark_of(request))


def _step_of(request: OfficeRequest, draft: Draft, registration: LongRegistration) -> Step:
    """The step that the address names, or the first before it that is not done."""
    named = registration.step(request.GET.get("step", "")) or registration.steps[0]
    for each in registration.steps:
        if each == named or each.key not in draft.passed or registration.wrong(each):
            return each
    return named


def _set_aside(request: OfficeRequest, draft: Draft, registration: LongRegistration, open_step: Step) -> str:
    """Keep what was sent of a later step for when the person comes to it, and say so."""
    sent_of = registration.step(request.GET.get("step", ""))
    if sent_of is None or sent_of.key == REVIEW:
        return _("Nothing was registered: this registration was changed while your page was open.")
    lost = _take_answers(request, draft, registration, sent_of)
    keep_draft(request, draft)
    words = _(
        "“%(step)s” is not done: it may have been changed in another window. Go on from here. Your answers "
        "under “%(sent)s” are kept, and stand there when you come to it."
    )
    return "\n".join([words % {"step": open_step.heading, "sent": sent_of.heading}, *lost])


def _take_answers(
    request: OfficeRequest, draft: Draft, registration: LongRegistration, step: Step
) -> list[str]:
    """Take a step's answers into the draft; return a sentence about those that have no section any more."""
    posted = {name: [str(each).replace("\0", "") for each in given] for name, given in request.POST.lists()}
    sent, lost = on_their_rows(draft.typed, posted)
    draft.typed = with_step(draft.typed, registration.steps, step, sent)
    words = _("Answers that were not kept, because there is no such section any more: %(names)s.")
    return [words % {"names": ", ".join(lost)}] if lost else []


def _show(
    request: OfficeRequest,
    draft: Draft,
    registration: LongRegistration,
    step: Step,
    *,
    status: int = 200,
    more: dict[str, Any] | None = None,
) -> HttpResponse:
    if step.key == REVIEW and not draft.reviewed:
        draft.reviewed = True
        keep_draft(request, draft)
    told = step.key in draft.passed
    context = {
        "step": step,
        "rows": registration.rows(step, calm=not told),
        "wrong": registration.wrong(step) if told else [],
        "steps": _stepper(request, draft, registration, step),
        "several": rows_in(draft.typed) > 1,
        "first": step == registration.steps[0],
        "review": _review(request, draft, registration) if step.key == REVIEW else [],
        "draft": draft,
    }
    return render(request, "tournaments/register_step.html", context | (more or {}), status=status)


def _stepper(
    request: OfficeRequest, draft: Draft, registration: LongRegistration, now: Step
) -> list[dict[str, str]]:
    """The list of steps. The review alone has links in it: elsewhere they would lose what is being typed."""
    return [
        {
            "label": each.heading,
            "state": "now" if each == now else "done" if each.key in draft.passed else "todo",
            "url": _address(request, draft.key, each.key) if now.key == REVIEW else "",
        }
        for each in registration.steps
    ]


def _review(request: OfficeRequest, draft: Draft, registration: LongRegistration) -> list[dict[str, Any]]:
    """All answers, step by step, with the address at which each is changed."""
    return [
        {
            "step": each,
            "url": _address(request, draft.key, each.key),
            "rows": registration.registered_rows(each),
        }
        for each in registration.steps
        if each.key != REVIEW
    ]


def _take_in(
    request: OfficeRequest, draft: Draft, registration: LongRegistration, step: Step
) -> HttpResponse:
    if step.key == REVIEW:
        return _register(request, draft, registration, step)
    for words in _take_answers(request, draft, registration, step):
        messages.error(request, words)
    go = request.POST.get("go", "")
    if step.key == SECTIONS and (go == "more" or go.startswith(DROP)):
        row = go.removeprefix(DROP)
        draft.typed = one_less(draft.typed, int(row)) if is_number(row) else one_more(draft.typed)
        draft.reopen_step(step.key)
        return _keep_and_lead(request, draft, step)
    if go == "back":
        return _keep_and_lead(request, draft, registration.before(step))
    draft.pass_step(step.key)
    registration = LongRegistration(request.rights, draft.typed)
    if registration.wrong(step):
        keep_draft(request, draft)
        return _show(request, draft, registration, step, status=400)
    following = registration.steps[-1] if draft.reviewed else registration.after(step)
    return _keep_and_lead(request, draft, following)


def _keep_and_lead(request: OfficeRequest, draft: Draft, step: Step) -> HttpResponse:
    keep_draft(request, draft)
    return redirect(_address(request, draft.key, step.key))


def _register(
    request: OfficeRequest, draft: Draft, registration: LongRegistration, step: Step
) -> HttpResponse:
    """Register what the review showed, once."""
    if request.POST.get("go") == "back":
        return redirect(_address(request, draft.key, registration.before(step).key))
    refusal: dict[str, Any] = {}
    if request.POST.get("seen") != draft.digest():
        words = _("This registration was changed while your page was open. Look at it as it is now.")
        return _show(request, draft, registration, step, status=409, more={"refused": words})
    try:
        refuse_flood(request.user, timezone.now(), "register")
        event = register_event(
            rights=request.rights,
            by=request.user,
            on=today(request.office),
            sections=registration.sections.sections(),
            mark=mark_of(request),
            **registration.event.said() | {"another": bool(request.POST.get("another"))},
        )
    except RegisteredBefore as before:
        refusal = {"refused": str(before), "told_before": before.event}
    except Refused as refused:
        refusal = {"refused": str(refused)}
    else:
        note_made(request, draft, event)
        return to_registered(request, event)
    return _show(request, draft, registration, step, status=409, more=refusal)
