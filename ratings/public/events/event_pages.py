"""Pages of events: registrations are public at once; entries, games and arbiters once a section is rated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from datetime import date
from typing import Any

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, Permission, public
from players.office.settings_schema import today
from ratings.equipment.find_equipment import form_fields
from ratings.journal.models import Fact
from ratings.public.common.caching import cached_page
from ratings.public.common.disclosure_limits import arbiters_of, organizer_of
from ratings.public.common.filters import EventFilter
from ratings.public.common.page_tables import EventTable
from ratings.public.common.track_groups import track_of
from ratings.public.common.worded_errata import of_section, worded_errata
from ratings.public.events.cross_tables import CrossTable
from tournaments.events.models import Event, Section, Stage
from tournaments.events.section_days import admitted_before_play, due_of
from tournaments.filing.before_play.first_decision import refused_before_play
from tournaments.filing.submission.submission_summary import Adjusted, adjusted
from tournaments.mending.correction_words import told_in_public

PAGE = 30
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


@public
@cached_page
def events(request: OfficeRequest) -> HttpResponseBase:
    form = EventFilter(request.GET, request.office)
    page = _page(request.GET.get("page"))
    matching = form.narrow(Event.objects.filter(federation=request.office).not_withdrawn())
    found = matching.select_related("region", "federation").prefetch_related("sections__permission_requests")
    rows = list(found.order_by("-starts", "-number")[(page - 1) * PAGE : page * PAGE + 1])
    context = {
        "form": form,
        "table": EventTable(rows[:PAGE], office=request.office, day=today(request.office)),
        "earlier": _query(request, page - 1) if page > 1 else "",
        "later": _query(request, page + 1) if len(rows) > PAGE else "",
    }
    return render(request, "ratings/events.html", context)


@public
@cached_page
def event(request: OfficeRequest, number: str) -> HttpResponseBase:
    events = Event.objects.filter(federation=request.office).select_related("region", "federation")
    found = get_object_or_404(events.prefetch_related("sections__permission_requests"), number=number)
    if found.state == Event.State.WITHDRAWN:
        return _withdrawn(request, found)
    sections = [section for section in found.sections.all() if section.stage != Stage.WITHDRAWN]
    for section in sections:
        section.event = found
    context = {
        "event": found,
        "sections": [(section, due_of(section, today(request.office))) for section in sections],
        "rated": any(section.stage == Stage.RATED for section in sections),
        "organizer": organizer_of(found),
        "arbiters": arbiters_of(found),
        "files": _files(request, found),
    }
    return render(request, "ratings/event.html", context)


def _withdrawn(request: OfficeRequest, event: Event, section: Section | None = None) -> HttpResponseBase:
    """The page at the address of what was registered by mistake: 410, with the reason and nothing else."""
    context = {"event": event, "section": section, "gone": section or event, "files": _files(request, event)}
    return render(request, "ratings/withdrawn.html", context, status=410)


@public
@cached_page
def section(request: OfficeRequest, number: str, code: str) -> HttpResponseBase:
    sections = Section.objects.filter(event__federation=request.office, event__number=number)
    found = get_object_or_404(sections.select_related("event__region", "event__federation"), code=code)
    if found.stage == Stage.WITHDRAWN and not of_section(found).exists():
        return _withdrawn(request, found.event, found)
    context: dict[str, Any] = {
        "section": found,
        "event": found.event,
        "files": _files(request, found.event),
        "particulars": particulars(found),
        "decisions": list(decisions_on(found)),
    }
    context["errata"] = worded_errata(request.office, of_section(found))
    if found.stage == Stage.RATED:
        context |= _rated(request, found)
    return render(request, "ratings/section.html", context)


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
        yield words, date.fromisoformat(first["on"]), particulars(declared)
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
    """The template context of a rated section: its cross table with one track's changes, its lines of the
    journal, and what the reader of its file adjusted.
    """
    asked = request.GET.get("track", "")
    if asked:
        track_of(request.office.ruleset, asked)
    lines = Fact.objects.filter(federation=request.office, subject=section.key).order_by("number")
    lines = lines.filter(kind__in=("section", "rated", "unrated")).select_related("takes")
    for line in lines:
        line.federation = request.office
    rated = in_force(lines)
    return {
        "lines": lines,
        "rated": rated,
        "table": CrossTable(section, rated, asked),
        "corrections": told_in_public(section),
        "adjustments": [public_adjustment(adjustment) for adjustment in adjusted(section)],
        "ledger": request.office.ledger,
    }


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


def particulars(section: Section) -> list[tuple[str, str]]:
    """The particulars of a section, as label and value in words, in the order of its ruleset's fields."""
    found = [(_("Rounds"), str(section.rounds or ""))]
    for field in form_fields(section.event.federation.ruleset):
        value = section.particulars.get(field.name)
        if value not in (None, "", [], False):
            labels = {choice.value: choice.label for choice in field.choices}
            found.append((_(field.label), _field_words(field.kind, value, labels)))
    return found


def _field_words(kind: str, value: Any, labels: dict[str, str]) -> str:
    if kind == "time_controls":
        return "; ".join(_control(each) for each in (value if isinstance(value, list) else [value]))
    if kind == "flag":
        return _("yes")
    if kind == "day":
        return date_format(date.fromisoformat(value), "j F Y")
    return _(labels.get(str(value), str(value)))


def _control(control: dict[str, Any]) -> str:
    """A time control in words, from its entry in the particulars: `40 + 20 min, 30 s a move`."""
    minutes = " + ".join(str(part) for part in control["minutes"])
    words = _("%(minutes)s min") % {"minutes": minutes}
    if increment := control.get("increment"):
        words += _(", %(seconds)s s a move") % {"seconds": increment}
    return words


def _files(request: OfficeRequest, event: Event) -> bool:
    """Whether the person signed in may file sections of this event, and so is shown the link to do it."""
    if Permission.SECTIONS_FILE not in request.rights:
        return False
    return Event.objects.within(request.rights, Permission.SECTIONS_FILE).filter(pk=event.pk).exists()


def _page(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and 0 < len(text) < 6 and int(text) else 1


def _query(request: OfficeRequest, page: int) -> str:
    query = request.GET.copy()
    query["page"] = str(page)
    return f"?{query.urlencode()}"
