"""The first decision on a section, before play, as its row keeps it; the record of decisions has them all."""

from __future__ import annotations

from datetime import date
from typing import Any

from players.office.models import Federation
from tournaments.events.models import Section, Stage
from tournaments.events.section_days import admitted_before_play

ASKED, PUT_OFF, REFUSED = "asked", "put-off", "refused"
"""Decisions that an official can make beside admitting: ask the region, put the decision off, refuse."""
ADMITTED = "admitted"


def decides_before_play(federation: Federation) -> bool:
    """Whether an official decides on this federation's sections before they are played."""
    ruleset = federation.ruleset
    return bool(ruleset.sections.admission or federation.equipment.office.registration.decided_before_play)


def first_decision(section: Section) -> str:
    """The last decision before play: `asked`, `put-off`, `refused` or `admitted`; empty: nothing yet."""
    return section.before_play.get("decision", "") or (ADMITTED if admitted_before_play(section) else "")


def declared_now(section: Section) -> dict[str, Any]:
    """The region's declaration of a section: an admission holds for that and for nothing else."""
    return {"format": section.format, "rounds": section.rounds, "particulars": {**section.particulars}}


def question_to_region(section: Section) -> str:
    """The office's question that the region has not answered yet; empty: there is none."""
    said = section.before_play
    open_ = section.stage == Stage.REGISTERED and said.get("decision") == ASKED and not said.get("answer")
    return str(said["words"]) if open_ else ""


def refused_before_play(section: Section) -> bool:
    """Whether the office refused the section before play, and not what was filed of it afterwards."""
    return section.stage == Stage.REFUSED and section.before_play.get("decision") == REFUSED


def waits_for_first_decision(section: Section, on: date) -> bool:
    """Whether a registered section stands before an official on a day: undecided, answered, due again, or
    declared otherwise since it was admitted.
    """
    said = section.before_play
    match first_decision(section):
        case "asked":
            return bool(said.get("answer"))
        case "put-off":
            return date.fromisoformat(said["until"]) <= on
        case "admitted":
            admitted = admitted_before_play(section)
            return admitted is not None and admitted["declared"] != declared_now(section)
        case "refused":
            return False
        case _undecided:
            return True
