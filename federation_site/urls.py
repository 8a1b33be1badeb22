from typing import Any

from django.urls import include, path
from django.views.decorators.cache import never_cache

from federation_site import watch
from federation_site.account import mailbox, mailbox_letter, own_page
from federation_site.checks import views_of
from federation_site.middleware import choose_language
from federation_site.operations import operations
from federation_site.public_files import favicon, robots, security_txt
from federation_site.sign_in import no_such_page

handler429 = "federation_site.sign_in.too_many_tries"
handler500 = "federation_site.server_errors.answer_fault"


def include_never_cached(module: str) -> Any:
    """Include the addresses of a module, and let no browser or proxy keep a copy of their pages."""
    included: Any = include(module)
    for _path, pattern in views_of(included[0].urlpatterns):
        pattern.callback = never_cache(pattern.callback)
    return included


urlpatterns = [
    path("healthz", watch.healthz),
    path("readyz", watch.readyz),
    path("metrics", watch.metrics),
    path("robots.txt", robots, name="robots"),
    path("favicon.ico", favicon, name="favicon"),
    path(".well-known/security.txt", security_txt, name="security_txt"),
    path("language/", choose_language, name="choose_language"),
    path("operations/", operations, name="operations"),
    path("accounts/email/", no_such_page, name="no_such_page"),
    path("accounts/me/", own_page, name="own_page"),
    path("accounts/mailbox/", mailbox, name="mailbox"),
    path("accounts/mailbox/<str:name>/", mailbox_letter, name="mailbox_letter"),
    path("accounts/", include_never_cached("allauth.account.urls")),
    path("accounts/2fa/", include_never_cached("allauth.mfa.urls")),
    path("accounts/sessions/", include_never_cached("allauth.usersessions.urls")),
    path("", include("players.pages.urls")),
    path("", include("tournaments.pages.urls")),
    path("", include("ratings.pages.urls")),
]
