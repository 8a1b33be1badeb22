"""TRF's lines beside the players': a national federation's (TRF26: `RSA    1 …`), and Tornelo's `DAT`."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import National, OtherId, SheetPlayer, Unused
from tournaments.formats.trf_layout.columns import TrfPlayerLine, split_player_line
from tournaments.formats.trf_layout.trf_record import TrfRecord

LONGEST_ID = 30

_NATIONAL = re.compile(r"(?!XX|BB|DAT|DDD)[A-Z]{3} [ 0-9]{3}[0-9](?: |$)")
_DAT = re.compile(r"DAT +([0-9]{1,4}) +([^ ]+)(?: +(.*))?")
_ID_KIND = re.compile(r"ID:([A-Za-z0-9_-]{1,20})")


@dataclass(slots=True)
class Beside:
    """The national lines and other ids of players, by start number, and the lines that fit no player."""

    national: dict[int, list[National]] = field(default_factory=lambda: defaultdict(list))
    other_ids: dict[int, list[OtherId]] = field(default_factory=lambda: defaultdict(list))
    unused: list[Unused] = field(default_factory=list)


def is_beside(record: TrfRecord) -> bool:
    return record.code == "DAT" or _NATIONAL.match(record.text) is not None


def with_what_stands_beside(
    rows: Sequence[SheetPlayer], records: Iterable[TrfRecord], notes: Notes, *, bytes_first: bool
) -> tuple[list[SheetPlayer], list[Unused]]:
    """The rows with their national lines and other ids, and the lines that fit no player."""
    known, beside = {row.start_number: row for row in rows}, Beside()
    left_out: dict[str, int] = {}
    for record in records:
        if record.code == "DAT":
            _read_dat(record, known, beside, left_out)
        else:
            _read_national(record, known, beside, notes, bytes_first=bytes_first)
    if left_out:
        notes.notice("extra-data-left-out", min(left_out.values()), kinds=", ".join(sorted(left_out))[:100])
    if beside.unused:
        notes.notice("beside-nobody", beside.unused[0].line, count=len(beside.unused))
    return [_joined(row, beside) for row in rows], beside.unused


def _joined(row: SheetPlayer, beside: Beside) -> SheetPlayer:
    number = row.start_number
    national = tuple(beside.national.get(number, ()))
    ids = dict.fromkeys([*row.other_ids, *beside.other_ids.get(number, ())])
    return replace(row, national=national, other_ids=tuple(ids))


def _read_dat(
    record: TrfRecord, known: dict[int, SheetPlayer], beside: Beside, left_out: dict[str, int]
) -> None:
    found = _DAT.fullmatch(record.text.rstrip())
    if not found or int(found[1]) not in known:
        beside.unused.append(Unused(record.text[:12], record.line))  # the rest may be somebody's address
    elif not (kind := _ID_KIND.fullmatch(found[2])):
        left_out.setdefault(found[2][:20], record.line)
    elif found[3]:
        other = OtherId(kind[1], found[3].strip()[:LONGEST_ID].strip())
        if other not in beside.other_ids[int(found[1])]:
            beside.other_ids[int(found[1])].append(other)


def _read_national(
    record: TrfRecord, known: dict[int, SheetPlayer], beside: Beside, notes: Notes, *, bytes_first: bool
) -> None:
    cut = split_player_line(record.text, bytes_first=bytes_first)
    if isinstance(cut, int):
        notes.notice("national-not-read", record.line, cut, code=record.code)
        beside.unused.append(Unused(record.text, record.line))
        return
    number = int(cut.fields["start_number"])
    before = [national.federation for national in beside.national[number]]
    if number not in known or record.code in before:
        beside.unused.append(Unused(record.text, record.line))
        return
    beside.national[number].append(_national(record, cut))
    birth, filed = known[number].birth, cut.fields["birth"]
    if birth and filed and filed.replace("-", "/").replace(".", "/") != f"{birth:%Y/%m/%d}":
        notes.notice("national-birth-differs", record.line, 70, number=number, code=record.code)
        notes.adjusts("national-birth-differs", record.line, filed, birth.isoformat())


def _national(record: TrfRecord, cut: TrfPlayerLine) -> National:
    fields = cut.fields
    return National(
        federation=record.code,
        identifier=fields["identifier"] if fields["identifier"].strip("0") else None,
        rating=int(fields["rating"] or 0) or None,
        region=fields["federation"],
        title=fields["title"],
        line=record.line,
    )
