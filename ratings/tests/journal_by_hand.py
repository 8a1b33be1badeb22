"""A second reader of journals, written from the page alone: what is folded, as plain values, nothing shared.

Every question is answered from the lines anew: first the merges that stand, then who each line names.
"""

from __future__ import annotations

import json
from typing import Any

Line = tuple[int, dict[str, Any]]
Plain = dict[str, Any]
"""`sections`: number, day, id, who is entered, their particulars, their pre-ratings for want of stated ones;
`openings`: by player and track; `lists`: the numbers; `register`: number and particulars of player lines."""

BY_PLAY = ("ssdc", "pfo", "piskvorky")
WITH_PRE = ("csa",)
WITH_REGISTER = ("mahjong",)


def parsed(written: list[str]) -> list[Line]:
    return [(number, json.loads(each)) for number, each in enumerate(written, start=1)]


def standing_merges(lines: list[Line]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for _number, said in lines:
        if said["fact"] == "merged":
            found.append((said["player"], said["into"]))
        if said["fact"] == "parted":
            found = [pair for pair in found if pair[0] != said["player"]]
    return found


def read_as(merges: list[tuple[str, str]], name: str) -> str:
    for _ in merges:
        for player, into in merges:
            if player == name:
                name = into
    return name


def folded(written: list[str]) -> Plain:
    """What a replay of these lines folds."""
    lines = parsed(written)
    return told(lines, standing(lines), len(lines), None)


def of_list(written: list[str], number: int) -> Plain:
    """What is folded for the list that line `number` published."""
    lines = parsed(written)[:number]
    said = lines[number - 1][1]
    day = said["on"] if said["fact"] == "list" else said["list"]
    (shown,) = [n for n, other in lines if other["fact"] == "list" and other["on"] == day]
    return told(
        lines, {rated: first for rated, first in standing(lines).items() if first < shown}, shown, day
    )


def standing(lines: list[Line]) -> dict[int, int]:
    """The `rated` lines that stand, each with the first one of its section: where it stands, and its day."""
    rated = [(number, said["section"]) for number, said in lines if said["fact"] == "rated"]
    first = {name: number for number, name in reversed(rated)}
    return {number: first[name] for number, name in rated if not taken_back(lines, number)}


def said_on(lines: list[Line], number: int) -> str:
    on: str = lines[number - 1][1]["on"]
    return on


def taken_back(lines: list[Line], rated: int) -> bool:
    name = lines[rated - 1][1]["section"]
    return any(
        said["fact"] == "unrated" and said["section"] == name and number > rated for number, said in lines
    )


def told(lines: list[Line], places: dict[int, int], shown: int, list_day: str | None) -> Plain:
    """`places`: by the `rated` lines that stand, where each is folded; `shown`: the line up to which the
    register and the lists are looked at; `list_day`: that of a list, which by play knows no later section.
    """
    ruleset = lines[0][1]["ruleset"]
    merges = standing_merges(lines)
    sections = []
    for rated, place in places.items():
        number, version = version_of(lines, rated)
        if list_day is not None and ruleset in BY_PLAY and version["ends"] > list_day:
            continue
        names = [read_as(merges, entry["player"]) for entry in version["entries"]]
        above = min(rated, shown) if ruleset in WITH_REGISTER else rated
        sections.append(
            {
                "number": place,
                "on": said_on(lines, place),
                "id": version["id"],
                "ends": version["ends"],
                "starts": version["starts"],
                "entered": names,
                "played": [
                    (read_as(merges, game["first"]), read_as(merges, game["second"]))
                    for game in version.get("games", ())
                ],
                "people": {name: particulars(lines, name, above) for name in names},
                "pres": fallbacks(lines, merges, number, version) if ruleset in WITH_PRE else {},
            }
        )
    if ruleset in BY_PLAY:
        sections.sort(key=lambda each: (each["ends"], each["starts"], each["number"]))
    else:
        sections.sort(key=lambda each: each["number"])
    return {
        "sections": sections,
        "openings": openings(lines, merges),
        "lists": [number for number, said in lines if said["fact"] == "list" and number <= shown],
        "register": register(lines, merges, shown) if ruleset in WITH_REGISTER else [],
    }


def version_of(lines: list[Line], rated: int) -> Line:
    name = lines[rated - 1][1]["section"]
    return [each for each in lines[:rated] if each[1]["fact"] == "section" and each[1]["id"] == name][-1]


def particulars(lines: list[Line], name: str, above: int) -> tuple[Any, ...]:
    own = [(number, said) for number, said in lines if said["fact"] == "player" and said["id"] == name]
    earlier = [said for number, said in own if number <= above]
    said = earlier[-1] if earlier else own[0][1]
    return said.get("nation"), said.get("resident", True), said.get("included_by")


def fallbacks(
    lines: list[Line], merges: list[tuple[str, str]], number: int, version: dict[str, Any]
) -> dict[str, int]:
    """Whose entry states none: the last that any section's line above this one stated, else 1200."""
    found = {}
    for entry in version["entries"]:
        if "pre" in entry:
            continue
        name = read_as(merges, entry["player"])
        stated = [
            other["pre"]
            for line, said in lines
            if said["fact"] == "section" and line < number
            for other in said["entries"]
            if "pre" in other and read_as(merges, other["player"]) == name
        ]
        found[name] = stated[-1] if stated else 1200
    return found


def openings(lines: list[Line], merges: list[tuple[str, str]]) -> dict[tuple[str, str], tuple[str, int]]:
    """Those that hold: a merge hands over what the other has not."""
    held = {
        (said["player"], said["track"]): (said["rating"], said["games"])
        for _number, said in lines
        if said["fact"] == "opening"
    }
    for player, into in merges:
        for name, track in list(held):
            if name == player:
                given = held.pop((name, track))
                held.setdefault((into, track), given)
    return held


def register(lines: list[Line], merges: list[tuple[str, str]], shown: int) -> list[tuple[int, str, Any]]:
    """The lines of the register that are read: none of somebody who is merged."""
    merged = {player for player, _into in merges}
    return [
        (number, said["id"], (said.get("nation"), said.get("resident", True), said.get("included_by")))
        for number, said in lines
        if said["fact"] == "player" and number <= shown and said["id"] not in merged
    ]
