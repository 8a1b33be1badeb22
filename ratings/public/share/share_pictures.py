"""Pictures at the addresses that pages name for whoever shares them; they say no more than the page does."""

from __future__ import annotations

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from players.office.access import OfficeRequest, public
from players.office.settings_schema import today
from players.register.models import Player
from players.templatetags.ui import grouped, rating
from ratings.lists.models import ListRow
from ratings.public.common.caching import cached_page
from ratings.public.common.disclosure_limits import limits_of
from ratings.public.common.track_groups import track_of
from ratings.public.lists.downloads import UNINDEXED
from ratings.public.lists.list_pages import lists_of
from ratings.public.players.player_ratings import ratings_of
from ratings.public.share.draw_card import ROWS, ShareCard, drawable, png_of
from tournaments.events.models import Event, Stage


@public
@cached_page
def player_picture(request: OfficeRequest, number: str) -> HttpResponseBase:
    """The picture of a player: name and ratings of today, as on the player's page."""
    office = request.office
    people = Player.objects.of(office).select_related("federation", "merged_into__federation")
    player = get_object_or_404(people, number=number)
    if player.merged_into:
        return redirect("ratings:player_picture", office.code, player.merged_into.number)
    told, known = limits_of(office), ratings_of(office, [player], today(office))
    keys = [(track.name, (number, track.code)) for track in office.ruleset.tracks]
    places = office.publication.decimals
    response = _picture(
        request,
        title=drawable(f"{told.title(player)} {player.shown_name}".strip(), number),
        under=_("Number %(number)s") % {"number": number},
        rows=[(_(name), rating(known[key], places)) for name, key in keys if key in known],
    )
    if player.withheld or not told.grown(player):
        for name, value in UNINDEXED.items():
            response.headers[name] = value
    return response


@public
@cached_page
def list_picture(request: OfficeRequest, label: str, track: str, revision: int) -> HttpResponseBase:
    """The picture of a list: its rating, its day and its first rows, by the names of today."""
    office = request.office
    name = track_of(office.ruleset, track).name
    shown = lists_of(request, label).filter(track=track, revision=revision).first()
    if shown is None:
        raise Http404(_("No list was published then."))
    size = ngettext("%(count)s player", "%(count)s players", shown.players)
    under = f"{date_format(shown.on, 'DATE_FORMAT')}, {size % {'count': grouped(shown.players)}}"
    rows = ListRow.objects.filter(rating_list=shown).select_related("player").after(0, ROWS)
    places = office.publication.decimals
    return _picture(
        request,
        title=_(name),
        under=under,
        rows=[(f"{row.rank}  {_named(row.player)}", rating(row.rating, places)) for row in rows],
    )


@public
@cached_page
def event_picture(request: OfficeRequest, number: str) -> HttpResponseBase:
    """The picture of an event: its name, days and place, and its sections."""
    events = Event.objects.filter(federation=request.office).not_withdrawn()
    event = get_object_or_404(events.prefetch_related("sections"), number=number)
    days = date_format(event.starts, "DATE_FORMAT")
    if event.ends != event.starts:
        days = f"{days} – {date_format(event.ends, 'DATE_FORMAT')}"
    where = [drawable(each, "") for each in (event.place, event.country)]
    state = [] if event.state == Event.State.PLANNED else [str(event.get_state_display())]
    sections = (each for each in event.sections.all() if each.stage != Stage.WITHDRAWN)
    return _picture(
        request,
        title=drawable(event.name, number),
        under=", ".join(filter(None, [*state, days, *where])),
        rows=[(drawable(each.name, each.code), "") for each in sections],
    )


def _named(player: Player) -> str:
    return drawable(player.shown_name, player.number)


def _picture(request: OfficeRequest, *, title: str, under: str, rows: list[tuple[str, str]]) -> HttpResponse:
    office = request.office
    card = ShareCard(drawable(office.name, office.code), office.accent, title, under, rows)
    return HttpResponse(png_of(card), content_type="image/png")
