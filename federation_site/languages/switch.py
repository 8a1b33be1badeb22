"""The switch at the foot of every page: it keeps the chosen language, for the account or in this browser."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from players.languages.addresses import plain_path, site_root
from players.languages.choice import offered
from players.office.access import OfficeRequest, public
from players.office.models import User


# Without a token: with one, no page could be kept for all. Another site can at most have a stranger read
# another language: it sends no session along.
@csrf_exempt
@public
@never_cache
@require_POST
def choose_language(request: OfficeRequest) -> HttpResponse:
    """Keep the language, and lead back to the page, at its address that names none."""
    response = HttpResponseRedirect(_page(request), status=303)
    code = offered(request.POST.get("language", ""))
    if not code:
        return response
    if request.user.is_authenticated:
        User.objects.filter(pk=request.user.pk).update(language=code)
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        code,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite="Lax",
    )
    return response


def _page(request: OfficeRequest) -> str:
    """The page on which the switch stood, on this site; else the front page."""
    page = request.POST.get("next", "")
    if not page.startswith("/") or not url_has_allowed_host_and_scheme(page, allowed_hosts=None):
        return site_root()
    path, mark, query = page.partition("?")
    return plain_path(path) + mark + query
