"""Corrects single rows of a section as filed: a result, a pairing, a place, a day, or a game struck out.

A change is a small mapping, so that a form can carry it and a proposal can keep it:
`{"what": "result", "game": 17, "to": "0-1"}`, `{"what": "struck", "game": 17}`,
`{"what": "pairing", "game": 17, "first": 4, "second": 9}`, `{"what": "place", "entry": 4, "to": 2}`,
`{"what": "date", "round": 3, "to": "2026-03-07"}`, `{"what": "date", "day": "ends", "to": "2026-03-08"}`.
Games are named by their order, players by their starting numbers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from players.office.decision_record import Refused
from players.register.models import Player
from ratings.law.facts import ANNULLED, RESULTS
from tournaments.events.models import NOT_PLAYED, Entry, Game, Section

Change = Mapping[str, Any]
MOST_CHANGES = 50
"""Corrections of one decision; a file that is wrong in more is another file."""
MOST_PLACES = 99_999
DAYS = ("starts", "ends")


@dataclass(frozen=True, slots=True)
class RowCorrected:
    """A change that was made in a section's rows, as `Correction` keeps it."""

    what: str
    row: Game | Entry | Section
    where: dict[str, Any]
    before: Any
    after: Any
    players: list[Player] = field(default_factory=list)


def parse_changes(text: str) -> list[Change]:
    """Read the changes that a form carries; raise `Refused` if these are none."""
    try:
        found = json.loads(text or "[]")
    except ValueError:
        found = None
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise Refused(_("The corrections of this form cannot be read. Open the page again."))
    if len(found) > MOST_CHANGES:
        raise Refused(
            _("At most %(most)s corrections are made at once. Ask the region for a corrected file instead.")
            % {"most": MOST_CHANGES}
        )
    return found


def change_rows(section: Section, changes: Sequence[Change]) -> list[RowCorrected]:
    """Make the changes in a section's rows, which are in memory (`rows_in_memory`): nothing is written.

    Raises `Refused` where a change names nothing in this section, or nothing would be otherwise.
    """
    verbs = {
        "result": _result,
        "struck": _struck,
        "pairing": _pairing,
        "place": _place,
        "date": _date,
    }
    made = []
    for change in changes:
        verb = verbs.get(str(change.get("what")))
        if verb is None:
            raise Refused(_("Choose what is to be corrected: a result, a pairing, a place or a date."))
        made.append(verb(section, change))
    if not made:
        raise Refused(_("Nothing is to be corrected: choose a game, a place or a date first."))
    return made


def save_rows(section: Section, corrected: Sequence[RowCorrected]) -> None:
    """Write the rows that were corrected in memory; the section's file stays as it came."""
    for each in corrected:
        if isinstance(each.row, Game):
            each.row.save(update_fields=["first", "second", "result", "excused"])
        elif isinstance(each.row, Entry):
            each.row.save(update_fields=["place"])
        else:
            section.save(update_fields=["round_dates", "starts", "ends"])
            section.event.save(update_fields=["starts", "ends", "version"])


def _result(section: Section, change: Change) -> RowCorrected:
    game, result = _game(section, change), str(change.get("to"))
    if result not in RESULTS:
        raise Refused(_("“%(result)s” is no result of a game.") % {"result": result})
    return _with_result(game, result, "result")


def _struck(section: Section, change: Change) -> RowCorrected:
    """Strike a game that cannot be: it stays in its place and counts for nothing (D-7)."""
    return _with_result(_game(section, change), ANNULLED, "struck")


def _with_result(game: Game, result: str, what: str) -> RowCorrected:
    before = game.result
    _refuse_same(before, result)
    game.result, game.excused = result, ""  # an excuse was for the forfeit that stood here
    return RowCorrected(what, game, _where(game), before, result, _people(game.first, game.second))


def _pairing(section: Section, change: Change) -> RowCorrected:
    game = _game(section, change)
    where, before = _where(game), [_side(game.first), _side(game.second)]
    old = _people(game.first, game.second)
    first = _entry(section, change.get("first", game.first.number))
    second = _entry(section, change.get("second", game.second.number))
    if first.pk == second.pk:
        raise Refused(
            _("Round %(round)s: nobody plays against themselves. Choose two players.") % {"round": game.round}
        )
    _refuse_same((game.first_id, game.second_id), (first.pk, second.pk))
    if {first.pk, second.pk} != {game.first_id, game.second_id}:
        game.excused = ""
    game.first, game.second = first, second
    people = {player.pk: player for player in (*old, *_people(first, second))}
    after = [_side(first), _side(second)]
    return RowCorrected("pairing", game, where, before, after, list(people.values()))


def _place(section: Section, change: Change) -> RowCorrected:
    entry, place = _entry(section, change.get("entry")), change.get("to")
    if not isinstance(place, int) or not 1 <= place <= MOST_PLACES:
        raise Refused(_("Write the place as a whole number, 1 for the first."))
    before = entry.place
    _refuse_same(before, place)
    entry.place = place
    return RowCorrected("place", entry, {"entry": _side(entry)}, before, place, _people(entry))


def _date(section: Section, change: Change) -> RowCorrected:
    try:
        day = date.fromisoformat(str(change.get("to")))
    except ValueError:
        raise Refused(_("Write the day as year, month and day, such as 2026-03-07.")) from None
    name = change.get("day")
    if name in DAYS:
        return _day_of_section(section, str(name), day)
    number = change.get("round")
    if not isinstance(number, int) or not 1 <= number <= (section.rounds or 0):
        raise Refused(_("This section has no such round."))
    days: list[str | None] = list(section.round_dates)
    days += [None] * (number - len(days))
    before = days[number - 1]
    _refuse_same(before, day.isoformat())
    days[number - 1] = day.isoformat()
    section.round_dates = days
    return RowCorrected("date", section, {"round": number}, before, day.isoformat())


def _day_of_section(section: Section, name: str, day: date) -> RowCorrected:
    """Correct the first or last day of a section, and with it its event's."""
    before: date = getattr(section, name)
    _refuse_same(before, day)
    setattr(section, name, day)
    if section.ends < section.starts:
        raise Refused(_("The last day would be before the first."))
    event = section.event
    others = event.sections.exclude(stage__in=NOT_PLAYED).exclude(pk=section.pk)
    days = [(section.starts, section.ends), *others.values_list("starts", "ends")]
    event.starts, event.ends = min(first for first, _last in days), max(last for _first, last in days)
    event.version += 1
    return RowCorrected("date", section, {"day": name}, before.isoformat(), day.isoformat())


def _game(section: Section, change: Change) -> Game:
    order = change.get("game")
    game = next((game for game in section.games.all() if game.order == order), None)
    if game is None:
        raise Refused(_("This section has no such game. Open the page again."))
    return game


def _entry(section: Section, number: object) -> Entry:
    entry = next((entry for entry in section.entries.all() if entry.number == number), None)
    if entry is None:
        raise Refused(_("This section has no player with that starting number."))
    return entry


def _where(game: Game) -> dict[str, Any]:
    return {"round": game.round, "game": game.order, "sides": [_side(game.first), _side(game.second)]}


def _side(entry: Entry) -> dict[str, Any]:
    return {"number": entry.number, "player": entry.player.number if entry.player else ""}


def _people(*entries: Entry) -> list[Player]:
    return [entry.player for entry in entries if entry.player]


def _refuse_same(before: object, after: object) -> None:
    if before == after:
        raise Refused(_("That is what the section says already: nothing would be corrected."))
