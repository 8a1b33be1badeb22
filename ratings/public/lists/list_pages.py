"""Pages of published rating lists: the days, a day's lists, and a list itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db.models import Count, Max
from django.http import Http404, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from players.office.settings_schema import today
from players.pages.paging import ROWS, LastPagePaginator
from players.templatetags.ui import grouped
from ratings.equipment.find_equipment import equipment_of
from ratings.journal.days_taken_over import DaysTakenOver
from ratings.lists.list_days import next_day
from ratings.lists.models import ListRow, ListRowQuerySet, RatingList, RatingListQuerySet
from ratings.public.common.caching import cached_page, keep_regions, kept_part
from ratings.public.common.disclosure_limits import limits_of
from ratings.public.common.errata_reach import ConcernedLists, all_reaches, corrected_since, taken_in
from ratings.public.common.filters import ListFilter
from ratings.public.common.page_tables import ListTable, OwnColumn
from ratings.public.common.track_groups import by_group, track_of
from ratings.public.common.worded_tables import label_of
from ratings.public.lists import list_views
from ratings.public.lists.downloads import download_rows, downloads_of
from ratings.public.lists.find_on_list import found_on
from ratings.public.lists.list_orders import BY_RANK, ORDERS, Cut, ListOrder, cut
from ratings.public.lists.list_views import OwnRanks, lists_before, own_ranks, view_links, views_of
from ratings.public.proof.proving_instructions import proof_of
from ratings.recompute.revised_lists import differing, places_of

ABOVE = 20
"""The number of rows shown above the player whom an address asks for."""


@public
@cached_page
def days(request: OfficeRequest) -> HttpResponseBase:
    published = RatingList.objects.of(request.office).current().values("on").order_by("-on")
    found = published.annotate(
        lists=Count("pk"), players=Max("players"), revision=Max("revision"), line=Max("fact__number")
    )
    over = DaysTakenOver(request.office)
    days = [RatingList(federation=request.office, on=day["on"], track="") for day in found]
    listed = set(RatingList.objects.of(request.office).order_by().values_list("track", flat=True).distinct())
    now = today(request.office)
    context = {
        "days": [
            (day, {**counts, "taken_over": over.of_line(counts["line"])})
            for day, counts in zip(days, found, strict=True)
        ],
        "tracks": [track for track in request.office.ruleset.tracks if track.code in listed],
        "first": days[-1].on if days else None,
        "next": next_day(request.office, now),
        "today": now,
    }
    return render(request, "ratings/list_days.html", context)


@public
@cached_page
def day(request: OfficeRequest, label: str) -> HttpResponseBase:
    lists = list(lists_of(request, label).current())
    if not lists:
        return _first_of_month(request, label)
    for rating_list in lists:
        rating_list.federation = request.office
    context = {
        "groups": by_group(request.office.ruleset, lists),
        "day": lists[0],
        "corrected": corrected_since(request.office, lists, _reaches(request)),
    }
    return render(request, "ratings/list_day.html", context)


@public
@cached_page
def rating_list(
    request: OfficeRequest, label: str, track: str, revision: int | None = None
) -> HttpResponseBase:
    track_of(request.office.ruleset, track)
    of_day = kept_part(request, f"lists of {label}", lambda: _of_day(request, label)) or []
    for each in of_day:
        each.federation = request.office
    keep_regions(request)
    here = [each for each in of_day if each.track == track and revision in (None, each.revision)]
    if not here:
        return _first_of_month(request, label, track)
    shown = here[-1]
    if asked := request.GET.get("find"):
        return found_on(request, shown, asked)
    before = kept_part(request, f"before list {shown.pk}", lambda: lists_before(shown))
    views = views_of(before)
    form = ListFilter(request.GET, request.office, [(code, view.name) for code, view in views.items()])
    chosen = form.chosen
    view = views.get(chosen.get("only", ""))
    rows = form.narrow(ListRow.objects.filter(rating_list=shown), shown.on)
    rows = view.narrow(rows, before) if view else rows
    order = ORDERS.get(request.GET.get("sort", ""), own := view.order if view else BY_RANK)
    page = _page(request, shown, form, rows, order)
    ranks = _ranks(request, shown, form, rows, own)
    context = {
        "list": shown,
        "found": _found(ranks) if ranks else "",
        "newest": newest_of(of_day, track),
        "around": kept_part(request, f"around list {shown.pk}", lambda: around(request, shown, of_day)),
        "form": form,
        "bar": _bar(request, form),
        "sorted": order is not own,
        "page": page,
        "table": list_table(request, page.rows, order, ranks.of(page.rows) if ranks else None),
    }
    return render(request, "ratings/list.html", context)


def _of_day(request: OfficeRequest, label: str) -> list[RatingList] | None:
    """The lists of a day in all versions, None for none, each with the day on which it was taken over; their
    office is not kept with them.
    """
    found = list(lists_of(request, label).order_by("revision"))
    over = DaysTakenOver(request.office)
    for each in found:
        each.taken_over_on = over.of_line(each.fact.number)
        del each._state.fields_cache["federation"]
    return found or None


def _bar(request: OfficeRequest, form: ListFilter) -> SafeString:
    """The bar above a list: find, views, filters. Made once for each choice; not kept for a name, which
    nobody else asks for.
    """
    chosen = form.chosen

    def made() -> SafeString:
        context = {
            "form": form,
            "views": view_links(form, request.path),
            "narrowed": any(chosen.get(name) for name in ("region", "sex", "age", "only")),
        }
        return render_to_string("ratings/_list_bar.html", context, request)

    if not form.is_valid() or "q" in chosen:
        return made()
    return kept_part(request, f"bar of {request.path} {urlencode(sorted(chosen.items()))}", made)


def _page(
    request: OfficeRequest, shown: RatingList, form: ListFilter, rows: ListRowQuerySet, order: ListOrder
) -> Cut:
    """The page of a list that an address asks for. A list in another order than its own is sorted once for
    all its pages: ties among half of its rows leave an index little to skip.
    """
    asked, places = _towards(request, shown, order), None
    if form.is_valid() and "q" not in form.chosen and not order.by_position:
        name = f"list {shown.pk} {shown.sha256} by {order.name}: {urlencode(sorted(form.chosen.items()))}"
        # The whole list is the same for ever, but for people's names.
        frozen = not form.chosen and not order.by_name
        places = kept_part(request, name, lambda: order.places(rows), "ranks", frozen=frozen)
    page = cut(rows.select_related("player"), asked, order, places=places)
    regions = request.office.regions_by_key
    for row in page.rows:
        row.player.federation = request.office
        row.player.region = regions.get(row.player.region_id) if row.player.region_id else None
    return page


def _ranks(
    request: OfficeRequest, shown: RatingList, form: ListFilter, rows: ListRowQuerySet, order: ListOrder
) -> OwnRanks | None:
    """The ranks among the rows that a filter leaves, counted once for all pages of them; None for the whole
    list. What a name finds is counted each time: it is short, and nobody else asks for it.
    """
    if not form.chosen and form.is_valid():
        return None
    if not form.is_valid() or "q" in form.chosen:
        return own_ranks(rows, order)
    name = f"ranks of list {shown.pk} by {order.name}: {urlencode(sorted(form.chosen.items()))}"
    return kept_part(request, name, lambda: own_ranks(rows, order), "ranks")


def list_table(
    request: OfficeRequest, rows: Sequence[ListRow], order: ListOrder, ranks: Mapping[int, int] | None
) -> ListTable:
    """The table of one page of a list, the row of the player whom the address names marked."""
    ruleset = request.office.ruleset
    return ListTable(
        rows,
        places=equipment_of(ruleset).publication.decimals,
        counted=label_of("games", ruleset),
        highlight=request.GET.get("player", ""),
        own=own_columns(request.office, rows),
        ranks=ranks,
        order_by=order.name,
    )


def around(request: OfficeRequest, shown: RatingList, of_day: Sequence[RatingList]) -> dict[str, SafeString]:
    """The parts of a list's page around its table, the same for each filter: notes on corrections, links to
    the lists of the day, proof and sidebar.
    """
    office, known = request.office, _reaches(request)
    context = {
        "office": office,
        "list": shown,
        "newest": newest_of(of_day, shown.track),
        "proof": proof_of(shown),
        "groups": by_group(office.ruleset, {each.track: each for each in of_day}.values()),
        "several": any(each.track != shown.track for each in of_day),
        "downloads": downloads_of(office, shown),
        "corrected": corrected_since(office, [shown], known),
        "taken_in": taken_in(office, shown, known),
        **neighbours(shown),
    }
    parts = ("notes", "tracks", "proof", "sidebar")
    return {part: render_to_string(f"ratings/_list_{part}.html", context, request) for part in parts}


def _reaches(request: OfficeRequest) -> list[ConcernedLists]:
    """The reaches of the office's errata, worked out once for the pages of all its lists."""
    return kept_part(request, "reaches of errata", lambda: all_reaches(request.office))


def neighbours(shown: RatingList) -> dict[str, RatingList | None]:
    """The lists of the same track that were published for the days before and after."""
    lists = RatingList.objects.of(shown.federation).current().without_content().filter(track=shown.track)
    found = {
        "before": lists.filter(on__lt=shown.on).order_by("-on").first(),
        "after": lists.filter(on__gt=shown.on).order_by("on").first(),
    }
    for each in found.values():
        if each:
            each.federation = shown.federation
    return found


def newest_of(of_day: Sequence[RatingList], track: str) -> RatingList:
    """The newest version of a track's list, of the lists of a day."""
    return max((each for each in of_day if each.track == track), key=lambda each: each.revision)


def own_columns(office: Federation, rows: Sequence[ListRow]) -> list[OwnColumn]:
    """The columns that the office's federation has beside those of all, for these rows."""
    columns = office.publication.list_columns
    if not columns:
        return []
    told = dict(zip((row.pk for row in rows), download_rows(rows, limits_of(office)), strict=True))
    return [OwnColumn(column, told) for column in columns]


@public
@cached_page
def differences(request: OfficeRequest, label: str, track: str, revision: int) -> HttpResponseBase:
    """The page of what a version of a list changed from the one before, row by row."""
    track_of(request.office.ruleset, track)
    shown = lists_of(request, label).filter(track=track, revision=revision).exclude(supersedes=None).first()
    if shown is None:
        raise Http404(_("No list was published then."))
    rows = differing(request.office, places_of(shown.supersedes), places_of(shown))
    page = LastPagePaginator(rows, ROWS).page(request.GET.get("page", 1))
    return render(request, "ratings/list_differences.html", {"list": shown, "page": page})


def lists_of(request: OfficeRequest, label: str) -> RatingListQuerySet:
    """The published lists of the day in an address, each with its journal line, without their bytes."""
    lists = RatingList.objects.of(request.office).labelled(label).without_content()
    return lists.select_related("fact", "supersedes", "federation")


def _found(ranks: OwnRanks) -> str:
    """The number of rows that a filter found, counted as far as that is quick."""
    counted = list_views.COUNTED
    return f"{grouped(counted)}+" if ranks.count > counted else grouped(ranks.count)


def _towards(request: OfficeRequest, shown: RatingList, order: ListOrder) -> QueryDict:
    """The query of a list's page, changed to begin near the row of the player whom it names, where the list
    stands in its own order.
    """
    number = request.GET.get("player")
    if not number or not order.by_position or "after" in request.GET or "before" in request.GET:
        return request.GET
    row = ListRow.objects.filter(rating_list=shown, player__number=number, player__federation=request.office)
    asked = request.GET.copy()
    if position := row.values_list("position", flat=True).first():
        asked["after"] = str(max(0, position - ABOVE))
    return asked


def _first_of_month(request: OfficeRequest, label: str, track: str = "") -> HttpResponseBase:
    """Redirect `…/2026-11` to the earliest list of that month, where none is of its first day."""
    found = RatingList.objects.of(request.office).in_month_of(label).without_content()
    earliest = (found.filter(track=track) if track else found).first()
    if len(label) != 7 or earliest is None or earliest.label == label:
        raise Http404(_("No list was published then."))
    if track:
        return redirect("ratings:list", request.office.code, earliest.label, track)
    return redirect("ratings:list_day", request.office.code, earliest.label)
