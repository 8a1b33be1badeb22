"""Sign-in: accounts come with an appointment, and lead to its office's desk."""

from typing import NoReturn, cast

from allauth.account.adapter import DefaultAccountAdapter
from django.http import Http404, HttpRequest
from django.urls import reverse

from players.office.access import public
from players.office.models import User
from players.office.office_settings import today


class ClosedDoor(DefaultAccountAdapter):
    """An account adapter without sign-up."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """The desk of the latest appointment in force; the front page if there is none."""
        held = cast(User, request.user).appointments.select_related("federation")
        for appointment in held.order_by("-starts", "-pk"):
            if held.on(today(appointment.federation)).filter(pk=appointment.pk).exists():
                return reverse("ratings:desk", args=[appointment.federation.code])
        return "/"


@public
def no_such_page(request: HttpRequest) -> NoReturn:
    """Answer 404. Addresses change by appointment only: who appoints people must know where letters go."""
    raise Http404
