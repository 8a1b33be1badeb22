"""Runs commands of `manage.py`, and prints a sentence for errors that an operator can fix."""

from collections.abc import Sequence

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import DatabaseError


def run_command(arguments: Sequence[str]) -> None:
    """Run a command of `manage.py`; exit with a sentence if an operator can fix the error.

    Other errors are raised, and with `--traceback` all.
    """
    try:
        execute_from_command_line(list(arguments))
    except (DatabaseError, ImproperlyConfigured) as fault:
        if not (words := fault_words(fault)) or "--traceback" in arguments:
            raise
        raise SystemExit(words) from None


def fault_words(fault: DatabaseError | ImproperlyConfigured) -> str:
    """The sentence for an error that an operator can fix; empty if only a traceback helps."""
    return str(fault) if isinstance(fault, ImproperlyConfigured) else database_error_advice(fault)


ADVICE = {
    ("connection", "could not translate host name", "authentication"): (
        "Is its server up, and DATABASE_URL right?"
    ),
    ("unable to open", "readonly database", "read-only"): "Look at the folder's and the file's rights.",
    ("no such table", "no such column", "does not exist"): "Make it ready first:  python3 manage.py migrate",
    ("malformed", "not a database", "disk i/o error", "invalid page"): (
        "Its file is damaged: close the office, keep the file, and put the last backup in its place"
        " (docs/operating.md)."
    ),
    ("disk is full", "no space left"): "Make room; nothing that was acknowledged is lost.",
    ("is locked", "lock timeout"): "Somebody else writes. Run the same command again in a moment.",
}


def database_error_advice(fault: DatabaseError) -> str:
    """A database error with advice; empty if only a traceback helps."""
    message = " ".join(str(fault).split())
    for signs, advice in ADVICE.items():
        if any(sign in message.lower() for sign in signs):
            return (
                f"The database {settings.DATABASES['default']['NAME']} cannot be used: {message}.\n{advice}"
            )
    return ""
