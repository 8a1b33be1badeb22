from typing import Any

from django.urls import include, path
from django.views.decorators.cache import never_cache

from federation_site.checks import views_of
from federation_site.languages.switch import choose_language
from federation_site.operators.page import operations
from federation_site.own_page.mailbox import mailbox, mailbox_letter
from federation_site.own_page.own_page import own_page
from federation_site.sign_in.refusal_views import no_such_page
from federation_site.watch import probe_views
from federation_site.web.favicon import favicon
from federation_site.web.robots import robots
from federation_site.web.security_txt import security_txt

handler429 = "federation_site.sign_in.refusal_views.too_many_tries"
handler500 = "federation_site.web.server_error_pages.server_error"


def private(module: str) -> Any:
    """Include the addresses of a module, and let no browser or proxy keep a copy of their pages."""
    included: Any = include(module)
    for _path, pattern in views_of(included[0].urlpatterns):
        pattern.callback = never_cache(pattern.callback)
    return included


urlpatterns = [
    path("healthz", probe_views.healthz),
    path("readyz", probe_views.readyz),
    path("metrics", probe_views.metrics),
    path("robots.txt", robots, name="robots"),
    path("favicon.ico", favicon, name="favicon"),
    path(".well-known/security.txt", security_txt, name="security_txt"),
    path("language/", choose_language, name="choose_language"),
    path("operations/", operations, name="operations"),
    path("accounts/email/", no_such_page, name="no_such_page"),
    path("accounts/me/", own_page, name="own_page"),
    path("accounts/mailbox/", mailbox, name="mailbox"),
    path("accounts/mailbox/<str:name>/", mailbox_letter, name="mailbox_letter"),
    path("accounts/", private("allauth.account.urls")),
    path("accounts/2fa/", private("allauth.mfa.urls")),
    path("accounts/sessions/", private("allauth.usersessions.urls")),
    path("", include("players.urls")),
    path("", include("tournaments.urls")),
    path("", include("ratings.urls")),
]
