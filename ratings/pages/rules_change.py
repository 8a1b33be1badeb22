"""The page to apply other rules to everything stored."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.access import OfficeRequest, Permission, permitted
from players.record import Refused
from players.settings import today
from ratings import rules_change
from ratings.journal import get_players_by_number
from ratings.models import RulesVersion
from ratings.pages.tables import get_track_or_404
from ratings.recompute import get_own_rules_hash
from ratings.rules_change import RulesEffects


@permitted(Permission.RULES_APPLY)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def apply_rules(request: OfficeRequest) -> HttpResponse:
    """Page to apply other rules: GET shows what would change, POST applies them."""
    if request.method != "POST":
        return _page(request)
    rules = request.POST.get("rules", "")
    try:
        rules_change.decide_to_apply_rules(
            federation=request.office, by=request.user, on=today(request.office), rules=rules
        )
    except Refused as refused:
        return _page(request, refused=str(refused), status=409)
    messages.success(request, _("The worker applies the rules to everything stored. Published lists stay."))
    return redirect("ratings:desk", office=request.office.code)


def _page(request: OfficeRequest, *, refused: str = "", status: int = 200) -> HttpResponse:
    version = RulesVersion.objects.waiting_in(request.office, get_own_rules_hash(request.office))
    context: dict[str, Any] = {"version": version, "refused": refused}
    if version is not None:
        effects = RulesEffects.from_json(version.effects)
        people = get_players_by_number(request.office, {each.player for each in effects.moved})
        context["effects"] = effects
        context["moved"] = [
            {
                "player": people[each.player],
                "track": _(get_track_or_404(request.office.ruleset, each.track).name),
                "rating": each,
            }
            for each in effects.moved
            if each.player in people
        ]
    return render(request, "ratings/office/apply_rules.html", context, status=status)
