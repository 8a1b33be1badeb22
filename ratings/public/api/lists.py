"""Operations on published lists and their rows."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _
from ninja import Router
from ninja.params.functions import Query

from ratings.journal.days_taken_over import DaysTakenOver
from ratings.lists.models import ListRow, RatingList, day_of_label
from ratings.public.api import schemas
from ratings.public.api.doors import BadCursor, cursor_of, key_of, part
from ratings.public.api.players import CURSOR, ERRORS
from ratings.public.api.told import Told, list_told, named, row_told
from ratings.public.common.asked_day import NoDay
from ratings.public.common.disclosure_limits import limits_of, withheld_of
from ratings.public.common.track_groups import track_of
from ratings.public.lists.downloads import download_rows

LISTS, ROWS = 100, 500
"""The most lists, and the most rows, of one part."""
LIST = "/offices/{slug:office}/lists/{str:day}/{slug:track}"
REVISION = Query(0, ge=0, le=10_000, description="0: the newest.")

router = Router(tags=["lists"])


@router.get(
    "/offices/{slug:office}/lists",
    response={200: schemas.AnswerPart[schemas.PublicList], **ERRORS},
    url_name="api_lists",
)
def lists(
    request: Any,
    response: HttpResponse,
    office: str,
    track: str = Query("", description="The lists of one track alone.", max_length=24),
    cursor: str = CURSOR,
) -> Told:
    """All published lists, each revision by itself, as they were published, the newest first."""
    key, found = key_of(cursor, int), _lists(request).order_by("-pk")
    if track:
        found = found.filter(track=track_of(request.office.ruleset, track).code)
    some = list((found.filter(pk__lt=key[0]) if key else found)[: LISTS + 1])
    following = cursor_of(some[LISTS - 1].pk) if len(some) > LISTS else None
    hidden, over = withheld_of(request.office), DaysTakenOver(request.office)
    for each in some:
        each.federation = request.office
    told = [list_told(request, each, hidden, over) for each in some[:LISTS]]
    return part(request, response, told, following)


@router.get(LIST, response={200: schemas.PublicList, **ERRORS}, url_name="api_list")
def rating_list(request: Any, office: str, day: str, track: str, revision: int = REVISION) -> Told:
    """One list. `day` is YYYY-MM-DD, or `latest`."""
    found, over = _found(request, day, track, revision), DaysTakenOver(request.office)
    return list_told(request, found, withheld_of(request.office), over)


@router.get(
    f"{LIST}/rows", response={200: schemas.AnswerPart[schemas.PublicRow], **ERRORS}, url_name="api_rows"
)
def rows(
    request: Any,
    response: HttpResponse,
    office: str,
    day: str,
    track: str,
    revision: int = REVISION,
    cursor: str = CURSOR,
) -> Told:
    """The rows of a list in its order; further parts are of the same list, whatever is published since."""
    key = key_of(cursor, int, int)
    shown = _begun(request, key[0]) if key else _found(request, day, track, revision)
    of_list = ListRow.objects.filter(rating_list=shown).select_related("player__region")
    some = of_list.after(key[1] if key else -1, ROWS + 1)
    told = zip(some[:ROWS], download_rows(some[:ROWS], limits_of(request.office)), strict=True)
    items = [row_told(row.position, line, named(row.player)) for row, line in told]
    following = cursor_of(shown.pk, some[ROWS - 1].position) if len(some) > ROWS else None
    return part(request, response, items, following)


def _begun(request: Any, key: int) -> RatingList:
    """The list of which a program has read the first part."""
    found: RatingList | None = _lists(request).filter(pk=key).first() if 0 < key < 2**63 else None
    if found is None:
        raise BadCursor
    found.federation = request.office
    return found


def _lists(request: Any) -> Any:
    lists = RatingList.objects.of(request.office).without_content()
    return lists.select_related("fact", "supersedes").defer("supersedes__content")


def _found(request: Any, day: str, track: str, revision: int) -> RatingList:
    of_track = _lists(request).filter(track=track_of(request.office.ruleset, track).code)
    if day != "latest" and day_of_label(day) is None:
        raise NoDay
    of_day = of_track.of_newest_day() if day == "latest" else of_track.labelled(day)
    if revision:
        of_day = of_day.filter(revision=revision)
    found: RatingList | None = of_day.order_by("-on", "-revision").first()
    if found is None:
        raise Http404(_("No list was published then."))
    found.federation = request.office
    return found
