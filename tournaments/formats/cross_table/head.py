"""The head of a cross table: the tournament's name, and lines such as `Number of rounds : 9`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

from tournaments.formats.common.dates import read_date
from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import Official
from tournaments.formats.plain_table.cell_values import read_whole
from tournaments.formats.plain_table.cells import Cells
from tournaments.formats.trf.header import LONGEST_TEXT
from tournaments.formats.trf.officials import officials_of
from tournaments.formats.trf_layout.columns import MOST_ROUNDS

# In English and in German, as far as the first colon and without what stands in brackets.
LABELS = {
    **dict.fromkeys(("number of rounds", "rundenanzahl", "anzahl runden"), "rounds"),
    **dict.fromkeys(("date", "datum"), "dates"),
    **dict.fromkeys(("location", "ort"), "city"),
    **dict.fromkeys(("federation", "landesverband", "land"), "federation"),
    **dict.fromkeys(("time control", "bedenkzeit"), "time_text"),
    **dict.fromkeys(("tournament type", "turnierart"), "kind"),
    **dict.fromkeys(("chief arbiter", "hauptschiedsrichter"), "chief"),
    **dict.fromkeys(("arbiter", "deputy arbiter", "deputy chief arbiter", "schiedsrichter"), "deputy"),
}
_LABELLED = re.compile(r"([^:]{2,60}):(.*)")
_BRACKETS = re.compile(r"\([^)]*\)")
_NATION = re.compile(r"\( ?([A-Z]{3}) ?\)|[A-Z]{3}")
_DATE = re.compile(r"[0-9]{4}[/.-][0-9]{1,2}[/.-][0-9]{1,2}|[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}")
_NO_NAME = re.compile(
    r"from the tournament|aus der turnier|last update|letzte|.*chess-results", re.IGNORECASE
)


@dataclass(slots=True)
class CrossTableHead:
    name: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    rounds: int | None = None
    starts: date | None = None
    ends: date | None = None
    officials: list[Official] = field(default_factory=list)


def read_head(rows: Iterable[Cells], notes: Notes) -> CrossTableHead:
    head = CrossTableHead()
    for row in rows:
        texts = [cell.text for cell in row if cell.text]
        if not texts:
            continue
        found = _labelled(texts)
        if found:
            _read(*found, row[0].line, head, notes)
        elif not head.name and not _NO_NAME.match(texts[0]) and not _LABELLED.fullmatch(texts[0]):
            head.name = texts[0][:LONGEST_TEXT]
    head.officials.sort(key=lambda official: official.role != "chief")
    return head


def _labelled(texts: list[str]) -> tuple[str, str] | None:
    """Read a line above the table, such as `City : Soweto`, in one or two cells, into the name of its field
    and the text; None if it is no such line.
    """
    split = _LABELLED.fullmatch(texts[0])
    label, value = (split[1], split[2].strip()) if split else (texts[0], "")
    name = LABELS.get(_BRACKETS.sub("", label).strip().lower())
    value = value or " ".join(texts[1:])
    return (name, value[:LONGEST_TEXT]) if name and value else None


def _read(name: str, value: str, line: int, head: CrossTableHead, notes: Notes) -> None:
    if name == "rounds":
        number = read_whole(value)
        head.rounds = number if number and number <= MOST_ROUNDS else None
    elif name == "dates":
        _read_dates(value, head)
    elif name == "federation":
        found = _NATION.search(value)
        head.texts["federation"] = (found[1] or found[0]) if found else ""
    elif name == "chief":
        head.officials += officials_of(value, "chief", line, "", notes)[:1]
    elif name == "deputy":
        head.officials += officials_of(value, "deputy", line, "Swiss-Manager", notes)
    else:
        head.texts.setdefault(name, value)


def _read_dates(value: str, head: CrossTableHead) -> None:
    """Read `2026/03/06 to 2026/03/08`, or one day. If it is no date, the form asks for it."""
    days = [day for day in map(read_date, _DATE.findall(value)) if day]
    if len(days) in (1, 2) and days[0] <= days[-1]:
        head.starts, head.ends = days[0], days[-1]
