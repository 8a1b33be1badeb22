"""Pages on which officials take a federation's history in, from the upload to the writing.

The main page shows its files, its table, the open questions by cause and the ratings to come. An answer can
settle all questions of a cause; doubtful people have a page of their own.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from io import BytesIO
from typing import Any

from django import forms
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from players.access import FORM, POST, OfficeRequest, Permission, page
from players.files import deletion_message
from players.models import Federation
from players.pages.forms import MESSAGE, attempt
from players.record import Refused, get_refusal
from players.settings import today
from ratings.as_if import Effects
from ratings.models import first_own_line, opening_day
from ratings.pages.effects import effects_context
from tournaments import history_plan
from tournaments.findings import reasons_in_words
from tournaments.history import (
    EVERY_FILE,
    LONGEST_SOURCE,
    MOST_ARCHIVE_BYTES,
    MOST_TABLE_BYTES,
    PLACES_BY_POINTS,
    RIGHT,
    amend_table,
    answer,
    confirm_history,
    discard_history,
    give_batch,
    load_sheets,
    read_answers,
    receive_history,
    refuse_own_record,
    render_questions_csv,
    replace_table,
    table_columns,
    take_out_batch,
    write_table,
)
from tournaments.history_people import APART, OFFER_SEPARATOR
from tournaments.matching import id_kind_choices
from tournaments.models import History, HistoryAnswer, HistoryState


def get_history(request: OfficeRequest, key: int) -> History:
    """Return a history of this office; raises Http404 if there is none."""
    rows = History.objects.filter(federation=request.office).defer(*History.byte_columns)
    return get_object_or_404(rows.select_related("by", "confirmed_by"), pk=key)


# ---- The page of doubtful people
AT_ONCE = 100
"""The most people on one page: after it is sent the history is checked again."""
PERSON_NOT_THERE = "person-not-there"
PEOPLE_KINDS = ("person", "person-twice", "name", PERSON_NOT_THERE)


@dataclass(frozen=True, slots=True)
class DoubtfulPerson:
    kind: str
    subject: str
    name: str
    """The name, with birth, in the file."""
    file: str
    offers: list[list[str]]
    """The answer and the name of each who may be meant."""

    @property
    def field(self) -> str:
        return f"{self.kind}:{self.subject}"

    @property
    def bare(self) -> bool:
        """Whether the file has the name alone, so that another file may mean somebody else by it."""
        return self.kind == "person" and "(" not in self.name


def iter_doubtful_people(history: History) -> Iterator[DoubtfulPerson]:
    asked: Any = history.outcome.get("asked", [])
    for kind, subject, where, proposed in asked:
        if kind in PEOPLE_KINDS:
            name, _comma, file = where.removeprefix(f"{subject} ").rpartition(", ")
            offers = [each.split(" ", 1) for each in proposed.split(OFFER_SEPARATOR) if " " in each]
            if kind == "person-twice":  # `where` names both entries, and begins with the file
                name, file = f"{name}, {file}", ""
            kind = "person" if kind == PERSON_NOT_THERE else kind
            yield DoubtfulPerson(kind, subject, name or file, file, offers)


@page(Permission.SECTIONS_APPROVE, methods=FORM)
def decide_people(request: OfficeRequest, key: int) -> HttpResponse:
    """Page of the doubtful people, each with those who may be meant; a POST takes the answers."""
    history = get_history(request, key)
    doubts = list(iter_doubtful_people(history))
    answers = [
        HistoryAnswer(kind=doubt.kind, subject=doubt.subject, value=value)
        for doubt in doubts
        if (value := request.POST.get(doubt.field, "").strip())
    ]
    record = partial(answer, answers=answers)
    answered = attempt(request, None, record, history=history, at=timezone.now())
    if answered.done:
        return redirect("ratings:history", request.office.code, key)
    return _people_page(request, history, doubts, answered.refused, answered.status)


def _people_page(
    request: OfficeRequest,
    history: History,
    doubts: list[DoubtfulPerson],
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {
        "history": history,
        "doubts": doubts[:AT_ONCE],
        "more": len(doubts) - AT_ONCE,
        "refused": refused,
        "apart": APART,
    }
    return render(request, "ratings/office/history_people.html", context, status=status)


# ---- Forms
ZIP_ATTRS = {"accept": ".zip,application/zip"}
SHEET_ATTRS = {"accept": ".csv,.xlsx,text/csv"}


class HistoryForm(forms.Form):
    file = forms.FileField(label=gettext_lazy("ZIP of event files"), widget=forms.FileInput(attrs=ZIP_ATTRS))
    table = forms.FileField(
        label=gettext_lazy("Table beside them"),
        required=False,
        widget=forms.FileInput(attrs=SHEET_ATTRS),
        help_text=gettext_lazy(
            "CSV or XLSX. You can also download it here afterwards, filled in as far as the files go."
        ),
    )
    source = forms.CharField(
        label=gettext_lazy("Whose past this is, of which years"),
        max_length=LONGEST_SOURCE,
        help_text=gettext_lazy(
            "Everybody can read this in the journal: “archive of the federation, 2009 to 2025”."
        ),
    )


class BatchForm(forms.Form):
    """A further archive of a past, or one in the place of another."""

    file = forms.FileField(label=gettext_lazy("ZIP of event files"), widget=forms.FileInput(attrs=ZIP_ATTRS))
    number = forms.TypedChoiceField(
        label=gettext_lazy("Where these files go"), required=False, coerce=int, empty_value=None
    )

    def __init__(self, history: History, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        instead = [
            (batch["number"], _("in the place of %(name)s") % {"name": batch["name"]})
            for batch in history.batches
        ]
        self.fields["number"].choices = [("", _("to those that are there")), *instead]  # type: ignore[attr-defined]


class HistoryTableForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("The table, filled in"), widget=forms.FileInput(attrs=SHEET_ATTRS)
    )


class AnswersForm(forms.Form):
    """An answer for all questions of one kind, or a table of answers."""

    kind = forms.CharField(max_length=40, required=False, widget=forms.HiddenInput)
    value = forms.CharField(label=gettext_lazy("One answer for all of these"), max_length=200, required=False)
    file = forms.FileField(
        label=gettext_lazy("Questions with their answers"),
        required=False,
        widget=forms.FileInput(attrs=SHEET_ATTRS),
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if not given.get("file") and not (given.get("kind") and given.get("value")):
            raise forms.ValidationError(gettext_lazy("Write an answer, or choose a table with answers."))
        return given


# ---- Answers for all questions of a cause
BEST, NEW = "best", "new"
Choices = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class OfferedAnswer:
    """A form beside a cause: a button alone, or with a value to be chosen or typed."""

    button: str
    column: str = ""
    """The column of the table whose cell it sets; empty: it answers the question."""
    value: str = ""
    """The value of a button alone."""
    label: str = ""
    """The label of the value to be chosen or typed."""
    choices: Choices = ()


def offered_answers(office: Federation, cause: Mapping[str, Any]) -> list[OfferedAnswer]:
    if cause["level"] == "asks":
        key = cause["key"]
        if key == "person":
            suggested = OfferedAnswer(_("Everybody as suggested first"), value=BEST)
            return [suggested, OfferedAnswer(_("All are new players"), value=NEW)]
        if key == "person-twice":
            return [OfferedAnswer(_("These are two people each"), value=NEW)]
        if key == "id-kind":
            label = _("One answer for all of these")
            return [OfferedAnswer(_("Answer all"), label=label, choices=id_kind_choices(office.ruleset))]
        if cause.get("files"):
            words = _("These are two people each") if key == "twins" else _("All of these are right")
            leave_out = OfferedAnswer(_("Leave these files out"), "leave_out", "yes")
            return [OfferedAnswer(words, value=RIGHT), leave_out]
        return []
    if cause["level"] == "blocks" and cause.get("files"):
        return [
            *_answers_for_fault(office, cause),
            OfferedAnswer(_("Leave these files out"), "leave_out", "yes"),
        ]
    if cause["key"] == "nation-missing":
        return [OfferedAnswer(_("Give it to all"), "nation", label=_("The nation of all these"))]
    return []


def _answers_for_fault(office: Federation, cause: Mapping[str, Any]) -> list[OfferedAnswer]:
    key, params = cause["key"], cause["params"]
    if key == "places-missing":
        return [OfferedAnswer(_("Work all of them out from points"), "places", PLACES_BY_POINTS)]
    if key == "more-rounds":
        finals = OfferedAnswer(_("What lies behind counts as finals"), "rounds", str(params["scheduled"]))
        return [finals, OfferedAnswer(_("All of them were scheduled"), "rounds", str(params["played"]))]
    if key == "region-unknown":
        return [
            OfferedAnswer(_("For all these files"), "region", label=_("Region"), choices=_regions(office))
        ]
    if key == "field-missing" and params["column"] != "starts":
        column = params["column"]
        choices = _regions(office) if column == "region" else _choices(office, column)
        return [OfferedAnswer(_("For all these files"), column, label=params["label"], choices=choices)]
    return []


def _regions(office: Federation) -> Choices:
    return [(code, f"{code} {name}") for code, name in office.region_names]


def _choices(office: Federation, column: str) -> Choices:
    fields = {field.name: field for field in office.ruleset.sections.fields}
    return [(each.value, _(each.label)) for each in fields[column].choices] if column in fields else ()


# ---- Pages of histories
STOP_POLLING = 286  # htmx: swap this in and stop polling
_MARK = re.compile(r"\bm[0-9a-f]{12} ")


@page(Permission.SECTIONS_APPROVE, methods=FORM)
def histories(request: OfficeRequest) -> HttpResponse:
    form = HistoryForm(request.POST or None, request.FILES or None)

    def answers(typed: dict[str, Any]) -> dict[str, Any]:
        file, table = typed["file"], typed["table"]
        given = (table.name, table.read(MOST_TABLE_BYTES)) if table else None
        data = file.read(MOST_ARCHIVE_BYTES + 1)
        return {"name": file.name, "data": data, "source": typed["source"], "table": given}

    terms: dict[str, Any] = {"federation": request.office, "own_line": first_own_line(request.office)}
    terms |= {"at": timezone.now(), "answers": answers, "refusal_to": "file"}
    received = attempt(request, form, receive_history, **terms)
    if received.done:
        return redirect("ratings:history", request.office.code, received.result.pk)
    return _overview(request, form, received.status)


def _overview(request: OfficeRequest, form: HistoryForm, status: int) -> HttpResponse:
    known = History.objects.filter(federation=request.office).defer(*History.byte_columns, "outcome", "rows")
    context = {
        "form": form,
        "histories": known,
        "impossible": get_refusal(refuse_own_record, first_own_line(request.office)),
        "openings": opening_day(request.office),
    }
    return render(request, "ratings/office/histories.html", context, status=status)


@page(Permission.SECTIONS_APPROVE)
def show_history(request: OfficeRequest, key: int) -> HttpResponse:
    return _page(request, get_history(request, key))


def _page(request: OfficeRequest, history: History, refused: str = "", status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {
        "history": history,
        "refused": refused,
        "let_go": deletion_message(history),
        "reasons": reasons_in_words(history.reason),
        "outcome": history.outcome,
        "causes": [(cause, offered_answers(request.office, cause)) for cause in _causes(history)],
        "batch_form": BatchForm(history, auto_id="batch_%s"),
        "table_form": HistoryTableForm(auto_id="table_%s"),
        "answers_form": AnswersForm(auto_id="answers_%s"),
    }
    outcome: dict[str, Any] = history.outcome
    if stored := outcome.get("effects"):
        effects = Effects.from_json(stored)
        context |= effects_context(request.office, effects, names=outcome["names"])
    if history.working:
        context["working"] = _progress_context(request, history)
    return render(request, "ratings/office/history.html", context, status=status)


def _causes(history: History) -> list[dict[str, Any]]:
    """The causes of the newest check, without the marks that only tables of answers need."""
    causes: Any = history.outcome.get("causes", [])
    for cause in causes:
        cause["examples"] = [_MARK.sub("", each) for each in cause["examples"]]
        cause["about_people"] = cause["key"] in PEOPLE_KINDS
    return list(causes)


def _returns_to_page(
    view: Callable[[OfficeRequest, int], HttpResponse | None],
) -> Callable[..., HttpResponse]:
    """Redirect to the page of the history after `view`; a refusal is shown there."""

    @wraps(view)
    def inner(request: OfficeRequest, key: int) -> HttpResponse:
        try:
            response = view(request, key)
        except Refused as refused:
            return _page(request, get_history(request, key), str(refused), status=409)
        return response or redirect("ratings:history", request.office.code, key)

    return inner


def _progress_context(request: OfficeRequest, history: History) -> dict[str, Any]:
    waits = history.state in (HistoryState.WAITING, HistoryState.ASKED, HistoryState.CONFIRMED)
    here = [request.office.code, history.pk]
    return {
        "words": _("Waiting for the worker") if waits else history.get_state_display(),
        "done": history.progress,
        "total": None if waits else 100,
        "count": " ",
        "url": reverse("ratings:history_progress", args=here),
        "refresh_url": reverse("ratings:history", args=here),
    }


@page(Permission.SECTIONS_APPROVE)
def progress(request: OfficeRequest, key: int) -> HttpResponse:
    """Progress bar, for which htmx asks each second; at the end an answer that has the page reloaded."""
    history = get_history(request, key)
    if not history.working:
        return HttpResponse(status=STOP_POLLING, headers={"HX-Refresh": "true"})
    return render(request, "components/progress_state.html", _progress_context(request, history))


@page(Permission.SECTIONS_APPROVE)
def table(request: OfficeRequest, key: int) -> HttpResponse:
    """Download of the table as CSV, filled in as far as the files go."""
    history, written = get_history(request, key), BytesIO()
    write_table(written, history, load_sheets(history))
    return _download(written.getvalue(), "table.csv")


@page(Permission.SECTIONS_APPROVE)
def questions(request: OfficeRequest, key: int) -> HttpResponse:
    """Download of the open questions as CSV, to be answered there."""
    asked: Any = get_history(request, key).outcome.get("asked", [])
    return _download(render_questions_csv(asked), "questions.csv")


@page(Permission.SECTIONS_APPROVE)
def who_is_who(request: OfficeRequest, key: int) -> HttpResponse:
    """Download of who is who as CSV: the person for each spelling, to be corrected there."""
    return _download(history_plan.load_people_table(get_history(request, key)), "who-is-who.csv")


def _download(data: bytes, name: str) -> HttpResponse:
    response = HttpResponse(data, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@page(Permission.SECTIONS_APPROVE, methods=POST)
@_returns_to_page
def add_batch(request: OfficeRequest, key: int) -> HttpResponse | None:
    """Add an archive to a past, or put it in the place of another."""
    history = get_history(request, key)
    form = BatchForm(history, request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, history, _("Choose a ZIP of event files."), status=400)
    file = form.cleaned_data["file"]
    give_batch(
        history=history,
        by=request.user,
        on=today(request.office),
        name=file.name,
        data=file.read(MOST_ARCHIVE_BYTES + 1),
        number=form.cleaned_data["number"],
    )
    return None


@page(Permission.SECTIONS_APPROVE, methods=POST)
@_returns_to_page
def take_out(request: OfficeRequest, key: int) -> None:
    """Take the files of one archive out of a past."""
    number = request.POST.get("number", "")
    if not number.isdecimal():
        raise Refused(_("Something was changed since this was checked. Look at what would be written now."))
    history = get_history(request, key)
    take_out_batch(history=history, by=request.user, on=today(request.office), number=int(number))


@page(Permission.SECTIONS_APPROVE, methods=POST)
@_returns_to_page
def give_table(request: OfficeRequest, key: int) -> HttpResponse | None:
    """Take a filled-in table in place of the earlier one."""
    history, form = get_history(request, key), HistoryTableForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, history, _("Choose the table."), status=400)
    file = form.cleaned_data["file"]
    replace_table(
        history=history,
        by=request.user,
        on=today(request.office),
        name=file.name,
        data=file.read(MOST_TABLE_BYTES),
    )
    return None


@page(Permission.SECTIONS_APPROVE, methods=POST)
@_returns_to_page
def give_answers(request: OfficeRequest, key: int) -> HttpResponse | None:
    """Take one answer for all questions of a kind, or a table of answers."""
    history, form = get_history(request, key), AnswersForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, history, _("Write an answer, or choose a table with answers."), status=400)
    given = form.cleaned_data
    answers = read_answers(given["file"].read(MOST_TABLE_BYTES), given["file"].name) if given["file"] else []
    if given["kind"] and given["value"]:
        answers.append(HistoryAnswer(kind=given["kind"], subject=HistoryAnswer.ALL, value=given["value"]))
    answer(history=history, by=request.user, at=timezone.now(), on=today(request.office), answers=answers)
    return None


@page(Permission.SECTIONS_APPROVE, methods=POST)
@_returns_to_page
def amend(request: OfficeRequest, key: int) -> None:
    """Set a cell of the table for all files of a cause that the page showed."""
    history, typed = get_history(request, key), request.POST
    cause = next((each for each in _causes(history) if each.get("mark") == typed.get("cause")), None)
    column, value = typed.get("column", ""), typed.get("value", "").strip()[:200]
    if cause is None or column not in table_columns(request.office.ruleset):
        raise Refused(_("Something was changed since this was checked. Look at what would be written now."))
    if not value:
        raise Refused(_("Give a value."))
    amend_table(
        history=history,
        by=request.user,
        on=today(request.office),
        files=list(cause.get("files") or [EVERY_FILE]),
        cells={column: value},
    )


@page(Permission.SECTIONS_APPROVE, methods=POST)
@_returns_to_page
def confirm(request: OfficeRequest, key: int) -> None:
    history = get_history(request, key)
    confirm_history(
        history=history,
        by=request.user,
        on=today(request.office),
        digest=request.POST.get("digest", ""),
    )


@page(Permission.SECTIONS_APPROVE, methods=POST)
def discard(request: OfficeRequest, key: int) -> HttpResponse:
    words, history = _("The history was discarded. Nothing was changed."), get_history(request, key)
    if attempt(request, None, discard_history, words, refusal_to=MESSAGE, history=history).done:
        return redirect("ratings:histories", request.office.code)
    return redirect("ratings:history", request.office.code, key)
