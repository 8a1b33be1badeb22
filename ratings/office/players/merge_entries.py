"""Pages to merge two entries of one person: an official compares both, sees a preview, and decides."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.models import Ledger
from players.office.settings_schema import today
from players.register.models import Player, PlayerQuerySet
from ratings.decisions.merging import merge_players, refuse_merging
from ratings.office.common.decision_forms import words_field
from ratings.office.players.compare_entries import differences, openings, side_by_side
from ratings.office.sections.further_effects_preview import rerate_row, unstated_in
from ratings.preview.merging import preview_merge
from ratings.public.players.player_pages import entries_of
from ratings.public.players.player_ratings import ratings_in, ratings_of
from ratings.recompute.progress_words import state_of

ALIKE = 10
"""The most entries of the same name that are offered, and that are looked at."""
LOOKED_AT = 300


class OtherForm(forms.Form):
    """The form that asks for the number of the other entry, the one to keep."""

    into = forms.CharField(
        label=gettext_lazy("Number of the entry to keep"),
        max_length=30,
        help_text=gettext_lazy("The player’s page shows it."),
    )


class MergeForm(forms.Form):
    reason = words_field(
        gettext_lazy("How do you know that they are one person?"),
        gettext_lazy("The record keeps your words."),
    )


@permitted(Permission.PLAYERS_MERGE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def merge(request: OfficeRequest, number: str) -> HttpResponseBase:
    """Page to merge a player: ask for the entry that stays, then show both and a preview, then merge."""
    people = Player.objects.of(request.office).select_related("region", "federation", "merged_into")
    player = get_object_or_404(people, number=number)
    if player.merged_into:
        messages.info(request, _("%(number)s was merged into this entry already.") % {"number": number})
        return redirect(player.merged_into)
    asked = OtherForm(request.GET if "into" in request.GET else None)
    into = people.filter(number=asked.cleaned_data["into"].strip()).first() if asked.is_valid() else None
    if into is None:
        if asked.is_bound and not asked.errors:
            asked.add_error("into", _("No entry of this register has that number."))
        return _ask(request, player, asked)
    try:
        refuse_merging(player, into)
        return _decide(request, player, into)
    except Refused as refused:
        asked.add_error("into", str(refused))
        return _ask(request, player, asked, status=409)


def _ask(
    request: OfficeRequest, player: Player, asked: OtherForm, status: int | None = None
) -> HttpResponseBase:
    alike = _alike(player)
    found = sorted(alike[:LOOKED_AT], key=lambda other: -_likeness(player, other))[:ALIKE]
    context = {"player": player, "form": asked, "alike": found, "alike_in_all": alike.count()}
    code = status or (400 if asked.errors else 200)
    return render(request, "ratings/office/merge.html", context, status=code)


def _alike(player: Player) -> PlayerQuerySet:
    """Other entries with the same surname, offered as those to keep."""
    found = Player.objects.of(player.federation).current().filter(name_key=player.name_key)
    return found.exclude(pk=player.pk).select_related("region")


def _likeness(one: Player, other: Player) -> int:
    """A sort key for offered entries, 0 to 2: one for the same year of birth, one for the same initial."""
    return (one.born == other.born) + (one.first_name[:1] == other.first_name[:1])


def _decide(request: OfficeRequest, player: Player, into: Player) -> HttpResponseBase:
    """The page with both entries, which loads its preview; a valid POST merges them. Raises `Refused`."""
    form = MergeForm(request.POST if request.method == "POST" else None)
    day = today(request.office)
    if form.is_valid():
        merge_players(player=player, into=into, by=request.user, on=day, reason=form.cleaned_data["reason"])
        words = _("%(player)s is now merged with this entry. The effects on ratings are being computed.")
        messages.success(request, words % {"player": player.number})
        return redirect(into)
    context = {"player": player, "into": into, "form": form, "beside": side_by_side(player, into)}
    context |= {"differences": differences(player, into), "openings": openings(player, into)}
    ledger = Ledger.objects.get(federation=request.office)
    context["pending"] = state_of(request.office, ledger) if ledger.pending else None
    return render(request, "ratings/office/merge.html", context, status=400 if form.errors else 200)


@permitted(Permission.PLAYERS_MERGE)
@never_cache
@require_safe
def merge_preview(request: OfficeRequest, number: str) -> HttpResponseBase:
    """The ratings and sections that merging would change: a page of its own, or for htmx the part that the
    decision's page takes in, so that nobody waits for it to open.
    """
    people = Player.objects.of(request.office).select_related("region", "federation", "merged_into")
    player = get_object_or_404(people, number=number)
    into = people.filter(number=request.GET.get("into", "").strip()[:30]).first()
    if into is None or Ledger.objects.get(federation=request.office).pending:
        return redirect("ratings:merge", request.office.code, number)
    try:
        refuse_merging(player, into)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("ratings:merge", request.office.code, number)
    part = request.headers.get("HX-Request") == "true"
    template = "ratings/office/_merging.html" if part else "ratings/office/merging.html"
    context = {"player": player, "into": into}
    context |= _preview_context(request, player, into, today(request.office))
    return render(request, template, context)


def _preview_context(request: OfficeRequest, player: Player, into: Player, day: date) -> dict[str, Any]:
    found = preview_merge(player, into)
    now = ratings_of(request.office, [player, into], day)
    then = {track.code: now.get((into.number, track.code)) for track in request.office.ruleset.tracks}
    then |= ratings_in(request.office, found.seen.state, into.number, day)
    rerated = [
        (each.fact.section_id, rerate_row(request.office, each))
        for each in found.seen.rerated
        if each.fact.section
    ]
    own = {entry.section_id for each in (player, into) for entry in entries_of(each)}
    rows = [
        (
            _(track.name),
            now.get((player.number, track.code)),
            now.get((into.number, track.code)),
            then[track.code],
        )
        for track in request.office.ruleset.tracks
    ]
    return {
        "seen": found.seen,
        "sections": found.sections,
        "unstated": unstated_in(request.office, found.seen),
        "rerated": [row for section, row in rerated if section in own],
        "others": [row for section, row in rerated if section not in own],
        "ratings": [row for row in rows if any(rating is not None for rating in row[1:])],
    }
