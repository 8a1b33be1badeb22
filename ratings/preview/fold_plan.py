"""Folds the journal as it would be after a decision, from the first fact that differs, by the rules that will
run.

Shows which later sections would be rated again, and how. Nothing is written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, localcontext
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from players.drawing.rating_digits import as_shown
from players.office.models import Federation, Ledger
from players.register.models import Player
from players.register.player_line import player_fact
from ratings.journal.append import day_of, newest_lines, sealed_line
from ratings.journal.models import Fact, FactQuerySet
from ratings.journal.named_players import named
from ratings.journal.pre_ratings import own_pres, stated_before, with_merges
from ratings.journal.read_facts import aliases, folded_fact
from ratings.law import facts, journal, reports
from ratings.law.facts import Change, Needs, Placed, PlayerId, State
from ratings.law.ruleset import CONTEXT, Ruleset
from ratings.results.models import Change as Stored
from ratings.results.pre_rating_statement import NO_BIRTHS, Births, for_want_of_any, learn, state_pres
from ratings.results.standings import state_before
from ratings.storage.bulk_writing import batches
from tournaments.events.models import Section
from tournaments.events.section_line import section_fact

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
    rows = rows.select_related("takes", "section__event")
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
    """The facts that approving a section would add: players whose particulars changed, then the section."""
    federation = section.event.federation
    entries = section.entries.select_related("player__federation", "player__region")
    people = [entry.player for entry in entries if entry.player]
    record, unknown = state_pres(federation, section_fact(section), people)
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
    return [*added, facts.RatedSection(number + 2, on, record, players, pres=pres)]


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


def up_to_limit(rows: FactQuerySet) -> FactQuerySet:
    """Cut the rows after as many rated sections as a preview folds at most."""
    beyond = rows.filter(kind="rated").values_list("order", flat=True)[MOST_FOLDED : MOST_FOLDED + 1]
    return rows.filter(order__lt=beyond[0]) if beyond else rows


def differs(ruleset: Ruleset, due: Due) -> bool:
    return due.row is None or journal.fingerprint(due.fact, ruleset) != due.row.folded


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


def previewed_changes(plan: RatingPlan) -> list[Change[Any]]:
    """The changes that the section itself would make."""
    *_, (_each, changes, _state) = _fold(plan, plan.due[: plan.at + 1])
    return changes


def previewed_working(plan: RatingPlan, player: PlayerId, track: str) -> reports.Working:
    """The working of the change that the section would make to a player's rating."""
    rules = plan.federation.ruleset.rules_for(plan.section)
    state = _state(plan, plan.due[: plan.at + 1])
    for _step in plan.federation.ruleset.fold([each.fact for each in plan.due[: plan.at]], state):
        pass
    with localcontext(CONTEXT):
        return rules.explain(state, plan.section, player, track)


def preview_fold(
    plan: FoldPlan, largest: int = 3, merged: Mapping[PlayerId, PlayerId] = NOBODY_MERGED
) -> FoldPreview:
    """Fold a plan's facts and find each one that would give other ratings than those stored.

    `largest`: the number of moves told of each. `merged`: numbers whose stored ratings are compared as those
    of another player.
    """
    own = plan.section.number if isinstance(plan, RatingPlan) else None
    seen = plan.due[: plan.at + 1 + MOST_FOLDED] if isinstance(plan, RatingPlan) else plan.due
    found = FoldPreview(unseen=len(plan.due) - len(seen) + plan.unread)
    for some in batches(_fold(plan, seen, found.unstated), AT_ONCE):
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


def _state(plan: FoldPlan, due: list[Due]) -> State[Any]:
    """The state before the plan's first fact, with everybody whose standing these facts read."""
    rules = plan.federation.ruleset.rules_for
    needs = needed_by_all(rules(each.fact).needs(each.fact) for each in due)
    return state_before(plan.federation, plan.start, needs)


def needed_by_all(needs: Iterable[frozenset[PlayerId] | Needs]) -> frozenset[PlayerId] | Needs:
    """The players whose standings several facts read; everybody, once a fact asks for more than names."""
    names: set[PlayerId] = set()
    for each in needs:
        if isinstance(each, Needs):
            return Needs.EVERYONE
        names |= each
    return frozenset(names)


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
    moved.sort(key=lambda each: (-abs(each.by or Decimal(0)), each.player.name, each.track))
    return Rerated(row, len({player for player, _track in keys}), moved[:largest])


def _shown_rating(change: Change[Any]) -> Decimal | None:
    before = change.before.rating if change.before is not None else None
    return with_points(before, change.points, change.after.rating)
