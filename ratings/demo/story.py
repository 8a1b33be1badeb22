"""Invents the past of a demo office as a journal: people, events, games, lists, corrections and ranks.

The same seed and day always give the same story.
"""

import math
import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal, localcontext
from heapq import nsmallest
from typing import Any

from players.languages import translate_ruleset_name
from ratings.rulesets import facts, journal
from ratings.rulesets.demo import (
    Demo,
    EntryGroup,
    EventKind,
    NamePool,
    Person,
    PlannedEvent,
    PlayedSection,
    Population,
    share_at_age,
)
from ratings.rulesets.facts import ANNULLED, PLAYED, Bye, Departure, Game, RuleTable, Scoring, Section, State
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import CONTEXT, Ruleset

# ---- Confirmation of ranks
RANKS_LEFT_UNCONFIRMED = 3
"""The number of newest rank proposals that are left for a person to confirm."""


def confirm_ranks(
    ruleset: Ruleset, written_facts: Sequence[facts.JournalFact], *, on: date, leave_newest: bool
) -> list[facts.Rank]:
    """Confirm, on the day `on`, all ranks for which the journal so far gives players grounds.

    `leave_newest`: without the last few, so that some wait for an official.
    """
    found = []
    lines = tuple(journal.JournalLine(number, fact) for number, fact in enumerate(written_facts, start=1))
    federation = facts.Federation(facts.JOURNAL_FORM, ruleset.slug, ruleset.slug, ruleset.name)
    state: State[Any] = State()
    for _step in ruleset.fold(journal.resolve(journal.Journal(federation, ruleset, lines)), state):
        pass
    with localcontext(CONTEXT):
        tables: list[RuleTable] = ruleset.edition_on(on).rules.tables(state, on)
    for table in tables:
        for row in table.rows if table.confirms else ():
            cells = dict(zip(table.columns, row, strict=True))
            ground = f"{ruleset.slug.upper()} {cells['clause']}"
            found.append(facts.Rank(str(cells["player"]), str(cells["rank"]), on, ground))
    return found[:-RANKS_LEFT_UNCONFIRMED] if leave_newest else found


@dataclass(slots=True)
class GameCount:
    ruleset: Ruleset
    people: Mapping[str, Person]
    games: Counter[facts.StandingKey] = field(default_factory=Counter)

    def rate(self, section: facts.Section, times: int = 1) -> None:
        """Count the games of a rated section, or with `times=-1` discount those of an un-rated one."""
        tracks = self.ruleset.sections.tracks_of(section)
        for game in section.games:
            for player in (game.first, game.second) if game.played else ():
                for track in tracks if self._counts(player, section) else ():
                    self.games[player, track] += times

    def with_pre_ratings(self, section: facts.Section, earlier: facts.Section | None = None) -> facts.Section:
        """Return the section with the pre-ratings that the office states at approval: for players with too
        few counted games, or who had one in the version before (`earlier`).
        """
        if self.ruleset.pre_ratings is None:
            return section
        kept = {entry.player for entry in earlier.entries if entry.pre is not None} if earlier else set()
        entries = (self._entry(entry, section, kept=entry.player in kept) for entry in section.entries)
        return replace(section, entries=tuple(entries))

    def _entry(self, entry: facts.Entry, section: facts.Section, *, kept: bool) -> facts.Entry:
        fewest = min(self.games[entry.player, track] for track in self.ruleset.sections.tracks_of(section))
        if self.ruleset.pre_ratings is None or (fewest >= self.ruleset.pre_ratings.until_games and not kept):
            return entry
        person = self.people[entry.player]
        return replace(entry, pre=self.ruleset.pre_ratings.of(person.birth.year, person.sex, section))

    def _counts(self, player: str, section: facts.Section) -> bool:
        """Return whether a section's games count for a player: abroad, not for foreigners (D-CSA-18)."""
        home = section.country in (None, self.ruleset.country)
        return home or self.people[player].nation == self.ruleset.country


# ---- Planning of events
FOUNDING_INTERVAL = timedelta(days=30)


def plan_events(
    rng: random.Random, demo: Demo, *, start: date, end: date, scale: float
) -> list[PlannedEvent]:
    """Plan every event that begins and ends within these days, in order of play.

    `scale`: the share of the usual number; the demo may have twice as many in the last weeks.
    """
    founding = list(_founding(rng, demo, start))
    start = max([start, *(plan.ends + timedelta(days=1) for plan in founding)])
    years = range(start.year, end.year + 1)
    fresh = end - timedelta(days=demo.present.fuller)
    plans = [plan for year in years for plan in _season(rng, demo, year, scale) if start <= plan.starts]
    if demo.present.fuller:
        news = [plan for year in years[-2:] for plan in _season(rng, demo, year, scale)]
        plans += [plan for plan in news if plan.kind in demo.events.kinds and fresh <= plan.starts]
    plans = [plan for plan in plans if plan.ends <= end]
    return sorted([*founding, *plans], key=lambda plan: (plan.starts, plan.ends, plan.name))


def _founding(rng: random.Random, demo: Demo, start: date) -> Iterator[PlannedEvent]:
    for place, kind in enumerate(demo.events.founding):
        region = kind.only or next(iter(demo.events.places))
        first = first_weekday_from(start + place * FOUNDING_INTERVAL, kind.weekday)
        yield plan_event_on_day(rng, demo, kind, region, first)


def _season(rng: random.Random, demo: Demo, year: int, scale: float) -> Iterator[PlannedEvent]:
    for region in demo.events.places:
        for kind in demo.events.kinds:
            expected = kind.a_year * demo.events.busy.get(region, 1) * scale
            for _n in range(int(expected) + (rng.random() < expected % 1)):
                yield plan_event(rng, demo, kind, region, year)
    for kind in demo.events.once:
        if year % kind.every:
            continue
        yield plan_event(rng, demo, kind, kind.only or rng.choice(list(demo.events.places)), year)


def plan_event(rng: random.Random, demo: Demo, kind: EventKind, region: str, year: int) -> PlannedEvent:
    first = date(year, rng.choice(kind.months), rng.randint(1, 28))
    return plan_event_on_day(rng, demo, kind, region, first_weekday_from(first, kind.weekday))


def plan_event_on_day(
    rng: random.Random,
    demo: Demo,
    kind: EventKind,
    region: str,
    first_day: date,
    place: str = "",
    variant: Mapping[str, Any] | None = None,
) -> PlannedEvent:
    """Plan an event that begins on `first`; by default with a place and variant drawn from the kind's."""
    days = tuple(first_day + timedelta(days=kind.apart * day) for day in range(kind.days))
    place = place or rng.choice(kind.places or demo.events.places[region])
    chosen = variant or rng.choice(kind.variants)
    return PlannedEvent(
        kind,
        kind.name.format(place=place, year=days[-1].year, epithet=rng.choice(demo.events.epithets)),
        region,
        place,
        days,
        {**chosen, **demo.events.of_day(days[-1])},
    )


def first_weekday_from(day: date, weekday: int) -> date:
    return day + timedelta(days=(weekday - day.weekday()) % 7)


def number_events(plans: Sequence[PlannedEvent]) -> Iterator[tuple[str, PlannedEvent]]:
    counts: Counter[int] = Counter()
    for plan in plans:
        year = plan.starts.year
        counts[year] += 1
        yield f"{year}-{counts[year]:03}", plan


# ---- Players
MOST_ZEAL = 16.0
GROWN_UP_AGE = 21
SECOND_NAME_SHARE = 0.15
MOST_DAYS_JOINED_BEFORE = 2500
"""The most days before the record's start on which a player may have joined."""


def invent_people(rng: random.Random, demo: Demo, *, start: date, today: date, scale: float) -> list[Person]:
    """Invent a demo's players, numbered in the order in which they joined."""
    who = demo.population
    count = max(who.fewest, round(who.players * scale))
    regions = rng.choices(list(who.shares), list(who.shares.values()), k=count)
    people = [_player(rng, demo, region, start, today) for region in regions]
    if who.abroad:
        foreigners = max(who.fewest_foreigners, round(who.foreigners * scale))
        people += [_foreigner(rng, demo, start) for _n in range(foreigners)]
    people.sort(key=lambda person: person.joined)
    for number, person in enumerate(_distinct(people), start=who.first_number):
        person.number = str(number)
    who.finish(rng, people, start)
    for person in rng.sample([p for p in people if p.joined < start and p.region], who.withheld):
        person.withheld = True
    salts = random.Random(f"salts {start} {today}")
    for person in people:  # the same day gives the same story; salts of a real office are not predictable
        person.salt = salts.randbytes(16).hex()
    return people


def build_player_fact(person: Person, ruleset: Ruleset) -> facts.Player:
    """Return the fact of a player's line; writing it leaves out keys that the ruleset does not read."""
    return facts.Player(
        id=person.number,
        name=person.name,
        salt=person.salt,
        nation=person.nation,
        region=person.region or None,
        resident=person.resident,
        included_by=person.included_by or None,
    )


def _distinct(people: Sequence[Person]) -> Iterator[Person]:
    """Yield the people, some with another year of birth, so that no two share it and a name: the matching
    would take them for one person.
    """
    seen: set[tuple[str, int]] = set()
    for person in people:
        while (person.name, person.birth.year) in seen:
            person.birth = person.birth.replace(year=person.birth.year - 1, day=min(person.birth.day, 28))
        seen.add((person.name, person.birth.year))
        yield person


def _player(rng: random.Random, demo: Demo, region: str, start: date, today: date) -> Person:
    who = demo.population
    languages = who.languages[region]
    pool = who.pools[rng.choices(list(languages), list(languages.values()))[0]]
    age = who.ages(rng)
    sex = "f" if rng.random() < share_at_age(who.women, age) else "m"
    surname, first_name = draw_name(rng, who, pool, sex)
    joined = _join_date(rng, who, age, start, today)
    base, growth = who.strength(rng, age, sex)
    if joined >= start and age >= GROWN_UP_AGE:
        base = max(demo.population.lowest, base - who.beginners_lack)
    keen = base > who.keen
    zeal = min(MOST_ZEAL, rng.lognormvariate(0, 1.2)) * (1.5 if age < GROWN_UP_AGE or keen else 1)
    return Person(
        number="",
        surname=surname,
        first_name=first_name,
        sex=sex,
        birth=_birth(rng, start.year - age),
        nation=demo.home,
        region=region,
        joined=joined,
        base=base,
        growth=growth,
        zeal=max(2.0, zeal) if keen else zeal,
    )


def _foreigner(rng: random.Random, demo: Demo, start: date) -> Person:
    who = demo.population
    nation = rng.choice(list(who.abroad))
    sex = "f" if rng.random() < 0.2 else "m"
    surname, first_name = draw_name(rng, who, who.abroad[nation], sex)
    birth = _birth(rng, start.year - rng.randint(14, 55))
    joined = start - timedelta(days=rng.randint(1, 900))
    mean, spread, most = who.foreign
    base = min(most, rng.gauss(mean, spread))
    return Person("", surname, first_name, sex, birth, nation, "", joined, base, 0, 1.0)


def draw_name(rng: random.Random, who: Population, pool: NamePool, sex: str) -> tuple[str, str]:
    """Draw a surname and first name from a pool; in some languages a few people have two first names."""
    firsts = pool["women" if sex == "f" else "men"]
    first = rng.choice(firsts)
    if who.second_names and rng.random() < SECOND_NAME_SHARE and (second := rng.choice(firsts)) != first:
        first = f"{first} {second}"
    surnames = pool.get("womens_surnames", pool["surnames"]) if sex == "f" else pool["surnames"]
    return rng.choice(surnames), first


def _birth(rng: random.Random, year: int) -> date:
    return date(year, 1, 1) + timedelta(days=rng.randrange(365))


def _join_date(rng: random.Random, who: Population, age: int, start: date, today: date) -> date:
    if rng.random() < share_at_age(who.there, age):
        return start - timedelta(days=rng.randint(1, MOST_DAYS_JOINED_BEFORE))
    return start + timedelta(days=rng.randrange(max(1, (today - start).days)))


# ---- Games
FORFEIT_SHARE, EXCUSED_SHARE = 0.009, 0.45
MOST_REPLAYS = 3
Pair = tuple[int, int]
"""Two starting numbers, the first mover's first."""


@dataclass(slots=True)
class SectionInPlay:
    """A section while it is played. Players are given by starting number, from 1."""

    rng: random.Random
    strengths: Sequence[float]
    rounds: int
    result: Callable[[random.Random, float, float], str]
    calm: bool = False
    """Whether everybody plays every round: no forfeit, no departure, no requested bye."""
    excuses: bool = False
    """Whether a forfeit may be marked as excused, as some rulesets ask."""
    replays: bool = False
    """Whether a drawn game is replayed at once with the sides exchanged."""
    annulled: float = 0
    """The share of games that the arbiter annuls and has replayed."""
    games: list[tuple[int, int, int, str, str | None]] = field(default_factory=list)
    byes: list[tuple[int, int, str]] = field(default_factory=list)
    left: dict[int, Departure] = field(default_factory=dict)
    scoring: Scoring = field(default_factory=Scoring)
    scores: list[Decimal] = field(default_factory=list)
    played_pairs: set[frozenset[int]] = field(default_factory=set)
    firsts: list[int] = field(default_factory=list)
    """By starting number, how often a player moved first, less how often second."""

    def __post_init__(self) -> None:
        self.scores = [Decimal(0)] * (len(self.strengths) + 1)
        self.firsts = [0] * (len(self.strengths) + 1)

    @property
    def players(self) -> range:
        return range(1, len(self.strengths) + 1)

    def strength(self, player: int) -> float:
        return self.strengths[player - 1]

    def play(self, number: int, pairs: Iterable[Pair]) -> None:
        for first, second in pairs:
            if not self.calm and self.rng.random() < FORFEIT_SHARE:
                self._forfeit(number, first, second)
            else:
                self.play_pairing(number, first, second)

    def play_pairing(self, number: int, first: int, second: int) -> None:
        """Play one game, perhaps with an annulled one before it or replays of a draw after it."""
        if self.annulled and self.rng.random() < self.annulled:
            self.games.append((number, first, second, ANNULLED, None))
        result = self._one_game(number, first, second)
        replayed = 0
        while self.replays and result == "1/2" and replayed < MOST_REPLAYS:
            first, second, replayed = second, first, replayed + 1
            result = self._one_game(number, first, second)

    def _one_game(self, number: int, first: int, second: int) -> str:
        result = self.result(self.rng, self.strength(first), self.strength(second))
        self.record(number, first, second, result)
        return result

    def record(self, number: int, first: int, second: int, result: str, excused: str | None = None) -> None:
        self.games.append((number, first, second, result, excused))
        self.played_pairs.add(frozenset((first, second)))
        if result in PLAYED:
            self.firsts[first] += 1
            self.firsts[second] -= 1
        points = self.scoring.points_of_game(result)
        self.scores[first] += points[0]
        self.scores[second] += points[1]

    def give_bye(self, number: int, player: int, kind: str) -> None:
        self.byes.append((number, player, kind))
        self.scores[player] += self.scoring.points_of_bye(kind)

    def order(self) -> list[int]:
        """All players by points, then strength: for pairing, and for the final places."""
        return sorted(self.players, key=lambda player: (-self.scores[player], -self.strength(player)))

    def has_left(self, player: int, number: int) -> bool:
        left = self.left.get(player)
        return left is not None and left.round <= number

    def _forfeit(self, number: int, first: int, second: int) -> None:
        comes_first = self.rng.random() < 0.5
        side = "second" if comes_first else "first"
        excused = side if self.excuses and self.rng.random() < EXCUSED_SHARE else None
        self.record(number, first, second, "+:-" if comes_first else "-:+", excused)


def recompute_places(section: Section, ruleset: Ruleset) -> Section:
    """Return the section with places by its results; players level on points keep their order."""
    scores = ruleset.edition_on_or_first(section.starts).scoring.totals(
        ((game.first, game.second, game.result) for game in section.games),
        ((bye.player, bye.kind) for bye in section.byes),
    )
    order = sorted(section.entries, key=lambda entry: (-scores[entry.player], entry.place or 0))
    places = {entry.player: place for place, entry in enumerate(order, start=1)}
    return replace(section, entries=tuple(replace(e, place=places[e.player]) for e in section.entries))


def games_of(section: SectionInPlay, ids: Sequence[str]) -> tuple[Game, ...]:
    """Return the games as the journal has them; `ids`: the players' ids in order of starting numbers."""
    return tuple(
        Game(n, ids[f - 1], ids[s - 1], result, excused) for n, f, s, result, excused in section.games
    )


def byes_of(section: SectionInPlay, ids: Sequence[str]) -> tuple[Bye, ...]:
    return tuple(Bye(number, ids[player - 1], kind) for number, player, kind in section.byes)


# ---- Formats of play
HALF_BYE_SHARE, LEAVING_SHARE, NOTIFIED_SHARE = 0.006, 0.018, 0.7
LUCK = 0.55
"""The spread of one day's luck in a placement, as a share of the spread of strength."""
SHARED_PLACE_SHARE = 0.03
GAMES_OF_A_MATCH = 6


def draw_round_count(rng: random.Random, kind: EventKind, player_count: int) -> int:
    everybody = player_count - 1 + player_count % 2
    if kind.format == "double-round-robin":
        return 2 * everybody
    if kind.boards:
        return player_count // kind.boards - 1
    if kind.format == "scheveningen":
        return player_count // 2
    if kind.format == "knockout":
        return bracket_size(player_count).bit_length() - 1
    if kind.format == "round-robin":
        return everybody
    rounds = rng.choice(kind.rounds)
    return min(rounds, player_count - 2) if kind.format == "swiss" else rounds or GAMES_OF_A_MATCH


def play_to_final_places(section: SectionInPlay, kind: EventKind) -> dict[int, int]:
    """Play every round of a section in its format, and return the final places by starting number."""
    if kind.format == "placement":
        # No games: places by strength and luck, some of them shared.
        mean = sum(section.strengths) / len(section.strengths)
        spread = (sum((each - mean) ** 2 for each in section.strengths) / len(section.strengths)) ** 0.5
        luck = {player: section.rng.gauss(0, LUCK * spread) for player in section.players}
        order = sorted(section.players, key=lambda player: -section.strength(player) - luck[player])
        places: dict[int, int] = {}
        for place, player in enumerate(order, start=1):
            shared = place > 1 and section.rng.random() < SHARED_PLACE_SHARE
            places[player] = places[order[place - 2]] if shared else place
        return places
    if kind.format == "knockout":
        # Losers of the same round share the place.
        placed: dict[int, int] = {}
        alive = list(section.players)
        for number in range(1, section.rounds + 1):
            half = len(alive) // 2
            alive = [_winner(section, number, alive[at], alive[-at - 1]) for at in range(half)]
            placed |= {player: half + 1 for player in section.players if player not in {*alive, *placed}}
        return placed | {alive[0]: 1}
    if kind.boards:
        # A round robin of teams: each board against the same board of the other team.
        boards = kind.boards
        teams = len(section.strengths) // boards
        for number, matches in enumerate(berger(teams)[: section.rounds], start=1):
            pairs = []
            for home, away in matches:
                for board in range(boards):
                    pair = ((home - 1) * boards + board + 1, (away - 1) * boards + board + 1)
                    pairs.append(pair[::-1] if board % 2 else pair)
            section.play(number, pairs)
    elif kind.format == "scheveningen":
        play_scheveningen(section)
    elif kind.format == "swiss":
        play_swiss(section)
    elif kind.format == "match":
        play_match(section)
    else:
        play_round_robin(section, twice=kind.format == "double-round-robin")
    return {player: place for place, player in enumerate(section.order(), start=1)}


def play_swiss(section: SectionInPlay) -> None:
    if not section.calm:
        section.left = dict(_departures(section))
    for number in range(1, section.rounds + 1):
        here = []
        for player in section.order():
            if section.has_left(player, number):
                section.give_bye(number, player, "zero")
            elif not section.calm and 1 < number < section.rounds and section.rng.random() < HALF_BYE_SHARE:
                section.give_bye(number, player, "half")
            else:
                here.append(player)
        if len(here) % 2:
            had = {player for _number, player, kind in section.byes if kind == "pairing"}
            bye = next((player for player in reversed(here) if player not in had), here[-1])
            here.remove(bye)
            section.give_bye(number, bye, "pairing")
        section.play(number, pair_by_score(section, here))


def _departures(section: SectionInPlay) -> Iterator[tuple[int, Departure]]:
    for player in section.players:
        if section.rounds > 5 and len(section.strengths) > 8 and section.rng.random() < LEAVING_SHARE:
            number = section.rng.randint(section.rounds // 2 + 1, section.rounds - 1)
            yield player, Departure(number, section.rng.random() < NOTIFIED_SHARE)


def pair_by_score(section: SectionInPlay, present: Sequence[int]) -> list[Pair]:
    """Pair one round of a Swiss: the upper half of each score group against its lower half, and nobody twice
    if that can be avoided.
    """
    free = list(present)
    pairs: list[Pair] = []
    while len(free) > 1:
        player = free.pop(0)
        group = sum(section.scores[other] == section.scores[player] for other in free)
        middle = group // 2
        candidates = [*free[middle:group], *reversed(free[:middle]), *free[group:]]
        opponent = next((o for o in candidates if frozenset((player, o)) not in section.played_pairs), None)
        if opponent is None:
            opponent = _exchange(section, pairs, player, free)
        free.remove(opponent)
        pairs.append(_colours(section, player, opponent))
    return pairs


def _exchange(section: SectionInPlay, pairs: list[Pair], player: int, free: list[int]) -> int:
    for place in range(len(pairs) - 1, -1, -1):
        for one, two in (pairs[place], pairs[place][::-1]):
            if frozenset((player, one)) in section.played_pairs:
                continue
            for other in free:
                if frozenset((two, other)) not in section.played_pairs:
                    pairs[place] = _colours(section, two, other)
                    free.remove(other)
                    free.insert(0, one)
                    return one
    return free[0]


def _colours(section: SectionInPlay, one: int, two: int) -> Pair:
    """Order a pair: the player who moved first less often moves first; if equal, by lot."""
    balance = section.firsts[one] - section.firsts[two] or section.rng.choice((-1, 1))
    return (one, two) if balance < 0 else (two, one)


def berger(size: int) -> list[list[Pair]]:
    """Return the Berger pairings of a round robin, by round, for an even number of players."""
    ring = list(range(1, size))
    rounds = []
    for number in range(size - 1):
        seats = [size, *ring[number:], *ring[:number]]
        pairs = [(seats[place], seats[-place - 1]) for place in range(size // 2)]
        rounds.append([pair[::-1] if (number + place) % 2 else pair for place, pair in enumerate(pairs)])
    return rounds


def play_round_robin(section: SectionInPlay, *, twice: bool = False) -> None:
    """Play a round robin, `twice` with colours exchanged; of an odd number, one has a bye in each round."""
    size = len(section.strengths) + len(section.strengths) % 2
    rounds = berger(size)
    if twice:
        rounds += [[pair[::-1] for pair in pairs] for pairs in rounds]
    for number, pairs in enumerate(rounds[: section.rounds], start=1):
        idle = [min(pair) for pair in pairs if max(pair) > len(section.strengths)]
        for player in idle:
            section.give_bye(number, player, "pairing")
        section.play(number, [pair for pair in pairs if max(pair) <= len(section.strengths)])


def play_scheveningen(section: SectionInPlay) -> None:
    half = len(section.strengths) // 2
    for number in range(1, section.rounds + 1):
        pairs = [(place + 1, half + (place + number - 1) % half + 1) for place in range(half)]
        section.play(number, [pair[::-1] if (sum(pair) + number) % 2 else pair for pair in pairs])


def play_match(section: SectionInPlay) -> None:
    for number in range(1, section.rounds + 1):
        section.play(number, [(1, 2) if number % 2 else (2, 1)])


def bracket_size(player_count: int) -> int:
    """Return the largest power of two, not above that number of players."""
    return 1 << (player_count.bit_length() - 1)


def _winner(section: SectionInPlay, number: int, one: int, other: int) -> int:
    """Play a pairing of a knockout and return the winner: the higher seeded if it stays drawn."""
    section.play_pairing(number, one, other)
    _round, first, second, result, _excused = section.games[-1]
    if result == "1/2":
        return min(one, other)
    return first if result == "1-0" else second


# ---- Entrants and sections
FEWEST_ENTRANTS = {"swiss": 8, "double-round-robin": 4, "match": 2}
FEWEST_ENTRANTS_OTHERWISE = 6
SAMPLE_SIZE = 900
SEEDING_ERROR = 90
"""The spread, in points, of organisers' error about players' strength when they seed them."""


@dataclass(slots=True)
class EntrantPool:
    ruleset: Ruleset
    demo: Demo
    people: Sequence[Person]
    start: date
    people_by_region: dict[str, list[Person]] = field(default_factory=dict)
    """The people by the code of their region; the empty code: from abroad."""

    def __post_init__(self) -> None:
        for person in self.people:
            self.people_by_region.setdefault(person.region, []).append(person)

    def strength(self, person: Person, on: date) -> float:
        return max(self.demo.population.lowest, person.strength((on - self.start).days))

    def draw(self, rng: random.Random, plan: PlannedEvent, group: EntryGroup, size: int) -> list[Person]:
        foreign = [p for p in self.people_by_region.get("", ()) if p.joined <= plan.starts]
        guests = _draw_people(rng, foreign, round(size * plan.kind.foreign))
        here, on, size = {guest.number for guest in guests}, plan.starts, size - len(guests)
        visitors = round(size * plan.kind.visitors)
        own = [p for p in self.people_by_region.get(plan.region, ()) if self._may_enter(p, group, on)]
        chosen = _draw_people(rng, own, size - visitors)
        here |= {person.number for person in chosen}
        pool = self.people if len(self.people) < SAMPLE_SIZE else rng.sample(self.people, SAMPLE_SIZE)
        if plan.kind.foreign:
            pool = [person for person in pool if person.region]
        others = [p for p in pool if p.number not in here and self._may_enter(p, group, on)]
        return [*guests, *chosen, *_draw_people(rng, others, size - len(chosen))]

    def _may_enter(self, person: Person, group: EntryGroup, on: date) -> bool:
        if person.joined > on or not group.youngest <= on.year - person.birth.year <= group.oldest:
            return False
        if group.women and person.sex != "f":
            return False
        return group.above <= self.strength(person, on) < group.below


def _draw_people(rng: random.Random, people: Iterable[Person], count: int) -> list[Person]:
    """Draw people by lot, nobody twice, with the weight of their `zeal`."""
    drawn = [(-math.log(1 - rng.random()) / person.zeal, person.number, person) for person in people]
    return [person for _key, _number, person in nsmallest(max(0, count), drawn)]


def play_event(
    rng: random.Random, pool: EntrantPool, number: str, plan: PlannedEvent
) -> Iterator[facts.Section]:
    """Play the sections of an event, `NUMBER/A`, `NUMBER/B` …; those with too few entrants are not held."""
    busy: set[str] = set()
    letters = iter("ABCDEF")
    for group in plan.kind.groups:
        entrants = [person for person in _entrants(rng, pool, plan, group) if person.number not in busy]
        if len(entrants) < FEWEST_ENTRANTS.get(plan.kind.format, FEWEST_ENTRANTS_OTHERWISE):
            continue
        busy |= {person.number for person in entrants}
        yield play_section(rng, pool, f"{number}/{next(letters)}", plan, group.name, entrants)


def _entrants(rng: random.Random, pool: EntrantPool, plan: PlannedEvent, group: EntryGroup) -> list[Person]:
    size = rng.randint(*plan.kind.size)
    if plan.kind.format not in ("swiss", "placement"):
        size -= size % 2
    return pool.draw(rng, plan, group, size)


def play_section(
    rng: random.Random,
    pool: EntrantPool,
    id_: str,
    plan: PlannedEvent,
    name: str,
    entrants: list[Person],
    *,
    nobody_absent: bool = False,
) -> facts.Section:
    """Play a section with these entrants and return it as a fact; `nobody_absent`: nobody is absent."""
    kind = plan.kind
    _seat(rng, pool, plan, entrants)
    strengths = [pool.strength(person, plan.starts) for person in entrants]
    hall = SectionInPlay(
        rng,
        strengths,
        draw_round_count(rng, plan.kind, len(strengths)),
        pool.demo.result,
        calm=nobody_absent,
        excuses="excused" in pool.ruleset.journal.reads,
        replays=plan.kind.replays,
        annulled=plan.kind.annulled,
        scoring=pool.ruleset.edition_on_or_first(plan.starts).scoring,
    )
    places = play_to_final_places(hall, kind)
    ids = [person.number for person in entrants]
    rated_there = bool(kind.country) and "rating" in pool.ruleset.journal.reads
    return facts.Section(
        id=id_,
        event=plan.name,
        name=name,
        starts=plan.starts,
        ends=plan.ends,
        format=kind.format,
        rounds=hall.rounds,
        entries=_entries(pool, plan, entrants, places, strengths if rated_there else None, hall.left),
        games=games_of(hall, ids),
        byes=byes_of(hall, ids),
        country=kind.country or None,
        team=bool(kind.boards) or kind.format == "scheveningen",
        **journal_particulars(pool.ruleset, plan),
    )


def _entries(
    pool: EntrantPool,
    plan: PlannedEvent,
    entrants: list[Person],
    places: Mapping[int, int],
    ratings: list[float] | None,
    left: Mapping[int, facts.Departure],
) -> tuple[facts.Entry, ...]:
    women_play = plan.particulars.get("status") in pool.ruleset.sections.women_play_in
    return tuple(
        facts.Entry(
            player=person.number,
            place=places[start_number],
            rating=round(ratings[start_number - 1]) if ratings else None,
            women=person.sex == "f" and women_play,
            team=_team(pool.demo, plan, start_number, len(entrants)),
            left=left.get(start_number),
        )
        for start_number, person in enumerate(entrants, start=1)
    )


def journal_particulars(ruleset: Ruleset, plan: PlannedEvent) -> dict[str, Any]:
    """Return the planned particulars that the journal holds; the others are for acceptance alone."""
    names = {field.name for field in ruleset.sections.fields}
    return {name: value for name, value in plan.particulars.items() if name in names}


def _seat(rng: random.Random, pool: EntrantPool, plan: PlannedEvent, entrants: list[Person]) -> None:
    """Sort entrants, in place, by starting number, and remove those for whom the format has no room."""
    kind = plan.kind
    if kind.boards:
        del entrants[len(entrants) - len(entrants) % (2 * kind.boards) :]
        rng.shuffle(entrants)
    elif kind.format == "scheveningen":
        del entrants[len(entrants) - len(entrants) % 2 :]
        entrants.sort(key=lambda person: person.region != plan.region)
    else:
        entrants.sort(key=lambda p: -pool.strength(p, plan.starts) + rng.gauss(0, SEEDING_ERROR))
        if kind.format == "knockout":
            del entrants[bracket_size(len(entrants)) :]


def _team(demo: Demo, plan: PlannedEvent, start_number: int, players: int) -> str | None:
    if plan.kind.boards:
        return f"{plan.place} {demo.events.teams[(start_number - 1) // plan.kind.boards]}"
    if plan.kind.format == "scheveningen":
        return plan.place if start_number <= players // 2 else "Guests"
    return None


def round_days(plan: PlannedEvent, rounds: int) -> list[date]:
    """Return the day of each round: rounds are spread evenly, with more on the early days."""
    each_day, further = divmod(rounds, len(plan.days))
    return [day for place, day in enumerate(plan.days) for _n in range(each_day + (place < further))]


# ---- The story as lines of a journal
StoryFact = facts.Section | facts.Unrated | facts.ListClosing | facts.Playoff
DAYS_NOT_YET_RATED = 9
"""The days before today whose sections are not rated yet: they are in the database alone."""
SEED = 1
CORRECTED_WITHIN = 5
"""The days after a rating within which a wrong section is un-rated and rated again."""
REWRITABLE_FORMATS = ("swiss", "round-robin", "placement")


@dataclass(slots=True)
class FiledSection:
    section: facts.Section
    plan: PlannedEvent
    registered: date
    filed: date
    submitted: date
    rated: date
    round_days: list[date]
    admitted: date | None = None
    """The day of the decision before play, if the rules ask for one."""
    unrated: date | None = None
    rerated: date | None = None


@dataclass(slots=True)
class Story:
    ruleset: Ruleset
    demo: Demo
    start: date
    today: date
    people: list[Person]
    plans: dict[str, PlannedEvent]
    """The events by their number."""
    filed: list[FiledSection] = field(default_factory=list)
    lists: list[date] = field(default_factory=list)
    notes: list[facts.Playoff] = field(default_factory=list)
    confirmed: list[facts.Rank] = field(default_factory=list)
    lines: list[facts.JournalFact] = field(default_factory=list)


def invent_story(
    ruleset: Ruleset, *, today: date, seed: int = SEED, scale: float = 1.0, start: date | None = None
) -> Story:
    """Invent the past of a federation's demo office; the same seed and day give the same story.

    `scale`: the share of the full number of players and events; `start`: the first day of the record, by
    default the demo's.
    """
    demo = equipment_of(ruleset).demo
    if demo is None:
        raise LookupError(f"{ruleset.slug} brings no demo")
    rng = random.Random(f"{seed} {today}")
    start = start or demo.start(today)
    people = invent_people(rng, demo, start=start, today=today, scale=scale)
    end = today - timedelta(days=DAYS_NOT_YET_RATED)
    plans = plan_events(rng, demo, start=start, end=end, scale=scale)
    story = Story(ruleset, demo, start, today, people, dict(number_events(plans)))
    pool = EntrantPool(ruleset, demo, people, start)
    played = [
        PlayedSection(plan, section)
        for number, plan in story.plans.items()
        for section in play_event(rng, pool, number, plan)
    ]
    played, story.notes = demo.events.retell(rng, played, {person.number: person for person in people})
    story.filed = [_file(rng, demo, each, today) for each in played]
    if ruleset.sections.admission:
        for filed in story.filed:
            filed.admitted = filed.registered + timedelta(days=1)
    _delay(story)
    rated = [filed.rated for filed in story.filed]
    story.lists = demo.lists(start, sorted(rated), today)
    _correct(rng, story)
    story.lines = _lines(rng, story)
    return story


def _file(rng: random.Random, demo: Demo, played: PlayedSection, today: date) -> FiledSection:
    plan, section = played
    filed = section.ends + timedelta(days=min(demo.habits.filed_within, rng.choice((0, 1, 1, 2, 2, 3, 4, 5))))
    submitted = filed + timedelta(days=rng.choice((0, 0, 0, 1)))
    return FiledSection(
        section=section,
        plan=plan,
        registered=plan.starts - timedelta(days=rng.randint(*demo.habits.registered_before)),
        filed=filed,
        submitted=submitted,
        rated=min(submitted + timedelta(days=rng.choice((0, 1, 1, 2, 3))), today - timedelta(days=1)),
        round_days=round_days(plan, section.rounds),
    )


def _delay(story: Story) -> None:
    """Delay the approval of one section until yesterday, if the demo asks for it: in the order of play it
    re-rates all later ones.
    """
    if not story.demo.present.late:
        return
    day = story.today - timedelta(days=story.demo.present.late)
    late = min(story.filed, key=lambda filed: abs((filed.section.ends - day).days))
    late.rated = story.today - timedelta(days=1)


def _correct(rng: random.Random, story: Story) -> None:
    """Choose a few sections to be un-rated and rated again, each before a list takes in the wrong result."""
    early = [
        filed
        for filed in story.filed
        if filed.section.format in REWRITABLE_FORMATS and _is_correctable(filed.rated, story.lists)
    ]
    for filed in rng.sample(early, min(len(early), max(1, round(story.demo.habits.corrected * len(early))))):
        filed.unrated = filed.rated + timedelta(days=rng.randint(1, 3))
        filed.rerated = filed.unrated + timedelta(days=rng.randint(0, 2))


def _is_correctable(rated: date, lists: Sequence[date]) -> bool:
    """Return whether a section rated on that day can be corrected before the next list, if one follows."""
    following = lists[bisect_right(lists, rated) :]
    return bool(following) and following[0] > rated + timedelta(days=CORRECTED_WITHIN)


def swap_result(section: facts.Section, ruleset: Ruleset) -> facts.Section:
    """Return the section with one result, or the first two places, swapped: a wrong version of a right one,
    or the reverse.
    """
    if section.format == "placement":
        one, other, *others = section.entries
        swapped = (replace(one, place=other.place), replace(other, place=one.place), *others)
        return replace(section, entries=swapped)
    games = list(section.games)
    place = next(place for place, game in enumerate(games) if game.result in ("1-0", "0-1"))
    games[place] = games[place]._replace(result="0-1" if games[place].result == "1-0" else "1-0")
    return recompute_places(replace(section, games=tuple(games)), ruleset)


def _lines(rng: random.Random, story: Story) -> list[facts.JournalFact]:
    ruleset = story.ruleset
    written: list[facts.JournalFact] = [
        facts.Federation(facts.JOURNAL_FORM, ruleset.slug, ruleset.slug, translate_ruleset_name(ruleset)),
    ]
    people = {person.number: person for person in story.people}
    count = GameCount(ruleset, people)
    opened = [person for person in story.people if person.joined < story.start]
    if story.demo.openings.shares:
        written += [build_player_fact(person, ruleset) for person in opened]
        for person in opened:
            for opening in _openings(rng, story.demo, person, story.start - timedelta(days=1)):
                count.games[opening.player, opening.track] += opening.games
                written.append(opening)
    known = {person.number for person in opened} if story.demo.openings.shares else set()
    # The people who moved to another region, by number, each with the day and the region's code.
    regions = sorted({person.region for person in opened if person.region})
    days = (story.today - story.start).days
    moved = {
        person.number: (story.start + timedelta(days=rng.randrange(days)), rng.choice(regions))
        for person in rng.sample(opened, round(story.demo.habits.moved * len(opened)))
        if person.region
    }
    rated: dict[str, facts.Section] = {}
    for on, _order, fact in sorted(_dated_facts(story), key=lambda dated: dated[:2]):
        if isinstance(fact, facts.Section):
            for number in sorted(entry.player for entry in fact.entries):
                if number not in known:
                    known.add(number)
                    written.append(build_player_fact(people[number], ruleset))
                elif number in moved and moved[number][0] <= on:
                    written.append(
                        replace(build_player_fact(people[number], ruleset), region=moved.pop(number)[1])
                    )
            stated = count.with_pre_ratings(fact, rated.get(fact.id))
            written += [stated, facts.Rated(stated.id, on)]
            rated[stated.id] = stated
            count.rate(stated)
            continue
        if isinstance(fact, facts.Unrated):
            count.rate(rated[fact.section], times=-1)
        if isinstance(fact, facts.ListClosing) and ruleset.journal.ranks:
            found = confirm_ranks(ruleset, written, on=on, leave_newest=on == story.lists[-1])
            story.confirmed += found
            written += found
        written.append(fact)
    return written


def _openings(rng: random.Random, demo: Demo, person: Person, on: date) -> Iterator[facts.Opening]:
    rating = max(demo.population.lowest, person.base + rng.gauss(0, demo.openings.noise))
    for share, tracks in demo.openings.shares:
        if rng.random() >= share:
            continue
        value = max(demo.population.lowest, rating + rng.gauss(0, demo.openings.noise / 2))
        games = 10 + int(rng.expovariate(1 / demo.openings.games))
        for track in tracks:
            text = f"{value:.{demo.openings.digits}f}"
            yield facts.Opening(person.number, track, Decimal(text), games, on, demo.openings.source)


def _dated_facts(story: Story) -> Iterator[tuple[date, int, StoryFact]]:
    """Yield the facts for the journal with their days, and their order within a day: a list closes before
    sections are rated.
    """
    for on in story.lists:
        yield on, 0, facts.ListClosing(on)
    for filed in story.filed:
        section = filed.section
        if filed.unrated is None or filed.rerated is None:
            yield filed.rated, 2, section
            continue
        yield filed.rated, 2, swap_result(section, story.ruleset)
        yield filed.unrated, 3, facts.Unrated(section.id, filed.unrated, "result")
        yield filed.rerated, 4, section
    for note in story.notes:
        yield note.on, 5, note
