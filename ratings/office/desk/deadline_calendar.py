"""The calendar of deadlines: all that somebody has yet to do in an office, by its last day."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import django_tables2 as tables
from django.http import HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from players.office.access import OfficeRequest, Permission, permitted
from players.office.settings_schema import today
from players.pages.paging import paged
from tournaments.events.finding_words import filing_url
from tournaments.events.models import OPEN_TO_FILING, Event, Section
from tournaments.events.section_days import DeadlineState, SectionDeadline, deadlines_of

LATE, SOON = "late", "soon"
WHEN = {"": gettext_lazy("All"), LATE: gettext_lazy("Late"), SOON: gettext_lazy("Within a week")}


@dataclass(frozen=True, slots=True)
class CalendarChoice:
    """A choice of deadlines, as the address asks; anything unknown in it counts as not asked."""

    when: str = ""
    region: str = ""

    def address(self, **other: str) -> str:
        """The query of the same choice but for these parts."""
        asked = replace(self, **other)
        parts = {"when": asked.when, "region": asked.region}
        return f"?{urlencode({name: value for name, value in parts.items() if value})}"

    def keeps(self, deadline: SectionDeadline) -> bool:
        if self.when == LATE:
            return deadline.state == DeadlineState.OVERDUE
        return deadline.soon if self.when == SOON else True


class DeadlineTable(tables.Table):
    """A table of deadlines, the earliest first; each leads to the page of its section's days."""

    caption = gettext_lazy("Deadlines")
    row_header = "section"
    empty_title = gettext_lazy("Nothing is due")
    last = tables.DateColumn(verbose_name=gettext_lazy("Last day"), format="SHORT_DATE_FORMAT")
    state = tables.Column(verbose_name=gettext_lazy("Due"))
    words = tables.Column(verbose_name=gettext_lazy("What is to be done"))
    section = tables.Column(verbose_name=gettext_lazy("Section"))
    region = tables.Column(
        verbose_name=gettext_lazy("Region"), accessor="section__event__region", default="–"
    )
    by = tables.Column(verbose_name=gettext_lazy("By whom"), accessor="deadline__by_office")

    class Meta:
        attrs = {"class": "cards"}
        orderable = False
        empty_text = gettext_lazy("No section with these choices has a deadline that is still to be met.")

    def __init__(self, deadlines: list[SectionDeadline], *, one_region: bool) -> None:
        """Make the table; `one_region`: whether the person's sections are all of one, which is not named."""
        hidden = {"region": one_region, "by": not any(each.deadline.by_office for each in deadlines)}
        super().__init__(deadlines, exclude=[name for name, hides in hidden.items() if hides])

    def render_state(self, record: SectionDeadline) -> str:
        return render_to_string("tournaments/deadline_state.html", {"each": record})

    def render_words(self, record: SectionDeadline) -> str:
        return format_html('{}<span class="sub">§{}</span>', record.words, record.clause)

    def render_section(self, record: SectionDeadline) -> str:
        words = format_html('{}<span class="sub">{}</span>', record.section, record.section.key)
        return format_html('<a href="{}">{}</a>', filing_url("deadlines", record.section), words)

    def render_by(self, value: bool) -> str:
        return _("the office") if value else _("the region")


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_safe
def deadline_calendar(request: OfficeRequest) -> HttpResponse:
    """Page of all deadlines that are still to be met, in the sections that a person may file or review."""
    choice = choice_of(request)
    found = sorted(
        (each for each in waiting_deadlines(request, choice.region) if choice.keeps(each)),
        key=lambda each: (each.last, each.section.key),
    )
    context: dict[str, Any] = {
        "table": paged(DeadlineTable(found, one_region=not _regions(request)), request),
        "filters": _filters(request, choice),
        "clear_url": request.path if choice != CalendarChoice() else "",
    }
    return render(request, "ratings/office/deadline_calendar.html", context)


def choice_of(request: OfficeRequest) -> CalendarChoice:
    """Read the choice from the address."""
    when, region = request.GET.get("when", ""), request.GET.get("region", "")
    codes = {code for code, _name in _regions(request)}
    return CalendarChoice(when if when in WHEN else "", region if region in codes else "")


def waiting_deadlines(request: OfficeRequest, region: str = "") -> Iterator[SectionDeadline]:
    """Yield what region or office has yet to do, of the sections that a person may file or review."""
    if request.office.ruleset.sections.deadlines is None:
        return
    sections = Section.objects.within(request.rights, Permission.SECTIONS_FILE)
    sections = sections.filter(stage__in=OPEN_TO_FILING, event__state=Event.State.PLANNED)
    if region:
        sections = sections.filter(event__region__code=region)
    related = sections.select_related("event__federation", "event__region")
    day = today(request.office)
    for section in related.prefetch_related("permission_requests"):
        yield from (each for each in deadlines_of(section, day) if each.presses)


def _regions(request: OfficeRequest) -> list[tuple[str, str]]:
    """Code and name of the regions among which a person can choose; none where there is no choice."""
    found = list(
        request.rights.regions(Permission.SECTIONS_FILE).order_by("name").values_list("code", "name")
    )
    return found if len(found) > 1 else []


def _filters(request: OfficeRequest, choice: CalendarChoice) -> list[dict[str, Any]]:
    whens = [(str(words), choice.address(when=when), when == choice.when) for when, words in WHEN.items()]
    filters = [(_("Deadline"), whens)]
    if regions := _regions(request):
        options = [("", _("All regions")), *regions]
        named = [(name, choice.address(region=code), code == choice.region) for code, name in options]
        filters.append((_("Region"), named))
    return [
        {
            "label": label,
            "options": [{"label": name, "url": url, "current": current} for name, url, current in options],
        }
        for label, options in filters
    ]
