"""Rating lists (§25–§28, §67), pre-ratings (§16, §36, §58, §59), tallies (§47–§53, §68–§69), the effect of
sections, lists and openings (§43–§69), and tables of performances (§40, §47, §49).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from math import ceil
from typing import NamedTuple

from ratings.rulesets.csa.edition_2020.formulas import (
    EXPECTED_AS_EQUALS,
    EXPECTED_PER_POINT,
    FIRST_RATING_GAMES,
    FLOOR,
    LEAST_DIFFERENCE,
    MOST_DIFFERENCE,
    WEIGHT_DAYS,
    add_pending_points,
    add_performance,
    compute_weight_performance,
    days_left,
    fastest_minutes,
    first_rating,
    is_abroad,
    is_rated,
    k_factor,
    kind_of,
    kind_weights,
    lift_rating,
    performance_rating,
    tracks_of,
)
from ratings.rulesets.csa.parameters import NUMBERS
from ratings.rulesets.csa.standing import ZERO, CsaStanding, Performance, round_kept
from ratings.rulesets.facts import (
    FORFEITS,
    HALVES,
    Answer,
    Change,
    Counts,
    Entry,
    Fact,
    Game,
    ListClosing,
    ListedPlayer,
    Measured,
    Needs,
    Opening,
    Outcome,
    PlayerId,
    Prediction,
    RatedSection,
    RuleTable,
    Scoring,
    Section,
    StandingKey,
    State,
    WorkingStep,
    ranked,
)

# ---- §25–§28, §67: rating lists and answers
SHOWN_DECIMALS = 1  # §28
SHOWN = Decimal(1).scaleb(-SHOWN_DECIMALS)


def shown_rating(rating: Decimal) -> Decimal:
    """§28: a rating with one decimal, as people see it (D-CSA-17)."""
    return rating.quantize(SHOWN, ROUND_HALF_UP)


def rating_list(state: State[CsaStanding], track: str, on: date) -> list[ListedPlayer]:
    """The list of a track: all players with a rating, best first; equal shown ratings share a rank."""
    rated = (
        (player, standing.rating, standing.games, "rated")
        for (player, of_track), standing in state.standings.items()
        if of_track == track and standing.rating is not None
    )
    return ranked(rated, shown_rating)


def answers(state: State[CsaStanding], on: date) -> Iterator[Answer]:
    """The answers of a replay for every standing; all players with a rating are listed."""
    for (player, track), standing in state.standings.items():
        rated = standing.rating is not None
        yield Answer(
            player=player,
            track=track,
            status="rated" if rated else "unrated",
            rating=standing.rating,
            games=standing.games,
            listed=rated,
            further={"pending": standing.pending},
        )


def listed_steps(
    state: State[CsaStanding], player: PlayerId, track: str, on: date
) -> tuple[WorkingStep, ...]:
    """§54: the step that says whether a player is on the list: from the tenth game on, for good."""
    standing = state.get(player, track) or CsaStanding()
    if standing.rating is not None:
        return (WorkingStep("54", "stays-listed", {}),)
    inputs = {"games": standing.games, "needed": FIRST_RATING_GAMES}
    return (WorkingStep("54", "not-yet-listed", inputs, FIRST_RATING_GAMES - standing.games),)


def activity_step(state: State[CsaStanding], player: PlayerId, track: str) -> WorkingStep | None:
    """§50 §53: the step with a player's activity in a track; None for a player without any standing there."""
    standing = state.get(player, track)
    if standing is None:
        return None
    inputs = {"games": standing.games, "unplayed": standing.activity - standing.games}
    return WorkingStep("53", "activity", inputs, standing.activity)


def tables(state: State[CsaStanding], on: date) -> list[RuleTable]:
    """No tables: these rules give ratings alone."""
    return []


# ---- §16, §36, §58, §59: pre-ratings
PRE_RATINGS: list[tuple[int, int, int]]
ADULT_PRE_RATINGS: list[int]
*PRE_RATINGS, (_adult, *ADULT_PRE_RATINGS) = NUMBERS.rows("59.pre-ratings")
"""§59: ages up to which the pre-ratings of the two columns hold; §59.9: those of adults."""
PRE_RATING_VALUES = tuple(
    sorted({*ADULT_PRE_RATINGS, *(value for _age, *row in PRE_RATINGS for value in row)})
)
"""The values that a pre-rating can have."""
DEFAULT_PRE_RATING = ADULT_PRE_RATINGS[0]
"""D-CSA-19: the pre-rating of a player for whom none was ever stated."""


def pre_rating_of(birth_year: int | None, sex: str | None, section: Section) -> int:
    """§16 §58: the pre-rating in a section by year of birth and sex; None: not known (D-CSA-19)."""
    return pre_rating_by_age(None if birth_year is None else section.starts.year - birth_year, sex)


def pre_rating_by_age(age: int | None, sex: str | None) -> int:
    """§59: the pre-rating by age and sex; where these are not known, Adult and the first column (D-CSA-5)."""
    column = 1 if sex == "f" else 0
    if age is not None:
        for age_to, *row in PRE_RATINGS:
            if age <= age_to:
                return row[column]
    return ADULT_PRE_RATINGS[column]


def takes_filed_rating(section: Section, entry: Entry) -> bool:
    """D-CSA-6: whether an entrant without a rating is taken at the one in the file, which is so abroad."""
    return bool(entry.rating) and is_abroad(section)


def stand_in_rating(fact: RatedSection, entry: Entry) -> Decimal:
    """§36 §58: the rating used for an entrant without one: abroad, the one in the file (D-CSA-6), else the
    pre-rating in the entry or the last one stated before (D-CSA-19).
    """
    if takes_filed_rating(fact.section, entry):
        return Decimal(entry.rating or 0)
    return Decimal(fact.pres.get(entry.player, DEFAULT_PRE_RATING) if entry.pre is None else entry.pre)


# ---- §47–§53, §68–§69: the tally of a section, the same for all tracks
SHARE_TO_GAIN = NUMBERS.decimal("47.share")  # §47
SHARE_IN_TEAM_EVENT = NUMBERS.decimal("49.share")  # §49
PENALTY_POINTS = NUMBERS.whole("51.points")  # §51 §52
PENALTY_FREE_ROUND = 1  # §51

SCORING = Scoring(  # D-CSA-13
    byes={"pairing": Decimal(1), "full": Decimal(1), "half": Decimal("0.5"), "zero": Decimal(0)}
)
"""The points of games and byes that decide places."""
BYE_HALVES = {kind: int(2 * points) for kind, points in SCORING.byes.items()}
HALF = Decimal("0.5")


class Penalty(NamedTuple):
    """A penalty of 20 points for one round (D-CSA-10)."""

    round: int
    clause: str
    """`51`: lost by forfeit; `52`: withdrew without notice."""


class Tally(NamedTuple):
    """One entrant's games and points in a section, counted once for all tracks."""

    player: PlayerId
    rated: bool
    """Whether the section moves this entrant's ratings (D-CSA-18)."""
    stand_in: Decimal
    """The rating used for the entrant in tracks without one."""
    games: int
    """§50: the number of played games, without forfeits and byes."""
    score: Decimal
    """§32: the points from the played games."""
    qualified: bool
    """§47 §49: whether the games are enough for a qualified performance."""
    activity: int
    """§53: the played games, allocated byes and forfeit wins."""
    penalties: tuple[Penalty, ...]
    first: bool
    """§68: whether the entrant came first, alone or shared."""
    every_round: bool
    """§68: whether the entrant came first, with a played game in every scheduled round."""


class Survey(NamedTuple):
    """The counts of a rated section that are the same for all its tracks."""

    fact: RatedSection
    ends: int
    """The section's last day, as `date.toordinal` counts."""
    minutes: Decimal
    kind: str
    tallies: tuple[Tally, ...]
    """In the order of the entries."""
    pairings: tuple[tuple[int, int], ...]
    """White and black of each played game, as indexes of entries."""
    to_gain: int
    """§47: the least number of games for a gain; 0 in a team section (§49)."""
    to_qualify: int
    """§47 §49: the least number of games for a qualified performance."""


def games_needed(share: Decimal, rounds: int) -> int:
    """§47 §49: the number of games that is a share of the scheduled rounds, rounded up (D-CSA-9)."""
    return ceil(share * rounds)


def played_every_round(section: Section, player: PlayerId) -> bool:
    """§68: whether a player has a played game in each scheduled round."""
    rounds = {
        game.round for game in section.games if player in (game.first, game.second) and game.result in HALVES
    }
    return rounds.issuperset(range(1, section.rounds + 1))


def forfeited_rounds(games: Sequence[Game]) -> tuple[dict[PlayerId, list[int]], dict[PlayerId, set[int]]]:
    """§51: the rounds that each player lost by forfeit without an excuse, and with one."""
    lost: dict[PlayerId, list[int]] = defaultdict(list)
    excused: dict[PlayerId, set[int]] = defaultdict(set)
    for game in games:
        if game.result not in FORFEITS:
            continue
        for side, player, won in zip(("first", "second"), game[1:3], FORFEITS[game.result], strict=True):
            if won:
                continue
            if game.excused in (side, "both"):
                excused[player].add(game.round)
            else:
                lost[player].append(game.round)
    return lost, excused


def penalties(
    entry: Entry, lost_rounds: Sequence[int], excused_rounds: set[int], rounds: int
) -> tuple[Penalty, ...]:
    """§51 §52: an entrant's penalties: for each forfeit after round 1, and each round since an unexcused
    withdrawal, none twice (D-CSA-10).

    `lost_rounds`, `excused_rounds`: the rounds of the entrant's forfeits. A withdrawal with notice excuses
    later rounds, and an excused forfeit its own.
    """
    left = entry.left
    if left is None and not lost_rounds:
        return ()
    notified = left is not None and left.notified
    gone = set(range(left.round, rounds + 1)) if left else set()
    withdrawn = set() if notified else gone - excused_rounds
    settled = gone if notified else withdrawn
    charged = [Penalty(number, "52") for number in withdrawn]
    charged += [
        Penalty(number, "51")
        for number in lost_rounds
        if number > PENALTY_FREE_ROUND and number not in settled
    ]
    return tuple(sorted(charged))


def points_lost(penalties: Sequence[Penalty]) -> Decimal:
    """§51 §52: the points that penalties cost."""
    return Decimal(PENALTY_POINTS * len(penalties))


def survey_section(fact: RatedSection) -> Survey:
    """Count what depends on no rating in a rated section."""
    section = fact.section
    entry_index = {entry.player: number for number, entry in enumerate(section.entries)}
    # §50 §53.1 §53.3: games, half points and activity (D-CSA-15); of byes, those that the pairing allocated
    # count as activity (§53.2). `total` is the score with forfeits and byes, which decides places (D-CSA-13).
    pairings, unplayed = [], []
    games, halves = [0] * len(entry_index), [0] * len(entry_index)
    for game in section.games:
        _round, first, second, result, _excused = game
        points = HALVES.get(result)
        if points is None:
            unplayed.append(game)
        else:
            white, black = entry_index[first], entry_index[second]
            pairings.append((white, black))
            games[white] += 1
            games[black] += 1
            halves[white] += points[0]
            halves[black] += points[1]
    activity, total = games.copy(), halves.copy()
    for game in unplayed:
        for player, won in zip((game.first, game.second), FORFEITS.get(game.result, ()), strict=False):
            total[entry_index[player]] += 2 * won
            activity[entry_index[player]] += won
    for bye in section.byes:
        total[entry_index[bye.player]] += BYE_HALVES[bye.kind]
        activity[entry_index[bye.player]] += bye.kind == "pairing"
    best = max(total, default=0)
    lost, excused = forfeited_rounds(unplayed)
    to_qualify = games_needed(SHARE_IN_TEAM_EVENT if section.team else SHARE_TO_GAIN, section.rounds)
    tallies = []
    for number, entry in enumerate(section.entries):
        player = entry.player
        charged: tuple[Penalty, ...] = ()
        if entry.left or player in lost:
            charged = penalties(entry, lost.get(player, ()), excused.get(player, set()), section.rounds)
        tallies.append(
            Tally(
                player=player,
                rated=is_rated(fact.players[player], section),
                stand_in=stand_in_rating(fact, entry),
                games=games[number],
                score=HALF * halves[number],
                qualified=games[number] >= to_qualify,
                activity=activity[number],
                penalties=charged,
                first=total[number] == best,
                every_round=total[number] == best and played_every_round(section, player),
            )
        )
    minutes = fastest_minutes(section)
    return Survey(
        fact=fact,
        ends=section.ends.toordinal(),
        minutes=minutes,
        kind=kind_of(minutes),
        tallies=tuple(tallies),
        pairings=tuple(pairings),
        to_gain=0 if section.team else games_needed(SHARE_TO_GAIN, section.rounds),
        to_qualify=to_qualify,
    )


# ---- §43–§69: the effect of a fact
ONE = Decimal(1)
NO_STANDING = CsaStanding()
make_tuple = tuple.__new__
"""Makes named tuples faster than their own `__new__`, because a re-rate makes millions of them."""


class TrackResult(NamedTuple):
    """The effect of a section on one player in one track, with the values that a working shows."""

    k: Decimal
    expected: Decimal
    """§37: the sum of the expected scores."""
    opposition: Decimal
    """The sum of the opponents' ratings."""
    raw: Decimal | None
    """K × (score − expected), before §47 and §68 cut it; None while unrated."""
    change: Decimal | None
    """The points that become pending: after §47 and §68, less the penalties; None while unrated."""
    performance: Decimal | None
    """None without a game."""
    first: Decimal | None
    """The first rating, if this section brings it."""
    weight: Decimal | None
    """The weight performance, if there is one."""
    after: CsaStanding
    points: Decimal | None


def needs(fact: Fact) -> frozenset[PlayerId] | Needs:
    """The players whose standings `apply` reads: the entrants; at a list, those with pending points."""
    if isinstance(fact, RatedSection):
        return frozenset(entry.player for entry in fact.section.entries)
    if isinstance(fact.fact, ListClosing):
        return Needs.DUE
    return frozenset((fact.fact.player,)) if isinstance(fact.fact, Opening) else frozenset()


def apply(state: State[CsaStanding], fact: Fact) -> Outcome[CsaStanding]:
    """The changes that a fact makes: a section's, to every entrant in each of its tracks (but D-CSA-18)."""
    if isinstance(fact, RatedSection):
        surveyed = survey_section(fact)
        tracks = tracks_of(fact.section)
        return Outcome([change for track in tracks for change in rate_track(state, surveyed, track)])
    if isinstance(fact.fact, ListClosing):
        return Outcome([change_by_list(state, key) for key in sorted(state.due)])
    if isinstance(fact.fact, Opening):
        return Outcome([apply_opening(state, fact.fact)])
    return Outcome([])


def rate_track(state: State[CsaStanding], surveyed: Survey, track: str) -> list[Change[CsaStanding]]:
    """The changes that a section makes in one of its tracks."""
    return [
        make_tuple(Change, (tally.player, track, before, result.after, result.points))
        for tally, (before, result) in zip(
            surveyed.tallies, track_results(state, surveyed, track), strict=True
        )
        if tally.rated
    ]


def track_results(
    state: State[CsaStanding], surveyed: Survey, track: str
) -> Iterator[tuple[CsaStanding | None, TrackResult]]:
    """Each entrant's standing before the section, by which all are measured (D-5), and result.

    A generator, because no result is read twice, and each can reuse the memory of the one before.
    """
    k, weights = k_factor(track, surveyed.minutes), kind_weights(track)
    standings = [state.standings.get((tally.player, track)) for tally in surveyed.tallies]
    for before, tally, expected, opposition in zip(
        standings, surveyed.tallies, *sum_expected_and_opposition(surveyed, standings), strict=True
    ):
        standing = before or NO_STANDING
        yield before, compute_result(standing, tally, expected, opposition, k, weights, surveyed)


def compute_performances(
    state: State[CsaStanding], fact: RatedSection, track: str
) -> dict[PlayerId, Decimal]:
    """§32: the performance of each entrant with a game in one of a section's tracks."""
    surveyed = survey_section(fact)
    return {
        tally.player: result.performance
        for tally, (_before, result) in zip(
            surveyed.tallies, track_results(state, surveyed, track), strict=True
        )
        if result.performance is not None
    }


def effective_rating(tally: Tally, standing: CsaStanding | None) -> Decimal:
    """§36 §57 §58: the official rating, without pending points (D-CSA-12), or what stands in for it."""
    return tally.stand_in if standing is None or standing.rating is None else standing.rating


def sum_expected_and_opposition(
    surveyed: Survey, standings: Sequence[CsaStanding | None]
) -> tuple[list[Decimal], list[Decimal]]:
    """§33 §35 §37: each entrant's expected score and sum of opponents' ratings, in the order of the entries.

    The loop repeats `effective_rating` and `expected_score` (§37 §38) inline, because a re-rate spends its
    time here; a test compares them.
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


def compute_result(
    before: CsaStanding,
    tally: Tally,
    expected: Decimal,
    opposition: Decimal,
    k: Decimal,
    weights: Mapping[str, int],
    surveyed: Survey,
) -> TrackResult:
    """Compute one player's performance, change or first rating, and weight performance (D-CSA-11)."""
    rating, pending, games, activity, score, collected, performances = before
    _player, _rated, _stand_in, played, scored, qualified, active, penalties, _first, _every_round = tally
    raw = change = performance = first = weight = None
    games += played
    if played:
        performance = performance_rating(opposition, scored, played)
        if qualified:
            latest = Performance(surveyed.ends, surveyed.fact.place, surveyed.kind, performance)
            performances = add_performance(performances, latest)
    if rating is None:
        score, collected = score + scored, collected + opposition
        official = first = first_rating(collected, score, games)
        if first is not None:
            score = collected = ZERO
    else:
        raw = k * (scored - expected)
        change = round_kept(drop_uncounted_change(raw, tally, surveyed))
        if penalties:
            change -= points_lost(penalties)
        pending += change
        official = rating
    if played and official is not None:
        weight = compute_weight_performance(performances, surveyed.fact.on, weights)
        official = lift_rating(official, weight)
    after = make_tuple(
        CsaStanding, (official, pending, games, activity + active, score, collected, performances)
    )
    points = None if rating is None or official is None or change is None else change + (official - rating)
    return make_tuple(
        TrackResult, (k, expected, opposition, raw, change, performance, first, weight, after, points)
    )


def drop_uncounted_change(raw: Decimal, tally: Tally, surveyed: Survey) -> Decimal:
    """§47 §48 §49 §68 §69: the part of a player's change that counts, before penalties.

    Except in team sections, a gain needs games in four fifths of the rounds, and a winner with a game in each
    round loses nothing.
    """
    if raw > ZERO and tally.games < surveyed.to_gain:
        return ZERO
    if raw < ZERO and is_protected(tally, surveyed):
        return ZERO
    return raw


def is_protected(tally: Tally, surveyed: Survey) -> bool:
    """§68 §69: whether a player loses nothing: first with a game in every round, no team event (D-CSA-13)."""
    return tally.every_round and not surveyed.fact.section.team


def change_by_list(state: State[CsaStanding], key: StandingKey) -> Change[CsaStanding]:
    """§67: the change by which a list adds pending points. Its own points are those of the floor (§45)."""
    before = state.standings[key]
    official, pending, games, activity, _score, _opposition, performances = before
    assert official is not None  # nothing else is ever due
    rating = add_pending_points(official, pending)
    after = make_tuple(CsaStanding, (rating, ZERO, games, activity, ZERO, ZERO, performances))
    return make_tuple(Change, (*key, before, after, rating - official - pending))


def apply_opening(state: State[CsaStanding], opening: Opening) -> Change[CsaStanding]:
    """The change by which an opening becomes the official rating (D-CSA-12), at least the floor (§45)."""
    rating = max(FLOOR, round_kept(opening.rating))
    after = CsaStanding(rating, games=opening.games, activity=opening.games)
    return Change(opening.player, opening.track, state.get(opening.player, opening.track), after, None)


# ---- Measures of these rules
def measure(
    state: State[CsaStanding], fact: Fact, changes: Sequence[Change[CsaStanding]]
) -> Iterator[Measured]:
    """§35 §37: the expected score of each game, by ratings or pre-ratings, and the points by clause: of games
    (§29), not counted (§47 §68), penalties (§51), rises (§44), the floor (§45), first ratings (§54), ratings
    taken over (D-CSA-12); and the performances for the Grand Prix (§47 §49).
    """
    if not isinstance(fact, RatedSection):
        clause = "45" if isinstance(fact.fact, ListClosing) else "D-CSA-12"
        for _player, track, _before, after, points in changes:
            amount = after.rating if points is None else points
            if amount:
                yield Measured(track, (), ((clause, float(amount)),))
        return
    surveyed = survey_section(fact)
    scores = [HALVES[game.result] for game in fact.section.games if game.result in HALVES]
    games = [(*pair, *halves) for pair, halves in zip(surveyed.pairings, scores, strict=True)]
    ids = [tally.player for tally in surveyed.tallies]
    changed = {(change.track, change.player): change for change in changes}
    even, slope = float(EXPECTED_AS_EQUALS), float(EXPECTED_PER_POINT)
    least, most = float(LEAST_DIFFERENCE), float(MOST_DIFFERENCE)
    for track in tracks_of(fact.section):
        standings = [state.standings.get((tally.player, track)) for tally in surveyed.tallies]
        ratings = [float(effective_rating(*each)) for each in zip(surveyed.tallies, standings, strict=True)]
        expected, predictions = [0.0] * len(ratings), list[Prediction]()
        for white, black, won, lost in games:
            own, other = ratings[white], ratings[black]
            white_expected = even + slope * max(least, min(most, own - other))
            expected[white] += white_expected
            expected[black] += 1 - white_expected
            if won or lost:
                values = ids[white], ids[black], own, other, white_expected, won / 2
                predictions.append(make_tuple(Prediction, values))
        k = float(k_factor(track, surveyed.minutes))
        changes_here = [changed.get((track, player)) for player in ids]
        sums = points_by_clause(surveyed.tallies, expected, changes_here, k)
        performances = [
            (tally.player, float(performance.value))
            for tally, change in zip(surveyed.tallies, changes_here, strict=True)
            if change is not None and tally.qualified
            for performance in change.after.performances
            if performance.number == fact.place
        ]
        yield Measured(track, predictions, tuple(sums.items()), performances)


def points_by_clause(
    tallies: Sequence[Tally],
    expected: Sequence[float],
    changes: Sequence[Change[CsaStanding] | None],
    k: float,
) -> dict[str, float]:
    """The points of a section in one track by clause, as `measure` returns them."""
    sums: dict[str, float] = defaultdict(float)
    for tally, hoped, change in zip(tallies, expected, changes, strict=True):
        if change is None or change.after.rating is None:
            continue
        if change.before is None or change.before.rating is None or change.points is None:
            sums["54"] += float(change.after.rating)
            continue
        rise = float(change.after.rating - change.before.rating)
        lost = float(points_lost(tally.penalties))
        by_games = k * (float(tally.score) - hoped)
        sums["29"] += by_games
        sums["47" if by_games > 0 else "68"] += float(change.points) - rise + lost - by_games
        sums["51"] -= lost
        sums["44"] += rise
    return sums


# ---- §40, §47, §49: tables of performances
SECTION_COLUMNS = (
    "player",
    "performed",
    "games-played",
    "games-needed",
    "rounds-scheduled",
    "for-the-grand-prix",
    "clause",
)
COUNTS_COLUMNS = ("line", "ended", "kind-of-games", "performed", "days-ago", "age-factor")
FOUR_PLACES = Decimal("0.0001")


def section_performances(state: State[CsaStanding], fact: RatedSection, track: str) -> RuleTable | None:
    """§32 §47 §49: the performances in a section for the Grand Prix, best first (D-CSA-9, D-CSA-18); None if
    the section does not move the track.
    """
    section = fact.section
    if track not in tracks_of(section):
        return None
    surveyed = survey_section(fact)
    clause = "49" if section.team else "47"
    rows = [
        (
            tally.player,
            shown_rating(result.performance),
            tally.games,
            surveyed.to_qualify,
            section.rounds,
            "counts-yes" if tally.qualified else "counts-no",
            clause,
        )
        for tally, (_before, result) in zip(
            surveyed.tallies, track_results(state, surveyed, track), strict=True
        )
        if tally.rated and result.performance is not None
    ]
    rows.sort(key=lambda row: (-row[1], row[0]))
    return RuleTable("performances", SECTION_COLUMNS, tuple(rows), answered=False, about="performances-about")


def counting_performances(state: State[CsaStanding], player: PlayerId, track: str, on: date) -> Counts | None:
    """§39 §40: the performances that count for a player on a day, with age factors; None without any."""
    standing = state.get(player, track)
    young = [each for each in standing.performances if days_left(each, on) >= 0] if standing else []
    if not young:
        return None
    rows = []
    for each in young:
        left = days_left(each, on)
        age = (Decimal(left) / WEIGHT_DAYS).quantize(FOUR_PLACES, ROUND_HALF_UP)
        rows.append((each.number, each.ends, each.kind, shown_rating(each.value), WEIGHT_DAYS - left, age))
    return Counts(RuleTable("counts", COUNTS_COLUMNS, tuple(rows), answered=False))
