"""The page of the first decision on a section, before play, where the regulations want one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
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
    LettingPlayForm,
    NothingInTheWayForm,
    PuttingOffForm,
    RefusalBeforePlayForm,
)
from ratings.office.sections.review import particulars_of, second_thoughts_of, section_for
from tournaments.events.finding_words import show_findings
from tournaments.events.models import Section, Stage
from tournaments.events.section_days import admitted_before_play, refused_before_play
from tournaments.filing.before_play.decide_before_play import (
    ask_before_play,
    close_before_play,
    put_off,
    refuse_before_play,
)
from tournaments.filing.before_play.first_decision import (
    decides_before_play,
    declared_now,
    may_close_before_play,
    may_decide_before_play,
    refusable_before_play,
    waits_for_first_decision,
)
from tournaments.filing.before_play.missed_days import missed_before_play
from tournaments.filing.before_play.said_before_play import SaidBeforePlay, said_before_play
from tournaments.filing.open_questions import findings_before_play
from tournaments.filing.submission.admit_before_play import admit_before_play
from tournaments.forms.permission_forms import AnswerForm
from tournaments.review.take_back import until_when

Verb = Callable[..., Section]
EarlyDecision = tuple[type[DecisionForm], Verb, Any]
DECISIONS: dict[str, EarlyDecision] = {
    "admit": (AdmissionForm, admit_before_play, _("%(section)s is admitted as declared.")),
    "refuse": (RefusalBeforePlayForm, refuse_before_play, _("%(section)s is refused.")),
    "put-off": (PuttingOffForm, put_off, _("The decision on %(section)s is put off.")),
    "ask": (AskingForm, ask_before_play, _("The region is asked about %(section)s.")),
    "close": (
        NothingInTheWayForm,
        close_before_play,
        _("Nothing stands in the way of %(section)s: the region is told so."),
    ),
}
"""Possible decisions: by the name that the page's form sends, its form, its service, and the words when it
is done.
"""
WHERE_NONE_WAITS: dict[str, EarlyDecision] = {
    "admit": (LettingPlayForm, admit_before_play, _("%(section)s can be played and filed after all.")),
}
"""The same, worded for a federation in which no section has to wait for a decision."""


@permitted(Permission.SECTIONS_APPROVE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def before_play(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Page on which an official decides before play on a section as its region declared it: admits or refuses
    it, puts the decision off, asks the region, or finds nothing in the way. Leads to the review in
    federations without such a decision, and once the section is filed.
    """
    section = section_for(request, number, code, Permission.SECTIONS_APPROVE)
    undecided = section.stage == Stage.REGISTERED or refused_before_play(section)
    if not may_decide_before_play(request.office) or not (section.open_to_filing or undecided):
        if request.method == "POST":
            messages.error(request, _went_on(section, request.POST.get("reason", "").strip()))
        return redirect("ratings:review", office=request.office.code, number=number, code=code)
    if request.method != "POST":
        return before_play_page(request, section)
    name = request.POST.get("decision", "admit")
    if name not in DECISIONS:
        raise Http404
    _form_class, verb, words = _decisions_of(section)[name]
    typed = _form(name, section, request.POST)
    if name not in _offered(section):
        return _not_offered(request, section, name, typed)
    if not typed.is_valid():
        return before_play_page(request, section, {name: typed}, status=400)
    try:
        verb(section=section, by=request.user, on=today(request.office), **typed.cleaned_data)
    except Refused as why:
        section.refresh_from_db()
        return before_play_page(request, section, {name: typed}, refused=str(why), status=409)
    messages.success(request, f"{words % {'section': section}} {until_when(section)}".strip())
    return redirect("ratings:desk", office=request.office.code)


def _went_on(section: Section, typed: str) -> str:
    """The words for whoever decides on a section that went on meanwhile, with those that they typed."""
    words = now("This section is %(stage)s by now, so nothing was decided before play.")
    told = words % {"stage": section.get_stage_display()}
    return f"{told} {now('You had written: “%(words)s”') % {'words': typed}}" if typed else told


def _decisions_of(section: Section) -> dict[str, EarlyDecision]:
    """The possible decisions, worded for a federation in which sections have to be admitted, or need not."""
    return DECISIONS if decides_before_play(section.event.federation) else DECISIONS | WHERE_NONE_WAITS


def _offered(section: Section) -> list[str]:
    """The decisions that can be made now: where no section has to wait for one, a refusal, a question to the
    region, or that nothing stands in the way of what waits; and a refusal is taken away again.
    """
    office = section.event.federation
    if decides_before_play(office):
        return [name for name in DECISIONS if name != "close"]
    if refused_before_play(section):
        return ["admit", "refuse"]
    return [*(["close"] if may_close_before_play(section, today(office)) else []), "ask", "refuse"]


def _form(name: str, section: Section, typed: QueryDict | None = None) -> DecisionForm:
    form_class = _decisions_of(section)[name][0]
    return form_class(typed, initial={"version": section.version}, auto_id=f"{name}_%s")


def _not_offered(request: OfficeRequest, section: Section, name: str, typed: DecisionForm) -> HttpResponse:
    """The answer to a decision that cannot be made now: 404 from whoever saw the section as it is, and
    otherwise the page as it is now, with the words that were typed.
    """
    if request.POST.get("version") == str(section.version):
        raise Http404
    words = now("This section changed while your page was open, and this can be decided no more.")
    return before_play_page(request, section, {name: typed}, refused=words, status=409)


def before_play_page(
    request: OfficeRequest,
    section: Section,
    typed: Mapping[str, DecisionForm] | None = None,
    refused: str = "",
    answering: AnswerForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page as the section stands now; after a refusal with its words and with what was typed (`typed`),
    in its form, or above the page where that decision cannot be made any more. `answering`: the same of the
    answer to an appeal.
    """
    typed = typed or {}
    forms = {name: typed.get(name) or _form(name, section) for name in _offered(section)}
    main = next((name for name in ("admit", "close") if name in forms), "")
    found = findings_before_play(section)
    admitted = admitted_before_play(section)
    context = {
        "section": section,
        "version": section.version,
        "forms": [(name, form, BUTTONS[name]) for name, form in forms.items() if name != main],
        "main": main,
        "form": forms.get(main),
        "kept": [form["reason"].value() for name, form in typed.items() if name not in forms],
        "clause": refusable_before_play(request.office),
        "refused": refused,
        "refused_early": refused_before_play(section),
        "admitted": admitted,
        "declared_otherwise": admitted is not None and admitted["declared"] != declared_now(section),
        "said": _said(section),
        "thread": _thread(section),
        "particulars": particulars_of(section),
        "findings": show_findings(section, found, here=True),
        "blocked": any(each.level == "blocks" for each in found),
        "missed": missed_before_play(section, today(request.office)),
        **second_thoughts_of(section, answering),
    }
    return render(request, "ratings/office/before_play.html", context, status=status)


BUTTONS = {
    "ask": (_("Ask the region"), _("Ask the region something"), False),
    "put-off": (_("Put the decision off"), _("Put the decision off"), False),
    "refuse": (pgettext_lazy("a section", "Refuse it"), _("Refuse it before play"), True),
}
"""By decision: the words of its button, those of the line that opens its form, and whether it takes away."""


def _thread(section: Section) -> list[SaidBeforePlay]:
    """The whole thread, where it is more than the last decision and its answer, which stand by themselves."""
    thread = said_before_play(section, decisions=True)
    told = 1 + bool(section.before_play.get("answer"))
    return thread if len(thread) > told else []


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
    """Sections that wait for an official before play, the soonest first: for the decision, where rules want
    one, or with the answer to a question.
    """
    if not may_decide_before_play(office):
        return []
    registered = Section.objects.filter(event__federation=office, stage=Stage.REGISTERED)
    sections = registered.select_related("event__federation", "event__region").order_by("starts", "pk")
    return [each for each in sections if waits_for_first_decision(each, on)]
