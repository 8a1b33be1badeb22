"""The journal's log for others' programs (C2SP tlog-tiles), and each list with its checkpoint."""

from __future__ import annotations

import json
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from ratings.lists.list_as_json import list_as_json
from ratings.lists.models import RatingList
from ratings.proof.log import tiles
from ratings.public.common.caching import FRESH, for_ever
from ratings.recompute.fold import checksum
from ratings.signing.journal_tree import content_of
from ratings.signing.models import Checkpoint, LogKey
from ratings.signing.sign_journal_and_change_keys import origin_of

TEXT = "text/plain; charset=utf-8"
SECONDS = 5
"""Seconds for which a checkpoint may be kept."""


def newest_checkpoint(federation: Federation) -> Checkpoint | None:
    return Checkpoint.objects.of(federation).newest_first().prefetch_related("cosignatures").first()


def checkpoint_of(rating_list: RatingList) -> Checkpoint | None:
    """The checkpoint over the journal up to and including the list's line; None until it is signed."""
    signed = Checkpoint.objects.of(rating_list.federation).filter(size=rating_list.fact.number)
    return signed.prefetch_related("cosignatures").order_by("number").first()


@public
def checkpoint(request: OfficeRequest) -> HttpResponseBase:
    """The newest checkpoint, with the signatures of witnesses."""
    newest = newest_checkpoint(request.office)
    if newest is None:
        raise Http404(_("Nothing is signed in this office yet."))
    return _with_etag(request, newest.served.encode(), TEXT, seconds=SECONDS)


@public
def tile(request: OfficeRequest, path: str) -> HttpResponseBase:
    """A tile or a bundle of entries of the signed tree; any other path is 404."""
    asked, newest = tiles.parse_path(f"tile/{path}"), newest_checkpoint(request.office)
    there = tiles.width_at(asked.level, asked.index, newest.size) if asked and newest else 0
    if asked is None or asked.width > there:
        raise Http404(_("The log has no such tile."))
    return for_ever(HttpResponse(content_of(request.office, asked), content_type="application/octet-stream"))


@public
def vkey(request: OfficeRequest) -> HttpResponseBase:
    """The verifier keys, the newest first, one a line."""
    keys = LogKey.objects.filter(federation=request.office).values_list("vkey", flat=True)
    if not keys:
        raise Http404(_("This office has no key yet."))
    return _with_etag(request, "".join(f"{key}\n" for key in keys).encode(), TEXT, seconds=FRESH)


@public
def list_file(
    request: OfficeRequest, label: str, track: str, revision: int | None = None
) -> HttpResponseBase:
    """Download of a published list as JSON, with everything that proves it; `revision` None: the newest."""
    lists = RatingList.objects.of(request.office).labelled(label).select_related("fact", "federation")
    if revision is None:
        found = lists.filter(track=track).order_by("-revision").first()
        if found is None:
            raise Http404(_("No list was published then."))
    else:
        found = get_object_or_404(lists, track=track, revision=revision)
    signed = checkpoint_of(found)
    body = json.dumps(written(found, signed), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    # A witness may sign later, so readers must ask again.
    return _with_etag(request, body, "application/json", seconds=FRESH if signed else 0)


def written(rating_list: RatingList, signed: Checkpoint | None) -> dict[str, Any]:
    """The content of a list's JSON file; `signed`: the checkpoint that covers the list's line, if there is
    one yet.
    """
    origin = signed.key.origin if signed else origin_of(rating_list.federation)
    return list_as_json(rating_list, origin=origin, checkpoint=signed.served if signed else None)


def _with_etag(request: OfficeRequest, body: bytes, media_type: str, *, seconds: int) -> HttpResponseBase:
    """Answer with a small body that caches may keep for some seconds; 304 to readers who hold the same."""
    response = HttpResponse(body, content_type=media_type)
    etag = quote_etag(checksum(body)[:32])
    found = get_conditional_response(request, etag=etag, response=response) or response
    found["ETag"] = etag
    patch_cache_control(found, public=True, max_age=seconds)
    return found
