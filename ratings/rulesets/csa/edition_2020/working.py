"""The working of a change: the steps by which it was rated, told one by one to somebody with a pencil."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import partial
from itertools import takewhile

from ratings.rulesets import workings
from ratings.rulesets.csa.edition_2020.formulas import (
    EVEN_SPAN,
    FIRST_RATING_GAMES,
    FLOOR,
    GREATEST_RISE,
    PERFORMANCE_SPAN,
    TURNS,
    WEIGHED,
    WEIGHT_DAYS,
    abroad,
    days_left,
    difference_held,
    expected_score,
    held_time,
    time_per_player,
    tracks_of,
    weights_in,
)
from ratings.rulesets.csa.edition_2020.rating import (
    HALF,
    NOTHING_YET,
    ONE,
    PENALTY,
    Survey,
    Tally,
    TrackResult,
    close,
    counted,
    is_protected,
    measured_at,
    reckon_track,
    survey,
    take_over,
)
from ratings.rulesets.csa.edition_2020.standing import ZERO, CsaStanding
from ratings.rulesets.facts import (
    FORFEITS,
    HALVES,
    Bar,
    Bye,
    Fact,
    Game,
    GameLine,
    ListClosing,
    Opening,
    PlayerId,
    RatedSection,
    RuleTable,
    State,
    Value,
    Working,
    WorkingStep,
)
from ratings.rulesets.workings import (
    NOTHING,
    Explain,
    explain_by_kind,
    explain_opening,
    in_one_step,
    lines_by_round,
    unplayed_line,
)

# ---- §35–§38, §50: the games of a working, one line each, from the player's own side.
NOTE_CLAUSES = {
    "held": ("38",),
    "pre-rating": ("58", "59", "16", "36"),
    "filed-rating": ("D-CSA-6", "10"),
}
"""The clauses on which a game line's note about the opponent's rating rests, by the note."""


def game_lines(
    state: State[CsaStanding], surveyed: Survey, player: PlayerId, track: str
) -> tuple[GameLine, ...]:
    """The lines of a player's working, round by round: played games, byes and forfeits."""
    section = surveyed.fact.section

    def line_of(game: Game) -> GameLine:
        if game.result in HALVES:
            return played_line(state, surveyed, game, player, track)
        return unplayed_line(game, player, note_of(game, player))

    return lines_by_round(player, section.games, section.byes, line_of, bye_line)


def played_line(
    state: State[CsaStanding], surveyed: Survey, game: Game, player: PlayerId, track: str
) -> GameLine:
    """The line of a played game; its expected score is left out for an unrated player, whom it does not
    concern.
    """
    first, opponent = game.first == player, game.opponent_of(player)
    own, other = state.get(player, track), state.get(opponent, track)
    other_rating = measured_at(next(tally for tally in surveyed.tallies if tally.player == opponent), other)
    note = "" if other is not None and other.rating is not None else stand_in_note(surveyed, opponent)
    expected = None
    if own is not None and own.rating is not None:
        white, black = (own.rating, other_rating) if first else (other_rating, own.rating)
        expected = expected_score(white, black) if first else ONE - expected_score(white, black)
        if difference_held(white, black) != white - black:
            note = f"{note}-held" if note else "held"
    score = HALF * HALVES[game.result][0 if first else 1]
    clauses = NOTE_CLAUSES.get(note.removesuffix("-held"), ())
    return GameLine(game.round, opponent, first, game.result, other_rating, expected, score, note, clauses)


def expected_steps(lines: tuple[GameLine, ...], own: Decimal | None) -> Iterator[WorkingStep]:
    """§37 §38: the steps to each game's expected score; `own` is the rating by which the player was
    measured.
    """
    for line in lines:
        if line.expected is None or line.opponent_rating is None or own is None:
            continue
        white, black = (own, line.opponent_rating) if line.first else (line.opponent_rating, own)
        held = difference_held(white, black)
        key = "expected-white" if line.first else "expected-black"
        inputs: dict[str, Value] = {"round": line.round, "white": white, "black": black, "difference": held}
        yield WorkingStep("37", key if held == white - black else f"{key}-held", inputs, line.expected)


def stand_in_note(surveyed: Survey, player: PlayerId) -> str:
    """The note on an unrated opponent's rating: that it is the file's, or a pre-rating (D-CSA-6)."""
    section = surveyed.fact.section
    filed = any(entry.rating for entry in section.entries if entry.player == player)
    return "filed-rating" if filed and abroad(section) else "pre-rating"


def note_of(game: Game, player: PlayerId) -> str:
    """§50 §51: the note on a game without play from a player's side: which forfeit it was; empty for an
    annulled game.
    """
    if game.result not in FORFEITS:
        return ""
    first = game.first == player
    if FORFEITS[game.result][0 if first else 1]:
        return "forfeit-won"
    return "forfeit-excused" if game.excused in ("first" if first else "second", "both") else "forfeit-lost"


def bye_line(bye: Bye) -> GameLine:
    return workings.bye_line(bye)._replace(note=f"bye-{bye.kind}")


KIND_CLAUSES = {"standard": "20.1", "rapid": "20.2", "blitz": "20.3"}
K_CLAUSES = {"standard": "30.1", "rapid": "30.2", "blitz": "30.3"}
EARLIER = ("line", "games", "score", "opposition")


def explain(state: State[CsaStanding], fact: Fact, player: PlayerId, track: str) -> Working:
    """Explain the change that the fact made to that player in that track; `state` is that before the fact."""
    kinds: dict[type, Explain] = {
        RatedSection: explain_section,
        ListClosing: explain_closing,
        Opening: partial(explain_opening, "D-CSA-12", take_over),
    }
    return explain_by_kind(kinds, state, fact, player, track)


def explain_section(state: State[CsaStanding], fact: RatedSection, player: PlayerId, track: str) -> Working:
    surveyed, section = survey(fact), fact.section
    number = next((n for n, tally in enumerate(surveyed.tallies) if tally.player == player), None)
    if number is None or track not in tracks_of(section):
        return NOTHING
    tally = surveyed.tallies[number]
    if not tally.rated:
        return in_one_step(
            WorkingStep("10", "abroad-foreigner", {"country": section.country}), "in-short-abroad"
        )
    before, reckoning = list(reckon_track(state, surveyed, track))[number]
    lines = game_lines(state, surveyed, player, track)
    steps = section_steps(surveyed, tally, before or NOTHING_YET, reckoning, track, lines)
    summary = summary_steps(surveyed, tally, before or NOTHING_YET, reckoning)
    return Working(tuple(steps), lines, tuple(summary), bars=bars_of(tally, reckoning))


def bars_of(tally: Tally, reckoning: TrackResult) -> tuple[Bar, ...]:
    """§29: the score beside the expected score; nothing for whoever has no rating yet."""
    if reckoning.raw is None or not tally.games:
        return ()
    return Bar("bar-scored", tally.score), Bar("bar-expected", reckoning.expected)


def section_steps(
    surveyed: Survey,
    tally: Tally,
    before: CsaStanding,
    reckoning: TrackResult,
    track: str,
    lines: tuple[GameLine, ...],
) -> Iterator[WorkingStep]:
    if reckoning.raw is not None:
        yield WorkingStep("D-CSA-12", "own-rating", {}, before.rating)
        yield from expected_steps(lines, before.rating)
        # The steps from the games to the points that become pending.
        assert reckoning.raw is not None  # the caller looked
        if tally.games:
            yield from k_steps(surveyed, reckoning, track)
            difference = tally.score - reckoning.expected
            yield WorkingStep(
                "37",
                "score-less-expected",
                {"score": tally.score, "expected": reckoning.expected},
                difference,
            )
            yield WorkingStep("29", "k-times", {"k": reckoning.k, "difference": difference}, reckoning.raw)
            yield from counting_steps(surveyed, tally, reckoning.raw)
        for penalty in tally.penalties:
            key = "penalty-forfeit" if penalty.clause == "51" else "penalty-withdrawal"
            yield WorkingStep(penalty.clause, key, {"round": penalty.round}, Decimal(-PENALTY))
        sums = {
            "counted": counted(reckoning.raw, tally, surveyed),
            "penalties": Decimal(PENALTY * len(tally.penalties)),
        }
        yield WorkingStep("28", "change", sums, reckoning.change)
        yield WorkingStep(
            "67", "pending", {"before": before.pending, "change": reckoning.change}, reckoning.after.pending
        )
    yield from performance_steps(surveyed, tally, reckoning)
    if reckoning.raw is None:
        yield from collecting_steps(tally, before, reckoning)
    after = reckoning.after
    if after.rating is None:
        yield WorkingStep("54", "unrated-after", {"games": after.games}, FIRST_RATING_GAMES - after.games)
        return
    if tally.games:
        yield from weight_steps(surveyed, before, reckoning, track)
    yield WorkingStep("67", "rated-after", {"rating": after.rating, "pending": after.pending})


# ------------------------------------------------------------------------------- in one sentence
def summary_steps(
    surveyed: Survey, tally: Tally, before: CsaStanding, reckoning: TrackResult
) -> Iterator[WorkingStep]:
    if reckoning.raw is None:
        yield from first_summary(tally, before, reckoning)
    else:
        yield from rated_summary(surveyed, tally, reckoning)
    official = reckoning.first if before.rating is None else before.rating
    if reckoning.weight is not None and official is not None and reckoning.after.rating != official:
        inputs: dict[str, Value] = {"weight": reckoning.weight, "before": official}
        held = reckoning.weight - official > GREATEST_RISE
        yield WorkingStep(
            "44", "in-short-lift-held" if held else "in-short-lift", inputs, reckoning.after.rating
        )


def rated_summary(surveyed: Survey, tally: Tally, reckoning: TrackResult) -> Iterator[WorkingStep]:
    """Summarise the score and the expected score, and the clause that cut, spared or charged the change."""
    assert reckoning.raw is not None  # the caller looked
    if not tally.games:
        yield WorkingStep("32", "in-short-no-games", {})
    else:
        inputs: dict[str, Value] = {
            "score": tally.score,
            "games": tally.games,
            "expected": reckoning.expected,
            "k": reckoning.k,
        }
        yield WorkingStep("29", "in-short-rated", inputs, reckoning.raw)
    kept = counted(reckoning.raw, tally, surveyed)
    if kept != reckoning.raw and reckoning.raw > 0:
        cut: dict[str, Value] = {"games": tally.games, "needed": surveyed.to_gain}
        yield WorkingStep("47", "in-short-gain-cut", cut, kept)
    elif kept != reckoning.raw:
        yield WorkingStep("68", "in-short-protected", {}, kept)
    for clause in ("51", "52"):
        charged = [penalty.round for penalty in tally.penalties if penalty.clause == clause]
        if charged:
            inputs = {"count": len(charged)}
            yield WorkingStep(
                clause, f"in-short-penalties-{clause}", inputs, Decimal(-PENALTY * len(charged))
            )
    if kept != reckoning.raw or tally.penalties:
        yield WorkingStep("67", "in-short-change", {}, reckoning.change)


def first_summary(tally: Tally, before: CsaStanding, reckoning: TrackResult) -> Iterator[WorkingStep]:
    """Summarise the games collected without a rating, or the first rating."""
    games = reckoning.after.games
    if reckoning.first is None:
        inputs: dict[str, Value] = {"games": games}
        yield WorkingStep("54", "in-short-collecting", inputs, FIRST_RATING_GAMES - games)
        return
    inputs = {
        "games": games,
        "score": before.score + tally.score,
        "average": (before.opposition + reckoning.opposition) / games,
    }
    yield WorkingStep("56", "in-short-first", inputs, reckoning.first)
    if reckoning.first == FLOOR:
        yield WorkingStep("45", "in-short-first-floor", {}, FLOOR)


# ------------------------------------------------------------------------------- the change of a rated player
def k_steps(surveyed: Survey, reckoning: TrackResult, track: str) -> Iterator[WorkingStep]:
    """§19–§22, §29–§31: the steps from the time control to the kind of games and K."""
    control = min(surveyed.fact.section.time_controls, key=time_per_player)
    time = {"base": sum(control.minutes, ZERO), "increment": control.increment}
    yield WorkingStep("19", "time", time, surveyed.minutes)
    kind = track.partition("-")[2]
    if kind != "main":
        yield WorkingStep(KIND_CLAUSES[kind], f"kind-{kind}", {"minutes": surveyed.minutes})
        yield WorkingStep(K_CLAUSES[kind], f"k-{kind}", {}, reckoning.k)
    elif track == "ol-main":
        yield WorkingStep("31", "k-online-main", {}, reckoning.k)
    else:
        held = held_time(surveyed.minutes)
        key = "k-main" if held == surveyed.minutes else "k-main-held"
        yield WorkingStep("31", key, {"minutes": surveyed.minutes, "time": held}, reckoning.k)


def counting_steps(surveyed: Survey, tally: Tally, raw: Decimal) -> Iterator[WorkingStep]:
    """§47–§49, §68–§69: the steps that say whether a player's sum of changes counts."""
    section = surveyed.fact.section
    share = {"games": tally.games, "rounds": section.rounds, "needed": surveyed.to_gain}
    if section.team:
        yield WorkingStep("49", "team-counts", {}, raw)
    elif raw > 0:
        cut = tally.games < surveyed.to_gain
        yield WorkingStep("47", "gain-cut" if cut else "gain-counts", share, counted(raw, tally, surveyed))
    elif raw < 0:
        yield WorkingStep("48", "loss-counts", {}, raw)
        if tally.first:
            protected = is_protected(tally, surveyed)
            key = "winner-protected" if protected else "winner-not-protected"
            yield WorkingStep("68", key, {"rounds": section.rounds}, ZERO if protected else raw)


# ------------------------------------------------------------------------------- performance, first rating
def performance_steps(surveyed: Survey, tally: Tally, reckoning: TrackResult) -> Iterator[WorkingStep]:
    """§32, §46, §47, §49: the steps to the performance, and whether it qualifies."""
    if reckoning.performance is None:
        yield WorkingStep("50", "no-games", {})
        return
    yield from performance_of("32", "performance", reckoning.opposition, tally, reckoning.performance)
    if reckoning.performance == FLOOR:
        yield WorkingStep("46", "performance-floor", {}, FLOOR)
    section = surveyed.fact.section
    share = {"games": tally.games, "rounds": section.rounds, "needed": surveyed.to_qualify}
    key = "qualified" if tally.games >= surveyed.to_qualify else "not-qualified"
    yield WorkingStep("49" if section.team else "47", key, share)


def performance_of(
    clause: str, key: str, opposition: Decimal, games: Tally | CsaStanding, result: Decimal
) -> Iterator[WorkingStep]:
    """§32: the steps to a performance: the opponents' average, and the result. `games`: what has the games
    and the score.
    """
    average = opposition / games.games
    if clause == "32":
        yield WorkingStep("32", "opponents", {}, opposition)
    yield WorkingStep("32", "average", {"opposition": opposition, "games": games.games}, average)
    if result == FLOOR:  # what the formula gives; the floor is a step of its own (§46)
        gained = PERFORMANCE_SPAN * games.score - EVEN_SPAN * games.games
        result = (opposition + gained) / games.games
    yield WorkingStep(clause, key, {"average": average, "score": games.score, "games": games.games}, result)


def collecting_steps(tally: Tally, before: CsaStanding, reckoning: TrackResult) -> Iterator[WorkingStep]:
    """§54–§56: the steps of an unrated player: what is collected, and the first rating that comes of it
    (D-CSA-8).
    """
    for penalty in tally.penalties:
        yield WorkingStep("D-CSA-10", "penalty-without-effect", {"round": penalty.round})
    collected = CsaStanding(
        games=before.games + tally.games,
        score=before.score + tally.score,
        opposition=before.opposition + reckoning.opposition,
    )
    yield WorkingStep("54", "collected", {"before": before.games, "games": tally.games}, collected.games)
    if tally.games:
        scores: dict[str, Value] = {"before": before.score, "score": tally.score}
        yield WorkingStep("55", "collected-score", scores, collected.score)
        met: dict[str, Value] = {"before": before.opposition, "opposition": reckoning.opposition}
        yield WorkingStep("57", "collected-opposition", met, collected.opposition)
    if reckoning.first is not None:
        yield from performance_of("56", "first-rating", collected.opposition, collected, reckoning.first)
        if reckoning.first == FLOOR:
            yield WorkingStep("45", "first-rating-floor", {}, FLOOR)


def collected(before: Iterable[tuple[int, CsaStanding]]) -> RuleTable | None:
    """§54–§56: a table of what each earlier section brought towards a player's first rating (D-CSA-8), as
    `PlayerFigures.collected` asks; None: nothing yet.
    """
    unrated = list(takewhile(lambda each: each[1].rating is None, before))[::-1]
    rows: list[tuple[Value, ...]] = []
    known = NOTHING_YET
    for line, standing in unrated:
        if standing.games > known.games:
            games, score = standing.games - known.games, standing.score - known.score
            rows.append((line, games, score, standing.opposition - known.opposition))
        known = standing
    return RuleTable("earlier", EARLIER, tuple(rows), answered=False) if rows else None


# ------------------------------------------------------------------------------- weight performance
def weight_steps(
    surveyed: Survey, before: CsaStanding, reckoning: TrackResult, track: str
) -> Iterator[WorkingStep]:
    """§39–§44: the steps to the weight performance, the newest five each with weight and age, and to what it
    lifts.
    """
    on = surveyed.fact.on
    performances = reckoning.after.performances
    if reckoning.weight is None:
        young = sum(days_left(performance, on) >= 0 for performance in performances)
        yield WorkingStep("39", "weight-too-few", {"count": young, "needed": WEIGHED})
        return
    total = ZERO
    for turn, performance in zip(TURNS, performances, strict=True):
        age = Decimal(days_left(performance, on)) / WEIGHT_DAYS
        weight = Decimal(weights_in(track)[performance.kind]) / 100
        term = performance.value * weight * age * turn
        total += term
        inputs: dict[str, Value] = {
            "ends": performance.ends,
            "performance": performance.value,
            "weight": weight,
            "days": WEIGHT_DAYS - days_left(performance, on),
            "left": days_left(performance, on),
            "turn": turn,
        }
        yield WorkingStep(
            "40", "weight-term" if track.endswith("-main") else "weight-term-one-kind", inputs, term
        )
    yield WorkingStep("40", "weight-performance", {"sum": total}, reckoning.weight)
    rating = reckoning.first if before.rating is None else before.rating
    yield WorkingStep("44", lift_key(rating, reckoning), {"rating": rating}, reckoning.after.rating)


def lift_key(rating: Decimal | None, reckoning: TrackResult) -> str:
    assert rating is not None  # somebody without a rating has no weight performance
    assert reckoning.weight is not None
    if reckoning.weight <= rating:
        return "weight-no-lift"
    return "weight-lift-held" if reckoning.weight - rating > GREATEST_RISE else "weight-lift"


# ------------------------------------------------------------------------------- lists
def explain_closing(state: State[CsaStanding], closing: ListClosing, player: PlayerId, track: str) -> Working:
    if (player, track) not in state.due:
        return NOTHING
    steps = tuple(closing_steps(state, player, track))
    return Working(steps, summary=tuple(step._replace(key=f"in-short-{step.key}") for step in steps))


def closing_steps(state: State[CsaStanding], player: PlayerId, track: str) -> Iterator[WorkingStep]:
    """§67, §45: the steps by which a list adds pending points to the official rating."""
    change = close(state, (player, track))
    before = state.standings[player, track]
    assert before.rating is not None  # it was due
    total = before.rating + before.pending
    yield WorkingStep("67", "list", {"rating": before.rating, "pending": before.pending}, total)
    if total < FLOOR:
        yield WorkingStep("45", "list-floor", {"sum": total}, change.after.rating)
