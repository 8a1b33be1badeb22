"""The page of a section: standings, cross table and pairings by round, what it rests on, and where it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from datetime import date
from functools import partial
from typing import Any

from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, public
from ratings.journal.models import Fact
from ratings.public.common.caching import cached_page, is_computing, keep_regions, kept_part
from ratings.public.common.track_groups import track_of
from ratings.public.common.worded_errata import of_section, worded_errata
from ratings.public.events.cross_tables import CrossTable
from ratings.public.events.event_pages import may_file, withdrawn
from ratings.public.events.pairings import PlayedRound, played_round
from ratings.public.events.section_downloads import links_of
from ratings.public.events.section_record import OfficeRecord, field_of, record_of, steps_of, waived_clauses
from tournaments.events.models import Section, Stage
from tournaments.events.ruleset_fields import particulars_in_words, particulars_with_clauses
from tournaments.events.section_days import admitted_before_play, refused_before_play
from tournaments.filing.changes.notices import Notice, notices_of
from tournaments.filing.changes.state_notices import closing_notice
from tournaments.filing.submission.submission_summary import Adjusted, adjusted
from tournaments.mending.correction_words import told_in_public

ABOUT_PLAY = frozenset(
    {
        "absent",
        "colour-from-opponent",
        "points-missing",
        "points-overruled",
        "round-dates-of-one-day",
        "result-without-opponent",
        "short-draw",
        "short-game",
        "win-without-opponent",
    }
)
"""Keys of adjustments of results, which are not personal."""
CROSS, STANDINGS, ROUNDS = "cross", "standings", "rounds"
"""The views of a section, as addresses name them; the first is the page itself."""


@public
@cached_page
def section(request: OfficeRequest, number: str, code: str) -> HttpResponseBase:
    sections = Section.objects.filter(event__federation=request.office, event__number=number)
    found = get_object_or_404(sections.select_related("event__region"), code=code)
    found.event.federation = request.office
    keep_regions(request)
    if found.stage == Stage.WITHDRAWN and not of_section(found).exists():
        return withdrawn(request, found.event, found)
    rated = _rated(request, found) if found.stage == Stage.RATED else {}
    record = kept_part(request, "record of sections", lambda: record_of(found.event.federation))
    beside = kept_part(request, f"section {found.pk}", lambda: _beside(found, rated.get("rated"), record))
    context = {
        "section": found,
        "event": found.event,
        "files": may_file(request, found.event),
        "edition": request.office.ruleset.edition_of_day(found.starts),
        **beside,
        **rated,
    }
    return render(request, "ratings/section.html", context)


def _beside(section: Section, rated: Fact | None, record: OfficeRecord) -> dict[str, Any]:
    """The context of a section beside its table, the same in every view: what became of it, what was
    decided, corrected and adjusted, and where it is.
    """
    adjustments = adjusted(section) if section.stage == Stage.RATED else []
    errata = of_section(section) if section.pk in record.corrected else []
    return {
        "particulars": particulars_with_clauses(section),
        "steps": list(steps_of(section, rated, record)),
        "waived": waived_clauses(section),
        "decisions": list(decisions_on(section)),
        "notices": (of_event := notices_of(section.event)),
        "own_notices": _own_notices(section, of_event),
        "closing": closing_notice(section),
        "errata": worded_errata(section.event.federation, errata),
        "corrections": told_in_public(section) if section.stage == Stage.RATED else [],
        "adjustments": [public_adjustment(adjustment) for adjustment in adjustments],
    }


def _own_notices(section: Section, of_event: list[Notice]) -> list[Notice]:
    """Notices of a section that its event does not tell; none where the only one is its cancellation, which
    its stage tells. A postponed section that was announced for other days than its event, and has no further
    notice, tells why it was postponed.
    """
    known, own = {notice.number for notice in of_event}, notices_of(section)
    told = [notice for notice in own if notice.number not in known]
    if section.stage == Stage.CANCELLED:
        return [] if [notice.kind for notice in told] == ["cancel"] else told
    if told or not section.postponed or section.first_days == section.event.first_days:
        return told
    return [notice for notice in (*own, *of_event) if notice.kind == "postpone"][:1]


def decisions_on(section: Section) -> Iterator[tuple[str, date | None, list[tuple[str, str]]]]:
    """The office's decisions on a section before and after play, where the regulations want both. Yields
    words for the decision, its day, and the particulars declared (label and value). Reasons are left out:
    they may speak of people.
    """
    if section.event.federation.ruleset.sections.admission is None:
        return
    first = admitted_before_play(section)
    if first:
        declared = copy(section)
        declared.rounds, declared.particulars = first["declared"]["rounds"], first["declared"]["particulars"]
        words = _("First decision, before play: admitted as declared")
        yield words, date.fromisoformat(first["on"]), particulars_in_words(declared)
    elif refused_before_play(section):
        yield _("First decision, before play: not admitted"), section.notice_on, []
        return
    elif section.stage in (Stage.RATED, Stage.UNRATED, Stage.REFUSED):
        yield _("No first decision, before play, is on record"), None, []
    if section.stage == Stage.RATED:
        yield _("Final decision, after play: admitted"), section.rated_on, []
    elif section.stage == Stage.REFUSED:
        yield _("Final decision, after play: not admitted"), None, []
    elif section.stage == Stage.UNRATED:
        yield _("Final decision, after play: withdrawn"), None, []


def _rated(request: OfficeRequest, section: Section) -> dict[str, Any]:
    """The template context of a rated section: its table with one track's changes, in the view asked for, and
    its lines of the journal.
    """
    asked = request.GET.get("track", "")
    if asked:
        track_of(request.office.ruleset, asked)
    told = Fact.objects.about(request.office, [section.key], "section", "rated", "unrated")
    lines = sorted(told.select_related("takes"), key=lambda line: line.number)
    for line in lines:
        line.federation = request.office
    rated = in_force(lines)
    table = CrossTable(section, rated, asked, keep=partial(kept_part, request))
    return {
        "lines": lines,
        "rated": rated,
        "table": table,
        "field": field_of(table),
        "computing": is_computing(request),
        "downloads": links_of(table, asked),
        **_view(request, table),
    }


def _view(request: OfficeRequest, table: CrossTable) -> dict[str, Any]:
    """The context of the view that the address asks for: the cross table, the standings, or the pairings of a
    round (by default the last); links to the others keep the track. Without games there are places alone.
    """
    view = request.GET.get("view") or (CROSS if table.rounds else STANDINGS)
    views = {CROSS: _("Cross table"), STANDINGS: _("Standings"), ROUNDS: _("Rounds")} if table.rounds else {}
    if view not in {STANDINGS: "", **views}:
        raise Http404(_("A section has no such view."))
    track = {"track": request.GET["track"]} if request.GET.get("track") else {}
    shown = {"view": view} if view != CROSS and views else {}
    context: dict[str, Any] = {"view": view, "asked_view": shown.get("view", "")}
    context["views"] = [
        {
            "label": label,
            "url": _query({"view": each, **track} if each != CROSS else track),
            "current": each == view,
        }
        for each, label in views.items()
    ]
    context["tracks"] = [
        (each, _query({**shown, "track": each.code}), each == table.track) for each in table.tracks
    ]
    if view == ROUNDS:
        context["round"] = _round(request, table)
        context["rounds"] = [
            (number, name, _query({"view": ROUNDS, "round": str(number), **track}))
            for number, name in zip(table.rounds, table.names_of_rounds, strict=True)
        ]
    return context


def _query(values: Mapping[str, str]) -> str:
    return f"?{urlencode(values)}" if values else "."


def _round(request: OfficeRequest, table: CrossTable) -> PlayedRound:
    """The round that the address asks for, or the last."""
    asked = request.GET.get("round", "")
    number = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 4 else 0
    if asked and number not in table.rounds:
        raise Http404(_("The section has no such round."))
    return played_round(table, number or table.rounds[-1])


def in_force(lines: Iterable[Fact]) -> Fact | None:
    """The `rated` line in force among the journal lines of one section; None where it was un-rated."""
    return next(
        (line for line in reversed([*lines]) if line.kind == "rated" and line.taken_back is None), None
    )


def public_adjustment(adjustment: Adjusted) -> tuple[str, Adjusted, bool]:
    """One adjustment by the file's reader for the public: its words, itself, and whether its texts from the
    file may be shown (a birth date may not).
    """
    return adjustment.words, adjustment, adjustment.key in ABOUT_PLAY
