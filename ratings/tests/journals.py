"""A record of facts as the open journal that would give it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ratings.rulesets.facts import (
    JOURNAL_FORM,
    Fact,
    Federation,
    JournalFact,
    Opening,
    Player,
    PlayerId,
    Playoff,
    Rank,
    Rated,
    RatedSection,
)
from ratings.rulesets.journal_lines import write_line
from ratings.rulesets.ruleset import Ruleset

SALT = "0" * 32
"""Of names that a record gives without one."""


def journal_of(ruleset: Ruleset, facts: Iterable[Fact]) -> bytes:
    """The facts in the order of their numbers; who has no line yet gets one. Line numbers are anew."""
    lines = [write_line(Federation(JOURNAL_FORM, ruleset.slug, ruleset.slug, ruleset.name), ruleset)]
    known: dict[PlayerId, str] = {}

    def introduce(player: Player) -> None:
        if player.name and not player.salt:
            player = replace(player, salt=SALT)
        line = write_line(player, ruleset)
        if known.get(player.id) != line:
            known[player.id] = line
            lines.append(line)

    for fact in sorted(facts, key=lambda fact: fact.number):
        if isinstance(fact, RatedSection):
            for name in sorted(fact.players):
                introduce(fact.players[name])
            lines.append(write_line(fact.section, ruleset))
            lines.append(write_line(Rated(fact.section.id, fact.on), ruleset))
        elif isinstance(fact.fact, Player):
            introduce(fact.fact)
        else:
            named = person_in(fact.fact)
            if named is not None and named not in known:
                introduce(named_player(named))
            lines.append(write_line(fact.fact, ruleset))
    return "".join(f"{line}\n" for line in lines).encode()


def named_player(id: PlayerId) -> Player:
    return Player(id, f"Player {id}", SALT)


def person_in(fact: JournalFact) -> PlayerId | None:
    if isinstance(fact, Opening | Rank):
        return fact.player
    return fact.winner if isinstance(fact, Playoff) else None
