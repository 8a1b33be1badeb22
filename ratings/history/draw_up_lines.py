"""Draws up the lines of the journal that a history becomes: players, sections, ratings and lists, by day."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date

from players.office.models import Federation, Ledger
from players.register.models import Player
from players.register.name_salt import new_salt
from players.register.player_to_fact import player_fact
from ratings.history.held_against_journal import held_against_journal
from ratings.history.state_pres import PresOfHistory
from ratings.journal.append import federation_fact, newest_lines, sealed_line
from ratings.journal.models import Fact
from ratings.law import facts, journal
from tournaments.events.section_fact import particulars
from tournaments.history.people.filed_people import FiledPerson
from tournaments.history.plan import HistoryPlan
from tournaments.history.plan_section import PlannedSection
from tournaments.history.questions import Question, ruleset_words


@dataclass(slots=True)
class DrawnUp:
    """The lines that a history adds to a journal, in order, with what stands in the way."""

    plan: HistoryPlan
    above: int
    """The number of the journal's lines as it stands."""
    lines: list[journal.JournalLine] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)
    """The lines as they would be stored, by number."""
    questions: list[Question] = field(default_factory=list)
    digest: str = ""
    """The digest of all that the lines say, without the salts of names, which are drawn anew each time."""

    @property
    def everything(self) -> list[Question]:
        return [*self.plan.questions, *self.questions]


def draw_up(plan: HistoryPlan, on: date) -> DrawnUp:
    """Draw up a plan's lines as of the day on which they would be taken over."""
    return _Drawing(plan, on).drawn()


class _Drawing:
    """The drawing up of one history."""

    def __init__(self, plan: HistoryPlan, on: date) -> None:
        self.plan, self.on, self.federation = plan, on, plan.history.federation
        self.ruleset = self.federation.ruleset
        above = Ledger.objects.values_list("facts", flat=True).get(federation=self.federation)
        self.done = DrawnUp(plan, above)
        self.number = above
        self.hashed = hashlib.sha256()
        self.pres = PresOfHistory(self.federation)
        _number_people(self.federation, plan.people)
        _give_regions(self.federation, plan.people)
        self.particulars = {person.number: _particulars(person) for person in plan.people}
        self.known = newest_lines(self.federation, list(self.particulars))

    def drawn(self) -> DrawnUp:
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
            # The day of the check is none of what a person confirms.
            taken = facts.TakenOver(self.on, self.plan.history.source)
            self._add(taken, told=self.plan.history.source)
        self.done.questions += held_against_journal(self.plan, self.done.lines)
        self.done.digest = self.hashed.hexdigest()
        return self.done

    def _add(self, fact: facts.JournalFact, text: str = "", *, told: str = "") -> int:
        """Add a line; return its number. `text`: the line as it would be stored, if it is written already;
        `told`: what the digest has of it, if not that.
        """
        self.number += 1
        self.done.lines.append(journal.JournalLine(self.number, fact))
        self.done.texts[self.number] = text = text or sealed_line(fact, self.ruleset)
        self.hashed.update(f"{self.number} {told or text}\n".encode())
        return self.number

    def _close(self, day: date) -> None:
        fact = facts.ListClosing(day)
        number = self._add(fact)
        if "list" in self.ruleset.journal.folds:
            self.pres.fold(facts.Placed(number, fact))

    def _section(self, planned: PlannedSection) -> None:
        record = self.pres.stated(_as_fact(self.plan, planned), self._people(planned))
        text = self._sound(planned, record)
        if not text:
            return
        players = {entry.player: self.particulars[entry.player] for entry in record.entries}
        for player in sorted(players):
            self._player(players[player])
        self._add(record, text)
        number = self._add(facts.Rated(record.id, planned.rated))
        self.pres.fold(facts.RatedSection(number, planned.rated, record, players))

    def _people(self, planned: PlannedSection) -> list[FiledPerson]:
        return [self.plan.person(mark) for mark in planned.marks]

    def _player(self, fact: facts.Player) -> None:
        """Add a player's line where the journal has none, or another."""
        text = sealed_line(fact, self.ruleset)
        if self.known.get(fact.id) == text:
            return
        self.known[fact.id] = text
        self._add(fact, text, told=f"{fact.id} {fact.name} {fact.nation} {fact.region} {fact.resident}")

    def _sound(self, planned: PlannedSection, record: facts.Section) -> str:
        """The section's line, if the journal takes it and the rules rate it; else empty, and a question says
        why.
        """
        numbers = [entry.player for entry in record.entries]
        if len(set(numbers)) < len(numbers):
            return ""  # one person twice: asked already
        if finding := self.ruleset.sections.rateable(record):
            words = ruleset_words(self.ruleset, finding.key, finding.params)
            self._refuse("not-rateable", planned, clause=finding.clause, words=words)
            return ""
        try:
            text = journal.write_line(record, self.ruleset)
            journal.parse_line(text, self.ruleset)
        except journal.JournalError as error:
            faults = "; ".join(f"{problem.where}: {problem.message}" for problem in error.problems)
            self._refuse("not-in-journal", planned, words=faults)
            return ""
        return text

    def _refuse(self, key: str, planned: PlannedSection, **params: str) -> None:
        self.done.questions.append(Question("blocks", key, planned.name, planned.name, params))


def _number_people(federation: Federation, people: Iterable[FiledPerson]) -> None:
    """Give new people the numbers that they would get now; nothing is written."""
    new = [person for person in people if person.player is None]
    first = Federation.objects.values_list("next_player_number", flat=True).get(pk=federation.pk)
    taken = set(Player.objects.of(federation).values_list("number", flat=True))
    numbers = _free(first, taken)
    for person in new:
        person.number = next(numbers)


def _free(first: int, taken: set[str]) -> Iterator[str]:
    number = first
    while True:
        if str(number) not in taken:
            yield str(number)
        number += 1


def _give_regions(federation: Federation, people: Iterable[FiledPerson]) -> None:
    """Give players of the register their regions, read once for all of them."""
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
    """The days on which lists are closed: those of the table; where it names none and changes wait for a
    list, the first of each month behind the first section.
    """
    federation = plan.history.federation
    if plan.lists or not plan.sections or not federation.ruleset.calendar.waits_for_list:
        stands = Fact.objects.filter(federation=federation, kind="list", on__in=plan.lists)
        published = set(stands.values_list("on", flat=True))
        return [day for day in plan.lists if day not in published]
    first, last = plan.sections[0].rated, plan.sections[-1].rated
    days, day = [], _next_month(first)
    while day <= min(_next_month(last), on):
        days.append(day)
        day = _next_month(day)
    return days


def _next_month(day: date) -> date:
    return date(day.year + day.month // 12, day.month % 12 + 1, 1)


def _as_fact(plan: HistoryPlan, planned: PlannedSection) -> facts.Section:
    """A planned section as the journal's fact."""
    section, event = planned.section, planned.section.event
    numbers = {
        entry.number: plan.person(mark).number
        for entry, mark in zip(planned.entries, planned.marks, strict=True)
    }
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
        **particulars(section),
    )


def _entries(plan: HistoryPlan, planned: PlannedSection) -> tuple[facts.Entry, ...]:
    section = planned.section
    ruleset = plan.history.federation.ruleset
    women = section.particulars.get("status") in ruleset.sections.women_play_in
    rating = "rating" in ruleset.journal.reads
    return tuple(
        facts.Entry(
            player=plan.person(mark).number,
            place=entry.place,
            rating=(entry.rating or None) if rating else None,
            women=women and plan.person(mark).sex == "f",
            team=(entry.team or None) if section.team else None,
        )
        for entry, mark in zip(planned.entries, planned.marks, strict=True)
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
