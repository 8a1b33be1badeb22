"""Pages and a feed of errata: what was corrected, why, and everybody's rating before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from players.pages.paging import paged
from players.register.models import Player
from ratings.journal.compare_section_versions import FileChange, file_changes
from ratings.journal.models import Fact
from ratings.law import facts, journal
from ratings.law.facts import Key
from ratings.public.common.atom_feed import NEWEST, AtomFeed
from ratings.public.common.caching import cached_page
from ratings.public.common.errata_reach import lists_concerned, reaches
from ratings.public.common.page_tables import CorrectedRatingsTable
from ratings.public.common.worded_errata import WordedErratum, errata_of, worded_errata
from ratings.results.models import CorrectedRating, Erratum


@public
@cached_page
def errata(request: OfficeRequest) -> HttpResponseBase:
    """The page of an office's errata, newest first."""
    last = request.GET.get("before", "")
    found = errata_of(request.office)
    if last.isascii() and last.isdigit() and len(last) < 19:
        found = found.filter(fact__number__lt=int(last))
    some = worded_errata(request.office, found[: NEWEST + 1])
    older = f"?before={some[NEWEST - 1].line.number}" if len(some) > NEWEST else ""
    return render(request, "ratings/errata.html", {"errata": some[:NEWEST], "older": older, "later": last})


@public
@cached_page
def erratum(request: OfficeRequest, line: int) -> HttpResponseBase:
    """The page of one correction: the fault, the lists concerned, and every rating before and after."""
    found = errata_of(request.office).filter(fact__number=line).first()
    if found is None:
        raise Http404(_("No line of that number corrects anything."))
    [told] = worded_errata(request.office, [found])
    rows = found.ratings.select_related("player__region", "player__federation")
    track = _track_asked(request, found)
    first = _as_rated_first(request.office, found)
    shown = _changed_first(rows.filter(track=track) if track else rows, first)
    table = CorrectedRatingsTable(shown, office=request.office, first=first)
    reach = reaches(request.office, errata_of(request.office).filter(pk=found.pk))
    lists = lists_concerned(request.office, reach[0]) if reach else []
    context = {
        "told": told,
        "lists": lists,
        "clause": _clause(request.office, told, listed=bool(lists)),
        "tracks": _tabs(request.office, found, track),
        "table": paged(table, request),
        "beside": _other_corrections(request.office, found),
        "changes": _changes(request.office, found),
        "federation": request.office,
    }
    return render(request, "ratings/erratum.html", context)


def _as_rated_first(office: Federation, found: Erratum) -> dict[Key, Decimal | None] | None:
    """For an erratum of a section rated again: the ratings before the un-rating, by player's number and
    track. None for other corrections.
    """
    if found.fact.kind != "rated":
        return None
    back = errata_of(office).filter(fact__subject=found.fact.subject, fact__kind="unrated")
    last = back.filter(fact__number__lt=found.fact.number).first()
    rows = last.ratings.values_list("player__number", "track", "before") if last else ()
    return {(number, track): before for number, track, before in rows}


def _changed_first(
    rows: QuerySet[CorrectedRating], first: dict[Key, Decimal | None] | None
) -> Sequence[CorrectedRating] | QuerySet[CorrectedRating]:
    """The rows of an erratum, those first that differ most from what the section was first rated with. Beside
    the ratings without it, all of its entrants' differ.
    """
    if first is None:
        return rows

    def differs_by(row: CorrectedRating) -> Decimal:
        before = first.get((row.player.number, row.track))
        if before is None or row.after is None:
            return Decimal(0) if before == row.after else Decimal(10**6)
        difference: Decimal = row.after - before
        return abs(difference)

    return sorted(rows, key=lambda row: -differs_by(row))  # equal ones stay in their order


def _clause(office: Federation, told: WordedErratum, *, listed: bool) -> str:
    """The clause under which a section was un-rated or rated again; empty if there is none."""
    unrating = office.equipment.office.powers.unrating
    if told.line.section is None:
        return ""
    return unrating.listed_clause if listed and unrating.listed_clause else unrating.clause


def _track_asked(request: OfficeRequest, found: Erratum) -> str:
    track = request.GET.get("track", "")
    return track if found.ratings.filter(track=track).exists() else ""


def _tabs(office: Federation, found: Erratum, chosen: str) -> list[dict[str, Any]]:
    """A tab for all ratings and one for each track; none if ratings of one track alone were corrected."""
    moved = set(found.ratings.order_by().values_list("track", flat=True).distinct())
    if len(moved) < 2:
        return []
    tabs = [{"label": _("All"), "url": "?", "current": not chosen}]
    return tabs + [
        {"label": _(track.name), "url": f"?track={track.code}", "current": track.code == chosen}
        for track in office.ruleset.tracks
        if track.code in moved
    ]


def _other_corrections(office: Federation, found: Erratum) -> list[WordedErratum]:
    """The other corrections of the same section."""
    if found.fact.section is None:
        return []
    return worded_errata(
        office, errata_of(office).filter(fact__section=found.fact.section).exclude(pk=found.pk)
    )


# ---------------------------------------------------------------- what changed in the file


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One difference between two versions of a section, in words, for a table on the erratum's page."""

    words: str
    players: list[Player]
    before: str
    after: str


def _changes(office: Federation, found: Erratum) -> list[ChangeRow] | None:
    """The differences of a section rated again from its version before; None for other corrections."""
    line = found.fact
    if line.kind != "rated" or line.takes is None:
        return None
    earlier = Fact.objects.filter(
        federation=office, kind="rated", subject=line.subject, number__lt=line.number
    )
    before = earlier.select_related("takes").order_by("-number").first()
    if before is None or before.takes is None:
        return None
    old, new = (journal.parse_line(each.line, office.ruleset) for each in (before.takes, line.takes))
    assert isinstance(old, facts.Section)
    assert isinstance(new, facts.Section)
    differing = file_changes(old, new)
    people = Player.objects.filter(
        federation=office, number__in={p for each in differing for p in each.players}
    )
    named = {player.number: player for player in people.select_related("federation")}
    return [_row(each, named) for each in differing]


def _row(change: FileChange, people: dict[str, Player]) -> ChangeRow:
    players = [people[number] for number in change.players if number in people]
    return ChangeRow(_what(change), players, change.before, change.after)


def _what(change: FileChange) -> str:
    if change.round is not None:
        words = _("Round %(round)s, without an opponent") if change.what == "bye" else _("Round %(round)s")
        return words % {"round": change.round}
    particulars = {
        "entry": _("Entered"),
        "place": _("Place"),
        "event": _("Event"),
        "name": _("Section"),
        "starts": _("First day"),
        "ends": _("Last day"),
        "country": _("Country"),
        "format": _("Format"),
        "rounds": _("Rounds"),
        "team": _("Teams"),
        "time_controls": _("Time control"),
    }
    return particulars.get(change.what, change.what)


# ---------------------------------------------------------------- the feed


def _in_a_sentence(kind: str) -> str:
    """The meaning of a kind of correction (`merged`, `rated` …) in a sentence, where officials wrote none."""
    sentences = {
        "merged": _("Two entries of the register are one person: all their games now count for that person."),
        "parted": _(
            "Two entries were merged but are two people: each person’s games count separately again."
        ),
        "rated": _("The section was corrected and counts again."),
    }
    return sentences.get(kind, "")


@public
@cached_page
def feed(request: OfficeRequest) -> HttpResponseBase:
    """The Atom feed of an office's newest errata."""
    atom = AtomFeed(
        request,
        title=_("%(office)s: errata") % {"office": request.office.name},
        description=_("Corrections of ratings that were published or worked out."),
        page=reverse("ratings:errata", args=[request.office.code]),
    )
    for each in worded_errata(request.office, errata_of(request.office)[:NEWEST]):
        words = " ".join(filter(None, (each.wrong and f"{each.wrong}.", each.words)))
        atom.entry(title=each.title, url=each.url, words=words or _in_a_sentence(each.line.kind), at=each.at)
    return atom.answer()
