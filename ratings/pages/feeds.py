"""What programs subscribe to: Atom feeds of lists, rated sections and players, and the calendar of events."""

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta

from django.conf import settings
from django.db.models import Q
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _, ngettext

from players.access import PUBLIC, OfficeRequest, page
from players.display import localize_decimal
from players.models import Federation, Player
from players.settings import today
from players.templatetags.ui import grouped
from ratings.disclosure import read_hidden_people
from ratings.following import movements_in_words, read_movements, until_in_words
from ratings.models import DaysTakenOver, Fact, RatingList
from ratings.pages.filters import EventFilter
from ratings.pages.players import list_rated_entries, set_shown_scores
from ratings.pages.responses import MOST_FEED_ENTRIES, UNINDEXED, AtomFeed, cached_page, noon_of
from ratings.pages.tables import get_track_or_404
from tournaments.models import Entry, Event


@page(PUBLIC, caching=cached_page)
def lists(request: OfficeRequest) -> HttpResponseBase:
    """Atom feed of the newest lists, each version by itself."""
    office = request.office
    feed = AtomFeed(
        request,
        title=_("%(office)s: rating lists") % {"office": office.name},
        description=_("Published rating lists, the newest first."),
        page=reverse("ratings:lists", args=[office.code]),
    )
    lists = RatingList.objects.of(office).without_content().select_related("fact")
    found = lists.order_by("-published_at", "-pk")[:MOST_FEED_ENTRIES]
    hidden, over = read_hidden_people(office), DaysTakenOver(office)
    for each in found:
        each.federation = office
        address = reverse("ratings:list_revision", args=[office.code, each.label, each.track, each.revision])
        players = ngettext("%(count)s player.", "%(count)s players.", each.players)
        players %= {"count": grouped(each.players)}
        words = _join(players, hidden.redact(each.note), _taken_over(over, each.fact))
        feed.entry(title=_title(each), url=address, words=words, at=each.published_at)
    return feed.answer()


def _join(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def _taken_over(over: DaysTakenOver, line: Fact) -> str:
    """The sentence on a line of a history; empty for the office's own."""
    day = over.day_for_line(line.number)
    words = _("Computed afterwards: taken over on %(day)s.")
    return words % {"day": date_format(day, "DATE_FORMAT")} if day else ""


def _title(rating_list: RatingList) -> str:
    values = {
        "track": _(get_track_or_404(rating_list.federation.ruleset, rating_list.track).name),
        "day": date_format(rating_list.on, "DATE_FORMAT"),
        "revision": rating_list.revision,
    }
    if rating_list.revision > 1:
        return _("%(track)s, %(day)s, revision %(revision)s") % values
    return _("%(track)s, %(day)s") % values


@page(PUBLIC, caching=cached_page)
def rated_sections(request: OfficeRequest) -> HttpResponseBase:
    """Atom feed of the newest rated sections, without those un-rated."""
    office = request.office
    feed = AtomFeed(
        request,
        title=_("%(office)s: rated events") % {"office": office.name},
        description=_("Sections of events that the office rated, the newest first."),
        page=reverse("ratings:events", args=[office.code]),
    )
    lines = Fact.objects.filter(federation=office, kind="rated", section__isnull=False).in_force()
    over = DaysTakenOver(office)
    for line in lines.select_related("section__event").order_by("-number")[:MOST_FEED_ENTRIES]:
        section = line.section
        assert section is not None
        section.event.federation = office
        feed.entry(
            title=str(section),
            url=section.get_absolute_url(),
            words=_join(until_in_words(section), _taken_over(over, line)),
            at=noon_of(line.on),
            mark=f"#line-{line.number}",
        )
    return feed.answer()


@page(PUBLIC, caching=cached_page)
def events_of_player(request: OfficeRequest, number: str) -> HttpResponseBase:
    """Atom feed of a player's newest rated events; 404 for players who asked not to be named."""
    people = Player.objects.of(request.office).select_related("merged_into__federation", "federation")
    player = get_object_or_404(people, number=number)
    if player.merged_into:
        return redirect("ratings:player_feed", request.office.code, player.merged_into.number)
    if player.withheld or not player.name:
        raise Http404(_("This player asked not to be named: there is no feed."))
    office = request.office
    feed = AtomFeed(
        request,
        title=_("%(player)s: rated events") % {"player": player.shown_name},
        description=_("Rated events of %(player)s, the newest first.") % {"player": player.shown_name},
        page=player.get_absolute_url(),
    )
    entries = set_shown_scores(office, list_rated_entries(player)[:MOST_FEED_ENTRIES])
    lines = _lines(office, entries)
    moved = read_movements(player, lines.values())
    for entry in entries:
        line = lines.get(entry.section_id)
        if line is None:
            continue
        section = entry.section
        feed.entry(
            title=str(section),
            url=section.get_absolute_url(),
            words=_join(
                until_in_words(section),
                _result_words(entry),
                movements_in_words(office, moved.get(line.number, {})),
            ),
            at=noon_of(line.on),
            mark=f"#line-{line.number}",
        )
    response = feed.answer()
    for name, value in UNINDEXED.items():
        response.headers[name] = value
    return response


def _lines(office: Federation, entries: Sequence[Entry]) -> dict[int, Fact]:
    sections = Q(section__in=[entry.section_id for entry in entries])
    lines = Fact.objects.filter(sections, federation=office, kind="rated").in_force()
    return {line.section_id: line for line in lines.order_by("number") if line.section_id}


def _result_words(entry: Entry) -> str:
    score = localize_decimal(entry.score)  # type: ignore[attr-defined]
    values = {"place": entry.place, "score": score}
    if entry.place and score:
        return _("Place %(place)s, score %(score)s.") % values
    if entry.place:
        return _("Place %(place)s.") % values
    return _("Score %(score)s.") % values if score else ""


# ---- The calendar of events as a file (iCalendar, RFC 5545)
CALENDAR_BACK = timedelta(days=366)
"""The time before today from which the file has events."""
MOST_CALENDAR_EVENTS = 2_000
"""The most events of a file, the latest."""


@page(PUBLIC, caching=cached_page)
def calendar_file(request: OfficeRequest) -> HttpResponseBase:
    """Calendar file of the events to come and of a year before, to which calendar programs subscribe; it is
    filtered as the page of events is.
    """
    from icalendar import Calendar, Event as CalendarEntry  # large, and seldom asked for

    day = today(request.office)
    calendar = Calendar()
    calendar.add("prodid", f"-//{settings.SITE_HOST}//{request.office.code}//")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", _("Events: %(office)s") % {"office": request.office.name})
    found = Event.objects.filter(federation=request.office, starts__gte=day - CALENDAR_BACK).not_withdrawn()
    wanted = EventFilter(request.GET, request.office).narrow(found)
    for event in wanted.select_related("federation").order_by("-starts", "-number")[:MOST_CALENDAR_EVENTS]:
        entry = CalendarEntry()
        entry.add("uid", f"{event.federation.code}-{event.number}@{settings.SITE_HOST}")
        known = max(filter(None, (event.registered_on, event.notice_on)))
        entry.add("dtstamp", datetime.combine(known, time(), UTC))
        entry.add("sequence", event.version)
        entry.add("summary", event.name)
        entry.add("dtstart", event.starts)
        entry.add("dtend", event.ends + timedelta(days=1))  # the day after the last, in entries of whole days
        entry.add("url", request.build_absolute_uri(event.get_absolute_url()))
        if place := ", ".join(filter(None, (event.place, event.country))):
            entry.add("location", place)
        cancelled = event.state == Event.State.CANCELLED
        entry.add("status", "CANCELLED" if cancelled else "CONFIRMED")
        calendar.add_component(entry)
    response = HttpResponse(calendar.to_ical(), content_type="text/calendar; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{request.office.code}-events.ics"'
    return response
