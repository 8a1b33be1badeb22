"""§1–§4: may a competition be admitted? The questions are asked twice: as declared, and as played."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import NamedTuple

from ratings.law.facts import Player, PlayerId, Section
from ratings.law.filing_particulars import Filing
from ratings.law.rule_outputs import Deadline, Finding, Level, Value
from ratings.law.ruleset_helpers.shared_places import recount
from ratings.law.ruleset_hooks import Requirement
from ratings.rulesets.mahjong.edition_undated.apply_facts import HOME
from ratings.rulesets.mahjong.edition_undated.formulas import SPECIAL_WEIGHTS, WEIGHTS, weight

STATUSES = (*WEIGHTS, "special")  # §1.1
ABROAD = ("foreign", "european", "world")
"""The statuses of foreign and international competitions, championships of Europe and the world
among them.
"""
REPRESENTED = {"city": 5, "region": 5, "national": 9}  # §1.3: of the city or region, of Russia


class CompetitionSize(NamedTuple):
    """The least that a competition of some status needs."""

    players: int
    """§1.2: players."""
    members: int
    """§1.3: players who are members of the federation."""
    sessions: int
    """§1.5: sessions."""


SIZES = {  # §1.2 §1.3 §1.5
    "city": CompetitionSize(8, 2, 3),
    "region": CompetitionSize(12, 2, 3),
    "national": CompetitionSize(16, 6, 4),
    "special": CompetitionSize(12, 6, 4),
    "foreign": CompetitionSize(24, 2, 5),
    "european": CompetitionSize(24, 2, 5),
    "world": CompetitionSize(24, 2, 5),
}


@dataclass(frozen=True, slots=True)
class CompetitionParticulars:
    """The particulars of a competition on which the decision on admission rests (§3), as declared or as
    played. None: not given.
    """

    status: str | None
    coefficient: int | None
    players: int | None
    sessions: int
    """0: not given."""
    starts: date
    members: int | None = None
    representing: int | None = None
    announced: date | None = None
    membership: date | None = None
    """The day from which §1.3 holds; None: membership is not introduced (D-RMF-5)."""
    entry: str | None = "open"
    """The entry of players: `open` to everybody, or `closed`."""
    played_by: str | None = "wmo"
    """The rules of play: `wmo`, `approved` (the federation approved the changes) or `other`."""
    abroad: bool = False
    late: Level = Level.WAIVABLE
    """The level of a finding that something came late."""
    unsaid: Level = Level.WAIVABLE
    """The level of a finding that something is not given."""


Check = Callable[[CompetitionParticulars], Iterator[Finding]]


def preliminary(declared: CompetitionParticulars) -> list[Finding]:
    """§3: the findings of the first decision, before the competition, on what its organizers declare."""
    return [finding for each in REQUIREMENTS for finding in each(declared)]


def final(was: CompetitionParticulars, declared: CompetitionParticulars | None) -> list[Finding]:
    """§3: the findings of the second decision, after the competition: on what it was, and whether the
    coefficient changed without the status (§4).
    """
    return [*preliminary(was), *check_revision(was, declared)]


def check_status(competition: CompetitionParticulars) -> Iterator[Finding]:
    """§1.1, §4: check that the status is known, and has a coefficient where the Presidium chooses it."""
    if competition.status not in STATUSES:
        yield Finding("1.1", Level.BLOCKS, "no-status", where="status")
    elif competition.status == "special" and competition.coefficient not in SPECIAL_WEIGHTS:
        yield Finding("4", Level.BLOCKS, "no-coefficient", where="coefficient")


def check_entry(competition: CompetitionParticulars) -> Iterator[Finding]:
    """§1.1: check that any but a special tournament is open to everybody, and a championship held at home."""
    if competition.status not in STATUSES or competition.status == "special":
        return
    if competition.entry == "closed":
        yield Finding("1.1", Level.BLOCKS, "not-open", where="entry")
    elif competition.entry is None:
        yield Finding("1.1", competition.unsaid, "entry-not-said", where="entry")
    if competition.abroad and competition.status not in ABROAD:
        yield Finding("1.1", Level.WAIVABLE, "championship-abroad", where="status")


def check_players(competition: CompetitionParticulars) -> Iterator[Finding]:
    """§1.2: check that there are as many players as the status needs."""
    size = SIZES.get(competition.status or "")
    if size and competition.players is None:
        yield Finding("1.2", competition.unsaid, "players-not-said", {"needed": size.players}, "expected")
    elif size and competition.players is not None and competition.players < size.players:
        found = {"players": competition.players, "needed": size.players}
        yield Finding("1.2", Level.BLOCKS, "too-few-players", found, "players")


def check_members(competition: CompetitionParticulars) -> Iterator[Finding]:
    """§1.3: check that enough players are members of the federation; a notice until membership is introduced
    (D-RMF-5).
    """
    size = SIZES.get(competition.status or "")
    if size is None:
        return
    if competition.members is None:
        if holds(competition):
            yield Finding("1.3", Level.WAIVABLE, "members-not-known", {"needed": size.members}, "members")
    elif competition.members < size.members:
        level = Level.BLOCKS if holds(competition) else Level.NOTICE
        found = {"members": competition.members, "needed": size.members}
        yield Finding("1.3", level, "too-few-members", found, "members")


def check_representing(competition: CompetitionParticulars) -> Iterator[Finding]:
    """§1.3: check that enough players are of the city, the region or Russia; a notice until membership is
    introduced (D-RMF-5).
    """
    needed = REPRESENTED.get(competition.status or "", 0)
    if competition.representing is None:
        if needed and holds(competition):
            yield Finding("1.3", Level.WAIVABLE, "representing-not-known", {"needed": needed}, "representing")
        return
    if competition.representing >= needed:
        return
    level = Level.BLOCKS if holds(competition) else Level.NOTICE
    key = "too-few-of-russia" if competition.status == "national" else "too-few-of-the-place"
    found = {"representing": competition.representing, "needed": needed}
    yield Finding("1.3", level, key, found, "representing")


def check_rules(competition: CompetitionParticulars) -> Iterator[Finding]:
    """§1.4: check that it is played by the world organization's rules, or with changes that the federation
    approved.
    """
    if competition.played_by == "other":
        yield Finding("1.4", Level.BLOCKS, "other-rules", where="played_by")
    elif competition.played_by is None:
        yield Finding("1.4", competition.unsaid, "rules-not-said", where="played_by")


def holds(competition: CompetitionParticulars) -> bool:
    """§6: whether the conditions of §1.3 apply: membership had been introduced by the competition's first
    day.
    """
    return competition.membership is not None and competition.starts >= competition.membership


def check_sessions(competition: CompetitionParticulars) -> Iterator[Finding]:
    """§1.5: check that there are as many sessions as the status needs."""
    size = SIZES.get(competition.status or "")
    if size and not competition.sessions:
        yield Finding("1.5", Level.BLOCKS, "sessions-not-known", {"needed": size.sessions}, "rounds")
    elif size and competition.sessions < size.sessions:
        found = {"sessions": competition.sessions, "needed": size.sessions}
        yield Finding("1.5", Level.BLOCKS, "too-few-sessions", found, "rounds")


def check_announcement(competition: CompetitionParticulars) -> Iterator[Finding]:
    """§1.6: check that it was announced a month before the first session, unless abroad."""
    if competition.announced is None or competition.status in ABROAD:
        return
    latest = month_before(competition.starts)
    if competition.announced > latest:
        found: dict[str, Value] = {"announced": competition.announced, "latest": latest}
        yield Finding("1.6", competition.late, "announced-late", found, "announced_on")


def check_revision(was: CompetitionParticulars, declared: CompetitionParticulars | None) -> Iterator[Finding]:
    """§4: check that the coefficient of the first decision changed only together with the status."""
    if declared is None or declared.status != was.status:
        return
    before, now = (weight(each.status, each.coefficient) for each in (declared, was))
    if before != now:
        yield Finding("4", Level.BLOCKS, "revised-alone", {"before": before, "now": now}, "coefficient")


REQUIREMENTS: tuple[Check, ...] = (
    check_status,
    check_entry,
    check_players,
    check_members,
    check_representing,
    check_rules,
    check_sessions,
    check_announcement,
)


def month_before(day: date) -> date:
    """The same day of the month before, or that month's last day where it has no such day."""
    year, month = (day.year, day.month - 1) if day.month > 1 else (day.year - 1, 12)
    first_of_next = date(year + month // 12, month % 12 + 1, 1)
    last = (first_of_next - date(year, month, 1)).days
    return date(year, month, min(day.day, last))


# ------------------------------------------------------------------------------- a section as filed


def admission(section: Section, filing: Filing) -> list[Finding]:
    """The findings of the first decision on a section, before play, on what its organizers declare."""
    return preliminary(replace(described(section, filing), players=filing.said.get("expected")))


def check(section: Section, filing: Filing) -> list[Finding]:
    """The findings of the final decision on a section: the requirements, and whether places and players are
    in order.
    """
    was = described(section, filing)
    declared = described(filing.declared, filing) if filing.declared else None
    findings = final(was, declared)
    for each in (check_declared, check_over, check_places, check_nations):
        findings += each(section, filing)
    return findings


def described(section: Section, filing: Filing) -> CompetitionParticulars:
    """The particulars of a competition for admission, from its section and what the organizers say."""
    said = filing.said
    return CompetitionParticulars(
        status=section.status,
        coefficient=section.coefficient,
        players=len(section.entries),
        sessions=section.rounds,
        starts=section.starts,
        members=filing.said.get("members"),
        representing=representing(section, filing),
        announced=said.get("announced_on") or filing.registered,
        membership=filing.membership,
        entry=said.get("entry"),
        played_by=said.get("played_by"),
        abroad=section.country not in (None, HOME),
        late=filing.late(),
        unsaid=filing.incomplete(),
    )


def representing(section: Section, filing: Filing) -> int | None:
    """§1.3: the number of players who are of the city, the region or Russia, as the organizers say; None:
    nobody knows.

    Of Russia the register knows them too. No register knows for which city or region somebody plays.
    """
    said: int | None = filing.said.get("representing")
    register: Mapping[PlayerId, Player] = filing.particulars
    people = [register[entry.player] for entry in section.entries if entry.player in register]
    if said is None and section.status == "national" and people:
        return sum(person.nation == HOME for person in people)
    return said


def deadlines(section: Section, filing: Filing) -> list[Deadline]:
    """§1.6 §3: the days by which the competition is announced, and first decided on."""
    decision = Deadline(
        "3", "due-decision", section.starts - timedelta(1), filing.declared_on, by_office=True
    )
    if section.status in ABROAD:
        return [decision]
    announced = filing.said.get("announced_on") or filing.registered
    return [Deadline("1.6", "due-announcement", month_before(section.starts), announced), decision]


def check_declared(section: Section, filing: Filing) -> Iterator[Finding]:
    """§3: check that the first decision came before the competition."""
    if filing.declared is None:
        yield Finding("3", filing.late(), "not-declared", {"starts": section.starts}, "declared")
    elif filing.declared_on and filing.declared_on >= section.starts:
        found: dict[str, Value] = {"declared": filing.declared_on, "starts": section.starts}
        yield Finding("3", filing.late(), "declared-late", found, "declared")


def check_over(section: Section, filing: Filing) -> Iterator[Finding]:
    """§3: check that the results came after the competition's end."""
    if filing.filed and filing.filed < section.ends:
        found: dict[str, Value] = {"filed": filing.filed, "ends": section.ends}
        yield Finding("3", Level.BLOCKS, "not-over", found, "ends")


def check_places(section: Section, filing: Filing) -> Iterator[Finding]:
    """§5: check that everyone has a place, and each place is one more than the players before it
    (D-RMF-1).
    """
    places = [entry.place for entry in section.entries if entry.place is not None]
    for entry in section.entries:
        if entry.place is None:
            player: dict[str, Value] = {"player": filing.name_of(entry.player)}
            yield Finding("5", Level.BLOCKS, "no-place-given", player, "places")
    for place, due in recount(places).items():
        if place > len(section.entries):
            found = {"place": place, "players": len(section.entries)}
            yield Finding("5", Level.BLOCKS, "place-beyond", found, f"place {place}")
        elif place != due and len(places) == len(section.entries):
            found = {"place": place, "before": due - 1}
            yield Finding("5", Level.WAIVABLE, "place-out-of-line", found, f"place {place}")


def check_nations(section: Section, filing: Filing) -> Iterator[Finding]:
    """§2, D-6: note the players of no known nation, who have no place in the rating."""
    known = [filing.particulars[e.player] for e in section.entries if e.player in filing.particulars]
    new = [entrant for entrant in filing.entrants if entrant.new]
    unknown = [person.name for person in (*known, *new) if not person.nation]
    if unknown:
        found: dict[str, Value] = {"count": len(unknown), "players": "; ".join(unknown)}
        yield Finding("2", Level.NOTICE, "nation-unknown", found, "players")


def unrateable(section: Section) -> Finding | None:
    """The finding that no decision can mend: no status, no coefficient, or only one player (§5)."""
    ka = weight(section.status, section.coefficient)
    if not ka:
        return next(check_status(described(section, Filing())))
    if len(section.entries) < 2:
        return Finding("5", Level.BLOCKS, "one-player", where="players")
    return None


LIST_BEFORE_PLAY = (
    Requirement(("1.1",)),
    Requirement(("1.2",)),
    Requirement(("1.3",), reads=("members", "representing")),
    Requirement(("1.4",)),
    Requirement(("1.5",)),
    Requirement(("1.6",)),
    Requirement(("4",)),
    Requirement(("3",), before_play=False),
    Requirement(("5",), before_play=False),
    Requirement(("2",), before_play=False),
)
"""The list before play, in the order of an organizer's work."""
