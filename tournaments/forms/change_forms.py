"""Forms that change what was registered. Each brings the version of the event or section that it saw."""

from __future__ import annotations

from copy import copy
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.forms import BaseFormSet, formset_factory
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from players.office.access import Permission, Rights
from players.office.models import Region
from tournaments.events import ruleset_fields
from tournaments.events.models import Event, Section
from tournaments.events.ruleset_fields import NameInPublic, PlainField
from tournaments.filing.changes.changed_fields import (
    Changes,
    changes,
    seen,
    told_of_event,
    told_of_section,
)
from tournaments.filing.changes.edit import (
    EventParticulars,
    SectionParticulars,
    can_change_code,
    write_section,
)
from tournaments.forms import reasons
from tournaments.forms.details import ArbiterForm, filled_arbiters
from tournaments.forms.event_forms import SectionForm, VersionForm, check_days, day_field, leave_out
from tournaments.forms.reasons import ask_why, public_reason


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


class MoveRegionForm(CancelForm):
    region = forms.ModelChoiceField(
        Region.objects.none(), label=_("New region"), empty_label=_("choose a region")
    )
    field_order = ("region", "reason", "version")

    def __init__(self, data: Any = None, *, event: Event, regions: QuerySet[Region]) -> None:
        super().__init__(data, initial={"version": event.version})
        field = self.fields["region"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = regions


def other_regions(rights: Rights, event: Event) -> QuerySet[Region]:
    """The regions to which a person may move an event: those in which they act beside its own."""
    regions: QuerySet[Region] = rights.regions(Permission.EVENTS_EDIT)
    return regions.exclude(pk=event.region_id)


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
    place = NameInPublic(label=pgettext_lazy("where it is played", "Place"), max_length=100, required=False)
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
    reason = reasons.of_event()

    def __init__(self, data: Any = None, *, event: Event) -> None:
        names = ("version", "name", "starts", "ends", "place", "organizer")
        home = event.federation.ruleset.country
        initial = {name: getattr(event, name) for name in names} | {"country": event.country or home}
        super().__init__(data, initial=initial)
        self.event = event
        leave_out(self, event.federation)
        asked = event.federation.equipment.office.registration.asks
        self.arbiters: BaseFormSet[ArbiterForm] | None = None
        if "arbiters" in asked:
            rows = formset_factory(ArbiterForm, extra=1, max_num=30)
            self.arbiters = rows(data, prefix="arbiters", initial=list(event.arbiters))

    def clean(self) -> dict[str, Any]:
        super().clean()
        check_days(self)
        ask_why(self, self.event, else_seen=bool(seen(self._changed())))
        return self.cleaned_data

    def _changed(self) -> Changes:
        """The fields that everybody could read and the form gives otherwise."""
        given, home = self.cleaned_data, self.event.federation.ruleset.country
        names: list[str] = [name for name in ("name", "place", "country") if name in given]
        before = told_of_event(self.event)
        after = {name: given[name] for name in names}
        if "country" in after:
            after["country"] = after["country"].upper() or home
        return changes({name: before[name] for name in names}, after)

    def is_valid(self) -> bool:
        return all([super().is_valid(), self.arbiters is None or self.arbiters.is_valid()])

    def typed(self) -> list[tuple[str, str]]:
        """Each field's label and its text as typed, to be copied where it cannot be saved."""
        fields = [(str(each.label), str(each.data or "")) for each in self.visible_fields()]
        rows = self.arbiters.forms if self.arbiters is not None else []
        people = [" ".join(filter(None, (each.data for each in row.visible_fields()))) for row in rows]
        return [*fields, (now("Arbiters"), "; ".join(filter(None, people)))]

    def saved_arbiters(self, shown: str) -> str:
        """The arbiters saved by now, where others were typed into a page that showed an older version."""
        if self.arbiters is None or shown == str(self.event.version) or not self.arbiters.has_changed():
            return ""
        return told_of_event(self.event)["arbiters"] or now("nothing")

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
            reason=given["reason"],
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
        self.section_of_form = section
        self.fields["reason"] = reasons.of_section()
        if not can_change_code(section):
            del self.fields["code"]

    def clean(self) -> dict[str, Any]:
        super().clean()
        ask_why(self, self.section_of_form, else_seen=not self.errors and bool(seen(self._changes())))
        return self.cleaned_data

    def _changes(self) -> Changes:
        """The fields that the form gives otherwise than the section has them."""
        given = copy(self.section_of_form)
        write_section(given, self.changed())
        return changes(told_of_section(self.section_of_form), told_of_section(given))

    def changed(self) -> SectionParticulars:
        given = self.cleaned_data
        return SectionParticulars(
            name=given["name"],
            code=given.get("code", self.section_of_form.code),
            format=given["format"],
            rounds=given["rounds"],
            team=given.get("team"),
            starts=given.get("starts"),
            ends=given.get("ends"),
            particulars=ruleset_fields.particulars_of(self.ruleset, self),
            reason=given.get("reason", ""),
        )
