"""Tables of the public's pages."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import django_tables2 as tables
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from players.columns import DeltaColumn, NumberColumn, RatingColumn
from players.models import Federation, Player
from players.templatetags.ui import stage_badge
from ratings.models import ListRow
from tournaments.models import Event


def named(player: Player) -> SafeString:
    """A player's name as a link, with title, and the region below where there are several."""
    title = format_html('<span class="muted">{}</span> ', player.title) if player.title else ""
    region = (
        format_html('<span class="sub">{}</span>', player.region)
        if player.region and player.federation.regional
        else ""
    )
    return format_html('{}<a href="{}">{}</a>{}', title, player.get_absolute_url(), player.shown_name, region)


class ListTable(tables.Table):
    """A page of a published list."""

    row_header = "player"
    empty_title = _("Nobody here")
    rank = NumberColumn(verbose_name=_("Rank"))
    player = tables.Column(verbose_name=_("Player"))
    rating = RatingColumn(verbose_name=_("Rating"))
    moved = DeltaColumn(verbose_name=_("Change"), empty_values=())
    games = NumberColumn(
        verbose_name=_("Games"), attrs={"th": {"class": "num wide"}, "td": {"class": "num wide"}}
    )

    class Meta:
        template_name = "django_tables2/office.html"
        orderable = False
        attrs = {"class": "list"}
        empty_text = _("No player of this list is like that. Try fewer conditions.")

    def __init__(
        self, *args: Any, places: int, counted: str = "", highlight: str = "", **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        if counted:
            self.columns["games"].column.verbose_name = counted
        for column in ("rating", "moved"):
            self.columns[column].column.places = places
        self.row_attrs = {
            "id": lambda record: f"p{record.player.number}",
            "class": lambda record: "highlight" if record.player.number == highlight else "",
        }

    def render_player(self, value: Player) -> SafeString:
        return named(value)

    def render_moved(self, record: ListRow, column: DeltaColumn) -> str:
        if record.previous is None:
            return render_to_string("ratings/_new.html")
        gained: Decimal = record.rating - record.previous
        return str(column.render(gained))


class EventTable(tables.Table):
    """Events by their first day, newest first."""

    row_header = "name"
    empty_title = _("No events")
    starts = tables.Column(verbose_name=_("Days"))
    name = tables.Column(verbose_name=_("Event"))
    region = tables.Column(verbose_name=_("Region"))
    sections = tables.Column(verbose_name=_("Sections"), accessor="pk", attrs={"td": {"class": "whole"}})

    class Meta:
        template_name = "django_tables2/office.html"
        orderable = False
        empty_text = _("No event is like that. Try fewer conditions.")
        attrs = {"class": "cards"}

    def __init__(self, *args: Any, office: Federation, **kwargs: Any) -> None:
        super().__init__(*args, exclude=() if office.regional else ("region",), **kwargs)

    def render_starts(self, record: Event) -> str:
        return render_to_string("ratings/_days.html", {"thing": record})

    def render_name(self, record: Event) -> SafeString:
        where = ", ".join(filter(None, (record.place, record.country)))
        place = format_html('<span class="sub">{}</span>', where) if where else ""
        return format_html('<a href="{}">{}</a>{}', record.get_absolute_url(), record.name, place)

    def render_sections(self, record: Event) -> SafeString:
        return format_html_join(
            " ",
            '<a class="plain" href="{}">{}</a> {}',
            (
                (
                    f"{record.get_absolute_url()}{section.code}/",
                    section.code,
                    render_to_string("components/stage.html", stage_badge(section.stage)),
                )
                for section in record.sections.all()
            ),
        )


class PlayerTable(tables.Table):
    """Whom a search found."""

    row_header = "player"
    empty_title = _("Nobody found")
    player = tables.Column(verbose_name=_("Player"), accessor="pk")
    number = tables.Column(verbose_name=_("Number"), attrs={"td": {"class": "tabular"}})
    ratings = tables.Column(verbose_name=_("Ratings"), accessor="pk", attrs={"td": {"class": "whole"}})

    class Meta:
        template_name = "django_tables2/office.html"
        orderable = False
        empty_text = _("Check the spelling, or type only the beginning of the surname.")
        attrs = {"class": "cards"}

    def render_player(self, record: Player) -> SafeString:
        return named(record)

    def render_ratings(self, record: Any) -> str:
        return str(
            render_to_string(
                "ratings/_ratings.html", {"ratings": record.shown_ratings, "office": record.federation}
            )
        )
