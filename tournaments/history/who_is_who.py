"""Everybody whom a history's files name, and for whom each was taken: a CSV in which it can be put right.

It is a table of questions with more columns, so that it comes back as answers do. Whoever knows that two are
one says so here, asked or not.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from players.register.name_folding import fold
from ratings.equipment.downloads import BYTE_ORDER_MARK, csv_bytes, disarmed
from tournaments.history.models import History
from tournaments.history.people.filed_people import FiledPerson
from tournaments.history.plan import HistoryPlan
from tournaments.history.question_table import COLUMNS

FURTHER = ("how", "entries")
"""The way in which a spelling was settled, and the number of entries that have it."""


def write(plan: HistoryPlan) -> bytes:
    """Write the table, compressed as a history keeps it: people of one first name stand together, by birth,
    since whoever married is found so.
    """
    return zlib.compress(BYTE_ORDER_MARK + csv_bytes((*COLUMNS, *FURTHER), _rows(plan)))


def _rows(plan: HistoryPlan) -> Iterator[list[str]]:
    for person in sorted(plan.people, key=_by_first_name):
        for spelling in person.spellings:
            told = ("person", spelling.mark, spelling.where, person.offer)
            how = plan.how.get(spelling.mark, "")
            yield [*map(disarmed, told), "", how, str(len(spelling.uses))]


def _by_first_name(person: FiledPerson) -> tuple[str, str, str]:
    return fold(person.first_name), person.birth, person.name


def read(history: History) -> bytes:
    """The table of the newest check; empty before the first."""
    kept = History.objects.values_list("who_is_who", flat=True).get(pk=history.pk)
    return zlib.decompress(bytes(kept)) if kept else b""
