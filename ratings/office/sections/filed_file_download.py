"""Hands a filed file to an official who reviews its section."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from players.office.access import OfficeRequest, Permission, permitted
from ratings.office.sections.review import section_for
from tournaments.views.filed_file import hand_out


@permitted(Permission.SECTIONS_REVIEW)
@never_cache
@require_POST
def open_file(request: OfficeRequest, number: str, code: str) -> HttpResponseBase:
    """Download of a section's file by an official."""
    return hand_out(request, section_for(request, number, code, Permission.SECTIONS_REVIEW))
