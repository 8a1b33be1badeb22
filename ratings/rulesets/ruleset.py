"""A federation's regulations over time, and the fold that runs them over a journal's facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Any, Protocol, TypeVar

from ratings.rulesets.demo import Demo
from ratings.rulesets.downloads import Download
from ratings.rulesets.facts import (
    Change,
    Fact,
    Needs,
    Outcome,
    PlayerId,
    RatedSection,
    Section,
    Standing,
    State,
)
from ratings.rulesets.files import TRF, FileKind
from ratings.rulesets.order import by_rating_order
from ratings.rulesets.parameters import Parameters
from ratings.rulesets.reports import Answer, Counts, Finding, Level, Result, Row, Step, Table, Working

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
    lenient: bool = False
    """The office holds nobody to deadlines and full particulars: they are told, and stand in no way."""
    permissions: frozenset[str] = frozenset()
    """Clauses under which the office gave permission (csa: `18`)."""
    particulars: Mapping[PlayerId, Any] = field(default_factory=dict)
    """Of those who are in the register already."""
    members: frozenset[PlayerId] | None = None
    """Who is a member of the federation; None: not known."""
    membership: date | None = None
    """The day from which rules on membership hold; None: not introduced."""
    declared: Section | None = None
    """The section as it was declared when it was first decided on; None: no such decision is recorded."""
    declared_on: date | None = None
    """The day of that first decision."""

    def held(self, level: Level = Level.WAIVABLE) -> Level:
        """The level of what only an office that holds to it minds."""
        return Level.NOTICE if self.lenient else level

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


@dataclass(frozen=True, slots=True)
class IdKind:
    """An id that somebody else gives players, and that this federation's files bring."""

    code: str
    """`fide`, `lichess`: what the register keeps it under."""
    label: str
    platform: bool = False
    """Whether it is the name that a player has on a platform."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What no program can know, and the region says by submitting."""

    clause: str
    words: str


@dataclass(frozen=True, slots=True)
class Calculator:
    """What anybody may work out by a clause, without an office's record."""

    fields: tuple[Field, ...]
    """Choices, flags and whole numbers."""
    work_out: Callable[[Mapping[str, Any]], Result]
    """From the answers by the fields' names; what was left empty is None or False."""
    field: str = ""
    """The field of the ruleset's sections that it helps to fill in."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of what else the rules yield: tables of the day, figures of each section, or a calculator."""

    code: str
    """In the address."""
    name: str
    """In the office's navigation: a word or two that any visitor understands."""
    about: str
    """A sentence for whoever comes new."""
    tables: tuple[str, ...] = ()
    """The names of those of `Rules.tables` that stand on it, in this order."""
    any_day: bool = False
    """Whether a reader may ask for another day than today."""
    ratings: bool = False
    """Whether it shows the rating list as it would be published on the day."""
    of_section: Callable[[State[Any], RatedSection, str], Table | None] | None = None
    """`(state before it, section, track)`: what each section yields; readers choose month and track."""
    calculator: Calculator | None = None


@dataclass(frozen=True, slots=True)
class AgeGroup:
    """People of an age, by the year of a list less the year of birth; both ends included."""

    code: str
    name: str
    least: int | None = None
    most: int | None = None


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
    load_wide: Callable[[str], Any] = lambda text: None
    """The federation-wide part of the state, as `dump_wide` wrote it."""
    dump_wide: Callable[[Any], str] = lambda wide: ""
    order_key: Callable[[Fact], int] = by_rating_order
    annotate: Callable[[list[Fact]], list[Fact]] | None = None
    """Notes what only the order shows, on facts already sorted; None: nothing does."""
    folds: frozenset[str] = frozenset({"rated", "list", "opening"})
    """The kinds of journal lines that are folded."""
    reads: frozenset[str] = frozenset()
    """Which of the journal's keys that are not for all stand here: `sex`, `born`, `included_by` of a player,
    `rating` of an entry, `excused` of a game. What is not read is not published."""
    id_kinds: tuple[IdKind, ...] = ()
    """The ids that its files bring beside the register's own numbers."""
    wants_of_new: frozenset[str] = frozenset()
    """What the regulations want of a new player beside what they read: of `first-name`, `birth-date`."""
    files: tuple[FileKind, ...] = (TRF,)
    """The kinds of event files that it reads, beside the plain table."""
    places_needed: bool = False
    """Whether every entry has its final place."""
    many_games_a_round: bool = False
    """Whether a player may play twice in a round (replays, short matches)."""
    tie_breaks: tuple[str, ...] = ()
    """Further columns of an entry that parted those of equal points and are shown: `discs`."""
    ranks: tuple[str, ...] = ()
    """The sports ranks that an official confirms, lowest first."""
    fields: tuple[Field, ...] = ()
    filing_fields: tuple[Field, ...] = ()
    """Fields that acceptance reads (`Filing.said`) and no journal holds."""
    confirmations: tuple[Confirmation, ...] = ()
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
    age_groups: tuple[AgeGroup, ...] = ()
    """By which a list may be cut."""
    downloads: tuple[Download, ...] = ()
    """The federation's own layouts of a list, beside those that every federation offers."""
    whole_files: bool = False
    """Whether files give whole ratings only; else tables have them with `decimals`, and JSON every digit."""
    time_zone: str = "UTC"
    regions: tuple[Choice, ...] = ()
    """Who files, as a new office begins with them; none: the federation itself."""
    rateable: Callable[[Section], Finding | None] = lambda section: None
    """Why a section cannot be rated at all, whatever the office decides; None where it can."""
    tracks_of: Callable[[Section], tuple[str, ...]] = lambda section: ()
    """The tracks that a section updates."""
    pages: tuple[Page, ...] = ()
    """Where readers find what else the rules yield."""
    held: Callable[[State[Any], PlayerId, date], tuple[Step, ...]] = lambda state, player, on: ()
    """What a player holds beside ratings (a rank), from a state of that player alone."""
    counts: Callable[[State[Any], PlayerId, str, date], Counts | None] = lambda state, player, track, on: None
    """What counts for a player's rating on a day, from a state of that player alone."""
    days_of_change: Callable[[Any, date, date], list[date]] | None = None
    """`(wide, first, last)`: the days from first to last on which the calendar alone moves ratings, by the
    federation-wide part of the state; None: it never does."""
    demo: Demo | None = None
    """What an invented office is made of; None: there is none to show."""

    @property
    def form_fields(self) -> tuple[Field, ...]:
        """Everything of its own that a form asks of a section."""
        return (*self.fields, *self.filing_fields)

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
        day = getattr(fact.fact, "on", None)
        return self.edition_on(day) if day and day >= self.editions[0].in_force else self.editions[0]

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
