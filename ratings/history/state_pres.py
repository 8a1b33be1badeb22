"""States the pre-ratings of a history's sections (§58), by the standings that its own lines lead to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from players.office.models import Federation
from ratings.journal.read_facts import AFTER_EVERYTHING
from ratings.journal.stated_pre_ratings import stated_before
from ratings.law import facts
from ratings.law.facts import State
from ratings.results.read_states import state_before
from tournaments.history.people.filed_people import FiledPerson


class PresOfHistory:
    """Folds the lines of a history as they are drawn up, where pre-ratings are stated; else does nothing."""

    def __init__(self, federation: Federation) -> None:
        self.federation, self.rules = federation, federation.ruleset
        self.told: dict[str, int] = {}
        """The last pre-rating that a line of the history states, by number."""
        self.state: State[Any] = State()
        if self.rules.pre_ratings is not None:
            self.state = state_before(federation, AFTER_EVERYTHING)

    def stated(self, record: facts.Section, people: Iterable[FiledPerson]) -> facts.Section:
        """The section with a pre-rating for each entrant with too few counted games in one of its tracks."""
        pre_ratings = self.rules.pre_ratings
        if pre_ratings is None:
            return record
        known = {person.number: person for person in people}
        tracks = self.rules.sections.tracks_of(record)
        entries = []
        for entry in record.entries:
            standings = [self.state.get(entry.player, track) for track in tracks]
            if any(each is None or each.games < pre_ratings.until_games for each in standings):
                person = known[entry.player]
                pre = pre_ratings.of(person.born, person.sex or None, record)
                entries.append(replace(entry, pre=pre))
                self.told[entry.player] = pre
            else:
                entries.append(entry)
        return replace(record, entries=tuple(entries))

    def fold(self, fact: facts.Fact) -> None:
        """Fold the next line, where later pre-ratings rest on it."""
        if self.rules.pre_ratings is None:
            return
        if isinstance(fact, facts.RatedSection):
            fact = replace(fact, pres=self._earlier(fact))
        self.state.absorb(self.rules.apply(self.state, fact))

    def _earlier(self, fact: facts.RatedSection) -> dict[str, int]:
        """The pre-ratings stated earlier for entrants of whom this section states none."""
        silent = [entry.player for entry in fact.section.entries if entry.pre is None]
        told = {player: self.told[player] for player in silent if player in self.told}
        rest = [player for player in silent if player not in told]
        if not rest:
            return told
        known = stated_before(self.federation, rest, fact.number)
        return {**told, **{player: pre for player, (_line, pre) in known.items()}}
