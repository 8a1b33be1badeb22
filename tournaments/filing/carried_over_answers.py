"""Answers for an earlier file, carried over where the next has the same player, game or bye."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from ratings.law.facts import FORFEITS
from tournaments.events.models import Entry, Section
from tournaments.filing.open_questions import last_round
from tournaments.formats.common.early_leavers import Absence, left_early
from tournaments.formats.common.reading_result import Sheet, SheetGame
from tournaments.identity.id_kinds import is_nameless

Marks = tuple[object, ...]
Forfeit = tuple[int, int, int, str]
"""A forfeit of the earlier file: round, keys of the two entries, result."""


class Earlier:
    """A section as its earlier file left it: its answers are carried over to the file that replaces it."""

    def __init__(self, section: Section) -> None:
        self.entries: dict[Marks, list[Entry]] = defaultdict(list)
        for entry in section.entries.all():
            self.entries[_marks(entry)].append(entry)
        self.forfeits = {
            (game.round, game.first_id, game.second_id, game.result): game.excused
            for game in section.games.filter(result__in=list(FORFEITS))
        }
        self.byes = {(bye.round, bye.entry_id): bye.kind for bye in section.byes.all()}
        open_ = section.findings.filter(source="file", key="absences").exists()
        self.told_absences = bool(self.entries) and not open_
        absences = (Absence(round_, key, kind) for (round_, key), kind in self.byes.items())
        self.gone = left_early(absences, section.rounds or last_round(section))
        self.keys: dict[int, int] = {}
        """The earlier entry's key, by new starting number."""

    def carry_over(self, entries: Sequence[Entry]) -> None:
        """Carry over to new, unsaved entries what a person decided and said about the same players before."""
        alike = Counter((_marks(entry), entry.first_name) for entry in entries)
        known = {
            entry.number: self._before(entry, alike[_marks(entry), entry.first_name]) for entry in entries
        }
        claims = Counter(before.pk for before in known.values() if before)
        for entry in entries:
            before = known[entry.number]
            if before and claims[before.pk] == 1:
                self.keys[entry.number] = before.pk
                _carry_over(entry, before)

    def _before(self, entry: Entry, namesakes: int) -> Entry | None:
        """The same player's entry in the earlier file; among several alike, the one of the same number."""
        same = [one for one in self.entries.get(_marks(entry), ()) if _may_be(entry, one)]
        if namesakes > 1 or len(same) > 1:
            same = [one for one in same if one.number == entry.number]
        return same[0] if same else None

    def excused(self, game: SheetGame) -> str | None:
        """The side that a person excused of this forfeit; None if the earlier file had no such forfeit."""
        return self.forfeits.get(self._forfeit(game)) if game.result in FORFEITS else None

    def kind_of_bye(self, round_: int, number: int) -> str | None:
        """The kind of this bye in the earlier file, as a person may have given it; None if it had none."""
        return self.byes.get((round_, self.keys.get(number, 0)))

    def answers_absences(self, sheet: Sheet, gone: Mapping[int, int]) -> bool:
        """Whether a person said already, for the earlier file, who gave notice of all absences in this one.

        `gone`: early leavers by starting number, with the first round that they missed.
        """
        known = all(self._forfeit(game) in self.forfeits for game in sheet.games if game.result in FORFEITS)
        left = all(self.gone.get(self.keys.get(number, 0)) == round_ for number, round_ in gone.items())
        return self.told_absences and known and left

    def _forfeit(self, game: SheetGame) -> Forfeit:
        first, second = (self.keys.get(number, 0) for number in (game.first, game.second))
        return game.round, first, second, game.result


def finals_of_file(section: Section, sheet: Sheet) -> list[str]:
    """The finals as a file names them; else as a person told them apart, if it has as many rounds."""
    if sheet.finals:
        return list(sheet.finals)
    rounds = max([game.round for game in sheet.games], default=0)
    return section.finals if rounds == (section.rounds or 0) + len(section.finals) else []


def _marks(entry: Entry) -> Marks:
    """The marks by which an entry is found again under another starting number: its ids, else its surname."""
    return entry.filed_id, *(map(tuple, entry.other_ids) if entry.other_ids else (entry.surname,))


def _may_be(entry: Entry, one: Entry) -> bool:
    """Whether two entries may be one player: first name, birth and sex agree as far as both give them."""
    births = sorted((entry.birth, one.birth), key=len)
    sexes = {entry.sex, one.sex} - {""}
    return entry.first_name in ("", one.first_name) and births[1].startswith(births[0]) and len(sexes) < 2


def _carry_over(entry: Entry, before: Entry) -> None:
    if before.match in (Entry.Match.DECIDED, Entry.Match.NEW):
        entry.match, entry.player, entry.candidates = before.match, before.player, before.candidates
        entry.region_id = before.region_id
        if is_nameless(entry):
            entry.surname = before.surname
        entry.first_name = entry.first_name or before.first_name
        entry.sex, entry.birth = entry.sex or before.sex, max(entry.birth, before.birth, key=len)
    entry.left_round, entry.left_notified = before.left_round, before.left_notified
    if before.place_said and entry.place is None:
        entry.place, entry.place_said = before.place, True


def loser_of(game: SheetGame) -> str:
    """The side, or both, that forfeited a game, as `Game.excused` names it."""
    return {"+:-": "second", "-:+": "first"}.get(game.result, "both")
