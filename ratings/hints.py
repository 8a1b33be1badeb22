"""Hints at review: what looks odd in a section that waits for an official, each with its evidence.

The searches find scores far from expectation, the same event filed twice, players in two places on one day,
and names that look like another's. The worker looks for hints, the review shows them, and officials answer
them on record.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal, localcontext
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from players.decision_kinds import KINDS
from players.evidence import EVIDENCE_LABELS
from players.identity import LikelyDouble, RegisterNames, find_doubles, read_names, record_two_persons
from players.models import Decision, Federation, Ledger, PairOfTwo, Player, User
from players.names import fold
from players.record import Refused
from players.settings import get_settings, today
from ratings.as_if import FoldPlan, plan_rating, state_before_section
from ratings.models import Hint, HintAnswer, HintFound, HintKind, HintsSearch
from ratings.rulesets.facts import PLAYED, GameLine, PlayerId, State
from ratings.rulesets.ruleset import CONTEXT
from tournaments import review
from tournaments.models import Entry, Game, Remark, Section, SectionQuerySet, Stage
from tournaments.review import ENTRY, UNTIED, parse_remark_tie
from tournaments.sections import IncompleteSection, lock_section, record


# ---- Answering hints
@transaction.atomic
def dismiss_hint(*, section: Section, key: str, version: int, by: User, on: date, words: str) -> HintAnswer:
    """Answer a hint of a waiting section: all is right, for this reason. Look-alikes are told apart in the
    whole register.

    Raises `Refused` without a reason, if the section or the hint is not what the official saw, or if somebody
    gave this answer before.
    """
    locked, hint = _lock(section, key, version, words)
    if hint.kind == HintKind.LOOK_ALIKE:
        register = Player.objects.of(locked.event.federation)
        numbers = [str(hint.evidence[name]) for name in ("player", "other")]
        one, other = sorted(register.filter(number__in=numbers), key=lambda each: each.pk)
        if not PairOfTwo.objects.filter(one=one, other=other).exists():
            record_two_persons(player=one, other=other, by=by, on=on, reason=words)
    return _answer(locked, hint, HintAnswer.Outcome.RIGHT, by, on, words.strip())


@transaction.atomic
def ask_region(*, section: Section, key: str, version: int, by: User, on: date, words: str) -> HintAnswer:
    """Answer a hint of a waiting section by a question to its region, in the official's own words: the region
    does not see the hint. It stays open until somebody says that all is right.

    Raises `Refused` without words, or if the section or the hint is not what the official saw.
    """
    locked, hint = _lock(section, key, version, words)
    number = hint.evidence.get("entry")
    tie = UNTIED if number is None else parse_remark_tie(locked, ENTRY, str(number))
    remark = review.ask(section=locked, by=by, on=on, words=words, tie=tie)
    return _answer(locked, hint, HintAnswer.Outcome.ASKED, by, on, words.strip(), remark)


def record_open_hints(section: Section, by: User | None, on: date, because: str) -> int:
    """Record that a section is approved although hints are open, and why; return how many. The caller has
    locked the office and approves the section in the same transaction.

    Raises `Refused` if hints are open and no reason is given.
    """
    left = list(Hint.objects.open().filter(section=section))
    if not left:
        return 0
    if not because.strip():
        raise Refused(
            ngettext(
                "%(count)s hint is not answered. Answer it, or say in a word why you approve the section all "
                "the same.",
                "%(count)s hints are not answered. Answer them, or say in a word why you approve the section "
                "all the same.",
                len(left),
            )
            % {"count": len(left)}
        )
    kinds = sorted(hint.kind for hint in left)
    record(section, "leave-hints", by, on, hints=len(left), kinds=kinds, reason=because.strip())
    return len(left)


def _lock(section: Section, key: str, version: int, words: str) -> tuple[Section, Hint]:
    """Lock a waiting section and return it with the hint; raise `Refused` if that is answered or gone."""
    locked = lock_section(section, version=version, stages=(Stage.SUBMITTED,))
    if not words.strip():
        raise Refused(_("Write a few words first: the record keeps them."))
    hint = Hint.objects.current().filter(section=locked, key=key).first()
    if hint is None:
        raise Refused(_("This hint is not there any more. Look at the hints as they are now."))
    if not Hint.objects.open().filter(pk=hint.pk).exists():
        raise Refused(_("Somebody has answered this hint already. Read the answer first."))
    return locked, hint


def _answer(
    section: Section,
    hint: Hint,
    outcome: HintAnswer.Outcome,
    by: User,
    on: date,
    words: str,
    remark: Remark | None = None,
) -> HintAnswer:
    decision = record(section, "answer-hint", by, on, hint=hint.kind, outcome=outcome.value, words=words)
    answer = HintAnswer.objects.create(
        section=section,
        kind=hint.kind,
        key=hint.key,
        version=section.version,
        outcome=outcome,
        evidence=hint.evidence,
        decision=decision,
        remark=remark,
    )
    answer.players.set(hint.players.all())
    return answer


# ---- Scores far from expectation
FEWEST_GAMES = 4
"""The fewest games: one upset in three games is chess, not a hint."""
FEWEST_POINTS = Decimal("1.5")
"""The fewest points between score and expectation. Against much weaker players a single lost game is already
many standard deviations, so that it takes a loss and a draw.
"""
ONE = Decimal(1)
TENTH = Decimal("0.1")


@dataclass(frozen=True, slots=True)
class ExpectedGame:
    """A played game between two rated players, from one player's side, as the rules rate it."""

    round: int
    opponent: str
    opponent_rating: Decimal
    expected: Decimal
    score: Decimal


@dataclass(frozen=True, slots=True)
class ScoreDeviation:
    scored: Decimal
    expected: Decimal
    spread: Decimal
    """The standard deviation of the score: the square root of the sum of e × (1 − e). With draws the true one
    is smaller, so that deviations are understated and never overstated.
    """

    @property
    def points(self) -> Decimal:
        return self.scored - self.expected

    @property
    def deviations(self) -> Decimal:
        """The absolute distance in standard deviations."""
        return abs(self.points) / self.spread

    def is_far(self, far: int) -> bool:
        """Whether the distance is at least `far` standard deviations and `FEWEST_POINTS`."""
        return abs(self.points) >= FEWEST_POINTS and abs(self.points) >= far * self.spread


def find_far_score_hints(
    games_by_player: Mapping[str, Mapping[str, Sequence[ExpectedGame]]],
    start_numbers: Mapping[str, int],
    least_deviations: int,
) -> Iterator[HintFound]:
    """Yield a hint for each player whose score is far from expectation in every track in which they have a
    rating, because a score that one of their ratings explains is no surprise.

    `games_by_player`: by number, the games by track; `start_numbers`: the starting
    numbers; `least_deviations`: the standard deviations from which a score is told.
    """
    for number, tracks in games_by_player.items():
        measured = [(track, games, compute_deviation(games)) for track, games in tracks.items()]
        if not measured or any(
            each is None or not each.is_far(least_deviations) for _track, _games, each in measured
        ):
            continue
        track, games, least = min(
            ((track, games, each) for track, games, each in measured if each is not None),
            key=lambda row: row[2].deviations,
        )
        evidence = {
            "player": number,
            "entry": start_numbers[number],
            "track": track,
            "scored": _plain(least.scored),
            "expected": f"{least.expected:.2f}",
            "spread": f"{least.spread:.2f}",
            "deviations": str(least.deviations.quantize(TENTH)),
            "games": [_game_evidence(game) for game in games],
        }
        results = [(game.round, game.opponent, _plain(game.score)) for game in games]
        yield HintFound(HintKind.FAR_SCORE, (number, results), evidence, (number,))


def compute_deviation(games: Iterable[ExpectedGame]) -> ScoreDeviation | None:
    """The deviation of the score over some games; None if they are too few."""
    played = list(games)
    variance = sum((game.expected * (ONE - game.expected) for game in played), Decimal(0))
    if len(played) < FEWEST_GAMES or variance <= 0:
        return None
    scored = sum((game.score for game in played), Decimal(0))
    expected = sum((game.expected for game in played), Decimal(0))
    return ScoreDeviation(scored, expected, variance.sqrt())


def _game_evidence(game: ExpectedGame) -> list[str]:
    """Round, opponent, the opponent's rating, expected score, score."""
    rating, expected = f"{game.opponent_rating:.1f}", f"{game.expected:.3f}"
    return [str(game.round), game.opponent, rating, expected, _plain(game.score)]


def _plain(score: Decimal) -> str:
    return f"{score.normalize():f}"


# ---- The same event twice
NEARLY_PERCENT = 80
"""The share of players, and of results, of the smaller section that two nearly equal sections have in common.
It leaves room for a latecomer and a corrected result, while two evenings of one club hardly ever have four of
five results in common.
"""
DAYS_APART = 31
"""The most days between two sections that may be one: a month, so that it is noticed if a club files last
month's evening again as this month's.
"""
FEWEST_RESULTS = 6
"""The fewest results in common: all games of four players. With fewer, stronger players just won again."""

Result = tuple[str, ...]
"""A game as (first by number, second by number, result from the former's side), or (player, place)."""


@dataclass(frozen=True, slots=True)
class ComparedPlay:
    """The play of a section, to be compared with another's. Players are given by number."""

    pk: int
    key: str
    event: int
    place: str
    """The folded place; empty if it is not known."""
    is_online: bool
    """Whether it was played online, where everybody may be anywhere."""
    starts: date
    ends: date
    players: frozenset[str]
    results: Counter[Result]
    """The games; the places if there are no games."""
    days: Mapping[str, frozenset[date]]
    """The days on which each player is known to have played; players without any are absent."""


def find_same_event_hints(own: ComparedPlay, others: Iterable[ComparedPlay]) -> Iterator[HintFound]:
    """Yield a hint for each other section that is nearly the same as this one."""
    for other in others:
        players = own.players & other.players
        alike = sum((own.results & other.results).values())
        fewer_players = min(len(own.players), len(other.players))
        fewer_results = min(own.results.total(), other.results.total())
        if alike < FEWEST_RESULTS or days_between(own, other) > DAYS_APART:
            continue
        if is_nearly_all(len(players), fewer_players) and is_nearly_all(alike, fewer_results):
            evidence = {
                "section": other.pk,
                "key": other.key,
                "players": len(players),
                "of_players": fewer_players,
                "results": alike,
                "of_results": fewer_results,
                "starts": other.starts.isoformat(),
                "ends": other.ends.isoformat(),
            }
            identity = (other.key, len(players), fewer_players, alike, fewer_results)
            yield HintFound(HintKind.SAME_EVENT, identity, evidence)


def is_nearly_all(some: int, of: int) -> bool:
    return some * 100 >= of * NEARLY_PERCENT


def days_between(one: ComparedPlay, other: ComparedPlay) -> int:
    """The days from the end of the earlier section to the start of the later; 0 where their days overlap."""
    gap = max(one.starts, other.starts) - min(one.ends, other.ends)
    return max(0, gap.days)


# ---- A player in two places on one day
def find_two_places_hints(own: ComparedPlay, others: Iterable[ComparedPlay]) -> Iterator[HintFound]:
    """Yield a hint for each section elsewhere in which players of this one played on the same day."""
    for other in others:
        if own.event == other.event or own.is_online or other.is_online or own.place == other.place != "":
            continue
        shared = {
            player: sorted(day.isoformat() for day in days & other.days[player])
            for player, days in sorted(own.days.items())
            if player in other.days and days & other.days[player]
        }
        if shared:
            evidence = {"section": other.pk, "key": other.key, "days": shared}
            identity = (other.key, sorted(shared.items()))
            yield HintFound(HintKind.TWO_PLACES, identity, evidence, tuple(shared))


def days_of_rounds(
    starts: date, ends: date, rounds: int, round_dates: Sequence[str | None]
) -> Mapping[int, frozenset[date]]:
    """The known days of each round, by its number.

    A round has its date, or all days of a section that has no more days than rounds, because such a section
    is played on each of them. The round of a longer section without dates has none: it may be on any day.
    """
    span = (ends - starts).days + 1
    every = frozenset(starts + timedelta(n) for n in range(span)) if span <= max(rounds, 1) else frozenset()
    dated = [frozenset({date.fromisoformat(day)}) if day else every for day in round_dates]
    return {n + 1: dated[n] if n < len(dated) else every for n in range(max(rounds, len(dated)))}


# ---- Reading who played where, when, and with what result
SUBMITTED_STAGES = (Stage.SUBMITTED, Stage.RATED, Stage.RETURNED, Stage.REFUSED, Stage.UNRATED)
"""The stages of sections that a region once submitted; a file that was only uploaded may be a slip."""
ONLINE = "online"
"""The value of the particular `platform` for online play, where rules have it."""
MIRRORED = {"1-0": "0-1", "0-1": "1-0", "+:-": "-:+", "-:+": "+:-"}


def read_plays(sections: Iterable[Section]) -> list[ComparedPlay]:
    """Read the play of several sections in two queries."""
    there = {section.pk: section for section in sections}
    entries, games = (defaultdict[int, list[Any]](list) for _each in range(2))
    number = Coalesce("player__merged_into__number", "player__number")
    entered = Entry.objects.filter(section__in=there, player__isnull=False).order_by("pk")
    for section, *entry in entered.values_list("section", "pk", number, "place"):
        entries[section].append(entry)
    played = Game.objects.filter(section__in=there).order_by("pk")
    for section, *game in played.values_list("section", "round", "first", "second", "result"):
        games[section].append(game)
    return [_compared_play(section, entries[pk], games[pk]) for pk, section in there.items()]


def _compared_play(
    section: Section, entries: Iterable[Sequence[Any]], games: Sequence[Sequence[Any]]
) -> ComparedPlay:
    """A section's play from the rows of its entries (key, number, place) and games (round, the entries' keys,
    result). Without games, players were there on all days of the section.
    """
    number = {key: player for key, player, _place in entries}
    places = ((player, str(place)) for _key, player, place in entries if place is not None)
    met = (
        _seen_from_lower(number[first], number[second], result)
        for _round, first, second, result in games
        if first in number and second in number
    )
    days = days_of_rounds(section.starts, section.ends, section.rounds or 0, section.round_dates)
    found: defaultdict[str, set[date]] = defaultdict(set)
    for round_number, first, second, result in games:
        for entry in (first, second):
            if entry in number and result in PLAYED:
                found[number[entry]] |= days.get(round_number, frozenset())
    if not games:
        every = frozenset().union(*days.values()) or days_of_rounds(section.starts, section.ends, 1, [])[1]
        found |= {player: set(every) for player in number.values()}
    return ComparedPlay(
        pk=section.pk,
        key=section.key,
        event=section.event.pk,
        place=fold(section.event.place),
        is_online=section.particulars.get("platform") == ONLINE,
        starts=section.starts,
        ends=section.ends,
        players=frozenset(number.values()),
        results=Counter(met if games else places),
        days={player: frozenset(each) for player, each in found.items() if each},
    )


def list_sections_sharing_players(section: Section) -> list[Section]:
    """The other sections that players of this one entered, at most `DAYS_APART` from its own days."""
    own = set(section.entries.exclude(player=None).values_list("player", flat=True))
    own |= {
        key
        for key in Entry.objects.filter(section=section).values_list("player__merged_into", flat=True)
        if key is not None
    }
    same = Q(player__in=own) | Q(player__merged_into__in=own)
    near = Section.objects.filter(
        event__federation=section.event.federation,
        stage__in=SUBMITTED_STAGES,
        starts__lte=section.ends + timedelta(DAYS_APART),
        ends__gte=section.starts - timedelta(DAYS_APART),
    ).exclude(pk=section.pk)
    found = Entry.objects.filter(same, section__in=near).order_by().values("section").distinct()
    return list(near.filter(pk__in=found).select_related("event").order_by("starts", "pk"))


def _seen_from_lower(first: str, second: str, result: str) -> Result:
    return (first, second, result) if first < second else (second, first, MIRRORED.get(result, result))


# ---- Reading expected scores from the rules' workings, or from the federation's tables
GamesByTrack = dict[str, Sequence[ExpectedGame]]


def expected_games(section: Section, on: date) -> Mapping[PlayerId, GamesByTrack]:
    """By rated player, the games against rated opponents in each track that the section changes, with the
    expected scores of the rules. Empty if the rules have none, or cannot rate the section.
    """
    try:
        plan = plan_rating(section, on, most_sections=0)
    except (IncompleteSection, LookupError):
        return {}
    found: dict[PlayerId, GamesByTrack] = {}
    for player, track, games in _games(plan):
        found.setdefault(player, {})[track] = games
    return found


def _games(plan: FoldPlan) -> Iterator[tuple[PlayerId, str, list[ExpectedGame]]]:
    """Yield each rated player's games in a track; stop at a game without an expected score."""
    ruleset, fact, state = plan.federation.ruleset, plan.section, state_before_section(plan)
    rules, expected = ruleset.rules_for(fact), plan.federation.publication.expected_score
    expects = partial(expected, rules) if expected else None
    for track in ruleset.sections.tracks_of(fact.section):
        for entry in fact.section.entries:
            if not has_rating(state, entry.player, track):
                continue
            with localcontext(CONTEXT):
                lines = rules.explain(state, fact, entry.player, track).games
                between = [
                    line
                    for line in lines
                    if (line.score is not None and has_rating(state, line.opponent, track))
                ]
                if expects is not None:
                    between = list(_apply_tables(expects, state, entry.player, track, between))
            if any(line.expected is None for line in between):
                return
            if between:
                yield entry.player, track, [_expected_game(line) for line in between]


def _apply_tables(
    expects: Callable[[Any, Any], Decimal | None],
    state: State[Any],
    player: PlayerId,
    track: str,
    lines: Iterable[GameLine],
) -> Iterator[GameLine]:
    """Yield rated games with the opponent's rating before the section and the score in the tables."""
    for line in lines:
        other = state.standings[line.opponent, track]
        expected = expects(state.standings[player, track], other)
        if expected is not None and line.opponent_rating is not None:
            yield line._replace(expected=expected, opponent_rating=other.rating)


def has_rating(state: State[Any], player: PlayerId, track: str) -> bool:
    standing = state.get(player, track)
    return standing is not None and standing.rating is not None


def _expected_game(line: GameLine) -> ExpectedGame:
    assert line.opponent_rating is not None  # the opponent is rated
    assert line.expected is not None  # the caller looked
    assert line.score is not None  # played
    return ExpectedGame(line.round, line.opponent, line.opponent_rating, line.expected, line.score)


# ---- Names that look like another's
ID_EVIDENCE = frozenset({"number", "identifier", "handle"})
"""Evidence by an id, with which the file itself says which of two look-alikes it means."""


def find_look_alike_hints(
    entries: Mapping[int, Entry], doubles: Iterable[LikelyDouble], numbers: Mapping[int, str]
) -> Iterator[HintFound]:
    """Yield a hint for each player of the section who is new or was found without an id, and looks like
    another of the register who does not play in the section.

    `entries`: by the player's key; `numbers`: the numbers of all players of `doubles`.
    """
    for pair in doubles:
        here = [key for key in (pair.one, pair.other) if key in entries]
        if len(here) != 1:
            continue
        entry, number = entries[here[0]], numbers[here[0]]
        new = entry.match == Entry.Match.NEW
        told = {key for each in entry.candidates if each["player"] == here[0] for key in each["evidence"]}
        if not new and told & ID_EVIDENCE:
            continue
        other = numbers[pair.other if pair.one in entries else pair.one]
        evidence = {
            "player": number,
            "entry": entry.number,
            "new": new,
            "other": other,
            "evidence": list(pair.evidence),
        }
        yield HintFound(HintKind.LOOK_ALIKE, (number, other, pair.evidence), evidence, (number, other))


# ---- Looking for hints in the worker
LONGEST_SWEEP_SECONDS = 10.0
"""Seconds that one office's hints may take in a sweep; the rest waits for the next."""
IRRELEVANT_KINDS = tuple(name for name, kind in KINDS.items() if not kind.moves_hints)


def newest_relevant_decision(federation: Federation) -> int:
    """The number of the newest decision after which hints are looked for again; 0 if there is none."""
    decisions = Decision.objects.filter(federation=federation).exclude(kind__in=IRRELEVANT_KINDS)
    return decisions.order_by("-number").values_list("number", flat=True).first() or 0


def list_waiting_sections_lacking_hints(federation: Federation) -> SectionQuerySet:
    """Waiting sections whose hints are missing or out of date: those without any first, then the oldest."""
    lines = Subquery(Ledger.objects.filter(federation=OuterRef("event__federation")).values("facts")[:1])
    current = Q(
        hints_search__version=F("version"),
        hints_search__line=lines,
        hints_search__decision=newest_relevant_decision(federation),
        hints_search__far=get_settings(federation).far_score,
    )
    waiting = Section.objects.filter(event__federation=federation).awaiting_review()
    return waiting.exclude(pk__in=waiting.filter(current).values("pk")).order_by(
        F("hints_search__at").asc(nulls_first=True), "pk"
    )


def has_outdated_hints(section: Section) -> bool:
    """Whether the hints of a waiting section are out of date, or were never looked for."""
    return list_waiting_sections_lacking_hints(section.event.federation).filter(pk=section.pk).exists()


def search_due_hints(federation: Federation) -> int:
    """Look for missing or outdated hints for at most `LONGEST_SWEEP_SECONDS`, unless ratings are computed;
    count them.
    """
    if Ledger.objects.pending().filter(federation=federation).exists():
        return 0
    until = time.monotonic() + LONGEST_SWEEP_SECONDS
    drawn = 0
    names: RegisterNames | None = None
    for section in list_waiting_sections_lacking_hints(federation).select_related(
        "event__federation", "event__region"
    ):
        names = names or read_names(federation)
        search_and_save_hints(section, names, today(federation), timezone.now())
        drawn += 1
        if time.monotonic() > until:
            break
    return drawn


def search_and_save_hints(section: Section, names: RegisterNames, on: date, at: datetime) -> list[HintFound]:
    """Look for the hints of one section; store and return them."""
    federation = section.event.federation
    seen = {
        "version": section.version,
        "line": Ledger.objects.values_list("facts", flat=True).get(federation=federation),
        "decision": newest_relevant_decision(federation),
        "far": get_settings(federation).far_score,
        "at": at,
    }
    own, *others = read_plays([section, *list_sections_sharing_players(section)])
    same = list(find_same_event_hints(own, others))
    # Where the other section is the same event, its players were not in two places.
    twice = {hint.evidence["section"] for hint in same}
    elsewhere = [play for play in others if play.pk not in twice]
    entries = list(section.entries.exclude(player=None).select_related("player__federation"))
    far = get_settings(section.event.federation).far_score
    numbers = {entry.player.number: entry.number for entry in entries if entry.player}
    found = [
        *same,
        *find_two_places_hints(own, elsewhere),
        *_look_alikes(entries, names),
        *find_far_score_hints(expected_games(section, on), numbers, far),
    ]
    with transaction.atomic():
        HintsSearch.objects.update_or_create(section=section, defaults=seen)
        _store(section, found)
    return found


def _look_alikes(entries: Sequence[Entry], names: RegisterNames) -> Iterable[HintFound]:
    entered = {entry.player.pk: entry for entry in entries if entry.player}
    doubles = find_doubles(names, entered.keys())
    keys = {key for pair in doubles for key in (pair.one, pair.other)}
    numbers = dict(Player.objects.filter(pk__in=keys).values_list("pk", "number"))
    return find_look_alike_hints(entered, doubles, numbers)


def _store(section: Section, found: Sequence[HintFound]) -> None:
    """Replace the stored hints; one that is found again keeps its row."""
    numbers = {number for hint in found for number in hint.players}
    players = dict(
        Player.objects.of(section.event.federation).filter(number__in=numbers).values_list("number", "pk")
    )
    section.review_hints.exclude(key__in=[hint.key for hint in found]).delete()
    order = {kind: place for place, kind in enumerate(HintKind)}
    for place, hint in enumerate(sorted(found, key=lambda hint: order[hint.kind])):
        row, _new = Hint.objects.update_or_create(
            section=section,
            key=hint.key,
            defaults={"kind": hint.kind.value, "order": place, "evidence": hint.evidence},
        )
        row.players.set(players[number] for number in hint.players if number in players)


# ---- The hints in words
TITLES: Mapping[str, Promise] = {
    HintKind.SAME_EVENT: gettext_lazy("The same event twice?"),
    HintKind.TWO_PLACES: gettext_lazy("In two places on one day?"),
    HintKind.LOOK_ALIKE: gettext_lazy("A name that looks like another’s"),
    HintKind.FAR_SCORE: gettext_lazy("A score far from expectation"),
}


@dataclass(frozen=True, slots=True)
class HintRow:
    """One hint in words. `evidence`: further lines, such as each player with the days; `links`: the words and
    addresses of the pages with the evidence.
    """

    key: str
    kind: str
    title: str
    words: str
    evidence: Sequence[str]
    links: Sequence[tuple[str, str]]
    answers: Sequence[HintAnswer]
    is_open: bool


def current_hint_rows(section: Section) -> list[HintRow]:
    """The hints of a waiting section as they were found last."""
    hints = list(Hint.objects.current().filter(section=section))
    open_keys = set(Hint.objects.open().filter(section=section).values_list("key", flat=True))
    answers = list_answers_to_hints(section)
    writer = HintWriter(section, [hint.evidence for hint in hints])
    return [
        writer.row(hint, [each for each in answers if each.key == hint.key], hint.key in open_keys)
        for hint in hints
    ]


def gone_hint_rows(section: Section, current: Iterable[HintRow]) -> list[HintRow]:
    """The hints that officials answered and that are not found any more, with the evidence of that time."""
    shown = {row.key for row in current}
    gone: dict[str, list[HintAnswer]] = {}
    for answer in list_answers_to_hints(section):
        if answer.key not in shown:
            gone.setdefault(answer.key, []).append(answer)
    writer = HintWriter(section, [answers[-1].evidence for answers in gone.values()])
    return [writer.row(answers[-1], answers, False) for answers in gone.values()]


def list_answers_to_hints(section: Section) -> list[HintAnswer]:
    """All answers to a section's hints, with their words and the region's replies, the oldest first."""
    rows = section.hint_answers.select_related("decision__by", "remark")
    return list(rows.prefetch_related("decision__words", "remark__answers__sealed_words"))


class HintWriter:
    """Writes hints in words; looks up players and sections once for all of them."""

    def __init__(self, section: Section, evidence: Sequence[Mapping[str, Any]]) -> None:
        """Look up the players and sections that the `evidence` names."""
        self.section = section
        self.office: Federation = section.event.federation
        numbers = {number for each in evidence for number in _numbers(each)}
        register = Player.objects.of(self.office).select_related("federation").filter(number__in=numbers)
        self.players = {player.number: player for player in register}
        keys = [each["section"] for each in evidence if "section" in each]
        self.sections = Section.objects.select_related("event__federation").in_bulk(keys)

    def row(self, hint: Hint | HintAnswer, answers: Sequence[HintAnswer], is_open: bool) -> HintRow:
        """Write a hint, or the answer to one that is gone, in words."""
        describe = {
            HintKind.SAME_EVENT: self._same_event,
            HintKind.TWO_PLACES: self._two_places,
            HintKind.LOOK_ALIKE: self._look_alike,
            HintKind.FAR_SCORE: self._far_score,
        }[HintKind(hint.kind)]
        words, evidence, links = describe(hint.evidence)
        title = str(TITLES[HintKind(hint.kind)])
        return HintRow(hint.key, hint.kind, title, words, evidence, links, answers, is_open)

    def _same_event(self, evidence: Mapping[str, Any]) -> tuple[str, list[str], list[tuple[str, str]]]:
        words = _(
            "%(players)s of %(of_players)s players and %(results)s of %(of_results)s results are also those "
            "of %(section)s, %(days)s."
        ) % {
            **evidence,
            "section": self._section_words(evidence),
            "days": _days(date.fromisoformat(evidence["starts"]), date.fromisoformat(evidence["ends"])),
        }
        return words, [], self._links_to(evidence)

    def _two_places(self, evidence: Mapping[str, Any]) -> tuple[str, list[str], list[tuple[str, str]]]:
        other = self.sections.get(evidence["section"])
        words = ngettext(
            "%(count)s player of this section (%(here)s) played on the same day in %(section)s (%(there)s).",
            "%(count)s players of this section (%(here)s) played on the same day in %(section)s (%(there)s).",
            len(evidence["days"]),
        ) % {
            "count": len(evidence["days"]),
            "here": self.section.event.place or _("place not given"),
            "section": self._section_words(evidence),
            "there": (other and other.event.place) or _("place not given"),
        }
        lines = [
            _("%(player)s: %(days)s")
            % {
                "player": self._player(number),
                "days": ", ".join(date_format(date.fromisoformat(day), "DATE_FORMAT") for day in days),
            }
            for number, days in evidence["days"].items()
        ]
        return words, lines, self._links_to(evidence)

    def _look_alike(self, evidence: Mapping[str, Any]) -> tuple[str, list[str], list[tuple[str, str]]]:
        new = _(
            "%(player)s, who came into the register with this section, looks like %(other)s: %(evidence)s."
        )
        found = _("%(player)s was found without an id, and looks like %(other)s: %(evidence)s.")
        words = (new if evidence["new"] else found) % {
            "player": self._player(evidence["player"]),
            "other": self._player(evidence["other"]),
            "evidence": ", ".join(str(EVIDENCE_LABELS[key]) for key in evidence["evidence"]),
        }
        links = [*self._pages_of(evidence["player"]), *self._pages_of(evidence["other"])]
        if len(links) == 2:
            compare = reverse("ratings:merge", args=[self.office.code, evidence["player"]])
            links.append((_("Compare the two, and merge them"), f"{compare}?into={evidence['other']}"))
        return words, [], links

    def _far_score(self, evidence: Mapping[str, Any]) -> tuple[str, list[str], list[tuple[str, str]]]:
        tracks = {track.code: track.name for track in self.office.ruleset.tracks}
        words = _(
            "%(player)s scored %(scored)s in %(games)s games against rated players, where the rules expect "
            "%(expected)s (%(track)s)."
        ) % {
            "player": self._player(evidence["player"]),
            "scored": _figure(evidence["scored"]),
            "games": len(evidence["games"]),
            "expected": _figure(evidence["expected"]),
            "track": _(tracks.get(evidence["track"], evidence["track"])),
        }
        measured = _("That is %(deviations)s standard deviations of %(spread)s.")
        where = [self.office.code, self.section.event.number, self.section.code, evidence["player"]]
        links = self._pages_of(evidence["player"])
        if self.section.stage == "submitted":
            working = reverse("ratings:review_working", args=[*where, evidence["track"]])
            links.append((_("The working of this rating"), working))
        figures = {name: _figure(evidence[name]) for name in ("deviations", "spread")}
        return words, [measured % figures], links

    def _player(self, number: str) -> str:
        player = self.players.get(number)
        return f"{player.name} ({number})" if player else number

    def _pages_of(self, number: str) -> list[tuple[str, str]]:
        player = self.players.get(number)
        return [(player.name, player.get_absolute_url())] if player else []

    def _section_words(self, evidence: Mapping[str, Any]) -> str:
        other = self.sections.get(evidence["section"])
        stage = f", {other.get_stage_display()}" if other else ""
        return f"{other or ''} {evidence['key']}{stage}".strip()

    def _links_to(self, evidence: Mapping[str, Any]) -> list[tuple[str, str]]:
        other = self.sections.get(evidence["section"])
        return [(_("Look at the other section"), f"{other.get_absolute_url()}review/")] if other else []


def _numbers(evidence: Mapping[str, Any]) -> list[str]:
    """The numbers of the players that a hint's evidence names."""
    alone = [evidence[name] for name in ("player", "other") if name in evidence]
    return [*alone, *evidence.get("days", {})]


def _figure(kept: str) -> str:
    """A figure of the evidence in the reader's language."""
    text: str = number_format(Decimal(kept))
    return text


def _days(first: date, last: date) -> str:
    shown = [date_format(day, "DATE_FORMAT") for day in (first, last)]
    return shown[0] if first == last else " – ".join(shown)
