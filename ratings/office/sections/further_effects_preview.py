"""The further effects of approving: sections re-rated, ranks, the next list.

Loaded beside the review, as it may have to read everybody.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from players.office.access import OfficeRequest, Permission, permitted
from players.office.models import Federation
from players.office.settings_schema import today
from players.register.models import Player
from ratings.journal.players_by_number import named
from ratings.office.sections.review import section_for
from ratings.office.sections.unknown_births import births_filed
from ratings.preview.compare_folds import FoldPreview, RatingMove, Rerated, preview_fold
from ratings.preview.effects_on_next_lists import ListPlace, NextList, next_lists, ranks_gained
from ratings.preview.plan_fold import MOST_FOLDED, plan_of
from tournaments.events.models import Section, Stage
from tournaments.events.section_fact import Incomplete


@permitted(Permission.SECTIONS_REVIEW)
@never_cache
@require_safe
def review_preview(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """The further effects of approving: a page of its own, or for htmx the part that the review takes in."""
    section = section_for(request, number, code, Permission.SECTIONS_REVIEW)
    if section.stage != Stage.SUBMITTED:
        raise Http404
    part = request.headers.get("HX-Request") == "true"
    template = "ratings/office/_review_preview.html" if part else "ratings/office/review_preview.html"
    return render(request, template, {"section": section, "part": part} | preview_context(request, section))


def preview_context(request: OfficeRequest, section: Section) -> dict[str, Any]:
    """The context of the further effects of approving; empty for a section not whole, as the review says."""
    office, day = request.office, today(request.office)
    try:
        plan = plan_of(section, day, MOST_FOLDED, births_filed(section))
    except (Incomplete, LookupError):
        return {}
    seen = preview_fold(plan)
    return {
        "seen": seen,
        "rerated": [rerate_row(office, each) for each in seen.rerated if each.fact.section],
        "unstated": unstated_in(office, seen),
        "ranks": [_rank(office, *each) for each in ranks_gained(office, seen, day)],
        "lists": [_next_list(office, each) for each in next_lists(plan, seen, day)]
        if not seen.unseen
        else [],
        "day": day,
    }


def unstated_in(office: Federation, seen: FoldPreview) -> list[Player]:
    """Players, by name, whom a preview rates from an adult's pre-rating, as none was stated (§58)."""
    return sorted(named(office, seen.unstated).values(), key=lambda player: (player.sort_key, player.number))


@dataclass(frozen=True, slots=True)
class RerateRow:
    words: str
    url: str
    players: int
    largest: list[tuple[str, RatingMove]]
    """The track's name, and the move."""


def rerate_row(office: Federation, rerated: Rerated) -> RerateRow:
    section = rerated.fact.section
    assert section is not None  # other facts only carry on what sections moved
    words, url = f"{section.event.name}, {section.name}", f"{office.get_absolute_url()}events/{section.key}/"
    names = {track.code: _(track.name) for track in office.ruleset.tracks}
    return RerateRow(words, url, rerated.players, [(names[each.track], each) for each in rerated.largest])


def _rank(office: Federation, player: Player, rank: str, clause: str) -> tuple[Player, str, str]:
    return player, _(office.ruleset.words.messages.get(rank, rank)), clause


@dataclass(frozen=True, slots=True)
class ListRows:
    name: str
    found: NextList
    rows: list[tuple[Player, ListPlace | None, ListPlace | None, Decimal | None]]


def _next_list(office: Federation, found: NextList) -> ListRows:
    name = next(_(track.name) for track in office.ruleset.tracks if track.code == found.track)
    rows = [
        (
            shift.player,
            shift.without,
            shift.with_it,
            shift.with_it.rating - shift.without.rating if shift.with_it and shift.without else None,
        )
        for shift in found.shifts
    ]
    return ListRows(name, found, rows)
