"""Puts errata into words for pages: the fault, the clause, and the lists in which it still stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from players.office.models import Decision, Federation
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.journal.unrating_reasons import reason_words
from ratings.law import facts, journal
from ratings.law.facts import Section as SectionFact
from ratings.lists.models import ListRow, RatingList
from ratings.public.common.privacy import Hidden, withheld_of
from ratings.results.corrections import ListDay, by_day
from ratings.results.models import CorrectedRating, Erratum
from tournaments.events.models import Section

TOLD = 10
"""The most corrections told on a list's page; all stand among the office's errata."""


@dataclass(frozen=True, slots=True)
class WordedErratum:
    """One erratum as a page tells it: what was wrong, under which clause, and which lists it concerns."""

    erratum: Erratum
    line: Fact
    title: str
    wrong: str
    """The fault in general words; empty where there was none (a section rated again)."""
    words: str
    """The office's own words."""
    url: str
    at: datetime
    """The time of the decision here; in a record that was taken in, noon of its day."""


def errata_of(federation: Federation) -> QuerySet[Erratum]:
    """An office's errata, newest first, each with its journal line and what that line takes back or mends."""
    found = Erratum.objects.filter(fact__federation=federation)
    return found.select_related("fact__section__event", "fact__takes").order_by("-fact__number")


def of_section(section: Section) -> QuerySet[Erratum]:
    return errata_of(section.event.federation).filter(fact__section=section)


def worded_errata(federation: Federation, errata: Iterable[Erratum]) -> list[WordedErratum]:
    """Put errata into words for a page; the sections, lists and decisions in them are looked up together."""
    found = list(errata)
    for erratum in found:
        erratum.fact.federation = federation
    lines = {erratum.pk: journal.parse_line(erratum.fact.line, federation.ruleset) for erratum in found}
    people = _people(federation, lines.values())
    decided = _decided(federation, [erratum.fact for erratum in found])
    hidden = withheld_of(federation) if decided else Hidden()
    return [
        _worded(federation, each, lines[each.pk], people, decided.get(each.fact.number), hidden)
        for each in found
    ]


def _worded(
    federation: Federation,
    erratum: Erratum,
    line: facts.JournalFact,
    people: dict[str, Player],
    decision: Decision | None,
    hidden: Hidden,
) -> WordedErratum:
    fact = erratum.fact
    wrong = reason_words(line.reason) if isinstance(line, facts.Unrated) else ""
    at = decision.at if decision else datetime.combine(fact.on or datetime.now(UTC).date(), time(12), UTC)
    return WordedErratum(
        erratum=erratum,
        line=fact,
        title=_title(fact, line, people),
        wrong=wrong,
        words=hidden.left_out_of(_office_words(decision)),
        url=reverse("ratings:erratum", args=[federation.code, fact.number]),
        at=at,
    )


def _office_words(decision: Decision | None) -> str:
    """The words that officials wrote for the public on an un-rating or a revised list; empty for a merge,
    whose reason stays in the office.
    """
    details = decision.details if decision else {}
    return str(details.get("words") or details.get("note") or "")


def _title(fact: Fact, line: facts.JournalFact, people: dict[str, Player]) -> str:
    match line:
        case facts.Unrated():
            return _("Taken back: %(section)s") % {"section": _section(fact)}
        case facts.Rated():
            return _("Rated again: %(section)s") % {"section": _section(fact)}
        case facts.Merged(player, into):
            return _("One person: %(player)s and %(other)s") % {
                "player": _name(people, player),
                "other": _name(people, into),
            }
        case facts.Parted(player):
            return _("Merge taken back: %(player)s") % {"player": _name(people, player)}
        case facts.Revised(day):
            return _("List of %(day)s, published again") % {"day": date_format(day, "j F Y")}
        case _:
            return _("Corrected: %(what)s") % {"what": fact.subject}


def _section(fact: Fact) -> str:
    assert fact.section is not None
    return f"{fact.section.event.name}, {fact.section.name}"


def _name(people: dict[str, Player], number: str) -> str:
    player = people.get(number)
    return f"{player.shown_name} ({number})" if player else number


def _people(federation: Federation, lines: Iterable[facts.JournalFact]) -> dict[str, Player]:
    numbers: set[str] = set()
    for line in lines:
        match line:
            case facts.Merged(player, into):
                numbers |= {player, into}
            case facts.Parted(player):
                numbers.add(player)
    found = Player.objects.filter(federation=federation, number__in=numbers)
    return {player.number: player for player in found}


def _decided(federation: Federation, lines: Sequence[Fact]) -> dict[int, Decision]:
    """The office's decision that wrote each of these journal lines, by the line's number."""
    about = {f"{what} {line.subject}" for line in lines for what in ("section", "player") if line.subject}
    about |= {f"list {_revised_day(line)}" for line in lines if line.kind == "revised"}
    found = Decision.objects.filter(federation=federation, about__in=about).prefetch_related("words")
    return {number: each for each in found if isinstance(number := each.details.get("fact"), int)}


def _revised_day(line: Fact) -> date | None:
    spoken = journal.parse_line(line.line, line.federation.ruleset)
    return spoken.list if isinstance(spoken, facts.Revised) else None


# ---------------------------------------------------------------- lists and corrections


@dataclass(frozen=True, slots=True)
class Reach:
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


def reaches(federation: Federation, errata: Iterable[Erratum]) -> list[Reach]:
    """Work out the reach of each erratum; a list's revision has none, since it corrects no section."""
    found = [each for each in errata if each.fact.kind != "revised"]
    first = _first_rated(federation, {each.fact.subject for each in found if each.fact.section_id})
    tracks, named = _tracks(federation, found), _named(federation, found)
    return [
        Reach(
            each,
            first.get(each.fact.subject, 0),
            frozenset(tracks[each.pk]),
            None if each.fact.section_id else frozenset(named[each.fact.subject]),
        )
        for each in found
    ]


def _first_rated(federation: Federation, subjects: set[str]) -> dict[str, int]:
    rated = Fact.objects.filter(federation=federation, kind="rated", subject__in=subjects)
    return dict(rated.order_by("-number").values_list("subject", "number"))


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


def lists_concerned(federation: Federation, reach: Reach) -> list[ListDay]:
    """The published lists within a correction's reach, grouped by day, newest day first."""
    lists = RatingList.objects.of(federation).without_content().select_related("fact")
    lists = lists.filter(fact__number__gt=reach.since, fact__number__lt=reach.erratum.fact.number)
    found = [each for each in lists.order_by("-on", "pk") if reach.concerns(each)]
    return list(by_day(federation, found))


@dataclass(frozen=True, slots=True)
class Since:
    """The corrections that concern a list and were made after its publication, for a note on its page."""

    newest: list[WordedErratum]
    more: int = 0
    """The number of older ones that are not told here."""


def corrected_since(federation: Federation, lists: Sequence[RatingList]) -> Since:
    """The errata that concern any of these lists, newest first: a few in words, and the number of others."""
    if not lists:
        return Since([])
    later = errata_of(federation).filter(fact__number__gt=min(each.fact.number for each in lists))
    concerned = [
        each.erratum
        for each in reaches(federation, later)
        if any(each.concerns(rating_list) for rating_list in lists)
    ]
    return Since(worded_errata(federation, concerned[:TOLD]), max(0, len(concerned) - TOLD))


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


def corrections_of_player(player: Player, track: str) -> list[tuple[WordedErratum, CorrectedRating]]:
    """The errata of a player's rating in a track, newest first, each with the rating before and after. Errata
    of entries merged into the player's are among them, unless the same erratum names the player's own.
    """
    people = [player, *player.merged.all()]
    mine = CorrectedRating.objects.filter(player__in=people, track=track).order_by("-erratum__fact__number")
    related = ("erratum__fact__section__event", "erratum__fact__takes")
    rows: dict[int, CorrectedRating] = {}
    for each in mine.select_related(*related):
        if each.erratum_id not in rows or each.player_id == player.pk:
            rows[each.erratum_id] = each
    found = worded_errata(player.federation, [each.erratum for each in rows.values()])
    return [(each, rows[each.erratum.pk]) for each in found]
