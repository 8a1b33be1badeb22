"""The check page of an extract: whether it is genuine, and whether anything changed since."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import localcontext
from typing import Any

from django.core import signing
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from qrcode import QRCode

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from players.office.settings_schema import today
from players.register.models import Player
from ratings.law import rule_outputs
from ratings.law.ruleset import CONTEXT
from ratings.results.as_of import as_of
from ratings.results.models import CorrectedRating

SIGNED_FOR = "extract"
"""The purpose under which extracts are signed, so that no other signature of the site passes for one."""


@dataclass(frozen=True, slots=True)
class CheckedRating:
    """One rating of an extract beside what the office knew on its day, and what it knows today."""

    track: str
    printed: str
    that_day: str
    """The rating as the office knew it on the extract's day; empty: none."""
    now: str

    @property
    def differs(self) -> bool:
        return self.printed != self.that_day


def extract_of(player: Player, on: date, known: date) -> rule_outputs.Extract | None:
    """The player's extract of a day, as the office knew it then; None: no game by that day."""
    office = player.federation
    if office.ruleset.figures.extract is None:
        return None
    with localcontext(CONTEXT):
        state = as_of(office, on, known).state_of(player)
        return office.ruleset.figures.extract(state, player.number, on)


def signed_values(office: Federation, found: rule_outputs.Extract) -> str:
    """The values of an extract with the site's signature, for the address of its check page. Names nobody."""
    told = [
        office.code,
        found.player,
        found.on.isoformat(),
        found.rank,
        [[row.track, str(row.shown)] for row in found.ratings],
    ]
    return signing.Signer(salt=SIGNED_FOR).sign_object(told, compress=True)


@dataclass(frozen=True, slots=True)
class QrDrawing:
    """The drawing of a QR code: its rows of squares with the quiet edge, dark ones True."""

    rows: tuple[tuple[bool, ...], ...]

    @property
    def size(self) -> int:
        """The width in squares."""
        return len(self.rows)

    @property
    def path(self) -> str:
        """The dark squares as a path of SVG."""
        dark = ((x, y) for y, row in enumerate(self.rows) for x, filled in enumerate(row) if filled)
        return "".join(f"M{x},{y}h1v1h-1z" for x, y in dark)


def qr_code(address: str) -> QrDrawing:
    """The drawing of a QR code that opens an address."""
    code = QRCode(border=4)
    code.add_data(address)
    return QrDrawing(tuple(tuple(row) for row in code.get_matrix()))


@public
@never_cache
@require_safe
def check_extract(request: OfficeRequest, number: str, values: str) -> HttpResponseBase:
    """Page that says whether an extract with these values was issued here, and whether they still hold."""
    player = get_object_or_404(Player.objects.of(request.office), number=number)
    player.federation = request.office
    told = _told(request.office, number, values)
    context: dict[str, Any] = {"player": player, "genuine": told is not None}
    if told is not None:
        on, rank, printed = told
        now = today(request.office)
        then, at_last = extract_of(player, on, now), extract_of(player, now, now)
        rows = [
            CheckedRating(track, shown, _shown(then, track), _shown(at_last, track))
            for track, shown in printed
        ]
        messages = request.office.ruleset.words.messages
        later = corrections_since(player, on)
        context |= {
            "on": on,
            "corrections": later,
            "rank": _(messages.get(rank, rank)),
            "rank_now": _(messages.get(at_last.rank, at_last.rank)) if at_last else "",
            "rows": rows,
            "changed": any(row.differs for row in rows) or later or (then and then.rank != rank),
        }
    return render(request, "ratings/check_extract.html", context)


def corrections_since(player: Player, on: date) -> list[int]:
    """The lines of the corrections after a day that moved the player's ratings, by their numbers."""
    corrected = CorrectedRating.objects.filter(player=player, erratum__fact__on__gt=on)
    lines = corrected.order_by("erratum__fact__number").values_list("erratum__fact__number", flat=True)
    return list(dict.fromkeys(lines))


def _told(office: Federation, number: str, values: str) -> tuple[date, str, list[tuple[str, str]]] | None:
    """The day, rank and ratings that a signed address holds; None: it is no extract of this player here."""
    try:
        code, player, on, rank, ratings = signing.Signer(salt=SIGNED_FOR).unsign_object(values)
    except signing.BadSignature:
        return None
    if (code, player) != (office.code, number):
        return None
    return date.fromisoformat(on), rank, [(track, shown) for track, shown in ratings]


def _shown(found: rule_outputs.Extract | None, track: str) -> str:
    return next((str(row.shown) for row in found.ratings if row.track == track), "") if found else ""
