"""The part of a page that tells of an outlook: the worker's progress, or what it has drawn."""

from __future__ import annotations

from typing import Any

from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest
from players.office.models import Ledger
from players.office.settings_schema import today
from players.register.models import Player
from ratings.office.merging.draw_outlook import ask_for_outlook, is_current, mark_of, outlook_of
from ratings.office.merging.models import MergeOutlook
from ratings.office.merging.outlook_content import as_shown
from ratings.recompute.progress_words import state_of


def outlook_page(
    request: OfficeRequest, player: Player, into: Player, place: dict[str, str], *, page: str
) -> HttpResponseBase:
    """The page of an outlook, or for htmx the part that the decision's page takes in. A POST has the worker
    draw it up; until then it tells how far that is.

    `place`: the address here, the template of what is drawn, the words and the way back of the button that
    comes with it.
    """
    mark, outlook = mark_of(player, into, today(request.office)), outlook_of(player, into)
    part = request.headers.get("HX-Request") == "true"
    if request.method == "POST":
        outlook = ask_for_outlook(player=player, into=into, at=timezone.now(), mark=mark)
        if not part:
            return redirect(place["here"])
    context = {"player": player, "into": into, "part": part, **place}
    context |= outlook_context(player, into, outlook, mark)
    return render(request, "ratings/office/_outlook.html" if part else page, context)


def outlook_context(player: Player, into: Player, outlook: MergeOutlook | None, mark: str) -> dict[str, Any]:
    """The context of an outlook: its content with its mark, the worker's progress, or neither; `failed`."""
    if outlook is not None and is_current(outlook, mark):
        return {"drawn": True, "mark": mark, **as_shown(outlook.content, player, into)}
    ledger = Ledger.objects.get(federation=into.federation)
    if ledger.pending:
        return {"working": state_of(into.federation, ledger)}
    if outlook is not None and outlook.working:
        drawing = outlook.state == MergeOutlook.State.DRAWING
        words = _("Working out the effects") if drawing else _("Waiting for the worker")
        return {"working": {"words": words, "done": outlook.done, "total": outlook.total}}
    return {"failed": outlook is not None and outlook.state == MergeOutlook.State.FAILED}
