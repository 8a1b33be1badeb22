"""Pages to merge two entries of one person: an official compares both, sees a preview, and decides."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.models import Decision
from players.office.settings_schema import today
from players.people.tell_apart import said_to_be_two
from players.register.models import Player, PlayerQuerySet
from ratings.decisions.merging import merge_players, refuse_merging
from ratings.office.common.decision_forms import words_field
from ratings.office.common.outlook_form import OutlookForm
from ratings.office.merging.draw_outlook import is_current, locked_mark_of, mark_of, outlook_of
from ratings.office.merging.outlook_pages import outlook_context, outlook_page
from ratings.office.players.compare_entries import differences, openings, side_by_side

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


class MergeForm(OutlookForm):
    reason = words_field(
        gettext_lazy("How do you know that they are one person?"),
        gettext_lazy("The record keeps your words."),
    )
    all_the_same = forms.BooleanField(
        label=gettext_lazy("They are one person all the same: I have read why they were said to be two."),
        error_messages={
            "required": gettext_lazy(
                "Somebody said that they are two persons. Read why, and confirm it here."
            )
        },
    )
    field_order = ("all_the_same", "reason", "seen")

    def __init__(self, data: Any, *, mark: str, drawn: bool, said: Decision | None) -> None:
        """Make the form; `said`: the decision that they are two persons."""
        super().__init__(data, mark=mark, drawn=drawn)
        if said is None:
            del self.fields["all_the_same"]


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
    said = said_to_be_two(player, into)
    asked = request.POST if request.method == "POST" else None
    form = MergeForm(asked, mark=mark, drawn=is_current(outlook, mark), said=said)
    if form.is_valid():
        with transaction.atomic():
            holds = locked_mark_of(player, into, day) == mark
            refuse_merging(player, into)
            if holds:
                merge_players(
                    player=player,
                    into=into,
                    by=request.user,
                    on=day,
                    reason=form.cleaned_data["reason"],
                    all_the_same=form.cleaned_data.get("all_the_same", False),
                )
        if not holds:  # what was shown changed in this moment: the page comes back with what is now
            return _decide(request, player, into)
        words = _("%(player)s is now merged with this entry. The effects on ratings are being computed.")
        messages.success(request, words % {"player": player.number})
        return redirect(into)
    context = {"player": player, "into": into, "form": form, "beside": side_by_side(player, into)}
    context |= {"said": said, "said_by": _who(request, said) if said else ""}
    context |= {"differences": differences(player, into), "openings": openings(player, into)}
    context |= outlook_context(player, into, outlook, mark) | _place(player, into)
    return render(request, "ratings/office/merge.html", context, status=form.status)


def _place(player: Player, into: Player) -> dict[str, str]:
    """The address of an outlook on merging, the template that tells of it, the button that comes with it."""
    here = reverse("ratings:merge_preview", args=[into.federation.code, player.number])
    return {
        "here": f"{here}?{urlencode({'into': into.number})}",
        "effects": "ratings/office/_merging.html",
        "button": _("Merge the two entries"),
        "cancel_url": player.get_absolute_url(),
    }


def _who(request: OfficeRequest, decision: Decision) -> str:
    return str(request.office.appointments.names().get(decision.by_id or 0, "") or _("The office"))


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
    return outlook_page(request, player, into, _place(player, into), page="ratings/office/merging.html")
