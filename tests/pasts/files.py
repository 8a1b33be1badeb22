"""The files of a past, each as its program would write it, with none of the office's own writers."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

from tests.pasts.play import Past, Played, PlayedGame

_LETTERS = {"1-0": "10", "0-1": "01", "1/2": "==", "+:-": "+-", "-:+": "-+"}
_TOLD = {"1-0": "WL", "0-1": "LW", "1/2": "DD", "+:-": "+-", "-:+": "-+"}
_ENGLISH = {90: "90 minutes + 30 seconds per move", 25: "25 minutes + 10 seconds per move"}
_ENGLISH |= {5: "5 minutes + 3 seconds per move"}


def player_line(section: Played, seat: int, *, name: str, born: str, id_: str, sex: str) -> str:
    """A line 001 in the standard's columns."""
    who = (
        f"001 {seat:>4} {sex}    {name[:33]:<33} {'':>4} RSA {id_:>11} {born:>10} "
        f"{section.points(seat):>4.1f} {section.place(seat):>4}"
    )
    return who + "".join(f"  {cell}" for cell in _cells(section, seat))


def _cells(section: Played, seat: int) -> list[str]:
    cells = []
    for round_ in range(1, section.rounds + 1):
        game = _game(section, round_, seat)
        if game is None:
            cells.append("0000 - U")
        else:
            mine = game.first == seat
            other = game.second if mine else game.first
            cells.append(f"{other:>4} {'w' if mine else 'b'} {_LETTERS[game.result][not mine]}")
    return cells


def _game(section: Played, round_: int, seat: int) -> PlayedGame | None:
    return next((g for g in section.games if g.round == round_ and seat in (g.first, g.second)), None)


def _dates(section: Played) -> str:
    return "132" + " " * 88 + "".join(f"  {section.day:%y/%m/%d}" for _ in range(section.rounds))


def _head(section: Played, day: str, *lines: str) -> list[str]:
    head = [f"012 {section.event}", f"022 {section.town}", "032 RSA", f"042 {day}", f"052 {day}"]
    return [*head, *lines]


def _players(section: Played, comma: str, woman: str, born: str, ids: str) -> list[str]:
    rows = []
    for seat, (who, written) in enumerate(zip(section.seats, section.written, strict=True), 1):
        rows.append(
            player_line(
                section,
                seat,
                name=f"{written.surname}{comma}{written.first_name}",
                born=who.birth.strftime(born) if born else "",
                id_=getattr(who, ids),
                sex="m" if who.sex == "m" else woman,
            )
        )
    return rows


def _text(lines: list[str], encoding: str = "utf-8") -> bytes:
    return ("\n".join(lines) + "\n").encode(encoding, "replace")


def trf16(section: Played) -> bytes:
    """As a pairing engine writes it."""
    head = _head(
        section,
        f"{section.day:%Y/%m/%d}",
        f"062 {len(section.seats)}",
        "092 Individual: Swiss-System",
        f"122 {_ENGLISH[section.minutes]}",
        f"142 {section.rounds}",
        _dates(section),
    )
    return _text(head + _players(section, ", ", "w", "%Y/%m/%d", "fide"))


def swiss_manager(section: Played) -> bytes:
    """With the count of the rated in brackets and no blank behind the comma, as Swiss-Manager's report."""
    rated = sum(bool(who.fide) for who in section.seats)
    head = _head(
        section,
        f"{section.day:%Y/%m/%d}",
        f"062 {len(section.seats)} ({rated})",
        f"072 {rated}",
        "082 0",
        "092 Individual: Swiss-System",
        "102 IA Nomsa Zulu (14399001)",
        f"122 {_ENGLISH[section.minutes]}",
        f"142 {section.rounds}",
        _dates(section),
        "",
        "DDD SSSS sTTT NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN RRRR FFF IIIIIIIIIII BBBB/BB/BB PPPP RRRR",
    )
    return _text(head + _players(section, ",", "f", "%Y/%m/%d", "fide"))


def vega(section: Played) -> bytes:
    """With days first and the rounds above the kind, as Vega."""
    head = _head(
        section,
        f"{section.day:%d/%m/%Y}",
        f"062 {len(section.seats)}",
        "072 0",
        "082 0",
        f"142 {section.rounds}",
        "092 Individual: Swiss-System",
        "102 IA Nomsa Zulu (14399001)",
        f"122 {_ENGLISH[section.minutes]}",
        _dates(section),
    )
    return _text(head + _players(section, ", ", "w", "%Y/%m/%d", "fide"))


def trf26(section: Played) -> bytes:
    head = _head(
        section,
        f"{section.day:%Y/%m/%d}",
        f"062 {len(section.seats)}",
        "092 Individual: Swiss-System",
        f"122 {_ENGLISH[section.minutes]}",
        f"142 {section.rounds}",
        "162  W 1.0    D 0.5    L 0.0    A 0.0    P 1.0    X 0.5",
        "192 FIDE_DUTCH_2026",
        f"222 {section.minutes * 60}+{section.increment}",
        _dates(section),
    )
    return _text(head + _players(section, ", ", "w", "%Y/%m/%d", "fide"))


def krause(section: Played) -> bytes:
    """With dots in dates and the club's own ids: TRF06, as SwissPerfect and others wrote it."""
    day = section.day
    head = _head(section, f"{day.day}. {day.month}. {day.year}", _dates(section))
    return _text(head + _players(section, ", ", "F", "%Y.%m.%d", "club"), "cp1252")


def swiss_perfect(section: Played) -> bytes:
    """SwissPerfect's standings with tabs: no days, no births, no colours."""
    rounds = range(1, section.rounds + 1)
    lines = ["\t".join(["No", "Name", "Loc Id", "Total", *(f"{round_:>2}" for round_ in rounds)]), ""]
    for seat, (who, written) in enumerate(zip(section.seats, section.written, strict=True), 1):
        cells = []
        for round_ in rounds:
            game = _game(section, round_, seat)
            mine = game is not None and game.first == seat
            other = 0 if game is None else game.second if mine else game.first
            cells.append(f"{other:>2}:{_TOLD[game.result][not mine] if game else '+'}")
        name = f"{written.surname}, {written.first_name}"
        lines.append("\t".join([str(seat), name, who.club, f"{section.points(seat)}", *cells]))
    return _text(lines, "cp1252")


def plain_table(section: Played) -> bytes:
    """A table that somebody typed: years of birth, FIDE's ids."""
    written = io.StringIO()
    table = csv.writer(written, delimiter=";", lineterminator="\n")
    table.writerow(("number", "id", "surname", "first name", "birth", "sex", "place"))
    for seat, (who, names) in enumerate(zip(section.seats, section.written, strict=True), 1):
        row = (seat, who.fide, names.surname, names.first_name, who.birth.year, who.sex, section.place(seat))
        table.writerow(row)
    table.writerow(())
    table.writerow(("round", "first", "second", "result"))
    for round_ in range(1, section.rounds + 1):
        table.writerows((g.round, g.first, g.second, g.result) for g in section.games if g.round == round_)
        table.writerows((round_, seat, "", "pairing") for bye, seat in section.byes if bye == round_)
    return written.getvalue().encode()


WRITERS: dict[str, Callable[[Played], bytes]] = {
    "TRF16": trf16,
    "Swiss-Manager": swiss_manager,
    "SwissPerfect": swiss_perfect,
    "TRF06": krause,
    "table": plain_table,
    "TRF26": trf26,
    "Vega": vega,
}
DIALECTS = tuple(WRITERS)
COLUMNS = (
    "file",
    "event",
    "starts",
    "region",
    "platform",
    "format",
    "ids",
    "nation",
    "time_controls",
    "list",
    "rounds",
)


def all_files(past: Past) -> dict[str, bytes]:
    return {section.file: WRITERS[section.dialect](section) for section in past.sections}


def table(past: Past, *, lists: bool) -> bytes:
    """The table beside the files, with all that they do not say; `lists`: with the days of lists too."""
    written = io.StringIO()
    out = csv.DictWriter(written, COLUMNS, lineterminator="\r\n")
    out.writeheader()
    out.writerow({"file": "*", "platform": "otb", "nation": "RSA", "format": "swiss", "ids": "fide"})
    for section in past.sections:
        row = {"file": section.file, "region": section.region, "starts": section.day.isoformat()}
        row |= {"event": section.event, "rounds": str(section.rounds)}
        row["time_controls"] = f"{section.minutes}+{section.increment}"
        row["ids"] = "club" if section.dialect in ("TRF06", "SwissPerfect") else "fide"
        out.writerow(row)
    if lists:
        out.writerows({"list": day.isoformat()} for day in past.lists())
    return written.getvalue().encode()
