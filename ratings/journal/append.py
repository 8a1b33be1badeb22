"""Appends lines to an office's journal under the ledger's lock: numbered, canonical, placed in the fold."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from players.office.models import Federation, Ledger
from players.register.kept_names import keep_names
from ratings.journal.models import Fact, StatedPre
from ratings.journal.read_facts import aliases, folded_fact
from ratings.journal.stated_pre_ratings import own_pres, stated_rows
from ratings.law import facts, journal
from ratings.law.ruleset import Ruleset
from ratings.law.seals import sealed

_TOGETHER = 500
"""The number of lines that one statement appends."""


def federation_fact(federation: Federation) -> facts.Federation:
    """The fact in a journal's first line: form, code, ruleset and name of the office."""
    return facts.Federation(
        form=facts.FORM, code=federation.code, ruleset=federation.ruleset_slug, name=federation.name
    )


def sealed_line(fact: facts.JournalFact, ruleset: Ruleset) -> str:
    """Write a fact's line as the office stores it, without names; ValueError for a name without a salt."""
    if not isinstance(fact, facts.Player):
        return journal.write_line(fact, ruleset)
    player = sealed(fact)
    if player.seal is None:
        raise ValueError(f"player {player.id}: a name is stored by its seal alone, and this one has no salt")
    return journal.write_line(player, ruleset)


def subject_of(fact: facts.JournalFact) -> str:
    """The player's number or section's id that a line is about, stored to look the line up by; else empty."""
    match fact:
        case facts.Player():
            return fact.id
        case facts.Section():
            return fact.id
        case facts.Rated() | facts.Unrated():
            return fact.section
        case facts.Rank() | facts.Opening() | facts.Merged() | facts.Parted():
            return fact.player
        case _:
            return ""


def fact_row(
    federation: Federation,
    number: int,
    fact: facts.JournalFact,
    line: str,
    *,
    takes: Fact | None = None,
    particulars: str = "",
    section_id: int | None = None,
) -> Fact:
    """Make the database row of one journal line, unsaved and without its place in the order of the fold."""
    return Fact(
        federation=federation,
        number=number,
        kind=journal.KINDS[type(fact)],
        subject=subject_of(fact),
        on=getattr(fact, "on", None),
        line=line,
        takes=takes,
        particulars=particulars,
        section_id=section_id,
    )


def put_in_order(row: Fact, folded: facts.Fact) -> None:
    """Set a row's place in the order of the fold, and the fingerprint with which it is to be folded."""
    ruleset = row.federation.ruleset
    row.order = ruleset.journal.order_key(folded)
    row.fingerprint = journal.fingerprint(folded, ruleset)


class JournalWriter:
    """Appends lines to one office's journal; its user holds the ledger's lock
    (`players.office.decision_record`).
    """

    def __init__(self, federation: Federation, ledger: Ledger) -> None:
        self.federation, self.ledger = federation, ledger
        self.ruleset = federation.ruleset
        if ledger.facts == 0:
            self.write(federation_fact(federation))

    def write(
        self,
        fact: facts.JournalFact,
        *,
        takes: Fact | None = None,
        particulars: str = "",
        section_id: int | None = None,
    ) -> Fact:
        """Append one fact as a line and return its row; if the ruleset folds its kind, with place and
        fingerprint. `takes`: the section line that a `rated` line rates, `particulars`: the player lines it
        goes by.
        """
        self.ledger.facts += 1
        row = fact_row(
            self.federation,
            self.ledger.facts,
            fact,
            sealed_line(fact, self.ruleset),
            takes=takes,
            particulars=particulars,
            section_id=section_id,
        )
        if isinstance(fact, facts.Section):
            row.pres = own_pres(self.federation, fact, row.number)
            StatedPre.objects.bulk_create(stated_rows(self.federation, fact, row.number))
        if isinstance(fact, facts.Rated):
            row.first_rated = Fact.objects.first_rating(self.federation, fact.section)
        if row.kind in self.ruleset.journal.folds:
            put_in_order(row, folded_fact(row, aliases(self.federation)))
        row.save(force_insert=True)
        self.ledger.save(update_fields=["facts"])
        return row

    def write_players(self, players: Collection[facts.Player]) -> list[str]:
        """Append a line for each player whose line changed; return all their lines as stored, by id."""
        lines = {player.id: sealed_line(player, self.ruleset) for player in players}
        known = newest_lines(self.federation, lines)
        by_id = sorted(players, key=lambda player: player.id)
        self._write_together([player for player in by_id if known.get(player.id) != lines[player.id]])
        return [lines[number] for number in sorted(lines)]

    def _write_together(self, players: Collection[facts.Player]) -> None:
        """Append players' lines in one statement: a register import has thousands."""
        first = self.ledger.facts + 1
        rows = [
            fact_row(self.federation, number, player, sealed_line(player, self.ruleset))
            for number, player in enumerate(players, first)
        ]
        if "player" in self.ruleset.journal.folds:
            names = aliases(self.federation)
            for row in rows:
                put_in_order(row, folded_fact(row, names))
        Fact.objects.bulk_create(rows, batch_size=_TOGETHER)
        keep_names(self.federation, players)
        self.ledger.facts += len(rows)
        self.ledger.save(update_fields=["facts"])

    def write_openings(self, openings: Collection[facts.Opening]) -> None:
        """Append opening ratings in one statement, as a list has thousands; with place and fingerprint."""
        rows = [
            fact_row(self.federation, number, opening, sealed_line(opening, self.ruleset))
            for number, opening in enumerate(openings, self.ledger.facts + 1)
        ]
        names = aliases(self.federation)
        for row in rows:
            put_in_order(row, folded_fact(row, names))
        Fact.objects.bulk_create(rows, batch_size=_TOGETHER)
        self.ledger.facts += len(rows)
        self.ledger.save(update_fields=["facts"])

    def ask_for_recompute(self) -> None:
        """Ask the worker for a recompute; the wish commits with the lines."""
        self.ledger.wanted += 1
        self.ledger.save(update_fields=["wanted"])

    def day(self, on: date) -> date:
        """The day to write in a new line: days never go backwards in a journal, whatever the clock does."""
        return day_of(self.federation, on)


def day_of(federation: Federation, on: date) -> date:
    """The day to write in a line on the given day: no earlier than the newest line's."""
    dated = Fact.objects.filter(federation=federation, on__isnull=False).order_by("-number")
    newest = dated.values_list("on", flat=True).first()  # and the latest
    return max(on, newest) if newest else on


def newest_lines(federation: Federation, numbers: Collection[str]) -> dict[str, str]:
    """The newest line of each of these players as it is stored, by number."""
    rows = Fact.objects.about(federation, numbers, "player").values_list("number", "subject", "line")
    return {subject: line for _number, subject, line in sorted(rows)}
