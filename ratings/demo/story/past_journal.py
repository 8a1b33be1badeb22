"""The office's past as a journal: openings, seasons of rated sections, lists, corrections, ranks."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

from players.languages.name_of_office import name_of_office
from ratings.demo.story.confirm_ranks import RankConfirmation, confirmations
from ratings.demo.story.entrant_pre_ratings import GameCount
from ratings.demo.story.event_calendar import numbered, plan_events
from ratings.demo.story.invented_players import invent_people, particulars
from ratings.demo.story.sections import EntrantPool, play_event, round_days
from ratings.demo.story.simulate_games import placed_anew
from ratings.equipment.demo import Demo, DemoFact, Person, PlannedEvent, PlayedSection
from ratings.equipment.find_equipment import equipment_of
from ratings.law import facts
from ratings.law.ruleset import Ruleset

LIVE_DAYS = 9
"""The days before the demo's day whose sections are not rated yet: they are in the database alone."""
SEED = 1
MENDED_WITHIN = 5
"""The days after a rating within which a wrong section is un-rated and rated again."""
REWRITABLE = ("swiss", "round-robin", "placement")


@dataclass(slots=True)
class Filed:
    """A section of the past with the days on which the office did each thing with it."""

    section: facts.Section
    plan: PlannedEvent
    registered: date
    filed: date
    submitted: date
    rated: date
    round_days: list[date]
    admitted: date | None = None
    """The day of the first decision, where the rules want one before play."""
    unrated: date | None = None
    """The day on which the rating was taken back, where the file was wrong."""
    again: date | None = None
    """The day on which it was rated again, corrected."""


@dataclass(slots=True)
class Story:
    """The invented past of a demo office: its people, events, sections, lists, and the journal's lines that
    tell of them.
    """

    ruleset: Ruleset
    demo: Demo
    start: date
    today: date
    people: list[Person]
    plans: dict[str, PlannedEvent]
    """The events by their number."""
    filed: list[Filed] = field(default_factory=list)
    lists: list[date] = field(default_factory=list)
    notes: list[DemoFact] = field(default_factory=list)
    confirmed: list[RankConfirmation] = field(default_factory=list)
    lines: list[facts.JournalFact] = field(default_factory=list)


def invent_story(
    ruleset: Ruleset, *, today: date, seed: int = SEED, scale: float = 1.0, start: date | None = None
) -> Story:
    """Invent the past of a federation's demo office; the same seed and day give the same story.

    `scale`: the share of the full number of players and events; `start`: the first day of the record, if not
    the demo's own.
    """
    demo = equipment_of(ruleset).demo
    if demo is None:
        raise LookupError(f"{ruleset.slug} brings no demo")
    rng = random.Random(f"{seed} {today}")
    start = start or demo.start(today)
    people = invent_people(rng, demo, start=start, today=today, scale=scale)
    end = today - timedelta(days=LIVE_DAYS)
    plans = plan_events(rng, demo, start=start, end=end, scale=scale)
    story = Story(ruleset, demo, start, today, people, dict(numbered(plans)))
    pool = EntrantPool(ruleset, demo, people, start)
    played = [
        PlayedSection(plan, section)
        for number, plan in story.plans.items()
        for section in play_event(rng, pool, number, plan)
    ]
    played, story.notes = demo.events.retell(rng, played, {person.number: person for person in people})
    story.filed = [_file(rng, demo, each, today) for each in played]
    if ruleset.sections.admission:
        for filed in story.filed:
            filed.admitted = filed.registered + timedelta(days=1)
    _delay(story)
    rated = [filed.rated for filed in story.filed]
    story.lists = demo.lists(start, sorted(rated), today)
    _correct(rng, story)
    story.lines = list(_lines(rng, story))
    return story


def _file(rng: random.Random, demo: Demo, played: PlayedSection, today: date) -> Filed:
    plan, section = played
    filed = section.ends + timedelta(days=min(demo.habits.filed_within, rng.choice((0, 1, 1, 2, 2, 3, 4, 5))))
    submitted = filed + timedelta(days=rng.choice((0, 0, 0, 1)))
    return Filed(
        section=section,
        plan=plan,
        registered=plan.starts - timedelta(days=rng.randint(*demo.habits.registered_before)),
        filed=filed,
        submitted=submitted,
        rated=min(submitted + timedelta(days=rng.choice((0, 1, 1, 2, 3))), today - timedelta(days=1)),
        round_days=round_days(plan, section.rounds),
    )


def _delay(story: Story) -> None:
    """Let one section wait for its approval until yesterday, where the demo asks for it: in the order of play
    it re-rates all that came after.
    """
    if not story.demo.present.late:
        return
    day = story.today - timedelta(days=story.demo.present.late)
    late = min(story.filed, key=lambda filed: abs((filed.section.ends - day).days))
    late.rated = story.today - timedelta(days=1)


def _correct(rng: random.Random, story: Story) -> None:
    """Choose a few sections that were un-rated and rated again, each before a list could take in the wrong
    result.
    """
    early = [
        filed
        for filed in story.filed
        if filed.section.format in REWRITABLE and _mendable(filed.rated, story.lists)
    ]
    for filed in rng.sample(early, min(len(early), max(1, round(story.demo.habits.corrected * len(early))))):
        filed.unrated = filed.rated + timedelta(days=rng.randint(1, 3))
        filed.again = filed.unrated + timedelta(days=rng.randint(0, 2))


def _mendable(rated: date, lists: Sequence[date]) -> bool:
    """Whether a section rated on that day can be corrected before the next list; False also where no list
    follows.
    """
    following = lists[bisect_right(lists, rated) :]
    return bool(following) and following[0] > rated + timedelta(days=MENDED_WITHIN)


def corrected(section: facts.Section, ruleset: Ruleset) -> facts.Section:
    """The section with one result, or the first two places, turned round: the wrong version of a right one,
    and the reverse.
    """
    if section.format == "placement":
        one, other, *others = section.entries
        turned = (replace(one, place=other.place), replace(other, place=one.place), *others)
        return replace(section, entries=turned)
    games = list(section.games)
    place = next(place for place, game in enumerate(games) if game.result in ("1-0", "0-1"))
    games[place] = games[place]._replace(result="0-1" if games[place].result == "1-0" else "1-0")
    return placed_anew(replace(section, games=tuple(games)), ruleset)


# ---------------------------------------------------------------- lines


class DatedFact(NamedTuple):
    """A fact of the story on its way into the journal, sorted by day, then order (a list closes before
    sections are rated), then place among its kind.
    """

    on: date
    order: int
    place: int
    what: facts.Section | facts.Unrated | facts.ListClosing | facts.Playoff


def _lines(rng: random.Random, story: Story) -> Iterator[facts.JournalFact]:
    ruleset = story.ruleset
    told: list[facts.JournalFact] = [
        facts.Federation(facts.FORM, ruleset.slug, ruleset.slug, name_of_office(ruleset)),
    ]
    people = {person.number: person for person in story.people}
    count = GameCount(ruleset, people)
    opened = [person for person in story.people if person.joined < story.start]
    if story.demo.openings.shares:
        told += [particulars(person, ruleset) for person in opened]
        for person in opened:
            for opening in _openings(rng, story.demo, person, story.start - timedelta(days=1)):
                count.open(opening)
                told.append(opening)
    known = {person.number for person in opened} if story.demo.openings.shares else set()
    moved = _moved(rng, opened, story)
    rated: dict[str, facts.Section] = {}
    for dated in sorted(_dated_facts(story), key=lambda dated: dated[:3]):
        if isinstance(dated.what, facts.Section):
            for number in sorted(entry.player for entry in dated.what.entries):
                if number not in known:
                    known.add(number)
                    told.append(particulars(people[number], ruleset))
                elif number in moved and moved[number][0] <= dated.on:
                    told.append(replace(particulars(people[number], ruleset), region=moved.pop(number)[1]))
            stated = count.stated(dated.what, rated.get(dated.what.id))
            told += [stated, facts.Rated(stated.id, dated.on)]
            rated[stated.id] = stated
            count.rate(stated)
            continue
        if isinstance(dated.what, facts.Unrated):
            count.rate(rated[dated.what.section], times=-1)
        if isinstance(dated.what, facts.ListClosing) and ruleset.journal.ranks:
            found = confirmations(ruleset, told, on=dated.on, leave=dated.on == story.lists[-1])
            story.confirmed += found
            told += [each.fact for each in found]
        told.append(dated.what)
    yield from told


def _openings(rng: random.Random, demo: Demo, person: Person, on: date) -> Iterator[facts.Opening]:
    rating = max(demo.population.lowest, person.base + rng.gauss(0, demo.openings.noise))
    for share, tracks in demo.openings.shares:
        if rng.random() >= share:
            continue
        value = max(demo.population.lowest, rating + rng.gauss(0, demo.openings.noise / 2))
        games = 10 + int(rng.expovariate(1 / demo.openings.games))
        for track in tracks:
            text = f"{value:.{demo.openings.digits}f}"
            yield facts.Opening(person.number, track, Decimal(text), games, on, demo.openings.source)


def _moved(rng: random.Random, people: Sequence[Person], story: Story) -> dict[str, tuple[date, str]]:
    """The people who moved to another region, by number: the day from which the register says so, and the
    region's code.
    """
    regions = sorted({person.region for person in people if person.region})
    days = (story.today - story.start).days
    return {
        person.number: (story.start + timedelta(days=rng.randrange(days)), rng.choice(regions))
        for person in rng.sample(people, round(story.demo.habits.moved * len(people)))
        if person.region
    }


def _dated_facts(story: Story) -> Iterator[DatedFact]:
    for on in story.lists:
        yield DatedFact(on, 0, 0, facts.ListClosing(on))
    for place, filed in enumerate(story.filed):
        section = filed.section
        if filed.unrated is None or filed.again is None:
            yield DatedFact(filed.rated, 2, place, section)
            continue
        yield DatedFact(filed.rated, 2, place, corrected(section, story.ruleset))
        yield DatedFact(filed.unrated, 3, place, facts.Unrated(section.id, filed.unrated, "result"))
        yield DatedFact(filed.again, 4, place, section)
    for place, note in enumerate(story.notes):
        yield DatedFact(note.fact.on, 5, place, note.fact)
