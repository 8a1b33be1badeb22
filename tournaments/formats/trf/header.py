"""The records of TRF about the section as a whole."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

from tournaments.formats.common.dates import PLACEHOLDER_FROM, could_be_either, read_date, tells_day_first
from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import Official, Role, Team, Unused
from tournaments.formats.common.settle_dates import Settled, settle
from tournaments.formats.trf.officials import officials_of
from tournaments.formats.trf.points import ABNORMAL, RECORDS, Worth, read_worth
from tournaments.formats.trf.round_dates import read_round_dates, texts_of
from tournaments.formats.trf.teams import team_of_013, team_of_310
from tournaments.formats.trf_layout.columns import MOST_ROUNDS
from tournaments.formats.trf_layout.trf_record import TrfRecord

LONGEST_TEXT = 200  # characters of a free text that are kept

TEXTS = {"012": "name", "022": "city", "032": "federation", "092": "kind", "122": "time_text"}
TEXTS |= {"192": "kind_code", "222": "time_code"}
NO_KIND = "192 OTHER"
DATES = {"042": "starts", "052": "ends"}
NUMBERS = {"062": "players_declared", "082": "teams_declared", "142": "rounds_142", "XXR": "rounds_xxr"}
OFFICIALS: dict[str, Role] = {"102": "chief", "112": "deputy"}
ONCE = {*TEXTS, *DATES, *NUMBERS}
# Records for pairing, or that repeat the players' lines: of no use to a rating.
PASSED_OVER = {"072", "152", "182", "XXC", "XXZ", "XXA", "XXP"}
# TRF26: rankings and tie-breaks, acceleration and forbidden pairs, the scores and boards of teams.
PASSED_OVER |= {"172", "202", "212", "250", "260", "300", "320", "330", "352", "362", "801", "802"}

# By blanks: the official example does not keep its own columns here, and blanks leave no doubt.
_BYES = re.compile(r"240 ([FHZ]) +([0-9]{1,3})((?: +[0-9]{1,4})+)")
_UNEQUAL = re.compile(r"[WB][0-9]")  # 222: W300-B240
_NUMBER = re.compile(r"[0-9]{1,6}(?=$|[ (])")
_OF_POINTS = {*RECORDS, ABNORMAL}


@dataclass(frozen=True, slots=True)
class AnnouncedByes:
    """TRF26 240: the players who asked for a kind of bye in a round."""

    round: int
    code: str
    players: tuple[int, ...]
    line: int


@dataclass(slots=True)
class TrfHeader:
    texts: dict[str, str] = field(default_factory=dict)
    dates: dict[str, date | None] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    round_dates: dict[int, date] = field(default_factory=dict)
    officials: list[Official] = field(default_factory=list)
    teams_013: list[Team] = field(default_factory=list)
    teams_310: list[Team] = field(default_factory=list)
    byes: list[AnnouncedByes] = field(default_factory=list)
    unused: list[Unused] = field(default_factory=list)
    worth: Worth = field(default_factory=Worth)

    @property
    def rounds(self) -> int | None:
        """The number of scheduled rounds: the greater of records 142 and XXR; None with neither."""
        found = [self.numbers[key] for key in ("rounds_142", "rounds_xxr") if key in self.numbers]
        return max(found, default=None)

    @property
    def teams(self) -> list[Team]:
        """The teams; if a file holds both kinds of record, those of the newer one."""
        return self.teams_310 or self.teams_013

    @property
    def in_teams(self) -> bool:
        return bool(self.teams or self.numbers.get("teams_declared"))


def read_header(records: Iterable[TrfRecord], dialect: str, notes: Notes) -> TrfHeader:
    header, dates = TrfHeader(), dict[str, TrfRecord]()
    round_dates, points = list[TrfRecord](), list[TrfRecord]()
    seen: dict[str, int] = {}
    for record in records:
        if record.code in ONCE and seen.setdefault(record.code, record.line) != record.line:
            notes.notice("repeated-record", record.line, code=record.code, first=seen[record.code])
            header.unused.append(Unused(record.text, record.line))
        elif record.code in DATES:
            dates[DATES[record.code]] = record
        elif record.code == "132":
            round_dates.append(record)
        elif record.code in _OF_POINTS:
            points.append(record)
        else:
            _read_record(record, header, dialect, notes)
    day_first = dialect == "Vega" or any(tells_day_first(record.value) for record in dates.values())
    settled = settle(_days_of(dates), texts_of(round_dates), day_first=day_first)
    for key, record in dates.items():
        header.dates[key] = _read_day(record, settled, notes, day_first=day_first)
    header.round_dates, unread = read_round_dates(round_dates, header.rounds, settled, notes)
    header.worth = read_worth(points, notes, in_teams=header.in_teams)
    header.unused += [*unread, *header.worth.unused]
    _say_what_was_not_used(header, notes)
    return header


def _read_record(record: TrfRecord, header: TrfHeader, dialect: str, notes: Notes) -> None:
    code = record.code
    if code in TEXTS:
        if code == "222" and _UNEQUAL.match(record.value):
            notes.notice("unequal-times", record.line, 5, text=record.value[:40])
        header.texts[TEXTS[code]] = "" if record.text.rstrip() == NO_KIND else _kept(record, notes)
    elif code in NUMBERS:
        _read_number(record, header, notes)
    elif code in OFFICIALS:
        header.officials += officials_of(record.value, OFFICIALS[code], record.line, dialect, notes)
    elif code in _SPECIAL:
        _SPECIAL[code](record, header, notes)
    elif code not in PASSED_OVER:
        header.unused.append(Unused(record.text, record.line))


def _kept(record: TrfRecord, notes: Notes) -> str:
    if len(record.value) > LONGEST_TEXT:
        notes.adjusts("text-cut", record.line, record.value, record.value[:LONGEST_TEXT].strip())
    return record.value[:LONGEST_TEXT].strip()


def _read_number(record: TrfRecord, header: TrfHeader, notes: Notes) -> None:
    found = _NUMBER.match(record.value)
    key = NUMBERS[record.code]
    if found and not (key.startswith("rounds") and int(found[0]) > MOST_ROUNDS):
        header.numbers[key] = int(found[0])
    elif record.value:
        notes.notice("number-not-read", record.line, 5, code=record.code, text=record.value[:40])
        notes.adjusts("number-not-read", record.line, record.value[:40], "")


def _days_of(records: Mapping[str, TrfRecord]) -> list[str]:
    """The texts of the first and the last day, in that order; of the one alone that is given."""
    return [records[key].value for key in DATES.values() if key in records and records[key].value]


def _read_day(record: TrfRecord, settled: Settled, notes: Notes, *, day_first: bool) -> date | None:
    value = record.value
    day = read_date(value, day_first=day_first)
    if day is None and value in settled.head:
        day = settled.head[value]
        notes.adjusts("date-settled", record.line, value, day.isoformat())
        return day
    if day and day.year >= PLACEHOLDER_FROM:
        notes.adjusts("placeholder-date", record.line, value, "")
        return None
    if day:
        if read_date(value) is None:  # only by the other date, or by knowing the program
            notes.adjusts("day-before-month", record.line, value, day.isoformat())
    elif value:
        key = "date-unclear" if could_be_either(value) else "date-not-read"
        notes.asks(key, record.line, 5, text=value[:40])
    return day


def _read_team(record: TrfRecord, header: TrfHeader, notes: Notes) -> None:
    newer = record.code == "310"
    read = team_of_310(record.text, record.line, notes) if newer else team_of_013(record.text, record.line)
    if read:
        (header.teams_310 if newer else header.teams_013).append(read)
    else:
        name = record.text[8:40] if newer else record.text[4:36]
        notes.notice("team-not-read", record.line, 74 if newer else 37, team=name.strip())
        header.unused.append(Unused(record.text, record.line))


def _say_what_was_not_used(header: TrfHeader, notes: Notes) -> None:
    if header.unused:
        codes = sorted({unused.text[:3] for unused in header.unused})
        listed = ", ".join(codes[:20]) + (" …" if len(codes) > 20 else "")
        notes.notice("not-used", header.unused[0].line, codes=listed, count=len(header.unused))


def _read_byes(record: TrfRecord, header: TrfHeader, notes: Notes) -> None:
    found = _BYES.fullmatch(record.text.rstrip())
    if found and 0 < int(found[2]) <= MOST_ROUNDS:
        players = tuple(int(number) for number in found[3].split())
        header.byes.append(AnnouncedByes(int(found[2]), found[1], players, record.line))
    else:
        header.unused.append(Unused(record.text, record.line))


_SPECIAL: dict[str, Callable[[TrfRecord, TrfHeader, Notes], None]] = {
    "013": _read_team,
    "310": _read_team,
    "240": _read_byes,
}
