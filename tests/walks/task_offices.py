"""Offices for the tasks of the staff that no season has: each with what its tasks begin with."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from time import sleep
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


CORRECTED = "Willow Open"
"""The event of which a game was reported, in each office of corrections."""
CORRECTIONS = tuple(
    replace(season, purpose=purpose) for season in (CSA, PFO) for purpose in ("corrections", "four-eyes")
)
"""Offices in which one official may decide everything, and in which two have to."""
LISTED = TODAY - timedelta(days=1)


def open_task_offices() -> None:
    for season in (CSA, SSDC, PISKVORKY, PFO):
        open_one(season)
    for season in CORRECTIONS:
        open_for_corrections(season)
    in_csa()
    in_ssdc()
    in_pfo()


def filing(season: Season, particulars: dict[str, Any], region: Any = None) -> Filing:
    from players.models import Federation, User

    office = Federation.objects.get(code=season.code)
    by = User.objects.get(email=season.address(REGION))
    return Filing(office, by, region or office.regions.get(code=season.region), season.walk, particulars)


def open_for_corrections(season: Season) -> None:
    """A section in a published list, of which somebody reported that its first game was won by the other."""
    from django.utils import timezone
    from django.utils.translation import override

    from players.appointments import change_settings
    from players.models import Federation
    from players.settings import Settings
    from ratings import approval, publication
    from ratings.tests.office import not_known
    from tournaments.cases import ReportSubject, confirm_report, report
    from tournaments.models import Case

    open_one(season)
    control = {"platform": "otb", "time_controls": [{"minutes": [90], "increment": 30}]}
    ended = LISTED - timedelta(days=2)
    asked = control if season.walk.slug == "csa" else {"status": "gpp", "season": othello_season(ended)}
    section = filing(season, asked).submitted(CORRECTED, ended, place="Gdynia")
    approval.approve(section=section, by=None, on=LISTED, version=section.version, births=not_known(section))
    office = Federation.objects.get(code=season.code)
    fold(office)
    publication.publish_list(federation=office, by=None, on=LISTED)
    fold(office)
    if season.purpose == "four-eyes":
        change_settings(federation=office, by=None, on=TODAY, settings=Settings(four_eyes=True))
    section.refresh_from_db()
    first = ReportSubject(section=section, games=tuple(section.games.filter(order=1)))
    with override(season.walk.language):  # in which the report names its game
        report(
            federation=office,
            about=first,
            email=reporter_of(season),
            name="",
            words="The other one won.",
            at=timezone.now(),
            language=season.walk.language,
        )
    confirm_report(case=Case.objects.get(federation=office), on=TODAY, at=timezone.now())


def fold(office: Any) -> None:
    """Work out what was decided, unless the open office's worker was faster: then wait for it."""
    from players.models import Ledger
    from ratings.recompute import recompute

    recompute(office)
    while Ledger.objects.get(federation=office).pending:
        sleep(0.2)


def reporter_of(season: Season) -> str:
    return f"parent@{season.code}.example"


def othello_season(day: date) -> str:
    first = day.year - (day.month < 12)  # §17: a season begins in December
    return f"{first}/{first + 1}"


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
        asked = {"status": "gpp", "season": othello_season(day)}
        pfo = filing(PFO, asked, second if nth in IN_THE_OTHER else None)
        pfo.submitted(name_of(nth), day, place="Gdynia")
