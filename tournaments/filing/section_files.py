"""Files of a rated section, drawn up anew for everybody: TRF16, TRF26, the plain table, and the kinds of its
own that the federation reads (`.ELO`, tables of places).

The file as it came is given to nobody here: it holds births, and names of people who may be withheld today.
What stands in these is what the caller says that the public may know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple, cast

from players.register.person_rows import PersonRow, full_name
from ratings.equipment.find_equipment import equipment_of
from ratings.law.facts import ANNULLED
from tournaments.events.models import Bye, Section
from tournaments.events.ruleset_fields import time_in_words
from tournaments.formats.common.reading_result import (
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
from tournaments.formats.mahjong_places.placement_file import EMA_ID
from tournaments.formats.mahjong_places.write import write_ema, write_portal
from tournaments.formats.othello_elo import write as elo
from tournaments.formats.plain_table.write import write_csv
from tournaments.formats.trf_write.write_trf import with_ranks, write

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
        own = [ELO] if ELO in taken and elo.fits(game.result for game in self.games) else []
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
        return elo.write(_of_the_world(sheet, play))
    return {TABLE: write_csv, **OF_PLACES}[layout](sheet)


def _of_the_world(sheet: Sheet, play: FiledPlay) -> Sheet:
    """A sheet with the world federation's numbers in the place of this register's, which it does not know."""
    known = {entry.number: play.told[entry.pk].elsewhere.get(WOF) for entry in play.entries}
    rows = [replace(row, identifier=known[row.start_number], other_ids=()) for row in sheet.rows]
    return replace(sheet, rows=tuple(rows))


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
    return SheetPlayer(
        start_number=entry.number,
        name=", ".join(filter(None, (told.surname, told.first_name))),
        surname=told.surname,
        first_name=told.first_name,
        sex=cast(Sex, told.sex) if told.sex else None,
        title=told.title,
        rating=_whole(told.rating),
        federation=told.nation,
        identifier=told.number if 0 < len(told.number) <= ID_WIDTH else None,
        born=told.born,
        points=told.score,
        place=entry.place,
        discs=entry.discs,
        other_ids=tuple(OtherId(kind, number) for kind, number in told.elsewhere.items()),
    )


def _whole(rating: Decimal | None) -> int | None:
    """A rating as a file's whole number; ratings below 1 (mahjong) have none."""
    whole = int(rating.quantize(Decimal(1), ROUND_HALF_UP)) if rating is not None else 0
    return whole if whole > 0 else None


def _teams(play: FiledPlay) -> tuple[Team, ...]:
    members: dict[str, list[int]] = {}
    for entry in play.entries if play.section.team else ():
        if name := play.told[entry.pk].team:
            members.setdefault(name, []).append(entry.number)
    return tuple(Team(name, tuple(numbers)) for name, numbers in members.items())
