"""Pages of reports of mistakes for whoever answers them: the list, one case, and the deeds about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.settings_schema import today
from ratings.office.common.decision_forms import DecisionForm, words_field
from tournaments.cases.answer import OUTCOMES, answer_case, close_case, note_in_case
from tournaments.cases.models import Case, CaseMessage, CaseQuerySet

CLOSED_SHOWN = 50


class CaseDeedForm(DecisionForm):
    """The base of the forms about a case. All are sent together, so that no word typed into one is lost."""

    use_required_attribute = False  # whoever answers leaves the other fields empty

    def add_prefix(self, field_name: str) -> str:
        return field_name if field_name == "version" else super().add_prefix(field_name)


class AnswerCaseForm(CaseDeedForm):
    words = words_field(_("Answer"), _("It goes to whoever reported it, by e-mail."))


class NoteInCaseForm(CaseDeedForm):
    words = words_field(_("Note"), _("Region and office read it; whoever reported it never does."))


class CloseCaseForm(CaseDeedForm):
    outcome = forms.ChoiceField(
        label=_("How did it end?"),
        widget=forms.RadioSelect,
        choices=[(each.value, each.label) for each in OUTCOMES],
    )
    words = words_field(_("Words with the outcome"), _("They go to whoever reported it, by e-mail."))


FORMS: dict[str, type[DecisionForm]] = {
    "answer": AnswerCaseForm,
    "note": NoteInCaseForm,
    "close": CloseCaseForm,
}


@permitted(Permission.CASES_ANSWER)
@never_cache
@require_safe
def cases(request: OfficeRequest) -> HttpResponseBase:
    """Page of the cases of the person's regions: waiting, answered, and the newest closed."""
    found = cases_of(request)
    context = {
        "waiting": with_days(request, found.waiting()),
        "answered": found.filter(state=Case.State.ANSWERED),
        "closed": found.filter(state=Case.State.CLOSED).order_by("-closed_on", "-pk")[:CLOSED_SHOWN],
        "clauses": request.office.equipment.office.powers.case_clauses,
    }
    return render(request, "ratings/office/cases.html", context)


@permitted(Permission.CASES_ANSWER)
@never_cache
@require_safe
def case(request: OfficeRequest, key: int) -> HttpResponseBase:
    """Page of one case: what it is about, its thread, and the forms to answer, note and close."""
    return _show(request, _case(request, key))


@permitted(Permission.CASES_ANSWER)
@never_cache
@require_POST
def answer(request: OfficeRequest, key: int) -> HttpResponseBase:
    words = now("The answer is on its way by e-mail.")
    return _decide(request, key, "answer", answer_case, words, author=_author(request))


@permitted(Permission.CASES_ANSWER)
@never_cache
@require_POST
def note(request: OfficeRequest, key: int) -> HttpResponseBase:
    return _decide(request, key, "note", note_in_case, now("The note is kept."), author=_author(request))


@permitted(Permission.CASES_CLOSE)
@never_cache
@require_POST
def close(request: OfficeRequest, key: int) -> HttpResponseBase:
    words = now("The case is closed. Whoever reported it is told by e-mail.")
    return _decide(request, key, "close", close_case, words)


def cases_of(request: OfficeRequest) -> CaseQuerySet:
    """The confirmed cases of a person's regions; all for officials."""
    found = Case.objects.within(request.rights, Permission.CASES_ANSWER)
    cases: CaseQuerySet = found.select_related(
        "federation", "region", "section__event__federation", "player__federation"
    )
    return cases


def with_days(request: OfficeRequest, found: QuerySet[Case]) -> list[tuple[Case, int | None, int]]:
    """Each case with the days left, and the days by which it is late."""
    day = today(request.office)
    left = ((each, each.days_left(day)) for each in found)
    return [(each, days, max(0, -(days or 0))) for each, days in left]


def _case(request: OfficeRequest, key: int) -> Case:
    return get_object_or_404(cases_of(request), pk=key)


def _author(request: OfficeRequest) -> str:
    """The side for which a person speaks: the office, for whoever answers all over it."""
    everywhere = Permission.CASES_ANSWER in request.rights.everywhere
    return CaseMessage.Author.OFFICE if everywhere else CaseMessage.Author.REGION


def _decide(
    request: OfficeRequest, key: int, deed: str, verb: Callable[..., Case], words: str, **told: Any
) -> HttpResponseBase:
    """Do one of the deeds, and lead back to the case; show it again with what stands in the way, or with what
    was typed for another deed.
    """
    case = _case(request, key)
    form = FORMS[deed](request.POST, **_names(deed))
    if not form.is_valid():
        return _show(request, case, {deed: form}, status=400)
    others = any(request.POST.get(f"{name}-words", "").strip() for name in FORMS if name != deed)
    terms = {"by": request.user, "on": today(request.office), "at": timezone.now(), **told}
    try:
        if others and deed == "close":
            raise Refused(now("You typed an answer or a note as well. Send or empty it first, then close."))
        verb(case=case, **terms, **form.cleaned_data)
    except Refused as refused:
        return _show(request, _case(request, key), {deed: form}, status=409, refused=str(refused))
    messages.success(request, words)
    if others:
        case = _case(request, key)
        return _show(request, case, {deed: FORMS[deed](initial={"version": case.version}, **_names(deed))})
    return redirect("ratings:case", request.office.code, key)


def _names(deed: str) -> dict[str, Any]:
    return {"prefix": deed, "auto_id": f"{deed}_%s"}


def _typed(request: OfficeRequest, deed: str) -> dict[str, str]:
    """The words typed for a deed beside the one that was sent."""
    return {field: request.POST.get(f"{deed}-{field}", "") for field in ("words", "outcome")}


def _show(
    request: OfficeRequest,
    case: Case,
    sent: dict[str, DecisionForm] | None = None,
    *,
    status: int = 200,
    refused: str = "",
) -> HttpResponseBase:
    seen = {"version": case.version}
    forms = {deed: form(initial=seen | _typed(request, deed), **_names(deed)) for deed, form in FORMS.items()}
    if Permission.CASES_CLOSE not in request.rights:
        del forms["close"]
    names = request.office.appointments.names()
    [(_same, left, late)] = with_days(request, Case.objects.filter(pk=case.pk))
    context = {
        "case": case,
        "thread": [(each, names.get(each.by_id or 0, "")) for each in case.messages.all()],
        "forms": {**forms, **(sent or {})},
        "refused": refused,
        "left": left,
        "late": late,
        "open": case.state != Case.State.CLOSED,
        "reviews": Permission.SECTIONS_REVIEW in request.rights,
    }
    return render(request, "ratings/office/case.html", context, status=status)
