"""The row engine under the tabular formats: cells with their places, tables below header rows, players' rows.

A format describes its tables by `Layout`s. Whatever cannot be read is noted with its cell, and left out.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from itertools import islice

from ratings.rulesets.downloads import (
    HEADINGS,
    disarm_cell,
    normalize_column_heading,
    plain_heading,
    rearm_cell,
)
from ratings.rulesets.facts import FORFEITS
from ratings.rulesets.particulars import SEXES, nation_code
from tournaments.formats.dates import read_birth
from tournaments.formats.sheet import (
    ByeKind,
    CellPlace,
    Notes,
    OtherId,
    Result,
    Sex,
    SheetGames,
    SheetPlayer,
    Unused,
)
from tournaments.formats.trf_layout import MOST_ROUNDS

# ---- Cells with their places
LONGEST_SHOWN = 40  # characters of a cell that a message quotes
LONGEST_LINE = 200  # characters of a row that is kept unused


@dataclass(frozen=True, slots=True)
class FileCell:
    text: str
    line: int
    column: int
    """The character of the line; in a workbook the column of the worksheet."""
    where: str = ""
    """`Games!D7`, in a workbook."""

    @property
    def place(self) -> CellPlace:
        return {"line": self.line, "column": self.column, "where": self.where}

    @property
    def shown(self) -> str:
        return self.text[:LONGEST_SHOWN]


EMPTY = FileCell("", 0, 0)
Cells = tuple[FileCell, ...]
Record = Mapping[str, FileCell]
"""A row's cells by column; missing ones are empty, with the place of the last."""
Ids = tuple[str | None, tuple[OtherId, ...]]
"""A player's identifier and other ids."""


# ---- Tables
@dataclass(frozen=True, slots=True)
class Layout:
    """A kind of table: the columns below its header row, and what its players' rows are read by."""

    code: str
    columns: Mapping[str, str]
    """Columns by heading; empty if the column is ignored."""
    fits: Callable[[frozenset[str]], bool]
    """Whether headings are this kind's header row."""
    most_characters: Mapping[str, int] = field(default_factory=dict)
    """Of a cell by column, where it is not the common number."""
    parse_ids: Callable[[Record, Notes], Ids] = lambda _record, _notes: (None, ())
    id_columns: Mapping[str, Callable[[FileCell], str]] = field(default_factory=dict)
    """What reads the ids that no two players may have, by column."""
    surname_is_first_word: bool = False
    """Whether a name of two words without a comma has the surname first."""


@dataclass(slots=True)
class Block:
    """A table within a file: a header row and the rows below it."""

    layout: Layout
    head: Cells
    columns: dict[int, str]
    """Columns that are read, by index."""
    records: list[Record] = field(default_factory=list)

    def add(self, row: Cells, notes: Notes) -> None:
        """Add a row to the records."""
        last = row[-1]
        record = dict.fromkeys(self.columns.values(), FileCell("", last.line, last.column, last.where))
        for at, cell in enumerate(row):
            name = self.columns.get(at)
            if cell.text and at >= len(self.head):
                notes.blocks("table-row-too-long", **cell.place)
                break
            if name is None:
                continue
            longest = self.layout.most_characters.get(name, LONGEST_SHOWN)
            if len(cell.text) > longest:
                notes.blocks("table-cell-too-long", **cell.place, named=name, most=longest)
                cell = FileCell(cell.text[:longest], **cell.place)
            record[name] = cell
        self.records.append(record)


_REGION_IN_CZECH = "kraj"
"""A nation in Polish."""


def find_layout(layouts: Iterable[Layout], headings: Iterable[str]) -> Layout | None:
    """The kind of table whose header row these cells are, if any."""
    there = frozenset(map(normalize_column_heading, headings))
    return next((layout for layout in layouts if layout.fits(there)), None)


def find_columns(row: Cells, named: Mapping[str, str], notes: Notes) -> dict[int, str]:
    """The columns of a header row by index. `named`: columns by heading, empty for ignored ones. Where two
    words name one column, that counts which comes first in `HEADING_WORDS`.
    """
    plain = [plain_heading(cell.text) for cell in row]
    known_words = [HEADINGS.get(heading, ("", "", 0)) for heading in plain]
    languages = {
        word[1] for word, heading in zip(known_words, plain, strict=True) if heading != _REGION_IN_CZECH
    }
    columns: dict[int, str] = {}
    for at, cell in enumerate(row):
        name = named.get(normalize_column_heading(cell.text))
        if plain[at] == _REGION_IN_CZECH and ("pl" not in languages or "cs" in languages):
            name = None
        before = next((other for other, known in columns.items() if known == name), None) if name else None
        if name and before is None:
            columns[at] = name
        elif name and before is not None and (plain[before] == plain[at] or name.startswith("round ")):
            notes.blocks("table-column-twice", **cell.place, named=cell.shown)
        elif name and before is not None:
            kept, left = (at, before) if known_words[at][2] < known_words[before][2] else (before, at)
            columns[kept] = columns.pop(before)
            notes.notice(
                "table-column-beside", **row[left].place, named=row[left].shown, read=row[kept].shown
            )
        elif cell.text and name is None:
            notes.notice("table-column-unknown", **cell.place, named=cell.shown)
    return columns


def split_rows(
    rows: Iterable[Cells], layouts: Sequence[Layout], notes: Notes
) -> tuple[list[Cells], list[Block]]:
    """The rows above the first header row, and the tables, each from its header row to the next; without
    blank rows.
    """
    above, blocks = list[Cells](), list[Block]()
    for row in rows:
        if not any(cell.text for cell in row):
            continue
        if layout := find_layout(layouts, (cell.text for cell in row)):
            blocks.append(Block(layout, row, find_columns(row, layout.columns, notes)))
        elif blocks:
            blocks[-1].add(row, notes)
        else:
            above.append(row)
    return above, blocks


def make_unused(row: Cells) -> Unused:
    return Unused(" ".join(cell.text for cell in row if cell.text)[:LONGEST_LINE], row[0].line)


def note_other_sheets(rows: Sequence[Cells], notes: Notes) -> None:
    """Note that rows on other worksheets than the table's are not read."""
    if rows:
        notes.notice("table-other-sheets", **rows[0][0].place, count=len(rows))


# ---- Values of single cells; one that cannot be read is noted and left out
_NUMBER = re.compile(r"[0-9]{1,4}")
_POINTS = re.compile(r"(-?[0-9]{0,6})(?:[.,]([0-9]{1,2})|(½))?")
_TITLE = re.compile(r"[A-Z]{1,3}")


def read_short_whole(text: str) -> int | None:
    """Read a whole number of up to four digits; workbooks write `3.0`, and places may end in a full stop."""
    digits = re.sub(r"\.0?$", "", text)
    return int(digits) if _NUMBER.fullmatch(digits) else None


def parse_round(cell: FileCell, notes: Notes) -> int | None:
    number = read_short_whole(cell.text)
    if number and number <= MOST_ROUNDS:
        return number
    notes.blocks("table-round-not-read", **cell.place, text=cell.shown, most=MOST_ROUNDS)
    return None


def parse_sex(cell: FileCell, notes: Notes) -> Sex | None:
    sex = SEXES.get(cell.text.lower())
    if cell.text and not sex:
        notes.adjusts("sex-not-read", cell.line, cell.shown, "")
    return sex


def parse_birth(cell: FileCell, notes: Notes) -> tuple[int | None, date | None]:
    read = read_birth(cell.text)
    if read is None:
        notes.notice("birth-not-read", **cell.place, text=cell.shown)
        notes.adjusts("birth-not-read", cell.line, cell.shown, "")
    return read or (None, None)


def parse_nation(cell: FileCell, notes: Notes) -> str:
    nation = nation_code(cell.text, "")
    if cell.text and not nation:
        note_left_out(cell, "nation", notes)
    return nation


def parse_title(cell: FileCell, notes: Notes) -> str:
    title = cell.text.upper()
    if title and not _TITLE.fullmatch(title):
        note_left_out(cell, "title", notes)
        return ""
    return title


def parse_place(cell: FileCell, notes: Notes) -> int | None:
    place = read_short_whole(cell.text)
    if cell.text and not place:
        notes.blocks("table-place-not-read", **cell.place, text=cell.shown)
    return place or None


def parse_score(cell: FileCell, notes: Notes) -> Decimal:
    found = _POINTS.fullmatch(cell.text.replace("−", "-"))
    if not cell.text:
        return Decimal(0)
    if not found or found[0] in ("", "-"):
        note_left_out(cell, "points", notes)
        return Decimal(0)
    return Decimal(f"{found[1] or 0}.{'5' if found[3] else found[2] or 0}")


def parse_whole(cell: FileCell, column: str, notes: Notes) -> int | None:
    number = read_short_whole(cell.text)
    if cell.text and number is None:
        note_left_out(cell, column, notes)
    return number


def note_left_out(cell: FileCell, column: str, notes: Notes) -> None:
    notes.notice("table-cell-not-read", **cell.place, named=column, text=cell.shown)
    notes.adjusts("table-cell-not-read", cell.line, cell.shown, "")


# ---- Players' rows
def number_records(block: Block, notes: Notes) -> dict[int, Record]:
    """The records of players by start number: their own, or that of their row if the table has none. Those
    whose number is taken or cannot be read are noted and left out.
    """
    if "number" not in block.columns.values():
        return dict(enumerate(block.records, 1))
    records: dict[int, Record] = {}
    for record in block.records:
        cell = record["number"]
        number = read_short_whole(cell.text)
        if not number:
            key = "start-number-zero" if number == 0 else "table-number-not-read"
            notes.blocks(key, **cell.place, **({} if number == 0 else {"text": cell.shown}))
        elif number in records:
            first = next(iter(records[number].values())).line
            notes.blocks("start-number-twice", **cell.place, number=number, first=first)
        else:
            records[number] = record
    return records


def read_player(number: int, record: Record, layout: Layout, notes: Notes) -> SheetPlayer:
    """Read a record into a player, by the columns that there are."""

    def cell(column: str) -> FileCell:
        return record.get(column, EMPTY)

    surname, first_name = _split_name(number, record, layout, notes)
    born, birth = parse_birth(cell("birth"), notes)
    identifier, other_ids = layout.parse_ids(record, notes)
    return SheetPlayer(
        start_number=number,
        name=join_name(surname, first_name),
        surname=surname,
        first_name=first_name,
        rating=parse_whole(cell("rating"), "rating", notes) or None,
        sex=parse_sex(cell("sex"), notes),
        title=parse_title(cell("title"), notes),
        federation=parse_nation(cell("nation"), notes),
        identifier=identifier,
        born=born,
        birth=birth,
        points=parse_score(cell("points"), notes),
        place=parse_place(cell("place"), notes),
        discs=parse_whole(cell("discs"), "discs", notes),
        other_ids=other_ids,
        line=next(iter(record.values())).line,
    )


def _split_name(number: int, record: Record, layout: Layout, notes: Notes) -> tuple[str, str]:
    """Surname and first name, from two columns or from one with a comma; a note if there is no surname."""
    cell, first_name = record.get("surname", EMPTY), record.get("first name", EMPTY).text
    surname = cell.text
    if not surname and "name" in record:
        cell = record["name"]
        surname, comma, rest = (part.strip() for part in cell.text.partition(","))
        if layout.surname_is_first_word and not (comma and surname):
            words = cell.text.split()
            surname, rest = (words[0], words[1]) if len(words) == 2 else (cell.text, "")
        first_name = rest or first_name
    if not surname:
        notes.blocks("table-no-surname", **cell.place, number=number)
    return surname, first_name


def join_name(surname: str, first_name: str) -> str:
    """A player's name in a sheet: `Nowak, Anna`, or the only one that is not empty."""
    return ", ".join(filter(None, (surname, first_name)))


def block_equal_ids(
    rows: Iterable[SheetPlayer], records: Mapping[int, Record], layout: Layout, notes: Notes
) -> None:
    """Block ids that two players have. `records`: by start number."""
    known: dict[tuple[str, str], SheetPlayer] = {}
    for row in rows:
        for column, parse_id in layout.id_columns.items():
            cell = records[row.start_number].get(column, EMPTY)
            id_ = parse_id(cell)
            if id_ and (first := known.setdefault((column, id_), row)) is not row:
                notes.blocks("identifier-twice", **cell.place, id=id_, first=first.line)


def note_names_not_parted(rows: Iterable[SheetPlayer], notes: Notes, column: int | None = None) -> None:
    """Note once that names are not divided into surname and first name."""
    whole = [row for row in rows if not row.first_name]
    if whole:
        notes.notice("names-not-parted", whole[0].line, column, count=len(whole), sample=whole[0].name)


# ---- Points of results
RESULT_POINTS: Mapping[Result, tuple[Decimal, Decimal]] = {
    "1-0": (Decimal(1), Decimal(0)),
    "0-1": (Decimal(0), Decimal(1)),
    "1/2": (Decimal("0.5"), Decimal("0.5")),
    "+:-": (Decimal(1), Decimal(0)),
    "-:+": (Decimal(0), Decimal(1)),
}
BYE_POINTS: Mapping[ByeKind, Decimal] = {"pairing": Decimal(1), "full": Decimal(1), "half": Decimal("0.5")}


def sum_points(play: SheetGames) -> Mapping[int, Decimal]:
    """The sums of points of games and byes, by start number."""
    counted: dict[int, Decimal] = defaultdict(Decimal)
    for game in play.games:
        first, second = RESULT_POINTS.get(game.result, (Decimal(0), Decimal(0)))
        counted[game.first] += first
        counted[game.second] += second
    for bye in play.byes:
        counted[bye.player] += BYE_POINTS.get(bye.kind, Decimal(0))
    return counted


# ---- Lines of CSV
DELIMITERS = (",", ";", "\t")
MOST_COLUMNS = 200
MOST_CELLS = 200_000
_QUOTED = re.compile(r' *"((?:[^"]|"")*)" *')


def cleaned(text: str) -> str:
    """A cell's text in NFC with single blanks, and without the apostrophes that disarm formulas."""
    return rearm_cell(" ".join(unicodedata.normalize("NFC", text).split()))


def is_delimiter_line(line: str) -> bool:
    """Whether the line is `sep=;`, the first of some spreadsheets' CSV."""
    return re.fullmatch(r"sep=.?", line.strip(" "), re.IGNORECASE) is not None


class Splitter:
    """Splits the lines of one file into cells, up to `MOST_CELLS`."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._room = MOST_CELLS

    def split(self, line: str, number: int, delimiter: str) -> Cells:
        """The cells of a line, with the columns where they begin. Refuses a file with too many."""
        cells = tuple(islice(_cells(line, number, delimiter, self._notes), MOST_COLUMNS + 1))
        self._room -= len(cells)
        if len(cells) > MOST_COLUMNS:
            raise self._notes.refusal("table-too-wide", **cells[MOST_COLUMNS].place, most=MOST_COLUMNS)
        if self._room < 0:
            raise self._notes.refusal("table-too-many-cells", number, most=MOST_CELLS)
        return cells


def _cells(line: str, number: int, delimiter: str, notes: Notes) -> Iterator[FileCell]:
    at = 0
    while at <= len(line):
        quoted = _QUOTED.match(line, at)
        if quoted and line[quoted.end() : quoted.end() + 1] in ("", delimiter):
            text, end = quoted[1].replace('""', '"'), quoted.end()
        else:
            end = line.find(delimiter, at)
            end = end if end >= 0 else len(line)
            text = line[at:end]
            if text.lstrip(" ").startswith('"'):
                notes.blocks("table-quote-open", number, at + 1)
        yield FileCell(cleaned(text), number, at + 1)
        at = end + 1


def write_cells(row: Iterable[object]) -> list[str]:
    """The cells of a row for CSV: a text may not begin like a formula, but a number or a forfeit may."""
    return [
        f"{cell.normalize():f}"
        if isinstance(cell, Decimal)
        else disarm_cell(cell)
        if isinstance(cell, str) and cell not in FORFEITS
        else str("" if cell is None else cell)
        for cell in row
    ]
