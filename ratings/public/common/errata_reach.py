"""The reach of corrections: the lists that they concern, and those that have taken them in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from players.office.models import Federation
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.law import journal
from ratings.law.facts import Section as SectionFact
from ratings.lists.models import ListRow, RatingList
from ratings.public.common.worded_errata import TOLD, WordedErratum, errata_of, worded_errata
from ratings.results.models import CorrectedRating, Erratum
from ratings.results.rating_differences import ListDay, by_day


@dataclass(frozen=True, slots=True)
class ConcernedLists:
    """The published lists that a correction concerns: those between the line that it corrects and its own."""

    erratum: Erratum
    since: int
    """The line that rated the section first."""
    tracks: frozenset[str]
    """The tracks concerned; empty: every track."""
    named: frozenset[int] | None = None
    """For a merge, the keys of the lists that name the entry that ended."""

    def concerns(self, rating_list: RatingList) -> bool:
        section, number = self.erratum.fact.section, rating_list.fact.number
        if not self.since < number < self.erratum.fact.number:
            return False
        if section is not None and section.ends > rating_list.on:
            return False
        if self.named is not None:
            return rating_list.pk in self.named
        return not self.tracks or rating_list.track in self.tracks


def reaches(federation: Federation, errata: Iterable[Erratum]) -> list[ConcernedLists]:
    """Work out the reach of each erratum; a list's revision has none, since it corrects no section."""
    found = [each for each in errata if each.fact.kind != "revised"]
    first = _first_rated(federation, {each.fact.subject for each in found if each.fact.section_id})
    tracks, named = _tracks(federation, found), _named(federation, found)
    return [
        ConcernedLists(
            each,
            first.get(each.fact.subject, 0),
            frozenset(tracks[each.pk]),
            None if each.fact.section_id else frozenset(named[each.fact.subject]),
        )
        for each in found
    ]


def _first_rated(federation: Federation, subjects: set[str]) -> dict[str, int]:
    rated = Fact.objects.about(federation, subjects, "rated").values_list("number", "subject")
    return {subject: number for number, subject in sorted(rated, reverse=True)}


def _tracks(federation: Federation, errata: Sequence[Erratum]) -> dict[int, set[str]]:
    """The tracks that each erratum concerns, by the erratum's key: those of its section, and those in which
    it corrected a rating.
    """
    found: dict[int, set[str]] = defaultdict(set)
    pairs = CorrectedRating.objects.filter(erratum__in=errata).order_by()
    for pk, track in pairs.values_list("erratum_id", "track").distinct():
        found[pk].add(track)
    for each in errata:
        takes = each.fact.takes
        section = journal.parse_line(takes.line, federation.ruleset) if takes else None
        if isinstance(section, SectionFact):
            found[each.pk] |= set(federation.ruleset.sections.tracks_of(section))
    return found


def _named(federation: Federation, errata: Sequence[Erratum]) -> dict[str, set[int]]:
    """The keys of the lists that name an entry merged or parted by these errata, by the entry's number."""
    found: dict[str, set[int]] = defaultdict(set)
    numbers = {each.fact.subject for each in errata if not each.fact.section_id}
    if numbers:
        people = Player.objects.filter(federation=federation, number__in=numbers)
        rows = ListRow.objects.filter(player__in=list(people))
        for number, rating_list in rows.values_list("player__number", "rating_list_id"):
            found[number].add(rating_list)
    return found


def lists_concerned(federation: Federation, reach: ConcernedLists) -> list[ListDay]:
    """The published lists within a correction's reach, grouped by day, newest day first."""
    lists = RatingList.objects.of(federation).without_content().select_related("fact")
    lists = lists.filter(fact__number__gt=reach.since, fact__number__lt=reach.erratum.fact.number)
    found = [each for each in lists.order_by("-on", "pk") if reach.concerns(each)]
    return list(by_day(federation, found))


@dataclass(frozen=True, slots=True)
class LaterCorrections:
    """The corrections that concern a list and were made after its publication, for a note on its page."""

    newest: list[WordedErratum]
    more: int = 0
    """The number of older ones that are not told here."""


def corrected_since(federation: Federation, lists: Sequence[RatingList]) -> LaterCorrections:
    """The errata that concern any of these lists, newest first: a few in words, and the number of others."""
    if not lists:
        return LaterCorrections([])
    later = errata_of(federation).filter(fact__number__gt=min(each.fact.number for each in lists))
    concerned = [
        each.erratum
        for each in reaches(federation, later)
        if any(each.concerns(rating_list) for rating_list in lists)
    ]
    return LaterCorrections(worded_errata(federation, concerned[:TOLD]), max(0, len(concerned) - TOLD))


def taken_in(federation: Federation, rating_list: RatingList) -> list[WordedErratum]:
    """The errata that a list takes in (D-2): those that concern the list before it (or, for a revision, the
    version before) and were decided between the two.
    """
    previous = rating_list.supersedes or _list_before(federation, rating_list)
    if previous is None:
        return []
    numbers = (previous.fact.number + 1, rating_list.fact.number)
    between = errata_of(federation).filter(fact__number__range=numbers)
    concerned = [each.erratum for each in reaches(federation, between) if each.concerns(previous)]
    return worded_errata(federation, concerned)


def _list_before(federation: Federation, rating_list: RatingList) -> RatingList | None:
    same = RatingList.objects.of(federation).without_content().filter(track=rating_list.track)
    before = same.filter(on__lt=rating_list.on, fact__number__lt=rating_list.fact.number)
    return before.select_related("fact").order_by("-on", "-revision").first()
