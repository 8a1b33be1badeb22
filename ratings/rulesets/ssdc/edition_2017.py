"""The regulations for Dots of 27 January 2017, as amended to 12 October 2018, clause by clause.

The parts are rated games (§1), sports ranks (§2), the category of a tournament (§3), acceptance, the effect
of each fact, the standings for readers (§4), and the working of a change.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

from ratings.rulesets.facts import (
    ANNULLED,
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
    Grid,
    Level,
    ListedPlayer,
    Needs,
    Opening,
    Outcome,
    Parameter,
    Parameters,
    PlayerId,
    Rank,
    RatedSection,
    RuleTable,
    Section,
    State,
    Value,
    Working,
    WorkingStep,
    ranked,
    recount,
)
from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.ruleset import CONTEXT, Requirement
from ratings.rulesets.ssdc.standing import Award, Confirmed, SsdcStanding, rounded
from ratings.rulesets.workings import (
    NOTHING,
    Explain,
    explain_by_kind,
    explain_opening,
    lines_by_round,
    unplayed_line,
)

# ---- §1: which games are rated, and how each moves two ratings at once.
CLASSIC, RAPID = "classic", "rapid"
TRACK_OF = {
    "classic": CLASSIC,  # §1.5.1
    "rapid": RAPID,  # §1.5.2
    "blitz": RAPID,  # §1.5.2
}
"""§1.5: the track that each time class moves; the organizer states the class (D-SSDC-10)."""

INITIAL = Decimal(1200)  # §1.6.1

ONE, TEN = Decimal(1), Decimal(10)
SCALE = Decimal(400)  # §1.4.1

K_NEW = Decimal(40)  # §1.4.2
K_HIGH = Decimal(10)  # §1.4.2
K_USUAL = Decimal(20)  # §1.4.2
NEW_FOR = 30  # §1.4.2: games since the rating was assigned
HIGH_FROM = Decimal(2400)  # §1.4.2


def tracks_of(section: Section) -> tuple[str, ...]:
    """§1.5: the tracks that a section moves: the one of its time class."""
    return (TRACK_OF[section.time_class or ""],)


def expected_score(own: Decimal, other: Decimal) -> Decimal:
    """§1.4.1: the score that a player is expected to make; the difference is divided by 400 first
    (D-SSDC-1).
    """
    return ONE / (ONE + TEN ** ((other - own) / SCALE))


def is_new(games: int) -> bool:
    """§1.4.2: whether a player with so many rated games in the track is within the first 30 (D-SSDC-3)."""
    return games < NEW_FOR


def k_factor(rating: Decimal, games: int) -> Decimal:
    """§1.4.2: K by the rated games before this one and by the rating as it is kept; being new comes first."""
    if is_new(games):
        return K_NEW
    return K_HIGH if rating >= HIGH_FROM else K_USUAL


def new_rating(rating: Decimal, k: Decimal, score: Decimal, expected: Decimal) -> Decimal:
    """§1.4.2: the rating after a game, rounded once (D-4)."""
    return rounded(rating + k * (score - expected))


class RatedGame(NamedTuple):
    """One rated game from one player's side, with all that it was rated by."""

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
    """One entrant's rated games in a section, one after the other."""

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


def play(state: State[SsdcStanding], section: Section) -> dict[PlayerId, EntrantSection]:
    """§1.3 §1.7: each entrant's section, its games rated one by one as they were played.

    Replays of drawn games are games like any (§1.7.1). An annulled game is none, its replay is (§1.7.2,
    D-SSDC-5); nor is what was decided without play (§1.7.3).
    """
    (track,) = tracks_of(section)
    cards = {}
    for entry in section.entries:
        before = state.get(entry.player, track)
        cards[entry.player] = EntrantSection(before, start_of(before))
    for game in in_order(section):
        first, second = cards[game.first], cards[game.second]
        moves = moves_of(game, first, second)
        for card, move in zip((first, second), moves, strict=True):
            card.moves.append(move)
    return cards


def start_of(before: SsdcStanding | None) -> Decimal:
    """§1.6: the rating with which an entrant begins: whoever enters for the first time gets the initial one,
    games or none (D-SSDC-4).
    """
    return INITIAL if before is None or before.rating is None else before.rating


def in_order(section: Section) -> Iterator[Game]:
    """§1.7: a section's rated games by round, and within a round in the given order (D-SSDC-2)."""
    return (game for game in sorted(section.games, key=lambda game: game.round) if game.played)


def moves_of(game: Game, first: EntrantSection, second: EntrantSection) -> tuple[RatedGame, RatedGame]:
    """§1.4: one game rated from either side, the first mover's first. Whatever one is expected to score, the
    other is not.
    """
    expected = expected_score(first.rating, second.rating)
    scores = PLAYED[game.result]
    return (
        move_of(game, game.first, game.second, (first, second), scores[0], expected),
        move_of(game, game.second, game.first, (second, first), scores[1], ONE - expected),
    )


def move_of(
    game: Game,
    player: PlayerId,
    opponent: PlayerId,
    cards: tuple[EntrantSection, EntrantSection],
    score: Decimal,
    expected: Decimal,
) -> RatedGame:
    own, other = cards
    k = k_factor(own.rating, own.games)
    after = new_rating(own.rating, k, score, expected)
    return RatedGame(player, opponent, game, own.rating, other.rating, own.games, k, score, expected, after)


# ---- §2: sports ranks: the grounds that play gives, and those that an official confirmed.
RANKS = ("3", "2", "1", "C", "M", "H", "G")
"""§2.3 §2.3.1: the sports ranks, lowest first."""
NO_RANK = "N"  # §2.3.2

BY_RATING = (
    (2500, "G"),
    (2400, "H"),
    (2300, "M"),
    (2200, "C"),
    (2000, "1"),
    (1800, "2"),
    (1600, "3"),
)
"""§2.4.1: the classic ratings from which on there is a ground for each rank, highest first."""

BY_PLACE = {
    "highest": ("G", "G", "G", "H"),
    "first": ("H", "M", "M", "C"),
    "second": ("C", "1", "1", "2"),
    "third": ("2", "3", "3", "3"),
    "fourth": (),
}
"""§2.4.2: the ranks for places 1 to 4, by the tournament's category; shared places are equal."""
PRIZE_PLACES = max(len(prizes) for prizes in BY_PLACE.values())  # §2.4.2


def height(rank: str) -> int:
    """§2.3: the step of a rank in the hierarchy, from 0; to be of no rank (§2.3.2) is −1."""
    return RANKS.index(rank) if rank in RANKS else -1


def whole(rating: Decimal) -> int:
    """A rating as a whole number, half up (D-SSDC-6)."""
    return int(CONTEXT.quantize(rating, Decimal(1)))


def rank_by_rating(rating: int) -> str | None:
    """§2.4.1: the rank for which a classic rating, rounded already, gives a ground; None: for none."""
    return next((rank for least, rank in BY_RATING if rating >= least), None)


def rank_by_place(category: str | None, place: int | None) -> str | None:
    """§2.4.2: the rank for which a place in a tournament of that category gives a ground; None: for none."""
    prizes = BY_PLACE.get(category or "", ())
    return prizes[place - 1] if place is not None and place <= len(prizes) else None


def grounds(section: Section, track: str, rating: Decimal, place: int | None) -> Iterator[Award]:
    """§2.4: the awards for which a tournament gives an entrant a ground, once it is over (D-SSDC-6).

    Ratings count after a classic tournament alone (D-SSDC-13), places whatever the time and format. §2.4.1
    stands first (D-SSDC-7).
    """
    figure = whole(rating)
    by_rating = rank_by_rating(figure) if track == CLASSIC else None
    if by_rating:
        yield Award(by_rating, "2.4.1", figure, section.id)
    by_place = rank_by_place(section.category, place)
    if by_place and place:
        yield Award(by_place, "2.4.2", place, section.id)


def higher(found: Iterator[Award], held: Award | None) -> Award | None:
    """§2.5.1: the highest of the awards found and the one held; of equals the earlier stays."""
    best = held
    for award in found:
        if best is None or height(award.rank) > height(best.rank):
            best = award
    return best


def standings_of(state: State[SsdcStanding], player: PlayerId) -> list[SsdcStanding]:
    both = (state.get(player, CLASSIC), state.get(player, RAPID))
    return [standing for standing in both if standing is not None]


def players_of(state: State[SsdcStanding]) -> list[PlayerId]:
    return sorted({player for player, _track in state.standings})


def award_of(state: State[SsdcStanding], player: PlayerId) -> Award | None:
    """D-SSDC-7: the highest award for which play gave a player a ground, in whichever track; None: there is
    none.
    """
    found = [standing.award for standing in standings_of(state, player) if standing.award]
    return max(found, key=lambda award: height(award.rank), default=None)


def confirmed_of(state: State[SsdcStanding], player: PlayerId) -> Confirmed | None:
    """§2.5: the rank of a player that an official confirmed, the highest of several; None: there is none."""
    found = [standing.confirmed for standing in standings_of(state, player) if standing.confirmed]
    return max(found, key=lambda confirmed: height(confirmed.rank), default=None)


def rank_of(state: State[SsdcStanding], player: PlayerId) -> str:
    """§2.3.2: the rank that a player holds, which is the confirmed one, or none."""
    confirmed = confirmed_of(state, player)
    return confirmed.rank if confirmed else NO_RANK


def confirm(state: State[SsdcStanding], rank: Rank) -> tuple[str, SsdcStanding] | None:
    """§2.5 §2.5.1: the track and the new standing in which a confirmed rank is kept; None where that rank or
    a higher one is held.

    It is kept with the classic rating if there is one, else with the rapid one. Whether play gives a ground
    is told by `holders`: the tournaments behind it may be un-rated later (D-SSDC-14).
    """
    if height(rank.rank) <= height(rank_of(state, rank.player)):
        return None
    track = next((track for track in (CLASSIC, RAPID) if state.get(rank.player, track)), CLASSIC)
    before = state.get(rank.player, track) or SsdcStanding()
    return track, before._replace(confirmed=Confirmed(rank.rank, rank.on, rank.ground))


class RankProposal(NamedTuple):
    """A rank for which a player has a ground, and which waits for an official to confirm it (D-SSDC-7)."""

    player: PlayerId
    held: str
    """The rank that the player holds now."""
    award: Award


def proposals(state: State[SsdcStanding]) -> list[RankProposal]:
    """§2.4 §2.5: the ranks that wait for an official, higher than those their players hold; by
    player's id.
    """
    found = []
    for player in players_of(state):
        award, held = award_of(state, player), rank_of(state, player)
        if award and height(award.rank) > height(held):
            found.append(RankProposal(player, held, award))
    return found


class Holder(NamedTuple):
    """A player with a confirmed rank, and what play gives a ground for."""

    player: PlayerId
    confirmed: Confirmed
    by_play: str
    """The highest rank that play gives a ground for."""

    @property
    def unfounded(self) -> bool:
        """Whether no play gives a ground for that rank, as the record now stands (D-SSDC-14)."""
        return height(self.by_play) < height(self.confirmed.rank)


def holders(state: State[SsdcStanding]) -> list[Holder]:
    """§2.5 §2.5.2: the players with a confirmed rank, by id."""
    found = []
    for player in players_of(state):
        confirmed, award = confirmed_of(state, player), award_of(state, player)
        if confirmed:
            found.append(Holder(player, confirmed, award.rank if award else NO_RANK))
    return found


# ---- §3: the category of a tournament, from the conditions under which it is held (D-SSDC-8).
#
# `category_of` gives the category, and a step for each clause that lowers it from the highest.
CATEGORIES = ("highest", "first", "second", "third", "fourth")  # §3.1 §3.2
FRIENDLY = "friendly"  # §3.5
LEVELS = (*CATEGORIES, FRIENDLY)

LIMITING = 1  # §3.4: steps for each limiting factor
GUARANTEED = 2  # §3.4.3
SHUTS_OUT_THE_STRONG = 2  # §3.4.4
STRONG_RATING, STRONG_RANK = 2200, "C"  # §3.4.4
AT_BEST_FOR_A_MATCH = "fourth"  # §3.4.6

ALL_MEET = frozenset({"round-robin", "double-round-robin", "match"})
"""§3.4.1: the formats in which everyone meets everyone (D-SSDC-12)."""
FAST = frozenset({"rapid", "blitz"})
"""§3.4.1: the time classes with a strict limit."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions of a tournament that decide its category: who may play, and how."""

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
    """Whether somebody takes part by the organizer's decision, whatever their level."""
    for_a_challenger: bool = False
    """Whether it finds the challenger of a title holder, who therefore does not play in it."""
    match_of_two: bool = False
    for_a_title: bool = False
    """Whether the match is for a title."""
    assigned: str | None = None
    """The category that the organizer wants; None: the one that follows from the rest."""


class Categorised(NamedTuple):
    """The category that follows from conditions, with the steps to it."""

    category: str
    """One of `LEVELS`; `friendly` is not rated (§3.5)."""
    steps: tuple[WorkingStep, ...]
    allowed: bool
    """Whether the organizer may have what was asked for (§3.4.7); `category` is then that."""


def category_of(conditions: Conditions) -> Categorised:
    """§3.3 §3.4: the highest category, lowered for each thing that limits level, play or result."""
    level = 0
    steps = [WorkingStep("3.3", "category-starts", {}, LEVELS[level])]
    for clause, key, inputs, lowered in lowerings(conditions):
        level = min(level + lowered, len(LEVELS) - 1)
        steps.append(WorkingStep(clause, key, {**inputs, "lowered": lowered}, LEVELS[level]))
    if conditions.match_of_two:
        key = "category-title-match" if conditions.for_a_title else "category-match"
        if not conditions.for_a_title:
            level = max(level, LEVELS.index(AT_BEST_FOR_A_MATCH))
        steps.append(WorkingStep("3.4.6", key, {}, LEVELS[level]))
    if LEVELS[level] == FRIENDLY:
        steps.append(WorkingStep("3.5", "category-friendly", {}, FRIENDLY))
    return assigned(conditions.assigned, LEVELS[level], steps)


Lowering = tuple[str, str, dict[str, Value], int]
"""A reason to lower the category: the clause, the message key, the message's values, and by how
many steps.
"""


def lowerings(conditions: Conditions) -> Iterator[Lowering]:
    """§3.4.1–§3.4.5: the reasons to lower a tournament's category, in the order of the clauses."""
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
            yield "3.4.1", key, {}, LIMITING
    if conditions.division > 1:  # §3.4.2
        yield "3.4.2", "category-division", {"division": conditions.division}, conditions.division - 1
    if conditions.guaranteed_places:
        yield "3.4.3", "category-guaranteed", {}, GUARANTEED
    if conditions.for_a_challenger:
        yield "3.4.5", "category-challenger", {}, 0


def upper_limits(conditions: Conditions) -> Iterator[Lowering]:
    """§3.4.1, or in its place §3.4.4: the reason to lower that lies in a limit on rating or rank, both
    together counting once (D-SSDC-8).
    """
    if conditions.highest_rating is None and not excludes_a_rank(conditions):
        return
    limits: dict[str, Value] = {
        "rating": "—" if conditions.highest_rating is None else conditions.highest_rating,
        "rank": conditions.highest_rank or "—",
    }
    if shuts_out_the_strong(conditions):
        yield "3.4.4", "category-strong-shut-out", limits, SHUTS_OUT_THE_STRONG
    else:
        yield "3.4.1", "category-upper-limit", limits, LIMITING


def excludes_a_rank(conditions: Conditions) -> bool:
    """§3.4.1: whether the highest rank admitted keeps anybody out; that of the highest rank of all
    does not.
    """
    return conditions.highest_rank not in (None, RANKS[-1])


def shuts_out_the_strong(conditions: Conditions) -> bool:
    """§3.4.4: whether players of 2200 or more, or candidate masters, may not play."""
    rating, rank = conditions.highest_rating, conditions.highest_rank
    by_rating = rating is not None and rating < STRONG_RATING
    return by_rating or (rank is not None and height(rank) < height(STRONG_RANK))


def assigned(wanted: str | None, category: str, steps: list[WorkingStep]) -> Categorised:
    """§3.4.7: the category with the organizer's wish: a lower one than follows is given, a higher one never.

    `category`: the one that follows, by `steps`.
    """
    if wanted is None or wanted == category:
        return Categorised(category, tuple(steps), allowed=True)
    lower = LEVELS.index(wanted) > LEVELS.index(category)
    result = wanted if lower else category
    key = "category-assigned" if lower else "category-not-assigned"
    steps.append(WorkingStep("3.4.7", key, {"wanted": wanted}, result))
    return Categorised(result, tuple(steps), allowed=lower)


def conditions_in(section: Section, said: Mapping[str, Any]) -> Conditions:
    """§3.4.1–§3.4.6: the conditions of a section, as its record shows them and its organizer stated them
    (`said`).
    """
    stated = {each.name: said[each.name] for each in fields(Conditions) if said.get(each.name)}
    return Conditions(
        **stated,
        fast=section.time_class in FAST,
        not_all_meet=section.format not in ALL_MEET and len(section.entries) > 2,
        match_of_two=len(section.entries) == 2,
    )


def is_above(category: str | None, other: str) -> bool:
    return category in LEVELS and LEVELS.index(category) < LEVELS.index(other)


# ---- §1.5, §1.7, §2.4.2, §3, §4.2, §4.3: may a section be rated? Every finding, never the first.
DAYS_TO_FILE = 3  # §4.3
DAYS_TO_ANNOUNCE = 7  # §4.2
DECIDED = frozenset({"1-0", "0-1", "0-0"})
"""§1.7.1: the results after which nothing is replayed."""

FORMATS = ("swiss", "round-robin", "double-round-robin", "scheveningen", "knockout", "match")
"""§1.7: the formats that are rated: all in which games are played."""


def check(section: Section, filing: Filing) -> list[Finding]:
    """Check a filed section against the whole text: every finding, with what to do about each."""
    checks: tuple[Callable[[Section, Filing], Iterator[Finding]], ...] = (
        check_time_class,
        check_category,
        check_category_allowed,
        check_places,
        check_games,
        check_replays,
        check_announced,
        check_filed,
    )
    return [finding for each in checks for finding in each(section, filing)]


def unrateable(section: Section) -> Finding | None:
    """§1.5 §3.2 §3.5: the finding that no decision can mend: time class or category not known, or
    friendly.
    """
    findings = [*check_time_class(section, Filing()), *check_category(section, Filing())]
    return findings[0] if findings else None


def check_time_class(section: Section, filing: Filing) -> Iterator[Finding]:
    """§1.5: check that the time class is known, which the organizer states (D-SSDC-10)."""
    if section.time_class not in TRACK_OF:
        yield Finding("1.5", Level.BLOCKS, "no-time-class", where="time_class")


def check_category(section: Section, filing: Filing) -> Iterator[Finding]:
    """§3.2 §3.5: check that the tournament's category is one of the regulations', and not friendly."""
    if section.category not in LEVELS:
        yield Finding("3.2", Level.BLOCKS, "no-category", where="category")
    elif section.category == FRIENDLY:
        yield Finding("3.5", Level.BLOCKS, "friendly", where="category")


def check_category_allowed(section: Section, filing: Filing) -> Iterator[Finding]:
    """§3.4.7: check that the category is not above the one that follows from the conditions, as recorded and
    as the organizer stated them.

    Of a format the office may know more: that all met all the same (D-SSDC-12).
    """
    known = conditions_in(section, filing.said)
    certain = replace(known, not_all_meet=False)
    stated, at_best = category_of(replace(certain, match_of_two=False)), category_of(certain)
    params: dict[str, Value] = {"category": section.category, "at_best": stated.category}
    if is_above(section.category, stated.category):
        clauses = ", ".join(dict.fromkeys(step.clause for step in stated.steps[1:]))
        yield Finding("3.4.7", Level.BLOCKS, "too-high", {**params, "clauses": clauses}, "category")
    elif is_above(section.category, at_best.category):
        params["at_best"] = at_best.category
        yield Finding("3.4.6", Level.BLOCKS, "too-high-for-match", params, "category")
    elif is_above(section.category, category_of(known).category):
        params |= {"at_best": category_of(known).category, "format": section.format}
        yield Finding("3.4.1", Level.WAIVABLE, "too-high-for-format", params, "category")


def check_places(section: Section, filing: Filing) -> Iterator[Finding]:
    """§2.4.2: check that everyone has a final place, without which nobody can be proposed for a rank."""
    lacking = sum(entry.place is None for entry in section.entries)
    if lacking:
        yield Finding("2.4.2", Level.BLOCKS, "places-missing", {"players": lacking}, "places")
    elif section.entries and all(entry.place != 1 for entry in section.entries):
        yield Finding("2.4.2", Level.WAIVABLE, "nobody-first", where="players")
    else:
        yield from check_prize_places([entry.place for entry in section.entries if entry.place])


def check_prize_places(places: list[int]) -> Iterator[Finding]:
    """§2.4.2: check that each prize place is one more than the players before it."""
    for place, due in recount(places).items():
        if place <= PRIZE_PLACES and place != due:
            found: dict[str, Value] = {"place": place, "before": due - 1}
            yield Finding("2.4.2", Level.WAIVABLE, "place-out-of-line", found, f"place {place}")


def check_games(section: Section, filing: Filing) -> Iterator[Finding]:
    """§1.7: check that there is a played game, without which there is nothing to rate (§1.7.3)."""
    if not any(game.played for game in section.games):
        yield Finding("1.7", Level.WAIVABLE, "no-games", where="games")


def check_replays(section: Section, filing: Filing) -> Iterator[Finding]:
    """§1.7.1 §1.7.2: note annulled games that were not replayed, and replays of any but annulled and drawn
    games (D-SSDC-5).
    """
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
        elif section.format != "match" and any(game.result in DECIDED for game in games[:-1]):
            yield Finding("1.7.1", Level.NOTICE, "played-again", params, where)


def check_announced(section: Section, filing: Filing) -> Iterator[Finding]:
    """§4.2: check that another organizer sent in the regulations seven days before players can register.

    Where nobody said who held it, the day of registration tells: entry opens by the day of play.
    """
    held_by, sent, entry = (filing.said.get(name) for name in ("held_by", "sent_on", "entry_from"))
    if held_by == "other" and sent and entry:
        if sent > (last := entry - timedelta(DAYS_TO_ANNOUNCE)):
            days: dict[str, Value] = {"sent": sent, "last": last, "needed": DAYS_TO_ANNOUNCE}
            yield Finding("4.2", filing.late(), "announced-late", days, "sent_on")
    elif held_by == "other":
        yield Finding("4.2", filing.incomplete(), "sending-not-said", {"needed": DAYS_TO_ANNOUNCE}, "sent_on")
    elif not held_by and registered_late(section, filing):
        days = {"registered": filing.registered, "needed": DAYS_TO_ANNOUNCE}
        yield Finding("4.2", Level.NOTICE, "holder-not-said", days, "held_by")


def registered_late(section: Section, filing: Filing) -> bool:
    return filing.registered is not None and filing.registered > section.starts - timedelta(DAYS_TO_ANNOUNCE)


def deadlines(section: Section, filing: Filing) -> list[Deadline]:
    """§4.2 §4.3: the last days for another organizer to send the regulations, and for the results."""
    held_by, sent, entry = (filing.said.get(name) for name in ("held_by", "sent_on", "entry_from"))
    results = Deadline("4.3", "due-results", section.ends + timedelta(DAYS_TO_FILE), filing.handed_in)
    if held_by != "other":
        return [results]
    first = entry or section.starts  # players can register on the day of play at the latest
    return [Deadline("4.2", "due-regulations", first - timedelta(DAYS_TO_ANNOUNCE), sent), results]


def check_filed(section: Section, filing: Filing) -> Iterator[Finding]:
    """§4.3: check that the results were handed in within three days of the end, and that the file did not
    come before it.
    """
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


# ---- §1, §2: the effect of each fact: a section rated, a rating taken over, a rank confirmed.
def needs(fact: Fact) -> frozenset[PlayerId] | Needs:
    """The players whose standings `apply` reads: a section's entrants, or the one whom another fact names."""
    if isinstance(fact, RatedSection):
        return frozenset(entry.player for entry in fact.section.entries)
    return frozenset((fact.fact.player,)) if isinstance(fact.fact, Opening | Rank) else frozenset()


def apply(state: State[SsdcStanding], fact: Fact) -> Outcome[SsdcStanding]:
    """The standings that a section, an opening or a confirmed rank moves; a list moves none."""
    if isinstance(fact, RatedSection):
        return Outcome(rate(state, fact.section))
    if isinstance(fact.fact, Opening):
        return Outcome([take_over(state, fact.fact)])
    if isinstance(fact.fact, Rank):
        return Outcome(list(take_rank(state, fact.fact)))
    return Outcome([])


def rate(state: State[SsdcStanding], section: Section) -> list[Change[SsdcStanding]]:
    """§1.3: the changes that a section makes: every entrant's standing in its track."""
    (track,) = tracks_of(section)
    cards = play(state, section)
    changes = []
    for entry in section.entries:
        card = cards[entry.player]
        points = None if card.before is None or card.before.rating is None else card.rating - card.start
        after = standing_after(state, section, entry, card)
        changes.append(Change(entry.player, track, card.before, after, points))
    return changes


def standing_after(
    state: State[SsdcStanding], section: Section, entry: Entry, card: EntrantSection
) -> SsdcStanding:
    """An entrant's standing after a section: the rating after the last game, the year of play (D-SSDC-9), and
    a new ground for a rank.
    """
    (track,) = tracks_of(section)
    before = card.before or SsdcStanding()
    years = {*before.years, section.ends.year} if card.moves else before.years
    held = award_of(state, entry.player)
    award = higher(grounds(section, track, card.rating, entry.place), held)
    return SsdcStanding(
        rating=card.rating,
        games=card.games,
        years=tuple(sorted(years)),
        award=before.award if award is held else award,
        confirmed=before.confirmed,
    )


def take_over(state: State[SsdcStanding], opening: Opening) -> Change[SsdcStanding]:
    """§4.1: the change by which a rating of the list before the record is taken over, with the rated games
    behind it.

    Those games count for K, and for the list as played on the opening's day; the rating is no ground for a
    rank until a tournament leaves it (D-SSDC-11).
    """
    before = state.get(opening.player, opening.track)
    after = (before or SsdcStanding())._replace(
        rating=rounded(opening.rating),
        games=opening.games,
        years=(opening.on.year,) if opening.games else (),
    )
    return Change(opening.player, opening.track, before, after, None)


def take_rank(state: State[SsdcStanding], rank: Rank) -> tuple[Change[SsdcStanding], ...]:
    """§2.5: the change that a confirmed rank makes; no rating moves. Empty where that rank or a higher one is
    held.
    """
    found = confirm(state, rank)
    if found is None:
        return ()
    track, after = found
    before = state.get(rank.player, track)
    unmoved = None if after.rating is None else after.rating - after.rating
    return (Change(rank.player, track, before, after, unmoved),)


# ---- §4: the standings for readers: the rating list, an extract from it, a replay's answers.
GAMES_TO_BE_LISTED = 5  # §4.5
YEARS_LISTED = 2  # §4.5, D-SSDC-9: the year of the list and the one before


PROPOSAL = ("player", "held", "rank", "clause", "figure", "section")
CONFIRMED = ("player", "rank", "on", "clause", "by-play")
GROUND = "SSDC "
"""The word before the clause in the grounds of ranks that the journal writes."""


def is_listed(standing: SsdcStanding, on: date) -> bool:
    """§4.5: whether a player stands on a track's list of a day: enough rated games, one of them this year or
    last (§4.5.1).
    """
    enough = standing.games >= GAMES_TO_BE_LISTED
    return enough and any(0 <= on.year - year < YEARS_LISTED for year in standing.years)


def listed_steps(
    state: State[SsdcStanding], player: PlayerId, track: str, on: date
) -> tuple[WorkingStep, ...]:
    """§4.5, D-SSDC-9: what keeps a player on a track's list: five rated games, and one of them this year or
    last.
    """
    standing = state.get(player, track) or SsdcStanding()
    if standing.games < GAMES_TO_BE_LISTED:
        inputs = {"needed": GAMES_TO_BE_LISTED, "games": standing.games}
        return (WorkingStep("4.5", "not-yet-listed", inputs, GAMES_TO_BE_LISTED - standing.games),)
    last = max((year for year in standing.years if year <= on.year), default=0)
    if not is_listed(standing, on):
        return (WorkingStep("4.5", "off-the-list", {"year": last}),)
    return (WorkingStep("4.5", "stays-listed", {"until": date(last + YEARS_LISTED - 1, 12, 31)}),)


def status_of(standing: SsdcStanding) -> str:
    """§1.4.2: `new` until the 30th rated game of the track is played, then `rated`."""
    return "new" if is_new(standing.games) else "rated"


def rating_list(state: State[SsdcStanding], track: str, on: date) -> list[ListedPlayer]:
    """§4.1: the rating list of a day, best first; who shows the same rating shares the rank."""
    listed = (
        (player, standing.rating, standing.games, status_of(standing))
        for (player, of_track), standing in state.standings.items()
        if of_track == track and standing.rating is not None and is_listed(standing, on)
    )
    return ranked(listed, whole)


def answers(state: State[SsdcStanding], on: date) -> Iterator[Answer]:
    """The answers of a replay for every rating; one that is off the list stays as it is (§4.5)."""
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
    """§2.4: three tables of ranks: the highest for which play gives each player a ground, confirmed or not
    (D-SSDC-7); those that wait for an official; and those confirmed.
    """
    found = [(player, award_of(state, player)) for player in players_of(state)]
    ranks = [(player, award.rank, f"SSDC {award.clause}") for player, award in found if award]
    open_ = [(player, held, *award) for player, held, award in proposals(state)]
    closed = [
        (player, confirmed.rank, confirmed.on, confirmed.ground.removeprefix(GROUND), by_play)
        for player, confirmed, by_play in sorted(
            holders(state), key=lambda each: -height(each.confirmed.rank)
        )
    ]
    about = "proposals-about"
    return [
        RuleTable("ranks", ("player", "rank", "ground"), tuple(ranks), shown=False),
        RuleTable("proposals", PROPOSAL, tuple(open_), answered=False, about=about, confirms=True),
        RuleTable("confirmed-ranks", CONFIRMED, tuple(closed), answered=False, about="confirmed-ranks-about"),
    ]


def rank_steps(state: State[SsdcStanding], player: PlayerId, on: date) -> tuple[WorkingStep, ...]:
    """§2.3.2 §2.4 §2.5: the steps for a player's ranks: the one held, and one that waits for an official;
    empty for whoever took part in nothing.
    """
    confirmed, award = confirmed_of(state, player), award_of(state, player)
    if confirmed:
        clause = confirmed.ground.removeprefix(GROUND)
        step = WorkingStep(clause, "rank-held", {"on": confirmed.on}, confirmed.rank)
    elif standings_of(state, player):
        step = WorkingStep("2.3.2", "rank-none", {})
    else:
        return ()
    if award is None or height(award.rank) <= height(rank_of(state, player)):
        return (step,)
    return step, WorkingStep(award.clause, "rank-proposed", {}, award.rank)


def extract(state: State[SsdcStanding], player: PlayerId, on: date) -> Extract | None:
    """§4.6: the certificate of a player's confirmed rank and ratings; None of somebody who took part in
    nothing.

    `state` is that of the day (`resolve(journal, on)`), and `on` the day for the list's conditions.
    """
    rows = []
    for track in (CLASSIC, RAPID):
        standing = state.get(player, track)
        if standing is not None and standing.rating is not None:
            rating, games = standing.rating, standing.games
            shown, listed = whole(rating), is_listed(standing, on)
            rows.append(ExtractRow(track, rating, shown, games, status_of(standing), listed))
    return Extract(player, on, rank_of(state, player), tuple(rows)) if rows else None


# ---- The working of a change: each game in turn, told to somebody with a pencil.
def explain(state: State[SsdcStanding], fact: Fact, player: PlayerId, track: str) -> Working:
    """Explain the change that the fact made to that player in that track; `state` is that before the fact."""
    kinds: dict[type, Explain] = {
        RatedSection: explain_section,
        Opening: partial(explain_opening, "4.1", take_over),
        Rank: explain_rank,
    }
    return explain_by_kind(kinds, state, fact, player, track)


def explain_section(state: State[SsdcStanding], fact: RatedSection, player: PlayerId, track: str) -> Working:
    section = fact.section
    entry = next((entry for entry in section.entries if entry.player == player), None)
    if entry is None or track not in tracks_of(section):
        return NOTHING
    card = play(state, section)[player]
    after = standing_after(state, section, entry, card)
    held = award_of(state, player)
    steps, summary = [start_step(card), *game_steps(card)], list(summary_steps(card))
    for ground in grounds(section, track, card.rating, entry.place):
        key = "ground-by-rating" if ground.clause == "2.4.1" else "ground-by-place"
        inputs: dict[str, Value] = {"figure": ground.figure, "category": section.category}
        steps.append(WorkingStep(ground.clause, key, inputs, ground.rank))
        summary.append(WorkingStep(ground.clause, "in-short-ground", {}, ground.rank))
    if after.award and (held is None or height(after.award.rank) > height(held.rank)):
        steps.append(WorkingStep("2.5", "proposed", {"before": rank_of(state, player)}, after.award.rank))
    steps.append(WorkingStep("4.1", "rated-after", {"games": card.games}, card.rating))
    return Working(tuple(steps), game_lines(section, player, card), tuple(summary), bars=bars_of(card))


def bars_of(card: EntrantSection) -> tuple[Bar, ...]:
    """§1.4: the score beside the expected score, over all games."""
    if not card.moves:
        return ()
    score = sum((move.score for move in card.moves), Decimal(0))
    expected = sum((move.expected for move in card.moves), Decimal(0))
    return Bar("bar-scored", score), Bar("bar-expected", expected)


def summary_steps(card: EntrantSection) -> Iterator[WorkingStep]:
    """§1.4: the summary of a section for an entrant: score, expected score and K over all games, the rating
    before and after.
    """
    if not card.moves:
        first = card.before is None or card.before.rating is None
        yield WorkingStep("1.6" if first else "1.7", f"in-short-no-game{'-first' * first}", {}, card.rating)
        return
    inputs: dict[str, Value] = {
        "score": sum((move.score for move in card.moves), Decimal(0)),
        "expected": sum((move.expected for move in card.moves), Decimal(0)),
        "k": card.moves[0].k,
        "later": card.moves[-1].k,
        "start": card.start,
        "change": card.rating - card.start,
    }
    several = len({move.k for move in card.moves}) > 1
    yield WorkingStep("1.4.2", "in-short-several-ks" if several else "in-short", inputs, card.rating)


def start_step(card: EntrantSection) -> WorkingStep:
    """The step for the rating before the section; for whoever enters for the first time, the initial one
    (§1.6).
    """
    if card.before is None or card.before.rating is None:
        return WorkingStep("1.6", "initial", {}, card.start)
    return WorkingStep("1.4", "came-with", {"games": card.before.games}, card.start)


def game_steps(card: EntrantSection) -> Iterator[WorkingStep]:
    """§1.4.1 §1.4.2: the steps of each game in turn; K is told where it is another than before."""
    k = None
    for move in card.moves:
        inputs: dict[str, Value] = {"round": move.game.round, "own": move.own, "other": move.other}
        yield WorkingStep("1.4.1", "expected", inputs, move.expected)
        if move.k != k:
            yield k_step(move)
            k = move.k
        inputs = {"own": move.own, "k": move.k, "score": move.score, "expected": move.expected}
        yield WorkingStep("1.4.2", "after-game", inputs, move.after)


def k_step(move: RatedGame) -> WorkingStep:
    inputs: dict[str, Value] = {"number": move.games + 1, "new_for": NEW_FOR, "rating": move.own}
    if is_new(move.games):
        return WorkingStep("1.4.2", "k-new", inputs, move.k)
    return WorkingStep("1.4.2", "k-high" if move.own >= HIGH_FROM else "k-usual", inputs, move.k)


# ------------------------------------------------------------------------------- the games
def game_lines(section: Section, player: PlayerId, card: EntrantSection) -> tuple[GameLine, ...]:
    """The lines of a player's working, by round; rated games in the order of play."""
    moves = iter(card.moves)
    games = sorted(section.games, key=lambda game: game.round)

    def line_of(game: Game) -> GameLine:
        """§1.7.2 §1.7.3: the line of a game; one without play is not rated."""
        return played_line(next(moves)) if game.played else unplayed_line(game, player)

    return lines_by_round(player, games, section.byes, line_of)


def played_line(move: RatedGame) -> GameLine:
    game = move.game
    first = game.first == move.player
    return GameLine(game.round, move.opponent, first, game.result, move.other, move.expected, move.score)


# ------------------------------------------------------------------------------- ranks
def explain_rank(state: State[SsdcStanding], rank: Rank, player: PlayerId, track: str) -> Working:
    steps = tuple(rank_working(state, rank, player, track))
    return Working(steps, summary=tuple(step._replace(key="in-short-confirmed") for step in steps))


def rank_working(
    state: State[SsdcStanding], rank: Rank, player: PlayerId, track: str
) -> Iterator[WorkingStep]:
    """§2.5: the steps of a confirmation: the rank before and after, and the ground that the official gave."""
    for change in take_rank(state, rank):
        if (change.player, change.track) == (player, track):
            inputs: dict[str, Value] = {
                "before": rank_of(state, player),
                "ground": rank.ground,
                "on": rank.on,
            }
            yield WorkingStep("2.5", "confirmed", inputs, rank.rank)


__all__ = [
    "CATEGORIES",
    "FORMATS",
    "FRIENDLY",
    "RANKS",
    "REQUIREMENTS",
    "Conditions",
    "answers",
    "apply",
    "category_of",
    "check",
    "deadlines",
    "explain",
    "extract",
    "holders",
    "listed_steps",
    "needs",
    "performances",
    "proposals",
    "rank_steps",
    "rating_list",
    "tables",
    "tracks_of",
    "unrateable",
]


def performances(state: State[SsdcStanding], fact: RatedSection, track: str) -> Mapping[PlayerId, Decimal]:
    """No performances: the text knows none."""
    return {}


PARAMETERS: Parameters = (
    Parameter("1.4.1", _("Points of difference for ten to one"), SCALE),
    Parameter("1.4.2", _("K of a new player"), K_NEW),
    Parameter("1.4.2", _("Games for which a player is new"), NEW_FOR),
    Parameter("1.4.2", _("K of the highest ratings"), K_HIGH),
    Parameter("1.4.2", _("The highest ratings begin at"), HIGH_FROM),
    Parameter("1.4.2", _("K otherwise"), K_USUAL),
    Parameter("1.6.1", _("Initial rating"), INITIAL),
    Grid(
        "2.4.1",
        _("Rank by classic rating"),
        (_("From"), _("Sports rank")),
        BY_RATING,
    ),
    Grid(
        "2.4.2",
        _("Rank by place"),
        (_("Category"), *(str(place) for place in range(1, PRIZE_PLACES + 1))),
        tuple(
            (category, *prizes, *[None] * (PRIZE_PLACES - len(prizes)))
            for category, prizes in BY_PLACE.items()
        ),
    ),
    Parameter("3.4", _("Steps for each limiting factor"), LIMITING),
    Parameter("3.4.3", _("Steps for a guaranteed place"), GUARANTEED),
    Parameter("3.4.4", _("Steps where the strong are shut out"), SHUTS_OUT_THE_STRONG),
    Parameter("3.4.4", _("Strong from so high a rating on"), STRONG_RATING),
    Parameter("3.4.4", _("Strong from this rank on"), STRONG_RANK),
    Parameter("4.2", _("Days ahead for sending the regulations"), DAYS_TO_ANNOUNCE),
    Parameter("4.3", _("Days to send the results"), DAYS_TO_FILE),
    Parameter("4.5", _("Games to be listed"), GAMES_TO_BE_LISTED),
    Parameter("D-SSDC-9", _("Calendar years in which one of them was played"), YEARS_LISTED),
)
