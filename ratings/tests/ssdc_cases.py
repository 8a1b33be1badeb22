"""Sports Dots: each finding, provoked, and the nearest filing without it."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from ratings.rulesets.facts import Entrant, Entry, Filing, State
from ratings.rulesets.ssdc.edition_2017 import CLASSIC, RAPID
from ratings.rulesets.ssdc.standing import ConfirmedRank, SsdcStanding
from ratings.tests.findings import Case, Filed
from ratings.tests.ssdc_record import DAY, section_of

GAMES = "1 Ada 1-0 Boris\n2 Boris 1-0 Clara\n3 Clara 1-0 Ada"
WEEK = timedelta(7)
ONE = timedelta(1)


def played(games: str = GAMES, **fields: Any) -> Filed:
    return Filed(section_of(games, **fields))


def said(category: str = "highest", **conditions: Any) -> Filed:
    return Filed(section_of(GAMES, category=category), Filing(said=conditions))


def filed(**changes: Any) -> Filed:
    return Filed(section_of(GAMES), Filing(**changes))


def placed(*places: int | None) -> Filed:
    names = ("Ada", "Boris", "Clara")
    return played(entries=tuple(Entry(name, place) for name, place in zip(names, places, strict=True)))


def rated(rating: str) -> Filed:
    """Somebody of this rating in a tournament up to 2200."""
    ratings = {CLASSIC: Decimal(rating), RAPID: Decimal(2300)}
    return limited({"highest_rating": 2200}, {track: SsdcStanding(each) for track, each in ratings.items()})


def ranked(rank: str) -> Filed:
    """Somebody whose rank was confirmed in rapid play, in a classic tournament up to first-class players."""
    held = SsdcStanding(confirmed=ConfirmedRank(rank, DAY, "2.4.2"))
    return limited({"highest_rank": "1"}, {CLASSIC: SsdcStanding(Decimal(1500)), RAPID: held})


def limited(said: dict[str, Any], standings: dict[str, SsdcStanding]) -> Filed:
    """Ada with these standings, in a tournament with such a limit."""
    state = State({("Ada", track): standing for track, standing in standings.items()})
    filing = Filing(said=said, state=state, entrants=(Entrant("Ada", "Ada"),))
    return Filed(section_of(GAMES, category="second"), filing)


def of_sexes(*sexes: str) -> Filed:
    entrants = tuple(Entrant(sex, "Ada", sex=sex) for sex in sexes)
    filing = Filing(said={"one_gender": True}, entrants=entrants)
    return Filed(section_of(GAMES, category="first"), filing)


def match(category: str, **conditions: Any) -> Filed:
    section = section_of("1 Ada 1-0 Boris", format="match", category=category)
    return Filed(section, Filing(said=conditions))


def sent(before: int) -> Filed:
    """Another organizer's regulations, so many days before players could register."""
    return filed(said={"held_by": "other", "sent_on": DAY - before * ONE, "entry_from": DAY})


CASES = {
    "before-the-regulations": Case(
        played(starts=date(2017, 1, 26), ends=DAY), played(starts=date(2017, 1, 27), ends=DAY)
    ),
    "no-time-class": Case(played(time_class=None), played(time_class="blitz")),
    "no-category": Case(played(category=None), played(category="fourth")),
    "friendly": Case(played(category="friendly"), played(category="fourth")),
    "too-high": Case(said("first", guaranteed_places=True), said("second", guaranteed_places=True)),
    "too-high-for-format": Case(
        played(format="swiss", category="highest"), played(format="swiss", category="first")
    ),
    "too-high-for-match": Case(match("third"), match("third", for_a_title=True)),
    "above-limit": Case(rated("2200.1"), rated("2200")),
    "above-rank-limit": Case(ranked("C"), ranked("1")),
    "two-genders": Case(of_sexes("f", "m"), of_sexes("f", "")),
    "places-missing": Case(placed(1, 2, None), placed(1, 2, 3)),
    "nobody-first": Case(placed(2, 2, 3), placed(1, 1, 3)),
    "place-out-of-line": Case(placed(1, 1, 2), placed(1, 1, 3)),
    "no-games": Case(played("1 Ada +:- Boris"), played("1 Ada 0-0 Boris")),
    "annulled-no-replay": Case(
        played(GAMES + "\n3 Ada annulled Boris"),
        played(GAMES + "\n3 Ada annulled Boris\n3 Boris 1-0 Ada"),
    ),
    "played-again": Case(
        played(GAMES + "\n3 Clara 1/2 Ada"), played("1 Ada 1-0 Boris\n3 Clara 1/2 Ada\n3 Clara 1-0 Ada")
    ),
    "announced-late": Case(sent(6), sent(7)),
    "sending-not-said": Case(
        filed(said={"held_by": "other", "sent_on": DAY}), filed(said={"held_by": "club"})
    ),
    "holder-not-said": Case(filed(registered=DAY - WEEK + ONE), filed(registered=DAY - WEEK)),
    "filed-late": Case(filed(handed_in=DAY + 4 * ONE), filed(handed_in=DAY + 3 * ONE)),
    "filed-early": Case(filed(filed=DAY - ONE), filed(filed=DAY)),
}
