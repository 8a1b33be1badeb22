"""The page to confirm a sports rank that the rules propose."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.settings_schema import today
from players.register.models import Player
from ratings import decisions
from ratings.public.common.worded_tables import WordedTable, in_words, names_in, worded_table
from ratings.public.rule_tables.table_pages import url_of_table
from ratings.results.compute_rule_tables import tables_on


@permitted(Permission.RANKS_CONFIRM)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_rank(request: OfficeRequest) -> HttpResponseBase:
    """Page on which an official confirms a rank: GET asks once more and shows on what ground, since a rank is
    never taken back; POST confirms. Asked for none, it leads to those that wait.
    """
    asked = {name: _asked(request, name) for name in ("player", "rank", "clause")}
    if request.method != "POST":
        return _ask(request, asked) if any(asked.values()) else redirect(_proposals(request)[1])
    player = get_object_or_404(Player.objects.of(request.office), number=asked["player"])
    try:
        decisions.confirm_rank(
            federation=request.office,
            player=player,
            rank=asked["rank"],
            clause=asked["clause"],
            by=request.user,
            on=today(request.office),
        )
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        words = _("%(player)s: rank %(rank)s is confirmed.")
        rank = in_words(asked["rank"], request.office.ruleset)
        messages.success(request, words % {"player": player.shown_name, "rank": rank})
    return redirect(_proposals(request)[1])


def _asked(request: OfficeRequest, name: str) -> str:
    return request.POST.get(name) or request.GET.get(name, "")


def _ask(request: OfficeRequest, asked: dict[str, str]) -> HttpResponseBase:
    table, back = _proposals(request)
    for cells, row in table.rows if table else ():
        if asked.items() <= row.items():
            particulars = [(cell.label, cell.words, cell.url) for cell in cells]
            context: dict[str, Any] = {
                "name": next(cell.words for cell in cells if cell.head),
                "rank": in_words(asked["rank"], request.office.ruleset),
                "particulars": particulars,
                "back": back,
            }
            return render(request, "ratings/office/confirm_rank.html", context)
    messages.error(request, _("The rules do not propose this rank, or do not propose it any more."))
    return redirect(back)


def _proposals(request: OfficeRequest) -> tuple[WordedTable | None, str]:
    """The table of ranks that wait for confirmation, in words, and the address of its page; without such a
    table, None and the office's home page.
    """
    now = today(request.office)
    found = [table for table in tables_on(request.office, now) if table.confirms]
    if not found:
        return None, request.office.get_absolute_url()
    back = url_of_table(request.office, found[0].name)
    return worded_table(
        found[0], names_in(request.office, found, request.office.ruleset.edition_of_day(now)), whole=True
    ), back
