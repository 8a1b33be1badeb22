"""Reads SwissPerfect's tournaments: its three files in one ZIP. Its standings as a text are a cross table.

The files are `.ini` (the event), `.trn` (players) and `.sco` (results); the last two are tables of dBase III.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import PurePath

from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.particulars import nation_code
from tournaments.formats.sheet import (
    ByeKind,
    FileKind,
    FileSource,
    Notes,
    Official,
    OtherId,
    Reading,
    Result,
    Sex,
    Sheet,
    SheetBye,
    SheetGame,
    SheetGames,
    SheetPlayer,
)
from tournaments.formats.table_rows import sum_points
from tournaments.formats.text import ZipMember, guess_encoding, printable_name, replace_odd_characters
from tournaments.formats.trf_layout import MOST_ROUNDS

# ---- Tables of dBase III
_HEAD, _FIELD, _END_OF_FIELDS = 32, 32, 0x0D
_DELETED = ord("*")
MOST_RECORDS = 20_000
DBaseRecord = dict[str, bytes]


class NotDBase(Exception):
    """Raised for bytes that are no table of dBase III, or a table that is cut off."""


def read_dbase_records(data: bytes) -> list[DBaseRecord]:
    """The records of a table, each with the bytes of its fields by name. Raises `NotDBase`."""
    if len(data) < _HEAD:
        raise NotDBase
    count, head, width = (int.from_bytes(data[a:b], "little") for a, b in ((4, 8), (8, 10), (10, 12)))
    fields = dict(_fields(data[:head]))
    if not fields or count > MOST_RECORDS or max(place.stop for place in fields.values()) > width:
        raise NotDBase
    rows = [data[head + at * width : head + (at + 1) * width] for at in range(count)]
    if any(len(row) < width for row in rows):
        raise NotDBase
    return [
        {name: row[place].strip(b" \0") for name, place in fields.items()}
        for row in rows
        if row[0] != _DELETED
    ]


def _fields(head: bytes) -> Iterator[tuple[str, slice]]:
    """Yield the fields' names, and their places in a record."""
    start = 1  # behind the mark of a deleted record
    for at in range(_HEAD, len(head), _FIELD):
        field = head[at : at + _FIELD]
        if field[0] == _END_OF_FIELDS or len(field) < _FIELD:
            return
        name = field[:11].split(b"\0")[0].decode("ascii", "replace").strip().upper()
        yield name, slice(start, start + field[16])
        start += field[16]


# ---- The three files
_SOURCE = FileSource(
    "SwissPerfect", _("the tournament’s three files (ini, trn, sco) in a ZIP"), by_description=True
)
SWISS_PERFECT = FileKind("swiss-perfect", "SwissPerfect", (_SOURCE,))
KINDS: tuple[FileKind, ...] = (SWISS_PERFECT,)
DIALECT = "SwissPerfect"
SUFFIXES = (".ini", ".trn", ".sco")
TITLES = ("GM", "WGM", "IM", "WIM", "FM", "WFM")
SEXES: tuple[Sex, ...] = ("m", "f")
OVER_THE_BOARD = 1
"""The type of a result that was played; others are forfeits, byes and absences."""
_WHOLE = re.compile(r"-?[0-9]{1,9}(?:\.0*)?")
_BONUS = re.compile(r"[0-9]{1,2}(?:\.[05]0*)?")
_DAY = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
_PLAYED: Mapping[tuple[int, int], Result] = {(2, 0): "1-0", (0, 2): "0-1", (1, 1): "1/2", (0, 0): "0-0"}
_FORFEITED: Mapping[tuple[int, int], Result] = {(2, 0): "+:-", (0, 2): "-:+", (0, 0): "-:-"}
_ALONE: Mapping[int, ByeKind] = {0: "zero", 1: "half", 2: "pairing"}


def belong_together(parts: Sequence[ZipMember]) -> bool:
    """Whether these are the three files of one tournament: one of each kind, with the same stem."""
    kinds = sorted(PurePath(part.name).suffix.lower() for part in parts)
    return kinds == sorted(SUFFIXES) and len({get_stem(part) for part in parts}) == 1


def get_stem(part: ZipMember) -> str:
    return str(PurePath(part.name).with_suffix("")).casefold()


def read_parts(parts: Iterable[ZipMember], notes: Notes, country: str = "") -> Reading:
    """Read the three files as one section; there is no sheet if a table is broken or empty."""
    by_kind = {PurePath(part.name).suffix.lower(): part for part in parts}
    for part in by_kind.values():
        notes.adjusts("unpacked-together", None, "ZIP", printable_name(part.name))
    try:
        players, scores = (read_dbase_records(by_kind[suffix].data) for suffix in (".trn", ".sco"))
    except NotDBase:
        raise notes.refusal("sp-table-broken") from None
    text = _Decoder(by_kind[".ini"].data, players, country)
    rows = list(_rows(players, text, notes))
    if not rows:
        raise notes.refusal("sp-no-players")
    play = _play(scores, dict(rows), notes)
    if not play.games:
        notes.blocks("no-games")
    return notes.reading(_sheet(text, [row for _id, row in rows], players, play, notes))


class _Decoder:
    """Decodes the texts of the three files in one guessed encoding."""

    def __init__(self, ini: bytes, players: Iterable[DBaseRecord], country: str) -> None:
        names = b" ".join(each.get(name, b"") for each in players for name in ("SURNAME", "FIRSTNAME"))
        whole = ini + b" " + names
        self.encoding = "ascii" if whole.isascii() else guess_encoding(whole, country)
        self.event = dict(self._read_event(self.decode(ini)))

    def decode(self, data: bytes) -> str:
        return data.decode("latin-1" if self.encoding == "ascii" else self.encoding, "replace")

    def cell(self, data: bytes) -> str:
        return " ".join(replace_odd_characters(self.decode(data))[0].split())[:100]

    def _read_event(self, ini: str) -> Iterator[tuple[str, str]]:
        """Yield the names, in small letters, and values of `[Tournament Info]`."""
        within = False
        for line in ini.splitlines():
            if line.strip().startswith("["):
                within = line.strip().lower() == "[tournament info]"
            elif within and "=" in line:
                name, _sign, value = line.partition("=")
                value = self.cell(value.encode("utf-8")) if value.isascii() else value.strip()
                yield name.strip().lower(), value


def _rows(records: Sequence[DBaseRecord], text: _Decoder, notes: Notes) -> Iterator[tuple[int, SheetPlayer]]:
    """Yield the players with the ids that scores name; numbered by row if start numbers are not unique."""
    numbers = [_whole(record.get("START_NO", b"")) for record in records]
    own = all(number > 0 for number in numbers) and len(set(numbers)) == len(numbers)
    seen: dict[int, int] = {}
    for at, record in enumerate(records, start=1):
        id_ = _whole(record.get("ID", b""))
        if id_ <= 0 or seen.setdefault(id_, at) != at:
            notes.blocks("sp-id-twice", at, first=seen.get(id_, at), id=id_)
            continue
        yield id_, _row(record, numbers[at - 1] if own else at, at, text, notes)


def _row(record: DBaseRecord, number: int, line: int, text: _Decoder, notes: Notes) -> SheetPlayer:
    surname, first_name = (text.cell(record.get(name, b"")) for name in ("SURNAME", "FIRSTNAME"))
    if not surname and not first_name:
        notes.blocks("player-without-name", line, number=number)
    title, sex = (_whole(record.get(name, b"")) for name in ("TITLE", "SEX"))
    local, fide = (_whole(record.get(name, b"")) for name in ("LOC_ID", "INTL_ID"))
    birth = _birth(text.cell(record.get("BIRTH_DATE", b"")))
    return SheetPlayer(
        start_number=number,
        name=", ".join(filter(None, (surname, first_name))),
        surname=surname or first_name,
        first_name=first_name if surname else "",
        sex=SEXES[sex - 1] if 1 <= sex <= len(SEXES) else None,
        title=TITLES[title - 1] if 1 <= title <= len(TITLES) else "",
        rating=max(0, _whole(record.get("INTL_RTG", b""))) or None,
        federation=nation_code(text.cell(record.get("FEDER", b"")), ""),
        identifier=str(local) if local > 0 else None,
        other_ids=(OtherId("fide", str(fide)),) if fide > 0 else (),
        born=birth.year if birth else None,
        birth=birth,
        place=max(0, _whole(record.get("ORDER", b""))) or None,
        line=line,
    )


def _birth(text: str) -> date | None:
    found = _DAY.fullmatch(text)
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None


def _whole(data: bytes) -> int:
    """A number of a table; 0 for an empty or odd cell."""
    text = data.decode("ascii", "replace").strip()
    return int(float(text)) if _WHOLE.fullmatch(text) else 0


def _play(scores: Sequence[DBaseRecord], rows: Mapping[int, SheetPlayer], notes: Notes) -> SheetGames:
    play, seats = SheetGames(), set[tuple[int, int]]()
    for at, record in enumerate(scores, start=1):
        round_ = _whole(record.get("ROUND", b""))
        if not 0 < round_ <= MOST_ROUNDS:
            notes.blocks("too-many-rounds", at, most=MOST_ROUNDS)
            continue
        ids = [_whole(record.get(name, b"")) for name in ("WHITE", "BLACK")]
        if strangers := [id_ for id_ in ids if id_ > 0 and id_ not in rows]:
            notes.blocks("sp-stranger", at, id=strangers[0], round=round_)
            continue
        pair = [rows[id_].start_number for id_ in ids if id_ > 0]
        if seats & {(round_, number) for number in pair} or len(set(pair)) < len(pair):
            notes.blocks("sp-twice-in-a-round", at, number=pair[0], round=round_)
            continue
        seats |= {(round_, number) for number in pair}
        _add_record(play, record, round_, ids, rows, at, notes)
    play.byes += [
        SheetBye(number, row.start_number, "zero", row.line, blank=True)
        for number in range(1, play.last_round + 1)
        for row in rows.values()
        if (number, row.start_number) not in seats
    ]
    play.games.sort(key=lambda game: game.round)
    play.byes.sort(key=lambda bye: (bye.round, bye.player))
    return play


def _add_record(
    play: SheetGames,
    record: DBaseRecord,
    round_: int,
    ids: Sequence[int],
    rows: Mapping[int, SheetPlayer],
    line: int,
    notes: Notes,
) -> None:
    """Add a record's game, or its byes: of one player, or of two if their scores are no game's."""
    white, black = (_whole(record.get(name, b"")) for name in ("W_SCORE", "B_SCORE"))
    types = [_whole(record.get(name, b"")) for name in ("W_TYPE", "B_TYPE")]
    both = all(id_ > 0 for id_ in ids)
    known = _PLAYED if types == [OVER_THE_BOARD] * 2 else _FORFEITED
    if both and (result := known.get((white, black))):
        first, second = (rows[id_].start_number for id_ in ids)
        play.games.append(SheetGame(round_, first, second, result, line=line))
        return
    for id_, score in zip(ids, (white, black), strict=True):
        if id_ <= 0:
            continue
        if score not in _ALONE:
            notes.blocks("sp-score-odd", line, round=round_)
            return
        row = rows[id_]
        if score == 2:
            notes.notice("win-without-opponent", row.line, number=row.start_number, rounds=str(round_))
            notes.adjusts("win-without-opponent", row.line, str(round_), "pairing")
        play.byes.append(SheetBye(round_, row.start_number, _ALONE[score], row.line))


def _sheet(
    text: _Decoder, rows: list[SheetPlayer], players: Sequence[DBaseRecord], play: SheetGames, notes: Notes
) -> Sheet:
    points = sum_points(play)
    rows = [replace(row, points=points.get(row.start_number, Decimal(0))) for row in rows]
    for row in rows:
        bonus = text.cell(players[row.line - 1].get("BONUS", b""))
        if _BONUS.fullmatch(bonus) and Decimal(bonus):
            notes.notice("sp-bonus", row.line, number=row.start_number, points=bonus)
    if len({row.place for row in rows}) < len(rows):
        rows = [replace(row, place=None) for row in rows]
    played = play.last_round
    rounds = _whole(text.event.get("rounds", "").encode())
    scheduled = rounds if played <= rounds <= MOST_ROUNDS else None
    arbiter = text.event.get("arbiter", "")
    if not text.event.get("name"):
        notes.asks("name-missing")
    notes.asks("starts-missing")
    return Sheet(
        dialect=DIALECT,
        family=SWISS_PERFECT.code,
        name=text.event.get("name", ""),
        arbiters=(Official(arbiter),) if arbiter else (),
        rounds=scheduled,
        rounds_played=played,
        round_dates=(None,) * (scheduled or played),
        rows=tuple(rows),
        games=tuple(play.games),
        byes=tuple(play.byes),
        encoding=text.encoding,
    )
