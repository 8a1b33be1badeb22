"""The page on which the office says whether other rules are applied to everything stored."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.access import OfficeRequest, Permission, permitted
from players.models import Federation
from players.record import Refused
from players.settings import today
from ratings import rules_change
from ratings.journal import named
from ratings.models import RulesVersion
from ratings.pages.tables import track_of
from ratings.recompute import own_rules
from ratings.rules_change import RulesEffects


@permitted(Permission.RULES_APPLY)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def apply_rules(request: OfficeRequest) -> HttpResponse:
    """Page on which an official applies other rules: GET shows what would move, POST decides it."""
    if request.method != "POST":
        return _page(request)
    rules = request.POST.get("rules", "")
    try:
        rules_change.apply_rules(
            federation=request.office, by=request.user, on=today(request.office), rules=rules
        )
    except Refused as refused:
        return _page(request, refused=str(refused), status=409)
    messages.success(request, _("The worker applies the rules to everything stored. Published lists stay."))
    return redirect("ratings:desk", office=request.office.code)


def _page(request: OfficeRequest, *, refused: str = "", status: int = 200) -> HttpResponse:
    version = RulesVersion.objects.waiting_in(request.office, own_rules(request.office))
    context: dict[str, Any] = {"version": version, "refused": refused}
    if version is not None:
        effects = RulesEffects.of_json(version.effects)
        context |= {"effects": effects, "moved": _moved(request.office, effects)}
    return render(request, "ratings/office/apply_rules.html", context, status=status)


def _moved(office: Federation, effects: RulesEffects) -> list[dict[str, Any]]:
    """The ratings that would move most, each with the player's row of the register and the track's name."""
    people = named(office, {each.player for each in effects.moved})
    return [
        {"player": people[each.player], "track": _(track_of(office.ruleset, each.track).name), "rating": each}
        for each in effects.moved
        if each.player in people
    ]
