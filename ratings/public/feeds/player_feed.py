"""The feed of a player's rated events, for whoever is named in public."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

from django.db.models import Q
from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from players.drawing.decimal_sign import with_own_sign
from players.office.access import OfficeRequest, public
from players.office.models import Federation
from players.register.models import Player
from players.templatetags.ui import rating
from ratings.journal.models import Fact
from ratings.public.common.atom_feed import NEWEST, AtomFeed, noon_of
from ratings.public.common.caching import cached_page
from ratings.public.lists.downloads import UNINDEXED
from ratings.public.players.player_pages import entries_of, with_scores
from ratings.results.models import Change
from tournaments.events.models import Entry


@public
@cached_page
def events_of_player(request: OfficeRequest, number: str) -> HttpResponseBase:
    """The Atom feed of a player's newest rated events. Nobody follows who asked not to be named."""
    people = Player.objects.of(request.office).select_related("merged_into__federation", "federation")
    player = get_object_or_404(people, number=number)
    if player.merged_into:
        return redirect("ratings:player_feed", request.office.code, player.merged_into.number)
    if player.withheld or not player.name:
        raise Http404(_("This player asked not to be named: there is no feed."))
    response = _feed(request, player).answer()
    for name, value in UNINDEXED.items():
        response.headers[name] = value
    return response


def _feed(request: OfficeRequest, player: Player) -> AtomFeed:
    office = request.office
    feed = AtomFeed(
        request,
        title=_("%(player)s: rated events") % {"player": player.shown_name},
        description=_("Rated events of %(player)s, the newest first.") % {"player": player.shown_name},
        page=player.get_absolute_url(),
    )
    entries = with_scores(office, entries_of(player)[:NEWEST])
    lines = _lines(office, entries)
    changes = _changes(player, lines.values())
    for entry in entries:
        line = lines.get(entry.section_id)
        if line is None:
            continue
        section = entry.section
        feed.entry(
            title=str(section),
            url=section.get_absolute_url(),
            words=" ".join(filter(None, (_result(entry), _moves(office, changes.get(line.pk, ()))))),
            at=noon_of(line.on),
            mark=f"#line-{line.number}",
        )
    return feed


def _lines(office: Federation, entries: Sequence[Entry]) -> dict[int, Fact]:
    """The line in force of each entry's section, by the section's key."""
    sections = Q(section__in=[entry.section_id for entry in entries])
    lines = Fact.objects.filter(sections, federation=office, kind="rated").in_force()
    return {line.section_id: line for line in lines.order_by("number") if line.section_id}


def _changes(player: Player, lines: Iterable[Fact]) -> dict[int, list[Change]]:
    """The player's changes by each of these lines, by the line's key."""
    found: dict[int, list[Change]] = {}
    rows = Change.objects.filter(player=player, fact__in=[line.pk for line in lines])
    for row in rows.order_by("track"):
        found.setdefault(row.fact_id, []).append(row)
    return found


def _result(entry: Entry) -> str:
    score = with_own_sign(entry.score)  # type: ignore[attr-defined]
    told = {"place": entry.place, "score": score}
    if entry.place and score:
        return _("Place %(place)s, score %(score)s.") % told
    if entry.place:
        return _("Place %(place)s.") % told
    return _("Score %(score)s.") % told if score else ""


def _moves(office: Federation, changes: Iterable[Change]) -> str:
    """The rating after the event in each track that it moved, in the order of the tracks.

    The rating before is left out where ratings move with the days, too: it is older than the event there.
    """
    places, names = office.publication.decimals, {each.code: each.name for each in office.ruleset.tracks}
    order, by_days = list(names), office.ruleset.calendar.days_of_change is not None
    told = [
        f"{_(names[each.track])}: {'' if by_days else _shown(each.before, places) + ' → '}"
        f"{_shown(each.after, places)}."
        for each in sorted(changes, key=lambda change: order.index(change.track))
        if each.before != each.after
    ]
    return " ".join(told)


def _shown(value: Decimal | None, places: int) -> str:
    return rating(value, places)
