"""Tables of the public pages: published lists, events, corrected ratings, players; and groups of tracks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Protocol, TypeVar
from urllib.parse import quote

import django_tables2 as tables
from django.http import Http404
from django.template.loader import render_to_string
from django.utils.formats import date_format
from django.utils.functional import cached_property
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy, pgettext

from players.display import filled
from players.languages import said_by
from players.models import Federation, Player
from players.pages.tables import WIDE, DeltaColumn, DifferenceColumn, NumberColumn, RatingColumn
from players.templatetags.ui import rating, stage_badge
from ratings.disclosure import DisclosureLimits, Hidden, limits_of, withheld_of
from ratings.models import CorrectedRating, ListRow
from ratings.rulesets.downloads import DownloadRow
from ratings.rulesets.facts import Key
from ratings.rulesets.profile import ListColumn
from ratings.rulesets.ruleset import Ruleset, Track
from tournaments.announcements import state_notices
from tournaments.models import Event, Stage
from tournaments.sections import next_due


# ---- Group a federation's tracks, by name, for readers.
class OfTrack(Protocol):
    @property
    def track(self) -> str: ...


T = TypeVar("T", bound=OfTrack)


def track_of(ruleset: Ruleset, code: str) -> Track:
    """The track of a code; 404 if there is none."""
    for track in ruleset.tracks:
        if track.code == code:
            return track
    raise Http404(now("There is no such rating."))


def by_group(ruleset: Ruleset, things: Iterable[T]) -> list[tuple[str, list[T]]]:
    """Sort lists, or anything else with a `track`, into the ruleset's groups of tracks: pairs of the group's
    name and its members, in the order of the tracks.
    """
    of_track: dict[str, list[T]] = {}
    for thing in things:
        of_track.setdefault(thing.track, []).append(thing)
    groups: dict[str, list[T]] = {}
    for track in ruleset.tracks:
        if found := of_track.get(track.code):
            groups.setdefault(track.group, []).extend(found)
    return [(now(name) if name else "", members) for name, members in groups.items()]


TITLE, REGION = '<span class="muted">{}</span> ', '<span class="sub">{}</span>'
NAMED = {
    (title, region): f'{title * TITLE}<a href="{{}}">{{}}</a>{region * REGION}'
    for title in (False, True)
    for region in (False, True)
}
"""A name as a link, by whether a title stands before it and a region below it."""


def named(player: Player, limits: DisclosureLimits | None = None) -> SafeString:
    """A player's name as a link, for a cell of a table: with title, and with the region where a federation
    has several. People who asked not to be named stand without both. `limits`: those of the player's office.
    """
    office = player.federation
    title = (limits or limits_of(office)).title(player)
    region = player.region if office.regional and not player.withheld else None
    parts = [title] if title else []
    parts += player.get_absolute_url(), player.shown_name
    return filled(NAMED[bool(title), region is not None], *parts, *([str(region)] if region else []))


PLACE = '<a href="?player={}#p{}">{}</a>'
NEWCOMER = '<span class="delta delta-none">{}</span>'


class OwnColumn(tables.Column):
    """A federation's own column of a list; `told` has what the public may know, by the row's key."""

    def __init__(self, own: ListColumn, told: Mapping[int, DownloadRow]) -> None:
        super().__init__(verbose_name=now(own.label), accessor="pk", orderable=False)
        self.own, self.told = own, told

    def render(self, value: int) -> str:
        return self.own.value(self.told[value])


class OwnRankColumn(NumberColumn):
    """The column of ranks among the rows that a reader chose, by their positions in the list."""

    def __init__(self, places: Mapping[int, int]) -> None:
        super().__init__(verbose_name=now("Rank here"), accessor="position", default="–", orderable=False)
        self.places = places

    def render(self, value: int) -> str:
        place = self.places.get(value)
        return "–" if place is None else str(place)


class ListTable(tables.Table):
    """The table of one page of a published list: rank, player, rating, change and games. Its heads lead to
    the list in other orders; the rows come in the order that is asked for.
    """

    row_header = "player"
    empty_title = gettext_lazy("Nobody here")
    rank = NumberColumn(verbose_name=gettext_lazy("Rank"), order_by=())
    player = tables.Column(verbose_name=gettext_lazy("Player"), order_by=())
    rating = RatingColumn(verbose_name=gettext_lazy("Rating"), order_by=())
    moved = DeltaColumn(
        verbose_name=gettext_lazy("Change"), empty_values=(), order_by=(), initial_sort_descending=True
    )
    games = NumberColumn(
        verbose_name=gettext_lazy("Games"), attrs=WIDE, order_by=(), initial_sort_descending=True
    )

    class Meta:
        template_name = "django_tables2/office.html"
        order_by_field = "sort"
        attrs = {"class": "list"}
        empty_text = gettext_lazy("No player on this list matches. Use fewer conditions.")

    def __init__(
        self,
        *args: Any,
        places: int,
        counted: str = "",
        highlight: str = "",
        own: Sequence[OwnColumn] = (),
        ranks: Mapping[int, int] | None = None,
        **kwargs: Any,
    ) -> None:
        """Make the table; `ranks`: those among the chosen rows, by position, where not the whole list is
        shown. The list's rank then leads to the player's place in it.
        """
        more: list[tuple[str, tables.Column]] = [
            (f"own-{number}", column) for number, column in enumerate(own, 1)
        ]
        if ranks is not None:
            more.insert(0, ("here", OwnRankColumn(ranks)))
            kwargs["sequence"] = ("here", "...")
        super().__init__(*args, extra_columns=more, **kwargs)
        self.whole = ranks is None
        if not self.whole:
            self.columns["rank"].column.verbose_name = now("Overall")
        if counted:
            self.columns["games"].column.verbose_name = counted
        for column in ("rating", "moved"):
            self.columns[column].column.places = places
        self.row_attrs = {
            "id": lambda record: f"p{record.player.number}",
            "class": lambda record: "highlight" if record.player.number == highlight else "",
        }

    def render_rank(self, value: int, record: ListRow) -> SafeString | str:
        if self.whole:
            return str(value)
        number = record.player.number
        return filled(PLACE, quote(number, safe=""), number, str(value))

    @cached_property
    def limits(self) -> DisclosureLimits | None:
        """The limits of the office whose list it is; None without rows."""
        return next((limits_of(row.player.federation) for row in self.data), None)

    @cached_property
    def newcomer(self) -> SafeString:
        """The change of whoever was not on the list before."""
        return format_html(NEWCOMER, pgettext("of a player on a list", "new"))

    def render_player(self, value: Player) -> SafeString:
        return named(value, self.limits)

    def render_moved(self, record: ListRow, column: DeltaColumn) -> str:
        gain = record.gain
        return self.newcomer if gain is None else column.render(gain)


def _reasons(office: Federation, events: Iterable[Event]) -> dict[str, str]:
    """Reasons for which events were cancelled or postponed, without names, by the events' names on record."""
    notices = state_notices(office, events)
    hidden = withheld_of(office) if notices else Hidden()
    return {name: hidden.left_out_of(notice.words) for name, notice in notices.items()}


class EventTable(tables.Table):
    """Events by their first day, newest first."""

    row_header = "name"
    empty_title = gettext_lazy("No events")
    starts = tables.Column(verbose_name=gettext_lazy("Days"))
    name = tables.Column(verbose_name=gettext_lazy("Event"))
    region = tables.Column(verbose_name=gettext_lazy("Region"))
    due = tables.Column(verbose_name=gettext_lazy("Due"), accessor="pk")
    sections = tables.Column(
        verbose_name=gettext_lazy("Sections"), accessor="pk", attrs={"td": {"class": "whole"}}
    )

    class Meta:
        template_name = "django_tables2/office.html"
        orderable = False
        empty_text = gettext_lazy("No event matches. Use fewer conditions.")
        attrs = {"class": "cards"}

    def __init__(self, *args: Any, office: Federation, day: date, **kwargs: Any) -> None:
        """Make the table of events as their deadlines stand on a day; it wants their sections loaded, with
        the permissions asked for.
        """
        hidden = {"region": not office.regional, "due": office.ruleset.sections.deadlines is None}
        super().__init__(*args, exclude=[name for name, hides in hidden.items() if hides], **kwargs)
        self.office, self.day = office, day
        self.reasons = _reasons(office, self.data)

    def render_due(self, record: Event) -> SafeString | str:
        """The next deadline of an event's sections that its region has to meet or has missed."""
        due = next_due(record, self.day)
        if due is None:
            return "–"
        state = render_to_string("tournaments/deadline_state.html", {"each": due})
        day = date_format(due.last, "MONTH_DAY_FORMAT")
        return format_html('<span class="num">{}</span> {}<span class="sub">{}</span>', day, state, due.words)

    def render_starts(self, record: Event) -> str:
        return render_to_string("ratings/_days.html", {"thing": record})

    def render_name(self, record: Event) -> SafeString:
        where = ", ".join(filter(None, (record.place, record.country)))
        place = format_html('<span class="sub">{}</span>', where) if where else ""
        told = {"event": record, "reason": self.reasons.get(record.named_on_record, "")}
        change = render_to_string("ratings/_event_change.html", told)
        name = said_by(self.office, record.name)
        return format_html('<a href="{}">{}</a>{}{}', record.get_absolute_url(), name, place, change)

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
                if section.stage != Stage.WITHDRAWN
            ),
        )


class CorrectedRatingsTable(tables.Table):
    """The table of an erratum: each rating before the correction and after it, largest differences first."""

    row_header = "player"
    player = tables.Column(verbose_name=gettext_lazy("Player"))
    track = tables.Column(
        verbose_name=gettext_lazy("Rating"), attrs={"th": {"class": "wide"}, "td": {"class": "wide"}}
    )
    before = RatingColumn(verbose_name=gettext_lazy("Before"), default="–")
    by = DifferenceColumn("before", "after", verbose_name=gettext_lazy("Difference"), default="–")
    after = RatingColumn(verbose_name=gettext_lazy("After"), default="–")
    first = RatingColumn(verbose_name=gettext_lazy("As rated first"), empty_values=(), attrs=WIDE)

    class Meta:
        template_name = "django_tables2/office.html"
        orderable = False
        empty_text = gettext_lazy("No rating changed.")
        attrs = {"class": "sticky tight"}

    def __init__(
        self, *args: Any, office: Federation, first: Mapping[Key, Decimal | None] | None = None, **kwargs: Any
    ) -> None:
        """Make the table of corrected ratings; `first`: those with which a section was rated first."""
        tracks = {track.code: track.name for track in office.ruleset.tracks}
        hidden = {"track": len(tracks) < 2, "first": first is None}
        super().__init__(*args, exclude=[name for name, is_hidden in hidden.items() if is_hidden], **kwargs)
        self.tracks, self.first_ratings, self.places = (
            tracks,
            first or {},
            office.publication.decimals,
        )
        self.again = first is not None
        for column in ("before", "by", "after"):
            self.columns[column].column.places = office.publication.decimals

    def render_first(self, record: CorrectedRating) -> str:
        return rating(self.first_ratings.get((record.player.number, record.track)), self.places)

    def render_player(self, record: CorrectedRating) -> SafeString:
        told = [self.render_track(record.track)] if len(self.tracks) > 1 else []
        if self.again:
            told.append(now("as rated first %(rating)s") % {"rating": self.render_first(record)})
        below = format_html('<span class="sub narrow">{}</span>', ", ".join(told)) if told else ""
        return format_html("{}{}", named(record.player), below)

    def render_track(self, value: str) -> str:
        return now(self.tracks.get(value, value))


class PlayerTable(tables.Table):
    """The table of players that the public search found."""

    row_header = "player"
    empty_title = gettext_lazy("Nobody found")
    player = tables.Column(verbose_name=gettext_lazy("Player"), accessor="pk")
    number = tables.Column(verbose_name=gettext_lazy("Number"), attrs={"td": {"class": "tabular"}})
    ratings = tables.Column(
        verbose_name=gettext_lazy("Ratings"), accessor="pk", attrs={"td": {"class": "whole"}}
    )

    class Meta:
        template_name = "django_tables2/office.html"
        orderable = False
        empty_text = gettext_lazy("Check the spelling, or type only the beginning of the surname.")
        attrs = {"class": "cards"}

    def render_player(self, record: Player) -> SafeString:
        return named(record)

    def render_ratings(self, record: Any) -> str:
        return str(
            render_to_string(
                "ratings/_ratings.html", {"ratings": record.shown_ratings, "office": record.federation}
            )
        )
