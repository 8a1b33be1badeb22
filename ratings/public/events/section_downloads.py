"""Downloads of a rated section, written anew from what the public may know: its play, and its standings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal

from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as later

from players.drawing.rating_rounding import as_shown
from players.office.access import OfficeRequest, public
from players.register.models import Identifier
from ratings.equipment.downloads import csv_bytes, disarmed
from ratings.equipment.find_equipment import equipment_of
from ratings.public.common.caching import cached_page
from ratings.public.common.disclosure_limits import arbiters_of
from ratings.public.common.track_groups import track_of
from ratings.public.events.cross_tables import CrossTable
from ratings.public.lists.downloads import file_response
from tournaments.events.models import Section, Stage
from tournaments.filing.section_files import (
    ELO,
    ELSEWHERE,
    OF_PLACES,
    TABLE,
    TRF,
    FiledEntry,
    FiledPlay,
    ToldEntrant,
    file_of,
)

STANDINGS = "standings"
CSV = "text/csv; charset=utf-8"
SUFFIXES = {
    **dict.fromkeys(TRF, "trf"),
    ELO: "elo",
    **dict.fromkeys((TABLE, STANDINGS, *OF_PLACES), "csv"),
}
"""The suffix of each layout's file, by the layout's code."""
NAMES = {
    **TRF,
    TABLE: later("Players and games (CSV)"),
    ELO: later("Othello’s .ELO"),
    "ema": later("EMA’s result sheet (CSV)"),
    "portal": later("Mahjong portal’s table (CSV)"),
    STANDINGS: later("Standings (CSV)"),
}
COLUMNS = ("place", "number", "name", "title", "team", "score", "before", "change", "after", "performance")


@public
@cached_page
def section_file(
    request: OfficeRequest, number: str, code: str, layout: str, suffix: str
) -> HttpResponseBase:
    """Download of a rated section in one layout; `?track=` chooses the rating."""
    sections = Section.objects.filter(event__federation=request.office, event__number=number)
    section = get_object_or_404(sections.select_related("event__federation"), code=code, stage=Stage.RATED)
    if asked := request.GET.get("track", ""):
        track_of(request.office.ruleset, asked)
    lines = section.facts.filter(kind="rated").in_force()
    rated = lines.select_related("takes").order_by("-number").first()
    if rated:
        rated.federation = request.office
    table = CrossTable(section, rated, asked)
    if SUFFIXES.get(layout) != suffix or layout not in layouts_of(table):
        raise Http404(_("A section is not offered in this layout."))
    stem = f"{request.office.code}-{section.event.number}-{section.code}-{layout}.{suffix}"
    if layout == STANDINGS:
        return file_response(standings_csv(table), CSV, stem)
    media = CSV if suffix == "csv" else "text/plain; charset=utf-8"
    return file_response(file_of(play_of(table), layout), media, stem)


def layouts_of(table: CrossTable) -> tuple[str, ...]:
    """The codes of a section's files, the standings first."""
    return (STANDINGS, *play_of(table, named=False).layouts)


def links_of(table: CrossTable, track: str) -> list[tuple[str, str]]:
    """The name and the address of each file of a section, with the rating that the reader chose."""
    query = f"?{urlencode({'track': track})}" if track else ""
    return [(_(NAMES[each]), f"{each}.{SUFFIXES[each]}{query}") for each in layouts_of(table)]


def play_of(table: CrossTable, *, named: bool = True) -> FiledPlay:
    """A section's play with what the public may know of its entrants; `named`: with the people in it."""
    entries = sorted(table.entries, key=lambda entry: entry.number)
    ratings = (
        {entry.pk: row.rating for entry, row in zip(table.entries, table.rows, strict=True)} if named else {}
    )
    told = {entry.pk: _told(table, entry, ratings[entry.pk]) for entry in entries} if named else {}
    for key, numbers in _numbers_elsewhere(table, entries).items() if named else ():
        told[key] = replace(told[key], elsewhere=numbers)
    arbiters = arbiters_of(table.section.event) if named else []
    return FiledPlay(table.section, entries, table.games, table.byes, told, arbiters)


def _numbers_elsewhere(table: CrossTable, entries: Iterable[FiledEntry]) -> dict[int, dict[str, str]]:
    """The numbers in other registers that a file may give of entrants, by the entry's key and by kind."""
    office = table.section.event.federation
    kinds = [kind.code for kind in equipment_of(office.ruleset).office.id_kinds if kind.code in ELSEWHERE]
    people = {entry.pk: entry.person for entry in entries if entry.person}
    if not kinds:
        return {}
    found = defaultdict[int, dict[str, str]](dict)
    ids = Identifier.objects.filter(
        federation=office, kind__in=kinds, player__in={each.pk for each in people.values()}
    )
    for player, kind, value in ids.order_by("pk").values_list("player", "kind", "value"):
        found[player].setdefault(kind, value)
    return {pk: found[each.pk] for pk, each in people.items() if table.limits.foreign_id(each)}


def _told(table: CrossTable, entry: FiledEntry, rating: Decimal | None) -> ToldEntrant:
    """The particulars of one entrant that the public may know: no birth and no sex of a child, the number
    alone of whoever is withheld.
    """
    player = entry.person
    score = table.scores[entry.pk] if table.rounds else entry.points or Decimal(0)
    if player is None:
        return ToldEntrant(entry.surname, score, entry.first_name)
    hidden = player.withheld or not player.name
    return ToldEntrant(
        surname=player.shown_name if hidden else player.surname,
        score=score,
        first_name="" if hidden else player.first_name,
        number=player.number,
        sex=table.limits.sex(player),
        born=table.limits.year(player),
        title=table.limits.title(player, entry.title),
        nation="" if player.withheld else player.nation,
        team="" if player.withheld else entry.team,
        rating=rating,
    )


def standings_csv(table: CrossTable) -> bytes:
    """The standings with one track's ratings, rounded as pages show them."""
    return csv_bytes(COLUMNS, _standings(table))


def _standings(table: CrossTable) -> Iterator[list[str]]:
    decimals = table.office.publication.decimals
    for entry, row in zip(table.entries, table.rows, strict=True):
        texts = [entry.person.number if entry.person else "", row.name, row.title, row.note, row.score]
        numbers = [(row.rating, decimals), (row.points, decimals), (row.after, decimals)]
        numbers.append((row.performance, table.performance_places or 0))
        rounded = (as_shown(value, places) for value, places in numbers)
        place = "" if row.place is None else str(row.place)
        yield [place, *map(disarmed, texts), *("" if value is None else f"{value:f}" for value in rounded)]
