"""The journal of a past as somebody who was there would write it: from its play alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import date
from hashlib import sha256
from typing import Any

from tests.pasts.people import Person
from tests.pasts.play import Past, Played, PlayedGame

PRE_RATINGS = (
    (6, 400, 200),
    (8, 500, 300),
    (10, 600, 400),
    (12, 700, 500),
    (14, 800, 600),
    (16, 900, 700),
    (18, 1000, 800),
    (20, 1100, 900),
    (999, 1200, 1000),
)
"""§59 as it is printed: age to, open, female."""
ADULT = 1200
"""§59 for whose birth and sex nobody knows (D-CSA-5)."""
UNTIL_GAMES = 20
"""§58: pre-ratings are stated for whoever has fewer counted games in a track."""
FORFEITS = ("+:-", "-:+")
WITHOUT_PLACES = WITHOUT_COLOURS = WITHOUT_BIRTH = ("SwissPerfect",)
"""In a file without colours whoever stands first is taken to have had white, which §37 reads."""
TURNED = {"1-0": "0-1", "0-1": "1-0", "1/2": "1/2", "+:-": "-:+", "-:+": "+:-"}


def number_of(who: Person) -> str:
    return f"H{who.key + 1}"


def journal(past: Past) -> bytes:
    """All lines: people where they first play, sections by day, a list on the first of each month."""
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in _lines(past)).encode()


def _lines(past: Past) -> Iterator[dict[str, Any]]:
    yield {"fact": "federation", "form": 3, "code": "csa", "ruleset": "csa", "name": "Chess South Africa"}
    told: set[int] = set()
    born = {
        who.key for section in past.sections if section.dialect not in WITHOUT_BIRTH for who in section.seats
    }
    counted: Counter[tuple[int, int]] = Counter()
    lists = past.lists()
    for section in past.sections:
        while lists[0] <= section.day:
            yield {"fact": "list", "on": lists.pop(0).isoformat()}
        for who in section.seats:
            if who.key not in told:
                told.add(who.key)
                yield _player(who)
        yield _section(section, counted, born)
        yield {"fact": "rated", "section": _key(section), "on": section.day.isoformat()}
    for day in lists:
        yield {"fact": "list", "on": day.isoformat()}


def _player(who: Person) -> dict[str, Any]:
    salt = sha256(str(who.key).encode()).hexdigest()[:32]
    name = f"{who.surname}, {who.first_name}"
    return {"fact": "player", "id": number_of(who), "name": name, "salt": salt, "nation": "RSA"}


def _key(section: Played) -> str:
    return f"{section.day.year}-{section.number:03}/A"


def _section(section: Played, counted: Counter[tuple[int, int]], born: set[int]) -> dict[str, Any]:
    """The line of a section; `counted`: the games of each person at each speed before it, and after it;
    `born`: those whose birth and sex some file tells.
    """
    before = counted.copy()
    for game in section.games:
        if game.result not in FORFEITS:
            counted.update(
                (section.seats[seat - 1].key, section.minutes) for seat in (game.first, game.second)
            )
    numbers = [number_of(who) for who in section.seats]
    return {
        "fact": "section",
        "id": _key(section),
        "event": section.event,
        "name": section.name,
        "starts": section.day.isoformat(),
        "ends": section.day.isoformat(),
        "format": "swiss",
        "rounds": section.rounds,
        "time_control": {"minutes": [section.minutes], "increment": section.increment},
        "platform": "otb",
        "entries": [
            {
                "player": numbers[seat - 1],
                **_place(section, seat),
                **(
                    {"pre": _pre(who, section.day, born)}
                    if before[who.key, section.minutes] < UNTIL_GAMES
                    else {}
                ),
            }
            for seat, who in enumerate(section.seats, 1)
        ],
        "games": [_game(section, game, numbers) for game in section.games],
        "byes": [{"round": r, "player": numbers[seat - 1], "kind": "pairing"} for r, seat in section.byes],
    }


def _game(section: Played, game: PlayedGame, numbers: list[str]) -> dict[str, Any]:
    first, second, result = game.first, game.second, game.result
    if section.dialect in WITHOUT_COLOURS and first > second:
        first, second, result = second, first, TURNED[result]
    return {
        "round": game.round,
        "first": numbers[first - 1],
        "second": numbers[second - 1],
        "result": result,
    }


def _place(section: Played, seat: int) -> dict[str, int]:
    return {} if section.dialect in WITHOUT_PLACES else {"place": section.place(seat)}


def _pre(who: Person, day: date, born: set[int]) -> int:
    if who.key not in born:
        return ADULT
    age = day.year - who.birth.year
    return next(row[1 + (who.sex == "f")] for row in PRE_RATINGS if age <= row[0])
