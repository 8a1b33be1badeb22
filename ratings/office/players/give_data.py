"""The download of everything that the office holds about a player, for the player who asked for it."""

from __future__ import annotations

import json

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.settings_schema import today
from players.register.models import Player
from ratings.personal_data.of_player import give_player_data


@permitted(Permission.PLAYERS_BIRTHS)
@never_cache
@require_POST
def give_data(request: OfficeRequest, number: str) -> HttpResponse:
    """A player's data as a file. It holds the day of birth, so the record keeps who took it."""
    player = get_object_or_404(Player.objects.of(request.office), number=number)
    try:
        told = give_player_data(player=player, by=request.user, on=today(request.office))
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect(player)
    text = json.dumps(told, ensure_ascii=False, indent=1) + "\n"
    name = f'attachment; filename="{request.office.code}-data.json"'
    return HttpResponse(text, content_type="application/json", headers={"Content-Disposition": name})
