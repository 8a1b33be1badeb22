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
from ratings.law.reports import Answer, Counts, Extract, Finding, Level, Row, Step, Table, Working

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
    """A player as the file and the register together know them."""

    player: PlayerId
    surname: str
    first_name: str = ""
    birth: str = ""
    """`2010-05-03` or `2010`, as precise as anybody knows."""
    sex: str = ""
    nation: str = ""
    """Three letters, or nothing where nobody knows."""
    fide_id: str = ""
    handle: str = ""
    new: bool = False
    """Not in the register yet."""
    decided: bool = True
    """False: it is not settled yet who of the register this is."""
    section: str = ""

    @property
    def name(self) -> str:
        return ", ".join(filter(None, (self.surname, self.first_name)))


@dataclass(frozen=True, slots=True)
class Filing:
    """What acceptance reads beside the section: days, people, permissions and waivers."""

    registered: date | None = None
    filed: date | None = None
    """The day of the first file that could be read."""
    event_starts: date | None = None
    event_ends: date | None = None
    round_dates: tuple[date | None, ...] = ()
    region: str = ""
    """The code of the host region."""
    by_region: bool | None = None
    """Whether the newest file came from an administrator of the host region; None: nobody's name is on it."""
    organizer: str = ""
    arbiters: tuple[Arbiter, ...] = ()
    """In order of appointment, the chief arbiter first."""
    entrants: tuple[Entrant, ...] = ()
    elsewhere: tuple[Entrant, ...] = ()
    """Who plays in the event's other sections."""
    said: Mapping[str, Any] = field(default_factory=dict)
    """The answers to the ruleset's `filing_fields`, by name."""
    deadlines_held: bool = True
    """False: the office holds nobody to deadlines; what is late is told, and stands in no way."""
    particulars_held: bool = True
    """False: the office does not insist on full particulars; what is missing is only told."""
    permissions: frozenset[str] = frozenset()
    """Clauses under which the office gave permission (csa: `18`)."""
    particulars: Mapping[PlayerId, Any] = field(default_factory=dict)
    """Of those who are in the register already."""
    membership: date | None = None
    """The day from which rules on membership hold; None: not introduced."""
    declared: Section | None = None
    """The section as it was declared when it was first decided on; None: no such decision is recorded."""
    declared_on: date | None = None
    """The day of that first decision."""

    def late(self) -> Level:
        """The level of what came too late."""
        return Level.WAIVABLE if self.deadlines_held else Level.NOTICE

    def incomplete(self, level: Level = Level.WAIVABLE) -> Level:
        """The level of what is not said, or not by whom it should be."""
        return level if self.particulars_held else Level.NOTICE

    def name_of(self, player: PlayerId) -> str:
        """What people call an entrant."""
        return next((entrant.name for entrant in self.entrants if entrant.player == player), player)


class Rules(Protocol[S]):
    """One edition: a module with these functions."""

    def check(self, section: Section, filing: Filing) -> list[Finding]:
        """May it be rated? Every finding, never the first; each with its clause."""

    def needs(self, fact: Fact) -> frozenset[PlayerId] | Needs:
        """Whose standings `apply` may read."""

    def apply(self, state: State[S], fact: Fact) -> Outcome[S]:
        """Pure: the standings that the fact moved."""

    def explain(self, state: State[S], fact: Fact, player: PlayerId, track: str) -> Working:
        """The working of one change, by the same functions on the state before the fact."""

    def performances(self, state: State[S], fact: RatedSection, track: str) -> Mapping[PlayerId, Decimal]:
        """How each entrant of a section played, as a rating; empty where the rules have no such figure."""

    def rating_list(self, state: State[S], track: str, on: date) -> list[Row]:
        """The list of a day, best first."""

    def answers(self, state: State[S], on: date) -> Iterable[Answer]:
        """What a replay answers, in any order."""

    def tables(self, state: State[S], on: date) -> list[Table]:
        """What else the rules yield."""


@dataclass(frozen=True, slots=True)
class Edition:
    """One enacted text, and the first day of the events to which it applies."""

    in_force: date
    name: str
    rules: Any
    """A module or object that satisfies `Rules`."""
    parameters: Parameters = ()
    """Its numbers by name and clause."""


@dataclass(frozen=True, slots=True)
class Track:
    """One of a player's ratings."""

    code: str
    name: str
    group: str = ""
    """Tracks are shown together by this name (`Over the board`)."""


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
    """Name and value of another field: this one stands only beside it (`("status", "special")`)."""


@dataclass(frozen=True, slots=True, eq=False)
class Ruleset:
    """What is the same in every edition of a federation's regulations, as data; compared as one object."""

    slug: str
    name: str
    country: str
    """The federation's own: where a section is held unless it says otherwise."""
    tracks: tuple[Track, ...]
    editions: tuple[Edition, ...]
    """In order of their days."""
    clauses: Mapping[str, str]
    """What each clause says, in our own words."""
    messages: Mapping[str, str]
    """The words of steps, findings and tables by key, with named places: `{white} − {black}`."""
    load: Callable[[str, str], Any]
    """`(track, text) -> standing`, as `dump` wrote it."""
    dump: Callable[[Any], str]
    questions: Mapping[str, str] = field(default_factory=dict)
    """What the text leaves open, by the clause (`D-…`) that says how it is read."""
    load_wide: Callable[[str], Any] | None = None
    """The federation-wide part of the state, as `dump_wide` wrote it; None: there is none."""
    dump_wide: Callable[[Any], str] = lambda wide: ""
    order_key: Callable[[Fact], int] = by_rating_order
    annotate: Callable[[list[Fact]], list[Fact]] | None = None
    """Notes what only the order shows, on facts already sorted; None: nothing does."""
    folds: frozenset[str] = frozenset({"rated", "list", "opening"})
    """The kinds of journal lines that are folded."""
    reads: frozenset[str] = frozenset()
    """Which of the journal's keys that are not for all stand here: `included_by` of a player, `rating`,
    `pre`, `women` of an entry, `excused` of a game. What is not read is not published."""
    asks: frozenset[str] = frozenset()
    """What the office's register and forms want of people, and no journal holds: `sex`, `born`."""
    kept_decimals: int = 16
    """How many decimals a rating has in the state (D-4), and an opening at most."""
    pre_values: tuple[int, ...] = ()
    """The pre-ratings that an entry may state; none: this ruleset knows no pre-ratings."""
    pre_rating: Callable[[int | None, str | None, Section], int] | None = None
    """`(year of birth, sex, section)`: the pre-rating that the office states for an entrant, of what its
    register knows (None: not known); None: this ruleset knows no pre-ratings."""
    pre_until_games: int = 20
    """A pre-rating is stated for whoever has fewer counted games than so many in a track of the section."""
    women_play_in: frozenset[str] = frozenset()
    """The `status` of sections in which an entry may say `women`."""
    places_needed: bool = False
    """Whether every entry has its final place."""
    many_games_a_round: bool = False
    """Whether a player may play twice in a round (replays, short matches)."""
    tie_breaks: tuple[str, ...] = ()
    """Further columns of an entry that parted those of equal points and are shown: `discs`."""
    ranks: tuple[str, ...] = ()
    """The sports ranks that an official confirms, lowest first."""
    fields: tuple[Field, ...] = ()
    admission: Callable[[Section, Filing], list[Finding]] | None = None
    """What is found in a section before play, where the rules want a first decision then; else None."""
    membership: str = ""
    """The clause that holds from the day on which the office says membership began; empty: none."""
    formats: tuple[str, ...] = ()
    """The formats that the federation rates, out of `facts.FORMATS`."""
    decimals: int = 0
    """How many places a rating is shown with."""
    sides: tuple[str, str] = ("first", "second")
    """What the first and the second mover are called (`white`, `black`)."""
    time_zone: str = "UTC"
    rateable: Callable[[Section], Finding | None] = lambda section: None
    """Why a section cannot be rated at all, whatever the office decides; None where it can."""
    tracks_of: Callable[[Section], tuple[str, ...]] = lambda section: ()
    """The tracks that a section updates."""
    held: Callable[[State[Any], PlayerId, date], tuple[Step, ...]] = lambda state, player, on: ()
    """What a player holds beside ratings (a rank), from a state of that player alone."""
    extract: Callable[[State[Any], PlayerId, date], Extract | None] | None = None
    """What can be certified of a player for a day, from the state of that day; None: the rules have no such
    thing."""
    collected: Callable[[Iterable[tuple[int, Any]]], Table | None] | None = None
    """Part by part, what a rating still being formed was made of before a fact: from the lines of the
    player's earlier facts in the track and the standing after each, newest first; None: no rating takes
    several."""
    counts: Callable[[State[Any], PlayerId, str, date], Counts | None] = lambda state, player, track, on: None
    """What counts for a player's rating on a day, from a state of that player alone."""
    days_of_change: Callable[[Any, date, date], list[date]] | None = None
    """`(wide, first, last)`: the days from first to last on which the calendar alone moves ratings, by the
    federation-wide part of the state; None: it never does."""
    waits_for_list: bool = False
    """Whether what a section brings enters the rating in force with the next list only."""
    rating_on: Callable[[Any, Any, date], Decimal | None] | None = None
    """`(standing, wide, day)`: what `Rules.answers` says of one player's rating, for whom many days are asked
    for; None: it is asked for each."""

    @property
    def in_order_of_play(self) -> bool:
        """D-1: whether sections are folded in the order of play, and a list stops at its day."""
        return self.order_key is by_order_of_play

    def edition_on(self, day: date) -> Edition:
        """The edition of what begins on that day; LookupError before the first (the core never guesses)."""
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
        """The edition in force on a day, or the first before it."""
        return self.edition_on(day) if day and day >= self.editions[0].in_force else self.editions[0]

    def rules_on(self, day: date) -> Rules[Any]:
        """The rules that answer for a day."""
        rules: Rules[Any] = self.edition_of_day(day).rules
        return rules

    def journal_order(self, facts: Iterable[Fact]) -> list[Fact]:
        """The facts in the order in which they are folded, annotated (D-1)."""
        ordered = sorted(facts, key=self.order_key)
        return self.annotate(ordered) if self.annotate else ordered

    def apply(self, state: State[Any], fact: Fact) -> Outcome[Any]:
        """One fact, under the edition in force for it, in the one arithmetic context."""
        with localcontext(CONTEXT):
            return self.rules_for(fact).apply(state, fact)

    def fold(
        self, facts: Sequence[Fact], state: State[Any] | None = None
    ) -> Iterator[tuple[Fact, list[Change[Any]], State[Any]]]:
        """Apply facts that stand in journal order; after each: the fact, its changes, the state so far.

        The state is one object that the fold advances; whoever needs yesterday's keeps a copy.
        """
        state = State() if state is None else state
        with localcontext(CONTEXT):
            for fact in facts:
                outcome = self.rules_for(fact).apply(state, fact)
                state.absorb(outcome)
                yield fact, outcome.changes, state
