"""Pages of transfers between regions: those that are open, asking for one, and deciding on it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Prefetch, Q, QuerySet
from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.models import Region
from players.office.settings_schema import today
from players.people.models import Transfer
from players.people.proof_files import ProofFile
from players.people.transfers import ask_transfer, grant_transfer, refuse_transfer
from players.register.models import Player
from ratings.office.common.decision_forms import words_field
from ratings.office.common.proof_field import ProofField

DECIDED = 30


class TransferForm(forms.Form):
    """The form that asks for a transfer."""

    taking = forms.ModelChoiceField(
        Region.objects.none(),
        label=gettext_lazy("Region to belong to"),
        empty_label=gettext_lazy("choose a region"),
    )
    reason = words_field(gettext_lazy("Why?"), gettext_lazy("The office and both regions read it."))
    proof = ProofField()

    def __init__(self, data: Any, files: Any, regions: QuerySet[Region]) -> None:
        super().__init__(data, files)
        self.fields["taking"].queryset = regions  # type: ignore[attr-defined]


class TransferAnswerForm(forms.Form):
    """The form by which an official grants a transfer from a day on, or refuses it."""

    answer = forms.ChoiceField(
        label=gettext_lazy("Answer"),
        widget=forms.RadioSelect,
        choices=[("grant", gettext_lazy("Grant it")), ("refuse", gettext_lazy("Refuse it"))],
    )
    starts = forms.DateField(
        label=gettext_lazy("From which day?"),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=gettext_lazy("For who grants it. A day to come is kept, and the region changes then."),
    )
    words = words_field(
        gettext_lazy("Words to both regions"), gettext_lazy("Required where you refuse."), required=False
    )


@permitted(Permission.PLAYERS_TRANSFER)
@never_cache
@require_safe
def transfers(request: OfficeRequest) -> HttpResponseBase:
    """Page of the transfers that concern the person's regions: open ones, and the newest decided."""
    found = mine(request)
    context = {
        "open": found.filter(state__in=Transfer.OPEN).order_by("asked_on", "pk"),
        "decided": found.exclude(state__in=Transfer.OPEN)[:DECIDED],
        "decides": Permission.PLAYERS_CORRECT in request.rights,
    }
    return render(request, "ratings/office/transfers.html", context)


def mine(request: OfficeRequest) -> QuerySet[Transfer]:
    """The transfers from or to the person's regions; 404 where the office has no regions."""
    if not request.office.regional:
        raise Http404
    found = Transfer.objects.filter(federation=request.office)
    found = found.select_related("player__federation", "giving", "taking", "asked_by", "decided_by")
    found = found.prefetch_related(
        Prefetch("proof_files", proofs_for(request).defer("content"), to_attr="proofs")
    )
    if Permission.PLAYERS_TRANSFER in request.rights.everywhere:
        return found
    own = request.rights.regions(Permission.PLAYERS_TRANSFER)
    return found.filter(Q(giving__in=own) | Q(taking__in=own))


def proofs_for(request: OfficeRequest) -> QuerySet[ProofFile]:
    """The proofs that the person may open: an official all, a region those that it attached."""
    found = ProofFile.objects.filter(federation=request.office)
    if Permission.PLAYERS_CORRECT in request.rights.everywhere:
        return found
    return found.filter(region__in=request.rights.regions(Permission.PLAYERS_TRANSFER))


@permitted(Permission.PLAYERS_TRANSFER)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: OfficeRequest, number: str) -> HttpResponseBase:
    """Page to ask for a player's transfer: away from a region of one's own, or to one."""
    if not request.office.regional:
        raise Http404
    people = Player.objects.of(request.office).current().select_related("region", "federation")
    player = get_object_or_404(people, number=number)
    posted = request.method == "POST"
    form = TransferForm(
        request.POST if posted else None, request.FILES if posted else None, regions_to(request, player)
    )
    status = 400 if form.errors else 200
    if form.is_valid():
        day = today(request.office)
        try:
            asking = asking_region(request, player, form.cleaned_data["taking"])
            ask_transfer(player=player, by=request.user, on=day, region=asking, **form.cleaned_data)
        except Refused as refused:
            form.add_error(None, str(refused))
            status = 409
        else:
            messages.success(request, _("The transfer is asked for. The office decides on it."))
            return redirect("ratings:transfers", request.office.code)
    context = {"player": player, "form": form}
    return render(request, "ratings/office/ask_transfer.html", context, status=status)


def regions_to(request: OfficeRequest, player: Player) -> QuerySet[Region]:
    """The regions to which the person may ask that a player be moved."""
    others = request.office.regions.exclude(players=player)
    own = request.rights.regions(Permission.PLAYERS_TRANSFER)
    gives = player.region_id is not None and own.filter(players=player).exists()
    return others if gives else others.filter(pk__in=own)


def asking_region(request: OfficeRequest, player: Player, taking: Region) -> Region | None:
    """The person's own region of the two, for which a transfer is asked; None: an official asks."""
    if Permission.PLAYERS_TRANSFER in request.rights.everywhere:
        return None
    own = request.rights.regions(Permission.PLAYERS_TRANSFER)
    asking: Region | None = own.filter(pk__in=[taking.pk, player.region_id or 0]).order_by("pk").first()
    return asking


@permitted(Permission.PLAYERS_CORRECT)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def answer(request: OfficeRequest, key: int) -> HttpResponseBase:
    """Page on which an official grants or refuses a transfer."""
    transfer = get_object_or_404(mine(request), pk=key)
    day = today(request.office)
    form = TransferAnswerForm(request.POST if request.method == "POST" else None, initial={"starts": day})
    status = 400 if form.errors else 200
    if form.is_valid():
        given = form.cleaned_data
        try:
            if given["answer"] == "grant":
                terms = {"starts": given["starts"], "words": given["words"]}
                grant_transfer(transfer=transfer, by=request.user, on=day, **terms)
            else:
                refuse_transfer(transfer=transfer, by=request.user, on=day, words=given["words"])
        except Refused as refused:
            form.add_error(None, str(refused))
            status = 409
        else:
            messages.success(request, _("The transfer is decided."))
            return redirect("ratings:transfers", request.office.code)
    context = {"transfer": transfer, "form": form}
    return render(request, "ratings/office/answer_transfer.html", context, status=status)
