"""§43–§69: a section rated, track by track and player by player; a list closed; a rating taken over.

Before that stand the lists for readers (§25–§28, §67), pre-ratings (§16, §36, §58, §59) and the tally of a
section (§47–§53, §68–§69); at the end, the performances that count (§40, §47, §49).
"""

from __future__ import annotations

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
    abroad,
    days_left,
    first_rating,
    is_rated,
    k_factor,
    kind_of,
    lifted,
    list_rating,
    newest,
    performance_rating,
    time_of,
    tracks_of,
    weight_performance,
    weights_in,
)
from ratings.rulesets.csa.edition_2020.standing import ZERO, CsaStanding, Performance, rounded
from ratings.rulesets.facts import (
    FORFEITS,
    HALVES,
    Answer,
    Bye,
    Change,
    Counts,
    Entry,
    Fact,
    Game,
    Key,
    ListClosing,
    ListedPlayer,
    Needs,
    Opening,
    Outcome,
    PlayerId,
    RatedSection,
    RuleTable,
    Scoring,
    Section,
    State,
    WorkingStep,
    ranked,
)

# ---- §25–§28, §67: the standings for readers: the rating list of a track, and a replay's answers.
SHOWN_DECIMALS = 1  # §28
SHOWN = Decimal(1).scaleb(-SHOWN_DECIMALS)


def shown_rating(rating: Decimal) -> Decimal:
    """§28: a rating as people see it, with one decimal (D-CSA-17)."""
    return rating.quantize(SHOWN, ROUND_HALF_UP)


def rating_list(state: State[CsaStanding], track: str, on: date) -> list[ListedPlayer]:
    """The list of a track: everyone with a rating, best first; who shows the same rating shares the rank."""
    rated = (
        (player, standing.rating, standing.games, "rated")
        for (player, of_track), standing in state.standings.items()
        if of_track == track and standing.rating is not None
    )
    return ranked(rated, shown_rating)


def answers(state: State[CsaStanding], on: date) -> Iterator[Answer]:
    """The answers of a replay for every standing; on the list is whoever has a rating."""
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
    """§54: what puts a player on the list of a track: a rating, from the tenth game on; nothing in the text
    takes anybody off.
    """
    standing = state.get(player, track) or CsaStanding()
    if standing.rating is not None:
        return (WorkingStep("54", "stays-listed", {}),)
    inputs = {"games": standing.games, "needed": FIRST_RATING_GAMES}
    return (WorkingStep("54", "not-yet-listed", inputs, FIRST_RATING_GAMES - standing.games),)


def tables(state: State[CsaStanding], on: date) -> list[RuleTable]:
    """No tables: these rules yield ratings alone."""
    return []


# ---- §16, §36, §58, §59: pre-ratings: the ratings at which players without a rating are taken.
PRE_RATINGS = (
    # age to, open, female
    (6, 400, 200),  # §59.1
    (8, 500, 300),  # §59.2
    (10, 600, 400),  # §59.3
    (12, 700, 500),  # §59.4
    (14, 800, 600),  # §59.5
    (16, 900, 700),  # §59.6
    (18, 1000, 800),  # §59.7
    (20, 1100, 900),  # §59.8
)
ADULT = (1200, 1000)  # §59.9
PRE_VALUES = tuple(sorted({*ADULT, *(value for _age, *row in PRE_RATINGS for value in row)}))
"""The values that a pre-rating can have."""
UNSTATED = ADULT[0]
"""D-CSA-19: the pre-rating of somebody of whom none was ever stated."""


def pre_rating_of(born: int | None, sex: str | None, section: Section) -> int:
    """§16 §58: the pre-rating in a section of somebody born in that year; None: not known (D-CSA-19)."""
    return pre_rating(None if born is None else section.starts.year - born, sex)


def pre_rating(age: int | None, sex: str | None) -> int:
    """§59: the pre-rating by age and sex; for what is not known, Adult, first column (D-CSA-5)."""
    column = 1 if sex == "f" else 0
    if age is not None:
        for age_to, *row in PRE_RATINGS:
            if age <= age_to:
                return row[column]
    return ADULT[column]


def pre_of(fact: RatedSection, entry: Entry) -> int:
    """§58: an entrant's pre-rating: the one in the entry, else the last one stated before (D-CSA-19)."""
    return fact.pres.get(entry.player, UNSTATED) if entry.pre is None else entry.pre


def stand_in(fact: RatedSection, entry: Entry) -> Decimal:
    """§36 §58: the rating at which an entrant without a rating is taken: the pre-rating; abroad, the one in
    the file (D-CSA-6).
    """
    if entry.rating and abroad(fact.section):
        return Decimal(entry.rating)
    return Decimal(pre_of(fact, entry))


# ---- §47–§53, §68–§69: the tally of a section for each entrant, whatever the track.
SHARE_TO_GAIN = Decimal("0.8")  # §47
SHARE_OF_A_TEAM = Decimal("0.5")  # §49
PENALTY = 20  # §51 §52
PENALTY_FREE_ROUND = 1  # §51

SCORING = Scoring(  # D-CSA-13
    byes={"pairing": Decimal(1), "full": Decimal(1), "half": Decimal("0.5"), "zero": Decimal(0)}
)
"""The points of games and byes by which places go; the pages of sections show the same."""
BYE_HALVES = {kind: int(2 * points) for kind, points in SCORING.byes.items()}
HALF = Decimal("0.5")


class Penalty(NamedTuple):
    """A penalty of 20 points for one round (D-CSA-10)."""

    round: int
    clause: str
    """`51`: lost by forfeit; `52`: withdrew without notice."""


class Tally(NamedTuple):
    """One entrant's part in a section, counted once for all tracks."""

    player: PlayerId
    rated: bool
    """Whether the section moves this entrant's ratings (D-CSA-18)."""
    stand_in: Decimal
    """The rating at which the entrant is taken in a track without a rating."""
    games: int
    """§50: the number of played games, without forfeits and byes."""
    score: Decimal
    """§32: the points from the played games."""
    activity: int
    """§53: the played games, allocated byes and forfeit wins."""
    penalties: tuple[Penalty, ...]
    first: bool
    """§68: whether the entrant came first, alone or shared."""
    every_round: bool
    """§68: whether the entrant came first with a played game in every scheduled round; False for
    all others.
    """


class Survey(NamedTuple):
    """A rated section, counted out once for all its tracks."""

    fact: RatedSection
    ends: int
    """The section's last day, as `date.toordinal` counts."""
    minutes: Decimal
    kind: str
    tallies: tuple[Tally, ...]
    """A tally for each entrant, in the order of the entries."""
    pairings: tuple[tuple[int, int], ...]
    """White and black of each played game, by their index among the entries."""
    to_gain: int
    """§47: the number of games without which no rating is gained; 0 in a team section (§49)."""
    to_qualify: int
    """§47 §49: the number of games without which a performance does not qualify."""


class SectionScores(NamedTuple):
    """The counts of a section's games and byes; each list has a number for each entrant, in the order of the
    entries.
    """

    pairings: tuple[tuple[int, int], ...]
    """White and black of each played game, by their index among the entries."""
    games: list[int]
    """The number of played games."""
    halves: list[int]
    """The score in half points from played games."""
    activity: list[int]
    """§53: played games, allocated byes and forfeit wins."""
    total: list[int]
    """The score in half points from everything, by which places go (D-CSA-13)."""
    unplayed: list[Game]
    """The games without play: forfeits and annulled ones."""


def games_needed(share: Decimal, rounds: int) -> int:
    """§47 §49: the number of games that makes a share of the scheduled rounds, rounded up (D-CSA-9)."""
    return ceil(share * rounds)


def count_games(section: Section, place: Mapping[PlayerId, int]) -> SectionScores:
    """§50 §53.1 §53.3: count every entrant's games, half points and activity (D-CSA-15). `place`: each
    entrant's index among the entries.
    """
    pairings, unplayed = [], []
    games, halves = [0] * len(place), [0] * len(place)
    for game in section.games:
        _round, first, second, result, _excused = game
        points = HALVES.get(result)
        if points is None:
            unplayed.append(game)
        else:
            white, black = place[first], place[second]
            pairings.append((white, black))
            games[white] += 1
            games[black] += 1
            halves[white] += points[0]
            halves[black] += points[1]
    played = SectionScores(tuple(pairings), games, halves, games.copy(), halves.copy(), unplayed)
    for game in unplayed:
        for player, won in zip((game.first, game.second), FORFEITS.get(game.result, ()), strict=False):
            count_unplayed(played, place[player], 2 if won else 0, active=won)
    for bye in section.byes:
        count_unplayed(played, place[bye.player], BYE_HALVES[bye.kind], active=counts_as_activity(bye))
    return played


def count_unplayed(played: SectionScores, place: int, halves: int, *, active: bool) -> None:
    played.total[place] += halves
    played.activity[place] += active


def counts_as_activity(bye: Bye) -> bool:
    """§53.2: whether a bye counts as activity: only one that the pairing allocated does."""
    return bye.kind == "pairing"


def played_every_round(section: Section, player: PlayerId) -> bool:
    """§68: whether a player has a played game in each scheduled round."""
    rounds = {
        game.round for game in section.games if player in (game.first, game.second) and game.result in HALVES
    }
    return rounds.issuperset(range(1, section.rounds + 1))


def forfeits(games: Sequence[Game]) -> tuple[dict[PlayerId, list[int]], dict[PlayerId, set[int]]]:
    """§51: the rounds that each player lost by forfeit without an excuse, and those with one."""
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


def penalties(entry: Entry, lost: Sequence[int], excused: set[int], rounds: int) -> tuple[Penalty, ...]:
    """§51 §52: an entrant's penalties: one for each forfeit after round 1, and for each round since an
    unexcused withdrawal, none twice (D-CSA-10).

    `lost`, `excused`: the rounds of the entrant's forfeits. Whoever left with notice owes nothing from there
    on; a round whose forfeit was excused is never charged.
    """
    left = entry.left
    if left is None and not lost:
        return ()
    notified = left is not None and left.notified
    gone = set(range(left.round, rounds + 1)) if left else set()
    withdrawn = set() if notified else gone - excused
    settled = gone if notified else withdrawn
    charged = [Penalty(number, "52") for number in withdrawn]
    charged += [
        Penalty(number, "51") for number in lost if number > PENALTY_FREE_ROUND and number not in settled
    ]
    return tuple(sorted(charged))


def survey(fact: RatedSection) -> Survey:
    """Count a rated section out, as far as that depends on no rating."""
    section, players = fact.section, fact.players
    place = {entry.player: number for number, entry in enumerate(section.entries)}
    played = count_games(section, place)
    best = max(played.total, default=0)
    lost, excused = forfeits(played.unplayed)
    tallies = []
    for entry, games, halves, activity, total in zip(
        section.entries, played.games, played.halves, played.activity, played.total, strict=True
    ):
        player = entry.player
        particulars = players[player]
        charged: tuple[Penalty, ...] = ()
        if entry.left or player in lost:
            charged = penalties(entry, lost.get(player, ()), excused.get(player, set()), section.rounds)
        everything = total == best and played_every_round(section, player)
        tallies.append(
            Tally(
                player,
                is_rated(particulars, section),
                stand_in(fact, entry),
                games,
                HALF * halves,
                activity,
                charged,
                total == best,
                everything,
            )
        )
    minutes = time_of(section)
    return Survey(
        fact=fact,
        ends=section.ends.toordinal(),
        minutes=minutes,
        kind=kind_of(minutes),
        tallies=tuple(tallies),
        pairings=played.pairings,
        to_gain=0 if section.team else games_needed(SHARE_TO_GAIN, section.rounds),
        to_qualify=games_needed(SHARE_OF_A_TEAM if section.team else SHARE_TO_GAIN, section.rounds),
    )


# ---- §43–§69: the effect of a fact.
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


# ---- §40, §47, §49: the performances of a section, and those that count for a player's weight performance.
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
