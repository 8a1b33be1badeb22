"""A second Chess South Africa, written from the text alone: plain loops, exact fractions, nothing shared."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from typing import Any

from ratings.rulesets.facts import Entry, Fact, Game, ListClosing, Opening, RatedSection, Section

Ratings = dict[tuple[str, str], dict[str, Any]]

PLAYED = {
    "1-0": (Fraction(1), Fraction(0)),
    "0-1": (Fraction(0), Fraction(1)),
    "1/2": (Fraction(1, 2), Fraction(1, 2)),
    "0-0": (Fraction(0), Fraction(0)),
}


def by_hand(facts: Iterable[Fact]) -> Ratings:
    """What the office has after these facts: rating or None, pending, games, activity by player and track."""
    office: Ratings = {}
    for fact in facts:
        if isinstance(fact, RatedSection):
            rate(office, fact)
        elif isinstance(fact.fact, Opening):
            given = fact.fact
            row = new_row()
            row["rating"] = max(Fraction(given.rating), Fraction(100))
            row["games"], row["activity"] = given.games, given.games
            office[given.player, given.track] = row
        elif isinstance(fact.fact, ListClosing):
            for row in office.values():
                if row["rating"] is not None:
                    row["rating"] = max(Fraction(100), row["rating"] + row["pending"])
                    row["pending"] = Fraction(0)
    return office


def kept(value: Fraction) -> Fraction:
    """To 16 decimals, half up, away from zero."""
    size = Fraction(math.floor(abs(value) * 10**16 + Fraction(1, 2)), 10**16)
    return size if value >= 0 else -size


def new_row() -> dict[str, Any]:
    return {
        "rating": None,
        "pending": Fraction(0),
        "games": 0,
        "activity": 0,
        "collected": [],
        "performances": [],
    }


def rate(office: Ratings, fact: RatedSection) -> None:
    section = fact.section
    t = min(sum((Fraction(m) for m in c.minutes), Fraction(c.increment)) for c in section.time_controls)
    kind = "standard" if t >= 60 else "rapid" if t > 10 else "blitz"
    platforms = {"otb": ["otb", "hyb"], "online": ["ol", "hyb"], "mixed": ["hyb"]}[str(section.platform)]
    for platform in platforms:
        for name in ("main", kind):
            rate_track(office, fact, f"{platform}-{name}", kind, k_of(platform, name, t))


def k_of(platform: str, name: str, t: Fraction) -> Fraction:
    if name != "main":
        return Fraction({"standard": 24, "rapid": 30, "blitz": 40}[name])
    if platform == "ol":
        return Fraction(20)
    t = min(max(t, Fraction(5)), Fraction(120))
    return 24 * (Fraction("0.713043") * t + Fraction("14.43478")) / 100


def rate_track(office: Ratings, fact: RatedSection, track: str, kind: str, k: Fraction) -> None:
    section = fact.section
    abroad = section.country is not None and section.country != "RSA"
    taken = {
        entry.player: used_rating(office, fact, entry, entry.rating if abroad else None, track)
        for entry in section.entries
    }
    unchanged = {key: dict(row) for key, row in office.items()}
    for entry in section.entries:
        if abroad and fact.players[entry.player].nation != "RSA":
            continue
        row = office.setdefault((entry.player, track), new_row())
        was = unchanged.get((entry.player, track), new_row())
        rate_player(row, was["rating"], fact, entry.player, taken, track, kind, k)


def used_rating(office: Ratings, fact: RatedSection, entry: Entry, filed: int | None, track: str) -> Fraction:
    row = office.get((entry.player, track))
    if row is not None and row["rating"] is not None:
        return Fraction(row["rating"])
    if filed:
        return Fraction(filed)
    if entry.pre is not None:
        return Fraction(entry.pre)
    return Fraction(fact.pres[entry.player]) if entry.player in fact.pres else Fraction(1200)


def rate_player(
    row: dict[str, Any],
    rating: Fraction | None,
    fact: RatedSection,
    player: str,
    taken: dict[str, Fraction],
    track: str,
    kind: str,
    k: Fraction,
) -> None:
    section = fact.section
    opponents: list[Fraction] = []
    scores: list[Fraction] = []
    differences: list[Fraction] = []
    for game in section.games:
        if game.result not in PLAYED or player not in (game.first, game.second):
            continue
        white = player == game.first
        score = PLAYED[game.result][0 if white else 1]
        gap = min(Fraction(390), max(Fraction(-460), taken[game.first] - taken[game.second]))
        expected = Fraction("0.541767") + Fraction("0.001164") * gap
        opponents.append(taken[game.second if white else game.first])
        scores.append(score)
        differences.append(score - (expected if white else 1 - expected))
    count = len(scores)
    row["games"] += count
    row["activity"] += count + unplayed_activity(section, player)
    if count:
        performance = max(
            Fraction(100),
            kept(
                sum(opponents, Fraction(0)) / count
                + 850 * (sum(scores, Fraction(0)) / count - Fraction(1, 2))
            ),
        )
        needed = math.ceil(
            Fraction(1, 2) * section.rounds if section.team else Fraction(4, 5) * section.rounds
        )
        if count >= needed:
            row["performances"].append((section.ends, fact.number, kind, performance))
    if rating is None:
        row["collected"] += list(zip(opponents, scores, strict=True))
        n = len(row["collected"])
        if n >= 10:
            average = sum(opponent for opponent, _ in row["collected"]) / n
            share = sum(score for _, score in row["collected"]) / n
            row["rating"] = max(Fraction(100), kept(average + 850 * (share - Fraction(1, 2))))
    else:
        change = k * sum(differences, Fraction(0))
        if not section.team and change > 0 and count < math.ceil(Fraction(4, 5) * section.rounds):
            change = Fraction(0)
        if not section.team and change < 0 and won_it_all_played(section, player):
            change = Fraction(0)
        row["pending"] += kept(change) - penalty(section, player)
    if count and row["rating"] is not None:
        weigh(row, fact.on, track)


def unplayed_activity(section: Section, player: str) -> int:
    wins = [g for g in section.games if g.result == "+:-" and g.first == player]
    wins += [g for g in section.games if g.result == "-:+" and g.second == player]
    return len(wins) + len([bye for bye in section.byes if bye.player == player and bye.kind == "pairing"])


def total(section: Section, player: str) -> Fraction:
    points = Fraction(0)
    for game in section.games:
        result = {"+:-": "1-0", "-:+": "0-1", "-:-": "0-0"}.get(game.result, game.result)
        if result in PLAYED and player == game.first:
            points += PLAYED[result][0]
        if result in PLAYED and player == game.second:
            points += PLAYED[result][1]
    for bye in section.byes:
        if bye.player == player:
            points += {"pairing": Fraction(1), "full": Fraction(1), "half": Fraction(1, 2)}.get(
                bye.kind, Fraction(0)
            )
    return points


def won_it_all_played(section: Section, player: str) -> bool:
    if any(total(section, entry.player) > total(section, player) for entry in section.entries):
        return False
    for number in range(1, section.rounds + 1):
        if not any(
            g.round == number and g.result in PLAYED and player in (g.first, g.second) for g in section.games
        ):
            return False
    return True


def penalty(section: Section, player: str) -> int:
    left = next(entry.left for entry in section.entries if entry.player == player)
    points = 0
    for number in range(1, section.rounds + 1):
        forfeits = [
            is_excused(game, player)
            for game in section.games
            if game.round == number and lost_by_forfeit(game, player)
        ]
        gone = left is not None and number >= left.round
        if True in forfeits:
            continue
        if left is not None and gone:
            points += 0 if left.notified else 20
        elif forfeits and number > 1:
            points += 20
    return points


def lost_by_forfeit(game: Game, player: str) -> bool:
    if game.first == player:
        return game.result in ("-:+", "-:-")
    return game.second == player and game.result in ("+:-", "-:-")


def is_excused(game: Game, player: str) -> bool:
    return game.excused == "both" or game.excused == ("first" if game.first == player else "second")


def weigh(row: dict[str, Any], on: date, track: str) -> None:
    fresh = [item for item in row["performances"] if (on - item[0]).days <= 2920]
    fresh.sort(key=lambda item: (item[0], item[1]))
    fresh = fresh[-5:]
    if len(fresh) < 5:
        return
    weight = Fraction(0)
    for i, (ends, _number, kind, performance) in enumerate(fresh, start=1):
        r = {"standard": Fraction(1), "rapid": Fraction(95, 100), "blitz": Fraction(9, 10)}[kind]
        if not track.endswith("main"):
            r = Fraction(1)
        weight += performance * r * Fraction(2920 - (on - ends).days, 2920) * i
    weight = kept(weight / 15)
    if weight > row["rating"]:
        row["rating"] = min(weight, row["rating"] + 500)
