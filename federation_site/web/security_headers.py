"""Headers that every answer of the site has: what its pages may do in a browser, and who may use its answers.

Django's SecurityMiddleware and django-csp add theirs; these are the rest.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

GetResponse = Callable[[HttpRequest], HttpResponse]

REFUSED = (
    "camera",
    "display-capture",
    "geolocation",
    "hid",
    "microphone",
    "midi",
    "payment",
    "serial",
    "usb",
)
"""Features that no page needs; browsers complain in their console of names that they do not know."""
PASSKEYS = ("publickey-credentials-create", "publickey-credentials-get")
HEADERS = {
    "Permissions-Policy": ", ".join(
        [*(f"{feature}=()" for feature in REFUSED), *(f"{feature}=(self)" for feature in PASSKEYS)]
    ),
    # No page of another site shows our files as its own; a program may fetch them all the same.
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Server": "office",  # not which program, and of which version
}


def add_security_headers(get_response: GetResponse) -> GetResponse:
    """Make a middleware that gives each answer `HEADERS`, unless it has one of its own."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    return middleware
