"""The plan of a history: the sections of its files, their numbers and people, and all open questions.

A file becomes a section by its row of the table, and by its own content where the row is silent. Nothing of a
plan is in the database. A CSV names all people of the history and how each was settled.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from players.models import Federation, Region
from players.names import fold
from ratings.rulesets.downloads import BYTE_ORDER_MARK, csv_bytes, disarm_cell
from ratings.rulesets.facts import Field
from ratings.rulesets.journal_lines import SEVERAL_A_ROUND
from ratings.rulesets.profile import equipment_of
from tournaments.acceptance import PLACEMENT, get_filed_nation
from tournaments.details import name_finals
from tournaments.filing import ANSWERED_ELSEWHERE, build_entry, forfeiting_side
from tournaments.formats.sheet import FileFinding, Reading, Sheet, SheetGame
from tournaments.history import (
    EVERY_FILE,
    MOST_ROUNDS,
    PERSON_QUESTIONS,
    PLACES_BY_POINTS,
    QUESTION_COLUMNS,
    Answers,
    CellProblem,
    Question,
    load_reading,
    parse_country,
    parse_day,
    parse_flag,
    parse_one_of,
    parse_round_count,
    parse_value,
)
from tournaments.history_people import APART, NEW, FiledPerson, Resolution, Spellings
from tournaments.matching import (
    bare_name,
    detect_id_kind,
    example_ids,
    id_kind_choices,
    parse_format,
    suggest_id_kind,
)
from tournaments.models import Entry, Event, History, HistoryAnswer, HistoryFile, Section, Stage, Upload
from tournaments.registration import free_codes
from tournaments.sections import guess_time_control


def join_and_number_events(federation: Federation, sections: Sequence[Section]) -> None:
    """Join the sections of one event, and number the events after those of the office in their years. Nothing
    is saved.

    Sections are of one event if its name and region are the same and their days touch.
    """
    taken = _last_numbers(federation)
    events: dict[tuple[str, int], list[Event]] = defaultdict(list)
    codes: dict[int, set[str]] = defaultdict(set)
    for section in sorted(sections, key=lambda each: (each.starts, each.ends, each.event.name, each.name)):
        own = section.event
        known = events[fold(own.name), own.region_id]
        if not known or known[-1].ends < section.starts:
            known.append(own)
            year = own.starts.year
            taken[year] += 1
            own.number = f"{year}-{taken[year]:03}"
        section.event = event = known[-1]
        event.ends = max(event.ends, section.ends)
        section.code = next(free_codes(codes[id(event)]))
        codes[id(event)].add(section.code)


def _last_numbers(federation: Federation) -> dict[int, int]:
    """The last number of an event of the office in each year."""
    last: dict[int, int] = defaultdict(int)
    for number in Event.objects.filter(federation=federation).values_list("number", flat=True):
        year, _dash, place = number.partition("-")
        if year.isdecimal() and place.isdecimal():
            last[int(year)] = max(last[int(year)], int(place))
    return last


# ---- The section of a file
STRIKE_PATTERN = re.compile(
    r"(?:line\s+(\d+)|round\s+(\d+)\s+(\d+)\s*[-–]\s*(\d+))\s*:\s*(\S.*)", re.IGNORECASE
)
DAYS_NOT_READ = frozenset({"date-not-read", "date-unclear"})
"""Readers' findings on unclear days, which become questions only if the day is needed."""


@dataclass(slots=True)
class PlannedSection:
    """The section of a file: unsaved rows, and when it was rated."""

    file: int
    """The file's number."""
    name: str
    """The file's name."""
    section: Section
    rated: date
    entries: list[Entry]
    marks: list[str] = field(default_factory=list)
    """The mark of each entry's spelling, once collected."""
    games: list[SheetGame] = field(default_factory=list)
    byes: list[tuple[int, int, str]] = field(default_factory=list)
    """Round, starting number and kind of each bye."""
    nation: str = ""
    """The nation of new players without one in the file."""
    dialect: str = ""
    struck: list[str] = field(default_factory=list)
    """The struck games with their reasons."""

    def excused(self, game: SheetGame) -> str:
        return forfeiting_side(game) if game.short else ""


class SectionPlanner:
    """Plans the sections of files by their rows; collects questions."""

    def __init__(self, federation: Federation, on: date, every: Mapping[str, str]) -> None:
        self.federation, self.on, self.every = federation, on, every
        self.ruleset = federation.ruleset
        self.regions = list(federation.regions.all())
        self.kinds_of_ids = [code for code, _words in id_kind_choices(self.ruleset)]
        self.questions: list[Question] = []

    def plan(self, file: HistoryFile, reading: Reading, row: Mapping[str, str]) -> PlannedSection | None:
        """The section of a file; None if it is left out or cannot become one, with questions."""
        cells = _Row(self, file, {**self.every, **row})
        if cells.get("leave_out", parse_flag):
            return None
        if reading.sheet is None:
            self.questions += [_reader_question(file, each) for each in reading.findings]
            return None
        return _Planning(self, cells, file, reading, reading.sheet).build()

    def say(self, level: str, key: str, file: HistoryFile, **params: Any) -> None:
        self.questions.append(Question(level, key, file.name, file.name, params))


def _reader_question(file: HistoryFile, finding: FileFinding) -> Question:
    level = "notice" if finding.level == "notice" else "blocks"
    line = _(", line %(line)s") % {"line": finding.line} if finding.line else ""
    return Question(level, finding.key, file.name, f"{file.name}{line}", dict(finding.params))


class _Row:
    """The cells of a file's row. A cell that cannot be parsed becomes a question."""

    def __init__(self, planner: SectionPlanner, file: HistoryFile, cells: Mapping[str, str]) -> None:
        self.planner, self.file, self.cells = planner, file, cells
        self.unread: set[str] = set()
        """The columns whose cells could not be read."""

    def text(self, column: str) -> str:
        return self.cells.get(column, "").strip()

    def get(self, column: str, parse: Callable[[str], Any]) -> Any:
        """A cell's value by a parser; None, with a question, if it cannot be parsed."""
        try:
            return parse(self.text(column))
        except CellProblem as problem:
            self.unread.add(column)
            self.planner.say("blocks", "cell-wrong", self.file, column=column, words=str(problem))
            return None


class _Planning:
    def __init__(
        self, planner: SectionPlanner, row: _Row, file: HistoryFile, reading: Reading, sheet: Sheet
    ) -> None:
        self.planner, self.row, self.file, self.reading, self.sheet = planner, row, file, reading, sheet
        self.ruleset = planner.ruleset
        self.blocked = False

    def build(self) -> PlannedSection | None:
        """The planned section; None if something that every section needs is missing."""
        section = self._section()
        struck = self._struck()
        self._add_reader_questions(struck)
        rated = self.row.get("rated", parse_day) or (section.ends if section else None)
        if section is None or rated is None:
            return None
        if rated > self.planner.on:
            self.planner.say("blocks", "in-future", self.file)
        elif rated < section.ends:
            days = {"rated": rated.isoformat(), "ends": section.ends.isoformat()}
            self.planner.say("blocks", "rated-before-end", self.file, **days)
        teams = {member: team.name for team in self.sheet.teams for member in team.members}
        entries = [build_entry(section, row, teams.get(row.start_number, "")) for row in self.sheet.rows]
        self._places(entries)
        planned = PlannedSection(self.file.number, self.file.name, section, rated, entries)
        planned.nation, planned.dialect = self.row.get("nation", parse_country) or "", self.sheet.dialect[:40]
        renumber = self._renumber(section)
        planned.games = [
            replace(game, round=renumber(game.round))
            for game in self.sheet.games
            if not self._is_struck(game, struck)
        ]
        planned.byes = [(renumber(bye.round), bye.player, bye.kind) for bye in self.sheet.byes]
        planned.struck = [words for _place, words in struck]
        kind = self.row.get("ids", lambda text: parse_one_of(text, self.planner.kinds_of_ids)) or ""
        for entry in planned.entries:
            entry.id_kind = kind if entry.filed_id else ""
        self._check_rounds(planned)
        return planned

    def _missing(self, column: str, label: str, offered: str = "") -> None:
        """Ask for a value that neither file nor table gives, unless its cell has a question already."""
        if column not in self.row.unread:
            wanted = f"{label} ({offered})" if offered else label
            self.planner.say("blocks", "field-missing", self.file, column=column, label=label, wanted=wanted)
        self.blocked = True

    def _section(self) -> Section | None:
        sheet, row = self.sheet, self.row
        name = row.text("event") or sheet.name.strip() or bare_name(self.file.name)
        starts = row.get("starts", parse_day) or sheet.starts
        ends = row.get("ends", parse_day) or sheet.ends or starts
        rounds = min(self._rounds(), MOST_ROUNDS)
        region, particulars = self._region(), self._particulars()
        if starts is None or ends is None:
            self._missing("starts", _("the first day"))
            unread = [each for each in self.reading.findings if each.key in DAYS_NOT_READ]
            self.planner.questions += [_reader_question(self.file, each) for each in unread]
        elif ends < starts:
            self.planner.say("blocks", "ends-before-start", self.file)
            self.blocked = True
        format_ = self._format()
        if format_ == PLACEMENT and not rounds:
            self._missing("rounds", _("the number of rounds"))
        if self.blocked or region is None or starts is None or ends is None:
            return None
        return Section(
            event=self._event(name, region, starts, ends),
            name=(row.text("section") or name)[:100],
            stage=Stage.RATED,
            starts=starts,
            ends=ends,
            format=format_,
            rounds=max(rounds, 1),
            finals=self._finals(rounds),
            team=bool(sheet.teams),
            particulars=particulars,
            round_dates=[day.isoformat() if day else None for day in sheet.round_dates],
        )

    def _rounds(self) -> int:
        """The number of scheduled rounds: the table's, else the file's, else that of the played ones."""
        sheet, scheduled = self.sheet, self.row.get("rounds", parse_round_count)
        unread, played = "rounds" in self.row.unread, sheet.rounds_played
        if scheduled is None and not unread and sheet.rounds and sheet.rounds < played:
            self.planner.say("blocks", "more-rounds", self.file, scheduled=sheet.rounds, played=played)
            self.blocked = True
        if scheduled and scheduled > played > 0:
            self.planner.say("notice", "rounds-not-played", self.file, scheduled=scheduled, played=played)
        return int(scheduled or sheet.rounds or played)

    def _finals(self, rounds: int) -> list[str]:
        """The names of the rounds behind the scheduled ones: as in the file, others by number."""
        played = self.sheet.rounds_played
        behind = max(0, played - rounds) if rounds else 0
        if behind:
            self.planner.say("notice", "rounds-are-finals", self.file, scheduled=rounds, played=played)
        return name_finals(list(self.sheet.finals), behind + len(self.sheet.finals))

    def _renumber(self, section: Section) -> Callable[[int], int]:
        """A function that moves the file's finals behind the scheduled rounds, if these are more."""
        played = self.sheet.rounds_played
        further = max(0, (section.rounds or 0) - played) if section.finals else 0
        return lambda round_: round_ + further if round_ > played else round_

    def _event(self, name: str, region: Region, starts: date, ends: date) -> Event:
        country = self.row.get("country", parse_country) or ""
        return Event(
            federation=self.planner.federation,
            name=name[:100],
            place=self.sheet.city[:100],
            region=region,
            country="" if country == self.ruleset.country else country,
            starts=starts,
            ends=ends,
            registered_on=starts,
            arbiters=[{"name": a.name, "title": a.title, "id": a.fide_id} for a in self.sheet.arbiters],
        )

    def _region(self) -> Region | None:
        text, regions = self.row.text("region"), self.planner.regions
        if not text and len(regions) == 1:
            return regions[0]
        found = next((each for each in regions if fold(text) in (fold(each.code), fold(each.name))), None)
        if not text:
            self._missing("region", _("the region"))
        elif found is None:
            offered = ", ".join(each.code for each in regions)
            self.planner.say("blocks", "region-unknown", self.file, region=text, regions=offered)
            self.blocked = True
        return found

    def _format(self) -> str:
        formats = self.ruleset.sections.formats
        given = self.row.get("format", lambda text: parse_one_of(text, formats))
        found = given or parse_format(f"{self.sheet.kind} {self.sheet.kind_code}")
        if found in formats:
            return str(found)
        return "swiss" if "swiss" in formats else formats[0]

    def _particulars(self) -> dict[str, Any]:
        fields = self.ruleset.sections.fields
        values = {field.name: self._value(field) for field in fields}
        for each in fields:
            applies = each.only_with is None or values.get(each.only_with[0]) == each.only_with[1]
            if not applies:
                values[each.name] = None
            elif each.required and each.kind != "flag" and values[each.name] in (None, "", []):
                offered = ", ".join(choice.value for choice in each.choices)
                self._missing(each.name, _(each.label), offered)
        return {name: value for name, value in values.items() if value not in (None, "", [], False)}

    def _value(self, each: Field) -> Any:
        value = self.row.get(each.name, lambda text: parse_value(each, text))
        if value in (None, []) and each.kind == "time_controls":
            control = guess_time_control(self.sheet.time_code or self.sheet.time_text)
            return [control] if control else None
        if value is None and each.name == "platform" and self._online:
            return "online"
        return each.default or None if value is None else value

    @property
    def _online(self) -> bool:
        return any(finding.key == "online-platform" for finding in self.reading.findings)

    def _struck(self) -> list[tuple[tuple[int, ...], str]]:
        """The games that the table strikes, as (line,) or (round, first, second), each with its words."""
        found: list[tuple[tuple[int, ...], str]] = []
        for part in filter(None, map(str.strip, self.row.text("strike").split(";"))):
            match = STRIKE_PATTERN.fullmatch(part)
            place = tuple(int(each) for each in match.groups()[:4] if each) if match else ()
            if not place or not self._is_there(place):
                self.planner.say("blocks", "strike-wrong", self.file, text=part)
                continue
            found.append((place, part))
            self.planner.say("notice", "struck", self.file, words=part)
        return found

    def _is_there(self, place: tuple[int, ...]) -> bool:
        lines = {finding.line for finding in self.reading.findings if finding.level == "blocks"}
        if len(place) == 1 and place[0] in lines:
            return True
        return any(self._is_struck(game, [(place, "")]) for game in self.sheet.games)

    @staticmethod
    def _is_struck(game: SheetGame, struck: list[tuple[tuple[int, ...], str]]) -> bool:
        pair = {(game.line,), (game.round, game.first, game.second), (game.round, game.second, game.first)}
        return any(place in pair for place, _words in struck)

    def _add_reader_questions(self, struck: list[tuple[tuple[int, ...], str]]) -> None:
        """Pass on blocking findings of the reader, unless the line is struck or the table settles them."""
        lines = {place[0] for place, _words in struck if len(place) == 1}
        for finding in self.reading.findings:
            settled = finding.line in lines or finding.key in ANSWERED_ELSEWHERE
            if finding.level == "blocks" and not settled:
                self.planner.questions.append(_reader_question(self.file, finding))

    def _check_rounds(self, planned: PlannedSection) -> None:
        rules = self.ruleset.sections
        if rules.many_games_a_round or planned.section.format in SEVERAL_A_ROUND:
            return
        seats: Counter[tuple[int, int]] = Counter()
        for game in planned.games:
            seats.update([(game.round, game.first), (game.round, game.second)])
        seats.update((round_, player) for round_, player, _kind in planned.byes)
        if any(count > 1 for count in seats.values()):
            self.planner.say("blocks", "twice-in-a-round", self.file)

    def _places(self, entries: list[Entry]) -> None:
        by_points = self.row.get("places", lambda text: parse_one_of(text, (PLACES_BY_POINTS,)))
        if not self.ruleset.sections.places_needed or all(entry.place is not None for entry in entries):
            return
        if "places" in self.row.unread:
            return
        if not by_points:
            self.planner.say("blocks", "places-missing", self.file)
            return
        self.planner.say("notice", "places-from-points", self.file)
        scores = [(entry.points or 0, entry.discs or 0) for entry in entries]
        for entry, score in zip(entries, scores, strict=True):
            entry.place = 1 + sum(other > score for other in scores)


def default_cells(rows: list[dict[str, str]]) -> dict[str, str]:
    """The cells of the row for all files."""
    found = next((row for row in rows if row.get("file") == EVERY_FILE), {})
    return {column: text for column, text in found.items() if column not in ("file", "line")}


# ---- The plan of a whole history
MOST_ASKED_FOR_KIND = 500
"""The number of entries by which the kind of a program's ids is looked up in the register."""


@dataclass(slots=True)
class HistoryPlan:
    """A history as it would be written."""

    history: History
    sections: list[PlannedSection] = field(default_factory=list)
    """In the order of their rating."""
    people: list[FiledPerson] = field(default_factory=list)
    by_mark: Mapping[str, FiledPerson] = field(default_factory=dict)
    how: Mapping[str, str] = field(default_factory=dict)
    """How each spelling was settled (`Resolution.how`)."""
    lists: list[date] = field(default_factory=list)
    """The days of lists in the table."""
    questions: list[Question] = field(default_factory=list)
    files: int = 0

    def person(self, mark: str) -> FiledPerson:
        return self.by_mark[mark]


def plan_history(history: History, on: date) -> HistoryPlan:
    """Plan a history as of a day, by its files, its table and the answers."""
    plan = HistoryPlan(history)
    answers = Answers(history)
    planner = SectionPlanner(history.federation, on, default_cells(history.rows))
    rows = _rows_by_file(history, plan)
    files = history.files.defer("content").order_by("number")
    seen: dict[str, str] = {}
    for file in files.iterator(chunk_size=50):
        plan.files += 1
        row = rows.pop(file.name, {})
        planned = planner.plan(file, load_reading(file), row)
        if planned is not None:
            if file.sha256 in seen:
                where = f"{file.name} = {seen[file.sha256]}"
                plan.questions.append(Question("blocks", "file-twice", file.name, where))
            seen[file.sha256] = file.name
            plan.sections.append(planned)
    plan.questions += [Question("blocks", "row-without-file", name, name) for name in rows]
    plan.questions += planner.questions
    filed = Upload.objects.filter(federation=history.federation).exclude(state=Upload.State.UNREADABLE)
    for sha256, number, code in filed.values_list("sha256", "section__event__number", "section__code"):
        if sha256 in seen:
            name = seen[sha256]
            plan.questions.append(
                Question("blocks", "file-filed", name, name, {"section": f"{number}/{code}"})
            )
    plan.sections.sort(key=lambda each: (each.rated, each.section.starts, each.name))
    plan.lists = _lists(history, on, plan)
    _settle_id_kinds(history.federation, plan, answers)
    _resolve(history.federation, plan, answers)
    join_and_number_events(history.federation, [each.section for each in plan.sections])
    return plan


def _rows_by_file(history: History, plan: HistoryPlan) -> dict[str, Mapping[str, str]]:
    found: dict[str, Mapping[str, str]] = {}
    for row in history.rows:
        name = row.get("file", "")
        if not name or name == EVERY_FILE:
            continue
        if name in found:
            plan.questions.append(Question("blocks", "row-twice", name, name))
        found[name] = row
    return found


def _lists(history: History, on: date, plan: HistoryPlan) -> list[date]:
    """The days of the column `list`, in rows with or without a file."""
    days = set()
    for row in history.rows:
        try:
            day = parse_day(row.get("list", ""))
        except CellProblem as problem:
            params = {"column": "list", "words": str(problem)}
            plan.questions.append(Question("blocks", "cell-wrong", row["line"], row["line"], params))
            continue
        if day is not None and day > on:
            plan.questions.append(Question("blocks", "in-future", str(day), str(day)))
        elif day is not None:
            days.add(day)
    return sorted(days)


def _settle_id_kinds(federation: Federation, plan: HistoryPlan, answers: Answers) -> None:
    """Settle the kind of each program's ids, where the table does not give it."""
    known = [code for code, _label in id_kind_choices(federation.ruleset)]
    asked: dict[str, list[Entry]] = defaultdict(list)
    for planned in plan.sections:
        asked[planned.dialect] += [each for each in planned.entries if each.filed_id and not each.id_kind]
    for dialect, entries in asked.items():
        kind = answers.of("id-kind", dialect) or detect_id_kind(federation, entries[:MOST_ASKED_FOR_KIND])
        kind = kind or suggest_id_kind(federation.ruleset, dialect, entries)
        if kind in known:
            for entry in entries:
                entry.id_kind = kind
        elif entries:
            params = {"ids": example_ids(entries), "kinds": ", ".join(known)}
            plan.questions.append(Question("asks", "id-kind", dialect, dialect, params))


def _resolve(federation: Federation, plan: HistoryPlan, answers: Answers) -> None:
    collected = Spellings(answers.subjects("person", APART))
    for planned in plan.sections:
        region = planned.section.event.region
        planned.marks = [
            collected.add(planned.file, planned.name, region, entry) for entry in planned.entries
        ]
    resolution = Resolution(federation, answers)
    plan.by_mark = resolution.resolve(collected.by_mark.values())
    plan.people = list(resolution.people.values())
    plan.how = resolution.how
    plan.questions += resolution.questions
    plan.questions += _twice_in_a_file(plan)
    plan.questions += _unused_answers(plan, answers)
    _give_nations(plan)
    plan.questions += _missing_particulars(federation, plan)


def _unused_answers(plan: HistoryPlan, answers: Answers) -> Iterator[Question]:
    """Notices of answers on people whose spelling no file has."""
    known = {*plan.by_mark, *answers.subjects("person", APART)}
    for kind, subject in sorted(answers.values):
        for_all = subject == HistoryAnswer.ALL and kind != "name"
        if kind in PERSON_QUESTIONS and subject not in known and not for_all:
            yield Question("notice", "answer-of-nothing", subject, f"{kind} {subject}")


def _twice_in_a_file(plan: HistoryPlan) -> Iterator[Question]:
    """Ask about two entries of a file that are taken for one person."""
    for planned in plan.sections:
        first: dict[int, Entry] = {}
        for entry, mark in zip(planned.entries, planned.marks, strict=True):
            twin = first.setdefault(id(plan.person(mark)), entry)
            if twin is not entry:
                where = f"{mark} {planned.name}: {twin.number}, {entry.number} {entry.name}"
                yield Question("asks", "person-twice", mark, where, proposed=NEW)


def _give_nations(plan: HistoryPlan) -> None:
    """Give new people the nation of a file, else that of the table."""
    for from_file in (True, False):
        for planned in plan.sections:
            for entry, mark in zip(planned.entries, planned.marks, strict=True):
                person = plan.person(mark)
                if not person.nation:
                    person.nation = get_filed_nation(entry) if from_file else planned.nation


def _missing_particulars(federation: Federation, plan: HistoryPlan) -> Iterable[Question]:
    """Notices of new people without nation, or people without birth where that matters."""
    for person in plan.people:
        if person.player is None and not person.nation:
            yield Question("notice", "nation-missing", person.mark, person.name)
    if "born" in equipment_of(federation.ruleset).office.asks and federation.ruleset.pre_ratings:
        for person in plan.people:
            if not person.birth:
                yield Question("notice", "births-not-known", person.mark, person.name)


# ---- The CSV of all people in a history
#
# It has the columns of the questions and more, so that it can be read as answers, also unasked ones.
FURTHER_COLUMNS = ("how", "entries")
"""How a spelling was settled, and the number of its entries."""


def pack_people_table(plan: HistoryPlan) -> bytes:
    """The table, compressed for storage, sorted by first name and birth, so that people who married are
    adjacent.
    """
    return zlib.compress(BYTE_ORDER_MARK + csv_bytes((*QUESTION_COLUMNS, *FURTHER_COLUMNS), _rows(plan)))


def _rows(plan: HistoryPlan) -> Iterator[list[str]]:
    for person in sorted(plan.people, key=lambda each: (fold(each.first_name), each.birth, each.name)):
        for spelling in person.spellings:
            cells = ("person", spelling.mark, spelling.where, person.offer)
            how = plan.how.get(spelling.mark, "")
            yield [*map(disarm_cell, cells), "", how, str(len(spelling.uses))]


def load_people_table(history: History) -> bytes:
    """The table of the newest check; empty before the first one."""
    kept = History.objects.values_list("who_is_who", flat=True).get(pk=history.pk)
    return zlib.decompress(bytes(kept)) if kept else b""
