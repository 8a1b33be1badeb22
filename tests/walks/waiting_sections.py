"""Sections that wait for review, brought there by the office's own commands. All people are invented."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zlib import crc32

from tests.browser_federations import DOUBTFUL, Walk
from tests.browser_office import TODAY, placed
from tournaments.formats.sheet import Result, Sheet, SheetGame

REASON = "The office knew of it."
OLDEST = 70
"""Days since the first of many events ended; the others follow, one each day."""


@dataclass(frozen=True, slots=True)
class Filing:
    """Who files in which office, and what is asked of each section there."""

    office: Any
    by: Any
    region: Any
    walk: Walk
    particulars: Mapping[str, Any] = field(default_factory=dict)

    def event(self, name: str, ends: date, *, place: str = "", sections: tuple[str, ...] = ("A",)) -> Any:
        """Register an event of one day with its sections."""
        from players.access import get_rights
        from tournaments.registration import SectionParticulars, register_event

        asked = dict(self.particulars)
        return register_event(
            rights=get_rights(self.by, self.office, TODAY),
            by=self.by,
            on=min(TODAY, ends - timedelta(days=7)),
            name=name,
            region=self.region,
            starts=ends,
            ends=ends,
            place=place,
            country=self.walk.nation,
            organizer="The club itself",
            sections=[
                SectionParticulars(each, "round-robin", rounds=5, particulars=asked) for each in sections
            ],
        )

    def submitted(self, name: str, ends: date, *, place: str = "") -> Any:
        """Register, file and submit a section of whom the register knows by the file's name and year."""
        from django.db import transaction

        from tournaments import section_files
        from tournaments.submission import submit
        from tournaments.uploads import receive_file

        section = self.event(name, ends, place=place).sections.get()
        on = min(TODAY, ends + timedelta(days=1))
        with transaction.atomic():  # or the open office's worker would read it first
            received = receive_file(
                section=section,
                by=self.by,
                at=datetime.combine(on, time(9), UTC),
                on=on,
                name=self.walk.file,
                data=self._file(name, ends, place),
            )
            section_files.read_upload_without_box(received[0])
        section = section_files.save_prefilled_details(section, by=self.by, on=on)
        waivable = section.findings.filter(level="waivable").values_list("pk", flat=True)
        reasons = dict.fromkeys(waivable, REASON)
        return submit(section=section, by=self.by, on=on, version=section.version, waiver_reasons=reasons)

    def _file(self, name: str, ends: date, place: str) -> bytes:
        """The section's file: no two have the same results, for an office takes no file twice."""

        def shape(sheet: Sheet) -> Sheet:
            played = max(game.round for game in sheet.games)
            games = with_winners_of(crc32(name.encode()), sheet.games)
            short = replace(sheet, rounds=played, rounds_played=played, games=games)
            return replace(self.walk.shape(placed(short)), city=place)

        known = replace(self.walk, people=self.walk.people[: DOUBTFUL - 1], event=name, shape=shape)
        return replace(known, ended=(TODAY - ends).days).event_file()


def with_winners_of(number: int, games: Iterable[SheetGame]) -> tuple[SheetGame, ...]:
    """The games with winners by the digits of a number: the first won where there is a one."""
    results: tuple[Result, Result] = ("0-1", "1-0")
    return tuple(replace(game, result=results[number >> at & 1]) for at, game in enumerate(games))


def name_of(nth: int) -> str:
    """The event whose section is the `nth` oldest of many."""
    return f"Evening {nth:03}"


def day_of(nth: int) -> date:
    return TODAY - timedelta(days=OLDEST - nth)
