"""The page of a handover: what is open with a person, who follows, and until when the person is in office."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.access import OfficeRequest, Permission, require_reauthentication, signed_in
from players.appointments import Invitation, find_name_by_email
from players.models import Appointment, AppointmentQuerySet, Handover
from players.pages.administration import DAY
from players.record import Refused
from players.settings import today
from ratings.handovers import Successor, list_open_things, plan_handover

NEW_PERSON = "new"


class HandoverForm(forms.Form):
    """The form of a handover; only an administrator appoints somebody new and sets days."""

    successor = forms.ChoiceField(label=gettext_lazy("Who follows?"), widget=forms.RadioSelect)
    email = forms.EmailField(
        label=gettext_lazy("E-mail address of somebody new"),
        max_length=254,
        required=False,
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    name = forms.CharField(
        label=gettext_lazy("Name of somebody new"),
        max_length=100,
        required=False,
        help_text=gettext_lazy("The pages of this office show this name."),
    )
    ends = forms.DateField(
        label=gettext_lazy("Last day"),
        required=False,
        widget=DAY,
        help_text=gettext_lazy(
            "Somebody new begins on the day after it. Yesterday: the appointment ends at once. Empty: it "
            "stays as it is."
        ),
    )
    seen = forms.DateField(required=False, widget=forms.HiddenInput)

    def __init__(
        self, data: Any, appointment: Appointment, others: AppointmentQuerySet, *, administers: bool
    ) -> None:
        super().__init__(data, initial={"ends": appointment.ends, "seen": appointment.ends})
        self.others = {str(each.pk): each for each in others}
        choices = [(key, _label(each)) for key, each in self.others.items()]
        if administers:
            choices.append((NEW_PERSON, _("somebody new, by the address below")))
        else:
            del self.fields["email"], self.fields["name"], self.fields["ends"]
        self.fields["successor"].choices = choices  # type: ignore[attr-defined]
        if administers and not self.others:
            for name in ("email", "name", "ends"):
                self.fields[name].wanted = True  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("successor") == NEW_PERSON and not given.get("email") and "email" not in self.errors:
            self.add_error("email", _("Give the address of whoever follows."))
        return given

    def terms(self, invitation: Invitation) -> dict[str, Any]:
        """Return the arguments of `plan_handover`; `invitation`: for somebody new."""
        given = self.cleaned_data
        if given["successor"] == NEW_PERSON:
            successor = Successor(email=given["email"], name=given["name"], invitation=invitation)
        else:
            successor = Successor(self.others[given["successor"]])
        return {"successor": successor, "ends": given.get("ends"), "seen": given["seen"]}


def _label(appointment: Appointment) -> str:
    words = {"person": appointment.known_as, "from": date_format(appointment.starts, "DATE_FORMAT")}
    if appointment.ends is None:
        return _("%(person)s, from %(from)s") % words
    words["to"] = date_format(appointment.ends, "DATE_FORMAT")
    return _("%(person)s, from %(from)s to %(to)s") % words


@signed_in
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def handover(request: OfficeRequest, key: int) -> HttpResponseBase:
    """Page of what is open with the holder of an appointment, to hand it over: for administrators, and for
    the person, who can choose among people already appointed.
    """
    appointment = get_object_or_404(request.office.appointments.select_related("user", "region"), pk=key)
    administers = Permission.APPOINTMENTS_MANAGE in request.rights
    if not administers and not (request.rights.any and appointment.user_id == request.user.pk):
        raise PermissionDenied(_("Your appointments in this office do not allow this."))
    if (response := require_reauthentication(request)) is not None:
        return response
    day = today(request.office)
    same = request.office.appointments.filter(role=appointment.role, region=appointment.region)
    others = same.ending_after(day).exclude(user=appointment.user).select_related("user").order_by("starts")
    posted = request.POST if request.method == "POST" else None
    form = HandoverForm(posted, appointment, others, administers=administers)
    status = 400 if form.errors else 200
    if form.is_valid():
        invitation = Invitation(request.build_absolute_uri("/").rstrip("/"), timezone.now())
        found = find_name_by_email(request.office, form.cleaned_data.get("email") or "")
        try:
            terms = form.terms(invitation)
            planned = plan_handover(appointment=appointment, by=request.user, on=day, **terms)
        except Refused as refused:
            form.add_error(None, str(refused))
            status = 409
        else:
            if terms["successor"].email and found:
                notice = _("The address is that of %(person)s, who has an account here: the name stays.")
                messages.info(request, notice % {"person": found})
            planned.refresh_from_db()
            words = {"person": planned.to.known_as, "day": date_format(planned.to.starts, "DATE_FORMAT")}
            if planned.done_on:
                messages.success(request, _("What was open is with %(person)s now.") % words)
            else:
                messages.success(request, _("What is open goes over to %(person)s on %(day)s.") % words)
            if Permission.APPOINTMENTS_MANAGE in request.rights:
                return redirect("players:people", office=request.office.code)
            return redirect("own_page")
    open_now = list_open_things(appointment, day)
    context = {
        "appointment": appointment,
        "administers": administers,
        "form": form if administers or others else None,
        "moving": [each for each in open_now if each.moves],
        "staying": [each for each in open_now if not each.moves],
        "planned": Handover.objects.filter(appointment=appointment, done_on=None).first(),
    }
    return render(request, "ratings/office/handover.html", context, status=status)
