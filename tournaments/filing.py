"""Filing: the reading of a file replaces the content of its section in one transaction.

Answers are carried over from the section's earlier file if the next one has the same player, game or bye.
Answers on other files of the region by the same program become proposals in the form.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _, gettext_lazy, pgettext_lazy

from players import jobs
from players.display import day_in_words
from ratings.rulesets.facts import FORFEITS
from ratings.rulesets.particulars import births_agree, is_same_nation
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import Ruleset
from tournaments import matching
from tournaments.acceptance import PLACEMENT, get_last_round, recheck
from tournaments.details import detect_dating_way
from tournaments.entries import find_duplicate_ids
from tournaments.findings import result_in_words
from tournaments.formats import KINDS
from tournaments.formats.file_check import ANSWERED_ELSEWHERE, list_unused_lines
from tournaments.formats.plain_table import TABLE
from tournaments.formats.sheet import (
    FileAdjustment,
    FileFinding,
    FileKind,
    FileSource,
    Reading,
    Sheet,
    SheetGame,
    SheetPlayer,
    find_departure_rounds,
)
from tournaments.matching import match
from tournaments.models import (
    OPEN_TO_FILING,
    SUBMITTED_OR_RATED,
    Adjustment,
    ArchivedFile,
    Bye,
    Entry,
    Event,
    FiledSheet,
    Finding,
    Game,
    Section,
    Stage,
    Upload,
)
from tournaments.sections import get_time_control_field, guess_time_control, lock_section, record


# ---- Files that a federation accepts
def takes_games(ruleset: Ruleset) -> bool:
    """Whether any of the ruleset's formats has games; if not, sections have places only."""
    return any(format_ != PLACEMENT for format_ in ruleset.sections.formats)


def unknown_file_codes(ruleset: Ruleset) -> list[str]:
    """Codes of files that the office names and no reader has, as after a typing error."""
    return [code for code in equipment_of(ruleset).office.files if code not in KINDS]


def accepted_kinds(ruleset: Ruleset) -> list[FileKind]:
    """The kinds of files that the office accepts, in its order."""
    return [KINDS[code] for code in equipment_of(ruleset).office.files]


def accepted_kind_names(ruleset: Ruleset) -> str:
    """The names of the accepted kinds of files in one line."""
    return ", ".join(_(kind.name) for kind in accepted_kinds(ruleset))


def accepted_sources(ruleset: Ruleset) -> list[FileSource]:
    """The programs and sites whose files the office accepts, in the current language."""
    sources = (source for kind in accepted_kinds(ruleset) for source in kind.sources)
    return [replace(source, name=_(source.name), help=_(source.help)) for source in sources]


def block_unaccepted_kind(reading: Reading, ruleset: Ruleset) -> Reading:
    """The reading, or one without sheet if this federation does not accept such files."""
    taken = accepted_kinds(ruleset)
    if reading.sheet is None or reading.sheet.family in {TABLE, *(kind.code for kind in taken)}:
        return reading
    kind = KINDS[reading.sheet.family]
    if kind.instead:
        finding = FileFinding("blocks", "take-instead", params={"kind": kind.name, "instead": kind.instead})
    else:
        params = {"kind": kind.name, "taken": ", ".join(kind.name for kind in taken)}
        finding = FileFinding("blocks", "not-taken-here", params=params)
    return Reading(None, (finding,))


# ---- Answers carried over from an earlier file
Marks = tuple[object, ...]
Forfeit = tuple[int, int, int, str]
"""A forfeit of the earlier file: round, keys of both entries, result."""


class EarlierFile:
    """The section's earlier content, from which answers are carried over to the next file."""

    def __init__(self, section: Section) -> None:
        self.entries: dict[Marks, list[Entry]] = defaultdict(list)
        for entry in section.entries.all():
            self.entries[_marks(entry)].append(entry)
        self.forfeits = {
            (game.round, game.first_id, game.second_id, game.result): game.excused
            for game in section.games.filter(result__in=list(FORFEITS))
        }
        self.byes = {(bye.round, bye.entry_id): bye.kind for bye in section.byes.all()}
        self.asked = {each.key: each for each in section.findings.filter(source="file", level="asks")}
        """The questions of that file that nobody has answered, by key."""
        self.absences_answered = bool(self.entries) and "absences" not in self.asked
        filed = FiledSheet.objects.filter(upload=section.uploads.held())
        summary: Any = filed.values_list("content", flat=True).first() if self.entries else None
        self.particulars: Mapping[str, str] = summary["particulars"] if summary else {}
        """What that file says of the section, as in `Sheet.summarize`."""
        absences = (seat for seat, kind in self.byes.items() if kind == "zero")
        self.gone = find_departure_rounds(absences, section.rounds or get_last_round(section))
        self.keys: dict[int, int] = {}
        """The earlier entry's key by new starting number."""

    def carry_over(self, entries: Sequence[Entry]) -> None:
        """Carry over decisions and answers on the same players to new, unsaved entries."""
        alike = Counter((_marks(entry), entry.first_name) for entry in entries)
        known = {
            entry.number: self._before(entry, alike[_marks(entry), entry.first_name]) for entry in entries
        }
        claims = Counter(before.pk for before in known.values() if before)
        for entry in entries:
            before = known[entry.number]
            if before and claims[before.pk] == 1:
                self.keys[entry.number] = before.pk
                if before.match in (Entry.Match.DECIDED, Entry.Match.NEW):
                    entry.match, entry.player = before.match, before.player
                    entry.candidates, entry.region_id = before.candidates, before.region_id
                    if matching.is_nameless(entry):
                        entry.surname = before.surname
                    entry.first_name = entry.first_name or before.first_name
                    entry.sex, entry.birth = entry.sex or before.sex, max(entry.birth, before.birth, key=len)
                entry.left_round, entry.left_notified = before.left_round, before.left_notified
                if before.place_said and entry.place is None:
                    entry.place, entry.place_said = before.place, True

    def _before(self, entry: Entry, namesakes: int) -> Entry | None:
        """The same player's earlier entry; among several alike, the one with the same number."""
        same = [one for one in self.entries.get(_marks(entry), ()) if _may_be(entry, one)]
        if namesakes > 1 or len(same) > 1:
            same = [one for one in same if one.number == entry.number]
        return same[0] if same else None

    def excused(self, game: SheetGame, default: str) -> str:
        """The excused side of this forfeit in the earlier file; `default` if it is not there."""
        return self.forfeits.get(self._forfeit(game), default) if game.result in FORFEITS else default

    def find_bye_kind(self, round_: int, number: int) -> str | None:
        """The kind of this bye in the earlier file, if it has it."""
        return self.byes.get((round_, self.keys.get(number, 0)))

    def answers_absences(self, sheet: Sheet, gone: Mapping[int, int]) -> bool:
        """Whether the earlier file's answers say who gave notice of all absences in this one. `gone`: early
        leavers by starting number, with the first round missed.
        """
        known = all(self._forfeit(game) in self.forfeits for game in sheet.games if game.result in FORFEITS)
        left = all(self.gone.get(self.keys.get(number, 0)) == round_ for number, round_ in gone.items())
        return self.absences_answered and known and left

    def _forfeit(self, game: SheetGame) -> Forfeit:
        first, second = (self.keys.get(number, 0) for number in (game.first, game.second))
        return game.round, first, second, game.result


def get_finals(section: Section, sheet: Sheet) -> list[str]:
    """The finals that a file names; else the section's, if the number of rounds is the same."""
    if sheet.finals:
        return list(sheet.finals)
    rounds = max([game.round for game in sheet.games], default=0)
    return section.finals if rounds == (section.rounds or 0) + len(section.finals) else []


def _marks(entry: Entry) -> Marks:
    """What identifies an entry under another starting number: its ids, else its surname."""
    return entry.filed_id, *(map(tuple, entry.other_ids) if entry.other_ids else (entry.surname,))


def _may_be(entry: Entry, one: Entry) -> bool:
    """Whether two entries can be one player: first name, birth and sex agree as far as given."""
    sexes = {entry.sex, one.sex} - {""}
    births = births_agree(entry.birth, one.birth)
    return entry.first_name in ("", one.first_name) and births and len(sexes) < 2


def excused_side(game: SheetGame) -> str:
    """The side whose forfeit is excused, or both, in the terms of `Game.excused`; empty for none."""
    return {"+:-": "second", "-:+": "first"}.get(game.result, "both") if game.short else ""


# ---- Answers proposed by files of the same region and program
UNCLEAR_BYE = "win-without-opponent"
"""The reader's question about a win without an opponent."""
DEFAULT_BYE = "pairing"
"""The kind that readers give such a bye."""
SEARCHED_FILES = 10
"""The number of earlier files that are searched for an answer."""


def remembered_id_kind(section: Section, dialect: str) -> str:
    """The kind that a person last gave the ids of such a file in the region; empty if none did."""
    others = _earlier_files(section, dialect).exclude(section__id_kind="")
    return others.values_list("section__id_kind", flat=True).first() or ""


def remembered_answers(section: Section, dialect: str) -> dict[str, str]:
    """Answers on the last such files, as the section's hints: the kind of all unclear byes (`bye`), and how
    the rounds were dated (`days`).
    """
    answers = {"bye": _remembered_bye(section, dialect), "days": _remembered_days(section, dialect)}
    return {name: answer for name, answer in answers.items() if answer}


def _earlier_files(section: Section, dialect: str) -> QuerySet[Upload]:
    """Files of the same program in other sections of the region, the newest first."""
    files = Upload.objects.filter(
        dialect=dialect, state=Upload.State.READ, section__event__region=section.event.region
    )
    return files.exclude(section=section).order_by("-at", "-pk")


def _sections(files: QuerySet[Upload]) -> Iterator[Section]:
    return (file.section for file in files.select_related("section")[:SEARCHED_FILES])


def _remembered_bye(section: Section, dialect: str) -> str:
    files = _earlier_files(section, dialect).filter(section__adjustments__key=UNCLEAR_BYE).distinct()
    for other in _sections(files):
        if not has_unclear_byes(other):
            lines = other.adjustments.filter(key=UNCLEAR_BYE).values_list("line", flat=True)
            byes = other.byes.filter(entry__line__in=list(lines))
            kinds = set(byes.values_list("kind", flat=True))
            return kinds.pop() if len(kinds) == 1 else ""
    return ""


def has_unclear_byes(section: Section) -> bool:
    """Whether the section's unclear byes are not answered yet."""
    return section.findings.filter(source="file", level="asks", key=UNCLEAR_BYE).exists()


def propose_bye_kind(section: Section) -> str:
    """The kind proposed for all unclear byes; empty if there is none or they are answered."""
    kind: str = section.hints.get("bye", "")
    return kind if kind and has_unclear_byes(section) else ""


def _remembered_days(section: Section, dialect: str) -> str:
    answered = (other for other in _sections(_earlier_files(section, dialect)) if all(other.round_dates))
    return next(
        (detect_dating_way(other) for other in answered if other.round_dates and other.starts < other.ends),
        "",
    )


def remembered_players(section: Section, entries: Iterable[Entry]) -> dict[int, int]:
    """The players whom a person chose for the same entries (name, birth and id) in submitted or rated
    sections of the region: keys by starting number, for doubtful entries with this candidate. Ambiguous ones
    and players of other entries are left out.
    """
    entries = list(entries)
    waiting = [entry for entry in entries if entry.match == Entry.Match.DOUBTFUL]
    taken = {entry.player_id for entry in entries}
    decided = Entry.objects.filter(
        section__event__region=section.event.region,
        section__stage__in=SUBMITTED_OR_RATED,
        match=Entry.Match.DECIDED,
        surname__in={entry.surname for entry in waiting},
    ).exclude(section=section)
    meant: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for before in decided.select_related("player") if waiting else ():
        if before.player is not None:
            meant[_as_filed(before)].add(before.player.merged_into_id or before.player.pk)
    found = {entry.number: meant[_as_filed(entry)] for entry in waiting}
    offered = {entry.number: {each["player"] for each in entry.candidates} for entry in waiting}
    sure = {number: next(iter(keys)) for number, keys in found.items() if len(keys) == 1}
    return {number: key for number, key in sure.items() if key in offered[number] - taken}


def _as_filed(entry: Entry) -> tuple[str, ...]:
    return entry.surname, entry.first_name, entry.birth, entry.filed_id


# ---- Storing a reading
BATCH = 500
DAY_ASSUMED = "round-dates-of-one-day"
LONGEST_ID = 30
MOST_COMPARED_EVENTS = 200
"""The maximum number of events with the same days that a file's name is compared with."""
ONLINE, MIXED = "online", "mixed"
"""Values of `platform` in the journal other than the board."""
MISPLACED: Mapping[str, str] = {
    matching.RESULTS: "results-of-another-section",
    "days": "days-of-another-section",
    **dict.fromkeys((*matching.NAMES, matching.EVENT), "name-of-another-section"),
}
"""The questions whether a file is that of another section, by the evidence that decides."""
BYE_ADJUSTMENTS = ("win-without-opponent", "result-without-opponent")
"""Adjustments after which a person chooses the kind of the bye."""


class ReadingSuperseded(Exception):
    """The section or the upload was changed while the file was being read."""


@transaction.atomic
def store_reading(upload: Upload, reading: Reading) -> None:
    """Replace the section's content by the file's, and end the upload's job. Without a sheet the section
    stays. Raises `ReadingSuperseded`.
    """
    section = lock_section(upload.section, stages=tuple(Stage))
    if not section.open_to_filing or not jobs.lock_claimed(upload):
        raise ReadingSuperseded
    reading = block_unaccepted_kind(reading, _ruleset(section))
    if reading.sheet is None:
        reason = encode_reason(reading.findings)
        jobs.release(upload, state=Upload.State.UNREADABLE, reason=reason, progress=100)
        return
    sheet = reading.sheet
    earlier = EarlierFile(section)
    empty_section(section)
    registered = _fillable_fields(section)
    entries = _entries(section, sheet, earlier)
    _games(section, reading, sheet, {entry.number: entry for entry in entries}, earlier)
    findings = build_reader_findings(section, (*reading.findings, *find_ids_twice(reading, entries)))
    findings += prefill_section(section, sheet, reading, entries, earlier, upload.name)
    assumed = date_rounds_of_one_day(section, findings)
    filled = _fillable_fields(section)
    section.hints["filled"] = {
        name: [registered.get(name), value] for name, value in filled.items() if registered.get(name) != value
    }
    Finding.objects.bulk_create(findings)
    Adjustment.objects.bulk_create(build_adjustments(section, reading, assumed))
    # A file that is corrected later was still filed in time.
    section.stage, section.filed_on = Stage.FILED, section.filed_on or upload.on
    section.version += 1
    section.save()
    dialect = reading.sheet.dialect[:40]
    jobs.release(upload, state=Upload.State.READ, dialect=dialect, reason="", progress=100)
    save_sheet_summary(upload, reading.sheet, reading.quotes)
    recheck(section)
    record(section, "read", None, upload.on, sha256=upload.sha256)


def build_reader_findings(section: Section, findings: Iterable[FileFinding]) -> list[Finding]:
    """The unsaved findings of a reader, without what the registration answers."""
    return [
        Finding(
            section=section,
            source="file",
            level=finding.level,
            key=finding.key,
            params=dict(finding.params),
            line=finding.line,
            column=finding.column,
            where=finding.where[:60],
        )
        for finding in findings
        if finding.key not in ANSWERED_ELSEWHERE
    ]


def build_adjustments(
    section: Section, reading: Reading, assumed: Iterable[FileAdjustment] = ()
) -> list[Adjustment]:
    """The unsaved adjustments of a file: what its reader repaired, assumed or left out, and `assumed`."""
    return [
        Adjustment(section=section, key=r.key, line=r.line, before=r.before[:200], after=r.after[:200])
        for r in (*reading.adjustments, *assumed, *list_unused_lines(reading.sheet or Sheet()))
    ]


def find_ids_twice(reading: Reading, entries: Iterable[Entry]) -> list[FileFinding]:
    """Blocking findings of ids that an earlier line has too, unless the reader found them."""
    known = {each.line for each in reading.findings if each.key == "identifier-twice"}
    found: dict[int, FileFinding] = {}
    for entry, value, twin in find_duplicate_ids(entries):
        if entry.line is None or entry.line not in known:
            params: dict[str, str | int] = {"id": value, "first": twin.line or twin.number}
            finding = FileFinding("blocks", "identifier-twice", entry.line, params=params)
            found.setdefault(entry.number, finding)
    return list(found.values())


def encode_reason(findings: Iterable[FileFinding]) -> str:
    """Encode findings as the reason why a file could not be read: JSON of keys and params."""
    return json.dumps(
        [{"key": r.key, "line": r.line, "where": r.where, "params": dict(r.params)} for r in findings]
    )


def empty_section(section: Section) -> None:
    """Delete everything that came with the section's file, unsaved what it filled in, too; the registration
    stays, and what a person saved since.
    """
    for filed in (section.games, section.byes, section.entries, section.findings, section.adjustments):
        filed.all().delete()
    now = _fillable_fields(section)
    for name, (before, value) in section.hints.get("filled", {}).items():
        if now.get(name) == value:
            _restore_field(section, name, before)
    section.hints = {}
    event = section.event
    if _arbiters_fixed(event):
        return
    confirmed = [arbiter for arbiter in event.arbiters if arbiter.get("file") != section.code]
    if confirmed != event.arbiters:
        event.arbiters = confirmed
        event.save(update_fields=["arbiters"])


FILLABLE_DAYS = ("starts", "ends")
PARTICULAR = "particulars."


def _fillable_fields(section: Section) -> dict[str, Any]:
    """What a file may fill in of a section, by the field's name, as JSON."""
    own = {name: getattr(section, name) for name in ("rounds", "finals", "team", "round_dates")}
    days = {name: getattr(section, name).isoformat() for name in FILLABLE_DAYS}
    return own | days | {f"{PARTICULAR}{name}": value for name, value in section.particulars.items()}


def _restore_field(section: Section, name: str, value: Any) -> None:
    particular = name.removeprefix(PARTICULAR)
    if particular == name:
        setattr(section, name, date.fromisoformat(value) if name in FILLABLE_DAYS else value)
    elif value is None:
        del section.particulars[particular]
    else:
        section.particulars[particular] = value


def _arbiters_fixed(event: Event) -> bool:
    """Whether a section of the event is submitted or rated: then no file changes its arbiters."""
    return event.sections.filter(stage__in=SUBMITTED_OR_RATED).exists()


def date_rounds_of_one_day(section: Section, findings: Iterable[Finding]) -> list[FileAdjustment]:
    """Date all rounds of a one-day section, unless its day is in question."""
    lacking = section.round_dates.count(None)
    doubtful = any(finding.key == "dates-differ" for finding in findings)
    if not lacking or doubtful or section.starts != section.ends or section.format == PLACEMENT:
        return []
    day = section.starts.isoformat()
    section.round_dates = [known or day for known in section.round_dates]
    return [FileAdjustment(DAY_ASSUMED, None, "", day)]


# ---- Entries, games and byes
def _entries(section: Section, sheet: Sheet, earlier: EarlierFile) -> list[Entry]:
    entries = build_entries(section, sheet, section.id_kind or None)
    nameless = matching.is_nameless_file(entries)
    earlier.carry_over(entries)
    match(section.event.federation, entries, nameless=nameless)
    return Entry.objects.bulk_create(entries, batch_size=BATCH)


def build_entries(section: Section, sheet: Sheet, id_kind: str | None = None) -> list[Entry]:
    """The unsaved entries of a sheet, with the kind of their ids; None: the kind that the register shows."""
    teams = {member: team.name for team in sheet.teams for member in team.members}
    entries = [build_entry(section, row, teams.get(row.start_number, "")) for row in sheet.rows]
    if id_kind is None:
        id_kind = matching.detect_id_kind(section.event.federation, entries, sheet.dialect)
    for entry in entries:
        entry.id_kind = id_kind if entry.filed_id else ""
    return entries


def _named_ids(row: SheetPlayer, country: str) -> list[tuple[str, str]]:
    """A player's ids of known kinds, as (kind, id): this country's (TRF26), and others."""
    national = [line.identifier for line in row.national if is_same_nation(line.federation, country)]
    numbers = [(matching.NUMBER, value[:LONGEST_ID]) for value in national if value]
    others = [(other.kind.lower()[:LONGEST_ID], other.value[:LONGEST_ID]) for other in row.other_ids]
    return list(dict.fromkeys((*numbers, *others)))


def build_entry(section: Section, row: SheetPlayer, team: str) -> Entry:
    """The unsaved entry of a player's row."""
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
    section: Section, reading: Reading, sheet: Sheet, entries: dict[int, Entry], earlier: EarlierFile
) -> None:
    unclear = {adjustment.line for adjustment in reading.adjustments if adjustment.key in BYE_ADJUSTMENTS}
    Game.objects.bulk_create(
        [
            Game(
                section=section,
                order=order,
                round=game.round,
                first_id=entries[game.first].pk,
                second_id=entries[game.second].pk,
                result=game.result,
                excused=earlier.excused(game, excused_side(game)),
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
                kind=(entries[bye.player].line in unclear and earlier.find_bye_kind(bye.round, bye.player))
                or bye.kind,
            )
            for bye in sheet.byes
        ],
        batch_size=BATCH,
    )


# ---- Details of the section
def prefill_section(
    section: Section,
    sheet: Sheet,
    reading: Reading,
    entries: Sequence[Entry],
    earlier: EarlierFile,
    name: str,
) -> list[Finding]:
    """Fill a section, unsaved, from its file of that name; return questions if the file contradicts the
    registration or a person has to answer.
    """
    section.finals = get_finals(section, sheet)
    findings = _rounds(section, sheet, earlier)
    days = [day.isoformat() if day else None for day in sheet.round_dates]
    known = section.round_dates
    length = max(section.rounds or 0, len(days))
    unknown = [None] * length
    pairs = zip([*days, *unknown], [*known, *unknown], strict=False)
    section.round_dates = [day or before for day, before in pairs][:length]
    section.team = section.team or bool(sheet.teams)
    event = section.event
    section.hints = {"place": sheet.city} if sheet.city and not event.place else {}
    section.hints |= {} if earlier.entries else remembered_answers(section, sheet.dialect[:40])
    if not event.arbiters and sheet.arbiters and not _arbiters_fixed(event):
        # Until a person confirms them, they are removed with the file that named them.
        event.arbiters = [
            {"name": a.name, "title": a.title, "id": a.fide_id, "file": section.code} for a in sheet.arbiters
        ]
        event.save(update_fields=["arbiters"])
    return [
        *_id_column(section, sheet, entries),
        *_platform(section, reading),
        *(_another_section(section, sheet, entries, name) or _another_event(section, sheet)),
        *_dates(section, sheet),
        *findings,
        *_time_control(section, sheet, earlier),
        *_absences(section, sheet, earlier),
    ]


def _id_column(section: Section, sheet: Sheet, entries: Sequence[Entry]) -> list[Finding]:
    """Ask for the kind of the ids, if it is unknown and matters."""
    ruleset = _ruleset(section)
    known = next((e.id_kind for e in entries if e.id_kind), "") or remembered_id_kind(section, sheet.dialect)
    section.hints["id_kind"] = known or matching.suggest_id_kind(ruleset, sheet.dialect, entries)
    if not matching.needs_id_kind(ruleset, entries):
        return []
    params = {"count": len(matching.list_unknown_kind_ids(entries)), "ids": matching.example_ids(entries)}
    return [_file_finding(section, "asks", "id-kind-needed", where="id-kind", **params)]


def _platform(section: Section, reading: Reading) -> list[Finding]:
    """Set the platform to online if an online platform wrote the file; ask if it is registered otherwise."""
    field = next((f for f in _ruleset(section).sections.fields if f.name == "platform"), None)
    if not field or all(finding.key != "online-platform" for finding in reading.findings):
        return []
    known = section.particulars.setdefault(field.name, ONLINE)
    if known in (ONLINE, MIXED):
        return []
    return [_file_finding(section, "asks", "platform-differs", where=field.name)]


def _another_section(section: Section, sheet: Sheet, entries: Sequence[Entry], name: str) -> list[Finding]:
    """Ask if the file is clearly that of another section of the region, which can be filed now."""
    file = ArchivedFile(name=name, **outline_sheet(sheet))
    within = Event.objects.filter(region=section.event.region)
    starts, ends = sheet.starts or section.starts, sheet.ends or sheet.starts or section.ends
    same_days = within.filter(Q(starts__lte=ends, ends__gte=starts) | Q(pk=section.event_id))
    others = Section.objects.filter(event__in=same_days, stage__in=OPEN_TO_FILING).exclude(pk=section.pk)
    sections = list(others.select_related("event")[:MOST_COMPARED_EVENTS])
    results: dict[int, set[str]] = defaultdict(set)
    names = {entry.number: entry.surname for entry in entries}
    for game in sheet.games:
        results[0].add(f"{game.round} {names[game.first]} {names[game.second]} {game.result}")
    games = Game.objects.filter(section__in=sections)
    rows = games.values_list("section", "round", "first__surname", "second__surname", "result")
    for key, *words in rows.iterator():
        results[key].add(" ".join(map(str, words)))
    found = matching.find_likelier_section(file, section, sections, results)
    if found is None:
        return []
    other, evidence = found
    params: dict[str, Any] = {
        "text": file.tournament if evidence.startswith(("tournament", matching.EVENT)) else name,
        "days": _span(starts, ends),
        "count": len(results[0] & results[other.pk]),
        "other": f"{other.event.name}, {other.name} ({other.key})",
        "registered": f"{section.event.name}, {section.name}",
        "to": other.key,
    }
    return [_file_finding(section, "asks", MISPLACED[evidence], where="name", **params)]


def _another_event(section: Section, sheet: Sheet) -> list[Finding]:
    """A notice if the file names another event; with its number, if that has the same days."""
    event, name = section.event, sheet.name.strip()[:100]
    here = [event.name, section.name, event.place]
    within = Event.objects.filter(federation=event.federation).exclude(pk=event.pk)
    same_days = within.filter(starts__lte=section.ends, ends__gte=section.starts)
    others = {
        f"{each.name} ({each.number})": [each.name, each.place] for each in same_days[:MOST_COMPARED_EVENTS]
    }
    params = {"text": name, "registered": f"{event.name}, {section.name}"}
    if other := matching.find_more_similar_event(name, here, others):
        return [_file_finding(section, "notice", "file-of-another-event", other=other, **params)]
    if matching.names_another_event(name, *here):
        return [_file_finding(section, "notice", "event-name-differs", **params)]
    return []


def _rounds(section: Section, sheet: Sheet, earlier: EarlierFile) -> list[Finding]:
    """Take the file's number of scheduled rounds; ask if another was registered, unless that was answered on
    an earlier file, whose answer stays.
    """
    registered = section.rounds
    answered = earlier.particulars.get("rounds") == str(sheet.rounds) and "rounds-differ" not in earlier.asked
    if not sheet.rounds or sheet.rounds == registered or (registered and answered):
        return []
    section.rounds = sheet.rounds
    if not registered:
        return []
    params = {"filed": sheet.rounds, "registered": registered}
    return [_file_finding(section, "asks", "rounds-differ", where="rounds", **params)]


def _dates(section: Section, sheet: Sheet) -> list[Finding]:
    """Take the file's days if they are within the event's; otherwise ask. A first day alone, as in `.ELO`
    files, can only show that the file is another event's.
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
    return [_file_finding(section, "asks", "dates-differ", filed=filed, registered=registered)]


def _span(starts: date, ends: date) -> str:
    return starts.isoformat() if starts == ends else f"{starts.isoformat()} – {ends.isoformat()}"


def _time_control(section: Section, sheet: Sheet, earlier: EarlierFile) -> list[Finding]:
    """Take the file's time control if none is registered; ask if it is another one, which may move another
    rating, unless it was answered on an earlier file.
    """
    field = get_time_control_field(_ruleset(section))
    read, text = get_time_control(sheet), time_control_words(sheet)
    if not field or not read:
        return []
    known = section.particulars.get(field.name)
    if not known:
        section.particulars[field.name] = [read]
        return [_file_finding(section, "notice", "time-control-read", text=text)]
    answered = earlier.particulars.get("time") == text and "time-control-differs" not in earlier.asked
    if [read] == known or answered:
        return []
    section.hints["time"] = [read]
    return [_file_finding(section, "asks", "time-control-differs", where=field.name, text=text)]


def _absences(section: Section, sheet: Sheet, earlier: EarlierFile) -> list[Finding]:
    """Ask whether absentees gave notice, which no file says, if the rules make a difference."""
    if "excused" not in _ruleset(section).journal.reads:
        return []
    # A game too short to count is excused already.
    forfeits = sum(game.result in ("+:-", "-:+", "-:-") and not game.short for game in sheet.games)
    missed = ((bye.round, bye.player) for bye in sheet.byes if bye.kind == "zero")
    gone = find_departure_rounds(missed, sheet.rounds or sheet.rounds_played)
    if not (forfeits or gone) or earlier.answers_absences(sheet, gone):
        return []
    return [_file_finding(section, "asks", "absences", forfeits=forfeits, gone=len(gone))]


def _file_finding(section: Section, level: str, key: str, *, where: str = "", **params: Any) -> Finding:
    return Finding(section=section, source="file", level=level, key=key, where=where, params=params)


def _ruleset(section: Section) -> Ruleset:
    return section.event.federation.ruleset


def get_time_control(sheet: Sheet) -> dict[str, Any] | None:
    """The time control that a file gives, in its code or else its words; None if it is not clear."""
    return guess_time_control(sheet.time_code or sheet.time_text)


def time_control_words(sheet: Sheet) -> str:
    """How a file writes its time control."""
    return "; ".join(filter(None, (sheet.time_text, sheet.time_code)))


def outline_sheet(sheet: Sheet) -> dict[str, Any]:
    """What a file says of its tournament, as columns of `ArchivedFile`."""
    return {
        "tournament": sheet.name[:100],
        "dialect": sheet.dialect[:40],
        "kind": sheet.kind[:100],
        "players": len(sheet.rows),
        "rounds": sheet.rounds or sheet.rounds_played or None,
        "starts": sheet.starts,
        "ends": sheet.ends,
        "team": bool(sheet.teams),
        "time_control": get_time_control(sheet),
    }


# ---- Summaries of files, for comparison, and the lines that pages quote, so that no page reads a file
def save_sheet_summary(upload: Upload, sheet: Sheet, quotes: Mapping[str, str]) -> None:
    """Save a summary of a file's sheet and its quoted lines beside the upload."""
    content = {"content": sheet.summarize(), "lines": dict(quotes)}
    FiledSheet.objects.update_or_create(upload=upload, defaults=content)


def get_quoted_lines(upload: Upload | None) -> Mapping[int, str]:
    """The lines of an uploaded file that pages quote, by number; none once its bytes were deleted."""
    found = FiledSheet.objects.filter(upload=upload).values_list("lines", flat=True).first()
    return {int(line): text for line, text in (found or {}).items()}


# ---- Differences between two files of a section
PERSONAL_FIELDS = ("birth",)
"""Fields of a player that only those who may see births are shown."""
PLAYER_LABELS: dict[str, Any] = {
    "name": pgettext_lazy("of a person", "Name"),
    "id": gettext_lazy("Id"),
    "birth": gettext_lazy("Birth"),
    "title": gettext_lazy("Title"),
    "points": gettext_lazy("Points"),
    "place": gettext_lazy("Place"),
}
PARTICULAR_LABELS: dict[str, Any] = {
    "starts": gettext_lazy("First day"),
    "ends": gettext_lazy("Last day"),
    "rounds": gettext_lazy("Rounds"),
    "place": gettext_lazy("Place of play"),
    "time": gettext_lazy("Time control"),
    "arbiters": gettext_lazy("Arbiters"),
}
SheetSummary = Mapping[str, Any]


SheetDifference = tuple[str, str, str]
"""What differs, and its values in the older and the newer file."""


def compare_sheet_summaries(
    before: SheetSummary, after: SheetSummary, *, show_births: bool
) -> dict[str, list[SheetDifference]]:
    """The differences of two summaries of sheets in `games`, `players` and `particulars`, as far as there are
    any. `show_births`: the reader may see dates of birth.
    """
    # By starting number in the older file, that of the same player in the newer: by id, else by name, else by
    # the number itself where no id speaks against it. A pairing program may change the numbers.
    partner: dict[str, str] = {}
    left, right = dict(before["players"]), dict(after["players"])
    for same in (lambda row: row["id"], lambda row: row["name"], None):
        if same is None:
            pairs = [
                (number, number) for number in left if number in right and _may_be_same(left, right, number)
            ]
        else:
            theirs = {same(row): number for number, row in right.items() if same(row)}
            pairs = [(number, theirs[same(row)]) for number, row in left.items() if same(row) in theirs]
        for old, new in pairs:
            if old in left and new in right:
                partner[old] = new
                del left[old], right[new]
    found = {
        "games": list(_compare_games(before, after, partner)),
        "players": list(_compare_players(before, after, partner, births=show_births)),
        "particulars": list(_compare_particulars(before, after)),
    }
    return {name: differences for name, differences in found.items() if differences}


def _may_be_same(left: SheetSummary, right: SheetSummary, number: str) -> bool:
    """Whether both files can mean one person by a starting number: they do not give two ids."""
    ids = {row[number]["id"] for row in (left, right)} - {""}
    return len(ids) < 2


def _compare_players(
    before: SheetSummary, after: SheetSummary, partner: Mapping[str, str], *, births: bool
) -> Iterator[SheetDifference]:
    for old, row in before["players"].items():
        if old not in partner:
            yield (_player_label(before, old), _("in the file"), _("not in the file"))
            continue
        other = after["players"][partner[old]]
        for name, label in PLAYER_LABELS.items():
            if row[name] != other[name] and (births or name not in PERSONAL_FIELDS):
                what = _("%(player)s: %(field)s") % {"player": _player_label(before, old), "field": label}
                was, now = (day_in_words(each[name]) or "–" for each in (row, other))
                yield (what, was, now)
    for new in after["players"]:
        if new not in partner.values():
            yield (_player_label(after, new), _("not in the file"), _("in the file"))


def _compare_games(
    before: SheetSummary, after: SheetSummary, partner: Mapping[str, str]
) -> Iterator[SheetDifference]:
    """Yield the games and byes that differ, by round."""
    gone = {number: f"gone {number}" for number in before["players"] if number not in partner}
    old, new = _by_pairing(before, {**partner, **gone}), _by_pairing(after, {})
    names = {number: row["name"] for number, row in after["players"].items()}
    names |= {key: before["players"][number]["name"] for number, key in gone.items()}
    for key in sorted(set(old) | set(new), key=lambda key: (key[0], str(key[1]), str(key[2]))):
        was, now = sorted(old.get(key, [])), sorted(new.get(key, []))
        if was != now:
            round_number, first, second = key
            people = " – ".join(names.get(each, each) for each in (first, second) if each)
            what = _("Round %(round)s: %(people)s") % {"round": round_number, "people": people}
            yield (what, ", ".join(was) or "–", ", ".join(now) or "–")


def _by_pairing(sheet: SheetSummary, numbers: Mapping[str, str]) -> dict[tuple[int, str, str], list[str]]:
    """The results by round and the two players, both by the newer file's numbers; a bye has no second."""
    results: defaultdict[tuple[int, str, str], list[str]] = defaultdict(list)
    for round_number, first, second, result in sheet["games"]:
        pair = tuple(numbers.get(str(each), str(each)) for each in (first, second))
        results[round_number, pair[0], pair[1]].append(result_in_words(result))
    for round_number, player, kind in sheet["byes"]:
        results[round_number, numbers.get(str(player), str(player)), ""].append(result_in_words(kind))
    return results


def _compare_particulars(before: SheetSummary, after: SheetSummary) -> Iterator[SheetDifference]:
    for name, label in PARTICULAR_LABELS.items():
        was, now = before["particulars"][name], after["particulars"][name]
        if was != now:
            yield (str(label), day_in_words(was) or "–", day_in_words(now) or "–")


def _player_label(sheet: SheetSummary, number: str) -> str:
    return f"{number} {sheet['players'][number]['name']}"
