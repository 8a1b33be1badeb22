"""The page of a handover: what is open with a person, and who follows."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _, gettext_lazy

from players import access
from players.models import Appointment, AppointmentQuerySet
from players.pages.forms import attempt
from players.settings import today
from ratings.handovers import carry_out_handover, get_possible_successors, list_open_things


class HandoverForm(forms.Form):
    successor = forms.ModelChoiceField(
        Appointment.objects.none(), label=gettext_lazy("Who follows?"), widget=forms.RadioSelect
    )

    def __init__(self, data: Any, successors: AppointmentQuerySet) -> None:
        super().__init__(data)
        self.fields["successor"].queryset = successors  # type: ignore[attr-defined]


@access.page(access.SIGNED_IN, methods=access.FORM)
def handover(request: access.OfficeRequest, key: int) -> HttpResponseBase:
    """Page of what is open with the holder of an appointment, to hand it over to somebody who holds the same:
    for administrators, and for the person.
    """
    appointment = get_object_or_404(request.office.appointments.select_related("user", "region"), pk=key)
    administers = access.Permission.APPOINTMENTS_MANAGE in request.rights
    if not administers and not (request.rights.any and appointment.user_id == request.user.pk):
        raise PermissionDenied(_("Your appointments in this office do not allow this."))
    if (response := access.require_reauthentication(request)) is not None:
        return response
    day = today(request.office)
    successors = get_possible_successors(appointment, day)
    form = HandoverForm(request.POST if request.method == "POST" else None, successors)
    handed_over = attempt(
        request,
        form,
        carry_out_handover,
        answers=lambda typed: {"to": typed["successor"]},
        appointment=appointment,
    )
    if handed_over.done:
        words = _("What was open is with %(person)s now.")
        messages.success(request, words % {"person": form.cleaned_data["successor"].known_as})
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
    return render(request, "ratings/office/handover.html", context, status=handed_over.status)
