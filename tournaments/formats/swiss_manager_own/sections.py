"""The bytes of Swiss-Manager's own file: sections between marks, texts with their length, numbers by place.

Nobody publishes this layout; it was found out from a few files. What does not fit it raises `OddBytes`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

MARK = b"\xff\x89\x44"
HEADER, TOURNAMENT, ROUNDS, PLAYERS, GAMES = b"\x93", b"\x95", b"\xa3", b"\xa5", b"\xb3"
TEAMS, OTHERS, END = b"\xb5", b"\xd3", b"\xe3"
CODES = (HEADER, TOURNAMENT, ROUNDS, PLAYERS, GAMES, TEAMS, OTHERS, END)
FIRST_TEXT = 0x6C  # bytes from the mark of the header
MOST_TEXT = 2_000  # characters
PLAYER_TEXTS, PLAYER_BYTES = 18, 134
ROUND_BYTES = 106
GAME_BYTES = 21
(
    LAST_NAME, FIRST_NAME, _ACADEMIC, _SHORT, TITLE, NATIONAL_ID, _A, _B, _C, _CLUB, FEDERATION,
) = range(11)  # fmt: skip
"""The texts of a player that are read; others are clubs, groups, addresses and names of users."""


class OddBytes(Exception):
    """Bytes that do not fit the layout; the words say which."""


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


def is_own_file(data: bytes) -> bool:
    return data[1:4] == MARK and data[:1] in CODES


def sections_of(data: bytes) -> dict[bytes, bytes]:
    """The sections by their code, each from its mark on; the first of a code counts."""
    found, at = list[int](), data.find(MARK)
    while at >= 0:
        if data[at - 1 : at] in CODES:
            found.append(at - 1)
        at = data.find(MARK, at + len(MARK))
    sections: dict[bytes, bytes] = {}
    for start, end in zip(found, [*found[1:], len(data)], strict=True):
        sections.setdefault(data[start : start + 1], data[start:end])
    return sections


def header_texts(section: bytes) -> list[str]:
    """The texts of the head in their order, as far as there are whole ones."""
    texts, at = list[str](), FIRST_TEXT
    while at + 2 <= len(section):
        try:
            text, at = _text(section, at)
        except OddBytes:
            break
        texts.append(text)
    return texts


def counts_of(section: bytes) -> tuple[int, int]:
    """The numbers of rounds and players that the file says it has."""
    if len(section) < 25:
        raise OddBytes("95")
    rounds, again, players = (int.from_bytes(section[at : at + 2], "little") for at in (4, 21, 23))
    if rounds != again:
        raise OddBytes("95")
    return rounds, players


def days_of(section: bytes, rounds: int) -> list[int]:
    """The day of each round as the number `YYYYMMDD`."""
    days, at = list[int](), 4
    for _round in range(rounds):
        _time, at = _text(section, at)
        if at + ROUND_BYTES > len(section):
            raise OddBytes("A3")
        days.append(int.from_bytes(section[at + 30 : at + 34], "little"))
        at += ROUND_BYTES
    return days


def players_of(section: bytes, players: int) -> Iterator[SwissManagerPlayer]:
    at = 4
    for _player in range(players):
        texts = list[str]()
        for _text_of_player in range(PLAYER_TEXTS):
            text, at = _text(section, at)
            texts.append(text)
        if at + PLAYER_BYTES > len(section):
            raise OddBytes("A5")
        yield SwissManagerPlayer(tuple(texts), section[at : at + PLAYER_BYTES])
        at += PLAYER_BYTES
    if section[at:].strip(b"\0"):
        raise OddBytes("A5")


def games_of(section: bytes) -> Iterator[SwissManagerGame]:
    body = section[4:]
    if len(body) % GAME_BYTES:
        raise OddBytes("B3")
    for at in range(0, len(body), GAME_BYTES):
        white, black, result = (
            int.from_bytes(body[place : place + 2], "little") for place in range(at, at + 6, 2)
        )
        yield SwissManagerGame(white, black, result)


def _text(section: bytes, at: int) -> tuple[str, int]:
    """A text with its length before it, and the place behind it."""
    length = int.from_bytes(section[at : at + 2], "little")
    end = at + 2 + 2 * length
    if length > MOST_TEXT or end > len(section) or at + 2 > len(section):
        raise OddBytes("text")
    try:
        return section[at + 2 : end].decode("utf-16-le"), end
    except UnicodeDecodeError as error:
        raise OddBytes("text") from error
