"""The page of a published list beside the ratings of its day as known now, some of its rows at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.http import Http404, HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from players.pages.paging import ROWS
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.journal.read_facts import aliases
from ratings.law import journal
from ratings.lists.models import ListRow, RatingList
from ratings.public.common.caching import cached_page
from ratings.public.common.track_groups import track_of
from ratings.public.lists.list_pages import lists_of
from ratings.public.players.figures_of_day import dating_of
from ratings.public.players.player_ratings import ratings_in
from ratings.recompute.revised_lists import list_line
from ratings.results.as_of import AsOf


@dataclass(frozen=True, slots=True)
class RowKnownNow:
    """A row of a published list, and the rating of its day as known now."""

    row: ListRow
    now: Decimal | None
    """None: by what is known now the player had no rating on that day."""
    into: str = ""
    """The number of the entry that this one was merged into; empty: it was not."""

    @property
    def differs(self) -> bool:
        published: Decimal = self.row.rating
        return self.now != published


@public
@cached_page
def list_as_known_now(request: OfficeRequest, label: str, track: str, revision: int) -> HttpResponseBase:
    track_of(request.office.ruleset, track)
    shown = lists_of(request, label).filter(track=track, revision=revision).first()
    line = list_line(request.office, shown.on) if shown else None
    if shown is None or line is None:
        raise Http404(_("No list was published then."))
    after = _position(request)
    found = ListRow.objects.filter(rating_list=shown).select_related("player__region").after(after, ROWS + 1)
    rows = known_now(request.office, shown, line, found[:ROWS])
    context = {
        "list": shown,
        "rows": rows,
        "differing": sum(each.differs for each in rows),
        "older": f"?after={found[ROWS - 1].position}" if len(found) > ROWS else "",
        "later": after > 0,
        "again": _rated_again(request.office, line),
        "dating": dating_of(request.office, shown.on),
    }
    return render(request, "ratings/list_as_known_now.html", context)


def known_now(
    office: Federation, shown: RatingList, line: Fact, found: Sequence[ListRow]
) -> list[RowKnownNow]:
    """Rows of a list beside the ratings of its day by what is known now, of the very rows alone. `line`: the
    line that published the list first.
    """
    asked = AsOf(office, shown.on, line.number)
    names = aliases(office) if any(row.player.merged_into_id for row in found) else {}
    numbers = {row.player.number: journal.root(names, row.player.number) for row in found}
    people = Player.objects.filter(federation=office, number__in=set(numbers.values()))
    state = asked.state_known_now_of(*people)
    rows = []
    for row in found:
        row.player.federation = office
        number = numbers[row.player.number]
        now = ratings_in(office, state, number, shown.on).get(shown.track)
        rows.append(RowKnownNow(row, now, number if number != row.player.number else ""))
    return rows


def _position(request: OfficeRequest) -> int:
    """The position behind which a page begins (`?after=`); 0: at the top."""
    text = request.GET.get("after", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _rated_again(office: Federation, line: Fact) -> int:
    """The sections of a list that were rated again since, where these count from their new line."""
    if office.ruleset.in_order_of_play:
        return 0
    rated = Fact.objects.filter(federation=office, kind="rated")
    back = rated.filter(number__lt=line.number, taken_back__gt=line.number).order_by()
    again = rated.in_force().filter(number__gt=line.number, subject__in=back.values("subject"))
    return again.order_by().count()
