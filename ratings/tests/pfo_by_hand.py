"""A second Polish Othello, written from the text alone: plain loops, whole numbers, nothing shared."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ratings.rulesets.facts import Fact, Opening, Playoff, RatedSection, Section

Row = dict[str, Any]


def by_hand(facts: Iterable[Fact]) -> tuple[dict[str, Row], list[Row]]:
    """Rating and games by player, and the seasons' rows, after these facts in any order."""
    facts = list(facts)
    ranking: dict[str, Row] = {}
    for other in sorted((f for f in facts if not isinstance(f, RatedSection)), key=lambda f: f.number):
        if isinstance(other.fact, Opening):
            given = other.fact
            ranking[given.player] = {"rating": int(given.rating), "games": given.games}
    played = [fact for fact in facts if isinstance(fact, RatedSection)]
    played.sort(key=lambda f: (f.section.ends, f.section.starts, f.number))
    due: dict[str | None, set[str]] = {}
    for at, fact in enumerate(played):
        if fact.section.status == "mp":
            due.setdefault(fact.section.season, set(ranking))
        rate(ranking, fact)
        if fact.section.status == "mp":
            championship(ranking, played, at, due)
    return ranking, seasons(facts, played)


def rate(ranking: dict[str, Row], fact: RatedSection) -> None:
    section = fact.section
    for entry in section.entries:
        polish = fact.players[entry.player].nation == "POL"
        if section.status in ("gpp", "mp") or polish:
            ranking.setdefault(entry.player, {"rating": 1400, "games": 0})
    if section.status in ("gpp", "mp"):
        games = [g for g in section.games if g.result in ("1-0", "0-1", "1/2", "0-0")]
        for number in range(1, section.rounds + 1):
            for game in games:
                if game.round == number:
                    play(ranking[game.first], ranking[game.second], game.result)
        if section.status == "gpp":
            for name in {name for game in games for name in (game.first, game.second)}:
                ranking[name]["rating"] += 1
        return
    for entry in section.entries:
        if entry.player in ranking:
            place = entry.place or 0
            if section.status == "egp":
                award = {1: 50, 2: 40, 3: 30, 4: 20, 5: 10}.get(place, 5)
            else:
                award = max(0, 210 - 10 * place)
            ranking[entry.player]["rating"] += award


def play(one: Row, other: Row, result: str) -> None:
    one["games"] += 1
    other["games"] += 1
    gap = abs(one["rating"] - other["rating"])
    if result == "1/2":
        high, low = (one, other) if one["rating"] > other["rating"] else (other, one)
        if gap <= 60:
            moves = (2, 2)
        elif gap <= 120:
            moves = (1, 3)
        elif gap <= 200:
            moves = (-2, 4)
        elif gap <= 300:
            moves = (-5, 5)
        else:
            moves = (-7, 7)
        high["rating"] += moves[0]
        low["rating"] += moves[1]
    elif result != "0-0":
        winner, loser = (one, other) if result == "1-0" else (other, one)
        if winner["rating"] <= loser["rating"]:
            points = 10 if gap <= 60 else 12 if gap <= 120 else 15 if gap <= 200 else 20 if gap <= 300 else 25
        else:
            points = 10 if gap <= 60 else 9 if gap <= 120 else 8 if gap <= 200 else 7
        winner["rating"] += points
        loser["rating"] -= points


def championship(
    ranking: dict[str, Row], played: list[RatedSection], at: int, due: dict[str | None, set[str]]
) -> None:
    """A tenth from everyone who had a rating before the first and entered none, when the last is over."""
    label = played[at].section.season
    same = [f for f in played if f.section.status == "mp" and f.section.season == label]
    if played[at] is same[-1]:
        entered = {entry.player for f in same for entry in f.section.entries}
        for name in due[label] - entered:
            rating = ranking[name]["rating"]
            ranking[name]["rating"] = rating - math.floor((rating + 5) / 10)


PLACES = [100, 80, 60, 50, 45, 40, 36, 32, 29, 26, 24, 22, 20, 18, 16]


def seasons(facts: list[Fact], played: list[RatedSection]) -> list[Row]:
    results: dict[str, dict[str, Row]] = {}
    for fact in played:
        section = fact.section
        if section.status == "woc" or (section.status == "egp" and section.country not in (None, "POL")):
            continue
        places = {entry.player: entry.place or 0 for entry in section.entries}
        if section.status == "egp":
            own = {name: place for name, place in places.items() if fact.players[name].nation == "POL"}
            places = {name: 1 + sum(p < place for p in own.values()) for name, place in own.items()}
        for name, place in places.items():
            rows = results.setdefault(section.season or "", {})
            row = rows.setdefault(name, {"points": [], "won": 0, "games": 0})
            row["points"].append(
                (PLACES[place - 1] if place <= 15 else 0) + (10 if maks(section, name) else 0)
            )
            row["won"] += place == 1
            if section.status == "gpp":
                row["games"] += sum(beat(game, name) for game in section.games)
    last: dict[str, str] = {}
    for other in sorted((f for f in facts if not isinstance(f, RatedSection)), key=lambda f: f.number):
        if isinstance(other.fact, Playoff):
            last[other.fact.season] = other.fact.winner
    answer = []
    for label in sorted(results):
        answer += standing(label, results[label], last.get(label))
    return answer


def standing(label: str, rows: dict[str, Row], playoff: str | None) -> list[Row]:
    def worth(name: str) -> tuple[int, int, int]:
        row = rows[name]
        return sum(sorted(row["points"])[-4:]), row["won"], row["games"]

    best = max(worth(name) for name in rows)
    tied = [name for name in rows if worth(name) == best]

    def key(name: str) -> Any:
        first = name == playoff and name in tied
        return tuple(-n for n in worth(name)), not first, name

    return [
        {
            "season": label,
            "player": name,
            "points": worth(name)[0],
            "best": sorted(rows[name]["points"])[::-1][:4],
        }
        for name in sorted(rows, key=key)
    ]


def beat(game: Any, name: str) -> bool:
    return (game.result, name) in (("1-0", game.first), ("0-1", game.second))


def maks(section: Section, name: str) -> bool:
    own = [game for game in section.games if name in (game.first, game.second)]
    if any(g.result == "-:-" or (g.result, name) in (("-:+", g.first), ("+:-", g.second)) for g in own):
        return False
    games = [game for game in own if game.result in ("1-0", "0-1", "1/2", "0-0")]
    return bool(games) and all(beat(game, name) for game in games)
