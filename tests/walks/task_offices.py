"""Offices for the tasks of docs/staff-tasks.md that no season has: each with what its tasks begin with."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from tests.browser_office import TODAY
from tests.walks.seasons import REGION, SEASONS, Season, open_one
from tests.walks.waiting_sections import Filing, day_of, name_of

CSA, SSDC, PISKVORKY, PFO = (
    replace(season, purpose="tasks") for season in SEASONS if season.walk.slug != "mahjong"
)
WAITING = 62
"""So many sections wait in pfo: more than one page of the queue."""
IN_THE_OTHER = (12, 40, 61)
"""Which of them, counted from the oldest, were played in the office's second region."""
SECOND_REGION = "Silesia"
TWO_SECTIONS, LAST_YEARS, ONE_DAY, SAME_DAY = "Aloe Open", "Baobab Trials", "Cedar Rapid", "Date Palm Rapid"
LATE_EVENT, DUE_EVENT = "Harbour Cup", "Lighthouse Cup"


def open_task_offices() -> None:
    for season in (CSA, SSDC, PISKVORKY, PFO):
        open_one(season)
    in_csa()
    in_ssdc()
    in_pfo()


def filing(season: Season, particulars: dict[str, Any], region: Any = None) -> Filing:
    from players.models import Federation, User

    office = Federation.objects.get(code=season.code)
    by = User.objects.get(email=season.address(REGION))
    return Filing(office, by, region or office.regions.get(code=season.region), season.walk, particulars)


def in_csa() -> None:
    """An event of two sections, one of last year with three, and two of one day with the same players."""
    control = {"minutes": [90], "increment": 30}
    csa = filing(CSA, {"platform": "otb", "time_controls": [control]})
    csa.event(TWO_SECTIONS, TODAY + timedelta(days=40), sections=("A", "B"))
    csa.event(LAST_YEARS, TODAY - timedelta(days=364), sections=("U10", "U14", "U18"))
    for name, place in ((ONE_DAY, "Pretoria"), (SAME_DAY, "Durban")):
        csa.submitted(name, TODAY - timedelta(days=3), place=place)


def in_ssdc() -> None:
    """What is late, and what is due within a week."""
    asked = {"time_class": "classic", "category": "fourth", "held_by": "club"}
    ssdc = filing(SSDC, asked)
    ssdc.event(LATE_EVENT, TODAY - timedelta(days=20))
    ssdc.event(DUE_EVENT, TODAY + timedelta(days=1))


def in_pfo() -> None:
    """More waiting sections than a page of the queue shows, some of them of a second region."""
    from players.appointments import add_region, appoint
    from players.models import Federation, Role

    office = Federation.objects.get(code=PFO.code)
    second = add_region(federation=office, code="SLK", name=SECOND_REGION, by=None, on=TODAY)
    appoint(
        federation=office,
        email=PFO.address(REGION),
        role=Role.REGIONAL,
        region=second,
        starts=date(2020, 7, 1),
        by=None,
        on=TODAY,
    )
    for nth in range(1, WAITING + 1):
        day = day_of(nth)
        first = day.year - (day.month < 12)  # §17: a season begins in December
        asked = {"status": "gpp", "season": f"{first}/{first + 1}"}
        pfo = filing(PFO, asked, second if nth in IN_THE_OTHER else None)
        pfo.submitted(name_of(nth), day, place="Gdynia")
