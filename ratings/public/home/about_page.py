"""The page about an office: who is responsible, how to write to it, what it tells of people and keeps."""

from __future__ import annotations

from django.http import HttpResponseBase
from django.shortcuts import render

from players.office.access import OfficeRequest, public
from players.office.settings_schema import settings_of
from ratings.public.common.caching import cached_page
from ratings.public.common.disclosure_limits import limits_of
from tournaments.cases.delete_cases import DAYS_KEPT
from tournaments.cases.links import GOOD_FOR
from tournaments.retention.days_kept import appeal_days


@public
@cached_page
def about(request: OfficeRequest) -> HttpResponseBase:
    """Page with the doors of an office; what it says of people follows the office's own settings."""
    settings, limits = settings_of(request.office), limits_of(request.office)
    context = {
        "settings": settings,
        "births": limits.births,
        "minors": limits.minors,
        "appeal_days": appeal_days(request.office),
        "case_days": DAYS_KEPT,
        "unconfirmed_days": GOOD_FOR.days,
    }
    return render(request, "ratings/about.html", context)
