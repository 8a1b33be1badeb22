"""The page of a handover: what is open with a person, and who follows."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.access import OfficeRequest, Permission, require_reauthentication, signed_in
from players.models import Appointment, AppointmentQuerySet
from players.record import Refused
from players.settings import today
from ratings.handovers import carry_out_handover, get_possible_successors, list_open_things


class HandoverForm(forms.Form):
    successor = forms.ModelChoiceField(
        Appointment.objects.none(), label=gettext_lazy("Who follows?"), widget=forms.RadioSelect
    )

    def __init__(self, data: Any, successors: AppointmentQuerySet) -> None:
        super().__init__(data)
        self.fields["successor"].queryset = successors  # type: ignore[attr-defined]


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def handover(request: OfficeRequest, key: int) -> HttpResponseBase:
    """Page of what is open with the holder of an appointment, to hand it over to somebody who holds the same:
    for administrators, and for the person.
    """
    appointment = get_object_or_404(request.office.appointments.select_related("user", "region"), pk=key)
    administers = Permission.APPOINTMENTS_MANAGE in request.rights
    if not administers and not (request.rights.any and appointment.user_id == request.user.pk):
        raise PermissionDenied(_("Your appointments in this office do not allow this."))
    if (response := require_reauthentication(request)) is not None:
        return response
    day = today(request.office)
    successors = get_possible_successors(appointment, day)
    form = HandoverForm(request.POST if request.method == "POST" else None, successors)
    status = 400 if form.errors else 200
    if form.is_valid():
        to = form.cleaned_data["successor"]
        try:
            carry_out_handover(appointment=appointment, to=to, by=request.user, on=day)
        except Refused as refused:
            form.add_error(None, str(refused))
            status = 409
        else:
            words = _("What was open is with %(person)s now.")
            messages.success(request, words % {"person": to.known_as})
            if administers:
                return redirect("players:people", office=request.office.code)
            return redirect("own_page")
    open_now = list_open_things(appointment, day)
    context = {
        "appointment": appointment,
        "administers": administers,
        "form": form if successors else None,
        "moving": [each for each in open_now if each.moves],
        "staying": [each for each in open_now if not each.moves],
    }
    return render(request, "ratings/office/handover.html", context, status=status)
