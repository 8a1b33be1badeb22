"""The recompute of an office's ratings: folds the journal's new lines, step by step, and writes the results.

The ledger's row is the job. A step's facts are folded with no lock held; its results are written in one
transaction, with errata and published lists. An office whose stored results come from other rules than this
program's is left alone.
"""

from __future__ import annotations

import hashlib
import logging
import re
import threading
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db import connection, models, transaction
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_noop

from players import jobs, writing
from players.jobs import Rests, run_at_low_priority
from players.models import Decision, Federation, Ledger, Player
from players.record import lock_ledger
from players.settings import today
from ratings import results
from ratings.journal import AFTER_EVERYTHING, aliases_at, build_foldable_fact, get_unfolded_line_numbers
from ratings.lists import (
    DrawnList,
    DrawnRows,
    compute_list_rows,
    find_list_closing,
    get_list_state,
    get_lists_to_freeze,
    has_annotating_facts,
    read_record,
)
from ratings.models import (
    Change,
    CorrectedRating,
    Erratum,
    Fact,
    FactQuerySet,
    ListRow,
    PastChange,
    PastWide,
    RatingList,
    RulesVersion,
    Standing,
    Wide,
)
from ratings.program import rules_hash, save_current_program
from ratings.rule_tables import get_page_tables
from ratings.rulesets import facts, journal, journal_lines
from ratings.rulesets.facts import ListedPlayer, Needs, PlayerId, State
from ratings.rulesets.profile import pages_of
from ratings.rulesets.ruleset import with_notes, without_gc
from ratings.statement import compute_differences
from tournaments.models import IN_RATED_SECTION, Entry

# ---- Folding the facts of one step, with no lock held
CHANGE_COLUMNS = (
    "fact_id",
    "player_id",
    "track",
    "order",
    "before",
    "after",
    "points",
    "games",
    "state",
    "since",
)


FrozenRatings = Mapping[int, tuple[Decimal, str]]
"""Ratings on a list by the player's primary key, each with its text as written in its column."""


class FoldFailed(Exception):
    """Raised where the rules fail at a fact, which the message names."""


def checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class StoredChange(NamedTuple):
    """A stored change, to compare with what the fold gives for the same fact, player and track."""

    key: int
    before: Decimal | None
    after: Decimal | None
    points: Decimal | None
    games: int
    state: str


@dataclass
class Work:
    """The fold of one step: a state that advances from `start`, and the rows to write. It reads the database
    and never writes. Stored changes that come out the same are left where they are.
    """

    federation: Federation
    start: int
    from_genesis: bool
    folded_to: int = 0
    """The line up to which everything in force was folded before this step."""
    since: int | None = None
    """The line from which new results count as known; None: each change from its own fact's line."""
    changes: writing.Spool = field(default_factory=lambda: writing.Spool(Change, CHANGE_COLUMNS))
    touched: dict[facts.StandingKey, int] = field(default_factory=dict)
    """The order of the newest change of each standing."""
    wides: list[tuple[int, str, int]] = field(default_factory=list)
    """Order, text and line of each federation-wide part."""
    stored: dict[tuple[int, int, str], StoredChange] = field(default_factory=dict)
    """The stored changes of the facts that are folded next, by fact, player and track."""
    superseded: array[int] = field(default_factory=lambda: array("q"))
    """Primary keys of changes that no longer hold."""
    lost: set[tuple[int, str]] = field(default_factory=set)
    """The player's primary key and the track of those changes."""
    lists: list[DrawnList] = field(default_factory=list)
    folded: list[tuple[int, str]] = field(default_factory=list)
    """Primary keys of facts, with the fingerprint with which they were folded."""
    revised_rows: Mapping[str, Sequence[ListedPlayer]] = field(default_factory=dict)
    """The rows that a `revised` line publishes, by track."""
    frozen: dict[str, tuple[date, FrozenRatings]] = field(default_factory=dict)
    """The day of the list last frozen in each track, and its ratings as written."""
    keys: dict[PlayerId, int] = field(default_factory=dict)
    many: bool = False
    """Whether so much is folded that everybody's standing is read at once."""

    def __post_init__(self) -> None:
        self.ruleset = self.federation.ruleset
        self.rating_text = writing.spool_rating_formatter()
        self.loaded: set[PlayerId] = set()
        self.everyone = self.due = self.from_genesis
        self.state: State[Any] = (
            State() if self.from_genesis else results.state_before(self.federation, self.start, frozenset())
        )
        if self.many:
            self._load(Needs.EVERYONE)

    def take(self, fact: facts.Fact, row: Fact, fingerprint: str) -> None:
        """Fold one fact into the state and note its changes; raise `FoldFailed` where the rules fail."""
        assert row.order is not None
        try:
            self._load(self.ruleset.rules_for(fact).needs(fact))
            wide = self.state.wide
            outcome = self.ruleset.apply(self.state, fact)
        except jobs.MACHINE_TROUBLE:
            raise
        except Exception as error:
            place = f"line {row.number} of the journal ({row.kind} {row.subject})"
            raise FoldFailed(f"{place}: {error!r}") from error
        self.state.absorb(outcome)
        since = self.since or row.number
        self._spool(outcome.changes, row.pk, row.order, since)
        if outcome.wide != wide:
            self.wides.append((row.order, self.ruleset.storage.dump_wide(outcome.wide), since))
        self.folded.append((row.pk, fingerprint))

    def load_stored(self, rows: Collection[Fact]) -> None:
        """Load the stored changes of the facts to be folded next, if they were folded before."""
        self.settle()
        again = [row.pk for row in rows if row.number <= self.folded_to]
        if not again:
            return
        columns = ("fact_id", "player_id", "track", "pk", "before", "after", "points", "games", "state")
        for fact, player, track, *values in Change.objects.filter(fact__in=again).values_list(*columns):
            self.stored[fact, player, track] = StoredChange(*values)

    def folded_before(self) -> list[int]:
        """The primary keys of the facts from the start on that were folded before this step."""
        facts_in_force = Fact.objects.filter(federation=self.federation).in_force(self.folded_to)
        return list(facts_in_force.filter(order__gte=self.start).order_by().values_list("pk", flat=True))

    def settle(self) -> None:
        """Mark as superseded the stored changes of facts just folded that the fold did not give again."""
        for (_fact, player, track), stored in self.stored.items():
            self.supersede(stored.key, player, track)
        self.stored.clear()

    def supersede(self, change: int, player: int, track: str) -> None:
        self.superseded.append(change)
        self.lost.add((player, track))

    def draw_up(self, fact: facts.Fact, row: Fact) -> None:
        """Draw up the lists that a closing publishes, one for every track with players on it."""
        closing = find_list_closing(fact)
        if closing is None:
            return
        if has_annotating_facts(self.federation, fact):
            state = get_list_state(read_record(self.federation, fact.number), fact)
        else:
            self._load(Needs.EVERYONE)
            state = self.state
        edition = self.ruleset.edition_for(fact).name
        for track, rows in compute_list_rows(self.ruleset, fact, state).items():
            self.lists.append(DrawnList(row.pk, track, closing, edition, DrawnRows(rows)))

    def get_key(self, player: PlayerId) -> int:
        """The primary key of a player."""
        if player not in self.keys:
            numbers = Player.objects.filter(federation=self.federation)
            if len(self.keys) < 1000 and not self.everyone:
                self.keys[player] = numbers.get(number=player).pk
            else:
                self.keys.update(numbers.values_list("number", "pk"))
        return self.keys[player]

    def _load(self, needs: frozenset[PlayerId] | Needs) -> None:
        """Read the standings that a fact needs into the state, each once, as they stood before `start`."""
        if self.everyone or (needs is Needs.DUE and self.due):
            return
        if isinstance(needs, Needs):
            self._put(results.standings_before(self.federation, self.start, needs))
            self.due = True
            self.everyone = needs is Needs.EVERYONE
            return
        wanted = needs - self.loaded
        if wanted:
            numbers = Player.objects.filter(federation=self.federation, number__in=wanted)
            self.keys.update(numbers.values_list("number", "pk"))
            self._put(results.standings_before(self.federation, self.start, wanted))
            self.loaded |= wanted

    def _put(self, standings: Iterable[tuple[facts.StandingKey, Any]]) -> None:
        known = self.state.standings
        for key, standing in standings:
            if key not in known:
                self.state.put(key, standing)

    def _spool(self, changes: Iterable[facts.Change[Any]], fact: int, order: int, since: int) -> None:
        add, dump, touched, get_key = self.changes.add, self.ruleset.storage.dump, self.touched, self.get_key
        text_of, stored = self.rating_text, self.stored
        fact_text, order_text, since_text = str(fact), str(order), str(since)
        for player, track, before, after, points in changes:
            touched[player, track] = order
            key, text = get_key(player), dump(after)
            was = before.rating if before else None
            if stored and (known := stored.pop((fact, key, track), None)):
                if known[1:] == (was, after.rating, points, after.games, text):
                    continue
                self.supersede(known.key, key, track)
            add(
                fact_text,
                str(key),
                track,
                order_text,
                text_of(was),
                text_of(after.rating),
                text_of(points),
                str(after.games),
                writing.escape_copy_text(text),
                since_text,
            )

    def get_keys(self, rows: Iterable[ListedPlayer]) -> list[int]:
        """The primary keys of the players of a list's rows."""
        known, get_key = self.keys, self.get_key
        return [known.get(row.player) or get_key(row.player) for row in rows]

    def previous_ratings(self, rating_list: RatingList) -> FrozenRatings:
        """Each player's rating on the list before this one."""
        on, frozen = self.frozen.get(rating_list.track, (None, {}))
        if on is not None and on < rating_list.on:
            return frozen
        same = RatingList.objects.filter(federation=self.federation, track=rating_list.track)
        before = same.filter(on__lt=rating_list.on).order_by("-on", "-revision").first()
        rows = ListRow.objects.filter(rating_list=before) if before else ListRow.objects.none()
        ratings = rows.values_list("player_id", "rating")
        return {player: (rating, self.rating_text(rating)) for player, rating in ratings}

    def close(self) -> None:
        self.changes.close()


# ---- The rules of an office's stored results, and those of this program
#
# The ledger holds the hash of the former. A worker with other rules writes nothing, because no replay would
# give a mixture of both.
class OtherRules(Exception):
    """Raised where this program's rules are not those of the office's stored results."""


def get_own_rules_hash(federation: Federation) -> str:
    """The hash of a federation's rules as this process runs them, computed once in a process."""
    return rules_hash(federation.ruleset_slug)


def rules_are_in_force(federation: Federation, ledger: Ledger) -> bool:
    """Whether the stored results are by this program's rules, and no others are to replace them."""
    own = get_own_rules_hash(federation)
    return not ledger.line or (ledger.rules == own and ledger.agreed_rules in ("", own))


# ---- Cutting the journal's new lines into steps: which facts each step folds, and from where
#
# Of the lines not folded yet, the last of each day and each list are *cuts*: the results there are asked for
# later (`results.as_of`). A correcting line stands between two cuts, so that its step shows its effect.
# Where lines only append to the fold, many cuts are passed in one step. Where something reaches back (a
# section played earlier, one taken back, a merge, changed notes), the fold is brought to the cut before it,
# and then to its own.
_BATCH_SIZE = 50
_READ_AHEAD = 200
_CUT_KINDS = frozenset({"list", "revised"})
CORRECTING_JOURNAL_KINDS = frozenset({"unrated", "merged", "parted", "revised"})
"""The kinds of lines that take back or correct earlier lines; a section rated again corrects too."""
_RENAMING_KINDS = frozenset({"merged", "parted"})
Names = Mapping[PlayerId, PlayerId]


class UnfoldedLine(NamedTuple):
    """A line of the journal that is not folded yet, with what decides how a recompute is cut into steps."""

    number: int
    kind: str
    on: date | None
    order: int | None
    taken_back: int | None
    key: int
    corrects: bool = False


@dataclass(slots=True)
class FoldStep:
    """One step of a recompute: what to fold so that everything in force at a line is folded."""

    line: int
    """The last line that is read."""
    start: int = AFTER_EVERYTHING
    rows: list[tuple[int, str]] = field(default_factory=list)
    """Primary keys of facts in order, with the fingerprint that each is to be folded with."""
    since: int | None = None
    """The line from which all differences count as known; None: each change from its own fact's line."""
    names: Names = field(default_factory=dict)
    """Merged players and whom each was merged into."""
    annotated: Mapping[int, facts.Fact] = field(default_factory=dict)
    """Facts that the ruleset annotated, by primary key."""
    renamed: Mapping[int, str] = field(default_factory=dict)
    """New fingerprints of facts in which merges change a player, by primary key; empty: put away."""
    from_genesis: bool = False
    new: int = 0
    """The number of facts folded for the first time."""
    published: int = 0
    """The line up to which lists and errata exist already, where everything is folded again."""

    def facts(self, federation: Federation) -> Iterator[list[tuple[Fact, facts.Fact, str]]]:
        """Yield facts in small lists, with row and fingerprint: a long query would keep old rows alive."""
        for some in writing.batches(self.rows, _BATCH_SIZE):
            rows = Fact.objects.select_related("takes", "first_rated").in_bulk([key for key, _ in some])
            for row in rows.values():
                row.federation = federation
            yield [
                (
                    rows[key],
                    self.annotated.get(key) or build_foldable_fact(rows[key], self.names),
                    fingerprint,
                )
                for key, fingerprint in some
            ]


def plan_steps(federation: Federation, ledger: Ledger) -> Iterator[FoldStep]:
    """Yield the steps that fold up to the ledger's newest line. Write each before asking for the next."""
    reader = (AnnotatedStepPlanner if federation.ruleset.journal.notes_of else StepPlanner)(
        federation, ledger
    )
    waiting: list[UnfoldedLine] = []
    for lines in split_lines(reader.pending, reader.day):
        if reader.reaches_back(lines):
            if waiting:
                yield reader.append(waiting)
            yield reader.go_back(lines)
            waiting = []
        elif lines[-1].corrects:
            if waiting:
                yield reader.append(waiting)
            reader.advance(lines)
            yield reader.append(lines)
            waiting = []
            continue
        else:
            waiting += lines
        reader.advance(lines)
    if waiting:
        yield reader.append(waiting)


def split_lines(lines: Sequence[UnfoldedLine], previous_day: date | None) -> Iterator[list[UnfoldedLine]]:
    """Yield runs of new lines, one for each step. `previous_day`: that of the lines before."""
    found: list[UnfoldedLine] = []
    for line in lines:
        if found and (line.corrects or (line.on and previous_day and line.on > previous_day)):
            yield found
            found = []
        found.append(line)
        previous_day = line.on or previous_day
        if line.kind in _CUT_KINDS or line.corrects:
            yield found
            found = []
    if found:
        yield found


def get_first_unratings(federation: Federation) -> dict[str, int]:
    """The number of the first line that un-rated each section, by the section's id."""
    lines = Fact.objects.of_kinds(federation, "unrated").values_list("number", "subject")
    return {subject: number for number, subject in sorted(lines, reverse=True)}


def is_correcting(kind: str, first_unrating: int | None, number: int) -> bool:
    """Whether a line takes back or corrects earlier ones. `first_unrating`: the first un-rating of its
    section.
    """
    return kind in CORRECTING_JOURNAL_KINDS or (
        kind == "rated" and first_unrating is not None and first_unrating < number
    )


class StepPlanner:
    """Makes the steps of a recompute: it knows how far the fold has come, and what the next lines require."""

    def __init__(self, federation: Federation, ledger: Ledger) -> None:
        self.federation, self.ruleset = federation, federation.ruleset
        self.of_office = Fact.objects.filter(federation=federation)
        self.line, self.newest = ledger.line, ledger.facts
        """The last line that is passed, and the last to read."""
        self.top = results.last_folded_order(federation)
        """The last place in the order that is taken by the lines passed."""
        self.names: Names = aliases_at(federation, self.line)
        new = self.of_office.filter(number__gt=self.line, number__lte=self.newest).order_by("number")
        unrated = get_first_unratings(federation)
        self.pending = [
            UnfoldedLine(
                number, kind, on, order, back, key, is_correcting(kind, unrated.get(subject), number)
            )
            for number, kind, on, order, back, key, subject in new.values_list(
                "number", "kind", "on", "order", "taken_back", "pk", "subject"
            )
        ]
        dated = self.of_office.filter(number__lte=self.line, on__isnull=False).order_by("-number")
        self.day: date | None = dated.values_list("on", flat=True).first()
        back = self.of_office.filter(taken_back__gt=self.line, order__isnull=False)
        self.taken_back: dict[int, int] = {
            by: number for by, number in back.values_list("taken_back", "number") if by is not None
        }
        """By `first_unrating` lines not folded yet, the `rated` lines that they take back."""
        lost = self.of_office.in_force(self.line).not_folded().exclude(fingerprint="")
        self.lost: list[int] = [order for order in lost.values_list("order", flat=True) if order is not None]
        """The places in the order of facts up to that line whose mark of the fold was lost."""

    def reaches_back(self, lines: Sequence[UnfoldedLine]) -> bool:
        """Whether these lines change results of earlier lines, so that the fold has to go back."""
        return (
            bool(self.lost)
            or any(line.kind in _RENAMING_KINDS for line in lines)
            or any(self.taken_back.get(line.number, self.newest) <= self.line for line in lines)
            or any(order < self.top for order in self.orders(lines))
        )

    def advance(self, lines: Sequence[UnfoldedLine]) -> None:
        self.line = lines[-1].number
        self.top = max([self.top, *self.orders(lines)])

    def orders(self, lines: Sequence[UnfoldedLine]) -> list[int]:
        """The places in the order of those lines among these that are in force at the last of them."""
        end = lines[-1].number
        return [line.order for line in lines if line.order is not None and (line.taken_back or end + 1) > end]

    def append(self, lines: Sequence[UnfoldedLine]) -> FoldStep:
        """The step for lines that only add facts behind all that are folded."""
        end, orders = lines[-1].number, self.orders(lines)
        if not orders:
            return FoldStep(end)
        rows = self.of_office.in_force(end).filter(number__range=(lines[0].number, end))
        return FoldStep(
            line=end,
            start=min(orders),
            rows=list(rows.exclude(fingerprint="").order_by("order").values_list("pk", "fingerprint")),
            names=self.names,
            from_genesis=not self._folded_before(min(orders)),
            new=len(orders),
        )

    def go_back(self, lines: Sequence[UnfoldedLine]) -> FoldStep:
        """The step for lines that change earlier results: the fold starts again at the first of them."""
        end = lines[-1].number
        renamed = self._rename(lines, end)
        places = [
            *self.orders(lines),
            *self._unrated_places(end),
            *self._renamed_places(renamed),
            *self._pop_lost_places(),
        ]
        start = min([*places, AFTER_EVERYTHING])
        rows = self.of_office.in_force(end).filter(order__gte=start).order_by("order")
        return FoldStep(
            line=end,
            start=start,
            rows=[
                (key, fingerprint)
                for key, stored in rows.values_list("pk", "fingerprint")
                if (fingerprint := renamed.get(key, stored))
            ],
            since=end,
            names=self.names,
            renamed=renamed,
            from_genesis=not self._folded_before(start),
            new=len(self.orders(lines)),
        )

    def _folded_before(self, order: int) -> bool:
        return self.of_office.in_force(self.line).filter(order__lt=order).exists()

    def _pop_lost_places(self) -> list[int]:
        """The places of facts whose mark of the fold was lost, for the next step alone."""
        lost, self.lost = self.lost, []
        return lost

    def _unrated_places(self, end: int) -> list[int]:
        """The places of folded facts that the lines up to `end` un-rate."""
        left = self.of_office.in_force(self.line).filter(taken_back__lte=end).order_by()
        return [order for order in left.values_list("order", flat=True) if order is not None]

    def _renamed_places(self, renamed: Mapping[int, str]) -> list[int]:
        rows = self.of_office.filter(pk__in=renamed, order__isnull=False)
        return [order for order in rows.values_list("order", flat=True) if order is not None]

    def _rename(self, lines: Sequence[UnfoldedLine], end: int) -> dict[int, str]:
        """Follow merges and partings up to `end`; return changed fingerprints by key, empty: put away."""
        if not any(line.kind in _RENAMING_KINDS for line in lines):
            return {}
        before, self.names = self.names, aliases_at(self.federation, end)
        renames = self.of_office.filter(pk__in=[line.key for line in lines if line.kind in _RENAMING_KINDS])
        people = players_named_in(renames, self.federation)
        roots = {journal.root(names, each) for each in people for names in (before, self.names)}
        people |= roots
        for names in (before, self.names):
            people |= {each for each in names if journal.root(names, each) in roots}
        found, away = {}, get_unfolded_line_numbers(self.federation, self.names, end)
        for row in self._naming(people, end).select_related("takes", "first_rated"):
            row.federation = self.federation
            fingerprint = ""
            if row.number not in away:
                fingerprint = journal.fingerprint(build_foldable_fact(row, self.names), self.ruleset)
            if fingerprint != row.fingerprint:
                found[row.pk] = fingerprint
        return found

    def _naming(self, people: set[PlayerId], end: int) -> FactQuerySet:
        """The lines in force at the line `end` that may name any of these people."""
        entered = Entry.objects.filter(
            IN_RATED_SECTION, player__number__in=people, section__event__federation=self.federation
        )
        rated = Q(section__in=entered.values("section")) | Q(taken_back__gt=end)
        named = Q(kind__in=("player", "opening", "rank"), subject__in=people) | Q(kind="playoff")
        return self.of_office.in_force(end).filter(Q(kind="rated") & rated | named)


def players_named_in(renames: FactQuerySet, federation: Federation) -> set[PlayerId]:
    """The numbers of the players whom lines of merging and parting name."""
    people: set[PlayerId] = set()
    for line in renames.values_list("line", flat=True):
        fact = journal_lines.parse_line(line, federation.ruleset)
        people |= {str(number) for name in ("player", "into") if (number := getattr(fact, name, None))}
    return people


Notes = Mapping[int, tuple[str, ...]]
"""The notes of facts that have any, by the number of the line."""


class _PlacedFact(NamedTuple):
    """A fact without notes, with its place in the order of the fold and its primary key."""

    order: int
    key: int
    fact: facts.Fact


def _sort(found: Iterable[_PlacedFact]) -> list[_PlacedFact]:
    return sorted(found, key=itemgetter(0))


class AnnotatedStepPlanner(StepPlanner):
    """Makes the steps where a ruleset adds notes to facts by their order: every fact is read once and kept,
    because a new one may change the notes of older ones.
    """

    def __init__(self, federation: Federation, ledger: Ledger) -> None:
        super().__init__(federation, ledger)
        self.plain: dict[int, _PlacedFact] = {}
        """Facts in force by the lines read, by number, without notes."""
        self.ahead: dict[int, Fact] = {}
        """Rows of the next lines, by key: as a query for each day would cost more than all else."""
        self.keys = writing.batches(
            (line.key for line in self.pending if line.order is not None), _READ_AHEAD
        )
        self._read(self._with_their_lines(self.of_office.in_force(self.line)))
        self.next: Notes = self._compute_notes()
        self._remember()

    def reaches_back(self, lines: Sequence[UnfoldedLine]) -> bool:
        back = super().reaches_back(lines)
        if any(line.kind in _RENAMING_KINDS for line in lines):
            return True  # `go_back` works the merges out
        self._update_facts(lines)
        self.next = self._compute_notes()
        others = (number for number, _notes in self.next.items() ^ self.notes.items())
        return back or any(number <= self.line for number in others)

    def advance(self, lines: Sequence[UnfoldedLine]) -> None:
        super().advance(lines)
        self._remember()

    def append(self, lines: Sequence[UnfoldedLine]) -> FoldStep:
        step = super().append(lines)
        new = [self.passed[line.number] for line in lines if line.number in self.passed]
        return self._fill_step(step, new, self.notes)

    def go_back(self, lines: Sequence[UnfoldedLine]) -> FoldStep:
        end = lines[-1].number
        renamed = self._rename(lines, end)
        if any(line.kind in _RENAMING_KINDS for line in lines):
            changed = self.of_office.filter(pk__in=renamed)
            for number in changed.values_list("number", flat=True):
                self.plain.pop(number, None)
            self._read(self._with_their_lines(changed.in_force(end)), renamed)
            self._update_facts(lines, renamed)
            self.next = self._compute_notes()
        others = [each.order for number, each in self.plain.items() if self._differs(number)]
        gone = [each.order for number, each in self.passed.items() if number not in self.plain]
        start = min([*others, *gone, *self._unrated_places(end), *self._pop_lost_places(), AFTER_EVERYTHING])
        step = FoldStep(
            line=end,
            start=start,
            since=end,
            names=self.names,
            renamed=renamed,
            from_genesis=not self._folded_before(start),
            new=len(self.orders(lines)),
        )
        return self._fill_step(step, [each for each in self.plain.values() if each.order >= start], self.next)

    def _update_facts(self, lines: Sequence[UnfoldedLine], renamed: Mapping[int, str] | None = None) -> None:
        """Add the facts of these lines that are in force at the last; drop those that they un-rate."""
        end = lines[-1].number
        for taken_back, number in self.taken_back.items():
            if taken_back <= end:
                self.plain.pop(number, None)
        rows = (self._pop_row(line.key) for line in lines if line.order is not None)
        self._read((row for row in rows if (row.taken_back or end + 1) > end), renamed)

    def _pop_row(self, key: int) -> Fact:
        while key not in self.ahead:
            self.ahead |= self._with_their_lines(self.of_office).in_bulk(next(self.keys))
        return self.ahead.pop(key)

    @staticmethod
    def _with_their_lines(rows: FactQuerySet) -> FactQuerySet:
        return rows.select_related("takes", "first_rated")

    def _read(self, rows: Iterable[Fact], renamed: Mapping[int, str] | None = None) -> None:
        for row in rows:
            if not (renamed or {}).get(row.pk, row.fingerprint):
                continue
            row.federation = self.federation
            fact = build_foldable_fact(row, self.names)
            self.plain[row.number] = _PlacedFact(self.ruleset.journal.order_key(fact), row.pk, fact)

    def _compute_notes(self) -> Notes:
        assert self.ruleset.journal.notes_of is not None
        return self.ruleset.journal.notes_of(each.fact for each in _sort(self.plain.values()))

    def _differs(self, number: int) -> bool:
        was, now = self.passed.get(number), self.plain[number]
        return was != now or self.notes.get(number) != self.next.get(number)

    def _remember(self) -> None:
        self.passed, self.notes = dict(self.plain), self.next

    def _fill_step(self, step: FoldStep, found: Iterable[_PlacedFact], notes: Notes) -> FoldStep:
        """Give the step these facts, with their notes, in the order of the fold."""
        step.annotated = {
            each.key: with_notes(each.fact, notes.get(each.fact.number, ())) for each in _sort(found)
        }
        step.rows = [(key, journal.fingerprint(fact, self.ruleset)) for key, fact in step.annotated.items()]
        return step


# ---- Errata: the effect of each correcting line on the ratings
_ERRATA_BATCH = 500


def find_correcting_line(work: Work, step: FoldStep) -> Fact | None:
    """The last line of a step, if it takes back or corrects earlier ones: such a line has its own step."""
    line = Fact.objects.get(federation=work.federation, number=step.line)
    if line.kind != "rated":
        return line if line.kind in CORRECTING_JOURNAL_KINDS else None
    unrated = Fact.objects.filter(federation=work.federation, kind="unrated", subject=line.subject)
    return line if unrated.filter(number__lt=line.number).exists() else None


def differences_made(work: Work, step: FoldStep, line: Fact) -> list[results.RatingDifference]:
    """The ratings that a correcting line changes: those stored before its step, and those of its fold."""
    folded_before = work.folded_before()
    if not step.rows and not folded_before:
        return []
    # The players whose ratings may differ: those whom this fold moves, and those whom the facts folded there
    # before had moved.
    keys: set[int] = set()
    for some in writing.batches(folded_before, _ERRATA_BATCH):
        keys.update(Change.objects.filter(fact__in=some).values_list("player_id", flat=True).distinct())
    numbers = {player for player, _track in work.touched}
    for some in writing.batches(keys, _ERRATA_BATCH):
        numbers.update(Player.objects.filter(pk__in=some).values_list("number", flat=True))
    before, after = results.get_both_states(work.federation, work.start, work.state, frozenset(numbers))
    return compute_differences(work.ruleset, before, after, line.on or date.max)


# ---- Writing a step in one transaction: results, superseded results, and drawn lists
ONE_DAY = timedelta(days=1)
"""The most by which time zones can part a list's day from today."""
_KEYS_BATCH = 10_000
STANDING_COLUMNS = ("federation_id", "player_id", "track", "order", "rating", "games", "due", "state")
LIST_COLUMNS = ("rating_list_id", "player_id", "rank", "position", "rating", "previous", "games", "status")
WIDE_COLUMNS = ("federation_id", "order", "state", "since")


def write(work: Work, step: FoldStep, ledger: Ledger) -> bool:
    """Write a step's results in one transaction; return False, with nothing written, if another was faster.
    What a correction changes is computed before the transaction, in which other writers wait. It stays valid:
    whoever wrote results meanwhile was faster, and moved the ledger's line.
    """
    line = find_correcting_line(work, step) if step.line > step.published else None
    found = differences_made(work, step, line) if line else []
    with writing.enlarged_sqlite_cache():
        return _write(work, step, ledger, line, found)


@transaction.atomic
def _write(
    work: Work, step: FoldStep, ledger: Ledger, line: Fact | None, found: Sequence[results.RatingDifference]
) -> bool:
    now = timezone.now()
    mine = Ledger.objects.filter(pk=ledger.pk, done=ledger.done, line=ledger.line, rules=ledger.rules)
    if not mine.update(line=step.line, heartbeat=now, holder=ledger.holder):
        return False
    # The changes of facts that the step leaves out are in force no more.
    taken = {key for key, _fingerprint in step.rows}
    for some in writing.batches([key for key in work.folded_before() if key not in taken], _ERRATA_BATCH):
        for row in Change.objects.filter(fact__in=some).values_list("pk", "player_id", "track"):
            work.supersede(*row)
    _move_rows(Change, PastChange, CHANGE_COLUMNS, work.superseded, step.line)
    work.changes.write()
    _write_wides(work, step)
    _restore_lost(work)
    _write_standings(work)
    _mark_folded(work, step)
    for drawn in work.lists:
        decisions = Decision.objects.filter(federation=work.federation, kind="publish")
        decision = decisions.filter(about=f"list {drawn.closing.on}").prefetch_related("words").first()
        at = get_publication_moment(decision, drawn, now)
        freeze(work, drawn, ledger=ledger.wanted, at=at, note=get_note(decision))
    if line is not None:
        if line.kind == "revised":
            _revise(work, line, ledger=ledger.wanted, now=now)
        erratum = Erratum.objects.create(fact=line, players=len({each.player for each in found}))
        rows = (
            CorrectedRating(
                erratum=erratum,
                player_id=work.get_key(each.player),
                track=each.track,
                position=position,
                before=each.before,
                after=each.after,
            )
            for position, each in enumerate(found, start=1)
        )
        CorrectedRating.objects.bulk_create(rows, batch_size=_ERRATA_BATCH)
    if work.changes.rows >= writing.MANY:
        writing.take_stock(Change, Standing)
    return True


def _move_rows(
    source: type[models.Model],
    target: type[models.Model],
    columns: Sequence[str],
    keys: Sequence[int],
    until: int,
) -> None:
    """Move rows from the table of what is known now to that of the past; `until`: the line that ends them."""
    quote = connection.ops.quote_name
    names = ", ".join(map(quote, columns))
    here, there = quote(source._meta.db_table), quote(target._meta.db_table)
    postgres = connection.vendor == "postgresql"
    chosen = "id = ANY(%s)" if postgres else "id IN (SELECT value FROM json_each(%s))"
    with connection.cursor() as cursor:
        for some in writing.batches(keys, _KEYS_BATCH):
            given = some if postgres else str(some)
            cursor.execute(
                f"INSERT INTO {there} ({names}, {quote('until')}) "
                f"SELECT {names}, %s FROM {here} WHERE {chosen}",
                [until, given],
            )
            cursor.execute(f"DELETE FROM {here} WHERE {chosen}", [given])


def _write_wides(work: Work, step: FoldStep) -> None:
    stored = Wide.objects.filter(federation=work.federation, order__gte=step.start)
    known = {order: (key, state) for key, order, state in stored.values_list("pk", "order", "state")}
    new = []
    for order, state, since in work.wides:
        if order in known and known[order][1] == state:
            del known[order]
        else:
            new.append(Wide(federation=work.federation, order=order, state=state, since=since))
    _move_rows(Wide, PastWide, WIDE_COLUMNS, [key for key, _state in known.values()], step.line)
    Wide.objects.bulk_create(new)


def _restore_lost(work: Work) -> None:
    """Give players who lost their newest change the standing that they had before `start`, or none."""
    touched = {(work.get_key(player), track) for player, track in work.touched} if work.lost else set()
    lost = work.lost - touched
    players = {player for player, _track in lost}
    for player, track in lost:
        Standing.objects.filter(player_id=player, track=track).delete()
    load, federation, text_of = work.ruleset.storage.load, str(work.federation.pk), work.rating_text
    spool = writing.Spool(Standing, STANDING_COLUMNS)
    for row in results.last_changes_before(work.federation, work.start, players):
        if (row.player, row.track) not in lost:
            continue
        standing = load(row.track, row.state)
        spool.add(
            federation,
            str(row.player),
            row.track,
            str(row.order),
            text_of(standing.rating),
            str(standing.games),
            "1" if standing.due else "0",
            writing.escape_copy_text(row.state),
        )
    spool.write()
    spool.close()


def _write_standings(work: Work) -> None:
    dump, federation, text_of = work.ruleset.storage.dump, str(work.federation.pk), work.rating_text
    spool = writing.Spool(Standing, STANDING_COLUMNS)
    for (player, track), order in work.touched.items():
        standing = work.state.standings[player, track]
        spool.add(
            federation,
            str(work.get_key(player)),
            track,
            str(order),
            text_of(standing.rating),
            str(standing.games),
            "1" if standing.due else "0",
            writing.escape_copy_text(dump(standing)),
        )
    spool.upsert(key=("player_id", "track"), update=("order", "rating", "games", "due", "state"))
    spool.close()


def _mark_folded(work: Work, step: FoldStep) -> None:
    """Store with each fact the fingerprint with which it was folded, an empty one if it is no longer in
    force. If the one wanted has changed meanwhile, the fact is folded again.
    """
    rows = Fact.objects.filter(federation=work.federation, order__gte=work.start)
    taken = {key for key, _fingerprint in work.folded}
    gone = [key for key in rows.exclude(folded="").values_list("pk", flat=True) if key not in taken]
    for some in writing.batches(gone, _ERRATA_BATCH):
        Fact.objects.filter(pk__in=some).update(folded="")
    known = dict(rows.exclude(folded="").values_list("pk", "folded"))
    marks = [(key, fingerprint) for key, fingerprint in work.folded if known.get(key) != fingerprint]
    table = connection.ops.quote_name(Fact._meta.db_table)
    with connection.cursor() as cursor:
        for column, values in (("fingerprint", step.renamed.items()), ("folded", marks)):
            cursor.executemany(
                f"UPDATE {table} SET {column} = %s WHERE id = %s",
                [(fingerprint, key) for key, fingerprint in values],
            )


def get_note(decision: Decision | None) -> str:
    """The public note that officials wrote when they published a list, or an empty text."""
    return str(decision.details.get("note") or "") if decision else ""


def get_publication_moment(decision: Decision | None, drawn: DrawnList, now: datetime) -> datetime:
    """When a list counts as published: the decision's moment; of an imported list noon of its day."""
    on = drawn.closing.on
    if decision is not None:
        return decision.at
    return now if on >= now.date() - ONE_DAY else datetime.combine(on, time(12), UTC)


def _revise(work: Work, line: Fact, *, ledger: int, now: datetime) -> None:
    """Freeze the lists that a `revised` line changes, with the officials' public note."""
    federation = work.federation
    decisions = Decision.objects.filter(federation=federation, kind="revise").prefetch_related("words")
    decision = next((each for each in decisions if each.details.get("fact") == line.number), None)
    at = decision.at if decision else datetime.combine(line.on or now.date(), time(12), UTC)
    for drawn, standing in get_lists_to_freeze(federation, line, work.revised_rows):
        freeze(work, drawn, ledger=ledger, at=at, supersedes=standing, note=get_note(decision))


def freeze(
    work: Work,
    drawn: DrawnList,
    *,
    ledger: int,
    at: datetime,
    supersedes: RatingList | None = None,
    note: str = "",
) -> RatingList:
    """Store a drawn list for ever: rows, bytes and their checksum. `ledger`: the recompute's number."""
    content, program = drawn.content(), save_current_program()
    rating_list = RatingList.objects.create(
        federation=work.federation,
        track=drawn.track,
        on=drawn.closing.on,
        revision=supersedes.revision + 1 if supersedes else 1,
        supersedes=supersedes,
        fact_id=drawn.fact,
        ledger=ledger,
        edition=drawn.edition,
        program_version=program.version,
        program_sha256=program.sha256,
        players=len(drawn.rows),
        content=content,
        sha256=checksum(content),
        note=note,
        published_at=at,
    )
    work.frozen[drawn.track] = rating_list.on, _freeze_rows(work, drawn, rating_list)
    return rating_list


def _freeze_rows(work: Work, drawn: DrawnList, rating_list: RatingList) -> FrozenRatings:
    """Write a list's rows; return the ratings on it by the player's primary key."""
    previous, text_of, keys = work.previous_ratings(rating_list), work.rating_text, work.get_keys(drawn.rows)
    frozen: dict[int, tuple[Decimal, str]] = {}

    def rows() -> Iterator[tuple[Any, ...]]:
        for position, (key, row) in enumerate(zip(keys, drawn.rows, strict=True), start=1):
            rating, was = previous.get(key, (None, None))
            # Most ratings are the same objects as on the list before.
            text = was if was is not None and rating is row.rating else text_of(row.rating)
            frozen[key] = row.rating, text
            yield rating_list.pk, key, row.rank, position, text, was, row.games, row.status

    writing.insert_rows(ListRow, LIST_COLUMNS, rows())
    return frozen


# ---- The ledger, whose row is the job
#
# All results of a step, and the line that it reaches, are written in one transaction, which goes through only
# if the ledger is unchanged. So a killed worker leaves nothing half-done, and the work is done once, however
# often workers are woken.
log = logging.getLogger(__name__)

BACK_OFF = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30))
_MANY_FACTS = 500
"""The number of facts above which everybody's standing is read at once, not fact by fact."""

ProgressCallback = Callable[[int, int], None]
"""Called now and then with the number of facts folded and the total."""


def recompute(
    federation: Federation, on_fact: ProgressCallback | None = None, *, rests: Rests | None = None
) -> bool:
    """Do the work that an office's ledger wants, if nobody else is doing it; return whether it was done.

    `on_fact` is called with the progress; a long fold takes `rests`, if given. Raises `OtherRules` where this
    program's rules are not those of the stored results, `FoldFailed` where the rules fail at a fact. Whatever
    it raises is noted in the ledger; steps finished before stay.
    """
    if not rules_are_in_force(federation, Ledger.objects.get(federation=federation)):
        raise OtherRules(
            f"{federation.code}: the stored ratings were worked out by other rules than this program's. See "
            f"what would move: manage.py recompute {federation.code} --all --preview"
        )
    ledger = _claim(federation)
    if ledger is None:
        return False
    began = timezone.now()
    try:
        with without_gc():
            done = _fold_and_write(federation, ledger, on_fact, rests)
    except jobs.MACHINE_TROUBLE:
        jobs.release_uncounted(ledger, folded=0, to_fold=0)
        raise
    except Exception as failure:
        record_failure(ledger, failure, began)
        raise
    if not done:  # somebody was faster
        jobs.release(ledger)
    return done


def _claim(federation: Federation) -> Ledger | None:
    """Take the lease on the ledger; None if there is no work for these rules, or another worker has it."""
    own = get_own_rules_hash(federation)
    pending = Ledger.objects.pending().computed_by_rules(own).select_related("federation")
    key = pending.filter(federation=federation).values_list("pk", flat=True).first()
    # A decision holds the row for a moment, and may not come back to wake anybody: wait for it.
    return jobs.claim(pending, key, wait_for_lock=True, folded=0, to_fold=0, rules=own) if key else None


def _fold_and_write(
    federation: Federation, ledger: Ledger, on_fact: ProgressCallback | None, rests: Rests | None
) -> bool:
    of_office = Fact.objects.filter(federation=federation, number__lte=ledger.facts)
    progress = Progress(ledger, of_office.in_force().filter(number__gt=ledger.line).count(), on_fact)
    for step in plan_steps(federation, ledger):
        progress.expect(len(step.rows) - step.new)
        if not take_step(step, federation, ledger, progress, rests):
            return False
        ledger.line = step.line
    return finish(ledger)


def take_step(
    step: FoldStep, federation: Federation, ledger: Ledger, progress: Progress, rests: Rests | None = None
) -> bool:
    """Fold and write one step; return False, with nothing written, where another recompute was faster."""
    many = len(step.rows) > _MANY_FACTS
    work = Work(federation, step.start, step.from_genesis, ledger.line, step.since, many=many)
    try:
        if rests and many:
            # Not the writing too, for which others wait on SQLite.
            run_at_low_priority(partial(_fold, work, step, ledger, progress, rests), progress.say)
        else:
            _fold(work, step, ledger, progress, None)
        work.settle()
        line = Fact.objects.get(federation=federation, number=step.line)
        if line.kind == "revised" and line.number > step.published:
            record = read_record(federation, line.number)
            work.revised_rows = journal.list_of_line(record, line.number)
        return write(work, step, ledger)
    finally:
        work.close()


def _fold(work: Work, step: FoldStep, ledger: Ledger, progress: Progress, rests: Rests | None) -> None:
    for some in step.facts(work.federation):
        work.load_stored([row for row, _fact, _fingerprint in some])
        for row, fact, fingerprint in some:
            work.take(fact, row, fingerprint)
            # A list is drawn up once, empty or not.
            if row.kind == "list" and row.number > max(ledger.line, step.published):
                work.draw_up(fact, row)
            progress.step()
        if rests:
            rests.rest()


def finish(ledger: Ledger, **fields: Any) -> bool:
    """Release the ledger as done, and set `fields`; return False if another recompute was faster."""
    mine = Ledger.objects.filter(pk=ledger.pk, done=ledger.done, line=ledger.line, rules=ledger.rules)
    return bool(
        mine.update(
            done=ledger.wanted,
            finished_at=timezone.now(),
            holder=None,
            heartbeat=None,
            attempts=0,
            not_before=None,
            last_error="",
            folded=0,
            to_fold=0,
            **fields,
        )
    )


class Progress:
    """Writes the fold's progress to the ledger now and then, for pages to show; it is the heartbeat too."""

    def __init__(self, ledger: Ledger, total: int, on_fact: ProgressCallback | None = None) -> None:
        self.total, self.done, self.on_fact = total, 0, on_fact
        self.pulse = jobs.Pulse(ledger)
        self.writer = threading.get_ident()

    def expect(self, more: int) -> None:
        """Add facts that are to be folded to the total."""
        self.total += more
        self.say()

    def step(self) -> None:
        self.done += 1
        self.say()

    def tell(self, done: int, total: int) -> None:
        """Set the progress, where the caller counts by itself."""
        self.done, self.total = done, total
        self.say()

    def say(self) -> None:
        """Write the progress, unless that was just done. Only the thread that began it writes: one at a low
        priority would keep the database's lock while others keep it from the processors.
        """
        if threading.get_ident() != self.writer:
            return
        if self.pulse.beat(folded=self.done, to_fold=self.total) and self.on_fact:
            self.on_fact(self.done, self.total)


def must_wait(ledger: Ledger, now: datetime) -> bool:
    """Whether a failed recompute is not to be tried again yet. A moment later than the longest of `BACK_OFF`
    does not count: the clock was set back since.
    """
    return ledger.not_before is not None and now < ledger.not_before <= now + BACK_OFF[-1]


def record_failure(ledger: Ledger, failure: Exception, began: datetime) -> None:
    """Write the failure to the ledger; the more there were, the longer the next attempt waits."""
    wait = BACK_OFF[min(ledger.attempts, len(BACK_OFF)) - 1]
    jobs.release(ledger, not_before=began + wait, last_error=str(failure) or repr(failure))
    mend = gettext_noop("The office's desk names the section; un-rating it sets the office free.")
    log.error("recompute of %s failed at %s", ledger.federation.code, failure, extra={"mend": mend})


# ---- The progress of a recompute, and its trouble, for pages
_SECTION = re.compile(r"\(\w+ ([^ ()]+/[^ ()]+)\)")


def get_work_context(federation: Federation) -> dict[str, Any]:
    """The template context of the recompute: its progress while it is pending, the other rules that wait, and
    the failure that stopped it, with the section at which the rules failed.
    """
    ledger, trouble = Ledger.objects.get(federation=federation), None
    if ledger.last_error:
        named = _SECTION.search(ledger.last_error)
        key = named[1] if named else ""
        url = f"{federation.get_absolute_url()}events/{key}/review/" if key else ""
        trouble = {"words": ledger.last_error, "section": key, "url": url}
    return {
        "pending": get_progress_context(federation, ledger) if ledger.pending else None,
        "rules": RulesVersion.objects.waiting_in(federation, get_own_rules_hash(federation)),
        "trouble": trouble,
    }


def get_progress_context(federation: Federation, ledger: Ledger) -> dict[str, Any]:
    """The template context of the progress bar (`components/progress.html`) while a recompute is pending."""
    rules_wait = RulesVersion.objects.waiting_in(federation, get_own_rules_hash(federation)) is not None
    idle = _("Waiting for the office’s word on new rules") if rules_wait else _("Waiting for the worker")
    return {
        "words": _("Working out the ratings") if ledger.folded > 0 else idle,
        "done": ledger.folded,
        "total": ledger.to_fold or None,
        "url": reverse("ratings:progress", args=[federation.code]),
    }


# ---- Days on which the calendar alone moves ratings
#
# Pages compute the ratings of their day in any case. The recompute notes that the day was reached, and has
# the day's ratings ready before the first reader asks for them.
def request_if_calendar_moved(federation: Federation) -> bool:
    """Ask for a recompute (raise `wanted`) if the calendar moved ratings since the last one."""
    if federation.ruleset.calendar.days_of_change is None:
        return False
    now = today(federation)
    if not _calendar_moved(federation, Ledger.objects.get(federation=federation), now):
        return False
    with transaction.atomic():
        ledger = lock_ledger(federation)
        if ledger.pending or not _calendar_moved(federation, ledger, now):
            return False
        Ledger.objects.filter(pk=ledger.pk).update(wanted=F("wanted") + 1)
    return True


def _calendar_moved(federation: Federation, ledger: Ledger, now: date) -> bool:
    if ledger.finished_at is None or federation.ruleset.calendar.days_of_change is None:
        return False
    done_on = ledger.finished_at.astimezone(ZoneInfo(federation.equipment.office.time_zone)).date()
    if done_on >= now:
        return False
    wide = results.state_before(federation, AFTER_EVERYTHING, frozenset()).wide
    return bool(federation.ruleset.calendar.days_of_change(wide, done_on + ONE_DAY, now))


def cache_todays_tables(federation: Federation) -> None:
    """Compute the tables that depend on today's date and leave them in the cache for the first reader."""
    if federation.ruleset.calendar.days_of_change is None:
        return
    now = today(federation)
    for page in pages_of(federation.ruleset):
        if page.ratings or page.tables:
            get_page_tables(federation, page, now, now)
