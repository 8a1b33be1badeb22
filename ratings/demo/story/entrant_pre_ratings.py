"""States pre-ratings in a section's line as an office would, from what it counted before (§58)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ratings.equipment.demo import Person
from ratings.law import facts
from ratings.law.ruleset import Ruleset


@dataclass(slots=True)
class GameCount:
    """The number of counted games by player and track, kept as the story rates sections and takes ratings
    back.
    """

    ruleset: Ruleset
    people: Mapping[str, Person]
    games: Counter[facts.Key] = field(default_factory=Counter)

    def open(self, opening: facts.Opening) -> None:
        self.games[opening.player, opening.track] += opening.games

    def rate(self, section: facts.Section, times: int = 1) -> None:
        """Count the games of a rated section, or with `times=-1` discount those of one whose rating is taken
        back.
        """
        tracks = self.ruleset.sections.tracks_of(section)
        for game in section.games:
            for player in (game.first, game.second) if game.played else ():
                for track in tracks if self._counts(player, section) else ():
                    self.games[player, track] += times

    def stated(self, section: facts.Section, earlier: facts.Section | None = None) -> facts.Section:
        """The section with a pre-rating in the entry of everyone who has too few counted games, or had one in
        the version before (`earlier`), as the office states it at approval.
        """
        if self.ruleset.pre_ratings is None:
            return section
        kept = {entry.player for entry in earlier.entries if entry.pre is not None} if earlier else set()
        entries = (self._entry(entry, section, kept=entry.player in kept) for entry in section.entries)
        return replace(section, entries=tuple(entries))

    def _entry(self, entry: facts.Entry, section: facts.Section, *, kept: bool) -> facts.Entry:
        fewest = min(self.games[entry.player, track] for track in self.ruleset.sections.tracks_of(section))
        if self.ruleset.pre_ratings is None or (fewest >= self.ruleset.pre_ratings.until_games and not kept):
            return entry
        person = self.people[entry.player]
        return replace(entry, pre=self.ruleset.pre_ratings.of(person.birth.year, person.sex, section))

    def _counts(self, player: str, section: facts.Section) -> bool:
        """Whether a section's games count for a player: abroad, not for foreigners (D-CSA-18)."""
        home = section.country in (None, self.ruleset.country)
        return home or self.people[player].nation == self.ruleset.country
