"""The plan of a history: the sections of its files, their numbers and people, and all open questions.

A file becomes a section by its row of the table, and by its own content where the row is silent. Nothing of a
plan is in the database. A CSV names all people of the history and how each was settled.
"""

import json
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from players.models import Federation, Region
from players.names import fold
from ratings.rulesets.downloads import BYTE_ORDER_MARK, csv_bytes, disarm_cell
from ratings.rulesets.facts import Field
from ratings.rulesets.profile import equipment_of
from tournaments import matching
from tournaments.acceptance import (
    PLACEMENT,
    check_play,
    check_round_dates,
    get_filed_nation,
)
from tournaments.checks import (
    PAIRS_ASKED,
    check_facts,
)
from tournaments.details import name_finals
from tournaments.filing import build_entries, get_time_control, time_control_words
from tournaments.formats.file_check import (
    ANSWERED_ELSEWHERE,
    list_unused_lines,
)
from tournaments.formats.sheet import FileFinding, Reading, Sheet, SheetGame
from tournaments.history import (
    EVERY_FILE,
    LINE,
    MOST_ROUNDS,
    PERSON_QUESTIONS,
    PLACES_BY_POINTS,
    QUESTION_COLUMNS,
    RIGHT,
    TIME_CONTROL_DIFFERS,
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
from tournaments.history_people import APART, NEW, FiledPerson, Resolution, Spellings, spelling_mark
from tournaments.models import (
    Entry,
    Event,
    Finding,
    History,
    HistoryAnswer,
    HistoryFile,
    Section,
    Stage,
    Upload,
)
from tournaments.places import FiledBye, compute_places, compute_points
from tournaments.registration import free_codes


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
"""Readers' findings on unclear days, which the table settles by giving the day."""
ENDS_FIRST = "ends-before-start"
"""The reader's finding, and the plan's own by file and table."""
DAY_GUESSED = "date-by-program"
"""The reader's finding on a day that only the program's habit decided."""


class Play(NamedTuple):
    """The play of a section: unsaved entries, games and byes."""

    entries: list[Entry]
    games: list[SheetGame]
    byes: list[FiledBye]


_entry_values = attrgetter(*(each.attname for each in Entry._meta.concrete_fields))
_game_values = attrgetter(*SheetGame.__slots__)


@dataclass(slots=True)
class PlannedSection:
    """The section of a file: an unsaved row, what was played, and when it was rated."""

    file: int
    """The file's number."""
    name: str
    """The file's name."""
    section: Section
    rated: date
    id_kind: str
    """The kind of the entries' ids."""
    packed: bytes = b""
    """The play, compressed, because as objects that of a long past would fill the memory."""
    entries: int = 0
    games: int = 0
    """How many were played."""
    marks: list[str] = field(default_factory=list)
    """The mark of each entry's spelling, once collected, in the file's order."""
    nation: str = ""
    """The nation of new players without one in the file."""
    format_given: bool = False
    """Whether file or table gives the format of play."""
    dialect: str = ""
    struck: list[str] = field(default_factory=list)
    """The struck games with their reasons."""
    settled_lines: frozenset[int] = frozenset()
    """The struck lines, whose findings are settled."""
    facts: list[Finding] = field(default_factory=list)
    """What the checks of every section find, each with its answer."""

    def pack(self, play: Play) -> None:
        self.entries, self.games = len(play.entries), len(play.games)
        rows = list(map(_entry_values, play.entries)), list(map(_game_values, play.games)), play.byes
        self.packed = zlib.compress(json.dumps(rows, default=str).encode(), 1)

    def unpack(self) -> Play:
        """The play again; its entries are of the section as it is now, saved or not."""
        rows, games, byes = json.loads(zlib.decompress(self.packed))
        entries = [Entry(*values) for values in rows]
        for entry in entries:
            entry.section, entry.id_kind = self.section, entry.filed_id and self.id_kind
            entry.points = None if entry.points is None else Decimal(entry.points)
        return Play(
            entries, [SheetGame(*values) for values in games], [(n, player, k) for n, player, k in byes]
        )


class SectionPlanner:
    """Plans the sections of files by their rows; collects questions."""

    def __init__(
        self,
        federation: Federation,
        on: date,
        defaults: Mapping[str, Mapping[str, str]],
        answers: Answers,
    ) -> None:
        self.federation, self.on, self.defaults, self.answers = federation, on, defaults, answers
        self.ruleset = federation.ruleset
        self.regions = list(federation.regions.all())
        self.kinds_of_ids = [code for code, _words in matching.id_kind_choices(self.ruleset)]
        self.questions: list[Question] = []
        self.ids: dict[str, list[Entry]] = defaultdict(list)
        """By dialect, entries with ids whose kind the table does not give."""

    def sample_ids(self, dialect: str, entries: Iterable[Entry]) -> None:
        """Keep entries by which the kind of a dialect's ids is found: the first, and last that of the
        shortest id.
        """
        kept = self.ids[dialect]
        for entry in entries:
            if not entry.filed_id:
                continue
            if len(kept) <= MOST_ASKED_FOR_KIND:
                kept.append(entry)
            elif len(entry.filed_id.lstrip("0")) < len(kept[-1].filed_id.lstrip("0")):
                kept[-1] = entry

    def plan(self, file: HistoryFile, reading: Reading, row: Mapping[str, str]) -> PlannedSection | None:
        """The section of a file; None if it is left out or cannot become one, with questions."""
        cells: dict[str, str] = {}
        for folder, every in self.defaults.items():
            if file.name.startswith(folder):
                cells |= every
        planning = _Planning(self, file, reading, {**cells, **row})
        if planning.get("leave_out", parse_flag):
            return None
        if reading.sheet is None:
            self.questions += [_reader_question(file, each, each.level) for each in reading.findings]
            return None
        return planning.build()

    def say(self, level: str, key: str, file: HistoryFile, **params: Any) -> None:
        proposed = RIGHT if level == "asks" else ""
        self.questions.append(Question(level, key, file.name, file.name, params, proposed))


def _place(name: str, line: int | None) -> str:
    return name + (_(", line %(line)s") % {"line": line} if line else "")


def _reader_question(file: HistoryFile, finding: FileFinding, level: str) -> Question:
    proposed = RIGHT if level == "asks" else ""
    where, params = _place(file.name, finding.line), dict(finding.params)
    return Question(level, finding.key, file.name, where, params, proposed)


def notices_of_file(reading: Reading, settled_lines: Collection[int]) -> list[FileFinding]:
    """What the reader found in a file that went in, without what the table settles: what it asks about a file
    is answered by then, and a notice.
    """
    found = unsettled_findings(reading, settled_lines)
    return [replace(each, level="notice") if each.level == "asks" else each for each in found]


def unsettled_findings(reading: Reading, settled_lines: Collection[int]) -> list[FileFinding]:
    """What the reader found in a file, without what the table settles and what the plan asks by itself."""
    elsewhere = {*ANSWERED_ELSEWHERE, *DAYS_NOT_READ, ENDS_FIRST}
    return [each for each in reading.findings if each.line not in settled_lines and each.key not in elsewhere]


class _Planning:
    """Plans the section of a file by the cells of its row. One that cannot be parsed becomes a question."""

    def __init__(
        self, planner: SectionPlanner, file: HistoryFile, reading: Reading, cells: Mapping[str, str]
    ) -> None:
        self.planner, self.file, self.reading, self.cells = planner, file, reading, cells
        self.sheet = reading.sheet or Sheet()
        self.ruleset = planner.ruleset
        self.blocked = False
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

    def build(self) -> PlannedSection | None:
        """The planned section; None if something that every section needs is missing."""
        section = self._section()
        struck = self._struck()
        settled_lines = frozenset(place[0] for place, _words in struck if len(place) == 1)
        self._add_reader_questions(settled_lines)
        rated = self.get("rated", parse_day) or (section.ends if section else None)
        if section is None or rated is None:
            return None
        if rated > self.planner.on:
            self.planner.say("blocks", "in-future", self.file)
        elif rated < section.ends:
            days = {"rated": rated.isoformat(), "ends": section.ends.isoformat()}
            self.planner.say("blocks", "rated-before-end", self.file, **days)
        kind = self.get("ids", lambda text: parse_one_of(text, self.planner.kinds_of_ids)) or ""
        planned = PlannedSection(self.file.number, self.file.name, section, rated, kind)
        planned.format_given = bool(self.given_format)
        planned.nation, planned.dialect = (
            self.get("nation", self._parse_country) or "",
            self.sheet.dialect[:40],
        )
        renumber = self._renumber(section)
        games = [
            game if (round_ := renumber(game.round)) == game.round else replace(game, round=round_)
            for game in self.sheet.games
            if not struck or not self._is_struck(game, struck)
        ]
        byes: list[FiledBye] = [(renumber(bye.round), bye.player, bye.kind) for bye in self.sheet.byes]
        play = Play(build_entries(section, self.sheet, kind), games, byes)
        planned.struck, planned.settled_lines = [words for _at, words in struck], settled_lines
        self._set_places(section, play)
        planned.pack(play)
        if not kind:
            self.planner.sample_ids(planned.dialect, play.entries)
        return planned

    def _missing(self, column: str, label: str, offered: str = "") -> None:
        """Ask for a value that neither file nor table gives, unless its cell has a question already."""
        if column not in self.unread:
            wanted = f"{label} ({offered})" if offered else label
            self.planner.say("blocks", "field-missing", self.file, column=column, label=label, wanted=wanted)
        self.blocked = True

    def _section(self) -> Section | None:
        sheet = self.sheet
        name = self.text("event") or sheet.name.strip() or matching.bare_name(self.file.name)
        starts = self.get("starts", parse_day) or sheet.starts
        ends = self.get("ends", parse_day) or sheet.ends or starts
        rounds = min(self._rounds(), MOST_ROUNDS)
        region, particulars = self._region(), self._particulars()
        if starts is None or ends is None:
            self._missing("starts", _("the first day"))
        elif ends < starts:
            self.planner.say("blocks", ENDS_FIRST, self.file)
            self.blocked = True
        format_ = self._format()
        if format_ == PLACEMENT and not rounds:
            self._missing("rounds", _("the number of rounds"))
        if self.blocked or region is None or starts is None or ends is None:
            return None
        return Section(
            event=self._event(name, region, starts, ends),
            name=(self.text("section") or name)[:100],
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
        sheet, scheduled = self.sheet, self.get("rounds", parse_round_count)
        unread, played = "rounds" in self.unread, sheet.rounds_played
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

    def _parse_country(self, text: str) -> str:
        return parse_country(text, self.ruleset.country)

    def _event(self, name: str, region: Region, starts: date, ends: date) -> Event:
        country = self.get("country", self._parse_country) or ""
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
        text, regions = self.text("region"), self.planner.regions
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
        return self.given_format or ("swiss" if "swiss" in formats else formats[0])

    @cached_property
    def given_format(self) -> str:
        """The format that table or file gives; empty if they give none that the office rates."""
        formats = self.ruleset.sections.formats
        given = self.get("format", lambda text: parse_one_of(text, formats))
        found = given or matching.parse_format(f"{self.sheet.kind} {self.sheet.kind_code}")
        return str(found) if found in formats else ""

    def _particulars(self) -> dict[str, Any]:
        fields = self.ruleset.sections.fields
        values = {field.name: self._value(field) for field in fields}
        for each in fields:
            if not each.applies(values):
                values[each.name] = None
            elif each.required and each.kind != "flag" and values[each.name] in (None, "", []):
                offered = ", ".join(choice.value for choice in each.choices)
                self._missing(each.name, _(each.label), offered)
        return {name: value for name, value in values.items() if value not in (None, "", [], False)}

    def _value(self, each: Field) -> Any:
        value = self.get(each.name, lambda text: parse_value(each, text))
        if each.kind == "time_controls" and (control := get_time_control(self.sheet)):
            if value and value != [control] and not self._is_right(TIME_CONTROL_DIFFERS):
                words = {"text": time_control_words(self.sheet)}
                self.planner.say("asks", TIME_CONTROL_DIFFERS, self.file, **words)
            return value or [control]
        if value is None and each.name == "platform" and self._online:
            return "online"
        return each.default or None if value is None else value

    def _is_right(self, key: str) -> bool:
        """Whether a question of this file is answered."""
        return bool(self.planner.answers.of(key, self.file.name))

    @property
    def _online(self) -> bool:
        return any(finding.key == "online-platform" for finding in self.reading.findings)

    def _struck(self) -> list[tuple[tuple[int, ...], str]]:
        """The games that the table strikes, as (line,) or (round, first, second), each with its words."""
        found: list[tuple[tuple[int, ...], str]] = []
        for part in filter(None, map(str.strip, self.text("strike").split(";"))):
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

    def _add_reader_questions(self, settled_lines: Collection[int]) -> None:
        """Pass on all that the reader says of the file, unless the table settles it."""
        sheet, questions = self.sheet, self.planner.questions
        given = sum(
            known is None and bool(self.text(column))
            for column, known in (("starts", sheet.starts), ("ends", sheet.ends))
        )
        unread = [each for each in self.reading.findings if each.key in DAYS_NOT_READ]
        if len(unread) > given:
            questions += [_reader_question(self.file, each, "blocks") for each in unread]
        days_given = bool(self.text("starts") and self.text("ends"))
        for each in unsettled_findings(self.reading, settled_lines):
            answered = each.level == "asks" and self._is_right(each.key)
            if not answered and not (days_given and each.key == DAY_GUESSED):
                questions.append(_reader_question(self.file, each, each.level))
        for made in (*self.reading.adjustments, *list_unused_lines(sheet)):
            params = {"before": made.before, "after": made.after}
            where = _place(self.file.name, made.line)
            questions.append(Question("notice", made.key, self.file.name, where, params, adjusted=True))

    def _set_places(self, section: Section, play: Play) -> None:
        """Work missing places out, if the rules need them and the table wants it."""
        by_points = self.get("places", lambda text: parse_one_of(text, (PLACES_BY_POINTS,)))
        entries = play.entries
        if not self.ruleset.sections.places_needed or all(entry.place is not None for entry in entries):
            return
        if "places" in self.unread:
            return
        points = compute_points(section, *play) if by_points else {}
        places = compute_places(section, entries, points, play.games)
        if not places:
            self.planner.say("blocks", "places-missing", self.file)
            return
        self.planner.say("notice", "places-from-points", self.file)
        for entry in entries:
            entry.place = places[entry.number]


def default_cells(rows: list[dict[str, str]]) -> dict[str, dict[str, str]]:
    """The cells of the rows for all files, and for all of a folder, by the folder: the innermost last."""
    found = {
        row["file"].removesuffix(EVERY_FILE): {n: text for n, text in row.items() if n not in (LINE, "file")}
        for row in rows
        if is_default(row.get("file", ""))
    }
    return dict(sorted(found.items()))


def is_default(name: str) -> bool:
    """Whether a row with this `file` holds for all files, or for all of a folder."""
    return name == EVERY_FILE or name.endswith(f"/{EVERY_FILE}")


# ---- The plan of a whole history
MOST_ASKED_FOR_KIND = 500
"""The number of entries by which the kind of a program's ids is looked up in the register."""


class HistoryPlan:
    """A history as it would be written on a day, by its files, its table and the answers."""

    def __init__(self, history: History, on: date) -> None:
        self.history, self.federation, self.on = history, history.federation, on
        self.answers = Answers(history)
        self.questions: list[Question] = []
        self.files = 0
        self.sections: list[PlannedSection] = []
        """In the order of their rating."""
        self._plan_sections()
        self.lists = self._days_of_lists()
        """The days of lists in the table."""
        self.apart = self.answers.subjects("person", APART)
        collected = Spellings(self.apart)
        for planned in self.sections:
            region = planned.section.event.region
            planned.marks = [
                collected.add(planned.file, planned.name, region, entry) for entry in planned.unpack().entries
            ]
        resolution = Resolution(self.federation, self.answers)
        self.by_mark: Mapping[str, FiledPerson] = resolution.resolve(collected.by_mark.values())
        self.people = list(resolution.people.values())
        self.how: Mapping[str, str] = resolution.how
        """How each spelling was settled (`Resolution.how`)."""
        self.questions += resolution.questions
        for planned in self.sections:
            play = planned.unpack()
            self.questions += self._twice_in_a_file(planned, play.entries)
            self.questions += self._facts_in_doubt(planned, play)
            for entry, person in self._people_of(planned, play.entries):
                person.nation = person.nation or get_filed_nation(entry)
        self.questions += self._unused_answers()
        for planned in self.sections:
            for person in map(self.person, planned.marks):
                person.nation = person.nation or planned.nation
        self.questions += self._missing_particulars()
        join_and_number_events(self.federation, [each.section for each in self.sections])

    def person(self, mark: str) -> FiledPerson:
        return self.by_mark[mark]

    def _people_of(
        self, planned: PlannedSection, entries: Iterable[Entry]
    ) -> Iterator[tuple[Entry, FiledPerson]]:
        return zip(entries, map(self.person, planned.marks), strict=True)

    def _plan_sections(self) -> None:
        defaults = default_cells(self.history.rows)
        planner = SectionPlanner(self.federation, self.on, defaults, self.answers)
        rows = self._rows_by_file()
        seen: dict[str, str] = {}
        for file in self.history.files.defer("content").order_by("number").iterator(chunk_size=50):
            self.files += 1
            planned = planner.plan(file, load_reading(file), rows.pop(file.name, {}))
            if planned is not None:
                if file.sha256 in seen:
                    where = f"{file.name} = {seen[file.sha256]}"
                    self.questions.append(Question("blocks", "file-twice", file.name, where))
                seen[file.sha256] = file.name
                self.sections.append(planned)
        self.questions += [Question("blocks", "row-without-file", name, name) for name in rows]
        self.questions += planner.questions
        self._settle_id_kinds(planner.ids)
        filed = Upload.objects.filter(federation=self.federation).exclude(state=Upload.State.UNREADABLE)
        for sha256, number, code in filed.values_list("sha256", "section__event__number", "section__code"):
            if sha256 in seen:
                name, section = seen[sha256], {"section": f"{number}/{code}"}
                self.questions.append(Question("blocks", "file-filed", name, name, section))
        self.sections.sort(key=lambda each: (each.rated, each.section.starts, each.name))

    def _rows_by_file(self) -> dict[str, Mapping[str, str]]:
        found: dict[str, Mapping[str, str]] = {}
        for row in self.history.rows:
            name = row.get("file", "")
            if not name or is_default(name):
                continue
            if name in found:
                self.questions.append(Question("blocks", "row-twice", name, name))
            found[name] = row
        return found

    def _days_of_lists(self) -> list[date]:
        """The days of the column `list`, in rows with or without a file."""
        days = set()
        for row in self.history.rows:
            try:
                day = parse_day(row.get("list", ""))
            except CellProblem as problem:
                params = {"column": "list", "words": str(problem)}
                self.questions.append(Question("blocks", "cell-wrong", row["line"], row["line"], params))
                continue
            if day is not None and day > self.on:
                self.questions.append(Question("blocks", "in-future", str(day), str(day)))
            elif day is not None:
                days.add(day)
        return sorted(days)

    def _settle_id_kinds(self, samples: Mapping[str, list[Entry]]) -> None:
        """Settle the kind of each program's ids, where the table does not give it."""
        known = [code for code, _label in matching.id_kind_choices(self.federation.ruleset)]
        kinds: dict[str, str] = {}
        for dialect, entries in samples.items():
            kind = self.answers.of("id-kind", dialect) or matching.detect_id_kind(
                self.federation, entries[:MOST_ASKED_FOR_KIND]
            )
            kind = kind or matching.suggest_id_kind(self.federation.ruleset, dialect, entries)
            if kind in known:
                kinds[dialect] = kind
            elif entries:
                params = {"ids": matching.example_ids(entries), "kinds": ", ".join(known)}
                self.questions.append(Question("asks", "id-kind", dialect, dialect, params))
        for planned in self.sections:
            planned.id_kind = planned.id_kind or kinds.get(planned.dialect, "")

    def _unused_answers(self) -> Iterator[Question]:
        """Notices of answers on people whose spelling no file has."""
        known = {*self.by_mark, *self.apart}
        for kind, subject in sorted(self.answers.values):
            for_all = subject == HistoryAnswer.ALL and kind != "name"
            if kind in PERSON_QUESTIONS and subject not in known and not for_all:
                yield Question("notice", "answer-of-nothing", subject, f"{kind} {subject}")

    def _twice_in_a_file(self, planned: PlannedSection, entries: Iterable[Entry]) -> Iterator[Question]:
        """Ask about two entries of a file that are taken for one person."""
        first: dict[int, Entry] = {}
        for entry, mark in zip(entries, planned.marks, strict=True):
            twin = first.setdefault(id(self.person(mark)), entry)
            if twin is not entry:
                where = f"{mark} {planned.name}: {twin.number}, {entry.number} {entry.name}"
                yield Question("asks", "person-twice", mark, where, proposed=NEW)

    def _facts_in_doubt(self, planned: PlannedSection, play: Play) -> Iterator[Question]:
        """Ask what is asked of every section, unless it is answered for the file."""
        people = self._people_of(planned, play.entries)
        known = {entry.number for entry, person in people if person.player and person.player.born}
        planned.facts = [
            *check_play(planned.section, *play),
            *check_round_dates(planned.section),
            *check_facts(planned.section, *play, known, self._settled(planned, play.entries)),
        ]
        for each in planned.facts:
            struck = each.key == "pairs-missing" and planned.struck
            if struck or (each.key in PAIRS_ASKED and not planned.format_given):
                each.level = "notice"
            elif each.level == "asks":
                each.level = "waivable"
            if each.level == "waivable":
                each.waived_because = self.answers.of(each.key, planned.name)
            if not each.waived_because:
                level = "asks" if each.level == "waivable" else each.level
                names = str(each.params.get("names", ""))
                where = ": ".join(filter(None, (_place(planned.name, each.line), names)))
                proposed = RIGHT if level == "asks" else ""
                yield Question(level, each.key, planned.name, where, each.params, proposed)

    def _settled(self, planned: PlannedSection, entries: Iterable[Entry]) -> set[int]:
        """The starting numbers of entries who are players of the register, or new ones by an answer."""
        return {
            entry.number
            for entry, mark in zip(entries, planned.marks, strict=True)
            if self.person(mark).player
            or self.answers.of("person-twice", mark) == NEW
            or self.answers.own("person", mark) == NEW
            or (self.apart and spelling_mark(entry) in self.apart)
        }

    def _missing_particulars(self) -> Iterable[Question]:
        """Notices of new people without nation, or people without birth where that matters."""
        for person in self.people:
            if person.player is None and not person.nation:
                yield Question("notice", "nation-missing", person.mark, person.name)
        if (
            "born" in equipment_of(self.federation.ruleset).office.asks
            and self.federation.ruleset.pre_ratings
        ):
            for person in self.people:
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
