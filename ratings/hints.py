"""Hints at review: whatever looks odd in a section that waits for an official, each with its evidence.

The searches find scores far from expectation, the same event filed twice, players in two places on one day,
and names that look like another's. The worker draws hints up, the review shows them, and officials answer
them on record.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal, localcontext
from typing import Any

from django.db import transaction
from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from players.identity import LikelyDouble, RegisterNames, doubles_of, read_names, tell_apart
from players.models import Decision, Federation, Ledger, PairOfTwo, Player, User
from players.names import fold
from players.record import Refused, decide
from players.settings import settings_of, today
from ratings.as_if import RatingPlan, plan_of, state_before_section
from ratings.models import Hint, HintAnswer, HintFound, HintKind, HintsSearch
from ratings.rulesets.facts import PLAYED, GameLine, PlayerId, State
from ratings.rulesets.profile import ExpectedScore
from ratings.rulesets.ruleset import CONTEXT
from tournaments import review
from tournaments.matching import EVIDENCE
from tournaments.models import Entry, Game, Remark, Section, SectionQuerySet, Stage
from tournaments.review import ENTRY, UNTIED, tie_of
from tournaments.sections import Incomplete, lock_section


# ---- Answers to hints: all is right, or the region is asked; and approving with hints left open.
@transaction.atomic
def say_right(*, section: Section, key: str, version: int, by: User, on: date, words: str) -> HintAnswer:
    """Answer a hint of a waiting section: all is right, for this reason. Of a look-alike it says that they
    are two persons, which holds for the whole register from then on.

    Raises `Refused` without a reason, where the section or the hint is not what the official saw, or somebody
    answered it so before.
    """
    locked, hint = _lock(section, key, version, words)
    if hint.kind == HintKind.LOOK_ALIKE:
        # Say that a look-alike's two are two persons, unless somebody said so meanwhile.
        register = Player.objects.of(locked.event.federation)
        numbers = [str(hint.evidence[name]) for name in ("player", "other")]
        one, other = sorted(register.filter(number__in=numbers), key=lambda each: each.pk)
        if not PairOfTwo.objects.filter(one=one, other=other).exists():
            tell_apart(player=one, other=other, by=by, on=on, reason=words)
    return _answer(locked, hint, HintAnswer.Outcome.RIGHT, by, on, words.strip())


@transaction.atomic
def ask_region(*, section: Section, key: str, version: int, by: User, on: date, words: str) -> HintAnswer:
    """Answer a hint of a waiting section by a question to its region, in the official's own words: of the
    hint itself the region sees nothing. The hint stays open until somebody says that all is right.

    Raises `Refused` without words, or where the section or the hint is not what the official saw.
    """
    locked, hint = _lock(section, key, version, words)
    number = hint.evidence.get("entry")
    tie = UNTIED if number is None else tie_of(locked, ENTRY, str(number))
    remark = review.ask(section=locked, by=by, on=on, words=words, tie=tie)
    return _answer(locked, hint, HintAnswer.Outcome.ASKED, by, on, words.strip(), remark)


def leave_open(section: Section, by: User | None, on: date, because: str) -> int:
    """Put on record that a section is approved although hints are open, and why; return how many. The caller
    approves it in the same transaction, and has locked the office.

    Raises `Refused` where hints are open and no word is given.
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
    _record(section, "leave-hints", by, on, hints=len(left), kinds=kinds, reason=because.strip())
    return len(left)


def _lock(section: Section, key: str, version: int, words: str) -> tuple[Section, Hint]:
    """Lock a waiting section and find the hint as it stands; raise `Refused` where it is settled or gone."""
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
    decision = _record(section, "answer-hint", by, on, hint=hint.kind, outcome=outcome.value, words=words)
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


def _record(section: Section, kind: str, by: User | None, on: date, **details: Any) -> Any:
    return decide(
        section.event.federation, kind=kind, by=by, on=on, about=f"section {section.key}", **details
    )


# ---- Scores far from expectation, by the expected scores that the federation's own rules print in a working.
FEWEST_GAMES = 4
"""The fewest games: one upset in three games is chess, not a hint."""
FEWEST_POINTS = Decimal("1.5")
"""The fewest points between score and expectation. Against much weaker players a single lost game is already
many standard deviations: it takes a loss and a draw beside it.
"""
ONE = Decimal(1)
TENTH = Decimal("0.1")


@dataclass(frozen=True, slots=True)
class ExpectedGame:
    """A played game between two rated players, from the one's side, as the rules reckon with it."""

    round: int
    opponent: str
    opponent_rating: Decimal
    expected: Decimal
    score: Decimal


@dataclass(frozen=True, slots=True)
class ScoreDeviation:
    """The distance of a score from its expectation."""

    scored: Decimal
    expected: Decimal
    spread: Decimal
    """The standard deviation of the score: the square root of the sum of e × (1 − e). Draws make it smaller
    in truth, so that a deviation is understated by it and never overstated.
    """

    @property
    def points(self) -> Decimal:
        return self.scored - self.expected

    @property
    def deviations(self) -> Decimal:
        """The distance in standard deviations, without its sign."""
        return abs(self.points) / self.spread

    def is_far(self, far: int) -> bool:
        """Whether it is at least so many standard deviations, and `FEWEST_POINTS`, from the expectation."""
        return abs(self.points) >= FEWEST_POINTS and abs(self.points) >= far * self.spread


def far_scores(
    players: Mapping[str, Mapping[str, Sequence[ExpectedGame]]], entries: Mapping[str, int], far: int
) -> Iterator[HintFound]:
    """Yield a hint for each player whose score is far from expectation in every track in which they have a
    rating: a score that one of their ratings explains is no surprise.

    `players`: by number, the games by track; `entries`: the starting numbers; `far`: the standard deviations.
    """
    for number, tracks in players.items():
        measured = [(track, games, deviation_of(games)) for track, games in tracks.items()]
        if not measured or any(each is None or not each.is_far(far) for _track, _games, each in measured):
            continue
        track, games, least = min(
            ((track, games, each) for track, games, each in measured if each is not None),
            key=lambda row: row[2].deviations,
        )
        evidence = {
            "player": number,
            "entry": entries[number],
            "track": track,
            "scored": _plain(least.scored),
            "expected": f"{least.expected:.2f}",
            "spread": f"{least.spread:.2f}",
            "deviations": str(least.deviations.quantize(TENTH)),
            "games": [_told(game) for game in games],
        }
        results = [(game.round, game.opponent, _plain(game.score)) for game in games]
        yield HintFound(HintKind.FAR_SCORE, (number, results), evidence, (number,))


def deviation_of(games: Iterable[ExpectedGame]) -> ScoreDeviation | None:
    """The deviation of a score over some games; None where they are too few to tell."""
    played = list(games)
    variance = sum((game.expected * (ONE - game.expected) for game in played), Decimal(0))
    if len(played) < FEWEST_GAMES or variance <= 0:
        return None
    scored = sum((game.score for game in played), Decimal(0))
    expected = sum((game.expected for game in played), Decimal(0))
    return ScoreDeviation(scored, expected, variance.sqrt())


def _told(game: ExpectedGame) -> list[str]:
    """A game as the evidence keeps it: round, opponent, the opponent's rating, expected score, score."""
    rating, expected = f"{game.opponent_rating:.1f}", f"{game.expected:.3f}"
    return [str(game.round), game.opponent, rating, expected, _plain(game.score)]


def _plain(score: Decimal) -> str:
    return f"{score.normalize():f}"


# ---- The same event twice: another section with nearly the same players, days and results.
NEARLY_PERCENT = 80
"""The share of players, and of results, of the smaller section from which two sections are nearly the same.
Four of five leaves room for a latecomer and a corrected result; two evenings of one club hardly ever have
four of five results alike.
"""
DAYS_APART = 31
"""The most days between two sections that may be one: a month, so that the file of a club's last monthly
evening, sent once more for this month's, is seen.
"""
FEWEST_RESULTS = 6
"""The fewest results alike: all games of four players. With fewer, the stronger winning again is no news."""

Result = tuple[str, ...]
"""A game as (first by number, second by number, result from the former's side), or (player, place)."""


@dataclass(frozen=True, slots=True)
class ComparedPlay:
    """The play of a section, as far as it tells whether another is the same."""

    pk: int
    key: str
    starts: date
    ends: date
    players: frozenset[str]
    results: Counter[Result]


def same_event(own: ComparedPlay, others: Iterable[ComparedPlay]) -> Iterator[HintFound]:
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


# ---- A player in two places on one day: games in two events that were played in different places.
@dataclass(frozen=True, slots=True)
class Attendance:
    """The place of a section, and who was there on which days."""

    pk: int
    key: str
    event: int
    place: str
    """The place, folded; empty: not known."""
    at_home: bool
    """Whether it was played online, where everybody may be anywhere."""
    days: Mapping[str, frozenset[date]]
    """By player's number, the days on which they are known to have played; nobody is listed without any."""


def two_places(own: Attendance, others: Iterable[Attendance]) -> Iterator[HintFound]:
    """Yield a hint for each section of another event and place in which players of this one played on the
    same day.
    """
    for other in others:
        if own.event == other.event or own.at_home or other.at_home or own.place == other.place != "":
            continue
        met = {
            player: sorted(day.isoformat() for day in days & other.days[player])
            for player, days in sorted(own.days.items())
            if player in other.days and days & other.days[player]
        }
        if met:
            evidence = {"section": other.pk, "key": other.key, "days": met}
            identity = (other.key, sorted(met.items()))
            yield HintFound(HintKind.TWO_PLACES, identity, evidence, tuple(met))


def days_of_rounds(
    starts: date, ends: date, rounds: int, round_dates: Sequence[str | None]
) -> Mapping[int, frozenset[date]]:
    """The days of each round, by its number, as far as they are known.

    A round has its date, or all days of a section that has no more days than rounds: such a section is played
    on each of them. The round of a longer section without dates may be on any day, so that nothing is said of
    it.
    """
    span = (ends - starts).days + 1
    every = frozenset(starts + timedelta(n) for n in range(span)) if span <= max(rounds, 1) else frozenset()
    dated = [frozenset({date.fromisoformat(day)}) if day else every for day in round_dates]
    return {n + 1: dated[n] if n < len(dated) else every for n in range(max(rounds, len(dated)))}


# ---- Reads from the database what hints are found by: who played where, when, and with what result.
OF_REGIONS_WORD = (Stage.SUBMITTED, Stage.RATED, Stage.RETURNED, Stage.REFUSED, Stage.UNRATED)
"""The stages of sections for whose play a region once gave its word; a file that was only uploaded may be a
slip.
"""
ONLINE = "online"
"""The value of the particular `platform`, where rules have it, of play at which nobody is in a place."""
MIRRORED = {"1-0": "0-1", "0-1": "1-0", "+:-": "-:+", "-:+": "+:-"}


@dataclass(frozen=True, slots=True)
class SectionPlay:
    """A section's rows, read once for both comparisons."""

    section: Section
    entries: list[tuple[int, str, int | None]]
    """Key, number of the player (of the one who stayed, after a merge), place."""
    games: list[tuple[int, int, int, str]]
    """Round, the two entries' keys, result."""


def plays_of(sections: Iterable[Section]) -> Iterator[SectionPlay]:
    """Read the play of several sections in two queries."""
    rows = {section.pk: SectionPlay(section, [], []) for section in sections}
    entries = Entry.objects.filter(section__in=rows, player__isnull=False).order_by("pk")
    number = Coalesce("player__merged_into__number", "player__number")
    for section, key, player, place in entries.values_list("section", "pk", number, "place"):
        rows[section].entries.append((key, player, place))
    games = Game.objects.filter(section__in=rows).order_by("pk")
    for section, *game in games.values_list("section", "round", "first", "second", "result"):
        rows[section].games.append(tuple(game))  # type: ignore[arg-type]  # four columns
    return iter(rows.values())


def sections_beside(section: Section) -> list[Section]:
    """The other sections in which players of this one stand, and whose days are at most `DAYS_APART` from its
    own.
    """
    own = set(section.entries.exclude(player=None).values_list("player", flat=True))
    own |= {
        key
        for key in Entry.objects.filter(section=section).values_list("player__merged_into", flat=True)
        if key is not None
    }
    same = Q(player__in=own) | Q(player__merged_into__in=own)
    near = Section.objects.filter(
        event__federation=section.event.federation,
        stage__in=OF_REGIONS_WORD,
        starts__lte=section.ends + timedelta(DAYS_APART),
        ends__gte=section.starts - timedelta(DAYS_APART),
    ).exclude(pk=section.pk)
    found = Entry.objects.filter(same, section__in=near).order_by().values("section").distinct()
    return list(near.filter(pk__in=found).select_related("event").order_by("starts", "pk"))


def compared_play(play: SectionPlay) -> ComparedPlay:
    """The play as `same_event` compares it: by games, or by places where nobody has a game."""
    section, number = play.section, {key: player for key, player, _place in play.entries}
    games = (
        _seen_from_lower(number[first], number[second], result)
        for _round, first, second, result in play.games
        if first in number and second in number
    )
    places = ((player, str(place)) for _key, player, place in play.entries if place is not None)
    results: Counter[Result] = Counter(games if play.games else places)
    return ComparedPlay(
        section.pk, section.key, section.starts, section.ends, frozenset(number.values()), results
    )


def _seen_from_lower(first: str, second: str, result: str) -> Result:
    return (first, second, result) if first < second else (second, first, MIRRORED.get(result, result))


def attendance(play: SectionPlay) -> Attendance:
    """The play as `two_places` compares it."""
    section, event = play.section, play.section.event
    return Attendance(
        section.pk,
        section.key,
        event.pk,
        fold(event.place),
        section.particulars.get("platform") == ONLINE,
        _days_of_play(play),
    )


def _days_of_play(play: SectionPlay) -> Mapping[str, frozenset[date]]:
    """By player, the days on which they played: those of their games, or of the section where it has none."""
    section, number = play.section, {key: player for key, player, _place in play.entries}
    days = days_of_rounds(section.starts, section.ends, section.rounds or 0, section.round_dates)
    found: defaultdict[str, set[date]] = defaultdict(set)
    for round_number, first, second, result in play.games:
        for entry in (first, second):
            if entry in number and result in PLAYED:
                found[number[entry]] |= days.get(round_number, frozenset())
    if not play.games:
        every = frozenset().union(*days.values()) or days_of_rounds(section.starts, section.ends, 1, [])[1]
        found |= {player: set(every) for player in number.values()}
    return {player: frozenset(each) for player, each in found.items() if each}


# ---- Reads expected scores from the workings that approving a section would have, else from the federation's
# tables.
GamesByTrack = dict[str, Sequence[ExpectedGame]]


def expected_games(section: Section, on: date) -> Mapping[PlayerId, GamesByTrack]:
    """By player with a rating, the games against others with a rating in each track that the section moves,
    with the expected scores that the rules would print. Empty where the rules know none, or cannot rate the
    section.
    """
    try:
        plan = plan_of(section, on)
    except (Incomplete, LookupError):
        return {}
    found: dict[PlayerId, GamesByTrack] = {}
    for player, track, games in _games(plan):
        found.setdefault(player, {})[track] = games
    return found


def _games(plan: RatingPlan) -> Iterator[tuple[PlayerId, str, list[ExpectedGame]]]:
    """Yield each rated player's games in a track; stop at the first that shows that the rules know no
    expected score.
    """
    ruleset, fact, state = plan.federation.ruleset, plan.section, state_before_section(plan)
    rules, expects = ruleset.rules_for(fact), plan.federation.publication.expected_score
    for track in ruleset.sections.tracks_of(fact.section):
        for entry in fact.section.entries:
            if not is_rated(state, entry.player, track):
                continue
            with localcontext(CONTEXT):
                lines = rules.explain(state, fact, entry.player, track).games
                between = [
                    line
                    for line in lines
                    if (line.score is not None and is_rated(state, line.opponent, track))
                ]
                if expects is not None:
                    between = list(_by_tables(expects, state, entry.player, track, between))
            if any(line.expected is None for line in between):
                return
            if between:
                yield entry.player, track, [_expected(line) for line in between]


def _by_tables(
    expects: ExpectedScore, state: State[Any], player: PlayerId, track: str, lines: Iterable[GameLine]
) -> Iterator[GameLine]:
    """Yield the lines of games that the rules rate, with the ratings before the section and the score that
    the points of the tables imply; without those of which they imply none.
    """
    for line in lines:
        other = state.standings[line.opponent, track]
        expected = expects(state.standings[player, track], other)
        if expected is not None and line.opponent_rating is not None:
            yield line._replace(expected=expected, opponent_rating=other.rating)


def is_rated(state: State[Any], player: PlayerId, track: str) -> bool:
    standing = state.get(player, track)
    return standing is not None and standing.rating is not None


def _expected(line: GameLine) -> ExpectedGame:
    assert line.opponent_rating is not None  # the opponent is rated
    assert line.expected is not None  # the caller looked
    assert line.score is not None  # played
    return ExpectedGame(line.round, line.opponent, line.opponent_rating, line.expected, line.score)


# ---- Names that look like another's: players whom the register has, perhaps, a second time.
BY_ID = frozenset({"number", "identifier", "handle"})
"""Evidence by an id: the file itself says which of two look-alikes it means."""


@dataclass(frozen=True, slots=True)
class NamedInSection:
    """A player of a section, as far as it tells whether somebody else may be meant."""

    number: str
    entry: int
    new: bool
    """Whether the section brought the player into the register."""
    evidence: frozenset[str]
    """The evidence for the player when the entry was matched (keys of `EVIDENCE`)."""


def look_alikes(
    people: Mapping[int, NamedInSection], doubles: Iterable[LikelyDouble], numbers: Mapping[int, str]
) -> Iterator[HintFound]:
    """Yield a hint for each player of the section who is new or was found without an id, and looks like
    another of the register. Two who both play in the section are two persons.

    `people`: by the player's key; `numbers`: the numbers of all players of `doubles`.
    """
    for pair in doubles:
        here = [people[key] for key in (pair.one, pair.other) if key in people]
        if len(here) != 1 or (not here[0].new and here[0].evidence & BY_ID):
            continue
        [player] = here
        other = numbers[pair.other if pair.one in people else pair.one]
        evidence = {
            "player": player.number,
            "entry": player.entry,
            "new": player.new,
            "other": other,
            "evidence": list(pair.evidence),
        }
        identity = (player.number, other, pair.evidence)
        yield HintFound(HintKind.LOOK_ALIKE, identity, evidence, (player.number, other))


# ---- The worker's part: draws up the hints of the sections that wait for an official.
LONGEST = 10.0
"""Seconds that one office's hints may take of a sweep; the rest waits for the next."""
NO_MATTER = (
    *("take", "give-back", "hand-over", "ask", "answer", "note", "open-file", "open-proof"),
    *("answer-hint", "leave-hints", "read", "discard"),
    *("file", "complete", "match", "ask-permission", "grant-permission", "refuse-permission", "register"),
    *("publish", "take-list", "give-back-list", "give-data", "export-register", "withdraw-words"),
)
"""The kinds of decisions that can bring or take no hint of another section. After any other kind, a new one
too, hints are looked for anew.
"""


def newest_that_matters(federation: Federation) -> int:
    """The number of the newest decision after which hints are looked for anew; 0: there is none."""
    decisions = Decision.objects.filter(federation=federation).exclude(kind__in=NO_MATTER)
    return decisions.order_by("-number").values_list("number", flat=True).first() or 0


def out_of_date(federation: Federation) -> SectionQuerySet:
    """Sections that wait for an official whose hints were never looked for, or are overtaken: those without
    any first, then the oldest.
    """
    lines = Subquery(Ledger.objects.filter(federation=OuterRef("event__federation")).values("facts")[:1])
    current = Q(
        hints_search__version=F("version"),
        hints_search__line=lines,
        hints_search__decision=newest_that_matters(federation),
        hints_search__far=settings_of(federation).far_score,
    )
    waiting = Section.objects.filter(event__federation=federation).awaiting_review()
    return waiting.exclude(pk__in=waiting.filter(current).values("pk")).order_by(
        F("hints_search__at").asc(nulls_first=True), "pk"
    )


def is_overtaken(section: Section) -> bool:
    """Whether something was decided since hints were looked for in a waiting section, or they never were."""
    return out_of_date(section.event.federation).filter(pk=section.pk).exists()


def draw_up_hints(federation: Federation) -> int:
    """Look for hints where they are missing or overtaken, for some seconds at most; return in how many
    sections. While ratings are being worked out, nothing is looked for.
    """
    if Ledger.objects.pending().filter(federation=federation).exists():
        return 0
    until = time.monotonic() + LONGEST
    drawn = 0
    names: RegisterNames | None = None
    for section in out_of_date(federation).select_related("event__federation", "event__region"):
        names = names or read_names(federation)
        draw_up(section, names, today(federation), timezone.now())
        drawn += 1
        if time.monotonic() > until:
            break
    return drawn


def draw_up(section: Section, names: RegisterNames, on: date, at: datetime) -> list[HintFound]:
    """Look for the hints of one section and keep them with what they rest on; return them."""
    federation = section.event.federation
    seen = {
        "version": section.version,
        "line": Ledger.objects.values_list("facts", flat=True).get(federation=federation),
        "decision": newest_that_matters(federation),
        "far": settings_of(federation).far_score,
        "at": at,
    }
    # The hints of a section, from what is stored; nothing is written. Players who were in two places are not
    # told where the whole other section is the same event.
    beside = list(plays_of([section, *sections_beside(section)]))
    own, others = beside[0], beside[1:]
    same = list(same_event(compared_play(own), map(compared_play, others)))
    twice = {hint.evidence["section"] for hint in same}
    elsewhere = [attendance(play) for play in others if play.section.pk not in twice]
    entries = list(section.entries.exclude(player=None).select_related("player__federation"))
    far = settings_of(section.event.federation).far_score
    numbers = {entry.player.number: entry.number for entry in entries if entry.player}
    found = [
        *same,
        *two_places(attendance(own), elsewhere),
        *_look_alikes(entries, names),
        *far_scores(expected_games(section, on), numbers, far),
    ]
    with transaction.atomic():
        HintsSearch.objects.update_or_create(section=section, defaults=seen)
        _keep(section, found)
    return found


def _look_alikes(entries: Sequence[Entry], names: RegisterNames) -> Iterable[HintFound]:
    people = {
        entry.player.pk: NamedInSection(
            entry.player.number,
            entry.number,
            entry.match == Entry.Match.NEW,
            frozenset(
                key for one in entry.candidates if one["player"] == entry.player_id for key in one["evidence"]
            ),
        )
        for entry in entries
        if entry.player
    }
    doubles = doubles_of(names, people.keys())
    keys = {key for pair in doubles for key in (pair.one, pair.other)}
    numbers = dict(Player.objects.filter(pk__in=keys).values_list("pk", "number"))
    return look_alikes(people, doubles, numbers)


def _keep(section: Section, found: Sequence[HintFound]) -> None:
    """Put the hints found in the place of those before; one that is found again keeps its row."""
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


# ---- The hints as the review shows them: in words, with evidence, links and answers.
TITLES: Mapping[str, Promise] = {
    HintKind.SAME_EVENT: gettext_lazy("The same event twice?"),
    HintKind.TWO_PLACES: gettext_lazy("In two places on one day?"),
    HintKind.LOOK_ALIKE: gettext_lazy("A name that looks like another’s"),
    HintKind.FAR_SCORE: gettext_lazy("A score far from expectation"),
}


@dataclass(frozen=True, slots=True)
class HintLink:
    """A page on which an official can look at a hint's evidence."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class ScoredGame:
    """A game of a score far from expectation."""

    round: str
    opponent: str
    rating: str
    expected: str
    score: str


@dataclass(frozen=True, slots=True)
class HintRow:
    """One hint in words. `evidence`: further lines, such as each player with the days."""

    key: str
    kind: str
    title: str
    words: str
    evidence: Sequence[str]
    links: Sequence[HintLink]
    games: Sequence[ScoredGame]
    answers: Sequence[HintAnswer]
    is_open: bool


def current_rows(section: Section) -> list[HintRow]:
    """The hints of a section that waits, as they were found last."""
    hints = list(Hint.objects.current().filter(section=section))
    open_keys = set(Hint.objects.open().filter(section=section).values_list("key", flat=True))
    answers = answers_of(section)
    writer = HintWriter(section, [hint.evidence for hint in hints])
    return [
        writer.row(hint, [each for each in answers if each.key == hint.key], hint.key in open_keys)
        for hint in hints
    ]


def earlier_rows(section: Section, current: Iterable[HintRow]) -> list[HintRow]:
    """The hints that officials answered and that are found no more: with the evidence which they saw."""
    shown = {row.key for row in current}
    gone: dict[str, list[HintAnswer]] = {}
    for answer in answers_of(section):
        if answer.key not in shown:
            gone.setdefault(answer.key, []).append(answer)
    writer = HintWriter(section, [answers[-1].evidence for answers in gone.values()])
    return [writer.row(answers[-1], answers, False) for answers in gone.values()]


def answers_of(section: Section) -> list[HintAnswer]:
    """All answers to a section's hints, with their words and the region's replies, the oldest first."""
    rows = section.hint_answers.select_related("decision__by", "remark")
    return list(rows.prefetch_related("decision__words", "remark__answers__sealed_words"))


class HintWriter:
    """Writes hints in words; looks up players and sections once for all of them."""

    def __init__(self, section: Section, evidence: Sequence[Mapping[str, Any]]) -> None:
        """Look up whom and which sections the `evidence` names."""
        self.section = section
        self.office: Federation = section.event.federation
        numbers = {number for each in evidence for number in _numbers(each)}
        register = Player.objects.of(self.office).select_related("federation").filter(number__in=numbers)
        self.players = {player.number: player for player in register}
        keys = [each["section"] for each in evidence if "section" in each]
        self.sections = Section.objects.select_related("event__federation").in_bulk(keys)

    def row(self, hint: Hint | HintAnswer, answers: Sequence[HintAnswer], is_open: bool) -> HintRow:
        """A hint, or the answer to one that is gone, in words."""
        tell = {
            HintKind.SAME_EVENT: self._same_event,
            HintKind.TWO_PLACES: self._two_places,
            HintKind.LOOK_ALIKE: self._look_alike,
            HintKind.FAR_SCORE: self._far_score,
        }[HintKind(hint.kind)]
        words, evidence, links = tell(hint.evidence)
        games = [self._game(each) for each in hint.evidence.get("games", [])]  # type: ignore[attr-defined]
        title = str(TITLES[HintKind(hint.kind)])
        return HintRow(hint.key, hint.kind, title, words, evidence, links, games, answers, is_open)

    def _same_event(self, told: Mapping[str, Any]) -> tuple[str, list[str], list[HintLink]]:
        words = _(
            "%(players)s of %(of_players)s players and %(results)s of %(of_results)s results are also those "
            "of %(section)s, %(days)s."
        ) % {
            **told,
            "section": self._named(told),
            "days": _days(date.fromisoformat(told["starts"]), date.fromisoformat(told["ends"])),
        }
        return words, [], self._links_to(told)

    def _two_places(self, told: Mapping[str, Any]) -> tuple[str, list[str], list[HintLink]]:
        here, there = self.section.event.place, self._place_of(told)
        words = ngettext(
            "%(count)s player of this section (%(here)s) played on the same day in %(section)s (%(there)s).",
            "%(count)s players of this section (%(here)s) played on the same day in %(section)s (%(there)s).",
            len(told["days"]),
        ) % {
            "count": len(told["days"]),
            "here": here or _("place not given"),
            "section": self._named(told),
            "there": there or _("place not given"),
        }
        lines = [
            _("%(player)s: %(days)s")
            % {
                "player": self._player(number),
                "days": ", ".join(date_format(date.fromisoformat(day), "DATE_FORMAT") for day in days),
            }
            for number, days in told["days"].items()
        ]
        return words, lines, self._links_to(told)

    def _look_alike(self, told: Mapping[str, Any]) -> tuple[str, list[str], list[HintLink]]:
        new = _(
            "%(player)s, who came into the register with this section, looks like %(other)s: %(evidence)s."
        )
        found = _("%(player)s was found without an id, and looks like %(other)s: %(evidence)s.")
        words = (new if told["new"] else found) % {
            "player": self._player(told["player"]),
            "other": self._player(told["other"]),
            "evidence": ", ".join(str(EVIDENCE[key]) for key in told["evidence"]),
        }
        links = [*self._pages_of(told["player"]), *self._pages_of(told["other"])]
        if len(links) == 2:
            compare = reverse("ratings:merge", args=[self.office.code, told["player"]])
            links.append(HintLink(_("Compare the two, and merge them"), f"{compare}?into={told['other']}"))
        return words, [], links

    def _far_score(self, told: Mapping[str, Any]) -> tuple[str, list[str], list[HintLink]]:
        tracks = {track.code: track.name for track in self.office.ruleset.tracks}
        words = _(
            "%(player)s scored %(scored)s in %(games)s games against rated players, where the rules expect "
            "%(expected)s (%(track)s)."
        ) % {
            "player": self._player(told["player"]),
            "scored": _figure(told["scored"]),
            "games": len(told["games"]),
            "expected": _figure(told["expected"]),
            "track": _(tracks.get(told["track"], told["track"])),
        }
        measured = _(
            "That is %(deviations)s standard deviations from it. One is %(spread)s: the square root of the "
            "sum of e × (1 − e), e being the expected score of each game."
        )
        where = [self.office.code, self.section.event.number, self.section.code, told["player"]]
        links = self._pages_of(told["player"])
        if self.section.stage == "submitted":
            working = reverse("ratings:review_working", args=[*where, told["track"]])
            links.append(HintLink(_("The working of this rating"), working))
        figures = {name: _figure(told[name]) for name in ("deviations", "spread")}
        return words, [measured % figures], links

    def _game(self, told: Sequence[str]) -> ScoredGame:
        round_number, opponent, rating, expected, score = told
        return ScoredGame(
            round_number, self._player(opponent), _figure(rating), _figure(expected), _figure(score)
        )

    def _player(self, number: str) -> str:
        player = self.players.get(number)
        return f"{player.name} ({number})" if player else number

    def _pages_of(self, number: str) -> list[HintLink]:
        player = self.players.get(number)
        return [HintLink(player.name, player.get_absolute_url())] if player else []

    def _named(self, told: Mapping[str, Any]) -> str:
        other = self.sections.get(told["section"])
        stage = f", {other.get_stage_display()}" if other else ""
        return f"{other or ''} {told['key']}{stage}".strip()

    def _place_of(self, told: Mapping[str, Any]) -> str:
        other = self.sections.get(told["section"])
        return other.event.place if other else ""

    def _links_to(self, told: Mapping[str, Any]) -> list[HintLink]:
        other = self.sections.get(told["section"])
        return (
            [HintLink(_("Look at the other section"), f"{other.get_absolute_url()}review/")] if other else []
        )


def _numbers(told: Mapping[str, Any]) -> list[str]:
    """The numbers of the players that a hint's evidence names."""
    alone = [told[name] for name in ("player", "other") if name in told]
    return [*alone, *told.get("days", {}), *(game[1] for game in told.get("games", []))]


def _figure(kept: str) -> str:
    """A figure of the evidence as the reader's language writes it."""
    written: str = number_format(Decimal(kept))
    return written


def _days(first: date, last: date) -> str:
    shown = [date_format(day, "DATE_FORMAT") for day in (first, last)]
    return shown[0] if first == last else " – ".join(shown)
