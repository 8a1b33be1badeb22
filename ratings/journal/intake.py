"""Makes a new office from a journal: its facts, its register and its events."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from datetime import date
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.models import Federation, Ledger, Region
from players.office.record import Refused, decide
from players.register.kept_names import keep_names
from players.register.models import Player
from players.register.names import fold
from ratings.journal.append import fact_row, put_in_order, sealed_line
from ratings.journal.models import Fact, StatedPre
from ratings.journal.pre_ratings import Stated, entrants_without, stated_rows, with_merges
from ratings.law import facts, journal
from ratings.storage.bulk import MANY, NULL, Spool, take_stock
from tournaments.events.journal_line import written_particulars
from tournaments.events.models import Bye, Entry, Event, Game, Section, Stage
from tournaments.identity.ids import NUMBER


@transaction.atomic
def import_journal(record: journal.Journal, *, on: date) -> Federation:
    """Make a new office from a journal that was read without problems, and want its recompute.

    Raises `Refused` where an office of that code holds facts already.
    """
    federation = _empty_office(record.federation)
    Intake(federation, record.lines).write()
    ledger = Ledger.objects.select_for_update().get(federation=federation)
    ledger.facts = len(record.lines)
    ledger.wanted += 1
    ledger.save(update_fields=["facts", "wanted"])
    named = {fact.id: fact.name for _number, fact in record.lines if isinstance(fact, facts.Player)}
    decide(
        federation,
        kind="import",
        by=None,
        on=on,
        about=f"office {federation.code}",
        facts=ledger.facts,
        nameless=sorted(number for number, name in named.items() if name is None),
    )
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


class Intake:
    """Takes in a journal's lines, each in the light of those above, and writes facts, register and events."""

    def __init__(self, federation: Federation, lines: Sequence[journal.Line]) -> None:
        self.federation = federation
        self.rows: list[Fact] = []
        self.players: dict[str, facts.Player] = {}
        """The newest particulars under each number."""
        self.lines: dict[str, str] = {}
        """The newest player lines under each number, as stored."""
        self.named: list[facts.Player] = []
        self.names: dict[str, str] = {}
        """Merged numbers and whom each was merged into, as far as lines were taken."""
        self.renames: list[journal.Line] = []
        self.sections: dict[str, facts.Section] = {}
        self.section_rows: dict[str, Fact] = {}
        self.rated: dict[str, tuple[Fact, facts.Rated]] = {}
        """The `rated` line in force of each section."""
        self.stages: dict[str, Stage] = {}
        self.stated: dict[str, list[tuple[int, int]]] = {}
        """For each number, the lines that stated a pre-rating, and the pre-rating."""
        self.pres: list[StatedPre] = []
        for number, fact in lines:
            self._take(number, fact)

    def _take(self, number: int, fact: facts.JournalFact) -> None:
        row = fact_row(self.federation, number, fact, sealed_line(fact, self.federation.ruleset))
        self.rows.append(row)
        match fact:
            case facts.Player():
                self.players[fact.id], self.lines[fact.id] = fact, row.line
                self.named.append(fact)
            case facts.Section():
                self._take_section(row, fact)
            case facts.Rated():
                self._take_rated(row, fact)
            case facts.Unrated():
                self.rated.pop(fact.section)[0].taken_back = number
                self.stages[fact.section] = Stage.UNRATED
            case facts.Merged() | facts.Parted():
                self.renames.append(journal.Line(number, fact))
                self.names = journal.merges(self.renames)
        if row.kind in self.federation.ruleset.folds and not isinstance(fact, facts.Rated):
            put_in_order(row, journal.placed(number, fact, self.names))

    def _take_section(self, row: Fact, fact: facts.Section) -> None:
        self.sections[fact.id], self.section_rows[fact.id] = fact, row
        self.stages.setdefault(fact.id, Stage.FILED)
        if not self.federation.ruleset.pre_values:
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
        roots = {journal.root(self.names, player) for player in entrants}
        players = {player: self.players[player] for player in roots}
        pres = with_merges(self._stated_before, section, taken.number, taken.pres, self.names)
        put_in_order(row, journal.rated_section(row.number, fact.on, section, players, self.names, pres))
        self.rated[fact.section] = row, fact
        self.stages[fact.section] = Stage.RATED

    def _stated_before(self, numbers: Collection[str], line: int) -> Stated:
        found = {}
        for number in numbers:
            told = self.stated.get(number, [])
            if at := bisect_left(told, (line, 0)):
                found[number] = told[at - 1]
        return found

    def write(self) -> None:
        """Write everything in a few bulk statements."""
        regions = self._write_regions()
        keys = self._write_players(regions)
        sections = self._write_sections(regions)
        self._write_play(sections, keys)
        self._write_facts(sections)
        if len(self.rows) >= MANY:
            take_stock(Player, Section, Entry, Game, Fact)

    def _write_regions(self) -> dict[str | None, Region]:
        """The regions that players name, by code, and under None the federation's own."""
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
            surname, first_name = _names_of(player)
            rows.append(
                Player(
                    federation=self.federation,
                    number=player.id,
                    surname=surname,
                    first_name=first_name,
                    salt=player.salt or "",
                    name_seal=player.seal or "",
                    withheld=player.name is None,
                    nation=player.nation or "",
                    resident=player.resident,
                    included_by=player.included_by or "",
                    region=regions[player.region] if player.region else None,
                    name_key=fold(surname)[:120],
                )
            )
        Player.objects.bulk_create(rows, batch_size=2_000)
        keep_names(self.federation, self.named)
        keys = {row.number: row.pk for row in rows}
        for number in self.names:
            Player.objects.filter(pk=keys[number]).update(merged_into=keys[journal.root(self.names, number)])
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
            rated_on=rated[1].on if rated else None,
            submitted_on=rated[1].on if rated else None,
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
        surname, first_name = _names_of(self.players[entry.player])
        return Entry(
            section=section,
            number=number,
            surname=surname,
            first_name=first_name,
            filed_id=entry.player,
            id_kind=NUMBER,
            rating=entry.rating,
            place=entry.place,
            team=entry.team or "",
            women=entry.women,
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
            row.takes = row.takes  # sets `takes_id`: the section's row has its key now
        Fact.objects.bulk_create(rated, batch_size=1_000)
        StatedPre.objects.bulk_create(self.pres, batch_size=5_000)


def _names_of(player: facts.Player) -> tuple[str, str]:
    """Surname and first name; both empty where only the seal came."""
    surname, _comma, first_name = (player.name or "").partition(", ")
    return surname, first_name
