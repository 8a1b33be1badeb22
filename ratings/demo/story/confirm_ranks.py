"""Confirms ranks as an official would, on the day of each list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import localcontext
from typing import Any, NamedTuple

from ratings.law import facts, journal
from ratings.law.facts import State
from ratings.law.rule_outputs import RuleTable
from ratings.law.ruleset import CONTEXT, Ruleset

LEFT = 3
"""The number of newest rank proposals that are left waiting for a person to confirm."""


class RankConfirmation(NamedTuple):
    """A rank confirmed in the story: the fact for the journal, and the rank held before."""

    fact: facts.Rank
    before: str
    """The rank held until then."""


def confirmations(
    ruleset: Ruleset, told: Sequence[facts.JournalFact], *, on: date, leave: bool
) -> list[RankConfirmation]:
    """The confirmations of all ranks for which the journal so far gives players grounds, dated `on`. `leave`:
    without the last few, so that some wait for an official.
    """
    found = []
    for table in _tables(ruleset, told, on):
        for row in table.rows if table.confirms else ():
            cells = dict(zip(table.columns, row, strict=True))
            ground = f"{ruleset.slug.upper()} {cells['clause']}"
            rank = facts.Rank(str(cells["player"]), str(cells["rank"]), on, ground)
            found.append(RankConfirmation(rank, str(cells["held"])))
    return found[:-LEFT] if leave else found


def _tables(ruleset: Ruleset, told: Iterable[facts.JournalFact], on: date) -> list[RuleTable]:
    lines = tuple(journal.JournalLine(number, fact) for number, fact in enumerate(told, start=1))
    federation = facts.Federation(facts.FORM, ruleset.slug, ruleset.slug, ruleset.name)
    state: State[Any] = State()
    for _step in ruleset.fold(journal.resolve(journal.Journal(federation, ruleset, lines)), state):
        pass
    with localcontext(CONTEXT):
        tables: list[RuleTable] = ruleset.edition_on(on).rules.tables(state, on)
    return tables
