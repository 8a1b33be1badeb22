"""Previews merging two register entries of one person, or parting them: the facts to be rated again."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q

from players.office.models import Federation, Ledger
from players.people.merging import entries_of
from players.register.models import Player
from players.register.player_to_fact import player_fact
from ratings.journal.append import newest_lines, sealed_line
from ratings.journal.models import Fact, FactQuerySet
from ratings.journal.read_facts import aliases, folded_fact, put_away
from ratings.law import facts, journal
from ratings.law.facts import PlayerId
from ratings.preview.compare_folds import FoldPreview, Tell, preview_fold
from ratings.preview.plan_fold import MOST_FOLDED, Due, FoldPlan, differs, in_order, read_due, up_to_limit
from tournaments.events.models import IN_RATED, Entry


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
    plan = _plan(into.federation, people, names, _register_line(into), most)
    return _preview(plan, {each.number: into.number for each in entries_of(player)}, tell)


def preview_parting(player: Player, *, most: int = MOST_FOLDED, tell: Tell | None = None) -> MergePreview:
    """Preview taking back the merge of `player` into another entry; `most` and `tell` as of a merge."""
    federation = player.federation
    names = {number: into for number, into in aliases(federation).items() if number != player.number}
    people = entries_of(player.merged_into) if player.merged_into else []
    return _preview(_plan(federation, people, names, [], most), {}, tell)


def _preview(plan: FoldPlan, merged: Mapping[PlayerId, PlayerId], tell: Tell | None = None) -> MergePreview:
    if not plan.due:
        return MergePreview(FoldPreview(), 0)
    again = Fact.objects.filter(federation=plan.federation, kind="rated", order__gte=plan.start)
    return MergePreview(preview_fold(plan, merged=merged, tell=tell), again.in_force().count())


def _plan(
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
