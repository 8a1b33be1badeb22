"""Forms of the administrators."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from players.office.access import ROLES, misplaced
from players.office.models import Federation, Region
from players.office.settings_schema import Settings, SettingTerms, settings_from, terms_of_settings
from ratings.equipment.find_equipment import equipment_of
from ratings.law.ruleset import Ruleset

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

DAY = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")


def _roles() -> list[tuple[str, StrOrPromise]]:
    return [(role, terms.label) for role, terms in ROLES.items()]


class AppointForm(forms.Form):
    """The form that appoints a person to a role, from a day to a day."""

    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=254,
        help_text=_("A person without an account gets one, and an e-mail with a link to choose a password."),
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    name = forms.CharField(
        label=pgettext_lazy("of a person", "Name"),
        max_length=100,
        help_text=_("The pages of this office show this name."),
    )
    role = forms.ChoiceField(label=_("Role"), choices=_roles, widget=forms.RadioSelect)
    region = forms.ModelChoiceField(
        Region.objects.none(),
        label=_("Region"),
        required=False,
        empty_label=_("none: for the whole federation"),
        help_text=_("Only for a role in one region."),
    )
    starts = forms.DateField(label=_("First day"), widget=DAY)
    ends = forms.DateField(
        label=_("Last day"), required=False, widget=DAY, help_text=_("Empty: until somebody ends it.")
    )

    instead = forms.BooleanField(
        label=_("End the appointment of the region’s administrator the day before"),
        required=False,
    )

    def __init__(self, *args: Any, office: Federation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if clause := office.equipment.office.powers.one_regional_administrator:
            words = _("The regulations want one administrator for each region (§%(clause)s).")
            self.fields["instead"].help_text = words % {"clause": clause}
        else:
            del self.fields["instead"]
        region = self.fields["region"]
        assert isinstance(region, forms.ModelChoiceField)
        region.queryset = office.regions.all()

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("role") and "region" in given and (wrong := misplaced(given["role"], given["region"])):
            self.add_error("region", wrong)
        if given.get("starts") and given.get("ends") and given["ends"] < given["starts"]:
            self.add_error("ends", _("The last day lies before the first."))
        return given


class LastDayForm(forms.Form):
    """The form for another last day of an appointment; `seen` is the one that the page showed."""

    ends = forms.DateField(
        label=_("Last day"), required=False, widget=DAY, help_text=_("Empty: until somebody ends it.")
    )
    seen = forms.DateField(required=False, widget=forms.HiddenInput)


class WholeNumberField(forms.IntegerField):
    """A whole number that may be left out; 0 stands for the default, and its field is shown empty."""

    def prepare_value(self, value: Any) -> Any:
        return value or None


class SettingsForm(forms.Form):
    """The form for an office's settings: a field for each that the federation has; `seen`: all as opened."""

    seen = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, *args: Any, ruleset: Ruleset, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        enacted = equipment_of(ruleset).publication.enacted
        for name, terms in terms_of_settings().items():
            if not terms.only_with_clauses or (enacted and enacted.settings.get(name)):
                self.fields[name] = _field(terms)

    def settings(self) -> Settings:
        terms = terms_of_settings()
        given = {name: self.cleaned_data[name] for name in terms.keys() & self.cleaned_data.keys()}
        given = {name: value for name, value in given.items() if value is not None}
        return settings_from(
            {name: value.isoformat() if isinstance(value, date) else value for name, value in given.items()}
        )


def _field(terms: SettingTerms) -> forms.Field:
    if terms.choices:
        return forms.ChoiceField(
            label=terms.label, help_text=terms.help, choices=terms.choices, widget=forms.RadioSelect
        )
    if terms.least is not None:
        return WholeNumberField(
            label=terms.label,
            help_text=terms.help,
            required=False,
            min_value=terms.least,
            max_value=terms.most,
        )
    if terms.email:
        return forms.EmailField(label=terms.label, help_text=terms.help, required=False)
    if terms.longest is not None:
        return forms.CharField(
            label=terms.label,
            help_text=terms.help,
            required=False,
            max_length=terms.longest,
            widget=forms.Textarea(attrs={"rows": 4}),
        )
    if terms.day:
        return forms.DateField(label=terms.label, help_text=terms.help, required=False, widget=DAY)
    return forms.BooleanField(label=terms.label, help_text=terms.help, required=False)


class RegionForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=100)


class NewRegionForm(RegionForm):
    """The form for a new region, with the code that the journal writes."""

    code = forms.RegexField(
        r"^[A-Za-z0-9-]+$",
        label=_("Code"),
        max_length=10,
        help_text=_(
            "Letters and digits, such as GAU. The journal uses the code, so it cannot be changed later."
        ),
    )
    field_order = ("code", "name")
