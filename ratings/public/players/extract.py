"""The page of an extract from the rating list: a player's ratings and rank on a day, to print."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import localcontext
from typing import Any

from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from players.office.settings_schema import today
from players.register.models import Player
from ratings.law.rule_outputs import ExtractRow
from ratings.law.ruleset import CONTEXT
from ratings.lists.models import ListRow, RatingList
from ratings.public.common.asked_day import day_asked
from ratings.public.common.caching import cached_page
from ratings.public.players import player_ratings
from ratings.public.players.extract_check import qr_code, signed_values
from ratings.public.proof.log_files import checkpoint_of
from ratings.public.rule_tables.calculators import worded_rows
from ratings.results.as_of import as_of


@dataclass(frozen=True, slots=True)
class Certified:
    """One rating that the extract certifies, beside the list in force that day."""

    track: str
    row: ExtractRow
    status: str
    rating_list: RatingList | None
    """The newest list published by that day; None: there was none."""
    published: ListRow | None
    """The player's row on it; None: not on it."""
    checkpoint: str
    """The signed checkpoint of the journal up to the list's line; empty until it is signed."""


@public
@cached_page
def extract(request: OfficeRequest, number: str) -> HttpResponseBase:
    office = request.office
    people = Player.objects.of(office).select_related("federation", "merged_into__federation")
    player = get_object_or_404(people, number=number)
    now = today(office)
    on = day_asked(office, request.GET.get("on"), now) or now
    asked = as_of(office, on, now)
    if player.merged_into and asked.reads_as_another(number):
        address = reverse("ratings:extract", args=[office.code, player.merged_into.number])
        return redirect(f"{address}?{request.GET.urlencode()}" if request.GET else address)
    if office.ruleset.figures.extract is None:  # the regulations know none: show the player's page
        return redirect(player)
    state = asked.state_of(player)
    with localcontext(CONTEXT):
        found = office.ruleset.figures.extract(state, player.number, on)
        held = office.ruleset.figures.held(state, player.number, on)
    if found is None:
        raise Http404(_("The player had not taken part in any section by that day."))
    check = reverse("ratings:check_extract", args=[office.code, number, signed_values(office, found)])
    context: dict[str, Any] = {
        "check_url": request.build_absolute_uri(check),
        "qr_code": qr_code(request.build_absolute_uri(check)),
        "player": player,
        "on": on,
        "today": now,
        "rank": _(office.ruleset.words.messages.get(found.rank, found.rank)),
        "held": worded_rows(held, request, office.ruleset.edition_of_day(on)),
        "rows": [_certified(player, row, on) for row in found.ratings],
    }
    return render(request, "ratings/extract.html", context)


def _certified(player: Player, row: ExtractRow, on: date) -> Certified:
    rating_list = list_in_force(player.federation, row.track, on)
    published = next(
        (own for own in player_ratings.published(player, on) if own.rating_list == rating_list), None
    )
    status = _(player.federation.ruleset.words.messages.get(row.status, row.status))
    signed = checkpoint_of(rating_list) if rating_list else None
    return Certified(row.track, row, status, rating_list, published, signed.served if signed else "")


def list_in_force(office: Federation, track: str, on: date) -> RatingList | None:
    """The newest list of a track published by a day, in its newest revision by then."""
    lists = RatingList.objects.of(office).there_by(on).without_content().select_related("fact")
    found = lists.filter(track=track).order_by("-on", "-revision").first()
    if found:
        found.federation = office
    return found
