"""Template tags for the desk of a demo office."""

from __future__ import annotations

from typing import Any

from django import template

from players.office.access import OfficeRequest, Permission
from ratings.demo.files_not_uploaded import offered

register = template.Library()


@register.inclusion_tag("ratings/office/demo_files.html", takes_context=True)
def demo_files(context: dict[str, Any]) -> dict[str, Any]:
    """The sample files that a demo's desk offers the person signed in to upload; none in a real office."""
    request: OfficeRequest = context["request"]
    permission = Permission.SECTIONS_FILE
    everywhere = permission in request.rights.everywhere
    regions = None if everywhere else request.rights.regions_for(permission)
    return {"office": request.office, "files": offered(request.office, regions)}
