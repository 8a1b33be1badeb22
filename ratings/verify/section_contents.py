"""Compares the sections that pages show with the rated lines of the journal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from players.office.models import Federation
from ratings.law import facts, journal
from tournaments.events.models import Section, Stage
from tournaments.events.section_fact import section_fact


def differences(federation: Federation, record: journal.Journal) -> Iterator[str]:
    """Name each rated section whose entries, games or day on pages are not those of its journal line."""
    names, rated = journal.merges(record.lines), _in_force(record)
    sections = Section.objects.filter(event__federation=federation, stage=Stage.RATED)
    for section in sections.select_related("event__federation").order_by("pk").iterator(200):
        spoken, on = rated.pop(section.key, (None, None))
        if spoken is None:
            yield f"section {section.key}: it is shown as rated, but no line in force rates it"
            continue
        if section.rated_on != on:
            yield f"section {section.key}: it was rated on another day, says the journal"
        if _played(section_fact(section, draft=True), names) != _played(spoken, names):
            yield f"section {section.key}: entries or games are not those of its line"
    for key in rated:
        yield f"section {key}: a line in force rates it, but it is not shown as rated"


def _in_force(record: journal.Journal) -> dict[str, tuple[facts.Section, Any]]:
    """The sections rated now, by id: the version that was rated, and the day of rating."""
    versions: dict[str, facts.Section] = {}
    found: dict[str, tuple[facts.Section, Any]] = {}
    for _number, fact in record.lines:
        match fact:
            case facts.Section():
                versions[fact.id] = fact
            case facts.Rated():
                found[fact.section] = versions[fact.section], fact.on
            case facts.Unrated():
                del found[fact.section]
    return found


def _played(section: facts.Section, names: dict[facts.PlayerId, facts.PlayerId]) -> tuple[Any, ...]:
    """The parts of a section to compare, with merged players replaced by those who stay."""
    renamed = journal.rename(section, names)
    entries = tuple((each.player, each.place, each.team, each.left) for each in renamed.entries)
    when = section.name, section.starts, section.ends, section.format, section.rounds
    return when, entries, renamed.games, frozenset(renamed.byes)
