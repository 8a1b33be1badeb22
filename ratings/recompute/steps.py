"""Cuts the new lines of a journal into the steps of a recompute: which facts each folds, and from where.

Of the lines not folded yet, the last of each day and each list are *cuts*: the results there are asked for
later (`results.as_of`). A line that corrects stands between two cuts, so that its step tells its effect.
Where lines only append to the fold, many cuts are passed in one step. Where something reaches back (a section
played earlier, one taken back, a merge, a note that moves), the fold is brought to the cut before it, and
then to its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from django.db.models import Q

from players.office.models import Federation, Ledger
from ratings.journal.models import Fact, FactQuerySet
from ratings.journal.read_facts import AFTER_EVERYTHING, aliases_at, folded_fact, put_away
from ratings.law import facts, journal
from ratings.law.facts import PlayerId
from ratings.results.read_states import newest_order
from ratings.storage.bulk_writing import batches
from tournaments.events.models import IN_RATED, Entry

_AT_ONCE = 50
_CUTS = frozenset({"list", "revised"})
CORRECTING = frozenset({"unrated", "merged", "parted", "revised"})
"""The kinds of lines that take back or mend earlier lines; a section rated again mends too."""
_RENAMES = frozenset({"merged", "parted"})
Names = Mapping[PlayerId, PlayerId]


class UnfoldedLine(NamedTuple):
    """A line of the journal that is not folded yet, with all by which a recompute is cut into steps."""

    number: int
    kind: str
    on: date | None
    order: int | None
    taken_back: int | None
    key: int
    corrects: bool = False
    """Whether it takes back or mends earlier lines."""


@dataclass(slots=True)
class FoldStep:
    """One step of a recompute: the facts to fold so that everything in force at a line is folded, from a
    place in the order on.
    """

    line: int
    """The last line that is read."""
    start: int = AFTER_EVERYTHING
    rows: list[tuple[int, str]] = field(default_factory=list)
    """Keys of facts in order, with the fingerprint that each is to be folded with."""
    since: int | None = None
    """The line from which all differences count as known; None: each change from its own fact's line."""
    names: Names = field(default_factory=dict)
    """Merged players and whom each was merged into."""
    annotated: Mapping[int, facts.Fact] = field(default_factory=dict)
    """Facts that the ruleset annotated, by key."""
    renamed: Mapping[int, str] = field(default_factory=dict)
    """New fingerprints of facts in which merges change a player, by key; empty: put away."""
    from_genesis: bool = False
    new: int = 0
    """The number of facts folded for the first time."""
    published: int = 0
    """The line up to which lists and errata stand already, where everything is folded anew."""

    def facts(self, federation: Federation) -> Iterator[list[tuple[Fact, facts.Fact, str]]]:
        """Read the step's facts in small lists: row, fact, and the fingerprint to fold it with. A statement
        held open would keep old rows of the database alive.
        """
        for some in batches(self.rows, _AT_ONCE):
            rows = Fact.objects.select_related("takes", "first_rated").in_bulk([key for key, _ in some])
            for row in rows.values():
                row.federation = federation
            yield [
                (rows[key], self.annotated.get(key) or folded_fact(rows[key], self.names), fingerprint)
                for key, fingerprint in some
            ]


def steps(federation: Federation, ledger: Ledger) -> Iterator[FoldStep]:
    """The steps that fold up to the ledger's newest line. Write each before asking for the next."""
    reader = (AnnotatedReader if federation.ruleset.journal.annotate else Reader)(federation, ledger)
    waiting: list[UnfoldedLine] = []
    for lines in segments(reader.pending, reader.day):
        if reader.reaches_back(lines):
            if waiting:
                yield reader.append(waiting)
            yield reader.go_back(lines)
            waiting = []
        elif lines[-1].corrects:
            if waiting:
                yield reader.append(waiting)
            reader.passed(lines)
            yield reader.append(lines)
            waiting = []
            continue
        else:
            waiting += lines
        reader.passed(lines)
    if waiting:
        yield reader.append(waiting)


def segments(lines: Sequence[UnfoldedLine], day: date | None) -> Iterator[list[UnfoldedLine]]:
    """Cut new lines into runs, each the lines of one step: before a line of a later day, after a list, and
    around a correction. `day`: that of the lines before.
    """
    found: list[UnfoldedLine] = []
    for line in lines:
        if found and (line.corrects or (line.on and day and line.on > day)):
            yield found
            found = []
        found.append(line)
        day = line.on or day
        if line.kind in _CUTS or line.corrects:
            yield found
            found = []
    if found:
        yield found


def first_unrated(federation: Federation) -> dict[str, int]:
    """For each section's id, the number of the first line that un-rated it."""
    lines = Fact.objects.of_kinds(federation, "unrated").values_list("number", "subject")
    return {subject: number for number, subject in sorted(lines, reverse=True)}


def corrects(kind: str, unrated: int | None, number: int) -> bool:
    """Whether a line takes back or mends earlier ones. `unrated`: the line that first un-rated its section,
    after which a rating is one anew.
    """
    return kind in CORRECTING or (kind == "rated" and unrated is not None and unrated < number)


def is_correction(kind: str, subject: str, number: int, federation: Federation) -> bool:
    """Whether a line takes back or mends earlier ones, looked up for this line alone."""
    if kind != "rated":
        return kind in CORRECTING
    earlier = Fact.objects.filter(federation=federation, kind="unrated", subject=subject, number__lt=number)
    return earlier.exists()


class Reader:
    """Makes the steps of a recompute: knows how far the fold has come, and what the next lines ask of it."""

    def __init__(self, federation: Federation, ledger: Ledger) -> None:
        self.federation, self.ruleset = federation, federation.ruleset
        self.of_office = Fact.objects.filter(federation=federation)
        self.line, self.newest = ledger.line, ledger.facts
        """The last line that is passed, and the last to read."""
        self.top = newest_order(federation)
        """The last place in the order that is taken by the lines passed."""
        self.names: Names = aliases_at(federation, self.line)
        new = self.of_office.filter(number__gt=self.line, number__lte=self.newest).order_by("number")
        unrated = first_unrated(federation)
        self.pending = [
            UnfoldedLine(number, kind, on, order, back, key, corrects(kind, unrated.get(subject), number))
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
        """By `unrated` lines not folded yet, the `rated` lines that they take back."""
        lost = self.of_office.in_force(self.line).not_folded().exclude(fingerprint="")
        self.lost: list[int] = [order for order in lost.values_list("order", flat=True) if order is not None]
        """The places in the order of facts up to that line whose mark of the fold was lost."""

    def reaches_back(self, lines: Sequence[UnfoldedLine]) -> bool:
        """Whether these lines change results of earlier lines, so that the fold has to go back."""
        return (
            bool(self.lost)
            or any(line.kind in _RENAMES for line in lines)
            or any(self.taken_back.get(line.number, self.newest) <= self.line for line in lines)
            or any(order < self.top for order in self.orders(lines))
        )

    def passed(self, lines: Sequence[UnfoldedLine]) -> None:
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
        rows = (
            self.of_office.in_force(end).filter(number__range=(lines[0].number, end)).exclude(fingerprint="")
        )
        return FoldStep(
            line=end,
            start=min(orders),
            rows=list(rows.order_by("order").values_list("pk", "fingerprint")),
            names=self.names,
            from_genesis=not self._folded_before(min(orders)),
            new=len(orders),
        )

    def go_back(self, lines: Sequence[UnfoldedLine]) -> FoldStep:
        """The step for lines that change earlier results: everything in force is folded anew from the first
        place that they touch.
        """
        end = lines[-1].number
        renamed = self._rename(lines, end)
        places = [*self.orders(lines), *self._left(end), *self._places(renamed), *self._lost()]
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

    def _lost(self) -> list[int]:
        """The places of facts to be folded anew because their mark was lost, for the next step alone."""
        lost, self.lost = self.lost, []
        return lost

    def _left(self, end: int) -> list[int]:
        """The places in the order of folded facts that the lines up to `end` un-rate."""
        left = self.of_office.in_force(self.line).filter(taken_back__lte=end).order_by()
        return [order for order in left.values_list("order", flat=True) if order is not None]

    def _places(self, renamed: Mapping[int, str]) -> list[int]:
        rows = self.of_office.filter(pk__in=renamed, order__isnull=False)
        return [order for order in rows.values_list("order", flat=True) if order is not None]

    def _rename(self, lines: Sequence[UnfoldedLine], end: int) -> dict[int, str]:
        """Take in the merges and partings up to `end`. Returns the fingerprints of facts that they change, by
        the fact's key; empty for a line that a merge puts away.
        """
        if not any(line.kind in _RENAMES for line in lines):
            return {}
        before, self.names = self.names, aliases_at(self.federation, end)
        renames = self.of_office.filter(pk__in=[line.key for line in lines if line.kind in _RENAMES])
        people = named_in(renames, self.federation)
        roots = {journal.root(names, each) for each in people for names in (before, self.names)}
        people |= roots
        for names in (before, self.names):
            people |= {each for each in names if journal.root(names, each) in roots}
        found, away = {}, put_away(self.federation, self.names, end)
        for row in self._naming(people, end).select_related("takes", "first_rated"):
            row.federation = self.federation
            fingerprint = ""
            if row.number not in away:
                fingerprint = journal.fingerprint(folded_fact(row, self.names), self.ruleset)
            if fingerprint != row.fingerprint:
                found[row.pk] = fingerprint
        return found

    def _naming(self, people: set[PlayerId], end: int) -> FactQuerySet:
        """The lines in force at the line `end` that may name any of these people."""
        entered = Entry.objects.filter(
            IN_RATED, player__number__in=people, section__event__federation=self.federation
        )
        rated = Q(section__in=entered.values("section")) | Q(taken_back__gt=end)
        named = Q(kind__in=("player", "opening", "rank"), subject__in=people) | Q(kind="playoff")
        return self.of_office.in_force(end).filter(Q(kind="rated") & rated | named)


def named_in(renames: FactQuerySet, federation: Federation) -> set[PlayerId]:
    """The numbers of the players whom lines of merging and parting name."""
    people: set[PlayerId] = set()
    for line in renames.values_list("line", flat=True):
        fact = journal.parse_line(line, federation.ruleset)
        people |= {str(number) for name in ("player", "into") if (number := getattr(fact, name, None))}
    return people


class AnnotatedReader(Reader):
    """Makes the steps where a ruleset adds notes to facts by their order: every fact is read once and kept,
    since a new one may change the notes of older ones.
    """

    def __init__(self, federation: Federation, ledger: Ledger) -> None:
        super().__init__(federation, ledger)
        self.plain: dict[int, tuple[int, facts.Fact]] = {}
        """Facts in force by the lines passed, by number, each with its key."""
        self.noted: dict[int, tuple[int, facts.Fact]] = {}
        """The same facts, annotated."""
        self._read(self.of_office.in_force(self.line))
        self.next: list[facts.Fact] = self._annotate()
        self._note()

    def reaches_back(self, lines: Sequence[UnfoldedLine]) -> bool:
        end, known = lines[-1].number, self.line
        back = super().reaches_back(lines)
        if any(line.kind in _RENAMES for line in lines):
            return True  # `go_back` works the merges out
        self._take_in(end, known)
        self.next = self._annotate()
        return back or any(self._differs(fact) for fact in self.next if fact.number <= known)

    def passed(self, lines: Sequence[UnfoldedLine]) -> None:
        super().passed(lines)
        self._note()

    def append(self, lines: Sequence[UnfoldedLine]) -> FoldStep:
        step = super().append(lines)
        numbers = {line.number for line in lines}
        new = [self.noted[number] for number in numbers & self.noted.keys()]
        return self._with(step, new)

    def go_back(self, lines: Sequence[UnfoldedLine]) -> FoldStep:
        end = lines[-1].number
        renamed = self._rename(lines, end)
        if any(line.kind in _RENAMES for line in lines):
            changed = self.of_office.filter(pk__in=renamed)
            for number in changed.values_list("number", flat=True):
                self.plain.pop(number, None)
            self._read(changed.in_force(end), renamed)
            self._take_in(end, self.line, renamed)
            self.next = self._annotate()
        key = self.ruleset.journal.order_key
        others = [key(fact) for fact in self.next if self._differs(fact)]
        gone = [key(fact) for number, (_key, fact) in self.noted.items() if number not in self.plain]
        start = min([*others, *gone, *self._left(end), *self._lost(), AFTER_EVERYTHING])
        step = FoldStep(
            line=end,
            start=start,
            since=end,
            names=self.names,
            renamed=renamed,
            from_genesis=not self._folded_before(start),
            new=len(self.orders(lines)),
        )
        return self._with(step, [self._keyed(fact) for fact in self.next if key(fact) >= start])

    def _take_in(self, end: int, known: int, renamed: Mapping[int, str] | None = None) -> None:
        """Take in the facts in force from lines after `known` up to `end`; drop those that these un-rate."""
        for taken_back, number in self.taken_back.items():
            if taken_back <= end:
                self.plain.pop(number, None)
        self._read(self.of_office.in_force(end).filter(number__gt=known, number__lte=end), renamed)

    def _read(self, rows: FactQuerySet, renamed: Mapping[int, str] | None = None) -> None:
        for row in rows.select_related("takes", "first_rated"):
            if not (renamed or {}).get(row.pk, row.fingerprint):
                continue
            row.federation = self.federation
            self.plain[row.number] = row.pk, folded_fact(row, self.names)

    def _annotate(self) -> list[facts.Fact]:
        return self.ruleset.journal_order(fact for _key, fact in self.plain.values())

    def _differs(self, fact: facts.Fact) -> bool:
        return self.noted.get(fact.number) != self._keyed(fact)

    def _keyed(self, fact: facts.Fact) -> tuple[int, facts.Fact]:
        return self.plain[fact.number][0], fact

    def _note(self) -> None:
        self.noted = {fact.number: self._keyed(fact) for fact in self.next}

    def _with(self, step: FoldStep, found: Iterable[tuple[int, facts.Fact]]) -> FoldStep:
        """Give the step these facts, each with its key, in the order of the fold."""
        ordered = sorted(found, key=lambda each: self.ruleset.journal.order_key(each[1]))
        step.rows = [(key, journal.fingerprint(fact, self.ruleset)) for key, fact in ordered]
        step.annotated = dict(ordered)
        return step
