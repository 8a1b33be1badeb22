"""Addresses that stay: they lead to an office's newest lists, whatever day those are of."""

from __future__ import annotations

from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, public
from ratings.lists.models import RatingList
from ratings.public.common.caching import FRESH


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
