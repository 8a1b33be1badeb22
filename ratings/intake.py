"""Import lines of a journal that was written elsewhere: a whole journal, from which a new office is made with
its facts, register and events; or the lines that a restored office lacks, from a copy that its checkpoint
signs.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from players.models import Federation, Identifier, Ledger, Player, Region, SealedName
from players.names import fold
from players.record import Refused, decide, lock_ledger
from players.register import save_sealed_names
from players.writing import MANY, NULL, Spool, batches, insert_instances, take_stock
from ratings.journal import (
    LastStatedPres,
    apply_merges_to_pres,
    build_stated_pre_rows,
    entrants_without_pre,
    fact_row,
    sealed_line,
    set_order_and_fingerprint,
)
from ratings.merging import refresh_merged_into
from ratings.models import Fact, StatedPre
from ratings.rulesets import facts, journal
from ratings.signing import end_hold, save_newest_checkpoint
from tournaments.matching import NUMBER
from tournaments.models import Bye, Entry, Event, Game, Section, Stage
from tournaments.sections import IncompleteSection, dump_particulars, section_fact


class Intake:
    """Reads a journal's lines in order and collects rows, newest particulars, stages and merges."""

    def __init__(self, federation: Federation, lines: Iterable[journal.JournalLine]) -> None:
        self.federation = federation
        self.rows: list[Fact] = []
        self.players: dict[str, facts.Player] = {}
        """The newest particulars under each number."""
        self.lines: dict[str, str] = {}
        """The newest player lines under each number, as stored."""
        self.named: list[tuple[int, facts.Player]] = []
        """Each line of a player, by number."""
        self.names: dict[str, str] = {}
        """Merged numbers and whom each was merged into, as of the last line read."""
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
            self.take(number, fact)

    def hand_over(self) -> tuple[list[Fact], list[StatedPre]]:
        """Hand over the rows since the last call, to be written, and forget their sections: no further line
        may refer to these.
        """
        rows, pres, self.rows, self.pres = self.rows, self.pres, [], []
        self.sections, self.section_rows, self.rated = {}, {}, {}
        self.first_rated, self.stages = {}, {}
        return rows, pres

    def take(self, number: int, fact: facts.JournalFact, text: str = "") -> None:
        """Read the next line. `text`: the line as it is stored, if that is known already."""
        text = text or sealed_line(fact, self.federation.ruleset)
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
            set_order_and_fingerprint(row, journal.place_fact(number, fact, self.names))

    def _take_section(self, row: Fact, fact: facts.Section) -> None:
        self.sections[fact.id], self.section_rows[fact.id] = fact, row
        self.stages.setdefault(fact.id, Stage.FILED)
        if self.federation.ruleset.pre_ratings is None:
            return
        own = self._stated_before(entrants_without_pre(fact), row.number)
        row.pres = {player: pre for player, (_line, pre) in own.items()}
        self.pres += build_stated_pre_rows(self.federation, fact, row.number)
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
        pres = apply_merges_to_pres(self._stated_before, section, taken.number, taken.pres, self.names)
        place = first.number, first.on or fact.on
        set_order_and_fingerprint(
            row, journal.rated_section(row.number, place, section, players, self.names, pres)
        )
        self.rated[fact.section] = row, fact
        self.stages[fact.section] = Stage.RATED

    def _stated_before(self, numbers: Collection[str], line: int) -> LastStatedPres:
        found = {}
        for number in numbers:
            stated = self.stated.get(number, [])
            if at := bisect_left(stated, (line, 0)):
                found[number] = stated[at - 1]
        return found


# ---- Writing facts, register and events into an empty office, in bulk
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
    """The regions by code, with new ones; under None, the region for events of an unknown region."""
    codes = {player.region for player in intake.players.values() if player.region}
    known = {region.code: region for region in intake.federation.regions.all()}
    new = [
        Region(federation=intake.federation, code=code, name=code) for code in sorted(codes - known.keys())
    ]
    regions: dict[str | None, Region] = {
        r.code: r for r in [*known.values(), *Region.objects.bulk_create(new)]
    }
    return {**regions, None: _own_region(intake.federation)}


def _own_region(federation: Federation) -> Region:
    """Get or make the region for events whose true region the journal does not tell."""
    own, _created = Region.objects.get_or_create(
        federation=federation, code=federation.code.upper()[:10], defaults={"name": federation.name}
    )
    return own


def _write_players(intake: Intake, regions: dict[str | None, Region]) -> dict[str, int]:
    rows = [player_row(intake, player, regions) for player in intake.players.values()]
    Player.objects.bulk_create(rows, batch_size=2_000)
    save_sealed_names(intake.federation, [player for _line, player in intake.named])
    keys = {row.number: row.pk for row in rows}
    for number in intake.names:
        Player.objects.filter(pk=keys[number]).update(merged_into=keys[journal.root(intake.names, number)])
    update_next_player_number(intake)
    return keys


def player_row(intake: Intake, player: facts.Player, regions: Mapping[str | None, Region]) -> Player:
    """Make the register's row of a player from the newest line, unsaved."""
    surname, first_name = _split_name(player)
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


def update_next_player_number(intake: Intake) -> None:
    """Set the office's next player number above all numbers in the journal."""
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
        particulars=dump_particulars(fact, intake.federation.ruleset),
        rated_on=rated[1].on if rated else None,
        submitted_on=rated[1].on if rated else None,
    )


def write_play(intake: Intake, sections: Mapping[str, Section], keys: Mapping[str, int]) -> None:
    """Write entries, games and byes of these sections, by section id; `keys`: players' keys by number."""
    written = [intake.sections[key] for key in sections]
    entries = write_entries(
        _entry(intake, sections[fact.id], number, entry, keys)
        for fact in written
        for number, entry in enumerate(fact.entries, start=1)
    )
    games = Spool(
        Game, ("section_id", "order", "round", "first_id", "second_id", "result", "excused", "line")
    )
    byes = Spool(Bye, ("section_id", "round", "entry_id", "kind"))
    for fact in written:
        section = str(sections[fact.id].pk)
        numbered = enumerate(fact.entries, start=1)
        pks = {entry.player: entries[sections[fact.id].pk, number] for number, entry in numbered}
        for order, game in enumerate(fact.games, start=1):
            first, second, excused = pks[game.first], pks[game.second], game.excused or ""
            games.add(section, str(order), str(game.round), first, second, game.result, excused, NULL)
        for bye in fact.byes:
            byes.add(section, str(bye.round), pks[bye.player], bye.kind)
    for spool in (games, byes):
        spool.write()
        spool.close()


def write_entries(entries: Iterable[Entry]) -> dict[tuple[int, int], str]:
    """Write entries of new sections; return their keys as text, by section and starting number."""
    rows = list(entries)
    insert_instances(Entry, rows)
    keys = {}
    for some in batches({entry.section_id for entry in rows}, _SECTIONS_AT_ONCE):
        written = Entry.objects.filter(section__in=some).order_by()
        for section, number, pk in written.values_list("section_id", "number", "pk"):
            keys[section, number] = str(pk)
    return keys


def _entry(
    intake: Intake, section: Section, number: int, entry: facts.Entry, keys: Mapping[str, int]
) -> Entry:
    surname, first_name = _split_name(intake.players[entry.player])
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
    # Sections and the first ratings of those rated again come first, because other lines refer to their keys.
    rated: list[Any] = [row for row in rows if row.kind == "rated"]
    firsts = {row.first_rated.number for row in rated if row.first_rated}
    Fact.objects.bulk_create([row for row in rows if row.kind == "section"], batch_size=1_000)
    for row in rated:
        row.takes = row.takes  # sets `takes_id`: the section's row has its key now
    Fact.objects.bulk_create([row for row in rated if row.number in firsts], batch_size=1_000)
    for row in rated:
        row.first_rated = row.first_rated
    insert_instances(Fact, [row for row in rows if row.kind != "section" and row.number not in firsts])
    insert_instances(StatedPre, pres)


def _split_name(player: facts.Player) -> tuple[str, str]:
    """Surname and first name of a player's line; both empty if the line has only a seal."""
    surname, _comma, first_name = (player.name or "").partition(", ")
    return surname, first_name


@transaction.atomic
def import_journal(source_journal: journal.Journal, *, on: date) -> Federation:
    """Make a new office from a journal that was read without problems, and ask for its recompute.

    Raises `Refused` if an office of that code has facts or players already.
    """
    federation = _get_empty_office(source_journal.federation)
    write_office(Intake(federation, source_journal.lines))
    ledger = Ledger.objects.select_for_update().get(federation=federation)
    ledger.facts = len(source_journal.lines)
    ledger.wanted += 1
    ledger.save(update_fields=["facts", "wanted"])
    named = {fact.id: fact.name for _number, fact in source_journal.lines if isinstance(fact, facts.Player)}
    decide(
        federation,
        kind="import",
        by=None,
        on=on,
        about=f"office {federation.code}",
        also=None,
        facts=ledger.facts,
        nameless=sorted(number for number, name in named.items() if name is None),
    )
    return federation


def _get_empty_office(first: facts.Federation) -> Federation:
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


def append_missing_lines(
    *, federation: Federation, journal_copy: journal.Journal, checkpoint_note: str, on: date, at: datetime
) -> tuple[int, int]:
    """Append the lines that a restored office lacks, from a copy of its journal and a checkpoint (`note`) of
    ours that signs them; then let the office continue.

    Returns the numbers of the first and the last of them. Names, births, files and words that no public copy
    has stay lost. Raises `Refused`, with nothing written, if the copy is too short, another office's, or not
    what was signed, or if no line is missing.
    """
    head = save_newest_checkpoint(federation, checkpoint_note)
    if journal_copy.federation.code != federation.code or len(journal_copy.lines) < head.size:
        raise Refused(
            _("The copy has %(lines)s lines of “%(code)s”, and the checkpoint signs %(size)s of “%(own)s”.")
            % {
                "lines": len(journal_copy.lines),
                "code": journal_copy.federation.code,
                "size": head.size,
                "own": federation.code,
            }
        )
    with transaction.atomic():
        held = lock_ledger(federation).facts
        if held >= head.size:
            raise Refused(_("No line is missing: say so with “manage.py log %s resume”.") % federation.code)
        intake = Intake(federation, journal_copy.lines[: head.size])
        # Raise `Refused` if the copy's first `held` lines are not the office's own, on which the rest builds.
        stored = Fact.objects.filter(federation=intake.federation).order_by("number")
        for (number, line), row in zip(stored.values_list("number", "line"), intake.rows[:held], strict=True):
            if row.line != line:
                words = _("Line %(number)s of the copy is another than the one that is here.")
                raise Refused(words % {"number": number})
        MissingLinesWriter(intake, held).write()
        nameless = sorted({player.id for line, player in intake.named if line > held and player.name is None})
        Ledger.objects.filter(federation=federation).update(facts=head.size, wanted=F("wanted") + 1)
        details: dict[str, Any] = {"first": held + 1, "nameless": nameless, "also": None}
        end_hold(federation=federation, note=checkpoint_note, on=on, at=at, kind="take-lines", **details)
    return held + 1, head.size


class MissingLinesWriter:
    """Writes the lines above `above`, with their effects, into an office that has the other lines."""

    def __init__(self, intake: Intake, above: int) -> None:
        self.intake, self.above = intake, above
        self.federation = intake.federation
        self.new = [row for row in intake.rows if row.number > above]

    def write(self) -> None:
        self._write_players()
        sections = self._write_sections()
        self._link_older_lines()
        write_facts(self.new, [pre for pre in self.intake.pres if pre.line > self.above], sections)
        self._apply_merges()
        self._withhold_sealed()

    def _write_players(self) -> None:
        numbers = {row.subject for row in self.new if row.kind == "player"}
        players = [self.intake.players[number] for number in sorted(numbers)]
        regions: dict[str | None, Region] = {region.code: region for region in self.federation.regions.all()}
        for code in {player.region for player in players if player.region} - regions.keys():
            regions[code] = Region.objects.create(federation=self.federation, code=code, name=code)
        rows = Player.objects.filter(federation=self.federation, number__in=numbers)
        known = {row.number: row for row in rows.select_related("region").iterator()}
        for player in players:
            row = player_row(self.intake, player, regions)
            if (old := known.get(player.id)) is not None:
                row = _update_player(old, row)
            row.save()
        save_sealed_names(
            self.federation, [player for line, player in self.intake.named if line > self.above]
        )
        update_next_player_number(self.intake)

    def _withhold_sealed(self) -> None:
        """Withhold the players whose names the copy does not give although the restored office has them."""
        sealed = {player.seal: number for number, player in self.intake.players.items() if player.seal}
        named = SealedName.objects.filter(federation=self.federation, seal__in=sealed)
        hidden = [sealed[seal] for seal in named.values_list("seal", flat=True)]
        Player.objects.filter(federation=self.federation, number__in=hidden).update(withheld=True)

    def _apply_merges(self) -> None:
        """Set the merge of each entry that a new line merged or parted."""
        names = self.intake.names
        named = {row.subject for row in self.new if row.kind in ("merged", "parted")}
        moved = {number for number in self.intake.players if journal.root(names, number) in named} | named
        roots = {journal.root(names, number) for number in moved}
        people = list(Player.objects.filter(federation=self.federation, number__in=moved | roots))
        refresh_merged_into(self.federation, people)
        for each in people:
            if each.merged_into:
                Identifier.objects.filter(player=each).update(player=each.merged_into)

    def _write_sections(self) -> dict[str, Section]:
        """Write every section that a new line names from its newest line; return the rows by id."""
        keys = list(
            dict.fromkeys(row.subject for row in self.new if row.kind in ("section", "rated", "unrated"))
        )
        players = dict(Player.objects.filter(federation=self.federation).values_list("number", "pk"))
        sections = {key: self._section(self.intake.sections[key]) for key in keys}
        changed = {key: section for key, section in sections.items() if not self._is_current(section, key)}
        for section in changed.values():
            section.entries.all().delete()
            section.games.all().delete()
            section.byes.all().delete()
        write_play(self.intake, changed, players)
        return sections

    def _section(self, fact: facts.Section) -> Section:
        """Make or update a section's row from its newest line, with the stage that follows from the lines."""
        number, _slash, code = fact.id.rpartition("/")
        event = Event.objects.filter(federation=self.federation, number=number).first()
        if event is None:
            event = event_row(self.intake, fact, _own_region(self.federation))
        event.starts, event.ends = min(event.starts, fact.starts), max(event.ends, fact.ends)
        event.save()
        newest = section_row(self.intake, event, fact)
        section = event.sections.filter(code=code).first() if event.pk else None
        if section is None:
            newest.save()
            return newest
        for name in ("name", "starts", "ends", "format", "rounds", "team", "particulars", "rated_on"):
            setattr(section, name, getattr(newest, name))
        if newest.stage != Stage.FILED:
            section.stage, section.version = newest.stage, section.version + 1
        section.submitted_on = section.submitted_on or newest.submitted_on
        section.save()
        return section

    def _is_current(self, section: Section, key: str) -> bool:
        """Whether a section's stored entries and games are those of its newest line, pre-ratings aside."""
        newest = self.intake.sections[key]
        entries = tuple(replace(entry, pre=None) for entry in newest.entries)
        try:
            return section_fact(section) == replace(newest, entries=entries)
        except IncompleteSection:
            return False

    def _link_older_lines(self) -> None:
        """Give older lines the database keys of their rows, and mark the rows that a new line un-rates."""
        stored = Fact.objects.filter(federation=self.federation)
        keys = dict(stored.values_list("number", "pk"))
        for row in self.intake.rows[: self.above]:
            row.pk = keys.get(row.number)
            if row.taken_back and row.taken_back > self.above:
                stored.filter(number=row.number).update(taken_back=row.taken_back)


def _update_player(old: Player, new: Player) -> Player:
    """Update a player's row from a newer line; a withheld name is kept if its seal is the same."""
    for name in ("nation", "resident", "included_by", "region"):
        setattr(old, name, getattr(new, name))
    old.withheld = old.withheld or new.withheld
    if new.withheld and new.name_seal == old.name_seal:
        return old
    for name in ("surname", "first_name", "salt", "name_seal", "name_key", "first_name_key"):
        setattr(old, name, getattr(new, name))
    return old
