"""Feeds of an office: its published lists, and the sections that it rated."""

from __future__ import annotations

from django.http import HttpResponseBase
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from players.office.access import OfficeRequest, public
from players.templatetags.ui import grouped
from ratings.journal.days_taken_over import DaysTakenOver
from ratings.journal.models import Fact
from ratings.lists.models import RatingList
from ratings.public.common.atom_feed import NEWEST, AtomFeed, noon_of
from ratings.public.common.caching import cached_page
from ratings.public.common.disclosure_limits import withheld_of
from ratings.public.common.track_groups import track_of


@public
@cached_page
def lists(request: OfficeRequest) -> HttpResponseBase:
    """The Atom feed of the newest lists, each version by itself."""
    office = request.office
    feed = AtomFeed(
        request,
        title=_("%(office)s: rating lists") % {"office": office.name},
        description=_("Published rating lists, the newest first."),
        page=reverse("ratings:lists", args=[office.code]),
    )
    lists = RatingList.objects.of(office).without_content().select_related("fact")
    found = lists.order_by("-published_at", "-pk")[:NEWEST]
    hidden, over = withheld_of(office), DaysTakenOver(office)
    for each in found:
        each.federation = office
        address = reverse("ratings:list_revision", args=[office.code, each.label, each.track, each.revision])
        feed.entry(
            title=_title(each),
            url=address,
            words=" ".join(
                filter(None, (_size(each), hidden.left_out_of(each.note), _taken_over(over, each.fact)))
            ),
            at=each.published_at,
        )
    return feed.answer()


def _taken_over(over: DaysTakenOver, line: Fact) -> str:
    """The words for a line of a history; empty for the office's own."""
    day = over.of_line(line.number)
    words = _("Computed afterwards: taken over on %(day)s.")
    return words % {"day": date_format(day, "DATE_FORMAT")} if day else ""


def _title(rating_list: RatingList) -> str:
    track = _(track_of(rating_list.federation.ruleset, rating_list.track).name)
    told = {
        "track": track,
        "day": date_format(rating_list.on, "DATE_FORMAT"),
        "revision": rating_list.revision,
    }
    if rating_list.revision > 1:
        return _("%(track)s, %(day)s, revision %(revision)s") % told
    return _("%(track)s, %(day)s") % told


def _size(rating_list: RatingList) -> str:
    count = rating_list.players
    words = ngettext("%(count)s player.", "%(count)s players.", count)
    return words % {"count": grouped(count)}


@public
@cached_page
def rated(request: OfficeRequest) -> HttpResponseBase:
    """The Atom feed of the sections rated last; one that was taken back is not among them."""
    office = request.office
    feed = AtomFeed(
        request,
        title=_("%(office)s: rated events") % {"office": office.name},
        description=_("Sections of events that the office rated, the newest first."),
        page=reverse("ratings:events", args=[office.code]),
    )
    lines = Fact.objects.filter(federation=office, kind="rated", section__isnull=False).in_force()
    over = DaysTakenOver(office)
    for line in lines.select_related("section__event").order_by("-number")[:NEWEST]:
        section = line.section
        assert section is not None
        section.event.federation = office
        feed.entry(
            title=str(section),
            url=section.get_absolute_url(),
            words=" ".join(
                filter(
                    None,
                    (
                        _("Played until %(day)s.") % {"day": date_format(section.ends, "DATE_FORMAT")},
                        _taken_over(over, line),
                    ),
                )
            ),
            at=noon_of(line.on),
            mark=f"#line-{line.number}",
        )
    return feed.answer()
