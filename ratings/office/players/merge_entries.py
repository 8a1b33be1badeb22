"""Pages to merge two entries of one person: an official compares both, sees a preview, and decides."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.models import Ledger
from players.office.settings_schema import today
from players.register.models import Player, PlayerQuerySet
from ratings.decisions.merging import merge_players, refuse_merging
from ratings.office.common.decision_forms import words_field
from ratings.office.merging.draw_outlook import ask_for_outlook, is_current, mark_of, outlook_of
from ratings.office.merging.models import MergeOutlook
from ratings.office.merging.outlook_content import as_shown
from ratings.office.players.compare_entries import differences, openings, side_by_side
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
    seen = forms.CharField(widget=forms.HiddenInput, max_length=64, required=False)
    """The mark of the outlook that the page shows; empty: it showed none yet."""


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
    """The page with both entries and what merging would change; a valid POST merges them. Raises
    `Refused`.
    """
    day = today(request.office)
    mark, outlook = mark_of(player, into, day), outlook_of(player, into)
    drawn = outlook if is_current(outlook, mark) else None
    form = MergeForm(
        request.POST if request.method == "POST" else None, initial={"seen": mark if drawn else ""}
    )
    status = 400 if form.errors else 200
    if form.is_valid() and form.cleaned_data["seen"] not in ("", mark):
        form.add_error(
            None, _("What merging changes is not what your page showed any more. Look at it again.")
        )
        status = 409
    elif form.is_valid():
        merge_players(player=player, into=into, by=request.user, on=day, reason=form.cleaned_data["reason"])
        words = _("%(player)s is now merged with this entry. The effects on ratings are being computed.")
        messages.success(request, words % {"player": player.number})
        return redirect(into)
    context = {"player": player, "into": into, "form": form, "beside": side_by_side(player, into)}
    context |= {"differences": differences(player, into), "openings": openings(player, into)}
    context |= outlook_context(request, player, into, outlook, mark)
    return render(request, "ratings/office/merge.html", context, status=status)


@permitted(Permission.PLAYERS_MERGE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def merge_preview(request: OfficeRequest, number: str) -> HttpResponseBase:
    """The ratings and sections that merging would change: a page of its own, or for htmx the part that the
    decision's page takes in. A POST has the worker draw it up; until then it tells how far that is.
    """
    people = Player.objects.of(request.office).select_related("region", "federation", "merged_into")
    player = get_object_or_404(people, number=number)
    into = people.filter(number=request.GET.get("into", "").strip()[:30]).first()
    if into is None:
        return redirect("ratings:merge", request.office.code, number)
    try:
        refuse_merging(player, into)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("ratings:merge", request.office.code, number)
    mark, outlook = mark_of(player, into, today(request.office)), outlook_of(player, into)
    part = request.headers.get("HX-Request") == "true"
    if request.method == "POST":
        outlook = ask_for_outlook(player=player, into=into, at=timezone.now(), mark=mark)
        if not part:
            here = reverse("ratings:merge_preview", args=[request.office.code, number])
            return redirect(f"{here}?{urlencode({'into': into.number})}")
    context = {"player": player, "into": into, "part": part}
    context |= outlook_context(request, player, into, outlook, mark)
    template = "ratings/office/_merge_outlook.html" if part else "ratings/office/merging.html"
    return render(request, template, context)


def outlook_context(
    request: OfficeRequest, player: Player, into: Player, outlook: MergeOutlook | None, mark: str
) -> dict[str, Any]:
    """The context of an outlook: its content with its mark, the worker's progress, or neither; `failed`."""
    if outlook is not None and is_current(outlook, mark):
        return {"drawn": True, "mark": mark, **as_shown(outlook.content, player, into)}
    ledger = Ledger.objects.get(federation=request.office)
    if ledger.pending:
        return {"working": state_of(request.office, ledger)}
    if outlook is not None and outlook.working:
        drawing = outlook.state == MergeOutlook.State.DRAWING
        words = _("Working out the effects") if drawing else _("Waiting for the worker")
        return {"working": {"words": words, "done": outlook.done, "total": outlook.total}}
    return {"failed": outlook is not None and outlook.state == MergeOutlook.State.FAILED}
