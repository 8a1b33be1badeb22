"""The office that the browser visits, and the event files that are brought to it. All people are invented.

`python -m tests.browser_office` fills the database that `manage.py up` made: people to sign
in, a register of which ten players come with a rating, a section rated long ago, and sections to be filed.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from tournaments.formats import trf_writer
from tournaments.formats.sheet import Official, Result, Sheet, SheetGame, SheetPlayer
from tournaments.tests.event_files import with_points

PASSWORD = "a long pass phrase"
TODAY = datetime.now(UTC).date()
"""The day of the offices that the browser visits: their zones are all UTC (`zones_of_utc`)."""
LONG_AGO = date(2020, 7, 1)
ROUNDS = 11
FIRST_DAY, LAST_DAY = TODAY - timedelta(days=12), TODAY - timedelta(days=9)
"""The four days on which every event here was played."""
FORFEITED = 3
"""The round in which number 12 does not turn up."""
BAD_FILES = "Baobab Blunders"
WITHOUT_SCRIPT = "Aloe Evening"

# Surname, first name, sex, year of birth, rating taken over.
REGULARS = (
    ("Dlamini", "Thabo", "m", 1991, 1874),
    ("Naidoo", "Priya", "f", 2003, 1792),
    ("Botha", "Ruan", "m", 1975, 1650),
    ("Mokoena", "Lerato", "f", 1988, 1612),
    ("Khumalo", "Sipho", "m", 1969, 1577),
    ("van der Merwe", "Anneke", "f", 1999, 1540),
    ("Zulu", "Bongani", "m", 1983, 1498),
    ("Petersen", "Zainab", "f", 2005, 1455),
    ("Nkosi", "Mandla", "m", 1994, 1420),
    ("Fourie", "Elsabé", "f", 1979, 1388),
)
# Who is in the register under another year of birth, and who is not in it at all: for each dialect its own.
DOUBTFUL = {
    "Swiss-Manager": ("Mthembu", "Thandeka", "f", 2004),
    "Vega": ("Jacobs", "Faizel", "m", 1997),
    "TRF16": ("Molefe", "Kagiso", "m", 1986),
}
NEWCOMER = {
    "Swiss-Manager": ("Sithole", "Nomvula", "f", 2010),
    "Vega": ("Müller", "Karabo", "m", 2011),
    "TRF16": ("Pillay", "Devi", "f", 1993),
}
TWICE = (("Maseko", "Thulani", "m", 1990), ("Maseko", "T.", "m", 1990))
"""One person who came into the register a second time, and has a rating there."""
TAKEN_OVER_TWICE = 1333
FIRST_NUMBER = 101000001
HALF = Decimal("0.5")


def event_sheet(dialect: str, name: str) -> Sheet:
    """Everybody against everybody, as the program of that dialect leaves it when the last round is in.

    Swiss-Manager's file carries the federation's numbers, and days for its rounds; the others have neither.
    """
    numbered = dialect == "Swiss-Manager"
    rows = [
        _row(n, dialect, *who[:4], identifier=str(FIRST_NUMBER + n - 1) if numbered else None)
        for n, who in enumerate(REGULARS, 1)
    ]
    surname, first_name, sex, born = DOUBTFUL[dialect]
    rows.append(_row(11, dialect, surname, first_name, sex, born + 1))
    rows.append(_row(12, dialect, *NEWCOMER[dialect]))
    sheet = Sheet(
        dialect=dialect,
        name=name,
        city="Johannesburg",
        federation="RSA",
        starts=FIRST_DAY,
        ends=LAST_DAY,
        kind="Individual: Round-Robin",
        arbiters=(Official("Gugu Radebe", "IA", "14399001"),),
        time_text="90 minutes + 30 seconds per move",
        rounds=ROUNDS,
        rounds_played=ROUNDS,
        round_dates=tuple(map(round_day, range(1, ROUNDS + 1))) if numbered else (),
        rows=tuple(rows),
        games=tuple(all_meet(len(rows))),
    )
    return placed(sheet)


def event_file(dialect: str, name: str) -> bytes:
    """The sheet as a file, in which somebody has given number 10 half a point too many."""
    sheet = event_sheet(dialect, name)
    rows = [replace(row, points=row.points + HALF * (row.start_number == 10)) for row in sheet.rows]
    return trf_writer.write(replace(sheet, rows=tuple(rows)))


def round_day(number: int) -> date:
    """Three rounds a day."""
    return FIRST_DAY + timedelta(days=(number - 1) // 3)


def _row(
    number: int,
    dialect: str,
    surname: str,
    first_name: str,
    sex: Any,
    born: int,
    identifier: str | None = None,
) -> SheetPlayer:
    name = trf_writer.format_trf_name(surname, first_name, dialect)
    return SheetPlayer(
        number, name, surname, first_name, sex, federation="RSA", identifier=identifier, born=born
    )


def all_meet(players: int, *, forfeit: bool = True) -> list[SheetGame]:
    """The circle: number 1 stays, the others go round. The lower number wins, even sums are drawn."""
    games, circle = [], list(range(2, players + 1))
    for number in range(1, players):
        seats = [1, *circle]
        pairs = zip(seats[: players // 2], reversed(seats[players // 2 :]), strict=True)
        games += [SheetGame(number, first, second, _result(first, second)) for first, second in pairs]
        circle = [circle[-1], *circle[:-1]]
    return [_forfeited(game) if forfeit else game for game in games]


def _result(first: int, second: int) -> Result:
    if (first + second) % 2 == 0:
        return "1/2"
    return "1-0" if first < second else "0-1"


def _forfeited(game: SheetGame) -> SheetGame:
    """The last number does not turn up in one round."""
    if game.round != FORFEITED or 12 not in (game.first, game.second):
        return game
    return replace(game, result="-:+" if game.first == 12 else "+:-")


def placed(sheet: Sheet) -> Sheet:
    counted = with_points(sheet)
    order = sorted(counted.rows, key=lambda row: (-row.points, row.start_number))
    places = {row.start_number: place for place, row in enumerate(order, 1)}
    return replace(counted, rows=tuple(replace(row, place=places[row.start_number]) for row in counted.rows))


# ---------------------------------------------------------------- the database


def prepare() -> None:
    """An office whose record was taken over, whose people can sign in, and whose region has work to do.

    Beside it those of the other federations.
    """
    import django

    django.setup()
    from players.appointments import create_office
    from players.models import Federation, User
    from ratings.intake import import_journal
    from ratings.recompute import recompute
    from ratings.rulesets import journal
    from tests.browser_federations import open_all

    create_office(
        ruleset_slug="csa",
        official_email="nomsa@csa.example",
        administrator_email="thandi@csa.example",
        on=LONG_AGO,
    )
    office = import_journal(journal.read_journal(record()), on=TODAY)
    _describe(office)
    recompute(office)
    _appoint(office)
    amahle = User.objects.get(email="amahle@csa.example")
    for name in (BAD_FILES, WITHOUT_SCRIPT):
        _register(office, amahle, name)
    _submit(office)
    assert not Federation.objects.exclude(code="csa").exists()
    open_all()


def record() -> list[bytes]:
    """The journal that the office begins with: the register, ratings taken over, one section, one list."""
    lines: list[dict[str, Any]] = [
        {"fact": "federation", "form": 3, "code": "csa", "ruleset": "csa", "name": "Chess South Africa"}
    ]
    people = _people()
    for number, (surname, first_name, _sex, _born) in enumerate(people, FIRST_NUMBER):
        who = {"id": str(number), "name": f"{surname}, {first_name}", "salt": f"{number:032x}"}
        lines.append({"fact": "player", **who, "nation": "RSA", "region": "GAU"})
    for number, (*_who, rating) in enumerate(REGULARS, FIRST_NUMBER):
        for track in ("otb-main", "otb-standard"):
            lines.append(_opening(str(number), track, rating))
    lines.append(_opening(str(FIRST_NUMBER + len(people) - 1), "otb-main", TAKEN_OVER_TWICE))
    lines += [
        _section_line(),
        {"fact": "rated", "section": "2025-001/A", "on": "2025-03-12"},
        {"fact": "list", "on": "2025-04-01"},
    ]
    return [json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines]


def _people() -> list[tuple[str, str, str, int]]:
    return [*(who[:4] for who in REGULARS), *DOUBTFUL.values(), *TWICE]


def _describe(office: Any) -> None:
    """Give the register what no journal holds."""
    from players.models import Player

    for number, (_surname, _first_name, sex, born) in enumerate(_people(), FIRST_NUMBER):
        Player.objects.filter(federation=office, number=str(number)).update(sex=sex, born=born)


def _opening(player: str, track: str, rating: int) -> dict[str, Any]:
    came = {"rating": str(rating), "games": 40, "on": "2020-06-30", "source": "list of June 2020"}
    return {"fact": "opening", "player": player, "track": track, **came}


def _section_line() -> dict[str, Any]:
    numbers = [str(FIRST_NUMBER + n) for n in range(len(REGULARS))]
    games = [
        {"round": g.round, "first": numbers[g.first - 1], "second": numbers[g.second - 1], "result": g.result}
        for g in all_meet(len(REGULARS), forfeit=False)
    ]
    return {
        "fact": "section",
        "id": "2025-001/A",
        "event": "Marula Invitational",
        "name": "A",
        "starts": "2025-03-07",
        "ends": "2025-03-10",
        "format": "round-robin",
        "rounds": len(REGULARS) - 1,
        "time_control": {"minutes": [90], "increment": 30},
        "platform": "otb",
        "entries": [{"player": number} for number in numbers],
        "games": games,
    }


def _appoint(office: Any) -> None:
    from players.appointments import appoint
    from players.models import Role, User

    for name, code in (("Amahle", "GAU"), ("Pieter", "WCA"), ("Lindiwe", "LIM"), ("Sipho", "KZN")):
        region = office.regions.get(code=code)
        email = f"{name.lower()}@csa.example"
        appoint(
            federation=office,
            email=email,
            name=name,
            role=Role.REGIONAL,
            region=region,
            starts=LONG_AGO,
            by=None,
            on=TODAY,
        )
    for user in User.objects.all():
        user.name = user.email.partition("@")[0].title()
        user.appointments.update(name=user.name)
        user.set_password(PASSWORD)
        user.save()


def _register(office: Any, by: Any, name: str) -> None:
    from players.access import get_rights
    from tournaments.registration import SectionParticulars, register_event

    otb = {"platform": "otb", "time_controls": [{"minutes": [90], "increment": 30}]}
    register_event(
        rights=get_rights(by, office, TODAY),
        by=by,
        on=FIRST_DAY - timedelta(days=30),
        name=name,
        region=office.regions.get(code="GAU"),
        starts=FIRST_DAY,
        ends=LAST_DAY,
        sections=[SectionParticulars(name="A", format="round-robin", rounds=ROUNDS, particulars=otb)],
    )


def _submit(office: Any) -> None:
    """A section that awaits its review."""
    from players.models import Player
    from ratings.tests.office import submitted

    players = list(Player.objects.filter(federation=office).order_by("number")[: len(REGULARS)])
    submitted(office, players, number="2025-002", ends=LAST_DAY)


if __name__ == "__main__":
    prepare()
