"""The page to record a play-off, where a season's table shows a shared first place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.settings_schema import today
from players.register.models import Player
from ratings import decisions
from ratings.public.rule_tables.table_pages import url_of_table
from ratings.results.compute_rule_tables import ties_on


class PlayoffForm(forms.Form):
    """The form in which an official names a play-off's winner, one of those who share a first place."""

    winner = forms.ChoiceField(label=gettext_lazy("Winner of the play-off"), widget=forms.RadioSelect)

    def __init__(self, data: Any, tied: Sequence[Player]) -> None:
        super().__init__(data)
        choices = [(player.number, f"{player.shown_name} ({player.number})") for player in tied]
        self.fields["winner"].choices = choices  # type: ignore[attr-defined]


@permitted(Permission.PLAYOFFS_RECORD)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def record_playoff(request: OfficeRequest) -> HttpResponseBase:
    """Page on which an official records a play-off's winner; the season's first place must be shared."""
    season, now = request.GET.get("season", ""), today(request.office)
    table = ties_on(request.office, now).get(season)
    if table is None:
        messages.error(request, _("Nobody shares the first place of this season, so there is no play-off."))
        return redirect(url_of_table(request.office, ""))
    people = {
        player.number: player for player in Player.objects.of(request.office).filter(number__in=table.tied)
    }
    tied = [people[number] for number in table.tied if number in people]
    form = PlayoffForm(request.POST if request.method == "POST" else None, tied)
    back = f"{url_of_table(request.office, table.name)}?{urlencode({'part': season})}"
    if form.is_valid():
        winner = people[form.cleaned_data["winner"]]
        try:
            decisions.record_playoff(
                federation=request.office, season=season, winner=winner, by=request.user, on=now
            )
        except Refused as refused:
            messages.error(request, str(refused))
        else:
            words = _("%(player)s is recorded as the winner of the play-off of %(season)s.")
            messages.success(request, words % {"player": winner.shown_name, "season": season})
        return redirect(back)
    context = {"season": season, "form": form, "back": back}
    return render(request, "ratings/office/playoff.html", context, status=400 if form.errors else 200)
