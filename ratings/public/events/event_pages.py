"""Pages of events: registrations are public at once; entries, games and arbiters once a section is rated."""

from __future__ import annotations

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, render

from players.office.access import OfficeRequest, Permission, public
from players.office.settings_schema import today
from ratings.public.common.caching import cached_page
from ratings.public.common.disclosure_limits import arbiters_of, organizer_of
from ratings.public.common.filters import EventFilter
from ratings.public.common.page_tables import EventTable
from tournaments.events.models import Event, Section, Stage
from tournaments.events.section_days import due_of
from tournaments.filing.changes.notices import Notice, notices_of
from tournaments.filing.changes.state_notices import closing_notice, state_notices

PAGE = 30


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
        return withdrawn(request, found)
    sections = [section for section in found.sections.all() if section.stage != Stage.WITHDRAWN]
    for section in sections:
        section.event = found
    told = notices_of(found)
    own = _told_by_section(found, sections, told)
    context = {
        "event": found,
        "sections": [
            (section, due_of(section, today(request.office)), own.get(section.named_on_record))
            for section in sections
        ],
        "rated": any(section.stage == Stage.RATED for section in sections),
        "organizer": organizer_of(found),
        "arbiters": arbiters_of(found),
        "files": may_file(request, found),
        "notices": told,
    }
    return render(request, "ratings/event.html", context)


def _told_by_section(event: Event, sections: list[Section], of_event: list[Notice]) -> dict[str, Notice]:
    """Notices of sections that their planned event does not tell, by the sections' names on record."""
    if event.state != Event.State.PLANNED:
        return {}
    known = {notice.number for notice in of_event}
    own = state_notices(event.federation, sections)
    return {name: notice for name, notice in own.items() if notice.number not in known}


def withdrawn(request: OfficeRequest, event: Event, section: Section | None = None) -> HttpResponseBase:
    """The page at the address of what was registered by mistake: 410, with the reason and nothing else."""
    context = {
        "event": event,
        "section": section,
        "closing": closing_notice(section or event),
        "files": may_file(request, event),
    }
    return render(request, "ratings/withdrawn.html", context, status=410)


def may_file(request: OfficeRequest, event: Event) -> bool:
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
