"""Write a sheet as TRF16 or TRF26, in the standard form or as Swiss-Manager and Vega write it.

`read(write(sheet)).sheet == sheet` for every sheet that a reader gives without findings, except what the
format cannot express: a short draw is read back as the two half-point byes that it counts as, a round in
which a player has neither game nor bye as a zero-point bye, a name beyond 33 columns cut, `unused` lines not
at all, and a dialect that has no style here as TRF26.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date

from tournaments.formats.sheet import Official, Sheet, SheetPlayer, Team, TrfStyle
from tournaments.formats.trf import format_adjustment_lines, format_point_value_lines
from tournaments.formats.trf_layout import CELL_WIDTH, FIRST_CELL

# ---- Extra lines of TRF26 and Tornelo on players, and teams in both their records
_WIDTH_TO_MEMBERS = 73  # columns of 310 before its first member


def format_extra_lines(row: SheetPlayer) -> Iterator[str]:
    """Yield the national federations' lines of a player, then the player's other ids."""
    for national in row.national:
        identifier, rating = national.identifier or "", national.rating or ""
        line = (
            f"{national.federation} {row.start_number:>4}  {national.title:>3} {'':33} {rating:>4}"
            f" {national.region:<3} {identifier:>11}"
        )
        yield line.rstrip()
    for other in row.other_ids:
        yield f"DAT {row.start_number:>4} ID:{other.kind} {other.value}"


def format_013_lines(teams: Iterable[Team]) -> list[str]:
    return [f"013 {t.name:<32.32}" + " ".join(f"{member:>4}" for member in t.members) for t in teams]


def format_310_lines(teams: Iterable[Team]) -> list[str]:
    """Teams as 310, without strength, points and rank, which a sheet does not have."""
    return [
        f"{f'310 {number:>3} {t.name:<32.32}':<{_WIDTH_TO_MEMBERS}}"
        + " ".join(f"{member:>4}" for member in t.members)
        for number, t in enumerate(teams, 1)
    ]


NAME_WIDTH = 33
USUAL_TRF_STYLE = TrfStyle()


@dataclass(frozen=True, slots=True)
class ProgramStyle:
    """One program's way of writing TRF."""

    order: tuple[str, ...]
    """The records above the players."""
    day: str = "%Y/%m/%d"
    comma: str = ", "
    hand: TrfStyle = USUAL_TRF_STYLE
    by_bytes: bool = False
    one_line_of_deputies: bool = False
    players: str = "{players}"
    trf26: bool = False
    """Whether teams are written as 310 instead of 013, and the kind always has a code."""


_COMMON = ("012", "022", "032", "042", "052", "062", "072", "082")
_TRF16 = (*_COMMON, "092", "192", "102", "112", "122", "222", "142", "XXR", "162", "132")
STYLES = {
    "TRF16": ProgramStyle(_TRF16),
    "TRF26": ProgramStyle(_TRF16, trf26=True),
    "Swiss-Manager": ProgramStyle(
        (*_COMMON, "092", "192", "102", "112", "122", "222", "142", "162", "132", "ruler"),
        comma=",",
        hand=TrfStyle(female="f", no_rating="0", no_id="0"),
        one_line_of_deputies=True,
        players="{players} ({rated})",
    ),
    "Vega": ProgramStyle(
        (*_COMMON, "142", "092", "192", "102", "112", "122", "222", "162", "132"),
        day="%d/%m/%Y",
        hand=TrfStyle(no_rating="0", no_id="0"),
        by_bytes=True,
    ),
}
_RULER = (
    "",
    "".join(str(place // 10 % 10) if place % 10 == 0 else " " for place in range(1, 200)).rstrip(),
    "".join(str(place % 10) for place in range(1, 200)),
    "DDD SSSS sTTT NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN RRRR FFF IIIIIIIIIII BBBB/BB/BB PPPP RRRR"
    "  1111 1 1  2222 2 2  3333 3 3",
)
# (Result, whether short) → the codes in the first mover's cell and in the second's.
_CODES = {
    ("1-0", False): "10",
    ("0-1", False): "01",
    ("1/2", False): "==",
    ("0-0", False): "00",
    ("+:-", False): "+-",
    ("-:+", False): "-+",
    ("-:-", False): "--",
    ("+:-", True): "WL",
    ("-:+", True): "LW",
}
_BYES = {"pairing": "U", "full": "F", "half": "H", "zero": "Z"}


def write(sheet: Sheet, style: str | None = None) -> bytes:
    """Write the file in one of `STYLES`; by default, in the style of the file that was read, or TRF26."""
    chosen = STYLES[style] if style else STYLES.get(sheet.dialect, STYLES["TRF26"])
    if not style and sheet.hand:
        chosen = replace(chosen, hand=sheet.hand)
    lines = [line for code in chosen.order for line in _record(code, sheet, chosen)]
    cells = _cells(sheet, chosen.hand, as_filed=not style)
    rounds = max((number for number, _ in cells), default=0)
    absent = {n: "  0000 - Z" if n <= sheet.rounds_played else " " * CELL_WIDTH for n in range(1, rounds + 1)}
    for row in sheet.rows:
        own = (cells.get((number, row.start_number), absent[number]) for number in range(1, rounds + 1))
        lines.append((_player(row, chosen) + "".join(own)).rstrip())
        lines += format_extra_lines(row)
    lines += (format_310_lines if chosen.trf26 else format_013_lines)(sheet.teams)
    lines += format_adjustment_lines(sheet.rows)
    return "".join(f"{line}\r\n" for line in lines).encode()


def fill_missing_ranks(sheet: Sheet) -> Sheet:
    """Return the sheet with a rank for every player, which the standard and other programs' readers require.

    Players without a final place get the rank of their points; equal points share a rank. Nobody awarded that
    place, so that it is never read back into a section.
    """
    points = [row.points for row in sheet.rows]
    ranked = (
        row if row.place else replace(row, place=1 + sum(p > row.points for p in points))
        for row in sheet.rows
    )
    return replace(sheet, rows=tuple(ranked))


def format_trf_name(surname: str, first_name: str, style: str) -> str:
    """The name in the name column, as the program of that style writes it."""
    return STYLES[style].comma.join(filter(None, (surname, first_name)))


def _record(code: str, sheet: Sheet, style: ProgramStyle) -> Iterator[str]:

    if code == "ruler":
        yield from _RULER
    elif code in ("102", "112"):
        role = "chief" if code == "102" else "deputy"
        officials = [_official(official) for official in sheet.arbiters if official.role == role]
        if style.one_line_of_deputies and role == "deputy" and officials:
            officials = [", ".join(officials)]
        yield from (f"{code} {official}" for official in officials)
    elif code == "132":
        if any(sheet.round_dates):
            cells = (day.strftime("%y/%m/%d") if day else "" for day in sheet.round_dates)
            line = f"{'132':<{FIRST_CELL - 1}}" + "".join(f"{cell:<{CELL_WIDTH}}" for cell in cells)
            yield line.rstrip()
    elif code == "162":
        yield from format_point_value_lines(sheet.point_values)
    elif value := _value(code, sheet, style):
        yield f"{code} {value}"


def _value(code: str, sheet: Sheet, style: ProgramStyle) -> str:
    rated = sum(row.rating is not None for row in sheet.rows)
    players = len(sheet.rows) if sheet.players_declared is None else sheet.players_declared
    rounds = "" if sheet.rounds is None else str(sheet.rounds)
    return {
        "012": sheet.name,
        "022": sheet.city,
        "032": sheet.federation,
        "042": _day(sheet.starts, style),
        "052": _day(sheet.ends, style),
        "062": style.players.format(players=players, rated=rated),
        "072": str(rated),
        "082": str(len(sheet.teams)),
        "092": sheet.kind,
        "122": sheet.time_text,
        "142": rounds,
        "192": sheet.kind_code or ("OTHER" if style.trf26 else ""),
        "222": sheet.time_code,
        "XXR": rounds,
    }.get(code, "")


def _day(day: date | None, style: ProgramStyle) -> str:
    return day.strftime(style.day) if day else ""


def _official(official: Official) -> str:
    fide_id = f"({official.fide_id})" if official.fide_id else ""
    return " ".join(filter(None, (official.title, official.name, fide_id)))


def _player(row: SheetPlayer, style: ProgramStyle) -> str:
    hand = style.hand
    sex = {"m": hand.male, "f": hand.female, None: hand.no_sex}[row.sex]
    title = f"{row.title:<3}" if hand.titles_left else f"{row.title:>3}"
    rating, identifier = row.rating or hand.no_rating, row.identifier or hand.no_id
    identifier = f"{identifier:<11}" if hand.ids_left else f"{identifier:>11}"
    return (
        f"001 {row.start_number:>4} {sex:1}{title} {_name(row, style)} {rating:>4} {row.federation:<3}"
        f" {identifier} {_birth(row):<10} {row.points:>4.1f} {row.place or '':>4}"
    )


def _name(row: SheetPlayer, style: ProgramStyle) -> str:
    name = row.name or style.comma.join(filter(None, (row.surname, row.first_name)))
    if not style.by_bytes:
        return f"{name:<{NAME_WIDTH}.{NAME_WIDTH}}"
    # Cut and filled up to 33 bytes, not letters.
    kept = name.encode()[:NAME_WIDTH].decode(errors="ignore")
    return kept + " " * (NAME_WIDTH - len(kept.encode()))


def _birth(row: SheetPlayer) -> str:
    if row.birth:
        return row.birth.strftime("%Y/%m/%d")
    return f"{row.born}/00/00" if row.born else ""


def _cells(sheet: Sheet, hand: TrfStyle, *, as_filed: bool) -> dict[tuple[int, int], str]:
    """Games and byes, ten columns wide, by round and start number; `as_filed`: leave blank rounds blank."""
    cells = {(bye.round, bye.player): f"  {hand.free} {_BYES[bye.kind]}" for bye in sheet.byes}
    if as_filed:
        cells |= {(bye.round, bye.player): " " * CELL_WIDTH for bye in sheet.byes if bye.blank}
    number = "04" if hand.zero_filled else ">4"
    for game in sheet.games:
        codes = _CODES[game.result, game.short]
        cells[game.round, game.first] = f"  {game.second:{number}} w {codes[0]}"
        cells[game.round, game.second] = f"  {game.first:{number}} b {codes[1]}"
    return cells
