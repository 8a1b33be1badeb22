"""Forms of regions. They check how something is written; whether regulations allow it, the rules say."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.forms import BaseFormSet, formset_factory
from django.utils.translation import gettext_lazy as _

from players.office.access import Permission, Rights
from players.office.models import Federation, Region
from ratings.law.journal.values import FIRST_DAY, LAST_DAY
from ratings.law.ruleset import Ruleset
from tournaments.events import ruleset_fields
from tournaments.events.finding_words import FORMATS
from tournaments.events.ruleset_fields import PlainField
from tournaments.filing.archives import ARCHIVE_TOO_BIG
from tournaments.filing.services import MOST_BYTES, TOO_BIG, NewSection
from tournaments.formats.zip.unpack import MOST_PACKED

ZIP_TOO_BIG = _(
    "The file of one section may have at most 2 MB. A ZIP archive with the files of several sections may "
    "have 5 MB: upload it on the event's page."
)
MOST_SECTIONS = 20
MOST_ROUNDS = 60


def day_field(label: Any, **kwargs: Any) -> forms.DateField:
    """A field for a day that a journal can hold; a half-typed year is none."""
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    return forms.DateField(label=label, widget=widget, validators=[check_year], **kwargs)


def check_year(day: date) -> None:
    if not FIRST_DAY <= day <= LAST_DAY:
        raise ValidationError(_("Check the year: %(year)s."), params={"year": day.year})


def check_days(form: forms.Form) -> None:
    starts, ends = form.cleaned_data.get("starts"), form.cleaned_data.get("ends")
    if starts and ends and ends < starts:
        form.add_error("ends", _("The last day lies before the first."))
    elif starts and ends and (ends - starts).days > 366:
        form.add_error("ends", _("That is more than a year. Check both days."))


class EventForm(forms.Form):
    """The form of a competition before it is played. It offers only the regions for which the user files."""

    name = PlainField(
        label=_("Name of the event"),
        max_length=100,
        min_length=3,
        error_messages={"required": _("Give the event its name.")},
    )
    place = PlainField(label=_("Place"), max_length=100, required=False)
    region = forms.ModelChoiceField(
        Region.objects.none(),
        label=_("Host region"),
        error_messages={
            "required": _("Choose the region that hosts the event."),
            "invalid_choice": _("You do not file for this region. Choose one of your regions."),
        },
    )
    country = forms.RegexField(
        r"^[A-Za-z]{3}$",
        label=_("Country"),
        max_length=3,
        required=False,
        help_text=_("Three letters. Do not change it for an event in the federation's own country."),
    )
    starts = day_field(_("First day"), error_messages={"required": _("Give the first day of play.")})
    ends = day_field(_("Last day"), error_messages={"required": _("Give the last day of play.")})

    def __init__(self, *args: Any, rights: Rights, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        regions = rights.regions(Permission.EVENTS_REGISTER)
        region = self.fields["region"]
        assert isinstance(region, forms.ModelChoiceField)
        region.queryset = regions
        if regions.count() == 1:
            region.initial, region.empty_label = regions.get().pk, None
            if not rights.federation.regional:
                region.widget = forms.HiddenInput()
        self.fields["country"].initial = rights.federation.ruleset.country

    def clean_country(self) -> str:
        return str(self.cleaned_data["country"]).upper()

    def clean(self) -> dict[str, Any]:
        super().clean()
        check_days(self)
        return self.cleaned_data


class SectionForm(forms.Form):
    """The form of a section to be registered: the common fields, and the ruleset's own."""

    name = PlainField(
        label=_("Name of the section"),
        max_length=100,
        error_messages={"required": _("Give the section a name, such as A or Open.")},
        widget=forms.TextInput(attrs={"placeholder": _("A, Open, U16 …")}),
    )
    format = forms.ChoiceField(label=_("Format"))
    rounds = forms.IntegerField(
        label=_("Scheduled rounds"), min_value=1, max_value=MOST_ROUNDS, required=False
    )
    team = forms.BooleanField(label=_("Played in teams"), required=False)

    def __init__(self, *args: Any, ruleset: Ruleset, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ruleset = ruleset
        offer_formats(self, ruleset)
        self.fields |= ruleset_fields.fields_of(ruleset)

    def clean(self) -> dict[str, Any]:
        super().clean()
        ruleset_fields.check_companions(self.ruleset, self)
        return self.cleaned_data

    def own_fields(self) -> list[forms.BoundField]:
        return ruleset_fields.bound(self, flags=False)

    def flags(self) -> list[forms.BoundField]:
        return [self["team"], *ruleset_fields.bound(self, flags=True)]

    def section(self) -> NewSection:
        said = self.cleaned_data
        return NewSection(
            name=said["name"],
            format=said["format"],
            rounds=said["rounds"],
            team=said["team"],
            particulars=ruleset_fields.particulars_of(self.ruleset, self),
        )


def offer_formats(form: forms.Form, ruleset: Ruleset) -> None:
    field = form.fields["format"]
    assert isinstance(field, forms.ChoiceField)
    field.choices = [(value, FORMATS[value]) for value in ruleset.sections.formats]
    # What a browser sends of an untouched row: so it still counts as empty.
    field.initial = ruleset.sections.formats[0]


if TYPE_CHECKING:
    SectionForms = BaseFormSet[SectionForm]
else:  # at run time Django's formsets take no type
    SectionForms = BaseFormSet


class BaseSections(SectionForms):
    default_error_messages = SectionForms.default_error_messages | {
        "too_few_forms": _("Add a section. Each section is rated separately and has its own file."),
        "missing_management_form": _("The page was sent incomplete. Open it again."),
    }

    def sections(self) -> list[NewSection]:
        return [form.section() for form in self.forms if form.cleaned_data.get("name")]


def sections_formset(federation: Federation, data: Any = None) -> BaseSections:
    """A formset of at least one section; a row that was added and left empty is no section."""
    formset = formset_factory(
        SectionForm, formset=BaseSections, extra=0, min_num=1, validate_min=True, max_num=MOST_SECTIONS
    )
    made = formset(data, prefix="sections", form_kwargs={"ruleset": federation.ruleset})
    return cast(BaseSections, made)


class UploadField(forms.FileField):
    """A field for one file of at most `most` bytes, with the words where there is none or an empty one.

    `too_big` gives the words for a larger one by its name.
    """

    def __init__(
        self, label: Any, *, most: int, missing: Any, empty: Any, too_big: Callable[[str], Any]
    ) -> None:
        words = {"required": missing, "missing": missing, "empty": empty}
        words["max_length"] = _("The file's name is too long. Give it a shorter one.")
        super().__init__(label=label, max_length=200, error_messages=words)
        self.most, self.too_big = most, too_big

    def clean(self, data: Any, initial: Any = None) -> Any:
        file = super().clean(data, initial)
        if file.size > self.most:
            raise ValidationError(self.too_big(file.name))
        return file


class FileForm(forms.Form):
    file = UploadField(
        _("Choose the event file, or drop it here"),
        most=MOST_BYTES,
        missing=_("Choose a file first."),
        empty=_("The file is empty. Export the tournament again and upload the new file."),
        too_big=lambda name: ZIP_TOO_BIG if name.lower().endswith(".zip") else TOO_BIG,
    )


class ArchiveForm(forms.Form):
    file = UploadField(
        _("Choose the ZIP archive, or drop it here"),
        most=MOST_PACKED,
        missing=_("Choose a ZIP archive first."),
        empty=_("The file is empty. Pack the event files into a ZIP archive and upload that."),
        too_big=lambda name: ARCHIVE_TOO_BIG,
    )


class VersionForm(forms.Form):
    """The version of the section that the page showed, which every decision brings along."""

    version = forms.IntegerField(widget=forms.HiddenInput)
