"""TRF26's 240: byes announced apart from the players' lines. A player's own line takes precedence."""

from collections.abc import Iterable
from dataclasses import replace

from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.trf.header import AnnouncedByes
from tournaments.formats.trf.rows import TrfPlayers, TrfSeat
from tournaments.formats.trf_layout.columns import cell_start

SAYS_NOTHING = {"", "-", "Z"}


def with_announced_byes(
    field_: TrfPlayers, announced: Iterable[AnnouncedByes], notes: Notes
) -> list[TrfSeat]:
    """The players' seats by round, with the kind of bye announced where a player's own line leaves it open.

    A round that was not played yet needs no bye.
    """
    told = {(seat.round, seat.player): seat for seat in field_.seats}
    played = max((seat.round for seat in field_.seats if seat.opponent), default=0)
    for byes in announced:
        for player in byes.players:
            if player not in field_.lines and player not in field_.unread:
                notes.notice("bye-of-nobody", byes.line, number=player, round=byes.round)
            elif byes.round <= played and player in field_.lines and player not in field_.unread:
                _announce(byes, player, told, field_, notes)
    return list(told.values())


def _announce(
    byes: AnnouncedByes, player: int, told: dict[tuple[int, int], TrfSeat], field_: TrfPlayers, notes: Notes
) -> None:
    line, column = field_.lines[player], cell_start(byes.round)
    seat = told.get((byes.round, player), TrfSeat(byes.round, player, 0, "", "", line, column))
    if seat.opponent or seat.result not in SAYS_NOTHING | {byes.code}:
        where = {"number": player, "round": byes.round, "other_line": line}
        notes.notice("bye-differs", byes.line, code=byes.code, **where)
    elif seat.result != byes.code and not (byes.code == "Z" and seat.result == ""):
        before = f"{byes.round}: 0000 - {seat.result}".rstrip()
        notes.adjusts("bye-announced", line, before, f"{byes.round}: 0000 - {byes.code}")
        told[byes.round, player] = replace(seat, result=byes.code)
