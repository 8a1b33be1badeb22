"""An extract from the rating list, as a page and as a PDF: a player's ratings and rank on a day."""

from __future__ import annotations

from datetime import date
from decimal import localcontext
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from players.office.settings_schema import today
from players.register.models import Player
from players.templatetags.ui import rating
from ratings.law.rule_outputs import ExtractRow
from ratings.law.ruleset import CONTEXT
from ratings.lists.models import RatingList
from ratings.public.common.asked_day import day_asked
from ratings.public.common.caching import cached_page
from ratings.public.extracts.extract_check import qr_code, signed_values
from ratings.public.extracts.extract_pdf import Certified, PrintedExtract, can_be_drawn, pdf_of
from ratings.public.players import player_ratings
from ratings.public.proof.log_files import checkpoint_of
from ratings.public.rule_tables.calculators import worded_rows
from ratings.results.as_of import as_of


@public
@cached_page
def extract(request: OfficeRequest, number: str) -> HttpResponseBase:
    found = _extract_of(request, number, "ratings:extract")
    if isinstance(found, HttpResponseBase):
        return found
    told = {name: getattr(found, name) for name in ("player", "on", "rank", "held", "rows", "check_url")}
    pdf = reverse("ratings:extract_pdf", args=[found.office.code, number])
    context: dict[str, Any] = {
        **told,
        "qr_code": found.qr_code,
        "today": today(request.office),
        "pdf": f"{pdf}?on={found.on}" if can_be_drawn(found.office, found.player) else "",
    }
    return render(request, "ratings/extract.html", context)


@public
@cached_page
def extract_pdf(request: OfficeRequest, number: str) -> HttpResponseBase:
    """The same extract as a PDF; where the font lacks letters of its names, the page."""
    found = _extract_of(request, number, "ratings:extract_pdf")
    if isinstance(found, HttpResponseBase):
        return found
    if not can_be_drawn(found.office, found.player):
        return redirect(f"{reverse('ratings:extract', args=[found.office.code, number])}?on={found.on}")
    answer = HttpResponse(pdf_of(found), content_type="application/pdf")
    name = f"{_('extract')}-{found.player.number}-{found.on}.pdf"
    answer["Content-Disposition"] = content_disposition_header(False, name) or "inline"
    answer["X-Robots-Tag"] = "noindex"
    return answer


def _extract_of(request: OfficeRequest, number: str, address: str) -> PrintedExtract | HttpResponseBase:
    """The extract of the day that was asked for, or a redirect to where it is: `address` names the view."""
    office = request.office
    people = Player.objects.of(office).select_related("federation", "merged_into__federation")
    player = get_object_or_404(people, number=number)
    now = today(office)
    on = day_asked(office, request.GET.get("on"), now) or now
    asked = as_of(office, on, now)
    if player.merged_into and asked.reads_as_another(number):
        stays = reverse(address, args=[office.code, player.merged_into.number])
        return redirect(f"{stays}?{request.GET.urlencode()}" if request.GET else stays)
    if office.ruleset.figures.extract is None:  # the regulations know none: show the player's page
        return redirect(player)
    state = asked.state_of(player)
    with localcontext(CONTEXT):
        found = office.ruleset.figures.extract(state, player.number, on)
        held = office.ruleset.figures.held(state, player.number, on)
    if found is None:
        raise Http404(_("The player had not taken part in any section by that day."))
    check = reverse("ratings:check_extract", args=[office.code, number, signed_values(office, found)])
    page = reverse("ratings:extract", args=[office.code, number])
    return PrintedExtract(
        office=office,
        player=player,
        on=on,
        rank=_(office.ruleset.words.messages.get(found.rank, found.rank)),
        held=worded_rows(held, request, office.ruleset.edition_of_day(on)),
        rows=[_certified(player, row, on) for row in found.ratings],
        check_url=request.build_absolute_uri(check),
        qr_code=qr_code(request.build_absolute_uri(check)),
        address=f"{request.get_host()}{page}?on={on}",
    )


def _certified(player: Player, row: ExtractRow, on: date) -> Certified:
    office = player.federation
    rating_list = list_in_force(office, row.track, on)
    published = next(
        (own for own in player_ratings.published(player, on) if own.rating_list == rating_list), None
    )
    signed = checkpoint_of(rating_list) if rating_list else None
    return Certified(
        track=row.track,
        name=next((_(track.name) for track in office.ruleset.tracks if track.code == row.track), row.track),
        row=row,
        status=_(office.ruleset.words.messages.get(row.status, row.status)),
        rating_list=rating_list,
        published=published,
        shown=rating(published.rating, office.publication.decimals) if published else "",
        checkpoint=signed.served if signed else "",
    )


def list_in_force(office: Federation, track: str, on: date) -> RatingList | None:
    """The newest list of a track published by a day, in its newest revision by then."""
    lists = RatingList.objects.of(office).there_by(on).without_content().select_related("fact")
    found = lists.filter(track=track).order_by("-on", "-revision").first()
    if found:
        found.federation = office
    return found
