"""The first decision on a section, before play, as its row keeps it; the record of decisions has them all."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from players.office.models import Federation
from tournaments.events.finding_words import day_in_words
from tournaments.events.models import Section, Stage
from tournaments.events.section_days import admitted_before_play

ASKED, PUT_OFF, REFUSED = "asked", "put-off", "refused"
"""Decisions that an official can make beside admitting: ask the region, put the decision off, refuse."""
ADMITTED = "admitted"


def decides_before_play(federation: Federation) -> bool:
    """Whether an official decides on this federation's sections before they are played."""
    ruleset = federation.ruleset
    return bool(ruleset.sections.admission or federation.equipment.office.registration.decided_before_play)


def refusable_before_play(federation: Federation) -> str:
    """The clause by which an official can refuse a section before play although none waits for a decision
    (csa §11); empty: all wait for one, or the regulations know none.
    """
    clause = federation.equipment.office.registration.refusable_before_play
    return "" if decides_before_play(federation) else clause


def may_decide_before_play(federation: Federation) -> bool:
    """Whether an official can decide on a section of this federation before it is played."""
    return decides_before_play(federation) or bool(refusable_before_play(federation))


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


def may_close_before_play(section: Section, on: date) -> bool:
    """Whether an official can say that nothing stands in the way of a registered section: where none has to
    wait for a decision (csa §11), one that the region was asked about, or that waits.
    """
    if section.stage != Stage.REGISTERED or not refusable_before_play(section.event.federation):
        return False
    return first_decision(section) == ASKED or waits_for_first_decision(section, on)


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
            return decides_before_play(section.event.federation)


def told_before_play(section: Section) -> str:
    """Say in a sentence to the region where a registered section stands before play; empty: nothing."""
    if section.stage != Stage.REGISTERED:
        return ""
    said, admitted = section.before_play, admitted_before_play(section)
    match first_decision(section):
        case "asked" if said.get("answer"):
            words, day = (
                _("You answered the office’s question on %(day)s; it decides now."),
                said["answered_on"],
            )
        case "asked":
            words, day = _("The office asked on %(day)s: %(words)s"), said["on"]
        case "put-off":
            words, day = _("The office put its decision off until %(day)s: %(words)s"), said["until"]
        case "admitted" if admitted and admitted["declared"] != declared_now(section):
            words = _("Decided on %(day)s, and changed since: the office looks at it again.")
            day = admitted["on"]
        case "admitted" if admitted:
            decides = decides_before_play(section.event.federation)
            words = _("Admitted on %(day)s.") if decides else _("Nothing stands in its way, since %(day)s.")
            day = admitted["on"]
        case "" if decides_before_play(section.event.federation):
            return _("The office has not decided on it yet.")
        case _other:
            return ""
    return words % {"day": day_in_words(date.fromisoformat(day)), "words": said.get("words", "")}
