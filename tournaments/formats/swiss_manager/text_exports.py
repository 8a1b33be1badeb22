"""Swiss-Manager's two text exports, which only together are a section: the players (`Spielerdaten`) and the
pairings (`Spielerauslosung`). They come in one file below each other, or in one ZIP; the pairings in any
number of parts.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ratings.law.translation_marks import gettext_noop as _
from tournaments.formats.common.decode_text import Text, to_text
from tournaments.formats.common.format_description import FileKind, FileSource
from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import Reading, Sheet, Unused
from tournaments.formats.common.zip_members import ZipMember, plain
from tournaments.formats.plain_table.cells import LONGEST_LINE, Cells, FileCell, Record, columns_of, record_of
from tournaments.formats.plain_table.delimited_text import DELIMITERS, Splitter, names_delimiter
from tournaments.formats.swiss_manager.absences import with_absences
from tournaments.formats.swiss_manager.columns import COLUMNS, MOST, NEEDED, Kind, kind_of
from tournaments.formats.swiss_manager.pairing_lines import read_play
from tournaments.formats.swiss_manager.players import read_players

SWISS_MANAGER = FileKind(
    "swiss-manager",
    _("Swiss-Manager’s text tables"),
    (
        FileSource(
            "Swiss-Manager",
            _("Extras, then data import/export: player data and pairings as text files, both in one ZIP"),
            by_description=True,
        ),
    ),
)
KINDS: tuple[FileKind, ...] = (SWISS_MANAGER,)
DIALECT = "Swiss-Manager text"
LONGEST_NAME = 40  # characters of a file's name that a place gives
_HEAD_BYTES = 1000


@dataclass(slots=True)
class SwissManagerTable:
    kind: Kind
    head: FileCell
    delimiter: str
    columns: dict[int, str]
    width: int
    records: list[Record] = field(default_factory=list)


def recognises(text: Text) -> bool:
    return any(_head_of(line) for line in text.lines)


def belong_together(parts: Sequence[ZipMember]) -> bool:
    """Whether these files of an archive are the tables of one section: its players once, and its pairings."""
    kinds = [kind for kind in map(kind_in, parts) if kind]
    return len(kinds) == len(parts) > 1 and kinds.count("players") == 1


def read_text(text: Text, notes: Notes) -> Reading:
    tables, unused = list[SwissManagerTable](), list[Unused]()
    whole = _part(text, "", tables, unused, notes)
    return _read(tables, unused, text.encoding, notes) if whole else notes.reading(None)


def read_parts(parts: Iterable[ZipMember], notes: Notes) -> Reading:
    tables, unused, encodings = list[SwissManagerTable](), list[Unused](), list[str]()
    for part in parts:
        notes.file = plain(part.name, LONGEST_NAME)
        text = to_text(part.data, part.name, notes)
        if text is None or not _part(text, notes.file, tables, unused, notes):
            return notes.reading(None)
        encodings.append(text.encoding)
        notes.adjusts("unpacked-together", None, "ZIP", plain(part.name))
    notes.file = ""
    return _read(tables, unused, max(encodings, key=lambda encoding: encoding != "ascii"), notes)


def kind_in(part: ZipMember) -> Kind | None:
    """The export that a file is, by its first line; None if it is neither."""
    head = part.data[:_HEAD_BYTES].decode("utf-8-sig", "replace").lstrip()
    found = _head_of(head.splitlines()[0]) if head else None
    return found[0] if found else None


def _head_of(line: str) -> tuple[Kind, str] | None:
    """The kind of table whose header row a line is, and the delimiter of its cells; None if of none."""
    for delimiter in DELIMITERS:
        kind = kind_of(cell.strip(' "') for cell in line.split(delimiter))
        if kind:
            return kind, delimiter
    return None


def _part(text: Text, name: str, tables: list[SwissManagerTable], unused: list[Unused], notes: Notes) -> bool:
    """Divide one file into tables, each from its header row to the next; lines above the first are unused.
    False with a note if they are too large.
    """
    table: SwissManagerTable | None = None
    splitter = Splitter(notes)
    for number, line in enumerate(text.lines, 1):
        if not line.strip(" \t" + "".join(DELIMITERS)):
            continue
        head = _head_of(line)
        delimiter = head[1] if head else table.delimiter if table else ""
        if not delimiter:
            unused += [] if names_delimiter(line) else [Unused(line[:LONGEST_LINE], number)]
            continue
        cells = splitter.cells_of(line, number, delimiter)
        if cells is None:
            return False
        row = tuple(_placed(cells, name))
        if head:
            table = _begin(*head, row, notes)
            tables.append(table)
        elif table:
            table.records.append(record_of(row, table.columns, table.width, MOST, notes))
    return True


def _placed(row: Cells, name: str) -> Iterator[FileCell]:
    """Yield the cells of a row; in an archive with the file's name in their place, beside the line."""
    for cell in row:
        yield FileCell(cell.text, cell.line, cell.column, f"{name}:{cell.line}") if name else cell


def _begin(kind: Kind, delimiter: str, row: Cells, notes: Notes) -> SwissManagerTable:
    columns = columns_of(row, COLUMNS[kind], notes)
    read = set(columns.values())
    missing = [head for head in NEEDED[kind] if COLUMNS[kind][head.lower()] not in read]
    if kind == "players" and "name" in read:
        missing = []  # nothing divides the two names there; they are matched as they stand
    if missing:
        notes.blocks("sm-column-missing", **row[0].place, columns=", ".join(missing))
    return SwissManagerTable(kind, row[0], delimiter, columns, len(row))


def _read(tables: list[SwissManagerTable], unused: list[Unused], encoding: str, notes: Notes) -> Reading:
    if unused:
        notes.notice("table-above-header", unused[0].line, count=len(unused))
    players = [table for table in tables if table.kind == "players"]
    pairings = [table for table in tables if table.kind == "pairings"]
    if not _are_whole(players, pairings, notes):
        return notes.reading(None)
    field_ = read_players(players[0].records, "points" in players[0].columns.values(), notes)
    if not field_.rows:
        notes.blocks("sm-no-players", **players[0].head.place)
        return notes.reading(None)
    play = read_play((record for table in pairings for record in table.records), field_, notes)
    rows = with_absences(field_, play, notes)
    sheet = Sheet(
        dialect=DIALECT,
        family=SWISS_MANAGER.code,
        rounds_played=max((game.round for game in play.games), default=0),
        rows=tuple(rows),
        games=tuple(sorted(play.games, key=lambda game: game.round)),
        byes=tuple(sorted(play.byes, key=lambda bye: (bye.round, bye.player))),
        unused=tuple(unused),
        encoding=encoding,
    )
    return notes.reading(sheet)


def _are_whole(players: list[SwissManagerTable], pairings: list[SwissManagerTable], notes: Notes) -> bool:
    if not pairings:
        notes.blocks("sm-pairings-missing", **players[0].head.place)
    elif not players:
        notes.blocks("sm-players-missing", **pairings[0].head.place)
    for table in players[1:]:
        notes.blocks("sm-players-twice", **table.head.place, first=players[0].head.line)
    return len(players) == 1 and bool(pairings)
