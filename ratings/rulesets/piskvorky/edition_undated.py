"""The rating system of Czech piškvorky, undated."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import partial
from typing import NamedTuple

from ratings.rulesets.facts import (
    PLAYED,
    Answer,
    Bar,
    Change,
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
    RatedSection,
    RuleTable,
    Section,
    State,
    Terms,
    Value,
    Working,
    WorkingStep,
    ranked,
)
from ratings.rulesets.piskvorky.parameters import NUMBERS
from ratings.rulesets.piskvorky.standing import PiskvorkyStanding, round_to_whole
from ratings.rulesets.ruleset import Requirement
from ratings.rulesets.workings import (
    EMPTY_WORKING,
    contributions_table,
    explain_by_kind,
    explain_opening,
    lines_by_round,
    unplayed_line,
)

# ---- Acceptance: the text requires nothing, but odd things are noted
FORMATS = ("swiss", "round-robin", "double-round-robin", "scheveningen", "knockout", "match")
"""The formats that are rated: the text names none, so all in which games are played."""


def check(section: Section, filing: Filing) -> list[Finding]:
    return [*check_games(section), *check_both_lost(section, filing)]


def check_games(section: Section) -> Iterator[Finding]:
    """§6: check that there is a played game, as a tournament without one could be a founding one."""
    if not any(game.played for game in section.games):
        yield Finding("6", Level.WAIVABLE, "no-games", where="games")


def check_both_lost(section: Section, filing: Filing) -> Iterator[Finding]:
    """§5: note each game that both players lost, as that is more often a slip."""
    for game in section.games:
        if game.result == "0-0":
            params: dict[str, Value] = {
                "round": game.round,
                "first": filing.name_of(game.first),
                "second": filing.name_of(game.second),
            }
            yield Finding("5", Level.NOTICE, "both-lost-filed", params, f"round {game.round}")


REQUIREMENTS = (Requirement(("6",), before_play=False),)
"""The list before play, in the order of an organizer's work."""


# ---- §2, §5–§7: formulas and the table
GAMES_TO_ESTABLISH = NUMBERS.whole("2.games")  # §2
POINTS_TO_ESTABLISH = NUMBERS.decimal("2.points")  # §2

NOVICE_SPAN = NUMBERS.whole("5.span")  # §5
FOUNDING_BASE, FOUNDING_SPAN = NUMBERS.decimal("6.base"), NUMBERS.whole("6.span")  # §6

HALF = Decimal("0.5")


class Band(NamedTuple):
    """A row of the table: the points that a game moves, by its result."""

    most: int
    """The largest difference of ratings in the row."""
    higher_wins: int
    lower_wins: int
    draw: int
    """The points that the lower rated player gains."""


POINTS_TABLE = tuple(Band(*row) for row in NUMBERS.rows("7.points"))
"""§7: the table of points as printed."""


def band_of(difference: Decimal) -> Band:
    """§7: the table row for a difference of ratings; the last row also holds beyond its end (D-PIS-4)."""
    gap = abs(difference)
    return next((band for band in POINTS_TABLE if gap <= band.most), POINTS_TABLE[-1])


def points_gained(own: Decimal, other: Decimal, scores: tuple[Decimal, Decimal]) -> int:
    """§7: the points that an established player gains in a game with another, who loses them (D-PIS-4).

    `own`, `other`: the ratings before the tournament; `scores`: both scores. None are moved if both lost.
    """
    band, mine, theirs = band_of(own - other), *scores
    if mine == theirs:
        drawn = band.draw if mine else 0
        return drawn if own < other else -drawn
    winner, loser = (own, other) if mine > theirs else (other, own)
    points = band.higher_wins if winner >= loser else band.lower_wins
    return points if mine > theirs else -points


def founding_rating(wins: int, losses: int, games: int) -> Decimal:
    """§6: the rating from founding games, unrounded: 1600 and 400 times the balance a game (D-PIS-3)."""
    return FOUNDING_BASE if not games else FOUNDING_BASE + Decimal(FOUNDING_SPAN * (wins - losses)) / games


def novice_rating(opponents_sum: Decimal, wins: int, losses: int, games: int) -> Decimal:
    """§5: a novice's rating, unrounded: the opponents' mean and 250 times the balance a game, divided once.

    `opponents_sum`: the sum of the opponents' ratings.
    """
    return (opponents_sum + NOVICE_SPAN * (wins - losses)) / games


def points_of(wins: int, losses: int, games: int) -> Decimal:
    """D-PIS-1: the points from games won, lost and drawn; a draw is half a point."""
    return wins + HALF * (games - wins - losses)


def is_established(wins: int, losses: int, games: int) -> bool:
    """§2: whether a novice's rating is established, by games against established players."""
    return games >= GAMES_TO_ESTABLISH and points_of(wins, losses, games) >= POINTS_TO_ESTABLISH


# ---- §1: the rating list and answers
def rating_list(state: State[PiskvorkyStanding], track: str, on: date) -> list[ListedPlayer]:
    """The rating list: all players with an established rating, best first; equal ratings share a rank."""
    return ranked(
        (player, standing.rating, standing.games, standing.status)
        for (player, of_track), standing in state.standings.items()
        if of_track == track and standing.established and standing.rating is not None
    )


def answers(state: State[PiskvorkyStanding], on: date) -> Iterator[Answer]:
    """The answers of a replay for every standing; established players are listed."""
    for (player, track), standing in state.standings.items():
        yield Answer(
            player=player,
            track=track,
            status=standing.status,
            rating=standing.rating,
            games=standing.games,
            listed=standing.established,
        )


def listed_steps(
    state: State[PiskvorkyStanding], player: PlayerId, track: str, on: date
) -> tuple[WorkingStep, ...]:
    """§2: the step that says whether a player is on the list: once established, for good."""
    standing = state.get(player, track) or PiskvorkyStanding()
    if standing.established:
        return (WorkingStep("2", "stays-listed", {}),)
    inputs: dict[str, Value] = {
        "games": standing.games,
        "least_games": GAMES_TO_ESTABLISH,
        "points": points_of(standing.wins, standing.losses, standing.games),
        "least_points": POINTS_TO_ESTABLISH,
    }
    return (WorkingStep("2", "not-yet-listed", inputs),)


def tables(state: State[PiskvorkyStanding], on: date) -> list[RuleTable]:
    """No tables: these rules give ratings alone."""
    return []


# ---- §1–§7: the effect of tournaments and openings
TRACK = "rating"
FOUNDING_TOURNAMENTS = NUMBERS.whole("6.tournaments")  # §6


class PlayedGame(NamedTuple):
    """One played game from one player's side."""

    game: Game
    opponent: PlayerId
    first: bool
    scores: tuple[Decimal, Decimal]
    """The scores of the player and of the opponent."""
    opponent_before: PiskvorkyStanding
    """§4"""


@dataclass(slots=True)
class EntrantGames:
    """One entrant's played games in a tournament."""

    before: PiskvorkyStanding
    """§4: the standing before the tournament, which holds until it is over."""
    games: list[PlayedGame] = field(default_factory=list)

    def rated_games(self, *, founding: bool) -> Iterator[PlayedGame]:
        """§3 §6: the games that enter the rating: all in a founding tournament, else those with established
        players.
        """
        return (played for played in self.games if founding or played.opponent_before.established)


def needs(fact: Fact) -> frozenset[PlayerId] | Needs:
    """The players whose standings `apply` reads: a tournament's entrants, or an opening's player."""
    if isinstance(fact, RatedSection):
        return frozenset(entry.player for entry in fact.section.entries)
    return frozenset((fact.fact.player,)) if isinstance(fact.fact, Opening) else frozenset()


def apply(state: State[PiskvorkyStanding], fact: Fact) -> Outcome[PiskvorkyStanding]:
    """The changes that a fact makes, and the number of founding tournaments so far."""
    if isinstance(fact, RatedSection):
        return rate(state, fact.section)
    if isinstance(fact.fact, Opening):
        # an office that begins with ratings has had its founding tournaments (§6)
        return Outcome([apply_opening(state, fact.fact)], FOUNDING_TOURNAMENTS)
    return Outcome([], state.wide)


def is_founding(state: State[PiskvorkyStanding]) -> bool:
    """§6: whether the next tournament is one of the first two in the order of play (D-PIS-7)."""
    return (state.wide or 0) < FOUNDING_TOURNAMENTS


def rate(state: State[PiskvorkyStanding], section: Section) -> Outcome[PiskvorkyStanding]:
    founding = is_founding(state)
    changes = []
    for player, entrant in games_by_player(state, section).items():
        before = state.get(player, TRACK)
        after = standing_after(entrant, founding=founding)
        both = before and before.rating is not None and after.rating is not None
        points = after.rating - before.rating if both else None  # type: ignore[union-attr,operator]
        changes.append(Change(player, TRACK, before, after, points))
    return Outcome(changes, (state.wide or 0) + 1 if founding else state.wide)


def games_by_player(state: State[PiskvorkyStanding], section: Section) -> Mapping[PlayerId, EntrantGames]:
    """§4: each entrant's standing before the tournament, and played games."""
    entrants = {
        entry.player: EntrantGames(state.get(entry.player, TRACK) or PiskvorkyStanding())
        for entry in section.entries
    }
    for game in section.games:
        if not game.played:
            continue
        scores = PLAYED[game.result]
        first, second = entrants[game.first], entrants[game.second]
        first.games.append(PlayedGame(game, game.second, True, scores, second.before))
        second.games.append(PlayedGame(game, game.first, False, (scores[1], scores[0]), first.before))
    return entrants


def standing_after(entrant: EntrantGames, *, founding: bool) -> PiskvorkyStanding:
    """§3: an entrant's standing after a tournament."""
    if founding:
        return founding_standing(entrant)
    return established_standing(entrant) if entrant.before.established else novice_standing(entrant)


NOBODY = PiskvorkyStanding()


def count_results(
    entrant: EntrantGames, *, founding: bool, before: PiskvorkyStanding = NOBODY
) -> tuple[int, int, int]:
    """An entrant's wins, losses and games in a tournament, added to those of the standing `before`.

    A game that both lost is a loss of each.
    """
    wins, losses, games = before.wins, before.losses, before.games
    for played in entrant.rated_games(founding=founding):
        mine, theirs = played.scores
        wins += mine > theirs
        losses += mine < theirs or not mine
        games += 1
    return wins, losses, games


def founding_standing(entrant: EntrantGames) -> PiskvorkyStanding:
    """§6: the standing after a founding tournament, by all founding games so far (D-PIS-3)."""
    wins, losses, games = count_results(entrant, founding=True, before=entrant.before)
    rating = round_to_whole(founding_rating(wins, losses, games))
    return PiskvorkyStanding(rating, games, True, wins, losses)


def novice_standing(entrant: EntrantGames) -> PiskvorkyStanding:
    """§5: a novice's standing after a tournament, by all games with established players so far (D-PIS-1).

    Once the rating is established (§2), the collected numbers are dropped.
    """
    wins, losses, games = count_results(entrant, founding=False, before=entrant.before)
    opposition = opposition_sum(entrant)
    if not games:
        return NOBODY  # D-PIS-5
    rating = round_to_whole(novice_rating(opposition, wins, losses, games))
    if is_established(wins, losses, games):
        return PiskvorkyStanding(rating, games, True)
    return PiskvorkyStanding(rating, games, False, wins, losses, opposition)


def opposition_sum(entrant: EntrantGames) -> Decimal:
    """§5: the sum of the established opponents' ratings, over all of a novice's games so far."""
    return sum(ratings_met(entrant), entrant.before.opposition)


def ratings_met(entrant: EntrantGames) -> tuple[Decimal, ...]:
    """§5: the ratings of the established opponents in a novice's games of this tournament."""
    ratings = [played.opponent_before.rating for played in entrant.rated_games(founding=False)]
    return tuple(rating for rating in ratings if rating is not None)


def established_standing(entrant: EntrantGames) -> PiskvorkyStanding:
    """§7: an established player's standing after a tournament, by the sum of gains and losses (D-PIS-4)."""
    assert entrant.before.rating is not None  # established
    gains = rated_game_gains(entrant)
    return PiskvorkyStanding(entrant.before.rating + sum(gains), entrant.before.games + len(gains), True)


def rated_game_gains(entrant: EntrantGames) -> list[int]:
    """§7: the points that an established player gains in each game with another."""
    own = entrant.before.rating
    assert own is not None  # established
    return [
        points_gained(own, played.opponent_before.rating, played.scores)
        for played in entrant.rated_games(founding=False)
        if played.opponent_before.rating is not None  # established
    ]


def apply_opening(state: State[PiskvorkyStanding], opening: Opening) -> Change[PiskvorkyStanding]:
    """§1: the change by which a rating from before the record is taken over as established."""
    after = PiskvorkyStanding(round_to_whole(opening.rating), opening.games, True)
    return Change(opening.player, TRACK, state.get(opening.player, TRACK), after, None)


# ---- Workings
def explain_section(
    state: State[PiskvorkyStanding], fact: RatedSection, player: PlayerId, track: str
) -> Working:
    entrant = games_by_player(state, fact.section).get(player)
    if entrant is None:
        return EMPTY_WORKING
    founding = is_founding(state)
    after = standing_after(entrant, founding=founding)
    if founding:
        steps = founding_steps(entrant, after, number=(state.wide or 0) + 1)
    elif entrant.before.established:
        steps = established_steps(entrant, after)
    else:
        steps = novice_steps(entrant, after)
    end = WorkingStep("1", f"after-{after.status}", {"games": after.games}, after.rating)
    summary = tuple(summary_steps(entrant, after, founding=founding))
    lines = game_lines(fact.section, player, entrant, founding=founding)
    return Working((*steps, end), lines, summary, bars=() if founding else tuple(bars_of(entrant)))


def bars_of(entrant: EntrantGames) -> Iterator[Bar]:
    """§7: the points that an established player gained and lost in games, and their sum."""
    if not entrant.before.established:
        return
    points = rated_game_gains(entrant)
    gained, lost = sum(each for each in points if each > 0), sum(each for each in points if each < 0)
    if gained or lost:
        yield Bar("bar-gained", Decimal(gained))
        yield Bar("bar-lost", Decimal(lost))
        yield Bar("bar-all", Decimal(gained + lost))


def summary_steps(
    entrant: EntrantGames, after: PiskvorkyStanding, *, founding: bool
) -> Iterator[WorkingStep]:
    """The summary of a tournament for a player."""
    before = entrant.before
    collected = founding or not before.established
    wins, losses, games = count_results(entrant, founding=founding, before=before if collected else NOBODY)
    inputs: dict[str, Value] = {"before": before.rating, "wins": wins, "losses": losses, "games": games}
    if founding:
        yield WorkingStep("6", f"in-short-founding{'' if games else '-none'}", inputs, after.rating)
    elif before.established:
        inputs["change"] = (after.rating or 0) - (before.rating or 0)
        yield WorkingStep("7", "in-short-established" if games else "in-short-no-games", inputs, after.rating)
    elif after.rating is None:
        yield WorkingStep("D-PIS-5", "in-short-nobody-met", {})
    else:
        inputs["mean"] = opposition_sum(entrant) / games
        yield WorkingStep("5", "in-short-novice", inputs, after.rating)
        if after.established:
            yield WorkingStep("2", "in-short-establishes", {})


def collected_table(
    working: Working, newest_first: Iterable[tuple[int, PiskvorkyStanding]]
) -> RuleTable | None:
    """§5, §6, D-PIS-1: the games of earlier tournaments that a novice's or a founding rating takes up."""
    keys = {step.key for step in working.steps}
    if "added-games" not in keys:
        return None
    fields = {"games-met": "games", "wins": "wins", "losses": "losses"}
    if "novice-opposition" in keys:
        fields["opposition"] = "opposition"
    return contributions_table("earlier", fields, lambda standing: True, PiskvorkyStanding(), newest_first)


def founding_steps(entrant: EntrantGames, after: PiskvorkyStanding, *, number: int) -> Iterator[WorkingStep]:
    """§6: the steps to a rating from founding games; `number`: of the founding tournament."""
    wins, losses, games = count_results(entrant, founding=True)
    now: dict[str, Value] = {"number": number, "wins": wins, "losses": losses, "games": games}
    yield WorkingStep("6", "founding-games", now)
    if entrant.before.games:
        yield from added_steps(entrant, founding=True)
    wins, losses, games = count_results(entrant, founding=True, before=entrant.before)
    exact = founding_rating(wins, losses, games)
    if not games:
        yield WorkingStep("D-PIS-3", "founding-no-game", {}, exact)
        return
    inputs: dict[str, Value] = {"wins": wins, "losses": losses, "games": games}
    yield WorkingStep("6", "founding-formula", inputs, exact)
    yield WorkingStep("D-PIS-2", "rounded", {"exact": exact}, after.rating)


def novice_steps(entrant: EntrantGames, after: PiskvorkyStanding) -> Iterator[WorkingStep]:
    """§3, §5, §2: the steps of a novice, whose games are collected until they establish a rating."""
    before = entrant.before
    wins, losses, games = count_results(entrant, founding=False)
    yield WorkingStep("3", "novice-games", {"wins": wins, "losses": losses, "games": games})
    wins, losses, games = count_results(entrant, founding=False, before=before)
    if not games:
        yield WorkingStep("D-PIS-5", "novice-nobody-met", {})
        return
    inputs: dict[str, Value] = {"wins": wins, "losses": losses, "games": games}
    if before.games:
        yield from added_steps(entrant, founding=False)
    else:
        yield WorkingStep("D-PIS-1", "novice-collected", inputs)
    opposition = opposition_sum(entrant)
    ratings: dict[str, Value | Terms] = {"before": before.opposition, "met": ratings_met(entrant)}
    yield WorkingStep("5", "novice-opposition", ratings, opposition)
    mean = opposition / games
    yield WorkingStep("5", "novice-mean", {"opposition": opposition, "games": games}, mean)
    exact = novice_rating(opposition, wins, losses, games)
    yield WorkingStep("5", "novice-formula", {**inputs, "mean": mean}, exact)
    yield WorkingStep("D-PIS-2", "rounded", {"exact": exact}, after.rating)
    needed: dict[str, Value] = {"least_games": GAMES_TO_ESTABLISH, "least_points": POINTS_TO_ESTABLISH}
    reached: dict[str, Value] = {"games": games, "points": points_of(wins, losses, games)}
    yield WorkingStep("2", "establishes" if after.established else "stays-novice", {**needed, **reached})


def added_steps(entrant: EntrantGames, *, founding: bool) -> Iterator[WorkingStep]:
    """§5 §6: the steps that add a tournament's games, wins and losses to those before."""
    before = entrant.before
    counted = (
        (before.wins, before.losses, before.games),
        count_results(entrant, founding=founding),
        count_results(entrant, founding=founding, before=before),
    )
    wins, losses, games = zip(*counted, strict=True)
    for key, (earlier, now, total) in (("games", games), ("wins", wins), ("losses", losses)):
        yield WorkingStep("D-PIS-1", f"added-{key}", {"before": earlier, "now": now}, total)


def established_steps(entrant: EntrantGames, after: PiskvorkyStanding) -> Iterator[WorkingStep]:
    """§4, §7: the steps of an established player: each game's gain, and their sum."""
    own, gains = entrant.before.rating or Decimal(0), rated_game_gains(entrant)
    yield WorkingStep("4", "came-with", {"games": entrant.before.games}, own)
    for played, points in zip(entrant.rated_games(founding=False), gains, strict=True):
        yield gain_step(own, played, points)
    yield WorkingStep("7", "all-gains", {"points": tuple(gains)}, sum(gains))
    yield WorkingStep("7", "sum", {"rating": own, "points": sum(gains)}, after.rating)


def gain_step(own: Decimal, played: PlayedGame, points: int) -> WorkingStep:
    """§7: the step for one game, with the table row that gives its points."""
    other = played.opponent_before.rating or Decimal(0)
    mine, theirs = played.scores
    inputs: dict[str, Value] = {
        "round": played.game.round,
        "own": own,
        "other": other,
        "difference": abs(own - other),
        "row": band_range(own - other),
    }
    if mine == theirs:
        return WorkingStep("7", "drawn" if mine else "both-lost", inputs, points)
    winner, loser = (own, other) if mine > theirs else (other, own)
    return WorkingStep("7", "higher-won" if winner >= loser else "lower-won", inputs, points)


def band_range(difference: Decimal) -> str:
    """§7: the least and greatest difference of the table row for a difference, as text."""
    row = POINTS_TABLE.index(band_of(difference))
    return f"{POINTS_TABLE[row - 1].most + 1 if row else 0}–{POINTS_TABLE[row].most}"


def game_lines(
    section: Section, player: PlayerId, entrant: EntrantGames, *, founding: bool
) -> tuple[GameLine, ...]:
    games = iter(entrant.games)

    def line_of(game: Game) -> GameLine:
        if not game.played:
            return unplayed_line(game, player)
        played, rating, score, note = next(games), None, None, "against-novice"
        if founding or played.opponent_before.established:  # §3 §6
            rating, score, note = None if founding else played.opponent_before.rating, played.scores[0], ""
        return GameLine(game.round, played.opponent, played.first, game.result, rating, None, score, note)

    return lines_by_round(player, section.games, section.byes, line_of)


explain = explain_by_kind(
    {RatedSection: explain_section, Opening: partial(explain_opening, "1", apply_opening)}
)


def tracks_of(section: Section) -> tuple[str, ...]:
    """§1: the tracks that a section moves, which is always the same one."""
    return (TRACK,)


def expected_score(own: Decimal, other: Decimal) -> float:
    """§7: the expected score that the table implies: that at which a game moves nothing on the average."""
    band = band_of(own - other)
    higher = band.lower_wins / (band.higher_wins + band.lower_wins)
    return higher if own >= other else 1 - higher


def measure(
    state: State[PiskvorkyStanding], fact: Fact, changes: Sequence[Change[PiskvorkyStanding]]
) -> Iterator[Measured]:
    """§7: the expected score of each game between established players, and the points by clause: of the table
    (§7), novices (§5), founding tournaments (§6), ratings taken over (§1).
    """
    if not isinstance(fact, RatedSection):
        if isinstance(fact.fact, Opening):
            yield Measured(TRACK, (), (("1", float(fact.fact.rating)),))
        return
    founding = is_founding(state)
    predictions = []
    if not founding:
        for entrant in games_by_player(state, fact.section).values():
            own = entrant.before.rating
            for game, opponent, first, scores, against in entrant.games:
                if not (first and entrant.before.established and against.established and any(scores)):
                    continue
                assert own is not None  # established
                assert against.rating is not None  # established
                expected, score = expected_score(own, against.rating), float(scores[0])
                pair = (game.first, opponent)
                predictions.append(Prediction(*pair, float(own), float(against.rating), expected, score))
    points = {"5": 0.0, "6": 0.0, "7": 0.0}
    for _player, _track, before, after, _points in changes:
        clause = "6" if founding else "7" if before and before.established else "5"
        points[clause] += float((after.rating or 0) - ((before and before.rating) or 0))
    yield Measured(TRACK, predictions, tuple(points.items()))


def compute_performances(
    state: State[PiskvorkyStanding], fact: RatedSection, track: str
) -> Mapping[PlayerId, Decimal]:
    """No performances, as the text has none."""
    return {}
