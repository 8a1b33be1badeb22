"""Compares errata with what the office knew before each correcting line and after it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from players.office.models import Federation
from ratings.journal.models import Fact
from ratings.journal.read_facts import AFTER_EVERYTHING
from ratings.law.facts import Needs, PlayerId
from ratings.recompute.steps import corrects, first_unrated
from ratings.results.models import Change, CorrectedRating, Erratum, PastChange
from ratings.results.rating_differences import RatingDifference
from ratings.results.rating_differences import differences as corrected
from ratings.results.read_states import state_before


def differences(federation: Federation, settled: int) -> Iterator[str]:
    """Name each correcting line whose erratum is missing or tells other changes of ratings than the line
    made, and each erratum where nothing was corrected. Up to the line `settled` errata went by other rules.
    """
    told = {each.fact_id: each for each in Erratum.objects.filter(fact__federation=federation)}
    correcting = list(_correcting(federation))
    moved = _moved(federation, {line.number for line in correcting})
    for line in correcting:
        erratum = told.pop(line.pk, None)
        if erratum is None:
            yield f"line {line.number}: its erratum is missing"
        elif line.number <= settled:
            continue  # told by the rules of then, and sealed in the record
        elif not _counted(erratum) or _rows(erratum) != _expected(federation, line, moved[line.number]):
            yield f"line {line.number}: its erratum does not tell what it did"
    for erratum in told.values():
        yield f"line {erratum.fact.number}: an erratum stands where nothing was corrected"


def _correcting(federation: Federation) -> Iterator[Fact]:
    unrated = first_unrated(federation)
    lines = Fact.objects.filter(federation=federation).exclude(kind__in=("player", "section"))
    for line in lines.only("number", "kind", "subject", "on").order_by("number"):
        if corrects(line.kind, unrated.get(line.subject), line.number):
            yield line


def _rows(erratum: Erratum) -> list[RatingDifference]:
    rows = CorrectedRating.objects.filter(erratum=erratum).order_by("position")
    return [RatingDifference(*row) for row in rows.values_list("player__number", "track", "before", "after")]


def _counted(erratum: Erratum) -> bool:
    """Whether an erratum counts as many people as its rows have, and the rows are numbered from one."""
    rows = CorrectedRating.objects.filter(erratum=erratum).order_by("position")
    places = list(rows.values_list("position", "player_id"))
    numbered = [position for position, _player in places] == list(range(1, len(places) + 1))
    return numbered and erratum.players == len({player for _position, player in places})


def _expected(federation: Federation, line: Fact, moved: set[PlayerId]) -> list[RatingDifference]:
    """The differences that an erratum must tell: between the ratings known just above its line and those
    known with it. `moved`: the people to look at.
    """
    ruleset = federation.ruleset
    people = Needs.EVERYONE if ruleset.calendar.days_of_change is not None else moved
    before = state_before(federation, AFTER_EVERYTHING, people, line=line.number - 1)
    after = state_before(federation, AFTER_EVERYTHING, people, line=line.number)
    assert line.on is not None
    return corrected(ruleset, before, after, line.on)


def _moved(federation: Federation, lines: set[int]) -> defaultdict[int, set[PlayerId]]:
    """The players whose results began or ceased to hold with each of these correcting lines, by line."""
    found: defaultdict[int, set[PlayerId]] = defaultdict(set)
    for model, column in ((Change, "since"), (PastChange, "since"), (PastChange, "until")):
        rows = model._default_manager.filter(player__federation=federation, **{f"{column}__in": lines})
        for line, player in rows.order_by().values_list(column, "player__number").distinct():
            found[line].add(player)
    return found
