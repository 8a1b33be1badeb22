"""Pages of a section's deadlines and permissions, and to answer the office's question before play."""

from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _, gettext_lazy

from players.access import FORM, POST, OfficeRequest, Permission, page
from players.pages.forms import attempt
from players.settings import today
from ratings.rulesets.profile import Permit
from tournaments.before_play import (
    PERMISSION_STAGES,
    answer_before_play as record_answer,
    answer_permission,
    ask_permission_for_several,
    check_requirements,
    get_open_region_question,
    list_before_play_messages,
    list_missed_days_to_act_on,
)
from tournaments.findings import filing_url
from tournaments.models import PermissionRequest, Section
from tournaments.pages.changes import QuestionAnswerForm
from tournaments.pages.forms import VersionForm, rebuild_form
from tournaments.pages.steps import get_own_section, run_decision
from tournaments.sections import list_deadlines

# ---- Forms
MOST_LETTERS = 1000


class AppealForm(VersionForm):
    reason = forms.CharField(
        label=gettext_lazy("Reason"), max_length=MOST_LETTERS, widget=forms.Textarea(attrs={"rows": 4})
    )


class PermissionRequestForm(VersionForm):
    """A region's request: the thing to be permitted, and the reason."""

    clause = forms.ChoiceField(label=gettext_lazy("What the office should permit"))
    others = forms.MultipleChoiceField(
        label=gettext_lazy("Also for"), required=False, widget=forms.CheckboxSelectMultiple
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"), max_length=MOST_LETTERS, widget=forms.Textarea(attrs={"rows": 3})
    )

    def __init__(
        self,
        data: Any = None,
        *,
        section: Section,
        day: date,
        asked: str = "",
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        """Make the form of a section. `asked`: the clause that the address asks for."""
        self.section = section
        permits = list_askable_permits(section)
        self.siblings = {
            each.code: each
            for each in section.event.sections.exclude(pk=section.pk).select_related("event__federation")
            if each.open_to_filing
        }
        missed = {
            code
            for code, each in self.siblings.items()
            if any(one.permit == asked for one in list_missed_days_to_act_on(each, day))
        }
        defaults = {"version": section.version, "clause": asked, "others": sorted(missed)}
        super().__init__(data, initial=defaults | dict(initial or {}))
        clause, others = self.fields["clause"], self.fields["others"]
        assert isinstance(clause, forms.ChoiceField)
        assert isinstance(others, forms.MultipleChoiceField)
        clause.choices = [(permit.clause, f"§{permit.clause} {_(permit.words)}") for permit in permits]
        others.choices = [(code, each.name) for code, each in self.siblings.items()]
        if not self.siblings:
            del self.fields["others"]

    def terms(self) -> dict[str, Any]:
        """What the region asks: the clause, the reason, and the other sections that need it too."""
        chosen = (self.siblings[code] for code in self.cleaned_data.get("others", ()))
        clause = self.cleaned_data["clause"]
        others = [each for each in chosen if clause in {one.clause for one in list_askable_permits(each)}]
        return {"clause": clause, "reason": self.cleaned_data["reason"], "others": others}


class GrantOrRefuseForm(VersionForm):
    """An official's answer to a request; the button pressed grants or refuses."""

    reason = forms.CharField(
        label=gettext_lazy("Your words"),
        help_text=gettext_lazy("Wanted for a refusal; the region reads them."),
        max_length=MOST_LETTERS,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    granted = forms.ChoiceField(choices=(("yes", "yes"), ("no", "no")), widget=forms.HiddenInput)


@page(Permission.SECTIONS_FILE, methods=FORM)
def answer_before_play(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Answer the office's question before play; redirects to the event if there is none."""
    section = get_own_section(request, number, code)
    form = QuestionAnswerForm(request.POST or None, initial={"version": section.version})
    words = _("Your answer is with the office, which decides before play.")
    answered = attempt(request, form, record_answer, words, section=section)
    if answered.done:
        return redirect("tournaments:event", request.office.code, number)
    if answered.refused:
        section.refresh_from_db()
        form = rebuild_form(QuestionAnswerForm, request.POST, section, answered.refused)
    question = get_open_region_question(section)
    if not question and request.method != "POST":
        return redirect("tournaments:event", request.office.code, number)
    thread = list_before_play_messages(section, with_decisions=False)
    context = {"section": section, "event": section.event, "question": question, "form": form}
    context["thread"] = thread if len(thread) > 1 else []
    return render(request, "tournaments/answer_before_play.html", context, status=answered.status)


# ---- The page, and the answer to a request
@page(Permission.SECTIONS_FILE, methods=FORM)
def deadlines(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """The days of a section and its list before play; a post asks for a permission."""
    section = get_own_section(request, number, code)
    day = today(request.office)
    form = PermissionRequestForm(
        request.POST or None, section=section, day=day, asked=request.GET.get("clause", "")
    )
    if request.method != "POST":
        return _show(request, section, form)
    if not form.is_valid():
        return _show(request, section, form, status=400)
    words = _("Asked. The office will answer on this page.")
    if run_decision(request, ask_permission_for_several, words, section=section, **form.terms()):
        return redirect(filing_url("deadlines", section))
    section.refresh_from_db()
    typed = form.cleaned_data | {"version": section.version}
    form = PermissionRequestForm(initial=typed, section=section, day=day)
    return _show(request, section, form, status=409)


@page(Permission.SECTIONS_REVIEW, methods=POST)
def answer(request: OfficeRequest, number: str, code: str, key: int) -> HttpResponse:
    """Grant or refuse a permission that was asked for."""
    section = get_own_section(request, number, code)
    asked = get_object_or_404(PermissionRequest, pk=key, section=section)
    form = GrantOrRefuseForm(request.POST, auto_id=_ids(asked))
    if not form.is_valid():
        messages.error(request, _("Grant the permission or refuse it, and write at most 1,000 letters."))
        return _show(request, section, _ask_form(request, section), {key: form}, status=400)
    granted, reason = form.cleaned_data["granted"] == "yes", form.cleaned_data["reason"]
    decision = partial(answer_permission, request=asked, granted=granted, reason=reason)
    if run_decision(request, decision, _("Answered. The region sees it on this page.")):
        return redirect(filing_url("deadlines", section))
    section.refresh_from_db()
    form = GrantOrRefuseForm(initial={"reason": reason, "version": section.version}, auto_id=_ids(asked))
    return _show(request, section, _ask_form(request, section), {key: form}, status=409)


def _ids(asked: PermissionRequest) -> str:
    return f"answer-{asked.pk}-%s"


def _ask_form(request: OfficeRequest, section: Section) -> PermissionRequestForm:
    return PermissionRequestForm(section=section, day=today(request.office))


def list_askable_permits(section: Section) -> list[Permit]:
    """The permissions for which the region may still ask."""
    if section.stage not in PERMISSION_STAGES:
        return []
    states = PermissionRequest.State
    settled = set(section.permission_requests.exclude(state=states.REFUSED).values_list("clause", flat=True))
    return [
        each
        for each in section.event.federation.equipment.office.powers.permits
        if each.clause not in settled
    ]


def _show(
    request: OfficeRequest,
    section: Section,
    form: PermissionRequestForm,
    typed: Mapping[int, GrantOrRefuseForm] | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the page; `typed`: the form of an answer that was not accepted, by the request's key."""
    typed = typed or {}
    words = {each.clause: _(each.words) for each in request.office.equipment.office.powers.permits}
    answering = Permission.SECTIONS_REVIEW in request.rights and section.stage in PERMISSION_STAGES
    asked = [
        {
            "request": each,
            "words": words.get(each.clause, ""),
            "form": typed.get(each.pk)
            or GrantOrRefuseForm(initial={"version": section.version}, auto_id=_ids(each))
            if answering and each.state == PermissionRequest.State.ASKED
            else None,
            "kept": typed[each.pk]["reason"].value() if each.pk in typed else "",
        }
        for each in section.permission_requests.select_related("asked_by", "answered_by")
    ]
    context: dict[str, Any] = {
        "section": section,
        "event": section.event,
        "deadlines": list_deadlines(section, today(request.office)),
        "checks": check_requirements(section),
        "thread": list_before_play_messages(section, with_decisions=False),
        "asked": asked,
        "form": form if list_askable_permits(section) else None,
        "asks": form.is_bound or form.initial.get("clause", ""),
        "regulations": f"{request.office.get_absolute_url()}regulations/",
    }
    return render(request, "tournaments/deadlines.html", context, status=status)
