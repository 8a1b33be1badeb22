"""Logging: JSON in production, readable text elsewhere; errors also by mail and to Sentry."""

import logging
import logging.config
import re
import time
from collections.abc import MutableMapping
from typing import Any

import structlog
from django.core.exceptions import ImproperlyConfigured

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
SECRET_PATH = re.compile(r"(/password/reset/key/)[^/\s]+")


def mask_secrets(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Remove the keys of password links (a structlog processor)."""
    for name, value in event.items():
        if isinstance(value, str) and "/key/" in value:
            event[name] = SECRET_PATH.sub(r"\1…", value)
    return event


SHARED_PROCESSORS: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def configure_logging(*, level: str, json: bool, mail: bool = False) -> None:
    """Log everything from `level` up to standard error; with `mail`, mail errors to the operators too.

    Raises ImproperlyConfigured for an unknown level.
    """
    if level.upper() not in LEVELS:
        raise ImproperlyConfigured(f"LOG_LEVEL is “{level}”: write one of {', '.join(LEVELS)}.")
    # Tracebacks without the values of local variables, which may be dates of birth.
    renderer: list[Any] = (
        [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
        if json
        else [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)]
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *SHARED_PROCESSORS,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    lines = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": SHARED_PROCESSORS,
        "processors": [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            mask_secrets,
            *renderer,
        ],
    }
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"lines": lines},
            "handlers": {
                "stderr": {"class": "logging.StreamHandler", "formatter": "lines"},
                "mail": {"class": "federation_site.logs.MailOperators", "formatter": "lines"},
            },
            "root": {"handlers": ["stderr", *(["mail"] if mail else [])], "level": level.upper()},
        }
    )


# ---- Notifying operators of errors
MUTE_SECONDS = 3600.0
"""The seconds in which one kind of error is mailed once."""
_MOST_KINDS = 500


class MailOperators(logging.Handler):
    """A log handler that mails operators the first error of each kind in an hour."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._muted_until: dict[str, float] = {}

    def emit(self, record: logging.LogRecord) -> None:
        event = record.msg.get("event") if isinstance(record.msg, dict) else record.msg
        kind = f"{record.name}: {event}"
        now = time.monotonic()
        if now < self._muted_until.get(kind, 0.0):
            return
        if len(self._muted_until) >= _MOST_KINDS:
            self._muted_until.clear()
        self._muted_until[kind] = now + MUTE_SECONDS
        try:
            from django.core.mail import mail_admins  # needs the settings, which name this handler

            first, *_rest = record.getMessage().splitlines() or [""]
            mail_admins(first[:120], self.format(record))
        except Exception:  # logging must not raise; the log has the error
            self.handleError(record)


def watch_by_sentry(dsn: str) -> None:
    """Send errors to Sentry without users, request bodies, cookies or the values of local variables."""
    import sentry_sdk  # which takes memory, and few offices use it

    sentry_sdk.init(
        dsn=dsn,
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        traces_sample_rate=0.0,
    )
