"""Previews a section that nobody played: a player of the register against opponents whom a reader names. It
is rated by the same fold as the preview of a decision, from the record as it stands. Nothing is written, and
neither birth nor sex is read: pre-ratings are those that the reader states.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_FLOOR, Decimal, localcontext
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from players.models import Federation, Ledger, Player
from players.register import player_fact
from ratings.as_if import DueFact, FoldPlan, compare_section, state_before_section
from ratings.journal import AFTER_EVERYTHING
from ratings.results import newest_wide
from ratings.rulesets import facts
from ratings.rulesets.facts import Change, Finding, PlayerId, State, Working
from ratings.rulesets.profile import TURNED_RESULTS, Answers, Threshold, WhatIf
from ratings.rulesets.ruleset import CONTEXT
from ratings.statement import SectionMovement

IMAGINED_ID = "imagined"
"""The id of an imagined section, which no office gives."""


class Opponent(NamedTuple):
    """A person whom the player is imagined to meet."""

    id: PlayerId
    """The number in the register, or a made-up id."""
    player: Player | None = None
    """The player of the register; None: known by rating alone."""
    rating: Decimal | None = None
    """The rating of somebody who is in no register."""
    pre: int | None = None
    """The pre-rating that the reader states for somebody of the register without a rating."""


class ImaginedGame(NamedTuple):
    opponent: Opponent
    first: bool
    """Whether the player moves first."""
    result: str
    """The result from the player's side, as `RESULTS` of the equipment has it for a first mover."""


@dataclass(frozen=True, slots=True)
class ImaginedSection:
    """All that a reader states of an imagined section."""

    player: Player
    ends: date
    answers: Answers
    games: tuple[ImaginedGame, ...] = ()


@dataclass(frozen=True, slots=True)
class ImaginedRating:
    """An imagined section before the fold: its plan, and the state from which it is rated."""

    federation: Federation
    plan: FoldPlan
    state: State[Any]
    unread: bool
    """Whether ratings stated for opponents are not read, as the rules rate by none yet (piskvorky 6)."""

    @property
    def tracks(self) -> tuple[str, ...]:
        return self.federation.ruleset.sections.tracks_of(self.plan.section.section)

    def changes(self, player: PlayerId) -> dict[str, Change[Any]]:
        """The changes that the section makes to a player, by track."""
        found = self.federation.ruleset.apply(self.state, self.plan.section).changes
        return {change.track: change for change in found if change.player == player}

    def compare(self, player: PlayerId, section: facts.Section | None = None) -> dict[str, SectionMovement]:
        """What the section makes of a player's ratings, by track; `section`: with other results in it."""
        fact = replace(self.plan.section, section=section) if section else self.plan.section
        outcome = self.federation.ruleset.apply(self.state, fact)
        after: State[Any] = State(dict(self.state.standings), self.state.wide)
        after.absorb(outcome)
        own = [change for change in outcome.changes if change.player == player]
        found = compare_section(self.federation.ruleset, self.state, after, own, fact.on)
        return {each.track: each for each in found}

    def working(self, player: PlayerId, track: str) -> Working:
        """The working of the change in a track, as approving the section would give it."""
        with localcontext(CONTEXT):
            rules = self.federation.ruleset.rules_for(self.plan.section)
            return rules.explain(self.state, self.plan.section, player, track)

    def state_after(self, player: PlayerId) -> State[Any]:
        """A state after the section that holds that player alone."""
        outcome = self.federation.ruleset.apply(self.state, self.plan.section)
        theirs = {key: standing for key, standing in self.state.standings.items() if key[0] == player}
        after: State[Any] = State(theirs, self.state.wide)
        after.absorb(outcome)
        after.standings = {key: each for key, each in after.standings.items() if key[0] == player}
        return after


def find_unrateable(federation: Federation, section: facts.Section) -> Finding | None:
    """The finding for which the office could never rate such a section, or None."""
    return federation.ruleset.sections.find_unrateable_reason(section)


def build_section(what_if: WhatIf, imagined: ImaginedSection) -> facts.Section:
    """The section that a reader's answers make: one game a round, in the order of the rows."""
    own, rounds = imagined.player.number, count_rounds(imagined)
    further = what_if.further(imagined.answers, rounds)
    people = {game.opponent.id: game.opponent for game in imagined.games}
    entrant = facts.Entry(own, place=imagined.answers.get("place"), women=bool(imagined.answers.get("women")))
    opponents = tuple(facts.Entry(each.id, pre=each.pre) for each in people.values())
    return facts.Section(
        id=f"{IMAGINED_ID}/A",
        event=IMAGINED_ID,
        name="A",
        starts=imagined.ends,
        ends=imagined.ends,
        format="swiss" if what_if.by_games else "placement",
        rounds=rounds,
        entries=(entrant, *opponents, *further.entries),
        games=tuple(_game(number, own, game) for number, game in enumerate(imagined.games, start=1)),
        byes=further.byes,
        **what_if.particulars(imagined.answers),
    )


def count_rounds(imagined: ImaginedSection) -> int:
    """The number of rounds: as stated, and at least one for each game."""
    return max(len(imagined.games), imagined.answers.get("rounds") or 0, 1)


def _game(number: int, own: PlayerId, game: ImaginedGame) -> facts.Game:
    if game.first:
        return facts.Game(number, own, game.opponent.id, game.result)
    return facts.Game(number, game.opponent.id, own, TURNED_RESULTS[game.result])


def build_imagined_rating(
    federation: Federation, what_if: WhatIf, imagined: ImaginedSection
) -> ImaginedRating:
    """Plan the rating of an imagined section on its last day, from the record as it stands."""
    section = build_section(what_if, imagined)
    line = Ledger.objects.values_list("facts", flat=True).get(federation=federation) + 1
    openings = list(_openings(federation, section, imagined, what_if.games_behind, line))
    people = _people(federation, section, imagined, what_if)
    fact = facts.RatedSection(line + len(openings), imagined.ends, section, people)
    plan = _plan(federation, openings, fact)
    state = state_before_section(plan)
    if openings and state.wide != newest_wide(federation, AFTER_EVERYTHING):
        plan = _plan(federation, [], fact)
        return ImaginedRating(federation, plan, state_before_section(plan), unread=True)
    return ImaginedRating(federation, plan, state, unread=False)


def _plan(federation: Federation, openings: list[facts.Fact], fact: facts.RatedSection) -> FoldPlan:
    """The plan of a fold behind the whole record: ratings that the reader states, then the section."""
    due = [DueFact(each, None) for each in (*openings, fact)]
    return FoldPlan(federation, AFTER_EVERYTHING, due, at=len(openings))


def _openings(
    federation: Federation, section: facts.Section, imagined: ImaginedSection, games: int, line: int
) -> Iterable[facts.Fact]:
    """Yield openings that give opponents known by rating alone that rating, in every track of the section."""
    stated = {game.opponent.id: game.opponent.rating for game in imagined.games}
    tracks = federation.ruleset.sections.tracks_of(section)
    rated = [(player, rating, track) for player, rating in stated.items() for track in tracks if rating]
    for at, (player, rating, track) in enumerate(rated):
        opening = facts.Opening(player, track, rating, games, imagined.ends, IMAGINED_ID)
        yield facts.Placed(line + at, opening)


def _people(
    federation: Federation, section: facts.Section, imagined: ImaginedSection, what_if: WhatIf
) -> Mapping[PlayerId, facts.Player]:
    """The particulars of everybody in the section; the unregistered are given the federation's country."""
    known = [imagined.player, *(game.opponent.player for game in imagined.games if game.opponent.player)]
    people = {player.number: player_fact(player) for player in known}
    foreign, country = what_if.further(imagined.answers, section.rounds).foreign, federation.ruleset.country
    made_up = (entry.player for entry in section.entries if entry.player not in people)
    return people | {
        each: facts.Player(each, nation=None if each in foreign else country) for each in made_up
    }


@dataclass(frozen=True, slots=True)
class Goal:
    """A rating to reach: the next round one, or a threshold of the regulations."""

    rating: Decimal
    words: str
    """What it brings; empty for a round rating."""
    missing: Decimal


def get_next_goals(
    office: Federation, what_if: WhatIf, thresholds: Sequence[Threshold], rating: Decimal | None
) -> list[Goal]:
    """The next round rating above a rating, and the next of the thresholds; none without a rating."""
    if rating is None:
        return []
    with localcontext(CONTEXT):
        following = ((rating / what_if.step).to_integral_value(ROUND_FLOOR) + 1) * what_if.step
    words = {following: ""}
    if threshold := next((each for each in thresholds if each.rating > rating), None):
        words[threshold.rating] = _(office.ruleset.words.messages.get(threshold.key, threshold.key))
    return [Goal(goal, words[goal], goal - rating) for goal in sorted(words)]
