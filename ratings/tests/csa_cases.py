"""Chess South Africa: each finding, provoked, and the nearest filing without it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from ratings.rulesets.facts import Entry, Filing, Section, TimeControl
from ratings.tests.csa_filing import GUGU, JOHAN, entrant, section, sound
from ratings.tests.csa_record import DAY
from ratings.tests.findings import Case, Filed

DAYS = [DAY + timedelta(number) for number in range(40)]
BEFORE = [DAY - timedelta(number) for number in range(40)]


def filed(section_: Section | None = None, /, **changes: Any) -> Filed:
    """A sound filing of a sound section, changed in this."""
    section_ = section_ or section()
    return Filed(section_, sound(section_, **changes))


def played(**fields: Any) -> Filed:
    return filed(section(**fields))


def minutes(base: str, increment: int) -> tuple[TimeControl, ...]:
    return (TimeControl((Decimal(base),), Decimal(increment)),)


def scheveningen(*teams: str | None) -> Filed:
    entries = [Entry(f"P{number}", team=team) for number, team in enumerate(teams)]
    return played(players=len(teams), format="scheveningen", team=True, entries=entries)


def player(**particulars: Any) -> Filed:
    return filed(entrants=(entrant(**particulars),))


def arbiter(**particulars: Any) -> Filed:
    return filed(arbiters=(replace(GUGU, **particulars), JOHAN))


def fide(kind: str = "non-norm", **changes: Any) -> Filed:
    said = {"said": {"fide_rated": kind}, "registered": DAYS[0] - timedelta(30), "arbiters": (GUGU,)}
    return filed(section(), **said | changes)


def abroad(**changes: Any) -> Filed:
    said: dict[str, Any] = {"said": {"fide_rated": "norm"}, "arbiters": (GUGU,)}
    return filed(section(country="ZIM"), **said | changes)


CLUB = Filing(said={"club": True}).said
A, B = "Cape", "Natal"

CASES = {
    "before-the-regulations": Case(
        Filed(section(starts=date(2020, 6, 30), ends=date(2020, 6, 30))),
        Filed(section(starts=date(2020, 7, 1), ends=date(2020, 7, 1))),
    ),
    "no-time-control": Case(played(time_controls=()), played(time_controls=minutes("90", 30))),
    "too-fast": Case(played(time_controls=minutes("3", 1)), played(time_controls=minutes("3", 2))),
    "no-platform": Case(played(platform=None), played(platform="mixed")),
    "format-not-rated": Case(played(format="knockout"), played(format="knockout", disabled=True)),
    "too-few-players": Case(played(players=5), played(players=6)),
    "no-teams": Case(scheveningen(*[A] * 5, *[B] * 4, None), scheveningen(*[A] * 5, *[B] * 5)),
    "too-few-in-team": Case(scheveningen(*[A] * 5, *[B] * 4), scheveningen(*[A] * 5, *[B] * 5)),
    "too-few-rounds": Case(
        played(players=4, rounds=5, format="double-round-robin"),
        played(players=4, rounds=6, format="double-round-robin"),
    ),
    "far-too-few-rounds": Case(played(rounds=4), played(rounds=5)),
    "asked-late": Case(filed(section(5), handed_in=DAYS[2]), filed(section(5), handed_in=DAYS[1])),
    "abroad": Case(abroad(), fide()),
    "abroad-not-fide-rated": Case(abroad(said={}), abroad()),
    "abroad-late": Case(abroad(handed_in=DAYS[31]), abroad(handed_in=DAYS[30])),
    "registered-late": Case(filed(registered=BEFORE[2]), filed(registered=BEFORE[3])),
    "filed-late": Case(filed(handed_in=DAYS[15]), filed(handed_in=DAYS[14])),
    "filed-early": Case(filed(filed=BEFORE[1]), filed(filed=DAYS[0])),
    "not-by-the-region": Case(filed(by_region=False), abroad(by_region=False)),
    "no-name": Case(played(name=" "), played(name="A")),
    "days-reversed": Case(played(ends=BEFORE[1]), played(ends=DAY)),
    "no-region": Case(filed(region=""), filed(region="GAU")),
    "round-dates-missing": Case(filed(round_dates=(DAY,) * 4), filed(round_dates=(DAY,) * 5)),
    "no-organizer": Case(filed(organizer=" "), filed(organizer="Lindiwe Mabaso")),
    "organizer-unreachable": Case(
        filed(organizer="Lindiwe Mabaso, 1010"), filed(organizer="Lindiwe Mabaso, 10100")
    ),
    "no-arbiter": Case(filed(arbiters=()), filed(arbiters=(GUGU,))),
    "arbiter-name": Case(arbiter(name="Gugu"), arbiter(name="Gugu Radebe")),
    "arbiter-id": Case(arbiter(id=""), arbiter(id="14399001")),
    "arbiter-fide-id": Case(fide(arbiters=(JOHAN,)), filed(arbiters=(JOHAN,))),
    "arbiter-title": Case(arbiter(title=""), arbiter(title="NA")),
    "arbiter-twice": Case(filed(arbiters=(GUGU, GUGU)), filed(arbiters=(GUGU, JOHAN))),
    "arbiter-plays": Case(
        filed(entrants=(entrant(player="101000900"),)),
        filed(entrants=(entrant(player="101000900"),), said=CLUB),
    ),
    "first-names-missing": Case(player(first_name="T. J."), player(first_name="T. J. Thabo")),
    "births-missing": Case(player(birth="1991"), player(birth="1991-04-02")),
    "sexes-missing": Case(player(sex=""), player(sex="f")),
    "fide-ids-missing": Case(fide(entrants=(entrant(fide_id=""),)), player(fide_id="")),
    "host-region": Case(player(new=True), player(new=False)),
    "handles-missing": Case(
        filed(section(platform="online"), entrants=(entrant(handle=""),)),
        filed(section(platform="online"), entrants=(entrant(handle="thabo"),)),
    ),
}
