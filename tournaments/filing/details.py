"""Details that a file cannot carry: entered in one form, saved in one transaction, checked at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.db import transaction
from django.db.models import Max, Min

from players.office.decision_record import decide
from players.office.models import User
from ratings.law.facts import FORFEITS, Left
from tournaments.events.lock_section import lock_section
from tournaments.events.models import NOT_PLAYED, Entry, Event, Game, Section
from tournaments.filing.open_questions import last_round, recheck
from tournaments.formats.common.early_leavers import Absence, left_early
from tournaments.identity.matching import match


@dataclass(frozen=True, slots=True)
class Details:
    """A person's answers about a section's details; `left`, `excused` and `byes` are complete for it."""

    name: str
    starts: date
    ends: date
    format: str
    rounds: int
    team: bool = False
    particulars: Mapping[str, Any] = field(default_factory=dict)
    round_dates: Sequence[date | None] = ()
    place: str | None = None
    """The event's place; None: as it was."""
    id_kind: str = ""
    """The kind of the ids in the file's id column; empty if there are none."""
    organizer: str = ""
    arbiters: Sequence[Mapping[str, str]] = ()
    """`{"name", "title", "id"}`, in order of appointment."""
    left: Mapping[int, Left] = field(default_factory=dict)
    """By starting number."""
    excused: Mapping[int, str] = field(default_factory=dict)
    """The excused sides by a game's order: `first`, `second`, `both`."""
    byes: Mapping[int, str] = field(default_factory=dict)
    """Kinds by the bye's key; byes not named keep theirs."""
    places: Mapping[int, int | None] = field(default_factory=dict)
    """Final places by starting number; entries not named keep theirs."""


@transaction.atomic
def save_details(*, section: Section, by: User | None, on: date, version: int, details: Details) -> Section:
    """Save a person's answers about a section, close the file's questions, and check the section anew."""
    locked = lock_section(section, version=version)
    _save_section(locked, details)
    _save_event(locked.event, details)
    _save_entries(locked, details)
    _save_id_kind(locked)
    locked.findings.filter(source="file", level="asks").delete()
    recheck(locked)
    decide(locked.event.federation, kind="complete", by=by, on=on, about=f"section {locked.key}")
    return locked


def _save_section(section: Section, details: Details) -> None:
    section.name, section.format, section.team = details.name, details.format, details.team
    section.starts, section.ends, section.rounds = details.starts, details.ends, details.rounds
    section.particulars = dict(details.particulars)
    section.id_kind = details.id_kind or section.id_kind
    days = [day.isoformat() if day else None for day in details.round_dates]
    section.round_dates = (days + [None] * details.rounds)[: details.rounds]
    section.version += 1
    section.save()


def _save_event(event: Event, details: Details) -> None:
    """Save the event's fields; it lasts from its first section's first day to its last section's last."""
    played = event.sections.exclude(stage__in=NOT_PLAYED)
    span = played.aggregate(starts=Min("starts"), ends=Max("ends"))
    event.starts, event.ends = span["starts"], span["ends"]
    event.organizer, event.arbiters = details.organizer, [dict(arbiter) for arbiter in details.arbiters]
    event.place = event.place if details.place is None else details.place
    event.version += 1
    event.save(update_fields=["starts", "ends", "organizer", "arbiters", "place", "version"])


def _save_entries(section: Section, details: Details) -> None:
    """Save what the details say of single entries, games and byes: places, departures, excuses, kinds."""
    entries = list(section.entries.all())
    for entry in entries:
        left = details.left.get(entry.number)
        entry.left_round, entry.left_notified = (left.round, left.notified) if left else (None, None)
        place = details.places.get(entry.number, entry.place)
        entry.place_said = entry.place_said or place != entry.place
        entry.place = place
    fields = ["left_round", "left_notified", "place", "place_said"]
    Entry.objects.bulk_update(entries, fields, batch_size=500)
    games = list(forfeited(section))
    for game in games:
        game.excused = details.excused.get(game.order, "")
    Game.objects.bulk_update(games, ["excused"], batch_size=500)
    for key, kind in details.byes.items():
        section.byes.filter(pk=key).update(kind=kind)


def _save_id_kind(section: Section) -> None:
    """Give the file's ids the kind that the section has now, and match again everybody whom no person decided
    on, if it was assumed to be another.
    """
    entries = list(section.entries.all())
    wrong = [entry for entry in entries if entry.filed_id and entry.id_kind != section.id_kind]
    if not wrong or not section.id_kind:
        return
    for entry in wrong:
        entry.id_kind = section.id_kind
    match(section.event.federation, entries)
    fields = ["id_kind", "player", "match", "candidates"]
    Entry.objects.bulk_update(entries, fields, batch_size=500)


# ---------------------------------------------------------------- fill the form


def forfeited(section: Section) -> list[Game]:
    games = section.games.filter(result__in=list(FORFEITS))
    return list(games.select_related("first", "second"))


def losers(game: Game) -> list[tuple[str, Entry]]:
    """The losers of a forfeited game: for each the side (`first`, `second`) and the entry; both may lose."""
    sides = zip(("first", "second"), (game.first, game.second), FORFEITS[game.result], strict=True)
    return [(side, entry) for side, entry, won in sides if not won]


def departures(section: Section) -> list[tuple[int, int, bool | None]]:
    """The early leavers of a section: starting number, first round missed, and whether notice was given.

    Those whom a person named come first, then others whom the byes suggest (notice: None).
    """
    said = section.entries.exclude(left_round=None).values_list("number", "left_round", "left_notified")
    known = [(number, round_ or 0, notified) for number, round_, notified in said]
    if not section.findings.filter(source="file", key="absences").exists():
        return known
    byes = [Absence(*row) for row in section.byes.values_list("round", "entry__number", "kind")]
    suggested = left_early(byes, section.rounds or last_round(section))
    told = {number for number, _round, _notified in known}
    return known + [(number, round_, None) for number, round_ in suggested.items() if number not in told]
