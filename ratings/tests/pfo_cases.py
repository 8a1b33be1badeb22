"""Polish Othello: each finding, provoked, and the nearest filing without it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from ratings.rulesets.facts import Entrant, Entry, Filing
from ratings.tests.findings import Case, Filed
from ratings.tests.pfo_record import player, section_of

SOUND = section_of("1 Adam 1-0 Basia\n2 Basia 0-1 Adam")


def filed(**changes: Any) -> Filed:
    return Filed(replace(SOUND, **changes))


def placed(*places: int | None) -> Filed:
    return filed(
        entries=tuple(Entry(name, place) for name, place in zip(("Adam", "Basia"), places, strict=True))
    )


def known(status: str = "gpp", sex: str = "m", **particulars: Any) -> Filed:
    adam = Entrant("Adam", "Adam", sex=sex, nation="POL")
    register = {"Adam": player("Adam", **particulars)}
    return Filed(replace(SOUND, status=status), Filing(particulars=register, entrants=(adam,)))


def new(status: str = "gpp", **particulars: Any) -> Filed:
    nowak = Entrant("#1", "Nowak", "Adam", new=True, **{"nation": "POL", "sex": "m"} | particulars)
    return Filed(replace(SOUND, status=status), Filing(entrants=(nowak,)))


CASES = {
    "before-the-regulations": Case(
        filed(starts=date(2009, 12, 11), ends=date(2009, 12, 12)), filed(starts=date(2009, 12, 12))
    ),
    "no-status": Case(filed(status=None), filed(status="mp")),
    "no-season": Case(filed(season=None), filed(season="2009/2010")),
    "season-form": Case(filed(season="2009/2011"), filed(season="2009/2010")),
    "season-days": Case(filed(ends=date(2011, 1, 1)), filed(ends=date(2010, 12, 31))),
    "held-abroad": Case(filed(country="CZE"), filed(country="CZE", status="egp")),
    "no-place": Case(placed(1, None), placed(1, 2)),
    "place-out-of-line": Case(placed(1, 3), placed(1, 1)),
    "games-not-rated": Case(filed(status="egp"), filed(status="egp", games=())),
    "no-games": Case(Filed(section_of("1 Adam +:- Basia")), Filed(section_of("1 Adam 1/2 Basia"))),
    "nation-unknown": Case(known(nation=None), known(nation="CZE")),
    "sex-unknown": Case(known("mp", sex=""), known("gpp", sex="")),
}
MORE = {
    "nation-unknown": Case(new(nation=""), new()),
    "sex-unknown": Case(new("mp", sex=""), new("mp")),
}
"""The same of players who are new in the register."""
