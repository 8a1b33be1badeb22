"""The form of the journals in the database: where this version does not read it, no program starts there."""

import re
from collections.abc import Iterable

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.utils.translation import gettext as _

from ratings.law.facts import FORM, FORMER_FORMS

FIRST_LINES = "SELECT line FROM ratings_fact WHERE number = 1"
_HEAD = re.compile(r'\{"fact":"federation",(?:"form":(\d+),)?"code":"([-\w]+)"')
"""The beginning of a journal's first line as it is stored; form 1 named no form."""


def refuse_other_form() -> None:
    """End this program with a sentence where the database holds a journal of another form."""
    if words := other_form():
        raise SystemExit(words)


def other_form() -> str:
    """Say that the database holds a journal of another form, and what to do; empty if it holds none.

    It may be of any version, without tables, or away.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    try:
        if "ratings_fact" not in connection.introspection.table_names():
            return ""
        with connection.cursor() as cursor:
            cursor.execute(FIRST_LINES)
            return words_on(line for (line,) in cursor.fetchall())
    except DatabaseError:
        return ""


def words_on(rows: Iterable[str]) -> str:
    """A sentence on the journals of another form whose first lines stand in these texts, and on what to do;
    empty if there are none.
    """
    heads = filter(None, map(_HEAD.search, rows))
    forms = {head[2]: int(head[1] or 1) for head in heads}
    others = {code: form for code, form in sorted(forms.items()) if form != FORM}
    if not others:
        return ""
    form = max(others.values())
    if form in FORMER_FORMS:
        words = _(
            "The journal of this database (%(codes)s) is in form %(form)s, which this version does not read: "
            "let %(program)s, which made it, write each office’s journal (manage.py export_journal CODE -o "
            "FILE), and this version make a new office of it in another database (manage.py import_journal "
            "FILE); offices of the demo are made anew (docs/upgrading.md)."
        )
    else:
        words = _(
            "The journal of this database (%(codes)s) is in form %(form)s, which this version does not read: "
            "start the version that made the database, or begin with another database."
        )
    return words % {"codes": ", ".join(others), "form": form, "program": FORMER_FORMS.get(form)}
