"""States pre-ratings in a section on approval (§58), and finds entrants who never had one stated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from players.office.models import Federation
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.journal.read_facts import aliases, read_lines
from ratings.law import facts, journal
from ratings.law.facts import PlayerId
from ratings.law.ruleset import Ruleset
from ratings.results.models import Standing
from ratings.storage.bulk_writing import batches

_AT_ONCE = 500


class BirthAnswer(NamedTuple):
    """An official's answer on approval to when a player was born (the year) and of what sex, where the
    register does not know it; `born` None: nobody knows.
    """

    born: int | None
    sex: str = ""


Births = Mapping[PlayerId, BirthAnswer]
"""Officials' words on births, by player number."""


NO_BIRTHS: Births = MappingProxyType({})


def learn(player: Player, asked: BirthAnswer) -> None:
    """Put an official's answer on a birth into the player's register row; the caller saves it or not."""
    player.born, player.sex = asked.born, player.sex or asked.sex


def state_pres(
    federation: Federation, record: facts.Section, players: Iterable[Player]
) -> tuple[facts.Section, list[Player]]:
    """State pre-ratings in a section, as its approval does: returns the section with them, and those of their
    players whose birth the register does not know.

    A pre-rating is stated for players with too few counted games, by the standings last computed, in a track
    that the section updates, and for whoever had one in an earlier version of the section, however many games
    there are by now; for nobody else. One of an earlier version of the same year is kept where the register
    does not know the birth: nobody is asked for it again.
    """
    ruleset = federation.ruleset
    if ruleset.pre_ratings is None:
        return record, []
    earlier, people = stated_in_earlier_versions(federation, record), list(players)
    few = {player.pk for player in needing_pre(ruleset, record, people)}
    needed = [player for player in people if player.pk in few or player.number in earlier]
    kept = {p.number: pre for p in needed if p.born is None and (pre := earlier.get(p.number)) is not None}
    pres = {p.number: ruleset.pre_ratings.of(p.born, p.sex or None, record) for p in needed} | kept
    entries = tuple(replace(entry, pre=pres.get(entry.player)) for entry in record.entries)
    asked = "born" in federation.equipment.office.asks
    unknown = [p for p in needed if asked and p.born is None and p.number not in kept]
    return replace(record, entries=entries), unknown


def stated_in_earlier_versions(federation: Federation, record: facts.Section) -> dict[PlayerId, int | None]:
    """The last pre-rating that an earlier version of a section states for each player, by the number that
    holds after merges; None: only versions of another year state one, which may be that of another age.
    """
    versions = read_lines(federation, Fact.objects.about(federation, [record.id], "section"))
    names = aliases(federation) if versions else {}
    found: dict[PlayerId, int | None] = {}
    for _number, version in sorted(versions, key=lambda line: line.number):
        assert isinstance(version, facts.Section)
        of_this_year = version.starts.year == record.starts.year
        for player, pre in journal.stated_in(version, names).items():
            found[player] = pre if of_this_year else found.get(player)
    return found


def needing_pre(ruleset: Ruleset, record: facts.Section, players: Iterable[Player]) -> list[Player]:
    """The players with too few counted games in a track of the section, who get a pre-rating stated."""
    if ruleset.pre_ratings is None:
        return []
    few = ruleset.pre_ratings.until_games
    people = {player.pk: player for player in players}
    tracks = ruleset.sections.tracks_of(record)
    enough: dict[int, int] = dict.fromkeys(people, 0)
    for some in batches(sorted(people), _AT_ONCE):
        counted = Standing.objects.filter(player__in=some, track__in=tracks)
        for player in counted.filter(games__gte=few).values_list("player_id", flat=True):
            enough[player] += 1
    return [player for pk, player in people.items() if enough[pk] < len(tracks)]


def for_want_of_any(ruleset: Ruleset, state: facts.State[Any], fact: facts.Fact) -> Sequence[PlayerId]:
    """Numbers of a section's entrants whom the rules rate from an adult's pre-rating, since they are unrated
    in `state` (that before the section) and none was ever stated for them; empty for any other fact.
    """
    if ruleset.pre_ratings is None or not isinstance(fact, facts.RatedSection):
        return ()
    abroad = fact.section.country not in (None, ruleset.country)
    tracks = ruleset.sections.tracks_of(fact.section)
    return [
        entry.player
        for entry in fact.section.entries
        if entry.pre is None
        and entry.player not in fact.pres
        and not (abroad and entry.rating)
        and any(_unrated(state, entry.player, track) for track in tracks)
    ]


def _unrated(state: facts.State[Any], player: PlayerId, track: str) -> bool:
    standing = state.get(player, track)
    return standing is None or standing.rating is None
