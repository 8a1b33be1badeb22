"""From the story to an office: its journal taken in whole, and beside it what no journal tells."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.utils.translation import gettext as _

from players.models import BirthDate, Decision, Federation, Identifier, Ledger, Player, Region, User
from players.names import fold
from ratings.demo.files import write_files
from ratings.demo.history import MONTHS, Filed, Story, tell
from ratings.demo.live import EXCHANGED, correct_late, set_stage
from ratings.demo.people import HOME, Person
from ratings.demo.sections import Crowd
from ratings.demo.staff import Staff, appoint_staff
from ratings.demo.staging import Stagehand
from ratings.ledger import recompute
from ratings.rulesets import journal, rulesets
from ratings.transfer import Intake
from tournaments.models import Event, Section

Say = Callable[[str], None]
CODE = "csa"
ARBITER_TITLES = ("IA", "FA", "NA", "NA")


@transaction.atomic
def make_office(*, today: date, seed: int, scale: float = 1.0, months: int = MONTHS, say: Say) -> Federation:
    """The whole demo office, or, killed on the way, nothing of it."""
    say(_("Inventing players and three seasons of events …"))
    story = tell(today=today, seed=seed, scale=scale, months=months)
    federation, regions = _open(story)
    staff = appoint_staff(federation, regions, story.start)
    say(
        _("Writing %(players)s players, %(sections)s rated sections and %(games)s games …")
        % {
            "players": len(story.people),
            "sections": len(story.filed),
            "games": sum(len(filed.section.games) for filed in story.filed),
        }
    )
    take_in(federation, story)
    complete(federation, story, regions, staff, random.Random(f"office {seed}"))
    say(_("Rating everything and publishing %(lists)s monthly lists …") % {"lists": len(story.lists)})
    recompute(federation, on_fact=Quarters(say))
    say(_("Filing, reviewing and correcting the events of these days …"))
    hand = Stagehand(
        federation, story, staff, random.Random(f"live {seed} {today}"), crowd_of(federation, story)
    )
    correct_late(hand)
    recompute(federation)
    set_stage(hand)
    write_files(hand)
    return federation


class Quarters:
    """Says how far it is, four times."""

    def __init__(self, say: Say) -> None:
        self.say, self.said = say, 0

    def __call__(self, done: int, total: int) -> None:
        quarter = done * 4 // total
        if quarter > self.said:
            self.said = quarter
            words = _("  %(done)s of %(total)s lines of the journal are rated")
            self.say(words % {"done": done, "total": total})


def crowd_of(federation: Federation, story: Story) -> Crowd:
    """Those whom the register knows: whoever never played is nobody yet."""
    known = set(Player.objects.of(federation).values_list("number", flat=True))
    return Crowd([person for person in story.people if person.number in known], story.start)


def _open(story: Story) -> tuple[Federation, dict[str, Region]]:
    ruleset = rulesets()[CODE]
    federation = Federation.objects.create(code=CODE, name=ruleset.name, ruleset_slug=CODE, demo=True)
    Ledger.objects.create(federation=federation)
    regions = Region.objects.bulk_create(
        Region(federation=federation, code=region.value, name=region.label) for region in ruleset.regions
    )
    return federation, {region.code: region for region in regions}


def take_in(federation: Federation, story: Story) -> None:
    """The story's lines as facts, players, sections and games; their recompute is wanted."""
    lines = [journal.Line(number, fact) for number, fact in enumerate(story.lines, start=1)]
    intake = Intake(federation, journal.merges(lines))
    for number, fact in lines:
        intake.take(number, fact)
    intake.write()
    Ledger.objects.filter(federation=federation).update(facts=len(lines), wanted=1)


# ---------------------------------------------------------------- what no journal tells


def complete(
    federation: Federation, story: Story, regions: dict[str, Region], staff: Staff, rng: random.Random
) -> None:
    """Days, places, people, regions, births; and the record of who did what."""
    _complete_events(federation, story, regions, staff, rng)
    _complete_sections(federation, story, staff)
    federation.regions.filter(code=CODE.upper()).delete()  # the intake's own, for events of no region
    _complete_players(federation, story)
    _write_record(federation, story, staff)


def _complete_events(
    federation: Federation, story: Story, regions: dict[str, Region], staff: Staff, rng: random.Random
) -> None:
    events = {event.number: event for event in federation.events.all()}
    hosts = Hosts(story, rng)
    registered: dict[str, date] = {}
    playing: dict[str, set[str]] = {}
    for filed in story.filed:
        number = filed.section.id.rpartition("/")[0]
        registered[number] = filed.registered
        playing.setdefault(number, set()).update(entry.player for entry in filed.section.entries)
    for number, event in events.items():
        plan = story.plans[number]
        event.region, event.place = regions[plan.region], plan.place
        event.organizer = hosts.organizer(plan.region)
        event.arbiters = hosts.arbiters(plan.region, playing[number])
        event.registered_on, event.registered_by = registered[number], staff.regional[plan.region]
    told = ["region", "place", "organizer", "arbiters", "registered_on", "registered_by"]
    Event.objects.bulk_update(events.values(), told, batch_size=100)


class Hosts:
    """Who organises and arbitrates: grown-ups of the region."""

    def __init__(self, story: Story, rng: random.Random) -> None:
        self.rng = rng
        self.people: dict[str, list[Person]] = {}
        for person in story.people:
            if story.start.year - person.birth.year >= 25 and person.nation == HOME:
                self.people.setdefault(person.region, []).append(person)

    def organizer(self, region: str) -> str:
        person = self.rng.choice(self.people[region][:12])
        return f"{person.first_name} {person.surname}, {person.number}"

    def arbiters(self, region: str, playing: set[str]) -> list[dict[str, str]]:
        """In order of appointment; none of them plays (csa 8)."""
        some = [person for person in self.people[region] if person.number not in playing][12:30]
        chosen = self.rng.sample(some, min(len(some), self.rng.randint(1, 3)))
        return [
            {"name": f"{p.first_name} {p.surname}", "title": self.rng.choice(ARBITER_TITLES), "id": p.number}
            for p in chosen
        ]


def _complete_sections(federation: Federation, story: Story, staff: Staff) -> None:
    told = {filed.section.id: filed for filed in story.filed}
    sections = list(Section.objects.filter(event__federation=federation).select_related("event"))
    for section in sections:
        filed = told[section.key]
        section.filed_on, section.submitted_on = filed.filed, filed.submitted
        section.submitted_by = staff.regional[filed.plan.region]
        section.round_dates = [day.isoformat() for day in filed.round_days]
        section.version = 3
    fields = ["filed_on", "submitted_on", "submitted_by", "round_dates", "version"]
    Section.objects.bulk_update(sections, fields, batch_size=100)


def _complete_players(federation: Federation, story: Story) -> None:
    keys = dict(Player.objects.of(federation).values_list("number", "pk"))
    known = [(keys[person.number], person) for person in story.people if person.number in keys]
    with connection.cursor() as cursor:
        cursor.executemany(
            f"UPDATE {Player._meta.db_table} SET title = %s, registered_on = %s WHERE id = %s",
            [(person.title, person.joined, key) for key, person in known],
        )
    births = (BirthDate(player_id=key, day=person.birth) for key, person in known)
    BirthDate.objects.bulk_create(births, batch_size=2_000)
    Identifier.objects.bulk_create(
        Identifier(federation=federation, player_id=key, kind="fide", value=person.fide_id)
        for key, person in known
        if person.fide_id
    )
    for key, person in known:
        if person.withheld:
            withhold(key, person)


def withhold(key: int, person: Person) -> None:
    """The register keeps the name that the journal does not tell."""
    Player.objects.filter(pk=key).update(
        surname=person.surname,
        first_name=person.first_name,
        name_key=fold(person.surname),
        withheld=True,
    )


# ---------------------------------------------------------------- the record


class Deed(NamedTuple):
    """One decision of the past."""

    on: date
    hour: int
    kind: str
    about: str
    by: User | None
    details: dict[str, Any]


def _write_record(federation: Federation, story: Story, staff: Staff) -> None:
    deeds = [Deed(story.start, 5, "create", "office", None, {"ruleset": federation.ruleset_slug})]
    deeds += [Deed(story.start, 5, *rest) for rest in _appointments(federation)]
    for filed in story.filed:
        deeds += _deeds_of(filed, staff)
    deeds += [Deed(on, 6, "publish", f"list {on}", staff.official, {}) for on in story.lists]
    deeds.sort(key=lambda deed: (deed.on, deed.hour))
    Decision.objects.bulk_create(
        (
            Decision(
                federation=federation,
                number=number,
                kind=deed.kind,
                by=deed.by,
                at=datetime.combine(deed.on, time(deed.hour, number * 7 % 60), UTC),
                on=deed.on,
                about=deed.about,
                details=deed.details,
            )
            for number, deed in enumerate(deeds, start=1)
        ),
        batch_size=2_000,
    )
    Ledger.objects.filter(federation=federation).update(decisions=len(deeds))


def _appointments(federation: Federation) -> Iterator[tuple[str, str, None, dict[str, Any]]]:
    for appointment in federation.appointments.select_related("region"):
        region = appointment.region.code if appointment.region else None
        details = {"role": appointment.role, "region": region, "starts": appointment.starts.isoformat()}
        yield "appoint", f"person {appointment.user_id}", None, details


def _deeds_of(filed: Filed, staff: Staff) -> Iterator[Deed]:
    region, about = staff.regional[filed.plan.region], f"section {filed.section.id}"
    event = filed.section.id.rpartition("/")[0]
    if filed.section.id.endswith("/A"):
        yield Deed(filed.registered, 8, "register", f"event {event}", region, {})
    yield Deed(filed.filed, 15, "file", about, region, {})
    yield Deed(filed.submitted, 16, "submit", about, region, {"new_players": [], "waived": []})
    yield Deed(filed.rated, 17, "approve", about, staff.official, {})
    if filed.unrated:
        yield Deed(filed.unrated, 18, "unrate", about, staff.official, {"reason": EXCHANGED})
    if filed.again:
        yield Deed(filed.again, 19, "submit", about, region, {"new_players": [], "waived": []})
        yield Deed(filed.again, 20, "approve", about, staff.official, {})
