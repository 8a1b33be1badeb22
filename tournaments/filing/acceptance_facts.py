"""The parts of a filing that acceptance reads beside the section itself: days, people, answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import date
from typing import Any

from players.office.models import Appointment, Role
from players.register.models import Player
from players.register.player_to_fact import player_fact
from ratings.law import facts
from ratings.law.filing_particulars import Arbiter, Entrant, Filing
from tournaments.events.file_models import Upload
from tournaments.events.models import Entry, Event, Section
from tournaments.events.section_days import admitted_before_play, days_of
from tournaments.events.section_fact import entries_with_players, section_fact
from tournaments.identity.id_kinds import FIDE, ids_of, platforms_of

NATION = re.compile(r"[A-Z]{3}")


def filing_of(section: Section, entries: Sequence[Entry] | None = None, *, on: date | None = None) -> Filing:
    """Gather what acceptance reads beside a section. `entries`: its own `entries_with_players`, if there
    already; `on`: the day on which it is being submitted.
    """
    event = section.event
    entries = entries_with_players(section) if entries is None else entries
    others = event.sections.exclude(pk=section.pk) if event.arbiters else Section.objects.none()
    admitted = admitted_before_play(section)
    held = section.uploads.held()
    days = days_of(section)
    return replace(
        days,
        handed_in=days.handed_in or on or (held.on if held else None),
        round_dates=tuple(date.fromisoformat(day) if day else None for day in section.round_dates),
        by_region=_by_region(section, held),
        organizer=event.organizer,
        arbiters=tuple(arbiters_of(event)),
        entrants=tuple(entrant_of(entry) for entry in entries),
        elsewhere=tuple(entrant_of(entry) for other in others for entry in entries_with_players(other)),
        particulars={e.player.number: _public_player(e.player) for e in entries if e.player},
        declared=declared_fact(section, admitted) if admitted else None,
    )


def _public_player(player: Player) -> facts.Player:
    """A player's particulars for acceptance, under the name that findings may show."""
    return replace(player_fact(player), name=player.shown_name)


def declared_fact(section: Section, admitted: Mapping[str, Any]) -> facts.Section:
    """The section as it was declared when it was admitted before play. `admitted`: that permission."""
    then = copy(section)
    for name, value in admitted["declared"].items():
        setattr(then, name, value)
    return section_fact(then, draft=True)


def _by_region(section: Section, upload: Upload | None) -> bool | None:
    """Whether the person who filed was then a regional administrator of the host region; None if unknown."""
    if upload is None or upload.by is None:
        return None
    own = Appointment.objects.filter(user=upload.by, role=Role.REGIONAL, region=section.event.region)
    return own.on(upload.on).exists()


def arbiters_of(event: Event) -> list[Arbiter]:
    ids = [arbiter["id"] for arbiter in event.arbiters if arbiter.get("id")]
    register = Player.objects.of(event.federation).filter(number__in=ids) if ids else Player.objects.none()
    numbers = set(register.values_list("number", flat=True))
    return [
        Arbiter(a["name"], a.get("title", ""), a.get("id", ""), in_register=a.get("id") in numbers)
        for a in event.arbiters
    ]


def entrant_of(entry: Entry) -> Entrant:
    """An entrant as the register knows them, else as filed; the birth from whichever is more precise."""
    player = entry.player
    known = [(id_.kind, id_.value) for id_ in player.identifiers.all()] if player else []
    ids = dict([*ids_of(entry), *known])
    platforms = platforms_of(entry.section.event.federation.ruleset)
    return Entrant(
        player=player.number if player else f"#{entry.number}",
        surname=player.surname if player else entry.surname,
        first_name=(player.first_name if player else "") or entry.first_name,
        birth=max(_births(entry), key=len),
        sex=(player.sex if player else "") or entry.sex,
        nation=(player.nation if player else "") or nation_in(entry),
        fide_id=ids.get(FIDE, ""),
        handle=next((value for kind, value in sorted(ids.items()) if kind in platforms), ""),
        new=entry.match == Entry.Match.NEW,
        region=entry.region.code if entry.region else "",
        decided=player is not None or entry.match == Entry.Match.NEW,
        section=entry.section.code,
    )


def _births(entry: Entry) -> list[str]:
    """The births of an entry: that in the register, if there is a player, then that in the file."""
    if entry.player is None:
        return [entry.birth]
    day = getattr(entry.player, "birth_date", None)
    return [day.day.isoformat() if day else str(entry.player.born or ""), entry.birth]


def nation_in(entry: Entry) -> str:
    """The nation that the file gives an entry; empty if it is none: some programs write the region there."""
    nation, federation = entry.federation.upper(), entry.section.event.federation
    # An office of one region may call it by the country's code.
    regions = {code for code, _name in federation.region_names} - {federation.ruleset.country}
    return nation if NATION.fullmatch(nation) and nation not in regions else ""
