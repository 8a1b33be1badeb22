"""Pages and a feed of errata: what was corrected, why, and everybody's rating before and after.

The module also computes the reach of a correction: the published lists that it concerns, and the lists that
have taken it in. Pages of lists, sections and players use it for their notes on corrections.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import F, QuerySet
from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _, ngettext

from players.access import PUBLIC, OfficeRequest, page
from players.display import FORMAT_LABELS, day_in_words, field_in_words, round_rating
from players.models import Decision, Federation, Player
from players.pages.tables import paged
from players.writing import page_cache
from ratings.disclosure import HiddenPeople, get_named_players, read_hidden_people
from ratings.journal import (
    AFTER_EVERYTHING,
    SectionChange,
    list_section_changes,
    reason_words,
)
from ratings.lists import compare_places, get_places
from ratings.models import CorrectedRating, Erratum, Fact, ListRow, RatingList
from ratings.pages.responses import MOST_FEED_ENTRIES, AtomFeed, cached_page
from ratings.pages.tables import CorrectedRatingsTable, CorrectedRow
from ratings.results import ListDay, group_by_day, state_before
from ratings.rule_tables import get_recompute_number
from ratings.rulesets import facts, journal_lines
from ratings.rulesets.facts import Section as SectionFact, StandingKey
from ratings.rulesets.profile import form_fields
from ratings.rulesets.ruleset import Ruleset
from ratings.statement import Balance, Movement, read_balances
from tournaments.findings import result_in_words
from tournaments.models import Section


# ---- Acts: the lines that correct one thing
@dataclass(frozen=True, slots=True)
class Acts:
    """The correcting lines of an office that belong together, by number.

    One act are a section that is un-rated and rated again, and lists that are published again with it: on one
    day, with nothing between them but the particulars that the rating takes.
    """

    leading: Mapping[int, int]
    """The line that stands for the act, by each other line of it."""

    def further(self, line: int) -> list[int]:
        """The other lines of the act for which a line stands."""
        return sorted(number for number, leads in self.leading.items() if leads == line)

    def corrects(self, line: int) -> bool:
        """Whether a line rates a section again that was un-rated for it."""
        return any(number < line for number in self.further(line))


def read_acts(federation: Federation) -> Acts:
    """Read the acts of an office; they are cached until the next recompute, which writes further errata."""
    key = f"acts-{federation.pk}-{get_recompute_number(federation)}"
    if (found := page_cache.get(key)) is None:
        found = _find_acts(federation)
        page_cache.set(key, found)
    return Acts(found)


def _find_acts(federation: Federation) -> dict[int, int]:
    lines = Fact.objects.filter(pk__in=every_erratum_of(federation).values("fact")).order_by()
    rows = sorted(lines.values_list("number", "kind", "subject", "on"))
    leading: dict[int, int] = {}
    for (number, kind, subject, on), (later, later_kind, later_subject, later_on) in pairwise(rows):
        again = (kind, later_kind) == ("unrated", "rated") and subject == later_subject
        published = later_kind == "revised" and (kind != "revised" or number in leading)
        if on != later_on or not (again or published):
            continue
        between = Fact.objects.filter(federation=federation, number__gt=number, number__lt=later)
        if between.exclude(kind__in=("player", "section")).exists():
            continue
        if again:
            leading[number] = later
        else:
            leading[later] = leading.get(number, number)
    return leading


# ---- Errata in words
MOST_SHOWN = 10
"""The most corrections shown on a list's page; the page of errata has all."""
MOST_CHANGES_SAID = 3
"""The most differences of a section that the sentence of its erratum names."""


@dataclass(frozen=True, slots=True)
class WordedErratum:
    """An act of correction in words."""

    erratum: Erratum
    line: Fact
    title: str
    changes: list[ChangeRow] | None
    """The differences from the section as it was rated before; None: it was not, or no section is rated."""
    wrong: str
    """The fault in general words; empty for a section rated again on another day."""
    words: str
    """The office's own words."""
    url: str
    at: datetime
    """The time of the decision; in a record that was taken in, noon of its day."""
    players: int
    """The number of people whose rating moved in the digits shown."""
    revised: list[RevisedDay]
    """The lists that the act published again."""

    @property
    def sentence(self) -> str:
        """What was wrong and what is right, as the section's lines say it; may be empty."""
        changes = self.changes or []
        said = [each.sentence for each in changes[:MOST_CHANGES_SAID]]
        if more := len(changes) - len(said):
            words = ngettext("%(number)s more difference", "%(number)s more differences", more)
            said.append(words % {"number": more})
        return "; ".join(said)


class RevisedDay(NamedTuple):
    """A day whose lists were published again."""

    on: date
    label: str
    rows: int
    """The number of rows that differ from the version before, in all tracks."""


def every_erratum_of(federation: Federation) -> QuerySet[Erratum]:
    """Return the errata of an office line by line, in no order."""
    # The sum keeps SQLite from the index of the federation, by which it would read the whole journal.
    return Erratum.objects.alias(office=F("fact__federation_id") + 0).filter(office=federation.pk)


def errata_of(federation: Federation, acts: Acts | None = None) -> QuerySet[Erratum]:
    """Return an office's errata, newest first, one for each act, with its line and what that takes back or
    mends. `acts`: those of the office, where they were read.
    """
    acts = acts or read_acts(federation)
    found = every_erratum_of(federation).exclude(fact__number__in=list(acts.leading))
    return found.select_related("fact__section__event", "fact__takes").order_by("-fact__number")


def errata_of_section(section: Section) -> QuerySet[Erratum]:
    return errata_of(section.event.federation).filter(fact__section=section)


def worded_errata(
    federation: Federation, errata: Iterable[Erratum], acts: Acts | None = None, *, in_full: bool = True
) -> list[WordedErratum]:
    """Errata in words. `acts`: those of the office, where they were read. Not `in_full`: without the changes,
    the count of players and the lists.
    """
    found = list(errata)
    if not found:
        return []
    acts = acts or read_acts(federation)
    numbers = {number for each in found for number in acts.further(each.fact.number)}
    further = {line.number: line for line in Fact.objects.filter(federation=federation, number__in=numbers)}
    lines = {each.fact.number: each.fact for each in found} | further
    for line in lines.values():
        line.federation = federation
    parsed = {
        number: journal_lines.parse_line(line.line, federation.ruleset) for number, line in lines.items()
    }
    people = _people(federation, parsed.values())
    decisions = _decisions(federation, [*lines.values()])
    hidden = read_hidden_people(federation) if decisions else HiddenPeople()
    changes = _read_changes(federation, found) if in_full else {}
    counts = _count_players(federation, found, acts) if in_full else {}
    revised = _read_revised(federation, parsed) if in_full else {}
    worded = []
    for each in found:
        act = [
            each.fact,
            *(further[number] for number in acts.further(each.fact.number) if number in further),
        ]
        reasons = [fact.reason for line in act if isinstance(fact := parsed[line.number], facts.Unrated)]
        decided = next((decisions[line.number] for line in reversed(act) if line.number in decisions), None)
        told = (decisions[line.number].details for line in act if line.number in decisions)
        said = next((words for details in told if (words := details.get("words") or details.get("note"))), "")
        noon = datetime.combine(each.fact.on or datetime.now(UTC).date(), time(12), UTC)
        worded.append(
            WordedErratum(
                erratum=each,
                line=each.fact,
                title=_title(
                    each.fact, parsed[each.fact.number], people, corrected=acts.corrects(each.fact.number)
                ),
                changes=changes.get(each.fact.number),
                wrong=reason_words(reasons[0]) if reasons else "",
                words=hidden.redact(str(said)),
                url=reverse("ratings:erratum", args=[federation.code, each.fact.number]),
                at=decided.at if decided else noon,
                players=counts.get(each.fact.number, 0),
                revised=[revised[line.number] for line in act if line.number in revised],
            )
        )
    return worded


def _read_revised(federation: Federation, lines: Mapping[int, facts.JournalFact]) -> dict[int, RevisedDay]:
    """The lists that those of these lines published again which revise lists, by the line's number."""
    days = {number: fact.list for number, fact in lines.items() if isinstance(fact, facts.Revised)}
    rows: Counter[int] = Counter()
    if days:
        lists = RatingList.objects.of(federation).without_content().filter(fact__number__in=days)
        for each in lists.select_related("fact", "supersedes"):
            rows[each.fact.number] += count_differing_rows(each)
    return {number: RevisedDay(day, RatingList(on=day).label, rows[number]) for number, day in days.items()}


def count_differing_rows(rating_list: RatingList) -> int:
    """The number of rows in which a revision differs from the version before; both never change."""
    key = f"rows-differ-{rating_list.pk}-{rating_list.sha256}"
    if (found := page_cache.get(key)) is None:
        before, after = get_places(rating_list.supersedes), get_places(rating_list)
        found = compare_places(rating_list.federation, rating_list.track, before, after, 0).count
        page_cache.set(key, found)
    return int(found)


# ---- The ratings that an act moved
BeforeAndAfter = tuple[Decimal | None, Decimal | None]
Corrected = dict[tuple[int, str], BeforeAndAfter]
"""The ratings before and after, by the player's key and the track."""


def read_corrected(
    office: Federation, leading: Iterable[int], acts: Acts, **only: object
) -> dict[tuple[int, int, str], BeforeAndAfter]:
    """Read the ratings that acts corrected, from before an act's first line to after its last, by its leading
    line, the player's key and the track. `only`: a filter of the corrected ratings.
    """
    numbers = {number for line in leading for number in (line, *acts.further(line))}
    rows = CorrectedRating.objects.filter(
        erratum__fact__federation=office, erratum__fact__number__in=numbers, **only
    )
    return _join_corrected(rows.values_list(*CORRECTED_COLUMNS), acts)


CORRECTED_COLUMNS = ("erratum__fact__number", "position", "player_id", "track", "before", "after")


def _join_corrected(rows: Iterable[Any], acts: Acts) -> dict[tuple[int, int, str], BeforeAndAfter]:
    joined: dict[tuple[int, int, str], BeforeAndAfter] = {}
    for number, _position, player, track, before, after in sorted(rows, key=itemgetter(0, 1)):
        key = acts.leading.get(number, number), player, track
        joined[key] = joined.get(key, (before, None))[0], after
    return joined


def _corrected(office: Federation, leading: Iterable[int], acts: Acts) -> dict[int, Corrected]:
    """The ratings that acts moved in the digits shown, by the acts' leading lines."""
    places = office.publication.decimals
    found: dict[int, Corrected] = {line: {} for line in leading}
    for (line, player, track), (before, after) in read_corrected(office, found, acts).items():
        if round_rating(before, places) != round_rating(after, places):
            found[line][player, track] = before, after
    return found


def _count_players(office: Federation, errata: Sequence[Erratum], acts: Acts) -> dict[int, int]:
    """The number of people whose rating each act moved, by its leading line. Errata never change; only an act
    may become longer.
    """
    keys = {
        f"erratum-players-{office.pk}-{each.fact.number}-{len(acts.further(each.fact.number))}-{each.pk}":
        each.fact.number
        for each in errata
    }  # fmt: skip
    known = page_cache.get_many(keys)
    counts = {keys[key]: int(count) for key, count in known.items()}
    if missing := {key: line for key, line in keys.items() if key not in known}:
        moved = _corrected(office, missing.values(), acts)
        counts |= {line: len({player for player, _track in found}) for line, found in moved.items()}
        page_cache.set_many({key: counts[line] for key, line in missing.items()})
    return counts


def _title(fact: Fact, line: facts.JournalFact, people: dict[str, Player], *, corrected: bool = False) -> str:
    """The title of an erratum; `corrected`: whether its section was un-rated for it in the same act."""
    match line:
        case facts.Rated() if corrected:
            return _("Corrected: %(what)s") % {"what": _section(fact)}
        case facts.Unrated():
            return _("Rating withdrawn: %(section)s") % {"section": _section(fact)}
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


class TitledErratum(NamedTuple):
    title: str
    url: str
    on: date | None


def corrections_of_player(player: Player, track: str) -> list[tuple[TitledErratum, BeforeAndAfter]]:
    """Return the errata of a player's rating in a track, newest first, each with the rating before and after.

    They include those of entries merged into the player's, unless the same act has the player's own.
    """
    people = Player.objects.keys_with_merged(player)
    rows = CorrectedRating.objects.filter(player__in=people, track=track).values_list(*CORRECTED_COLUMNS)
    if not (found_rows := list(rows)):
        return []
    acts = read_acts(player.federation)
    by_line: dict[int, BeforeAndAfter] = {}
    for (line, owner, _track), pair in _join_corrected(found_rows, acts).items():
        if line not in by_line or owner == player.pk:
            by_line[line] = pair
    by_line = {line: pair for line, pair in by_line.items() if pair[0] != pair[1]}
    errata = list(errata_of(player.federation, acts).filter(fact__number__in=by_line))
    ruleset = player.federation.ruleset
    lines = {each.pk: journal_lines.parse_line(each.fact.line, ruleset) for each in errata}
    named = _people(player.federation, lines.values())
    found = []
    for erratum in errata:
        number = erratum.fact.number
        title = _title(erratum.fact, lines[erratum.pk], named, corrected=acts.corrects(number))
        url = reverse("ratings:erratum", args=[player.federation.code, number])
        found.append((TitledErratum(title, url, erratum.fact.on), by_line[number]))
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


@page(PUBLIC, caching=cached_page)
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


@page(PUBLIC, caching=cached_page)
def erratum(request: OfficeRequest, line: int) -> HttpResponseBase:
    """Page of an act of correction; the other lines of the act lead to it."""
    acts = read_acts(request.office)
    if leading := acts.leading.get(line):
        return redirect("ratings:erratum", office=request.office.code, line=leading)
    found = errata_of(request.office).filter(fact__number=line).first()
    if found is None:
        raise Http404(_("No line of that number corrects anything."))
    [worded] = worded_errata(request.office, [found], acts)
    moved = _corrected(request.office, [line], acts)[line]
    tracks = {track for _player, track in moved}
    track = request.GET.get("track", "")
    track = track if track in tracks else ""
    first = _ratings_before_unrating(request.office, found)
    rows = _sort_corrected(request.office, moved, track, first)
    table = paged(CorrectedRatingsTable(rows, office=request.office, first=first), request)
    if request.office.ruleset.calendar.waits_for_list:
        _part_movements([row.record for row in table.paginated_rows], found.fact, acts)
    reach = compute_reaches(request.office, errata_of(request.office).filter(pk=found.pk))
    lists = lists_concerned(request.office, reach[0]) if reach else []
    context = {
        "told": worded,
        "lists": lists,
        "clause": _clause(request.office, worded, listed=bool(lists)),
        "tracks": _tabs(request.office, tracks, track),
        "table": table,
        "beside": _other_corrections(request.office, found),
        "federation": request.office,
    }
    return render(request, "ratings/erratum.html", context)


def _ratings_before_unrating(office: Federation, found: Erratum) -> dict[StandingKey, Decimal | None] | None:
    """The ratings before the un-rating of a section that was rated again in a later act, by player's number
    and track; None for other corrections.
    """
    if found.fact.kind != "rated" or read_acts(office).corrects(found.fact.number):
        return None
    back = errata_of(office).filter(fact__subject=found.fact.subject, fact__kind="unrated")
    last = back.filter(fact__number__lt=found.fact.number).first()
    rows = last.ratings.values_list("player__number", "track", "before") if last else ()
    return {(number, track): before for number, track, before in rows}


def _sort_corrected(
    office: Federation, moved: Corrected, track: str, first: dict[StandingKey, Decimal | None] | None
) -> list[CorrectedRow]:
    """The rows of a track, or of all; the largest difference first. `first`: ratings that count as those
    before, of a section whose entrants all differ from the ratings without it.
    """
    wanted = {key: pair for key, pair in moved.items() if not track or key[1] == track}
    people = Player.objects.filter(federation=office).select_related("region", "federation")
    named = people.in_bulk({player for player, _track in wanted})
    rows = [
        CorrectedRow(named[player], track, Movement(Balance(before), Balance(after)))
        for (player, track), (before, after) in wanted.items()
    ]

    def differs_by(row: CorrectedRow) -> Decimal:
        before = row.before if first is None else first.get((row.player.number, row.track))
        if before is None or row.after is None:
            return Decimal(0) if before == row.after else Decimal(10**6)
        difference: Decimal = row.after - before
        return abs(difference)

    return sorted(rows, key=lambda row: (-differs_by(row), row.player.number, row.track))


def _part_movements(rows: Sequence[CorrectedRow], line: Fact, acts: Acts) -> None:
    """Tell in the rows of the act of a line what waited before it and waits after it, as known then.

    Errata keep ratings with what waits; rows of which the record does not give the same any more stay so.
    """
    office, people = line.federation, {row.player.number for row in rows}
    lines = [line.number, *acts.further(line.number)]
    before, after = (
        read_balances(office.ruleset, state_before(office, AFTER_EVERYTHING, people, number), date.max)
        for number in (min(lines) - 1, max(lines))
    )
    for row in rows:
        key = row.player.number, row.track
        parted = Movement(before.get(key, Balance()), after.get(key, Balance()))
        if (parted.before.total, parted.after.total) == (row.before, row.after):
            row.movement = parted


def _clause(office: Federation, worded: WordedErratum, *, listed: bool) -> str:
    """The clause under which a section was un-rated or rated again; empty if there is none."""
    powers = office.equipment.office.powers
    if worded.line.section is None:
        return ""
    return powers.listed_clause if listed and powers.listed_clause else powers.unrating_clause


def _tabs(office: Federation, moved: set[str], chosen: str) -> list[dict[str, Any]]:
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

    @property
    def sentence(self) -> str:
        """What is right, and what was wrong."""
        names = " – ".join(player.shown_name for player in self.players)
        what = f"{self.words}, {names}" if names else self.words
        said = {"what": what, "right": self.after or "–", "wrong": self.before or "–"}
        return _("%(what)s: %(right)s, not %(wrong)s") % said


def _read_changes(office: Federation, errata: Sequence[Erratum]) -> dict[int, list[ChangeRow]]:
    """The differences of sections that errata rate again from those rated before, by the errata's lines."""
    again = {each.fact.number: each.fact for each in errata if each.fact.kind == "rated" and each.fact.takes}
    if not again:
        return {}
    rated = Fact.objects.about(office, {each.subject for each in again.values()}, "rated")
    takes = sorted(rated.exclude(takes=None).values_list("number", "subject", "takes__line"))
    pairs: dict[int, tuple[facts.Section, facts.Section]] = {}
    for line in again.values():
        earlier = [text for number, of, text in takes if of == line.subject and number < line.number]
        if earlier and line.takes is not None:
            old, new = (
                journal_lines.parse_line(each, office.ruleset) for each in (earlier[-1], line.takes.line)
            )
            assert isinstance(old, facts.Section)
            assert isinstance(new, facts.Section)
            pairs[line.number] = old, new
    return dict(zip(pairs, compare_versions(office, pairs.values()), strict=True))


def compare_versions(
    office: Federation, pairs: Iterable[tuple[facts.Section, facts.Section]]
) -> list[list[ChangeRow]]:
    """The differences between two versions of a section, for each such pair, in words: games first, then what
    else differs.
    """
    found = [list_section_changes(old, new) for old, new in pairs]
    numbers = {player for differing in found for each in differing for player in each.players}
    named = get_named_players(office, numbers)
    return [
        [
            ChangeRow(
                _words_of_change(office.ruleset, each),
                [named[number] for number in each.players if number in named],
                *(_value_in_words(office.ruleset, each.what, value) for value in each[3:]),
            )
            for each in sorted(differing, key=lambda each: each.what != "game")
        ]
        for differing in found
    ]


def _value_in_words(ruleset: Ruleset, what: str, value: str) -> str:
    """What stood in a section, of the kind `what` of `SectionChange`, as people write it."""
    match what:
        case "game" | "bye":
            result, space, turned = value.partition(" ")
            return f"{result_in_words(result)}{space}{turned}"
        case "entry":
            return value and _("yes")
        case "team":
            return _("yes") if value == "True" else _("no")
        case "format":
            return str(FORMAT_LABELS.get(value, value))
        case "starts" | "ends":
            return day_in_words(value)
        case "time_controls":
            return value
    field = next((each for each in form_fields(ruleset) if each.name == what), None)
    return field_in_words(field, value) if field and value else value


def _words_of_change(ruleset: Ruleset, change: SectionChange) -> str:
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
    particulars |= {
        field.name: _(field.label) for field in form_fields(ruleset) if field.name not in particulars
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


@page(PUBLIC, caching=cached_page)
def feed(request: OfficeRequest) -> HttpResponseBase:
    atom = AtomFeed(
        request,
        title=_("%(office)s: errata") % {"office": request.office.name},
        description=_("Corrections of ratings that were published or worked out."),
        page=reverse("ratings:errata", args=[request.office.code]),
    )
    for each in worded_errata(request.office, errata_of(request.office)[:MOST_FEED_ENTRIES]):
        said = (each.sentence, each.wrong)
        words = " ".join([*(f"{part}." for part in said if part), *filter(None, [each.words])])
        words = words or _sentence_of_kind(each.line.kind)
        atom.entry(title=each.title, url=each.url, words=words, at=each.at)
    return atom.answer()
