"""The page of the first decision on a section, before play, where the regulations want one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.models import Federation
from players.office.settings_schema import today
from ratings.office.common.decision_forms import (
    AdmissionForm,
    AskingForm,
    DecisionForm,
    PuttingOffForm,
    RefusalBeforePlayForm,
)
from ratings.office.sections.review import particulars_of, section_for
from tournaments.events.finding_words import show_findings
from tournaments.events.models import Section, Stage
from tournaments.events.section_days import admitted_before_play
from tournaments.filing.before_play.decide_before_play import ask_before_play, put_off, refuse_before_play
from tournaments.filing.before_play.first_decision import (
    decides_before_play,
    refused_before_play,
    waits_for_first_decision,
)
from tournaments.filing.open_questions import findings_before_play
from tournaments.filing.submission.admit_before_play import admit_before_play

Verb = Callable[..., Section]
DECISIONS: dict[str, tuple[type[DecisionForm], Verb, Any]] = {
    "admit": (AdmissionForm, admit_before_play, _("%(section)s is admitted as declared.")),
    "refuse": (RefusalBeforePlayForm, refuse_before_play, _("%(section)s is refused.")),
    "put-off": (PuttingOffForm, put_off, _("The decision on %(section)s is put off.")),
    "ask": (AskingForm, ask_before_play, _("The region is asked about %(section)s.")),
}
"""Possible decisions: by the name that the page's form sends, its form, its service, and the words when it
is done.
"""


@permitted(Permission.SECTIONS_APPROVE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def before_play(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Page on which an official decides before play on a section as its region declared it: admits or refuses
    it, puts the decision off, or asks the region. Leads to the review in federations without such a decision,
    and once the section is filed.
    """
    section = section_for(request, number, code, Permission.SECTIONS_APPROVE)
    undecided = section.stage == Stage.REGISTERED or refused_before_play(section)
    if not decides_before_play(request.office) or not (section.open_to_filing or undecided):
        if request.method == "POST":
            words = _("This section is %(stage)s by now, so nothing was decided before play.")
            messages.error(request, words % {"stage": section.get_stage_display()})
        return redirect("ratings:review", office=request.office.code, number=number, code=code)
    forms = {name: form(**_bare(name, section)) for name, (form, _verb, _words) in DECISIONS.items()}
    if request.method != "POST":
        return _show(request, section, forms)
    name = request.POST.get("decision", "admit")
    if name not in DECISIONS:
        raise Http404
    form_class, verb, words = DECISIONS[name]
    forms[name] = form = form_class(request.POST, auto_id=f"{name}_%s")
    if not form.is_valid():
        return _show(request, section, forms, status=400)
    try:
        verb(section=section, by=request.user, on=today(request.office), **form.cleaned_data)
    except Refused as why:
        section.refresh_from_db()
        return _show(request, section, forms, refused=str(why), status=409)
    messages.success(request, words % {"section": section})
    return redirect("ratings:desk", office=request.office.code)


def _bare(name: str, section: Section) -> dict[str, Any]:
    return {"initial": {"version": section.version}, "auto_id": f"{name}_%s"}


def _show(
    request: OfficeRequest,
    section: Section,
    forms: dict[str, DecisionForm],
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    """The page as the section stands now; after a refusal with its words and with what was typed."""
    found = findings_before_play(section)
    context = {
        "section": section,
        "version": section.version,
        "forms": [(name, form, BUTTONS[name]) for name, form in forms.items() if name != "admit"],
        "form": forms["admit"],
        "refused": refused,
        "admitted": admitted_before_play(section),
        "said": _said(section),
        "particulars": particulars_of(section),
        "findings": show_findings(section, found, here=True),
        "blocked": any(each.level == "blocks" for each in found),
    }
    return render(request, "ratings/office/before_play.html", context, status=status)


BUTTONS = {
    "ask": (_("Ask the region"), _("Ask the region something"), False),
    "put-off": (_("Put the decision off"), _("Put the decision off"), False),
    "refuse": (_("Refuse it"), _("Refuse it before play"), True),
}
"""By decision: the words of its button, those of the line that opens its form, and whether it takes away."""


def _said(section: Section) -> dict[str, Any]:
    """The decision made before, beside an admission, with its days; empty: nothing."""
    said = dict(section.before_play)
    for name in ("on", "until", "answered_on"):
        if name in said:
            said[name] = date.fromisoformat(said[name])
    titles = {
        "asked": now("The region was asked."),
        "put-off": now("The decision was put off."),
        "refused": now("It was refused before play."),
    }
    return said | {"title": titles[said["decision"]]} if said else {}


def awaiting(office: Federation, on: date) -> list[Section]:
    """Sections that wait for the decision before play, the soonest first; none where no rule wants it."""
    if not decides_before_play(office):
        return []
    registered = Section.objects.filter(event__federation=office, stage=Stage.REGISTERED)
    sections = registered.select_related("event__federation", "event__region").order_by("starts", "pk")
    return [each for each in sections if waits_for_first_decision(each, on)]
