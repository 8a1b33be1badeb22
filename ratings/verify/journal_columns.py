"""Compares columns stored beside the journal's lines with the lines, and so names any altered line."""

from __future__ import annotations

from collections.abc import Iterator

from players.office.models import Federation
from ratings.intake.fact_rows_from_lines import Intake
from ratings.journal.models import Fact, StatedPre
from ratings.law import journal

_AT_ONCE = 2_000
OF_SECTIONS = ("section", "rated", "unrated")
BESIDE = (
    *("kind", "subject", "on", "order", "taken_back", "takes__number", "first_rated__number"),
    *("particulars", "pres"),
    *("section__event__number", "section__code"),
)
"""Columns that follow from a line and the lines above it."""


def differences(federation: Federation, record: journal.Journal) -> Iterator[str]:
    """Name each journal line whose columns do not follow from it, and pre-ratings that no line states."""
    intake = Intake(federation, record.lines)
    stored = Fact.objects.filter(federation=federation).order_by("number")
    rows = stored.values_list("number", "fingerprint", *BESIDE).iterator(chunk_size=_AT_ONCE)
    expected = {row.number: row for row in intake.rows}
    for number, fingerprint, *told in rows:
        row = expected.pop(number, None)
        # A merge renews what is in force; of that, `verify_everything` compares fingerprints with a replay.
        another = not intake.renames and row is not None and fingerprint != row.fingerprint
        if row is not None and (another or told != _expected(row)):
            yield f"line {number}: its columns are not what it says"
    yield from _pres(federation, intake.pres)


def _expected(row: Fact) -> list[object]:
    takes = row.takes.number if row.takes else None
    event, _slash, code = row.subject.rpartition("/") if row.kind in OF_SECTIONS else ("", "", "")
    first = row.first_rated.number if row.first_rated else None
    beside = [row.kind, row.subject, row.on, row.order, row.taken_back, takes, first]
    return [*beside, row.particulars, row.pres, event or None, code or None]


def _pres(federation: Federation, given: list[StatedPre]) -> Iterator[str]:
    """Name each pre-rating in which the stored rows and those that the lines state (`given`) differ."""
    expected = {(each.line, each.player, each.pre) for each in given}
    rows = StatedPre.objects.filter(federation=federation)
    stored = set(rows.values_list("line", "player", "pre"))
    for line, player, pre in sorted(expected ^ stored):
        yield f"line {line}: the pre-rating {pre} of player {player} is not what it states"
