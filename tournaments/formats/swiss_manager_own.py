"""Reads Swiss-Manager's own tournament file (`.TUNX`), as far as its layout is known.

A file is refused if its own numbers of players and rounds differ from those that are read; a person is asked
to compare the rest with the program.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import islice

from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.particulars import nation_code
from tournaments.formats import sheet
from tournaments.formats.table_rows import join_name, sum_points
from tournaments.formats.text import MOST_BYTES, replace_odd_characters
from tournaments.formats.trf_layout import MOST_ROUNDS

# ---- The bytes: sections between marks, texts with their length, numbers by place. The program's maker does
# not publish this layout; others found it out (docs/swiss-manager-format.md of chess-results-api on GitHub),
# and `OddBytes` is raised for whatever does not fit it.
MARK = b"\xff\x89\x44"
HEADER, TOURNAMENT, ROUNDS, PLAYERS, GAMES = b"\x93", b"\x95", b"\xa3", b"\xa5", b"\xb3"
TEAMS, OTHERS, END = b"\xb5", b"\xd3", b"\xe3"
CODES = (HEADER, TOURNAMENT, ROUNDS, PLAYERS, GAMES, TEAMS, OTHERS, END)
FIRST_TEXT = 0x6C  # bytes from the mark of the header
MOST_TEXT = 2_000  # characters
PLAYER_TEXTS, PLAYER_BYTES = 18, 134
ROUND_TEXTS, ROUND_BYTES = 16, 76
GAME_BYTES = 21
LAST_NAME, FIRST_NAME, TITLE, NATIONAL_ID, FEDERATION_FIELD = 0, 1, 4, 5, 10
"""The texts of a player that are read; others are clubs, groups, addresses and names of users."""


class OddBytes(Exception):
    """Raised for bytes that do not fit the layout, with the code of their section."""


OwnPlayer = tuple[Sequence[str], bytes]
"""A player's texts, and the bytes behind them with numbers."""
OwnGame = tuple[int, int, int]
"""White, black and the result."""


def _number(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little")


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
    """The numbers of scheduled rounds and of players. The number at 21 is of the round that was selected when
    the file was saved.
    """
    if len(section) < 29:
        raise OddBytes("95")
    return _number(section, 27, 2), _number(section, 23, 2)


def read_schedule(section: bytes, rounds: int) -> Iterator[tuple[int, int]]:
    """Yield the day of each round as the number `YYYYMMDD`, and how many records of games it has."""
    at = 4
    for _round in range(rounds):
        for _text in range(ROUND_TEXTS):
            _words, at = _read_text(section, at)
        if at + ROUND_BYTES > len(section):
            raise OddBytes("A3")
        yield _number(section, at, 4), _number(section, at + 6, 2)
        at += ROUND_BYTES
    if section[at:].strip(b"\0"):
        raise OddBytes("A3")


def read_players(section: bytes, players: int) -> Iterator[OwnPlayer]:
    at = 4
    for _player in range(players):
        texts = list[str]()
        for _text_of_player in range(PLAYER_TEXTS):
            text, at = _read_text(section, at)
            texts.append(text)
        if at + PLAYER_BYTES > len(section):
            raise OddBytes("A5")
        yield texts, section[at : at + PLAYER_BYTES]
        at += PLAYER_BYTES
    if section[at:].strip(b"\0"):
        raise OddBytes("A5")


def read_games(section: bytes) -> Iterator[OwnGame]:
    body = section[4:]
    if len(body) % GAME_BYTES:
        raise OddBytes("B3")
    for at in range(0, len(body), GAME_BYTES):
        yield _number(body, at, 2), _number(body, at + 2, 2), body[at + 4]


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
PAIRING_BYE, BOTH_NOUGHT, OPEN = 9, 10, (0, 7)
_RESULTS: Mapping[int, sheet.Result] = {
    1: "1-0",
    2: "1/2",
    3: "0-1",
    4: "+:-",
    5: "-:+",
    6: "-:-",
    BOTH_NOUGHT: "0-0",
}
_NOT_PAIRED: Mapping[int, sheet.ByeKind] = {1: "full", 2: "half", 3: "zero"}
MOST_PLAYERS = 5_000


def recognises(data: bytes) -> bool:
    return data[1:4] == MARK and data[:1] in CODES


def read_bytes(data: bytes, notes: sheet.Notes) -> sheet.Reading:
    if len(data) > MOST_BYTES:
        raise notes.refusal("too-big")
    sections = split_sections(data)
    if not {HEADER, TOURNAMENT, ROUNDS, PLAYERS, GAMES} <= sections.keys():
        raise notes.refusal("is-swiss-manager")
    try:
        rounds, count = read_round_and_player_counts(sections[TOURNAMENT])
        if not (0 < rounds <= MOST_ROUNDS and 0 < count <= MOST_PLAYERS):
            raise OddBytes("95")
        players = list(read_players(sections[PLAYERS], count))
        games = list(read_games(sections[GAMES]))
        if any(0 in (white, black) for white, black, _result in games):
            raise notes.refusal("tunx-teams")
        schedule = list(read_schedule(sections[ROUNDS], rounds))
        if sum(records for _day, records in schedule) != len(games):
            raise OddBytes("A3 +6")
        rows = dict(_rows(players, games))
        play = _play([records for _day, records in schedule], games, rows, notes)
        notes.notice("tunx-check", players=count, rounds=play.last_round, games=len(play.games))
        if not play.games:
            notes.blocks("no-games")
        days = (_day(day) for day, _records in schedule)
        round_dates = tuple(day if day and 1900 <= day.year < 2100 else None for day in days)
        return notes.reading(_sheet(sections, list(rows.values()), play, round_dates))
    except OddBytes as odd:
        raise notes.refusal("tunx-not-read", what=str(odd)) from None


def _rows(players: Sequence[OwnPlayer], games: Sequence[OwnGame]) -> Iterator[tuple[int, sheet.SheetPlayer]]:
    """Yield the players by the numbers in games: those of the file or their places, whichever fits."""
    own = [_number(data, 80, 2) for _texts, data in players]
    places = list(range(1, len(players) + 1))
    named = {seat for *pair, _result in games for seat in pair} - {SEAT_OF_BYE, NOT_PAIRED}
    fitting = [
        numbers
        for numbers in (own, places)
        if len(set(numbers)) == len(numbers) and 0 not in numbers and named <= set(numbers)
    ]
    if not fitting or any(numbers != fitting[0] for numbers in fitting):
        raise OddBytes("A5 +80")  # it is unclear whose the games are
    for number, (texts, data) in zip(fitting[0], players, strict=True):
        surname, first_name = (_plain(texts[at]) for at in (LAST_NAME, FIRST_NAME))
        own_id = _plain(texts[NATIONAL_ID])[:30]
        fide, rating = _number(data, 48, 4), _number(data, 32, 2) or _number(data, 34, 2)
        born, birth = _birth(_number(data, 38, 4))
        yield (
            number,
            sheet.SheetPlayer(
                start_number=number,
                name=join_name(surname, first_name) or str(number),
                surname=surname or first_name or str(number),
                first_name=first_name if surname else "",
                title=_plain(texts[TITLE])[:3].upper(),
                rating=rating if 0 < rating <= 9999 else None,
                federation=nation_code(_plain(texts[FEDERATION_FIELD]), ""),
                identifier=own_id if own_id.strip("0") else None,
                other_ids=(sheet.OtherId("fide", str(fide)),) if 0 < fide < 10**10 else (),
                born=born,
                birth=birth,
            ),
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
    records: Iterable[int],
    games: Sequence[OwnGame],
    rows: Mapping[int, sheet.SheetPlayer],
    notes: sheet.Notes,
) -> sheet.SheetGames:
    """The games and byes. `records`: how many of `games` each round has."""
    play, rest = sheet.SheetGames(), iter(games)
    for round_, count in enumerate(records, 1):
        seats, unfinished = set[int](), 0
        for white, black, result in islice(rest, count):
            pair = {white, black} - {SEAT_OF_BYE, NOT_PAIRED}
            if white not in rows or white == black or seats & pair:
                raise OddBytes("B3")
            seats |= pair
            if black == SEAT_OF_BYE and result == PAIRING_BYE:
                play.byes.append(sheet.SheetBye(round_, white, "pairing"))
            elif black == NOT_PAIRED and result in _NOT_PAIRED:
                kind = _NOT_PAIRED[result]
                key = "tunx-not-paired" if kind == "zero" else "tunx-bye-assumed"
                notes.adjusts(key, None, f"{rows[white].name}: {round_}", kind)
                play.byes.append(sheet.SheetBye(round_, white, kind))
            elif black in rows and result in _RESULTS:
                play.games.append(sheet.SheetGame(round_, white, black, _RESULTS[result]))
                if result == BOTH_NOUGHT:
                    notes.asks("tunx-both-nought", round=round_, number=white, opponent=black)
            elif black in rows and result in OPEN:
                unfinished += 1
            else:
                notes.blocks("tunx-result-not-known", round=round_, code=result)
        if unfinished:
            notes.blocks("round-unfinished", round=round_, games=unfinished)
    return play


def _sheet(
    sections: Mapping[bytes, bytes],
    rows: Sequence[sheet.SheetPlayer],
    play: sheet.SheetGames,
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
        rounds=len(days),
        rounds_played=play.last_round,
        round_dates=days,
        rows=tuple(replace(row, points=points.get(row.start_number, Decimal(0))) for row in rows),
        games=tuple(play.games),
        byes=tuple(play.byes),
        encoding="utf-16-le",
    )
