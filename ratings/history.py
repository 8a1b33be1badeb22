"""Import a history, the past of a federation in files, into the journal of its office. The lines are drafted,
folded in memory to show the resulting ratings and, once a person has confirmed them, written in one
transaction.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from itertools import count
from typing import Any

import structlog
from django.db import connection, transaction
from django.utils import timezone

from players import jobs
from players.jobs import wake_recompute
from players.models import BirthDate, Federation, Ledger, Player, User
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
from tournaments.entries import add_ids, new_player
from tournaments.filing import build_adjustments, build_reader_findings, excused_side
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


def check_against_journal(plan: HistoryPlan, first: date | None) -> Iterator[Question]:
    """Yield what forbids appending a history's lines, of which `first` is the first day, to the office's
    journal.
    """
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
Take = Callable[[int, facts.JournalFact, str], object]
"""A function that takes a drafted line: its number, its fact, and the text as it would be stored."""


@dataclass(slots=True)
class JournalDraft:
    """What the lines are that a history adds to a journal, with questions on what prevents that."""

    plan: HistoryPlan
    above: int
    """The number of the journal's present lines."""
    lines: int = 0
    """How many lines the history adds."""
    first_day: date | None = None
    """The first day that one of them names."""
    questions: list[Question] = field(default_factory=list)
    digest: str = ""
    """The digest of the lines without the salts of names, which are random each time."""

    @property
    def all_questions(self) -> list[Question]:
        return [*self.plan.questions, *self.questions]


class _DraftWriter:
    """Drafts a plan's lines in order, as of the day on which they would be taken over, and hands each over
    to `take`, because all lines of a long past would fill the memory.
    """

    def __init__(self, plan: HistoryPlan, on: date, take: Take = lambda *_line: None) -> None:
        self.plan, self.on, self.take, self.federation = plan, on, take, plan.history.federation
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
        self.told = set[str]()
        """The numbers of players whose particulars the journal has by now."""

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
        self.done.questions += check_against_journal(self.plan, self.done.first_day)
        self.done.digest = self.hashed.hexdigest()
        return self.done

    def _add(self, fact: facts.JournalFact, text: str = "", *, digested: str = "") -> int:
        """Add a line, return its number. `text`: the stored form, if known; `digested`: replaces it there."""
        self.number += 1
        self.done.lines += 1
        self.done.first_day = self.done.first_day or getattr(fact, "on", None)
        text = text or sealed_line(fact, self.ruleset)
        self.take(self.number, fact, text)
        self.hashed.update(f"{self.number} {digested or text}\n".encode())
        return self.number

    def _close(self, day: date) -> None:
        fact = facts.ListClosing(day)
        number = self._add(fact)
        if "list" in self.ruleset.journal.folds:
            self.pres.fold(facts.Placed(number, fact))

    def _section(self, planned: PlannedSection) -> None:
        people = list(map(self.plan.person, planned.marks))
        record = self.pres.add_to(_section_fact(planned, people), people)
        text = self._section_line(planned, record)
        if not text:
            return
        players = {entry.player: self.particulars[entry.player] for entry in record.entries}
        for player in sorted(players.keys() - self.told):
            self._player(players[player])
        self._add(record, text)
        number = self._add(facts.Rated(record.id, planned.rated))
        self.pres.fold(facts.RatedSection(number, planned.rated, record, players))

    def _player(self, fact: facts.Player) -> None:
        """Add a player's line unless the journal has it already."""
        self.told.add(fact.id)
        text = sealed_line(fact, self.ruleset)
        if self.known.get(fact.id) == text:
            return
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


def _section_fact(planned: PlannedSection, people: Sequence[FiledPerson]) -> facts.Section:
    """The section as the journal's line states it. `people`: those of its entries, in their order."""
    section, event, play = planned.section, planned.section.event, planned.unpack()
    journal_form = event.federation.ruleset.journal
    numbers = {entry.number: person.number for entry, person in zip(play.entries, people, strict=True)}
    excused = "excused" in journal_form.reads
    games = (
        facts.Game(
            game.round,
            numbers[game.first],
            numbers[game.second],
            game.result,
            (excused_side(game) or None) if excused else None,
        )
        for game in play.games
    )
    return facts.Section(
        id=section.key,
        event=event.name,
        name=section.name,
        starts=section.starts,
        ends=section.ends,
        format=section.format,
        rounds=section.rounds or 1,
        entries=_entries(section, play.entries, people),
        games=tuple(games),
        byes=tuple(facts.Bye(round_, numbers[player], kind) for round_, player, kind in play.byes),
        country=event.country or None,
        team=section.team,
        **load_particulars(section),
    )


def _entries(
    section: Section, entries: Iterable[Entry], people: Iterable[FiledPerson]
) -> tuple[facts.Entry, ...]:
    ruleset = section.event.federation.ruleset
    women = section.particulars.get("status") in ruleset.sections.women_play_in
    rating = "rating" in ruleset.journal.reads
    return tuple(
        facts.Entry(
            player=person.number,
            place=entry.place,
            rating=(entry.rating or None) if rating else None,
            women=women and person.sex == "f",
            team=(entry.team or None) if section.team else None,
        )
        for entry, person in zip(entries, people, strict=True)
    )


# ---- Folding a history's lines in memory after the journal's present ones
def dry_run(federation: Federation, lines: Iterable[journal.JournalLine], on: date) -> Effects:
    """Fold the journal's lines and then a history's, as a replay would (lines may wait to be folded), and
    compare with today's ratings; the highest first.
    """
    first = federation_fact(federation)
    whole = journal.Journal(first, federation.ruleset, (*present_lines(federation), *lines))
    ordered = journal.resolve(whole)
    start = federation.ruleset.journal.order_key(ordered[0])
    effects = compute_effects(FoldPlan(federation, start, [DueFact(each, None) for each in ordered]), on=on)
    effects.ratings.sort(key=lambda each: each.after or Decimal(0), reverse=True)
    return effects


def present_lines(federation: Federation) -> list[journal.JournalLine]:
    """The lines of the office's journal so far."""
    rows = Fact.objects.filter(federation=federation).order_by("number")
    first = [journal.JournalLine(1, federation_fact(federation))] if rows.exists() else []
    return [*first, *read_lines(federation, rows.exclude(kind="federation"))]


def _names(federation: Federation, plan: HistoryPlan, numbers: set[str]) -> dict[str, str]:
    """The names of these players, from the history or else from the register."""
    names = {person.number: person.name for person in plan.people if person.number in numbers}
    people = get_players_by_number(federation, numbers - names.keys())
    return names | {number: player.shown_name for number, player in people.items()}


# ---- Writing a history in a few bulk statements
BATCH = 1_000
SECTIONS_AT_ONCE = 100


@transaction.atomic
def write_history(
    history: History, plan: HistoryPlan, *, by: User | None, on: date, digest: str, decision_count: int
) -> bool:
    """Write a history; return False, with nothing written, if decisions were made since, another worker has
    the job, or the lines would be others than those of this digest.
    """
    federation = history.federation
    ledger = lock_ledger(federation)
    if ledger.decisions != decision_count or not jobs.lock_claimed(history):
        return False
    intake = Intake(federation, present_lines(federation))
    intake.hand_over()
    sections = {each.section.key: each.section for each in plan.sections}
    named: list[facts.Player] = []

    def take(number: int, fact: facts.JournalFact, text: str) -> None:
        intake.take(number, fact, text)
        if isinstance(fact, facts.Player):
            named.append(fact)
        if isinstance(fact, facts.Rated) and len(intake.rows) >= BATCH:
            write_facts(*intake.hand_over(), sections)

    writer = _DraftWriter(plan, on, take)
    players = _write_people(federation, plan, writer.particulars, on)
    events = {id(each.section.event): each.section.event for each in plan.sections}
    Event.objects.bulk_create(events.values(), BATCH)
    for each in plan.sections:
        section = each.section
        section.event = section.event  # sets `event_id`: the event's row has its key now
        section.rated_on = section.submitted_on = section.filed_on = each.rated
    Section.objects.bulk_create(sections.values(), BATCH)
    draft = writer.write()
    if draft.digest != digest:
        transaction.set_rollback(True)
        return False
    write_facts(*intake.hand_over(), sections)
    save_sealed_names(federation, named)
    _write_play(history, plan, players)
    ledger.facts = draft.above + draft.lines
    ledger.wanted += 1
    ledger.save(update_fields=["facts", "wanted"])
    _keep_decision(history, draft, by, on)
    if draft.lines >= MANY:
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
        last=draft.above + draft.lines,
        sha256=history.sha256,
        files_sha256=compute_files_digest(history),
        **({"struck": struck} if struck else {}),
        **({"waived": waived} if waived else {}),
    )


def _write_people(
    federation: Federation, plan: HistoryPlan, particulars: Mapping[str, facts.Player], on: date
) -> dict[str, int]:
    """Enter new people in the register, and their ids; return the keys of all people, by number."""
    new = [person for person in plan.people if person.player is None]
    rows = Player.objects.bulk_create(
        (new_player(each, federation, each.number, on=on, **_further(each, particulars)) for each in new),
        BATCH,
    )
    keys = {row.number: row.pk for row in rows}
    births = (
        BirthDate(player_id=keys[person.number], day=person.birth_date)
        for person in new
        if person.birth_date is not None
    )
    BirthDate.objects.bulk_create(births, BATCH)
    keys |= {person.number: person.player.pk for person in plan.people if person.player}
    there = (person for person in plan.people if person.number in keys)
    add_ids(federation, [(keys[person.number], id_) for person in there for id_ in person.new_ids()])
    if new:
        highest = max(int(person.number) for person in new) + 1
        Federation.objects.filter(pk=federation.pk).update(next_player_number=highest)
    return keys


def _further(person: FiledPerson, particulars: Mapping[str, facts.Player]) -> dict[str, Any]:
    salt = particulars[person.number].salt or ""
    return {"nation": person.nation, "region": person.region, "salt": salt}


def _write_play(history: History, plan: HistoryPlan, players: Mapping[str, int]) -> None:
    """Write entries, games and byes of sections that have been written, and keep their files."""
    games = Spool(
        Game, ("section_id", "order", "round", "first_id", "second_id", "result", "excused", "line")
    )
    byes = Spool(Bye, ("section_id", "round", "entry_id", "kind"))
    try:
        for some in batches(plan.sections, SECTIONS_AT_ONCE):
            plays = [(each, each.unpack()) for each in some]
            for planned, play in plays:
                for entry, mark in zip(play.entries, planned.marks, strict=True):
                    entry.player_id = players[plan.person(mark).number]
                    entry.match = Entry.Match.DECIDED
            entries = write_entries(entry for _planned, play in plays for entry in play.entries)
            for planned, play in plays:
                pk = planned.section.pk
                section = str(pk)
                for order, game in enumerate(play.games, 1):
                    line, excused = str(game.line) if game.line else NULL, excused_side(game)
                    first, second = entries[pk, game.first], entries[pk, game.second]
                    games.add(section, str(order), str(game.round), first, second, game.result, excused, line)
                for round_, player, kind in play.byes:
                    byes.add(section, str(round_), entries[pk, player], kind)
            _keep_files(history, {each.file: each for each in some})
        games.write()
        byes.write()
    finally:
        games.close()
        byes.close()
    history.files.update(content=None, reading=None)


def _keep_files(history: History, planned: Mapping[int, PlannedSection]) -> None:
    """Make each file the upload of its section, with its sheet in short and what its reader said. `planned`:
    sections by the file's number.
    """
    files = list(history.files.filter(number__in=planned))
    uploads = Upload.objects.bulk_create(
        [_upload(history, file, planned[file.number].section) for file in files]
    )
    sheets: list[FiledSheet] = []
    findings: list[Finding] = []
    adjustments: list[Adjustment] = []
    for upload, file in zip(uploads, files, strict=True):
        reading, its = load_reading(file), planned[file.number]
        if reading.sheet is not None:
            sheets.append(FiledSheet(upload=upload, content=reading.sheet.summarize()))
        noted = history_plan.notices_of_file(reading, its.settled_lines)
        findings += (*build_reader_findings(its.section, noted), *its.facts)
        adjustments += build_adjustments(its.section, reading)
    FiledSheet.objects.bulk_create(sheets)
    Finding.objects.bulk_create(findings, BATCH)
    Adjustment.objects.bulk_create(adjustments, BATCH)
    table = connection.ops.quote_name(HistoryFile._meta.db_table)
    with connection.cursor() as cursor:
        cursor.executemany(
            f"UPDATE {table} SET section_id = %s WHERE id = %s",
            [(planned[file.number].section.pk, file.pk) for file in files],
        )


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
MOST_ASKED = 5_000
"""The questions that are kept to be downloaded and answered; a check after them finds the rest."""


def _read(job: History) -> None:
    read_history(job)
    jobs.release(job, state=HistoryState.ASKED, attempts=0, progress=95)


def _check(job: History) -> None:
    _store_check(job, today(job.federation), attempts=0, reason="")


def _store_check(job: History, on: date, **further: Any) -> None:
    """Check a history, and store the result, to be looked at by a person."""
    plan, lines = plan_history(job, on), list[journal.JournalLine]()
    with without_gc():
        draft = _DraftWriter(
            plan, on, lambda number, fact, _text: lines.append(journal.JournalLine(number, fact))
        ).write()
    jobs.release(
        job,
        state=HistoryState.CHECKED,
        progress=100,
        outcome=outcome_of(draft, lines, on),
        digest=draft.digest,
        who_is_who=history_plan.pack_people_table(plan),
        **further,
    )


def plan_history(job: History, on: date) -> HistoryPlan:
    with without_gc():
        plan = HistoryPlan(job, on)
    jobs.beat(job)
    return plan


def outcome_of(draft: JournalDraft, lines: Iterable[journal.JournalLine], on: date) -> dict[str, Any]:
    """The result of a check as it is stored: counts, causes, and the ratings of the dry run."""
    plan, questions = draft.plan, draft.all_questions
    federation = plan.history.federation
    counts = {
        "files": plan.files,
        "sections": len(plan.sections),
        "entries": sum(each.entries for each in plan.sections),
        "games": sum(each.games for each in plan.sections),
        "people": len(plan.people),
        "new": sum(person.player is None for person in plan.people),
        "lines": draft.lines,
    }
    open_ = has_open_questions(questions) or not plan.sections
    ratings: dict[str, Any] = {}
    if plan.sections and not any(each.key in FORBIDDING_QUESTIONS for each in questions):
        with without_gc():
            effects = dry_run(federation, lines, on).as_json()
        shown = {str(number) for number, *_rest in effects["ratings"]}
        ratings = {"effects": effects, "names": _names(federation, plan, shown)}
    names = set(plan.history.files.values_list("name", flat=True))
    causes = group_questions(questions, names)
    asked = [
        [each.key, each.subject, each.where, each.proposed] for each in questions if each.level == "asks"
    ]
    return {"counts": counts, "open": open_, "causes": causes, "asked": asked[:MOST_ASKED], **ratings}


def _write(job: History) -> None:
    """Write what was confirmed if a new check gives the same; else store the new check, to be confirmed."""
    day = job.confirmed_on or today(job.federation)

    def write(decisions: int) -> bool:
        plan = plan_history(job, day)
        with without_gc():
            draft = _DraftWriter(plan, day).write()
        if draft.digest != job.digest or has_open_questions(draft.all_questions):
            _store_check(job, day, stale=True)
            return True
        terms: dict[str, Any] = {"on": day, "digest": job.digest, "decision_count": decisions}
        return write_history(job, plan, by=job.confirmed_by, **terms) or not jobs.claimed_rows(job).exists()

    jobs.write_as_shown(job.federation, write)


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
