"""Signing out everywhere, and forgetting sessions that ran out."""

from __future__ import annotations

from typing import Any, cast

from allauth.core import context
from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from allauth.usersessions.models import UserSession
from django.contrib.auth import update_session_auth_hash
from django.contrib.sessions.models import Session
from django.utils import timezone

from players.office.models import User
from players.office.reauthentication import ask_again


class OfficeSessions(DefaultUserSessionsAdapter):
    """Ends all sessions of a person by their `session_number`, listed or not; no device knows them then."""

    def end_sessions(self, sessions: Any) -> None:
        """End them all but this one, for whoever has proved who they are not long ago; else ask that first:
        whoever stole a session does not end its owner's.
        """
        ask_again(context.request)
        super().end_sessions(sessions)
        user = cast(User, context.request.user)
        user.session_number += 1
        user.save(update_fields=["session_number"])
        update_session_auth_hash(context.request, user)
        UserSession.objects.create_from_request(context.request)  # this one has another key now


def forget_expired() -> None:
    """Delete sessions that ran out, and with them the address and browser that each began with."""
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()
