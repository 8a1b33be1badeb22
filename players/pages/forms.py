"""Forms of the administrators."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from players.office.models import Federation, Region, Role
from players.office.office_settings import Settings
from ratings.equipment.office_equipment import equipment_of
from ratings.law.ruleset import Ruleset

DAY = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")


class AppointForm(forms.Form):
    """A person, a role, and from when to when."""

    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=254,
        help_text=_("Whoever has no account yet gets one, with a letter to choose a password."),
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    name = forms.CharField(
        label=_("Name"),
        max_length=100,
        help_text=_("As the office's record shows it. An account that exists keeps its own."),
    )
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices, widget=forms.RadioSelect)
    region = forms.ModelChoiceField(
        Region.objects.none(),
        label=_("Region"),
        required=False,
        empty_label=_("none: for the whole federation"),
        help_text=_("For a regional administrator only."),
    )
    starts = forms.DateField(label=_("First day"), widget=DAY)
    ends = forms.DateField(
        label=_("Last day"), required=False, widget=DAY, help_text=_("Empty: until it is ended.")
    )

    def __init__(self, *args: Any, office: Federation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        region = self.fields["region"]
        assert isinstance(region, forms.ModelChoiceField)
        region.queryset = office.regions.all()

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("role") == Role.REGIONAL and not given.get("region"):
            self.add_error("region", _("A regional administrator files for a region: choose which."))
        if given.get("role") in (Role.OFFICIAL, Role.ADMINISTRATOR) and given.get("region"):
            self.add_error("region", _("This role is for the whole federation: choose “none” here."))
        if given.get("starts") and given.get("ends") and given["ends"] < given["starts"]:
            self.add_error("ends", _("The last day lies before the first."))
        return given


class SettingsForm(forms.Form):
    """The fields of `players.office.office_settings.Settings`, by the same names."""

    four_eyes = forms.BooleanField(
        label=_("Four eyes"),
        required=False,
        help_text=_("Whoever submitted a section cannot approve it."),
    )
    second_factor = forms.BooleanField(
        label=_("A second factor"),
        required=False,
        help_text=_(
            "Whoever works here signs in with a code of an authenticator app, a passkey or a security key"
            " too. Who has none yet is led to adding one."
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
            "What comes late needs a reason that you accept. Otherwise it is only told. The page of the"
            " regulations says which, at each clause concerned."
        ),
    )
    particulars = forms.BooleanField(
        label=_("Full particulars"),
        required=False,
        help_text=_(
            "What says less than the regulations want, or comes from somebody else than they want, needs a"
            " reason that you accept, or cannot be rated. Otherwise it is only told. The page of the"
            " regulations says which, at each clause concerned."
        ),
    )
    membership = forms.DateField(
        label=_("Membership in the federation was introduced on"),
        required=False,
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
        help_text=_("From that day on rules that ask for members hold. Empty: there is no membership yet."),
    )
    births = forms.ChoiceField(
        label=_("Of births, the public may know"),
        choices=[
            ("none", _("nothing")),
            ("group", _("the age group: lists can be cut by it")),
            ("year", _("the year, in the files that are downloaded")),
        ],
        widget=forms.RadioSelect,
        help_text=_(
            "Of people who are known to be grown up; of nobody the day. Lists cut by age, compared over two"
            " years, give the year away too. Whatever is chosen, lists by sex and the sex, title or FIDE id"
            " in a file show that somebody is grown up."
        ),
    )
    minors = forms.BooleanField(
        label=_("Lists by age and sex show children too"),
        required=False,
        help_text=_(
            "Left off, they hold only who is known to be grown up. Switched on, anybody can look up girls and"
            " boys by name: lists by sex tell the sex of each, and lists by age, compared over two years, the"
            " year of birth. It cannot be taken back from whoever copied them."
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
    """A region with the code that the journal writes."""

    code = forms.RegexField(
        r"^[A-Za-z0-9-]+$",
        label=_("Code"),
        max_length=10,
        help_text=_("Letters and digits, such as GAU. It stands in the journal and cannot be changed later."),
    )
    field_order = ("code", "name")
