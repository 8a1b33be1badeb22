"""A player's rating of a past day in three ways: as published then, as known then, and as known now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from django.utils.translation import gettext as _

from players.office.models import Federation
from players.register.models import Player
from ratings.journal.days_taken_over import day_taken_over
from ratings.journal.read_facts import aliases
from ratings.law import journal
from ratings.law.ruleset_helpers.common_readings import COMMON
from ratings.lists.models import ListRow
from ratings.public.players import player_ratings
from ratings.public.players.player_ratings import TrackRow
from ratings.results.as_of import AsOf
from ratings.results.workings import clause_url


@dataclass(frozen=True, slots=True)
class Dating:
    """The words on the day from which a rated section counts, and the clause that says so."""

    words: str
    clause: str
    url: str
    says: str
    """The clause in our own words."""


@dataclass(frozen=True, slots=True)
class FiguresOfDay:
    """A player's rating in one track on a day, in three ways."""

    published: ListRow | None
    """The row of the newest list published by the day; None: no list of then names the player."""
    then: Decimal | None
    """The rating by what the office knew on the day; None: no rating."""
    now: Decimal | None
    """The rating of the day by what is known now; None: no rating."""
    differs: bool
    """Whether what is known now gives another rating for the day than what was known then."""
    dating: Dating
    taken_over: date | None = None
    """The day on which the past of which that day is was taken over; None: the office was there on the day.
    """


def figures_of(player: Player, row: TrackRow | None, track: str, asked: AsOf) -> FiguresOfDay:
    """The three figures of a player's page. `row`: the rating in the track as known on the day. What is known
    now of a merged entry is the rating of the one that stays.
    """
    office, stays = player.federation, _who_stays(player)
    state = asked.state_known_now_of(stays)
    now = player_ratings.ratings_in(office, state, stays.number, asked.day).get(track)
    then = row.rating if row else None
    over = None if asked.line is None else day_taken_over(office, asked.line)
    over = over if over is not None and asked.day < over else None
    published = row.published if row else None
    return FiguresOfDay(published, then, now, then != now, dating_of(office, asked.day), over)


def _who_stays(player: Player) -> Player:
    if player.merged_into_id is None:
        return player
    number = journal.root(aliases(player.federation), player.number)
    return Player.objects.get(federation=player.federation, number=number)


def dating_of(office: Federation, on: date) -> Dating:
    """The day from which a section counts by the regulations of a day, in words, with the clause (D-1)."""
    ruleset = office.ruleset
    clause, edition = ruleset.journal.counts_from, ruleset.edition_of_day(on)
    common = COMMON.get(clause)
    return Dating(
        words=_dating_words(office),
        clause=clause,
        url=clause_url(office, clause, edition),
        says=_(common[1] if common else ruleset.clauses_of(edition)[clause]),
    )


def _dating_words(office: Federation) -> str:
    if office.ruleset.in_order_of_play:
        return _("A section counts from its last day of play, whenever it was rated.")
    if office.ruleset.calendar.waits_for_list:
        return _(
            "A section counts from the day on which it was first rated, and enters the rating with the next "
            "list."
        )
    return _("A section counts from the day on which it was first rated, whenever it was played.")
