"""The page to part a wrong merge: an official sees a preview and parts the two entries again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.settings_schema import today
from players.people.merging import refuse_parting
from players.register.models import Player
from ratings.decisions.merging import part_players
from ratings.decisions.sections_since_merge import entries_since_merge
from ratings.office.common.decision_forms import words_field
from ratings.office.common.outlook_form import OutlookForm
from ratings.office.merging.draw_outlook import is_current, locked_mark_of, mark_of, outlook_of
from ratings.office.merging.outlook_pages import outlook_context, outlook_page
from tournaments.events.models import Entry, Stage

GIVEN = "section-"
"""The beginning of the names of fields that give a section to one of the two."""


class PartForm(OutlookForm):
    """The form that parts two entries, with a question for each section that was filed or rated since."""

    reason = words_field(
        gettext_lazy("How do you know that they are two people?"),
        gettext_lazy("The record keeps your words."),
    )
    after_list = forms.BooleanField(required=False)

    def __init__(
        self, data: Any, player: Player, entries: Sequence[Entry], *, mark: str, drawn: bool
    ) -> None:
        super().__init__(data, mark=mark, drawn=drawn)
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
    into = player.merged_into
    assert into is not None
    entries = entries_since_merge(player)
    mark, outlook = mark_of(player, into, today(request.office)), outlook_of(player, into)
    asked = request.POST if request.method == "POST" else None
    form = PartForm(asked, player, entries, mark=mark, drawn=is_current(outlook, mark))
    try:
        if form.is_valid():
            with transaction.atomic():
                holds = locked_mark_of(player, into, today(request.office)) == mark
                refuse_parting(player)
                if holds:
                    part_players(
                        player=player,
                        by=request.user,
                        on=today(request.office),
                        reason=form.cleaned_data["reason"],
                        given=form.given,
                        after_list=form.cleaned_data.get("after_list", False),
                    )
            if not holds:  # what was shown changed in this moment: the page comes back with what is now
                return part(request, office=request.office.code, number=number)
            words = _("%(player)s is a separate entry again. The effects on ratings are being computed.")
            messages.success(request, words % {"player": player.number})
            return redirect(player)
    except Refused as refused:
        form.add_error(None, str(refused))
    context = {"player": player, "into": into, "form": form, "since": entries}
    context |= outlook_context(player, into, outlook, mark) | _place(player, into)
    return render(request, "ratings/office/part.html", context, status=form.status)


def _place(player: Player, into: Player) -> dict[str, str]:
    """The address of an outlook on parting, the template that tells of it, the button that comes with it."""
    return {
        "here": reverse("ratings:part_preview", args=[player.federation.code, player.number]),
        "effects": "ratings/office/_parting.html",
        "button": _("Separate the two entries"),
        "cancel_url": into.get_absolute_url(),
    }


@permitted(Permission.PLAYERS_MERGE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def part_preview(request: OfficeRequest, number: str) -> HttpResponseBase:
    """The ratings and sections that parting would change: a page of its own, or for htmx the part that the
    decision's page takes in. A POST has the worker draw it up; until then it tells how far that is.
    """
    people = Player.objects.of(request.office).select_related("federation", "merged_into__federation")
    player = get_object_or_404(people, number=number)
    try:
        refuse_parting(player)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect(player)
    into = player.merged_into
    assert into is not None
    return outlook_page(request, player, into, _place(player, into), page="ratings/office/parting.html")
