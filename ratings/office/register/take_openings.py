"""Page to upload the list with whose ratings an office begins."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from players.importing.openings import LONGEST_SOURCE, OpeningTerms, refuse_begun
from players.importing.services import MOST_BYTES, receive_register
from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.models import Federation
from players.office.settings_schema import today
from players.pages.administration_forms import DAY
from players.pages.htmx_error_status import error_status
from players.pages.sent_once import mark_of
from ratings.office.register.import_forms import TableForm


class OpeningsForm(TableForm):
    """The form for a list whose ratings are taken over: which rating, of which day, from where."""

    track = forms.ChoiceField(label=gettext_lazy("Rating"))
    on = forms.DateField(
        label=gettext_lazy("The list’s day"),
        widget=DAY,
        help_text=gettext_lazy("The day before the record of this office starts, or an earlier one."),
    )
    source = forms.CharField(
        label=gettext_lazy("The list"),
        max_length=LONGEST_SOURCE,
        help_text=gettext_lazy(
            "In a few words, such as “list of June 2026”. Everybody reads them beside each of its ratings."
        ),
    )
    field_order = ("file", "track", "on", "source", "takes_numbers")

    def __init__(self, *args: Any, office: Federation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        track = self.fields["track"]
        assert isinstance(track, forms.ChoiceField)
        track.choices = [(each.code, _(each.name)) for each in office.ruleset.tracks]

    def terms(self) -> OpeningTerms:
        """The list that the person named."""
        on: date = self.cleaned_data["on"]
        return OpeningTerms(self.cleaned_data["track"], on.isoformat(), self.cleaned_data["source"])


@permitted(Permission.PLAYERS_IMPORT)
@never_cache
def openings(request: OfficeRequest) -> HttpResponse:
    """Take the list in (POST), or show its form and why the office cannot take one."""
    if request.method != "POST":
        return _page(request, OpeningsForm(office=request.office, initial={"takes_numbers": True}))
    form = OpeningsForm(request.POST, request.FILES, office=request.office)
    if not form.is_valid():
        return _page(request, form, status=error_status(request, 400))
    given = form.cleaned_data["file"]
    try:
        received = receive_register(
            federation=request.office,
            by=request.user,
            at=timezone.now(),
            on=today(request.office),
            name=given.name,
            data=given.read(MOST_BYTES + 1),
            takes_numbers=form.cleaned_data["takes_numbers"],
            opening=form.terms(),
            mark=mark_of(request),
        )
    except Refused as refused:
        form.add_error(None, str(refused))
        return _page(request, form, status=error_status(request, 409))
    return redirect("ratings:register_import", request.office.code, received.pk)


def _page(request: OfficeRequest, form: OpeningsForm, status: int = 200) -> HttpResponse:
    context = {"form": form, "impossible": impossible(request.office)}
    return render(request, "ratings/office/openings.html", context, status=status)


def impossible(office: Federation) -> str:
    """The reason why an office cannot take over ratings; empty: it can."""
    try:
        refuse_begun(office)
    except Refused as refused:
        return str(refused)
    return ""
