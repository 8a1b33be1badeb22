"""§2 §3 §5: a competition admitted, the register changed; nothing else is a fact here."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from ratings.law.facts import Change, Fact, Needs, Outcome, Player, PlayerId, RatedSection, Section, State
from ratings.law.ruleset import CONTEXT, SIXTEEN
from ratings.rulesets.mahjong.edition_undated.formulas import Scale, quarters, rating, result, scale, weight
from ratings.rulesets.mahjong.law.standing import (
    AdmittedCompetition,
    AdmittedCompetitions,
    CompetitionPlayed,
    MahjongStanding,
)

HOME = "RUS"
TRACK = "rating"


def needs(fact: Fact) -> frozenset[PlayerId] | Needs:
    """The players whose standings `apply` reads: those who played, or the one of a player line."""
    if isinstance(fact, RatedSection):
        return frozenset(entry.player for entry in fact.section.entries)
    return frozenset((fact.fact.id,)) if isinstance(fact.fact, Player) else frozenset()


def apply(state: State[MahjongStanding], fact: Fact) -> Outcome[MahjongStanding]:
    """The standings of those whom a fact names. What it changes for everybody else is in the federation-wide
    part.
    """
    if isinstance(fact, RatedSection):
        return admit(state, fact)
    if isinstance(fact.fact, Player):
        return Outcome(register(state, fact.fact), state.wide)
    return Outcome([], state.wide)


def admit(state: State[MahjongStanding], fact: RatedSection) -> Outcome[MahjongStanding]:
    """§3: admit a competition, which from then on counts for everybody: the changes of those who played
    (D-RMF-7).
    """
    wide = admitted(state.wide, fact)
    of_day = scale(wide, fact.on)
    changes = []
    for entry in fact.section.entries:
        before = state.get(entry.player, TRACK)
        known = before or MahjongStanding()
        played = known.played
        if entry.place is not None:
            played = in_weight((*played, CompetitionPlayed(fact.section.id, entry.place)), of_day)
        counted = known._replace(
            included=has_place(fact.players[entry.player]), games=known.games + 1, played=played
        )
        after = with_rating(counted, of_day)
        changes.append(Change(entry.player, TRACK, before, after, points(before, after)))
    return Outcome(changes, wide)


def admitted(wide: AdmittedCompetitions | None, fact: RatedSection) -> AdmittedCompetitions:
    """The admitted competitions after a further one; those that weigh nothing any more are left out, but
    their year still counts them.
    """
    known = wide or AdmittedCompetitions(fact.on)
    new = competition_of(fact.section)
    weighing = [each for each in (*known.competitions, new) if quarters(each.ends, fact.on)]
    years = dict(known.years)
    years[new.ends.year] = years.get(new.ends.year, 0) + 1
    return AdmittedCompetitions(fact.on, tuple(sorted(weighing)), tuple(sorted(years.items())))


def competition_of(section: Section) -> AdmittedCompetition:
    """§4 §5: a section as the rating knows it: its last day, its kA, how many played (D-RMF-1)."""
    ka = weight(section.status, section.coefficient)
    return AdmittedCompetition(section.ends, section.id, ka, len(section.entries))


def in_weight(played: tuple[CompetitionPlayed, ...], of_day: Scale) -> tuple[CompetitionPlayed, ...]:
    return tuple(sorted(each for each in played if each.competition in of_day.terms))


def with_rating(standing: MahjongStanding, of_day: Scale) -> MahjongStanding:
    """§2: the standing with its rating of the day worked out, which is None while the player has no place in
    the rating.
    """
    return standing._replace(rating=rating(of_day, standing.played) if standing.included else None)


def points(before: MahjongStanding | None, after: MahjongStanding) -> Decimal | None:
    """The points of a change: the rating less that at the player's last change, absences and time included;
    None where one is missing.
    """
    if before is None or before.rating is None or after.rating is None:
        return None
    return after.rating - before.rating


def has_place(player: Player) -> bool:
    """§2: whether a player has a place in the rating: citizens of Russia who live there or are included by a
    decision (D-RMF-4).
    """
    return player.nation == HOME and (player.resident or player.included_by is not None)


def register(state: State[MahjongStanding], player: Player) -> list[Change[MahjongStanding]]:
    """D-RMF-4: the change of a player who gains or loses the place in the rating by a new line of the
    register; empty: neither.
    """
    before = state.get(player.id, TRACK)
    if before is None or before.included == has_place(player):
        return []
    changed = before._replace(included=not before.included)
    after = with_rating(changed, scale(state.wide, state.wide.on))
    return [Change(player.id, TRACK, before, after, points(before, after))]


def performances(state: State[MahjongStanding], fact: RatedSection, track: str) -> Mapping[PlayerId, Decimal]:
    """§5: the result R of each player of a competition, to 16 decimals."""
    players = len(fact.section.entries)
    return {
        entry.player: CONTEXT.quantize(result(players, entry.place), SIXTEEN)
        for entry in fact.section.entries
        if entry.place is not None
    }
