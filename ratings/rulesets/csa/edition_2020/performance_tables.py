"""§40, §47, §49: the performances of a section, and those that count for a player's weight performance."""

from __future__ import annotations

from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from ratings.law.facts import PlayerId, RatedSection, State
from ratings.law.rule_outputs import Counts, RuleTable
from ratings.rulesets.csa.edition_2020.formulas import WEIGHT_DAYS, days_left
from ratings.rulesets.csa.edition_2020.lists_and_tables import shown_rating
from ratings.rulesets.csa.edition_2020.rating import reckon_track
from ratings.rulesets.csa.edition_2020.section_tally import survey
from ratings.rulesets.csa.edition_2020.tracks import tracks_of
from ratings.rulesets.csa.law.standing import CsaStanding

SECTION = (
    "player",
    "performed",
    "games-played",
    "games-needed",
    "rounds-scheduled",
    "for-the-grand-prix",
    "clause",
)
NEWEST = ("line", "ended", "kind-of-games", "performed", "days-ago", "age-factor")
FOUR_PLACES = Decimal("0.0001")


def section_performances(state: State[CsaStanding], fact: RatedSection, track: str) -> RuleTable | None:
    """§32 §47 §49: the table of a section's performances in a track, best first, for the Grand Prix (D-CSA-9,
    D-CSA-18); None where the section does not move the track.
    """
    section = fact.section
    if track not in tracks_of(section):
        return None
    surveyed = survey(fact)
    clause = "49" if section.team else "47"
    rows = [
        (
            tally.player,
            shown_rating(reckoning.performance),
            tally.games,
            surveyed.to_qualify,
            section.rounds,
            "counts-yes" if tally.games >= surveyed.to_qualify else "counts-no",
            clause,
        )
        for tally, (_before, reckoning) in zip(
            surveyed.tallies, reckon_track(state, surveyed, track), strict=True
        )
        if tally.rated and reckoning.performance is not None
    ]
    rows.sort(key=lambda row: (-row[1], row[0]))
    return RuleTable("performances", SECTION, tuple(rows), answered=False, about="performances-about")


def counts(state: State[CsaStanding], player: PlayerId, track: str, on: date) -> Counts | None:
    """§39 §40: the table of a player's newest qualified performances that still count on a day, with their
    age factor; None: there are none.
    """
    standing = state.get(player, track)
    young = [each for each in standing.performances if days_left(each, on) >= 0] if standing else []
    if not young:
        return None
    rows = []
    for each in young:
        left = days_left(each, on)
        age = (Decimal(left) / WEIGHT_DAYS).quantize(FOUR_PLACES, ROUND_HALF_UP)
        rows.append((each.number, each.ends, each.kind, shown_rating(each.value), WEIGHT_DAYS - left, age))
    return Counts(RuleTable("counts", NEWEST, tuple(rows), answered=False))
