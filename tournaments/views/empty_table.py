"""The empty table to fill in, for people without a pairing program, or whose play its files cannot hold."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from players.office.access import OfficeRequest, Permission, permitted
from tournaments.filing.empty_tables import SUFFIXES, template_for


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_safe
def table(request: OfficeRequest, suffix: str) -> HttpResponse:
    if suffix not in SUFFIXES:
        raise Http404
    content = template_for(request.office.ruleset, suffix)
    name = f"{request.office.code}-table.{suffix}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=SUFFIXES[suffix], headers=headers)
