"""From a journal's lines to the facts that are folded: merged, un-rated, cut at a day, in order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from hashlib import sha256
from typing import TYPE_CHECKING

from ratings.rulesets.facts import (
    Fact,
    JournalFact,
    ListClosing,
    Merged,
    Opening,
    Placed,
    Player,
    PlayerId,
    Playoff,
    Rank,
    Rated,
    RatedSection,
    Section,
    Unrated,
)
from ratings.rulesets.journal_write import KINDS, write_line
from ratings.rulesets.ruleset import Ruleset

if TYPE_CHECKING:
    from ratings.rulesets.journal_read import Journal, Line

Aliases = Mapping[PlayerId, PlayerId]
"""Who was merged, and into whom; chains are followed."""


def resolve(journal: Journal, as_of: date | None = None) -> list[Fact]:
    """The facts to fold, in their order: of the whole journal, or as the office knew it on a day."""
    lines = list(until(journal.lines, as_of))
    aliases = merges(lines)
    people: dict[PlayerId, Player] = {}
    versions: dict[str, Section] = {}
    rated: dict[str, RatedSection] = {}
    others: list[Fact] = []
    for number, fact in lines:
        match fact:
            case Player():
                people[root(aliases, fact.id)] = fact
            case Section():
                versions[fact.id] = fact
            case Rated():
                section = versions[fact.section]
                rated[fact.section] = rated_section(number, fact.on, section, people, aliases)
            case Unrated():
                del rated[fact.section]
        if KINDS[type(fact)] in journal.ruleset.folds and not isinstance(fact, Rated):
            others.append(placed(number, fact, aliases))
    return journal.ruleset.journal_order([*rated.values(), *others])


def until(lines: Iterable[Line], as_of: date | None) -> Iterator[Line]:
    """The lines above the first one whose day is after `as_of`."""
    for line in lines:
        on = getattr(line.fact, "on", None)
        if as_of is not None and on is not None and on > as_of:
            return
        yield line


def merges(lines: Iterable[Line]) -> dict[PlayerId, PlayerId]:
    """Whom each merged player is read as."""
    aliases: dict[PlayerId, PlayerId] = {}
    for _number, fact in lines:
        if isinstance(fact, Merged):
            aliases[root(aliases, fact.player)] = fact.into
    return aliases


def root(aliases: Aliases, player: PlayerId) -> PlayerId:
    """The id with which a player is read."""
    while player in aliases:
        player = aliases[player]
    return player


def rated_section(
    number: int, on: date, section: Section, players: Mapping[PlayerId, Player], aliases: Aliases
) -> RatedSection:
    """A section as it is rated in line `number`, with its players' particulars as they stand above that line.

    `players`: by the id with which each is read; where that one is missing, by the one in the line.
    """
    stood = {}
    for entry in section.entries:
        person = root(aliases, entry.player)
        particulars = players.get(person) or players[entry.player]
        stood[person] = particulars if particulars.id == person else replace(particulars, id=person)
    return RatedSection(number, on, rename(section, aliases), stood)


def rename(section: Section, aliases: Aliases) -> Section:
    """The section as if its line had named those into whom others were merged."""
    if all(entry.player not in aliases for entry in section.entries):
        return section
    new = {entry.player: root(aliases, entry.player) for entry in section.entries}
    return replace(
        section,
        entries=tuple(replace(entry, player=new[entry.player]) for entry in section.entries),
        games=tuple(game._replace(first=new[game.first], second=new[game.second]) for game in section.games),
        byes=tuple(bye._replace(player=new[bye.player]) for bye in section.byes),
    )


def placed(number: int, fact: JournalFact, aliases: Aliases) -> Placed:
    """Any other fact that is folded, with the ids with which its players are read."""
    match fact:
        case Player():
            return Placed(number, replace(fact, id=root(aliases, fact.id)))
        case Rank() | Opening():
            return Placed(number, replace(fact, player=root(aliases, fact.player)))
        case Playoff():
            return Placed(number, replace(fact, winner=root(aliases, fact.winner)))
        case ListClosing():
            return Placed(number, fact)
    raise TypeError(f"line {number}: a {KINDS[type(fact)]} is not folded by itself")


def fingerprint(fact: Fact, ruleset: Ruleset) -> str:
    """SHA-256, in hex, of all that rules may read of a fact. Names stay out: they can be withdrawn."""
    told: list[object]
    if isinstance(fact, RatedSection):
        people = [_particulars(fact.players[player]) for player in sorted(fact.players)]
        told = [write_line(fact.section, ruleset), people, fact.on.isoformat(), fact.notes]
    elif isinstance(fact.fact, Player):
        told = [_particulars(fact.fact)]
    else:
        told = [write_line(fact.fact, ruleset)]
    return sha256(json.dumps([fact.number, *told]).encode()).hexdigest()


def _particulars(player: Player) -> list[object]:
    return [
        player.id,
        player.sex,
        player.born,
        player.nation,
        player.resident,
        player.region,
        player.included_by,
    ]
