"""Reads from the database what hints are found by: who played where, when, and with what result."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Q
from django.db.models.functions import Coalesce

from players.register.name_folding import fold
from ratings.hints.same_event import DAYS_APART, ComparedPlay, Result
from ratings.hints.two_places import Attendance, days_of_rounds
from ratings.law.facts import PLAYED
from tournaments.events.models import Entry, Game, Section, Stage

OF_REGIONS_WORD = (Stage.SUBMITTED, Stage.RATED, Stage.RETURNED, Stage.REFUSED, Stage.UNRATED)
"""The stages of sections for whose play a region once gave its word; a file that was only uploaded may be a
slip.
"""
ONLINE = "online"
"""The value of the particular `platform`, where rules have it, of play at which nobody is in a place."""
MIRRORED = {"1-0": "0-1", "0-1": "1-0", "+:-": "-:+", "-:+": "+:-"}


@dataclass(frozen=True, slots=True)
class SectionPlay:
    """A section's rows, read once for both comparisons."""

    section: Section
    entries: list[tuple[int, str, int | None]]
    """Key, number of the player (of the one who stayed, after a merge), place."""
    games: list[tuple[int, int, int, str]]
    """Round, the two entries' keys, result."""


def plays_of(sections: Iterable[Section]) -> Iterator[SectionPlay]:
    """Read the play of several sections in two queries."""
    rows = {section.pk: SectionPlay(section, [], []) for section in sections}
    entries = Entry.objects.filter(section__in=rows, player__isnull=False).order_by("pk")
    number = Coalesce("player__merged_into__number", "player__number")
    for section, key, player, place in entries.values_list("section", "pk", number, "place"):
        rows[section].entries.append((key, player, place))
    games = Game.objects.filter(section__in=rows).order_by("pk")
    for section, *game in games.values_list("section", "round", "first", "second", "result"):
        rows[section].games.append(tuple(game))  # type: ignore[arg-type]  # four columns
    return iter(rows.values())


def sections_beside(section: Section) -> list[Section]:
    """The other sections in which players of this one stand, and whose days are at most `DAYS_APART` from its
    own.
    """
    own = set(section.entries.exclude(player=None).values_list("player", flat=True))
    own |= {
        key
        for key in Entry.objects.filter(section=section).values_list("player__merged_into", flat=True)
        if key is not None
    }
    same = Q(player__in=own) | Q(player__merged_into__in=own)
    near = Section.objects.filter(
        event__federation=section.event.federation,
        stage__in=OF_REGIONS_WORD,
        starts__lte=section.ends + timedelta(DAYS_APART),
        ends__gte=section.starts - timedelta(DAYS_APART),
    ).exclude(pk=section.pk)
    found = Entry.objects.filter(same, section__in=near).order_by().values("section").distinct()
    return list(near.filter(pk__in=found).select_related("event").order_by("starts", "pk"))


def compared_play(play: SectionPlay) -> ComparedPlay:
    """The play as `same_event` compares it: by games, or by places where nobody has a game."""
    section, number = play.section, {key: player for key, player, _place in play.entries}
    games = (
        _seen_from_lower(number[first], number[second], result)
        for _round, first, second, result in play.games
        if first in number and second in number
    )
    places = ((player, str(place)) for _key, player, place in play.entries if place is not None)
    results: Counter[Result] = Counter(games if play.games else places)
    return ComparedPlay(
        section.pk, section.key, section.starts, section.ends, frozenset(number.values()), results
    )


def _seen_from_lower(first: str, second: str, result: str) -> Result:
    return (first, second, result) if first < second else (second, first, MIRRORED.get(result, result))


def attendance(play: SectionPlay) -> Attendance:
    """The play as `two_places` compares it."""
    section, event = play.section, play.section.event
    return Attendance(
        section.pk,
        section.key,
        event.pk,
        fold(event.place),
        section.particulars.get("platform") == ONLINE,
        _days(play),
    )


def _days(play: SectionPlay) -> Mapping[str, frozenset[date]]:
    """By player, the days on which they played: those of their games, or of the section where it has none."""
    section, number = play.section, {key: player for key, player, _place in play.entries}
    days = days_of_rounds(section.starts, section.ends, section.rounds or 0, section.round_dates)
    found: defaultdict[str, set[date]] = defaultdict(set)
    for round_number, first, second, result in play.games:
        for entry in (first, second):
            if entry in number and result in PLAYED:
                found[number[entry]] |= days.get(round_number, frozenset())
    if not play.games:
        every = frozenset().union(*days.values()) or days_of_rounds(section.starts, section.ends, 1, [])[1]
        found |= {player: set(every) for player in number.values()}
    return {player: frozenset(each) for player, each in found.items() if each}
