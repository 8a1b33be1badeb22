"""A section of the office as the open journal writes it and the rules read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from django.db.models import Prefetch, QuerySet, prefetch_related_objects

from ratings.law import facts
from ratings.law.ruleset import Ruleset
from tournaments.events.models import Bye, Entry, Game, Section

HELD = "_prefetched_objects_cache"
"""The attribute in which Django keeps the rows of another table that were read with a section."""


class Incomplete(Exception):
    """A section that lacks what the rules need; `missing` names what (`rounds`, `player 12`)."""

    def __init__(self, missing: list[str]) -> None:
        super().__init__(", ".join(missing))
        self.missing = missing


def section_fact(
    section: Section, *, draft: bool = False, entries: Sequence[Entry] | None = None
) -> facts.Section:
    """Turn a section into the journal's fact: entries by starting number, games in the order of play.

    `entries`: the section's own with their players, if the caller has them.

    Raises `Incomplete` if the number of rounds is unknown or an entry is not matched with a player yet. A
    draft, which acceptance may read and no journal, names such an entry `#12` and has no scheduled rounds.
    """
    entries = entries_with_players(section) if entries is None else entries
    missing = [f"player {entry.number}" for entry in entries if entry.player is None]
    if section.rounds is None:
        missing.insert(0, "rounds")
    if missing and not draft:
        raise Incomplete(missing)
    number = {entry.pk: entry.player.number if entry.player else f"#{entry.number}" for entry in entries}
    event = section.event
    return facts.Section(
        id=section.key,
        event=event.name,
        name=section.name,
        starts=section.starts,
        ends=section.ends,
        format=section.format,
        rounds=section.rounds or 0,
        entries=tuple(_entry(entry, number[entry.pk], section) for entry in entries),
        games=_games(section, number),
        byes=_byes(scheduled_byes(section), number),
        country=event.country if event.country not in ("", event.federation.ruleset.country) else None,
        team=section.team,
        **particulars(section),
    )


def particulars(section: Section) -> dict[str, Any]:
    """The values of the ruleset's own fields of the section, by the attribute of `facts.Section`."""
    read: dict[str, Any] = {}
    for field in section.event.federation.ruleset.sections.fields:
        value = section.particulars.get(field.name)
        if value in (None, "", []):
            continue
        read[field.name] = time_controls(value) if field.kind == "time_controls" else value
    return read


def time_controls(value: Any) -> tuple[facts.TimeControl, ...]:
    """Convert one control (`{"minutes": [90], "increment": 30}`) or a list of them to the journal's form."""
    return tuple(
        facts.TimeControl(
            minutes=tuple(Decimal(str(part)) for part in control["minutes"]),
            increment=Decimal(str(control.get("increment") or 0)),
        )
        for control in (value if isinstance(value, list) else [value])
    )


def written_particulars(section: facts.Section, ruleset: Ruleset) -> dict[str, Any]:
    """Turn a journal's section into `Section.particulars`, which `particulars` reads back."""
    written: dict[str, Any] = {}
    for field in ruleset.sections.fields:
        value = getattr(section, field.name)
        if value in (None, (), False):
            continue
        written[field.name] = (
            [_control(control) for control in value] if field.kind == "time_controls" else value
        )
    return written


def _control(control: facts.TimeControl) -> dict[str, Any]:
    return {"minutes": [_number(part) for part in control.minutes], "increment": _number(control.increment)}


def _number(value: Decimal) -> int | str:
    return int(value) if value == value.to_integral_value() else str(value)


def _entry(entry: Entry, number: facts.PlayerId, section: Section) -> facts.Entry:
    left = None
    if entry.left_round is not None:
        left = facts.Left(entry.left_round, bool(entry.left_notified))
    return facts.Entry(
        player=number,
        place=entry.place,
        rating=entry.rating or None,
        women=_plays_for_womens_title(entry, section),
        team=(entry.team or None) if section.team else None,
        left=left,
    )


def _plays_for_womens_title(entry: Entry, section: Section) -> bool:
    """Whether an entry counts for the women's title: by the register's sex, else as filed or stated."""
    ruleset = section.event.federation.ruleset
    if section.particulars.get("status") not in ruleset.sections.women_play_in:
        return False
    sex = (entry.player.sex if entry.player else "") or entry.sex
    return sex == "f" if sex else entry.women


def _games(section: Section, number: dict[int, facts.PlayerId]) -> tuple[facts.Game, ...]:
    return tuple(
        facts.Game(
            game.round, number[game.first_id], number[game.second_id], game.result, game.excused or None
        )
        for game in section.games.all()
    )


def scheduled_byes(section: Section) -> list[Bye]:
    """The byes of scheduled rounds: whoever is in no final is not absent from it."""
    last = section.rounds if section.rounds and section.finals else None
    return [bye for bye in section.byes.all() if last is None or bye.round <= last]


def _byes(byes: Iterable[Bye], number: dict[int, facts.PlayerId]) -> tuple[facts.Bye, ...]:
    return tuple(facts.Bye(bye.round, number[bye.entry_id], bye.kind) for bye in byes)


# ---------------------------------------------------------------- rows that are read once


@contextmanager
def rows_in_memory(section: Section) -> Iterator[None]:
    """Read a section's entries, games and byes; until the block ends, whoever reads these of this section
    object sees them as they are in memory, written or not.
    """
    games = Game.objects.order_by("order")
    prefetch_related_objects(
        [section], Prefetch("entries", _whole_entries()), Prefetch("games", games), "byes"
    )
    entries = {entry.pk: entry for entry in section.entries.all()}
    for game in section.games.all():
        game.first, game.second = entries[game.first_id], entries[game.second_id]
    try:
        yield
    finally:
        for name in ("entries", "games", "byes"):
            getattr(section, HELD).pop(name, None)


def entries_with_players(section: Section) -> list[Entry]:
    """A section's entries with everything that the rules read of their players."""
    if "entries" in getattr(section, HELD, {}):
        return list(section.entries.all())
    entries = list(_whole_entries().filter(section=section))
    for entry in entries:
        entry.section = section
    return entries


def _whole_entries() -> QuerySet[Entry]:
    # One object for each federation and region; a join would make one for each player.
    shared = ("player__identifiers", "player__federation", "player__region")
    return Entry.objects.select_related("player__birth_date", "region").prefetch_related(*shared)
