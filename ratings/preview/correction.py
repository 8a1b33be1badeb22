"""Previews a correction of a register entry: what is rated again, and which waiting sections it concerns."""

from __future__ import annotations

from dataclasses import dataclass

from players.office.models import Ledger
from players.register.models import Player
from players.register.player_to_fact import player_fact
from ratings.journal.append import newest_lines, sealed_line
from ratings.journal.models import Fact
from ratings.journal.read_facts import aliases
from ratings.law import facts
from ratings.preview.compare_folds import FoldPreview, preview_fold
from ratings.preview.plan_fold import Due, FoldPlan, differs, in_order, read_due
from tournaments.events.models import Section, Stage


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
    plan = _plan(player)
    return CorrectionPreview(preview_fold(plan) if plan else FoldPreview(), waiting)


def _plan(player: Player) -> FoldPlan | None:
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
