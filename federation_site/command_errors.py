"""A command of `manage.py`, ended with a sentence where a traceback would help nobody."""

from collections.abc import Sequence

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import DatabaseError

from ratings.law.interpreter_costs import with_room


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
    from federation_site.startup_checks.database_error_messages import words_for

    return words_for(fault)
