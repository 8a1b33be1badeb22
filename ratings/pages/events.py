"""Public pages of events and sections, with the downloads of a section.

Registrations are public at once; entries, games and arbiters are shown once a section is rated.
"""

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

from django.db.models import Count, OuterRef, Subquery
from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _, gettext_noop as later

from players.access import PUBLIC, OfficeRequest, Permission, page
from players.display import round_rating
from players.models import Federation, Player
from players.names import begin_words, fold_words
from players.pages.forms import parse_number
from players.settings import today
from ratings.cross_tables import (
    FILE_SUFFIXES,
    STANDINGS as CROSS_TABLE_STANDINGS,
    CrossTable,
    EntrantRow,
    bye_cell,
    game_mark_and_style,
    public_play,
)
from ratings.disclosure import get_public_organizer, list_public_arbiters, tell_apart
from ratings.lists import find_next_list_day
from ratings.models import DaysTakenOver, Fact, RatingList
from ratings.pages.errata import errata_of_section, every_erratum_of, worded_errata
from ratings.pages.filters import EventFilter
from ratings.pages.responses import (
    cached_page,
    cached_part,
    is_computing,
    unindexed_file_response,
    use_cached_regions,
)
from ratings.pages.tables import EventTable, SectionResult, get_track_or_404, list_sections
from ratings.public_tables import EVENT_COLUMNS, MEDIA_TYPES, write_table
from ratings.rulesets.downloads import csv_bytes, disarm_cell
from ratings.rulesets.facts import ANNULLED, PLAYED
from ratings.rulesets.profile import form_fields
from tournaments.announcements import Notice, find_closing_notice, get_notices, state_notices
from tournaments.corrections import list_public_corrections
from tournaments.models import OPEN_TO_FILING, Entry, Event, Game, Section, Stage
from tournaments.section_files import ELO, TABLE, TRF_STYLES, render_section_file
from tournaments.sections import (
    find_admission_before_play,
    is_refused_before_play,
    particulars_in_words,
    particulars_with_clauses,
)
from tournaments.submission import describe_adjustments

# ---- Downloads of a rated section, written from what the public may know
CSV_MEDIA_TYPE = "text/csv; charset=utf-8"
LAYOUT_NAMES = {
    **TRF_STYLES,
    TABLE: later("Players and games (CSV)"),
    ELO: later("Othello’s .ELO"),
    "ema": later("EMA’s result sheet (CSV)"),
    "portal": later("Mahjong portal’s table (CSV)"),
    CROSS_TABLE_STANDINGS: later("Standings (CSV)"),
}
STANDINGS_COLUMNS = (
    "place",
    "number",
    "name",
    "title",
    "team",
    "score",
    "before",
    "at_once",
    "waits",
    "after",
    "performance",
)


@page(PUBLIC, caching=cached_page)
def section_file(
    request: OfficeRequest, number: str, code: str, layout: str, suffix: str
) -> HttpResponseBase:
    sections = Section.objects.filter(event__federation=request.office, event__number=number)
    section = get_object_or_404(sections.select_related("event__federation"), code=code, stage=Stage.RATED)
    if track := request.GET.get("track", ""):
        get_track_or_404(request.office.ruleset, track)
    lines = section.facts.filter(kind="rated").in_force()
    rated = lines.select_related("takes").order_by("-number").first()
    if rated:
        rated.federation = request.office
    table = CrossTable(section, rated, track)
    if FILE_SUFFIXES.get(layout) != suffix or layout not in layouts_of(table):
        raise Http404(_("A section is not offered in this layout."))
    stem = f"{request.office.code}-{section.event.number}-{section.code}-{layout}.{suffix}"
    if layout == CROSS_TABLE_STANDINGS:
        return unindexed_file_response(csv_bytes(STANDINGS_COLUMNS, _standings(table)), CSV_MEDIA_TYPE, stem)
    media = CSV_MEDIA_TYPE if suffix == "csv" else "text/plain; charset=utf-8"
    return unindexed_file_response(render_section_file(public_play(table), layout), media, stem)


def layouts_of(table: CrossTable) -> tuple[str, ...]:
    return (CROSS_TABLE_STANDINGS, *public_play(table, include_people=False).layouts)


def section_file_links(table: CrossTable, track: str) -> list[tuple[str, str]]:
    """Return the name and the address of each file of a section, with the ratings of a track."""
    query = f"?{urlencode({'track': track})}" if track else ""
    return [(_(LAYOUT_NAMES[each]), f"{each}.{FILE_SUFFIXES[each]}{query}") for each in layouts_of(table)]


def _standings(table: CrossTable) -> Iterator[list[str]]:
    places = table.office.publication.decimals
    for entry, row in zip(table.entries, table.rows, strict=True):
        texts = [entry.person.number if entry.person else "", row.name, row.title, row.note, row.score]
        moved = row.movement.as_shown(places) if row.movement else None
        rounded = (
            *((moved.before.rating, moved.at_once, moved.waits, moved.after.rating) if moved else [None] * 4),
            round_rating(row.performance, table.performance_places or 0),
        )
        place = "" if row.place is None else str(row.place)
        yield [place, *map(disarm_cell, texts), *("" if value is None else f"{value:f}" for value in rounded)]


# ---- Pages of events
EVENTS_A_PAGE = 30


@page(PUBLIC, caching=cached_page)
def events(request: OfficeRequest) -> HttpResponseBase:
    """Page of the events: the next one first, then those that were played, the last one first."""
    office = request.office
    form = EventFilter(request.GET, office)
    page = parse_number(request.GET.get("page"), 5) or 1
    matching = form.narrow(Event.objects.filter(federation=office).not_withdrawn())
    found = matching.select_related("region", "federation").prefetch_related("sections")
    ahead = found.filter(ends__gte=today(office)).order_by("starts", "number")
    played = found.filter(ends__lt=today(office)).order_by("-starts", "-number")
    first, after = (page - 1) * EVENTS_A_PAGE, page * EVENTS_A_PAGE + 1
    rows = list(ahead[first:after])
    if len(rows) < after - first:
        before = first + len(rows) if rows or not first else ahead.count()
        rows += played[max(0, first - before) : after - before]
    shown = rows[:EVENTS_A_PAGE]
    coming = [event for event in shown if event.ends >= today(office)]
    past = [event for event in shown if event.ends < today(office)]
    results = get_section_results(office, [each for event in past for each in list_sections(event)])
    context = {
        "form": form,
        "query": urlencode(form.chosen),
        "coming": EventTable(coming, office=office) if coming else None,
        "past": EventTable(past, office=office, results=results) if past else None,
        "earlier": _event_query(request, page - 1) if page > 1 else "",
        "later": _event_query(request, page + 1) if len(rows) > EVENTS_A_PAGE else "",
    }
    return render(request, "ratings/events.html", context)


@page(PUBLIC, caching=cached_page)
def events_file(request: OfficeRequest, suffix: str) -> HttpResponseBase:
    """The events that the page of the same query shows, in its order as CSV, XLSX or JSON."""
    office, now = request.office, today(request.office)
    if suffix not in MEDIA_TYPES:
        raise Http404(_("There is no such table."))
    matching = EventFilter(request.GET, office).narrow(
        Event.objects.filter(federation=office).not_withdrawn()
    )
    found = matching.select_related("region")
    rows = [
        *found.filter(ends__gte=now).order_by("starts", "number"),
        *found.filter(ends__lt=now).order_by("-starts", "-number"),
    ]
    content, media_type = write_table(suffix, "events", now, EVENT_COLUMNS, rows)
    return unindexed_file_response(content, media_type, f"{office.code}-events-{now.isoformat()}.{suffix}")


def get_section_results(office: Federation, sections: Iterable[Section]) -> dict[int, SectionResult]:
    """The results of those sections that are rated, by the section's key."""
    rated = [section.pk for section in sections if section.stage == Stage.RATED]
    if not rated:
        return {}
    entries, games = (
        model.objects.filter(section=OuterRef("pk")).order_by().values("section") for model in (Entry, Game)
    )
    sizes = Section.objects.filter(pk__in=rated).values_list(
        "pk",
        *(Subquery(rows.annotate(count=Count("pk")).values("count")) for rows in (entries, games)),
    )
    related = Entry.objects.filter(section__in=rated, place=1).select_related(
        "player__merged_into", "player__federation"
    )
    winners: dict[int, list[Player]] = {}
    for entry in related.defer("candidates", "other_ids").order_by("number"):
        if entry.person:
            entry.person.federation = office
            winners.setdefault(entry.section_id, []).append(entry.person)
    tell_apart(office, [each for found in winners.values() for each in found])
    return {
        pk: SectionResult(players or 0, played or 0, winners.get(pk, ())) for pk, players, played in sizes
    }


@page(PUBLIC, caching=cached_page)
def event(request: OfficeRequest, number: str) -> HttpResponseBase:
    events = Event.objects.filter(federation=request.office).select_related("region", "federation")
    found = get_object_or_404(events.prefetch_related("sections"), number=number)
    if found.state == Event.State.WITHDRAWN:
        return withdrawn_page(request, found)
    sections = list_sections(found)
    notices = get_notices(found)
    own = _notices_by_section(found, sections, notices)
    results = get_section_results(request.office, sections)
    context = {
        "event": found,
        "sections": [
            (section, results.get(section.pk), own.get(section.named_on_record)) for section in sections
        ],
        "rated": any(section.stage == Stage.RATED for section in sections),
        "announcements": _list_announcements(sections),
        "organizer": get_public_organizer(found),
        "arbiters": list_public_arbiters(found),
        "files": may_file(request, found),
        "notices": notices,
    }
    return render(request, "ratings/event.html", context)


WEB = ("http://", "https://")


def _list_announcements(sections: Iterable[Section]) -> list[tuple[str, str]]:
    """The addresses that sections give for everybody to read, each once, behind its field's label."""
    return list(
        dict.fromkeys(
            (_(field.label), str(section.particulars[field.name]))
            for section in sections
            for field in form_fields(section.event.federation.ruleset)
            if field.kind == "url" and str(section.particulars.get(field.name)).startswith(WEB)
        )
    )


def _notices_by_section(event: Event, sections: list[Section], of_event: list[Notice]) -> dict[str, Notice]:
    """Notices of sections that their planned event does not have, by the sections' names on record."""
    if event.state != Event.State.PLANNED:
        return {}
    known = {notice.number for notice in of_event}
    own = state_notices(event.federation, sections)
    return {name: notice for name, notice in own.items() if notice.number not in known}


def withdrawn_page(request: OfficeRequest, event: Event, section: Section | None = None) -> HttpResponseBase:
    """Render the page of what was registered by mistake: 410, with the reason and nothing else."""
    context = {
        "event": event,
        "section": section,
        "closing": find_closing_notice(section or event),
        "files": may_file(request, event),
    }
    return render(request, "ratings/withdrawn.html", context, status=410)


def may_file(request: OfficeRequest, event: Event) -> bool:
    if Permission.SECTIONS_FILE not in request.rights:
        return False
    return Event.objects.within(request.rights, Permission.SECTIONS_FILE).filter(pk=event.pk).exists()


def _event_query(request: OfficeRequest, page: int) -> str:
    query = request.GET.copy()
    query["page"] = str(page)
    return f"?{query.urlencode()}"


# ---- The pairings of a round
@dataclass(frozen=True, slots=True)
class Pairing:
    first: EntrantRow
    second: EntrantRow
    result: str
    """The result with both sides' marks: `1–0`."""
    url: str
    """The address of the form that reports a mistake in it."""
    words: str


def played_round(table: CrossTable, number: int) -> dict[str, Any]:
    """A round with its number or the name of a final, its pairings, and who had no opponent (`idle`), each
    with the kind of bye in words.
    """
    rows = {entry.pk: row for entry, row in zip(table.entries, table.rows, strict=True)}
    played = sorted((game for game in table.games if game.round == number), key=lambda game: game.order)
    idle = sorted(
        (bye for bye in table.byes if bye.round == number), key=lambda bye: table.number[bye.entry_id]
    )
    return {
        "number": number,
        "name": table.section.name_of_round(number),
        "day": day_of_round(table.section.round_dates, number),
        "pairings": list(_pairings(table, rows, played)),
        "idle": [(rows[bye.entry_id], bye_cell(bye, table.notation).words) for bye in idle],
    }


def day_of_round(days: list[str | None], number: int) -> date | None:
    """Return the day of a round, of a section's ISO days; None if it is unknown."""
    text = days[number - 1] if number <= len(days) else None
    return date.fromisoformat(text) if text else None


def _pairings(table: CrossTable, rows: dict[int, EntrantRow], played: list[Game]) -> Iterator[Pairing]:
    for game in played:
        marks = [game_mark_and_style(game.result, side, table.notation)[0] for side in (0, 1)]
        cell, _other = table.played(game)
        between = "–" if game.result in PLAYED else ":"
        result = marks[0] if game.result == ANNULLED else between.join(marks)
        yield Pairing(rows[game.first_id], rows[game.second_id], result, cell.url, cell.words)


# ---- Facts beside a section's table
# They name office and region alone: no public page has the names of people who file and approve.
NEXT_STEPS = {
    Stage.REGISTERED: later("To be played and filed"),
    Stage.FILED: later("With the region, to be submitted"),
    Stage.SUBMITTED: later("With the office, to be decided"),
    Stage.RETURNED: later("Returned to the region for correction"),
    Stage.UNRATED: later("Un-rated; to be filed again"),
}
"""The next step in words, by a section's stage."""


class SharedSectionContext(NamedTuple):
    """Parts of an office's record that the pages of all its sections need, cached for them."""

    due: date | None
    """The day of the next list; None where the regulations fix no days."""
    taken_over: DaysTakenOver
    corrected: frozenset[int]
    """The keys of the sections that errata concern."""


@dataclass(frozen=True, slots=True)
class RecordStep:
    words: str
    day: date | None = None
    url: str = ""
    done: bool = True


def summarize_entrants(table: CrossTable) -> dict[str, Any]:
    """The numbers of players and of those rated before the section, and the mean of those ratings."""
    ratings = [row.rating for row in table.rows if row.rating is not None]
    average = sum(ratings, Decimal(0)) / len(ratings) if ratings else None
    return {"players": len(table.rows), "rated": len(ratings), "average": average}


def get_shared_section_context(office: Federation) -> SharedSectionContext:
    # None is dropped here, because SQLite would read the journals of all offices for it.
    keys = {key for key in every_erratum_of(office).values_list("fact__section", flat=True) if key}
    return SharedSectionContext(
        find_next_list_day(office, today(office)), DaysTakenOver(office), frozenset(keys)
    )


def steps_of(section: Section, rated_line: Fact | None, shared: SharedSectionContext) -> Iterator[RecordStep]:
    """Yield the past steps of a section and the next one, from its registration to the first list on which it
    counts.
    """
    event, office = section.event, section.event.federation
    over = shared.taken_over.day_for_line(rated_line.number) if rated_line else None
    if rated_line is not None and over is not None:
        yield RecordStep(_("Rated, by the past that was taken over"), section.rated_on)
        yield _list_step(section, rated_line, shared.due)
        yield RecordStep(_("Taken over by %(office)s") % {"office": office.name}, over)
        return
    yield RecordStep(_("Registered"), section.registered_on or event.registered_on)
    if section.filed_on:
        by_region = _("Filed by %(region)s") % {"region": str(event.region)}
        yield RecordStep(by_region if office.regional else _("Filed"), section.filed_on)
    if section.submitted_on and section.stage not in OPEN_TO_FILING:
        yield RecordStep(_("Submitted to the office"), section.submitted_on)
    if section.stage == Stage.RATED:
        approved = _("Approved and rated by %(office)s") % {"office": office.name}
        yield RecordStep(approved, section.rated_on)
        yield _list_step(section, rated_line, shared.due)
    elif section.stage in NEXT_STEPS:
        yield RecordStep(_(NEXT_STEPS[Stage(section.stage)]), done=False)


def _list_step(section: Section, rated: Fact | None, due: date | None) -> RecordStep:
    """The step at which a section counts on a list: the first published since it was rated, or the next."""
    office = section.event.federation
    if found := rated and find_first_list(section, rated):
        found.federation = office
        words = _("Counts for the first time on the list of this day")
        return RecordStep(words, found.on, found.get_absolute_url())
    if due is None:
        return RecordStep(_("Counts on the next list"), done=False)
    return RecordStep(_("Counts on the next list, due on this day"), due, done=False)


def find_first_list(section: Section, rated_line: Fact) -> RatingList | None:
    """Return the first list published after a section was first rated (D-2), in a track that it moves, if
    there is one; not a revision of a list of an earlier day.
    """
    lists = RatingList.objects.of(section.event.federation).without_content()
    later = lists.filter(fact__number__gt=rated_line.first.number, on__gte=section.ends, revision=1)
    moved = later.filter(track__in=rated_line.changes.order_by().values("track"))
    return moved.order_by("fact__number", "pk").first()


def waived_or_permitted_clauses(section: Section) -> list[str]:
    """Return the clauses that the office waived or permitted for a section, each once; without the reasons,
    which may speak of people.
    """
    granted = [each["clause"] for each in section.permissions if each.get("clause")]
    waived = section.findings.exclude(waived_because="").order_by("clause")
    return list(
        dict.fromkeys([*granted, *(each for each in waived.values_list("clause", flat=True) if each)])
    )


# ---- The page of a section
IMPERSONAL_KEYS = frozenset(
    {
        "absent",
        "colour-from-opponent",
        "points-missing",
        "points-overruled",
        "round-dates-of-one-day",
        "result-without-opponent",
        "short-draw",
        "short-game",
        "win-without-opponent",
    }
)
"""The keys of adjustments of results, which are not personal."""
CROSS, STANDINGS, ROUNDS = "cross", "standings", "rounds"
"""The views of a section in addresses; the first is the page itself."""


@page(PUBLIC, caching=cached_page)
def section(request: OfficeRequest, number: str, code: str) -> HttpResponseBase:
    sections = Section.objects.filter(event__federation=request.office, event__number=number)
    found = get_object_or_404(sections.select_related("event__region"), code=code)
    found.event.federation = request.office
    use_cached_regions(request)
    if found.stage == Stage.WITHDRAWN and not errata_of_section(found).exists():
        return withdrawn_page(request, found.event, found)
    rated = _rated_context(request, found) if found.stage == Stage.RATED else {}
    record = cached_part(
        request, "record of sections", lambda: get_shared_section_context(found.event.federation)
    )
    name = f"section {found.pk}"
    common = cached_part(request, name, lambda: _common_context(found, rated.get("rated"), record))
    if rated.get("find") and len(rated["found"]) < 2:
        return _redirect_to_found(request, rated)
    context = {
        "section": found,
        "event": found.event,
        "files": may_file(request, found.event),
        "edition": request.office.ruleset.edition_on_or_first(found.starts),
        **common,
        **rated,
    }
    return render(request, "ratings/section.html", context)


def _common_context(section: Section, rated: Fact | None, record: SharedSectionContext) -> dict[str, Any]:
    adjustments = describe_adjustments(section) if section.stage == Stage.RATED else []
    errata = errata_of_section(section) if section.pk in record.corrected else []
    return {
        "particulars": particulars_with_clauses(section),
        "steps": list(steps_of(section, rated, record)),
        "waived": waived_or_permitted_clauses(section),
        "decisions": list(decisions_on(section)),
        "notices": (of_event := get_notices(section.event)),
        "own_notices": _own_notices(section, of_event),
        "closing": find_closing_notice(section),
        "errata": worded_errata(section.event.federation, errata),
        "corrections": list_public_corrections(section) if section.stage == Stage.RATED else [],
        "adjustments": [(each["words"], each, each["key"] in IMPERSONAL_KEYS) for each in adjustments],
    }


def _own_notices(section: Section, of_event: list[Notice]) -> list[Notice]:
    """Notices of a section that its event does not have; none if the only one is its cancellation, which its
    stage shows. A postponed section that was announced for other days than its event, and has no further
    notice, has that of its postponement.
    """
    known, own = {notice.number for notice in of_event}, get_notices(section)
    further = [notice for notice in own if notice.number not in known]
    if section.stage == Stage.CANCELLED:
        return [] if [notice.kind for notice in further] == ["cancel"] else further
    if further or not section.postponed or section.first_days == section.event.first_days:
        return further
    return [notice for notice in (*own, *of_event) if notice.kind == "postpone"][:1]


def decisions_on(section: Section) -> Iterator[tuple[str, date | None, list[tuple[str, str]]]]:
    """Yield the office's decisions on a section before and after play, if regulations ask for both: words,
    day, and particulars declared (label and value); without the reasons, which may speak of people.
    """
    if section.event.federation.ruleset.sections.admission is None:
        return
    first = find_admission_before_play(section)
    if first:
        declared = copy(section)
        declared.rounds, declared.particulars = first["declared"]["rounds"], first["declared"]["particulars"]
        words = _("First decision, before play: admitted as declared")
        yield words, date.fromisoformat(first["on"]), particulars_in_words(declared)
    elif is_refused_before_play(section):
        yield _("First decision, before play: not admitted"), section.notice_on, []
        return
    elif section.stage in (Stage.RATED, Stage.UNRATED, Stage.REFUSED):
        yield _("No first decision, before play, is on record"), None, []
    if section.stage == Stage.RATED:
        yield _("Final decision, after play: admitted"), section.rated_on, []
    elif section.stage == Stage.REFUSED:
        yield _("Final decision, after play: not admitted"), None, []
    elif section.stage == Stage.UNRATED:
        yield _("Final decision, after play: withdrawn"), None, []


def _rated_context(request: OfficeRequest, section: Section) -> dict[str, Any]:
    """The context of a rated section: its table with one track's changes, and its lines of the journal."""
    if track := request.GET.get("track", ""):
        get_track_or_404(request.office.ruleset, track)
    facts = Fact.objects.about(request.office, [section.key], "section", "rated", "unrated")
    lines = sorted(facts.select_related("takes"), key=lambda line: line.number)
    for line in lines:
        line.federation = request.office
    rated = find_rated_line_in_force(lines)
    mends = Permission.SECTIONS_MEND in request.rights
    table = CrossTable(section, rated, track, keep=partial(cached_part, request), mends=mends)
    return {
        "lines": lines,
        "rated": rated,
        "table": table,
        **_find_context(request, table),
        "field": summarize_entrants(table),
        "computing": is_computing(request),
        "downloads": section_file_links(table, track),
        **_view_context(request, table),
    }


ROWS_IN_SIGHT = 12
"""The most rows of a table in which nobody needs to be looked for."""


def _find_context(request: OfficeRequest, table: CrossTable) -> dict[str, Any]:
    """The context of the field that finds a name in a long table: `found`, the rows of those named so."""
    wanted = request.GET.get("find", "").strip()[:60]
    parts = fold_words(wanted)
    return {
        "find": wanted,
        "findable": len(table.rows) > ROWS_IN_SIGHT,
        "found": [row for row in table.rows if row.number and begin_words(parts, row.name)],
        "kept": [(name, request.GET[name]) for name in ("view", "track") if request.GET.get(name)],
    }


def _redirect_to_found(request: OfficeRequest, context: dict[str, Any]) -> HttpResponseBase:
    """Redirect to the one row that was looked for; a name that nobody here has goes to the whole search."""
    if context["found"]:
        return redirect(f"{request.path}{_query(dict(context['kept']))}#p{context['found'][0].number}")
    return redirect(
        f"{reverse('ratings:players', args=[request.office.code])}{_query({'q': context['find']})}"
    )


def _view_context(request: OfficeRequest, table: CrossTable) -> dict[str, Any]:
    """The context of the view that the address asks for: the cross table, the standings, or the pairings of a
    round (by default the last); links to the others keep the track. Without games there are standings alone.
    """
    view = request.GET.get("view") or (CROSS if table.rounds else STANDINGS)
    views = {CROSS: _("Cross table"), STANDINGS: _("Standings"), ROUNDS: _("Rounds")} if table.rounds else {}
    if view not in {STANDINGS: "", **views}:
        raise Http404(_("A section has no such view."))
    track = {"track": request.GET["track"]} if request.GET.get("track") else {}
    shown = {"view": view} if view != CROSS and views else {}
    context: dict[str, Any] = {"view": view, "asked_view": shown.get("view", "")}
    context["views"] = [
        {
            "label": label,
            "url": _query({"view": each, **track} if each != CROSS else track),
            "current": each == view,
        }
        for each, label in views.items()
    ]
    context["tracks"] = [
        (each, _query({**shown, "track": each.code}), each == table.track) for each in table.tracks
    ]
    if view == ROUNDS:
        number = parse_number(request.GET.get("round"), 3) or 0
        if request.GET.get("round") and number not in table.rounds:
            raise Http404(_("The section has no such round."))
        context["round"] = played_round(table, number or table.rounds[-1])
        context["rounds"] = [
            (number, name, _query({"view": ROUNDS, "round": str(number), **track}))
            for number, name in zip(table.rounds, table.names_of_rounds, strict=True)
        ]
    return context


def _query(values: Mapping[str, str]) -> str:
    return f"?{urlencode(values)}" if values else "."


def find_rated_line_in_force(lines: Iterable[Fact]) -> Fact | None:
    """Return the `rated` line in force among the journal lines of a section; None if it is un-rated."""
    return next(
        (line for line in reversed([*lines]) if line.kind == "rated" and line.taken_back is None), None
    )
