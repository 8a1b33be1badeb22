from django.urls import include, path

from federation_site.watch import health
from federation_site.web import accounts
from federation_site.web.robots import robots

handler500 = "federation_site.web.errors.server_error"

urlpatterns = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("metrics", health.metrics),
    path("robots.txt", robots, name="robots"),
    path("accounts/email/", accounts.no_such_page),
    path("accounts/", include("allauth.account.urls")),
    path("", include("players.urls")),
    path("", include("tournaments.urls")),
    path("", include("ratings.urls")),
]
