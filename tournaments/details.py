"""Details of a section that its file cannot carry: entered in one form and saved in one transaction.

The section is checked anew at once. Helpers propose what a person then confirms: the days of rounds, rounds
of finals, and final places.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import F

from players.models import User
from players.record import decide
from ratings.rulesets.facts import FORFEITS, Left
from tournaments import announcements
from tournaments.acceptance import last_round, recheck
from tournaments.formats.sheet import Absence, left_early
from tournaments.matching import file_without_names, match
from tournaments.models import Entry, Event, Game, Section
from tournaments.sections import lock_section


# ---- Rounds of finals and play-offs, told apart from the scheduled rounds and numbered behind them.
def names_of_finals(known: list[str], count: int) -> list[str]:
    """The names of so many rounds of finals: the last ones of those that are known, others by number."""
    kept = known[len(known) - count :] if count <= len(known) else known
    return [*(f"F{number}" for number in range(1, count - len(kept) + 1)), *kept]


def number_finals(section: Section, count: int) -> None:
    """Take the last rounds of a section's games for finals, and give them the numbers behind the scheduled
    rounds, in the transaction that saves these.
    """
    section.finals = names_of_finals(section.finals, count)
    section.save(update_fields=["finals"])
    last = last_round(section)
    moved = (section.rounds or 0) + count - last
    if not count or moved <= 0:
        return
    for number in range(last, last - count, -1):  # the last first: two rounds never share a number
        for rows in (section.games, section.byes):
            rows.filter(round=number).update(round=F("round") + moved)


# ---- Days for all rounds of a section at once: on its first day, or spread over its days.
ONE_DAY, SPREAD = "one", "spread"
"""The ways in which all rounds are dated at once."""


def spread(starts: date, ends: date, rounds: int) -> list[date]:
    """A day for each round, in order: as many rounds a day as on any other, the first days one more."""
    days = (ends - starts).days + 1
    each, more = divmod(rounds, days)
    if not each:  # more days than rounds: first and last are played, the others lie evenly between
        return [starts + timedelta(days=at * (days - 1) // max(rounds - 1, 1)) for at in range(rounds)]
    counts = [each + (at < more) for at in range(days)]
    return [starts + timedelta(days=at) for at, count in enumerate(counts) for _round in range(count)]


def dated(way: str, section: Section, rounds: int) -> list[date]:
    """The days of so many rounds of a section, dated in one of the ways."""
    return spread(section.starts, section.ends if way == SPREAD else section.starts, rounds)


def way_of(section: Section) -> str:
    """The way in which all rounds of a section of several days are dated; empty: another, or not yet."""
    days: Sequence[str | None] = section.round_dates
    for way in (ONE_DAY, SPREAD) if days and section.starts < section.ends else ():
        if list(days) == [day.isoformat() for day in dated(way, section, len(days))]:
            return way
    return ""


def proposed_days(section: Section, rounds: int) -> list[date]:
    """Days for the rounds of a section of which none has one, as the last file of the program was dated;
    nothing where no such file is remembered.
    """
    way = section.hints.get("days", "")
    return dated(way, section, rounds) if way and not any(section.round_dates) else []


# ---- Save a person's answers, and read what is saved to fill the form.
@dataclass(frozen=True, slots=True)
class Details:
    """A person's answers about a section's details; `left`, `excused` and `byes` are complete for it."""

    name: str
    starts: date
    ends: date
    format: str
    rounds: int
    finals: int = 0
    """The number of rounds beside the scheduled ones: the last ones of the file."""
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
    reason: str = ""
    """The reason for other days, or another name or place than was announced, in words for everybody."""


@transaction.atomic
def save_details(
    *,
    section: Section,
    by: User | None,
    on: date,
    version: int,
    details: Details,
    event_version: int | None = None,
) -> Section:
    """Save a person's answers about a section, close the file's questions, and check the section anew. Other
    days are announced, with the reason, as when it is postponed. `event_version`: of the event that the
    person saw; None: as it is.

    Raises `Refused` if the section changed meanwhile; if the event did, or the office has another of its
    sections, and this changes the event; or if days, or a name or place that was announced, change without a
    reason.
    """
    locked = lock_section(section, version=version)
    edit = _fill(locked, details)
    if edit.of_event:
        announcements.refuse_older(
            locked.event, locked.event.version if event_version is None else event_version
        )
        announcements.refuse_reviewed(announcements.sections_of(locked.event), edit.of_event)
    words = announcements.reason_for(details.reason, asked=bool(edit.moved or edit.announced))
    of_event = announcements.move_announced_section(locked, edit.to, words, on) if edit.moved else None
    # Save the section and its event as they were filled, with the days of the rounds.
    days = [day.isoformat() if day else None for day in details.round_dates]
    locked.round_dates = (days + [None] * details.rounds)[: details.rounds]
    locked.version += 1
    locked.save()
    locked.event.version += 1 if edit.of_event else 0
    locked.event.save(update_fields=["organizer", "arbiters", "place", "version"])
    if edit.of_event:
        announcements.look_again(announcements.sections_of(locked.event))
    _save_entries(locked, details)
    number_finals(locked, details.finals)
    _save_id_kind(locked)
    locked.findings.filter(source="file", level="asks").delete()
    recheck(locked)
    if edit.moved:
        announcements.record_move(locked, by, on, words, edit.was, of_event)
    for thing, changed in edit.announced:
        announcements.record_edit(thing, by, on, changed, words)
    told = announcements.on_record(edit.silent)
    decide(locked.event.federation, kind="complete", by=by, on=on, about=locked.named_on_record, **told)
    return locked


@dataclass(frozen=True, slots=True)
class DetailsEdit:
    """Changes that the details make of a section and its event."""

    was: announcements.Days
    to: announcements.Days
    announced: list[tuple[Event | Section, announcements.Changes]]
    """Changes of the section's name and the event's place, where everybody could read them."""
    silent: announcements.Changes
    """All other changes: filing tells how the section was played, and gives what was not asked before."""
    of_event: announcements.Changes
    """All changes of the event itself, but for its days."""

    @property
    def moved(self) -> bool:
        return self.was != self.to


def _fill(section: Section, details: Details) -> DetailsEdit:
    """Give the section and its event the details, unsaved and without the days; return what that changes."""
    event, before = section.event, announcements.told_of_section(section)
    of_event = announcements.told_of_event(event)
    section.name, section.format, section.team = details.name, details.format, details.team
    section.rounds, section.particulars = details.rounds, dict(details.particulars)
    section.id_kind = details.id_kind or section.id_kind
    event.organizer, event.arbiters = details.organizer, [dict(arbiter) for arbiter in details.arbiters]
    event.place = event.place if details.place is None else details.place
    mine, its = (
        announcements.changes(before, announcements.told_of_section(section)),
        announcements.changes(of_event, announcements.told_of_event(event)),
    )
    told: dict[Event | Section, announcements.Changes] = {
        section: announced_here(mine),
        event: announced_here(its),
    }
    named = {name for changed in told.values() for name in changed}
    silent = {name: pair for name, pair in (mine | its).items() if name not in named}
    announced = [(thing, changed) for thing, changed in told.items() if changed]
    return DetailsEdit(announcements.days_of(section), (details.starts, details.ends), announced, silent, its)


def announced_here(changed: announcements.Changes) -> announcements.Changes:
    """The changes of name and place, where everybody could read what was there."""
    return {name: pair for name, pair in announcements.seen(changed).items() if name in ("name", "place")}


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
    match(section.event.federation, entries, nameless=file_without_names(entries))
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
    filed = section.byes.values_list("round", "entry__number", "kind")
    last = section.rounds or last_round(section)
    suggested = left_early([Absence(*row) for row in filed if row[0] <= last], last)
    told = {number for number, _round, _notified in known}
    return known + [(number, round_, None) for number, round_ in suggested.items() if number not in told]


# ---- Final places as they follow from a file's points, discs and finals: a person confirms them.
_FOR_PLACES = re.compile(r"(?P<first>[0-9]{1,3})\s?[-–/]\s?(?P<second>[0-9]{1,3})")
_FINAL = re.compile(r"f(?:inals?)?|finał|finale", re.IGNORECASE)
_WON: Mapping[str, tuple[int, int]] = {"1-0": (1, 0), "0-1": (0, 1), "+:-": (1, 0), "-:+": (0, 1)}
Worth = tuple[Decimal, int]


def proposed_places(section: Section, entries: Sequence[Entry]) -> dict[int, int]:
    """The place of each entry, by starting number: more points first, then more discs where all have them;
    who has the same shares the place. A final between two, or a game for two places, decides these.

    Nothing where a place or somebody's points are known otherwise: then a person gives them all.
    """
    if not entries or any(entry.place is not None or entry.points is None for entry in entries):
        return {}
    discs = all(entry.discs is not None for entry in entries)
    worth = {
        entry.number: (entry.points or Decimal(0), (entry.discs or 0) if discs else 0) for entry in entries
    }
    order = sorted(worth.values(), reverse=True)
    first = {each: place for place, each in reversed(list(enumerate(order, start=1)))}
    places = {number: first[each] for number, each in worth.items()}
    if section.finals:
        played = section.games.select_related("first", "second").order_by("order")
        _play_off(places, section, list(played))
    return places


def _play_off(places: dict[int, int], section: Section, games: Iterable[Game]) -> None:
    """Give the places that finals were about to their players: to who won more games of them the better."""
    won: dict[tuple[int, int], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for game in games:
        if about := _about(section.name_of_round(game.round)):
            for player, point in zip((game.first, game.second), _WON.get(game.result, (0, 0)), strict=True):
                won[about][player.number] += point
    for (better, worse), points in sorted(won.items()):
        if len(points) == 2 and len(set(points.values())) == 2:
            loser, winner = sorted(points, key=lambda number: points[number])
            places |= {winner: better, loser: worse}


def _about(name: str) -> tuple[int, int] | None:
    """The two places for which a round of this name is played; None: for others, or for none."""
    if found := _FOR_PLACES.fullmatch(name):
        first, second = int(found["first"]), int(found["second"])
        return (first, second) if second == first + 1 else None
    return (1, 2) if _FINAL.fullmatch(name) else None
