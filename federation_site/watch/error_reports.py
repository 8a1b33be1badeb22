"""Tells operators of errors: by mail, each kind once in an hour, and to Sentry where its address is set."""

from __future__ import annotations

import logging
import time

import sentry_sdk

QUIET = 3600.0
"""The seconds in which one kind of error is mailed once."""
_MOST = 500


class MailOperators(logging.Handler):
    """A log handler that mails operators the first error of each kind in an hour, in the words of the log."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._told: dict[str, float] = {}

    def emit(self, record: logging.LogRecord) -> None:
        said = record.msg.get("event") if isinstance(record.msg, dict) else record.msg
        kind = f"{record.name}: {said}"
        now = time.monotonic()
        if now < self._told.get(kind, 0.0):
            return
        if len(self._told) >= _MOST:
            self._told.clear()
        self._told[kind] = now + QUIET
        try:
            from django.core.mail import mail_admins  # needs the settings, which name this handler

            first, *_rest = record.getMessage().splitlines() or [""]
            mail_admins(first[:120], self.format(record))
        except Exception:  # the alarm must never be the fault; the log has the error
            self.handleError(record)


def watch_by_sentry(dsn: str) -> None:
    """Send errors to Sentry: without people, request bodies, cookies or the values of local variables."""
    sentry_sdk.init(
        dsn=dsn,
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        traces_sample_rate=0.0,
    )
