"""§§2 to 4: what a tournament brings."""

from __future__ import annotations

from decimal import Decimal

from ratings.rulesets.facts import (
    Change,
    Fact,
    Outcome,
    PlayerId,
    RatedSection,
    Section,
    State,
    Value,
    Working,
    WorkingStep,
)
from ratings.tests.sixth.morris import (
    DRAWN,
    TRACK,
    Card,
    Standing,
    apply as apply_of_1990,
    card_of,
    explain as explain_of_1990,
    lines_of,
)

WON = 7  # §2
SWEEP, GAMES_OF_A_SWEEP = 5, 3  # §3


def swept(card: Card) -> int:
    """§3: pins for whoever won every game, of three at least."""
    return SWEEP if card.won == card.games >= GAMES_OF_A_SWEEP else 0


def gained(card: Card) -> int:
    """§2: more at a fair."""
    return card.stake * (WON * card.won + DRAWN * card.drawn)


def after(card: Card) -> Standing:
    rating = card.before.rating - card.given_back + gained(card) + swept(card)  # §4
    return Standing(Decimal(rating), card.before.games + card.games)


def apply(state: State[Standing], fact: Fact) -> Outcome[Standing]:
    if not isinstance(fact, RatedSection):
        return apply_of_1990(state, fact)
    return Outcome([change_of(state, fact.section, entry.player) for entry in fact.section.entries])


def change_of(state: State[Standing], section: Section, player: PlayerId) -> Change[Standing]:
    before, then = state.get(player, TRACK), after(card_of(state, section, player))
    return Change(player, TRACK, before, then, then.rating - before.rating if before else None)


def explain(state: State[Standing], fact: Fact, player: PlayerId, track: str) -> Working:
    if not isinstance(fact, RatedSection):
        (step,) = explain_of_1990(state, fact, player, track).steps
        return Working((step._replace(clause="5"),))
    card = card_of(state, fact.section, player)
    pins: dict[str, Value] = {
        "before": card.before.rating,
        "back": card.given_back,
        "gained": gained(card) + swept(card),
    }
    counted: dict[str, Value] = {"won": card.won, "drawn": card.drawn, "stake": card.stake}
    steps = (
        WorkingStep("4", "given-back", {"before": card.before.rating}, card.given_back),
        WorkingStep("2", "gained", counted, gained(card)),
        WorkingStep("3", "swept", {}, swept(card)),
        WorkingStep("1", "together", pins, after(card).rating),
    )
    return Working(steps, tuple(lines_of(fact.section, player)))
