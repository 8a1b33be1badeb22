"""Draws up the content of a list from the journal as it stood when the list was published (D-2).

Later un-ratings, merges and sections played earlier never change it, whether the list is drawn up in that
hour or, in an office made from a journal, years later.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
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


class DrawnRows:
    """The rows of a drawn list, kept by column, in a fifth of the memory that tuples take: a past that moves
    in waits with those of all its lists until it is written.
    """

    __slots__ = ("games", "players", "ranks", "ratings", "status_names", "statuses")

    def __init__(self, rows: Sequence[ListedPlayer]) -> None:
        self.ranks = array("I", (row.rank for row in rows))
        self.players = [row.player for row in rows]
        self.ratings = [row.rating for row in rows]
        self.games = array("I", (row.games for row in rows))
        self.status_names = sorted({row.status for row in rows})
        number = {name: place for place, name in enumerate(self.status_names)}
        self.statuses = array("H", (number[row.status] for row in rows))

    def __len__(self) -> int:
        return len(self.players)

    def __iter__(self) -> Iterator[ListedPlayer]:
        statuses = map(self.status_names.__getitem__, self.statuses)
        return map(ListedPlayer, self.ranks, self.players, self.ratings, self.games, statuses)


def drawn_up(ruleset: Ruleset, fact: facts.Fact, state: State[Any]) -> dict[str, list[ListedPlayer]]:
    """The rows of the lists that a closing publishes, by track, without empty lists; none for other facts.
    Nobody is on the list of a track in which nobody has a standing.
    """
    closing, rules = closing_of(fact), ruleset.rules_for(fact)
    if closing is None:
        return {}
    with localcontext(CONTEXT):
        played = {track for _player, track in state.standings}
        found = (
            (track.code, rules.rating_list(state, track.code, closing.on))
            for track in ruleset.tracks
            if track.code in played
        )
        return {track: rows for track, rows in found if rows}


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
