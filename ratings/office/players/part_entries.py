"""The page to part a wrong merge: an official sees a preview and parts the two entries again."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, Permission, permitted
from players.office.office_settings import today
from players.office.record import Refused
from players.people.merging import refuse_parting
from players.register.models import Player
from ratings.decisions.merging import part_players
from ratings.office.common.decision_forms import words_field
from ratings.office.sections.review_preview import rerate_row, unstated_in
from ratings.preview.merging import preview_parting


class PartForm(forms.Form):
    reason = words_field(
        gettext_lazy("How do you know that they are two people?"),
        gettext_lazy("The record keeps your words."),
    )


@permitted(Permission.PLAYERS_MERGE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def part(request: OfficeRequest, number: str) -> HttpResponseBase:
    """Page to part two merged entries: GET shows a preview, POST parts them. `number` is that of the entry
    that had been merged into the other.
    """
    people = Player.objects.of(request.office).select_related(
        "region", "federation", "merged_into__federation"
    )
    player = get_object_or_404(people, number=number)
    form = PartForm(request.POST if request.method == "POST" else None)
    try:
        refuse_parting(player)
        if form.is_valid():
            day, reason = today(request.office), form.cleaned_data["reason"]
            part_players(player=player, by=request.user, on=day, reason=reason)
            words = _("%(player)s is a separate entry again. The effects on ratings are being computed.")
            messages.success(request, words % {"player": player.number})
            return redirect(player)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect(player)
    found = preview_parting(player)
    context = {
        "player": player,
        "into": player.merged_into,
        "form": form,
        "seen": found.seen,
        "sections": found.sections,
        "rerated": [rerate_row(request.office, each) for each in found.seen.rerated if each.fact.section],
        "unstated": unstated_in(request.office, found.seen),
    }
    return render(request, "ratings/office/part.html", context, status=400 if form.errors else 200)
