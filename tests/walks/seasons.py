"""Offices whose seasons are walked: their people, events and files, and where regulations differ.

All people are invented. The offices lie beside those of the other browser tests and share nothing with them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from tests import browser_federations
from tests.browser_federations import Person, Walk, people
from tests.browser_office import LONG_AGO, PASSWORD, TODAY, placed
from tournaments.formats import trf_writer
from tournaments.formats.sheet import Official, Result, Sheet

LATE, IN_TIME = 20, 2
"""Days since an event ended: after every last day that a regulation names, and within each."""


class Staff(NamedTuple):
    """Who works in each office: name, and the part of the address before the office's."""

    name: str
    account: str


REGION = Staff("Rika Vale", "region")
NEIGHBOUR = Staff("Nils Berg", "neighbour")
OFFICIAL = Staff("Oto Lind", "official")
COLLEAGUE = Staff("Ena Holm", "colleague")
ADMINISTRATOR = Staff("Ada Sund", "administrator")


@dataclass(frozen=True, slots=True)
class Season:
    """One office's season, and what its regulations make different in it."""

    walk: Walk
    """Register, file and form of its events."""
    region: str
    """Code of the region that files."""
    region_name: str
    results_within: int = 0
    """Days after the end within which results are handed in; 0: the regulations name none."""
    results_clause: str = ""
    registered_clause: str = ""
    """Clause by which an event that is registered after play is late; empty: none."""
    decided_clause: str = ""
    """Clause by which the office's decision after play is late; empty: none."""
    permissions: tuple[str, ...] = ()
    """Clauses of permissions that the region asks for: the office grants the first and refuses the second."""
    before_play: bool = False
    """Whether a section is decided on before play."""
    ranks: bool = False
    list_days: bool = False
    """Whether the regulations fix days for lists, so that the next one can be looked at before it."""
    appeal_days: int = 0
    """Within which a refusal is appealed against; 0: at any time."""
    transfers: bool = False
    """Whether players belong to regions that they can leave; then one person administers each (csa 60)."""
    late_words: str = ""
    """What a finding says of results that came late; empty: nothing."""
    listed_words: str = ""
    """What the office has to confirm for a correction after a list (csa 64); empty: nothing."""
    planned: Mapping[str, str] = field(default_factory=dict)
    """What the registration of an event to come asks otherwise than `walk.declared`, by label."""
    purpose: str = "season"
    """In the office's code and name, where a federation has several."""

    @property
    def code(self) -> str:
        return f"{self.walk.slug}-{self.purpose}"

    @property
    def days_late(self) -> int:
        """Days since the last day for the results of an event that ended `LATE` days ago; 0: none."""
        return LATE - self.results_within if self.results_within else 0

    @property
    def late_clauses(self) -> tuple[str, ...]:
        """Clauses by which an event is late that is registered, decided on and filed after play."""
        every = self.registered_clause, self.decided_clause, self.results_clause
        return tuple(clause for clause in every if clause)

    @property
    def deputy_in(self) -> str:
        """The region of a deputy: another one where a region has one administrator alone."""
        return "Limpopo" if self.transfers else self.region_name

    @property
    def name(self) -> str:
        return f"A {self.purpose}, {self.walk.slug}"

    def address(self, who: Staff) -> str:
        return f"{who.account}@{self.code}.example"

    def event(self, name: str, *, ended: int) -> Walk:
        """The event of that name which ended so many days ago, with its file."""
        return replace(self.walk, event=name, ended=ended)


OTHER_WINNER: dict[Result, Result] = {"1-0": "0-1", "0-1": "1-0"}


def with_other_winner(walk: Walk, one: int, two: int) -> Walk:
    """The event with another winner in the game of these two starting numbers."""

    def other(sheet: Sheet) -> Sheet:
        games = tuple(
            replace(game, result=OTHER_WINNER[game.result])
            if {game.first, game.second} == {one, two}
            else game
            for game in sheet.games
        )
        return walk.shape(placed(replace(sheet, games=games)))

    return replace(walk, shape=other)


def with_arbiter(sheet: Sheet) -> Sheet:
    return replace(
        sheet,
        city="Johannesburg",
        arbiters=(Official("Gugu Radebe", "IA", "14399001"),),
        time_text="90 minutes + 30 seconds per move",
    )


CSA = Walk(
    slug="csa",
    name="Chess South Africa",
    nation="RSA",
    people=people(
        "Dube Themba m 1984, Pretorius Elna f 1996, Govender Ravi m 1971, Sibiya Nandi f 2001,"
        "Steyn Kobus m 1990, Moodley Kavitha f 1988, Langa Sizwe m 1979, Adams Rushda f 2004"
    ),
    event="Highveld Open",
    format="Round robin",
    file="highveld.txt",
    write=trf_writer.write,
    track="OTB Main",
    code="otb-main",
    declared={"Minutes": "90", "Seconds a move": "30", "Played": "Over the board"},
    shape=with_arbiter,
)

BY_SLUG = {walk.slug: walk for walk in (CSA, *browser_federations.WALKS)}

SEASONS = (
    Season(
        BY_SLUG["csa"],
        region="GAU",
        region_name="Gauteng",
        results_within=14,
        results_clause="62",
        registered_clause="61.1",
        permissions=("18", "61"),
        list_days=True,
        appeal_days=21,
        transfers=True,
        late_words="Handed in on {filed}; the last day for it was {last}, {allowed} days after the end of "
        "the event. Say why it came later: the Ratings Bureau can accept it with a reason.",
        listed_words="The Ratings Bureau itself decided that this section is rated again, although it stands "
        "in a published list.",
    ),
    Season(
        BY_SLUG["ssdc"],
        region="SSDC",
        region_name="Sevastopol Sports Dots Club",
        results_within=3,
        results_clause="4.3",
        late_words="Handed in on {filed}; the last day was {last}, {allowed} days after the end. Say why "
        "they came later: the Club can accept them with a reason.",
        before_play=True,
        ranks=True,
    ),
    Season(BY_SLUG["piskvorky"], region="CZ", region_name="Czech piškvorky"),
    Season(BY_SLUG["pfo"], region="POL", region_name="Poland"),
    Season(BY_SLUG["mahjong"], region="RUS", region_name="Russia", before_play=True, decided_clause="3"),
)

# ---------------------------------------------------------------- the database


def open_seasons() -> None:
    """Make an office for each season, invented as a demo's, so that its letters lie in the mailbox."""
    for season in SEASONS:
        open_one(season)


def open_one(season: Season) -> None:
    from players.appointments import create_office
    from players.models import Federation, Player
    from players.settings import Settings
    from ratings.intake import import_journal
    from ratings.recompute import recompute
    from ratings.rulesets import journal

    create_office(
        ruleset_slug=season.walk.slug,
        code=season.code,
        name=season.name,
        official_email=season.address(OFFICIAL),
        administrator_email=season.address(ADMINISTRATOR),
        on=LONG_AGO,
        settings=Settings(deadlines=True),
    )
    Federation.objects.filter(code=season.code).update(demo=True)
    office = import_journal(journal.read_journal(_record(season)), on=TODAY)
    recompute(office)
    for number, who in _entries(season).items():
        Player.objects.filter(federation=office, number=number).update(born=who.born)
    _appoint(season, office)


def _entries(season: Season) -> dict[str, Person]:
    """Number → person, with one who came into the register twice."""
    regulars = list(enumerate(season.walk.regulars, browser_federations.FIRST_NUMBER + 1))
    return {str(number): who for number, who in [*regulars, (TWICE, season.walk.people[0])]}


TWICE = browser_federations.FIRST_NUMBER + 90
"""The number under which the first of the people is in the register a second time."""


def _record(season: Season) -> list[bytes]:
    first = {"fact": "federation", "form": 3, "code": season.code, "ruleset": season.walk.slug}
    lines: list[dict[str, Any]] = [first | {"name": season.name}]
    for number, who in _entries(season).items():
        told = {"fact": "player", "id": number, "name": f"{who.surname}, {who.first_name}"}
        told |= {"salt": f"{int(number):032x}", "nation": season.walk.nation, "region": season.region}
        lines.append(told)
    walk = season.walk
    lines += (
        browser_federations.taken_over(walk) if walk.code else browser_federations.earlier_competition(walk)
    )
    return [json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines]


def _appoint(season: Season, office: Any) -> None:
    from players.appointments import appoint
    from players.models import Role, User

    region = office.regions.get(code=season.region)
    for who, role, of in ((REGION, Role.REGIONAL, region), (COLLEAGUE, Role.OFFICIAL, None)):
        appoint(
            federation=office,
            email=season.address(who),
            role=role,
            region=of,
            starts=LONG_AGO,
            by=None,
            on=TODAY,
        )
    if season.transfers:
        other = office.regions.exclude(pk=region.pk).order_by("code").last()
        appoint(
            federation=office,
            email=season.address(NEIGHBOUR),
            role=Role.REGIONAL,
            region=other,
            starts=LONG_AGO,
            by=None,
            on=TODAY,
        )
    for who in (REGION, NEIGHBOUR, OFFICIAL, COLLEAGUE, ADMINISTRATOR):
        for user in User.objects.filter(email=season.address(who)):
            user.name = who.name
            user.appointments.update(name=who.name)
            user.set_password(PASSWORD)
            user.save()
