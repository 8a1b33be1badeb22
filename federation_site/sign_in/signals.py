"""The effects of a sign-in and of changes of an account: marks in the session, lines in the log."""

from __future__ import annotations

from typing import Any

import structlog
from allauth.account.internal.flows.login import record_authentication
from allauth.account.signals import password_changed, password_reset, password_set
from allauth.mfa import signals as factors
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.dispatch import Signal, receiver
from django.http import HttpRequest

from federation_site.sign_in import guessing_limits
from federation_site.sign_in.history.models import PastSignIn
from federation_site.sign_in.history.sign_ins import note_sign_in
from players.office.models import User

log = structlog.get_logger("federation_site.sign_in")

TOLD: dict[str, Signal] = {
    "password changed": password_changed,
    "password set": password_set,
    "second factor added": factors.authenticator_added,
    "second factor removed": factors.authenticator_removed,
    "recovery codes made anew": factors.authenticator_reset,
    "signed out": user_logged_out,
}


def tell(event: str, signal: Signal) -> None:
    def told(user: Any, authenticator: Any = None, **_: Any) -> None:
        factor = {"factor": str(authenticator.type)} if authenticator else {}
        log.info(event, person=getattr(user, "pk", None), **factor)

    signal.connect(told, weak=False, dispatch_uid=event)


for _event, _signal in TOLD.items():
    tell(_event, _signal)


@receiver(user_logged_in)
def prove(request: HttpRequest, user: User, **_: Any) -> None:
    """Note at a sign-in that the person has just proved who they are, as if asked for it again."""
    record_authentication(request, user, "sign-in", reauthenticated=True)


@receiver(password_reset)
def begin_anew(request: HttpRequest, user: User, **_: Any) -> None:
    """Forget a person's sessions, known devices and counted tries after a new password by letter."""
    user.session_number += 1
    user.save(update_fields=["session_number"])
    guessing_limits.forget_tries(request, user.email)
    log.info("password chosen anew by letter", person=user.pk)


@receiver(factors.authentication_failed)
def tell_of_a_wrong_code(request: HttpRequest, user: User, **_: Any) -> None:
    log.warning("second factor failed", person=user.pk)
    note_sign_in(request, user.pk, PastSignIn.Outcome.WRONG_CODE)
