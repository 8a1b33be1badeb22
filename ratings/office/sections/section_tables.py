"""Tables of a section's pages."""

from __future__ import annotations

from typing import Any

import django_tables2 as tables
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from players.pages.table_columns import WIDE, DifferenceColumn, NumberColumn, RatingColumn
from ratings.office.sections.rating_moves import PreviewedChange
from ratings.results.rating_differences import Corrected
from tournaments.events.models import Entry, Section
from tournaments.identity.evidence_words import EVIDENCE


class _Unordered:
    orderable = False


class EntriesTable(tables.Table):
    """The table of entries as filed, each beside the player it is taken for. Private: it shows births."""

    row_header = "number"
    number = NumberColumn(verbose_name=_("No."))
    filed = tables.Column(verbose_name=_("As filed"), accessor="name")
    birth = tables.Column(verbose_name=_("Birth as filed"), default="–")
    filed_id = tables.Column(verbose_name=_("Id as filed"), default="–")
    player = tables.Column(verbose_name=_("In the register"), default=_("nobody"))
    born = NumberColumn(verbose_name=_("Born"), accessor="player__born", default="–")
    match = tables.Column(verbose_name=_("How"))
    place = NumberColumn(verbose_name=_("Place"), default="–")

    class Meta(_Unordered):
        attrs = {"class": "sticky"}

    def __init__(self, *args: Any, whole_births: bool = False, **kwargs: Any) -> None:
        """Make the table of entries; `whole_births`: show births that the register has to the day."""
        super().__init__(*args, **kwargs)
        self.whole_births = whole_births

    def render_born(self, record: Entry, value: int) -> str:
        known = getattr(record.player, "birth_date", None) if self.whole_births else None
        return known.day.isoformat() if known else str(value)

    def render_filed(self, record: Entry) -> str:
        return f"{record.title} {record.name}".strip()

    def render_match(self, record: Entry) -> str:
        """The cell on how the player was found: the kind of match, with what speaks for and against it."""
        found = [one for one in record.candidates if one["player"] == record.player_id]
        words = ", ".join(str(EVIDENCE[name]) for one in found for name in one["evidence"])
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


class CorrectedTable(tables.Table):
    """The table of one track's ratings before and after a correction, the largest differences first."""

    row_header = "player"
    player = tables.Column(verbose_name=_("Player"))
    before = RatingColumn(verbose_name=_("Now"), default="–")
    by = DifferenceColumn("before", "after", verbose_name=_("Points"), default="–")
    after = RatingColumn(verbose_name=_("Then"), default="–")

    class Meta(_Unordered):
        attrs = {"class": "sticky tight"}

    def __init__(self, *args: Any, places: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("before", "by", "after"):
            self.columns[name].column.places = places

    def render_player(self, record: Corrected) -> str:
        player = record.player
        return format_html('<a href="{}">{}</a>', player.get_absolute_url(), player.name)


class MovesTable(tables.Table):
    """The table of one track's ratings that approving a section would move, the largest moves first."""

    row_header = "player"
    player = tables.Column(verbose_name=_("Player"))
    before = RatingColumn(verbose_name=_("Now"), default="–")
    points = DifferenceColumn("before", "then", verbose_name=_("Points"), default="–")
    then = RatingColumn(verbose_name=_("Then"), default="–")
    games = NumberColumn(verbose_name=_("Games counted"), attrs=WIDE)

    class Meta(_Unordered):
        attrs = {"class": "sticky tight"}

    def __init__(self, *args: Any, section: Section, places: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.section = section
        for name in ("before", "points", "then"):
            self.columns[name].column.places = places

    def render_player(self, record: PreviewedChange) -> str:
        event = self.section.event
        url = reverse(
            "ratings:review_working",
            args=[event.federation.code, event.number, self.section.code, record.player.number, record.track],
        )
        first = format_html(' <span class="badge">{}</span>', _("first rating")) if record.first else ""
        games = ngettext("%(games)s game counted", "%(games)s games counted", record.games)
        below = format_html('<span class="sub narrow">{}</span>', games % {"games": record.games})
        return format_html('<a href="{}">{}</a>{}{}', url, record.player.name, first, below)
