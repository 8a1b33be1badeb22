from typing import Any

from django.urls import include, path
from django.views.decorators.cache import never_cache

from federation_site.checks import views_of
from federation_site.sign_in.pages import no_such_page
from federation_site.watch import health
from federation_site.web.robots import robots

handler429 = "federation_site.sign_in.pages.too_many_tries"
handler500 = "federation_site.web.server_error.server_error"


def private(module: str) -> Any:
    """Include the addresses of a module, and let no browser or proxy keep a copy of their pages."""
    included: Any = include(module)
    for _path, pattern in views_of(included[0].urlpatterns):
        pattern.callback = never_cache(pattern.callback)
    return included


urlpatterns = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("metrics", health.metrics),
    path("robots.txt", robots, name="robots"),
    path("accounts/email/", no_such_page),
    path("accounts/", private("allauth.account.urls")),
    path("accounts/2fa/", private("allauth.mfa.urls")),
    path("accounts/sessions/", private("allauth.usersessions.urls")),
    path("", include("players.urls")),
    path("", include("tournaments.urls")),
    path("", include("ratings.urls")),
]
