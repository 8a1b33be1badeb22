"""The administrators' pages: people, settings and regions; and the office's record."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from players.office.access import ROLES, OfficeRequest, Permission, permitted
from players.office.administration import add_region, appoint, change_settings, end_appointment, rename_region
from players.office.invitations import invite
from players.office.models import Appointment, Decision
from players.office.office_settings import settings_of, today
from players.office.record import Refused
from players.pages.administration_forms import AppointForm, NewRegionForm, RegionForm, SettingsForm
from players.pages.paging import paged
from players.pages.people_and_record_tables import AppointmentsTable, CurrentAppointmentsTable, RecordTable
from players.pages.record_filters import RecordFilter

PAST = 50
"""The number of ended appointments that are shown."""


@permitted(Permission.APPOINTMENTS_MANAGE)
@never_cache
@require_safe
def people(request: OfficeRequest) -> HttpResponse:
    held = request.office.appointments.select_related("user", "region").order_by("role", "region", "name")
    day = today(request.office)
    context = {
        "table": CurrentAppointmentsTable(held.ending_after(day)),
        "past": AppointmentsTable(held.ended_before(day).order_by("-ends")[:PAST]),
    }
    return render(request, "players/people.html", context)


@permitted(Permission.APPOINTMENTS_MANAGE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def people_appoint(request: OfficeRequest) -> HttpResponse:
    day = today(request.office)
    form = AppointForm(request.POST or None, office=request.office, initial={"starts": day})
    context = {"form": form, "roles": ROLES.values()}
    if not form.is_valid():
        return render(request, "players/appoint.html", context, status=400 if form.errors else 200)
    try:
        appointment = appoint(federation=request.office, by=request.user, on=day, **form.cleaned_data)
    except Refused as refused:
        form.add_error(None, str(refused))
        return render(request, "players/appoint.html", context, status=409)
    _write_to(request, appointment)
    return redirect("players:people", office=request.office.code)


@permitted(Permission.APPOINTMENTS_MANAGE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def people_end(request: OfficeRequest, key: int) -> HttpResponse:
    appointment = get_object_or_404(request.office.appointments.select_related("user", "region"), pk=key)
    refused = ""
    if request.method == "POST":
        try:
            end_appointment(appointment=appointment, by=request.user, on=today(request.office))
        except Refused as refusal:
            refused = str(refusal)
        else:
            words = _("The appointment of %(person)s has ended: they may do no more under it.")
            messages.success(request, words % {"person": appointment.known_as})
            return redirect("players:people", office=request.office.code)
    context = {"appointment": appointment, "refused": refused, "particulars": _facts(appointment)}
    return render(request, "players/end.html", context, status=409 if refused else 200)


@permitted(Permission.OFFICE_SETTINGS)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: OfficeRequest) -> HttpResponse:
    kept = asdict(settings_of(request.office))
    form = SettingsForm(request.POST or None, initial=kept, ruleset=request.office.ruleset)
    status = 200
    if request.method == "POST":
        status = 400
        if form.is_valid():
            try:
                change_settings(
                    federation=request.office,
                    settings=form.settings(),
                    by=request.user,
                    on=today(request.office),
                )
            except Refused as refused:
                form.add_error(None, str(refused))
                status = 409
            else:
                messages.success(request, _("The settings are saved."))
                return redirect("players:settings", office=request.office.code)
    context = {"form": form, "regions": _regions(request)}
    return render(request, "players/settings.html", context, status=status)


@permitted(Permission.OFFICE_SETTINGS)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def region_add(request: OfficeRequest) -> HttpResponse:
    form = NewRegionForm(request.POST or None)
    if form.is_valid():
        try:
            add_region(
                federation=request.office, by=request.user, on=today(request.office), **form.cleaned_data
            )
        except Refused as refused:
            form.add_error(None, str(refused))
        else:
            return redirect("players:settings", office=request.office.code)
    return render(request, "players/region.html", {"form": form}, status=400 if form.errors else 200)


@permitted(Permission.OFFICE_SETTINGS)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def region_rename(request: OfficeRequest, code: str) -> HttpResponse:
    region = get_object_or_404(request.office.regions, code=code)
    form = RegionForm(request.POST or None, initial={"name": region.name})
    if form.is_valid():
        try:
            rename_region(
                region=region, by=request.user, on=today(request.office), name=form.cleaned_data["name"]
            )
        except Refused as refused:
            form.add_error(None, str(refused))
        else:
            return redirect("players:settings", office=request.office.code)
    context = {"form": form, "region": region}
    return render(request, "players/region.html", context, status=400 if form.errors else 200)


@permitted(Permission.RECORD_READ)
@never_cache
@require_safe
def record(request: OfficeRequest) -> HttpResponse:
    decisions = (
        Decision.objects.filter(federation=request.office).select_related("by").prefetch_related("words")
    )
    chosen = RecordFilter(request.GET, queryset=decisions, office=request.office)
    table = paged(RecordTable(chosen.qs, office=request.office), request)
    return render(request, "players/record.html", {"table": table, "form": chosen.form})


# ---------------------------------------------------------------- helpers


def _write_to(request: OfficeRequest, appointment: Appointment) -> None:
    words = {"person": appointment.known_as, "email": appointment.user.email}
    try:
        invite(appointment, request.build_absolute_uri("/").rstrip("/"))
    except OSError:
        text = _(
            "%(person)s is appointed, but the e-mail to %(email)s could not be sent. "
            "Ask them to go to the sign-in page and choose “Forgotten your password?”."
        )
        messages.warning(request, text % words)
    else:
        messages.success(request, _("%(person)s is appointed; an e-mail was sent to %(email)s.") % words)


def _facts(appointment: Appointment) -> list[tuple[str, Any, str]]:
    return [
        (_("Person"), f"{appointment.known_as} ({appointment.user.email})", ""),
        (_("Role"), appointment.get_role_display(), ""),
        (_("Region"), appointment.region, ""),
        (_("Since"), date_format(appointment.starts, "j F Y"), ""),
    ]


def _regions(request: OfficeRequest) -> list[tuple[str, str, str]]:
    """Code, name and the address of the renaming page, for each region."""
    code = request.office.code
    return [
        (region.code, region.name, reverse("players:region_rename", args=[code, region.code]))
        for region in request.office.regions.all()
    ]
