"""A published list as files: its canonical bytes, and the layouts that the federation offers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import http_date, quote_etag
from django.utils.translation import gettext as _

from players.access import OfficeRequest, public
from players.models import Federation
from ratings.models import ListRow, RatingList
from ratings.public.kept import for_ever, kept
from ratings.public.privacy import births_of, public_sex, public_year
from ratings.rulesets.downloads import COMMON, Download, Head, Line


class Link(NamedTuple):
    label: str
    help: str
    url: str


def downloads_of(federation: Federation, rating_list: RatingList) -> list[Link]:
    """The files of a list, the federation's own layouts first."""
    here = (federation.code, rating_list.label, rating_list.track, rating_list.revision)
    return [
        Link(
            _(layout.label),
            _(layout.help),
            reverse("ratings:list_download", args=[*here, layout.code, layout.suffix]),
        )
        for layout in layouts_of(federation)
    ]


def layouts_of(federation: Federation) -> tuple[Download, ...]:
    return (*federation.ruleset.downloads, *COMMON)


@public
@kept
def download(
    request: OfficeRequest, label: str, track: str, revision: int, code: str, suffix: str
) -> HttpResponseBase:
    rating_list = _list(request, label, track, revision)
    for layout in layouts_of(request.office):
        if (layout.code, layout.suffix) == (code, suffix):
            head = _head(rating_list)
            content = layout.write(head, lines(rating_list))
            return file_response(content, layout.media_type, f"{head.stem}.{suffix}")
    raise Http404(_("Lists are not offered in this layout."))


@public
def content(request: OfficeRequest, label: str, track: str, revision: int) -> HttpResponseBase:
    """The bytes that the checksum is of. They never change and name nobody."""
    rating_list = _list(request, label, track, revision)
    etag, published = quote_etag(rating_list.sha256), int(rating_list.published_at.timestamp())
    unchanged = get_conditional_response(request, etag=etag, last_modified=published)
    name = f"{_head(rating_list).stem}.txt"
    response = unchanged or file_response(bytes(rating_list.content), "text/plain; charset=utf-8", name)
    response["ETag"], response["Last-Modified"] = etag, http_date(published)
    return for_ever(response)


def lines(rating_list: RatingList) -> Iterator[Line]:
    """The list's rows in order, with what the public may know of each player today."""
    births = births_of(rating_list.federation)
    rows = ListRow.objects.filter(rating_list=rating_list).select_related("player__region")
    for row in rows.order_by("position").iterator():
        yield _line(row, rating_list.on, births)


def _line(row: ListRow, on: date, births: str) -> Line:
    player = row.player
    return Line(
        rank=row.rank,
        number=player.number,
        surname=player.shown_name if player.withheld else player.surname,
        first_name="" if player.withheld else player.first_name,
        born=public_year(player, on, births),
        sex=public_sex(player, on),
        title="" if player.withheld else player.title,
        region=player.region.code if player.region and not player.withheld else "",
        rating=row.rating,
        games=row.games,
        previous=row.previous,
    )


def _list(request: OfficeRequest, label: str, track: str, revision: int) -> RatingList:
    lists = RatingList.objects.of(request.office).labelled(label).select_related("federation")
    return get_object_or_404(lists, track=track, revision=revision)


def _head(rating_list: RatingList) -> Head:
    return Head(
        federation=rating_list.federation.code,
        track=rating_list.track,
        on=rating_list.on,
        revision=rating_list.revision,
        edition=rating_list.edition,
        sha256=rating_list.sha256,
    )


def file_response(content: bytes, media_type: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=media_type, headers=headers)
