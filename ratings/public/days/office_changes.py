"""The page of what an office decided between two days, with how many ratings each decision moved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Count, Exists, F, Max, OuterRef, Q
from django.http import HttpResponseBase
from django.shortcuts import render
from django.utils.http import urlencode

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from ratings.journal.models import Fact, FactQuerySet
from ratings.lists.models import RatingList
from ratings.public.common.caching import cached_page
from ratings.public.days.causes import WordedCause, causes_of
from ratings.public.days.two_days import TwoDays, days_between, line_before
from ratings.public.players.figures_of_day import dating_of
from ratings.results.models import Change, CorrectedRating, PastChange

A_MONTH = timedelta(days=30)
LINES = 30
"""The decisions told on one page."""
TOLD = ("rated", "unrated", "list", "revised", "merged", "parted", "rank", "playoff", "taken_over")
"""The kinds of lines that are told: particulars and openings are not, nor a section before it is rated."""
COUNTED = frozenset({"rated", "unrated", "merged", "parted"})
MOVED = (
    Q(before__lt=F("after"))
    | Q(before__gt=F("after"))
    | Q(before=None, after__isnull=False)
    | Q(before__isnull=False, after=None)
    | Q(points__gt=0)
    | Q(points__lt=0)
)
"""A change that moves a rating, at once or with the next list."""


@dataclass(frozen=True, slots=True)
class DecisionTold:
    """A decision of the office with its reach, for a page."""

    cause: WordedCause
    moved: int
    """The ratings moved by a section, or corrected; of a list none are counted."""
    lists: int = 0
    """The lists that were published, one for each track."""
    players: int = 0
    """The players on the longest of these lists."""

    @property
    def counted(self) -> bool:
        """Whether the ratings that it moved are counted."""
        return self.cause.kind in COUNTED


@public
@cached_page
def changes_of_office(request: OfficeRequest) -> HttpResponseBase:
    asked = days_between(request, A_MONTH)
    found = _lines(asked)
    below = line_before(request)
    shown = found if below is None else found.filter(number__lt=below)
    lines = list(
        shown.select_related("section__event").defer("particulars", "pres").order_by("-number")[: LINES + 1]
    )
    older = ""
    if len(lines) > LINES:
        days = {"from": f"{asked.first:%Y-%m-%d}", "to": f"{asked.last:%Y-%m-%d}"}
        older = f"?{urlencode({**days, 'before': str(lines[LINES - 1].number)})}"
    context: dict[str, Any] = {
        "asked": asked,
        "counts": dict(found.order_by().values_list("kind").annotate(Count("pk"))),
        "decisions": _told(request.office, lines[:LINES]),
        "older": older,
        "later": "before" in request.GET,
        "dating": dating_of(request.office, asked.last),
    }
    return render(request, "ratings/office_changes.html", context)


def _lines(asked: TwoDays) -> FactQuerySet:
    """The decisions of the days after the earlier one, up to the later."""
    lines = Fact.objects.filter(federation=asked.office, kind__in=TOLD)
    return lines.filter(on__gt=asked.first, on__lte=asked.last)


def _told(office: Federation, lines: Sequence[Fact]) -> list[DecisionTold]:
    causes, moved, lists = causes_of(office, lines), _moved(lines), _lists(office, lines)
    return [DecisionTold(causes[line.number], moved[line.pk], *lists.get(line.pk, (0, 0))) for line in lines]


def _moved(lines: Sequence[Fact]) -> Counter[int]:
    """The ratings that each line moved, by its key: of a correction those of its erratum; of a section
    those of its entrants, as known first or since.
    """
    rated = [line.pk for line in lines if line.kind == "rated"]
    found: Counter[int] = Counter()
    now = Change.objects.filter(MOVED, fact__in=rated).order_by()
    found.update(dict(now.values_list("fact_id").annotate(Count("pk"))))
    same = Change.objects.filter(fact=OuterRef("fact"), player=OuterRef("player"), track=OuterRef("track"))
    past = PastChange.objects.filter(MOVED, ~Exists(same), fact__in=rated).order_by()
    found.update(fact for fact, *_key in past.values_list("fact_id", "player_id", "track").distinct())
    corrected = CorrectedRating.objects.filter(erratum__fact__in=[line.pk for line in lines]).order_by()
    corrections = dict(corrected.values_list("erratum__fact_id").annotate(Count("pk")))
    return Counter({**found, **corrections})


def _lists(office: Federation, lines: Sequence[Fact]) -> dict[int, tuple[int, int]]:
    """The lists that each line published, by its key: how many, and the players on the longest."""
    keys = [line.pk for line in lines if line.kind in ("list", "revised")]
    lists = RatingList.objects.of(office).filter(fact__in=keys).order_by().values("fact_id")
    found = lists.annotate(lists=Count("pk"), longest=Max("players")) if keys else ()
    return {each["fact_id"]: (each["lists"], each["longest"]) for each in found}
