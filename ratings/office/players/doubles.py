"""The page of likely doubles in the register: each pair with its evidence, to compare or to tell apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.models import Federation
from players.office.settings_schema import today
from players.people.find_doubles import LikelyDouble, likely_doubles
from players.people.tell_apart import tell_apart
from players.register.models import Player
from ratings.public.players.player_pages import with_ratings
from tournaments.events.models import Entry, Section, Stage
from tournaments.identity.evidence_words import EVIDENCE

ON_A_PAGE = 20


class ApartForm(forms.Form):
    """The form that says that a pair is two persons."""

    player = forms.CharField(max_length=30, widget=forms.HiddenInput)
    other = forms.CharField(max_length=30, widget=forms.HiddenInput)
    reason = forms.CharField(
        label=gettext_lazy("How do you know that they are two persons?"),
        max_length=500,
        help_text=gettext_lazy("The record keeps your words."),
    )


@dataclass(frozen=True, slots=True)
class DoubleRow:
    """Two entries side by side, what speaks for one person, and the form to tell them apart."""

    people: tuple[Player, Player]
    evidence: list[str]
    form: ApartForm


@permitted(Permission.PLAYERS_CORRECT)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def doubles(request: OfficeRequest) -> HttpResponseBase:
    """Page of likely doubles, the likeliest first; a POST says that one pair is two persons."""
    asked = ApartForm(request.POST) if request.method == "POST" else None
    status = 200
    if asked is not None and asked.is_valid():
        register = Player.objects.of(request.office)
        player = get_object_or_404(register, number=asked.cleaned_data["player"])
        other = get_object_or_404(register, number=asked.cleaned_data["other"])
        reason, day = asked.cleaned_data["reason"], today(request.office)
        try:
            tell_apart(player=player, other=other, by=request.user, on=day, reason=reason)
        except Refused as refused:
            messages.error(request, str(refused))
            status = 409
        else:
            messages.success(request, _("They are two persons: this pair is not shown again."))
            return redirect("ratings:doubles", request.office.code)
    elif asked is not None:
        messages.error(request, _("Say how you know that they are two persons: the record keeps your words."))
        status = 400
    pairs = pairs_to_look_through(request.office)
    page = Paginator(pairs, ON_A_PAGE).get_page(request.GET.get("page"))
    rows = rows_of(request.office, list(page.object_list), today(request.office))
    if asked is not None and not _put_back(asked, rows) and (words := asked["reason"].value()):
        messages.warning(request, _("You had written: “%(words)s”") % {"words": words})
    context = {"page": page, "rows": rows}
    return render(request, "ratings/office/doubles.html", context, status=status)


def _put_back(asked: ApartForm, rows: list[DoubleRow]) -> bool:
    """Put what was typed about a pair into its row; return whether the page has that row."""
    for place, row in enumerate(rows):
        if {asked["player"].value(), asked["other"].value()} == {each.number for each in row.people}:
            asked.auto_id = row.form.auto_id
            asked.full_clean()  # names the errors by the row's ids
            rows[place] = replace(row, form=asked)
            return True
    return False


def pairs_to_look_through(office: Federation) -> list[LikelyDouble]:
    """The likely doubles that wait for an official, the likeliest first."""
    return _not_met(likely_doubles(office))


def _not_met(pairs: Sequence[LikelyDouble]) -> list[LikelyDouble]:
    """Leave out pairs who both stand in one section: they are two persons, and could not be merged."""
    keys = {key for pair in pairs for key in (pair.one, pair.other)}
    played: defaultdict[int, set[int]] = defaultdict(set)
    entries = Entry.objects.filter(player__in=keys).exclude(section__stage=Stage.REFUSED).order_by()
    for player, section in entries.values_list("player_id", "section_id"):
        if player is not None:
            played[player].add(section)
    return [pair for pair in pairs if not played[pair.one] & played[pair.other]]


def rows_of(office: Federation, pairs: Sequence[LikelyDouble], day: Any) -> list[DoubleRow]:
    """The rows of a page of pairs: each player with ratings, region and last event."""
    keys = {key for pair in pairs for key in (pair.one, pair.other)}
    people = Player.objects.select_related("region", "federation").in_bulk(keys)
    with_ratings(office, list(people.values()), day)
    last = last_sections(keys)
    for key, player in people.items():
        player.last_section = last.get(key)  # type: ignore[attr-defined]
    return [
        DoubleRow(
            (people[pair.one], people[pair.other]),
            [str(EVIDENCE[key]) for key in pair.evidence],
            ApartForm(
                initial={"player": people[pair.one].number, "other": people[pair.other].number},
                auto_id=f"pair-{pair.one}-{pair.other}-%s",
            ),
        )
        for pair in pairs
    ]


def last_sections(players: Collection[int]) -> dict[int, Section]:
    """The newest section of each of these players, by the player's key."""
    entries = Entry.objects.filter(player__in=players).select_related("section__event__federation")
    found: dict[int, Section] = {}
    for entry in entries.order_by("section__ends", "pk"):
        if entry.player_id is not None:
            found[entry.player_id] = entry.section
    return found
