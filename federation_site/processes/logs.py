"""Logs, ours and every library's: lines of JSON in production, readable text elsewhere."""

import logging.config
from typing import Any

import structlog

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
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {
                "lines": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "foreign_pre_chain": SHARED,
                    "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderer],
                }
            },
            "handlers": {
                "stderr": {"class": "logging.StreamHandler", "formatter": "lines"},
                "mail": {"class": "federation_site.watch.alarms.MailOperators", "formatter": "lines"},
            },
            "root": {"handlers": ["stderr", *(["mail"] if mail else [])], "level": level},
        }
    )
