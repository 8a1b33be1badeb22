"""§35–§38, §50: the games of a working, one line each, from the player's own side."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from ratings.law.facts import FORFEITS, HALVES, Bye, Game, PlayerId, State
from ratings.law.rule_outputs import GameLine, Value, WorkingStep
from ratings.law.ruleset_helpers import common_workings
from ratings.law.ruleset_helpers.common_workings import lines_by_round, unplayed_line
from ratings.rulesets.csa.edition_2020.formulas import difference_held, expected_score
from ratings.rulesets.csa.edition_2020.rating import ONE, measured_at
from ratings.rulesets.csa.edition_2020.section_tally import HALF, Survey, Tally
from ratings.rulesets.csa.edition_2020.tracks import abroad
from ratings.rulesets.csa.law.standing import CsaStanding

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
    other_rating = measured_at(tally_of(surveyed, opponent), other)
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


def tally_of(surveyed: Survey, player: PlayerId) -> Tally:
    return next(tally for tally in surveyed.tallies if tally.player == player)


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
    return common_workings.bye_line(bye)._replace(note=f"bye-{bye.kind}")
