"""Sentences for the database's faults that an operator can mend, in place of tracebacks."""

from django.conf import settings
from django.db import DatabaseError

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
