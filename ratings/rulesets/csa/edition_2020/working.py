"""The workings: a change of a rating explained step by step."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import partial
from itertools import chain

from ratings.rulesets.csa.edition_2020.formulas import (
    FIRST_RATING_GAMES,
    FLOOR,
    K_SCALE,
    PERFORMANCES_WEIGHED,
    RECENCY_WEIGHTS,
    WEIGHT_DAYS,
    clamped_difference,
    clamped_minutes,
    days_left,
    expected_for_player,
    kind_weights,
    performance_rating,
    time_per_player,
    tracks_of,
)
from ratings.rulesets.csa.edition_2020.rating import (
    HALF,
    NO_STANDING,
    Survey,
    Tally,
    TrackResult,
    apply_opening,
    change_by_list,
    drop_uncounted_change,
    effective_rating,
    points_lost,
    survey_section,
    takes_filed_rating,
    track_results,
)
from ratings.rulesets.csa.standing import ZERO, CsaStanding
from ratings.rulesets.facts import (
    FORFEITS,
    HALVES,
    Bar,
    Bye,
    Game,
    GameLine,
    ListClosing,
    Opening,
    PlayerId,
    RatedSection,
    RuleTable,
    State,
    Terms,
    Value,
    Working,
    WorkingStep,
)
from ratings.rulesets.workings import (
    EMPTY_WORKING,
    bye_line,
    contributions_table,
    explain_by_kind,
    explain_opening,
    lines_by_round,
    single_step_working,
    unplayed_line,
)

# ---- §35–§38, §50: the lines of games
NOTE_CLAUSES = {
    "held": ("38",),
    "pre-rating": ("58", "59", "16", "36"),
    "filed-rating": ("D-CSA-6", "10"),
}
"""The clauses behind a note about the opponent's rating."""


def game_lines(
    state: State[CsaStanding], surveyed: Survey, player: PlayerId, track: str
) -> tuple[GameLine, ...]:
    section = surveyed.fact.section

    def line_of(game: Game) -> GameLine:
        if game.result in HALVES:
            return played_line(state, surveyed, game, player, track)
        return unplayed_line(game, player, forfeit_note(game, player))

    def line_of_bye(bye: Bye) -> GameLine:
        return bye_line(bye)._replace(note=f"bye-{bye.kind}")

    return lines_by_round(player, section.games, section.byes, line_of, line_of_bye)


def played_line(
    state: State[CsaStanding], surveyed: Survey, game: Game, player: PlayerId, track: str
) -> GameLine:
    """The line of a played game, with the expected score if the player is rated."""
    first, opponent = game.first == player, game.opponent_of(player)
    own, other = state.get(player, track), state.get(opponent, track)
    other_rating = effective_rating(
        next(tally for tally in surveyed.tallies if tally.player == opponent), other
    )
    note = "" if other is not None and other.rating is not None else stand_in_note(surveyed, opponent)
    expected = None
    if own is not None and own.rating is not None:
        expected = expected_for_player(own.rating, other_rating, first)
        white, black = (own.rating, other_rating) if first else (other_rating, own.rating)
        if clamped_difference(white, black) != white - black:
            note = f"{note}-held" if note else "held"
    score = HALF * HALVES[game.result][0 if first else 1]
    clauses = NOTE_CLAUSES.get(note.removesuffix("-held"), ())
    return GameLine(game.round, opponent, first, game.result, other_rating, expected, score, note, clauses)


def expected_steps(lines: tuple[GameLine, ...], own: Decimal | None) -> Iterator[WorkingStep]:
    """§37 §38: the step to each game's expected score; `own`: the player's rating."""
    for line in lines:
        if line.expected is None or line.opponent_rating is None or own is None:
            continue
        white, black = (own, line.opponent_rating) if line.first else (line.opponent_rating, own)
        held = clamped_difference(white, black)
        key = "expected-white" if line.first else "expected-black"
        inputs: dict[str, Value] = {"round": line.round, "white": white, "black": black, "difference": held}
        yield WorkingStep("37", key if held == white - black else f"{key}-held", inputs, line.expected)


def stand_in_note(surveyed: Survey, player: PlayerId) -> str:
    """The note on an unrated opponent's rating: that it is the file's, or a pre-rating (D-CSA-6)."""
    section = surveyed.fact.section
    entry = next(entry for entry in section.entries if entry.player == player)
    return "filed-rating" if takes_filed_rating(section, entry) else "pre-rating"


def forfeit_note(game: Game, player: PlayerId) -> str:
    """§50 §51: the note on a forfeit from a player's side; empty for an annulled game."""
    if game.result not in FORFEITS:
        return ""
    first = game.first == player
    if FORFEITS[game.result][0 if first else 1]:
        return "forfeit-won"
    return "forfeit-excused" if game.excused in ("first" if first else "second", "both") else "forfeit-lost"


# ---- Sections
KIND_CLAUSES = {"standard": "20.1", "rapid": "20.2", "blitz": "20.3"}
K_CLAUSES = {"standard": "30.1", "rapid": "30.2", "blitz": "30.3"}


def explain_section(state: State[CsaStanding], fact: RatedSection, player: PlayerId, track: str) -> Working:
    surveyed, section = survey_section(fact), fact.section
    number = next((n for n, tally in enumerate(surveyed.tallies) if tally.player == player), None)
    if number is None or track not in tracks_of(section):
        return EMPTY_WORKING
    tally = surveyed.tallies[number]
    if not tally.rated:
        step = WorkingStep("10", "abroad-foreigner", {"country": section.country})
        return single_step_working(step, "in-short-abroad")
    known, result = list(track_results(state, surveyed, track))[number]
    before = known or NO_STANDING
    lines = game_lines(state, surveyed, player, track)
    steps = section_steps(surveyed, tally, before, result, track, lines)
    bars: tuple[Bar, ...] = ()
    if result.raw is not None and tally.games:
        bars = (Bar("bar-scored", tally.score), Bar("bar-expected", result.expected))  # §29
    summary = summary_steps(surveyed, tally, before, result)
    return Working(tuple(steps), lines, tuple(summary), bars=bars)


def section_steps(
    surveyed: Survey,
    tally: Tally,
    before: CsaStanding,
    result: TrackResult,
    track: str,
    lines: tuple[GameLine, ...],
) -> Iterator[WorkingStep]:
    if result.raw is not None:
        yield WorkingStep("D-CSA-12", "own-rating", {}, before.rating)
        yield from expected_steps(lines, before.rating)
        if tally.games:
            yield from k_steps(surveyed, result, track)
            difference = tally.score - result.expected
            expected = tuple(line.expected for line in lines if line.expected is not None)
            scores: dict[str, Value | Terms] = {"score": tally.score, "expected": expected}
            yield WorkingStep("37", "score-less-expected", scores, difference)
            yield WorkingStep("29", "k-times", {"k": result.k, "difference": difference}, result.raw)
            yield from counting_steps(surveyed, tally, result.raw)
        for penalty in tally.penalties:
            key = "penalty-forfeit" if penalty.clause == "51" else "penalty-withdrawal"
            yield WorkingStep(penalty.clause, key, {"round": penalty.round}, -points_lost((penalty,)))
        counted = drop_uncounted_change(result.raw, tally, surveyed)
        sums = {"counted": counted, "penalties": points_lost(tally.penalties)}
        yield WorkingStep("28", "change", sums, result.change)
        inputs: dict[str, Value] = {"before": before.pending, "change": result.change}
        yield WorkingStep("67", "pending", inputs, result.after.pending)
    yield from performance_steps(surveyed, tally, result, lines)
    if result.raw is None:
        yield from collecting_steps(tally, before, result)
    after = result.after
    if after.rating is None:
        yield WorkingStep("54", "unrated-after", {"games": after.games}, FIRST_RATING_GAMES - after.games)
        return
    if tally.games:
        yield from weight_steps(surveyed, before, result, track)
    yield WorkingStep("67", "rated-after", {"rating": after.rating, "pending": after.pending})


# ---- Summaries
def summary_steps(
    surveyed: Survey, tally: Tally, before: CsaStanding, result: TrackResult
) -> Iterator[WorkingStep]:
    if result.raw is None:
        yield from unrated_summary(tally, before, result)
    else:
        yield from rated_summary(surveyed, tally, result)
    official, lift = rating_before_lift(before, result), kind_of_lift(before, result)
    if result.weight is not None and lift != "no-lift":
        inputs: dict[str, Value] = {"weight": result.weight, "before": official}
        yield WorkingStep("44", f"in-short-{lift}", inputs, result.after.rating)


def rated_summary(surveyed: Survey, tally: Tally, result: TrackResult) -> Iterator[WorkingStep]:
    """The summary of a rated player's section: the score, and the clauses that cut or charged the change."""
    assert result.raw is not None  # the caller checks
    if not tally.games:
        yield WorkingStep("32", "in-short-no-games", {})
    else:
        inputs: dict[str, Value] = {"score": tally.score, "games": tally.games}
        inputs |= {"expected": result.expected, "k": result.k}
        yield WorkingStep("29", "in-short-rated", inputs, result.raw)
    kept = drop_uncounted_change(result.raw, tally, surveyed)
    if kept != result.raw and result.raw > 0:
        cut: dict[str, Value] = {"games": tally.games, "needed": surveyed.to_gain}
        yield WorkingStep("47", "in-short-gain-cut", cut, kept)
    elif kept != result.raw:
        yield WorkingStep("68", "in-short-protected", {}, kept)
    for clause in ("51", "52"):
        charged = [penalty for penalty in tally.penalties if penalty.clause == clause]
        if charged:
            count = {"count": len(charged)}
            yield WorkingStep(clause, f"in-short-penalties-{clause}", count, -points_lost(charged))
    if kept != result.raw or tally.penalties:
        yield WorkingStep("67", "in-short-change", {}, result.change)


def unrated_summary(tally: Tally, before: CsaStanding, result: TrackResult) -> Iterator[WorkingStep]:
    """The summary for a player without a rating before: the games collected, or the first rating."""
    games = result.after.games
    if result.first is None:
        yield WorkingStep("54", "in-short-collecting", {"games": games}, FIRST_RATING_GAMES - games)
        return
    known = collect(before, tally, result)
    inputs: dict[str, Value] = {"games": games, "score": known.score, "average": known.opposition / games}
    yield WorkingStep("56", "in-short-first", inputs, result.first)
    if result.first == FLOOR:
        yield WorkingStep("45", "in-short-first-floor", {}, FLOOR)


# ---- The change of a rated player
def k_steps(surveyed: Survey, result: TrackResult, track: str) -> Iterator[WorkingStep]:
    """§19–§22, §29–§31: the steps from the time control to the kind of games and K."""
    control = min(surveyed.fact.section.time_controls, key=time_per_player)
    time = {"base": sum(control.minutes, ZERO), "increment": control.increment}
    yield WorkingStep("19", "time", time, surveyed.minutes)
    kind = track.partition("-")[2]
    if kind != "main":
        yield WorkingStep(KIND_CLAUSES[kind], f"kind-{kind}", {"minutes": surveyed.minutes})
        yield WorkingStep(K_CLAUSES[kind], f"k-{kind}", {}, result.k)
    elif track == "ol-main":
        yield WorkingStep("31", "k-online-main", {}, result.k)
    else:
        held = clamped_minutes(surveyed.minutes)
        key = "k-main" if held == surveyed.minutes else "k-main-held"
        inputs = {"minutes": surveyed.minutes, "time": held, "hundredths": 100 * K_SCALE}
        yield WorkingStep("31", key, inputs, result.k)


def counting_steps(surveyed: Survey, tally: Tally, raw: Decimal) -> Iterator[WorkingStep]:
    """§47–§49, §68–§69: the steps that say whether a player's sum of changes counts."""
    section = surveyed.fact.section
    share = {"games": tally.games, "rounds": section.rounds, "needed": surveyed.to_gain}
    counted = drop_uncounted_change(raw, tally, surveyed)
    if section.team:
        yield WorkingStep("49", "team-counts", {}, counted)
    elif raw > 0:
        yield WorkingStep("47", "gain-counts" if counted else "gain-cut", share, counted)
    elif raw < 0:
        yield WorkingStep("48", "loss-counts", {}, raw)
        if tally.first:
            key = "winner-not-protected" if counted else "winner-protected"
            yield WorkingStep("68", key, {"rounds": section.rounds}, counted)


# ---- The performance, and the first rating
def performance_steps(
    surveyed: Survey, tally: Tally, result: TrackResult, lines: tuple[GameLine, ...]
) -> Iterator[WorkingStep]:
    """§32, §46, §47, §49: the steps to the performance, and whether it qualifies."""
    if result.performance is None:
        yield WorkingStep("50", "no-games", {})
        return
    ratings = tuple(line.opponent_rating for line in lines if line.opponent_rating is not None)
    yield WorkingStep("32", "opponents", {"ratings": ratings}, result.opposition)
    yield from performance_formula_steps("32", "performance", result.opposition, tally)
    if result.performance == FLOOR:
        yield WorkingStep("46", "performance-floor", {}, FLOOR)
    section = surveyed.fact.section
    share = {"games": tally.games, "rounds": section.rounds, "needed": surveyed.to_qualify}
    key = "qualified" if tally.qualified else "not-qualified"
    yield WorkingStep("49" if section.team else "47", key, share)


def performance_formula_steps(
    clause: str, key: str, opposition: Decimal, games: Tally | CsaStanding
) -> Iterator[WorkingStep]:
    """§32: the steps to a performance, before the floor (§46), from the games and score in `games`."""
    average = opposition / games.games
    yield WorkingStep("32", "average", {"opposition": opposition, "games": games.games}, average)
    result = performance_rating(opposition, games.score, games.games, floor=Decimal("-Infinity"))
    yield WorkingStep(clause, key, {"average": average, "score": games.score, "games": games.games}, result)


def collect(before: CsaStanding, tally: Tally, result: TrackResult) -> CsaStanding:
    """§54 §55 §57: an unrated player's games, points and opposition so far."""
    return CsaStanding(
        games=before.games + tally.games,
        score=before.score + tally.score,
        opposition=before.opposition + result.opposition,
    )


def collecting_steps(tally: Tally, before: CsaStanding, result: TrackResult) -> Iterator[WorkingStep]:
    """§54–§56: the steps of an unrated player: the games collected, and the first rating (D-CSA-8)."""
    for penalty in tally.penalties:
        yield WorkingStep("D-CSA-10", "penalty-without-effect", {"round": penalty.round})
    collected = collect(before, tally, result)
    yield WorkingStep("54", "collected", {"before": before.games, "games": tally.games}, collected.games)
    if tally.games:
        scores: dict[str, Value] = {"before": before.score, "score": tally.score}
        yield WorkingStep("55", "collected-score", scores, collected.score)
        sums: dict[str, Value] = {"before": before.opposition, "opposition": result.opposition}
        yield WorkingStep("57", "collected-opposition", sums, collected.opposition)
    if result.first is not None:
        yield from performance_formula_steps("56", "first-rating", collected.opposition, collected)
        if result.first == FLOOR:
            yield WorkingStep("45", "first-rating-floor", {}, FLOOR)


def collected_table(working: Working, newest_first: Iterable[tuple[int, CsaStanding]]) -> RuleTable | None:
    """§54–§56, D-CSA-8, §67: what earlier sections brought to a first rating, or to the pending points."""
    rows = iter(newest_first)
    newest = next(rows, None)
    if newest is None:
        return None
    if newest[1].rating is None:
        name, fields = "earlier", {"games": "games", "score": "score", "opposition": "opposition"}
        return contributions_table(
            name, fields, lambda each: each.rating is None, NO_STANDING, chain([newest], rows)
        )
    fields = {"waits": "pending"}
    return contributions_table(
        "waiting", fields, lambda each: bool(each.pending), NO_STANDING, chain([newest], rows)
    )


# ---- The weight performance
def rating_before_lift(before: CsaStanding, result: TrackResult) -> Decimal | None:
    """§43 §66: the rating that a weight performance lifts: the official one, or the first one."""
    return result.first if before.rating is None else before.rating


def kind_of_lift(before: CsaStanding, result: TrackResult) -> str:
    """§43 §44: whether the rating rose to the weight performance (`lift`), by the most (`lift-held`), or did
    not (`no-lift`).
    """
    if result.after.rating == rating_before_lift(before, result):
        return "no-lift"
    return "lift" if result.after.rating == result.weight else "lift-held"


def weight_steps(
    surveyed: Survey, before: CsaStanding, result: TrackResult, track: str
) -> Iterator[WorkingStep]:
    """§39–§44: the steps to the weight performance, and to the rating after it."""
    on = surveyed.fact.on
    performances = result.after.performances
    if result.weight is None:
        young = sum(days_left(performance, on) >= 0 for performance in performances)
        yield WorkingStep("39", "weight-too-few", {"count": young, "needed": PERFORMANCES_WEIGHED})
        return
    terms: list[Decimal] = []
    weights = kind_weights(track)
    for turn, performance in zip(RECENCY_WEIGHTS, performances, strict=True):
        left, weight = days_left(performance, on), Decimal(weights[performance.kind]) / 100
        term = performance.value * weight * (Decimal(left) / WEIGHT_DAYS) * turn
        terms.append(term)
        here = performance.number == surveyed.fact.place
        inputs: dict[str, Value | Terms] = {
            "line": None if here else performance.number,
            "ends": performance.ends,
            "performance": performance.value,
            "weight": weight,
            "days": WEIGHT_DAYS - left,
            "left": left,
            "turn": turn,
        }
        key = "weight-term" if track.endswith("-main") else "weight-term-one-kind"
        yield WorkingStep("40", key, inputs, term)
    yield WorkingStep("40", "weight-performance", {"weighed": tuple(terms)}, result.weight)
    inputs = {"rating": rating_before_lift(before, result)}
    yield WorkingStep("44", f"weight-{kind_of_lift(before, result)}", inputs, result.after.rating)


# ---- Lists
def explain_closing(state: State[CsaStanding], closing: ListClosing, player: PlayerId, track: str) -> Working:
    """§67, §45: explain how a list adds a player's pending points to the official rating."""
    if (player, track) not in state.due:
        return EMPTY_WORKING
    before = state.standings[player, track]
    assert before.rating is not None  # it was due
    total = before.rating + before.pending
    steps = [WorkingStep("67", "list", {"rating": before.rating, "pending": before.pending}, total)]
    after = change_by_list(state, (player, track)).after.rating
    if after != total:
        steps.append(WorkingStep("45", "list-floor", {"sum": total}, after))
    return Working(tuple(steps), summary=tuple(step._replace(key=f"in-short-{step.key}") for step in steps))


explain = explain_by_kind(
    {
        RatedSection: explain_section,
        ListClosing: explain_closing,
        Opening: partial(explain_opening, "D-CSA-12", apply_opening),
    }
)
