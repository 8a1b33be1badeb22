"""The office that is put under load: demo offices, addresses of their pages, and staff with work to do."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from players.models import Federation
    from tournaments.models import Section

LARGE = "large"
"""The code of the generated office that is re-rated while others are read."""
SECTIONS = 24
"""Sections of the first office that its official approves and takes back in turn."""
PLAYERS, ROUNDS = 10, 5
YESTERDAY = date.today() - timedelta(days=1)


class Pages(NamedTuple):
    """Addresses of public pages, and those that take a text to search for."""

    fixed: list[str]
    searches: list[str]


def set_up(codes: list[str], scale: float, games: int) -> None:
    """Make the demo offices that the folder lacks, and one of `games` games without a demo; none if 0."""
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    call_command("createcachetable", verbosity=0)
    from players.models import Federation

    if not Federation.objects.filter(demo=True).exists():
        call_command("demo", *codes, scale=scale, verbosity=0)
    if games and not Federation.objects.filter(code=LARGE).exists():
        _fill_large(games)


def _fill_large(games: int) -> None:
    from benchmarks.generate import journal_lines
    from ratings.intake import import_journal
    from ratings.recompute import recompute
    from ratings.rulesets import journal

    record = journal.read_journal(journal_lines(games, code=LARGE, lists=False))
    recompute(import_journal(record, on=date.today()))


def pages(most: int, rng: random.Random) -> Pages:
    """At most `most` addresses of all demo offices, drawn by lot in equal parts, and their searches."""
    from players.models import Federation

    offices = list(Federation.objects.filter(demo=True).order_by("code"))
    fixed, searches = ["/"], list[str]()
    for office in offices:
        found, asked = _pages_of(office)
        fixed += rng.sample(found, min(len(found), most // len(offices)))
        searches += asked
    return Pages(fixed, searches)


def _pages_of(office: Federation) -> tuple[list[str], list[str]]:
    from players.models import Player
    from ratings.models import RatingList
    from tournaments.models import Event, Stage

    at = f"/{office.code}/"
    lists = RatingList.objects.of(office).current().without_content().order_by("-on")[:24]
    of_lists = [f"{at}lists/{each.on.isoformat()}/{each.track}/" for each in lists]
    people = Player.objects.of(office).current().exclude(changes=None).distinct().order_by("pk")
    of_people = [f"{at}players/{number}/" for number in people.values_list("number", flat=True)[:60]]
    rated = Event.objects.filter(federation=office, sections__stage=Stage.RATED).distinct().order_by("-pk")
    of_events = [f"{at}events/{number}/" for number in rated.values_list("number", flat=True)[:60]]
    rest = [f"{at}{page}/" for page in ("lists", "players", "events", "tables", "regulations", "journal")]
    searches = [f"{at}players/?q=", *(f"{address}?q=" for address in of_lists[:3])]
    return [at, *rest, *of_lists, *of_people, *of_events], searches


def names() -> list[str]:
    """Surnames of the registers, to make searches from that find somebody now and then."""
    from players.models import Player

    return list(Player.objects.order_by("surname").values_list("surname", flat=True).distinct()[:500])


@dataclass(slots=True)
class Work:
    """A section that its official approves and takes back in turn, and the version that was seen of it."""

    section: int
    address: str
    version: int
    rated: bool = False


def staff_work() -> tuple[str, list[Work]]:
    """The key of a session of an official who is signed in, and submitted sections of their office."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    from players.models import Appointment, Federation, Role

    office = Federation.objects.filter(demo=True, ruleset_slug="csa").get()
    official = Appointment.objects.filter(federation=office, role=Role.OFFICIAL).order_by("pk")[0]
    browser = Client()
    user = get_user_model().objects.get(pk=official.user_id)
    browser.force_login(user, "allauth.account.auth_backends.AuthenticationBackend")
    made = [_work(each) for each in submitted(office)]
    return browser.cookies["sessionid"].value, made


def submitted(office: Federation) -> list[Section]:
    """The sections of an earlier run, taken back, or new ones."""
    from players.models import Player
    from ratings.tests.office import submitted
    from tournaments.models import Section

    kept = Section.objects.filter(event__federation=office, event__number__startswith="2099-")
    if found := list(kept.select_related("event__federation")):
        return found
    people = Player.objects.of(office).current().exclude(born=None).filter(withheld=False).order_by("pk")
    rng = random.Random(1)
    numbers = list(people.values_list("pk", flat=True)[:400])
    return [
        submitted(
            office,
            list(Player.objects.filter(pk__in=rng.sample(numbers, PLAYERS))),
            number=f"2099-{n:03}",
            ends=YESTERDAY,
            rounds=ROUNDS,
            seed=n,
        )
        for n in range(SECTIONS)
    ]


def _work(section: Section) -> Work:
    from tournaments.models import Stage

    event = section.event
    address = f"/{event.federation.code}/events/{event.number}/{section.code}/"
    return Work(section.pk, address, section.version, section.stage == Stage.RATED)


def submit_again(section: int) -> None:
    """What a region does after its section was taken back, without its pages."""
    from tournaments.models import Section, Stage

    Section.objects.filter(pk=section).update(stage=Stage.SUBMITTED)


def wanted(code: str) -> int:
    """The number of the newest recompute that an office wants."""
    from players.models import Ledger

    return int(Ledger.objects.get(federation__code=code).wanted)


def effects_shown(address: str) -> str:
    """What is sent from a page that showed what un-rating a section changes, by the section's address."""
    from players.models import Federation
    from players.settings import today
    from ratings.as_if import hash_preview_state

    _empty, code, _events, number, section, *_rest = address.split("/")
    office = Federation.objects.get(code=code)
    return hash_preview_state(office, today(office), f"{number}/{section}")


def done(code: str) -> int:
    """The number of the newest recompute that is done: its ratings are what pages show."""
    from players.models import Ledger

    return int(Ledger.objects.get(federation__code=code).done)


def take_back_first() -> None:
    """Take the first section of the large office back, so that all that follows is rated again."""
    from players.models import Federation
    from ratings import approval
    from ratings.models import Fact

    office = Federation.objects.get(code=LARGE)
    rated = Fact.objects.filter(federation=office, kind="rated").in_force().order_by("number")
    section = rated.select_related("section__event__federation")[0].section
    if section is None:
        raise LookupError("a generated journal begins with a rated section")
    approval.unrate(
        section=section,
        by=None,
        on=date.today(),
        version=section.version,
        reason="result",
        words="a benchmark",
        after_list=True,
    )
