"""The other federations’ offices: for each its people, an event that was played, and its file.

Eight play: six whom the file gives by number, one of whom it gives another year of birth, and one who is new.
All people are invented.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any, NamedTuple

from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of
from tests.browser_office import LONG_AGO, PASSWORD, TODAY, all_meet, placed
from tournaments.formats import plain_table, trf_writer
from tournaments.formats.sheet import Sheet, SheetGame, SheetPlayer
from tournaments.tests.table_files import write_xlsx


class Person(NamedTuple):
    surname: str
    first_name: str
    sex: str
    born: int


def people(text: str) -> tuple[Person, ...]:
    """`Surname First f 1990`, parted by commas."""
    told = (each.split() for each in text.split(","))
    return tuple(Person(surname, first, sex, int(born)) for surname, first, sex, born in told)


@dataclass(frozen=True, slots=True)
class Walk:
    """One federation's way from the registration of an event to its public list."""

    slug: str
    name: str
    """The office's, as the front page has it."""
    nation: str
    people: tuple[Person, ...]
    """In the order of starting numbers: the seventh is born in another year by the file, the last is new."""
    event: str
    format: str
    file: str
    """What it is called."""
    write: Callable[[Sheet], bytes]
    track: str
    declared: Mapping[str, str]
    """What the registration asks beside the common fields, by label."""
    code: str = ""
    """Of the track, where ratings are taken over in it."""
    ended: int = 2
    """Days ago: as late as the federation lets its regions file."""
    before_play: bool = False
    """Whether the official decides before play as well."""
    shape: Callable[[Sheet], Sheet] = field(default=lambda sheet: sheet)
    """What its file has that a plain round robin has not."""

    @property
    def ends(self) -> date:
        return TODAY - timedelta(days=self.ended)

    @property
    def starts(self) -> date:
        return self.ends - timedelta(days=1)

    @property
    def language(self) -> str:
        """The federation's own."""
        return equipment_of(rulesets()[self.slug]).office.language

    @property
    def filer(self) -> str:
        return f"filer@{self.slug}.example"

    @property
    def official(self) -> str:
        return f"official@{self.slug}.example"

    @property
    def regulars(self) -> tuple[Person, ...]:
        """Whom the register knows."""
        return self.people[:-1]

    def event_file(self) -> bytes:
        rows = tuple(self._row(number, who) for number, who in enumerate(self.people, 1))
        sheet = Sheet(
            dialect=SWISS_MANAGER,
            name=self.event,
            federation=self.nation,
            starts=self.starts,
            ends=self.ends,
            kind="Individual: Round-Robin",
            rounds=ROUNDS,
            rounds_played=ROUNDS,
            rows=rows,
            games=tuple(all_meet(len(rows), forfeit=False)),
        )
        return self.write(self.shape(placed(sheet)))

    def _row(self, number: int, who: Person) -> SheetPlayer:
        known = number < DOUBTFUL
        return SheetPlayer(
            number,
            trf_writer.format_trf_name(who.surname, who.first_name, SWISS_MANAGER),
            who.surname,
            who.first_name,
            sex="f" if who.sex == "f" else "m",
            federation=self.nation,
            identifier=str(FIRST_NUMBER + number) if known else None,
            born=who.born + (number == DOUBTFUL),
        )


SWISS_MANAGER = "Swiss-Manager"
FIRST_NUMBER, DOUBTFUL, ROUNDS = 5000, 7, 7

# ---------------------------------------------------------------- what their files have


def with_replays(sheet: Sheet) -> Sheet:
    """A drawn game is played again at once, and the arbiter annulled another, which was played again too."""
    drawn = next(game for game in sheet.games if game.result == "1/2")
    won = next(game for game in sheet.games if game.result == "1-0")
    again = SheetGame(drawn.round, drawn.second, drawn.first, "1-0")
    games: list[SheetGame] = []
    for game in sheet.games:
        games += [replace(game, result="annulled"), game] if game == won else [game]
        games += [again] if game == drawn else []
    return replace(sheet, games=tuple(games))


def with_discs(sheet: Sheet) -> Sheet:
    rows = tuple(replace(row, discs=300 - 20 * (row.place or 0)) for row in sheet.rows)
    return replace(sheet, rows=rows)


def places_alone(sheet: Sheet) -> Sheet:
    return replace(sheet, games=())


WALKS = (
    Walk(
        slug="ssdc",
        name="Sevastopol Sports Dots Club",
        nation="RUS",
        people=people(
            "Vetrov Ignat m 1984, Lugovaya Polina f 1996, Gromov Lev m 1971, Sizova Darya f 2001,"
            "Ozerov Timur m 1990, Klyueva Inna f 1988, Bystrov Makar m 1979, Zimina Alla f 2004"
        ),
        event="Dots at the Bay",
        format="Round robin",
        file="dots.csv",
        write=plain_table.write_csv,
        track="Classic Dots",
        code="classic",
        declared={"Time class": "Classic", "Category": "Fourth", "Held by": "The Club"},
        shape=with_replays,
    ),
    Walk(
        slug="pfo",
        name="Polska Federacja Othello",
        nation="POL",
        people=people(
            "Wierzba Olgierd m 1982, Kalina Jagoda f 1994, Dębski Witold m 1969, Łąka Nina f 1999,"
            "Jesion Bogdan m 1977, Wrzos Halina f 1985, Świerk Ryszard m 1991, Paproć Lena f 2006"
        ),
        event="Othello nad Wisłą",
        format="Round robin",
        file="othello.xlsx",
        write=write_xlsx,
        track="Ranking",
        code="ranking",
        declared={
            "Tournament": "Grand Prix of Poland",
            "Season": f"{(TODAY - timedelta(days=2)).year}/{(TODAY - timedelta(days=2)).year + 1}",
        },
        shape=with_discs,
    ),
    Walk(
        slug="piskvorky",
        name="Czech piškvorky",
        nation="CZE",
        people=people(
            "Javor Hynek m 1987, Lípová Dita f 1993, Dub Radovan m 1974, Jívová Marta f 2000,"
            "Buk Vilém m 1981, Borová Nela f 1997, Jasan Ota m 1968, Habrová Ema f 2005"
        ),
        event="Turnaj u řeky",
        format="Round robin",
        file="turnaj.txt",
        write=trf_writer.write,
        track="Rating",
        code="rating",
        declared={},
    ),
    Walk(
        slug="mahjong",
        name="Russian Mahjong Federation",
        nation="RUS",
        people=people(
            "Ветров Игнат m 1984, Луговая Полина f 1996, Громов Лев m 1971, Сизова Дарья f 2001,"
            "Озеров Тимур m 1990, Клюева Инна f 1988, Быстров Макар m 1979, Зимина Алла f 2004"
        ),
        event="Кубок набережной",
        format="By places",
        file="places.csv",
        write=plain_table.write_csv,
        track="Rating",
        declared={
            "Status": "Championship of a city",
            "Entry": "Open to everybody",
            "Players expected": "8",
            "Rules": "The world organization’s of 2006, or their Russian translation of 2007",
            "Announced on the federation’s site on": (TODAY - timedelta(days=90)).isoformat(),
        },
        before_play=True,
        shape=places_alone,
    ),
)

# ---------------------------------------------------------------- the database


def open_all() -> None:
    """An office of each, with its register, the ratings that it took over, and two people at work."""
    from players.appointments import appoint, create_office
    from players.models import Player, Role, User
    from ratings.intake import import_journal
    from ratings.recompute import recompute
    from ratings.rulesets import journal

    for walk in WALKS:
        create_office(ruleset_slug=walk.slug, official_email=walk.official, on=LONG_AGO)
        office = import_journal(journal.read_journal(record(walk)), on=TODAY)
        recompute(office)
        for number, who in enumerate(walk.regulars, FIRST_NUMBER + 1):
            Player.objects.filter(federation=office, number=number).update(born=who.born)
        region = office.regions.first()
        appoint(
            federation=office,
            email=walk.filer,
            role=Role.REGIONAL,
            region=region,
            starts=LONG_AGO,
            by=None,
            on=TODAY,
        )
    for user in User.objects.filter(email__in=[who for walk in WALKS for who in (walk.filer, walk.official)]):
        user.set_password(PASSWORD)
        user.save()


def record(walk: Walk) -> list[bytes]:
    """The journal that the office begins with."""
    lines: list[dict[str, Any]] = [
        {"fact": "federation", "form": 3, "code": walk.slug, "ruleset": walk.slug, "name": walk.name}
    ]
    for number, who in enumerate(walk.regulars, FIRST_NUMBER + 1):
        name = f"{who.surname}, {who.first_name}"
        told = {"id": str(number), "name": name, "salt": f"{number:032x}", "nation": walk.nation}
        lines.append({"fact": "player", **told})
    lines += taken_over(walk) if walk.code else earlier_competition(walk)
    return [json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines]


def taken_over(walk: Walk) -> list[dict[str, Any]]:
    came = {"games": 40, "on": "2020-06-30", "source": "list of June 2020"}
    return [
        {"fact": "opening", "player": str(FIRST_NUMBER + n), "track": walk.code, "rating": str(1900 - 60 * n)}
        | came
        for n in range(1, DOUBTFUL)
    ]


def earlier_competition(walk: Walk) -> list[dict[str, Any]]:
    """Where no ratings are taken over, a first competition: only the second brings a place on the list."""
    day = (TODAY - timedelta(days=100)).isoformat()
    section = {"fact": "section", "id": "before-1/A", "event": "Earlier", "name": "A", "format": "placement"}
    played = {"starts": day, "ends": day, "rounds": 4, "status": "city"}
    entries = [{"player": str(FIRST_NUMBER + n), "place": n} for n in range(1, DOUBTFUL + 1)]
    rated = {"fact": "rated", "section": "before-1/A", "on": day}
    return [{**section, **played, "entries": entries}, rated]
