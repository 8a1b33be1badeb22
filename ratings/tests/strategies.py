"""Random records of any ruleset, made from what it says of itself: the same seed, the same record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from importlib import import_module
from importlib.util import find_spec
from random import Random
from typing import Any

from hypothesis import strategies as st

from ratings.rulesets.facts import (
    Bye,
    Departure,
    Entry,
    Fact,
    Field,
    Game,
    ListClosing,
    Opening,
    Placed,
    Player,
    RatedSection,
    Section,
    TimeControl,
)
from ratings.rulesets.journal_lines import EXCUSABLE_SIDES
from ratings.rulesets.ruleset import Ruleset

seeds = st.integers(min_value=0, max_value=2**32 - 1)

EARLIEST = date(2020, 7, 1)
RESULTS = ("1-0", "0-1", "1/2", "1-0", "0-1", "1/2", "1-0", "0-1", "0-0", "+:-", "-:+", "-:-", "annulled")


def record(ruleset: Ruleset, seed: int, *, sections: int = 8) -> list[Fact]:
    """The facts of a small office, in journal order: openings, rated sections, lists."""
    dice = Random(seed)
    people = {f"P{number:02}": person(ruleset, dice, f"P{number:02}") for number in range(12)}
    facts: list[Fact] = []
    day = max(ruleset.editions[0].in_force, EARLIEST)
    number = 1
    if "opening" in ruleset.journal.folds and dice.random() < 0.7:
        for opening in openings(ruleset, dice, people):
            number += 1
            facts.append(Placed(number, opening))
    earliest = day
    stated: dict[str, int] = {}
    listed = date.min
    for at in range(sections):
        day += timedelta(dice.choice((0, 1, 7, 31, 31, 400)))
        number += dice.randint(2, 5)
        starts = max(earliest, day - timedelta(dice.choice((0, 0, 0, 0, 60))))  # some are rated late
        section = rateable_section(ruleset, dice, list(people), starts, f"E{at}/A")
        on = max(day, section.ends) + timedelta(dice.randint(0, 20))
        stood = {each.player: people[each.player] for each in section.entries}
        lacking = [each.player for each in section.entries if each.pre is None]
        pres = {name: stated[name] for name in lacking if name in stated}
        facts.append(RatedSection(number, on, section, stood, pres=pres))
        stated |= {each.player: each.pre for each in section.entries if each.pre is not None}
        day = on
        for fact in own(ruleset, "further", no_more)(dice, people, day):
            number += 1
            facts.append(Placed(number, fact))
        if "list" in ruleset.journal.folds and dice.random() < 0.4 and listed != day:  # one a day is the most
            number, listed = number + 1, day
            facts.append(Placed(number, ListClosing(day)))
    return ruleset.sort_for_fold(facts)


def own(ruleset: Ruleset, name: str, otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """What a federation's own `<slug>_record.py` beside this file makes differently, if it does.

    `shaped(section, dice)`: a random section as that federation has them. `further(dice, people, on)`: facts
    of other kinds that come after it; it may change `people` as it does.
    """
    found = f"ratings.tests.{ruleset.slug}_record"
    module = import_module(found) if find_spec(found) else None
    made: Callable[..., Any] = getattr(module, name, otherwise)
    return made


def no_more(*_given: Any) -> list[Any]:
    return []


def as_it_is(section: Section, _dice: Random) -> Section:
    return section


def person(ruleset: Ruleset, dice: Random, name: str) -> Player:
    return Player(
        id=name,
        name=f"Player {name}",
        salt=f"{dice.getrandbits(128):032x}",
        nation=dice.choice((ruleset.country, ruleset.country, ruleset.country, "ZIM", None)),
        resident=dice.random() < 0.9,
    )


def openings(ruleset: Ruleset, dice: Random, people: dict[str, Player]) -> Iterator[Opening]:
    for name in people:
        for track in ruleset.tracks:
            if dice.random() < 0.3:
                rating = Decimal(dice.randint(90, 2400))
                games = dice.choice((0, dice.randint(1, 60)))
                yield Opening(name, track.code, rating, games, EARLIEST - timedelta(1), "old list")


def rateable_section(ruleset: Ruleset, dice: Random, names: list[str], day: date, section_id: str) -> Section:
    while True:
        section: Section = own(ruleset, "shaped", as_it_is)(
            any_section(ruleset, dice, names, day, section_id), dice
        )
        if ruleset.sections.find_unrateable_reason(section) is None:
            return section


def any_section(ruleset: Ruleset, dice: Random, names: list[str], day: date, section_id: str) -> Section:
    playing = dice.sample(names, dice.randint(2, 8))
    rounds = dice.randint(1, 11)
    format_ = dice.choice(ruleset.sections.formats or ("swiss",))
    team = format_ == "scheveningen" or dice.random() < 0.15
    games, byes = ([], []) if format_ == "placement" else play(ruleset, dice, playing, rounds)
    section = Section(
        id=section_id,
        event=section_id,
        name="A",
        starts=day,
        ends=day + timedelta(dice.randint(0, 9)),
        format=format_,
        rounds=rounds,
        entries=tuple(
            entry(ruleset, dice, name, place, rounds, team) for place, name in enumerate(playing, start=1)
        ),
        games=tuple(games),
        byes=tuple(byes),
        country=dice.choice((None, None, None, "ZIM")),
        team=team,
    )
    chosen: dict[str, Any] = {}
    for field in ruleset.sections.fields:
        if field.only_with is None or chosen.get(field.only_with[0]) == field.only_with[1]:
            chosen[field.name] = value_of(field, dice)
    return replace(section, **chosen)


def entry(ruleset: Ruleset, dice: Random, name: str, place: int, rounds: int, team: bool) -> Entry:
    left = Departure(dice.randint(1, rounds), dice.random() < 0.5) if dice.random() < 0.15 else None
    rating = dice.choice((None, 0, dice.randint(1000, 2500))) if "rating" in ruleset.journal.reads else None
    known = ruleset.pre_ratings
    pre = dice.choice((None, *known.values)) if known and dice.random() < 0.6 else None
    women = "women" in ruleset.journal.reads and dice.random() < 0.5
    return Entry(name, place, rating, pre, women, dice.choice("AB") if team else None, left)


def play(ruleset: Ruleset, dice: Random, playing: list[str], rounds: int) -> tuple[list[Game], list[Bye]]:
    games, byes = [], []
    for number in range(1, rounds + 1):
        seated = dice.sample(playing, len(playing) - (dice.random() < 0.2))
        while len(seated) > 1:
            result = dice.choice(RESULTS)
            excused = (
                dice.choice((None, *EXCUSABLE_SIDES.get(result, ())))
                if "excused" in ruleset.journal.reads
                else None
            )
            games.append(Game(number, seated.pop(), seated.pop(), result, excused))
        byes += [Bye(number, name, dice.choice(("pairing", "full", "half", "zero"))) for name in seated]
    return games, byes


def value_of(field: Field, dice: Random) -> Any:
    if field.kind == "flag":
        return dice.random() < 0.1
    if field.kind == "time_controls":
        return tuple(time_control(dice) for _ in range(dice.choice((1, 1, 2))))
    if field.choices:
        value = dice.choice(field.choices).value
        return int(value) if field.kind == "whole" else value
    return dice.randint(1, 5) if field.kind == "whole" else dice.choice(("2020", "2021"))


def time_control(dice: Random) -> TimeControl:
    minutes = dice.choice(("3", "5", "10", "10.5", "15", "45", "60", "90", "120"))
    return TimeControl((Decimal(minutes),), Decimal(dice.choice((0, 2, 5, 15, 30))))
