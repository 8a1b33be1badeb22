"""The effects of a decision as a part of pages (`ratings/office/_effects.html`): the ratings that move, by
track, and the sections that are rated again.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import django_tables2 as tables
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from players.models import Federation, Player
from players.pages.tables import WIDE, NumberColumn, RatingColumn
from ratings.as_if import MOST_RATINGS_KEPT, AffectedFact, Effects
from ratings.disclosure import get_named_players
from ratings.pages.tables import AfterColumn, MovementColumn
from ratings.results import RatingDifference
from ratings.rulesets.facts import PlayerId
from ratings.statement import SectionMovement, movement_of
from tournaments.models import Section


class RatingsTable(tables.Table):
    """What a decision makes of one track's ratings, the largest differences first."""

    row_header = "player"
    player = tables.Column(verbose_name=gettext_lazy("Player"))
    before = RatingColumn(verbose_name=gettext_lazy("Now"), default="–")
    by = MovementColumn(accessor="movement", verbose_name=gettext_lazy("Points"))
    after = AfterColumn(accessor="movement", verbose_name=gettext_lazy("Then"))

    class Meta:
        orderable = False
        attrs = {"class": "sticky tight"}

    def __init__(
        self,
        moves: Sequence[SectionMovement],
        *,
        office: Federation,
        people: Mapping[PlayerId, Player],
        names: Mapping[PlayerId, str],
    ) -> None:
        """Make the table. `people`: rows of the register; `names`: of those whom it does not have yet."""
        super().__init__(moves)
        self.people, self.names = people, names
        for name in ("before", "by", "after"):
            self.columns[name].column.places = office.publication.decimals

    def render_player(self, record: SectionMovement) -> str:
        player = self.people.get(record.player)
        if player is None:
            return f"{self.names.get(record.player, '')} ({record.player})"
        return self.render_known(player, record)

    def render_known(self, player: Player, record: SectionMovement) -> str:
        link = '<a href="{}">{}</a><span class="sub mono">{}</span>'
        return format_html(link, player.get_absolute_url(), player.name, player.number)


class SectionRatingsTable(RatingsTable):
    """What a section under review makes of one track's ratings, the largest moves first, with the games that
    it counts; the rows link to its workings.
    """

    before = RatingColumn(verbose_name=gettext_lazy("Before the section"), default="–")
    after = AfterColumn(accessor="movement", verbose_name=gettext_lazy("After it"))
    games = NumberColumn(verbose_name=gettext_lazy("Games counted"), attrs=WIDE)

    def __init__(self, moves: Sequence[SectionMovement], *, section: Section, **kwargs: Any) -> None:
        super().__init__(moves, **kwargs)
        self.section = section

    def render_known(self, player: Player, record: SectionMovement) -> str:
        event = self.section.event
        place = [event.federation.code, event.number, self.section.code, player.number, record.track]
        first = gettext_lazy("first rating")
        badge = format_html(' <span class="badge">{}</span>', first) if record.first else ""
        games = ngettext("%(games)s game counted", "%(games)s games counted", record.games or 0)
        below = format_html('<span class="sub narrow">{}</span>', games % {"games": record.games})
        url = reverse("ratings:review_working", args=place)
        return format_html('<a href="{}">{}</a>{}{}', url, player.name, badge, below)


def ratings_by_track(
    office: Federation,
    ratings: Sequence[RatingDifference | SectionMovement],
    moved: Mapping[str, int],
    *,
    names: Mapping[PlayerId, str] | None = None,
    section: Section | None = None,
    most: int = MOST_RATINGS_KEPT,
) -> list[dict[str, Any]]:
    """The tables of the largest differences, by track, at most so many of each, with the numbers of all
    (`moved`); `section`: the one under review; for the rest see `RatingsTable`.
    """
    shown: dict[str, list[SectionMovement]] = {track.code: [] for track in office.ruleset.tracks}
    for each in ratings:
        if len(of_track := shown[each.track]) < most:
            if isinstance(each, RatingDifference):
                each = SectionMovement(each.player, each.track, movement_of(each), own=False)
            of_track.append(each)
    people = get_named_players(office, {each.player for moves in shown.values() for each in moves})
    common: dict[str, Any] = {"office": office, "people": people, "names": names or {}}
    found = []
    for track in office.ruleset.tracks:
        if rows := shown[track.code]:
            table = (
                SectionRatingsTable(rows, section=section, **common)
                if section
                else RatingsTable(rows, **common)
            )
            if most < MOST_RATINGS_KEPT:
                table.label = _("%(track)s: the largest changes") % {"track": _(track.name)}
            found.append({"name": _(track.name), "table": table, "count": moved[track.code]})
    return found


def rerate_rows(office: Federation, rerated: Iterable[AffectedFact]) -> list[dict[str, Any]]:
    """The sections among these facts with the number of players who move and the largest moves, each with
    player and track; other facts only pass on what sections changed.
    """
    found = [each for each in rerated if each.section is not None]
    sections = Section.objects.select_related("event__federation").in_bulk([each.section for each in found])
    people = get_named_players(office, {move.player for each in found for move in each.largest})
    names = {track.code: _(track.name) for track in office.ruleset.tracks}
    return [
        {
            "section": sections[each.section],
            "players": each.players,
            "largest": [
                (people[move.player], names[move.track], move)
                for move in each.largest
                if move.player in people
            ],
        }
        for each in found
        if each.section in sections
    ]


def effects_context(
    office: Federation,
    effects: Effects,
    *,
    names: Mapping[PlayerId, str] | None = None,
) -> dict[str, Any]:
    """The context of the part of a page that shows effects; `names`: of players whom the register does not
    have yet.
    """
    unstated = get_named_players(office, effects.unstated).values()
    return {
        "effects": effects,
        "tracks": ratings_by_track(office, effects.ratings, effects.moved, names=names),
        "rerated": rerate_rows(office, effects.rerated),
        "unstated": sorted(unstated, key=lambda player: (player.sort_key, player.number)),
    }
