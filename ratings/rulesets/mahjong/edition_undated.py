"""The rating system of the Russian Mahjong Federation as known, undated; it holds for the whole record (D-9).

The parts are the weighted mean and its coefficients, the effect of a competition or a change of the register,
admission, the working of a change, and the rating of a day for readers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from math import lcm
from typing import NamedTuple

from ratings.rulesets.facts import (
    Answer,
    Bar,
    Change,
    Counts,
    Deadline,
    Fact,
    Filing,
    Finding,
    Grid,
    Level,
    ListedPlayer,
    Needs,
    Outcome,
    Parameter,
    Parameters,
    Player,
    PlayerId,
    RatedSection,
    RuleTable,
    Section,
    State,
    Value,
    Working,
    WorkingStep,
    ranked,
    recount,
)
from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.mahjong.standing import (
    AdmittedCompetition,
    AdmittedCompetitions,
    CompetitionPlayed,
    MahjongStanding,
)
from ratings.rulesets.ruleset import CONTEXT, SIXTEEN, Requirement
from ratings.rulesets.workings import NOTHING, Explain, explain_by_kind

# ---- §4 §5: the weighted mean and its coefficients, each of numbers and days alone.
WEIGHTS = {"city": 1, "region": 2, "foreign": 2, "national": 3, "european": 4, "world": 5}
"""§4, D-RMF-6: the weight kA of a competition by its status."""
SPECIAL_WEIGHTS = (1, 2)  # §4: a special tournament has a kA of its own
COMPETITIONS_NEEDED = 2  # §2: to be listed
YEARS_OF_WEIGHT = 4  # §5: each of the first four years takes a quarter of the weight
ABSENCE = Decimal("0.12")  # §5: kC of all competitions of a year together that one stayed away from
DECIMALS = 16  # D-RMF-8
UNIT = 10**DECIMALS


def weight(status: str | None, coefficient: int | None) -> int:
    """§4: the weight kA of a competition by its status, or a special one's own coefficient; 0: not known."""
    return coefficient or 0 if status == "special" else WEIGHTS.get(status or "", 0)


def anniversary(ends: date, years: int) -> date:
    """The same day so many years after a competition's last day; 28 February for 29 February in a common year
    (D-RMF-2).
    """
    try:
        return ends.replace(year=ends.year + years)
    except ValueError:
        return ends.replace(year=ends.year + years, day=28)


def quarters(ends: date, on: date) -> int:
    """§5: the quarters of its weight that a competition still has on a day: one less from the day after each
    anniversary (D-RMF-2).
    """
    gone = on.year - ends.year
    if gone > 0 and on <= anniversary(ends, gone):
        gone -= 1
    return YEARS_OF_WEIGHT - min(max(gone, 0), YEARS_OF_WEIGHT)


def time_coefficient(ends: date, on: date) -> Decimal:
    """§5: the coefficient kB on a day, from 1 for the newest competitions down to 0."""
    return Decimal(quarters(ends, on)) / YEARS_OF_WEIGHT


def absence_coefficient(admitted: int) -> Decimal:
    """§5: the coefficient kC of each competition that one stayed away from, by the number admitted in its
    year (D-RMF-3).
    """
    return ABSENCE / admitted


def result(players: int, place: int) -> Decimal:
    """§5: the result R of a place, from 1 for the first to 0 for the last of all who played (D-RMF-1)."""
    return Decimal(players - place) / (players - 1)


class Term(NamedTuple):
    """The part of one competition in the rating of whoever played it, on a day, in whole numbers."""

    players: int
    a_place: int
    """The numerator's gain for each player whom one came before: R × kA × kB, in parts."""
    instead: int
    """The denominator's gain over that of an absence, in parts."""


class Scale(NamedTuple):
    """The part of a day's ratings that is the same for all players, worked out once.

    Numerators and denominators are whole numbers of parts, so that a rating divides once, at its end (D-4).
    """

    terms: Mapping[str, Term]
    """The terms of the competitions that weigh anything that day, by the competition's id."""
    absent: int
    """The denominator of somebody who played nothing, in parts."""
    above_parts: int = 1
    """The number of parts of a numerator that make 1."""
    below_parts: int = 1
    """The number of parts of a denominator that make 1."""


def absences(competitions: Iterable[AdmittedCompetition], on: date) -> dict[int, int]:
    """The sum of kA × kB, in quarters, of these competitions by calendar year; years without weight are left
    out.
    """
    sums: defaultdict[int, int] = defaultdict(int)
    for competition in competitions:
        sums[competition.ends.year] += competition.weight * quarters(competition.ends, on)
    return {year: sums[year] for year in sorted(sums) if sums[year]}


def scale(wide: AdmittedCompetitions, on: date, only: Collection[str] | None = None) -> Scale:
    """§5: the scale of a day. `only`: the ids of the competitions to make terms for; None: all."""
    counts = dict(wide.years)
    weighing = [(each, full) for each in wide.competitions if (full := each.weight * quarters(each.ends, on))]
    asked = [(each, full) for each, full in weighing if only is None or each.id in only]
    share, of = ABSENCE.as_integer_ratio()
    above = lcm(*(each.players - 1 for each, _full in asked))
    below = lcm(*(of * counts[each.ends.year] for each, _full in weighing))
    missed = {year: share * below // (of * count) for year, count in counts.items()}
    terms = {
        each.id: Term(
            each.players, full * (above // (each.players - 1)), full * (below - missed[each.ends.year])
        )
        for each, full in asked
    }
    absent = sum(sum_ * missed[year] for year, sum_ in absences(wide.competitions, on).items())
    return Scale(terms, absent, YEARS_OF_WEIGHT * above, YEARS_OF_WEIGHT * below)


def parts(of_day: Scale, played: Iterable[CompetitionPlayed]) -> tuple[int, int]:
    """§5: numerator and denominator, in parts, of the rating of a player who played these competitions."""
    term_of, above, below = of_day.terms.get, 0, of_day.absent
    for competition, place in played:
        if term := term_of(competition):
            players, a_place, instead = term
            above += (players - place) * a_place
            below += instead
    return above, below


def mean(of_day: Scale, played: Iterable[CompetitionPlayed]) -> tuple[Decimal, Decimal]:
    """The numerator and denominator of a rating, as `parts` gives them, in the units that people read."""
    above, below = parts(of_day, played)
    return Decimal(above) / of_day.above_parts, Decimal(below) / of_day.below_parts


def rating(of_day: Scale, played: Iterable[CompetitionPlayed]) -> Decimal | None:
    """§5: the rating, a weighted mean, to 16 decimals, half up (D-4, D-RMF-8); None where nothing weighs
    anything.
    """
    above, below = parts(of_day, played)
    if not below:
        return None
    above, below = above * of_day.below_parts * UNIT, below * of_day.above_parts
    return Decimal((2 * above + below) // (2 * below)).scaleb(-DECIMALS)


def days_of_change(wide: AdmittedCompetitions | None, first: date, last: date) -> list[date]:
    """§5: the days from `first` to `last` on which a kB changes, and so everybody's rating (D-RMF-8)."""
    if wide is None:
        return []
    days = {
        anniversary(competition.ends, years) + timedelta(1)
        for competition in wide.competitions
        for years in range(1, YEARS_OF_WEIGHT + 1)
    }
    return sorted(day for day in days if first <= day <= last)


# ---- §2 §3 §5: a competition admitted, the register changed; nothing else is a fact here.
HOME = "RUS"
TRACK = "rating"


def needs(fact: Fact) -> frozenset[PlayerId] | Needs:
    """The players whose standings `apply` reads: those who played, or the one of a player line."""
    if isinstance(fact, RatedSection):
        return frozenset(entry.player for entry in fact.section.entries)
    return frozenset((fact.fact.id,)) if isinstance(fact.fact, Player) else frozenset()


def apply(state: State[MahjongStanding], fact: Fact) -> Outcome[MahjongStanding]:
    """The standings of those whom a fact names. What it changes for everybody else is in the federation-wide
    part.
    """
    if isinstance(fact, RatedSection):
        return admit(state, fact)
    if isinstance(fact.fact, Player):
        return Outcome(register(state, fact.fact), state.wide)
    return Outcome([], state.wide)


def admit(state: State[MahjongStanding], fact: RatedSection) -> Outcome[MahjongStanding]:
    """§3: admit a competition, which from then on counts for everybody: the changes of those who played
    (D-RMF-7).
    """
    wide = admitted(state.wide, fact)
    of_day = scale(wide, fact.on)
    changes = []
    for entry in fact.section.entries:
        before = state.get(entry.player, TRACK)
        known = before or MahjongStanding()
        played = known.played
        if entry.place is not None:
            played = in_weight((*played, CompetitionPlayed(fact.section.id, entry.place)), of_day)
        counted = known._replace(
            included=has_place(fact.players[entry.player]), games=known.games + 1, played=played
        )
        after = with_rating(counted, of_day)
        changes.append(Change(entry.player, TRACK, before, after, points(before, after)))
    return Outcome(changes, wide)


def admitted(wide: AdmittedCompetitions | None, fact: RatedSection) -> AdmittedCompetitions:
    """The admitted competitions after a further one; those that weigh nothing any more are left out, but
    their year still counts them.
    """
    known = wide or AdmittedCompetitions(fact.on)
    new = competition_of(fact.section)
    weighing = [each for each in (*known.competitions, new) if quarters(each.ends, fact.on)]
    years = dict(known.years)
    years[new.ends.year] = years.get(new.ends.year, 0) + 1
    return AdmittedCompetitions(fact.on, tuple(sorted(weighing)), tuple(sorted(years.items())))


def competition_of(section: Section) -> AdmittedCompetition:
    """§4 §5: a section as the rating knows it: its last day, its kA, how many played (D-RMF-1)."""
    ka = weight(section.status, section.coefficient)
    return AdmittedCompetition(section.ends, section.id, ka, len(section.entries))


def in_weight(played: tuple[CompetitionPlayed, ...], of_day: Scale) -> tuple[CompetitionPlayed, ...]:
    return tuple(sorted(each for each in played if each.competition in of_day.terms))


def with_rating(standing: MahjongStanding, of_day: Scale) -> MahjongStanding:
    """§2: the standing with its rating of the day worked out, which is None while the player has no place in
    the rating.
    """
    return standing._replace(rating=rating(of_day, standing.played) if standing.included else None)


def points(before: MahjongStanding | None, after: MahjongStanding) -> Decimal | None:
    """The points of a change: the rating less that at the player's last change, absences and time included;
    None where one is missing.
    """
    if before is None or before.rating is None or after.rating is None:
        return None
    return after.rating - before.rating


def has_place(player: Player) -> bool:
    """§2: whether a player has a place in the rating: citizens of Russia who live there or are included by a
    decision (D-RMF-4).
    """
    return player.nation == HOME and (player.resident or player.included_by is not None)


def register(state: State[MahjongStanding], player: Player) -> list[Change[MahjongStanding]]:
    """D-RMF-4: the change of a player who gains or loses the place in the rating by a new line of the
    register; empty: neither.
    """
    before = state.get(player.id, TRACK)
    if before is None or before.included == has_place(player):
        return []
    changed = before._replace(included=not before.included)
    after = with_rating(changed, scale(state.wide, state.wide.on))
    return [Change(player.id, TRACK, before, after, points(before, after))]


def performances(state: State[MahjongStanding], fact: RatedSection, track: str) -> Mapping[PlayerId, Decimal]:
    """§5: the result R of each player of a competition, to 16 decimals."""
    players = len(fact.section.entries)
    return {
        entry.player: CONTEXT.quantize(result(players, entry.place), SIXTEEN)
        for entry in fact.section.entries
        if entry.place is not None
    }


# ---- §1–§4: may a competition be admitted? The questions are asked twice: as declared, and as played.
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


# ---- The working of a change: the weighted mean on the day of an admission, competition by competition.
MISSED = ("section", "ends", "year", "ka", "kb", "weight")


def explain(state: State[MahjongStanding], fact: Fact, player: PlayerId, track: str) -> Working:
    """Explain what the fact did to that player; `state` is that before the fact."""
    kinds: dict[type, Explain] = {RatedSection: explain_admission, Player: explain_register}
    return explain_by_kind(kinds, state, fact, player, track)


def explain_admission(
    state: State[MahjongStanding], fact: RatedSection, player: PlayerId, track: str
) -> Working:
    outcome = admit(state, fact)
    after = next((change.after for change in outcome.changes if change.player == player), None)
    if after is None or track != TRACK:
        return NOTHING
    steps = tuple(admission_steps(state, fact, player))
    table = missed_table(outcome.wide, after, fact.on) if after.included else None
    return Working(
        steps,
        summary=tuple(summary_steps(fact, player, after)),
        tables=(table,) if table else (),
        bars=tuple(bars_of(state, fact, player, after)),
    )


def bars_of(
    state: State[MahjongStanding], fact: RatedSection, player: PlayerId, after: MahjongStanding
) -> Iterator[Bar]:
    """§5: the result of the competition beside the rating without it, which it pulls towards itself, and
    with it.
    """
    section = fact.section
    place = next(entry.place for entry in section.entries if entry.player == player)
    if place is None or after.rating is None:
        return
    yield Bar("bar-result", result(len(section.entries), place))
    for step in before_steps(state, fact, player):
        if isinstance(step.result, Decimal):
            yield Bar("bar-before", step.result)
    yield Bar("bar-after", after.rating)


def summary_steps(fact: RatedSection, player: PlayerId, after: MahjongStanding) -> Iterator[WorkingStep]:
    """§5 §2: the summary of an admission for a player: the result, its weight, and the rating with all that
    counts.
    """
    section = fact.section
    place = next(entry.place for entry in section.entries if entry.player == player)
    players = len(section.entries)
    if place is not None:
        inputs: dict[str, Value] = {
            "place": place,
            "players": players,
            "ka": competition_of(section).weight,
        }
        yield WorkingStep("5", "in-short-result", inputs, result(players, place))
    if not after.included:
        yield WorkingStep("2", "in-short-no-place", {})
    elif after.rating is None:
        yield WorkingStep("D-RMF-4", "in-short-nothing-weighs", {})
    else:
        yield WorkingStep("5", "in-short-rating", {"on": fact.on}, after.rating)
        if after.games < COMPETITIONS_NEEDED:
            yield WorkingStep("2", "in-short-not-listed", {"needed": COMPETITIONS_NEEDED})


def explain_register(state: State[MahjongStanding], entry: Player, player: PlayerId, track: str) -> Working:
    """§2, D-RMF-4: explain a place in the rating that the player gained or lost by the register."""
    if (entry.id, TRACK) != (player, track):
        return NOTHING
    steps = tuple(register_steps(state, entry))
    changed = next(iter(register(state, entry)), None)
    if changed is None:
        return Working(steps)
    included = changed.after.included
    step = WorkingStep("2", "in-short-place" if included else "in-short-no-place", {}, changed.after.rating)
    table = missed_table(state.wide, changed.after, state.wide.on) if included else None
    return Working(steps, summary=(step,), tables=(table,) if table else ())


def missed_table(wide: AdmittedCompetitions, standing: MahjongStanding, on: date) -> RuleTable | None:
    """§5, D-RMF-3: a table of the competitions that the player did not play and that weigh on a day; None:
    there are none.
    """
    own = {each.competition for each in standing.played}
    rows = [
        (each.id, each.ends, each.ends.year, each.weight, kb, each.weight * kb)
        for each in wide.competitions
        if each.id not in own and (kb := time_coefficient(each.ends, on))
    ]
    return RuleTable("missed", MISSED, tuple(rows), answered=False, about="missed-about") if rows else None


def admission_steps(
    state: State[MahjongStanding], fact: RatedSection, player: PlayerId
) -> Iterator[WorkingStep]:
    outcome = admit(state, fact)
    after = next((change.after for change in outcome.changes if change.player == player), None)
    if after is None:
        return
    yield from own_steps(fact, player)
    if not after.included:
        yield WorkingStep("2", "no-place", {})
        return
    yield from before_steps(state, fact, player)
    yield from mean_steps(outcome.wide, after, outcome.wide.on)
    if after.games < COMPETITIONS_NEEDED:
        yield WorkingStep("2", "not-listed-yet", {"games": after.games, "needed": COMPETITIONS_NEEDED})


def own_steps(fact: RatedSection, player: PlayerId) -> Iterator[WorkingStep]:
    """§4 §5: the steps for the admitted competition itself: the player's result, and its weight kA."""
    section = fact.section
    place = next(entry.place for entry in section.entries if entry.player == player)
    players = len(section.entries)
    if place is not None:
        yield WorkingStep("5", "result", {"players": players, "place": place}, result(players, place))
    ka = competition_of(section).weight
    yield WorkingStep("4", f"ka-{section.status}", {"competition": section.id}, ka)


def before_steps(
    state: State[MahjongStanding], fact: RatedSection, player: PlayerId
) -> Iterator[WorkingStep]:
    """The step for the player's rating on that day without this competition: others' results and time had
    moved it.
    """
    before = state.get(player, TRACK)
    if before is None or before.rating is None:
        return
    today = rating(scale(state.wide, fact.on), before.played)
    inputs: dict[str, Value] = {"on": fact.on, "then": before.rating}
    if today is not None:
        yield WorkingStep("D-RMF-8", "before", inputs, today)


def mean_steps(wide: AdmittedCompetitions, standing: MahjongStanding, on: date) -> Iterator[WorkingStep]:
    """§5: the steps to a player's rating on a day: the terms of numerator and denominator, and the mean."""
    of_day = scale(wide, on)
    own = {each.competition: each for each in standing.played}
    for competition in wide.competitions:
        if competition.id in own:
            yield term_step(competition, own[competition.id], on)
    absent = list(absence_steps(wide, own, on))
    yield from absent
    above, below = mean(of_day, standing.played)
    if below:
        yield WorkingStep("5", "above", {}, above)
        yield WorkingStep("5", "below", {}, below)
        yield WorkingStep("5", "mean", {"above": above, "below": below}, rating(of_day, standing.played))
    else:
        yield WorkingStep("D-RMF-4", "nothing-weighs", {})


def term_step(competition: AdmittedCompetition, played: CompetitionPlayed, on: date) -> WorkingStep:
    """The step for a competition played: R × kA × kB."""
    kb = time_coefficient(competition.ends, on)
    r = result(competition.players, played.place)
    inputs: dict[str, Value] = {
        "competition": competition.id,
        "ends": competition.ends,
        "place": played.place,
        "players": competition.players,
        "r": r,
        "ka": competition.weight,
        "kb": kb,
        "weight": competition.weight * kb,
    }
    return WorkingStep("5", "term", inputs, r * competition.weight * kb)


def absence_steps(
    wide: AdmittedCompetitions, own: dict[str, CompetitionPlayed], on: date
) -> Iterator[WorkingStep]:
    """The steps for the competitions not played, added year by year: kA × kB × kC, with an R of 0 (D-RMF-3).
    `own`: those played, by id.
    """
    missed = [each for each in wide.competitions if each.id not in own]
    for year, sum_ in absences(missed, on).items():
        admitted = wide.of_year(year)
        inputs: dict[str, Value] = {
            "year": year,
            "missed": sum(each.ends.year == year and bool(quarters(each.ends, on)) for each in missed),
            "weight": Decimal(sum_) / YEARS_OF_WEIGHT,
            "admitted": admitted,
            "kc": absence_coefficient(admitted),
        }
        yield WorkingStep(
            "5", "absent", inputs, Decimal(sum_) / YEARS_OF_WEIGHT * absence_coefficient(admitted)
        )


def register_steps(state: State[MahjongStanding], player: Player) -> Iterator[WorkingStep]:
    """§2, D-RMF-4: the steps for a player to whom the register gives a place in the rating, or takes it."""
    for change in register(state, player):
        yield WorkingStep("2", "place" if has_place(player) else "no-place", {})
        if change.after.included:
            yield from mean_steps(state.wide, change.after, state.wide.on)


# ---- §2 §5: the rating of a day, a replay's answers, and the coefficients that they rest on.
SHOWN_DECIMALS = 4  # D-RMF-8
SHOWN = Decimal(1).scaleb(-SHOWN_DECIMALS)
NOTHING_WEIGHS = Scale({}, 0)
A_YEAR = timedelta(365)
Cells = tuple[Value | tuple[Value, ...], ...]
COEFFICIENTS = ("section", "ends", "players", "ka", "kb", "kc", "until")
DAYS = ("day", "section", "kb-before", "kb-after")
COUNTS = ("section", "ends", "place-taken", "players", "r", "ka", "kb", "weight")


def answers(state: State[MahjongStanding], on: date) -> Iterator[Answer]:
    """§2: the answers of a replay for all with a place in the rating; on the list from the second competition
    on (D-RMF-4).

    Exact for any day from the last admission on; of an earlier day, the state as it was then has to be asked.
    """
    of_day = scale(state.wide, on) if state.wide else NOTHING_WEIGHS
    for (player, track), standing in state.standings.items():
        if standing.included:
            value = rating(of_day, standing.played)
            listed = value is not None and standing.games >= COMPETITIONS_NEEDED
            yield Answer(player, track, "rated", value, standing.games, listed)


def rating_on(standing: MahjongStanding, wide: AdmittedCompetitions | None, on: date) -> Decimal | None:
    """§5: one player's rating on a day, worked out from that player's competitions alone; None: there is
    none.
    """
    if not standing.included or wide is None:
        return None
    return rating(scale(wide, on, {each.competition for each in standing.played}), standing.played)


def rating_list(state: State[MahjongStanding], track: str, on: date) -> list[ListedPlayer]:
    """The rating list of a day, best first; who shows the same rating shares the rank."""
    listed = (
        (answer.player, answer.rating, answer.games, "rated")
        for answer in answers(state, on)
        if answer.listed and answer.rating is not None and answer.track == track
    )
    return ranked(listed, shown_rating)


def shown_rating(value: Decimal) -> Decimal:
    """A rating as people see it, with four decimals."""
    return value.quantize(SHOWN, ROUND_HALF_UP)


def listed_steps(
    state: State[MahjongStanding], player: PlayerId, track: str, on: date
) -> tuple[WorkingStep, ...]:
    """§2 §5: what puts a player on the list, two competitions (D-RMF-4), and the last day on which anything
    that they played has weight.
    """
    standing = state.get(player, track) or MahjongStanding()
    if not standing.included:
        return (WorkingStep("2", "not-included", {}),)
    played = {each.competition for each in standing.played}
    known = state.wide.competitions if state.wide else ()
    last = max((anniversary(each.ends, YEARS_OF_WEIGHT) for each in known if each.id in played), default=on)
    if last <= on and not any(quarters(each.ends, on) for each in known if each.id in played):
        return (WorkingStep("5", "off-the-list", {}),)
    stays = WorkingStep("5", "stays-listed", {"until": last})
    if standing.games >= COMPETITIONS_NEEDED:
        return (stays,)
    inputs = {"needed": COMPETITIONS_NEEDED, "games": standing.games}
    return (WorkingStep("2", "not-yet-listed", inputs),)


def tables(state: State[MahjongStanding], on: date) -> list[RuleTable]:
    """§4 §5: two tables: the competitions that weigh something on a day, and the days of the coming year on
    which that changes.
    """
    wide: AdmittedCompetitions | None = state.wide
    rows: list[Cells] = []
    for each in wide.competitions if wide else ():
        left = quarters(each.ends, on)
        if wide and left:
            kc = absence_coefficient(wide.of_year(each.ends.year))
            until = anniversary(each.ends, YEARS_OF_WEIGHT + 1 - left)
            kb = time_coefficient(each.ends, on)
            rows.append((each.id, each.ends, each.players, each.weight, kb, kc, until))
    return [
        RuleTable("coefficients", COEFFICIENTS, tuple(rows), answered=False, about="coefficients-about"),
        RuleTable("days", DAYS, tuple(days(wide, on)), answered=False, about="days-about"),
    ]


def days(wide: AdmittedCompetitions | None, on: date) -> Iterator[Cells]:
    """§5: the rows of the table of days: each day of the year after `on` on which a competition loses weight,
    the competition, and its kB before and after.
    """
    for day in days_of_change(wide, on + timedelta(1), on + A_YEAR):
        for each in wide.competitions if wide else ():
            before, after = (time_coefficient(each.ends, at) for at in (day - timedelta(1), day))
            if before != after:
                yield day, each.id, before, after


def counts(state: State[MahjongStanding], player: PlayerId, track: str, on: date) -> Counts | None:
    """§5: a table of the competitions that weigh in a player's rating on a day, with the steps to the rating;
    None: no place in it.
    """
    standing, wide = state.get(player, track), state.wide
    if standing is None or not standing.included or wide is None:
        return None
    own = {each.competition: each.place for each in standing.played}
    rows = [
        (
            each.id,
            each.ends,
            own[each.id],
            each.players,
            shown_rating(result(each.players, own[each.id])),
            each.weight,
            kb,
            each.weight * kb,
        )
        for each in wide.competitions
        if each.id in own and (kb := time_coefficient(each.ends, on))
    ]
    steps = tuple(mean_steps(wide, standing, on))
    table = RuleTable("counts", COUNTS, tuple(rows), answered=False)
    return Counts(table, steps, missed_table(wide, standing, on))


__all__ = [
    "HOME",
    "LIST_BEFORE_PLAY",
    "SHOWN_DECIMALS",
    "SPECIAL_WEIGHTS",
    "TRACK",
    "admission",
    "answers",
    "apply",
    "check",
    "counts",
    "days_of_change",
    "deadlines",
    "explain",
    "final",
    "listed_steps",
    "needs",
    "performances",
    "preliminary",
    "rating_list",
    "rating_on",
    "tables",
    "unrateable",
]


PARAMETERS: Parameters = (
    Grid(
        "1",
        _("Least size of a competition"),
        (_("Status"), _("Players"), _("Members"), _("Of the place"), _("Sessions")),
        tuple(
            (status, size.players, size.members, REPRESENTED.get(status), size.sessions)
            for status, size in SIZES.items()
        ),
    ),
    Parameter("2", _("Competitions to be listed"), COMPETITIONS_NEEDED),
    Grid(
        "4",
        _("Coefficient kA"),
        (_("Status"), _("Coefficient")),
        (
            *WEIGHTS.items(),
            *(("special", weight) for weight in SPECIAL_WEIGHTS),
        ),
    ),
    Parameter("5", _("Years until a competition weighs nothing"), YEARS_OF_WEIGHT),
    Parameter("5", _("What all absences of a year weigh together, kC"), ABSENCE),
)
