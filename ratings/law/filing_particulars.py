"""The particulars of a filing that acceptance reads: who filed it and when, people, permissions, waivers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from ratings.law.facts import PlayerId, Section
from ratings.law.rule_outputs import Level


@dataclass(frozen=True, slots=True)
class Arbiter:
    """An arbiter of the event, as its region names them."""

    name: str
    title: str = ""
    id: str = ""
    in_register: bool = False
    """Whether the id is a number of the federation's own register."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player of a filed section, as the event's file and the register together describe them."""

    player: PlayerId
    surname: str
    first_name: str = ""
    birth: str = ""
    """The date or year of birth, as precise as is known: `2010-05-03` or `2010`."""
    sex: str = ""
    nation: str = ""
    """The nation in three letters; empty where not known."""
    fide_id: str = ""
    handle: str = ""
    new: bool = False
    """Whether the player is not in the register yet."""
    region: str = ""
    """The code of the region that was stated for a new player; empty: none was."""
    decided: bool = True
    """Whether it is settled who of the register this is."""
    section: str = ""

    @property
    def name(self) -> str:
        return ", ".join(filter(None, (self.surname, self.first_name)))


@dataclass(frozen=True, slots=True)
class Filing:
    """All that a ruleset's acceptance may read beside the section itself: days, people,
    permissions, waivers.
    """

    registered: date | None = None
    filed: date | None = None
    handed_in: date | None = None
    """The day of the submission that holds: of the one that the office first rated, else of the newest;
    before any, of the file.
    """
    """The day of the first file that could be read."""
    event_starts: date | None = None
    event_ends: date | None = None
    round_dates: tuple[date | None, ...] = ()
    region: str = ""
    """The code of the host region."""
    by_region: bool | None = None
    """Whether an administrator of the host region sent the newest file; None: the sender is not known."""
    organizer: str = ""
    arbiters: tuple[Arbiter, ...] = ()
    """The arbiters in order of appointment, the chief arbiter first."""
    entrants: tuple[Entrant, ...] = ()
    elsewhere: tuple[Entrant, ...] = ()
    """The players of the event's other sections."""
    said: Mapping[str, Any] = field(default_factory=dict)
    """The region's answers to the ruleset's `filing_fields`, by the fields' names."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The office's settings, by name; a switch that is not there is on."""
    permissions: frozenset[str] = frozenset()
    """The clauses under which the office gave permission (csa: `18`)."""
    asked: Mapping[str, date] = field(default_factory=dict)
    """The days on which the region asked for permissions, by clause."""
    particulars: Mapping[PlayerId, Any] = field(default_factory=dict)
    """The register's particulars of those entrants who are in it already, by id."""
    declared: Section | None = None
    """The section as it was declared when it was first decided on; None: no such decision is recorded."""
    declared_on: date | None = None
    """The day of that first decision."""

    def late(self) -> Level:
        """The level of a finding that something came late: waivable, or a notice where nobody is held to
        deadlines.
        """
        return Level.WAIVABLE if self.settings.get("deadlines", True) else Level.NOTICE

    def incomplete(self, level: Level = Level.WAIVABLE) -> Level:
        """The level of a finding that something is missing, or was not said by the right person: `level`, or
        a notice where the office does not insist on full particulars.
        """
        return level if self.settings.get("particulars", True) else Level.NOTICE

    @property
    def membership(self) -> date | None:
        """The day from which rules on membership hold; None: not introduced."""
        day = self.settings.get("membership")
        return date.fromisoformat(day) if day else None

    def name_of(self, player: PlayerId) -> str:
        """The name of an entrant; the id where there is no such entrant."""
        return next((entrant.name for entrant in self.entrants if entrant.player == player), player)
