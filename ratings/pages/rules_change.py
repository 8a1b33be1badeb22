"""The page to apply other rules to everything stored."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from players.access import FORM, OfficeRequest, Permission, page
from players.pages.forms import attempt
from ratings import rules_change
from ratings.models import RulesVersion
from ratings.pages.effects import ratings_by_track
from ratings.recompute import get_own_rules_hash
from ratings.rules_change import RulesEffects


@page(Permission.RULES_APPLY, methods=FORM)
def apply_rules(request: OfficeRequest) -> HttpResponse:
    """Page to apply other rules: GET shows what would change, POST applies them."""
    words = _("The worker applies the rules to everything stored. Published lists stay.")
    terms: dict[str, Any] = {"federation": request.office, "rules": request.POST.get("rules", "")}
    applied = attempt(request, None, rules_change.decide_to_apply_rules, words, **terms)
    if applied.done:
        return redirect("ratings:desk", office=request.office.code)
    version = RulesVersion.objects.waiting_in(request.office, get_own_rules_hash(request.office))
    context: dict[str, Any] = {"version": version, "refused": applied.refused}
    if version is not None:
        effects = RulesEffects.from_json(version.effects)
        context |= {
            "effects": effects,
            "tracks": ratings_by_track(request.office, effects.ratings, effects.moved),
        }
    return render(request, "ratings/office/apply_rules.html", context, status=applied.status)
