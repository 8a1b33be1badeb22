"""Reads Swiss-Manager's own tournament file (`.TUNX`), as far as its layout is known.

A file is refused if its own numbers of players and rounds differ from those that are read; a person is asked
to compare the rest with the program.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from ratings.rulesets.facts import gettext_noop as _
from tournaments.formats import sheet
from tournaments.formats.plain_table import SheetGames, sum_points
from tournaments.formats.text import MOST_BYTES, replace_odd_characters
from tournaments.formats.trf_layout import MOST_ROUNDS

# ---- The bytes: sections between marks, texts with their length, numbers by place. This layout is not
# published; it was found out from a few files, and `OddBytes` is raised for whatever does not fit it.
MARK = b"\xff\x89\x44"
HEADER, TOURNAMENT, ROUNDS, PLAYERS, GAMES = b"\x93", b"\x95", b"\xa3", b"\xa5", b"\xb3"
TEAMS, OTHERS, END = b"\xb5", b"\xd3", b"\xe3"
CODES = (HEADER, TOURNAMENT, ROUNDS, PLAYERS, GAMES, TEAMS, OTHERS, END)
FIRST_TEXT = 0x6C  # bytes from the mark of the header
MOST_TEXT = 2_000  # characters
PLAYER_TEXTS, PLAYER_BYTES = 18, 134
ROUND_BYTES = 106
GAME_BYTES = 21
LAST_NAME, FIRST_NAME, TITLE, NATIONAL_ID, FEDERATION_FIELD = 0, 1, 4, 5, 10
"""The texts of a player that are read; others are clubs, groups, addresses and names of users."""


class OddBytes(Exception):
    """Raised for bytes that do not fit the layout, with the code of their section."""


@dataclass(frozen=True, slots=True)
class SwissManagerPlayer:
    texts: tuple[str, ...]
    data: bytes

    def number(self, at: int, size: int) -> int:
        return int.from_bytes(self.data[at : at + size], "little")


@dataclass(frozen=True, slots=True)
class SwissManagerGame:
    white: int
    black: int
    result: int


def split_sections(data: bytes) -> dict[bytes, bytes]:
    """The sections by their code, each with its mark; of a code the first."""
    starts, at = list[int](), data.find(MARK)
    while at >= 0:
        if data[at - 1 : at] in CODES:
            starts.append(at - 1)
        at = data.find(MARK, at + len(MARK))
    sections: dict[bytes, bytes] = {}
    for start, end in zip(starts, [*starts[1:], len(data)], strict=True):
        sections.setdefault(data[start : start + 1], data[start:end])
    return sections


def header_texts(section: bytes) -> list[str]:
    """The texts of the header in their order, as far as they are complete."""
    texts, at = list[str](), FIRST_TEXT
    while at + 2 <= len(section):
        try:
            text, at = _read_text(section, at)
        except OddBytes:
            break
        texts.append(text)
    return texts


def read_round_and_player_counts(section: bytes) -> tuple[int, int]:
    """The numbers of rounds and players that the file gives."""
    rounds, again, players = (int.from_bytes(section[at : at + 2], "little") for at in (4, 21, 23))
    if len(section) < 25 or rounds != again:
        raise OddBytes("95")
    return rounds, players


def read_days(section: bytes, rounds: int) -> list[int]:
    """The day of each round as the number `YYYYMMDD`."""
    days, at = list[int](), 4
    for _round in range(rounds):
        _time, at = _read_text(section, at)
        if at + ROUND_BYTES > len(section):
            raise OddBytes("A3")
        days.append(int.from_bytes(section[at + 30 : at + 34], "little"))
        at += ROUND_BYTES
    return days


def read_players(section: bytes, players: int) -> Iterator[SwissManagerPlayer]:
    at = 4
    for _player in range(players):
        texts = list[str]()
        for _text_of_player in range(PLAYER_TEXTS):
            text, at = _read_text(section, at)
            texts.append(text)
        if at + PLAYER_BYTES > len(section):
            raise OddBytes("A5")
        yield SwissManagerPlayer(tuple(texts), section[at : at + PLAYER_BYTES])
        at += PLAYER_BYTES
    if section[at:].strip(b"\0"):
        raise OddBytes("A5")


def read_games(section: bytes) -> Iterator[SwissManagerGame]:
    body = section[4:]
    if len(body) % GAME_BYTES:
        raise OddBytes("B3")
    for at in range(0, len(body), GAME_BYTES):
        white, black, result = (
            int.from_bytes(body[place : place + 2], "little") for place in range(at, at + 6, 2)
        )
        yield SwissManagerGame(white, black, result)


def _read_text(section: bytes, at: int) -> tuple[str, int]:
    """The text at a place, with its length before it; and the place behind it."""
    length = int.from_bytes(section[at : at + 2], "little")
    end = at + 2 + 2 * length
    if length > MOST_TEXT or end > len(section) or at + 2 > len(section):
        raise OddBytes("text")
    try:
        return section[at + 2 : end].decode("utf-16-le"), end
    except UnicodeDecodeError as error:
        raise OddBytes("text") from error


# ---- The file as a sheet
OWN_FILE = sheet.FileKind(
    "swiss-manager-own",
    _("Swiss-Manager’s own file (TUNX)"),
    (sheet.FileSource("Swiss-Manager", _("the tournament’s own file, without teams"), by_description=True),),
    instead=_(
        "In Swiss-Manager choose Extras, FIDE data export TRF16, and upload the text file that it writes."
    ),
)
KINDS: tuple[sheet.FileKind, ...] = (OWN_FILE,)
DIALECT = "Swiss-Manager"
NAME, CITY, TIME, FEDERATION, CHIEF, DEPUTIES = 0, 5, 14, 20, 21, (27, 35)
"""The places of texts in the header."""
SEAT_OF_BYE, NOT_PAIRED = 0xFFFF, 0xFFFE
PAIRING_BYE, OPEN = 9, (0, 7)
_RESULTS: Mapping[int, sheet.Result] = {1: "1-0", 2: "1/2", 3: "0-1", 4: "+:-", 5: "-:+", 6: "-:-"}
_NOT_PAIRED: Mapping[int, sheet.ByeKind] = {1: "full", 2: "half", 3: "zero"}
MOST_PLAYERS = 5_000


def recognises(data: bytes) -> bool:
    return data[1:4] == MARK and data[:1] in CODES


def read_bytes(data: bytes, notes: sheet.Notes) -> sheet.Reading:
    if len(data) > MOST_BYTES:
        notes.blocks("too-big")
        return notes.reading(None)
    sections = split_sections(data)
    if not {HEADER, TOURNAMENT, PLAYERS, GAMES} <= sections.keys():
        notes.blocks("is-swiss-manager")
        return notes.reading(None)
    try:
        rounds, count = read_round_and_player_counts(sections[TOURNAMENT])
        if not (0 < rounds <= MOST_ROUNDS and 0 < count <= MOST_PLAYERS):
            raise OddBytes("95")
        players = list(read_players(sections[PLAYERS], count))
        games = list(read_games(sections[GAMES]))
        if any(0 in (game.white, game.black) for game in games):
            notes.blocks("tunx-teams")
            return notes.reading(None)
        rows = dict(_rows(players, games))
        play, played = _play(games, rows, notes)
        if played > rounds:
            notes.blocks("tunx-counts-differ", said=f"{count} / {rounds}", read=f"{len(rows)} / {played}")
            return notes.reading(None)
        notes.notice("tunx-check", players=count, rounds=played, games=len(play.games))
        if not play.games:
            notes.blocks("no-games")
        days = _days(sections, rounds)
        return notes.reading(_sheet(sections, list(rows.values()), play, rounds, played, days))
    except OddBytes as odd:
        notes.blocks("tunx-not-read", what=str(odd))
        return notes.reading(None)


def _rows(
    players: Sequence[SwissManagerPlayer], games: Sequence[SwissManagerGame]
) -> Iterator[tuple[int, sheet.SheetPlayer]]:
    """Yield the players by the numbers in games: those of the file or their places, whichever fits."""
    own = [player.number(80, 2) for player in players]
    places = list(range(1, len(players) + 1))
    named = {seat for game in games for seat in (game.white, game.black)} - {SEAT_OF_BYE, NOT_PAIRED}
    fitting = [
        numbers
        for numbers in (own, places)
        if len(set(numbers)) == len(numbers) and 0 not in numbers and named <= set(numbers)
    ]
    if not fitting or any(numbers != fitting[0] for numbers in fitting):
        raise OddBytes("A5 +80")  # it is unclear whose the games are
    for number, player in zip(fitting[0], players, strict=True):
        yield number, _row(number, player)


def _row(number: int, player: SwissManagerPlayer) -> sheet.SheetPlayer:
    surname, first_name = (_plain(player.texts[at]) for at in (LAST_NAME, FIRST_NAME))
    federation = _plain(player.texts[FEDERATION_FIELD]).upper()
    own_id = _plain(player.texts[NATIONAL_ID])[:30]
    fide, rating = player.number(48, 4), player.number(32, 2) or player.number(34, 2)
    born, birth = _birth(player.number(38, 4))
    return sheet.SheetPlayer(
        start_number=number,
        name=", ".join(filter(None, (surname, first_name))) or str(number),
        surname=surname or first_name or str(number),
        first_name=first_name if surname else "",
        title=_plain(player.texts[TITLE])[:3].upper(),
        rating=rating if 0 < rating <= 9999 else None,
        federation=federation if len(federation) == 3 and federation.isalpha() else "",
        identifier=own_id if own_id.strip("0") else None,
        other_ids=(sheet.OtherId("fide", str(fide)),) if 0 < fide < 10**10 else (),
        born=born,
        birth=birth,
    )


def _plain(text: str) -> str:
    return " ".join(replace_odd_characters(text.replace("\t", " "))[0].split())[:100]


def _birth(number: int) -> tuple[int | None, date | None]:
    year = number // 10_000
    day = _day(number)
    return (year if 1900 <= year <= 2100 else None, day if day and day.year >= 1900 else None)


def _day(number: int) -> date | None:
    try:
        return date(number // 10_000, number // 100 % 100, number % 100)
    except ValueError:
        return None


def _play(
    games: Sequence[SwissManagerGame], rows: Mapping[int, sheet.SheetPlayer], notes: sheet.Notes
) -> tuple[SheetGames, int]:
    """The games and byes, and the last round: a new one begins where somebody plays again."""
    play, round_, seats, unfinished = SheetGames(), 1, set[int](), dict[int, int]()
    for game in games:
        pair = {game.white, game.black} - {SEAT_OF_BYE, NOT_PAIRED}
        if not pair or game.white not in rows or (game.white == game.black):
            raise OddBytes("B3")
        if seats & pair:
            round_, seats = round_ + 1, set()
        seats |= pair
        if game.black == SEAT_OF_BYE and game.result == PAIRING_BYE:
            play.byes.append(sheet.SheetBye(round_, game.white, "pairing"))
        elif game.black == NOT_PAIRED and game.result in _NOT_PAIRED:
            kind = _NOT_PAIRED[game.result]
            key = "tunx-not-paired" if kind == "zero" else "tunx-bye-assumed"
            notes.adjusts(key, None, f"{rows[game.white].name}: {round_}", kind)
            play.byes.append(sheet.SheetBye(round_, game.white, kind))
        elif game.black in rows and game.result in _RESULTS:
            play.games.append(sheet.SheetGame(round_, game.white, game.black, _RESULTS[game.result]))
        elif game.black in rows and game.result in OPEN:
            unfinished[round_] = unfinished.get(round_, 0) + 1
        else:
            notes.blocks("tunx-result-not-known", round=round_, code=game.result)
    for number, count in unfinished.items():
        notes.blocks("round-unfinished", round=number, games=count)
    return play, round_


def _days(sections: Mapping[bytes, bytes], rounds: int) -> tuple[date | None, ...]:
    """The days of the rounds; None for all, which the form then asks, if their section does not fit."""
    try:
        days = read_days(sections.get(ROUNDS, b""), rounds)
    except OddBytes:
        return (None,) * rounds
    return tuple(day if day and 1900 <= day.year < 2100 else None for day in map(_day, days))


def _sheet(
    sections: Mapping[bytes, bytes],
    rows: Sequence[sheet.SheetPlayer],
    play: SheetGames,
    rounds: int,
    played: int,
    days: tuple[date | None, ...],
) -> sheet.Sheet:
    texts = [_plain(text) for text in header_texts(sections[HEADER])]
    texts += [""] * (max(DEPUTIES) + 1 - len(texts))
    known, points = [day for day in days if day], sum_points(play)
    deputies = [sheet.Official(texts[at], role="deputy") for at in DEPUTIES if texts[at]]
    return sheet.Sheet(
        dialect=DIALECT,
        family=OWN_FILE.code,
        name=texts[NAME],
        city=texts[CITY],
        federation=texts[FEDERATION][:3],
        starts=min(known, default=None),
        ends=max(known, default=None),
        arbiters=(*([sheet.Official(texts[CHIEF])] if texts[CHIEF] else []), *deputies),
        time_text=texts[TIME],
        rounds=rounds,
        rounds_played=played,
        round_dates=days,
        rows=tuple(replace(row, points=points.get(row.start_number, Decimal(0))) for row in rows),
        games=tuple(play.games),
        byes=tuple(play.byes),
        encoding="utf-16-le",
    )
