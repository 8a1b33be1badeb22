"""A table of players as the box read it, compared row by row with the register."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from players.importing.columns import missing
from players.importing.models import RegisterImport
from players.importing.named_columns import SAMPLES, SHOWN, Naming, guessed, remembered
from players.importing.openings import GAMES, RATING, OpeningReader, OpeningTerms, headings
from players.importing.problem_messages import RowProblem
from players.importing.row_effects import Planned, Planner, TableRow
from players.office.models import Federation
from ratings.law.facts import Opening
from tournaments.box.run_box import BoxDied

_WHOLE_ROW = -1
PART = 1 << 16

OnProgress = Callable[[float], None]
"""Called now and then with the share of the work that is done."""
OpeningsOf = Callable[[Federation, str], Iterable[tuple[int, Opening]]]
"""The openings of a track that an office's journal has, each with its line's number."""
REGISTER, OPENINGS = "register", "openings"
"""The purposes under which the naming of a table is remembered."""


class TableRefused(Exception):
    """A table that is refused as a whole: `problem`, with words in `problem_messages`, and its line."""

    def __init__(self, problem: RowProblem, line: int | None = None) -> None:
        super().__init__(problem.key)
        self.problem, self.line = problem, line


class ColumnsUnnamed(Exception):
    """Raised where nobody can tell by the headings what a table holds, so that a person has to say it."""

    def __init__(self, problem: RowProblem, head: dict[str, Any]) -> None:
        super().__init__(problem.key)
        self.problem, self.head = problem, head


class TableComparison:
    """A table as the box read it, compared row by row with the register."""

    def __init__(self, job: RegisterImport, reading: bytes, openings_of: OpeningsOf) -> None:
        """`openings_of` tells the openings of a track that the journal has."""
        self.job, self.reading, self.openings_of = job, reading, openings_of
        self.notices: list[dict[str, Any]] = []
        """Remarks on the table as a whole; complete once its rows are read."""
        self.terms = OpeningTerms(**job.opening) if job.opening else None
        self.openings: OpeningReader | None = None
        self.coming_list: list[list[Any]] = []
        """The first rows of the list that would come out of opening ratings, once the rows are read."""
        self.head: dict[str, Any] = {}
        """The table's head, as `RegisterImport.head` keeps it; its rows are counted once they are read."""

    def planned(self, beat: OnProgress) -> Iterator[Planned]:
        """Plan the effect of each row. Raises `ColumnsUnnamed`, `TableRefused`, or `BoxDied` where the
        reading is cut short.
        """
        size = len(self.reading)
        values: Iterator[Any] = (
            json.loads(line) for line in lines_of(self.reading, lambda done: beat(done / size))
        )
        head = next(values)
        self._refuse(head)
        first = list(islice(values, SAMPLES))
        self.head = _head(head["head"], [row for row in first if isinstance(row, list)])
        values = chain(first, values)
        naming = self._naming(head["head"], values)
        if self.terms:
            games = naming.defaults.get(GAMES, "")
            before = list(self.openings_of(self.job.federation, self.terms.track))
            self.openings = OpeningReader(self.job.federation, self.terms, before, games)
        planner = Planner(
            self.job.federation,
            takes_numbers=self.job.takes_numbers,
            latest=self.job.on.year,
            defaults={name: text for name, text in naming.defaults.items() if name != GAMES},
            known_only=naming.known_only,
            openings=self.openings,
        )
        rows = _RowCount(self._rows(values, naming.places))
        taken = _RowCount(naming.rows(rows))
        yield from planner.plan(taken)
        if self.openings:
            self.coming_list = self.openings.listed()
        self._tell_left_out(naming, rows.count - taken.count, planner.left_out)

    def _naming(self, head: Sequence[str], values: Iterator[Any]) -> Naming:
        """The naming that a person gave this table, or one like it; else what its headings say."""
        naming = Naming.of(self.job.naming) if self.job.naming else None
        naming = naming or remembered(self.job.federation, head, purpose_of(self.job))
        if naming is None:
            taken = headings() if self.terms else {}
            read = guessed(self.job.federation, head, self.head["samples"], taken)
            if isinstance(read, RowProblem):
                raise self._unnamed(read, values)
            self.notices += [notice.as_dict() for notice in read.notices]
            naming = Naming(read.places)
        elif problem := missing([*naming.places.values(), *naming.pasted]):
            raise self._unnamed(problem, values)
        if self.terms and RATING not in (*naming.places.values(), *naming.pasted):
            raise self._unnamed(RowProblem("no-ratings"), values)
        self.head["used"] = {**naming.as_dict(), "pasted": {}}
        return naming

    def _unnamed(self, problem: RowProblem, values: Iterator[Any]) -> ColumnsUnnamed:
        for _row in self._rows(values, {}):
            pass  # counted, and refused if it cannot be read to its end
        return ColumnsUnnamed(problem, shown_head(self.head))

    def _rows(self, values: Iterator[Any], places: Mapping[int, str]) -> Iterator[TableRow]:
        for count, value in enumerate(values):
            if isinstance(value, dict):
                self.head["rows"] = count
                self._end(value)
                return
            yield _row(value, places)
        raise BoxDied("box-crash", "cut")

    def _tell_left_out(self, naming: Naming, of_others: int, unknown: int) -> None:
        told = (("other-nations", of_others), ("not-in-register", unknown))
        for key, count in told:
            if count:
                params = {"count": count, "nations": ", ".join(naming.nations)}
                self.notices.append(RowProblem(key, params=params).as_dict())

    def _end(self, end: dict[str, Any]) -> None:
        self._refuse(end)
        self.notices += end["notices"]

    def _refuse(self, told: dict[str, Any]) -> None:
        if "refused" in told:
            raise TableRefused(RowProblem(told["refused"], params=told["params"]), told["line"])


def purpose_of(job: RegisterImport) -> str:
    """The purpose under which the naming of a table like this is remembered."""
    return OPENINGS if job.opening else REGISTER


class _RowCount:
    """Counts rows as they pass."""

    def __init__(self, rows: Iterator[TableRow]) -> None:
        self.rows, self.count = rows, 0

    def __iter__(self) -> Iterator[TableRow]:
        for row in self.rows:
            self.count += 1
            yield row


def _head(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
    cells = [row[1] for row in rows]
    return {"headings": [text[:60] for text in headings], "samples": cells, "used": {}, "rows": 0}


def shown_head(head: Mapping[str, Any]) -> dict[str, Any]:
    """The head as it is stored, with the first few values of each column in place of whole rows."""
    columns = [
        list(islice((row[at][:30] for row in head["samples"] if at < len(row) and row[at]), SHOWN))
        for at in range(len(head["headings"]))
    ]
    return {**head, "samples": columns}


def _row(value: Sequence[Any], places: Mapping[int, str]) -> TableRow:
    line, cells, *faults = value
    found = tuple(
        RowProblem(key, "" if at == _WHOLE_ROW else places[at], params)
        for at, key, params in (faults[0] if faults else ())
        if at == _WHOLE_ROW or at in places
    )
    return TableRow(line, {name: cells[at] for at, name in places.items() if at < len(cells)}, found)


def lines_of(reading: bytes, beat: OnProgress) -> Iterator[bytes]:
    """The lines of a compressed reading, unpacked a part at a time; `beat` gets the bytes read so far."""
    unpacker, rest = zlib.decompressobj(), b""
    for at in range(0, len(reading), PART):
        beat(at)
        *lines, rest = (rest + unpacker.decompress(reading[at : at + PART])).split(b"\n")
        yield from lines
