"""The rating system of the Russian Mahjong Federation, undated, which holds for the whole record (D-9)."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
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
    Level,
    ListedPlayer,
    Measured,
    Needs,
    Outcome,
    Player,
    PlayerId,
    Prediction,
    RatedSection,
    RuleTable,
    Section,
    State,
    Value,
    Working,
    WorkingStep,
    ranked,
    relative_places,
)
from ratings.rulesets.mahjong.parameters import NUMBERS
from ratings.rulesets.mahjong.standing import (
    AdmittedCompetition,
    AdmittedCompetitions,
    CompetitionPlayed,
    MahjongStanding,
)
from ratings.rulesets.ruleset import CONTEXT, SIXTEEN_DECIMALS, Requirement
from ratings.rulesets.workings import EMPTY_WORKING, explain_by_kind

# ---- §4 §5: the weighted mean and its coefficients
WEIGHTS = {status: weight for status, weight in NUMBERS.rows("4.weights") if status != "special"}
"""§4, D-RMF-6: the weight kA of a competition by its status."""
SPECIAL_WEIGHTS = tuple(weight for status, weight in NUMBERS.rows("4.weights") if status == "special")
# §4: a special tournament has a kA of its own
COMPETITIONS_NEEDED = NUMBERS.whole("2.competitions")  # §2: to be listed
YEARS_OF_WEIGHT = NUMBERS.whole("5.years")  # §5: each of the first four years takes a quarter of the weight
ABSENCE = NUMBERS.decimal(
    "5.absence"
)  # §5: kC of all competitions of a year together, for a player who played none
DECIMALS = 16  # D-RMF-8
UNIT = 10**DECIMALS


def weight(status: str | None, coefficient: int | None) -> int:
    """§4: the weight kA of a competition by its status, or its own coefficient if special; 0: not known."""
    return coefficient or 0 if status == "special" else WEIGHTS.get(status or "", 0)


def anniversary(ends: date, years: int) -> date:
    """The same day so many years later; for 29 February in a common year, the 28th (D-RMF-2)."""
    try:
        return ends.replace(year=ends.year + years)
    except ValueError:
        return ends.replace(year=ends.year + years, day=28)


def quarters_left(ends: date, on: date) -> int:
    """§5: the quarters of weight left on a day: one less from the day after each anniversary (D-RMF-2)."""
    gone = on.year - ends.year
    if gone > 0 and on <= anniversary(ends, gone):
        gone -= 1
    return YEARS_OF_WEIGHT - min(max(gone, 0), YEARS_OF_WEIGHT)


def time_coefficient(ends: date, on: date) -> Decimal:
    """§5: the coefficient kB on a day, from 1 down to 0."""
    return Decimal(quarters_left(ends, on)) / YEARS_OF_WEIGHT


def absence_coefficient(admitted: int) -> Decimal:
    """§5: the coefficient kC of a competition not played, by the number admitted in its year (D-RMF-3)."""
    return ABSENCE / admitted


def result(players: int, place: int) -> Decimal:
    """§5: the result R of a place among all players, from 1 for the first to 0 for the last (D-RMF-1)."""
    return Decimal(players - place) / (players - 1)


Term = tuple[int, int, int]
"""The part of one competition in the ratings of its players on a day: the number of players; R × kA × kB for
each player behind, and the denominator's gain over that of an absence, in parts.
"""


class Scale(NamedTuple):
    """The part of a day's ratings that is the same for all players.

    Numerators and denominators are whole numbers of parts, so that a rating divides once, at its end (D-4).
    """

    terms: Mapping[str, Term]
    """The terms of the competitions with any weight that day, by the competition's id."""
    absent: int
    """The denominator of a player who played nothing, in parts."""
    numerator_parts: int = 1
    """The number of parts of a numerator that make 1."""
    denominator_parts: int = 1
    """The number of parts of a denominator that make 1."""


def weight_quarters_by_year(competitions: Iterable[AdmittedCompetition], on: date) -> dict[int, int]:
    """The sum of kA × kB, in quarters, of these competitions by calendar year, for years with any weight."""
    sums: defaultdict[int, int] = defaultdict(int)
    for competition in competitions:
        sums[competition.ends.year] += competition.weight * quarters_left(competition.ends, on)
    return {year: sums[year] for year in sorted(sums) if sums[year]}


def build_day_scale(
    wide: AdmittedCompetitions, on: date, competition_ids: Collection[str] | None = None
) -> Scale:
    """§5: the scale of a day, with terms for the competitions whose ids are in `only`, or for all."""
    counts = dict(wide.years)
    weighing = [
        (each, full) for each in wide.competitions if (full := each.weight * quarters_left(each.ends, on))
    ]
    wanted = [
        (each, full) for each, full in weighing if competition_ids is None or each.id in competition_ids
    ]
    share, unit = ABSENCE.as_integer_ratio()
    above = lcm(*(each.players - 1 for each, _full in wanted))
    below = lcm(*(unit * counts[each.ends.year] for each, _full in weighing))
    missed = {year: share * below // (unit * count) for year, count in counts.items()}
    terms = {
        each.id: (each.players, full * (above // (each.players - 1)), full * (below - missed[each.ends.year]))
        for each, full in wanted
    }
    absent = sum(sum_ * missed[year] for year, sum_ in weight_quarters_by_year(wide.competitions, on).items())
    return Scale(terms, absent, YEARS_OF_WEIGHT * above, YEARS_OF_WEIGHT * below)


def fraction_in_parts(day_scale: Scale, played: Iterable[CompetitionPlayed]) -> tuple[int, int]:
    """§5: the numerator and denominator, in parts, of a player's rating."""
    term_of, numerator, denominator = day_scale.terms.get, 0, day_scale.absent
    for competition, place in played:
        if term := term_of(competition):
            players, numerator_per_place, denominator_gain = term
            numerator += (players - place) * numerator_per_place
            denominator += denominator_gain
    return numerator, denominator


def rating_fraction(day_scale: Scale, played: Iterable[CompetitionPlayed]) -> tuple[Decimal, Decimal]:
    """The numerator and denominator of a player's rating."""
    numerator, denominator = fraction_in_parts(day_scale, played)
    return Decimal(numerator) / day_scale.numerator_parts, Decimal(denominator) / day_scale.denominator_parts


def rating(day_scale: Scale, played: Iterable[CompetitionPlayed]) -> Decimal | None:
    """§5: the rating, a weighted mean to 16 decimals, half up (D-4, D-RMF-8); None if nothing has weight."""
    numerator, denominator = fraction_in_parts(day_scale, played)
    if not denominator:
        return None
    numerator *= day_scale.denominator_parts * UNIT
    denominator *= day_scale.numerator_parts
    return Decimal((2 * numerator + denominator) // (2 * denominator)).scaleb(-DECIMALS)


def days_of_change(wide: AdmittedCompetitions | None, first: date, last: date) -> list[date]:
    """§5: the days from `first` to `last` on which a kB changes, and so all ratings do (D-RMF-8)."""
    if wide is None:
        return []
    days = {
        anniversary(competition.ends, years) + timedelta(1)
        for competition in wide.competitions
        for years in range(1, YEARS_OF_WEIGHT + 1)
    }
    return sorted(day for day in days if first <= day <= last)


# ---- §2 §3 §5: the effect of admissions and of changes of the register
HOME = "RUS"
TRACK = "rating"


def needs(fact: Fact) -> frozenset[PlayerId] | Needs:
    """The players whose standings `apply` reads: a competition's, or the one of a player line."""
    if isinstance(fact, RatedSection):
        return frozenset(entry.player for entry in fact.section.entries)
    return frozenset((fact.fact.id,)) if isinstance(fact.fact, Player) else frozenset()


def apply(state: State[MahjongStanding], fact: Fact) -> Outcome[MahjongStanding]:
    """The changes of the players whom a fact names; the federation-wide part changes all other ratings."""
    if isinstance(fact, RatedSection):
        return rate_admitted_competition(state, fact)
    change = find_change_by_register(state, fact.fact) if isinstance(fact.fact, Player) else None
    return Outcome([change] if change else [], state.wide)


def rate_admitted_competition(state: State[MahjongStanding], fact: RatedSection) -> Outcome[MahjongStanding]:
    """§3: the changes of the players of a competition that is admitted: it counts from then on (D-RMF-7)."""
    wide = add_competition(state.wide, fact)
    day_scale = build_day_scale(wide, fact.on)
    changes = []
    for entry in fact.section.entries:
        before = state.get(entry.player, TRACK)
        known = before or MahjongStanding()
        played = known.played
        if entry.place is not None:
            played = (*played, CompetitionPlayed(fact.section.id, entry.place))
            played = tuple(sorted(each for each in played if each.competition in day_scale.terms))
        included = is_included(fact.players[entry.player])
        unrated = known._replace(included=included, games=known.games + 1, played=played)
        after = rate_standing(unrated, day_scale)
        changes.append(Change(entry.player, TRACK, before, after, points_moved(before, after)))
    return Outcome(changes, wide)


def add_competition(wide: AdmittedCompetitions | None, fact: RatedSection) -> AdmittedCompetitions:
    """The admitted competitions with a further one, without those of no weight, which only `years` counts."""
    known = wide or AdmittedCompetitions(fact.on)
    new = competition_of(fact.section)
    weighing = [each for each in (*known.competitions, new) if quarters_left(each.ends, fact.on)]
    years = dict(known.years)
    years[new.ends.year] = years.get(new.ends.year, 0) + 1
    return AdmittedCompetitions(fact.on, tuple(sorted(weighing)), tuple(sorted(years.items())))


def competition_of(section: Section) -> AdmittedCompetition:
    """§4 §5: the particulars of a section that ratings use (D-RMF-1)."""
    ka = weight(section.status, section.coefficient)
    return AdmittedCompetition(section.ends, section.id, ka, len(section.entries))


def rate_standing(standing: MahjongStanding, day_scale: Scale) -> MahjongStanding:
    """§2: the standing with its rating of the day; None while the player has no place in the rating."""
    return standing._replace(rating=rating(day_scale, standing.played) if standing.included else None)


def points_moved(before: MahjongStanding | None, after: MahjongStanding) -> Decimal | None:
    """The difference from the rating at the player's last change; None where one of the two is missing."""
    if before is None or before.rating is None or after.rating is None:
        return None
    return after.rating - before.rating


def is_included(player: Player) -> bool:
    """§2: whether a player has a place in the rating: a citizen of Russia who lives there or is included by a
    decision (D-RMF-4).
    """
    return player.nation == HOME and (player.resident or player.included_by is not None)


def find_change_by_register(state: State[MahjongStanding], player: Player) -> Change[MahjongStanding] | None:
    """D-RMF-4: the change of a player who gains or loses a place in the rating by a line of the register."""
    before = state.get(player.id, TRACK)
    if before is None or before.included == is_included(player):
        return None
    changed = before._replace(included=not before.included)
    after = rate_standing(changed, build_day_scale(state.wide, state.wide.on))
    return Change(player.id, TRACK, before, after, points_moved(before, after))


def measure(
    state: State[MahjongStanding], fact: Fact, changes: Sequence[Change[MahjongStanding]]
) -> Iterator[Measured]:
    """§5: for each pair of rated players of a competition whether the higher rated on its first day came
    before the other. A rating is a mean of places, so no points are made or taken.
    """
    if not isinstance(fact, RatedSection) or state.wide is None:
        return
    known = [(entry, state.get(entry.player, TRACK)) for entry in fact.section.entries if entry.place]
    played = [(entry, standing) for entry, standing in known if standing and standing.included]
    day_scale = build_day_scale(state.wide, fact.section.starts)
    rated = [
        (entry.player, float(found), entry.place or 0)
        for entry, standing in played
        if (found := rating(day_scale, standing.played)) is not None
    ]
    predictions = [
        Prediction(first, second, own, other, share_ahead(own, other), share_ahead(-place, -behind))
        for number, (first, own, place) in enumerate(rated)
        for second, other, behind in rated[number + 1 :]
    ]
    yield Measured(TRACK, predictions)


def share_ahead(own: float, other: float) -> float:
    """1 for the greater of two, 0 for the less, a half for equals."""
    return 0.5 if own == other else float(own > other)


def compute_performances(
    state: State[MahjongStanding], fact: RatedSection, track: str
) -> Mapping[PlayerId, Decimal]:
    """§5: the result R of each player of a competition, to 16 decimals."""
    players = len(fact.section.entries)
    return {
        entry.player: CONTEXT.quantize(result(players, entry.place), SIXTEEN_DECIMALS)
        for entry in fact.section.entries
        if entry.place is not None
    }


# ---- §1–§4: admission, checked before a competition as declared, and after it as played
STATUSES = (*WEIGHTS, "special")  # §1.1
FOREIGN_STATUSES = ("foreign", "european", "world")
REPRESENTATIVES_NEEDED = {
    status: needed for status, _players, _members, needed, _sessions in NUMBERS.rows("1.sizes") if needed
}  # §1.3: of the city or region, of Russia


class RequiredSize(NamedTuple):
    """The least numbers that a competition of some status needs."""

    players: int
    """§1.2"""
    members: int
    """§1.3: players who are members of the federation."""
    sessions: int
    """§1.5"""


REQUIRED_SIZES = {
    status: RequiredSize(players, members, sessions)
    for status, players, members, _representing, sessions in NUMBERS.rows("1.sizes")
}  # §1.2 §1.3 §1.5


@dataclass(frozen=True, slots=True)
class CompetitionParticulars:
    """The particulars that decide on admission (§3), as declared or as played; None: not given."""

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


ParticularsCheck = Callable[[CompetitionParticulars], Iterator[Finding]]


def preliminary_findings(declared: CompetitionParticulars) -> list[Finding]:
    """§3: the findings of the first decision, before the competition, on what its organizers declare."""
    return [finding for each in PARTICULARS_CHECKS for finding in each(declared)]


def final_findings(
    as_played: CompetitionParticulars, declared: CompetitionParticulars | None
) -> list[Finding]:
    """§3: the findings of the second decision, after the competition, on what it was."""
    return [*preliminary_findings(as_played), *check_coefficient_revision(as_played, declared)]


def check_status(competition: CompetitionParticulars) -> Iterator[Finding]:
    """§1.1, §4: check that the status is known, and a special tournament's coefficient."""
    if competition.status not in STATUSES:
        yield Finding("1.1", Level.BLOCKS, "no-status", where="status")
    elif competition.status == "special" and competition.coefficient not in SPECIAL_WEIGHTS:
        yield Finding("4", Level.BLOCKS, "no-coefficient", where="coefficient")


def check_open_entry(competition: CompetitionParticulars) -> Iterator[Finding]:
    """§1.1: check that any but a special tournament is open, and a championship held in Russia."""
    if competition.status not in STATUSES or competition.status == "special":
        return
    if competition.entry == "closed":
        yield Finding("1.1", Level.BLOCKS, "not-open", where="entry")
    elif competition.entry is None:
        yield Finding("1.1", competition.unsaid, "entry-not-said", where="entry")
    if competition.abroad and competition.status not in FOREIGN_STATUSES:
        yield Finding("1.1", Level.WAIVABLE, "championship-abroad", where="status")


def check_player_count(competition: CompetitionParticulars) -> Iterator[Finding]:
    """§1.2: check that there are as many players as the status needs."""
    size = REQUIRED_SIZES.get(competition.status or "")
    if size and competition.players is None:
        yield Finding("1.2", competition.unsaid, "players-not-said", {"needed": size.players}, "expected")
    elif size and competition.players is not None and competition.players < size.players:
        found = {"players": competition.players, "needed": size.players}
        yield Finding("1.2", Level.BLOCKS, "too-few-players", found, "players")


def check_members(competition: CompetitionParticulars) -> Iterator[Finding]:
    """§1.3: check that enough players are members; a notice until there is membership (D-RMF-5)."""
    size = REQUIRED_SIZES.get(competition.status or "")
    if size is None:
        return
    if competition.members is None:
        if membership_applies(competition):
            yield Finding("1.3", Level.WAIVABLE, "members-not-known", {"needed": size.members}, "members")
    elif competition.members < size.members:
        level = Level.BLOCKS if membership_applies(competition) else Level.NOTICE
        found = {"members": competition.members, "needed": size.members}
        yield Finding("1.3", level, "too-few-members", found, "members")


def check_representing(competition: CompetitionParticulars) -> Iterator[Finding]:
    """§1.3: check that enough players are of the place; a notice until there is membership (D-RMF-5)."""
    needed = REPRESENTATIVES_NEEDED.get(competition.status or "", 0)
    if competition.representing is None:
        if needed and membership_applies(competition):
            yield Finding("1.3", Level.WAIVABLE, "representing-not-known", {"needed": needed}, "representing")
        return
    if competition.representing >= needed:
        return
    level = Level.BLOCKS if membership_applies(competition) else Level.NOTICE
    key = "too-few-of-russia" if competition.status == "national" else "too-few-of-the-place"
    found = {"representing": competition.representing, "needed": needed}
    yield Finding("1.3", level, key, found, "representing")


def check_rules_of_play(competition: CompetitionParticulars) -> Iterator[Finding]:
    """§1.4: check that the rules are the world organization's, or changes were approved."""
    if competition.played_by == "other":
        yield Finding("1.4", Level.BLOCKS, "other-rules", where="played_by")
    elif competition.played_by is None:
        yield Finding("1.4", competition.unsaid, "rules-not-said", where="played_by")


def membership_applies(competition: CompetitionParticulars) -> bool:
    """§6: whether there was membership by the competition's first day, so that §1.3 applies."""
    return competition.membership is not None and competition.starts >= competition.membership


def check_sessions(competition: CompetitionParticulars) -> Iterator[Finding]:
    """§1.5: check that there are as many sessions as the status needs."""
    size = REQUIRED_SIZES.get(competition.status or "")
    if size and not competition.sessions:
        yield Finding("1.5", Level.BLOCKS, "sessions-not-known", {"needed": size.sessions}, "rounds")
    elif size and competition.sessions < size.sessions:
        found = {"sessions": competition.sessions, "needed": size.sessions}
        yield Finding("1.5", Level.BLOCKS, "too-few-sessions", found, "rounds")


def check_announcement(competition: CompetitionParticulars) -> Iterator[Finding]:
    """§1.6: check that it was announced a month before the first session, except abroad."""
    if competition.announced is None or competition.status in FOREIGN_STATUSES:
        return
    latest = month_before(competition.starts)
    if competition.announced > latest:
        found: dict[str, Value] = {"announced": competition.announced, "latest": latest}
        yield Finding("1.6", competition.late, "announced-late", found, "announced_on")


def check_coefficient_revision(
    as_played: CompetitionParticulars, declared: CompetitionParticulars | None
) -> Iterator[Finding]:
    """§4: check that the coefficient of the first decision changed only together with the status."""
    if declared is None or declared.status != as_played.status:
        return
    before, now = (weight(each.status, each.coefficient) for each in (declared, as_played))
    if before != now:
        yield Finding("4", Level.BLOCKS, "revised-alone", {"before": before, "now": now}, "coefficient")


PARTICULARS_CHECKS: tuple[ParticularsCheck, ...] = (
    check_status,
    check_open_entry,
    check_player_count,
    check_members,
    check_representing,
    check_rules_of_play,
    check_sessions,
    check_announcement,
)


def month_before(day: date) -> date:
    """The same day of the month before, or the last day of that month."""
    year, month = (day.year, day.month - 1) if day.month > 1 else (day.year - 1, 12)
    first_of_next = date(year + month // 12, month % 12 + 1, 1)
    last = (first_of_next - date(year, month, 1)).days
    return date(year, month, min(day.day, last))


# ---- The checks of a filed section
def check_admission(section: Section, filing: Filing) -> list[Finding]:
    """The findings of the first decision, before play, on what a section's organizers declare."""
    return preliminary_findings(replace(particulars_of(section, filing), players=filing.said.get("expected")))


def check(section: Section, filing: Filing) -> list[Finding]:
    """The findings of the final decision on a section."""
    declared = particulars_of(filing.declared, filing) if filing.declared else None
    findings = final_findings(particulars_of(section, filing), declared)
    for each in (check_declared_in_time, check_results_after_end, check_places, check_nations):
        findings += each(section, filing)
    return findings


def particulars_of(section: Section, filing: Filing) -> CompetitionParticulars:
    """The particulars of a competition, from its section and what the organizers say."""
    said = filing.said
    return CompetitionParticulars(
        status=section.status,
        coefficient=section.coefficient,
        players=len(section.entries),
        sessions=section.rounds,
        starts=section.starts,
        members=said.get("members"),
        representing=count_representatives(section, filing),
        announced=said.get("announced_on") or filing.registered,
        membership=filing.membership,
        entry=said.get("entry"),
        played_by=said.get("played_by"),
        abroad=section.country not in (None, HOME),
        late=filing.late(),
        unsaid=filing.incomplete(),
    )


def count_representatives(section: Section, filing: Filing) -> int | None:
    """§1.3: the number of players of the city, the region or Russia, as the organizers say; None: not known.

    The register can count the players of Russia, but not those of a city or region.
    """
    said: int | None = filing.said.get("representing")
    register: Mapping[PlayerId, Player] = filing.particulars
    people = [register[entry.player] for entry in section.entries if entry.player in register]
    if said is None and section.status == "national" and people:
        return sum(person.nation == HOME for person in people)
    return said


def deadlines(section: Section, filing: Filing) -> list[Deadline]:
    """§1.6 §3: the deadlines of the announcement and of the first decision."""
    day_before = section.starts - timedelta(1)
    decision = Deadline("3", "due-decision", day_before, filing.declared_on, by_office=True)
    if section.status in FOREIGN_STATUSES:
        return [decision]
    announced = filing.said.get("announced_on") or filing.registered
    return [Deadline("1.6", "due-announcement", month_before(section.starts), announced), decision]


def check_declared_in_time(section: Section, filing: Filing) -> Iterator[Finding]:
    """§3: check that the first decision came before the competition."""
    if filing.declared is None:
        yield Finding("3", filing.late(), "not-declared", {"starts": section.starts}, "declared")
    elif filing.declared_on and filing.declared_on >= section.starts:
        found: dict[str, Value] = {"declared": filing.declared_on, "starts": section.starts}
        yield Finding("3", filing.late(), "declared-late", found, "declared")


def check_results_after_end(section: Section, filing: Filing) -> Iterator[Finding]:
    """§3: check that the results came after the competition's end."""
    if filing.filed and filing.filed < section.ends:
        found: dict[str, Value] = {"filed": filing.filed, "ends": section.ends}
        yield Finding("3", Level.BLOCKS, "not-over", found, "ends")


def check_places(section: Section, filing: Filing) -> Iterator[Finding]:
    """§5: check that everyone has a place, one more than the number of players before (D-RMF-1)."""
    places = [entry.place for entry in section.entries if entry.place is not None]
    for entry in section.entries:
        if entry.place is None:
            player: dict[str, Value] = {"player": filing.name_of(entry.player)}
            yield Finding("5", Level.BLOCKS, "no-place-given", player, "places")
    for place, due in relative_places(places).items():
        if place > len(section.entries):
            found = {"place": place, "players": len(section.entries)}
            yield Finding("5", Level.BLOCKS, "place-beyond", found, f"place {place}")
        elif place != due and len(places) == len(section.entries):
            found = {"place": place, "before": due - 1}
            yield Finding("5", Level.WAIVABLE, "place-out-of-line", found, f"place {place}")


def check_nations(section: Section, filing: Filing) -> Iterator[Finding]:
    """§2, D-6: note the players of unknown nation, who have no place in the rating."""
    known = [filing.particulars[e.player] for e in section.entries if e.player in filing.particulars]
    new = [entrant for entrant in filing.entrants if entrant.new]
    unknown = [person.name for person in (*known, *new) if not person.nation]
    if unknown:
        found: dict[str, Value] = {"count": len(unknown), "players": "; ".join(unknown)}
        yield Finding("2", Level.NOTICE, "nation-unknown", found, "players")


def find_unrateable_reason(section: Section) -> Finding | None:
    """The finding that no official can waive: no status, no coefficient, or only one player (§5)."""
    if not weight(section.status, section.coefficient):
        return next(check_status(particulars_of(section, Filing())))
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


# ---- Workings
MISSED_COLUMNS = ("section", "ends", "year", "ka", "kb", "weight")


def explain_admission(
    state: State[MahjongStanding], fact: RatedSection, player: PlayerId, track: str
) -> Working:
    outcome = rate_admitted_competition(state, fact)
    after = next((change.after for change in outcome.changes if change.player == player), None)
    if after is None or track != TRACK:
        return EMPTY_WORKING
    before = state.get(player, TRACK) or MahjongStanding()
    unaltered = None if before.rating is None else rating(build_day_scale(state.wide, fact.on), before.played)
    place = next(entry.place for entry in fact.section.entries if entry.player == player)
    table = missed_table(outcome.wide, after, fact.on) if after.included else None
    bars: list[Bar] = []
    if place is not None and after.rating is not None:  # §5
        bars.append(Bar("bar-result", result(len(fact.section.entries), place)))
        bars += [] if unaltered is None else [Bar("bar-before", unaltered)]
        bars.append(Bar("bar-after", after.rating))
    return Working(
        tuple(admission_steps(outcome.wide, fact, place, before, after, unaltered)),
        summary=tuple(summary_steps(fact, place, after)),
        tables=(table,) if table else (),
        bars=tuple(bars),
    )


def summary_steps(fact: RatedSection, place: int | None, after: MahjongStanding) -> Iterator[WorkingStep]:
    """§5 §2: the summary of an admission for a player: the result, its weight, and the rating."""
    section = fact.section
    players = len(section.entries)
    if place is not None:
        ka = competition_of(section).weight
        inputs: dict[str, Value] = {"place": place, "players": players, "ka": ka}
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
        return EMPTY_WORKING
    change = find_change_by_register(state, entry)
    if change is None:
        return EMPTY_WORKING
    wide, after = state.wide, change.after
    if not after.included:
        summary = WorkingStep("2", "in-short-no-place", {}, after.rating)
        return Working((WorkingStep("2", "no-place", {}),), summary=(summary,))
    steps = (WorkingStep("2", "place", {}), *mean_steps(wide, after, wide.on))
    table = missed_table(wide, after, wide.on)
    summary = WorkingStep("2", "in-short-place", {}, after.rating)
    return Working(steps, summary=(summary,), tables=(table,) if table else ())


def missed_table(wide: AdmittedCompetitions, standing: MahjongStanding, on: date) -> RuleTable | None:
    """§5, D-RMF-3: the competitions with weight on a day that the player did not play; None without any."""
    own = {each.competition for each in standing.played}
    rows = [
        (each.id, each.ends, each.ends.year, each.weight, kb, each.weight * kb)
        for each in wide.competitions
        if each.id not in own and (kb := time_coefficient(each.ends, on))
    ]
    return (
        RuleTable("missed", MISSED_COLUMNS, tuple(rows), answered=False, about="missed-about")
        if rows
        else None
    )


def admission_steps(
    wide: AdmittedCompetitions,
    fact: RatedSection,
    place: int | None,
    before: MahjongStanding,
    after: MahjongStanding,
    unaltered: Decimal | None,
) -> Iterator[WorkingStep]:
    """§4 §5: the steps of an admission for a player. `unaltered`: the rating of that day without it."""
    section = fact.section
    players = len(section.entries)
    if place is not None:
        yield WorkingStep("5", "result", {"players": players, "place": place}, result(players, place))
    ka = competition_of(section).weight
    yield WorkingStep("4", f"ka-{section.status}", {"competition": section.id}, ka)
    if not after.included:
        yield WorkingStep("2", "no-place", {})
        return
    if unaltered is not None:
        yield WorkingStep("D-RMF-8", "before", {"on": fact.on, "then": before.rating}, unaltered)
    yield from mean_steps(wide, after, wide.on)
    if after.games < COMPETITIONS_NEEDED:
        yield WorkingStep("2", "not-listed-yet", {"games": after.games, "needed": COMPETITIONS_NEEDED})


def mean_steps(wide: AdmittedCompetitions, standing: MahjongStanding, on: date) -> Iterator[WorkingStep]:
    """§5: the steps to a player's rating on a day: the terms of numerator and denominator, and the mean."""
    day_scale = build_day_scale(wide, on)
    own = {each.competition: each for each in standing.played}
    played = [term_step(each, own[each.id], on) for each in wide.competitions if each.id in own]
    missed = [*absence_steps(wide, own, on)]
    yield from (*played, *missed)
    above, below = rating_fraction(day_scale, standing.played)
    if below:
        terms = tuple(step.result for step in played)
        weights = (
            each.weight * time_coefficient(each.ends, on) for each in wide.competitions if each.id in own
        )
        yield WorkingStep("5", "above", {"terms": terms}, above)
        yield WorkingStep("5", "below", {"weights": (*weights, *(step.result for step in missed))}, below)
        yield WorkingStep("5", "mean", {"above": above, "below": below}, rating(day_scale, standing.played))
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
    wide: AdmittedCompetitions, played_by_id: dict[str, CompetitionPlayed], on: date
) -> Iterator[WorkingStep]:
    """The steps for the competitions not in `played_by_id`, year by year: kA × kB × kC, with an R of 0
    (D-RMF-3).
    """
    missed = [each for each in wide.competitions if each.id not in played_by_id]
    for year, sum_ in weight_quarters_by_year(missed, on).items():
        admitted = wide.count_in_year(year)
        kc, total = absence_coefficient(admitted), Decimal(sum_) / YEARS_OF_WEIGHT
        inputs: dict[str, Value] = {
            "year": year,
            "missed": sum(each.ends.year == year and bool(quarters_left(each.ends, on)) for each in missed),
            "weight": total,
            "admitted": admitted,
            "kc": kc,
        }
        yield WorkingStep("5", "absent", inputs, total * kc)


explain = explain_by_kind({RatedSection: explain_admission, Player: explain_register})


# ---- §2 §5: the rating of a day, a replay's answers, and tables of coefficients
SHOWN_DECIMALS = 4  # D-RMF-8
SHOWN = Decimal(1).scaleb(-SHOWN_DECIMALS)
EMPTY_SCALE = Scale({}, 0)
A_YEAR = timedelta(365)
Cells = tuple[Value | tuple[Value, ...], ...]
COEFFICIENT_COLUMNS = ("section", "ends", "players", "ka", "kb", "kc", "until")
DAY_COLUMNS = ("day", "section", "kb-before", "kb-after")
COUNTS_COLUMNS = ("section", "ends", "place-taken", "players", "r", "ka", "kb", "weight")


def answers(state: State[MahjongStanding], on: date) -> Iterator[Answer]:
    """§2: the answers of a replay for all players with a place in the rating (D-RMF-4).

    They are right for days from the last admission on; for earlier ones, pass the state of that day.
    """
    day_scale = build_day_scale(state.wide, on) if state.wide else EMPTY_SCALE
    for (player, track), standing in state.standings.items():
        if standing.included:
            value = rating(day_scale, standing.played)
            listed = value is not None and standing.games >= COMPETITIONS_NEEDED
            yield Answer(player, track, "rated", value, standing.games, listed)


def rating_on(standing: MahjongStanding, wide: AdmittedCompetitions | None, on: date) -> Decimal | None:
    """§5: one player's rating on a day, from that player's competitions alone; None: there is none."""
    if not standing.included or wide is None:
        return None
    return rating(build_day_scale(wide, on, {each.competition for each in standing.played}), standing.played)


def rating_list(state: State[MahjongStanding], track: str, on: date) -> list[ListedPlayer]:
    """The rating list of a day, best first; equal shown ratings share a rank."""
    listed = (
        (answer.player, answer.rating, answer.games, "rated")
        for answer in answers(state, on)
        if answer.listed and answer.rating is not None and answer.track == track
    )
    return ranked(listed, shown_rating)


def shown_rating(value: Decimal) -> Decimal:
    """A rating with four decimals, as people see it."""
    return value.quantize(SHOWN, ROUND_HALF_UP)


def listed_steps(
    state: State[MahjongStanding], player: PlayerId, track: str, on: date
) -> tuple[WorkingStep, ...]:
    """§2 §5: the step that says why a player is or is not on the list (D-RMF-4), and until when."""
    standing = state.get(player, track) or MahjongStanding()
    if not standing.included:
        return (WorkingStep("2", "not-included", {}),)
    played = {each.competition for each in standing.played}
    known = state.wide.competitions if state.wide else ()
    last = max((anniversary(each.ends, YEARS_OF_WEIGHT) for each in known if each.id in played), default=on)
    if last <= on and not any(quarters_left(each.ends, on) for each in known if each.id in played):
        return (WorkingStep("5", "off-the-list", {}),)
    stays = WorkingStep("5", "stays-listed", {"until": last})
    if standing.games >= COMPETITIONS_NEEDED:
        return (stays,)
    inputs = {"needed": COMPETITIONS_NEEDED, "games": standing.games}
    return (WorkingStep("2", "not-yet-listed", inputs),)


def tables(state: State[MahjongStanding], on: date) -> list[RuleTable]:
    """§4 §5: two tables: the coefficients on a day, and the days of the coming year on which they change."""
    wide: AdmittedCompetitions | None = state.wide
    rows: list[Cells] = []
    for each in wide.competitions if wide else ():
        left = quarters_left(each.ends, on)
        if wide and left:
            kc = absence_coefficient(wide.count_in_year(each.ends.year))
            until = anniversary(each.ends, YEARS_OF_WEIGHT + 1 - left)
            kb = time_coefficient(each.ends, on)
            rows.append((each.id, each.ends, each.players, each.weight, kb, kc, until))
    return [
        RuleTable(
            "coefficients", COEFFICIENT_COLUMNS, tuple(rows), answered=False, about="coefficients-about"
        ),
        RuleTable("days", DAY_COLUMNS, tuple(day_rows(wide, on)), answered=False, about="days-about"),
    ]


def day_rows(wide: AdmittedCompetitions | None, on: date) -> Iterator[Cells]:
    """§5: the rows of the table of days: day, competition, and its kB before and after."""
    for day in days_of_change(wide, on + timedelta(1), on + A_YEAR):
        for each in wide.competitions if wide else ():
            before, after = (time_coefficient(each.ends, at) for at in (day - timedelta(1), day))
            if before != after:
                yield day, each.id, before, after


def counting_competitions(
    state: State[MahjongStanding], player: PlayerId, track: str, on: date
) -> Counts | None:
    """§5: the competitions that count for a player on a day, with the steps to the rating; None: no place."""
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
    table = RuleTable("counts", COUNTS_COLUMNS, tuple(rows), answered=False)
    return Counts(table, steps, missed_table(wide, standing, on))
