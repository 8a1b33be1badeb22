"""A federation's regulations over time, and the fold that applies them to a journal's facts."""

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from importlib import import_module
from operator import attrgetter
from typing import Any, Protocol, TypeVar, cast

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
    Measured,
    Needs,
    Outcome,
    PlayerId,
    RatedSection,
    RuleTable,
    Scoring,
    Section,
    Standing,
    State,
    Value,
    Working,
    WorkingStep,
    by_order_of_play,
    rating_order_key,
)
from ratings.rulesets.parameters import Parameter, Parameters, in_force, load_rules
from ratings.rulesets.readings import Amendment


# ---- The parts of a ruleset
@dataclass(frozen=True, slots=True)
class Words:
    """The words for a ruleset's clauses, results and open questions."""

    clauses: Mapping[str, str]
    """Each clause in our own words; `Ruleset.clauses_of` gives those of one edition."""
    messages: Mapping[str, str]
    """The words of steps, findings and tables by key, with named placeholders: `{white} − {black}`."""
    questions: Mapping[str, str] = field(default_factory=dict)
    """Questions that the text leaves open, by the id of the reading (`D-…`) that answers each."""


@dataclass(frozen=True, slots=True)
class Storage:
    """The text form in which a database keeps the state; equal states have equal text."""

    load: Callable[[str, str], Any]
    """Returns the standing for a track and the text that `dump` returned."""
    dump: Callable[[Any], str]
    """Returns a standing as text."""
    load_wide: Callable[[str], Any] | None = None
    """Returns the state's federation-wide part for the text of `dump_wide`; None if there is no such part."""
    dump_wide: Callable[[Any], str] = lambda wide: ""
    kept_decimals: int = 16
    """The decimals of a rating in the state (D-4), and the most of an opening."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement of acceptance, as the list before play shows it."""

    clauses: tuple[str, ...]
    """The clauses whose findings say that it is not met; the first is shown."""
    before_play: bool = True
    """Whether it can be checked before play, without games or players."""
    reads: tuple[str, ...] = ()
    """Fields without which it cannot be checked, where no finding says that they are missing."""


@dataclass(frozen=True, slots=True)
class SectionRules:
    """The sections that a federation rates: their requirements, and the ratings that they change."""

    # what every federation gives
    formats: tuple[str, ...]
    """The formats that the federation rates, out of `facts.FORMATS`."""
    tracks_of: Callable[[Section], tuple[str, ...]]
    """Returns the tracks whose ratings a section changes."""
    # what some have beside it
    fields: tuple[Field, ...] = ()
    """The fields of a section that rules read beside the common ones; the journal has them."""
    find_unrateable_reason: Callable[[Section], Finding | None] = lambda section: None
    """Returns the reason why a section can never be rated, whatever the office decides, or None."""
    admission: Callable[[Section, Filing], list[Finding]] | None = None
    """Checks a section before play, where the rules require a decision then; else None."""
    deadlines: Callable[[Section, Filing], list[Deadline]] | None = None
    """Returns the days by which something about a section must be done. It reads particulars and days, never
    entries or games. None if the regulations name no such day.
    """
    requirements: tuple[Requirement, ...] = ()
    """The requirements of acceptance, in the order of the list before play."""
    places_needed: bool = False
    """Whether every entry must have its final place."""
    many_games_a_round: bool = False
    """Whether a player may play twice in a round (replays, short matches)."""
    women_play_in: frozenset[str] = frozenset()
    """The `status` of sections in which an entry may have `women`."""


@dataclass(frozen=True, slots=True)
class JournalRules:
    """How the journal is read: the lines that are folded, their order, and their optional keys."""

    folds: frozenset[str] = frozenset({"rated", "list", "opening"})
    """The kinds of journal lines that are folded."""
    reads: frozenset[str] = frozenset()
    """Optional keys of the journal that this ruleset reads: `included_by` of a player, `rating`, `pre`,
    `women` of an entry, `excused` of a game. Keys that are not read are not published.
    """
    order_key: Callable[[Fact], int] = rating_order_key
    """Returns the sort key of a fact in the fold (D-1)."""
    notes_of: Callable[[Iterable[Fact]], Mapping[int, tuple[str, ...]]] | None = None
    """Returns the notes that depend on the order of sorted facts, by the line of a section that has any; None
    if there are none.
    """
    counts_from: str = "D-1"
    """The clause or reading that says from which day a rated section counts."""
    ranks: tuple[str, ...] = ()
    """The sports ranks that an official confirms, lowest first."""
    no_rank: str = ""
    """What lists say of who has none."""


@dataclass(frozen=True, slots=True)
class PreRatings:
    """The ratings that the office states for entrants who have none yet."""

    values: tuple[int, ...]
    """The pre-ratings that an entry may state."""
    of: Callable[[int | None, str | None, Section], int]
    """Returns the pre-rating for a year of birth, a sex (None if not known) and a section."""
    until_games: int = 20
    """The number of counted games, in any of a section's tracks, from which no pre-rating is stated."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """How a rating in force changes on days without play."""

    waits_for_list: bool = False
    """Whether a section's effect enters the rating in force only with the next list."""
    days_of_change: Callable[[Any, date, date], list[date]] | None = None
    """Returns, for the state's federation-wide part, the days from a first to a last one on which the
    calendar alone changes ratings; None if it never does.
    """
    rating_on: Callable[[Any, Any, date], Decimal | None] | None = None
    """Returns the rating for a standing, the federation-wide part and a day, as `Rules.answers` does, but
    quickly for many days; None if it cannot.
    """


@dataclass(frozen=True, slots=True)
class PlayerFigures:
    """Further results of the rules for one player, as functions of a state with that player alone."""

    held: Callable[[State[Any], PlayerId, date], tuple[WorkingStep, ...]] = lambda state, player, on: ()
    """Returns what a player holds beside ratings on a day (a rank), as steps."""
    listed: Callable[[State[Any], PlayerId, str, date], tuple[WorkingStep, ...]] = (
        lambda state, player, track, on: ()
    )
    """Returns what keeps a player on a track's list on a day, or is missing for it, as steps."""
    initial: Decimal | None = None
    """The rating with which newcomers are rated in their first section; None if it has no such number."""
    activity: Callable[[State[Any], PlayerId, str], WorkingStep | None] = lambda state, player, track: None
    """Returns, as a step, what counts as a player's activity in a track, if the rules count it; else None."""
    uncounted: WorkingStep | None = None
    """The step that says which games, though played in a rated section, do not count for a rating."""
    expected: Callable[[Decimal, Decimal, bool], Decimal] | None = None
    """Returns the expected score for the own rating, the opponent's and whether one moves first; None if
    there is none, or ratings change within a section.
    """
    counts: Callable[[State[Any], PlayerId, str, date], Counts | None] = lambda state, player, track, on: None
    """Returns the results that count for a player's rating in a track on a day, or None."""
    class_width: Decimal = Decimal(200)
    """The width of the classes of ratings in which predictions are measured; half of it is that of
    differences.
    """
    collected: Callable[[Working, Iterable[tuple[int, Any]]], RuleTable | None] | None = None
    """Returns a table of what earlier sections contributed to what a working takes up (games towards a rating
    not complete yet, points that wait for a list), for the lines of the player's earlier facts in the track
    with the standing after each, newest first. None if no rating takes several sections.
    """
    extract: Callable[[State[Any], PlayerId, date], Extract | None] | None = None
    """Returns a player's certificate for a day; None if the rules have none."""


S = TypeVar("S", bound=Standing)
F = TypeVar("F", bound=Callable[..., Any])

CONTEXT = Context(prec=34, rounding=ROUND_HALF_UP)
"""D-4: decimal arithmetic of 34 significant digits, half up, the same anywhere."""
SIXTEEN_DECIMALS = Decimal(1).scaleb(-16)


class Rules(Protocol[S]):
    """The functions that every edition has, as a module or object."""

    def check(self, section: Section, filing: Filing) -> list[Finding]:
        """Check a filed section against the regulations."""

    def needs(self, fact: Fact) -> frozenset[PlayerId] | Needs:
        """The players whose standings `apply` may read for a fact, so that only these are loaded."""

    def apply(self, state: State[S], fact: Fact) -> Outcome[S]:
        """Compute the effect of a fact on the state, without changing the state."""

    def explain(self, state: State[S], fact: Fact, player: PlayerId, track: str) -> Working:
        """Explain the effect of a fact on a player in a track; `state` is that before the fact."""

    def compute_performances(
        self, state: State[S], fact: RatedSection, track: str
    ) -> Mapping[PlayerId, Decimal]:
        """The performance rating of each entrant of a section in a track; empty where the rules have none.
        `state` has at least that track's standings.
        """

    def measure(self, state: State[S], fact: Fact, changes: Sequence[Change[S]]) -> Iterable[Measured]:
        """What a fact shows of these rules in each track (`ratings.lab`): what they expected of its games,
        and the points that it made or took. `state` is that before the fact, `changes` are what it changed.
        An edition may be without it.
        """

    def rating_list(self, state: State[S], track: str, on: date) -> list[ListedPlayer]:
        """The rating list of a day, best first."""

    def answers(self, state: State[S], on: date) -> Iterable[Answer]:
        """The answers that a replay gives for a day, one for each player and track, in any order."""

    def tables(self, state: State[S], on: date) -> list[RuleTable]:
        """The further tables that the rules yield for a day: ranks, season standings, coefficients."""


@dataclass(frozen=True, slots=True)
class Edition:
    """The regulations for events from a day on: one enacted text."""

    in_force: date
    name: str
    rules: Any
    """A module or object that satisfies `Rules`."""
    parameters: Parameters = ()
    """The numbers with their values up to its day; `enact` leaves out what comes later."""
    clauses: Mapping[str, str] = field(default_factory=dict)
    """All clauses of an edition with words or numbers other than the ruleset's; else empty."""
    scoring: Scoring = field(default_factory=Scoring)
    """The points of games and byes in a section's score."""


def enact(
    editions: Iterable[Edition], clauses: Mapping[str, str], amendments: Iterable[Amendment]
) -> tuple[Edition, ...]:
    """All editions in order of their days, an amendment being one with its new words and numbers.

    Each has the numbers of its day out of the table of parameters that it is given, and rules that read them.
    `clauses`: the words of editions that have none of their own. Raises ValueError for a number that changes
    on a day without edition or amendment.
    """
    enacted: list[Edition] = []
    table: Parameters = ()
    days: list[Edition | Amendment] = sorted((*editions, *amendments), key=attrgetter("in_force"))
    for each in days:
        if isinstance(each, Edition):
            edition, table = each, each.parameters
        else:
            words = {**(enacted[-1].clauses or clauses), **each.clauses}
            edition = replace(enacted[-1], in_force=each.in_force, name=each.name, clauses=words)
        enacted.append(with_parameters(edition, in_force(table, edition.in_force), in_force(table)))
    changes = {day for each in table for day in each.days}
    if strange := sorted(changes - {each.in_force for each in enacted}):
        raise ValueError(f"numbers change on {strange[0]}, and no edition or amendment begins on that day")
    return tuple(enacted)


def with_parameters(
    edition: Edition, parameters: Parameters, known: Parameters, replaced: Mapping[str, str] | None = None
) -> Edition:
    """The edition with other numbers; its rules are loaded again unless these are `known` to them.
    `replaced`: sources of rules, as for `load_rules`.
    """
    if parameters == known and not replaced:
        return replace(edition, parameters=parameters)
    return replace(edition, rules=load_rules(edition.rules, parameters, replaced), parameters=parameters)


def in_edition(edition: Edition, function: F) -> F:
    """What stands in an edition's rules for a function of the first one, which has other numbers."""
    module = function.__module__.partition(".edition_")[2].partition(".")[2]
    own: F = attrgetter(f"{module}.{function.__name__}".lstrip("."))(edition.rules)
    return own


def of_day(editions: Sequence[Edition], function: F, argument: int = -1) -> F:
    """A function of the first edition's rules as it is in the edition in force: on the day, or for the
    section, that is its argument at a place.
    """
    functions = [(each.in_force, in_edition(each, function)) for each in editions]
    first = functions[0][1]
    if all(each is first for _day, each in functions):
        return first
    functions.reverse()

    def call(*arguments: Any) -> Any:
        subject = arguments[argument]
        section = subject.section if isinstance(subject, RatedSection) else subject
        day = section.starts if isinstance(section, Section) else section
        return next((each for since, each in functions if since <= day), first)(*arguments)

    return cast(F, call)


@dataclass(frozen=True, slots=True)
class Track:
    """One of the ratings that a federation keeps of each player."""

    code: str
    name: str
    group: str = ""
    """The name under which tracks are shown together (`Over the board`)."""


@dataclass(frozen=True, slots=True, eq=False)
class Ruleset:
    """A federation's regulations; compared by identity."""

    # what every federation gives
    slug: str
    name: str
    country: str
    """The federation's country, and that of sections which name none."""
    tracks: tuple[Track, ...]
    editions: tuple[Edition, ...]
    """The editions in order of their days."""
    words: Words
    storage: Storage
    sections: SectionRules
    # what some have beside it
    journal: JournalRules = field(default_factory=JournalRules)
    pre_ratings: PreRatings | None = None
    calendar: Calendar = field(default_factory=Calendar)
    figures: PlayerFigures = field(default_factory=PlayerFigures)

    def with_editions(self, editions: tuple[Edition, ...]) -> "Ruleset":
        """The same regulations with other editions: those that `build` beside RULESET makes of them, if its
        parts depend on them.
        """
        build: Callable[[tuple[Edition, ...]], Ruleset] | None
        build = getattr(import_module(f"ratings.rulesets.{self.slug}"), "build", None)
        return build(editions) if build else replace(self, editions=editions)

    @property
    def in_order_of_play(self) -> bool:
        """Whether sections are folded in the order of play, and a list stops at its day (D-1)."""
        return self.journal.order_key is by_order_of_play

    @property
    def newest(self) -> Edition:
        """The last edition, in force or to come."""
        return self.editions[-1]

    def clauses_of(self, edition: Edition) -> Mapping[str, str]:
        """Each clause of an edition in our own words."""
        return edition.clauses or self.words.clauses

    def numbers_of(self, edition: Edition) -> dict[str, Value]:
        """The numbers of an edition that messages have places for, by the place's name."""
        numbers: dict[str, Value] = {"kept_decimals": self.storage.kept_decimals}
        for each in edition.parameters:
            if isinstance(each, Parameter) and each.name:
                numbers[each.name] = each.value
        return numbers

    def clause_anchor(self, clause: str, edition: Edition) -> str:
        """The anchor of an edition's clause on the page of the regulations; it has the day until which the
        words held, if the newest edition has others.
        """
        words = self.clauses_of(edition).get(clause)
        if words is None or words == self.clauses_of(self.newest).get(clause):
            return f"clause-{clause}"
        other = next(
            each
            for each in self.editions
            if each.in_force > edition.in_force and self.clauses_of(each).get(clause) != words
        )
        return f"clause-{clause}-before-{other.in_force}"

    def edition_on(self, day: date) -> Edition:
        """The edition for an event that begins on a day. Raises LookupError before the first edition."""
        for edition in reversed(self.editions):
            if edition.in_force <= day:
                return edition
        raise LookupError(f"{self.slug}: no regulations in force on {day}")

    def rules_for(self, fact: Fact) -> Rules[Any]:
        """The rules under which a fact is folded; for a section, by the day on which it began (D-9)."""
        rules: Rules[Any] = self.edition_for(fact).rules
        return rules

    def edition_for(self, fact: Fact) -> Edition:
        if isinstance(fact, RatedSection):
            return self.edition_on(fact.section.starts)
        return self.edition_on_or_first(getattr(fact.fact, "on", None))

    def edition_on_or_first(self, day: date | None) -> Edition:
        """The edition in force on a day; for an earlier day or None, the first."""
        return self.edition_on(day) if day and day >= self.editions[0].in_force else self.editions[0]

    def rules_on_or_first(self, day: date) -> Rules[Any]:
        """The rules in force on a day; for an earlier day, those of the first edition."""
        rules: Rules[Any] = self.edition_on_or_first(day).rules
        return rules

    def sort_for_fold(self, facts: Iterable[Fact]) -> list[Fact]:
        """Sort facts into the order in which they are folded, and add the ruleset's notes on it (D-1)."""
        ordered = sorted(facts, key=self.journal.order_key)
        if self.journal.notes_of is None:
            return ordered
        notes = self.journal.notes_of(ordered)
        return [with_notes(fact, notes.get(fact.number, ())) for fact in ordered]

    def apply(self, state: State[Any], fact: Fact) -> Outcome[Any]:
        """Apply one fact by the edition in force for it, in the arithmetic context."""
        with localcontext(CONTEXT):
            return self.rules_for(fact).apply(state, fact)

    def fold(
        self, facts: Sequence[Fact], state: State[Any] | None = None
    ) -> Iterator[tuple[Fact, list[Change[Any]], State[Any]]]:
        """Apply facts in journal order, and after each yield the fact, its changes and the state.

        The state is one object that the fold advances; copy it to keep an earlier one.
        """
        state = State() if state is None else state
        with localcontext(CONTEXT):
            for fact in facts:
                outcome = self.rules_for(fact).apply(state, fact)
                state.absorb(outcome)
                yield fact, outcome.changes, state


def with_notes(fact: Fact, notes: tuple[str, ...]) -> Fact:
    """The fact with these notes alone, if it is a section's."""
    if not isinstance(fact, RatedSection) or fact.notes == notes:
        return fact
    return replace(fact, notes=notes)


# ---- Python's garbage collector
@contextmanager
def without_gc() -> Iterator[None]:
    """Run a block without Python's garbage collector: long folds make millions of objects and no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
