"""The TRF family: TRF06 (Krause), TRF16, TRF(x) and TRF26, in the dialects of `dialects`."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ratings.law.translation_marks import gettext_noop as _
from tournaments.formats.common.decode_text import Text, to_text
from tournaments.formats.common.format_description import FileKind, FileSource
from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import Reading, Sheet, SheetPlayer, Unused
from tournaments.formats.trf.announced_byes import with_announced_byes
from tournaments.formats.trf.dialects import (
    LICHESS,
    OLDER,
    PERHAPS_OLDER,
    dialect_of,
    looks_older,
    of_lichess,
)
from tournaments.formats.trf.games import TrfGames, read_play
from tournaments.formats.trf.header import TrfHeader, read_header
from tournaments.formats.trf.national_lines import is_beside, with_what_stands_beside
from tournaments.formats.trf.points import with_points
from tournaments.formats.trf.rows import read_players
from tournaments.formats.trf_layout.columns import MOST_ROUNDS, counts_bytes
from tournaments.formats.trf_layout.free_column_style import hand_of
from tournaments.formats.trf_layout.trf_record import TrfRecord

TRF = FileKind(
    "trf",
    "TRF16, TRF26",
    (
        FileSource("Swiss-Manager", _("Extras, then FIDE data export TRF16")),
        FileSource("Vega", _("the report for FIDE in TRF16")),
        FileSource("Sharly-Chess, Tornelo", _("the report in TRF26"), by_description=True),
        FileSource("Lichess", _("a Swiss tournament’s TRF"), by_description=True),
    ),
)
KINDS: tuple[FileKind, ...] = (TRF,)
_CODE = re.compile(r"([0-9]{3}|[A-Z]{3})(?: |\t|$)")
_RULER = re.compile(r"[0-9 ]{10,}")
_SILENT = ("#", "DDD ")  # comments; the legend above Swiss-Manager's players


def recognises(text: Text) -> bool:
    """Whether the text has a player's line of TRF, or a line of its header."""
    return any(line.startswith("001") or re.match(r"[01][0-9]2 ", line) for line in text.lines)


def read(data: bytes, name: str = "") -> Reading:
    notes = Notes()
    text = to_text(data, name, notes)
    return read_text(text, notes) if text else notes.reading(None)


def read_text(text: Text, notes: Notes) -> Reading:
    records, unused = _records(text)
    if unused:
        notes.notice("lines-not-understood", unused[0].line, count=len(unused))
    players = [record for record in records if record.code == "001"]
    if not players:
        notes.blocks("no-players" if records else "not-recognised")
        return notes.reading(None)
    others = [record for record in records if record.code != "001"]
    dialect = dialect_of(text.lines)
    if dialect != LICHESS and any(counts_bytes(record.text) for record in players):
        dialect = "Vega"
    if dialect in PERHAPS_OLDER and looks_older(record.text for record in players):
        dialect = OLDER
    field_ = read_players(players, notes, bytes_first=dialect == "Vega")
    header = read_header([r for r in others if not is_beside(r)], dialect, notes)
    field_.seats = with_announced_byes(field_, header.byes, notes)
    play = read_play(field_, notes, in_teams=header.in_teams)
    rows = with_points(field_, play.rounds_played, header.worth, notes)
    if dialect == LICHESS:
        rows = of_lichess(rows, notes)
    elif dialect == OLDER:
        notes.notice("older-dialect")
    beside = [record for record in others if is_beside(record)]
    rows, fits_nobody = with_what_stands_beside(rows, beside, notes, bytes_first=dialect == "Vega")
    unused += fits_nobody
    sheet = replace(
        _sheet(header, play, tuple(rows), dialect, text.encoding),
        hand=hand_of(record.text for record in players),
    )
    _check_whole(sheet, header, play, len(players), notes)
    return notes.reading(
        replace(sheet, unused=tuple(sorted([*header.unused, *unused], key=lambda u: u.line)))
    )


def _records(text: Text) -> tuple[list[TrfRecord], list[Unused]]:
    records: list[TrfRecord] = []
    unused: list[Unused] = []
    for number, line in enumerate(text.lines, 1):
        code = _CODE.match(line)
        if line.startswith("001") or (code and not line.startswith(_SILENT)):
            records.append(TrfRecord(line[:3], line, number))
        elif line.strip() and not line.startswith(_SILENT) and not _RULER.fullmatch(line.rstrip()):
            unused.append(Unused(line.rstrip(), number))
    return records, unused


def _sheet(
    header: TrfHeader, play: TrfGames, rows: tuple[SheetPlayer, ...], dialect: str, encoding: str
) -> Sheet:
    texts = header.texts
    return Sheet(
        dialect=dialect,
        family=TRF.code,
        name=texts.get("name", ""),
        city=texts.get("city", ""),
        federation=texts.get("federation", ""),
        starts=header.dates.get("starts"),
        ends=header.dates.get("ends"),
        players_declared=header.numbers.get("players_declared"),
        kind=texts.get("kind", ""),
        kind_code=texts.get("kind_code", ""),
        arbiters=tuple(sorted(header.officials, key=lambda official: official.role != "chief")),
        time_text=texts.get("time_text", ""),
        time_code=texts.get("time_code", ""),
        rounds=header.rounds,
        rounds_played=play.rounds_played,
        round_dates=tuple(
            header.round_dates.get(n) for n in range(1, (header.rounds or play.rounds_played) + 1)
        ),
        rows=rows,
        games=tuple(play.games),
        byes=tuple(play.byes),
        teams=tuple(header.teams),
        point_values=header.worth.own_values,
        encoding=encoding,
    )


def _check_whole(sheet: Sheet, header: TrfHeader, play: TrfGames, lines: int, notes: Notes) -> None:
    if not sheet.name:
        notes.asks("name-missing")
    for key in ("starts", "ends"):
        if key not in header.dates:
            notes.asks(f"{key}-missing")
    if sheet.starts and sheet.ends and sheet.ends < sheet.starts:
        notes.asks("ends-before-start", starts=sheet.starts.isoformat(), ends=sheet.ends.isoformat())
    _check_rounds(sheet, header, play, notes)
    _check_number_of_players(sheet, lines, notes)
    _check_teams(sheet, notes)


def _check_rounds(sheet: Sheet, header: TrfHeader, play: TrfGames, notes: Notes) -> None:
    if sheet.rows and not play.rounds_played:
        notes.blocks("no-games")
    if sheet.rounds is None:
        notes.asks("rounds-missing", played=play.rounds_played)
    elif play.last_round > sheet.rounds:
        notes.asks("more-rounds-than-scheduled", scheduled=sheet.rounds, played=play.last_round)
    elif play.rounds_played < sheet.rounds:
        notes.notice("fewer-rounds-than-scheduled", scheduled=sheet.rounds, played=play.rounds_played)
    declared = {header.numbers.get("rounds_142"), header.numbers.get("rounds_xxr")} - {None}
    if len(declared) == 2:
        notes.notice("rounds-disagree", rounds=header.rounds or MOST_ROUNDS)
    undated = [str(number) for number, day in enumerate(sheet.round_dates, 1) if not day]
    if undated:
        notes.asks("round-dates-missing", rounds=", ".join(undated))


def _check_number_of_players(sheet: Sheet, lines: int, notes: Notes) -> None:
    declared = sheet.players_declared
    if declared is not None and lines < declared:
        notes.blocks("players-missing", declared=declared, found=lines)
    elif declared is not None and lines > declared:
        notes.notice("players-more", declared=declared, found=lines)
    parted = [row for row in sheet.rows if not row.first_name]
    if parted:
        notes.notice("names-not-parted", parted[0].line, 15, count=len(parted), sample=parted[0].name)


def _check_teams(sheet: Sheet, notes: Notes) -> None:
    known = {row.start_number for row in sheet.rows}
    for team in sheet.teams:
        strangers: Sequence[int] = [member for member in team.members if member not in known]
        if strangers:
            notes.notice("team-member-missing", team.line, 37, team=team.name, number=strangers[0])
