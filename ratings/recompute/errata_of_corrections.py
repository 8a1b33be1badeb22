"""Errata: the effect of each correcting line on the ratings, written by the step that folds it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from players.register.models import Player
from ratings.journal.models import Fact
from ratings.recompute.fold import Work
from ratings.recompute.steps import FoldStep, is_correction
from ratings.results.models import Change, CorrectedRating, Erratum
from ratings.results.rating_differences import RatingDifference, both_states, differences
from ratings.storage.bulk_writing import batches

_AT_ONCE = 500


def correction_of(work: Work, step: FoldStep) -> Fact | None:
    """The line at which a step ends, if it is one that corrects (un-rating, merge, revision …), else None:
    such a line has a step of its own.
    """
    line = Fact.objects.get(federation=work.federation, number=step.line)
    return line if is_correction(line.kind, line.subject, line.number, work.federation) else None


def differences_made(work: Work, step: FoldStep, line: Fact) -> list[RatingDifference]:
    """The ratings that a correcting line changes: those stored before its step beside those of its fold."""
    if not step.rows and not _left(work):
        return []
    before, after = both_states(work.federation, work.start, work.state, _moved(work))
    return differences(work.ruleset, before, after, line.on or date.max)


def _left(work: Work) -> bool:
    return bool(_folded(work))


def _folded(work: Work) -> list[int]:
    """The keys of the facts from the step's start on that were folded before."""
    return list(work.folded_before().values_list("pk", flat=True))


def _moved(work: Work) -> frozenset[str]:
    """The numbers of the players whose ratings may differ: those whom this fold moves, and those whom the
    facts folded there before had moved.
    """
    keys: set[int] = set()
    for some in batches(_folded(work), _AT_ONCE):
        keys.update(Change.objects.filter(fact__in=some).values_list("player_id", flat=True).distinct())
    numbers = {player for player, _track in work.touched}
    for some in batches(keys, _AT_ONCE):
        numbers.update(Player.objects.filter(pk__in=some).values_list("number", flat=True))
    return frozenset(numbers)


def write_erratum(work: Work, line: Fact, found: Sequence[RatingDifference]) -> None:
    """Store a correcting line's effect as an erratum, for ever, in the transaction of its step."""
    erratum = Erratum.objects.create(fact=line, players=len({each.player for each in found}))
    rows = (
        CorrectedRating(
            erratum=erratum,
            player_id=work.key_of(each.player),
            track=each.track,
            position=position,
            before=each.before,
            after=each.after,
        )
        for position, each in enumerate(found, start=1)
    )
    CorrectedRating.objects.bulk_create(rows, batch_size=_AT_ONCE)
