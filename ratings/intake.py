"""Takes in lines of a journal that was written elsewhere: a whole journal, of which a new office is made with
its facts, register and events; or the lines that a restored office lacks, from a copy that its checkpoint
signs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from players.models import Federation, Identifier, Ledger, Player, Region, SealedName
from players.names import fold
from players.record import Refused, decide, lock_ledger
from players.register import keep_names
from players.storage import MANY, NULL, Spool, batches, take_stock, write_rows
from ratings.journal import (
    Stated,
    entrants_without,
    fact_row,
    put_in_order,
    sealed_line,
    stated_rows,
    with_merges,
)
from ratings.merging import read_anew
from ratings.models import Fact, StatedPre
from ratings.rulesets import facts, journal
from ratings.signing import go_on, keep_newest
from tournaments.matching import NUMBER
from tournaments.models import Bye, Entry, Event, Game, Section, Stage
from tournaments.sections import Incomplete, section_fact, written_particulars


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


# ---- Writes facts, register and events into an empty office, in bulk.
_SECTIONS_AT_ONCE = 500


def write_office(intake: Intake) -> None:
    """Write an office's facts, register and events in a few bulk statements."""
    regions = _write_regions(intake)
    keys = _write_players(intake, regions)
    events: dict[str, Event] = {}
    for section in intake.sections.values():
        number = section.id.rpartition("/")[0]
        event = events.setdefault(number, event_row(intake, section, regions[None]))
        event.starts, event.ends = min(event.starts, section.starts), max(event.ends, section.ends)
    Event.objects.bulk_create(events.values(), batch_size=2_000)
    sections = {
        fact.id: section_row(intake, events[fact.id.rpartition("/")[0]], fact)
        for fact in intake.sections.values()
    }
    Section.objects.bulk_create(sections.values(), batch_size=2_000)
    write_play(intake, sections, keys)
    write_facts(intake.rows, intake.pres, sections)
    if len(intake.rows) >= MANY:
        take_stock(Player, Section, Entry, Game, Fact)


def _write_regions(intake: Intake) -> dict[str | None, Region]:
    """The office's regions by code, made first where players name others; under None, a region for events
    that no region is known of.
    """
    codes = {player.region for player in intake.players.values() if player.region}
    known = {region.code: region for region in intake.federation.regions.all()}
    new = [
        Region(federation=intake.federation, code=code, name=code) for code in sorted(codes - known.keys())
    ]
    regions: dict[str | None, Region] = {
        r.code: r for r in [*known.values(), *Region.objects.bulk_create(new)]
    }
    own, _created = Region.objects.get_or_create(
        federation=intake.federation,
        code=intake.federation.code.upper()[:10],
        defaults={"name": intake.federation.name},
    )
    return {**regions, None: own}


def _write_players(intake: Intake, regions: dict[str | None, Region]) -> dict[str, int]:
    rows = [player_row(intake, player, regions) for player in intake.players.values()]
    Player.objects.bulk_create(rows, batch_size=2_000)
    keep_names(intake.federation, [player for _line, player in intake.named])
    keys = {row.number: row.pk for row in rows}
    for number in intake.names:
        Player.objects.filter(pk=keys[number]).update(merged_into=keys[journal.root(intake.names, number)])
    count_numbers(intake)
    return keys


def player_row(intake: Intake, player: facts.Player, regions: Mapping[str | None, Region]) -> Player:
    """Make the register's row of a player as the newest line has it, unsaved."""
    surname, first_name = _names_of(player)
    return Player(
        federation=intake.federation,
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


def count_numbers(intake: Intake) -> None:
    """Set the office's next player number above all that the journal has given out."""
    numbers = [int(number) for number in intake.players if number.isdecimal() and len(number) < 18]
    highest = max(numbers, default=0) + 1
    if numbers and highest != intake.federation.next_player_number:
        intake.federation.next_player_number = highest
        intake.federation.save(update_fields=["next_player_number"])


def event_row(intake: Intake, section: facts.Section, region: Region) -> Event:
    """Make the row of the event that a section belongs to, unsaved."""
    return Event(
        federation=intake.federation,
        number=section.id.rpartition("/")[0],
        name=section.event[:100],
        region=region,
        country=section.country or "",
        starts=section.starts,
        ends=section.ends,
        registered_on=section.starts,
    )


def section_row(intake: Intake, event: Event, fact: facts.Section) -> Section:
    rated = intake.rated.get(fact.id)
    return Section(
        event=event,
        code=fact.id.rpartition("/")[2],
        name=fact.name,
        stage=intake.stages[fact.id],
        starts=fact.starts,
        ends=fact.ends,
        format=fact.format,
        rounds=fact.rounds,
        team=fact.team,
        particulars=written_particulars(fact, intake.federation.ruleset),
        rated_on=rated[1].on if rated else None,
        submitted_on=rated[1].on if rated else None,
    )


def write_play(intake: Intake, sections: Mapping[str, Section], keys: Mapping[str, int]) -> None:
    """Write entries, games and byes of these sections, by section id; `keys`: players' keys by number."""
    told = [intake.sections[key] for key in sections]
    entries = write_entries(
        _entry(intake, sections[fact.id], number, entry, keys)
        for fact in told
        for number, entry in enumerate(fact.entries, start=1)
    )
    games = Spool(
        Game, ("section_id", "order", "round", "first_id", "second_id", "result", "excused", "line")
    )
    byes = Spool(Bye, ("section_id", "round", "entry_id", "kind"))
    for fact in told:
        section = str(sections[fact.id].pk)
        numbered = enumerate(fact.entries, start=1)
        pks = {entry.player: entries[sections[fact.id].pk, number] for number, entry in numbered}
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


def write_entries(entries: Iterable[Entry]) -> dict[tuple[int, int], str]:
    """Write entries of new sections; return their keys as text, by section and starting number."""
    rows = list(entries)
    write_rows(Entry, rows)
    keys = {}
    for some in batches({entry.section_id for entry in rows}, _SECTIONS_AT_ONCE):
        written = Entry.objects.filter(section__in=some).order_by()
        for section, number, pk in written.values_list("section_id", "number", "pk"):
            keys[section, number] = str(pk)
    return keys


def _entry(
    intake: Intake, section: Section, number: int, entry: facts.Entry, keys: Mapping[str, int]
) -> Entry:
    surname, first_name = _names_of(intake.players[entry.player])
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


def write_facts(rows: Sequence[Fact], pres: Sequence[StatedPre], sections: Mapping[str, Section]) -> None:
    """Write the journal's rows, each with its section, and the rows of pre-ratings that they state."""
    for row in rows:
        if row.kind in ("section", "rated", "unrated"):
            row.section = sections[row.subject]
    # The keys of lines are needed that others name: sections', and the first ratings of those rated again.
    rated: list[Any] = [row for row in rows if row.kind == "rated"]
    firsts = {row.first_rated.number for row in rated if row.first_rated}
    Fact.objects.bulk_create([row for row in rows if row.kind == "section"], batch_size=1_000)
    for row in rated:
        row.takes = row.takes  # sets `takes_id`: the section's row has its key now
    Fact.objects.bulk_create([row for row in rated if row.number in firsts], batch_size=1_000)
    for row in rated:
        row.first_rated = row.first_rated
    write_rows(Fact, [row for row in rows if row.kind != "section" and row.number not in firsts])
    write_rows(StatedPre, pres)


def _names_of(player: facts.Player) -> tuple[str, str]:
    """Surname and first name of a player's line; both empty where the line has only a seal."""
    surname, _comma, first_name = (player.name or "").partition(", ")
    return surname, first_name


@transaction.atomic
def import_journal(record: journal.Journal, *, on: date) -> Federation:
    """Make a new office from a journal that was read without problems, and ask for its recompute.

    Raises `Refused` where an office of that code holds facts already.
    """
    federation = _empty_office(record.federation)
    write_office(Intake(federation, record.lines))
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
            _("The office “%(code)s” is not empty. Import the journal into an empty office.")
            % {"code": first.code}
        )
    return federation


def take_lines(
    *, federation: Federation, copy: journal.Journal, note: str, on: date, at: datetime
) -> tuple[int, int]:
    """Append the lines that a restored office lacks, from a copy of its journal and a checkpoint (`note`) of
    ours that signs them; then let the office go on.

    Returns the numbers of the first and the last of them. Names, births, files and words that no public copy
    has stay lost. Raises `Refused`, with nothing written, where the copy is too short, another office's, or
    not what was signed, or where no line is missing.
    """
    head = keep_newest(federation, note)
    if copy.federation.code != federation.code or len(copy.lines) < head.size:
        raise Refused(
            _("The copy has %(lines)s lines of “%(code)s”, and the checkpoint signs %(size)s of “%(own)s”.")
            % {
                "lines": len(copy.lines),
                "code": copy.federation.code,
                "size": head.size,
                "own": federation.code,
            }
        )
    with transaction.atomic():
        held = lock_ledger(federation).facts
        if held >= head.size:
            raise Refused(_("No line is missing: say so with “manage.py log %s resume”.") % federation.code)
        intake = Intake(federation, copy.lines[: head.size])
        # Raise `Refused` if the copy's first `held` lines are not the office's own, on which the rest builds.
        stored = Fact.objects.filter(federation=intake.federation).order_by("number")
        for (number, line), row in zip(stored.values_list("number", "line"), intake.rows[:held], strict=True):
            if row.line != line:
                words = _("Line %(number)s of the copy is another than the one that is here.")
                raise Refused(words % {"number": number})
        TakenBack(intake, held).write()
        nameless = sorted({player.id for line, player in intake.named if line > held and player.name is None})
        Ledger.objects.filter(federation=federation).update(facts=head.size, wanted=F("wanted") + 1)
        told: dict[str, Any] = {"first": held + 1, "nameless": nameless}
        go_on(federation=federation, note=note, on=on, at=at, kind="take-lines", **told)
    return held + 1, head.size


class TakenBack:
    """Writes the lines above number `above`, and what follows from them for register and events, into an
    office that has the lines up to it.
    """

    def __init__(self, intake: Intake, above: int) -> None:
        self.intake, self.above = intake, above
        self.federation = intake.federation
        self.new = [row for row in intake.rows if row.number > above]

    def write(self) -> None:
        self._write_players()
        sections = self._write_sections()
        self._know_older_lines()
        write_facts(self.new, [pre for pre in self.intake.pres if pre.line > self.above], sections)
        self._read_merges()
        self._withhold()

    # ---------------------------------------------------------------- people

    def _write_players(self) -> None:
        numbers = {row.subject for row in self.new if row.kind == "player"}
        told = [self.intake.players[number] for number in sorted(numbers)]
        regions = self._regions(told)
        known = {row.number: row for row in self._players(numbers)}
        for player in told:
            row = player_row(self.intake, player, regions)
            if (old := known.get(player.id)) is not None:
                row = _brought_up(old, row)
            row.save()
        keep_names(self.federation, [player for line, player in self.intake.named if line > self.above])
        count_numbers(self.intake)

    def _regions(self, told: list[facts.Player]) -> dict[str | None, Region]:
        regions = self.federation.regions.all()
        found: dict[str | None, Region] = {region.code: region for region in regions}
        for code in {player.region for player in told if player.region} - found.keys():
            found[code] = Region.objects.create(federation=self.federation, code=code, name=code)
        return found

    def _players(self, numbers: set[str]) -> Iterator[Player]:
        rows = Player.objects.filter(federation=self.federation, number__in=numbers)
        return rows.select_related("region").iterator()

    def _withhold(self) -> None:
        """Withhold everybody whose name the copy does not give, though the restored office still has it."""
        sealed = {player.seal: number for number, player in self.intake.players.items() if player.seal}
        named = SealedName.objects.filter(federation=self.federation, seal__in=sealed)
        hidden = [sealed[seal] for seal in named.values_list("seal", flat=True)]
        Player.objects.filter(federation=self.federation, number__in=hidden).update(withheld=True)

    def _read_merges(self) -> None:
        """Point each entry that a new line merged or parted to the player as whom it is read now."""
        names = self.intake.names
        named = {row.subject for row in self.new if row.kind in ("merged", "parted")}
        moved = {number for number in self.intake.players if journal.root(names, number) in named} | named
        roots = {journal.root(names, number) for number in moved}
        people = list(Player.objects.filter(federation=self.federation, number__in=moved | roots))
        read_anew(self.federation, people)
        for each in people:
            if each.merged_into:
                Identifier.objects.filter(player=each).update(player=each.merged_into)

    # ---------------------------------------------------------------- play

    def _write_sections(self) -> dict[str, Section]:
        """Write every section that a new line names as its newest line says; return the rows by its id."""
        keys = list(
            dict.fromkeys(row.subject for row in self.new if row.kind in ("section", "rated", "unrated"))
        )
        players = dict(Player.objects.filter(federation=self.federation).values_list("number", "pk"))
        sections = {key: self._section(self.intake.sections[key]) for key in keys}
        anew = {key: section for key, section in sections.items() if not self._agrees(section, key)}
        for section in anew.values():
            section.entries.all().delete()
            section.games.all().delete()
            section.byes.all().delete()
        write_play(self.intake, anew, players)
        return sections

    def _section(self, fact: facts.Section) -> Section:
        """Make or update a section's row by its newest line, with the stage that follows from the lines."""
        number, _slash, code = fact.id.rpartition("/")
        event = Event.objects.filter(federation=self.federation, number=number).first()
        if event is None:
            event = event_row(self.intake, fact, self._own_region())
        event.starts, event.ends = min(event.starts, fact.starts), max(event.ends, fact.ends)
        event.save()
        told = section_row(self.intake, event, fact)
        section = event.sections.filter(code=code).first() if event.pk else None
        if section is None:
            told.save()
            return told
        for name in ("name", "starts", "ends", "format", "rounds", "team", "particulars", "rated_on"):
            setattr(section, name, getattr(told, name))
        if told.stage != Stage.FILED:
            section.stage, section.version = told.stage, section.version + 1
        section.submitted_on = section.submitted_on or told.submitted_on
        section.save()
        return section

    def _own_region(self) -> Region:
        """The region for events registered after the backup, whose true region nobody knows any more."""
        own, _created = Region.objects.get_or_create(
            federation=self.federation,
            code=self.federation.code.upper()[:10],
            defaults={"name": self.federation.name},
        )
        return own

    def _agrees(self, section: Section, key: str) -> bool:
        """Whether a section's stored entries and games are those of its newest line, pre-ratings aside."""
        told = self.intake.sections[key]
        entries = tuple(replace(entry, pre=None) for entry in told.entries)
        try:
            return section_fact(section) == replace(told, entries=entries)
        except Incomplete:
            return False

    # ---------------------------------------------------------------- lines

    def _know_older_lines(self) -> None:
        """Give older lines the database keys of their rows, and mark the rows that a new line un-rates."""
        stored = Fact.objects.filter(federation=self.federation)
        keys = dict(stored.values_list("number", "pk"))
        for row in self.intake.rows[: self.above]:
            row.pk = keys.get(row.number)
            if row.taken_back and row.taken_back > self.above:
                stored.filter(number=row.number).update(taken_back=row.taken_back)


def _brought_up(old: Player, told: Player) -> Player:
    """A player's row, updated by a newer line; a name that the line withholds stays under the same seal."""
    for name in ("nation", "resident", "included_by", "region"):
        setattr(old, name, getattr(told, name))
    old.withheld = old.withheld or told.withheld
    if told.withheld and told.name_seal == old.name_seal:
        return old
    for name in ("surname", "first_name", "salt", "name_seal", "name_key", "first_name_key"):
        setattr(old, name, getattr(told, name))
    return old
