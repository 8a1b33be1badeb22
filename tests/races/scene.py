"""The office before which the pairs come: real processes, people who sign in, players and sections."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING

from tests.kill_up import House
from tests.races.day import day
from tests.races.visitor import Visitor

if TYPE_CHECKING:
    from players.models import Federation, Player, User
    from tournaments.models import Section

PASSWORD = "a long pass phrase"
LONG_AGO = date(2020, 7, 1)
FIRST_DAY = date(2024, 3, 1)
SEATS, ROUNDS = 8, 5
SIGNED_IN_FOR = 600.0
"""Seconds after which a person signs in again."""
PEOPLE = {
    "nomsa": ("official", None, ("csa", "ssdc")),
    "sizwe": ("official", None, ("csa", "ssdc")),
    "lindiwe": ("official", None, ("csa",)),
    "amahle": ("regional", "GAU", ("csa",)),
    "bongani": ("regional", "GAU", ("csa",)),  # whom an operator appointed beside Amahle
    "pieter": ("regional", "WCA", ("csa",)),
    "duarte": ("regional", "GAU", ("ssdc",)),
    "thandi": ("administrator", None, ("csa", "ssdc")),
    "zanele": ("administrator", None, ("csa", "ssdc")),
}
"""Role, region and offices of whoever signs in; Lindiwe only proposes what others confirm."""


@dataclass
class Scene:
    """Two offices on one database, and whoever signs in there."""

    house: House
    rng: random.Random
    offices: dict[str, Federation]
    users: dict[str, User]
    players: list[Player]
    visitors: dict[str, Visitor] = field(default_factory=dict)
    made: int = 0
    """Things made so far, each with a number of its own."""
    played: dict[int, tuple[list[Player], int]] = field(default_factory=dict)
    """By the key of a section: its players, and the seed of its results."""

    @property
    def office(self) -> Federation:
        return self.offices["csa"]

    def visitor(self, name: str) -> Visitor:
        """The browser of a person, who signs in anew now and then: grave deeds ask for that."""
        held = self.visitors.get(name)
        if held is None or held.signed_in_at < time.monotonic() - SIGNED_IN_FOR:
            held = self.visitors[name] = Visitor(self.house.port, f"{name}@example.org")
            held.sign_in(PASSWORD)
        return held

    def next(self) -> int:
        self.made += 1
        return self.made

    def set(self, settings: dict[str, object]) -> None:
        """Give the offices these settings alone."""
        from players.record import decide

        for office in self.offices.values():
            office.settings = settings
            office.save(update_fields=["settings"])
            decide(office, kind="set", by=None, on=day(), about="settings", changed={})

    def submitted(self, like: Section | None = None) -> Section:
        """A section that waits for review, of an event of its own; with the play of another if given."""
        from ratings.tests.office import submitted

        number = self.next()
        played = self.played.get(like.pk) if like else None
        seats, seed = played or (self.rng.sample(self.players, SEATS), number)
        section = submitted(
            self.office,
            seats,
            number=f"R{number:05}",
            ends=like.ends if like else FIRST_DAY + timedelta(days=number % 700),
            rounds=ROUNDS,
            region=self.office.regions.get(code="GAU"),
            seed=seed,
        )
        self.played[section.pk] = seats, seed
        return section

    def to_be_submitted(self, section: Section) -> Section:
        """Give a section what its region has to tell before it is submitted: days of rounds, who is meant."""
        from tournaments.models import Entry

        section.round_dates = [section.starts.isoformat()] * ROUNDS
        section.save(update_fields=["round_dates"])
        section.entries.update(match=Entry.Match.CERTAIN)
        return section

    def rated(self) -> Section:
        from ratings import approval

        section = self.submitted()
        approval.approve(section=section, by=None, on=day(), version=section.version, despite_hints="a test")
        section.refresh_from_db()
        return section

    def persons(self, count: int) -> list[Player]:
        """New entries of the register, who have played nowhere."""
        from ratings.tests.office import register

        first = 150_000_000 + 10 * self.next()
        region = self.office.regions.get(code="GAU")
        made = register(self.office, count, first=first)
        for player in made:
            player.region = region
            player.save(update_fields=["region"])
        return made


def make(house: House, seed: int) -> Scene:
    """Fill the database: two offices, their regions and people, and a register."""
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    from players.models import Federation, Ledger, Region
    from ratings.tests.office import register

    offices = {}
    for code, name in (("csa", "Chess South Africa"), ("ssdc", "Draughts")):
        office = offices[code] = Federation.objects.create(code=code, name=name, ruleset_slug=code)
        Ledger.objects.create(federation=office)
        for region, called in (("GAU", "Gauteng"), ("WCA", "Western Cape"), ("LIM", "Limpopo")):
            Region.objects.create(federation=office, code=region, name=called)
    players = register(offices["csa"], 24)
    return Scene(house, random.Random(seed), offices, _people(offices), players)


def _people(offices: dict[str, Federation]) -> dict[str, User]:
    from players.models import Appointment, User

    users = {}
    for name, (role, region, where) in PEOPLE.items():
        user = User.objects.create_user(f"{name}@example.org", PASSWORD, name=name.title())
        for code in where:
            office = offices[code]
            held = office.regions.get(code=region) if region else None
            Appointment.objects.create(
                user=user, federation=office, role=role, region=held, starts=LONG_AGO, name=name.title()
            )
        users[name] = user
    return users
