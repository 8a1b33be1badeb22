"""Pages of an official's decisions on a section: before play, approval, return, refusal, un-rating, appeals.

Each form has the version of the section that the official saw.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy, ngettext, pgettext_lazy

from players.access import FORM, POST, OfficeRequest, Permission, page
from players.models import Federation, Ledger
from players.pages.forms import OUTDATED, attempt, parse_number
from players.settings import edition_in_force, today
from ratings import approval
from ratings.as_if import compute_effects, hash_preview_state, plan_ratings, preview_unrating
from ratings.pages import review
from ratings.pages.effects import effects_context, ratings_by_track
from ratings.pages.forms import (
    EFFECTS_CHANGED,
    REMARK_NUMBERS,
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
from ratings.pre_ratings import get_birth_questions, get_valid_birth_answers
from ratings.recompute import get_work_context
from ratings.results import ListDay, find_rated_fact, get_list_days_with_section
from tournaments.acceptance import compute_admission_findings
from tournaments.before_play import (
    admit_before_play,
    ask_before_play,
    can_decide_before_play,
    can_record_no_objection,
    current_declaration,
    defer_decision,
    get_early_refusal_clause,
    group_missed_days,
    list_before_play_messages,
    needs_decision_before_play,
    record_no_objection,
    refuse_before_play,
    waits_for_first_decision,
)
from tournaments.findings import build_worded_findings
from tournaments.models import Appeal, Section, Stage
from tournaments.pages.deadlines import GrantOrRefuseForm
from tournaments.pages.forms import rebuild_form
from tournaments.pages.steps import posted_reasons, run_decision
from tournaments.review import (
    TiedWords,
    decide_appeal as decide_on_appeal,
    get_take_back_hint,
    list_remark_tie_choices,
    parse_remark_tie,
    take_back_decision as take_back_slip,
)
from tournaments.sections import find_admission_before_play, is_refused_before_play

# ---- Decisions before play
DecisionService = Callable[..., Section]
EarlyDecision = tuple[type[DecisionForm], DecisionService, Any]
EARLY_DECISIONS: dict[str, EarlyDecision] = {
    "admit": (AdmissionForm, admit_before_play, gettext_lazy("%(section)s is admitted as declared.")),
    "refuse": (RefusalBeforePlayForm, refuse_before_play, gettext_lazy("%(section)s is refused.")),
    "put-off": (PuttingOffForm, defer_decision, gettext_lazy("The decision on %(section)s is put off.")),
    "ask": (AskingForm, ask_before_play, gettext_lazy("The region is asked about %(section)s.")),
    "close": (
        NothingInTheWayForm,
        record_no_objection,
        gettext_lazy("Nothing stands in the way of %(section)s: the region is told so."),
    ),
}
"""The decisions by the name that the page's form sends: form, service, and the words when it is done."""
DECISIONS_IF_NONE_NEEDED: dict[str, EarlyDecision] = {
    "admit": (
        LettingPlayForm,
        admit_before_play,
        gettext_lazy("%(section)s can be played and filed after all."),
    ),
}
"""Other words for federations in which sections need no decision before play."""


@page(Permission.SECTIONS_APPROVE, methods=FORM)
def before_play(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Page to decide on a section before play. Redirects to the review in federations without such decisions,
    and once the section is filed.
    """
    section = review.section_for(request, number, code)
    undecided = section.stage == Stage.REGISTERED or is_refused_before_play(section)
    if not can_decide_before_play(request.office) or not (section.open_to_filing or undecided):
        if request.method == "POST":
            messages.error(request, _nothing_decided(section, request.POST.get("reason", "").strip()))
        return redirect("ratings:review", office=request.office.code, number=number, code=code)
    if request.method != "POST":
        return before_play_page(request, section)
    name = request.POST.get("decision", "admit")
    if name not in EARLY_DECISIONS:
        raise Http404
    _form_class, service, words = _decisions_of(section)[name]
    form = _form(name, section, request.POST)
    if name not in _possible_decisions(section):
        # Whoever saw the section as it is could not send this; others keep the words that they typed.
        if request.POST.get("version") == str(section.version):
            raise Http404
        changed = _("This section changed while your page was open, and this can be decided no more.")
        return before_play_page(request, section, {name: form}, refused=changed, status=409)
    decided = attempt(request, form, service, refusal_to="", section=section)
    if decided.done:
        messages.success(request, f"{words % {'section': section}} {get_take_back_hint(section)}".strip())
        return redirect("ratings:desk", office=request.office.code)
    section.refresh_from_db()
    return before_play_page(request, section, {name: form}, refused=decided.refused, status=decided.status)


def _nothing_decided(section: Section, typed: str) -> str:
    words = _("This section is %(stage)s by now, so nothing was decided before play.")
    words %= {"stage": section.get_stage_display()}
    return f"{words} {_('You had written: “%(words)s”') % {'words': typed}}" if typed else words


def _decisions_of(section: Section) -> dict[str, EarlyDecision]:
    return (
        EARLY_DECISIONS
        if needs_decision_before_play(section.event.federation)
        else EARLY_DECISIONS | DECISIONS_IF_NONE_NEEDED
    )


def _possible_decisions(section: Section) -> list[str]:
    """The decisions that can be made now. If sections need none, an official can refuse, ask the region, or
    say that nothing is in the way, and can take a refusal back.
    """
    office = section.event.federation
    if needs_decision_before_play(office):
        return [name for name in EARLY_DECISIONS if name != "close"]
    if is_refused_before_play(section):
        return ["admit", "refuse"]
    return [*(["close"] if can_record_no_objection(section, today(office)) else []), "ask", "refuse"]


def _form(name: str, section: Section, typed: QueryDict | None = None) -> DecisionForm:
    form_class = _decisions_of(section)[name][0]
    return form_class(typed, initial={"version": section.version}, auto_id=f"{name}_%s")


def before_play_page(
    request: OfficeRequest,
    section: Section,
    sent_forms: Mapping[str, DecisionForm] | None = None,
    refused: str = "",
    appeal_answer: GrantOrRefuseForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the page of a section before play.

    `refused`, `sent_forms`, `appeal_answer`: after a refusal, its words, the forms as they were sent, and the
    answer to an appeal as it was sent. Forms of decisions that are no longer possible are shown above the
    page.
    """
    sent_forms = sent_forms or {}
    forms = {name: sent_forms.get(name) or _form(name, section) for name in _possible_decisions(section)}
    main = next((name for name in ("admit", "close") if name in forms), "")
    found = compute_admission_findings(section)
    admitted = find_admission_before_play(section)
    thread = list_before_play_messages(section, with_decisions=True)
    shown_above = 1 + bool(section.before_play.get("answer"))
    # The last decision other than an admission; empty if there is none.
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
        "kept": [form["reason"].value() for name, form in sent_forms.items() if name not in forms],
        "clause": get_early_refusal_clause(request.office),
        "refused": refused,
        "refused_early": is_refused_before_play(section),
        "admitted": admitted,
        "declared_otherwise": admitted is not None and admitted["declared"] != current_declaration(section),
        "said": (said | {"title": titles[said["decision"]]} if said else {}),
        "thread": (thread if len(thread) > shown_above else []),
        "particulars": review.particulars_of(section),
        "findings": build_worded_findings(section, found, without_links=True),
        "blocked": any(each.level == "blocks" for each in found),
        "missed": group_missed_days([section], today(request.office), by_office=True),
        **review.reversal_context(section, appeal_answer),
    }
    return render(request, "ratings/office/before_play.html", context, status=status)


BUTTONS = {
    "ask": (gettext_lazy("Ask the region"), gettext_lazy("Ask the region something"), False),
    "put-off": (gettext_lazy("Put the decision off"), gettext_lazy("Put the decision off"), False),
    "refuse": (pgettext_lazy("a section", "Refuse it"), gettext_lazy("Refuse it before play"), True),
}
"""By decision: the words of its button, those of the line that opens its form, and whether it is a danger."""


def sections_to_decide_before_play(office: Federation, on: date) -> list[Section]:
    """Return the sections that wait for an official before play, the soonest first: for a decision, if the
    rules ask for one, or with the answer to a question.
    """
    if not can_decide_before_play(office):
        return []
    registered = Section.objects.filter(event__federation=office, stage=Stage.REGISTERED)
    sections = registered.select_related("event__federation", "event__region").order_by("starts", "pk")
    return [each for each in sections if waits_for_first_decision(each, on)]


# ---- Un-rating a section
class UnrateWithOutlookForm(OutlookForm, UnrateForm):
    """The form that un-rates a section; valid for the effects that its page showed."""


@page(Permission.SECTIONS_UNRATE, methods=FORM)
def unrate(request: OfficeRequest, number: str, code: str) -> HttpResponseBase:
    section = review.section_for(request, number, code)
    lists, mark = lists_with_section(section), _mark(section)
    form = UnrateWithOutlookForm(
        request.POST if request.method == "POST" else None,
        mark=mark,
        drawn=section.stage == Stage.RATED and not Ledger.objects.get(federation=request.office).pending,
        initial={"version": section.version},
        confirm=sentence_to_confirm(request.office, lists),
    )
    if request.method == "POST" and section.stage != Stage.RATED:
        return _page(request, section, form, lists, refused=_("Somebody else acted first."), status=409)
    unrated = attempt(
        request,
        form,
        approval.unrate,
        refusal_to="",
        unchanged=lambda: _mark(section) == mark,
        section=section,
    )
    if unrated.done:
        return redirect("ratings:outcome", office=request.office.code, number=number, code=code)
    if unrated.status == OUTDATED:
        return unrate(request, office=request.office.code, number=number, code=code)
    if unrated.refused:
        section.refresh_from_db()
        lists = lists_with_section(section)
    status = unrated.status if unrated.refused else form.status
    return _page(request, section, form, lists, refused=unrated.refused, status=status)


def _mark(section: Section) -> str:
    office = section.event.federation
    return hash_preview_state(office, today(office), section.key)


def lists_with_section(section: Section) -> list[ListDay]:
    fact = find_rated_fact(section)
    return get_list_days_with_section(section.event.federation, fact) if fact else []


def sentence_to_confirm(office: Federation, lists: list[ListDay]) -> str:
    """Return the sentence that an official must confirm to un-rate a section in these lists, if any."""
    powers = office.equipment.office.powers
    return _(powers.listed_words) if lists and powers.listed_clause else ""


def _page(
    request: OfficeRequest,
    section: Section,
    form: UnrateForm,
    lists: list[ListDay],
    *,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    rated = section.stage == Stage.RATED
    powers, ruleset = request.office.equipment.office.powers, request.office.ruleset
    clause = powers.listed_clause if lists else powers.unrating_clause
    context = {
        "section": section,
        "form": form,
        "lists": lists,
        "clause": clause,
        "clause_says": _(ruleset.clauses_of(edition_in_force(request.office))[clause]) if clause else "",
        "rated": rated,
        **get_work_context(request.office),
        "refused": refused,
    }
    if rated and not context["pending"]:
        context |= effects_context(request.office, preview_unrating(section, today(request.office)))
    return render(request, "ratings/office/unrate.html", context, status=status)


# ---- Decisions on a submitted section
@page(Permission.SECTIONS_APPROVE, methods=POST)
def approve(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = review.section_for(request, number, code)
    asked = get_birth_questions(section, request.POST)
    if section.stage == Stage.SUBMITTED and any(one.wrong for one in asked):
        words = _("Nothing was rated yet. Correct these years of birth:")
        return review.review_page(request, section, refused=words, typed_births=request.POST, status=400)
    approve = partial(
        approval.approve, reasons=posted_reasons(request), births=get_valid_birth_answers(asked)
    )
    form = ApprovalForm(request.POST, auto_id="approve_%s")
    return _decide(request, section, form, approve, then="ratings:outcome", births=request.POST)


MOST_TOGETHER = 50
"""The most sections that are approved at once: as many as a page of the queue has."""


@page(Permission.SECTIONS_APPROVE, methods=FORM)
def approve_together(request: OfficeRequest) -> HttpResponse:
    """Page to approve several sections (`section`: their keys; none: those that wait longest) in the order in
    which they would be rated, with what all of them together would change.
    """
    typed = request.POST if request.method == "POST" else request.GET
    asked = [parse_number(key) or 0 for key in typed.getlist("section")]
    waiting = Section.objects.within(request.rights, request.permission)
    chosen = waiting.filter(pk__in=asked) if asked else waiting.awaiting_review()
    sections = list(chosen.select_related("event__federation", "event__region")[:MOST_TOGETHER])
    stopped = approval.ApprovedTogether([])
    if request.method == "POST":
        posted = {section.pk: section for section in sections}
        in_order = [posted[key] for key in asked if key in posted]
        versions = [parse_number(request.POST.get(f"version-{each.pk}")) or 0 for each in in_order]
        if request.POST.get("seen") == _mark_of_all(request, in_order):
            stopped = approval.approve_together(
                sections=in_order, versions=versions, by=request.user, on=today(request.office)
            )
        else:
            stopped = approval.ApprovedTogether([], refused=str(EFFECTS_CHANGED))
        if not stopped.refused:
            words = ngettext(
                "%(count)s section is approved.", "%(count)s sections are approved.", len(stopped.approved)
            )
            messages.success(request, words % {"count": len(stopped.approved)})
            return redirect("ratings:desk", office=request.office.code)
        sections = [each for each in in_order if each not in stopped.approved]
    context = {"stopped": stopped, **get_work_context(request.office), **_together(request, sections)}
    status = 409 if stopped.refused else 200
    return render(request, "ratings/office/approve_together.html", context, status=status)


def _mark_of_all(request: OfficeRequest, sections: list[Section]) -> str:
    keys = [section.pk for section in sections]
    return hash_preview_state(request.office, today(request.office), *keys)


def _together(request: OfficeRequest, sections: list[Section]) -> dict[str, Any]:
    """The context of what approving these sections would change, in the order of rating (D-1), and of those
    that an official has to look at first, each with the reason.
    """
    reasons = [(each, approval.find_reason_to_look(each, request.user)) for each in sections]
    alone = [(section, words) for section, words in reasons if words]
    clean = [section for section, words in reasons if not words]
    clean.sort(key=lambda each: (each.ends, each.submitted_on or each.ends, each.pk))
    here = f"{request.path}?{urlencode([('section', section.pk) for section in sections])}"
    if not clean:
        return {"alone": alone, "here": here}
    effects = compute_effects(plan_ratings(clean, today(request.office), most_sections=0))
    by_key = {section.key: section for section in clean}
    rows = [
        (
            by_key[rated.section.id],
            len({move.player for move in moves}),
            sum(move.movement.moves for move in moves),
            max((abs(move.points) for move in moves if not move.first), default=None),
        )
        for rated, moves in effects.sections_moved
    ]
    moves = effects.together
    return {
        "alone": alone,
        "here": here,
        "rows": rows,
        "seen": _mark_of_all(request, [section for section, *_numbers in rows]),
        "later": effects.sections,
        "tracks": ratings_by_track(request.office, moves, Counter(each.track for each in moves)),
    }


@page(Permission.SECTIONS_RETURN, methods=POST)
def return_section(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = review.section_for(request, number, code)
    words = _("%(section)s went back to %(region)s.")
    form = ReturnForm(request.POST, auto_id="return_%s", ties=list_remark_tie_choices(section))
    sent: list[TiedWords] = []
    response = _decide(request, section, form, partial(_return, form, sent), words=words)
    if subjects := [tie.words for tie, _words in sent if tie.words]:
        notice = _(
            "The remarks are about: %(things)s. If you meant another, you can still take the return back."
        )
        messages.info(request, notice % {"things": "; ".join(subjects)})
    return response


def _return(
    form: ReturnForm, sent: list[TiedWords], *, section: Section, version: int, reason: str, **given: Any
) -> None:
    """Return a section with the remarks of the form, each tied to its subject, and add them to `sent`."""
    remarks = [(parse_remark_tie(section, kind, which), words) for kind, which, words in form.remarks()]
    by, on = given["by"], given["on"]
    approval.return_section(section=section, by=by, on=on, version=version, reason=reason, remarks=remarks)
    sent += remarks


@page(Permission.SECTIONS_REFUSE, methods=POST)
def refuse(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = review.section_for(request, number, code)
    words = _("%(section)s was refused; %(region)s reads why.")
    form = ReasonForm(request.POST, auto_id="refuse_%s")
    return _decide(request, section, form, approval.record_refusal, words=words)


FORM_NAMES: Mapping[type[DecisionForm], str] = {
    ApprovalForm: "approval",
    ReturnForm: "returning",
    ReasonForm: "refusal",
}
"""The names of the forms on the page of the review."""


def _decide(
    request: OfficeRequest,
    section: Section,
    form: DecisionForm,
    service: Callable[..., Any],
    *,
    words: str = "",
    then: str = "",
    births: Mapping[str, str] | None = None,
) -> HttpResponse:
    """Decide on a section by a service, then redirect to the desk with the message `words`, or to the page
    `then`. A refusal shows the review again, with what was typed.
    """
    remarks = request.POST.dict() if isinstance(form, ReturnForm) else None
    if not form.is_valid():
        missing = (
            _("Say why: the region reads it and acts on it.")
            if form.errors.keys() & {"reason", "words"}
            else _("Look again.")
        )
        sent = {FORM_NAMES[type(form)]: form}
        return review.review_page(
            request, section, refused=missing, typed_births=births, sent_forms=sent, status=400
        )
    decided = attempt(request, form, service, refusal_to="", section=section)
    if decided.refused:
        section.refresh_from_db()
        kept = remarks if section.stage == Stage.SUBMITTED else None
        return review.review_page(
            request,
            section,
            refused=decided.refused,
            typed_reason="" if kept else _typed_words(request),
            typed_births=births,
            typed_return=kept,
            status=decided.status,
        )
    if words:
        words %= {"section": section, "region": section.event.region}
        messages.success(request, f"{words} {get_take_back_hint(section)}".strip())
        return redirect("ratings:desk", office=request.office.code)
    return redirect(then, office=request.office.code, number=section.event.number, code=section.code)


def _typed_words(request: OfficeRequest) -> str:
    names = (
        "words",
        "reason",
        "despite_hints",
        *(f"words-{number}" for number in REMARK_NUMBERS),
    )
    return "\n".join(words for name in names if (words := request.POST.get(name, "").strip()))


# ---- Appeals, and taking decisions back
@page(Permission.SECTIONS_REFUSE, methods=POST)
def decide_appeal(request: OfficeRequest, number: str, code: str, key: int) -> HttpResponse:
    section = review.section_for(request, number, code)
    found = get_object_or_404(Appeal, pk=key, section=section)
    form = GrantOrRefuseForm(request.POST)
    if not form.is_valid():
        words = _("Uphold the appeal or dismiss it, and give your reason.")
        return _render_again(request, section, words, form, status=400)

    def answers(typed: dict[str, Any]) -> dict[str, Any]:
        return {"upheld": typed["granted"] == "yes", "reason": typed["reason"], "version": typed["version"]}

    words = _("The appeal is decided; the region reads your words.")
    decided = attempt(request, form, decide_on_appeal, words, appeal=found, answers=answers)
    if decided.done:
        return _redirect_to_section(section)
    section = review.section_for(request, number, code)
    form = rebuild_form(GrantOrRefuseForm, request.POST, section, decided.refused)
    return _render_again(request, section, decided.refused, form, status=decided.status)


def _render_again(
    request: OfficeRequest, section: Section, words: str, form: GrantOrRefuseForm, *, status: int
) -> HttpResponse:
    if is_refused_before_play(section):
        return before_play_page(request, section, refused=words, appeal_answer=form, status=status)
    return review.review_page(request, section, refused=words, sent_forms={"answering": form}, status=status)


@page(Permission.SECTIONS_RETURN, methods=POST)
def take_back(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Take a return or a refusal back before the region has heard of it."""
    section = review.section_for(request, number, code)
    words = _("Taken back: the section waits for review again.")
    if is_refused_before_play(section):
        words = _("Taken back: the section stands as it did before.")
    run_decision(request, take_back_slip, words, section=section, at=timezone.now())
    return _redirect_to_section(section)


def _redirect_to_section(section: Section) -> HttpResponse:
    """Redirect to the review or, for a section refused before play, to that page."""
    event, before_play = section.event, is_refused_before_play(section)
    page = "ratings:before_play" if before_play else "ratings:review"
    return redirect(page, office=event.federation.code, number=event.number, code=section.code)
