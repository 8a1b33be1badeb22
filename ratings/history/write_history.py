"""Writes a history in one go: its people, events, files and lines, in a few bulk statements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

from django.db import transaction
from django.utils import timezone

from players.office import job_lease
from players.office.decision_record import decide, lock_ledger
from players.office.models import Federation, User
from players.office.wake_worker import wake_recompute
from players.register.kept_names import keep_names
from players.register.models import BirthDate, Identifier, Player
from players.register.name_folding import fold
from ratings.history.draw_up_lines import DrawnUp
from ratings.history.dry_run import whole_journal
from ratings.intake.fact_rows_from_lines import Intake
from ratings.intake.write_office import write_entries, write_facts
from ratings.journal.models import Fact
from ratings.law import facts
from ratings.storage.bulk_writing import MANY, NULL, Spool, batches, take_stock
from tournaments.events.file_models import Upload
from tournaments.events.models import Bye, Entry, Event, Game, Section
from tournaments.history.models import History, HistoryFile, State, digest_of_files
from tournaments.history.people.filed_people import FiledPerson
from tournaments.history.plan_section import PlannedSection
from tournaments.history.read_files import reading_of
from tournaments.history.receive import ABOUT
from tournaments.review.filed_sheets import in_short
from tournaments.review.models import FiledSheet

BATCH = 1_000
FILES_AT_ONCE = 50
SECTIONS_AT_ONCE = 200


@transaction.atomic
def write_history(history: History, drawn: DrawnUp, *, by: User | None, on: date, decisions: int) -> bool:
    """Write a history as it was drawn up; return False, with nothing written, where somebody decided
    something since (`decisions`: the number of decisions then) or the job is another's by now.
    """
    federation = history.federation
    ledger = lock_ledger(federation)
    if ledger.decisions != decisions or not job_lease.hold(history):
        return False
    intake = Intake(federation, whole_journal(federation, drawn).lines, drawn.texts)
    new = [row for row in intake.rows if row.number > drawn.above]
    players = _write_people(federation, drawn, on)
    sections = _write_sections(drawn.plan.sections)
    _write_play(drawn, players)
    _keep_files(history, drawn.plan.sections)
    write_facts(new, [pre for pre in intake.pres if pre.line > drawn.above], sections)
    keep_names(federation, [line.fact for line in drawn.lines if isinstance(line.fact, facts.Player)])
    ledger.facts = drawn.above + len(drawn.lines)
    ledger.wanted += 1
    ledger.save(update_fields=["facts", "wanted"])
    _keep_decision(history, drawn, by, on)
    if len(new) >= MANY:
        take_stock(Player, Section, Entry, Game, Fact)
    wake_recompute(federation)
    gone = dict.fromkeys(History.byte_columns)
    job_lease.release(history, state=State.WRITTEN, progress=100, rows=[], reason="", **gone)
    return True


def _keep_decision(history: History, drawn: DrawnUp, by: User | None, on: date) -> None:
    sections = drawn.plan.sections
    struck = sum(len(planned.struck) for planned in sections)
    decide(
        history.federation,
        kind="take-history",
        by=by,
        on=on,
        about=ABOUT,
        source=history.source,
        sections=len(sections),
        players=sum(person.player is None for person in drawn.plan.people),
        first=drawn.above + 1,
        last=drawn.above + len(drawn.lines),
        sha256=history.sha256,
        files_sha256=digest_of_files(history),
        **({"struck": struck} if struck else {}),
    )


# ---------------------------------------------------------------- people


def _write_people(federation: Federation, drawn: DrawnUp, on: date) -> dict[str, int]:
    """Enter new people in the register, and ids that the files give people who have none of that kind;
    return the keys of all, by number.
    """
    told = {line.fact.id: line.fact for line in drawn.lines if isinstance(line.fact, facts.Player)}
    new = [person for person in drawn.plan.people if person.player is None and person.number in told]
    rows = Player.objects.bulk_create((_player(federation, person, told, on) for person in new), BATCH)
    keys = {row.number: row.pk for row in rows}
    births = (
        BirthDate(player_id=keys[person.number], day=person.birth_date.day)
        for person in new
        if person.birth_date is not None
    )
    BirthDate.objects.bulk_create(births, BATCH)
    keys |= {person.number: person.player.pk for person in drawn.plan.people if person.player}
    _keep_ids(federation, drawn.plan.people, keys)
    _count_on(federation, new)
    return keys


def _player(federation: Federation, person: FiledPerson, told: dict[str, facts.Player], on: date) -> Player:
    return Player(
        federation=federation,
        number=person.number,
        surname=person.surname,
        first_name=person.first_name,
        sex=person.sex,
        born=person.born,
        nation=person.nation,
        region=person.region,
        title=person.title,
        salt=told[person.number].salt or "",
        name_key=fold(person.surname)[:120],
        registered_on=on,
    )


def _keep_ids(federation: Federation, people: Iterable[FiledPerson], keys: dict[str, int]) -> None:
    """Keep ids of people who have none of the kind; an id that another has stays theirs."""
    known = Identifier.objects.filter(federation=federation)
    theirs = set(known.values_list("kind", "value"))
    had = set(known.values_list("player_id", "kind"))
    rows: list[Identifier] = []
    for person in people:
        key = keys.get(person.number)
        if key is None:
            continue
        for kind, value in person.new_ids():
            if (key, kind) not in had and (kind, value) not in theirs:
                rows.append(Identifier(federation=federation, player_id=key, kind=kind, value=value))
                had.add((key, kind))
                theirs.add((kind, value))
    Identifier.objects.bulk_create(rows, BATCH)


def _count_on(federation: Federation, new: Sequence[FiledPerson]) -> None:
    """Give out further numbers behind those of the new players."""
    if new:
        highest = max(int(person.number) for person in new) + 1
        Federation.objects.filter(pk=federation.pk).update(next_player_number=highest)


# ---------------------------------------------------------------- events


def _write_sections(planned: Sequence[PlannedSection]) -> dict[str, Section]:
    events = {id(each.section.event): each.section.event for each in planned}
    Event.objects.bulk_create(events.values(), BATCH)
    for each in planned:
        section = each.section
        section.event = section.event  # sets `event_id`: the event's row has its key now
        section.rated_on = section.submitted_on = section.filed_on = each.rated
    Section.objects.bulk_create((each.section for each in planned), BATCH)
    return {each.section.key: each.section for each in planned}


def _write_play(drawn: DrawnUp, players: dict[str, int]) -> None:
    games = Spool(
        Game, ("section_id", "order", "round", "first_id", "second_id", "result", "excused", "line")
    )
    byes = Spool(Bye, ("section_id", "round", "entry_id", "kind"))
    try:
        for some in batches(drawn.plan.sections, SECTIONS_AT_ONCE):
            entries = write_entries(each for planned in some for each in _entries(drawn, planned, players))
            for planned in some:
                _add_play(planned, entries, games, byes)
        games.write()
        byes.write()
    finally:
        games.close()
        byes.close()


def _entries(drawn: DrawnUp, planned: PlannedSection, players: dict[str, int]) -> Iterator[Entry]:
    """The entries of a section that is written by now, each with its player."""
    for entry, mark in zip(planned.entries, planned.marks, strict=True):
        entry.section = planned.section  # sets `section_id`
        entry.player_id = players[drawn.plan.person(mark).number]
        entry.match = Entry.Match.DECIDED
        yield entry


def _add_play(
    planned: PlannedSection, entries: Mapping[tuple[int, int], str], games: Spool, byes: Spool
) -> None:
    pk = planned.section.pk
    section = str(pk)
    for order, game in enumerate(planned.games, 1):
        line = str(game.line) if game.line else NULL
        first, second, excused = entries[pk, game.first], entries[pk, game.second], planned.excused(game)
        games.add(section, str(order), str(game.round), first, second, game.result, excused, line)
    for round_, player, kind in planned.byes:
        byes.add(section, str(round_), entries[pk, player], kind)


# ---------------------------------------------------------------- files


def _keep_files(history: History, planned: Sequence[PlannedSection]) -> None:
    """Make each file the upload of its section, with what it says in short."""
    sections = {each.file: each.section for each in planned}
    rows = history.files.filter(number__in=sections).order_by("number")
    for some in batches(rows.values_list("pk", flat=True), FILES_AT_ONCE):
        files = list(HistoryFile.objects.filter(pk__in=some).order_by("number"))
        uploads = Upload.objects.bulk_create(
            [_upload(history, file, sections[file.number]) for file in files]
        )
        sheets = [(upload, reading_of(file).sheet) for upload, file in zip(uploads, files, strict=True)]
        FiledSheet.objects.bulk_create(
            FiledSheet(upload=upload, content=in_short(sheet)) for upload, sheet in sheets if sheet
        )
        for file in files:
            file.section = sections[file.number]
        HistoryFile.objects.bulk_update(files, ["section"])
        HistoryFile.objects.filter(pk__in=some).update(content=None, reading=None)
    history.files.filter(section=None).update(content=None, reading=None)


def _upload(history: History, file: HistoryFile, section: Section) -> Upload:
    return Upload(
        federation=history.federation,
        section=section,
        by=history.by,
        at=timezone.now(),
        on=history.on,
        name=file.name,
        size=file.size,
        sha256=file.sha256,
        content=file.content,
        state=Upload.State.READ,
        progress=100,
    )
