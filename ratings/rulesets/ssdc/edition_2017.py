"""The regulations for Dots of 27 January 2017, as amended to 12 October 2018."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

from ratings.rulesets.facts import (
    ANNULLED,
    BOTH_LOST,
    PLAYED,
    Answer,
    Bar,
    Change,
    Deadline,
    Entry,
    Extract,
    ExtractRow,
    Fact,
    Filing,
    Finding,
    Game,
    GameLine,
    Level,
    ListedPlayer,
    Measured,
    Needs,
    Opening,
    Outcome,
    PlayerId,
    Prediction,
    Rank,
    RatedSection,
    RuleTable,
    Section,
    State,
    Value,
    Working,
    WorkingStep,
    ranked,
    relative_places,
)
from ratings.rulesets.ruleset import CONTEXT, Requirement
from ratings.rulesets.ssdc.parameters import NUMBERS
from ratings.rulesets.ssdc.standing import ConfirmedRank, RankAward, SsdcStanding, round_kept
from ratings.rulesets.workings import (
    EMPTY_WORKING,
    explain_by_kind,
    explain_opening,
    lines_by_round,
    single_step_working,
    unplayed_line,
)

# ---- §1: rated games
CLASSIC, RAPID = "classic", "rapid"
TRACK_OF_TIME_CLASS = {
    "classic": CLASSIC,  # §1.5.1
    "rapid": RAPID,  # §1.5.2
    "blitz": RAPID,  # §1.5.2
}
"""§1.5: the track of each time class, which the organizer states (D-SSDC-10)."""

INITIAL_RATING = NUMBERS.decimal("1.6.1.initial")  # §1.6.1

ONE, TEN = Decimal(1), Decimal(10)
SCALE = NUMBERS.decimal("1.4.1.scale")  # §1.4.1

K = {kind: NUMBERS.decimal(f"1.4.2.{kind}") for kind in ("new", "high", "usual")}  # §1.4.2
NEW_PLAYER_GAMES = NUMBERS.whole("1.4.2.games")  # §1.4.2: games since the rating was assigned
HIGH_RATING = NUMBERS.decimal("1.4.2.high-from")  # §1.4.2


def tracks_of(section: Section) -> tuple[str, ...]:
    """§1.5: the tracks that a section moves, which is the one of its time class."""
    return (TRACK_OF_TIME_CLASS[section.time_class or ""],)


def expected_score(own: Decimal, other: Decimal) -> Decimal:
    """§1.4.1: a player's expected score; the difference is divided by 400 first (D-SSDC-1)."""
    return ONE / (ONE + TEN ** ((other - own) / SCALE))


def is_new(games: int) -> bool:
    """§1.4.2: whether a player with so many rated games is within the first 30 of a track (D-SSDC-3)."""
    return games < NEW_PLAYER_GAMES


def kind_of_k(rating: Decimal, games: int) -> str:
    """§1.4.2: which K holds for a rating and the number of rated games before; that of new players comes
    first.
    """
    if is_new(games):
        return "new"
    return "high" if rating >= HIGH_RATING else "usual"


def k_factor(rating: Decimal, games: int) -> Decimal:
    """§1.4.2: K for a rating and the number of rated games before."""
    return K[kind_of_k(rating, games)]


class RatedGame(NamedTuple):
    """One rated game from one player's side, with the values that it was rated by."""

    player: PlayerId
    opponent: PlayerId
    game: Game
    own: Decimal
    """The player's rating before the game; `other` is the opponent's then (D-SSDC-2)."""
    other: Decimal
    games: int
    """The number of the player's rated games before it."""
    k: Decimal
    score: Decimal
    expected: Decimal
    after: Decimal


@dataclass(slots=True)
class EntrantSection:
    """One entrant's rated games in a section."""

    before: SsdcStanding | None
    start: Decimal
    """The rating before the section, or the initial one."""
    moves: list[RatedGame] = field(default_factory=list)

    @property
    def rating(self) -> Decimal:
        return self.moves[-1].after if self.moves else self.start

    @property
    def games(self) -> int:
        return (self.before.games if self.before else 0) + len(self.moves)

    @property
    def score(self) -> Decimal:
        return sum((move.score for move in self.moves), Decimal(0))

    @property
    def expected(self) -> Decimal:
        return sum((move.expected for move in self.moves), Decimal(0))


def rate_games(state: State[SsdcStanding], section: Section) -> dict[PlayerId, EntrantSection]:
    """§1.3 §1.7: rate a section's games one by one in the order of play.

    Replays of drawn games are rated (§1.7.1). Annulled games are not, but their replays are (§1.7.2,
    D-SSDC-5); nor are games decided without play (§1.7.3).
    """
    (track,) = tracks_of(section)
    entrants = {}
    for entry in section.entries:
        before = state.get(entry.player, track)
        entrants[entry.player] = EntrantSection(before, starting_rating(before))
    for game in sorted(section.games, key=lambda game: game.round):  # within a round as given (D-SSDC-2)
        if game.played:
            first, second = entrants[game.first], entrants[game.second]
            moves = rate_game(game, first, second)
            first.moves.append(moves[0])
            second.moves.append(moves[1])
    return entrants


def starting_rating(before: SsdcStanding | None) -> Decimal:
    """§1.6: an entrant's rating before a section, or the initial one, with or without games (D-SSDC-4)."""
    return INITIAL_RATING if before is None or before.rating is None else before.rating


def rate_game(game: Game, first: EntrantSection, second: EntrantSection) -> tuple[RatedGame, RatedGame]:
    """§1.4: one game rated for the first and the second mover."""
    expected = expected_score(first.rating, second.rating)
    scores = PLAYED[game.result]
    return (
        rate_side(game, game.first, (first, second), scores[0], expected),
        rate_side(game, game.second, (second, first), scores[1], ONE - expected),
    )


def rate_side(
    game: Game,
    player: PlayerId,
    sides: tuple[EntrantSection, EntrantSection],
    score: Decimal,
    expected: Decimal,
) -> RatedGame:
    """§1.4.2: one game rated for `player`, the first of `sides`, and rounded once (D-4)."""
    own, other = sides
    k = k_factor(own.rating, own.games)
    after = round_kept(own.rating + k * (score - expected))
    opponent = game.opponent_of(player)
    return RatedGame(player, opponent, game, own.rating, other.rating, own.games, k, score, expected, after)


# ---- §2: sports ranks
RANKS = ("3", "2", "1", "C", "M", "H", "G")
"""§2.3 §2.3.1: the sports ranks, lowest first."""
NO_RANK = "N"  # §2.3.2

RATING_RANKS: tuple[tuple[int, str], ...] = NUMBERS.rows("2.4.1.ranks")
"""§2.4.1: the classic ratings that are a ground for each rank, highest first."""

PLACE_RANKS: dict[str, tuple[str, ...]] = {
    category: tuple(filter(None, ranks)) for category, *ranks in NUMBERS.rows("2.4.2.ranks")
}
"""§2.4.2: the ranks for places 1 to 4, by the tournament's category; shared places are equal."""
PRIZE_PLACES = max(len(prizes) for prizes in PLACE_RANKS.values())  # §2.4.2


def rank_level(rank: str) -> int:
    """§2.3: the position of a rank in the hierarchy, from 0; −1 for no rank (§2.3.2)."""
    return RANKS.index(rank) if rank in RANKS else -1


def round_to_whole(rating: Decimal) -> int:
    """A rating as a whole number, half up (D-SSDC-6)."""
    return int(CONTEXT.quantize(rating, Decimal(1)))


def rank_by_rating(rating: int) -> str | None:
    """§2.4.1: the rank for which a rounded classic rating is a ground; None: for none."""
    return next((rank for least, rank in RATING_RANKS if rating >= least), None)


def rank_by_place(category: str | None, place: int | None) -> str | None:
    """§2.4.2: the rank for which a place in a tournament is a ground; None: for none."""
    prizes = PLACE_RANKS.get(category or "", ())
    return prizes[place - 1] if place is not None and place <= len(prizes) else None


def grounds(section: Section, track: str, rating: Decimal, place: int | None) -> Iterator[RankAward]:
    """§2.4: the grounds that a tournament gives an entrant (D-SSDC-6): first that of §2.4.1 (D-SSDC-7), after
    classic tournaments only (D-SSDC-13), then that of the place.
    """
    figure = round_to_whole(rating)
    by_rating = rank_by_rating(figure) if track == CLASSIC else None
    if by_rating:
        yield RankAward(by_rating, "2.4.1", figure, section.id)
    by_place = rank_by_place(section.category, place)
    if by_place and place:
        yield RankAward(by_place, "2.4.2", place, section.id)


def higher_award(new: Iterable[RankAward], held: RankAward | None) -> RankAward | None:
    """§2.5.1: the highest of the new awards and the one held; of equals the earlier."""
    awards = [held, *new] if held else [*new]
    return max(awards, key=lambda award: rank_level(award.rank), default=None)


def standings_of(state: State[SsdcStanding], player: PlayerId) -> list[SsdcStanding]:
    both = (state.get(player, CLASSIC), state.get(player, RAPID))
    return [standing for standing in both if standing is not None]


def players_of(state: State[SsdcStanding]) -> list[PlayerId]:
    return sorted({player for player, _track in state.standings})


def find_highest_award(state: State[SsdcStanding], player: PlayerId) -> RankAward | None:
    """D-SSDC-7: a player's highest award in either track; None: there is none."""
    found = [standing.award for standing in standings_of(state, player) if standing.award]
    return max(found, key=lambda award: rank_level(award.rank), default=None)


def find_confirmed_rank(state: State[SsdcStanding], player: PlayerId) -> ConfirmedRank | None:
    """§2.5: a player's highest confirmed rank; None: there is none."""
    found = [standing.confirmed for standing in standings_of(state, player) if standing.confirmed]
    return max(found, key=lambda confirmed: rank_level(confirmed.rank), default=None)


def rank_of(state: State[SsdcStanding], player: PlayerId) -> str:
    """§2.3.2: the rank that a player holds: the confirmed one, or none."""
    confirmed = find_confirmed_rank(state, player)
    return confirmed.rank if confirmed else NO_RANK


def rank_proposals(state: State[SsdcStanding]) -> list[tuple[PlayerId, str, RankAward]]:
    """§2.4 §2.5: the ranks for which players have a ground and that an official may confirm (D-SSDC-7), by
    the player's id: player, the rank held now, and the award.
    """
    found = []
    for player in players_of(state):
        award, held = find_highest_award(state, player), rank_of(state, player)
        if award and rank_level(award.rank) > rank_level(held):
            found.append((player, held, award))
    return found


def rank_holders(state: State[SsdcStanding]) -> list[tuple[PlayerId, ConfirmedRank, str]]:
    """§2.5 §2.5.2: the players with a confirmed rank, by id: player, rank, and the highest one for which
    play, as the record now is, gives a ground (D-SSDC-14).
    """
    found = []
    for player in players_of(state):
        confirmed, award = find_confirmed_rank(state, player), find_highest_award(state, player)
        if confirmed:
            found.append((player, confirmed, award.rank if award else NO_RANK))
    return found


# ---- §3: the category of a tournament (D-SSDC-8)
CATEGORIES = ("highest", "first", "second", "third", "fourth")  # §3.1 §3.2
FRIENDLY = "friendly"  # §3.5
CATEGORY_LEVELS = (*CATEGORIES, FRIENDLY)

LIMITING_FACTOR_STEPS = NUMBERS.whole("3.4.steps")  # §3.4: steps for each limiting factor
GUARANTEED_PLACE_STEPS = NUMBERS.whole("3.4.3.steps")  # §3.4.3
STRONG_SHUT_OUT_STEPS = NUMBERS.whole("3.4.4.steps")  # §3.4.4
STRONG_RATING, STRONG_RANK = NUMBERS.whole("3.4.4.rating"), NUMBERS.text("3.4.4.rank")  # §3.4.4
HIGHEST_MATCH_CATEGORY = "fourth"  # §3.4.6

ALL_MEET_FORMATS = frozenset({"round-robin", "double-round-robin", "match"})
"""§3.4.1: the formats in which everyone meets everyone (D-SSDC-12)."""
FAST_CLASSES = frozenset({"rapid", "blitz"})
"""§3.4.1: the time classes with a strict limit."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions of a tournament that decide its category."""

    highest_rating: int | None = None
    """The highest rating that may play; None: any."""
    highest_rank: str | None = None
    """The highest sports rank that may play; None: any."""
    one_gender: bool = False
    ages: bool = False
    territory: bool = False
    fast: bool = False
    not_all_meet: bool = False
    by_correspondence: bool = False
    division: int = 1
    """The number of the division in a league by strength; 1 is the highest."""
    guaranteed_places: bool = False
    """Whether the organizer lets somebody play whatever their level."""
    for_a_challenger: bool = False
    """Whether it finds the challenger of a title holder, who does not play in it."""
    match_of_two: bool = False
    for_a_title: bool = False
    """Whether the match is for a title."""
    assigned: str | None = None
    """The category that the organizer wants; None: any."""


class CategoryResult(NamedTuple):
    """The category that follows from conditions, with the steps to it."""

    category: str
    """One of `CATEGORY_LEVELS`; `friendly` is not rated (§3.5)."""
    steps: tuple[WorkingStep, ...]
    allowed: bool
    """Whether the organizer may have the category asked for (§3.4.7)."""


def category_of(conditions: Conditions) -> CategoryResult:
    """§3.3 §3.4: the highest category, lowered by each limiting factor, with a step for each clause."""
    level = 0
    steps = [WorkingStep("3.3", "category-starts", {}, CATEGORY_LEVELS[level])]
    for clause, key, inputs, lowered in lowerings(conditions):
        level = min(level + lowered, len(CATEGORY_LEVELS) - 1)
        steps.append(WorkingStep(clause, key, {**inputs, "lowered": lowered}, CATEGORY_LEVELS[level]))
    if conditions.match_of_two:
        key = "category-title-match" if conditions.for_a_title else "category-match"
        if not conditions.for_a_title:
            level = max(level, CATEGORY_LEVELS.index(HIGHEST_MATCH_CATEGORY))
        steps.append(WorkingStep("3.4.6", key, {}, CATEGORY_LEVELS[level]))
    if CATEGORY_LEVELS[level] == FRIENDLY:
        steps.append(WorkingStep("3.5", "category-friendly", {}, FRIENDLY))
    return apply_wanted_category(conditions.assigned, CATEGORY_LEVELS[level], steps)


Lowering = tuple[str, str, dict[str, Value], int]
"""A limiting factor: clause, message key, the message's values, and steps by which it lowers."""


def lowerings(conditions: Conditions) -> Iterator[Lowering]:
    """§3.4.1–§3.4.5: the limiting factors of a tournament, in the order of the clauses."""
    yield from upper_limits(conditions)
    factors = {
        "category-one-gender": conditions.one_gender,
        "category-ages": conditions.ages,
        "category-territory": conditions.territory,
        "category-fast": conditions.fast,
        "category-not-all-meet": conditions.not_all_meet,
        "category-by-correspondence": conditions.by_correspondence,
    }
    for key, limits in factors.items():
        if limits:
            yield "3.4.1", key, {}, LIMITING_FACTOR_STEPS
    if conditions.division > 1:  # §3.4.2
        yield "3.4.2", "category-division", {"division": conditions.division}, conditions.division - 1
    if conditions.guaranteed_places:
        yield "3.4.3", "category-guaranteed", {}, GUARANTEED_PLACE_STEPS
    if conditions.for_a_challenger:
        yield "3.4.5", "category-challenger", {}, 0


def upper_limits(conditions: Conditions) -> Iterator[Lowering]:
    """§3.4.1 §3.4.4: the limit on rating or rank, counted once (D-SSDC-8); the highest rank is no limit."""
    rating, rank = conditions.highest_rating, conditions.highest_rank
    if rating is None and rank in (None, RANKS[-1]):
        return
    limits: dict[str, Value] = {"rating": "—" if rating is None else rating, "rank": rank or "—"}
    if shuts_out_the_strong(conditions):
        yield "3.4.4", "category-strong-shut-out", limits, STRONG_SHUT_OUT_STEPS
    else:
        yield "3.4.1", "category-upper-limit", limits, LIMITING_FACTOR_STEPS


def shuts_out_the_strong(conditions: Conditions) -> bool:
    """§3.4.4: whether players of 2200 or more, or candidate masters, may not play."""
    rating, rank = conditions.highest_rating, conditions.highest_rank
    by_rating = rating is not None and rating < STRONG_RATING
    return by_rating or (rank is not None and rank_level(rank) < rank_level(STRONG_RANK))


def apply_wanted_category(wanted: str | None, category: str, steps: list[WorkingStep]) -> CategoryResult:
    """§3.4.7: the category that the organizer wants, if it is lower than the one that follows by `steps`."""
    if wanted is None or wanted == category:
        return CategoryResult(category, tuple(steps), allowed=True)
    lower = CATEGORY_LEVELS.index(wanted) > CATEGORY_LEVELS.index(category)
    result = wanted if lower else category
    key = "category-assigned" if lower else "category-not-assigned"
    steps.append(WorkingStep("3.4.7", key, {"wanted": wanted}, result))
    return CategoryResult(result, tuple(steps), allowed=lower)


def conditions_in(section: Section, organizer_answers: Mapping[str, Any]) -> Conditions:
    """§3.4.1–§3.4.6: the conditions of a section by its particulars and what its organizer said."""
    stated = {
        each.name: organizer_answers[each.name]
        for each in fields(Conditions)
        if organizer_answers.get(each.name)
    }
    return Conditions(
        **stated,
        fast=section.time_class in FAST_CLASSES,
        not_all_meet=section.format not in ALL_MEET_FORMATS and len(section.entries) > 2,
        match_of_two=len(section.entries) == 2,
    )


def is_higher_category(category: str | None, other: str) -> bool:
    return category in CATEGORY_LEVELS and CATEGORY_LEVELS.index(category) < CATEGORY_LEVELS.index(other)


# ---- §1.5, §1.7, §2.4.2, §3, §4.2, §4.3: acceptance
DAYS_TO_FILE = NUMBERS.whole("4.3.days")  # §4.3
DAYS_TO_ANNOUNCE = NUMBERS.whole("4.2.days")  # §4.2
DECISIVE_RESULTS = frozenset({"1-0", "0-1", "0-0"})
"""§1.7.1: the results that need no replay."""

FORMATS = ("swiss", "round-robin", "double-round-robin", "scheveningen", "knockout", "match")
"""§1.7: the formats that are rated, which are all with games."""


def check(section: Section, filing: Filing) -> list[Finding]:
    """Check a filed section against the whole text, and return every finding."""
    checks: tuple[Callable[[Section, Filing], Iterator[Finding]], ...] = (
        check_time_class,
        check_category,
        check_category_allowed,
        check_entrants,
        check_places,
        check_games,
        check_replays,
        check_announced_in_time,
        check_filing_days,
    )
    return [finding for each in checks for finding in each(section, filing)]


def find_unrateable_reason(section: Section) -> Finding | None:
    """§1.5 §3.2 §3.5: the finding that no official can waive: time class or category missing, or friendly."""
    findings = [*check_time_class(section, Filing()), *check_category(section, Filing())]
    return findings[0] if findings else None


def check_time_class(section: Section, filing: Filing) -> Iterator[Finding]:
    """§1.5: check that the organizer stated the time class (D-SSDC-10)."""
    if section.time_class not in TRACK_OF_TIME_CLASS:
        yield Finding("1.5", Level.BLOCKS, "no-time-class", where="time_class")


def check_category(section: Section, filing: Filing) -> Iterator[Finding]:
    """§3.2 §3.5: check that the category is known, and not friendly."""
    if section.category not in CATEGORY_LEVELS:
        yield Finding("3.2", Level.BLOCKS, "no-category", where="category")
    elif section.category == FRIENDLY:
        yield Finding("3.5", Level.BLOCKS, "friendly", where="category")


def check_category_allowed(section: Section, filing: Filing) -> Iterator[Finding]:
    """§3.4.7: check that the category is not above the one that follows from the conditions.

    The office can waive what follows from the format, as all may have met all the same (D-SSDC-12).
    """
    known = conditions_in(section, filing.said)
    certain = replace(known, not_all_meet=False)
    stated, at_best = category_of(replace(certain, match_of_two=False)), category_of(certain)
    params: dict[str, Value] = {"category": section.category, "at_best": stated.category}
    if is_higher_category(section.category, stated.category):
        clauses = ", ".join(dict.fromkeys(step.clause for step in stated.steps[1:]))
        yield Finding("3.4.7", Level.BLOCKS, "too-high", {**params, "clauses": clauses}, "category")
    elif is_higher_category(section.category, at_best.category):
        params["at_best"] = at_best.category
        yield Finding("3.4.6", Level.BLOCKS, "too-high-for-match", params, "category")
    elif is_higher_category(section.category, category_of(known).category):
        params |= {"at_best": category_of(known).category, "format": section.format}
        yield Finding("3.4.1", Level.WAIVABLE, "too-high-for-format", params, "category")


def check_entrants(section: Section, filing: Filing) -> Iterator[Finding]:
    """§3.4.1 §3.4.4: check that nobody has a rating or a sports rank above the highest that the organizer
    admitted, and that all are of one gender where only one was.
    """
    stated = conditions_in(section, filing.said)
    track = TRACK_OF_TIME_CLASS.get(section.time_class or "")
    if stated.highest_rating is not None and track is not None:
        held = ((each.name, filing.state.get(each.player, track)) for each in filing.entrants)
        rated = ((name, standing.rating) for name, standing in held if standing and standing.rating)
        above = [f"{name} ({rating:.0f})" for name, rating in rated if rating > stated.highest_rating]
        yield from _entrants_beyond("above-limit", "highest_rating", stated.highest_rating, above)
    if stated.highest_rank is not None:
        highest = rank_level(stated.highest_rank)
        ranked = [
            each.name for each in filing.entrants if rank_level(rank_of(filing.state, each.player)) > highest
        ]
        yield from _entrants_beyond("above-rank-limit", "highest_rank", stated.highest_rank, ranked)
    if stated.one_gender and len({each.sex for each in filing.entrants if each.sex}) > 1:
        yield Finding("3.4.1", Level.WAIVABLE, "two-genders", where="one_gender")


def _entrants_beyond(key: str, where: str, limit: Value, names: list[str]) -> Iterator[Finding]:
    if names:
        found: dict[str, Value] = {"limit": limit, "count": len(names), "players": "; ".join(names)}
        yield Finding("3.4.1", Level.WAIVABLE, key, found, where)


def check_places(section: Section, filing: Filing) -> Iterator[Finding]:
    """§2.4.2: check that everyone has a final place, as ranks depend on places."""
    lacking = sum(entry.place is None for entry in section.entries)
    if lacking:
        yield Finding("2.4.2", Level.BLOCKS, "places-missing", {"players": lacking}, "places")
    elif section.entries and all(entry.place != 1 for entry in section.entries):
        yield Finding("2.4.2", Level.WAIVABLE, "nobody-first", where="players")
    else:  # a place is one more than the number of players before
        for place, due in relative_places([entry.place for entry in section.entries if entry.place]).items():
            if place <= PRIZE_PLACES and place != due:
                found: dict[str, Value] = {"place": place, "before": due - 1}
                yield Finding("2.4.2", Level.WAIVABLE, "place-out-of-line", found, f"place {place}")


def check_games(section: Section, filing: Filing) -> Iterator[Finding]:
    """§1.7: check that there is a played game to rate (§1.7.3)."""
    if not any(game.played for game in section.games):
        yield Finding("1.7", Level.WAIVABLE, "no-games", where="games")


def check_replays(section: Section, filing: Filing) -> Iterator[Finding]:
    """§1.7.1 §1.7.2: note annulled games without a replay, and replays of decided games (D-SSDC-5)."""
    rounds: dict[tuple[int, frozenset[str]], list[Game]] = defaultdict(list)
    for game in section.games:
        rounds[game.round, frozenset(game[1:3])].append(game)
    for games in rounds.values():
        params: dict[str, Value] = {
            "round": games[0].round,
            "first": filing.name_of(games[0].first),
            "second": filing.name_of(games[0].second),
        }
        where = f"round {games[0].round}"
        if all(game.result == ANNULLED for game in games):
            yield Finding("1.7.2", Level.NOTICE, "annulled-no-replay", params, where)
        elif section.format != "match" and any(game.result in DECISIVE_RESULTS for game in games[:-1]):
            yield Finding("1.7.1", Level.NOTICE, "played-again", params, where)


def check_announced_in_time(section: Section, filing: Filing) -> Iterator[Finding]:
    """§4.2: check that another organizer sent in the regulations seven days before players can register.

    If the organizer is not known, note a registration too late for that, as entry opens by the day of play.
    """
    held_by, sent, entry = (filing.said.get(name) for name in ("held_by", "sent_on", "entry_from"))
    if held_by == "other" and sent and entry:
        if sent > (last := entry - timedelta(DAYS_TO_ANNOUNCE)):
            days: dict[str, Value] = {"sent": sent, "last": last, "needed": DAYS_TO_ANNOUNCE}
            yield Finding("4.2", filing.late(), "announced-late", days, "sent_on")
    elif held_by == "other":
        yield Finding("4.2", filing.incomplete(), "sending-not-said", {"needed": DAYS_TO_ANNOUNCE}, "sent_on")
    elif held_by or filing.registered is None:
        return
    elif filing.registered > section.starts - timedelta(DAYS_TO_ANNOUNCE):
        days = {"registered": filing.registered, "needed": DAYS_TO_ANNOUNCE}
        yield Finding("4.2", Level.NOTICE, "holder-not-said", days, "held_by")


def deadlines(section: Section, filing: Filing) -> list[Deadline]:
    """§4.2 §4.3: the deadlines of another organizer's regulations, and of the results."""
    results = Deadline("4.3", "due-results", section.ends + timedelta(DAYS_TO_FILE), filing.handed_in)
    if filing.said.get("held_by") != "other":
        return [results]
    entry = filing.said.get("entry_from") or section.starts  # by the day of play at the latest
    last, sent = entry - timedelta(DAYS_TO_ANNOUNCE), filing.said.get("sent_on")
    return [Deadline("4.2", "due-regulations", last, sent), results]


def check_filing_days(section: Section, filing: Filing) -> Iterator[Finding]:
    """§4.3: check that the file came after the section, and within three days."""
    last: date = section.ends + timedelta(DAYS_TO_FILE)
    if filing.handed_in and filing.handed_in > last:
        params: dict[str, Value] = {"filed": filing.handed_in, "last": last, "allowed": DAYS_TO_FILE}
        yield Finding("4.3", filing.late(), "filed-late", params, "filed")
    if filing.filed and filing.filed < section.ends:
        early: dict[str, Value] = {"filed": filing.filed, "ends": section.ends}
        yield Finding("4.3", filing.late(), "filed-early", early, "ends")


REQUIREMENTS = (
    Requirement(("4.2",), reads=("held_by",)),
    Requirement(("1.5",)),
    Requirement(("3.2", "3.5")),
    Requirement(("3.4.1", "3.4.6", "3.4.7")),
    Requirement(("1.7", "1.7.1", "1.7.2"), before_play=False),
    Requirement(("2.4.2",), before_play=False),
    Requirement(("4.3",), before_play=False),
)
"""The list before play, in the order of an organizer's work."""


# ---- §1, §2: the effect of sections, openings and confirmed ranks
def needs(fact: Fact) -> frozenset[PlayerId] | Needs:
    """The players whose standings `apply` reads: a section's entrants, or the player of another fact."""
    if isinstance(fact, RatedSection):
        return frozenset(entry.player for entry in fact.section.entries)
    return frozenset((fact.fact.player,)) if isinstance(fact.fact, Opening | Rank) else frozenset()


def apply(state: State[SsdcStanding], fact: Fact) -> Outcome[SsdcStanding]:
    """The changes that a fact makes; a list makes none."""
    if isinstance(fact, RatedSection):
        return Outcome(rate(state, fact.section))
    if isinstance(fact.fact, Opening):
        return Outcome([apply_opening(state, fact.fact)])
    change = confirm_rank(state, fact.fact) if isinstance(fact.fact, Rank) else None
    return Outcome([change] if change else [])


def rate(state: State[SsdcStanding], section: Section) -> list[Change[SsdcStanding]]:
    """§1.3: the changes that a section makes."""
    (track,) = tracks_of(section)
    entrants = rate_games(state, section)
    changes = []
    for entry in section.entries:
        entrant = entrants[entry.player]
        before, after = entrant.before, standing_after(state, section, entry, entrant)
        points = None if before is None or before.rating is None else entrant.rating - entrant.start
        changes.append(Change(entry.player, track, before, after, points))
    return changes


def standing_after(
    state: State[SsdcStanding], section: Section, entry: Entry, entrant: EntrantSection
) -> SsdcStanding:
    """An entrant's standing after a section, with its year if there was a game (D-SSDC-9)."""
    (track,) = tracks_of(section)
    before = entrant.before or SsdcStanding()
    years = {*before.years, section.ends.year} if entrant.moves else before.years
    held = find_highest_award(state, entry.player)
    award = higher_award(grounds(section, track, entrant.rating, entry.place), held)
    return SsdcStanding(
        rating=entrant.rating,
        games=entrant.games,
        years=tuple(sorted(years)),
        award=before.award if award is held else award,
        confirmed=before.confirmed,
    )


def apply_opening(state: State[SsdcStanding], opening: Opening) -> Change[SsdcStanding]:
    """§4.1: the change by which a rating from before the record is taken over with its games.

    The games count for K, and for the list as played on the opening's day; the rating is no ground for a rank
    before a tournament (D-SSDC-11).
    """
    before = state.get(opening.player, opening.track)
    after = (before or SsdcStanding())._replace(
        rating=round_kept(opening.rating),
        games=opening.games,
        years=(opening.on.year,) if opening.games else (),
    )
    return Change(opening.player, opening.track, before, after, None)


def confirm_rank(state: State[SsdcStanding], rank: Rank) -> Change[SsdcStanding] | None:
    """§2.5 §2.5.1: the change that a confirmed rank makes; None if that rank or a higher one is held.

    It is kept with the classic rating if there is one, else with the rapid one. It does not depend on a
    ground, because the tournaments behind that may be un-rated later (D-SSDC-14); `rank_holders` has those
    without one.
    """
    if rank_level(rank.rank) <= rank_level(rank_of(state, rank.player)):
        return None
    track = next((track for track in (CLASSIC, RAPID) if state.get(rank.player, track)), CLASSIC)
    before = state.get(rank.player, track)
    confirmed = ConfirmedRank(rank.rank, rank.on, rank.ground)
    after = (before or SsdcStanding())._replace(confirmed=confirmed)
    points = None if after.rating is None else after.rating - after.rating
    return Change(rank.player, track, before, after, points)


# ---- §4: the rating list, extracts, answers and tables
GAMES_TO_BE_LISTED = NUMBERS.whole("4.5.games")  # §4.5
YEARS_LISTED = NUMBERS.whole("D-SSDC-9.years")  # §4.5, D-SSDC-9: the year of the list and the one before

PROPOSAL_COLUMNS = ("player", "held", "rank", "clause", "figure", "section")
CONFIRMED_COLUMNS = ("player", "rank", "on", "clause", "by-play")
GROUND_PREFIX = "SSDC "
"""The word before the clause in the grounds that the journal writes."""


def is_listed(standing: SsdcStanding, on: date) -> bool:
    """§4.5: whether a player is listed: enough rated games, one of them this year or last (§4.5.1)."""
    enough = standing.games >= GAMES_TO_BE_LISTED
    return enough and any(0 <= on.year - year < YEARS_LISTED for year in standing.years)


def listed_steps(
    state: State[SsdcStanding], player: PlayerId, track: str, on: date
) -> tuple[WorkingStep, ...]:
    """§4.5, D-SSDC-9: the step that says why a player is or is not on the list, and until when."""
    standing = state.get(player, track) or SsdcStanding()
    if standing.games < GAMES_TO_BE_LISTED:
        inputs = {"needed": GAMES_TO_BE_LISTED, "games": standing.games}
        return (WorkingStep("4.5", "not-yet-listed", inputs, GAMES_TO_BE_LISTED - standing.games),)
    last = max((year for year in standing.years if year <= on.year), default=0)
    if not is_listed(standing, on):
        return (WorkingStep("4.5", "off-the-list", {"year": last}),)
    return (WorkingStep("4.5", "stays-listed", {"until": date(last + YEARS_LISTED - 1, 12, 31)}),)


def status_of(standing: SsdcStanding) -> str:
    """§1.4.2: `new` until the 30th rated game of the track, then `rated`."""
    return "new" if is_new(standing.games) else "rated"


def rating_list(state: State[SsdcStanding], track: str, on: date) -> list[ListedPlayer]:
    """§4.1: the rating list of a day, best first; equal shown ratings share a rank."""
    listed = (
        (player, standing.rating, standing.games, status_of(standing))
        for (player, of_track), standing in state.standings.items()
        if of_track == track and standing.rating is not None and is_listed(standing, on)
    )
    return ranked(listed, round_to_whole)


def answers(state: State[SsdcStanding], on: date) -> Iterator[Answer]:
    """The answers of a replay for every rating, on the list or off it (§4.5)."""
    for (player, track), standing in state.standings.items():
        if standing.rating is not None:
            yield Answer(
                player=player,
                track=track,
                status=status_of(standing),
                rating=standing.rating,
                games=standing.games,
                listed=is_listed(standing, on),
            )


def tables(state: State[SsdcStanding], on: date) -> list[RuleTable]:
    """§2.4: three tables of ranks: by each player's highest award (D-SSDC-7), proposed, and confirmed."""
    awards = [(player, find_highest_award(state, player)) for player in players_of(state)]
    ranks = [(player, award.rank, f"{GROUND_PREFIX}{award.clause}") for player, award in awards if award]
    proposed = [(player, held, *award) for player, held, award in rank_proposals(state)]
    confirmed_ranks = [
        (player, confirmed.rank, confirmed.on, confirmed.ground.removeprefix(GROUND_PREFIX), by_play)
        for player, confirmed, by_play in sorted(
            rank_holders(state), key=lambda each: -rank_level(each[1].rank)
        )
    ]
    shown = partial(RuleTable, answered=False)
    about = "confirmed-ranks-about"
    return [
        RuleTable("ranks", ("player", "rank", "ground"), tuple(ranks), shown=False),
        shown("proposals", PROPOSAL_COLUMNS, tuple(proposed), about="proposals-about", confirms=True),
        shown("confirmed-ranks", CONFIRMED_COLUMNS, tuple(confirmed_ranks), about=about),
    ]


def rank_steps(state: State[SsdcStanding], player: PlayerId, on: date) -> tuple[WorkingStep, ...]:
    """§2.3.2 §2.4 §2.5: the steps for a player's rank, and the one proposed; empty for an unknown player."""
    confirmed, award = find_confirmed_rank(state, player), find_highest_award(state, player)
    if confirmed:
        clause = confirmed.ground.removeprefix(GROUND_PREFIX)
        step = WorkingStep(clause, "rank-held", {"on": confirmed.on}, confirmed.rank)
    elif standings_of(state, player):
        step = WorkingStep("2.3.2", "rank-none", {})
    else:
        return ()
    if award is None or rank_level(award.rank) <= rank_level(rank_of(state, player)):
        return (step,)
    return step, WorkingStep(award.clause, "rank-proposed", {}, award.rank)


def extract(state: State[SsdcStanding], player: PlayerId, on: date) -> Extract | None:
    """§4.6: the certificate of a player's confirmed rank and ratings; None for a player without any.

    `state` is that of the day `on`.
    """
    rows = []
    for track in (CLASSIC, RAPID):
        standing = state.get(player, track)
        if standing is not None and standing.rating is not None:
            rating, games = standing.rating, standing.games
            shown, listed = round_to_whole(rating), is_listed(standing, on)
            rows.append(ExtractRow(track, rating, shown, games, status_of(standing), listed))
    return Extract(player, on, rank_of(state, player), tuple(rows)) if rows else None


# ---- Workings
def explain_section(state: State[SsdcStanding], fact: RatedSection, player: PlayerId, track: str) -> Working:
    section = fact.section
    entry = next((entry for entry in section.entries if entry.player == player), None)
    if entry is None or track not in tracks_of(section):
        return EMPTY_WORKING
    entrant = rate_games(state, section)[player]
    held, found = find_highest_award(state, player), [*grounds(section, track, entrant.rating, entry.place)]
    if entrant.before is None or entrant.before.rating is None:
        steps = [WorkingStep("1.6", "initial", {}, entrant.start)]
    else:
        steps = [WorkingStep("1.4", "came-with", {"games": entrant.before.games}, entrant.start)]
    steps += game_steps(entrant)
    summary = list(summary_steps(entrant))
    for ground in found:
        key = "ground-by-rating" if ground.clause == "2.4.1" else "ground-by-place"
        inputs: dict[str, Value] = {"figure": ground.figure, "category": section.category}
        steps.append(WorkingStep(ground.clause, key, inputs, ground.rank))
        summary.append(WorkingStep(ground.clause, "in-short-ground", {}, ground.rank))
    award = higher_award(found, held)
    if award and award is not held:
        steps.append(WorkingStep("2.5", "proposed", {"before": rank_of(state, player)}, award.rank))
    steps.append(WorkingStep("4.1", "rated-after", {"games": entrant.games}, entrant.rating))
    bars = (Bar("bar-scored", entrant.score), Bar("bar-expected", entrant.expected))  # §1.4
    lines = game_lines(section, player, entrant)
    return Working(tuple(steps), lines, tuple(summary), bars=bars if entrant.moves else ())


def summary_steps(entrant: EntrantSection) -> Iterator[WorkingStep]:
    """§1.4: the summary of a section for an entrant."""
    if not entrant.moves:
        first = entrant.before is None or entrant.before.rating is None
        yield WorkingStep(
            "1.6" if first else "1.7", f"in-short-no-game{'-first' * first}", {}, entrant.rating
        )
        return
    inputs: dict[str, Value] = {
        "score": entrant.score,
        "expected": entrant.expected,
        "k": entrant.moves[0].k,
        "later": entrant.moves[-1].k,
        "start": entrant.start,
        "change": entrant.rating - entrant.start,
    }
    several = len({move.k for move in entrant.moves}) > 1
    yield WorkingStep("1.4.2", "in-short-several-ks" if several else "in-short", inputs, entrant.rating)


def game_steps(entrant: EntrantSection) -> Iterator[WorkingStep]:
    """§1.4.1 §1.4.2: the steps of each game, with K where it changes."""
    k = None
    for move in entrant.moves:
        inputs: dict[str, Value] = {"round": move.game.round, "own": move.own, "other": move.other}
        yield WorkingStep("1.4.1", "expected", inputs, move.expected)
        if move.k != k:
            inputs = {"number": move.games + 1, "new_for": NEW_PLAYER_GAMES, "rating": move.own}
            yield WorkingStep("1.4.2", f"k-{kind_of_k(move.own, move.games)}", inputs, move.k)
            k = move.k
        inputs = {"own": move.own, "k": move.k, "score": move.score, "expected": move.expected}
        yield WorkingStep("1.4.2", "after-game", inputs, move.after)


def game_lines(section: Section, player: PlayerId, entrant: EntrantSection) -> tuple[GameLine, ...]:
    moves = iter(entrant.moves)
    games = sorted(section.games, key=lambda game: game.round)

    def line_of(game: Game) -> GameLine:
        if not game.played:  # §1.7.2 §1.7.3
            return unplayed_line(game, player)
        move, first = next(moves), game.first == player
        return GameLine(game.round, move.opponent, first, game.result, move.other, move.expected, move.score)

    return lines_by_round(player, games, section.byes, line_of)


def explain_rank(state: State[SsdcStanding], rank: Rank, player: PlayerId, track: str) -> Working:
    """§2.5: explain a confirmed rank."""
    change = confirm_rank(state, rank)
    if change is None or (change.player, change.track) != (player, track):
        return EMPTY_WORKING
    inputs: dict[str, Value] = {"before": rank_of(state, player), "ground": rank.ground, "on": rank.on}
    return single_step_working(WorkingStep("2.5", "confirmed", inputs, rank.rank), "in-short-confirmed")


explain = explain_by_kind(
    {
        RatedSection: explain_section,
        Opening: partial(explain_opening, "4.1", apply_opening),
        Rank: explain_rank,
    }
)


def measure(
    state: State[SsdcStanding], fact: Fact, changes: Sequence[Change[SsdcStanding]]
) -> Iterator[Measured]:
    """§1.4.1: the expected score of each rated game by the ratings just before it, and the points by clause:
    of games (§1.4.2), initial ratings (§1.6.1), ratings taken over (§4.1).
    """
    if not isinstance(fact, RatedSection):
        if isinstance(fact.fact, Opening):
            yield Measured(fact.fact.track, (), (("4.1", float(fact.fact.rating)),))
        return
    (track,) = tracks_of(fact.section)
    predictions, games, initial = [], 0.0, 0.0
    for entrant in rate_games(state, fact.section).values():
        if entrant.before is None or entrant.before.rating is None:
            initial += float(entrant.start)
        games += float(entrant.rating - entrant.start)
        predictions += [
            Prediction(
                *move.game[1:3], float(move.own), float(move.other), float(move.expected), float(move.score)
            )
            for move in entrant.moves
            if move.player == move.game.first and move.game.result != BOTH_LOST
        ]
    yield Measured(track, predictions, (("1.4.2", games), ("1.6.1", initial)))


def compute_performances(
    state: State[SsdcStanding], fact: RatedSection, track: str
) -> Mapping[PlayerId, Decimal]:
    """No performances, as the text has none."""
    return {}
