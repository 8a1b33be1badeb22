"""A federation's regulations over time, and the fold that runs them over a journal's facts.

A `Ruleset` consists of editions, tracks and parts that each speak of one matter; a federation fills those
that its regulations speak of.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Any, Protocol, TypeVar

from ratings.rulesets.facts import (
    Answer,
    Change,
    Counts,
    Deadline,
    Extract,
    Fact,
    Field,
    Filing,
    Finding,
    ListedPlayer,
    Needs,
    Outcome,
    Parameters,
    PlayerId,
    RatedSection,
    RuleTable,
    Scoring,
    Section,
    Standing,
    State,
    Working,
    WorkingStep,
    by_order_of_play,
    by_rating_order,
)


# ---- The parts of a ruleset, each for one matter; a federation fills those that its regulations speak of.
@dataclass(frozen=True, slots=True)
class Words:
    """The plain words in which a ruleset's clauses, results and open questions are told."""

    clauses: Mapping[str, str]
    """Each clause in our own words; `Ruleset.clauses_of` gives those of one edition."""
    messages: Mapping[str, str]
    """The words of steps, findings and tables by key, with named places: `{white} − {black}`."""
    questions: Mapping[str, str] = field(default_factory=dict)
    """Questions that the text leaves open, by the id of the reading (`D-…`) that answers each."""


@dataclass(frozen=True, slots=True)
class Storage:
    """The text form in which a database keeps the state; equal states have equal text."""

    load: Callable[[str, str], Any]
    """A function of track and text that makes the standing again which `dump` wrote as that text."""
    dump: Callable[[Any], str]
    """A function that writes a standing as text."""
    load_wide: Callable[[str], Any] | None = None
    """A function that makes the state's federation-wide part of the text that `dump_wide` wrote; None: the
    ruleset has no such part.
    """
    dump_wide: Callable[[Any], str] = lambda wide: ""
    kept_decimals: int = 16
    """The decimals of a rating in the state (D-4), and the most of an opening."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A thing that acceptance asks of a section, as the list before play shows it."""

    clauses: tuple[str, ...]
    """The clauses whose findings tell that it is not met; the first is shown."""
    before_play: bool = True
    """Whether it can be told before play; False: only games or players tell."""
    reads: tuple[str, ...] = ()
    """The names of fields without which nothing can be told, where no finding says that they lack."""


@dataclass(frozen=True, slots=True)
class SectionRules:
    """The sections that a federation rates: what is asked of them, and which ratings they move."""

    # what every federation gives
    formats: tuple[str, ...]
    """The formats that the federation rates, out of `facts.FORMATS`."""
    tracks_of: Callable[[Section], tuple[str, ...]]
    """A function that gives the tracks whose ratings a section moves."""
    # what some have beside it
    fields: tuple[Field, ...] = ()
    """The fields that rules read of a section beside the common ones; the journal has them."""
    rateable: Callable[[Section], Finding | None] = lambda section: None
    """A function that gives the reason why a section can never be rated, whatever the office decides; None
    where it can.
    """
    admission: Callable[[Section, Filing], list[Finding]] | None = None
    """A function that checks a section before play, where the rules want a first decision then; else None."""
    deadlines: Callable[[Section, Filing], list[Deadline]] | None = None
    """A function that gives the days by which something about a section must be done; it reads the section's
    particulars and days, never its entries or games. None: the regulations name no such day.
    """
    requirements: tuple[Requirement, ...] = ()
    """The questions of acceptance, in the order in which the list before play shows them."""
    places_needed: bool = False
    """Whether every entry must have its final place."""
    many_games_a_round: bool = False
    """Whether a player may play twice in a round (replays, short matches)."""
    women_play_in: frozenset[str] = frozenset()
    """The `status` of sections in which an entry may say `women`."""


@dataclass(frozen=True, slots=True)
class JournalRules:
    """The reading of the journal: the lines that are folded, their order, and what else they say."""

    folds: frozenset[str] = frozenset({"rated", "list", "opening"})
    """The kinds of journal lines that are folded."""
    reads: frozenset[str] = frozenset()
    """Optional keys of the journal that this ruleset reads: `included_by` of a player, `rating`, `pre`,
    `women` of an entry, `excused` of a game. Keys that are not read are not published.
    """
    order_key: Callable[[Fact], int] = by_rating_order
    """A function that gives the place of a fact in the fold, as a number to sort by (D-1)."""
    annotate: Callable[[list[Fact]], list[Fact]] | None = None
    """A function that adds notes which depend on the order to facts already sorted; None: there are none."""
    counts_from: str = "D-1"
    """The clause or reading that says from which day a rated section counts."""
    ranks: tuple[str, ...] = ()
    """The sports ranks that an official confirms, lowest first."""


@dataclass(frozen=True, slots=True)
class PreRatings:
    """The ratings that the office states for entrants who have none yet."""

    values: tuple[int, ...]
    """The pre-ratings that an entry may state."""
    of: Callable[[int | None, str | None, Section], int]
    """A function of `(year of birth, sex, section)` that gives an entrant's pre-rating, from the office's
    register (None: not known).
    """
    until_games: int = 20
    """The number of counted games, in any of a section's tracks, below which the office states an entrant's
    pre-rating.
    """


@dataclass(frozen=True, slots=True)
class Calendar:
    """The ways in which a rating in force changes on days without play."""

    waits_for_list: bool = False
    """Whether a section's effect enters the rating in force only with the next list."""
    days_of_change: Callable[[Any, date, date], list[date]] | None = None
    """A function of `(wide, first, last)` that gives the days from first to last on which the calendar alone
    moves ratings, by the federation-wide part of the state; None: it never does.
    """
    rating_on: Callable[[Any, Any, date], Decimal | None] | None = None
    """A function of `(standing, wide, day)` that gives one player's rating, as in `Rules.answers`, when asked
    for many days; None: ask for each day.
    """


@dataclass(frozen=True, slots=True)
class PlayerFigures:
    """Further results of the rules for one player, as functions of a state that holds that player alone."""

    held: Callable[[State[Any], PlayerId, date], tuple[WorkingStep, ...]] = lambda state, player, on: ()
    """A function that gives what a player holds beside ratings on a day (a rank), as steps; empty:
    nothing.
    """
    listed: Callable[[State[Any], PlayerId, str, date], tuple[WorkingStep, ...]] = (
        lambda state, player, track, on: ()
    )
    """A function that says what keeps a player on the list of a track on a day, or is missing for it, as
    steps; empty: the rules do not say.
    """
    expected: Callable[[Decimal, Decimal, bool], Decimal] | None = None
    """A function of own rating, opponent's rating and whether one moves first, that gives a game's expected
    score, where a whole section is measured at the ratings before it; None: it is not, or no score is
    expected.
    """
    counts: Callable[[State[Any], PlayerId, str, date], Counts | None] = lambda state, player, track, on: None
    """A function that gives the results that count for a player's rating in a track on a day; None: no such
    account.
    """
    collected: Callable[[Iterable[tuple[int, Any]]], RuleTable | None] | None = None
    """A function that tables what each earlier section brought towards a rating still being formed. It takes,
    newest first, the lines of the player's earlier facts in the track with the standing after each; None: no
    rating takes several sections.
    """
    extract: Callable[[State[Any], PlayerId, date], Extract | None] | None = None
    """A function that makes a player's certificate for a day; None: the rules know none."""


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


# ---- What spares long work and deep calls the costs of Python itself: its collector, and its stack.
T = TypeVar("T")

WORDS = 1 << 15
"""The words that the frame of `with_room` claims and never touches. They do not fit into what is left of a
chunk, so that a new one of 512 kB is made for it; of that all that it calls get the other half.
"""


@contextmanager
def uncollected() -> Iterator[None]:
    """Run a block without Python's garbage collector, which looks for cycles; reference counting still frees
    memory. Long folds make millions of objects and no cycles.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def with_room(work: Callable[[], T]) -> T:
    """Do work, with room in one piece for the frames of its calls: some thousand of them.

    CPython keeps the frames of a thread's calls in chunks of 16 kB. A loop that comes to run just below the
    end of one has each of its calls take a new chunk from the system, and give it back: a page with thousands
    of calls at that depth takes a fifth longer. Later releases of Python 3.13 and 3.14 keep one chunk at hand
    (gh-142183).
    """
    return work()


if sys.version_info < (3, 15):  # how a frame claims its words is the interpreter's own affair, and may change
    with_room.__code__ = with_room.__code__.replace(co_stacksize=WORDS)
