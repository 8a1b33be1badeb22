"""What the office's tests begin with: players of the register and submitted sections, all invented."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from django.db import transaction

from players.models import Federation, Player, Region
from players.names import fold
from ratings import approval, publication
from ratings.models import Change, Fact, RatingList, Standing
from ratings.pre_ratings import BirthAnswer
from ratings.recompute import recompute
from ratings.rulesets import facts
from tournaments.models import Entry, Event, Game, Section, Stage
from tournaments.sections import record

FIRST = date(2024, 3, 1)


def register(federation: Federation, count: int, *, first: int = 101000001) -> list[Player]:
    """Players with consecutive numbers."""
    region = federation.regions.first()
    return Player.objects.bulk_create(
        Player(
            federation=federation,
            number=str(first + n),
            surname=f"Invented{n:02}",
            first_name="Person",
            sex="fm"[n % 2],
            born=1980 + n,
            nation="RSA",
            region=region,
            name_key=fold(f"Invented{n:02}"),
        )
        for n in range(count)
    )


def submitted(
    federation: Federation,
    players: Sequence[Player],
    *,
    number: str = "2024-001",
    ends: date = FIRST,
    rounds: int = 6,
    region: Region | None = None,
    seed: int = 1,
) -> Section:
    """A section at the board, 90+30, with a full round robin's worth of random results, ready for review."""
    event = Event.objects.create(
        federation=federation,
        number=number,
        name=f"Open {number}",
        region=region or federation.regions.all()[0],
        starts=ends - timedelta(days=1),
        ends=ends,
        registered_on=ends - timedelta(days=10),
    )
    section = Section.objects.create(
        event=event,
        code="A",
        name="A",
        stage=Stage.SUBMITTED,
        starts=event.starts,
        ends=event.ends,
        format="swiss",
        rounds=rounds,
        particulars={"platform": "otb", "time_controls": [{"minutes": [90], "increment": 30}]},
    )
    play(section, players, rounds, random.Random(seed))
    return section


def play(section: Section, players: Sequence[Player], rounds: int, rng: random.Random) -> None:
    """Entries and games for a section: everybody meets somebody in every round."""
    entries = Entry.objects.bulk_create(
        Entry(section=section, number=n, surname=player.surname, first_name=player.first_name, player=player)
        for n, player in enumerate(players, start=1)
    )
    games = []
    for round_number in range(1, rounds + 1):
        seats = (
            entries[:1]
            + entries[1:][round_number % (len(entries) - 1) :]
            + entries[1:][: round_number % (len(entries) - 1)]
        )
        half = len(seats) // 2
        for first, second in zip(seats[:half], reversed(seats[half:]), strict=True):
            games.append((round_number, first, second, rng.choice(("1-0", "0-1", "1/2"))))
    Game.objects.bulk_create(
        Game(section=section, order=order, round=round_number, first=first, second=second, result=result)
        for order, (round_number, first, second, result) in enumerate(games, start=1)
    )


def approved(section: Section, on: date | None = None) -> Fact:
    """Approve a section and recompute. Of whom the register knows no birth, nobody else does."""
    section.refresh_from_db()
    fact = approval.approve(
        section=section,
        by=None,
        on=on or section.ends + timedelta(days=2),
        version=section.version,
        births=not_known(section),
    )
    recompute_all(section.event.federation)
    return fact


def not_known(section: Section) -> dict[str, BirthAnswer]:
    """The answer of an official who knows nobody's birth."""
    players = section.entries.select_related("player")
    return {entry.player.number: BirthAnswer(None) for entry in players if entry.player}


def published(federation: Federation, on: date) -> list[RatingList]:
    """Publish a list and recompute: the lists of that day."""
    publication.publish_list(federation=federation, by=None, on=on)
    recompute_all(federation)
    return list(RatingList.objects.filter(federation=federation, on=on))


def recompute_all(federation: Federation) -> None:
    while recompute(federation):
        pass


def stored(federation: Federation) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """Everything that the fold stored, without the database's own keys: changes and standings."""
    changes = Change.objects.filter(fact__federation=federation).order_by("order", "player__number", "track")
    standings = Standing.objects.filter(federation=federation).order_by("player__number", "track")
    return (
        list(
            changes.values_list(
                "player__number", "track", "order", "before", "after", "points", "games", "state"
            )
        ),
        list(standings.values_list("player__number", "track", "order", "rating", "games", "due", "state")),
    )


def strangers(numbers: Iterable[int], name: str = "Invented") -> list[facts.Player]:
    """Lines of people who play nowhere: something for a journal to grow by."""
    return [facts.Player(id=f"2{n:08}", name=f"{name}, {n}", salt=f"{n:032x}") for n in numbers]


def submit_again(section: Section, on: date) -> None:
    """What the section's region does, without its pages."""
    with transaction.atomic():
        Section.objects.filter(pk=section.pk).update(stage=Stage.SUBMITTED)
        section.refresh_from_db()
        record(section, "submit", None, on)
