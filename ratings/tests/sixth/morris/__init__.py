"""An invented federation of Nine Men's Morris, to be laid beside the others for the length of a test.

Pins are won by games, more of them at a fair, and at each tournament a tenth of the pins is given back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from types import SimpleNamespace
from typing import NamedTuple

from ratings.rulesets.facts import (
    PLAYED,
    Answer,
    Change,
    Choice,
    Fact,
    Field,
    Filing,
    Finding,
    GameLine,
    Level,
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
    Value,
    Working,
    WorkingStep,
    ranked,
)
from ratings.rulesets.parameters import parameter
from ratings.rulesets.ruleset import Edition, Ruleset, SectionRules, Storage, Track, Words

TRACK = "pins"
WON, DRAWN, GAMES_TO_SETTLE = 6, 2, 3  # §2, §4
STAKES = {"hearth": 1, "fair": 2}  # §2


class Standing(NamedTuple):
    rating: Decimal
    games: int
    due: bool = False

    @property
    def status(self) -> str:
        return "settled" if self.games >= GAMES_TO_SETTLE else "wanderer"


def dump(standing: Standing) -> str:
    return f"{standing.rating:f} {standing.games}"


def load(track: str, text: str) -> Standing:
    rating, games = text.split()
    return Standing(Decimal(rating), int(games))


# ---------------------------------------------------------------- the rules


@dataclass(frozen=True, slots=True)
class Card:
    """One player's tournament."""

    before: Standing
    won: int
    drawn: int
    games: int
    stake: int

    @property
    def given_back(self) -> Decimal:
        return self.before.rating // 10

    @property
    def gained(self) -> int:
        return self.stake * (WON * self.won + DRAWN * self.drawn)

    @property
    def after(self) -> Standing:
        return Standing(self.before.rating - self.given_back + self.gained, self.before.games + self.games)


def card_of(state: State[Standing], section: Section, player: PlayerId) -> Card:
    scores = [
        PLAYED[game.result][game.first != player]
        for game in section.games
        if game.played and player in (game.first, game.second)
    ]
    before = state.get(player, TRACK) or Standing(Decimal(0), 0)
    drawn = sum(score == Decimal("0.5") for score in scores)
    return Card(
        before, sum(score == 1 for score in scores), drawn, len(scores), STAKES[section.category or ""]
    )


def needs(fact: Fact) -> frozenset[PlayerId] | Needs:
    if isinstance(fact, RatedSection):
        return frozenset(entry.player for entry in fact.section.entries)
    return frozenset((fact.fact.player,)) if isinstance(fact.fact, Opening) else frozenset()


def apply(state: State[Standing], fact: Fact) -> Outcome[Standing]:
    if isinstance(fact, RatedSection):
        return Outcome([change_of(state, fact.section, entry.player) for entry in fact.section.entries])
    if isinstance(fact.fact, Opening):
        player, after = fact.fact.player, Standing(fact.fact.rating // 1, fact.fact.games)
        return Outcome([Change(player, TRACK, state.get(player, TRACK), after, None)])
    return Outcome([])


def change_of(state: State[Standing], section: Section, player: PlayerId) -> Change[Standing]:
    before, after = state.get(player, TRACK), card_of(state, section, player).after
    return Change(player, TRACK, before, after, after.rating - before.rating if before else None)


def explain(state: State[Standing], fact: Fact, player: PlayerId, track: str) -> Working:
    if not isinstance(fact, RatedSection):
        opening = fact.fact
        assert isinstance(opening, Opening)
        return Working((WorkingStep("4", "brought", {"games": opening.games}, opening.rating // 1),))
    card = card_of(state, fact.section, player)
    counted: dict[str, Value] = {"won": card.won, "drawn": card.drawn, "stake": card.stake}
    pins: dict[str, Value] = {"before": card.before.rating, "back": card.given_back, "gained": card.gained}
    steps = (
        WorkingStep("3", "given-back", {"before": card.before.rating}, card.given_back),
        WorkingStep("2", "gained", counted, card.gained),
        WorkingStep("1", "together", pins, card.after.rating),
    )
    return Working(steps, tuple(lines_of(fact.section, player)))


def lines_of(section: Section, player: PlayerId) -> Iterable[GameLine]:
    mine = [game for game in section.games if player in (game.first, game.second)]
    for game in sorted(mine, key=lambda game: game.round):
        first = game.first == player
        score = PLAYED[game.result][not first] if game.played else None
        note = "" if game.played else "no-board"
        other = game.second if first else game.first
        yield GameLine(game.round, other, first, game.result, None, None, score, note)


def check(section: Section, filing: Filing) -> list[Finding]:
    """§5: a board for every two players."""
    boards, needed = filing.said.get("boards"), len(section.entries) // 2
    if boards is None or boards >= needed:
        return []
    params: dict[str, Value] = {"boards": boards, "needed": needed}
    return [Finding("5", Level.WAIVABLE, "few-boards", params, "boards")]


def rateable(section: Section) -> Finding | None:
    return None if section.category in STAKES else Finding("2", Level.BLOCKS, "no-stake", where="category")


# ---------------------------------------------------------------- what readers see


def rating_list(state: State[Standing], track: str, on: date) -> list[ListedPlayer]:
    return ranked(
        (player, each.rating, each.games, each.status)
        for (player, _track), each in state.standings.items()
        if each.status == "settled"
    )


def answers(state: State[Standing], on: date) -> Iterable[Answer]:
    for (player, track), each in state.standings.items():
        yield Answer(player, track, each.status, each.rating, each.games, each.status == "settled")


def tables(state: State[Standing], on: date) -> list[RuleTable]:
    rows = sorted((key[0], each.rating / max(each.games, 1)) for key, each in state.standings.items())
    return [RuleTable("thrift", ("player", "pins-a-game"), tuple(rows), answered=False)]


def compute_performances(
    state: State[Standing], fact: RatedSection, track: str
) -> Mapping[PlayerId, Decimal]:
    return {}


RULES = SimpleNamespace(
    check=check,
    needs=needs,
    apply=apply,
    explain=explain,
    compute_performances=compute_performances,
    rating_list=rating_list,
    answers=answers,
    tables=tables,
)

PARAMETERS = (
    parameter("2.won", "Pins of a won game", WON, name="win"),
    parameter("2.drawn", "Pins of a drawn game", DRAWN, name="draw"),
    parameter("4.games", "Games after which one is settled", GAMES_TO_SETTLE),
)

SCORING = Scoring(  # D-M-2
    byes={},
    games={
        "1-0": (Decimal(3), Decimal(0)),
        "0-1": (Decimal(0), Decimal(3)),
        "1/2": (Decimal(1), Decimal(1)),
    },
)

RULESET = Ruleset(
    slug="morris",
    name="Society of the Mill",
    country="IRL",
    tracks=(Track(TRACK, "Pins"),),
    editions=(Edition(date(1990, 1, 1), "Hearth rules", RULES, PARAMETERS, scoring=SCORING),),
    words=Words(
        clauses={
            "1": "Pins are whole, and kept from tournament to tournament.",
            "2": "A won game brings six pins and a drawn one two; at a fair twice as many.",
            "3": "Whoever comes to a tournament gives back a tenth of the pins, what is over being kept.",
            "4": "After three games one is settled, and stands on the list.",
            "5": "There is a board for every two players.",
            "D-M-1": "A game decided without play brings nothing.",
            "D-M-2": "A tournament is scored three for a won game, one for a drawn one, none for a bye.",
        },
        questions={
            "D-M-1": "What does a game bring that was not played?",
            "D-M-2": "How is a tournament scored?",
        },
        messages={
            "settled": "Settled",
            "wanderer": "Wanderer",
            "brought": "Pins brought along, after {games} games: {result}",
            "given-back": "A tenth of {before} pins is given back: {result}",
            "gained": "{stake} × ({win} × {won} + {draw} × {drawn}) = {result}",
            "together": "{before} − {back} + {gained} = {result}",
            "no-board": "Not played: brings nothing",
            "few-boards": "There were {boards} boards and {needed} are needed. Say how everybody could play.",
            "no-stake": "Say whether it was a hearth evening or a fair.",
            "thrift": "Pins a game",
            "player": "Player",
            "pins-a-game": "Pins a game, of all games",
        },
    ),
    storage=Storage(load, dump),
    sections=SectionRules(
        formats=("round-robin", "swiss"),
        tracks_of=lambda section: (TRACK,),
        find_unrateable_reason=rateable,
        fields=(
            Field(
                name="category",
                label="Played at",
                kind="choice",
                clause="2",
                choices=(Choice("hearth", "A hearth evening"), Choice("fair", "A fair")),
            ),
        ),
    ),
)
