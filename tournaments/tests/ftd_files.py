"""FlipTheDisc's JSON for the tests: four invented people, two rounds, a final and a game for third place."""

import json
from typing import Any

INFO = {"name": "Wiosna Open", "city": "Łódź", "country_code": "PL", "expected_start": "2026-03-07T09:00:00"}
PLAYERS: list[dict[str, Any]] = [
    {"id": 5, "wof_id": 700, "surname": "NOWAK", "name": "Anna", "country_code": "PL", "rating": 1500},
    {"id": 6, "wof_id": 707, "surname": "KOWALSKI", "name": "Jan", "country_code": "PL"},
    {"id": 7, "wof_id": None, "surname": "Wójcik", "name": "Ewa", "country_code": "pl"},
    {"id": 8, "wof_id": 1025, "surname": "LIS", "name": "Ola", "country_code": "XX"},
]


def pair(first: int, second: int, result: int | None, score: int | None = None) -> list[dict[str, Any]]:
    return [{"id": first, "result": result, "score": score}, {"id": second}]


ROUNDS = [
    {"currentRound": 2, "pairing": [pair(5, 8, 2, 40), pair(6, 7, 2, 44)]},
    {"currentRound": 1, "pairing": ["open", pair(5, 6, 2, 40), "open", pair(7, 8, 1, 32)]},
    {"currentRound": 110, "pairing": [pair(5, 6, 0, 30)]},
    {"currentRound": 109, "pairing": [pair(7, 8, 2, 50)]},
]


def ftd(**changes: Any) -> bytes:
    event = {"players_list": PLAYERS, "standings": [], "rounds": ROUNDS, "info": INFO, **changes}
    return json.dumps(event, ensure_ascii=False).encode()
