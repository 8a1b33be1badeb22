"""Random journals of any ruleset, line by line: versions, corrections, lists, revisions, merges and partings.

The same seed gives the same journal. A line that would not be well formed where it stands is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from random import Random

from ratings.rulesets.facts import (
    JOURNAL_FORM,
    UNRATING_REASONS,
    Federation,
    JournalFact,
    ListClosing,
    Merged,
    Parted,
    Rated,
    Revised,
    Section,
    TakenOver,
    Unrated,
)
from ratings.rulesets.journal import read_journal
from ratings.rulesets.journal_lines import JournalError, write_line
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.strategies import EARLIEST, no_more, openings, own, person, rateable_section

COMMON = ["section", "section", "version", "rate", "rate", "rate"]
ACTIONS = [*COMMON, "unrate", "list", "revise", "player", "merge", "part", "take_over", "further"]
CORRECTIONS = [*ACTIONS, *["unrate", "unrate", "rate", "rate", "version", "list"] * 2]
"""What happens where the office corrects often."""


class Writer:
    """A journal as it grows."""

    def __init__(self, ruleset: Ruleset, seed: int, actions: Sequence[str] = ACTIONS) -> None:
        self.ruleset, self.dice, self.actions = ruleset, Random(seed), actions
        self.lines = [write_line(Federation(JOURNAL_FORM, ruleset.slug, ruleset.slug, ruleset.name), ruleset)]
        self.people = {name: person(ruleset, self.dice, name) for name in (f"P{n:02}" for n in range(9))}
        self.sections: dict[str, Section] = {}
        self.lists: list[date] = []
        self.day = max(ruleset.editions[0].in_force, EARLIEST)

    def add(self, fact: JournalFact) -> bool:
        """The line, if it may stand here."""
        line = write_line(fact, self.ruleset)
        try:
            read_journal([*self.lines, line])
        except JournalError:
            return False
        self.lines.append(line)
        return True

    def begin(self) -> None:
        for player in self.people.values():
            self.add(player)
        if "opening" in self.ruleset.journal.folds and self.dice.random() < 0.7:
            for opening in openings(self.ruleset, self.dice, self.people):
                self.add(opening)
        if self.dice.random() < 0.3:
            self.merge()

    def step(self) -> None:
        self.day += timedelta(self.dice.choice((0, 0, 1, 9, 40)))
        getattr(self, self.dice.choice(self.actions))()

    def section(self) -> None:
        self._version(f"E{len(self.sections)}/A")

    def version(self) -> None:
        if self.sections:
            self._version(self.dice.choice(list(self.sections)))

    def _version(self, name: str) -> None:
        """A section, sometimes played long before, sometimes not over yet."""
        starts = max(EARLIEST, self.day - timedelta(self.dice.choice((0, 1, 1, 60))))
        section = rateable_section(self.ruleset, self.dice, list(self.people), starts, name)
        if self.add(section):
            self.sections[name] = section

    def rate(self) -> None:
        if self.sections:
            self.add(Rated(self.dice.choice(list(self.sections)), self.day))

    def unrate(self) -> None:
        if self.sections:
            name = self.dice.choice(list(self.sections))
            self.add(Unrated(name, self.day, self.dice.choice(UNRATING_REASONS)))

    def list(self) -> None:
        if self.add(ListClosing(self.day)):
            self.lists.append(self.day)

    def revise(self) -> None:
        if self.lists:
            self.add(Revised(self.dice.choice(self.lists), self.day))

    def player(self) -> None:
        name = self.dice.choice([*self.people, f"P{len(self.people):02}"])
        self.people[name] = person(self.ruleset, self.dice, name)
        if not self.add(self.people[name]):
            self.merge()

    def merge(self) -> None:
        self.add(Merged(self.dice.choice(list(self.people)), self.dice.choice(list(self.people)), self.day))

    def part(self) -> None:
        for name in self.people:
            if self.add(Parted(name, self.day)):
                return

    def take_over(self) -> None:
        self.add(TakenOver(self.day, "an archive"))

    def further(self) -> None:
        for fact in own(self.ruleset, "further", no_more)(self.dice, self.people, self.day):
            self.add(fact)


def journal(ruleset: Ruleset, seed: int, steps: int = 40, actions: Sequence[str] = ACTIONS) -> list[str]:
    writer = Writer(ruleset, seed, actions)
    writer.begin()
    for _ in range(steps):
        writer.step()
    writer.add(ListClosing(writer.day + timedelta(1)))
    for on in writer.lists:
        writer.add(Revised(on, writer.day + timedelta(1)))
    return writer.lines
