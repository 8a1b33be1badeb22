"""Tables of the office's pages."""

from __future__ import annotations

from datetime import date
from typing import Any

import django_tables2 as tables
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from players.pages.table_columns import WIDE, DeltaColumn, NumberColumn, RatingColumn, StageColumn
from ratings.office.sections.rating_moves import PreviewedChange
from ratings.results.corrections import Corrected
from tournaments.events.finding_words import EVIDENCE, filing_url
from tournaments.events.models import Entry, Section


class _Meta:
    attrs = {"class": "cards"}
    orderable = False


class SectionsTable(tables.Table):
    """A table of sections on the desk, each with a link to its next step; the base of the two below."""

    row_header = "section"
    section = tables.Column(verbose_name=_("Section"), accessor="name")
    region = tables.Column(verbose_name=_("Region"), accessor="event__region")
    ends = tables.DateColumn(verbose_name=_("Last day"), format="j M Y")

    def render_section(self, record: Section) -> str:
        words = format_html(
            '{}<span class="sub">{}</span>', f"{record.event.name}, {record.name}", record.key
        )
        return format_html('<a href="{}">{}</a>', self.url_of(record), words)

    def url_of(self, section: Section) -> str:
        return section.get_absolute_url()


class ReviewTable(SectionsTable):
    """An official's table of submitted sections, the longest waiting first."""

    caption = _("Awaiting review")
    empty_title = _("Nothing waits for you")
    players = NumberColumn(verbose_name=_("Players"))
    submitted_on = tables.DateColumn(verbose_name=_("Submitted"))

    class Meta(_Meta):
        sequence = ("section", "region", "players", "ends", "submitted_on")
        empty_text = _("Sections appear here as soon as a region submits them.")

    def __init__(self, *args: Any, day: date, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.day = day

    def url_of(self, section: Section) -> str:
        return f"{section.get_absolute_url()}review/"

    def render_submitted_on(self, value: date | None) -> str:
        if value is None:
            return "–"
        waited = (self.day - value).days
        if waited < 1:
            return str(_("today"))
        return ngettext("%(days)s day ago", "%(days)s days ago", waited) % {"days": waited}


class FilingTable(SectionsTable):
    """A regional administrator's table of the region's sections, each with its next step."""

    caption = _("Your sections")
    empty_title = _("Nothing to file")
    stage = StageColumn(verbose_name=_("Stage"))
    step = tables.Column(verbose_name=_("Next"), accessor="pk", attrs={"td": {"class": "whole"}})

    class Meta(_Meta):
        sequence = ("section", "region", "ends", "stage", "step")
        empty_text = _("Register an event before it is played; its sections then wait here for their files.")

    def render_step(self, record: Section) -> str:
        return format_html('<a href="{}">{}</a>', *next_step(record))


def next_step(section: Section) -> tuple[str, str]:
    """The next step of a section for its region: address and words of the link. The query may have set
    `blocking`, the number of findings in the way.
    """
    blocking = getattr(section, "blocking", 0)
    match section.stage:
        case "registered":
            return filing_url("file", section), str(_("Upload the file"))
        case "returned":
            return filing_url("findings", section), str(_("Read the reason, and correct the section"))
        case "unrated":
            return filing_url("findings", section), str(_("Correct it and submit it again"))
        case "filed" if blocking:
            words = ngettext("Answer one question", "Answer %(count)s questions", blocking)
            return filing_url("findings", section), words % {"count": blocking}
        case "filed":
            return filing_url("submit", section), str(_("Submit"))
        case "submitted":
            return filing_url("submit", section), str(_("The office reviews it"))
        case "refused":
            return filing_url("submit", section), str(_("Read why it was refused"))
        case _other:
            return section.get_absolute_url(), str(_("See the ratings"))


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

    class Meta(_Meta):
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
    by = DeltaColumn(verbose_name=_("Points"), default="–")
    after = RatingColumn(verbose_name=_("Then"), default="–")

    class Meta(_Meta):
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
    points = DeltaColumn(verbose_name=_("Points"), default="–")
    then = RatingColumn(verbose_name=_("Then"), default="–")
    games = NumberColumn(verbose_name=_("Games counted"), attrs=WIDE)

    class Meta(_Meta):
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
