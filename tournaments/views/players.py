"""The fourth step: who is who in the register."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from players.access import OfficeRequest, Permission, permitted
from players.models import Player
from players.offices import today
from tournaments.checking import needed_of_players
from tournaments.matching import FOUND_MOST, search
from tournaments.models import Entry, Section
from tournaments.roster import declare_new, identify, reopen_entry
from tournaments.roster_form import NewcomerForm, newcomers_of
from tournaments.views.common import decide_on, is_number, not_read, own_section, show, to_step
from tournaments.words import EVIDENCE

OPEN = (Entry.Match.NONE, Entry.Match.DOUBTFUL)


@dataclass(frozen=True, slots=True)
class Offer:
    """A player of the register whom an entry could mean, and what speaks for and against it."""

    player: Player
    evidence: list[tuple[str, bool]]
    taken_by: int | None = None


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_safe
def players(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """`?entry=12&q=dlamini` opens one entry and searches the register for it."""
    section = own_section(request, number, code, Permission.SECTIONS_FILE)
    if elsewhere := not_read(section):
        return elsewhere
    entries = list(section.entries.select_related("player__region"))
    searched, q = request.GET.get("entry", ""), request.GET.get("q", "").strip()
    waiting = [entry for entry in entries if entry.match in OPEN]
    cards = cards_of(section, waiting, entries, searched, q)
    context = {
        "cards": cards,
        "unknown": [card for card in cards if not card["entry"].candidates and not card["searched"]],
        "settled": [_settled(entry) for entry in entries if entry.match not in OPEN],
        "incomplete": _incomplete(section, entries),
        "total": len(entries),
    }
    return show(request, section, "players", context)


def cards_of(
    section: Section, waiting: list[Entry], entries: list[Entry], searched: str, q: str
) -> list[dict[str, Any]]:
    """One card for each entry to be decided: the offers, or what the search found."""
    keys = [offered["player"] for entry in waiting for offered in entry.candidates]
    known = Player.objects.filter(pk__in=keys).select_related("region").in_bulk()
    taken = {entry.player_id: entry.number for entry in entries if entry.player_id is not None}
    needed = needed_of_players(section.event.federation)
    cards = []
    for entry in waiting:
        mine = str(entry.number) == searched and bool(q)
        found = search(section.event.federation, entry, q) if mine else entry.candidates
        known |= {c.player.pk: c.player for c in found} if mine else {}
        rows = [_row(c) for c in found]
        cards.append(
            {
                "entry": entry,
                "q": q if mine else "",
                "searched": mine,
                "many": mine and len(rows) == FOUND_MOST,
                "offers": offers_of(rows, known, taken),
                "newcomer": NewcomerForm(entry=entry, needed=needed),
            }
        )
    return cards


def _settled(entry: Entry) -> dict[str, Any]:
    """An entry that needs no decision, and why: the evidence, or that a person said so."""
    why = entry.get_match_display()
    if entry.match == Entry.Match.CERTAIN and entry.candidates:
        why = ", ".join(str(EVIDENCE[name]) for name in entry.candidates[0]["evidence"])
    return {"entry": entry, "why": why}


def _row(candidate: Any) -> tuple[int, list[str]]:
    if isinstance(candidate, dict):
        return candidate["player"], candidate["evidence"]
    return candidate.player.pk, list(candidate.evidence)


def offers_of(
    rows: Iterable[tuple[int, list[str]]], known: dict[int, Player], taken: dict[int, int]
) -> list[Offer]:
    return [
        Offer(
            known[key],
            [(str(EVIDENCE[name]), name.endswith("-differs")) for name in evidence],
            taken.get(key),
        )
        for key, evidence in rows
        if key in known
    ]


def _incomplete(section: Section, entries: list[Entry]) -> list[dict[str, Any]]:
    """New players of whom something is still missing."""
    needed = needed_of_players(section.event.federation)
    new = [entry for entry in entries if entry.match == Entry.Match.NEW and entry.player is None]
    forms = [(entry, NewcomerForm(entry=entry, needed=needed)) for entry in new]
    return [{"entry": entry, "newcomer": form} for entry, form in forms if form.fields]


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_POST
def decide_player(request: OfficeRequest, number: str, code: str, entry: int) -> HttpResponse:
    """The answer to one card: a player's key, or `new`."""
    section = own_section(request, number, code, Permission.SECTIONS_FILE)
    choice = request.POST.get("player", "")
    day = today(request.office)
    if choice == "new":
        newcomers, errors = newcomers_of(section, [entry], request.POST)
        if errors:
            messages.error(request, " ".join(errors))
        elif not newcomers:
            raise Http404
        else:
            deed = partial(declare_new, section=section, by=request.user, on=day)
            decide_on(request, partial(deed, newcomers=newcomers))
    elif is_number(choice):
        register = Player.objects.of(request.office).current()
        chosen = get_object_or_404(register, pk=int(choice))
        deed_ = partial(identify, section=section, by=request.user, on=day)
        decide_on(request, partial(deed_, number=entry, player=chosen))
    else:
        messages.error(request, _("Choose one of the players, or “a new player”."))
    return to_step(section, "players", f"#entry-{entry}")


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_POST
def enter_new(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """All whom the register does not know become new players at once; the ones named in the form."""
    section = own_section(request, number, code, Permission.SECTIONS_FILE)
    numbers = [int(text) for text in request.POST.getlist("entry") if is_number(text)]
    newcomers, errors = newcomers_of(section, numbers, request.POST)
    if errors:
        messages.error(request, " ".join(errors))
    elif newcomers:
        deed = partial(declare_new, section=section, by=request.user, on=today(request.office))
        decide_on(request, partial(deed, newcomers=newcomers))
    return to_step(section, "players")


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_POST
def reopen(request: OfficeRequest, number: str, code: str, entry: int) -> HttpResponse:
    section = own_section(request, number, code, Permission.SECTIONS_FILE)
    deed = partial(reopen_entry, section=section, by=request.user, on=today(request.office))
    decide_on(request, partial(deed, number=entry))
    return to_step(section, "players", f"#entry-{entry}")
