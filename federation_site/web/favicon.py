"""The icon at the address where programs look that read no page first."""

from django.http import HttpResponseBase
from django.shortcuts import redirect
from django.templatetags.static import static
from django.utils.cache import patch_cache_control

from players.office.access import OfficeRequest, public


@public
def favicon(request: OfficeRequest) -> HttpResponseBase:
    """Lead to the icon among the static files, whose address is another with each version."""
    response = redirect(static("favicon.ico"))
    patch_cache_control(response, public=True, max_age=86400)
    return response
