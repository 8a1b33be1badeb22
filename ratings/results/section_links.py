"""Sections by the ids that the journal gives them, as words of a page name them."""

from __future__ import annotations

from collections.abc import Collection

from django.utils.html import format_html
from django.utils.safestring import SafeString

from players.languages.words_of_office import said_by
from players.office.models import Federation
from tournaments.events.models import Section


def sections_of(office: Federation, ids: Collection[str]) -> dict[str, Section]:
    """Look up sections by their ids; ids of none are left out. One query, or none without ids."""
    if not ids:
        return {}
    numbers = {each.rpartition("/")[0] for each in ids}
    rows = Section.objects.filter(event__federation=office, event__number__in=numbers)
    found = {row.key: row for row in rows.select_related("event") if row.key in ids}
    for section in found.values():
        section.event.federation = office
    return found


def section_links(office: Federation, ids: Collection[str]) -> dict[str, SafeString]:
    """Links to sections, by id, each in the name of its event and its own."""
    return {
        key: format_html(
            '<a href="{}">{}</a>',
            section.get_absolute_url(),
            said_by(office, f"{section.event.name}, {section.name}"),
        )
        for key, section in sections_of(office, ids).items()
    }
