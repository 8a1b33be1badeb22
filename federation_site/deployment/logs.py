"""Logs, ours and every library's: lines of JSON in production, readable text elsewhere."""

import logging.config
import re
from collections.abc import MutableMapping
from typing import Any

import structlog
from django.core.exceptions import ImproperlyConfigured

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
SECRET_PATH = re.compile(r"(/password/reset/key/)[^/\s]+")


def mask_secrets(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Cut the keys of password links out of a log line, whoever writes it (a processor of structlog)."""
    for name, value in event.items():
        if isinstance(value, str) and "/key/" in value:
            event[name] = SECRET_PATH.sub(r"\1…", value)
    return event


SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def configure_logging(*, level: str, json: bool, mail: bool = False) -> None:
    """Send everything from `level` up to standard error; with `mail`, errors to the operators too."""
    # Tracebacks without the values of local variables: those are people's dates of birth.
    renderer: list[Any] = (
        [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
        if json
        else [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)]
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *SHARED,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    lines = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": SHARED,
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
                "mail": {"class": "federation_site.watch.error_reports.MailOperators", "formatter": "lines"},
            },
            "root": {"handlers": ["stderr", *(["mail"] if mail else [])], "level": known(level)},
        }
    )


def known(level: str) -> str:
    """The name of a level, in capitals. Raises ImproperlyConfigured where it is none."""
    if (name := level.upper()) not in LEVELS:
        raise ImproperlyConfigured(f"LOG_LEVEL is “{level}”: write one of {', '.join(LEVELS)}.")
    return name
