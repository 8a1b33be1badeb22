"""Sign-in: accounts come with an appointment, and lead to its office's desk."""

from __future__ import annotations

from typing import Any, cast

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.authentication import get_authentication_records
from django.contrib import messages
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from federation_site.sign_in import guessing_limits, known_devices
from federation_site.sign_in.history.models import PastSignIn
from federation_site.sign_in.history.sign_ins import note_sign_in, unmapped
from players.office.mail.letters import in_language, language_of_reader, order_letter
from players.office.models import User
from players.office.settings_schema import today, zone_of

WEAK = "password_is_weak"
log = structlog.get_logger("federation_site.sign_in")


class OfficeAccounts(DefaultAccountAdapter):
    """An account adapter without sign-up, which counts tries, tells of them, and knows people's devices."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """The page after a sign-in: the desk of the latest appointment in force, else the front page."""
        held = cast(User, request.user).appointments.select_related("federation")
        for appointment in held.order_by("-starts", "-pk"):
            if held.on(today(appointment.federation)).filter(pk=appointment.pk).exists():
                return reverse("ratings:desk", args=[appointment.federation.code])
        return "/"

    def get_client_ip(self, request: HttpRequest) -> str:
        """The visitor's address; IPv4 as such, for limits would count all of `::ffff:…` as one network."""
        return unmapped(super().get_client_ip(request))

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count the try, or refuse it; allauth takes it back (`rollback`) when the password was right."""
        self._login_failed_rl_usage = guessing_limits.count_try(request, credentials["email"])
        if not self._login_failed_rl_usage:
            self._tell(request, "sign-in refused: too many tries", credentials["email"])
            raise self.validation_error("too_many_login_attempts")

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        user: User | None = super().authenticate(request, **credentials)
        if user and not request.user.is_authenticated:
            request.session[WEAK] = not would_be_taken(credentials["password"], user)
        return user

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        person = self._tell(request, "sign-in failed", credentials["email"])
        note_sign_in(request, person, PastSignIn.Outcome.WRONG_PASSWORD)

    def post_login(self, request: HttpRequest, user: User, **given: Any) -> HttpResponse:
        """Tell the person of a device that is new to them, and ask for a better password where needed."""
        response: HttpResponse = super().post_login(request, user, **given)
        known = known_devices.device_of(request).knows(user)
        methods = [record["method"] for record in get_authentication_records(request, user)]
        log.info("signed in", person=user.pk, address=self.get_client_ip(request), known_device=known)
        note_sign_in(request, user.pk, PastSignIn.Outcome.SIGNED_IN)
        if not known and "password_reset" not in methods:  # of a new password a letter tells already
            self.send_notification_mail("account/email/new_device", user)
        if request.session.pop(WEAK, False):
            words = _("Your password is shorter or better known than is wise today: please choose another.")
            messages.warning(request, words)
            following = urlencode({"next": response["Location"]})
            response = redirect(f"{reverse('account_change_password')}?{following}")
        known_devices.remember(request, response, user)
        return response

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, str]]:
        """The ways to prove again who one is: by the second factor alone, where the person has one."""
        methods: list[dict[str, str]] = super().get_reauthentication_methods(user)
        factors = [method for method in methods if method["id"].startswith("mfa_")]
        return factors or methods

    def render_mail(self, template_prefix: str, email: str, *args: Any, **given: Any) -> Any:
        """A letter of allauth's in its reader's language, with times by the clock of their office, which a
        worker sends: no page waits for the mail server or fails with it.
        """
        reader = User.objects.filter(email=email.lower()).first()
        language = language_of_reader(reader)
        with in_language(language), timezone.override(zone_of(reader) if reader else None):
            return OrderedMessage(super().render_mail(template_prefix, email, *args, **given), language)

    def _tell(self, request: HttpRequest, event: str, email: str) -> int | None:
        """Log a try to sign in under the person's key, which is returned: what was typed as an address may be
        a password.
        """
        person = User.objects.filter(email=email.lower()).values_list("pk", flat=True).first()
        log.warning(event, person=person, address=self.get_client_ip(request))
        return person


class OrderedMessage:
    """A message of Django's that is ordered where others would be sent."""

    def __init__(self, message: EmailMessage, language: str) -> None:
        self.message, self.language = message, language

    def send(self) -> None:
        subject, text = str(self.message.subject), str(self.message.body)
        for email in self.message.to:
            order_letter(email, subject=subject, text=text, language=self.language)


def would_be_taken(password: str, user: User) -> bool:
    """Whether a person's present password passes today's demands on a new one."""
    try:
        validate_password(password, user)
    except ValidationError:
        return False
    return True
