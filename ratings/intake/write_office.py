"""Writes what a journal's lines say into an empty office: facts, register and events, in bulk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from players.office.models import Region
from players.register.kept_names import keep_names
from players.register.models import Player
from players.register.name_folding import fold
from ratings.intake.fact_rows_from_lines import Intake
from ratings.journal.models import Fact, StatedPre
from ratings.law import facts, journal
from ratings.storage.bulk_writing import MANY, NULL, Spool, batches, take_stock
from ratings.storage.row_spool import write_rows
from tournaments.events.models import Bye, Entry, Event, Game, Section
from tournaments.events.section_fact import written_particulars
from tournaments.identity.id_kinds import NUMBER

_SECTIONS_AT_ONCE = 500


def write_office(intake: Intake) -> None:
    """Write an office's facts, register and events in a few bulk statements."""
    regions = _write_regions(intake)
    keys = _write_players(intake, regions)
    sections = _write_sections(intake, regions)
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


def _write_sections(intake: Intake, regions: dict[str | None, Region]) -> dict[str, Section]:
    events: dict[str, Event] = {}
    for section in intake.sections.values():
        number = section.id.rpartition("/")[0]
        event = events.setdefault(number, event_row(intake, section, regions[None]))
        event.starts, event.ends = min(event.starts, section.starts), max(event.ends, section.ends)
    Event.objects.bulk_create(events.values(), batch_size=2_000)
    rows = {
        fact.id: section_row(intake, events[fact.id.rpartition("/")[0]], fact)
        for fact in intake.sections.values()
    }
    Section.objects.bulk_create(rows.values(), batch_size=2_000)
    return rows


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
