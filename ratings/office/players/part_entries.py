"""The page to part a wrong merge: an official sees a preview and parts the two entries again."""

from __future__ import annotations

from collections.abc import Sequence
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
from players.people.merging import refuse_parting
from players.register.models import Player
from ratings.decisions.merging import part_players
from ratings.decisions.sections_since_merge import entries_since_merge
from ratings.office.common.decision_forms import words_field
from ratings.office.sections.further_effects_preview import rerate_row, unstated_in
from ratings.preview.merging import preview_parting
from ratings.recompute.progress_words import state_of
from tournaments.events.models import Entry, Stage

GIVEN = "section-"
"""The beginning of the names of fields that give a section to one of the two."""


class PartForm(forms.Form):
    """The form that parts two entries, with a question for each section that was filed or rated since."""

    reason = words_field(
        gettext_lazy("How do you know that they are two people?"),
        gettext_lazy("The record keeps your words."),
    )
    after_list = forms.BooleanField(required=False)

    def __init__(self, data: Any, player: Player, entries: Sequence[Entry]) -> None:
        super().__init__(data)
        stays = player.merged_into.number if player.merged_into else ""
        whose = [("stays", stays), ("player", player.number)]
        questions = {
            f"{GIVEN}{entry.section_id}": forms.ChoiceField(
                label=_("Whose is %(section)s (%(stage)s)?")
                % {"section": entry.section, "stage": entry.section.get_stage_display()},
                choices=whose,
                widget=forms.RadioSelect,
            )
            for entry in entries
        }
        self.fields = {**questions, **self.fields}
        confirm = player.federation.equipment.office.powers.unrating.listed_words
        if confirm and any(entry.section.stage == Stage.RATED for entry in entries):
            self.fields["after_list"].label = _(confirm)
            self.fields["after_list"].help_text = _("Only where you give away a section of a published list.")
        else:
            del self.fields["after_list"]

    @property
    def given(self) -> set[int]:
        """The keys of sections that are given to the entry that is parted."""
        told = self.cleaned_data.items()
        return {int(name.removeprefix(GIVEN)) for name, whose in told if whose == "player"}


@permitted(Permission.PLAYERS_MERGE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def part(request: OfficeRequest, number: str) -> HttpResponseBase:
    """Page to part two merged entries: GET lists what was filed since and loads a preview, POST parts them.
    `number` is that of the entry that had been merged into the other.
    """
    people = Player.objects.of(request.office).select_related(
        "region", "federation", "merged_into__federation"
    )
    player = get_object_or_404(people, number=number)
    try:
        refuse_parting(player)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect(player)
    entries = entries_since_merge(player)
    form = PartForm(request.POST if request.method == "POST" else None, player, entries)
    status = 400 if form.errors else 200
    try:
        if form.is_valid():
            part_players(
                player=player,
                by=request.user,
                on=today(request.office),
                reason=form.cleaned_data["reason"],
                given=form.given,
                after_list=form.cleaned_data.get("after_list", False),
            )
            words = _("%(player)s is a separate entry again. The effects on ratings are being computed.")
            messages.success(request, words % {"player": player.number})
            return redirect(player)
    except Refused as refused:
        form.add_error(None, str(refused))
        status = 409
    ledger = Ledger.objects.get(federation=request.office)
    context = {
        "player": player,
        "into": player.merged_into,
        "form": form,
        "since": entries,
        "pending": state_of(request.office, ledger) if ledger.pending else None,
    }
    return render(request, "ratings/office/part.html", context, status=status)


@permitted(Permission.PLAYERS_MERGE)
@never_cache
@require_safe
def part_preview(request: OfficeRequest, number: str) -> HttpResponseBase:
    """The ratings and sections that parting would change: a page of its own, or for htmx the part that the
    decision's page takes in.
    """
    people = Player.objects.of(request.office).select_related("federation", "merged_into__federation")
    player = get_object_or_404(people, number=number)
    try:
        refuse_parting(player)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect(player)
    if Ledger.objects.get(federation=request.office).pending:
        return redirect("ratings:part", request.office.code, number)
    part = request.headers.get("HX-Request") == "true"
    template = "ratings/office/_parting.html" if part else "ratings/office/parting.html"
    found = preview_parting(player)
    context = {
        "player": player,
        "into": player.merged_into,
        "seen": found.seen,
        "sections": found.sections,
        "rerated": [rerate_row(request.office, each) for each in found.seen.rerated if each.fact.section],
        "unstated": unstated_in(request.office, found.seen),
    }
    return render(request, template, context)
