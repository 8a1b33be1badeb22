"""The parts of a ruleset, each for one matter; a federation fills those that its regulations speak of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from ratings.law.facts import Fact, PlayerId, Section, State
from ratings.law.fields import Field
from ratings.law.filing_particulars import Filing
from ratings.law.fold_order import by_rating_order
from ratings.law.rule_outputs import Counts, Deadline, Extract, Finding, RuleTable, WorkingStep


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
