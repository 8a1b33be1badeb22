"""Events held lately: played here, then registered, filed and submitted by the office's own services."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal

from players.access import rights_of
from players.models import Federation, Player, User
from ratings.demo.calendar import Plan
from ratings.demo.history import Story
from ratings.demo.kinds import TREES, Control, Group, Kind
from ratings.demo.people import HOME
from ratings.demo.sections import Crowd, play_section, round_days
from ratings.demo.staff import Staff
from ratings.models import Standing
from ratings.rulesets import facts
from tournaments import samples
from tournaments.models import Event, Section, Upload
from tournaments.services import NewSection, receive_file, register_event, submit

SWISS_MANAGER, VEGA = "Swiss-Manager", "Vega"
ASKED = "We asked the Bureau on the day, and it was allowed."
FILED_AT = 9
"""The hour, UTC."""


@dataclass(frozen=True, slots=True)
class Held:
    """A section that was played, and not rated yet."""

    plan: Plan
    group: Group
    fact: facts.Section


@dataclass(slots=True)
class Stagehand:
    """Everything that it takes to hold an event and to file it."""

    federation: Federation
    story: Story
    staff: Staff
    rng: random.Random
    crowd: Crowd

    @property
    def today(self) -> date:
        return self.story.today

    def hold(
        self,
        kind: Kind,
        region: str,
        place: str,
        *,
        ago: int,
        control: Control = (15, 5),
        calm: bool = False,
    ) -> Held:
        """Hold an event that ended so many days ago, or in the week before. `calm`: nobody stays away."""
        span = timedelta(days=kind.apart * (kind.days - 1))
        first = self.today - timedelta(days=ago) - span
        first -= timedelta(days=(first.weekday() - kind.weekday) % 7)
        last = first + span
        days = tuple(first + timedelta(days=kind.apart * day) for day in range(kind.days))
        plan = Plan(kind, self.name_of(kind, place, last.year), region, place, days, control)
        group = kind.groups[0]
        entrants = self.crowd.draw(self.rng, plan, group, self.rng.randint(*kind.size))
        fact = play_section(self.rng, self.crowd, "0/A", plan, group.name, entrants, calm=calm)
        return Held(plan, group, fact)

    def name_of(self, kind: Kind, place: str, year: int) -> str:
        return kind.name.format(place=place, year=year, tree=self.rng.choice(TREES))

    def register(self, held: Held, *, timed: bool = True, before: int = 12) -> Section:
        """The region registers the event, some days before it begins."""
        return self.announce(
            held.plan, [held.group.name], rounds=held.fact.rounds, timed=timed, before=before
        )

    def announce(
        self, plan: Plan, names: Sequence[str], *, rounds: int, timed: bool = True, before: int = 12
    ) -> Section:
        """The first of the sections that a region registers."""
        kind, minutes = plan.kind, plan.control
        by, on = self.staff.regional[plan.region], min(self.today, plan.starts - timedelta(days=before))
        particulars: dict[str, object] = {"platform": kind.platform}
        if timed:
            particulars["time_controls"] = [{"minutes": [minutes[0]], "increment": minutes[1]}]
        event = register_event(
            rights=rights_of(by, self.federation, on),
            by=by,
            on=on,
            name=plan.name,
            region=self.federation.regions.get(code=plan.region),
            place=plan.place,
            starts=plan.starts,
            ends=plan.ends,
            sections=[
                NewSection(name, kind.format, rounds=rounds, particulars=particulars) for name in names
            ],
        )
        self._name_organizer(event, by)
        return event.sections.all()[0]

    def _name_organizer(self, event: Event, by: User) -> None:
        event.organizer = f"{event.region} Chess, {by.email}"
        event.save(update_fields=["organizer"])

    def file(self, section: Section, data: bytes, *, on: date, name: str = "") -> Upload:
        """The region uploads a file, and it is read."""
        upload = receive_file(
            section=section,
            by=self.staff.regional[section.event.region.code],
            at=datetime.combine(on, time(FILED_AT), UTC),
            on=on,
            name=name or f"{section.event.number}-{section.code}.txt",
            data=data,
        ).upload
        samples.read_here(upload)
        return upload

    def submit(self, section: Section, *, on: date, reasons: Mapping[str, str] | None = None) -> Section:
        """The region confirms the details and submits; `reasons`: why to waive, by the finding's key."""
        reasons = reasons or {}
        by = self.staff.regional[section.event.region.code]
        section = samples.confirm_details(section, by=by, on=on)
        waivable = section.findings.filter(level="waivable")
        waived = {finding.pk: reasons.get(finding.key, ASKED) for finding in waivable}
        return submit(section=section, by=by, on=on, version=section.version, reasons=waived)

    # ------------------------------------------------------------ files

    def event_file(
        self,
        held: Held,
        *,
        style: str = SWISS_MANAGER,
        changes: Mapping[int, samples.Line] | None = None,
        timed: bool = True,
        dated: bool = True,
    ) -> bytes:
        """The file that a pairing program writes of it.

        `changes`: whom it gives otherwise, by starting number; `timed`, `dated`: whether it tells the time
        control and the days of the rounds.
        """
        lines = self.lines_of(held)
        for place, line in (changes or {}).items():
            lines[place - 1] = line
        minutes, increment = held.plan.control
        return samples.event_file(
            style,
            held.fact,
            lines,
            city=held.plan.place,
            federation=HOME,
            round_days=round_days(held.plan, held.fact.rounds) if dated else (),
            time_text=f"{minutes} minutes + {increment} seconds per move" if timed else "",
            arbiters=self._arbiters(held),
        )

    def lines_of(self, held: Held) -> list[samples.Line]:
        """Everybody as the register has them, with the rating that they brought."""
        numbers = [entry.player for entry in held.fact.entries]
        rows = Player.objects.of(self.federation).filter(number__in=numbers).select_related("birth_date")
        players = {player.number: player for player in rows}
        ratings = self._ratings(numbers, self.track_of(held))
        return [samples.line_of(players[number], ratings.get(number)) for number in numbers]

    def track_of(self, held: Held) -> str:
        """The track by which such an event is paired."""
        return self.federation.ruleset.tracks_of(held.fact)[0]

    def _ratings(self, numbers: Sequence[str], track: str) -> dict[str, int]:
        rows = Standing.objects.filter(player__number__in=numbers, track=track, federation=self.federation)
        found: dict[str, int] = {}
        for number, rating in rows.exclude(rating=None).values_list("player__number", "rating"):
            found[number] = int(Decimal(rating or 0).quantize(Decimal(1), ROUND_HALF_UP))
        return found

    def _arbiters(self, held: Held) -> list[tuple[str, str, str]]:
        """Two grown-ups of the region who did not play (csa 8), as a file names them."""
        playing = {entry.player for entry in held.fact.entries}
        grown = [p for p in self.crowd.locals[held.plan.region] if self.today.year - p.birth.year > 30]
        free = [person for person in grown if person.number not in playing][:20]
        titled = zip(("FA", "NA"), self.rng.sample(free, min(2, len(free))), strict=False)
        return [(title, f"{person.first_name} {person.surname}", person.number) for title, person in titled]
