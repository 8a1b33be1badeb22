"""Runs commands of `manage.py`, and ends them with a sentence where a traceback would help nobody."""

from collections.abc import Sequence

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import DatabaseError

from ratings.rulesets.ruleset import with_room


def run(arguments: Sequence[str]) -> None:
    """Run a command of `manage.py`; end it with a sentence at a fault that an operator can mend.

    Other faults are raised, and with `--traceback` all.
    """
    try:
        with_room(lambda: execute_from_command_line(list(arguments)))
    except (DatabaseError, ImproperlyConfigured) as fault:
        words = _words_for(fault)
        if not words or "--traceback" in arguments:
            raise
        raise SystemExit(words) from None


def _words_for(fault: DatabaseError | ImproperlyConfigured) -> str:
    if isinstance(fault, ImproperlyConfigured):
        return str(fault)

    return words_for(fault)


MEND = {
    (
        "connection",
        "could not translate host name",
        "authentication",
    ): "Is its server up, and DATABASE_URL right?",
    ("unable to open", "readonly database", "read-only"): "Look at the folder's and the file's rights.",
    ("no such table", "no such column", "does not exist"): "Make it ready first:  python3 manage.py migrate",
    ("malformed", "not a database", "disk i/o error", "invalid page"): (
        "Its file is damaged: close the office, keep the file, and put the last backup in its place"
        " (docs/operations.md)."
    ),
    ("disk is full", "no space left"): "Make room; nothing that was acknowledged is lost.",
    ("is locked", "lock timeout"): "Somebody else writes. Run the same command again in a moment.",
}


def words_for(fault: DatabaseError) -> str:
    """A sentence on a fault of the database and what to do; empty where only a traceback helps."""
    said = " ".join(str(fault).split())
    for signs, mend in MEND.items():
        if any(sign in said.lower() for sign in signs):
            return f"The database {settings.DATABASES['default']['NAME']} cannot be used: {said}.\n{mend}"
    return ""
