"""§43–§67: a section rated, track by track and player by player; a list closed; a rating taken over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from ratings.law.facts import (
    Change,
    Fact,
    Key,
    ListClosing,
    Needs,
    Opening,
    Outcome,
    PlayerId,
    RatedSection,
    State,
)
from ratings.rulesets.csa.edition_2020.formulas import (
    EXPECTED_AS_EQUALS,
    EXPECTED_PER_POINT,
    FLOOR,
    LEAST_DIFFERENCE,
    MOST_DIFFERENCE,
    first_rating,
    k_factor,
    lifted,
    list_rating,
    newest,
    performance_rating,
    weight_performance,
    weights_in,
)
from ratings.rulesets.csa.edition_2020.section_tally import PENALTY, Survey, Tally, survey
from ratings.rulesets.csa.edition_2020.tracks import tracks_of
from ratings.rulesets.csa.law.standing import ZERO, CsaStanding, Performance, rounded

ONE = Decimal(1)
NOTHING_YET = CsaStanding()
made = tuple.__new__
"""A maker of named tuples without the detour by their own `__new__`: a re-rate makes millions of them."""


class TrackResult(NamedTuple):
    """The effect of a section on one player in one track, with all that a working shows of it."""

    k: Decimal
    expected: Decimal
    """§37: the expected score, summed over the games."""
    opposition: Decimal
    """The sum of the opponents' ratings, for the performance."""
    raw: Decimal | None
    """K × (score − expected), before clauses cut it; None while unrated."""
    change: Decimal | None
    """The points that become pending: after §47 and §68, less the penalties; None while unrated."""
    performance: Decimal | None
    """The performance in the section; None without a game."""
    first: Decimal | None
    """The first rating, where this section brings it; else None."""
    weight: Decimal | None
    """The weight performance, where there is one; else None."""
    after: CsaStanding
    points: Decimal | None


def needs(fact: Fact) -> frozenset[PlayerId] | Needs:
    """The players whose standings `apply` reads: a section's entrants; at a list, who has pending points."""
    if isinstance(fact, RatedSection):
        return frozenset(entry.player for entry in fact.section.entries)
    if isinstance(fact.fact, ListClosing):
        return Needs.DUE
    return frozenset((fact.fact.player,)) if isinstance(fact.fact, Opening) else frozenset()


def apply(state: State[CsaStanding], fact: Fact) -> Outcome[CsaStanding]:
    """The standings that a fact moves: by a section, every entrant's in each of its tracks (but D-CSA-18)."""
    if isinstance(fact, RatedSection):
        surveyed = survey(fact)
        tracks = tracks_of(fact.section)
        return Outcome([change for track in tracks for change in rate_track(state, surveyed, track)])
    if isinstance(fact.fact, ListClosing):
        return Outcome([close(state, key) for key in sorted(state.due)])
    if isinstance(fact.fact, Opening):
        return Outcome([take_over(state, fact.fact)])
    return Outcome([])


def rate_track(state: State[CsaStanding], surveyed: Survey, track: str) -> list[Change[CsaStanding]]:
    """The changes that a section makes in one of its tracks, entrant by entrant."""
    return [
        made(Change, (tally.player, track, before, reckoning.after, reckoning.points))
        for tally, (before, reckoning) in zip(
            surveyed.tallies, reckon_track(state, surveyed, track), strict=True
        )
        if tally.rated
    ]


def reckon_track(
    state: State[CsaStanding], surveyed: Survey, track: str
) -> Iterator[tuple[CsaStanding | None, TrackResult]]:
    """Each entrant's standing before the section, by which all are measured (D-5), and the section's effect
    on it.

    They come one by one: nobody looks at one again, and its memory serves for the next.
    """
    k, weights = k_factor(track, surveyed.minutes), weights_in(track)
    standings = [state.standings.get((tally.player, track)) for tally in surveyed.tallies]
    expected, opposition = measure(surveyed, standings)
    for before, tally, hoped, met in zip(standings, surveyed.tallies, expected, opposition, strict=True):
        yield before, reckon(before or NOTHING_YET, tally, hoped, met, k, weights, surveyed)


def performances(state: State[CsaStanding], fact: RatedSection, track: str) -> dict[PlayerId, Decimal]:
    """§32: each entrant's performance in one of a section's tracks; who has no game is left out."""
    surveyed = survey(fact)
    reckoned = reckon_track(state, surveyed, track)
    return {
        tally.player: reckoning.performance
        for tally, (_before, reckoning) in zip(surveyed.tallies, reckoned, strict=True)
        if reckoning.performance is not None
    }


def measured_at(tally: Tally, standing: CsaStanding | None) -> Decimal:
    """§36 §57 §58: the rating by which a player is measured: the official one, without what is pending
    (D-CSA-12), or what stands in for it.
    """
    return tally.stand_in if standing is None or standing.rating is None else standing.rating


def measure(surveyed: Survey, standings: Sequence[CsaStanding | None]) -> tuple[list[Decimal], list[Decimal]]:
    """§33 §35 §37: two lists in the order of the entrants: their expected scores, and the sums of their
    opponents' ratings.

    A re-rate spends its time in this loop, four turns for every game, so it has §37 and §38 within itself;
    `expected_score` is the same by itself, and a test holds the two together.
    """
    ratings = [
        tally.stand_in if standing is None or (rating := standing.rating) is None else rating
        for tally, standing in zip(surveyed.tallies, standings, strict=True)
    ]
    expected = [ZERO] * len(ratings)
    opposition = [ZERO] * len(ratings)
    for white, black in surveyed.pairings:
        white_rating, black_rating = ratings[white], ratings[black]
        difference = white_rating - black_rating
        if difference > MOST_DIFFERENCE:
            difference = MOST_DIFFERENCE
        elif difference < LEAST_DIFFERENCE:
            difference = LEAST_DIFFERENCE
        white_expected = EXPECTED_AS_EQUALS + EXPECTED_PER_POINT * difference
        expected[white] += white_expected
        expected[black] += ONE - white_expected
        opposition[white] += black_rating
        opposition[black] += white_rating
    return expected, opposition


def reckon(
    before: CsaStanding,
    tally: Tally,
    expected: Decimal,
    opposition: Decimal,
    k: Decimal,
    weights: Mapping[str, int],
    surveyed: Survey,
) -> TrackResult:
    """Work out one player's section in one track: performance, change or first rating, weight performance
    (D-CSA-11).
    """
    rating, pending, games, activity, score, collected, performances = before
    _player, _rated, _stand_in, played, scored, active, penalties, _first, _every_round = tally
    raw = change = performance = first = weight = None
    games += played
    if played:
        performance = performance_rating(opposition, scored, played)
        if played >= surveyed.to_qualify:
            latest = Performance(surveyed.ends, surveyed.fact.place, surveyed.kind, performance)
            performances = newest(performances, latest)
    if rating is None:
        score, collected = score + scored, collected + opposition
        official = first = first_rating(collected, score, games)
        if first is not None:
            score = collected = ZERO
    else:
        raw = k * (scored - expected)
        change = rounded(counted(raw, tally, surveyed))
        if penalties:
            change -= PENALTY * len(penalties)
        pending += change
        official = rating
    if played and official is not None:
        weight = weight_performance(performances, surveyed.fact.on, weights)
        official = lifted(official, weight)
    after = made(CsaStanding, (official, pending, games, activity + active, score, collected, performances))
    points = None if rating is None or official is None or change is None else change + (official - rating)
    return made(
        TrackResult, (k, expected, opposition, raw, change, performance, first, weight, after, points)
    )


def counted(raw: Decimal, tally: Tally, surveyed: Survey) -> Decimal:
    """§47 §48 §49 §68 §69: the part of a player's change `raw` that counts.

    A gain needs four fifths of the rounds; a loss falls away for a winner who played them all. Neither in
    team sections. Penalties are another matter.
    """
    if raw > ZERO and tally.games < surveyed.to_gain:
        return ZERO
    if raw < ZERO and is_protected(tally, surveyed):
        return ZERO
    return raw


def is_protected(tally: Tally, surveyed: Survey) -> bool:
    """§68 §69: whether a player's loss falls away: first, with a game in every round, not in a team section
    (D-CSA-13).
    """
    return tally.every_round and not surveyed.fact.section.team


def close(state: State[CsaStanding], key: Key) -> Change[CsaStanding]:
    """§67: the change of one standing when a list takes in what is pending. Its points are none but those
    that the floor gives (§45).
    """
    before = state.standings[key]
    official, pending, games, activity, _score, _opposition, performances = before
    assert official is not None  # nothing else is ever due
    rating = list_rating(official, pending)
    after = made(CsaStanding, (rating, ZERO, games, activity, ZERO, ZERO, performances))
    return made(Change, (*key, before, after, rating - official - pending))


def take_over(state: State[CsaStanding], opening: Opening) -> Change[CsaStanding]:
    """The change by which a rating of the list before the record becomes the official one (D-CSA-12), at
    least the floor (§45).
    """
    rating = max(FLOOR, rounded(opening.rating))
    after = CsaStanding(rating, games=opening.games, activity=opening.games)
    return Change(opening.player, opening.track, state.get(opening.player, opening.track), after, None)
