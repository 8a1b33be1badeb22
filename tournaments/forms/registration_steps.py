"""A long registration in steps: the questions of each step, and the answers to all of them so far."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from players.office.access import Rights
from players.office.models import Federation
from tournaments.events.ruleset_fields import PREFIX
from tournaments.forms.event_forms import (
    MOST_SECTIONS,
    BaseSections,
    EventForm,
    SectionForm,
    sections_formset,
)

EVENT, SECTIONS, REVIEW = "event", "sections", "review"
OF_EVENT = ("name", "starts", "ends", "region", "place", "country", "organizer")
ROWS = "sections-TOTAL_FORMS"
MOST_LETTERS = 1000
"""Letters of one answer that are kept; no field takes as many."""

Typed = dict[str, list[str]]
"""Answers by the name of their field, as a browser sends them."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a registration; `fields`: a section's own that it asks, by their names in the form."""

    key: str
    heading: str
    fields: tuple[str, ...] = ()


def in_steps(office: Federation) -> bool:
    """Whether this federation's registration is so long that it is asked in steps."""
    return bool(office.equipment.office.registration.steps)


def steps_of(office: Federation) -> list[Step]:
    """The steps: the event, its sections, a step for each group of a section's fields, and the review."""
    groups = [
        Step(f"part-{number}", _(each.heading), tuple(PREFIX + name for name in each.fields))
        for number, each in enumerate(office.equipment.office.registration.steps, 1)
    ]
    last = Step(REVIEW, _("Check and register"))
    return [Step(EVENT, _("The event")), Step(SECTIONS, _("Sections")), *groups, last]


class LongRegistration:
    """A registration as typed so far: its forms, and what is wrong in which step."""

    def __init__(self, rights: Rights, typed: Typed) -> None:
        self.rights, self.office = rights, rights.federation
        self.steps = steps_of(self.office)
        self.data = QueryDict(mutable=True)
        for name, values in ({ROWS: ["1"], "sections-INITIAL_FORMS": ["0"]} | typed).items():
            self.data.setlist(name, values)
        self.event = EventForm(self.data, rights=rights)
        self.sections = sections_formset(self.office, self.data)
        for typed_in in (self.event, self.sections):
            typed_in.is_valid()  # which notes what is wrong with each field
        if not {"starts", "ends"} & self.event.errors.keys():
            days = self.event.cleaned_data
            self.sections.check_within(days["starts"], days["ends"])

    def step(self, key: str) -> Step | None:
        return next((each for each in self.steps if each.key == key), None)

    def before(self, step: Step) -> Step:
        return self.steps[max(self.steps.index(step) - 1, 0)]

    def after(self, step: Step) -> Step:
        return self.steps[self.steps.index(step) + 1]

    def wrong(self, step: Step) -> list[forms.BoundField]:
        """The fields of a step in which something is missing or wrong."""
        return [field for row in self.rows(step) for field in row.fields if field.errors]

    def rows(self, step: Step, *, calm: bool = False) -> list[Row]:
        """The questions of a step, about the event or about each section. `calm`: without complaint.

        A row of a section that was left empty stands in the step of the sections alone, to be filled there.
        """
        if step.key == REVIEW:
            return []
        event, sections = (self._calm_event(), self._calm_sections()) if calm else (self.event, self.sections)
        if step.key == EVENT:
            return [Row("", event, tuple(event[name] for name in OF_EVENT if name in event.fields))]
        return [
            Row(str(form["name"].value() or ""), form, tuple(form[name] for name in self._asked(step, form)))
            for form, typed in zip(sections.forms, self.sections.forms, strict=True)
            if step.key == SECTIONS or not typed.left_empty()
        ]

    def registered_rows(self, step: Step) -> list[Row]:
        """The answers of a step that would be registered: without sections that were left empty."""
        return [row for row in self.rows(step) if not row.left_empty()]

    def _asked(self, step: Step, form: SectionForm) -> list[str]:
        """The fields of a section that a step asks: all that stand in no group come with its name."""
        if step.fields:
            return [name for name in step.fields if name in form.fields]
        later = {name for each in self.steps for name in each.fields}
        return [name for name in form.fields if name not in later]

    def _calm_event(self) -> EventForm:
        return EventForm(rights=self.rights, initial=self._typed_in(self.event))

    def _calm_sections(self) -> BaseSections:
        return sections_formset(self.office, like=[self._typed_in(form) for form in self.sections.forms])

    def _typed_in(self, form: forms.BaseForm) -> dict[str, Any]:
        """The answers in a form; without the fields that nobody has seen yet."""
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
        """Each field's label and what was answered, in words; empty where nothing was."""
        return [
            (str(field.label), in_words(field, self._kept(field.name)))
            for field in self.fields
            if field.name != "name" or isinstance(self.form, EventForm)
        ]

    def _kept(self, name: str) -> Any:
        """The answer that would be registered: none to what goes with another answer that was not given."""
        said = self.form.cleaned_data
        if isinstance(self.form, SectionForm) and name.startswith(PREFIX):
            return said.get(name) if name.removeprefix(PREFIX) in self.form.section().particulars else None
        return said.get(name)


def in_words(field: forms.BoundField, value: Any) -> str:
    """An answer as pages tell it; empty where there is none."""
    if value in (None, "", [], False):
        return ""
    if isinstance(field.field, forms.ChoiceField):
        return str(dict(field.field.choices).get(str(value), value))  # type: ignore[arg-type]
    if isinstance(value, date):
        return date_format(value, "DATE_FORMAT")
    if isinstance(value, list):
        return "; ".join(f"{' + '.join(map(str, each['minutes']))}, {each['increment']}" for each in value)
    return _("yes") if value is True else str(value)


# ---------------------------------------------------------------- what was typed, step by step


def with_step(typed: Typed, steps: Sequence[Step], step: Step, sent: Mapping[str, list[str]]) -> Typed:
    """Answers so far, with one step's answers replaced by what was sent of it."""
    new = {name: values for name, values in sent.items() if _belongs(name, step, steps)}
    kept = {name: values for name, values in typed.items() if not _belongs(name, step, steps)}
    return kept | {name: [value[:MOST_LETTERS] for value in values[:1]] for name, values in new.items()}


def on_their_rows(typed: Typed, sent: Mapping[str, list[str]]) -> tuple[Mapping[str, list[str]], list[str]]:
    """Put the answers about each section that were sent of a step to the row where it stands by now: another
    window may have added sections, left some out or renamed them. The page says which it showed (`shown-0`).

    Also returns the names of sections without such a row, whose answers are left out.
    """
    shown = {int(found[1]): sent[name][0] for name in sent if (found := _SHOWN.fullmatch(name))}
    now = [typed.get(f"sections-{row}-name", [""])[0] for row in range(rows_in(typed))]
    if all(row < len(now) and now[row] == name for row, name in shown.items()):
        return sent, []
    several = Counter(shown.values())
    at = {
        row: now.index(name)
        for row, name in shown.items()
        if name and now.count(name) == 1 and several[name] == 1
    }
    at |= {row: row for row in shown if row not in at and row < len(now) and row not in at.values()}
    others = {name: values for name, values in typed.items() if _row_of(name) not in at.values()}
    moved = {_renumbered(name, at[row]): sent[name] for name in sent if (row := _row_of(name)) in at}
    return others | moved, [name or str(row + 1) for row, name in shown.items() if row not in at]


_SHOWN = re.compile(r"shown-(\d{1,3})")


def _row_of(name: str) -> int:
    found = re.match(r"sections-(\d{1,3})-", name)
    return int(found[1]) if found else -1


def _belongs(name: str, step: Step, steps: Sequence[Step]) -> bool:
    """Whether a field of that name is asked in a step."""
    if step.key == EVENT:
        return name in OF_EVENT
    found = re.fullmatch(r"sections-(\d{1,3})-(.+)", name)
    if found is None or int(found[1]) >= MOST_SECTIONS:
        return False
    later = [field for each in steps for field in each.fields]
    return _named(found[2], step.fields) if step.fields else not _named(found[2], later)


def _named(rest: str, fields: Sequence[str]) -> bool:
    """Whether a name is that of one of these fields, or of a part of one (`own-time_controls_0`)."""
    return rest in fields or re.sub(r"_\d$", "", rest) in fields


def rows_in(typed: Typed) -> int:
    return int(typed.get(ROWS, ["1"])[0])


def one_more(typed: Typed) -> Typed:
    """Answers with one section more, which begins as the last one but for its name."""
    rows = rows_in(typed)
    if rows >= MOST_SECTIONS:
        return typed
    last = {name: values for name, values in typed.items() if name.startswith(f"sections-{rows - 1}-")}
    copied = {_renumbered(name, rows): values for name, values in last.items()}
    return typed | copied | {f"sections-{rows}-name": [""], ROWS: [str(rows + 1)]}


def one_less(typed: Typed, row: int) -> Typed:
    """Answers without a section, unless it is the only one; those after it move up."""
    rows = rows_in(typed)
    if rows < 2 or not 0 <= row < rows:
        return typed
    kept: Typed = {}
    for name, values in typed.items():
        at = _row_of(name)
        if at != row:
            kept[_renumbered(name, at - 1) if at > row else name] = values
    return kept | {ROWS: [str(rows - 1)]}


def _renumbered(name: str, row: int) -> str:
    return re.sub(r"^sections-\d+-", f"sections-{row}-", name)


def typed_like(rights: Rights, event: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Typed:
    """Answers as somebody would type them to register an event of these first contents."""
    typed = _as_sent(EventForm(rights=rights, initial=dict(event)))
    formset = sections_formset(rights.federation, like=[dict(row) for row in rows])
    for form in formset.forms:
        typed |= _as_sent(form)
    return {name: values for name, values in typed.items() if name not in ("once", "another")} | {
        ROWS: [str(len(formset.forms))]
    }


def _as_sent(form: forms.BaseForm) -> Typed:
    sent: Typed = {}
    for field in form:
        value, widget = field.value(), field.field.widget
        if isinstance(widget, forms.MultiWidget):
            for at, part in enumerate(widget.decompress(value) or []):
                sent[f"{field.html_name}_{at}"] = ["" if part is None else str(part)]
        elif isinstance(widget, forms.CheckboxInput):
            sent |= {field.html_name: ["on"]} if value else {}
        elif value is not None:
            shown = widget.format_value(value)
            sent[field.html_name] = [str(shown[0] if isinstance(shown, list) else shown or "")]
    return sent
