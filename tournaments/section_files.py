"""Files that the site writes itself: of rated sections, of sections for trying out, and empty tables.

Files of a rated section are drawn up anew for everybody: TRF16, TRF26, the plain table, and the kinds of its
own that the federation reads (`.ELO`, tables of places). The file as it came is given to nobody here: it
holds births, and names of people who may be withheld today. These files hold what the caller says that the
public may know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple, cast

from django.utils.translation import gettext as _

from players.models import Player, User
from players.names import PersonRow, full_name
from ratings.rulesets import facts
from ratings.rulesets.downloads import SEMICOLONS
from ratings.rulesets.facts import ANNULLED
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import Ruleset
from tournaments.details import Details, departures, forfeited, save_details
from tournaments.filing import store_reading, takes_games
from tournaments.formats import othello_elo, plain_table, read_any, trf_writer
from tournaments.formats.mahjong_places import EMA_ID, write_ema, write_portal
from tournaments.formats.plain_table import (
    GAMES,
    PLAYERS,
    TableColumn,
    WrittenTable,
    csv_of,
    write_csv,
    xlsx_of,
)
from tournaments.formats.sheet import (
    ByeKind,
    Official,
    OtherId,
    Result,
    Sex,
    Sheet,
    SheetBye,
    SheetGame,
    SheetPlayer,
    Team,
)
from tournaments.formats.trf_writer import with_ranks, write
from tournaments.models import Bye, Section, Upload
from tournaments.sections import time_in_words
from tournaments.uploads import claim

TRF = {"trf16": "TRF16", "trf26": "TRF26"}
"""The styles of TRF, by the layout's code in addresses."""
TABLE = "table"
ELO, WOF = "elo", "wof"
ELSEWHERE = (EMA_ID, WOF)
"""The kinds of ids in other registers that files give."""
OF_PLACES: Mapping[str, Callable[[Sheet], bytes]] = {"ema": write_ema, "portal": write_portal}
"""Writers of mahjong's tables of places, by the codes of their readers."""
KINDS = {
    "swiss": "Individual: Swiss-System",
    "round-robin": "Individual: Round-Robin",
    "double-round-robin": "Individual: Double-Round-Robin",
    "scheveningen": "Team: Scheveningen-System",
}
"""The words of TRF for formats of play; others go without."""
ID_WIDTH = 11


@dataclass(frozen=True, slots=True)
class ToldEntrant:
    """The particulars of one entrant that the public may know today."""

    surname: str
    score: Decimal
    first_name: str = ""
    number: str = ""
    """The number in the register."""
    sex: str = ""
    born: int | None = None
    title: str = ""
    nation: str = ""
    team: str = ""
    rating: Decimal | None = None
    """The rating before the section, in the track that the reader chose."""
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    """Numbers in other registers, by their kind."""


class FiledGame(NamedTuple):
    """One game of a section as a plain row, with the fields of `Game` that tell of its play: pages and files
    read hundreds, and change none.
    """

    order: int
    """The place in the order of play."""
    round: int
    first_id: int
    second_id: int
    result: str


class FiledEntry(NamedTuple):
    """One entry of a section as a plain row, with the fields of `Entry` that tables and files tell of."""

    pk: int
    number: int
    surname: str
    first_name: str
    title: str
    team: str
    rating: int | None
    points: Decimal | None
    place: int | None
    discs: int | None
    person: PersonRow | None
    """The player for whom the entry counts today: after a merge, the one who stays. None: nobody is known."""

    @property
    def name(self) -> str:
        return full_name(self.surname, self.first_name)


OF_ENTRY = FiledEntry._fields[:-1]
OF_PEOPLE = [f"{way}__{field}" for way in ("player", "player__merged_into") for field in PersonRow._fields]


def games_of(section: Section) -> list[FiledGame]:
    """Read a section's games in the order of play."""
    return [*map(FiledGame._make, section.games.values_list(*FiledGame._fields))]


def entries_of(section: Section) -> list[FiledEntry]:
    """Read a section's entries by starting number."""
    rows = section.entries.order_by("number").values_list(*OF_ENTRY, *OF_PEOPLE)
    return [_entry(row[: len(OF_ENTRY)], row[len(OF_ENTRY) :]) for row in rows]


def _entry(row: tuple[Any, ...], people: tuple[Any, ...]) -> FiledEntry:
    """An entry from its own values and those of its player, the entered one first, then the one who stays."""
    entered, stays = people[: len(PersonRow._fields)], people[len(PersonRow._fields) :]
    found = entered if stays[0] is None else stays
    return FiledEntry._make((*row, None if found[0] is None else PersonRow._make(found)))


@dataclass(frozen=True, slots=True)
class FiledPlay:
    """A section with all that a file of it needs, loaded once."""

    section: Section
    entries: Sequence[FiledEntry]
    games: Sequence[FiledGame]
    byes: Sequence[Bye]
    told: Mapping[int, ToldEntrant]
    """The particulars of the entrants, by the entry's key."""
    arbiters: Sequence[Mapping[str, str]] = ()
    """`name` and `title` of each, the chief first."""

    @property
    def layouts(self) -> tuple[str, ...]:
        """The codes of the files that can be drawn up: TRF and `.ELO` only where they have room for the play,
        and those that few federations know where the office reads them.
        """
        taken = equipment_of(self.section.event.federation.ruleset).office.files
        own = [ELO] if ELO in taken and othello_elo.fits(game.result for game in self.games) else []
        if not self.games and not self.byes:
            own += [code for code in OF_PLACES if code in taken]
        return (*(TRF if self._fits_trf() else ()), TABLE, *own)

    def _fits_trf(self) -> bool:
        """Whether everybody has one game a round at most, and none was annulled: TRF has no room for more."""
        if not self.games or any(game.result == ANNULLED for game in self.games):
            return False
        seats = [(game.round, pk) for game in self.games for pk in (game.first_id, game.second_id)]
        seats += [(bye.round, bye.entry_id) for bye in self.byes]
        return len(set(seats)) == len(seats)


def file_of(play: FiledPlay, layout: str) -> bytes:
    """Draw up a section's file in one of its layouts."""
    sheet = sheet_of(play)
    if layout in TRF:
        return write(with_ranks(sheet), TRF[layout])
    if layout == ELO:
        known = {entry.number: play.told[entry.pk].elsewhere.get(WOF) for entry in play.entries}
        rows = [replace(row, identifier=known[row.start_number], other_ids=()) for row in sheet.rows]
        return othello_elo.write(replace(sheet, rows=tuple(rows)))
    return {TABLE: write_csv, **OF_PLACES}[layout](sheet)


def sheet_of(play: FiledPlay) -> Sheet:
    """Turn a section into the sheet that writers take, of what the public may know."""
    section, event = play.section, play.section.event
    seat = {entry.pk: entry.number for entry in play.entries}
    return Sheet(
        name=f"{event.name} {section.name}",
        city=event.place,
        federation=event.country or event.federation.ruleset.country,
        starts=section.starts,
        ends=section.ends,
        kind=KINDS.get(section.format, ""),
        arbiters=tuple(
            Official(each["name"], each["title"], role="deputy" if at else "chief")
            for at, each in enumerate(play.arbiters)
        ),
        time_text=time_in_words(section),
        rounds=section.rounds,
        rounds_played=max((game.round for game in play.games), default=0),
        finals=tuple(section.finals),
        rows=tuple(_row(entry, play.told[entry.pk]) for entry in play.entries),
        games=tuple(
            SheetGame(game.round, seat[game.first_id], seat[game.second_id], cast(Result, game.result))
            for game in play.games
        ),
        byes=tuple(SheetBye(bye.round, seat[bye.entry_id], cast(ByeKind, bye.kind)) for bye in play.byes),
        teams=_teams(play),
    )


def _row(entry: FiledEntry, told: ToldEntrant) -> SheetPlayer:
    rating = told.rating
    whole = int(rating.quantize(Decimal(1), ROUND_HALF_UP)) if rating is not None else 0
    return SheetPlayer(
        start_number=entry.number,
        name=", ".join(filter(None, (told.surname, told.first_name))),
        surname=told.surname,
        first_name=told.first_name,
        sex=cast(Sex, told.sex) if told.sex else None,
        title=told.title,
        rating=whole if whole > 0 else None,
        federation=told.nation,
        identifier=told.number if 0 < len(told.number) <= ID_WIDTH else None,
        born=told.born,
        points=told.score,
        place=entry.place,
        discs=entry.discs,
        other_ids=tuple(OtherId(kind, number) for kind, number in told.elsewhere.items()),
    )


def _teams(play: FiledPlay) -> tuple[Team, ...]:
    members: dict[str, list[int]] = {}
    for entry in play.entries if play.section.team else ():
        if name := play.told[entry.pk].team:
            members.setdefault(name, []).append(entry.number)
    return tuple(Team(name, tuple(numbers)) for name, numbers in members.items())


# ---- Event files of our own making: for the demo office, and for people who need a file to try.
SAMPLE_SUFFIXES = {"Swiss-Manager": "txt", "Vega": "trf", TABLE: "csv"}
"""The suffix of the file's name, by style."""
"""The words of such a program for the format of play."""
WORTH = {
    **{"1-0": (2, 0), "0-1": (0, 2), "1/2": (1, 1), "0-0": (0, 0)},
    **{"+:-": (2, 0), "-:+": (0, 2), "-:-": (0, 0), "annulled": (0, 0)},
}
"""Half points of each side, in every result of the journal."""
BYES = {"pairing": 2, "full": 2, "half": 1, "zero": 0}


class FilePlayer(NamedTuple):
    """The particulars of a player that a file of ours gives; what it leaves out is empty."""

    surname: str
    first_name: str
    sex: Sex | None = None
    birth: date | None = None
    rating: int | None = None
    federation: str = ""
    identifier: str = ""
    title: str = ""


def line_of(player: Player, rating: int | None = None) -> FilePlayer:
    """A player of the register as a file gives them: all particulars, with this `rating`."""
    known = getattr(player, "birth_date", None)
    return FilePlayer(
        player.surname,
        player.first_name,
        "f" if player.sex == "f" else "m",
        known.day if known else None,
        rating,
        player.nation,
        player.number,
        player.title,
    )


def event_file(
    style: str,
    section: facts.Section,
    lines: Sequence[FilePlayer],
    *,
    city: str = "",
    federation: str = "",
    round_days: Sequence[date] = (),
    time_text: str = "",
    arbiters: Sequence[tuple[str, str, str]] = (),
) -> bytes:
    """Write a section as Swiss-Manager or Vega (`style`), or as a plain table; `lines` by starting number.

    `arbiters`: title, name and id of each, the chief first.
    """
    number = {entry.player: place for place, entry in enumerate(section.entries, start=1)}
    sheet = Sheet(
        dialect=style,
        name=f"{section.event} {section.name}",
        city=city,
        federation=federation,
        starts=section.starts,
        ends=section.ends,
        kind=KINDS.get(section.format, ""),
        arbiters=tuple(
            Official(name, title, id_, "deputy" if place else "chief")
            for place, (title, name, id_) in enumerate(arbiters)
        ),
        time_text=time_text,
        rounds=section.rounds,
        rounds_played=max((game.round for game in section.games), default=0),
        round_dates=tuple(round_days),
        rows=_rows(style, section, lines, number),
        games=tuple(_game(game, number) for game in section.games),
        byes=tuple(SheetBye(bye.round, number[bye.player], bye.kind) for bye in section.byes),  # type: ignore[arg-type]
    )
    return plain_table.write_csv(sheet) if style == TABLE else trf_writer.write(sheet, style)


def _rows(
    style: str, section: facts.Section, lines: Sequence[FilePlayer], number: dict[str, int]
) -> tuple[SheetPlayer, ...]:
    """Write the players' rows, with points, and places as entered (in a table) or by points."""
    halves = points_of(section, number)
    standing = sorted(number.values(), key=lambda player: -halves[player])
    placed = {number[entry.player]: entry.place for entry in section.entries if style == TABLE}
    return tuple(
        replace(
            _sample_row(style, player, line),
            points=Decimal(halves[player]) / 2,
            place=placed.get(player) or standing.index(player) + 1,
        )
        for player, line in enumerate(lines, start=1)
    )


def points_of(section: facts.Section, number: dict[str, int]) -> list[int]:
    """Each entry's score in half points, at the index of its starting number. `number`: that by player."""
    halves = [0] * (len(number) + 1)
    for game in section.games:
        for player, points in zip((game.first, game.second), WORTH[game.result], strict=True):
            halves[number[player]] += points
    for bye in section.byes:
        halves[number[bye.player]] += BYES[bye.kind]
    return halves


def _sample_row(style: str, number: int, line: FilePlayer) -> SheetPlayer:
    return SheetPlayer(
        number,
        ", ".join(line[:2]) if style == TABLE else trf_writer.filed_name(*line[:2], style),
        line.surname,
        line.first_name,
        sex=line.sex,
        title=line.title,
        rating=line.rating,
        federation=line.federation,
        identifier=line.identifier or None,
        born=line.birth.year if line.birth else None,
        birth=line.birth,
    )


def _game(game: facts.Game, number: dict[str, int]) -> SheetGame:
    return SheetGame(game.round, number[game.first], number[game.second], game.result)  # type: ignore[arg-type]


# ---------------------------------------------------------------- file without a worker
def read_here(upload: Upload) -> None:
    """Read a waiting upload in this process: bytes that we made ourselves need no box."""
    taken = claim(upload.pk)
    if taken is not None and taken.content is not None:
        store_reading(taken, read_any(bytes(taken.content), taken.name))


def confirm_details(section: Section, *, by: User | None, on: date, organizer: str = "") -> Section:
    """Save the details form as it is prefilled; absentees are taken not to have given notice."""
    section.refresh_from_db()
    details = Details(
        name=section.name,
        starts=section.starts,
        ends=section.ends,
        format=section.format,
        rounds=section.rounds or 0,
        team=section.team,
        particulars=section.particulars,
        round_dates=[date.fromisoformat(day) if day else section.ends for day in section.round_dates],
        organizer=section.event.organizer or organizer,
        arbiters=section.event.arbiters,
        left={number: facts.Left(round_, bool(said)) for number, round_, said in departures(section)},
        excused={game.order: game.excused for game in forfeited(section)},
    )
    return save_details(section=section, by=by, on=on, version=section.version, details=details)


# ---- The empty plain table that a region downloads and fills in, with the columns that its federation asks.
ABOUT_GAMES = frozenset({"number", "points", "team"})
"""Columns of players that mean nothing in a section of places."""

SUFFIXES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def tables_for(ruleset: Ruleset) -> list[WrittenTable]:
    """Empty tables of the players and, if the ruleset has games, of the games."""
    tables = [_table(ruleset, _("Players"), tuple(c for c in PLAYERS if _is_asked(c, ruleset)))]
    if takes_games(ruleset):
        tables.append(_table(ruleset, _("Games"), GAMES))
    return tables


def template_for(ruleset: Ruleset, suffix: str) -> bytes:
    """The file that people download and fill in; `suffix` is one of `SUFFIXES`."""
    tables = tables_for(ruleset)
    if suffix == "xlsx":
        return xlsx_of(tables)
    return csv_of(tables, ";" if SEMICOLONS in equipment_of(ruleset).publication.downloads else ",")


def _is_asked(column: TableColumn, ruleset: Ruleset) -> bool:
    games = takes_games(ruleset)
    asked = {
        **dict.fromkeys(ABOUT_GAMES, games),
        "sex": "sex" in equipment_of(ruleset).office.asks,
        "place": ruleset.sections.places_needed,
        "discs": "discs" in equipment_of(ruleset).publication.tie_breaks,
    }
    return asked.get(column.name, True)


def _table(ruleset: Ruleset, title: str, columns: tuple[TableColumn, ...]) -> WrittenTable:
    first, second = map(_, equipment_of(ruleset).publication.sides)
    # Only a sentence with values to fill in may hold a per cent sign of its own.
    help_ = tuple(_(column.help) % {"first": first, "second": second} for column in columns)
    return WrittenTable(title, columns, help=help_)
