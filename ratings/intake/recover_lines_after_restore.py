"""Takes the lines that a restored office lacks from a copy of its journal, if its checkpoint signs them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, lock_ledger
from players.office.models import Federation, Ledger, Region
from players.people.merging import read_anew
from players.register.kept_names import keep_names
from players.register.models import Identifier, Player, SealedName
from ratings.intake.fact_rows_from_lines import Intake
from ratings.intake.write_office import (
    count_numbers,
    event_row,
    player_row,
    section_row,
    write_facts,
    write_play,
)
from ratings.journal.models import Fact
from ratings.law import facts, journal
from ratings.signing.resume_after_restore import go_on, keep_newest
from tournaments.events.models import Event, Section, Stage
from tournaments.events.section_fact import Incomplete, section_fact


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
        _refuse_other_lines(intake, held)
        TakenBack(intake, held).write()
        nameless = sorted({player.id for line, player in intake.named if line > held and player.name is None})
        Ledger.objects.filter(federation=federation).update(facts=head.size, wanted=F("wanted") + 1)
        told: dict[str, Any] = {"first": held + 1, "nameless": nameless}
        go_on(federation=federation, note=note, on=on, at=at, kind="take-lines", **told)
    return held + 1, head.size


def _refuse_other_lines(intake: Intake, held: int) -> None:
    """Raise `Refused` if the copy's first `held` lines are not the office's own, on which the rest builds."""
    stored = Fact.objects.filter(federation=intake.federation).order_by("number")
    for (number, line), row in zip(stored.values_list("number", "line"), intake.rows[:held], strict=True):
        if row.line != line:
            words = _("Line %(number)s of the copy is another than the one that is here.")
            raise Refused(words % {"number": number})


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
