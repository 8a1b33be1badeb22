"""The one search: players, events, places, regions, ratings and clauses, with suggestions for every field in
which a name is typed.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from django.http import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.http import urlencode
from django.utils.text import Truncator
from django.utils.translation import gettext as _, pgettext

from players.access import PUBLIC, OfficeRequest, page
from players.models import Federation, Player
from players.names import begin_words, fold_words
from players.settings import today
from players.templatetags.ui import clause_label
from ratings.models import ListRow, RatingList
from ratings.pages.players import MOST_FOUND, search_players, set_shown_ratings
from ratings.pages.regulations import clauses_of, search_clauses
from ratings.pages.responses import cached_page
from ratings.pages.tables import PlayerTable
from ratings.rulesets.profile import pages_of
from ratings.workings import clause_url
from tournaments.models import Event

LONGEST_QUERY = 60
WORDS_OF_CLAUSE = 12


# ---- What is found beside players
class Found(NamedTuple):
    """Something that has a page of its own, or is a place of events."""

    kind: str
    name: str
    url: str
    sub: str = ""


MOST_OF_A_KIND = 5
"""The most that are shown of each kind beside players."""


def search_beside_players(office: Federation, text: str) -> Iterator[Found]:
    """Yield what has words beginning with each word of a text: regions, events and their places, ratings,
    further pages, clauses; a clause is found by its number too.
    """
    parts = fold_words(text)
    regions = office.region_names if office.regional else ()
    named = (each for each in regions if begin_words(parts, *each))
    for code, name in islice(named, MOST_OF_A_KIND):
        yield Found(_("Region"), name, reverse("ratings:region", args=[office.code, code]))
    yield from search_events(office, text)
    tracks = (each for each in office.ruleset.tracks if begin_words(parts, _(each.name)))
    for track in islice(tracks, MOST_OF_A_KIND):
        yield Found(_("List"), _(track.name), reverse("ratings:latest_list", args=[office.code, track.code]))
    for each in pages_of(office.ruleset):
        if begin_words(parts, _(each.name)):
            yield Found(_("Page"), _(each.name), reverse("ratings:table_page", args=[office.code, each.code]))
    edition = office.ruleset.newest
    for clause in islice(search_clauses(clauses_of(office, edition), text), MOST_OF_A_KIND):
        words = Truncator(clause.text).words(WORDS_OF_CLAUSE, truncate=" …")
        url = clause_url(office, clause.number, edition)
        yield Found(_("Clause"), clause_label(clause.number), url, words)


def search_events(office: Federation, text: str) -> Iterator[Found]:
    """Yield the places of events and the events, the newest first, that have words beginning so."""
    events = Event.objects.filter(federation=office).not_withdrawn().named(text)
    found = list(events.select_related("federation").order_by("-starts", "-number")[:MOST_FOUND])
    places = (each.place for each in found if begin_words(fold_words(text), each.place))
    for place in islice(dict.fromkeys(places), MOST_OF_A_KIND):
        url = f"{reverse('ratings:events', args=[office.code])}?{urlencode({'q': place})}"
        yield Found(pgettext("where it is played", "Place"), place, url)
    for event in found[:MOST_OF_A_KIND]:
        day = date_format(event.starts, "DATE_FORMAT")
        sub = " · ".join(filter(None, (event.number, day, event.place)))
        yield Found(_("Event"), event.name, event.get_absolute_url(), sub)


# ---- The pages of the search
FOUND_SHOWN = 10
"""The most players shown of one office among all; its own search has the others."""


def _query(request: OfficeRequest) -> str:
    return request.GET.get("q", "").strip()[:LONGEST_QUERY]


@page(PUBLIC, caching=cached_page)
def search(request: OfficeRequest) -> HttpResponseBase:
    """Page of an office's register, and of all that a text finds in the office."""
    office, wanted = request.office, _query(request)
    people = search_players(office, wanted, inside_names_too=request.user.is_authenticated) if wanted else []
    context = {
        "wanted": wanted,
        "more": len(people) > MOST_FOUND,
        "people": people,
        "table": PlayerTable(_add_ratings(office, people[:MOST_FOUND])),
        "beside": list(search_beside_players(office, wanted)) if wanted else [],
        "example": None if wanted else find_example_player(office),
    }
    return render(request, "ratings/players.html", context)


def find_example_player(office: Federation) -> Player | None:
    """The first player on the newest list who may be named, as an example for the search."""
    newest = RatingList.objects.of(office).on_newest_day().current().without_content().first()
    rows = (
        ListRow.objects.filter(rating_list=newest, player__withheld=False)
        if newest
        else ListRow.objects.none()
    )
    row = rows.select_related("player").order_by("position").first()
    return row.player if row else None


@page(PUBLIC, caching=cached_page)
def search_all_offices(request: OfficeRequest) -> HttpResponseBase:
    wanted = _query(request)
    found = [_search(office, wanted) for office in Federation.objects.order_by("name")] if wanted else []
    context = {"wanted": wanted, "found": [each for each in found if each["players"] or each["beside"]]}
    return render(request, "ratings/search_all_offices.html", context)


def _search(office: Federation, query: str) -> dict[str, Any]:
    people = search_players(office, query)
    return {
        "office": office,
        "players": _add_ratings(office, people[:FOUND_SHOWN]),
        "more": len(people) > FOUND_SHOWN,
        "beside": list(search_beside_players(office, query)),
    }


def _add_ratings(office: Federation, people: list[Player]) -> list[Player]:
    for player in people:
        player.federation = office
    set_shown_ratings(office, people, today(office))
    return people


# ---- Suggestions of a search field
MOST_SUGGESTIONS, MOST_OF_EACH_OFFICE = 8, 2
"""The most players suggested, and the most other things: of one office, and of each of all offices."""
LEAST_LETTERS = 2
"""The number of letters from which there are suggestions; one alone begins too many names."""


@page(PUBLIC, caching=cached_page)
def suggestions(request: OfficeRequest) -> HttpResponseBase:
    """What a field of the office offers; a field of players or of events says so (`only`)."""
    return _render_suggestions(request, [request.office], MOST_SUGGESTIONS)


@page(PUBLIC, caching=cached_page)
def suggestions_of_all_offices(request: OfficeRequest) -> HttpResponseBase:
    return _render_suggestions(request, list(Federation.objects.order_by("name")), MOST_OF_EACH_OFFICE)


def _render_suggestions(request: OfficeRequest, offices: Sequence[Federation], most: int) -> HttpResponseBase:
    query = _query(request)
    players: list[Player] = []
    beside: list[tuple[Found, Federation]] = []
    more, only = False, request.GET.get("only")
    for office in offices if len(query) >= LEAST_LETTERS else ():
        if only != "events":
            # Each key that is pressed asks, so names are only looked up.
            found = search_players(office, query, word_starts_only=True, most=most + 1)
            players += _add_ratings(office, found[:most])
            more = more or len(found) > most
        if only != "players":
            others = search_events(office, query) if only else search_beside_players(office, query)
            beside += ((each, office) for each in islice(others, most))
    parts = fold_words(query)
    context = {
        "players": players,
        "beside": beside,
        # A word as it is written comes before names that are like it.
        "beside_first": bool(beside) and not any(begin_words(parts, each.shown_name) for each in players),
        "shown": len(players) + len(beside),
        "more": more,
        "several": len(offices) > 1,
    }
    response = render(request, "ratings/suggestions.html", context)
    response["X-Robots-Tag"] = "noindex"
    return response
