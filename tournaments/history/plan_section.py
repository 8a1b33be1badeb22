"""One file of a history as the section that it becomes: by its row of the table, else by what it says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from players.office.models import Federation, Region
from players.register.name_folding import fold
from ratings.law.fields import Field
from ratings.law.journal.section_line import SEVERAL_A_ROUND
from tournaments.events.models import Entry, Event, Section, Stage
from tournaments.events.parse_time_control import read_time_control
from tournaments.filing.carried_over_answers import loser_of
from tournaments.filing.changes.finals import names_of_finals
from tournaments.filing.open_questions import PLACEMENT
from tournaments.filing.store_reading import ANSWERED_ELSEWHERE, entry_of
from tournaments.formats.common.reading_result import FileFinding, Reading, Sheet, SheetGame
from tournaments.history.models import HistoryFile
from tournaments.history.questions import Question
from tournaments.history.table_columns import (
    BY_POINTS,
    EVERY_FILE,
    MOST_ROUNDS,
    CellProblem,
    country_in,
    day_in,
    flag_in,
    one_of,
    rounds_in,
    value_in,
)
from tournaments.identity.id_kinds import choices_of
from tournaments.identity.propose_file_sections import bare_name, format_in

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
