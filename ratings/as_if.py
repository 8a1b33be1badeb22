"""Previews of decisions: the ratings before and after rating, correcting or un-rating a section, merging or
parting two entries of the register, or correcting a player's particulars.

A preview plans which facts of the journal would be folded again, folds them in memory by the very rules that
will run, and compares the outcome with the stored ratings. Nothing is written.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal, localcontext
from functools import partial
from itertools import groupby, islice
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from django.db.models import Q
from django.utils.translation import gettext as _

from players.display import as_shown
from players.identity import entries_of
from players.models import Federation, Ledger, Player
from players.register import player_fact
from players.storage import batches
from ratings.journal import (
    AFTER_EVERYTHING,
    aliases,
    day_of,
    folded_fact,
    named,
    newest_lines,
    own_pres,
    put_away,
    sealed_line,
    stated_before,
    with_merges,
)
from ratings.models import Change as Stored
from ratings.models import Fact, FactQuerySet, Standing
from ratings.player_ratings import ratings_of
from ratings.pre_ratings import NO_BIRTHS, Births, for_want_of_any, learn, state_pres
from ratings.results import (
    Corrected,
    both_states,
    differences,
    newest_wide,
    standing_fact,
    state_before,
    with_players,
)
from ratings.rulesets import facts, journal
from ratings.rulesets.facts import Change, ListClosing, Needs, Placed, PlayerId, State
from ratings.rulesets.ruleset import CONTEXT, Ruleset
from tournaments.corrections import Applied, work_out_changes
from tournaments.corrections import Change as FiledChange
from tournaments.entries import read_who_stays
from tournaments.models import IN_RATED, Entry, Finding, Section, Stage
from tournaments.sections import entries_with_players, rows_in_memory, section_fact

# ---- Plans a fold of the journal as it would be after a decision, from the first fact that differs on.
NOBODY_MERGED: Mapping[PlayerId, PlayerId] = MappingProxyType({})


AT_ONCE = 200
"""The number of facts whose changes are looked up together."""


MOST_FOLDED = 400
"""The most facts (with `up_to_limit`: sections) that a preview folds; the rest is counted."""


class Due(NamedTuple):
    """A fact that a preview folds, with its row in the journal; None if the decision would only add it."""

    fact: facts.Fact
    row: Fact | None


@dataclass(frozen=True, slots=True)
class FoldPlan:
    """A preview's work: the facts to fold after a decision, in order, from the first that differs."""

    federation: Federation
    start: int
    due: list[Due]
    unread: int
    """The number of further facts behind the last of `due`."""


@dataclass(frozen=True, slots=True)
class RatingPlan(FoldPlan):
    """The work to preview the rating of one section."""

    section: facts.RatedSection
    """The section itself, with the notes that its place in the order gives."""
    at: int
    """The section's index in `due`."""
    later: int
    """The number of rated sections that would be rated again."""


def plan_of(section: Section, on: date, most_later: int = 0, births: Births = NO_BIRTHS) -> RatingPlan:
    """Plan the rating of a section on a day, with up to `most_later` facts behind it. `births`: an official's
    word on those whose birth the register does not know. Raises `Incomplete` where the section is not whole.
    """
    federation = section.event.federation
    added = lines_to_add(section, day_of(federation, on), births)
    rows = Fact.objects.filter(federation=federation).in_force()
    rows = rows.select_related("takes", "first_rated", "section__event")
    if federation.ruleset.journal.annotate is None:
        start = min(map(federation.ruleset.journal.order_key, added))
        rows = rows.filter(order__gt=start).order_by("order")
        due = in_order(federation.ruleset, [*read_due(federation, rows[:most_later]), *not_in_journal(added)])
        behind = rows.count() if most_later else 0
        return _plan(
            federation, due, start, added, rows.filter(kind="rated").count(), max(0, behind - most_later)
        )
    everything = in_order(federation.ruleset, [*read_due(federation, rows), *not_in_journal(added)])
    first = next(number for number, each in enumerate(everything) if differs(federation.ruleset, each))
    due = everything[first:]
    later = sum(isinstance(each.fact, facts.RatedSection) for each in due) - 1
    return _plan(federation, due, federation.ruleset.journal.order_key(due[0].fact), added, later)


def _plan(
    federation: Federation, due: list[Due], start: int, added: list[facts.Fact], later: int, unread: int = 0
) -> RatingPlan:
    at = next(number for number, each in enumerate(due) if each.fact.number == added[-1].number)
    section = due[at].fact
    assert isinstance(section, facts.RatedSection)  # the last that is added
    return RatingPlan(federation, start, due, unread, section, at, later)


def lines_to_add(section: Section, on: date, births: Births = NO_BIRTHS) -> list[facts.Fact]:
    """The facts that approving a section would add: players whose particulars changed, then the section,
    which stands where it was first rated (D-2).
    """
    federation = section.event.federation
    entries = entries_with_players(section)
    people = [entry.player for entry in entries if entry.player]
    record, unknown = state_pres(federation, section_fact(section, entries=entries), people)
    if told := [player for player in unknown if player.number in births]:
        for player in told:
            learn(player, births[player.number])  # as approval will; nothing is saved here
        record, _unknown = state_pres(federation, record, people)
    players = {fact.id: fact for fact in map(player_fact, people)}
    number = max(1, Ledger.objects.get(federation=federation).facts)
    known = newest_lines(federation, players)
    added: list[facts.Fact] = []
    for name in sorted(players):
        if known.get(name) != sealed_line(players[name], federation.ruleset):
            number += 1
            if "player" in federation.ruleset.journal.folds:
                added.append(Placed(number, players[name]))
    names, own = aliases(federation), own_pres(federation, record, number + 1)
    look_up = partial(stated_before, federation)
    pres = with_merges(look_up, record, number + 1, own, names) if own or names else facts.NO_PRES
    rated = Fact.objects.first_rating(federation, section.key)
    first = (rated.number, rated.on) if rated and rated.on else (number + 2, on)
    return [*added, journal.rated_section(number + 2, first, record, players, {}, pres)]


def not_in_journal(added: Iterable[facts.Fact]) -> list[Due]:
    return [Due(fact, None) for fact in added]


def in_order(ruleset: Ruleset, due: Iterable[Due]) -> list[Due]:
    rows = {each.fact.number: each for each in due}
    ordered = ruleset.journal_order(each.fact for each in rows.values())
    return [Due(fact, rows[fact.number].row) for fact in ordered]


def read_due(
    federation: Federation, rows: Iterable[Fact], names: Mapping[PlayerId, PlayerId] | None = None
) -> Iterator[Due]:
    """Read rows of the journal as facts to fold; `names`: merged players, if other than now."""
    names = aliases(federation) if names is None else names
    for row in rows:
        row.federation = federation
        yield Due(folded_fact(row, names), row)


def up_to_limit(rows: FactQuerySet, most: int = MOST_FOLDED) -> FactQuerySet:
    """Cut the rows after as many rated sections as a preview folds at most."""
    beyond = rows.filter(kind="rated").values_list("order", flat=True)[most : most + 1]
    return rows.filter(order__lt=beyond[0]) if beyond else rows


def differs(ruleset: Ruleset, due: Due) -> bool:
    return due.row is None or journal.fingerprint(due.fact, ruleset) != due.row.folded


def needed_by_all(needs: Iterable[frozenset[PlayerId] | Needs]) -> frozenset[PlayerId] | Needs:
    """The players whose standings several facts read; everybody, once a fact asks for more than names."""
    names: set[PlayerId] = set()
    for each in needs:
        if isinstance(each, Needs):
            return Needs.EVERYONE
        names |= each
    return frozenset(names)


# ---- Folds a plan: each rating before and after, and the sections that would be rated anew.
Step = TypeVar("Step")


@dataclass(frozen=True, slots=True)
class RatingMove:
    """A player's rating after a later fact, now and as it would be, waiting points included."""

    player: Player
    track: str
    now: Decimal | None
    then: Decimal | None

    @property
    def by(self) -> Decimal | None:
        return None if self.now is None or self.then is None else self.then - self.now


@dataclass(frozen=True, slots=True)
class Rerated:
    """A fact in the journal after which ratings would differ from the stored ones, in the digits shown: the
    number of players and the largest moves.
    """

    fact: Fact
    players: int
    largest: list[RatingMove]


@dataclass(slots=True)
class FoldPreview:
    """The effects of a decision as previewed: the section's own changes, and later facts rated again."""

    own: list[Change[Any]] = field(default_factory=list)
    rerated: list[Rerated] = field(default_factory=list)
    unseen: int = 0
    """The number of facts behind the section that were not worked out, being too many."""
    state: State[Any] = field(default_factory=State)
    """The state after the last folded fact, of everybody whom those facts read or moved."""
    unstated: set[PlayerId] = field(default_factory=set)
    """Players who would be taken at the pre-rating of a man without an age, as none was ever stated (§58)."""


Tell = Callable[[int, int], object]
"""A function that hears how many facts are folded by now, of how many."""


def preview_fold(
    plan: FoldPlan,
    largest: int = 3,
    merged: Mapping[PlayerId, PlayerId] = NOBODY_MERGED,
    tell: Tell | None = None,
) -> FoldPreview:
    """Fold a plan's facts and find each one that would give other ratings than those stored.

    `largest`: the number of moves told of each. `merged`: numbers whose stored ratings are compared as those
    of another player. `tell`: told of each fact that is folded.
    """
    own = plan.section.number if isinstance(plan, RatingPlan) else None
    seen = plan.due[: plan.at + 1 + MOST_FOLDED] if isinstance(plan, RatingPlan) else plan.due
    found = FoldPreview(unseen=len(plan.due) - len(seen) + plan.unread)
    for some in batches(_telling(_fold(plan, seen, found.unstated), tell, len(seen)), AT_ONCE):
        stored = _stored([each.row for each, _changes, _after in some if each.row], merged)
        for each, changes, state in some:
            found.state = state
            if each.fact.number == own:
                found.own = changes
            elif each.row and (
                moved := _compared(plan.federation, each.row, stored[each.row.pk], changes, largest)
            ):
                found.rerated.append(moved)
    return found


def _telling(steps: Iterator[Step], tell: Tell | None, total: int) -> Iterator[Step]:
    """The same steps; `tell` hears of each."""
    for done, step in enumerate(steps, start=1):
        if tell is not None:
            tell(done, total)
        yield step


def _fold(
    plan: FoldPlan, due: list[Due], unstated: set[PlayerId] | None = None
) -> Iterator[tuple[Due, list[Change[Any]], State[Any]]]:
    """Fold a plan's facts one by one; yield each with its changes and the state after it. `unstated` collects
    entrants without a rating for whom no pre-rating was ever stated.
    """
    ruleset, state = plan.federation.ruleset, _state(plan, due)
    steps = ruleset.fold([each.fact for each in due], state)
    for each in due:
        if unstated is not None:
            unstated.update(for_want_of_any(ruleset, state, each.fact))
        _fact, changes, after = next(steps)
        yield each, changes, after


def with_points(before: Decimal | None, points: Decimal | None, after: Decimal | None) -> Decimal | None:
    """The rating with a fact's points in it, whether they count at once or from the next list on."""
    return after if before is None or points is None else before + points


def _stored(
    rows: list[Fact], merged: Mapping[PlayerId, PlayerId]
) -> dict[int, dict[facts.Key, Decimal | None]]:
    """The ratings that facts gave as they are stored: by the fact's key, then by player and track. Where a
    fact moved two entries merged by now, the one who stays counts.
    """
    found: dict[int, dict[facts.Key, Decimal | None]] = defaultdict(dict)
    changes = Stored.objects.filter(fact__in=rows)
    values = changes.values_list("player__number", "fact_id", "track", "before", "points", "after")
    for number, fact, track, *told in sorted(values, key=lambda each: each[0] not in merged):
        found[fact][merged.get(number, number), track] = with_points(*told)
    return found


def _compared(
    federation: Federation,
    row: Fact,
    now: Mapping[facts.Key, Decimal | None],
    changes: Iterable[Change[Any]],
    largest: int,
) -> Rerated | None:
    """Compare the changes of a fact with those stored (`now`), in the digits shown; None where they agree."""
    then = {(each.player, each.track): _shown_rating(each) for each in changes}
    places = federation.publication.decimals
    keys = [
        key for key in {**now, **then} if as_shown(now.get(key), places) != as_shown(then.get(key), places)
    ]
    if not keys:
        return None
    people = named(federation, {player for player, _track in keys})
    moved = [
        RatingMove(people[player], track, now.get((player, track)), then.get((player, track)))
        for player, track in keys
        if player in people
    ]
    moved.sort(key=lambda each: (-abs(each.by or Decimal(0)), each.player.sort_key, each.track))
    return Rerated(row, len({player for player, _track in keys}), moved[:largest])


def _shown_rating(change: Change[Any]) -> Decimal | None:
    before = change.before.rating if change.before is not None else None
    return with_points(before, change.points, change.after.rating)


def changes_between(plan: RatingPlan) -> list[Change[Any]]:
    """The changes that the section itself would make."""
    *_, (_each, changes, _state) = _fold(plan, plan.due[: plan.at + 1])
    return changes


def previewed_working(plan: RatingPlan, player: PlayerId, track: str) -> facts.Working:
    """The working of the change that the section would make to a player's rating."""
    rules, state = plan.federation.ruleset.rules_for(plan.section), state_before_section(plan)
    with localcontext(CONTEXT):
        return rules.explain(state, plan.section, player, track)


def state_before_section(plan: RatingPlan) -> State[Any]:
    """The state from which the section itself would be rated."""
    state = _state(plan, plan.due[: plan.at + 1])
    for _step in plan.federation.ruleset.fold([each.fact for each in plan.due[: plan.at]], state):
        pass
    return state


def _state(plan: FoldPlan, due: list[Due]) -> State[Any]:
    """The state before the plan's first fact, with everybody whose standing these facts read."""
    rules = plan.federation.ruleset.rules_for
    needs = needed_by_all(rules(each.fact).needs(each.fact) for each in due)
    return state_before(plan.federation, plan.start, needs)


# ---- Previews rating a section.
@dataclass(frozen=True, slots=True)
class PreviewRow:
    """One rating that approving the section would move."""

    player: Player
    track: str
    before: Decimal | None
    points: Decimal | None
    """Points gained or lost, at once or at the next list."""
    after: Decimal | None
    games: int
    first: bool
    """Whether it would be the player's first rating in the track."""


@dataclass(frozen=True, slots=True)
class Preview:
    rows: list[PreviewRow]
    later: int
    """The number of rated sections that would be rated again."""


def preview(section: Section, on: date, births: Births = NO_BIRTHS) -> Preview:
    """Preview rating the section; `births`: an official's word on births that the register does not know.

    Raises `Incomplete` where the section is not whole.
    """
    plan = plan_of(section, on, births=births)
    return Preview(_rows(plan.federation, changes_between(plan)), plan.later)


def _rows(federation: Federation, changes: list[Change[Any]]) -> list[PreviewRow]:
    numbers = {change.player for change in changes}
    players = named(federation, numbers)
    return [
        PreviewRow(
            player=players[change.player],
            track=change.track,
            before=change.before.rating if change.before else None,
            points=change.points,
            after=change.after.rating,
            games=change.after.games,
            first=change.after.rating is not None and (change.before is None or change.before.rating is None),
        )
        for change in changes
        if change.player in players
    ]


# ---- The ratings that a section moves, for pages: by track, the largest moves first.
@dataclass(frozen=True, slots=True)
class PreviewedChange:
    player: Player
    track: str
    before: Decimal | None
    points: Decimal | None
    then: Decimal | None
    """The rating with these points in it, whether they count at once or from the next list on."""
    games: int
    first: bool
    waits: bool
    """Whether some of the points count from the next list on only."""


def previewed_changes(rows: Iterable[PreviewRow]) -> list[PreviewedChange]:
    return [_move(r.player, r.track, r.before, r.points, r.after, r.games) for r in rows]


def from_today(federation: Federation, moves: list[PreviewedChange], day: date) -> list[PreviewedChange]:
    """The same moves as they look from today's ratings: where the calendar or others' play moves ratings,
    those differ from the ratings after the player's last section.
    """
    if federation.ruleset.calendar.days_of_change is None:
        return moves
    now = ratings_of(federation, [move.player for move in moves], day)
    return [_from(move, now.get((move.player.number, move.track))) for move in moves]


def _from(move: PreviewedChange, now: Decimal | None) -> PreviewedChange:
    points = None if now is None or move.then is None else move.then - now
    return replace(move, before=now, points=points, first=now is None and move.then is not None)


def rated_changes(fact: Fact) -> list[PreviewedChange]:
    """The rating moves that a rated section made, as its stored changes have them."""
    changes = Stored.objects.filter(fact=fact).select_related("player__federation")
    return [_move(c.player, c.track, c.before, c.points, c.after, c.games) for c in changes]


def _move(
    player: Player,
    track: str,
    before: Decimal | None,
    points: Decimal | None,
    after: Decimal | None,
    games: int,
) -> PreviewedChange:
    then = with_points(before, points, after)
    return PreviewedChange(
        player=player,
        track=track,
        before=before,
        points=points,
        then=then,
        games=games,
        first=before is None and after is not None,
        waits=then != after,
    )


def by_track(
    federation: Federation, moves: Iterable[PreviewedChange]
) -> list[tuple[str, list[PreviewedChange]]]:
    """Group moves by track: pairs of its name and its moves, the largest first, in the ruleset's order."""
    names = {track.code: track.name for track in federation.ruleset.tracks}
    order = list(names)
    ordered = sorted(moves, key=lambda move: (order.index(move.track), -_size(move), move.player.sort_key))
    return [(_(names[track]), list(rows)) for track, rows in groupby(ordered, key=lambda move: move.track)]


def _size(move: PreviewedChange) -> Decimal:
    """A sort key of moves: the points moved; highest for a first rating, lowest for a mere count of games."""
    if move.first:
        return Decimal(10**6)
    return Decimal(-1) if move.points is None else abs(move.points)


def mark_of_record(office: Federation, day: date, *about: object) -> str:
    """The digest of what effects on ratings are worked out from: the journal and what is stored of it, the
    rules, the day, and what the decision is `about`.
    """
    ledger = Ledger.objects.get(federation=office)
    parts = [ledger.facts, ledger.done, ledger.wanted, ledger.rules, day.isoformat(), *about]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


# ---- Previews what rating a section does to ranks and to the next lists.
class ListPlace(NamedTuple):
    """A player's place on a list: rank and rating."""

    rank: int
    rating: Decimal


@dataclass(frozen=True, slots=True)
class Shift:
    """A player's place on the next list without the section and with it; None: not on it."""

    player: Player
    without: ListPlace | None
    with_it: ListPlace | None


@dataclass(frozen=True, slots=True)
class NextList:
    track: str
    players: int
    shifts: list[Shift]
    """Players to whom the section gives another rating in the digits shown, the farthest first, cut at the
    most that are listed.
    """
    moved: int
    """The number of such players in all."""
    displaced: int
    """The number of others whose place would change though their rating does not."""


def ranks_gained(federation: Federation, seen: FoldPreview, on: date) -> list[tuple[Player, str, str]]:
    """The ranks that officials would have to confirm then and not now: player, rank and clause of each."""
    if not federation.ruleset.journal.ranks:
        return []
    people = {player for player, _track in seen.state.standings}
    rules = federation.ruleset.edition_on(on).rules
    now = _to_confirm(rules.tables(state_before(federation, AFTER_EVERYTHING, people), on))
    then = _to_confirm(rules.tables(seen.state, on))
    named_ = named(federation, {player for player, _rank, _clause in then - now})
    return [(named_[player], rank, clause) for player, rank, clause in sorted(then - now) if player in named_]


def _to_confirm(tables: Iterable[facts.RuleTable]) -> set[tuple[str, str, str]]:
    return {
        (str(said["player"]), str(said["rank"]), str(said["clause"]))
        for table in tables
        if table.confirms
        for said in (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    }


def next_lists(plan: RatingPlan, seen: FoldPreview, on: date, most: int = 20) -> list[NextList]:
    """The lists whose players the section moves, as they would close that day without the section and with
    it; up to `most` players each.
    """
    federation = plan.federation
    ruleset = federation.ruleset
    touched = {track for _player, track in seen.state.standings}
    tracks = [track.code for track in ruleset.tracks if track.code in touched]
    # The state with everybody's standing now, in these tracks alone.
    state: State[Any] = State(wide=newest_wide(federation, AFTER_EVERYTHING))
    load = federation.ruleset.storage.load
    rows = Standing.objects.filter(federation=federation, track__in=tracks)
    for number, track, text in rows.values_list("player__number", "track", "state").iterator(5_000):
        state.put((number, track), load(track, text))
    now = state
    then = State(dict(now.standings), seen.state.wide, set(now.due))
    for key, standing in seen.state.standings.items():
        then.put(key, standing)
    closing = Placed(plan.section.number + 1, ListClosing(on))
    found = (
        _next_list(
            federation, track, _closed(ruleset, now, closing), _closed(ruleset, then, closing), on, most
        )
        for track in tracks
    )
    return [each for each in found if each.moved or each.displaced]


def _closed(ruleset: Ruleset, state: State[Any], closing: Placed) -> State[Any]:
    """The state after the closing of a list, which may add waiting points; the given one stays as it is."""
    after = State(dict(state.standings), state.wide, set(state.due))
    after.absorb(ruleset.apply(state, closing))
    return after


def _next_list(
    federation: Federation, track: str, now: State[Any], then: State[Any], on: date, most: int
) -> NextList:
    rules = federation.ruleset.edition_on(on).rules
    with localcontext(CONTEXT):
        before, after = (
            {row.player: ListPlace(row.rank, row.rating) for row in rules.rating_list(state, track, on)}
            for state in (now, then)
        )
    places = federation.publication.decimals
    moved = [
        name
        for name in {**before, **after}
        if _next_rating(before, name, places) != _next_rating(after, name, places)
    ]
    moved.sort(key=lambda name: (-_far(before.get(name), after.get(name)), name))
    displaced = sum(before[name].rank != after[name].rank for name in before.keys() & after.keys())
    displaced -= sum(
        name in before and name in after and before[name].rank != after[name].rank for name in moved
    )
    people = named(federation, islice(moved, most))
    shifts = [
        Shift(people[name], before.get(name), after.get(name)) for name in moved[:most] if name in people
    ]
    return NextList(track, len(after), shifts, len(moved), displaced)


def _next_rating(listed: dict[PlayerId, ListPlace], name: PlayerId, places: int) -> Decimal | None:
    return as_shown(listed[name].rating, places) if name in listed else None


def _far(before: ListPlace | None, after: ListPlace | None) -> Decimal:
    """A sort key of shifts: the distance that a rating moves; for players who come or go, above all."""
    return abs(after.rating - before.rating) if before and after else Decimal(10**6)


# ---- Previews merging two register entries of one person, or parting them.
@dataclass(frozen=True, slots=True)
class MergePreview:
    """The sections that merging or parting two entries would rate again, and how. Nothing is written."""

    seen: FoldPreview
    sections: int
    """The number of rated sections to be folded again, whether their ratings change or not."""


def preview_merge(
    player: Player, into: Player, *, most: int = MOST_FOLDED, tell: Tell | None = None
) -> MergePreview:
    """Preview merging `player` into `into`. Stored ratings of `player` are compared as those of `into`.

    `most`: the number of rated sections that are folded at most; `tell`: told of each fact that is folded.
    """
    names = {**aliases(into.federation), player.number: into.number}
    people = [*entries_of(player), *entries_of(into)]
    plan = _plan_merging(into.federation, people, names, _register_line(into), most)
    return _preview(plan, {each.number: into.number for each in entries_of(player)}, tell)


def preview_parting(player: Player, *, most: int = MOST_FOLDED, tell: Tell | None = None) -> MergePreview:
    """Preview taking back the merge of `player` into another entry; `most` and `tell` as of a merge."""
    federation = player.federation
    names = {number: into for number, into in aliases(federation).items() if number != player.number}
    people = entries_of(player.merged_into) if player.merged_into else []
    return _preview(_plan_merging(federation, people, names, [], most), {}, tell)


def _preview(plan: FoldPlan, merged: Mapping[PlayerId, PlayerId], tell: Tell | None = None) -> MergePreview:
    if not plan.due:
        return MergePreview(FoldPreview(), 0)
    again = Fact.objects.filter(federation=plan.federation, kind="rated", order__gte=plan.start)
    return MergePreview(preview_fold(plan, merged=merged, tell=tell), again.in_force().count())


def _plan_merging(
    federation: Federation,
    people: Collection[Player],
    names: Mapping[PlayerId, PlayerId],
    added: Sequence[Due],
    most: int = MOST_FOLDED,
) -> FoldPlan:
    """The plan of facts to fold with other merges than now: `names` (merged numbers, and whom each is read
    as), `people` (the entries concerned), and facts that the decision adds.
    """
    ruleset, away = federation.ruleset, put_away(federation, names)
    touched = _touched(federation, people).select_related("takes", "first_rated").order_by("order")
    otherwise = [row for row in touched if _fingerprint(federation, row, names, away) != row.folded]
    back = [row.pk for row in otherwise if row.number not in away]
    rows = Fact.objects.filter(federation=federation, order__isnull=False).exclude(number__in=away)
    rows = rows.filter(~Q(fingerprint="") | Q(pk__in=back), taken_back=None)
    rows = rows.select_related("takes", "first_rated", "section__event")
    if ruleset.journal.annotate is None:
        start = min((row.order for row in otherwise if row.order is not None), default=None)
        if start is None:
            return FoldPlan(federation, 0, [], 0)
        behind = rows.filter(order__gte=start).order_by("order")
        seen = up_to_limit(behind, most)
        due = in_order(ruleset, [*read_due(federation, seen, names), *added])
        return FoldPlan(federation, start, due, behind.count() - seen.count())
    everything = in_order(ruleset, [*read_due(federation, rows, names), *added])
    start_at = next((at for at, each in enumerate(everything) if differs(ruleset, each)), len(everything))
    gone = min((row.order for row in otherwise if row.number in away and row.order is not None), default=None)
    due = everything[start_at:]
    start = ruleset.journal.order_key(due[0].fact) if due else 0
    if gone is not None and (not due or gone < start):
        due = [each for each in everything if ruleset.journal.order_key(each.fact) >= gone]
        start = gone
    return FoldPlan(federation, start, due, 0)


def _fingerprint(
    federation: Federation, row: Fact, names: Mapping[PlayerId, PlayerId], away: Collection[int]
) -> str:
    """The fingerprint of a journal line as folded with these merges; empty if it would not be folded."""
    if row.number in away:
        return ""
    row.federation = federation
    return journal.fingerprint(folded_fact(row, names), federation.ruleset)


def _touched(federation: Federation, people: Collection[Player]) -> FactQuerySet:
    """The folded lines that name any of these entries, so that a merge or parting may change them, among them
    lines that a merge puts away.
    """
    sections = Entry.objects.filter(IN_RATED, player__in=people).values("section")
    subjects = {each.number for each in people}
    named = Q(kind__in=("player", "opening", "rank"), subject__in=subjects) | Q(kind="playoff")
    rated = Q(kind="rated", section__in=sections, taken_back=None)
    return Fact.objects.filter(named | rated, federation=federation, order__isnull=False)


def _register_line(into: Player) -> list[Due]:
    """The player line that merging writes for the entry that stays, in a list; empty if the rules do not fold
    such lines or it stands already.
    """
    federation = into.federation
    if "player" not in federation.ruleset.journal.folds:
        return []
    stays = player_fact(into)
    if newest_lines(federation, [into.number]).get(into.number) == sealed_line(stays, federation.ruleset):
        return []
    number = Ledger.objects.get(federation=federation).facts + 1
    return [Due(facts.Placed(number, stays), None)]


# ---- Previews un-rating a section.
@dataclass(frozen=True, slots=True)
class UnratingPreview:
    """The effect of un-rating a section. Nothing is written."""

    seen: FoldPreview
    """The later sections that would get other ratings."""
    ratings: list[Corrected] = field(default_factory=list)
    """Every rating that would change in the digits shown; empty if not all was worked out (`seen.unseen`)."""


def preview_unrating(section: Section, on: date) -> UnratingPreview:
    """Fold the record without a rated section, by the very rules that will run."""
    federation, fact = section.event.federation, standing_fact(section)
    if fact is None or fact.order is None:
        return UnratingPreview(FoldPreview())
    plan = _without(federation, fact)
    seen = preview_fold(plan)
    if seen.unseen:
        return UnratingPreview(seen)
    own = Stored.objects.filter(fact=fact).values_list("player__number", flat=True)
    people = frozenset(own) | {player for player, _track in seen.state.standings}
    before, after = both_states(federation, plan.start, seen.state, people, folded=bool(plan.due))
    found = differences(federation.ruleset, before, after, on)
    places = federation.publication.decimals
    shown = [each for each in found if as_shown(each.before, places) != as_shown(each.after, places)]
    return UnratingPreview(seen, with_players(federation, shown))


def _without(federation: Federation, fact: Fact) -> FoldPlan:
    """The plan of facts to fold if a rated section's fact were not in the journal."""
    assert fact.order is not None
    ruleset = federation.ruleset
    rows = Fact.objects.filter(federation=federation).in_force().exclude(pk=fact.pk)
    rows = rows.select_related("takes", "first_rated", "section__event")
    if ruleset.journal.annotate is None:
        behind = rows.filter(order__gt=fact.order).order_by("order")
        seen = up_to_limit(behind)
        due = in_order(ruleset, read_due(federation, seen))
        return FoldPlan(federation, fact.order, due, behind.count() - seen.count())
    everything = in_order(ruleset, read_due(federation, rows))
    order = fact.order
    at = next(
        (
            at
            for at, each in enumerate(everything)
            if ruleset.journal.order_key(each.fact) > order or differs(ruleset, each)
        ),
        len(everything),
    )
    due = everything[at:]
    return FoldPlan(
        federation, min([order, *(ruleset.journal.order_key(each.fact) for each in due[:1])]), due, 0
    )


# ---- Previews correcting a rated section and rating it anew, at once.
@dataclass(frozen=True, slots=True)
class MendingPreview:
    """The effect of correcting a rated section and rating it anew. Nothing is written."""

    applied: Applied
    seen: FoldPreview = field(default_factory=FoldPreview)
    """The later sections that would get other ratings."""
    ratings: list[Corrected] = field(default_factory=list)
    """Every rating that would change in the digits shown; empty if not all was worked out (`seen.unseen`)."""

    @property
    def allowed(self) -> list[Finding]:
        """The findings that the correction brings and the office would allow with its words."""
        return [each for each in self.applied.found if each.level == "waivable"]


def preview_mending(
    section: Section, changes: Sequence[FiledChange], on: date, births: Births = NO_BIRTHS
) -> MendingPreview:
    """Fold the record with a rated section as it would be corrected, by the very rules that will run.

    Raises `Refused` where a change cannot be made, and `Incomplete` where the section is not whole.
    """
    federation, fact = section.event.federation, standing_fact(section)
    applied, added = _as_corrected(section.pk, changes, on, births)
    if fact is None or fact.order is None:
        return MendingPreview(applied)
    plan = _instead(federation, fact, added)
    seen = preview_fold(plan)
    if seen.unseen:
        return MendingPreview(applied, seen)
    own = Stored.objects.filter(fact=fact).values_list("player__number", flat=True)
    people = frozenset(own) | {player for player, _track in seen.state.standings}
    before, after = both_states(federation, plan.start, seen.state, people, folded=bool(plan.due))
    found = differences(federation.ruleset, before, after, on)
    places = federation.publication.decimals
    shown = [each for each in found if as_shown(each.before, places) != as_shown(each.after, places)]
    return MendingPreview(applied, seen, with_players(federation, shown))


def _as_corrected(
    key: int, changes: Sequence[FiledChange], on: date, births: Births
) -> tuple[Applied, list[facts.Fact]]:
    """The corrections, and the facts that approving the corrected section would add: worked out in memory, by
    what will make them. Nothing is written, and nobody who writes is waited for.
    """
    section = Section.objects.select_related("event__federation").get(pk=key)
    with rows_in_memory(section):
        read_who_stays(section)
        applied = work_out_changes(section, changes)
        return applied, lines_to_add(section, day_of(section.event.federation, on), births)


def _instead(federation: Federation, fact: Fact, added: list[facts.Fact]) -> FoldPlan:
    """The plan of facts to fold with these in place of a rated section's fact; with other days the section
    may stand elsewhere in the order of play.
    """
    assert fact.order is not None
    ruleset = federation.ruleset
    order = min([fact.order, *map(ruleset.journal.order_key, added)])
    rows = Fact.objects.filter(federation=federation).in_force().exclude(pk=fact.pk)
    rows = rows.select_related("takes", "first_rated", "section__event")
    if ruleset.journal.annotate is None:
        behind = rows.filter(order__gt=order).order_by("order")
        seen = up_to_limit(behind)
        due = in_order(ruleset, [*read_due(federation, seen), *not_in_journal(added)])
        return FoldPlan(federation, order, due, behind.count() - seen.count())
    everything = in_order(ruleset, [*read_due(federation, rows), *not_in_journal(added)])
    keys = [ruleset.journal.order_key(each.fact) for each in everything]
    at = next(
        at for at, each in enumerate(everything) if keys[at] > order or differs(ruleset, each)
    )  # what is added differs
    return FoldPlan(federation, min(order, keys[at]), everything[at:], 0)


# ---- Previews a correction of a register entry.
@dataclass(frozen=True, slots=True)
class CorrectionPreview:
    """The effects of a correction. Nothing is written."""

    seen: FoldPreview
    """Sections whose ratings come out otherwise, where the rules fold the register itself."""
    waiting: list[Section]
    """Sections with the player that are not rated yet: they are rated with the new particulars (D-6)."""


def preview_correction(player: Player) -> CorrectionPreview:
    """Preview saving a player's particulars as they stand on the object, unsaved."""
    open_sections = Section.objects.filter(entries__player=player)
    open_sections = open_sections.exclude(stage__in=(Stage.RATED, Stage.REFUSED)).distinct()
    waiting = list(open_sections.select_related("event__federation").order_by("starts", "pk"))
    plan = _plan_correction(player)
    return CorrectionPreview(preview_fold(plan) if plan else FoldPreview(), waiting)


def _plan_correction(player: Player) -> FoldPlan | None:
    """The plan of facts to fold with the player's new line; None where no rating rests on such lines."""
    federation, line = player.federation, player_fact(player)
    ruleset = federation.ruleset
    if "player" not in ruleset.journal.folds:
        return None
    stands = newest_lines(federation, [player.number]).get(player.number)
    if stands in (None, sealed_line(line, ruleset)):
        return None
    number = Ledger.objects.get(federation=federation).facts + 1
    rows = Fact.objects.filter(federation=federation, order__isnull=False, taken_back=None)
    rows = rows.exclude(fingerprint="").select_related("takes", "first_rated", "section__event")
    due = [*read_due(federation, rows, aliases(federation)), Due(facts.Placed(number, line), None)]
    everything = in_order(ruleset, due)
    at = next((at for at, each in enumerate(everything) if differs(ruleset, each)), len(everything))
    again = everything[at:]
    return FoldPlan(federation, ruleset.journal.order_key(again[0].fact) if again else 0, again, 0)
