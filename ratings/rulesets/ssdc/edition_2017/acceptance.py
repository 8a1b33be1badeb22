"""§1.5, §2.4.2, §3, §4.2, §4.3: may a section be rated? Every finding, never the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta

from ratings.rulesets.facts import ANNULLED, Section
from ratings.rulesets.reports import Finding, Level, Value
from ratings.rulesets.ruleset import Filing
from ratings.rulesets.ssdc.edition_2017.categories import (
    FRIENDLY,
    LEVELS,
    category_of,
    conditions_in,
    is_above,
)
from ratings.rulesets.ssdc.edition_2017.play import TRACK_OF

DAYS_TO_FILE = 3  # §4.3
DAYS_TO_ANNOUNCE = 7  # §4.2

FORMATS = ("swiss", "round-robin", "double-round-robin", "scheveningen", "knockout", "match")
"""§1.7: all games of an official tournament are rated, in whatever format."""


def check(section: Section, filing: Filing) -> list[Finding]:
    """All that the text says against rating it, with what to do about each."""
    checks: tuple[Callable[[Section, Filing], Iterator[Finding]], ...] = (
        check_time_class,
        check_category,
        check_category_allowed,
        check_places,
        check_replays,
        check_announced,
        check_filed,
    )
    return [finding for each in checks for finding in each(section, filing)]


def unrateable(section: Section) -> Finding | None:
    """§1.5 §3.2 §3.5: what no decision can mend: time class or category not known, or friendly."""
    findings = [*check_time_class(section, Filing()), *check_category(section, Filing())]
    return findings[0] if findings else None


def check_time_class(section: Section, filing: Filing) -> Iterator[Finding]:
    """§1.5: the organizer states it (D-SSDC-10)."""
    if section.time_class not in TRACK_OF:
        yield Finding("1.5", Level.BLOCKS, "no-time-class", where="time_class")


def check_category(section: Section, filing: Filing) -> Iterator[Finding]:
    """§3.2 §3.5."""
    if section.category not in LEVELS:
        yield Finding("3.2", Level.BLOCKS, "no-category", where="category")
    elif section.category == FRIENDLY:
        yield Finding("3.5", Level.BLOCKS, "friendly", where="category")


def check_category_allowed(section: Section, filing: Filing) -> Iterator[Finding]:
    """§3.4.7: not above what follows from the time class, the format and the number of players.

    The time class settles it. Of a format or a match the office may know more: that all met all the same, or
    that the match was for a title (§3.4.6).
    """
    known = conditions_in(section)
    by_time = category_of(replace(known, not_all_meet=False, match_of_two=False)).category
    by_format = category_of(replace(known, match_of_two=False)).category
    at_best = category_of(known).category
    if is_above(section.category, by_time):
        params: dict[str, Value] = {"category": section.category, "at_best": by_time}
        yield Finding("3.4.1", Level.BLOCKS, "too-high-for-time", params, "category")
    elif is_above(section.category, by_format):
        params = {"category": section.category, "at_best": by_format, "format": section.format}
        yield Finding("3.4.1", Level.WAIVABLE, "too-high-for-format", params, "category")
    if known.match_of_two and is_above(section.category, at_best):
        params = {"category": section.category, "at_best": at_best}
        yield Finding("3.4.6", Level.WAIVABLE, "too-high-for-match", params, "category")


def check_places(section: Section, filing: Filing) -> Iterator[Finding]:
    """§2.4.2: the final places, without which nobody can be proposed for a rank."""
    lacking = sum(entry.place is None for entry in section.entries)
    if lacking:
        yield Finding("2.4.2", Level.BLOCKS, "places-missing", {"players": lacking}, "players")
    elif section.entries and all(entry.place != 1 for entry in section.entries):
        yield Finding("2.4.2", Level.WAIVABLE, "nobody-first", where="players")


def check_replays(section: Section, filing: Filing) -> Iterator[Finding]:
    """§1.7.2: an annulled game of which the record has no replay in that round (D-SSDC-5)."""
    pairs = Counter((game.round, frozenset(game[1:3])) for game in section.games if game.result != ANNULLED)
    for game in section.games:
        if game.result == ANNULLED and not pairs[game.round, frozenset(game[1:3])]:
            params: dict[str, Value] = {"round": game.round, "first": game.first, "second": game.second}
            yield Finding("1.7.2", Level.NOTICE, "annulled-no-replay", params, f"round {game.round}")


def check_announced(section: Section, filing: Filing) -> Iterator[Finding]:
    """§4.2: another organizer's regulations come seven days before players can register.

    Registration opens on the day of play at the latest; whether the Club itself holds it, people know.
    """
    if filing.registered and section.starts - filing.registered < timedelta(DAYS_TO_ANNOUNCE):
        params: dict[str, Value] = {"registered": filing.registered, "days": DAYS_TO_ANNOUNCE}
        yield Finding("4.2", Level.NOTICE, "announced-late", params, "starts")


def check_filed(section: Section, filing: Filing) -> Iterator[Finding]:
    """§4.3: the results come within three days of the end."""
    days = (filing.filed - section.ends).days if filing.filed else 0
    if days > DAYS_TO_FILE:
        params = {"days": days, "allowed": DAYS_TO_FILE}
        yield Finding("4.3", Level.WAIVABLE, "filed-late", params)
