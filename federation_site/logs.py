"""Logging: JSON in production, readable text elsewhere; errors also by mail and to Sentry."""

import fcntl
import json
import logging
import logging.config
import re
import time
import traceback
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager, suppress
from pathlib import Path
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


# ---- Letters to the operators about errors
MUTE_SECONDS = 3600.0
"""The seconds in which one kind of error is mailed once, whichever process meets it …"""
RETRY_SECONDS = 300.0
"""… and those after a letter that the mail server did not take."""
TOLD_FILE = "told_operators.json"
_MOST_KINDS = 500


class MailOperators(logging.Handler):
    """A log handler that tells the operators of the first error of each kind in an hour: what is wrong, and
    what to do about it.

    An error says what to do in `mend`, an English text marked by `gettext_noop`: an event of structlog as a
    key, another record in `extra`. A refusal without an exception (`/readyz`, an upgrade) is no error.
    """

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._told: dict[str, float] = {}

    def emit(self, record: logging.LogRecord) -> None:
        if record.name == "django.request" and not record.exc_info:
            return
        try:
            kind = kind_of(record)
            if not self._is_first(kind):
                return
            from django.conf import settings  # which name this handler
            from django.core.mail import mail_admins
            from django.utils import translation

            with translation.override(settings.OFFICE_LANGUAGE or settings.LANGUAGE_CODE):
                subject, body = compose(record)
                try:
                    mail_admins(subject, f"{body}\n\n{self.format(record)}\n")
                except Exception:
                    self._note_failure(kind)
                    raise
        except Exception:  # logging must not raise; the log has the error
            self.handleError(record)

    def _is_first(self, kind: str) -> bool:
        """Whether this kind is the first of an hour, in this process and, where its folder can be written, in
        all.
        """
        now = time.time()
        first = is_first(self._told, kind, now)
        with suppress(OSError), _told_by_all() as told:
            first = is_first(told, kind, now) and first
        return first

    def _note_failure(self, kind: str) -> None:
        """Let the next error of a kind be tried in some minutes, as nobody got the letter on this one."""
        self._told[kind] = again = time.time() - MUTE_SECONDS + RETRY_SECONDS
        with suppress(OSError), _told_by_all() as told:
            told[kind] = again


@contextmanager
def _told_by_all() -> Iterator[dict[str, float]]:
    """When any process told each kind, to be changed. What cannot be read is begun anew."""
    from django.conf import settings

    with (settings.VAR / TOLD_FILE).open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        told: dict[str, float] = {}
        with suppress(ValueError, TypeError):
            told = dict(json.loads(file.read()))
        yield told
        file.truncate(0)
        json.dump(told, file)


def is_first(told: dict[str, float], kind: str, now: float) -> bool:
    """Whether a kind of error was not told within an hour; then note that it is told now."""
    recent = {each: at for each, at in told.items() if 0 <= now - at < MUTE_SECONDS}
    told.clear()
    told.update(list(recent.items())[-_MOST_KINDS:])
    told.setdefault(kind, now)
    return kind not in recent


def kind_of(record: logging.LogRecord) -> str:
    """What two errors of one kind share: the fault of the database, the place in the code, or the event."""
    from federation_site.server_errors import BUG_PAGE, fault_page

    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return f"{record.name}: {_event(record)}"
    if (page := fault_page(error)) != BUG_PAGE:
        return page[1]
    frames = traceback.extract_tb(error.__traceback__)
    # The last line of the program's own: others have few by which all files, say, are opened.
    place = next(filter(_is_own, reversed(frames)), frames[-1] if frames else None)
    return f"{type(error).__name__} {place and (place.filename, place.lineno)}"


def _is_own(frame: traceback.FrameSummary) -> bool:
    from django.conf import settings

    path = Path(frame.filename)
    return path.is_relative_to(settings.ROOT) and "site-packages" not in path.parts


def compose(record: logging.LogRecord) -> tuple[str, str]:
    """The subject and the text of a letter, in the active language: what is wrong, and what to do."""
    from django.conf import settings
    from django.utils.translation import gettext as _

    from federation_site.server_errors import fault_advice

    wrong, mend = SECRET_PATH.sub(r"\1…", _event(record, filled=True)), _given(record, "mend")
    if record.exc_info:
        fault, advice = fault_advice(record.exc_info[1])
        mend = _(mend) if mend else advice
        path = getattr(getattr(record, "request", None), "path", "")
        if path and not fault:
            wrong = _("A page failed: %(page)s") % {"page": SECRET_PATH.sub(r"\1…", path)}
        wrong = fault or wrong
    elif mend:
        mend = _(mend)
    parts = [
        wrong,
        *([_("What to do: %(advice)s") % {"advice": mend}] if mend else []),
        _("How the site does, and what to do where something waits: %(page)s")
        % {"page": f"{settings.SITE_ADDRESS}/operations/"},
        _("Of errors of this kind no other letter comes within an hour. The log has all of them; this one:"),
    ]
    return f"{settings.SITE_HOST}: {wrong.splitlines()[0][:120]}", "\n\n".join(parts)


def _event(record: logging.LogRecord, *, filled: bool = False) -> str:
    if isinstance(record.msg, dict):
        return str(record.msg.get("event", ""))
    return (record.getMessage() if filled else str(record.msg)) or record.name


def _given(record: logging.LogRecord, name: str) -> str:
    return str(record.msg.get(name, "") if isinstance(record.msg, dict) else getattr(record, name, ""))


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
