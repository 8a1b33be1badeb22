"""A player's ratings as they stand, stood on a day, and were published; and what moved them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, localcontext
from typing import Any
from urllib.parse import quote

from django.db.models import Max
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from players.curve import Point
from players.models import Federation, Player
from ratings.models import Change, Fact, ListRow, Standing, Wide
from ratings.rulesets.facts import Key, State
from ratings.rulesets.reports import Answer
from ratings.rulesets.ruleset import CONTEXT
from ratings.states import standings_before


@dataclass(frozen=True, slots=True)
class Row:
    """A player in one track: by the record, and on the newest list of the day."""

    track: str
    name: str
    """Of the track."""
    rating: Decimal | None
    games: int
    status: str
    pending: Decimal | None
    published: ListRow | None


@dataclass(frozen=True, slots=True)
class Told:
    """A change with words for what brought it."""

    change: Change
    words: str
    url: str
    """Of the section or the list; empty where there is no such page."""
    gained: Decimal | None
    """What to show as the change: at a list what was taken in, elsewhere the points."""
    waits: bool
    """Whether the points move the rating in force only later."""


def of_player(player: Player, lists: Iterable[ListRow], cut: int | None, day: date) -> list[Row]:
    """Each track in which the player stands on a day: by the record up to a place, or all of it."""
    federation = player.federation
    answers = _answers(federation, _standings(player, cut), _wide(federation, cut), day)
    newest: dict[str, ListRow] = {}
    for row in lists:
        newest.setdefault(row.rating_list.track, row)
    return [
        _row(answer, federation, newest.get(answer.track))
        for answer in answers
        if answer.player == player.number
    ]


def ratings_of(federation: Federation, people: Sequence[Player], day: date) -> dict[Key, Decimal]:
    """The ratings of a few players on a day. Some move with the calendar: what is stored is not enough."""
    load = federation.ruleset.load
    rows = Standing.objects.filter(player__in=people).values_list("player__number", "track", "state")
    standings = (((number, track), load(track, text)) for number, track, text in rows)
    answers = _answers(federation, standings, _wide(federation, None), day)
    return {(each.player, each.track): each.rating for each in answers if each.rating is not None}


def ratings_in(federation: Federation, state: State[Any], number: str, day: date) -> dict[str, Decimal]:
    """One player's ratings on a day as a state gives them, by track."""
    theirs = ((key, standing) for key, standing in state.standings.items() if key[0] == number)
    answers = _answers(federation, theirs, state.wide, day)
    return {each.track: each.rating for each in answers if each.rating is not None}


def _answers(
    federation: Federation, standings: Iterable[tuple[Key, Any]], wide: Any, day: date
) -> list[Answer]:
    """What the rules answer for a day about these and nobody else."""
    state: State[Any] = State(wide=wide)
    for key, standing in standings:
        state.put(key, standing)
    rules = federation.ruleset.edition_on(max(day, federation.ruleset.editions[0].in_force)).rules
    with localcontext(CONTEXT):
        return list(rules.answers(state, day))


def _row(answer: Answer, federation: Federation, published: ListRow | None) -> Row:
    names = {track.code: track.name for track in federation.ruleset.tracks}
    return Row(
        track=answer.track,
        name=_(names.get(answer.track, answer.track)),
        rating=answer.rating,
        games=answer.games,
        status=_(federation.ruleset.messages.get(answer.status, answer.status)),
        pending=answer.further.get("pending"),
        published=published,
    )


def last_order(federation: Federation, on: date) -> int:
    """The place of the last fact that the office had taken in on a day, or -1."""
    found = Fact.objects.filter(federation=federation, on__lte=on).in_force().aggregate(last=Max("order"))
    return -1 if found["last"] is None else int(found["last"])


def _standings(player: Player, cut: int | None) -> Iterable[tuple[Any, Any]]:
    if cut is not None:
        return standings_before(player.federation, cut + 1, [player.number])
    load = player.federation.ruleset.load
    rows = Standing.objects.filter(player=player).values_list("track", "state")
    return (((player.number, track), load(track, text)) for track, text in rows)


def _wide(federation: Federation, cut: int | None) -> Any:
    wides = Wide.objects.filter(federation=federation)
    wide = (wides if cut is None else wides.filter(order__lte=cut)).order_by("-order").first()
    return federation.ruleset.load_wide(wide.state) if wide else None


def published(player: Player, on: date | None = None) -> list[ListRow]:
    """The player's rows of the lists up to a day, newest first, of each list the revision that was there."""
    rows = ListRow.objects.filter(player=player).select_related("rating_list").defer("rating_list__content")
    if on is not None:
        rows = rows.filter(rating_list__on__lte=on)
    newest: dict[tuple[date, str], ListRow] = {}
    for row in rows.order_by("-rating_list__on", "rating_list__revision"):
        rating_list = row.rating_list
        rating_list.federation = player.federation
        if on is None or rating_list.revision == 1 or rating_list.published_at.date() <= on:
            newest[rating_list.on, rating_list.track] = row
    return list(newest.values())


def curve(player: Player, track: str, cut: int | None) -> list[Point]:
    """The rating in force whenever it moved up to a place in the order, in order of days."""
    changes = Change.objects.filter(player=player, track=track, after__isnull=False).told()
    changes = changes.defer("state", "fact__line", "fact__particulars")
    if cut is not None:
        changes = changes.before(cut + 1)
    points: list[Point] = []
    following: date | None = None
    for change in changes:  # newest first
        day = day_of(change, following)
        if day is not None and change.after is not None:
            section = change.fact.section
            words = section.event.name if section is not None else kind_words(change.fact.kind)
            points.append((day, change.after, words))
        following = day or following
    points.reverse()
    return [point for at, point in enumerate(points) if not at or points[at - 1][1] != point[1]]


def day_of(change: Change, following: date | None) -> date | None:
    """The day on which a change is told: that of its fact. Where play is the order and the fact was taken in
    after what follows it, it is the last day of play.
    """
    on, section = change.fact.on, change.fact.section
    if on is None or following is None or on <= following:
        return on
    return min(section.ends, following) if section is not None else following


def told(change: Change) -> Told:
    """What brought a change, in words, and where it is to be seen."""
    fact, section = change.fact, change.fact.section
    step = change.after - change.before if change.after is not None and change.before is not None else None
    if section is not None:
        words, url = f"{section.event.name}, {section.name}", f"/{_code(change)}/events/{quote(section.key)}/"
    elif fact.kind == "list" and fact.on:
        words, url = _("List of %(day)s") % {"day": date_format(fact.on, "j F Y")}, ""
    else:
        words, url = kind_words(fact.kind), ""
    gained = step if fact.kind == "list" else change.points
    waits = fact.kind != "list" and step is not None and change.points is not None and step != change.points
    return Told(change, words, url, gained, waits)


def _code(change: Change) -> str:
    return change.player.federation.code


def kind_words(kind: str) -> str:
    """What a kind of journal line is called."""
    kinds = {
        "list": _("List"),
        "opening": _("Taken over when the record began"),
        "player": _("Change of particulars"),
        "rank": _("Rank confirmed"),
        "playoff": _("Play-off"),
    }
    return kinds.get(kind, kind)
