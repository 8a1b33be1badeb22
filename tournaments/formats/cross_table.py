"""Reads the cross tables of Chess-Results, Swiss-Manager, WinTD and SwissPerfect, as workbooks or as CSV."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from ratings.rulesets.downloads import normalize_column_heading
from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.particulars import SEXES
from tournaments.formats.dates import read_days
from tournaments.formats.sheet import (
    ByeKind,
    FileKind,
    FileSource,
    Notes,
    Official,
    Param,
    Reading,
    Seat,
    Sheet,
    SheetBye,
    SheetGame,
    SheetGames,
    SheetPlayer,
)
from tournaments.formats.swiss_manager import ID_COLUMNS, parse_id, parse_ids
from tournaments.formats.table_rows import (
    BYE_POINTS,
    EMPTY,
    Block,
    Cells,
    FileCell,
    Layout,
    Record,
    block_equal_ids,
    find_columns,
    make_unused,
    note_names_not_parted,
    note_other_sheets,
    read_player,
    read_short_whole,
)
from tournaments.formats.trf import LONGEST_TEXT, RESULTS, TITLES, parse_officials
from tournaments.formats.trf_layout import MOST_ROUNDS

# ---- Columns, in English (`HEADING_WORDS` has other languages) and in German
RANK, NUMBER = "place", "number"
MOST_TIE_BREAKS = 12

COLUMNS: Mapping[str, str] = {
    **dict.fromkeys(("rk.", "rk", "rank", "rg.", "rang", "place", "poř.", "m-ce", "мес."), RANK),
    **dict.fromkeys(("sno.", "sno", "snr", "snr.", "no.", "nr.", "number", "ст.ном"), NUMBER),
    **{"name": "name", "surname": "surname", "first name": "first name"},
    **dict.fromkeys(("title", "titel"), "title"),
    **dict.fromkeys(("rtg", "rtg.", "elo", "rating", "rate"), "rating"),
    **dict.fromkeys(("irtg", "rtgi", "eloi"), "international rating"),
    **dict.fromkeys(("birth", "birthday", "geb.", "geburt"), "birth"),
    **dict.fromkeys(("fs", "sex"), "sex"),
    **dict.fromkeys(("fide-no.", "fide-no", "fideid", "fide-id", "fide id", "intl id"), "fide id"),
    **dict.fromkeys(("ident", "ident-no.", "identnr", "id", "loc id"), "national id"),
    **dict.fromkeys(("fed", "fed.", "federation", "land", "nation"), "nation"),
    **dict.fromkeys(("pts.", "pts", "points", "pkt.", "pkt", "punkte", "tot"), "points"),
    **dict.fromkeys(("club", "club/city", "verein", "verein/ort", "klub", "клуб", "клуб/город"), ""),
    **dict.fromkeys(("type", "typ", "gr", "gr.", "group"), ""),
    **dict.fromkeys(
        ("state", "city", "nrtg", "rtgn", "elon", "rp", "n", "w", "we", "w-we", "k", "rtg+/-"), ""
    ),
    **{f"{tie}{number}": "" for tie in ("tb", "tb ", "wtg") for number in range(1, MOST_TIE_BREAKS + 1)},
}
"""Columns by their headings; empty if the column is ignored."""
NAMES = frozenset({"name", "surname", "first name"})
_ROUND = re.compile(r"([0-9]{1,2})\. ?(?:rd|rnd|round|runde|r|kolo|runda|тур)\.?|rnd ([0-9]{1,2})")
_FEWEST_OPPONENTS = 3


def parse_round(heading: str) -> int | None:
    """The round of a heading: `1.rd` or `rnd 1` → 1."""
    found = _ROUND.fullmatch(heading)
    return int(found[1] or found[2]) or None if found else None


def knows(headings: Sequence[str]) -> int:
    """The number of headings that belong to a cross table; 0 if this is not its header row."""
    headings = _rename_swiss_perfects(headings)
    named = {COLUMNS[name] for name in headings if name in COLUMNS}
    rounds = sum(parse_round(name) is not None for name in headings)
    if not named & NAMES or not named & {RANK, NUMBER} or not (rounds or is_round_robin(headings)):
        return 0
    return len(named) + rounds


def _rename_swiss_perfects(headings: Sequence[str]) -> Sequence[str]:
    """SwissPerfect's headings (`No`, `Name`, `Total`, and then `1` … for the rounds) as other programs have
    them.
    """
    bare = [heading.rstrip(".") for heading in headings]
    if not {"no", "name", "total", "1"} <= set(bare) or bare.index("1") < bare.index("total"):
        return headings
    renamed = {"no": "no.", "total": "tot"}
    return [f"rnd {name}" if name.isdecimal() else renamed.get(name, name) for name in bare]


def is_round_robin(headings: Sequence[str]) -> bool:
    """Whether the table has a column for each opponent, without round and colour. A table of places by hand
    may number its columns too.
    """
    opponents = [name for name in headings if name.isascii() and name.isdigit()]
    expected = [str(number) for number in range(1, len(opponents) + 1)]
    by_hand = {"place", "number"}.intersection(headings)
    return len(opponents) >= _FEWEST_OPPONENTS and opponents == expected and not by_hand


# ---- Cells. Each names an opponent by a number that may be the rank or the start number; the table does not
# say which. A game has two cells, and only the right reading makes them fit: opposite colours, results that
# belong together.
BYES: Mapping[str, ByeKind] = {
    **{"-1": "pairing", "-½": "half", "-0": "zero", "0": "zero", "-": "zero"},
    **{"b": "pairing", "h": "half", "u": "zero"},
    **{"0:w": "full", "0:+": "pairing", "0:d": "half", "0:=": "half", "0:l": "zero", "0:-": "zero"},
    ":": "zero",
}
"""Kinds of byes by their cells: Swiss-Manager's (of `-0` a workbook makes the number 0), WinTD's and
SwissPerfect's.
"""
_WORTH = {"1": Decimal(1), "+": Decimal(1), "=": Decimal("0.5")}
MOST_CONTRADICTIONS = 10
"""The most contradictions that are listed if neither reading fits."""
_COLOURS = ({"w", "b"}, {"w", "s"}, {""})
"""White and black in English, and in German; none in tables of WinTD and SwissPerfect."""
_CELL = re.compile(r"(?P<opponent>[0-9]{1,4})(?P<colour>[a-z])(?P<result>[01+-]k?|½?)")
_CELLS_WITHOUT_COLOUR = (
    re.compile(r"(?P<result>[wdlxf])(?P<opponent>[0-9]{1,4})"),
    re.compile(r"(?P<opponent>[0-9]{1,4}):(?P<result>[wdl+=-])"),
)
"""WinTD's `W 12`, in which `X` and `F` are forfeits, and SwissPerfect's `12:W`."""
_CODES = {
    "½": "=",
    "1k": "+",
    "+k": "+",
    "0k": "-",
    "-k": "-",
    "w": "1",
    "d": "=",
    "l": "0",
    "x": "+",
    "f": "-",
}


class RoundCells:
    """The cells of a cross table's rounds. `rows`: each row's by round. Refuses cells without games."""

    def __init__(self, rows: Sequence[Mapping[int, FileCell]], notes: Notes) -> None:
        self.seats: dict[tuple[int, int], Seat] = {}
        """By round and row from 0, which is the `player`; `opponent` is the rank or the start number."""
        self.unread: set[int] = set()
        """Rows in which a cell could not be read."""
        letters, byes = dict[str, FileCell](), list[tuple[int, int, FileCell]]()
        for player, row in enumerate(rows):
            for round_, cell in row.items():
                bare = cell.text.replace(" ", "").lower()
                shapes = (_CELL, *_CELLS_WITHOUT_COLOUR)
                if bare in BYES or not bare:
                    byes.append((round_, player, cell))
                elif found := next(filter(None, (shape.fullmatch(bare) for shape in shapes)), None):
                    letter = found.groupdict().get("colour", "")
                    letters.setdefault(letter, cell)
                    result = _CODES.get(found["result"], found["result"])
                    seat = (round_, player)
                    colour = letter and ("w" if letter == "w" else "b")
                    self.seats[seat] = Seat(
                        *seat, int(found["opponent"]), result, **cell.place, colour=colour
                    )
                else:
                    notes.blocks("cross-cell-not-read", **cell.place, text=cell.shown, round=round_)
                    self.unread.add(player)
        if not any(set(letters) <= pair for pair in _COLOURS):
            odd = next(cell for letter, cell in letters.items() if letter != "w")
            letters.pop("", None)
            raise notes.refusal("cross-colours-unknown", **odd.place, letters=", ".join(sorted(letters)))
        if not self.seats:
            raise notes.refusal("no-games")
        played = {seat.round for seat in self.seats.values()}
        if "" in letters:
            notes.notice("cross-no-colours", **letters[""].place)
        self.byes = [bye for bye in byes if bye[0] in played]  # other rounds are still to come
        """Round, row and cell, which may be blank."""


Contradiction = tuple[str, Seat, Mapping[str, Param]]
"""A finding's key, the place and the parameters."""


# ---- Ranks or start numbers
def choose_numbering(
    cells: RoundCells, numberings: Mapping[str, Sequence[int | None]], notes: Notes
) -> Sequence[int]:
    """The numbers, by row, with which both sides of every game fit; refuses a table of which neither ranks
    nor start numbers (`numberings`) do.
    """
    usable = {name: numbers for name, values in numberings.items() if (numbers := _distinct(values))}
    if not usable:
        raise notes.refusal("cross-no-numbers")
    wrong = {name: _contradictions(cells, numbers) for name, numbers in usable.items()}
    fit = [name for name in usable if not wrong[name]]
    if len(set(map(tuple, usable.values()))) == 1:
        only = next(iter(usable))
        _note_contradictions(wrong[only], notes)
        return usable[only]
    if len(fit) == 1:
        return usable[fit[0]]
    if fit:
        raise notes.refusal("cross-both-fit")
    counts = {name: len(wrong[name]) for name in (RANK, NUMBER)}
    _note_contradictions(min(wrong.values(), key=len)[:MOST_CONTRADICTIONS], notes)
    raise notes.refusal(
        "cross-neither-fits", ranks=counts[RANK], numbers=counts[NUMBER], cells=len(cells.seats)
    )


def _distinct(values: Sequence[int | None]) -> Sequence[int]:
    """The values if every row has one and they all differ; else none."""
    numbers = [value for value in values if value]
    return numbers if len(set(numbers)) == len(values) else ()


def _contradictions(cells: RoundCells, numbers: Sequence[int]) -> list[Contradiction]:
    rows = {number: row for row, number in enumerate(numbers)}
    found = (_contradiction(seat, cells, numbers, rows) for seat in cells.seats.values())
    return [one for one in found if one]


def _contradiction(
    seat: Seat, cells: RoundCells, numbers: Sequence[int], rows: Mapping[int, int]
) -> Contradiction | None:
    """The contradiction between a cell and its opponent's, if any; the first row of a pair reports it."""
    names: dict[str, Param] = {"number": numbers[seat.player], "opponent": seat.opponent, "round": seat.round}
    row = rows.get(seat.opponent)
    if row is None:
        return ("cross-opponent-missing", seat, names)
    if row == seat.player:
        return "plays-self", seat, {"number": seat.opponent, "round": seat.round}
    other = cells.seats.get((seat.round, row))
    if other is None:
        return None if row in cells.unread else ("opponent-free", seat, names)
    names["says"] = other.opponent
    if other.opponent != numbers[seat.player]:
        return ("opponent-elsewhere", seat, names)
    if row < seat.player:
        return None
    if seat.colour == other.colour != "":
        return ("same-colour", seat, names | {"other_line": other.line})
    first, second = (other, seat) if seat.colour == "b" else (seat, other)
    if (first.result, second.result) in RESULTS or not first.result + second.result:
        return None
    names |= {"result": _result_text(seat), "other": _result_text(other), "other_line": other.line}
    return ("results-disagree", seat, names)


def _result_text(seat: Seat) -> str:
    return seat.result.replace("=", "½") or "–"


def _note_contradictions(contradictions: Iterable[Contradiction], notes: Notes) -> None:
    for key, seat, params in contradictions:
        notes.blocks(key, **seat.place, **params)


# ---- Games and byes
def read_play(
    cells: RoundCells, start_numbers: Sequence[int], opponent_numbers: Sequence[int], notes: Notes
) -> SheetGames:
    """The games and byes by start numbers. `start_numbers`: of the rows;
    `opponent_numbers`: those by which cells name opponents (`choose_numbering`).
    """
    rows = {number: row for row, number in enumerate(opponent_numbers)}
    play, open_ = SheetGames(), defaultdict[int, list[Seat]](list)
    for (round_, player), seat in sorted(cells.seats.items()):
        other = cells.seats.get((round_, rows.get(seat.opponent, -1)))
        # Where the table has no colours, the row above has white.
        if (
            other is None
            or (other.colour != "b" if seat.colour else other.player < player)
            or seat.colour == "b"
        ):
            continue
        result = RESULTS.get((seat.result, other.result))
        first, second = start_numbers[player], start_numbers[other.player]
        if result:
            play.games.append(SheetGame(round_, first, second, result, line=seat.line))
        elif not seat.result + other.result:
            open_[round_].append(seat)
        if result == "0-0":
            names = {"number": first, "opponent": second, "round": round_}
            notes.notice("both-lost", **seat.place, **names)
    for round_, unfinished in open_.items():
        notes.blocks("round-unfinished", **unfinished[0].place, round=round_, games=len(unfinished))
    _read_byes(cells, start_numbers, play, notes)
    return play


def _bye_kind(cell: FileCell) -> ByeKind:
    return BYES.get(cell.text.replace(" ", "").lower(), "zero")


def _read_byes(cells: RoundCells, start_numbers: Sequence[int], play: SheetGames, notes: Notes) -> None:
    """Read the byes. A point without opponent is the pairing's bye; asks if there are several in a round."""
    given = defaultdict[int, list[FileCell]](list)
    for round_, player, cell in cells.byes:
        kind = _bye_kind(cell)
        play.byes.append(SheetBye(round_, start_numbers[player], kind, cell.line))
        if kind == "pairing":
            given[round_].append(cell)
        elif not cell.text:
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
        sums[player] += BYE_POINTS.get(_bye_kind(cell), Decimal(0))
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
_DATE = re.compile(r"[0-9]{4}[/.-][0-9]{1,2}[/.-][0-9]{1,2}|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{4}")
_NO_NAME = re.compile(
    r"from the tournament|aus der turnier|last update|letzte|.*chess-results", re.IGNORECASE
)


def _read_fields(rows: Iterable[Cells], notes: Notes) -> dict[str, Any]:
    """The fields of the sheet that the lines above the table give."""
    fields: dict[str, Any] = {}
    officials: list[Official] = []
    for row in rows:
        texts = [cell.text for cell in row if cell.text]
        if not texts:
            continue
        split = _LABELLED.fullmatch(texts[0])  # `City : Soweto` may be in one cell or in two
        label, value = (split[1], split[2].strip()) if split else (texts[0], "")
        name = LABELS.get(_BRACKETS.sub("", label).strip().lower())
        value = (value or " ".join(texts[1:]))[:LONGEST_TEXT]
        if not name or not value:
            if not fields.get("name") and not _NO_NAME.match(texts[0]) and not split:
                fields["name"] = texts[0][:LONGEST_TEXT]
        elif name == "rounds":
            number = read_short_whole(value)
            fields["rounds"] = number if number and number <= MOST_ROUNDS else None
        elif name == "dates":
            days = read_days(_DATE.findall(value))
            if None in days:
                notes.asks("date-unclear", **row[0].place, text=value[:40])
            known = [day for day in days if day]
            if len(known) == len(days) in (1, 2) and known[0] <= known[-1]:
                fields["starts"], fields["ends"] = known[0], known[-1]
        elif name == "federation":
            found = _NATION.search(value)
            fields["federation"] = (found[1] or found[0]) if found else ""
        elif name == "chief":
            officials += parse_officials(value, "chief", row[0].line, "", notes)[:1]
        elif name == "deputy":
            officials += parse_officials(value, "deputy", row[0].line, "Swiss-Manager", notes)
        else:
            fields.setdefault(name, value)
    return {**fields, "arbiters": tuple(sorted(officials, key=lambda official: official.role != "chief"))}


# ---- The table as a whole, with lines of the program above and below it
_SOURCE = FileSource(
    "Chess-Results, Swiss-Manager", _("the cross table with the rounds, as XLSX or CSV"), by_description=True
)
_WITHOUT_COLOURS = FileSource(
    "WinTD, SwissPerfect", _("the cross table as CSV, or as a text with tabs"), by_description=True
)
CROSS_TABLE = FileKind("cross-table", _("cross table"), (_SOURCE, _WITHOUT_COLOURS))
KINDS: tuple[FileKind, ...] = (CROSS_TABLE,)
DIALECT = "Cross table"
_SEXES = frozenset(SEXES)
_TITLES = frozenset(TITLES.values()) | {"ACM", "AFM", "AIM", "AGM", "NM", "WNM"}


LAYOUT = Layout(
    CROSS_TABLE.code,
    COLUMNS,
    lambda headings: bool(knows(list(headings))),
    {**dict.fromkeys(NAMES, 100), "national id": 30, "fide id": 30},
    parse_ids=parse_ids,
    id_columns=dict.fromkeys(ID_COLUMNS, parse_id),
)


def read_sheets(sheets: Sequence[Sequence[Cells]], notes: Notes, encoding: str = "utf-8") -> Reading:
    table, above, outside = _find_table(sheets, notes)
    columns = _round_columns(table)
    rounds = RoundCells([{n: row[name] for n, name in columns.items()} for row in table.records], notes)
    numberings = {
        name: [read_short_whole(row[name].text) for row in table.records]
        for name in (RANK, NUMBER)
        if name in table.columns.values()
    }
    numbers = choose_numbering(rounds, numberings, notes)
    # The table's own start numbers if every row has one; else the numbers in the cells.
    own = [number for number in numberings.get(NUMBER, ()) if number]
    start_numbers = own if len(set(own)) == len(numbers) else numbers
    records, points = dict(zip(start_numbers, table.records, strict=True)), sum_points_by_row(rounds)
    rows = []
    for at, (number, record) in enumerate(records.items()):
        row = read_player(number, record, LAYOUT, notes)
        rows.append(row if at in rounds.unread else _check_points(row, record, points[at], notes))
    block_equal_ids(rows, records, LAYOUT, notes)
    note_names_not_parted(rows, notes)
    play = read_play(rounds, start_numbers, numbers, notes)
    fields, played = _read_fields(above, notes), play.last_round
    if fields.get("rounds") and played < fields["rounds"]:
        notes.notice("fewer-rounds-than-scheduled", scheduled=fields["rounds"], played=played)
    sheet = Sheet(
        **fields,
        dialect=DIALECT,
        family=CROSS_TABLE.code,
        rounds_played=played,
        rows=tuple(rows),
        games=tuple(play.games),
        byes=tuple(sorted(play.byes, key=lambda bye: bye.round)),
        unused=tuple(map(make_unused, outside)),
        encoding=encoding,
    )
    return notes.reading(sheet)


def _find_table(
    sheets: Sequence[Sequence[Cells]], notes: Notes
) -> tuple[Block, Sequence[Cells], Sequence[Cells]]:
    """The only cross table, the rows above it, and those below it and on other worksheets. Refuses a file
    with none, or several.
    """
    table: Block | None = None
    above, below, elsewhere = list[Cells](), list[Cells](), list[Cells]()
    for sheet in sheets:
        heads = [at for at, row in enumerate(sheet) if _is_head(row)]
        if not heads:
            elsewhere += [row for row in sheet if any(cell.text for cell in row)]
        for at in heads:
            if table:
                raise notes.refusal("cross-twice", **sheet[at][0].place, first=table.head[0].line)
            above, table = list(sheet[:at]), _begin_table(sheet[at], sheet[at + 1 :], notes)
            for row in sheet[at + 1 : heads[1] if len(heads) > 1 else None]:
                if _is_player(row, table):
                    table.add(row, notes)
                elif any(cell.text for cell in row):
                    below.append(row)
    if table is None or not table.records:
        raise notes.refusal("cross-no-players", **(table.head[0] if table else EMPTY).place)
    rows = [row for row in below if sum(bool(cell.text) for cell in row) > 1]
    if rows:
        notes.notice("cross-below", **rows[0][0].place, count=len(rows))
    note_other_sheets(elsewhere, notes)
    return table, above, (*below, *elsewhere)


def _round_columns(table: Block) -> dict[int, str]:
    """The names of the columns of rounds, by round."""
    return {int(name[6:]): name for name in table.columns.values() if name.startswith("round ")}


def _is_head(row: Cells) -> bool:
    """Whether this is the header row. Looks for a name first, since there may be twenty thousand rows."""
    headings = [normalize_column_heading(cell.text) for cell in row]
    return not NAMES.isdisjoint(headings) and bool(knows(headings))


def _begin_table(head: Cells, rows: Sequence[Cells], notes: Notes) -> Block:
    """The table below a header row; refuses one whose games cannot be read."""
    written = [normalize_column_heading(cell.text) for cell in head]
    headings = _rename_swiss_perfects(written)
    if not any(map(parse_round, headings)):
        raise notes.refusal("cross-round-robin", **head[0].place)
    named = {**COLUMNS, **{name: f"round {number}" for name in headings if (number := parse_round(name))}}
    read_as = {word: named[name] for word, name in zip(written, headings, strict=True) if name in named}
    columns = find_columns(head, named | read_as, notes) | _name_columns(headings, rows, named)
    if len(names := NAMES.intersection(columns.values())) == 1:  # one column has the whole name
        columns = {at: "name" if name in names else name for at, name in columns.items()}
    if "international rating" in columns.values():
        columns = {
            at: "rating" if name == "international rating" else name
            for at, name in columns.items()
            if name != "rating"
        }
    table = Block(LAYOUT, head, columns)
    if any(number > MOST_ROUNDS for number in _round_columns(table)):
        raise notes.refusal("too-many-rounds", **head[0].place, most=MOST_ROUNDS)
    return table


def _name_columns(headings: Sequence[str], rows: Sequence[Cells], named: Mapping[str, str]) -> dict[int, str]:
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


def _is_player(row: Cells, table: Block) -> bool:
    """Whether a row has a name, and a number or a round."""
    cells = [
        (table.columns[at], cell.text) for at, cell in enumerate(row) if at in table.columns and cell.text
    ]
    return any(name in NAMES for name, _text in cells) and any(
        name.startswith("round ") or (name in (RANK, NUMBER) and read_short_whole(text))
        for name, text in cells
    )


def _check_points(row: SheetPlayer, record: Record, counted: Decimal, notes: Notes) -> SheetPlayer:
    filed = record.get("points", EMPTY)
    if not filed.text:
        notes.adjusts("points-missing", row.line, "", f"{counted:f}")
        return replace(row, points=counted)
    if row.points != counted:
        sums = {"filed": f"{row.points:f}", "counted": f"{counted:f}"}
        notes.notice("points-differ", **filed.place, number=row.start_number, **sums)
    return row
