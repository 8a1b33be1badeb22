"""Pages of the review: the filed section, the ratings it would move, and the outcome of a decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django.forms import Form
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from players.drawing.days_in_words import day_in_words
from players.drawing.particulars_in_words import FORMATS
from players.office.access import OfficeRequest, Permission, permitted
from players.office.models import Ledger
from players.office.settings_schema import settings_of, today
from players.office.stored_bytes import let_go_words
from ratings.hints.draw_up_hints import is_overtaken
from ratings.hints.hint_rows import current_rows, earlier_rows
from ratings.hints.models import HintsSearch
from ratings.office.common.decision_forms import ApprovalForm, HintForm, ReasonForm, RemarkForm, ReturnForm
from ratings.office.common.officials_in_office import officials_of
from ratings.office.sections.rating_moves import (
    PreviewedChange,
    by_track,
    from_today,
    previewed_changes,
    rated_changes,
)
from ratings.office.sections.section_tables import EntriesTable, MovesTable
from ratings.office.sections.unknown_births import births_asked, births_filed
from ratings.preview.approval import preview
from ratings.preview.compare_folds import previewed_working
from ratings.preview.plan_fold import plan_of
from ratings.public.common.track_groups import track_of
from ratings.public.common.worded_errata import of_section
from ratings.public.common.worded_tables import worded_tables
from ratings.public.events.cross_tables import CrossTable
from ratings.recompute.progress_words import state_of, trouble_of
from ratings.results.rating_differences import standing_fact
from ratings.results.workings import game_rows, step_rows, summary_rows
from tournaments.events.finding_words import show_findings
from tournaments.events.models import Entry, Section, Stage
from tournaments.events.ruleset_fields import particulars_in_words
from tournaments.events.section_fact import Incomplete
from tournaments.filing.before_play.missed_days import missed_before_play
from tournaments.filing.submission.submission_summary import adjusted
from tournaments.forms.event_forms import VersionForm
from tournaments.forms.permission_forms import AnswerForm
from tournaments.identity.players_of_other_regions import players_of_other_regions
from tournaments.mending.correction_words import told_of
from tournaments.retention.days_kept import kept_until
from tournaments.review.filed_sheets import quoted_lines
from tournaments.review.models import SectionTaking
from tournaments.review.remark_ties import choices_of
from tournaments.review.take_back import can_be_taken_back_until, slip_of
from tournaments.review.take_section import TAKEN_IN
from tournaments.views.filing_steps import REASON, reasons_of
from tournaments.views.remarks import comparable, thread_of


def section_for(request: OfficeRequest, number: str, code: str, permission: Permission) -> Section:
    """The section with this event number and code; 404 unless the person may use the permission on it."""
    sections = Section.objects.within(request.rights, permission).select_related(
        "event__federation", "event__region", "submitted_by"
    )
    return get_object_or_404(sections, event__number=number, code=code)


@permitted(Permission.SECTIONS_REVIEW)
@never_cache
@require_safe
def review(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code, Permission.SECTIONS_REVIEW)
    return review_page(request, section)


@permitted(Permission.SECTIONS_REVIEW)
@never_cache
@require_safe
def working(request: OfficeRequest, number: str, code: str, player: str, track: str) -> HttpResponse:
    """Page with the working of one rating that approving the section would move."""
    section = section_for(request, number, code, Permission.SECTIONS_REVIEW)
    if section.stage != Stage.SUBMITTED:
        raise Http404
    day = today(request.office)
    births = births_filed(section)
    moves = from_today(request.office, previewed_changes(preview(section, day, births).rows), day)
    move = next((m for m in moves if m.player.number == player and m.track == track), None)
    if move is None:
        raise Http404
    edition = request.office.ruleset.edition_of_day(section.starts)  # D-9
    opened = previewed_working(plan_of(section, day, births=births), player, track)
    context = {
        "section": section,
        "move": move,
        "track": track_of(request.office.ruleset, track),
        "edition": edition,
        "working": {
            "summary": summary_rows(opened, request.office, edition),
            "steps": step_rows(opened, request.office, edition),
            "games": game_rows(opened, request.office),
            "tables": worded_tables(request.office, opened.tables, edition),
        },
    }
    return render(request, "ratings/office/working.html", context)


@permitted(Permission.SECTIONS_REVIEW)
@never_cache
@require_safe
def outcome(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Page after a section was approved or un-rated: the worker's progress, then the ratings that moved."""
    section = section_for(request, number, code, Permission.SECTIONS_REVIEW)
    ledger = Ledger.objects.get(federation=request.office)
    if section.stage not in (Stage.RATED, Stage.UNRATED):
        raise Http404
    fact = standing_fact(section)
    moves = rated_changes(fact) if fact and not ledger.pending else []
    others = Section.objects.within(request.rights, Permission.SECTIONS_REVIEW).awaiting_review()
    context = {
        "section": section,
        "pending": state_of(request.office, ledger) if ledger.pending else None,
        "trouble": trouble_of(request.office, ledger),
        "tiles": _tiles(moves),
        "erratum": None if ledger.pending else of_section(section).first(),
        "next": others.select_related("event__federation").first(),
    }
    return render(request, "ratings/office/outcome.html", context)


# ---------------------------------------------------------------- the page of the review


def review_page(
    request: OfficeRequest,
    section: Section,
    *,
    refused: str = "",
    typed: str = "",
    births: Mapping[str, str] | None = None,
    returning: Mapping[str, str] | None = None,
    sent: Mapping[str, Form] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The review of a section as it stands now. After a refusal it shows the refusal's words (`refused`) and
    what the official typed: the reason (`typed`), the births, the form to return it (`returning`), and any
    form that was `sent`, by its name in the context, open and with its errors.

    That reason is shown and not put into a form: the forms may differ from the one it was typed into.
    """
    upload = section.uploads.held()
    whole_births = Permission.PLAYERS_BIRTHS in request.rights.everywhere
    context = filed(section, whole_births=whole_births) | {"section": section, "upload": upload}
    may_mend = Permission.SECTIONS_MEND in request.rights
    context["mendable"] = may_mend and section.stage in (Stage.SUBMITTED, Stage.RATED)
    context |= {"refused": refused, "typed": typed} | _taking(request, section) | _said(section)
    if upload:
        context |= {"let_go": let_go_words(upload), "kept_until": kept_until(upload)}
    if section.stage == Stage.SUBMITTED:
        context |= preview_context(request, section) | _forms(section, returning or {})
        context["waivable"] = _waivable(section, reasons_of(request))
        context["births"] = births_asked(section, births)
    elif section.stage == Stage.RATED:
        context["unratable"] = Permission.SECTIONS_UNRATE in request.rights
    context["missed"] = missed_before_play(section, today(request.office))
    context |= second_thoughts_of(section) | _hints(section)
    for name, form in (sent or {}).items():
        if name in context:
            context[name] = form
    if "approval" in context:  # a word is asked for only where hints are open
        context["approval"].fields["despite_hints"].required = bool(context["hints_open"])
    return render(request, "ratings/office/review.html", context, status=status)


def second_thoughts_of(section: Section, answering: AnswerForm | None = None) -> dict[str, Any]:
    """The template context of what was decided before and can be decided otherwise: a slip, appeals.
    `answering`: the answer to an appeal that was typed and not taken.
    """
    version, slip = {"version": section.version}, slip_of(section, timezone.now())
    return {
        "slip": slip,
        "until": can_be_taken_back_until(slip) if slip else "",
        "second_thought": VersionForm(initial=version),
        "appeals": section.appeals.select_related("by", "decided_by", "refusal"),
        "answering": answering or AnswerForm(initial=version),
    }


def _hints(section: Section) -> dict[str, Any]:
    """The template context of the hints: those of a section that waits, each with the form to answer it, and
    those answered before that are found no more.
    """
    waits = section.stage == Stage.SUBMITTED
    rows = current_rows(section) if waits else []
    search = HintsSearch.objects.filter(section=section, version=section.version).first() if waits else None
    initial = {"version": section.version}
    return {
        "hints": [
            (row, HintForm(initial={**initial, "key": row.key}, auto_id=f"hint-{number}-%s"))
            for number, row in enumerate(rows, start=1)
        ],
        "hints_open": sum(row.is_open for row in rows),
        "hints_before": earlier_rows(section, rows),
        "hints_search": search,
        "hints_zone": section.event.federation.equipment.office.time_zone,
        "hints_overtaken": waits and is_overtaken(section),
    }


def _said(section: Section) -> dict[str, Any]:
    """The template context of what region and office said, with the office's notes and the forms to go on."""
    ties = choices_of(section)
    return {
        "thread": thread_of(section, internal=True),
        "comparable": comparable(section),
        "asking": RemarkForm(ties=ties, auto_id="ask_%s"),
        "noting": RemarkForm(ties=ties, auto_id="note_%s"),
    }


def _taking(request: OfficeRequest, section: Section) -> dict[str, Any]:
    """The template context of who is on the section, while there is something to be on."""
    if section.stage not in TAKEN_IN:
        return {}
    others = [each for key, each in officials_of(request).items() if key != request.user.pk]
    taking = SectionTaking.objects.filter(section=section).select_related("official").first()
    return {"taking": taking, "officials": others, "takeable": True}


def filed(section: Section, *, whole_births: bool) -> dict[str, Any]:
    """The template context of a section as filed: particulars, entries, findings, cross table.
    `whole_births`: show births of the register to the day.
    """
    lines = quoted_lines(section.uploads.defer("content").held())
    found = show_findings(section, section.findings.all(), lines)
    entries = section.entries.select_related("player__federation", "player__birth_date")
    matches = Counter(entry.match for entry in entries)
    return {
        "particulars": particulars_of(section),
        "findings": [replace(each, action_url="", action_label="") for each in found],
        "repairs": adjusted(section),
        "corrections": told_of(section),
        "waived": any(each.waived_because for each in found),
        "entries": EntriesTable(entries, whole_births=whole_births) if entries else None,
        "guests": players_of_other_regions(section),
        "matches": [(match.label, matches[match]) for match in Entry.Match if matches[match]],
        "table": CrossTable(section, standing_fact(section)) if entries else None,
    }


def _waivable(section: Section, typed: Mapping[int, str]) -> list[dict[str, Any]]:
    """The findings that the office may waive, each with the reason just typed or given by the region."""
    found = show_findings(section, section.findings.filter(level="waivable"))
    return [
        {
            "finding": each,
            "name": f"{REASON}{each.key}",
            "reason": typed.get(each.key, each.waived_because),
        }
        for each in found
    ]


def particulars_of(section: Section) -> list[tuple[str, Any]]:
    event = section.event
    arbiters = ", ".join(f"{each.get('title') or ''} {each['name']}".strip() for each in event.arbiters)
    return [
        (_("Region"), event.region if event.federation.regional else ""),
        (pgettext("where it is played", "Place"), event.place),
        (_("Country"), event.country),
        (_("Days"), _span(section.starts, section.ends)),
        (_("Format"), FORMATS.get(section.format, section.format)),
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


def _span(first: date, last: date) -> str:
    return _day(first) if first == last else f"{_day(first)} – {_day(last)}"


@dataclass(frozen=True, slots=True)
class TrackMoves:
    name: str
    table: MovesTable
    waits: bool


def preview_context(request: OfficeRequest, section: Section) -> dict[str, Any]:
    """The template context of the ratings that approving would move, by track; of a section that is not whole
    or cannot be rated, the words that say so.
    """
    day = today(request.office)
    try:
        found = preview(section, day, births_filed(section))
    except (Incomplete, LookupError) as missing:
        return {"not_whole": str(missing)}
    moves = from_today(request.office, previewed_changes(found.rows), day)
    places = request.office.publication.decimals
    tracks = [
        TrackMoves(name, MovesTable(rows, section=section, places=places), any(row.waits for row in rows))
        for name, rows in by_track(request.office, moves)
    ]
    own = request.user.pk == section.submitted_by_id and settings_of(request.office).four_eyes
    return {"tracks": tracks, "tiles": _tiles(moves), "later": found.later, "own": own, "ahead": True}


def _tiles(moves: list[PreviewedChange]) -> list[dict[str, Any]]:
    return [
        {"label": _("Players"), "value": len({move.player.pk for move in moves})},
        {"label": _("Ratings that move"), "value": sum(bool(move.points or move.first) for move in moves)},
        {"label": _("First ratings among them"), "value": sum(move.first for move in moves)},
    ]


def _forms(section: Section, returning: Mapping[str, str]) -> dict[str, Any]:
    """The forms to approve, return and refuse, with the version shown; ids differ, as two have a reason.
    `returning`: what was typed into the second before it was refused.
    """
    seen = {"version": section.version}
    return {
        "approval": ApprovalForm(initial=seen, auto_id="approve_%s"),
        "returning": ReturnForm(initial={**returning, **seen}, auto_id="return_%s", ties=choices_of(section)),
        "refusal": ReasonForm(initial=seen, auto_id="refuse_%s"),
    }
