"""The dates of the rounds (TRF 132): ten columns for each round; some programs write a line for each."""

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import pairwise

from tournaments.formats.common.dates import PLACEHOLDER_FROM, read_round_date
from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import Unused
from tournaments.formats.common.settle_dates import Settled
from tournaments.formats.trf_layout.columns import CELL_WIDTH, FIRST_CELL, MOST_ROUNDS, cell_start
from tournaments.formats.trf_layout.trf_record import TrfRecord


def read_round_dates(
    records: Sequence[TrfRecord], rounds: int | None, settled: Settled, notes: Notes
) -> tuple[dict[int, date], list[Unused]]:
    """Read records 132: the date by round, and the lines that could not be read. `rounds`: as scheduled;
    `settled`: the days of texts that the event's own days settle.
    """
    found: dict[int, date] = {}
    shifted = [record for record in records if record.text[3 : FIRST_CELL - 1].strip()]
    if not shifted:
        for record in records:
            _read_cells(record, found, settled, notes)
        return found, []
    if in_order := _in_order(records, rounds):
        notes.notice("round-dates-in-order", records[0].line)
        for number, (record, text, day) in enumerate(in_order, 1):
            notes.adjusts("round-dates-in-order", record.line, text, f"{number}: {day.isoformat()}")
            found[number] = day
        return found, []
    notes.notice("round-dates-shifted", shifted[0].line, FIRST_CELL)
    return found, [Unused(record.text, record.line) for record in records]


def texts_of(records: Sequence[TrfRecord]) -> list[str]:
    """The texts in the cells of records 132, in the order of the rounds."""
    cells = (cell for record in records for _round, _start, cell in _cells(record))
    return [cell for cell in cells if cell]


def _cells(record: TrfRecord) -> Iterator[tuple[int, int, str]]:
    """Yield each round of a record with its column and its text."""
    for round_ in range(1, MOST_ROUNDS + 1):
        start = cell_start(round_)
        yield round_, start, record.text[start - 1 : start - 1 + CELL_WIDTH].strip()


def _read_cells(record: TrfRecord, found: dict[int, date], settled: Settled, notes: Notes) -> None:
    for round_, start, cell in _cells(record):
        day = read_round_date(cell)
        if day is None and cell in settled.rounds:
            day = settled.rounds[cell]
            notes.adjusts("date-settled", record.line, cell, day.isoformat())
        if day and day.year < PLACEHOLDER_FROM:
            found[round_] = day
        elif cell:
            notes.notice("round-date-not-read", record.line, start, round=round_, text=cell)
            notes.adjusts("round-date-not-read", record.line, cell, "")


def _in_order(records: Sequence[TrfRecord], rounds: int | None) -> list[tuple[TrfRecord, str, date]]:
    """The dates of the rounds one after the other, as record, text and day: if the records hold only dates,
    none goes back, and there are as many as rounds, or one a record. Otherwise nothing.
    """
    texts = [(record, text) for record in records for text in record.value.split()]
    days = [(record, text, day) for record, text in texts if (day := read_round_date(text))]
    whole = len(days) == len(texts) and all(day.year < PLACEHOLDER_FROM for _, _, day in days)
    forward = all(a[2] <= b[2] for a, b in pairwise(days))
    a_line_each = len(records) == len(days) > 1 and len(days) <= (rounds or MOST_ROUNDS)
    return days if whole and forward and (len(days) == rounds or a_line_each) else []
