"""Tables of the public pages: published lists, events, corrected ratings, players."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol, TypeVar
from urllib.parse import quote

import django_tables2 as tables
from django.http import Http404, HttpRequest
from django.template.loader import render_to_string
from django.utils.formats import date_format
from django.utils.functional import cached_property
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext as now, gettext_lazy, pgettext

from players.display import format_escaped, join_escaped
from players.languages import mark_language
from players.models import Federation, Player
from players.pages.tables import WIDE, DifferenceColumn, NumberColumn, RatingColumn
from players.templatetags import ui
from players.templatetags.ui import rating, stage_badge
from ratings.disclosure import DisclosureLimits, HiddenPeople, limits_of, read_hidden_people, tell_apart
from ratings.models import ListRow
from ratings.rulesets.downloads import GAMES, RANK, RATING, Column, DownloadRow
from ratings.rulesets.facts import StandingKey
from ratings.rulesets.ruleset import Ruleset, Track
from ratings.statement import Balance, Moved, Movement
from tournaments.announcements import state_notices
from tournaments.models import Event, Section, Stage
from tournaments.sections import SectionDeadline, get_time_control_field, time_controls_in_words


# ---- Tracks and their groups
class HasTrack(Protocol):
    @property
    def track(self) -> str: ...


T = TypeVar("T", bound=HasTrack)


def get_track_or_404(ruleset: Ruleset, code: str) -> Track:
    """The track with this code. Raises Http404 if there is none."""
    for track in ruleset.tracks:
        if track.code == code:
            return track
    raise Http404(now("There is no such rating."))


def sort_into_groups(ruleset: Ruleset, items: Iterable[T]) -> list[tuple[str, list[T]]]:
    """Sort items with a `track` into the ruleset's groups of tracks: pairs of the group's name and its items,
    in the order of the tracks.
    """
    by_track: dict[str, list[T]] = {}
    for item in items:
        by_track.setdefault(item.track, []).append(item)
    groups: dict[str, list[T]] = {}
    for track in ruleset.tracks:
        if found := by_track.get(track.code):
            groups.setdefault(track.group, []).extend(found)
    return [(now(name) if name else "", members) for name, members in groups.items()]


TITLE, REGION = '<span class="muted">{}</span> ', '<span class="sub">{}</span>'
PLAYER_LINKS = {
    (title, region): f'{title * TITLE}<a href="{{}}">{{}}</a>{region * REGION}'
    for title in (False, True)
    for region in (False, True)
}
"""Templates of a name as a link, by whether it has a title before it and a region below it."""


def player_link(
    player: Player, limits: DisclosureLimits | None = None, *, on_list: bool = False
) -> SafeString:
    """A player's name as a link, with title and, in federations with regions, the region; withheld players
    have neither. `limits`: those of the player's office, if already loaded; `on_list`: with what lists have
    in place of a title.
    """
    office = player.federation
    known = limits or limits_of(office)
    title = known.title_on_list(player) if on_list else known.title(player)
    region = player.region if office.regional and not player.withheld else None
    parts = [title] if title else []
    parts += player.get_absolute_url(), player.marked_name
    return format_escaped(
        PLAYER_LINKS[bool(title), region is not None], *parts, *([str(region)] if region else [])
    )


class FurtherColumn(tables.Column):
    """A further column of lists; `public_rows`: what the public may know, by the row's key."""

    def __init__(self, column: Column, public_rows: Mapping[int, DownloadRow]) -> None:
        attrs = NumberColumn().attrs if column.type in (int, int | None) else WIDE
        super().__init__(verbose_name=now(column.heading), accessor="pk", orderable=False, attrs=attrs)
        self.column, self.public_rows = column, public_rows

    def render(self, value: int) -> str:
        found = self.column.value(self.public_rows[value])
        return "–" if found is None else str(found)


class FilteredRankColumn(NumberColumn):
    """Ranks among the rows that a reader chose, by the rows' positions in the list."""

    def __init__(self, ranks: Mapping[int, int]) -> None:
        super().__init__(verbose_name=now("Rank here"), accessor="position", default="–", orderable=False)
        self.ranks = ranks

    def render(self, value: int) -> str:
        return str(self.ranks.get(value, "–"))


# ---- What moves a rating
EMPTY_HTML = format_escaped("")
UNMOVED = Movement(Balance(), Balance())
WHOLE = '<span class="delta delta-none">{}<span class="visually-hidden"> {}</span></span>'
WAITS = '<span class="sub waits">{}</span>'


def format_movement(
    language: str | None, movement: Movement | None, places: int
) -> tuple[SafeString, SafeString]:
    """What came at once and, if anything, what waits from then on, as shown. Where all of it waits, that
    alone is said.
    """
    if movement is None or movement == UNMOVED:
        return ui.format_delta(language, None, places), EMPTY_HTML
    moved = movement.as_shown(places)
    if not moved.waits:
        return format_at_once(language, moved, places), EMPTY_HTML
    words = format_escaped(" {}", now("waiting"))
    delta = ui.format_delta(language, moved.waits, places)
    waits = format_escaped(WAITS, join_escaped([delta, words]))
    return format_at_once(language, moved, places) if moved.at_once else EMPTY_HTML, waits


def format_at_once(language: str | None, shown: Movement, places: int) -> SafeString:
    """What came at once; of a first or last rating the whole."""
    if (shown.before.rating is None) == (shown.after.rating is None):
        return ui.format_delta(language, shown.at_once, places)
    sign, words = ("+", now("first rating")) if shown.at_once >= 0 else ("−", now("no rating any more"))
    return format_escaped(WHOLE, f"{sign}{ui.format_rating(language, abs(shown.at_once), places)}", words)


def format_after(language: str | None, movement: Movement, places: int) -> SafeString:
    """The rating after, as shown, and below it what it comes to with the next list."""
    shown = movement.after.as_shown(places)
    rating = format_escaped("{}", ui.format_rating(language, shown.rating, places))
    if not shown.waiting:
        return rating
    words = now("%(rating)s with what waits") % {"rating": ui.format_rating(language, shown.total, places)}
    return join_escaped([rating, format_escaped('<span class="sub">{}</span>', words)])


class MovementColumn(RatingColumn):
    """What comes at once, and what waits; its records are `statement.Moved`."""

    def render(self, value: Movement) -> SafeString:  # type: ignore[override]
        return join_escaped(format_movement(get_language(), value, self.places))


class AfterColumn(RatingColumn):
    """The rating after, and what it comes to with the next list."""

    def render(self, value: Movement) -> SafeString:  # type: ignore[override]
        return format_after(get_language(), value, self.places)


class TableOfPlayers(tables.Table):
    """A table with a player in each row."""

    def before_render(self, request: HttpRequest) -> None:
        people = [row.record.player for row in self.paginated_rows]
        if people:
            tell_apart(people[0].federation, people)


class ListTable(TableOfPlayers):
    """One page of a published list, in the order that the view gives; its headings link to other orders."""

    row_header = "player"
    empty_title = gettext_lazy("No player matches")
    rank = NumberColumn(verbose_name=gettext_lazy(RANK.heading), order_by=())
    player = tables.Column(verbose_name=gettext_lazy("Player"), order_by=())
    rating = RatingColumn(verbose_name=gettext_lazy(RATING.heading), order_by=())
    moved = DifferenceColumn(
        "previous",
        "rating",
        verbose_name=gettext_lazy("Change"),
        empty_values=(),
        order_by=(),
        initial_sort_descending=True,
    )
    games = NumberColumn(
        verbose_name=gettext_lazy(GAMES.heading), attrs=WIDE, order_by=(), initial_sort_descending=True
    )

    class Meta:
        order_by_field = "sort"
        attrs = {"class": "list"}
        empty_text = gettext_lazy("No player on this list matches. Use fewer conditions.")

    def __init__(
        self,
        *args: Any,
        places: int,
        counted: str = "",
        highlight: str = "",
        further: Sequence[FurtherColumn] = (),
        ranks: Mapping[int, int] | None = None,
        **kwargs: Any,
    ) -> None:
        """Make the table; `ranks`: for a part of the list, the ranks in it by position. The rank in the whole
        list then links to the player's place there.
        """
        columns: list[tuple[str, tables.Column]] = [
            (f"further-{number}", column) for number, column in enumerate(further, 1)
        ]
        if ranks is not None:
            columns.insert(0, ("here", FilteredRankColumn(ranks)))
            kwargs["sequence"] = ("here", "...")
        super().__init__(*args, extra_columns=columns, **kwargs)
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
        return format_escaped('<a href="?player={}#p{}">{}</a>', quote(number, safe=""), number, str(value))

    @cached_property
    def limits(self) -> DisclosureLimits | None:
        """The limits of the list's office; None without rows."""
        return next((limits_of(row.player.federation) for row in self.data), None)

    @cached_property
    def newcomer(self) -> SafeString:
        """The cell of the change for a player who was not on the list before."""
        words = pgettext("of a player on a list", "new")
        return format_html('<span class="delta delta-none">{}</span>', words)

    def render_player(self, value: Player) -> SafeString:
        return player_link(value, self.limits, on_list=True)

    def render_moved(self, record: ListRow, column: DifferenceColumn) -> str:
        return self.newcomer if record.previous is None else column.render(record.rating, record)


def render_deadline(due: SectionDeadline | None) -> str:
    """The cell of a section's next deadline: its last day, its state, and what is to be done."""
    if due is None:
        return "–"
    state = render_to_string("tournaments/deadline_state.html", {"each": due})
    day = date_format(due.last, "MONTH_DAY_FORMAT")
    return format_html('<span class="num">{}</span> {}<span class="sub">{}</span>', day, state, due.words)


@dataclass(frozen=True, slots=True)
class SectionResult:
    """What a visitor reads first of a rated section."""

    players: int
    games: int
    winners: Sequence[Player]
    """Those in the first place; empty where places are not known."""


class EventTable(tables.Table):
    """Events in the order that the view gives; those that were played, with what came of them."""

    row_header = "name"
    starts = tables.Column(verbose_name=gettext_lazy("Days"))
    name = tables.Column(verbose_name=gettext_lazy("Event"))
    time = tables.Column(verbose_name=gettext_lazy("Time control"), accessor="pk")
    players = NumberColumn(verbose_name=gettext_lazy("Players"), accessor="pk")
    games = NumberColumn(verbose_name=gettext_lazy("Games"), accessor="pk")
    winner = tables.Column(
        verbose_name=gettext_lazy("Winner"), accessor="pk", attrs={"td": {"class": "whole"}}
    )

    class Meta:
        orderable = False

    def __init__(
        self,
        *args: Any,
        office: Federation,
        results: Mapping[int, SectionResult] | None = None,
        **kwargs: Any,
    ) -> None:
        """Make the table; the events' sections should be prefetched. `results`: those of rated sections, by
        their keys; None for events to come, which have none.
        """
        hidden = {
            "time": get_time_control_field(office.ruleset) is None,
            **dict.fromkeys(("players", "games", "winner"), results is None),
        }
        super().__init__(*args, exclude=[name for name, hides in hidden.items() if hides], **kwargs)
        self.office, self.results = office, results or {}
        self.label = now("To come") if results is None else pgettext("events", "Played")
        notices = state_notices(office, self.data)
        withheld = read_hidden_people(office) if notices else HiddenPeople()
        # Why events were cancelled or postponed, without withheld names, by the events' names on record.
        self.reasons = {name: withheld.redact(notice.words) for name, notice in notices.items()}
        self.sections = {event.pk: list_sections(event) for event in self.data}

    def render_starts(self, record: Event) -> str:
        return render_to_string("ratings/_days.html", {"thing": record})

    def render_name(self, record: Event) -> SafeString:
        home = str(record.region) if self.office.regional else ""
        where = " · ".join(filter(None, (record.place, record.country or home)))
        place = format_html('<span class="sub">{}</span>', where) if where else ""
        context = {"event": record, "reason": self.reasons.get(record.named_on_record, "")}
        change = render_to_string("ratings/_event_change.html", context)
        name = mark_language(self.office, record.name)
        return format_html('<a href="{}">{}</a>{}{}', event_url(record), name, place, change)

    def render_time(self, record: Event) -> str:
        words = map(time_controls_in_words, self.sections[record.pk])
        return "; ".join(dict.fromkeys(filter(None, words))) or "–"

    def render_players(self, record: Event) -> str:
        return self._total(record, "players")

    def render_games(self, record: Event) -> str:
        return self._total(record, "games")

    def _total(self, record: Event, name: str) -> str:
        found = [self.results[each.pk] for each in self.sections[record.pk] if each.pk in self.results]
        return str(sum(getattr(each, name) for each in found) or "–")

    def render_winner(self, record: Event) -> SafeString:
        sections = self.sections[record.pk]
        return format_html_join(
            "",
            '<div class="outcome">{}{}</div>',
            ((self._code(each, len(sections)), self._outcome(each)) for each in sections),
        )

    def _code(self, section: Section, count: int) -> SafeString | str:
        if count == 1:
            return ""
        code = mark_language(self.office, section.code)
        return format_html('<a class="plain" href="{}">{}</a> ', section.get_absolute_url(), code)

    def _outcome(self, section: Section) -> SafeString:
        """The winners of a section, or the stage where it stands."""
        result = self.results.get(section.pk)
        if result is None:
            return format_html("{}", render_to_string("components/stage.html", stage_badge(section.stage)))
        if not result.winners:
            return EMPTY_HTML
        shown = result.winners[:MOST_WINNERS]
        links = format_html_join(
            ", ", '<a href="{}">{}</a>', ((each.get_absolute_url(), each.shown_name) for each in shown)
        )
        more = len(result.winners) - len(shown)
        return format_html("{}{}", links, f" +{more}" if more else "")


MOST_WINNERS = 3
"""The most players named who share the first place of a section."""


def list_sections(event: Event) -> list[Section]:
    """The sections of an event but those registered by mistake, each with its event."""
    found = [section for section in event.sections.all() if section.stage != Stage.WITHDRAWN]
    for section in found:
        section.event = event
    return found


def event_url(event: Event) -> str:
    """Where a reader of an event goes: to the table of its one section if that is rated, else to its page."""
    sections = list_sections(event)
    alone = len(sections) == 1 and sections[0].stage == Stage.RATED
    return sections[0].get_absolute_url() if alone else event.get_absolute_url()


@dataclass(slots=True)
class CorrectedRow(Moved):
    """A rating that an act of correction moved."""

    player: Player
    track: str
    movement: Movement


class CorrectedRatingsTable(TableOfPlayers):
    """The ratings of an erratum before and after the correction, largest differences first."""

    row_header = "player"
    player = tables.Column(verbose_name=gettext_lazy("Player"))
    track = tables.Column(
        verbose_name=gettext_lazy("Rating"), attrs={"th": {"class": "wide"}, "td": {"class": "wide"}}
    )
    before = RatingColumn(verbose_name=gettext_lazy("Before"), default="–")
    by = MovementColumn(accessor="movement", verbose_name=gettext_lazy("Difference"))
    after = AfterColumn(accessor="movement", verbose_name=gettext_lazy("After"))
    first = RatingColumn(verbose_name=gettext_lazy("As rated first"), empty_values=(), attrs=WIDE)

    class Meta:
        orderable = False
        empty_text = gettext_lazy("No rating changed.")
        attrs = {"class": "sticky tight"}

    def __init__(
        self,
        *args: Any,
        office: Federation,
        first: Mapping[StandingKey, Decimal | None] | None = None,
        **kwargs: Any,
    ) -> None:
        """Make the table; `first`: the ratings when the section was first rated."""
        tracks = {track.code: track.name for track in office.ruleset.tracks}
        hidden = {"track": len(tracks) < 2, "first": first is None}
        super().__init__(*args, exclude=[name for name, hides in hidden.items() if hides], **kwargs)
        self.tracks, self.first_ratings, self.limits = tracks, first or {}, limits_of(office)
        self.rated_again = first is not None
        self.places = office.publication.decimals
        for column in ("before", "by", "after"):
            self.columns[column].column.places = self.places

    def render_first(self, record: CorrectedRow) -> str:
        return rating(self.first_ratings.get((record.player.number, record.track)), self.places)

    def render_player(self, record: CorrectedRow) -> SafeString:
        words = [self.render_track(record.track)] if len(self.tracks) > 1 else []
        if self.rated_again:
            words.append(now("as rated first %(rating)s") % {"rating": self.render_first(record)})
        below = format_html('<span class="sub narrow">{}</span>', ", ".join(words)) if words else ""
        return format_html("{}{}", player_link(record.player, self.limits), below)

    def render_track(self, value: str) -> str:
        return now(self.tracks.get(value, value))


class PlayerTable(tables.Table):
    row_header = "player"
    empty_title = gettext_lazy("Nobody found")
    player = tables.Column(verbose_name=gettext_lazy("Player"), accessor="pk")
    number = tables.Column(verbose_name=gettext_lazy("Number"), attrs={"td": {"class": "tabular"}})
    ratings = tables.Column(verbose_name=gettext_lazy("Ratings"), accessor="pk")

    class Meta:
        attrs = {"class": "list"}
        orderable = False
        empty_text = gettext_lazy("Check the spelling, or type only the beginning of the surname.")

    @cached_property
    def limits(self) -> DisclosureLimits | None:
        """The limits of the table's office; None without rows."""
        return next((limits_of(player.federation) for player in self.data), None)

    def render_player(self, record: Player) -> SafeString:
        return player_link(record, self.limits)

    def render_ratings(self, record: Any) -> str:
        context = {"ratings": record.shown_ratings, "office": record.federation}
        return str(render_to_string("ratings/_ratings.html", context))
