"""§17–§24: may a section be rated? Every finding, never the first.

What else the text wants of a filing is in `required_particulars`, `officials` and `submission_days`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ratings.law.facts import ANNULLED, HALVES, PlayerId, Section
from ratings.law.filing_particulars import Filing
from ratings.law.rule_outputs import Finding, Level, Value
from ratings.law.ruleset_hooks import Requirement
from ratings.rulesets.csa.edition_2020 import arbiters, required_particulars, submission_days
from ratings.rulesets.csa.edition_2020.tracks import FASTEST, PLATFORMS, time_of

PERMISSION = "18"  # §18
ROUNDS_WITH_PERMISSION = 5  # §18, D-CSA-14


class SectionSize(NamedTuple):
    """The least players and rounds that a section of some kind must have, and the clause that says so."""

    clause: str
    players: int
    rounds: int
    rounds_with_permission: int = ROUNDS_WITH_PERMISSION


ANY = SectionSize("17.1", 6, 5)
DOUBLE_ROUND_ROBIN = SectionSize("17.2", 4, 6)
SCHEVENINGEN = SectionSize("17.3", 5, 5)  # players of each team
DISABLED = SectionSize("17.4", 6, 4, 4)

FORMATS = ("swiss", "round-robin", "double-round-robin", "scheveningen")


def check(section: Section, filing: Filing) -> list[Finding]:
    """Check a filed section against the whole text: every finding, with what to do about each."""
    return [finding for each in CHECKS for finding in each(section, filing)]


def unrateable(section: Section) -> Finding | None:
    """§19 §23 §24: the finding that no decision of an official can mend: time or platform not known, or too
    fast.
    """
    findings = [*check_time(section, Filing()), *check_platform(section, Filing())]
    return findings[0] if findings else None


def check_time(section: Section, filing: Filing) -> Iterator[Finding]:
    """§19 §22 §23: check that the time control is given, and not faster than the fastest that is rated."""
    if not section.time_controls:
        yield Finding("19", Level.BLOCKS, "no-time-control", where="time_controls")
        return
    minutes = time_of(section)
    if minutes < FASTEST:
        yield Finding("23", Level.BLOCKS, "too-fast", {"minutes": minutes}, "time_controls")


def check_platform(section: Section, filing: Filing) -> Iterator[Finding]:
    """§24: check that the platform is one of those on which games are rated."""
    if section.platform not in PLATFORMS:
        yield Finding("24", Level.BLOCKS, "no-platform", where="platform")


def check_format(section: Section, filing: Filing) -> Iterator[Finding]:
    """§17: check that the section's format is rated; with disabled players, any is."""
    if section.format not in FORMATS and not section.disabled:
        yield Finding("17", Level.BLOCKS, "format-not-rated", {"format": section.format}, "format")


def size_for(section: Section) -> SectionSize:
    """§17.1 §17.2 §17.3 §17.4: the players and rounds that a section of its kind needs."""
    if section.disabled:
        return DISABLED
    if section.format == "scheveningen":
        return SCHEVENINGEN
    return DOUBLE_ROUND_ROBIN if section.format == "double-round-robin" and not section.team else ANY


def check_players(section: Section, filing: Filing) -> Iterator[Finding]:
    """§17 §18: check that enough took part (Scheveningen: in each team), or the Bureau permitted fewer
    (D-CSA-14).

    Participating is whoever played a game: one who withdrew before the start does not count (§18).
    """
    if PERMISSION in filing.permissions:
        return
    size = size_for(section)
    played = [game for game in section.games if game.result in HALVES]
    playing = {game.first for game in played} | {game.second for game in played}
    if size is SCHEVENINGEN:
        yield from check_teams(section, filing, playing)
    elif len(playing) < size.players:
        found: dict[str, Value] = {
            "players": len(playing),
            "needed": size.players,
            "last": submission_days.last_to_ask(section, filing),
        }
        yield Finding(size.clause, Level.WAIVABLE, "too-few-players", found, "players")


def check_teams(section: Section, filing: Filing, playing: set[PlayerId]) -> Iterator[Finding]:
    """§17.3: check that there are two teams or more, each with enough of the players in `playing`, who played
    a game.
    """
    size = SCHEVENINGEN
    without = [entry.player for entry in section.entries if not entry.team]
    if without or len({entry.team for entry in section.entries}) < 2:
        yield Finding(size.clause, Level.BLOCKS, "no-teams", {"players": len(without)}, "team")
        return
    teams = Counter({entry.team or "": 0 for entry in section.entries})
    teams.update(entry.team or "" for entry in section.entries if entry.player in playing)
    for team, players in sorted(teams.items()):
        if players < size.players:
            found: dict[str, Value] = {
                "team": team,
                "players": players,
                "needed": size.players,
                "last": submission_days.last_to_ask(section, filing),
            }
            yield Finding(size.clause, Level.WAIVABLE, "too-few-in-team", found, f"team {team}")


def check_rounds(section: Section, filing: Filing) -> Iterator[Finding]:
    """§17 §18: check that enough rounds have a result; fewer with permission, but never below 5, or 4 under
    §17.4 (D-CSA-14).
    """
    size = size_for(section)
    played = {game.round for game in section.games if game.result != ANNULLED}
    rounds = sum(not section.rounds or round_ <= section.rounds for round_ in played)
    if rounds < size.rounds_with_permission:
        found: dict[str, Value] = {
            "rounds": rounds,
            "needed": size.rounds,
            "least": size.rounds_with_permission,
        }
        yield Finding(size.clause, Level.BLOCKS, "far-too-few-rounds", found, "rounds")
    elif rounds < size.rounds and PERMISSION not in filing.permissions:
        found = {
            "rounds": rounds,
            "needed": size.rounds,
            "last": submission_days.last_to_ask(section, filing),
        }
        yield Finding(size.clause, Level.WAIVABLE, "too-few-rounds", found, "rounds")


def check_asked(section: Section, filing: Filing) -> Iterator[Finding]:
    """§18: check that a section with too few players or rounds comes in time to ask for permission."""
    short = [*check_players(section, filing), *check_rounds(section, filing)]
    if any(finding.level == Level.WAIVABLE for finding in short):
        yield from submission_days.check_asked(section, filing)


CHECKS: tuple[Callable[[Section, Filing], Iterator[Finding]], ...] = (
    check_time,
    check_platform,
    check_format,
    check_players,
    check_rounds,
    check_asked,
    submission_days.check_abroad,
    submission_days.check_registered,
    submission_days.check_filed,
    submission_days.check_region,
    required_particulars.check_event,
    required_particulars.check_round_dates,
    required_particulars.check_organizer,
    arbiters.check_arbiters,
    arbiters.check_arbiters_play,
    required_particulars.check_players_particulars,
    required_particulars.check_players_regions,
    required_particulars.check_handles,
)

REQUIREMENTS = (
    Requirement(("61", "61.1", "61.2")),
    Requirement(("13.1",)),
    Requirement(("13.2",)),
    Requirement(("13.4",)),
    Requirement(("13.5",)),
    Requirement(("6",)),
    Requirement(("15", "15.1", "15.2", "15.3", "15.4")),
    Requirement(("17",)),
    Requirement(("19",)),
    Requirement(("23",), reads=("time_controls",)),
    Requirement(("24",)),
    Requirement(("17.1", "17.2", "17.3", "17.4"), before_play=False),
    Requirement(("8",), before_play=False),
    Requirement(("13.3",), before_play=False),
    Requirement(("14", "14.1.1", "14.1.2", "14.1.3", "14.1.4", "14.1.5", "14.2.1"), before_play=False),
    Requirement(("62", "10"), before_play=False),
)
"""The list before play, in the order of an organizer's work."""
