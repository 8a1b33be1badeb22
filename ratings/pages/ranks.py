"""Pages on which an official confirms a proposed sports rank, or records the winner of a play-off."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import urlencode
from django.utils.translation import gettext as _, gettext_lazy

from players.access import FORM, OfficeRequest, Permission, page
from players.models import Player
from players.pages.forms import MESSAGE, attempt
from players.settings import today
from ratings import ranks
from ratings.pages.rule_tables import WordedTable, load_names, url_of_table, worded_table, worded_value
from ratings.rule_tables import get_shown_tables, ties_on


class PlayoffForm(forms.Form):
    """Ask for the winner of a play-off among the players who share a first place."""

    winner = forms.ChoiceField(label=gettext_lazy("Winner of the play-off"), widget=forms.RadioSelect)

    def __init__(self, data: Any, tied: Sequence[Player]) -> None:
        super().__init__(data)
        choices = [(player.number, f"{player.shown_name} ({player.number})") for player in tied]
        self.fields["winner"].choices = choices  # type: ignore[attr-defined]


@page(Permission.PLAYOFFS_RECORD, methods=FORM)
def record_playoff(request: OfficeRequest) -> HttpResponseBase:
    """Page to record a play-off's winner; the season's first place must be shared."""
    season, now = request.GET.get("season", ""), today(request.office)
    table = ties_on(request.office, now).get(season)
    if table is None:
        messages.error(request, _("Nobody shares the first place of this season, so there is no play-off."))
        return redirect(url_of_table(request.office, ""))
    found = Player.objects.of(request.office).filter(number__in=table.tied)
    people = {player.number: player for player in found}
    tied = [people[number] for number in table.tied if number in people]
    form = PlayoffForm(request.POST if request.method == "POST" else None, tied)
    back = f"{url_of_table(request.office, table.name)}?{urlencode({'part': season})}"
    recorded = attempt(
        request,
        form,
        ranks.record_playoff,
        answers=lambda typed: {"winner": people[typed["winner"]]},
        refusal_to=MESSAGE,
        federation=request.office,
        season=season,
    )
    if recorded.done:
        words = _("%(player)s is recorded as the winner of the play-off of %(season)s.")
        winner = people[form.cleaned_data["winner"]].shown_name
        messages.success(request, words % {"player": winner, "season": season})
    if recorded.refused or recorded.done:
        return redirect(back)
    context = {"season": season, "form": form, "back": back}
    return render(request, "ratings/office/playoff.html", context, status=recorded.status)


@page(Permission.RANKS_CONFIRM, methods=FORM)
def confirm_rank(request: OfficeRequest) -> HttpResponseBase:
    """Page to confirm a rank, which is never taken back: GET shows its ground, POST confirms it.

    Without a rank in the address, it redirects to the ranks that wait.
    """
    asked = {
        name: request.POST.get(name) or request.GET.get(name, "") for name in ("player", "rank", "clause")
    }
    if request.method != "POST":
        return _confirmation(request, asked) if any(asked.values()) else redirect(_proposals(request)[1])
    player = get_object_or_404(Player.objects.of(request.office), number=asked["player"])
    rank = worded_value(asked["rank"], request.office.ruleset)
    words = _("%(player)s: rank %(rank)s is confirmed.") % {"player": player.shown_name, "rank": rank}
    terms: dict[str, Any] = {**asked, "player": player, "federation": request.office}
    attempt(request, None, ranks.confirm_rank, words, refusal_to=MESSAGE, **terms)
    return redirect(_proposals(request)[1])


def _confirmation(request: OfficeRequest, asked: dict[str, str]) -> HttpResponseBase:
    table, back = _proposals(request)
    for cells, row in table.rows if table else ():
        assert table is not None
        if asked.items() <= row.items():
            context: dict[str, Any] = {
                "name": next(cell.words for cell in cells if cell.head),
                "rank": worded_value(asked["rank"], request.office.ruleset),
                "particulars": [
                    (label, cell.words, cell.url)
                    for (label, _kind), cell in zip(table.columns, cells, strict=True)
                ],
                "back": back,
            }
            return render(request, "ratings/office/confirm_rank.html", context)
    messages.error(request, _("The rules do not propose this rank, or do not propose it any more."))
    return redirect(back)


def _proposals(request: OfficeRequest) -> tuple[WordedTable | None, str]:
    """The table of ranks that wait for confirmation, and the URL of its page; None and the office's home page
    without such a table.
    """
    now = today(request.office)
    found = [table for table in get_shown_tables(request.office, now) if table.confirms]
    if not found:
        return None, request.office.get_absolute_url()
    names = load_names(request.office, found, request.office.ruleset.edition_on_or_first(now))
    return worded_table(found[0], names, whole=True), url_of_table(request.office, found[0].name)
