"""Files that the site writes itself: of rated sections, of the demo's sections, and empty tables.

Files of a rated section are written for everybody: TRF16, TRF26, the plain table, and the federation's own
kinds (`.ELO`, tables of places). They hold what the caller says that the public may know; the uploaded file
is given to nobody here, because it holds births, and names of people who may be withheld today.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import cast

from django.utils.translation import get_language, gettext as _

from players.jobs import claim_step
from players.models import Player, User
from ratings.rulesets import facts
from ratings.rulesets.downloads import SEMICOLONS
from ratings.rulesets.facts import ANNULLED
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import Ruleset
from tournaments.details import Details, get_forfeited_games, list_early_leavers, save_details
from tournaments.filing import store_reading, takes_games
from tournaments.formats import othello_elo, plain_table, read_any, trf_writer
from tournaments.formats.mahjong_places import EMA_ID, write_ema, write_portal
from tournaments.formats.plain_table import (
    GAME_TABLE_COLUMNS,
    PLAYER_TABLE_COLUMNS,
    OutputTable,
    TableColumn,
    render_csv,
    render_xlsx,
    write_csv,
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
from tournaments.formats.trf_writer import fill_missing_ranks, write
from tournaments.models import Bye, Entry, Game, Section, Upload
from tournaments.sections import time_controls_in_words

TRF_STYLES = {"trf16": "TRF16", "trf26": "TRF26"}
"""The styles of TRF, by the layout's code in addresses."""
TABLE = "table"
ELO, WOF = "elo", "wof"
FOREIGN_ID_KINDS = (EMA_ID, WOF)
"""The kinds of ids in other registers that files give."""
PLACE_WRITERS: Mapping[str, Callable[[Sheet], bytes]] = {"ema": write_ema, "portal": write_portal}
"""Writers of mahjong's tables of places, by the codes of their readers."""
TRF_KIND_WORDS = {
    "swiss": "Individual: Swiss-System",
    "round-robin": "Individual: Round-Robin",
    "double-round-robin": "Individual: Double-Round-Robin",
    "scheveningen": "Team: Scheveningen-System",
}
"""The words of TRF for formats of play; others go without."""
ID_WIDTH = 11
FilePlayer = SheetPlayer
"""A player as a file names them."""


@dataclass(frozen=True, slots=True)
class PublicEntrant:
    """The public particulars of one entrant."""

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


def list_entries(section: Section) -> list[Entry]:
    """A section's entries by starting number with their players, without what only filing reads."""
    entries = section.entries.order_by("number").select_related("player__merged_into")
    return list(entries.defer("birth", "candidates", "other_ids"))


@dataclass(frozen=True, slots=True)
class SectionPlay:
    """A section with all that its files need, loaded once."""

    section: Section
    entries: Sequence[Entry]
    games: Sequence[Game]
    byes: Sequence[Bye]
    told: Mapping[int, PublicEntrant]
    """The public particulars of the entrants, by the entry's key."""
    arbiters: Sequence[Mapping[str, str]] = ()
    """`name` and `title` of each, the chief first."""

    @property
    def layouts(self) -> tuple[str, ...]:
        """The codes of the files that can be written: TRF and `.ELO` only if they can hold the play, `.ELO`
        and tables of places only if the office reads them.
        """
        taken = equipment_of(self.section.event.federation.ruleset).office.files
        own = [ELO] if ELO in taken and othello_elo.can_write(game.result for game in self.games) else []
        if not self.games and not self.byes:
            own += [code for code in PLACE_WRITERS if code in taken]
        return (*(TRF_STYLES if self._fits_trf() else ()), TABLE, *own)

    def _fits_trf(self) -> bool:
        """Whether everybody has one game a round at most, and none was annulled: TRF cannot hold more."""
        if not self.games or any(game.result == ANNULLED for game in self.games):
            return False
        seats = [(game.round, pk) for game in self.games for pk in (game.first_id, game.second_id)]
        seats += [(bye.round, bye.entry_id) for bye in self.byes]
        return len(set(seats)) == len(seats)


def render_section_file(play: SectionPlay, layout: str) -> bytes:
    """Write a section's file in one of `SectionPlay.layouts`."""
    sheet = build_sheet(play)
    if layout in TRF_STYLES:
        return write(fill_missing_ranks(sheet), TRF_STYLES[layout])
    if layout == ELO:
        known = {entry.number: play.told[entry.pk].elsewhere.get(WOF) for entry in play.entries}
        rows = [replace(row, identifier=known[row.start_number], other_ids=()) for row in sheet.rows]
        return othello_elo.write(replace(sheet, rows=tuple(rows)))
    return {TABLE: write_csv, **PLACE_WRITERS}[layout](sheet)


def build_sheet(play: SectionPlay) -> Sheet:
    """Make the sheet that writers take."""
    section, event = play.section, play.section.event
    seat = {entry.pk: entry.number for entry in play.entries}
    return Sheet(
        name=f"{event.name} {section.name}",
        city=event.place,
        federation=event.country or event.federation.ruleset.country,
        starts=section.starts,
        ends=section.ends,
        kind=TRF_KIND_WORDS.get(section.format, ""),
        arbiters=tuple(
            Official(each["name"], each["title"], role="deputy" if at else "chief")
            for at, each in enumerate(play.arbiters)
        ),
        time_text=time_controls_in_words(section),
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


def _row(entry: Entry, told: PublicEntrant) -> SheetPlayer:
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


def _teams(play: SectionPlay) -> tuple[Team, ...]:
    members: dict[str, list[int]] = {}
    for entry in play.entries if play.section.team else ():
        if name := play.told[entry.pk].team:
            members.setdefault(name, []).append(entry.number)
    return tuple(Team(name, tuple(numbers)) for name, numbers in members.items())


# ---- Event files for the demo office and for trying out
SAMPLE_SUFFIXES = {"Swiss-Manager": "txt", "Vega": "trf", TABLE: "csv"}
"""The suffix of the file's name, by style."""
RESULT_HALF_POINTS = {
    **{"1-0": (2, 0), "0-1": (0, 2), "1/2": (1, 1), "0-0": (0, 0)},
    **{"+:-": (2, 0), "-:+": (0, 2), "-:-": (0, 0), "annulled": (0, 0)},
}
"""Half points of each side, by the journal's result."""
BYE_HALF_POINTS = {"pairing": 2, "full": 2, "half": 1, "zero": 0}


def make_file_player(player: Player, start_number: int, rating: int | None = None) -> SheetPlayer:
    """A player of the register with all particulars and this `rating`."""
    birth = getattr(player, "birth_date", None)
    return SheetPlayer(
        start_number,
        player.name,
        player.surname,
        player.first_name,
        sex="f" if player.sex == "f" else "m",
        title=player.title,
        rating=rating,
        federation=player.nation,
        identifier=player.number,
        birth=birth.day if birth else None,
    )


def render_sample_file(
    style: str,
    section: facts.Section,
    players: Sequence[SheetPlayer],
    *,
    city: str = "",
    federation: str = "",
    round_days: Sequence[date] = (),
    time_text: str = "",
    arbiters: Sequence[tuple[str, str, str]] = (),
) -> bytes:
    """Write a section as Swiss-Manager or Vega (`style`), or as a plain table; `players` by starting
    number.

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
        kind=TRF_KIND_WORDS.get(section.format, ""),
        arbiters=tuple(
            Official(name, title, id_, "deputy" if place else "chief")
            for place, (title, name, id_) in enumerate(arbiters)
        ),
        time_text=time_text,
        rounds=section.rounds,
        rounds_played=max((game.round for game in section.games), default=0),
        round_dates=tuple(round_days),
        rows=_rows(style, section, players, number),
        games=tuple(_game(game, number) for game in section.games),
        byes=tuple(SheetBye(bye.round, number[bye.player], bye.kind) for bye in section.byes),  # type: ignore[arg-type]
    )
    return plain_table.write_csv(sheet) if style == TABLE else trf_writer.write(sheet, style)


def _rows(
    style: str, section: facts.Section, lines: Sequence[SheetPlayer], number: dict[str, int]
) -> tuple[SheetPlayer, ...]:
    """The players' rows, with points, and places as entered (in a table) or by points."""
    halves = count_half_points(section, number)
    standing = sorted(number.values(), key=lambda player: -halves[player])
    placed = {number[entry.player]: entry.place for entry in section.entries if style == TABLE}
    return tuple(
        replace(
            line,
            name=f"{line.surname}, {line.first_name}"
            if style == TABLE
            else trf_writer.format_trf_name(line.surname, line.first_name, style),
            born=line.birth.year if line.birth else None,
            points=Decimal(halves[line.start_number]) / 2,
            place=placed.get(line.start_number) or standing.index(line.start_number) + 1,
        )
        for line in lines
    )


def count_half_points(section: facts.Section, number_by_player: dict[str, int]) -> list[int]:
    """Each entry's score in half points, at the index of its starting number (`number`, by player)."""
    halves = [0] * (len(number_by_player) + 1)
    for game in section.games:
        for player, points in zip((game.first, game.second), RESULT_HALF_POINTS[game.result], strict=True):
            halves[number_by_player[player]] += points
    for bye in section.byes:
        halves[number_by_player[bye.player]] += BYE_HALF_POINTS[bye.kind]
    return halves


def _game(game: facts.Game, number: dict[str, int]) -> SheetGame:
    return SheetGame(game.round, number[game.first], number[game.second], game.result)  # type: ignore[arg-type]


# ---- Filing without a worker
def read_upload_without_box(upload: Upload) -> None:
    """Read a waiting upload in this process: files that the site wrote itself need no box."""
    claimed: Upload | None = claim_step("uploads", upload.pk)
    if claimed is not None and claimed.content is not None:
        store_reading(claimed, read_any(bytes(claimed.content), claimed.name))


def save_prefilled_details(section: Section, *, by: User | None, on: date) -> Section:
    """Save the details form as it is prefilled; absentees count as absent without notice."""
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
        organizer=section.event.organizer,
        arbiters=section.event.arbiters,
        left={
            number: facts.Departure(round_, bool(said))
            for number, round_, said in list_early_leavers(section)
        },
        excused={game.order: game.excused for game in get_forfeited_games(section)},
    )
    return save_details(section=section, by=by, on=on, version=section.version, details=details)


# ---- The empty plain table that a region downloads and fills in
PLAYER_COLUMNS_OF_GAMES = frozenset({"number", "points", "team"})
"""Columns of players that mean nothing in a section without games."""

CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def make_empty_tables(ruleset: Ruleset) -> list[OutputTable]:
    """Empty tables of the players and, if the ruleset has games, of the games, in the reader's language."""
    tables = [_table(ruleset, _("Players"), tuple(c for c in PLAYER_TABLE_COLUMNS if _is_asked(c, ruleset)))]
    if takes_games(ruleset):
        tables.append(_table(ruleset, _("Games"), GAME_TABLE_COLUMNS))
    return tables


def render_empty_table(ruleset: Ruleset, suffix: str) -> bytes:
    """The file that people download and fill in; `suffix` is one of `CONTENT_TYPES`."""
    tables = make_empty_tables(ruleset)
    if suffix == "xlsx":
        return render_xlsx(tables)
    return render_csv(tables, ";" if SEMICOLONS in equipment_of(ruleset).publication.downloads else ",")


def _is_asked(column: TableColumn, ruleset: Ruleset) -> bool:
    asked = {
        **dict.fromkeys(PLAYER_COLUMNS_OF_GAMES, takes_games(ruleset)),
        "sex": "sex" in equipment_of(ruleset).office.asks,
        "place": ruleset.sections.places_needed,
        "discs": "discs" in equipment_of(ruleset).publication.tie_breaks,
    }
    return asked.get(column.name, True)


def _table(ruleset: Ruleset, title: str, columns: tuple[TableColumn, ...]) -> OutputTable:
    first, second = map(_, equipment_of(ruleset).publication.sides)
    # Only a sentence with values to fill in may hold a per cent sign of its own.
    help_ = tuple(_(column.help) % {"first": first, "second": second} for column in columns)
    return OutputTable(title, columns, help=help_, language=get_language())
