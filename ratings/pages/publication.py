"""Pages to publish and revise lists, the calendar of lists, and previews of the next list.

Publishing asks for the list's day to be typed again, since a published list is never altered.
"""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import django_tables2 as tables
from django.contrib import messages
from django.db.models import Max
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _, gettext_lazy

from players.access import FORM, OfficeRequest, Permission, page
from players.display import day_in_words
from players.models import Decision, Federation, Ledger, Player
from players.pages.forms import OUTDATED, attempt, posted_form_digest
from players.pages.tables import RatingColumn, paged
from players.record import Refused, find_form_result
from players.settings import today
from ratings import publication
from ratings.as_if import hash_preview_state
from ratings.disclosure import get_named_players
from ratings.lists import (
    find_list_line,
    find_next_list_day,
    get_coming_list_days,
    preview_revision,
    propose_list_day,
)
from ratings.models import Fact, RatingList
from ratings.pages.errata import compute_all_reaches, count_differing_rows, get_later_corrections
from ratings.pages.forms import ComingDayForm, DayForm, OutlookForm, PublishForm, ReviseForm
from ratings.pages.tables import get_track_or_404
from ratings.publication import TrackPreview, get_missing_before_list, preview_list
from ratings.recompute import get_work_context
from ratings.rulesets import facts, journal_lines

# ---- The calendar of lists
MOST_COMING_LISTS, MOST_PAST_LISTS = 6, 24
"""The most days to come and the most past lists that the calendar shows."""


@page(Permission.SECTIONS_REVIEW)
def list_calendar(request: OfficeRequest) -> HttpResponse:
    day, (days, clause) = today(request.office), request.office.publication.list_days
    context = {
        "coming": coming_lists(request.office, day),
        "past": past_lists(request.office),
        "regular_days": days,
        "regular_clause": clause,
    }
    return render(request, "ratings/office/list_calendar.html", context)


def coming_lists(office: Federation, day: date) -> list[dict[str, Any]]:
    """The days of the next lists with the days until then, negative if overdue, and what is missing before
    the first.
    """
    days = get_coming_list_days(office, day)[:MOST_COMING_LISTS]
    found: list[dict[str, Any]] = [{"on": on, "days": (on - day).days} for on in days]
    for first in found[:1]:
        first["missing"] = get_missing_before_list(office, max(first["on"], day), day)
    return found


def past_lists(office: Federation) -> list[dict[str, Any]]:
    """The newest published days, newest first, with who published each and when; nobody where it came with an
    imported journal.
    """
    lists = RatingList.objects.of(office)
    days = lists.values("on").annotate(revision=Max("revision")).order_by("-on")[:MOST_PAST_LISTS]
    abouts = [f"list {each['on']}" for each in days]
    found = Decision.objects.filter(federation=office, kind="publish", about__in=abouts).select_related("by")
    decisions = {each.about: each for each in found}
    return [
        {
            "newest": RatingList(federation=office, on=each["on"], track=""),
            "by": str(decided.by or "") if decided else "",
            "at": decided.at if decided else None,
            "revision": each["revision"],
        }
        for each in days
        for decided in (decisions.get(f"list {each['on']}"),)
    ]


# ---- Publishing a list
NAMED_AT_ONCE = 30
"""The most players named in a track's preview as new or gone; a page of their own has all."""


@page(Permission.LISTS_PUBLISH, methods=FORM)
def publish(request: OfficeRequest) -> HttpResponse:
    day = today(request.office)
    if request.method == "POST":
        form = PublishForm(request.POST, today=day)
        asked = DayForm(request.POST, today=day)
        if not form.is_valid():
            return publish_page(request, asked, form, status=400)
        on = form.cleaned_data["on"]
        try:
            publication.publish_list(
                federation=request.office, by=request.user, on=on, note=form.cleaned_data["note"]
            )
        except Refused as refused:
            return publish_page(request, asked, form, refused=str(refused), status=409)
        return redirect("ratings:published", office=request.office.code, day=on.isoformat())
    proposed = None if "on" in request.GET else propose_list_day(request.office, day)
    # Before the next regular day nothing is offered for publication until an official asks for a day.
    due = proposed if proposed and proposed > day else None
    asked = DayForm(
        None if due else {"on": proposed} if proposed else request.GET, initial={"on": day}, today=day
    )
    return publish_page(request, asked, PublishForm(initial={"on": asked["on"].value()}, today=day), due=due)


@page(Permission.LISTS_PUBLISH)
def published(request: OfficeRequest, day: str) -> HttpResponse:
    """Page after publishing a list: the worker's progress while it draws it up, then each track's list."""
    on = _published_day(request, day)
    ledger = Ledger.objects.get(federation=request.office)
    waiting = Fact.objects.filter(federation=request.office, number__gt=ledger.line)
    lines = waiting.filter(kind="revised").values_list("line", flat=True)
    revisions = (journal_lines.parse_line(line, request.office.ruleset) for line in lines)
    drawing = ledger.pending and (
        waiting.filter(kind="list", on=on).exists()
        or any(isinstance(fact, facts.Revised) and fact.list == on for fact in revisions)
    )
    lists = RatingList.objects.filter(federation=request.office, on=on).order_by("pk").current()
    context = {
        "on": on,
        **(get_work_context(request.office) if drawing else {}),
        "lists": [
            (
                get_track_or_404(request.office.ruleset, each.track),
                each,
                count_differing_rows(each) if each.supersedes_id else None,
            )
            for each in lists
        ],
    }
    return render(request, "ratings/office/published.html", context)


def publish_page(
    request: OfficeRequest,
    day_form: DayForm,
    form: PublishForm,
    *,
    due: date | None = None,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    """The page to publish a list, with a preview unless ratings are being computed.

    `day_form` has the day, `form` the day typed again; `due`: the next regular day, still to come.
    """
    context: dict[str, Any] = {
        "asked": day_form,
        "form": form,
        "due": due,
        "refused": refused,
        **get_work_context(request.office),
    }
    if day_form.is_valid():
        on = day_form.cleaned_data["on"]
        context["missing"] = get_missing_before_list(request.office, on, today(request.office))
    if day_form.is_valid() and not context["pending"] and not context["rules"]:
        context |= preview_or_obstacle_context(request, day_form.cleaned_data["on"])
    return render(request, "ratings/office/publish.html", context, status=status)


def preview_or_obstacle_context(request: OfficeRequest, on: date) -> dict[str, Any]:
    """The context of a day's list as it would be published: its tracks, or why it cannot be."""
    if obstacle := obstacle_context(request.office, on):
        return obstacle
    tracks = preview_list(request.office, on)
    numbers = {number for track in tracks for number in (*_first(track.came), *_first(track.gone))}
    people = get_named_players(request.office, numbers)
    return {
        "on": on,
        "tracks": [_track_context(request, track, people) for track in tracks],
        "listed": any(track.players for track in tracks),
        "irregular": publication.find_irregular_day_warning(request.office, on),
    }


def obstacle_context(office: Federation, on: date) -> dict[str, Any]:
    """The context that says why no list of that day can be drawn up; empty if it can."""
    if find_list_line(office, on):
        words = _("The list of that day is published already. Choose another day, or correct that list.")
        return {"standing_in_the_way": words, "published_on": on}
    newest = Fact.objects.filter(federation=office, on__gt=on).order_by("-on").first()
    if newest and newest.on:
        words = _("The journal already has a decision of %(day)s. Choose that day or a later one.")
        return {"standing_in_the_way": words % {"day": day_in_words(newest.on)}}
    return {}


def _first(ratings: dict[str, Decimal]) -> list[str]:
    return list(ratings)[:NAMED_AT_ONCE]


def _track_context(request: OfficeRequest, track: TrackPreview, people: dict[str, Player]) -> dict[str, Any]:
    return {
        "name": _(get_track_or_404(request.office.ruleset, track.track).name),
        "preview": track,
        "came": [people[number] for number in _first(track.came) if number in people],
        "gone": [people[number] for number in _first(track.gone) if number in people],
    }


# ---- The list of a day to come, by what is known now
@page(Permission.SECTIONS_REVIEW)
def next_list(request: OfficeRequest) -> HttpResponse:
    """Page of the list of a day to come (`?on=`), by default the next that is due. It writes nothing."""
    day = today(request.office)
    form = ComingDayForm(get_day_form_data(request), today=day)
    context: dict[str, Any] = {
        "form": form,
        **get_work_context(request.office),
    }
    if not form.is_valid():
        return render(request, "ratings/office/next_list.html", context, status=400)
    on = form.cleaned_data["on"]
    missing = get_missing_before_list(request.office, on, day)
    context |= {"on": on, "today": day, "missing": missing, "days": (on - day).days}
    if not context["pending"] and not context["rules"]:
        context |= preview_or_obstacle_context(request, on)
    return render(request, "ratings/office/next_list.html", context)


def get_day_form_data(request: OfficeRequest) -> Mapping[str, Any]:
    """The form data with the day that the address asks for (`on`), or else the day of the list due next:
    today where that is overdue, or the regulations fix no days.
    """
    if "on" in request.GET:
        return request.GET
    day = today(request.office)
    return {"on": max(find_next_list_day(request.office, day) or day, day)}


# ---- Who would be new on a list to come, or gone from it
NEW, GONE = "new", "gone"


class NewOrGoneTable(tables.Table):
    """Players with their rating; `people`, set after paging, has those of the page shown by number."""

    row_header = "number"
    empty_title = gettext_lazy("Nobody")
    number = tables.Column(verbose_name=gettext_lazy("Player"))
    region = tables.Column(verbose_name=gettext_lazy("Region"), accessor="number")
    rating = RatingColumn(verbose_name=gettext_lazy("Rating"))

    class Meta:
        orderable = False

    def __init__(self, *args: Any, places: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.columns["rating"].column.places = places
        self.people: dict[str, Player] = {}

    def render_number(self, value: str) -> str:
        player = self.people.get(value)
        if player is None:
            return value
        return format_html(
            '<a href="{}">{}</a><span class="sub mono">{}</span>',
            player.get_absolute_url(),
            player.name,
            player.number,
        )

    def render_region(self, value: str) -> str:
        player = self.people.get(value)
        return str(player.region) if player and player.region else "–"


@page(Permission.SECTIONS_REVIEW)
def new_and_gone(request: OfficeRequest, track: str, who: str) -> HttpResponseBase:
    """Page of who is new on, or gone from, the list of a day to come (`?on=`, else the next) in one track."""
    if who not in (NEW, GONE) or track not in {each.code for each in request.office.ruleset.tracks}:
        raise Http404
    form = ComingDayForm(get_day_form_data(request), today=today(request.office))
    if not form.is_valid():
        messages.info(
            request,
            _(
                "The list of that day cannot be looked at: only lists from today on, at most a year ahead. "
                "This is the next list that is due."
            ),
        )
        return redirect(request.path)
    on = form.cleaned_data["on"]
    if _is_not_drawn(request, on):
        return redirect(f"{reverse('ratings:next_list', args=[request.office.code])}?on={on.isoformat()}")
    drawn = {each.track: each for each in preview_list(request.office, on, most_movers=0)}.get(track)
    ratings = {} if drawn is None else drawn.came if who == NEW else drawn.gone
    rows = [{"number": number, "rating": rating} for number, rating in ratings.items()]
    name = _(get_track_or_404(request.office.ruleset, track).name)
    hidden = () if request.office.regional else ("region",)
    table = NewOrGoneTable(rows, places=request.office.publication.decimals, exclude=hidden)
    table.caption = name
    paged(table, request)
    numbers = [row.record["number"] for row in table.paginated_rows]
    people = Player.objects.filter(federation=request.office, number__in=numbers)
    table.people = {player.number: player for player in people.select_related("federation", "region")}
    context = {"on": on, "name": name, "new": who == NEW, "table": table, "count": len(rows)}
    return render(request, "ratings/office/new_and_gone.html", context)


def _is_not_drawn(request: OfficeRequest, on: date) -> bool:
    """Whether the list of that day cannot be previewed now; the page of the next list says why."""
    work = get_work_context(request.office)
    return bool(work["pending"] or work["rules"] or obstacle_context(request.office, on))


# ---- Revising a published list
MOST_ROWS = 50
"""The most rows of a track shown before the decision; the page of differences has all."""


class RevisionForm(OutlookForm, ReviseForm):
    """The form to revise a list; it is valid only for the changes that its page showed."""


@page(Permission.LISTS_PUBLISH, methods=FORM)
def revise(request: OfficeRequest, day: str) -> HttpResponseBase:
    """Page to revise a list: GET shows the corrections since and a form, which can be sent once the changes
    have loaded, or stand there at once (`?changes`); POST revises.
    """
    on = _published_day(request, day)
    done = redirect("ratings:published", office=request.office.code, day=on.isoformat())
    if request.method == "POST" and find_form_result(request.office, posted_form_digest(request)):
        return done
    mark, pending = _mark(request.office, on), Ledger.objects.get(federation=request.office).pending
    shown = not pending and (request.method == "POST" or "changes" in request.GET)
    form = RevisionForm(request.POST if request.method == "POST" else None, mark=mark, drawn=shown, day=on)
    terms: dict[str, Any] = {"federation": request.office, "list_day": on, "refusal_to": ""}
    revised = attempt(
        request,
        form,
        publication.revise_list,
        answers=lambda typed: {"note": typed["note"], "form_mark": posted_form_digest(request)},
        unchanged=lambda: _mark(request.office, on) == mark,
        **terms,
    )
    if revised.done:
        return done
    if revised.status == OUTDATED:
        return revise(request, office=request.office.code, day=day)
    status = revised.status if revised.refused else form.status
    return _revise_page(request, on, form, refused=revised.refused, status=status)


def _mark(office: Federation, on: date) -> str:
    """The mark of the record as it is now, for the revision of a day's list."""
    return hash_preview_state(office, today(office), "list", on.isoformat())


def _published_day(request: OfficeRequest, day: str) -> date:
    """Parse a day from an address. Raises Http404 if no list of it was published."""
    try:
        on = date.fromisoformat(day)
    except ValueError as error:
        raise Http404 from error
    if find_list_line(request.office, on) is None:
        raise Http404(_("No list was published then."))
    return on


def _revise_page(
    request: OfficeRequest, on: date, form: RevisionForm, *, refused: str = "", status: int = 200
) -> HttpResponse:
    lists = RatingList.objects.of(request.office).filter(on=on).current().without_content()
    context = {
        "on": on,
        "form": form,
        "refused": refused,
        **get_work_context(request.office),
        **(_revision_context(request, on) if form.drawn else {}),
        "corrected": get_later_corrections(
            request.office, list(lists.select_related("fact")), compute_all_reaches(request.office)
        ),
    }
    return render(request, "ratings/office/revise.html", context, status=status)


@page(Permission.LISTS_PUBLISH)
def revise_preview(request: OfficeRequest, day: str) -> HttpResponse:
    """The rows that a revision would change, with the mark that lets them be decided on, for htmx as a part
    of the decision's page; others go to that page.
    """
    on = _published_day(request, day)
    if Ledger.objects.get(federation=request.office).pending:
        raise Http404
    if request.headers.get("HX-Request") != "true":
        return redirect(f"{reverse('ratings:revise', args=[request.office.code, day])}?changes=on")
    context = {"part": True, "mark": _mark(request.office, on), **_revision_context(request, on)}
    return render(request, "ratings/office/_revising.html", context)


def _revision_context(request: OfficeRequest, on: date) -> dict[str, Any]:
    return {
        "on": on,
        "lists": preview_revision(request.office, on, today(request.office), MOST_ROWS),
        "button": _("Publish it again"),
        "cancel_url": reverse("ratings:list_day", args=[request.office.code, on.isoformat()]),
    }
