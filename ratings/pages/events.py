"""Public pages of events and sections, with the downloads of a section and the calendar file.

Registrations are public at once; entries, games and arbiters are shown once a section is rated. The page of a
section has its standings, cross table and pairings by round, what its ratings rest on, and where it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

from django.conf import settings
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.formats import date_format
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as later
from icalendar import Calendar
from icalendar import Event as CalendarEntry

from players.access import OfficeRequest, Permission, public
from players.display import as_shown
from players.models import Federation
from players.settings import today
from ratings.cross_tables import STANDINGS as CROSS_TABLE_STANDINGS
from ratings.cross_tables import SUFFIXES, CrossTable, EntrantRow, bye_cell, mark_of, play_of
from ratings.disclosure import arbiters_of, organizer_of
from ratings.lists import next_day
from ratings.models import DaysTakenOver, Fact, RatingList
from ratings.pages.errata import errata_of, of_section, worded_errata
from ratings.pages.filters import EventFilter
from ratings.pages.responses import cached_page, file_response, is_computing, keep_regions, kept_part
from ratings.pages.tables import EventTable, track_of
from ratings.rulesets.downloads import csv_bytes, disarmed
from ratings.rulesets.facts import ANNULLED, PLAYED
from tournaments.announcements import Notice, closing_notice, notices_of, state_notices
from tournaments.corrections import told_in_public
from tournaments.models import OPEN_TO_FILING, Event, Section, Stage
from tournaments.section_files import ELO, TABLE, TRF, FiledGame, file_of
from tournaments.sections import (
    admitted_before_play,
    due_of,
    next_due,
    particulars_in_words,
    particulars_with_clauses,
    refused_before_play,
)
from tournaments.submission import adjusted

# ---- Downloads of a rated section, written anew from what the public may know.
CSV = "text/csv; charset=utf-8"
NAMES = {
    **TRF,
    TABLE: later("Players and games (CSV)"),
    ELO: later("Othello’s .ELO"),
    "ema": later("EMA’s result sheet (CSV)"),
    "portal": later("Mahjong portal’s table (CSV)"),
    CROSS_TABLE_STANDINGS: later("Standings (CSV)"),
}
COLUMNS = ("place", "number", "name", "title", "team", "score", "before", "change", "after", "performance")


@public
@cached_page
def section_file(
    request: OfficeRequest, number: str, code: str, layout: str, suffix: str
) -> HttpResponseBase:
    """Download of a rated section in one layout; `?track=` chooses the rating."""
    sections = Section.objects.filter(event__federation=request.office, event__number=number)
    section = get_object_or_404(sections.select_related("event__federation"), code=code, stage=Stage.RATED)
    if asked := request.GET.get("track", ""):
        track_of(request.office.ruleset, asked)
    lines = section.facts.filter(kind="rated").in_force()
    rated = lines.select_related("takes").order_by("-number").first()
    if rated:
        rated.federation = request.office
    table = CrossTable(section, rated, asked)
    if SUFFIXES.get(layout) != suffix or layout not in layouts_of(table):
        raise Http404(_("A section is not offered in this layout."))
    stem = f"{request.office.code}-{section.event.number}-{section.code}-{layout}.{suffix}"
    if layout == CROSS_TABLE_STANDINGS:
        return file_response(csv_bytes(COLUMNS, _standings(table)), CSV, stem)
    media = CSV if suffix == "csv" else "text/plain; charset=utf-8"
    return file_response(file_of(play_of(table), layout), media, stem)


def layouts_of(table: CrossTable) -> tuple[str, ...]:
    """The codes of a section's files, the standings first."""
    return (CROSS_TABLE_STANDINGS, *play_of(table, named=False).layouts)


def links_of(table: CrossTable, track: str) -> list[tuple[str, str]]:
    """The name and the address of each file of a section, with the rating that the reader chose."""
    query = f"?{urlencode({'track': track})}" if track else ""
    return [(_(NAMES[each]), f"{each}.{SUFFIXES[each]}{query}") for each in layouts_of(table)]


def _standings(table: CrossTable) -> Iterator[list[str]]:
    decimals = table.office.publication.decimals
    for entry, row in zip(table.entries, table.rows, strict=True):
        texts = [entry.person.number if entry.person else "", row.name, row.title, row.note, row.score]
        numbers = [(row.rating, decimals), (row.points, decimals), (row.after, decimals)]
        numbers.append((row.performance, table.performance_places or 0))
        rounded = (as_shown(value, places) for value, places in numbers)
        place = "" if row.place is None else str(row.place)
        yield [place, *map(disarmed, texts), *("" if value is None else f"{value:f}" for value in rounded)]


# ---- The calendar of events as a file (iCalendar, RFC 5545), to which calendar programs subscribe.
BACK = timedelta(days=366)
"""The time before today from which events stand in the file."""
MOST = 2_000
"""Events of one file, the latest first."""


@public
@cached_page
def calendar_file(request: OfficeRequest) -> HttpResponseBase:
    """The events of an office that are to come or were played within a year; cancelled ones say so."""
    day = today(request.office)
    calendar = Calendar()
    calendar.add("prodid", f"-//{settings.SITE_HOST}//{request.office.code}//")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", _("Events: %(office)s") % {"office": request.office.name})
    found = Event.objects.filter(federation=request.office, starts__gte=day - BACK).not_withdrawn()
    related = found.select_related("federation", "region").prefetch_related("sections__permission_requests")
    for event in related.order_by("-starts", "-number")[:MOST]:
        # An event as an entry of whole days; its end is the day after the last, as the format wants it.
        address = request.build_absolute_uri(event.get_absolute_url())
        entry = CalendarEntry()
        entry.add("uid", f"{event.federation.code}-{event.number}@{settings.SITE_HOST}")
        known = max(filter(None, (event.registered_on, event.notice_on)))
        entry.add("dtstamp", datetime.combine(known, time(), UTC))
        entry.add("sequence", event.version)
        entry.add("summary", event.name)
        entry.add("dtstart", event.starts)
        entry.add("dtend", event.ends + timedelta(days=1))
        entry.add("url", address)
        if where := ", ".join(filter(None, (event.place, event.country))):
            entry.add("location", where)
        if due := next_due(event, day):
            told = {"what": due.words, "day": date_format(due.last, "DATE_FORMAT"), "clause": due.clause}
            entry.add("description", _("%(what)s: by %(day)s (§%(clause)s)") % told)
        cancelled = event.state == Event.State.CANCELLED
        entry.add("status", "CANCELLED" if cancelled else "CONFIRMED")
        calendar.add_component(entry)
    answer = HttpResponse(calendar.to_ical(), content_type="text/calendar; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{request.office.code}-events.ics"'
    return answer


# ---- The table of events, and the page of one.
PAGE = 30


@public
@cached_page
def events(request: OfficeRequest) -> HttpResponseBase:
    form = EventFilter(request.GET, request.office)
    text = request.GET.get("page")
    page = int(text) if text and text.isascii() and text.isdigit() and 0 < len(text) < 6 and int(text) else 1
    matching = form.narrow(Event.objects.filter(federation=request.office).not_withdrawn())
    found = matching.select_related("region", "federation").prefetch_related("sections__permission_requests")
    rows = list(found.order_by("-starts", "-number")[(page - 1) * PAGE : page * PAGE + 1])
    context = {
        "form": form,
        "table": EventTable(rows[:PAGE], office=request.office, day=today(request.office)),
        "earlier": _event_query(request, page - 1) if page > 1 else "",
        "later": _event_query(request, page + 1) if len(rows) > PAGE else "",
    }
    return render(request, "ratings/events.html", context)


@public
@cached_page
def event(request: OfficeRequest, number: str) -> HttpResponseBase:
    events = Event.objects.filter(federation=request.office).select_related("region", "federation")
    found = get_object_or_404(events.prefetch_related("sections__permission_requests"), number=number)
    if found.state == Event.State.WITHDRAWN:
        return withdrawn(request, found)
    sections = [section for section in found.sections.all() if section.stage != Stage.WITHDRAWN]
    for section in sections:
        section.event = found
    told = notices_of(found)
    own = _told_by_section(found, sections, told)
    context = {
        "event": found,
        "sections": [
            (section, due_of(section, today(request.office)), own.get(section.named_on_record))
            for section in sections
        ],
        "rated": any(section.stage == Stage.RATED for section in sections),
        "organizer": organizer_of(found),
        "arbiters": arbiters_of(found),
        "files": may_file(request, found),
        "notices": told,
    }
    return render(request, "ratings/event.html", context)


def _told_by_section(event: Event, sections: list[Section], of_event: list[Notice]) -> dict[str, Notice]:
    """Notices of sections that their planned event does not tell, by the sections' names on record."""
    if event.state != Event.State.PLANNED:
        return {}
    known = {notice.number for notice in of_event}
    own = state_notices(event.federation, sections)
    return {name: notice for name, notice in own.items() if notice.number not in known}


def withdrawn(request: OfficeRequest, event: Event, section: Section | None = None) -> HttpResponseBase:
    """The page at the address of what was registered by mistake: 410, with the reason and nothing else."""
    context = {
        "event": event,
        "section": section,
        "closing": closing_notice(section or event),
        "files": may_file(request, event),
    }
    return render(request, "ratings/withdrawn.html", context, status=410)


def may_file(request: OfficeRequest, event: Event) -> bool:
    """Whether the person signed in may file sections of this event, and so is shown the link to do it."""
    if Permission.SECTIONS_FILE not in request.rights:
        return False
    return Event.objects.within(request.rights, Permission.SECTIONS_FILE).filter(pk=event.pk).exists()


def _event_query(request: OfficeRequest, page: int) -> str:
    query = request.GET.copy()
    query["page"] = str(page)
    return f"?{query.urlencode()}"


# ---- The pairings of one round of a rated section: who met whom, with what result, and who had no opponent.
@dataclass(frozen=True, slots=True)
class Pairing:
    """One game, the first mover first."""

    first: EntrantRow
    second: EntrantRow
    result: str
    """The result with both sides' marks: `1–0`."""
    url: str
    """The form that reports a mistake in it."""
    words: str


@dataclass(frozen=True, slots=True)
class PlayedRound:
    number: int
    name: str
    """The number again, or the name of a final."""
    day: date | None
    """The day of the round, where it is known."""
    pairings: list[Pairing]
    idle: list[tuple[EntrantRow, str]]
    """The rows of entrants without an opponent, each with the kind of bye in words."""


def played_round(table: CrossTable, number: int) -> PlayedRound:
    """Collect one round of a section from its cross table, in the order of play."""
    rows = {entry.pk: row for entry, row in zip(table.entries, table.rows, strict=True)}
    played = sorted((game for game in table.games if game.round == number), key=lambda game: game.order)
    idle = sorted(
        (bye for bye in table.byes if bye.round == number), key=lambda bye: table.number[bye.entry_id]
    )
    return PlayedRound(
        number=number,
        name=table.section.name_of_round(number),
        day=day_of_round(table.section.round_dates, number),
        pairings=list(_pairings(table, rows, played)),
        idle=[(rows[bye.entry_id], bye_cell(bye, table.notation).words) for bye in idle],
    )


def day_of_round(days: list[str | None], number: int) -> date | None:
    """The day of a round, from a section's ISO days; None where the office does not know it."""
    text = days[number - 1] if number <= len(days) else None
    return date.fromisoformat(text) if text else None


def _pairings(table: CrossTable, rows: dict[int, EntrantRow], played: list[FiledGame]) -> Iterator[Pairing]:
    for game in played:
        marks = [mark_of(game.result, side, table.notation)[0] for side in (0, 1)]
        cell, _other = table.played(game)
        between = "–" if game.result in PLAYED else ":"
        result = marks[0] if game.result == ANNULLED else between.join(marks)
        yield Pairing(rows[game.first_id], rows[game.second_id], result, cell.url, cell.words)


# ---- Facts beside a section's table: its field in figures, its way to the ratings, its waivers. Whoever
# acted is told by office and region: no public page has the names of people who file and approve.
STILL_TO_COME = {
    Stage.REGISTERED: later("To be played and filed"),
    Stage.FILED: later("With the region, to be submitted"),
    Stage.SUBMITTED: later("With the office, to be decided"),
    Stage.RETURNED: later("Returned to the region for correction"),
    Stage.UNRATED: later("Un-rated; to be filed again"),
}
"""The next step in words, by a section's stage."""


class OfficeRecord(NamedTuple):
    """Parts of an office's record that the pages of all its sections tell, looked up once."""

    due: date | None
    """The day of the next list; None: none is planned."""
    taken_over: DaysTakenOver
    corrected: frozenset[int]
    """The keys of the sections that errata concern."""


@dataclass(frozen=True, slots=True)
class FieldInFigures:
    """The entrants of a section in figures, in one track."""

    players: int
    rated: int
    """The number of entrants with a rating before the section."""
    average: Decimal | None
    """The mean of those ratings; None: nobody had one."""


@dataclass(frozen=True, slots=True)
class RecordStep:
    """One step of a section on its way to the ratings."""

    words: str
    day: date | None = None
    url: str = ""
    done: bool = True


def field_of(table: CrossTable) -> FieldInFigures:
    """Count a section's entrants, and average the ratings that they had before it."""
    ratings = [row.rating for row in table.rows if row.rating is not None]
    average = sum(ratings, Decimal(0)) / len(ratings) if ratings else None
    return FieldInFigures(len(table.rows), len(ratings), average)


def record_of(office: Federation) -> OfficeRecord:
    # None is dropped here: asked of the database, SQLite would look through the journals of all offices.
    keys = {key for key in errata_of(office).order_by().values_list("fact__section", flat=True) if key}
    return OfficeRecord(next_day(office, today(office)), DaysTakenOver(office), frozenset(keys))


def steps_of(section: Section, rated: Fact | None, record: OfficeRecord) -> Iterator[RecordStep]:
    """Yield the steps of a section, from its registration to the first list on which it counts; of those to
    come the next one.
    """
    event, office = section.event, section.event.federation
    over = record.taken_over.of_line(rated.number) if rated else None
    if rated is not None and over is not None:
        yield RecordStep(_("Rated, by the past that was taken over"), section.rated_on)
        yield _counted(section, rated, record.due)
        yield RecordStep(_("Taken over by %(office)s") % {"office": office.name}, over)
        return
    yield RecordStep(_("Registered"), section.registered_on or event.registered_on)
    by_region = {"region": str(event.region)}
    if section.filed_on:
        words = _("Filed by %(region)s") % by_region if office.regional else _("Filed")
        yield RecordStep(words, section.filed_on)
    if section.submitted_on and section.stage not in OPEN_TO_FILING:
        yield RecordStep(_("Submitted to the office"), section.submitted_on)
    if section.stage == Stage.RATED:
        approved = _("Approved and rated by %(office)s") % {"office": office.name}
        yield RecordStep(approved, section.rated_on)
        yield _counted(section, rated, record.due)
    elif section.stage in STILL_TO_COME:
        yield RecordStep(_(STILL_TO_COME[Stage(section.stage)]), done=False)


def _counted(section: Section, rated: Fact | None, due: date | None) -> RecordStep:
    """The step at which a section counts on a list: the first published since it was rated, or the next,
    which is due on that day.
    """
    office = section.event.federation
    if found := rated and first_list(section, rated):
        found.federation = office
        words = _("Counts for the first time on the list of this day")
        return RecordStep(words, found.on, found.get_absolute_url())
    if due is None:
        return RecordStep(_("Counts on the next list"), done=False)
    return RecordStep(_("Counts on the next list, due on this day"), due, done=False)


def first_list(section: Section, rated: Fact) -> RatingList | None:
    """The first list published after a section was first rated (D-2), in a track that it moves.

    None: there is none yet. Revisions of lists of earlier days are none of them.
    """
    lists = RatingList.objects.of(section.event.federation).without_content()
    later = lists.filter(fact__number__gt=rated.first.number, on__gte=section.ends, revision=1)
    moved = later.filter(track__in=rated.changes.order_by().values("track"))
    return moved.order_by("fact__number", "pk").first()


def waived_clauses(section: Section) -> list[str]:
    """The clauses that the office waived or permitted for a section, each once. Reasons are left out: they
    may speak of people.
    """
    granted = [each["clause"] for each in section.permissions if each.get("clause")]
    waived = section.findings.exclude(waived_because="").order_by("clause")
    return list(
        dict.fromkeys([*granted, *(each for each in waived.values_list("clause", flat=True) if each)])
    )


# ---- The page of a section.
ABOUT_PLAY = frozenset(
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
"""Keys of adjustments of results, which are not personal."""
CROSS, STANDINGS, ROUNDS = "cross", "standings", "rounds"
"""The views of a section, as addresses name them; the first is the page itself."""


@public
@cached_page
def section(request: OfficeRequest, number: str, code: str) -> HttpResponseBase:
    sections = Section.objects.filter(event__federation=request.office, event__number=number)
    found = get_object_or_404(sections.select_related("event__region"), code=code)
    found.event.federation = request.office
    keep_regions(request)
    if found.stage == Stage.WITHDRAWN and not of_section(found).exists():
        return withdrawn(request, found.event, found)
    rated = _rated(request, found) if found.stage == Stage.RATED else {}
    record = kept_part(request, "record of sections", lambda: record_of(found.event.federation))
    beside = kept_part(request, f"section {found.pk}", lambda: _beside(found, rated.get("rated"), record))
    context = {
        "section": found,
        "event": found.event,
        "files": may_file(request, found.event),
        "edition": request.office.ruleset.edition_of_day(found.starts),
        **beside,
        **rated,
    }
    return render(request, "ratings/section.html", context)


def _beside(section: Section, rated: Fact | None, record: OfficeRecord) -> dict[str, Any]:
    """The context of a section beside its table, the same in every view: what became of it, what was
    decided, corrected and adjusted, and where it is.
    """
    adjustments = adjusted(section) if section.stage == Stage.RATED else []
    errata = of_section(section) if section.pk in record.corrected else []
    return {
        "particulars": particulars_with_clauses(section),
        "steps": list(steps_of(section, rated, record)),
        "waived": waived_clauses(section),
        "decisions": list(decisions_on(section)),
        "notices": (of_event := notices_of(section.event)),
        "own_notices": _own_notices(section, of_event),
        "closing": closing_notice(section),
        "errata": worded_errata(section.event.federation, errata),
        "corrections": told_in_public(section) if section.stage == Stage.RATED else [],
        "adjustments": [
            (adjustment.words, adjustment, adjustment.key in ABOUT_PLAY) for adjustment in adjustments
        ],
    }


def _own_notices(section: Section, of_event: list[Notice]) -> list[Notice]:
    """Notices of a section that its event does not tell; none where the only one is its cancellation, which
    its stage tells. A postponed section that was announced for other days than its event, and has no further
    notice, tells why it was postponed.
    """
    known, own = {notice.number for notice in of_event}, notices_of(section)
    told = [notice for notice in own if notice.number not in known]
    if section.stage == Stage.CANCELLED:
        return [] if [notice.kind for notice in told] == ["cancel"] else told
    if told or not section.postponed or section.first_days == section.event.first_days:
        return told
    return [notice for notice in (*own, *of_event) if notice.kind == "postpone"][:1]


def decisions_on(section: Section) -> Iterator[tuple[str, date | None, list[tuple[str, str]]]]:
    """The office's decisions on a section before and after play, where the regulations want both. Yields
    words for the decision, its day, and the particulars declared (label and value). Reasons are left out:
    they may speak of people.
    """
    if section.event.federation.ruleset.sections.admission is None:
        return
    first = admitted_before_play(section)
    if first:
        declared = copy(section)
        declared.rounds, declared.particulars = first["declared"]["rounds"], first["declared"]["particulars"]
        words = _("First decision, before play: admitted as declared")
        yield words, date.fromisoformat(first["on"]), particulars_in_words(declared)
    elif refused_before_play(section):
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


def _rated(request: OfficeRequest, section: Section) -> dict[str, Any]:
    """The template context of a rated section: its table with one track's changes, in the view asked for, and
    its lines of the journal.
    """
    asked = request.GET.get("track", "")
    if asked:
        track_of(request.office.ruleset, asked)
    told = Fact.objects.about(request.office, [section.key], "section", "rated", "unrated")
    lines = sorted(told.select_related("takes"), key=lambda line: line.number)
    for line in lines:
        line.federation = request.office
    rated = in_force(lines)
    table = CrossTable(section, rated, asked, keep=partial(kept_part, request))
    return {
        "lines": lines,
        "rated": rated,
        "table": table,
        "field": field_of(table),
        "computing": is_computing(request),
        "downloads": links_of(table, asked),
        **_view(request, table),
    }


def _view(request: OfficeRequest, table: CrossTable) -> dict[str, Any]:
    """The context of the view that the address asks for: the cross table, the standings, or the pairings of a
    round (by default the last); links to the others keep the track. Without games there are places alone.
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
        # The round that the address asks for, or the last.
        asked = request.GET.get("round", "")
        number = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 4 else 0
        if asked and number not in table.rounds:
            raise Http404(_("The section has no such round."))
        context["round"] = played_round(table, number or table.rounds[-1])
        context["rounds"] = [
            (number, name, _query({"view": ROUNDS, "round": str(number), **track}))
            for number, name in zip(table.rounds, table.names_of_rounds, strict=True)
        ]
    return context


def _query(values: Mapping[str, str]) -> str:
    return f"?{urlencode(values)}" if values else "."


def in_force(lines: Iterable[Fact]) -> Fact | None:
    """The `rated` line in force among the journal lines of one section; None where it was un-rated."""
    return next(
        (line for line in reversed([*lines]) if line.kind == "rated" and line.taken_back is None), None
    )
