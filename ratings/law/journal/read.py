"""Reads a whole journal: its lines one after the other, each checked against those above it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

from ratings.law.facts import (
    FORM,
    Federation,
    JournalFact,
    ListClosing,
    Merged,
    Opening,
    Parted,
    Player,
    PlayerId,
    Playoff,
    Rank,
    Rated,
    Revised,
    Section,
    Unrated,
)
from ratings.law.journal.end_line import LinesAbove, as_text, is_end
from ratings.law.journal.parse import decoded, fact_of, reader_of
from ratings.law.journal.values import MOST_PROBLEMS, Faults, JournalError, LineProblem, quoted
from ratings.law.ruleset import Ruleset
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets import rulesets


class JournalLine(NamedTuple):
    """A line of a journal: its number, from 1, and its fact."""

    number: int
    fact: JournalFact


@dataclass(frozen=True, slots=True)
class Journal:
    """A whole journal that was read without a problem."""

    federation: Federation
    ruleset: Ruleset
    lines: tuple[JournalLine, ...]
    """Every line, the federation's first; the end line is none of them."""
    ended: bool = False
    """Whether the end line stood below: where it did not, lines may have been cut off."""


def read_journal(lines: Iterable[str | bytes], *, former: bool = False) -> Journal:
    """Read a journal line by line, with or without line ends; raises JournalError with up to a hundred
    problems.

    `lines` may be an open file of bytes or a list. `former`: read a former form's lines as this form's.
    """
    above, ended = LinesAbove(), False
    numbered = enumerate((_bare(line) for line in lines), start=1)
    federation, ruleset = _head(numbered, above, former=former)
    record, problems = LinesSoFar(ruleset), list[LineProblem]()
    read = [JournalLine(1, federation)]
    for number, line in numbered:
        faults = Faults(number)
        if ended:
            faults.add("", _("stands below the end line; the last line of a journal says where it ends"))
        elif is_end(line):
            ended = True
            _check_end(line, above, faults)
        else:
            above.add(line)
            fact = record.take(line, faults)
            if fact is not None:
                read.append(JournalLine(number, fact))
        problems += faults.found
        if len(problems) >= MOST_PROBLEMS:
            break
    if problems:
        raise JournalError(problems[:MOST_PROBLEMS])
    return Journal(federation, ruleset, tuple(read), ended)


def _check_end(line: str | bytes, above: LinesAbove, faults: Faults) -> None:
    if as_text(line) != above.end:
        words = _("the end line is not that of the {count} lines above it: some were cut, added or altered")
        faults.add("", words, count=above.count)


def _bare(line: str | bytes) -> str | bytes:
    return line.removesuffix(b"\n") if isinstance(line, bytes) else line.removesuffix("\n")


def _head(
    numbered: Iterator[tuple[int, str | bytes]], above: LinesAbove, *, former: bool
) -> tuple[Federation, Ruleset]:
    """Read the federation's line and find its ruleset; raises JournalError where nothing below can be read
    without.
    """
    faults = Faults(1)
    _number, line = next(numbered, (1, None))
    if line is None:
        faults.add("", _("the journal is empty; the first line must name the federation"))
    else:
        above.add(line)
    raw = None if line is None else decoded(line, faults)
    if former and isinstance(raw, dict) and reader_of(raw.get("form")):
        raw["form"] = FORM
    head = None if faults.found else fact_of(raw, None, faults)
    if isinstance(head, Federation):
        ruleset = rulesets().get(head.ruleset)
        if ruleset:
            return head, ruleset
        words = _("{value} is not a known ruleset; there are: {known}")
        faults.add("ruleset", words, value=quoted(head.ruleset), known=", ".join(rulesets()))
    raise JournalError(faults.found)


@dataclass
class LinesSoFar:
    """A summary of the lines read so far, against which the next line is checked."""

    ruleset: Ruleset
    players: set[PlayerId] = field(default_factory=set)
    sections: dict[str, Section | None] = field(default_factory=dict)
    """The newest version of each section; None where that line itself was wrong."""
    rated: dict[str, int] = field(default_factory=dict)
    """The sections that are rated, each with the number of its `rated` line in force."""
    stands_in: defaultdict[PlayerId, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The sections in which each id stands, by their newest versions."""
    merged: dict[PlayerId, tuple[PlayerId, int]] = field(default_factory=dict)
    """The merged ids in force: the id merged into, and the number of the `merged` line."""
    openings: dict[tuple[PlayerId, str], int] = field(default_factory=dict)
    """The openings by player and track, each with its line's number."""
    opening_day: date | None = None
    """The day of the last opening."""
    lists: dict[date, int] = field(default_factory=dict)
    """The number of each day's `list` line."""
    newest: tuple[date, int] | None = None
    """The newest day of any line so far, and that line's number."""

    def take(self, line: str | bytes, faults: Faults) -> JournalFact | None:
        """Check the next line against those above, note it in this summary, and return its fact; None where
        something is wrong with it.
        """
        raw = decoded(line, faults)
        fact = None if faults.found else fact_of(raw, self.ruleset, faults)
        if fact is None:
            self._excuse(raw)
            return None
        self._check_day(getattr(fact, "on", None), faults)
        match fact:
            case Player():
                self.players.add(fact.id)
                self._check_unmerged("id", fact.id, faults)
            case ListClosing():
                self._list(fact, faults)
            case Revised():
                self._revised(fact, faults)
            case Section():
                self._section(fact, faults)
            case Rated():
                self._rated(fact, faults)
            case Unrated():
                self._unrated(fact, faults)
            case Opening():
                self._opening(fact, faults)
            case Rank():
                self._check_known("player", fact.player, faults)
            case Playoff():
                self._check_known("winner", fact.winner, faults)
            case Merged():
                self._merged(fact, faults)
            case Parted():
                self._parted(fact, faults)
        return None if faults.found else fact

    def _excuse(self, raw: Any) -> None:
        """Note the player or section whose line is wrong, so that lines that rest on it are not
        reported too.
        """
        if not isinstance(raw, dict) or not isinstance(raw.get("id"), str):
            return
        if raw.get("fact") == "player":
            self.players.add(raw["id"])
        if raw.get("fact") == "section":
            self.sections[raw["id"]] = None

    def _check_day(self, on: date | None, faults: Faults) -> None:
        if on is None:
            return
        if self.newest and on < self.newest[0]:
            words = _("{day} is before {newest} of line {line}; days never go backwards in a journal")
            faults.add("on", words, day=on, newest=self.newest[0], line=self.newest[1])
        else:
            self.newest = (on, faults.line)

    def _check_known(self, where: str, player: PlayerId, faults: Faults) -> None:
        if player not in self.players:
            words = _("{player} has no player line above; write one before this line")
            faults.add(where, words, player=player)
        self._check_unmerged(where, player, faults)

    def _check_unmerged(self, where: str, player: PlayerId, faults: Faults) -> None:
        if player in self.merged:
            into, line = self.merged[player]
            words = _("{player} was merged into {into} in line {line}; name {into} from there on")
            faults.add(where, words, player=player, into=into, line=line)

    def _section(self, section: Section, faults: Faults) -> None:
        if section.id in self.rated:
            words = _("the section is rated in line {line}; un-rate it before it is replaced")
            faults.add("id", words, line=self.rated[section.id])
        if not self.sections and self.opening_day and section.starts <= self.opening_day:
            words = _("{day} is not after the openings' day, {opening}; they are of a day before the record")
            faults.add("starts", words, day=section.starts, opening=self.opening_day)
        before = self.sections.get(section.id)
        for entry in before.entries if before else ():
            self.stands_in[entry.player].discard(section.id)
        for at, entry in enumerate(section.entries):
            if entry.player not in self.players or entry.player in self.merged:
                self._check_known(f"entries[{at}].player", entry.player, faults)
            self.stands_in[entry.player].add(section.id)
        self.sections[section.id] = section

    def _rated(self, rated: Rated, faults: Faults) -> None:
        if rated.section not in self.sections:
            words = _("there is no section {section} above; write the section's line before its rating")
            faults.add("section", words, section=rated.section)
            return
        if rated.section in self.rated:
            words = _("the section is rated in line {line} already; un-rate it first")
            faults.add("section", words, line=self.rated[rated.section])
        section = self.sections[rated.section]
        finding = self.ruleset.sections.rateable(section) if section else None
        if finding:
            why = self.ruleset.words.messages.get(finding.key, finding.key).format(**finding.params)
            words = _("this section cannot be rated ({clause}: {why}); leave the rated line out")
            faults.add("section", words, clause=finding.clause, why=why)
        self.rated[rated.section] = faults.line

    def _unrated(self, unrated: Unrated, faults: Faults) -> None:
        if unrated.section not in self.rated:
            words = _("the section {section} is not rated here; there is nothing to un-rate")
            faults.add("section", words, section=unrated.section)
        self.rated.pop(unrated.section, None)

    def _opening(self, opening: Opening, faults: Faults) -> None:
        self._check_known("player", opening.player, faults)
        if self.sections or self.lists:
            words = _("openings stand before the first section and the first list; move this line up")
            faults.add("fact", words)
        self.opening_day = opening.on
        line = self.openings.setdefault((opening.player, opening.track), faults.line)
        if line != faults.line:
            words = _("the player's opening in {track} is in line {line} already; keep one of them")
            faults.add("track", words, track=opening.track, line=line)

    def _list(self, closing: ListClosing, faults: Faults) -> None:
        line = self.lists.setdefault(closing.on, faults.line)
        if line != faults.line:
            words = _("the list of {day} is in line {line} already; there can be only one list a day")
            faults.add("on", words, day=closing.on, line=line)

    def _revised(self, revised: Revised, faults: Faults) -> None:
        if revised.list not in self.lists:
            words = _("there is no list of {day} above; name the day of a list that was published")
            faults.add("list", words, day=revised.list)

    def _merged(self, merged: Merged, faults: Faults) -> None:
        self._check_known("player", merged.player, faults)
        self._check_known("into", merged.into, faults)
        if merged.player == merged.into:
            faults.add("into", _("the two are one player already; leave the line out"))
        if faults.found:
            return
        for section in sorted(self._sections_of(merged.player) & self._sections_of(merged.into)):
            words = _("both are entered in section {section}: they are two people, or an entry is wrong")
            faults.add("into", words, section=section)
        self.merged[merged.player] = merged.into, faults.line

    def _sections_of(self, player: PlayerId) -> set[str]:
        """The ids of the sections in which a person is entered, under any id that was merged into
        this one.
        """
        found, ids = set[str](), [player]
        while ids:
            one = ids.pop()
            found |= self.stands_in.get(one, set())
            ids += [other for other, (into, _line) in self.merged.items() if into == one]
        return found

    def _parted(self, parted: Parted, faults: Faults) -> None:
        if self.merged.pop(parted.player, None) is None:
            words = _("{player} is not merged into another entry here; there is nothing to separate")
            faults.add("player", words, player=parted.player)
