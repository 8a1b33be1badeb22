"""A history's open questions as a CSV to be filled in, and the answers read from one."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from players.office.decision_record import Refused
from ratings.equipment.downloads import BYTE_ORDER_MARK, csv_bytes, disarmed, rearmed
from tournaments.history.receive import GivenAnswer

COLUMNS = ("question", "subject", "where", "proposed", "answer")


def write_questions(asked: Iterable[Sequence[str]]) -> bytes:
    """The open questions as a CSV with an empty column for answers."""
    return BYTE_ORDER_MARK + csv_bytes(COLUMNS, ([*map(disarmed, each), ""] for each in asked))


def read_answers(data: bytes) -> list[GivenAnswer]:
    """The answers of a filled-in table; rows without one are left out. Raises `Refused` for other tables."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refused(_("Save the table of answers as CSV in UTF-8.")) from None
    delimiter = ";" if text.partition("\n")[0].count(";") > text.partition("\n")[0].count(",") else ","
    rows = csv.DictReader(io.StringIO(text), delimiter=delimiter)
    if not {"question", "subject", "answer"} <= set(rows.fieldnames or ()):
        raise Refused(_("The table of answers needs the columns question, subject and answer."))
    said = [{name: rearmed(row.get(name) or "").strip() for name in COLUMNS} for row in rows]
    return [GivenAnswer(row["question"], row["subject"], row["answer"]) for row in said if row["answer"]]
