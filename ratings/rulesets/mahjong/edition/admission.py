"""§1–§4: may a competition be admitted? The same questions twice: as declared, and as it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from ratings.rulesets.facts import Player, Section
from ratings.rulesets.mahjong.edition.rating import HOME
from ratings.rulesets.mahjong.edition.weights import SPECIAL_WEIGHTS, WEIGHTS, weight
from ratings.rulesets.reports import Finding, Level, Value
from ratings.rulesets.ruleset import Filing

STATUSES = (*WEIGHTS, "special")  # §1.1
ABROAD = ("foreign", "european", "world")
"""Foreign and international competitions, the championships of Europe and the world among them."""
REPRESENTED = {"city": 5, "region": 5, "national": 9}  # §1.3: of the city or region, of Russia


class Size(NamedTuple):
    """The least that a competition of a status has."""

    players: int
    """§1.2"""
    members: int
    """§1.3: of the federation."""
    sessions: int
    """§1.5"""


SIZES = {
    "city": Size(8, 2, 3),
    "region": Size(12, 2, 3),
    "national": Size(16, 6, 4),
    "special": Size(12, 6, 4),
    "foreign": Size(24, 2, 5),
    "european": Size(24, 2, 5),
    "world": Size(24, 2, 5),
}


@dataclass(frozen=True, slots=True)
class Competition:
    """What the decision on admission rests on (§3). None: not said."""

    status: str | None
    coefficient: int | None
    players: int
    sessions: int
    starts: date
    members: int | None = None
    representing: int | None = None
    announced: date | None = None
    membership: date | None = None
    """The day from which §1.3 holds; None: membership is not introduced (D-RMF-5)."""


Check = Callable[[Competition], Iterator[Finding]]


def preliminary(declared: Competition) -> list[Finding]:
    """§3: the first decision, before the competition, on what its organizers declare."""
    return [finding for each in REQUIREMENTS for finding in each(declared)]


def final(was: Competition, declared: Competition | None) -> list[Finding]:
    """§3: the second decision, after it, on what it was; a coefficient changes only with the status (§4)."""
    return [*preliminary(was), *check_revision(was, declared)]


def check_status(competition: Competition) -> Iterator[Finding]:
    """§1.1, §4: one of the statuses, and a coefficient where the Presidium chooses it."""
    if competition.status not in STATUSES:
        yield Finding("1.1", Level.BLOCKS, "no-status", where="status")
    elif competition.status == "special" and competition.coefficient not in SPECIAL_WEIGHTS:
        yield Finding("4", Level.BLOCKS, "no-coefficient", where="coefficient")


def check_players(competition: Competition) -> Iterator[Finding]:
    """§1.2."""
    size = SIZES.get(competition.status or "")
    if size and competition.players < size.players:
        found = {"players": competition.players, "needed": size.players}
        yield Finding("1.2", Level.BLOCKS, "too-few-players", found, "players")


def check_members(competition: Competition) -> Iterator[Finding]:
    """§1.3: members of the federation, as soon as there is membership (D-RMF-5)."""
    size = SIZES.get(competition.status or "")
    if size is None or not holds(competition):
        return
    if competition.members is None:
        yield Finding("1.3", Level.WAIVABLE, "members-not-known", {"needed": size.members}, "players")
    elif competition.members < size.members:
        found = {"members": competition.members, "needed": size.members}
        yield Finding("1.3", Level.BLOCKS, "too-few-members", found, "players")


def check_representing(competition: Competition) -> Iterator[Finding]:
    """§1.3: players of the place; a notice until membership is introduced (D-RMF-5)."""
    needed = REPRESENTED.get(competition.status or "", 0)
    if competition.representing is None or competition.representing >= needed:
        return
    level = Level.BLOCKS if holds(competition) else Level.NOTICE
    key = "too-few-of-russia" if competition.status == "national" else "too-few-of-the-place"
    found = {"representing": competition.representing, "needed": needed}
    yield Finding("1.3", level, key, found, "players")


def holds(competition: Competition) -> bool:
    """§6: whether the conditions of §1.3 apply to what began on that day."""
    return competition.membership is not None and competition.starts >= competition.membership


def check_sessions(competition: Competition) -> Iterator[Finding]:
    """§1.5."""
    size = SIZES.get(competition.status or "")
    if size and competition.sessions < size.sessions:
        found = {"sessions": competition.sessions, "needed": size.sessions}
        yield Finding("1.5", Level.BLOCKS, "too-few-sessions", found, "rounds")


def check_announcement(competition: Competition) -> Iterator[Finding]:
    """§1.6: a month before the first session, unless abroad."""
    if competition.announced is None or competition.status in ABROAD:
        return
    latest = month_before(competition.starts)
    if competition.announced > latest:
        found: dict[str, Value] = {"announced": competition.announced, "latest": latest}
        yield Finding("1.6", Level.WAIVABLE, "announced-late", found, "registered")


def check_revision(was: Competition, declared: Competition | None) -> Iterator[Finding]:
    """§4: the coefficient of the first decision is revised only together with the status."""
    if declared is None or declared.status != was.status:
        return
    before, now = (weight(each.status, each.coefficient) for each in (declared, was))
    if before != now:
        yield Finding("4", Level.BLOCKS, "revised-alone", {"before": before, "now": now}, "coefficient")


REQUIREMENTS: tuple[Check, ...] = (
    check_status,
    check_players,
    check_members,
    check_representing,
    check_sessions,
    check_announcement,
)


def month_before(day: date) -> date:
    """The same day of the month before; its last where it has no such day."""
    year, month = (day.year, day.month - 1) if day.month > 1 else (day.year - 1, 12)
    first_of_next = date(year + month // 12, month % 12 + 1, 1)
    last = (first_of_next - date(year, month, 1)).days
    return date(year, month, min(day.day, last))


# ------------------------------------------------------------------------------- a section as filed


def check(section: Section, filing: Filing) -> list[Finding]:
    """The final decision on a section: the requirements, and what makes places and results sound."""
    was = described(section, filing)
    declared = described(filing.declared, filing) if filing.declared else None
    findings = final(was, declared)
    for each in (check_over, check_places, check_nations):
        findings += each(section, filing)
    return findings


def described(section: Section, filing: Filing) -> Competition:
    """What the record says of a competition; where the register is not known, who it represents is not."""
    people = [filing.particulars[e.player] for e in section.entries if e.player in filing.particulars]
    members = filing.members
    return Competition(
        status=section.status,
        coefficient=section.coefficient,
        players=len(section.entries),
        sessions=section.rounds,
        starts=section.starts,
        members=None if members is None else sum(e.player in members for e in section.entries),
        representing=representing(section, people) if people else None,
        announced=filing.registered,
        membership=filing.membership,
    )


def representing(section: Section, people: list[Player]) -> int:
    """§1.3: how many are of Russia, or of the one region that most are of."""
    if section.status == "national":
        return sum(person.nation == HOME for person in people)
    regions = Counter(person.region for person in people if person.region)
    return max(regions.values(), default=0)


def check_over(section: Section, filing: Filing) -> Iterator[Finding]:
    """§3: the final decision comes after the end."""
    if filing.filed and filing.filed < section.ends:
        found: dict[str, Value] = {"filed": filing.filed, "ends": section.ends}
        yield Finding("3", Level.BLOCKS, "not-over", found, "ends")


def check_places(section: Section, filing: Filing) -> Iterator[Finding]:
    """§5: each place is one more than the players before it, of all who took part (D-RMF-1)."""
    places = [entry.place for entry in section.entries if entry.place is not None]
    for entry in section.entries:
        if entry.place is None:
            yield Finding("5", Level.BLOCKS, "no-place-given", where=f"player {entry.player}")
    for place in sorted(set(places)):
        before = sum(other < place for other in places)
        if place > len(section.entries):
            found = {"place": place, "players": len(section.entries)}
            yield Finding("5", Level.BLOCKS, "place-beyond", found, f"place {place}")
        elif place != before + 1 and len(places) == len(section.entries):
            found = {"place": place, "before": before}
            yield Finding("5", Level.WAIVABLE, "place-out-of-line", found, f"place {place}")


def check_nations(section: Section, filing: Filing) -> Iterator[Finding]:
    """§2, D-6: who is of no known nation has no place in the rating."""
    known = [filing.particulars[e.player] for e in section.entries if e.player in filing.particulars]
    unknown = [player.id for player in known if not player.nation]
    if unknown:
        found: dict[str, Value] = {"count": len(unknown), "players": ", ".join(unknown)}
        yield Finding("2", Level.NOTICE, "nation-unknown", found, "players")


def unrateable(section: Section) -> Finding | None:
    """What no decision can mend: no status, no coefficient, or nobody to have come before (§5)."""
    ka = weight(section.status, section.coefficient)
    if not ka:
        return next(check_status(described(section, Filing())))
    if len(section.entries) < 2:
        return Finding("5", Level.BLOCKS, "one-player", where="players")
    return None
