"""Stages recent events: played here, then registered, filed and submitted by the office's own services."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from players.office.access import rights_of
from players.office.models import Federation
from players.register.models import Player
from ratings.demo.staff import Staff
from ratings.demo.story.event_calendar import on_weekday, plan_on
from ratings.demo.story.past_journal import Story
from ratings.demo.story.sections import EntrantPool, journal_particulars, play_section, round_days
from ratings.equipment.demo import Demo, EntryGroup, Kind, PlannedEvent
from ratings.law import facts
from ratings.results.models import Standing
from tournaments.events.file_models import Upload
from tournaments.events.models import Section
from tournaments.events.section_fact import written_particulars
from tournaments.filing.receive_file import receive_file
from tournaments.filing.register_event import NewSection, register_event
from tournaments.filing.submission.admit_before_play import admit_before_play
from tournaments.filing.submission.submit_section import submit
from tournaments.samples import event_files

FILED_AT = 9
"""The hour of the day, UTC, at which the demo's regions upload files."""


@dataclass(frozen=True, slots=True)
class UnratedSection:
    """A section of a present event, played out in memory, with the plan and the group of players that it came
    from.
    """

    plan: PlannedEvent
    group: EntryGroup
    fact: facts.Section


@dataclass(slots=True)
class PresentEventMaker:
    """Holds the demo's present events and takes them through the office, by the services that people use."""

    federation: Federation
    story: Story
    staff: Staff
    rng: random.Random
    pool: EntrantPool

    @property
    def today(self) -> date:
        return self.story.today

    @property
    def demo(self) -> Demo:
        return self.story.demo

    def hold(
        self,
        kind: Kind,
        region: str,
        place: str,
        *,
        ago: int,
        variant: Mapping[str, Any] | None = None,
        calm: bool = False,
    ) -> UnratedSection:
        """Play out the first section of an event that ended so many days ago, or in the week before. `calm`:
        nobody stays away.
        """
        first = self.today - timedelta(days=ago + kind.apart * (kind.days - 1))
        first = on_weekday(first - timedelta(days=6), kind.weekday)
        plan = self.plan(kind, region, place, first, variant)
        group = kind.groups[0]
        entrants = self.pool.draw(self.rng, plan, group, self.rng.randint(*kind.size))
        fact = play_section(self.rng, self.pool, "0/A", plan, group.name, entrants, calm=calm)
        return UnratedSection(plan, group, fact)

    def plan(
        self, kind: Kind, region: str, place: str, first: date, variant: Mapping[str, Any] | None = None
    ) -> PlannedEvent:
        return plan_on(self.rng, self.demo, kind, region, first, place, variant)

    def register(self, held: UnratedSection, *, timed: bool = True) -> Section:
        """Register a played event for its region, some days before its start, and admit it where the rules
        want that.
        """
        section = self.announce(held.plan, [held.group.name], rounds=held.fact.rounds, timed=timed)
        return self.admit(section)

    def announce(
        self, plan: PlannedEvent, names: Sequence[str], *, rounds: int, timed: bool = True, before: int = 0
    ) -> Section:
        """Register a planned event with a section for each name, and return the first of them. `timed`: with
        the time control; `before`: days before the start, 0 for the demo's usual number.
        """
        kind, by = plan.kind, self.staff.regional[plan.region]
        on = min(self.today, plan.starts - timedelta(days=before or self.demo.present.live_before))
        event = register_event(
            another=True,  # two invented events may have one name
            rights=rights_of(by, self.federation, on),
            by=by,
            on=on,
            name=plan.name,
            region=self.federation.regions.get(code=plan.region),
            place=plan.place,
            country=kind.country,
            starts=plan.starts,
            ends=plan.ends,
            sections=[
                NewSection(name, kind.format, rounds=rounds, particulars=self._particulars(plan, timed=timed))
                for name in names
            ],
        )
        event.organizer = self.demo.habits.organizer.format(region=event.region, email=by.email)
        event.save(update_fields=["organizer"])
        return event.sections.all()[0]

    def admit(self, section: Section) -> Section:
        """Take the first decision on a section, the one before play; where the rules want none, return it as
        it is.
        """
        if self.federation.ruleset.sections.admission is None:
            return section
        on = min(self.today, section.event.registered_on + timedelta(days=1))
        return admit_before_play(
            section=section, by=self.staff.official, on=on, version=section.version, reason=""
        )

    def _particulars(self, plan: PlannedEvent, *, timed: bool) -> dict[str, Any]:
        """The ruleset's own fields of a section as the registration form would give them. `timed`: with the
        time control.
        """
        bare = facts.Section("0/A", "", "", plan.starts, plan.ends, plan.kind.format, 1, ())
        ruleset, own = self.federation.ruleset, journal_particulars(self.federation.ruleset, plan)
        said = dict(plan.particulars) | written_particulars(replace(bare, **own), ruleset)
        left_out = {
            field.name for field in ruleset.sections.fields if field.kind == "time_controls" and not timed
        }
        return {name: value for name, value in said.items() if value and name not in left_out}

    def file(self, section: Section, data: bytes, *, on: date, name: str) -> Upload:
        """Upload a section's file as its region would, and have it read at once."""
        upload = receive_file(
            section=section,
            by=self.staff.regional[section.event.region.code],
            at=datetime.combine(on, time(FILED_AT), UTC),
            on=on,
            name=name,
            data=data,
        ).upload
        event_files.read_here(upload)
        return upload

    def submit(self, section: Section, *, on: date, reasons: Mapping[str, str] | None = None) -> Section:
        """Confirm the players in doubt and submit the section, as its region would. `reasons`: why to waive a
        finding, by the finding's key.
        """
        reasons = reasons or {}
        by = self.staff.regional[section.event.region.code]
        section = event_files.confirm_details(section, by=by, on=on)
        waivable = section.findings.filter(level="waivable")
        waived = {finding.pk: reasons.get(finding.key, self.demo.present.asked) for finding in waivable}
        return submit(section=section, by=by, on=on, version=section.version, reasons=waived)

    # ------------------------------------------------------------ files

    def event_file(
        self,
        held: UnratedSection,
        *,
        style: str = "",
        changes: Mapping[int, event_files.FilePlayer] | None = None,
        timed: bool = True,
        dated: bool = True,
    ) -> bytes:
        """The bytes of a played section's file, as a pairing program or a person with a table writes it.

        `style`: a name of `tournaments.samples.event_files`; `changes`: players whom the file names otherwise
        than the register, by starting number; `timed`, `dated`: whether it tells the time control and the
        days of the rounds.
        """
        lines = self.lines_of(held)
        for place, line in (changes or {}).items():
            lines[place - 1] = line
        return event_files.event_file(
            style or self.demo.style,
            held.fact,
            lines,
            city=held.plan.place,
            federation=self.demo.home,
            round_days=round_days(held.plan, held.fact.rounds) if dated else (),
            time_text=time_text(held.plan) if timed else "",
            arbiters=self._arbiters(held),
        )

    def file_name(self, section: Section, style: str = "") -> str:
        suffix = event_files.SUFFIXES[style or self.demo.style]
        return f"{section.event.number}-{section.code}.{suffix}"

    def lines_of(self, held: UnratedSection) -> list[event_files.FilePlayer]:
        """The players of a played section by starting number, as a file names them: with the register's
        particulars and their present rating.
        """
        numbers = [entry.player for entry in held.fact.entries]
        rows = Player.objects.of(self.federation).filter(number__in=numbers).select_related("birth_date")
        players = {player.number: player for player in rows}
        ratings = self._ratings(numbers, self.track_of(held))
        return [event_files.line_of(players[number], ratings.get(number)) for number in numbers]

    def track_of(self, held: UnratedSection) -> str:
        """The track whose ratings a played section's file shows: the first one that the section moves."""
        return self.federation.ruleset.sections.tracks_of(held.fact)[0]

    def _ratings(self, numbers: Sequence[str], track: str) -> dict[str, int]:
        rows = Standing.objects.filter(player__number__in=numbers, track=track, federation=self.federation)
        found: dict[str, int] = {}
        for number, rating in rows.exclude(rating=None).values_list("player__number", "rating"):
            found[number] = int(Decimal(rating or 0).quantize(Decimal(1), ROUND_HALF_UP))
        return found

    def _arbiters(self, held: UnratedSection) -> list[tuple[str, str, str]]:
        """Title, name and id of up to two grown-ups of the region who did not play, for the file to name as
        arbiters.
        """
        playing = {entry.player for entry in held.fact.entries}
        grown = [p for p in self.pool.locals[held.plan.region] if self.today.year - p.birth.year > 30]
        free = [person for person in grown if person.number not in playing][:20]
        titles = self.demo.habits.arbiter_titles[1:3] or ("", "")
        titled = zip(titles, self.rng.sample(free, min(2, len(free))), strict=False)
        return [(title, f"{person.first_name} {person.surname}", person.number) for title, person in titled]


def time_text(plan: PlannedEvent) -> str:
    """The time control as a file's header words it; empty where the event has none."""
    controls: Sequence[facts.TimeControl] = plan.particulars.get("time_controls", ())
    if not controls:
        return ""
    return f"{controls[0].minutes[0]} minutes + {controls[0].increment} seconds per move"
