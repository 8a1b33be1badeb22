"""Sports ranks: an official confirms what the rules propose."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from players.access import OfficeRequest, Permission, permitted
from players.models import Player
from players.offices import today
from players.record import Refused
from ratings import services


@permitted(Permission.RANKS_CONFIRM)
@never_cache
@require_POST
def confirm_rank(request: OfficeRequest) -> HttpResponseBase:
    player = get_object_or_404(Player.objects.of(request.office), number=request.POST.get("player", ""))
    rank = request.POST.get("rank", "")
    try:
        services.confirm_rank(
            federation=request.office,
            player=player,
            rank=rank,
            clause=request.POST.get("clause", ""),
            by=request.user,
            on=today(request.office),
        )
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        words = _("%(player)s: rank %(rank)s is confirmed.")
        messages.success(request, words % {"player": player.shown_name, "rank": rank})
    return redirect("ratings:tables", request.office.code)
