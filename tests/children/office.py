"""An invented office of chess with a hundred children, and others, over two years."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from random import Random

from players.models import BirthDate, Federation, Identifier, Ledger, Player, Region
from players.names import fold
from ratings import approval, people as decisions, publication
from ratings.recompute import recompute
from ratings.signing import sign_due_checkpoints
from ratings.tests.office import approved, published, submitted
from tournaments.models import Entry, Event, Section, Stage

TODAY = date(2026, 11, 22)
CHILDREN, GROWN = 100, 24
YEARS = range(2008, 2020)
"""Of birth: the oldest turn 18 this year."""
REGIONS = {"GAU": "Gauteng", "WCA": "Western Cape", "KZN": "KwaZulu-Natal"}
CONTACT = ("082 555 1234", "host@events.example", "82 555 4321", "83 555 9876", "judge (at) events.example")
FORGOTTEN = 15
"""The place of the child whose name was deleted."""
LISTS = (date(2024, 12, 1), date(2025, 1, 1), date(2025, 12, 1), date(2026, 1, 1), date(2026, 11, 1))


def open_office() -> Federation:
    """Two waves of players, lists before and after each turn of a year, and sections in every stage."""
    office = Federation.objects.create(code="csa", name="Chess South Africa", ruleset_slug="csa")
    Ledger.objects.create(federation=office)
    for code, name in REGIONS.items():
        Region.objects.create(federation=office, code=code, name=name)
    players = people(office)
    first, second = players[: CHILDREN // 2] + players[-GROWN:], players[CHILDREN // 2 :]
    for number, who, ends in (
        ("2024-001", first, date(2024, 11, 10)),
        ("2024-002", first, date(2024, 11, 20)),
        ("2025-001", second, date(2025, 11, 10)),
        ("2025-002", second, date(2025, 11, 20)),
        ("2026-001", players, date(2026, 10, 10)),
    ):
        for day in LISTS:
            if day < ends and not office.lists.filter(on=day).exists():
                published(office, day)
        approved(filed(office, who, number, ends))
    published(office, LISTS[-1])
    _correct(office)
    decisions.forget_name(player=players[FORGOTTEN], by=None, on=date(2026, 11, 13))
    filed(office, first, "2026-002", date(2026, 11, 15))
    returned = filed(office, first, "2026-003", date(2026, 11, 16))
    Section.objects.filter(pk=returned.pk).update(stage=Stage.RETURNED, remarks="Ask Hushed005 at home")
    describe(players, seed=1)
    sign_due_checkpoints(office, at=datetime.combine(TODAY, time(9), UTC))
    return office


def _correct(office: Federation) -> None:
    """Take a section back that stands in lists, publish the first of them anew, and name somebody."""
    section = Section.objects.get(event__federation=office, event__number="2024-002")
    day = date(2026, 11, 12)
    approval.unrate(
        section=section,
        by=None,
        on=day,
        version=section.version,
        reason="duplicate",
        words="The same tournament as 2024-001: Anyone005 Hushed005 played once.",
        after_list=True,
    )
    recompute(office)
    publication.revise_list(
        federation=office,
        list_day=LISTS[0],
        by=None,
        on=day,
        note="Without what stood twice, of Hushed005, Anyone005 too.",
    )
    recompute(office)


def name_of(n: int) -> tuple[str, str]:
    """Surname and first name of the person at a place."""
    return f"{'Hushed' if n % 10 == 5 else 'Invented'}{n:03}", f"Anyone{n:03}"


def people(office: Federation) -> list[Player]:
    """Children first, then adults; every tenth asked not to be named. No name or number says who is who."""
    regions = list(office.regions.order_by("code"))
    rows = [
        Player(
            federation=office,
            number=str(101000001 + n),
            surname=name_of(n)[0],
            first_name=name_of(n)[1],
            nation="RSA",
            region=regions[n % 3],
            withheld=n % 10 == 5,
        )
        for n in range(CHILDREN + GROWN)
    ]
    for row in rows:
        row.name_key = fold(row.surname)
    players = Player.objects.bulk_create(rows)
    Identifier.objects.bulk_create(
        Identifier(federation=office, player=player, kind="fide", value=f"14{player.number}")
        for player in players
    )
    describe(players, seed=1, unknown=False)
    return players


def describe(players: list[Player], seed: int, *, unknown: bool = True) -> None:
    """Give everybody a sex and a birth, some children none, by the seed; and to the files what they said."""
    drawn = Random(seed)
    for n, player in enumerate(players):
        child = n < CHILDREN
        by = drawn if child else Random(n)
        player.sex = by.choice("mf")
        player.born = (
            by.choice([*YEARS, None] if unknown else YEARS) if child else by.choice(range(1950, 2006))
        )
        player.title = "CM" if n % 5 == 0 else "WCM" if n % 5 == 1 and player.sex == "f" else ""
    Player.objects.bulk_update(players, ["sex", "born", "title"])
    BirthDate.objects.filter(player__in=players).delete()
    BirthDate.objects.bulk_create(
        BirthDate(player=player, day=date(player.born, 1 + player.pk % 12, 1 + player.pk % 28))
        for player in players
        if player.born
    )
    _file(players)


def _file(players: list[Player]) -> None:
    births = dict(BirthDate.objects.filter(player__in=players).values_list("player", "day"))
    known = {player.pk: player for player in players}
    entries = list(Entry.objects.filter(player__in=players))
    for entry in entries:
        player = known[entry.player_id or 0]
        entry.sex, entry.title, entry.filed_id = player.sex, player.title, f"14{player.number}"
        entry.birth = births[player.pk].isoformat() if player.pk in births else ""
        entry.team = f"Club {player.number[-1]}"
    Entry.objects.bulk_update(entries, ["sex", "title", "filed_id", "birth", "team"])


def filed(office: Federation, players: list[Player], number: str, ends: date) -> Section:
    """A section at the board of everybody here, as a region files it."""
    section = submitted(office, players, number=number, ends=ends, rounds=5, seed=int(number[-1]))
    hidden = players[-9]
    Event.objects.filter(pk=section.event_id).update(
        organizer=f"Lindiwe Mabaso +27 {CONTACT[2]}, {CONTACT[0]}, {CONTACT[1]}",
        arbiters=[
            {"name": f"Gugu Radebe (+27 {CONTACT[3]}; {CONTACT[4]})", "title": "FA", "id": ""},
            {"name": hidden.name, "title": "NA", "id": ""},
        ],
        registered_on=ends - timedelta(20),
    )
    _file(players)
    return section
