"""Addresses that stay: they lead to an office's newest lists, or to those in force on any day."""

from __future__ import annotations

from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, public
from players.office.settings_schema import today
from ratings.lists.models import RatingList
from ratings.public.common.asked_day import day_asked
from ratings.public.common.caching import FRESH
from ratings.public.common.track_groups import track_of


@public
def latest_day(request: OfficeRequest) -> HttpResponseBase:
    """Redirect to the lists of the newest day."""
    newest = RatingList.objects.of(request.office).of_newest_day().without_content().first()
    if newest is None:
        raise Http404(_("No list has been published yet."))
    return _to(request, reverse("ratings:list_day", args=[request.office.code, newest.label]))


@public
def latest_list(request: OfficeRequest, track: str) -> HttpResponseBase:
    """Redirect to the newest list of a track, with the filters of the address."""
    return _to(request, _newest(request, track).get_absolute_url())


@public
def latest_file(request: OfficeRequest, track: str, code: str, suffix: str) -> HttpResponseBase:
    """Redirect to a file of the newest list of a track, in its newest version."""
    newest = _newest(request, track)
    place = [request.office.code, newest.label, track, newest.revision]
    return _to(request, f"{reverse('ratings:list_revision', args=place)}{code}.{suffix}")


@public
def list_in_force(request: OfficeRequest) -> HttpResponseBase:
    """Redirect to the list of a track in force on the day asked for (`?track=&on=`), in the version of then;
    without a track to the lists of its day. 404 where none was published by then.
    """
    office, track = request.office, request.GET.get("track", "")
    now = today(office)
    lists = RatingList.objects.of(office).there_by(day_asked(office, request.GET.get("on"), now) or now)
    if track:
        lists = lists.filter(track=track_of(office.ruleset, track).code)
    found = lists.without_content().order_by("-on", "-revision").first()
    if found is None:
        raise Http404(_("No list had been published by that day."))
    place = [office.code, found.label]
    address = (
        reverse("ratings:list_revision", args=[*place, track, found.revision])
        if track
        else reverse("ratings:list_day", args=place)
    )
    response = redirect(address)
    patch_cache_control(response, public=True, max_age=FRESH)
    return response


def _newest(request: OfficeRequest, track: str) -> RatingList:
    lists = RatingList.objects.of(request.office).current().without_content().filter(track=track)
    newest = lists.order_by("-on", "-revision").first()
    if newest is None:
        raise Http404(_("No list has been published yet."))
    newest.federation = request.office
    return newest


def _to(request: OfficeRequest, address: str) -> HttpResponseBase:
    """Redirect for a minute only: the next publication leads elsewhere."""
    query = request.GET.urlencode()
    response = redirect(f"{address}?{query}" if query else address)
    patch_cache_control(response, public=True, max_age=FRESH)
    return response
