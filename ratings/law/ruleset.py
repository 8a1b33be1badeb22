"""A federation's regulations over time, and the fold that runs them over a journal's facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Any, Protocol, TypeVar

from ratings.law.facts import Change, Fact, Needs, Outcome, PlayerId, RatedSection, Section, Standing, State
from ratings.law.filing_particulars import Filing
from ratings.law.fold_order import by_order_of_play
from ratings.law.parameters import Parameters
from ratings.law.rule_outputs import Answer, Finding, ListedPlayer, RuleTable, Working
from ratings.law.ruleset_hooks import (
    Calendar,
    JournalRules,
    PlayerFigures,
    PreRatings,
    SectionRules,
    Storage,
    Words,
)
from ratings.law.scoring import Scoring

S = TypeVar("S", bound=Standing)

CONTEXT = Context(prec=34, rounding=ROUND_HALF_UP)
"""D-4: decimal arithmetic of 34 significant digits, half up, the same anywhere."""
SIXTEEN = Decimal(1).scaleb(-16)


class Rules(Protocol[S]):
    """The functions that every edition gives, as a module or object of its own."""

    def check(self, section: Section, filing: Filing) -> list[Finding]:
        """Check a filed section against the regulations: every finding, each with its clause."""

    def needs(self, fact: Fact) -> frozenset[PlayerId] | Needs:
        """The players whose standings `apply` may read for a fact, so that only these are loaded."""

    def apply(self, state: State[S], fact: Fact) -> Outcome[S]:
        """Work out what a fact does to the state, which is only read: return the changes, and the
        federation-wide part after it.
        """

    def explain(self, state: State[S], fact: Fact, player: PlayerId, track: str) -> Working:
        """Explain what a fact did to a player in a track; `state` is that before the fact."""

    def performances(self, state: State[S], fact: RatedSection, track: str) -> Mapping[PlayerId, Decimal]:
        """The performance of each entrant of a section in a track, as a rating; empty where the rules know no
        performance. `state` has at least that track's standings.
        """

    def rating_list(self, state: State[S], track: str, on: date) -> list[ListedPlayer]:
        """The rating list of a day, best first."""

    def answers(self, state: State[S], on: date) -> Iterable[Answer]:
        """The answers that a replay gives for a day, one for each player and track, in any order."""

    def tables(self, state: State[S], on: date) -> list[RuleTable]:
        """The further tables that the rules yield for a day: ranks, season standings, coefficients."""


@dataclass(frozen=True, slots=True)
class Edition:
    """The regulations as they hold for events from a day on: one enacted text."""

    in_force: date
    name: str
    rules: Any
    """The edition's functions: a module or object that satisfies `Rules`."""
    parameters: Parameters = ()
    """The edition's numbers, by name and clause."""
    clauses: Mapping[str, str] = field(default_factory=dict)
    """All clauses of an edition that words or numbers any otherwise than the ruleset; else empty."""
    scoring: Scoring = field(default_factory=Scoring)
    """The worth of games and byes in a section's score, where places or pages go by it."""


@dataclass(frozen=True, slots=True)
class Track:
    """One of the ratings that a federation keeps of each player."""

    code: str
    name: str
    group: str = ""
    """The name under which tracks are shown together (`Over the board`)."""


@dataclass(frozen=True, slots=True, eq=False)
class Ruleset:
    """A federation's regulations, as data that hold in every edition; compared by identity."""

    # what every federation gives
    slug: str
    name: str
    country: str
    """The federation's own country, and that of a section which names none."""
    tracks: tuple[Track, ...]
    editions: tuple[Edition, ...]
    """The editions in order of their days."""
    words: Words
    storage: Storage
    sections: SectionRules
    # what some have beside it
    journal: JournalRules = field(default_factory=JournalRules)
    pre_ratings: PreRatings | None = None
    """The pre-ratings that the office states; None: this ruleset knows none."""
    calendar: Calendar = field(default_factory=Calendar)
    figures: PlayerFigures = field(default_factory=PlayerFigures)

    @property
    def in_order_of_play(self) -> bool:
        """Whether sections are folded in the order of play, and a list stops at its day (D-1)."""
        return self.journal.order_key is by_order_of_play

    @property
    def newest(self) -> Edition:
        """The edition that forms and pages cite where they speak of no day."""
        return self.editions[-1]

    def clauses_of(self, edition: Edition) -> Mapping[str, str]:
        """Each clause of an edition in our own words."""
        return edition.clauses or self.words.clauses

    def place_of(self, clause: str, edition: Edition) -> str:
        """The anchor of an edition's clause on the page of the regulations: a plain one for a number's newest
        words, one with the day until which they held for earlier words.
        """
        said = self.clauses_of(edition).get(clause)
        if said is None or said == self.clauses_of(self.newest).get(clause):
            return f"clause-{clause}"
        following = next(each for each in self.editions if each.in_force > edition.in_force)
        return f"clause-{clause}-before-{following.in_force}"

    def edition_on(self, day: date) -> Edition:
        """The edition for an event that begins on that day; LookupError before the first (never a guess)."""
        for edition in reversed(self.editions):
            if edition.in_force <= day:
                return edition
        raise LookupError(f"{self.slug}: no regulations in force on {day}")

    def rules_for(self, fact: Fact) -> Rules[Any]:
        """The rules under which a fact is folded: a section's by the day on which it began (D-9)."""
        rules: Rules[Any] = self.edition_for(fact).rules
        return rules

    def edition_for(self, fact: Fact) -> Edition:
        if isinstance(fact, RatedSection):
            return self.edition_on(fact.section.starts)
        return self.edition_of_day(getattr(fact.fact, "on", None))

    def edition_of_day(self, day: date | None) -> Edition:
        """The edition in force on a day; for an earlier day or None, the first."""
        return self.edition_on(day) if day and day >= self.editions[0].in_force else self.editions[0]

    def rules_on(self, day: date) -> Rules[Any]:
        """The rules in force on a day; before the first edition, the first."""
        rules: Rules[Any] = self.edition_of_day(day).rules
        return rules

    def journal_order(self, facts: Iterable[Fact]) -> list[Fact]:
        """Sort facts into the order in which they are folded, and add the ruleset's notes on that order
        (D-1).
        """
        ordered = sorted(facts, key=self.journal.order_key)
        return self.journal.annotate(ordered) if self.journal.annotate else ordered

    def apply(self, state: State[Any], fact: Fact) -> Outcome[Any]:
        """Apply one fact, under the edition in force for it, in the one arithmetic context."""
        with localcontext(CONTEXT):
            return self.rules_for(fact).apply(state, fact)

    def fold(
        self, facts: Sequence[Fact], state: State[Any] | None = None
    ) -> Iterator[tuple[Fact, list[Change[Any]], State[Any]]]:
        """Apply facts that stand in journal order; after each, yield the fact, its changes and the state so
        far.

        The state is one object that the fold advances; copy it to keep an earlier one.
        """
        state = State() if state is None else state
        with localcontext(CONTEXT):
            for fact in facts:
                outcome = self.rules_for(fact).apply(state, fact)
                state.absorb(outcome)
                yield fact, outcome.changes, state
