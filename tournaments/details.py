"""Details of a section that its file does not have, entered in a form, and proposals for some of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F

from players import kept_pages
from players.models import User
from ratings.rulesets.facts import FORFEITS, Departure
from tournaments import announcements
from tournaments.acceptance import get_last_round, recheck
from tournaments.formats.sheet import find_departure_rounds
from tournaments.matching import is_nameless_file, match
from tournaments.models import Entry, Event, Game, Section
from tournaments.sections import lock_section, record


# ---- Rounds of finals and play-offs
def name_finals(known: list[str], count: int) -> list[str]:
    """The names of `count` rounds of finals: the last of the known ones, others by number."""
    kept = known[len(known) - count :] if count <= len(known) else known
    return [*(f"F{number}" for number in range(1, count - len(kept) + 1)), *kept]


def renumber_finals(section: Section, count: int) -> None:
    """Take the last `count` rounds for finals, and number them after the scheduled ones."""
    section.finals = name_finals(section.finals, count)
    section.save(update_fields=["finals"])
    last = get_last_round(section)
    moved = (section.rounds or 0) + count - last
    if not count or moved <= 0:
        return
    for number in range(last, last - count, -1):  # the last first: two rounds never share a number
        for rows in (section.games, section.byes):
            rows.filter(round=number).update(round=F("round") + moved)


# ---- Days of rounds
ONE_DAY, SPREAD = "one", "spread"
"""The ways to date all rounds at once: on the first day, or spread over all days."""


def spread_days(starts: date, ends: date, rounds: int) -> list[date]:
    """A day for each round in order, evenly spread; earlier days have one round more."""
    days = (ends - starts).days + 1
    each, more = divmod(rounds, days)
    if not each:  # more days than rounds: first and last are played, the others lie evenly between
        return [starts + timedelta(days=at * (days - 1) // max(rounds - 1, 1)) for at in range(rounds)]
    counts = [each + (at < more) for at in range(days)]
    return [starts + timedelta(days=at) for at, count in enumerate(counts) for _round in range(count)]


def compute_round_days(way: str, section: Section, rounds: int) -> list[date]:
    """The days of so many rounds of a section in one of the ways."""
    return spread_days(section.starts, section.ends if way == SPREAD else section.starts, rounds)


def detect_dating_way(section: Section) -> str:
    """The way in which all rounds of a section of several days are dated; empty if in another, or not yet."""
    days: Sequence[str | None] = section.round_dates
    for way in (ONE_DAY, SPREAD) if days and section.starts < section.ends else ():
        if list(days) == [day.isoformat() for day in compute_round_days(way, section, len(days))]:
            return way
    return ""


def propose_days(section: Section, rounds: int) -> list[date]:
    """Days for the rounds of a section without any, dated in the same way as for the program's last file."""
    way = section.hints.get("days", "")
    return compute_round_days(way, section, rounds) if way and not any(section.round_dates) else []


# ---- Saving
@dataclass(frozen=True, slots=True)
class Details:
    """A person's answers about a section; `left` and `excused` are complete."""

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
    """The event's place; None leaves it."""
    id_kind: str = ""
    """The kind of the ids in the file's id column; empty if there are none."""
    organizer: str = ""
    arbiters: Sequence[Mapping[str, str]] = ()
    """`{"name", "title", "id"}`, in order of appointment."""
    left: Mapping[int, Departure] = field(default_factory=dict)
    """Early leavers by starting number."""
    excused: Mapping[int, str] = field(default_factory=dict)
    """The excused sides by a game's order: `first`, `second`, `both`."""
    byes: Mapping[int, str] = field(default_factory=dict)
    """Kinds of byes by primary key; others stay."""
    places: Mapping[int, int | None] = field(default_factory=dict)
    """Final places by starting number; others stay."""
    reason: str = ""
    """The public reason of other days, or of another name or place than announced."""


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
    """Save a person's answers about a section, close its file's questions, and check it again. Other days are
    announced with the reason, as a postponement. `event_version`: of the event that the person saw.

    Raises `Refused` if the section or event changed meanwhile, if the event would change while another
    section is submitted or rated, or if announced days, name or place change without a reason.
    """
    locked = lock_section(section, version=version)
    event = locked.event
    before, of_event = (
        announcements.section_fields_in_words(locked),
        announcements.event_fields_in_words(event),
    )
    was, to = announcements.get_days(locked), (details.starts, details.ends)
    locked.name, locked.format, locked.team = details.name, details.format, details.team
    locked.rounds, locked.particulars = details.rounds, dict(details.particulars)
    locked.id_kind = details.id_kind or locked.id_kind
    event.organizer, event.arbiters = details.organizer, [dict(arbiter) for arbiter in details.arbiters]
    event.place = event.place if details.place is None else details.place
    mine = announcements.changes(before, announcements.section_fields_in_words(locked))
    its = announcements.changes(of_event, announcements.event_fields_in_words(event))
    if "organizer" in its:  # it was public, though such a decision takes nothing else back
        transaction.on_commit(kept_pages.forget)
    # The section's name and the event's place were public before: their changes are announced.
    things: list[tuple[Event | Section, announcements.Changes]] = [(locked, mine), (event, its)]
    announced = [
        (thing, public) for thing, changed in things if (public := public_name_or_place_changes(changed))
    ]
    named = {name for _thing, public in announced for name in public}
    silent = {name: pair for name, pair in (mine | its).items() if name not in named}
    if its:
        announcements.refuse_changed_event(event, event.version if event_version is None else event_version)
        announcements.refuse_reviewed_changes(announcements.lock_sections(event), its)
    words = announcements.clean_optional_reason(details.reason, required=to != was or bool(announced))
    event_days = announcements.move_announced_section(locked, to, words, on) if to != was else None
    days = [day.isoformat() if day else None for day in details.round_dates]
    locked.round_dates = (days + [None] * details.rounds)[: details.rounds]
    locked.hints.pop("filled", None)  # from now on a person said so
    locked.version += 1
    locked.save()
    event.version += 1 if its else 0
    event.save(update_fields=["organizer", "arbiters", "place", "version"])
    if its:
        announcements.increment_submitted_versions(announcements.lock_sections(event))
    _save_entries(locked, details)
    renumber_finals(locked, details.finals)
    _save_id_kind(locked)
    locked.findings.filter(source="file", level="asks").delete()
    recheck(locked)
    if to != was:
        announcements.record_postponement(locked, by, on, words, was, event_days)
    for thing, changed in announced:
        announcements.record_edit(thing, by, on, changed, words)
    record(locked, "complete", by, on, **announcements.build_edit_details(silent))
    return locked


def public_name_or_place_changes(changed: announcements.Changes) -> announcements.Changes:
    """The changes of a name or place that was public."""
    return {
        name: pair
        for name, pair in announcements.public_changes(changed).items()
        if name in ("name", "place")
    }


def _save_entries(section: Section, details: Details) -> None:
    """Save the details of single entries, games and byes."""
    entries = list(section.entries.all())
    for entry in entries:
        left = details.left.get(entry.number)
        entry.left_round, entry.left_notified = (left.round, left.notified) if left else (None, None)
        place = details.places.get(entry.number, entry.place)
        entry.place_said = entry.place_said or place != entry.place
        entry.place = place
    fields = ["left_round", "left_notified", "place", "place_said"]
    Entry.objects.bulk_update(entries, fields, batch_size=500)
    games = list(get_forfeited_games(section))
    for game in games:
        game.excused = details.excused.get(game.order, "")
    Game.objects.bulk_update(games, ["excused"], batch_size=500)
    for key, kind in details.byes.items():
        section.byes.filter(pk=key).update(kind=kind)


def _save_id_kind(section: Section) -> None:
    """Give the file's ids the section's kind, and match undecided entries again if it was another."""
    entries = list(section.entries.all())
    wrong = [entry for entry in entries if entry.filed_id and entry.id_kind != section.id_kind]
    if not wrong or not section.id_kind:
        return
    for entry in wrong:
        entry.id_kind = section.id_kind
    match(section.event.federation, entries, nameless=is_nameless_file(entries))
    fields = ["id_kind", "player", "match", "candidates"]
    Entry.objects.bulk_update(entries, fields, batch_size=500)


# ---- Values for the form
def get_forfeited_games(section: Section) -> list[Game]:
    games = section.games.filter(result__in=list(FORFEITS))
    return list(games.select_related("first", "second"))


def get_forfeiting_entries(game: Game) -> list[tuple[str, Entry]]:
    """The losers of a forfeited game: side (`first`, `second`) and entry."""
    sides = zip(("first", "second"), (game.first, game.second), FORFEITS[game.result], strict=True)
    return [(side, entry) for side, entry, won in sides if not won]


def list_early_leavers(section: Section) -> list[tuple[int, int, bool | None]]:
    """The early leavers of a section: starting number, first round missed, and whether notice was given.

    Those whom a person named are first, then others whom the byes suggest (notice: None).
    """
    left = section.entries.exclude(left_round=None).values_list("number", "left_round", "left_notified")
    known = [(number, round_ or 0, notified) for number, round_, notified in left]
    if not section.findings.filter(source="file", key="absences").exists():
        return known
    last = section.rounds or get_last_round(section)
    missed = section.byes.filter(kind="zero", round__lte=last)
    suggested = find_departure_rounds(missed.values_list("round", "entry__number"), last)
    named = {number for number, _round, _notified in known}
    return known + [(number, round_, None) for number, round_ in suggested.items() if number not in named]
