"""Forms of the administrators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from players.office.access import ROLES, misplaced
from players.office.models import Federation, Region
from players.office.office_settings import Settings
from ratings.equipment.office_equipment import equipment_of
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
        label=_("Name"),
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

    def __init__(self, *args: Any, office: Federation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
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


class SettingsForm(forms.Form):
    """The form for an office's settings: the fields of `players.office.office_settings.Settings`."""

    four_eyes = forms.BooleanField(
        label=_("Four eyes"),
        required=False,
        help_text=_("The person who submitted a section cannot approve it."),
    )
    second_factor = forms.BooleanField(
        label=_("A second factor"),
        required=False,
        help_text=_(
            "People who work here also sign in with a code from an authenticator app, a passkey or a "
            "security key. A person who has none yet is asked to add one."
        ),
    )
    successor_first = forms.BooleanField(
        label=_("A successor first"),
        required=False,
        help_text=_("The last administrator of a region can be ended only once another is appointed."),
    )
    deadlines = forms.BooleanField(
        label=_("Deadlines"),
        required=False,
        help_text=_(
            "Late filings need a reason that you accept. Without this setting, lateness is only noted. The "
            "regulations page shows which clauses this concerns."
        ),
    )
    particulars = forms.BooleanField(
        label=_("Full particulars"),
        required=False,
        help_text=_(
            "A filing that gives less than the regulations require, or comes from another person than they "
            "require, needs a reason that you accept, or cannot be rated. Without this setting, it is only "
            "noted. The regulations page shows which clauses this concerns."
        ),
    )
    membership = forms.DateField(
        label=_("Membership in the federation was introduced on"),
        required=False,
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
        help_text=_("Rules about members apply from that day. Empty: there is no membership yet."),
    )
    births = forms.ChoiceField(
        label=_("What the public may know about births"),
        choices=[
            ("none", _("nothing")),
            ("group", _("the age group: lists can be filtered by it")),
            ("year", _("the year, in downloaded files")),
        ],
        widget=forms.RadioSelect,
        help_text=_(
            "This concerns people who are known to be adults; the day of birth is never shown. Two lists "
            "filtered by age, compared over two years, also reveal the year. With every choice, lists by "
            "sex, and the sex, title or FIDE id in a file, show that a person is an adult."
        ),
    )
    minors = forms.BooleanField(
        label=_("Lists by age and sex show children too"),
        required=False,
        help_text=_(
            "Without this setting, these lists show known adults only. With it, anybody can look up girls "
            "and boys by name: lists by sex show each child's sex, and lists by age, compared over two "
            "years, show the year of birth. Copies that people made of such lists cannot be withdrawn."
        ),
    )

    def __init__(self, *args: Any, ruleset: Ruleset, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not equipment_of(ruleset).office.membership:
            del self.fields["membership"]

    def settings(self) -> Settings:
        introduced = self.cleaned_data.pop("membership", None)
        return Settings(**self.cleaned_data, membership=introduced.isoformat() if introduced else "")


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
