"""The page on which an official corrects one player: a form, the changes with their effects, the deed."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.settings_schema import today
from players.people.particulars import Changes, changes_between, particulars_of
from players.register.models import Player
from ratings import decisions
from ratings.office.players.correction_form import CorrectionForm, ProofForm
from ratings.office.players.entry_history import first_section, history_of, worded_changes
from ratings.office.sections.further_effects_preview import rerate_row
from ratings.preview.correction import preview_correction

TEMPLATE = "ratings/office/correct_player.html"


@permitted(Permission.PLAYERS_CORRECT)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def correct(request: OfficeRequest, number: str) -> HttpResponseBase:
    """Page to correct a player: a form; then what changes and what would be rated again; then it is done."""
    people = Player.objects.of(request.office).select_related("region", "federation", "merged_into")
    player = get_object_or_404(people, number=number)
    if player.merged_into:
        messages.info(request, _("%(number)s was merged into this entry.") % {"number": number})
        return redirect("ratings:correct", request.office.code, player.merged_into.number)
    posted = request.method == "POST" and "again" not in request.POST
    form = CorrectionForm(request.POST if request.method == "POST" else None, player, today(request.office))
    if not posted or not form.is_valid():
        return _page(request, player, form, status=400 if posted else 200)
    changes = planned_changes(player, form)
    if not changes:
        form.add_error(None, _("Nothing in this form differs from the register."))
        return _page(request, player, form, status=400)
    if "confirm" not in request.POST:
        return _page(request, player, form, changes=changes)
    proof = ProofForm(request.POST, request.FILES)
    if not proof.is_valid():
        return _page(request, player, form, changes=changes, proof=proof, status=400)
    try:
        decisions.correct_player(
            player=player,
            by=request.user,
            on=today(request.office),
            proof_file=proof.cleaned_data["file"],
            **form.particulars(),
        )
    except Refused as refused:
        form.add_error(None, str(refused))
        return _page(request, player, form, status=409)
    messages.success(request, _("The entry is corrected. The record keeps what changed and why."))
    return redirect("ratings:correct", request.office.code, player.number)


def planned_changes(player: Player, form: CorrectionForm) -> Changes:
    """The changes that a valid form would make, by particular: before and after."""
    given, before = form.cleaned_data, particulars_of(player)
    after = dict(before)
    for name in before.keys() & given.keys():
        value = given[name]
        after[name] = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value or "")
    if "region" in given:
        after["region"] = given["region"].code if given["region"] else ""
    for kind, value in form.particulars()["ids"].items():
        after[f"id {kind}"] = value
    return changes_between(before, after)


def _page(
    request: OfficeRequest,
    player: Player,
    form: CorrectionForm,
    *,
    changes: Changes | None = None,
    proof: ProofForm | None = None,
    status: int = 200,
) -> HttpResponseBase:
    """The page with the form, or, where `changes` are given, with these and their effects to be confirmed;
    `proof`: the form for a file, as it was sent.
    """
    context: dict[str, Any] = {
        "player": player,
        "form": form,
        "former": player.former_names.all(),
        "history": history_of(player),
        "came_with": first_section(player),
    }
    if changes:
        context["proof"] = proof or ProofForm()
        context["withholds"] = changes.get("withheld", ("", ""))[1] == "yes"
        context["renames"] = bool(changes.keys() & {"surname", "first_name"})
        context |= {"changes": worded_changes(player.federation, changes)} | _effects(request, player, form)
    return render(request, TEMPLATE, context, status=status)


def _effects(request: OfficeRequest, player: Player, form: CorrectionForm) -> dict[str, Any]:
    """The context of the preview of what the correction would move; nothing is saved."""
    given = form.cleaned_data
    changed = Player.objects.select_related("region", "federation").get(pk=player.pk)
    for name in given.keys() & {field.name for field in Player._meta.fields}:
        setattr(changed, name, given[name])
    if (changed.surname, changed.first_name) != (player.surname, player.first_name):
        changed.name_seal = ""
    changed.born = int(given["birth"][:4]) if given["birth"] else None
    found = preview_correction(changed)
    return {
        "waiting": found.waiting,
        "seen": found.seen,
        "rerated": [rerate_row(request.office, each) for each in found.seen.rerated if each.fact.section],
        "namesakes": _namesakes(player, changed),
    }


def _namesakes(player: Player, changed: Player) -> list[Player]:
    """Others of the very name and birth that the entry would have: perhaps the same person."""
    others = Player.objects.of(player.federation).current().exclude(pk=player.pk).select_related("region")
    same = others.filter(surname=changed.surname, first_name=changed.first_name)
    return list(same.filter(born=changed.born)[:5]) if changed.surname else []
