"""The readings that hold in every office (`D-1` …): answers to questions that regulations leave open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from ratings.rulesets.facts import gettext_noop as _


@dataclass(frozen=True, slots=True)
class Amendment:
    """What a day changes of a regulation's words; the numbers that change are in its parameters."""

    in_force: date
    name: str
    """The name of the edition that it makes."""
    clauses: Mapping[str, str]
    """The new words of the clauses that it changes."""


@dataclass(frozen=True, slots=True)
class EnactedText:
    """The source of the enacted text."""

    title: str
    """The heading, in the text's own language."""
    issued_by: str
    dated: str = ""
    """Days of enactment and amendment, in words; empty if the text has no date."""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Enacted:
    """Notes on one enacted text, with words marked for translation."""

    source: EnactedText
    not_computed: Mapping[str, str] = field(default_factory=dict)
    """Clauses that no page and no command carries out, each with the reason."""
    partly_computed: Mapping[str, str] = field(default_factory=dict)
    """Clauses that the program carries out in part, each with the part left undone."""
    smaller_readings: tuple[tuple[str, str], ...] = ()
    """Small points on which the text is silent: the clause, and how it is read."""
    settings: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Clauses that only give notice in an office where a setting is off, by the setting's name."""
    chapters: tuple[tuple[str, str], ...] = ()
    """The first clause and the subject of each chapter; empty if the text has no chapters."""
    earlier: Mapping[date, Enacted] = field(default_factory=dict)
    """The notes on earlier editions where these differ, by the first day of each edition."""


COMMON_READINGS = {
    "D-1": (
        _("In which order do tournaments count?"),
        _(
            "Chess South Africa: as the office first rated them. Dots, Othello and piškvorky: in the order "
            "of play (last day, first day, then the order of first rating); what is approved late is put in "
            "its place, and everything after it is worked out again. Mahjong: there is no order. A rating "
            "taken over when the record began comes before everything."
        ),
    ),
    "D-2": (
        _("What happens when a rating is taken back, or two entries of the register are one person?"),
        _(
            "Ratings become what they would be had that section never been rated, or had there been one "
            "entry from the start. Rated again, a section stands where it was first rated, with that day as "
            "its day of rating: a correction changes what was wrong and nothing else. A published list never "
            "changes: what follows stands in the next list, or in a revision beside the old one."
        ),
    ),
    "D-3": (
        _("Are forfeits and byes games?"),
        _("No. No rating is worked out from them; some rules count them for something else."),
    ),
    "D-4": (
        _("With how many digits is everything worked out, and when is it rounded?"),
        _(
            "In decimal arithmetic with 34 digits, never in binary, so that anyone gets the same digits "
            "anywhere. A number is rounded once, half up, when it is kept: chess and mahjong with 16 "
            "decimals, Dots with 6, Othello and piškvorky as whole numbers. A formula divides once, at its "
            "end."
        ),
    ),
    "D-5": (
        _("Which ratings are used in a tournament?"),
        _(
            "The ratings that everybody had before the tournament, except in Dots and Othello, where "
            "ratings change game by game."
        ),
    ),
    "D-6": (
        _("Which particulars of a player count?"),
        _(
            "Those that the register had when the section was rated; later corrections change later ratings "
            "only. A player without a known nation does not count as a citizen of the federation's country."
        ),
    ),
    "D-7": (
        _("What is a game that both players lost?"),
        _(
            "A game: both score 0 (chess, Dots); no points move (Othello, and piškvorky between established "
            "players); a novice in piškvorky has lost it. An annulled game counts for nothing anywhere."
        ),
    ),
    "D-8": (
        _("What is a tournament?"),
        _("One section of an event, unless a rule is plainly about the whole event."),
    ),
    "D-9": (
        _("Which edition of the regulations applies?"),
        _("The one in force on the day on which a section began; undated rules hold for the whole record."),
    ),
    "D-10": (
        _("In which order are players listed?"),
        _(
            "The highest kept rating first, with all its digits; equal ones by number. Players whose shown "
            "ratings are equal share the rank, unless the regulations say otherwise."
        ),
    ),
}
"""Question and answer of each common reading, by its id."""
