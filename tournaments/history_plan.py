"""The plan of a history: the sections that its files become, their numbers, and all that stands in the way.

A file becomes a section by its row of the table, and by what it says itself where the row is silent. Nothing
of a plan is in the database. A CSV names everybody in the history, and for whom each was taken.
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
from ratings.rulesets.downloads import BYTE_ORDER_MARK, csv_bytes, disarmed
from ratings.rulesets.facts import Field
from ratings.rulesets.journal_lines import SEVERAL_A_ROUND
from ratings.rulesets.profile import equipment_of
from tournaments.acceptance import PLACEMENT, nation_in
from tournaments.details import names_of_finals
from tournaments.filing import ANSWERED_ELSEWHERE, entry_of, loser_of
from tournaments.formats.sheet import FileFinding, Reading, Sheet, SheetGame
from tournaments.history import (
    BY_POINTS,
    COLUMNS,
    EVERY_FILE,
    MOST_ROUNDS,
    OF_PEOPLE,
    Answers,
    CellProblem,
    Question,
    country_in,
    day_in,
    flag_in,
    one_of,
    reading_of,
    rounds_in,
    value_in,
)
from tournaments.history_people import APART, NEW, FiledPerson, Resolution, Spellings
from tournaments.matching import bare_name, choices_of, format_in, kind_in, some_ids, suggested
from tournaments.models import Entry, Event, History, HistoryAnswer, HistoryFile, Section, Stage, Upload
from tournaments.registration import free_codes
from tournaments.sections import read_time_control


def number_events(federation: Federation, sections: Sequence[Section]) -> None:
    """Join sections of one event, and number the events on from those that the office has, by the year of
    their first day. Nothing is written.

    Sections are of one event where its name and region are the same and their days touch.
    """
    taken = _taken(federation)
    events: dict[tuple[str, int], list[Event]] = defaultdict(list)
    codes: dict[int, set[str]] = defaultdict(set)
    for section in sorted(sections, key=lambda each: (each.starts, each.ends, each.event.name, each.name)):
        own = section.event
        known = events[fold(own.name), own.region_id]
        if not known or known[-1].ends < section.starts:
            known.append(own)
            starts = own.starts
            taken[starts.year] += 1
            own.number = f"{starts.year}-{taken[starts.year]:03}"
        section.event = event = known[-1]
        event.ends = max(event.ends, section.ends)
        section.code = next(free_codes(codes[id(event)]))
        codes[id(event)].add(section.code)


def _taken(federation: Federation) -> dict[int, int]:
    """The last number of each year that an event of the office has."""
    taken: dict[int, int] = defaultdict(int)
    for number in Event.objects.filter(federation=federation).values_list("number", flat=True):
        year, _dash, place = number.partition("-")
        if year.isdecimal() and place.isdecimal():
            taken[int(year)] = max(taken[int(year)], int(place))
    return taken


# ---- One file of a history as the section that it becomes.
STRIKE = re.compile(r"(?:line\s+(\d+)|round\s+(\d+)\s+(\d+)\s*[-–]\s*(\d+))\s*:\s*(\S.*)", re.IGNORECASE)
DAYS_NOT_READ = frozenset({"date-not-read", "date-unclear"})
"""The findings of readers on a day that is not clear: told where the day is needed."""


@dataclass(slots=True)
class PlannedSection:
    """A section that a file becomes: unsaved rows with all that the file says, and when it was rated."""

    file: int
    """The file's number in the history."""
    name: str
    """The file's name."""
    section: Section
    rated: date
    entries: list[Entry]
    marks: list[str] = field(default_factory=list)
    """The mark of each entry's spelling, once they are collected."""
    games: list[SheetGame] = field(default_factory=list)
    byes: list[tuple[int, int, str]] = field(default_factory=list)
    """Round, starting number and kind of each bye."""
    nation: str = ""
    """The nation of new players of whom the file gives none."""
    dialect: str = ""
    struck: list[str] = field(default_factory=list)
    """The games that were struck, each with its reason."""

    def excused(self, game: SheetGame) -> str:
        return loser_of(game) if game.short else ""


class SectionPlanner:
    """Makes a planned section of a file's reading and its row; collects what stands in the way."""

    def __init__(self, federation: Federation, on: date, every: Mapping[str, str]) -> None:
        self.federation, self.on, self.every = federation, on, every
        self.ruleset = federation.ruleset
        self.regions = list(federation.regions.all())
        self.kinds_of_ids = [code for code, _words in choices_of(self.ruleset)]
        self.questions: list[Question] = []

    def plan(self, file: HistoryFile, reading: Reading, row: Mapping[str, str]) -> PlannedSection | None:
        """The section of a file; None where it is left out or cannot become one, with questions why."""
        told = _Row(self, file, {**self.every, **row})
        if told.get("leave_out", flag_in):
            return None
        if reading.sheet is None:
            self.questions += [_of_reader(file, each) for each in reading.findings]
            return None
        return _Planning(self, told, file, reading, reading.sheet).planned()

    def say(self, level: str, key: str, file: HistoryFile, **params: Any) -> None:
        self.questions.append(Question(level, key, file.name, file.name, params))


def _of_reader(file: HistoryFile, finding: FileFinding) -> Question:
    level = "notice" if finding.level == "notice" else "blocks"
    line = _(", line %(line)s") % {"line": finding.line} if finding.line else ""
    return Question(level, finding.key, file.name, f"{file.name}{line}", dict(finding.params))


class _Row:
    """The cells of a file's row, read with complaints where one cannot be read."""

    def __init__(self, planner: SectionPlanner, file: HistoryFile, cells: Mapping[str, str]) -> None:
        self.planner, self.file, self.cells = planner, file, cells
        self.unread: set[str] = set()
        """The columns whose cells could not be read."""

    def text(self, column: str) -> str:
        return self.cells.get(column, "").strip()

    def get(self, column: str, read: Callable[[str], Any]) -> Any:
        """A cell's value by this reader; None, with a complaint, where it cannot be read."""
        try:
            return read(self.text(column))
        except CellProblem as problem:
            self.unread.add(column)
            self.planner.say("blocks", "cell-wrong", self.file, column=column, words=str(problem))
            return None


class _Planning:
    """The planning of one section."""

    def __init__(
        self, planner: SectionPlanner, row: _Row, file: HistoryFile, reading: Reading, sheet: Sheet
    ) -> None:
        self.planner, self.row, self.file, self.reading, self.sheet = planner, row, file, reading, sheet
        self.ruleset = planner.ruleset
        self.blocked = False

    def planned(self) -> PlannedSection | None:
        """The section with everything in it; None where something that every section needs is missing."""
        section = self._section()
        struck = self._struck()
        self._tell_reader(struck)
        rated = self.row.get("rated", day_in) or (section.ends if section else None)
        if section is None or rated is None:
            return None
        if rated > self.planner.on:
            self.planner.say("blocks", "in-future", self.file)
        elif rated < section.ends:
            told = {"rated": rated.isoformat(), "ends": section.ends.isoformat()}
            self.planner.say("blocks", "rated-before-end", self.file, **told)
        teams = {member: team.name for team in self.sheet.teams for member in team.members}
        entries = [entry_of(section, row, teams.get(row.start_number, "")) for row in self.sheet.rows]
        self._places(entries)
        planned = PlannedSection(self.file.number, self.file.name, section, rated, entries)
        planned.nation, planned.dialect = self.row.get("nation", country_in) or "", self.sheet.dialect[:40]
        moved = self._moved(section)
        planned.games = [
            replace(game, round=moved(game.round))
            for game in self.sheet.games
            if not self._is_struck(game, struck)
        ]
        planned.byes = [(moved(bye.round), bye.player, bye.kind) for bye in self.sheet.byes]
        planned.struck = [words for _place, words in struck]
        self._kinds_of_ids(planned)
        self._twice_in_a_round(planned)
        return planned

    def _missing(self, column: str, label: str, offered: str = "") -> None:
        """Ask for what neither file nor table says, one of the values that are offered; a cell that cannot be
        read has its complaint already.
        """
        if column not in self.row.unread:
            told = {"column": column, "label": label, "wanted": f"{label} ({offered})" if offered else label}
            self.planner.say("blocks", "field-missing", self.file, **told)
        self.blocked = True

    # ---------------------------------------------------------------- the section itself

    def _section(self) -> Section | None:
        sheet, row = self.sheet, self.row
        name = row.text("event") or sheet.name.strip() or bare_name(self.file.name)
        starts = row.get("starts", day_in) or sheet.starts
        ends = row.get("ends", day_in) or sheet.ends or starts
        rounds = min(self._rounds(), MOST_ROUNDS)
        region, particulars = self._region(), self._particulars()
        if starts is None or ends is None:
            self._missing("starts", _("the first day"))
            unread = [each for each in self.reading.findings if each.key in DAYS_NOT_READ]
            self.planner.questions += [_of_reader(self.file, each) for each in unread]
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
        """The number of scheduled rounds: the table's, else the file's, else as many as it has."""
        sheet, said = self.sheet, self.row.get("rounds", rounds_in)
        unread = "rounds" in self.row.unread
        if said is None and not unread and sheet.rounds and sheet.rounds < sheet.rounds_played:
            told = {"scheduled": sheet.rounds, "played": sheet.rounds_played}
            self.planner.say("blocks", "more-rounds", self.file, **told)
            self.blocked = True
        if said and said > sheet.rounds_played > 0:
            told = {"scheduled": said, "played": sheet.rounds_played}
            self.planner.say("notice", "rounds-not-played", self.file, **told)
        return int(said or sheet.rounds or sheet.rounds_played)

    def _finals(self, rounds: int) -> list[str]:
        """The names of the rounds behind so many scheduled ones: as the file has them, others by number."""
        behind = max(0, self.sheet.rounds_played - rounds) if rounds else 0
        if behind:
            told = {"scheduled": rounds, "played": self.sheet.rounds_played}
            self.planner.say("notice", "rounds-are-finals", self.file, **told)
        return names_of_finals(list(self.sheet.finals), behind + len(self.sheet.finals))

    def _moved(self, section: Section) -> Callable[[int], int]:
        """Move a final of the file behind the scheduled rounds, where these are more than it has."""
        played = self.sheet.rounds_played
        further = max(0, (section.rounds or 0) - played) if section.finals else 0
        return lambda round_: round_ + further if round_ > played else round_

    def _event(self, name: str, region: Region, starts: date, ends: date) -> Event:
        country = self.row.get("country", country_in) or ""
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
        said = self.row.get("format", lambda text: one_of(text, formats))
        found = said or format_in(f"{self.sheet.kind} {self.sheet.kind_code}")
        if found in formats:
            return str(found)
        return "swiss" if "swiss" in formats else formats[0]

    def _particulars(self) -> dict[str, Any]:
        fields = self.ruleset.sections.fields
        said = {field.name: self._value(field) for field in fields}
        for each in fields:
            applies = each.only_with is None or said.get(each.only_with[0]) == each.only_with[1]
            if not applies:
                said[each.name] = None
            elif each.required and each.kind != "flag" and said[each.name] in (None, "", []):
                offered = ", ".join(choice.value for choice in each.choices)
                self._missing(each.name, _(each.label), offered)
        return {name: value for name, value in said.items() if value not in (None, "", [], False)}

    def _value(self, each: Field) -> Any:
        value = self.row.get(each.name, lambda text: value_in(each, text))
        if value in (None, []) and each.kind == "time_controls":
            read = read_time_control(self.sheet.time_code or self.sheet.time_text)
            return [read] if read else None
        if value is None and each.name == "platform" and self._online:
            return "online"
        return each.default or None if value is None else value

    @property
    def _online(self) -> bool:
        return any(finding.key == "online-platform" for finding in self.reading.findings)

    # ---------------------------------------------------------------- play

    def _struck(self) -> list[tuple[tuple[int, ...], str]]:
        """The games that the table strikes, as (line,) or (round, first, second), each with its words."""
        found: list[tuple[tuple[int, ...], str]] = []
        for part in filter(None, map(str.strip, self.row.text("strike").split(";"))):
            said = STRIKE.fullmatch(part)
            place = tuple(int(each) for each in said.groups()[:4] if each) if said else ()
            if not place or not self._is_there(place):
                self.planner.say("blocks", "strike-wrong", self.file, text=part)
                continue
            found.append((place, part))
            self.planner.say("notice", "struck", self.file, words=part)
        return found

    def _is_there(self, place: tuple[int, ...]) -> bool:
        lines = {finding.line for finding in self.reading.findings if finding.level == "blocks"}
        one = [(place, "")]
        return any(self._is_struck(game, one) for game in self.sheet.games) or (
            len(place) == 1 and place[0] in lines
        )

    @staticmethod
    def _is_struck(game: SheetGame, struck: list[tuple[tuple[int, ...], str]]) -> bool:
        pair = {(game.line,), (game.round, game.first, game.second), (game.round, game.second, game.first)}
        return any(place in pair for place, _words in struck)

    def _tell_reader(self, struck: list[tuple[tuple[int, ...], str]]) -> None:
        """Pass on what the reader found; what blocks on a struck line is settled, and the table settles what
        a form would ask.
        """
        lines = {place[0] for place, _words in struck if len(place) == 1}
        for finding in self.reading.findings:
            settled = finding.line in lines or finding.key in ANSWERED_ELSEWHERE
            if finding.level == "blocks" and not settled:
                self.planner.questions.append(_of_reader(self.file, finding))

    def _twice_in_a_round(self, planned: PlannedSection) -> None:
        rules = self.ruleset.sections
        if rules.many_games_a_round or planned.section.format in SEVERAL_A_ROUND:
            return
        seats: Counter[tuple[int, int]] = Counter()
        for game in planned.games:
            seats.update([(game.round, game.first), (game.round, game.second)])
        seats.update((round_, player) for round_, player, _kind in planned.byes)
        if any(count > 1 for count in seats.values()):
            self.planner.say("blocks", "twice-in-a-round", self.file)

    # ---------------------------------------------------------------- entries

    def _places(self, entries: list[Entry]) -> None:
        by_points = self.row.get("places", lambda text: one_of(text, (BY_POINTS,)))
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

    def _kinds_of_ids(self, planned: PlannedSection) -> None:
        kind = self.row.get("ids", lambda text: one_of(text, self.planner.kinds_of_ids)) or ""
        for entry in planned.entries:
            entry.id_kind = kind if entry.filed_id else ""


def every_row(rows: list[dict[str, str]]) -> dict[str, str]:
    """The cells of the row that holds for all files."""
    found = next((row for row in rows if row.get("file") == EVERY_FILE), {})
    return {column: text for column, text in found.items() if column not in ("file", "line")}


# ---- The plan of a whole history: its sections in order, its people, and all that stands in the way.
MOST_ASKED_FOR_KIND = 500
"""The entries of a program by which the kind of its ids is looked for in the register."""


@dataclass(slots=True)
class HistoryPlan:
    """A history as it would be written: nothing of it is in the database."""

    history: History
    sections: list[PlannedSection] = field(default_factory=list)
    """In the order in which they were rated."""
    people: list[FiledPerson] = field(default_factory=list)
    by_mark: Mapping[str, FiledPerson] = field(default_factory=dict)
    how: Mapping[str, str] = field(default_factory=dict)
    """The way in which each spelling was settled, by its mark (`Resolution.how`)."""
    lists: list[date] = field(default_factory=list)
    """The days of lists that the table names."""
    questions: list[Question] = field(default_factory=list)
    files: int = 0

    def person(self, mark: str) -> FiledPerson:
        return self.by_mark[mark]


def plan_history(history: History, on: date) -> HistoryPlan:
    """Plan a history as of a day, by its files, its table and the answers."""
    plan = HistoryPlan(history)
    answers = Answers(history)
    planner = SectionPlanner(history.federation, on, every_row(history.rows))
    rows = _by_file(history, plan)
    files = history.files.defer("content").order_by("number")
    seen: dict[str, str] = {}
    for file in files.iterator(chunk_size=50):
        plan.files += 1
        row = rows.pop(file.name, {})
        planned = planner.plan(file, reading_of(file), row)
        if planned is not None:
            if file.sha256 in seen:
                where = f"{file.name} = {seen[file.sha256]}"
                plan.questions.append(Question("blocks", "file-twice", file.name, where))
            seen[file.sha256] = file.name
            plan.sections.append(planned)
    plan.questions += [Question("blocks", "row-without-file", name, name) for name in rows]
    plan.questions += planner.questions
    # Ask about files whose very bytes the office has with a section already.
    filed = Upload.objects.filter(federation=history.federation).exclude(state=Upload.State.UNREADABLE)
    for sha256, number, code in filed.values_list("sha256", "section__event__number", "section__code"):
        if sha256 in seen:
            told, name = {"section": f"{number}/{code}"}, seen[sha256]
            plan.questions.append(Question("blocks", "file-filed", name, name, told))
    plan.sections.sort(key=lambda each: (each.rated, each.section.starts, each.name))
    plan.lists = _lists(history, on, plan)
    _kinds_of_ids(history.federation, plan, answers)
    _resolve(history.federation, plan, answers)
    number_events(history.federation, [each.section for each in plan.sections])
    return plan


def _by_file(history: History, plan: HistoryPlan) -> dict[str, Mapping[str, str]]:
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
    """The days of the column `list`, in rows without a file or with one."""
    days = set()
    for row in history.rows:
        try:
            day = day_in(row.get("list", ""))
        except CellProblem as problem:
            told = {"column": "list", "words": str(problem)}
            plan.questions.append(Question("blocks", "cell-wrong", row["line"], row["line"], told))
            continue
        if day is not None and day > on:
            plan.questions.append(Question("blocks", "in-future", str(day), str(day)))
        elif day is not None:
            days.add(day)
    return sorted(days)


# ---------------------------------------------------------------- ids
def _kinds_of_ids(federation: Federation, plan: HistoryPlan, answers: Answers) -> None:
    """Settle the kind of the ids of each program's files, where the table does not give it."""
    known = [code for code, _label in choices_of(federation.ruleset)]
    asked: dict[str, list[Entry]] = defaultdict(list)
    for planned in plan.sections:
        with_ids = [entry for entry in planned.entries if entry.filed_id]
        asked[planned.dialect] += [entry for entry in with_ids if not entry.id_kind]
    for dialect, entries in asked.items():
        kind = answers.of("id-kind", dialect) or _kind(federation, dialect, entries)
        if kind in known:
            for entry in entries:
                entry.id_kind = kind
        elif entries:
            told = {"ids": some_ids(entries), "kinds": ", ".join(known)}
            plan.questions.append(Question("asks", "id-kind", dialect, dialect, told))


def _kind(federation: Federation, dialect: str, entries: list[Entry]) -> str:
    """The kind that the register tells, else that of the standard where the ids can be such."""
    if found := kind_in(federation, entries[:MOST_ASKED_FOR_KIND]):
        return found
    return suggested(federation.ruleset, dialect, entries)


# ---------------------------------------------------------------- people
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
    plan.questions += _answers_of_nothing(plan, answers)
    _give_nations(plan)
    plan.questions += _not_known(federation, plan)


def _answers_of_nothing(plan: HistoryPlan, answers: Answers) -> Iterator[Question]:
    """Tell of answers on people whose spelling no file has: a mistyped mark, or a file that was left out."""
    known = {*plan.by_mark, *answers.subjects("person", APART)}
    for kind, subject in sorted(answers.said):
        for_all = subject == HistoryAnswer.ALL and kind != "name"
        if kind in OF_PEOPLE and subject not in known and not for_all:
            yield Question("notice", "answer-of-nothing", subject, f"{kind} {subject}")


def _twice_in_a_file(plan: HistoryPlan) -> Iterator[Question]:
    """Ask about two entries of a file that were said to be one person."""
    for planned in plan.sections:
        first: dict[int, Entry] = {}
        for entry, mark in zip(planned.entries, planned.marks, strict=True):
            twin = first.setdefault(id(plan.person(mark)), entry)
            if twin is not entry:
                where = f"{mark} {planned.name}: {twin.number}, {entry.number} {entry.name}"
                yield Question("asks", "person-twice", mark, where, proposed=NEW)


def _give_nations(plan: HistoryPlan) -> None:
    """Give new people the nation that a file gives them, else the one of the table."""
    for told in (True, False):
        for planned in plan.sections:
            for entry, mark in zip(planned.entries, planned.marks, strict=True):
                person = plan.person(mark)
                if not person.nation:
                    person.nation = nation_in(entry) if told else planned.nation


def _not_known(federation: Federation, plan: HistoryPlan) -> Iterable[Question]:
    """Tell of new people whose nation or birth nobody gives, where that matters."""
    new = [person for person in plan.people if person.player is None]
    for person in new:
        if not person.nation:
            yield Question("notice", "nation-missing", person.mark, person.name)
    if "born" in equipment_of(federation.ruleset).office.asks and federation.ruleset.pre_ratings:
        for person in plan.people:
            if not person.birth:
                yield Question("notice", "births-not-known", person.mark, person.name)


# ---- Everybody whom a history's files name, and for whom each was taken: a CSV in which it can be corrected.
# It is a table of questions with more columns, so that it comes back as answers do. Whoever knows that two
# are one says so here, asked or not.
FURTHER = ("how", "entries")
"""The way in which a spelling was settled, and the number of entries that have it."""


def write(plan: HistoryPlan) -> bytes:
    """Write the table, compressed as a history keeps it: people of one first name stand together, by birth,
    since whoever married is found so.
    """
    return zlib.compress(BYTE_ORDER_MARK + csv_bytes((*COLUMNS, *FURTHER), _rows(plan)))


def _rows(plan: HistoryPlan) -> Iterator[list[str]]:
    for person in sorted(plan.people, key=_by_first_name):
        for spelling in person.spellings:
            told = ("person", spelling.mark, spelling.where, person.offer)
            how = plan.how.get(spelling.mark, "")
            yield [*map(disarmed, told), "", how, str(len(spelling.uses))]


def _by_first_name(person: FiledPerson) -> tuple[str, str, str]:
    return fold(person.first_name), person.birth, person.name


def read(history: History) -> bytes:
    """The table of the newest check; empty before the first."""
    kept = History.objects.values_list("who_is_who", flat=True).get(pk=history.pk)
    return zlib.decompress(bytes(kept)) if kept else b""
