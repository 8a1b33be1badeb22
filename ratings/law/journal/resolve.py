"""Turns a journal's lines into the facts that are folded: merged, un-rated, cut at a day, in order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from hashlib import sha256
from typing import TYPE_CHECKING

from ratings.law.facts import (
    NO_PRES,
    Fact,
    JournalFact,
    ListClosing,
    Merged,
    Opening,
    Parted,
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
from ratings.law.journal.write import KINDS, write_line
from ratings.law.ruleset import Ruleset

if TYPE_CHECKING:
    from ratings.law.journal.read import Journal, JournalLine

Aliases = Mapping[PlayerId, PlayerId]
"""The ids merged away, each with the id it was merged into, in the order of the `merged` lines in force. That
id may be merged on: `root` follows the chain.
"""
Pres = Mapping[PlayerId, int]
"""The last stated pre-rating of players, by their id after merges."""
FirstRating = tuple[int, date]
"""Number and day of a section's first `rated` line: its place in the order, and its day of rating (D-2)."""


def resolve(journal: Journal, as_of: date | None = None, through: int | None = None) -> list[Fact]:
    """The facts to fold, in order: of the whole journal, of what the office knew on a day (`as_of`), or of
    its first `through` lines.
    """
    lines = list(until(journal.lines[:through], as_of))
    return journal.ruleset.journal_order(Resolver.of(lines, journal.ruleset).facts())


@dataclass(slots=True)
class Resolver:
    """Collects the facts to fold while it reads a journal's lines in order, all merges being known
    beforehand.
    """

    ruleset: Ruleset
    aliases: Aliases
    away: frozenset[int]
    """The numbers of the lines that merges keep out of the fold, as `put_away` gives them."""
    people: dict[PlayerId, Player]
    """The newest particulars of each player so far, by id; before the reading, the first ones of those whom a
    section may name above their own line.
    """
    register_of: int | None = None
    """The last line whose register holds, where the ruleset folds the register itself; None: the last."""
    versions: dict[str, tuple[Section, Pres]] = field(default_factory=dict)
    """The newest version of each section, with the pre-ratings stated earlier for its entrants."""
    stated: dict[PlayerId, int] = field(default_factory=dict)
    """The last stated pre-rating of each player."""
    first_rated: dict[str, FirstRating] = field(default_factory=dict)
    """Each section's first rating, even if it was taken back."""
    rated: dict[str, RatedSection] = field(default_factory=dict)
    """The sections rated now, by id: an un-rated one is taken out."""
    others: list[Fact] = field(default_factory=list)
    """The facts to fold that are no rated sections, as read so far."""

    @classmethod
    def of(cls, lines: list[JournalLine], ruleset: Ruleset, register_of: int | None = None) -> Resolver:
        """Make a resolver that has read all of these lines. `register_of`: a line whose register holds."""
        aliases = merges(lines)
        register_of = register_of if "player" in ruleset.journal.folds else None
        sooner = None if register_of else frozenset(aliases.values())
        reading = cls(ruleset, aliases, put_away(lines, aliases), first_lines(lines, sooner), register_of)
        for number, fact in lines:
            reading.take(number, fact)
        return reading

    def facts(self) -> list[Fact]:
        """The facts to fold, not yet in order."""
        return [*self.rated.values(), *self.others]

    def take(self, number: int, fact: JournalFact) -> None:
        """Read the next line: keep what later lines need, and collect its fact if it is folded."""
        match fact:
            case Player():
                if self.register_of is None or number <= self.register_of:
                    self.people[fact.id] = fact
            case Section():
                self._section(fact)
            case Rated():
                section, pres = self.versions[fact.section]
                first = self.first_rated.setdefault(fact.section, (number, fact.on))
                self.rated[fact.section] = rated_section(
                    number, first, section, self.people, self.aliases, pres
                )
            case Unrated():
                del self.rated[fact.section]
        folded = KINDS[type(fact)] in self.ruleset.journal.folds and not isinstance(fact, Rated)
        if folded and number not in self.away:
            self.others.append(placed(number, fact, self.aliases))

    def _section(self, section: Section) -> None:
        """Keep a section's newest version until it is rated, with the last pre-rating stated above for each
        entrant whose entry states none (csa §58).
        """
        pres = NO_PRES
        if self.ruleset.pre_ratings:
            pres = pres_of(section, self.stated, self.aliases)
            self.stated.update(stated_in(section, self.aliases))
        self.versions[section.id] = section, pres


def until(lines: Iterable[JournalLine], as_of: date | None) -> Iterator[JournalLine]:
    """The lines above the first one dated after `as_of`: what the office knew on that day; None:
    all lines.
    """
    for line in lines:
        on = getattr(line.fact, "on", None)
        if as_of is not None and on is not None and on > as_of:
            return
        yield line


def merges(lines: Iterable[JournalLine]) -> dict[PlayerId, PlayerId]:
    """The ids merged away, each with the id it was merged into, in the order of the `merged` lines that no
    later `parted` line took back.
    """
    aliases: dict[PlayerId, PlayerId] = {}
    for _number, fact in lines:
        if isinstance(fact, Merged):
            aliases[fact.player] = fact.into
        elif isinstance(fact, Parted):
            del aliases[fact.player]
    return aliases


def root(aliases: Aliases, player: PlayerId) -> PlayerId:
    """The id of a player after all merges."""
    while player in aliases:
        player = aliases[player]
    return player


def put_away(lines: Iterable[JournalLine], aliases: Aliases) -> frozenset[int]:
    """The numbers of the lines that merges keep out of the fold: player lines of the merged, and openings
    that give way.

    Of two openings in one track, that of the entry merged into holds, even one that it has by an earlier
    merge. `lines` may be those of players and openings alone.
    """
    if not aliases:
        return frozenset()
    away: set[int] = set()
    openings: dict[PlayerId, dict[str, int]] = {}
    for number, fact in lines:
        if isinstance(fact, Opening):
            openings.setdefault(fact.player, {})[fact.track] = number
        elif isinstance(fact, Player) and fact.id in aliases:
            away.add(number)
    for player, into in aliases.items():
        own = openings.setdefault(into, {})
        for track, number in openings.pop(player, {}).items():
            if own.setdefault(track, number) != number:
                away.add(number)
    return frozenset(away)


def first_lines(lines: Iterable[JournalLine], of: frozenset[PlayerId] | None) -> dict[PlayerId, Player]:
    """The first particulars of players by id, for sections that stand above every line of a player. `of`: the
    ids to look for; None: all.
    """
    found: dict[PlayerId, Player] = {}
    if of is not None and not of:
        return found
    for _number, fact in lines:
        if isinstance(fact, Player) and (of is None or fact.id in of):
            found.setdefault(fact.id, fact)
    return found


def stated_in(section: Section, aliases: Aliases) -> Pres:
    """The pre-ratings that a section's own entries state, by player's id after merges."""
    return {root(aliases, entry.player): entry.pre for entry in section.entries if entry.pre is not None}


def pres_of(section: Section, stated: Pres, aliases: Aliases) -> Pres:
    """The pre-ratings stated earlier for those entrants of a section whose entry states none.

    `stated`: by id after merges, the last `pre` in the `section` lines above this section's own line, older
    versions and sections never rated included.
    """
    found = {}
    for entry in section.entries:
        if entry.pre is None:
            person = root(aliases, entry.player)
            if person in stated:
                found[person] = stated[person]
    return found


def rated_section(
    number: int,
    first: FirstRating,
    section: Section,
    players: Mapping[PlayerId, Player],
    aliases: Aliases,
    pres: Pres = NO_PRES,
) -> RatedSection:
    """The fact to fold where line `number` rates a section: the section after merges, with its players'
    particulars as they stand above that line.

    `players`: by id after merges, that id's newest line above the `rated` line, or its first where none is
    above. `first`: of this line or of an earlier one. `pres`: as `pres_of` gives it. A caller with the lines
    in a database may look up only entrants whose entry has none (csa); those who never had one stated are
    left out.
    """
    stood = {}
    for entry in section.entries:
        person = root(aliases, entry.player)
        stood[person] = players[person]
    place, on = first
    earlier = place if place != number else 0
    return RatedSection(number, on, rename(section, aliases), stood, pres=pres, first=earlier)


def rename(section: Section, aliases: Aliases) -> Section:
    """The section with every merged player's id replaced by the id after merges."""
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
    """The fact to fold of any line but a section's: with its number, and its player's id after merges.

    Players and openings that `put_away` names are not to be passed.
    """
    match fact:
        case Player():
            return Placed(number, fact)
        case Rank() | Opening():
            return Placed(number, replace(fact, player=root(aliases, fact.player)))
        case Playoff():
            return Placed(number, replace(fact, winner=root(aliases, fact.winner)))
        case ListClosing():
            return Placed(number, fact)
    raise TypeError(f"line {number}: a {KINDS[type(fact)]} is not folded by itself")


def fingerprint(fact: Fact, ruleset: Ruleset) -> str:
    """The SHA-256, in hex, of all that rules may read of a fact (neither names nor their seals) and of its
    place: where it is equal, the fact need not be folded again.
    """
    told: list[object]
    if isinstance(fact, RatedSection):
        people = [_particulars(fact.players[player]) for player in sorted(fact.players)]
        line, pres = write_line(fact.section, ruleset), sorted(fact.pres.items())
        told = [line, people, fact.on.isoformat(), fact.notes, pres]
    elif isinstance(fact.fact, Player):
        told = [_particulars(fact.fact)]
    else:
        told = [write_line(fact.fact, ruleset)]
    return sha256(json.dumps([fact.place, *told]).encode()).hexdigest()


def _particulars(player: Player) -> list[object]:
    return [player.id, player.nation, player.resident, player.region, player.included_by]
