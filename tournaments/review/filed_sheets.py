"""The content of a file, kept in short beside it: to be compared when another has replaced it, and the lines
that pages quote, so that none opens a stranger's file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tournaments.events.file_models import Upload
from tournaments.formats.common.reading_result import Sheet
from tournaments.review.models import FiledSheet


def keep_sheet(upload: Upload, sheet: Sheet, quotes: Mapping[str, str]) -> None:
    """Keep a file's sheet and its quoted lines beside the upload, in the transaction that takes it in."""
    kept = {"content": in_short(sheet), "lines": dict(quotes)}
    FiledSheet.objects.update_or_create(upload=upload, defaults=kept)


def quoted_lines(upload: Upload | None) -> Mapping[int, str]:
    """The lines of an uploaded file that pages quote, by number; none once its bytes were deleted."""
    found = FiledSheet.objects.filter(upload=upload).values_list("lines", flat=True).first()
    return {int(line): text for line, text in (found or {}).items()}


def in_short(sheet: Sheet) -> dict[str, Any]:
    """A sheet as the comparison needs it: players by starting number, games, byes, particulars."""
    return {
        "players": {
            str(row.start_number): {
                "name": row.name,
                "id": row.identifier or "",
                "birth": row.birth.isoformat() if row.birth else str(row.born or ""),
                "title": row.title,
                "points": f"{row.points.normalize():f}",
                "place": "" if row.place is None else str(row.place),
            }
            for row in sheet.rows
        },
        "games": [[one.round, one.first, one.second, one.result] for one in sheet.games],
        "byes": [[one.round, one.player, one.kind] for one in sheet.byes],
        "particulars": {
            "starts": sheet.starts.isoformat() if sheet.starts else "",
            "ends": sheet.ends.isoformat() if sheet.ends else "",
            "rounds": str(sheet.rounds or ""),
            "place": sheet.city,
            "time": "; ".join(filter(None, (sheet.time_text, sheet.time_code))),
            "arbiters": "; ".join(each.name for each in sheet.arbiters),
        },
    }
