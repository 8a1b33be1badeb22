"""The office's past as a journal: openings, seasons of rated sections, monthly lists, corrections."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal

from ratings.demo.calendar import Plan, numbered, plan_events
from ratings.demo.people import Person, invent_people
from ratings.demo.sections import Crowd, play_event, round_days
from ratings.rulesets import facts

MONTHS = 30
LIVE_DAYS = 9
"""What ended within so many days of the demo's day is not rated yet: it lives in the database alone."""
OPENING_NOISE = 55
OPENED = (
    # how many of those with a rating have one in these tracks too
    (1.0, ("otb-main", "hyb-main")),
    (0.85, ("otb-standard", "hyb-standard")),
    (0.8, ("otb-rapid", "hyb-rapid")),
    (0.5, ("otb-blitz", "hyb-blitz")),
    (0.2, ("ol-main", "ol-rapid")),
    (0.1, ("ol-blitz",)),
)
SOURCE = "list before the record"
CORRECTED = 0.012
MOVED = 0.012
SEED = 1


@dataclass(slots=True)
class Filed:
    """A section's way through the office."""

    section: facts.Section
    plan: Plan
    registered: date
    filed: date
    submitted: date
    rated: date
    round_days: list[date]
    unrated: date | None = None
    again: date | None = None
    """When it was rated again."""


@dataclass(slots=True)
class Story:
    """Everything that the demo tells of the past."""

    start: date
    today: date
    people: list[Person]
    plans: dict[str, Plan]
    """By event number."""
    filed: list[Filed] = field(default_factory=list)
    lists: list[date] = field(default_factory=list)
    lines: list[facts.JournalFact] = field(default_factory=list)


def tell(*, today: date, seed: int = SEED, scale: float = 1.0, months: int = MONTHS) -> Story:
    """The same seed and day, the same story. `scale`: of the players and events that a whole office has."""
    rng = random.Random(f"{seed} {today}")
    start = month_before(today, months)
    people = invent_people(rng, start=start, today=today, scale=scale)
    plans = plan_events(rng, start=start, end=today - timedelta(days=LIVE_DAYS), scale=scale)
    story = Story(start, today, people, dict(numbered(plans)))
    crowd = Crowd(people, start)
    for number, plan in story.plans.items():
        for section in play_event(rng, crowd, number, plan):
            story.filed.append(_file(rng, section, plan, today))
    story.lists = [month_before(today, back) for back in range(months - 1, -1, -1)]
    _correct(rng, story)
    story.lines = list(_lines(rng, story))
    return story


def month_before(day: date, months: int) -> date:
    """The first of the month so many months before a day's own."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    return date(year, month + 1, 1)


def _file(rng: random.Random, section: facts.Section, plan: Plan, today: date) -> Filed:
    filed = section.ends + timedelta(days=rng.choice((0, 1, 1, 2, 2, 3, 4, 5)))
    submitted = filed + timedelta(days=rng.choice((0, 0, 0, 1)))
    return Filed(
        section=section,
        plan=plan,
        registered=plan.starts - timedelta(days=rng.randint(5, 45)),
        filed=filed,
        submitted=submitted,
        rated=min(submitted + timedelta(days=rng.choice((0, 1, 1, 2, 3))), today - timedelta(days=1)),
        round_days=round_days(plan, section.rounds),
    )


def _correct(rng: random.Random, story: Story) -> None:
    """A few sections were un-rated, corrected and rated again, each before a list could take it in."""
    swiss = [filed for filed in story.filed if filed.plan.kind.format == "swiss" and filed.rated.day < 24]
    early = [filed for filed in swiss if filed.rated < story.lists[-1]]
    for filed in rng.sample(early, max(1, round(CORRECTED * len(early)))):
        filed.unrated = filed.rated + timedelta(days=rng.randint(1, 3))
        filed.again = filed.unrated + timedelta(days=rng.randint(0, 2))


def corrected(section: facts.Section) -> facts.Section:
    """The same section with the result of one decided game turned round: it had been entered wrongly."""
    games = list(section.games)
    place = next(place for place, game in enumerate(games) if game.result in ("1-0", "0-1"))
    games[place] = games[place]._replace(result="0-1" if games[place].result == "1-0" else "1-0")
    return replace(section, games=tuple(games))


# ---------------------------------------------------------------- lines


def _lines(rng: random.Random, story: Story) -> Iterator[facts.JournalFact]:
    yield facts.Federation("csa", "csa", "Chess South Africa")
    opened = [person for person in story.people if person.joined < story.start]
    yield from (person.fact() for person in opened)
    for person in opened:
        yield from _openings(rng, person, story.start - timedelta(days=1))
    known = {person.number for person in opened}
    people = {person.number: person for person in story.people}
    moved = _moved(rng, opened, story)
    for day, _order, _place, what in sorted(_deeds(story), key=lambda deed: deed[:3]):
        if isinstance(what, date):
            yield facts.ListClosing(what)
        elif isinstance(what, str):
            yield facts.Unrated(what, day, "corrected")
        else:
            for number in sorted(entry.player for entry in what.entries):
                if number not in known:
                    known.add(number)
                    yield people[number].fact()
                elif number in moved and moved[number][0] <= day:
                    yield replace(people[number].fact(), region=moved.pop(number)[1])
            yield what
            yield facts.Rated(what.id, day)


def _openings(rng: random.Random, person: Person, on: date) -> Iterator[facts.Opening]:
    rating = max(100.0, person.base + rng.gauss(0, OPENING_NOISE))
    for share, tracks in OPENED:
        if rng.random() >= share:
            continue
        value = Decimal(f"{max(100.0, rating + rng.gauss(0, OPENING_NOISE / 2)):.4f}")
        games = 10 + int(rng.expovariate(1 / 60))
        for track in tracks:
            yield facts.Opening(person.number, track, value, games, on, SOURCE)


def _moved(rng: random.Random, people: Sequence[Person], story: Story) -> dict[str, tuple[date, str]]:
    """Who moved to another region, and from when on the register says so."""
    regions = sorted({person.region for person in people if person.region})
    days = (story.today - story.start).days
    return {
        person.number: (story.start + timedelta(days=rng.randrange(days)), rng.choice(regions))
        for person in rng.sample(people, round(MOVED * len(people)))
        if person.region
    }


def _deeds(story: Story) -> Iterator[tuple[date, int, int, date | str | facts.Section]]:
    """What the journal tells, with its day and its order within the day: a list closes first."""
    for on in story.lists:
        yield on, 0, 0, on
    for place, filed in enumerate(story.filed):
        section = filed.section
        if filed.unrated is None or filed.again is None:
            yield filed.rated, 2, place, section
            continue
        yield filed.rated, 2, place, corrected(section)
        yield filed.unrated, 3, place, section.id
        yield filed.again, 4, place, section
