from django.urls import include, path

from federation_site import accounts, health

handler500 = "federation_site.errors.server_error"

urlpatterns = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("accounts/email/", accounts.no_such_page),
    path("accounts/", include("allauth.account.urls")),
    path("", include("players.urls")),
    path("", include("tournaments.urls")),
    path("", include("ratings.urls")),
]
