"""The working of a change, told to somebody with a pencil."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import partial
from itertools import takewhile

from ratings.law.facts import Fact, Game, Opening, PlayerId, RatedSection, Section, State
from ratings.law.rule_outputs import Bar, GameLine, RuleTable, Value, Working, WorkingStep
from ratings.law.ruleset_helpers.common_workings import (
    NOTHING,
    Explain,
    explain_by_kind,
    explain_opening,
    lines_by_round,
    unplayed_line,
)
from ratings.rulesets.piskvorky.edition_undated.formulas import (
    GAMES_TO_ESTABLISH,
    POINTS_TO_ESTABLISH,
    TABLE,
    band_of,
    founding_rating,
    is_established,
    novice_rating,
    points_of,
)
from ratings.rulesets.piskvorky.edition_undated.rating import (
    EntrantGames,
    PlayedGame,
    cards_of,
    gain_of,
    is_founding,
    met_by,
    standing_after,
    take_over,
    tally,
)
from ratings.rulesets.piskvorky.law.standing import PiskvorkyStanding

EARLIER = ("line", "games-met", "wins", "losses", "opposition")


def explain(state: State[PiskvorkyStanding], fact: Fact, player: PlayerId, track: str) -> Working:
    """Explain what the fact did to that player; `state` is that before the fact."""
    kinds: dict[type, Explain] = {
        RatedSection: explain_section,
        Opening: partial(explain_opening, "1", take_over),
    }
    return explain_by_kind(kinds, state, fact, player, track)


def explain_section(
    state: State[PiskvorkyStanding], fact: RatedSection, player: PlayerId, track: str
) -> Working:
    card = cards_of(state, fact.section).get(player)
    if card is None:
        return NOTHING
    founding = is_founding(state)
    if founding:
        steps = founding_steps(card, number=(state.wide or 0) + 1)
    elif card.before.established:
        steps = established_steps(card)
    else:
        steps = novice_steps(card)
    after = standing_after(card, founding=founding)
    end = WorkingStep("1", f"after-{after.status}", {"games": after.games}, after.rating)
    summary = tuple(summary_steps(card, after, founding=founding))
    lines = game_lines(fact.section, player, card, founding=founding)
    return Working((*steps, end), lines, summary, bars=() if founding else tuple(bars_of(card)))


def bars_of(card: EntrantGames) -> Iterator[Bar]:
    """§7: the points that an established player gained and lost in games, and both together."""
    if not card.before.established:
        return
    points = [gain_of(card.before, played) for played in card.counted(founding=False)]
    gained, lost = sum(each for each in points if each > 0), sum(each for each in points if each < 0)
    if gained or lost:
        yield Bar("bar-gained", Decimal(gained))
        yield Bar("bar-lost", Decimal(lost))
        yield Bar("bar-all", Decimal(gained + lost))


def summary_steps(card: EntrantGames, after: PiskvorkyStanding, *, founding: bool) -> Iterator[WorkingStep]:
    """The summary of a tournament for a player: the formula, the games that it takes, the ratings before and
    after.
    """
    wins, losses, games = tally(card.counted(founding=founding))
    before, inputs = card.before, dict[str, Value](before=card.before.rating)
    if founding:
        inputs |= {
            "wins": before.wins + wins,
            "losses": before.losses + losses,
            "games": before.games + games,
        }
        yield WorkingStep(
            "6", "in-short-founding" if inputs["games"] else "in-short-founding-none", inputs, after.rating
        )
    elif before.established:
        inputs |= {
            "games": games,
            "wins": wins,
            "losses": losses,
            "change": (after.rating or 0) - (before.rating or 0),
        }
        yield WorkingStep("7", "in-short-established" if games else "in-short-no-games", inputs, after.rating)
    elif after.rating is None:
        yield WorkingStep("D-PIS-5", "in-short-nobody-met", {})
    else:
        wins, losses, games = before.wins + wins, before.losses + losses, before.games + games
        opposition = before.opposition + met_by(card)
        inputs |= {"wins": wins, "losses": losses, "games": games, "mean": opposition / games}
        yield WorkingStep("5", "in-short-novice", inputs, after.rating)
        if after.established:
            yield WorkingStep("2", "in-short-establishes", {})


def collected(before: Iterable[tuple[int, PiskvorkyStanding]]) -> RuleTable | None:
    """§5: a table of what each earlier tournament brought a novice (D-PIS-1), as `PlayerFigures.collected`
    asks; None: nothing yet.
    """
    novice = list(takewhile(lambda each: not each[1].established, before))[::-1]
    rows: list[tuple[Value, ...]] = []
    known = PiskvorkyStanding()
    for line, one in novice:
        if one.games > known.games:
            wins, losses = one.wins - known.wins, one.losses - known.losses
            rows.append((line, one.games - known.games, wins, losses, one.opposition - known.opposition))
        known = one
    return RuleTable("earlier", EARLIER, tuple(rows), answered=False) if rows else None


def founding_steps(card: EntrantGames, *, number: int) -> Iterator[WorkingStep]:
    """§6: the steps to a rating formed from founding games; `number`: which of the founding tournaments this
    is.
    """
    wins, losses, games = tally(card.counted(founding=True))
    now: dict[str, Value] = {"number": number, "wins": wins, "losses": losses, "games": games}
    yield WorkingStep("6", "founding-games", now)
    if card.before.games:
        yield from added_steps(card.before, wins, losses, games)
    wins, losses, games = card.before.wins + wins, card.before.losses + losses, card.before.games + games
    if not games:
        yield WorkingStep("D-PIS-3", "founding-no-game", {}, founding_rating(0, 0, 0))
        return
    inputs: dict[str, Value] = {"wins": wins, "losses": losses, "games": games}
    exact = founding_rating(wins, losses, games)
    yield WorkingStep("6", "founding-formula", inputs, exact)
    yield rounding_step(card, founding=True, exact=exact)


def novice_steps(card: EntrantGames) -> Iterator[WorkingStep]:
    """§3, §5, §2: the steps of a novice's games, which are collected until they establish a rating."""
    before = card.before
    wins, losses, games = tally(card.counted(founding=False))
    now: dict[str, Value] = {"wins": wins, "losses": losses, "games": games}
    yield WorkingStep("3", "novice-games", now)
    wins, losses, games = before.wins + wins, before.losses + losses, before.games + games
    if not games:
        yield WorkingStep("D-PIS-5", "novice-nobody-met", {})
        return
    inputs: dict[str, Value] = {"wins": wins, "losses": losses, "games": games}
    if before.games:
        yield from added_steps(
            before, games=games - before.games, wins=wins - before.wins, losses=losses - before.losses
        )
    else:
        yield WorkingStep("D-PIS-1", "novice-collected", inputs)
    met = met_by(card)
    opposition = before.opposition + met
    yield WorkingStep("5", "novice-opposition", {"before": before.opposition, "met": met}, opposition)
    mean = opposition / games
    yield WorkingStep("5", "novice-mean", {"opposition": opposition, "games": games}, mean)
    exact = novice_rating(opposition, wins, losses, games)
    yield WorkingStep("5", "novice-formula", {**inputs, "mean": mean}, exact)
    yield rounding_step(card, founding=False, exact=exact)
    needed: dict[str, Value] = {"least_games": GAMES_TO_ESTABLISH, "least_points": POINTS_TO_ESTABLISH}
    reached: dict[str, Value] = {"games": games, "points": points_of(wins, losses, games)}
    key = "establishes" if is_established(wins, losses, games) else "stays-novice"
    yield WorkingStep("2", key, {**needed, **reached})


def added_steps(before: PiskvorkyStanding, wins: int, losses: int, games: int) -> Iterator[WorkingStep]:
    """§5 §6: the steps that add this tournament's wins, losses and games to those collected before."""
    for key, earlier, now in (
        ("games", before.games, games),
        ("wins", before.wins, wins),
        ("losses", before.losses, losses),
    ):
        yield WorkingStep("D-PIS-1", f"added-{key}", {"before": earlier, "now": now}, earlier + now)


def established_steps(card: EntrantGames) -> Iterator[WorkingStep]:
    """§4, §7: the steps of an established player: each game's gain, and their sum."""
    own = card.before.rating
    yield WorkingStep("4", "came-with", {"games": card.before.games}, own)
    total = 0
    for played in card.counted(founding=False):
        points = gain_of(card.before, played)
        total += points
        yield gain_step(own or Decimal(0), played, points)
    yield WorkingStep("7", "all-gains", {}, total)
    inputs: dict[str, Value] = {"rating": own, "points": total}
    yield WorkingStep("7", "sum", inputs, standing_after(card, founding=False).rating)


def gain_step(own: Decimal, played: PlayedGame, points: int) -> WorkingStep:
    """§7: the step for one game: the row of the table that gives its points."""
    other = played.met.rating or Decimal(0)
    mine, theirs = played.scores
    inputs: dict[str, Value] = {
        "round": played.game.round,
        "own": own,
        "other": other,
        "difference": abs(own - other),
        "row": row_of(own - other),
    }
    if mine == theirs:
        return WorkingStep("7", "drawn" if mine else "both-lost", inputs, points)
    winner, loser = (own, other) if mine > theirs else (other, own)
    return WorkingStep("7", "higher-won" if winner >= loser else "lower-won", inputs, points)


def row_of(difference: Decimal) -> str:
    """§7: the row of the table for a difference of ratings, as text with its least and greatest
    difference.
    """
    row = TABLE.index(band_of(difference))
    return f"{TABLE[row - 1].most + 1 if row else 0}–{TABLE[row].most}"


def rounding_step(card: EntrantGames, *, founding: bool, exact: Decimal) -> WorkingStep:
    rating = standing_after(card, founding=founding).rating
    return WorkingStep("D-PIS-2", "rounded", {"exact": exact}, rating)


# ------------------------------------------------------------------------------- the games


def game_lines(
    section: Section, player: PlayerId, card: EntrantGames, *, founding: bool
) -> tuple[GameLine, ...]:
    """The lines of a player's working, by round: games played and not, and byes."""
    games = iter(card.games)

    def line_of(game: Game) -> GameLine:
        return played_line(next(games), founding=founding) if game.played else unplayed_line(game, player)

    return lines_by_round(player, section.games, section.byes, line_of)


def played_line(played: PlayedGame, *, founding: bool) -> GameLine:
    """§3: the line of a played game, with a note on one against a novice, which enters no rating outside
    founding tournaments (§6).
    """
    game, rating = played.game, played.met.rating if played.met.established and not founding else None
    note = "" if founding or played.met.established else "against-novice"
    score = None if note else played.scores[0]
    return GameLine(game.round, played.opponent, played.first, game.result, rating, None, score, note)
