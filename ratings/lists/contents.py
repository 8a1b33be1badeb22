"""What a list says: drawn up from the journal as it stood when the list was published (D-2).

What was un-rated, merged or rated into an earlier place since does not touch a published list, be it drawn up
in that hour or, in an office made from a journal, years later.
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
from ratings.law.reports import Row
from ratings.law.ruleset import CONTEXT, Ruleset


def closing_of(fact: facts.Fact) -> ListClosing | None:
    """The closing of a list, if the fact is one."""
    return fact.fact if isinstance(fact, Placed) and isinstance(fact.fact, ListClosing) else None


def drawn_up(ruleset: Ruleset, fact: facts.Fact, state: State[Any]) -> dict[str, list[Row]]:
    """The list that a closing publishes of each track in which somebody stands."""
    closing, rules = closing_of(fact), ruleset.rules_for(fact)
    if closing is None:
        return {}
    with localcontext(CONTEXT):
        found = {track.code: rules.rating_list(state, track.code, closing.on) for track in ruleset.tracks}
    return {track: rows for track, rows in found.items() if rows}


def moved_since(federation: Federation, fact: facts.Fact) -> bool:
    """Whether a later line reaches back behind this one: rates, merges, takes back what was rated, or is
    noted on what stood before it.
    """
    ruleset, of_office = federation.ruleset, Fact.objects.filter(federation=federation)
    later = of_office.filter(number__gt=fact.number)
    behind = (
        later.filter(order__isnull=False)
        if ruleset.annotate
        else later.filter(order__lt=ruleset.order_key(fact))
    )
    taken_back = list(later.filter(kind="unrated").values_list("subject", flat=True))
    rated = of_office.filter(number__lt=fact.number, kind="rated", subject__in=taken_back)
    renamed = later.filter(kind__in=("merged", "parted"))
    return (renamed | behind).exists() or rated.exists() or noted_later(federation, fact)


def noted_later(federation: Federation, fact: facts.Fact) -> bool:
    """Whether the ruleset may note something on what stands before a list because of what was rated above it
    and played after its day.
    """
    ruleset = federation.ruleset
    above = Fact.objects.filter(federation=federation).in_force(fact.number)
    return bool(ruleset.annotate) and above.filter(order__gt=ruleset.order_key(fact)).exists()


def state_of_list(federation: Federation, fact: facts.Fact) -> State[Any]:
    """What a list is drawn up from: the lines above it, as if nothing were played after its day."""
    ruleset = federation.ruleset
    above = journal.resolve(journal.read_journal(islice(sealed_lines(federation), fact.number)))
    here = ruleset.order_key(fact)
    state: State[Any] = State()
    for _step in ruleset.fold(
        ruleset.journal_order(each for each in above if ruleset.order_key(each) <= here), state
    ):
        pass
    return state
