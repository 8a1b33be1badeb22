"""Reads the journal's stored lines: merges, and rows as the facts that the fold takes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from players.office.models import Federation
from ratings.journal.models import Fact, FactQuerySet
from ratings.journal.stated_pre_ratings import pres_of
from ratings.law import facts, journal
from ratings.law.facts import PlayerId
from ratings.law.ruleset import Ruleset

AFTER_EVERYTHING = 2**63 - 1
"""A place in the order after every fact's: order keys have 63 bits, and no day fills them up."""


def aliases(federation: Federation) -> dict[PlayerId, PlayerId]:
    """Merged players: each number and the one it was merged into, in the order of `merged` lines in force."""
    return aliases_at(federation, AFTER_EVERYTHING)


def aliases_at(federation: Federation, line: int) -> dict[PlayerId, PlayerId]:
    """Merged players as of a line of the journal: each number and the one that it was merged into."""
    found = read_lines(federation, Fact.objects.of_kinds(federation, "merged", "parted"))
    by_then = (each for each in found if each.number <= line)
    return journal.merges(sorted(by_then, key=lambda each: each.number))


def read_lines(federation: Federation, rows: FactQuerySet) -> list[journal.JournalLine]:
    """Parse rows of the journal into pairs of the line's number and its fact, in the order of the rows."""
    ruleset = federation.ruleset
    return [
        journal.JournalLine(number, _spoken(line, ruleset))
        for number, line in rows.values_list("number", "line")
    ]


def put_away(
    federation: Federation, names: Mapping[PlayerId, PlayerId], line: int = AFTER_EVERYTHING
) -> frozenset[int]:
    """The numbers of the lines, up to `line`, that merges keep out of the fold: player lines and openings
    that give way to another entry's.
    """
    if not names:
        return frozenset()
    people = {*names, *names.values()}
    rows = Fact.objects.about(federation, people, "player", "opening")
    told = rows.values_list("number", "order", "line")
    above = sorted((number, text) for number, order, text in told if order is not None and number <= line)
    ruleset = federation.ruleset
    found = [journal.JournalLine(number, _spoken(text, ruleset)) for number, text in above]
    return journal.put_away(found, names)


def folded_fact(fact: Fact, names: Mapping[PlayerId, PlayerId] | None = None) -> facts.Fact:
    """Turn a row of the journal into the fact that the fold takes, with merges followed. A `rated` line gets
    its section, its players' particulars and, where the section states no pre-ratings, those stated before.
    """
    names = aliases(fact.federation) if names is None else names
    ruleset = fact.federation.ruleset
    spoken = journal.parse_line(fact.line, ruleset)
    if not isinstance(spoken, facts.Rated):
        return journal.placed(fact.number, spoken, names)
    if fact.takes is None:
        raise LookupError(f"line {fact.number}: a rated line without its section")
    fact.takes.federation = fact.federation
    section = journal.parse_line(fact.takes.line, ruleset)
    assert isinstance(section, facts.Section)
    players, pres = _entrants(fact, names), pres_of(fact.takes, section, names)
    first = fact.first
    assert first.on is not None
    return journal.rated_section(fact.number, (first.number, first.on), section, players, names, pres)


def _entrants(fact: Fact, names: Mapping[PlayerId, PlayerId]) -> dict[PlayerId, facts.Player]:
    """The particulars of a rated section's players, by number, as written beside its `rated` line. A player
    merged since has those of the entry that stays: its last above that line, else its first.
    """
    ruleset = fact.federation.ruleset
    written = [_player(line, ruleset) for line in fact.particulars.splitlines()]
    players = {player.id: player for player in written if player.id not in names}
    others = {journal.root(names, player.id) for player in written if player.id in names}
    if others:
        rows = Fact.objects.about(fact.federation, others, "player")
        for number, subject, line in sorted(rows.values_list("number", "subject", "line")):
            if number < fact.number or subject not in players:
                players[subject] = _player(line, ruleset)
    return players


@lru_cache(maxsize=50_000)
def _spoken(line: str, ruleset: Ruleset) -> facts.JournalFact:
    """Parse a line, with a cache: lines of players and merges come up with many sections."""
    return journal.parse_line(line, ruleset)


def _player(line: str, ruleset: Ruleset) -> facts.Player:
    player = _spoken(line, ruleset)
    if not isinstance(player, facts.Player):
        raise TypeError("a line of particulars speaks of a player")
    return player
