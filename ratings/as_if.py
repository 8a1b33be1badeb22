"""Previews of decisions: the ratings before and after rating, correcting or un-rating a section, merging or
parting two entries of the register, or correcting a player's particulars.

Every decision adds facts to the journal, takes one away, or names players otherwise. `plan_fold` says which
facts would then be folded again; `compute_effects` folds them in memory by the very rules that will run, and
compares the outcome with the stored ratings. Nothing is written.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal, localcontext
from functools import partial
from itertools import chain, islice
from types import MappingProxyType
from typing import Any, NamedTuple, Self, TypeVar

from django.db.models import Q

from players.display import round_rating
from players.identity import list_entry_and_merged
from players.models import Federation, Ledger, Player
from players.register import player_fact
from players.writing import batches
from ratings import results
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
from ratings.lists import ListDifferences, compare_places, list_places, preview_revision
from ratings.models import Change as Stored, Fact, FactQuerySet, Standing
from ratings.pre_ratings import (
    NO_BIRTHS,
    Births,
    apply_birth_answer,
    compute_pre_ratings,
    get_unrated_without_pre,
)
from ratings.rule_tables import get_shown_tables
from ratings.rulesets import facts, journal
from ratings.rulesets.facts import Change, ListClosing, Needs, Placed, PlayerId, State
from ratings.rulesets.ruleset import CONTEXT, Ruleset
from ratings.statement import (
    Balance,
    Movement,
    SectionMovement,
    compute_differences,
    read_balances,
    sort_movements,
)
from tournaments.corrections import AppliedCorrections, Change as FiledChange, apply_changes_in_memory
from tournaments.entries import resolve_merged_players
from tournaments.models import IN_RATED_SECTION, Entry, Section, Stage
from tournaments.sections import entries_with_players, rows_in_memory, section_fact

# ---- Planning which facts to fold again
NOBODY_MERGED: Mapping[PlayerId, PlayerId] = MappingProxyType({})
AT_ONCE = 200
"""The number of facts whose changes are looked up together."""
MOST_RATINGS_KEPT = 200
"""The most ratings of a track that are named; all are counted."""
MOST_FOLDED = 400
"""The most rated sections that a preview folds; what stands behind them is counted."""
MOVES_SHOWN = 3
"""The number of moves of each fact that a preview names."""
PLAYERS_SHOWN = 20
"""The number of players of each list whose next places a preview names."""


class DueFact(NamedTuple):
    """A fact that a preview folds, with its row in the journal; None if the decision would only add it."""

    fact: facts.Fact
    row: Fact | None

    @property
    def adds_section(self) -> bool:
        """Whether the decision would rate a section by it."""
        return self.row is None and isinstance(self.fact, facts.RatedSection)


@dataclass(frozen=True, slots=True)
class FoldPlan:
    """The facts to fold after a decision, in order, from the first that differs."""

    federation: Federation
    start: int
    """The place in the order from which everything is folded again."""
    due: list[DueFact]
    unread: int = 0
    """The number of further facts behind the last of `due`."""
    sections: int = 0
    """The number of sections of the journal rated again, whether their ratings change or not."""
    at: int | None = None
    """The index in `due` of the first section that the decision would rate; None if it rates none."""
    removed: Fact | None = None
    """The line that the decision would take away."""
    on: date | None = None
    """The day as of which ratings before and after each such section are compared; None: they are not."""

    @property
    def section(self) -> facts.RatedSection:
        """The first section that the decision would rate, with the notes that its place gives."""
        assert self.at is not None
        fact = self.due[self.at].fact
        assert isinstance(fact, facts.RatedSection)
        return fact


def plan_fold(
    federation: Federation,
    added: Sequence[facts.Fact] = (),
    *,
    removed: Fact | None = None,
    names: Mapping[PlayerId, PlayerId] | None = None,
    people: Collection[Player] = (),
    most_sections: int = MOST_FOLDED,
) -> FoldPlan:
    """Plan a fold of the journal with these facts in it, without the line `removed`, and with the merges
    `names` (None: those of now), which read the lines of the entries `people` otherwise.

    It begins at the first fact that differs, and stops where more rated sections than `most_sections` would
    follow the last section that is added; with 0, at that.
    """
    ruleset, away = federation.ruleset, frozenset[int]()
    order_key = ruleset.journal.order_key
    rating = [order_key(fact) for fact in added if isinstance(fact, facts.RatedSection)]
    last = max(rating) if len(rating) > 1 else 0  # what lies between several is folded with them
    rows = Fact.objects.filter(federation=federation).in_force()
    places = [*map(order_key, added)]
    if names is not None:
        away = get_unfolded_line_numbers(federation, names)
        otherwise = _lines_read_otherwise(federation, people, names, away)
        places += [row.order for row in otherwise if row.order is not None]
        back = [row.pk for row in otherwise if row.number not in away]
        rows = Fact.objects.filter(federation=federation, order__isnull=False, taken_back=None)
        rows = rows.filter(~Q(fingerprint="") | Q(pk__in=back)).exclude(number__in=away)
    if removed is not None:
        rows = rows.exclude(pk=removed.pk)
        places += [] if removed.order is None else [removed.order]
    if not places:
        return FoldPlan(federation, AFTER_EVERYTHING, [])
    start, new = min(places), [DueFact(fact, None) for fact in added]
    rows = rows.select_related("takes", "first_rated", "section__event")
    if ruleset.journal.notes_of is None:
        behind = rows.filter(order__gte=start).order_by("order")
        between, beyond = behind.filter(order__lt=last), behind.filter(order__gte=last)
        seen = _limit_sections(beyond, most_sections) if most_sections else beyond.none()
        due = _sort_due(ruleset, [*_read_due(federation, chain(between, seen), names), *new])
        unread = beyond.count() - seen.count() if most_sections else 0
        sections = behind.filter(kind="rated").count()
        return FoldPlan(federation, start, due, unread, sections, next(_find_added(due), None), removed)
    # A fact may differ by its notes before the first place that the decision touches.
    everything = _sort_due(ruleset, [*_read_due(federation, rows, names), *new])
    differ = (
        number
        for number, each in enumerate(everything)
        if order_key(each.fact) >= start or _has_other_fingerprint(ruleset, each)
    )
    due = everything[next(differ, len(everything)) :]
    start = min([start, *(order_key(each.fact) for each in due[:1])])
    rated = [number for number, each in enumerate(due) if each.row and each.row.kind == "rated"]
    rating = [*_find_added(due)]
    end = _find_end(len(due), rated, max(rating, default=None), most_sections)
    at = min(rating, default=None)
    return FoldPlan(federation, start, due[:end], len(due) - end, len(rated), at, removed)


def _find_end(length: int, rated: Sequence[int], at: int | None, most_sections: int) -> int:
    """Where to end a fold of `length` facts with sections of the journal at the indexes `rated`, and at `at`
    the last section that is added: before one section too many behind it.
    """
    first = 0 if at is None else at + 1
    if not most_sections:
        return first or length
    return next(iter([number for number in rated if number >= first][most_sections:]), length)


def _find_added(due: Sequence[DueFact]) -> Iterator[int]:
    """Yield the indexes of the sections that a decision adds."""
    return (number for number, each in enumerate(due) if each.adds_section)


def plan_rating(
    section: Section, on: date, births: Births = NO_BIRTHS, most_sections: int = MOST_FOLDED
) -> FoldPlan:
    """Plan the rating of a section on a day. `births`: what an official says of births that the register does
    not know. Raises `Incomplete` for an incomplete section.
    """
    return plan_ratings([section], on, births, most_sections)


def plan_ratings(
    sections: Sequence[Section], on: date, births: Births = NO_BIRTHS, most_sections: int = MOST_FOLDED
) -> FoldPlan:
    """Plan the rating of several sections of an office on a day, approved one after the other; see
    `plan_rating`.
    """
    federation = sections[0].event.federation
    day, added = get_new_line_day(federation, on), list[facts.Fact]()
    for section in sections:
        added += facts_to_add(section, day, births, added)
    return replace(plan_fold(federation, added, most_sections=most_sections), on=on)


def facts_to_add(
    section: Section, on: date, births: Births = NO_BIRTHS, before: Sequence[facts.Fact] = ()
) -> list[facts.Fact]:
    """List the facts that approval would add: changed players, then the section, at its first place (D-2).
    `before`: those that earlier approvals would add to the journal.
    """
    federation = section.event.federation
    entries = entries_with_players(section)
    people = [entry.player for entry in entries if entry.player]
    record, unknown = compute_pre_ratings(federation, section_fact(section, entries=entries), people)
    if answered := [player for player in unknown if player.number in births]:
        for player in answered:
            apply_birth_answer(player, births[player.number])  # as approval will; nothing is saved here
        record, _unknown = compute_pre_ratings(federation, record, people)
    players = {fact.id: fact for fact in map(player_fact, people)}
    number = max(1, Ledger.objects.get(federation=federation).facts, *(each.number for each in before))
    known = newest_player_lines(federation, players)
    for each in before:
        if isinstance(each, facts.RatedSection):
            known |= {name: sealed_line(line, federation.ruleset) for name, line in each.players.items()}
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


def _sort_due(ruleset: Ruleset, due: Iterable[DueFact]) -> list[DueFact]:
    rows = {each.fact.number: each for each in due}
    ordered = ruleset.sort_for_fold(each.fact for each in rows.values())
    return [DueFact(fact, rows[fact.number].row) for fact in ordered]


def _read_due(
    federation: Federation, rows: Iterable[Fact], names: Mapping[PlayerId, PlayerId] | None = None
) -> Iterator[DueFact]:
    """Yield rows of the journal as facts to fold; `names`: merged players, if other than now."""
    names = aliases(federation) if names is None else names
    for row in rows:
        row.federation = federation
        yield DueFact(build_foldable_fact(row, names), row)


def _limit_sections(rows: FactQuerySet, most_sections: int) -> FactQuerySet:
    """Cut the rows after that many rated sections."""
    beyond = rows.filter(kind="rated").values_list("order", flat=True)[most_sections : most_sections + 1]
    return rows.filter(order__lt=beyond[0]) if beyond else rows


def _has_other_fingerprint(ruleset: Ruleset, due: DueFact) -> bool:
    return due.row is None or journal.fingerprint(due.fact, ruleset) != due.row.folded


def _lines_read_otherwise(
    federation: Federation,
    people: Collection[Player],
    names: Mapping[PlayerId, PlayerId],
    away: Collection[int],
) -> list[Fact]:
    """The lines that name any of these entries and are another fact with these merges, or none (`away`)."""
    sections = Entry.objects.filter(IN_RATED_SECTION, player__in=people).values("section")
    subjects = {each.number for each in people}
    named = Q(kind__in=("player", "opening", "rank"), subject__in=subjects) | Q(kind="playoff")
    rated = Q(kind="rated", section__in=sections, taken_back=None)
    rows = Fact.objects.filter(named | rated, federation=federation, order__isnull=False)
    found = []
    for row in rows.select_related("takes", "first_rated"):
        row.federation = federation
        with_them = (
            ""
            if row.number in away
            else journal.fingerprint(build_foldable_fact(row, names), federation.ruleset)
        )
        if with_them != row.fingerprint:
            found.append(row)
    return found


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
class AffectedFact:
    """A fact in the journal after which ratings would differ from the stored ones, in the digits shown."""

    line: int
    section: int | None
    """The key of the section that it rates."""
    players: int
    """The number of players whose ratings would differ."""
    largest: list[results.RatingDifference]
    """The ratings after the fact with its points, now and then."""


@dataclass(slots=True)
class Effects:
    """The effects of a decision on ratings: who moves, from what to what, and what is rated again."""

    sections_moved: list[tuple[facts.RatedSection, list[SectionMovement]]] = field(default_factory=list)
    """The sections that the decision would rate, in the order of the fold, each with the ratings before and
    after it as of the plan's day.
    """
    rerated: list[AffectedFact] = field(default_factory=list)
    """The facts of the journal that would give other ratings."""
    sections: int = 0
    """The number of sections that would be rated again, whether their ratings change or not."""
    unseen: int = 0
    """The number of later facts that were not folded, because there are too many."""
    ratings: list[results.RatingDifference] = field(default_factory=list)
    """With `on`: the ratings that would change that day in the digits shown, the largest changes first; none
    if not all was folded.
    """
    moved: dict[str, int] = field(default_factory=dict)
    """The number of all such ratings, by track."""
    state: State[Any] = field(default_factory=State)
    """The state after the last folded fact, of everybody whom those facts read or moved."""
    unstated: set[PlayerId] = field(default_factory=set)
    """Players who would get the pre-rating of a man without an age, because none was ever stated (§58)."""

    @property
    def together(self) -> list[SectionMovement]:
        """The ratings before the first of these sections and after the last, the largest moves first."""
        found: dict[tuple[PlayerId, str], SectionMovement] = {}
        for each in (move for _section, moves in self.sections_moved for move in moves):
            key = each.player, each.track
            first = found.get(key, each).movement
            found[key] = replace(each, movement=Movement(first.before, each.movement.after))
        return sort_movements(list(found.values()))

    @property
    def own(self) -> list[SectionMovement]:
        """The ratings before and after the section, where the decision would rate one alone."""
        return [move for _section, moves in self.sections_moved[:1] for move in moves]

    def as_json(self) -> dict[str, Any]:
        """What pages show of it, without names; of each track `MOST_RATINGS_KEPT` ratings."""
        rated = ((each.section, each.players, each.largest) for each in self.rerated if each.section)
        return {
            "rerated": [[key, players, [each.as_json() for each in moves]] for key, players, moves in rated],
            "sections": self.sections,
            "unseen": self.unseen,
            "ratings": [
                each.as_json()
                for track in self.moved
                for each in islice((each for each in self.ratings if each.track == track), MOST_RATINGS_KEPT)
            ],
            "moved": self.moved,
            "unstated": sorted(self.unstated),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        rerated = [
            AffectedFact(0, key, players, [results.RatingDifference.from_json(each) for each in moves])
            for key, players, moves in stored["rerated"]
        ]
        ratings = [results.RatingDifference.from_json(each) for each in stored["ratings"]]
        read = {"rerated": rerated, "ratings": ratings, "unstated": set(stored["unstated"])}
        return cls(**{**stored, **read})


ProgressCallback = Callable[[int, int], object]
"""A callback for progress: the number of facts folded so far, and their total."""


def compute_effects(
    plan: FoldPlan,
    *,
    on: date | None = None,
    merged: Mapping[PlayerId, PlayerId] = NOBODY_MERGED,
    on_progress: ProgressCallback | None = None,
) -> Effects:
    """Fold a plan's facts and compare what they give with what is stored.

    `on`: the day of which to compare all ratings. `merged`: numbers whose stored ratings are compared as
    those of another player. `on_progress`: called for each fact that is folded.
    """
    found = Effects(sections=plan.sections, unseen=plan.unread)
    steps = _report(_fold(plan, found), on_progress, len(plan.due))
    for some in batches(steps, AT_ONCE):
        stored = _stored_ratings([each.row for each, _changes, _after in some if each.row], merged)
        for each, changes, state in some:
            found.state = state
            if each.row and (rerated := _compare(plan.federation, each.row, stored[each.row.pk], changes)):
                found.rerated.append(rerated)
    if on is not None and not found.unseen:
        found.ratings = _changed_ratings(plan, found.state, on, merged.keys())
        found.moved = dict(Counter(each.track for each in found.ratings))
    return found


def _report(steps: Iterator[Step], on_progress: ProgressCallback | None, total: int) -> Iterator[Step]:
    """Yield the same steps, and call `on_progress` for each."""
    for done, step in enumerate(steps, start=1):
        if on_progress is not None:
            on_progress(done, total)
        yield step


def _fold(plan: FoldPlan, found: Effects) -> Iterator[tuple[DueFact, list[Change[Any]], State[Any]]]:
    """Yield each fact with its changes and the state after it; note who has no pre-rating, and the ratings
    before and after the section that is added.
    """
    ruleset, state = plan.federation.ruleset, _state(plan, plan.due)
    steps = ruleset.fold([each.fact for each in plan.due], state)
    for each in plan.due:
        found.unstated.update(get_unrated_without_pre(ruleset, state, each.fact))
        before = State(dict(state.standings), state.wide) if each.adds_section and plan.on else None
        _fact, changes, _after = next(steps)
        if before is not None and plan.on:
            assert isinstance(each.fact, facts.RatedSection)
            moves = compare_section(ruleset, before, state, changes, plan.on)
            found.sections_moved.append((each.fact, moves))
        yield each, changes, state


def compare_section(
    ruleset: Ruleset, before: State[Any], after: State[Any], changes: Collection[Change[Any]], on: date
) -> list[SectionMovement]:
    """What a section makes of ratings as of a day, the largest moves first."""
    players = {each.player for each in changes}
    earlier, later = (
        read_balances(
            ruleset,
            State({key: each for key, each in state.standings.items() if key[0] in players}, state.wide),
            on,
        )
        for state in (before, after)
    )
    keys = {(each.player, each.track): each.after.games for each in changes}
    found = [
        SectionMovement(*key, Movement(earlier.get(key, Balance()), later.get(key, Balance())), True, games)
        for key, games in keys.items()
    ]
    return sort_movements(found)


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
    moved = results.sort_differences(
        results.RatingDifference(*key, now.get(key), then.get(key)) for key in keys
    )
    return AffectedFact(
        row.number, row.section_id, len({player for player, _track in keys}), moved[:MOVES_SHOWN]
    )


def _changed_ratings(
    plan: FoldPlan, folded_to: State[Any], on: date, merged: Collection[PlayerId]
) -> list[results.RatingDifference]:
    """The ratings that a whole fold to that state changes in the digits shown; `merged` lose theirs."""
    federation = plan.federation
    own = Stored.objects.filter(fact=plan.removed).values_list("player__number", flat=True)
    people = frozenset(own).union(merged, (player for player, _track in folded_to.standings))
    before, after = results.get_both_states(federation, plan.start, folded_to, people, folded=bool(plan.due))
    found = compute_differences(federation.ruleset, before, after, on)
    places = federation.publication.decimals
    return [each for each in found if round_rating(each.before, places) != round_rating(each.after, places)]


def explain_previewed_change(plan: FoldPlan, player: PlayerId, track: str) -> facts.Working:
    """Explain the change that the section would make to a player's rating."""
    rules, state = plan.federation.ruleset.rules_for(plan.section), state_before_section(plan)
    with localcontext(CONTEXT):
        return rules.explain(state, plan.section, player, track)


def state_before_section(plan: FoldPlan) -> State[Any]:
    """The state from which the section that the decision adds would be rated."""
    assert plan.at is not None
    state = _state(plan, plan.due[: plan.at + 1])
    for _step in plan.federation.ruleset.fold([each.fact for each in plan.due[: plan.at]], state):
        pass
    return state


def _state(plan: FoldPlan, due: list[DueFact]) -> State[Any]:
    """The state before the plan's first fact, with everybody whose standing these facts read."""
    rules = plan.federation.ruleset.rules_for
    needs = union_needs(rules(each.fact).needs(each.fact) for each in due)
    return results.state_before(plan.federation, plan.start, needs)


# ---- Previewing the rating of a section
def preview_rating(section: Section, on: date, births: Births = NO_BIRTHS) -> Effects:
    """Preview rating the section; of what is rated again, the number alone. `births`: what an official says
    of births that the register does not know. Raises `Incomplete` for an incomplete section.
    """
    return compute_effects(plan_rating(section, on, births, most_sections=0))


def hash_preview_state(office: Federation, day: date, *about: object) -> str:
    """Return a digest of what a preview depends on: journal, rules, day, and what the decision is `about`."""
    ledger = Ledger.objects.get(federation=office)
    parts = [ledger.facts, ledger.done, ledger.wanted, ledger.rules, day.isoformat(), *about]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


# ---- Previewing ranks and the next lists
def ranks_gained(federation: Federation, effects: Effects, on: date) -> list[tuple[Player, str, str]]:
    """The ranks that officials would have to confirm after the section and not now: player, rank, clause."""
    if not federation.ruleset.journal.ranks:
        return []
    people = {player for player, _track in effects.state.standings}
    rules = federation.ruleset.edition_on(on).rules
    now = _ranks_to_confirm(rules.tables(results.state_before(federation, AFTER_EVERYTHING, people), on))
    gained = _ranks_to_confirm(rules.tables(effects.state, on)) - now
    players = get_players_by_number(federation, {player for player, _rank, _clause in gained})
    return [(players[player], rank, clause) for player, rank, clause in sorted(gained) if player in players]


def _ranks_to_confirm(tables: Iterable[facts.RuleTable]) -> set[tuple[str, str, str]]:
    return {
        (str(cells["player"]), str(cells["rank"]), str(cells["clause"]))
        for table in tables
        if table.confirms
        for cells in (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    }


def compare_next_lists(plan: FoldPlan, effects: Effects, on: date) -> list[ListDifferences]:
    """Compare the lists as they would close that day without and with the section."""
    federation = plan.federation
    ruleset, rules = federation.ruleset, federation.ruleset.edition_on(on).rules
    touched = {track for _player, track in effects.state.standings}
    tracks = [track.code for track in ruleset.tracks if track.code in touched]
    # The state with everybody's standing now, in these tracks alone.
    now: State[Any] = State(wide=results.newest_wide(federation, AFTER_EVERYTHING))
    rows = Standing.objects.filter(federation=federation, track__in=tracks)
    for number, track, text in rows.values_list("player__number", "track", "state").iterator(5_000):
        now.put((number, track), ruleset.storage.load(track, text))
    then = State(dict(now.standings), effects.state.wide, set(now.due))
    for key, standing in effects.state.standings.items():
        then.put(key, standing)
    closing = Placed(plan.section.number + 1, ListClosing(on))
    found = []
    for track in tracks:
        with localcontext(CONTEXT):
            without, with_it = (
                list_places(rules.rating_list(_close_list(ruleset, state, closing), track, on))
                for state in (now, then)
            )
        found.append(compare_places(federation, track, without, with_it, PLAYERS_SHOWN))
    return [each for each in found if each.count]


def _close_list(ruleset: Ruleset, state: State[Any], closing: Placed) -> State[Any]:
    """Return the state after the closing of a list, which may add waiting points; `state` is not changed."""
    after = State(dict(state.standings), state.wide, set(state.due))
    after.absorb(ruleset.apply(state, closing))
    return after


# ---- Previewing a merge of two register entries, or its reversal
def preview_merge(
    player: Player,
    into: Player,
    on: date,
    *,
    most_sections: int = MOST_FOLDED,
    on_progress: ProgressCallback | None = None,
) -> Effects:
    """Preview merging `player` into `into`. What sections gave `player` is compared as that of `into`.

    `most_sections`, `on_progress`: see `plan_fold` and `compute_effects`.
    """
    own = list_entry_and_merged(player)
    plan = plan_fold(
        into.federation,
        _register_line(into),
        names={**aliases(into.federation), player.number: into.number},
        people=[*own, *list_entry_and_merged(into)],
        most_sections=most_sections,
    )
    merged = {each.number: into.number for each in own}
    return compute_effects(plan, on=on, merged=merged, on_progress=on_progress)


def preview_parting(
    player: Player,
    on: date,
    *,
    most_sections: int = MOST_FOLDED,
    on_progress: ProgressCallback | None = None,
) -> Effects:
    """Preview taking back the merge of `player` into another entry; limits and progress as in
    `preview_merge`.
    """
    federation = player.federation
    plan = plan_fold(
        federation,
        names={number: into for number, into in aliases(federation).items() if number != player.number},
        people=list_entry_and_merged(player.merged_into) if player.merged_into else [],
        most_sections=most_sections,
    )
    return compute_effects(plan, on=on, on_progress=on_progress)


def _register_line(into: Player) -> list[facts.Fact]:
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
    return [Placed(number, stays)]


# ---- Previewing the un-rating or the correction of a rated section
def preview_unrating(section: Section, on: date) -> Effects:
    """Fold the journal without a rated section."""
    fact = results.find_rated_fact(section)
    if fact is None or fact.order is None:
        return Effects()
    return compute_effects(plan_fold(section.event.federation, removed=fact), on=on)


class TableDifference(NamedTuple):
    """A player's row in a table of the rules, such as a season's or that of ranks, before and after."""

    table: facts.RuleTable
    """The table with the row, as it would be; as it is now where the row goes."""
    player: PlayerId
    before: tuple[Any, ...] | None
    after: tuple[Any, ...] | None


@dataclass(frozen=True, slots=True)
class CorrectionPreview:
    """What correcting a rated section would bring."""

    applied: AppliedCorrections
    effects: Effects
    tables: list[TableDifference]
    """Empty also where not all was folded (`Effects.unseen`)."""
    first: facts.RatedSection | None
    """The section as it was rated first."""
    stored: facts.Section
    """The section as it is stored now."""
    then: facts.RatedSection
    """The section as it would be rated again."""


def preview_section_correction(
    section: Section, changes: Sequence[FiledChange], on: date
) -> CorrectionPreview:
    """Fold the journal with a rated section as it would be corrected.

    Raises `Refused` where a change cannot be made, and `Incomplete` for an incomplete section.
    """
    federation, fact = section.event.federation, results.find_rated_fact(section)
    applied, added = _correct_in_memory(section.pk, changes, on)
    then, earlier = added[-1], Fact.objects.first_rating(federation, section.key)
    assert isinstance(then, facts.RatedSection)
    first = build_foldable_fact(earlier) if earlier and earlier.takes else None
    effects, tables = Effects(), []
    if fact is not None and fact.order is not None:
        plan = plan_fold(federation, added, removed=fact)
        effects = compute_effects(plan, on=on)
        tables = compare_tables(plan, effects, on)
    return CorrectionPreview(
        applied,
        effects,
        tables,
        first if isinstance(first, facts.RatedSection) else None,
        section_fact(section, draft=True),
        then,
    )


def compare_tables(plan: FoldPlan, effects: Effects, on: date) -> list[TableDifference]:
    """Compare the tables of the rules that pages show, as they are and with a plan's whole fold."""
    federation = plan.federation
    if effects.unseen:
        return []
    own = Stored.objects.filter(fact=plan.removed).values_list("player__number", flat=True)
    people = frozenset(own) | {player for player, _track in effects.state.standings}
    now = results.state_before(federation, AFTER_EVERYTHING)
    _now, moved = results.get_both_states(
        federation, plan.start, effects.state, people, folded=bool(plan.due)
    )
    then: State[Any] = State(wide=moved.wide)
    kept = ((key, standing) for key, standing in now.standings.items() if key[0] not in people)
    for key, standing in (*kept, *moved.standings.items()):
        then.put(key, standing)
    before, after = (
        {(table.name, table.part): table for table in get_shown_tables(federation, on, state)}
        for state in (now, then)
    )
    return [
        TableDifference(after.get(key) or before[key], player, old, new)
        for key in {**before, **after}
        for player, old, new in _differing_rows(before.get(key), after.get(key))
    ]


def _differing_rows(
    before: facts.RuleTable | None, after: facts.RuleTable | None
) -> Iterator[tuple[PlayerId, tuple[Any, ...] | None, tuple[Any, ...] | None]]:
    old, new = _rows_by_player(before), _rows_by_player(after)
    for player in {**new, **old}:
        if old.get(player) != new.get(player):
            yield player, old.get(player), new.get(player)


def _rows_by_player(table: facts.RuleTable | None) -> dict[PlayerId, tuple[Any, ...]]:
    """The rows of a table by player; of a player with several, the first."""
    if table is None or "player" not in table.columns:
        return {}
    column = table.columns.index("player")
    return {str(row[column]): row for row in reversed(table.rows)}


def preview_corrected_list(
    section: Section, changes: Sequence[FiledChange], on: date, list_day: date, most_rows: int | None = None
) -> list[ListDifferences]:
    """What the list of a day, published again with a rated section corrected, would say otherwise (D-2)."""
    federation = section.event.federation
    ruleset = federation.ruleset
    _applied, added = _correct_in_memory(section.pk, changes, on)
    rated, day = added[-1], get_new_line_day(federation, on)
    assert isinstance(rated, facts.RatedSection)
    known = newest_player_lines(federation, rated.players)
    people = [sealed_line(rated.players[name], ruleset) for name in sorted(rated.players)]
    further = [
        sealed_line(facts.Unrated(rated.section.id, day, "result"), ruleset),
        *(line for line in people if line not in known.values()),
        sealed_line(rated.section, ruleset),
        sealed_line(facts.Rated(rated.section.id, day), ruleset),
    ]
    return preview_revision(federation, list_day, on, most_rows, further)


def _correct_in_memory(
    key: int, changes: Sequence[FiledChange], on: date
) -> tuple[AppliedCorrections, list[facts.Fact]]:
    """Return the corrections, and the facts that approval would then add; writes and locks nothing."""
    section = Section.objects.select_related("event__federation").get(pk=key)
    with rows_in_memory(section):
        resolve_merged_players(section)
        applied = apply_changes_in_memory(section, changes)
        return applied, facts_to_add(section, get_new_line_day(section.event.federation, on))


# ---- Previewing a correction of a register entry
def preview_player_correction(player: Player, on: date) -> Effects:
    """Preview saving a player's particulars on a day as they stand on the object, unsaved. Ratings change
    where the rules fold the register itself.
    """
    federation, line = player.federation, player_fact(player)
    ruleset = federation.ruleset
    if "player" not in ruleset.journal.folds:
        return Effects()
    stands = newest_player_lines(federation, [player.number]).get(player.number)
    if stands in (None, sealed_line(line, ruleset)):
        return Effects()
    number = Ledger.objects.get(federation=federation).facts + 1
    return compute_effects(plan_fold(federation, [Placed(number, line)]), on=on)


def list_sections_to_rate(player: Player) -> list[Section]:
    """The sections with a player that are not rated yet: they are rated with new particulars (D-6)."""
    found = Section.objects.filter(entries__player=player)
    found = found.exclude(stage__in=(Stage.RATED, Stage.REFUSED)).distinct()
    return list(found.select_related("event__federation").order_by("starts", "pk"))
