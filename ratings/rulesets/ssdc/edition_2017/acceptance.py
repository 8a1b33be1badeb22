"""§1.5, §1.7, §2.4.2, §3, §4.2, §4.3: may a section be rated? Every finding, never the first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta

from ratings.law.facts import ANNULLED, Game, Section
from ratings.law.filing_particulars import Filing
from ratings.law.rule_outputs import Deadline, Finding, Level, Value
from ratings.law.ruleset_helpers.shared_places import recount
from ratings.law.ruleset_hooks import Requirement
from ratings.rulesets.ssdc.edition_2017.category_by_conditions import (
    FRIENDLY,
    LEVELS,
    category_of,
    conditions_in,
    is_above,
)
from ratings.rulesets.ssdc.edition_2017.ranks import PRIZE_PLACES
from ratings.rulesets.ssdc.edition_2017.rate_games import TRACK_OF

DAYS_TO_FILE = 3  # §4.3
DAYS_TO_ANNOUNCE = 7  # §4.2
DECIDED = frozenset({"1-0", "0-1", "0-0"})
"""§1.7.1: the results after which nothing is replayed."""

FORMATS = ("swiss", "round-robin", "double-round-robin", "scheveningen", "knockout", "match")
"""§1.7: the formats that are rated: all in which games are played."""


def check(section: Section, filing: Filing) -> list[Finding]:
    """Check a filed section against the whole text: every finding, with what to do about each."""
    checks: tuple[Callable[[Section, Filing], Iterator[Finding]], ...] = (
        check_time_class,
        check_category,
        check_category_allowed,
        check_places,
        check_games,
        check_replays,
        check_announced,
        check_filed,
    )
    return [finding for each in checks for finding in each(section, filing)]


def unrateable(section: Section) -> Finding | None:
    """§1.5 §3.2 §3.5: the finding that no decision can mend: time class or category not known, or
    friendly.
    """
    findings = [*check_time_class(section, Filing()), *check_category(section, Filing())]
    return findings[0] if findings else None


def check_time_class(section: Section, filing: Filing) -> Iterator[Finding]:
    """§1.5: check that the time class is known, which the organizer states (D-SSDC-10)."""
    if section.time_class not in TRACK_OF:
        yield Finding("1.5", Level.BLOCKS, "no-time-class", where="time_class")


def check_category(section: Section, filing: Filing) -> Iterator[Finding]:
    """§3.2 §3.5: check that the tournament's category is one of the regulations', and not friendly."""
    if section.category not in LEVELS:
        yield Finding("3.2", Level.BLOCKS, "no-category", where="category")
    elif section.category == FRIENDLY:
        yield Finding("3.5", Level.BLOCKS, "friendly", where="category")


def check_category_allowed(section: Section, filing: Filing) -> Iterator[Finding]:
    """§3.4.7: check that the category is not above the one that follows from the conditions, as recorded and
    as the organizer stated them.

    Of a format the office may know more: that all met all the same (D-SSDC-12).
    """
    known = conditions_in(section, filing.said)
    certain = replace(known, not_all_meet=False)
    stated, at_best = category_of(replace(certain, match_of_two=False)), category_of(certain)
    params: dict[str, Value] = {"category": section.category, "at_best": stated.category}
    if is_above(section.category, stated.category):
        clauses = ", ".join(dict.fromkeys(step.clause for step in stated.steps[1:]))
        yield Finding("3.4.7", Level.BLOCKS, "too-high", {**params, "clauses": clauses}, "category")
    elif is_above(section.category, at_best.category):
        params["at_best"] = at_best.category
        yield Finding("3.4.6", Level.BLOCKS, "too-high-for-match", params, "category")
    elif is_above(section.category, category_of(known).category):
        params |= {"at_best": category_of(known).category, "format": section.format}
        yield Finding("3.4.1", Level.WAIVABLE, "too-high-for-format", params, "category")


def check_places(section: Section, filing: Filing) -> Iterator[Finding]:
    """§2.4.2: check that everyone has a final place, without which nobody can be proposed for a rank."""
    lacking = sum(entry.place is None for entry in section.entries)
    if lacking:
        yield Finding("2.4.2", Level.BLOCKS, "places-missing", {"players": lacking}, "places")
    elif section.entries and all(entry.place != 1 for entry in section.entries):
        yield Finding("2.4.2", Level.WAIVABLE, "nobody-first", where="players")
    else:
        yield from check_prize_places([entry.place for entry in section.entries if entry.place])


def check_prize_places(places: list[int]) -> Iterator[Finding]:
    """§2.4.2: check that each prize place is one more than the players before it."""
    for place, due in recount(places).items():
        if place <= PRIZE_PLACES and place != due:
            found: dict[str, Value] = {"place": place, "before": due - 1}
            yield Finding("2.4.2", Level.WAIVABLE, "place-out-of-line", found, f"place {place}")


def check_games(section: Section, filing: Filing) -> Iterator[Finding]:
    """§1.7: check that there is a played game, without which there is nothing to rate (§1.7.3)."""
    if not any(game.played for game in section.games):
        yield Finding("1.7", Level.WAIVABLE, "no-games", where="games")


def check_replays(section: Section, filing: Filing) -> Iterator[Finding]:
    """§1.7.1 §1.7.2: note annulled games that were not replayed, and replays of any but annulled and drawn
    games (D-SSDC-5).
    """
    rounds: dict[tuple[int, frozenset[str]], list[Game]] = defaultdict(list)
    for game in section.games:
        rounds[game.round, frozenset(game[1:3])].append(game)
    for games in rounds.values():
        params: dict[str, Value] = {
            "round": games[0].round,
            "first": filing.name_of(games[0].first),
            "second": filing.name_of(games[0].second),
        }
        where = f"round {games[0].round}"
        if all(game.result == ANNULLED for game in games):
            yield Finding("1.7.2", Level.NOTICE, "annulled-no-replay", params, where)
        elif section.format != "match" and any(game.result in DECIDED for game in games[:-1]):
            yield Finding("1.7.1", Level.NOTICE, "played-again", params, where)


def check_announced(section: Section, filing: Filing) -> Iterator[Finding]:
    """§4.2: check that another organizer sent in the regulations seven days before players can register.

    Where nobody said who held it, the day of registration tells: entry opens by the day of play.
    """
    held_by, sent, entry = (filing.said.get(name) for name in ("held_by", "sent_on", "entry_from"))
    if held_by == "other" and sent and entry:
        if sent > (last := entry - timedelta(DAYS_TO_ANNOUNCE)):
            days: dict[str, Value] = {"sent": sent, "last": last, "needed": DAYS_TO_ANNOUNCE}
            yield Finding("4.2", filing.late(), "announced-late", days, "sent_on")
    elif held_by == "other":
        yield Finding("4.2", filing.incomplete(), "sending-not-said", {"needed": DAYS_TO_ANNOUNCE}, "sent_on")
    elif not held_by and registered_late(section, filing):
        days = {"registered": filing.registered, "needed": DAYS_TO_ANNOUNCE}
        yield Finding("4.2", Level.NOTICE, "holder-not-said", days, "held_by")


def registered_late(section: Section, filing: Filing) -> bool:
    return filing.registered is not None and filing.registered > section.starts - timedelta(DAYS_TO_ANNOUNCE)


def deadlines(section: Section, filing: Filing) -> list[Deadline]:
    """§4.2 §4.3: the last days for another organizer to send the regulations, and for the results."""
    held_by, sent, entry = (filing.said.get(name) for name in ("held_by", "sent_on", "entry_from"))
    results = Deadline("4.3", "due-results", section.ends + timedelta(DAYS_TO_FILE), filing.handed_in)
    if held_by != "other":
        return [results]
    first = entry or section.starts  # players can register on the day of play at the latest
    return [Deadline("4.2", "due-regulations", first - timedelta(DAYS_TO_ANNOUNCE), sent), results]


def check_filed(section: Section, filing: Filing) -> Iterator[Finding]:
    """§4.3: check that the results were handed in within three days of the end, and that the file did not
    come before it.
    """
    last: date = section.ends + timedelta(DAYS_TO_FILE)
    if filing.handed_in and filing.handed_in > last:
        params: dict[str, Value] = {"filed": filing.handed_in, "last": last, "allowed": DAYS_TO_FILE}
        yield Finding("4.3", filing.late(), "filed-late", params, "filed")
    if filing.filed and filing.filed < section.ends:
        early: dict[str, Value] = {"filed": filing.filed, "ends": section.ends}
        yield Finding("4.3", filing.late(), "filed-early", early, "ends")


REQUIREMENTS = (
    Requirement(("4.2",), reads=("held_by",)),
    Requirement(("1.5",)),
    Requirement(("3.2", "3.5")),
    Requirement(("3.4.1", "3.4.6", "3.4.7")),
    Requirement(("1.7", "1.7.1", "1.7.2"), before_play=False),
    Requirement(("2.4.2",), before_play=False),
    Requirement(("4.3",), before_play=False),
)
"""The list before play, in the order of an organizer's work."""
