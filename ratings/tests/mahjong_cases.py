"""Russian mahjong: each finding, provoked, and the nearest filing without it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from ratings.rulesets.facts import Entry, Filing, Section
from ratings.tests.findings import Case, Filed
from ratings.tests.mahjong_record import DAY, player, section_of

MEMBERSHIP = {"membership": DAY.isoformat()}
"""Settings of an office that has introduced membership by the day of play."""
OPEN = {"entry": "open", "played_by": "wmo"}
YESTERDAY = DAY - timedelta(1)


def section(players: int = 12, **fields: Any) -> Section:
    return section_of(" ".join(f"P{number:02}" for number in range(1, players + 1)), **fields)


def filed(section_: Section | None = None, said: dict[str, Any] | None = None, **changes: Any) -> Filed:
    """A championship of a city, open, declared in time; changed in this."""
    section_ = section_ or section()
    sound = Filing(
        registered=date(2020, 1, 2),
        filed=section_.ends,
        said=OPEN | (said or {}),
        declared=section_,
        declared_on=section_.starts - timedelta(1),
    )
    return Filed(section_, replace(sound, **changes))


def declared(**said: Any) -> Filed:
    """Before play, when nobody is entered yet."""
    return filed(section(0), said={"expected": 8} | said)._replace(before_play=True)


def said(status: str = "city", players: int = 12, **answers: Any) -> Filed:
    return filed(section(players, status=status), said=answers)


def placed(*places: int | None) -> Filed:
    entries = tuple(Entry(f"P{number}", place) for number, place in enumerate(places))
    return filed(replace(section(), entries=entries))


def special(coefficient: int | None, declared: int = 1) -> Filed:
    now = section(12, status="special", coefficient=coefficient)
    return filed(now, declared=replace(now, coefficient=declared))


def register(**particulars: Any) -> Filed:
    return filed(particulars={"P01": player("P01", **particulars)}, said={"representing": 5})


CASES = {
    "no-status": Case(said(status="club"), said(status="city")),
    "no-coefficient": Case(special(None), special(1)),
    "not-open": Case(
        said(entry="closed"), filed(section(status="special", coefficient=1), {"entry": "closed"})
    ),
    "entry-not-said": Case(said(entry=None), said(entry="open")),
    "championship-abroad": Case(
        filed(section(24, country="ZIM", rounds=5)),
        filed(section(24, country="ZIM", rounds=5, status="foreign")),
    ),
    "players-not-said": Case(declared(expected=None), declared(expected=8)),
    "too-few-players": Case(said(players=7), said(players=8)),
    "members-not-known": Case(
        filed(settings=MEMBERSHIP, said={"representing": 5}),
        filed(settings={"membership": (DAY + timedelta(1)).isoformat()}),
    ),
    "too-few-members": Case(
        filed(settings=MEMBERSHIP, said={"members": 1, "representing": 5}),
        filed(settings=MEMBERSHIP, said={"members": 2, "representing": 5}),
    ),
    "representing-not-known": Case(
        filed(settings=MEMBERSHIP, said={"members": 2}),
        filed(settings=MEMBERSHIP, said={"members": 2, "representing": 5}),
    ),
    "too-few-of-the-place": Case(said(representing=4), said(representing=5)),
    "too-few-of-russia": Case(said("national", 16, representing=8), said("national", 16, representing=9)),
    "other-rules": Case(said(played_by="other"), said(played_by="approved")),
    "rules-not-said": Case(said(played_by=None), said(played_by="wmo")),
    "sessions-not-known": Case(filed(section(rounds=0)), filed(section(rounds=3))),
    "too-few-sessions": Case(filed(section(rounds=2)), filed(section(rounds=3))),
    "announced-late": Case(said(announced_on=date(2020, 2, 2)), said(announced_on=date(2020, 2, 1))),
    "not-declared": Case(filed(declared=None, declared_on=None), filed()),
    "declared-late": Case(filed(declared_on=DAY), filed(declared_on=YESTERDAY)),
    "revised-alone": Case(special(2), special(1)),
    "not-over": Case(filed(filed=YESTERDAY), filed(filed=DAY)),
    "no-place-given": Case(placed(1, 2, 3, 4, 5, 6, 7, None), placed(1, 2, 3, 4, 5, 6, 7, 8)),
    "place-beyond": Case(placed(1, 2, 3, 4, 5, 6, 7, 9), placed(1, 2, 3, 4, 5, 6, 7, 8)),
    "place-out-of-line": Case(placed(1, 1, 2, 4, 5, 6, 7, 8), placed(1, 1, 3, 4, 5, 6, 7, 8)),
    "nation-unknown": Case(register(nation=None), register(nation="KAZ")),
    "one-player": Case(filed(section(1)), filed(section(2))),
}
