"""Swiss-Manager's own file for the tests, made byte by byte: five invented people, two rounds."""

from collections.abc import Iterable, Sequence

HEADER = ["Soweto Own Cup", "", "", "Nomsa Zulu", "Club", "Soweto", "N. Zulu", *[""] * 29]
PEOPLE: tuple[tuple[str, str, str, int, int, int], ...] = (
    ("Dlamini", "Thabo", "101000001", 14300001, 1874, 19910402),
    ("Naidoo", "Priya", "101000002", 0, 0, 20080000),
    ("Botha", "Piët", "", 0, 1500, 0),
    ("Nkosi", "Lerato", "101000004", 0, 0, 20120315),
    ("Smith", "Ann", "101000005", 0, 0, 0),
)
"""Surname, first name, national id, FIDE id, rating, birth."""
GAMES = ((1, 2, 1), (3, 4, 2), (5, 0xFFFF, 9), (2, 3, 4), (4, 1, 3), (5, 0xFFFE, 3))
DAYS = (20260306, 20260307)


def text(words: str) -> bytes:
    return len(words).to_bytes(2, "little") + words.encode("utf-16-le")


def _numbers(length: int, values: dict[int, tuple[int, int]]) -> bytes:
    data = bytearray(length)
    for at, (value, size) in values.items():
        data[at : at + size] = value.to_bytes(size, "little")
    return bytes(data)


def _player(number: int, person: tuple[str, str, str, int, int, int]) -> bytes:
    surname, first_name, national, fide, rating, born = person
    texts = [surname, first_name, "", "", "", national, *[""] * 4, "RSA", *[""] * 7]
    values = {30: (1, 1), 32: (rating, 2), 38: (born, 4), 48: (fide, 4), 80: (number, 2)}
    return b"".join(map(text, texts)) + _numbers(134, values)


def own_file(
    people: Iterable[tuple[str, str, str, int, int, int]] = PEOPLE,
    games: Iterable[Sequence[int]] = GAMES,
    days: Sequence[int] = DAYS,
    header: Sequence[str] = HEADER,
    rounds: int = 2,
    selected: int = 2,
    records: Sequence[int] = (),
) -> bytes:
    """The bytes of a file. `selected`: the round shown when it was saved; `records`: how many of the games
    each round has, by halves if not given.
    """
    people, games = list(people), list(games)
    records = records or (len(games) // 2, len(games) - len(games) // 2)
    told = [*header]
    told[14], told[20], told[21], told[27] = "90 min + 30 s", "RSA", "Sipho Khumalo", "Zanele Mthembu"
    played = b"".join(b"".join(part.to_bytes(2, "little") for part in game) + b"\0" * 15 for game in games)
    return b"".join((
        b"\x93\xff\x89\x44".ljust(0x6C, b"\0") + b"".join(map(text, told)),
        b"\x95\xff\x89\x44"
        + _numbers(5883, {0: (rounds, 2), 17: (selected, 2), 19: (len(people), 2), 23: (rounds, 2)}),
        b"\xa3\xff\x89\x44"
        + b"".join(
            text("10:00") + text("") * 15 + _numbers(76, {0: (day, 4), 6: (count, 2)})
            for day, count in zip(days, records, strict=True)
        ),
        b"\xa5\xff\x89\x44" + b"".join(_player(n, person) for n, person in enumerate(people, 1)),
        b"\xb3\xff\x89\x44" + played,
        b"\xe3\xff\x89\x44",
    ))  # fmt: skip
