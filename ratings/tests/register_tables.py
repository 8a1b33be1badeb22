"""Tables of invented players for the tests of the register, and the way from one to its dry run."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from django.utils import timezone
from openpyxl import Workbook

from players import jobs
from players.models import BirthDate, Federation, Identifier, Player, RegisterImport
from players.names import fold
from ratings import register_import

TODAY = date(2026, 3, 9)
THABO, LWAZI = "101000001", "101000002"


def enter(office: Federation, number: str, name: str, birth: str = "", **particulars: Any) -> Player:
    """Somebody of the register; `ids` by kind."""
    ids: Mapping[str, str] = particulars.pop("ids", {})
    surname, first_name = name.split(", ")
    player = Player.objects.create(
        federation=office,
        number=number,
        surname=surname,
        first_name=first_name,
        name_key=fold(surname),
        born=int(birth[:4]) if birth else None,
        **particulars,
    )
    if len(birth) == 10:
        BirthDate.objects.create(player=player, day=date.fromisoformat(birth))
    for kind, value in ids.items():
        Identifier.objects.create(federation=office, player=player, kind=kind, value=value)
    return player


def some_players(office: Federation) -> tuple[Player, Player]:
    """Thabo of Gauteng with his day of birth and a FIDE id, and Lwazi of whom little is known."""
    gauteng = office.regions.get(code="GAU")
    thabo = enter(
        office,
        THABO,
        "Dlamini, Thabo",
        "2008-05-03",
        sex="m",
        nation="RSA",
        region=gauteng,
        ids={"fide": "14300001"},
    )
    return thabo, enter(office, LWAZI, "Naidoo, Lwazi")


def csv_table(*rows: str) -> bytes:
    return "\r\n".join(rows).encode()


def xlsx_table(rows: Iterable[Sequence[Any]]) -> bytes:
    book = Workbook()
    for row in rows:
        book.worksheets[0].append(list(row))
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def received(office: Federation, data: bytes, *, takes_numbers: bool = False) -> RegisterImport:
    return register_import.receive_register(
        federation=office,
        by=None,
        at=timezone.now(),
        on=TODAY,
        name="players.csv",
        data=data,
        takes_numbers=takes_numbers,
    )


def planned(office: Federation, *rows: str, takes_numbers: bool = False) -> RegisterImport:
    """The dry run of a CSV."""
    job = received(office, csv_table(*rows), takes_numbers=takes_numbers)
    jobs.run("tables", job.pk)
    job.refresh_from_db()
    return job


def confirmed(job: RegisterImport, *, leave_out: bool = False) -> RegisterImport:
    register_import.confirm_register(
        register_import=job, by=None, on=TODAY, seen_digest=job.digest, leave_out_problems=leave_out
    )
    job.refresh_from_db()
    return job


def written(
    office: Federation, *rows: str, takes_numbers: bool = False, leave_out: bool = False
) -> RegisterImport:
    """The same, confirmed and written."""
    job = confirmed(planned(office, *rows, takes_numbers=takes_numbers), leave_out=leave_out)
    jobs.run("tables", job.pk)
    job.refresh_from_db()
    return job


def found(job: RegisterImport) -> list[tuple[int, str, str]]:
    """Of every row with problems: its line, and each problem's column and key."""
    return [
        (line.line, each["column"], each["key"])
        for line in job.lines.filter(kind="problem")
        for each in line.problems
    ]
