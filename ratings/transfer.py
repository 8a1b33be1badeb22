"""A whole office out and in: its journal as lines, and a new office made from a journal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from players.journal import WITHHELD
from players.models import Federation, Ledger, Player, Region
from players.names import fold
from players.record import Refused, decide
from ratings.bulk import MANY, NULL, Spool, take_stock
from ratings.models import Fact
from ratings.pen import fact_row, federation_fact, put_in_order
from ratings.rulesets import facts, journal
from ratings.rulesets.ruleset import Ruleset
from tournaments.ids import NUMBER
from tournaments.journal import written_particulars
from tournaments.models import Bye, Entry, Event, Game, Section, Stage


def journal_lines(federation: Federation) -> Iterator[str]:
    """The journal's lines without line ends; an office that holds no fact has its first line all the same.

    Who asked not to be named stands under the same number as “withheld”, in older lines too: no fingerprint
    and no rating follows from a name.
    """
    rows = Fact.objects.filter(federation=federation).order_by("number")
    if not rows.exists():
        yield journal.write_line(federation_fact(federation), federation.ruleset)
        return
    withheld = Player.objects.filter(federation=federation).filter(
        Q(withheld=True) | Q(merged_into__withheld=True)
    )
    hidden = set(withheld.order_by().values_list("number", flat=True))
    for kind, subject, line in rows.values_list("kind", "subject", "line").iterator(chunk_size=500):
        yield _withheld(line, federation.ruleset) if kind == "player" and subject in hidden else line


def _withheld(line: str, ruleset: Ruleset) -> str:
    player = journal.parse_line(line, ruleset)
    if not isinstance(player, facts.Player):
        raise TypeError("only a player has a name to withhold")
    return journal.write_line(replace(player, name=WITHHELD), ruleset)


@transaction.atomic
def import_journal(record: journal.Journal, *, on: date) -> Federation:
    """A new office from a journal that was read without a problem; its recompute is wanted when this is
    committed.

    Raises `Refused` where an office of that code holds facts already.
    """
    federation = _empty_office(record.federation)
    intake = Intake(federation, journal.merges(record.lines))
    for number, fact in record.lines:
        intake.take(number, fact)
    intake.write()
    ledger = Ledger.objects.select_for_update().get(federation=federation)
    ledger.facts = len(record.lines)
    ledger.wanted += 1
    ledger.save(update_fields=["facts", "wanted"])
    decide(federation, kind="import", by=None, on=on, about=f"office {federation.code}", facts=ledger.facts)
    return federation


def _empty_office(first: facts.Federation) -> Federation:
    federation, _created = Federation.objects.get_or_create(
        code=first.code, defaults={"name": first.name, "ruleset_slug": first.ruleset}
    )
    Ledger.objects.get_or_create(federation=federation)
    held = (
        Fact.objects.filter(federation=federation).exists()
        or Player.objects.filter(federation=federation).exists()
    )
    if held or federation.ruleset_slug != first.ruleset:
        raise Refused(
            _("The office “%(code)s” is not empty. Import a journal into an office that holds nothing.")
            % {"code": first.code}
        )
    return federation


@dataclass
class Intake:
    """Collects a journal's lines, and writes them as rows: facts, and beside them the register and the
    events.
    """

    federation: Federation
    aliases: dict[str, str]
    rows: list[Fact] = field(default_factory=list)
    players: dict[str, facts.Player] = field(default_factory=dict)
    people: dict[str, facts.Player] = field(default_factory=dict)
    """The newest particulars of each, by the number under which the journal is read."""
    sections: dict[str, facts.Section] = field(default_factory=dict)
    section_rows: dict[str, Fact] = field(default_factory=dict)
    rated: dict[str, tuple[Fact, facts.Section, facts.Rated, dict[str, facts.Player]]] = field(
        default_factory=dict
    )
    """The `rated` line in force of each section, with what it takes."""
    stages: dict[str, Stage] = field(default_factory=dict)
    others: list[tuple[Fact, facts.JournalFact]] = field(default_factory=list)

    def take(self, number: int, fact: facts.JournalFact) -> None:
        ruleset = self.federation.ruleset
        row = fact_row(self.federation, number, fact, journal.write_line(fact, ruleset))
        self.rows.append(row)
        match fact:
            case facts.Player():
                self.players[fact.id] = self.people[journal.root(self.aliases, fact.id)] = fact
            case facts.Section():
                self.sections[fact.id], self.section_rows[fact.id] = fact, row
                self.stages.setdefault(fact.id, Stage.FILED)
            case facts.Rated():
                self._take_rated(row, fact)
            case facts.Unrated():
                self.rated.pop(fact.section)
                self.stages[fact.section] = Stage.UNRATED
        if row.kind in ruleset.folds and not isinstance(fact, facts.Rated):
            self.others.append((row, fact))

    def _take_rated(self, row: Fact, fact: facts.Rated) -> None:
        section = self.sections[fact.section]
        named = sorted(journal.root(self.aliases, entry.player) for entry in section.entries)
        players = {number: self.people[number] for number in named}
        row.takes = self.section_rows[fact.section]
        ruleset = self.federation.ruleset
        row.particulars = "\n".join(journal.write_line(player, ruleset) for player in players.values())
        self.rated[fact.section] = row, section, fact, players
        self.stages[fact.section] = Stage.RATED

    def write(self) -> None:
        """Everything in a few bulk statements."""
        self._place()
        regions = self._write_regions()
        keys = self._write_players(regions)
        sections = self._write_sections(regions)
        self._write_play(sections, keys)
        self._write_facts(sections)
        if len(self.rows) >= MANY:
            take_stock(Player, Section, Entry, Game, Fact)

    def _place(self) -> None:
        for row, section, rated, players in self.rated.values():
            put_in_order(row, journal.rated_section(row.number, rated.on, section, players, self.aliases))
        for row, fact in self.others:
            put_in_order(row, journal.placed(row.number, fact, self.aliases))

    def _write_regions(self) -> dict[str | None, Region]:
        """The regions that the players name, and the federation's own for what names none."""
        codes = {player.region for player in self.players.values() if player.region}
        known = {region.code: region for region in self.federation.regions.all()}
        new = [
            Region(federation=self.federation, code=code, name=code) for code in sorted(codes - known.keys())
        ]
        regions: dict[str | None, Region] = {
            r.code: r for r in [*known.values(), *Region.objects.bulk_create(new)]
        }
        own, _created = Region.objects.get_or_create(
            federation=self.federation,
            code=self.federation.code.upper()[:10],
            defaults={"name": self.federation.name},
        )
        return {**regions, None: own}

    def _write_players(self, regions: dict[str | None, Region]) -> dict[str, int]:
        rows = []
        for player in self.players.values():
            surname, _comma, first_name = player.name.partition(", ")
            rows.append(
                Player(
                    federation=self.federation,
                    number=player.id,
                    surname=surname,
                    first_name=first_name,
                    sex=player.sex or "",
                    born=player.born,
                    nation=player.nation or "",
                    resident=player.resident,
                    included_by=player.included_by or "",
                    region=regions[player.region] if player.region else None,
                    name_key=fold(surname)[:120],
                )
            )
        Player.objects.bulk_create(rows, batch_size=2_000)
        keys = {row.number: row.pk for row in rows}
        for number in self.aliases:
            Player.objects.filter(pk=keys[number]).update(
                merged_into=keys[journal.root(self.aliases, number)]
            )
        numbers = [int(number) for number in keys if number.isdecimal() and len(number) < 18]
        if numbers:
            self.federation.next_player_number = max(numbers) + 1
            self.federation.save(update_fields=["next_player_number"])
        return keys

    def _write_sections(self, regions: dict[str | None, Region]) -> dict[str, Section]:
        events: dict[str, Event] = {}
        for section in self.sections.values():
            number = section.id.rpartition("/")[0]
            event = events.setdefault(
                number,
                Event(
                    federation=self.federation,
                    number=number,
                    name=section.event[:100],
                    region=regions[None],
                    country=section.country or "",
                    starts=section.starts,
                    ends=section.ends,
                    registered_on=section.starts,
                ),
            )
            event.starts, event.ends = min(event.starts, section.starts), max(event.ends, section.ends)
        Event.objects.bulk_create(events.values(), batch_size=2_000)
        rows = {
            fact.id: self._section_row(events[fact.id.rpartition("/")[0]], fact)
            for fact in self.sections.values()
        }
        Section.objects.bulk_create(rows.values(), batch_size=2_000)
        return rows

    def _section_row(self, event: Event, fact: facts.Section) -> Section:
        rated = self.rated.get(fact.id)
        return Section(
            event=event,
            code=fact.id.rpartition("/")[2],
            name=fact.name,
            stage=self.stages[fact.id],
            starts=fact.starts,
            ends=fact.ends,
            format=fact.format,
            rounds=fact.rounds,
            team=fact.team,
            particulars=written_particulars(fact, self.federation.ruleset),
            rated_on=rated[2].on if rated else None,
            submitted_on=rated[2].on if rated else None,
        )

    def _write_play(self, sections: dict[str, Section], keys: dict[str, int]) -> None:
        entries: dict[tuple[str, str], Entry] = {}
        for fact in self.sections.values():
            for number, entry in enumerate(fact.entries, start=1):
                entries[fact.id, entry.player] = self._entry(sections[fact.id], number, entry, keys)
        Entry.objects.bulk_create(entries.values(), batch_size=2_000)
        games = Spool(
            Game, ("section_id", "order", "round", "first_id", "second_id", "result", "excused", "line")
        )
        byes = Spool(Bye, ("section_id", "round", "entry_id", "kind"))
        for fact in self.sections.values():
            section = str(sections[fact.id].pk)
            pks = {entry.player: str(entries[fact.id, entry.player].pk) for entry in fact.entries}
            for order, game in enumerate(fact.games, start=1):
                games.add(
                    section,
                    str(order),
                    str(game.round),
                    pks[game.first],
                    pks[game.second],
                    game.result,
                    game.excused or "",
                    NULL,
                )
            for bye in fact.byes:
                byes.add(section, str(bye.round), pks[bye.player], bye.kind)
        for spool in (games, byes):
            spool.write()
            spool.close()

    def _entry(self, section: Section, number: int, entry: facts.Entry, keys: dict[str, int]) -> Entry:
        player = self.players[entry.player]
        surname, _comma, first_name = player.name.partition(", ")
        return Entry(
            section=section,
            number=number,
            surname=surname,
            first_name=first_name,
            sex=player.sex or "",
            birth=str(player.born or ""),
            filed_id=entry.player,
            id_kind=NUMBER,
            rating=entry.rating,
            place=entry.place,
            team=entry.team or "",
            player_id=keys[entry.player],
            match=Entry.Match.CERTAIN,
            left_round=entry.left.round if entry.left else None,
            left_notified=entry.left.notified if entry.left else None,
        )

    def _write_facts(self, sections: dict[str, Section]) -> None:
        for row in self.rows:
            if row.kind in ("section", "rated", "unrated"):
                row.section = sections[row.subject]
        Fact.objects.bulk_create([row for row in self.rows if row.kind != "rated"], batch_size=1_000)
        rated: list[Any] = [row for row in self.rows if row.kind == "rated"]
        for row in rated:
            row.takes = row.takes  # the section's row has its key by now
        Fact.objects.bulk_create(rated, batch_size=1_000)
