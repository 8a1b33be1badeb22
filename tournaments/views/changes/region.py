"""Page to move an event to another region, for whoever acts in both."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.settings_schema import today
from ratings.journal.models import Fact
from tournaments.events.models import Event
from tournaments.filing.changes.move_region import move_to_region
from tournaments.forms.change_forms import MoveRegionForm, other_regions
from tournaments.forms.overtaken_answers import come_back
from tournaments.views.filing_steps import own_event


@permitted(Permission.EVENTS_EDIT)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def moving(request: OfficeRequest, number: str) -> HttpResponse:
    """Page that asks to which region an event moves; 404 for whoever acts in no other, or where there is
    none.
    """
    found = own_event(request, number, Permission.EVENTS_EDIT)
    regions = other_regions(request.rights, found)
    if not regions:
        raise Http404
    form = MoveRegionForm(request.POST or None, event=found, regions=regions)
    status = 400 if request.method == "POST" else 200
    if request.method == "POST" and form.is_valid():
        try:
            _move(request, found, form)
        except Refused as refused:
            found = own_event(request, number, Permission.EVENTS_EDIT)
            make = partial(MoveRegionForm, event=found, regions=regions)
            form = come_back(make, request.POST, found, refused)
            status = 409
        else:
            words = _("%(event)s now belongs to %(region)s.")
            messages.success(request, words % {"event": found, "region": form.cleaned_data["region"]})
            return redirect("tournaments:event", request.office.code, found.number)
    context = {
        "event": found,
        "question": _("Move %(name)s to another region?") % {"name": found},
        "words": _(
            "For an event of the wrong region. From then on the other region alone files it; administrators "
            "of both get a letter, and the event's page says why."
        ),
        "button": _("Move it"),
        "reason_form": form,
        "facts": [(_("Region"), str(found.region))],
    }
    return render(request, "tournaments/change.html", context, status=status)


def _move(request: OfficeRequest, event: Event, form: MoveRegionForm) -> None:
    move_to_region(
        rights=request.rights,
        event=event,
        by=request.user,
        on=today(request.office),
        in_journal=Fact.objects.filter(federation=request.office, kind="player").values("subject"),
        **form.cleaned_data,
    )
