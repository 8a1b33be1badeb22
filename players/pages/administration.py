"""The administrators' pages, with their forms: people, settings and regions."""

from dataclasses import asdict
from datetime import date
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _, gettext_lazy, pgettext_lazy

from players import appointments
from players.access import FORM, ROLES, OfficeRequest, Permission, page, region_problem
from players.files import office_room_use, region_room_use
from players.models import Appointment, Federation, Region
from players.pages.forms import attempt
from players.pages.record import AppointmentsTable, CurrentAppointmentsTable
from players.settings import Settings, SettingTerms, get_settings, parse_settings, setting_terms, today
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import Ruleset

# ---- Forms
DAY = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")


class AppointForm(forms.Form):
    email = forms.EmailField(
        label=gettext_lazy("E-mail address"),
        max_length=254,
        help_text=gettext_lazy(
            "A person without an account gets one, and an e-mail with a link to choose a password."
        ),
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    name = forms.CharField(
        label=pgettext_lazy("of a person", "Name"),
        max_length=100,
        help_text=gettext_lazy("The pages of this office show this name."),
    )
    role = forms.ChoiceField(
        label=gettext_lazy("Role"),
        choices=lambda: [(role, terms.label) for role, terms in ROLES.items()],
        widget=forms.RadioSelect,
    )
    region = forms.ModelChoiceField(
        Region.objects.none(),
        label=gettext_lazy("Region"),
        required=False,
        empty_label=gettext_lazy("none: for the whole federation"),
        help_text=gettext_lazy("Only for a role in one region."),
    )
    starts = forms.DateField(label=gettext_lazy("First day"), widget=DAY)
    ends = forms.DateField(
        label=gettext_lazy("Last day"),
        required=False,
        widget=DAY,
        help_text=gettext_lazy("Empty: until somebody ends it."),
    )

    instead = forms.BooleanField(
        label=gettext_lazy("End the appointment of the region’s administrator the day before"),
        required=False,
    )

    def __init__(self, *args: Any, office: Federation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if clause := office.equipment.office.powers.one_regional_administrator:
            words = gettext_lazy("The regulations want one administrator for each region (§%(clause)s).")
            self.fields["instead"].help_text = words % {"clause": clause}
        else:
            del self.fields["instead"]
        region = self.fields["region"]
        assert isinstance(region, forms.ModelChoiceField)
        region.queryset = office.regions.all()

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("role") and "region" in data and (wrong := region_problem(data["role"], data["region"])):
            self.add_error("region", wrong)
        if data.get("starts") and data.get("ends") and data["ends"] < data["starts"]:
            self.add_error("ends", gettext_lazy("The last day lies before the first."))
        return data


class LastDayForm(forms.Form):
    """The form for another last day of an appointment; `seen`: the one that the page showed."""

    ends = forms.DateField(
        label=gettext_lazy("Last day"),
        required=False,
        widget=DAY,
        help_text=gettext_lazy("Empty: until somebody ends it."),
    )
    seen = forms.DateField(required=False, widget=forms.HiddenInput)


class WholeNumberField(forms.IntegerField):
    """An optional whole number; 0 stands for the default and is shown as an empty field."""

    def prepare_value(self, value: Any) -> Any:
        return value or None


class SettingsForm(forms.Form):
    """A field for each setting that the federation has; `seen`: a digest of the settings when opened."""

    seen = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, *args: Any, ruleset: Ruleset, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        enacted = equipment_of(ruleset).publication.enacted
        for name, terms in setting_terms().items():
            if not terms.only_with_clauses or (enacted and enacted.settings.get(name)):
                self.fields[name] = _field(terms)

    def settings(self) -> Settings:
        # `parse_settings` ignores the names of other fields.
        return parse_settings(
            {
                name: value.isoformat() if isinstance(value, date) else value
                for name, value in self.cleaned_data.items()
                if value is not None
            }
        )


def _field(terms: SettingTerms) -> forms.Field:
    options: dict[str, Any] = {"label": terms.label, "help_text": terms.help}
    if terms.choices:
        return forms.ChoiceField(**options, choices=terms.choices, widget=forms.RadioSelect)
    options["required"] = False
    if terms.least is not None:
        return WholeNumberField(**options, min_value=terms.least, max_value=terms.most)
    if terms.email:
        return forms.EmailField(**options)
    if terms.url:
        return forms.URLField(**options, max_length=300, assume_scheme="https")
    if terms.longest is not None:
        widget = forms.Textarea(attrs={"rows": 4})
        return forms.CharField(**options, max_length=terms.longest, widget=widget)
    return forms.DateField(**options, widget=DAY) if terms.day else forms.BooleanField(**options)


class RegionForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=100)


class NewRegionForm(RegionForm):
    code = forms.RegexField(
        r"^[A-Za-z0-9-]+$",
        label=gettext_lazy("Code"),
        max_length=10,
        help_text=gettext_lazy(
            "Letters and digits, such as GAU. The journal uses the code, so it cannot be changed later."
        ),
    )
    field_order = ("code", "name")


SHOWN_ENDED = 50


@page(Permission.APPOINTMENTS_MANAGE)
def people(request: OfficeRequest) -> HttpResponse:
    held = request.office.appointments.select_related("user", "region").order_by("role", "region", "name")
    day = today(request.office)
    context = {
        "table": CurrentAppointmentsTable(held.ending_after(day)),
        "past": AppointmentsTable(held.ended_before(day).order_by("-ends")[:SHOWN_ENDED]),
    }
    return render(request, "players/people.html", context)


@page(Permission.APPOINTMENTS_MANAGE, methods=FORM)
def people_appoint(request: OfficeRequest) -> HttpResponse:
    day = today(request.office)
    form = AppointForm(request.POST or None, office=request.office, initial={"starts": day})
    context = {"form": form, "roles": ROLES.values()}
    kept = appointments.find_name_by_email(request.office, str(form["email"].value()).strip())
    terms: dict[str, Any] = {"federation": request.office, "invitation": _invitation(request)}
    attempted = attempt(request, form, appointments.appoint, **terms)
    if not attempted.done:
        return render(request, "players/appoint.html", context, status=attempted.status)
    appointment = attempted.result
    words = _("%(person)s is appointed; an e-mail to %(email)s is on its way.")
    params = {"person": appointment.known_as, "email": appointment.user.email}
    messages.success(request, words % params)
    if kept and kept != form.cleaned_data["name"]:
        stays = _("The address is that of %(person)s, who has an account here: the name stays.")
        messages.info(request, stays % {"person": kept})
    return redirect("players:people", office=request.office.code)


@page(Permission.APPOINTMENTS_MANAGE, methods=FORM)
def people_end(request: OfficeRequest, key: int) -> HttpResponse:
    appointment = _appointment(request, key)
    words = _("The appointment of %(person)s has ended: they may do no more under it.")
    words %= {"person": appointment.known_as}
    ending = attempt(request, None, appointments.end_appointment, words, appointment=appointment)
    if ending.done:
        return redirect("players:people", office=request.office.code)
    context = {"appointment": appointment, "refused": ending.refused, "particulars": _facts(appointment)}
    return render(request, "players/end.html", context, status=ending.status)


@page(Permission.APPOINTMENTS_MANAGE, methods=FORM)
def people_last_day(request: OfficeRequest, key: int) -> HttpResponse:
    appointment = _appointment(request, key)
    shown = {"ends": appointment.ends, "seen": appointment.ends}
    form = LastDayForm(request.POST if request.method == "POST" else None, initial=shown)
    words = _("The last day is changed, and the person is told by letter.")
    change = attempt(request, form, appointments.set_last_day, words, appointment=appointment)
    if change.done:
        return redirect("players:people", office=request.office.code)
    context = {"form": form, "appointment": appointment, "particulars": _facts(appointment)}
    return render(request, "players/last_day.html", context, status=change.status)


@page(Permission.APPOINTMENTS_MANAGE, methods=FORM)
def people_invitation(request: OfficeRequest, key: int) -> HttpResponse:
    """Show an invitation, send it again, or make it void."""
    appointment = _appointment(request, key)
    if "void" in request.POST:
        words = _("The invitation is void: its link opens nothing any more.")
        change = attempt(request, None, appointments.void_invitation, words, appointment=appointment)
    else:
        words = _("Another invitation to %(email)s is on its way.") % {"email": appointment.user.email}
        invite = partial(appointments.invite_again, invitation=_invitation(request))
        change = attempt(request, None, invite, words, appointment=appointment)
    if change.done:
        return redirect("players:people", office=request.office.code)
    context = {
        "appointment": appointment,
        "refused": change.refused,
        "particulars": _facts(appointment),
        "until": appointments.invitation_expires_at(appointment),
        "zone": request.office.equipment.office.time_zone,
    }
    return render(request, "players/invitation.html", context, status=change.status)


@page(Permission.OFFICE_SETTINGS, methods=FORM)
def settings(request: OfficeRequest) -> HttpResponse:
    kept = asdict(get_settings(request.office)) | {"seen": appointments.digest_of_settings(request.office)}
    form = SettingsForm(request.POST or None, initial=kept, ruleset=request.office.ruleset)
    changed = attempt(
        request,
        form,
        appointments.change_settings,
        _("The settings are saved."),
        answers=lambda typed: {"settings": form.settings(), "seen": typed["seen"]},
        federation=request.office,
    )
    if changed.done:
        return redirect("players:settings", office=request.office.code)
    regions = request.office.regions.select_related("federation") if request.office.regional else ()
    uses = [office_room_use(request.office), *map(region_room_use, regions)]
    context = {"form": form, "regions": _regions(request), "room": [(use.holder, str(use)) for use in uses]}
    return render(request, "players/settings.html", context, status=changed.status)


@page(Permission.OFFICE_SETTINGS, methods=FORM)
def region_add(request: OfficeRequest) -> HttpResponse:
    form = NewRegionForm(request.POST or None)
    adding = attempt(request, form, appointments.add_region, federation=request.office)
    if adding.done:
        return redirect("players:settings", office=request.office.code)
    return render(request, "players/region.html", {"form": form}, status=adding.status)


@page(Permission.OFFICE_SETTINGS, methods=FORM)
def region_rename(request: OfficeRequest, code: str) -> HttpResponse:
    region = get_object_or_404(request.office.regions, code=code)
    form = RegionForm(request.POST or None, initial={"name": region.name})
    renaming = attempt(request, form, appointments.rename_region, region=region)
    if renaming.done:
        return redirect("players:settings", office=request.office.code)
    context = {"form": form, "region": region, "use": region_room_use(region)}
    return render(request, "players/region.html", context, status=renaming.status)


# ---- Helpers
def _invitation(request: OfficeRequest) -> appointments.Invitation:
    return appointments.Invitation(request.build_absolute_uri("/").rstrip("/"), timezone.now())


def _appointment(request: OfficeRequest, key: int) -> Appointment:
    return get_object_or_404(request.office.appointments.select_related("user", "region"), pk=key)


def _facts(appointment: Appointment) -> list[tuple[str, Any, str]]:
    return [
        (_("Person"), f"{appointment.known_as} ({appointment.user.email})", ""),
        (_("Role"), appointment.get_role_display(), ""),
        (_("Region"), appointment.region, ""),
        (_("Since"), date_format(appointment.starts, "DATE_FORMAT"), ""),
    ]


def _regions(request: OfficeRequest) -> list[tuple[str, str, str]]:
    """Code, name and the address of the renaming page, for each region."""
    code = request.office.code
    return [
        (region.code, region.name, reverse("players:region_rename", args=[code, region.code]))
        for region in request.office.regions.all()
    ]
