"""The effects of a decision as a part of pages (`ratings/office/_effects.html`): the ratings that move, by
track, and the sections that are rated again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import django_tables2 as tables
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from players.models import Federation
from players.pages.tables import DifferenceColumn, RatingColumn
from ratings.as_if import Effects
from ratings.journal import get_players_by_number
from ratings.results import RatingMove
from tournaments.models import Section

MOST_RATINGS_SHOWN = 200
"""The most ratings of a track shown before the decision; the erratum has all."""


class TrackEffectsTable(tables.Table):
    """One track's ratings before and after a decision, the largest differences first."""

    row_header = "player"
    player = tables.Column(verbose_name=gettext_lazy("Player"))
    before = RatingColumn(verbose_name=gettext_lazy("Now"), default="–")
    by = DifferenceColumn("before", "after", verbose_name=gettext_lazy("Points"), default="–")
    after = RatingColumn(verbose_name=gettext_lazy("Then"), default="–")

    class Meta:
        orderable = False
        attrs = {"class": "sticky tight"}

    def __init__(self, *args: Any, places: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("before", "by", "after"):
            self.columns[name].column.places = places

    def render_player(self, record: RatingMove) -> str:
        player = record.player
        return format_html('<a href="{}">{}</a>', player.get_absolute_url(), player.name)


@dataclass(frozen=True, slots=True)
class TrackEffects:
    """One track: a table of the largest differences, and the number of all."""

    name: str
    table: TrackEffectsTable
    count: int


@dataclass(frozen=True, slots=True)
class RerateRow:
    words: str
    url: str
    players: int
    largest: list[tuple[str, RatingMove]]
    """The track's name, and the move."""


def build_rerate_row(
    office: Federation, section: Section, players: int, largest: Sequence[RatingMove]
) -> RerateRow:
    words, url = f"{section.event.name}, {section.name}", f"{office.get_absolute_url()}events/{section.key}/"
    names = {track.code: _(track.name) for track in office.ruleset.tracks}
    return RerateRow(words, url, players, [(names[each.track], each) for each in largest])


def effects_context(office: Federation, effects: Effects) -> dict[str, Any]:
    """The context of the part of a page that shows effects."""
    places, by_track = office.publication.decimals, []
    for track in office.ruleset.tracks:
        if moves := [each for each in effects.ratings if each.track == track.code]:
            table = TrackEffectsTable(moves[:MOST_RATINGS_SHOWN], places=places)
            by_track.append(TrackEffects(_(track.name), table, len(moves)))
    unstated = get_players_by_number(office, effects.unstated).values()
    return {
        "effects": effects,
        "tracks": by_track,
        # other facts only pass on what sections changed
        "rerated": [
            build_rerate_row(office, each.fact.section, each.players, each.largest)
            for each in effects.rerated
            if each.fact.section
        ],
        "unstated": sorted(unstated, key=lambda player: (player.sort_key, player.number)),
    }


def words_where_nothing_moves(effects: Effects) -> str:
    """The sentence for effects without another rating: whether anything is rated again at all."""
    if not effects.sections:
        return _("No section would be rated again.")
    words = ngettext(
        "%(number)s section is rated again, and no rating changes.",
        "%(number)s sections are rated again, and no rating changes.",
        effects.sections,
    )
    return words % {"number": effects.sections}
