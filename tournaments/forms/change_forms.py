"""Forms that change what was registered. Each brings the version of the event or section that it saw."""

from __future__ import annotations

from typing import Any

from django import forms
from django.forms import BaseFormSet, formset_factory
from django.utils.translation import gettext_lazy as _

from tournaments.events import ruleset_fields
from tournaments.events.models import Event, Section
from tournaments.events.ruleset_fields import NameInPublic, PlainField
from tournaments.filing.changes.edit import EventParticulars, SectionParticulars, can_change_code
from tournaments.filing.changes.lock_event import LONGEST_NOTICE
from tournaments.forms.details import ArbiterForm, filled_arbiters
from tournaments.forms.event_forms import SectionForm, VersionForm, check_days, day_field, leave_out


def public_reason() -> NameInPublic:
    """Make the field for a reason that stands on the public page: without telephone or mail address."""
    return NameInPublic(
        label=_("Reason"),
        max_length=LONGEST_NOTICE,
        error_messages={"required": _("Say why: everybody who looks for the event reads it.")},
        help_text=_("Everybody can read this on the event's page. Write nothing private."),
    )


class CancelForm(VersionForm):
    reason = public_reason()


class WithdrawForm(CancelForm):
    """The form to withdraw a registration; its reason stands at its old address."""


class PostponeForm(CancelForm):
    starts = day_field(_("New first day"))
    ends = day_field(_("New last day"))
    field_order = ("starts", "ends", "reason", "version")

    def clean(self) -> dict[str, Any]:
        super().clean()
        check_days(self)
        return self.cleaned_data


class QuestionAnswerForm(VersionForm):
    answer = forms.CharField(
        label=_("Your answer"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 4}),
        error_messages={"required": _("Write an answer: the office decides by it.")},
    )


class EventEditForm(VersionForm):
    """The form of a registered event's particulars, as far as its federation asks for them."""

    name = NameInPublic(label=_("Name of the event"), max_length=100, min_length=3)
    starts = day_field(_("First day"))
    ends = day_field(_("Last day"))
    place = NameInPublic(label=_("Place"), max_length=100, required=False)
    country = forms.RegexField(
        r"^[A-Za-z]{3}$", label=_("Country"), max_length=3, required=False, help_text=_("Three letters.")
    )
    organizer = PlainField(
        label=_("Chief organiser"),
        max_length=200,
        required=False,
        help_text=_(
            "Everybody can read this once the event is rated, except e-mail addresses and telephone numbers."
        ),
    )

    def __init__(self, data: Any = None, *, event: Event) -> None:
        names = ("version", "name", "starts", "ends", "place", "organizer")
        home = event.federation.ruleset.country
        initial = {name: getattr(event, name) for name in names} | {"country": event.country or home}
        super().__init__(data, initial=initial)
        leave_out(self, event.federation)
        asked = event.federation.equipment.office.registration.asks
        self.arbiters: BaseFormSet[ArbiterForm] | None = None
        if "arbiters" in asked:
            rows = formset_factory(ArbiterForm, extra=1, max_num=30)
            self.arbiters = rows(data, prefix="arbiters", initial=list(event.arbiters))

    def clean(self) -> dict[str, Any]:
        super().clean()
        check_days(self)
        return self.cleaned_data

    def is_valid(self) -> bool:
        return all([super().is_valid(), self.arbiters is None or self.arbiters.is_valid()])

    def said(self) -> EventParticulars:
        given = self.cleaned_data
        country = given.get("country")
        return EventParticulars(
            name=given["name"],
            starts=given["starts"],
            ends=given["ends"],
            place=given.get("place"),
            country=country.upper() if country is not None else None,
            organizer=given.get("organizer"),
            arbiters=filled_arbiters(self.arbiters) if self.arbiters is not None else None,
        )


class SectionEditForm(SectionForm):
    """The form of a registered section's particulars; its code only where nothing names it by that yet."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    code = PlainField(
        label=_("Code"),
        max_length=20,
        help_text=_("It stands in the section's number. Once something was filed it stays."),
    )

    def __init__(self, data: Any = None, *, section: Section) -> None:
        names = ("version", "name", "code", "format", "rounds", "team", "starts", "ends")
        initial = {name: getattr(section, name) for name in names}
        initial |= ruleset_fields.initial_of(section.particulars)
        super().__init__(data, initial=initial, ruleset=section.event.federation.ruleset)
        self.section_code = section.code
        if not can_change_code(section):
            del self.fields["code"]

    def changed(self) -> SectionParticulars:
        given = self.cleaned_data
        return SectionParticulars(
            name=given["name"],
            code=given.get("code", self.section_code),
            format=given["format"],
            rounds=given["rounds"],
            team=given.get("team"),
            starts=given.get("starts"),
            ends=given.get("ends"),
            particulars=ruleset_fields.particulars_of(self.ruleset, self),
        )
