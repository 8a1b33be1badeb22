"""Makes an office's rows of a journal's checked lines, one by one: facts, particulars, stages, merges."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence

from players.office.models import Federation
from ratings.journal.append import fact_row, put_in_order, sealed_line
from ratings.journal.models import Fact, StatedPre
from ratings.journal.stated_pre_ratings import Stated, entrants_without, stated_rows, with_merges
from ratings.law import facts, journal
from tournaments.events.models import Stage


class Intake:
    """Takes in a journal's lines one by one, each in the light of those above, and keeps what an office is
    made of: rows, newest particulars, stages, merges.
    """

    def __init__(
        self,
        federation: Federation,
        lines: Sequence[journal.JournalLine],
        texts: Mapping[int, str] | None = None,
    ) -> None:
        """`texts`: lines as they are stored, by number, as far as somebody has written them already."""
        self.federation, self.texts = federation, texts or {}
        self.rows: list[Fact] = []
        self.players: dict[str, facts.Player] = {}
        """The newest particulars under each number."""
        self.lines: dict[str, str] = {}
        """The newest player lines under each number, as stored."""
        self.named: list[tuple[int, facts.Player]] = []
        """Each line of a player, by number."""
        self.names: dict[str, str] = {}
        """Merged numbers and whom each was merged into, as far as lines were taken."""
        self.renames: list[journal.JournalLine] = []
        self.sections: dict[str, facts.Section] = {}
        self.section_rows: dict[str, Fact] = {}
        self.rated: dict[str, tuple[Fact, facts.Rated]] = {}
        """The `rated` line in force of each section."""
        self.first_rated: dict[str, Fact] = {}
        """The first `rated` line of each section, taken back or not."""
        self.stages: dict[str, Stage] = {}
        self.stated: dict[str, list[tuple[int, int]]] = {}
        """For each number, the lines that stated a pre-rating, and the pre-rating."""
        self.pres: list[StatedPre] = []
        for number, fact in lines:
            self._take(number, fact)

    def _take(self, number: int, fact: facts.JournalFact) -> None:
        text = self.texts.get(number) or sealed_line(fact, self.federation.ruleset)
        row = fact_row(self.federation, number, fact, text)
        self.rows.append(row)
        match fact:
            case facts.Player():
                self.players[fact.id], self.lines[fact.id] = fact, row.line
                self.named.append((number, fact))
            case facts.Section():
                self._take_section(row, fact)
            case facts.Rated():
                self._take_rated(row, fact)
            case facts.Unrated():
                self.rated.pop(fact.section)[0].taken_back = number
                self.stages[fact.section] = Stage.UNRATED
            case facts.Merged() | facts.Parted():
                self.renames.append(journal.JournalLine(number, fact))
                self.names = journal.merges(self.renames)
        if row.kind in self.federation.ruleset.journal.folds and not isinstance(fact, facts.Rated):
            put_in_order(row, journal.placed(number, fact, self.names))

    def _take_section(self, row: Fact, fact: facts.Section) -> None:
        self.sections[fact.id], self.section_rows[fact.id] = fact, row
        self.stages.setdefault(fact.id, Stage.FILED)
        if self.federation.ruleset.pre_ratings is None:
            return
        own = self._stated_before(entrants_without(fact), row.number)
        row.pres = {player: pre for player, (_line, pre) in own.items()}
        self.pres += stated_rows(self.federation, fact, row.number)
        for entry in fact.entries:
            if entry.pre is not None:
                self.stated.setdefault(entry.player, []).append((row.number, entry.pre))

    def _take_rated(self, row: Fact, fact: facts.Rated) -> None:
        section, taken = self.sections[fact.section], self.section_rows[fact.section]
        entrants = sorted(entry.player for entry in section.entries)
        row.takes, row.particulars = taken, "\n".join(self.lines[player] for player in entrants)
        first = self.first_rated.setdefault(fact.section, row)
        row.first_rated = first if first is not row else None
        roots = {journal.root(self.names, player) for player in entrants}
        players = {player: self.players[player] for player in roots}
        pres = with_merges(self._stated_before, section, taken.number, taken.pres, self.names)
        place = first.number, first.on or fact.on
        put_in_order(row, journal.rated_section(row.number, place, section, players, self.names, pres))
        self.rated[fact.section] = row, fact
        self.stages[fact.section] = Stage.RATED

    def _stated_before(self, numbers: Collection[str], line: int) -> Stated:
        found = {}
        for number in numbers:
            told = self.stated.get(number, [])
            if at := bisect_left(told, (line, 0)):
                found[number] = told[at - 1]
        return found
