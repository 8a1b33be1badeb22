"""§3: the category of a tournament, from the conditions under which it is held (D-SSDC-8).

found = category_of(Conditions(fast=True, not_all_meet=True))
found.category   # "second"
found.steps      # from the highest category down, a step for each clause that lowers it
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from ratings.law.facts import Section
from ratings.law.rule_outputs import Value, WorkingStep
from ratings.rulesets.ssdc.edition_2017.ranks import RANKS, height

CATEGORIES = ("highest", "first", "second", "third", "fourth")  # §3.1 §3.2
FRIENDLY = "friendly"  # §3.5
LEVELS = (*CATEGORIES, FRIENDLY)

LIMITING = 1  # §3.4: steps for each limiting factor
GUARANTEED = 2  # §3.4.3
SHUTS_OUT_THE_STRONG = 2  # §3.4.4
STRONG_RATING, STRONG_RANK = 2200, "C"  # §3.4.4
AT_BEST_FOR_A_MATCH = "fourth"  # §3.4.6

ALL_MEET = frozenset({"round-robin", "double-round-robin", "match"})
"""§3.4.1: the formats in which everyone meets everyone (D-SSDC-12)."""
FAST = frozenset({"rapid", "blitz"})
"""§3.4.1: the time classes with a strict limit."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions of a tournament that decide its category: who may play, and how."""

    highest_rating: int | None = None
    """The highest rating that may play; None: any."""
    highest_rank: str | None = None
    """The highest sports rank that may play; None: any."""
    one_gender: bool = False
    ages: bool = False
    territory: bool = False
    fast: bool = False
    not_all_meet: bool = False
    by_correspondence: bool = False
    division: int = 1
    """The number of the division in a league by strength; 1 is the highest."""
    guaranteed_places: bool = False
    """Whether somebody takes part by the organizer's decision, whatever their level."""
    for_a_challenger: bool = False
    """Whether it finds the challenger of a title holder, who therefore does not play in it."""
    match_of_two: bool = False
    for_a_title: bool = False
    """Whether the match is for a title."""
    assigned: str | None = None
    """The category that the organizer wants; None: the one that follows from the rest."""


class Categorised(NamedTuple):
    """The category that follows from conditions, with the steps to it."""

    category: str
    """One of `LEVELS`; `friendly` is not rated (§3.5)."""
    steps: tuple[WorkingStep, ...]
    allowed: bool
    """Whether the organizer may have what was asked for (§3.4.7); `category` is then that."""


def category_of(conditions: Conditions) -> Categorised:
    """§3.3 §3.4: the highest category, lowered for each thing that limits level, play or result."""
    level = 0
    steps = [WorkingStep("3.3", "category-starts", {}, LEVELS[level])]
    for clause, key, inputs, lowered in lowerings(conditions):
        level = min(level + lowered, len(LEVELS) - 1)
        steps.append(WorkingStep(clause, key, {**inputs, "lowered": lowered}, LEVELS[level]))
    if conditions.match_of_two:
        key = "category-title-match" if conditions.for_a_title else "category-match"
        if not conditions.for_a_title:
            level = max(level, LEVELS.index(AT_BEST_FOR_A_MATCH))
        steps.append(WorkingStep("3.4.6", key, {}, LEVELS[level]))
    if LEVELS[level] == FRIENDLY:
        steps.append(WorkingStep("3.5", "category-friendly", {}, FRIENDLY))
    return assigned(conditions.assigned, LEVELS[level], steps)


Lowering = tuple[str, str, dict[str, Value], int]
"""A reason to lower the category: the clause, the message key, the message's values, and by how
many steps.
"""


def lowerings(conditions: Conditions) -> Iterator[Lowering]:
    """§3.4.1–§3.4.5: the reasons to lower a tournament's category, in the order of the clauses."""
    yield from upper_limits(conditions)
    factors = {
        "category-one-gender": conditions.one_gender,
        "category-ages": conditions.ages,
        "category-territory": conditions.territory,
        "category-fast": conditions.fast,
        "category-not-all-meet": conditions.not_all_meet,
        "category-by-correspondence": conditions.by_correspondence,
    }
    for key, limits in factors.items():
        if limits:
            yield "3.4.1", key, {}, LIMITING
    if conditions.division > 1:  # §3.4.2
        yield "3.4.2", "category-division", {"division": conditions.division}, conditions.division - 1
    if conditions.guaranteed_places:
        yield "3.4.3", "category-guaranteed", {}, GUARANTEED
    if conditions.for_a_challenger:
        yield "3.4.5", "category-challenger", {}, 0


def upper_limits(conditions: Conditions) -> Iterator[Lowering]:
    """§3.4.1, or in its place §3.4.4: the reason to lower that lies in a limit on rating or rank, both
    together counting once (D-SSDC-8).
    """
    if conditions.highest_rating is None and not excludes_a_rank(conditions):
        return
    limits: dict[str, Value] = {
        "rating": "—" if conditions.highest_rating is None else conditions.highest_rating,
        "rank": conditions.highest_rank or "—",
    }
    if shuts_out_the_strong(conditions):
        yield "3.4.4", "category-strong-shut-out", limits, SHUTS_OUT_THE_STRONG
    else:
        yield "3.4.1", "category-upper-limit", limits, LIMITING


def excludes_a_rank(conditions: Conditions) -> bool:
    """§3.4.1: whether the highest rank admitted keeps anybody out; that of the highest rank of all
    does not.
    """
    return conditions.highest_rank not in (None, RANKS[-1])


def shuts_out_the_strong(conditions: Conditions) -> bool:
    """§3.4.4: whether players of 2200 or more, or candidate masters, may not play."""
    rating, rank = conditions.highest_rating, conditions.highest_rank
    by_rating = rating is not None and rating < STRONG_RATING
    return by_rating or (rank is not None and height(rank) < height(STRONG_RANK))


def assigned(wanted: str | None, category: str, steps: list[WorkingStep]) -> Categorised:
    """§3.4.7: the category with the organizer's wish: a lower one than follows is given, a higher one never.

    `category`: the one that follows, by `steps`.
    """
    if wanted is None or wanted == category:
        return Categorised(category, tuple(steps), allowed=True)
    lower = LEVELS.index(wanted) > LEVELS.index(category)
    result = wanted if lower else category
    key = "category-assigned" if lower else "category-not-assigned"
    steps.append(WorkingStep("3.4.7", key, {"wanted": wanted}, result))
    return Categorised(result, tuple(steps), allowed=lower)


def conditions_in(section: Section, said: Mapping[str, Any]) -> Conditions:
    """§3.4.1–§3.4.6: the conditions of a section, as its record shows them and its organizer stated them
    (`said`).
    """
    stated = {each.name: said[each.name] for each in fields(Conditions) if said.get(each.name)}
    return Conditions(
        **stated,
        fast=section.time_class in FAST,
        not_all_meet=section.format not in ALL_MEET and len(section.entries) > 2,
        match_of_two=len(section.entries) == 2,
    )


def is_above(category: str | None, other: str) -> bool:
    return category in LEVELS and LEVELS.index(category) < LEVELS.index(other)
