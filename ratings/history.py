"""Import a history, the past of a federation in files, into the journal of its office. The lines are drafted,
folded in memory to show the resulting ratings and, once a person has confirmed them, written in one
transaction.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from itertools import count
from typing import Any

import structlog
from django.db import transaction
from django.utils import timezone

from players import jobs
from players.jobs import wake_recompute
from players.models import BirthDate, Federation, Identifier, Ledger, Player, User
from players.names import fold
from players.record import Refused, decide, lock_ledger
from players.register import player_fact, save_sealed_names
from players.seals import new_salt
from players.settings import today
from players.writing import MANY, NULL, Spool, batches, take_stock
from ratings.as_if import DueFact, Effects, FoldPlan, compute_effects
from ratings.intake import Intake, write_entries, write_facts
from ratings.journal import (
    AFTER_EVERYTHING,
    federation_fact,
    get_last_stated_pres,
    get_players_by_number,
    newest_player_lines,
    read_lines,
    sealed_line,
)
from ratings.models import Fact, first_own_line, opening_day
from ratings.results import state_before
from ratings.rulesets import facts, journal, journal_lines
from ratings.rulesets.facts import State as FoldState
from ratings.rulesets.ruleset import without_gc
from tournaments import history_plan
from tournaments.filing import build_adjustments, build_reader_findings
from tournaments.history import (
    RECORD_SUBJECT,
    NotUnpacked,
    Question,
    group_questions,
    has_open_questions,
    load_reading,
    make_reason,
    read_history,
    ruleset_message,
)
from tournaments.history_people import FiledPerson
from tournaments.history_plan import HistoryPlan, PlannedSection
from tournaments.models import (
    HISTORY_WORKING_STATES,
    Adjustment,
    Bye,
    Entry,
    Event,
    FiledSheet,
    Finding,
    Game,
    History,
    HistoryFile,
    HistoryState,
    Section,
    Upload,
    compute_files_digest,
)
from tournaments.sections import load_particulars

# ---- Checking a history against the journal
FORBIDDING_QUESTIONS = ("journal-has-begun", "journal-goes-on", "before-openings")
"""Questions with which no ratings are computed, because the lines would not be a journal."""


def check_against_journal(plan: HistoryPlan, lines: list[journal.JournalLine]) -> Iterator[Question]:
    """Yield what forbids appending these lines to the office's journal."""
    federation = plan.history.federation
    if (own := first_own_line(federation)) is not None:
        yield Question("blocks", "journal-has-begun", params={"line": own})
        return
    day = opening_day(federation)
    early = [planned.name for planned in plan.sections if day and planned.section.starts <= day]
    if day and early:
        for name in early:
            yield Question("blocks", "before-openings", name, name, {"day": day.isoformat()})
        return
    rows = Fact.objects.filter(federation=federation, on__isnull=False).order_by("number")
    newest = rows.values_list("on", flat=True).last()
    first = next((on for line in lines if (on := getattr(line.fact, "on", None))), None)
    if newest and first and newest > first:
        days = {"newest": newest.isoformat(), "first": first.isoformat()}
        yield Question("blocks", "journal-goes-on", params=days)


class HistoryPreRatings:
    """Folds the lines of a history as they are drafted, if the rules state pre-ratings; else does nothing."""

    def __init__(self, federation: Federation) -> None:
        self.federation, self.rules = federation, federation.ruleset
        self.stated: dict[str, int] = {}
        """The last pre-rating that a line of the history states, by number."""
        self.state: FoldState[Any] = FoldState()
        if self.rules.pre_ratings is not None:
            self.state = state_before(federation, AFTER_EVERYTHING)

    def add_to(self, record: facts.Section, people: Iterable[FiledPerson]) -> facts.Section:
        """Return the section with a pre-rating for each entrant with too few counted games in a track."""
        pre_ratings = self.rules.pre_ratings
        if pre_ratings is None:
            return record
        known = {person.number: person for person in people}
        tracks = self.rules.sections.tracks_of(record)
        entries = []
        for entry in record.entries:
            standings = [self.state.get(entry.player, track) for track in tracks]
            if any(each is None or each.games < pre_ratings.until_games for each in standings):
                person = known[entry.player]
                pre = pre_ratings.of(person.born, person.sex or None, record)
                entries.append(replace(entry, pre=pre))
                self.stated[entry.player] = pre
            else:
                entries.append(entry)
        return replace(record, entries=tuple(entries))

    def fold(self, fact: facts.Fact) -> None:
        """Fold the next line, because later pre-ratings may depend on it."""
        if self.rules.pre_ratings is None:
            return
        if isinstance(fact, facts.RatedSection):
            fact = replace(fact, pres=self._earlier_pres(fact))
        self.state.absorb(self.rules.apply(self.state, fact))

    def _earlier_pres(self, fact: facts.RatedSection) -> dict[str, int]:
        """The pre-ratings stated earlier for entrants of whom this section states none."""
        silent = [entry.player for entry in fact.section.entries if entry.pre is None]
        pres = {player: self.stated[player] for player in silent if player in self.stated}
        rest = [player for player in silent if player not in pres]
        if not rest:
            return pres
        known = get_last_stated_pres(self.federation, rest, fact.number)
        return {**pres, **{player: pre for player, (_line, pre) in known.items()}}


# ---- Drafting the lines of the journal that a history becomes
@dataclass(slots=True)
class JournalDraft:
    """The lines that a history adds to a journal, in order, with questions on what prevents that."""

    plan: HistoryPlan
    above: int
    """The number of the journal's present lines."""
    lines: list[journal.JournalLine] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)
    """The lines as they would be stored, by number."""
    questions: list[Question] = field(default_factory=list)
    digest: str = ""
    """The digest of the lines without the salts of names, which are random each time."""

    @property
    def all_questions(self) -> list[Question]:
        return [*self.plan.questions, *self.questions]


class _DraftWriter:
    """Drafts a plan's lines as of the day on which they would be taken over."""

    def __init__(self, plan: HistoryPlan, on: date) -> None:
        self.plan, self.on, self.federation = plan, on, plan.history.federation
        self.ruleset = self.federation.ruleset
        above = Ledger.objects.values_list("facts", flat=True).get(federation=self.federation)
        self.done = JournalDraft(plan, above)
        self.number = above
        self.hashed = hashlib.sha256()
        self.pres = HistoryPreRatings(self.federation)
        # Give new people the numbers that they would get now; nothing is written.
        federation = self.federation
        new = [person for person in plan.people if person.player is None]
        first = Federation.objects.values_list("next_player_number", flat=True).get(pk=federation.pk)
        taken = set(Player.objects.of(federation).values_list("number", flat=True))
        numbers = (number for number in map(str, count(first)) if number not in taken)
        for person in new:
            person.number = next(numbers)
        _set_regions(self.federation, plan.people)
        self.particulars = {person.number: _particulars(person) for person in plan.people}
        self.known = newest_player_lines(self.federation, list(self.particulars))

    def write(self) -> JournalDraft:
        if self.number == 0:
            self._add(federation_fact(self.federation))
        lists = _days_of_lists(self.plan, self.on)
        for planned in self.plan.sections:
            while lists and lists[0] <= planned.rated:
                self._close(lists.pop(0))
            self._section(planned)
        for day in lists:
            self._close(day)
        if self.plan.sections:
            source = self.plan.history.source
            # The digest is without the day, which is not part of what a person confirms.
            self._add(facts.TakenOver(self.on, source), digested=source)
        self.done.questions += check_against_journal(self.plan, self.done.lines)
        self.done.digest = self.hashed.hexdigest()
        return self.done

    def _add(self, fact: facts.JournalFact, text: str = "", *, digested: str = "") -> int:
        """Add a line, return its number. `text`: the stored form, if known; `digested`: replaces it there."""
        self.number += 1
        self.done.lines.append(journal.JournalLine(self.number, fact))
        self.done.texts[self.number] = text = text or sealed_line(fact, self.ruleset)
        self.hashed.update(f"{self.number} {digested or text}\n".encode())
        return self.number

    def _close(self, day: date) -> None:
        fact = facts.ListClosing(day)
        number = self._add(fact)
        if "list" in self.ruleset.journal.folds:
            self.pres.fold(facts.Placed(number, fact))

    def _section(self, planned: PlannedSection) -> None:
        people = [self.plan.person(seat.mark) for seat in planned.seats]
        record = self.pres.add_to(_section_fact(self.plan, planned), people)
        text = self._section_line(planned, record)
        if not text:
            return
        players = {entry.player: self.particulars[entry.player] for entry in record.entries}
        for player in sorted(players):
            self._player(players[player])
        self._add(record, text)
        number = self._add(facts.Rated(record.id, planned.rated))
        self.pres.fold(facts.RatedSection(number, planned.rated, record, players))

    def _player(self, fact: facts.Player) -> None:
        """Add a player's line unless the journal has it already."""
        text = sealed_line(fact, self.ruleset)
        if self.known.get(fact.id) == text:
            return
        self.known[fact.id] = text
        self._add(fact, text, digested=f"{fact.id} {fact.name} {fact.nation} {fact.region} {fact.resident}")

    def _section_line(self, planned: PlannedSection, record: facts.Section) -> str:
        """Return the line if the journal takes it and the rules rate it; else add a question, return ""."""
        numbers = [entry.player for entry in record.entries]
        if len(set(numbers)) < len(numbers):
            return ""  # the plan has a question on one person entered twice
        if finding := self.ruleset.sections.find_unrateable_reason(record):
            words = ruleset_message(self.ruleset, finding.key, finding.params)
            self._refuse("not-rateable", planned, clause=finding.clause, words=words)
            return ""
        try:
            text = journal_lines.write_line(record, self.ruleset)
            journal_lines.parse_line(text, self.ruleset)
        except journal_lines.JournalError as error:
            faults = "; ".join(f"{problem.where}: {problem.message}" for problem in error.problems)
            self._refuse("not-in-journal", planned, words=faults)
            return ""
        return text

    def _refuse(self, key: str, planned: PlannedSection, **params: str) -> None:
        self.done.questions.append(Question("blocks", key, planned.name, planned.name, params))


def _set_regions(federation: Federation, people: Iterable[FiledPerson]) -> None:
    """Set the regions of players of the register, read once for all of them."""
    regions = {region.pk: region for region in federation.regions.all()}
    for person in people:
        if person.player is not None and person.player.region_id is not None:
            person.player.region = regions[person.player.region_id]


def _particulars(person: FiledPerson) -> facts.Player:
    if person.player is not None:
        return player_fact(person.player)
    region = person.region
    return facts.Player(
        id=person.number,
        name=person.name,
        salt=new_salt(),
        nation=person.nation or None,
        region=region.code if region else None,
    )


def _days_of_lists(plan: HistoryPlan, on: date) -> list[date]:
    """The days that close lists: the table's, or each month's first if changes wait for lists."""
    federation = plan.history.federation
    if plan.lists or not plan.sections or not federation.ruleset.calendar.waits_for_list:
        closings = Fact.objects.filter(federation=federation, kind="list", on__in=plan.lists)
        published = set(closings.values_list("on", flat=True))
        return [day for day in plan.lists if day not in published]
    first, last = plan.sections[0].rated, plan.sections[-1].rated
    days, day = [], _next_month(first)
    while day <= min(_next_month(last), on):
        days.append(day)
        day = _next_month(day)
    return days


def _next_month(day: date) -> date:
    return date(day.year + day.month // 12, day.month % 12 + 1, 1)


def _section_fact(plan: HistoryPlan, planned: PlannedSection) -> facts.Section:
    section, event = planned.section, planned.section.event
    numbers = {seat.number: plan.person(seat.mark).number for seat in planned.seats}
    return facts.Section(
        id=section.key,
        event=event.name,
        name=section.name,
        starts=section.starts,
        ends=section.ends,
        format=section.format,
        rounds=section.rounds or 1,
        entries=_entries(plan, planned),
        games=_games(planned, numbers),
        byes=tuple(facts.Bye(round_, numbers[player], kind) for round_, player, kind in planned.byes),
        country=event.country or None,
        team=section.team,
        **load_particulars(section),
    )


def _entries(plan: HistoryPlan, planned: PlannedSection) -> tuple[facts.Entry, ...]:
    section = planned.section
    ruleset = plan.history.federation.ruleset
    women = section.particulars.get("status") in ruleset.sections.women_play_in
    rating = "rating" in ruleset.journal.reads
    return tuple(
        facts.Entry(
            player=plan.person(seat.mark).number,
            place=seat.place,
            rating=(seat.rating or None) if rating else None,
            women=women and plan.person(seat.mark).sex == "f",
            team=(seat.team or None) if section.team else None,
        )
        for seat in planned.seats
    )


def _games(planned: PlannedSection, numbers: Mapping[int, str]) -> tuple[facts.Game, ...]:
    excused = "excused" in planned.section.event.federation.ruleset.journal.reads
    return tuple(
        facts.Game(
            game.round,
            numbers[game.first],
            numbers[game.second],
            game.result,
            (planned.excused(game) or None) if excused else None,
        )
        for game in planned.games
    )


# ---- Folding a history's lines in memory after the journal's present ones
def dry_run(draft: JournalDraft, on: date) -> Effects:
    """Fold the journal's lines and then a history's, as a replay would (lines may wait to be folded), and
    compare with today's ratings; the highest first.
    """
    federation = draft.plan.history.federation
    ordered = journal.resolve(whole_journal(federation, draft))
    start = federation.ruleset.journal.order_key(ordered[0])
    effects = compute_effects(FoldPlan(federation, start, [DueFact(each, None) for each in ordered]), on=on)
    effects.ratings.sort(key=lambda each: each.after or Decimal(0), reverse=True)
    return effects


def whole_journal(federation: Federation, draft: JournalDraft) -> journal.Journal:
    """The office's journal followed by a history's lines."""
    first = federation_fact(federation)
    rows = Fact.objects.filter(federation=federation, number__lte=draft.above).exclude(kind="federation")
    head = [journal.JournalLine(1, first)] if draft.above else []
    lines = (*head, *read_lines(federation, rows.order_by("number")), *draft.lines)
    return journal.Journal(first, federation.ruleset, lines)


def _names(federation: Federation, draft: JournalDraft, numbers: set[str]) -> dict[str, str]:
    """The names of these players, from the history or else from the register."""
    names = {person.number: person.name for person in draft.plan.people if person.number in numbers}
    people = get_players_by_number(federation, numbers - names.keys())
    return names | {number: player.shown_name for number, player in people.items()}


# ---- Writing a history in a few bulk statements
BATCH = 1_000
FILES_AT_ONCE = 50
SECTIONS_AT_ONCE = 200


@transaction.atomic
def write_history(
    history: History, draft: JournalDraft, *, by: User | None, on: date, decision_count: int
) -> bool:
    """Write a history; return False if decisions were made since, or another worker has the job."""
    federation = history.federation
    ledger = lock_ledger(federation)
    if ledger.decisions != decision_count or not jobs.lock_claimed(history):
        return False
    intake = Intake(federation, whole_journal(federation, draft).lines, draft.texts)
    new = [row for row in intake.rows if row.number > draft.above]
    players = _write_people(federation, draft, on)
    planned = draft.plan.sections
    events = {id(each.section.event): each.section.event for each in planned}
    Event.objects.bulk_create(events.values(), BATCH)
    for each in planned:
        section = each.section
        section.event = section.event  # sets `event_id`: the event's row has its key now
        section.rated_on = section.submitted_on = section.filed_on = each.rated
    Section.objects.bulk_create((each.section for each in planned), BATCH)
    sections = {each.section.key: each.section for each in planned}
    _write_play(history, draft, players)
    _keep_files(history, draft.plan.sections)
    write_facts(new, [pre for pre in intake.pres if pre.line > draft.above], sections)
    save_sealed_names(federation, [line.fact for line in draft.lines if isinstance(line.fact, facts.Player)])
    ledger.facts = draft.above + len(draft.lines)
    ledger.wanted += 1
    ledger.save(update_fields=["facts", "wanted"])
    _keep_decision(history, draft, by, on)
    if len(new) >= MANY:
        take_stock(Player, Section, Entry, Game, Fact)
    wake_recompute(federation)
    gone = dict.fromkeys(History.byte_columns)
    jobs.release(history, state=HistoryState.WRITTEN, progress=100, rows=[], reason="", **gone)
    return True


def _keep_decision(history: History, draft: JournalDraft, by: User | None, on: date) -> None:
    sections = draft.plan.sections
    struck = sum(len(planned.struck) for planned in sections)
    answered = ((each.key, each.waived_because) for planned in sections for each in planned.facts)
    waived = [
        {"clause": "", "key": key, "waived_because": because}
        for key, because in sorted(set(answered))
        if because
    ]
    also = {f"player {person.number}" for person in draft.plan.people}
    for section in (planned.section for planned in sections):
        event = section.event.named_on_record
        also |= {section.named_on_record, f"entries {section.key}", event}
    decide(
        history.federation,
        kind="take-history",
        by=by,
        on=on,
        about=RECORD_SUBJECT,
        also=also,
        source=history.source,
        sections=len(sections),
        players=sum(person.player is None for person in draft.plan.people),
        first=draft.above + 1,
        last=draft.above + len(draft.lines),
        sha256=history.sha256,
        files_sha256=compute_files_digest(history),
        **({"struck": struck} if struck else {}),
        **({"waived": waived} if waived else {}),
    )


def _write_people(federation: Federation, draft: JournalDraft, on: date) -> dict[str, int]:
    """Enter new people in the register, and their ids; return the keys of all people, by number."""
    particulars = {line.fact.id: line.fact for line in draft.lines if isinstance(line.fact, facts.Player)}
    new = [person for person in draft.plan.people if person.player is None and person.number in particulars]
    rows = Player.objects.bulk_create(
        (_player_row(federation, person, particulars[person.number], on) for person in new), BATCH
    )
    keys = {row.number: row.pk for row in rows}
    births = (
        BirthDate(player_id=keys[person.number], day=person.birth_date)
        for person in new
        if person.birth_date is not None
    )
    BirthDate.objects.bulk_create(births, BATCH)
    keys |= {person.number: person.player.pk for person in draft.plan.people if person.player}
    _store_ids(federation, draft.plan.people, keys)
    if new:
        highest = max(int(person.number) for person in new) + 1
        Federation.objects.filter(pk=federation.pk).update(next_player_number=highest)
    return keys


def _player_row(federation: Federation, person: FiledPerson, fact: facts.Player, on: date) -> Player:
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
        salt=fact.salt or "",
        name_key=fold(person.surname)[:120],
        registered_on=on,
    )


def _store_ids(federation: Federation, people: Iterable[FiledPerson], keys: dict[str, int]) -> None:
    """Store ids of people who have none of the kind, unless the id is another's already."""
    known = Identifier.objects.filter(federation=federation)
    in_use = set(known.values_list("kind", "value"))
    had = set(known.values_list("player_id", "kind"))
    rows: list[Identifier] = []
    for person in people:
        key = keys.get(person.number)
        if key is None:
            continue
        for kind, value in person.new_ids():
            if (key, kind) not in had and (kind, value) not in in_use:
                rows.append(Identifier(federation=federation, player_id=key, kind=kind, value=value))
                had.add((key, kind))
                in_use.add((kind, value))
    Identifier.objects.bulk_create(rows, BATCH)


def _write_play(history: History, draft: JournalDraft, players: dict[str, int]) -> None:
    games = Spool(
        Game, ("section_id", "order", "round", "first_id", "second_id", "result", "excused", "line")
    )
    byes = Spool(Bye, ("section_id", "round", "entry_id", "kind"))
    try:
        for some in batches(draft.plan.sections, SECTIONS_AT_ONCE):
            by_file = {planned.file: planned for planned in some}
            files = history.files.filter(number__in=by_file).defer("content")
            restored = {file.number: by_file[file.number].restore_entries(file) for file in files}
            entries = write_entries(
                each
                for planned in some
                for each in _written_entries(draft, planned, restored[planned.file], players)
            )
            for planned in some:
                pk = planned.section.pk
                section = str(pk)
                for order, game in enumerate(planned.games, 1):
                    line, excused = str(game.line) if game.line else NULL, planned.excused(game)
                    first, second = entries[pk, game.first], entries[pk, game.second]
                    games.add(section, str(order), str(game.round), first, second, game.result, excused, line)
                for round_, player, kind in planned.byes:
                    byes.add(section, str(round_), entries[pk, player], kind)
        games.write()
        byes.write()
    finally:
        games.close()
        byes.close()


def _written_entries(
    draft: JournalDraft, planned: PlannedSection, entries: Sequence[Entry], players: dict[str, int]
) -> Iterator[Entry]:
    """Yield the entries of a section that has been written, each with its player."""
    for entry, seat in zip(entries, planned.seats, strict=True):
        entry.player_id = players[draft.plan.person(seat.mark).number]
        entry.match = Entry.Match.DECIDED
        yield entry


def _keep_files(history: History, planned: Sequence[PlannedSection]) -> None:
    """Make each file the upload of its section, with its sheet in short and what its reader said."""
    by_file = {each.file: each for each in planned}
    sections = {number: each.section for number, each in by_file.items()}
    rows = history.files.filter(number__in=sections).order_by("number")
    for some in batches(rows.values_list("pk", flat=True), FILES_AT_ONCE):
        files = list(HistoryFile.objects.filter(pk__in=some).order_by("number"))
        uploads = Upload.objects.bulk_create(
            [_upload(history, file, sections[file.number]) for file in files]
        )
        sheets: list[FiledSheet] = []
        findings: list[Finding] = []
        adjustments: list[Adjustment] = []
        for upload, file in zip(uploads, files, strict=True):
            reading, its = load_reading(file), by_file[file.number]
            if reading.sheet is not None:
                sheets.append(FiledSheet(upload=upload, content=reading.sheet.summarize()))
            noted = history_plan.notices_of_file(reading, its.settled_lines)
            findings += (*build_reader_findings(its.section, noted), *its.facts)
            adjustments += build_adjustments(its.section, reading)
        FiledSheet.objects.bulk_create(sheets)
        Finding.objects.bulk_create(findings, BATCH)
        Adjustment.objects.bulk_create(adjustments, BATCH)
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


# ---- The jobs of the worker: reading, checking and writing a history. A message only wakes the worker.
#
# Before anything is written the check is made once more, with no lock held. The one transaction begins only
# if the check gives what was confirmed, and nobody has decided anything since. A worker that is killed leaves
# nothing half-written: readings are stored file by file, and the next worker goes on.
log = structlog.get_logger("ratings.history")
CRASHED = "history-crash"
MOST_CHECK_REPEATS = 5
"""The number of times a check is repeated before the writing, if decisions were made since."""
MOST_ASKED = 5_000
"""The questions that are kept to be downloaded and answered; a check after them finds the rest."""


def _read(job: History) -> None:
    read_history(job)
    jobs.release(job, state=HistoryState.ASKED, attempts=0, progress=95)


def _check(job: History) -> None:
    day = today(job.federation)
    draft = draft_history(job, day)
    _store_check(job, draft, day, attempts=0, reason="")


def _store_check(job: History, draft: JournalDraft, on: date, **further: Any) -> None:
    """Store a check's result, to be looked at by a person."""
    jobs.release(
        job,
        state=HistoryState.CHECKED,
        progress=100,
        outcome=outcome_of(draft, on),
        digest=draft.digest,
        who_is_who=history_plan.pack_people_table(draft.plan),
        **further,
    )


def draft_history(job: History, on: date) -> JournalDraft:
    """Plan a history and draft its lines."""
    with without_gc():
        plan = HistoryPlan(job, on)
        jobs.beat(job)
        return _DraftWriter(plan, on).write()


def outcome_of(draft: JournalDraft, on: date) -> dict[str, Any]:
    """The result of a check as it is stored: counts, causes, and the ratings of the dry run."""
    plan, questions = draft.plan, draft.all_questions
    counts = {
        "files": plan.files,
        "sections": len(plan.sections),
        "entries": sum(len(each.seats) for each in plan.sections),
        "games": sum(len(each.games) for each in plan.sections),
        "people": len(plan.people),
        "new": sum(person.player is None for person in plan.people),
        "lines": len(draft.lines),
    }
    open_ = has_open_questions(questions) or not plan.sections
    ratings: dict[str, Any] = {}
    if plan.sections and not any(each.key in FORBIDDING_QUESTIONS for each in questions):
        with without_gc():
            effects = dry_run(draft, on).as_json()
        shown = {str(number) for number, *_rest in effects["ratings"]}
        ratings = {"effects": effects, "names": _names(plan.history.federation, draft, shown)}
    names = set(plan.history.files.values_list("name", flat=True))
    causes = group_questions(questions, names)
    asked = [
        [each.key, each.subject, each.where, each.proposed] for each in questions if each.level == "asks"
    ]
    return {"counts": counts, "open": open_, "causes": causes, "asked": asked[:MOST_ASKED], **ratings}


def _write(job: History) -> None:
    """Write what was confirmed if a new check gives the same; else store the new check, to be confirmed."""
    day = job.confirmed_on or today(job.federation)
    for _round in range(MOST_CHECK_REPEATS):
        seen = Ledger.objects.values_list("decisions", flat=True).get(federation=job.federation)
        draft = draft_history(job, day)
        if draft.digest != job.digest or has_open_questions(draft.all_questions):
            _store_check(job, draft, day, stale=True)
            return
        if write_history(job, draft, by=job.confirmed_by, on=day, decision_count=seen):
            return
        if not jobs.claimed_rows(job).exists():
            return
    raise jobs.Overtaken


class HistoryJobs(jobs.JobKind[History]):
    """Histories, which are read, then checked; and once a person has confirmed the check, written."""

    name = "histories"
    rows = (
        History.objects.filter(state__in=HISTORY_WORKING_STATES)
        .exclude(federation__in=jobs.HELD_OFFICES)
        .defer(*History.byte_columns)
        .select_related("federation")
    )
    steps = (
        jobs.Step(HistoryState.WAITING, HistoryState.READING, HistoryState.REFUSED, _read, CRASHED),
        jobs.Step(HistoryState.ASKED, HistoryState.CHECKING, HistoryState.REFUSED, _check, CRASHED),
        jobs.Step(HistoryState.CONFIRMED, HistoryState.WRITING, HistoryState.CHECKED, _write, CRASHED),
    )

    def refusal(self, job: History, failure: Exception) -> Mapping[str, Any] | None:
        if isinstance(failure, NotUnpacked):
            return {"state": HistoryState.REFUSED, "reason": failure.reason, "progress": 100}
        if isinstance(failure, Refused):
            return {"state": self.step_of(job).given_up, "reason": str(failure), "progress": 100}
        return None

    def given_up(self, job: History, reason: str) -> Mapping[str, Any]:
        return {"reason": make_reason(reason), "progress": 100}
