"""Writes the register as a table, row by row, in the columns in which it is also read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import BinaryIO

from django.db.models import QuerySet

from players.importing.cell_values import RegisterResource, with_particulars
from players.importing.row_effects import PAGE
from players.office.models import Federation
from players.register.models import Player
from ratings.equipment.downloads import BYTE_ORDER_MARK, disarmed, plain, write_csv
from ratings.equipment.xlsx_writer import write_workbook
from ratings.storage.bulk_writing import batches

DAY, YEAR = "day", "year"
"""The values of `births`: the part of each birth that is written, the whole day or the year alone."""
LAYOUTS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def write_register(
    file: BinaryIO, federation: Federation, players: QuerySet[Player], *, layout: str, births: str, on: date
) -> None:
    """Write the register to a file, with the names of all, for the office's work: even of the withheld."""
    resource = RegisterResource(federation, latest=on.year)
    header = list(resource.get_export_headers())
    if layout == "csv":
        file.write(BYTE_ORDER_MARK)
        write_csv(file, header, _rows(resource, players, births))
    else:
        write_workbook(file, federation.code, on, header, _rows(resource, players, births))


def _rows(resource: RegisterResource, players: QuerySet[Player], births: str) -> Iterator[list[str]]:
    """The rows of the exported register, all cells text: an id that were a number would lose its zeros."""
    for page in batches(players.iterator(chunk_size=PAGE), PAGE):
        with_particulars(page)
        for player in page:
            if births == YEAR:
                player.birth = player.birth[:4]
            yield [disarmed(plain(text)) for text in resource.export_resource(player)]
