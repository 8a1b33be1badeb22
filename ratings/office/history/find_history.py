"""Finds the past that an address names, without the bytes that it keeps."""

from __future__ import annotations

from django.shortcuts import get_object_or_404

from players.office.access import OfficeRequest
from tournaments.history.models import History


def find_history(request: OfficeRequest, key: int) -> History:
    """A past of this office; Http404 where there is none."""
    rows = History.objects.filter(federation=request.office).defer(*History.byte_columns)
    return get_object_or_404(rows.select_related("by", "confirmed_by"), pk=key)
