"""Moves a section from one stage to the next, and tells whether it was ever rated."""

from __future__ import annotations

from typing import Any

from tournaments.events.models import Section, Stage


def was_rated(section: Section) -> bool:
    """Whether the section was ever approved, whatever happened to it since."""
    decisions = section.event.federation.decisions
    return decisions.filter(kind="approve", about=f"section {section.key}").exists()


def change_stage(section: Section, stage: Stage, **fields: Any) -> None:
    """Put the section in `stage` with these fields, as a new version; its holder has locked it."""
    section.stage, section.version = stage, section.version + 1
    for name, value in fields.items():
        setattr(section, name, value)
    section.save(update_fields=["stage", "version", *fields])
