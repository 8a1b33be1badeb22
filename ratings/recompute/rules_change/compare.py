"""Replays an office's journal by this program's rules and counts what is stored otherwise; it only reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from players.office.models import Federation
from players.register.models import Player
from ratings.journal.export import sealed_lines
from ratings.journal.models import Fact
from ratings.law import facts, journal
from ratings.law.facts import PlayerId, State
from ratings.lists.contents import closing_of, drawn_up, moved_since, state_of_list
from ratings.lists.models import RatingList
from ratings.recompute.revised_lists import drawn_anew
from ratings.recompute.rules_change.effects import EXAMPLES, MovedRating, RulesEffects
from ratings.recompute.rules_change.published_seal import newest_seal
from ratings.results.as_of import line_of_day
from ratings.results.models import Change, PastChange, Standing, Wide
from ratings.results.read_states import known
from ratings.storage.bulk_writing import batches

_AT_ONCE = 50
LOOKED_AT = 4_000
"""Facts that are replayed for past days; the day before the newest correction is replayed in any case."""

OnFact = Callable[[int, int], None]


class Result(NamedTuple):
    """A stored change without its standing: ratings before and after, points, games."""

    before: Decimal | None
    after: Decimal | None
    points: Decimal | None
    games: int


def compare(federation: Federation, line: int, on_fact: OnFact | None = None) -> RulesEffects:
    """Compare what is stored by the lines up to `line`, the last that was folded, with a replay of them.

    `on_fact` is told of the progress. Raises JournalError where the rules cannot read the journal, and
    whatever the rules raise at a fact.
    """
    record = journal.read_journal(sealed_lines(federation))
    ordered = journal.resolve(record, through=line)
    comparison = ReplayComparison(federation)
    comparison.compare_fold(ordered, on_fact)
    comparison.compare_left(ordered)
    comparison.compare_standings()
    comparison.compare_revisions(line)
    comparison.compare_past(record, line, most=max(1, LOOKED_AT // (len(ordered) or 1)))
    return comparison.effects_found()


class ReplayComparison:
    """Collects what differs, fact by fact and then standing by standing."""

    def __init__(self, federation: Federation) -> None:
        self.federation, self.ruleset = federation, federation.ruleset
        self.effects = RulesEffects()
        seal = newest_seal(federation)
        self.settled = seal.line if seal else 0
        """The line up to which lists go by the programs that drew them, whatever rules came since."""
        self.numbers = dict(Player.objects.filter(federation=federation).values_list("pk", "number"))
        self.state: State[Any] = State()
        self.players: set[PlayerId] = set()
        self.sections: list[str] = []
        self.lists: list[str] = []
        self.moved: list[MovedRating] = []
        wides = Wide.objects.filter(federation=federation)
        self.wides: dict[int | None, str] = dict(wides.values_list("order", "state"))

    def effects_found(self) -> RulesEffects:
        found = self.effects
        found.players, found.ratings = len(self.players), len(self.moved)
        found.sections, found.lists = len(self.sections), len(self.lists)
        self.moved.sort(key=lambda each: (each.by is not None, -abs(each.by or Decimal(0)), each.player))
        found.moved = self.moved[:EXAMPLES]
        found.named_sections, found.named_lists = self.sections[:EXAMPLES], self.lists[:EXAMPLES]
        return found

    # ------------------------------------------------------------ facts

    def compare_fold(self, ordered: Sequence[facts.Fact], on_fact: OnFact | None) -> None:
        rows = self._rows(ordered)
        wide = self.state.wide
        for done, (fact, changes, _state) in enumerate(self.ruleset.fold(ordered, self.state), start=1):
            row, stored = next(rows)
            if row is None:
                self.sections.append(_name_of(fact))
                continue
            self._compare_place(row, fact)
            if self._compare_changes(stored, changes):
                self.sections.append(_name_of(fact))
            if self.state.wide != wide:
                wide = self.state.wide
                self._compare_wide(row)
            self._compare_lists(fact, row)
            if on_fact:
                on_fact(done, len(ordered))
        self.effects.facts = len(ordered)
        self.effects.tables |= bool(self.wides)

    def _rows(
        self, ordered: Sequence[facts.Fact]
    ) -> Iterator[tuple[Fact | None, dict[tuple[PlayerId, str], tuple[Result, str]]]]:
        """For each fact its row, None where it is not folded, and its stored changes by player and track."""
        folded = Fact.objects.filter(federation=self.federation).exclude(folded="")
        for some in batches(ordered, _AT_ONCE):
            here = folded.filter(number__in=[fact.number for fact in some]).defer("line", "particulars")
            rows = {row.number: row for row in here}
            stored: dict[int, dict[tuple[PlayerId, str], tuple[Result, str]]] = {}
            columns = ("fact_id", "player_id", "track", "before", "after", "points", "games", "state")
            of_rows = Change.objects.filter(fact__in=[row.pk for row in rows.values()])
            for key, player, track, *told, text in of_rows.values_list(*columns):
                place = self.numbers.get(player, "?"), track
                stored.setdefault(key, {})[place] = Result(*told), text
            for fact in some:
                row = rows.get(fact.number)
                yield row, stored.get(row.pk, {}) if row else {}

    def _compare_place(self, row: Fact, fact: facts.Fact) -> None:
        place = self.ruleset.journal.order_key(fact), journal.fingerprint(fact, self.ruleset)
        self.effects.texts += (row.order, row.folded) != place

    def _compare_changes(
        self,
        stored: dict[tuple[PlayerId, str], tuple[Result, str]],
        changes: Sequence[facts.Change[Any]],
    ) -> bool:
        """Note the players whose changes by one fact differ from the stored ones; return whether any do."""
        differ = set()
        for player, track, before, after, points in changes:
            known = stored.pop((player, track), None)
            result = Result(before.rating if before else None, after.rating, points, after.games)
            if known is None or known[0] != result or not self._same(track, known[1], after):
                differ.add(player)
        differ |= {player for player, _track in stored}
        self.players |= differ
        return bool(differ)

    def _same(self, track: str, text: str, standing: Any) -> bool:
        """Whether a stored standing says what the rules give; it may say so in other words."""
        storage = self.ruleset.storage
        if text == storage.dump(standing):
            return True
        try:
            same = bool(storage.load(track, text) == standing)
        except (ValueError, TypeError, KeyError, ArithmeticError):
            return False
        self.effects.texts += same
        return same

    def _compare_wide(self, row: Fact) -> None:
        storage, text = self.ruleset.storage, self.wides.pop(row.order, None)
        if text == storage.dump_wide(self.state.wide):
            return
        if text is None or storage.load_wide is None or storage.load_wide(text) != self.state.wide:
            self.effects.tables = True
        else:
            self.effects.texts += 1

    def compare_left(self, ordered: Sequence[facts.Fact]) -> None:
        """Note facts that are folded, and that these rules do not fold."""
        taken = {fact.number for fact in ordered}
        folded = Fact.objects.filter(federation=self.federation).exclude(folded="")
        for row in folded.defer("line", "particulars"):
            if row.number not in taken:
                self.sections.append(row.subject or f"{row.number} {row.kind}")
                moved = Change.objects.filter(fact=row).values_list("player__number", flat=True)
                self.players |= set(moved)

    # ------------------------------------------------------------ standings

    def compare_standings(self) -> None:
        expected = dict(self.state.standings)
        rows = Standing.objects.filter(federation=self.federation)
        told = rows.values_list("player_id", "track", "rating", "games", "due", "state")
        for key, track, rating, games, due, text in told.iterator(5_000):
            player = self.numbers.get(key, "?")
            standing = expected.pop((player, track), None)
            self._compare_rating(player, track, rating, standing)
            counted = standing is not None and (games, due) == (standing.games, standing.due)
            if not counted or not self._same(track, text, standing):
                self.players.add(player)
        for (player, track), standing in expected.items():
            self.players.add(player)
            self._compare_rating(player, track, None, standing)

    def _compare_rating(self, player: PlayerId, track: str, before: Decimal | None, standing: Any) -> None:
        after = None if standing is None else standing.rating
        if before != after:
            self.players.add(player)
            self.moved.append(MovedRating(player, track, before, after))

    # ------------------------------------------------------------ lists

    def _compare_lists(self, fact: facts.Fact, row: Fact) -> None:
        """Compare the lists that a closing published with those that it would publish by these rules."""
        if closing_of(fact) is None or row.number <= self.settled:
            return
        later = moved_since(self.federation, fact)
        drawn = drawn_up(self.ruleset, fact, state_of_list(self.federation, fact) if later else self.state)
        edition = self.ruleset.edition_for(fact).name
        lists = {each.track: each for each in RatingList.objects.filter(fact=row)}
        for track in sorted(drawn.keys() | lists.keys()):
            self._compare_list(lists.get(track), drawn.get(track, []), edition, f"{track} {row.on}")

    def _compare_list(
        self, rating_list: RatingList | None, drawn: Sequence[Any], edition: str, name: str
    ) -> None:
        if rating_list is None or rating_list.edition != edition:
            self.lists.append(name)
            return
        rows = rating_list.rows.order_by("position")
        shown = [(each.player, each.rating, each.games, each.rank, each.status) for each in drawn]
        told = rows.values_list("player__number", "rating", "games", "rank", "status")
        if bytes(rating_list.content) != journal.list_content(drawn) or list(told) != shown:
            self.lists.append(name)

    def compare_revisions(self, line: int) -> None:
        revised = Fact.objects.filter(federation=self.federation, kind="revised", number__lte=line)
        for row in revised.filter(number__gt=self.settled):
            drawn = drawn_anew(self.federation, row)
            for each in RatingList.objects.filter(fact=row):
                edition = self.ruleset.edition_of_day(each.on).name
                name = f"{each.track} {each.on} r{each.revision}"
                self._compare_list(each, drawn.get(each.track, ()), edition, name)

    # ------------------------------------------------------------ past days

    def compare_past(self, record: journal.Journal, line: int, most: int) -> None:
        """Compare what was known on past days, each the last before a correction; `most` days, the newest
        first. `line`: the last that was folded.
        """
        for day in self._corrected_days(line)[:most]:
            ordered, then = journal.resolve(record, day), line_of_day(self.federation, day)
            kept = self._known_at(ordered, then)
            for fact, changes, _state in self.ruleset.fold(ordered, State()):
                if self._compare_changes(next(kept), changes):
                    self.sections.append(f"{_name_of(fact)}, as known on {day}")

    def _corrected_days(self, line: int) -> list[date]:
        """The days after which something known became other, the newest first."""
        of_office = PastChange.objects.filter(fact__federation=self.federation)
        corrections = set(of_office.order_by().values_list("until", flat=True).distinct())
        lines = Fact.objects.filter(federation=self.federation, number__lte=line, on__isnull=False)
        before: date | None = None
        newest: date | None = None
        found: set[date] = set()
        for number, on in lines.order_by("number").values_list("number", "on"):
            if on != newest:
                before, newest = newest, on
            if number in corrections and before is not None:
                found.add(before)
        return sorted(found, reverse=True)

    def _known_at(
        self, ordered: Sequence[facts.Fact], line: int
    ) -> Iterator[dict[tuple[PlayerId, str], tuple[Result, str]]]:
        """For each fact the changes that were known at a line, by player and track."""
        columns = ("fact__number", "player_id", "track", "before", "after", "points", "games", "state")
        for some in batches(ordered, _AT_ONCE):
            numbers = [fact.number for fact in some]
            stored: dict[int, dict[tuple[PlayerId, str], tuple[Result, str]]] = {}
            for rows in known(Change, PastChange, line):
                here = rows.filter(fact__federation=self.federation, fact__number__in=numbers)
                for number, player, track, *told, text in here.values_list(*columns):
                    place = self.numbers.get(player, "?"), track
                    stored.setdefault(number, {})[place] = Result(*told), text
            for fact in some:
                yield stored.get(fact.number, {})


def _name_of(fact: facts.Fact) -> str:
    """The name of a fact for officials: a section's id, else its line and kind."""
    if isinstance(fact, facts.RatedSection):
        return fact.section.id
    return f"{fact.number} {journal.KINDS[type(fact.fact)]}"
