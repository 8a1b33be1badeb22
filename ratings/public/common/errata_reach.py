"""The reach of corrections: the lists that they concern, and those that have taken them in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from django.db.models import QuerySet

from players.office.models import Federation
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.law import journal
from ratings.law.facts import Section as SectionFact
from ratings.law.ruleset import Ruleset
from ratings.lists.models import ListRow, RatingList
from ratings.public.common.worded_errata import TOLD, WordedErratum, errata_of, worded_errata
from ratings.results.models import CorrectedRating, Erratum
from ratings.results.rating_differences import ListDay, by_day


@dataclass(frozen=True, slots=True)
class ConcernedLists:
    """The published lists that a correction concerns: those between the line that it corrects and its own."""

    erratum: int
    """The erratum's key."""
    line: int
    """The number of its line."""
    ends: date | None
    """The last day of the section that it corrects; None: it corrects none."""
    since: int
    """The line that rated the section first."""
    tracks: frozenset[str]
    """The tracks concerned; empty: every track."""
    named: frozenset[int] | None = None
    """For a merge, the keys of the lists that name the entry that ended."""

    def concerns(self, rating_list: RatingList) -> bool:
        if not self.since < rating_list.fact.number < self.line:
            return False
        if self.ends is not None and self.ends > rating_list.on:
            return False
        if self.named is not None:
            return rating_list.pk in self.named
        return not self.tracks or rating_list.track in self.tracks


class ErratumLine(NamedTuple):
    """One erratum as a plain row, with its line of the journal and the section line that this one takes."""

    pk: int
    number: int
    kind: str
    subject: str
    section: int | None
    """The key of the section that it corrects."""
    ends: date | None
    takes: str | None


COLUMNS = ("pk", *(f"fact__{each}" for each in ("number", "kind", "subject", "section", "section__ends")))


def reaches(federation: Federation, errata: QuerySet[Erratum]) -> list[ConcernedLists]:
    """Work out the reach of each erratum; a list's revision has none, since it corrects no section."""
    # Sorted here: in the journal's order SQLite would look through the journals of all offices.
    rows = map(ErratumLine._make, errata.order_by().values_list(*COLUMNS, "fact__takes__line"))
    newest_first = sorted(rows, key=lambda each: -each.number)
    found = [each for each in newest_first if each.kind != "revised"]
    first = _first_rated(federation, {each.subject for each in found if each.section})
    tracks, named = _tracks(federation, found), _named(federation, found)
    return [
        ConcernedLists(
            each.pk,
            each.number,
            each.ends,
            first.get(each.subject, 0),
            frozenset(tracks[each.pk]),
            None if each.section else frozenset(named[each.subject]),
        )
        for each in found
    ]


def _first_rated(federation: Federation, subjects: set[str]) -> dict[str, int]:
    rated = Fact.objects.about(federation, subjects, "rated").values_list("number", "subject")
    return {subject: number for number, subject in sorted(rated, reverse=True)}


def _tracks(federation: Federation, errata: Sequence[ErratumLine]) -> dict[int, set[str]]:
    """The tracks that each erratum concerns, by the erratum's key: those of its section, and those in which
    it corrected a rating.
    """
    found: dict[int, set[str]] = defaultdict(set)
    pairs = CorrectedRating.objects.filter(erratum__in=[each.pk for each in errata]).order_by()
    for pk, track in pairs.values_list("erratum_id", "track").distinct():
        found[pk].add(track)
    for each in errata:
        if each.takes:
            found[each.pk] |= _tracks_of(each.takes, federation.ruleset)
    return found


@lru_cache(maxsize=1024)
def _tracks_of(line: str, ruleset: Ruleset) -> frozenset[str]:
    """The tracks of the section of a line; none for another line. An office's errata are asked for again
    after each decision.
    """
    section = journal.parse_line(line, ruleset)
    return frozenset(ruleset.sections.tracks_of(section) if isinstance(section, SectionFact) else ())


def _named(federation: Federation, errata: Sequence[ErratumLine]) -> dict[str, set[int]]:
    """The keys of the lists that name an entry merged or parted by these errata, by the entry's number."""
    found: dict[str, set[int]] = defaultdict(set)
    numbers = {each.subject for each in errata if not each.section}
    if numbers:
        people = Player.objects.filter(federation=federation, number__in=numbers)
        rows = ListRow.objects.filter(player__in=list(people))
        for number, rating_list in rows.values_list("player__number", "rating_list_id"):
            found[number].add(rating_list)
    return found


def lists_concerned(federation: Federation, reach: ConcernedLists) -> list[ListDay]:
    """The published lists within a correction's reach, grouped by day, newest day first."""
    lists = RatingList.objects.of(federation).without_content().select_related("fact")
    lists = lists.filter(fact__number__gt=reach.since, fact__number__lt=reach.line)
    found = [each for each in lists.order_by("-on", "pk") if reach.concerns(each)]
    return list(by_day(federation, found))


@dataclass(frozen=True, slots=True)
class LaterCorrections:
    """The corrections that concern a list and were made after its publication, for a note on its page."""

    newest: list[WordedErratum]
    more: int = 0
    """The number of older ones that are not told here."""


def all_reaches(federation: Federation) -> list[ConcernedLists]:
    """The reaches of all errata of an office, newest first."""
    return reaches(federation, errata_of(federation))


def corrected_since(
    federation: Federation, lists: Sequence[RatingList], known: Sequence[ConcernedLists]
) -> LaterCorrections:
    """The errata that concern any of these lists, newest first: a few in words, and the number of others.
    `known`: the reaches of all.
    """
    concerned = [each.erratum for each in known if any(each.concerns(rating_list) for rating_list in lists)]
    return LaterCorrections(_worded(federation, concerned[:TOLD]), max(0, len(concerned) - TOLD))


def _worded(federation: Federation, keys: Sequence[int]) -> list[WordedErratum]:
    return worded_errata(federation, errata_of(federation).filter(pk__in=keys)) if keys else []


def taken_in(
    federation: Federation, rating_list: RatingList, known: Sequence[ConcernedLists]
) -> list[WordedErratum]:
    """The errata that a list takes in (D-2): those that concern the list before it (or, for a revision, the
    version before) and were decided between the two. `known`: the reaches of all errata.
    """
    if not known:
        return []
    previous = rating_list.supersedes or _list_before(federation, rating_list)
    if previous is None:
        return []
    first, last = previous.fact.number + 1, rating_list.fact.number
    between = [each for each in known if first <= each.line <= last]
    return _worded(federation, [each.erratum for each in between if each.concerns(previous)])


def _list_before(federation: Federation, rating_list: RatingList) -> RatingList | None:
    same = RatingList.objects.of(federation).without_content().filter(track=rating_list.track)
    before = same.filter(on__lt=rating_list.on, fact__number__lt=rating_list.fact.number)
    return before.select_related("fact").order_by("-on", "-revision").first()
