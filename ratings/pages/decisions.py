"""Pages and forms of an official's decisions on a section.

These are the first decision before play, where the regulations want one; approval, return and refusal of a
submitted section; un-rating of a rated one; and the second thoughts: appeals, and taking a decision back.
Each form names the version of the section that the official saw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from players.access import OfficeRequest, Permission, permitted
from players.models import Federation, Ledger
from players.record import Refused, lock_ledger
from players.settings import today
from ratings import approval
from ratings.as_if import mark_of_record, preview_unrating
from ratings.pages.forms import (
    NUMBERS,
    AdmissionForm,
    ApprovalForm,
    AskingForm,
    DecisionForm,
    LettingPlayForm,
    NothingInTheWayForm,
    OutlookForm,
    PuttingOffForm,
    ReasonForm,
    RefusalBeforePlayForm,
    ReturnForm,
    UnrateForm,
)
from ratings.pages.review import (
    CorrectedTable,
    particulars_of,
    rerate_row,
    review_page,
    second_thoughts_of,
    section_for,
    unstated_in,
)
from ratings.pre_ratings import answers_given, births_asked
from ratings.recompute import state_of, trouble_of
from ratings.results import Corrected, ListDay, lists_with, standing_fact
from tournaments.acceptance import findings_before_play
from tournaments.before_play import (
    admit_before_play,
    ask_before_play,
    close_before_play,
    decides_before_play,
    declared_now,
    may_close_before_play,
    may_decide_before_play,
    missed_before_play,
    put_off,
    refusable_before_play,
    refuse_before_play,
    said_before_play,
    waits_for_first_decision,
)
from tournaments.findings import show_findings
from tournaments.models import Appeal, Section, Stage
from tournaments.pages.deadlines import AnswerForm
from tournaments.pages.forms import come_back
from tournaments.pages.steps import decide_on, reasons_of
from tournaments.review import TiedWords, choices_of, tie_of, until_when
from tournaments.review import decide_appeal as decide_on_appeal
from tournaments.review import take_back as take_back_slip
from tournaments.sections import Incomplete, admitted_before_play, refused_before_play

# ---- The page of the first decision on a section, before play, where the regulations want one.
Verb = Callable[..., Section]
EarlyDecision = tuple[type[DecisionForm], Verb, Any]
DECISIONS: dict[str, EarlyDecision] = {
    "admit": (AdmissionForm, admit_before_play, gettext_lazy("%(section)s is admitted as declared.")),
    "refuse": (RefusalBeforePlayForm, refuse_before_play, gettext_lazy("%(section)s is refused.")),
    "put-off": (PuttingOffForm, put_off, gettext_lazy("The decision on %(section)s is put off.")),
    "ask": (AskingForm, ask_before_play, gettext_lazy("The region is asked about %(section)s.")),
    "close": (
        NothingInTheWayForm,
        close_before_play,
        gettext_lazy("Nothing stands in the way of %(section)s: the region is told so."),
    ),
}
"""Possible decisions: by the name that the page's form sends, its form, its service, and the words when it
is done.
"""
WHERE_NONE_WAITS: dict[str, EarlyDecision] = {
    "admit": (
        LettingPlayForm,
        admit_before_play,
        gettext_lazy("%(section)s can be played and filed after all."),
    ),
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
    words = _("This section is %(stage)s by now, so nothing was decided before play.")
    told = words % {"stage": section.get_stage_display()}
    return f"{told} {_('You had written: “%(words)s”') % {'words': typed}}" if typed else told


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
    words = _("This section changed while your page was open, and this can be decided no more.")
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
    thread = said_before_play(section, decisions=True)
    told = 1 + bool(section.before_play.get("answer"))
    # The decision made before, beside an admission, with its days; empty: nothing.
    said = dict(section.before_play)
    for name in ("on", "until", "answered_on"):
        if name in said:
            said[name] = date.fromisoformat(said[name])
    titles = {
        "asked": _("The region was asked."),
        "put-off": _("The decision was put off."),
        "refused": _("It was refused before play."),
    }
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
        "said": (said | {"title": titles[said["decision"]]} if said else {}),
        "thread": (thread if len(thread) > told else []),
        "particulars": particulars_of(section),
        "findings": show_findings(section, found, here=True),
        "blocked": any(each.level == "blocks" for each in found),
        "missed": missed_before_play(section, today(request.office)),
        **second_thoughts_of(section, answering),
    }
    return render(request, "ratings/office/before_play.html", context, status=status)


BUTTONS = {
    "ask": (gettext_lazy("Ask the region"), gettext_lazy("Ask the region something"), False),
    "put-off": (gettext_lazy("Put the decision off"), gettext_lazy("Put the decision off"), False),
    "refuse": (pgettext_lazy("a section", "Refuse it"), gettext_lazy("Refuse it before play"), True),
}
"""By decision: the words of its button, those of the line that opens its form, and whether it takes away."""


def awaiting(office: Federation, on: date) -> list[Section]:
    """Sections that wait for an official before play, the soonest first: for the decision, where rules want
    one, or with the answer to a question.
    """
    if not may_decide_before_play(office):
        return []
    registered = Section.objects.filter(event__federation=office, stage=Stage.REGISTERED)
    sections = registered.select_related("event__federation", "event__region").order_by("starts", "pk")
    return [each for each in sections if waits_for_first_decision(each, on)]


# ---- Pages to un-rate a section: the effect on everybody's rating, and the decision.
MOST = 200
"""The most ratings of a track shown before the decision; the erratum has all."""


class UnratingForm(OutlookForm, UnrateForm):
    """The form that un-rates a section: it holds for the effects that its page showed."""


@permitted(Permission.SECTIONS_UNRATE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unrate(request: OfficeRequest, number: str, code: str) -> HttpResponseBase:
    """Page to un-rate a section: GET shows the lists it is in, a preview and the form; POST un-rates it."""
    section = section_for(request, number, code, Permission.SECTIONS_UNRATE)
    lists, mark = lists_of(section), _mark(section)
    form = UnratingForm(
        request.POST if request.method == "POST" else None,
        mark=mark,
        drawn=section.stage == Stage.RATED and not Ledger.objects.get(federation=request.office).pending,
        initial={"version": section.version},
        confirm=sentence_to_confirm(request.office, lists),
    )
    if request.method == "POST" and section.stage != Stage.RATED:
        return _page(request, section, form, lists, refused=_("Somebody else acted first."), status=409)
    if not form.is_valid():
        return _page(request, section, form, lists, status=form.status)
    try:
        with transaction.atomic():
            lock_ledger(request.office)
            if holds := _mark(section) == mark:
                asked = {name: value for name, value in form.cleaned_data.items() if name != "seen"}
                approval.unrate(section=section, by=request.user, on=today(request.office), **asked)
        if not holds:  # what was shown changed in this moment: the page comes back with what is now
            return unrate(request, office=request.office.code, number=number, code=code)
    except Refused as refused:
        section.refresh_from_db()
        return _page(request, section, form, lists_of(section), refused=str(refused), status=409)
    return redirect("ratings:outcome", office=request.office.code, number=number, code=code)


def _mark(section: Section) -> str:
    """The mark of the effects that un-rating a section has as everything stands."""
    office = section.event.federation
    return mark_of_record(office, today(office), section.key)


def lists_of(section: Section) -> list[ListDay]:
    fact = standing_fact(section)
    return lists_with(section.event.federation, fact) if fact else []


def sentence_to_confirm(office: Federation, lists: list[ListDay]) -> str:
    """The sentence that an official must tick to un-rate a section standing in these published lists; empty
    if nothing is to be confirmed.
    """
    unrating = office.equipment.office.powers.unrating
    return _(unrating.listed_words) if lists and unrating.listed_clause else ""


def _page(
    request: OfficeRequest,
    section: Section,
    form: UnrateForm,
    lists: list[ListDay],
    *,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    ledger = Ledger.objects.get(federation=request.office)
    unrating, ruleset = request.office.equipment.office.powers.unrating, request.office.ruleset
    clause = unrating.listed_clause if lists else unrating.clause
    context = {
        "section": section,
        "form": form,
        "lists": lists,
        "clause": clause,
        "clause_says": _(ruleset.clauses_of(ruleset.newest)[clause]) if clause else "",
        "rated": section.stage == Stage.RATED,
        "pending": state_of(request.office, ledger) if ledger.pending else None,
        "trouble": trouble_of(request.office, ledger),
        "refused": refused,
    }
    return render(request, "ratings/office/unrate.html", context, status=status)


@permitted(Permission.SECTIONS_UNRATE)
@never_cache
@require_safe
def unrate_preview(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """The preview of un-rating: a page of its own, or for htmx the part that the decision's page takes in."""
    section = section_for(request, number, code, Permission.SECTIONS_UNRATE)
    if section.stage != Stage.RATED or Ledger.objects.get(federation=request.office).pending:
        raise Http404
    part = request.headers.get("HX-Request") == "true"
    template = "ratings/office/_unrating.html" if part else "ratings/office/unrating.html"
    found = preview_unrating(section, today(request.office))
    context: dict[str, Any] = {
        "section": section,
        "seen": found.seen,
        "rerated": [rerate_row(request.office, each) for each in found.seen.rerated if each.fact.section],
        "unstated": unstated_in(request.office, found.seen),
        "tracks": corrected_by_track(request.office, found.ratings),
        "tiles": _tiles(found.ratings),
    }
    return render(request, template, context)


def _tiles(ratings: list[Corrected]) -> list[dict[str, Any]]:
    return [
        {"label": _("Players"), "value": len({each.player.pk for each in ratings})},
        {"label": _("Ratings that move"), "value": sum(each.by is not None for each in ratings)},
        {"label": _("Ratings that go"), "value": sum(each.after is None for each in ratings)},
    ]


@dataclass(frozen=True, slots=True)
class TrackCorrected:
    """One track in the preview of un-rating: a table of the largest differences, and the number of all."""

    name: str
    table: CorrectedTable
    count: int


def corrected_by_track(office: Federation, ratings: list[Corrected]) -> list[TrackCorrected]:
    """Group the ratings that un-rating would change by track, in the ruleset's order."""
    found = (
        (track, [each for each in ratings if each.track == track.code]) for track in office.ruleset.tracks
    )
    places = office.publication.decimals
    return [
        TrackCorrected(_(track.name), CorrectedTable(rows[:MOST], places=places), len(rows))
        for track, rows in found
        if rows
    ]


# ---- Decisions on a submitted section: it is approved, returned with remarks, or refused.
@permitted(Permission.SECTIONS_APPROVE)
@never_cache
@require_POST
def approve(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code, Permission.SECTIONS_APPROVE)
    asked = births_asked(section, request.POST)
    if section.stage == Stage.SUBMITTED and any(one.wrong for one in asked):
        words = _("Nothing was rated yet. Correct these years of birth:")
        return review_page(request, section, refused=words, births=request.POST, status=400)
    approve = partial(approval.approve, reasons=reasons_of(request), births=answers_given(asked))
    form = ApprovalForm(request.POST, auto_id="approve_%s")
    return _decide(request, section, form, approve, then="ratings:outcome", births=request.POST)


@permitted(Permission.SECTIONS_RETURN)
@never_cache
@require_POST
def return_section(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code, Permission.SECTIONS_RETURN)
    words = _("%(section)s went back to %(region)s.")
    form = ReturnForm(request.POST, auto_id="return_%s", ties=choices_of(section))
    tied: list[TiedWords] = []
    answer = _decide(request, section, form, partial(_return, form, tied), words=words)
    if about := [each.tie.words for each in tied if each.tie.words]:
        told = _(
            "The remarks are about: %(things)s. If you meant another, you can still take the return back."
        )
        messages.info(request, told % {"things": "; ".join(about)})
    return answer


def _return(
    form: ReturnForm, tied: list[TiedWords], *, section: Section, version: int, reason: str, **given: Any
) -> None:
    """Return a section with the remarks of the form, each tied to the thing that it names; `tied` is given
    them once they are sent.
    """
    remarks = [TiedWords(tie_of(section, kind, which), words) for kind, which, words in form.remarks()]
    by, on = given["by"], given["on"]
    approval.return_section(section=section, by=by, on=on, version=version, reason=reason, remarks=remarks)
    tied += remarks


@permitted(Permission.SECTIONS_REFUSE)
@never_cache
@require_POST
def refuse(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code, Permission.SECTIONS_REFUSE)
    words = _("%(section)s was refused; %(region)s reads why.")
    form = ReasonForm(request.POST, auto_id="refuse_%s")
    return _decide(request, section, form, approval.refuse, words=words)


FORM_NAMES: Mapping[type[DecisionForm], str] = {
    ApprovalForm: "approval",
    ReturnForm: "returning",
    ReasonForm: "refusal",
}
"""The name by which the page of the review has each form."""


def _decide(
    request: OfficeRequest,
    section: Section,
    form: DecisionForm,
    verb: Callable[..., Any],
    *,
    words: str = "",
    then: str = "",
    births: Mapping[str, str] | None = None,
) -> HttpResponse:
    """Carry out an official's decision on a section by its service `verb`, then go to the desk with a message
    `words`, or to the page `then`. A refusal shows the review again, with what was typed.
    """
    remarks = request.POST.dict() if isinstance(form, ReturnForm) else None
    if not form.is_valid():
        missing = (
            _("Say why: the region reads it and acts on it.")
            if form.errors.keys() & {"reason", "words"}
            else _("Look again.")
        )
        sent = {FORM_NAMES[type(form)]: form}
        return review_page(request, section, refused=missing, births=births, sent=sent, status=400)
    try:
        verb(section=section, by=request.user, on=today(request.office), **form.cleaned_data)
    except (Refused, Incomplete) as refused:
        section.refresh_from_db()
        kept = remarks if section.stage == Stage.SUBMITTED else None
        return review_page(
            request,
            section,
            refused=str(refused),
            typed="" if kept else _typed(request),
            births=births,
            returning=kept,
            status=409,
        )
    if words:
        told = words % {"section": section, "region": section.event.region}
        messages.success(request, f"{told} {until_when(section)}".strip())
        return redirect("ratings:desk", office=request.office.code)
    return redirect(then, office=request.office.code, number=section.event.number, code=section.code)


def _typed(request: OfficeRequest) -> str:
    """All words that were typed into the form."""
    names = ("words", "reason", "despite_hints", *(f"words-{number}" for number in NUMBERS))
    written = (request.POST.get(name, "").strip() for name in names)
    return "\n".join(words for words in written if words)


# ---- An official's second thoughts: an appeal is decided, a slip is taken back.
@permitted(Permission.SECTIONS_REFUSE)
@never_cache
@require_POST
def decide_appeal(request: OfficeRequest, number: str, code: str, key: int) -> HttpResponse:
    """Uphold or dismiss an appeal."""
    section = section_for(request, number, code, Permission.SECTIONS_REFUSE)
    found = get_object_or_404(Appeal, pk=key, section=section)
    form = AnswerForm(request.POST)
    if not form.is_valid():
        words = _("Uphold the appeal or dismiss it, and give your reason.")
        return _again(request, section, words, form, status=400)
    given = form.cleaned_data
    try:
        decide_on_appeal(
            appeal=found,
            by=request.user,
            on=today(request.office),
            upheld=given["granted"] == "yes",
            reason=given["reason"],
            version=given["version"],
        )
    except Refused as refused:
        section = section_for(request, number, code, Permission.SECTIONS_REFUSE)
        form = come_back(AnswerForm, request.POST, section, refused)
        return _again(request, section, str(refused), form, status=409)
    messages.success(request, _("The appeal is decided; the region reads your words."))
    return _to_review(section)


def _again(
    request: OfficeRequest, section: Section, words: str, form: AnswerForm, *, status: int
) -> HttpResponse:
    """The page with the appeal and the words typed for its answer, which was not taken."""
    if refused_before_play(section):
        return before_play_page(request, section, refused=words, answering=form, status=status)
    return review_page(request, section, refused=words, sent={"answering": form}, status=status)


@permitted(Permission.SECTIONS_RETURN)
@never_cache
@require_POST
def take_back(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Take a return or a refusal back before the region has heard of it."""
    section = section_for(request, number, code, Permission.SECTIONS_RETURN)
    decision = partial(
        take_back_slip, section=section, by=request.user, at=timezone.now(), on=today(request.office)
    )
    early = refused_before_play(section)
    words = _("Taken back: the section waits for review again.")
    decide_on(request, decision, _("Taken back: the section stands as it did before.") if early else words)
    return _to_review(section)


def _to_review(section: Section) -> HttpResponse:
    """Lead to the review or, of a section refused before play, to the page of the first decision."""
    event, before_play = section.event, refused_before_play(section)
    page = "ratings:before_play" if before_play else "ratings:review"
    return redirect(page, office=event.federation.code, number=event.number, code=section.code)
