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

from players.display import round_rating
from players.identity import list_entry_and_merged
from players.models import Federation, Ledger, Player
from players.register import player_fact
from players.storage import batches
from ratings.journal import (
    AFTER_EVERYTHING,
    aliases,
    apply_merges_to_pres,
    build_foldable_fact,
    earlier_pres,
    get_last_stated_pres,
    get_new_line_day,
    get_players_by_number,
    get_unfolded_line_numbers,
    newest_player_lines,
    sealed_line,
)
from ratings.models import Change as Stored
from ratings.models import Fact, FactQuerySet, Standing
from ratings.player_ratings import get_ratings
from ratings.pre_ratings import (
    NO_BIRTHS,
    Births,
    apply_birth_answer,
    compute_pre_ratings,
    get_unrated_without_pre,
)
from ratings.results import (
    CorrectedPlayerRating,
    attach_players,
    compute_differences,
    find_rated_fact,
    get_both_states,
    newest_wide,
    state_before,
)
from ratings.rulesets import facts, journal
from ratings.rulesets.facts import Change, ListClosing, Needs, Placed, PlayerId, State
from ratings.rulesets.ruleset import CONTEXT, Ruleset
from tournaments.corrections import AppliedCorrections, apply_changes_in_memory
from tournaments.corrections import Change as FiledChange
from tournaments.entries import resolve_merged_players
from tournaments.models import IN_RATED_SECTION, Entry, Finding, Section, Stage
from tournaments.sections import entries_with_players, rows_in_memory, section_fact

# ---- Planning which facts to fold again
NOBODY_MERGED: Mapping[PlayerId, PlayerId] = MappingProxyType({})
AT_ONCE = 200
"""The number of facts whose changes are looked up together."""
MOST_FOLDED = 400
"""The most facts (with `limit_sections`: sections) that a preview folds; the rest is counted."""


class DueFact(NamedTuple):
    """A fact that a preview folds, with its row in the journal; None if the decision would only add it."""

    fact: facts.Fact
    row: Fact | None


@dataclass(frozen=True, slots=True)
class FoldPlan:
    """The facts to fold after a decision, in order, from the first that differs."""

    federation: Federation
    start: int
    due: list[DueFact]
    unread: int
    """The number of further facts behind the last of `due`."""


@dataclass(frozen=True, slots=True)
class RatingPlan(FoldPlan):
    """The facts to fold to preview the rating of one section."""

    section: facts.RatedSection
    """The section itself, with the notes that its place in the order gives."""
    at: int
    """The section's index in `due`."""
    later: int
    """The number of rated sections that would be rated again."""


def plan_rating(section: Section, on: date, most_later: int = 0, births: Births = NO_BIRTHS) -> RatingPlan:
    """Plan the rating of a section on a day, with up to `most_later` facts behind it. `births`: what an
    official says of births that the register does not know. Raises `Incomplete` for an incomplete section.
    """
    federation = section.event.federation
    ruleset = federation.ruleset
    added = facts_to_add(section, get_new_line_day(federation, on), births)
    rows = Fact.objects.filter(federation=federation).in_force()
    rows = rows.select_related("takes", "first_rated", "section__event")
    if ruleset.journal.annotate is None:
        start = min(map(ruleset.journal.order_key, added))
        rows = rows.filter(order__gt=start).order_by("order")
        due = sort_due(ruleset, [*read_due(federation, rows[:most_later]), *new_due(added)])
        unread = max(0, rows.count() - most_later) if most_later else 0
        later = rows.filter(kind="rated").count()
    else:
        everything = sort_due(ruleset, [*read_due(federation, rows), *new_due(added)])
        due = everything[_first_difference(ruleset, everything) :]
        start, unread = ruleset.journal.order_key(due[0].fact), 0
        later = sum(isinstance(each.fact, facts.RatedSection) for each in due) - 1
    at = next(number for number, each in enumerate(due) if each.fact.number == added[-1].number)
    rated = due[at].fact
    assert isinstance(rated, facts.RatedSection)  # the last that is added
    return RatingPlan(federation, start, due, unread, rated, at, later)


def facts_to_add(section: Section, on: date, births: Births = NO_BIRTHS) -> list[facts.Fact]:
    """List the facts that approval would add: changed players, then the section, at its first place (D-2)."""
    federation = section.event.federation
    entries = entries_with_players(section)
    people = [entry.player for entry in entries if entry.player]
    record, unknown = compute_pre_ratings(federation, section_fact(section, entries=entries), people)
    if answered := [player for player in unknown if player.number in births]:
        for player in answered:
            apply_birth_answer(player, births[player.number])  # as approval will; nothing is saved here
        record, _unknown = compute_pre_ratings(federation, record, people)
    players = {fact.id: fact for fact in map(player_fact, people)}
    number = max(1, Ledger.objects.get(federation=federation).facts)
    known = newest_player_lines(federation, players)
    added: list[facts.Fact] = []
    for name in sorted(players):
        if known.get(name) != sealed_line(players[name], federation.ruleset):
            number += 1
            if "player" in federation.ruleset.journal.folds:
                added.append(Placed(number, players[name]))
    names, own = aliases(federation), earlier_pres(federation, record, number + 1)
    look_up = partial(get_last_stated_pres, federation)
    pres = (
        apply_merges_to_pres(look_up, record, number + 1, own, names)
        if own or names
        else facts.NO_PRE_RATINGS
    )
    rated = Fact.objects.first_rating(federation, section.key)
    first = (rated.number, rated.on) if rated and rated.on else (number + 2, on)
    return [*added, journal.rated_section(number + 2, first, record, players, {}, pres)]


def new_due(added: Iterable[facts.Fact]) -> list[DueFact]:
    return [DueFact(fact, None) for fact in added]


def sort_due(ruleset: Ruleset, due: Iterable[DueFact]) -> list[DueFact]:
    rows = {each.fact.number: each for each in due}
    ordered = ruleset.sort_for_fold(each.fact for each in rows.values())
    return [DueFact(fact, rows[fact.number].row) for fact in ordered]


def read_due(
    federation: Federation, rows: Iterable[Fact], names: Mapping[PlayerId, PlayerId] | None = None
) -> Iterator[DueFact]:
    """Yield rows of the journal as facts to fold; `names`: merged players, if other than now."""
    names = aliases(federation) if names is None else names
    for row in rows:
        row.federation = federation
        yield DueFact(build_foldable_fact(row, names), row)


def limit_sections(rows: FactQuerySet, most_sections: int = MOST_FOLDED) -> FactQuerySet:
    """Cut the rows after `most` rated sections."""
    beyond = rows.filter(kind="rated").values_list("order", flat=True)[most_sections : most_sections + 1]
    return rows.filter(order__lt=beyond[0]) if beyond else rows


def has_other_fingerprint(ruleset: Ruleset, due: DueFact) -> bool:
    return due.row is None or journal.fingerprint(due.fact, ruleset) != due.row.folded


def _first_difference(ruleset: Ruleset, due: Sequence[DueFact]) -> int:
    """The index of the first fact that differs from the journal; the length where none does."""
    return next((number for number, each in enumerate(due) if has_other_fingerprint(ruleset, each)), len(due))


def union_needs(needs: Iterable[frozenset[PlayerId] | Needs]) -> frozenset[PlayerId] | Needs:
    """The players whose standings these facts read; everybody if a fact needs more than given players."""
    names: set[PlayerId] = set()
    for each in needs:
        if isinstance(each, Needs):
            return Needs.EVERYONE
        names |= each
    return frozenset(names)


# ---- Folding a plan
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
class AffectedFact:
    """A fact in the journal after which ratings would differ from the stored ones, in the digits shown."""

    fact: Fact
    players: int
    """The number of players whose ratings would differ."""
    largest: list[RatingMove]


@dataclass(slots=True)
class FoldPreview:
    """The effects of a decision: the section's own changes, and later facts rated again."""

    own: list[Change[Any]] = field(default_factory=list)
    rerated: list[AffectedFact] = field(default_factory=list)
    unseen: int = 0
    """The number of later facts that were not folded, because there are too many."""
    state: State[Any] = field(default_factory=State)
    """The state after the last folded fact, of everybody whom those facts read or moved."""
    unstated: set[PlayerId] = field(default_factory=set)
    """Players who would get the pre-rating of a man without an age, because none was ever stated (§58)."""


ProgressCallback = Callable[[int, int], object]
"""A callback for progress: the number of facts folded so far, and their total."""


def preview_fold(
    plan: FoldPlan,
    most_moves: int = 3,
    merged: Mapping[PlayerId, PlayerId] = NOBODY_MERGED,
    on_progress: ProgressCallback | None = None,
) -> FoldPreview:
    """Fold a plan's facts and find those that would give other ratings than are stored.

    `largest`: the number of moves kept of each. `merged`: numbers whose stored ratings are compared as those
    of another player. `tell`: called for each fact that is folded.
    """
    own = plan.section.number if isinstance(plan, RatingPlan) else None
    seen = plan.due[: plan.at + 1 + MOST_FOLDED] if isinstance(plan, RatingPlan) else plan.due
    found = FoldPreview(unseen=len(plan.due) - len(seen) + plan.unread)
    for some in batches(_report(_fold(plan, seen, found.unstated), on_progress, len(seen)), AT_ONCE):
        stored = _stored_ratings([each.row for each, _changes, _after in some if each.row], merged)
        for each, changes, state in some:
            found.state = state
            if each.fact.number == own:
                found.own = changes
            elif each.row and (
                rerated := _compare(plan.federation, each.row, stored[each.row.pk], changes, most_moves)
            ):
                found.rerated.append(rerated)
    return found


def _report(steps: Iterator[Step], tell: ProgressCallback | None, total: int) -> Iterator[Step]:
    """Yield the same steps, and call `tell` for each."""
    for done, step in enumerate(steps, start=1):
        if tell is not None:
            tell(done, total)
        yield step


def _fold(
    plan: FoldPlan, due: list[DueFact], unstated: set[PlayerId] | None = None
) -> Iterator[tuple[DueFact, list[Change[Any]], State[Any]]]:
    """Yield each fact with its changes and the state after it; `unstated` collects who has no pre-rating."""
    ruleset, state = plan.federation.ruleset, _state(plan, due)
    steps = ruleset.fold([each.fact for each in due], state)
    for each in due:
        if unstated is not None:
            unstated.update(get_unrated_without_pre(ruleset, state, each.fact))
        _fact, changes, after = next(steps)
        yield each, changes, after


def rating_with_points(
    before: Decimal | None, points: Decimal | None, after: Decimal | None
) -> Decimal | None:
    """The rating with a fact's points added, whether they count at once or from the next list on."""
    return after if before is None or points is None else before + points


def _stored_ratings(
    rows: list[Fact], merged: Mapping[PlayerId, PlayerId]
) -> dict[int, dict[facts.StandingKey, Decimal | None]]:
    """The stored ratings by fact, then by player and track; of merged entries, the one that stays counts."""
    found: dict[int, dict[facts.StandingKey, Decimal | None]] = defaultdict(dict)
    changes = Stored.objects.filter(fact__in=rows)
    values = changes.values_list("player__number", "fact_id", "track", "before", "points", "after")
    for number, fact, track, *ratings in sorted(values, key=lambda each: each[0] not in merged):
        found[fact][merged.get(number, number), track] = rating_with_points(*ratings)
    return found


def _compare(
    federation: Federation,
    row: Fact,
    now: Mapping[facts.StandingKey, Decimal | None],
    changes: Iterable[Change[Any]],
    largest: int,
) -> AffectedFact | None:
    """Compare the changes of a fact with those stored (`now`), in the digits shown; None where they agree."""
    then = {
        (each.player, each.track): rating_with_points(
            None if each.before is None else each.before.rating, each.points, each.after.rating
        )
        for each in changes
    }
    places = federation.publication.decimals
    keys = [
        key
        for key in {**now, **then}
        if round_rating(now.get(key), places) != round_rating(then.get(key), places)
    ]
    if not keys:
        return None
    people = get_players_by_number(federation, {player for player, _track in keys})
    moved = [
        RatingMove(people[player], track, now.get((player, track)), then.get((player, track)))
        for player, track in keys
        if player in people
    ]
    moved.sort(key=lambda each: (-abs(each.by or Decimal(0)), each.player.sort_key, each.track))
    return AffectedFact(row, len({player for player, _track in keys}), moved[:largest])


def explain_previewed_change(plan: RatingPlan, player: PlayerId, track: str) -> facts.Working:
    """Explain the change that the section would make to a player's rating."""
    rules, state = plan.federation.ruleset.rules_for(plan.section), state_before_section(plan)
    with localcontext(CONTEXT):
        return rules.explain(state, plan.section, player, track)


def state_before_section(plan: RatingPlan) -> State[Any]:
    """The state from which the section itself would be rated."""
    state = _state(plan, plan.due[: plan.at + 1])
    for _step in plan.federation.ruleset.fold([each.fact for each in plan.due[: plan.at]], state):
        pass
    return state


def _state(plan: FoldPlan, due: list[DueFact]) -> State[Any]:
    """The state before the plan's first fact, with everybody whose standing these facts read."""
    rules = plan.federation.ruleset.rules_for
    needs = union_needs(rules(each.fact).needs(each.fact) for each in due)
    return state_before(plan.federation, plan.start, needs)


# ---- Previewing the rating of a section
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


@dataclass(frozen=True, slots=True)
class RatingPreview:
    rows: list[PreviewRow]
    later: int
    """The number of rated sections that would be rated again."""


def preview_rating(section: Section, on: date, births: Births = NO_BIRTHS) -> RatingPreview:
    """Preview rating the section; `births`: what an official says of births that the register does not know.

    Raises `Incomplete` for an incomplete section.
    """
    plan = plan_rating(section, on, births=births)
    *_, (_each, changes, _state) = _fold(plan, plan.due[: plan.at + 1])
    players = get_players_by_number(plan.federation, {change.player for change in changes})
    rows = [
        PreviewRow(
            player=players[change.player],
            track=change.track,
            before=change.before.rating if change.before else None,
            points=change.points,
            after=change.after.rating,
            games=change.after.games,
        )
        for change in changes
        if change.player in players
    ]
    return RatingPreview(rows, plan.later)


# ---- The ratings that a section moves, for pages
@dataclass(frozen=True, slots=True)
class PreviewedChange:
    player: Player
    track: str
    before: Decimal | None
    points: Decimal | None
    then: Decimal | None
    """The rating with these points added, whether they count at once or from the next list on."""
    games: int
    first: bool
    waits: bool
    """Whether some of the points count from the next list on only."""


def previewed_changes(rows: Iterable[PreviewRow]) -> list[PreviewedChange]:
    return [_move(row) for row in rows]


def rebase_previewed_changes(
    federation: Federation, moves: list[PreviewedChange], day: date
) -> list[PreviewedChange]:
    """The same moves from today's ratings, where the calendar or others' play have moved them since."""
    if federation.ruleset.calendar.days_of_change is None:
        return moves
    ratings = get_ratings(federation, [move.player for move in moves], day)
    found = []
    for move in moves:
        now = ratings.get((move.player.number, move.track))
        points = None if now is None or move.then is None else move.then - now
        found.append(replace(move, before=now, points=points, first=now is None and move.then is not None))
    return found


def list_stored_changes(fact: Fact) -> list[PreviewedChange]:
    """The stored changes that a rated section made."""
    return [_move(row) for row in Stored.objects.filter(fact=fact).select_related("player__federation")]


def _move(row: PreviewRow | Stored) -> PreviewedChange:
    then = rating_with_points(row.before, row.points, row.after)
    return PreviewedChange(
        player=row.player,
        track=row.track,
        before=row.before,
        points=row.points,
        then=then,
        games=row.games,
        first=row.before is None and row.after is not None,
        waits=then != row.after,
    )


def group_by_track(
    federation: Federation, moves: Iterable[PreviewedChange]
) -> list[tuple[str, list[PreviewedChange]]]:
    """Group moves by track in the ruleset's order: pairs of the track's name and its moves, largest first."""
    names = {track.code: track.name for track in federation.ruleset.tracks}
    order = list(names)
    ordered = sorted(
        moves, key=lambda move: (order.index(move.track), -_points_moved(move), move.player.sort_key)
    )
    return [(_(names[track]), list(rows)) for track, rows in groupby(ordered, key=lambda move: move.track)]


def _points_moved(move: PreviewedChange) -> Decimal:
    """The points moved, to sort by; highest for a first rating, lowest where only the games change."""
    if move.first:
        return Decimal(10**6)
    return Decimal(-1) if move.points is None else abs(move.points)


def hash_preview_state(office: Federation, day: date, *about: object) -> str:
    """Return a digest of what a preview depends on: journal, rules, day, and what the decision is `about`."""
    ledger = Ledger.objects.get(federation=office)
    parts = [ledger.facts, ledger.done, ledger.wanted, ledger.rules, day.isoformat(), *about]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


# ---- Previewing ranks and the next lists
class ListPlace(NamedTuple):
    rank: int
    rating: Decimal


@dataclass(frozen=True, slots=True)
class ListPlaceShift:
    """A player's place on the next list without the section and with it; None: not on it."""

    player: Player
    without: ListPlace | None
    with_it: ListPlace | None


@dataclass(frozen=True, slots=True)
class NextList:
    track: str
    players: int
    shifts: list[ListPlaceShift]
    """Players whose rating changes in the digits shown, the largest changes first, up to the limit."""
    moved: int
    """The number of such players without the limit."""
    displaced: int
    """The number of others whose place would change though their rating does not."""


def ranks_gained(
    federation: Federation, fold_preview: FoldPreview, on: date
) -> list[tuple[Player, str, str]]:
    """The ranks that officials would have to confirm after the section and not now: player, rank, clause."""
    if not federation.ruleset.journal.ranks:
        return []
    people = {player for player, _track in fold_preview.state.standings}
    rules = federation.ruleset.edition_on(on).rules
    now = _ranks_to_confirm(rules.tables(state_before(federation, AFTER_EVERYTHING, people), on))
    gained = _ranks_to_confirm(rules.tables(fold_preview.state, on)) - now
    players = get_players_by_number(federation, {player for player, _rank, _clause in gained})
    return [(players[player], rank, clause) for player, rank, clause in sorted(gained) if player in players]


def _ranks_to_confirm(tables: Iterable[facts.RuleTable]) -> set[tuple[str, str, str]]:
    return {
        (str(cells["player"]), str(cells["rank"]), str(cells["clause"]))
        for table in tables
        if table.confirms
        for cells in (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    }


def compare_next_lists(
    plan: RatingPlan, fold_preview: FoldPreview, on: date, most_players: int = 20
) -> list[NextList]:
    """Compare the lists as they would close that day without and with the section; `most`: players each."""
    federation = plan.federation
    ruleset = federation.ruleset
    touched = {track for _player, track in fold_preview.state.standings}
    tracks = [track.code for track in ruleset.tracks if track.code in touched]
    # The state with everybody's standing now, in these tracks alone.
    now: State[Any] = State(wide=newest_wide(federation, AFTER_EVERYTHING))
    rows = Standing.objects.filter(federation=federation, track__in=tracks)
    for number, track, text in rows.values_list("player__number", "track", "state").iterator(5_000):
        now.put((number, track), ruleset.storage.load(track, text))
    then = State(dict(now.standings), fold_preview.state.wide, set(now.due))
    for key, standing in fold_preview.state.standings.items():
        then.put(key, standing)
    closing = Placed(plan.section.number + 1, ListClosing(on))
    found = (
        _next_list(
            federation,
            track,
            _close_list(ruleset, now, closing),
            _close_list(ruleset, then, closing),
            on,
            most_players,
        )
        for track in tracks
    )
    return [each for each in found if each.moved or each.displaced]


def _close_list(ruleset: Ruleset, state: State[Any], closing: Placed) -> State[Any]:
    """Return the state after the closing of a list, which may add waiting points; `state` is not changed."""
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
    moved.sort(key=lambda name: (-_distance(before.get(name), after.get(name)), name))
    others = (before.keys() & after.keys()).difference(moved)
    displaced = sum(before[name].rank != after[name].rank for name in others)
    people = get_players_by_number(federation, islice(moved, most))
    shifts = [
        ListPlaceShift(people[name], before.get(name), after.get(name))
        for name in moved[:most]
        if name in people
    ]
    return NextList(track, len(after), shifts, len(moved), displaced)


def _next_rating(listed: dict[PlayerId, ListPlace], name: PlayerId, places: int) -> Decimal | None:
    return round_rating(listed[name].rating, places) if name in listed else None


def _distance(before: ListPlace | None, after: ListPlace | None) -> Decimal:
    """How far a rating moves, to sort by; highest for players who enter or leave the list."""
    return abs(after.rating - before.rating) if before and after else Decimal(10**6)


# ---- Previewing a merge of two register entries, or its reversal
@dataclass(frozen=True, slots=True)
class MergePreview:
    """The effects of merging or parting two entries."""

    seen: FoldPreview
    sections: int
    """The number of rated sections to be folded again, whether their ratings change or not."""


def preview_merge(
    player: Player,
    into: Player,
    *,
    most_sections: int = MOST_FOLDED,
    on_progress: ProgressCallback | None = None,
) -> MergePreview:
    """Preview merging `player` into `into`. Stored ratings of `player` are compared as those of `into`.

    `most`: the number of rated sections that are folded at most; `tell`: called for each fact folded.
    """
    names = {**aliases(into.federation), player.number: into.number}
    people = [*list_entry_and_merged(player), *list_entry_and_merged(into)]
    plan = _plan_merging(into.federation, people, names, _register_line(into), most_sections)
    return _preview(plan, {each.number: into.number for each in list_entry_and_merged(player)}, on_progress)


def preview_parting(
    player: Player, *, most_sections: int = MOST_FOLDED, on_progress: ProgressCallback | None = None
) -> MergePreview:
    """Preview taking back the merge of `player` into another entry; `most`, `tell`: see `preview_merge`."""
    federation = player.federation
    names = {number: into for number, into in aliases(federation).items() if number != player.number}
    people = list_entry_and_merged(player.merged_into) if player.merged_into else []
    return _preview(_plan_merging(federation, people, names, [], most_sections), {}, on_progress)


def _preview(
    plan: FoldPlan, merged: Mapping[PlayerId, PlayerId], tell: ProgressCallback | None = None
) -> MergePreview:
    if not plan.due:
        return MergePreview(FoldPreview(), 0)
    again = Fact.objects.filter(federation=plan.federation, kind="rated", order__gte=plan.start)
    return MergePreview(preview_fold(plan, merged=merged, on_progress=tell), again.in_force().count())


def _plan_merging(
    federation: Federation,
    people: Collection[Player],
    names: Mapping[PlayerId, PlayerId],
    added: Sequence[DueFact],
    most: int = MOST_FOLDED,
) -> FoldPlan:
    """Plan a fold with other merges (`names`) of these entries, and with facts that the decision adds."""
    ruleset, away = federation.ruleset, get_unfolded_line_numbers(federation, names)
    rows = _lines_naming(federation, people).select_related("takes", "first_rated").order_by("order")
    otherwise = [row for row in rows if _fingerprint(federation, row, names, away) != row.folded]
    back = [row.pk for row in otherwise if row.number not in away]
    rows = Fact.objects.filter(federation=federation, order__isnull=False).exclude(number__in=away)
    rows = rows.filter(~Q(fingerprint="") | Q(pk__in=back), taken_back=None)
    rows = rows.select_related("takes", "first_rated", "section__event")
    if ruleset.journal.annotate is None:
        start = min((row.order for row in otherwise if row.order is not None), default=None)
        if start is None:
            return FoldPlan(federation, 0, [], 0)
        behind = rows.filter(order__gte=start).order_by("order")
        seen = limit_sections(behind, most)
        due = sort_due(ruleset, [*read_due(federation, seen, names), *added])
        return FoldPlan(federation, start, due, behind.count() - seen.count())
    everything = sort_due(ruleset, [*read_due(federation, rows, names), *added])
    gone = min((row.order for row in otherwise if row.number in away and row.order is not None), default=None)
    due = everything[_first_difference(ruleset, everything) :]
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
    return journal.fingerprint(build_foldable_fact(row, names), federation.ruleset)


def _lines_naming(federation: Federation, people: Collection[Player]) -> FactQuerySet:
    """The folded lines that name any of these entries, among them lines that a merge puts away."""
    sections = Entry.objects.filter(IN_RATED_SECTION, player__in=people).values("section")
    subjects = {each.number for each in people}
    named = Q(kind__in=("player", "opening", "rank"), subject__in=subjects) | Q(kind="playoff")
    rated = Q(kind="rated", section__in=sections, taken_back=None)
    return Fact.objects.filter(named | rated, federation=federation, order__isnull=False)


def _register_line(into: Player) -> list[DueFact]:
    """The player line that merging writes, in a list; empty if the rules or the journal do not need it."""
    federation = into.federation
    if "player" not in federation.ruleset.journal.folds:
        return []
    stays = player_fact(into)
    if newest_player_lines(federation, [into.number]).get(into.number) == sealed_line(
        stays, federation.ruleset
    ):
        return []
    number = Ledger.objects.get(federation=federation).facts + 1
    return [DueFact(facts.Placed(number, stays), None)]


# ---- Previewing the un-rating or the correction of a rated section
@dataclass(frozen=True, slots=True)
class UnratingPreview:
    seen: FoldPreview
    """The later sections that would get other ratings."""
    ratings: list[CorrectedPlayerRating] = field(default_factory=list)
    """Every rating that would change in the digits shown; empty if not all was folded (`seen.unseen`)."""


def preview_unrating(section: Section, on: date) -> UnratingPreview:
    """Fold the journal without a rated section."""
    federation, fact = section.event.federation, find_rated_fact(section)
    if fact is None or fact.order is None:
        return UnratingPreview(FoldPreview())
    plan = _plan_replacing(federation, fact, [])
    seen = preview_fold(plan)
    return UnratingPreview(seen, [] if seen.unseen else _changed_ratings(plan, seen, fact, on))


@dataclass(frozen=True, slots=True)
class SectionCorrectionPreview:
    """The effects of correcting a rated section and rating it again."""

    applied: AppliedCorrections
    seen: FoldPreview = field(default_factory=FoldPreview)
    """The later sections that would get other ratings."""
    ratings: list[CorrectedPlayerRating] = field(default_factory=list)
    """Every rating that would change in the digits shown; empty if not all was folded (`seen.unseen`)."""

    @property
    def allowed(self) -> list[Finding]:
        """The waivable findings that the correction brings: the office would allow them."""
        return [each for each in self.applied.found if each.level == "waivable"]


def preview_section_correction(
    section: Section, changes: Sequence[FiledChange], on: date, births: Births = NO_BIRTHS
) -> SectionCorrectionPreview:
    """Fold the journal with a rated section as it would be corrected.

    Raises `Refused` where a change cannot be made, and `Incomplete` for an incomplete section.
    """
    federation, fact = section.event.federation, find_rated_fact(section)
    applied, added = _correct_in_memory(section.pk, changes, on, births)
    if fact is None or fact.order is None:
        return SectionCorrectionPreview(applied)
    plan = _plan_replacing(federation, fact, added)
    seen = preview_fold(plan)
    return SectionCorrectionPreview(
        applied, seen, [] if seen.unseen else _changed_ratings(plan, seen, fact, on)
    )


def _correct_in_memory(
    key: int, changes: Sequence[FiledChange], on: date, births: Births
) -> tuple[AppliedCorrections, list[facts.Fact]]:
    """Return the corrections, and the facts that approval would then add; writes and locks nothing."""
    section = Section.objects.select_related("event__federation").get(pk=key)
    with rows_in_memory(section):
        resolve_merged_players(section)
        applied = apply_changes_in_memory(section, changes)
        return applied, facts_to_add(section, get_new_line_day(section.event.federation, on), births)


def _plan_replacing(federation: Federation, fact: Fact, added: list[facts.Fact]) -> FoldPlan:
    """Plan a fold with these facts in place of a rated section's; the place in the order may change."""
    assert fact.order is not None
    ruleset = federation.ruleset
    order = min([fact.order, *map(ruleset.journal.order_key, added)])
    rows = Fact.objects.filter(federation=federation).in_force().exclude(pk=fact.pk)
    rows = rows.select_related("takes", "first_rated", "section__event")
    if ruleset.journal.annotate is None:
        behind = rows.filter(order__gt=order).order_by("order")
        seen = limit_sections(behind)
        due = sort_due(ruleset, [*read_due(federation, seen), *new_due(added)])
        return FoldPlan(federation, order, due, behind.count() - seen.count())
    everything = sort_due(ruleset, [*read_due(federation, rows), *new_due(added)])
    keys = [ruleset.journal.order_key(each.fact) for each in everything]
    changed = (
        at for at, each in enumerate(everything) if keys[at] > order or has_other_fingerprint(ruleset, each)
    )
    at = next(changed, len(everything))
    return FoldPlan(federation, min([order, *keys[at : at + 1]]), everything[at:], 0)


def _changed_ratings(plan: FoldPlan, seen: FoldPreview, fact: Fact, on: date) -> list[CorrectedPlayerRating]:
    """The ratings that a fold without a rated section's fact changes in the digits shown."""
    federation = plan.federation
    own = Stored.objects.filter(fact=fact).values_list("player__number", flat=True)
    people = frozenset(own) | {player for player, _track in seen.state.standings}
    before, after = get_both_states(federation, plan.start, seen.state, people, folded=bool(plan.due))
    found = compute_differences(federation.ruleset, before, after, on)
    places = federation.publication.decimals
    shown = [each for each in found if round_rating(each.before, places) != round_rating(each.after, places)]
    return attach_players(federation, shown)


# ---- Previewing a correction of a register entry
@dataclass(frozen=True, slots=True)
class PlayerCorrectionPreview:
    seen: FoldPreview
    """Sections whose ratings would change, where the rules fold the register itself."""
    waiting: list[Section]
    """Sections with the player that are not rated yet: they are rated with the new particulars (D-6)."""


def preview_player_correction(player: Player) -> PlayerCorrectionPreview:
    """Preview saving a player's particulars as they stand on the object, unsaved."""
    open_sections = Section.objects.filter(entries__player=player)
    open_sections = open_sections.exclude(stage__in=(Stage.RATED, Stage.REFUSED)).distinct()
    waiting = list(open_sections.select_related("event__federation").order_by("starts", "pk"))
    plan = _plan_correction(player)
    return PlayerCorrectionPreview(preview_fold(plan) if plan else FoldPreview(), waiting)


def _plan_correction(player: Player) -> FoldPlan | None:
    """Plan a fold with the player's new line; None where no rating rests on such lines."""
    federation, line = player.federation, player_fact(player)
    ruleset = federation.ruleset
    if "player" not in ruleset.journal.folds:
        return None
    stands = newest_player_lines(federation, [player.number]).get(player.number)
    if stands in (None, sealed_line(line, ruleset)):
        return None
    number = Ledger.objects.get(federation=federation).facts + 1
    rows = Fact.objects.filter(federation=federation, order__isnull=False, taken_back=None)
    rows = rows.exclude(fingerprint="").select_related("takes", "first_rated", "section__event")
    due = [*read_due(federation, rows, aliases(federation)), DueFact(facts.Placed(number, line), None)]
    everything = sort_due(ruleset, due)
    again = everything[_first_difference(ruleset, everything) :]
    return FoldPlan(federation, ruleset.journal.order_key(again[0].fact) if again else 0, again, 0)
