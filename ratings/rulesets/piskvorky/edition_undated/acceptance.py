"""Checks whether a section may be rated: the text requires nothing, but odd things are noted."""

from __future__ import annotations

from collections.abc import Iterator

from ratings.law.facts import Section
from ratings.law.filing_particulars import Filing
from ratings.law.rule_outputs import Finding, Level, Value
from ratings.law.ruleset_hooks import Requirement

FORMATS = ("swiss", "round-robin", "double-round-robin", "scheveningen", "knockout", "match")
"""The formats that are rated: the text names none, so all in which games are played."""


def check(section: Section, filing: Filing) -> list[Finding]:
    return [*check_games(section), *check_both_lost(section, filing)]


def check_games(section: Section) -> Iterator[Finding]:
    """§6: check that there is a played game; without one no rating moves, yet the tournament would count as a
    founding one.
    """
    if not any(game.played for game in section.games):
        yield Finding("6", Level.WAIVABLE, "no-games", where="games")


def check_both_lost(section: Section, filing: Filing) -> Iterator[Finding]:
    """§5: note each game that both players lost: it is rare, and more often a slip."""
    for game in section.games:
        if game.result == "0-0":
            params: dict[str, Value] = {
                "round": game.round,
                "first": filing.name_of(game.first),
                "second": filing.name_of(game.second),
            }
            yield Finding("5", Level.NOTICE, "both-lost-filed", params, f"round {game.round}")


REQUIREMENTS = (Requirement(("6",), before_play=False),)
"""The list before play, in the order of an organizer's work."""
