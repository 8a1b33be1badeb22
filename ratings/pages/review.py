"""The review of a filed section: its particulars, the effects of approving it, hints, questions and notes.

The decision itself is made in `ratings.pages.decisions`; a page here shows its outcome.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import django_tables2 as tables
from django.db.models import QuerySet
from django.forms import Form
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.translation import gettext as _, gettext_lazy, pgettext

from players.access import POST, OfficeRequest, Permission, page
from players.decision_kinds import KINDS
from players.display import FORMAT_LABELS, day_in_words
from players.evidence import EVIDENCE_LABELS
from players.files import deletion_message
from players.models import Decision, Ledger, Player
from players.pages.forms import attempt
from players.pages.tables import NumberColumn
from players.settings import get_settings, today
from ratings import as_if
from ratings.cross_tables import CrossTable
from ratings.hints import ask_region, current_hint_rows, dismiss_hint, gone_hint_rows, has_outdated_hints
from ratings.models import Erratum, HintsSearch, RatingList
from ratings.pages.effects import effects_context, ratings_by_track
from ratings.pages.errata import compute_reaches, errata_of_section, lists_concerned, worded_errata
from ratings.pages.forms import ApprovalForm, HintForm, ReasonForm, RemarkForm, ReturnForm, officials_of
from ratings.pages.tables import get_track_or_404
from ratings.pages.workings import working_context
from ratings.pre_ratings import get_birth_questions, get_filed_births
from ratings.recompute import get_work_context
from ratings.results import find_rated_fact
from ratings.statement import SectionMovement, read_section, sort_movements
from tournaments import review as section_thread
from tournaments.before_play import group_missed_days
from tournaments.corrections import list_corrections
from tournaments.entries import players_from_other_regions
from tournaments.filing import get_quoted_lines
from tournaments.findings import build_worded_findings
from tournaments.models import Case, Entry, Section, SectionTaking, Stage
from tournaments.pages.deadlines import GrantOrRefuseForm
from tournaments.pages.files import download_held_file
from tournaments.pages.forms import VersionForm
from tournaments.pages.remarks import has_comparable_files, list_remark_threads
from tournaments.pages.steps import REASON_PREFIX, posted_reasons
from tournaments.retention import find_last_day_of_bytes
from tournaments.review import (
    FINDING,
    TAKEN_IN,
    find_reversible_decision,
    format_take_back_limit,
    list_remark_tie_choices,
    parse_remark_tie,
)
from tournaments.sections import IncompleteSection, particulars_in_words
from tournaments.submission import describe_adjustments

# ---- Tables of entries and ratings
SAME = frozenset({"number", "surname", "first-name"})
AGREEING = SAME | {"birth-date", "born", "nation", "club", "rating", "identifier"}
"""Evidence that leaves no question about who an entry is."""


class _Unordered:
    orderable = False


class EntriesTable(tables.Table):
    """Entries as filed, each beside the matched player. Not for the public: it shows births."""

    row_header = "number"
    number = NumberColumn(verbose_name=gettext_lazy("No."))
    filed = tables.Column(verbose_name=gettext_lazy("As filed"), accessor="name")
    birth = tables.Column(verbose_name=gettext_lazy("Birth as filed"), default="–")
    filed_id = tables.Column(verbose_name=gettext_lazy("Id as filed"), default="–")
    player = tables.Column(verbose_name=gettext_lazy("In the register"), default=gettext_lazy("nobody"))
    born = NumberColumn(verbose_name=gettext_lazy("Born"), accessor="player__born", default="–")
    match = tables.Column(verbose_name=gettext_lazy("How"))
    place = NumberColumn(verbose_name=gettext_lazy("Place"), default="–")

    class Meta(_Unordered):
        attrs = {"class": "sticky"}

    def __init__(self, *args: Any, whole_births: bool = False, **kwargs: Any) -> None:
        """Make the table; `whole_births`: show the day of births, where the register has it."""
        super().__init__(*args, **kwargs)
        self.whole_births = whole_births

    def render_born(self, record: Entry, value: int) -> str:
        known = getattr(record.player, "birth_date", None) if self.whole_births else None
        return known.day.isoformat() if known else str(value)

    def render_filed(self, record: Entry) -> str:
        return f"{record.title} {record.name}".strip()

    def render_match(self, record: Entry) -> str:
        """The kind of match; with the evidence, unless number and name are just the register's."""
        matched = [each["evidence"] for each in record.candidates if each["player"] == record.player_id]
        names = [name for evidence in matched for name in evidence if not SAME <= set(evidence) <= AGREEING]
        words = ", ".join(str(EVIDENCE_LABELS[name]) for name in names)
        return format_html('{}<span class="sub">{}</span>', record.get_match_display(), words)

    def render_player(self, record: Entry) -> str:
        player = record.player
        assert player is not None
        return format_html(
            '<a href="{}">{}</a><span class="sub">{}</span>',
            player.get_absolute_url(),
            player.name,
            player.number,
        )


# ---- Pages of a section under review and after its decision
def section_for(request: OfficeRequest, event_number: str, section_code: str) -> Section:
    """The section with this event number and code; 404 if the user lacks the page's permission on it."""
    sections = Section.objects.within(request.rights, request.permission).select_related(
        "event__federation", "event__region", "submitted_by"
    )
    return get_object_or_404(sections, event__number=event_number, code=section_code)


@page(Permission.SECTIONS_REVIEW)
def review(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code)
    return review_page(request, section)


@page(Permission.SECTIONS_REVIEW)
def working(request: OfficeRequest, number: str, code: str, player: str, track: str) -> HttpResponse:
    """Page with the working of one rating that approving the section would change."""
    section = section_for(request, number, code)
    if section.stage != Stage.SUBMITTED:
        raise Http404
    day = today(request.office)
    births = get_filed_births(section)
    plan = as_if.plan_rating(section, day, births, most_sections=0)
    moves = as_if.compute_effects(plan).own
    move = next((each for each in moves if (each.player, each.track) == (player, track)), None)
    if move is None:
        raise Http404
    edition = request.office.ruleset.edition_on_or_first(section.starts)  # D-9
    account = as_if.explain_previewed_change(plan, player, track)
    context = {
        "section": section,
        "player": get_object_or_404(Player.objects.of(request.office), number=player),
        "move": move,
        "track": get_track_or_404(request.office.ruleset, track),
        **working_context(account, request.office, edition),
    }
    return render(request, "ratings/office/working.html", context)


@page(Permission.SECTIONS_REVIEW)
def outcome(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Page after a section was approved or un-rated: the worker's progress, then the changes of ratings."""
    section = section_for(request, number, code)
    ledger = Ledger.objects.get(federation=request.office)
    if section.stage not in (Stage.RATED, Stage.UNRATED):
        raise Http404
    fact = find_rated_fact(section)
    moves = sort_movements(read_section(fact)) if fact and not ledger.pending else []
    erratum = None if ledger.pending else errata_of_section(section).first()
    corrects = erratum is not None and fact is not None and erratum.fact.pk == fact.pk
    others = Section.objects.within(request.rights, Permission.SECTIONS_REVIEW).awaiting_review()
    context = {
        "section": section,
        **get_work_context(request.office),
        "tiles": _tiles(moves),
        "erratum": erratum,
        "corrected": worded_errata(request.office, [erratum]) if erratum and corrects else [],
        "next": others.select_related("event__federation").first(),
        "left": list_steps_left(request, section),
    }
    return render(request, "ratings/office/outcome.html", context)


StepLeft = tuple[str, str]
"""A step that is still to be done, in words, and where; empty if the reader may not."""


def list_steps_left(request: OfficeRequest, section: Section) -> list[StepLeft]:
    """The steps that the newest correction of a section leaves, and that nobody has taken yet: those that
    whoever confirmed it left to others, and for who may, to publish the last list that has it again.
    """
    about = f"section {section.key}"
    mended = Decision.objects.filter(federation=request.office, kind="mend", about=about).first()
    rated = find_rated_fact(section)
    left = (mended.details.get("left") or {}) if mended and rated else {}
    found = word_steps(request, left, after=rated.number) if rated else []
    again = list_publishing_again(request, errata_of_section(section)[:1])
    return found + [step for step in again if step not in found]


def list_publishing_again(request: OfficeRequest, errata: QuerySet[Erratum]) -> list[StepLeft]:
    """For who may publish: the newest list that has what each correction corrected, to publish it again.
    Nothing once a later list has taken the correction in.
    """
    found: list[StepLeft] = []
    if Permission.LISTS_PUBLISH not in request.rights:
        return found
    chosen = Erratum.objects.filter(pk__in=[each.pk for each in errata])
    for reach in compute_reaches(request.office, chosen):
        for day in lists_concerned(request.office, reach)[:1]:
            found += word_steps(request, {"lists": [day.on.isoformat()]}, after=reach.line)
    return list(dict.fromkeys(found))


def word_steps(
    request: OfficeRequest, steps: Mapping[str, Sequence[Any]], after: int | None = None
) -> list[StepLeft]:
    """Steps that may be decided with a correction (`FurtherSteps.as_json`), in words. `after`: without the
    lists that a later line than this published.
    """
    code, found = request.office.code, []
    for text in steps.get("lists", ()):
        day = date.fromisoformat(text)
        later = RatingList.objects.of(request.office).filter(on__gte=day, fact__number__gt=after or 0)
        if after is None or not later.exists():
            words = _("Publish again: %(day)s") % {"day": date_format(day, "DATE_FORMAT")}
            may = Permission.LISTS_PUBLISH in request.rights
            found.append((words, reverse("ratings:revise", args=[code, text]) if may else ""))
    open_cases = Case.objects.confirmed().exclude(state=Case.State.CLOSED)
    for case in open_cases.filter(federation=request.office, pk__in=steps.get("cases", ())).order_by("pk"):
        words = _("Close as corrected: %(case)s") % {"case": case}
        may = Case.objects.within(request.rights, Permission.CASES_CLOSE).filter(pk=case.pk).exists()
        found.append((words, reverse("ratings:case", args=[code, case.pk]) if may else ""))
    return found


# ---- The page of the review
def review_page(
    request: OfficeRequest,
    section: Section,
    *,
    refused: str = "",
    typed_reason: str = "",
    typed_births: Mapping[str, str] | None = None,
    typed_return: Mapping[str, str] | None = None,
    sent_forms: Mapping[str, Form] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The review of a section as it is now. After a refusal it shows the refusal's words (`refused`) and what
    the official typed: the reason, the births, the form to return it, and any form that was
    sent, by its name in the context, with its errors.

    The reason is shown and not put into a form: the forms may differ from the one it was typed into.
    """
    upload = section.uploads.held()
    may_mend = Permission.SECTIONS_MEND in request.rights
    context = _filed_context(section)
    context |= {"section": section, "upload": upload}
    context["mendable"] = may_mend and section.stage in (Stage.SUBMITTED, Stage.RATED)
    context |= {"refused": refused, "typed": typed_reason} | _taking_context(request, section)
    context |= _thread_context(section, request.GET.get("about", ""))
    if upload:
        context |= {"let_go": deletion_message(upload), "kept_until": find_last_day_of_bytes(upload)}
    if section.stage == Stage.SUBMITTED:
        context |= approval_preview_context(request, section) | _decision_forms(section, typed_return or {})
        context["waivable"] = _waivable(section, posted_reasons(request))
        context["births"] = get_birth_questions(section, typed_births)
    elif section.stage == Stage.RATED:
        context["unratable"] = Permission.SECTIONS_UNRATE in request.rights
        context["left"] = list_steps_left(request, section)
    if Permission.CASES_ANSWER in request.rights:
        context["cases"] = Case.objects.confirmed().filter(section=section)
        context["errata"] = worded_errata(request.office, errata_of_section(section))
    if section.stage != Stage.SUBMITTED:  # then the decision below asks about what came late
        context["missed"] = group_missed_days([section], today(request.office), by_office=True)
    context |= reversal_context(section) | _hints_context(section) | list_news(request, section)
    for name, form in (sent_forms or {}).items():
        if name in context:
            context[name] = form
    if "approval" in context:  # a word is asked for only where hints are open
        context["approval"].fields["despite_hints"].required = bool(context["hints_open"])
    return render(request, "ratings/office/review.html", context, status=status)


def reversal_context(section: Section, answer_form: GrantOrRefuseForm | None = None) -> dict[str, Any]:
    """The context to reverse an earlier decision: a slip to take back, and appeals.

    `answer_form`: the form with an answer to an appeal that was refused.
    """
    version, slip = {"version": section.version}, find_reversible_decision(section, timezone.now())
    return {
        "slip": slip,
        "until": format_take_back_limit(slip) if slip else "",
        "second_thought": VersionForm(initial=version),
        "appeals": section.appeals.select_related("by", "decided_by", "refusal"),
        "answering": answer_form or GrantOrRefuseForm(initial=version),
    }


def list_news(request: OfficeRequest, section: Section) -> dict[str, Any]:
    """The decisions of others on a section since the newest of the official's own: who, verb, moment."""
    decisions = Decision.objects.filter(federation=request.office, about=f"section {section.key}")
    own = decisions.filter(by=request.user).order_by("-number").first()
    if own is None:
        return {}
    later = decisions.filter(number__gt=own.number).select_related("by").order_by("number")
    rows = [(each.by, KINDS[each.kind].verb, each.at) for each in later if each.kind in KINDS]
    return {"news": rows, "news_since": own.at}


def _hints_context(section: Section) -> dict[str, Any]:
    """The context of the hints: the current ones of a submitted section, each with the form to answer it, and
    those answered before that no longer apply.
    """
    waits = section.stage == Stage.SUBMITTED
    rows = current_hint_rows(section) if waits else []
    search = HintsSearch.objects.filter(section=section, version=section.version).first() if waits else None
    initial = {"version": section.version}
    return {
        "hints": [
            (row, HintForm(initial={**initial, "key": row.key}, auto_id=f"hint-{number}-%s"))
            for number, row in enumerate(rows, start=1)
        ],
        "hints_open": sum(row.is_open for row in rows),
        "hints_before": gone_hint_rows(section, rows),
        "hints_search": search,
        "hints_zone": section.event.federation.equipment.office.time_zone,
        "hints_overtaken": waits and has_outdated_hints(section),
    }


def _thread_context(section: Section, about: str) -> dict[str, Any]:
    """The context of the conversation with the region and the office's notes, with forms for both; `about`:
    what the question is about, if the official chose it on the page.
    """
    ties = list_remark_tie_choices(section)
    return {
        "thread": list_remark_threads(section, include_internal=True),
        "comparable": has_comparable_files(section),
        "asking": RemarkForm(ties=ties, auto_id="ask_%s", initial={"tie": about}),
        "about": about,
        "noting": RemarkForm(ties=ties, auto_id="note_%s"),
    }


def _taking_context(request: OfficeRequest, section: Section) -> dict[str, Any]:
    """The context of who has taken the section; empty in stages in which it cannot be taken."""
    if section.stage not in TAKEN_IN:
        return {}
    others = [each for key, each in officials_of(request).items() if key != request.user.pk]
    taking = SectionTaking.objects.filter(section=section).select_related("official").first()
    return {"taking": taking, "officials": others, "takeable": True}


def _filed_context(section: Section) -> dict[str, Any]:
    """The context of a section as filed: particulars, findings, and how its players were matched."""
    lines = get_quoted_lines(section.uploads.defer("content").held())
    found = build_worded_findings(section, section.findings.all(), lines)
    matches = Counter(section.entries.values_list("match", flat=True))
    return {
        "particulars": particulars_of(section),
        "findings": [
            replace(each, action_url=f"?about={FINDING}-{each.key}#said", action_label=_("Ask about this"))
            for each in found
        ],
        "repairs": describe_adjustments(section),
        "corrections": list_corrections(section),
        "waived": any(each.asked_because for each in found),
        "matches": [(match.label, matches[match]) for match in Entry.Match if matches[match]],
    }


def _waivable(section: Section, typed: Mapping[int, str]) -> list[dict[str, Any]]:
    """The findings that the office may waive, each with the reason just typed or given by the region."""
    return [
        {
            "finding": each,
            "name": f"{REASON_PREFIX}{each.key}",
            "reason": typed.get(each.key, each.asked_because or each.waived_because),
        }
        for each in build_worded_findings(section, section.findings.filter(level="waivable"))
    ]


def particulars_of(section: Section) -> list[tuple[str, Any]]:
    event = section.event
    arbiters = ", ".join(f"{each.get('title') or ''} {each['name']}".strip() for each in event.arbiters)
    days = _day(section.starts)
    if section.ends != section.starts:
        days = f"{days} – {_day(section.ends)}"
    return [
        (_("Region"), event.region if event.federation.regional else ""),
        (pgettext("where it is played", "Place"), event.place),
        (_("Country"), event.country),
        (_("Days"), days),
        (_("Format"), FORMAT_LABELS.get(section.format, section.format)),
        *particulars_in_words(section),
        (_("Organizer"), event.organizer),
        (_("Arbiters"), arbiters),
        (_("Registered"), _day(event.registered_on)),
        (_("Filed"), _day(section.filed_on)),
        (_("Submitted"), _day(section.submitted_on)),
        (_("By"), section.submitted_by),
        (_("Rated"), _day(section.rated_on)),
        (
            _("Admitted before play"),
            "; ".join(day_in_words(each["on"]) for each in section.permissions if "on" in each),
        ),
        (
            _("Permissions"),
            "; ".join(
                f"{each['clause']}: {each['reason']}" for each in section.permissions if each["clause"]
            ),
        ),
    ]


def _day(day: date | None) -> str:
    return date_format(day, "DATE_FORMAT") if day else ""


MOVES_IN_REVIEW = 4
"""The most moves that a review shows, of the track with the largest; all are with the further effects."""


def approval_preview_context(request: OfficeRequest, section: Section) -> dict[str, Any]:
    """The context of the largest changes of ratings that approving would make; of a section that is
    incomplete or cannot be rated, the words that say so.
    """
    day = today(request.office)
    try:
        effects = as_if.preview_rating(section, day, get_filed_births(section))
    except (IncompleteSection, LookupError) as missing:
        return {"not_whole": str(missing)}
    moves, counts = effects.own, Counter(each.track for each in effects.own)
    shown = [each for each in moves if each.track == moves[0].track]
    tracks = ratings_by_track(request.office, shown, counts, section=section, most=MOVES_IN_REVIEW)
    own = request.user.pk == section.submitted_by_id and get_settings(request.office).four_eyes
    return {"tracks": tracks, "tiles": _tiles(moves), "later": effects.sections, "own": own, "ahead": True}


def _tiles(moves: Sequence[SectionMovement]) -> list[dict[str, Any]]:
    return [
        {"label": _("Players"), "value": len({move.player for move in moves})},
        {"label": _("Ratings that move"), "value": sum(move.movement.moves for move in moves)},
        {"label": _("First ratings among them"), "value": sum(move.first for move in moves)},
    ]


def _decision_forms(section: Section, returning: Mapping[str, str]) -> dict[str, Any]:
    """The forms to approve, return and refuse, with the version shown; ids differ, as two have a reason.

    `returning`: what was typed into the form to return before it was refused.
    """
    version = {"version": section.version}
    returned = {**returning, **version}
    return {
        "approval": ApprovalForm(initial=version, auto_id="approve_%s"),
        "returning": ReturnForm(initial=returned, auto_id="return_%s", ties=list_remark_tie_choices(section)),
        "refusal": ReasonForm(initial=version, auto_id="refuse_%s"),
    }


# ---- Entries and games as filed, and all effects of approving: loaded when they are opened
@page(Permission.SECTIONS_REVIEW)
def filed(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """The entries and the games of a section: a page of its own, or for htmx a part of the review."""
    section = section_for(request, number, code)
    entries = section.entries.select_related("player__federation", "player__birth_date")
    births = Permission.PLAYERS_BIRTHS in request.rights.everywhere
    mends = Permission.SECTIONS_MEND in request.rights and section.stage in (Stage.SUBMITTED, Stage.RATED)
    context = {
        "section": section,
        "entries": EntriesTable(entries, whole_births=births) if entries else None,
        "guests": players_from_other_regions(section),
        "table": CrossTable(section, find_rated_fact(section), mends=mends) if entries else None,
    }
    return _render_part(request, "filed", context)


def _render_part(request: OfficeRequest, name: str, context: dict[str, Any]) -> HttpResponse:
    part = request.headers.get("HX-Request") == "true"
    template = f"ratings/office/{'_' * part}{name}.html"
    return render(request, template, {"part": part} | context)


@page(Permission.SECTIONS_REVIEW)
def review_preview(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """All effects of approving (ratings, sections re-rated, ranks, the next list): a page of its own, or for
    htmx a part of the review.
    """
    section = section_for(request, number, code)
    if section.stage != Stage.SUBMITTED:
        raise Http404
    context = {"section": section} | further_effects_context(request, section)
    return _render_part(request, "review_preview", context)


def further_effects_context(request: OfficeRequest, section: Section) -> dict[str, Any]:
    """The context of the further effects of approving; empty for an incomplete section."""
    office, day = request.office, today(request.office)
    try:
        plan = as_if.plan_rating(section, day, get_filed_births(section))
    except (IncompleteSection, LookupError):
        return {}
    effects = as_if.compute_effects(plan)
    messages = office.ruleset.words.messages
    counts = Counter(each.track for each in effects.own)
    return {
        **effects_context(office, effects),
        "tracks": ratings_by_track(office, effects.own, counts, section=section),
        "ranks": [
            (player, _(messages.get(rank, rank)), clause)
            for player, rank, clause in as_if.ranks_gained(office, effects, day)
        ],
        "lists": [] if effects.unseen else as_if.compare_next_lists(plan, effects, day),
        "day": day,
    }


HINT_ANSWERS = {"right": dismiss_hint, "asked": ask_region}


@page(Permission.SECTIONS_REVIEW, methods=POST)
def answer(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Answer a hint; a refusal shows the review again with what was typed."""
    section = section_for(request, number, code)
    form = HintForm(request.POST)
    typed = request.POST.get("words", "").strip()
    if not form.is_valid():
        words = _("Write a few words, and choose one of the two answers.")
        return review_page(request, section, refused=words, typed_reason=typed, status=400)
    service, words = HINT_ANSWERS[form.cleaned_data.pop("answer")], _("The hint is answered.")
    if service is ask_region:
        words = _("The region is asked; the hint stays open.")
    terms = form.cleaned_data
    answered = attempt(request, None, service, words, section=section, **terms)
    if answered.refused:
        section.refresh_from_db()
        return review_page(
            request, section, refused=answered.refused, typed_reason=typed, status=answered.status
        )
    url = redirect("ratings:review", office=request.office.code, number=number, code=code).url
    return redirect(f"{url}#hints")


@page(Permission.SECTIONS_REVIEW, methods=POST)
def open_file(request: OfficeRequest, number: str, code: str) -> HttpResponseBase:
    """Download of a section's file by an official."""
    return download_held_file(request, section_for(request, number, code))


# ---- Questions to the region, and notes for the office
FORM_IDS = {"asking": "ask_%s", "noting": "note_%s"}
"""The pattern of the fields' ids, by the form's name in the context of the review."""


@page(Permission.SECTIONS_REVIEW, methods=POST)
def ask(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code)
    words = _("%(region)s reads your question, and can answer it.") % {"region": section.event.region}
    return _save_remark(request, section, "asking", section_thread.ask, words)


@page(Permission.SECTIONS_REVIEW, methods=POST)
def note(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code)
    return _save_remark(
        request, section, "noting", section_thread.note, _("Noted: the office alone reads it.")
    )


def _save_remark(
    request: OfficeRequest, section: Section, name: str, service: Callable[..., Any], done: str
) -> HttpResponse:
    """Call `service` with the form's words and tie; a refusal shows the review again with the form by its
    `name` there.
    """
    form = RemarkForm(request.POST, ties=list_remark_tie_choices(section), auto_id=FORM_IDS[name])

    def answers(typed: dict[str, Any]) -> dict[str, Any]:
        return {"words": typed["words"], "tie": parse_remark_tie(section, typed["tie"], typed["which"])}

    saved = attempt(request, form, service, done, refusal_to="", section=section, answers=answers)
    if saved.done:
        return redirect("ratings:review", request.office.code, section.event.number, section.code)
    words = saved.refused or _("Write a few words, and choose what they are about.")
    return review_page(request, section, refused=words, sent_forms={name: form}, status=saved.status)
