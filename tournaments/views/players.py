"""The fourth step: the players, as the register knows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from players.office.access import OfficeRequest, Permission, permitted
from players.office.settings_schema import today
from players.register.models import Player
from tournaments.events.finding_words import EVIDENCE
from tournaments.events.models import Entry, Section
from tournaments.filing.decide_entries import decide_entries, reopen_entry
from tournaments.filing.open_questions import entrants
from tournaments.forms.new_players import NewcomerForm, newcomers_of
from tournaments.identity.evidence import AGAINST
from tournaments.identity.id_kinds import is_nameless
from tournaments.identity.matching import FOUND_MOST, search
from tournaments.identity.players_of_other_regions import players_of_other_regions
from tournaments.views.filing_steps import (
    decide_on,
    is_number,
    not_read,
    own_section,
    show,
    to_step,
    too_late,
)

OPEN = (Entry.Match.NONE, Entry.Match.DOUBTFUL)
ANSWER, NEW = "player-", "new"


@dataclass(frozen=True, slots=True)
class OfferedPlayer:
    """A player of the register whom an entry could mean, and the evidence for and against."""

    player: Player
    evidence: list[tuple[str, bool]]
    taken_by: int | None = None
    chosen: bool = False


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_safe
def players(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """The page of the players; `?entry=12&q=dlamini` opens one entry and searches the register for it."""
    section = own_section(request, number, code, Permission.SECTIONS_FILE)
    return not_read(section) or _page(request, section)


def _page(
    request: OfficeRequest, section: Section, chosen: Mapping[int, str] | None = None, status: int = 200
) -> HttpResponse:
    """Render the players' page of a section: the entries whose player a person has to decide, and the others.

    `chosen`: the answers so far, by starting number: a player's key, or `new`.
    """
    # The office once for all players: their addresses are made from it.
    entries = list(entrants(section).select_related("player").prefetch_related("player__federation"))
    cards = cards_of(request, section, entries, chosen or {})
    new = [entry for entry in entries if entry.match == Entry.Match.NEW and entry.player is None]
    context = {
        "cards": cards,
        "unknown": [card for card in cards if not card["offers"] and not card["searched"]],
        "to_decide": [card for card in cards if card["offers"] or card["searched"]],
        "settled": [_settled(entry) for entry in entries if entry.match not in OPEN],
        "incomplete": _newcomers(request, section, new, required=True),
        "wanted": _newcomers(request, section, new, required=False),
        "kept": bool(chosen),
        "total": len(entries),
        "guests": players_of_other_regions(section),
    }
    return show(request, section, "players", context, status)


def cards_of(
    request: OfficeRequest, section: Section, entries: list[Entry], chosen: Mapping[int, str]
) -> list[dict[str, Any]]:
    """Context of a card for each entry to be decided: with its candidates, or what a search for it found."""
    searched, q = request.GET.get("entry", ""), request.GET.get("q", "").strip()
    waiting = [entry for entry in entries if entry.match in OPEN]
    keys = [offered["player"] for entry in waiting for offered in entry.candidates]
    likely = Player.objects.select_related("region", "merged_into__region").in_bulk(keys)
    known = {key: player.merged_into or player for key, player in likely.items()}
    taken = {entry.player_id: entry.number for entry in entries if entry.player_id is not None}
    cards: list[dict[str, Any]] = []
    for entry in waiting:
        mine = str(entry.number) == searched and bool(q)
        found = search(section.event.federation, entry, q) if mine else entry.candidates
        known |= {c.player.pk: c.player for c in found} if mine else {}
        rows = [_row(c) for c in found]
        answer = chosen.get(entry.number, "")
        data = request.POST if answer == NEW else None
        offers = offers_of(rows, known, taken, answer)
        form = "decide" if offers or mine else "enter-new"
        ruleset = section.event.federation.ruleset
        cards.append(
            {
                "entry": entry,
                "q": q if mine else "",
                "searched": mine,
                "many": mine and len(rows) == FOUND_MOST,
                "offers": offers,
                "chosen": answer,
                "nameless": is_nameless(entry),
                "newcomer": NewcomerForm(
                    data, entry=entry, ruleset=ruleset, belongs_to=form, typed=request.POST
                ),
            }
        )
    _with_last_events(section, [offer.player for card in cards for offer in card["offers"]])
    return cards


def _with_last_events(section: Section, players: list[Player]) -> None:
    """Set `last_section` on each player who is offered: the newest other section, for who decides to see."""
    entries = (
        Entry.objects.filter(player__in=players).exclude(section=section).order_by("section__ends", "pk")
    )
    last = {entry.player_id: entry.section for entry in entries.select_related("section__event__federation")}
    for player in players:
        player.last_section = last.get(player.pk)  # type: ignore[attr-defined]


def _settled(entry: Entry) -> dict[str, Any]:
    """A row of the page for an entry that needs no decision, and the evidence or decision that settled it."""
    found = [one for one in entry.candidates if one["player"] == entry.player_id]
    evidence = [(str(EVIDENCE[name]), name in AGAINST) for one in found for name in one["evidence"]]
    told = "" if entry.match == Entry.Match.CERTAIN and evidence else entry.get_match_display()
    return {"entry": entry, "told": told, "evidence": evidence}


def _row(candidate: Any) -> tuple[int, list[str]]:
    if isinstance(candidate, dict):
        return candidate["player"], candidate["evidence"]
    return candidate.player.pk, list(candidate.evidence)


def offers_of(
    rows: Iterable[tuple[int, list[str]]],
    known: dict[int, Player],
    taken: dict[int, int],
    chosen: str = "",
) -> list[OfferedPlayer]:
    """The players offered for one entry, each once. `rows`: key and evidence of each candidate; `known`: the
    player of each key now, as two may have been merged since; `taken`: who is another entry (its number).
    """
    offers: dict[int, OfferedPlayer] = {}
    for key, evidence in rows:
        if player := known.get(key):
            told = [(str(EVIDENCE[name]), name in AGAINST) for name in evidence]
            offer = OfferedPlayer(player, told, taken.get(player.pk), chosen == str(player.pk))
            offers.setdefault(player.pk, offer)
    return list(offers.values())


def _newcomers(
    request: OfficeRequest, section: Section, new: Iterable[Entry], *, required: bool
) -> list[dict[str, Any]]:
    """Entries of new players with their forms: of those who lack something `required`, or of those who lack
    only what the regulations want besides.
    """
    posted = set(request.POST.getlist("entry"))
    ruleset = section.event.federation.ruleset
    forms = [
        (
            entry,
            NewcomerForm(request.POST if str(entry.number) in posted else None, entry=entry, ruleset=ruleset),
        )
        for entry in new
    ]
    return [
        {"entry": entry, "newcomer": form}
        for entry, form in forms
        if form.fields and form.lacks_something == required
    ]


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_POST
def decide_players(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Decide the page's answers, as many as were given: `player-12` is a player's key, or `new`."""
    section = own_section(request, number, code, Permission.SECTIONS_FILE)
    if elsewhere := too_late(request, section):
        return elsewhere
    answers = _answers(request)
    chosen = _of_register(request, {n: int(text) for n, text in answers.items() if is_number(text)})
    new = [n for n, text in answers.items() if text == NEW]
    newcomers, errors = newcomers_of(section, new, request.POST)
    if not answers:
        errors.append(_("Choose one of the players, or “a new player”, for at least one entry."))
    for error in errors:
        messages.error(request, error)
    if errors:
        return _page(request, section, answers, status=400)
    decision = partial(decide_entries, section=section, by=request.user, on=today(request.office))
    if not decide_on(request, partial(decision, chosen=chosen, newcomers=newcomers)):
        section.refresh_from_db()
        return _page(request, section, answers, status=409)
    return to_step(section, "players")


def _answers(request: OfficeRequest) -> dict[int, str]:
    """The posted answers by starting number, a player's key or `new`; without entries left for later."""
    posted = {
        name.removeprefix(ANSWER): str(text) for name, text in request.POST.items() if name.startswith(ANSWER)
    }
    return {int(n): text for n, text in posted.items() if is_number(n) and (text == NEW or is_number(text))}


def _of_register(request: OfficeRequest, chosen: Mapping[int, int]) -> dict[int, Player]:
    found = Player.objects.of(request.office).in_bulk(chosen.values())
    if len(found) < len(set(chosen.values())):
        raise Http404
    return {number: found[key] for number, key in chosen.items()}


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_POST
def enter_new(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Enter all unknown entries that the form names as new players at once.

    A form that cannot be saved comes back as it was filled in.
    """
    section = own_section(request, number, code, Permission.SECTIONS_FILE)
    if elsewhere := too_late(request, section):
        return elsewhere
    numbers = [int(text) for text in request.POST.getlist("entry") if is_number(text)]
    newcomers, errors = newcomers_of(section, numbers, request.POST)
    for error in errors:
        messages.error(request, error)
    if errors:
        return _page(request, section, dict.fromkeys(numbers, NEW), status=400)
    if newcomers:
        decision = partial(decide_entries, section=section, by=request.user, on=today(request.office))
        decide_on(request, partial(decision, newcomers=newcomers))
    return to_step(section, "players")


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_POST
def reopen(request: OfficeRequest, number: str, code: str, entry: int) -> HttpResponse:
    section = own_section(request, number, code, Permission.SECTIONS_FILE)
    decision = partial(reopen_entry, section=section, by=request.user, on=today(request.office))
    decide_on(request, partial(decision, number=entry))
    return to_step(section, "players", f"#entry-{entry}")
