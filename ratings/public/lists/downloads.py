"""Downloads of a published list: its canonical bytes, and the layouts that the federation offers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, NamedTuple, cast

from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import http_date, quote_etag
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from players.register.models import Identifier
from ratings.equipment.downloads import COMMON, Download, DownloadHead, DownloadRow
from ratings.equipment.find_equipment import equipment_of
from ratings.lists.models import ListRow, RatingList
from ratings.proof.program.build import file_name
from ratings.proof.program.keeping import drawn_by
from ratings.public.common.caching import cached_page, for_ever
from ratings.public.common.disclosure_limits import DisclosureLimits, limits_of, without_names
from ratings.public.proof.log_files import checkpoint_of
from ratings.storage.bulk_writing import batches

AT_ONCE = 500
"""The number of rows whose particulars are looked up together."""
IN_MEMORY = 1_000_000
"""The most bytes of a file in memory; a longer one is made on disk."""
PART = 65_536
"""The number of bytes sent at once."""
UNINDEXED = {"X-Robots-Tag": "noindex"}
"""Files name children: search engines are to leave them out."""


class Link(NamedTuple):
    label: str
    help: str
    url: str


def downloads_of(federation: Federation, rating_list: RatingList) -> list[Link]:
    """The links to a published list's files on its page, the federation's own layouts first."""
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
    return (*federation.publication.downloads, *COMMON)


@public
@cached_page
def download(
    request: OfficeRequest, label: str, track: str, revision: int, code: str, suffix: str
) -> HttpResponseBase:
    rating_list = _list(request, label, track, revision)
    for layout in layouts_of(request.office):
        if (layout.code, layout.suffix) == (code, suffix):
            return _written(layout, rating_list)
    raise Http404(_("Lists are not offered in this layout."))


@public
def content(request: OfficeRequest, label: str, track: str, revision: int) -> HttpResponseBase:
    """Download of a list's canonical bytes, whose checksum is public: they never change and name nobody."""
    rating_list = _list(request, label, track, revision)
    etag, published = quote_etag(rating_list.sha256), int(rating_list.published_at.timestamp())
    unchanged = get_conditional_response(request, etag=etag, last_modified=published)
    name = f"{_head(rating_list).stem}.txt"
    response = unchanged or file_response(bytes(rating_list.content), "text/plain; charset=utf-8", name)
    response["ETag"], response["Last-Modified"] = etag, http_date(published)
    return for_ever(response)


def _written(layout: Download, rating_list: RatingList) -> StreamingHttpResponse:
    head = _head(rating_list)
    name = f"{head.stem}{layout.mark}.{layout.suffix}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', **UNINDEXED}
    content = _parts(layout, head, rating_list)
    return StreamingHttpResponse(content, content_type=layout.media_type, headers=headers)


def _parts(layout: Download, head: DownloadHead, rating_list: RatingList) -> Iterator[bytes]:
    """The bytes of a list in a layout, in parts; the whole is written first, and a long one waits on disk."""
    with SpooledTemporaryFile(max_size=IN_MEMORY) as file:
        layout.write(head, lines(rating_list, layout.beside(rating_list.track)), cast(BinaryIO, file))
        file.seek(0)
        while part := file.read(PART):
            yield part


def lines(rating_list: RatingList, beside: Collection[str] = ()) -> Iterator[DownloadRow]:
    """The rows of a list for a download, in order, with what the public may know of each player today.

    `beside`: other tracks whose ratings, in lists of the same day, stand in each row too.
    """
    limits = limits_of(rating_list.federation)
    same_day = RatingList.objects.of(rating_list.federation).filter(on=rating_list.on, track__in=beside)
    others = dict(same_day.exclude(pk=rating_list.pk).current().values_list("pk", "track"))
    rows = ListRow.objects.filter(rating_list=rating_list).select_related("player__region")
    for some in batches(rows.order_by("position").iterator(AT_ONCE), AT_ONCE):
        ratings = _ratings(others, [row.player_id for row in some])
        for row, line in zip(some, download_rows(some, limits), strict=True):
            yield line._replace(beside=ratings[row.player_id])


def download_rows(rows: Sequence[ListRow], limits: DisclosureLimits) -> list[DownloadRow]:
    """The rows with what the public may know of each player today, without ratings on other tracks."""
    ids = _fide_ids([row.player_id for row in rows])
    return [
        _line(row, limits)._replace(fide=ids.get(row.player_id, "") if limits.foreign_id(row.player) else "")
        for row in rows
    ]


def _fide_ids(players: list[int]) -> dict[int, str]:
    known = Identifier.objects.filter(kind="fide", player_id__in=players).order_by("pk")
    return dict(known.values_list("player_id", "value"))


def _ratings(lists: dict[int, str], players: list[int]) -> dict[int, dict[str, Decimal]]:
    """The ratings on these lists (the track of each, by its key) by player's key, then by track."""
    found: dict[int, dict[str, Decimal]] = defaultdict(dict)
    if lists:
        rows = ListRow.objects.filter(rating_list__in=list(lists), player_id__in=players)
        for rating_list, player, rating in rows.values_list("rating_list_id", "player_id", "rating"):
            found[player][lists[rating_list]] = rating
    return found


def _line(row: ListRow, limits: DisclosureLimits) -> DownloadRow:
    player = row.player
    return DownloadRow(
        rank=row.rank,
        number=player.number,
        surname=player.shown_name if player.withheld else player.surname,
        first_name="" if player.withheld else player.first_name,
        born=limits.year(player),
        sex=limits.sex(player),
        title=limits.title(player),
        region=player.region.code if player.region and not player.withheld else "",
        rating=row.rating,
        games=row.games,
        previous=row.previous,
        nation="" if player.withheld else player.nation,
    )


def _list(request: OfficeRequest, label: str, track: str, revision: int) -> RatingList:
    lists = RatingList.objects.of(request.office).labelled(label).select_related("federation", "fact")
    return get_object_or_404(lists, track=track, revision=revision)


def _head(rating_list: RatingList) -> DownloadHead:
    ruleset = rating_list.federation.ruleset
    files_whole = equipment_of(ruleset).publication.whole_files
    return DownloadHead(
        federation=rating_list.federation.code,
        track=rating_list.track,
        on=rating_list.on,
        revision=rating_list.revision,
        edition=rating_list.edition,
        sha256=rating_list.sha256,
        line=rating_list.fact.number,
        program=file_name(*drawn_by(rating_list)),
        checkpoint=signed.served if (signed := checkpoint_of(rating_list)) else "",
        note=without_names(rating_list.federation, rating_list.note),
        decimals=0 if files_whole else equipment_of(ruleset).publication.decimals,
        every_digit=not files_whole,
    )


def file_response(content: bytes, media_type: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', **UNINDEXED}
    return HttpResponse(content, content_type=media_type, headers=headers)
