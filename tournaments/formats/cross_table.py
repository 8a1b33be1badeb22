"""Reads the cross table of Chess-Results and Swiss-Manager, as a workbook or as CSV."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal

from ratings.rulesets.facts import gettext_noop as _
from tournaments.formats import plain_table
from tournaments.formats.dates import read_date
from tournaments.formats.plain_table import Cells as PlainCells
from tournaments.formats.plain_table import normalize_column_heading
from tournaments.formats.sheet import (
    ByeKind,
    FileKind,
    FileSource,
    Notes,
    Official,
    Param,
    Reading,
    Sheet,
    SheetBye,
    SheetGame,
    SheetPlayer,
)
from tournaments.formats.swiss_manager import check_ids_and_names, make_row
from tournaments.formats.trf import LONGEST_TEXT, RESULTS, SEXES, TITLES, parse_officials
from tournaments.formats.trf_layout import MOST_ROUNDS

# ---- Columns, in English and in German
RANK, NUMBER = "rank", "number"
MOST_TIE_BREAKS = 12

COLUMNS: Mapping[str, str] = {
    **dict.fromkeys(("rk.", "rk", "rank", "rg.", "rang"), RANK),
    **dict.fromkeys(("sno.", "sno", "snr", "snr.", "no.", "nr."), NUMBER),
    "name": "name",
    **dict.fromkeys(("title", "titel"), "title"),
    **dict.fromkeys(("rtg", "rtg.", "elo"), "rating"),
    **dict.fromkeys(("irtg", "rtgi", "eloi"), "international rating"),
    **dict.fromkeys(("birth", "birthday", "geb.", "geburt"), "birth"),
    **dict.fromkeys(("fs", "sex"), "sex"),
    **dict.fromkeys(("fide-no.", "fide-no", "fideid", "fide-id", "fide id"), "fide id"),
    **dict.fromkeys(("ident", "ident-no.", "identnr", "id"), "national id"),
    **dict.fromkeys(("fed", "fed.", "federation", "land"), "nation"),
    **dict.fromkeys(("pts.", "pts", "points", "pkt.", "pkt", "punkte"), "points"),
    **dict.fromkeys(("club", "club/city", "verein", "verein/ort", "type", "typ", "gr", "gr.", "group"), ""),
    **dict.fromkeys(
        ("state", "city", "nrtg", "rtgn", "elon", "rp", "n", "w", "we", "w-we", "k", "rtg+/-"), ""
    ),
    **{f"{tie}{number}": "" for tie in ("tb", "tb ", "wtg") for number in range(1, MOST_TIE_BREAKS + 1)},
}
"""Columns by their headings; empty if the column is ignored."""
LONGEST_CELLS = {"name": 100, "national id": 30, "fide id": 30}
"""The most characters of a cell, where it is not the common number."""
_ROUND = re.compile(r"([0-9]{1,2})\. ?(?:rd|rnd|round|runde|r)\.?")
_FEWEST_OPPONENTS = 3


def parse_round(heading: str) -> int | None:
    """The round of a heading: `1.rd` → 1."""
    found = _ROUND.fullmatch(heading)
    return int(found[1]) if found and int(found[1]) else None


def knows(headings: Sequence[str]) -> int:
    """The number of headings that belong to a cross table; 0 if this is not its header row."""
    named = {COLUMNS[name] for name in headings if name in COLUMNS}
    rounds = sum(parse_round(name) is not None for name in headings)
    if "name" not in named or not named & {RANK, NUMBER} or not (rounds or is_round_robin(headings)):
        return 0
    return len(named) + rounds


def is_round_robin(headings: Sequence[str]) -> bool:
    """Whether the table has a column for each opponent, without round and colour."""
    opponents = [name for name in headings if name.isascii() and name.isdigit()]
    expected = [str(number) for number in range(1, len(opponents) + 1)]
    return len(opponents) >= _FEWEST_OPPONENTS and opponents == expected


# ---- Cells. Each names an opponent by a number that may be the rank or the start number; the table does not
# say which. A game has two cells, and only the right reading makes them fit: opposite colours, results that
# belong together.
BYES: Mapping[str, ByeKind] = {"-1": "pairing", "-½": "half", "-0": "zero", "0": "zero", "-": "zero"}
"""Kinds of byes by their cells; a workbook changes `-0` into the number 0."""
_WORTH = {"1": Decimal(1), "+": Decimal(1), "=": Decimal("0.5")}
MOST_CONTRADICTIONS = 10
"""The most contradictions that are listed if neither reading fits."""
_COLOURS = ({"w", "b"}, {"w", "s"})
"""White and black in English, and in German."""
_CELL = re.compile(r"([0-9]{1,4})([a-z])([01½+-]?)")
_CODES = {"½": "="}


@dataclass(frozen=True, slots=True)
class CrossTableSeat:
    """One round of one player against an opponent, from the player's row."""

    round: int
    player: int
    """The row, from 0."""
    opponent: int
    """The opponent's number in the cell: the rank or the start number."""
    white: bool
    result: str
    cell: plain_table.FileCell


@dataclass(slots=True)
class RoundCells:
    """The cells of a cross table's rounds."""

    seats: dict[tuple[int, int], CrossTableSeat] = field(default_factory=dict)
    """By round and row."""
    byes: list[tuple[int, int, plain_table.FileCell]] = field(default_factory=list)
    """Round, row and cell, which may be blank."""
    unread: set[int] = field(default_factory=set)
    """Rows in which a cell could not be read."""


@dataclass(frozen=True, slots=True)
class _Contradiction:
    key: str
    seat: CrossTableSeat
    params: Mapping[str, Param]


def read_cells(rows: Sequence[Mapping[int, plain_table.FileCell]], notes: Notes) -> RoundCells | None:
    """Read a cross table's rounds from its cells by round; None with a note if they hold no games."""
    cells, letters = RoundCells(), dict[str, plain_table.FileCell]()
    for player, row in enumerate(rows):
        for round_, cell in row.items():
            bare = cell.text.replace(" ", "").lower()
            if found := _CELL.fullmatch(bare):
                letters.setdefault(found[2], cell)
                result = _CODES.get(found[3], found[3])
                cells.seats[round_, player] = CrossTableSeat(
                    round_, player, int(found[1]), found[2] == "w", result, cell
                )
            elif bare in BYES or not bare:
                cells.byes.append((round_, player, cell))
            else:
                notes.blocks("cross-cell-not-read", **cell.place, text=cell.shown, round=round_)
                cells.unread.add(player)
    if not any(set(letters) <= pair for pair in _COLOURS):
        odd = next(cell for letter, cell in letters.items() if letter != "w")
        notes.blocks("cross-colours-unknown", **odd.place, letters=", ".join(sorted(letters)))
        return None
    if not cells.seats:
        notes.blocks("no-games")
        return None
    played = {seat.round for seat in cells.seats.values()}
    cells.byes = [bye for bye in cells.byes if bye[0] in played]  # other rounds are still to come
    return cells


# ---- Ranks or start numbers
def choose_numbering(
    cells: RoundCells, numberings: Mapping[str, Sequence[int | None]], notes: Notes
) -> Sequence[int]:
    """The numbers, by row, with which both sides of every game fit; none with a note if neither ranks nor
    start numbers (`numberings`) do.
    """
    usable = {name: numbers for name, values in numberings.items() if (numbers := _distinct(values))}
    wrong = {name: _contradictions(cells, numbers) for name, numbers in usable.items()}
    fit = [name for name in usable if not wrong[name]]
    if not usable:
        notes.blocks("cross-no-numbers")
    elif len(set(map(tuple, usable.values()))) == 1:
        only = next(iter(usable))
        _note_contradictions(wrong[only], notes)
        return usable[only]
    elif len(fit) == 1:
        return usable[fit[0]]
    elif fit:
        notes.blocks("cross-both-fit")
    else:
        counts = {name: len(wrong[name]) for name in (RANK, NUMBER)}
        best = min(wrong.values(), key=len)
        notes.blocks("cross-neither-fits", ranks=counts[RANK], numbers=counts[NUMBER], cells=len(cells.seats))
        _note_contradictions(best[:MOST_CONTRADICTIONS], notes)
    return ()


def _distinct(values: Sequence[int | None]) -> Sequence[int]:
    """The values if every row has one and they all differ; else none."""
    numbers = [value for value in values if value]
    return numbers if len(set(numbers)) == len(values) else ()


def _contradictions(cells: RoundCells, numbers: Sequence[int]) -> list[_Contradiction]:
    rows = {number: row for row, number in enumerate(numbers)}
    found = (_contradiction(seat, cells, numbers, rows) for seat in cells.seats.values())
    return [one for one in found if one]


def _contradiction(
    seat: CrossTableSeat, cells: RoundCells, numbers: Sequence[int], rows: Mapping[int, int]
) -> _Contradiction | None:
    """The contradiction between a cell and its opponent's, if any; the first row of a pair reports it."""
    names: dict[str, Param] = {"number": numbers[seat.player], "opponent": seat.opponent, "round": seat.round}
    row = rows.get(seat.opponent)
    if row is None:
        return _Contradiction("cross-opponent-missing", seat, names)
    if row == seat.player:
        return _Contradiction("plays-self", seat, {"number": seat.opponent, "round": seat.round})
    other = cells.seats.get((seat.round, row))
    if other is None:
        return None if row in cells.unread else _Contradiction("opponent-free", seat, names)
    names["says"] = other.opponent
    if other.opponent != numbers[seat.player]:
        return _Contradiction("opponent-elsewhere", seat, names)
    if row < seat.player:
        return None
    if seat.white == other.white:
        return _Contradiction("same-colour", seat, names | {"other_line": other.cell.line})
    first, second = (seat, other) if seat.white else (other, seat)
    if (first.result, second.result) in RESULTS or not first.result + second.result:
        return None
    names |= {"result": _result_text(seat), "other": _result_text(other), "other_line": other.cell.line}
    return _Contradiction("results-disagree", seat, names)


def _result_text(seat: CrossTableSeat) -> str:
    return seat.result.replace("=", "½") or "–"


def _note_contradictions(contradictions: Iterable[_Contradiction], notes: Notes) -> None:
    for one in contradictions:
        notes.blocks(one.key, **one.seat.cell.place, **one.params)


# ---- Games and byes
def read_play(
    cells: RoundCells, start_numbers: Sequence[int], opponent_numbers: Sequence[int], notes: Notes
) -> plain_table.SheetGames:
    """The games and byes by start numbers. `start_numbers`: of the rows;
    `opponent_numbers`: those by which cells name opponents (`choose_numbering`).
    """
    rows = {number: row for row, number in enumerate(opponent_numbers)}
    play, open_ = plain_table.SheetGames(), defaultdict[int, list[plain_table.FileCell]](list)
    for (round_, player), seat in sorted(cells.seats.items()):
        other = cells.seats.get((round_, rows.get(seat.opponent, -1)))
        if other is None or not seat.white or other.white:
            continue
        result = RESULTS.get((seat.result, other.result))
        first, second = start_numbers[player], start_numbers[other.player]
        if result:
            play.games.append(SheetGame(round_, first, second, result, line=seat.cell.line))
        elif not seat.result + other.result:
            open_[round_].append(seat.cell)
        if result == "0-0":
            names = {"number": first, "opponent": second, "round": round_}
            notes.notice("both-lost", **seat.cell.place, **names)
    for round_, unfinished in open_.items():
        notes.blocks("round-unfinished", **unfinished[0].place, round=round_, games=len(unfinished))
    _read_byes(cells, start_numbers, play, notes)
    return play


def _read_byes(
    cells: RoundCells, start_numbers: Sequence[int], play: plain_table.SheetGames, notes: Notes
) -> None:
    """Read the byes. A point without opponent is the pairing's bye; asks if there are several in a round."""
    given = defaultdict[int, list[plain_table.FileCell]](list)
    for round_, player, cell in cells.byes:
        bare = cell.text.replace(" ", "")
        kind = BYES.get(bare, "zero")
        play.byes.append(SheetBye(round_, start_numbers[player], kind, cell.line))
        if kind == "pairing":
            given[round_].append(cell)
        elif not bare:
            notes.adjusts("cross-blank", cell.line, f"{round_}: ", f"{round_}: -0")
    for round_, points in given.items():
        if len(points) > 1:
            notes.asks("cross-several-byes", **points[1].place, round=round_, count=len(points))
            for cell in points:
                notes.adjusts("cross-several-byes", cell.line, f"{round_}: {cell.shown}", f"{round_}: U")


def sum_points_by_row(cells: RoundCells) -> Mapping[int, Decimal]:
    """The sum of the points of each row."""
    sums: dict[int, Decimal] = defaultdict(Decimal)
    for seat in cells.seats.values():
        sums[seat.player] += _WORTH.get(seat.result, Decimal(0))
    for _round, player, cell in cells.byes:
        sums[player] += plain_table.BYE_POINTS.get(BYES.get(cell.text.replace(" ", ""), "zero"), Decimal(0))
    return sums


# ---- Lines above the table: the tournament's name, and lines such as `Number of rounds : 9`
LABELS = {
    **dict.fromkeys(("number of rounds", "rundenanzahl", "anzahl runden"), "rounds"),
    **dict.fromkeys(("date", "datum"), "dates"),
    **dict.fromkeys(("location", "ort"), "city"),
    **dict.fromkeys(("federation", "landesverband", "land"), "federation"),
    **dict.fromkeys(("time control", "bedenkzeit"), "time_text"),
    **dict.fromkeys(("tournament type", "turnierart"), "kind"),
    **dict.fromkeys(("chief arbiter", "hauptschiedsrichter"), "chief"),
    **dict.fromkeys(("arbiter", "deputy arbiter", "deputy chief arbiter", "schiedsrichter"), "deputy"),
}
"""Names of fields by labels in English and in German, before the colon and without brackets."""
_LABELLED = re.compile(r"([^:]{2,60}):(.*)")
_BRACKETS = re.compile(r"\([^)]*\)")
_NATION = re.compile(r"\( ?([A-Z]{3}) ?\)|[A-Z]{3}")
_DATE = re.compile(r"[0-9]{4}[/.-][0-9]{1,2}[/.-][0-9]{1,2}|[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}")
_NO_NAME = re.compile(
    r"from the tournament|aus der turnier|last update|letzte|.*chess-results", re.IGNORECASE
)


@dataclass(slots=True)
class CrossTableHead:
    name: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    rounds: int | None = None
    starts: date | None = None
    ends: date | None = None
    officials: list[Official] = field(default_factory=list)


def _read_field(name: str, value: str, line: int, head: CrossTableHead, notes: Notes) -> None:
    if name == "rounds":
        number = plain_table.read_short_whole(value)
        head.rounds = number if number and number <= MOST_ROUNDS else None
    elif name == "dates":
        days = [day for day in map(read_date, _DATE.findall(value)) if day]
        if len(days) in (1, 2) and days[0] <= days[-1]:
            head.starts, head.ends = days[0], days[-1]
    elif name == "federation":
        found = _NATION.search(value)
        head.texts["federation"] = (found[1] or found[0]) if found else ""
    elif name == "chief":
        head.officials += parse_officials(value, "chief", line, "", notes)[:1]
    elif name == "deputy":
        head.officials += parse_officials(value, "deputy", line, "Swiss-Manager", notes)
    else:
        head.texts.setdefault(name, value)


# ---- The table as a whole, with lines of the program above and below it
_SOURCE = FileSource(
    "Chess-Results, Swiss-Manager", _("the cross table with the rounds, as XLSX or CSV"), by_description=True
)
CROSS_TABLE = FileKind("cross-table", _("cross table"), (_SOURCE,))
KINDS: tuple[FileKind, ...] = (CROSS_TABLE,)
DIALECT = "Cross table"
_SEXES = frozenset(SEXES)
_TITLES = frozenset(TITLES.values()) | {"ACM", "AFM", "AIM", "AGM", "NM", "WNM"}


@dataclass(slots=True)
class FiledCrossTable:
    above: list[PlainCells]
    head: PlainCells
    columns: dict[int, str] = field(default_factory=dict)
    rounds: dict[str, int] = field(default_factory=dict)
    """By the name of their column."""
    records: list[plain_table.Record] = field(default_factory=list)
    below: list[PlainCells] = field(default_factory=list)
    elsewhere: list[PlainCells] = field(default_factory=list)
    """Rows of other worksheets."""


def read_sheets(sheets: Sequence[Sequence[PlainCells]], notes: Notes, encoding: str = "utf-8") -> Reading:
    table = _find_table(sheets, notes)
    if not table:
        return notes.reading(None)
    rounds = read_cells(
        [{number: row[name] for name, number in table.rounds.items()} for row in table.records], notes
    )
    numbers = choose_numbering(rounds, _numberings(table), notes) if rounds else ()
    if not rounds or not numbers:
        return notes.reading(None)
    start_numbers = _start_numbers(table, numbers)
    rows = _rows(table, start_numbers, rounds, notes)
    play = read_play(rounds, start_numbers, numbers, notes)
    head = CrossTableHead()
    for row in table.above:
        texts = [cell.text for cell in row if cell.text]
        if not texts:
            continue
        split = _LABELLED.fullmatch(texts[0])  # `City : Soweto` may be in one cell or in two
        label, value = (split[1], split[2].strip()) if split else (texts[0], "")
        name = LABELS.get(_BRACKETS.sub("", label).strip().lower())
        value = value or " ".join(texts[1:])
        if name and value:
            _read_field(name, value[:LONGEST_TEXT], row[0].line, head, notes)
        elif not head.name and not _NO_NAME.match(texts[0]) and not split:
            head.name = texts[0][:LONGEST_TEXT]
    head.officials.sort(key=lambda official: official.role != "chief")
    return notes.reading(_sheet(head, table, rows, play, notes, encoding))


def _numberings(table: FiledCrossTable) -> Mapping[str, list[int | None]]:
    """The columns of ranks and of start numbers, as far as the table has them."""
    there = [name for name in (RANK, NUMBER) if name in table.columns.values()]
    return {name: [plain_table.read_short_whole(row[name].text) for row in table.records] for name in there}


def _start_numbers(table: FiledCrossTable, numbers: Sequence[int]) -> Sequence[int]:
    """The table's own start numbers if every row has one; else the numbers in the cells."""
    own = [number for number in _numberings(table).get(NUMBER, ()) if number]
    return own if len(set(own)) == len(numbers) else numbers


def _sheet(
    head: CrossTableHead,
    table: FiledCrossTable,
    rows: Sequence[SheetPlayer],
    play: plain_table.SheetGames,
    notes: Notes,
    encoding: str,
) -> Sheet:
    played = max((game.round for game in play.games), default=0)
    if head.rounds and played < head.rounds:
        notes.notice("fewer-rounds-than-scheduled", scheduled=head.rounds, played=played)
    return Sheet(
        dialect=DIALECT,
        family=CROSS_TABLE.code,
        name=head.name,
        city=head.texts.get("city", ""),
        federation=head.texts.get("federation", ""),
        starts=head.starts,
        ends=head.ends,
        kind=head.texts.get("kind", ""),
        arbiters=tuple(head.officials),
        time_text=head.texts.get("time_text", ""),
        rounds=head.rounds,
        rounds_played=played,
        rows=tuple(rows),
        games=tuple(play.games),
        byes=tuple(sorted(play.byes, key=lambda bye: bye.round)),
        unused=tuple(plain_table.make_unused(row) for row in (*table.below, *table.elsewhere)),
        encoding=encoding,
    )


def _find_table(sheets: Sequence[Sequence[PlainCells]], notes: Notes) -> FiledCrossTable | None:
    """The only cross table; None with a note if there is none, or several."""
    table: FiledCrossTable | None = None
    elsewhere: list[PlainCells] = []
    for sheet in sheets:
        inside = False
        for at, row in enumerate(sheet):
            if _is_head(row):
                if table:
                    notes.blocks("cross-twice", **row[0].place, first=table.head[0].line)
                    return None
                table, inside = FiledCrossTable(list(sheet[:at]), row), True
                if not _read_header(table, sheet[at + 1 :], notes):
                    return None
            elif table and inside:
                _add_row(row, table, notes)
        elsewhere += [] if inside else [row for row in sheet if any(cell.text for cell in row)]
    if table is None or not table.records:
        notes.blocks("cross-no-players", **(table.head[0] if table else plain_table.EMPTY).place)
        return None
    rows = [row for row in table.below if sum(bool(cell.text) for cell in row) > 1]
    if rows:
        notes.notice("cross-below", **rows[0][0].place, count=len(rows))
    table.elsewhere = elsewhere
    plain_table.note_other_sheets(elsewhere, notes)
    return table


def _is_head(row: PlainCells) -> bool:
    """Whether this is the header row. Looks for the name first, since there may be twenty thousand rows."""
    return any(cell.text.lower() == "name" for cell in row) and bool(
        knows([normalize_column_heading(c.text) for c in row])
    )


def _read_header(table: FiledCrossTable, rows: Sequence[PlainCells], notes: Notes) -> bool:
    """Name the table's columns by its header row; False with a note if its games cannot be read."""
    headings = [normalize_column_heading(cell.text) for cell in table.head]
    if not any(map(parse_round, headings)):
        notes.blocks("cross-round-robin", **table.head[0].place)
        return False
    named = dict(COLUMNS)
    for name in headings:
        if number := parse_round(name):
            named[name] = f"round {number}"
            table.rounds[named[name]] = number
    table.columns = plain_table.find_columns(table.head, named, notes) | _name_columns(headings, rows, named)
    if "international rating" in table.columns.values():
        table.columns = {
            at: "rating" if name == "international rating" else name
            for at, name in table.columns.items()
            if name != "rating"
        }
    if any(number > MOST_ROUNDS for number in table.rounds.values()):
        notes.blocks("too-many-rounds", **table.head[0].place, most=MOST_ROUNDS)
        return False
    return True


def _name_columns(
    headings: Sequence[str], rows: Sequence[PlainCells], named: Mapping[str, str]
) -> dict[int, str]:
    """Columns without a heading that hold titles or sexes, by their cells."""
    found: dict[int, str] = {}
    there = {named.get(name) for name in headings}
    for at, name in enumerate(headings):
        values = {row[at].text for row in rows if at < len(row)} - {""}
        if name or not values:
            continue
        if values <= _TITLES and "title" not in there:
            found.setdefault(at, "title")
        elif {value.lower() for value in values} <= _SEXES and "sex" not in there:
            found.setdefault(at, "sex")
    return {at: name for at, name in found.items() if list(found.values()).count(name) == 1}


def _add_row(row: PlainCells, table: FiledCrossTable, notes: Notes) -> None:
    """Add a row to the table's players if it has a name, and a number or a round; else to the lines below."""
    names = [at for at, name in table.columns.items() if name == "name"]
    rounds = [at for at, name in table.columns.items() if name in table.rounds]
    numbers = [at for at, name in table.columns.items() if name in (RANK, NUMBER)]
    named = any(at < len(row) and row[at].text for at in names)
    numbered = any(at < len(row) and plain_table.read_short_whole(row[at].text) for at in numbers)
    if named and (numbered or any(at < len(row) and row[at].text for at in rounds)):
        table.records.append(
            plain_table.make_record(row, table.columns, len(table.head), LONGEST_CELLS, notes)
        )
    elif any(cell.text for cell in row):
        table.below.append(row)


def _rows(
    table: FiledCrossTable, numbers: Sequence[int], rounds: RoundCells, notes: Notes
) -> list[SheetPlayer]:
    counted = sum_points_by_row(rounds)
    cells = dict(zip(numbers, table.records, strict=True))
    rows = []
    for at, (number, record) in enumerate(cells.items()):
        row = make_row(record, number, notes, place_column=RANK)
        rows.append(row if at in rounds.unread else _check_points(row, record, counted[at], notes))
    check_ids_and_names(rows, cells, notes)
    return rows


def _check_points(
    row: SheetPlayer, record: plain_table.Record, counted: Decimal, notes: Notes
) -> SheetPlayer:
    filed = record.get("points", plain_table.EMPTY)
    if not filed.text:
        notes.adjusts("points-missing", row.line, "", f"{counted:f}")
        return replace(row, points=counted)
    if row.points != counted:
        sums = {"filed": f"{row.points:f}", "counted": f"{counted:f}"}
        notes.notice("points-differ", **filed.place, number=row.start_number, **sums)
    return row
