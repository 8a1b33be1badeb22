"""Makes an office of the story: its journal is taken in whole, with everything that no journal tells."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date
from typing import Any

from django.db import connection, transaction
from django.utils.translation import gettext as _

from players.languages.name_of_office import name_of_office
from players.office.administration import create_regions
from players.office.models import Federation, Ledger, Region
from players.register.models import BirthDate, Identifier, Player
from ratings.demo.past_decisions import write_record
from ratings.demo.play_and_file import PresentEventMaker
from ratings.demo.present_events import correct_late, set_stage
from ratings.demo.staff import Staff, appoint_staff
from ratings.demo.story.past_journal import Story, invent_story
from ratings.demo.story.sections import EntrantPool
from ratings.demo.write_offered_files import write_files
from ratings.equipment.demo import Person
from ratings.intake.fact_rows_from_lines import Intake
from ratings.intake.write_office import write_office
from ratings.law import facts, journal
from ratings.law.ruleset import Ruleset
from ratings.letters.order_from_record import order_none_until_now
from ratings.recompute.run_recompute import recompute
from tournaments.events.models import Event, Section

Say = Callable[[str], None]


@transaction.atomic
def make_office(
    ruleset: Ruleset, *, today: date, seed: int, scale: float = 1.0, start: date | None = None, say: Say
) -> Federation:
    """Make a federation's whole demo office in one transaction: killed on the way, it leaves nothing.

    `start`: the first day of the record, if not the demo's own; `scale`: the share of the full number of
    players and events; `say`: a function that tells people how far it is.
    """
    story = invent_story(ruleset, today=today, seed=seed, scale=scale, start=start)
    federation, regions = _open(story)
    staff = appoint_staff(federation, story.demo, regions, story.start)
    say(
        _("  %(players)s players, %(sections)s rated sections, %(games)s games, %(lists)s lists")
        % {
            "players": len({line.id for line in story.lines if isinstance(line, facts.Player)}),
            "sections": len(story.filed),
            "games": sum(len(filed.section.games) for filed in story.filed),
            "lists": len(story.lists),
        }
    )
    take_in(federation, story)
    complete(federation, story, regions, staff, random.Random(f"office {seed}"))
    recompute(federation, on_fact=QuarterReports(say))
    maker = PresentEventMaker(
        federation, story, staff, random.Random(f"live {seed} {today}"), pool_of(federation, story)
    )
    correct_late(maker)
    recompute(federation)
    order_none_until_now(federation)  # of seasons long over nobody hears
    set_stage(maker)
    write_files(maker)
    return federation


class QuarterReports:
    """Tells people after each quarter of the recompute how many lines of the journal are rated."""

    def __init__(self, say: Say) -> None:
        self.say, self.said = say, 0

    def __call__(self, done: int, total: int) -> None:
        quarter = done * 4 // total
        if quarter > self.said:
            self.said = quarter
            words = _("  %(done)s of %(total)s lines of the journal are rated")
            self.say(words % {"done": done, "total": total})


def pool_of(federation: Federation, story: Story) -> EntrantPool:
    """The players whom present events draw from: those whom the register knows, as each joins it with a first
    section.
    """
    known = set(Player.objects.of(federation).values_list("number", flat=True))
    people = [person for person in story.people if person.number in known]
    return EntrantPool(story.ruleset, story.demo, people, story.start)


def _open(story: Story) -> tuple[Federation, dict[str, Region]]:
    ruleset, name = story.ruleset, name_of_office(story.ruleset)
    contact = f"{ruleset.slug}@example.org"
    federation = Federation.objects.create(
        code=ruleset.slug,
        name=name,
        settings={"contact": contact, "responsible": f"{name}\n{contact}"},
        ruleset_slug=ruleset.slug,
        accent=story.demo.accent,
        next_player_number=story.demo.population.first_number,
        demo=True,
    )
    Ledger.objects.create(federation=federation)
    return federation, {region.code: region for region in create_regions(federation, ruleset)}


def take_in(federation: Federation, story: Story) -> None:
    """Write the story's journal lines into the office's database, with the players, sections and games that
    follow from them, and ask the worker for their recompute.
    """
    lines = [journal.JournalLine(number, fact) for number, fact in enumerate(story.lines, start=1)]
    write_office(Intake(federation, lines))
    Ledger.objects.filter(federation=federation).update(facts=len(lines), wanted=1)


# ---------------------------------------------------------------- what no journal tells


def complete(
    federation: Federation, story: Story, regions: dict[str, Region], staff: Staff, rng: random.Random
) -> None:
    """Write what the journal does not tell of the past: events' places, people and regions, sections' days,
    players' births and titles, and the record of decisions.
    """
    _complete_events(federation, story, regions, staff, rng)
    _complete_sections(federation, story, staff)
    federation.regions.exclude(code__in=regions).delete()  # the intake's own, for events of no region
    _complete_players(federation, story)
    write_record(federation, story, staff)


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
    """Draws organisers and arbiters for the events of the past: grown-ups of the region, or of any region if
    it has none.
    """

    def __init__(self, story: Story, rng: random.Random) -> None:
        self.rng, self.titles = rng, story.demo.habits.arbiter_titles
        self.anywhere = [p for p in story.people if story.start.year - p.birth.year >= 25 and p.region]
        self.people: dict[str, list[Person]] = {}
        for person in self.anywhere:
            self.people.setdefault(person.region, []).append(person)

    def organizer(self, region: str) -> str:
        person = self.rng.choice(self.of(region)[:12])
        return f"{person.first_name} {person.surname}, {person.number}"

    def arbiters(self, region: str, playing: set[str]) -> list[dict[str, str]]:
        """One to three arbiters of an event as its row keeps them (`name`, `title`, `id`), the chief first;
        none of `playing`.
        """
        some = [person for person in self.of(region) if person.number not in playing][12:30]
        chosen = self.rng.sample(some, min(len(some), self.rng.randint(1, 3)))
        return [
            {"name": f"{p.first_name} {p.surname}", "title": self.rng.choice(self.titles), "id": p.number}
            for p in chosen
        ]

    def of(self, region: str) -> list[Person]:
        return self.people.get(region, self.anywhere)


def _complete_sections(federation: Federation, story: Story, staff: Staff) -> None:
    told = {filed.section.id: filed for filed in story.filed}
    # the rest, for acceptance, no journal brings
    recorded = {each.name for each in story.ruleset.sections.fields}
    sections = list(Section.objects.filter(event__federation=federation).select_related("event"))
    for section in sections:
        filed = told[section.key]
        section.filed_on, section.submitted_on = filed.filed, filed.submitted
        section.submitted_by = staff.regional[filed.plan.region]
        section.round_dates = [day.isoformat() for day in filed.round_days]
        section.version = 3
        section.particulars |= {n: said for n, said in filed.plan.particulars.items() if n not in recorded}
        if filed.admitted:
            section.permissions = [admission(section, filed.admitted)]
    fields = ["filed_on", "submitted_on", "submitted_by", "round_dates", "version", "particulars"]
    fields += ["permissions"]
    Section.objects.bulk_update(sections, fields, batch_size=100)


def admission(section: Section, on: date) -> dict[str, Any]:
    """The first decision on a section before play, as an entry of the section's `permissions`."""
    declared = {"format": section.format, "rounds": section.rounds, "particulars": section.particulars}
    return {"clause": "", "reason": "", "on": on.isoformat(), "declared": declared}


def _complete_players(federation: Federation, story: Story) -> None:
    keys = dict(Player.objects.of(federation).values_list("number", "pk"))
    known = [(keys[person.number], person) for person in story.people if person.number in keys]
    with connection.cursor() as cursor:
        cursor.executemany(
            f"UPDATE {Player._meta.db_table} SET title = %s, sex = %s, born = %s, registered_on = %s"
            " WHERE id = %s",
            [(p.title, p.sex, p.birth.year, p.joined, key) for key, p in known],
        )
    births = (BirthDate(player_id=key, day=person.birth) for key, person in known)
    BirthDate.objects.bulk_create(births, batch_size=2_000)
    Identifier.objects.bulk_create(
        Identifier(federation=federation, player_id=key, kind="fide", value=person.fide_id)
        for key, person in known
        if person.fide_id
    )
    asked = [key for key, person in known if person.withheld]
    Player.objects.filter(pk__in=asked).update(withheld=True)
