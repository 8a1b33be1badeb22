"""Pages to register an event with its sections, at once or in steps, and the event's own filing page.

A long registration asks step by step and writes nothing before its end. Its draft is kept in the session, not
in the office's data.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from players.access import FORM, OfficeRequest, Permission, Rights, page
from players.display import FORMAT_LABELS, day_in_words
from players.models import Federation, User
from players.pages.forms import MESSAGE, OnceForm, attempt, posted_form_digest
from players.record import Refused, refuse_flood
from players.settings import today
from tournaments.announcements import describe_blockers, find_closing_notice, get_notices
from tournaments.before_play import get_open_region_question, group_missed_days, needs_decision_before_play
from tournaments.findings import filing_url
from tournaments.models import Event, Section, Stage
from tournaments.pages.forms import (
    MOST_SECTIONS,
    ArchiveForm,
    BaseSections,
    EventForm,
    SectionForm,
    build_sections_formset,
    format_answer,
    get_move_target_regions,
)
from tournaments.pages.steps import get_own_event, is_number, redirect_to_step
from tournaments.registration import (
    REGISTRATIONS_FLOOD,
    AlreadyRegistered,
    SectionParticulars,
    add_sections,
    build_event_copy_values,
    build_section_copy_row,
    find_event_by_form_mark,
    register_event,
)
from tournaments.sections import OWN_PREFIX, find_region_deadline, upload_link_text
from tournaments.steps import is_file_read, next_step_url

# ---- A long registration in steps
EVENT, SECTIONS, REVIEW = "event", "sections", "review"
EVENT_FIELDS = ("name", "starts", "ends", "region", "place", "country", "organizer")
ROW_COUNT_FIELD = "sections-TOTAL_FORMS"
MOST_LETTERS = 1000
"""Letters of one answer that are kept; all fields are shorter."""

Typed = dict[str, list[str]]
"""Answers by the name of their field, as a browser sends them."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a registration; `fields`: the names of a section's own fields in it."""

    key: str
    heading: str
    fields: tuple[str, ...] = ()


def has_steps(office: Federation) -> bool:
    """Whether this federation's registration is asked in steps."""
    return bool(office.equipment.office.registration.steps)


def list_registration_steps(office: Federation) -> list[Step]:
    """The steps: the event, its sections, a step for each group of a section's fields, and the review."""
    groups = [
        Step(f"part-{number}", _(each.heading), tuple(OWN_PREFIX + name for name in each.fields))
        for number, each in enumerate(office.equipment.office.registration.steps, 1)
    ]
    last = Step(REVIEW, _("Check and register"))
    return [Step(EVENT, _("The event")), Step(SECTIONS, _("Sections")), *groups, last]


class LongRegistration:
    """A registration as typed so far: its forms, and the errors in each step."""

    def __init__(self, rights: Rights, typed: Typed) -> None:
        self.rights, self.office = rights, rights.federation
        self.steps = list_registration_steps(self.office)
        self.data = QueryDict(mutable=True)
        for name, values in ({ROW_COUNT_FIELD: ["1"], "sections-INITIAL_FORMS": ["0"]} | typed).items():
            self.data.setlist(name, values)
        self.event = EventForm(self.data, rights=rights)
        self.sections = build_sections_formset(self.office, self.data)
        for each in (self.event, self.sections):
            each.is_valid()  # collects the errors of each field
        if not {"starts", "ends"} & self.event.errors.keys():
            days = self.event.cleaned_data
            self.sections.check_within(days["starts"], days["ends"])

    def step(self, key: str) -> Step | None:
        return next((each for each in self.steps if each.key == key), None)

    def previous_step(self, step: Step) -> Step:
        return self.steps[max(self.steps.index(step) - 1, 0)]

    def wrong(self, step: Step) -> list[forms.BoundField]:
        """The fields of a step with errors."""
        return [field for row in self.rows(step) for field in row.fields if field.errors]

    def rows(self, step: Step, *, calm: bool = False) -> list[Row]:
        """The questions of a step, about the event or about each section. `calm`: without errors."""
        if step.key == REVIEW:
            return []
        event, sections = self.event, self.sections
        if calm:
            typed = [self._typed_values(form) for form in sections.forms]
            event = EventForm(rights=self.rights, initial=self._typed_values(event))
            sections = build_sections_formset(self.office, initial_rows=typed)
        if step.key == EVENT:
            return [Row("", event, tuple(event[name] for name in EVENT_FIELDS if name in event.fields))]
        return [
            Row(str(form["name"].value() or ""), form, tuple(form[name] for name in self._asked(step, form)))
            for form, typed in zip(sections.forms, self.sections.forms, strict=True)
            if step.key == SECTIONS or not typed.left_empty()
        ]

    def registered_rows(self, step: Step) -> list[Row]:
        """The answers of a step that would be registered, without sections that were left empty."""
        return [row for row in self.rows(step) if not row.left_empty()]

    def _asked(self, step: Step, form: SectionForm) -> list[str]:
        """The fields of a section in a step: those in no group are asked together with its name."""
        if step.fields:
            return [name for name in step.fields if name in form.fields]
        later = {name for each in self.steps for name in each.fields}
        return [name for name in form.fields if name not in later]

    def _typed_values(self, form: forms.BaseForm) -> dict[str, Any]:
        """The answers in a form, without fields that were not shown yet."""
        widgets = {name: (form.add_prefix(name), field.widget) for name, field in form.fields.items()}
        return {
            name: widget.value_from_datadict(self.data, {}, prefixed)
            for name, (prefixed, widget) in widgets.items()
            if not widget.value_omitted_from_data(self.data, {}, prefixed)
        }


@dataclass(frozen=True, slots=True)
class Row:
    """The questions of a step about one thing: the event, or a section."""

    name: str
    form: EventForm | SectionForm
    fields: tuple[forms.BoundField, ...]

    @property
    def number(self) -> str:
        """The number of a section's row, from 0."""
        return str(self.form.prefix or "").rpartition("-")[2]

    def left_empty(self) -> bool:
        return isinstance(self.form, SectionForm) and self.form.left_empty()

    def answers(self) -> list[tuple[str, str]]:
        """Each field's label and the answer in words, which may be empty."""
        return [
            (str(field.label), format_answer(field, self._registered_value(field.name)))
            for field in self.fields
            if field.name != "name" or isinstance(self.form, EventForm)
        ]

    def _registered_value(self, name: str) -> Any:
        """The answer that would be registered; None if it depends on another answer that was not given."""
        data = self.form.cleaned_data
        if isinstance(self.form, SectionForm) and name.startswith(OWN_PREFIX):
            return (
                data.get(name) if name.removeprefix(OWN_PREFIX) in self.form.section().particulars else None
            )
        return data.get(name)


# ---- Answers, step by step
def match_rows(
    typed: Typed, posted_answers: Mapping[str, list[str]]
) -> tuple[Mapping[str, list[str]], list[str]]:
    """Move the posted answers about each section to its present row, since another window may have added,
    removed or renamed sections. The page posts the names that it showed (`shown-0`).

    Also returns the names of sections without such a row, whose answers are left out.
    """
    shown = {
        int(found[1]): posted_answers[name][0] for name in posted_answers if (found := _SHOWN.fullmatch(name))
    }
    now = [typed.get(f"sections-{row}-name", [""])[0] for row in range(count_rows(typed))]
    if all(row < len(now) and now[row] == name for row, name in shown.items()):
        return posted_answers, []
    several = Counter(shown.values())
    at = {
        row: now.index(name)
        for row, name in shown.items()
        if name and now.count(name) == 1 and several[name] == 1
    }
    at |= {row: row for row in shown if row not in at and row < len(now) and row not in at.values()}
    others = {name: values for name, values in typed.items() if _row_of(name) not in at.values()}
    moved = {
        _renumber(name, at[row]): posted_answers[name]
        for name in posted_answers
        if (row := _row_of(name)) in at
    }
    return others | moved, [name or str(row + 1) for row, name in shown.items() if row not in at]


_SHOWN = re.compile(r"shown-(\d{1,3})")


def _row_of(name: str) -> int:
    found = re.match(r"sections-(\d{1,3})-", name)
    return int(found[1]) if found else -1


def _belongs(name: str, step: Step, steps: Sequence[Step]) -> bool:
    """Whether a field of that name is asked for in a step."""
    if step.key == EVENT:
        return name in EVENT_FIELDS
    found = re.fullmatch(r"sections-(\d{1,3})-(.+)", name)
    if found is None or int(found[1]) >= MOST_SECTIONS:
        return False
    names = {found[2], re.sub(r"_\d$", "", found[2])}  # of a field, or of a part (`own-time_controls_0`)
    if step.fields:
        return not names.isdisjoint(step.fields)
    return names.isdisjoint(field for each in steps for field in each.fields)


def count_rows(typed: Typed) -> int:
    return int(typed.get(ROW_COUNT_FIELD, ["1"])[0])


def add_section_like_last(typed: Typed) -> Typed:
    """Answers with another section, which is like the last except for its name."""
    rows = count_rows(typed)
    if rows >= MOST_SECTIONS:
        return typed
    last = {name: values for name, values in typed.items() if name.startswith(f"sections-{rows - 1}-")}
    copied = {_renumber(name, rows): values for name, values in last.items()}
    return typed | copied | {f"sections-{rows}-name": [""], ROW_COUNT_FIELD: [str(rows + 1)]}


def remove_section_row(typed: Typed, row: int) -> Typed:
    """Answers without a section, unless it is the only one; those after it move up."""
    rows = count_rows(typed)
    if rows < 2 or not 0 <= row < rows:
        return typed
    kept: Typed = {}
    for name, values in typed.items():
        at = _row_of(name)
        if at != row:
            kept[_renumber(name, at - 1) if at > row else name] = values
    return kept | {ROW_COUNT_FIELD: [str(rows - 1)]}


def _renumber(name: str, row: int) -> str:
    return re.sub(r"^sections-\d+-", f"sections-{row}-", name)


def prefill_answers(
    rights: Rights, event_values: Mapping[str, Any], section_values: Sequence[Mapping[str, Any]]
) -> Typed:
    """The answers that a browser would send of forms with these initial values."""
    typed = _post_data(EventForm(rights=rights, initial=dict(event_values)))
    formset = build_sections_formset(rights.federation, initial_rows=[dict(row) for row in section_values])
    for form in formset.forms:
        typed |= _post_data(form)
    return {name: values for name, values in typed.items() if name not in ("once", "another")} | {
        ROW_COUNT_FIELD: [str(len(formset.forms))]
    }


def _post_data(form: forms.BaseForm) -> Typed:
    sent: Typed = {}
    for bound in form:
        value, widget = bound.value(), bound.field.widget
        if isinstance(widget, forms.MultiWidget):
            for at, part in enumerate(widget.decompress(value) or []):
                sent[f"{bound.html_name}_{at}"] = ["" if part is None else str(part)]
        elif isinstance(widget, forms.CheckboxInput):
            sent |= {bound.html_name: ["on"]} if value else {}
        elif value is not None:
            shown = widget.format_value(value)
            sent[bound.html_name] = [str(shown[0] if isinstance(shown, list) else shown or "")]
    return sent


# ---- The draft of a long registration
DRAFTS_SESSION_KEY = "registrations"
MOST_DRAFTS = 3
"""The number of unfinished registrations that one person can have; the oldest is dropped for another."""
MADE_SESSION_KEY = "registrations_made"
MOST_MADE = 10
"""The number of finished registrations of one session whose events are remembered."""


@dataclass(slots=True)
class Draft:
    """The answers so far, and the steps that were passed."""

    key: str
    typed: Typed = field(default_factory=dict)
    passed: list[str] = field(default_factory=list)
    """Keys of the steps that were sent to go on, whose errors are shown."""
    reviewed: bool = False
    """Whether the review was reached, to which a corrected step then leads back."""

    def digest(self) -> str:
        """A digest of the answers, which the review posts, so that no others are registered."""
        return hashlib.sha256(json.dumps(self.typed, sort_keys=True).encode()).hexdigest()

    def pass_step(self, key: str) -> None:
        self.passed = [*(each for each in self.passed if each != key), key]

    def reopen_step(self, key: str) -> None:
        self.passed = [each for each in self.passed if each != key]


def get_draft_key(request: OfficeRequest) -> str:
    """The key of the draft in the address; empty if there is none."""
    try:
        return str(UUID(request.GET.get("draft", "")[:36]))
    except ValueError:
        return ""


def find_draft(request: OfficeRequest, key: str) -> Draft | None:
    kept = request.session.get(DRAFTS_SESSION_KEY, {}).get(key)
    if not kept or kept["office"] != request.office.code:
        return None
    return Draft(key, kept["typed"], kept["passed"], kept["reviewed"])


def list_drafts(request: OfficeRequest) -> list[Draft]:
    """The person's unfinished registrations in this office, the newest first."""
    found = (find_draft(request, key) for key in request.session.get(DRAFTS_SESSION_KEY, {}))
    return [draft for draft in found if draft is not None][::-1]


def save_draft(request: OfficeRequest, draft: Draft) -> None:
    kept = {
        key: each for key, each in request.session.get(DRAFTS_SESSION_KEY, {}).items() if key != draft.key
    }
    newest = dict(list(kept.items())[-(MOST_DRAFTS - 1) :])
    answers = {"typed": draft.typed, "passed": draft.passed, "reviewed": draft.reviewed}
    request.session[DRAFTS_SESSION_KEY] = newest | {draft.key: {"office": request.office.code, **answers}}


def delete_draft(request: OfficeRequest, draft: Draft) -> None:
    kept = {
        key: each for key, each in request.session.get(DRAFTS_SESSION_KEY, {}).items() if key != draft.key
    }
    request.session[DRAFTS_SESSION_KEY] = kept


def find_registered_draft_event(request: OfficeRequest, key: str) -> Event | None:
    """The event that a draft of this session became, if the person may still open it."""
    office, number = request.session.get(MADE_SESSION_KEY, {}).get(key, ("", ""))
    if office != request.office.code:
        return None
    events = Event.objects.within(request.rights, Permission.SECTIONS_FILE).select_related("federation")
    found: Event | None = events.filter(number=number).first()
    return found


# ---- Values of the form as typed, to be shown again
def typed_values(form: forms.BaseForm) -> dict[str, Any]:
    """All that was typed into a form, valid or not, to be shown again without errors."""
    return {
        name: field.widget.value_from_datadict(form.data, form.files, form.add_prefix(name))
        for name, field in form.fields.items()
        if name != "once"
    }


def add_row_like_last(formset: BaseSections) -> list[dict[str, Any]]:
    """The rows as typed, and another that is like the last except for its name."""
    rows = [typed_values(form) for form in formset.forms]
    return [*rows, {**rows[-1], "name": ""}] if rows else []


# ---- After the registration of an event
def redirect_after_registration(request: OfficeRequest, event: Event) -> HttpResponse:
    """Redirect to the file of the only section if play has begun, else to the event, with a message."""
    words = _("Registered: %(event)s has the number %(number)s.")
    sentences = [words % {"event": event.name, "number": event.number}]
    sections, day = list(event.sections.all()), today(request.office)
    begun = [section for section in sections if section.starts <= day]
    if not begun:
        sentences += _next_sentences(event)
    messages.success(request, " ".join(sentences))
    if len(sections) == 1 and begun:
        return redirect_to_step(sections[0], "file")
    return redirect("tournaments:event", request.office.code, event.number)


def _next_sentences(event: Event) -> list[str]:
    """Sentences on what follows the registration of an event that has not begun."""
    file = _("The next step is the file of each section: it can be uploaded from %(day)s on.")
    sentences = [file % {"day": day_in_words(min(section.starts for section in event.sections.all()))}]
    if needs_decision_before_play(event.federation):
        sentences.insert(0, _("An official decides on it before play, and you read the answer on your desk."))
    return sentences


# ---- The page that registers an event in steps
DROP_PREFIX = "drop-"
"""The prefix of the button that removes a section: `drop-1`."""
DISCARD = "discard"
"""The button that deletes a draft."""


def register_in_steps(request: OfficeRequest) -> HttpResponse:
    """Show a step of a registration, or take the posted answers and redirect to another step."""
    if not (key := get_draft_key(request)):
        return redirect(_address(request, str(uuid4()), EVENT))
    draft = find_draft(request, key)
    if request.method == "POST" and request.POST.get("go") == DISCARD:
        if draft is not None:
            delete_draft(request, draft)
        messages.success(request, _("Thrown away: nothing of it is kept, and nothing was registered."))
        return redirect(f"{request.office.get_absolute_url()}desk/")
    if draft is None and (
        event := find_registered_draft_event(request, key)
        or find_event_by_form_mark(request.office, posted_form_digest(request))
    ):
        return (
            redirect_after_registration(request, event)
            if request.method == "POST"
            else render(request, "tournaments/registered.html", {"event": event})
        )
    if draft is None and request.GET.get("step", EVENT) != EVENT:
        messages.error(request, _("What was typed here is not kept any more. Begin this registration anew."))
        return redirect(reverse("tournaments:register", args=[request.office.code]))
    if draft is None:
        values, rows = _initial_values(request)
        draft = Draft(key, prefill_answers(request.rights, values, rows) if values else {})
    registration = LongRegistration(request.rights, draft.typed)
    step = _step_of(request, draft, registration)
    if step.key != request.GET.get("step"):
        if request.method == "POST":
            messages.error(request, _keep_for_later(request, draft, registration, step))
        return redirect(_address(request, key, step.key))
    if request.method != "POST":
        return _show(request, draft, registration, step)
    return _handle_post(request, draft, registration, step)


def _address(request: OfficeRequest, key: str, step: str) -> str:
    """The address of a step, with `like` until the first answers are posted."""
    query = {"draft": key, "step": step}
    if step == EVENT and (like := request.GET.get("like", "")):
        query["like"] = like
    return f"{reverse('tournaments:register', args=[request.office.code])}?{urlencode(query)}"


def _step_of(request: OfficeRequest, draft: Draft, registration: LongRegistration) -> Step:
    """The step in the address, or the first before it that is not done."""
    requested = registration.step(request.GET.get("step", "")) or registration.steps[0]
    for each in registration.steps:
        if each == requested or each.key not in draft.passed or registration.wrong(each):
            return each
    return requested


def _keep_for_later(
    request: OfficeRequest, draft: Draft, registration: LongRegistration, open_step: Step
) -> str:
    """Keep the posted answers of a later step until the person comes to it; return words on that."""
    later = registration.step(request.GET.get("step", ""))
    if later is None or later.key == REVIEW:
        return _("Nothing was registered: this registration was changed while your page was open.")
    lost = _take_answers(request, draft, registration, later)
    save_draft(request, draft)
    words = _(
        "“%(step)s” is not done: it may have been changed in another window. Go on from here. Your answers "
        "under “%(sent)s” are kept, and stand there when you come to it."
    )
    return "\n".join([words % {"step": open_step.heading, "sent": later.heading}, *lost])


def _take_answers(
    request: OfficeRequest, draft: Draft, registration: LongRegistration, step: Step
) -> list[str]:
    """Take a step's answers into the draft; return a sentence on those whose section is gone."""
    posted = {name: [str(each).replace("\0", "") for each in given] for name, given in request.POST.lists()}
    sent, lost = match_rows(draft.typed, posted)
    steps = registration.steps
    new = {name: values for name, values in sent.items() if _belongs(name, step, steps)}
    kept = {name: values for name, values in draft.typed.items() if not _belongs(name, step, steps)}
    draft.typed = kept | {
        name: [value[:MOST_LETTERS] for value in values[:1]] for name, values in new.items()
    }
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
        save_draft(request, draft)
    passed = step.key in draft.passed
    context = {
        "step": step,
        "rows": registration.rows(step, calm=not passed),
        "wrong": registration.wrong(step) if passed else [],
        "steps": [
            {
                "label": each.heading,
                "state": "now" if each == step else "done" if each.key in draft.passed else "todo",
                "url": _address(request, draft.key, each.key) if step.key == REVIEW else "",
            }
            for each in registration.steps
        ],
        "several": count_rows(draft.typed) > 1,
        "first": step == registration.steps[0],
        "review": [
            {
                "step": each,
                "url": _address(request, draft.key, each.key),
                "rows": registration.registered_rows(each),
            }
            for each in registration.steps
            if each.key != REVIEW
        ]
        if step.key == REVIEW
        else [],
        "draft": draft,
    }
    return render(request, "tournaments/register_step.html", context | (more or {}), status=status)


def _handle_post(
    request: OfficeRequest, draft: Draft, registration: LongRegistration, step: Step
) -> HttpResponse:
    if step.key == REVIEW:
        return _register(request, draft, registration, step)
    for words in _take_answers(request, draft, registration, step):
        messages.error(request, words)
    go = request.POST.get("go", "")
    if step.key == SECTIONS and (go == "more" or go.startswith(DROP_PREFIX)):
        row = go.removeprefix(DROP_PREFIX)
        draft.typed = (
            remove_section_row(draft.typed, int(row))
            if is_number(row)
            else add_section_like_last(draft.typed)
        )
        draft.reopen_step(step.key)
        return _keep_and_redirect(request, draft, step)
    if go == "back":
        return _keep_and_redirect(request, draft, registration.previous_step(step))
    draft.pass_step(step.key)
    registration = LongRegistration(request.rights, draft.typed)
    if registration.wrong(step):
        save_draft(request, draft)
        return _show(request, draft, registration, step, status=400)
    steps = registration.steps
    return _keep_and_redirect(request, draft, steps[-1 if draft.reviewed else steps.index(step) + 1])


def _keep_and_redirect(request: OfficeRequest, draft: Draft, step: Step) -> HttpResponse:
    save_draft(request, draft)
    return redirect(_address(request, draft.key, step.key))


def _register(
    request: OfficeRequest, draft: Draft, registration: LongRegistration, step: Step
) -> HttpResponse:
    """Register what the review showed, once."""
    if request.POST.get("go") == "back":
        return redirect(_address(request, draft.key, registration.previous_step(step).key))
    refusal: dict[str, Any] = {}
    if request.POST.get("seen") != draft.digest():
        words = _("This registration was changed while your page was open. Look at it as it is now.")
        return _show(request, draft, registration, step, status=409, more={"refused": words})
    try:
        data = registration.event.event_data() | {"another": bool(request.POST.get("another"))}
        event = _register_posted(request, registration.sections, data)
    except AlreadyRegistered as before:
        refusal = {"refused": str(before), "told_before": before.event}
    except Refused as refused:
        refusal = {"refused": str(refused)}
    else:
        delete_draft(request, draft)
        made = {**request.session.get(MADE_SESSION_KEY, {}), draft.key: [request.office.code, event.number]}
        request.session[MADE_SESSION_KEY] = dict(list(made.items())[-MOST_MADE:])
        return redirect_after_registration(request, event)
    return _show(request, draft, registration, step, status=409, more=refusal)


def _register_posted(request: OfficeRequest, sections: BaseSections, data: dict[str, Any]) -> Event:
    """Register the event that valid forms tell of, once. Raises `Refused` as `register_event` does."""
    refuse_flood(request.user, timezone.now(), "register", str(REGISTRATIONS_FLOOD))
    return register_event(
        rights=request.rights,
        by=request.user,
        on=today(request.office),
        sections=sections.sections(),
        mark=posted_form_digest(request),
        **data,
    )


# ---- The page that registers an event at once, and an event's filing page
MORE = "more"
"""The button that adds a row, for browsers without script."""


@page(Permission.EVENTS_REGISTER, methods=FORM)
def register(request: OfficeRequest) -> HttpResponse:
    """Register an event, at once or in steps; `?like=` with an event's number copies that, a year later."""
    if has_steps(request.office):
        return register_in_steps(request)
    if request.method != "POST":
        values, rows = _initial_values(request)
        form = EventForm(rights=request.rights, initial=values)
        return _show_form(request, form, build_sections_formset(request.office, initial_rows=rows))
    form = EventForm(request.POST, rights=request.rights)
    sections = build_sections_formset(request.office, request.POST)
    if MORE in request.POST:
        rows = add_row_like_last(sections)
        form = EventForm(rights=request.rights, initial=typed_values(form))
        return _show_form(request, form, build_sections_formset(request.office, initial_rows=rows))
    days = ("starts", "ends")
    valid = all([form.is_valid(), sections.is_valid()])
    if not valid or not sections.check_within(*(form.cleaned_data[day] for day in days)):
        return _show_form(request, form, sections, status=400)
    try:
        event = _register_posted(request, sections, form.event_data())
    except AlreadyRegistered as before:
        form.told_before = before.event
        form.add_error("another", _("If this is another event, say so by the tick; else go to that one."))
        form.add_error(None, str(before))
    except Refused as refused:
        form.add_error(None, str(refused))
    else:
        return redirect_after_registration(request, event)
    return _show_form(request, form, sections, status=409)


def _initial_values(request: OfficeRequest) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The initial values of the form: none, or a copy of the event in the address; 404 for another's."""
    if not (number := request.GET.get("like", "")):
        return {}, []
    earlier = get_own_event(request, number[:20])
    return build_event_copy_values(earlier, today(request.office))


def _show_form(
    request: OfficeRequest, form: EventForm, sections: BaseSections, status: int = 200
) -> HttpResponse:
    context = {"form": form, "sections": sections}
    return render(request, "tournaments/register.html", context, status=status)


@page(Permission.SECTIONS_FILE, methods=FORM)
def event(request: OfficeRequest, number: str) -> HttpResponse:
    """The filing page of an event: its sections with what each needs next, and a form to add others."""
    found = get_own_event(request, number)
    related = found.sections.select_related("event__federation", "event__region")
    sections = list(related.prefetch_related("permission_requests"))
    formset, status = build_sections_formset(request.office, initial_rows=_copy_last_section(sections)), 200
    if request.method == "POST":
        formset, status = build_sections_formset(request.office, request.POST), 400
        if MORE in request.POST:
            formset, status = (
                build_sections_formset(request.office, initial_rows=add_row_like_last(formset)),
                200,
            )
        elif formset.is_valid() and formset.check_within(found.starts, found.ends):
            if _add(request, found, formset.sections()):
                return redirect("tournaments:event", request.office.code, found.number)
            status = 409
    context = {
        "event": found,
        "rows": [_row(section, today(request.office)) for section in sections],
        "missed": group_missed_days(sections, today(request.office)),
        "sections": formset,
        "adding": request.method == "POST" or not sections,
        "once": OnceForm(request.POST or None)["once"],
        "form": ArchiveForm(),
        "archives": found.archives.defer("content"),
        "not_before": found.starts if today(request.office) < found.starts else None,
        "planned": found.state == Event.State.PLANNED,
        "notices": get_notices(found),
        "closing": find_closing_notice(found),
        "movable": get_move_target_regions(request.rights, found).exists(),
        "in_the_way": describe_blockers(sections),
        "rated": any(section.stage == Stage.RATED for section in sections),
    }
    return render(request, "tournaments/event.html", context, status=status)


def _copy_last_section(sections: list[Section]) -> list[dict[str, Any]]:
    """The form's first row: a copy of the section registered last."""
    remaining = [section for section in sections if section.stage != Stage.WITHDRAWN]
    return [build_section_copy_row(max(remaining, key=lambda section: section.pk))] if remaining else []


def _add(request: OfficeRequest, event: Event, sections: list[SectionParticulars]) -> bool:
    """Add sections to an event; return whether that was accepted."""

    def add(*, by: User, on: date) -> None:
        refuse_flood(by, timezone.now(), "register", str(REGISTRATIONS_FLOOD))
        add_sections(event=event, by=by, on=on, sections=sections, mark=posted_form_digest(request))

    return attempt(request, None, add, refusal_to=MESSAGE).done


def _row(section: Section, day: date) -> dict[str, object]:
    """A row of the event's page for one section, with links to its next step and its next deadline."""
    label, url = _("See it"), filing_url("submit", section)
    if get_open_region_question(section):
        label, url = _("Answer the office’s question"), filing_url("answer_before_play", section)
    elif section.open_to_filing and is_file_read(section):
        label, url = _("Go on"), next_step_url(section, "file")
    elif section.open_to_filing:
        label, url = upload_link_text(section, day), filing_url("file", section)
    return {
        "section": section,
        "format": FORMAT_LABELS[section.format],
        "label": label,
        "url": url,
        "due": find_region_deadline(section, day),
        "deadlines": filing_url("deadlines", section),
    }
