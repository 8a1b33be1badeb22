"""The plan of a whole history: its sections in order, its people, and all that stands in the way."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date

from players.office.models import Federation
from ratings.equipment.find_equipment import equipment_of
from tournaments.events.file_models import Upload
from tournaments.events.models import Entry
from tournaments.filing.acceptance_facts import nation_in
from tournaments.history.event_numbers import number_events
from tournaments.history.models import History, HistoryAnswer, HistoryFile
from tournaments.history.people.filed_people import FiledPerson, Spellings
from tournaments.history.plan_section import PlannedSection, SectionPlanner, every_row
from tournaments.history.questions import OF_PEOPLE, Answers, Question
from tournaments.history.read_files import reading_of
from tournaments.history.resolve_people import APART, NEW, Resolution
from tournaments.history.table_columns import EVERY_FILE, CellProblem, day_in
from tournaments.identity.detect_id_kind import kind_in, some_ids, suggested
from tournaments.identity.id_kinds import choices_of

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
            _refuse_twice(file, seen, plan)
            plan.sections.append(planned)
    plan.questions += [Question("blocks", "row-without-file", name, name) for name in rows]
    plan.questions += planner.questions
    _refuse_filed(history, seen, plan)
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


def _refuse_twice(file: HistoryFile, seen: dict[str, str], plan: HistoryPlan) -> None:
    if file.sha256 in seen:
        where = f"{file.name} = {seen[file.sha256]}"
        plan.questions.append(Question("blocks", "file-twice", file.name, where))
    seen[file.sha256] = file.name


def _refuse_filed(history: History, seen: Mapping[str, str], plan: HistoryPlan) -> None:
    """Ask about files whose very bytes the office has with a section already."""
    filed = Upload.objects.filter(federation=history.federation).exclude(state=Upload.State.UNREADABLE)
    for sha256, number, code in filed.values_list("sha256", "section__event__number", "section__code"):
        if sha256 in seen:
            told, name = {"section": f"{number}/{code}"}, seen[sha256]
            plan.questions.append(Question("blocks", "file-filed", name, name, told))


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
