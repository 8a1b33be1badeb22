"""A reading becomes the section as filed: one transaction replaces everything, or nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from django.db import transaction

from players.office import job_lease
from players.office.decision_record import decide
from ratings.law.ruleset import Ruleset
from tournaments.events.file_models import Upload
from tournaments.events.lock_section import lock_section
from tournaments.events.models import (
    WITH_THE_OFFICE,
    Adjustment,
    Bye,
    Entry,
    Event,
    Finding,
    Game,
    Section,
    Stage,
)
from tournaments.events.parse_time_control import read_time_control
from tournaments.filing.accepted_files import taken_here
from tournaments.filing.carried_over_answers import Earlier, finals_of_file, loser_of
from tournaments.filing.open_questions import PLACEMENT, recheck
from tournaments.filing.proposals.remembered import remembered_answers, remembered_id_kind
from tournaments.formats.common.early_leavers import left_early
from tournaments.formats.common.reading_result import (
    FileAdjustment,
    FileFinding,
    Reading,
    Sheet,
    SheetGame,
    SheetPlayer,
)
from tournaments.identity.detect_id_kind import is_asked, kind_in, some_ids, suggested, unknown_ids
from tournaments.identity.id_kinds import NUMBER, file_without_names
from tournaments.identity.ids_filed_twice import ids_filed_twice
from tournaments.identity.matching import match
from tournaments.identity.recognise_event import more_like, says_another
from tournaments.review.filed_sheets import keep_sheet

ANSWERED_ELSEWHERE = {"name-missing", "starts-missing", "ends-missing", "rounds-missing"}
ANSWERED_ELSEWHERE |= {"round-dates-missing", "more-rounds-than-scheduled"}
"""Questions of a reader that the registration has answered, or that `open_questions` asks until then."""
BATCH = 500
DAY_ASSUMED = "round-dates-of-one-day"
LONGEST_ID = 30
MOST_OTHERS = 200
"""The most events of the same days that a file's name is compared with."""
MOST_UNUSED = 100
ONLINE, MIXED = "online", "mixed"
"""Values of a section's `platform` in the journal other than the board."""
UNCLEAR_BYES = ("win-without-opponent", "result-without-opponent")
"""Adjustments after which a person says which kind of bye it was."""


class ReadingSuperseded(Exception):
    """A reading that came too late: the section or the upload was changed while the file was being read."""


@transaction.atomic
def store_reading(upload: Upload, reading: Reading) -> None:
    """Replace the section's content by the file's, and close the upload's job.

    A file without a sheet leaves the section as it was. Raises `ReadingSuperseded` if somebody was faster.
    """
    section = lock_section(upload.section, stages=tuple(Stage))
    if not section.open_to_filing or not job_lease.hold(upload):
        raise ReadingSuperseded
    reading = taken_here(reading, _ruleset(section))
    if reading.sheet is None:
        reason = as_reason(reading.findings)
        job_lease.release(upload, state=Upload.State.UNREADABLE, reason=reason, progress=100)
        return
    fill_section(section, reading.sheet, reading)
    # A file that is corrected later was still filed in time.
    section.stage, section.filed_on = Stage.FILED, section.filed_on or upload.on
    section.version += 1
    section.save()
    dialect = reading.sheet.dialect[:40]
    job_lease.release(upload, state=Upload.State.READ, dialect=dialect, reason="", progress=100)
    keep_sheet(upload, reading.sheet, reading.quotes)
    recheck(section)
    about = f"section {section.key}"
    decide(section.event.federation, kind="read", by=None, on=upload.on, about=about, sha256=upload.sha256)


def as_reason(findings: Iterable[FileFinding]) -> str:
    """Store findings as the reason why a file could not be read: JSON of keys and params, not of words."""
    told = [{"key": r.key, "line": r.line, "where": r.where, "params": dict(r.params)} for r in findings]
    return json.dumps(told)


def empty_section(section: Section) -> None:
    """Remove everything that a section's file brought; what was registered stays."""
    for filed in (section.games, section.byes, section.entries, section.findings, section.adjustments):
        filed.all().delete()
    section.hints = {}
    event = section.event
    if _stays(event):
        return
    named = [arbiter for arbiter in event.arbiters if arbiter.get("file") != section.code]
    if named != event.arbiters:
        event.arbiters = named
        event.save(update_fields=["arbiters"])


def _stays(event: Event) -> bool:
    """Whether the office has a section of the event: then no file changes its arbiters."""
    return event.sections.filter(stage__in=WITH_THE_OFFICE).exists()


def fill_section(section: Section, sheet: Sheet, reading: Reading) -> None:
    earlier = Earlier(section)
    empty_section(section)
    entries = _entries(section, sheet, earlier)
    _games(section, reading, sheet, {entry.number: entry for entry in entries}, earlier)
    findings = [
        _of_finding(section, finding) for finding in reading.findings if finding.key not in ANSWERED_ELSEWHERE
    ]
    findings += same_ids(section, entries, findings)
    findings += prefill(section, sheet, reading, entries, earlier)
    assumed = date_rounds_of_one_day(section, findings)
    Finding.objects.bulk_create(findings)
    Adjustment.objects.bulk_create(
        Adjustment(section=section, key=r.key, line=r.line, before=r.before[:200], after=r.after[:200])
        for r in (*reading.adjustments, *assumed, *not_used(sheet))
    )


def same_ids(section: Section, entries: Sequence[Entry], told: Sequence[Finding]) -> list[Finding]:
    """Complain of each line with an id that an earlier line has too, where the reader told nothing of it."""
    known, found = {each.line for each in told if each.key == "identifier-twice"}, dict[int, Finding]()
    for entry, value, twin in ids_filed_twice(entries):
        if entry.line is None or entry.line not in known:
            asked = _of_file(section, "blocks", "identifier-twice", id=value, first=twin.line or twin.number)
            asked.line = entry.line
            found.setdefault(entry.number, asked)
    return list(found.values())


def not_used(sheet: Sheet) -> list[FileAdjustment]:
    """Adjustments for the first lines that the reader did not use: what is left out is listed too."""
    return [FileAdjustment("line-not-used", line.line, line.text, "") for line in sheet.unused[:MOST_UNUSED]]


def date_rounds_of_one_day(section: Section, findings: Iterable[Finding]) -> list[FileAdjustment]:
    """Date all rounds of a one-day section on that day, unless the day itself is in question."""
    lacking = section.round_dates.count(None)
    doubtful = any(finding.key == "dates-differ" for finding in findings)
    if not lacking or doubtful or section.starts != section.ends or section.format == PLACEMENT:
        return []
    day = section.starts.isoformat()
    section.round_dates = [known or day for known in section.round_dates]
    return [FileAdjustment(DAY_ASSUMED, None, "", day)]


def _of_finding(section: Section, finding: FileFinding) -> Finding:
    return Finding(
        section=section,
        source="file",
        level=finding.level,
        key=finding.key,
        params=dict(finding.params),
        line=finding.line,
        column=finding.column,
        where=finding.where[:60],
    )


# ---------------------------------------------------------------- entries, games, byes


def _entries(section: Section, sheet: Sheet, earlier: Earlier) -> list[Entry]:
    teams = {member: team.name for team in sheet.teams for member in team.members}
    entries = [entry_of(section, row, teams.get(row.start_number, "")) for row in sheet.rows]
    federation = section.event.federation
    kind = section.id_kind or kind_in(federation, entries, sheet.dialect)
    for entry in entries:
        entry.id_kind = kind if entry.filed_id else ""
    nameless = file_without_names(entries)
    earlier.carry_over(entries)
    match(federation, entries, nameless=nameless)
    return Entry.objects.bulk_create(entries, batch_size=BATCH)


def _named_ids(row: SheetPlayer, country: str) -> list[tuple[str, str]]:
    """A player's ids of kinds that the file names, as (kind, id): this country's (TRF26), and others."""
    national = [line.identifier for line in row.national if line.federation == country]
    numbers = [(NUMBER, value[:LONGEST_ID]) for value in national if value]
    others = [(other.kind.lower()[:LONGEST_ID], other.value[:LONGEST_ID]) for other in row.other_ids]
    return list(dict.fromkeys((*numbers, *others)))


def entry_of(section: Section, row: SheetPlayer, team: str) -> Entry:
    """Make the entry of a player's line, unsaved, as the file has it."""
    birth = row.birth.isoformat() if row.birth else str(row.born or "")
    return Entry(
        section=section,
        number=row.start_number,
        surname=(row.surname or row.name)[:100],
        first_name=row.first_name[:100],
        sex=row.sex or "",
        birth=birth,
        title=row.title[:5],
        federation=row.federation[:3],
        filed_id=(row.identifier or "")[:LONGEST_ID],
        other_ids=[list(id_) for id_ in _named_ids(row, section.event.federation.ruleset.country)],
        rating=row.rating,
        points=row.points,
        place=row.place,
        discs=row.discs,
        team=team[:60],
        line=row.line or None,
    )


def _games(
    section: Section, reading: Reading, sheet: Sheet, entries: dict[int, Entry], earlier: Earlier
) -> None:
    unclear = {adjustment.line for adjustment in reading.adjustments if adjustment.key in UNCLEAR_BYES}
    Game.objects.bulk_create(
        [
            Game(
                section=section,
                order=order,
                round=game.round,
                first_id=entries[game.first].pk,
                second_id=entries[game.second].pk,
                result=game.result,
                excused=_excused(game, earlier),
                line=game.line or None,
            )
            for order, game in enumerate(sheet.games, 1)
        ],
        batch_size=BATCH,
    )
    Bye.objects.bulk_create(
        [
            Bye(
                section=section,
                round=bye.round,
                entry_id=entries[bye.player].pk,
                kind=(entries[bye.player].line in unclear and earlier.kind_of_bye(bye.round, bye.player))
                or bye.kind,
            )
            for bye in sheet.byes
        ],
        batch_size=BATCH,
    )


def _excused(game: SheetGame, earlier: Earlier) -> str:
    said = earlier.excused(game)
    return said if said is not None else loser_of(game) if game.short else ""


# ---------------------------------------------------------------- the section's own particulars


def prefill(
    section: Section, sheet: Sheet, reading: Reading, entries: Sequence[Entry], earlier: Earlier
) -> list[Finding]:
    """Fill a section, unsaved, with what its file says of it; return questions where that contradicts what
    was registered, or what only a person knows.
    """
    section.finals = finals_of_file(section, sheet)
    section.rounds = sheet.rounds or section.rounds
    days = [day.isoformat() if day else None for day in sheet.round_dates]
    known = section.round_dates
    length = max(section.rounds or 0, len(days))
    section.round_dates = [_at(days, n) or _at(known, n) for n in range(length)]
    section.team = section.team or bool(sheet.teams)
    event = section.event
    section.hints = {"place": sheet.city} if sheet.city and not event.place else {}
    section.hints |= {} if earlier.entries else remembered_answers(section, sheet.dialect[:40])
    if not event.arbiters and sheet.arbiters and not _stays(event):
        # The section whose file named them is kept until a person confirms them: they go with that file.
        event.arbiters = [
            {"name": a.name, "title": a.title, "id": a.fide_id, "file": section.code} for a in sheet.arbiters
        ]
        event.save(update_fields=["arbiters"])
    return [
        *_id_column(section, sheet, entries),
        *_platform(section, reading),
        *_another_event(section, sheet),
        *_dates(section, sheet),
        *_time_control(section, sheet),
        *_absences(section, sheet, earlier),
    ]


def _id_column(section: Section, sheet: Sheet, entries: Sequence[Entry]) -> list[Finding]:
    """Ask once for the kind of the ids, if the register knows none of them and some could be kept."""
    ruleset = _ruleset(section)
    known = next((e.id_kind for e in entries if e.id_kind), "") or remembered_id_kind(section, sheet.dialect)
    section.hints["id_kind"] = known or suggested(ruleset, sheet.dialect, entries)
    if not is_asked(ruleset, entries):
        return []
    count = len(unknown_ids(entries))
    asked = _of_file(section, "asks", "id-kind-needed", count=count, ids=some_ids(entries))
    asked.where = "id-kind"
    return [asked]


def _platform(section: Section, reading: Reading) -> list[Finding]:
    """Set the platform to online if an online platform wrote the file; ask if the section says otherwise."""
    field = next((f for f in _ruleset(section).sections.fields if f.name == "platform"), None)
    if not field or all(finding.key != "online-platform" for finding in reading.findings):
        return []
    known = section.particulars.setdefault(field.name, ONLINE)
    if known in (ONLINE, MIXED):
        return []
    asked = _of_file(section, "asks", "platform-differs")
    asked.where = field.name
    return [asked]


def _at(days: list[str | None], place: int) -> str | None:
    return days[place] if place < len(days) else None


def _another_event(section: Section, sheet: Sheet) -> list[Finding]:
    """Tell where the file names another event than is registered; one of the same days by its number."""
    event, said = section.event, sheet.name.strip()[:100]
    here = [event.name, section.name, event.place]
    within = Event.objects.filter(federation=event.federation).exclude(pk=event.pk)
    same_days = within.filter(starts__lte=section.ends, ends__gte=section.starts)
    others = {f"{each.name} ({each.number})": [each.name, each.place] for each in same_days[:MOST_OTHERS]}
    named = {"text": said, "registered": f"{event.name}, {section.name}"}
    if other := more_like(said, here, others):
        return [_of_file(section, "notice", "file-of-another-event", other=other, **named)]
    if says_another(said, *here):
        return [_of_file(section, "notice", "event-name-differs", **named)]
    return []


def _dates(section: Section, sheet: Sheet) -> list[Finding]:
    """Take the file's days if they lie within the event's; otherwise ask a person which hold.

    A first day alone, as in `.ELO` files, can only show that the file is another event's.
    """
    starts, ends = sheet.starts, sheet.ends or sheet.starts
    if not starts or not ends or ends < starts:
        return []
    if section.event.starts <= starts and ends <= section.event.ends:
        if sheet.ends:
            section.starts, section.ends = starts, ends
        return []
    if (section.starts, section.ends) == (starts, ends):
        return []
    filed, registered = _span(starts, ends), _span(section.starts, section.ends)
    return [_of_file(section, "asks", "dates-differ", filed=filed, registered=registered)]


def _span(starts: date, ends: date) -> str:
    return starts.isoformat() if starts == ends else f"{starts.isoformat()} – {ends.isoformat()}"


def _time_control(section: Section, sheet: Sheet) -> list[Finding]:
    field = next((f for f in _ruleset(section).sections.fields if f.kind == "time_controls"), None)
    if not field or not (sheet.time_code or sheet.time_text):
        return []
    read = read_time_control(sheet.time_code or sheet.time_text)
    text = "; ".join(filter(None, (sheet.time_text, sheet.time_code)))
    known = section.particulars.get(field.name)
    if read and not known:
        section.particulars[field.name] = [read]
        return [_of_file(section, "notice", "time-control-read", text=text)]
    if read and [read] != known:
        return [_of_file(section, "notice", "time-control-differs", text=text)]
    return []


def _absences(section: Section, sheet: Sheet, earlier: Earlier) -> list[Finding]:
    """Ask whether absentees gave notice, which no file says, if the rules make a difference."""
    if "excused" not in _ruleset(section).journal.reads:
        return []
    # A game too short to count is excused already.
    forfeits = sum(game.result in ("+:-", "-:+", "-:-") and not game.short for game in sheet.games)
    gone = left_early(sheet.byes, sheet.rounds or sheet.rounds_played)
    if not (forfeits or gone) or earlier.answers_absences(sheet, gone):
        return []
    return [_of_file(section, "asks", "absences", forfeits=forfeits, gone=len(gone))]


def _of_file(section: Section, level: str, key: str, **params: Any) -> Finding:
    return Finding(section=section, source="file", level=level, key=key, params=params)


def _ruleset(section: Section) -> Ruleset:
    return section.event.federation.ruleset
