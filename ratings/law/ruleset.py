"""A federation's regulations over time, and the fold that runs them over a journal's facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Any, Protocol, TypeVar

from ratings.law.facts import Change, Fact, Needs, Outcome, PlayerId, RatedSection, Section, Standing, State
from ratings.law.order import by_order_of_play, by_rating_order
from ratings.law.parameters import Parameters
from ratings.law.reports import (
    Answer,
    Counts,
    Extract,
    Finding,
    Level,
    ListedPlayer,
    RuleTable,
    Working,
    WorkingStep,
)

S = TypeVar("S", bound=Standing)

CONTEXT = Context(prec=34, rounding=ROUND_HALF_UP)
"""D-4: decimal arithmetic of 34 significant digits, half up, the same anywhere."""
SIXTEEN = Decimal(1).scaleb(-16)


@dataclass(frozen=True, slots=True)
class Arbiter:
    """An arbiter of the event, as its region names them."""

    name: str
    title: str = ""
    id: str = ""
    in_register: bool = False
    """Whether the id is a number of the federation's own register."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player as the file and the register together describe them."""

    player: PlayerId
    surname: str
    first_name: str = ""
    birth: str = ""
    """`2010-05-03` or `2010`, as precise as is known."""
    sex: str = ""
    nation: str = ""
    """Three letters; empty where not known."""
    fide_id: str = ""
    handle: str = ""
    new: bool = False
    """Whether the player is not in the register yet."""
    decided: bool = True
    """Whether it is settled who of the register this is."""
    section: str = ""

    @property
    def name(self) -> str:
        return ", ".join(filter(None, (self.surname, self.first_name)))


@dataclass(frozen=True, slots=True)
class Filing:
    """Further matter for acceptance beside the section: days, people, permissions and waivers."""

    registered: date | None = None
    filed: date | None = None
    """The day of the first file that could be read."""
    event_starts: date | None = None
    event_ends: date | None = None
    round_dates: tuple[date | None, ...] = ()
    region: str = ""
    """The code of the host region."""
    by_region: bool | None = None
    """Whether an administrator of the host region sent the newest file; None: the sender is not known."""
    organizer: str = ""
    arbiters: tuple[Arbiter, ...] = ()
    """The arbiters in order of appointment, the chief arbiter first."""
    entrants: tuple[Entrant, ...] = ()
    elsewhere: tuple[Entrant, ...] = ()
    """Players of the event's other sections."""
    said: Mapping[str, Any] = field(default_factory=dict)
    """The answers to the ruleset's `filing_fields`, by name."""
    deadlines_held: bool = True
    """Whether the office holds people to deadlines; if not, lateness is noted but blocks nothing."""
    particulars_held: bool = True
    """Whether the office insists on full particulars; if not, missing ones are only noted."""
    permissions: frozenset[str] = frozenset()
    """Clauses under which the office gave permission (csa: `18`)."""
    particulars: Mapping[PlayerId, Any] = field(default_factory=dict)
    """Register particulars of those entrants who are in the register already."""
    membership: date | None = None
    """The day from which rules on membership hold; None: not introduced."""
    declared: Section | None = None
    """The section as it was declared when it was first decided on; None: no such decision is recorded."""
    declared_on: date | None = None
    """The day of that first decision."""

    def late(self) -> Level:
        """The level of a finding about lateness."""
        return Level.WAIVABLE if self.deadlines_held else Level.NOTICE

    def incomplete(self, level: Level = Level.WAIVABLE) -> Level:
        """The level of a finding about something missing, or not said by the right person."""
        return level if self.particulars_held else Level.NOTICE

    def name_of(self, player: PlayerId) -> str:
        """The name of an entrant; the id where there is no such entrant."""
        return next((entrant.name for entrant in self.entrants if entrant.player == player), player)


class Rules(Protocol[S]):
    """The functions of one edition, a module."""

    def check(self, section: Section, filing: Filing) -> list[Finding]:
        """Check whether a section may be rated: every finding, each with its clause."""

    def needs(self, fact: Fact) -> frozenset[PlayerId] | Needs:
        """The players whose standings `apply` may read."""

    def apply(self, state: State[S], fact: Fact) -> Outcome[S]:
        """Apply a fact to the state, purely: return the standings that it moved."""

    def explain(self, state: State[S], fact: Fact, player: PlayerId, track: str) -> Working:
        """Explain one change, by the same functions on the state before the fact."""

    def performances(self, state: State[S], fact: RatedSection, track: str) -> Mapping[PlayerId, Decimal]:
        """The performance of each entrant of a section, as a rating; empty where the rules have none."""

    def rating_list(self, state: State[S], track: str, on: date) -> list[ListedPlayer]:
        """The rating list of a day, best first."""

    def answers(self, state: State[S], on: date) -> Iterable[Answer]:
        """The answers of a replay, in any order."""

    def tables(self, state: State[S], on: date) -> list[RuleTable]:
        """Further tables that the rules yield for a day."""


@dataclass(frozen=True, slots=True)
class Edition:
    """One enacted text, and the first day of the events to which it applies."""

    in_force: date
    name: str
    rules: Any
    """A module or object that satisfies `Rules`."""
    parameters: Parameters = ()
    """The edition's numbers, by name and clause."""
    clauses: Mapping[str, str] = field(default_factory=dict)
    """All clauses of an edition that words or numbers any otherwise than the ruleset; else empty."""


@dataclass(frozen=True, slots=True)
class Track:
    """One of a player's ratings."""

    code: str
    name: str
    group: str = ""
    """The name under which tracks are shown together (`Over the board`)."""


@dataclass(frozen=True, slots=True)
class Choice:
    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Field:
    """A field that this ruleset's sections and forms have beside the common ones."""

    name: str
    """The attribute of `Section` (`platform`, `time_controls`, `disabled`, `status` …)."""
    label: str
    kind: str
    """`choice`, `time_controls`, `flag`, `text`, `whole`, `day`."""
    clause: str = ""
    help: str = ""
    choices: tuple[Choice, ...] = ()
    required: bool = True
    default: str = ""
    only_with: tuple[str, str] | None = None
    """Name and value of another field, beside which alone this one is allowed (`("status", "special")`)."""


@dataclass(frozen=True, slots=True, eq=False)
class Ruleset:
    """A federation's regulations, as data that hold in every edition; compared by identity."""

    slug: str
    name: str
    country: str
    """The federation's own country, and that of a section which names none."""
    tracks: tuple[Track, ...]
    editions: tuple[Edition, ...]
    """The editions in order of their days."""
    clauses: Mapping[str, str]
    """Each clause in our own words; `clauses_of` gives those of one edition."""
    messages: Mapping[str, str]
    """The words of steps, findings and tables by key, with named places: `{white} − {black}`."""
    load: Callable[[str, str], Any]
    """Make a standing of `(track, text)`, the text as `dump` wrote it."""
    dump: Callable[[Any], str]
    questions: Mapping[str, str] = field(default_factory=dict)
    """Questions that the text leaves open, by the clause (`D-…`) that says how it is read."""
    load_wide: Callable[[str], Any] | None = None
    """Make the federation-wide part of the state of the text that `dump_wide` wrote; None: there is none."""
    dump_wide: Callable[[Any], str] = lambda wide: ""
    order_key: Callable[[Fact], int] = by_rating_order
    annotate: Callable[[list[Fact]], list[Fact]] | None = None
    """Add notes that depend on the order, to facts already sorted; None: there are no such notes."""
    folds: frozenset[str] = frozenset({"rated", "list", "opening"})
    """The kinds of journal lines that are folded."""
    reads: frozenset[str] = frozenset()
    """Optional keys of the journal that this ruleset reads: `included_by` of a player, `rating`, `pre`,
    `women` of an entry, `excused` of a game. Keys that are not read are not published.
    """
    asks: frozenset[str] = frozenset()
    """Particulars that the office's register and forms ask for, and no journal holds: `sex`, `born`."""
    kept_decimals: int = 16
    """The decimals of a rating in the state (D-4), and the most of an opening."""
    pre_values: tuple[int, ...] = ()
    """The pre-ratings that an entry may state; none: this ruleset knows no pre-ratings."""
    pre_rating: Callable[[int | None, str | None, Section], int] | None = None
    """`(year of birth, sex, section)`: the pre-rating that the office states for an entrant, from its
    register (None: not known); None: this ruleset knows no pre-ratings.
    """
    pre_until_games: int = 20
    """A pre-rating is stated for players with fewer counted games than this in a track of the section."""
    women_play_in: frozenset[str] = frozenset()
    """The `status` of sections in which an entry may say `women`."""
    places_needed: bool = False
    """Whether every entry must have its final place."""
    many_games_a_round: bool = False
    """Whether a player may play twice in a round (replays, short matches)."""
    tie_breaks: tuple[str, ...] = ()
    """Further columns of an entry that broke ties and are shown: `discs`."""
    ranks: tuple[str, ...] = ()
    """The sports ranks that an official confirms, lowest first."""
    fields: tuple[Field, ...] = ()
    admission: Callable[[Section, Filing], list[Finding]] | None = None
    """Check a section before play, where the rules want a first decision then; else None."""
    membership: str = ""
    """The clause in force from the day on which the office introduced membership; empty: none."""
    formats: tuple[str, ...] = ()
    """The formats that the federation rates, out of `facts.FORMATS`."""
    decimals: int = 0
    """The decimals with which a rating is shown."""
    sides: tuple[str, str] = ("first", "second")
    """The names of the first and the second mover (`white`, `black`)."""
    time_zone: str = "UTC"
    rateable: Callable[[Section], Finding | None] = lambda section: None
    """The reason why a section can never be rated, whatever the office decides; None where it can."""
    tracks_of: Callable[[Section], tuple[str, ...]] = lambda section: ()
    """The tracks that a section updates."""
    held: Callable[[State[Any], PlayerId, date], tuple[WorkingStep, ...]] = lambda state, player, on: ()
    """A player's holdings beside ratings (a rank), from a state of that player alone."""
    extract: Callable[[State[Any], PlayerId, date], Extract | None] | None = None
    """The certificate of a player for a day, from the state of that day; None: the rules know none."""
    collected: Callable[[Iterable[tuple[int, Any]]], RuleTable | None] | None = None
    """Part by part, the material of a rating still being formed, before a fact: from the lines of the
    player's earlier facts in the track and the standing after each, newest first; None: no rating takes
    several.
    """
    counts: Callable[[State[Any], PlayerId, str, date], Counts | None] = lambda state, player, track, on: None
    """The results that count for a player's rating on a day, from a state of that player alone."""
    days_of_change: Callable[[Any, date, date], list[date]] | None = None
    """`(wide, first, last)`: the days from first to last on which the calendar alone moves ratings, by the
    federation-wide part of the state; None: it never does.
    """
    waits_for_list: bool = False
    """Whether a section's effect enters the rating in force only with the next list."""
    rating_on: Callable[[Any, Any, date], Decimal | None] | None = None
    """`(standing, wide, day)`: one player's rating, as in `Rules.answers`, when asked for many days; None:
    ask for each day.
    """

    @property
    def in_order_of_play(self) -> bool:
        """Whether sections are folded in the order of play, and a list stops at its day (D-1)."""
        return self.order_key is by_order_of_play

    @property
    def newest(self) -> Edition:
        """The edition that forms and pages cite where they speak of no day."""
        return self.editions[-1]

    def clauses_of(self, edition: Edition) -> Mapping[str, str]:
        """Each clause of an edition in our own words."""
        return edition.clauses or self.clauses

    def place_of(self, clause: str, edition: Edition) -> str:
        """The anchor of an edition's clause on the page of the regulations: the plain one for the newest
        words of a number, for earlier ones that of the day until which they held.
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
        """The facts in the order in which they are folded, annotated (D-1)."""
        ordered = sorted(facts, key=self.order_key)
        return self.annotate(ordered) if self.annotate else ordered

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
