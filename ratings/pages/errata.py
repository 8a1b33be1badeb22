"""Pages and a feed of errata: what was corrected, why, and everybody's rating before and after.

The module also computes the reach of a correction: the published lists that it concerns, and the lists that
have taken it in. Pages of lists, sections and players use it for their notes on corrections.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from django.db.models import F, QuerySet
from django.http import Http404, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from players.access import OfficeRequest, public
from players.models import Decision, Federation, Player
from players.pages.tables import paged
from ratings.disclosure import HiddenPeople, read_hidden_people
from ratings.journal import SectionChange, list_section_changes, reason_words
from ratings.models import CorrectedRating, Erratum, Fact, ListRow, RatingList
from ratings.pages.responses import MOST_FEED_ENTRIES, AtomFeed, cached_page
from ratings.pages.tables import CorrectedRatingsTable
from ratings.results import ListDay, group_by_day
from ratings.rulesets import facts, journal_lines
from ratings.rulesets.facts import Section as SectionFact
from ratings.rulesets.facts import StandingKey
from ratings.rulesets.ruleset import Ruleset
from tournaments.models import Section

# ---- Errata in words
MOST_SHOWN = 10
"""The most corrections shown on a list's page; the page of errata has all."""


@dataclass(frozen=True, slots=True)
class WordedErratum:
    erratum: Erratum
    line: Fact
    title: str
    wrong: str
    """The fault in general words; empty for a section rated again."""
    words: str
    """The office's own words."""
    url: str
    at: datetime
    """The time of the decision; in a record that was taken in, noon of its day."""


def errata_of(federation: Federation) -> QuerySet[Erratum]:
    """Return an office's errata, newest first, each with its line and what that takes back or mends."""
    # The sum keeps SQLite from the index of the federation, by which it would read the whole journal.
    of_office = Erratum.objects.alias(office=F("fact__federation_id") + 0)
    found = of_office.filter(office=federation.pk)
    return found.select_related("fact__section__event", "fact__takes").order_by("-fact__number")


def errata_of_section(section: Section) -> QuerySet[Erratum]:
    return errata_of(section.event.federation).filter(fact__section=section)


def worded_errata(federation: Federation, errata: Iterable[Erratum]) -> list[WordedErratum]:
    found = list(errata)
    if not found:
        return []
    for erratum in found:
        erratum.fact.federation = federation
    lines = {erratum.pk: journal_lines.parse_line(erratum.fact.line, federation.ruleset) for erratum in found}
    people = _people(federation, lines.values())
    decisions = _decisions(federation, [erratum.fact for erratum in found])
    hidden = read_hidden_people(federation) if decisions else HiddenPeople()
    return [
        _put_into_words(federation, each, lines[each.pk], people, decisions.get(each.fact.number), hidden)
        for each in found
    ]


def _put_into_words(
    federation: Federation,
    erratum: Erratum,
    line: facts.JournalFact,
    people: dict[str, Player],
    decision: Decision | None,
    hidden: HiddenPeople,
) -> WordedErratum:
    fact = erratum.fact
    noon = datetime.combine(fact.on or datetime.now(UTC).date(), time(12), UTC)
    details = decision.details if decision else {}
    return WordedErratum(
        erratum=erratum,
        line=fact,
        title=_title(fact, line, people),
        wrong=reason_words(line.reason) if isinstance(line, facts.Unrated) else "",
        words=hidden.redact(str(details.get("words") or details.get("note") or "")),
        url=reverse("ratings:erratum", args=[federation.code, fact.number]),
        at=decision.at if decision else noon,
    )


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
            return _("List of %(day)s, published again") % {"day": date_format(day, "DATE_FORMAT")}
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
    if not numbers:
        return {}
    found = Player.objects.filter(federation=federation, number__in=numbers)
    return {player.number: player for player in found}


def _decisions(federation: Federation, lines: Sequence[Fact]) -> dict[int, Decision]:
    """The decisions that wrote these lines of the journal, by the line's number."""
    about = {f"{what} {line.subject}" for line in lines for what in ("section", "player") if line.subject}
    about |= {f"list {_revised_day(line)}" for line in lines if line.kind == "revised"}
    found = Decision.objects.filter(federation=federation, about__in=about).prefetch_related("words")
    return {number: each for each in found if isinstance(number := each.details.get("fact"), int)}


def _revised_day(line: Fact) -> date | None:
    fact = journal_lines.parse_line(line.line, line.federation.ruleset)
    return fact.list if isinstance(fact, facts.Revised) else None


CORRECTION_FIELDS = (
    *("player", "before", "after", "erratum__fact__number", "erratum__fact__on", "erratum__fact__line"),
    *("erratum__fact__subject", "erratum__fact__section__name", "erratum__fact__section__event__name"),
)
"""The fields of corrections, with their lines and sections, that a player's page shows."""


class TitledErratum(NamedTuple):
    title: str
    url: str
    on: date | None


def corrections_of_player(player: Player, track: str) -> list[tuple[TitledErratum, CorrectedRating]]:
    """Return the errata of a player's rating in a track, newest first, each with the rating before and after.

    They include those of entries merged into the player's, unless the same erratum has the player's own.
    """
    people = Player.objects.keys_with_merged(player)
    mine = CorrectedRating.objects.filter(player__in=people, track=track).order_by("-erratum__fact__number")
    rows: dict[int, CorrectedRating] = {}
    for each in mine.select_related("erratum__fact__section__event").only(*CORRECTION_FIELDS):
        if each.erratum_id not in rows or each.player_id == player.pk:
            rows[each.erratum_id] = each
    lines = {
        pk: journal_lines.parse_line(row.erratum.fact.line, player.federation.ruleset)
        for pk, row in rows.items()
    }
    named = _people(player.federation, lines.values())
    found = []
    for pk, row in rows.items():
        fact = row.erratum.fact
        url = reverse("ratings:erratum", args=[player.federation.code, fact.number])
        found.append((TitledErratum(_title(fact, lines[pk], named), url, fact.on), row))
    return found


# ---- The reach of corrections
@dataclass(frozen=True, slots=True)
class CorrectionReach:
    """The published lists that a correction concerns: those between the line that it corrects and its own."""

    erratum: int
    """The erratum's key."""
    line: int
    ends: date | None
    """The last day of the section that it corrects, if any."""
    since: int
    """The line that rated the section first."""
    tracks: frozenset[str]
    """The tracks concerned; empty: every track."""
    named: frozenset[int] | None = None
    """For a merge, the keys of the lists with the entry that ended."""

    def concerns(self, rating_list: RatingList) -> bool:
        if not self.since < rating_list.fact.number < self.line:
            return False
        if self.ends is not None and self.ends > rating_list.on:
            return False
        if self.named is not None:
            return rating_list.pk in self.named
        return not self.tracks or rating_list.track in self.tracks


class ErratumRow(NamedTuple):
    """An erratum as a plain row, with its line of the journal and the section line that this one takes."""

    pk: int
    number: int
    kind: str
    subject: str
    section: int | None
    """The key of the section that it corrects."""
    ends: date | None
    takes: str | None


ERRATUM_COLUMNS = (
    "pk",
    *(f"fact__{each}" for each in ("number", "kind", "subject", "section", "section__ends")),
)


def compute_reaches(federation: Federation, errata: QuerySet[Erratum]) -> list[CorrectionReach]:
    """Compute the reach of each erratum; a list's revision has none, since it corrects no section."""
    # Sorted here, because in the journal's order SQLite would read the journals of all offices.
    rows = map(ErratumRow._make, errata.order_by().values_list(*ERRATUM_COLUMNS, "fact__takes__line"))
    newest_first = sorted(rows, key=lambda each: -each.number)
    found = [each for each in newest_first if each.kind != "revised"]
    first = _first_rated(federation, {each.subject for each in found if each.section})
    tracks, named = _tracks(federation, found), _named(federation, found)
    return [
        CorrectionReach(
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


def _tracks(federation: Federation, errata: Sequence[ErratumRow]) -> dict[int, set[str]]:
    """The tracks of the section of each erratum, and those in which it corrected a rating, by its key."""
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
    """The tracks of the section of a line, cached because they are computed again after each decision."""
    section = journal_lines.parse_line(line, ruleset)
    return frozenset(ruleset.sections.tracks_of(section) if isinstance(section, SectionFact) else ())


def _named(federation: Federation, errata: Sequence[ErratumRow]) -> dict[str, set[int]]:
    """The keys of the lists with an entry merged or parted by these errata, by the entry's number."""
    found: dict[str, set[int]] = defaultdict(set)
    numbers = {each.subject for each in errata if not each.section}
    if numbers:
        people = Player.objects.filter(federation=federation, number__in=numbers)
        rows = ListRow.objects.filter(player__in=list(people))
        for number, rating_list in rows.values_list("player__number", "rating_list_id"):
            found[number].add(rating_list)
    return found


def lists_concerned(federation: Federation, reach: CorrectionReach) -> list[ListDay]:
    """Return the published lists within a correction's reach, grouped by day, newest day first."""
    lists = RatingList.objects.of(federation).without_content().select_related("fact")
    lists = lists.filter(fact__number__gt=reach.since, fact__number__lt=reach.line)
    found = [each for each in lists.order_by("-on", "pk") if reach.concerns(each)]
    return list(group_by_day(federation, found))


@dataclass(frozen=True, slots=True)
class LaterCorrections:
    """The corrections that concern a list and were made after its publication, for its page."""

    newest: list[WordedErratum]
    more: int = 0
    """The number of older ones that are not shown."""


def compute_all_reaches(federation: Federation) -> list[CorrectionReach]:
    return compute_reaches(federation, errata_of(federation))


def get_later_corrections(
    federation: Federation, lists: Sequence[RatingList], known_reaches: Sequence[CorrectionReach]
) -> LaterCorrections:
    """Return the errata that concern any of these lists, newest first; `known_reaches`: those of all
    errata.
    """
    concerned = [
        each.erratum for each in known_reaches if any(each.concerns(rating_list) for rating_list in lists)
    ]
    return LaterCorrections(
        _worded_by_key(federation, concerned[:MOST_SHOWN]), max(0, len(concerned) - MOST_SHOWN)
    )


def _worded_by_key(federation: Federation, keys: Sequence[int]) -> list[WordedErratum]:
    return worded_errata(federation, errata_of(federation).filter(pk__in=keys)) if keys else []


def errata_taken_in(
    federation: Federation, rating_list: RatingList, known_reaches: Sequence[CorrectionReach]
) -> list[WordedErratum]:
    """Return the errata that a list takes in (D-2): those that concern the list before it (or, for a
    revision, the version before) and were decided between the two. `known_reaches`: those of all errata.
    """
    if not known_reaches:
        return []
    previous = rating_list.supersedes or _list_before(federation, rating_list)
    if previous is None:
        return []
    first, last = previous.fact.number + 1, rating_list.fact.number
    between = [each for each in known_reaches if first <= each.line <= last]
    return _worded_by_key(federation, [each.erratum for each in between if each.concerns(previous)])


def _list_before(federation: Federation, rating_list: RatingList) -> RatingList | None:
    same = RatingList.objects.of(federation).without_content().filter(track=rating_list.track)
    before = same.filter(on__lt=rating_list.on, fact__number__lt=rating_list.fact.number)
    return before.select_related("fact").order_by("-on", "-revision").first()


@public
@cached_page
def errata(request: OfficeRequest) -> HttpResponseBase:
    last = request.GET.get("before", "")
    found = errata_of(request.office)
    if last.isascii() and last.isdigit() and len(last) < 19:
        found = found.filter(fact__number__lt=int(last))
    some = worded_errata(request.office, found[: MOST_FEED_ENTRIES + 1])
    older = f"?before={some[MOST_FEED_ENTRIES - 1].line.number}" if len(some) > MOST_FEED_ENTRIES else ""
    return render(
        request, "ratings/errata.html", {"errata": some[:MOST_FEED_ENTRIES], "older": older, "later": last}
    )


@public
@cached_page
def erratum(request: OfficeRequest, line: int) -> HttpResponseBase:
    found = errata_of(request.office).filter(fact__number=line).first()
    if found is None:
        raise Http404(_("No line of that number corrects anything."))
    [worded] = worded_errata(request.office, [found])
    rows = found.ratings.select_related("player__region", "player__federation")
    track = request.GET.get("track", "")
    track = track if found.ratings.filter(track=track).exists() else ""
    first = _ratings_before_unrating(request.office, found)
    shown = _sort_by_difference(rows.filter(track=track) if track else rows, first)
    table = CorrectedRatingsTable(shown, office=request.office, first=first)
    reach = compute_reaches(request.office, errata_of(request.office).filter(pk=found.pk))
    lists = lists_concerned(request.office, reach[0]) if reach else []
    context = {
        "told": worded,
        "lists": lists,
        "clause": _clause(request.office, worded, listed=bool(lists)),
        "tracks": _tabs(request.office, found, track),
        "table": paged(table, request),
        "beside": _other_corrections(request.office, found),
        "changes": _changes(request.office, found),
        "federation": request.office,
    }
    return render(request, "ratings/erratum.html", context)


def _ratings_before_unrating(office: Federation, found: Erratum) -> dict[StandingKey, Decimal | None] | None:
    """The ratings before the un-rating of a section that was rated again, by player's number and track; None
    for other corrections.
    """
    if found.fact.kind != "rated":
        return None
    back = errata_of(office).filter(fact__subject=found.fact.subject, fact__kind="unrated")
    last = back.filter(fact__number__lt=found.fact.number).first()
    rows = last.ratings.values_list("player__number", "track", "before") if last else ()
    return {(number, track): before for number, track, before in rows}


def _sort_by_difference(
    rows: QuerySet[CorrectedRating], first: dict[StandingKey, Decimal | None] | None
) -> Sequence[CorrectedRating] | QuerySet[CorrectedRating]:
    """Sort the rows of a section rated again by the difference from the ratings `first`, the largest first:
    from the ratings without the section, those of all entrants differ.
    """
    if first is None:
        return rows

    def differs_by(row: CorrectedRating) -> Decimal:
        before = first.get((row.player.number, row.track))
        if before is None or row.after is None:
            return Decimal(0) if before == row.after else Decimal(10**6)
        difference: Decimal = row.after - before
        return abs(difference)

    return sorted(rows, key=lambda row: -differs_by(row))  # equal ones stay in their order


def _clause(office: Federation, worded: WordedErratum, *, listed: bool) -> str:
    """The clause under which a section was un-rated or rated again; empty if there is none."""
    unrating = office.equipment.office.powers.unrating
    if worded.line.section is None:
        return ""
    return unrating.listed_clause if listed and unrating.listed_clause else unrating.clause


def _tabs(office: Federation, found: Erratum, chosen: str) -> list[dict[str, Any]]:
    moved = set(found.ratings.order_by().values_list("track", flat=True).distinct())
    if len(moved) < 2:
        return []
    tabs = [{"label": _("All"), "url": "?", "current": not chosen}]
    return tabs + [
        {"label": _(track.name), "url": f"?track={track.code}", "current": track.code == chosen}
        for track in office.ruleset.tracks
        if track.code in moved
    ]


def _other_corrections(office: Federation, found: Erratum) -> list[WordedErratum]:
    if found.fact.section is None:
        return []
    return worded_errata(
        office, errata_of(office).filter(fact__section=found.fact.section).exclude(pk=found.pk)
    )


@dataclass(frozen=True, slots=True)
class ChangeRow:
    words: str
    players: list[Player]
    before: str
    after: str


def _changes(office: Federation, found: Erratum) -> list[ChangeRow] | None:
    line = found.fact
    if line.kind != "rated" or line.takes is None:
        return None
    earlier = Fact.objects.filter(
        federation=office, kind="rated", subject=line.subject, number__lt=line.number
    )
    before = earlier.select_related("takes").order_by("-number").first()
    if before is None or before.takes is None:
        return None
    old, new = (journal_lines.parse_line(each.line, office.ruleset) for each in (before.takes, line.takes))
    assert isinstance(old, facts.Section)
    assert isinstance(new, facts.Section)
    differing = list_section_changes(old, new)
    people = Player.objects.filter(
        federation=office, number__in={p for each in differing for p in each.players}
    )
    named = {player.number: player for player in people.select_related("federation")}
    return [
        ChangeRow(
            _words_of_change(each),
            [named[number] for number in each.players if number in named],
            each.before,
            each.after,
        )
        for each in differing
    ]


def _words_of_change(change: SectionChange) -> str:
    if change.round is not None:
        words = _("Round %(round)s, without an opponent") if change.what == "bye" else _("Round %(round)s")
        return words % {"round": change.round}
    particulars = {
        "entry": _("Entered"),
        "place": _("Place"),
        "event": _("Event"),
        "name": _("Section"),
        "starts": _("First day"),
        "ends": _("Last day"),
        "country": _("Country"),
        "format": _("Format"),
        "rounds": _("Rounds"),
        "team": _("Teams"),
        "time_controls": _("Time control"),
    }
    return particulars.get(change.what, change.what)


def _sentence_of_kind(kind: str) -> str:
    """A sentence for a kind of correction (`merged`, `rated` …) on which officials wrote none."""
    sentences = {
        "merged": _("Two entries of the register are one person: all their games now count for that person."),
        "parted": _(
            "Two entries were merged but are two people: each person’s games count separately again."
        ),
        "rated": _("The section was corrected and counts again."),
    }
    return sentences.get(kind, "")


@public
@cached_page
def feed(request: OfficeRequest) -> HttpResponseBase:
    atom = AtomFeed(
        request,
        title=_("%(office)s: errata") % {"office": request.office.name},
        description=_("Corrections of ratings that were published or worked out."),
        page=reverse("ratings:errata", args=[request.office.code]),
    )
    for each in worded_errata(request.office, errata_of(request.office)[:MOST_FEED_ENTRIES]):
        words = " ".join(filter(None, (each.wrong and f"{each.wrong}.", each.words)))
        words = words or _sentence_of_kind(each.line.kind)
        atom.entry(title=each.title, url=each.url, words=words, at=each.at)
    return atom.answer()
