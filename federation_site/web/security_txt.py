"""security.txt (RFC 9116): whom to tell of a hole in this office."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from django.conf import settings
from django.http import Http404, HttpResponse
from django.utils import timezone

from players.office.access import OfficeRequest, public

GOOD_FOR = timedelta(days=180)
"""RFC 9116 §2.5.5: less than a year; made anew with each answer, it runs out with the office alone."""


@public
def security_txt(request: OfficeRequest) -> HttpResponse:
    """security.txt with the contact of SECURITY_CONTACT; 404 where none is set."""
    if not settings.SECURITY_CONTACT:
        raise Http404
    day = timezone.now().date() + GOOD_FOR
    fields = {
        "Contact": contact_uri(settings.SECURITY_CONTACT),
        "Expires": timezone.make_aware(datetime.combine(day, time())).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "Preferred-Languages": "en",
        "Canonical": request.build_absolute_uri(request.path),
    }
    text = "".join(f"{name}: {value}\n" for name, value in fields.items())
    return HttpResponse(
        text, content_type="text/plain; charset=utf-8", headers={"Cache-Control": "max-age=86400"}
    )


def contact_uri(contact: str) -> str:
    """A contact as a URI: a mail address becomes `mailto:`."""
    return contact if ":" in contact else f"mailto:{contact}"
