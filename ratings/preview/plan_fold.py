"""Plans a fold of the journal as it would be after a decision, from the first fact that differs, by the rules
that will run.

Shows which later sections would be rated again, and how. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from players.office.models import Federation, Ledger
from players.register.player_to_fact import player_fact
from ratings.journal.append import day_of, newest_lines, sealed_line
from ratings.journal.models import Fact, FactQuerySet
from ratings.journal.read_facts import aliases, folded_fact
from ratings.journal.stated_pre_ratings import own_pres, stated_before, with_merges
from ratings.law import facts, journal
from ratings.law.facts import Needs, Placed, PlayerId
from ratings.law.ruleset import Ruleset
from ratings.results.assign_pre_ratings import NO_BIRTHS, Births, learn, state_pres
from tournaments.events.models import Section
from tournaments.events.section_fact import entries_with_players, section_fact

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
