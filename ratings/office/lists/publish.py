"""Pages to publish a list: the preview, the day typed again, the ledger's progress, and the lists."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from players.drawing.days_in_words import day_in_words
from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.models import Federation, Ledger
from players.office.settings_schema import today
from players.register.models import Player
from ratings import decisions
from ratings.journal.models import Fact
from ratings.journal.players_by_number import named
from ratings.law import facts, journal
from ratings.lists.models import RatingList
from ratings.office.common.decision_forms import DayForm, PublishForm
from ratings.preview.list_publication import TrackPreview, preview_list
from ratings.public.common.track_groups import track_of
from ratings.recompute.models import RulesVersion
from ratings.recompute.office_rules import own_rules
from ratings.recompute.progress_words import state_of, trouble_of
from ratings.recompute.revised_lists import list_line

NAMED_AT_ONCE = 30
"""The most players who are named beside a track as new or gone; a page of their own has all."""


@permitted(Permission.LISTS_PUBLISH)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def publish(request: OfficeRequest) -> HttpResponse:
    day = today(request.office)
    if request.method == "POST":
        return _publish(request, day)
    asked = DayForm(request.GET if "on" in request.GET else {"on": day}, today=day)
    return publish_page(request, asked, PublishForm(initial={"on": asked.data["on"]}, today=day))


def _publish(request: OfficeRequest, day: date) -> HttpResponse:
    form = PublishForm(request.POST, today=day)
    asked = DayForm(request.POST, today=day)
    if not form.is_valid():
        return publish_page(request, asked, form, status=400)
    on = form.cleaned_data["on"]
    try:
        decisions.publish_list(
            federation=request.office, by=request.user, on=on, note=form.cleaned_data["note"]
        )
    except Refused as refused:
        return publish_page(request, asked, form, refused=str(refused), status=409)
    return redirect("ratings:published", office=request.office.code, day=on.isoformat())


@permitted(Permission.LISTS_PUBLISH)
@never_cache
@require_safe
def published(request: OfficeRequest, day: str) -> HttpResponse:
    """Page after publishing a list: the worker's progress while it draws it up, then each track's list."""
    try:
        on = date.fromisoformat(day)
    except ValueError as wrong:
        raise Http404 from wrong
    if not Fact.objects.filter(federation=request.office, kind="list", on=on).exists():
        raise Http404
    ledger = Ledger.objects.get(federation=request.office)
    drawing = is_being_drawn_up(request.office, ledger, on)
    lists = RatingList.objects.filter(federation=request.office, on=on).order_by("pk").current()
    context = {
        "on": on,
        "pending": state_of(request.office, ledger) if drawing else None,
        "trouble": trouble_of(request.office, ledger) if drawing else None,
        "lists": [(track_of(request.office.ruleset, each.track), each) for each in lists],
    }
    return render(request, "ratings/office/published.html", context)


def is_being_drawn_up(federation: Federation, ledger: Ledger, on: date) -> bool:
    """Whether the worker still has to draw up the list of a day, for the first time or anew."""
    waiting = Fact.objects.filter(federation=federation, number__gt=ledger.line)
    lines = waiting.filter(kind="revised").values_list("line", flat=True)
    anew = (journal.parse_line(line, federation.ruleset) for line in lines)
    return ledger.pending and (
        waiting.filter(kind="list", on=on).exists()
        or any(isinstance(fact, facts.Revised) and fact.list == on for fact in anew)
    )


def publish_page(
    request: OfficeRequest, asked: DayForm, form: PublishForm, *, refused: str = "", status: int = 200
) -> HttpResponse:
    """The page with the form to publish a list and a preview of it; no preview while ratings are being
    computed. `asked` holds the day, `form` the day typed again.
    """
    ledger = Ledger.objects.get(federation=request.office)
    context: dict[str, Any] = {
        "asked": asked,
        "form": form,
        "refused": refused,
        "pending": state_of(request.office, ledger) if ledger.pending else None,
        "rules": RulesVersion.objects.waiting_in(request.office, own_rules(request.office)),
        "trouble": trouble_of(request.office, ledger),
    }
    if asked.is_valid() and not ledger.pending and not context["rules"]:
        context |= preview_context(request, asked.cleaned_data["on"])
    return render(request, "ratings/office/publish.html", context, status=status)


def preview_context(request: OfficeRequest, on: date) -> dict[str, Any]:
    """The context of a day's list as it would be published: its tracks, or what stands in the way."""
    if in_the_way := standing_in_the_way(request.office, on):
        return in_the_way
    tracks = preview_list(request.office, on).tracks
    told = {number for track in tracks for number in (*_first(track.came), *_first(track.gone))}
    people = named(request.office, told)
    return {
        "on": on,
        "tracks": [_track_context(request, track, people) for track in tracks],
        "listed": any(track.players for track in tracks),
        "irregular": irregular_day(request.office, on),
    }


def irregular_day(office: Federation, on: date) -> dict[str, str] | None:
    """The words and the clause that say that lists are due on other days; None: on this one too."""
    regular = office.publication.list_days
    if regular is None or on.day in regular.of_month:
        return None
    words = ngettext(
        "%(day)s is no regular day: this office’s lists are due on day %(days)s of each month. Publish "
        "on this day only if the office decided so.",
        "%(day)s is no regular day: this office’s lists are due on the days %(days)s of each month. "
        "Publish on this day only if the office decided so.",
        len(regular.of_month),
    )
    days = ", ".join(map(str, regular.of_month))
    return {"words": words % {"day": day_in_words(on), "days": days}, "clause": regular.clause}


def standing_in_the_way(office: Federation, on: date) -> dict[str, Any]:
    """The context that says why no list of that day can be drawn up; empty: it can."""
    if list_line(office, on):
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
        "name": _(track_of(request.office.ruleset, track.track).name),
        "preview": track,
        "movers": [(player, before, after, after - before) for player, before, after in track.movers],
        "came": [people[number] for number in _first(track.came) if number in people],
        "gone": [people[number] for number in _first(track.gone) if number in people],
    }
