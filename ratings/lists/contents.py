"""Draws up the content of a list from the journal as it stood when the list was published (D-2).

Later un-ratings, merges and sections played earlier never change it, whether the list is drawn up in that
hour or, in an office made from a journal, years later.
"""

from __future__ import annotations

from decimal import localcontext
from itertools import islice
from typing import Any

from players.office.models import Federation
from ratings.journal.export import sealed_lines
from ratings.journal.models import Fact
from ratings.law import facts, journal
from ratings.law.facts import ListClosing, Placed, State
from ratings.law.rule_outputs import ListedPlayer
from ratings.law.ruleset import CONTEXT, Ruleset


def closing_of(fact: facts.Fact) -> ListClosing | None:
    """The list closing in a fact; None if the fact is anything else."""
    return fact.fact if isinstance(fact, Placed) and isinstance(fact.fact, ListClosing) else None


def drawn_up(ruleset: Ruleset, fact: facts.Fact, state: State[Any]) -> dict[str, list[ListedPlayer]]:
    """The rows of the lists that a closing publishes, by track, without empty lists; none for other facts."""
    closing, rules = closing_of(fact), ruleset.rules_for(fact)
    if closing is None:
        return {}
    with localcontext(CONTEXT):
        found = {track.code: rules.rating_list(state, track.code, closing.on) for track in ruleset.tracks}
    return {track: rows for track, rows in found.items() if rows}


def moved_since(federation: Federation, fact: facts.Fact) -> bool:
    """Whether a line after a list's closing changed what the fold gives at it: rated something earlier,
    merged, took back, or changed notes. Then `state_of_list` has the state as it was.
    """
    ruleset, of_office = federation.ruleset, Fact.objects.filter(federation=federation)
    later = of_office.filter(number__gt=fact.number)
    behind = (
        later.filter(order__isnull=False)
        if ruleset.journal.annotate
        else later.filter(order__lt=ruleset.journal.order_key(fact))
    )
    taken_back = list(later.filter(kind="unrated").values_list("subject", flat=True))
    rated = of_office.filter(number__lt=fact.number, kind="rated", subject__in=taken_back)
    renamed = later.filter(kind__in=("merged", "parted"))
    return (renamed | behind).exists() or rated.exists() or noted_later(federation, fact)


def noted_later(federation: Federation, fact: facts.Fact) -> bool:
    """Whether play rated above a list's line, but after it in the order, may give notes to earlier facts."""
    ruleset = federation.ruleset
    above = Fact.objects.filter(federation=federation).in_force(fact.number)
    return bool(ruleset.journal.annotate) and above.filter(order__gt=ruleset.journal.order_key(fact)).exists()


def state_of_list(federation: Federation, fact: facts.Fact) -> State[Any]:
    """The state to draw a list up from: folded from the lines above it, without play after its day."""
    ruleset = federation.ruleset
    above = journal.resolve(journal.read_journal(islice(sealed_lines(federation), fact.number)))
    here = ruleset.journal.order_key(fact)
    state: State[Any] = State()
    for _step in ruleset.fold(
        ruleset.journal_order(each for each in above if ruleset.journal.order_key(each) <= here), state
    ):
        pass
    return state
